// SPDX-License-Identifier: MIT
// The equations of multiple shooting, condensed, against the same equations written out in full.
#include "check.h"

#include "analysis/branch.h"
#include "base/random.h"

#include <string.h>

enum { MOST = 66, SQUARE = (MOST + 1) * (MOST + 1) };

/// A ring of random blocks, with the sizes of unknowns and the weights of equations.
typedef struct setup {
  carom_ring ring;
  int count;
  double matrix[SQUARE], by_parameter[MOST], scale[MOST], weight[MOST];
  double direction[MOST + 1], right[MOST + 1];
} setup;

static void fill(uint64_t seed, uint64_t stream, int count, double *out) {
  for (int k = 0; k < count; k++)
    out[k] = 2.0 * carom_random_uniform(seed, stream, (uint64_t)k) - 1.0;
}

static carom_ring_system make(setup *s, carom_ring ring, uint64_t seed) {
  s->ring = ring;
  s->count = carom_ring_count(&ring);
  assert_true(s->count <= MOST && carom_ring_numbers(&ring) <= SQUARE);
  fill(seed, 0, (int)carom_ring_numbers(&ring), s->matrix);
  fill(seed, 1, s->count, s->by_parameter);
  fill(seed, 2, s->count + 1, s->direction);
  fill(seed, 3, s->count + 1, s->right);
  for (int k = 0; k < s->count; k++) {
    s->scale[k] = 0.5 + carom_random_uniform(seed, 4, (uint64_t)k);
    s->weight[k] = 0.5 + carom_random_uniform(seed, 5, (uint64_t)k);
  }
  return (carom_ring_system){.ring = ring,
                             .matrix = s->matrix,
                             .by_parameter = s->by_parameter,
                             .scale = s->scale,
                             .weight = s->weight,
                             .scale_parameter = 0.7};
}

// the equations as their definition has them: row-major, count x count, not scaled
static void write_out(setup *s, double *A) {
  const carom_ring *ring = &s->ring;
  int n = s->count, m = ring->states, columns = carom_ring_columns(ring);
  memset(A, 0, (size_t)(n * n) * sizeof *A);
  for (int leg = 0; leg <= ring->events; leg++) {
    bool last = leg == ring->events;
    const double *block = carom_ring_leg(ring, s->matrix, leg);
    int from = carom_ring_state(ring, leg - 1), to = last ? 0 : carom_ring_state(ring, leg);
    for (int i = last ? 1 : 0; i <= m; i++) {
      double *row = A + (to - 1 + i) * n;
      if (leg > 0) row[from - 1] += block[i * columns];
      for (int j = 0; j < m; j++)
        row[from + j] += block[i * columns + 1 + j];
      if (!last) row[to - 1] += block[i * columns + m + 1];
      if (last && ring->period) row[m] += block[i * columns + m + 1];
      if (i > 0) row[to - 1 + i] -= 1.0;
    }
  }
  for (int j = 0; j < m && ring->period; j++)
    A[m * n + j] = carom_ring_phase(ring, s->matrix)[j];
}

static void solve_in_full(setup *s, double *x) {
  static double plain[SQUARE], A[SQUARE];
  int n = s->count, m = n + 1;
  write_out(s, plain);
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++)
      A[i * m + j] = s->weight[i] * plain[i * n + j] * s->scale[j];
    A[i * m + n] = s->weight[i] * s->by_parameter[i] * 0.7;
  }
  memcpy(A + n * m, s->direction, (size_t)m * sizeof *A);
  memcpy(x, s->right, (size_t)m * sizeof *x);
  assert_int_equal(carom_branch_solve(m, A, x, 1e-14, NULL), m);
}

static const carom_ring SHAPES[] = {{0, 3, false}, {0, 2, true},  {1, 2, false}, {1, 4, true},
                                    {2, 3, true},  {7, 4, false}, {9, 5, true},  {20, 2, true}};
enum { SHAPE_COUNT = sizeof SHAPES / sizeof *SHAPES };

static void test_solution(void **unused) {
  (void)unused;
  static setup s;
  for (int k = 0; k < SHAPE_COUNT; k++) {
    carom_ring_system system = make(&s, SHAPES[k], (uint64_t)k + 1);
    double expected[MOST + 1];
    solve_in_full(&s, expected);
    assert_true(carom_ring_solve(&system, s.direction, 1e-14, s.right, NULL));
    for (int i = 0; i <= s.count; i++)
      CHECK_NEAR(s.right[i], expected[i], 1e-10 * (1.0 + fabs(expected[i])));
  }
}

// how the end of the turn moves with its start: all other equations hold, that it closes left out
static void test_turn(void **unused) {
  (void)unused;
  static setup s;
  static double plain[SQUARE], A[SQUARE];
  for (int k = 0; k < SHAPE_COUNT; k++) {
    (void)make(&s, SHAPES[k], 100 + (uint64_t)k);
    int n = s.count, m = s.ring.states, base = m + s.ring.period, inner = n - base;
    double derivative[MOST * MOST], b[MOST];
    write_out(&s, plain);
    assert_true(carom_ring_turn(&s.ring, s.matrix, derivative));
    for (int j = 0; j < m; j++) {
      for (int i = 0; i < inner; i++) {
        memcpy(A + i * inner, plain + (base + i) * n + base, (size_t)inner * sizeof *A);
        b[i] = -plain[(base + i) * n + j];
      }
      assert_int_equal(carom_branch_solve(inner, A, b, 1e-14, NULL), inner);
      for (int i = 0; i < m; i++) {
        double sum = plain[i * n + j] + (i == j ? 1.0 : 0.0);
        for (int l = 0; l < inner; l++)
          sum += plain[i * n + base + l] * b[l];
        CHECK_NEAR(derivative[i * m + j], sum, 1e-9 * (1.0 + fabs(sum)));
      }
    }
  }
}

// an event that its function only touches comes at no time of its own
static void test_no_turn(void **unused) {
  (void)unused;
  static setup s;
  double derivative[MOST];
  (void)make(&s, (carom_ring){2, 2, false}, 7);
  carom_ring_leg(&s.ring, s.matrix, 1)[carom_ring_columns(&s.ring) - 1] = 0.0;
  assert_false(carom_ring_turn(&s.ring, s.matrix, derivative));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_solution), cmocka_unit_test(test_turn),
                                     cmocka_unit_test(test_no_turn)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
