// SPDX-License-Identifier: MIT
/// Cells of tables (RFC 4180): numbers that read back exactly, texts quoted where they have to be.
#ifndef CAROM_RECORD_CSV_CELLS_H
#define CAROM_RECORD_CSV_CELLS_H

#include <stdio.h>

void carom_csv_number(FILE *out, double value); // NaN is written nan
void carom_csv_text(FILE *out, const char *text);

#endif
