// SPDX-License-Identifier: MIT
#include "bodies/mesh_file.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER = 80, TRIANGLE = 50 }; // bytes of a binary STL file

/// A text while it is read, line by line.
typedef struct reader {
  carom_arena *arena;
  carom_error *error;
  const char *name, *line;
  int number; // of the line, from 1
  carom_mesh *mesh;
  int capacity;
} reader;

static carom_status add_point(reader *r, const double point[3]) {
  if (!carom_arena_grow(r->arena, (void **)&r->mesh->points, r->mesh->count, &r->capacity,
                        sizeof *r->mesh->points))
    return carom_fail_memory(r->error);
  memcpy(r->mesh->points[r->mesh->count++], point, sizeof *r->mesh->points);
  return CAROM_OK;
}

static const char *skip_blanks(const char *at) { return at + strspn(at, " \t\r"); }

static bool is_word(const char *at, const char *word) {
  size_t length = strlen(word);
  return strncmp(at, word, length) == 0 && strchr(" \t\r\n", at[length]);
}

// three numbers behind a word
static carom_status read_vertex(reader *r, const char *at) {
  double point[3];
  for (int k = 0; k < 3; k++) {
    char *end = NULL;
    at = skip_blanks(at);
    point[k] = *at == '\n' || !*at ? (double)NAN : strtod(at, &end);
    if (!isfinite(point[k]) || end == at || !strchr(" \t\r\n", *end))
      return carom_fail_at(r->error, CAROM_ERR_INPUT,
                           (carom_place){r->name, r->number, (int)(at - r->line) + 1},
                           "a point needs three numbers, and this is not the %s",
                           k == 0   ? "first"
                           : k == 1 ? "second"
                                    : "third");
    at = end;
  }
  return add_point(r, point);
}

// `word` begins the lines of points: vertex in STL, v in OBJ
static carom_status read_lines(reader *r, const char *text, const char *word) {
  carom_status status = CAROM_OK;
  for (r->line = text; *r->line && status == CAROM_OK;) {
    const char *at = skip_blanks(r->line);
    r->number++;
    if (is_word(at, word)) status = read_vertex(r, at + strlen(word));
    r->line += strcspn(r->line, "\n");
    if (*r->line == '\n') r->line++;
  }
  return status;
}

// four bytes of a file, the lowest first
static uint32_t four_bytes(const char *at) {
  uint32_t value = 0;
  for (int k = 3; k >= 0; k--)
    value = value << 8 | (unsigned char)at[k];
  return value;
}

static double single_number(const char *at) {
  uint32_t bits = four_bytes(at);
  float value;
  memcpy(&value, &bits, sizeof value);
  return (double)value;
}

// a normal, three corners and two bytes for each triangle
static carom_status read_triangles(reader *r, const char *bytes, uint32_t count) {
  for (uint32_t k = 0; k < count; k++)
    for (int corner = 0; corner < 3; corner++) {
      const char *at = bytes + HEADER + 4 + (size_t)k * TRIANGLE + 12 + corner * 12;
      double point[3];
      for (int i = 0; i < 3; i++) {
        point[i] = single_number(at + i * 4);
        if (!isfinite(point[i]))
          return carom_fail(r->error, CAROM_ERR_INPUT,
                            "%s: triangle %lu of %lu has a corner that is not finite", r->name,
                            (unsigned long)k + 1, (unsigned long)count);
      }
      carom_status status = add_point(r, point);
      if (status != CAROM_OK) return status;
    }
  return CAROM_OK;
}

// A binary file has the length that its count of triangles asks for; text begins with `solid`,
// which headers of binary files do, too.
static carom_status read_stl(reader *r, const char *bytes, size_t length) {
  uint32_t count = length >= HEADER + 4 ? four_bytes(bytes + HEADER) : 0;
  if (length >= HEADER + 4 && length - HEADER - 4 == (size_t)count * TRIANGLE)
    return read_triangles(r, bytes, count);
  const char *text = bytes + strspn(bytes, " \t\r\n");
  if (is_word(text, "solid") && strlen(bytes) == length) return read_lines(r, bytes, "vertex");
  return carom_fail(r->error, CAROM_ERR_INPUT,
                    "%s is no STL file: text begins with `solid`, and a binary file of %lu "
                    "triangles has %lu bytes, not %zu",
                    r->name, (unsigned long)count, HEADER + 4 + (unsigned long)count * TRIANGLE,
                    length);
}

static bool ends_with(const char *name, const char *ending) {
  size_t a = strlen(name), b = strlen(ending);
  for (size_t k = 0; a >= b && k < b; k++) {
    char c = name[a - b + k];
    if (c >= 'A' && c <= 'Z') c = (char)(c - 'A' + 'a');
    if (c != ending[k]) return false;
  }
  return a >= b;
}

carom_status carom_mesh_read(carom_arena *arena, const char *name, const char *bytes, size_t length,
                             carom_mesh *mesh, carom_error *error) {
  reader r = {.arena = arena, .error = error, .name = name, .mesh = mesh};
  carom_status status;
  *mesh = (carom_mesh){0};
  if (ends_with(name, ".stl"))
    status = read_stl(&r, bytes, length);
  else if (!ends_with(name, ".obj"))
    return carom_fail(error, CAROM_ERR_UNSUPPORTED, "%s: a mesh is read from a file .stl or .obj",
                      name);
  else if (strlen(bytes) != length)
    return carom_fail(error, CAROM_ERR_INPUT, "%s: an OBJ file is text, and this is none", name);
  else
    status = read_lines(&r, bytes, "v");
  if (status == CAROM_OK && mesh->count == 0)
    return carom_fail(error, CAROM_ERR_INPUT, "%s: this mesh has no points", name);
  return status;
}
