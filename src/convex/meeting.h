// SPDX-License-Identifier: MIT
/// Two convex bodies near each other: how far they are apart, and which of their features can
/// touch.
#ifndef CAROM_CONVEX_MEETING_H
#define CAROM_CONVEX_MEETING_H

#include "convex/polytope.h"

/// The plane that parts two bodies most, among those that a face of one of them or an edge of each
/// tells: bodies that do not overlap have one such (separating axes; Gottschalk, Lin, Manocha
/// 1996).
typedef struct carom_parting {
  double gap;       // negative: they overlap by so much; positive: no more than their distance
  double normal[3]; // from b to a
  int face_a, face_b, edge_a, edge_b; // which features tell it, and which face of each looks at
                                      // the other body; edges are -1 where a face tells it
} carom_parting;

carom_parting carom_part_bodies(const carom_posed *a, const carom_posed *b);
/// The largest gap that a plane tells whose normal is clearly another one.
double carom_part_otherwise(const carom_posed *a, const carom_posed *b, const double normal[3]);

typedef enum carom_feature_kind {
  CAROM_FEATURE_NONE,
  CAROM_CORNER_ON_FACE, // corner of a, face of b
  CAROM_FACE_ON_CORNER, // face of a, corner of b
  CAROM_EDGE_ON_EDGE
} carom_feature_kind;

/// A place where they can touch. Numbers are those of corners, faces and edges of both.
typedef struct carom_feature {
  carom_feature_kind kind;
  int a, b;
} carom_feature;

static inline bool carom_feature_same(const carom_feature *p, const carom_feature *q) {
  return p->kind == q->kind && p->a == q->a && p->b == q->b;
}

/// The place of a feature, and its gap along the normal from b to a; side: of an edge on an edge,
/// the normal is so many times the direction of a's edge x that of b's, normalised (+1 or -1).
typedef struct carom_feature_look {
  double place[3], gap, normal[3]; // the place is a's
  double side;
  double sine;   // between edges; 1 of others
  double inside; // how far the place is from where it ends to be one; negative: beyond
} carom_feature_look;

/// How it stands; false: edges that are parallel cross nowhere.
bool carom_feature_see(const carom_posed *a, const carom_posed *b, const carom_parting *parting,
                       const carom_feature *feature, carom_feature_look *look);

/// Whether a feature that is near may be a place of contact. Where features touch inside, and the
/// bodies do not overlap, their plane parts the bodies: neither reaches beyond the other's part of
/// it, but for so many times the gap. And it is the only plane that does: bodies that pass along
/// each other's edges, parted by another plane as well, ask for nothing.
bool carom_feature_counts(const carom_posed *a, const carom_posed *b,
                          const carom_feature_look *look, double band);

/// The corners of where the two faces that look at each other overlap, seen along the normal:
/// corners of one over the face of the other, edges that cross; and the two edges that part the
/// bodies. `band`: what is as far outside counts as inside, and places as near to each other are
/// one. Features in `held` are kept up to twice the band. Returns how many, at most `most`: the
/// nearest, by their gaps.
int carom_meet_bodies(const carom_posed *a, const carom_posed *b, const carom_parting *parting,
                      double band, int held_count, const carom_feature *held, int most,
                      carom_feature *features, double *gaps);

#endif
