// SPDX-License-Identifier: MIT
/// A run with derivatives at work.
#ifndef CAROM_ANALYSIS_SENSITIVITY_PARTS_H
#define CAROM_ANALYSIS_SENSITIVITY_PARTS_H

#include "carom/sensitivity.h"
#include "engine/lifted.h"

/// State and total derivatives at a time.
typedef struct carom_snapshot {
  double t;
  double *y, *slope; // [size], [size][by]
  double *late;      // how the time moves, [by]
} carom_snapshot;

/// A graze on the way.
typedef struct carom_sensitivity_touch {
  const char *name;
  double t;
  double *strength; // [by]: sqrt(2 h'' |d gap/d input|), with the sign of changes that strike
} carom_sensitivity_touch;

enum { CAROM_SENSITIVITY_GRAZES = 16 };

/// Instants with neighbours on several sides.
typedef struct carom_sensitivity_meetings {
  long order;                   // in which contacts of one instant are met
  int aside;                    // the graze whose striking neighbours are followed; -1: none
  carom_sensitivity_side *side; // of each input
  int grazes;
  carom_sensitivity_touch graze[CAROM_SENSITIVITY_GRAZES];
  const char *names; // of contacts that struck together, in the order in which they are met
  int together;      // how many
  double t;          // the last instant at which several struck
} carom_sensitivity_meetings;

/// What lies at the very start and end of a run.
typedef struct carom_sensitivity_edge {
  bool begins;   // it begins on the edge of a branch
  bool ends;     // an event is met at its end
  double *slope; // derivatives just before that, [size][by]
} carom_sensitivity_edge;

/// A stop that ends the run.
typedef struct carom_sensitivity_halt {
  bool met;
  const carom_lifted_function *of; // its function, of an adjoint
  double *late;                    // how its time moves; NaN: not known
} carom_sensitivity_halt;

struct carom_sensitivity {
  carom_sensitivity_view view;
  carom_arena *arena; // of numbers and names that are handed out
  carom_lifted *lifted;
  carom_simulation *simulation;
  carom_snapshot first, last, end; // of the measured part, and of the run
  carom_snapshot seen;             // at one of the times asked for
  const double *times;
  int time_count, passed;
  double *course, *course_slopes, *course_rates;
  double *reduced;              // slopes of reducers, [by]
  double *noted;                // values of reducers that events decide: at, max, min
  carom_snapshot before, after; // an event
  double *change;               // work, [by]
  carom_sensitivity_edge edge;
  carom_sensitivity_halt halt;
  long room;
  carom_sensitivity_event *events;
  bool short_of_memory;
  carom_sensitivity_meetings met;
};

// sensitivity.c
/// Runs the motion; `it` is made anew but for what says which one.
carom_status carom_sensitivity_compute(const carom_sensitivity_options *o, carom_sensitivity *it,
                                       carom_error *error);
carom_sensitivity *carom_sensitivity_create(void); // NULL: out of memory
/// Room from the arena, for one number more than asked for; NULL: there is none.
double *carom_sensitivity_numbers(carom_sensitivity *it, size_t count);

// sensitivity_sides.c
/// An event at which several contacts struck, or a gap touched zero. False: out of memory.
bool carom_sensitivity_meet(carom_sensitivity *it, const carom_event *event);
/// The derivative of the time of one of several contacts that strike at once, if this is one.
void carom_sensitivity_own_time(const carom_sensitivity *it, const carom_event *event,
                                double *slopes);
/// What was met is followed on each of its sides.
carom_status carom_sensitivity_follow_sides(const carom_sensitivity_options *o,
                                            carom_sensitivity *it, carom_error *error);

// sensitivity_adjoint.c
/// The run and its outputs by the adjoint, of what has been prepared.
carom_status carom_sensitivity_pull(const carom_sensitivity_options *o, carom_sensitivity *it,
                                    carom_error *error);

// sensitivity_second.c
carom_status carom_sensitivity_bend(const carom_sensitivity_options *o, carom_sensitivity *it,
                                    carom_error *error);

#endif
