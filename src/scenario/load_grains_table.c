// SPDX-License-Identifier: MIT
// start.table of a bed: a line of names, then one line a rod. Cells are parted by commas, by
// semicolons or by blanks, as in the line of names; empty lines and what follows a # are passed
// over.
#include "scenario/load.h"

#include <math.h>
#include <string.h>

enum { LARGEST_FILE = 1 << 30, KIND = CAROM_GRAINS_ROD_NUMBERS, COLUMNS = KIND + 1 };
static const double LARGEST_NUMBER = 1e100; // squares of it are finite

static const char *const NAMES[COLUMNS] = {"x",  "y",  "z",  "ux", "uy", "uz",  "vx",
                                           "vy", "vz", "wx", "wy", "wz", "kind"};

typedef struct rods_reader {
  carom_loader *loader;
  carom_grains_start *start;
  const char *line;  // where the present one begins
  const char *apart; // what ends a cell; the first of it parts cells
  int number;        // of the present line
  int column_count;  // 0: the names have not been read
  int columns[COLUMNS], capacity;
  carom_grains_rod *rods;
} rods_reader;

/// Text between two commas, without blanks and quotes around it.
typedef struct cell {
  const char *text;
  int length;
} cell;

static carom_place place_at(const rods_reader *r, const char *at) {
  return (carom_place){r->start->table, r->number, (int)(at - r->line) + 1};
}

static bool ends_line(const char *p) { return !*p || *p == '\n' || *p == '#'; }

// where the next cell begins; NULL: the line ends here
static const char *take_cell(const rods_reader *r, const char *p, cell *found) {
  p = carom_load_skip_blanks(p);
  bool quoted = *p == '"';
  if (quoted) p++;
  size_t length = strcspn(p, quoted ? "\"\n" : r->apart), all = length;
  while (length > 0 && carom_load_skip_blanks(p + length - 1) > p + length - 1)
    length--;
  *found = (cell){p, (int)length};
  p += all;
  p = carom_load_skip_blanks(quoted && *p == '"' ? p + 1 : p);
  if (*p == r->apart[0]) return p + 1;
  return ends_line(p) ? NULL : p;
}

static bool is_called(const cell *it, const char *name) {
  return strlen(name) == (size_t)it->length && memcmp(it->text, name, (size_t)it->length) == 0;
}

// ---- the line of names

static carom_status read_name(rods_reader *r, const cell *it) {
  carom_error *error = r->loader->error;
  int shown = it->length < 40 ? it->length : 40, which = 0;
  while (which < COLUMNS && !is_called(it, NAMES[which]))
    which++;
  if (which == COLUMNS)
    return carom_fail_at(error, CAROM_ERR_INPUT, place_at(r, it->text),
                         "'%.*s' is no column of rods; there are x, y, z, ux, uy, uz, vx, vy, vz, "
                         "wx, wy, wz and kind",
                         shown, it->text);
  for (int k = 0; k < r->column_count; k++)
    if (r->columns[k] == which)
      return carom_fail_at(error, CAROM_ERR_INPUT, place_at(r, it->text),
                           "two columns are called '%s'", NAMES[which]);
  r->columns[r->column_count++] = which;
  return CAROM_OK;
}

static bool has_column(const rods_reader *r, int which) {
  for (int k = 0; k < r->column_count; k++)
    if (r->columns[k] == which) return true;
  return false;
}

static carom_status check_names(rods_reader *r) {
  carom_error *error = r->loader->error;
  bool axes = has_column(r, 3) || has_column(r, 4) || has_column(r, 5);
  for (int k = 0; k < (axes ? 6 : 3); k++)
    if (!has_column(r, k))
      return carom_fail_at(error, CAROM_ERR_INPUT, place_at(r, r->line),
                           "the column '%s' is missing", NAMES[k]);
  if (!has_column(r, KIND) && r->loader->scenario->described.grains->species_count > 1)
    return carom_fail_at(error, CAROM_ERR_INPUT, place_at(r, r->line),
                         "the column 'kind' is missing: there are several kinds of rods");
  r->start->axes = axes;
  r->start->names_line = r->number;
  return CAROM_OK;
}

static carom_status read_names(rods_reader *r, const char *p) {
  size_t length = strcspn(p, "#\n");
  r->apart = memchr(p, ',', length) ? ",#\n" : memchr(p, ';', length) ? ";#\n" : " \t\r#\n";
  carom_status status = CAROM_OK;
  while (p && !status) {
    cell it;
    p = take_cell(r, p, &it);
    status = read_name(r, &it);
  }
  return status ? status : check_names(r);
}

