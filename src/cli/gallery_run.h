// SPDX-License-Identifier: MIT
/// The gallery of `carom reproduce --report`: what was computed before by the same program from the
/// same files is taken again; figures are made by commands of this program.
#ifndef CAROM_CLI_GALLERY_RUN_H
#define CAROM_CLI_GALLERY_RUN_H

#include "draw/gallery.h"

#include <stdint.h>

typedef struct carom_gallery_run {
  carom_gallery pages;
  char program[CAROM_GALLERY_PATH]; // this program
  uint64_t key;                     // of program, study and scenarios
  char name[128];                   // of the study
  bool quiet, lab;                  // lab: figures open in it
} carom_gallery_run;

carom_status carom_gallery_run_open(carom_gallery_run *it, const char *folder, bool full,
                                    carom_error *error);
/// Begins a study read from the file `path`.
carom_status carom_gallery_run_begin(carom_gallery_run *it, const char *path,
                                     const carom_study *study, carom_error *error);
/// The result of a line that was computed before and still holds; false: compute it.
bool carom_gallery_run_recall(const carom_gallery_run *it, const carom_study_line *line,
                              carom_study_result *result);
void carom_gallery_run_keep(const carom_gallery_run *it, const carom_study_line *line,
                            const carom_study_result *result);
/// Makes the figures that are missing or outdated and ends the page. CAROM_STOP_USER after Ctrl-C;
/// an error where a figure could not be made, with the page complete but for it.
carom_status carom_gallery_run_end(carom_gallery_run *it, const carom_study *study,
                                   carom_error *error);

#endif
