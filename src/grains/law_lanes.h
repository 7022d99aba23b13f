// SPDX-License-Identifier: MIT
/// The contact law for several contacts at once; see law.h for its equations.
#ifndef CAROM_GRAINS_LAW_LANES_H
#define CAROM_GRAINS_LAW_LANES_H

#include "grains/lanes.h"
#include "grains/law.h"

/// Laws of one form, one a lane.
typedef struct carom_laws {
  const carom_grain_law *form;
  carom_vec kn, kt, gn, gt, stick, slip;
} carom_laws;

CAROM_INLINE carom_laws carom_laws_same(const carom_grain_law *law) {
  return (carom_laws){law,
                      v_all(law->kn),
                      v_all(law->kt),
                      v_all(law->gn),
                      v_all(law->gt),
                      v_all(law->stick),
                      v_all(law->slip)};
}

CAROM_INLINE carom_laws carom_laws_each(const carom_grain_law *laws, const int which[CAROM_WIDTH]) {
  double of[6][CAROM_WIDTH];
  for (int l = 0; l < CAROM_WIDTH; l++) {
    const carom_grain_law *law = &laws[which[l]];
    of[0][l] = law->kn, of[1][l] = law->kt, of[2][l] = law->gn, of[3][l] = law->gt;
    of[4][l] = law->stick, of[5][l] = law->slip;
  }
  return (carom_laws){laws,          v_load(of[0]), v_load(of[1]), v_load(of[2]),
                      v_load(of[3]), v_load(of[4]), v_load(of[5])};
}

/// Contacts on their way from geometry to forces. The first body is a, the second b; n points
/// from b to a, v is the velocity of a at the contact relative to b.
typedef struct carom_contacts {
  carom_vec depth, mass; // depth: 0 or less counts as none
  carom_space n, v;
  // the past, and what it becomes
  carom_space s;
  carom_vec root;
  carom_mask slides;
  // results
  carom_space force; // on a
  carom_vec lost;    // power of normal damping
  carom_vec taken;   // power that goes into the tangential part
} carom_contacts;

// F_n, and the force along n
CAROM_INLINE carom_vec carom_laws_normal(const carom_laws *law, carom_contacts *k, carom_vec root,
                                         carom_vec stiffen, carom_vec speed) {
  carom_vec damp = law->form->damping == CAROM_DAMPING_RATIO
                       ? law->gn * v_sqrt(k->mass * law->kn * stiffen)
                       : law->gn * k->mass * stiffen;
  carom_vec spring = law->kn * (root * root) * stiffen;
  carom_vec force = spring - damp * speed;
  if (law->form->clip) force = v_if(v_less(force, v_all(0.0)), v_all(0.0), force);
  k->lost = (spring - force) * speed;
  k->force = s_times(force, k->n);
  return force;
}

// The spring s of the last step, turned into the tangent plane. A contact that is pressed harder is
// stiffer: a spring that kept its length would hold energy that nobody paid for, so it keeps its
// force (Elata and Berryman 1996); where the contact gets softer, it keeps its length.
CAROM_INLINE void carom_laws_carry(const carom_laws *law, carom_contacts *k, carom_vec root) {
  k->s = s_plus(k->s, -s_dot(k->s, k->n), k->n);
  if (!law->form->hertz || law->form->plain) return;
  carom_vec one = v_all(1.0);
  k->s = s_times(v_if(v_more(root, k->root), k->root / root, one), k->s);
}

// The spring is cut back to what Coulomb's limit bears, as in the return map of plasticity, and the
// damper gets what room is left below the limit: the spring is paid for in full, so no contact can
// give energy. The spring follows the velocity for a time `in` before the force and `out` after
// it: half a step each is the trapezoidal rule for velocities at full steps, all before is the
// midpoint rule for those between.
CAROM_INLINE void carom_laws_tangential(const carom_laws *law, double in, double out,
                                        carom_contacts *k, carom_vec normal, carom_vec stiffen,
                                        carom_vec speed) {
  carom_vec zero = v_all(0.0), one = v_all(1.0);
  carom_space vt = s_plus(k->v, -speed, k->n);
  carom_space s = s_plus(k->s, v_all(in), vt);
  carom_vec stiff = law->kt * stiffen;
  carom_vec damp = law->form->damping == CAROM_DAMPING_RATIO
                       ? law->gt * v_sqrt(k->mass * law->kn * stiffen)
                       : law->gt * k->mass * stiffen;
  carom_vec pull = stiff * v_sqrt(s_dot(s, s)), drag = damp * v_sqrt(s_dot(vt, vt));
  carom_vec press = v_abs(normal);
  carom_vec bears = v_if(k->slides, law->slip, law->stick) * press, limit = law->slip * press;
  carom_mask over = v_more(pull, bears);
  carom_vec room = bears - pull;
  carom_mask drags = v_more(drag, room);
  // one quotient for both, since a spring that slips leaves the damper no room; what is not divided
  // by is not zero
  carom_vec share = v_if(over, limit, room) / v_if(over, pull, v_if(drags, drag, one));
  s = s_times(v_if(over, share, one), s);
  damp = v_if(over, zero, v_if(drags, damp * share, damp));
  carom_space t = s_plus(s_times(stiff, s), damp, vt);
  k->force = s_sub(k->force, t);
  k->s = s_plus(s, v_all(out), vt);
  k->slides = over;
  k->taken = s_dot(t, vt);
}

/// Forces, new histories and powers.
CAROM_INLINE void carom_laws_act(const carom_laws *law, double in, double out, carom_contacts *k) {
  carom_vec zero = v_all(0.0), root = v_sqrt(v_max(k->depth, zero));
  carom_vec stiffen = law->form->hertz ? root : v_all(1.0), speed = s_dot(k->v, k->n);
  carom_vec normal = carom_laws_normal(law, k, root, stiffen, speed);
  k->taken = zero;
  carom_laws_carry(law, k, root);
  carom_laws_tangential(law, in, out, k, normal, stiffen, speed);
  k->root = root;
}

#endif
