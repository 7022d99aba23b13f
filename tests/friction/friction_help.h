// SPDX-License-Identifier: MIT
/// Problems for the friction solver, and a judge of its answers that shares nothing with it: the
/// residual of carom/friction.h from its definition, in extended precision.
#ifndef CAROM_TESTS_FRICTION_HELP_H
#define CAROM_TESTS_FRICTION_HELP_H

#include "carom/friction.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// A problem that owns its arrays; W dense.
typedef struct posed {
  int d, n;
  double *W, *q, *mu, *floor;
} posed;

static inline posed pose(int d, int n) {
  size_t rows = (size_t)(d * n);
  posed p = {d,
             n,
             calloc(rows * rows + 1, sizeof(double)),
             calloc(rows + 1, sizeof(double)),
             calloc((size_t)n + 1, sizeof(double)),
             calloc((size_t)n + 1, sizeof(double))};
  return p;
}

static inline void dispose(posed *p) {
  free(p->W);
  free(p->q);
  free(p->mu);
  free(p->floor);
}

static inline carom_friction_options ask(const posed *p) {
  carom_friction_options o = carom_friction_options_default();
  o.dimension = p->d;
  o.contacts = p->n;
  o.W = p->W;
  o.q = p->q;
  o.mu = p->mu;
  o.floor = p->floor;
  return o;
}

static inline carom_friction_solution *solve(const carom_friction_options *o) {
  carom_friction_solution *solution = NULL;
  carom_error error = {0};
  if (carom_friction_solve(o, &solution, &error)) {
    (void)fprintf(stderr, "%s\n", error.text);
    abort();
  }
  return solution;
}

static inline long double long_length(int count, const long double *x) {
  long double sum = 0;
  for (int k = 0; k < count; k++)
    sum += x[k] * x[k];
  return sqrtl(sum);
}

static inline long double largest_of(long double a, long double b, long double c) {
  long double most = a > b ? a : b;
  return most > c ? most : c;
}

// how far one contact is from the law, by the mode that fits best
static inline long double violation_of(int d, const long double *r, const long double *v,
                                       long double mu, long double floor, long double R,
                                       long double V) {
  long double slip = long_length(d - 1, v + 1), astray[2] = {0, 0};
  long double inside = (long_length(d - 1, r + 1) - mu * r[0]) / R, less = (floor - r[0]) / R;
  for (int a = 1; a < d; a++)
    astray[a - 1] = slip > 0 ? r[a] + mu * r[0] * v[a] / slip : 0;
  long double against = slip > 0 ? long_length(d - 1, astray) / R : 1e30L;
  long double sticking = largest_of(long_length(d, v) / V, less, inside);
  long double slipping = largest_of(fabsl(v[0]) / V, less, against);
  long double open = floor > 0 ? 1e30L : largest_of(long_length(d, r) / R, -v[0] / V, 0);
  long double resting = largest_of(slip / V, inside, 0);
  long double lifted =
      largest_of(-v[0] / V, fabsl(r[0] - floor) / R, resting < against ? resting : against);
  if (!(floor > 0)) lifted = 1e30L;
  long double least = sticking < slipping ? sticking : slipping;
  if (open < least) least = open;
  if (lifted < least) least = lifted;
  return least > 0 ? least : 0;
}

/// The residual of forces, from W, q and mu alone.
static inline double residual_of(const posed *p, const double *forces) {
  int rows = p->d * p->n;
  long double *v = calloc((size_t)rows + 1, sizeof *v), *r = calloc((size_t)rows + 1, sizeof *r);
  long double R = 0, V = 0, most = 0;
  for (int i = 0; i < rows; i++) {
    r[i] = forces[i];
    v[i] = p->q[i];
    for (int j = 0; j < rows; j++)
      v[i] += (long double)p->W[(size_t)i * (size_t)rows + (size_t)j] * forces[j];
  }
  for (int i = 0; i < p->n; i++) {
    long double q[3] = {0, 0, 0};
    for (int a = 0; a < p->d; a++)
      q[a] = p->q[i * p->d + a];
    R = largest_of(R, long_length(p->d, r + i * p->d), p->floor[i]);
    V = largest_of(V, long_length(p->d, v + i * p->d), long_length(p->d, q));
  }
  if (!(R > 0)) R = 1;
  if (!(V > 0)) V = 1;
  for (int i = 0; i < p->n; i++) {
    long double e = violation_of(p->d, r + i * p->d, v + i * p->d, p->mu[i], p->floor[i], R, V);
    if (!(e <= most)) most = e;
  }
  free(v);
  free(r);
  return (double)most;
}

