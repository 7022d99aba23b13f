// SPDX-License-Identifier: MIT
// Lists of candidates against the simplest thing that could do their work: look at everybody in
// every step. Ways are whole multiples of a small unit, so that both count exactly and must wake
// the same candidates in the same steps.
#include "base/wide.h"
#include "bed_setup.h"
#include "grains/bed_kernels.h"

#include <stdlib.h>
#include <string.h>

enum { BODIES = 40, MOST = 400, ROUNDS = 12, STEPS = 90, REACH = 3000 };
static const double UNIT = 0x1p-20;

/// What the list must know of each candidate.
typedef struct naive {
  int count, a[MOST], b[MOST];
  double gap[MOST];   // m
  double share[MOST]; // of the ways by which bodies come nearer
  float wake[MOST];
  bool hot[MOST];
  double stamp[MOST]; // a hot one bears it in its past
  double last_stamp;
} naive;

typedef struct trial {
  carom_bed *bed;
  carom_touch_list list;
  carom_bed_ways ways;
  naive model;
  bool pairs;
  uint64_t drawn;
  double wall_way[3];
  long woken, cooled;
} trial;

static int draw(trial *it, int most) {
  return (int)uniform(5, it->drawn++, 0.0, most * (1.0 - 1e-9));
}

static double gone(const trial *it, int k) {
  return it->ways.a[it->model.a[k]] + it->ways.b[it->model.b[k]];
}

// as a search does it: everybody anew, some with a past
static void search(trial *it) {
  naive *m = &it->model;
  m->count = draw(it, 4) == 0 ? draw(it, 5) : draw(it, MOST);
  memset(it->bed->reach.way, 0, BODIES * sizeof *it->bed->reach.way);
  memset(it->wall_way, 0, sizeof it->wall_way);
  carom_touch_list_clear(&it->list);
  for (int k = 0; k < m->count; k++) {
    m->a[k] = draw(it, BODIES);
    m->b[k] = it->pairs ? draw(it, BODIES) : draw(it, 3);
    m->gap[k] = UNIT * (draw(it, REACH) - REACH / 20);
    m->share[k] = 1.0;
    const bool old = draw(it, 8) == 0;
    m->stamp[k] = old ? ++m->last_stamp : 0.0;
    const double past[4] = {m->stamp[k], 0, 0, 1}, wake = fmax(m->gap[k], 0.0);
    m->wake[k] = old ? 0.0F : carom_touch_wake(wake);
    m->hot[k] = !(m->wake[k] > 0.0F);
    assert_true(carom_touch_list_reserve(it->bed, &it->list, k + 1));
    assert_true(carom_touch_list_reserve_hot(it->bed, &it->list, it->list.hot_count + 1));
    carom_touch_list_append(&it->list, m->a[k], m->b[k], wake, old ? past : NULL);
  }
}

// bodies go on, now in leaps and now not at all
static void move(trial *it) {
  static const int leaps[] = {0, 1, 16, 64};
  double grown[BODIES], most = 0.0;
  naive *m = &it->model;
  for (int i = 0; i < BODIES; i++) {
    grown[i] = UNIT * draw(it, 1 + leaps[draw(it, 4)]);
    most = fmax(most, grown[i]);
    it->bed->reach.way[i] += grown[i];
  }
  double wall = UNIT * draw(it, 20);
  for (int end = 0; end < 3; end++)
    it->wall_way[end] += wall;
  it->ways.step = it->pairs ? 2.0 * most : most + wall;
  for (int k = 0; k < m->count; k++) {
    if (draw(it, 10) == 0) m->share[k] = draw(it, 3) > 0 ? 1.0 : 0.25 * (draw(it, 8) - 4);
    m->gap[k] -= m->share[k] * (grown[m->a[k]] + (it->pairs ? grown[m->b[k]] : wall));
  }
}

static void measure(trial *it, int k) {
  naive *m = &it->model;
  m->wake[k] = m->gap[k] > 0.0 ? carom_touch_wake(gone(it, k) + m->gap[k]) : 0.0F;
  m->hot[k] = !(m->wake[k] > 0.0F);
  it->list.each[k].wake = m->wake[k];
}

