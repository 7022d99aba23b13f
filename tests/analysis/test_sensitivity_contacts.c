// SPDX-License-Identifier: MIT
// Derivatives where a slip is exactly zero (contacts that roll or stick and strike, and that set
// off from rest), of starts in other units, and what is refused.
#include "asked.h"

#include "carom/sensitivity.h"

#include <math.h>
#include <string.h>

static asked ask(const char *text, bool adjoint, int by_count, const char *const *by, int of_count,
                 const char *const *of) {
  carom_sensitivity_options options = carom_sensitivity_options_default();
  options.adjoint = adjoint;
  return ask_of(motion_parse(text), options, by_count, by, of_count, of);
}

// central differences of order 4 of whole runs, by the j-th of `count` inputs
static void check_differences(asked *it, int j, int count, const char *by, int of_count,
                              const char *const *of, double part, double tolerance) {
  static const int place[] = {-2, -1, 1, 2};
  carom_simulation *simulation = it->m.simulation;
  double at, f[4][4];
  carom_error error = {0};
  MUST(carom_simulation_get(simulation, by, &at, &error), error);
  for (int n = 0; n < 4; n++) {
    MUST(carom_simulation_set(simulation, by, at * (1.0 + part * place[n]), &error), error);
    MUST(carom_simulation_run(simulation, &error), error);
    for (int k = 0; k < of_count; k++)
      MUST(carom_simulation_get(simulation, of[k], &f[k][n], &error), error);
  }
  MUST(carom_simulation_set(simulation, by, at, &error), error);
  for (int k = 0; k < of_count; k++) {
    double slope = (8.0 * (f[k][2] - f[k][1]) - (f[k][3] - f[k][0])) / (12.0 * part * at);
    CHECK_NEAR(it->view->slopes[k * count + j], slope, tolerance * fmax(1.0, fabs(slope)));
  }
}

// A ball that rolls without slip strikes the floor and sticks, as do all its neighbours: of a
// change s of its slip 2/7 s goes from the speed, and none is one of a side.
static void test_rolling_ball(void **unused) {
  (void)unused;
  const char *const by[] = {"b.vx", "b.wy", "b.vy", "b.wx"}, *const of[] = {"b.x'", "b.y'"};
  const double r = 0.1, known[2][4] = {{5.0 / 7.0, 2.0 / 7.0 * r, 0.0, 0.0},
                                       {0.0, 0.0, 5.0 / 7.0, -2.0 / 7.0 * r}};
  for (int adjoint = 0; adjoint < 2; adjoint++) {
    asked it = ask("title: rolling ball\ngravity: 9.81\n"
                   "bodies:\n"
                   "  b: {sphere: 0.1, mass: 0.4, at: [0, 0, 0.2], velocity: [1, 0, 0],\n"
                   "      spin: [0, 10, 0]}\n"
                   "  floor: {plane: [0, 0, 1], fixed: yes}\n"
                   "contacts: {f: {between: [b, floor], friction: 0.3, impact: 0.6}}\n"
                   "run: {until: 0.7}\n",
                   adjoint, 4, by, 2, of);
    assert_int_equal(it.view->notes.piecewise, 0);
    for (int k = 0; k < 2; k++)
      for (int j = 0; j < 4; j++)
        CHECK_NEAR(it.view->slopes[k * 4 + j], known[k][j], 1e-9);
    done(&it);
  }
}

// Tips of an energetic impact whose slip an earlier impact has stopped: slip is no part of how they
// rebound, and rounding of it must not make sides.
static void test_stopped_slip(void **unused) {
  (void)unused;
  static const char text[] =
      "title: bar\nparameters: {e: 0.6, tilt: 0.05}\n"
      "coordinates: {x: {rate: 0.4}, y: 0.3, a: tilt}\n"
      "energy: {kinetic: x'^2/2 + y'^2/2 + a'^2/24, potential: 9.81*y}\n"
      "contacts:\n"
      "  l: {gap: y - sin(a)/2, slip: x', friction: 0.2, impact: {law: energetic, e: e}}\n"
      "  r: {gap: y + sin(a)/2, slip: x', friction: 0.2, impact: {law: energetic, e: e}}\n"
      "run: {until: 0.42, rtol: 1e-12}\n";
  const char *const by[] = {"e", "tilt"}, *const of[] = {"y'", "a'", "y", "a"};
  asked it = ask(text, false, 2, by, 4, of);
  assert_int_equal(it.view->notes.piecewise, 0);
  for (int j = 0; j < 2; j++)
    check_differences(&it, j, 2, by[j], 4, of, 1e-4, 1e-7);
  done(&it);
}

