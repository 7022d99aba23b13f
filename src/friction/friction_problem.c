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

// one look at all numbers; which of them is not finite is asked only where one is
static bool all_finite(const double *x, size_t count) {
  double sum[4] = {0.0, 0.0, 0.0, 0.0}; // of zeros, in four strands
  size_t whole = count / 4 * 4;
  for (size_t k = 0; k < whole; k += 4)
    for (int e = 0; e < 4; e++)
      sum[e] += x[k + (size_t)e] * 0.0;
  for (size_t k = whole; k < count; k++)
    sum[0] += x[k] * 0.0;
  return sum[0] + sum[1] + sum[2] + sum[3] == 0.0;
}

static carom_status check_blocks(const carom_friction_options *o, carom_error *error) {
  size_t size = (size_t)(o->dimension * o->dimension);
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
    }
  }
  size_t count = (size_t)o->block_start[o->contacts];
  if (all_finite(o->block, count * size)) return CAROM_OK;
  for (int i = 0; i < o->contacts; i++)
    for (int k = o->block_start[i]; k < o->block_start[i + 1]; k++)
      if (!all_finite(o->block + (size_t)k * size, size))
        return carom_fail(error, CAROM_ERR_NONFINITE,
                          "friction: W is not finite between contacts %d and %d", i,
                          o->block_column[k]);
  return CAROM_OK;
}

static carom_status check_dense(const carom_friction_options *o, carom_error *error) {
  size_t rows = (size_t)(o->dimension * o->contacts);
  if (all_finite(o->W, rows * rows)) return CAROM_OK;
  for (size_t k = 0; k < rows * rows; k++)
    if (!isfinite(o->W[k]))
      return carom_fail(error, CAROM_ERR_NONFINITE,
                        "friction: W is not finite at row %d, column %d", (int)(k / rows),
                        (int)(k % rows));
  return CAROM_OK;
}

