// SPDX-License-Identifier: MIT
/// Random planar scenarios as text, for tests of the whole engine: bodies with up to eight contacts
/// on three freedoms, unequal friction of all kinds (Coulomb, mu_s > mu, Stribeck, viscous),
/// Newton's and Poisson's laws, slopes, belts, moving walls, springs, dampers and bilateral
/// constraints.
#ifndef CAROM_TESTS_HYBRID_RANDOM_SCENE_H
#define CAROM_TESTS_HYBRID_RANDOM_SCENE_H

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { SCENE_CONTACTS = 8, SCENE_TEXT = 10000 };

typedef struct scene_text {
  uint64_t random;
  int contacts;
  const char *law;
  double e;
  size_t used;
  char text[SCENE_TEXT];
} scene_text;

/// Uniform in [0, 1): a multiplicative generator on 64 bits, enough to vary tests.
static inline double scene_random(scene_text *s) {
  s->random = s->random * 6364136223846793005u + 1442695040888963407u;
  return (double)(s->random >> 11) * 0x1p-53;
}

static inline double scene_between(scene_text *s, double low, double high) {
  return low + (high - low) * scene_random(s);
}

static inline bool scene_chance(scene_text *s, double p) { return scene_random(s) < p; }

static inline void scene_write(scene_text *s, const char *format, ...) {
  va_list list;
  va_start(list, format);
  int wrote = vsnprintf(s->text + s->used, SCENE_TEXT - s->used, format, list);
  va_end(list);
  if (wrote > 0) s->used += (size_t)wrote;
}

/// One of five kinds of friction, each contact with its own numbers.
static inline void scene_friction(scene_text *s) {
  double mu = scene_between(s, 0.03, 0.9), more = scene_between(s, 1.05, 1.7);
  double speed = scene_between(s, 0.05, 0.6), kind = scene_random(s);
  if (kind < 0.3)
    scene_write(s, "friction: %.4f", mu);
  else if (kind < 0.55)
    scene_write(s, "friction: {stick: %.4f, slip: %.4f}", mu * more, mu);
  else if (kind < 0.8) // Stribeck: falls from mu_s to mu
    scene_write(s, "friction: {stick: %.4f, slip: %.4f - %.4f*(1 - exp(-(slip/%.3f)^2))}",
                mu * more, mu * more, mu * (more - 1.0), speed);
  else if (kind < 0.9) // falls from below mu_s, then grows
    scene_write(s, "friction: {stick: %.4f, slip: %.4f/(1 + abs(slip)/%.3f) + 0.01*abs(slip)}",
                mu * more, mu, speed);
  else
    scene_write(s, "friction: {stick: %.4f, slip: %.4f*(1 + 0.3*tanh(slip/%.3f))}", mu * more, mu,
                speed);
}

static inline void scene_contact(scene_text *s, const char *name, int corner, const char *gap,
                                 const char *slip) {
  if (s->contacts == SCENE_CONTACTS) return;
  s->contacts++;
  scene_write(s, "  %s_%d: {gap: %s, ", name, corner, gap);
  if (!scene_chance(s, 0.1)) {
    scene_write(s, "slip: %s, ", slip);
    scene_friction(s);
    scene_write(s, ", ");
  }
  scene_write(s, "impact: {law: %s, e: %.3f}}\n", s->law, s->e);
}

static inline void scene_law(scene_text *s) {
  s->law = scene_chance(s, 0.3) ? "newton" : "poisson";
  s->e = scene_chance(s, 0.4) ? 0.0 : scene_between(s, 0.0, 0.8);
}

