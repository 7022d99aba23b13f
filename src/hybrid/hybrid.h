// SPDX-License-Identifier: MIT
/// The event-driven engine: smooth flow between events, modes that change only at events.
#ifndef CAROM_HYBRID_HYBRID_H
#define CAROM_HYBRID_HYBRID_H

#include "engine/engine.h"
#include "engine/settings.h"
#include "engine/window_tally.h"
#include "engine/word.h"
#include "hybrid/compliant.h"
#include "hybrid/contacts.h"
#include "hybrid/hybrid_model.h"
#include "hybrid/instant.h"
#include "hybrid/lone_contact.h"
#include "hybrid/looking.h"
#include "hybrid/run_numbers.h"
#include "hybrid/sampling.h"
#include "hybrid/watch.h"
#include "model/dynamics.h"
#include "ode/nearness.h"
#include "ode/root.h"
#include "ode/stepper.h"

/// What is learned of a watched function during a run.
typedef struct carom_watch_memory {
  int flat_steps;  // how many steps it has stayed at zero
  long told;       // the step at which it was last told to be flat; 0: never
  double rounding; // where it is rounding alone: how wide
} carom_watch_memory;

/// How contact forces stand to their laws.
typedef enum carom_forces_standing {
  CAROM_FORCES_HOLD,
  CAROM_FORCES_BROKEN,  // other modes are asked for at once
  CAROM_FORCES_ENDURED, // they were, and none were found: not asked again before the modes end anew
} carom_forces_standing;

/// Why contacts are asked for their modes.
typedef enum carom_contact_cause {
  CAROM_CAUSE_MOTION,     // they land, halt, or their surroundings change
  CAROM_CAUSE_FORCES_END, // contact forces leave the laws of their modes
  CAROM_CAUSE_NO_STEP     // no step leads on in their modes, however short
} carom_contact_cause;

/// How instants follow each other: see pace.c.
typedef struct carom_pace {
  long since_progress; // instants at the same time
  long since_moved;    // of these, the last ones that changed nothing
  long since_looked;   // the same of instants that are met beside one step
  // a rule of time alone that has come so often at an even spacing, and when it came last
  int function;
  long times;
  double spacing, at;
  // when the last of each ten thousand instants was
  double crowd;
} carom_pace;

/// A run that was stopped within a step, which is made anew by the next advance: see beside.c.
typedef struct carom_paused {
  bool held;
  double h;  // the step that error control wanted there
  long told; // its instants, from its beginning on, that have been told already
} carom_paused;

/// What the energy ledger is kept by.
typedef struct carom_books {
  double energy_reference;
  double energy_scale; // largest kinetic energy met, looked at every few steps
  double store_start;  // of the drives, see carom_energy
  double drive_jumps;  // work of moving surfaces in impacts
} carom_books;

/// How far the run has come.
typedef struct carom_stage {
  bool started, finished;
  bool untold;   // what happened at the start has not been told to observers
  bool settling; // a contact is on its way to the accumulation of its bounces
  bool asked;    // an observer wants to stop
} carom_stage;

/// How contacts stood where the last step ended.
typedef struct carom_standing {
  double deepest;               // penetration of an open contact, in tolerances of its gap
  carom_forces_standing forces; // how contact forces stand to their laws
  bool untried; // modes hold at an instant; no step has shown yet that they last: see edge.c
} carom_standing;

/// How many jumps a motion can slide on at once, and the corners where they meet.
enum { CAROM_MOST_SURFACES = 3, CAROM_SURFACE_CORNERS = 1 << CAROM_MOST_SURFACES };
/// Branches whose jumps the motion slides on.
typedef struct carom_slid {
  int count, which[CAROM_MOST_SURFACES];
  bool second; // the only one, which the jump acts on by the second derivative
} carom_slid;

/// What moves: saved, restored and cloned as one block of plain data, together with `y` and
/// `modes`.
typedef struct carom_moving {
  double t, h, grow; // grow and by_series: the stepper's, see stepper.h
  bool by_series;
  double stride; // what steps of Runge-Kutta are like lately, before events cut them
  carom_sampled sampled;
  long instant; // event instants so far
  carom_pace pace;
  carom_paused paused;
  double last_impact; // the time of the last impact, or the start
  long strikes;       // impacts so far, each of one contact or more
  carom_certificate certificate;
  carom_books books;
  carom_stage stage;
  carom_standing standing;
  carom_slid slid;
  carom_word word;
} carom_moving;

typedef struct carom_tangent carom_tangent;           // see tangent.h
typedef struct carom_motion_lanes carom_motion_lanes; // see motion_lanes.c
typedef struct carom_leg_work carom_leg_work;         // see leg.h

/// What is met beside the steps: see beside.c.
typedef struct carom_beside {
  bool on;                       // in the present step
  carom_stepper stepper;         // makes the step from the beginning of the tried one to an instant
  carom_looking looking;         // evaluates at that instant
  struct carom_pending *pending; // per function met beside: where it is met next
  carom_root *roots;             // of an instant
  double *weight;
  // the step's beginning, to which a run returns that was stopped within it
  double h_next, grow;
  bool by_series;
  long uncommon[CAROM_UNCOMMON_COUNT];
  bool keeps;   // somebody may want to stop
  char *ground; // its parts, one behind the other
  size_t ground_size;
} carom_beside;

