// SPDX-License-Identifier: MIT
// The public API of models and simulations: pieces, settings, repeats, copies, threads, memory.
#include "motion.h"

#include <pthread.h>
#include <stdlib.h>

static event_log events;

// chaotic, driven, with rules, kinks and reducers: whatever can differ does
static const char BUSY[] = "parameters: {drive: 1.4, c: 0.1}\n"
                           "coordinates: {a: 0.5, b: {start: 0, rate: 0.3}}\n"
                           "define: {gap: a - b}\n"
                           "energy:\n"
                           "  kinetic: (a'^2 + b'^2 + a'*b'*cos(gap))/2\n"
                           "  potential: -2*cos(a) - cos(b) + abs(b)/4\n"
                           "  dissipation: c/2*(a'^2 + b'^2)\n"
                           "forces: {a: drive*cos(0.7*t)}\n"
                           "sections: {up: {when: sin(a), direction: rising}}\n"
                           "events: {limit: {when: b > 1, do: {b': -0.8*b'}}}\n"
                           "run: {until: 40, sample: 0.25}\n"
                           "measure: {after: 3}\n"
                           "observe: {average: mean(a), wide: max(abs(b)), limits: count(limit), "
                           "last_up: 'at(up, t)'}\n";
static const char *const OBSERVABLES[] = {"average", "wide", "limits", "last_up"};

static void same_motion(const motion *m, const motion *other) {
  int size = 0, other_size = 0;
  const double *y = carom_simulation_state(m->simulation, &size);
  const double *z = carom_simulation_state(other->simulation, &other_size);
  assert_int_equal(size, other_size);
  assert_memory_equal(y, z, (size_t)size * sizeof *y);
  CHECK_SAME(carom_simulation_time(m->simulation), carom_simulation_time(other->simulation));
  for (int k = 0; k < 4; k++)
    CHECK_SAME(value_of(m, OBSERVABLES[k]), value_of(other, OBSERVABLES[k]));
  carom_certificate c = certificate_of(m), d = certificate_of(other);
  assert_int_equal((int)c.counts.steps, (int)d.counts.steps);
  assert_int_equal((int)c.counts.events, (int)d.counts.events);
  CHECK_SAME(c.energy.lost_dampers, d.energy.lost_dampers);
  CHECK_SAME(c.energy.residual, d.energy.residual);
}

static void pieces_equal_the_whole(void **state) {
  (void)state;
  motion whole = motion_parse(BUSY), pieces = motion_parse(BUSY);
  motion_advance(&whole, 12.0);
  for (double t = 0.37; t < 12.0; t += 0.37)
    motion_advance(&pieces, t);
  motion_advance(&pieces, 12.0);
  int size;
  const double *y = carom_simulation_state(whole.simulation, &size);
  const double *z = carom_simulation_state(pieces.simulation, NULL);
  for (int i = 0; i < size; i++)
    CHECK_NEAR(z[i], y[i], 1e-7);
  CHECK_NEAR(value_of(&pieces, "average"), value_of(&whole, "average"), 1e-7);
  CHECK_SAME(value_of(&pieces, "limits"), value_of(&whole, "limits"));
  motion_end(&whole);
  motion_end(&pieces);
}

// going from event to event passes the same events as going straight through
static void next_event_stops_at_each(void **state) {
  (void)state;
  motion m = motion_parse(BUSY), stepped = motion_parse(BUSY);
  motion_log(&m, &events);
  motion_advance(&m, 20.0);
  carom_error error = {0};
  carom_status status;
  int seen = 0;
  while ((status = carom_simulation_next(stepped.simulation, 20.0, &error)) == CAROM_STOP_EVENT) {
    assert_true(seen < events.count);
    CHECK_SAME(carom_simulation_time(stepped.simulation), events.list[seen].t);
    long instant = events.list[seen].instant;
    while (seen < events.count && events.list[seen].instant == instant)
      seen++;
  }
  assert_int_equal(status, CAROM_OK);
  assert_int_equal(seen, events.count);
  assert_true(seen > 10);
  same_motion(&m, &stepped);
  motion_end(&m);
  motion_end(&stepped);
}

static int stop_now(void *ctx, const carom_event *event) {
  (void)event;
  return ++*(int *)ctx > 0;
}

// an observer that stops at every event and goes on changes nothing
static void stopping_observer_changes_nothing(void **state) {
  (void)state;
  motion m = motion_parse(BUSY), stopped = motion_parse(BUSY);
  motion_advance(&m, 20.0);
  int stops = 0;
  carom_observer observer = {.ctx = &stops, .event = stop_now};
  carom_simulation_observe(stopped.simulation, &observer);
  carom_status status;
  while ((status = motion_advance(&stopped, 20.0)) == CAROM_STOP_USER)
    ;
  assert_int_equal(status, CAROM_OK);
  assert_true(stops > 10);
  same_motion(&m, &stopped);
  motion_end(&m);
  motion_end(&stopped);
}

