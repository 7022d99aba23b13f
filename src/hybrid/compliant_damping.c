// SPDX-License-Identifier: MIT
/// The dashpot of a compliant contact: which damping makes a touch end with restitution e.
#include "hybrid/compliant.h"

#include "base/elementary.h"

#include <math.h>

enum { NEWTON_ROUNDS = 7, BISECTIONS = 40, MOST_STEPS = 4000 };
static const double PLASTIC_DAMPING = 4.0; // stops a touch without restitution
static const double HALF_PI = 1.57079632679489661923;
static const double MOST_DAMPING = 60.0;
static const double STEP = 0.02;           // of a touch, in units of 1/(natural frequency)
static const double SAME_RESPONSE = 1e-9;  // relative
static const double LEAST_RESPONSE = 0.02; // of G_NN: less is near Painleve's paradox

// A mass meets spring and dashpot, x'' + 2 zeta w x' + w^2 x = 0, and leaves when they stop
// pushing, x'' = 0. With zeta = cos(a) that is at w t sin(a) = 2 a, with the speed
//   e = exp(-2 a / tan a),   and above critical damping, zeta = cosh(b),   e = exp(-2 b / tanh b)
// (Schwager and Poeschel 2007 give the same in another form). Here l = -log(e)/2 is known and a or
// b found by Newton's method.

static double under_damped(double l) {
  double a = HALF_PI * sqrt(1.0 - l);
  for (int k = 0; k < NEWTON_ROUNDS; k++) {
    double c = carom_cos(a), s = carom_sin(a);
    a -= (a * c - l * s) / ((1.0 - l) * c - a * s);
  }
  return carom_cos(a);
}

static double over_damped(double l) {
  double b = fmax(1e-4, sqrt(l * l - 1.0));
  for (int k = 0; k < NEWTON_ROUNDS; k++) {
    double c = carom_cosh(b), s = carom_sinh(b);
    b -= (b * c - l * s) / ((1.0 - l) * c + b * s);
  }
  return carom_cosh(b);
}

double carom_compliant_damping(double e) {
  double l = -0.5 * carom_log(fmax(e, CAROM_LEAST_RESTITUTION));
  if (!(l > 0.0)) return 0.0;
  return l < 1.0 ? under_damped(l) : over_damped(l);
}

// ---- with friction ----
//
// In units of G_NN = 1, K = 1, approach speed 1: depth x, x' = v, N = x + 2 zeta v,
//   v' = -A N,   A = 1 - s mu G_NT while it slips towards s,
//   |slip|' = -B N,   B = mu G_TT - s G_NT,
// and once slip has stopped A is that of stick, 1 - G_NT^2/G_TT, or of slip the other way.

typedef struct passage {
  double first, second; // A before and after slip stops
  double slip, braking; // |slip| at the start, B
} passage;

// negative in Painleve's paradox: slip then stops before compression ends
static double normal_response_slipping(const carom_touch *t, double sign) {
  return 1.0 - sign * t->mu_slide * (t->coupling / t->normal);
}

// what the contact moves once slip has stopped
static double normal_response_stopped(const carom_touch *t) {
  double coupling = fabs(t->coupling) / t->normal, tangent = t->tangent / t->normal;
  if (coupling <= t->mu_stick * tangent)
    return fmax(LEAST_RESPONSE, 1.0 - coupling * coupling / tangent);
  return fmax(LEAST_RESPONSE, normal_response_slipping(t, t->coupling > 0.0 ? 1.0 : -1.0));
}

static passage passage_of(const carom_touch *t) {
  double sign = t->slip > 0.0 ? 1.0 : -1.0;
  passage p = {.slip = fabs(t->slip) / fabs(t->approach)};
  p.second = normal_response_stopped(t);
  p.first = p.slip > 0.0 ? normal_response_slipping(t, sign) : p.second;
  p.braking = (t->mu_slide * t->tangent - sign * t->coupling) / t->normal;
  return p;
}

typedef struct moment {
  double x, v, slip, impulse, work;
} moment;

static moment slope_at(const passage *p, double zeta, const moment *m) {
  double force = fmax(0.0, m->x + 2.0 * zeta * m->v);
  double response = m->slip > 0.0 ? p->first : p->second;
  return (moment){m->v, -response * force, -p->braking * force, force, force * m->v};
}

static moment move_moment(const moment *m, double h, const moment *slope) {
  return (moment){m->x + h * slope->x, m->v + h * slope->v, m->slip + h * slope->slip,
                  m->impulse + h * slope->impulse, m->work + h * slope->work};
}

