// SPDX-License-Identifier: MIT
// A simulation with closed contacts as a thing: saved, restored, copied, refused, kept quiet.
#include "motion.h"

#include "hybrid/hybrid.h"

#include <stdlib.h>

static event_log events;

static void same_state(carom_simulation *a, carom_simulation *b) {
  int size;
  const double *y = carom_simulation_state(a, &size), *z = carom_simulation_state(b, NULL);
  assert_memory_equal(y, z, (size_t)size * sizeof *y);
  carom_certificate c, d;
  carom_error error = {0};
  MUST(carom_simulation_certificate(a, &c, &error), error);
  MUST(carom_simulation_certificate(b, &d, &error), error);
  assert_int_equal(c.counts.events, d.counts.events);
  assert_int_equal(c.counts.steps, d.counts.steps);
  CHECK_SAME(c.energy.residual, d.energy.residual);
}

// from a state saved at `t` the run goes on to the same bits as without the interruption
static void continues(const char *scenario, double t, double until) {
  carom_error error = {0};
  motion m = motion_load(scenario, NULL), other = motion_of(m.model);
  motion_advance(&m, t);
  size_t size = 0;
  MUST(carom_simulation_save(m.simulation, NULL, &size, &error), error);
  void *saved = malloc(size);
  assert_non_null(saved);
  MUST(carom_simulation_save(m.simulation, saved, &size, &error), error);
  carom_simulation *copy = NULL;
  MUST(carom_simulation_clone(m.simulation, &copy, &error), error);
  motion_advance(&m, until);
  MUST(carom_simulation_advance(copy, until, &error), error);
  same_state(m.simulation, copy);
  MUST(carom_simulation_restore(other.simulation, saved, size, &error), error);
  MUST(carom_simulation_advance(other.simulation, until, &error), error);
  same_state(m.simulation, other.simulation);
  free(saved);
  carom_simulation_destroy(copy);
  carom_simulation_destroy(other.simulation);
  motion_end(&m);
}

static void saved_in_contact(void **state) {
  (void)state;
  // sticking, slipping, in flight, among bounces, with redundant feet, on a linkage
  for (double t = 1.001; t < 1.2; t += 0.02)
    continues("frictional_impact_oscillator", t, 2.0);
  continues("belt_block", 20.0, 100.0);
  continues("belt_block", 40.0, 100.0);
  continues("bouncing_ball", 4.0636, 5.0);
  continues("bouncing_ball", 5.0, 6.0);
  continues("three_contacts", 1.0, 3.0);
  continues("slider_crank_stop", 2.05, 4.0);
  continues("woodpecker", 0.5, 1.0);
  continues("rocking_block", 8.7, 9.0);
}

// What counts as zero was settled at the last instant, and comes with the saved state: speeds of
// contacts had the widths of the start after it.
static void widths_come_along(void **state) {
  (void)state;
  carom_error error = {0};
  motion m = motion_load("bouncing_ball", NULL), other = motion_of(m.model);
  motion_advance(&m, 1.0);
  size_t size = 0;
  MUST(carom_simulation_save(m.simulation, NULL, &size, &error), error);
  void *saved = malloc(size);
  assert_non_null(saved);
  MUST(carom_simulation_save(m.simulation, saved, &size, &error), error);
  MUST(carom_simulation_restore(other.simulation, saved, size, &error), error);
  const carom_hybrid *a = m.simulation->state, *b = other.simulation->state;
  CHECK(a->tolerance.speed[0] > 0.0);
  CHECK_SAME(b->tolerance.speed[0], a->tolerance.speed[0]);
  CHECK_SAME(b->tolerance.gap[0], a->tolerance.gap[0]);
  for (int i = 0; i < a->size; i++)
    CHECK_SAME(b->room.weight[i], a->room.weight[i]);
  free(saved);
  carom_simulation_destroy(other.simulation);
  motion_end(&m);
}