/// What is looked for along steps.
typedef struct carom_watching {
  carom_watch_work *work;
  carom_root_watch *watch;
  carom_watch_memory *memory;
  carom_root *roots;        // found on the present step
  carom_narrow_work narrow; // of forces that may be narrower than a step
  bool looks;               // there is something to look for on the dense output
  carom_solids solids;
  carom_patches patches;
} carom_watching;

/// Per contact, what the integrator can tell from zero.
typedef struct carom_contact_tolerance {
  double *gap, *speed, *slip;
} carom_contact_tolerance;

/// For whoever looks on.
typedef struct carom_observing {
  carom_watch_work *follow_work;
  carom_watch_work **kink_work; // per followed quantity: of its kinks
  double *probe_registers, *sample_values, *seen_registers, *apart_registers;
  carom_sampler sampler;
  carom_looking looking; // at contact forces
  bool muted;            // observers are not told: they will be when the motion sets off
  bool unobserved;       // nobody will ask for what reducers find, nor for sections
} carom_observing;

/// A start that is fitted to its constraints.
typedef struct carom_fitting {
  carom_error misfit; // why the motion cannot set off; status 0: it can
  double *numbers;
  int *order;
} carom_fitting;

/// Room for a moment's work: nothing in it outlasts the function that uses it.
typedef struct carom_room {
  double *weight, *scratch, *impulse, *square;
  double *turning; // of coordinates with given rates: G, or the invariants
  int *order;
  double *limit_registers; // of compliant contacts
  carom_interval *box;     // states that cannot be told from one, per component
} carom_room;

/// Jumps that the motion slides on, evaluated at a state: see surfaces.c.
typedef struct carom_surfaces {
  int count, which[CAROM_MOST_SURFACES]; // branches; 0 while the rates of a corner are evaluated
  bool second;                           // see carom_slid
  double *corner;                        // rates at the corners
  double speed[CAROM_MOST_SURFACES][CAROM_SURFACE_CORNERS];
  double share[CAROM_MOST_SURFACES];      // of the plus side of each
  int known, before[CAROM_MOST_SURFACES]; // when the instant began
  bool not_unique;                        // another combination would stay there too
} carom_surfaces;

/// Phases with programs of their own.
typedef struct carom_phases {
  carom_surfaces surfaces; // sliding on jumps
  carom_phase_work free;
  carom_lone_work lone;
} carom_phases;

/// Those who ask more of a motion than to run; NULL: nobody does.
typedef struct carom_clients {
  carom_tangent *tangent;    // derivatives
  carom_motion_lanes *lanes; // of the motions it leads
  carom_leg_work *leg;       // a word held fixed
} carom_clients;

/// One motion.
struct carom_hybrid {
  const carom_hybrid_model *model;
  carom_simulation *simulation;
  carom_settings settings; // start_given: y, then the time and the closed contacts of a run that
                           // goes on, then whether chatter piles up
  carom_run_numbers run;
  // the state
  carom_moving now;
  int size;  // of y with quadratures
  double *y; // q, u, z, energy integrals
  double *modes;
  carom_contact_memory *memory; // of every contact
  carom_tally *tallies;
  // its evaluation
  carom_dynamics_work work;
  carom_contact_evaluation contact;
  carom_phases phases;
  long configuration; // counts changes of parameters and modes
  // steps, and what is looked for along them
  carom_stepper stepper;
  carom_watching watching;
  carom_contact_tolerance tolerance;
  carom_instant instant; // being dealt with
  double *before, *rate; // of the instant, or of a sample: the state before it, and its rates
  carom_beside beside;
  carom_observing observing;
  carom_fitting fitting;
  carom_room room;
  carom_clients clients;
};

/// A way that few motions need is counted, for the certificate.
static inline void carom_hybrid_count(carom_hybrid *it, carom_uncommon which) {
  it->now.certificate.counts.uncommon[which]++;
}

/// Is watched function k none that anybody asks for?
static inline bool carom_hybrid_ignores(const carom_hybrid *it, int k) {
  return it->observing.unobserved && it->model->watched[k].observes;
}

/// Is watched function k met beside the step?
static inline bool carom_met_beside(const carom_hybrid *it, int k) {
  return it->beside.on && it->model->watched[k].beside;
}

/// Of a step that ends at a root: a step has a length.
#define CAROM_SHORTEST_PART 1e-12

// hybrid_model.c
carom_status carom_hybrid_prepare(carom_model *model, carom_error *error);
carom_status carom_hybrid_derive_mechanics(carom_arena *arena, const carom_scenario *scenario,
                                           carom_mechanics **mechanics, carom_error *error);
// drive.c
carom_status carom_drive_prepare(carom_hybrid_model *model, carom_arena *arena, carom_error *error);
double carom_drive_period(const carom_hybrid *it, carom_error *error); // 0: there is none
// common_shift.c
/// See carom_model_shifts.
int carom_hybrid_shifts(const carom_model *model, int most, double *weights);
/// See carom_model_angle.
bool carom_hybrid_angle(const carom_model *model, int k);
/// A coordinate that a contact law or a rule depends on is not cyclic either.
void carom_hybrid_keep_cyclic(carom_hybrid_model *model);
// mirror.c
carom_status carom_hybrid_mirrors(const carom_simulation *simulation, carom_reflection *mirrors,
                                  int *count, carom_error *error);
