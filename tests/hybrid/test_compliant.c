// SPDX-License-Identifier: MIT
// Compliant contacts against rigid ones: the same scenario, and differences that vanish as the
// stiffness grows. The two share neither the laws of contact nor their solvers.
#include "motion.h"

// a motion of `text` with the contacts' stiffness (NULL: rigid)
static motion motion_with(const char *text, const char *stiffness) {
  carom_model *model = NULL;
  carom_error error = {0};
  const carom_setting setting = {"run.compliant", stiffness};
  MUST(carom_model_parse(text, NULL, stiffness ? 1 : 0, &setting, &model, &error), error);
  return motion_of(model);
}

// the ledger closes with the energy of the springs in it
static double value_at_end(const char *text, const char *stiffness, const char *name) {
  motion m = motion_with(text, stiffness);
  (void)motion_run(&m);
  CHECK(certificate_of(&m).passed);
  CHECK(fabs(certificate_of(&m).energy.residual_relative) < 1e-8);
  double value = value_of(&m, name);
  motion_end(&m);
  return value;
}

// every stiffness is nearer to the rigid value than the one before by the factor `gain`, and the
// last is within `tolerance`
static void check_approach(const char *text, const char *name, const char *const *stiffness,
                           double gain, double tolerance) {
  double rigid = value_at_end(text, NULL, name), last = INFINITY;
  for (int k = 0; stiffness[k]; k++) {
    double error = fabs(value_at_end(text, stiffness[k], name) - rigid);
    print_message("%s at K = %s: %.3g from %.10g\n", name, stiffness[k], error, rigid);
    CHECK(error < last / gain);
    last = error;
  }
  CHECK_NEAR(last, 0.0, tolerance);
}

// ---- restitution ----

static const char *const BOUNCE = "parameters: {e: 0.5, v: 1}\n"
                                  "coordinates: {y: {start: 0, rate: -v}}\n"
                                  "energy: {kinetic: y'^2, potential: 0}\n"
                                  "contacts: {floor: {gap: y, impact: e}}\n"
                                  "run: {until: 0.1}\n";

// without gravity the rebound is e v whatever the stiffness: under and above critical damping
static void restitution_is_exact(void **state) {
  (void)state;
  static const double E[] = {1.0, 0.99, 0.9, 0.6, 0.3, 0.14, 0.1353352832366127, 0.13, 0.05, 0.01};
  motion m = motion_with(BOUNCE, "1e6");
  for (size_t k = 0; k < sizeof E / sizeof *E; k++) {
    set_value(&m, "e", E[k]);
    (void)motion_run(&m);
    CHECK_RELATIVE(value_of(&m, "y'"), E[k], 1e-8);
    CHECK(certificate_of(&m).passed);
  }
  // without restitution a dashpot alone stops it
  set_value(&m, "e", 0.0);
  (void)motion_run(&m);
  CHECK_NEAR(value_of(&m, "y'"), 0.0, 1e-9);
  CHECK(certificate_of(&m).passed);
  motion_end(&m);
}

// the speed just after the first bounce of a falling ball; gravity acts during the contact
static double rebound(const char *stiffness) {
  motion m = motion_load(
      "bouncing_ball",
      (const carom_setting[]){{"run.until", "0.6"}, {"run.compliant", stiffness}, {NULL, NULL}});
  (void)motion_run(&m);
  double y = value_of(&m, "y"), v = value_of(&m, "y'");
  motion_end(&m);
  return sqrt(v * v + 2.0 * 9.81 * y) / sqrt(2.0 * 9.81 * 1.0);
}

static void bouncing_ball_approaches_its_restitution(void **state) {
  (void)state;
  static const char *const K[] = {"1e4", "1e6", "1e8", "1e10"};
  double last = 1.0;
  for (int k = 0; k < 4; k++) {
    double error = fabs(rebound(K[k]) - 0.8);
    print_message("restitution at K = %s: off by %.3g\n", K[k], error);
    CHECK(error < 0.2 * last);
    last = error;
  }
  CHECK_NEAR(last, 0.0, 1e-5);
}

