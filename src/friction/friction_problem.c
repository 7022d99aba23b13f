// SPDX-License-Identifier: MIT
/// The problem: what is refused, the scaled form, and how well forces satisfy the law.
#include "friction/friction_internal.h"

#include "base/error.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST_CONTACTS = 20000 };
/// Velocities beyond this many times q are no solution's: q would be lost in their rounding.
#define MOST_SPEED 1e8

// ---- what is refused

static carom_status check_blocks(const carom_friction_options *o, carom_error *error) {
  int d = o->dimension;
  if (o->block_start[0] != 0)
    return carom_fail(error, CAROM_ERR_ARGUMENT, "friction: block_start[0] is %d, expected 0",
                      o->block_start[0]);
  for (int i = 0; i < o->contacts; i++) {
    if (o->block_start[i + 1] < o->block_start[i] ||
        o->block_start[i + 1] - o->block_start[i] > o->contacts)
      return carom_fail(error, CAROM_ERR_ARGUMENT,
                        "friction: block_start must not fall, nor rise by more than the contacts; "
                        "from %d to %d at contact %d",
                        o->block_start[i], o->block_start[i + 1], i);
    for (int k = o->block_start[i]; k < o->block_start[i + 1]; k++) {
      int j = o->block_column[k];
      if (j < 0 || j >= o->contacts)
        return carom_fail(error, CAROM_ERR_ARGUMENT,
                          "friction: block %d of contact %d names contact %d of %d", k, i, j,
                          o->contacts);
      for (int e = 0; e < d * d; e++)
        if (!isfinite(o->block[(size_t)k * (size_t)(d * d) + (size_t)e]))
          return carom_fail(error, CAROM_ERR_NONFINITE,
                            "friction: W is not finite between contacts %d and %d", i, j);
    }
  }
  return CAROM_OK;
}

static carom_status check_dense(const carom_friction_options *o, carom_error *error) {
  size_t rows = (size_t)(o->dimension * o->contacts);
  for (size_t k = 0; k < rows * rows; k++)
    if (!isfinite(o->W[k]))
      return carom_fail(error, CAROM_ERR_NONFINITE,
                        "friction: W is not finite at row %d, column %d", (int)(k / rows),
                        (int)(k % rows));
  return CAROM_OK;
}

static carom_status check_contact(const carom_friction_options *o, int i, carom_error *error) {
  int d = o->dimension;
  if (!(o->mu[i] >= 0.0) || !isfinite(o->mu[i]))
    return carom_fail(error, CAROM_ERR_ARGUMENT,
                      "friction: mu of contact %d is %g, expected a number >= 0", i, o->mu[i]);
  if (o->floor && (!(o->floor[i] >= 0.0) || !isfinite(o->floor[i])))
    return carom_fail(error, CAROM_ERR_ARGUMENT,
                      "friction: the floor of contact %d is %g, expected a number >= 0", i,
                      o->floor[i]);
  for (int a = 0; a < d; a++) {
    if (!isfinite(o->q[i * d + a]))
      return carom_fail(error, CAROM_ERR_NONFINITE, "friction: q is not finite at contact %d", i);
    if (o->start && !isfinite(o->start[i * d + a]))
      return carom_fail(error, CAROM_ERR_NONFINITE, "friction: start is not finite at contact %d",
                        i);
  }
  return CAROM_OK;
}

carom_status friction_check(const carom_friction_options *o, carom_error *error) {
  carom_status status = carom_check_options(o->size, sizeof *o, "carom_friction_options", error);
  if (status) return status;
  if (o->dimension != 2 && o->dimension != 3)
    return carom_fail(error, CAROM_ERR_ARGUMENT,
                      "friction: dimension is %d, expected 2 (plane) or 3 (space)", o->dimension);
  if (o->contacts < 0 || o->contacts > MOST_CONTACTS)
    return carom_fail(error, CAROM_ERR_ARGUMENT, "friction: %d contacts, expected 0 to %d",
                      o->contacts, MOST_CONTACTS);
  if (!(o->tolerance > 0.0) || o->sweeps < 0)
    return carom_fail(error, CAROM_ERR_ARGUMENT,
                      "friction: tolerance must be above 0 and sweeps not below");
  if (o->contacts == 0) return CAROM_OK;
  bool blocks = o->block_start && o->block_column && o->block;
  if (!o->q || !o->mu || (!o->W && !blocks))
    return carom_fail(error, CAROM_ERR_ARGUMENT,
                      "friction: q, mu and either W or its three arrays of blocks are needed");
  for (int i = 0; i < o->contacts && !status; i++)
    status = check_contact(o, i, error);
  if (status) return status;
  return o->W ? check_dense(o, error) : check_blocks(o, error);
}

