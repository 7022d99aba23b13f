// SPDX-License-Identifier: MIT
// Edges and triangles. With u_i = 1/d_i at the corners the integrals of d^-nu are divided
// differences of powers (Hermite and Genocchi), and these are complete homogeneous symmetric
// polynomials h_k of the u_i: sums of positive terms alone, exact to rounding whether the face is
// parallel to the plane or stands on a corner.
//
//   edge      int d^-nu            = u v h_{nu-2}(u,v)/(nu-1)
//             int lambda_i d^-nu   = u v u_i h_{nu-3}(u,v,u_i)/((nu-1)(nu-2))
//             int l_i l_j d^-nu    = (1+delta_ij) u v u_i u_j h_{nu-4}(u,v,u_i,u_j)/(...(nu-3))
//   triangle  the same with three corners and two exponents more.
//
// Exponents too low for these have logarithms inside; they are left to the graded rule.
#include "field/surface.h"

// adds one more variable to h_0 .. h_count-1
static void extend_symmetric(int count, double u, const double *h, double *wider) {
  wider[0] = h[0];
  for (int k = 1; k < count; k++)
    wider[k] = h[k] + u * wider[k - 1];
}

static void complete_symmetric(int count, int variables, const double *u, double *h) {
  h[0] = 1.0;
  for (int k = 1; k < count; k++)
    h[k] = u[0] * h[k - 1];
  for (int j = 1; j < variables; j++)
    for (int k = 1; k < count; k++)
      h[k] += u[j] * h[k - 1];
}

// ---- edges

static void edge_high(int nu, int order, const double d[2], double *zero, double one[2],
                      double two[3]) {
  double u[2] = {1.0 / d[0], 1.0 / d[1]};
  double h[CAROM_EXPONENT_MAX], g[2][CAROM_EXPONENT_MAX], e[CAROM_EXPONENT_MAX];
  double front = u[0] * u[1] / (nu - 1);
  complete_symmetric(nu - 1, 2, u, h);
  *zero = front * h[nu - 2];
  if (order < 1) return;
  front /= nu - 2;
  for (int i = 0; i < 2; i++) {
    extend_symmetric(nu - 2, u[i], h, g[i]);
    one[i] = front * u[i] * g[i][nu - 3];
  }
  if (order < 2) return;
  front /= nu - 3;
  for (int i = 0; i < 2; i++) {
    extend_symmetric(nu - 3, u[i], g[i], e);
    two[i] = 2.0 * front * u[i] * u[i] * e[nu - 4];
  }
  extend_symmetric(nu - 3, u[1], g[0], e);
  two[2] = front * u[0] * u[1] * e[nu - 4];
}

void carom_edge_weights(double nu, int order, const double d[2], double *zero, double one[2],
                        double two[3]) {
  int whole;
  if (carom_whole_exponent(nu, &whole) && whole >= order + 2) {
    edge_high(whole, order, d, zero, one, two);
    return;
  }
  double J[3];
  carom_graded_powers(nu, d[0], d[1], 3, J);
  *zero = J[0];
  if (order < 1) return;
  one[0] = J[0] - J[1];
  one[1] = J[1];
  if (order < 2) return;
  two[0] = J[0] - 2.0 * J[1] + J[2];
  two[1] = J[2];
  two[2] = J[1] - J[2];
}

// ---- triangles

