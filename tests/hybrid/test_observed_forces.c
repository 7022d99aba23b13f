// SPDX-License-Identifier: MIT
// Contact forces in observables: against closed forms, against what a recording holds, in rigid and
// compliant contact; and that to observe them does not change the motion.
#include "motion.h"

#include "carom/scene.h"

#include <math.h>

// a block of 2 kg pressed to the floor by its weight and 3 cos(2t), pushed along it by F sin(2t):
// N = 19.62 - 3 cos(2t), and while it sticks T = -F sin(2t)
#define BLOCK(friction, rest)                                                                      \
  "parameters: {m: 2, g: 9.81, F: 6}\n"                                                            \
  "coordinates: {x: 0, y: 0}\n"                                                                    \
  "energy: {kinetic: m/2*(x'^2 + y'^2), potential: m*g*y}\n"                                       \
  "forces: {x: F*sin(2*t), y: 3*cos(2*t)}\n"                                                       \
  "contacts: {foot: {gap: y, slip: x', friction: " friction ", impact: 0}}\n" rest

static void a_block_that_sticks(void **state) {
  (void)state;
  motion m =
      motion_parse(BLOCK("10", "run: {until: 2*pi}\n"
                               "sections: {eighth: {when: sin(t - pi/4), direction: rising}}\n"
                               "measure: {after: 0, over: 2*pi}\n"
                               "observe:\n"
                               "  N: foot.normal\n  T: foot.tangential\n  gap: foot.gap\n"
                               "  mean: mean(foot.normal)\n"
                               "  largest: max(foot.normal)\n"
                               "  least: min(foot.normal)\n"
                               "  pull: min(foot.tangential)\n"
                               "  rub: mean(abs(foot.tangential))\n"
                               "  square: mean(foot.tangential^2)\n"
                               "  steep: max(foot.tangential/foot.normal)\n"
                               "  there: at(eighth, foot.tangential)\n"
                               "  fall: mean_rate(foot.normal)\n"
                               "  newton: max(abs(m*y'' - foot.normal + m*g - 3*cos(2*t)))\n"
                               "  end: last(foot.normal)\n"));
  motion_advance(&m, 1.0);
  CHECK_NEAR(value_of(&m, "N"), 19.62 - 3.0 * cos(2.0), 1e-12);
  CHECK_NEAR(value_of(&m, "T"), -6.0 * sin(2.0), 1e-12);
  assert_int_equal(motion_run(&m), CAROM_OK);
  CHECK_NEAR(value_of(&m, "mean"), 19.62, 1e-11);
  CHECK_NEAR(value_of(&m, "largest"), 22.62, 1e-12);
  CHECK_NEAR(value_of(&m, "least"), 16.62, 1e-12);
  CHECK_NEAR(value_of(&m, "pull"), -6.0, 1e-12);
  CHECK_NEAR(value_of(&m, "rub"), 12.0 / PI, 1e-10); // the kinks of abs lie inside steps
  CHECK_NEAR(value_of(&m, "square"), 18.0, 1e-10);
  // F sin/(w - 3 cos) is largest where cos = 3/w
  CHECK_NEAR(value_of(&m, "steep"), 6.0 / sqrt(19.62 * 19.62 - 9.0), 1e-12);
  CHECK_NEAR(value_of(&m, "there"), -6.0, 1e-9);
  CHECK_NEAR(value_of(&m, "fall"), 0.0, 1e-11);
  CHECK_NEAR(value_of(&m, "newton"), 0.0, 1e-9);
  CHECK_NEAR(value_of(&m, "end"), 16.62, 1e-12);
  CHECK_SAME(value_of(&m, "gap"), 0.0);
  motion_end(&m);
}

// a plank of 3 kg on two feet, 2 m apart, and a load of 4 N that walks from one to the other
static void two_feet_share_the_load(void **state) {
  (void)state;
  motion m =
      motion_parse("parameters: {m: 3, g: 10, P: 4}\n"
                   "coordinates: {y: 0, a: 0}\n"
                   "energy: {kinetic: m/2*y'^2 + a'^2/2, potential: m*g*y}\n"
                   "forces: {y: -P, a: -P*cos(t)}\n"
                   "contacts: {left: {gap: y - a, impact: 0}, right: {gap: y + a, impact: 0}}\n"
                   "run: {until: pi}\n"
                   "observe:\n"
                   "  sum: max(abs(left.normal + right.normal - m*g - P))\n"
                   "  left: max(left.normal)\n  right: max(right.normal)\n"
                   "  mean: mean(right.normal)\n  last: right.normal\n");
  assert_int_equal(motion_run(&m), CAROM_OK);
  CHECK_NEAR(value_of(&m, "sum"), 0.0, 1e-11);
  CHECK_NEAR(value_of(&m, "left"), 19.0, 1e-11);
  CHECK_NEAR(value_of(&m, "right"), 19.0, 1e-11);
  CHECK_NEAR(value_of(&m, "mean"), 17.0, 1e-11);
  CHECK_NEAR(value_of(&m, "last"), 15.0, 1e-11);
  motion_end(&m);
}

