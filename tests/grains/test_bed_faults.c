// SPDX-License-Identifier: MIT
// What a bed does when memory runs out or when a saved state is broken: it says so, leaks nothing
// and touches no memory that is not its own.
#include "bed_setup.h"
#include "grains/grains.h"

#include <stdlib.h>
#include <string.h>

// a loose heap that falls on a floor about a pillar: rods and balls, as many chunks as are asked
// for, contacts that come while it moves
static carom_bed_settings falling(int n, int threads) {
  carom_bed_settings set = carom_bed_settings_default();
  set.species_count = n > 1 ? 2 : 1;
  set.species[0] = carom_bed_species_uniform(n - n / 8, 1, 2, 1);
  set.species[1] = carom_bed_species_uniform(n / 8, 0.9, 0.9, 1);
  set.law = (carom_grain_law){.kn = 2e4, .kt = 1e4, .gn = 20, .gt = 20, .stick = 0.4, .slip = 0.3};
  set.periodic[0] = set.periodic[1] = 16;
  set.step = 2e-4;
  set.skin = 0.2;
  set.threads = threads;
  set.wall_count = 2;
  set.walls[0] =
      (carom_bed_wall){.name = "floor", .normal = {0, 0, 1}, .law = set.law, .strikes = true};
  set.walls[1] = (carom_bed_wall){
      .name = "pillar", .kind = CAROM_WALL_OUTSIDE, .at = 0.4, .centre = {8, 8}, .law = set.law};
  return set;
}

static void place(carom_bed *bed) {
  for (int i = 0; i < bed->n; i++) {
    int layer = i / 64, at = i % 64;
    bed->x[0][i] = 1.0 + 2.0 * (at % 8), bed->x[1][i] = 1.0 + 2.0 * (at / 8);
    bed->x[2][i] = 1.05 + 2.1 * layer;
    for (int c = 0; c < 3; c++) {
      bed->u[c][i] = carom_random_normal(4, (uint64_t)c, (uint64_t)i);
      bed->v[c][i] = 4.0 * carom_random_normal(5, (uint64_t)c, (uint64_t)i);
    }
  }
}

// ---- memory

typedef struct purse {
  long asked, given; // requests; those that are not given back yet
  long last;         // how many are granted
  size_t largest;    // that is granted; 0: any
} purse;

static void *spend(void *ctx, void *pointer, size_t size) {
  purse *it = ctx;
  if (it->asked++ >= it->last || (it->largest > 0 && size > it->largest)) return NULL;
  void *memory = realloc(pointer, size);
  it->given += !pointer && memory;
  return memory;
}

static void give_back(void *ctx, void *pointer) {
  purse *it = ctx;
  it->given -= pointer != NULL;
  free(pointer);
}

// begins and moves as far as memory goes
static carom_status move(carom_bed *bed) {
  carom_error error = {0};
  carom_status status = carom_bed_begin(bed, &error);
  if (!status) assert_false(bed->condition.no_memory);
  for (int k = 0; k < 20 && !status; k++)
    status = carom_bed_advance(bed, 40, &error);
  assert_int_equal(status, error.status);
  // what has failed stays where it is
  long steps = bed->counts.steps;
  if (status) assert_int_equal(carom_bed_advance(bed, 1, &error), CAROM_ERR_ARGUMENT);
  assert_int_equal(bed->counts.steps, steps);
  return status;
}

static carom_status run_with(purse *from, const carom_bed_settings *set) {
  const carom_allocator allocator = {spend, give_back, from};
  carom_arena *arena = carom_arena_create(&allocator);
  carom_bed *bed = arena ? carom_bed_create(arena, set) : NULL;
  if (bed) place(bed);
  carom_status status = bed ? move(bed) : CAROM_ERR_MEMORY;
  carom_arena_destroy(arena);
  return status;
}

