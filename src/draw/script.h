// SPDX-License-Identifier: MIT
/// A picture drawn by gnuplot: its script (NAME.gp) and its numbers (NAME.dat) stay beside the
/// picture, so that it can be restyled and drawn again with `gnuplot NAME.gp` in that folder.
#ifndef CAROM_DRAW_SCRIPT_H
#define CAROM_DRAW_SCRIPT_H

#include "carom/status.h"
#include "record/out_file.h"

#include <stdbool.h>
#include <stdio.h>

enum { CAROM_SCRIPT_PATH = 1024 };

typedef struct carom_script {
  FILE *commands, *data; // of the two files
  carom_out_file commands_out, data_out;
  int blocks;                                          // of data so far
  char folder[CAROM_SCRIPT_PATH];                      // of the picture
  char picture[256], script_file[256], data_file[256]; // in that folder
  bool failed;
  bool overlaid; // other values come on top: a constant is not given a range
} carom_script;

/// Begins a picture of the given size in points of 1/72 inch; the name's end says the format: .svg,
/// .pdf or .png. CAROM_ERR_INPUT: another end.
carom_status carom_script_begin(carom_script *it, const char *picture, int width, int height,
                                carom_error *error);
/// A text as gnuplot reads it, in quotes, taken literally.
void carom_script_text(carom_script *it, const char *text);
/// set LABEL 'text'
void carom_script_label(carom_script *it, const char *what, const char *text);
/// Few, round tics on an axis ("x", "y") whose values lie between low and high; at most `most`.
void carom_script_tics(carom_script *it, const char *axis, double low, double high, int most);
/// Letters of the longest number that carom_script_tics() writes.
int carom_script_tic_letters(double low, double high, int most);
/// As many digits at the tics of an axis as tell values between low and high apart; where all are
/// the same, a range about them.
void carom_script_digits(carom_script *it, const char *axis, double low, double high);
/// Begins a block of numbers; returns how the script names it: 'NAME.dat' index K.
int carom_script_block(carom_script *it);
/// One number of a row, NaN written so; and the end of the row.
void carom_script_number(carom_script *it, double value);
void carom_script_row(carom_script *it);
/// "'NAME.dat' index K" into the commands.
void carom_script_source(carom_script *it, int block);
/// Closes the files and lets gnuplot draw.
carom_status carom_script_end(carom_script *it, carom_error *error);
/// Closes the files without drawing.
void carom_script_abandon(carom_script *it);

/// Colours and dashes that differ in grey too, for the k-th curve.
const char *carom_script_colour(int k);
int carom_script_dash(int k);

/// Starts a program found on the path and waits for it: CAROM_ERR_IO with `what` it was to do when
/// it does not exist or fails. `folder` (nullable): where it works. Its output is dropped where
/// `quiet`.
carom_status carom_start_program(const char *const *arguments, const char *folder, bool quiet,
                                 const char *what, carom_error *error);
/// Records a formatted message; returns `status`.
carom_status carom_draw_fail(carom_error *error, carom_status status, const char *format, ...)
    CAROM_PRINTF(3, 4);

/// How region k of a chart is filled, for boxes; from CAROM_SCRIPT_REGIONS on: what has no look of
/// its own.
enum { CAROM_SCRIPT_REGIONS = 11 };
const char *carom_script_region(int k);

#endif