// what flies bears nothing, and an impulse is no force
static void nothing_in_flight(void **state) {
  (void)state;
  motion m = motion_parse(
      "coordinates: {y: 1}\n"
      "energy: {kinetic: y'^2/2, potential: 10*y}\n"
      "contacts: {floor: {gap: y, impact: 1}}\n"
      "run: {until: 3}\n"
      "observe: {N: floor.normal, largest: max(floor.normal), mean: mean(floor.normal),\n"
      "          bounces: count(floor), highest: max(floor.gap)}\n");
  assert_int_equal(motion_run(&m), CAROM_OK);
  CHECK_SAME(value_of(&m, "N"), 0.0);
  CHECK_SAME(value_of(&m, "largest"), 0.0);
  CHECK_SAME(value_of(&m, "mean"), 0.0);
  CHECK_SAME(value_of(&m, "bounces"), 3.0);
  CHECK_NEAR(value_of(&m, "highest"), 1.0, 1e-10);
  motion_end(&m);
}

typedef struct recorded {
  carom_scene *scene;
  double normal, tangential, least, sum, last; // largest values, sum of |T|, the last N
  int samples;
} recorded;

static int on_sample(void *ctx, const carom_simulation *simulation, double t, int count,
                     const double *values) {
  (void)simulation;
  recorded *it = ctx;
  carom_error error = {0};
  MUST(carom_scene_look(it->scene, t, count, values, &error), error);
  int contacts = 0;
  const carom_contact_view *seen = carom_scene_contacts(it->scene, &contacts);
  it->normal = fmax(it->normal, seen->normal);
  it->tangential = fmax(it->tangential, seen->tangential);
  it->least = fmin(it->least, seen->tangential);
  it->sum += it->samples++ > 0 ? fabs(seen->tangential) : 0.0;
  it->last = seen->normal;
  return 0;
}

// stick and slip both ways: observables agree with the samples of a recording
static void as_recorded(void **state) {
  (void)state;
  motion m =
      motion_parse(BLOCK("{stick: 0.4, slip: 0.3}",
                         "run: {until: 12, sample: 0.0005}\n"
                         "observe:\n"
                         "  N: foot.normal\n  normal: max(foot.normal)\n"
                         "  tangential: max(foot.tangential)\n  least: min(foot.tangential)\n"
                         "  rub: mean(abs(foot.tangential))\n"
                         "  cone: max(abs(foot.tangential) - 0.4*foot.normal)\n"));
  set_value(&m, "F", 8.0);
  recorded it = {0};
  carom_error error = {0};
  MUST(carom_scene_create(m.simulation, &it.scene, &error), error);
  carom_observer observer = {.ctx = &it, .sample = on_sample};
  carom_simulation_observe(m.simulation, &observer);
  assert_int_equal(motion_run(&m), CAROM_OK);
  CHECK(it.samples == 24001);
  CHECK_SAME(value_of(&m, "N"), it.last);
  CHECK_NEAR(value_of(&m, "normal"), it.normal, 1e-5);
  // the force falls at once where stick ends: samples come near to the top, never above it
  CHECK(value_of(&m, "tangential") >= it.tangential && value_of(&m, "least") <= it.least);
  CHECK_NEAR(value_of(&m, "tangential"), it.tangential, 1e-2);
  CHECK_NEAR(value_of(&m, "least"), it.least, 1e-2);
  CHECK_NEAR(value_of(&m, "rub"), it.sum / (it.samples - 1), 1e-3);
  CHECK_NEAR(value_of(&m, "cone"), 0.0, 1e-9); // reached where stick ends, never passed
  carom_scene_destroy(it.scene);
  motion_end(&m);
}

static int look(void *ctx, const carom_simulation *simulation, double t, int count,
                const double *values) {
  (void)simulation;
  carom_error error = {0};
  MUST(carom_scene_look(ctx, t, count, values, &error), error);
  return 0;
}

static void same_state(const motion *a, const motion *b) {
  int size = 0;
  const double *one = carom_simulation_state(a->simulation, &size);
  const double *other = carom_simulation_state(b->simulation, NULL);
  for (int i = 0; i < size; i++)
    CHECK_SAME(one[i], other[i]);
}

// the same motion to the last bit, whether its forces are observed, recorded, or neither
static void compare_motions(motion *plain, motion *seen, motion *taped, double until) {
  carom_error error = {0};
  carom_scene *scene = NULL;
  MUST(carom_scene_create(taped->simulation, &scene, &error), error);
  carom_observer observer = {.ctx = scene, .sample = look};
  carom_simulation_observe(taped->simulation, &observer);
  for (int k = 1; k <= 12; k++) {
    motion_advance(plain, until * k / 12);
    motion_advance(seen, until * k / 12);
    motion_advance(taped, until * k / 12);
    CHECK(value_of(seen, "now") >= 0.0);
    same_state(plain, seen);
    same_state(plain, taped);
  }
  CHECK(value_of(seen, "N") > 0.1 && value_of(seen, "T") > 1.0);
  carom_scene_destroy(scene);
  motion_end(plain);
  motion_end(seen);
  motion_end(taped);
}

