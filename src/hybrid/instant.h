// SPDX-License-Identifier: MIT
/// What an instant is dealt with by.
#ifndef CAROM_HYBRID_INSTANT_H
#define CAROM_HYBRID_INSTANT_H

#include "carom/simulation.h"
#include "contact/contact.h"
#include "impact/energetic.h"
#include "impact/impact.h"
#include "ode/root.h"

typedef struct carom_together carom_together; // see strike_spatial.c

/// An impact: what its law asks of the contacts that touch.
typedef struct carom_striking {
  double *approach; // [rows] velocities before the impact, as it sees them
  double *residue;  // [rows] slips of contacts that land which count as none
  double *restitution, *give_back, *stiffness, *exponent;
  carom_energetic_habit *habit;
  bool *impact_by_law;    // friction of a contact in an energetic impact is the user's
  carom_impact_law *laws; // of the contacts, where they differ
  carom_impact_workspace *impact_work;
  carom_energetic_workspace *energetic_work; // NULL where no contact asks for that law
  double *space;                             // [6 rows + contacts] in space, by that law
  carom_together *together;                  // several of these at once; NULL: there are none
} carom_striking;

/// A function at an instant.
typedef struct carom_bend {
  double value, slope;
} carom_bend;

/// What rules make of an instant: see sides.c.
typedef struct carom_rule_sides {
  double *value;     // per watched function: before the last change of the state
  double *after;     // and after it
  double *rate;      // rates for those
  carom_bend *bends; // per watched function with a root, before branches change
  bool *known;       // the state was made what it is by events: its side is known exactly
  bool *holds;       // per root: its condition does
} carom_rule_sides;

/// While it is decided which contacts close after an impact: see closing.c.
typedef struct carom_closing {
  bool *chosen;
  double *fall; // accelerations before any of them closes
} carom_closing;

/// What an instant is dealt with by: nothing of it outlasts the instant.
typedef struct carom_instant {
  double *entered; // the state it began with
  carom_rule_sides rules;
  bool *acted;            // per watched function: an event of the present round
  carom_root *crossed;    // rules that became true by a jump
  const char *changed_by; // the last event that changed the state; NULL: none has
  bool energy_known;      // the energy before the event that is told next is
  carom_event_energy energy_before;
  bool jumped; // state or surfaces were changed, and contacts have not answered
  // per contact
  carom_contact_mode *old_modes;
  carom_contact_mode *tried; // sets of modes that do not last
  bool *landed, *halted;
  bool *touching; // open and moving apart, but in touch when others strike
  bool *kept;     // changes of the state have left it as it was
  double *noted;  // positions and velocities of rows before such changes
  double *ahead;  // the problem a moment later: G, b, coefficients of stick and slip
  double glance;  // that moment on the tried step, from which nothing was kept; 0: none was tried
  carom_closing closing;
  carom_striking striking;
} carom_instant;

/// How many sets of modes are tried at an instant before the first is kept.
enum { CAROM_MODES_TRIED = 12 };

#endif
