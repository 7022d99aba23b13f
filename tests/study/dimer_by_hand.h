// SPDX-License-Identifier: MIT
/// The bouncing dimer written by hand, as a second opinion: equations of motion and of impact for
/// this one body, flights in closed form, contact by Runge and Kutta's method in small equal steps,
/// impacts by the same in the variable of the impulse, events by bisection. Nothing of Carom is
/// used.
///
/// Tip s (-1: left, +1: right) of a body with mass m, moment of inertia I, length l between balls
/// of radius r, at height y and tilt th, over a plate at p(t):
///   gap' = y' + s lc th' - p',    slip = x' + (r - s ls) th',    lc, ls = l/2 (cos th, sin th)
///   gap'' = A N + B T - g - s ls th'^2 - p'',    slip' = B N + D T - s lc th'^2
///   A = 1/m + lc^2/I,  B = s lc (r - s ls)/I,  D = 1/m + (r - s ls)^2/I
/// Both tips touch at th = 0 only, where their slips are one and friction acts on the sum.
#ifndef CAROM_TESTS_DIMER_BY_HAND_H
#define CAROM_TESTS_DIMER_BY_HAND_H

#include <math.h>
#include <stdbool.h>
#include <string.h>

/// How a slow rebound is turned into contact.
typedef enum hand_closing {
  HAND_DROPS,  // y' changes so that the gap stays, as if nothing else had noticed
  HAND_STRIKES // the rebound is taken away by an impulse with its friction
} hand_closing;

typedef struct hand_dimer {
  double aspect, f, gamma, e, stick, slide, impact_stick, impact_slide;
  double rest; // tips that rebound slower than this part of A omega stay
  hand_closing closing;
  double h0, theta0;
  int settle, cycles;
  int fine; // steps of contact in a cycle, of flight in two thirds, of an impact in an eighth
} hand_dimer;

typedef struct hand_outcome {
  double drift;               // m/s
  double scaled;              // 100 u f/g
  double tilt_max, tilt_min;  // rad
  double left, right, both;   // impacts a cycle: of one tip, of both
  double closings, reversals; // a cycle
  double stick, contact;      // part of the time in contact, of it at rest
} hand_outcome;

static inline hand_dimer hand_dimer_default(double aspect, double f, double impact_slide) {
  double scale = 25.0 / f * (25.0 / f);
  return (hand_dimer){.aspect = aspect,
                      .f = f,
                      .gamma = 0.9,
                      .e = 0.65,
                      .stick = 0.24,
                      .slide = 0.12,
                      .impact_stick = 0.24,
                      .impact_slide = impact_slide,
                      .rest = 0.01,
                      .closing = HAND_STRIKES,
                      .h0 = 0.25e-3 * scale,
                      .theta0 = 5.0 * 3.14159265358979323846 / 180.0 * scale,
                      .settle = 60,
                      .cycles = 10,
                      .fine = 4000};
}

// ---- the body

typedef struct hand_state {
  double t, x, y, th, vx, vy, w;
} hand_state;

typedef struct hand_body {
  const hand_dimer *d;
  double m, I, l, r, g, amplitude, omega;
  hand_state s;
  bool closed[2];
  int slip; // of the closed tip: sign, 0: sticks
  hand_outcome o;
  bool measures;
} hand_body;

static inline double hand_sign(int tip) { return tip ? 1.0 : -1.0; }
static inline double hand_plate(const hand_body *b, double t) {
  return -b->amplitude * sin(b->omega * t);
}
static inline double hand_plate_rate(const hand_body *b, double t) {
  return -b->amplitude * b->omega * cos(b->omega * t);
}
static inline double hand_plate_push(const hand_body *b, double t) {
  return b->amplitude * b->omega * b->omega * sin(b->omega * t);
}
static inline double hand_gap(const hand_body *b, const hand_state *s, int tip) {
  return s->y + hand_sign(tip) * 0.5 * b->l * sin(s->th) - b->r - hand_plate(b, s->t);
}
static inline double hand_gap_rate(const hand_body *b, const hand_state *s, int tip) {
  return s->vy + hand_sign(tip) * 0.5 * b->l * cos(s->th) * s->w - hand_plate_rate(b, s->t);
}
static inline double hand_arm(const hand_body *b, double th, int tip) {
  return b->r - hand_sign(tip) * 0.5 * b->l * sin(th);
}
static inline double hand_slip(const hand_body *b, const hand_state *s, int tip) {
  return s->vx + hand_arm(b, s->th, tip) * s->w;
}

