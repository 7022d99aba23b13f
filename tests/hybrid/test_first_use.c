// SPDX-License-Identifier: MIT
// Series of contact phases are made when a motion first comes to them: by whichever thread comes
// first, with the same bits for all, and again after memory was short.
#include "motion.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { THREADS = 4, ROUNDS = 5, MOST_VALUES = 16 };
static const char *const SCENARIO = "scenarios/frictional_impact_oscillator.yaml";
static const double T_END = 3.0;

// ---- an allocator that counts, and fails where it is told to ----

typedef struct account {
  atomic_long taken, at_once, left; // left: calls that succeed yet; negative: all of them
} account;

static void *count_resize(void *ctx, void *block, size_t size) {
  account *all = ctx;
  if (atomic_load(&all->left) == 0) return NULL;
  if (atomic_load(&all->left) > 0) atomic_fetch_sub(&all->left, 1);
  atomic_fetch_add(&all->taken, 1);
  if (!block) atomic_fetch_add(&all->at_once, 1);
  return realloc(block, size);
}

static void count_release(void *ctx, void *block) {
  account *all = ctx;
  if (block) atomic_fetch_sub(&all->at_once, 1);
  free(block);
}

static carom_model *load(account *all) {
  carom_allocator allocator = {.ctx = all, .resize = count_resize, .release = count_release};
  carom_model *model = NULL;
  carom_error error = {0};
  char path[400];
  (void)snprintf(path, sizeof path, "%s/%s", CAROM_SOURCE_DIR, SCENARIO);
  atomic_init(&all->taken, 0);
  atomic_init(&all->at_once, 0);
  atomic_init(&all->left, -1);
  MUST(carom_model_load_with(&allocator, path, NULL, 0, NULL, &model, &error), error);
  return model;
}

// ---- a motion and where it ends ----

typedef struct journey {
  carom_simulation *simulation;
  carom_status status;
  carom_error error;
  double values[MOST_VALUES];
} journey;

static void *travel(void *ctx) {
  journey *it = ctx;
  it->status = carom_simulation_advance(it->simulation, T_END, &it->error);
  int count = 0;
  const double *state = carom_simulation_state(it->simulation, &count);
  for (int k = 0; k < count && k < MOST_VALUES; k++)
    it->values[k] = state[k];
  return NULL;
}

static journey journey_of(const carom_model *model) {
  journey it = {0};
  MUST(carom_simulation_create(model, &it.simulation, &it.error), it.error);
  return it;
}

static void check_same(const journey *a, const journey *b) {
  assert_int_equal(a->status, CAROM_OK);
  for (int k = 0; k < MOST_VALUES; k++)
    CHECK_SAME(a->values[k], b->values[k]);
}

// ---- the tests ----

static void threads_come_to_a_phase_at_once(void **state) {
  (void)state;
  account all;
  for (int round = 0; round < ROUNDS; round++) {
    carom_model *model = load(&all), *other = load(&(account){0});
    journey single = journey_of(other), journeys[THREADS];
    pthread_t threads[THREADS];
    travel(&single);
    for (int k = 0; k < THREADS; k++)
      journeys[k] = journey_of(model);
    for (int k = 0; k < THREADS; k++)
      assert_int_equal(pthread_create(&threads[k], NULL, travel, &journeys[k]), 0);
    for (int k = 0; k < THREADS; k++)
      assert_int_equal(pthread_join(threads[k], NULL), 0);
    for (int k = 0; k < THREADS; k++) {
      check_same(&journeys[k], &single);
      carom_simulation_destroy(journeys[k].simulation);
    }
    carom_simulation_destroy(single.simulation);
    carom_model_destroy(other);
    carom_model_destroy(model);
    assert_int_equal(atomic_load(&all.at_once), 0);
  }
}

// nothing is made for a motion that has not come to a contact yet
static void phases_wait_for_a_motion(void **state) {
  (void)state;
  account all;
  carom_model *model = load(&all);
  journey it = journey_of(model);
  MUST(carom_simulation_advance(it.simulation, 1e-3, &it.error), it.error);
  long before = atomic_load(&all.taken);
  travel(&it);
  assert_int_equal(it.status, CAROM_OK);
  CHECK(atomic_load(&all.taken) > before);
  carom_simulation_destroy(it.simulation);
  carom_model_destroy(model);
}

// wherever memory ends, the run says so, and goes on to the same end when there is some again
static void memory_may_be_short(void **state) {
  (void)state;
  account all;
  long failures = 0;
  carom_model *model = load(&all);
  journey whole = journey_of(model);
  MUST(carom_simulation_advance(whole.simulation, 1e-3, &whole.error), whole.error);
  travel(&whole);
  carom_simulation_destroy(whole.simulation);
  carom_model_destroy(model);
  for (long left = 0;; left += 1 + left / 4) {
    model = load(&all);
    journey it = journey_of(model);
    MUST(carom_simulation_advance(it.simulation, 1e-3, &it.error), it.error);
    atomic_store(&all.left, left);
    travel(&it);
    bool short_of = it.status != CAROM_OK;
    if (short_of) {
      assert_int_equal(it.status, CAROM_ERR_MEMORY);
      atomic_store(&all.left, -1);
      travel(&it);
      failures++;
    }
    check_same(&it, &whole);
    carom_simulation_destroy(it.simulation);
    carom_model_destroy(model);
    assert_int_equal(atomic_load(&all.at_once), 0);
    if (!short_of) break;
  }
  CHECK(failures > 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(threads_come_to_a_phase_at_once),
      cmocka_unit_test(phases_wait_for_a_motion),
      cmocka_unit_test(memory_may_be_short),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
