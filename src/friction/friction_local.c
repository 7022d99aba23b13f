// SPDX-License-Identifier: MIT
/// One contact alone, v = D r + b. In space the direction of slip t solves
///   (v_T x t) = 0  with  r_N = -b_N / (D_NN - mu D_NT.t),  r_T = -mu r_N t,
/// a trigonometric polynomial of degree two in the angle of t, so a quartic in the tangent of its
/// half (Bonnefon and Daviet 2011). All its real roots are found, between those of its derivatives.
#include "friction/friction_internal.h"

#include <float.h>
#include <math.h>

enum { DEGREE = 4, MOST_STEPS = 200, ANGLE_STEPS = 12 };

// ---- real roots of a polynomial, c[0] + c[1] x + ... of small degree

static double polynomial_value(int degree, const double *c, double x) {
  double sum = c[degree];
  for (int k = degree - 1; k >= 0; k--)
    sum = sum * x + c[k];
  return sum;
}

// The root between a and b, where the polynomial is monotone and has two signs: Newton's method,
// and halves where it leaves them or is slow.
static double root_between(int degree, const double *c, double a, double b) {
  double fa = polynomial_value(degree, c, a), x = 0.5 * (a + b), before = b - a;
  for (int k = 0; k < MOST_STEPS; k++) {
    double f = c[degree], slope = 0.0;
    for (int e = degree - 1; e >= 0; e--) {
      slope = slope * x + f;
      f = f * x + c[e];
    }
    if ((f > 0.0) == (fa > 0.0))
      a = x;
    else
      b = x;
    double next = x - f / slope, change = fabs(next - x);
    if (!(next > a && next < b) || change > 0.5 * before) {
      next = 0.5 * (a + b);
      change = 0.5 * (b - a);
    }
    if (!(change > DBL_EPSILON)) return next;
    before = change;
    x = next;
  }
  return x;
}

// Roots of a polynomial in [-1, 1], between those of its derivative, which are `turns`. Touching
// roots count where the value at a turn is zero to rounding.
static int roots_between(int degree, const double *c, int count, const double *turns,
                         double *roots) {
  double size = 0.0, left = -1.0;
  int found = 0;
  for (int k = 0; k <= degree; k++)
    size += fabs(c[k]);
  for (int k = 0; k <= count; k++) {
    double right = k < count ? turns[k] : 1.0;
    double fl = polynomial_value(degree, c, left), fr = polynomial_value(degree, c, right);
    if (fabs(fl) <= 1e-15 * size && (found == 0 || roots[found - 1] < left))
      roots[found++] = left;
    else if ((fl > 0.0) != (fr > 0.0) && fabs(fr) > 1e-15 * size)
      roots[found++] = root_between(degree, c, left, right);
    left = right;
  }
  if (fabs(polynomial_value(degree, c, 1.0)) <= 1e-15 * size && found < DEGREE)
    roots[found++] = 1.0;
  return found < DEGREE ? found : DEGREE;
}

// all real roots in [-1, 1], ascending
static int real_roots(int degree, const double *c, double *roots) {
  double derivative[DEGREE + 1][DEGREE + 1], turns[2 * DEGREE + 2] = {0}, found[2 * DEGREE + 2];
  int count = 0;
  for (int k = 0; k <= degree; k++)
    derivative[0][k] = c[k];
  for (int m = 1; m < degree; m++)
    for (int k = 0; k <= degree - m; k++)
      derivative[m][k] = (k + 1) * derivative[m - 1][k + 1];
  for (int m = degree - 1; m >= 0; m--) {
    int next = roots_between(degree - m, derivative[m], count, turns, found);
    count = next;
    for (int k = 0; k < next; k++)
      turns[k] = found[k];
  }
  for (int k = 0; k < count && k < DEGREE; k++)
    roots[k] = turns[k];
  return count;
}

// ---- slip in space