// ---- impacts: forces F = x^(3/2) of compressions x, dx = -gap'/eta, velocities (x', y', th')

typedef struct hand_impact {
  double v[3], x[2]; // velocities, compressions
} hand_impact;

typedef struct hand_course {
  const hand_body *b;
  double th, plate_rate;
  bool part[2], expands[2];
  int slip;   // sign, 0: sticks
  bool drops; // no friction at all
} hand_course;

static inline double hand_rate(const hand_course *c, const double *v, int tip) {
  return v[1] + hand_sign(tip) * 0.5 * c->b->l * cos(c->th) * v[2] - c->plate_rate;
}
// the slip of the tip that takes part; of both, at th = 0, it is the same
static inline double hand_course_slip(const hand_course *c, const double *v) {
  return v[0] + hand_arm(c->b, c->th, c->part[0] ? 0 : 1) * v[2];
}
static inline double hand_force(const hand_course *c, const hand_impact *a, int tip) {
  return c->part[tip] && a->x[tip] > 0.0 ? a->x[tip] * sqrt(a->x[tip]) : 0.0;
}

// friction that keeps the slip, and its bound at rest
static inline double hand_needed(const hand_course *c, const hand_impact *a, double *bound) {
  const hand_body *b = c->b;
  double lc = 0.5 * b->l * cos(c->th), arm = hand_arm(b, c->th, c->part[0] ? 0 : 1);
  double turn = lc * (hand_force(c, a, 1) - hand_force(c, a, 0));
  *bound = b->d->impact_stick * (hand_force(c, a, 0) + hand_force(c, a, 1));
  return -turn * arm / b->I / (1.0 / b->m + arm * arm / b->I);
}

static inline void hand_slopes(const hand_course *c, const hand_impact *a, hand_impact *d) {
  const hand_body *b = c->b;
  double F0 = hand_force(c, a, 0), F1 = hand_force(c, a, 1), bound;
  double T = c->slip ? -c->slip * b->d->impact_slide * (F0 + F1) : hand_needed(c, a, &bound);
  double arm = hand_arm(b, c->th, c->part[0] ? 0 : 1);
  d->v[0] = T / b->m;
  d->v[1] = (F0 + F1) / b->m;
  d->v[2] = (0.5 * b->l * cos(c->th) * (F1 - F0) + arm * T) / b->I;
  for (int tip = 0; tip < 2; tip++) {
    double v = hand_rate(c, a->v, tip), eta = c->expands[tip] ? b->d->e * b->d->e : 1.0;
    d->x[tip] = !c->part[tip] || (a->x[tip] <= 0.0 && v > 0.0) ? 0.0 : -v / eta;
  }
}

static inline hand_impact hand_add(const hand_impact *a, const hand_impact *d, double h) {
  hand_impact sum;
  for (int k = 0; k < 3; k++)
    sum.v[k] = a->v[k] + h * d->v[k];
  for (int k = 0; k < 2; k++)
    sum.x[k] = a->x[k] + h * d->x[k];
  return sum;
}

static inline hand_impact hand_step(const hand_course *c, const hand_impact *a, double h) {
  hand_impact k1, k2, k3, k4, y, sum;
  hand_slopes(c, a, &k1);
  y = hand_add(a, &k1, 0.5 * h);
  hand_slopes(c, &y, &k2);
  y = hand_add(a, &k2, 0.5 * h);
  hand_slopes(c, &y, &k3);
  y = hand_add(a, &k3, h);
  hand_slopes(c, &y, &k4);
  sum = hand_add(a, &k1, h / 6.0);
  sum = hand_add(&sum, &k2, h / 3.0);
  sum = hand_add(&sum, &k3, h / 3.0);
  return hand_add(&sum, &k4, h / 6.0);
}

// what ends a step: 1 + tip turns, 3 + tip ends, 5 slip stops, 6 stick breaks; 0 nothing
static inline int hand_event(const hand_course *c, const hand_impact *a) {
  for (int tip = 0; tip < 2; tip++) {
    if (!c->part[tip]) continue;
    double v = hand_rate(c, a->v, tip);
    if (a->x[tip] < 0.0) return 3 + tip;
    if (a->x[tip] > 0.0 && (c->expands[tip] ? v < 0.0 : v > 0.0)) return 1 + tip;
  }
  if (c->slip && c->slip * hand_course_slip(c, a->v) < 0.0) return 5;
  double bound, needed = hand_needed(c, a, &bound);
  return !c->slip && fabs(needed) > bound ? 6 : 0;
}

