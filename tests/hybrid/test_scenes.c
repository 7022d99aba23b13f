// SPDX-License-Identifier: MIT
// Random planar scenarios with up to eight contacts: every run passes its certificate.
#include "motion.h"

#include "random_scene.h"

static scene_text scene;

// Newton's law with friction may gain energy, which the certificate must tell; nothing else fails.
static void check_run(unsigned seed) {
  scene_scenario(&scene, seed);
  motion m = motion_parse(scene.text);
  assert_int_equal(motion_run(&m), CAROM_OK);
  carom_certificate c = certificate_of(&m);
  if (!c.passed) print_error("seed %u\n", seed);
  CHECK(c.passed || c.energy.impact_gain > 0.0);
  CHECK(c.worst.cone_violation <= 1e-9 && c.worst.complementarity <= 1e-9);
  CHECK(c.worst.constraint_error <= 1e-12 && c.worst.constraint_rate_error <= 1e-12);
  CHECK(c.worst.penetration <= 1e-8);
  CHECK(c.energy.impact_gain <= 1e-12 || strcmp(scene.law, "newton") == 0);
  motion_end(&m);
}

static void certificates_of_scenes(void **state) {
  (void)state;
  for (unsigned seed = 0; seed < 160; seed++)
    check_run(seed);
}

// seeds that failed once: shared loads whose modes ended in weakly admissible ones, friction that
// falls with the slip and takes a normal force to zero
static void seeds_that_failed(void **state) {
  (void)state;
  const unsigned seeds[] = {331,  428,  535,  668,  738,  864,  969,  1132, 1229, 1253, 1331,
                            1440, 2497, 2627, 2802, 2815, 2908, 3445, 7366, 9592, 11480};
  for (size_t k = 0; k < sizeof seeds / sizeof *seeds; k++)
    check_run(seeds[k]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(certificates_of_scenes),
      cmocka_unit_test(seeds_that_failed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
