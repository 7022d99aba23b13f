// SPDX-License-Identifier: MIT
#include "model/kinematics.h"

#include "base/linear.h"
#include "model/eliminate.h"
#include "symbolic/expand.h"

#include <assert.h>
#include <math.h>

enum { ROUNDS = 4 };                              // points at which commutators are looked at
static const double CLOSES = 1e-9, ALIKE = 1e-11; // relative: in the span; a number as it is
static const double PARTS = 8.0;                  // numbers are looked for among eighths

typedef struct commuting {
  carom_arena *arena;
  carom_graph *graph;
  const carom_mechanics *m;
  carom_node zero;
  int speeds;          // without a coordinate: candidates for r
  carom_node *G;       // [turned][n]
  carom_node *bracket; // [turned] of the two columns at hand
  // the part of the columns that a commutator is made of
  bool *row, *column, *left_out; // [turned], [speeds], [turned]
  int *rows, *columns, row_count, column_count;
  double *A, *b, *normal, *values; // numbers at a point
  double *found;                   // [ROUNDS][speeds]
  int *order;
  carom_node *square, *pivot, *lower, *right, *c; // the same as expressions
} commuting;

static bool take_room(commuting *it) {
  size_t n = (size_t)it->m->n, turned = (size_t)it->m->turned, speeds = (size_t)it->speeds;
  size_t node = sizeof(carom_node), number = sizeof(double);
  long failures = carom_arena_failures(it->arena);
  it->G = carom_arena_array(it->arena, turned * n, node);
  it->bracket = carom_arena_array(it->arena, turned, node);
  it->row = carom_arena_array(it->arena, turned, sizeof *it->row);
  it->column = carom_arena_array(it->arena, speeds, sizeof *it->column);
  it->left_out = carom_arena_array(it->arena, turned, sizeof *it->left_out);
  it->rows = carom_arena_array(it->arena, turned, sizeof *it->rows);
  it->columns = carom_arena_array(it->arena, speeds, sizeof *it->columns);
  it->A = carom_arena_array(it->arena, turned * speeds, number);
  it->b = carom_arena_array(it->arena, turned + speeds, number);
  it->normal = carom_arena_array(it->arena, speeds * speeds, number);
  it->values = carom_arena_array(it->arena, (size_t)carom_graph_symbol_count(it->graph), number);
  it->found = carom_arena_array(it->arena, ROUNDS * speeds, number);
  it->order = carom_arena_array(it->arena, speeds, sizeof *it->order);
  it->square = carom_arena_array(it->arena, speeds * speeds, node);
  it->pivot = carom_arena_array(it->arena, speeds, node);
  it->lower = carom_arena_array(it->arena, speeds * speeds, node);
  it->right = carom_arena_array(it->arena, speeds, node);
  it->c = carom_arena_array(it->arena, speeds, node);
  return carom_arena_failures(it->arena) == failures;
}

// the derivative of an entry of column `of` along column `along`
static carom_node derivative_along(commuting *it, int i, int of, int along) {
  const carom_mechanics *m = it->m;
  carom_node entry = it->G[i * m->n + of], sum = it->zero;
  if (entry == it->zero) return sum;
  if (along < m->nq) sum = carom_node_derivative(it->graph, entry, m->q[along]);
  for (int j = 0; j < m->turned; j++) {
    carom_node step = it->G[j * m->n + along];
    if (step == it->zero || !carom_node_depends(it->graph, entry, m->z[j])) continue;
    carom_node slope = carom_node_derivative(it->graph, entry, m->z[j]);
    sum = carom_add(it->graph, sum, carom_mul(it->graph, slope, step));
  }
  return sum;
}

// [G_s, G_k]; false where it is zero
static bool find_bracket(commuting *it, int s, int k) {
  bool any = false;
  for (int i = 0; i < it->m->turned; i++) {
    carom_node value =
        carom_sub(it->graph, derivative_along(it, i, k, s), derivative_along(it, i, s, k));
    it->bracket[i] = carom_node_expand(it->graph, it->arena, value);
    any = any || it->bracket[i] != it->zero;
  }
  return any;
}

