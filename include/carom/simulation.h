// SPDX-License-Identifier: MIT
/// A simulation: the state of one motion of a model. Two simulations share nothing but their
/// constant model, so they may run in two threads.
#ifndef CAROM_SIMULATION_H
#define CAROM_SIMULATION_H

#include "carom/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct carom_simulation carom_simulation;

/// What happens at an instant. Several events may share an instant (`instant` counts instants).
typedef enum carom_event_kind {
  CAROM_EVENT_USER,            // an `events` rule fired
  CAROM_EVENT_SECTION,         // a `sections` crossing
  CAROM_EVENT_STOP,            // a `stop` condition
  CAROM_EVENT_SWITCH,          // abs, sign, min, max or if changed its branch
  CAROM_EVENT_GRAZE,           // a watched function touched zero without crossing
  CAROM_EVENT_FLAT,            // a watched function stays at zero: it is ignored until it leaves
  CAROM_EVENT_IMPACT,          // a contact struck
  CAROM_EVENT_CLOSE,           // a contact closed: it lasts from now on
  CAROM_EVENT_OPEN,            // a contact opened without impact
  CAROM_EVENT_STICK,           // slip ended in stick
  CAROM_EVENT_SLIP,            // stick ended in slip; direction is its sign
  CAROM_EVENT_REVERSE,         // slip passed through zero; direction is its new sign
  CAROM_EVENT_PAINLEVE_FLIGHT, // contact and flight both consistent: flight was taken
  CAROM_EVENT_PAINLEVE_IMPACT, // no force can hold the contact: an impact without collision
  CAROM_EVENT_NON_UNIQUE,      // another set of contact modes was consistent too
  CAROM_EVENT_PUSH,            // positions were brought to what appeared; value is how far off
  CAROM_EVENT_SLIDE,           // both branches of a jump lead back to it: the motion slides there
  // while an impact lasts, for observers that ask for phases; value is the normal impulse so far,
  // of all contacts that strike together
  CAROM_EVENT_PHASE_COMPRESSION, // compression of the contact begins, or begins again
  CAROM_EVENT_PHASE_RESTITUTION, // compression is over
  CAROM_EVENT_PHASE_END,         // what was stored is given back or lost
  CAROM_EVENT_PHASE_STICK,       // slip has stopped, and sticks
  CAROM_EVENT_PHASE_SLIP,        // slip begins or has turned round; direction is its sign
  CAROM_EVENT_PHASE_HOLD         // it has come to rest and is kept there while others strike
} carom_event_kind;

CAROM_API const char *carom_event_kind_text(carom_event_kind kind);

/// The energy on one side of an event; NaN where the model has none or nobody asked.
typedef struct carom_event_energy {
  double kinetic, potential;
} carom_event_energy;

typedef struct carom_event {
  carom_event_kind kind;
  const char *name; // of the rule or contact; of a switch the expression
  double t;
  long instant;
  int direction;     // +1 rising, -1 falling, 0 no crossing
  double value;      // impulse of an impact; coefficient of a Painleve event; of a close that ends
                     // chatter the time at which the bounces left out would pile up; else 0
  double tangential; // impulse of friction at an impact; else 0
  double rubbed;     // energy that friction took in this impact; else 0
  int size;          // of the state vector (q, q', z)
  const double *before, *after;                   // the state at the instant; valid during the call
  carom_event_energy energy_before, energy_after; // only for observers that ask for them
} carom_event;

/// Callbacks during advance; each returns 0 to go on, non-zero to stop (CAROM_STOP_USER).
typedef struct carom_observer {
  void *ctx;
  int (*event)(void *ctx, const carom_event *event); // nullable
  int (*sample)(void *ctx, const carom_simulation *simulation, double t, int count,
                const double *values); // nullable; columns as carom_simulation_column
  bool energies;                       // true: events come with the energy before and after
  bool phases;                         // true: what happens while impacts last is told, too
} carom_observer;

/// What one field, gravity or the like has done to a body since the start; `name` as in recordings.
typedef struct carom_work {
  const char *name; // valid as long as the model
  double done;      // work on the body
} carom_work;
enum { CAROM_WORKS_MOST = 40 };

/// Ways by which a motion with contacts went on that few motions need. None of them is an error; a
/// run that takes them often deserves a look.
typedef enum carom_uncommon {
  CAROM_UNCOMMON_LATE_LANDING, // a gap was found negative where a step ended, and its landing then
  CAROM_UNCOMMON_FORCED_LANDING, // forces asked for ever smaller steps, and a gap was as good as
                                 // closed: it has landed
  CAROM_UNCOMMON_FORCED_MODES,   // the same without such a gap: other contact modes took over
  CAROM_UNCOMMON_FORCES_BROKEN,  // forces were outside their laws at the end of a step in which no
                                 // end of their modes was seen
  CAROM_UNCOMMON_JOINED,         // putting contacts into touch made another one land
  CAROM_UNCOMMON_MODES_LASTING,  // the modes to be preferred would have ended at once: others last
  CAROM_UNCOMMON_MODES_AHEAD,    // no modes hold both now and a moment later: those of that moment
  CAROM_UNCOMMON_MODES_NOW,      // nor others a moment later: those of now
  CAROM_UNCOMMON_MODES_ENDURED,  // nothing takes over: the modes stay though their forces leave
  CAROM_UNCOMMON_OTHER_STRIKES,  // an impact without collision: another contact carries its impulse
  CAROM_UNCOMMON_TOGETHER,       // contacts struck together whose instants could not be told apart
  CAROM_UNCOMMON_COUNT
} carom_uncommon;

