// SPDX-License-Identifier: MIT
/// A rigid body in the plane with corners that touch moving lines, followed by hand: Runge and
/// Kutta's method in small equal steps, events by bisection of the step, modes and impacts by
/// trying everything (plain_contact.h). Nothing of Carom is used.
#ifndef CAROM_TESTS_HYBRID_PLAIN_SCENE_H
#define CAROM_TESTS_HYBRID_PLAIN_SCENE_H

#include "plain_contact.h"

enum { SCENE_LINES = 4, SCENE_CORNERS = 4, SCENE_PAIRS = 10 };

/// A line with the unit normal (cos turn, sin turn); points have the gap n.p - place and the slip
/// t.v - belt, t = (sin turn, -cos turn).
typedef struct plain_line {
  double turn, place, swing, rate;    // place(t) = place + swing (1 - cos(rate t))
  double belt, belt_swing, belt_rate; // belt(t) = belt + belt_swing sin(belt_rate t)
} plain_line;

/// A corner against a line. Friction of slip falls from mu_s to mu over the speed `fall` (0: at
/// once).
typedef struct plain_pair {
  int corner, line;
  double mu_s, mu, fall, mu_impact, e;
} plain_pair;

typedef struct plain_scene {
  bool poisson;
  double mass, inertia, gravity, spring, turn_spring, rest, damper, turn_damper;
  int corners, lines, pairs;
  double reach[SCENE_CORNERS], angle[SCENE_CORNERS];
  plain_line line[SCENE_LINES];
  plain_pair pair[SCENE_PAIRS];
  double q[3], u[3], until;
} plain_scene;

/// Where a motion is, and which pairs are closed in which mode.
typedef struct plain_state {
  double t, q[3], u[3];
  bool closed[SCENE_PAIRS];
  int slip[SCENE_PAIRS]; // 0: sticks
  int events;
  double struck; // the time of the last impact
} plain_state;

/// Why a motion is followed no further.
typedef enum plain_end {
  PLAIN_DONE,
  PLAIN_AMBIGUOUS, // several outcomes
  PLAIN_STUCK,     // none
  PLAIN_SMALL,     // bounces begin to pile up
  PLAIN_CROWDED    // too many contacts or events at once
} plain_end;

// ---- geometry ----------------------------------------------------------------------------------

typedef struct plain_rows {
  double gap, normal[3], tangent[3];
  double rate, slip;             // velocities of the rows
  double normal_bias, slip_bias; // accelerations of the rows without those of q
} plain_rows;

static inline plain_rows plain_look(const plain_scene *s, int k, double t, const double *q,
                                    const double *u) {
  const plain_pair *pair = &s->pair[k];
  const plain_line *l = &s->line[pair->line];
  double r = s->reach[pair->corner], a = q[2] + s->angle[pair->corner];
  double px = r * cos(a), py = r * sin(a), nx = cos(l->turn), ny = sin(l->turn), tx = ny, ty = -nx;
  plain_rows row = {
      .gap = nx * (q[0] + px) + ny * (q[1] + py) - l->place - l->swing * (1.0 - cos(l->rate * t)),
      .normal = {nx, ny, -nx * py + ny * px},
      .tangent = {tx, ty, -tx * py + ty * px},
      .rate = -l->swing * l->rate * sin(l->rate * t),
      .slip = -l->belt - l->belt_swing * sin(l->belt_rate * t),
      .normal_bias =
          -(nx * px + ny * py) * u[2] * u[2] - l->swing * l->rate * l->rate * cos(l->rate * t),
      .slip_bias = -(tx * px + ty * py) * u[2] * u[2] -
                   l->belt_swing * l->belt_rate * cos(l->belt_rate * t)};
  for (int i = 0; i < 3; i++) {
    row.rate += row.normal[i] * u[i];
    row.slip += row.tangent[i] * u[i];
  }
  return row;
}

static inline double plain_mass(const plain_scene *s, int i) {
  return i < 2 ? s->mass : s->inertia;
}

