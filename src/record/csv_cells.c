// SPDX-License-Identifier: MIT
#include "record/csv_cells.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

void carom_csv_number(FILE *out, double value) {
  char buffer[40];
  if (isnan(value)) {
    (void)fputs("nan", out);
    return;
  }
  // the shortest form that reads back as the same number
  for (int digits = 15; digits <= 17; digits++) {
    (void)snprintf(buffer, sizeof buffer, "%.*g", digits, value);
    if (strtod(buffer, NULL) == value) break;
  }
  // a program with another locale may have given a decimal comma
  for (char *c = buffer; *c; c++)
    if (*c == ',') *c = '.';
  (void)fputs(buffer, out);
}

void carom_csv_text(FILE *out, const char *text) {
  // no spreadsheet takes it for a formula; words of motions, which may begin with + or -, are left
  bool formula = *text == '=' || *text == '@';
  if (!strpbrk(text, ",\"\r\n")) {
    if (formula) (void)fputc('\'', out);
    (void)fputs(text, out);
    return;
  }
  (void)fputc('"', out);
  if (formula) (void)fputc('\'', out);
  for (const char *c = text; *c; c++) {
    if (*c == '"') (void)fputc('"', out);
    (void)fputc(*c, out);
  }
  (void)fputc('"', out);
}
