// SPDX-License-Identifier: MIT
// Circles. With tan(phi/2) = tau tan(psi/2), tau^2 = h/(h + 2s), the distance d = h + s (1 - cos
// phi) becomes h/w, w = cos^2(psi/2) + tau^2 sin^2(psi/2), and
//
//   int d^-nu cos^j phi dphi = h^-nu tau int w^(nu-1-j) (cos^2 - tau^2 sin^2)^j dpsi,
//
// a trigonometric polynomial for nu > j: nu equispaced points are exact, however near the circle
// comes to the plane. Other cases take a rule graded towards the nearest point.
#include "field/surface.h"

#include "base/elementary.h"

#include <math.h>

static const double TWO_PI = 6.28318530717958647693;

static void circle_exact(int nu, double h, double s, double moments[6]) {
  double squared = h / (h + 2.0 * s), sum[4] = {0.0, 0.0, 0.0, 0.0};
  for (int j = 0; j < nu; j++) {
    double cosine = carom_cos(TWO_PI * j / nu);
    double near = 0.5 * (1.0 + cosine), far = squared * 0.5 * (1.0 - cosine);
    double w = near + far, c = (near - far) / w;
    double term = carom_inverse_power(1.0 / w, nu - 1);
    sum[0] += term;
    sum[1] += term * c;
    sum[2] += term * c * c;
    sum[3] += term * 4.0 * near * far / (w * w);
  }
  double front = carom_inverse_power(h, nu) * sqrt(squared) * TWO_PI / nu;
  moments[0] = front * sum[0];
  moments[1] = front * sum[1];
  moments[2] = 0.0;
  moments[3] = front * sum[2];
  moments[4] = 0.0;
  moments[5] = front * sum[3];
}

// sqrt of the stretch, or one over it
static double factor_of(const double k[3], double cosine, double sine, bool inverse) {
  double square = k[0] + k[1] * (cosine * cosine - sine * sine) + k[2] * 2.0 * sine * cosine;
  double root = sqrt(fmax(square, 0.0));
  return inverse ? 1.0 / root : root;
}

static void add_term(double term, double cosine, double sine, double moments[6]) {
  moments[0] += term;
  moments[1] += term * cosine;
  moments[2] += term * sine;
  moments[3] += term * cosine * cosine;
  moments[4] += term * sine * cosine;
  moments[5] += term * sine * sine;
}

// `count` equispaced points of psi, the first of them at `shift` spacings
static void add_ring(int nu, int count, double shift, double tau, const double k[3], bool inverse,
                     double moments[6]) {
  for (int j = 0; j < count; j++) {
    double s, c;
    carom_sincos(0.5 * TWO_PI * (j + shift) / count, &s, &c); // of psi/2
    double w = c * c + tau * tau * s * s;
    double cosine = (c * c - tau * tau * s * s) / w, sine = 2.0 * tau * s * c / w;
    double power = nu > 0 ? carom_inverse_power(1.0 / w, nu - 1) : 1.0 / w;
    add_term(power * factor_of(k, cosine, sine, inverse), cosine, sine, moments);
  }
}

// Twice as many points until nothing changes; false when that takes too many.
static bool circle_doubling(int nu, double h, double s, const double k[3], bool inverse,
                            double moments[6]) {
  enum { FEW = 16, MANY = 512 };
  double tau = sqrt(h / (h + 2.0 * s)), sum[6] = {0.0};
  add_ring(nu, FEW, 0.0, tau, k, inverse, sum);
  for (int count = FEW; count < MANY; count *= 2) {
    double between[6] = {0.0}, worst = 0.0;
    add_ring(nu, count, 0.5, tau, k, inverse, between);
    for (int i = 0; i < 6; i++) {
      worst = fmax(worst, fabs(between[i] - sum[i]));
      sum[i] += between[i];
    }
    // low exponents converge like a power alone, so nothing is taken on trust
    if (worst > 1e-13 * fabs(sum[0])) continue;
    double front = carom_inverse_power(h, nu) * tau * TWO_PI / (2 * count);
    for (int i = 0; i < 6; i++)
      moments[i] = front * sum[i];
    return true;
  }
  return false;
}

static void circle_graded(double nu, double h, double s, const double k[3], bool inverse,
                          double moments[6]) {
  double node[CAROM_GRADED_MAX], weight[CAROM_GRADED_MAX];
  double vary = sqrt(k[1] * k[1] + k[2] * k[2]);
  double even = vary > 0.0 ? sqrt(fmax(k[0] - vary, 0.0) / (2.0 * vary)) : HUGE_VAL;
  int count =
      carom_graded_angles(sqrt(h / (h + 2.0 * s)), carom_smooth_within(even, 1.0), node, weight);
  for (int i = 0; i < 6; i++)
    moments[i] = 0.0;
  for (int i = 0; i < count; i++) {
    double sine, cosine, half = carom_sin(0.5 * node[i]);
    carom_sincos(node[i], &sine, &cosine);
    double term = weight[i] * carom_any_power(h + 2.0 * s * half * half, nu);
    add_term(term * factor_of(k, cosine, sine, inverse), cosine, sine, moments);
    add_term(term * factor_of(k, cosine, -sine, inverse), cosine, -sine, moments);
  }
}

void carom_circle_moments(double nu, int order, double h, double s, const double k[3], bool inverse,
                          double moments[6]) {
  bool rigid = k[0] == 1.0 && k[1] == 0.0 && k[2] == 0.0;
  int whole;
  bool exact = carom_whole_exponent(nu, &whole);
  if (exact && rigid && whole > order)
    circle_exact(whole, h, s, moments);
  else if (!exact || !circle_doubling(whole, h, s, k, inverse, moments))
    circle_graded(nu, h, s, k, inverse, moments);
}
