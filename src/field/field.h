// SPDX-License-Identifier: MIT
/// The engine of rigid and soft affine bodies in short-range surface fields.
///
///   places p = p0 + F x, x from the mass centre; rigid: F = R, a rotation; soft: det F = 1
///   m p0'' = m g + f,            f = int q dA
///   rigid:  (I omega)' = int (R x) x q dA
///   soft:   F'' J = M - vol S,   M = int q x^T dA,   J = int rho x x^T dV
///
/// q is the sum of the fields over all supports, in powers of the distance d, so that f, M and all
/// works are made of the moments of d^-nu over the surface (body.h).
#ifndef CAROM_FIELD_FIELD_H
#define CAROM_FIELD_FIELD_H

#include "engine/settings.h"
#include "engine/window_tally.h"
#include "field/body.h"
#include "ode/implicit.h"
#include "ode/root.h"
#include "ode/stepper.h"
#include "symbolic/program.h"

enum {
  CAROM_FIELD_MAX_TERMS = 2 * CAROM_FIELD_MAX_LAWS,
  CAROM_FIELD_MAX_SIZE = 96 // of the state with its energy integrals
};

typedef enum carom_term_kind {
  CAROM_TERM_NORMAL,
  CAROM_TERM_DAMPING,
  CAROM_TERM_FRICTION
} carom_term_kind;

/// One power of the distance: coefficient d^-nu along the normal, or times a part of the velocity.
typedef struct carom_field_term {
  carom_term_kind kind;
  double nu;
  double coefficient;
  unsigned supports;
  uint64_t faces;
  bool conservative;
  int law; // of the scenario
} carom_field_term;

/// Terms that share their moments.
typedef struct carom_field_group {
  double nu;
  int order;
  uint64_t faces;
  unsigned supports;
  int first, count; // terms
  bool fixed;       // nu = 0 of a rigid body: the moments never change
  bool pressure;    // soft, with a force along the normal: a change of area counts
  carom_moments moments;
} carom_field_group;

/// What a support saw last, and the moments of every group then. Columns of a Jacobian that move
/// nothing across the support, velocities above all, find them here.
typedef struct carom_field_memory {
  bool valid;
  double offset, slope[3], cofactor[9];
  carom_moments *moments;  // of every group
  double (*directions)[6]; // of groups with pressure
} carom_field_memory;

/// Outputs of the program of laws of one's own whose zeros are kinks of a law.
typedef struct carom_field_kinks {
  int first, count;
} carom_field_kinks;

/// A law of the user's own, with the program that computes it.
typedef struct carom_field_own {
  unsigned supports;
  uint64_t faces;
  int normal, tangential; // outputs of the program, or -1
  int law;                // of the scenario
  bool still;             // velocities are not looked at
  carom_field_kinks kinks;
} carom_field_own;

typedef struct carom_support_now {
  double normal[3], height, velocity[3]; // height: of the plane along its normal
} carom_support_now;

/// Energy integrals behind the state, as places among them, -1: none. Of every law what it takes
/// beyond its potential, and what its moving supports do through it.
typedef struct carom_field_integrals {
  int count;
  int taken[CAROM_FIELD_MAX_LAWS], driven[CAROM_FIELD_MAX_LAWS];
  int viscous, mass;
} carom_field_integrals;

/// A scenario prepared for running; constant.
typedef struct carom_field_model {
  const carom_scenario *scenario;
  const carom_field_description *field;
  int n, m, size; // coordinates, states, 2n + m
  int dimension;
  int column_count;
  const char **columns;
  carom_field_integrals integrals;
  int work_count;
  const char **works; // names: gravity, every law, elasticity, viscosity, mass
  // programs over t, parameters and centre: supports and mass; and laws of one's own
  carom_program *drive, *own;
  int own_count;
  carom_field_kinks *own_kinks; // of every law of one's own
  // over t, q, u, z, parameters, centre, accelerations: definitions, triggers, conditions, followed
  carom_program *seen;
  int triggers, conditions, followed, assignments; // first output of each group
  int watched_count;                               // sections, stops, events
  bool forces_seen;  // a trigger or a followed quantity uses accelerations
  bool forces_shown; // a definition does
  int input_count;   // 1 + size + parameters + 3 + n
} carom_field_model;

/// Everything that the parameters decide.
typedef struct carom_field_numbers {
  double start, until, sample, rtol, atol, h_max, window_start, window_end;
  bool follows;              // samples follow the motion, `sample` apart at most
  bool hold;                 // energy is put right after every step
  double gravity[3], weight; // weight: mass times gravity
  double c10, c01, viscosity;
  int term_count, group_count, own_count;
  carom_field_term terms[CAROM_FIELD_MAX_TERMS];
  carom_field_group groups[CAROM_FIELD_MAX_TERMS];
  carom_field_own own[CAROM_FIELD_MAX_LAWS];
  double inertia[9], inertia_inverse[9]; // rigid, in the body
  double euler[9], euler_inverse[9];     // in the body; the unused direction of the plane is 1
} carom_field_numbers;

