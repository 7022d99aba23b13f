// SPDX-License-Identifier: MIT
#include "base/eigen.h"

#include <float.h>
#include <math.h>

enum { SWEEPS_PER_EIGENVALUE = 60 };

typedef struct complex_number {
  double re, im;
} complex_number;

static complex_number sum(complex_number a, complex_number b) {
  return (complex_number){a.re + b.re, a.im + b.im};
}
static complex_number difference(complex_number a, complex_number b) {
  return (complex_number){a.re - b.re, a.im - b.im};
}
static complex_number product(complex_number a, complex_number b) {
  return (complex_number){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
static complex_number conjugate(complex_number a) { return (complex_number){a.re, -a.im}; }
static double modulus(complex_number a) {
  double x = fabs(a.re), y = fabs(a.im), big = x > y ? x : y, small = x > y ? y : x;
  if (big == 0.0) return 0.0;
  double ratio = small / big;
  return big * sqrt(1.0 + ratio * ratio);
}
static complex_number square_root(complex_number a) {
  double r = modulus(a);
  if (r == 0.0) return (complex_number){0.0, 0.0};
  double x = sqrt(0.5 * (r + fabs(a.re))), y = 0.5 * a.im / x;
  if (a.re >= 0.0) return (complex_number){x, y};
  return (complex_number){fabs(y), a.im < 0.0 ? -x : x};
}

int carom_eigen_workspace(int n) { return 2 * n * n + 6 * n; }

// Householder reflections from both sides: zeros below the first subdiagonal
static void to_hessenberg(int n, double *a, double *v) {
  for (int k = 0; k + 2 < n; k++) {
    double norm = 0.0;
    for (int i = k + 1; i < n; i++)
      norm += a[i * n + k] * a[i * n + k];
    norm = sqrt(norm);
    if (norm == 0.0) continue;
    double alpha = a[(k + 1) * n + k] > 0.0 ? -norm : norm, length = 0.0;
    for (int i = k + 1; i < n; i++)
      v[i] = a[i * n + k] - (i == k + 1 ? alpha : 0.0);
    for (int i = k + 1; i < n; i++)
      length += v[i] * v[i];
    if (length == 0.0) continue;
    for (int j = 0; j < n; j++) {
      double dot = 0.0;
      for (int i = k + 1; i < n; i++)
        dot += v[i] * a[i * n + j];
      for (int i = k + 1; i < n; i++)
        a[i * n + j] -= 2.0 * dot / length * v[i];
    }
    for (int i = 0; i < n; i++) {
      double dot = 0.0;
      for (int j = k + 1; j < n; j++)
        dot += a[i * n + j] * v[j];
      for (int j = k + 1; j < n; j++)
        a[i * n + j] -= 2.0 * dot / length * v[j];
    }
  }
}

// the eigenvalue of the last 2 x 2 block that is nearer to its last element
static complex_number wilkinson_shift(const complex_number *h, int n, int last) {
  complex_number a = h[(last - 1) * n + last - 1], b = h[(last - 1) * n + last];
  complex_number c = h[last * n + last - 1], d = h[last * n + last];
  complex_number half = {0.5 * (a.re - d.re), 0.5 * (a.im - d.im)};
  complex_number s = square_root(sum(product(half, half), product(b, c)));
  complex_number plus = sum(sum(d, half), s), minus = difference(sum(d, half), s);
  return modulus(difference(plus, d)) < modulus(difference(minus, d)) ? plus : minus;
}

// one QR step H - mu = QR, H := RQ + mu on rows first..last, by Givens rotations
static void qr_step(complex_number *h, int n, int first, int last, complex_number mu,
                    complex_number *cosine, complex_number *sine) {
  for (int k = first; k <= last; k++)
    h[k * n + k] = difference(h[k * n + k], mu);
  for (int k = first; k < last; k++) {
    complex_number x = h[k * n + k], y = h[(k + 1) * n + k];
    double r = sqrt(modulus(x) * modulus(x) + modulus(y) * modulus(y));
    cosine[k] = r > 0.0 ? (complex_number){x.re / r, x.im / r} : (complex_number){1.0, 0.0};
    sine[k] = r > 0.0 ? (complex_number){y.re / r, y.im / r} : (complex_number){0.0, 0.0};
    for (int j = k; j <= last; j++) {
      complex_number p = h[k * n + j], q = h[(k + 1) * n + j];
      h[k * n + j] = sum(product(conjugate(cosine[k]), p), product(conjugate(sine[k]), q));
      h[(k + 1) * n + j] = difference(product(cosine[k], q), product(sine[k], p));
    }
  }
  for (int k = first; k < last; k++)
    for (int i = first; i <= (k + 1 < last ? k + 1 : last); i++) {
      complex_number p = h[i * n + k], q = h[i * n + k + 1];
      h[i * n + k] = sum(product(p, cosine[k]), product(q, sine[k]));
      h[i * n + k + 1] =
          difference(product(q, conjugate(cosine[k])), product(p, conjugate(sine[k])));
    }
  for (int k = first; k <= last; k++)
    h[k * n + k] = sum(h[k * n + k], mu);
}

// where the active block that ends at `last` begins: above it a subdiagonal element is negligible
static int block_start(complex_number *h, int n, int last) {
  for (int k = last; k > 0; k--) {
    double around = modulus(h[k * n + k]) + modulus(h[(k - 1) * n + k - 1]);
    if (modulus(h[k * n + k - 1]) > DBL_EPSILON * around) continue;
    h[k * n + k - 1] = (complex_number){0.0, 0.0};
    return k;
  }
  return 0;
}

static void sort_eigenvalues(int n, double *re, double *im) {
  for (int i = 1; i < n; i++)
    for (int j = i; j > 0 && (re[j] > re[j - 1] || (re[j] == re[j - 1] && im[j] > im[j - 1]));
         j--) {
      double r = re[j], m = im[j];
      re[j] = re[j - 1], im[j] = im[j - 1];
      re[j - 1] = r, im[j - 1] = m;
    }
}

// rounding leaves tiny imaginary parts on real eigenvalues and unequal halves of pairs
static void tidy_pairs(int n, double *re, double *im, double scale) {
  for (int i = 0; i < n; i++)
    if (fabs(im[i]) <= 64.0 * DBL_EPSILON * scale) im[i] = 0.0;
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n; j++)
      if (im[i] != 0.0 && fabs(re[i] - re[j]) <= 1e-12 * scale &&
          fabs(im[i] + im[j]) <= 1e-12 * scale) {
        re[i] = re[j] = 0.5 * (re[i] + re[j]);
        im[i] = 0.5 * (im[i] - im[j]);
        im[j] = -im[i];
      }
}

bool carom_eigenvalues(int n, const double *A, double *work, double *re, double *im) {
  complex_number *h = (complex_number *)(void *)work;
  complex_number *cosine = h + n * n, *sine = cosine + n;
  double *real = (double *)(void *)(sine + n), scale = 0.0;
  // the real reduction runs in the tail of the room of h, which is filled from it row by row
  double *a = work + n * n;
  for (int k = 0; k < n * n; k++) {
    if (!isfinite(A[k])) return false;
    scale = fmax(scale, fabs(A[k]));
    a[k] = A[k];
  }
  to_hessenberg(n, a, real);
  for (int k = 0; k < n * n; k++)
    h[k] = (complex_number){a[k], 0.0};
  int last = n - 1, sweeps = 0;
  while (last >= 0) {
    int first = block_start(h, n, last);
    if (first == last) {
      re[last] = h[last * n + last].re;
      im[last] = h[last * n + last].im;
      last--;
      sweeps = 0;
      continue;
    }
    if (++sweeps > SWEEPS_PER_EIGENVALUE) return false;
    complex_number mu = wilkinson_shift(h, n, last);
    // an unusual shift now and then breaks cycles
    if (sweeps % 11 == 10) mu = (complex_number){modulus(h[last * n + last - 1]), 0.0};
    qr_step(h, n, first, last, mu, cosine, sine);
  }
  tidy_pairs(n, re, im, scale);
  sort_eigenvalues(n, re, im);
  return true;
}
