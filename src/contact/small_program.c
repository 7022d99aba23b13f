// SPDX-License-Identifier: MIT
#include "contact/small_program.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

void small_program_init(small_program *program, carom_arena *arena, int max_m, int max_k) {
  size_t m = (size_t)max_m, k = (size_t)max_k, d = sizeof(double);
  *program = (small_program){0};
  program->C = carom_arena_array(arena, m * (k + 1), d);
  program->r = carom_arena_array(arena, m, d);
  program->z = carom_arena_array(arena, k + 1, d);
  program->weight = carom_arena_array(arena, m + 1, d);
  program->table = carom_arena_array(arena, (m + k + 4) * (k + 4), d);
  program->column = carom_arena_array(arena, (k + 1) * (m + 1), d);
  program->fold = carom_arena_array(arena, (k + 1) * (k + 2), d);
  program->u = carom_arena_array(arena, m + 1, d);
  program->trial = carom_arena_array(arena, m + k + 2, d);
  program->w = carom_arena_array(arena, m + k + 2, d);
  program->row_variable = carom_arena_array(arena, m + k + 4, sizeof(int));
  program->column_variable = carom_arena_array(arena, m + k + 4, sizeof(int));
  program->passive = carom_arena_array(arena, m + 1, sizeof(bool));
}

// ---- the largest minimum: simplex on a dictionary
//
// With t the minimum, slacks s_i = f_i - t >= 0, i < m, and s_m = cap - t. The smallest f_i at z =
// 0 gives a feasible start, t = f_p - s_p. Each row of the dictionary expresses a basic variable by
// the non-basic ones: basic = table[row][0] + sum_j table[row][1 + j] nonbasic_j. Variables 0..m
// are slacks, m + 1 + j is the free z_j, which enters either way and then never leaves. Row 0 is t.

static void exchange_pivot(double *table, int rows, int width, int leaving, int entering) {
  assert(leaving >= 0 && leaving < rows && entering >= 0 && entering < width);
  double *pivot_row = table + (size_t)leaving * (size_t)width;
  double pivot = pivot_row[entering];
  // solve the leaving row for the entering variable
  for (int j = 0; j < width; j++)
    pivot_row[j] = j == entering ? 1.0 / pivot : -pivot_row[j] / pivot;
  for (int i = 0; i < rows; i++) {
    double *row = table + (size_t)i * (size_t)width;
    double factor = row[entering];
    if (i == leaving || factor == 0.0) continue;
    for (int j = 0; j < width; j++)
      row[j] = j == entering ? factor * pivot_row[j] : row[j] + factor * pivot_row[j];
  }
}

// the first dictionary; returns its number of rows
static int first_dictionary(small_program *g, double cap) {
  int m = g->m, k = g->k, width = k + 2;
  int lowest = m;
  double low = cap;
  for (int i = 0; i < m; i++)
    if (g->r[i] < low) {
      low = g->r[i];
      lowest = i;
    }
  // row 0: t = f_p - s_p
  double *top = g->table;
  top[0] = low;
  for (int j = 0; j < k; j++)
    top[1 + j] = lowest < m ? g->C[lowest * k + j] : 0.0;
  top[1 + k] = -1.0;
  for (int j = 0; j < k; j++)
    g->column_variable[1 + j] = m + 1 + j;
  g->column_variable[1 + k] = lowest;
  int rows = 1;
  for (int i = 0; i <= m; i++) {
    if (i == lowest) continue;
    double *row = g->table + (size_t)rows * (size_t)width;
    row[0] = (i < m ? g->r[i] : cap) - low;
    for (int j = 0; j < k; j++)
      row[1 + j] = (i < m ? g->C[i * k + j] : 0.0) - top[1 + j];
    row[1 + k] = 1.0;
    g->row_variable[rows++] = i;
  }
  return rows;
}

