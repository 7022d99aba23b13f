// SPDX-License-Identifier: MIT
/// The values a quantity takes, read from a short text.
#include "base/elementary.h"
#include "base/error.h"
#include "carom/sweep.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_VALUES = 100000000 };

static carom_status refuse_axis(const char *text, carom_error *error) {
  return carom_fail(error, CAROM_ERR_INPUT,
                    "expected NAME=FROM:TO:COUNT, NAME=FROM:TO:COUNT:log or NAME=V1,V2,..., "
                    "not '%.100s'",
                    text);
}

static bool read_number(const char **at, double *value) {
  char *end;
  *value = strtod(*at, &end);
  bool fits = end != *at && isfinite(*value);
  *at = end;
  return fits;
}

// to 15 significant digits, so that every value of a grid can be typed: 0.4, not
// 0.39999999999999997
static double round_to_15_digits(double value) {
  char text[40];
  (void)snprintf(text, sizeof text, "%.15g", value);
  return strtod(text, NULL);
}

// value k of n between a and b, both met exactly
static double value_between(double a, double b, int k, int n, bool logarithmic) {
  if (k == 0) return a;
  if (k == n - 1) return b;
  double part = (double)k / (double)(n - 1);
  return round_to_15_digits(logarithmic ? a * carom_exp(part * carom_log(b / a))
                                        : a + part * (b - a));
}

static carom_status read_range(const char *text, const char *at, carom_axis *axis,
                               carom_error *error) {
  double a, b, n;
  bool fits = read_number(&at, &a) && *at++ == ':' && read_number(&at, &b) && *at++ == ':' &&
              read_number(&at, &n) && n >= 1.0 && n <= MOST_VALUES && n == floor(n);
  if (!fits) return refuse_axis(text, error);
  bool logarithmic = strcmp(at, ":log") == 0;
  if (!logarithmic && *at) return refuse_axis(text, error);
  if (logarithmic && !(a != 0.0 && b / a > 0.0))
    return carom_fail(error, CAROM_ERR_INPUT,
                      "a logarithmic range needs two ends of one sign: '%.100s'", text);
  axis->count = (int)n;
  axis->values = calloc((size_t)axis->count, sizeof *axis->values);
  if (!axis->values) return carom_fail_memory(error);
  for (int k = 0; k < axis->count; k++)
    axis->values[k] = value_between(a, b, k, axis->count, logarithmic);
  return CAROM_OK;
}

static carom_status read_list(const char *text, const char *at, carom_axis *axis,
                              carom_error *error) {
  int room = 1;
  for (const char *c = at; *c; c++)
    room += *c == ',';
  axis->values = calloc((size_t)room, sizeof *axis->values);
  if (!axis->values) return carom_fail_memory(error);
  for (;;) {
    if (!read_number(&at, &axis->values[axis->count])) return refuse_axis(text, error);
    axis->count++;
    if (*at == '\0') return CAROM_OK;
    if (*at++ != ',') return refuse_axis(text, error);
  }
}

carom_status carom_axis_parse(const char *text, carom_axis *axis, carom_error *error) {
  *axis = (carom_axis){0};
  const char *equals = strchr(text, '=');
  if (!equals || equals == text) return refuse_axis(text, error);
  size_t length = (size_t)(equals - text);
  axis->name = malloc(length + 1);
  if (!axis->name) return carom_fail_memory(error);
  memcpy(axis->name, text, length);
  axis->name[length] = '\0';
  carom_status status = strchr(equals, ':') ? read_range(text, equals + 1, axis, error)
                                            : read_list(text, equals + 1, axis, error);
  if (status != CAROM_OK) carom_axis_destroy(axis);
  return status;
}

void carom_axis_destroy(carom_axis *axis) {
  free(axis->name);
  free(axis->values);
  *axis = (carom_axis){0};
}
