// SPDX-License-Identifier: MIT
// Special points of branches: what they are, where, and that this depends on nothing else.
#include "branch_help.h"

#include <stdio.h>

#define LORENZ(x, z)                                                                               \
  "parameters: {sigma: 10, rho: 20, beta: 8/3}\nstates:\n"                                         \
  "  x: {start: " x ", rate: sigma*(y - x)}\n"                                                     \
  "  y: {start: " x ", rate: x*(rho - z) - y}\n"                                                   \
  "  z: {start: " z ", rate: x*y - beta*z}\nrun: {until: 100}\n"

static carom_continuation_options at_rest(int switches) {
  carom_continuation_options options = carom_continuation_options_default();
  options.equilibrium = true;
  options.switches = switches;
  return options;
}

// The bent branch turns back where the symmetric one crosses it: no multiplier passes 1 there
static void test_apex(void **unused) {
  (void)unused;
  carom_continuation *result =
      branches_of(motion_parse(LORENZ("7", "19")), at_rest(1), "rho", 20.0, 0.5);
  const carom_continuation_point *apex = labelled(result, CAROM_LABEL_CROSSING, 0, 0);
  CHECK_NEAR(apex->value, 1.0, 1e-9);
  assert_int_equal(apex->kind, CAROM_ORBIT_MARGINAL);
  CHECK_NEAR(labelled(result, CAROM_LABEL_END, 0, 0)->value, 20.0, 0.0); // as its mirror image
  CHECK_NEAR(labelled(result, CAROM_LABEL_END, 0, 0)->state[0], -sqrt(8.0 / 3.0 * 19.0), 1e-9);
  // and the symmetric one is followed where the other one is not
  CHECK_NEAR(labelled(result, CAROM_LABEL_END, 1, 0)->value, 0.5, 0.0);
  CHECK_NEAR(labelled(result, CAROM_LABEL_END, 1, 0)->state[0], 0.0, 1e-9);
  carom_continuation_destroy(result);

  // upwards, from beside the origin: the bent branch is left to
  result = branches_of(motion_parse(LORENZ("0.01", "0")), at_rest(1), "rho", 0.5, 20.0);
  CHECK_NEAR(labelled(result, CAROM_LABEL_CROSSING, 0, 0)->value, 1.0, 1e-11);
  const carom_continuation_point *end = labelled(result, CAROM_LABEL_END, 1, 0);
  CHECK_NEAR(end->value, 20.0, 0.0);
  CHECK_NEAR(fabs(end->state[0]), sqrt(8.0 / 3.0 * 19.0), 1e-9);
  carom_continuation_destroy(result);
}

#define BRAKE(damping)                                                                             \
  "parameters: {k1: 5, k2: 2*pi, k3: 4*pi/3, a: pi/6, mu: 0, c: " damping "}\n"                    \
  "coordinates: {x: 0.01, y: 0}\n"                                                                 \
  "energy:\n"                                                                                      \
  "  kinetic: (x'^2 + y'^2)/2\n"                                                                   \
  "  potential: k1/2*(y*sin(a) - x*cos(a))^2 + k2/2*(x*cos(a) + y*sin(a))^2 + k3/2*y^2\n"          \
  "  dissipation: c/2*(x'^2 + y'^2)\n"                                                             \
  "forces: {x: mu*k3*y}\nrun: {until: 50}\n"

static long count_of(const carom_continuation *result, carom_branch_label label) {
  long count = 0;
  for (long k = 0; k < carom_continuation_points(result); k++)
    count += carom_continuation_point_at(result, k)->label == label;
  return count;
}

