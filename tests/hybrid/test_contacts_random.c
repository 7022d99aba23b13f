// SPDX-License-Identifier: MIT
// Random bodies in a box, up to eight contacts on three freedoms: every run passes its certificate.
#include "motion.h"

#include "random_polygon.h"

static polygon_text scenario;

// and the seeds that failed once: bodies that lie down between floor and wall
static void certificates_hold(void **state) {
  (void)state;
  const unsigned failed[] = {169, 703, 3289, 4209, 4643, 5349};
  for (unsigned k = 0; k < 126; k++) {
    unsigned seed = k < 120 ? k : failed[k - 120];
    polygon_scenario(&scenario, seed);
    motion m = motion_parse(scenario.text);
    assert_int_equal(motion_run(&m), CAROM_OK);
    carom_certificate c = certificate_of(&m);
    if (!c.passed) print_error("seed %u\n", seed);
    CHECK(c.passed);
    CHECK(fabs(c.energy.residual_relative) <= 1e-6);
    CHECK(c.worst.penetration <= 1e-8);
    CHECK(c.worst.cone_violation <= 1e-9 && c.worst.complementarity <= 1e-9);
    CHECK(c.worst.constraint_error <= 1e-12 && c.worst.constraint_rate_error <= 1e-12);
    CHECK(c.energy.lost_friction >= 0.0 && c.energy.lost_impacts > 0.0);
    motion_end(&m);
  }
}

// energy that only leaves: with the floor at rest the body never rises above where it started
static void energy_only_leaves(void **state) {
  (void)state;
  for (unsigned seed = 0; seed < 60; seed += 2) {
    polygon_scenario(&scenario, seed);
    motion m = motion_parse(scenario.text);
    double energy = value_of(&m, "kinetic") + value_of(&m, "potential"), scale = fabs(energy);
    for (int k = 1; k <= 30; k++) {
      motion_advance(&m, 0.1 * k);
      double now = value_of(&m, "kinetic") + value_of(&m, "potential");
      CHECK(now <= energy + 1e-9 * scale);
      energy = now;
    }
    motion_end(&m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(certificates_hold),
      cmocka_unit_test(energy_only_leaves),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
