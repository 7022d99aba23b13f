// SPDX-License-Identifier: MIT
/// Periodic motions or Lyapunov exponents at many points: one search or average per combination of
/// values, shared over threads, with a journal of what is finished.
#ifndef CAROM_SURVEY_H
#define CAROM_SURVEY_H

#include "carom/lyapunov.h"
#include "carom/orbit.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum carom_survey_kind { CAROM_SURVEY_ORBITS, CAROM_SURVEY_EXPONENTS } carom_survey_kind;

/// Start from carom_survey_options_default(). Everything is borrowed during the call.
typedef struct carom_survey_options {
  const carom_model *model;
  carom_survey_kind kind;
  carom_orbit_options orbit;        // how motions are sought; its model, values and watcher, and
  carom_lyapunov_options exponents; // those of exponents, are not used
  int axis_count;                   // 0: one point, the scenario as it is
  const carom_axis *axes;           // parameters or start values; the last one varies fastest
  int threads;                      // 0: as many as the machine has
  const char *journal;              // file of finished points; NULL: none
  bool resume;                      // go on with what the journal has
  int part, parts;                  // as in a sweep
  bool ranks;                       // as in a sweep; a single point is not shared
  carom_watcher watcher;
  size_t size; // set by the default function; proves that it was used
} carom_survey_options;
CAROM_API carom_survey_options carom_survey_options_default(void);

typedef struct carom_survey carom_survey;

/// One point. Pointers are valid until the next one is read.
typedef struct carom_survey_row {
  long index;
  bool present; // false: not computed
  const double *at;
  carom_status status;                  // < 0: nothing was found here
  const char *failure;                  // why; ""
  const carom_orbit_view *orbit;        // NULL unless orbits were asked for and this one was found
  const carom_orbit *motion;            // the same, to be traced
  const carom_lyapunov_view *exponents; // NULL unless they were asked for and found; of a single
                                        // point that was stopped, of the time so far
} carom_survey_row;

/// CAROM_OK, or CAROM_STOP_USER when it was stopped: *survey holds what was done in both cases. A
/// point at which nothing is found is a row that says why. The caller closes the survey.
CAROM_API carom_status carom_survey_run(const carom_survey_options *options, carom_survey **survey,
                                        carom_error *error);
CAROM_API void carom_survey_destroy(carom_survey *survey); // NULL is legal; a named journal stays
CAROM_API long carom_survey_count(const carom_survey *survey);
CAROM_API carom_status carom_survey_read(carom_survey *survey, long index, carom_survey_row *row,
                                         carom_error *error);

#ifdef __cplusplus
}
#endif
#endif
