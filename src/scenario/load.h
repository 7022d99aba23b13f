// SPDX-License-Identifier: MIT
/// Inside the loader: names, what an expression may use, and the order of work. Only the files
/// load*.c of this room include this.
#ifndef CAROM_SCENARIO_LOAD_H
#define CAROM_SCENARIO_LOAD_H

#include "carom/keys.h"
#include "scenario/scenario.h"

typedef enum carom_binding_kind {
  CAROM_BINDING_PARAMETER,
  CAROM_BINDING_TIME,
  CAROM_BINDING_COORDINATE,
  CAROM_BINDING_SPEED, // index: in the array of coordinates, behind them
  CAROM_BINDING_STATE,
  CAROM_BINDING_DEFINITION,
  CAROM_BINDING_OBSERVABLE
} carom_binding_kind;

/// A name of the scenario. Definitions and observables have no node before they are read.
typedef struct carom_binding {
  const char *name;
  carom_binding_kind kind;
  int index;                // in the scenario's array of its kind
  carom_node node;          // 0: not read yet
  bool open;                // being read, for cycles
  const carom_yaml *source; // of a definition or observable
  carom_place place;        // of the name
} carom_binding;

/// Bit of a symbol kind, for carom_rules and carom_node_depends_kind.
#define CAROM_KIND(name) (1u << CAROM_SYMBOL_##name)

enum {
  CAROM_KINDS_FIXED = CAROM_KIND(PARAMETER),
  CAROM_KINDS_POSITION =
      CAROM_KINDS_FIXED | CAROM_KIND(TIME) | CAROM_KIND(COORDINATE) | CAROM_KIND(STATE),
  CAROM_KINDS_MOTION = CAROM_KINDS_POSITION | CAROM_KIND(RATE) | CAROM_KIND(STATE_RATE),
  CAROM_KINDS_SEEN = CAROM_KINDS_MOTION | CAROM_KIND(ACCELERATION)
};

/// What an expression at some place of the scenario may be made of.
typedef struct carom_rules {
  const char *what;                     // the path, for messages: "contacts.left.gap"
  unsigned kinds;                       // symbol kinds it may depend on
  bool earlier;                         // only parameters above: inside `parameters`
  bool reducers;                        // mean(...), count(...), and observables by name
  const carom_contact *contact;         // whose `slip` and `normal` may be used, or NULL
  bool normal;                          // with a contact: `normal` too, not only `slip`
  bool forces;                          // left.normal and left.tangential of every contact
  bool keeps_rates;                     // rates of coordinates stay where they are given
  bool measured;                        // a quantity, no condition: y, not y >= 0
  const carom_field_description *field; // whose d, vn and vt may be used, or NULL
  const char *hint;                     // what to do instead when a kind is not allowed, or NULL
} carom_rules;

typedef struct carom_loaded_table {
  const char *path;
  int index;
} carom_loaded_table;

/// Definitions that are being read, one for another.
typedef struct carom_loader_stack {
  struct carom_frame *frames;
  int room;
} carom_loader_stack;

typedef struct carom_loader {
  carom_arena *arena;
  carom_graph *graph;
  carom_scenario *scenario;
  carom_document *document;
  carom_error *error; // never NULL inside the loader

  carom_binding *bindings;
  int binding_count, binding_capacity;
  int *slots; // hash of names: number of the binding + 1, or 0
  int slot_count;

  // the expression being read
  const carom_rules *rules;
  const carom_yaml *scalar;
  bool placed; // the error already has its true place
  int parameters_visible, call_depth;
  bool out_of_memory;
  int equations_known; // states of which z' can be replaced by its equation: the first ones
  bool units_written;  // a number has a unit

  carom_loaded_table *tables;
  int table_count, table_capacity, reducer_capacity;
  double *spread; // values of all symbols, where an expression is tried
  int spread_count;
  carom_loader_stack reading;
} carom_loader;

// load_names.c
carom_status carom_load_names(carom_loader *loader);
carom_status carom_load_definitions(carom_loader *loader, carom_binding_kind kind);
/// Reads the definitions that an expression needs, where that is still to be done.
carom_status carom_load_needed(carom_loader *loader, const carom_yaml *source);
carom_status carom_loader_declare(carom_loader *loader, carom_binding binding);
/// A parameter that is 0 and stands behind those of the file; there is room for as many as were
/// asked for.
carom_status carom_loader_grow_parameters(carom_loader *loader, int more);
carom_status carom_loader_add_parameter(carom_loader *loader, const char *name, carom_place place);
carom_binding *carom_loader_find(const carom_loader *loader, const char *name);
/// Letters, digits and _, no digit first; `what` is "a contact", for the message.
carom_status carom_loader_check_name(carom_loader *loader, const char *name, carom_place place,
                                     const char *what);
int carom_loader_names(const carom_loader *loader, const char **names, int room);
const char *carom_binding_words(carom_binding_kind kind); // "a parameter"

// load_solids.c
/// Is it a shape that only space has?
bool carom_shape_is_solid(const carom_yaml *map);
carom_status carom_load_solid(carom_loader *loader, carom_shape *shape, const carom_yaml *map,
                              const char *what);