// what slip along t leaves: w = v_T (D_NN - mu D_NT.t), h the bracket
static void slip_along(const double *D, const double *b, double mu, const double *t, double *w,
                       double *h) {
  *h = D[0] - mu * (D[1] * t[0] + D[2] * t[1]);
  for (int a = 0; a < 2; a++) {
    const double *row = D + 3 * (a + 1);
    w[a] = b[a + 1] * *h - b[0] * (row[0] - mu * (row[1] * t[0] + row[2] * t[1]));
  }
}

static bool take_slip(const double *D, const double *b, double mu, const double *t, double *r) {
  double w[2], h;
  slip_along(D, b, mu, t, w, &h);
  double along = w[0] * t[0] + w[1] * t[1];
  if (!(-b[0] / h >= 0.0) || !isfinite(b[0] / h) || !(along * h >= 0.0)) return false;
  r[0] = -b[0] / h;
  r[1] = -mu * r[0] * t[0];
  r[2] = -mu * r[0] * t[1];
  return true;
}

// w x t over the angle: samples at five angles give the five coefficients; here by its terms
//   w(t) = c + L t,  w x t = c x t + (L t) x t
static void slip_terms(const double *D, const double *b, double mu, double *c, double *L) {
  for (int a = 0; a < 2; a++) {
    const double *row = D + 3 * (a + 1);
    c[a] = b[a + 1] * D[0] - b[0] * row[0];
    for (int k = 0; k < 2; k++)
      L[2 * a + k] = mu * (b[0] * row[k + 1] - b[a + 1] * D[k + 1]);
  }
}

// All directions with w x t = 0; those that belong to a slip are written to t. Tangents of the half
// angle beyond 1 are found as those of the opposite direction.
static int slip_directions(const double *D, const double *b, double mu, double (*t)[2]) {
  double c[2], L[4];
  int found = 0;
  slip_terms(D, b, mu, c, L);
  for (int side = 1; side >= -1; side -= 2) {
    // t = side ((1 - u^2), 2 u) / (1 + u^2), times (1 + u^2)^2:
    // side (c0 2u - c1 (1 - u^2)) (1 + u^2) + L00 x y + L01 y y - L10 x x - L11 x y
    double p[DEGREE + 1], roots[2 * DEGREE + 2], linear[3] = {-c[1], 2.0 * c[0], c[1]};
    double xx[5] = {1, 0, -2, 0, 1}, xy[5] = {0, 2, 0, -2, 0}, yy[5] = {0, 0, 4, 0, 0};
    for (int k = 0; k <= DEGREE; k++) {
      p[k] = (L[0] - L[3]) * xy[k] + L[1] * yy[k] - L[2] * xx[k];
      if (k <= 2) p[k] += side * linear[k];
      if (k >= 2) p[k] += side * linear[k - 2];
    }
    int count = real_roots(DEGREE, p, roots);
    for (int k = 0; k < count && found < 2 * DEGREE; k++) {
      double u = roots[k], bottom = 1.0 + u * u;
      t[found][0] = side * (1.0 - u * u) / bottom;
      t[found++][1] = side * 2.0 * u / bottom;
    }
  }
  return found;
}

// From the direction that was, else from that without friction: Newton's method on the sine of the
// angle between w and t.
static bool slip_nearby(const double *D, const double *b, double mu, const double *before,
                        double *r) {
  double c[2], L[4], t[2] = {-before[1], -before[2]};
  slip_terms(D, b, mu, c, L);
  if (t[0] == 0.0 && t[1] == 0.0) t[0] = c[0], t[1] = c[1];
  double size = sqrt(t[0] * t[0] + t[1] * t[1]);
  if (!(size > 0.0)) return false;
  t[0] /= size;
  t[1] /= size;
  for (int step = 0; step < ANGLE_STEPS; step++) {
    double w[2] = {c[0] + L[0] * t[0] + L[1] * t[1], c[1] + L[2] * t[0] + L[3] * t[1]};
    double n[2] = {-t[1], t[0]}; // dt of a unit of angle
    double g = w[0] * t[1] - w[1] * t[0];
    double slope = (L[0] * n[0] + L[1] * n[1]) * t[1] + w[0] * n[1] -
                   (L[2] * n[0] + L[3] * n[1]) * t[0] - w[1] * n[0];
    double turn = -g / slope;
    if (!isfinite(turn)) return false;
    if (fabs(turn) > 1.0) turn = turn > 0.0 ? 1.0 : -1.0;
    t[0] += turn * n[0];
    t[1] += turn * n[1];
    double back = 1.0 / sqrt(t[0] * t[0] + t[1] * t[1]);
    t[0] *= back;
    t[1] *= back;
    if (fabs(turn) < 1e-8) break; // the next would be below rounding
  }
  return take_slip(D, b, mu, t, r);
}

