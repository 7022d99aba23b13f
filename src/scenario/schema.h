// SPDX-License-Identifier: MIT
/// Every key of the scenario language in one table: what it means, its unit, its default. The
/// loader checks documents against it and the reference documentation is printed from it, so
/// neither can know a key that the other does not. Each engine brings a table of its own; a key
/// that several engines share stands in the common one.
#ifndef CAROM_SCENARIO_SCHEMA_H
#define CAROM_SCENARIO_SCHEMA_H

#include "document/document.h"

/// What may be written as a value; several bits: any of these.
typedef enum carom_schema_type {
  CAROM_SCHEMA_EXPRESSION = 1, // any expression
  CAROM_SCHEMA_NUMBER = 2,     // a number, or an expression of parameters
  CAROM_SCHEMA_TEXT = 4,       // free text
  CAROM_SCHEMA_CHOICE = 8,     // one of a few words
  CAROM_SCHEMA_MAP = 16,
  CAROM_SCHEMA_LIST = 32
} carom_schema_type;

/// One key. In `path` a component * stands for any name the user chooses, [] for an item of a list.
typedef struct carom_schema_key {
  const char *path;
  unsigned types;        // carom_schema_type bits
  const char *choices;   // of CHOICE, separated by |
  const char *shorthand; // of a MAP: a single value stands for this key of it; or NULL
  bool required;         // wherever the map around it is given
  const char *unit;      // "" for a pure number or a text, "any" where the user's units decide
  const char *fallback;  // what holds when it is not given
  const char *meaning;   // one sentence
} carom_schema_key;

/// A table: `engine` names the engine whose keys these are; NULL: shared by all.
typedef struct carom_schema {
  const char *engine;
  const carom_schema_key *keys;
  int count;
} carom_schema;

/// All tables in the order of documentation; NULL beyond the last.
const carom_schema *carom_schema_table(int k);

/// Is this the name of an engine of this build?
bool carom_schema_has_engine(const char *engine);

/// The key that describes a path, for the given engine: literal names go before *, list items may
/// be written [] or as a number. NULL: the language has no such key.
const carom_schema_key *carom_schema_find(const char *engine, const char *path);

/// Names of the keys that may stand below `path` ("" for the top); a * is left out. Returns how
/// many were written, at most `room`. The texts point into the table's paths and are copied to
/// `arena`.
int carom_schema_names(carom_arena *arena, const char *engine, const char *path, const char **names,
                       int room);

/// Checks the whole tree: unknown keys, wrong kinds of value, unknown choices, missing keys.
carom_status carom_schema_check(carom_arena *arena, const char *engine, const carom_yaml *root,
                                carom_error *error);

// the tables themselves
extern const carom_schema carom_schema_common, carom_schema_hybrid, carom_schema_field,
    carom_schema_grains;

#endif