static carom_node entry_of(const commuting *it, int i, int r) {
  assert(i >= 0 && i < it->m->turned && r >= 0 && r < it->speeds);
  return it->G[i * it->m->n + it->m->nq + r];
}

// does no rate depend on coordinate i?
static bool is_driven(const commuting *it, int i) {
  for (int k = 0; k < it->m->turned * it->m->n; k++)
    if (carom_node_depends(it->graph, it->G[k], it->m->z[i])) return false;
  return true;
}

// the rows and columns that are coupled with what the bracket has
static void find_part(commuting *it, bool with_driven) {
  for (int i = 0; i < it->m->turned; i++) {
    it->row[i] = it->bracket[i] != it->zero;
    it->left_out[i] = !with_driven && is_driven(it, i);
  }
  for (int r = 0; r < it->speeds; r++)
    it->column[r] = false;
  for (bool grown = true; grown;) {
    grown = false;
    for (int i = 0; i < it->m->turned; i++)
      for (int r = 0; r < it->speeds; r++) {
        if (it->row[i] == it->column[r] || entry_of(it, i, r) == it->zero) continue;
        it->row[i] = it->column[r] = grown = true;
      }
  }
  it->row_count = it->column_count = 0;
  for (int i = 0; i < it->m->turned; i++)
    if (it->row[i] && !it->left_out[i]) it->rows[it->row_count++] = i;
  for (int r = 0; r < it->speeds; r++)
    if (it->column[r]) it->columns[it->column_count++] = r;
}

// Values that hit no special point: irrational steps of a fixed sequence.
static void choose_point(commuting *it, int round) {
  for (int k = 0; k < carom_graph_symbol_count(it->graph); k++) {
    double x = (k + 1) * 0.6180339887498949 + (round + 1) * 0.7548776662466927;
    it->values[k] = 0.25 + (x - floor(x));
  }
}

// the coefficients at a point by least squares; false where they do not make the bracket
static bool solve_at(commuting *it, int round) {
  int rows = it->row_count, columns = it->column_count;
  double *x = it->found + round * it->speeds, size = 0.0, off = 0.0;
  choose_point(it, round);
  for (int i = 0; i < rows; i++) {
    it->b[i] = carom_node_evaluate(it->graph, it->bracket[it->rows[i]], it->values, NULL);
    for (int r = 0; r < columns; r++)
      it->A[i * columns + r] = carom_node_evaluate(
          it->graph, entry_of(it, it->rows[i], it->columns[r]), it->values, NULL);
  }
  for (int r = 0; r < columns; r++) {
    x[r] = 0.0;
    for (int i = 0; i < rows; i++)
      x[r] += it->A[i * columns + r] * it->b[i];
    for (int c = 0; c < columns; c++) {
      it->normal[r * columns + c] = 0.0;
      for (int i = 0; i < rows; i++)
        it->normal[r * columns + c] += it->A[i * columns + r] * it->A[i * columns + c];
    }
  }
  if (!carom_solve_general(columns, it->normal, x, it->order)) return false;
  for (int i = 0; i < rows; i++) {
    double rest = it->b[i];
    size = fmax(size, fabs(rest));
    for (int r = 0; r < columns; r++)
      rest -= it->A[i * columns + r] * x[r];
    off = fmax(off, fabs(rest));
  }
  return off <= CLOSES * size; // false for NaN, too
}

// is coefficient r the same number everywhere?
static bool find_number(const commuting *it, int r, double *number) {
  *number = round(it->found[r] * PARTS) / PARTS;
  for (int k = 0; k < ROUNDS; k++)
    if (!(fabs(it->found[k * it->speeds + r] - *number) <= ALIKE * fmax(1.0, fabs(*number))))
      return false;
  return true;
}

// the coefficients as expressions, by the same least squares
static void solve_exactly(commuting *it) {
  carom_graph *graph = it->graph;
  int columns = it->column_count;
  for (int r = 0; r < columns; r++)
    for (int c = -1; c < columns; c++) {
      carom_node sum = it->zero;
      for (int i = 0; i < it->row_count; i++) {
        carom_node other =
            c < 0 ? it->bracket[it->rows[i]] : entry_of(it, it->rows[i], it->columns[c]);
        carom_node part = carom_mul(graph, entry_of(it, it->rows[i], it->columns[r]), other);
        sum = carom_add(graph, sum, part);
      }
      sum = carom_node_expand(graph, it->arena, sum);
      if (c < 0)
        it->right[r] = sum;
      else
        it->square[r * columns + c] = sum;
    }
  carom_eliminate(graph, columns, it->square, it->pivot, it->lower);
  carom_eliminated_solve(graph, columns, it->pivot, it->lower, it->right, it->c);
}

