// SPDX-License-Identifier: MIT
// The public integration with events: closed forms, the list of event situations, errors,
// repeatability.
#include "check.h"

#include "carom/ode.h"

#include <stdlib.h>
#include <string.h>

// --- a ball on the ground: closed-form bounces ---

static const double GRAVITY = 9.81;

static carom_status fall(void *ctx, double t, const double *y, double *f) {
  (void)ctx, (void)t;
  f[0] = y[1];
  f[1] = -GRAVITY;
  return CAROM_OK;
}
static void ground(void *ctx, double t, const double *y, double *g) {
  (void)ctx, (void)t;
  g[0] = y[0];
}

static carom_ode *make(int n, carom_ode_rhs rhs, void *ctx, const carom_ode_options *options) {
  carom_ode *ode;
  carom_error error;
  if (carom_ode_create(&ode, n, rhs, ctx, options, &error)) fail_msg("%s", error.text);
  return ode;
}

static void test_bouncing_ball(void **state) {
  (void)state;
  const double e = 0.8, height = 1.0;
  carom_ode *ode = make(2, fall, NULL, NULL);
  int falling = -1, count;
  double y[2] = {height, 0.0};
  assert_int_equal(carom_ode_watch(ode, 1, ground, &falling, NULL), CAROM_OK);
  assert_int_equal(carom_ode_set(ode, 0.0, y, NULL), CAROM_OK);
  double t = sqrt(2.0 * height / GRAVITY), v = sqrt(2.0 * height * GRAVITY);
  for (int bounce = 0; bounce < 60; bounce++) {
    assert_int_equal(carom_ode_advance(ode, 10.0, NULL), CAROM_STOP_EVENT);
    const carom_ode_event *events = carom_ode_events(ode, &count);
    assert_int_equal(count, 1);
    assert_int_equal(events[0].function, 0);
    assert_int_equal(events[0].direction, -1);
    assert_int_equal(events[0].kind, CAROM_ODE_CROSSING);
    CHECK_NEAR(carom_ode_time(ode), t, 1e-12);
    CHECK_NEAR(carom_ode_state(ode)[0], 0.0, 1e-15);
    CHECK_NEAR(carom_ode_state(ode)[1], -v, 1e-11);
    v *= e;
    t += 2.0 * v / GRAVITY;
    y[0] = 0.0;
    y[1] = -e * carom_ode_state(ode)[1];
    assert_int_equal(carom_ode_reset(ode, y, NULL), CAROM_OK);
  }
  carom_ode_destroy(ode);
}

// an event that depends on state and time is settled to rounding: y = exp(t) meets its moving mark
static carom_status growth(void *ctx, double t, const double *y, double *f) {
  (void)ctx, (void)t;
  f[0] = y[0];
  return CAROM_OK;
}
static void moving_mark(void *ctx, double t, const double *y, double *g) {
  (void)ctx;
  g[0] = y[0] - 2.0 - 3.0 * t; // exp(t) = 2 + 3 t
}

static void test_moving_mark(void **state) {
  (void)state;
  const double root = 2.12539119881113; // Newton's method in 40 digits
  for (int k = 0; k < 6; k++) {
    carom_ode_options options = carom_ode_options_default();
    options.rtol = pow(10.0, -5 - k);
    carom_ode *ode = make(1, growth, NULL, &options);
    double y = 1.0;
    int rising = 1;
    assert_int_equal(carom_ode_watch(ode, 1, moving_mark, &rising, NULL), CAROM_OK);
    assert_int_equal(carom_ode_set(ode, 0.0, &y, NULL), CAROM_OK);
    assert_int_equal(carom_ode_advance(ode, 10.0, NULL), CAROM_STOP_EVENT);
    double t = carom_ode_time(ode), end = carom_ode_state(ode)[0];
    CHECK_NEAR(t, root, 10.0 * options.rtol);
    CHECK_NEAR(end - 2.0 - 3.0 * t, 0.0, 4e-15); // a rounding of 8.4, whatever the tolerance
    carom_ode_destroy(ode);
  }
}

// --- an oscillator y = (cos t, -sin t) and functions of it ---

static carom_status oscillator(void *ctx, double t, const double *y, double *f) {
  (void)ctx, (void)t;
  f[0] = y[1];
  f[1] = -y[0];
  return CAROM_OK;
}

