// SPDX-License-Identifier: MIT
// Tangent dynamics against differences of the flow map: two motions that start a little apart must
// be apart, later, by what the matrix says. Differences know nothing of variational equations or
// saltation matrices.
#include "flow_difference.h"

static void check_against_differences(const motion *m, double t0, double t1, double step,
                                      double tolerance) {
  CHECK_NEAR(worst_error(m, t0, t1, step, 0.0), 0.0, tolerance);
}

static void test_smooth(void **unused) {
  (void)unused;
  motion m = motion_load("duffing", (carom_setting[]){{"run.rtol", "1e-12"}, {NULL, NULL}});
  check_against_differences(&m, 0.0, 12.0, 1e-4, 1e-8);
  motion_end(&m);
  m = motion_load("van_der_pol", (carom_setting[]){{"run.rtol", "1e-12"}, {NULL, NULL}});
  check_against_differences(&m, 0.0, 8.0, 1e-4, 1e-8);
  motion_end(&m);
}

// what a spring of stiffness k, mass 1, makes of matrix [2][2] in a time
static void swing(double k, double time, double *matrix) {
  double w = sqrt(k), c = cos(w * time), s = sin(w * time), made[4];
  for (int j = 0; j < 2; j++) {
    made[j] = c * matrix[j] + s / w * matrix[2 + j];
    made[2 + j] = -w * s * matrix[j] + c * matrix[2 + j];
  }
  memcpy(matrix, made, sizeof made);
}

// Two springs, one for each side: the force has a kink and no jump, and the matrix is the product
// of the three swings. Derived equations are as good as the motion; differences would not be.
static void test_two_springs(void **unused) {
  (void)unused;
  const double right = 4.0, left = 2.25, times[] = {PI / 4.0, PI / 1.5, 0.3};
  motion m = motion_parse("parameters: {k: 3.125, c: 0.875}\n"
                          "coordinates: {x: 0.4}\n"
                          "energy: {kinetic: \"x'^2/2\", potential: (k*x + c*abs(x))*x/2}\n"
                          "run: {until: 9, rtol: 1e-13, atol: 1e-15}\n");
  carom_error error = {0};
  int size = 0;
  double by_hand[] = {1.0, 0.0, 0.0, 1.0};
  MUST(carom_tangent_begin(m.simulation, &error), error);
  motion_advance(&m, times[0] + times[1] + times[2]);
  const double *matrix = carom_tangent_matrix(m.simulation, &size);
  for (int k = 0; k < 3; k++)
    swing(k == 1 ? left : right, times[k], by_hand);
  for (int i = 0; i < 4; i++)
    CHECK_NEAR(matrix[i], by_hand[i], 1e-12);
  carom_tangent_end(m.simulation);
  motion_end(&m);
}

// stairs in space and time: passing one is a saltation, for the forces on both sides differ
static void test_stairs(void **unused) {
  (void)unused;
  motion m = motion_parse("title: stairs\ncoordinates: {x: {start: 0.3, rate: 1.5}}\n"
                          "energy: {kinetic: \"x'^2/2\", dissipation: \"0.1*x'^2\"}\n"
                          "forces: {x: \"0.4*floor(2*x) - x*mod(t, 0.7) - 0.3*mod(x, 0.4)\"}\n"
                          "run: {until: 3, rtol: 1e-12}\n");
  check_against_differences(&m, 0.0, 2.3, 1e-6, 1e-7);
  assert_true(certificate_of(&m).counts.switches > 8);
  assert_true(worst_error(&m, 0.0, 2.3, 1e-6, 1e-3) > 1e-5);
  motion_end(&m);
}

// events on functions given in C, without derivatives
static carom_status unit_mass(void *ctx, const carom_point *at, double *M) {
  (void)ctx, (void)at;
  M[0] = 1.0;
  return CAROM_OK;
}

static carom_status pull_back(void *ctx, const carom_point *at, double *h) {
  (void)ctx;
  h[0] = -sin(at->q[0]);
  return CAROM_OK;
}

static carom_status at_edge(void *ctx, const carom_point *at, double *values) {
  (void)ctx;
  values[0] = at->q[0] - 0.4 - 0.1 * at->u[0];
  return CAROM_OK;
}

static carom_status slow_down(void *ctx, const carom_point *at, int k, double *q, double *u,
                              double *z) {
  (void)ctx, (void)k, (void)q, (void)z;
  u[0] = 0.7 * at->u[0];
  return CAROM_OK;
}

