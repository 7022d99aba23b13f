// SPDX-License-Identifier: MIT
// Explicit Runge-Kutta 5(4) (Dormand and Prince 1980) for y1' = y2, y2' = -k y2 - (y1 + d) + y3,
// y3' = b (q - y1 sqrt(y3)) with y2 -> -r y2 at y1 = 0. Tops and impacts are located on the
// interpolant of order 4 (Hairer, Norsett, Wanner I, II.6); a bottom inside a step is looked at
// too. A plug too slow to bounce stays on its seat until the pressure lifts it, a valve that no
// longer moves ends its run.
#include "hand_valve.h"

#include <math.h>
#include <stdbool.h>

static const double DAMPING = 1.25, PRELOAD = 10.0, FLUID = 20.0, BOUNCE = 0.8;
static const double SLOWEST = 1e-6, STILL = 1e-8, CLEAR = 1e-6;

typedef struct state {
  double lift, speed, pressure;
} state;

typedef struct run {
  state y, f;        // now
  state next, slope; // where the tried step ends
  state dense[5];
  double q, h;
  bool rising; // the plug moves away from its seat
} run;

static inline state rates(double q, state y) {
  return (state){y.speed, y.pressure - DAMPING * y.speed - (y.lift + PRELOAD),
                 FLUID * (q - y.lift * sqrt(y.pressure))};
}

// the sums over slopes k[1] ... of the stages, of one part of the state
#define SUM_2(part) (1. / 5 * k[1].part)
#define SUM_3(part) (3. / 40 * k[1].part + 9. / 40 * k[2].part)
#define SUM_4(part) (44. / 45 * k[1].part - 56. / 15 * k[2].part + 32. / 9 * k[3].part)
#define SUM_5(part)                                                                                \
  (19372. / 6561 * k[1].part - 25360. / 2187 * k[2].part + 64448. / 6561 * k[3].part -             \
   212. / 729 * k[4].part)
#define SUM_6(part)                                                                                \
  (9017. / 3168 * k[1].part - 355. / 33 * k[2].part + 46732. / 5247 * k[3].part +                  \
   49. / 176 * k[4].part - 5103. / 18656 * k[5].part)
#define SUM_END(part)                                                                              \
  (35. / 384 * k[1].part + 500. / 1113 * k[3].part + 125. / 192 * k[4].part -                      \
   2187. / 6784 * k[5].part + 11. / 84 * k[6].part)
#define SUM_ERROR(part)                                                                            \
  (71. / 57600 * k[1].part - 71. / 16695 * k[3].part + 71. / 1920 * k[4].part -                    \
   17253. / 339200 * k[5].part + 22. / 525 * k[6].part - 1. / 40 * k[7].part)
#define SUM_DENSE(part)                                                                            \
  (-12715105075. / 11282082432 * k[1].part + 87487479700. / 32700410799 * k[3].part -              \
   10690763975. / 1880347072 * k[4].part + 701980252875. / 199316789632 * k[5].part -              \
   1453857185. / 822651844 * k[6].part + 69997945. / 29380423 * k[7].part)
#define AFTER(SUM)                                                                                 \
  ((state){y.lift + h * SUM(lift), y.speed + h * SUM(speed), y.pressure + h * SUM(pressure)})

// comparisons instead of fmax(), which is a call
static inline double larger(double a, double b) { return a > b ? a : b; }

static inline double excess(double error, double before, double after) {
  return fabs(error) / larger(1.0, larger(fabs(before), fabs(after)));
}

// Tries a step; returns its error in units of the tolerance, NaN where it has no value.
static inline double try_step(run *it, double tolerance, state k[8]) {
  double q = it->q, h = it->h;
  state y = it->y;
  k[1] = it->f;
  k[2] = rates(q, AFTER(SUM_2));
  k[3] = rates(q, AFTER(SUM_3));
  k[4] = rates(q, AFTER(SUM_4));
  k[5] = rates(q, AFTER(SUM_5));
  k[6] = rates(q, AFTER(SUM_6));
  state end = AFTER(SUM_END);
  it->next = end;
  it->slope = k[7] = rates(q, end);
  double worst = larger(excess(h * SUM_ERROR(lift), y.lift, end.lift),
                        excess(h * SUM_ERROR(speed), y.speed, end.speed));
  double other = excess(h * SUM_ERROR(pressure), y.pressure, end.pressure);
  return (other <= worst ? worst : other) / tolerance;
}

static void make_dense(run *it, const state k[8]) {
  double h = it->h;
#define DENSE(part)                                                                                \
  do {                                                                                             \
    double rise = it->next.part - it->y.part, bend = h * k[1].part - rise;                         \
    it->dense[0].part = it->y.part;                                                                \
    it->dense[1].part = rise;                                                                      \
    it->dense[2].part = bend;                                                                      \
    it->dense[3].part = rise - h * k[7].part - bend;                                               \
    it->dense[4].part = h * SUM_DENSE(part);                                                       \
  } while (0)
  DENSE(lift);
  DENSE(speed);
  DENSE(pressure);
#undef DENSE
}