/// Reads a file of tests/friction/problems; n = 0 where it cannot be read.
static inline posed read_problem(const char *path) {
  posed none = {0};
  char line[512];
  int d = 0, n = 0, i, j;
  FILE *file = fopen(path, "r");
  if (!file) return none;
  if (!fgets(line, sizeof line, file) || fscanf(file, "%d %d", &d, &n) != 2) {
    (void)fclose(file);
    return none;
  }
  posed p = pose(d, n);
  int good = 1;
  for (int k = 0; k < n && good; k++) {
    good = fscanf(file, "%lf", &p.mu[k]) == 1;
    for (int a = 0; a < d && good; a++)
      good = fscanf(file, "%lf", &p.q[k * d + a]) == 1;
  }
  while (good && fscanf(file, "%d %d", &i, &j) == 2)
    for (int e = 0; e < d * d && good; e++)
      good = fscanf(file, "%lf",
                    &p.W[(size_t)(i * d + e / d) * (size_t)(d * n) + (size_t)(j * d + e % d)]) == 1;
  (void)fclose(file);
  if (good) return p;
  dispose(&p);
  return none;
}

// a small reproducible sequence in [-1, 1]
static inline double noise(unsigned *state) {
  *state = *state * 1664525u + 1013904223u;
  return (double)(*state >> 8) / 8388608.0 - 1.0;
}

/// W = J J^T of random Jacobians with `freedoms` columns: of rank `freedoms` at most.
static inline void random_matrix(posed *p, int freedoms, unsigned *state) {
  int rows = p->d * p->n;
  double *J = calloc((size_t)(rows * freedoms), sizeof *J);
  for (int k = 0; k < rows * freedoms; k++)
    J[k] = noise(state);
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < rows; j++) {
      double sum = 0;
      for (int f = 0; f < freedoms; f++)
        sum += J[i * freedoms + f] * J[j * freedoms + f];
      p->W[(size_t)i * (size_t)rows + (size_t)j] = sum;
    }
  free(J);
}

/// Sets q so that random forces of random modes are a solution: existence is known.
static inline void construct(posed *p, unsigned *state) {
  int rows = p->d * p->n, d = p->d;
  double *r = calloc((size_t)rows, sizeof *r), *v = calloc((size_t)rows, sizeof *v);
  for (int i = 0; i < p->n; i++) {
    double mode = noise(state), t[2] = {noise(state), noise(state)};
    double size = d == 3 ? sqrt(t[0] * t[0] + t[1] * t[1]) : fabs(t[0]);
    double normal = 1.0 + 0.5 * noise(state);
    if (mode < -0.4) {
      v[i * d] = normal;
      for (int a = 1; a < d; a++)
        v[i * d + a] = noise(state);
      continue;
    }
    r[i * d] = normal;
    double share =
        mode < 0.3 ? -p->mu[i] * normal / size : 0.7 * p->mu[i] * normal * noise(state) / size;
    for (int a = 1; a < d; a++) {
      r[i * d + a] = share * t[a - 1];
      if (mode < 0.3) v[i * d + a] = t[a - 1];
    }
  }
  for (int i = 0; i < rows; i++) {
    p->q[i] = v[i];
    for (int j = 0; j < rows; j++)
      p->q[i] -= p->W[(size_t)i * (size_t)rows + (size_t)j] * r[j];
  }
  free(r);
  free(v);
}

#endif