// who sleeps no longer is found, and nobody else; who touches is not missed
static void wake(trial *it) {
  naive *m = &it->model;
  int found[MOST + 1];
  bool awake[MOST] = {false};
  int count = carom_touch_list_rouse(it->bed, &it->list, &it->ways, found);
  for (int j = 0; j < count; j++) {
    assert_in_range(found[j], 0, m->count - 1);
    assert_false(awake[found[j]]);
    awake[found[j]] = true;
  }
  for (int k = 0; k < m->count; k++) {
    bool due = !m->hot[k] && (double)m->wake[k] <= gone(it, k);
    assert_int_equal(awake[k], due);
    if (m->gap[k] <= 0.0) assert_true(m->hot[k] || awake[k]);
  }
  assert_true(carom_touch_list_reserve_hot(it->bed, &it->list, it->list.hot_count + count));
  for (int j = 0; j < count; j++) {
    int k = found[j];
    measure(it, k);
    carom_touch_list_settle(&it->list, &it->ways, k);
    if (!m->hot[k]) continue;
    m->stamp[k] = ++m->last_stamp;
    it->list.hot[carom_touch_list_rank(&it->list, k)].past[0] = m->stamp[k];
    it->woken++;
  }
}

static void check_hot(const trial *it) {
  const naive *m = &it->model;
  int hot = 0;
  for (int k = 0; k < m->count; k++) {
    assert_int_equal(carom_touch_list_rank(&it->list, k), hot);
    if (!m->hot[k]) continue;
    assert_true(hot < it->list.hot_count);
    const carom_touch_hot *at = &it->list.hot[hot++];
    assert_int_equal(at->at, k);
    assert_int_equal(at->a, m->a[k]);
    assert_int_equal(at->b, m->b[k]);
    CHECK_SAME(at->past[0], m->stamp[k]);
  }
  assert_int_equal(hot, it->list.hot_count);
}

static void cool(trial *it) {
  naive *m = &it->model;
  for (int k = 0; k < m->count; k++) {
    if (!m->hot[k] || m->gap[k] <= 0.0) continue;
    measure(it, k);
    carom_touch_list_cool(&it->list, &it->ways, k);
    it->cooled++;
  }
}

static void try_list(const carom_bed_kernels *kernels, bool pairs) {
  carom_bed_settings set = paper_settings(1, BODIES, 5, 0.3);
  carom_arena *arena;
  trial *it = calloc(1, sizeof *it);
  assert_non_null(it);
  it->bed = new_bed(&arena, &set);
  it->bed->kernels = kernels;
  it->pairs = pairs;
  const double *way = it->bed->reach.way;
  it->ways = (carom_bed_ways){way, pairs ? way : it->wall_way, 0.0, 500 * UNIT};
  for (int round = 0; round < ROUNDS; round++) {
    search(it);
    check_hot(it);
    for (int step = 0; step < STEPS; step++) {
      move(it);
      wake(it);
      check_hot(it);
      cool(it);
      check_hot(it);
      // a list that grows loses nobody
      if (draw(it, 30) == 0)
        assert_true(carom_touch_list_reserve(it->bed, &it->list, it->list.capacity + 1));
    }
  }
  CHECK(it->woken > 100 && it->cooled > 100);
  carom_arena_destroy(arena);
  free(it);
}

static void test_against_naive(void **state) {
  (void)state;
  try_list(&carom_bed_plain, true);
  try_list(&carom_bed_plain, false);
#if defined(__x86_64__)
  if (carom_machine_has_avx2()) try_list(&carom_bed_avx2, true);
  if (carom_machine_has_avx512()) try_list(&carom_bed_avx512, true);
#endif
}

// single precision never puts a wake off, and brings it forward by little
static void test_wakes_are_not_late(void **state) {
  (void)state;
  for (uint64_t k = 0; k < 20000; k++) {
    double wake = pow(10.0, uniform(6, k, -37.0, 37.0));
    float kept = carom_touch_wake(wake);
    if ((double)kept > wake || (double)kept < wake * (1.0 - 3e-7))
      print_error("a wake of %.17g is kept as %.17g\n", wake, (double)kept);
    assert_true((double)kept <= wake && (double)kept >= wake * (1.0 - 3e-7));
  }
  assert_true(carom_touch_wake(0.0) == 0.0F);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_against_naive),
      cmocka_unit_test(test_wakes_are_not_late),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
