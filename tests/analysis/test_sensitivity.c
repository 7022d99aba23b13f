// SPDX-License-Identifier: MIT
// Derivatives of runs by parameters, start values and laws: against closed forms, and against
// differences of whole runs, which share nothing with tangent dynamics.
#include "asked.h"

#include "carom/sensitivity.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 8 };

static asked ask(motion m, int by_count, const char *const *by, int of_count,
                 const char *const *of) {
  carom_sensitivity_options options = carom_sensitivity_options_default();
  return ask_of(m, options, by_count, by, of_count, of);
}

// t_n = sqrt(2 h/g) (1 + 2 e + ... + 2 e^(n-1))
static void test_clicks(void **unused) {
  (void)unused;
  const char *const by[] = {"e", "h", "g"}, *const of[] = {"y"};
  const carom_setting settings[] = {{"run.until", "3"}, {0}};
  asked it = ask(motion_load("bouncing_ball", settings), 3, by, 1, of);
  double e = 0.8, g = 9.81, fall = sqrt(2.0 / g), sum = 1.0, slope = 0.0;
  int n = 0;
  for (long k = 0; k < it.view->event_count; k++) {
    const carom_sensitivity_event *at = &it.view->events[k];
    if (at->kind != CAROM_EVENT_IMPACT) continue;
    if (n > 0) {
      slope += 2.0 * n * pow(e, n - 1);
      sum += 2.0 * pow(e, n);
    }
    CHECK_NEAR(at->t, fall * sum, 1e-12);
    CHECK_NEAR(at->slopes[0], fall * slope, 1e-9);
    CHECK_NEAR(at->slopes[1], at->t / 2.0, 1e-9);
    CHECK_NEAR(at->slopes[2], -at->t / (2.0 * g), 1e-9);
    n++;
  }
  assert_true(n >= 6);
  assert_int_equal(it.view->notes.grazes, 0);
  done(&it);
}

// Bodies of equal mass exchange their velocities: x1 ends where x2 would have come to, and back.
static void test_elastic(void **unused) {
  (void)unused;
  const char *const by[] = {"x1", "x2", "x1'", "x2'"}, *const of[] = {"x1", "x2", "x1'", "x2'"};
  asked it = ask(motion_parse("title: exchange\n"
                              "coordinates:\n"
                              "  x1: {start: 0, rate: 1}\n"
                              "  x2: {start: 1, rate: 0}\n"
                              "energy: {kinetic: x1'^2/2 + x2'^2/2, potential: 0}\n"
                              "contacts: {touch: {gap: x2 - x1, impact: {law: newton, e: 1}}}\n"
                              "run: {until: 3}\n"),
                 4, by, 4, of);
  const double known[16] = {0, 1, 0, 3, 1, 0, 3, 0, 0, 0, 0, 1, 0, 0, 1, 0};
  for (int k = 0; k < 16; k++)
    CHECK_NEAR(it.view->slopes[k], known[k], 1e-10);
  done(&it);
}

// Bounces pile up at t* = sqrt(2 h/g) (1 + e)/(1 - e). The contact closes when a flight is a
// millionth of the longest one, so that the slope of its time is known to some thousandths.
static void test_chatter(void **unused) {
  (void)unused;
  const char *const by[] = {"e"}, *const of[] = {"y", "y'"};
  asked it = ask(motion_load("bouncing_ball", NULL), 1, by, 2, of);
  CHECK_NEAR(it.view->slopes[0], 0.0, 1e-12); // at rest, whatever e is
  CHECK_NEAR(it.view->slopes[1], 0.0, 1e-12);
  double e = 0.8, known = sqrt(2.0 / 9.81) * 2.0 / ((1.0 - e) * (1.0 - e));
  bool closed = false;
  for (long k = 0; k < it.view->event_count; k++)
    if (it.view->events[k].kind == CAROM_EVENT_CLOSE) {
      closed = true;
      CHECK_NEAR(it.view->events[k].slopes[0], known, 1e-3);
    }
  assert_true(closed);
  done(&it);
}

// the output of a run with one input moved
static double run_with(const motion *m, const char *of, const char *by, double value) {
  carom_simulation *s;
  carom_error error = {0};
  double found;
  MUST(carom_simulation_create(m->model, &s, &error), error);
  MUST(carom_simulation_set(s, by, value, &error), error);
  MUST(carom_simulation_run(s, &error), error);
  MUST(carom_simulation_get(s, of, &found, &error), error);
  carom_simulation_destroy(s);
  return found;
}