/// A copy is put there, in the branches of that state; false: it has no values.
bool carom_hybrid_stand_at(carom_hybrid *it, double t, const double *y);
// hybrid.c
/// Observers are told of what happens there when the motion sets off.
carom_status carom_hybrid_start(carom_hybrid *it, carom_error *error);
carom_status carom_hybrid_tell_start(carom_hybrid *it, carom_error *error);
/// How contact k is when a motion starts: 0 to be found out, or closed (below).
double carom_hybrid_starts(const carom_hybrid *it, int k);
/// It was before a change of parameters: it goes with the surface, unless that moved away from it.
#define CAROM_STARTS_CLOSED 1.0
/// An analysis says so of a state that it made up: brought there from either side.
#define CAROM_STARTS_HELD 2.0
carom_status carom_hybrid_make(carom_simulation *simulation, carom_error *error);
int carom_hybrid_start_count(const carom_hybrid_model *model); // of settings.start_given
void carom_hybrid_take_tolerances(carom_hybrid *it);           // of the run, for its steps
void carom_hybrid_configure(carom_hybrid *it); // after a change of parameters or modes
void carom_hybrid_configure_rates(carom_hybrid *it);
/// The same for a program over the inputs of the dynamics.
void carom_hybrid_set_up(const carom_hybrid *it, const carom_program *program, double *registers);
// evaluate.c
/// Solves G x = b on `count` rows of a matrix over all rows: those in `list`, or the first ones
/// (NULL). x is b, then the solution of least norm. Returns how many of the rows are independent.
int carom_hybrid_solve_rows(carom_hybrid *it, const double *G, int count, const int *list,
                            double *x);
// state.c
void carom_state_take(carom_hybrid *it, const double *y);     // with its quadratures
void carom_state_clock(carom_hybrid *it, double t, double h); // h: the length of the next step
void carom_state_put(carom_hybrid *it, int component, double value);
/// The side of branch k, or a number that a compliant contact remembers, until it is configured.
void carom_state_mode(carom_hybrid *it, int k, double mode);
// flow.c
void carom_hybrid_note_stepper(carom_hybrid *it); // how it would go on, to be saved
// saving.c
carom_status carom_hybrid_save(const carom_simulation *simulation, void *buffer, size_t *size,
                               carom_error *error);
carom_status carom_hybrid_restore(carom_simulation *simulation, const void *buffer, size_t size,
                                  carom_error *error);
/// See carom_engine_lent.
carom_status carom_hybrid_ready_to_lend(carom_model *model, carom_error *error);
carom_status carom_hybrid_lend(carom_simulation *simulation, void *buffer, size_t *size,
                               carom_error *error);
carom_status carom_hybrid_take(carom_simulation *simulation, const void *buffer, size_t size,
                               carom_error *error);
// programs.c
void carom_hybrid_programs(const carom_model *model, void *ctx,
                           void (*visit)(void *ctx, const carom_program *program));
/// Of contact k, to see what would be; whoever takes it lists what is closed (closing.c).
void carom_hybrid_take_mode(carom_hybrid *it, int k, carom_contact_mode mode);

// evaluate.c: the contacts at a state, in the modes that memory has
/// After a change of modes: which contacts are closed, and which rows are held.
void carom_hybrid_list_closed(carom_hybrid *it);
carom_status carom_hybrid_evaluate_rows(carom_hybrid *it, double t, const double *y);
/// An impulse along a row changes the speeds of y, with the rows as last evaluated.
void carom_hybrid_add_impulse(const carom_hybrid *it, int row, double impulse, double *y);
/// Coefficients of all contacts at a state whose rows have just been evaluated.
void carom_hybrid_coefficients(carom_hybrid *it, double t, const double *y);
/// The closed contacts there as a problem.
carom_contact_problem carom_hybrid_contact_problem(carom_hybrid *it);
/// Its solution into contact.lambda; `margin` asks for contact.margin. True: it is admissible.
bool carom_hybrid_forces(carom_hybrid *it, double t, const double *y, bool margin);
// rates.c
carom_status carom_hybrid_rhs(void *ctx, double t, const double *y, double *dydt);
/// Taylor coefficients of free motion and of phases with one contact closed, for the stepper.
carom_status carom_hybrid_series(void *ctx, double t, const double *y, double *c);
carom_status carom_hybrid_explain(carom_hybrid *it, carom_status status, double t, const double *y,
                                  carom_error *error);
carom_status carom_hybrid_no_value(carom_hybrid *it, const carom_watched *watched, double t,
                                   const double *y, carom_error *error);
// project.c
/// Are there directions of the state that constraints, contacts or invariants forbid?
bool carom_hybrid_forbids(const carom_hybrid *it);
carom_status carom_hybrid_assemble(carom_hybrid *it, double t, double *y, carom_error *error);
/// Brings positions alone to where the rows in contact.held_position are zero.
carom_status carom_hybrid_reach(carom_hybrid *it, double t, double *y);
carom_status carom_hybrid_settle(carom_hybrid *it, double t, double *y, bool *changed,
                                 carom_error *error);
