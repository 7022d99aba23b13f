// SPDX-License-Identifier: MIT
/// Functions that are flat in one place and steep in another have a scale of their own: exp(u)
/// changes where u changes by one, 1/u where u doubles. A step along which all arguments stay
/// within such scales sees what these functions do, by its stages alone; it is gentle, and nothing
/// more need be looked at. That is told by one run of a program over intervals.
#ifndef CAROM_HYBRID_GENTLE_H
#define CAROM_HYBRID_GENTLE_H

#include "model/dynamics.h"
#include "ode/stepper.h"

/// What the scale of a function is.
typedef enum carom_scale {
  CAROM_SCALE_NONE,      // it changes as its operands do
  CAROM_SCALE_ONE,       // of its operand
  CAROM_SCALE_DIVISOR,   // its second operand itself
  CAROM_SCALE_OWN,       // its own value: negative powers
  CAROM_SCALE_DIRECTION, // the length of the vector that its two operands are
  CAROM_SCALE_SAMPLED,   // the distance of the points that it is given by
  CAROM_SCALE_UNKNOWN
} carom_scale;
carom_scale carom_scale_of(const carom_graph *graph, carom_node node);

/// Does it depend on more than parameters and branches?
bool carom_gentle_moves(const carom_graph *graph, carom_node node);

/// All such functions in the equations of motion.
typedef struct carom_gentle_set {
  int count;
  carom_scale *scale;     // of each
  double *spacing;        // of the points; 1 of functions that are not given by points
  carom_program *program; // two outputs each: what tells it; inputs those of the dynamics
  int used_count, *used;  // components of y that they depend on
  bool never;             // one of them has a scale that is not known
} carom_gentle_set;

/// Of the equations, and of `count` expressions more (0: there is none).
carom_status carom_gentle_compile(carom_gentle_set *set, carom_arena *arena,
                                  const carom_dynamics *dynamics, int count, const carom_node *more,
                                  carom_error *error);

/// Its registers in one simulation: NULL when out of memory.
carom_interval *carom_gentle_room(const carom_gentle_set *set, carom_arena *arena);
void carom_gentle_configure(const carom_gentle_set *set, carom_interval *registers,
                            const carom_dynamics *dynamics, const double *parameters,
                            const double *modes);

/// Is the tried step gentle?
bool carom_gentle_step(const carom_gentle_set *set, carom_interval *registers,
                       const carom_stepper *stepper);
/// By bounds over parts of the dense output, which is there: where terms cancel these are less wide
/// together than those over the step at once.
bool carom_gentle_parts(const carom_gentle_set *set, carom_interval *registers,
                        const carom_stepper *stepper);

#endif
