// SPDX-License-Identifier: MIT
// Many rods: conservation in a gas, searches that change nothing, brute force, refusals, blow-ups.
#include "bed_setup.h"

#include <stdlib.h>
#include <string.h>

// rods and spheres of two sizes in a periodic box, placed one after the other where there is room
static carom_bed_settings gas_settings(double friction) {
  carom_bed_settings set = carom_bed_settings_default();
  set.species_count = 3;
  set.species[0] = carom_bed_species_uniform(40, 1, 5, 1);
  set.species[1] = carom_bed_species_uniform(30, 0.7, 2, 1);
  set.species[2] = carom_bed_species_uniform(30, 1.2, 1.2, 1);
  set.law =
      (carom_grain_law){.hertz = true, .kn = 2e4, .kt = 1e4, .stick = friction, .slip = friction};
  for (int c = 0; c < 3; c++)
    set.gravity[c] = 0, set.periodic[c] = 13;
  set.step = 2e-4;
  return set;
}

static void place_gas(carom_bed *bed, uint64_t seed) {
  uint64_t k = 0;
  for (int i = 0; i < bed->n; i++) {
    double worst = -1;
    for (int tries = 0; worst < 0 && tries < 100000; tries++) {
      double size = 0;
      for (int c = 0; c < 3; c++) {
        bed->x[c][i] = uniform(seed, k++, 0, bed->settings->periodic[c]);
        bed->u[c][i] = carom_random_normal(seed, 5, k++);
        size += bed->u[c][i] * bed->u[c][i];
        bed->v[c][i] = carom_random_normal(seed, 6, k++);
        bed->w[c][i] = carom_random_normal(seed, 7, k++);
      }
      for (int c = 0; c < 3; c++)
        bed->u[c][i] /= sqrt(size);
      worst = 1;
      for (int j = 0; j < i; j++)
        worst = fmin(worst, carom_bed_gap(bed, i, j));
    }
    assert_true(worst >= 0);
  }
}

static void momentum(const carom_bed *bed, double p[3]) {
  for (int c = 0; c < 3; c++) {
    p[c] = 0;
    for (int i = 0; i < bed->n; i++)
      p[c] += bed->v[c][i] / carom_bed_kind_of(bed, i)->im;
  }
}

static void test_elastic_gas(void **state) {
  (void)state;
  carom_bed_settings set = gas_settings(0);
  carom_arena *arena;
  carom_bed *bed = new_bed(&arena, &set);
  place_gas(bed, 3);
  begin(bed);
  double before = total_energy(bed), p[3], q[3];
  momentum(bed, p);
  long seen = 0;
  for (int k = 0; k < 100; k++) {
    advance(bed, 100);
    seen += carom_bed_count_pairs(bed);
  }
  momentum(bed, q);
  CHECK(seen > 50 && bed->counts.searches > 5);
  CHECK_RELATIVE(total_energy(bed), before, 2e-4);
  for (int c = 0; c < 3; c++)
    CHECK_NEAR(q[c], p[c], 1e-10);
  // spin about the axes is untouched without friction
  CHECK_SAME(bed->ledger.taken_tangent, 0);
  carom_arena_destroy(arena);
}

// with friction and damping the ledger closes
static void test_ledger(void **state) {
  (void)state;
  carom_bed_settings set = gas_settings(0.4);
  set.law.gn = 2, set.law.gt = 1;
  carom_arena *arena;
  carom_bed *bed = new_bed(&arena, &set);
  place_gas(bed, 4);
  begin(bed);
  carom_bed_energy e = carom_bed_energies(bed);
  double before = e.translation + e.rotation + e.normal;
  advance(bed, 20000);
  e = carom_bed_energies(bed);
  double lost = bed->ledger.lost_normal + bed->ledger.taken_tangent;
  CHECK(bed->ledger.lost_normal > 0.01 * before && bed->ledger.taken_tangent > 0.01 * before);
  CHECK_NEAR(e.translation + e.rotation + e.normal + lost, before, 2e-3 * before);
  carom_arena_destroy(arena);
}