// one step of the classical method of Runge and Kutta
static moment step_moment(const passage *p, double zeta, const moment *m, double h) {
  moment a = slope_at(p, zeta, m), at = move_moment(m, 0.5 * h, &a);
  moment b = slope_at(p, zeta, &at);
  at = move_moment(m, 0.5 * h, &b);
  moment c = slope_at(p, zeta, &at);
  at = move_moment(m, h, &c);
  moment d = slope_at(p, zeta, &at);
  moment mean = {(a.x + 2.0 * (b.x + c.x) + d.x) / 6.0, (a.v + 2.0 * (b.v + c.v) + d.v) / 6.0,
                 (a.slip + 2.0 * (b.slip + c.slip) + d.slip) / 6.0,
                 (a.impulse + 2.0 * (b.impulse + c.impulse) + d.impulse) / 6.0,
                 (a.work + 2.0 * (b.work + c.work) + d.work) / 6.0};
  return move_moment(m, h, &mean);
}

// from a moment near the end of slip (or of compression) onto it, along the slope
static moment move_onto_end(const passage *p, double zeta, const moment *m, bool of_slip) {
  moment before = *m;
  if (of_slip) before.slip = fmax(before.slip, 1e-300); // still slipping
  moment slope = slope_at(p, zeta, &before);
  double h = of_slip ? -m->slip / slope.slip : -m->v / slope.v;
  moment there = move_moment(m, h, &slope);
  *(of_slip ? &there.slip : &there.v) = 0.0;
  return there;
}

// The restitution that a damping gives by each rule.
static double restitution_of(const passage *p, double zeta, carom_stop_rule rule) {
  moment m = {.v = 1.0, .slip = p->slip}, pressed = {.impulse = 1.0, .work = 1.0};
  double h = STEP / (1.0 + zeta);
  for (int k = 0; k < MOST_STEPS && (m.v > 0.0 || m.x + 2.0 * zeta * m.v > 0.0); k++) {
    moment next = step_moment(p, zeta, &m, h);
    // steps end where slip stops and where compression ends
    double slip = m.slip > 0.0 && next.slip <= 0.0 ? m.slip / (m.slip - next.slip) : 2.0;
    double turn = m.v > 0.0 && next.v <= 0.0 ? m.v / (m.v - next.v) : 2.0;
    if (fmin(slip, turn) <= 1.0) {
      next = step_moment(p, zeta, &m, fmin(slip, turn) * h);
      next = move_onto_end(p, zeta, &next, slip <= turn);
    }
    m = next;
    if (turn <= 1.0 && turn < slip) pressed = m;
  }
  if (rule == CAROM_STOP_BY_VELOCITY) return -m.v;
  if (rule == CAROM_STOP_BY_IMPULSE) return m.impulse / pressed.impulse - 1.0;
  return sqrt(fmax(0.0, 1.0 - m.work / pressed.work));
}

// the least response on the way, in units of G_NN
static double least_response(const carom_touch *t) {
  bool rubs = t->tangent > 0.0 && t->normal > 0.0;
  if (!rubs) return 1.0;
  double slides = normal_response_slipping(t, t->slip > 0.0 ? 1.0 : -1.0),
         least = normal_response_stopped(t);
  return t->slip != 0.0 && slides > LEAST_RESPONSE ? fmin(slides, least) : least;
}

// half a turn without damping
double carom_touch_length(const carom_touch *t) { return 2.0 * HALF_PI / sqrt(least_response(t)); }

// a dashpot alone stops the touch within its length
static double plastic_damping(const carom_touch *t) {
  return fmin(MOST_DAMPING, PLASTIC_DAMPING / least_response(t));
}

double carom_touch_damping(const carom_touch *t) {
  if (!(t->e > CAROM_LEAST_RESTITUTION)) return plastic_damping(t);
  double zeta = carom_compliant_damping(t->e);
  bool rubs = t->tangent > 0.0 && t->normal > 0.0 && t->approach != 0.0;
  if (!rubs || t->coupling == 0.0) return zeta;
  passage p = passage_of(t);
  // slip that goes on, or stick from the first: a mass of its own, in closed form
  bool stops = p.first < LEAST_RESPONSE || (1.0 + t->e) / p.first * p.braking > p.slip;
  if (!stops || fabs(p.first - p.second) <= SAME_RESPONSE * p.second) return zeta / sqrt(p.first);
  double low = 0.0, high = MOST_DAMPING;
  for (int k = 0; k < BISECTIONS; k++) {
    double middle = 0.5 * (low + high);
    *(restitution_of(&p, middle, t->rule) > t->e ? &low : &high) = middle;
  }
  return 0.5 * (low + high);
}