static inline void hand_choose(hand_course *c, hand_impact *a, double h) {
  double bound, needed;
  hand_course at_rest = *c;
  at_rest.slip = 0;
  hand_impact ahead = hand_step(&at_rest, a, h);
  needed = hand_needed(c, &ahead, &bound);
  c->slip = fabs(needed) <= bound ? 0 : needed < 0.0 ? 1 : -1;
  // slip along the tips stands still
  double arm = hand_arm(c->b, c->th, c->part[0] ? 0 : 1);
  a->v[0] = -arm * a->v[2];
}

static inline void hand_handle(hand_course *c, hand_impact *a, int event, double h) {
  int tip = (event - 1) % 2;
  if (event <= 2) c->expands[tip] = !c->expands[tip];
  if (event == 3 || event == 4) {
    a->x[tip] = 0.0;
    c->expands[tip] = false;
  }
  if (event >= 5) hand_choose(c, a, h);
}

// the impact of the tips in `part`; the state gets the velocities after
static inline void hand_strike(hand_body *b, const bool *part) {
  hand_state *s = &b->s;
  hand_course c = {.b = b, .th = part[0] && part[1] ? 0.0 : s->th, .part = {part[0], part[1]}};
  c.plate_rate = hand_plate_rate(b, s->t);
  hand_impact a = {.v = {s->vx, s->vy, s->w}};
  double fastest = 0.0;
  for (int tip = 0; tip < 2; tip++)
    if (part[tip]) fastest = fmax(fastest, -hand_rate(&c, a.v, tip));
  double h = 8.0 / b->d->fine * pow(1.25 * b->m * fastest * fastest, 0.4) / fastest;
  double slip = hand_course_slip(&c, a.v);
  if (fabs(slip) > 1e-12)
    c.slip = slip > 0.0 ? 1 : -1;
  else
    hand_choose(&c, &a, h);
  for (int step = 0; step < 100000000; step++) {
    bool busy = false;
    for (int tip = 0; tip < 2; tip++)
      busy = busy || (part[tip] && (a.x[tip] > 0.0 || hand_rate(&c, a.v, tip) < -1e-13 * fastest));
    if (!busy) break;
    hand_impact next = hand_step(&c, &a, h);
    int event = hand_event(&c, &next);
    if (event) {
      double lo = 0.0, hi = h;
      for (int k = 0; k < 60; k++) {
        double mid = 0.5 * (lo + hi);
        next = hand_step(&c, &a, mid);
        int found = hand_event(&c, &next);
        if (found) {
          hi = mid;
          event = found;
        } else
          lo = mid;
      }
      next = hand_step(&c, &a, hi);
      hand_handle(&c, &next, event, h);
    }
    a = next;
  }
  s->vx = a.v[0];
  s->vy = a.v[1];
  s->w = a.v[2];
}

// ---- contact of one tip

// rates of a closed tip's body: x'', th'' and the normal force for the given mode
static inline double hand_contact(const hand_body *b, const hand_state *s, int tip, int slip,
                                  double *ax, double *ay, double *aw, double *T) {
  double sg = hand_sign(tip), lc = 0.5 * b->l * cos(s->th), ls = 0.5 * b->l * sin(s->th);
  double arm = b->r - sg * ls, A = 1.0 / b->m + lc * lc / b->I, B = sg * lc * arm / b->I;
  double D = 1.0 / b->m + arm * arm / b->I;
  double Hn = -b->g - sg * ls * s->w * s->w - hand_plate_push(b, s->t), Ht = -sg * lc * s->w * s->w;
  // A N + B T + Hn = 0 with T = -slip mu N, or B N + D T + Ht = 0
  double N = slip ? -Hn / (A - slip * b->d->slide * B) : (B * Ht / D - Hn) / (A - B * B / D);
  *T = slip ? -slip * b->d->slide * N : -(B * N + Ht) / D;
  *ax = *T / b->m;
  *ay = N / b->m - b->g;
  *aw = (sg * lc * N + arm * *T) / b->I;
  return N;
}

