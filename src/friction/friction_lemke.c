// SPDX-License-Identifier: MIT
/// Pivoting in the plane: Lemke's method (1965) on the linear complementarity problem of Stewart
/// and Trinkle (1996), with the lexicographic rule, by which no basis comes twice. Of each contact,
/// with r_N = floor + s and r_T = a - b,
///
///   v_N >= 0               complementary to  s >= 0
///   l + v_T >= 0           complementary to  a >= 0
///   l - v_T >= 0           complementary to  b >= 0
///   mu r_N - a - b >= 0    complementary to  l >= 0  (the slip speed)
///
/// Its matrix is copositive where W is positive semidefinite (z.Mz = r.Wr + mu.s l), so that the
/// method ends at a solution unless the problem has a ray (Cottle, Pang and Stone 1992, theorem
/// 4.4.12).
#include "friction/friction_internal.h"

#include <assert.h>
#include <math.h>

#include "friction/friction_lemke.h"

enum { PARTS = 4 };

/// Ratios closer than this count as equal: the order of the perturbation decides.
#define SAME_RATIO 1e-13
#define LEAST_PIVOT 1e-11

struct friction_tableau {
  int most, n, rows; // contacts, PARTS n
  double *table;     // [rows][rows + 2]: columns, the artificial one's, the constant
  int *basic;        // [rows] name of each row: w_k is k, z_k is rows + k, the artificial 2 rows
  int *outside;      // [rows + 1] name of each column
  int *column_of;    // [rows] the column of w_k, -1: it is basic
};

struct friction_tableau *friction_tableau_create(carom_arena *arena, int most) {
  struct friction_tableau *t = carom_arena_take(arena, sizeof *t);
  size_t rows = (size_t)(PARTS * most);
  if (!t) return NULL;
  t->most = most;
  t->table = carom_arena_array(arena, rows * (rows + 2), sizeof(double));
  t->basic = carom_arena_array(arena, rows, sizeof(int));
  t->outside = carom_arena_array(arena, rows + 1, sizeof(int));
  t->column_of = carom_arena_array(arena, rows, sizeof(int));
  return t;
}

static double *row_of(const struct friction_tableau *t, int i) {
  assert(i >= 0 && i < t->rows);
  return t->table + (size_t)i * (size_t)(t->rows + 2);
}

// ---- the problem as a table

static void add_contact_pair(const friction_problem *p, struct friction_tableau *t, int i, int k) {
  assert(i >= 0 && i < p->n && k >= 0 && k < p->start[p->n]);
  int j = p->column[k];
  const double *W = p->block + (size_t)k * 4;
  double *normal = row_of(t, PARTS * i), *plus = row_of(t, PARTS * i + 1),
         *minus = row_of(t, PARTS * i + 2);
  int c = PARTS * j, last = t->rows + 1;
  normal[c] = W[0];
  normal[c + 1] = W[1];
  normal[c + 2] = -W[1];
  normal[last] += W[0] * p->floor[j];
  plus[c] = W[2];
  plus[c + 1] = W[3];
  plus[c + 2] = -W[3];
  plus[last] += W[2] * p->floor[j];
  minus[c] = -W[2];
  minus[c + 1] = -W[3];
  minus[c + 2] = W[3];
  minus[last] -= W[2] * p->floor[j];
}

static void set_table(const friction_problem *p, struct friction_tableau *t) {
  int last;
  t->n = p->n;
  t->rows = PARTS * p->n;
  last = t->rows + 1;
  for (size_t k = 0; k < (size_t)t->rows * (size_t)(t->rows + 2); k++)
    t->table[k] = 0.0;
  for (int i = 0; i < p->n; i++) {
    row_of(t, PARTS * i)[last] = p->q[2 * i];
    row_of(t, PARTS * i + 1)[last] = p->q[2 * i + 1];
    row_of(t, PARTS * i + 2)[last] = -p->q[2 * i + 1];
    for (int k = p->start[i]; k < p->start[i + 1]; k++)
      add_contact_pair(p, t, i, k);
    row_of(t, PARTS * i + 1)[PARTS * i + 3] = 1.0;
    row_of(t, PARTS * i + 2)[PARTS * i + 3] = 1.0;
    double *cone = row_of(t, PARTS * i + 3);
    cone[PARTS * i] = p->mu[i];
    cone[PARTS * i + 1] = cone[PARTS * i + 2] = -1.0;
    cone[last] = p->mu[i] * p->floor[i];
  }
  for (int k = 0; k < t->rows; k++) {
    row_of(t, k)[t->rows] = 1.0;
    t->basic[k] = k;
    t->outside[k] = t->rows + k;
    t->column_of[k] = -1;
  }
  t->outside[t->rows] = 2 * t->rows;
}

// ---- pivots