enum { MOST = 4 };
typedef struct watcher {
  int count;
  double (*g[MOST])(double t, const double *y);
} watcher;
static void watch_all(void *ctx, double t, const double *y, double *g) {
  const watcher *w = ctx;
  for (int k = 0; k < w->count; k++)
    g[k] = w->g[k](t, y);
}

typedef struct found {
  double t;
  int count, functions[MOST], directions[MOST];
  carom_ode_event_kind kinds[MOST];
} found;

// all events of an oscillator from 0 to T
static int events_of(watcher *w, const int *directions, double T, const carom_ode_options *options,
                     int room, found *list) {
  carom_ode *ode = make(2, oscillator, w, options);
  carom_error error;
  double y[2] = {1.0, 0.0};
  assert_int_equal(carom_ode_watch(ode, w->count, watch_all, directions, NULL), CAROM_OK);
  assert_int_equal(carom_ode_set(ode, 0.0, y, NULL), CAROM_OK);
  int n = 0;
  carom_status status;
  while ((status = carom_ode_advance(ode, T, &error)) == CAROM_STOP_EVENT) {
    if (n == room)
      fail_msg("more than %d events, the last at t = %.17g", room, carom_ode_time(ode));
    found *f = &list[n++];
    const carom_ode_event *events = carom_ode_events(ode, &f->count);
    f->t = carom_ode_time(ode);
    for (int i = 0; i < f->count; i++) {
      f->functions[i] = events[i].function;
      f->directions[i] = events[i].direction;
      f->kinds[i] = events[i].kind;
    }
  }
  if (status != CAROM_OK) fail_msg("%s", error.text);
  CHECK_SAME(carom_ode_time(ode), T);
  CHECK_NEAR(carom_ode_state(ode)[0], cos(T), 1e-9);
  carom_ode_destroy(ode);
  return n;
}

static const double PI = 3.14159265358979323846;
static double position(double t, const double *y) { return (void)t, y[0]; }
static double position_scaled(double t, const double *y) { return (void)t, 3.0 * y[0]; }
static double position_cubed_off(double t, const double *y) { return (void)t, y[0] * (2.0 + y[1]); }
static double near_bottom(double t, const double *y) { return (void)t, y[0] + 1.0 - 1e-6; }
static double touching(double t, const double *y) { return (void)t, y[0] + 1.0; }
static double nothing(double t, const double *y) { return (void)t, (void)y, 0.0; }
static double fast(double t, const double *y) { return (void)y, sin(40.0 * t + 0.3); }
static double fast_but_positive(double t, const double *y) { return (void)y, 1.5 + sin(40.0 * t); }
static double late_nan(double t, const double *y) { return (void)y, t > 2.0 ? NAN : 1.0; }
static double clock_two(double t, const double *y) { return (void)y, t - 2.0; }

static void test_oscillator_crossings(void **state) {
  (void)state;
  watcher w = {1, {position}};
  found list[16];
  assert_int_equal(events_of(&w, NULL, 20.0, NULL, 16, list), 6);
  for (int i = 0; i < 6; i++) {
    CHECK_NEAR(list[i].t, (i + 0.5) * PI, 1e-9);
    assert_int_equal(list[i].directions[0], i % 2 ? 1 : -1);
  }
  int rising = 1;
  assert_int_equal(events_of(&w, &rising, 20.0, NULL, 16, list), 3);
  CHECK_NEAR(list[1].t, 3.5 * PI, 1e-9);
}

// both roots of a shallow dip, 2.8e-3 apart and inside one step
static void test_two_roots_in_one_step(void **state) {
  (void)state;
  watcher w = {1, {near_bottom}};
  found list[16];
  assert_int_equal(events_of(&w, NULL, 6.0, NULL, 16, list), 2);
  double half = acos(1.0 - 1e-6);
  CHECK_NEAR(list[0].t, PI - half, 1e-7);
  CHECK_NEAR(list[1].t, PI + half, 1e-7);
}

static void test_grazing(void **state) {
  (void)state;
  watcher w = {1, {touching}};
  found list[16];
  carom_ode_options options = carom_ode_options_default();
  options.event_tolerance = 1e-8;
  assert_int_equal(events_of(&w, NULL, 8.0, &options, 16, list), 0);
  options.stop_at_grazing = true;
  assert_int_equal(events_of(&w, NULL, 8.0, &options, 16, list), 1);
  assert_int_equal(list[0].kinds[0], CAROM_ODE_GRAZING);
  CHECK_NEAR(list[0].t, PI, 1e-3);
}

