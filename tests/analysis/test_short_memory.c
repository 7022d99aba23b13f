// SPDX-License-Identifier: MIT
// Allocations of analyses fail, one in each run: the analysis fails too, or does without and has
// the same result; nothing is lost, and nothing is read that is not there.
#include "analysis/axis_help.h"
#include "hybrid/motion.h"

#include "carom/basin.h"
#include "carom/bifurcation.h"
#include "carom/continuation.h"
#include "carom/converge.h"
#include "carom/equilibrium.h"
#include "carom/locate.h"
#include "carom/lyapunov.h"
#include "carom/orbit.h"

#include <stdatomic.h>
#include <stdlib.h>

enum { EACH = 250, STRIDE = 97 }; // the first ones all, of the others some

static atomic_long blocks;  // in use
static atomic_long to_fail; // this allocation from now on fails; 0 or less: none

// sanitizers bring an allocator of their own
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define OWN_ALLOCATOR 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define OWN_ALLOCATOR 0
#endif
#endif
#ifndef OWN_ALLOCATOR
#define OWN_ALLOCATOR 1
#endif

#if OWN_ALLOCATOR
#pragma GCC visibility push(default) // a shared library must find these too
// glibc's own, behind the names that this program replaces
// NOLINTBEGIN(bugprone-reserved-identifier)
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void __libc_free(void *block);
// NOLINTEND(bugprone-reserved-identifier)
// and those names
void *own_malloc(size_t size) __asm__("malloc");
void *own_calloc(size_t count, size_t size) __asm__("calloc");
void *own_realloc(void *block, size_t size) __asm__("realloc");
void own_free(void *block) __asm__("free");

static bool fails(void) { return atomic_fetch_sub(&to_fail, 1) == 1; }

static void *counted(void *block) {
  if (block) atomic_fetch_add(&blocks, 1);
  return block;
}

void *own_malloc(size_t size) { return fails() ? NULL : counted(__libc_malloc(size)); }
void *own_calloc(size_t count, size_t size) {
  return fails() ? NULL : counted(__libc_calloc(count, size));
}
void *own_realloc(void *block, size_t size) {
  if (fails()) return NULL;
  void *moved = __libc_realloc(block, size);
  return block ? moved : counted(moved);
}
void own_free(void *block) {
  if (block) atomic_fetch_sub(&blocks, 1);
  __libc_free(block);
}
#pragma GCC visibility pop
#endif

// one analysis of a model: its status, and a number that stands for its result
typedef carom_status (*analysis)(const carom_model *model, double *result, carom_error *error);

static long try_each(const char *name, const carom_model *model, analysis run) {
  double expected = 0.0;
  carom_error error = {0};
  MUST(run(model, &expected, &error), error); // what is made once for good is made here
  for (long k = 1;; k += k < EACH ? 1 : STRIDE) {
    double result = 0.0;
    error = (carom_error){0};
    long before = blocks;
    atomic_store(&to_fail, k);
    carom_status status = run(model, &result, &error);
    bool failed = atomic_exchange(&to_fail, 0) <= 0;
    if (blocks != before || (status != CAROM_OK && !failed))
      print_error("%s, allocation %ld: status %d, %ld blocks left: %s\n", name, k, (int)status,
                  blocks - before, error.text);
    assert_int_equal(blocks, before);
    CHECK(status == CAROM_OK || (failed && status < 0 && error.text[0]));
    if (status == CAROM_OK) CHECK_NEAR(result, expected, 1e-7 * fabs(expected));
    if (!OWN_ALLOCATOR) return EACH;
    if (!failed) return k - 1;
  }
}

static carom_status find_orbit(const carom_model *model, double *result, carom_error *error) {
  carom_orbit_options options = carom_orbit_options_default();
  carom_orbit *orbit = NULL;
  options.model = model;
  carom_status status = carom_orbit_find(&options, &orbit, error);
  double times[5], states[5 * 16];
  if (status == CAROM_OK) status = carom_orbit_trace(&options, orbit, 5, times, states, error);
  if (status == CAROM_OK) *result = carom_orbit_look(orbit)->floquet.re[0] + states[3];
  carom_orbit_destroy(orbit);
  return status;
}

