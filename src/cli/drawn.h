// SPDX-License-Identifier: MIT
/// What the commands that draw share: names of what they make, spans, the answer.
#ifndef CAROM_CLI_DRAWN_H
#define CAROM_CLI_DRAWN_H

#include "options.h"

enum { CAROM_DRAWN_NAME = 1024 };

/// FILE.h5 or FILE.yaml becomes FILE and `ending`.
void carom_drawn_name(const carom_call *call, const char *ending, char name[CAROM_DRAWN_NAME]);
/// Reads a number option where it is given; false with a message when it is none.
bool carom_drawn_number(const carom_call *call, const char *name, double *value,
                        carom_error *error);
/// Says what was made ("picture", "page", "movie") or why not; returns the exit code.
int carom_drawn_answer(const carom_call *call, carom_status status, const carom_error *error,
                       const char *what, const char *made);

#endif
