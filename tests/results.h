// SPDX-License-Identifier: MIT
/// Results of analyses as plain views, for tests that compare many of them: what is behind a view
/// lives until the program ends.
#ifndef CAROM_TESTS_RESULTS_H
#define CAROM_TESTS_RESULTS_H

#include "carom/carom.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_RESULTS = 4096 };

typedef struct kept_results {
  int orbits, exponents, locations;
  carom_orbit *orbit[MOST_RESULTS];
  carom_lyapunov *exponent[MOST_RESULTS];
  carom_location *location[MOST_RESULTS];
} kept_results;

static kept_results kept;

static inline void end_results(void) {
  for (int k = 0; k < kept.orbits; k++)
    carom_orbit_destroy(kept.orbit[k]);
  for (int k = 0; k < kept.exponents; k++)
    carom_lyapunov_destroy(kept.exponent[k]);
  for (int k = 0; k < kept.locations; k++)
    carom_location_destroy(kept.location[k]);
  kept.orbits = kept.exponents = kept.locations =
      0; // where nothing was found at first it is called twice
}

// false: there are too many
static inline bool begin_results(void) {
  if (kept.orbits + kept.exponents + kept.locations == 0 && atexit(end_results) != 0) return false;
  return kept.orbits < MOST_RESULTS && kept.exponents < MOST_RESULTS &&
         kept.locations < MOST_RESULTS;
}

static inline carom_status find_orbit(const carom_orbit_options *options, carom_orbit_view *view,
                                      carom_error *error) {
  carom_orbit *found = NULL;
  *view = (carom_orbit_view){.word = ""};
  if (!begin_results()) return CAROM_ERR_LIMIT;
  carom_status status = carom_orbit_find(options, &found, error);
  if (!found) return status;
  *view = *carom_orbit_look(found);
  kept.orbit[kept.orbits++] = found;
  return status;
}

/// The orbit whose view this is a copy of.
static inline const carom_orbit *orbit_behind(const carom_orbit_view *view) {
  for (int k = 0; k < kept.orbits; k++)
    if (carom_orbit_look(kept.orbit[k])->state == view->state) return kept.orbit[k];
  return NULL;
}

static inline carom_status find_exponents(const carom_lyapunov_options *options,
                                          carom_lyapunov_view *view, carom_error *error) {
  carom_lyapunov *found = NULL;
  *view = (carom_lyapunov_view){0};
  if (!begin_results()) return CAROM_ERR_LIMIT;
  carom_status status = carom_lyapunov_run(options, &found, error);
  if (!found) return status;
  *view = *carom_lyapunov_look(found);
  kept.exponent[kept.exponents++] = found;
  return status;
}

static inline carom_status find_location(const carom_simulation *simulation,
                                         const carom_locate_options *options,
                                         carom_location_view *view, carom_error *error) {
  carom_location *found = NULL;
  *view = (carom_location_view){.near_text = "", .far_text = ""};
  if (!begin_results()) return CAROM_ERR_LIMIT;
  carom_status status = carom_locate_run(simulation, options, &found, error);
  if (!found) return status;
  *view = *carom_location_look(found);
  kept.location[kept.locations++] = found;
  return status;
}

#endif