static void test_events_without_derivatives(void **unused) {
  (void)unused;
  static const char *const coordinates[] = {"x"}, *const names[] = {"edge"};
  static const double start[] = {0.3}, rate[] = {1.0};
  carom_functions f = carom_functions_default();
  f.coordinates.count = 1, f.coordinates.names = coordinates;
  f.start = start, f.start_rate = rate;
  f.events.count = 1, f.events.names = names;
  f.run.until = 9.0, f.run.rtol = 1e-12;
  f.mass = unit_mass, f.force = pull_back, f.event = at_edge, f.reset = slow_down;
  carom_model *model = NULL;
  carom_error error = {0};
  MUST(carom_model_from_functions(&f, &model, &error), error);
  motion m = motion_of(model);
  check_against_differences(&m, 0.0, 7.0, 1e-5, 1e-7);
  CHECK(certificate_of(&m).counts.events >= 2);
  CHECK(worst_error(&m, 0.0, 7.0, 1e-5, 1e-3) > 1e-5);
  motion_end(&m);
}

// one impact after another on a moving table, each with its own saltation
static void test_impacts(void **unused) {
  (void)unused;
  motion m = motion_load("ball_on_table", (carom_setting[]){{"run.rtol", "1e-12"}, {NULL, NULL}});
  check_against_differences(&m, 0.003, 0.21, 1e-7, 1e-7);
  assert_true(worst_error(&m, 0.003, 0.21, 1e-7, 1e-3) > 1e-4); // a spoilt saltation is found out
  motion_end(&m);
}

static const char OBLIQUE[] =
    "title: oblique ball\n"
    "parameters: {g: 9.81, mu: 0.2, e: 0.7}\n"
    "coordinates: {x: {start: 0, rate: 2}, y: {start: 1, rate: 0}, th: {start: 0, rate: 1}}\n"
    "energy: {kinetic: (x'^2 + y'^2)/2 + 0.2*th'^2, potential: g*y}\n"
    "contacts:\n"
    "  floor: {gap: y - 0.1*cos(3*x), slip: x' + 0.5*th', friction: mu,\n"
    "          impact: {law: LAW, e: e}}\n"
    "run: {until: 3, rtol: 1e-12}\n";

// impacts with friction on a wavy floor: every entry of the jump depends on the place
static void test_oblique(void **unused) {
  (void)unused;
  static const char *const laws[] = {"newton", "poisson", "energetic"};
  for (int k = 0; k < 3; k++) {
    char text[sizeof OBLIQUE + 20];
    const char *at = strstr(OBLIQUE, "LAW");
    (void)snprintf(text, sizeof text, "%.*s%s%s", (int)(at - OBLIQUE), OBLIQUE, laws[k], at + 3);
    motion m = motion_parse(text);
    check_against_differences(&m, 0.1, 1.5, 1e-5, 1e-7);
    assert_true(worst_error(&m, 0.1, 1.5, 1e-5, 1e-3) > 1e-5);
    motion_end(&m);
  }
}

// stick and slip on a belt: friction jumps where stick ends, the rank is lost where it begins
static void test_stick_slip(void **unused) {
  (void)unused;
  motion m = motion_load("belt_block", (carom_setting[]){{"run.rtol", "1e-12"}, {NULL, NULL}});
  double start = 0.0;
  int size;
  carom_error error = {0};
  // a slip phase: the first event after the spring is strained
  event_log log;
  motion_log(&m, &log);
  motion_run(&m);
  start = find_logged(&log, CAROM_EVENT_SLIP, NULL, 2)->t + 0.3;
  carom_simulation_observe(m.simulation, NULL);
  carom_simulation_reset(m.simulation, &error);
  motion_advance(&m, start);
  MUST(carom_tangent_begin(m.simulation, &error), error);
  double stop = find_logged(&log, CAROM_EVENT_STICK, NULL, 3)->t + 0.1;
  motion_advance(&m, stop);
  const double *matrix = carom_tangent_matrix(m.simulation, &size);
  // in stick x' follows the belt, whatever the start: the derivative of x' is zero
  for (int j = 0; j < size; j++)
    CHECK_NEAR(matrix[2 * size + j], 0.0, 1e-9);
  motion_end(&m);
}

// the frictional impact oscillator through flight, plastic impact, slip and stick
static void test_oscillator(void **unused) {
  (void)unused;
  static const char *const cases[][2] = {{"0.395", "0"}, {"0.5", "0"}, {"0.5", "0.2"}};
  for (int k = 0; k < 3; k++) {
    motion m = motion_load("frictional_impact_oscillator", (carom_setting[]){{"mu", cases[k][0]},
                                                                             {"e", cases[k][1]},
                                                                             {"run.rtol", "1e-12"},
                                                                             {NULL, NULL}});
    event_log log;
    motion_log(&m, &log);
    motion_run(&m);
    int last = count_logged(&log, CAROM_EVENT_OPEN, NULL) - 3;
    double t0 = last > 0 ? find_logged(&log, CAROM_EVENT_OPEN, NULL, last)->t + 0.02 : 50.0;
    carom_simulation_observe(m.simulation, NULL);
    double t1 = t0 + 1.0;
    check_against_differences(&m, t0, t1, 1e-5, 2e-7);
    assert_true(worst_error(&m, t0, t1, 1e-5, 1e-2) > 1e-5);
    motion_end(&m);
  }
}

