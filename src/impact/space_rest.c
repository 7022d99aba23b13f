// SPDX-License-Identifier: MIT
#include "impact/space_rest.h"

#include "base/elementary.h"
#include "base/linear.h"

#include <math.h>
#include <string.h>

enum { SWEEPS = 40, ROUNDS = 15, SECULAR = 60, ATTEMPTS = 3 };
static const double DEPENDENT = 1e-9; // of the largest response: what keeps W regular
static const double NEAR = 1e-7;      // of the bounds: Newton's method takes over
static const double DONE = 1e-11;
static const double NOTHING = 1e-8; // of the bounds, and of the rate that friction could make

bool carom_space_rest_create(carom_space_rest *rest, carom_arena *arena, int contacts) {
  size_t m = 2 * (size_t)contacts, most = 3 * (size_t)contacts, number = sizeof(double);
  long failures = carom_arena_failures(arena);
  *rest = (carom_space_rest){.W = carom_arena_array(arena, m * m, number),
                             .w = carom_arena_array(arena, m, number),
                             .b = carom_arena_array(arena, m, number),
                             .T = carom_arena_array(arena, m, number),
                             .u = carom_arena_array(arena, m, number),
                             .slips = carom_arena_array(arena, m, sizeof(bool)),
                             .pull = carom_arena_array(arena, m, number),
                             .matrix = carom_arena_array(arena, most * most, number),
                             .right = carom_arena_array(arena, most, number),
                             .pivot = carom_arena_array(arena, most, sizeof(int))};
  return carom_arena_failures(arena) == failures;
}

static double largest_response(const carom_space_rest *r) {
  double most = 0.0;
  for (int i = 0; i < 2 * r->contacts; i++)
    most = fmax(most, r->W[i * (2 * r->contacts + 1)]);
  return most;
}

static void find_rates(carom_space_rest *r) {
  int n = 2 * r->contacts;
  for (int i = 0; i < n; i++) {
    r->u[i] = r->w[i];
    for (int j = 0; j < n; j++)
      r->u[i] += r->W[i * n + j] * r->T[j];
  }
}

// everything sticks, if that is inside the bounds
static bool all_stick(carom_space_rest *r, double keep) {
  int n = 2 * r->contacts;
  memcpy(r->matrix, r->W, (size_t)(n * n) * sizeof(double));
  for (int i = 0; i < n; i++) {
    r->matrix[i * (n + 1)] += keep;
    r->right[i] = -r->w[i];
  }
  if (!carom_solve_general(n, r->matrix, r->right, r->pivot)) return false;
  for (int i = 0; i < r->contacts; i++)
    if (carom_hypot(r->right[2 * i], r->right[2 * i + 1]) > r->b[i]) return false;
  memcpy(r->T, r->right, (size_t)n * sizeof(double));
  return true;
}

// one contact, others as they are: (W_ii + l) T = -c with the l >= 0 for which |T| <= b
static void solve_one(const carom_space_rest *r, int i, double keep, double T[2]) {
  int n = 2 * r->contacts;
  const double *A = r->W + (size_t)(2 * i) * (size_t)n + 2 * i, *B = A + n;
  double a = A[0] + keep, b = A[1], d = B[1] + keep, c[2];
  for (int k = 0; k < 2; k++) {
    c[k] = r->w[2 * i + k];
    for (int j = 0; j < n; j++)
      if (j / 2 != i) c[k] += r->W[(2 * i + k) * n + j] * r->T[j];
  }
  double lo = 0.0, hi = r->b[i] > 0.0 ? carom_hypot(c[0], c[1]) / r->b[i] : INFINITY, l = 0.0;
  T[0] = T[1] = 0.0;
  if (!(r->b[i] > 0.0)) return;
  for (int round = 0; round < SECULAR; round++) {
    double det = (a + l) * (d + l) - b * b;
    T[0] = -((d + l) * c[0] - b * c[1]) / det;
    T[1] = -((a + l) * c[1] - b * c[0]) / det;
    double size = carom_hypot(T[0], T[1]), over = size - r->b[i];
    if (over <= 0.0 && l == 0.0) return;
    if (fabs(over) <= DONE * r->b[i]) break;
    *(over > 0.0 ? &lo : &hi) = l;
    // d|T|/dl = -T (W + l)^-1 T / |T|; Newton's method on 1/|T|, which is nearly linear in l
    double slope = ((d + l) * T[0] * T[0] - 2.0 * b * T[0] * T[1] + (a + l) * T[1] * T[1]) / det;
    double next = l + (size / r->b[i] - 1.0) * size * size / slope;
    l = next > lo && next < hi ? next : 0.5 * (lo + hi);
  }
}

