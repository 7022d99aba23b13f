// SPDX-License-Identifier: MIT
/// Coefficients of normal forms (Kuznetsov, Elements of Applied Bifurcation Theory, 3rd ed., 5.4).
/// With the return map x -> M x + B(x,x)/2 + C(x,x,x)/6 + ..., M q = mu q, p M = mu p, p q = 1:
///   flip   b = p [C(q,q,q) + 3 B(q, (1 - M)^-1 B(q,q))] / 6
///   torus  d = Re(conj(mu) p [C(q,q,q*) + 2 B(q, (1 - M)^-1 B(q,q*)) + B(q*, (mu^2 - M)^-1
///   B(q,q))]) / 2
/// M is exact (tangent dynamics, with the return to the plane where a turn of a motion without
/// drive begins). B(v,.) and C(v,v,.) are differences of M along v, of order 4, and their error is
/// how far those of twice the step differ. An equilibrium is looked at through its flow over a time
/// h: there d is h times the real part of the cubic coefficient, and h omega the angle of mu, so
/// that the first Lyapunov coefficient is d over that angle.
#include "analysis/criticality.h"

#include "base/elementary.h"
#include "base/linear.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RETURNS = 8, ITERATIONS = 4, TRIALS = 4, PLACES = 3 };
enum { LONGER = 6 }; // powers of ten that steps may be longer by
static const double PLACED =
    1e-10; // places are that near to the curve: of the terms that may cancel
static const double STEP = 8e-3, STEP_AT_REST = 2e-2;     // of the sizes of the unknowns
static const double KNOWN = 1e-10, KNOWN_AT_REST = 1e-13; // to which M is, relative to its largest
static const double DOUBT = 100.0; // errors that a coefficient is away from zero where it is sure
static const double ASIDE = 1e-7;  // of a multiplier, for inverse iteration
static const double RETURNED = 1e-13; // of the period

typedef struct work {
  carom_orbit_map *map;
  int n;
  double *x;           // where the turn begins, and the period
  double *M;           // there
  double *sides;       // M at places beside it, -1 and +1 for each of PLACES
  double *B[2], *C[2]; // along the real and the imaginary part of q, for two steps
  double *q, *w, *y;   // 2 n each: real parts, then imaginary ones
  double *A, *right;   // room of (2 n)^2 and 2 n
  int *pivot;
  double longer; // factor of all steps
  double noise;  // of C, by what M is known to
  const char *word;
} work;

// --- the return map

// d return / d x: past the turn, along the motion back onto the plane where it began
static void project_to_return(const carom_orbit_map *map, double *M) {
  int n = map->count;
  double through = 0.0;
  for (int i = 0; i < n; i++)
    through += map->begin.across[i] * map->found.rate[map->which[i]];
  for (int j = 0; j < n; j++) {
    double along = 0.0;
    for (int i = 0; i < n; i++)
      along += map->begin.across[i] * M[i * n + j];
    for (int i = 0; i < n; i++)
      M[i * n + j] -= map->found.rate[map->which[i]] * along / through;
  }
}

// one turn; of a motion without drive until it is back on the plane
static carom_status come_back(work *it, double *x) {
  carom_orbit_map *map = it->map;
  if (!carom_orbit_has_period(map)) return carom_orbit_map_turn(map, x, 0.0, true, NULL);
  for (int round = 0; round < RETURNS; round++) {
    double miss = 0.0, through = 0.0;
    carom_status status = carom_orbit_map_turn(map, x, 0.0, true, NULL);
    if (status != CAROM_OK) return status;
    for (int i = 0; i < it->n; i++) {
      miss += map->begin.across[i] * (map->found.end[map->which[i]] - map->begin.anchor[i]);
      through += map->begin.across[i] * map->found.rate[map->which[i]];
    }
    double late = miss / through;
    if (!isfinite(late)) return CAROM_ERR_NO_CONVERGENCE;
    if (fabs(late) <= RETURNED * x[it->n]) return CAROM_OK;
    x[it->n] -= late;
  }
  return CAROM_OK;
}

