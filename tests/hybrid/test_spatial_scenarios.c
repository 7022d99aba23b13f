// SPDX-License-Identifier: MIT
// Bodies that slide, roll, spin and bounce in space: the scenarios against closed forms and
// invariants.
#include "motion.h"

// steady turns, and the spin above which an upright coin rolls on: w^2 = g/(3 R)
static void coin(void **state) {
  (void)state;
  motion m = motion_load("coin", NULL);
  const double tilt[] = {0.05, 0.3, 0.8}, turn[] = {2.0, 4.0, 9.0};
  for (int k = 0; k < 3; k++) {
    set_value(&m, "tilt", tilt[k]);
    set_value(&m, "turn", turn[k]);
    set_value(&m, "mu", 2.0); // it must not slide
    motion_advance(&m, 0.6);
    CHECK_NEAR(value_of(&m, "th"), tilt[k], 1e-8);
    CHECK_NEAR(value_of(&m, "psi'"), turn[k], 1e-6);
    CHECK(certificate_of(&m).passed);
  }
  set_value(&m, "tilt", 1e-4);
  set_value(&m, "turn", 1e-4);
  double limit = sqrt(9.81 / (3.0 * 0.0125));
  for (int k = 0; k < 2; k++) {
    set_value(&m, "w", (k == 0 ? 1.1 : 0.9) * limit);
    motion_advance(&m, 2.0);
    CHECK((value_of(&m, "steepest") < 2e-3) == (k == 0));
  }
  motion_end(&m);
}

// w = ph' + psi' cos(th) and psi' change a lot; Jellett's constant does not
static void tippe_top(void **state) {
  (void)state;
  motion m = motion_load("tippe_top", NULL);
  motion_advance(&m, 0.0);
  double R = 0.02, jellett = 0.4 * 0.02 * R * R * 150.0 * (R * cos(0.1) - 0.3 * R);
  for (int k = 1; k <= 8; k++) {
    motion_advance(&m, 0.5 * k);
    CHECK_RELATIVE(value_of(&m, "jellett_left"), jellett, 1e-8);
  }
  CHECK(value_of(&m, "th") > 3.0); // upside down
  CHECK_NEAR(value_of(&m, "highest"), R * 1.3, 1e-6);
  CHECK(certificate_of(&m).passed);
  motion_end(&m);
}

// spun one way it turns back with most of its spin, the other way it hardly does; rolling is free
static void rattleback(void **state) {
  (void)state;
  motion m = motion_load("rattleback", NULL);
  motion_advance(&m, 0.1); // it slides at first
  double lost = certificate_of(&m).energy.lost_friction;
  motion_advance(&m, 10.0);
  CHECK(value_of(&m, "fastest") > 4.5);
  CHECK(certificate_of(&m).passed);
  CHECK_SAME(certificate_of(&m).energy.lost_friction, lost);
  set_value(&m, "spin", 5.0);
  motion_advance(&m, 5.0);
  CHECK(value_of(&m, "back") > -0.5);
  motion_end(&m);
}

// it comes back to the hand's side with the energy it had, and stays in its plane
static void superball(void **state) {
  (void)state;
  motion m = motion_load("superball", NULL);
  for (int k = 0; k < 5; k++) {
    double way = 1.3 * k;
    set_value(&m, "way", way);
    motion_advance(&m, 0.9);
    CHECK_NEAR(value_of(&m, "aside"), 0.0, 1e-13);
    CHECK_NEAR(value_of(&m, "along"), -0.398485585, 1e-8); // as in the plane, with x alone
    carom_certificate c = certificate_of(&m);
    CHECK(c.passed && fabs(c.energy.lost_impacts) < 1e-12 && c.counts.impacts == 3);
  }
  motion_end(&m);
}

