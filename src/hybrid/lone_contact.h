// SPDX-License-Identifier: MIT
/// Phases with one contact closed and no constraint, by far the most frequent ones: their
/// equations are derived when the model is prepared, with the contact's forces eliminated, and run
/// as one program each. The general way, through rows and complementarity, remains for all other
/// phases and for states where this elimination is not safe.
#ifndef CAROM_HYBRID_LONE_CONTACT_H
#define CAROM_HYBRID_LONE_CONTACT_H

#include "hybrid/contacts.h"
#include "model/mechanics.h"

struct carom_hybrid;

/// The programs of a model (constant), four per contact: stick, slip either way, closed without
/// friction; NULL where there is none.
typedef struct carom_lone_set {
  int count;
  carom_program **programs;
} carom_lone_set;

/// Conditions that a phase lasts by: the normal force of a contact that slips, the distances to
/// both edges of the cone of one that sticks.
enum { CAROM_LONE_MARGINS = 2, CAROM_LONE_SEEN = 12 };

/// Work space of one simulation.
typedef struct carom_lone_work {
  double **registers;
  long *configured; // per program: for which configuration its registers were set up
  double *values;   // its outputs
  // margins seen on the present step
  struct {
    double theta, margin[CAROM_LONE_MARGINS];
  } seen[CAROM_LONE_SEEN];
  int seen_count, seen_next;
  bool unsafe; // at some point of the step
} carom_lone_work;

carom_status carom_lone_compile(carom_lone_set *lone, carom_arena *arena,
                                const carom_contact_set *set, const carom_mechanics *mechanics,
                                const carom_dynamics *dynamics, carom_error *error);
carom_status carom_lone_work_init(carom_lone_work *work, carom_arena *arena,
                                  const carom_lone_set *lone, int values, carom_error *error);

/// The rates of the present phase; false: not this way.
bool carom_lone_rates(struct carom_hybrid *it, double t, const double *y, double *dydt);
/// Its forces into contact.lambda, and the coefficient of friction; nothing where it is not safe.
void carom_lone_forces(struct carom_hybrid *it, double t, const double *y);

/// How many margins the present phase has; 0: not this way.
int carom_lone_margin_count(const struct carom_hybrid *it);
/// Margin k on the dense output of the tried step, NaN where it is unsafe (which is noted).
double carom_lone_margin(struct carom_hybrid *it, int k, double theta);

#endif
