// SPDX-License-Identifier: MIT
// Derivatives by differences of maps that are known: smooth ones, ones that jump nearby to another
// outcome of the same kind, ones whose values are noisy.
#include "motion.h"

#include "carom/tangent.h"
#include "hybrid/tangent.h"

// sin y0 + y1^2 + t, more by `height` where y0 is larger by `distance` than where it is looked at
typedef struct hill {
  double from, distance, height, noise;
} hill;

static carom_status value_of_hill(const carom_tangent_map *map, double t, const double *y,
                                  double *out, uint64_t *branch) {
  const hill *h = map->which;
  *branch = 0;
  out[0] = sin(y[0]) + y[1] * y[1] + t;
  if (y[0] > h->from + h->distance) out[0] += h->height;
  out[0] += h->noise * sin(1e9 * y[0]);
  return CAROM_OK;
}

// along (1, 2) and a third of time, from (0.3, 0.7)
static double slope_of(const hill *h) {
  motion m = motion_load("bouncing_ball", NULL);
  carom_error error = {0};
  MUST(carom_simulation_advance(m.simulation, 0.1, &error), error);
  MUST(carom_tangent_begin(m.simulation, &error), error);
  carom_hybrid *it = m.simulation->state;
  const double y[8] = {h->from, 0.7}, way[] = {1.0, 2.0};
  double slope = NAN;
  long kinks = 0;
  carom_tangent_map map = {.it = it, .which = h, .count = 1, .value = value_of_hill};
  assert_int_equal(it->clients.tangent->size, 2);
  assert_true(it->size <= 8);
  assert_int_equal(carom_tangent_along(&map, 0.1, y, way, 1.0 / 3.0, &slope, &kinks), CAROM_OK);
  assert_int_equal(kinks, 0);
  motion_end(&m);
  return slope;
}

static const double EXPECTED = 0.95533648912560601964 + 2.8 + 1.0 / 3.0; // cos(0.3) + ...

static void smooth_map(void **state) {
  (void)state;
  const hill h = {.from = 0.3, .distance = 1.0};
  CHECK_NEAR(slope_of(&h), EXPECTED, 1e-11);
}

// Estimates with long steps are of the height over the step: two of them are not near each other
static void jump_nearby(void **state) {
  (void)state;
  static const double distances[] = {1e-3, 1e-4, 3e-5, 1e-5, 1e-6};
  for (int k = 0; k < 5; k++)
    for (int sign = -1; sign <= 1; sign += 2) {
      const hill h = {.from = 0.3, .distance = distances[k], .height = 5.0 * sign};
      CHECK_NEAR(slope_of(&h), EXPECTED, 1e-7);
    }
}

// the longest step is the best one
static void noisy_map(void **state) {
  (void)state;
  const hill h = {.from = 0.3, .distance = 1.0, .noise = 1e-11};
  CHECK_NEAR(slope_of(&h), EXPECTED, 1e-6);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(smooth_map), cmocka_unit_test(jump_nearby),
                                     cmocka_unit_test(noisy_map)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