// fit.c
size_t carom_fit_room(const carom_hybrid_model *model); // numbers
/// The mass matrix at the start.
carom_status carom_hybrid_mass(carom_hybrid *it, double *M);
/// Refuses a start that breaks a constraint; rates that are not written follow from them.
carom_status carom_hybrid_fit_start(carom_hybrid *it, carom_error *error);
/// After a change of the state that was no motion: refuses one that breaks a constraint.
carom_status carom_hybrid_check_constraints(carom_hybrid *it, carom_error *error);
// flow.c
/// A time over which the motion changes little [s].
double carom_hybrid_time_scale(const carom_hybrid *it);
/// An advance on its way, step by step, so that several motions can be advanced in turns.
typedef struct carom_advance {
  double t_end;
  bool to_event;
  carom_status status;
  bool stop, met; // the run is over; an event was met
} carom_advance;
carom_advance carom_hybrid_advance_begin(carom_hybrid *it, double t_end, bool to_event);
bool carom_hybrid_advance_more(const carom_hybrid *it, const carom_advance *way);
void carom_hybrid_advance_step(carom_hybrid *it, carom_advance *way, carom_error *error);
carom_status carom_hybrid_advance_end(carom_hybrid *it, const carom_advance *way);
/// All of that at once.
carom_status carom_hybrid_advance(carom_hybrid *it, double t_end, bool to_event,
                                  carom_error *error);
// motion_lanes.c
int carom_hybrid_lanes(const carom_model *model);
/// Advances motions of one model side by side; each result is that of its motion alone.
void carom_hybrid_advance_together(carom_simulation *const *simulations, int count,
                                   const double *t_end, carom_status *statuses,
                                   carom_error *errors);
/// How far in time the root is from the end of a step that was made to end there; 0: no correction.
double carom_hybrid_root_shift(carom_hybrid *it, const carom_stepper *stepper,
                               const carom_root *root);
// search.c
/// How far apart on the tried step roots of one instant may be found.
double carom_search_same_instant(const carom_hybrid *it);
/// The same in time, and what rounding of the time may add.
double carom_hybrid_apart(const carom_hybrid *it);
/// The first roots on the tried step, into it->roots; how many. Not of what is met beside it.
int carom_search_roots(carom_hybrid *it);
/// The first root of function k over a part of the tried step; false: there is none.
bool carom_search_part(carom_hybrid *it, int k, double from, double to, carom_root *root);
/// Looks, before anything is met beside the tried step, which functions stay clear of zero all
/// along it. True: all of them; then their sides are noted.
bool carom_search_nothing_beside(carom_hybrid *it);
/// A function whose search does not end may be rounding alone (terms that cancel): then zero is as
/// wide as that. True when this widened it.
bool carom_search_widen(carom_hybrid *it, int k);
/// Notes the side of zero each rule's function is on where the step ends. One that has stayed at
/// zero for some steps is told once, as an event at the end of this one.
void carom_search_note_sides(carom_hybrid *it, double theta, double h_natural, int *found);
/// The same of one function over a part of the step. True, if `whole`, where it is to be told as
/// flat.
bool carom_search_note_side(carom_hybrid *it, int k, double from, double to, bool whole,
                            double h_natural);
/// After the instant of these roots: functions that stay at zero, or only touched it.
void carom_search_go_on(carom_hybrid *it, const carom_root *roots, int count, long step);
// pace.c
carom_status carom_pace_check(carom_hybrid *it, int count, const carom_root *roots,
                              carom_error *error);
carom_status carom_pace_progress(carom_hybrid *it, double t_before, double h, const char *name,
                                 carom_error *error);
/// Of an instant that is met beside the step.
carom_status carom_pace_beside(carom_hybrid *it, double t_before, double h, const char *name,
                               carom_error *error);
// beside.c
carom_status carom_beside_init(carom_hybrid *it, carom_arena *arena, carom_error *error);
/// Before a step is tried.
void carom_beside_begin(carom_hybrid *it, bool to_event);
/// What a look along the tried step has come to.
typedef struct carom_passing {
  bool to_event;    // in: stop at the first event
  double h_natural; // in: the step that error control wanted
  bool asked;       // an observer wants to stop
  bool stop;        // a rule stops the run
  bool left;        // the motion stands within the step: asked, or stopped
  bool failed;      // at an instant: the error says where
  bool on_edge;     // contact modes end where the step begins: nothing was looked at
} carom_passing;
/// Tells what is met beside the tried step up to theta_end; what comes at the same instant as
/// the `found` roots there is put to them. `sampled`: an observer of samples wants to stop.
carom_status carom_beside_pass(carom_hybrid *it, double theta_end, int *found,
                               carom_passing *passing, bool *sampled, carom_error *error);
/// The motion was stopped within a step: returns to its beginning.
carom_status carom_beside_return(carom_hybrid *it, carom_error *error);
// function_events.c
/// After an event: what is taken as zero, and the side of zero each function goes to.
void carom_function_events_settle(carom_hybrid *it);
void carom_function_event_values(carom_hybrid *it, double t, const double *y, double *values);
/// How far in time the root of event k is from the end of the tried step.
double carom_function_event_shift(carom_hybrid *it, int k);
// instant.c
carom_status carom_hybrid_instant(carom_hybrid *it, int count, const carom_root *roots, bool *stop,
                                  carom_error *error);
