// SPDX-License-Identifier: MIT
/// Integrals of d^-nu over edges, triangles, circles and spheres, where the distance d to a plane
/// is a linear function of the place: the fields of short-range forces are made of them. All of
/// them are free of cancellation from faces exactly parallel to the plane to corner contact, and
/// for any ratio of the largest to the smallest distance.
///
/// Whole exponents are exact and fast; others take graded Gauss rules.
///
/// Moments are taken with the weights of the corners (barycentric coordinates lambda_i), up to
/// `order` 0, 1 or 2; what an order above `order` would fill is left alone.
#ifndef CAROM_FIELD_SURFACE_H
#define CAROM_FIELD_SURFACE_H

#include "base/elementary.h"

#include <stdbool.h>

/// Moments over a surface in the coordinates x of the body: of 1, x and x x^T.
typedef struct carom_moments {
  double zero;
  double one[3];
  double two[6]; // xx, yy, zz, xy, xz, yz
} carom_moments;

enum { CAROM_EXPONENT_MAX = 40 };

/// Edge of length 1 with distances d[0], d[1] > 0 at its ends: zero = int d^-nu,
/// one[i] = int lambda_i d^-nu, two = those of lambda_0^2, lambda_1^2, lambda_0 lambda_1.
void carom_edge_weights(double nu, int order, const double d[2], double *zero, double one[2],
                        double two[3]);

/// Triangle of area 1: two = lambda_0^2, lambda_1^2, lambda_2^2, lambda_0 lambda_1,
/// lambda_0 lambda_2, lambda_1 lambda_2.
void carom_triangle_weights(double nu, int order, const double d[3], double *zero, double one[3],
                            double two[6]);

/// Adds the moments of a triangle with corners x and area `size`, for exponents too low (or not
/// whole) for the exact formulas.
void carom_triangle_spread(double nu, int order, const double d[3], const double *const x[3],
                           double size, carom_moments *m);

/// int_0^1 b^k (p + b (q - p))^-nu db for k = 0 .. count - 1; p, q > 0, any real nu. Gauss rules,
/// graded by the logarithm of the distance where q/p is far from 1.
void carom_graded_powers(double nu, double p, double q, int count, double *J);

/// A circle whose distance is d = h + s (1 - cos phi), with a factor sqrt(k_0 + k_1 cos 2 phi + k_2
/// sin 2 phi), the stretch of its line (1, 0, 0 for a rigid one), or with `inverse` one over it:
/// int factor d^-nu f d phi over the whole circle for f = 1, cos, sin, cos^2, sin cos, sin^2.
/// h > 0, s >= 0.
void carom_circle_moments(double nu, int order, double h, double s, const double k[3], bool inverse,
                          double moments[6]);

/// Nodes and weights on [0, 1] of the Gauss rule with 6, 10 or 16 points.
typedef struct carom_gauss {
  int count;
  const double *node, *weight;
} carom_gauss;
carom_gauss carom_gauss_rule(int least);   // the smallest rule with at least `least` points, or 16
carom_gauss carom_lobatto_rule(int least); // 9 or 13 points, with both ends

/// Growth of area is the root of a form m . G m of directions m. On a circle of radius s among them
/// the form has no zero at complex angles whose imaginary part is less than y, sinh y = t/s, where
/// t^2 = a/(b - a) with the least and the greatest eigenvalue a, b of G; `even` is t, returned is
/// y. That far the root is smooth: N equispaced points leave an error like exp(-N y), and a panel
/// of Gauss points should not be much longer than y.
double carom_smooth_within(double even, double s);

/// Panels of [0, pi] for functions of phi that are smooth on the scale `width` near 0, on a scale
/// that grows with phi, and on the scale `smooth` everywhere (HUGE_VAL: no such scale; those below
/// 0.04 count as that): their edges; returns how many panels.
enum { CAROM_GRADED_PANELS = 100, CAROM_GRADED_MAX = 16 * CAROM_GRADED_PANELS };
int carom_graded_panels(double width, double smooth, double edge[CAROM_GRADED_PANELS + 1]);

/// The rule with 16 Gauss points on each: at most CAROM_GRADED_MAX nodes; returns how many.
int carom_graded_angles(double width, double smooth, double *node, double *weight);

/// x^-nu for a small whole exponent.
static inline double carom_inverse_power(double x, int nu) {
  double u = 1.0 / x, result = 1.0;
  for (int bit = nu; bit > 0; bit >>= 1) {
    if (bit & 1) result *= u;
    u *= u;
  }
  return result;
}

/// Is nu one of the whole exponents that the exact formulas know?
static inline bool carom_whole_exponent(double nu, int *whole) {
  if (!(nu >= 0.0 && nu <= CAROM_EXPONENT_MAX)) return false;
  *whole = (int)nu;
  return (double)*whole == nu;
}

/// x^-nu for any exponent.
static inline double carom_any_power(double x, double nu) {
  int whole;
  return carom_whole_exponent(nu, &whole) ? carom_inverse_power(x, whole) : carom_pow(x, -nu);
}

#endif