// ---- the scaled form

// plain comparisons: what is no number is looked for elsewhere
static inline double larger(double a, double b) { return a > b ? a : b; }
static inline double smaller(double a, double b) { return a < b ? a : b; }

// the power of two next to x > 0 by ratio; 1 for others
static double power_near(double x) {
  uint64_t bits, exponent = (uint64_t)0x7ff << 52;
  if (!(x > 0.0) || !isfinite(x)) return 1.0;
  if (x < DBL_MIN) x = DBL_MIN;
  memcpy(&bits, &x, sizeof bits);
  bits &= exponent; // the power of two below
  double below;
  memcpy(&below, &bits, sizeof below);
  return x < 1.4142135623730951 * below || !isfinite(2.0 * below) ? below : 2.0 * below;
}

// a row of blocks that is as wanted: columns ascending, with the diagonal, each once
static bool take_ordered_row(const carom_friction_options *o, friction_problem *p, int i) {
  int from = o->block_start[i], to = o->block_start[i + 1], next = p->start[i], diagonal = -1;
  size_t size = (size_t)(p->d * p->d);
  for (int k = from; k < to; k++) {
    if (k > from && o->block_column[k] <= o->block_column[k - 1]) return false;
    if (o->block_column[k] == i) diagonal = next + k - from;
  }
  if (diagonal < 0) return false;
  memcpy(p->column + next, o->block_column + from, (size_t)(to - from) * sizeof(int));
  memcpy(p->block + (size_t)next * size, o->block + (size_t)from * size,
         (size_t)(to - from) * size * sizeof(double));
  p->diagonal[i] = diagonal;
  p->start[i + 1] = next + to - from;
  return true;
}

// columns of a row ascending, with the diagonal, each once (further blocks of one place are added)
static void take_row(const carom_friction_options *o, carom_friction_workspace *w, int i) {
  friction_problem *p = &w->problem;
  int d = p->d, size = d * d, rows = d * p->n;
  int next = p->start[i];
  for (int j = 0; j < p->n; j++)
    w->slot[j] = -1;
  if (o->W) {
    for (int j = 0; j < p->n; j++) {
      bool any = j == i;
      for (int a = 0; a < d && !any; a++)
        for (int b = 0; b < d && !any; b++)
          any = o->W[(size_t)(i * d + a) * (size_t)rows + (size_t)(j * d + b)] != 0.0;
      if (any) w->slot[j] = 0;
    }
  } else {
    w->slot[i] = 0;
    for (int k = o->block_start[i]; k < o->block_start[i + 1]; k++)
      w->slot[o->block_column[k]] = 0;
  }
  for (int j = 0; j < p->n; j++) {
    if (w->slot[j] < 0) continue;
    if (j == i) p->diagonal[i] = next;
    double *to = p->block + (size_t)next * (size_t)size;
    for (int a = 0; a < d; a++)
      for (int b = 0; b < d; b++)
        to[a * d + b] = o->W ? o->W[(size_t)(i * d + a) * (size_t)rows + (size_t)(j * d + b)] : 0.0;
    w->slot[j] = next;
    p->column[next++] = j;
  }
  for (int k = o->W ? 0 : o->block_start[i]; !o->W && k < o->block_start[i + 1]; k++) {
    double *to = p->block + (size_t)w->slot[o->block_column[k]] * (size_t)size;
    for (int e = 0; e < size; e++)
      to[e] += o->block[(size_t)k * (size_t)size + (size_t)e];
  }
  p->start[i + 1] = next;
}

// The largest entry of the diagonal block; where that is zero (nothing moves by its own force)
// that of the whole row and column are no measure either: 1.
static double own_size(const friction_problem *p, int i) {
  assert(i >= 0 && i < p->n);
  const double *D = p->block + (size_t)p->diagonal[i] * (size_t)(p->d * p->d);
  double most = 0.0;
  for (int a = 0; a < p->d; a++)
    most = larger(most, fabs(D[a * p->d + a]));
  return most;
}

static void scale_block(friction_problem *p, int i, int k) {
  int d = p->d, j = p->column[k];
  double *x = p->block + (size_t)k * (size_t)(d * d), both = p->scale[i] * p->scale[j];
  for (int a = 0; a < d; a++)
    for (int b = 0; b < d; b++, x++) {
      *x *= both * p->turn[i * d + a] * p->turn[j * d + b];
      if (fabs(*x) > p->largest) p->largest = fabs(*x);
    }
}

