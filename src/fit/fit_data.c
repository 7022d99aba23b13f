// SPDX-License-Identifier: MIT
#include "fit/fit_data.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_LINE = 8192, MOST_COLUMNS = 64, MOST_ROWS = 1000000 };

/// A file while it is read.
typedef struct reading {
  carom_arena *arena;
  FILE *stream;
  carom_fit_file *file;
  carom_error *error;
  int line, room;
  double *cells; // grown as rows come
  char text[LONGEST_LINE];
} reading;

#define FAIL(it, column, ...)                                                                      \
  carom_fail_at((it)->error, CAROM_ERR_INPUT,                                                      \
                (carom_place){(it)->file->path, (it)->line, (column)}, __VA_ARGS__)

// one line without its end, or what is wrong with it; false at the end of the file
static bool next_line(reading *it, carom_status *status) {
  static const char MARK[] = "\xef\xbb\xbf"; // of UTF-8, which some programs put before the text
  size_t length = 0;
  int byte = getc(it->stream);
  *status = CAROM_OK;
  it->line += byte != EOF;
  for (; byte != EOF && byte != '\n'; byte = getc(it->stream)) {
    if (byte == 0) *status = FAIL(it, (int)length + 1, "this is no text: a byte is zero");
    if (length + 1 == sizeof it->text) *status = FAIL(it, 1, "this line is too long");
    if (*status != CAROM_OK) break;
    it->text[length++] = (char)byte;
  }
  if (length > 0 && it->text[length - 1] == '\r') length--;
  it->text[length] = 0;
  if (it->line == 1 && strncmp(it->text, MARK, 3) == 0) memmove(it->text, it->text + 3, length - 2);
  return byte != EOF || length > 0;
}

// cuts the line at its commas; blanks around cells do not count
static int cut_cells(char *text, char **cells) {
  int count = 0;
  for (char *at = text; at && count < MOST_COLUMNS; count++) {
    char *comma = strchr(at, ',');
    if (comma) *comma = 0;
    at += strspn(at, " \t");
    size_t length = strlen(at);
    while (length > 0 && (at[length - 1] == ' ' || at[length - 1] == '\t'))
      at[--length] = 0;
    cells[count] = at;
    at = comma ? comma + 1 : NULL;
  }
  return count;
}

// # set NAME=VALUE, ...: what the motion of this file has
static carom_status read_settings(reading *it, char *text) {
  char *cells[MOST_COLUMNS], *end;
  int count = cut_cells(text, cells);
  for (int k = 0; k < count; k++) {
    char *equals = strchr(cells[k], '=');
    int column = (int)(cells[k] - it->text) + 1;
    double value = equals ? strtod(equals + 1, &end) : NAN;
    if (!equals || equals == cells[k] || end == equals + 1 || *end || !isfinite(value))
      return FAIL(it, column, "NAME=VALUE is expected, not '%s'", cells[k]);
    if (it->file->setting_count == CAROM_FIT_SETTINGS)
      return FAIL(it, column, "more than %d values are set", CAROM_FIT_SETTINGS);
    size_t length = (size_t)(equals - cells[k]);
    while (length > 1 && cells[k][length - 1] == ' ')
      length--;
    char *name = carom_arena_take(it->arena, length + 1);
    if (!name) return carom_fail_memory(it->error);
    memcpy(name, cells[k], length);
    name[length] = 0;
    it->file->settings_line[it->file->setting_count] = it->line;
    it->file->settings[it->file->setting_count++] = (carom_value){name, value};
  }
  return CAROM_OK;
}

// the next line that says something; false at the end of the file
static bool next_content(reading *it, carom_status *status) {
  while (next_line(it, status)) {
    if (*status != CAROM_OK) return true;
    if (it->text[0] && it->text[0] != '#') return true;
    char *at = it->text + (it->text[0] == '#');
    at += strspn(at, " \t");
    if (it->text[0] && strncmp(at, "set ", 4) == 0) *status = read_settings(it, at + 4);
    if (*status != CAROM_OK) return true;
  }
  return false;
}