// ---- friction ----

// stick, slip at mu_s, slide with mu, stick again: one and a half cycles
static void belt_block(void **state) {
  (void)state;
  static const char *const BELT =
      "parameters: {mu: 0.3, mu_s: 0.4, v: 0.5}\n"
      "coordinates: {x: 3, y: 0}\n"
      "energy:\n"
      "  kinetic: (x'^2 + y'^2)/2\n"
      "  potential: 9.81*y + x^2/2\n"
      "contacts:\n"
      "  belt: {gap: y, slip: x' - v, friction: {stick: mu_s, slip: mu}}\n"
      "run: {until: 8, rtol: 1e-9}\n";
  static const char *const K[] = {"1e3", "1e4", "1e5", NULL};
  check_approach(BELT, "x", K, 2.0, 2e-4);
  check_approach(BELT, "x'", K, 2.0, 2e-4);
}

// the time at which stick ends, and that at which it begins again
static void times_of_stick_and_slip(void **state) {
  (void)state;
  static const char *const BELT =
      "parameters: {mu: 0.3, mu_s: 0.4, v: 0.5}\n"
      "coordinates: {x: {start: 3, rate: v}, y: -9.81/1e5}\n"
      "energy:\n"
      "  kinetic: (x'^2 + y'^2)/2\n"
      "  potential: 9.81*y + x^2/2\n"
      "contacts:\n"
      "  belt: {gap: y, slip: x' - v, friction: {stick: mu_s, slip: mu}}\n"
      "run: {until: 8}\n";
  event_log log;
  motion m = motion_with(BELT, "1e5");
  motion_log(&m, &log);
  (void)motion_run(&m);
  // x grows with v to mu_s g, slides about mu g with amplitude (mu_s - mu) g until the speed is v
  double slip = (0.4 * 9.81 - 3.0) / 0.5, a = 0.1 * 9.81;
  double stick = slip + 2.0 * (PI - atan(a / 0.5));
  CHECK_NEAR(find_logged(&log, CAROM_EVENT_SLIP, "belt", 0)->t, slip, 1e-4);
  CHECK_NEAR(find_logged(&log, CAROM_EVENT_STICK, "belt", 0)->t, stick, 1e-3);
  motion_end(&m);
}

// sticking does not creep: a block on a slope below the angle of friction stays where it is
static void stick_does_not_creep(void **state) {
  (void)state;
  static const char *const SLOPE = "coordinates: {x: 0, y: 0}\n"
                                   "energy:\n"
                                   "  kinetic: (x'^2 + y'^2)/2\n"
                                   "  potential: 9.81*(y*cos(0.3) - x*sin(0.3))\n"
                                   "contacts: {slope: {gap: y, slip: x', friction: 0.5}}\n"
                                   "run: {until: 5, rtol: 1e-9}\n";
  motion m = motion_with(SLOPE, "1e5");
  (void)motion_advance(&m, 2.0);
  double x = value_of(&m, "x");
  (void)motion_advance(&m, 5.0);
  CHECK_NEAR(value_of(&m, "x"), x, 1e-11);
  motion_end(&m);
}

static void sliding_block_halts(void **state) {
  (void)state;
  static const char *const BLOCK =
      "coordinates: {x: {start: 0, rate: 2}, y: 0}\n"
      "energy: {kinetic: (x'^2 + y'^2)/2, potential: 9.81*y}\n"
      "contacts: {floor: {gap: y, slip: x', friction: {stick: 0.6, slip: 0.4}}}\n"
      "run: {until: 0.8, rtol: 1e-9}\n";
  static const char *const K[] = {"1e3", "1e4", "1e5", "1e6", NULL};
  check_approach(BLOCK, "x", K, 2.0, 1e-4);
}

// ---- bodies ----