static void scale_blocks(friction_problem *p) {
  p->largest = 0.0;
  for (int i = 0; i < p->n; i++)
    for (int k = p->start[i]; k < p->start[i + 1]; k++)
      scale_block(p, i, k);
}

static double vector_length(int d, const double *x) {
  double sum = 0.0;
  if (d == 1) return fabs(x[0]);
  for (int a = 0; a < d; a++)
    sum += x[a] * x[a];
  return sqrt(sum);
}

void friction_scale(const carom_friction_options *o, carom_friction_workspace *w) {
  friction_problem *p = &w->problem;
  int d = o->dimension;
  p->d = d;
  p->n = o->contacts;
  p->start[0] = 0;
  p->fastest = 0.0;
  p->frictionless = true;
  for (int i = 0; i < p->n; i++) {
    if (o->W || !take_ordered_row(o, p, i)) take_row(o, w, i);
    double own = own_size(p, i);
    p->scale[i] = own > 0.0 ? power_near(1.0 / sqrt(own)) : 1.0;
    p->step[i] = own > 0.0 ? 1.0 / (own * p->scale[i] * p->scale[i]) : 1.0;
    p->mu[i] = o->mu[i];
    p->frictionless = p->frictionless && !(o->mu[i] > 0.0);
    p->fastest = larger(p->fastest, vector_length(d, o->q + i * d));
    for (int a = 0; a < d; a++)
      p->turn[i * d + a] = a > 0 && o->q[i * d + a] < 0.0 ? -1.0 : 1.0;
  }
  scale_blocks(p);
  double most = 0.0;
  for (int i = 0; i < p->n; i++) {
    for (int a = 0; a < d; a++)
      most = larger(most, fabs(o->q[i * d + a] * p->scale[i]));
    if (o->floor) most = larger(most, o->floor[i] / p->scale[i]);
  }
  p->unit = power_near(most);
  for (int i = 0; i < p->n; i++) {
    double factor = p->scale[i] / p->unit;
    for (int a = 0; a < d; a++)
      p->q[i * d + a] = o->q[i * d + a] * p->turn[i * d + a] * factor;
    p->floor[i] = o->floor ? o->floor[i] / (p->scale[i] * p->unit) : 0.0;
  }
}

// ---- velocities and residual

static inline void compute_velocities(const friction_problem *p, int d, const double *r,
                                      bool with_q, double *v) {
  assert(d == p->d);
  for (int i = 0; i < p->n; i++) {
    double sum[FRICTION_MOST] = {0.0, 0.0, 0.0};
    for (int k = p->start[i]; k < p->start[i + 1]; k++) {
      const double *A = p->block + (size_t)k * (size_t)(d * d), *x = r + p->column[k] * d;
      for (int a = 0; a < d; a++)
        for (int b = 0; b < d; b++)
          sum[a] += A[a * d + b] * x[b];
    }
    for (int a = 0; a < d; a++)
      v[i * d + a] = with_q ? sum[a] + p->q[i * d + a] : sum[a];
  }
}

void friction_velocities(const friction_problem *p, const double *r, bool with_q, double *v) {
  if (p->d == 2)
    compute_velocities(p, 2, r, with_q, v);
  else
    compute_velocities(p, 3, r, with_q, v);
}

double friction_violation(int d, const double *r, const double *v, double mu, double floor,
                          double most_force, double most_velocity, carom_friction_mode *mode) {
  if (!(floor > 0.0) && v[0] > 0.0 && r[0] == 0.0 && r[1] == 0.0 && (d == 2 || r[2] == 0.0)) {
    *mode = CAROM_FRICTION_OPEN;
    return 0.0;
  }
  double R = most_force > 0.0 ? 1.0 / most_force : 0.0;
  double V = most_velocity > 0.0 ? 1.0 / most_velocity : 0.0;
  double hold = vector_length(d - 1, r + 1), slip = vector_length(d - 1, v + 1);
  double outside = larger(0.0, hold - mu * r[0]) * R, below = larger(0.0, floor - r[0]) * R;
  // r_T against the slip
  double astray = 0.0;
  for (int a = 1; a < d; a++) {
    double e = slip > 0.0 ? r[a] + mu * r[0] * (v[a] / slip) : r[a];
    astray += e * e;
  }
  astray = slip > 0.0 ? sqrt(astray) * R : INFINITY;
  double away = larger(0.0, -v[0]) * V;
  double open = floor > 0.0 ? INFINITY : larger(vector_length(d, r) * R, away);
  double sticks = larger(larger(vector_length(d, v) * V, below), outside);
  double slips = larger(larger(fabs(v[0]) * V, below), astray);
  double lifted =
      larger(larger(away, fabs(r[0] - floor) * R), smaller(larger(slip * V, outside), astray));
  if (!(floor > 0.0)) lifted = INFINITY;
  double least = smaller(smaller(open, sticks), smaller(slips, lifted));
  *mode = least == sticks  ? CAROM_FRICTION_STICK
          : least == open  ? CAROM_FRICTION_OPEN
          : least == slips ? CAROM_FRICTION_SLIP
                           : CAROM_FRICTION_LIFTED;
  return least;
}