// M at x + s v. CAROM_ERR_NO_CONVERGENCE: the word is another one there
static carom_status derive_at(work *it, const double *v, double s, double *M) {
  double x[CAROM_DENSE_MOST];
  memcpy(x, it->x, (size_t)(it->n + 1) * sizeof *x);
  for (int i = 0; i < it->n && v; i++)
    x[i] += s * v[i];
  carom_status status = come_back(it, x);
  if (status != CAROM_OK) return status;
  if (v && strcmp(it->map->derived.word, it->word) != 0) return CAROM_ERR_NO_CONVERGENCE;
  memcpy(M, it->map->found.matrix, (size_t)(it->n * it->n) * sizeof *M);
  if (carom_orbit_has_period(it->map)) project_to_return(it->map, M);
  return CAROM_OK;
}

// --- differences

// B(v,.) and C(v,v,.) by steps of 1 and of 2 units, of order 4; the second behind the first
static carom_status difference_twice(work *it, const double *v, double step, double *B, double *C) {
  static const double places[PLACES] = {1.0, 2.0, 4.0};
  size_t m = (size_t)(it->n * it->n);
  for (int k = 0; k < PLACES; k++)
    for (int side = 0; side < 2; side++) {
      carom_status status = derive_at(it, v, (side == 0 ? -1.0 : 1.0) * places[k] * step,
                                      it->sides + (size_t)(2 * k + side) * m);
      if (status != CAROM_OK) return status;
    }
  double known = it->map->kind.rest ? KNOWN_AT_REST : KNOWN;
  it->noise = fmax(it->noise, 6.0 * known * carom_norm_max((int)m, it->M) / (step * step));
  for (int twice = 0; twice < 2; twice++) {
    const double *near = it->sides + (size_t)(2 * twice) * m, *far = near + 2 * m;
    double h = step * places[twice];
    for (size_t k = 0; k < m; k++) {
      double odd = near[m + k] - near[k], wide = far[m + k] - far[k];
      double even = near[m + k] - 2.0 * it->M[k] + near[k],
             broad = far[m + k] - 2.0 * it->M[k] + far[k];
      B[(size_t)twice * m + k] = (8.0 * odd - wide) / (12.0 * h);
      C[(size_t)twice * m + k] = (16.0 * even - broad) / (12.0 * h * h);
    }
  }
  return CAROM_OK;
}

// as long as the sizes of the unknowns allow; shorter where the word ends on the way
static carom_status difference_safely(work *it, const double *v, double *B, double *C) {
  double longest = 0.0, step = it->longer * (it->map->kind.rest ? STEP_AT_REST : STEP);
  for (int i = 0; i < it->n; i++)
    longest = fmax(longest, fabs(v[i]) / it->map->units.scale[i]);
  if (!(longest > 0.0)) return CAROM_ERR_NO_CONVERGENCE;
  carom_status status = CAROM_ERR_NO_CONVERGENCE;
  for (int k = 0; k < TRIALS && status != CAROM_OK && status != CAROM_STOP_USER; k++)
    status = difference_twice(it, v, step / longest * ldexp(1.0, -2 * k), B, C);
  return status;
}

// --- complex vectors: real parts, then imaginary ones

// x = (re + i im - M)^-1 x, or with the transpose
static bool solve_shifted(work *it, bool transposed, double re, double im, double *x) {
  int n = it->n, m = 2 * n;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double a = (i == j ? re : 0.0) - (transposed ? it->M[j * n + i] : it->M[i * n + j]),
             b = i == j ? im : 0.0;
      it->A[i * m + j] = it->A[(n + i) * m + n + j] = a;
      it->A[i * m + n + j] = -b;
      it->A[(n + i) * m + j] = b;
    }
  return carom_solve_general(m, it->A, x, it->pivot);
}

static bool find_vector(work *it, bool transposed, double re, double im, double *x) {
  int n = it->n;
  for (int i = 0; i < 2 * n; i++)
    x[i] = i < n ? 1.0 / (1.0 + i) : 0.3 / (2.0 + i);
  for (int k = 0; k < ITERATIONS; k++) {
    if (im == 0.0) memset(x + n, 0, (size_t)n * sizeof *x);
    if (!solve_shifted(it, transposed, re * (1.0 + ASIDE), im * (1.0 + ASIDE), x)) return false;
    double length = sqrt(carom_dot(2 * n, x, x));
    if (!(length > 0.0) || !isfinite(length)) return false;
    for (int i = 0; i < 2 * n; i++)
      x[i] /= length;
  }
  return true;
}

// w v, without conjugation
static void multiply_complex(int n, const double *w, const double *v, double *re, double *im) {
  *re = carom_dot(n, w, v) - carom_dot(n, w + n, v + n);
  *im = carom_dot(n, w, v + n) + carom_dot(n, w + n, v);
}