// Without spin the stool slides v^2/(2 mu g). With it all feet come to rest, together or about the
// one that is first, and friction has taken all there was.
static void stool(void **state) {
  (void)state;
  motion m = motion_load("stool", NULL);
  set_value(&m, "spin", 0.0);
  motion_advance(&m, 2.0);
  CHECK_NEAR(value_of(&m, "x"), 1.5 * 1.5 / (2.0 * 0.25 * 9.81), 1e-9);
  CHECK_NEAR(value_of(&m, "y"), 0.0, 1e-12);
  const double spin[] = {1.0, 6.0, -20.0};
  for (int k = 0; k < 3; k++) {
    set_value(&m, "spin", spin[k]);
    motion_advance(&m, 6.0);
    CHECK_NEAR(value_of(&m, "rest"), 0.0, 1e-14);
    CHECK_NEAR(value_of(&m, "load"), 4.0 * 9.81, 1e-9);
    carom_certificate c = certificate_of(&m);
    CHECK(c.passed);
    CHECK_RELATIVE(c.energy.lost_friction, 0.5 * (4.0 * 2.25 + 0.12 * spin[k] * spin[k]), 1e-8);
  }
  motion_end(&m);
}

static event_log events;

// Pushed ever harder at its centre the stool holds until F t = mu_s m g, whatever the forces of its
// redundant feet are taken to be, and slides off then: m x'' = F t - mu m g.
static void pushed_stool(void **state) {
  (void)state;
  const double m = 4.0, g = 9.81, mu = 0.25, F = 5.0;
  const double stick[] = {0.25, 0.3, 0.5};
  for (int k = 0; k < 3; k++) {
    char limit[40];
    (void)snprintf(limit, sizeof limit, "{slip: mu, stick: %g}", stick[k]);
    carom_setting settings[] = {{"forces.x", "5*t"},
                                {"contacts.one.friction", limit},
                                {"contacts.two.friction", limit},
                                {"contacts.three.friction", limit},
                                {NULL, NULL}};
    motion it = motion_load("stool", settings);
    set_value(&it, "v", 0.0);
    set_value(&it, "spin", 0.0);
    set_value(&it, "h", 0.05); // it must not tip over
    motion_log(&it, &events);
    double from = stick[k] * m * g / F, t = from + 0.7;
    motion_advance(&it, t);
    for (int j = 0; j < 3; j++)
      CHECK_RELATIVE(find_logged(&events, CAROM_EVENT_SLIP, NULL, j)->t, from, 1e-7);
    double x =
        F / (2.0 * m) * (t * t * t / 3.0 - from * from * t + 2.0 / 3.0 * from * from * from) -
        0.5 * mu * g * (t - from) * (t - from);
    CHECK_RELATIVE(value_of(&it, "x"), x, 1e-6);
    CHECK_NEAR(value_of(&it, "y"), 0.0, 1e-10);
    CHECK(certificate_of(&it).passed);
    motion_end(&it);
  }
}

// pushed beside its centre it turns as it sets off: all feet at once, each its own way
static void turned_stool(void **state) {
  (void)state;
  carom_setting settings[] = {{"forces.x", "5*t"}, {"forces.s", "-1.5*t"}, {NULL, NULL}};
  for (int k = 0; k < 2; k++) {
    motion it = motion_load("stool", settings);
    set_value(&it, "v", 0.0);
    set_value(&it, "spin", 0.0);
    motion_log(&it, &events);
    motion_advance(&it, 1.5);
    assert_int_equal(count_logged(&events, CAROM_EVENT_SLIP, NULL), 3);
    CHECK_SAME(find_logged(&events, CAROM_EVENT_SLIP, NULL, 0)->t,
               find_logged(&events, CAROM_EVENT_SLIP, NULL, 2)->t);
    CHECK(value_of(&it, "s") < 0.1 && value_of(&it, "x") > 0.0);
    CHECK(certificate_of(&it).passed);
    motion_end(&it);
  }
}

// it swings up and down with sqrt(2/7) of the rate at which it goes round
static void ball_cylinder(void **state) {
  (void)state;
  motion m = motion_load("ball_cylinder", (carom_setting[]){{"run.rtol", "1e-12"}, {NULL, NULL}});
  double middle = -2.5 * 9.81 / 64.0;
  for (int k = 1; k <= 5; k++) {
    motion_advance(&m, 0.9 * k);
    CHECK_NEAR(value_of(&m, "z"), middle * (1.0 - cos(8.0 * sqrt(2.0 / 7.0) * 0.9 * k)), 1e-9);
    CHECK_NEAR(value_of(&m, "x"), cos(8.0 * 0.9 * k), 1e-9);
  }
  CHECK(certificate_of(&m).passed);
  motion_end(&m);
}