static bool slip_in_space(const double *D, const double *b, double mu, double floor, double *r) {
  double before[3] = {r[0], r[1], r[2]}, t[2 * DEGREE][2];
  if (slip_nearby(D, b, mu, before, r) && r[0] >= floor) return true;
  int count = slip_directions(D, b, mu, t);
  for (int k = 0; k < count; k++)
    if (take_slip(D, b, mu, t[k], r) && r[0] >= floor) return true;
  for (int a = 0; a < 3; a++)
    r[a] = before[a];
  return false;
}

static bool slip_in_plane(const double *D, const double *b, double mu, double floor, double *r) {
  for (int side = 1; side >= -1; side -= 2) {
    double sign = b[1] >= 0.0 ? side : -side; // of the slip
    double h = D[0] - sign * mu * D[1], normal = -b[0] / h;
    double slip = b[1] + normal * (D[2] - sign * mu * D[3]);
    if (!(normal >= floor) || !isfinite(normal) || !(sign * slip >= 0.0)) continue;
    r[0] = normal;
    r[1] = -sign * mu * normal;
    return true;
  }
  return false;
}

// ---- the other modes

static bool try_stick(int d, const double *D, const double *b, double mu, double floor, double *r) {
  double x[3];
  if (d == 2) {
    double det = D[0] * D[3] - D[1] * D[2];
    x[0] = -(D[3] * b[0] - D[1] * b[1]) / det;
    x[1] = -(D[0] * b[1] - D[2] * b[0]) / det;
    x[2] = 0.0;
  } else {
    double c0 = D[4] * D[8] - D[5] * D[7], c1 = D[5] * D[6] - D[3] * D[8],
           c2 = D[3] * D[7] - D[4] * D[6];
    double det = D[0] * c0 + D[1] * c1 + D[2] * c2;
    double e0 = D[2] * D[7] - D[1] * D[8], e1 = D[0] * D[8] - D[2] * D[6],
           e2 = D[1] * D[6] - D[0] * D[7];
    double g0 = D[1] * D[5] - D[2] * D[4], g1 = D[2] * D[3] - D[0] * D[5],
           g2 = D[0] * D[4] - D[1] * D[3];
    x[0] = -(c0 * b[0] + e0 * b[1] + g0 * b[2]) / det;
    x[1] = -(c1 * b[0] + e1 * b[1] + g1 * b[2]) / det;
    x[2] = -(c2 * b[0] + e2 * b[1] + g2 * b[2]) / det;
  }
  double hold = x[1] * x[1] + x[2] * x[2];
  if (!(x[0] >= floor) || !isfinite(x[0]) || !(hold <= mu * mu * x[0] * x[0])) return false;
  for (int a = 0; a < d; a++)
    r[a] = x[a];
  return true;
}

// friction of a contact that carries `normal` whatever happens: projected steps, which contract
static void hold_tangent(int d, const double *D, const double *b, double radius, double normal,
                         int turns, double *r) {
  double size = 0.0;
  for (int a = 1; a < d; a++)
    size = fmax(size, fabs(D[a * d + a]));
  double step = size > 0.0 ? 0.5 / size : 1.0;
  r[0] = normal;
  for (int turn = 0; turn < turns; turn++) {
    double next[3] = {normal, 0.0, 0.0}, square = 0.0, change = 0.0;
    for (int a = 1; a < d; a++) {
      double v = b[a];
      for (int k = 0; k < d; k++)
        v += D[a * d + k] * r[k];
      next[a] = r[a] - step * v;
      square += next[a] * next[a];
    }
    double shrink = square > radius * radius ? radius / sqrt(square) : 1.0;
    for (int a = 1; a < d; a++) {
      change = fmax(change, fabs(next[a] * shrink - r[a]));
      r[a] = next[a] * shrink;
    }
    if (!(change > 1e-15 * radius)) return;
  }
}

