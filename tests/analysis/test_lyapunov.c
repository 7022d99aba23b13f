// SPDX-License-Identifier: MIT
// Lyapunov exponents against the literature, against closed forms, and against a map of the
// bouncing ball that is written here and shares nothing with the engine.
#include "hybrid/motion.h"

#include "carom/lyapunov.h"
#include "results.h"

static carom_lyapunov_view exponents_of(const char *name, const carom_setting *settings,
                                        double transient, double time) {
  motion m = motion_load(name, settings);
  carom_lyapunov_options options = carom_lyapunov_options_default();
  carom_lyapunov_view result;
  carom_error error = {0};
  options.model = m.model;
  options.transient = transient;
  options.time = time;
  MUST(find_exponents(&options, &result, &error), error);
  motion_end(&m);
  return result;
}

// Lorenz 1963: 0.9056, 0, -14.5723 (Sprott 2003, Chaos and Time-Series Analysis, table A.5)
static void test_lorenz(void **unused) {
  (void)unused;
  carom_lyapunov_view r = exponents_of("lorenz", NULL, 50.0, 3000.0);
  assert_int_equal(r.count, 3);
  assert_int_equal(r.extinguished, 0);
  CHECK_NEAR(r.exponents[0], 0.9056, 0.02);
  CHECK_NEAR(r.exponents[1], 0.0, 0.005);
  CHECK_NEAR(r.exponents[2], -14.5723, 0.02);
  CHECK_NEAR(r.sum, -(10.0 + 1.0 + 8.0 / 3.0), 1e-6); // the divergence is constant
  CHECK_NEAR(r.dimension, 2.062, 0.003);
  assert_true(r.errors[0] > 1e-4 && r.errors[0] < 0.05);
}

static carom_lyapunov_view exponents_of_text(const char *text, double transient, double time) {
  motion m = motion_parse(text);
  carom_lyapunov_options options = carom_lyapunov_options_default();
  carom_lyapunov_view r;
  carom_error error = {0};
  options.model = m.model;
  options.transient = transient;
  options.time = time;
  MUST(find_exponents(&options, &r, &error), error);
  motion_end(&m);
  return r;
}

// the simplest dissipative chaotic flow, x''' + 2.017 x'' - x'^2 + x = 0: 0.0551, 0, -2.0721
// (Sprott 1997, Physics Letters A 228, 271)
static void test_sprott(void **unused) {
  (void)unused;
  carom_lyapunov_view r = exponents_of_text("title: jerk\nstates:\n  x: {start: -0.9, rate: v}\n"
                                            "  v: {start: 0, rate: a}\n"
                                            "  a: {start: 0.5, rate: -2.017*a + v^2 - x}\n"
                                            "run: {until: 3000}\n",
                                            500.0, 20000.0);
  assert_int_equal(r.count, 3);
  CHECK_NEAR(r.exponents[0], 0.0551, 0.002);
  CHECK_NEAR(r.exponents[1], 0.0, 0.002);
  CHECK_NEAR(r.exponents[2], -2.0721, 0.002);
  CHECK_NEAR(r.sum, -2.017, 1e-8);
}

// --- a flow with a kink, x''' + 0.6 x'' + x' = |x| - 1 (Linz and Sprott 1999), by a second method:
// steps of Runge and Kutta of one length, the slope of |x| from the sign of x

static void kink_rates(const double *y, double *f) {
  double sign = y[0] < 0.0 ? -1.0 : 1.0;
  f[0] = y[1];
  f[1] = y[2];
  f[2] = -0.6 * y[2] - y[1] + sign * y[0] - 1.0;
  f[3] = y[4];
  f[4] = y[5];
  f[5] = -0.6 * y[5] - y[4] + sign * y[3];
}

static void kink_step(double *y, double h) {
  double k[4][6], at[6];
  static const double part[] = {0.0, 0.5, 0.5, 1.0};
  for (int s = 0; s < 4; s++) {
    for (int i = 0; i < 6; i++)
      at[i] = y[i] + (s > 0 ? part[s] * h * k[s - 1][i] : 0.0);
    kink_rates(at, k[s]);
  }
  for (int i = 0; i < 6; i++)
    y[i] += h / 6.0 * (k[0][i] + 2.0 * k[1][i] + 2.0 * k[2][i] + k[3][i]);
}