// forces found through pieces, cells and sleep equal those of all pairs
static void test_all_pairs(void **state) {
  (void)state;
  carom_bed_settings set = gas_settings(0.3);
  carom_arena *arena;
  carom_bed *bed = new_bed(&arena, &set);
  place_gas(bed, 5);
  begin(bed);
  for (int round = 0; round < 400; round++) {
    advance(bed, 7);
    long count = 0;
    for (int i = 0; i < bed->n; i++)
      for (int j = i + 1; j < bed->n; j++)
        count += carom_bed_gap(bed, i, j) < 0;
    assert_int_equal(count, carom_bed_count_pairs(bed));
    assert_int_equal(bed->counts.contacts, count + carom_bed_count_walls(bed));
  }
  carom_arena_destroy(arena);
}

// rods anywhere and in any direction, through each other too
static void scatter(carom_bed *bed, const double box[3], uint64_t seed) {
  for (int i = 0; i < bed->n; i++) {
    double size = 0.0;
    for (int c = 0; c < 3; c++) {
      uint64_t k = (uint64_t)(3 * i + c);
      bed->x[c][i] = box[c] * (1.2 * carom_random_uniform(seed, 0, k) - 0.1);
      bed->u[c][i] = carom_random_normal(seed, 1, k);
      size += bed->u[c][i] * bed->u[c][i];
    }
    for (int c = 0; c < 3; c++)
      bed->u[c][i] /= sqrt(size);
  }
}

// Candidates are the pairs within the skin, no more and no fewer: rods of few and of many pieces in
// boxes of few and of many columns, open and as short as periods may be.
static void test_candidates(void **state) {
  (void)state;
  static const double lengths[] = {1.0, 5.4, 21.0};
  for (int round = 0; round < 48; round++) {
    carom_bed_settings set = gas_settings(0.3);
    double longest = lengths[round % 3], shortest = lengths[round / 3 % 2], box[3];
    set.species_count = 2;
    set.species[0] = carom_bed_species_uniform(90, 1.0, longest, 1.0);
    set.species[1] = carom_bed_species_uniform(60, 0.7, 0.7 * shortest, 1.0);
    set.skin = round % 4 < 2 ? 0.3 : 0.9;
    for (int c = 0; c < 3; c++) {
      box[c] = (2.0 + 2.0 * (round / 24)) * (longest + 1.0) * (c == round % 5 ? 2.0 : 1.0);
      set.periodic[c] = round / 6 >> c & 1 ? box[c] : 0.0;
    }
    carom_arena *arena;
    carom_bed *bed = new_bed(&arena, &set);
    scatter(bed, box, (uint64_t)round);
    assert_true(carom_bed_search_neighbours(bed));
    char *listed = calloc((size_t)bed->n * (size_t)bed->n, 1);
    assert_non_null(listed);
    for (int k = 0; k < bed->chunk_count; k++)
      for (int j = 0; j < bed->chunks[k].lists[0].count; j++) {
        const carom_touch *it = &bed->chunks[k].lists[0].each[j];
        listed[it->a * bed->n + it->b]++;
      }
    for (int i = 0; i < bed->n; i++)
      for (int j = i + 1; j < bed->n; j++)
        assert_int_equal(listed[i * bed->n + j], carom_bed_gap(bed, i, j) <= set.skin);
    free(listed);
    carom_arena_destroy(arena);
  }
}

// a pack in lasting contact with memory: the skin decides only how often neighbours are searched
static void settle(double skin, double x[20], long *searches) {
  carom_bed_settings set = carom_bed_settings_default();
  set.species_count = 1;
  set.species[0] = carom_bed_species_uniform(12, 1, 4, 1);
  set.law = (carom_grain_law){
      .hertz = true, .kn = 2e5, .kt = 2e5, .gn = 100, .gt = 50, .stick = 0.4, .slip = 0.4};
  set.step = 1e-4;
  set.skin = skin;
  set.wall_count = 1;
  set.walls[0] = (carom_bed_wall){.name = "floor", .normal = {0, 0, 1}, .law = set.law};
  carom_arena *arena;
  carom_bed *bed = new_bed(&arena, &set);
  for (int i = 0; i < 12; i++) {
    int c = i / 3 % 2;
    bed->x[1 - c][i] = 1.3 * (i % 3), bed->x[c][i] = 1.3 + 0.01 * i;
    bed->x[2][i] = 0.5 + 1.001 * (i / 3);
    bed->u[2][i] = 0, bed->u[c][i] = 1;
  }
  begin(bed);
  advance(bed, 3000);
  for (int i = 0; i < 12; i++)
    x[i] = bed->x[2][bed->order.place[i]];
  *searches = bed->counts.searches;
  CHECK(carom_bed_count_pairs(bed) > 5);
  carom_arena_destroy(arena);
}

