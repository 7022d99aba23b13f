// SPDX-License-Identifier: MIT
// Phases with one contact closed go by Taylor series, and so do the functions that end them: slip,
// stick, lift-off, at times and places that are known in closed form or by equations written out.
#include "motion.h"

static event_log events;

static motion motion_with(const char *text, const char *run) {
  char whole[1500];
  (void)snprintf(whole, sizeof whole, "%srun: {%s}\n", text, run);
  motion m = motion_parse(whole);
  motion_log(&m, &events);
  return m;
}

// the time of the first event of a kind
static double time_of(carom_event_kind kind) {
  for (int k = 0; k < events.count; k++)
    if (events.list[k].kind == kind) return events.list[k].t;
  return NAN;
}

// by Runge-Kutta a step takes 12 evaluations and more
static void check_by_series(const motion *m) {
  carom_certificate c = certificate_of(m);
  CHECK(c.passed);
  CHECK(c.counts.evaluations < 5 * c.counts.steps + 10);
  CHECK(c.worst.penetration < 1e-12);
}

// A block thrown up an incline with drag: s'' = g sin a +- mu g cos a - c s'. It halts, and slides
// down again, for the incline is steeper than friction holds.
static void block_on_an_incline(void **state) {
  (void)state;
  const double a = 0.6, mu = 0.4, c = 0.7, g = 9.81, v0 = -3.0, after = 1.5;
  char text[600];
  (void)snprintf(text, sizeof text,
                 "coordinates: {s: {start: 0, rate: %g}, n: 0}\n"
                 "energy:\n"
                 "  kinetic: (s'^2 + n'^2)/2\n"
                 "  potential: %g*(n*cos(%g) - s*sin(%g))\n"
                 "  dissipation: %g/2*s'^2\n"
                 "contacts: {base: {gap: n, slip: s', friction: %g, impact: 0}}\n",
                 v0, g, a, a, c, mu);
  motion m = motion_with(text, "until: 10, rtol: 1e-12");
  double up = g * (sin(a) + mu * cos(a)) / c, down = g * (sin(a) - mu * cos(a)) / c;
  double halt = log((up - v0) / up) / c, top = up * halt + (v0 - up) * (1.0 - exp(-c * halt)) / c;
  motion_advance(&m, halt + after);
  CHECK_NEAR(time_of(CAROM_EVENT_REVERSE), halt, 1e-12);
  CHECK_NEAR(value_of(&m, "s'"), down * (1.0 - exp(-c * after)), 1e-11);
  double way = down * (after - (1.0 - exp(-c * after)) / c);
  CHECK_NEAR(value_of(&m, "s"), top + way, 1e-11);
  CHECK_NEAR(certificate_of(&m).energy.lost_friction, mu * g * cos(a) * (way - top), 1e-10);
  check_by_series(&m);
  CHECK(certificate_of(&m).counts.steps < 25);
  motion_end(&m);
}

// A block held by friction while the force on it grows: nothing moves, but the series of the margin
// tells when it breaks loose. Then s'' = F sin(w t) - mu.
static void block_breaks_loose(void **state) {
  (void)state;
  const double F = 0.9, w = 2.0, stick = 0.7, slip = 0.5;
  motion m =
      motion_with("coordinates: {s: 0, n: 0}\n"
                  "energy: {kinetic: (s'^2 + n'^2)/2, potential: n}\n"
                  "forces: {s: 0.9*sin(2*t)}\n"
                  "contacts:\n"
                  "  base: {gap: n, slip: s', friction: {stick: 0.7, slip: 0.5}, impact: 0}\n",
                  "until: 10, rtol: 1e-12");
  double loose = asin(stick / F) / w, t = 1.2;
  motion_advance(&m, t);
  CHECK_NEAR(time_of(CAROM_EVENT_SLIP), loose, 1e-13);
  double v = F / w * (cos(w * loose) - cos(w * t)) - slip * (t - loose);
  CHECK_NEAR(value_of(&m, "s'"), v, 1e-12);
  check_by_series(&m);
  motion_end(&m);
}

// A body on a shaken table leaves it when the table falls faster than it can: A w^2 sin(w t) = g.
static void body_leaves_a_table(void **state) {
  (void)state;
  const double A = 0.02, w = 30.0, g = 9.81;
  motion m = motion_with("coordinates: {y: {start: 0, rate: 0.6}}\n"
                         "energy: {kinetic: y'^2/2, potential: 9.81*y}\n"
                         "contacts: {top: {gap: y - 0.02*sin(30*t), impact: 0}}\n",
                         "until: 10, rtol: 1e-12");
  double leaves = asin(g / (A * w * w)) / w;
  motion_advance(&m, leaves + 0.01);
  CHECK_NEAR(time_of(CAROM_EVENT_OPEN), leaves, 1e-13);
  double fall = 0.01, v = A * w * cos(w * leaves);
  CHECK_NEAR(value_of(&m, "y"), A * sin(w * leaves) + v * fall - g / 2 * fall * fall, 1e-13);
  check_by_series(&m);
  motion_end(&m);
}

// ---- a cart that slides on a table, with a pendulum below it ----

static const double CART = 1.0, BOB = 0.5, MU = 0.2, G = 9.81;