// ---- a rod

static carom_status read_kind(const rods_reader *r, const cell *it, carom_grains_rod *rod) {
  const carom_grains_description *g = r->loader->scenario->described.grains;
  const char *names[CAROM_GRAINS_MAX_SPECIES];
  for (int k = 0; k < g->species_count; k++) {
    names[k] = g->species[k].name;
    if (!is_called(it, names[k])) continue;
    rod->kind = k;
    return CAROM_OK;
  }
  char word[64] = "", hint[256];
  memcpy(word, it->text, (size_t)(it->length < 60 ? it->length : 60));
  carom_name_hint(hint, sizeof hint, word, names, g->species_count);
  return carom_fail_at(r->loader->error, CAROM_ERR_INPUT, place_at(r, it->text),
                       "no rods are called '%s'%s", word, hint);
}

static carom_status read_cell(const rods_reader *r, int column, const cell *it,
                              carom_grains_rod *rod) {
  if (column == KIND) return read_kind(r, it, rod);
  double *value = &rod->numbers[column];
  int shown = it->length < 40 ? it->length : 40;
  if (carom_load_signed_number(it->text, value) != it->text + it->length)
    return carom_fail_at(r->loader->error, CAROM_ERR_INPUT, place_at(r, it->text),
                         "%s is '%.*s'; a number expected", NAMES[column], shown, it->text);
  if (fabs(*value) <= LARGEST_NUMBER) return CAROM_OK;
  return carom_fail_at(r->loader->error, CAROM_ERR_INPUT, place_at(r, it->text),
                       "%s is %.*s; at most %g will do", NAMES[column], shown, it->text,
                       LARGEST_NUMBER);
}

static carom_status read_rod(rods_reader *r, const char *p) {
  carom_grains_start *start = r->start;
  carom_error *error = r->loader->error;
  carom_grains_rod rod = {.line = r->number};
  int k = 0;
  for (; p; k++) {
    cell it;
    if (k == r->column_count)
      return carom_fail_at(error, CAROM_ERR_INPUT, place_at(r, p),
                           "more cells than names of columns, %d", r->column_count);
    p = take_cell(r, p, &it);
    carom_status status = read_cell(r, r->columns[k], &it, &rod);
    if (status) return status;
  }
  if (k < r->column_count)
    return carom_fail_at(error, CAROM_ERR_INPUT, place_at(r, r->line),
                         "%d cells, but %d names of columns", k, r->column_count);
  if (!carom_arena_grow(r->loader->arena, (void **)&r->rods, start->rod_count, &r->capacity,
                        sizeof *r->rods))
    return carom_fail_memory(error);
  r->rods[start->rod_count++] = rod;
  r->loader->scenario->described.grains->species[rod.kind].in_table++;
  return CAROM_OK;
}

// ---- the file

static carom_status read_lines(rods_reader *r, const char *text) {
  carom_status status = CAROM_OK;
  for (const char *p = text; *p && !status;) {
    r->line = p;
    r->number++;
    p = carom_load_skip_blanks(p);
    if (!ends_line(p)) status = r->column_count ? read_rod(r, p) : read_names(r, p);
    p = r->line + strcspn(r->line, "\n");
    if (*p) p++;
  }
  return status;
}

// every kind has a rod
static carom_status check_kinds(const rods_reader *r) {
  const carom_grains_description *g = r->loader->scenario->described.grains;
  for (int k = 0; k < g->species_count; k++)
    if (g->species[k].in_table == 0)
      return carom_fail_at(r->loader->error, CAROM_ERR_INPUT,
                           (carom_place){r->start->table, r->number > 0 ? r->number : 1, 1},
                           "the table has no rods%s%s", g->species_count > 1 ? " of the kind " : "",
                           g->species_count > 1 ? g->species[k].name : "");
  return CAROM_OK;
}

carom_status carom_load_grains_table(carom_loader *loader, const carom_yaml *name) {
  carom_grains_start *start = &loader->scenario->described.grains->start;
  rods_reader r = {.loader = loader, .start = start};
  const char *text = NULL;
  carom_status status = carom_document_open_table(
      loader->document, name->text, name->place, LARGEST_FILE, &start->table, &text, loader->error);
  // what some spreadsheets write first says that the text is UTF-8
  if (!status && strncmp(text, "\xef\xbb\xbf", 3) == 0) text += 3;
  if (!status) status = read_lines(&r, text);
  if (!status) status = check_kinds(&r);
  start->rods = r.rods;
  return status;
}