/// A few words, such as "another contact lands".
CAROM_API const char *carom_uncommon_text(carom_uncommon which);

/// Where the energy went, in the units of the scenario.
typedef struct carom_energy_ledger {
  double kinetic_start, potential_start, kinetic, potential;
  double work_drives, work_forces; // done on the system by moving parts and by given forces
  double work_events;              // changes of energy by `events` rules
  double lost_dampers;             // taken by dissipation
  double lost_friction;            // taken by sliding contacts
  double lost_impacts;             // taken by impacts (negative: given, see impact_gain)
  double lost_impact_friction;     // the part of lost_impacts that friction took
  double impact_gain;              // sum of what single impacts gave: 0 for a sound impact law
  double corrected;                // sum of |energy| put right by `hold: energy`
  double residual;                 // energy now - energy at start - works + losses
  double residual_relative; // residual / largest energy exchanged or stored; of a motion next to
                            // rest, / energy that the state's tolerances amount to
  // engine `field`: the same energies told apart. All works and work_events together are the change
  // of the kinetic energy, up to the residual.
  int work_count;
  carom_work works[CAROM_WORKS_MOST];
} carom_energy_ledger;

/// The worst of what a run was held against, whenever it happened.
typedef struct carom_violations {
  double constraint_error;      // largest |value| of a constraint after a step
  double constraint_rate_error; // largest |rate| of a constraint after a step
  double penetration;           // deepest -gap of an open contact
  double cone_violation;        // |friction| - mu normal, relative to the largest force; or how far
                                // a motion that slides on a jump is outside its two sides
  double complementarity;       // negative normal force, relative to the largest force
  double reset_error;           // difference from what an `events` rule assigns, relative
  double impact_error;          // breach of its law by an impact, relative to its velocities
} carom_violations;

/// How often what happened.
typedef struct carom_run_counts {
  long steps, rejected, evaluations, events, instants, grazes, switches;
  long impacts, closings, openings, non_unique, painleve;
  long uncommon[CAROM_UNCOMMON_COUNT];
} carom_run_counts;

/// The energy ledger and what a run can be trusted for.
typedef struct carom_certificate {
  double t_start, t_end;
  bool has_energy; // else there is no ledger
  carom_energy_ledger energy;
  carom_violations worst;
  carom_run_counts counts;
  double tolerance; // what residual_relative is held against
  bool passed;      // all of the above within their tolerances
} carom_certificate;

/// A simulation at the scenario's start. `model` must outlive it. The caller destroys it.
CAROM_API carom_status carom_simulation_create(const carom_model *model,
                                               carom_simulation **simulation, carom_error *error);
CAROM_API void carom_simulation_destroy(carom_simulation *simulation); // NULL is legal

/// An independent copy, exact to the bit, without observers.
CAROM_API carom_status carom_simulation_clone(const carom_simulation *simulation,
                                              carom_simulation **copy, carom_error *error);

/// Sets a parameter, or the start value of a coordinate, rate ("x'") or state, and returns to the
/// start.
CAROM_API carom_status carom_simulation_set(carom_simulation *simulation, const char *name,
                                            double value, carom_error *error);
/// A value that is set, by its name as in carom_simulation_set.
typedef struct carom_value {
  const char *name;
  double value;
} carom_value;
/// Sets all of them, then returns to the start: values that fit only together are no error. An
/// unknown name or a value that is not finite is CAROM_ERR_ARGUMENT; those before it are set then,
/// and the next return to the start uses them.
CAROM_API carom_status carom_simulation_set_all(carom_simulation *simulation, int count,
                                                const carom_value *values, carom_error *error);
/// Changes a parameter (NULL: none) and begins a new run at the present time and state: the state
/// is carried on, closed contacts stay closed where they still can be, measuring window and
/// certificate begin anew, `until` lies as far ahead as at first. From now on
/// carom_simulation_reset returns to here. On an error (CAROM_ERR_INPUT: the change would let open
/// contacts overlap) nothing has changed.
CAROM_API carom_status carom_simulation_change(carom_simulation *simulation, const char *name,
                                               double value, carom_error *error);
/// Returns to the start.
CAROM_API carom_status carom_simulation_reset(carom_simulation *simulation, carom_error *error);

