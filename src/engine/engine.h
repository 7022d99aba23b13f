// SPDX-License-Identifier: MIT
/// The common interface of all engines. A carom_model holds what an engine prepared from a scenario
/// (constant); a carom_simulation holds one motion. The public functions of model.h and
/// simulation.h are thin: they find the engine's entry here.
#ifndef CAROM_ENGINE_ENGINE_H
#define CAROM_ENGINE_ENGINE_H

#include "base/arena.h"
#include "base/error.h"
#include "carom/leg.h"
#include "carom/mirror.h"
#include "carom/simulation.h"
#include "carom/tangent.h"
#include "scenario/scenario.h"
#include "symbolic/program.h"

struct carom_scene;

/// What running a leg gives. The arrays are the caller's, of the size of the state; matrices are
/// row-major and filled where `derivatives` are wanted.
typedef struct carom_leg_run {
  bool derivatives;
  double *first, *last;      // rates at both ends
  double *before;            // the state at its end
  double *flow;              // d before / d state at its start
  double value;              // of the function that ends it
  double *slope, time;       // its derivatives by state and time
  double *after;             // the state behind the event, where the next leg starts
  double *jump, *moving;     // derivatives of that by state and time before the event
  uint64_t outcome;          // of an impact: which way it goes; derivatives change with it
  double speed;              // given: how fast the motion is somewhere on its way
  double misfit;             // velocity that the next leg's modes forbid, relative to the fastest
  carom_leg_margin at_event; // what the event itself may break, with derivatives: the outcome of an
                             // impact that is held, the opening of a contact
} carom_leg_run;

/// A word held fixed: see carom/leg.h. Whatever else is asked of the motion must begin with a
/// place.
typedef struct carom_fixed_word {
  /// From now on the legs of the motion are noted.
  carom_status (*note)(carom_simulation *simulation, carom_error *error);
  /// How many events there were since then, the legs (one more), and of each event its time and
  /// the state behind it, which are the engine's and may be changed.
  /// CAROM_ERR_UNSUPPORTED, with the reason, where they do not make a word that can be fixed.
  carom_status (*noted)(carom_simulation *simulation, int *events, carom_leg *legs,
                        const double **times, double **states, carom_error *error);
  /// Whether a turn that begins in one leg and ends in another ends in the phase it began in.
  bool (*closes)(const carom_simulation *simulation, const carom_leg *first, const carom_leg *last);
  /// Brings a state onto the contacts that are closed in a leg; matrix: its derivative, or NULL.
  /// held: directions of the state that the leg forbids.
  carom_status (*enter)(carom_simulation *simulation, const carom_leg *leg, double t, double *y,
                        double *matrix, int *held, carom_error *error);
  /// From `y` at t0 to t1, which may lie before it, and on to the leg `next` (NULL: none).
  carom_status (*run)(carom_simulation *simulation, const carom_leg *leg, const carom_leg *next,
                      double t0, double t1, const double *y, carom_leg_run *out,
                      carom_error *error);
  /// What is broken on the way, or nearest to it, with t1 > t0; kind and value alone are always
  /// set. watched, unless NULL: an inequality by its kind and number, which is told there and left
  /// out of the others.
  carom_status (*check)(carom_simulation *simulation, const carom_leg *leg, double t0, double t1,
                        const double *y, carom_leg_margin *worst, carom_leg_margin *watched,
                        carom_error *error);
  /// The fault in words.
  void (*tell)(const carom_simulation *simulation, const carom_leg *leg,
               const carom_leg_margin *margin, char *text, size_t room);
} carom_fixed_word;

/// Phases of one turn of a fixed word, at most.
enum { CAROM_MOST_LEGS = 257 };

/// Limits of the search for reflections, which tries 2^freedoms signs, and pairs of coordinates.
enum {
  CAROM_MIRROR_STATES = 64,
  CAROM_MIRROR_CONTACTS = 64,
  CAROM_MIRROR_TEXT = 400,
  CAROM_MIRROR_FREEDOMS = 10, // coordinates and states together: of more none is looked for
  CAROM_MIRROR_SWAPPED = 6,   // coordinates: of more no pairs change places
  CAROM_MOST_MIRRORS = 8
};

/// A reflection while it is tried, see carom_mirror.
typedef struct carom_reflection {
  double sign[CAROM_MIRROR_STATES];
  int from[CAROM_MIRROR_STATES];
  int contact[CAROM_MIRROR_CONTACTS];
  bool later;
  char text[CAROM_MIRROR_TEXT];
} carom_reflection;

