// SPDX-License-Identifier: MIT
/// A register program computes a list of expressions. One program, three ways to run it: for one
/// state, over intervals (bounds), and, once per change of the parameters, its setup part, which
/// holds all that depends on parameters alone.
///
/// Registers: [0, inputs) are the inputs in the order given at compile time; results are found at
/// work[output(k)]. The caller owns the work array: doubles [registers] or intervals
/// [registers]. A program is constant and shared by all threads.
#ifndef CAROM_SYMBOLIC_PROGRAM_H
#define CAROM_SYMBOLIC_PROGRAM_H

#include "base/interval.h"
#include "symbolic/graph.h"

typedef struct carom_program carom_program;

/// Compiles `count` outputs over `input_count` input symbols (each a SYMBOL node; symbols of kind
/// PARAMETER make the setup part). A symbol that an output needs and that is not an input is an
/// error (CAROM_ERR_ARGUMENT). The program's memory comes from `arena`.
carom_status carom_program_compile(carom_arena *arena, carom_graph *graph, int input_count,
                                   const carom_node *inputs, int count, const carom_node *outputs,
                                   carom_program **program, carom_error *error);

int carom_program_registers(const carom_program *program);
int carom_program_output(const carom_program *program, int k); // register of output k
/// Copies outputs first .. first + count - 1; false when one of them is not finite.
bool carom_program_read(const carom_program *program, const double *work, int first, int count,
                        double *values);
int carom_program_length(const carom_program *program);       // instructions in the body
int carom_program_setup_length(const carom_program *program); // instructions in the setup part

/// Fill constants, then run the setup part from the parameter inputs already in `work`.
void carom_program_setup(const carom_program *program, double *work);
void carom_program_run(const carom_program *program, double *work);

/// One evaluation for a state that lives elsewhere: the inputs that are coordinates, rates and
/// states (the first run of such inputs) come from `states`, the other inputs from `work`, and all
/// outputs go to `values`, which overlaps neither. False when one of them is not finite. What
/// `work` holds of the states and results afterwards is not said.
bool carom_program_evaluate(const carom_program *program, double *work, const double *states,
                            double *values);

/// Machine code that does the same, 0 for finite outputs and NaN otherwise; NULL where there is
/// none. For loops in which every nanosecond counts.
typedef double carom_program_code(double *work, const double *states, double *values);
carom_program_code *carom_program_native(const carom_program *program);

/// The same for four states side by side: elements of all arrays are four numbers, one for each
/// state, and behind the outputs in `values` comes one more, 0 where the outputs of a state are
/// finite and NaN otherwise. The bits are those of each state alone. It is written when somebody
/// asks, into memory that goes with the arena. NULL where there is none: on machines without AVX2,
/// for short programs, and for those that call functions of two numbers or look into tables.
typedef void carom_program_lanes_code(double *work, const double *states, double *values);
carom_program_lanes_code *carom_program_native_lanes(carom_arena *arena,
                                                     const carom_program *program);
/// Would there be such code?
bool carom_program_has_lanes(const carom_program *program);

/// The same over intervals: each output encloses the values of all points in the input boxes where
/// every part of the expression has a value (a comparison with NaN is outside the promise).
void carom_program_setup_bounds(const carom_program *program, carom_interval *work);
void carom_program_run_bounds(const carom_program *program, carom_interval *work);

/// After a run that gave a non-finite output: the node of the first instruction whose result is not
/// finite although its operands are and which spoils an output (a branch not taken does not), or
/// the constant or input that was not finite from the start; 0 when the outputs are finite. For
/// error messages: takes a few runs.
carom_node carom_program_blame(const carom_program *program, double *work);

#endif
