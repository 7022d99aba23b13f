// SPDX-License-Identifier: MIT
/// Decimal numbers to doubles and back, exactly and whatever the locale of the program says about
/// decimal points.
#ifndef CAROM_SYMBOLIC_NUMBER_H
#define CAROM_SYMBOLIC_NUMBER_H

#include <stddef.h>

enum { CAROM_NUMBER_ROOM = 32 };

/// Length of the decimal number at the start of `text`: 3, 3., .5, 1.5e-3. 0 when there is none.
size_t carom_number_length(const char *text);

/// Value of the `length` characters found by carom_number_length, correctly rounded; infinity when
/// too large, NaN when longer than 400 characters.
double carom_number_read(const char *text, size_t length);

/// Writes the shortest decimal form that reads back as `value` (finite); returns `buffer`.
char *carom_number_write(double value, char buffer[CAROM_NUMBER_ROOM]);

#endif