static carom_status find_exponents(const carom_model *model, double *result, carom_error *error) {
  carom_lyapunov_options options = carom_lyapunov_options_default();
  carom_lyapunov *found = NULL;
  options.model = model;
  options.time = 5.0;
  carom_status status = carom_lyapunov_run(&options, &found, error);
  if (status == CAROM_OK) *result = carom_lyapunov_look(found)->exponents[0];
  carom_lyapunov_destroy(found);
  return status;
}

static carom_status follow_branch(const carom_model *model, double *result, carom_error *error) {
  carom_continuation_options options = carom_continuation_options_default();
  carom_continuation *found = NULL;
  options.model = model;
  options.parameter = "Gamma";
  options.from = 1.068;
  options.to = 1.073;
  options.switches = 1;
  options.looks = 3;
  options.threads = 1;
  carom_status status = carom_continuation_run(&options, &found, error);
  if (status == CAROM_OK) {
    // where it may end early, and says so
    *result = carom_continuation_point_at(found, 0)->value;
  }
  carom_continuation_destroy(found);
  return status;
}

static carom_status draw_diagram(const carom_model *model, double *result, carom_error *error) {
  carom_bifurcation_options options = carom_bifurcation_options_default();
  carom_bifurcation *found = NULL;
  carom_axis axis;
  carom_status status = carom_axis_parse("Gamma=1.05:1.1:2", &axis, error);
  if (status != CAROM_OK) return status;
  options.model = model;
  options.axis = &axis;
  options.skip = 5;
  options.keep = 4;
  options.threads = 1;
  status = carom_bifurcation_run(&options, &found, error);
  if (status == CAROM_OK) *result = carom_bifurcation_point_at(found, 0)->crossings[0];
  carom_bifurcation_destroy(found);
  carom_axis_destroy(&axis);
  return status;
}

static carom_status list_equilibria(const carom_model *model, double *result, carom_error *error) {
  carom_simulation *simulation = NULL;
  carom_equilibria *list = NULL;
  carom_status status = carom_simulation_create(model, &simulation, error);
  if (status == CAROM_OK) status = carom_equilibria_find(simulation, &list, error);
  if (status == CAROM_OK) *result = carom_equilibria_count(list);
  carom_equilibria_destroy(list);
  carom_simulation_destroy(simulation);
  return status;
}

static carom_status locate_hopf(const carom_model *model, double *result, carom_error *error) {
  carom_simulation *simulation = NULL;
  carom_locate_options options = carom_locate_options_default();
  carom_location *found = NULL;
  options.what = CAROM_LOCATE_HOPF;
  options.parameter = "mu";
  options.from = 0.2;
  options.to = 0.6;
  options.mode = "+";
  options.tolerance = 1e-3;
  carom_status status = carom_simulation_create(model, &simulation, error);
  if (status == CAROM_OK) status = carom_locate_run(simulation, &options, &found, error);
  if (status == CAROM_OK) *result = carom_location_look(found)->value;
  carom_location_destroy(found);
  carom_simulation_destroy(simulation);
  return status;
}

static void each_allocation_may_fail(void **state) {
  (void)state;
  const carom_setting driven[] = {{"Gamma", "1.1"}, {"run.until", "60"}, {NULL, NULL}};
  carom_model *ball = load("ball_on_table", 2, driven);
  CHECK(try_each("orbit", ball, find_orbit) > 10);
  CHECK(try_each("lyapunov", ball, find_exponents) > 10);
  CHECK(try_each("bifurcation", ball, draw_diagram) > 10);
  CHECK(try_each("continuation", ball, follow_branch) > 10);
  carom_model_destroy(ball);
  carom_model *oscillator = load("frictional_impact_oscillator", 0, NULL);
  CHECK(try_each("equilibria", oscillator, list_equilibria) > 10);
  CHECK(try_each("locate", oscillator, locate_hopf) > 10);
  carom_model_destroy(oscillator);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(each_allocation_may_fail)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