/// What can be read of a motion at any time.
typedef struct carom_engine_reading {
  double (*time)(const carom_simulation *simulation);
  double (*until)(const carom_simulation *simulation);
  double (*measured_from)(const carom_simulation *simulation);
  /// See carom_simulation_describe; NULL: nothing to say.
  void (*describe)(const carom_simulation *simulation, char *text, size_t room);
  const double *(*state)(const carom_simulation *simulation, int *size);
  carom_status (*value)(carom_simulation *simulation, const char *name, double *value,
                        carom_error *error);
  int (*columns)(const carom_simulation *simulation);
  const char *(*column)(const carom_simulation *simulation, int k);
  bool (*body)(const carom_simulation *simulation, int k,
               carom_body_motion *body); // NULL: it has none
  carom_status (*certificate)(carom_simulation *simulation, carom_certificate *certificate,
                              carom_error *error);
  carom_status (*word)(carom_simulation *simulation, char *text, size_t room, carom_error *error);
  carom_status (*regime)(carom_simulation *simulation, const char **name, carom_error *error);
} carom_engine_reading;

/// Several motions side by side.
typedef struct carom_engine_lanes {
  /// How many motions of a model are worth advancing side by side; NULL: one.
  int (*worth)(const carom_model *model);
  /// Advances several motions of one model; `t_end` are finite and not behind them. NULL: they are
  /// advanced one by one.
  void (*advance)(carom_simulation *const *simulations, int count, const double *t_end,
                  carom_status *statuses, carom_error *errors);
} carom_engine_lanes;

enum { CAROM_MEETING_MOST = 8 };

/// Contacts that strike at one instant.
typedef struct carom_meeting {
  int count, size;
  const char *name[CAROM_MEETING_MOST]; // in the order in force
  double *late; // by how much later neighbours meet each of them, by the start: [count][size]
  bool in_turn; // the matrix is that of neighbours that meet them in the order in force; else the
                // outcome depends on the order, and the motion jumps between these
} carom_meeting;

/// An instant at which a function h touches zero and turns back. Neighbours with h smaller by d
/// there strike it at the speed w = sqrt(2 bend d), and their state is moved by kick w + O(d).
typedef struct carom_graze {
  bool known;    // the gap of an open contact touched zero, and nothing else happened
  double *slope; // of h by the state
  double bend;   // second derivative of h along the motion
  double *kick;  // of the state
} carom_graze;

/// Motions that are computed by somebody else for a while: a thread of a card (src/device/), whose
/// simulation is another one of the same model. Unlike a saved state, what goes there has all that
/// follows from the settings, so that nothing is started anew. NULL: the engine does not lend.
typedef struct carom_engine_lent {
  /// As `create`, without a start: nothing can be asked before a motion was taken.
  carom_status (*make)(carom_simulation *simulation, carom_error *error);
  /// What a model makes on first use is made now.
  carom_status (*ready)(carom_model *model, carom_error *error);
  /// Visits the programs of such a model, always in the same order; those that matter for speed.
  void (*programs)(const carom_model *model, void *ctx,
                   void (*visit)(void *ctx, const carom_program *program));
  /// As `save`; CAROM_ERR_UNSUPPORTED: this motion cannot be lent.
  carom_status (*lend)(carom_simulation *simulation, void *buffer, size_t *size,
                       carom_error *error);
  carom_status (*take)(carom_simulation *simulation, const void *buffer, size_t size,
                       carom_error *error);
} carom_engine_lent;

/// Tangent dynamics, see carom/tangent.h.
typedef struct carom_engine_tangent {
  carom_status (*begin)(carom_simulation *simulation, carom_error *error);
  carom_status (*order)(carom_simulation *simulation, long order, carom_error *error);
  void (*end)(carom_simulation *simulation);
  double *(*matrix)(carom_simulation *simulation, int *size);
  /// Columns of the matrix are brought back to the directions that constraints and closed contacts
  /// allow, which rounding leads out of. NULL: nothing is forbidden.
  carom_status (*settle)(carom_simulation *simulation, carom_error *error);
  /// Is the state on the edge of a branch, with other rates on the other side, to which one of the
  /// directions [size][count] leads? NULL: never.
  carom_status (*on_edge)(carom_simulation *simulation, int count, const double *directions,
                          bool *found, carom_error *error);
  carom_tangent_notes (*met)(const carom_simulation *simulation);
  const double *(*late)(const carom_simulation *simulation);
  /// While an observer is told of an event: rates of the state before the instant and the
  /// derivatives of the state after it at the neighbours' own times, size x size; else NULL.
  const double *(*rates_before)(const carom_simulation *simulation);
  const double *(*after)(const carom_simulation *simulation);
  /// While an observer is told of an event: contacts that struck at this instant, if there are
  /// several; the graze, if it is one. NULL: it is not.
  const carom_meeting *(*meeting)(const carom_simulation *simulation);
  const carom_graze *(*graze)(const carom_simulation *simulation);
  /// While an observer is told of a graze that is known: the matrix becomes its kick in the first
  /// column and zero elsewhere.
  void (*kick)(carom_simulation *simulation);
  /// After a begin: no matrix is carried along from here, but what it would be made of is kept, so
  /// that pull() can bring a row back: row = row Phi, from the present to the begin. Where that
  /// comes to more than `most` bytes (0: any number) advance() halts, and leads on after the next
  /// begin and record() alone.
  carom_status (*record)(carom_simulation *simulation, size_t most, carom_error *error);
  carom_status (*pull)(const carom_simulation *simulation, double *row, carom_error *error);
} carom_engine_tangent;