static void test_memory_survives_searches(void **state) {
  (void)state;
  double wide[20], narrow[20];
  long few, many;
  settle(0.5, wide, &few);
  settle(0.002, narrow, &many);
  CHECK(many > 20 * few);
  for (int i = 0; i < 12; i++)
    CHECK_NEAR(narrow[i], wide[i], 1e-9);
}

// a ladder slides down: its ends at the floor and at the wall each keep their own spring
static void slide_down(double skin, double out[3], long *searches) {
  carom_bed_settings set = carom_bed_settings_default();
  set.species_count = 1;
  set.species[0] = carom_bed_species_uniform(1, 1, 5, 1);
  set.law = (carom_grain_law){.kn = 2e4, .kt = 500, .gn = 20, .stick = 0.2, .slip = 0.2};
  set.step = 1e-4;
  set.skin = skin;
  set.wall_count = 2;
  set.walls[0] = (carom_bed_wall){.name = "floor", .normal = {0, 0, 1}, .law = set.law};
  set.walls[1] = (carom_bed_wall){.name = "wall", .normal = {1, 0, 0}, .law = set.law};
  carom_arena *arena;
  carom_bed *bed = new_bed(&arena, &set);
  bed->u[0][0] = -0.6, bed->u[2][0] = 0.8;
  bed->x[0][0] = 0.5 + 2 * 0.6, bed->x[2][0] = 0.5 + 2 * 0.8;
  begin(bed);
  advance(bed, 3000);
  assert_int_equal(carom_bed_count_walls(bed), 2);
  for (int c = 0; c < 3; c++)
    out[c] = bed->x[c][0];
  *searches = bed->counts.searches;
  carom_arena_destroy(arena);
}

static void test_ladder(void **state) {
  (void)state;
  double wide[3], narrow[3];
  long few, many;
  slide_down(3.0, wide, &few);
  slide_down(1e-3, narrow, &many);
  CHECK(few == 1 && many > 50 && wide[2] < 2.07);
  for (int c = 0; c < 3; c++)
    CHECK_NEAR(narrow[c], wide[c], 1e-9);
}

// Two balls strike each other askew while both drift through the seam of a periodic box: sorting
// turns the pair round while its spring is bent, and nobody notices.
static void strike_askew(double drift, double v[2], double w[2], int *turns) {
  carom_bed_settings set = carom_bed_settings_default();
  set.species_count = 1;
  set.species[0] = carom_bed_species_uniform(2, 1, 1, 1);
  set.law = (carom_grain_law){.kn = 1e3, .kt = 300, .stick = 0.8, .slip = 0.8};
  set.periodic[0] = 8;
  set.gravity[2] = 0;
  set.step = 2e-5;
  set.skin = 1e-3;
  carom_arena *arena;
  carom_bed *bed = new_bed(&arena, &set);
  for (int i = 0; i < 2; i++) {
    bed->x[0][i] = 6.4 + 1.0001 * i;
    bed->v[0][i] = drift + (i == 0 ? 0.5 : -0.5);
    bed->v[1][i] = i == 0 ? 0.2 : -0.2;
  }
  begin(bed);
  long contacts = 0;
  *turns = 0;
  for (int k = 0; k < 6000; k++) {
    int first = bed->order.id[0];
    advance(bed, 1);
    long touching = carom_bed_count_pairs(bed);
    *turns += touching > 0 && bed->order.id[0] != first;
    contacts += touching;
  }
  CHECK(contacts > 500 && carom_bed_count_pairs(bed) == 0);
  for (int i = 0; i < 2; i++) {
    v[i] = bed->v[1][bed->order.place[i]];
    w[i] = bed->w[2][bed->order.place[i]];
  }
  carom_arena_destroy(arena);
}