// Central differences of order 4 with two steps: their disagreement is how well they are known.
static void check_differences(motion m, int by_count, const char *const *by, int of_count,
                              const char *const *of) {
  asked it = ask(m, by_count, by, of_count, of);
  for (int k = 0; k < of_count; k++)
    for (int j = 0; j < by_count; j++) {
      double at, d[2];
      carom_error error = {0};
      MUST(carom_simulation_get(m.simulation, by[j], &at, &error), error);
      for (int r = 0; r < 2; r++) {
        double h = (r == 0 ? 2e-4 : 1e-4) * fmax(fabs(at), 0.1);
        double near = run_with(&m, of[k], by[j], at + h) - run_with(&m, of[k], by[j], at - h);
        double far =
            run_with(&m, of[k], by[j], at + 2 * h) - run_with(&m, of[k], by[j], at - 2 * h);
        d[r] = (8.0 * near - far) / (12.0 * h);
      }
      double unsure = 10.0 * fabs(d[0] - d[1]) + 1e-7 * fmax(1.0, fabs(d[1]));
      assert_true(unsure < 1e-3 * fmax(1.0, fabs(d[1])));
      CHECK_NEAR(it.view->slopes[k * by_count + j], d[1], unsure);
    }
  done(&it);
}

static void test_stick_slip(void **unused) {
  (void)unused;
  const char *const by[] = {"mu", "mu_s", "v0", "k", "x"}, *const of[] = {"slips", "x"};
  const carom_setting settings[] = {{"v1", "0"}, {"run.until", "40"}, {"measure.after", "10"}, {0}};
  check_differences(motion_load("belt_block", settings), 5, by, 2, of);
}

// a body thrown onto a rough floor, struck by each law, that then slides until it stops
static void test_laws(void **unused) {
  (void)unused;
  static const char *const LAWS[] = {"newton", "poisson", "energetic"};
  for (int k = 0; k < 3; k++) {
    char text[900];
    (void)snprintf(text, sizeof text,
                   "title: thrown\nparameters: {m: 1, g: 9.81, mu: 0.25, e: 0.5, j: 0.05, r: 0.3}\n"
                   "coordinates:\n  x: {rate: 2}\n  y: 1\n  a: {start: 0, rate: 1}\n"
                   "define: {far: x + r*a*y}\n"
                   "energy: {kinetic: m/2*(x'^2 + y'^2) + j/2*a'^2, potential: m*g*y}\n"
                   "contacts:\n  floor: {gap: y, slip: x' + r*a', friction: mu,\n"
                   "          impact: {law: %s, e: e}}\n"
                   "run: {until: 1.5}\nobserve: {mean_x: mean(x), drift: mean_rate(x)}\n",
                   LAWS[k]);
    const char *const by[] = {"mu", "e", "j", "y", "x'"};
    const char *const of[] = {"x", "a", "far", "mean_x", "drift"};
    check_differences(motion_parse(text), 5, by, 5, of);
  }
}

// parameters computed from others, a run that ends with the drive, a rule that sets the state
static void test_dependent(void **unused) {
  (void)unused;
  const char *const by[] = {"w", "c", "s"}, *const of[] = {"x", "power"};
  check_differences(
      motion_parse("title: driven\nparameters: {w: 2, k: 1.3*w^2, T: 2*pi/w, c: 0.2, s: 0.7}\n"
                   "coordinates: {x: {start: s*w, rate: 0.1}}\n"
                   "energy: {kinetic: x'^2/2, potential: k*x^2/2, dissipation: c/2*x'^2}\n"
                   "forces: {x: cos(w*t)}\n"
                   "events: {kick: {when: x, direction: falling, do: {\"x'\": s*x'}}}\n"
                   "run: {until: 4*T}\nmeasure: {after: T}\nobserve: {power: mean(x'^2)}\n"),
      3, by, 2, of);
}

// A start that constraints make: rates that are not written follow from those that are.
static void test_constrained(void **unused) {
  (void)unused;
  const char *const by[] = {"l", "m", "slope", "a'"}, *const of[] = {"x", "y'", "b", "begun"};
  const carom_setting settings[] = {{"run.until", "1"}, {"measure.after", "0"}, {0}};
  check_differences(motion_load("compass_walker", settings), 3, by, 4, of);
  const char *const lengths[] = {"a", "b", "c", "d"}, *const bars[] = {"crank", "rocker'"};
  check_differences(motion_load("four_bar", NULL), 4, lengths, 2, bars);
}