static void exchange_pivot(struct friction_tableau *t, int i, int c) {
  assert(i >= 0 && i < t->rows && c >= 0 && c <= t->rows);
  int width = t->rows + 2;
  double *restrict pivot = row_of(t, i), inverse = 1.0 / pivot[c];
  for (int j = 0; j < width; j++)
    pivot[j] *= -inverse;
  pivot[c] = inverse;
  for (int k = 0; k < t->rows; k++) {
    double *restrict row = row_of(t, k), factor = row[c];
    if (k == i || factor == 0.0) continue;
    row[c] = 0.0;
    for (int j = 0; j < width; j++)
      row[j] += factor * pivot[j];
  }
  int name = t->basic[i];
  t->basic[i] = t->outside[c];
  t->outside[c] = name;
  if (name < t->rows) t->column_of[name] = c;
  if (t->basic[i] < t->rows) t->column_of[t->basic[i]] = -1;
}

// element k of the perturbation of row i: what it gains from w_k's small addition
static double row_perturbation(const struct friction_tableau *t, int i, int k) {
  if (t->column_of[k] >= 0) return -row_of(t, i)[t->column_of[k]];
  return t->basic[i] == k;
}

// is row a, divided by its fall along column c, before row b in the order of the perturbation?
static bool comes_before(const struct friction_tableau *t, int a, int b, int c) {
  double fall_a = -row_of(t, a)[c], fall_b = -row_of(t, b)[c];
  if (t->basic[a] == 2 * t->rows) return true;
  if (t->basic[b] == 2 * t->rows) return false;
  for (int k = 0; k < t->rows; k++) {
    double x = row_perturbation(t, a, k) / fall_a, y = row_perturbation(t, b, k) / fall_b;
    if (fabs(x - y) > SAME_RATIO * (1.0 + fabs(x) + fabs(y))) return x < y;
  }
  return false;
}

// the row that ends a rise along column c; -1: a ray
static int ending_row(const struct friction_tableau *t, int c) {
  int found = -1, last = t->rows + 1;
  double least = INFINITY;
  for (int i = 0; i < t->rows; i++) {
    const double *row = row_of(t, i);
    if (!(row[c] < -LEAST_PIVOT)) continue;
    double ratio = fmax(0.0, row[last]) / -row[c];
    bool same = found >= 0 && fabs(ratio - least) <= SAME_RATIO * (1.0 + least);
    if (found >= 0 && (same ? !comes_before(t, i, found, c) : ratio > least)) continue;
    if (!same || ratio < least) least = ratio;
    found = i;
  }
  return found;
}

// the first pivot: the artificial variable makes all rows non-negative
static int most_negative(const struct friction_tableau *t) {
  int found = -1;
  for (int i = 0; i < t->rows; i++) {
    double value = row_of(t, i)[t->rows + 1];
    // of equal ones the last keeps the perturbed values positive
    if (value < 0.0 && (found < 0 || value <= row_of(t, found)[t->rows + 1])) found = i;
  }
  return found;
}

static int complement_of(const struct friction_tableau *t, int name) {
  return name < t->rows ? name + t->rows : name - t->rows;
}

static int column_named(const struct friction_tableau *t, int name) {
  for (int c = 0; c <= t->rows; c++)
    if (t->outside[c] == name) return c;
  return -1;
}

// drives the artificial variable out; false: a ray, or more pivots than can be believed
static bool pivot_to_end(struct friction_tableau *t, int *pivots) {
  int i = most_negative(t), c = t->rows, most = 60 * t->rows + 200;
  if (i < 0) return true;
  for (int k = 0; k < most; k++) {
    int leaving = t->basic[i];
    exchange_pivot(t, i, c);
    ++*pivots;
    if (leaving == 2 * t->rows) return true;
    c = column_named(t, complement_of(t, leaving));
    i = ending_row(t, c);
    if (i < 0) return false;
  }
  return false;
}

bool friction_lemke(carom_friction_workspace *w) {
  struct friction_tableau *t = w->tableau;
  const friction_problem *p = &w->problem;
  if (!t || p->n > t->most) return false;
  set_table(p, t);
  bool ended = pivot_to_end(t, &w->view.pivots);
  if (!ended) return false;
  for (int i = 0; i < p->n; i++) {
    w->now.r[2 * i] = p->floor[i];
    w->now.r[2 * i + 1] = 0.0;
  }
  for (int k = 0; k < t->rows; k++) {
    int z = t->basic[k] - t->rows;
    if (z < 0 || z >= t->rows) continue;
    double value = fmax(0.0, row_of(t, k)[t->rows + 1]);
    double *r = w->now.r + 2 * (z / PARTS);
    if (z % PARTS == 0) r[0] += value;
    if (z % PARTS == 1) r[1] += value;
    if (z % PARTS == 2) r[1] -= value;
  }
  return true;
}