static void test_turned_pairs(void **state) {
  (void)state;
  double v[2][2], w[2][2];
  int turns[2];
  strike_askew(0.0, v[0], w[0], &turns[0]);
  strike_askew(40.0, v[1], w[1], &turns[1]);
  assert_int_equal(turns[0], 0);
  CHECK(turns[1] > 0 && fabs(w[0][0]) > 0.1);
  for (int i = 0; i < 2; i++) {
    CHECK_NEAR(v[1][i], v[0][i], 1e-9);
    CHECK_NEAR(w[1][i], w[0][i], 1e-9);
  }
}

// Two rods meet through the seam, where the image that is nearest by its centre has been another:
// with a wide skin the period must leave room for it.
static void test_wide_skin(void **state) {
  (void)state;
  carom_bed_settings set = paper_settings(1, 2, 5, 0.3);
  carom_error error = {0};
  carom_arena *arena;
  set.gravity[2] = 0;
  set.wall_count = 0;
  set.law.kn = set.law.kt = 1e4;
  set.step = 1e-4;
  set.skin = 8;
  set.periodic[0] = 12;
  for (int round = 0; round < 2; round++) {
    carom_bed *bed = new_bed(&arena, &set);
    for (int i = 0; i < 2; i++)
      bed->u[0][i] = bed->u[1][i] = 1, bed->u[2][i] = 0;
    bed->x[0][1] = 0.01 - 0.5 * set.periodic[0], bed->x[1][1] = 3;
    bed->v[0][1] = -10;
    carom_status status = carom_bed_begin(bed, &error);
    long touching = 0;
    for (int k = 0; k < 15000 && !status && touching == 0; k++) {
      advance(bed, 1);
      long overlaps = carom_bed_gap(bed, 0, 1) < 0;
      touching += overlaps;
      assert_int_equal(overlaps, carom_bed_count_pairs(bed));
    }
    assert_int_equal(status, round == 0 ? CAROM_ERR_INPUT : CAROM_OK);
    if (round == 1) CHECK(touching > 0);
    set.periodic[0] = 26;
    carom_arena_destroy(arena);
  }
  assert_non_null(strstr(error.text, "at least 26 works"));
}

// balls at rest in one chunk must wake for one that comes from another
static void test_struck_from_another_chunk(void **state) {
  (void)state;
  enum { N = CAROM_BED_CHUNK + 20 };
  carom_bed_settings set = carom_bed_settings_default();
  set.species_count = 1;
  set.species[0] = carom_bed_species_uniform(N, 1, 1, 1);
  set.law = (carom_grain_law){.kn = 1e4, .kt = 0};
  set.gravity[2] = 0;
  set.step = 1e-4;
  set.skin = 1.5;
  carom_arena *arena;
  carom_bed *bed = new_bed(&arena, &set);
  for (int i = 0; i < N; i++)
    bed->x[0][i] = 1.6 * i;
  bed->v[0][CAROM_BED_CHUNK] = -2.0;
  begin(bed);
  int hit = CAROM_BED_CHUNK - 1;
  assert_int_equal(bed->order.place[hit], hit); // the last one of its chunk
  long touching = 0;
  for (int k = 0; k < 4000; k++) {
    advance(bed, 1);
    bool overlap = carom_bed_gap(bed, bed->order.place[hit], bed->order.place[hit + 1]) < 0;
    assert_int_equal(overlap, carom_bed_count_pairs(bed) > 0);
    touching += overlap;
  }
  CHECK(touching > 20);
  CHECK_RELATIVE(bed->v[0][bed->order.place[hit]], -2.0, 1e-3);
  CHECK_NEAR(bed->v[0][bed->order.place[hit + 1]], 0.0, 1e-3);
  carom_arena_destroy(arena);
}

// a turned and shifted system does the same
static void test_plane_stays_plane(void **state) {
  (void)state;
  carom_bed_settings set = paper_settings(1, 5, 9.5, 0.3);
  set.periodic[0] = 30;
  set.plane = true;
  carom_arena *arena;
  carom_bed *bed = new_bed(&arena, &set);
  for (int i = 0; i < 5; i++) {
    bed->x[0][i] = 6 * i + 0.1, bed->x[2][i] = 5 + 0.3 * i;
    bed->u[0][i] = 0.3 + 0.1 * i, bed->u[2][i] = 1;
  }
  begin(bed);
  advance(bed, 100000);
  CHECK(bed->ledger.lost_normal > 0);
  for (int i = 0; i < 5; i++) {
    CHECK_SAME(bed->x[1][i], 0);
    CHECK_SAME(bed->u[1][i], 0);
    CHECK_SAME(bed->w[0][i], 0);
  }
  carom_arena_destroy(arena);
}

