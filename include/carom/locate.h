// SPDX-License-Identifier: MIT
/// Critical values of a parameter: where the motion changes its word or its regime, where an
/// observable passes a value, where an equilibrium loses its stability to an oscillation.
#ifndef CAROM_LOCATE_H
#define CAROM_LOCATE_H

#include "carom/simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What changes at the critical value.
typedef enum carom_locate_what {
  CAROM_LOCATE_WORD,       // the word of a run
  CAROM_LOCATE_REGIME,     // the regime of a run
  CAROM_LOCATE_OBSERVABLE, // an observable of a run passes `value`
  CAROM_LOCATE_HOPF,       // the real part of an equilibrium's complex eigenvalues passes zero
  CAROM_LOCATE_MOTION      // what `motion` says of a run
} carom_locate_what;

/// Start from carom_locate_options_default(). Texts are borrowed during the call.
typedef struct carom_locate_options {
  carom_locate_what what;
  const char *parameter; // which is varied
  double from, to;       // in either order; a branch is followed from `from`
  const char *observable;
  double value;
  const char *mode; // of the equilibrium, "+"; NULL: the first admissible one with a complex pair
  bool follow;      // runs start at the end of the last run on `from`'s side, not afresh
  const char *solve, *closure; // before each run the parameter `solve` is found for which the
                               // observable `closure` is zero (a periodic motion); NULL: nothing
  /// Moves the simulation, which stands at its start, and says in a text what it did.
  carom_status (*motion)(void *ctx, carom_simulation *simulation, char *text, size_t room,
                         carom_error *error);
  void *ctx;
  double tolerance; // width of the final interval, in units of the parameter
  int most;         // runs at most
  size_t size;      // set by the default function; proves that it was used
} carom_locate_options;
CAROM_API carom_locate_options carom_locate_options_default(void);

/// A critical value that was found.
typedef struct carom_location carom_location;

/// The critical value and what was seen on either side of it. Texts belong to it.
typedef struct carom_location_view {
  double value;                     // the critical value: middle of the interval, or the root
  double near, far;                 // the last interval; `near` is on the side of `from`
  const char *near_text, *far_text; // words or regimes there
  double near_value, far_value;     // observable - value, or real part
  double solved;                    // the value of `solve` at `near`; else 0
  int evaluations;                  // runs, or equilibria computed
  bool near_passed, far_passed;     // did the runs at the two ends pass their certificates?
} carom_location_view;

/// Locates the critical value between `from` and `to`, where the predicate must differ. Words and
/// regimes are bisected: `near` keeps the text seen at `from`. Numbers are found by bracketing
/// interpolation (Chandrupatla 1997). A run that fails counts as a different text; in a search for
/// a number it is an error. The simulation is not moved. CAROM_ERR_INPUT when nothing changes
/// between the ends, CAROM_ERR_LIMIT when `most` evaluations did not suffice.
/// The caller destroys the location.
CAROM_API carom_status carom_locate_run(const carom_simulation *simulation,
                                        const carom_locate_options *options,
                                        carom_location **location, carom_error *error);
CAROM_API void carom_location_destroy(carom_location *location); // NULL is legal
CAROM_API const carom_location_view *carom_location_look(const carom_location *location);

#ifdef __cplusplus
}
#endif
#endif