/// What a rule makes of the state (t, y), written to `after`.
carom_status carom_hybrid_rule_seen(carom_hybrid *it, const carom_watched *watched, double t,
                                    const double *y, double *after);
carom_status carom_hybrid_choose_modes(carom_hybrid *it, carom_error *error);
/// An instant at which nothing but what is met beside the step comes: nothing moves by it.
carom_status carom_hybrid_instant_beside(carom_hybrid *it, int count, const carom_root *roots,
                                         carom_passing *passing, carom_error *error);
/// The instant at which a motion starts: contacts answer to the state it is given, stops that hold
/// end it at once. Readies the stepper.
carom_status carom_hybrid_begin(carom_hybrid *it, carom_error *error);
// sides.c
void carom_sides_resume(carom_hybrid *it, int k);
void carom_sides_arm(carom_hybrid *it, int k); // watches function k anew, after a step
void carom_hybrid_arm(carom_hybrid *it);
/// Arms function k, which is met beside the step, and takes its side.
void carom_sides_beside(carom_hybrid *it, int k, const double *rate);
/// The function of a root touches zero and goes back to the side it came from.
void carom_sides_return(carom_hybrid *it, const carom_root *root);
void carom_hybrid_take_sides(carom_hybrid *it, const double *rate);
void carom_sides_enter(carom_hybrid *it);                 // notes the values of all rules
double carom_sides_gap_rounding(carom_hybrid *it, int k); // how far that alone may part contact k
/// Roots served before have been left: all of them, or by a step those that end steps.
void carom_sides_leave(carom_hybrid *it, bool by_step);
/// The root of a watched function is dealt with; served: it is not looked for where it is.
void carom_sides_meet(carom_hybrid *it, const carom_root *root, bool served);
/// What the integrator may be off by in every component at y; valid until the next call.
const double *carom_sides_weigh(carom_hybrid *it, const double *y);
/// Rules that the last change of the state has carried to the other side of zero the way they ask
/// for. `exact`: by events alone, whose values are exact; else by contacts, to the tolerance.
int carom_sides_crossed(carom_hybrid *it, bool exact, carom_root *roots);
/// Takes the sides of a start; adds rules that are met there to those in `roots`.
int carom_sides_start(carom_hybrid *it, const double *rate, int met, carom_root *roots);
// surfaces.c
bool carom_surfaces_init(carom_hybrid *it, carom_arena *arena);
void carom_surfaces_list(carom_hybrid *it); // those of the state
/// Branch k becomes +1 or -1, or (0) is slid on.
void carom_hybrid_take_branch(carom_hybrid *it, int k, double mode);
carom_status carom_surfaces_rates(carom_hybrid *it, double t, const double *y, double *rate);
carom_status carom_surfaces_settle(carom_hybrid *it, double t, double *y);
/// At a point of the tried step: the share of surface j/2 (even j), or what is left of it to 1.
double carom_surfaces_margin(carom_hybrid *it, int j, double theta);
/// What is left at (t, y) of the share that is nearest to its end.
carom_status carom_surfaces_left(carom_hybrid *it, double t, const double *y, double *left);
/// Leaves the surface whose share has come to its end; then all whose shares are beyond it.
carom_status carom_surfaces_leave(carom_hybrid *it, carom_error *error);
carom_status carom_surfaces_release(carom_hybrid *it, carom_error *error);
/// Both branches of k lead back to its jump.
carom_status carom_surfaces_enter(carom_hybrid *it, int k, carom_error *error);
/// Does the motion with the branches and rates in force (it->rate) stay where function k is zero?
/// `other`: how fast another branch carries it.
carom_status carom_surfaces_rest(carom_hybrid *it, int k, double other, bool *rests,
                                 carom_error *error);
/// Rests where k jumps: does either branch lead away a little later? Then it is told as not unique.
carom_status carom_surfaces_part(carom_hybrid *it, int k, carom_error *error);
/// Branch k has been crossed: have its crossings come so near to each other that the motion stays
/// on its surface, to second order? Then it slides on it.
/// `width`: swings lower than so many tolerances are none.
carom_status carom_surfaces_creep(carom_hybrid *it, int k, double width, bool *creeps,
                                  carom_error *error);
