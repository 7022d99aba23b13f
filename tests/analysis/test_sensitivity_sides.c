// SPDX-License-Identifier: MIT
// Where neighbours come to different sides (grazes, contacts that strike at one instant), and
// second derivatives: closed forms, and differences of whole runs on one side.
#include "asked.h"

#include "carom/sensitivity.h"

#include <math.h>
#include <string.h>

static asked ask(const char *text, bool second, int by_count, const char *const *by, int of_count,
                 const char *const *of) {
  carom_sensitivity_options options = carom_sensitivity_options_default();
  options.sides = true;
  options.second = second;
  return ask_of(motion_parse(text), options, by_count, by, of_count, of);
}

static double run_with(const motion *m, const char *of, const char *by, double change) {
  carom_simulation *s;
  carom_error error = {0};
  double at, found;
  MUST(carom_simulation_create(m->model, &s, &error), error);
  MUST(carom_simulation_get(s, by, &at, &error), error);
  MUST(carom_simulation_set(s, by, at + change, &error), error);
  MUST(carom_simulation_run(s, &error), error);
  MUST(carom_simulation_get(s, of, &found, &error), error);
  carom_simulation_destroy(s);
  return found;
}

// A ball just reaches a ceiling: y' changes by (1 + e) w at the approach w = sqrt(2 v dv) or
// sqrt(2 g dH).
static void test_ceiling(void **unused) {
  (void)unused;
  const char *const by[] = {"v", "H", "e"}, *const of[] = {"y", "y'"};
  asked it = ask("title: ceiling\nparameters: {g: 9.81, e: 0.8, H: 1, v: 4.4294469180700204}\n"
                 "coordinates: {y: {start: 0, rate: v}}\n"
                 "energy: {kinetic: y'^2/2, potential: g*y}\n"
                 "contacts: {top: {gap: H - y, impact: e}}\nrun: {until: 1}\n",
                 false, 3, by, 2, of);
  double v = sqrt(2.0 * 9.81), t = v / 9.81;
  assert_int_equal(it.view->notes.grazes, 1);
  assert_int_equal(it.view->graze_count, 1);
  const carom_sensitivity_graze *graze = it.view->grazes;
  assert_string_equal(graze->name, "top");
  CHECK_NEAR(graze->t, t, 1e-7);
  const double strikes[] = {1.0, -1.0, 0.0}, size[] = {sqrt(2.0 * v), sqrt(2.0 * 9.81), 0.0};
  const double slopes[] = {1.0, 0.0, 0.0};
  for (int j = 0; j < 3; j++) {
    CHECK_NEAR(graze->strikes[j], strikes[j], 0.0);
    CHECK_NEAR(graze->coefficients[3 + j], -1.8 * size[j], 1e-7);
    CHECK_NEAR(graze->coefficients[j], -1.8 * size[j] * (1.0 - t), 1e-6);
    CHECK_NEAR(it.view->slopes[j], slopes[j], 1e-9);
    CHECK_NEAR(it.view->slopes[3 + j], slopes[j], 1e-9);
  }
  done(&it);
}