// A contact that strikes at the very start: neighbours in law and speed do so too, those in place
// do not.
static void test_strike_at_start(void **unused) {
  (void)unused;
  const char *const by[] = {"mu", "eps", "V"}, *const of[] = {"x'", "z'", "phi'"};
  check_differences(motion_load("rod_collision", NULL), 3, by, 3, of);
}

// Equal bodies: u1 = (1 - e)/2, u2 = (1 + e)/2. At e = 1 there is no more, and the derivative is
// that of less.
static void test_edge_of_law(void **unused) {
  (void)unused;
  const char *const by[] = {"e"}, *const of[] = {"x1'", "x2'"};
  asked it = ask(motion_parse("title: exchange\nparameters: {e: 1}\n"
                              "coordinates:\n"
                              "  x1: {start: 0, rate: 1}\n"
                              "  x2: {start: 1, rate: 0}\n"
                              "energy: {kinetic: x1'^2/2 + x2'^2/2, potential: 0}\n"
                              "contacts: {touch: {gap: x2 - x1, impact: {law: newton, e: e}}}\n"
                              "run: {until: 3}\n"),
                 1, by, 2, of);
  CHECK_NEAR(it.view->slopes[0], -0.5, 1e-10);
  CHECK_NEAR(it.view->slopes[1], 0.5, 1e-10);
  done(&it);
  // three balls in a row, where more than 1 is refused
  const carom_setting settings[] = {{"run.until", "0.5"}, {0}};
  const char *const ends[] = {"p1", "p2", "p3"};
  it = ask(motion_load("cradle_3", settings), 1, by, 3, ends);
  assert_true(it.view->notes.piecewise > 0);
  for (int k = 0; k < 3; k++) {
    double f[3], h = 1e-4;
    for (int n = 0; n < 3; n++)
      f[n] = run_with(&it.m, ends[k], "e", 1.0 - n * h);
    CHECK_NEAR(it.view->slopes[k], (3.0 * f[0] - 4.0 * f[1] + f[2]) / (2.0 * h), 1e-6);
  }
  done(&it);
}

// A fall that ends at the ground: t = sqrt(2 h/g), y' = -sqrt(2 g h).
static void test_stop(void **unused) {
  (void)unused;
  const char *const by[] = {"h", "g"}, *const of[] = {"y", "y'", "mean_y", "lowest"};
  asked it = ask(motion_parse("title: fall\nparameters: {h: 2, g: 9.81}\n"
                              "coordinates: {y: h}\n"
                              "energy: {kinetic: y'^2/2, potential: g*y}\n"
                              "stop: {ground: y < 0}\nrun: {until: 3}\n"
                              "observe: {mean_y: mean(y), lowest: min(y)}\n"),
                 2, by, 4, of);
  double h = 2.0, g = 9.81, t = sqrt(2.0 * h / g), v = sqrt(2.0 * g * h);
  const double known[8] = {0, 0, -v / (2 * h), -v / (2 * g), 2.0 / 3.0, 0, 0, 0};
  CHECK_NEAR(it.view->t_end, t, 1e-12);
  CHECK_NEAR(it.view->values[2], 2.0 * h / 3.0, 1e-10);
  for (int k = 0; k < 8; k++)
    CHECK_NEAR(it.view->slopes[k], known[k], 1e-9);
  const carom_sensitivity_event *last = &it.view->events[it.view->event_count - 1];
  assert_int_equal(last->kind, CAROM_EVENT_STOP);
  CHECK_NEAR(last->slopes[0], t / (2 * h), 1e-9);
  CHECK_NEAR(last->slopes[1], -t / (2 * g), 1e-9);
  done(&it);
}

// The second flight rises to e^2 h; floor and section are met with known speeds.
static void test_extremes(void **unused) {
  (void)unused;
  const char *const by[] = {"e", "h", "g"};
  const char *const of[] = {"top", "fastest", "struck", "passed", "per"};
  asked it =
      ask(motion_parse("title: ball\nparameters: {h: 1, g: 9.81, e: 0.8, level: 0.3}\n"
                       "coordinates: {y: h}\n"
                       "energy: {kinetic: y'^2/2, potential: g*y}\n"
                       "contacts: {floor: {gap: y, impact: {law: newton, e: e}}}\n"
                       "sections: {half: {when: y - level, direction: rising}}\n"
                       "run: {until: 1.2}\nmeasure: {after: 0.46}\n"
                       "observe: {top: max(y), fastest: min(y'), struck: \"at(floor, y')\",\n"
                       "  passed: \"at(half, y')\", per: max(y)/count(floor)}\n"),
          3, by, 5, of);
  double e = 0.8, h = 1.0, g = 9.81, v = e * sqrt(2.0 * g * h), u = sqrt(v * v - 2.0 * g * 0.3);
  const double known[15] = {2 * e * h,
                            e * e,
                            0,
                            -v / e,
                            -v / (2 * h),
                            -v / (2 * g),
                            -v / e,
                            -v / (2 * h),
                            -v / (2 * g),
                            2 * e * g * h / u,
                            e * e * g / u,
                            (e * e * h - 0.3) / u,
                            2 * e * h,
                            e * e,
                            0};
  for (int k = 0; k < 15; k++)
    CHECK_NEAR(it.view->slopes[k], known[k], 1e-8);
  CHECK_NEAR(it.view->values[0], e * e * h, 1e-10);
  CHECK_NEAR(it.view->values[3], u, 1e-10);
  done(&it);
}

