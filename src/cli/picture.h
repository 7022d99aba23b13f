// SPDX-License-Identifier: MIT
/// Pictures: a gnuplot script with its data, kept beside the PNG it draws.
#ifndef CAROM_CLI_PICTURE_H
#define CAROM_CLI_PICTURE_H

#include "carom/status.h"

#include <stdio.h>

typedef struct carom_picture {
  FILE *script; // to be written by the caller
  char file[1024], script_file[1024];
} carom_picture;

/// Begins the script of FILE.png (FILE.gp) of so many pixels.
carom_status carom_picture_begin(carom_picture *picture, const char *file, int width, int height,
                                 carom_error *error);
/// A text in single quotes, safe inside a script.
void carom_picture_text(const carom_picture *picture, const char *text);
/// The k-th of a set of colours that can be told apart, as "#rrggbb".
const char *carom_picture_colour(int k);
/// Closes the script and lets gnuplot draw it. CAROM_ERR_IO when that fails.
carom_status carom_picture_end(carom_picture *picture, carom_error *error);

#endif