// Friction in the slow impact, a spring afterwards, another impact behind it: against changes of
// whole runs over sqrt(change), whose limit is found from three of them.
static void test_rough_graze(void **unused) {
  (void)unused;
  const char *const by[] = {"w", "top"}, *const of[] = {"x", "y", "a'"};
  static const char *const LAWS[] = {"newton", "poisson", "energetic"};
  for (int law = 0; law < 3; law++) {
    char text[900];
    (void)snprintf(
        text, sizeof text,
        "title: rough ceiling\nparameters: {w: 2, top: 2, e: 0.6, mu: 0.2}\n"
        "coordinates: {x: {rate: 1}, y: {rate: w}, a: {rate: 3}}\n"
        "energy: {kinetic: x'^2/2 + y'^2/2 + a'^2/20, potential: y^2/2 + x^2/8}\n"
        "contacts:\n"
        "  ceiling: {gap: top - y, slip: x' + a'/2, friction: mu, impact: {law: %s, e: e}}\n"
        "  ground: {gap: y + 0.5, slip: x' + a'/2, friction: mu, impact: {law: %s, e: e}}\n"
        "run: {until: 5.1, rtol: 1e-12}\n",
        LAWS[law], LAWS[law]);
    asked it = ask(text, false, 2, by, 3, of);
    assert_int_equal(it.view->graze_count, 1);
    for (int j = 0; j < 2; j++)
      for (int k = 0; k < 3; k++) {
        double sign = it.view->grazes->strikes[j], c[3], begin = run_with(&it.m, of[k], by[j], 0.0);
        double h = 1e-5;
        for (int n = 0; n < 3; n++, h /= 4.0)
          c[n] = (run_with(&it.m, of[k], by[j], sign * h) - begin) / sqrt(h);
        double once = 2.0 * c[1] - c[0], again = 2.0 * c[2] - c[1];
        CHECK(fabs(it.view->grazes->coefficients[k * 2 + j]) > 1e-2);
        CHECK_NEAR(it.view->grazes->coefficients[k * 2 + j], (4.0 * again - once) / 3.0, 2e-5);
      }
    done(&it);
  }
}

// Three equal elastic carts, the middle one on a spring: either contact may come first, and the
// third impact ends it. Each order against differences of runs on its side.
static void test_orders(void **unused) {
  (void)unused;
  const char *const by[] = {"x1", "x3", "s"}, *const of[] = {"x1", "x2", "x3", "x2'"};
  asked it = ask("title: three carts\nparameters: {s: 0.7}\n"
                 "coordinates: {x1: {start: 0, rate: 1}, x2: {start: 1, rate: 0}, "
                 "x3: {start: 2, rate: -1}}\n"
                 "energy: {kinetic: x1'^2/2 + x2'^2/2 + x3'^2/2,\n"
                 "         potential: s*x1^2/2 + s*(x3 - 2)^2/2 + (x2 - 1)^2/2}\n"
                 "contacts: {a: {gap: x2 - x1, impact: 1}, b: {gap: x3 - x2, impact: 1}}\n"
                 "run: {until: 2, rtol: 1e-12}\n",
                 false, 3, by, 4, of);
  assert_int_equal(it.view->order_count, 2);
  assert_string_equal(it.view->orders[0].names, "a, b");
  assert_string_equal(it.view->orders[1].names, "b, a");
  // a cart that starts further on is met earlier
  const double first[2][3] = {{1.0, 1.0, 1.0}, {-1.0, -1.0, 1.0}};
  for (int order = 0; order < 2; order++)
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 4; k++) {
        double h = 1e-4 * first[order][j], f[3];
        for (int n = 0; n < 3; n++)
          f[n] = run_with(&it.m, of[k], by[j], n * h);
        double slope = (4.0 * f[1] - f[2] - 3.0 * f[0]) / (2.0 * h);
        CHECK_NEAR(it.view->orders[order].slopes[k * 3 + j], slope, 1e-5);
      }
  assert_int_equal(it.view->sides[0], CAROM_SENSITIVITY_ORDERED);
  assert_int_equal(it.view->sides[2], CAROM_SENSITIVITY_SMOOTH);
  done(&it);
}