// load_contacts.c
/// `when` and `appear` of a contact or a constraint, whose path is `what`.
carom_status carom_load_presence(carom_loader *loader, const carom_yaml *map, const char *what,
                                 carom_presence *presence);
// load_expression.c
/// From here on z' of the first `count` states is replaced by its equation.
void carom_loader_know_equations(carom_loader *loader, int count);
/// Reads an expression under the rules; the node is 0 only on an error.
carom_status carom_load_expression(carom_loader *loader, const carom_yaml *scalar,
                                   const carom_rules *rules, carom_node *node);
/// The same, where `a = b` may also be written and becomes a - b; *equation tells.
carom_status carom_load_equation(carom_loader *loader, const carom_yaml *scalar,
                                 const carom_rules *rules, carom_node *node, bool *equation);
/// Reads an argument of a call within the expression being read.
carom_node carom_load_argument(carom_loader *loader, const char *text, carom_place place,
                               carom_error *error);
/// The node with every z' from number `first` on replaced by its equation, where it is known; 0 on
/// failure.
carom_node carom_loader_replace_rates(carom_loader *loader, carom_node node, int first);
/// Does the node depend on something that motion changes: a coordinate or a rate?
bool carom_loader_moves(const carom_loader *loader, carom_node node);
/// The value of a node; NaN also when out of memory, which is remembered and reported at the end.
double carom_loader_value(carom_loader *loader, carom_node node, const double *values);
/// Is `node` zero? Proven, or tried at a few points and small beside `scale`.
bool carom_loader_vanishes(carom_loader *loader, carom_node node, carom_node scale);
/// Is every second derivative by rates zero?
bool carom_loader_linear(carom_loader *loader, carom_node node);
/// "energy.kinetic": a path for messages; "" when out of memory.
const char *carom_loader_path(carom_loader *loader, const char *format, ...) CAROM_PRINTF(2, 3);
/// Where a place given by the parser really is.
carom_place carom_loader_place(const carom_loader *loader, carom_place place);
/// The entry of a map when it is there and is not empty, or NULL.
const carom_yaml *carom_loader_get(const carom_yaml *map, const char *key);
/// An array for the entries of a map; fails beyond `most`.
carom_status carom_loader_room(carom_loader *loader, const carom_yaml *map, int most,
                               const char *what, size_t size, void **array);
/// Failure of the graph itself: out of memory or too large.
carom_status carom_loader_graph_failed(carom_loader *loader, carom_place place);

// load_table.c
/// table("name", argument), with the file read once. `place` is where the name really stands;
/// `error` then has its true place too and loader->placed is set.
carom_node carom_load_table(carom_loader *loader, const char *name, carom_place place,
                            carom_node argument, carom_error *error);
/// Behind blanks, tabs and the \r of line ends.
const char *carom_load_skip_blanks(const char *p);
/// Reads a number, with a sign or without, and returns what follows it; NULL when there is none.
const char *carom_load_signed_number(const char *p, double *value);

// one file per group of sections
carom_status carom_load_settings(carom_document *document, const char *engine, int count,
                                 const carom_setting *settings, carom_error *error);
carom_status carom_load_parameters(carom_loader *loader);
/// A start value: an expression of parameters, 0 when it is not given.
carom_status carom_load_start(carom_loader *loader, const carom_yaml *value, const char *what,
                              carom_node *node);
carom_status carom_load_mechanics(carom_loader *loader);
/// There is no coordinate of this name in a section, where it would be wanted for a purpose.
carom_status carom_load_no_coordinate(carom_loader *loader, const char *section, const char *name,
                                      const char *purpose, carom_place place);
/// `rates`: coordinates whose rates are linear in others; before definitions, which may use them.
carom_status carom_load_rates(carom_loader *loader);      // load_kinematics.c
carom_status carom_load_invariants(carom_loader *loader); // of those coordinates
carom_status carom_load_speeds(carom_loader *loader);     // their start values
carom_status carom_load_contacts(carom_loader *loader);
carom_status carom_load_shapes(carom_loader *loader);
carom_status carom_load_slot_numbers(carom_loader *loader); // load_convex.c: before the contacts
carom_status carom_load_convex(carom_loader *loader);       // after them
carom_status carom_load_field_names(carom_loader *loader);  // load_field.c
carom_status carom_load_field(carom_loader *loader);
carom_status carom_load_field_motion(carom_loader *loader);
carom_status carom_load_grains_names(carom_loader *loader); // load_grains.c
carom_status carom_load_grains(carom_loader *loader);
carom_status carom_load_grains_table(carom_loader *loader, const carom_yaml *name); // of the file
carom_status carom_load_stepping(carom_loader *loader); // load_stepping.c
carom_status carom_load_run(carom_loader *loader);
carom_status carom_load_rules(carom_loader *loader); // events, sections, stop
carom_status carom_load_observe(carom_loader *loader);
/// Reducer number k for users; false beyond the last.
bool carom_reducer_read(int k, carom_expression_function *read);
carom_node carom_load_reducer(carom_loader *loader, const char *name, int count,
                              const char *const *arguments, const carom_place *places,
                              carom_place place, carom_error *error);
carom_status carom_load_checks(carom_loader *loader);
carom_status carom_load_units(carom_loader *loader);

#endif
