// SPDX-License-Identifier: MIT
// A motion that is stopped, saved and gone on with elsewhere is the undisturbed one: the same bits
// at its end, in its certificate and in every sample, wherever it was stopped.
#include "field_motion_help.h"

#include <stdlib.h>
#include <string.h>

enum { VALUES = 64 };

typedef struct watcher {
  int count, stop_at; // samples so far; the one at which to stop, -1: none
  double sum;         // of all values, weighted by their places
} watcher;

static int note(void *ctx, const carom_simulation *simulation, double t, int count,
                const double *values) {
  watcher *it = ctx;
  (void)simulation;
  it->sum = 0.75 * it->sum + t;
  for (int k = 0; k < count; k++)
    it->sum += (k + 1) * (isfinite(values[k]) ? values[k] : 1.0);
  return it->count++ == it->stop_at;
}

// what is compared: state, certificate, samples, an observable
typedef struct ending {
  int size;
  double state[VALUES], sum, kinetic, residual, corrected, seen;
  long steps, rejected, evaluations, events;
  int samples;
} ending;

static ending end_of(carom_simulation *simulation, const watcher *watch) {
  ending it;
  memset(&it, 0, sizeof it);
  carom_error error = {0};
  carom_certificate c;
  const double *y = carom_simulation_state(simulation, &it.size);
  CHECK(it.size <= VALUES);
  memcpy(it.state, y, (size_t)it.size * sizeof *y);
  CHECK(!carom_simulation_certificate(simulation, &c, &error));
  it.kinetic = c.energy.kinetic, it.residual = c.energy.residual, it.corrected = c.energy.corrected;
  it.steps = c.counts.steps, it.rejected = c.counts.rejected, it.evaluations = c.counts.evaluations;
  it.events = c.counts.events;
  if (watch) it.sum = watch->sum, it.samples = watch->count;
  if (carom_simulation_get(simulation, "seen", &it.seen, &error)) it.seen = 0.0;
  return it;
}

static void check_same(const ending *a, const ending *b, const char *text, int stop) {
  if (memcmp(a, b, sizeof *a) == 0) return;
  print_error("%s\nstopped at sample %d: steps %ld and %ld, x %.17g and %.17g, samples %d and %d\n",
              text, stop, a->steps, b->steps, a->state[0], b->state[0], a->samples, b->samples);
  CHECK(memcmp(a, b, sizeof *a) == 0);
}

static carom_simulation *make(const carom_model *model, watcher *watch) {
  carom_simulation *simulation = NULL;
  carom_error error = {0};
  CHECK(!carom_simulation_create(model, &simulation, &error));
  const carom_observer observer = {.ctx = watch, .sample = note};
  if (watch) carom_simulation_observe(simulation, &observer);
  return simulation;
}

// the motion goes on in another simulation, which may have gone elsewhere before
static carom_simulation *hand_over(const carom_model *model, carom_simulation *from, watcher *watch,
                                   bool used) {
  size_t size = 0;
  carom_error error = {0};
  CHECK(!carom_simulation_save(from, NULL, &size, &error));
  void *saved = malloc(size);
  CHECK(saved && !carom_simulation_save(from, saved, &size, &error));
  carom_simulation_destroy(from);
  carom_simulation *to = make(model, watch);
  if (used) {
    watcher other = {.stop_at = -1}, kept = *watch;
    *watch = other;
    CHECK(carom_simulation_advance(to, 0.37 * carom_simulation_until(to), &error) >= 0);
    *watch = kept;
  }
  CHECK(!carom_simulation_restore(to, saved, size, &error));
  free(saved);
  return to;
}