// a column whose variable can raise t: the steepest, or (after many exchanges) the first by Bland's
// rule, which cannot cycle; 0: none, t is the maximum
static int entering_column(const small_program *g, bool bland, double tiny) {
  int best = 0;
  double steepest = tiny;
  for (int j = 1; j <= g->k + 1; j++) {
    bool free_variable = g->column_variable[j] > g->m;
    double slope = free_variable ? fabs(g->table[j]) : g->table[j];
    if (!(slope > steepest)) continue;
    if (bland && best && g->column_variable[best] < g->column_variable[j]) continue;
    best = j;
    if (!bland) steepest = slope;
  }
  return best;
}

// the slack that reaches zero first when the entering variable moves by `direction`; 0: none
static int leaving_row(const small_program *g, int rows, int entering, double direction,
                       double tiny) {
  int width = g->k + 2, best = 0;
  double least = INFINITY;
  for (int i = 1; i < rows; i++) {
    if (g->row_variable[i] > g->m) continue;
    const double *row = g->table + (size_t)i * (size_t)width;
    double slope = row[entering] * direction;
    if (!(slope < -tiny)) continue;
    double ratio = fmax(row[0], 0.0) / -slope;
    if (ratio < least || (ratio == least && g->row_variable[i] < g->row_variable[best])) {
      least = ratio;
      best = i;
    }
  }
  return best;
}

double small_program_max_min(small_program *g, double cap, double enough) {
  int m = g->m, k = g->k, width = k + 2;
  double largest = 1.0;
  for (int i = 0; i < m * k; i++)
    largest = fmax(largest, fabs(g->C[i]));
  double tiny = 1e-13 * largest;
  int rows = first_dictionary(g, cap);
  int patience = 4 * (m + k) + 20;
  for (int step = 0; step < 8 * patience && g->table[0] < enough; step++) {
    int entering = entering_column(g, step > patience, tiny);
    if (!entering) break;
    double direction = g->table[entering] > 0.0 ? 1.0 : -1.0;
    int leaving = leaving_row(g, rows, entering, direction, tiny);
    if (!leaving) break;
    exchange_pivot(g->table, rows, width, leaving, entering);
    int variable = g->row_variable[leaving];
    g->row_variable[leaving] = g->column_variable[entering];
    g->column_variable[entering] = variable;
  }
  // read the answer: basic z, and the weights of the slacks that hold t down
  for (int j = 0; j < k; j++)
    g->z[j] = 0.0;
  for (int i = 1; i < rows; i++)
    if (g->row_variable[i] > m) g->z[g->row_variable[i] - m - 1] = g->table[i * width];
  for (int i = 0; i <= m; i++)
    g->weight[i] = 0.0;
  for (int j = 1; j <= k + 1; j++)
    if (g->column_variable[j] <= m) g->weight[g->column_variable[j]] = -g->table[j];
  return g->table[0];
}

// ---- the least-norm point: least distance programming by non-negative least squares
//
// With E = [C^T; -r^T] and f = (0, ..., 0, 1): u >= 0 minimising |E u - f| gives z = -rho /
// rho_last, rho = E u - f. Columns of E are scaled to unit length.

static void unit_columns(small_program *g) {
  int m = g->m, k = g->k;
  for (int i = 0; i < m; i++) {
    double *column = g->column + (size_t)i * (size_t)(k + 1), sum = 0.0;
    for (int j = 0; j < k; j++)
      column[j] = g->C[i * k + j];
    column[k] = -g->r[i];
    for (int j = 0; j <= k; j++)
      sum += column[j] * column[j];
    double length = sqrt(sum);
    for (int j = 0; j <= k && length > 0.0; j++)
      column[j] /= length;
  }
}

