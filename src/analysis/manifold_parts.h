// SPDX-License-Identifier: MIT
/// Turns of a section as a map of the plane, and what is computed of it. Places are in parts of the
/// box that is looked at: 0 to 1 along each axis.
#ifndef CAROM_ANALYSIS_MANIFOLD_PARTS_H
#define CAROM_ANALYSIS_MANIFOLD_PARTS_H

#include "carom/manifold.h"
#include "engine/engine.h"

typedef struct carom_place_in_box {
  double x, y;
} carom_place_in_box;

/// Turns by one thread.
typedef struct carom_box_map {
  const carom_manifold_options *options;
  carom_simulation *simulation;
  int component[2]; // of the state, along each axis
  double low[2], width[2];
  double start, period;
} carom_box_map;

typedef struct carom_box_saddle {
  carom_place_in_box at;
  double unstable, stable;    // multipliers
  carom_place_in_box out, in; // unit eigenvectors
  carom_place_in_box left;    // that of the transposed matrix to `unstable`
  double period;
} carom_box_saddle;

/// A branch that grows.
typedef struct carom_box_curve {
  carom_place_in_box *points;
  long count, room;
  const char *end;
} carom_box_curve;

// manifold_map.c
carom_status carom_box_map_begin(const carom_manifold_options *options, carom_box_map *map,
                                 carom_error *error);
void carom_box_map_end(carom_box_map *map);
/// `count` turns from a place, and their derivative [2][2] where it is asked for; false: there is
/// no such motion.
bool carom_box_turn(carom_box_map *map, carom_place_in_box from, int count, carom_place_in_box *to,
                    double *slope);
/// The saddle that Newton's method comes to from a place; false: none.
bool carom_box_saddle_find(carom_box_map *map, carom_place_in_box from, carom_box_saddle *saddle);

// manifold_curve.c
/// False: out of memory.
bool carom_box_stable(carom_box_map *map, const carom_box_saddle *saddle, int side,
                      carom_box_curve *curve);
bool carom_box_unstable(carom_box_map *map, const carom_box_saddle *saddle, int side,
                        carom_box_curve *curve);

static inline bool carom_box_asked(const carom_box_map *map) {
  const carom_watcher *w = &map->options->watcher;
  return w->stopped && w->stopped(w->ctx);
}

#endif