static double kink_exponent(double time) {
  const double h = 0.02;
  double y[6] = {0.1, 0.0, 0.0, 1.0, 0.3, 0.2}, sum = 0.0;
  long steps = (long)(time / h), skip = (long)(200.0 / h);
  for (long k = 0; k < skip + steps; k++) {
    kink_step(y, h);
    double length = sqrt(y[3] * y[3] + y[4] * y[4] + y[5] * y[5]);
    for (int i = 3; i < 6; i++)
      y[i] /= length;
    if (k >= skip) sum += log(length);
  }
  return sum / ((double)steps * h);
}

static void test_kink(void **unused) {
  (void)unused;
  carom_lyapunov_view r = exponents_of_text("title: kink\nstates:\n  x: {start: 0.1, rate: v}\n"
                                            "  v: {start: 0, rate: a}\n"
                                            "  a: {start: 0, rate: -0.6*a - v + abs(x) - 1}\n"
                                            "run: {until: 3000}\n",
                                            200.0, 200000.0);
  assert_int_equal(r.count, 3);
  CHECK_NEAR(r.exponents[0], kink_exponent(200000.0), 0.003);
  CHECK_NEAR(r.exponents[1], 0.0, 0.001);
  CHECK_NEAR(r.sum, -0.6, 1e-8);
}

// A ball that is kicked at every bounce by what the phase of a clock says: with flights as long as
// the velocity after the bounce the map of phase and velocity is
//   p -> p + v mod 1,  v -> e v + K (p - 1/2) + c,
// piecewise linear with the same derivative everywhere, of trace 1 + e + K and determinant e: the
// exponents per bounce are the logarithms of its eigenvalues, and their sum is ln e. The third
// exponent is that of the clock.
static void test_kicked_ball(void **unused) {
  (void)unused;
  carom_lyapunov_view r = exponents_of_text(
      "title: kicked\nparameters: {e: 0.5, K: 1.5, c: 1.5}\n"
      "coordinates: {y: {start: 0.3, rate: 3}}\nstates: {p: {start: 0.2, rate: 1}}\n"
      "energy: {kinetic: y'^2/2, potential: 2*y}\nevents:\n"
      "  bounce: {when: y, direction: falling, do: {y': -e*y' + K*(p - 1/2) + c}}\n"
      "  wrap: {when: p - 1, direction: rising, do: {p: p - 1}}\nrun: {until: 2000}\n",
      10.0, 4000.0);
  const double e = 0.5, trace = 3.0, root = sqrt(trace * trace - 4.0 * e);
  double bounces = r.sum / log(e); // per unit of time
  assert_int_equal(r.count, 3);
  assert_true(bounces > 0.2 && bounces < 0.5);
  // what is left over at both ends is of order 1 in the logarithms
  CHECK_NEAR(r.exponents[0] / bounces, log(0.5 * (trace + root)), 5e-3);
  CHECK_NEAR(r.exponents[1], 0.0, 2e-3);
  CHECK_NEAR(r.exponents[2] / bounces, log(0.5 * (trace - root)), 1e-2);
}

// --- an oscillator before a stop, x'' + x = cos(w t), x >= 0, with velocities after impacts -e
// times those before, by a second method: flights in closed form, impacts by scanning and
// bisection, the saltation matrix by hand

typedef struct flight {
  double t, v; // it begins at x = 0
} flight;

// position and velocity a time s later
static void fly(double w, flight f, double s, double *x, double *v) {
  double a = 1.0 / (1.0 - w * w), t = f.t + s;
  double A = -a * cos(w * f.t), B = f.v + a * w * sin(w * f.t);
  *x = A * cos(s) + B * sin(s) + a * cos(w * t);
  *v = -A * sin(s) + B * cos(s) - a * w * sin(w * t);
}