static const char *const MOTIONS[] = {
    // energy is held: a new start after most steps
    "body: {cube: 1}\nfields: {repulsion: {exponent: 8, rest: 0.01}}\n"
    "start: {down: corner, tilt: 0.3, gap: 0.5, angular: [3, 2, 1.5]}\n"
    "run: {until: 2, rtol: 1e-12, sample: 0.025}\n",
    "body: {cube: 1}\nfields: {repulsion: {exponent: 8, rest: 0.01}}\n"
    "start: {down: corner, tilt: 0.3, gap: 0.2, angular: [3, 2, 1.5]}\n"
    "run: {until: 0.7, rtol: 1e-8, method: implicit, sample: 0.00875}\n",
    "body: {square: 1}\nfields: {repulsion: {rest: 0.01}, damping: {exponent: 2, coefficient: 3}}\n"
    "start: {gap: 0.5, angle: 0.3}\nrun: {until: 3, sample: 0.0375}\n",
    "body: {square: 1}\nfields: {repulsion: {rest: 0.01}, damping: {exponent: 2, coefficient: 3}}\n"
    "start: {gap: 0.5, angle: 0.3}\nrun: {until: 1, method: implicit, sample: 0.0125}\n",
    // damping so strong near the floor that the method changes on the way
    "body: {square: 1}\nfields: {repulsion: {rest: 0.01}, damping: {exponent: 3, coefficient: 9}}\n"
    "start: {gap: 0.3, angle: 0.2}\nrun: {until: 3, rtol: 1e-7, sample: 0.0375}\n"
    "sections: {low: {when: y' , direction: rising}}\nobserve: {seen: mean(y) + count(low)}\n",
    "body: {disc: 0.5, density: 4000, soft: {c10: 6e4, c01: 1e4, viscosity: 200}}\n"
    "fields: {repulsion: {rest: 0.01}}\nstart: {gap: 0.1}\n"
    "run: {until: 0.6, rtol: 1e-9, sample: 0.0075}\nobserve: {seen: max(F22)}\n",
    // an event changes the motion; few samples
    "body: {disc: 0.5}\nfields: {repulsion: {rest: 0.01}, friction: {coefficient: 20}}\n"
    "start: {gap: 0.5, rate: 5}\nevents: {kick: {when: \"y' - 1\", do: {\"x'\": \"x' + 0.1\"}}}\n"
    "run: {until: 3, sample: 0.0375}\nobserve: {seen: last(x)}\n"};

static carom_model *load(const char *motion_text) {
  char text[1024];
  carom_model *model = NULL;
  carom_error error = {0};
  (void)snprintf(text, sizeof text, "engine: field\n%s", motion_text);
  if (carom_model_parse(text, "test", 0, NULL, &model, &error)) print_error("%s\n", error.text);
  assert_non_null(model);
  return model;
}

static void stopped_anywhere(void **state) {
  (void)state;
  for (size_t k = 0; k < sizeof MOTIONS / sizeof *MOTIONS; k++) {
    carom_model *model = load(MOTIONS[k]);
    carom_error error = {0};
    watcher alone = {.stop_at = -1};
    carom_simulation *undisturbed = make(model, &alone);
    double until = carom_simulation_until(undisturbed);
    CHECK(!carom_simulation_advance(undisturbed, until, &error));
    ending wanted = end_of(undisturbed, &alone);
    for (int stop = 0; stop < alone.count; stop += 1 + stop / 8) {
      watcher watch = {.stop_at = stop};
      carom_simulation *simulation = make(model, &watch);
      CHECK(carom_simulation_advance(simulation, until, &error) >= 0);
      simulation = hand_over(model, simulation, &watch, stop % 2 == 1);
      watch.stop_at = stop + 7; // and once more
      CHECK(carom_simulation_advance(simulation, until, &error) >= 0);
      if (carom_simulation_time(simulation) < until) {
        simulation = hand_over(model, simulation, &watch, false);
        watch.stop_at = -1;
        CHECK(!carom_simulation_advance(simulation, until, &error));
      }
      ending found = end_of(simulation, &watch);
      check_same(&found, &wanted, MOTIONS[k], stop);
      carom_simulation_destroy(simulation);
    }
    carom_simulation_destroy(undisturbed);
    carom_model_destroy(model);
  }
}

// nobody who looks changes the motion
static void seen_or_not(void **state) {
  (void)state;
  for (size_t k = 0; k < sizeof MOTIONS / sizeof *MOTIONS; k++) {
    carom_model *model = load(MOTIONS[k]);
    carom_error error = {0};
    watcher watch = {.stop_at = -1};
    carom_simulation *seen = make(model, &watch), *alone = make(model, NULL);
    CHECK(!carom_simulation_advance(seen, carom_simulation_until(seen), &error));
    CHECK(!carom_simulation_advance(alone, carom_simulation_until(alone), &error));
    ending a = end_of(seen, NULL), b = end_of(alone, NULL);
    check_same(&a, &b, MOTIONS[k], -1);
    carom_simulation_destroy(seen);
    carom_simulation_destroy(alone);
    carom_model_destroy(model);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(stopped_anywhere),
                                     cmocka_unit_test(seen_or_not)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
