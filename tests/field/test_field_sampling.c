// SPDX-License-Identifier: MIT
// Without run.sample the samples of a body in fields follow its motion.
#include "hybrid/motion.h"

#include <stdlib.h>

enum { MOST = 20100, COLUMNS = 6 };

typedef struct samples {
  int count;
  double t[MOST], values[MOST][COLUMNS];
} samples;

static int keep(void *ctx, const carom_simulation *simulation, double t, int count,
                const double *values) {
  (void)simulation;
  samples *all = ctx;
  if (all->count == MOST || count < COLUMNS) return 1;
  all->t[all->count] = t;
  memcpy(all->values[all->count++], values, sizeof *all->values);
  return 0;
}

static samples *run_sampled(const char *scenario) {
  const carom_setting settings[] = {{"run.sample", "null"}, {NULL, NULL}};
  samples *all = calloc(1, sizeof *all);
  assert_non_null(all);
  motion m = motion_load(scenario, settings), alone = motion_load(scenario, settings);
  carom_observer observer = {.ctx = all, .sample = keep};
  carom_simulation_observe(m.simulation, &observer);
  motion_run(&m);
  motion_run(&alone);
  // to look on changes nothing
  int size;
  const double *a = carom_simulation_state(m.simulation, &size),
               *b = carom_simulation_state(alone.simulation, &size);
  for (int k = 0; k < size; k++)
    CHECK_SAME(a[k], b[k]);
  CHECK_SAME(all->t[all->count - 1], carom_simulation_time(m.simulation));
  motion_end(&m);
  motion_end(&alone);
  return all;
}

// how far a sample lies off the chord of its neighbours, of the range of its column
static double worst_chord(const samples *all, int column) {
  double low = INFINITY, high = -INFINITY, worst = 0.0;
  for (int k = 0; k < all->count; k++) {
    low = fmin(low, all->values[k][column]);
    high = fmax(high, all->values[k][column]);
  }
  for (int k = 1; k + 1 < all->count; k++) {
    double share = (all->t[k] - all->t[k - 1]) / (all->t[k + 1] - all->t[k - 1]);
    double from = all->values[k - 1][column], to = all->values[k + 1][column];
    if (all->t[k + 1] > all->t[k - 1])
      worst = fmax(worst, fabs(all->values[k][column] - from - share * (to - from)));
  }
  return high > low ? worst / (high - low) : 0.0;
}

static void follow(void **state) {
  (void)state;
  static const char *const SCENARIOS[] = {"field_rolling", "field_rocking"};
  for (int s = 0; s < 2; s++) {
    samples *all = run_sampled(SCENARIOS[s]);
    CHECK(all->count > 1000 && all->count < 6000);
    for (int c = 0; c < COLUMNS; c++)
      CHECK(worst_chord(all, c) < 0.01);
    // close where it bends: not a grid
    double least = INFINITY, most = 0.0;
    for (int k = 1; k < all->count; k++) {
      least = fmin(least, all->t[k] - all->t[k - 1]);
      most = fmax(most, all->t[k] - all->t[k - 1]);
    }
    CHECK(least >= 0.0 && most > 5.0 * least);
    free(all);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(follow)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
