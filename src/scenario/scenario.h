// SPDX-License-Identifier: MIT
/// A scenario file, read and checked: every name known, every expression parsed, every mistake
/// reported with file, line, column, what was expected and the nearest known name. What an engine
/// needs is here as plain data; nothing downstream looks at YAML.
#ifndef CAROM_SCENARIO_SCENARIO_H
#define CAROM_SCENARIO_SCENARIO_H

#include "carom/model.h"
#include "document/document.h"
#include "scenario/field_description.h"
#include "scenario/grains_description.h"
#include "scenario/stepping_description.h"
#include "symbolic/graph.h"

/// A named expression and where it was written. `node` 0: not given.
typedef struct carom_quantity {
  const char *name;
  carom_node node;
  carom_place place;
} carom_quantity;

/// A parameter: a PARAMETER symbol whose value is `value.node`, an expression of earlier
/// parameters.
typedef struct carom_parameter {
  carom_quantity value;
  carom_node symbol;
} carom_parameter;

/// A coordinate: q and its rate; start values are expressions of parameters. Of a speed that is the
/// rate of no coordinate `symbol` and `start` are 0, and `rate` has the speed's name.
typedef struct carom_coordinate {
  const char *name;
  carom_node symbol, rate, acceleration; // COORDINATE, RATE, ACCELERATION symbols (same index)
  carom_node start, start_rate;
  bool rate_written;
  carom_node force; // generalised force, 0 when none is given
  carom_place place;
} carom_coordinate;

/// A first-order state z' = equation. The checked description holds no STATE_RATE symbol: wherever
/// z' was written, the equation stands; but of coordinates with given rates it stays in the kinetic
/// energy, whose derivatives by those rates are needed.
typedef struct carom_state {
  const char *name;
  carom_node symbol, rate; // STATE and STATE_RATE symbols (same index)
  carom_node start, equation;
  carom_node
      force; // of a coordinate with a given rate: the generalised force, 0 when there is none
  carom_place place;
} carom_state;

/// While a contact or a constraint exists.
typedef struct carom_presence {
  carom_node when; // a condition; 0: always
  bool push;       // where it appears in a position that breaks it, positions are brought there
} carom_presence;

/// A bilateral constraint: expression = 0, at position level or, where rates occur, velocity level.
typedef struct carom_constraint {
  carom_quantity value;
  bool velocity_level;
  carom_presence presence;
} carom_constraint;

typedef enum carom_law { CAROM_LAW_NEWTON, CAROM_LAW_POISSON, CAROM_LAW_ENERGETIC } carom_law;

/// What ends the expansion of an energetic impact.
typedef enum carom_stop_rule {
  CAROM_STOP_BY_WORK,
  CAROM_STOP_BY_IMPULSE,
  CAROM_STOP_BY_VELOCITY
} carom_stop_rule;

/// What an energetic impact is told beside its numbers.
typedef struct carom_march_ways {
  carom_stop_rule stop_rule;
  bool sequential, hold; // waits for those that approach; held at rest when e = 0
} carom_march_ways;

/// The numbers that the laws of a contact take, each an expression: all that looks through them
/// (values, what they depend on, mirrors) is made from this list.
#define CAROM_CONTACT_NUMBERS(X)                                                                   \
  X(across)                                                                                        \
  X(stick)                                                                                         \
  X(slide) X(impact_stick) X(impact_slide) X(restitution) X(give_back) X(stiffness) X(exponent)
#define CAROM_COUNT_ONE(name) +1
enum { CAROM_CONTACT_NUMBER_COUNT = 0 CAROM_CONTACT_NUMBERS(CAROM_COUNT_ONE) };

/// In space: what lies along the second of two orthonormal tangents.
typedef struct carom_second_slip {
  carom_quantity slip; // node 0: there is no second tangent
  carom_node speed;    // the length of both slips
  carom_node force;    // OTHER symbol, for observables: friction over `across`
} carom_second_slip;

