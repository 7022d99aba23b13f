// SPDX-License-Identifier: MIT
/// The tangent evaluator of the event-driven engine.
///
/// Along a smooth phase Phi' = A(t, y) Phi with A the Jacobian of the phase's own equations. At an
/// instant where a function h(t, y) passes zero, the state jumps by y+ = R(t, y-) and the rate
/// changes from f- to f+, a neighbouring motion comes later by tau = -h_y Phi- / (h_t + h_y f-), so
/// that
///
///   Phi+ = R_y (Phi- + f- tau) + R_t tau - f+ tau
///
/// (Aizerman and Gantmakher 1958; Mueller 1995). R is differentiated along these ways alone: on
/// them the contact that lands is at the surface and one that was closed stays closed, as on the
/// neighbouring motion itself; any other way leads to other impacts, with jumps between. Slip that
/// ends in stick and plastic impacts need nothing of their own: there Phi loses its rank by itself.
#ifndef CAROM_HYBRID_TANGENT_H
#define CAROM_HYBRID_TANGENT_H

#include "carom/tangent.h"
#include "hybrid/hybrid.h"
#include "ode/variation.h"

typedef struct carom_tangent_modes carom_tangent_modes;
typedef struct carom_tape carom_tape;

/// Contacts that strike at one instant, met one after the other.
typedef struct carom_tangent_turns {
  long order;     // in which they are met; 0: that of the scenario
  bool noted;     // this instant is counted as piecewise
  int others;     // events of this instant that are no landings
  bool unlinked;  // contacts that strike leave each other as they are
  double *state;  // state and rates between two impacts
  double *matrix; // what the matrix becomes
} carom_tangent_turns;

/// Contacts whose modes of friction may change at the present instant, each at its own time.
typedef struct carom_tangent_parting {
  int count, contact[CAROM_MEETING_MOST];
  carom_contact_mode before[CAROM_MEETING_MOST];
  long piecewise;       // of the notes before the instant
  double *late, *parts; // of each: by how much later, and what rates change by [][size]
  const char *told;     // of what the observer is told now
} carom_tangent_parting;

/// What ends at the present instant.
typedef struct carom_tangent_ending {
  bool halts;  // a slip in space
  bool passes; // sliding on a surface: rates go on, and neighbours as they are
} carom_tangent_ending;

struct carom_tangent {
  int size;       // of the state
  bool active;    // the matrix is carried along
  bool inside;    // at an instant
  double *matrix; // [size][size]
  double *sizes;  // the largest that each state has been
  // of the present instant
  double *jump, *late;       // R_y (Phi- + f- tau) + R_t tau [size][size], tau [size]
  double *slope, slope_time; // h_y, h_t of the function that brought it about
  double *rate;              // f-
  double approach;           // h_t + h_y f-
  bool has_event;
  carom_tangent_ending ending;
  carom_status failed; // inside the instant
  carom_tangent_turns turns;
  carom_tangent_parting parting;
  carom_meeting meeting; // of the present instant
  carom_graze graze;
  carom_tangent_notes notes;
  carom_tangent_modes *modes;
  carom_tape *tape; // NULL: the matrix is carried along; else it is that of each instant alone
  double *margins;  // slopes of the two that end a mode of forces [2][size]
  double *room, *columns, *scratch; // work
};

// tangent.c: called by the running loop
/// May the next step go by series? Where derivatives are carried they must have one too.
bool carom_tangent_lets_series(carom_hybrid *it);
carom_status carom_tangent_step(carom_hybrid *it, carom_error *error); // before a commit
carom_status carom_tangent_before(carom_hybrid *it, int count, const carom_root *roots,
                                  carom_error *error);
carom_status carom_tangent_after(carom_hybrid *it, carom_error *error);
/// An impact, the end of chatter or a rule is about to move the state at this instant.
carom_status carom_tangent_strike(carom_hybrid *it, int pushing, carom_error *error);
void carom_tangent_rebounds(carom_hybrid *it); // a failure is told after the instant
carom_status carom_tangent_join(carom_hybrid *it, carom_error *error);  // a constraint appears
carom_status carom_tangent_creep(carom_hybrid *it, carom_error *error); // onto a surface
carom_status carom_tangent_rule(carom_hybrid *it, const carom_watched *watched, carom_error *error);

/// What a root means for the motion, the most decisive of several last; END: nothing.
carom_leg_event carom_tangent_decides(const carom_hybrid *it, const carom_root *root);
/// h_y and h_t of a watched function at y, into slope and slope_time.
void carom_tangent_watch_slope(carom_hybrid *it, int k, const double *y);