/// A body with two to four corners over a floor (level or sloped, at rest, shaken or a belt),
/// between walls, under a ceiling; on springs, with a rail.
static inline void scene_body(scene_text *s) {
  const double turn = 6.283185307179586;
  int corners = 2 + (int)(3.0 * scene_random(s));
  bool flat = scene_chance(s, 0.35), shaken = scene_chance(s, 0.35), belt = scene_chance(s, 0.3);
  bool walls = scene_chance(s, 0.6), moving_wall = scene_chance(s, 0.3);
  bool rail = scene_chance(s, 0.2), springs = scene_chance(s, 0.4), damped = scene_chance(s, 0.3);
  double slope = scene_chance(s, 0.4) ? scene_between(s, -0.5, 0.5) : 0.0;
  double mass = scene_between(s, 0.5, 2.0), inertia = scene_between(s, 0.02, 0.2);
  double radius = scene_between(s, 0.3, 0.5), speed = scene_between(s, -2.0, 2.0);
  double height = flat ? radius * cos(0.5 * turn / corners) : scene_between(s, 0.55, 1.0);
  double tilt = flat ? -0.25 * turn - 0.5 * turn / corners : scene_between(s, 0.0, turn);
  if (corners == 2) {
    tilt = flat ? 0.0 : tilt;
    height = flat ? 0.0 : height;
  }
  scene_write(s, "parameters: {m: %.3f, J: %.4f, g: 9.81, a: %.4f}\n", mass, inertia,
              flat ? 0.0 : slope);
  scene_write(s, "coordinates:\n  x: {start: 0, rate: %.3f}\n  y: {start: %.17g, rate: 0}\n", speed,
              height);
  scene_write(s, "  theta: {start: %.17g, rate: %.3f}\ndefine:\n", tilt,
              flat ? 0.0 : scene_between(s, -3.0, 3.0));
  double shake = scene_between(s, 0.005, 0.04), rate = scene_between(s, 6.0, 20.0);
  if (shaken)
    scene_write(s, "  floor: %.4f*(cos(%.3f*t) - 1)\n", shake, rate);
  else
    scene_write(s, "  floor: 0*t\n");
  if (belt)
    scene_write(s, "  belt: %.3f + %.3f*sin(%.3f*t)\n", scene_between(s, -1.0, 1.0),
                scene_between(s, 0.0, 0.5), scene_between(s, 1.0, 8.0));
  else
    scene_write(s, "  belt: 0*t\n");
  scene_write(s, moving_wall ? "  wall: %.3f + 0.05*sin(%.3f*t)\n" : "  wall: %.3f\n",
              scene_between(s, 0.7, 1.4), scene_between(s, 3.0, 12.0));
  for (int k = 0; k < corners; k++) {
    double spread = flat ? 0.0 : 0.4, reach = flat ? radius : radius * scene_between(s, 0.7, 1.1);
    double angle = (k + spread * scene_random(s)) * turn / corners;
    scene_write(s, "  x%d: x + %.17g*cos(theta + %.16g)\n  y%d: y + %.17g*sin(theta + %.16g)\n", k,
                reach, angle, k, reach, angle);
  }
  scene_write(s, "energy:\n  kinetic: m/2*(x'^2 + y'^2) + J/2*theta'^2\n  potential: m*g*y");
  if (springs)
    scene_write(s, " + %.3f*x^2 + %.3f*(theta - %.3f)^2", scene_between(s, 0.0, 30.0),
                scene_between(s, 0.0, 3.0), tilt);
  if (damped)
    scene_write(s, "\n  dissipation: %.3f*(x'^2 + y'^2) + %.4f*theta'^2",
                scene_between(s, 0.0, 0.5), scene_between(s, 0.0, 0.05));
  if (rail) { // a guide at an angle, or a rack
    if (scene_chance(s, 0.5))
      scene_write(s, "\nconstraints:\n  guide: x - %.3f*(y - %.17g)", scene_between(s, -0.5, 0.5),
                  height);
    else
      scene_write(s, "\nconstraints:\n  rack: theta - %.17g - %.3f*x", tilt,
                  scene_between(s, -2.0, 2.0));
  }
  scene_write(s, "\ncontacts:\n");
  char gap[80], slip[80];
  for (int k = 0; k < corners; k++) {
    (void)snprintf(gap, sizeof gap, "y%d*cos(a) - x%d*sin(a) - floor", k, k);
    (void)snprintf(slip, sizeof slip, "x%d'*cos(a) + y%d'*sin(a) - belt", k, k);
    scene_contact(s, "floor", k, gap, slip);
  }
  for (int k = 0; k < corners && walls; k++) {
    bool left = scene_chance(s, 0.5);
    (void)snprintf(gap, sizeof gap, left ? "x%d + wall" : "wall - x%d", k);
    (void)snprintf(slip, sizeof slip, "y%d'", k);
    scene_contact(s, left ? "left" : "right", k, gap, slip);
  }
  for (int k = 0; k < corners && scene_chance(s, 0.3); k++) {
    (void)snprintf(gap, sizeof gap, "1.7 - y%d", k);
    (void)snprintf(slip, sizeof slip, "x%d'", k);
    scene_contact(s, "ceiling", k, gap, slip);
  }
  scene_write(s, "run: {until: 2, rtol: 1e-10, assemble: yes}\n");
}

/// Two blocks coupled by a spring, one on a shaking floor or belt, one pressed on it from the side
/// or standing on the first: friction between bodies.
static inline void scene_blocks(scene_text *s) {
  double m1 = scene_between(s, 0.5, 2.0), m2 = scene_between(s, 0.3, 1.5);
  double push = scene_between(s, 3.0, 15.0);
  scene_write(s, "parameters: {m1: %.3f, m2: %.3f, g: 9.81, k: %.2f, F: %.3f}\n", m1, m2,
              scene_between(s, 2.0, 60.0), push);
  scene_write(s, "coordinates:\n  x1: {start: 0, rate: %.3f}\n  x2: {start: %.3f, rate: %.3f}\n",
              scene_between(s, -1.0, 1.0), scene_between(s, -0.3, 0.3),
              scene_between(s, -1.0, 1.0));
  scene_write(s, "  y: {start: %.3f, rate: 0}\n", scene_chance(s, 0.5) ? 0.0 : 0.2);
  scene_write(s, "define:\n  belt: %.3f*sin(%.3f*t)\n  floor: %.4f*(cos(%.3f*t) - 1)\n",
              scene_between(s, 0.0, 1.0), scene_between(s, 2.0, 9.0), scene_between(s, 0.0, 0.02),
              scene_between(s, 5.0, 15.0));
  scene_write(s, "energy:\n  kinetic: m1/2*x1'^2 + m2/2*(x2'^2) + (m1 + m2)/2*y'^2\n"
                 "  potential: (m1 + m2)*g*y + k/2*(x1 - x2)^2 + k/4*x1^2\n");
  if (scene_chance(s, 0.5))
    scene_write(s, "forces: {x2: F*sin(%.3f*t)}\n", scene_between(s, 2.0, 9.0));
  scene_write(s, "contacts:\n");
  scene_contact(s, "under", 1, "y - floor", "x1' - belt");
  scene_contact(s, "under", 2, "y - floor", "x2' - belt");
  scene_contact(s, "over", 1, "0.3 - y", "x1'");
  scene_contact(s, "stop", 1, "x1 + 0.4", "y'");
  scene_contact(s, "stop", 2, "0.5 - x2", "y'");
  scene_contact(s, "bump", 0, "x2 - x1 + 0.6", "y'");
  scene_write(s, "run: {until: 3, rtol: 1e-10, assemble: yes}\n");
}

