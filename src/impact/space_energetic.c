// SPDX-License-Identifier: MIT
#include "impact/space_energetic.h"

#include "base/elementary.h"

#include <math.h>
#include <string.h>

enum { S1, S2, V, P, WORK, P1, P2, SIZE };
enum { COLUMNS = 7, MOST_STEPS = 20000, POINTS = 96, HALVINGS = 60 };
static const double WHOLE_TURN = 6.283185307179586;
static const double STRAIGHT = 4e-16; // of the rate of slip: what of it turns the slip, by rounding
static const double STOPPED = 1e-16;  // of the fastest slip
static const double TURNED = 1e-13;   // of its rate: v_N turns here
static const double ACCURACY = 1e-14; // of one step, relative to what it is part of
static const double FIRST = 0.5, LARGEST = 4.0; // of the time in which slip turns or stops

/// The impact under way. `x`: slip, normal velocity, impulses, and work since the phase began.
typedef struct path {
  const carom_space_impact *impact;
  double x[SIZE];
  double nn, w[2], W[2][2];
  double fastest;            // slip so far
  bool linear, rests;        // the direction is fixed, or slip is held
  double d[2], dv, dr, t[2]; // then: direction, and rates per normal impulse (t: friction)
  double target;             // of the phase
  bool expands, again;       // it is pressed again before it has expanded
  bool unique;
} path;

static double dot(const double a[2], const double b[2]) { return a[0] * b[0] + a[1] * b[1]; }

// ds/dP of slip along d
static void slip_rate(const path *k, const double d[2], double rate[2]) {
  double mu = k->impact->slide;
  for (int i = 0; i < 2; i++)
    rate[i] = k->w[i] - mu * dot(k->W[i], d);
}

static double rate_across(const double d[2], const double rate[2]) {
  return d[0] * rate[1] - d[1] * rate[0];
}

// ---- linear pieces

static void slide_along(path *k, const double d[2]) {
  double rate[2];
  slip_rate(k, d, rate);
  k->linear = true;
  k->rests = false;
  k->d[0] = d[0], k->d[1] = d[1];
  k->dr = dot(d, rate);
  k->dv = k->nn - k->impact->slide * dot(k->w, d);
  for (int i = 0; i < 2; i++)
    k->t[i] = -k->impact->slide * d[i];
}

// friction that holds the slip: W T = -w; W may be singular, w is in its range then
static void hold_slip(path *k) {
  double det = k->W[0][0] * k->W[1][1] - k->W[0][1] * k->W[1][0];
  double trace = k->W[0][0] + k->W[1][1];
  k->t[0] = k->t[1] = 0.0;
  if (det > 1e-14 * trace * trace) {
    k->t[0] = -(k->W[1][1] * k->w[0] - k->W[0][1] * k->w[1]) / det;
    k->t[1] = -(k->W[0][0] * k->w[1] - k->W[1][0] * k->w[0]) / det;
  } else if (trace > 0.0) {
    k->t[0] = -k->w[0] / trace;
    k->t[1] = -k->w[1] / trace;
  }
  k->linear = k->rests = true;
  k->d[0] = k->d[1] = k->dr = 0.0;
  k->dv = k->nn + dot(k->w, k->t);
}

static double turning_at(const path *k, double angle, double d[2], double *along) {
  double rate[2];
  carom_sincos(angle, &d[1], &d[0]);
  slip_rate(k, d, rate);
  *along = dot(d, rate);
  return rate_across(d, rate);
}

// the directions in which slip may set off; of several the one nearest to where it is pushed
static bool find_direction(path *k, double best[2]) {
  double wanted = carom_atan2(k->w[1], k->w[0]), d[2], along, nearest = INFINITY;
  double before = turning_at(k, wanted + 0.5 * WHOLE_TURN / POINTS, d, &along);
  int found = 0;
  for (int n = 1; n <= POINTS; n++) {
    double lo = wanted + (n - 0.5) * WHOLE_TURN / POINTS, hi = lo + WHOLE_TURN / POINTS;
    double value = turning_at(k, hi, d, &along), low = before;
    before = value;
    if ((value > 0.0) == (low > 0.0)) continue;
    for (int round = 0; round < HALVINGS; round++) {
      double middle = 0.5 * (lo + hi);
      *((turning_at(k, middle, d, &along) > 0.0) == (low > 0.0) ? &lo : &hi) = middle;
    }
    (void)turning_at(k, hi, d, &along);
    double turn = fabs(hi - wanted), off = fmin(turn, fabs(WHOLE_TURN - turn));
    if (!(along > 0.0)) continue;
    found++;
    if (!(off < nearest)) continue;
    nearest = off;
    best[0] = d[0], best[1] = d[1];
  }
  if (found > 1) k->unique = false;
  return found > 0;
}