// tangent_order.c
/// Several contacts strike now: neighbours meet them one after the other. False: that is not what
/// happens, or the motion jumps between them, and the derivative along the instant itself is taken.
bool carom_tangent_in_turn(carom_hybrid *it);
/// What was found so takes its place, but for what changes the times of all of them alike.
void carom_tangent_take_turns(carom_hybrid *it);
enum { CAROM_STRIKE_ONE_MOST = 64 };
/// Contact k strikes alone, of at most so many that there are.
carom_status carom_tangent_strike_one(carom_hybrid *it, int k, double t, double *y,
                                      uint64_t *branch);

// tangent_together.c
/// Finds contacts whose modes of friction change at this instant, and when neighbours meet each.
void carom_tangent_part(carom_hybrid *it, int count, const carom_root *roots);
/// An observer is told of what happens to this from now on; NULL: of nothing.
void carom_tangent_tell(carom_hybrid *it, const char *name);
/// By how much later neighbours meet what happens to the contact of this name.
const double *carom_tangent_late_of(const carom_hybrid *it, const char *name);
/// The matrix behind the instant, each change at its own time; false: it is to be made of one.
bool carom_tangent_put_together(carom_hybrid *it);

// tangent_graze.c
/// A root that only touches zero: what becomes of neighbours that cross it.
carom_status carom_tangent_graze(carom_hybrid *it, int count, const carom_root *roots,
                                 carom_error *error);

// tangent_tape.c
/// A step is kept, before its commit. CAROM_ERR_LIMIT: there is no memory.
carom_status carom_tape_step(carom_hybrid *it, carom_error *error);
/// An instant begins: its matrix is to be that of the directions in which neighbours may be, which
/// keep closed contacts closed.
carom_status carom_tape_begin(carom_hybrid *it, carom_error *error);
/// May the impact that comes now be kept? Of several contacts that strike at once only if none
/// changes the velocities of the others: else its matrix would be that of no neighbour. After a
/// slow one the matrix is carried along to the next instant, see carom_tape_carries().
bool carom_tape_takes(carom_hybrid *it);
bool carom_tape_carries(const carom_tape *tape);
/// Is more kept than may be? Then the motion halts.
bool carom_tape_brims(const carom_hybrid *it);
carom_status carom_tape_refuse(const carom_hybrid *it, carom_error *error);
/// The matrix is kept, where it is not the identity, and becomes that; nothing without a tape.
void carom_tape_matrix(carom_tangent *tangent);
void carom_tape_destroy(carom_tape *tape); // NULL is legal

// tangent_modes.c: Jacobians of phases, derived on first use
carom_status carom_tangent_modes_create(carom_hybrid *it, carom_tangent_modes **modes,
                                        carom_error *error);
void carom_tangent_modes_destroy(carom_tangent_modes *modes);
/// Chooses the equations of the modes in force for carom_tangent_slopes, at a state in which they
/// are; false: by differences.
bool carom_tangent_modes_choose(carom_hybrid *it, double t, const double *y);
/// The series of their Jacobian, or NULL.
const carom_slope_series *carom_tangent_series(const carom_hybrid *it);
/// What the Jacobian is off by, of its size.
double carom_tangent_noise(const carom_hybrid *it);
/// What a step by Runge-Kutta needs to know of the phase.
carom_variation_task carom_tangent_task(carom_hybrid *it);
carom_status carom_tangent_slopes(void *ctx, double t, const double *y, double *A);
/// Which entries of the Jacobian are not zero, where the equations tell.
void carom_tangent_entries(const carom_hybrid *it, carom_variation_task *task);

// tangent_difference.c
/// A function of (t, y) with `count` outputs; `branch` tells smooth pieces apart.
typedef struct carom_tangent_map {
  carom_hybrid *it;
  const void *which;
  int count;
  bool shifts; // cyclic coordinates come out as they go in and change nothing else
  carom_status (*value)(const struct carom_tangent_map *map, double t, const double *y, double *out,
                        uint64_t *branch);
} carom_tangent_map;

/// Derivatives at (t, y) by central differences of order 4, steps chosen so that their error is
/// least: D is count x size, D_time count (nullable). `one_sided` counts columns with a kink.
carom_status carom_tangent_difference(const carom_tangent_map *map, double t, const double *y,
                                      double *D, double *D_time, long *one_sided);
/// The same along one direction of state and time alone: `count` numbers.
carom_status carom_tangent_along(const carom_tangent_map *map, double t, const double *y,
                                 const double *direction, double time, double *out,
                                 long *one_sided);
/// The same along every column of `ways` [size][size], each with its time, in place; the map has as
/// many outputs.
carom_status carom_tangent_along_all(const carom_tangent_map *map, double t, const double *y,
                                     double *ways, const double *late, long *one_sided);

#endif