// Two frequencies meet and leave the axis: (a - b)^2 + 4 c (c - mu k3) = 0 of the stiffnesses. With
// equal damping everywhere all eigenvalues move to the left, and it is a Hopf point further on.
static void test_flutter(void **unused) {
  (void)unused;
  const double k2 = 2.0 * PI, k3 = 4.0 * PI / 3.0;
  double a = 0.75 * (5.0 + k2), b = 0.25 * (5.0 + k2) + k3, c = sqrt(3.0) / 4.0 * (k2 - 5.0);
  double mu = ((a - b) * (a - b) + 4.0 * c * c) / (4.0 * c * k3);
  static const double from[] = {0.0, 2.0, 0.3}, to[] = {1.0, 0.01, 0.4};
  for (int k = 0; k < 3; k++) {
    carom_continuation *result =
        branches_of(motion_parse(BRAKE("0")), at_rest(0), "mu", from[k], to[k]);
    const carom_continuation_point *flutter = labelled(result, CAROM_LABEL_FLUTTER, 0, 0);
    CHECK_NEAR(flutter->value, mu, 1e-9);
    CHECK_NEAR(flutter->im, sqrt(0.5 * (a + b)), 1e-5);
    assert_int_equal(flutter->kind, CAROM_ORBIT_MARGINAL);
    assert_int_equal(count_of(result, CAROM_LABEL_HOPF), 0);
    carom_continuation_destroy(result);
  }
  carom_continuation *damped = branches_of(motion_parse(BRAKE("0.1")), at_rest(0), "mu", 0.0, 1.0);
  assert_int_equal(count_of(damped, CAROM_LABEL_FLUTTER), 0);
  const carom_continuation_point *hopf = labelled(damped, CAROM_LABEL_HOPF, 0, 0);
  // s^2 + 0.1 s = -(a + b)/2 -+ i w with s on the axis: w^2 = 0.01 (a + b)/2
  CHECK_NEAR(hopf->value, mu + 0.005 * (a + b) / (c * k3), 1e-8);
  carom_continuation_destroy(damped);
}

#define WIPER(first, second)                                                                       \
  "parameters: {sh: 0, m1: 0.1, m2: 1, l: 1, ky: 100, kphi: 100, cy: 10, phi0: pi/8, y0: 1, "      \
  "g: 10, v: -1, mu: 0.42, e: 0}\n"                                                                \
  "coordinates: {" first ", " second "}\n"                                                         \
  "define: {y: Y - sh, phi: P - sh, tx: l*sin(phi), ty: y - l*cos(phi)}\n"                         \
  "energy:\n"                                                                                      \
  "  kinetic: m1/2*(tx'^2 + ty'^2) + m2/2*y'^2\n"                                                  \
  "  potential: m1*g*ty + m2*g*y + ky/2*(y - y0)^2 + kphi/2*(phi - phi0)^2\n"                      \
  "  dissipation: cy/2*y'^2\n"                                                                     \
  "contacts: {tip: {gap: ty, slip: tx' - v, friction: mu, impact: {law: poisson, e: e}}}\n"        \
  "run: {until: 30, rtol: 1e-12}\n"

static carom_continuation *wipe(const char *text, const char *shift) {
  carom_model *model = NULL;
  carom_error error = {0};
  carom_setting settings[] = {{"sh", shift}};
  MUST(carom_model_parse(text, NULL, 1, settings, &model, &error), error);
  return branches_of(motion_of(model), carom_continuation_options_default(), "mu", 0.42, 0.385);
}

// Neither shifts of coordinates nor their order change what is found; the cycle ends where the
// equilibrium has its Hopf point, which its own branch finds at the same place.
static void test_shifted(void **unused) {
  (void)unused;
  const char *text = WIPER("Y: 0.95+sh", "P: 0.5+sh"), *other = WIPER("P: 0.5+sh", "Y: 0.95+sh");
  carom_continuation *plain = wipe(text, "0"), *shifted = wipe(text, "0.37"),
                     *far = wipe(other, "-0.6");
  static const carom_branch_label labels[] = {CAROM_LABEL_WORD,  CAROM_LABEL_WORD,
                                              CAROM_LABEL_FOLD,  CAROM_LABEL_FOLD,
                                              CAROM_LABEL_GRAZE, CAROM_LABEL_HOPF};
  static const int which[] = {0, 1, 0, 1, 0, 0};
  for (int k = 0; k < 6; k++) {
    const carom_continuation_point *p = labelled(plain, labels[k], 0, which[k]),
                                   *s = labelled(shifted, labels[k], 0, which[k]),
                                   *f = labelled(far, labels[k], 0, which[k]);
    CHECK_NEAR(s->value, p->value, 1e-10);
    CHECK_NEAR(f->value, p->value, 1e-10);
    assert_string_equal(s->word, p->word);
    // next to the second fold stability is what it was a step before the graze
    if (labels[k] != CAROM_LABEL_GRAZE) assert_true(s->kind == p->kind && f->kind == p->kind);
  }
  carom_continuation_options options = at_rest(0);
  options.mode = "+";
  carom_continuation *rest = branches_of(motion_parse(text), options, "mu", 0.385, 0.42);
  const carom_continuation_point *hopf = labelled(rest, CAROM_LABEL_HOPF, 0, 0),
                                 *end = labelled(plain, CAROM_LABEL_HOPF, 0, 0);
  CHECK_NEAR(end->value, hopf->value, 1e-10);
  CHECK_NEAR(end->period, 2.0 * PI / hopf->im, 1e-7);
  CHECK_NEAR(tan(end->state[1]), end->value, 1e-7); // tan(phi) = mu
  carom_continuation_destroy(rest);
  carom_continuation_destroy(plain);
  carom_continuation_destroy(shifted);
  carom_continuation_destroy(far);
}