static void test_simultaneous(void **state) {
  (void)state;
  watcher w = {4, {position, position_scaled, clock_two, position_cubed_off}};
  found list[16];
  assert_int_equal(events_of(&w, NULL, 4.0, NULL, 16, list), 2);
  CHECK_NEAR(list[0].t, 0.5 * PI, 1e-10);
  assert_int_equal(list[0].count, 3);
  assert_int_equal(list[1].count, 1);
  assert_int_equal(list[1].functions[0], 2);
  CHECK_NEAR(list[1].t, 2.0, 1e-14);
}

static void test_zero_function(void **state) {
  (void)state;
  watcher w = {2, {nothing, position}};
  found list[16];
  assert_int_equal(events_of(&w, NULL, 6.0, NULL, 16, list), 2);
  assert_int_equal(list[0].functions[0], 1);
}

static void test_fast_function(void **state) {
  (void)state;
  watcher w = {1, {fast}};
  static found list[200];
  int n = events_of(&w, NULL, 10.0, NULL, 200, list);
  assert_int_equal(n, (int)((400.0 + 0.3) / PI));
  for (int i = 0; i < n; i++)
    CHECK_NEAR(list[i].t, ((i + 1) * PI - 0.3) / 40.0, 1e-13);
}

// a function that is asked for at more places than are kept spoils no root of the one behind it
static void test_beside_a_fast_function(void **state) {
  (void)state;
  watcher w = {2, {fast_but_positive, position}};
  found list[16];
  assert_int_equal(events_of(&w, NULL, 20.0, NULL, 16, list), 6);
  for (int i = 0; i < 6; i++) {
    CHECK_NEAR(list[i].t, (i + 0.5) * PI, 1e-9);
    assert_int_equal(list[i].functions[0], 1);
  }
}

// a function with more turns in a step than are looked at cuts it short, and nothing is lost
static double far_too_fast(double t, const double *y) { return (void)y, 1.5 + sin(3e4 * t); }

static void test_too_many_turns(void **state) {
  (void)state;
  watcher w = {2, {far_too_fast, position}};
  found list[4];
  assert_int_equal(events_of(&w, NULL, 2.0, NULL, 4, list), 1);
  CHECK_NEAR(list[0].t, 0.5 * PI, 1e-9);
}

// event functions may be costly: at an end of a step they are asked for once by either step
enum { CALLS = 4000 };
typedef struct call_list {
  int count;
  double t[CALLS];
} call_list;
static void note_call(void *ctx, double t, const double *y, double *g) {
  call_list *calls = ctx;
  assert_true(calls->count < CALLS);
  calls->t[calls->count++] = t;
  g[0] = 2.0 + y[0];
  g[1] = 3.0 + y[1];
}

static void test_no_place_asked_again(void **state) {
  (void)state;
  static call_list calls;
  carom_ode *ode = make(2, oscillator, &calls, NULL);
  double y[2] = {1.0, 0.0};
  carom_ode_watch(ode, 2, note_call, NULL, NULL);
  carom_ode_set(ode, 0.0, y, NULL);
  assert_int_equal(carom_ode_advance(ode, 10.0, NULL), CAROM_OK);
  assert_true(calls.count > 20);
  for (int i = 0; i < calls.count; i++) {
    int same = 0;
    for (int k = 0; k < calls.count; k++)
      same += calls.t[k] == calls.t[i];
    assert_true(same <= (0.0 < calls.t[i] && calls.t[i] < 10.0 ? 2 : 1));
  }
  assert_int_equal(carom_ode_statistics_read(ode).event_evaluations, calls.count);
  carom_ode_destroy(ode);
}

// a smooth function is known from nine values in a step, and one near its end
static void test_smooth_function_asked_seldom(void **state) {
  (void)state;
  watcher w = {1, {position}};
  carom_ode *ode = make(2, oscillator, &w, NULL);
  double y[2] = {1.0, 0.0};
  int falling = -1;
  carom_ode_watch(ode, 1, watch_all, &falling, NULL);
  carom_ode_set(ode, 0.0, y, NULL);
  carom_status status;
  while ((status = carom_ode_advance(ode, 20.0, NULL)) == CAROM_STOP_EVENT)
    ;
  assert_int_equal(status, CAROM_OK);
  carom_ode_statistics seen = carom_ode_statistics_read(ode);
  assert_int_equal(seen.events, 3);
  CHECK(seen.event_evaluations < 11 * seen.steps);
  carom_ode_destroy(ode);
}