#define AT(part)                                                                                   \
  (it->dense[0].part +                                                                             \
   s * (it->dense[1].part +                                                                        \
        (1.0 - s) *                                                                                \
            (it->dense[2].part + s * (it->dense[3].part + (1.0 - s) * it->dense[4].part))))
static double lift_at(const run *it, double s) { return AT(lift); }
static double speed_at(const run *it, double s) { return AT(speed); }
static double pressure_at(const run *it, double s) { return AT(pressure); }
#undef AT

// the zero of a quantity that changes its sign in [a, b]: false position, the Illinois variant
static double zero_of(double (*value)(const run *, double), const run *it, double a, double b) {
  double at_a = value(it, a), at_b = value(it, b);
  int kept = 0;
  for (int round = 0; round < 60 && b - a > 1e-15; round++) {
    double s = b - at_b * (b - a) / (at_b - at_a), g = value(it, s);
    if (fabs(g) < 1e-15) return s;
    if ((g > 0.0) == (at_b > 0.0)) {
      b = s, at_b = g;
      if (kept == 1) at_a *= 0.5;
      kept = 1;
    } else {
      a = s, at_a = g;
      if (kept == 2) at_b *= 0.5;
      kept = 2;
    }
  }
  return b;
}

// the speed is exactly zero where a run starts or a plug leaves its seat
static double top_of(const run *it) {
  const double soon = 1e-9;
  double from = it->y.speed > 0.0 ? 0.0 : soon;
  return speed_at(it, from) > 0.0 ? zero_of(speed_at, it, from, 1.0) : 0.0;
}

// Where the falling plug meets its seat after `from`, or -1; `turned`: it turns round before.
static double impact_after(const run *it, double from, bool *turned) {
  bool turns = it->next.speed >= 0.0;
  double start = from > 0.0 ? lift_at(it, from) : it->y.lift, end = 1.0;
  *turned = false;
  if (turns) end = (from > 0.0 || it->y.speed < 0.0) ? zero_of(speed_at, it, from, 1.0) : from;
  if (lift_at(it, end) < 0.0) return start > 0.0 ? zero_of(lift_at, it, from, end) : from;
  *turned = turns;
  return -1.0;
}

static void strike(run *it, double s) {
  double speed = -BOUNCE * speed_at(it, s), pressure = pressure_at(it, s);
  // on the seat the pressure grows evenly until it lifts the plug
  bool stays = speed < SLOWEST && pressure < PRELOAD;
  it->y = (state){0.0, stays || speed < 0.0 ? 0.0 : speed, stays ? PRELOAD : pressure};
  it->f = rates(it->q, it->y);
  it->rising = true;
}

static bool at_rest(const run *it) {
  return fabs(it->f.lift) + fabs(it->f.speed) + fabs(it->f.pressure) < STILL && it->y.lift > CLEAR;
}

// what happens inside the accepted step: true after an impact, from which the next step starts
static bool look_inside(hand_valve *count, run *it, const state k[8], long *tops, int kept,
                        double *lifts) {
  double from = 0.0;
  make_dense(it, k);
  if (it->rising) {
    from = top_of(it);
    lifts[*tops % kept] = lift_at(it, from);
    ++*tops;
    it->rising = false;
  }
  double impact = impact_after(it, from, &it->rising);
  if (impact < 0.0) return false;
  count->impacts++;
  strike(it, impact);
  return true;
}

static void put_in_order(long tops, int kept, double *lifts) {
  // the oldest of a full ring comes first: turned by three reversals
  int shift = tops > kept ? (int)(tops % kept) : 0;
  const int ends[3][2] = {{0, shift}, {shift, kept}, {0, kept}};
  for (int k = 0; k < 3 && shift > 0; k++)
    for (int a = ends[k][0], b = ends[k][1] - 1; a < b; a++, b--) {
      double other = lifts[a];
      lifts[a] = lifts[b];
      lifts[b] = other;
    }
}

int hand_valve_run(hand_valve *count, double q, long wanted, int kept, double *lifts) {
  run now = {.y = {0.2, 0.0, 0.0}, .q = q, .h = 1e-2}, *it = &now;
  state k[8];
  long tops = 0;
  it->f = rates(q, it->y);
  while (tops < wanted) {
    double error = try_step(it, count->tolerance, k);
    if (!(error <= 1.0)) {
      count->refused++;
      it->h *= isfinite(error) ? fmax(0.1, 0.9 * pow(error, -0.25)) : 0.1;
      continue;
    }
    count->steps++;
    double factor = 0.9 * pow(larger(error, 1e-10), -0.2);
    factor = factor > 5.0 ? 5.0 : larger(factor, 0.1);
    bool something = it->rising ? it->next.speed < 0.0 : it->next.speed >= 0.0 || it->next.lift < 0;
    if (something && look_inside(count, it, k, &tops, kept, lifts)) {
      if (factor < 1.0) it->h *= factor;
      continue;
    }
    it->y = it->next;
    it->f = it->slope;
    it->h *= factor;
    if (!at_rest(it)) continue;
    count->rested++;
    break;
  }
  count->returns += tops;
  put_in_order(tops, kept, lifts);
  return tops < kept ? (int)tops : kept;
}
