// SPDX-License-Identifier: MIT
// A run that is stopped after any step, saved, and gone on with from what was saved ends with the
// bits of one that was not stopped: both steppers remember how they went.
#include "check.h"

#include "carom/carom.h"

#include <stdlib.h>

static int count_down(void *ctx) {
  long *left = ctx;
  return (*left)-- <= 0;
}

static carom_simulation *begin(const carom_model *model, long *left) {
  carom_simulation *simulation = NULL;
  assert_int_equal(carom_simulation_create(model, &simulation, NULL), CAROM_OK);
  carom_simulation_heed(simulation, count_down, left);
  return simulation;
}

static void goes_on(const carom_model *model, long steps, double until, const double *whole) {
  long left = steps;
  carom_simulation *stopped = begin(model, &left);
  assert_int_equal(carom_simulation_advance(stopped, until, NULL), CAROM_STOP_USER);
  size_t size = 0;
  assert_int_equal(carom_simulation_save(stopped, NULL, &size, NULL), CAROM_OK);
  void *saved = malloc(size);
  assert_non_null(saved);
  assert_int_equal(carom_simulation_save(stopped, saved, &size, NULL), CAROM_OK);
  left = 1000000;
  carom_simulation *other = begin(model, &left);
  assert_int_equal(carom_simulation_restore(other, saved, size, NULL), CAROM_OK);
  assert_int_equal(carom_simulation_advance(other, until, NULL), CAROM_OK);
  int count;
  const double *y = carom_simulation_state(other, &count);
  assert_memory_equal(y, whole, (size_t)count * sizeof *y);
  free(saved);
  carom_simulation_destroy(stopped);
  carom_simulation_destroy(other);
}

// the disc that rolls changes between the two steppers several times
static void stopped_anywhere(void **state) {
  (void)state;
  carom_model *model = NULL;
  const char *path = CAROM_SOURCE_DIR "/scenarios/field_rolling.yaml";
  assert_int_equal(carom_model_load(path, 0, NULL, &model, NULL), CAROM_OK);
  long left = 1000000;
  carom_simulation *plain = begin(model, &left);
  double until = carom_simulation_until(plain);
  assert_int_equal(carom_simulation_advance(plain, until, NULL), CAROM_OK);
  long steps = 1000000 - left;
  int count;
  const double *whole = carom_simulation_state(plain, &count);
  for (long k = 3; k < steps; k += 29)
    goes_on(model, k, until, whole);
  carom_simulation_destroy(plain);
  carom_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(stopped_anywhere)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
