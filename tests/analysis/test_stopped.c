// SPDX-License-Identifier: MIT
// Analyses that are told to stop, at each of the moments at which they ask: they say that they were
// stopped, what they hand out is a part of the whole, and with a journal the next call goes on and
// ends with the same bits.
#include "analysis/axis_help.h"
#include "hybrid/motion.h"

#include "carom/bifurcation.h"
#include "carom/continuation.h"
#include "carom/lyapunov.h"
#include "carom/orbit.h"

#include <unistd.h>

static const char JOURNAL[] = "test_stopped.journal";

typedef struct clock_work {
  long asked, from; // stops from this question on; 0: never
} clock_work;

static bool stops(void *ctx) {
  clock_work *clock = ctx;
  return ++clock->asked >= clock->from && clock->from > 0;
}

// what stands for a result: so many parts of it, and their hash
typedef struct outcome {
  carom_status status;
  long parts;
  double numbers[400];
} outcome;

typedef outcome (*analysis)(const carom_model *model, carom_watcher watcher, bool resume);

static void add(outcome *all, double number) {
  if (all->parts < 400) all->numbers[all->parts++] = number;
}

static outcome run_exponents(const carom_model *model, carom_watcher watcher, bool resume) {
  carom_lyapunov_options options = carom_lyapunov_options_default();
  carom_lyapunov *found = NULL;
  options.model = model;
  options.transient = 0.2;
  options.time = 2.0;
  options.watcher = watcher;
  options.journal = JOURNAL;
  options.resume = resume;
  outcome all = {.status = carom_lyapunov_run(&options, &found, NULL)};
  if (all.status != CAROM_OK) {
    carom_lyapunov_destroy(found);
    return all;
  }
  const carom_lyapunov_view *view = carom_lyapunov_look(found);
  for (int k = 0; k < view->count; k++) {
    add(&all, view->exponents[k]);
    add(&all, view->errors[k]);
  }
  add(&all, view->sum);
  add(&all, view->time);
  add(&all, (double)view->notes.steps);
  add(&all, (double)view->notes.instants);
  add(&all, (double)view->notes.differenced);
  add(&all, (double)view->notes.grazes);
  add(&all, (double)view->notes.together);
  carom_lyapunov_destroy(found);
  return all;
}

static outcome run_branch(const carom_model *model, carom_watcher watcher, bool resume) {
  carom_continuation_options options = carom_continuation_options_default();
  carom_continuation *found = NULL;
  options.model = model;
  options.parameter = "Gamma";
  options.from = 1.06;
  options.to = 1.08;
  options.switches = 1;
  options.threads = 1;
  options.watcher = watcher;
  options.journal = JOURNAL;
  options.resume = resume;
  outcome all = {.status = carom_continuation_run(&options, &found, NULL)};
  for (long k = 0; k < carom_continuation_points(found); k++)
    add(&all, carom_continuation_point_at(found, k)->value);
  carom_continuation_destroy(found);
  return all;
}

static outcome run_diagram(const carom_model *model, carom_watcher watcher, bool resume) {
  carom_bifurcation_options options = carom_bifurcation_options_default();
  carom_bifurcation *found = NULL;
  carom_axis axis = axis_of("Gamma=1.0:1.2:5");
  options.model = model;
  options.axis = &axis;
  options.skip = 3;
  options.keep = 2;
  options.both = true;
  options.watcher = watcher;
  options.journal = JOURNAL;
  options.resume = resume;
  outcome all = {.status = carom_bifurcation_run(&options, &found, NULL)};
  for (long k = 0; k < carom_bifurcation_points(found); k++) {
    const carom_bifurcation_point *point = carom_bifurcation_point_at(found, k);
    for (int j = 0; j < point->count; j++)
      add(&all, point->crossings[j]);
  }
  carom_bifurcation_destroy(found);
  carom_axis_destroy(&axis);
  return all;
}

static void check(const char *name, const carom_model *model, analysis run) {
  clock_work clock = {0};
  carom_watcher watcher = {.ctx = &clock, .stopped = stops};
  (void)unlink(JOURNAL);
  outcome whole = run(model, watcher, false);
  assert_int_equal(whole.status, CAROM_OK);
  CHECK(whole.parts > 4 && clock.asked > 2);
  long questions = clock.asked, stride = questions / 25 + 1;
  int stopped = 0;
  for (long from = 1; from <= questions; from += stride) {
    (void)unlink(JOURNAL);
    clock = (clock_work){.from = from};
    outcome part = run(model, watcher, false);
    if (part.status != CAROM_OK && part.status != CAROM_STOP_USER)
      print_error("%s, question %ld: status %d\n", name, from, (int)part.status);
    CHECK(part.status == CAROM_OK || part.status == CAROM_STOP_USER);
    stopped += part.status == CAROM_STOP_USER;
    clock = (clock_work){0};
    outcome again = run(model, watcher, part.status == CAROM_STOP_USER);
    assert_int_equal(again.status, CAROM_OK);
    assert_int_equal(again.parts, whole.parts);
    for (long k = 0; k < whole.parts; k++)
      CHECK_SAME(again.numbers[k], whole.numbers[k]);
  }
  CHECK(stopped > 2);
  (void)unlink(JOURNAL);
}

static void stopped_and_resumed(void **state) {
  (void)state;
  const carom_setting driven[] = {{"Gamma", "1.1"}, {"run.until", "60"}, {NULL, NULL}};
  carom_model *ball = load("ball_on_table", 2, driven);
  check("lyapunov", ball, run_exponents);
  check("bifurcation", ball, run_diagram);
  check("continuation", ball, run_branch);
  carom_model_destroy(ball);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(stopped_and_resumed)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
