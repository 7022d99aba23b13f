// SPDX-License-Identifier: MIT
/// Convex bodies with flat faces: corners, faces and edges, and where a motion puts them.
#ifndef CAROM_CONVEX_POLYTOPE_H
#define CAROM_CONVEX_POLYTOPE_H

#include "base/arena.h"
#include "base/error.h"

/// Its shape, counted from a point of the body. Which corners make a face is found once; where
/// these are, and what follows from it, may change with parameters.
typedef struct carom_polytope {
  int corner_count, face_count, edge_count;
  double (*corners)[3];
  // faces: corners of face f are loop[first[f]] ... loop[first[f + 1] - 1], counter-clockwise seen
  // from outside
  int *loop, *first;
  double (*normals)[3]; // outward unit vectors
  double *offsets;      // n.x on the face
  // edges, each from one corner to another between two faces
  int (*edges)[2], (*sides)[2];
  double (*along)[3]; // unit vectors
  double *lengths;
  double reach; // of the farthest corner from the point it is counted from
  double width; // the least distance of a face from the corner behind it that is farthest
} carom_polytope;

/// Faces and edges of the hull of these corners; those within a face or an edge belong to none.
carom_status carom_polytope_make(carom_arena *arena, int count, const double (*corners)[3],
                                 carom_place place, carom_polytope *shape, carom_error *error);
/// Normals, lengths and sizes after `corners` have changed; false: they no longer make a convex
/// body with these faces.
bool carom_polytope_measure(carom_polytope *shape);
/// The same with room of its own for what parameters change; false: out of memory.
bool carom_polytope_copy(carom_polytope *copy, carom_arena *arena, const carom_polytope *shape);
/// Most corners of a face.
int carom_polytope_widest_face(const carom_polytope *shape);

/// One that is somewhere: vectors are in space.
typedef struct carom_posed {
  const carom_polytope *shape;
  double place[3], turn[9]; // turn by rows: its columns are the body's axes
  double (*corners)[3], (*normals)[3], (*along)[3];
} carom_posed;

bool carom_posed_init(carom_posed *posed, carom_arena *arena, const carom_polytope *shape);
void carom_posed_put(carom_posed *posed, const double place[3], const double turn[9]);

#endif