static void test_event_at_start_and_end(void **state) {
  (void)state;
  watcher w = {1, {position}};
  carom_ode *ode = make(2, oscillator, &w, NULL);
  int count;
  double y[2] = {0.0, 1.0};
  carom_ode_watch(ode, 1, watch_all, NULL, NULL);
  // zero at the start is no event; the next zero is
  assert_int_equal(carom_ode_set(ode, 0.0, y, NULL), CAROM_OK);
  assert_int_equal(carom_ode_advance(ode, 10.0, NULL), CAROM_STOP_EVENT);
  CHECK_NEAR(carom_ode_time(ode), PI, 1e-10);
  // going on without a reset does not report it again
  assert_int_equal(carom_ode_advance(ode, 3.5, NULL), CAROM_OK);
  carom_ode_events(ode, &count);
  assert_int_equal(count, 0);
  carom_ode_destroy(ode);

  // a root at the very end of the span is reported once
  w = (watcher){1, {clock_two}};
  ode = make(2, oscillator, &w, NULL);
  carom_ode_watch(ode, 1, watch_all, NULL, NULL);
  carom_ode_set(ode, 0.0, y, NULL);
  assert_int_equal(carom_ode_advance(ode, 2.0, NULL), CAROM_STOP_EVENT);
  CHECK_SAME(carom_ode_time(ode), 2.0);
  assert_int_equal(carom_ode_advance(ode, 2.0, NULL), CAROM_OK);
  assert_int_equal(carom_ode_advance(ode, 3.0, NULL), CAROM_OK);
  carom_ode_destroy(ode);
}

// stops at many short spans must not lose or double events
static void test_many_short_spans(void **state) {
  (void)state;
  watcher w = {1, {position}};
  carom_ode *ode = make(2, oscillator, &w, NULL);
  double y[2] = {1.0, 0.0};
  carom_ode_watch(ode, 1, watch_all, NULL, NULL);
  carom_ode_set(ode, 0.0, y, NULL);
  int events = 0;
  for (int i = 1; i <= 4000; i++) {
    carom_status status;
    while ((status = carom_ode_advance(ode, i * 0.005, NULL)) == CAROM_STOP_EVENT)
      events++;
    assert_int_equal(status, CAROM_OK);
  }
  assert_int_equal(events, 6);
  carom_ode_destroy(ode);
}

static void test_errors(void **state) {
  (void)state;
  carom_error error;
  watcher w = {1, {late_nan}};
  carom_ode *ode = make(2, oscillator, &w, NULL);
  double y[2] = {1.0, 0.0};
  assert_int_equal(carom_ode_advance(ode, 1.0, &error), CAROM_ERR_ARGUMENT);
  assert_int_equal(carom_ode_reset(ode, y, &error), CAROM_ERR_ARGUMENT);
  assert_int_equal(carom_ode_watch(ode, 0, watch_all, NULL, &error), CAROM_ERR_ARGUMENT);
  assert_int_equal(carom_ode_watch(ode, 1, watch_all, NULL, &error), CAROM_OK);
  assert_int_equal(carom_ode_watch(ode, 1, watch_all, NULL, &error), CAROM_ERR_ARGUMENT);
  carom_ode_set(ode, 0.0, y, NULL);
  assert_int_equal(carom_ode_advance(ode, -1.0, &error), CAROM_ERR_ARGUMENT);
  // an event function without a value: an error with the time
  assert_int_equal(carom_ode_advance(ode, 5.0, &error), CAROM_ERR_NONFINITE);
  CHECK(strstr(error.text, "t = 2.0000") || strstr(error.text, "t = 2"));
  CHECK(carom_ode_time(ode) <= 2.0 + 1e-5);
  carom_ode_destroy(ode);

  carom_ode_options options = {.rtol = 1e-8, .atol = 1e-8};
  assert_int_equal(carom_ode_create(&ode, 2, oscillator, NULL, &options, &error),
                   CAROM_ERR_ARGUMENT);
  assert_null(ode);
  options = carom_ode_options_default();
  options.max_steps = 3;
  double z[2] = {1.0, 0.0};
  assert_int_equal(carom_ode_solve(2, oscillator, NULL, 0.0, z, 100.0, &options, &error),
                   CAROM_ERR_LIMIT);
  carom_ode_destroy(NULL);
}