// slip is zero: it sticks if it can, or sets off
static bool choose_at_rest(path *k) {
  double d[2] = {0.0, 0.0};
  k->x[S1] = k->x[S2] = 0.0;
  hold_slip(k);
  if (carom_hypot(k->t[0], k->t[1]) <= k->impact->stick) return true;
  if (!find_direction(k, d)) return false;
  slide_along(k, d);
  return true;
}

// the impulse after which v L + dv L^2/2 has reached `work`
static double impulse_for_work(double v, double dv, double work) {
  double under = v * v + 2.0 * dv * work;
  if (!(under >= 0.0)) return INFINITY;
  double below = v + sqrt(under);
  return below > 0.0 ? 2.0 * work / below : work > 0.0 ? (double)INFINITY : 0.0;
}

// normal impulse until the phase ends, in a linear piece
static double until_end(const path *k) {
  double v = k->x[V];
  if (!k->expands) return k->dv > 0.0 ? -v / k->dv : INFINITY;
  switch (k->impact->stop) {
  case CAROM_STOP_KINETIC: return k->target - k->x[P];
  case CAROM_STOP_KINEMATIC: return k->dv > 0.0 ? (k->target - v) / k->dv : INFINITY;
  case CAROM_STOP_ENERGETIC: break;
  }
  return impulse_for_work(v, k->dv, k->target - k->x[WORK]);
}

// A contact that expands may be pulled in again: not where it has to come to a velocity.
static bool may_turn_back(const path *k) {
  return k->expands && k->impact->stop != CAROM_STOP_KINEMATIC;
}

// normal impulse until it approaches again, in a linear piece
static double until_again(const path *k) {
  return may_turn_back(k) && k->dv < 0.0 ? k->x[V] / -k->dv : INFINITY;
}

static void move_path(path *k, double L, bool stops) {
  double v = k->x[V], r = carom_hypot(k->x[S1], k->x[S2]) + k->dr * L;
  k->x[V] += k->dv * L;
  k->x[P] += L;
  k->x[WORK] += 0.5 * (v + k->x[V]) * L;
  for (int i = 0; i < 2; i++) {
    k->x[P1 + i] += k->t[i] * L;
    k->x[S1 + i] = stops || k->rests ? 0.0 : r * k->d[i];
  }
}

// one linear piece; true: the phase has ended. `fails`: it never does
static bool go_straight(path *k, bool *fails) {
  double r = carom_hypot(k->x[S1], k->x[S2]);
  double end = fmax(0.0, until_end(k)), stop = k->dr < 0.0 ? -r / k->dr : INFINITY;
  double again = until_again(k);
  if (isinf(end) && isinf(stop) && isinf(again)) {
    *fails = true;
    return false;
  }
  k->again = again < fmin(end, stop);
  end = fmin(end, again);
  bool ends = end <= stop;
  move_path(k, ends ? end : stop, !ends);
  if (!ends) *fails = !choose_at_rest(k);
  return ends;
}

// ---- slip that turns

static void path_rates(const path *k, const double x[SIZE], double f[SIZE]) {
  double r = sqrt(x[S1] * x[S1] + x[S2] * x[S2]);
  double d[2] = {r > 0.0 ? x[S1] / r : 0.0, r > 0.0 ? x[S2] / r : 0.0};
  double rate[2], mu = k->impact->slide;
  slip_rate(k, d, rate);
  f[S1] = r * rate[0];
  f[S2] = r * rate[1];
  f[V] = r * (k->nn - mu * dot(k->w, d));
  f[P] = r;
  f[WORK] = r * x[V];
  f[P1] = -mu * r * d[0];
  f[P2] = -mu * r * d[1];
}

// the modified midpoint rule (Gragg 1965)
static void midpoint_rule(const path *k, double H, int parts, double out[SIZE]) {
  double before[SIZE], now[SIZE], f[SIZE], h = H / parts;
  path_rates(k, k->x, f);
  for (int i = 0; i < SIZE; i++) {
    before[i] = k->x[i];
    now[i] = k->x[i] + h * f[i];
  }
  for (int n = 1; n < parts; n++) {
    path_rates(k, now, f);
    for (int i = 0; i < SIZE; i++) {
      double next = before[i] + 2.0 * h * f[i];
      before[i] = now[i];
      now[i] = next;
    }
  }
  path_rates(k, now, f);
  for (int i = 0; i < SIZE; i++)
    out[i] = 0.5 * (before[i] + now[i] + h * f[i]);
}