// A bar slides on two feet with unequal friction, is thrown onto its front foot by it, and halts.
static void body_on_two_feet(void **state) {
  (void)state;
  static const char *const BAR =
      "coordinates:\n"
      "  x: {start: 0, rate: 1}\n"
      "  y: 0.3\n"
      "  a: 0\n"
      "energy: {kinetic: (x'^2 + y'^2)/2 + 0.2*a'^2/2, potential: 9.81*y}\n"
      "define: {left: y - 0.3*cos(a) - 0.5*sin(a), right: y - 0.3*cos(a) + 0.5*sin(a)}\n"
      "contacts:\n"
      "  l: {gap: left, slip: x' + (0.3*cos(a) + 0.5*sin(a))*a', friction: 0.2}\n"
      "  r: {gap: right, slip: x' + (0.3*cos(a) - 0.5*sin(a))*a', friction: {stick: 0.7, slip: "
      "0.5}}\n"
      "run: {until: 0.4, rtol: 1e-9}\n";
  static const char *const K[] = {"1e4", "1e5", "1e6", NULL};
  check_approach(BAR, "x", K, 2.0, 1e-4);
  check_approach(BAR, "y", K, 5.0, 1e-4);
}

static double crank(const char *stiffness, const char *name) {
  motion m = motion_load("slider_crank_stop",
                         (const carom_setting[]){{"run.until", "0.5"},
                                                 {stiffness ? "run.compliant" : "run.start",
                                                  stiffness ? stiffness : "0"},
                                                 {NULL, NULL}});
  (void)motion_run(&m);
  CHECK(certificate_of(&m).passed);
  double value = value_of(&m, name);
  motion_end(&m);
  return value;
}

// a contact behind a constraint: what it has to move is the whole mechanism
static void slider_crank_with_stop(void **state) {
  (void)state;
  static const char *const K[] = {"1e5", "1e6", "1e7", "1e8"};
  double rigid = crank(NULL, "phi'"), last = INFINITY;
  for (int k = 0; k < 4; k++) {
    double error = fabs(crank(K[k], "phi'") - rigid);
    print_message("phi' at K = %s: %.3g from %.10g\n", K[k], error, rigid);
    CHECK(error < 0.5 * last);
    last = error;
  }
  CHECK_NEAR(last, 0.0, 1e-2);
}

// impacts with e = 0, friction and coupling of normal and tangent, stick and slip in turn
static void frictional_impact_oscillator(void **state) {
  (void)state;
  static const char *const K[] = {NULL, "1e6", "1e7", "1e8"};
  double rigid = 0.0, last = INFINITY;
  for (int k = 0; k < 4; k++) {
    motion m = motion_load(
        "frictional_impact_oscillator",
        (const carom_setting[]){{"run.until", "1"},
                                {"measure.after", "0"},
                                {K[k] ? "run.compliant" : "run.start", K[k] ? K[k] : "0"},
                                {NULL, NULL}});
    (void)motion_run(&m);
    double phi = value_of(&m, "phi"), error = fabs(phi - rigid);
    if (k > 0) {
      print_message("phi at K = %s: %.3g from %.10g\n", K[k], error, rigid);
      CHECK(error < 0.4 * last); // 1/sqrt(K)
      last = error;
    } else {
      rigid = phi;
    }
    motion_end(&m);
  }
  CHECK_NEAR(last, 0.0, 1e-4);
}

// ---- impacts with friction ----