// out += (a + i b) D v
static void add_applied(int n, const double *D, double a, double b, const double *v, double *out) {
  for (int i = 0; i < n; i++) {
    double re = carom_dot(n, D + i * n, v), im = carom_dot(n, D + i * n, v + n);
    out[i] += a * re - b * im;
    out[n + i] += a * im + b * re;
  }
}

// p becomes such that p q = 1
static bool find_pair_of_vectors(work *it, double re, double im) {
  double a, b;
  if (!find_vector(it, false, re, im, it->q) || !find_vector(it, true, re, im, it->w)) return false;
  multiply_complex(it->n, it->w, it->q, &a, &b);
  double square = a * a + b * b;
  if (!(square > 0.0)) return false;
  for (int i = 0; i < it->n; i++) {
    double u = it->w[i], v = it->w[it->n + i];
    it->w[i] = (u * a + v * b) / square;
    it->w[it->n + i] = (v * a - u * b) / square;
  }
  return true;
}

// --- coefficients, by the first differences or the second ones

// out += B(q,v), or B(q*,v)
static void add_bent(const work *it, int which, bool conjugate, double factor, const double *v,
                     double *out) {
  size_t m = (size_t)(it->n * it->n) * (size_t)which;
  add_applied(it->n, it->B[0] + m, factor, 0.0, v, out);
  if (it->B[1]) add_applied(it->n, it->B[1] + m, 0.0, conjugate ? -factor : factor, v, out);
}

/// The sum w y while terms are added to y, and how large they are together.
typedef struct terms {
  double re, im, size;
} terms;

static void count_term(const work *it, terms *sum) {
  double re, im;
  multiply_complex(it->n, it->w, it->y, &re, &im);
  sum->size += carom_hypot(re - sum->re, im - sum->im);
  sum->re = re;
  sum->im = im;
}

static bool find_flip(work *it, int which, double *value, double *size) {
  int n = it->n;
  double *y = it->y, *z = it->right;
  terms sum = {0};
  memset(z, 0, 2 * (size_t)n * sizeof *z);
  add_bent(it, which, false, 1.0, it->q, z);
  if (!solve_shifted(it, false, 1.0, 0.0, z)) return false;
  memset(y, 0, 2 * (size_t)n * sizeof *y);
  add_bent(it, which, false, 3.0, z, y);
  count_term(it, &sum);
  add_applied(n, it->C[0] + (size_t)which * (size_t)(n * n), 1.0, 0.0, it->q, y);
  count_term(it, &sum);
  *value = sum.re / 6.0;
  *size = sum.size / 6.0;
  return isfinite(*value);
}

static bool find_torus(work *it, int which, double re, double im, double *value, double *size) {
  int n = it->n;
  terms sum = {0};
  size_t m = (size_t)(n * n) * (size_t)which, bytes = 2 * (size_t)n * sizeof(double);
  double *y = it->y, *z = it->right, conjugate[2 * CAROM_ORBIT_STATES];
  for (int i = 0; i < 2 * n; i++)
    conjugate[i] = i < n ? it->q[i] : -it->q[i];
  memset(y, 0, bytes);
  // C(q,q*,q) is that along the real part and that along the imaginary part together
  add_applied(n, it->C[0] + m, 1.0, 0.0, it->q, y);
  add_applied(n, it->C[1] + m, 1.0, 0.0, it->q, y);
  count_term(it, &sum);
  memset(z, 0, bytes);
  add_bent(it, which, false, 1.0, conjugate, z);
  if (!solve_shifted(it, false, 1.0, 0.0, z)) return false;
  add_bent(it, which, false, 2.0, z, y);
  count_term(it, &sum);
  memset(z, 0, bytes);
  add_bent(it, which, false, 1.0, it->q, z);
  if (!solve_shifted(it, false, re * re - im * im, 2.0 * re * im, z)) return false;
  add_bent(it, which, true, 1.0, z, y);
  count_term(it, &sum);
  *value = 0.5 * (re * sum.re + im * sum.im);
  *size = 0.5 * sum.size;
  return isfinite(*value);
}

