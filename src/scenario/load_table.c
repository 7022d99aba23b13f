// SPDX-License-Identifier: MIT
// table("file.csv", x): two columns of numbers, x strictly increasing. A first line of names and
// lines that begin with # are passed over.
#include "scenario/load.h"
#include "symbolic/number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LARGEST_FILE = 64 << 20 };

typedef struct table_reader {
  carom_loader *loader;
  carom_error *error;
  const char *path;
  double *x, *y;
  int count, x_capacity, y_capacity, line;
  bool started; // a line that is no comment has been seen
} table_reader;

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r'; }

const char *carom_load_skip_blanks(const char *p) {
  while (is_space(*p))
    p++;
  return p;
}

const char *carom_load_signed_number(const char *p, double *value) {
  bool negative = *p == '-';
  if (*p == '-' || *p == '+') p++;
  size_t length = carom_number_length(p);
  if (!length) return NULL;
  *value = carom_number_read(p, length);
  if (negative) *value = -*value;
  return p + length;
}

static carom_status fail_line(table_reader *r, const char *start, const char *at,
                              const char *message) {
  carom_place place = {r->path, r->line, (int)(at - start) + 1};
  return carom_fail_at(r->error, CAROM_ERR_INPUT, place, "%s", message);
}

static carom_status add_point(table_reader *r, const char *start, double x, double y) {
  if (!isfinite(x) || !isfinite(y)) return fail_line(r, start, start, "the number is too large");
  if (r->count && !(x > r->x[r->count - 1]))
    return fail_line(r, start, start,
                     "the first column of a table must increase from line to line");
  carom_arena *arena = r->loader->arena;
  if (!carom_arena_grow(arena, (void **)&r->x, r->count, &r->x_capacity, sizeof *r->x) ||
      !carom_arena_grow(arena, (void **)&r->y, r->count, &r->y_capacity, sizeof *r->y))
    return carom_fail_memory(r->error);
  r->x[r->count] = x;
  r->y[r->count++] = y;
  return CAROM_OK;
}

static carom_status read_line(table_reader *r, const char *start) {
  const char *p = carom_load_skip_blanks(start);
  if (*p == '\n' || !*p || *p == '#') return CAROM_OK;
  bool first = !r->started;
  r->started = true;
  double x = 0.0, y = 0.0;
  const char *next = carom_load_signed_number(p, &x);
  // a line of names may stand above the numbers
  if (!next && first) return CAROM_OK;
  if (!next) return fail_line(r, start, p, "a number expected");
  p = carom_load_skip_blanks(next);
  if (*p == ',' || *p == ';')
    p = carom_load_skip_blanks(p + 1);
  else if (p == next)
    return fail_line(r, start, p, "a comma between two numbers expected");
  next = carom_load_signed_number(p, &y);
  if (!next) return fail_line(r, start, p, "a second number expected");
  p = carom_load_skip_blanks(next);
  if (*p && *p != '\n' && *p != '#')
    return fail_line(r, start, p, "two columns expected, found more");
  return add_point(r, start, x, y);
}

static carom_status read_lines(table_reader *r, const char *text) {
  for (const char *p = text; *p;) {
    r->line++;
    carom_status status = read_line(r, p);
    if (status) return status;
    p += strcspn(p, "\n");
    if (*p) p++;
  }
  if (r->count >= 2) return CAROM_OK;
  carom_place place = {r->path, r->line > 0 ? r->line : 1, 1};
  return carom_fail_at(r->error, CAROM_ERR_INPUT, place,
                       "a table needs at least two lines of numbers, found %d", r->count);
}

static int find_table(const carom_loader *loader, const char *path) {
  for (int k = 0; k < loader->table_count; k++)
    if (strcmp(loader->tables[k].path, path) == 0) return loader->tables[k].index;
  return -1;
}

static int add_table(carom_loader *loader, const char *name, const char *path, const char *text,
                     carom_error *error) {
  table_reader r = {.loader = loader, .error = error, .path = path};
  if (read_lines(&r, text)) return -1;
  int index = carom_graph_add_table(loader->graph, name, r.count, r.x, r.y);
  if (index < 0 || !carom_arena_grow(loader->arena, (void **)&loader->tables, loader->table_count,
                                     &loader->table_capacity, sizeof *loader->tables)) {
    carom_fail_memory(error);
    return -1;
  }
  loader->tables[loader->table_count++] = (carom_loaded_table){path, index};
  return index;
}

carom_node carom_load_table(carom_loader *loader, const char *name, carom_place place,
                            carom_node argument, carom_error *error) {
  const char *path = NULL, *text = NULL;
  loader->placed = true;
  carom_document *document = loader->document;
  if (carom_document_open(document, name, place, LARGEST_FILE, &path, NULL, error)) return 0;
  int index = find_table(loader, path);
  if (index < 0) {
    if (carom_document_open_table(document, name, place, LARGEST_FILE, &path, &text, error))
      return 0;
    index = add_table(loader, name, path, text, error);
  }
  if (index < 0) return 0;
  loader->placed = false;
  return carom_node_table(loader->graph, index, argument);
}
