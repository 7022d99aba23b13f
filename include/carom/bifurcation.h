// SPDX-License-Identifier: MIT
/// Bifurcation diagrams: an attractor followed along a parameter, seen where it crosses a section.
#ifndef CAROM_BIFURCATION_H
#define CAROM_BIFURCATION_H

#include "carom/sweep.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The attractor at one value of the parameter. Texts and arrays belong to the diagram.
typedef struct carom_bifurcation_point {
  double value;
  int direction; // +1 up, -1 down, 0 fresh
  const char *word, *regime;
  int period;              // crossings after which the state comes back; 0: not found
  int count;               // of crossings kept; 0: none was met
  const double *crossings; // the observable at them; where there are none, its final value
  bool passed;
  carom_status status; // of the run: < 0 it failed
  const char *failure;
} carom_bifurcation_point;

/// Start from carom_bifurcation_options_default(). Everything is borrowed during the call.
typedef struct carom_bifurcation_options {
  const carom_model *model;
  const carom_axis *axis; // a parameter
  const char *section;    // a section, event or contact (its impacts); NULL: the first section
  const char *observable; // at crossings: a coordinate, rate, state or definition; NULL: the
                          // first of them
  bool both;              // up along the axis and down again
  bool fresh;             // every value starts as the scenario says; nothing is carried on
  long skip; // crossings thrown away; < 0: those before measure.after, to the run's end
  int keep;  // crossings kept, the last ones
  double period_tolerance; // how exactly states must come back, relative to their size
  double refine;           // step of the parameter where the motion changes; 0: that of the axis
  double tolerance;        // to which critical values are located; 0: they are not
  int threads;             // of fresh diagrams
  const char *card;        // as in a sweep, of fresh diagrams
  const char *card_cache;
  const char *journal; // as in a sweep
  bool resume;
  int part, parts; // as in a sweep, of fresh diagrams
  bool ranks;      // as in a sweep; what is carried from value to value is not shared
  carom_watcher watcher;
  // of diagrams that are carried on: told each point as soon as it is known, with the ctx of the
  // watcher; its texts and arrays hold during the call alone. NULL: nobody
  void (*found)(void *ctx, const carom_bifurcation_point *point);
  size_t size; // set by the default function; proves that it was used
} carom_bifurcation_options;
CAROM_API carom_bifurcation_options carom_bifurcation_options_default(void);

/// Where the motion changes between two values on the way of the parameter.
typedef struct carom_bifurcation_change {
  int direction;
  double value;                     // the critical value: middle of the interval
  double near, far;                 // the interval; `near` was met first
  const char *near_text, *far_text; // word and period on either side
  bool located;                     // by bisection; false: between two points of the diagram
} carom_bifurcation_change;

typedef struct carom_bifurcation carom_bifurcation;

/// CAROM_OK, or CAROM_STOP_USER when it was stopped: the diagram then holds what was done. The
/// caller destroys it.
CAROM_API carom_status carom_bifurcation_run(const carom_bifurcation_options *options,
                                             carom_bifurcation **diagram, carom_error *error);
/// What a card did of a fresh diagram, see carom_sweep_card().
CAROM_API const carom_card_report *carom_bifurcation_card(const carom_bifurcation *diagram);
CAROM_API void carom_bifurcation_destroy(carom_bifurcation *diagram); // NULL is legal

CAROM_API long carom_bifurcation_points(const carom_bifurcation *diagram);
CAROM_API const carom_bifurcation_point *
carom_bifurcation_point_at(const carom_bifurcation *diagram, long k);
CAROM_API long carom_bifurcation_changes(const carom_bifurcation *diagram);
CAROM_API const carom_bifurcation_change *
carom_bifurcation_change_at(const carom_bifurcation *diagram, long k);
/// The observable and the section that were used.
CAROM_API const char *carom_bifurcation_observable(const carom_bifurcation *diagram);
CAROM_API const char *carom_bifurcation_section(const carom_bifurcation *diagram);

#ifdef __cplusplus
}
#endif
#endif