// Two bodies that arrive at their stops at the same instant. The force between them depends on both
// velocities, so that it matters which one has been struck in between: the derivative of neighbours
// that meet `left` first is another one than that of those that meet `right` first.
static const char TWO[] = "title: two at once\nparameters: {k: 0.9}\n"
                          "coordinates: {a: {start: 0, rate: 1.5}, b: {start: 0, rate: 1.5}}\n"
                          "energy: {kinetic: a'^2/2 + b'^2/2, potential: a^2/2 + b^2/2}\n"
                          "forces: {a: -k*b'*a'^2 + 0.3*b', b: -k*a'*b'^2 + 0.3*a'}\ncontacts:\n"
                          "  left: {gap: 0.5 + 0.1*sin(t) - a, impact: {law: newton, e: 0.7}}\n"
                          "  right: {gap: 0.5 + 0.1*sin(t) - b, impact: {law: newton, e: 0.5}}\n"
                          "run: {until: 2, rtol: 1e-13, atol: 1e-14}\n";

// differences of order 2 on the side of sign, against column j of the matrix; the largest error
static double one_sided_error(const motion *m, const double *start, const double *end, int j,
                              double sign, double t, const double *matrix) {
  enum { SIZE = 4 };
  const double step = 2e-5;
  double moved[SIZE], near[SIZE], far[SIZE], worst = 0.0;
  for (int p = 1; p <= 2; p++) {
    memcpy(moved, start, sizeof moved);
    moved[j] += sign * p * step;
    flow_to(m, moved, SIZE, 0.0, t, p == 1 ? near : far);
  }
  for (int i = 0; i < SIZE; i++) {
    double slope = sign * (4.0 * (near[i] - end[i]) - (far[i] - end[i])) / (2.0 * step);
    worst = fmax(worst, fabs(slope - matrix[i * SIZE + j]));
  }
  return worst;
}

static void test_sides(void **unused) {
  (void)unused;
  enum { SIZE = 4 };
  const double t = 0.6, start[SIZE] = {0.0, 0.0, 1.5, 1.5};
  double matrix[2][SIZE * SIZE], end[SIZE], apart = 0.0, spoilt = 0.0;
  int size;
  carom_error error = {0};
  motion m = motion_parse(TWO);
  for (int reversed = 0; reversed < 2; reversed++) {
    MUST(m.model->engine->turns.place(m.simulation, 0.0, start, 0, &error), error);
    MUST(carom_tangent_order(m.simulation, reversed, &error), error);
    MUST(carom_tangent_begin(m.simulation, &error), error);
    motion_advance(&m, t);
    memcpy(matrix[reversed], carom_tangent_matrix(m.simulation, &size), sizeof matrix[0]);
    assert_int_equal(carom_tangent_met(m.simulation).piecewise, 1);
    assert_int_equal(carom_tangent_met(m.simulation).sided, 1);
    carom_tangent_end(m.simulation);
  }
  flow_to(&m, start, SIZE, 0.0, t, end);
  assert_int_equal(certificate_of(&m).counts.impacts, 2);
  // a moved forward arrives first, b moved back lets a arrive first; and the other way round
  for (int j = 0; j < SIZE; j++) {
    double first = j % 2 == 0 ? 1.0 : -1.0;
    CHECK_NEAR(one_sided_error(&m, start, end, j, first, t, matrix[0]), 0.0, 2e-6);
    CHECK_NEAR(one_sided_error(&m, start, end, j, -first, t, matrix[1]), 0.0, 2e-6);
    apart = fmax(apart, one_sided_error(&m, start, end, j, -first, t, matrix[0]));
  }
  assert_true(apart > 1e-2); // it does matter
  // a derivative put wrong by a thousandth is found out
  for (int k = 0; k < SIZE * SIZE; k++)
    matrix[0][k] *= 1.0 + 1e-3;
  for (int j = 0; j < SIZE; j++)
    spoilt =
        fmax(spoilt, one_sided_error(&m, start, end, j, j % 2 == 0 ? 1.0 : -1.0, t, matrix[0]));
  assert_true(spoilt > 1e-4);
  motion_end(&m);
}

