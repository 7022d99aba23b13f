// SPDX-License-Identifier: MIT
/// The figures of a study in the lab: one page with its scenarios, and an address for each figure.
#ifndef CAROM_CLI_GALLERY_LAB_H
#define CAROM_CLI_GALLERY_LAB_H

#include "carom/study.h"

#include <stddef.h>

/// Writes the page FOLDER/NAME/lab.html with the scenarios of all figures. False where there is
/// none: the page of the lab was not built with this program, or there are no figures.
bool carom_gallery_lab_make(const char *program, const char *folder, const char *name,
                            const carom_study *study);
/// The address, relative to the folder, in which a figure's command opens the lab.
void carom_gallery_lab_link(const char *name, const carom_study_figure *figure, char *link,
                            size_t room);

#endif
