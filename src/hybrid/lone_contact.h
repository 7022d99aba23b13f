// SPDX-License-Identifier: MIT
/// Phases with one contact closed and no constraint, by far the most frequent ones: their
/// equations are derived when the model is prepared, with the contact's forces eliminated, and run
/// as one program each; their series, which take far longer, are made on first use. The general
/// way, through rows and complementarity, remains for all other phases and for states where this
/// elimination is not safe.
#ifndef CAROM_HYBRID_LONE_CONTACT_H
#define CAROM_HYBRID_LONE_CONTACT_H

#include "hybrid/phase_series.h"
#include "model/mechanics.h"

/// Conditions that a phase lasts by: the normal force of a contact that slips, the distances to
/// both edges of the cone of one that sticks.
enum { CAROM_LONE_MARGINS = 2, CAROM_LONE_SEEN = 12 };

/// A phase: rates and forces at a state, and the Taylor series of the motion and of the margins.
typedef struct carom_lone_phase {
  carom_program *program;   // NULL: the phase goes the general way
  carom_phase_later *later; // its own functions are the margins
  int margins;
} carom_lone_phase;

/// The phases of a model (constant), four per contact: stick, slip either way, closed without
/// friction.
typedef struct carom_lone_set {
  int count;
  carom_lone_phase *phases;
} carom_lone_set;

/// Work space of one simulation.
typedef struct carom_lone_work {
  double **registers;
  long *configured; // per phase: for which configuration its registers were set up
  double *values;   // outputs of its program
  // where they belong to: a state is often asked for again, by the series that starts from it or
  // the search for the end of a step
  struct {
    int phase; // -1: nowhere
    long configuration;
    double t, *y;
    bool safe;
  } at;
  const carom_phase_series **series; // per phase; NULL: no motion has come to it
  carom_phase_work *work;            // of the series
  // margins seen on the present step
  struct {
    double theta, margin[CAROM_LONE_MARGINS];
  } seen[CAROM_LONE_SEEN];
  int seen_count, seen_next;
  bool unsafe; // at some point of the step
} carom_lone_work;

carom_status carom_lone_compile(struct carom_hybrid_model *model, carom_arena *arena,
                                carom_error *error);
carom_status carom_lone_work_init(carom_lone_work *work, carom_arena *arena,
                                  const carom_lone_set *lone, int values, carom_error *error);

/// The rates of the present phase; false: not this way.
bool carom_lone_rates(struct carom_hybrid *it, double t, const double *y, double *dydt);
/// Its forces into contact.lambda, and the coefficient of friction; nothing where it is not safe.
void carom_lone_forces(struct carom_hybrid *it, double t, const double *y);

/// Makes what the present phase needs to go by its series.
carom_status carom_lone_prepare(struct carom_hybrid *it, carom_error *error);
/// The series of the present phase, or NULL.
const carom_phase_series *carom_lone_phase_series(const struct carom_hybrid *it);
/// Its work space.
carom_phase_work *carom_lone_phase_work(struct carom_hybrid *it);
/// Can the forces be eliminated at this state?
bool carom_lone_safe(struct carom_hybrid *it, double t, const double *y);
/// Its coefficients.
carom_status carom_lone_series(struct carom_hybrid *it, double t, const double *y, double *c);

/// How many margins the present phase has; 0: not this way.
int carom_lone_margin_count(const struct carom_hybrid *it);
/// Margin k on the dense output of the tried step, NaN where it is unsafe (which is noted).
double carom_lone_margin(struct carom_hybrid *it, int k, double theta);

/// What the series of the margins tell of the tried step.
typedef enum carom_lone_end {
  CAROM_LONE_LASTS,
  CAROM_LONE_ENDS,
  CAROM_LONE_UNKNOWN
} carom_lone_end;
/// Does the phase end in this step, and where (theta)?
carom_lone_end carom_lone_series_end(struct carom_hybrid *it, double *theta);

#endif