/// What the fields do to a body at an instant.
typedef struct carom_loads {
  double force[3], moment[9];             // f and M
  double least;                           // distance
  double factor[2];                       // of the mass, and its rate
  double taken[CAROM_FIELD_MAX_LAWS];     // power lost to a law beyond its potential
  double driven[CAROM_FIELD_MAX_LAWS];    // power of moving supports through a law
  double potential[CAROM_FIELD_MAX_LAWS]; // of a law; only where asked for
} carom_loads;

/// Where the body is and how it moves.
typedef struct carom_pose {
  double place[3], velocity[3];
  double F[9], G[9]; // G = F'
} carom_pose;

/// Kinetic energy and all that is stored, with its parts.
typedef struct carom_field_energy {
  double kinetic, potential;
  double gravity, elastic, law[CAROM_FIELD_MAX_LAWS];
} carom_field_energy;

/// What moves: saved and restored as one block, together with `y` and the tallies.
typedef struct carom_field_moving {
  double t, h;
  long next_sample, instant;
  double sampled_at; // where samples follow the motion: the time of the last one
  carom_certificate certificate;
  carom_field_energy start;
  double energy_scale;
  double least;         // smallest distance at a step's end
  bool implicit, asked; // asked: an observer wants to stop
  bool jumped;          // a rule has changed the state, and reducers have seen no step since
  bool going;           // the stepper in use stands at (t, y) and knows how to go on
  double h_checked;     // the step when stiffness was looked at; 0: never
  int since_check, since_feel, stalled;
  double last_instant; // when a rule was last met
  double det_error;
} carom_field_moving;

/// Where the function of a section, stop or event stands.
typedef struct carom_field_watch {
  double width; // how exactly it is known
  double value; // scratch
  int side;     // of zero it is on; 0: unknown
  bool served;  // it has just been crossed
  // of the instant being dealt with
  double slope;  // its change over a moment
  double before; // its value before the last change of the state
  int from;      // and its side
  bool acted;    // its event made that change, with others
} carom_field_watch;

/// Steppers; one of them is in use.
typedef struct carom_field_steppers {
  carom_stepper plain;
  carom_implicit stiff;
} carom_field_steppers;

/// What goes to an instant that is met beside a step, and the state where that step begins.
typedef struct carom_field_aside {
  carom_field_steppers steppers;
  double *y;
} carom_field_aside;

/// What is looked for along steps.
typedef struct carom_field_watching {
  carom_field_watch *watch;
  carom_root_watch *root_watch;
  carom_root *roots;
  double from; // of the tried step: behind it crossings are looked for
  carom_field_aside beside;
} carom_field_watching;

/// Registers of programs of the scenario.
typedef struct carom_field_registers {
  double *drive, *own, *seen;
} carom_field_registers;

/// What the steppers remember from step to step. The one that rests remembers, too, how it went
/// last.
typedef struct carom_field_kept {
  int count;
  double *numbers;
} carom_field_kept;

/// One motion.
typedef struct carom_field {
  const carom_field_model *model;
  carom_simulation *simulation;
  carom_body body;
  carom_field_numbers numbers;
  carom_field_moving now;
  int size; // with quadratures
  double *y, *rate, *scratch, *after;
  carom_field_watching watching;
  const double *sampled; // the state of the last sample; valid while it is handed out
  carom_tally *tallies;
  carom_settings
      settings; // start_given: the state, then when the run begins, in place of run.start
  carom_field_registers registers;
  double *sample_values;
  double *distances;          // of corners, for a sight
  carom_field_memory *memory; // of every support
  double (*corners)[3];
  carom_field_steppers steppers;
  carom_field_kept kept;
} carom_field;

// field_engine.c
/// Begins the run, as the scenario and what was set have it.
carom_status carom_field_start_run(carom_field *it, carom_error *error);
bool carom_field_conservative(const carom_model *model);
// field_model.c
carom_status carom_field_prepare(carom_model *model, carom_error *error);
// field_numbers.c
carom_status carom_field_configure(carom_field *it, carom_error *error);
// field_start.c
carom_status carom_field_begin(carom_field *it, carom_error *error);
/// Refuses a start behind a support, and says where the body would be clear of all.
carom_status carom_field_check_start(carom_field *it, carom_error *error);
// field_loads.c
/// The supports at time t; also the mass factor and its rate.
void carom_field_supports(carom_field *it, double t, carom_support_now *supports, double factor[2]);
/// CAROM_ERR_NONFINITE when the body is not wholly above every support. With `potential` laws of
/// one's own are left out: who asks for energies does not want their forces.
carom_status carom_field_loads(carom_field *it, double t, const carom_pose *pose, bool potential,
                               carom_loads *loads);
