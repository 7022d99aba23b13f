// SPDX-License-Identifier: MIT
/// Figures of a study: which commands compute and draw them.
#ifndef CAROM_STUDY_FIGURES_H
#define CAROM_STUDY_FIGURES_H

#include "study/study.h"

/// Reads the list `figures` (NULL: none) into the study.
carom_status carom_study_read_figures(carom_study *study, const carom_yaml *list,
                                      carom_error *error);

#endif