static bool try_lift(int d, const double *D, const double *b, double mu, double floor, double *r) {
  if (floor > 0.0) {
    double trial[3] = {floor, r[1], d == 3 ? r[2] : 0.0};
    hold_tangent(d, D, b, mu * floor, floor, 200, trial);
    double v = b[0];
    for (int k = 0; k < d; k++)
      v += D[k] * trial[k];
    if (!(v >= 0.0)) return false;
    for (int a = 0; a < d; a++)
      r[a] = trial[a];
    return true;
  }
  if (!(b[0] >= 0.0)) return false;
  for (int a = 0; a < d; a++)
    r[a] = 0.0;
  return true;
}

// no solution: a projected step, so that the sweep goes on
static void step_aside(int d, const double *D, const double *b, double mu, double floor,
                       double *r) {
  double size = 0.0, v = b[0];
  for (int a = 0; a < d; a++) {
    size = fmax(size, fabs(D[a * d + a]));
    v += D[a] * r[a];
  }
  double normal = fmax(floor, r[0] - (size > 0.0 ? v / size : v));
  hold_tangent(d, D, b, mu * normal, normal, 10, r);
}

void friction_local(int d, const double *D, const double *b, double mu, double floor, double *r) {
  if (try_lift(d, D, b, mu, floor, r)) return;
  if (try_stick(d, D, b, mu, floor, r)) return;
  if (d == 2 ? slip_in_plane(D, b, mu, floor, r) : slip_in_space(D, b, mu, floor, r)) return;
  step_aside(d, D, b, mu, floor, r);
}

// ---- all solutions of one contact

static int add_solution(int count, const double *r, double (*all)[FRICTION_MOST]) {
  for (int k = 0; k < count; k++) {
    double apart = 0.0, size = 0.0;
    for (int a = 0; a < 3; a++) {
      apart = fmax(apart, fabs(all[k][a] - r[a]));
      size = fmax(size, fmax(fabs(all[k][a]), fabs(r[a])));
    }
    if (apart <= 1e-7 * size) return count;
  }
  if (count == FRICTION_ALONE) return count;
  for (int a = 0; a < 3; a++)
    all[count][a] = r[a];
  return count + 1;
}

int friction_all_alone(const double *D, const double *b, double mu, double (*r)[FRICTION_MOST]) {
  double t[2 * DEGREE][2], x[3] = {0.0, 0.0, 0.0}, c[2], L[4], size = 0.0, most = 0.0;
  int count = 0;
  for (int k = 0; k < 9; k++)
    size = fmax(size, fabs(D[k]));
  double det = D[0] * (D[4] * D[8] - D[5] * D[7]) - D[1] * (D[3] * D[8] - D[5] * D[6]) +
               D[2] * (D[3] * D[7] - D[4] * D[6]);
  if (!(fabs(det) > 1e-9 * size * size * size) || !(mu > 0.0)) return -1;
  slip_terms(D, b, mu, c, L);
  for (int k = 0; k < 4; k++)
    most = fmax(most, fmax(fabs(L[k]), fabs(c[k / 2])));
  // w x t vanishes for every direction (friction cannot matter), or nearly
  double turning = fmax(fabs(c[0]) + fabs(c[1]), fabs(L[1]) + fabs(L[2]) + fabs(L[0] - L[3]));
  if (!(turning > 1e-9 * most) || !(most > 0.0)) return -1;
  if (b[0] >= 0.0) count = add_solution(count, x, r);
  if (try_stick(3, D, b, mu, 0.0, x)) count = add_solution(count, x, r);
  int directions = slip_directions(D, b, mu, t);
  for (int k = 0; k < directions; k++)
    if (take_slip(D, b, mu, t[k], x)) count = add_solution(count, x, r);
  return count;
}