// how long it takes to the next impact, and the velocity before it
static double flight_time(double w, flight f, double *v) {
  double s = 1e-4, h = 0.01, x;
  for (fly(w, f, s + h, &x, v); x > 0.0; fly(w, f, s + h, &x, v))
    s += h;
  double lo = s, hi = s + h;
  for (int k = 0; k < 60; k++) {
    double middle = 0.5 * (lo + hi);
    fly(w, f, middle, &x, v);
    *(x > 0.0 ? &lo : &hi) = middle;
  }
  return 0.5 * (lo + hi);
}

static double stop_exponent(double w, double e, int skip, int count) {
  flight f = {0.3, 1.0};
  double dx = 1.0, dv = 0.3, sum = 0.0, time = 0.0;
  for (int k = 0; k < skip + count; k++) {
    double v, s = flight_time(w, f, &v), force = cos(w * (f.t + s)), after = -e * v;
    double x1 = dx * cos(s) + dv * sin(s), v1 = -dx * sin(s) + dv * cos(s), late = -x1 / v;
    dx = x1 + (v - after) * late;
    dv = -e * (v1 + force * late) - force * late;
    double length = sqrt(dx * dx + dv * dv);
    dx /= length;
    dv /= length;
    if (k >= skip) sum += log(length), time += s;
    f = (flight){f.t + s, after};
  }
  return sum / time;
}

static void test_stop(void **unused) {
  (void)unused;
  carom_lyapunov_view r = exponents_of_text(
      "title: stop\ncoordinates: {x: {start: 1, rate: 0}}\n"
      "energy: {kinetic: x'^2/2, potential: x^2/2}\nforces: {x: cos(2.85*t)}\ncontacts:\n"
      "  stop: {gap: x, impact: {law: newton, e: 0.8}}\nrun: {until: 2000}\n",
      500.0, 20000.0);
  double by_hand = stop_exponent(2.85, 0.8, 500, 20000);
  assert_true(by_hand > 0.2);
  assert_true(r.errors[0] < 0.004);
  CHECK_NEAR(r.exponents[0], by_hand, 0.01);
}

// the forced Duffing oscillator: areas shrink by exp(-damping t), whatever the motion
static void test_duffing(void **unused) {
  (void)unused;
  carom_lyapunov_view r = exponents_of("duffing", NULL, 60.0, 3000.0);
  assert_int_equal(r.count, 2);
  CHECK_NEAR(r.sum, -0.25, 1e-7);
  assert_true(r.exponents[0] > 0.08 && r.exponents[0] < 0.16);
}

// on the motion of period 1 the two multipliers are complex, of modulus e: both exponents f ln e
static void test_ball_regular(void **unused) {
  (void)unused;
  carom_lyapunov_view r = exponents_of("ball_on_table", NULL, 8.0, 40.0);
  CHECK_NEAR(r.sum, 2.0 * 25.0 * log(0.8), 1e-6);
  CHECK_NEAR(r.exponents[0], 25.0 * log(0.8), 0.4);
}

// --- the bouncing ball as a map, in units of 1/omega and g/omega: between impacts a parabola

typedef struct bounce {
  double t, v; // time and velocity after an impact
} bounce;

static double height_above(double gamma, bounce b, double s) {
  return gamma * cos(b.t) + b.v * s - 0.5 * s * s - gamma * cos(b.t + s);
}

// the next impact: scan finely, then bisect
static bounce next_bounce(double gamma, double e, bounce b, double *s_out) {
  double s = 1e-3, h = 5e-3;
  while (height_above(gamma, b, s + h) > 0.0)
    s += h;
  double lo = s, hi = s + h;
  for (int k = 0; k < 60; k++) {
    double middle = 0.5 * (lo + hi);
    *(height_above(gamma, b, middle) > 0.0 ? &lo : &hi) = middle;
  }
  s = 0.5 * (lo + hi);
  double table = -gamma * sin(b.t + s);
  *s_out = s;
  return (bounce){b.t + s, table - e * (b.v - s - table)};
}