static bool find_both(work *it, double re, double im, carom_criticality *found) {
  double value[2], size;
  bool flip = im == 0.0;
  for (int which = 0; which < 2; which++)
    if (!(flip ? find_flip(it, which, &value[which], &size)
               : find_torus(it, which, re, im, &value[which], &size)))
      return false;
  // of an equilibrium: over the angle of its turn
  double over = it->map->kind.rest ? carom_atan2(im, re) : 1.0;
  double rounding = it->noise * sqrt(carom_dot(2 * it->n, it->w, it->w)) * (flip ? 1.0 / 6.0 : 0.5);
  double error = fabs(value[1] - value[0]) + rounding + PLACED * size;
  *found = (carom_criticality){value[0] / over, error / fabs(over)};
  return true;
}

// --- all together

static bool make_room(work *it) {
  size_t n = (size_t)it->n, m = n * n;
  double *room = calloc(n + 1 + m + 2 * PLACES * m + 8 * m + 4 * m + 8 * n, sizeof *room);
  it->pivot = calloc(2 * n + 1, sizeof *it->pivot);
  it->x = room;
  if (!room || !it->pivot) return false;
  it->M = room + n + 1;
  it->sides = it->M + m;
  it->B[0] = it->sides + 2 * PLACES * m;
  it->B[1] = it->B[0] + 2 * m;
  it->C[0] = it->B[1] + 2 * m;
  it->C[1] = it->C[0] + 2 * m;
  it->A = it->C[1] + 2 * m;
  it->q = it->A + 4 * m;
  it->w = it->q + 2 * n;
  it->y = it->w + 2 * n;
  it->right = it->y + 2 * n;
  return true;
}

static carom_status find_with(work *it, double longer, double re, double im,
                              carom_criticality *found) {
  it->longer = longer;
  it->noise = 0.0;
  carom_status status = difference_safely(it, it->q, it->B[0], it->C[0]);
  if (status == CAROM_OK && im != 0.0)
    status = difference_safely(it, it->q + it->n, it->B[1], it->C[1]);
  if (status != CAROM_OK) return status;
  return find_both(it, re, im, found) ? CAROM_OK : CAROM_ERR_NO_CONVERGENCE;
}

// A state that does not move has no size of its own: where rounding says more than the motion,
// longer steps are tried
static carom_status find_coefficients(work *it, double re, double im, carom_criticality *found) {
  carom_status status = derive_at(it, NULL, 0.0, it->M);
  if (status != CAROM_OK) return status;
  if (strcmp(it->map->derived.word, it->word) != 0) return CAROM_ERR_NO_CONVERGENCE;
  if (!find_pair_of_vectors(it, re, im)) return CAROM_ERR_NO_CONVERGENCE;
  status = find_with(it, 1.0, re, im, found);
  double longer = 1.0;
  for (int k = 0; k < LONGER && status == CAROM_OK; k++) {
    carom_criticality other;
    longer *= 10.0;
    if (fabs(found->value) > DOUBT * found->error) break;
    carom_status tried = find_with(it, longer, re, im, &other);
    if (tried == CAROM_STOP_USER || tried == CAROM_ERR_MEMORY) return tried;
    if (tried != CAROM_OK || !(other.error < found->error)) break;
    *found = other;
  }
  return status;
}

carom_status carom_criticality_find(carom_orbit_map *map, const char *word, const double *x,
                                    carom_branch_label kind, double re, double im,
                                    carom_criticality *found) {
  *found = (carom_criticality){NAN, NAN};
  bool flip = kind == CAROM_LABEL_FLIP;
  if (!map->maker.engine->tangent.begin || map->kind.family) return CAROM_OK;
  work *it = calloc(1, sizeof *it);
  carom_orbit_map *copy = malloc(sizeof *copy);
  carom_status status = CAROM_ERR_MEMORY;
  if (it && copy) {
    *copy = *map;
    carom_orbit_free_word(copy);
    *it = (work){.map = copy, .n = map->count, .word = word};
    status = make_room(it) ? CAROM_OK : CAROM_ERR_MEMORY;
  }
  if (status == CAROM_OK) {
    double modulus = carom_hypot(re, im);
    memcpy(it->x, x, (size_t)(it->n + carom_orbit_has_period(map)) * sizeof *it->x);
    if (flip) it->B[1] = NULL;
    status = find_coefficients(it, flip ? -1.0 : re / modulus, flip ? 0.0 : im / modulus, found);
    carom_orbit_count_turns(map, copy->turns_made);
  }
  if (it) {
    free(it->x);
    free(it->pivot);
  }
  free(it);
  free(copy);
  bool unknown = status != CAROM_OK && status != CAROM_STOP_USER && status != CAROM_ERR_MEMORY;
  return unknown ? CAROM_OK : status;
}
