// SPDX-License-Identifier: MIT
/// What ends a word, by name: read off the inequality that is zero, and the phases around it.
#include "carom/atlas.h"
#include "engine/word.h"

#include <stddef.h>

static carom_phase phase_of(const carom_leg *leg, int contact) {
  return (carom_phase)(leg->modes >> (3 * contact) & 7u);
}

static bool is_slip(carom_phase phase) {
  return phase == CAROM_PHASE_PLUS || phase == CAROM_PHASE_MINUS || phase == CAROM_PHASE_SLIP;
}

/// The phase whose end is looked at, and its neighbours in the circle of the turn.
typedef struct around {
  const carom_leg *before, *leg, *after;
} around;

static around neighbouring_legs(const carom_leg *legs, int events, int k) {
  // the last leg is the first one again
  int before = k > 0 ? k - 1 : events - 1, after = k + 1 < events ? k + 1 : 0;
  return (around){&legs[before < 0 ? 0 : before], &legs[k], &legs[after]};
}

// the first contact that is in another mode before the phase or after it; -1: none
static int changing_contact(const around *at) {
  for (int k = 0; k < CAROM_WORD_CONTACTS; k++)
    if (phase_of(at->before, k) != phase_of(at->leg, k) ||
        phase_of(at->leg, k) != phase_of(at->after, k))
      return k;
  return -1;
}

// A phase that lasts no time. Of friction, where sliding is to stick (di Bernardo et al. 2008,
// chapter 8): slip that touches zero sticks for an instant (grazing), slip that turns round does
// (crossing), what has turned round comes back at once and sticks (switching), stick that is left
// for an instant (adding).
static const char *name_of_vanishing(const around *at) {
  int k = changing_contact(at);
  if (at->before->rebounds || at->leg->rebounds) return "end-of-chatter";
  if (at->before->event == CAROM_LEG_RULE || at->leg->event == CAROM_LEG_RULE) return "rule";
  if (k < 0)
    return at->leg->event == CAROM_LEG_LANDING && at->before->event == CAROM_LEG_LANDING
               ? "double-impact"
               : "switch";
  carom_phase before = phase_of(at->before, k), during = phase_of(at->leg, k),
              after = phase_of(at->after, k);
  if (during == CAROM_PHASE_FLIGHT) return "lift-off";
  if (before == CAROM_PHASE_FLIGHT && after == CAROM_PHASE_FLIGHT) return "landing";
  if (during == CAROM_PHASE_STICK && is_slip(before) && is_slip(after))
    return before == after ? "grazing-sliding" : "crossing-sliding";
  if (is_slip(during) && before == CAROM_PHASE_STICK && after == CAROM_PHASE_STICK)
    return "adding-sliding";
  if (is_slip(during) && (before == CAROM_PHASE_STICK || after == CAROM_PHASE_STICK) &&
      (is_slip(before) || is_slip(after)))
    return "switching-sliding";
  if (before == CAROM_PHASE_FLIGHT || after == CAROM_PHASE_FLIGHT)
    return during == CAROM_PHASE_STICK ? "stick-vanishes" : "slip-vanishes";
  return "phase-vanishes";
}

static const char *name_of_approach(const carom_leg *leg) {
  switch (leg->event) {
  case CAROM_LEG_LANDING: return "graze";
  case CAROM_LEG_SLIP: return "grazing-sliding";
  case CAROM_LEG_FORCE: return "adding-sliding";
  case CAROM_LEG_RULE: return "rule";
  default: return "switch";
  }
}

const char *carom_rest_end_text(const carom_leg_margin *margin) {
  switch (margin->kind) {
  case CAROM_FAULT_GAP: return "touch";
  case CAROM_FAULT_FORCE:
  case CAROM_FAULT_OPENING: return "lift-off";
  case CAROM_FAULT_CONE: return "slip";
  case CAROM_FAULT_SWITCH: return "switch";
  case CAROM_FAULT_RULE: return "rule";
  default: return "word";
  }
}

const char *carom_end_text(const carom_leg_margin *margin, const carom_leg *legs, int events) {
  if (margin->leg < 0 || margin->leg > events) return "word";
  around at = neighbouring_legs(legs, events, margin->leg);
  switch (margin->kind) {
  case CAROM_FAULT_DURATION: return name_of_vanishing(&at);
  case CAROM_FAULT_APPROACH: return name_of_approach(at.leg);
  case CAROM_FAULT_GAP: return "graze";
  case CAROM_FAULT_FORCE:
  case CAROM_FAULT_OPENING: return "lift-off";
  case CAROM_FAULT_CONE: return margin->at_start ? "switching-sliding" : "adding-sliding";
  case CAROM_FAULT_SLIP: return "grazing-sliding";
  case CAROM_FAULT_REVERSAL: return "crossing-sliding";
  case CAROM_FAULT_OUTCOME:
  case CAROM_FAULT_MISFIT: return "impact-law";
  case CAROM_FAULT_SWITCH: return "switch";
  case CAROM_FAULT_RULE: return "rule";
  case CAROM_FAULT_NONE: break;
  }
  return "word";
}
