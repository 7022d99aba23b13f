// SPDX-License-Identifier: MIT
/// A contact between two bodies with flat faces is a slot: its gap and slip are written once, with
/// numbers in place of the features that touch. They stay the same between events, and are those of
/// a corner and a face, or of two edges, while these are near.
///
/// With A and B the turns of the bodies at x and y, s = `edge` and
///
///   u' = A u,  w' = B w,  c = u'.w'
///   n = (1 - s^2) (u' + w') + s (u' x w')/sqrt(1 - c^2)     the normal, from b to a
///   d = y + B b - x - A a
///   gap = -n.d + off
///
/// a corner a of A on a face of B has w the normal of that face, b any point of it and u = 0; a
/// corner b on a face of A has u the inward normal of that face, a a point of it and w = 0, and
/// `corner` = 1; edges through a and b have u and w along them and s the sign of the normal. A slot
/// that is not in use has u = w = 0 and `off` = the gap of a contact that is not there.
///
/// The place of contact, from x, is (1 - `corner`) (A a + l u') + `corner` (y + B b - x) with
/// l = (d.u' - c d.w')/(1 - c^2). It leaves the face or edge where kl - k.(it), or ml - m.(it), is
/// negative, seen from one of the bodies. Edges that become parallel cross nowhere any more: the
/// second of these has the factor 1 - c^2 - CAROM_SLOT_PARALLEL as well.
#ifndef CAROM_CONVEX_SLOT_H
#define CAROM_CONVEX_SLOT_H

/// The names of its numbers, behind a dot, in the order in which they are kept.
#define CAROM_SLOT_NUMBERS(_)                                                                      \
  _(a1)                                                                                            \
  _(a2)                                                                                            \
  _(a3)                                                                                            \
  _(b1)                                                                                            \
  _(b2)                                                                                            \
  _(b3)                                                                                            \
  _(u1)                                                                                            \
  _(u2)                                                                                            \
  _(u3)                                                                                            \
  _(w1)                                                                                            \
  _(w2)                                                                                            \
  _(w3)                                                                                            \
  _(edge)                                                                                          \
  _(corner)                                                                                        \
  _(r1)                                                                                            \
  _(r2)                                                                                            \
  _(r3)                                                                                            \
  _(off)                                                                                           \
  _(k1)                                                                                            \
  _(k2)                                                                                            \
  _(k3)                                                                                            \
  _(kl)                                                                                            \
  _(m1)                                                                                            \
  _(m2)                                                                                            \
  _(m3)                                                                                            \
  _(ml)

#define CAROM_SLOT_PARALLEL "1e-8" // sine^2

typedef enum carom_slot_number {
#define NAME(name) CAROM_SLOT_##name,
  CAROM_SLOT_NUMBERS(NAME)
#undef NAME
      CAROM_SLOT_SIZE
} carom_slot_number;

static inline const char *carom_slot_name(int k) {
#define NAME(name) #name,
  static const char *const names[] = {CAROM_SLOT_NUMBERS(NAME)};
#undef NAME
  return names[k];
}

enum { CAROM_SLOT_MOST = 16 }; // of a pair

#endif
