// SPDX-License-Identifier: MIT
/// A study file as read: its lines, and for each the recipe of its computation.
#ifndef CAROM_STUDY_STUDY_H
#define CAROM_STUDY_STUDY_H

#include "carom/locate.h"
#include "carom/study.h"
#include "carom/sweep.h"
#include "document/document.h"

typedef enum carom_recipe_kind {
  CAROM_RECIPE_OBSERVABLE,  // of a run
  CAROM_RECIPE_WORD,        // of a run
  CAROM_RECIPE_REGIME,      // of a run
  CAROM_RECIPE_COURSE,      // of a run: impacts and phases in order
  CAROM_RECIPE_MOMENT,      // of a run: when something happens
  CAROM_RECIPE_EQUILIBRIUM, // a value of an equilibrium
  CAROM_RECIPE_LOCATE,      // a critical value
  CAROM_RECIPE_DIFFERENCE,  // of an observable between two runs, relative
  CAROM_RECIPE_EXCESS,      // of the mean of an observable over its mean with other settings
  CAROM_RECIPE_SLOPE,       // of one observable over another, between two runs
  CAROM_RECIPE_SCAN,        // how many words there are along a parameter
  CAROM_RECIPE_STARTS,      // how many points of a grid of starts end in a regime
  CAROM_RECIPE_MEAN         // of an observable over runs, for example over seeds
} carom_recipe_kind;

enum { CAROM_RECIPE_AXES = 8 };

typedef struct carom_settings {
  int count;
  carom_setting *items;
} carom_settings;

/// How an answer is computed. Texts belong to the document.
typedef struct carom_recipe {
  carom_recipe_kind kind;
  carom_place place;
  const char *scenario;                // path, relative to the study file
  carom_settings set;                  // of the line
  carom_settings other;                // of the second run of difference and slope, on top of `set`
  const char *name;                    // observable; of an equilibrium re, im, margin or a name
  const char *over_name;               // the observable under the slope
  const char *mode;                    // of the equilibrium
  const char *event;                   // kind of the event whose moment is asked; `name` of what
  carom_locate_options locate;         // also the range of a scan
  double full_tolerance;               // of locate, in full runs
  int points;                          // of a scan; of a moment: which one, from 1
  int axis_count;                      // of the grid of starts
  const char *axes[CAROM_RECIPE_AXES]; // "h0=0:1e-3:5", as for sweeps; of a mean: quick and full
} carom_recipe;

typedef struct carom_study_entry {
  carom_study_line line;
  carom_recipe recipe;
  bool has_second;
  carom_recipe second;
} carom_study_entry;

struct carom_study {
  carom_arena *arena;
  carom_document *document;
  const char *folder; // of the study file, with its last slash; ""
  const char *title, *paper, *about;
  carom_study_entry *entries;
  int count;
  carom_study_figure *figures;
  int figure_count;
};

/// How a line is computed: quickly or to all digits, and who may stop it (NULL: nobody).
typedef struct carom_study_pace {
  bool full;
  bool (*stopped)(void *ctx);
  void *ctx;
} carom_study_pace;

/// carom_study_compute with somebody who may stop it: CAROM_STOP_USER.
carom_status carom_study_compute_line(const carom_study *study, int k, const carom_study_pace *pace,
                                      carom_study_result *result, carom_error *error);

/// Runs a grid, all processors taking part, and visits its rows in order. A row that failed is an
/// error. `observable` NULL: all of the model.
carom_status carom_recipe_visit(const carom_model *model, int axis_count, const char *const *texts,
                                const char *observable, const carom_study_pace *pace,
                                carom_study_result *result,
                                void (*visit)(void *ctx, const carom_sweep_row *row), void *ctx,
                                carom_error *error);

/// How many runs over the recipe's grid end in the regime it names; all processors take part.
carom_status carom_recipe_count_starts(const carom_model *model, const carom_recipe *recipe,
                                       const carom_study_pace *pace, carom_study_result *result,
                                       double *count, carom_error *error);

/// The mean of the recipe's observable over its axis; the standard error goes to result->spread.
carom_status carom_recipe_mean(const carom_model *model, const carom_recipe *recipe,
                               const carom_study_pace *pace, carom_study_result *result,
                               double *mean, carom_error *error);

#endif