// a rod in an annulus touches both cylinders where geometry says
static void test_cylinders(void **state) {
  (void)state;
  carom_bed_settings set = paper_settings(1, 1, 5, 0.3);
  set.wall_count = 3;
  set.walls[1] =
      (carom_bed_wall){.name = "inner", .kind = CAROM_WALL_OUTSIDE, .at = 6, .law = set.law};
  set.walls[2] =
      (carom_bed_wall){.name = "outer", .kind = CAROM_WALL_INSIDE, .at = 8, .law = set.law};
  carom_arena *arena;
  carom_bed *bed = new_bed(&arena, &set);
  bed->x[0][0] = 7, bed->x[2][0] = 3;
  bed->u[1][0] = 1, bed->u[2][0] = 0.5; // leaning along the gap
  begin(bed);
  double u1 = 1 / sqrt(1.25), end = hypot(7, 2 * u1);
  CHECK_NEAR(carom_bed_wall_gap(bed, 0, &set.walls[1], CAROM_END_NEAREST), 0.5, 1e-12);
  CHECK_NEAR(carom_bed_wall_gap(bed, 0, &set.walls[2], CAROM_END_UPPER), 8 - end - 0.5, 1e-12);
  advance(bed, 200000);
  double r = hypot(bed->x[0][0], bed->x[1][0]);
  CHECK(r > 6.49 && r < 7.51);
  carom_arena_destroy(arena);
}

// One rod lies in the groove of two parallel ones. They stay if the friction between rods is at
// least tan(15 deg) and that with the floor a third of it.
static bool stays(double between, double floor) {
  carom_bed_settings set = carom_bed_settings_default();
  set.species_count = 1;
  set.species[0] = carom_bed_species_uniform(3, 1, 5, 1);
  set.law = (carom_grain_law){.hertz = true,
                              .damping = CAROM_DAMPING_RATIO,
                              .kn = 1e6,
                              .kt = 1e6,
                              .gn = 0.5,
                              .gt = 0.25,
                              .stick = between,
                              .slip = between};
  set.gravity[2] = -1;
  set.step = 5e-4;
  set.wall_count = 1;
  set.walls[0] = (carom_bed_wall){.name = "floor", .normal = {0, 0, 1}, .law = set.law};
  set.walls[0].law.stick = set.walls[0].law.slip = floor;
  carom_arena *arena;
  carom_bed *bed = new_bed(&arena, &set);
  for (int i = 0; i < 3; i++) {
    bed->x[0][i] = 0.5 * (i % 2 ? 1 : -1), bed->x[2][i] = 0.5;
    bed->u[1][i] = 1, bed->u[2][i] = 0;
  }
  bed->x[0][2] = 0, bed->x[2][2] = 0.5 + sqrt(0.75);
  begin(bed);
  advance(bed, 40000);
  double high = bed->x[2][bed->order.place[2]];
  carom_bed_energy e = carom_bed_energies(bed);
  carom_arena_destroy(arena);
  bool up = high > 0.5 + 0.99 * sqrt(0.75);
  if (up) CHECK(e.translation + e.rotation < 1e-20); // at rest, not creeping
  return up;
}

static void test_three_rods_hold_each_other(void **state) {
  (void)state;
  const double least = tan(15 * 3.14159265358979323846 / 180);
  CHECK(stays(1.02 * least, 0.3) && !stays(0.98 * least, 0.3));
  CHECK(stays(0.6, 1.02 * least / 3) && !stays(0.6, 0.98 * least / 3));
}

// ---- refusals

static carom_status try_bed(carom_bed_settings *set, double x1, double z, carom_error *error) {
  carom_arena *arena;
  carom_bed *bed = new_bed(&arena, set);
  bed->x[2][0] = z;
  if (bed->n > 1) bed->x[0][1] = x1, bed->x[2][1] = z;
  memset(error, 0, sizeof *error);
  carom_status status = carom_bed_begin(bed, error);
  carom_arena_destroy(arena);
  return status;
}

