// SPDX-License-Identifier: MIT
/// Pictures of recorded files.
#ifndef CAROM_DRAW_PLOT_H
#define CAROM_DRAW_PLOT_H

#include "draw/script.h"
#include "record/store.h"

enum { CAROM_PLOT_RUNS = 7 }; // that a run may be compared with

/// What to draw of which file. Start from carom_plot_options_default().
typedef struct carom_plot_options {
  const char *file;    // recorded run or tables
  const char *what;    // NULL: what suits the file
  const char *of;      // names, parted by commas; NULL: chosen
  const char *units;   // name=unit, parted by commas; .normal=unit for all contacts; NULL: none
  const char *title;   // NULL: that of the scenario
  const char *output;  // NAME.svg, NAME.pdf, NAME.png
  const char *overlay; // a table (CSV) whose first two columns are drawn as points; NULL: none
  const char *overlay_name; // in the legend; NULL: that of its file
  const char *over; // the horizontal quantity of a comparison or a sweep; NULL: time, its axis
  const char *with[CAROM_PLOT_RUNS]; // further runs to compare with
  int with_count;
  const char *labels; // of the compared runs, parted by commas; NULL: their files
  double from, until; // part of the time, or of the first axis; NaN: all
  bool log_x, log_y;
  bool equal; // both axes of a portrait to the same scale, for paths
} carom_plot_options;
carom_plot_options carom_plot_options_default(void);

carom_status carom_plot(const carom_plot_options *options, carom_error *error);

// ---- inside the room

enum { CAROM_PLOT_NAMES = 16, CAROM_PLOT_NAME = 128 };

typedef struct carom_plot_job {
  const carom_plot_options *options;
  const carom_store *store;
  carom_script script;
  char title[512];
  char names[CAROM_PLOT_NAMES][CAROM_PLOT_NAME]; // of `of`
  int name_count;
  int overlay; // its block in the data; -1: none
  char overlay_name[CAROM_PLOT_NAME];
  char *units; // as the file knows them, in the form of options->units; or NULL
} carom_plot_job;

/// The name with its unit, where one was given.
void carom_plot_axis(carom_plot_job *it, const char *label, const char *name);
/// The unit alone, where several curves share it; their names are in the legend.
void carom_plot_shared_axis(carom_plot_job *it, const char *label, int count,
                            const char *const *names);
/// ", overlay with points" where there is one.
void carom_plot_add_overlay(carom_plot_job *it);
/// Saddles and their branches, where the file has them (plot_manifolds.c), in the same way.
void carom_plot_add_branches(carom_plot_job *it);
carom_status carom_plot_begin(carom_plot_job *it, int width, int height, carom_error *error);

// plot_history.c, plot_phase.c, plot_compare.c, plot_spectrum.c, plot_tables.c, plot_branch.c,
// plot_atlas.c
carom_status carom_plot_history(carom_plot_job *it, carom_error *error);
carom_status carom_plot_energy(carom_plot_job *it, carom_error *error);
carom_status carom_plot_phase(carom_plot_job *it, carom_error *error);
carom_status carom_plot_compare(carom_plot_job *it, carom_error *error);
carom_status carom_plot_section(carom_plot_job *it, carom_error *error);
carom_status carom_plot_return(carom_plot_job *it, carom_error *error);
carom_status carom_plot_spectrum(carom_plot_job *it, carom_error *error);
carom_status carom_plot_sweep(carom_plot_job *it, carom_error *error);
carom_status carom_plot_exponents(carom_plot_job *it, carom_error *error);
carom_status carom_plot_orbits(carom_plot_job *it, carom_error *error);
carom_status carom_plot_map(carom_plot_job *it, carom_error *error);
carom_status carom_plot_basin(carom_plot_job *it, carom_error *error);
carom_status carom_plot_course(carom_plot_job *it, carom_error *error);
carom_status carom_plot_bifurcation(carom_plot_job *it, carom_error *error);
carom_status carom_plot_branch(carom_plot_job *it, carom_error *error);
carom_status carom_plot_atlas(carom_plot_job *job, carom_error *error);

#endif
