// SPDX-License-Identifier: MIT
// How the error of whole runs falls: with the step it must fall like h^16 by Taylor series and like
// h^8 by Runge-Kutta, with the tolerance in proportion.
#include "motion.h"

static const double ECCENTRICITY = 0.3;

// Kepler's ellipse of unit half axis and unit gravity: E - e sin E = t, x = cos E - e
static void kepler_at(double t, double *x, double *y) {
  double e = ECCENTRICITY, E = t;
  for (int round = 0; round < 50; round++)
    E -= (E - e * sin(E) - t) / (1.0 - e * cos(E));
  *x = cos(E) - e;
  *y = sqrt(1.0 - e * e) * sin(E);
}

static long steps_on_the_orbit; // of the run last made

// What has no series is integrated by Runge-Kutta: a term that is far below rounding is enough.
static const char *WITHOUT_SERIES = " + 1e-200*x*asin(x/10)";

// the largest error of the position at a few times without any symmetry
static double error_on_the_orbit(const char *more, const char *run) {
  char text[500];
  double e = ECCENTRICITY;
  (void)snprintf(text, sizeof text,
                 "coordinates: {x: %.17g, y: {start: 0, rate: %.17g}}\n"
                 "energy: {kinetic: (x'^2 + y'^2)/2, potential: -1/sqrt(x^2 + y^2)%s}\n"
                 "run: {until: 20, hold: none, %s}\n",
                 1.0 - e, sqrt((1.0 + e) / (1.0 - e)), more, run);
  motion m = motion_parse(text);
  double error = 0.0;
  for (double t = 16.0; t <= 20.0; t += 0.5) {
    double x, y;
    motion_advance(&m, t);
    kepler_at(t, &x, &y);
    error = fmax(error, hypot(value_of(&m, "x") - x, value_of(&m, "y") - y));
  }
  steps_on_the_orbit = certificate_of(&m).counts.steps;
  motion_end(&m);
  return error;
}

// the tolerance is loose, so every step is as long as it may be
static void error_falls_with_the_eighth_power(void **state) {
  (void)state;
  double errors[3];
  for (int k = 0; k < 3; k++) {
    char run[200];
    (void)snprintf(run, sizeof run, "rtol: 0.5, atol: 0.5, h_max: %.17g", 0.4 / (1 << k));
    errors[k] = error_on_the_orbit(WITHOUT_SERIES, run);
  }
  // at least 8: the terms of order 8 are so small that those of order 9 still show
  for (int k = 0; k < 2; k++) {
    double order = log2(errors[k] / errors[k + 1]);
    print_message("errors %.3g -> %.3g: order %.2f\n", errors[k], errors[k + 1], order);
    CHECK(order > 7.7 && order < 10.0);
  }
}

static void error_falls_with_the_sixteenth_power(void **state) {
  (void)state;
  double errors[2];
  for (int k = 0; k < 2; k++) {
    char run[200];
    (void)snprintf(run, sizeof run, "rtol: 0.5, atol: 0.5, h_max: %.17g", 0.4 / (1 << k));
    errors[k] = error_on_the_orbit("", run);
  }
  double order = log2(errors[0] / errors[1]);
  print_message("errors %.3g -> %.3g: order %.2f\n", errors[0], errors[1], order);
  CHECK(order > 15.5 && order < 20.0);
}

// From 1e-5 to 1e-11 the error falls with the tolerance. Every step may err by its tolerance, and a
// Kepler orbit stretches an error of its energy to 3/2 t times as much along the path.
static void follow_the_tolerance(const char *more) {
  double first = 0.0, last = 0.0;
  for (int k = 5; k <= 11; k++) {
    char run[80];
    (void)snprintf(run, sizeof run, "rtol: 1e-%d", k);
    double error = error_on_the_orbit(more, run), tolerance = pow(10.0, -k);
    print_message("rtol %.0e: error %.3g = %.2f rtol\n", tolerance, error, error / tolerance);
    CHECK(error < tolerance * 1.5 * 20.0 * (double)steps_on_the_orbit);
    if (k == 5) first = error;
    last = error;
  }
  double slope = log10(first / last) / 6.0;
  CHECK(slope > 0.8 && slope < 1.3);
}

static void error_follows_the_tolerance(void **state) {
  (void)state;
  follow_the_tolerance("");
  follow_the_tolerance(WITHOUT_SERIES);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(error_falls_with_the_eighth_power),
      cmocka_unit_test(error_falls_with_the_sixteenth_power),
      cmocka_unit_test(error_follows_the_tolerance),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