// known times and way, and then it stays
static void ball_stops(void **state) {
  (void)state;
  static event_log log;
  motion m = motion_load("ball_stops", NULL);
  motion_log(&m, &log);
  motion_advance(&m, 12.0);
  double brake = 5.0 / 7.0 * 0.002 * 9.81 / 0.1, v = hypot(1.0, 0.5);
  CHECK_RELATIVE(find_logged(&log, CAROM_EVENT_STICK, "rolling", 0)->t, v / brake, 1e-9);
  CHECK_RELATIVE(find_logged(&log, CAROM_EVENT_STICK, "pivoting", 0)->t,
                 20.0 * 0.4 * 0.01 / (0.001 * 9.81), 1e-9);
  CHECK_RELATIVE(value_of(&m, "way"), 0.5 * v * v / brake, 1e-9);
  CHECK_NEAR(hypot(value_of(&m, "x'"), value_of(&m, "y'")), 0.0, 1e-15);
  motion_end(&m);
}

// slowly it sinks as energy tells: sqrt(sin(al)) al' = -4/3 kr sqrt(g/R)
static void euler_disc(void **state) {
  (void)state;
  motion m = motion_load("euler_disc", NULL);
  motion_run(&m);
  double sum = 0.0, h = (0.35 - 0.08) / 2000.0;
  for (int k = 0; k <= 2000; k++)
    sum += (k == 0 || k == 2000 ? 1.0 : k % 2 ? 4.0 : 2.0) * h / 3.0 * sqrt(sin(0.08 + k * h));
  CHECK_RELATIVE(carom_simulation_time(m.simulation), 375.0 * sqrt(0.0125 / 9.81) * sum, 0.03);
  CHECK(certificate_of(&m).passed);
  set_value(&m, "kr", 0.0);
  motion_run(&m);
  CHECK_NEAR(value_of(&m, "wobble"), 0.0, 1e-9);
  motion_end(&m);
}

// A ball that rolls in a bowl without spin about the normal moves as a spherical pendulum of the
// length L = R - r under 5/7 of gravity: to and fro with the period 4 sqrt(7 L/(5 g)) K(sin(a/2)),
// and round at the height L cos(a) with 5 g/(7 L cos(a)) = turn^2.
static void ball_in_bowl(void **state) {
  (void)state;
  motion m = motion_parse("parameters: {a: 1.1, r: 0.1, turn: 0, w: turn*(1 - r)*sin(a)}\n"
                          "bodies:\n"
                          "  ball: {sphere: r, mass: 2, at: [(1 - r)*sin(a), 0, -(1 - r)*cos(a)],\n"
                          "         velocity: [0, w, 0], spin: [-w/r*cos(a), 0, -w/r*sin(a)]}\n"
                          "  bowl: {cup: 1, at: [0, 0, 0]}\n"
                          "gravity: 9.81\n"
                          "contacts: {c: {between: [ball, bowl], friction: 5, impact: 0}}\n"
                          "run: {until: 3, rtol: 1e-12}\n");
  double length = 0.9, period = 4.0 * sqrt(7.0 * length / (5.0 * 9.81)) * elliptic_k(sin(0.55));
  for (int k = 1; k <= 2; k++) {
    motion_advance(&m, 0.5 * k * period);
    CHECK_NEAR(value_of(&m, "ball.x"), (k == 1 ? -length : length) * sin(1.1), 1e-8);
    CHECK_NEAR(value_of(&m, "ball.x'"), 0.0, 1e-8);
  }
  double turn = sqrt(5.0 * 9.81 / (7.0 * length * cos(1.1)));
  set_value(&m, "turn", turn);
  for (int k = 1; k <= 3; k++) {
    motion_advance(&m, (double)k);
    CHECK_NEAR(value_of(&m, "ball.z"), -length * cos(1.1), 1e-8);
    CHECK_NEAR(value_of(&m, "ball.x"), length * sin(1.1) * cos(turn * k), 1e-8);
    CHECK_NEAR(value_of(&m, "ball.y"), length * sin(1.1) * sin(turn * k), 1e-8);
  }
  CHECK(certificate_of(&m).passed);
  motion_end(&m);
}