// Extrapolates it in h^2; returns its error in units of ACCURACY. Slip counts relative to itself:
// its direction is what matters.
static double extrapolate_step(const path *k, double H, double out[SIZE]) {
  double table[COLUMNS][SIZE], error = 0.0, change[SIZE] = {0.0};
  for (int n = 0; n < COLUMNS; n++) {
    midpoint_rule(k, H, 2 * n + 2, table[n]);
    for (int m = n - 1; m >= 0; m--) {
      double ratio = (double)(n + 1) / (m + 1), factor = 1.0 / (ratio * ratio - 1.0);
      for (int i = 0; i < SIZE; i++) {
        change[i] = factor * (table[m + 1][i] - table[m][i]);
        table[m][i] = table[m + 1][i] + change[i];
      }
    }
  }
  memcpy(out, table[0], sizeof table[0]);
  double r = carom_hypot(out[S1], out[S2]), slow = 0.0, pushed = out[P];
  for (int i = 0; i < SIZE; i++) {
    double scale = i <= S2 ? r : i == V ? fabs(k->x[V]) + k->nn * pushed : pushed;
    if (i == WORK) scale = fabs(out[V]) * pushed + k->nn * pushed * pushed;
    slow = scale > 0.0 ? fabs(change[i]) / scale : 0.0;
    error = fmax(error, slow / ACCURACY);
  }
  return error;
}

// how far the phase has come: 0 where it ends
static double phase_progress(const path *k, const double x[SIZE]) {
  if (!k->expands) return x[V];
  switch (k->impact->stop) {
  case CAROM_STOP_KINETIC: return x[P] - k->target;
  case CAROM_STOP_KINEMATIC: return x[V] - k->target;
  case CAROM_STOP_ENERGETIC: break;
  }
  return x[WORK] - k->target;
}

// the rate of v_N over that of slip's direction: where it changes its sign v_N turns
static double normal_turn(const path *k, const double x[SIZE]) {
  double r = carom_hypot(x[S1], x[S2]);
  return r > 0.0 ? k->nn - k->impact->slide * (k->w[0] * x[S1] + k->w[1] * x[S2]) / r : 0.0;
}

static double normal_velocity(const path *k, const double x[SIZE]) {
  (void)k;
  return x[V];
}

typedef double (*path_number)(const path *k, const double x[SIZE]);

// the part of the step at which a number is zero that has another sign at its end (regula falsi,
// Illinois); `out` is the state there
static double zero_within(const path *k, double H, path_number number, double at_end,
                          double out[SIZE]) {
  double lo = 0.0, hi = H, low = number(k, k->x), high = at_end, h = H;
  int kept = 0;
  for (int round = 0; round < 80; round++) {
    h = hi - high * (hi - lo) / (high - low);
    if (!(h > lo && h < hi)) h = 0.5 * (lo + hi);
    (void)extrapolate_step(k, h, out);
    double value = number(k, out);
    if (value == 0.0 || h == lo || h == hi || hi - lo <= 1e-16 * H) break;
    bool below = (value < 0.0) == (low < 0.0);
    *(below ? &lo : &hi) = h;
    *(below ? &low : &high) = value;
    if (kept == (below ? 1 : -1)) *(below ? &high : &low) *= 0.5;
    kept = below ? 1 : -1;
  }
  return h;
}

// slip that does not turn, or is as good as over, is linear
static void straighten_slip(path *k) {
  double r = carom_hypot(k->x[S1], k->x[S2]), rate[2], d[2] = {k->x[S1] / r, k->x[S2] / r};
  slip_rate(k, d, rate);
  double size = carom_hypot(k->w[0], k->w[1]) + k->impact->slide * (k->W[0][0] + k->W[1][1]);
  k->fastest = fmax(k->fastest, r);
  bool over = r <= STOPPED * k->fastest && dot(d, rate) < 0.0;
  if (over || fabs(rate_across(d, rate)) <= STRAIGHT * size) slide_along(k, d);
}