// three at one instant, each under a force of the next: six orders, each with a derivative of its
// own
static const char THREE[] =
    "title: three at once\ncoordinates: {a: 0, b: 0, c: 0}\nenergy: {kinetic: (a'^2 + b'^2 + "
    "c'^2)/2, potential: (a^2 + b^2 + c^2)/2}\nforces: {a: -0.3*b'*a'^2, b: -0.3*c'*b'^2, c: "
    "-0.3*a'*c'^2}\ncontacts:\n  left: {gap: 0.5 - a, impact: {law: newton, e: 0.7}}\n"
    "  mid: {gap: 0.5 - b, impact: {law: newton, e: 0.7}}\n"
    "  right: {gap: 0.5 - c, impact: {law: newton, e: 0.7}}\n"
    "run: {until: 2, rtol: 1e-13, atol: 1e-14}\n";

// differences along `way` against the matrix; the largest error
static double error_along(const motion *m, const double *start, const double *end,
                          const double *way, double t, const double *matrix) {
  enum { SIZE = 6 };
  const double step = 2e-5;
  double moved[SIZE], near[SIZE], far[SIZE], worst = 0.0;
  for (int p = 1; p <= 2; p++) {
    for (int i = 0; i < SIZE; i++)
      moved[i] = start[i] + p * step * way[i];
    flow_to(m, moved, SIZE, 0.0, t, p == 1 ? near : far);
  }
  for (int i = 0; i < SIZE; i++) {
    double slope = (4.0 * (near[i] - end[i]) - (far[i] - end[i])) / (2.0 * step), made = 0.0;
    for (int j = 0; j < SIZE; j++)
      made += matrix[i * SIZE + j] * way[j];
    worst = fmax(worst, fabs(slope - made));
  }
  return worst;
}

static void test_six_orders(void **unused) {
  (void)unused;
  enum { SIZE = 6, ORDERS = 6 };
  static const int orders[ORDERS][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                        {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  const double t = 0.6, start[SIZE] = {0.0, 0.0, 0.0, 1.5, 1.5, 1.5};
  double matrix[ORDERS][SIZE * SIZE], end[SIZE];
  int size;
  carom_error error = {0};
  motion m = motion_parse(THREE);
  for (int k = 0; k < ORDERS; k++) {
    MUST(m.model->engine->turns.place(m.simulation, 0.0, start, 0, &error), error);
    MUST(carom_tangent_order(m.simulation, k, &error), error);
    MUST(carom_tangent_begin(m.simulation, &error), error);
    motion_advance(&m, t);
    memcpy(matrix[k], carom_tangent_matrix(m.simulation, &size), sizeof matrix[0]);
    assert_int_equal(carom_tangent_met(m.simulation).sided, 1);
    assert_int_equal(carom_tangent_met(m.simulation).together, 3);
    carom_tangent_end(m.simulation);
  }
  flow_to(&m, start, SIZE, 0.0, t, end);
  for (int k = 0; k < ORDERS; k++) {
    double way[SIZE] = {0.0}; // who is furthest ahead arrives first
    for (int j = 0; j < 3; j++)
      way[orders[k][j]] = 3.0 - j;
    for (int other = 0; other < ORDERS; other++) {
      double off = error_along(&m, start, end, way, t, matrix[other]);
      if (other == k)
        CHECK_NEAR(off, 0.0, 5e-6);
      else
        assert_true(off > 1e-3);
    }
  }
  motion_end(&m);
}

// two contacts of one body are linked: what comes of them depends on the order, and no derivative
// is claimed to be that of one side
static void test_linked(void **unused) {
  (void)unused;
  motion m = motion_parse("title: rod\ncoordinates: {y: 1, th: 0}\nenergy: {kinetic: y'^2/2 + "
                          "th'^2/6, potential: 9.81*y}\ncontacts:\n"
                          "  left: {gap: y - sin(th), impact: {law: newton, e: 0.5}}\n"
                          "  right: {gap: y + sin(th), impact: {law: newton, e: 0.5}}\n"
                          "run: {until: 1}\n");
  carom_error error = {0};
  MUST(carom_tangent_begin(m.simulation, &error), error);
  motion_advance(&m, 0.5);
  assert_int_equal(certificate_of(&m).counts.impacts, 2);
  assert_true(carom_tangent_met(m.simulation).piecewise > 0);
  assert_int_equal(carom_tangent_met(m.simulation).sided, 0);
  motion_end(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_smooth),     cmocka_unit_test(test_two_springs),
      cmocka_unit_test(test_stairs),     cmocka_unit_test(test_events_without_derivatives),
      cmocka_unit_test(test_impacts),    cmocka_unit_test(test_oblique),
      cmocka_unit_test(test_stick_slip), cmocka_unit_test(test_oscillator),
      cmocka_unit_test(test_sides),      cmocka_unit_test(test_six_orders),
      cmocka_unit_test(test_linked),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
