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

static void add_point(int nu, double phi, double weight, double h, double s, const double k[3],
                      double moments[6]) {
  double sine, cosine;
  carom_sincos(phi, &sine, &cosine);
  double half = carom_sin(0.5 * phi), d = h + 2.0 * s * half * half;
  double stretch = k[0] + k[1] * (cosine * cosine - sine * sine) + k[2] * 2.0 * sine * cosine;
  double term = weight * sqrt(fmax(stretch, 0.0)) * carom_inverse_power(d, nu);
  moments[0] += term;
  moments[1] += term * cosine;
  moments[2] += term * sine;
  moments[3] += term * cosine * cosine;
  moments[4] += term * sine * cosine;
  moments[5] += term * sine * sine;
}

static void circle_graded(int nu, double h, double s, const double k[3], double moments[6]) {
  double node[CAROM_GRADED_MAX], weight[CAROM_GRADED_MAX];
  int count = carom_graded_angles(sqrt(h / (h + 2.0 * s)), node, weight);
  for (int i = 0; i < 6; i++)
    moments[i] = 0.0;
  for (int i = 0; i < count; i++) {
    add_point(nu, node[i], weight[i], h, s, k, moments);
    add_point(nu, -node[i], weight[i], h, s, k, moments);
  }
}

void carom_circle_moments(int nu, int order, double h, double s, const double k[3],
                          double moments[6]) {
  int rigid = k[0] == 1.0 && k[1] == 0.0 && k[2] == 0.0;
  if (rigid && nu > order)
    circle_exact(nu, h, s, moments);
  else
    circle_graded(nu, h, s, k, moments);
}