// One step along slip that turns, no further than to where v_N turns: within a step it rises or
// falls. True: the phase has ended.
static bool go_round(path *k, double *H) {
  double out[SIZE], error = extrapolate_step(k, *H, out);
  if (error > 1.0) {
    *H *= 0.5;
    return false;
  }
  double before = normal_turn(k, k->x), after = normal_turn(k, out);
  double step = *H;
  if (before * after < 0.0 && fabs(before) > TURNED * k->nn)
    step = zero_within(k, step, normal_turn, after, out);
  k->again = may_turn_back(k) && out[V] < 0.0 && k->x[V] > 0.0;
  if (k->again) step = zero_within(k, step, normal_velocity, out[V], out);
  double end = phase_progress(k, out);
  bool ends = end >= 0.0 && phase_progress(k, k->x) < 0.0;
  if (ends) (void)zero_within(k, step, phase_progress, end, out);
  k->again = k->again && !ends;
  memcpy(k->x, out, sizeof out);
  if (error < 1e-2) *H *= 1.5;
  return ends || k->again;
}

// ---- the whole

static bool run_phase(path *k) {
  bool fails = false;
  double size = carom_hypot(k->w[0], k->w[1]) + k->impact->slide * (k->W[0][0] + k->W[1][1]);
  double H = FIRST / size;
  for (int step = 0; step < MOST_STEPS && !fails; step++) {
    if (!k->linear) straighten_slip(k);
    H = fmin(H, LARGEST / size);
    if (!(H > 0.0)) return false;
    if (k->linear ? go_straight(k, &fails) : go_round(k, &H)) return true;
  }
  return false;
}

static path begin_path(const carom_space_impact *impact) {
  path k = {.impact = impact, .nn = impact->G[0][0], .unique = true};
  for (int i = 0; i < 2; i++) {
    k.w[i] = impact->G[i + 1][0];
    k.x[S1 + i] = impact->v[i + 1];
    for (int j = 0; j < 2; j++)
      k.W[i][j] = impact->G[i + 1][j + 1];
  }
  k.x[V] = impact->v[0];
  return k;
}

static void write_down(const path *k, carom_space_outcome *outcome) {
  outcome->P[0] = k->x[P];
  outcome->v[0] = k->x[V];
  for (int i = 0; i < 2; i++) {
    outcome->P[i + 1] = k->x[P1 + i];
    outcome->v[i + 1] = k->x[S1 + i];
  }
  outcome->sticks = k->rests;
  outcome->unique = k->unique;
}

// what the expansion has to reach, where impulses of `pressed` in all have compressed it
static double target_of(const path *k, const carom_space_outcome *outcome, double pressed) {
  double e = k->impact->e;
  switch (k->impact->stop) {
  case CAROM_STOP_KINETIC: return (1.0 + e) * pressed;
  case CAROM_STOP_KINEMATIC: return -e * k->impact->v[0];
  case CAROM_STOP_ENERGETIC: break;
  }
  return e * e * outcome->taken;
}

// Compression, expansion, and both again where the slip comes to turn so that it pulls the contact
// in. What compressions have taken counts together, and so does what is given back.
static bool run_phases(path *k, carom_space_outcome *outcome) {
  double pressed = 0.0, before;
  do {
    before = k->x[P];
    k->expands = k->again = false;
    k->x[WORK] = 0.0;
    if (!run_phase(k)) return false;
    k->x[V] = 0.0;
    pressed += k->x[P] - before;
    write_down(k, outcome);
    memcpy(outcome->compression, outcome->P, sizeof outcome->P);
    outcome->taken -= k->x[WORK];
    if (!(k->impact->e > 0.0)) return true;
    k->expands = true;
    k->x[WORK] = outcome->returned;
    k->target = target_of(k, outcome, pressed);
    if (!run_phase(k)) return false;
    outcome->returned = k->x[WORK];
    if (k->again) k->x[V] = 0.0;
  } while (k->again);
  return true;
}

bool carom_space_impact_solve(const carom_space_impact *impact, carom_space_outcome *outcome) {
  path k = begin_path(impact);
  *outcome = (carom_space_outcome){.unique = true};
  if (!(impact->slide > 0.0) && !(impact->stick > 0.0))
    slide_along(&k, (const double[]){0.0, 0.0}); // it slides on, whatever it does
  else if (k.x[S1] == 0.0 && k.x[S2] == 0.0 && !choose_at_rest(&k))
    return false;
  double r = carom_hypot(k.x[S1], k.x[S2]), f[SIZE];
  path_rates(&k, k.x, f);
  double first = k.linear ? k.dv : r > 0.0 ? f[V] : 0.0;
  if (!(impact->v[0] < 0.0) && !(first < 0.0)) {
    write_down(&k, outcome);
    return true;
  }
  if (!run_phases(&k, outcome)) return false;
  write_down(&k, outcome);
  return isfinite(outcome->v[0]) && isfinite(outcome->P[1]) && isfinite(outcome->P[2]);
}