static void test_refusals(void **state) {
  (void)state;
  carom_error error;
  carom_bed_settings good = paper_settings(1, 2, 5, 0.3), set = good;
  assert_int_equal(try_bed(&set, 3, 3, &error), CAROM_OK);
  assert_int_equal(try_bed(&set, 0.8, 3, &error), CAROM_ERR_INPUT);
  assert_non_null(strstr(error.text, "overlap by 0.2"));
  assert_int_equal(try_bed(&set, 3, 2, &error), CAROM_ERR_INPUT);
  assert_non_null(strstr(error.text, "beyond the wall 'plate'"));
  set.step = 1e-2;
  assert_int_equal(try_bed(&set, 3, 3, &error), CAROM_ERR_INPUT);
  const char *works = strstr(error.text, "; ");
  assert_non_null(works);
  set.step = atof(works + 2); // the value told does work
  assert_int_equal(try_bed(&set, 3, 3, &error), CAROM_OK);
  set = good, set.species[0].diameter = 0;
  assert_int_equal(try_bed(&set, 3, 3, &error), CAROM_ERR_INPUT);
  assert_non_null(strstr(error.text, "up to 5 for rods of this length"));
  set = good, set.species[0].length = 0.5;
  assert_int_equal(try_bed(&set, 3, 3, &error), CAROM_ERR_INPUT);
  set = good, set.periodic[0] = 6;
  assert_int_equal(try_bed(&set, 3, 3, &error), CAROM_ERR_INPUT);
  assert_non_null(strstr(error.text, "at least 12 works"));
  set.periodic[0] = 12;
  assert_int_equal(try_bed(&set, 3, 3, &error), CAROM_OK);
}

// two rods shot at each other with a speed that the stiffness cannot stop
static void test_blow_up_names_the_pair(void **state) {
  (void)state;
  carom_bed_settings set = paper_settings(1, 3, 5, 0.3);
  carom_arena *arena;
  carom_error error = {0};
  carom_bed *bed = new_bed(&arena, &set);
  for (int i = 0; i < 3; i++)
    bed->x[0][i] = 3 * i, bed->x[2][i] = 10;
  bed->v[0][1] = 2e3;
  begin(bed);
  assert_int_equal(carom_bed_advance(bed, 100000, &error), CAROM_ERR_STEP);
  assert_non_null(strstr(error.text, "rods 1 and 2 went through each other"));
  // in the first step in which they overlap by half a radius, 0.25; they come nearer by 0.04 a step
  CHECK(bed->condition.trouble.depth >= 0.25 && bed->condition.trouble.depth <= 0.25 + 0.04 + 1e-9);
  carom_arena_destroy(arena);
}

// two balls that fly at each other; false with what is told
static bool collide(double stiffness, double step, carom_error *told) {
  carom_bed_settings set = carom_bed_settings_default();
  carom_error error = {0};
  set.species_count = 1;
  set.species[0] = carom_bed_species_uniform(2, 1, 1, 1);
  set.law = (carom_grain_law){.hertz = true, .kn = stiffness, .kt = stiffness, .stick = 0.3};
  set.gravity[2] = 0;
  set.step = step > 0 ? step : 1e-9;
  if (!(step > 0)) set.step = 0.2 * carom_bed_largest_step(&set);
  carom_arena *arena;
  carom_bed *bed = new_bed(&arena, &set);
  bed->x[0][1] = 1.5;
  bed->v[0][0] = 3, bed->v[0][1] = -5;
  begin(bed);
  carom_status status = carom_bed_advance(bed, lround(0.2 / set.step), &error);
  if (!status) CHECK(bed->v[0][bed->order.place[0]] < 0); // they have turned round
  *told = error;
  carom_arena_destroy(arena);
  return !status;
}

// too soft for their speed, or too long a step for it: the value told works
static void test_blow_up_tells_what_would_do(void **state) {
  (void)state;
  carom_error told;
  assert_false(collide(10, 0, &told));
  const char *stiffness = strstr(told.text, "; a stiffness of ");
  assert_non_null(stiffness);
  assert_true(collide(atof(stiffness + strlen("; a stiffness of ")), 0, &told));
  assert_false(collide(10, 0.12, &told));
  const char *step = strstr(told.text, "; a step of ");
  assert_non_null(step);
  assert_false(collide(10, atof(step + strlen("; a step of ")), &told));
  assert_non_null(
      strstr(told.text, "; a stiffness of ")); // it is also too soft, and that is told next
}

