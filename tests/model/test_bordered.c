// SPDX-License-Identifier: MIT
// Accelerations and forces without the inverse of the mass matrix, against dense elimination with
// full pivoting: random masses, rows and friction of 1 to 20 coordinates.
#include "check.h"

#include "base/random.h"
#include "model/bordered.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 20, ROWS = 4, SIZE = MOST + ROWS };

/// Numbers and the same as constants of a graph. Row 2 k is a normal, row 2 k + 1 its tangent.
typedef struct contact_system {
  int n, held, sliding;
  double mass[MOST * MOST], bias[MOST], W[2 * ROWS][MOST], drift[2 * ROWS], mu[ROWS];
  carom_arena *arena;
  carom_graph *graph;
  carom_node nodes[MOST * MOST + MOST + 2 * ROWS * (MOST + 1)];
  carom_row rows[2 * ROWS];
  carom_mechanics mechanics;
} contact_system;

static double draw(int stream, int k) {
  return 2.0 * carom_random_uniform(4711, (uint64_t)stream, (uint64_t)k) - 1.0;
}

// M = L L^T + least; rows that a coordinate of their own enters with the factor 1 or -1, which the
// tangents leave alone
static contact_system *make(int stream, int n, int held, int sliding, double least) {
  contact_system *it = calloc(1, sizeof *it);
  it->n = n;
  it->held = held;
  it->sliding = sliding;
  for (int i = 0; i < n; i++) {
    it->bias[i] = draw(stream, 5000 + i);
    for (int j = 0; j < n; j++) {
      it->mass[i * n + j] = i == j ? least : 0.0;
      for (int k = 0; k <= (i < j ? i : j); k++)
        it->mass[i * n + j] += draw(stream, i * n + k) * draw(stream, j * n + k);
    }
  }
  for (int r = 0; r < 2 * held; r++) {
    it->drift[r] = draw(stream, 6000 + r);
    for (int i = 0; i < n; i++)
      it->W[r][i] = draw(stream, 7000 + r * n + i);
    for (int k = 0; k < held && r % 2 == 1; k++)
      it->W[r][k] = 0.0;
    if (r % 2 == 0) it->W[r][r / 2] = r % 4 ? -1.0 : 1.0;
    it->mu[r / 2] = 0.2 * draw(stream, 8000 + r / 2);
  }
  return it;
}

static void write_down(contact_system *it) {
  carom_node *next = it->nodes;
  it->arena = carom_arena_create(NULL);
  it->graph = carom_graph_create(it->arena);
  it->mechanics = (carom_mechanics){.n = it->n, .row_count = 2 * it->held, .rows = it->rows};
  it->mechanics.mass = next;
  for (int k = 0; k < it->n * it->n; k++)
    *next++ = carom_node_constant(it->graph, it->mass[k]);
  it->mechanics.bias = next;
  for (int k = 0; k < it->n; k++)
    *next++ = carom_node_constant(it->graph, it->bias[k]);
  for (int r = 0; r < 2 * it->held; r++) {
    it->rows[r].drift = carom_node_constant(it->graph, it->drift[r]);
    it->rows[r].jacobian = next;
    for (int k = 0; k < it->n; k++)
      *next++ = carom_node_constant(it->graph, it->W[r][k]);
  }
}

// the numbers, with full pivoting; false: singular
static bool solve_dense(int m, double *A, double *b) {
  int order[SIZE];
  for (int k = 0; k < m; k++)
    order[k] = k;
  for (int k = 0; k < m; k++) {
    int row = k, column = k;
    for (int i = k; i < m; i++)
      for (int j = k; j < m; j++)
        if (fabs(A[i * m + j]) > fabs(A[row * m + column])) row = i, column = j;
    if (fabs(A[row * m + column]) < 1e-13) return false;
    for (int j = 0; j < m; j++) {
      double kept = A[k * m + j];
      A[k * m + j] = A[row * m + j], A[row * m + j] = kept;
    }
    for (int i = 0; i < m; i++) {
      double kept = A[i * m + k];
      A[i * m + k] = A[i * m + column], A[i * m + column] = kept;
    }
    double kept = b[k];
    int place = order[k];
    b[k] = b[row], b[row] = kept;
    order[k] = order[column], order[column] = place;
    for (int i = 0; i < m; i++) {
      double factor = i == k ? 0.0 : A[i * m + k] / A[k * m + k];
      for (int j = k; j < m && factor != 0.0; j++)
        A[i * m + j] -= factor * A[k * m + j];
      b[i] -= factor * b[k];
    }
  }
  double x[SIZE];
  for (int k = 0; k < m; k++)
    x[order[k]] = b[k] / A[k * m + k];
  memcpy(b, x, (size_t)m * sizeof *b);
  return true;
}