static inline void plain_free_force(const plain_scene *s, const double *q, const double *u,
                                    double *f) {
  f[0] = -s->spring * q[0] - s->damper * u[0];
  f[1] = -s->mass * s->gravity - s->damper * u[1];
  f[2] = -s->turn_spring * (q[2] - s->rest) - s->turn_damper * u[2];
}

static inline double plain_friction(const plain_pair *pair, double slip) {
  if (!(pair->fall > 0.0)) return pair->mu;
  double x = slip / pair->fall;
  return pair->mu_s - (pair->mu_s - pair->mu) * (1.0 - exp(-x * x));
}

/// The pairs in `which` as a problem in row velocities answered by impulses.
static inline void plain_gather(const plain_scene *s, int count, const int *which, double t,
                                const double *q, const double *u, plain_problem *p,
                                plain_rows *rows) {
  memset(p, 0, sizeof *p);
  p->contacts = count;
  for (int i = 0; i < count; i++)
    rows[i] = plain_look(s, which[i], t, q, u);
  for (int i = 0; i < 2 * count; i++)
    for (int j = 0; j < 2 * count; j++) {
      const double *a = i % 2 ? rows[i / 2].tangent : rows[i / 2].normal;
      const double *b = j % 2 ? rows[j / 2].tangent : rows[j / 2].normal;
      for (int k = 0; k < 3; k++)
        p->G[i][j] += a[k] * b[k] / plain_mass(s, k);
    }
}

static inline int plain_list_closed(const plain_scene *s, const plain_state *x, int *which) {
  int count = 0;
  for (int k = 0; k < s->pairs; k++)
    if (x->closed[k] && count < PLAIN_CONTACTS) which[count++] = k;
  return count;
}

// ---- smooth motion -----------------------------------------------------------------------------

/// The problem of forces of the closed pairs.
static inline int plain_force_problem(const plain_scene *s, const plain_state *x, int *which,
                                      plain_problem *p, plain_rows *rows) {
  int count = plain_list_closed(s, x, which);
  plain_gather(s, count, which, x->t, x->q, x->u, p, rows);
  double f[3];
  plain_free_force(s, x->q, x->u, f);
  for (int i = 0; i < count; i++) {
    const plain_pair *pair = &s->pair[which[i]];
    p->b[2 * i] = rows[i].normal_bias;
    p->b[2 * i + 1] = rows[i].slip_bias;
    for (int k = 0; k < 3; k++) {
      p->b[2 * i] += rows[i].normal[k] * f[k] / plain_mass(s, k);
      p->b[2 * i + 1] += rows[i].tangent[k] * f[k] / plain_mass(s, k);
    }
    p->stick[i] = pair->mu_s;
    p->slide[i] = plain_friction(pair, rows[i].slip);
  }
  return count;
}

/// Accelerations in the present modes; returns how far forces are from their bounds.
static inline double plain_accelerate(const plain_scene *s, const plain_state *x, double *a) {
  int which[PLAIN_CONTACTS];
  plain_problem p;
  plain_rows rows[PLAIN_CONTACTS];
  int count = plain_force_problem(s, x, which, &p, rows);
  plain_solution now = {.slack = INFINITY};
  for (int i = 0; i < count; i++) {
    now.mode[i] = (plain_mode){true, x->slip[which[i]]};
    p.moving[i] = x->slip[which[i]];
  }
  if (count > 0 && !plain_solve(&p, &now)) now.slack = -1.0;
  double f[3];
  plain_free_force(s, x->q, x->u, f);
  for (int k = 0; k < 3; k++) {
    a[k] = f[k];
    for (int i = 0; i < count; i++)
      a[k] += rows[i].normal[k] * now.P[2 * i] + rows[i].tangent[k] * now.P[2 * i + 1];
    a[k] /= plain_mass(s, k);
  }
  return now.slack;
}