// extremes of a driven oscillator that strikes, friction, computed parameters
static void test_extremes_differ(void **unused) {
  (void)unused;
  const char *const by[] = {"w", "e", "c"}, *const of[] = {"far", "quick", "slow", "hit"};
  check_differences(
      motion_parse("title: driven\nparameters: {w: 1.7, e: 0.6, c: 0.1}\n"
                   "coordinates: {x: {start: 0.2, rate: 0.1}}\n"
                   "energy: {kinetic: x'^2/2, potential: x^2/2, dissipation: c/2*x'^2}\n"
                   "forces: {x: cos(w*t)}\n"
                   "contacts: {wall: {gap: 0.6 - x, impact: {law: newton, e: e}}}\n"
                   "run: {until: 21}\nmeasure: {after: 5}\n"
                   "observe: {far: max(-x), quick: max(x'), slow: \"min(x' + x)\",\n"
                   "  hit: \"at(wall, x' + t)\"}\n"),
      3, by, 4, of);
}

static carom_status refusal(motion m, const char *by, const char *of, carom_error *error) {
  carom_sensitivity *result;
  carom_sensitivity_options options = carom_sensitivity_options_default();
  options.model = m.model;
  options.by_count = options.of_count = 1;
  options.by = &by;
  options.of = &of;
  carom_status status = carom_sensitivity_run(&options, &result, error);
  assert_null(result);
  motion_end(&m);
  return status;
}

static void test_refused(void **unused) {
  (void)unused;
  carom_error error = {0};
  assert_int_equal(refusal(motion_load("bouncing_ball", NULL), "f", "y", &error),
                   CAROM_ERR_ARGUMENT);
  assert_non_null(strstr(error.text, "'f' is no parameter"));
  assert_int_equal(refusal(motion_load("bouncing_ball", NULL), "e", "f", &error),
                   CAROM_ERR_ARGUMENT);
  // an extreme at a kink of its expression
  assert_int_equal(refusal(motion_parse("title: kink\nparameters: {v: 1}\n"
                                        "coordinates: {x: {start: -1, rate: v}}\n"
                                        "energy: {kinetic: x'^2/2, potential: 0}\n"
                                        "run: {until: 3}\nobserve: {near: min(abs(x) + t/9)}\n"),
                           "v", "near", &error),
                   CAROM_ERR_UNSUPPORTED);
  assert_non_null(strstr(error.text, "kink"));
  assert_int_equal(refusal(motion_load("rod_collision", NULL), "z", "x'", &error),
                   CAROM_ERR_UNSUPPORTED);
  assert_non_null(strstr(error.text, "strikes at the start"));
}

static carom_status pull_back(const motion *m, size_t memory, int by_count, const char *const *by,
                              int of_count, const char *const *of, carom_sensitivity **result,
                              carom_error *error) {
  carom_sensitivity_options options = carom_sensitivity_options_default();
  options.model = m->model;
  options.by_count = by_count;
  options.by = by;
  options.of_count = of_count;
  options.of = of;
  options.adjoint = true;
  options.adjoint_memory = memory;
  return carom_sensitivity_run(&options, result, error);
}

// the same by the adjoint, which keeps at most so many bytes of the run
static void check_adjoint_within(size_t memory, const asked *it, int by_count,
                                 const char *const *by, int of_count, const char *const *of,
                                 double within) {
  carom_sensitivity *result;
  carom_error error = {0};
  MUST(pull_back(&it->m, memory, by_count, by, of_count, of, &result, &error), error);
  const carom_sensitivity_view *v = carom_sensitivity_look(result);
  for (int k = 0; k < of_count; k++) {
    double largest = 0.0;
    for (int j = 0; j < by_count; j++)
      largest = fmax(largest, fabs(it->view->slopes[k * by_count + j]));
    CHECK(largest > 0.0);
    CHECK_NEAR(v->values[k], it->view->values[k], 1e-9 * fmax(1.0, fabs(it->view->values[k])));
    for (int j = 0; j < by_count; j++)
      CHECK_NEAR(v->slopes[k * by_count + j], it->view->slopes[k * by_count + j], within * largest);
  }
  carom_sensitivity_destroy(result);
}

