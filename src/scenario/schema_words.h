// SPDX-License-Identifier: MIT
/// Short words for tables of keys, and the rows that several engines have. For the tables alone.
#ifndef CAROM_SCENARIO_SCHEMA_WORDS_H
#define CAROM_SCENARIO_SCHEMA_WORDS_H

#include "scenario/schema.h"

#define EXPRESSION CAROM_SCHEMA_EXPRESSION
#define NUMBER CAROM_SCHEMA_NUMBER
#define CHOICE CAROM_SCHEMA_CHOICE
#define TEXT CAROM_SCHEMA_TEXT
#define MAP CAROM_SCHEMA_MAP
#define LIST CAROM_SCHEMA_LIST

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

// columns: path, types, choices, shorthand, required, unit, default, meaning
// clang-format off
#define RULE_KEYS \
  {"sections", MAP, NULL, NULL, false, "", "none", "Instants at which the motion is looked at, for return maps and for the reducers count and at."}, \
  {"sections.*", MAP | EXPRESSION, NULL, "when", false, "", "", "The crossing, or a map that says more about it."}, \
  {"sections.*.when", EXPRESSION, NULL, NULL, true, "", "", "An expression that crosses zero, or a comparison that becomes true: by the motion, or by a jump (an impact, an event)."}, \
  {"sections.*.direction", CHOICE, "rising|falling|both", NULL, false, "", "both; rising for a comparison", "Which crossings count."}, \
  {"sections.*.if", EXPRESSION, NULL, NULL, false, "", "always", "A condition that must hold at the crossing, before events of that instant change anything."}, \
  {"events", MAP, NULL, NULL, false, "", "none", "Instants at which the motion is changed."}, \
  {"events.*", MAP, NULL, NULL, false, "", "", "One event: when it happens and what it does."}, \
  {"events.*.when", EXPRESSION, NULL, NULL, true, "", "", "An expression that crosses zero, or a comparison that becomes true: by the motion, or by a jump (an impact, an event)."}, \
  {"events.*.direction", CHOICE, "rising|falling|both", NULL, false, "", "both; rising for a comparison", "Which crossings count."}, \
  {"events.*.if", EXPRESSION, NULL, NULL, false, "", "always", "A condition that must hold at the crossing, before events of that instant change anything."}, \
  {"events.*.do", MAP, NULL, NULL, true, "", "", "New values; all are computed from the values before the event. Events of one instant happen one after the other as they are listed here, each from what those before it have left."}, \
  {"events.*.do.*", EXPRESSION, NULL, NULL, false, "any", "", "The new value of a coordinate x, a rate x' or a state."}, \
  {"stop", MAP | EXPRESSION, NULL, "stop", false, "", "none", "Crossings that end the run early: one expression, or a map of named ones. A comparison that is true at the start ends the run there."}, \
  {"stop.*", MAP | EXPRESSION, NULL, "when", false, "", "", "The crossing, or a map that says more about it."}, \
  {"stop.*.when", EXPRESSION, NULL, NULL, true, "", "", "An expression that crosses zero, or a comparison that becomes true: by the motion, or by a jump (an impact, an event)."}, \
  {"stop.*.direction", CHOICE, "rising|falling|both", NULL, false, "", "both; rising for a comparison", "Which crossings count."}, \
  {"stop.*.if", EXPRESSION, NULL, NULL, false, "", "always", "A condition that must hold at the crossing, before events of that instant change anything."},
// clang-format on

#endif
