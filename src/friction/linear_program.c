// SPDX-License-Identifier: MIT
#include "friction/linear_program.h"

#include <assert.h>
#include <math.h>

/// Coefficients below this count as zero: problems come with entries near 1.
#define LEAST_PIVOT 1e-11

void linear_program_init(linear_program *g, carom_arena *arena, int most_rows, int most_columns) {
  g->table =
      carom_arena_array(arena, (size_t)most_rows * (size_t)(most_columns + 1), sizeof(double));
  g->form = carom_arena_array(arena, (size_t)most_columns + 1, sizeof(double));
  g->row_name = carom_arena_array(arena, (size_t)most_rows, sizeof(int));
  g->column_name = carom_arena_array(arena, (size_t)most_columns, sizeof(int));
}

static double *row_of(const linear_program *g, int i) {
  assert(i >= 0 && i < g->rows);
  return g->table + (size_t)i * (size_t)(g->columns + 1);
}

// subtracts what the exchange of `pivot` row changes in another one
static void exchange_row(int columns, const double *restrict pivot, int c, double *restrict row) {
  double factor = row[c];
  if (factor == 0.0) return;
  row[c] = 0.0;
  for (int j = 0; j <= columns; j++)
    row[j] += factor * pivot[j];
}

// what is left of row i and above column c change places
static void exchange_pivot(linear_program *g, int i, int c) {
  assert(i >= 0 && i < g->rows && c >= 0 && c < g->columns);
  double *pivot = row_of(g, i), inverse = 1.0 / pivot[c];
  for (int j = 0; j <= g->columns; j++)
    pivot[j] *= -inverse;
  pivot[c] = inverse;
  for (int k = 0; k < g->rows; k++)
    if (k != i) exchange_row(g->columns, pivot, c, row_of(g, k));
  exchange_row(g->columns, pivot, c, g->form);
  int name = g->row_name[i];
  g->row_name[i] = g->column_name[c];
  g->column_name[c] = name;
}

// the row to be mended: the most negative one, or the one of least name
static int negative_row(const linear_program *g, double slack, bool by_name) {
  int found = -1;
  for (int i = 0; i < g->rows; i++) {
    double value = row_of(g, i)[g->columns];
    if (!(value < -slack)) continue;
    bool better = found < 0 || (by_name ? g->row_name[i] < g->row_name[found]
                                        : value < row_of(g, found)[g->columns]);
    if (better) found = i;
  }
  return found;
}

static int raising_column(const linear_program *g, const double *row, double least, bool by_name) {
  int found = -1;
  for (int j = 0; j < g->columns; j++) {
    if (!(row[j] > least)) continue;
    bool better =
        found < 0 || (by_name ? g->column_name[j] < g->column_name[found] : row[j] > row[found]);
    if (better) found = j;
  }
  return found;
}

static void name_all(linear_program *g) {
  for (int j = 0; j < g->columns; j++)
    g->column_name[j] = j;
  for (int i = 0; i < g->rows; i++)
    g->row_name[i] = g->columns + i;
}

// the largest coefficient of a row in size
static double row_size(const linear_program *g, const double *row) {
  double size = 0.0;
  for (int j = 0; j < g->columns; j++)
    size = fmax(size, fabs(row[j]));
  return size;
}

linear_outcome linear_program_find(linear_program *g, double slack) {
  int by_size = 4 * (g->rows + g->columns), most = 50 * (g->rows + g->columns) + 1000;
  name_all(g);
  for (int pivots = 0; pivots < most; pivots++) {
    bool by_name = pivots > by_size;
    int i = negative_row(g, slack, by_name);
    if (i < 0) return LINEAR_POSSIBLE;
    const double *row = row_of(g, i);
    int c = raising_column(g, row, LEAST_PIVOT * fmax(1.0, row_size(g, row)), by_name);
    if (c >= 0) {
      exchange_pivot(g, i, c);
      continue;
    }
    // nothing raises it: a proof, where it is below zero by more than rounding
    return row[g->columns] < -10.0 * slack ? LINEAR_IMPOSSIBLE : LINEAR_DOUBTFUL;
  }
  return LINEAR_DOUBTFUL;
}

// the row that ends a rise along column c first; -1: none
static int ending_row(const linear_program *g, int c) {
  int found = -1;
  double least = INFINITY;
  for (int i = 0; i < g->rows; i++) {
    const double *row = row_of(g, i);
    if (!(row[c] < -LEAST_PIVOT)) continue;
    double reach = fmax(0.0, row[g->columns]) / -row[c];
    if (reach > least || (reach == least && g->row_name[i] > g->row_name[found])) continue;
    least = reach;
    found = i;
  }
  return found;
}

// the form by what stands above the columns now
static void set_form(linear_program *g, const double *factor) {
  for (int c = 0; c <= g->columns; c++)
    g->form[c] = 0.0;
  for (int c = 0; c < g->columns; c++)
    if (g->column_name[c] < g->columns) g->form[c] = factor[g->column_name[c]];
  for (int i = 0; i < g->rows; i++) {
    if (g->row_name[i] >= g->columns || factor[g->row_name[i]] == 0.0) continue;
    const double *row = row_of(g, i);
    for (int c = 0; c <= g->columns; c++)
      g->form[c] += factor[g->row_name[i]] * row[c];
  }
}

// the point a unit further along column c
static void go_along(const linear_program *g, int c, double *x) {
  if (g->column_name[c] < g->columns) x[g->column_name[c]] += 1.0;
  for (int i = 0; i < g->rows; i++)
    if (g->row_name[i] < g->columns) x[g->row_name[i]] += row_of(g, i)[c];
}

bool linear_program_raise(linear_program *g, const double *factor, double *x) {
  int by_size = 4 * (g->rows + g->columns), most = 50 * (g->rows + g->columns) + 1000;
  set_form(g, factor);
  for (int pivots = 0; pivots < most; pivots++) {
    int c = raising_column(g, g->form, LEAST_PIVOT, pivots > by_size);
    int i = c < 0 ? -1 : ending_row(g, c);
    if (i < 0) {
      linear_program_point(g, x);
      if (c >= 0) go_along(g, c, x);
      return true;
    }
    exchange_pivot(g, i, c);
  }
  return false;
}

void linear_program_point(const linear_program *g, double *x) {
  for (int j = 0; j < g->columns; j++)
    x[j] = 0.0;
  for (int i = 0; i < g->rows; i++)
    if (g->row_name[i] < g->columns) x[g->row_name[i]] = row_of(g, i)[g->columns];
}