// least squares of the passive columns against f, by Householder reflections; answer in trial
static bool solve_passive(small_program *g, const int *members, int count) {
  int n = g->k + 1;
  double *Q = g->fold, *right = g->w;
  for (int j = 0; j < n; j++)
    right[j] = j == n - 1 ? 1.0 : 0.0;
  for (int c = 0; c < count; c++)
    memcpy(Q + (size_t)c * (size_t)n, g->column + (size_t)members[c] * (size_t)n,
           (size_t)n * sizeof *Q);
  for (int c = 0; c < count; c++) {
    double *v = Q + (size_t)c * (size_t)n, sum = 0.0;
    for (int j = c; j < n; j++)
      sum += v[j] * v[j];
    double diagonal = v[c] > 0.0 ? -sqrt(sum) : sqrt(sum);
    if (!(fabs(diagonal) > 1e-12)) return false;
    // reflection I - 2 h h^T / h^T h with h = v - diagonal e_c
    v[c] -= diagonal;
    double half = -diagonal * v[c]; // h^T h / 2
    for (int other = c + 1; other <= count; other++) {
      double *a = other < count ? Q + (size_t)other * (size_t)n : right;
      double dot = 0.0;
      for (int j = c; j < n; j++)
        dot += v[j] * a[j];
      dot /= half;
      for (int j = c; j < n; j++)
        a[j] -= dot * v[j];
    }
    g->trial[c] = diagonal; // diagonal of R; the part above it stays in the later columns
  }
  for (int c = count - 1; c >= 0; c--) {
    double sum = right[c];
    for (int other = c + 1; other < count; other++)
      sum -= Q[(size_t)other * (size_t)n + (size_t)c] * g->trial[other];
    g->trial[c] = sum / g->trial[c];
  }
  return true;
}

static void compute_misfit(const small_program *g, double *rho) {
  int n = g->k + 1;
  for (int j = 0; j < n; j++)
    rho[j] = j == n - 1 ? -1.0 : 0.0;
  for (int i = 0; i < g->m; i++)
    for (int j = 0; j < n && g->u[i] != 0.0; j++)
      rho[j] += g->u[i] * g->column[i * n + j];
}

// the column that lessens the misfit most, -1: none
static int next_column(const small_program *g, const double *rho) {
  int n = g->k + 1, best = -1;
  double most = 1e-13;
  for (int i = 0; i < g->m; i++) {
    if (g->passive[i]) continue;
    double gain = 0.0;
    for (int j = 0; j < n; j++)
      gain -= rho[j] * g->column[i * n + j];
    if (gain > most) {
      most = gain;
      best = i;
    }
  }
  return best;
}

// moves u to the least-squares answer of the passive columns, shedding those that would go negative
static bool settle_passive(small_program *g) {
  int *members = g->row_variable;
  for (;;) {
    int count = 0;
    for (int i = 0; i < g->m; i++)
      if (g->passive[i]) members[count++] = i;
    assert(count <= g->m);
    if (count > g->k + 1 || !solve_passive(g, members, count)) return false;
    double step = 1.0;
    for (int c = 0; c < count; c++)
      if (!(g->trial[c] > 0.0)) {
        double u = g->u[members[c]];
        step = fmin(step, u / (u - g->trial[c]));
      }
    bool positive = true;
    for (int c = 0; c < count; c++)
      if (!(g->trial[c] > 0.0)) positive = false;
    for (int c = 0; c < count; c++) {
      double *u = &g->u[members[c]];
      bool sheds = !positive && !(g->trial[c] > 0.0) && *u / (*u - g->trial[c]) <= step;
      *u = positive ? g->trial[c] : *u + step * (g->trial[c] - *u);
      if (sheds || !(*u > 0.0)) {
        *u = 0.0;
        g->passive[members[c]] = false;
      }
    }
    if (positive) return true;
  }
}

bool small_program_least(small_program *g) {
  int n = g->k + 1;
  double *rho = g->table;
  unit_columns(g);
  for (int i = 0; i < g->m; i++) {
    g->u[i] = 0.0;
    g->passive[i] = false;
  }
  for (int round = 0; round < 3 * g->m + 10; round++) {
    compute_misfit(g, rho);
    int i = next_column(g, rho);
    if (i < 0) break;
    g->passive[i] = true;
    if (!settle_passive(g)) {
      g->passive[i] = false;
      break;
    }
  }
  compute_misfit(g, rho);
  double last = rho[n - 1];
  if (!(last < -1e-14)) return false;
  for (int j = 0; j < g->k; j++)
    g->z[j] = -rho[j] / last;
  return true;
}