// x, phi and their rates: the equations written out, normal force eliminated by hand
static void cart_rates(const double *y, double *f) {
  double s = sin(y[1]), c = cos(y[1]), turn = BOB * y[3] * y[3], all = CART + BOB;
  double a = (BOB * G * s * c + turn * s - MU * (all * G + turn * c - BOB * G * s * s)) /
             (all - BOB * c * c - MU * BOB * s * c);
  f[0] = y[2], f[1] = y[3], f[2] = a, f[3] = -(G * s + a * c);
}

// by the classical method with many steps
static void cart_at(double t, double y[4]) {
  enum { STEPS = 20000 };
  double h = t / STEPS, k[4][4], at[4];
  for (int step = 0; step < STEPS; step++) {
    const double part[4] = {0.0, 0.5, 0.5, 1.0};
    for (int j = 0; j < 4; j++) {
      for (int i = 0; i < 4; i++)
        at[i] = y[i] + (j > 0 ? part[j] * h * k[j - 1][i] : 0.0);
      cart_rates(at, k[j]);
    }
    for (int i = 0; i < 4; i++)
      y[i] += h / 6.0 * (k[0][i] + 2.0 * k[1][i] + 2.0 * k[2][i] + k[3][i]);
  }
}

static motion cart(const char *run, const char *far_ones) {
  char text[1000];
  (void)snprintf(text, sizeof text,
                 "coordinates: {x: {start: 0, rate: 3}, y: 0, phi: 1}\n"
                 "define: {bx: x + sin(phi), by: y - cos(phi)}\n"
                 "energy:\n"
                 "  kinetic: (x'^2 + y'^2)/2 + (bx'^2 + by'^2)/4\n"
                 "  potential: 9.81*(y + by/2)\n"
                 "contacts:\n"
                 "  wheel: {gap: y, slip: x', friction: 0.2, impact: 0}\n%s",
                 far_ones);
  return motion_with(text, run);
}

static double cart_error(const char *run, const char *far_ones, carom_certificate *c) {
  double expected[4] = {0.0, 1.0, 3.0, 0.0}, t = 1.0;
  cart_at(t, expected);
  motion m = cart(run, far_ones);
  motion_advance(&m, t);
  *c = certificate_of(&m);
  double error = fabs(value_of(&m, "x") - expected[0]);
  error = fmax(error, fabs(value_of(&m, "phi") - expected[1]));
  error = fmax(error, fabs(value_of(&m, "x'") - expected[2]));
  error = fmax(error, fabs(value_of(&m, "phi'") - expected[3]));
  motion_end(&m);
  return error;
}

static void cart_with_a_pendulum(void **state) {
  (void)state;
  // contacts that never close make the model go the general way, by Runge-Kutta
  static const char *FAR = "  a: {gap: y + 9, impact: 0}\n  b: {gap: y + 8, impact: 0}\n"
                           "  c: {gap: y + 7, impact: 0}\n  d: {gap: y + 6, impact: 0}\n";
  carom_certificate by_series, general;
  CHECK(cart_error("until: 2, rtol: 1e-11", "", &by_series) < 2e-10);
  CHECK(cart_error("until: 2, rtol: 1e-11", FAR, &general) < 2e-10);
  CHECK(by_series.passed && general.passed);
  print_message("%ld steps by series, %ld by Runge-Kutta\n", by_series.counts.steps,
                general.counts.steps);
  CHECK(3 * by_series.counts.steps < 2 * general.counts.steps);
}

// the tolerance is loose, so every step is as long as it may be: halved, the error falls by 2^16
static void error_falls_with_the_sixteenth_power(void **state) {
  (void)state;
  double errors[2];
  for (int k = 0; k < 2; k++) {
    char run[200];
    carom_certificate c;
    (void)snprintf(run, sizeof run,
                   "until: 2, rtol: 1e-2, atol: 1e-2, event_tolerance: 1e-9, h_max: %.17g",
                   0.2 / (1 << k));
    errors[k] = cart_error(run, "", &c);
  }
  double order = log2(errors[0] / errors[1]);
  print_message("errors %.3g -> %.3g: order %.2f\n", errors[0], errors[1], order);
  CHECK(order > 15.0 && order < 18.0);
}

// Works of drives and friction are products, whose series fall more slowly than those of the
// motion: steps are short enough for them, too, so that the ledger tells the error of the motion.
static void works_are_as_good_as_the_motion(void **state) {
  (void)state;
  const carom_setting settings[] = {
      {"Ar", "5.1"},       {"mu_impact", "0.08"}, {"f", "75"},     {"theta0", "5*pi/180/9"},
      {"h0", "0.25e-3/9"}, {"settle", "60"},      {"cycles", "4"}, {0}};
  motion m = motion_load("dimer", settings);
  motion_run(&m);
  carom_certificate c = certificate_of(&m);
  CHECK(c.passed);
  CHECK_NEAR(c.energy.residual_relative, 0.0, 5e-11);
  motion_end(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(block_on_an_incline),
      cmocka_unit_test(block_breaks_loose),
      cmocka_unit_test(body_leaves_a_table),
      cmocka_unit_test(cart_with_a_pendulum),
      cmocka_unit_test(error_falls_with_the_sixteenth_power),
      cmocka_unit_test(works_are_as_good_as_the_motion),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