// the corner of a body strikes obliquely: velocities after the impact, rigid and compliant
static void corner(const char *mu, const char *e, const char *theta, const char *law,
                   const char *stiffness, double u[3]) {
  static const char *const CORNER =
      "parameters: {m: 1, J: 0.05, mu: 0.3, e: 0.5, r: 0.4, tilt: -1.1}\n"
      "coordinates:\n"
      "  x: {start: 0, rate: 0.5}\n"
      "  y: {start: 0.5, rate: -1}\n"
      "  theta: {start: tilt, rate: 0.5}\n"
      "energy: {kinetic: \"m/2*(x'^2 + y'^2) + J/2*theta'^2\"}\n"
      "contacts:\n"
      "  tip: {gap: y + r*sin(theta), slip: x' - r*sin(theta)*theta', friction: mu,\n"
      "        impact: {law: poisson, e: e}}\n"
      "run: {until: 0.6, rtol: 1e-11}\n";
  const carom_setting settings[] = {{"mu", mu},
                                    {"e", e},
                                    {"tilt", theta},
                                    {"contacts.tip.impact.law", law},
                                    {"run.compliant", stiffness}};
  carom_model *model = NULL;
  carom_error error = {0};
  MUST(carom_model_parse(CORNER, NULL, stiffness ? 5 : 4, settings, &model, &error), error);
  motion m = motion_of(model);
  (void)motion_run(&m);
  u[0] = value_of(&m, "x'");
  u[1] = value_of(&m, "y'");
  u[2] = value_of(&m, "theta'");
  motion_end(&m);
}

static void check_corner(const char *mu, const char *e, const char *theta, const char *law,
                         double tolerance) {
  double rigid[3], soft[3];
  corner(mu, e, theta, law, NULL, rigid);
  corner(mu, e, theta, law, "1e9", soft);
  for (int k = 0; k < 3; k++)
    CHECK_NEAR(soft[k], rigid[k], tolerance);
}

// Slip that goes on, slip that stops in the impact (the bristle gives a little), and slip that
// stops though pressing alone would press the corner further in (Painleve's coefficient is
// negative).
static void impacts_with_friction(void **state) {
  (void)state;
  check_corner("0.1", "0.5", "-1.1", "poisson", 1e-4);
  check_corner("0.3", "0.5", "-1.1", "poisson", 2e-4);
  check_corner("0.3", "0.5", "-1.1", "newton", 2e-4);
  check_corner("0.8", "0.5", "-1.1", "poisson", 1.5e-3);
  check_corner("0.8", "0.1", "-1.1", "poisson", 1.5e-3);
  check_corner("0.8", "0.5", "-2", "poisson", 1.5e-3);
  check_corner("1.5", "0.5", "-1.1", "poisson", 1.5e-3);
  check_corner("1.5", "0.5", "-1.1", "newton", 1.5e-3);
}

// e by its works: slip that goes on, that stops and sticks, that stops and turns round
static void energetic_impacts_with_friction(void **state) {
  (void)state;
  check_corner("0.1", "0.5", "-1.1", "energetic", 1e-4);
  check_corner("0.8", "0.5", "-1.1", "energetic", 1.5e-3);
  check_corner("0.3", "0.6", "-2.2", "energetic", 3e-3); // the bristle swings to the other side
  check_corner("0.8", "0.2", "-2", "energetic", 1.5e-3);
  check_corner("0.2", "0.9", "-0.8", "energetic", 1.5e-3);
  check_corner("1.5", "0.7", "-1.1", "energetic", 1.5e-3);
}

// Velocities after an oblique impact of a ball that rolls or slides on, by its own friction.
static double ball_slip(const char *friction, const char *e, const char *stiffness) {
  static const char *const BALL =
      "coordinates: {x: {start: 0, rate: 1}, y: {start: 1e-4, rate: -1}}\n"
      "energy: {kinetic: (x'^2 + y'^2)/2, potential: 0}\n"
      "contacts: {floor: {gap: y, slip: x', friction: 0.1, impact: {law: poisson, e: 0.5}}}\n"
      "run: {until: 0.01, rtol: 1e-11}\n";
  const carom_setting settings[] = {{"contacts.floor.friction", friction},
                                    {"contacts.floor.impact.e", e},
                                    {"run.compliant", stiffness}};
  carom_model *model = NULL;
  carom_error error = {0};
  MUST(carom_model_parse(BALL, NULL, stiffness ? 3 : 2, settings, &model, &error), error);
  motion m = motion_of(model);
  (void)motion_run(&m);
  double slip = value_of(&m, "x'");
  motion_end(&m);
  return slip;
}

