// SPDX-License-Identifier: MIT
/// Numbers and texts as JSON, for pages that are read by a browser. Arrays travel as base64 of
/// little-endian IEEE numbers: small, and exact to their precision.
#ifndef CAROM_DRAW_PAGE_DATA_H
#define CAROM_DRAW_PAGE_DATA_H

#include <stdio.h>

/// A quoted text that cannot end the <script> element it stands in. NULL is "".
void carom_page_text(FILE *out, const char *text);
/// A number; NaN and infinity are null.
void carom_page_number(FILE *out, double value);
/// Every `stride`-th of the values, `count` of them: 4 bytes each, or 8.
void carom_page_singles(FILE *out, const double *values, long count, long stride);
void carom_page_doubles(FILE *out, const double *values, long count, long stride);

#endif