static inline plain_state plain_step(const plain_scene *s, const plain_state *from, double h) {
  static const double node[4] = {0.0, 0.5, 0.5, 1.0}, weight[4] = {1.0, 2.0, 2.0, 1.0};
  plain_state sum = *from, stage = *from;
  double a[3], v[3] = {0};
  for (int j = 0; j < 4; j++) {
    for (int k = 0; k < 3 && j > 0; k++) {
      stage.q[k] = from->q[k] + node[j] * h * v[k];
      stage.u[k] = from->u[k] + node[j] * h * a[k];
    }
    stage.t = from->t + node[j] * h;
    (void)plain_accelerate(s, &stage, a);
    for (int k = 0; k < 3; k++) {
      v[k] = stage.u[k];
      sum.q[k] += weight[j] * h / 6.0 * v[k];
      sum.u[k] += weight[j] * h / 6.0 * a[k];
    }
  }
  sum.t = from->t + h;
  return sum;
}

/// Does something end between a state and a later one?
static inline bool plain_ends(const plain_scene *s, const plain_state *from,
                              const plain_state *to) {
  double a[3];
  if (plain_accelerate(s, to, a) < 0.0) return true;
  for (int k = 0; k < s->pairs; k++) {
    plain_rows row = plain_look(s, k, to->t, to->q, to->u);
    if (to->closed[k] && to->slip[k] * row.slip < -1e-13) return true;
    if (to->closed[k]) continue;
    double gap = plain_look(s, k, from->t, from->q, from->u).gap;
    if (row.gap < (gap > 1e-9 ? 0.0 : -1e-10)) return true;
  }
  return false;
}

// ---- instants ----------------------------------------------------------------------------------

static inline plain_end plain_end_of(plain_verdict verdict) {
  return verdict == PLAIN_NONE ? PLAIN_STUCK : PLAIN_AMBIGUOUS;
}

/// Chooses modes of forces for the closed pairs; `same_not`: the present ones have just ended.
static inline plain_end plain_rechoose(const plain_scene *s, plain_state *x, bool same_not) {
  int which[PLAIN_CONTACTS];
  plain_problem p;
  plain_rows rows[PLAIN_CONTACTS];
  int count = plain_force_problem(s, x, which, &p, rows);
  plain_mode ended[PLAIN_CONTACTS];
  for (int i = 0; i < count; i++) {
    ended[i] = (plain_mode){true, x->slip[which[i]]};
    if (fabs(rows[i].slip) > 1e-9) p.moving[i] = rows[i].slip > 0.0 ? 1 : -1;
  }
  if (count == 0) return PLAIN_DONE;
  plain_solution best = {0};
  plain_verdict verdict = plain_choose(&p, same_not ? ended : NULL, &best);
  if (verdict != PLAIN_ONE) return plain_end_of(verdict);
  for (int i = 0; i < count; i++) {
    x->closed[which[i]] = best.mode[i].closed;
    x->slip[which[i]] = best.mode[i].slip;
  }
  return PLAIN_DONE;
}

/// Impulses by Newton's law, or by Poisson's in two phases.
static inline plain_verdict plain_impulses(const plain_scene *s, plain_problem *p, const double *e,
                                           double *impulse) {
  int rows = 2 * p->contacts;
  double before[PLAIN_ROWS];
  memcpy(before, p->b, sizeof before);
  if (!s->poisson)
    for (int i = 0; i < p->contacts; i++)
      p->b[2 * i] += e[i] * fmin(before[2 * i], 0.0);
  plain_solution first = {0}, second = {0};
  plain_verdict verdict = plain_choose(p, NULL, &first);
  if (verdict != PLAIN_ONE) return verdict;
  memcpy(impulse, first.P, (size_t)rows * sizeof *impulse);
  if (!s->poisson) return PLAIN_ONE;
  bool pushes = false;
  for (int i = 0; i < p->contacts; i++) {
    p->floor[i] = e[i] * first.P[2 * i];
    pushes = pushes || p->floor[i] > 0.0;
  }
  if (!pushes) return PLAIN_ONE;
  if (first.shared) return PLAIN_SEVERAL; // what is given back depends on how they share it
  memcpy(p->b, first.rate, sizeof p->b);
  verdict = plain_choose(p, NULL, &second);
  for (int r = 0; r < rows && verdict == PLAIN_ONE; r++)
    impulse[r] += second.P[r];
  return verdict;
}