static void values_by_name(void **state) {
  (void)state;
  motion m = motion_parse(BUSY);
  CHECK_SAME(value_of(&m, "a"), 0.5);
  CHECK_SAME(value_of(&m, "b'"), 0.3);
  CHECK_SAME(value_of(&m, "drive"), 1.4);
  CHECK_NEAR(value_of(&m, "gap"), 0.5, 0.0);
  CHECK_NEAR(value_of(&m, "potential"), -2.0 * cos(0.5) - 1.0, 1e-15);
  CHECK_NEAR(value_of(&m, "kinetic"), 0.045, 1e-16);
  // the acceleration solves the equations written by hand at the start
  double c = cos(0.5), s = sin(0.5);
  double right_a = -2.0 * sin(0.5) + 1.4 - 0.5 * s * 0.09;
  double right_b = -0.1 * 0.3 - 0.25;
  double a = (right_a - 0.5 * c * right_b) / (1.0 - 0.25 * c * c);
  CHECK_NEAR(value_of(&m, "a''"), a, 1e-12);
  // columns name what samples hold
  assert_int_equal(carom_simulation_columns(m.simulation), 7);
  assert_string_equal(carom_simulation_column(m.simulation, 0), "a");
  assert_string_equal(carom_simulation_column(m.simulation, 3), "b'");
  assert_string_equal(carom_simulation_column(m.simulation, 4), "gap");
  assert_string_equal(carom_simulation_column(m.simulation, 6), "potential");
  assert_null(carom_simulation_column(m.simulation, 7));
  // setting returns to the start with the new value
  motion_advance(&m, 1.0);
  set_value(&m, "b", 0.25);
  CHECK_SAME(carom_simulation_time(m.simulation), 0.0);
  CHECK_SAME(value_of(&m, "b"), 0.25);
  CHECK_SAME(value_of(&m, "a"), 0.5);
  set_value(&m, "drive", 0.0);
  CHECK_SAME(value_of(&m, "drive"), 0.0);
  CHECK_SAME(value_of(&m, "b"), 0.25);
  motion_end(&m);
}

// settings of the file and settings of the simulation mean the same
static void setting_equals_loading(void **state) {
  (void)state;
  carom_model *model;
  carom_error error = {0};
  carom_setting settings[] = {{"drive", "1.1"}, {"a", "-0.2"}};
  MUST(carom_model_parse(BUSY, NULL, 2, settings, &model, &error), error);
  motion loaded = motion_of(model), set = motion_parse(BUSY);
  set_value(&set, "a", -0.2);
  set_value(&set, "drive", 1.1);
  motion_run(&loaded);
  motion_run(&set);
  same_motion(&loaded, &set);
  motion_end(&loaded);
  motion_end(&set);
}

// two masses that would overlap if one of them were set alone
static void values_fit_together(void **state) {
  (void)state;
  static const char PAIR[] = "coordinates: {x: 0, y: 2}\n"
                             "energy: {kinetic: (x'^2 + y'^2)/2, potential: x^2/8 + y^2/2}\n"
                             "contacts: {touch: {gap: y - x - 1, impact: {e: 0.7}}}\n"
                             "run: {until: 5}\n";
  const carom_value values[] = {{"x", 5.0}, {"y", 7.0}};
  const carom_setting settings[] = {{"x", "5"}, {"y", "7"}};
  carom_model *model;
  carom_error error = {0};
  MUST(carom_model_parse(PAIR, NULL, 2, settings, &model, &error), error);
  motion loaded = motion_of(model), set = motion_parse(PAIR);
  motion_run(&loaded);
  assert_int_equal(carom_simulation_set(set.simulation, "x", 5.0, &error), CAROM_ERR_INPUT);
  MUST(carom_simulation_set_all(set.simulation, 2, values, &error), error);
  motion_advance(&set, 5.0);
  int size;
  const double *y = carom_simulation_state(loaded.simulation, &size);
  assert_memory_equal(y, carom_simulation_state(set.simulation, &size), (size_t)size * sizeof *y);
  CHECK(certificate_of(&set).counts.impacts > 0);
  const carom_value wrong[] = {{"x", 1.0}, {"nothing", 1.0}};
  assert_int_equal(carom_simulation_set_all(set.simulation, 2, wrong, &error), CAROM_ERR_ARGUMENT);
  motion_end(&loaded);
  motion_end(&set);
}