/// Asks `stop` before every step, in whatever the simulation is used for, whether to end with
/// CAROM_STOP_USER (non-zero): the state is then whole, and the next advance goes on from there.
/// It should be quick. NULL: nobody is asked.
CAROM_API void carom_simulation_heed(carom_simulation *simulation, int (*stop)(void *ctx),
                                     void *ctx);
/// A `stop` for carom_simulation_heed() that looks at an int, which any thread may set meanwhile:
/// `ctx` points to it.
CAROM_API int carom_stop_flag(void *ctx);

/// Calls `observer` (copied) during advance; NULL removes it.
CAROM_API void carom_simulation_observe(carom_simulation *simulation,
                                        const carom_observer *observer);

/// Goes on to time t_end. CAROM_OK when it was reached; CAROM_STOP_* when not: the state is valid
/// in both cases. On an error (exact time, state and expression in error->text) the state is that
/// before the call.
CAROM_API carom_status carom_simulation_advance(carom_simulation *simulation, double t_end,
                                                carom_error *error);
/// The same for `count` simulations, each to its own time: what carom_simulation_advance() would
/// return and say of each is in `statuses` and `errors`. Simulations of one model are advanced side
/// by side, where that is quicker; every result is the same, bit by bit, as that of its simulation
/// alone.
CAROM_API void carom_simulations_advance(carom_simulation *const *simulations, int count,
                                         const double *t_end, carom_status *statuses,
                                         carom_error *errors);
/// Goes on to the next instant with an event, at most to t_end. CAROM_STOP_EVENT when there was
/// one.
CAROM_API carom_status carom_simulation_next(carom_simulation *simulation, double t_end,
                                             carom_error *error);
/// From the start to the scenario's `until`: carom_simulation_reset, then advance.
CAROM_API carom_status carom_simulation_run(carom_simulation *simulation, carom_error *error);

CAROM_API double carom_simulation_time(const carom_simulation *simulation);
CAROM_API double carom_simulation_until(const carom_simulation *simulation);
/// The time from which the scenario measures (`measure.after`).
CAROM_API double carom_simulation_measured_from(const carom_simulation *simulation);
/// What an engine of many bodies is made of, for people: lines "name: text", cut at `room` bytes;
/// "" where coordinates and contacts say all there is.
CAROM_API void carom_simulation_describe(const carom_simulation *simulation, char *text,
                                         size_t room);
CAROM_API const carom_model *carom_simulation_model(const carom_simulation *simulation);
/// The state vector (q, q', z); valid until the next call that moves the simulation.
CAROM_API const double *carom_simulation_state(const carom_simulation *simulation, int *size);

/// Reads by name: parameter, coordinate, rate "x'", acceleration "x''", state, definition,
/// observable (over the window so far), "kinetic", "potential", "t".
CAROM_API carom_status carom_simulation_get(carom_simulation *simulation, const char *name,
                                            double *value, carom_error *error);

/// Columns of a sample: coordinates, rates, states, definitions, then kinetic and potential.
CAROM_API int carom_simulation_columns(const carom_simulation *simulation);
CAROM_API const char *carom_simulation_column(const carom_simulation *simulation, int k);

/// One of many bodies (engine `grains`) at an instant.
typedef struct carom_body_motion {
  int kind;          // which of the scenario's kinds, from 0
  const char *name;  // of the kind; valid as long as the model
  double x[3];       // centre, in the first period where the bed is periodic
  double u[3];       // axis, a unit vector
  double v[3], w[3]; // velocity, angular velocity
} carom_body_motion;
/// Body number k, from 0, in the order of start.table and of the parts of a scene. False: there is
/// none, or the engine has coordinates instead.
CAROM_API bool carom_simulation_body(const carom_simulation *simulation, int k,
                                     carom_body_motion *body);

/// Saves the whole state to `buffer` of `*size` bytes (NULL: only writes the size needed).
/// Restoring it in a simulation of the same model continues bit for bit.
CAROM_API carom_status carom_simulation_save(const carom_simulation *simulation, void *buffer,
                                             size_t *size, carom_error *error);
CAROM_API carom_status carom_simulation_restore(carom_simulation *simulation, const void *buffer,
                                                size_t size, carom_error *error);

/// The word of the motion over the measuring window: letters F (flight), K (stick), + and - (slip),
/// C (closed without friction), I (impact), with the contacts' names when there are several. A
/// periodic motion is its shortest cycle in a canonical turn; otherwise the text is empty.
CAROM_API carom_status carom_simulation_word(carom_simulation *simulation, char *text, size_t room,
                                             carom_error *error);

/// The first of the scenario's `regimes` whose word and condition hold, or NULL.
CAROM_API carom_status carom_simulation_regime(carom_simulation *simulation, const char **name,
                                               carom_error *error);

CAROM_API carom_status carom_simulation_certificate(carom_simulation *simulation,
                                                    carom_certificate *certificate,
                                                    carom_error *error);

#ifdef __cplusplus
}
#endif
#endif