static inline hand_state hand_shift(const hand_state *s, const double *d, double h) {
  return (hand_state){s->t + h,         s->x + h * d[0],  s->y + h * d[1], s->th + h * d[2],
                      s->vx + h * d[3], s->vy + h * d[4], s->w + h * d[5]};
}

static inline void hand_motion(const hand_body *b, const hand_state *s, int tip, double *d) {
  double T;
  d[0] = s->vx;
  d[1] = s->vy;
  d[2] = s->w;
  hand_contact(b, s, tip, b->slip, &d[3], &d[4], &d[5], &T);
}

static inline hand_state hand_slide(const hand_body *b, const hand_state *s, int tip, double h) {
  double k[4][6], sum[6];
  hand_motion(b, s, tip, k[0]);
  hand_state y = hand_shift(s, k[0], 0.5 * h);
  hand_motion(b, &y, tip, k[1]);
  y = hand_shift(s, k[1], 0.5 * h);
  hand_motion(b, &y, tip, k[2]);
  y = hand_shift(s, k[2], h);
  hand_motion(b, &y, tip, k[3]);
  for (int q = 0; q < 6; q++)
    sum[q] = (k[0][q] + 2.0 * k[1][q] + 2.0 * k[2][q] + k[3][q]) / 6.0;
  return hand_shift(s, sum, h);
}

// what ends a step in contact: 1 lifts off, 2 slip stops, 3 stick breaks, 4 the other tip strikes
static inline int hand_contact_event(const hand_body *b, const hand_state *s, int tip) {
  double ax, ay, aw, T, N = hand_contact(b, s, tip, b->slip, &ax, &ay, &aw, &T);
  if (N < 0.0) return 1;
  if (b->slip && b->slip * hand_slip(b, s, tip) < 0.0) return 2;
  if (!b->slip && fabs(T) > b->d->stick * N) return 3;
  return hand_gap(b, s, 1 - tip) < 0.0 ? 4 : 0;
}

// slip of a closed tip that has come to rest
static inline void hand_rest(hand_body *b, int tip) {
  double ax, ay, aw, T, N = hand_contact(b, &b->s, tip, 0, &ax, &ay, &aw, &T);
  b->slip = fabs(T) <= b->d->stick * N ? 0 : T < 0.0 ? 1 : -1;
  b->s.vx = -hand_arm(b, b->s.th, tip) * b->s.w;
}

// ---- flight

static inline hand_state hand_fly(const hand_body *b, const hand_state *s, double h) {
  hand_state n = *s;
  n.t += h;
  n.x += h * s->vx;
  n.y += h * s->vy - 0.5 * b->g * h * h;
  n.th += h * s->w;
  n.vy -= b->g * h;
  return n;
}

// ---- the motion

static inline void hand_count_tilt(hand_body *b) {
  if (!b->measures) return;
  b->o.tilt_max = fmax(b->o.tilt_max, b->s.th);
  b->o.tilt_min = fmin(b->o.tilt_min, b->s.th);
}

// a tip whose rebound is slow stays, if it would be pressed
static inline void hand_close(hand_body *b, int tip) {
  hand_state *s = &b->s;
  double v = hand_gap_rate(b, s, tip), ax, ay, aw, T;
  double slip = hand_slip(b, s, tip);
  b->slip = fabs(slip) < 1e-12 ? 0 : slip > 0.0 ? 1 : -1;
  if (v >= b->d->rest * b->amplitude * b->omega) return;
  if (hand_contact(b, s, tip, b->slip, &ax, &ay, &aw, &T) <= 0.0) return;
  b->closed[tip] = true;
  b->o.closings += b->measures;
  double sg = hand_sign(tip), lc = 0.5 * b->l * cos(s->th), arm = hand_arm(b, s->th, tip);
  if (b->d->closing == HAND_DROPS) {
    s->vy -= v;
  } else {
    // the impulse that takes the rebound away, with its friction; both small
    double A = 1.0 / b->m + lc * lc / b->I, B = sg * lc * arm / b->I;
    double mu = b->slip * b->d->impact_slide, P = -v / (A - mu * B);
    s->vx -= mu * P / b->m;
    s->vy += P / b->m;
    s->w += (sg * lc - arm * mu) * P / b->I;
  }
  if (b->slip == 0) hand_rest(b, tip);
}

