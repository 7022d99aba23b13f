// SPDX-License-Identifier: MIT
/// The convex hull of points in space, and what an even density says of it: volume, mass centre,
/// inertia.
#ifndef CAROM_CONVEX_HULL_H
#define CAROM_CONVEX_HULL_H

#include "base/arena.h"
#include "base/error.h"

/// How many points of a set may be corners of its hull while it is made.
enum { CAROM_HULL_MOST = 20000 };

typedef struct carom_hull {
  int corner_count;
  double (*corners)[3]; // none of them lies within a face or an edge
  int face_count;
  int (*faces)[3]; // triangles of corners, counter-clockwise seen from outside
  int edge_count;
  int (*edges)[2]; // between faces that do not lie in one plane
  double volume, centre[3];
  double inertia[6]; // for a density of one, about the centre: xx, yy, zz, xy, xz, yz
  double left;       // how far the farthest of the points is outside, at least 0
} carom_hull;

/// The hull of `count` points, in any order, any of them as often as one likes. What is nearer to a
/// face than `tolerance` times the size of the whole belongs to the face; where rounding does not
/// allow that the tolerance is made larger, up to 512 times. With `most` > 3 it ends with this many
/// corners, those that lie farthest out; 0: all of them, and more than CAROM_HULL_MOST are an
/// error. Points that lie in a plane, on a line or at one place are an error told at `place`, as
/// are numbers that are not finite.
carom_status carom_hull_make(carom_arena *arena, int count, const double (*points)[3],
                             double tolerance, int most, carom_place place, carom_hull *hull,
                             carom_error *error);

#endif
