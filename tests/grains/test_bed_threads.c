// SPDX-License-Identifier: MIT
// Threads: the same bits for any number of them, and on every machine, and checkpoints between.
#include "base/wide.h"
#include "bed_setup.h"
#include "grains/bed_kernels.h"
#include "grains/grains.h"

#include <stdlib.h>
#include <string.h>

enum { N = 1100 };

// a dense, hot layer of rods and spheres on a shaken floor: five chunks, contacts across them
static void shake(void *ctx, double t, double *z, double *rate) {
  (void)ctx;
  *z = 0.05 * sin(20 * t);
  *rate = cos(20 * t);
}

static carom_bed_settings dense(int threads) {
  carom_bed_settings set = carom_bed_settings_default();
  set.species_count = 2;
  set.species[0] = carom_bed_species_uniform(N - 100, 1, 3, 1);
  set.species[1] = carom_bed_species_uniform(100, 0.9, 0.9, 1);
  set.law = (carom_grain_law){
      .hertz = true, .kn = 2e5, .kt = 2e5, .gn = 100, .gt = 50, .stick = 0.4, .slip = 0.3};
  set.periodic[0] = set.periodic[1] = 24;
  set.step = 1e-4;
  set.skin = 0.1;
  set.threads = threads;
  set.drive = shake;
  set.period = 0.314159;
  set.wall_count = 1;
  set.walls[0] = (carom_bed_wall){
      .name = "floor", .normal = {0, 0, 1}, .law = set.law, .driven = true, .strikes = true};
  return set;
}

static void place(carom_bed *bed) {
  for (int i = 0; i < N; i++) {
    int layer = i / 168, at = i % 168, row = at / 7, column = at % 7, c = layer % 2;
    bed->x[c][i] = 3.4 * column + 1.6;
    bed->x[1 - c][i] = row + 0.5;
    bed->x[2][i] = 0.6 + 1.01 * layer;
    bed->u[2][i] = 0, bed->u[c][i] = 1;
    for (int d = 0; d < 3; d++)
      bed->v[d][i] = carom_random_normal(3, (uint64_t)d, (uint64_t)i);
  }
}

// the state after some steps, as bytes
static char *run_with(int threads, const carom_bed_kernels *kernels, size_t *size) {
  carom_bed_settings set = dense(threads);
  carom_arena *arena;
  carom_bed *bed = new_bed(&arena, &set);
  if (kernels) bed->kernels = kernels;
  place(bed);
  begin(bed);
  for (int k = 0; k < 4; k++)
    advance(bed, 150);
  CHECK(bed->counts.searches > 4 && carom_bed_count_pairs(bed) > 300 &&
        bed->striking.strikes.begun > 20);
  bool crosses = false;
  for (int k = 0; k < bed->chunk_count; k++)
    crosses = crosses || bed->chunks[k].leg_count > 0;
  CHECK(crosses && bed->chunk_count == 5);
  *size = carom_bed_save(bed, NULL);
  char *bytes = malloc(*size);
  assert_non_null(bytes);
  (void)carom_bed_save(bed, bytes);
  carom_arena_destroy(arena);
  return bytes;
}

static void test_same_bits(void **state) {
  (void)state;
  size_t one_size = 0, size = 0;
  char *one = run_with(1, NULL, &one_size);
  // with as many threads as chunks, most have to wait for what others send
  static const int threads[] = {2, 3, 5};
  for (size_t k = 0; k < sizeof threads / sizeof *threads; k++) {
    char *many = run_with(threads[k], NULL, &size);
    assert_int_equal(size, one_size);
    assert_memory_equal(many, one, size);
    free(many);
  }
  free(one);
}

// lanes of any width, on the machines that have them
static void test_same_bits_for_all_widths(void **state) {
  (void)state;
  const carom_bed_kernels *others[] = {
    &carom_bed_plain,
#if defined(__x86_64__)
    carom_machine_has_avx2() ? &carom_bed_avx2 : NULL,
    carom_machine_has_avx512() ? &carom_bed_avx512 : NULL
#endif
  };
  size_t one_size = 0, size = 0;
  char *one = run_with(1, others[0], &one_size);
  for (size_t k = 1; k < sizeof others / sizeof *others; k++) {
    if (!others[k]) continue;
    char *other = run_with(1, others[k], &size);
    assert_int_equal(size, one_size);
    assert_memory_equal(other, one, size);
    free(other);
  }
  free(one);
}

// a state saved by one thread goes on with three as it would have with one
static void test_checkpoint_between(void **state) {
  (void)state;
  carom_bed_settings set = dense(1), other = dense(3);
  carom_arena *arena, *second;
  carom_bed *bed = new_bed(&arena, &set), *copy = new_bed(&second, &other);
  place(bed);
  begin(bed);
  advance(bed, 250);
  size_t size = carom_bed_save(bed, NULL);
  char *bytes = malloc(size);
  assert_non_null(bytes);
  (void)carom_bed_save(bed, bytes);
  assert_true(carom_bed_restore(copy, bytes, size));
  free(bytes);
  advance(bed, 150);
  advance(copy, 150);
  for (int i = 0; i < N; i++)
    for (int c = 0; c < 3; c++) {
      CHECK_SAME(copy->x[c][i], bed->x[c][i]);
      CHECK_SAME(copy->w[c][i], bed->w[c][i]);
    }
  CHECK_SAME(copy->ledger.lost_normal, bed->ledger.lost_normal);
  carom_arena_destroy(arena);
  carom_arena_destroy(second);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_same_bits),
      cmocka_unit_test(test_same_bits_for_all_widths),
      cmocka_unit_test(test_checkpoint_between),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