static void test_memory_runs_out(void **state) {
  (void)state;
  static const int sizes[] = {1, 60, 270, 600};
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
    for (int threads = 1; threads <= 3; threads += 2) {
      carom_bed_settings set = falling(sizes[k], threads);
      purse full = {.last = 1000000};
      assert_int_equal(run_with(&full, &set), CAROM_OK);
      assert_int_equal(full.given, 0);
      CHECK(full.asked > 1);
      for (long last = 0; last < full.asked; last++) {
        purse some = {.last = last};
        carom_status status = run_with(&some, &set);
        // how much several threads ask for depends on who does what
        if (threads == 1 || status) assert_int_equal(status, CAROM_ERR_MEMORY);
        assert_int_equal(some.given, 0);
      }
    }
}

// takes the smallest pieces there are from an arena that gets no more
static long drain(carom_arena *arena, long most) {
  long taken = 0;
  while (taken < most && carom_arena_take(arena, 1))
    taken++;
  return taken;
}

// what is left of one block when `drained` pieces are gone must do
static carom_status run_in_block(const carom_bed_settings *set, bool touching, long *drained) {
  enum { BLOCK = 400000 };
  purse from = {.last = 1000000};
  const carom_allocator allocator = {spend, give_back, &from};
  carom_arena *arena = carom_arena_create(&allocator);
  carom_bed *bed = carom_bed_create(arena, set);
  assert_non_null(bed);
  place(bed);
  for (int i = 0; touching && i < bed->n; i++)
    bed->x[0][i] = 0.5 + 0.995 * i, bed->x[1][i] = 8, bed->x[2][i] = 3;
  for (int k = 0; k < 2; k++)
    assert_non_null(carom_arena_take(arena, BLOCK)); // the second leaves as much again
  from.largest = BLOCK / 2; // what is kept through a search, but no more for the arena
  *drained = drain(arena, *drained);
  carom_status status = move(bed);
  carom_arena_destroy(arena);
  assert_int_equal(from.given, 0);
  return status;
}

// any array may be the first that does not fit: of balls in a row, which touch from the start, and
// of the heap
static void test_any_array_may_fail(void **state) {
  (void)state;
  for (int touching = 0; touching < 2; touching++) {
    carom_bed_settings set = falling(300, 1);
    if (touching) {
      set.species_count = set.wall_count = 1;
      set.species[0] = carom_bed_species_uniform(300, 1, 1, 1);
      set.periodic[0] = 0;
      set.skin = 0.02;
    }
    long all = 10000000, none = 0, failed = 0;
    assert_int_equal(run_in_block(&set, touching, &all), CAROM_ERR_MEMORY);
    assert_int_equal(run_in_block(&set, touching, &none), CAROM_OK);
    carom_status status = CAROM_ERR_MEMORY;
    for (long left = 0; left < all && status; left += 16, failed++) {
      long drained = all - left;
      status = run_in_block(&set, touching, &drained);
      if (status) assert_int_equal(status, CAROM_ERR_MEMORY);
    }
    CHECK(failed > 50);
  }
}

// ---- states

static char *saved(const carom_bed *bed, size_t *size) {
  *size = carom_bed_save(bed, NULL);
  char *bytes = malloc(*size);
  assert_non_null(bytes);
  assert_int_equal(carom_bed_save(bed, bytes), *size);
  return bytes;
}

// of a bed that has landed; the caller frees it
static char *fallen_state(const carom_bed_settings *set, size_t *size) {
  carom_arena *arena;
  carom_bed *bed = new_bed(&arena, set);
  place(bed);
  begin(bed);
  advance(bed, 800);
  char *bytes = saved(bed, size);
  carom_arena_destroy(arena);
  return bytes;
}

// restores into a bed of its own, which then moves a little where it can; true: it was taken
static bool takes(const carom_bed_settings *set, const char *bytes, size_t size) {
  carom_arena *arena;
  carom_error error = {0};
  carom_bed *bed = new_bed(&arena, set);
  bool taken = carom_bed_restore(bed, bytes, size);
  carom_status status = carom_bed_advance(bed, 3, &error);
  if (!taken) assert_int_equal(status, CAROM_ERR_ARGUMENT);
  carom_arena_destroy(arena);
  return taken;
}

