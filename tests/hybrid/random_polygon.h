// SPDX-License-Identifier: MIT
/// Random planar bodies for tests: a convex polygon thrown into a box with a floor and two walls,
/// up to eight contacts on three freedoms, each with its own friction.
#ifndef CAROM_TESTS_HYBRID_RANDOM_POLYGON_H
#define CAROM_TESTS_HYBRID_RANDOM_POLYGON_H

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

enum { POLYGON_CONTACTS = 8, POLYGON_TEXT = 8000 };

typedef struct polygon_text {
  uint64_t random;
  int contacts;
  size_t used;
  char text[POLYGON_TEXT];
} polygon_text;

/// Uniform in [0, 1): a multiplicative generator on 64 bits, enough to vary tests.
static inline double polygon_random(polygon_text *p) {
  p->random = p->random * 6364136223846793005u + 1442695040888963407u;
  return (double)(p->random >> 11) * 0x1p-53;
}

static inline double polygon_between(polygon_text *p, double low, double high) {
  return low + (high - low) * polygon_random(p);
}

static inline void polygon_write(polygon_text *p, const char *format, ...) {
  va_list list;
  va_start(list, format);
  int wrote = vsnprintf(p->text + p->used, POLYGON_TEXT - p->used, format, list);
  va_end(list);
  if (wrote > 0) p->used += (size_t)wrote;
}

/// Friction that is Coulomb's, has mu_s > mu, or falls with the sliding speed; or none.
static inline void polygon_friction(polygon_text *p) {
  double mu = polygon_between(p, 0.05, 1.2), kind = polygon_random(p);
  if (kind < 0.4)
    polygon_write(p, "friction: %.4f, ", mu);
  else if (kind < 0.7)
    polygon_write(p, "friction: {stick: %.4f, slip: %.4f}, ", mu * polygon_between(p, 1.0, 1.6),
                  mu);
  else
    polygon_write(p, "friction: {stick: %.4f, slip: %.4f*(0.6 + 0.4*exp(-slip^2))}, ", mu, mu);
}

static inline void polygon_contact(polygon_text *p, const char *name, int corner, const char *gap,
                                   const char *slip, double e) {
  if (p->contacts == POLYGON_CONTACTS) return;
  p->contacts++;
  polygon_write(p, "  %s%d: {gap: %s, slip: %s, ", name, corner, gap, slip);
  polygon_friction(p);
  polygon_write(p, "impact: {law: poisson, e: %.3f}}\n", e);
}

/// Writes the scenario of this seed. Odd seeds shake the floor; every third is a regular polygon
/// that lands flat.
static inline void polygon_scenario(polygon_text *p, unsigned seed) {
  *p = (polygon_text){.random = 977u * (uint64_t)seed + 12345u};
  for (int k = 0; k < 5; k++)
    (void)polygon_random(p);
  int corners = 3 + (int)(4.0 * polygon_random(p));
  bool flat = seed % 3 == 0, shaken = seed % 2 == 1;
  double tilt = flat ? -0.5 * 3.14159265358979323846 - 3.14159265358979323846 / corners
                     : polygon_between(p, 0.0, 6.28);
  double e = polygon_random(p) < 0.3 ? 0.0 : polygon_between(p, 0.0, 0.7);
  // one draw per statement: the order of arguments is the compiler's
  double mass = polygon_between(p, 0.5, 2.0), inertia = polygon_between(p, 0.03, 0.2);
  double speed = polygon_between(p, -3.0, 3.0), height = polygon_between(p, 1.0, 1.6);
  polygon_write(p, "title: polygon %u\nparameters: {m: %.3f, J: %.4f, g: 9.81}\n", seed, mass,
                inertia);
  polygon_write(p, "coordinates:\n  x: {start: 0, rate: %.3f}\n  y: {start: %.3f, rate: 0}\n",
                speed, height);
  polygon_write(p, "  theta: {start: %.17g, rate: %.3f}\ndefine:\n", tilt,
                flat ? 0.0 : polygon_between(p, -4.0, 4.0));
  polygon_write(p, "  floor: %s\n", shaken ? "0.05*sin(9*t)" : "0*t");
  polygon_write(p, "  wall: %.3f\n", polygon_between(p, 0.8, 1.5));
  for (int k = 0; k < corners; k++) {
    double spread = flat ? 0.0 : 0.35, radius = flat ? 0.4 : polygon_between(p, 0.3, 0.5);
    double angle = (k + spread * polygon_random(p)) * 6.283185307179586 / corners;
    polygon_write(p, "  x%d: x + %.4f*cos(theta + %.16g)\n  y%d: y + %.4f*sin(theta + %.16g)\n", k,
                  radius, angle, k, radius, angle);
  }
  polygon_write(p, "energy:\n  kinetic: m/2*(x'^2 + y'^2) + J/2*theta'^2\n  potential: m*g*y\n"
                   "contacts:\n");
  char gap[60], slip[60];
  for (int k = 0; k < corners; k++) {
    (void)snprintf(gap, sizeof gap, "y%d - floor", k);
    (void)snprintf(slip, sizeof slip, "x%d'", k);
    polygon_contact(p, "floor_", k, gap, slip, e);
  }
  for (int k = 0; k < corners; k++) {
    bool left = polygon_random(p) < 0.5;
    (void)snprintf(gap, sizeof gap, left ? "x%d + wall" : "wall - x%d", k);
    (void)snprintf(slip, sizeof slip, "y%d'", k);
    polygon_contact(p, left ? "left_" : "right_", k, gap, slip, e);
  }
  polygon_write(p, "run: {until: 3, rtol: 1e-10}\n");
}

#endif
