// SPDX-License-Identifier: MIT
// An evaluation follows from the state alone and leaves no trace: a motion that is evaluated at
// random moments and at random states near its own, by itself between its steps and by an onlooker
// inside them, is the same to the last bit as one that is left alone.
#include "motion.h"

#include "base/random.h"
#include "hybrid/hybrid.h"

#include <stdlib.h>

enum { PIECES = 24, STATES = 3 };

typedef struct onlooker {
  carom_arena *arena;
  carom_looking looking;
  double *y;
  uint64_t calls;
  bool on;
} onlooker;

static double draw(uint64_t stream, uint64_t k) { return carom_random_uniform(17, stream, k); }

// a state near the present one
static void wander(const carom_hybrid *it, uint64_t stream, double *y) {
  for (int i = 0; i < it->size; i++)
    y[i] = it->y[i] + 1e-3 * (draw(stream, (uint64_t)i) - 0.5) * (1.0 + fabs(it->y[i]));
}

// rates, rows, coefficients, forces with their margin, energies: of the motion's own workspace
static void evaluate(carom_hybrid *it, uint64_t stream, double *y) {
  double rate[64], t = it->now.t + 1e-3 * draw(stream, 1000);
  assert_true(it->size <= 64);
  for (uint64_t k = 0; k < STATES; k++) {
    carom_energy energy;
    wander(it, stream + k, y);
    (void)carom_hybrid_rhs(it, t, y, rate);
    if (carom_hybrid_evaluate_rows(it, t, y) == CAROM_OK && it->contact.closed > 0)
      (void)carom_hybrid_forces(it, t, y, true);
    if (it->model->dynamics->has_energy)
      (void)carom_dynamics_energy(it->model->dynamics, &it->work, t, y, &energy);
  }
}

static void look(onlooker *by, const carom_simulation *simulation) {
  const carom_hybrid *it = simulation->state;
  if (!by->on || draw(by->calls++, 7) < 0.5) return;
  wander(it, by->calls, by->y);
  (void)carom_looking_at(&by->looking, it, it->now.t, by->y);
}

static int on_sample(void *ctx, const carom_simulation *simulation, double t, int count,
                     const double *values) {
  (void)t, (void)count, (void)values;
  look(((void **)ctx)[0], simulation);
  return 0;
}

static int on_event(void *ctx, const carom_event *event) {
  (void)event;
  look(((void **)ctx)[0], ((void **)ctx)[1]);
  return 0;
}

// runs in random pieces, evaluated or not; the caller frees the saved state
static void *run(const char *scenario, bool evaluated, size_t *size) {
  carom_error error = {0};
  motion m = motion_load(scenario, NULL);
  carom_hybrid *it = m.simulation->state;
  double begin = it->now.t, until = carom_simulation_until(m.simulation), end = begin;
  onlooker by = {.arena = carom_arena_create(NULL), .on = evaluated};
  assert_non_null(by.arena);
  by.y = carom_arena_array(by.arena, (size_t)it->size, sizeof *by.y);
  MUST(carom_looking_init(&by.looking, by.arena, it, &error), error);
  void *ctx[] = {&by, m.simulation};
  carom_observer observer = {.ctx = ctx, .sample = on_sample, .event = on_event};
  carom_simulation_observe(m.simulation, &observer);
  for (uint64_t k = 0; k < PIECES; k++) {
    end = fmin(until, end + 2.0 * draw(99, k) * fmin(until - begin, 4.0) / PIECES);
    (void)motion_advance(&m, end);
    if (evaluated) evaluate(it, 1000 * k, by.y);
  }
  MUST(carom_simulation_save(m.simulation, NULL, size, &error), error);
  void *saved = malloc(*size);
  assert_non_null(saved);
  MUST(carom_simulation_save(m.simulation, saved, size, &error), error);
  carom_arena_destroy(by.arena);
  motion_end(&m);
  return saved;
}

static void leaves_no_trace(void **state) {
  (void)state;
  static const char *const scenarios[] = {"frictional_impact_oscillator",
                                          "dimer",
                                          "belt_block",
                                          "woodpecker",
                                          "three_contacts",
                                          "wedged_rod",
                                          "four_bar",
                                          "slider_crank_stop",
                                          "block_four_points",
                                          "disc_ball",
                                          "relief_valve",
                                          "painleve_rod",
                                          "spring_mass_table",
                                          "duffing",
                                          "boxes_fall",   // flat sides in the plane
                                          "toppling_box", // and in space
                                          "coin",         // round ones
                                          "thrown_box",
                                          "wagons",          // contacts that come and go
                                          "simplest_walker", // and constraints
                                          "two_relays"};     // sliding on surfaces
  for (size_t k = 0; k < sizeof scenarios / sizeof *scenarios; k++) {
    size_t alone_size, seen_size;
    void *alone = run(scenarios[k], false, &alone_size),
         *seen = run(scenarios[k], true, &seen_size);
    assert_int_equal(alone_size, seen_size);
    if (memcmp(alone, seen, alone_size) != 0) print_error("%s\n", scenarios[k]);
    assert_memory_equal(alone, seen, alone_size);
    free(alone);
    free(seen);
  }
}

// asked twice, the same
static void twice_the_same(void **state) {
  (void)state;
  motion m = motion_load("frictional_impact_oscillator", NULL);
  carom_hybrid *it = m.simulation->state;
  for (int k = 1; k <= 40; k++) {
    double first[64], second[64];
    (void)motion_advance(&m, it->run.start + 0.05 * k);
    assert_int_equal(carom_hybrid_rhs(it, it->now.t, it->y, first), CAROM_OK);
    evaluate(it, (uint64_t)k, second); // its states go where the rates did
    assert_int_equal(carom_hybrid_rhs(it, it->now.t, it->y, second), CAROM_OK);
    assert_memory_equal(first, second, (size_t)it->size * sizeof *first);
  }
  motion_end(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(leaves_no_trace),
                                     cmocka_unit_test(twice_the_same)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