/// Is k slid on, and still there?
bool carom_surfaces_keeps(const carom_hybrid *it, int k, double value);
carom_status carom_surfaces_check(carom_hybrid *it, carom_error *error); // after an instant
void carom_surfaces_note(carom_hybrid *it);                              // as an instant begins
/// What has changed since is told; true when the observer wants to stop.
bool carom_surfaces_tell(carom_hybrid *it);
/// Behind the watched functions stand those of contact forces (two), then this.
#define CAROM_ROOT_OF_SURFACE 2
#define CAROM_ROOT_OF_SOLIDS 3
// branches.c: of kinks, where an impact has just changed the velocities
void carom_hybrid_follow_jump(carom_hybrid *it);
/// Branches that read accelerations, once contacts have answered and forces are known.
void carom_hybrid_follow_forces(carom_hybrid *it);
/// The value of switching function k, with the accelerations there are.
double carom_branch_value(carom_hybrid *it, int k);
/// Does nothing move by branch k? Then a crossing changes it, and no more.
bool carom_branch_is_aside(const carom_hybrid *it, int k);
void carom_branch_flip_aside(carom_hybrid *it, const carom_root *root);
// touch.c
/// Where a contact is another one now: its mode is chosen next.
void carom_hybrid_put_mode(carom_hybrid *it, int k, carom_contact_mode mode);
carom_status carom_hybrid_touch(carom_hybrid *it, carom_contact_cause cause, carom_error *error);
/// Before and after state or branches are changed by anything but motion: which contacts have to
/// answer to it. `needed`: some have.
carom_status carom_hybrid_note_rows(carom_hybrid *it, carom_error *error);
carom_status carom_hybrid_compare_rows(carom_hybrid *it, bool *needed, carom_error *error);
/// At a start: which contacts are closed; the state is brought onto those that were held before.
carom_status carom_hybrid_find_touching(carom_hybrid *it, carom_error *error);
// spatial.c: slip in space
/// What the slip of a contact in space is told from zero by; `watched` is one of its two slips.
double carom_spatial_tolerance(const carom_hybrid *it, const carom_watched *watched);
/// Contact k has got its mode; `direction`: where it sets off to, (0, 0) where it slid already.
void carom_spatial_set_off(carom_hybrid *it, int k, const double *direction);
/// Before a step is tried: slips in space are not stepped over.
carom_status carom_spatial_limit_step(carom_hybrid *it, carom_error *error);
/// Slips in space that end with the tried step, behind the `count` roots found on it.
int carom_spatial_halts(carom_hybrid *it, int count);
/// How far behind the end of the tried step the slip of contact k is zero. Friction keeps its
/// direction until then.
double carom_spatial_time_left(carom_hybrid *it, int k, const carom_stepper *stepper);
/// For differences of rates about (t, y): slips too slow there for a direction of their own keep
/// that of their onset or end, however fast. False: there are none; else until they are let go.
bool carom_spatial_hold_directions(carom_hybrid *it, double t, const double *y, double *kept);
void carom_spatial_let_directions(carom_hybrid *it, const double *kept);
/// Which of these go backwards at the state just evaluated, one bit each: a law mu(|s|) is bent
/// there.
uint64_t carom_spatial_backwards(const carom_hybrid *it);
// audit.c: is an impact what its law says? Into the certificate
/// The rows are those of the state after it; `mixed`: contacts of several laws take part.
void carom_audit_impact(carom_hybrid *it, carom_law law, bool mixed,
                        const carom_impact_result *result);
/// ... and of a rule that has just changed the state `before`: is it as assigned?
void carom_audit_rule(carom_hybrid *it, const carom_watched *watched);

// strike.c
carom_status carom_hybrid_strike(carom_hybrid *it, int pushing, carom_error *error);
bool carom_hybrid_flies_off(const carom_hybrid *it, int k, double speed); // or hops unseen
/// The slip of a contact that lands beside one that sticks may be the same, and is none then: what
/// the motion has of it, as evaluated, is taken from the impact, and from neighbours no more.
void carom_hybrid_note_residues(carom_hybrid *it);
/// For derivatives: the same seen from a state nearby, with what touches as it is; nothing changes
/// but y. `branch` tells outcomes of different kinds apart.
carom_status carom_hybrid_strike_seen(carom_hybrid *it, int pushing, double t, double *y,
                                      uint64_t *branch);
/// The same where the word has the impact, whatever the velocities are: contacts that move off as
/// they land are struck as if they came, with impulses that pull. That continues slow impacts
/// smoothly beyond a graze: impulses are proportional to the approach there.
carom_status carom_hybrid_strike_fixed(carom_hybrid *it, const carom_leg *leg, double t, double *y,
                                       uint64_t *branch, carom_leg_margin *margin);
// appear.c
/// State or branches have changed: what appears is brought about, or refused.
carom_status carom_hybrid_appear(carom_hybrid *it, carom_error *error);
/// For derivatives: the impulse of constraints that appear, at a state nearby.
carom_status carom_hybrid_join_seen(carom_hybrid *it, double t, double *y);
// closing.c
/// After an impact: contacts that rebound slowly close by the rule of chatter, their rebounds (all
/// but those below `rest`) are taken away.
carom_status carom_hybrid_close_slow(carom_hybrid *it, double rest, carom_error *error);
/// For derivatives: rebounds taken away at a state nearby, in the modes in force.
carom_status carom_hybrid_rebounds_seen(carom_hybrid *it, double t, double *y);
/// Another instant at which events happen.
void carom_hybrid_count_instant(carom_hybrid *it);
/// Tells the observer of an event at this instant; true when it wants to stop.
bool carom_hybrid_announce(carom_hybrid *it, carom_event_kind kind, const char *name, int direction,
                           double value);
void carom_hybrid_ask(carom_hybrid *it, bool asked); // ... then the motion does
/// The same of an impact of a contact, with its impulses and the energy that friction took.
bool carom_hybrid_announce_impact(carom_hybrid *it, const char *name, double normal,
                                  double tangential, double rubbed);
/// The same of what happens while an impact lasts, for an observer that asks for it: counted
/// nowhere.
bool carom_hybrid_announce_phase(carom_hybrid *it, carom_event_kind kind, const char *name,
                                 int direction, double impulse);