// bodies that overlap at the start are an error of the file, at the gap that says so
static void overlap_is_refused(void **state) {
  (void)state;
  carom_model *model = NULL;
  carom_simulation *simulation = NULL;
  carom_error error = {0};
  const char *text = "coordinates: {y: -0.01}\n"
                     "energy: {kinetic: y'^2/2, potential: 9.81*y}\n"
                     "contacts:\n  floor: {gap: y, impact: 0.5}\n"
                     "run: {until: 1}\n";
  MUST(carom_model_parse(text, "sunk.yaml", 0, NULL, &model, &error), error);
  assert_int_equal(carom_simulation_create(model, &simulation, &error), CAROM_ERR_INPUT);
  assert_null(simulation);
  assert_non_null(strstr(error.text, "overlap"));
  assert_int_equal(error.line, 4);
  carom_model_destroy(model);
}

// a contact that lasts is a state: hours on a shaken table, one event at the start
static void lasting_contact_is_quiet(void **state) {
  (void)state;
  motion m =
      motion_parse("coordinates: {x: 0, y: 0, theta: 0}\n"
                   "define: {table: 0.001*sin(20*t)}\n"
                   "energy: {kinetic: \"(x'^2 + y'^2 + theta'^2/10)/2\", potential: 9.81*y}\n"
                   "contacts:\n"
                   "  left: {gap: y - 0.3*sin(theta) - table, slip: x', friction: 0.3,\n"
                   "    impact: 0.5}\n"
                   "  right: {gap: y + 0.3*sin(theta) - table, slip: x', friction: 0.4,\n"
                   "    impact: 0.5}\n"
                   "run: {until: 200}\n");
  motion_log(&m, &events);
  // the table moves at the start: the block is taken along from its first impact on
  motion_advance(&m, 100.0);
  int settled = events.count;
  motion_advance(&m, 200.0);
  assert_int_equal(events.count, settled);
  carom_certificate c = certificate_of(&m);
  CHECK(c.passed && c.counts.openings == 0);
  CHECK_NEAR(value_of(&m, "y"), 0.001 * sin(20.0 * 200.0), 1e-14);
  motion_end(&m);
}

// a contact on the verge: it opens when the table falls faster than the block, and lands again
static void opens_and_lands(void **state) {
  (void)state;
  motion m = motion_parse("parameters: {A: 0.03, w: 20}\n" // A w^2 = 12 > g
                          "coordinates: {y: {start: 0, rate: A*w}}\n"
                          "energy: {kinetic: y'^2/2, potential: 9.81*y}\n"
                          "contacts: {table: {gap: y - A*sin(w*t), impact: 0}}\n"
                          "run: {until: 1}\n");
  motion_log(&m, &events);
  motion_run(&m);
  // A w^2 sin(w t) = g, the gap then grows like t^3
  const logged *open = find_logged(&events, CAROM_EVENT_OPEN, "table", 0);
  double off = asin(9.81 / 12.0) / 20.0, lo = off + 0.05, hi = off + 0.3;
  CHECK_NEAR(open->t, off, 1e-9);
  for (int k = 0; k < 60; k++) {
    double t = 0.5 * (lo + hi), s = t - off;
    double gap =
        0.03 * sin(20 * off) + 0.6 * cos(20 * off) * s - 4.905 * s * s - 0.03 * sin(20 * t);
    *(gap > 0.0 ? &lo : &hi) = t;
  }
  CHECK_NEAR(find_logged(&events, CAROM_EVENT_IMPACT, "table", 0)->t, lo, 1e-9);
  CHECK(certificate_of(&m).passed);
  motion_end(&m);
}

// The certificate looks at the slip of the state it judges, whatever state was there before: a run
// taken up where the disc slides the other way than at its start has done nothing wrong.
static void judged_where_it_is(void **state) {
  (void)state;
  static unsigned char saved[1 << 16];
  size_t size = sizeof saved;
  carom_error error = {0};
  motion m = motion_load("disc_ball_case7", NULL), other = motion_load("disc_ball_case7", NULL);
  motion_advance(&m, 0.1826);
  MUST(carom_simulation_save(m.simulation, saved, &size, &error), error);
  MUST(carom_simulation_restore(other.simulation, saved, size, &error), error);
  motion_run(&other);
  CHECK(certificate_of(&other).passed);
  CHECK_SAME(certificate_of(&other).worst.cone_violation, 0.0);
  motion_end(&other);
  motion_end(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(saved_in_contact),   cmocka_unit_test(widths_come_along),
      cmocka_unit_test(overlap_is_refused), cmocka_unit_test(lasting_contact_is_quiet),
      cmocka_unit_test(opens_and_lands),    cmocka_unit_test(judged_where_it_is),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