static void test_solve_in_one_call(void **state) {
  (void)state;
  double y[2] = {1.0, 0.0};
  assert_int_equal(carom_ode_solve(2, oscillator, NULL, 0.0, y, 10.0, NULL, NULL), CAROM_OK);
  CHECK_NEAR(y[0], cos(10.0), 1e-9);
  CHECK_NEAR(y[1], -sin(10.0), 1e-9);
}

// --- an allocator that fails at its k-th call: every creation either works or reports memory ---

typedef struct failing {
  int left, alive;
} failing;
static void *failing_resize(void *ctx, void *pointer, size_t size) {
  failing *f = ctx;
  if (f->left-- <= 0) return NULL;
  if (!pointer) f->alive++;
  return realloc(pointer, size);
}
static void failing_release(void *ctx, void *pointer) {
  if (pointer) ((failing *)ctx)->alive--;
  free(pointer);
}

static void test_out_of_memory(void **state) {
  (void)state;
  bool succeeded = false;
  for (int k = 0; k < 40 && !succeeded; k++) {
    failing f = {k, 0};
    carom_allocator allocator = {failing_resize, failing_release, &f};
    carom_ode_options options = carom_ode_options_default();
    options.allocator = &allocator;
    watcher w = {1, {position}};
    carom_ode *ode;
    carom_status status = carom_ode_create(&ode, 300, oscillator, &w, &options, NULL);
    if (!status) status = carom_ode_watch(ode, 200, watch_all, NULL, NULL);
    assert_true(status == CAROM_OK || status == CAROM_ERR_MEMORY);
    succeeded = !status;
    carom_ode_destroy(ode);
    assert_int_equal(f.alive, 0);
  }
  assert_true(succeeded);
}

// --- golden: the same bits for every compiler and optimisation (only + - * / sqrt are used) ---

enum { GOLDEN_EVENTS = 11 };
static const double GOLDEN_SUM = 0x1.3d10a345ca0b9p+7;

static carom_status duffing(void *ctx, double t, const double *y, double *f) {
  (void)ctx, (void)t;
  f[0] = y[1];
  f[1] = y[0] - y[0] * y[0] * y[0] - 0.01 * y[1];
  return CAROM_OK;
}

static void test_golden_bits(void **state) {
  (void)state;
  watcher w = {1, {position}};
  carom_ode_options options = carom_ode_options_default();
  options.rtol = 1e-9;
  carom_ode *ode = make(2, duffing, &w, &options);
  double y[2] = {1.3, 2.0}, sum = 0.0;
  carom_ode_watch(ode, 1, watch_all, NULL, NULL);
  carom_ode_set(ode, 0.0, y, NULL);
  int events = 0;
  while (carom_ode_advance(ode, 30.0, NULL) == CAROM_STOP_EVENT) {
    sum += carom_ode_time(ode);
    y[0] = carom_ode_state(ode)[0], y[1] = 0.99 * carom_ode_state(ode)[1];
    carom_ode_reset(ode, y, NULL);
    events++;
  }
  sum += carom_ode_state(ode)[0];
  if (getenv("CAROM_PRINT_GOLDEN")) print_message("events %d, sum %a\n", events, sum);
  assert_int_equal(events, GOLDEN_EVENTS);
  CHECK_SAME(sum, GOLDEN_SUM);
  carom_ode_destroy(ode);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_bouncing_ball),
      cmocka_unit_test(test_moving_mark),
      cmocka_unit_test(test_oscillator_crossings),
      cmocka_unit_test(test_two_roots_in_one_step),
      cmocka_unit_test(test_grazing),
      cmocka_unit_test(test_simultaneous),
      cmocka_unit_test(test_zero_function),
      cmocka_unit_test(test_fast_function),
      cmocka_unit_test(test_beside_a_fast_function),
      cmocka_unit_test(test_no_place_asked_again),
      cmocka_unit_test(test_too_many_turns),
      cmocka_unit_test(test_smooth_function_asked_seldom),
      cmocka_unit_test(test_event_at_start_and_end),
      cmocka_unit_test(test_many_short_spans),
      cmocka_unit_test(test_errors),
      cmocka_unit_test(test_solve_in_one_call),
      cmocka_unit_test(test_out_of_memory),
      cmocka_unit_test(test_golden_bits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
