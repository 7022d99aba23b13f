// SPDX-License-Identifier: MIT
// Surface integrals against brute force: pieces are cut until the distance is nearly constant on
// each, then a product Gauss rule in long double.
#include "check.h"

#include "field/surface.h"

#include <stdlib.h>
#include <string.h>

typedef long double real;

static real power(real d, double nu) {
  real result = 1.0L;
  if (nu != floor(nu)) return powl(d, -(real)nu);
  for (int k = 0; k < (int)nu; k++)
    result /= d;
  return result;
}

// whole exponents and some between them
static const double EXPONENTS[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0.5, 1.7, 2.5, 7.3};
enum { EXPONENT_COUNT = sizeof EXPONENTS / sizeof *EXPONENTS };

// Gauss-Legendre with 12 points on [0, 1] by Newton's method
enum { POINTS = 12 };
static real NODES[POINTS], WEIGHTS[POINTS];

static int make_rule(void **state) {
  (void)state;
  for (int i = 0; i < POINTS; i++) {
    real x = cosl(3.14159265358979323846264338327950288L * (i + 0.75L) / (POINTS + 0.5L)),
         slope = 1;
    for (int round = 0; round < 60; round++) {
      real p0 = 1.0L, p1 = x;
      for (int k = 2; k <= POINTS; k++) {
        real p2 = ((2 * k - 1) * x * p1 - (k - 1) * p0) / k;
        p0 = p1, p1 = p2;
      }
      slope = POINTS * (x * p1 - p0) / (x * x - 1.0L);
      x -= p1 / slope;
    }
    NODES[i] = 0.5L * (1.0L - x);
    WEIGHTS[i] = 1.0L / ((1.0L - x * x) * slope * slope);
  }
  return 0;
}

// ---- brute force over triangles of weights: all ten moments of d^-nu, area 1

static real distance_at(const real w[3], const double d[3]) {
  return w[0] * d[0] + w[1] * d[1] + w[2] * d[2];
}

static void add_small(double nu, const double d[3], real w[3][3], real area, real sum[10]) {
  for (int i = 0; i < POINTS; i++)
    for (int j = 0; j < POINTS; j++) {
      real b = NODES[i], c = NODES[j], at[3];
      for (int k = 0; k < 3; k++)
        at[k] = (1.0L - b) * w[0][k] + b * ((1.0L - c) * w[1][k] + c * w[2][k]);
      real term = 2.0L * area * b * WEIGHTS[i] * WEIGHTS[j] * power(distance_at(at, d), nu);
      const real factor[10] = {1,
                               at[0],
                               at[1],
                               at[2],
                               at[0] * at[0],
                               at[1] * at[1],
                               at[2] * at[2],
                               at[0] * at[1],
                               at[0] * at[2],
                               at[1] * at[2]};
      for (int k = 0; k < 10; k++)
        sum[k] += term * factor[k];
    }
}

static void add_triangle(double nu, const double d[3], real w[3][3], real area, real sum[10]) {
  int low = 0, high = 0;
  real at[3];
  for (int i = 0; i < 3; i++) {
    at[i] = distance_at(w[i], d);
    if (at[i] < at[low]) low = i;
    if (at[i] > at[high]) high = i;
  }
  if (at[high] <= 1.7L * at[low]) {
    add_small(nu, d, w, area, sum);
    return;
  }
  // cut the side from the lowest to the highest corner at the geometric mean of their distances
  real ratio = (sqrtl(at[low] * at[high]) - at[low]) / (at[high] - at[low]);
  real first[3][3], second[3][3], cut[3];
  for (int k = 0; k < 3; k++)
    cut[k] = (1.0L - ratio) * w[low][k] + ratio * w[high][k];
  memcpy(first, w, sizeof first);
  memcpy(second, w, sizeof second);
  memcpy(first[high], cut, sizeof cut);
  memcpy(second[low], cut, sizeof cut);
  add_triangle(nu, d, first, area * ratio, sum);
  add_triangle(nu, d, second, area * (1.0L - ratio), sum);
}

