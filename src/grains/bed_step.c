// SPDX-License-Identifier: MIT
// One step: half a kick, a drift, new forces, half a kick. A rod is a symmetric top: with the axis
// u, the angular velocity w = p + s u (p across, s along the axis) and torque q,
//   u' = p x u,   p' = (q - (q.u) u)/I + (J s/I) u x p,   s' = (q.u)/J,
// so p turns about u while u turns about p. Each turn is a rational rotation, exact in length.
#include "base/error.h"
#include "grains/lanes.h"

#include <math.h>

void carom_bed_place_walls(carom_bed *bed) {
  const carom_bed_settings *set = bed->settings;
  bed->wall_z = bed->wall_rate = 0.0;
  if (set->drive) set->drive(set->drive_ctx, carom_bed_time(bed), &bed->wall_z, &bed->wall_rate);
}

typedef struct vec {
  double x, y, z;
} vec;

CAROM_INLINE vec at(double *const a[3], int i) { return (vec){a[0][i], a[1][i], a[2][i]}; }
CAROM_INLINE void put(double *const a[3], int i, vec v) {
  a[0][i] = v.x, a[1][i] = v.y, a[2][i] = v.z;
}
CAROM_INLINE double dot(vec a, vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
CAROM_INLINE vec cross(vec a, vec b) {
  return (vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
// a + k b
CAROM_INLINE vec plus(vec a, double k, vec b) {
  return (vec){a.x + k * b.x, a.y + k * b.y, a.z + k * b.z};
}
CAROM_INLINE vec times(double k, vec a) { return (vec){k * a.x, k * a.y, k * a.z}; }

// change of w by the torque q over h
CAROM_INLINE vec turn_kick(vec w, vec u, vec q, double h, double ii, double ia) {
  return plus(plus(w, h * ii, q), h * dot(q, u) * (ia - ii), u);
}

// the part of w across the axis turns about it over h
CAROM_INLINE vec precess(vec w, vec u, double h, double gyro) {
  double s = dot(w, u), a = 0.5 * h * gyro * s, scale = 1.0 / (1.0 + a * a);
  vec p = plus(w, -s, u);
  vec turned = times(scale, plus(times(1.0 - a * a, p), 2.0 * a, cross(u, p)));
  return plus(turned, s, u);
}

// first half: v and w over half a step, x and u over a whole one. Returns in fastest[] the largest
// squared speeds of centres and of ends about them.
CAROM_CLONES static void first_half(carom_bed *bed, double fastest[2]) {
  const double h = bed->settings->step, hh = 0.5 * h;
  double speed[CAROM_LANES] = {0}, swing[CAROM_LANES] = {0};
  const int n = bed->n;
  double *const *X = bed->x, *const *U = bed->u, *const *V = bed->v, *const *W = bed->w;
  double *const *F = bed->f, *const *Q = bed->q, *const *SV = bed->sv, *const *SW = bed->sw;
  const double *im = bed->im, *ii = bed->ii, *ia = bed->ia, *gyro = bed->gyro, *half = bed->half;
  const double ahead = bed->settings->leapfrog ? 0.0 : hh;
  for (int first = 0; first < n; first += CAROM_LANES) {
    int end = n - first < CAROM_LANES ? n - first : CAROM_LANES;
    CAROM_INDEPENDENT
    for (int l = 0; l < end; l++) {
      int i = first + l;
      vec u = at(U, i), f = at(F, i), q = at(Q, i);
      vec v = plus(at(V, i), hh * im[i], f);
      vec w = precess(turn_kick(at(W, i), u, q, hh, ii[i], ia[i]), u, hh, gyro[i]);
      put(X, i, plus(at(X, i), h, v));

      // u turns about p; lengths and right angles are put right to rounding
      double s = dot(w, u);
      vec p = plus(w, -s, u);
      double p2 = dot(p, p), b = 0.25 * h * h * p2;
      vec turned = times(1.0 / (1.0 + b), plus(times(1.0 - b, u), h, cross(p, u)));
      turned = times(1.5 - 0.5 * dot(turned, turned), turned);
      p = plus(p, -dot(p, turned), turned);
      w = plus(p, s, turned);
      put(U, i, turned);
      put(V, i, v);
      put(W, i, w);
      put(SV, i, plus(v, ahead * im[i], f));
      put(SW, i, turn_kick(w, turned, q, ahead, ii[i], ia[i]));
      double v2 = dot(v, v), w2 = p2 * half[i] * half[i];
      speed[l] = speed[l] > v2 ? speed[l] : v2;
      swing[l] = swing[l] > w2 ? swing[l] : w2;
    }
  }
  for (int l = 0; l < CAROM_LANES; l++) {
    fastest[0] = fastest[0] > speed[l] ? fastest[0] : speed[l];
    fastest[1] = fastest[1] > swing[l] ? fastest[1] : swing[l];
  }
}

CAROM_CLONES static void second_half(carom_bed *bed) {
  const double hh = 0.5 * bed->settings->step;
  const int n = bed->n;
  double *const *U = bed->u, *const *V = bed->v, *const *W = bed->w;
  double *const *F = bed->f, *const *Q = bed->q;
  const double *im = bed->im, *ii = bed->ii, *ia = bed->ia, *gyro = bed->gyro;
  CAROM_INDEPENDENT
  for (int i = 0; i < n; i++) {
    vec u = at(U, i);
    put(V, i, plus(at(V, i), hh * im[i], at(F, i)));
    put(W, i, turn_kick(precess(at(W, i), u, hh, gyro[i]), u, at(Q, i), hh, ii[i], ia[i]));
  }
}

// what no two bodies can have come nearer by in this step
static void add_travel(carom_bed *bed, const double fastest[2], double z_before) {
  const double h = bed->settings->step, safe = 1.0 + 1e-9;
  bed->fastest = sqrt(fastest[0]) + sqrt(fastest[1]);
  double wall = fabs(bed->wall_z - z_before), rod = bed->fastest * h;
  bed->travel += safe * (rod + (wall > rod ? wall : rod));
}

static carom_status fail_through(const carom_bed *bed, carom_error *error) {
  const carom_bed_trouble *it = &bed->trouble;
  double t = carom_bed_time(bed);
  const char *advice = "; a smaller step or stiffer contacts are needed";
  if (it->b >= 0)
    return carom_fail(error, CAROM_ERR_STEP,
                      "t = %.9g: rods %d and %d went through each other (overlap %g)%s", t, it->a,
                      it->b, it->depth, advice);
  return carom_fail(error, CAROM_ERR_STEP,
                    "t = %.9g: rod %d went through the wall '%s' (overlap %g)%s", t, it->a,
                    bed->settings->walls[-1 - it->b].name, it->depth, advice);
}

static carom_status one_step(carom_bed *bed, carom_error *error) {
  double fastest[2] = {0.0, 0.0}, z = bed->wall_z;
  first_half(bed, fastest);
  bed->steps++;
  carom_bed_place_walls(bed);
  add_travel(bed, fastest, z);
  if (bed->travel - bed->built > bed->skin && !carom_bed_search_neighbours(bed))
    return carom_fail_memory(error);
  carom_bed_forces(bed);
  second_half(bed);
  return bed->trouble.yes ? fail_through(bed, error) : CAROM_OK;
}

carom_status carom_bed_advance(carom_bed *bed, long steps, carom_error *error) {
  for (long k = 0; k < steps; k++) {
    carom_status status = one_step(bed, error);
    if (status) return status;
  }
  return CAROM_OK;
}