static carom_status read_names(reading *it) {
  carom_fit_file *file = it->file;
  char *cells[MOST_COLUMNS];
  carom_status status;
  if (!next_content(it, &status))
    return FAIL(it, 1, "the file is empty: names of columns are missing");
  int count = status == CAROM_OK ? cut_cells(it->text, cells) : 0;
  if (status != CAROM_OK) return status;
  file->clicks = strcmp(cells[0], "t") != 0;
  if (file->clicks && count > 1)
    return FAIL(it, 1, "the first column is '%s', not the time 't'", cells[0]);
  if (!file->clicks && count < 2) return FAIL(it, 1, "there is no column beside the time");
  file->column_count = file->clicks ? 1 : count - 1;
  file->names = carom_arena_array(it->arena, (size_t)file->column_count, sizeof *file->names);
  file->names_column =
      carom_arena_array(it->arena, (size_t)file->column_count, sizeof *file->names_column);
  if (!file->names || !file->names_column) return carom_fail_memory(it->error);
  file->names_line = it->line;
  for (int k = 0; k < file->column_count; k++) {
    const char *name = cells[file->clicks ? 0 : k + 1];
    char *copy = carom_arena_take(it->arena, strlen(name) + 1);
    if (!copy) return carom_fail_memory(it->error);
    memcpy(copy, name, strlen(name) + 1);
    file->names[k] = copy;
    file->names_column[k] = (int)(name - it->text) + 1;
    char *end;
    (void)strtod(name, &end);
    if (strpbrk(name, "[]() "))
      return FAIL(it, file->names_column[k],
                  "'%s': names stand without units, and numbers are in those of the scenario",
                  name);
    if (!file->clicks && strcmp(name, "t") == 0)
      return FAIL(it, file->names_column[k], "the column 't' is there twice");
    if (!*name || end != name)
      return FAIL(it, (int)(name - it->text) + 1, "a name of a column is expected, not '%s'", name);
    for (int j = 0; j < k; j++)
      if (strcmp(file->names[j], name) == 0)
        return FAIL(it, (int)(name - it->text) + 1, "the column '%s' is there twice", name);
  }
  return CAROM_OK;
}

static carom_status read_row(reading *it) {
  carom_fit_file *file = it->file;
  char *cells[MOST_COLUMNS], *end;
  int width = file->column_count + 1, count = cut_cells(it->text, cells);
  int expected = file->clicks ? 1 : width;
  double *row = it->cells + (size_t)file->row_count * (size_t)width;
  if (count != expected)
    return FAIL(it, 1, "this line has %d cells, the first line %d", count, expected);
  for (int k = 0; k < count; k++) {
    int column = (int)(cells[k] - it->text) + 1;
    double value = strtod(cells[k], &end);
    if (!*cells[k]) return FAIL(it, column, "this cell is empty");
    if (*end || end == cells[k]) return FAIL(it, column, "'%s' is no number", cells[k]);
    if (!isfinite(value)) return FAIL(it, column, "'%s' is not finite", cells[k]);
    row[k] = value;
  }
  if (file->clicks) row[1] = row[0];
  if (file->row_count > 0 && !(row[0] > row[-width]))
    return FAIL(it, 1, "times must rise: %.15g comes after %.15g", row[0], row[-width]);
  if (file->row_count++ == 0) file->data_line = it->line;
  file->last_line = it->line;
  return CAROM_OK;
}

static bool more_room(reading *it) {
  if (it->file->row_count < it->room) return true;
  int room = it->room > 0 ? 2 * it->room : 256;
  size_t width = (size_t)it->file->column_count + 1;
  void *grown = realloc(it->cells, (size_t)room * width * sizeof *it->cells);
  if (!grown) return false;
  it->cells = grown;
  it->room = room;
  return true;
}

static carom_status read_all(reading *it) {
  carom_fit_file *file = it->file;
  carom_status status = read_names(it);
  while (status == CAROM_OK && next_content(it, &status)) {
    if (status != CAROM_OK) continue;
    if (file->row_count == MOST_ROWS) return FAIL(it, 1, "there are more than %d rows", MOST_ROWS);
    status = more_room(it) ? read_row(it) : carom_fail_memory(it->error);
  }
  if (status != CAROM_OK) return status;
  if (file->row_count == 0) return FAIL(it, 1, "there are no data below the names of columns");
  size_t rows = (size_t)file->row_count, columns = (size_t)file->column_count;
  file->times = carom_arena_array(it->arena, rows, sizeof(double));
  file->values = carom_arena_array(it->arena, rows * columns, sizeof(double));
  file->shifted = carom_arena_array(it->arena, rows, sizeof(double));
  if (!file->times || !file->values || !file->shifted) return carom_fail_memory(it->error);
  for (size_t r = 0; r < rows; r++) {
    file->times[r] = it->cells[r * (columns + 1)];
    memcpy(file->values + r * columns, it->cells + r * (columns + 1) + 1, columns * sizeof(double));
  }
  return CAROM_OK;
}

carom_status carom_fit_read(carom_arena *arena, const char *path, carom_fit_file *file,
                            carom_error *error) {
  *file = (carom_fit_file){.path = path};
  reading it = {.arena = arena, .file = file, .error = error};
  it.stream = fopen(path, "r");
  if (!it.stream) return carom_fail(error, CAROM_ERR_INPUT, "cannot read '%s'", path);
  carom_status status = read_all(&it);
  (void)fclose(it.stream);
  free(it.cells);
  return status;
}