// The cascade of the simplest walker (Garcia et al. 1998): each branch is that of twice the period
// of the one it leaves, leads away from there, and begins before its own flip
static void check_doubled(const char *stop) {
  char text[1024];
  carom_continuation_options options = carom_continuation_options_default();
  options.switches = 4;
  (void)snprintf(
      text, sizeof text,
      "parameters: {gam: 0.009}\nstates:\n"
      "  th: {start: 0.200310900544287, rate: w}\n"
      "  w: {start: -0.199832473004977, rate: sin(th - gam)}\n"
      "  ph: {start: 0.400621801088574, rate: u}\n"
      "  u: {start: -0.0158231, rate: sin(th - gam) + w^2*sin(ph) - cos(th - gam)*sin(ph)}\n"
      "events:\n  heel:\n    when: ph - 2*th\n    if: th < -0.05\n"
      "    do: {th: -th, w: cos(2*th)*w, ph: -2*th, u: cos(2*th)*(1 - cos(2*th))*w}\n"
      "%srun: {until: 200}\n",
      stop);
  carom_continuation *result = branches_of(motion_parse(text), options, "gam", 0.009, 0.02);
  double flips[5], periods[5];
  for (int k = 0; k < 5; k++) {
    const carom_continuation_point *flip = labelled(result, CAROM_LABEL_FLIP, k, 0);
    flips[k] = flip->value;
    periods[k] = flip->period;
    CHECK_NEAR(labelled(result, CAROM_LABEL_END, k, 0)->value, 0.02, 0.0);
    if (k > 0) CHECK_NEAR(periods[k] / periods[k - 1], 2.0, 0.02);
  }
  CHECK_NEAR(flips[0], 0.0150884379, 1e-8);
  CHECK_NEAR(flips[1], 0.0176693749, 1e-8);
  const double ratios[] = {5.26, 4.69, 4.66}; // on the way to 4.669
  for (int k = 0; k < 3; k++)
    CHECK_NEAR((flips[k + 1] - flips[k]) / (flips[k + 2] - flips[k + 1]), ratios[k], 0.02);
  carom_continuation_destroy(result);
}

static void test_doubled(void **unused) {
  (void)unused;
  check_doubled("");
  check_doubled(
      "stop: {fell: abs(th) > 1.2}\n"); // turns begin elsewhere, where the branch is steeper
}