// A box falls on a corner, rattles from corner to corner, and slides until it rests. Its last
// swings are too short to be told apart; what they leave of the way does not hang on their order.
static void test_box_comes_to_rest(void **unused) {
  (void)unused;
  static const char *const LAWS[] = {"poisson", "energetic"};
  const char *const by[] = {"mu", "e", "box.vx", "tilt"}, *const of[] = {"box.x"};
  for (int law = 0; law < 2; law++) {
    char text[600];
    (void)snprintf(text, sizeof text,
                   "title: box\nparameters: {mu: 0.4, e: 0.3, tilt: 0.35}\ngravity: 9.81\n"
                   "bodies:\n"
                   "  box: {box: [0.4, 0.2], mass: 2, at: [0, 0.5], turn: tilt, velocity: [1, 0],\n"
                   "        spin: 2}\n"
                   "  floor: {plane: [0, 1], fixed: yes}\n"
                   "contacts:\n"
                   "  f: {between: [box, floor], friction: mu, impact: {law: %s, e: e}}\n"
                   "run: {until: 0.7, rtol: 1e-11}\n",
                   LAWS[law]);
    asked it = ask(text, false, 4, by, 1, of);
    assert_true(it.view->notes.piecewise > 0);
    for (int j = 0; j < 4; j++) {
      assert_int_equal(it.view->sides[j], CAROM_SENSITIVITY_SMOOTH);
      if (strcmp(by[j], "box.vx") != 0) check_differences(&it, j, 4, by[j], 1, of, 1e-4, 1e-6);
    }
    done(&it);
  }
}

// A block pulled from rest: one that starts forwards goes on so, one that starts backwards loses
// its speed to F + mu g first. Its start has two sides; those of F have not.
static void test_sets_off(void **unused) {
  (void)unused;
  static const char text[] = "title: pulled\nparameters: {F: 5, mu: 0.3}\n"
                             "coordinates: {x: 0, y: 0}\n"
                             "energy: {kinetic: x'^2/2 + y'^2/2, potential: 10*y}\n"
                             "forces: {x: F}\n"
                             "contacts: {f: {gap: y, slip: x', friction: mu}}\n"
                             "run: {until: 2}\n";
  const char *const start[] = {"x'"}, *const pull[] = {"F", "mu"}, *const of[] = {"x", "x'"};
  for (int adjoint = 0; adjoint < 2; adjoint++) {
    asked it = ask(text, adjoint, 1, start, 2, of);
    assert_true(it.view->notes.piecewise > 0);
    CHECK_NEAR(it.view->slopes[0], 2.0, 1e-10);
    CHECK_NEAR(it.view->slopes[1], 1.0, 1e-10);
    done(&it);
    it = ask(text, adjoint, 2, pull, 2, of);
    assert_int_equal(it.view->notes.piecewise, 0);
    const double known[] = {2.0, -20.0, 2.0, -20.0};
    for (int k = 0; k < 4; k++)
      CHECK_NEAR(it.view->slopes[k], known[k], 1e-9);
    done(&it);
  }
}

// A linkage whose start constraints make from one that does not fit: in metres, micrometres and
// nanometres the same.
static void test_small_lengths(void **unused) {
  (void)unused;
  const char *const by[] = {"a", "b", "crank"}, *const of[] = {"crank", "crank'", "x"};
  double metres[9];
  for (int power = 0; power <= 9; power += 3) {
    char text[700];
    double unit = pow(10.0, -power);
    (void)snprintf(text, sizeof text,
                   "title: slider crank\nparameters: {u: %.17g, a: %.17g, b: %.17g}\n"
                   "coordinates: {crank: {start: 0.4, rate: 3}, x: 3.5*u, tilt: 0.1}\n"
                   "energy:\n"
                   "  kinetic: u^2*(crank'^2/2 + tilt'^2) + x'^2/2\n"
                   "  potential: 9.81*u^2*sin(crank)\n"
                   "constraints: {along: a*cos(crank) + b*cos(tilt) = x,\n"
                   "              across: a*sin(crank) = b*sin(tilt)}\n"
                   "run: {until: 1, rtol: 1e-11, atol: 1e-22, assemble: yes}\n",
                   unit, unit, 2.7 * unit);
    asked it = ask(text, false, 3, by, 3, of);
    for (int k = 0; k < 3; k++)
      for (int j = 0; j < 3; j++) {
        double slope = it.view->slopes[k * 3 + j] * (j < 2 ? unit : 1.0) / (k == 2 ? unit : 1.0);
        if (power == 0) metres[k * 3 + j] = slope;
        CHECK_NEAR(slope, metres[k * 3 + j], 1e-8 * fmax(1.0, fabs(slope)));
      }
    done(&it);
  }
  // differences of whole runs, of order 4
  const double known[] = {0.650031937788, 1.257242059110, 2.374346271900};
  for (int j = 0; j < 3; j++)
    CHECK_NEAR(metres[j], known[j], 1e-8);
}