static double worst_triangle(double nu, const double d[3]) {
  real unit[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, sum[10] = {0};
  add_triangle(nu, d, unit, 1.0L, sum);
  double worst = 0.0;
  for (int order = 0; order <= 2; order++) {
    double zero, one[3] = {0}, two[6] = {0};
    carom_triangle_weights(nu, order, d, &zero, one, two);
    worst = fmax(worst, fabs((double)(zero / sum[0] - 1.0L)));
    for (int i = 0; order >= 1 && i < 3; i++)
      worst = fmax(worst, fabs((double)((one[i] - sum[1 + i]) / sum[0])));
    for (int i = 0; order >= 2 && i < 6; i++)
      worst = fmax(worst, fabs((double)((two[i] - sum[4 + i]) / sum[0])));
  }
  return worst;
}

// from exactly parallel to corner contact, at distances from far to a thousandth of usual ones
static void triangles_in_every_regime(void **state) {
  (void)state;
  const double d0 = 0.002;
  const double cases[][3] = {{d0, d0, d0},
                             {d0, d0 * (1 + 1e-9), d0 * (1 - 1e-9)},
                             {d0, d0 * 1.0001, d0 * 1.3},
                             {1e-3 * d0, 1e-3 * d0 * (1 + 1e-6), 1e-3 * d0 * (1 - 1e-3)},
                             {1e-3 * d0, 1.0, 1.0},
                             {1e-3 * d0, 0.6, 0.9},
                             {d0, d0, 1.0},
                             {1e-3 * d0, 1.1e-3 * d0, 0.7},
                             {0.8, 1e-3 * d0, 1.2e-2},
                             {0.5, 0.2, 0.004},
                             {0.5, 0.7, 1.1}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
    for (int j = 0; j < EXPONENT_COUNT; j++) {
      double nu = EXPONENTS[j], worst = worst_triangle(nu, cases[k]);
      if (worst > 1e-12) print_error("triangle %zu, nu = %g: %.2g\n", k, nu, worst);
      CHECK(worst <= 1e-12);
    }
}

// ---- edges

static void edges_in_every_regime(void **state) {
  (void)state;
  const double cases[][2] = {{0.02, 0.02}, {0.02, 0.02 * (1 + 1e-10)},
                             {2e-6, 1.0},  {1.4, 2e-6},
                             {0.02, 0.05}, {2e-5, 2.1e-5},
                             {0.7, 1.3}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
    for (int j = 0; j < EXPONENT_COUNT; j++) {
      double nu = EXPONENTS[j];
      const double *d = cases[k];
      real sum[3] = {0}, a = 0.0L, size = 1e-7L;
      while (a < 1.0L) { // panels that double from both ends
        real b = fminl(1.0L, a + size);
        for (int i = 0; i < POINTS; i++) {
          real x = a + NODES[i] * (b - a), y = d[0] < d[1] ? x : 1.0L - x;
          real term = WEIGHTS[i] * (b - a) * power(d[0] + y * ((real)d[1] - d[0]), nu);
          sum[0] += term, sum[1] += term * y, sum[2] += term * y * y;
        }
        a = b;
        size = fmaxl(size, 0.3L * a);
      }
      for (int order = 0; order <= 2; order++) {
        double zero, one[2] = {0}, two[3] = {0};
        carom_edge_weights(nu, order, d, &zero, one, two);
        CHECK_RELATIVE(zero, (double)sum[0], 1e-12);
        if (order >= 1) CHECK_NEAR(one[1], (double)sum[1], 1e-12 * zero);
        if (order >= 1) CHECK_NEAR(one[0], (double)(sum[0] - sum[1]), 1e-12 * zero);
        if (order >= 2) CHECK_NEAR(two[1], (double)sum[2], 1e-12 * zero);
        if (order >= 2) CHECK_NEAR(two[2], (double)(sum[1] - sum[2]), 1e-12 * zero);
      }
    }
}

// ---- circles: the trapezoidal rule with very many points

static void check_circle(double nu, double h, double s, const double k[3]) {
  real sum[6] = {0};
  const real pi = 3.14159265358979323846264338327950288L;
  int count = (int)(120.0 + 60.0 * sqrt((h + 2 * s) / h));
  for (int i = 0; i < count; i++) {
    real phi = 2.0L * pi * i / count, c = cosl(phi), z = sinl(phi), half = sinl(0.5L * phi);
    real factor = sqrtl(k[0] + k[1] * (c * c - z * z) + k[2] * 2.0L * c * z);
    real term = 2.0L * pi / count * factor * power(h + 2.0L * s * half * half, nu);
    sum[0] += term, sum[1] += term * c, sum[2] += term * z;
    sum[3] += term * c * c, sum[4] += term * c * z, sum[5] += term * z * z;
  }
  for (int order = 0; order <= 2; order++) {
    double moments[6];
    carom_circle_moments(nu, order, h, s, k, false, moments);
    for (int i = 0; i < (order == 0 ? 1 : order == 1 ? 3 : 6); i++)
      CHECK_NEAR(moments[i], (double)sum[i], 1e-12 * (double)sum[0]);
  }
}

static void circles(void **state) {
  (void)state;
  const double rigid[3] = {1, 0, 0}, soft[3] = {1.3, 0.4, -0.3}, slight[3] = {1.0001, -1e-3, 1e-4};
  const double heights[] = {2e-6, 1e-4, 0.002, 0.02, 0.3, 2.0, 50.0};
  for (int j = 0; j < EXPONENT_COUNT; j++)
    for (size_t k = 0; k < sizeof heights / sizeof *heights; k++) {
      double nu = EXPONENTS[j];
      check_circle(nu, heights[k], 0.5, rigid);
      check_circle(nu, heights[k], 0.5, soft);
      check_circle(nu, heights[k], 0.4, slight);
    }
  check_circle(5, 0.3, 0.0, rigid);
  check_circle(0, 0.3, 0.0, rigid);
}

// what the usual way needs: a product Gauss rule of n x n points fails on a standing cube's face
static void plain_gauss_fails(void **state) {
  (void)state;
  double d[3] = {2e-4, 0.7, 0.7}, zero, one[3], two[6];
  carom_triangle_weights(8, 0, d, &zero, one, two);
  real unit[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, sum[10] = {0};
  add_small(8, d, unit, 1.0L, sum);
  CHECK(fabs((double)sum[0] / zero - 1.0) > 0.5);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(triangles_in_every_regime),
      cmocka_unit_test(edges_in_every_regime),
      cmocka_unit_test(circles),
      cmocka_unit_test(plain_gauss_fails),
  };
  return cmocka_run_group_tests(tests, make_rule, NULL);
}