// as a whole, and in parts of some steps each that are made again
static void check_adjoint(const asked *it, int by_count, const char *const *by, int of_count,
                          const char *const *of, double within) {
  check_adjoint_within(0, it, by_count, by, of_count, of, within);
  check_adjoint_within(20000, it, by_count, by, of_count, of, within);
}

// Impacts by each law with friction, a rule that resets, stick and slip on a belt; a run length
// that depends on an input. What it does not go through is refused.
static void test_adjoint(void **unused) {
  (void)unused;
  static const char *const LAWS[] = {"newton", "poisson", "energetic"};
  for (int k = 0; k < 3; k++) {
    char text[900];
    (void)snprintf(
        text, sizeof text,
        "title: thrown\nparameters: {g: 9.81, mu: 0.15, e: 0.7, c: 0.3, m: 1.3, T: 1.5}\n"
        "coordinates: {x: {rate: 2}, y: 1, a: {start: 0, rate: 3}}\n"
        "states: {s: {start: 0, rate: x - s}}\n"
        "energy: {kinetic: m/2*(x'^2 + y'^2) + a'^2/100, potential: m*g*y,\n"
        "         dissipation: c/2*x'^2}\n"
        "contacts:\n"
        "  floor: {gap: y, slip: x' + a'/10, friction: mu, impact: {law: %s, e: e}}\n"
        "  wall: {gap: 1.4 - x, slip: y' + a'/10, friction: mu, impact: {law: %s, e: e}}\n"
        "events: {kick: {when: s - 0.6, direction: rising, do: {s: s/2, a': a' + x*c}}}\n"
        "run: {until: T, rtol: 1e-11}\n",
        LAWS[k], LAWS[k]);
    const char *const by[] = {"mu", "e", "c", "m", "g", "y", "x'", "T"}, *const of[] = {"x", "a",
                                                                                        "s"};
    asked it = ask(motion_parse(text), 8, by, 3, of);
    assert_true(it.view->event_count > 3);
    check_adjoint(&it, 8, by, 3, of, 1e-9);
    done(&it);
  }
  const char *const by[] = {"mu", "d", "v"}, *const of[] = {"x", "x'"};
  asked it = ask(motion_parse("title: belt\nparameters: {mu: 0.3, d: 0.2, v: 0.7}\n"
                              "coordinates: {x: 0.1}\n"
                              "energy: {kinetic: x'^2/2, potential: 5*x^2}\n"
                              "contacts: {a: {slip: x' - v, normal: 9.81,\n"
                              "  friction: mu*(d + (1 - d)*exp(-abs(slip)/0.3))}}\n"
                              "run: {until: 4.4, rtol: 1e-11}\n"),
                 3, by, 2, of);
  check_adjoint(&it, 3, by, 2, of, 1e-9);
  done(&it);
  // two corners that land at once strike each other's velocities
  const char *const input[] = {"g"}, *const output[] = {"z"};
  motion m = motion_load("block_four_points", NULL);
  carom_sensitivity *result;
  carom_error error = {0};
  assert_int_equal(pull_back(&m, 0, 1, input, 1, output, &result, &error), CAROM_ERR_UNSUPPORTED);
  assert_non_null(strstr(error.text, "leave it out"));
  motion_end(&m);
}