// strike_phases.c
/// Tells what happened while an impact lasted, in order; true: the observer wants to stop.
bool carom_hybrid_tell_phases(carom_hybrid *it, const carom_impact_problem *problem,
                              const carom_impact_result *result);
// chatter.c
void carom_chatter_note_flight(carom_hybrid *it, int k);     // at an impact of contact k
bool carom_chatter_collapses(const carom_hybrid *it, int k); // to its end, with others
/// Does the rule in force close a contact that rebounds?
bool carom_chatter_closes(const carom_hybrid *it, const carom_contact_memory *memory,
                          double rebound);
void carom_chatter_close(carom_hybrid *it, carom_contact_memory *memory);
/// The next time at which bounces have piled up, or infinity.
double carom_chatter_next(const carom_hybrid *it);
/// Tells the contacts whose time that is; true when the observer wants to stop.
bool carom_chatter_settle(carom_hybrid *it);
// strike_energetic.c: for the contacts in contact.which
carom_status carom_hybrid_strike_energetic(carom_hybrid *it, const carom_impact_problem *impact,
                                           carom_impact_result *result, carom_error *error);
// The error of contacts that hold each other, each with the energy it holds.
carom_status carom_hybrid_explain_holding(const carom_hybrid *it, const double *holding,
                                          carom_error *error);
// an impact ends though so much of the speed of approach is left open
void carom_hybrid_note_open(carom_hybrid *it, double left);
// strike_spatial.c: the same where contacts slide in space
carom_together *carom_together_create(carom_arena *arena, const carom_hybrid_model *model);
carom_status carom_hybrid_strike_spatial(carom_hybrid *it, const carom_impact_problem *p,
                                         carom_impact_result *result, carom_error *error);
// compliant_modes.c
void carom_compliant_start(carom_hybrid *it);  // no impact goes on
void carom_compliant_settle(carom_hybrid *it); // contacts that touch from the start
void carom_compliant_choose(carom_hybrid *it); // friction of every compliant contact by the state
bool carom_compliant_flip(carom_hybrid *it, const carom_root *root); // false: not of a contact
carom_event_kind carom_compliant_event(const carom_hybrid *it, const carom_root *root);
void carom_compliant_arm(carom_hybrid *it, int mode, carom_root_watch *watch);
// leg_note.c: called by the running loop where legs are noted
void carom_leg_before(carom_hybrid *it, int count, const carom_root *roots);
void carom_leg_strikes(carom_hybrid *it, int pushing);
void carom_leg_set_off(carom_hybrid *it); // an event, by another one
void carom_leg_comes_out(carom_hybrid *it, const carom_impact_result *result);
void carom_leg_rebounds(carom_hybrid *it);
void carom_leg_after(carom_hybrid *it);
extern const carom_fixed_word carom_hybrid_fixed_word; // leg_margins.c
// phase.c
void carom_hybrid_note_impact(carom_hybrid *it, carom_letter contacts);
void carom_hybrid_note_phase(carom_hybrid *it);
carom_status carom_hybrid_word(carom_simulation *simulation, char *text, size_t room,
                               carom_error *error);
carom_status carom_hybrid_regime(carom_simulation *simulation, const char **name,
                                 carom_error *error);
// next_to_zero.c
/// Whether closed contacts may stay so by themselves along the tried step, as far as events are
/// told from none: then forces that are computed say nothing about pushing or pulling.
bool carom_hybrid_needs_no_force_along(carom_hybrid *it);
/// The same where a step ended, but for rounding only.
bool carom_hybrid_forces_are_rounding(carom_hybrid *it);
/// Whether the speed of contact k in the present state is zero but for the rounding of the numbers
/// that it is computed from.
bool carom_hybrid_speed_is_rounding(carom_hybrid *it, int k);
// inspect.c
void carom_hybrid_inspect(carom_hybrid *it, double t, const double *y);
/// The same of open gaps inside the tried step, up to theta_end.
void carom_hybrid_inspect_within(carom_hybrid *it, double theta_end);

// apart.c
carom_status carom_apart_compile(carom_apart *apart, carom_arena *arena,
                                 const carom_hybrid_model *model, carom_error *error);