static double sweep_contacts(carom_space_rest *r, double keep) {
  double change = 0.0;
  for (int i = 0; i < r->contacts; i++) {
    double T[2];
    solve_one(r, i, keep, T);
    if (r->b[i] > 0.0)
      change = fmax(change, carom_hypot(T[0] - r->T[2 * i], T[1] - r->T[2 * i + 1]) / r->b[i]);
    r->T[2 * i] = T[0];
    r->T[2 * i + 1] = T[1];
  }
  return change;
}

// which are at their bounds, by the forces at hand
static void guess_bounds(carom_space_rest *r) {
  find_rates(r);
  for (int i = 0; i < r->contacts; i++) {
    const double *T = r->T + 2 * (size_t)i, *u = r->u + 2 * (size_t)i;
    r->slips[i] = carom_hypot(T[0], T[1]) >= r->b[i] * (1.0 - NEAR);
    r->pull[i] = r->slips[i] && r->b[i] > 0.0
                     ? fmax(0.0, -(T[0] * u[0] + T[1] * u[1]) / (r->b[i] * r->b[i]))
                     : 0.0;
  }
}

// One step of Newton's method on u_i + l_i T_i = 0, |T_i| = b_i of what is at its bound and u_i = 0
// of what sticks; returns how much changes.
static double polish_solution(carom_space_rest *r, double keep) {
  int n = 2 * r->contacts, size = n;
  double change = 0.0;
  for (int i = 0; i < r->contacts; i++)
    size += r->slips[i];
  memset(r->matrix, 0, (size_t)(size * size) * sizeof(double));
  find_rates(r);
  for (int i = 0, extra = n; i < r->contacts; i++) {
    double *T = r->T + 2 * (size_t)i;
    for (int k = 0; k < 2; k++) {
      double *row = r->matrix + (size_t)(2 * i + k) * (size_t)size;
      memcpy(row, r->W + (size_t)(2 * i + k) * (size_t)n, (size_t)n * sizeof *row);
      row[2 * i + k] += keep + r->pull[i];
      r->right[2 * i + k] = -r->u[2 * i + k] - r->pull[i] * T[k];
      if (r->slips[i]) row[extra] = T[k];
    }
    if (!r->slips[i]) continue;
    r->matrix[extra * size + 2 * i] = T[0];
    r->matrix[extra * size + 2 * i + 1] = T[1];
    r->right[extra++] = 0.5 * (r->b[i] * r->b[i] - T[0] * T[0] - T[1] * T[1]);
  }
  if (!carom_solve_general(size, r->matrix, r->right, r->pivot)) return 0.0;
  for (int i = 0, extra = n; i < r->contacts; i++) {
    for (int k = 0; k < 2; k++)
      r->T[2 * i + k] += r->right[2 * i + k];
    if (r->slips[i]) r->pull[i] += r->right[extra++];
    if (r->b[i] > 0.0)
      change = fmax(change, carom_hypot(r->right[2 * i], r->right[2 * i + 1]) / r->b[i]);
  }
  return change;
}

// Does every contact belong where it is? Those that do not change over.
static bool all_right(carom_space_rest *r) {
  bool right = true;
  for (int i = 0; i < r->contacts; i++) {
    bool beyond = carom_hypot(r->T[2 * i], r->T[2 * i + 1]) > r->b[i] * (1.0 + NOTHING);
    bool wrong = r->slips[i] ? r->pull[i] < 0.0 : beyond;
    if (!wrong) continue;
    right = false;
    r->slips[i] = !r->slips[i];
    r->pull[i] = 0.0;
  }
  return right;
}

// contacts without any force let go of whatever moves them
static void let_go(carom_space_rest *r) {
  find_rates(r);
  for (int i = 0; i < r->contacts; i++) {
    double rate = carom_hypot(r->u[2 * i], r->u[2 * i + 1]);
    double own = r->W[(2 * i) * (2 * r->contacts + 1)] + r->W[(2 * i + 1) * (2 * r->contacts + 1)];
    r->slips[i] = r->b[i] > 0.0 ? r->slips[i] && r->pull[i] > NOTHING * own : rate > 0.0;
  }
}

void carom_space_rest_solve(carom_space_rest *r) {
  if (r->contacts <= 0) return;
  double keep = DEPENDENT * largest_response(r);
  memset(r->slips, 0, (size_t)r->contacts * sizeof(bool));
  memset(r->pull, 0, (size_t)r->contacts * sizeof(double));
  if (keep == 0.0 || all_stick(r, keep)) {
    let_go(r);
    return;
  }
  for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
    double change = 1.0, before = INFINITY;
    for (int k = 0; k < SWEEPS && change > NEAR; k++)
      change = sweep_contacts(r, keep);
    guess_bounds(r);
    bool right = false;
    for (int k = 0; k < ROUNDS && !right; k++) {
      change = polish_solution(r, keep);
      bool settled = change <= DONE || (k > 2 && !(change < before));
      if (settled) right = all_right(r);
      before = settled ? INFINITY : change;
    }
    if (right) break;
  }
  let_go(r);
}