// A box that slides and spins flat on its four corners stops on all of them in one instant: what is
// left of their slips then has no direction, and must not choose which of them stick.
static void flat_box(void **state) {
  (void)state;
  static event_log log;
  const double cases[][3] = {{0.1, 0.4, 1.0}, {0.3, 0.1, 10.0}, {0.3, 1.0, 1.0}, {0.2, 0.5, 0.0}};
  motion m = motion_parse("parameters: {mu: 0.1, v: 0.4, w: 1}\n"
                          "bodies:\n"
                          "  box: {box: [0.1, 0.14, 0.1], mass: 0.1, at: [0, 0, 0.05],\n"
                          "        velocity: [v, 0.2, 0], spin: [0, 0, w]}\n"
                          "  table: {plane: [0, 0, 1]}\n"
                          "gravity: 9.81\n"
                          "contacts: {hit: {between: [box, table], friction: mu, impact: 0}}\n"
                          "run: {until: 1.2}\n");
  for (int k = 0; k < 4; k++) {
    set_value(&m, "mu", cases[k][0]);
    set_value(&m, "v", cases[k][1]);
    set_value(&m, "w", cases[k][2]);
    motion_log(&m, &log);
    motion_run(&m);
    const logged *stick = find_logged(&log, CAROM_EVENT_STICK, NULL, 0);
    CHECK(count_logged(&log, CAROM_EVENT_STICK, NULL) == 4);
    CHECK(find_logged(&log, CAROM_EVENT_STICK, NULL, 3)->t == stick->t);
    CHECK(certificate_of(&m).passed);
    CHECK_NEAR(hypot(value_of(&m, "box.x'"), value_of(&m, "box.w3")), 0.0, 1e-15);
    if (cases[k][2] == 0.0)
      CHECK_RELATIVE(stick->t, hypot(cases[k][1], 0.2) / (cases[k][0] * 9.81), 1e-9);
  }
  motion_end(&m);
}

// Two corners of a box that turns on a slope stop in one instant too, at any tolerance.
static void box_on_slope(void **state) {
  (void)state;
  const char *const tolerances[] = {"1e-9", "1e-10", "1e-12"};
  for (int k = 0; k < 3; k++) {
    carom_error error = {0};
    carom_model *model = NULL;
    const carom_setting settings[] = {{"run.rtol", tolerances[k]}};
    MUST(carom_model_parse(
             "gravity: 9.81\n"
             "bodies:\n"
             "  tab: {plane: [0.19027703650479266, -0.012305322944863584, 1]}\n"
             "  b: {box: [0.11511610464148243, 0.2718547508169257, 0.2785632508912991], mass: 1,\n"
             "      at: [0, 0, 1], turn: {axis: [-0.315850039418784, 0.09469879823446847,\n"
             "      0.9140386893215644], angle: 1.4478404640237394},\n"
             "      spin: [-5.021905651765623, -8.105276466059971, 8.055363017449235]}\n"
             "contacts: {f: {between: [b, tab], friction: 0.8014176547399123,\n"
             "           impact: 0.23098593045485952}}\n"
             "run: {until: 0.8}\n",
             NULL, 1, settings, &model, &error),
         error);
    motion m = motion_of(model);
    motion_run(&m);
    CHECK(certificate_of(&m).passed);
    motion_end(&m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(coin),         cmocka_unit_test(tippe_top),
      cmocka_unit_test(rattleback),   cmocka_unit_test(superball),
      cmocka_unit_test(stool),        cmocka_unit_test(pushed_stool),
      cmocka_unit_test(turned_stool), cmocka_unit_test(ball_cylinder),
      cmocka_unit_test(ball_stops),   cmocka_unit_test(euler_disc),
      cmocka_unit_test(flat_box),     cmocka_unit_test(ball_in_bowl),
      cmocka_unit_test(box_on_slope)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
