// SPDX-License-Identifier: MIT
/// Flat round faces that lie on a plane (bodies/body_rim.c) rest on three points of their rim.
/// Which points is a direction in the body that changes no motion while the load stays between
/// them; it is chosen anew where one of them would be left, so that a face bears as its whole rim
/// would.
#ifndef CAROM_HYBRID_PATCH_H
#define CAROM_HYBRID_PATCH_H

#include "base/arena.h"
#include "base/error.h"

enum { CAROM_PATCH_PLACES = 3 };

/// One motion's.
typedef struct carom_patches {
  double (*way)[2]; // [patches] the direction of the first point
  bool *flat;       // [patches] lies flat, touching or not
  // [patches] room for trials of an impact: the last direction, how far it was off, the first one
  double (*last)[3];
} carom_patches;

typedef struct carom_hybrid carom_hybrid;
struct carom_hybrid_model;

int carom_patch_count(const struct carom_hybrid_model *model);
carom_status carom_patch_init(carom_patches *patches, carom_arena *arena,
                              const struct carom_hybrid_model *model, carom_error *error);
/// Before a start.
void carom_patch_start(carom_hybrid *it);
/// Which faces lie flat at a start, by the rows last evaluated.
void carom_patch_begin(carom_hybrid *it);
/// Directions among the parameters, wherever these have been set.
void carom_patch_put(carom_hybrid *it);
/// Which faces lie flat, by the rows last evaluated; one that has come to do so rests on the point
/// it came down on. `moved`: directions are others now.
void carom_patch_appear(carom_hybrid *it, bool *moved);
/// Before contact modes are chosen, with rows of the instant: all points of a face that rests are
/// closed.
void carom_patch_hold(carom_hybrid *it);
/// Then, with modes by slip: the points follow the load, where it is not between them. `moved`:
/// rows are to be evaluated again.
carom_status carom_patch_bear(carom_hybrid *it, bool *moved, carom_error *error);
/// Before an impact: the points are those where the face comes down first. `moved` as before.
carom_status carom_patch_land(carom_hybrid *it, bool *moved, carom_error *error);
/// With velocities of rows after an impact that is tried: where a part of a rim between the points
/// would go through the plane they are `moved`, and it is to be tried again. `trial`: how often it
/// was tried before.
carom_status carom_patch_pass(carom_hybrid *it, const double *after, int trial, bool *moved,
                              carom_error *error);
/// After an impact, with rows after it: a face that tips away does so over the point that goes up
/// least; it is one of the three, and closed where it stays. `moved` as before.
carom_status carom_patch_leave(carom_hybrid *it, bool *moved, carom_error *error);
/// Is this contact at a point of a flat face?
bool carom_patch_has(const carom_hybrid *it, int contact);
/// Does any flat face touch?
bool carom_patch_touches(const carom_hybrid *it);

#endif