static bool set_closes(commuting *it) {
  for (int round = 0; round < ROUNDS; round++)
    if (!solve_at(it, round)) return false;
  return true;
}

// The speeds belong to all coordinates that they move or, where that does not close (a ball that
// rolls), to those that others follow: its attitude, whatever its place does.
static carom_status find_coefficients(commuting *it, int s, int k, carom_place place,
                                      carom_error *error) {
  const carom_mechanics *m = it->m;
  bool numbers = true, closed = set_closes(it);
  double number;
  if (!closed) {
    find_part(it, false);
    closed = set_closes(it);
  }
  if (!closed)
    return carom_fail_at(
        error, CAROM_ERR_INPUT, place,
        "energy.kinetic contains speeds, but the motions of '%s' and '%s' together lead to places "
        "that no speed leads to, as where something rolls or skates: what such a speed stands for "
        "is not clear; write energy.kinetic in rates of coordinates (x' where there is rates.x)",
        carom_node_as_symbol(it->graph, m->u[s])->name,
        carom_node_as_symbol(it->graph, m->u[k])->name);
  for (int r = 0; r < it->column_count; r++)
    numbers = numbers && find_number(it, r, &number);
  if (!numbers) solve_exactly(it);
  for (int r = 0; r < it->column_count && numbers; r++) {
    (void)find_number(it, r, &number);
    it->c[r] = carom_node_constant(it->graph, number);
  }
  return CAROM_OK;
}

// does the kinetic energy contain one of the speeds that are concerned?
static bool momentum_matters(const commuting *it, const carom_node *momentum) {
  for (int r = 0; r < it->column_count; r++)
    if (momentum[it->m->nq + it->columns[r]] != it->zero) return true;
  return false;
}

static void add_terms(commuting *it, int s, int k, const carom_node *momentum, carom_node *term) {
  assert(s < k && k < it->m->n);
  carom_graph *graph = it->graph;
  for (int r = 0; r < it->column_count; r++) {
    carom_node part = carom_mul(graph, it->c[r], momentum[it->m->nq + it->columns[r]]);
    term[k] = carom_add(graph, term[k], carom_mul(graph, part, it->m->u[s]));
    term[s] = carom_sub(graph, term[s], carom_mul(graph, part, it->m->u[k]));
  }
}

carom_status carom_kinematics_terms(carom_arena *arena, carom_graph *graph,
                                    const carom_mechanics *mechanics, const carom_node *momentum,
                                    carom_place place, carom_node *term, carom_error *error) {
  const carom_mechanics *m = mechanics;
  commuting it = {.arena = arena,
                  .graph = graph,
                  .m = m,
                  .zero = carom_node_constant(graph, 0.0),
                  .speeds = m->n - m->nq};
  bool any = false;
  assert(m->nq <= m->n && m->turned <= m->m);
  for (int k = 0; k < m->n; k++)
    term[k] = it.zero;
  for (int r = m->nq; r < m->n; r++)
    any = any || momentum[r] != it.zero;
  if (!any) return CAROM_OK;
  if (!take_room(&it)) return carom_fail_memory(error);
  for (int i = 0; i < m->turned; i++)
    for (int k = 0; k < m->n; k++)
      it.G[i * m->n + k] = carom_node_derivative(graph, m->equation[i], m->u[k]);
  carom_status status = CAROM_OK;
  for (int s = 0; s < m->n; s++)
    for (int k = s + 1; k < m->n && status == CAROM_OK; k++) {
      if (!find_bracket(&it, s, k)) continue;
      find_part(&it, true);
      if (!momentum_matters(&it, momentum)) continue;
      status = find_coefficients(&it, s, k, place, error);
      if (status == CAROM_OK) add_terms(&it, s, k, momentum, term);
    }
  return status;
}