void friction_judge(const friction_problem *p, friction_iterate *it) {
  int d = p->d;
  double R = 0.0, V = p->fastest / p->unit;
  for (int i = 0; i < p->n; i++) {
    R = larger(R, larger(vector_length(d, it->r + i * d), p->floor[i]) * p->scale[i]);
    V = larger(V, vector_length(d, it->v + i * d) / p->scale[i]);
  }
  it->residual = 0.0;
  it->worst = -1;
  for (int k = 0; k < d * p->n; k++)
    if (!(fabs(it->v[k]) <= MOST_SPEED) || !isfinite(it->r[k])) it->residual = INFINITY;
  if (!isfinite(R)) it->residual = INFINITY;
  for (int i = 0; i < p->n; i++) {
    double r[FRICTION_MOST], v[FRICTION_MOST];
    carom_friction_mode mode;
    for (int a = 0; a < d; a++) {
      r[a] = it->r[i * d + a] * p->scale[i];
      v[a] = it->v[i * d + a] / p->scale[i];
    }
    double e = friction_violation(d, r, v, p->mu[i], p->floor[i] * p->scale[i], R, V, &mode);
    if (e <= it->residual) continue;
    it->residual = e;
    it->worst = i;
  }
}

void friction_rate(const friction_problem *p, friction_iterate *it) {
  friction_velocities(p, it->r, true, it->v);
  friction_judge(p, it);
}

void friction_copy_iterate(const friction_problem *p, const friction_iterate *from,
                           friction_iterate *to) {
  memcpy(to->r, from->r, (size_t)(p->d * p->n) * sizeof(double));
  memcpy(to->v, from->v, (size_t)(p->d * p->n) * sizeof(double));
  to->residual = from->residual;
  to->worst = from->worst;
}

double carom_friction_residual(const carom_friction_options *o, const double *forces, double *v,
                               carom_friction_mode *modes, int *worst) {
  int d = o->dimension, rows = d * o->contacts;
  double R = 0.0, V = 0.0, most = 0.0;
  for (int i = 0; i < o->contacts; i++) {
    double sum[FRICTION_MOST] = {0.0, 0.0, 0.0};
    if (modes) modes[i] = CAROM_FRICTION_OPEN;
    for (int j = 0; o->W && j < rows; j++)
      for (int a = 0; a < d; a++)
        sum[a] += o->W[(size_t)(i * d + a) * (size_t)rows + (size_t)j] * forces[j];
    for (int k = o->W ? 0 : o->block_start[i]; !o->W && k < o->block_start[i + 1]; k++)
      for (int a = 0; a < d; a++)
        for (int b = 0; b < d; b++)
          sum[a] += o->block[(size_t)k * (size_t)(d * d) + (size_t)(a * d + b)] *
                    forces[o->block_column[k] * d + b];
    for (int a = 0; a < d; a++)
      v[i * d + a] = sum[a] + o->q[i * d + a];
    R = larger(R, larger(vector_length(d, forces + i * d), o->floor ? o->floor[i] : 0.0));
    V = larger(V, larger(vector_length(d, v + i * d), vector_length(d, o->q + i * d)));
  }
  if (worst) *worst = -1;
  for (int k = 0; k < rows; k++)
    if (!isfinite(forces[k]) || !isfinite(v[k])) return INFINITY;
  if (!isfinite(R) || !isfinite(V)) return INFINITY;
  for (int i = 0; i < o->contacts; i++) {
    carom_friction_mode mode;
    double e = friction_violation(d, forces + i * d, v + i * d, o->mu[i],
                                  o->floor ? o->floor[i] : 0.0, R, V, modes ? &modes[i] : &mode);
    if (e <= most) continue;
    most = e;
    if (worst) *worst = i;
  }
  return most;
}
