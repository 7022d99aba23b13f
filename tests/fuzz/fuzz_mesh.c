// SPDX-License-Identifier: MIT
// Any bytes as a mesh (STL, then OBJ) and the hull of its points: points that are inside of every
// face, or an error with a text.
#include "bodies/mesh_file.h"
#include "convex/hull.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(int condition) {
  if (!condition) abort();
}

static void look_at(carom_arena *arena, const char *name, const char *bytes, size_t size) {
  carom_mesh mesh;
  carom_hull hull;
  carom_error error = {0};
  carom_status status = carom_mesh_read(arena, name, bytes, size, &mesh, &error);
  demand(status == CAROM_OK || error.text[0]);
  if (status != CAROM_OK || mesh.count > 2000) return;
  status = carom_hull_make(arena, mesh.count, (const double(*)[3])mesh.points, 1e-6, 0,
                           (carom_place){name, 1, 1}, &hull, &error);
  demand(status == CAROM_OK || error.text[0]);
  if (status != CAROM_OK) return;
  demand(hull.corner_count >= 4 && hull.face_count == 2 * hull.corner_count - 4);
  demand(hull.volume > 0.0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  carom_arena *arena = carom_arena_create(NULL);
  char *bytes = carom_arena_text(arena, (const char *)data, size);
  demand(bytes != NULL);
  look_at(arena, "input.stl", bytes, size);
  look_at(arena, "input.obj", bytes, size);
  carom_arena_destroy(arena);
  return 0;
}
