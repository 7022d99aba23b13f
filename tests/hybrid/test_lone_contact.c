// SPDX-License-Identifier: MIT
// A contact that is closed alone has equations of its own; with contacts far away that never close
// there are too many for that, and the same motion goes the general way: both agree.
#include "motion.h"

static event_log events[2];

// a bent arm on a belt that shakes: hops, sticks and slips, with friction that falls with the slip
static const char *ARM =
    "parameters: {mu: 0.5}\n"
    "coordinates: {y: 0.95, phi: 0.5}\n"
    "define: {tip_x: sin(phi), tip_y: y - cos(phi)}\n"
    "energy:\n"
    "  kinetic: 0.05*(tip_x'^2 + tip_y'^2) + y'^2/2\n"
    "  potential: tip_y + 10*y + 50*(y - 1)^2 + 50*(phi - 0.3927)^2\n"
    "  dissipation: 5*y'^2\n"
    "contacts:\n"
    "  tip: {gap: tip_y - 0.002*sin(7*t), slip: tip_x' + 1,\n"
    "    friction: {stick: mu, slip: mu*(0.8 + 0.2*exp(-slip^2))}, impact: {law: poisson, e: 0}}\n";

// and without friction: a ball on a table, thrown and at rest
static const char *BALL = "coordinates: {y: 0.1}\n"
                          "energy: {kinetic: y'^2/2, potential: 9.81*y}\n"
                          "contacts:\n"
                          "  top: {gap: y - 0.003*sin(60*t), impact: 0.4}\n";

static motion motion_with(const char *text, bool far_ones, double until) {
  static const char *FAR = "  a: {gap: y + 9, impact: 0}\n  b: {gap: y + 8, impact: 0}\n"
                           "  c: {gap: y + 7, impact: 0}\n  d: {gap: y + 6, impact: 0}\n";
  char whole[2000];
  (void)snprintf(whole, sizeof whole, "%s%srun: {until: %g, rtol: 1e-11}\n", text,
                 far_ones ? FAR : "", until);
  return motion_parse(whole);
}

static void compare(const char *text, double until, double tolerance) {
  carom_certificate c[2];
  double y[2];
  for (int k = 0; k < 2; k++) {
    motion m = motion_with(text, k == 1, until);
    motion_log(&m, &events[k]);
    motion_run(&m);
    c[k] = certificate_of(&m);
    y[k] = value_of(&m, "y");
    motion_end(&m);
    CHECK(c[k].passed);
  }
  assert_int_equal(events[0].count, events[1].count);
  for (int k = 0; k < events[0].count; k++) {
    assert_int_equal(events[0].list[k].kind, events[1].list[k].kind);
    CHECK_NEAR(events[0].list[k].t, events[1].list[k].t, tolerance);
  }
  CHECK_NEAR(y[0], y[1], tolerance);
  CHECK_NEAR(c[0].energy.lost_friction, c[1].energy.lost_friction, tolerance);
  CHECK_NEAR(c[0].energy.work_drives, c[1].energy.work_drives, tolerance);
}

static void arm_on_a_belt(void **state) {
  (void)state;
  compare(ARM, 3.0, 1e-9);
  CHECK(count_logged(&events[0], CAROM_EVENT_SLIP, "tip") > 5);
  CHECK(count_logged(&events[0], CAROM_EVENT_OPEN, "tip") > 5);
}

static void ball_on_a_table(void **state) {
  (void)state;
  compare(BALL, 1.0, 1e-9);
  CHECK(count_logged(&events[0], CAROM_EVENT_OPEN, "top") > 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(arm_on_a_belt),
      cmocka_unit_test(ball_on_a_table),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