// the largest exponent per unit of time from the derivative of the map, done by hand
static double map_exponent(double gamma, double e, bounce b, int skip, int count, double *time) {
  double dt = 1.0, dv = 0.3, sum = 0.0;
  *time = 0.0;
  for (int k = 0; k < skip + count; k++) {
    double s, start_table = -gamma * sin(b.t);
    bounce next = next_bounce(gamma, e, b, &s);
    double table = -gamma * sin(next.t), approach = b.v - s - table;
    // height: d/dt0 at fixed s: table velocity then minus now; d/dv = s; d/ds = approach
    double ds = -((start_table - table) * dt + s * dv) / approach;
    double dnext = dt + ds, acceleration = -gamma * cos(next.t);
    double dw = dv - ds - acceleration * dnext;
    dv = acceleration * dnext - e * dw;
    dt = dnext;
    double length = sqrt(dt * dt + dv * dv);
    dt /= length;
    dv /= length;
    if (k >= skip) sum += log(length), *time += s;
    b = next;
  }
  return sum / *time;
}

static const carom_setting HIGH[] = {{"Gamma", "3"},
                                     {"e", "0.9"},
                                     {"coordinates.y.rate", "4*g/omega"},
                                     {"run.until", "400/f"},
                                     {NULL, NULL}};

// The energy of high bounces wanders slowly, so that averages of any affordable length differ by
// more than their errors: the map and the engine are held against each other to a quarter.
static void test_ball_chaotic(void **unused) {
  (void)unused;
  const double gamma = 3.0, e = 0.9, omega = 2.0 * PI * 25.0;
  double time;
  double by_map = omega * map_exponent(gamma, e, (bounce){0.3, 6.0}, 200, 20000, &time);
  carom_lyapunov_view r = exponents_of("ball_on_table", HIGH, 2.0, 100.0);
  assert_int_equal(r.extinguished, 0);
  CHECK_NEAR(r.exponents[0], by_map, 0.25 * by_map);
  assert_true(r.exponents[1] < -r.exponents[0]);
}

// every impact shrinks areas by e^2, and nothing else does: exact on any motion
static void test_ball_areas(void **unused) {
  (void)unused;
  carom_lyapunov_view r = exponents_of("ball_on_table", HIGH, 0.0, 1.0);
  motion m = motion_load("ball_on_table", HIGH);
  motion_advance(&m, 1.0);
  double impacts = (double)certificate_of(&m).counts.impacts;
  assert_true(impacts > 3.0);
  CHECK_NEAR(r.sum, 2.0 * log(0.9) * impacts, 1e-6);
  motion_end(&m);
}

// stick extinguishes: one direction on the belt; with the impact that ends in stick as well
static void test_extinguished(void **unused) {
  (void)unused;
  carom_lyapunov_view r =
      exponents_of("belt_block", (carom_setting[]){{"v1", "0"}, {NULL, NULL}}, -1.0, 0.0);
  assert_int_equal(r.count, 1);
  assert_int_equal(r.extinguished, 1);
  CHECK_NEAR(r.exponents[0], 0.0, 0.1); // along the cycle itself
  r = exponents_of("frictional_impact_oscillator",
                   (carom_setting[]){{"mu", "0.5"}, {"e", "0.2"}, {NULL, NULL}}, -1.0, 0.0);
  assert_int_equal(r.count, 3);
  assert_int_equal(r.extinguished, 1);
  r = exponents_of("frictional_impact_oscillator",
                   (carom_setting[]){{"mu", "0.5"}, {"e", "0"}, {NULL, NULL}}, -1.0, 0.0);
  assert_int_equal(r.count, 1);
  assert_int_equal(r.extinguished, 3);
}

static void test_refusal(void **unused) {
  (void)unused;
  motion m = motion_load("rods_2d_r1", NULL);
  carom_lyapunov_options options = carom_lyapunov_options_default();
  carom_lyapunov_view result;
  carom_error error = {0};
  options.model = m.model;
  options.transient = 0.0;
  options.time = 1e-3;
  assert_int_equal(find_exponents(&options, &result, &error), CAROM_ERR_UNSUPPORTED);
  assert_non_null(strstr(error.text, "tangent"));
  motion_end(&m);
}

