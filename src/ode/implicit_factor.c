// SPDX-License-Identifier: MIT
#include "ode/implicit_factor.h"

#include <math.h>

static void exchange_rows(double *a, double *b, int count) {
  for (int j = 0; j < count; j++) {
    double kept = a[j];
    a[j] = b[j];
    b[j] = kept;
  }
}

bool carom_factor_real(int n, double *M, int *pivot) {
  for (int k = 0; k < n; k++) {
    double *top = M + k * n;
    int best = k;
    for (int i = k + 1; i < n; i++)
      if (fabs(M[i * n + k]) > fabs(M[best * n + k])) best = i;
    pivot[k] = best;
    if (best != k) exchange_rows(top, M + best * n, n);
    if (top[k] == 0.0 || !isfinite(top[k])) return false;
    double inverse = 1.0 / top[k];
    for (int i = k + 1; i < n; i++) {
      double *row = M + i * n, l = row[k] * inverse;
      row[k] = l;
      if (l == 0.0) continue;
      for (int j = k + 1; j < n; j++)
        row[j] -= l * top[j];
    }
  }
  return true;
}

void carom_solve_real(int n, const double *M, const int *pivot, double *b) {
  for (int k = 0; k < n; k++)
    exchange_rows(&b[k], &b[pivot[k]], 1);
  for (int i = 1; i < n; i++)
    for (int j = 0; j < i; j++)
      b[i] -= M[i * n + j] * b[j];
  for (int i = n - 1; i >= 0; i--) {
    for (int j = i + 1; j < n; j++)
      b[i] -= M[i * n + j] * b[j];
    b[i] /= M[i * n + i];
  }
}

bool carom_factor_complex(int n, double *re, double *im, int *pivot) {
  for (int k = 0; k < n; k++) {
    double *top = re + k * n, *top_im = im + k * n, largest = 0.0;
    pivot[k] = k;
    for (int i = k; i < n; i++) {
      double size = re[i * n + k] * re[i * n + k] + im[i * n + k] * im[i * n + k];
      if (size > largest) largest = size, pivot[k] = i;
    }
    if (!(largest > 0.0) || !isfinite(largest)) return false;
    if (pivot[k] != k) {
      exchange_rows(top, re + pivot[k] * n, n);
      exchange_rows(top_im, im + pivot[k] * n, n);
    }
    double a = top[k] / largest, b = -top_im[k] / largest; // 1/pivot
    for (int i = k + 1; i < n; i++) {
      double *row = re + i * n, *row_im = im + i * n;
      double l = row[k] * a - row_im[k] * b, m = row[k] * b + row_im[k] * a;
      row[k] = l, row_im[k] = m;
      if (l == 0.0 && m == 0.0) continue;
      for (int j = k + 1; j < n; j++) {
        row[j] -= l * top[j] - m * top_im[j];
        row_im[j] -= l * top_im[j] + m * top[j];
      }
    }
  }
  return true;
}

void carom_solve_complex(int n, const double *re, const double *im, const int *pivot, double *b_re,
                         double *b_im) {
  for (int k = 0; k < n; k++) {
    exchange_rows(&b_re[k], &b_re[pivot[k]], 1);
    exchange_rows(&b_im[k], &b_im[pivot[k]], 1);
  }
  for (int i = 1; i < n; i++)
    for (int j = 0; j < i; j++) {
      double l = re[i * n + j], m = im[i * n + j];
      b_re[i] -= l * b_re[j] - m * b_im[j];
      b_im[i] -= l * b_im[j] + m * b_re[j];
    }
  for (int i = n - 1; i >= 0; i--) {
    for (int j = i + 1; j < n; j++) {
      double l = re[i * n + j], m = im[i * n + j];
      b_re[i] -= l * b_re[j] - m * b_im[j];
      b_im[i] -= l * b_im[j] + m * b_re[j];
    }
    double l = re[i * n + i], m = im[i * n + i], size = l * l + m * m;
    double real = (b_re[i] * l + b_im[i] * m) / size;
    b_im[i] = (b_im[i] * l - b_re[i] * m) / size;
    b_re[i] = real;
  }
}