// What closed contacts and constraints forbid single states: impacts beside them, the end of
// chatter, a latch that opens; a stop that ends the run, two contacts that strike at once and know
// nothing of each other.
static void test_adjoint_beside(void **unused) {
  (void)unused;
  static const struct {
    int by_count, of_count;
    const char *by[5], *of[3], *text;
  } RUNS[] = {
      {5,
       2,
       {"e", "g", "mu", "v", "h"},
       {"x", "x'"},
       "title: a ball comes to rest while it slides\n"
       "parameters: {e: 0.6, g: 9.81, mu: 0.1, v: 4, h: 0.5}\n"
       "coordinates: {x: {start: 0, rate: v}, y: h}\n"
       "energy: {kinetic: (x'^2 + y'^2)/2, potential: g*y}\n"
       "contacts: {floor: {gap: y, slip: x', friction: mu, impact: e}}\n"
       "run: {until: 2.5}\n"},
      {5,
       2,
       {"m", "M", "v", "e", "mu"},
       {"X", "x"},
       "title: a body strikes a block that lies on the floor\n"
       "parameters: {m: 1, M: 2, v: 3, e: 0.5, mu: 0.4}\n"
       "coordinates: {x: {start: 0, rate: v}, X: 1, Y: 0}\n"
       "energy: {kinetic: m/2*x'^2 + M/2*(X'^2 + Y'^2), potential: M*9.81*Y}\n"
       "contacts:\n"
       "  hit: {gap: X - x, impact: e}\n"
       "  floor: {gap: Y, slip: X', friction: mu}\n"
       "run: {until: 0.7}\n"},
      {4,
       2,
       {"e", "g", "h", "x"},
       {"x", "y'"},
       "title: two balls strike at once\n"
       "parameters: {e: 0.6, g: 9.81, h: 0.5}\n"
       "coordinates: {x: h, y: h}\n"
       "energy: {kinetic: (x'^2 + y'^2)/2, potential: g*(x + y)}\n"
       "contacts: {a: {gap: x, impact: e}, b: {gap: y, impact: e}}\n"
       "run: {until: 0.8}\n"},
      {4,
       2,
       {"h", "g", "L", "v"},
       {"y'", "s"},
       "title: a stop\n"
       "parameters: {h: 1, g: 9.81, L: 0.3, v: 0.5, T: 3}\n"
       "coordinates: {y: {start: h, rate: v}}\n"
       "states: {s: {start: 0, rate: 1}}\n"
       "energy: {kinetic: y'^2/2, potential: g*y}\n"
       "stop: {low: {when: y - L, direction: falling}}\n"
       "run: {until: T}\n"},
  };
  for (size_t k = 0; k < sizeof RUNS / sizeof *RUNS; k++) {
    asked it =
        ask(motion_parse(RUNS[k].text), RUNS[k].by_count, RUNS[k].by, RUNS[k].of_count, RUNS[k].of);
    check_adjoint(&it, RUNS[k].by_count, RUNS[k].by, RUNS[k].of_count, RUNS[k].of, 1e-9);
    done(&it);
  }
  const carom_setting until[] = {{"run.until", "3"}, {"measure.after", "0"}, {0}};
  const char *const latch[] = {"M", "m", "g", "l", "s"}, *const foot[] = {"y", "f'"};
  asked it = ask(motion_load("jumping_robot", until), 5, latch, 2, foot);
  check_adjoint(&it, 5, latch, 2, foot, 1e-8);
  done(&it);
  const char *const block[] = {"b"}, *const turned[] = {"theta", "x'"};
  it = ask(motion_load("rocking_block", until), 1, block, 2, turned);
  check_adjoint(&it, 1, block, 2, turned, 1e-9);
  done(&it);
}

// Forces without a series, whose steps are brought back stage by stage: balls on springs of Hertz,
// one of which strikes.
static void test_adjoint_stages(void **unused) {
  (void)unused;
  const char *const by[] = {"k", "K", "c", "e", "a'", "b'"}, *const of[] = {"a", "b", "b'"};
  asked it = ask(motion_parse("title: row\nparameters: {k: 400, K: 9, c: 0.05, e: 0.8}\n"
                              "coordinates: {a: {start: 0, rate: 2}, b: {start: 1, rate: -1}}\n"
                              "energy:\n  kinetic: (a'^2 + b'^2)/2\n"
                              "  potential: 0.4*k*max(1.1 + a - b, 0)^2.5 + K*a^2/2\n"
                              "  dissipation: c/2*b'^2\n"
                              "contacts: {stop: {gap: 1.5 - b, impact: e}}\n"
                              "run: {until: 3, rtol: 1e-11}\n"),
                 6, by, 3, of);
  assert_true(it.view->event_count > 3);
  check_adjoint(&it, 6, by, 3, of, 1e-9);
  done(&it);
}