/// A bob on a rod (a bilateral constraint) over a floor and between walls that rub.
static inline void scene_pendulum(scene_text *s) {
  double length = scene_between(s, 0.5, 1.0), angle = scene_between(s, 0.9, 1.4);
  if (scene_chance(s, 0.5)) angle = -angle;
  scene_write(s, "parameters: {m: %.3f, l: %.17g, g: 9.81, J: %.3f, r: 0.1}\n",
              scene_between(s, 0.5, 2.0), length, scene_between(s, 0.002, 0.02));
  scene_write(s, "coordinates:\n  x: {start: %.17g, rate: %.3f}\n  y: %.17g\n", length * sin(angle),
              scene_between(s, -1.5, 1.5), -length * cos(angle));
  scene_write(s, "  spin: {start: 0, rate: %.3f}\n", scene_between(s, -5.0, 5.0));
  scene_write(s, "define:\n  wall: 0.1 + %.3f*(1 - cos(%.3f*t))\n", scene_between(s, 0.0, 0.1),
              scene_between(s, 2.0, 9.0));
  scene_write(s, "energy:\n  kinetic: m/2*(x'^2 + y'^2) + J/2*spin'^2\n  potential: m*g*y\n");
  scene_write(s, "constraints:\n  rod: (x^2 + y^2 - l^2)/l\ncontacts:\n");
  scene_contact(s, "right", 0, "l + wall - r - x", "y' + r*spin'");
  scene_contact(s, "left", 0, "x + l + wall - r", "y' - r*spin'");
  char gap[60];
  (void)snprintf(gap, sizeof gap, "y + %.4f", length * scene_between(s, 0.8, 1.05));
  scene_contact(s, "floor", 0, gap, "x' + r*spin'");
  scene_write(s, "run: {until: 3, rtol: 1e-10, assemble: yes}\n");
}

/// A crank drives a slider with play between two guides, against a stop: constraints and contacts.
static inline void scene_crank(scene_text *s) {
  double r = scene_between(s, 0.08, 0.14), l = scene_between(s, 0.28, 0.4), phi = 2.0;
  scene_write(s, "parameters: {r: %.4f, l: %.4f, J: %.4f, m: %.3f, g: 9.81, torque: %.3f}\n", r, l,
              scene_between(s, 0.005, 0.02), scene_between(s, 0.3, 1.0),
              scene_between(s, 0.1, 1.0));
  scene_write(s, "coordinates:\n  phi: {start: %.3f, rate: %.3f}\n", phi,
              scene_between(s, -12.0, 0.0));
  scene_write(s, "  x: r*cos(2) + sqrt(l^2 - (r*sin(2))^2)\n  y: 0\n");
  scene_write(s, "energy:\n  kinetic: J/2*phi'^2 + m/2*(x'^2 + y'^2)\n  potential: m*g*y\n"
                 "  dissipation: 0.002*phi'^2\nforces: {phi: -torque}\n");
  scene_write(s, "constraints:\n  rod: (x - r*cos(phi))^2 + (y - r*sin(phi))^2 - l^2\ncontacts:\n");
  char gap[60];
  (void)snprintf(gap, sizeof gap, "%.4f - x", r + l - scene_between(s, 0.005, 0.05));
  scene_contact(s, "stop", 0, gap, "y'");
  scene_contact(s, "low", 0, "y + 0.0005", "x'");
  scene_contact(s, "high", 0, "0.0005 - y", "x'");
  scene_write(s, "run: {until: 2, rtol: 1e-10, assemble: yes}\n");
}

/// Writes the scenario of this seed.
static inline void scene_scenario(scene_text *s, unsigned seed) {
  *s = (scene_text){.random = 1181u * (uint64_t)seed + 54321u};
  for (int k = 0; k < 5; k++)
    (void)scene_random(s);
  scene_write(s, "title: scene %u\n", seed);
  scene_law(s);
  double kind = scene_random(s);
  if (kind < 0.6)
    scene_body(s);
  else if (kind < 0.8)
    scene_blocks(s);
  else if (kind < 0.9)
    scene_pendulum(s);
  else
    scene_crank(s);
}

#endif