static inline plain_end plain_strike(const plain_scene *s, plain_state *x) {
  int which[PLAIN_CONTACTS], count = 0;
  if (x->t - x->struck < 1e-4) return PLAIN_SMALL;
  x->struck = x->t;
  for (int k = 0; k < s->pairs; k++) {
    double gap = fabs(plain_look(s, k, x->t, x->q, x->u).gap);
    if (!x->closed[k] && gap > 1e-11 && gap < 1e-7) return PLAIN_SMALL; // at once, or soon after?
    if (!x->closed[k] && gap > 1e-9) continue;
    if (count == PLAIN_CONTACTS) return PLAIN_CROWDED;
    which[count++] = k;
  }
  plain_problem p;
  plain_rows rows[PLAIN_CONTACTS];
  double impulse[PLAIN_ROWS], e[PLAIN_CONTACTS];
  plain_gather(s, count, which, x->t, x->q, x->u, &p, rows);
  for (int i = 0; i < count; i++) {
    p.b[2 * i] = x->closed[which[i]] ? 0.0 : rows[i].rate;
    p.b[2 * i + 1] = rows[i].slip;
    p.stick[i] = p.slide[i] = s->pair[which[i]].mu_impact;
    e[i] = s->pair[which[i]].e;
  }
  plain_verdict verdict = plain_impulses(s, &p, e, impulse);
  if (verdict != PLAIN_ONE) return plain_end_of(verdict);
  for (int i = 0; i < count; i++)
    for (int k = 0; k < 3; k++)
      x->u[k] += (rows[i].normal[k] * impulse[2 * i] + rows[i].tangent[k] * impulse[2 * i + 1]) /
                 plain_mass(s, k);
  for (int i = 0; i < count; i++) {
    double away = plain_look(s, which[i], x->t, x->q, x->u).rate;
    if (away > 1e-9 && away < 0.03) return PLAIN_SMALL;
    x->closed[which[i]] = away <= 1e-9;
    x->slip[which[i]] = 0;
  }
  return PLAIN_DONE;
}

static inline bool plain_approaches(const plain_scene *s, const plain_state *x) {
  for (int k = 0; k < s->pairs; k++) {
    plain_rows row = plain_look(s, k, x->t, x->q, x->u);
    if (!x->closed[k] && row.gap < 1e-9 && row.rate < -1e-9) return true;
  }
  return false;
}

static inline plain_end plain_instant(const plain_scene *s, plain_state *x) {
  x->events++;
  bool strikes = plain_approaches(s, x);
  plain_end end = strikes ? plain_strike(s, x) : PLAIN_DONE;
  return end == PLAIN_DONE ? plain_rechoose(s, x, !strikes) : end;
}

/// Follows the scene in steps of h to its end, or to where it is followed no further.
static inline plain_end plain_follow(const plain_scene *s, double h, plain_state *x) {
  *x = (plain_state){.struck = -1.0};
  memcpy(x->q, s->q, sizeof x->q);
  memcpy(x->u, s->u, sizeof x->u);
  for (int k = 0; k < s->pairs; k++) {
    plain_rows row = plain_look(s, k, 0.0, s->q, s->u);
    x->closed[k] = fabs(row.gap) < 1e-12 && fabs(row.rate) < 1e-12;
  }
  plain_end end = plain_rechoose(s, x, false);
  int crowd = 0;
  while (end == PLAIN_DONE && x->t < s->until) {
    // the last part is made in steps, too, so that another h makes other steps
    double left = s->until - x->t, low = 0.0, high = 1.0;
    double step = fmin(left < h ? h / 20.0 : h, left);
    plain_state to = plain_step(s, x, step);
    crowd = 0;
    if (!plain_ends(s, x, &to)) {
      *x = to;
      continue;
    }
    for (int k = 0; k < 55; k++) {
      double middle = 0.5 * (low + high);
      to = plain_step(s, x, middle * step);
      if (plain_ends(s, x, &to))
        high = middle;
      else
        low = middle;
    }
    plain_state before = *x;
    *x = plain_step(s, x, high * step);
    crowd = x->t - before.t < 1e-9 ? crowd + 1 : 0;
    if (x->events > 400 || crowd > 8) return PLAIN_CROWDED;
    end = plain_instant(s, x);
  }
  return end;
}

#endif
