// SPDX-License-Identifier: MIT
#include "base/error.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *carom_status_text(carom_status status) {
  switch (status) {
#define X(name, value, text)                                                                       \
  case name: return text;
    CAROM_STATUS_LIST(X)
#undef X
  }
  return "unknown status";
}

// a setting of the command line is no file: it has one line, and where in it matters if not at once
static bool is_setting(const carom_error *error) { return strncmp(error->file, "--set ", 6) == 0; }

const char *carom_error_format(const carom_error *error, char *buffer, size_t size) {
  if (is_setting(error) && error->column > 1)
    (void)snprintf(buffer, size, "%s, character %d: %s", error->file, error->column, error->text);
  else if (!is_setting(error) && error->file[0] && error->line > 0)
    (void)snprintf(buffer, size, "%s:%d:%d: %s", error->file, error->line, error->column,
                   error->text);
  else if (error->file[0])
    (void)snprintf(buffer, size, "%s: %s", error->file, error->text);
  else
    (void)snprintf(buffer, size, "%s", error->text);
  return buffer;
}

static carom_status write_error(carom_error *error, carom_status status, carom_place place,
                                const char *format, va_list arguments) {
  if (!error) return status;
  error->status = status;
  error->moving = 0;
  error->expression[0] = '\0';
  error->line = place.line;
  error->column = place.column;
  (void)snprintf(error->file, sizeof error->file, "%s", place.file ? place.file : "");
  (void)vsnprintf(error->text, sizeof error->text, format, arguments);
  return status;
}

carom_status carom_fail(carom_error *error, carom_status status, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  write_error(error, status, (carom_place){0}, format, arguments);
  va_end(arguments);
  return status;
}

carom_status carom_fail_at(carom_error *error, carom_status status, carom_place place,
                           const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  write_error(error, status, place, format, arguments);
  va_end(arguments);
  return status;
}

void carom_fail_moving(carom_error *error, double t, int count, const double *state,
                       const char *expression) {
  if (!error) return;
  error->moving = 1;
  error->t = t;
  error->state_count = count < CAROM_ERROR_STATE ? count : CAROM_ERROR_STATE;
  for (int i = 0; i < error->state_count; i++)
    error->state[i] = state[i];
  (void)snprintf(error->expression, sizeof error->expression, "%s", expression);
}

carom_status carom_check_options(size_t size, size_t expected, const char *name,
                                 carom_error *error) {
  if (size == expected) return CAROM_OK;
  return carom_fail(error, CAROM_ERR_ARGUMENT,
                    "%s must start from %s_default() of the same version", name, name);
}

carom_status carom_fail_memory(carom_error *error) {
  return carom_fail(error, CAROM_ERR_MEMORY, "out of memory");
}

static double round_for_text(double x) {
  char text[32];
  (void)snprintf(text, sizeof text, "%g", x);
  return strtod(text, NULL);
}

// where rounding goes to the wrong side, a little further until it does not
double carom_told_least(double x) {
  double near = round_for_text(x);
  for (int k = 1; near < x; k++)
    near = round_for_text(x + k * 1e-6 * fabs(x));
  return near;
}

double carom_told_most(double x) {
  double near = round_for_text(x);
  for (int k = 1; near > x; k++)
    near = round_for_text(x - k * 1e-6 * fabs(x));
  return near;
}

enum { LONGEST_NAME = 64 };

static int smaller_int(int a, int b) { return a < b ? a : b; }

// optimal string alignment distance, letters compared without case
static int edit_distance(const char *a, const char *b) {
  int row[3][LONGEST_NAME + 1];
  int n = (int)strlen(a), m = (int)strlen(b);
  if (n > LONGEST_NAME || m > LONGEST_NAME) return LONGEST_NAME;
  for (int j = 0; j <= m; j++)
    row[0][j] = j;
  for (int i = 1; i <= n; i++) {
    int *now = row[i % 3], *last = row[(i + 2) % 3], *before = row[(i + 1) % 3];
    now[0] = i;
    for (int j = 1; j <= m; j++) {
      int ca = tolower((unsigned char)a[i - 1]), cb = tolower((unsigned char)b[j - 1]);
      now[j] = smaller_int(smaller_int(last[j] + 1, now[j - 1] + 1), last[j - 1] + (ca != cb));
      if (i > 1 && j > 1 && ca == tolower((unsigned char)b[j - 2]) &&
          cb == tolower((unsigned char)a[i - 2]))
        now[j] = smaller_int(now[j], before[j - 2] + 1);
    }
  }
  return row[n % 3][m];
}

const char *carom_nearest_name(const char *word, const char *const *names, int count) {
  const char *best = NULL;
  int best_distance = 1 + (int)strlen(word) / 3;
  for (int i = 0; i < count; i++) {
    int distance = edit_distance(word, names[i]);
    if (distance >= (int)strlen(word) && distance >= (int)strlen(names[i])) continue; // all differs
    if (distance < best_distance || (distance == best_distance && !best)) {
      best = names[i];
      best_distance = distance;
    }
  }
  return best;
}

void carom_name_hint(char *text, size_t room, const char *word, const char *const *names,
                     int count) {
  enum { MOST = 16, MORE = 16 }; // names listed, room kept to say how many are not
  const char *nearest = carom_nearest_name(word, names, count);
  text[0] = '\0';
  if (nearest) (void)snprintf(text, room, "; did you mean '%.100s'?", nearest);
  if (nearest || count == 0) return;
  size_t used = 0;
  int shown = 0;
  for (; shown < count && shown < MOST; shown++) {
    const char *before = shown > 0 ? ", " : count > 1 ? "; there are " : "; there is ";
    if (used + strlen(before) + strlen(names[shown]) + MORE >= room) break;
    used += (size_t)snprintf(text + used, room - used, "%s%s", before, names[shown]);
  }
  if (shown < count && shown > 0)
    (void)snprintf(text + used, room - used, " and %d more", count - shown);
}
