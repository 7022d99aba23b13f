// SPDX-License-Identifier: MIT
/// Least squares on exact derivatives. With r the residuals over their errors and J their
/// derivatives by the inputs, relative to the inputs' sizes, a step of Levenberg and Marquardt
/// solves (J'WJ + lambda |J'WJ|) p = -J'Wr in the eigenvectors of J'WJ; W are Huber's weights
/// (1964). Eigenvectors without eigenvalue are what the data cannot tell: no step goes along them.
#include "fit/fitting.h"

#include <math.h>
#include <string.h>

enum { MOST_ITERATIONS = 200, MOST_SWEEPS = 60 };
static const double FIRST_DAMPING = 1e-3, MOST_DAMPING = 1e12; // tuned: any will do
static const double SMALL_STEP = 1e-9; // of the inputs: what their derivatives are good for

// ---- the information matrix

// Jacobi's rotations: A becomes diagonal, rows of V its eigenvectors
static void diagonalise_matrix(int n, double A[CAROM_FIT_INPUTS][CAROM_FIT_INPUTS],
                               double V[CAROM_FIT_INPUTS][CAROM_FIT_INPUTS]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      V[i][j] = i == j ? 1.0 : 0.0;
  for (int sweep = 0; sweep < MOST_SWEEPS; sweep++) {
    double off = 0.0;
    for (int p = 0; p < n; p++)
      for (int q = p + 1; q < n; q++) {
        if (A[p][q] == 0.0) continue;
        off += fabs(A[p][q]);
        double theta = (A[q][q] - A[p][p]) / (2.0 * A[p][q]);
        double t = (theta < 0.0 ? -1.0 : 1.0) / (fabs(theta) + sqrt(theta * theta + 1.0));
        double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
        for (int k = 0; k < n; k++) {
          double a = A[k][p], b = A[k][q];
          A[k][p] = c * a - s * b;
          A[k][q] = s * a + c * b;
        }
        for (int k = 0; k < n; k++) {
          double a = A[p][k], b = A[q][k];
          A[p][k] = c * a - s * b;
          A[q][k] = s * a + c * b;
          a = V[p][k];
          b = V[q][k];
          V[p][k] = c * a - s * b;
          V[q][k] = s * a + c * b;
        }
        A[p][q] = A[q][p] = 0.0;
      }
    if (off == 0.0) return;
  }
}

static bool input_is_held(const carom_fitting *it, const carom_fit_place *at, int j) {
  const carom_fit_range *range = &it->range[j];
  return j == it->fixed || (at->x[j] <= range->low && at->gradient[j] > 0.0) ||
         (at->x[j] >= range->high && at->gradient[j] < 0.0);
}

void carom_fit_inform(const carom_fitting *it, carom_fit_place *at, bool step) {
  double A[CAROM_FIT_INPUTS][CAROM_FIT_INPUTS] = {{0.0}};
  int n = it->n;
  for (int j = 0; j < n; j++) {
    double half = 0.5 * (it->range[j].high - it->range[j].low);
    at->scale[j] = at->x[j] != 0.0 ? fabs(at->x[j]) : half;
    at->gradient[j] = 0.0;
  }
  for (long k = 0; k < it->m; k++) {
    const double *row = it->slopes + k * n;
    double weight = it->weight[k] / it->sigma[k];
    for (int i = 0; i < n; i++) {
      at->gradient[i] += weight * row[i] * at->scale[i] * it->residual[k];
      for (int j = 0; j <= i; j++)
        A[i][j] += weight * row[i] * row[j] * at->scale[i] * at->scale[j] / it->sigma[k];
    }
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++)
      A[j][i] = A[i][j];
  for (int j = 0; j < n && step; j++)
    for (int i = 0; i < n && input_is_held(it, at, j); i++)
      A[i][j] = A[j][i] = 0.0;
  diagonalise_matrix(n, A, at->vector);
  for (int k = 0; k < n; k++)
    at->value[k] = A[k][k];
}

double carom_fit_largest(const carom_fitting *it, const carom_fit_place *at) {
  double most = 0.0;
  for (int k = 0; k < it->n; k++)
    most = fmax(most, at->value[k]);
  return most;
}

// ---- steps

// how far the inputs move, relative to their sizes
static double propose_step(const carom_fitting *it, const carom_fit_place *at, double damping,
                           double *x) {
  double most = carom_fit_largest(it, at), step[CAROM_FIT_INPUTS] = {0.0}, size = 0.0;
  for (int k = 0; k < it->n; k++) {
    double along = 0.0;
    if (!(at->value[k] > CAROM_FIT_NOTHING * most)) continue;
    for (int j = 0; j < it->n; j++)
      along += input_is_held(it, at, j) ? 0.0 : at->vector[k][j] * at->gradient[j];
    for (int j = 0; j < it->n; j++)
      step[j] -= at->vector[k][j] * along / (at->value[k] + damping * most);
  }
  for (int j = 0; j < it->n; j++) {
    const carom_fit_range *range = &it->range[j];
    x[j] = fmin(fmax(at->x[j] + step[j] * at->scale[j], range->low), range->high);
    size = fmax(size, fabs(x[j] - at->x[j]) / at->scale[j]);
  }
  return size;
}

bool carom_fit_descend(carom_fitting *it, carom_fit_place *at) {
  double damping = FIRST_DAMPING;
  at->cost = carom_fitting_evaluate(it, at->x);
  if (!isfinite(at->cost)) return false;
  carom_fit_inform(it, at, true);
  for (at->iterations = 0; at->iterations < MOST_ITERATIONS; at->iterations++) {
    double x[CAROM_FIT_INPUTS], size = propose_step(it, at, damping, x);
    if (size == 0.0) return true;
    double cost = carom_fitting_evaluate(it, x);
    if (cost <= at->cost) {
      memcpy(at->x, x, sizeof x);
      at->cost = cost;
      carom_fit_inform(it, at, true);
      if (size < SMALL_STEP && damping <= 1.0) return true;
      damping *= 0.1;
    } else {
      // steps that rounding alone makes worse are none
      if (isfinite(cost) && size < SMALL_STEP) return true;
      damping *= 4.0;
      if (damping > MOST_DAMPING) return false;
    }
  }
  return false;
}

bool carom_fit_descend_by_parts(carom_fitting *it, carom_fit_place *at, int halvings) {
  bool came = false;
  for (int k = halvings; k >= 0; k--) {
    it->part = 1.0 / (double)(1L << k);
    came = carom_fit_descend(it, at); // or as far as it came: a longer part goes on from there
  }
  return came;
}
