// SPDX-License-Identifier: MIT
/// A model whose parameters are constants of the motion, so that tangent dynamics carries
/// derivatives by them, and functions of its state with their exact slopes.
#ifndef CAROM_ENGINE_LIFTED_H
#define CAROM_ENGINE_LIFTED_H

#include "engine/engine.h"

/// Parameters become states that do not change, so that tangent dynamics carries derivatives by
/// them: `p` is followed by the state `p~`, which starts with its value and stands for it in
/// equations, laws and rules; parameters computed from it are written out. Start values and run
/// settings keep the parameters. Each mean(...) of an observable gets the state `mean~K`, its
/// integral, where it is a function of the state. CAROM_ERR_ARGUMENT, CAROM_ERR_UNSUPPORTED: a name
/// that cannot be lifted.
carom_status carom_scenario_lift(carom_scenario *scenario, int count, const char *const *names,
                                 carom_error *error);
/// The same as was done to `original`.
carom_status carom_scenario_lift_as(carom_scenario *scenario, const carom_scenario *original,
                                    carom_error *error);
/// The section `peak~K`, where the expression of reducer k passes an extreme: its rate falls
/// through zero for a max, rises for a min.
carom_status carom_scenario_watch_peak(carom_scenario *scenario, int k, carom_error *error);
/// A node of parameters written in those that are given as numbers and in the parameter `kept`,
/// which may be computed itself (0: none). 0: out of memory.
carom_node carom_scenario_written_out(carom_scenario *scenario, carom_node node, carom_node kept);

/// A function of time and state, and of reducers where it is an observable.
typedef struct carom_lifted_function {
  carom_node value, time;
  carom_node *slope;   // by every component of the state
  carom_node *reducer; // by every reducer; NULL: of the state alone
} carom_lifted_function;

/// Times that may depend on parameters.
typedef struct carom_lifted_time {
  double at;
  double *slope; // by each input
} carom_lifted_time;

typedef struct carom_lifted {
  carom_arena *arena;
  carom_model *model;
  int size, by_count, of_count, reducer_count;
  int *symbol;        // per component of the state, in `values`
  double *values;     // of every symbol of the graph
  double *directions; // [size][by_count]: how the start moves with each input
  carom_lifted_function *outputs, *reducers;
  carom_lifted_function *sections, *stops; // whose zeros they are; value 0: not of the state alone
  carom_lifted_time until, from, over;     // over.at NaN: up to the end
} carom_lifted;

/// The model anew, with the inputs `by` (parameters, components of the start) lifted and the
/// outputs `of` (observables, definitions, components of the state). The caller destroys it.
carom_status carom_lifted_create(const carom_model *model, int by_count, const char *const *by,
                                 int of_count, const char *const *of, carom_lifted **lifted,
                                 carom_error *error);
void carom_lifted_destroy(carom_lifted *lifted); // NULL is legal
/// What an input is, with these values: a start as it is written, before constraints move it.
double carom_lifted_written(const carom_lifted *it, const char *name, int count,
                            const carom_value *values);
/// How the start and the times of the run move with the inputs, at these values.
carom_status carom_lifted_start(carom_lifted *it, int by_count, const char *const *by,
                                int value_count, const carom_value *values, carom_error *error);
/// The same where constraints or closed contacts make the start: rates that are not written come
/// from them, so that start directions are differences of starts; and where contacts strike at the
/// start, which is told from behind the impacts. An input that has no neighbours
/// on both sides keeps the direction written, which tangent dynamics brings onto the constraints.
/// `simulation` is of the lifted model, at its start with these values.
carom_status carom_lifted_begin(carom_lifted *it, carom_simulation *simulation, int by_count,
                                const char *const *by, int value_count, const carom_value *values,
                                carom_error *error);
/// The function whose zero is a section or a stop; NULL: it has no slopes.
const carom_lifted_function *carom_lifted_trigger(const carom_lifted *it, bool stop,
                                                  const char *name);
/// What `at` and `count` look at, and whether an output is made of reducer k.
const char *carom_lifted_target(const carom_lifted *it, int k);
bool carom_lifted_uses(const carom_lifted *it, int output, int k);
/// From now on functions are evaluated at this state.
void carom_lifted_place(carom_lifted *it, double t, const double *y);
double carom_lifted_evaluate(const carom_lifted *lifted, carom_node node);
/// The kind of reducer k, and for a mean the component of the state that is its integral.
carom_reduction carom_lifted_reduction(const carom_lifted *it, int k, int *component);
void carom_lifted_reduced(carom_lifted *it, int k, double value);

#endif