static void reset_repeats_bit_for_bit(void **state) {
  (void)state;
  motion once = motion_parse(BUSY), twice = motion_parse(BUSY);
  motion_run(&once);
  motion_run(&twice);
  same_motion(&once, &twice);
  motion_run(&twice);
  same_motion(&once, &twice);
  carom_error error = {0};
  motion_advance(&twice, 40.0);
  MUST(carom_simulation_reset(twice.simulation, &error), error);
  CHECK_SAME(carom_simulation_time(twice.simulation), 0.0);
  motion_advance(&twice, 40.0);
  same_motion(&once, &twice);
  motion_end(&once);
  motion_end(&twice);
}

// a saved state, restored in another simulation that was somewhere else, goes on bit for bit
static void saved_state_continues(void **state) {
  (void)state;
  const double places[] = {0.0, 0.01, 3.0, 11.7, 25.0};
  for (int k = 0; k < 5; k++) {
    motion m = motion_parse(BUSY), other = motion_parse(BUSY);
    set_value(&m, "drive", 1.3);
    if (places[k] > 0.0) motion_advance(&m, places[k]);
    size_t size = 0;
    carom_error error = {0};
    MUST(carom_simulation_save(m.simulation, NULL, &size, &error), error);
    char *buffer = malloc(size);
    assert_non_null(buffer);
    MUST(carom_simulation_save(m.simulation, buffer, &size, &error), error);
    motion_advance(&other, 17.0);
    MUST(carom_simulation_restore(other.simulation, buffer, size, &error), error);
    same_motion(&m, &other);
    motion_advance(&m, 40.0);
    motion_advance(&other, 40.0);
    same_motion(&m, &other);
    // the buffer must be a whole one of the same model
    assert_int_equal(carom_simulation_restore(other.simulation, buffer, size - 1, &error),
                     CAROM_ERR_ARGUMENT);
    size_t small = size - 1;
    assert_int_equal(carom_simulation_save(m.simulation, buffer, &small, &error),
                     CAROM_ERR_ARGUMENT);
    same_motion(&m, &other);
    free(buffer);
    motion_end(&m);
    motion_end(&other);
  }
}

static void clone_goes_its_own_way(void **state) {
  (void)state;
  motion m = motion_parse(BUSY), copy = {.model = NULL};
  carom_error error = {0};
  motion_advance(&m, 9.0);
  MUST(carom_simulation_clone(m.simulation, &copy.simulation, &error), error);
  copy.model = m.model;
  motion_advance(&m, 30.0);
  CHECK_SAME(carom_simulation_time(copy.simulation), 9.0);
  motion_advance(&copy, 30.0);
  same_motion(&m, &copy);
  carom_simulation_destroy(copy.simulation);
  motion_end(&m);
}

// --- threads ---

static void *run_in_thread(void *ctx) {
  const motion *m = ctx;
  carom_error error = {0};
  return carom_simulation_run(m->simulation, &error) == CAROM_OK ? ctx : NULL;
}

// two simulations of one model at the same time equal two one after the other
static void threads_share_nothing(void **state) {
  (void)state;
  motion first = motion_parse(BUSY), second = {.model = first.model}, serial = motion_parse(BUSY);
  carom_error error = {0};
  MUST(carom_simulation_create(first.model, &second.simulation, &error), error);
  set_value(&second, "drive", 1.2);
  pthread_t threads[2];
  const motion *both[2] = {&first, &second};
  for (int k = 0; k < 2; k++)
    assert_int_equal(pthread_create(&threads[k], NULL, run_in_thread, (void *)both[k]), 0);
  for (int k = 0; k < 2; k++) {
    void *done = NULL;
    assert_int_equal(pthread_join(threads[k], &done), 0);
    assert_non_null(done);
  }
  motion_run(&serial);
  same_motion(&first, &serial);
  set_value(&serial, "drive", 1.2);
  motion_run(&serial);
  same_motion(&second, &serial);
  carom_simulation_destroy(second.simulation);
  motion_end(&first);
  motion_end(&serial);
}

// --- memory ---

typedef struct counter {
  long alive, total, fail_at; // fail_at: the allocation that is refused; 0: none
} counter;

static void *count_resize(void *ctx, void *pointer, size_t size) {
  counter *c = ctx;
  if (++c->total == c->fail_at) return NULL;
  c->alive += pointer == NULL;
  return realloc(pointer, size);
}

static void count_release(void *ctx, void *pointer) {
  if (pointer) ((counter *)ctx)->alive--;
  free(pointer);
}