/// A unilateral contact. Friction coefficients may depend on state and slip; 0 node: frictionless.
/// Restitution, stiffness and exponent are always given (0, 1 and 3/2 unless written). A user's
/// tangential law replaces stick and slide; impact friction may stand beside it.
typedef struct carom_contact {
  const char *name;
  carom_place place;
  carom_quantity gap; // of q and t alone
  carom_node apart;   // how far the bodies are from each other, for the certificate; or 0
  carom_presence presence;
  carom_quantity load;     // the normal force where it is given, or 0: then no gap
  bool carried;            // and it is the sum of normal forces of other contacts
  carom_quantity slip;     // linear in the rates; node 0: frictionless
  carom_second_slip space; // of a contact that slides in a plane, not along a line
  carom_node across;       // friction along its second tangent over that along the first:
                           // an ellipse; 0 node: in the plane
  carom_node stick, slide; // mu_s and mu (stick = slide when one number is given)
  carom_node impact_stick, impact_slide; // for impacts; equal to the above unless given
  carom_quantity tangential;             // user law: force = f(normal_force, slip_speed, ...), or 0
  carom_node normal_force, slip_speed;   // OTHER symbols that `tangential` and mu may use
  carom_node tangential_force;           // OTHER symbol; as normal_force, for observables
  carom_law law;
  carom_march_ways march;
  carom_node restitution;         // e
  carom_node give_back;           // et, the restitution of slip; 0 node: none
  carom_node stiffness, exponent; // of the compliance, for `energetic` and compliant runs
  carom_place impact_place;
} carom_contact;

/// A crossing to watch: `when` rises or falls through zero. A written comparison a > b becomes a -
/// b rising.
typedef struct carom_trigger {
  carom_quantity when;
  int direction;   // +1 rising, -1 falling, 0 both
  bool comparison; // written as <, <=, > or >=: it is true where `when` is positive
  bool strict;     // and false where it is zero
} carom_trigger;

/// An assignment of a user event: symbol := value, all values taken before the event.
typedef struct carom_assignment {
  carom_node symbol, value;
  carom_place place;
} carom_assignment;

/// A user event (when / do), or with no assignments a section or a stop. `condition` (written `if`)
/// must be non-zero at the crossing for it to count; 0: every crossing counts.
typedef struct carom_event_rule {
  const char *name;
  carom_trigger trigger;
  carom_node condition;
  carom_place place;
  carom_assignment *assignments;
  int assignment_count;
} carom_event_rule;

typedef enum carom_reduction {
  CAROM_REDUCE_MEAN,
  CAROM_REDUCE_MAX,
  CAROM_REDUCE_MIN,
  CAROM_REDUCE_MEAN_RATE, // (last - first) / duration of the window
  CAROM_REDUCE_LAST,
  CAROM_REDUCE_COUNT, // of a named event, section or contact impact
  CAROM_REDUCE_AT     // value at the last crossing of one, before what it changes
} carom_reduction;

/// A reducer inside an observable: a REDUCER symbol whose value is known after the run.
typedef struct carom_reducer {
  carom_reduction kind;
  carom_node symbol;
  carom_node value;   // what is reduced; 0 for count
  const char *target; // event, section or contact of count and at
  carom_place place;
} carom_reducer;

/// A named motion: `word` (or NULL) and a condition on observables (or 0); both must hold.
typedef struct carom_regime {
  const char *name, *word;
  carom_node condition;
  carom_place place;
} carom_regime;

typedef enum carom_shape_kind {
  CAROM_SHAPE_CIRCLE,  // points[0] = centre, radius
  CAROM_SHAPE_SEGMENT, // two points
  CAROM_SHAPE_POLYGON, // three or more points
  CAROM_SHAPE_PLANE,   // points[0].y = height of a horizontal line
  CAROM_SHAPE_SPRING,  // two points
  CAROM_SHAPE_DAMPER,  // two points
  CAROM_SHAPE_ANGLE,   // points[0] = apex, radius, from, to
  // made where a scenario has no shapes
  CAROM_SHAPE_WALL, // a point and a normal, of three numbers each
  CAROM_SHAPE_BEAD, // points[0].x = a value, drawn on its row
  CAROM_SHAPE_STOP, // points[0].x = where the bead of that row is stopped, free on `side`
  // in space, by their `numbers`: place (3) and what takes a ball, cube or drum of half extents 1
  // to the shape, by rows (9)
  CAROM_SHAPE_BALL,
  CAROM_SHAPE_BOX,
  CAROM_SHAPE_DRUM,
  CAROM_SHAPE_LINE, // its middle (3), half of the way along it (3)
  CAROM_SHAPE_FLOOR // a point (3), the normal (3)
} carom_shape_kind;