static void looking_changes_nothing(void **state) {
  (void)state;
  const carom_setting setting[] = {{"observe.N", "mean(tip.normal)"},
                                   {"observe.T", "max(abs(tip.tangential))"},
                                   {"observe.now", "tip.normal"},
                                   {"run.until", "12"},
                                   {"measure.after", "2"},
                                   {NULL, NULL}};
  motion plain = motion_load("frictional_impact_oscillator", setting + 3);
  motion seen = motion_load("frictional_impact_oscillator", setting);
  motion taped = motion_load("frictional_impact_oscillator", setting + 3);
  compare_motions(&plain, &seen, &taped, 12.0);
}

// a block that rocks on a shaken table: bounces that pile up, stick and slip of two contacts
#define SHAKEN                                                                                     \
  "parameters: {b: 0.1, h: 0.5, g: 9.81, A: 0.02}\n"                                               \
  "coordinates: {x: 0, y: h, theta: 0}\n"                                                          \
  "define:\n"                                                                                      \
  "  table: A*sin(4*pi*t)\n"                                                                       \
  "  lx: x - b*cos(theta) + h*sin(theta)\n  ly: y - b*sin(theta) - h*cos(theta)\n"                 \
  "  rx: x + b*cos(theta) + h*sin(theta)\n  ry: y + b*sin(theta) - h*cos(theta)\n"                 \
  "energy: {kinetic: (x'^2 + y'^2)/2 + (b^2 + h^2)/6*theta'^2, potential: g*y}\n"                  \
  "contacts:\n"                                                                                    \
  "  left: {gap: ly, slip: lx' - table', friction: 0.7, impact: {law: poisson, e: 0.3}}\n"         \
  "  right: {gap: ry, slip: rx' - table', friction: 0.7, impact: {law: poisson, e: 0.3}}\n"        \
  "run: {until: 5, sample: 0.01}\n"

static void looking_at_a_shaken_block_changes_nothing(void **state) {
  (void)state;
  motion plain = motion_parse(SHAKEN);
  motion seen = motion_parse(SHAKEN "observe:\n"
                                    "  N: max(left.normal + right.normal)\n"
                                    "  T: max(abs(left.tangential + right.tangential))\n"
                                    "  now: left.normal\n");
  motion taped = motion_parse(SHAKEN);
  compare_motions(&plain, &seen, &taped, 5.0);
}

// springs in place of rigid contact bear the same
static void compliant_forces(void **state) {
  (void)state;
  motion m = motion_parse(BLOCK("{stick: 0.4, slip: 0.3}",
                                "run: {until: 2*pi, compliant: 1e6}\n"
                                "measure: {after: pi}\n"
                                "observe:\n"
                                "  N: foot.normal\n  normal: max(foot.normal)\n"
                                "  mean: mean(foot.normal)\n  least: min(foot.tangential)\n"));
  assert_int_equal(motion_run(&m), CAROM_OK);
  CHECK_NEAR(value_of(&m, "N"), 16.62, 1e-3);
  CHECK_NEAR(value_of(&m, "normal"), 22.62, 1e-3);
  CHECK_NEAR(value_of(&m, "mean"), 19.62, 1e-3);
  CHECK_NEAR(value_of(&m, "least"), -6.0, 1e-3);
  motion_end(&m);
}

// an observable without reducers is what it is now
static void as_it_is_now(void **state) {
  (void)state;
  motion m =
      motion_parse("coordinates: {x: 1}\n"
                   "energy: {kinetic: x'^2/2, potential: x^2/2}\n"
                   "run: {until: 5}\n"
                   "observe: {where: 2*x, speed: x', push: \"x''\", when: t, size: abs(x)}\n");
  for (int k = 0; k < 5; k++) {
    double t = k;
    motion_advance(&m, t);
    CHECK_NEAR(value_of(&m, "where"), 2.0 * cos(t), 1e-9);
    CHECK_NEAR(value_of(&m, "speed"), -sin(t), 1e-9);
    CHECK_NEAR(value_of(&m, "push"), -cos(t), 1e-9);
    CHECK_NEAR(value_of(&m, "size"), fabs(cos(t)), 1e-9);
    CHECK_SAME(value_of(&m, "when"), t);
  }
  motion_end(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_block_that_sticks),
      cmocka_unit_test(two_feet_share_the_load),
      cmocka_unit_test(nothing_in_flight),
      cmocka_unit_test(as_recorded),
      cmocka_unit_test(looking_changes_nothing),
      cmocka_unit_test(compliant_forces),
      cmocka_unit_test(as_it_is_now),
      cmocka_unit_test(looking_at_a_shaken_block_changes_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