/// What analyses ask that begin motions anywhere and look how they come back.
typedef struct carom_engine_turns {
  /// Begins a new run at (t, y), measuring from there; contacts with their bit set are closed.
  carom_status (*place)(carom_simulation *simulation, double t, const double *y, uint64_t closed,
                        carom_error *error);
  /// Nobody will ask for observables of this motion: they need not be followed.
  void (*unobserved)(carom_simulation *simulation);
  uint64_t (*closed)(const carom_simulation *simulation);     // contacts that are closed at present
  const double *(*rates)(const carom_simulation *simulation); // of the state, at present
  int (*held)(const carom_simulation *simulation); // directions of the state that contacts forbid
  /// Kinetic and potential energy at present, and their derivatives by the state. NaN: there is
  /// none. NULL: it is not told.
  double (*energy)(carom_simulation *simulation, double *slope);
  /// The letters of the motion since it was placed, as one turn of a cycle.
  carom_status (*word)(carom_simulation *simulation, char *text, size_t room, carom_error *error);
  /// Restarts; from now on bounces end where they pile up, whatever rule the scenario has.
  carom_status (*pile)(carom_simulation *simulation, carom_error *error);
  const carom_fixed_word *fixed_word;
  double (*period)(const carom_simulation *simulation); // of the drive; 0: not told
  /// Refuses a period that was given and after which the drive does not come back.
  carom_status (*repeats)(const carom_simulation *simulation, carom_error *error);
  bool (*autonomous)(carom_simulation *simulation); // does nothing depend on time, as it stands?
  /// Reflections under which the system is the same, see carom/mirror.h.
  carom_status (*mirrors)(const carom_simulation *simulation, carom_reflection *mirrors, int *count,
                          carom_error *error);
} carom_engine_turns;

/// What is known of a model without moving it.
typedef struct carom_engine_facts {
  bool (*cyclic)(const carom_model *model, int k);
  int (*shifts)(const carom_model *model, int most, double *weights); // see carom_model_shifts
  bool (*angle)(const carom_model *model, int k);                     // see carom_model_angle
  bool (*conservative)(const carom_model *model);
  carom_status (*derive)(const carom_model *model, carom_notation notation, char **text,
                         carom_error *error);
} carom_engine_facts;

/// What an engine can do. An entry that is NULL is not supported.
typedef struct carom_engine {
  const char *name;
  bool stepped; // by constant steps: it has no tolerances and no sections
  carom_status (*prepare)(carom_model *model, carom_error *error);          // sets model->prepared
  carom_status (*create)(carom_simulation *simulation, carom_error *error); // sets ->state
  void (*destroy)(carom_simulation *simulation); // what the arena does not own; state may be NULL
  /// Writes a value down; it counts from the next reset on.
  carom_status (*set)(carom_simulation *simulation, const char *name, double value,
                      carom_error *error);
  carom_status (*change)(carom_simulation *simulation, const char *name, double value,
                         carom_error *error);
  carom_status (*reset)(carom_simulation *simulation, carom_error *error);
  carom_status (*advance)(carom_simulation *simulation, double t_end, bool to_event,
                          carom_error *error);
  carom_status (*save)(const carom_simulation *simulation, void *buffer, size_t *size,
                       carom_error *error);
  carom_status (*restore)(carom_simulation *simulation, const void *buffer, size_t size,
                          carom_error *error);
  carom_engine_reading read;
  carom_engine_lent lent;
  carom_engine_lanes together;
  carom_engine_tangent tangent;
  carom_engine_turns turns;
  carom_engine_facts facts;
  /// Adds the engine's own parts to a scene; and, inside a sample, fills their numbers, the
  /// contacts and the ledger without influence on the motion.
  carom_status (*scene)(struct carom_scene *scene, carom_error *error);
  carom_status (*look)(struct carom_scene *scene, double t, carom_error *error);
} carom_engine;

struct carom_model {
  carom_arena *arena;
  const carom_engine *engine;
  carom_scenario *scenario;         // NULL for models given by functions
  const carom_functions *functions; // NULL for scenarios
  void *prepared;
};

struct carom_simulation {
  carom_arena *arena;
  const carom_model *model;
  carom_observer observer;
  int (*stop)(void *ctx); // asked before every step; NULL: nobody
  void *stop_ctx;
  void *state;
  void *before; // room for the state before an advance, kept from call to call
  size_t before_size;
};

/// CAROM_ERR_INPUT where the run ends before it is measured: it may, for another to go on from
/// there, but has nothing to show.
carom_status carom_simulation_measures(const carom_simulation *simulation, carom_error *error);

/// Does somebody want the motion to stop before its next step?
static inline bool carom_simulation_asked(const carom_simulation *simulation) {
  return simulation->stop && simulation->stop(simulation->stop_ctx);
}

/// The engines of this build, by name in the scenario's `engine:`.
extern const carom_engine carom_hybrid_engine, carom_field_engine, carom_grains_engine,
    carom_stepping_engine;

#endif