static void triangle_high(int nu, int order, const double d[3], double *zero, double one[3],
                          double two[6]) {
  double u[3] = {1.0 / d[0], 1.0 / d[1], 1.0 / d[2]};
  double h[CAROM_EXPONENT_MAX], g[3][CAROM_EXPONENT_MAX], e[CAROM_EXPONENT_MAX];
  double front = 2.0 * u[0] * u[1] * u[2] / ((nu - 1) * (nu - 2));
  complete_symmetric(nu - 2, 3, u, h);
  *zero = front * h[nu - 3];
  if (order < 1) return;
  front /= nu - 3;
  for (int i = 0; i < 3; i++) {
    extend_symmetric(nu - 3, u[i], h, g[i]);
    one[i] = front * u[i] * g[i][nu - 4];
  }
  if (order < 2) return;
  front /= nu - 4;
  static const int pair[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
  for (int k = 0; k < 6; k++) {
    int i = pair[k][0], j = pair[k][1];
    extend_symmetric(nu - 4, u[j], g[i], e);
    two[k] = (i == j ? 2.0 : 1.0) * front * u[i] * u[j] * e[nu - 5];
  }
}

// A triangle whose far side is parallel to the plane: apex at distance p, side at distance q. The
// places are mixtures (1 - b) apex + b side, each with weight 2 b db; adds `area` times the moments
// of the corners' weights, where apex, left and right are given as such weights.
static void add_wedge(double nu, double area, double p, double q, const double apex[3],
                      const double left[3], const double right[3], double *zero, double one[3],
                      double two[6]) {
  static const int pair[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
  double J[4];
  carom_graded_powers(nu, p, q, 4, J);
  double front = 2.0 * area;
  *zero += front * J[1];
  for (int i = 0; i < 3; i++)
    one[i] += front * ((J[1] - J[2]) * apex[i] + J[2] * 0.5 * (left[i] + right[i]));
  double near = J[1] - 2.0 * J[2] + J[3], mixed = J[2] - J[3], far = J[3];
  for (int k = 0; k < 6; k++) {
    int i = pair[k][0], j = pair[k][1];
    double mean_i = 0.5 * (left[i] + right[i]), mean_j = 0.5 * (left[j] + right[j]);
    double side = (left[i] * left[j] + right[i] * right[j]) / 3.0 +
                  (left[i] * right[j] + right[i] * left[j]) / 6.0;
    two[k] += front * (near * apex[i] * apex[j] + mixed * (apex[i] * mean_j + mean_i * apex[j]) +
                       far * side);
  }
}

// cut at the middle distance into two wedges
static void triangle_low(double nu, const double d[3], double *zero, double one[3], double two[6]) {
  int low = 0, high = 0;
  for (int i = 1; i < 3; i++) {
    if (d[i] < d[low]) low = i;
    if (d[i] >= d[high]) high = i;
  }
  if (low == high) low = (high + 1) % 3;
  int middle = 3 - low - high;
  double span = d[high] - d[low], part = span > 0.0 ? (d[middle] - d[low]) / span : 1.0;
  double corner[3][3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}, cut[3];
  for (int i = 0; i < 3; i++)
    cut[i] = (1.0 - part) * corner[low][i] + part * corner[high][i];
  *zero = 0.0;
  for (int i = 0; i < 3; i++)
    one[i] = two[i] = two[i + 3] = 0.0;
  add_wedge(nu, part, d[low], d[middle], corner[low], corner[middle], cut, zero, one, two);
  add_wedge(nu, 1.0 - part, d[high], d[middle], corner[high], corner[middle], cut, zero, one, two);
}

void carom_triangle_weights(double nu, int order, const double d[3], double *zero, double one[3],
                            double two[6]) {
  double first[3], second[6];
  int whole;
  if (carom_whole_exponent(nu, &whole) && whole >= order + 3) {
    triangle_high(whole, order, d, zero, one, two);
    return;
  }
  triangle_low(nu, d, zero, first, second);
  for (int i = 0; order >= 1 && i < 3; i++)
    one[i] = first[i];
  for (int k = 0; order >= 2 && k < 6; k++)
    two[k] = second[k];
}

// ---- low exponents straight in the coordinates of the places

// apex P, far side from M - D/2 to M + D/2: int d^-nu (1, x, x x^T) of the wedge
static void spread_wedge(double nu, int order, double area, double p, double q, const double *P,
                         const double M[3], const double D[3], carom_moments *m) {
  static const int pair[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
  double J[4], front = 2.0 * area;
  carom_graded_powers(nu, p, q, 4, J);
  m->zero += front * J[1];
  if (order < 1) return;
  double apex = front * (J[1] - J[2]), side = front * J[2];
  for (int i = 0; i < 3; i++)
    m->one[i] += apex * P[i] + side * M[i];
  if (order < 2) return;
  double near = front * (J[1] - 2.0 * J[2] + J[3]), mixed = front * (J[2] - J[3]);
  double far = front * J[3], wide = far / 12.0;
  for (int k = 0; k < 6; k++) {
    int i = pair[k][0], j = pair[k][1];
    m->two[k] += near * P[i] * P[j] + mixed * (P[i] * M[j] + M[i] * P[j]) + far * M[i] * M[j] +
                 wide * D[i] * D[j];
  }
}

void carom_triangle_spread(double nu, int order, const double d[3], const double *const x[3],
                           double size, carom_moments *m) {
  int low = d[1] < d[0], high = !low;
  if (d[2] < d[low]) low = 2;
  if (d[2] >= d[high]) high = 2;
  if (low == high) low = (high + 1) % 3;
  int middle = 3 - low - high;
  double span = d[high] - d[low], part = span > 0.0 ? (d[middle] - d[low]) / span : 1.0;
  double M[3], D[3];
  for (int i = 0; i < 3; i++) {
    double cut = x[low][i] + part * (x[high][i] - x[low][i]);
    M[i] = 0.5 * (x[middle][i] + cut);
    D[i] = x[middle][i] - cut;
  }
  if (part > 0.0) spread_wedge(nu, order, size * part, d[low], d[middle], x[low], M, D, m);
  if (part < 1.0)
    spread_wedge(nu, order, size * (1.0 - part), d[high], d[middle], x[high], M, D, m);
}
