// SPDX-License-Identifier: MIT
/// The points of a surface in a file: STL, as text or in bytes, or OBJ. Faces are not looked at:
/// what is wanted of a mesh here is its hull.
#ifndef CAROM_BODIES_MESH_FILE_H
#define CAROM_BODIES_MESH_FILE_H

#include "base/arena.h"
#include "base/error.h"

enum { CAROM_MESH_LARGEST = 64 << 20 }; // bytes of a file

typedef struct carom_mesh {
  int count;
  double (*points)[3]; // as often as they are written
} carom_mesh;

/// Reads `length` bytes (followed by a zero) of the file called `name`, which tells by its ending
/// what it is (.stl, .obj). Damage is an error with line and column; in a binary STL file, which
/// has no lines, with the number of the triangle.
carom_status carom_mesh_read(carom_arena *arena, const char *name, const char *bytes, size_t length,
                             carom_mesh *mesh, carom_error *error);

#endif
