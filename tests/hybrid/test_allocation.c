// SPDX-License-Identifier: MIT
// A running motion takes no memory, but for the series of a phase, when it first comes to it: an
// allocator that counts sees nothing once a run has been made, and everything is given back in the
// end.
#include "motion.h"

#include <stdlib.h>

typedef struct account {
  long taken;   // calls that ask for memory
  long at_once; // blocks in use
} account;

static void *count_resize(void *ctx, void *block, size_t size) {
  account *all = ctx;
  all->taken++;
  if (!block) all->at_once++;
  return realloc(block, size);
}

static void count_release(void *ctx, void *block) {
  account *all = ctx;
  if (block) all->at_once--;
  free(block);
}

static int see_event(void *ctx, const carom_event *event) {
  (void)event;
  ++*(long *)ctx;
  return 0;
}

static int see_sample(void *ctx, const carom_simulation *simulation, double t, int count,
                      const double *values) {
  (void)ctx, (void)simulation, (void)t, (void)count, (void)values;
  return 0;
}

// runs `name` to `t_end`, with contacts of the given stiffness (NULL: rigid); returns its events
static long check_run(const char *name, const char *stiffness, double t_short, double t_end) {
  account all = {0};
  carom_allocator allocator = {.ctx = &all, .resize = count_resize, .release = count_release};
  carom_model *model = NULL;
  carom_simulation *simulation = NULL;
  carom_error error = {0};
  char path[400];
  const carom_setting setting = {"run.compliant", stiffness};
  (void)snprintf(path, sizeof path, "%s/%s", CAROM_SOURCE_DIR, name);
  MUST(carom_model_load_with(&allocator, path, NULL, stiffness ? 1 : 0, &setting, &model, &error),
       error);
  MUST(carom_simulation_create(model, &simulation, &error), error);
  long events = 0;
  carom_observer observer = {.ctx = &events, .event = see_event, .sample = see_sample};
  carom_simulation_observe(simulation, &observer);

  // A short call makes room for the state to go back to after an error. What a long one takes for
  // the phases it meets does not grow with its events.
  MUST(carom_simulation_advance(simulation, t_short, &error), error);
  long before = all.taken;
  MUST(carom_simulation_advance(simulation, t_end, &error), error);
  CHECK(all.taken - before < 200);
  MUST(carom_simulation_reset(simulation, &error), error);
  MUST(carom_simulation_advance(simulation, t_short, &error), error);
  long taken = all.taken;
  for (int k = 1; k <= 100; k++)
    MUST(carom_simulation_next(simulation, t_short + k * 1e-3 * (t_end - t_short), &error), error);
  MUST(carom_simulation_advance(simulation, t_end, &error), error);
  assert_int_equal(all.taken, taken);

  carom_simulation_destroy(simulation);
  carom_model_destroy(model);
  assert_int_equal(all.at_once, 0);
  return events;
}

static void running_takes_no_memory(void **state) {
  (void)state;
  CHECK(check_run("bench/ball.yaml", NULL, 1.0, 20000.0) > 5000);
  CHECK(check_run("scenarios/frictional_impact_oscillator.yaml", NULL, 0.5, 60.0) > 500);
  CHECK(check_run("scenarios/rocking_block.yaml", NULL, 0.01, 3.0) > 10);
  CHECK(check_run("scenarios/slider_crank_stop.yaml", NULL, 0.01, 10.0) > 10);
  CHECK(check_run("scenarios/belt_block.yaml", NULL, 0.01, 200.0) > 10);
  CHECK(check_run("scenarios/slider_crank_stop.yaml", "1e6", 0.01, 2.0) > 10);
  CHECK(check_run("scenarios/stool.yaml", NULL, 0.01, 2.0) > 3);
  CHECK(check_run("scenarios/ball_pyramid.yaml", NULL, 0.001, 0.05) > 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(running_takes_no_memory)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