// Between two stops the motion that has parted from its mirror image comes back as that image, on a
// closed branch: it is run once, and both halves tell the same
static void test_closed(void **unused) {
  (void)unused;
  carom_continuation_options options = carom_continuation_options_default();
  options.switches = 1;
  motion m = motion_parse("parameters: {w: 1.6}\ncoordinates: {x: 0}\n"
                          "energy: {kinetic: x'^2/2, potential: x^2/2, dissipation: 0.02*x'^2}\n"
                          "forces: {x: cos(w*t)}\n"
                          "contacts: {stop: {gap: 0.5 - x, impact: {law: newton, e: 0.7}}, "
                          "other: {gap: 0.5 + x, impact: {law: newton, e: 0.7}}}\n"
                          "run: {until: 400*pi/w, rtol: 1e-12}\n");
  carom_continuation *result = branches_of(m, options, "w", 1.6, 1.03);
  int folds = 0, grazes = 0, ends = 0;
  for (long k = 0; k < carom_continuation_points(result); k++) {
    const carom_continuation_point *p = carom_continuation_point_at(result, k);
    if (p->branch != 1) continue;
    folds += p->label == CAROM_LABEL_FOLD && fabs(p->value - 1.32183108098) < 1e-8;
    grazes += p->label == CAROM_LABEL_GRAZE && fabs(p->value - 1.294105431) < 1e-8;
    ends += p->label == CAROM_LABEL_END;
  }
  assert_int_equal(folds, 2);
  assert_int_equal(grazes, 2);
  assert_int_equal(ends, 1);
  carom_continuation_destroy(result);
}

// A ball that rests on a shaken table takes off where the table falls with g, whatever its
// restitution, and whichever way the branch goes
static void test_take_off(void **unused) {
  (void)unused;
  static const double from[] = {0.8, 1.2}, to[] = {1.2, 0.8};
  static const char *const texts[] = {"0", "0.5"};
  for (int k = 0; k < 4; k++) {
    char text[500];
    (void)snprintf(text, sizeof text,
                   "parameters: {Gamma: 0.8, e: %s}\ncoordinates: {y: {start: 0, rate: Gamma}}\n"
                   "define: {table: Gamma*sin(t)}\nenergy: {kinetic: y'^2/2, potential: y}\n"
                   "contacts: {floor: {gap: y - table, impact: {law: newton, e: e}}}\n"
                   "run: {until: 400*pi, rtol: 1e-12}\n",
                   texts[k / 2]);
    carom_continuation *result = branches_of(
        motion_parse(text), carom_continuation_options_default(), "Gamma", from[k % 2], to[k % 2]);
    CHECK_NEAR(labelled(result, CAROM_LABEL_GRAZE, 0, 0)->value, 1.0, 1e-9);
    carom_continuation_destroy(result);
  }
}

// Between two stops: the branch of motions that are not their own mirror image leaves at one
// crossing and comes back at another. It is closed, and told once, from either crossing; its
// grazes lie at the same place on both halves.
static void test_closed_once(void **unused) {
  (void)unused;
  const char *two =
      "parameters: {w: 2}\ncoordinates: {x: 0}\n"
      "energy: {kinetic: \"x'^2/2\", potential: x^2/2, dissipation: \"0.02*x'^2\"}\n"
      "forces: {x: cos(w*t)}\n"
      "contacts: {stop: {gap: 0.5 - x, impact: 0.7}, other: {gap: 0.5 + x, impact: 0.7}}\n"
      "run: {until: 400*pi/w, rtol: 1e-12, period: 2*pi/w}\n";
  carom_continuation_options options = carom_continuation_options_default();
  options.switches = 1;
  carom_continuation *result = branches_of(motion_parse(two), options, "w", 2.0, 0.9);
  for (long k = 0; k < carom_continuation_points(result); k++)
    assert_in_range(carom_continuation_point_at(result, k)->branch, 0, 1);
  CHECK_NEAR(labelled(result, CAROM_LABEL_CROSSING, 0, 0)->value, 1.510970603, 2e-9);
  CHECK_NEAR(labelled(result, CAROM_LABEL_CROSSING, 1, 0)->value, 1.048863472, 2e-9);
  CHECK_NEAR(labelled(result, CAROM_LABEL_GRAZE, 1, 0)->value, 1.294105431, 1e-9);
  CHECK_NEAR(labelled(result, CAROM_LABEL_GRAZE, 1, 3)->value, 1.294105431, 1e-9);
  carom_continuation_destroy(result);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_closed_once), cmocka_unit_test(test_apex),
      cmocka_unit_test(test_flutter),     cmocka_unit_test(test_shifted),
      cmocka_unit_test(test_doubled),     cmocka_unit_test(test_closed),
      cmocka_unit_test(test_take_off),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