/// The least distance of the body to any support.
double carom_field_distance(carom_field *it, const carom_pose *pose,
                            const carom_support_now *supports);
// field_own.c
void carom_field_own_loads(carom_field *it, double t, const carom_pose *pose, int support,
                           const carom_support_now *now, const carom_sight *sight,
                           carom_loads *loads);
// field_motion.c
carom_status carom_field_rhs(void *ctx, double t, const double *y, double *dydt);
void carom_field_pose(const carom_field *it, const double *y, carom_pose *pose);
carom_status carom_field_energy_at(carom_field *it, double t, const double *y,
                                   carom_field_energy *energy);
/// Brings a soft body back to det F = 1; false when nothing had to be done.
bool carom_field_project(carom_field *it, double *y, double *error);
/// CAROM_ERR_LIMIT when a soft round body is stretched beyond what its surface integrals can
/// follow.
carom_status carom_field_check_shape(const carom_field *it, carom_error *error);
// field_flow.c
carom_status carom_field_advance(carom_field *it, double t_end, bool to_event, carom_error *error);
carom_status carom_field_restart(carom_field *it, double h, carom_error *error);
/// Moves what the steppers have counted to the certificate.
void carom_field_note_counts(carom_field *it);
/// The steppers are told the tolerances of the numbers.
void carom_field_take_tolerances(carom_field *it);
/// State and rates at theta of the tried step, whose dense output must be there; returns the time.
double carom_field_along(carom_field *it, double theta, double *y, double *rate);
/// The rates at (t, y) where accelerations are looked at: dense output knows those poorly.
void carom_field_true_rates(carom_field *it, double t, const double *y, double *rate);
// field_through.c
/// After a step that could not be made: says so where the body has met a support, and with which
/// face. Returns `status`; where that is not the reason, `error` is left as it is.
carom_status carom_field_explain_through(carom_field *it, carom_status status, carom_error *error);
// field_crossing.c
/// Where the functions stand at the start of a run.
void carom_field_watch_start(carom_field *it);
/// Finds the first crossings along the tried step behind watching.from, `count` of them, at theta
/// (1: the end).
carom_status carom_field_cross(carom_field *it, int *count, double *theta, carom_error *error);
/// Is there an event, by which the motion changes, among them?
bool carom_field_meets_event(const carom_field *it, int count);
/// After a step: now and then, how exactly the functions are known is found out anew.
void carom_field_watch_step(carom_field *it);
/// What the `count` crossings found do at the state where the step ended.
/// A stop that holds where the motion starts: told, and the motion does not set off.
bool carom_field_stops_at_start(carom_field *it);
carom_status carom_field_instant(carom_field *it, int count, bool *happened, bool *stop,
                                 carom_error *error);
// field_beside.c
/// From the beginning of the tried step to a time within it, by steppers of their own, so that the
/// state there is as exact as those at the ends of steps; `y` is theirs.
carom_status carom_field_go_to(carom_field *it, double t, const double **y, carom_error *error);
/// The same for crossings of sections and stops at a time within the tried step, which is not
/// touched.
carom_status carom_field_beside(carom_field *it, double t, int count, bool *happened, bool *stop,
                                carom_error *error);
// field_seen.c
void carom_field_look(carom_field *it, double t, const double *y, const double *rate);
double carom_field_output(const carom_field *it, int k);
void carom_field_fill_sample(carom_field *it, double t, const double *y);
// field_tally.c
typedef void (*carom_field_dense)(carom_field *it, double theta, double *y, double *rate);
void carom_field_tally_step(carom_field *it, double t, double h, carom_field_dense dense);
void carom_field_tally_event(carom_field *it, const char *name);
carom_status carom_field_observable(carom_field *it, int k, double *value, carom_error *error);
/// The first of the scenario's regimes whose condition holds, or NULL.
carom_status carom_field_regime(carom_field *it, const char **name, carom_error *error);
// field_place.c, entries of the engine
carom_status carom_field_place(carom_simulation *simulation, double t, const double *y,
                               uint64_t closed, carom_error *error);
carom_status carom_field_change(carom_simulation *simulation, const char *name, double value,
                                carom_error *error);
const double *carom_field_rates(const carom_simulation *simulation);
int carom_field_held(const carom_simulation *simulation);
uint64_t carom_field_closed(const carom_simulation *simulation);
carom_status carom_field_turn(carom_simulation *simulation, char *text, size_t room,
                              carom_error *error);
double carom_field_period(const carom_simulation *simulation);
bool carom_field_autonomous(carom_simulation *simulation);
bool carom_field_cyclic(const carom_model *model, int k);
int carom_field_shifts(const carom_model *model, int most, double *weights);
// field_ledger.c
carom_status carom_field_certificate(carom_field *it, carom_certificate *certificate,
                                     carom_error *error);

#endif
