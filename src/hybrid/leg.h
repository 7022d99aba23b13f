// SPDX-License-Identifier: MIT
/// Words held fixed, in the event-driven engine: legs are noted while a motion runs, and run in
/// modes that nothing ends.
#ifndef CAROM_HYBRID_LEG_H
#define CAROM_HYBRID_LEG_H

#include "hybrid/hybrid.h"

/// The mode of contact k in a leg.
enum { CAROM_MODE_BITS = 3, CAROM_MODE_MASK = 7 };
static inline carom_contact_mode carom_leg_mode(const carom_leg *leg, int k) {
  return (carom_contact_mode)(leg->modes >> (CAROM_MODE_BITS * k) & CAROM_MODE_MASK);
}

/// The legs of a motion so far.
typedef struct carom_leg_log {
  bool on;
  const char *reason; // why they make no word that can be fixed; NULL: they do
  int count;
  carom_leg legs[CAROM_MOST_LEGS];
  double times[CAROM_MOST_LEGS], *states; // of events: when, and the state behind them
  // the instant being dealt with
  bool decided; // something ends a phase
  carom_leg now;
  int strikes;
} carom_leg_log;

/// One motion's room for legs, made on first use.
struct carom_leg_work {
  carom_leg_log log;
  carom_stepper stepper; // its time runs backwards in legs that do
  int sign;
  double *room, *sizes;                // of the variational equation; the largest of each state
  double *start, *end, *point;         // states with their quadratures
  double *low, *high, *edge;           // of margins: lowest, largest, at the start
  double *looked, *previous, *refined; // being looked at, at two looks before, at points between
  double speed, misfit;                // see carom_leg_run
  carom_leg_margin comes_out;          // of the last impact whose outcome is held
};

/// A look at a tried step of the leg's stepper, with its dense output; true: the last one.
typedef carom_status (*carom_leg_look)(void *ctx, carom_hybrid *it, bool last);

// strike.c
/// The outcome of the impact that has just been solved becomes that of the leg, if it can be held.
void carom_hybrid_note_outcome(const carom_hybrid *it, const carom_impact_result *result,
                               carom_leg *leg);

// leg_note.c
carom_status carom_leg_room(carom_hybrid *it, carom_error *error);
carom_status carom_leg_note(carom_simulation *simulation, carom_error *error);
bool carom_leg_closes(const carom_simulation *simulation, const carom_leg *first,
                      const carom_leg *last);
carom_status carom_leg_noted(carom_simulation *simulation, int *events, carom_leg *legs,
                             const double **times, double **states, carom_error *error);

// leg_run.c
carom_status carom_leg_stepper(carom_hybrid *it, carom_leg_work *work, carom_error *error);
/// The contact modes and branches of the leg are in force.
void carom_leg_take(carom_hybrid *it, const carom_leg *leg);
/// Carries `y` (with quadratures) and the matrix (or NULL) from t0 to t1 in the modes in force.
carom_status carom_leg_flow(carom_hybrid *it, double t0, double t1, double *y, double *matrix,
                            carom_leg_look look, void *ctx, carom_error *error);
carom_status carom_leg_enter(carom_simulation *simulation, const carom_leg *leg, double t,
                             double *y, double *matrix, int *held, carom_error *error);
carom_status carom_leg_go(carom_simulation *simulation, const carom_leg *leg, const carom_leg *next,
                          double t0, double t1, const double *y, carom_leg_run *out,
                          carom_error *error);

#endif