// a rod shot so fast that it would jump over its neighbour in one step; a number that is none
static void test_leaps_are_caught(void **state) {
  (void)state;
  carom_bed_settings set = paper_settings(1, 2, 5, 0.3);
  for (int kind = 0; kind < 2; kind++) {
    carom_arena *arena;
    carom_error error = {0};
    carom_bed *bed = new_bed(&arena, &set);
    for (int i = 0; i < 2; i++)
      bed->x[0][i] = 3 * i, bed->x[2][i] = 10;
    begin(bed);
    advance(bed, 3);
    bed->v[0][1] = kind == 0 ? 1e6 : NAN;
    assert_int_equal(carom_bed_advance(bed, 10, &error), CAROM_ERR_STEP);
    assert_int_equal(bed->counts.steps, 4); // within one step
    if (!strstr(error.text, "rod 1 moves by")) print_error("%s\n", error.text);
    assert_non_null(strstr(error.text, "rod 1 moves by"));
    carom_arena_destroy(arena);
  }
}

// ---- memory

static void *count_bytes(void *ctx, void *pointer, size_t size) {
  assert_null(pointer);
  *(size_t *)ctx += size;
  return malloc(size);
}

static void forget(void *ctx, void *pointer) {
  (void)ctx;
  free(pointer);
}

// what the allocator gives for rods that touch nobody is what the bed says and less than 400 bytes;
// the rest of the last block, at most two megabytes, counts little
static void test_bytes_of_a_rod(void **state) {
  (void)state;
  enum { N = 100000, SIDE = 400 };
  for (int strikes = 0; strikes < 2; strikes++) {
    size_t taken = 0;
    carom_allocator counting = {count_bytes, forget, &taken};
    carom_bed_settings set = paper_settings(1, N, 9.5, 0.3);
    set.walls[0].strikes = strikes > 0;
    carom_arena *arena = carom_arena_create(&counting);
    carom_bed *bed = carom_bed_create(arena, &set);
    assert_non_null(bed);
    for (int i = 0; i < N; i++)
      bed->x[0][i] = 12.0 * (i % SIDE), bed->x[1][i] = 12.0 * (double)(i / SIDE), bed->x[2][i] = 9;
    begin(bed);
    double told = (double)carom_bed_rod_bytes(bed), given = (double)taken / N;
    if (given >= 400 || fabs(given - told) > 10) print_error("told %g, given %g\n", told, given);
    assert_true(given < 400);
    CHECK_NEAR(given, told, 10);
    carom_arena_destroy(arena);
  }
}

static void bad_drive(void *ctx, double t, double *z, double *rate) {
  (void)ctx;
  *z = *rate = t > 1e-4 ? NAN : 0.0;
}

static void test_drive_must_be_finite(void **state) {
  (void)state;
  carom_bed_settings set = paper_settings(1, 1, 5, 0.3);
  set.drive = bad_drive;
  set.walls[0].driven = true;
  carom_arena *arena;
  carom_error error = {0};
  carom_bed *bed = new_bed(&arena, &set);
  bed->x[2][0] = 10;
  begin(bed);
  assert_int_equal(carom_bed_advance(bed, 100, &error), CAROM_ERR_NONFINITE);
  assert_non_null(strstr(error.text, "drive is not finite"));
  carom_arena_destroy(arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_elastic_gas),
      cmocka_unit_test(test_ledger),
      cmocka_unit_test(test_candidates),
      cmocka_unit_test(test_all_pairs),
      cmocka_unit_test(test_memory_survives_searches),
      cmocka_unit_test(test_plane_stays_plane),
      cmocka_unit_test(test_cylinders),
      cmocka_unit_test(test_three_rods_hold_each_other),
      cmocka_unit_test(test_refusals),
      cmocka_unit_test(test_blow_up_names_the_pair),
      cmocka_unit_test(test_blow_up_tells_what_would_do),
      cmocka_unit_test(test_leaps_are_caught),
      cmocka_unit_test(test_drive_must_be_finite),
      cmocka_unit_test(test_bytes_of_a_rod),
      cmocka_unit_test(test_turned_pairs),
      cmocka_unit_test(test_ladder),
      cmocka_unit_test(test_struck_from_another_chunk),
      cmocka_unit_test(test_wide_skin),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