// Bodies of other masses: the outcome depends on the order, and what moves all times alike has its
// derivative nevertheless.
static void test_jump(void **unused) {
  (void)unused;
  const char *const by[] = {"x1", "e", "all"}, *const of[] = {"x1", "x2'"};
  asked it = ask("title: three carts\nparameters: {e: 0.9, all: 0}\n"
                 "coordinates: {x1: {start: -all, rate: 1}, x2: {start: 1, rate: 0}, "
                 "x3: {start: 2 + all, rate: -1}}\n"
                 "energy: {kinetic: x1'^2/2 + 0.75*x2'^2 + 0.35*x3'^2, potential: 0}\n"
                 "contacts: {a: {gap: x2 - x1, impact: e}, b: {gap: x3 - x2, impact: e}}\n"
                 "run: {until: 2}\n",
                 false, 3, by, 2, of);
  const carom_sensitivity_side known[] = {CAROM_SENSITIVITY_JUMPS, CAROM_SENSITIVITY_SMOOTH,
                                          CAROM_SENSITIVITY_SMOOTH};
  for (int j = 0; j < 3; j++)
    assert_int_equal(it.view->sides[j], known[j]);
  assert_int_equal(it.view->order_count, 0);
  for (int k = 0; k < 2; k++) {
    assert_true(isnan(it.view->slopes[k * 3]));
    for (int j = 1; j < 3; j++) {
      double h = 1e-3;
      double slope =
          (run_with(&it.m, of[k], by[j], h) - run_with(&it.m, of[k], by[j], -h)) / (2.0 * h);
      CHECK_NEAR(it.view->slopes[k * 3 + j], slope, 1e-6);
    }
  }
  // the outcomes of the two orders are in truth apart
  CHECK(fabs(run_with(&it.m, "x1", "x1", 1e-6) - run_with(&it.m, "x1", "x1", -1e-6)) > 0.1);
  done(&it);
}

// One bounce: y = (1 + e) s T - 2 e h - h - g T^2/2 with s = sqrt(2 g h).
static void test_second(void **unused) {
  (void)unused;
  const char *const by[] = {"e", "h", "g"}, *const of[] = {"y"};
  asked it = ask("title: one bounce\nparameters: {e: 0.8, h: 1, g: 9.81}\n"
                 "coordinates: {y: h}\nenergy: {kinetic: y'^2/2, potential: g*y}\n"
                 "contacts: {floor: {gap: y, impact: e}}\nrun: {until: 0.7}\n",
                 true, 3, by, 1, of);
  double e = 0.8, h = 1.0, g = 9.81, T = 0.7, s = sqrt(2.0 * g * h);
  double eh = T * s / (2.0 * h) - 2.0, eg = T * s / (2.0 * g),
         hg = (1.0 + e) * T * s / (4.0 * h * g);
  double hh = -(1.0 + e) * T * s / (4.0 * h * h), gg = -(1.0 + e) * T * s / (4.0 * g * g);
  const double known[9] = {0.0, eh, eg, eh, hh, hg, eg, hg, gg};
  assert_non_null(it.view->second);
  for (int k = 0; k < 9; k++) {
    CHECK_NEAR(it.view->second[k], known[k], 1e-8);
    CHECK(it.view->second_errors[k] < 1e-6);
    CHECK_NEAR(it.view->second[k], known[k], 10.0 * it.view->second_errors[k] + 1e-11);
  }
  done(&it);
}

// A restitution of 0 has no neighbours below, a graze none that meet the same events.
static void test_no_second(void **unused) {
  (void)unused;
  static const char *const TEXTS[] = {
      "title: edge\nparameters: {e: 0}\ncoordinates: {y: 1}\n"
      "energy: {kinetic: y'^2/2, potential: 10*y}\n"
      "contacts: {floor: {gap: y, impact: e}}\nrun: {until: 0.7}\n",
      "title: graze\nparameters: {e: 2}\ncoordinates: {y: {rate: e}}\n"
      "energy: {kinetic: y'^2/2, potential: y^2/2}\n"
      "contacts: {top: {gap: 2 - y, impact: 0.5}}\nrun: {until: 4}\n"};
  const char *const by[] = {"e"}, *const of[] = {"y"};
  for (int k = 0; k < 2; k++) {
    motion m = motion_parse(TEXTS[k]);
    carom_error error = {0};
    carom_sensitivity *result;
    carom_sensitivity_options options = carom_sensitivity_options_default();
    options.model = m.model;
    options.by_count = options.of_count = 1;
    options.by = by;
    options.of = of;
    options.second = true;
    assert_true(carom_sensitivity_run(&options, &result, &error) < 0);
    assert_non_null(strstr(error.text, "no second derivative by 'e'"));
    motion_end(&m);
  }
}