/// Notes in the certificate how deep bodies overlap; an error where that is no rounding any more.
carom_status carom_apart_look(carom_hybrid *it, double t, const double *y, carom_error *error);
/// The size of forces where they were evaluated last.
double carom_hybrid_largest_force(const carom_hybrid *it);
// turning.c
/// Before an instant: roots of functions that a branch of the same instant turns back at zero
/// become grazes.
void carom_turning_tell(carom_hybrid *it, int count, carom_root *roots);
// edge.c
/// Do the modes that the tried step was made in end where it begins? Asked once after an instant,
/// or as long as that cannot be told. True leaves in instant.glance where the step shows it.
bool carom_edge_falls(carom_hybrid *it);
/// After the instant that this brought about.
void carom_edge_leave(carom_hybrid *it);
// pieces.c: a step of a followed quantity in pieces between its kinks
/// Sets the branches that it has just after theta; 0 where an argument stays at zero up to `end`.
void carom_pieces_begin(carom_hybrid *it, int k, double theta, double end);
/// The end of the piece that starts at a, at most b, and the kink met there (-1: none). NaN: a kink
/// changes its side too often to be followed.
double carom_pieces_end(carom_hybrid *it, int k, double a, double b, int *kink);
/// Goes on behind that kink.
void carom_pieces_cross(carom_hybrid *it, int k, int kink, double theta, double end);
/// Sets the branches of one state, for the value there.
void carom_pieces_at(carom_hybrid *it, int k, double t, const double *y, const double *rate);
// tally.c
void carom_tally_step(carom_hybrid *it, double theta_end);
void carom_tally_event(carom_hybrid *it, const char *name);
void carom_tally_start(carom_hybrid *it);
void carom_tally_reduce(carom_hybrid *it); // values of all reducers, for evaluation
carom_status carom_tally_observable(carom_hybrid *it, int k, double *value, carom_error *error);
// seen.c
carom_status carom_seen_compile(carom_hybrid_model *model, carom_arena *arena, carom_error *error);
carom_status carom_seen_init(carom_hybrid *it, carom_arena *arena, carom_error *error);
double carom_seen_at(carom_hybrid *it, int output, double t, const double *y, const double *rate);
/// On the dense output of the tried step.
double carom_seen_along(carom_hybrid *it, int output, double theta);
/// Integral over theta and, for sign +1 and -1, largest and least value over [a, b].
double carom_seen_integral(carom_hybrid *it, int output, double a, double b);
double carom_seen_extreme(carom_hybrid *it, int output, double sign, double a, double b);
// probe.c
carom_status carom_probe_compile(carom_probe *probe, carom_arena *arena,
                                 const carom_hybrid_model *model, carom_error *error);
void carom_probe_run(carom_hybrid *it, double t, const double *y, const double *rate);
double carom_probe_output(const carom_hybrid *it, int k);
// placing.c: what analyses of periodic motions ask for
carom_status carom_hybrid_place(carom_simulation *simulation, double t, const double *y,
                                uint64_t closed, carom_error *error);
void carom_hybrid_unobserved(carom_simulation *simulation);
uint64_t carom_hybrid_closed(const carom_simulation *simulation);
const double *carom_hybrid_rates(const carom_simulation *simulation);
int carom_hybrid_held(const carom_simulation *simulation);
double carom_hybrid_energy(carom_simulation *simulation, double *slope);
/// The same with the modes in force, at (t, y). Rows that depend on others forbid nothing more.
int carom_hybrid_held_at(carom_hybrid *it, double t, const double *y);
carom_status carom_hybrid_turn(carom_simulation *simulation, char *text, size_t room,
                               carom_error *error);
carom_status carom_hybrid_pile(carom_simulation *simulation, carom_error *error);
double carom_hybrid_period(const carom_simulation *simulation);
/// Refuses a given period after which the drive does not come back: see repeats.c.
carom_status carom_hybrid_repeats(const carom_simulation *simulation, carom_error *error);
bool carom_hybrid_autonomous(carom_simulation *simulation);
// tangent_begin.c
carom_status carom_hybrid_tangent_begin(carom_simulation *simulation, carom_error *error);
carom_status carom_hybrid_tangent_order(carom_simulation *simulation, long order,
                                        carom_error *error);
void carom_hybrid_tangent_end(carom_simulation *simulation);
double *carom_hybrid_tangent_matrix(carom_simulation *simulation, int *size);
carom_status carom_hybrid_tangent_settle(carom_simulation *simulation, carom_error *error);
carom_status carom_hybrid_tangent_on_edge(carom_simulation *simulation, int count,
                                          const double *directions, bool *found,
                                          carom_error *error);
carom_tangent_notes carom_hybrid_tangent_met(const carom_simulation *simulation);
const double *carom_hybrid_tangent_rates_before(const carom_simulation *simulation);
const double *carom_hybrid_tangent_after(const carom_simulation *simulation);
const carom_meeting *carom_hybrid_tangent_meeting(const carom_simulation *simulation);
const carom_graze *carom_hybrid_tangent_graze(const carom_simulation *simulation);
void carom_hybrid_tangent_kick(carom_simulation *simulation);
carom_status carom_hybrid_tangent_record(carom_simulation *simulation, size_t most,
                                         carom_error *error);
carom_status carom_hybrid_tangent_pull(const carom_simulation *simulation, double *row,
                                       carom_error *error);
const double *carom_hybrid_tangent_late(const carom_simulation *simulation);
void carom_hybrid_tangent_release(carom_hybrid *it);
// ledger.c
/// An impact has taken energy relative to the surfaces, which did work on the system; `change` is
/// that of the system's energy.
void carom_hybrid_book_impact(carom_hybrid *it, double taken, double surfaces, double change);
/// ... of which friction took a part
void carom_hybrid_book_rubbing(carom_hybrid *it, double taken);
/// An event has changed the energy, of which the drives' store took `stored`.
void carom_hybrid_book_event(carom_hybrid *it, double change, double stored);
carom_status carom_hybrid_certificate(carom_hybrid *it, carom_certificate *certificate,
                                      carom_error *error);
// derive_text.c
carom_status carom_hybrid_derive(const carom_model *model, carom_notation notation, char **text,
                                 carom_error *error);

#endif
