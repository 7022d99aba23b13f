// SPDX-License-Identifier: MIT
/// The contact law for four contacts at once; see law.h for its equations.
#ifndef CAROM_GRAINS_LAW_LANES_H
#define CAROM_GRAINS_LAW_LANES_H

#include "grains/lanes.h"
#include "grains/law.h"

/// Four laws of one form.
typedef struct carom_law4 {
  const carom_grain_law *form;
  carom_v4 kn, kt, gn, gt, stick, slip;
} carom_law4;

CAROM_INLINE carom_law4 carom_law4_same(const carom_grain_law *law) {
  return (carom_law4){law,
                      v4_all(law->kn),
                      v4_all(law->kt),
                      v4_all(law->gn),
                      v4_all(law->gt),
                      v4_all(law->stick),
                      v4_all(law->slip)};
}

CAROM_INLINE carom_law4 carom_law4_each(const carom_grain_law *laws, const int which[4]) {
  carom_law4 out = carom_law4_same(laws);
  for (int l = 0; l < CAROM_LANES; l++) {
    const carom_grain_law *law = &laws[which[l]];
    out.kn[l] = law->kn, out.kt[l] = law->kt, out.gn[l] = law->gn, out.gt[l] = law->gt;
    out.stick[l] = law->stick, out.slip[l] = law->slip;
  }
  return out;
}

/// Four contacts on their way from geometry to forces. The first body is a, the second b; n points
/// from b to a, v is the velocity of a at the contact relative to b.
typedef struct carom_contact4 {
  carom_v4 depth, mass; // depth: 0 or less counts as none
  carom_space4 n, v;
  // the past, and what it becomes
  carom_space4 s;
  carom_v4 root;
  carom_m4 slides;
  // results
  carom_space4 force; // on a
  carom_v4 lost;      // power of normal damping
  carom_v4 taken;     // power that goes into the tangential part
} carom_contact4;

// F_n, and the force along n
CAROM_INLINE carom_v4 carom_law4_normal(const carom_law4 *law, carom_contact4 *k, carom_v4 root,
                                        carom_v4 stiffen, carom_v4 speed) {
  carom_v4 damp = law->form->damping == CAROM_DAMPING_RATIO
                      ? law->gn * v4_sqrt(k->mass * law->kn * stiffen)
                      : law->gn * k->mass * stiffen;
  carom_v4 spring = law->kn * (root * root) * stiffen;
  carom_v4 force = spring - damp * speed;
  if (law->form->clip) force = v4_if((carom_m4)(force < v4_all(0.0)), v4_all(0.0), force);
  k->lost = (spring - force) * speed;
  k->force = s4_times(force, k->n);
  return force;
}

// The spring s of the last step, turned into the tangent plane. A contact that is pressed harder is
// stiffer: a spring that kept its length would hold energy that nobody paid for, so it keeps its
// force (Elata and Berryman 1996); where the contact gets softer, it keeps its length.
CAROM_INLINE void carom_law4_carry(const carom_law4 *law, carom_contact4 *k, carom_v4 root) {
  k->s = s4_plus(k->s, -s4_dot(k->s, k->n), k->n);
  if (!law->form->hertz || law->form->plain) return;
  carom_v4 one = v4_all(1.0);
  k->s = s4_times(v4_if((carom_m4)(root > k->root), k->root / root, one), k->s);
}

// The spring is cut back to what Coulomb's limit bears, as in the return map of plasticity, and the
// damper gets what room is left below the limit: the spring is paid for in full, so no contact can
// give energy. The spring follows the velocity for a time `in` before the force and `out` after
// it: half a step each is the trapezoidal rule for velocities at full steps, all before is the
// midpoint rule for those between.
CAROM_INLINE void carom_law4_tangential(const carom_law4 *law, double in, double out,
                                        carom_contact4 *k, carom_v4 normal, carom_v4 stiffen,
                                        carom_v4 speed) {
  carom_v4 zero = v4_all(0.0), one = v4_all(1.0);
  carom_space4 vt = s4_plus(k->v, -speed, k->n);
  carom_space4 s = s4_plus(k->s, v4_all(in), vt);
  carom_v4 stiff = law->kt * stiffen;
  carom_v4 damp = law->form->damping == CAROM_DAMPING_RATIO
                      ? law->gt * v4_sqrt(k->mass * law->kn * stiffen)
                      : law->gt * k->mass * stiffen;
  carom_v4 pull = stiff * v4_sqrt(s4_dot(s, s)), drag = damp * v4_sqrt(s4_dot(vt, vt));
  carom_v4 press = v4_abs(normal);
  carom_v4 bears = v4_if(k->slides, law->slip, law->stick) * press, limit = law->slip * press;
  carom_m4 over = (carom_m4)(pull > bears);
  carom_v4 room = v4_if(over, zero, bears - pull);
  carom_m4 drags = (carom_m4)(drag > room);
  // what is not divided by is not zero
  s = s4_times(v4_if(over, limit / v4_if(over, pull, one), one), s);
  damp = damp * v4_if(drags, room / v4_if(drags, drag, one), one);
  carom_space4 t = s4_plus(s4_times(stiff, s), damp, vt);
  k->force = s4_sub(k->force, t);
  k->s = s4_plus(s, v4_all(out), vt);
  k->slides = over;
  k->taken = s4_dot(t, vt);
}

/// Forces, new histories and powers.
CAROM_INLINE void carom_law4_act(const carom_law4 *law, double in, double out, carom_contact4 *k) {
  carom_v4 zero = v4_all(0.0), root = v4_sqrt(v4_max(k->depth, zero));
  carom_v4 stiffen = law->form->hertz ? root : v4_all(1.0), speed = s4_dot(k->v, k->n);
  carom_v4 normal = carom_law4_normal(law, k, root, stiffen, speed);
  k->taken = zero;
  carom_law4_carry(law, k, root);
  carom_law4_tangential(law, in, out, k, normal, stiffen, speed);
  k->root = root;
}

#endif