// Two equal blocks on a belt stick and slip at the same instants. Neighbours that are not equal do
// so one after the other: each has times of its own. Apart they know nothing of each other;
// coupled, differences of whole runs, whose blocks slip 1e-3 s apart, say the same on both sides.
static const char BLOCKS[] =
    "title: blocks\n"
    "parameters: {v: 0.1, k1: 1, k2: 1, kc: 0}\n"
    "coordinates: {x1: {start: 0, rate: v}, x2: {start: 0, rate: v}}\n"
    "energy: {kinetic: x1'^2/2 + x2'^2/2, potential: k1*x1^2/2 + "
    "k2*x2^2/2 + kc*(x1 - x2)^2/2}\n"
    "contacts:\n"
    "  first: {normal: 1, slip: x1' - v, friction: {stick: 1, slip: 0.5}}\n"
    "  second: {normal: 1, slip: x2' - v, friction: {stick: 1, slip: 0.5}}\n"
    "run: {until: 17, rtol: 1e-12}\n";

static void test_slip_together(void **unused) {
  (void)unused;
  const char *const by[] = {"k1", "k2", "v"}, *const of[] = {"x1", "x2", "x1'", "x2'"};
  asked it = ask(BLOCKS, false, 3, by, 4, of);
  assert_int_equal(it.view->notes.piecewise, 0);
  CHECK_NEAR(it.view->slopes[1], 0.0, 1e-9);
  CHECK_NEAR(it.view->slopes[3], 0.0, 1e-9);
  CHECK_NEAR(it.view->slopes[0], it.view->slopes[4], 1e-9);
  CHECK_NEAR(it.view->slopes[2], it.view->slopes[5], 1e-9);
  // x1 slips at k1 x1 = 1, x1 = v t: t = 1/(k1 v)
  for (long k = 0; k < it.view->event_count; k++) {
    const carom_sensitivity_event *event = &it.view->events[k];
    bool first = strcmp(event->name, "first") == 0;
    if (event->kind != CAROM_EVENT_SLIP) continue;
    CHECK_NEAR(event->t, 10.0, 1e-7);
    CHECK_NEAR(event->slopes[first ? 0 : 1], -10.0, 1e-6);
    CHECK_NEAR(event->slopes[first ? 1 : 0], 0.0, 1e-6);
    CHECK_NEAR(event->slopes[2], -100.0, 1e-5);
  }
  done(&it);

  char text[sizeof BLOCKS];
  memcpy(text, BLOCKS, sizeof text);
  char *kc = strstr(text, "kc: 0");
  kc[4] = '2';
  it = ask(text, false, 3, by, 4, of);
  assert_int_equal(it.view->notes.piecewise, 0);
  for (int j = 0; j < 2; j++)
    for (int i = 0; i < 4; i++) {
      // second derivatives differ on the two sides: the error of D(h) is linear in h
      double h = 1e-5, one = run_with(&it.m, of[i], by[j], h) - run_with(&it.m, of[i], by[j], -h);
      double two = run_with(&it.m, of[i], by[j], 2 * h) - run_with(&it.m, of[i], by[j], -2 * h);
      double slope = 2.0 * one / (2.0 * h) - two / (4.0 * h);
      CHECK_NEAR(it.view->slopes[3 * i + j], slope, 1e-5 * fmax(1.0, fabs(slope)));
    }
  done(&it);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_ceiling),       cmocka_unit_test(test_rough_graze),
      cmocka_unit_test(test_orders),        cmocka_unit_test(test_jump),
      cmocka_unit_test(test_second),        cmocka_unit_test(test_no_second),
      cmocka_unit_test(test_slip_together),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
