// SPDX-License-Identifier: MIT
/// Places of a diagram that are worth a word: a letter stands at each, and a line of the key says
/// what it is.
#ifndef CAROM_DRAW_PLOT_MARKS_H
#define CAROM_DRAW_PLOT_MARKS_H

#include "draw/plot.h"

enum { CAROM_PLOT_MARKS = 20, CAROM_PLOT_MARK_TEXT = 120, CAROM_PLOT_CURVES = 3 };

typedef struct carom_plot_mark {
  double x, y;
  bool rising;                     // the curve there: the letter stands on its other side
  char text[CAROM_PLOT_MARK_TEXT]; // what happens there
} carom_plot_mark;

typedef struct carom_plot_marks {
  carom_plot_mark marks[CAROM_PLOT_MARKS];
  int count, left_out;
  double low_x, high_x, low_y, high_y; // what the diagram shows
  bool log_x;
} carom_plot_marks;

/// Puts a mark; one that has no room any more is counted. Marks too near to be told apart share a
/// letter: a place in the plane where y is given, on the first axis where it is NaN.
void carom_plot_marks_add(carom_plot_marks *it, const carom_plot_mark *mark);
/// In the order of the first axis; to be called when all are there.
void carom_plot_marks_sort(carom_plot_marks *it);
/// Rows of a key that has room for so many curves, too.
int carom_plot_marks_rows(const carom_plot_marks *it, int curves);
/// How much higher than for CAROM_PLOT_CURVES alone the picture becomes by the lines of the key.
int carom_plot_marks_height(const carom_plot_marks *it, int curves);
/// Letters and, from marks without y, lines down into the diagram.
void carom_plot_marks_put(const carom_plot_marks *it, carom_plot_job *job);
/// ", NaN with points ... title" for each: the end of the list of curves.
void carom_plot_marks_key(const carom_plot_marks *it, carom_plot_job *job);

/// A word with what repeats written once: "F I + F I + K" becomes "(F I +)2 K". Of a word that has
/// no room the end is left out, not what follows it: "(F I +)2 …, period 2".
void carom_plot_word(const char *word, char *text, size_t room);

#endif