typedef struct carom_shape {
  carom_shape_kind kind;
  int count;
  carom_node (*points)[2];
  carom_node *numbers; // of shapes in space
  int number_count;
  carom_node radius, from, to;
  const char *label, *color, *fill; // or NULL
  int row;                          // of beads and stops
  double side;                      // +1, -1
} carom_shape;

/// Run settings; nodes are expressions of parameters, 0: default.
typedef struct carom_run_settings {
  carom_node until, sample, rtol, atol, h_max, start; // start: initial time, default 0
  carom_node period;                                  // of the drive
  carom_node
      event_tolerance;      // |g| accepted as zero, in units of what the integrator resolves of it
  carom_node max_events;    // more in one run is an error; default 1e7
  carom_node compliant;     // stiffness of contacts in N/m; 0: contacts are rigid
  const char *hold;         // "energy", "none" or NULL (default: energy where it is conserved)
  const char *detect;       // "exact" (default) or "step ends" (deliberately loose, for studies)
  const char *assemble;     // "yes": the start is brought onto the constraints
  const char *method;       // "automatic" (default), "explicit", "implicit"
  const char *chatter;      // "ratio" (default), "speed", "time", "accumulation"
  carom_node chatter_value; // the ratio, speed [m/s] or time [s]
} carom_run_settings;

/// Energies that are given as expressions.
typedef struct carom_energies {
  carom_quantity kinetic, potential, dissipation;
} carom_energies;

/// What is drawn of the bodies.
typedef struct carom_drawing {
  carom_shape *shapes;
  int count;
  bool made;  // not written: points, lines and beads for coordinates and contacts
  bool space; // shapes have three coordinates, z is up
} carom_drawing;

/// Units of the nodes of the graph (units.h), where the scenario writes some; else none.
typedef struct carom_node_units {
  struct carom_dimension *dimensions;
  carom_node count;
} carom_node_units;

/// What is asked of a run, and the units in which it is told.
typedef struct carom_measuring {
  carom_quantity after, over; // time at which it begins; how long it lasts
  carom_quantity *observables;
  carom_reducer *reducers;
  carom_regime *regimes;
  int observable_count, reducer_count, regime_count;
  carom_node_units units;
} carom_measuring;

/// Conditions under which something happens.
typedef struct carom_rule_lists {
  carom_event_rule *sections, *stops, *events;
  int section_count, stop_count, event_count;
} carom_rule_lists;

/// Named expressions.
typedef struct carom_definition_list {
  carom_quantity *items;
  int count;
} carom_definition_list;

/// Velocities that are not rates of coordinates, q' = G(q) u: how many of the scenario's speeds and
/// states take part, and what G keeps.
typedef struct carom_kinematics {
  int speeds;      // entries behind the coordinates: a rate without a coordinate of its own
  int coordinates; // the first of the states: coordinates whose rates are given, linear in rates
  int lifted; // the last of the states: parameters as constants of the motion, see engine/lift.c
  carom_quantity *invariants; // functions of those coordinates that stay zero
  int invariant_count;
} carom_kinematics;

/// A convex body with flat faces, for contacts whose features change.
typedef struct carom_convex_shape {
  const char *name;
  carom_place place;
  carom_node at[3], turn[9]; // by rows
  int corner_count;
  carom_node (*corners)[3]; // in the body, of parameters
} carom_convex_shape;

/// A contact between two of them (convex/slot.h): the first of its numbers among the parameters,
/// and what is negative where it has left its features.
typedef struct carom_convex_slot {
  int contact, numbers;
  carom_node within[2];
} carom_convex_slot;

typedef struct carom_convex_pair {
  int first, second; // shapes
  int slot_count;
  carom_convex_slot *slots;
} carom_convex_pair;

