// SPDX-License-Identifier: MIT
/// Legs: a motion whose word is held fixed, phase by phase. Each leg is run in its own contact
/// modes for a given time, forwards or backwards, whatever the forces and gaps are on the way; then
/// what ended it in the word happens. What such a motion breaks is told by margins.
#ifndef CAROM_LEG_H
#define CAROM_LEG_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What ends a phase.
typedef enum carom_leg_event {
  CAROM_LEG_END,     // nothing: the turn is over
  CAROM_LEG_SWITCH,  // a branch of abs, min, max or if
  CAROM_LEG_SLIP,    // the slip of a contact comes to zero
  CAROM_LEG_FORCE,   // contact forces reach the end of their laws
  CAROM_LEG_RULE,    // an event of the scenario
  CAROM_LEG_LANDING, // a contact lands
  CAROM_LEG_EVENTS
} carom_leg_event;

/// A phase and its end; plain data, made by the engine.
typedef struct carom_leg {
  uint64_t modes;    // of the contacts, three bits each
  uint64_t branches; // of abs, min, max and if: a bit each, set where the argument is positive
  carom_leg_event event;
  int function;    // whose zero ends it: of the engine's own numbering; of forces the contact
  uint64_t linked; // functions that are zero wherever that one is, a bit each
  int condition;   // of forces: which law of theirs
  int direction;   // -1: the function falls through zero, +1: it rises
  uint64_t struck; // contacts that land and strike, a bit each
  bool rebounds;   // the bounces of a contact are over: its rebound is taken away
  // how the impact comes out, where that is held (Newton's and Poisson's laws): modes of the
  // contacts that touch, four bits each, after compression and in the end
  bool holds_outcome;
  uint64_t compressed, outcome;
} carom_leg;

/// Which inequality a motion of a fixed word breaks.
typedef enum carom_leg_fault {
  CAROM_FAULT_NONE,
  CAROM_FAULT_DURATION, // the phase would last less than no time
  CAROM_FAULT_APPROACH, // the function comes to zero from the wrong side
  CAROM_FAULT_GAP,      // an open contact penetrates
  CAROM_FAULT_FORCE,    // a closed contact is pulled
  CAROM_FAULT_CONE,     // a contact that sticks carries more friction than it can
  CAROM_FAULT_SLIP,     // a contact slips against the direction of its phase
  CAROM_FAULT_SWITCH,   // the argument of abs, min, max or if has the other sign
  CAROM_FAULT_RULE,     // an event of the scenario would come
  CAROM_FAULT_MISFIT,   // an impact does not end in the modes that follow
  CAROM_FAULT_OUTCOME,  // an impact would come out otherwise: end in slip, not in stick
  CAROM_FAULT_OPENING,  // a contact that opens at the end of its stick does not move off
  CAROM_FAULT_REVERSAL  // a contact whose slip turns round at once would stick
} carom_leg_fault;

/// The inequality that is nearest to its end, or broken most.
typedef struct carom_leg_margin {
  carom_leg_fault kind;
  int leg;       // 0: the first
  int which;     // contact, branch or event
  double value;  // relative to the largest on the way; negative: broken
  double amount; // the same in units of the scenario
  bool at_start; // it is nearest to its end where the phase begins
} carom_leg_margin;

#ifdef __cplusplus
}
#endif
#endif
