// SPDX-License-Identifier: MIT
/// The Taylor series of a phase: of the motion, and of the functions that are watched in it. On a
/// step by series a watched function is a polynomial, with bounds of its own.
#ifndef CAROM_HYBRID_PHASE_SERIES_H
#define CAROM_HYBRID_PHASE_SERIES_H

#include "hybrid/contacts.h"

struct carom_hybrid;
struct carom_hybrid_model;

/// One phase of a model (constant).
typedef struct carom_phase_series {
  carom_program *program; // NULL: there is none
  int degree;
  int functions; // how many there are in the program
  bool own;      // those of the phase itself, which come first, all have a series
  int *slot;     // per watched function its number among them; -1: it has no series
} carom_phase_series;

/// What a phase is made of.
typedef struct carom_phase_task {
  const carom_node *rates; // as many as the dynamics' flow has
  int own_count;           // functions of the phase itself
  const carom_node *own;
  int contact; // the one that is closed, in this mode; -1: none
  carom_contact_mode mode;
} carom_phase_task;

/// A phase whose series is made when a motion first comes to it: most motions meet few of the
/// phases of their model. What is made is the same whoever makes it.
typedef struct carom_phase_later carom_phase_later;

/// Work space of one phase in one simulation.
typedef struct carom_phase_work {
  double *registers; // NULL: not yet
  long configured;   // for which configuration its registers were set up
} carom_phase_work;

carom_status carom_phase_series_compile(carom_phase_series *series, carom_arena *arena,
                                        const struct carom_hybrid_model *model,
                                        const carom_phase_task *task, carom_error *error);
/// Keeps what the series will be made of; `model` and `arena` must outlive it.
carom_status carom_phase_series_plan(carom_phase_later **later, carom_arena *arena,
                                     const struct carom_hybrid_model *model,
                                     const carom_phase_task *task, carom_error *error);
/// The series, made now where nobody has made it yet. Any number of threads may ask at once: each
/// makes one, the first to be ready is kept, the others go. NULL, with an error, without memory.
const carom_phase_series *carom_phase_series_make(carom_phase_later *later, carom_error *error);

carom_status carom_phase_work_init(carom_phase_work *work, carom_arena *arena,
                                   const carom_phase_series *series, carom_error *error);

/// Registers for the parameters and modes in force, where they are not yet.
void carom_phase_series_configure(const carom_phase_series *series, carom_phase_work *work,
                                  const struct carom_hybrid *it);
/// The coefficients at (t, y), in the order of series.h.
carom_status carom_phase_series_evaluate(const carom_phase_series *series, carom_phase_work *work,
                                         const struct carom_hybrid *it, double t, const double *y,
                                         double *c);

/// Numbers that the functions of any phase need behind the coefficients of the motion.
int carom_phase_series_room(const struct carom_hybrid_model *model);

/// To be called before a step by series: makes the series of the present phase and its work space,
/// where they are not there yet.
carom_status carom_phase_series_prepare(struct carom_hybrid *it, carom_error *error);
/// The series of the present phase, or NULL.
const carom_phase_series *carom_phase_series_now(const struct carom_hybrid *it);
/// Its work space.
carom_phase_work *carom_phase_work_now(struct carom_hybrid *it);
/// Is it that of the motion at the state of the stepper? The forces of a contact may not be safe.
bool carom_phase_series_safe(struct carom_hybrid *it);
/// The coefficients of its functions for the tried step, `degree` numbers each.
const double *carom_phase_series_functions(const struct carom_hybrid *it);

#endif