static inline void hand_impacts(hand_body *b, int striking) {
  bool part[2] = {striking == 0 || b->closed[0], striking == 1 || b->closed[1]};
  if (b->measures) {
    b->o.left += part[0] && !part[1];
    b->o.right += part[1] && !part[0];
    b->o.both += part[0] && part[1];
  }
  hand_strike(b, part);
  b->closed[0] = b->closed[1] = false;
  for (int tip = 0; tip < 2; tip++)
    if (part[tip] && !b->closed[1 - tip]) hand_close(b, tip);
}

static inline hand_state hand_on(const hand_body *b, int tip, double h) {
  return tip >= 0 ? hand_slide(b, &b->s, tip, h) : hand_fly(b, &b->s, h);
}

static inline int hand_found(const hand_body *b, const hand_state *s, int tip) {
  if (tip >= 0) return hand_contact_event(b, s, tip);
  for (int k = 0; k < 2; k++)
    if (hand_gap(b, s, k) < 0.0 && hand_gap_rate(b, s, k) < 0.0) return 1 + k;
  return 0;
}

// one step, up to its first event
static inline void hand_advance(hand_body *b, double end) {
  int tip = b->closed[0] ? 0 : b->closed[1] ? 1 : -1;
  double h = fmin(1.0 / (b->d->f * b->d->fine), end - b->s.t);
  hand_state next = hand_on(b, tip, h);
  int event = hand_found(b, &next, tip);
  if (event) {
    double lo = 0.0, hi = h;
    for (int k = 0; k < 60; k++) {
      double mid = 0.5 * (lo + hi);
      hand_state at = hand_on(b, tip, mid);
      int found = hand_found(b, &at, tip);
      if (found) {
        hi = mid;
        event = found;
      } else
        lo = mid;
    }
    h = hi;
    next = hand_on(b, tip, h);
  }
  if (b->measures && tip >= 0) {
    b->o.contact += h;
    b->o.stick += b->slip ? 0.0 : h;
  }
  b->s = next;
  hand_count_tilt(b);
  if (!event) return;
  if (tip < 0) {
    hand_impacts(b, event - 1);
    return;
  }
  if (event == 1) b->closed[tip] = false;
  if (event == 2 || event == 3) {
    int before = b->slip;
    hand_rest(b, tip);
    b->o.reversals += b->measures && before * b->slip < 0;
  }
  if (event == 4) hand_impacts(b, 1 - tip);
}

static inline hand_body hand_make(const hand_dimer *d) {
  const double pi = 3.14159265358979323846, r = 4.75e-3, g = 9.81, l = 2.0 * (d->aspect - 1.0) * r;
  double ball = 7800.0 * 4.0 / 3.0 * pi * r * r * r, long_rod = l - 2.0 * r;
  double rod = 1000.0 * pi / 4.0 * 16e-6 * long_rod, omega = 2.0 * pi * d->f;
  hand_body b = {.d = d, .m = 2.0 * ball + rod, .l = l, .r = r, .g = g, .omega = omega};
  b.I = ball * l * l / 2.0 + 0.8 * ball * r * r + rod * long_rod * long_rod / 12.0;
  b.amplitude = d->gamma * g / (omega * omega);
  b.s = (hand_state){.y = r + d->h0 + 0.5 * l * sin(d->theta0), .th = d->theta0};
  return b;
}

static inline hand_outcome hand_run(const hand_dimer *d) {
  hand_body b = hand_make(d);
  double from = d->settle / d->f, to = (d->settle + d->cycles) / d->f;
  while (b.s.t < from)
    hand_advance(&b, from);
  double x = b.s.x;
  b.measures = true;
  b.o = (hand_outcome){.tilt_max = b.s.th, .tilt_min = b.s.th};
  while (b.s.t < to)
    hand_advance(&b, to);
  hand_outcome o = b.o;
  o.drift = (b.s.x - x) / (to - from);
  o.scaled = 100.0 * o.drift * d->f / b.g;
  o.stick /= o.contact > 0.0 ? o.contact : 1.0;
  o.contact /= to - from;
  double *counts[] = {&o.left, &o.right, &o.both, &o.closings, &o.reversals};
  for (int k = 0; k < 5; k++)
    *counts[k] /= d->cycles;
  return o;
}

#endif
