// SPDX-License-Identifier: MIT
// What friction takes while impacts last, apart from restitution, and the phases of an impact.
#include "motion.h"

static const char BLOCK[] =
    "title: A block is thrown on the floor\n"
    "parameters: {m: 2, e: 0.5, mu: 0.2, v: 3, w: 4}\n"
    "coordinates: {x: {start: 0, rate: v}, y: {start: 1, rate: -w}}\n"
    "energy: {kinetic: \"m/2*(x'^2 + y'^2)\", potential: 0}\n"
    "contacts:\n"
    "  floor: {gap: y, slip: \"x'\", friction: mu, impact: {law: newton, e: e}}\n"
    "run: {until: 0.5}\n";

static motion block_by(const char *law, const char *mu) {
  const carom_setting settings[] = {{"contacts.floor.impact.law", law}, {"mu", mu}};
  carom_model *model = NULL;
  carom_error error = {0};
  MUST(carom_model_parse(BLOCK, NULL, 2, settings, &model, &error), error);
  return motion_of(model);
}

static void ask_phases(const motion *m, event_log *log) {
  log->count = 0;
  carom_observer observer = {.ctx = log, .event = log_event, .phases = true};
  carom_simulation_observe(m->simulation, &observer);
}

static const char *const LAWS[] = {"newton", "poisson", "energetic"};

// P = m (1 + e) w; friction mu P at the mean speed v - mu P/(2 m); a mass point knows no other law
static void slides_through(void **state) {
  (void)state;
  for (int k = 0; k < 3; k++) {
    double m = 2.0, e = 0.5, mu = 0.2, v = 3.0, w = 4.0, P = m * (1.0 + e) * w;
    motion run = block_by(LAWS[k], "0.2");
    motion_run(&run);
    carom_certificate c = certificate_of(&run);
    CHECK_NEAR(c.energy.lost_impact_friction, mu * P * (v - mu * P / (2.0 * m)), 1e-12);
    CHECK_NEAR(c.energy.lost_impacts - c.energy.lost_impact_friction,
               0.5 * m * w * w * (1.0 - e * e), 1e-12);
    CHECK(c.passed && c.energy.lost_friction == 0.0);
    motion_end(&run);
  }
}

// Friction of 0.9 stops the block while it is compressed, at the impulse m v/mu, and takes all of
// m v^2/2; a compression ends at m w, the impact at (1 + e) m w.
static void sticks_inside(void **state) {
  (void)state;
  static event_log log;
  for (int k = 0; k < 3; k++) {
    double m = 2.0, e = 0.5, mu = 0.9, v = 3.0, w = 4.0;
    motion run = block_by(LAWS[k], "0.9");
    ask_phases(&run, &log);
    motion_run(&run);
    carom_certificate c = certificate_of(&run);
    CHECK_NEAR(c.energy.lost_impact_friction, 0.5 * m * v * v, 1e-12);
    CHECK_NEAR(c.energy.lost_impacts, 0.5 * m * (v * v + w * w * (1.0 - e * e)), 1e-12);
    double stops = k == 0 ? m * w * (1.0 + e) : k == 1 ? m * w : m * v / mu;
    CHECK_NEAR(find_logged(&log, CAROM_EVENT_PHASE_STICK, "floor", 0)->value, stops, 1e-12);
    CHECK_SAME(find_logged(&log, CAROM_EVENT_PHASE_COMPRESSION, "floor", 0)->value, 0.0);
    CHECK_NEAR(find_logged(&log, CAROM_EVENT_PHASE_END, "floor", 0)->value, m * w * (1.0 + e),
               1e-12);
    // Newton's law has no phases
    assert_int_equal(count_logged(&log, CAROM_EVENT_PHASE_RESTITUTION, NULL), k > 0);
    if (k > 0)
      CHECK_NEAR(find_logged(&log, CAROM_EVENT_PHASE_RESTITUTION, "floor", 0)->value, m * w, 1e-12);
    assert_int_equal(c.counts.events, 1); // what is told on request is counted nowhere
    motion_end(&run);
  }
}

static const char ROD[] = "title: A rod strikes with its lower end\n"
                          "parameters: {m: 1, J: 1/3, l: 1, a: 0.9, e: 1, mu: 0.3, v: 0.5}\n"
                          "coordinates:\n"
                          "  x: {start: 0, rate: v}\n"
                          "  y: {start: 1.2, rate: -3}\n"
                          "  p: a\n"
                          "define: {tip: y - l*sin(p)}\n"
                          "energy: {kinetic: \"m/2*(x'^2 + y'^2) + J/2*p'^2\", potential: 0}\n"
                          "contacts:\n"
                          "  tip_down: {gap: tip, slip: \"x' + l*sin(p)*p'\", friction: mu,\n"
                          "             impact: {law: energetic, e: e}}\n"
                          "run: {until: 0.3}\n";