// a state that ends early or goes on too long is refused, and nothing is read behind its end
static void test_cut_states(void **state) {
  (void)state;
  carom_bed_settings set = falling(300, 1);
  size_t size = 0;
  char *bytes = fallen_state(&set, &size), *longer = calloc(size + 8, 1);
  assert_non_null(longer);
  memcpy(longer, bytes, size);
  assert_false(takes(&set, longer, size + 8));
  for (size_t left = size - 1; left > 0; left /= 2) {
    char *part = malloc(left);
    assert_non_null(part);
    memcpy(part, bytes, left);
    assert_false(takes(&set, part, left));
    free(part);
  }
  free(longer);
  free(bytes);
}

// any byte may be wrong
static void test_bent_states(void **state) {
  (void)state;
  carom_bed_settings set = falling(300, 1);
  size_t size = 0;
  char *bytes = fallen_state(&set, &size);
  assert_true(takes(&set, bytes, size));
  int refused = 0;
  for (uint64_t k = 0; k < 400; k++) {
    size_t at = (size_t)uniform(8, k, 0, (double)size - 0.5);
    char was = bytes[at];
    bytes[at] = (char)(bytes[at] ^ (1 << (k % 8)));
    refused += !takes(&set, bytes, size);
    bytes[at] = was;
  }
  CHECK(refused > 20);
  free(bytes);
}

typedef void (*bending)(carom_bed *bed);

static carom_touch_list *list_of(carom_bed *bed, int which) {
  carom_touch_list *out = &bed->chunks[0].lists[which];
  CHECK(out->count > 2 && out->hot_count > 1);
  return out;
}
static void other_chunk(carom_bed *bed) {
  carom_touch_list *list = list_of(bed, 0);
  list->each[list->count - 1].a = CAROM_BED_CHUNK;
  list->each[list->count - 1].b = bed->n - 1;
}
static void no_rod(carom_bed *bed) { list_of(bed, 0)->each[0].b = bed->n; }
static void no_end(carom_bed *bed) { list_of(bed, 1)->each[0].b = 3; }
static void earlier_rod(carom_bed *bed) { list_of(bed, 0)->each[1].b = 0; }
static void early_leg(carom_bed *bed) { list_of(bed, 0)->each[0].b = bed->n - 1; }
static void one_asleep(carom_bed *bed) {
  carom_touch_list *list = list_of(bed, 0);
  list->each[list->hot[list->hot_count - 1].at].wake = 1.0F;
}
static void wrong_order(carom_bed *bed) {
  carom_touch_list *list = list_of(bed, 0);
  int at = list->hot[0].at;
  list->hot[0].at = list->hot[1].at, list->hot[1].at = at;
}
static void no_kind(carom_bed *bed) { bed->kind[3] = 2; }
static void same_place(carom_bed *bed) { bed->order.place[3] = bed->order.place[4]; }
static void no_number(carom_bed *bed) { bed->x[2][5] = NAN; }

// what would lead out of the bed's memory, or lose a contact
static void test_impossible_states(void **state) {
  (void)state;
  static const bending ways[] = {other_chunk, no_rod,      no_end,  earlier_rod, early_leg,
                                 one_asleep,  wrong_order, no_kind, same_place,  no_number};
  carom_bed_settings set = falling(300, 1);
  for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
    carom_arena *arena;
    carom_bed *bed = new_bed(&arena, &set);
    place(bed);
    begin(bed);
    advance(bed, 800);
    ways[k](bed);
    size_t size = 0;
    char *bytes = saved(bed, &size);
    if (takes(&set, bytes, size)) print_error("the bent state %zu is taken\n", k);
    assert_false(takes(&set, bytes, size));
    free(bytes);
    carom_arena_destroy(arena);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_memory_runs_out),   cmocka_unit_test(test_any_array_may_fail),
      cmocka_unit_test(test_cut_states),        cmocka_unit_test(test_bent_states),
      cmocka_unit_test(test_impossible_states),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
