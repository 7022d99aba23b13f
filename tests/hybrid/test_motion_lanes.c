// SPDX-License-Identifier: MIT
// Motions side by side: every bit as if each had been alone, whatever happens to its neighbours.
#include "motion.h"

#include "base/wide.h"

enum { MOST = 7 };

typedef struct watched {
  long events, stop_at; // 0: never
} watched;

static int count_event(void *ctx, const carom_event *event) {
  watched *it = ctx;
  (void)event;
  return ++it->events == it->stop_at;
}

/// A few motions of one model, with different parameters, ends and observers.
typedef struct family {
  carom_simulation *members[MOST];
  watched seen[MOST];
  double until[MOST];
  int count;
} family;

static family create(const carom_model *model, int count, const char *name, const double *values,
                     double until) {
  family made = {.count = count};
  carom_error error = {0};
  for (int k = 0; k < count; k++) {
    MUST(carom_simulation_create(model, &made.members[k], &error), error);
    MUST(carom_simulation_set(made.members[k], name, values[k], &error), error);
    MUST(carom_simulation_reset(made.members[k], &error), error);
    made.until[k] = until * (1.0 + 0.1 * (k % 3));
  }
  return made;
}

static void observe(family *f) {
  for (int k = 0; k < f->count; k++) {
    carom_observer observer = {.ctx = &f->seen[k], .event = count_event};
    carom_simulation_observe(f->members[k], &observer);
  }
}

static void destroy(family *f) {
  for (int k = 0; k < f->count; k++)
    carom_simulation_destroy(f->members[k]);
}

// one family goes together, the other one by one; returns how many of them fail
static int compare(family *together, family *apart) {
  carom_status statuses[MOST];
  carom_error errors[MOST] = {{0}};
  int failed = 0;
  observe(together);
  observe(apart);
  carom_simulations_advance(together->members, together->count, together->until, statuses, errors);
  for (int k = 0; k < apart->count; k++) {
    carom_error error = {0};
    carom_simulation *a = together->members[k], *b = apart->members[k];
    assert_int_equal(carom_simulation_advance(b, apart->until[k], &error), statuses[k]);
    assert_string_equal(errors[k].text, error.text);
    int size;
    const double *y = carom_simulation_state(a, &size), *z = carom_simulation_state(b, NULL);
    assert_memory_equal(y, z, (size_t)size * sizeof *y);
    CHECK_SAME(carom_simulation_time(a), carom_simulation_time(b));
    assert_int_equal(together->seen[k].events, apart->seen[k].events);
    carom_certificate c, d;
    MUST(carom_simulation_certificate(a, &c, &error), error);
    MUST(carom_simulation_certificate(b, &d, &error), error);
    assert_int_equal((int)c.counts.steps, (int)d.counts.steps);
    assert_int_equal((int)c.counts.evaluations, (int)d.counts.evaluations);
    CHECK_SAME(c.energy.residual, d.energy.residual);
    CHECK_SAME(c.energy.lost_dampers, d.energy.lost_dampers);
    failed += statuses[k] < 0;
  }
  return failed;
}

static void same_bits(const char *scenario, const char *name, const double *values, double until) {
  motion m = motion_load(scenario, NULL);
  if (carom_machine_has_avx2()) assert_int_equal(carom_model_lanes(m.model), CAROM_LANES);
  for (int count = 1; count <= MOST; count += 2) {
    family together = create(m.model, count, name, values, until);
    family apart = create(m.model, count, name, values, until);
    assert_int_equal(compare(&together, &apart), 0);
    // and on from there
    for (int k = 0; k < count; k++)
      together.until[k] = apart.until[k] = 1.5 * together.until[k];
    assert_int_equal(compare(&together, &apart), 0);
    destroy(&together);
    destroy(&apart);
  }
  motion_end(&m);
}

// valves that chatter, strike, stay on their seat, swing and come to rest
static void valves(void **state) {
  (void)state;
  same_bits("relief_valve", "q", (const double[]){0.3, 9.4, 1.7, 3.3, 7.85, 0.21, 6.2}, 12.0);
}