// [M -(W E)^T; W 0] and its right-hand side
static bool expect(const contact_system *it, double *x) {
  int n = it->n, m = n + it->held;
  double A[SIZE * SIZE] = {0};
  for (int i = 0; i < n; i++) {
    x[i] = it->bias[i];
    memcpy(A + i * m, it->mass + i * n, (size_t)n * sizeof *A);
  }
  for (int r = 0; r < it->held; r++) {
    x[n + r] = -it->drift[2 * r];
    for (int i = 0; i < n; i++) {
      double friction = r < it->sliding ? it->mu[r] * it->W[2 * r + 1][i] : 0.0;
      A[(n + r) * m + i] = it->W[2 * r][i];
      A[i * m + n + r] = -(it->W[2 * r][i] + friction);
    }
  }
  return solve_dense(m, A, x);
}

// false: the task was left to others
static bool compare(contact_system *it, double tolerance) {
  int held[ROWS];
  carom_sliding sliding[ROWS];
  carom_node found[SIZE];
  double x[SIZE], size = 0.0, value = NAN;
  bool done = false;
  write_down(it);
  for (int r = 0; r < it->held; r++) {
    held[r] = 2 * r;
    sliding[r] = (carom_sliding){2 * r, 2 * r + 1, carom_node_constant(it->graph, it->mu[r])};
  }
  assert_int_equal(carom_bordered_solve(it->arena, it->graph, &it->mechanics, it->held, held,
                                        it->sliding, sliding, found, found + it->n, &done, NULL),
                   CAROM_OK);
  assert_true(expect(it, x));
  for (int k = 0; k < it->n + it->held; k++)
    size = fmax(size, fabs(x[k]));
  for (int k = 0; k < it->n + it->held && done; k++) {
    assert_true(carom_node_is_constant(it->graph, found[k], &value));
    CHECK_NEAR(value, x[k], tolerance * size);
  }
  carom_arena_destroy(it->arena);
  free(it);
  return done;
}

// every such row gives its coordinate, whatever the masses
static void test_rows(void **unused) {
  (void)unused;
  for (int n = 1; n <= MOST; n++)
    for (int held = 1; held <= ROWS && held <= n; held++)
      assert_true(compare(make(100 * n + held, n, held, 0, 0.1), 1e-9));
}

// masses so small along some direction that M^-1 would have five digits left: what is left of them
// when rows are held is no worse than the dense solution
static void test_light(void **unused) {
  (void)unused;
  for (int n = 1; n <= MOST; n++)
    assert_true(compare(make(n, n, 1, 0, 1e-9), 1e-5));
}

// the coordinate that enters one normal row with the factor 1 enters no other
static contact_system *part_rows(contact_system *it) {
  for (int r = 0; r < it->held; r++)
    for (int k = 0; k < it->held; k++)
      if (k != r) it->W[2 * r][k] = 0.0;
  return it;
}

// With friction one pivot may depend on it: so it is where all rows have their coordinates and one
// more is left; with three left it is not. In between it may be.
static void test_friction(void **unused) {
  (void)unused;
  for (int held = 1; held <= ROWS; held++)
    for (int n = held; n <= held + 3; n++)
      for (int stream = 3000 + 100 * n; stream < 3020 + 100 * n; stream++) {
        (void)compare(make(stream, n, held, held, 1.0), 1e-8);
        bool done = compare(part_rows(make(stream, n, held, held, 1.0)), 1e-8);
        if (n <= held + 1) assert_true(done);
        if (n == held + 3) assert_false(done);
      }
}

// rows of which none has such a coordinate are left to others
static void test_none(void **unused) {
  (void)unused;
  contact_system *it = make(9, 3, 1, 0, 0.1);
  it->W[0][0] = 0.5;
  assert_false(compare(it, 1e-9));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows), cmocka_unit_test(test_light),
                                     cmocka_unit_test(test_friction), cmocka_unit_test(test_none)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