/// A flat round face over a plane: the contacts at the three points of its rim on which it rests
/// when it lies flat, and the first of two numbers among the parameters, the direction of the first
/// one in the body (bodies/body_rim.c).
typedef struct carom_round_patch {
  int contacts[3], way;
} carom_round_patch;

typedef struct carom_convex_list {
  carom_convex_shape *shapes;
  carom_convex_pair *pairs;
  carom_round_patch *patches;
  int shape_count, pair_count, patch_count;
  int numbers; // the last ones of the parameters, which nobody sets: of slots, then of patches
} carom_convex_list;

/// What engines of their own are told; NULL: the scenario is not for that engine.
typedef struct carom_descriptions {
  carom_field_description *field;
  carom_grains_description *grains;
  carom_stepping_description *stepping;
} carom_descriptions;

typedef struct carom_scenario {
  carom_arena *arena;
  carom_document *document; // resolved: includes merged, overrides applied
  carom_graph *graph;
  const char *title, *engine; // engine defaults to "hybrid"
  carom_node time;
  carom_parameter *parameters;
  carom_coordinate *coordinates;
  carom_state *states;
  carom_definition_list definitions;
  carom_kinematics kinematics;
  carom_energies energies;
  carom_constraint *constraints;
  carom_contact *contacts;
  carom_drawing drawing;
  carom_run_settings run;
  carom_measuring measure;
  carom_rule_lists rules;
  carom_descriptions described;
  carom_convex_list convex;
  int parameter_count, coordinate_count, state_count, constraint_count, contact_count;
} carom_scenario;

/// Reads and checks a file (or `text`, when `text` is not NULL; `path` then names it in messages
/// and gives the folder of includes and tables; with no path the text may not read files). The
/// scenario owns its memory. On an error *scenario is NULL.
carom_status carom_scenario_read(const char *path, const char *text, int setting_count,
                                 const carom_setting *settings, const carom_allocator *allocator,
                                 carom_scenario **scenario, carom_error *error);
void carom_scenario_free(carom_scenario *scenario);

/// Values of all graph symbols for checking and for start values: parameters evaluated in order,
/// time = start, coordinates and states at their start values, rates at start rates, the rest 0.
/// `given[k]` (nullable array, NaN: not given) overrides the value of parameter k before the
/// parameters that depend on it are evaluated. `values` has carom_graph_symbol_count entries.
carom_status carom_scenario_values(const carom_scenario *scenario, const double *given,
                                   double *values, carom_error *error);

/// Largest numbers of things in one scenario; more is refused with a message.
enum {
  CAROM_SCENARIO_MAX_COORDINATES = 1000, // and as many states, contacts, constraints
  CAROM_SCENARIO_MAX_NAMES = 5000,       // parameters, definitions, observables
  CAROM_SCENARIO_MAX_ASIDE = 50000,      // definitions that are not recorded
  CAROM_SCENARIO_MAX_NODES = 400000,     // parts of all written expressions, derivatives included
  CAROM_SCENARIO_MANY = 10               // times as much of each where nothing is derived: stepping
};

/// How many there may be in this scenario of what has the limit `most`.
static inline int carom_scenario_most(const carom_scenario *scenario, int most) {
  return scenario->described.stepping ? most * CAROM_SCENARIO_MANY : most;
}

/// The unit of a node in SI, as text; false and "" where it has none or where nothing is known of
/// it. Units are known where the scenario writes them (units.h).
bool carom_scenario_unit(const carom_scenario *scenario, carom_node node, char *text, size_t room);

/// Does this parameter say how many members a family has? Then it is fixed once the file is read.
bool carom_scenario_counts_by(const carom_scenario *scenario, const char *name);

/// How many parameters there are that somebody may set.
static inline int carom_scenario_settable(const carom_scenario *scenario) {
  return scenario->parameter_count - scenario->convex.numbers;
}

/// How many rates there are: of coordinates, then speeds of their own.
static inline int carom_scenario_rates(const carom_scenario *scenario) {
  return scenario->coordinate_count + scenario->kinematics.speeds;
}

/// The symbol index (into carom_graph_symbol) of a node that is a symbol, or -1.
int carom_scenario_symbol_index(const carom_scenario *scenario, carom_node symbol);

#endif