static bool contacts_are_fine(const carom_friction_options *o) {
  size_t rows = (size_t)(o->dimension * o->contacts);
  int bad = 0;
  for (int i = 0; i < o->contacts; i++)
    bad |= !(o->mu[i] >= 0.0) | !(o->mu[i] <= DBL_MAX);
  for (int i = 0; o->floor && i < o->contacts; i++)
    bad |= !(o->floor[i] >= 0.0) | !(o->floor[i] <= DBL_MAX);
  return !bad && all_finite(o->q, rows) && (!o->start || all_finite(o->start, rows));
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
  if (!all_finite(o->q + i * d, (size_t)d))
    return carom_fail(error, CAROM_ERR_NONFINITE, "friction: q is not finite at contact %d", i);
  if (o->start && !all_finite(o->start + i * d, (size_t)d))
    return carom_fail(error, CAROM_ERR_NONFINITE, "friction: start is not finite at contact %d", i);
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
  bool fine = contacts_are_fine(o);
  for (int i = 0; i < o->contacts && !fine && !status; i++)
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

// the power of two next to 1/sqrt(x) by ratio, from the exponent of x > 0 alone
static double power_near_root(double x) {
  uint64_t bits;
  if (!(x > 0.0)) return 1.0;
  if (x < DBL_MIN) x = DBL_MIN;
  memcpy(&bits, &x, sizeof bits);
  bits = (1535 - (((bits >> 52) + 2) >> 1)) << 52;
  memcpy(&x, &bits, sizeof x);
  return x;
}

// Blocks that are as wanted are copied in one piece: columns ascending, with the diagonal, each
// once.
static bool take_ordered_blocks(const carom_friction_options *o, friction_problem *p) {
  for (int i = 0; i < p->n; i++) {
    int diagonal = -1;
    for (int k = o->block_start[i]; k < o->block_start[i + 1]; k++) {
      if (k > o->block_start[i] && o->block_column[k] <= o->block_column[k - 1]) return false;
      if (o->block_column[k] == i) diagonal = k;
    }
    if (diagonal < 0) return false;
    p->diagonal[i] = diagonal;
  }
  size_t count = (size_t)o->block_start[p->n], size = (size_t)(p->d * p->d);
  memcpy(p->start, o->block_start, (size_t)(p->n + 1) * sizeof(int));
  memcpy(p->column, o->block_column, count * sizeof(int));
  memcpy(p->block, o->block, count * size * sizeof(double));
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

static void take_blocks(const carom_friction_options *o, carom_friction_workspace *w) {
  friction_problem *p = &w->problem;
  p->start[0] = 0;
  if (p->n == 0 || (!o->W && take_ordered_blocks(o, p))) return;
  for (int i = 0; i < p->n; i++)
    take_row(o, w, i);
}

static inline void scale_blocks(friction_problem *p, int d) {
  for (int i = 0; i < p->n; i++)
    for (int k = p->start[i]; k < p->start[i + 1]; k++) {
      int j = p->column[k];
      double *x = p->block + (size_t)k * (size_t)(d * d), both = p->scale[i] * p->scale[j];
      for (int a = 0; a < d; a++)
        for (int b = 0; b < d; b++, x++)
          *x *= both * p->turn[i * d + a] * p->turn[j * d + b];
    }
}

double friction_largest(const friction_problem *p) {
  double most = 0.0;
  for (int e = 0; e < p->start[p->n] * p->d * p->d; e++)
    most = larger(most, fabs(p->block[e]));
  return most;
}

// of many lengths the root of the largest square is the largest
static inline double square_of(int d, const double *x) {
  double sum = 0.0;
  for (int a = 0; a < d; a++)
    sum += x[a] * x[a];
  return sum;
}

static inline double vector_length(int d, const double *x) {
  return d == 1 ? fabs(x[0]) : sqrt(square_of(d, x));
}

// The unit of contact i is the root of the largest entry of its diagonal block; where that is zero
// (nothing moves by its own force) those of the whole row and column are no measure either: 1.
static inline void choose_scales(friction_problem *p, int d) {
  for (int i = 0; i < p->n; i++) {
    const double *D = p->block + (size_t)p->diagonal[i] * (size_t)(d * d);
    double own = 0.0;
    for (int a = 0; a < d; a++)
      own = larger(own, fabs(D[a * d + a]));
    p->step[i] = own;
    p->scale[i] = power_near_root(own);
  }
  for (int i = 0; i < p->n; i++) {
    double own = p->step[i], scaled = own * p->scale[i] * p->scale[i];
    p->back[i] = 1.0 / p->scale[i];
    p->step[i] = 1.0 / (own > 0.0 ? scaled : 1.0);
  }
}

static inline void scale_velocities(const carom_friction_options *o, friction_problem *p, int d) {
  double most = 0.0, fastest = 0.0;
  for (int i = 0; i < p->n; i++) {
    fastest = larger(fastest, square_of(d, o->q + i * d));
    for (int a = 0; a < d; a++) {
      double q = o->q[i * d + a];
      most = larger(most, fabs(q * p->scale[i]));
      p->turn[i * d + a] = a > 0 && q < 0.0 ? -1.0 : 1.0;
    }
  }
  for (int i = 0; o->floor && i < p->n; i++)
    most = larger(most, o->floor[i] * p->back[i]);
  p->fastest = sqrt(fastest);
  p->unit = power_near(most);
  double fine = 1.0 / p->unit;
  for (int i = 0; i < p->n; i++)
    for (int a = 0; a < d; a++)
      p->q[i * d + a] = o->q[i * d + a] * p->turn[i * d + a] * (p->scale[i] * fine);
  for (int i = 0; i < p->n; i++)
    p->floor[i] = o->floor ? o->floor[i] * p->back[i] * fine : 0.0;
}

static inline void scale_problem(const carom_friction_options *o, friction_problem *p, int d) {
  p->frictionless = true;
  for (int i = 0; i < p->n; i++) {
    p->mu[i] = o->mu[i];
    p->frictionless = p->frictionless && !(o->mu[i] > 0.0);
  }
  choose_scales(p, d);
  scale_velocities(o, p, d);
  scale_blocks(p, d);
}

void friction_scale(const carom_friction_options *o, carom_friction_workspace *w) {
  friction_problem *p = &w->problem;
  p->d = o->dimension;
  p->n = o->contacts;
  take_blocks(o, w);
  if (p->d == 2)
    scale_problem(o, p, 2);
  else
    scale_problem(o, p, 3);
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

// The violation of the law at one contact, see carom_friction_view; R and V are one over the
// largest force and velocity.
static inline double violation_of(int d, const double *r, const double *v, double mu, double floor,
                                  double R, double V, carom_friction_mode *mode) {
  if (!(floor > 0.0) && v[0] > 0.0 && r[0] == 0.0 && r[1] == 0.0 && (d == 2 || r[2] == 0.0)) {
    *mode = CAROM_FRICTION_OPEN;
    return 0.0;
  }
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

static double one_over(double x) { return x > 0.0 ? 1.0 / x : 0.0; }

// forces and velocities of contact i as the caller measures them, up to the unit of q
static inline void unscale_contact(const friction_problem *p, int d, const friction_iterate *it,
                                   int i, double *r, double *v) {
  for (int a = 0; a < d; a++) {
    r[a] = it->r[i * d + a] * p->scale[i];
    v[a] = it->v[i * d + a] * p->back[i];
  }
}

static inline void judge_contacts(const friction_problem *p, int d, friction_iterate *it) {
  double R = 0.0, V = 0.0, floors = 0.0, r[FRICTION_MOST], v[FRICTION_MOST];
  int lost = 0;
  for (int i = 0; i < p->n; i++) {
    unscale_contact(p, d, it, i, r, v);
    R = larger(R, square_of(d, r));
    V = larger(V, square_of(d, v));
    floors = larger(floors, p->floor[i] * p->scale[i]);
    for (int k = i * d; k < (i + 1) * d; k++)
      lost |= !(fabs(it->v[k]) <= MOST_SPEED) | !(fabs(it->r[k]) <= DBL_MAX);
  }
  it->residual = lost || !isfinite(R) ? INFINITY : 0.0;
  it->worst = -1;
  R = one_over(larger(sqrt(R), floors));
  V = one_over(larger(sqrt(V), p->fastest / p->unit));
  for (int i = 0; i < p->n; i++) {
    carom_friction_mode mode;
    unscale_contact(p, d, it, i, r, v);
    double e = violation_of(d, r, v, p->mu[i], p->floor[i] * p->scale[i], R, V, &mode);
    if (e <= it->residual) continue;
    it->residual = e;
    it->worst = i;
  }
}

void friction_judge(const friction_problem *p, friction_iterate *it) {
  if (p->d == 2)
    judge_contacts(p, 2, it);
  else
    judge_contacts(p, 3, it);
}

void friction_rate(const friction_problem *p, friction_iterate *it) {
  friction_velocities(p, it->r, true, it->v);
  friction_judge(p, it);
}

void friction_copy_forces(const friction_problem *p, const friction_iterate *from,
                          friction_iterate *to) {
  memcpy(to->r, from->r, (size_t)(p->d * p->n) * sizeof(double));
}

void friction_copy_iterate(const friction_problem *p, const friction_iterate *from,
                           friction_iterate *to) {
  memcpy(to->r, from->r, (size_t)(p->d * p->n) * sizeof(double));
  memcpy(to->v, from->v, (size_t)(p->d * p->n) * sizeof(double));
  to->residual = from->residual;
  to->worst = from->worst;
}

// W r of contact i from the caller's own numbers
static inline void add_response(const carom_friction_options *o, int d, const double *forces, int i,
                                double *sum) {
  int rows = d * o->contacts;
  if (o->W) {
    for (int j = 0; j < rows; j++)
      for (int a = 0; a < d; a++)
        sum[a] += o->W[(size_t)(i * d + a) * (size_t)rows + (size_t)j] * forces[j];
    return;
  }
  for (int k = o->block_start[i]; k < o->block_start[i + 1]; k++) {
    const double *A = o->block + (size_t)k * (size_t)(d * d), *x = forces + o->block_column[k] * d;
    for (int a = 0; a < d; a++)
      for (int b = 0; b < d; b++)
        sum[a] += A[a * d + b] * x[b];
  }
}

static inline double find_residual(const carom_friction_options *o, int d, const double *forces,
                                   double *v, carom_friction_mode *modes, int *worst) {
  double R = 0.0, V = 0.0, floors = 0.0, most = 0.0;
  int lost = 0;
  if (worst) *worst = -1;
  for (int i = 0; i < o->contacts; i++) {
    double sum[FRICTION_MOST] = {0.0, 0.0, 0.0};
    if (modes) modes[i] = CAROM_FRICTION_OPEN;
    add_response(o, d, forces, i, sum);
    for (int a = 0; a < d; a++) {
      v[i * d + a] = sum[a] + o->q[i * d + a];
      lost |= !(fabs(v[i * d + a]) <= DBL_MAX) | !(fabs(forces[i * d + a]) <= DBL_MAX);
    }
    R = larger(R, square_of(d, forces + i * d));
    V = larger(V, larger(square_of(d, v + i * d), square_of(d, o->q + i * d)));
    if (o->floor) floors = larger(floors, o->floor[i]);
  }
  if (lost || !isfinite(R) || !isfinite(V)) return INFINITY;
  R = one_over(larger(sqrt(R), floors));
  V = one_over(sqrt(V));
  for (int i = 0; i < o->contacts; i++) {
    carom_friction_mode mode;
    double e = violation_of(d, forces + i * d, v + i * d, o->mu[i], o->floor ? o->floor[i] : 0.0, R,
                            V, modes ? &modes[i] : &mode);
    if (e <= most) continue;
    most = e;
    if (worst) *worst = i;
  }
  return most;
}

double carom_friction_residual(const carom_friction_options *o, const double *forces, double *v,
                               carom_friction_mode *modes, int *worst) {
  return o->dimension == 2 ? find_residual(o, 2, forces, v, modes, worst)
                           : find_residual(o, 3, forces, v, modes, worst);
}