// Friction of an impact: its own coefficient, or that of the slip at its beginning; mu and not mu_s
// stops a slip. The slip left is 1 - mu (1 + e).
static void friction_of_impacts(void **state) {
  (void)state;
  static const struct {
    const char *friction, *e;
    double slip;
  } CASES[] = {
      {"{slip: 0.3, stick: 0.3, impact: 0.2}", "0.5", 1.0 - 0.2 * 1.5},
      {"0.1 + 0.2*slip^2", "0.5", 1.0 - 0.3 * 1.5},
      {"0.1 + 0.2*abs(slip)", "0", 1.0 - 0.3},
      {"{stick: 1.2, slip: 0.8}", "0", 1.0 - 0.8},
      {"{stick: 0.8, slip: 0.6}", "0.5", 1.0 - 0.6 * 1.5},
      {"{stick: 1.2, slip: 0.8}", "0.5", 0.0},
  };
  for (size_t k = 0; k < sizeof CASES / sizeof *CASES; k++) {
    CHECK_NEAR(ball_slip(CASES[k].friction, CASES[k].e, NULL), CASES[k].slip, 1e-12);
    CHECK_NEAR(ball_slip(CASES[k].friction, CASES[k].e, "1e8"), CASES[k].slip, 1e-3);
  }
}

// a contact that touches from the start, but for rounding, and approaches
static void approach_from_the_start(void **state) {
  (void)state;
  static const char *const GAPS[] = {"0", "1e-17", "-1e-17"};
  for (int k = 0; k < 3; k++) {
    carom_model *model = NULL;
    carom_error error = {0};
    const carom_setting settings[] = {{"run.compliant", "1e6"}, {"coordinates.y.start", GAPS[k]}};
    MUST(carom_model_parse(BOUNCE, NULL, 2, settings, &model, &error), error);
    motion m = motion_of(model);
    (void)motion_run(&m);
    CHECK_RELATIVE(value_of(&m, "y'"), 0.5, 1e-8);
    motion_end(&m);
  }
}

// A user's force c N drives a ball that bounces: whatever the springs do, the impulse along the
// floor is c times the one across it, x' = c (y' - y'(0) + g t).
static void users_law(void **state) {
  (void)state;
  motion m = motion_with("coordinates: {x: 0, y: {start: 0.1, rate: 0.3}}\n"
                         "energy: {kinetic: (x'^2 + y'^2)/2, potential: 9.81*y}\n"
                         "contacts: {floor: {gap: y, slip: x', tangential: -0.4*normal,\n"
                         "  impact: 0.7}}\n"
                         "run: {until: 1.3}\n",
                         "1e4");
  (void)motion_run(&m);
  CHECK(value_of(&m, "x'") < -1.0);
  CHECK_NEAR(value_of(&m, "x'"), -0.4 * (value_of(&m, "y'") - 0.3 + 9.81 * 1.3), 1e-7);
  CHECK(certificate_of(&m).passed);
  motion_end(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(restitution_is_exact),
      cmocka_unit_test(bouncing_ball_approaches_its_restitution),
      cmocka_unit_test(belt_block),
      cmocka_unit_test(times_of_stick_and_slip),
      cmocka_unit_test(stick_does_not_creep),
      cmocka_unit_test(sliding_block_halts),
      cmocka_unit_test(body_on_two_feet),
      cmocka_unit_test(slider_crank_with_stop),
      cmocka_unit_test(frictional_impact_oscillator),
      cmocka_unit_test(impacts_with_friction),
      cmocka_unit_test(energetic_impacts_with_friction),
      cmocka_unit_test(friction_of_impacts),
      cmocka_unit_test(approach_from_the_start),
      cmocka_unit_test(users_law),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
