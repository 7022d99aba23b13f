// SPDX-License-Identifier: MIT
#include "base/linear.h"

#include <math.h>

// A(order,order) = L L^T down to the first pivot that is too small; L in the lower triangle
static int pivoted_cholesky(int n, double *A, double drop, int *order) {
  double largest = 0.0;
  for (int i = 0; i < n; i++) {
    order[i] = i;
    largest = fmax(largest, A[i * n + i]);
  }
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int i = k + 1; i < n; i++)
      if (A[order[i] * n + order[i]] > A[order[best] * n + order[best]]) best = i;
    int row = order[best];
    order[best] = order[k];
    order[k] = row;
    double pivot = A[row * n + row];
    if (!(pivot > drop * largest)) return k;
    double root = sqrt(pivot);
    A[row * n + row] = root;
    for (int i = k + 1; i < n; i++)
      A[order[i] * n + row] /= root;
    for (int i = k + 1; i < n; i++)
      for (int j = k + 1; j <= i; j++) {
        double update = A[order[i] * n + row] * A[order[j] * n + row];
        A[order[i] * n + order[j]] -= update;
        if (i != j) A[order[j] * n + order[i]] = A[order[i] * n + order[j]];
      }
  }
  return n;
}

int carom_solve_semidefinite(int n, double *A, double *b, double drop, int *order) {
  int rank = pivoted_cholesky(n, A, drop, order);
  // forward, then backward substitution over the independent rows
  for (int k = 0; k < rank; k++) {
    double sum = b[order[k]];
    for (int j = 0; j < k; j++)
      sum -= A[order[k] * n + order[j]] * b[order[j]];
    b[order[k]] = sum / A[order[k] * n + order[k]];
  }
  for (int k = rank - 1; k >= 0; k--) {
    double sum = b[order[k]];
    for (int j = k + 1; j < rank; j++)
      sum -= A[order[j] * n + order[k]] * b[order[j]];
    b[order[k]] = sum / A[order[k] * n + order[k]];
  }
  for (int k = rank; k < n; k++)
    b[order[k]] = 0.0;
  return rank;
}

bool carom_solve_general(int n, double *A, double *b, int *pivot) {
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int i = k + 1; i < n; i++)
      if (fabs(A[i * n + k]) > fabs(A[best * n + k])) best = i;
    pivot[k] = best;
    if (!(fabs(A[best * n + k]) > 0.0) || !isfinite(A[best * n + k])) return false;
    if (best != k) {
      for (int j = 0; j < n; j++) {
        double t = A[k * n + j];
        A[k * n + j] = A[best * n + j];
        A[best * n + j] = t;
      }
      double t = b[k];
      b[k] = b[best];
      b[best] = t;
    }
    for (int i = k + 1; i < n; i++) {
      double factor = A[i * n + k] / A[k * n + k];
      if (factor == 0.0) continue;
      for (int j = k + 1; j < n; j++)
        A[i * n + j] -= factor * A[k * n + j];
      b[i] -= factor * b[k];
    }
  }
  for (int k = n - 1; k >= 0; k--) {
    for (int j = k + 1; j < n; j++)
      b[k] -= A[k * n + j] * b[j];
    b[k] /= A[k * n + k];
  }
  return true;
}

int carom_find_not_positive(int n, double *A, double least, double *pivot) {
  for (int i = 0; i < n; i++) {
    *pivot = A[i * n + i];
    for (int k = 0; k < i; k++)
      *pivot -= A[i * n + k] * A[i * n + k];
    if (!(A[i * n + i] > 0.0 && *pivot > least * A[i * n + i])) return i;
    double root = sqrt(*pivot);
    for (int j = i + 1; j < n; j++) {
      double sum = A[j * n + i];
      for (int k = 0; k < i; k++)
        sum -= A[i * n + k] * A[j * n + k];
      A[j * n + i] = sum / root;
    }
  }
  return n;
}

double carom_dot(int n, const double *a, const double *b) {
  double sum = 0.0;
  for (int i = 0; i < n; i++)
    sum += a[i] * b[i];
  return sum;
}

double carom_norm_max(int n, const double *a) {
  double largest = 0.0;
  for (int i = 0; i < n; i++)
    if (!(fabs(a[i]) <= largest)) largest = fabs(a[i]);
  return largest;
}

double carom_orthogonalise(int n, double *v, int count, const double *basis) {
  for (int pass = 0; pass < 2; pass++) // twice, for rounding
    for (int j = 0; j < count; j++) {
      double dot = carom_dot(n, v, basis + j * n);
      for (int i = 0; i < n; i++)
        v[i] -= dot * basis[j * n + i];
    }
  return sqrt(carom_dot(n, v, v));
}