static carom_status whole_life(counter *c, double *end) {
  carom_allocator allocator = {.resize = count_resize, .release = count_release, .ctx = c};
  carom_model *model = NULL;
  carom_simulation *simulation = NULL, *copy = NULL;
  carom_error error = {0};
  carom_status status = carom_model_load_with(&allocator, NULL, BUSY, 0, NULL, &model, &error);
  if (status == CAROM_OK) status = carom_simulation_create(model, &simulation, &error);
  if (status == CAROM_OK) status = carom_simulation_advance(simulation, 2.0, &error);
  if (status == CAROM_OK) status = carom_simulation_clone(simulation, &copy, &error);
  if (status == CAROM_OK) status = carom_simulation_advance(copy, 3.0, &error);
  if (status == CAROM_OK) *end = carom_simulation_state(copy, NULL)[0];
  carom_simulation_destroy(copy);
  carom_simulation_destroy(simulation);
  carom_model_destroy(model);
  return status;
}

// all memory comes from the given allocator, goes back, and running out of it is an error
static void memory_is_counted(void **state) {
  (void)state;
  counter c = {0};
  double reference = 0.0, end;
  assert_int_equal(whole_life(&c, &reference), CAROM_OK);
  assert_true(c.total > 10);
  assert_int_equal((int)c.alive, 0);
  long total = c.total;
  for (long k = 1; k <= total; k += 1 + total / 200) {
    c = (counter){.fail_at = k};
    end = reference;
    carom_status status = whole_life(&c, &end);
    // a text that only names something may be missing; the motion is the same then
    if (status != CAROM_OK) assert_int_equal(status, CAROM_ERR_MEMORY);
    CHECK_SAME(end, reference);
    assert_int_equal((int)c.alive, 0);
  }
  carom_model_destroy(NULL);
  carom_simulation_destroy(NULL);
}

// A run in parts has a step that ends where a part does: it differs from the whole by what the
// tolerance allows a step, and no more. Where parts end at events or after whole steps they are
// one.
static void parts_agree_with_the_whole(void **state) {
  (void)state;
  static const char *const scenes[] = {"pendulum", "dimer", "frictional_impact_oscillator"};
  const double ends[] = {10.0, 0.2, 2.0}, most[] = {1e-9, 1e-8, 1e-8};
  for (int k = 0; k < 3; k++) {
    int size = 0;
    motion whole = motion_load(scenes[k], NULL), parts = motion_load(scenes[k], NULL);
    motion_advance(&whole, ends[k]);
    for (int j = 1; j <= 7; j++)
      motion_advance(&parts, ends[k] * j / 7.0);
    const double *a = carom_simulation_state(whole.simulation, &size);
    const double *b = carom_simulation_state(parts.simulation, NULL);
    for (int i = 0; i < size; i++)
      CHECK_NEAR(b[i], a[i], most[k] * (1.0 + fabs(a[i])));
    motion_end(&whole);
    motion_end(&parts);
  }
}

// the equations of a block on a rail that moves, as a person would write them
static void equations_by_hand(void **state) {
  (void)state;
  motion m = motion_parse("parameters: {m: 2, g: 9.81}\n"
                          "coordinates: {x: 0, y: 1}\n"
                          "energy: {kinetic: \"m/2*(x'^2 + y'^2)\", potential: m*g*y}\n"
                          "constraints: {rail: x*y - t}\n"
                          "contacts: {foot: {gap: y - 3*x - 2*t, slip: \"x' + 5*y'\"}}\n"
                          "run: {until: 1}\n");
  const char *parts[] = {"M[x,x] = m\nM[y,y] = m\n", "h[x] = 0\nh[y] = -m*g\n",
                         "W[rail,x] = y\nW[rail,y] = x\nw[rail] = -1\nzeta[rail] = 2*x'*y'\n",
                         "W[foot.gap,x] = -3\nW[foot.gap,y] = 1\nw[foot.gap] = -2\n",
                         "W[foot.slip,x] = 1\nW[foot.slip,y] = 5\n"};
  char *text = NULL;
  carom_error error = {0};
  MUST(carom_model_derive(m.model, CAROM_PLAIN, &text, &error), error);
  for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
    if (!strstr(text, parts[k])) fail_msg("'%s' is not in '%s'", parts[k], text);
  free(text);
  motion_end(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(parts_agree_with_the_whole),
      cmocka_unit_test(pieces_equal_the_whole),
      cmocka_unit_test(next_event_stops_at_each),
      cmocka_unit_test(stopping_observer_changes_nothing),
      cmocka_unit_test(values_by_name),
      cmocka_unit_test(setting_equals_loading),
      cmocka_unit_test(values_fit_together),
      cmocka_unit_test(reset_repeats_bit_for_bit),
      cmocka_unit_test(saved_state_continues),
      cmocka_unit_test(clone_goes_its_own_way),
      cmocka_unit_test(threads_share_nothing),
      cmocka_unit_test(memory_is_counted),
      cmocka_unit_test(equations_by_hand),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
