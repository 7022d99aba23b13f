// SPDX-License-Identifier: MIT
// The two small optimisation problems against what must hold at their answers: for the point of
// least norm all choices of active conditions are tried, for the largest minimum the weights prove
// that there is no larger one.
#include "check.h"

#include "base/linear.h"
#include "base/random.h"
#include "contact/small_program.h"

#include <math.h>
#include <string.h>

enum { MOST = 7, UNKNOWNS = 3 };

static double value(const small_program *g, int i, const double *z) {
  double sum = g->r[i];
  for (int j = 0; j < g->k; j++)
    sum += g->C[i * g->k + j] * z[j];
  return sum;
}

// between -1 and 1
static double number(uint64_t *drawn) { return 2.0 * carom_random_uniform(5, 0, ++*drawn) - 1.0; }

static void fill(small_program *g, uint64_t *drawn, int m, int k) {
  g->m = m;
  g->k = k;
  for (int i = 0; i < m * k; i++)
    g->C[i] = number(drawn);
  for (int i = 0; i < m; i++)
    g->r[i] = number(drawn);
}

// The shortest z with f_i(z) = 0 for the conditions in `set`: z = C^T y with C C^T y = -r. True
// where no y pulls the wrong way and no other condition is broken: then it is the answer.
static bool is_shortest(const small_program *g, unsigned set, double *z) {
  double A[UNKNOWNS * UNKNOWNS], y[UNKNOWNS];
  int members[UNKNOWNS], order[UNKNOWNS], count = 0, k = g->k;
  for (int i = 0; i < g->m; i++)
    if (set >> i & 1U) {
      if (count == k) return false;
      members[count++] = i;
    }
  for (int a = 0; a < count; a++) {
    y[a] = -g->r[members[a]];
    for (int b = 0; b < count; b++) {
      A[a * count + b] = 0.0;
      for (int j = 0; j < k; j++)
        A[a * count + b] += g->C[members[a] * k + j] * g->C[members[b] * k + j];
    }
  }
  if (count > 0 && !carom_solve_general(count, A, y, order)) return false;
  memset(z, 0, (size_t)k * sizeof *z);
  for (int a = 0; a < count; a++) {
    if (y[a] < 0.0) return false;
    for (int j = 0; j < k; j++)
      z[j] += y[a] * g->C[members[a] * k + j];
  }
  for (int i = 0; i < g->m; i++)
    if (value(g, i, z) < -1e-12 * (1.0 + carom_dot(k, z, z))) return false;
  return true;
}

static void least_norm(void **state) {
  (void)state;
  carom_arena *arena = carom_arena_create(NULL);
  small_program g;
  small_program_init(&g, arena, MOST, UNKNOWNS);
  uint64_t drawn = 0;
  int solved = 0, none = 0, active[UNKNOWNS + 1] = {0};
  for (int trial = 0; trial < 4000; trial++) {
    fill(&g, &drawn, 1 + trial % MOST, 1 + trial % UNKNOWNS);
    double z[UNKNOWNS] = {0.0};
    unsigned set = 0;
    while (set < 1U << g.m && !is_shortest(&g, set, z))
      set++;
    bool there_is_one = set < 1U << g.m;
    assert_int_equal(small_program_least(&g), there_is_one);
    solved += there_is_one;
    none += !there_is_one;
    for (int j = 0; j < g.k && there_is_one; j++)
      CHECK_NEAR(g.z[j], z[j], 1e-8 * (1.0 + fabs(z[j])));
    if (there_is_one) active[__builtin_popcount(set)]++;
  }
  CHECK(solved > 1000 && none > 500);
  for (int count = 0; count <= UNKNOWNS; count++)
    CHECK(active[count] > 50);
  carom_arena_destroy(arena);
}

// With weights w >= 0 of sum 1 and sum w_i C_i = 0 the minimum is nowhere above sum w_i r_i. Where
// the cap holds the answer down no weight is left for the functions.
static void largest_minimum(void **state) {
  (void)state;
  carom_arena *arena = carom_arena_create(NULL);
  small_program g;
  small_program_init(&g, arena, MOST, UNKNOWNS);
  uint64_t drawn = 0;
  int capped = 0, held = 0;
  for (int trial = 0; trial < 4000; trial++) {
    fill(&g, &drawn, 1 + trial % MOST, 1 + trial % UNKNOWNS);
    double cap = 1.5, most = small_program_max_min(&g, cap, INFINITY), least = cap, sum = 0.0;
    double bound = 0.0, pull[UNKNOWNS] = {0.0};
    for (int i = 0; i < g.m; i++) {
      least = fmin(least, value(&g, i, g.z));
      CHECK(g.weight[i] >= -1e-12);
      sum += g.weight[i];
      bound += g.weight[i] * g.r[i];
      for (int j = 0; j < g.k; j++)
        pull[j] += g.weight[i] * g.C[i * g.k + j];
    }
    CHECK_NEAR(most, least, 1e-9);
    for (int j = 0; j < g.k; j++)
      CHECK_NEAR(pull[j], 0.0, 1e-9);
    CHECK_NEAR(most, bound + (1.0 - sum) * cap, 1e-9);
    CHECK(sum <= 1.0 + 1e-12);
    capped += sum < 0.5;
    held += sum >= 0.5;
    double enough = most - 0.3;
    double early = small_program_max_min(&g, cap, enough);
    CHECK(early >= enough - 1e-12 && early <= most + 1e-9);
  }
  CHECK(capped > 500 && held > 500);
  carom_arena_destroy(arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(least_norm),
                                     cmocka_unit_test(largest_minimum)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