// At an equilibrium with a contact that slides, or on a constraint, exponents are the real parts of
// the eigenvalues, however far neighbours have come together: what rounding has of the directions
// that the contact forbids must not be all that is left of them.
static void test_rest(void **unused) {
  (void)unused;
  carom_lyapunov_view r = exponents_of("frictional_impact_oscillator",
                                       (carom_setting[]){{"mu", "0.3"}, {NULL, NULL}}, 40.0, 300.0);
  assert_int_equal(r.count, 2);
  CHECK_NEAR(r.sum, -2.0 * 1.60222610186, 1e-6); // eigenvalues -1.60222610186 +- 28.37 i
  CHECK_NEAR(r.exponents[0], -1.60222610186, 0.02);
  // a pendulum with a rod as a constraint
  r = exponents_of_text("coordinates: {x: 0.3, y: -sqrt(1 - 0.09)}\n"
                        "energy: {kinetic: x'^2/2 + y'^2/2, potential: 2*y, "
                        "dissipation: 0.15*(x'^2 + y'^2)}\n"
                        "constraints: {rod: x^2 + y^2 - 1}\nrun: {until: 400}\n",
                        100.0, 300.0);
  assert_int_equal(r.count, 2);
  CHECK_NEAR(r.sum, -0.3, 1e-6);
  CHECK_NEAR(r.exponents[0], -0.15, 0.005);
  // four feet, of which three would do: they forbid no more than three
  r = exponents_of_text(
      "coordinates: {x: 0.3, z: 0, roll: 0, pitch: 0}\n"
      "energy: {kinetic: (x'^2 + z'^2 + roll'^2 + pitch'^2)/2, potential: 10*z + 2*x^2, "
      "dissipation: 0.15*x'^2}\ncontacts:\n"
      "  a: {gap: z + roll + pitch, slip: x' - 1, friction: 0.1, impact: 0}\n"
      "  b: {gap: z - roll + pitch, slip: x' - 1, friction: 0.1, impact: 0}\n"
      "  c: {gap: z + roll - pitch, slip: x' - 1, friction: 0.1, impact: 0}\n"
      "  d: {gap: z - roll - pitch, slip: x' - 1, friction: 0.1, impact: 0}\nrun: {until: 400}\n",
      100.0, 300.0);
  assert_int_equal(r.count, 2);
  CHECK_NEAR(r.sum, -0.3, 1e-6);
}

// of a periodic motion with stick: the logarithm of its multiplier over its period
static void test_stick(void **unused) {
  (void)unused;
  double period = 2.0 * PI / 0.7;
  carom_lyapunov_view r = exponents_of_text(
      "coordinates: {x: 0, y: 0}\n"
      "energy: {kinetic: x'^2/2 + y'^2/2, potential: x^2/2 + y}\nforces: {x: cos(0.7*t)}\n"
      "contacts: {floor: {gap: y, slip: x', friction: 0.8, impact: 0}}\nrun: {until: 200}\n",
      20.0 * period, 50.0 * period);
  assert_int_equal(r.count, 1);
  assert_int_equal(r.extinguished, 1);
  // what the first turn adds is as much as one turn, in fifty
  CHECK_NEAR(r.exponents[0], log(0.253522158985) / period, 5e-4);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rest),         cmocka_unit_test(test_stick),
      cmocka_unit_test(test_kink),         cmocka_unit_test(test_sprott),
      cmocka_unit_test(test_kicked_ball),  cmocka_unit_test(test_stop),
      cmocka_unit_test(test_lorenz),       cmocka_unit_test(test_duffing),
      cmocka_unit_test(test_ball_regular), cmocka_unit_test(test_ball_chaotic),
      cmocka_unit_test(test_ball_areas),   cmocka_unit_test(test_extinguished),
      cmocka_unit_test(test_refusal),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