// x meets zero, slides while a t < 2 and leaves at t = 2/a.
static void test_sliding(void **unused) {
  (void)unused;
  const char *const by[] = {"a", "x"}, *const of[] = {"x"};
  asked it = ask("title: sliding\nparameters: {a: 0.5}\n"
                 "states: {x: {start: 1, rate: \"-2*sign(x) + a*t\"}}\nrun: {until: 5}\n",
                 false, 2, by, 1, of);
  const carom_sensitivity_event *leaves = &it.view->events[it.view->event_count - 1];
  CHECK_NEAR(leaves->t, 4.0, 1e-9);
  CHECK_NEAR(leaves->slopes[0], -8.0, 1e-7);
  CHECK_NEAR(leaves->slopes[1], 0.0, 1e-9);
  // then x = a (t^2 - 4/a^2)/2 - 2 (t - 2/a)
  CHECK_NEAR(it.view->values[0], 0.25, 1e-9);
  CHECK_NEAR(it.view->slopes[0], 4.5, 1e-8);
  CHECK_NEAR(it.view->slopes[1], 0.0, 1e-9);
  done(&it);
}

// Sliding of second order: swings pile up on x = sin(w t), which the motion follows from there.
static void test_second_order(void **unused) {
  (void)unused;
  const char *const by[] = {"w", "x", "a"}, *const of[] = {"x", "x'"};
  asked it = ask("title: twisting\nparameters: {a: 4, w: 1}\n"
                 "coordinates: {x: {start: 0.5, rate: 0}}\nenergy: {kinetic: x'^2/2}\n"
                 "forces: {x: \"-a*sign(x - sin(w*t)) - 1.5*sign(x' - w*cos(w*t))\"}\n"
                 "run: {until: 4.5}\n",
                 false, 3, by, 2, of);
  double t = 4.5;
  const double known[] = {t * cos(t), 0.0, 0.0, cos(t) - t * sin(t), 0.0, 0.0};
  for (int k = 0; k < 6; k++)
    CHECK_NEAR(it.view->slopes[k], known[k], 1e-6);
  assert_true(it.view->notes.piecewise > 0);
  done(&it);
}

// dashpots of compliant contacts are found anew at each touch: their derivatives are not known
static void test_compliant(void **unused) {
  (void)unused;
  const char *const by[] = {"e"}, *const of[] = {"y"};
  carom_error error = {0};
  carom_sensitivity *result;
  motion m = motion_parse("title: drop\nparameters: {e: 0.5}\ncoordinates: {y: 0.3}\n"
                          "energy: {kinetic: y'^2/2, potential: 9.81*y}\n"
                          "contacts: {floor: {gap: y, impact: e}}\n"
                          "run: {until: 0.6, compliant: 2e4}\n");
  carom_sensitivity_options options = carom_sensitivity_options_default();
  options.model = m.model;
  options.by_count = options.of_count = 1;
  options.by = by;
  options.of = of;
  assert_int_equal(carom_sensitivity_run(&options, &result, &error), CAROM_ERR_UNSUPPORTED);
  assert_non_null(strstr(error.text, "run.compliant"));
  motion_end(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rolling_ball),      cmocka_unit_test(test_stopped_slip),
      cmocka_unit_test(test_box_comes_to_rest), cmocka_unit_test(test_sets_off),
      cmocka_unit_test(test_small_lengths),     cmocka_unit_test(test_compliant),
      cmocka_unit_test(test_sliding),           cmocka_unit_test(test_second_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