// Slip stops and turns round within the impact. Where restitution takes nothing friction takes
// all; else restitution takes 1 - e^2 of the work of compression, which is the same for every e.
static void turns_round_inside(void **state) {
  (void)state;
  static event_log log;
  double kept = 0.0;
  const char *const ES[] = {"1", "0.6", "0"};
  for (int k = 0; k < 3; k++) {
    carom_model *model = NULL;
    carom_error error = {0};
    MUST(carom_model_parse(ROD, NULL, 1, &(carom_setting){"e", ES[k]}, &model, &error), error);
    motion run = motion_of(model);
    ask_phases(&run, &log);
    motion_run(&run);
    carom_certificate c = certificate_of(&run);
    double e = k == 0 ? 1.0 : k == 1 ? 0.6 : 0.0;
    double restitution = c.energy.lost_impacts - c.energy.lost_impact_friction;
    CHECK(c.passed && c.energy.lost_impact_friction > 0.01);
    if (k == 1) kept = restitution / (1.0 - e * e);
    if (k == 0) CHECK_NEAR(restitution, 0.0, 1e-11);
    if (k == 2) CHECK_NEAR(restitution, kept, 1e-11);
    const logged *turned = find_logged(&log, CAROM_EVENT_PHASE_SLIP, "tip_down", 1);
    CHECK(turned->direction ==
          -find_logged(&log, CAROM_EVENT_PHASE_SLIP, "tip_down", 0)->direction);
    CHECK(turned->value > 0.0);
    motion_end(&run);
  }
}

// several contacts at once, in the plane and in space: without loss by restitution friction has all
static void friction_takes_all(void **state) {
  (void)state;
  static const char *const SCENES[] = {
      "title: A box lands flat\n"
      "bodies:\n"
      "  floor: {plane: [0, 1]}\n"
      "  box: {box: [1, 0.4], mass: 1, at: [0, 0.3], velocity: [2, -1.5]}\n"
      "contacts:\n"
      "  c: {between: [box, floor], friction: 0.3, impact: {law: energetic, e: 1}}\n"
      "run: {until: 0.2}\n",
      "title: A box in space lands flat\n"
      "bodies:\n"
      "  floor: {plane: [0, 0, 1]}\n"
      "  box: {box: [1, 0.8, 0.4], mass: 1, at: [0, 0, 0.3], velocity: [2, 0.5, -1.5],\n"
      "        spin: [0, 0, 3]}\n"
      "contacts:\n"
      "  c: {between: [box, floor], friction: 0.3, impact: {law: energetic, e: 1}}\n"
      "run: {until: 0.2}\n",
      "title: A ball in space\n"
      "bodies:\n"
      "  floor: {plane: [0, 0, 1]}\n"
      "  ball: {sphere: 0.2, mass: 1, at: [0, 0, 0.3], velocity: [2, 0.5, -1.5]}\n"
      "contacts:\n"
      "  c: {between: [ball, floor], friction: 0.3, impact: {law: energetic, e: 1}}\n"
      "run: {until: 0.2}\n"};
  static event_log log;
  for (int k = 0; k < 3; k++) {
    motion run = motion_parse(SCENES[k]);
    ask_phases(&run, &log);
    motion_run(&run);
    carom_certificate c = certificate_of(&run);
    CHECK(c.passed && c.counts.impacts > 0 && c.energy.lost_impacts > 0.1);
    CHECK_NEAR(c.energy.lost_impact_friction, c.energy.lost_impacts, 1e-8);
    CHECK(count_logged(&log, CAROM_EVENT_PHASE_RESTITUTION, NULL) > 0);
    motion_end(&run);
  }
}

// to be told of phases changes nothing
static void looking_on(void **state) {
  (void)state;
  static event_log log;
  motion one = motion_load("rod_two_ends", NULL), other = motion_load("rod_two_ends", NULL);
  ask_phases(&one, &log);
  motion_run(&one);
  motion_run(&other);
  const char *const NAMES[] = {"x", "y", "x'", "y'", NULL};
  for (int k = 0; NAMES[k]; k++)
    CHECK_SAME(value_of(&one, NAMES[k]), value_of(&other, NAMES[k]));
  carom_certificate a = certificate_of(&one), b = certificate_of(&other);
  assert_int_equal(a.counts.events, b.counts.events);
  CHECK_SAME(a.energy.lost_impact_friction, b.energy.lost_impact_friction);
  motion_end(&one);
  motion_end(&other);
}

// NAME.friction is the power that friction takes: over the run it is what the ledger says
static void power(void **state) {
  (void)state;
  motion m = motion_parse("title: A block on a belt\n"
                          "parameters: {v: 0.1}\n"
                          "coordinates: {x: 0, y: 0}\n"
                          "energy: {kinetic: \"(x'^2 + y'^2)/2\", potential: 9.81*y + x^2/2}\n"
                          "contacts:\n"
                          "  belt: {gap: y, slip: \"x' - v\", friction: {stick: 0.4, slip: 0.3},\n"
                          "         impact: 0}\n"
                          "run: {until: 60}\n"
                          "observe: {taken: 60*mean(belt.friction)}\n");
  motion_run(&m);
  double lost = certificate_of(&m).energy.lost_friction;
  CHECK(lost > 1.0);
  CHECK_RELATIVE(value_of(&m, "taken"), lost, 1e-8);
  motion_end(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(slides_through),     cmocka_unit_test(sticks_inside),
      cmocka_unit_test(turns_round_inside), cmocka_unit_test(friction_takes_all),
      cmocka_unit_test(looking_on),         cmocka_unit_test(power),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