static void smooth_motions(void **state) {
  (void)state;
  same_bits("van_der_pol", "mu", (const double[]){0.1, 8.0, 1.0, 2.0, 3.0, 0.5, 4.0}, 10.0);
  same_bits("lorenz", "rho", (const double[]){28, 10, 99, 0.5, 35, 166, 14}, 5.0);
}

// contacts that close: motions in the same phase go on together, others wait or go by themselves
static void contacts_close(void **state) {
  (void)state;
  same_bits("frictional_impact_oscillator", "mu",
            (const double[]){0.5, 0.45, 0.395, 0.66, 0.41, 0.3, 0.5}, 4.0);
  same_bits("dimer", "Ar", (const double[]){3.9, 2.2, 5.1, 3.0, 6.5, 4.0, 3.9}, 0.3);
  same_bits("woodpecker", "mu", (const double[]){0.3, 0.28, 0.32, 0.3, 0.25, 0.31, 0.29}, 2.0);
}

// switches of floor and mod, at different times
static void stairs(void **state) {
  (void)state;
  const double values[MOST] = {1.0, 0.31, 2.2, 0.7, 1.4, 0.9, 3.1};
  motion m = motion_parse("parameters: {a: 1}\ncoordinates: {x: {start: 0.2, rate: 1}}\n"
                          "energy: {kinetic: \"x'^2/2\", potential: x^2/2}\n"
                          "forces: {x: \"floor(a*t)/5 + mod(x, 0.3) + hypot(x, a*x')/9\"}\n"
                          "run: {until: 100}\n");
  family together = create(m.model, MOST, "a", values, 5.0);
  family apart = create(m.model, MOST, "a", values, 5.0);
  assert_int_equal(compare(&together, &apart), 0);
  CHECK(together.seen[0].events > 9);
  destroy(&together);
  destroy(&apart);
  motion_end(&m);
}

// an observer stops one of them, an error ends another: the rest do not notice
static void neighbours_end(void **state) {
  (void)state;
  static const char text[] = "parameters: {a: 1, b: 0.3}\n"
                             "coordinates: {x: {start: 1, rate: 0}}\n"
                             "states: {z: {start: 1, rate: -a*x*z - b*x^2 + 0.2*sqrt(z)}}\n"
                             "energy: {kinetic: \"x'^2/2\", potential: x^2/2 + b*x^4/(1 + x^2)}\n"
                             "sections: {top: {when: \"x'\", direction: falling}}\n"
                             "run: {until: 100}\n";
  const double values[MOST] = {1.0, 30.0, -0.2, 0.5};
  motion m = motion_parse(text);
  family together = create(m.model, 4, "a", values, 30.0);
  family apart = create(m.model, 4, "a", values, 30.0);
  together.seen[3].stop_at = apart.seen[3].stop_at = 2;
  assert_int_equal(compare(&together, &apart), 1);
  CHECK(together.seen[3].events == 2 && together.seen[0].events > 2);
  destroy(&together);
  destroy(&apart);
  motion_end(&m);
}

// a time behind one of them is refused for that one alone
static void time_behind(void **state) {
  (void)state;
  motion m = motion_load("relief_valve", NULL);
  const double values[] = {1.0, 2.0, 3.0};
  family together = create(m.model, 3, "q", values, 5.0),
         apart = create(m.model, 3, "q", values, 5.0);
  assert_int_equal(compare(&together, &apart), 0);
  together.until[1] = apart.until[1] = 1.0;
  together.until[2] = apart.until[2] = 9.0;
  assert_int_equal(compare(&together, &apart), 1);
  destroy(&together);
  destroy(&apart);
  motion_end(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(valves),         cmocka_unit_test(smooth_motions),
      cmocka_unit_test(contacts_close), cmocka_unit_test(neighbours_end),
      cmocka_unit_test(time_behind),    cmocka_unit_test(stairs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