// Twenty masses in a row before a stop, all masses and springs inputs: more than a few are no
// reason to refuse. The last mass strikes; differences of some of the sixty inputs.
static void test_many_inputs(void **unused) {
  (void)unused;
  enum { MASSES = 20 };
  static char text[8000], names[2 * MASSES][16];
  const char *by[2 * MASSES], *const of[] = {"x0", "x19"};
  size_t n = (size_t)snprintf(text, sizeof text, "title: row\nparameters:\n");
#define ADD(...) n += (size_t)snprintf(text + n, sizeof text - n, __VA_ARGS__)
  for (int i = 0; i < MASSES; i++)
    ADD("  k%d: %g\n  m%d: %g\n", i, 1.0 + 0.1 * i, i, 1.0 + 0.05 * i);
  ADD("coordinates:\n");
  for (int i = 0; i < MASSES; i++)
    ADD("  x%d: {start: %g, rate: %g}\n", i, 0.1 * (i % 3), 0.2 * (i % 2));
  ADD("energy:\n  kinetic: m0*x0'^2/2");
  for (int i = 1; i < MASSES; i++)
    ADD(" + m%d*x%d'^2/2", i, i);
  ADD("\n  potential: k0*x0^2/2");
  for (int i = 1; i < MASSES; i++)
    ADD(" + k%d*(x%d - x%d)^2/2", i, i, i - 1);
  ADD("\nforces: {x19: 2*cos(t)}\ncontacts: {stop: {gap: 1 - x19, impact: 0.7}}\nrun: {until: "
      "6}\n");
#undef ADD
  for (int i = 0; i < 2 * MASSES; i++) {
    (void)snprintf(names[i], sizeof names[i], "%c%d", i % 2 ? 'm' : 'k', i / 2);
    by[i] = names[i];
  }
  asked it = ask(motion_parse(text), 2 * MASSES, by, 2, of);
  assert_true(it.view->event_count > 0);
  check_adjoint(&it, 2 * MASSES, by, 2, of, 1e-9);
  for (int i = 0; i < 2 * MASSES; i += 13)
    for (int k = 0; k < 2; k++) {
      double at = (i % 2 ? 1.0 + 0.05 * (i / 2) : 1.0 + 0.1 * (i / 2)), h = 1e-3;
      double near = run_with(&it.m, of[k], by[i], at + h) - run_with(&it.m, of[k], by[i], at - h);
      double far =
          run_with(&it.m, of[k], by[i], at + 2 * h) - run_with(&it.m, of[k], by[i], at - 2 * h);
      CHECK_NEAR(it.view->slopes[k * 2 * MASSES + i], (8.0 * near - far) / (12.0 * h), 1e-7);
    }
  done(&it);
}

// A ball of speed v flies 0.5 m to a spring with the energy k |y|^p and back. It touches for
// T ~ v^(2/p - 1) k^(-1/p) and ends at y = v (1.3 - 0.5/v - T), with the speed v. Behind the
// contact the slope of the force grows like y^(p - 2): no step by Runge and Kutta is short enough
// for it.
static void test_springs(void **unused) {
  (void)unused;
  const char *const by[] = {"y", "v", "k"}, *const of[] = {"y", "y'"};
  const double powers[] = {2.1, 2.5, 2.75, 3.0, 3.5};
  for (size_t n = 0; n < sizeof powers / sizeof *powers; n++) {
    char text[400];
    double p = powers[n], v = 1.5, k = 400.0;
    (void)snprintf(text, sizeof text,
                   "title: spring\n"
                   "parameters: {k: 400, v: 1.5}\n"
                   "coordinates: {y: {start: 0.5, rate: -v}}\n"
                   "energy: {kinetic: y'^2/2, potential: 'if(y < 0, k*abs(y)^%g, 0)'}\n"
                   "run: {until: 1.3}\n",
                   p);
    asked it = ask(motion_parse(text), 3, by, 2, of);
    assert_int_equal(it.view->event_count, 2);
    double T = it.view->events[1].t - it.view->events[0].t;
    CHECK_NEAR(it.view->slopes[0], -1.0, 2e-9);
    CHECK_NEAR(it.view->slopes[1], 1.3 - T - (2.0 / p - 1.0) * T, 2e-9);
    CHECK_NEAR(it.view->slopes[2], v * T / (p * k), 2e-9 / k);
    CHECK_NEAR(it.view->slopes[3], 0.0, 2e-8);
    CHECK_NEAR(it.view->slopes[4], 1.0, 2e-8);
    CHECK_NEAR(it.view->slopes[5], 0.0, 2e-8 / k);
    done(&it);
  }
}

// In the branch that is a constant zero a root has no slope; where it grows like a root there is
// none to be computed.
static void test_roots(void **unused) {
  (void)unused;
  const char *const by[] = {"y"}, *const of[] = {"y"};
  const char *const text = "title: root\n"
                           "coordinates: {y: {start: 0.5, rate: -1}}\n"
                           "energy: {kinetic: y'^2/2, potential: 0}\n"
                           "forces: {y: '4*sqrt(max(-y, 0)) + cbrt(min(y - 2, 0) + abs(y - 2))'}\n"
                           "run: {until: 0.4}\n";
  asked it = ask(motion_parse(text), 1, by, 1, of);
  CHECK_NEAR(it.view->slopes[0], 1.0, 1e-14);
  done(&it);
}

