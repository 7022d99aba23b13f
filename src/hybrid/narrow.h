// SPDX-License-Identifier: MIT
/// Forces that may be narrower than a step. Error control knows a force where a step evaluates it
/// and nowhere else: a well of 5 mm on a flight of metres lies between two stages, and the step
/// passes with an error of zero. What a force is made of tells whether it can do that:
/// exponentials, quotients by something that moves, sampled functions. Such terms are looked at all
/// along every step, by samples and, between them, by bounds; a step along which one does what its
/// samples do not tell is made shorter.
#ifndef CAROM_HYBRID_NARROW_H
#define CAROM_HYBRID_NARROW_H

#include "hybrid/gentle.h"
#include "hybrid/watch.h"

/// What may be narrow of an acceleration or of the rate of a state, and the component of y that it
/// moves; or a coefficient of friction or a given load (-1), which all velocities may feel.
typedef struct carom_narrow_term {
  carom_watch function;
  int moves;
  bool leaps; // it may also go from one value to another within a short way
} carom_narrow_term;

typedef struct carom_narrow_set {
  int count;
  carom_narrow_term *terms;
  carom_gentle_set gentle; // tells most steps that need no look
  int first_rate, rates;   // the velocities in y
} carom_narrow_set;

/// Its registers in one simulation.
typedef struct carom_narrow_work {
  carom_watch_work *terms;
  carom_interval *gentle;
} carom_narrow_work;

/// The terms of the equations that may be narrow, and those of the `count` coefficients of friction
/// (0: there is none) that place and time decide.
carom_status carom_narrow_compile(carom_narrow_set *set, carom_arena *arena,
                                  const carom_dynamics *dynamics, const carom_path_symbols *path,
                                  int count, const carom_node *frictions, carom_error *error);

carom_status carom_narrow_work_init(carom_narrow_work *work, carom_arena *arena,
                                    const carom_narrow_set *set, carom_error *error);
void carom_narrow_configure(const carom_narrow_set *set, carom_narrow_work *work,
                            const carom_dynamics *dynamics, const double *parameters,
                            const double *modes);

/// Makes the tried step so short that samples tell what all terms do along it.
carom_status carom_narrow_limit(const carom_narrow_set *set, carom_narrow_work *work,
                                carom_stepper *stepper, carom_error *error);

#endif