// x = b + a t with b = a^2 up to the time c = 3 b: a parameter that is computed is an input like
// any other, of the start and of the length of the run, too.
static void test_computed(void **unused) {
  (void)unused;
  const char *const by[] = {"a", "b", "c"}, *const of[] = {"x"};
  asked it = ask(motion_parse("title: computed\n"
                              "parameters: {a: 2, b: a^2, c: 3*b}\n"
                              "coordinates: {x: {start: b, rate: a}}\n"
                              "energy: {kinetic: x'^2/2, potential: 0}\n"
                              "run: {until: c}\n"),
                 3, by, 1, of);
  CHECK_NEAR(it.view->slopes[0], 4.0 + 12.0 + 2.0 * 12.0, 1e-9);
  CHECK_NEAR(it.view->slopes[1], 1.0 + 2.0 * 3.0, 1e-9);
  CHECK_NEAR(it.view->slopes[2], 2.0, 1e-9);
  done(&it);
}

// Numbers that are no parameters: a disc is thrown up from 0.9 m above a floor without friction and
// strikes it at T1 = (v + u)/g with u^2 = v^2 + 2 g 0.9.
static void test_opened(void **unused) {
  (void)unused;
  const char *const by[] = {"ball.vy", "contacts.ground.impact.e", "ball.wz", "run.until",
                            "ball.y'"};
  const char *const of[] = {"ball.y", "ball.turn"};
  asked it = ask(motion_parse("title: throw\n"
                              "gravity: 9.81\n"
                              "bodies:\n"
                              "  floor: {plane: [0, 1]}\n"
                              "  ball: {disc: 0.1, mass: 1, at: [0, 1], velocity: [1, 2]}\n"
                              "contacts: {ground: {between: [ball, floor], impact: 0.5}}\n"
                              "run: {until: 0.9}\n"),
                 5, by, 2, of);
  double g = 9.81, v = 2.0, e = 0.5, u = sqrt(v * v + 1.8 * g), s = 0.9 - (v + u) / g;
  double rate = e * u - g * s, by_v = e * v / u * s - rate * (1.0 + v / u) / g;
  CHECK_NEAR(it.view->values[0], 0.1 + e * u * s - g * s * s / 2.0, 1e-12);
  CHECK_NEAR(it.view->slopes[0], by_v, 1e-9);
  CHECK_NEAR(it.view->slopes[1], u * s, 1e-9);
  CHECK_NEAR(it.view->slopes[2], 0.0, 1e-12);
  CHECK_NEAR(it.view->slopes[3], rate, 1e-9);
  CHECK_NEAR(it.view->slopes[4], by_v, 1e-9);
  CHECK_NEAR(it.view->slopes[7], 0.9, 1e-12); // the turn by the spin
  done(&it);
}

// what is no input by any reading is told with its name
static void test_not_opened(void **unused) {
  (void)unused;
  static const char *const wrong[] = {"run.rtol", "title", "q", "contacts.floor.impact.f"};
  motion m = motion_load("bouncing_ball", NULL);
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
    carom_error error = {0};
    carom_model *opened;
    assert_int_equal(carom_model_open(m.model, 1, &wrong[k], &opened, &error), CAROM_ERR_ARGUMENT);
    assert_null(opened);
    assert_non_null(strstr(error.text, wrong[k]));
  }
  motion_end(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_clicks),         cmocka_unit_test(test_elastic),
      cmocka_unit_test(test_chatter),        cmocka_unit_test(test_stick_slip),
      cmocka_unit_test(test_laws),           cmocka_unit_test(test_dependent),
      cmocka_unit_test(test_constrained),    cmocka_unit_test(test_strike_at_start),
      cmocka_unit_test(test_edge_of_law),    cmocka_unit_test(test_stop),
      cmocka_unit_test(test_extremes),       cmocka_unit_test(test_extremes_differ),
      cmocka_unit_test(test_many_inputs),    cmocka_unit_test(test_adjoint),
      cmocka_unit_test(test_adjoint_beside), cmocka_unit_test(test_adjoint_stages),
      cmocka_unit_test(test_refused),        cmocka_unit_test(test_springs),
      cmocka_unit_test(test_roots),          cmocka_unit_test(test_opened),
      cmocka_unit_test(test_not_opened),     cmocka_unit_test(test_computed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
