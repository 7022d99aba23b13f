// SPDX-License-Identifier: MIT
/// The first step of contacts that begin, where F ~ s^a is not smooth. Forces depend on
/// compressions alone, which are double integrals of forces:
///
///   x_i(s) = x_i - (v_i s + sum_c R_ic (double integral of F_c)) / eta_i,     F_i = k_i x_i^a_i,
///
/// so polynomials in the square root of s through values of F at Chebyshev points are improved by
/// Picard's iteration. The highest coefficients tell the error.
#include "impact/energetic_internal.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 20 };

static const double NOTHING = 1e-40; // of the largest compression: no force yet

void energetic_channels_at(carom_energetic_workspace *w, int j, double *channels) {
  for (int c = 0; c < w->response.channels; c++)
    channels[c] = w->nodes.F[c][j];
}

// ---- sums over nodes, in fours: what lies behind the last node is never read

static inline int padded_count(const energetic_table *t) { return (t->nodes + 3) / 4 * 4; }

// sum over channels of R[row][c] values[c], at all nodes
static void row_nodes(const carom_energetic_workspace *w, int row, energetic_nodes *values,
                      double *restrict sum) {
  const double *R = w->response.R + row * 2 * w->n;
  const int *entry = w->response.entries + row * 2 * w->n;
  int nodes = padded_count(w->nodes.table);
  memset(sum, 0, (size_t)nodes * sizeof *sum);
  for (int q = 0; q < w->response.entry_count[row]; q++) {
    const double *restrict value = values[entry[q]];
    for (int j = 0; j < nodes && w->nodes.live[entry[q]]; j++)
      sum[j] += value[j] * R[entry[q]];
  }
}

static void integrate_nodes(const energetic_table *t, const double table[][ENERGETIC_NODES],
                            const double *restrict f, double *restrict out) {
  int nodes = padded_count(t);
  memset(out, 0, (size_t)nodes * sizeof *out);
  for (int k = 0; k < t->nodes; k++)
    for (int j = 0; j < nodes; j++)
      out[j] += table[k][j] * f[k];
}

static void set_force(const carom_energetic_workspace *w, int i, const double *x, double *F) {
  int nodes = w->nodes.table->nodes;
  bool any = false;
  if (w->problem.a[i] == 1.5) {
    double k = w->problem.k[i];
    for (int j = 0; j < nodes; j += 4)
      for (int l = j; l < j + 4; l++) {
        double y = x[l] > 0.0 ? x[l] : 0.0;
        F[l] = k * y * sqrt(y);
      }
  } else {
    for (int j = 0; j < nodes; j++)
      F[j] = energetic_force(w, i, x[j]);
  }
  for (int j = 0; j < nodes && !any; j++)
    any = F[j] != 0.0;
  w->nodes.live[i] = any;
}

static double user_force(const carom_energetic_workspace *w, int i, double normal, double slip) {
  return w->problem.asked->law(w->problem.asked->law_ctx, w->problem.order[i], normal, slip);
}

// ---- the iteration

// the first guess: velocities as at the start
static void guess_velocities(carom_energetic_workspace *w, double h) {
  const energetic_table *t = w->nodes.table;
  int n = w->n;
  for (int c = 0; c < w->response.channels; c++) {
    w->nodes.live[c] = false;
    memset(w->nodes.F[c], 0, sizeof *w->nodes.F);
  }
  for (int i = 0; i < n; i++) {
    if (w->state.status[i] != ENERGETIC_PRESSED) continue;
    double v = w->state.v[2 * i] / energetic_eta(w, i);
    for (int j = 0; j < padded_count(t); j++)
      w->nodes.X[i][j] = w->state.x[i] - v * h * t->phi[j];
    set_force(w, i, w->nodes.X[i], w->nodes.F[i]);
    if (!w->problem.user[i]) continue;
    w->nodes.live[n + i] = true;
    for (int j = 0; j < t->nodes; j++)
      w->nodes.F[n + i][j] = user_force(w, i, w->nodes.F[i][j], w->state.v[2 * i + 1]);
  }
}

static void user_forces(carom_energetic_workspace *w, int i, double h) {
  const energetic_table *t = w->nodes.table;
  for (int c = 0; c < w->response.channels; c++)
    if (w->nodes.live[c]) integrate_nodes(t, t->once, w->nodes.F[c], w->nodes.P[c]);
  energetic_nodes slip;
  row_nodes(w, 2 * i + 1, w->nodes.P, slip);
  for (int j = 0; j < t->nodes; j++)
    w->nodes.old[w->n + i][j] =
        user_force(w, i, w->nodes.F[i][j], w->state.v[2 * i + 1] + h * slip[j]);
}

// largest change of forces, as a velocity in units of the speed
static double change_of(const carom_energetic_workspace *w, int c, int row, double h) {
  double most = 0.0;
  for (int j = 0; j < w->nodes.table->nodes; j++) {
    double change = fabs(w->nodes.F[c][j] - w->nodes.old[c][j]);
    most = change > most ? change : most;
  }
  return most * h * w->problem.root[row] / w->state.speed;
}

// one round: compressions from forces, forces from compressions; returns the change
static double improve_step(carom_energetic_workspace *w, double h) {
  const energetic_table *t = w->nodes.table;
  int n = w->n;
  for (int c = 0; c < w->response.channels; c++)
    if (w->nodes.live[c]) integrate_nodes(t, t->twice, w->nodes.F[c], w->nodes.Q[c]);
  double change = 0.0, none = NOTHING * w->state.speed * h;
  for (int i = 0; i < n; i++) {
    if (w->state.status[i] != ENERGETIC_PRESSED) continue;
    if (w->problem.user[i]) user_forces(w, i, h);
    energetic_nodes sum;
    row_nodes(w, 2 * i, w->nodes.Q, sum);
    double soft = 1.0 / energetic_eta(w, i), first = w->state.v[2 * i] * h,
           least = none * w->problem.root[2 * i];
    for (int j = 0; j < padded_count(t); j++) {
      double y = w->state.x[i] - (first * t->phi[j] + h * h * sum[j]) * soft;
      w->nodes.X[i][j] = fabs(y) > least ? y : 0.0;
    }
  }
  for (int i = 0; i < n; i++) {
    if (w->state.status[i] != ENERGETIC_PRESSED) continue;
    memcpy(w->nodes.old[i], w->nodes.F[i], sizeof *w->nodes.F);
    set_force(w, i, w->nodes.X[i], w->nodes.F[i]);
    double d = change_of(w, i, 2 * i, h);
    if (!(d <= change)) change = d;
    if (!w->problem.user[i]) continue;
    d = change_of(w, n + i, 2 * i + 1, h);
    if (!(d <= change)) change = d;
    memcpy(w->nodes.F[n + i], w->nodes.old[n + i], sizeof *w->nodes.F);
  }
  return change;
}

// impulses of channels and velocities of rows at the nodes
static void finish_step(carom_energetic_workspace *w, double h) {
  const energetic_table *t = w->nodes.table;
  for (int c = 0; c < w->response.channels; c++) {
    if (!w->nodes.live[c]) continue;
    integrate_nodes(t, t->once, w->nodes.F[c], w->nodes.P[c]);
    for (int j = 0; j < padded_count(t); j++)
      w->nodes.P[c][j] *= h;
  }
  for (int row = 0; row < 2 * w->n; row++) {
    if (row % 2 && !w->problem.rough[row / 2] && !w->problem.user[row / 2]) continue;
    row_nodes(w, row, w->nodes.P, w->nodes.V[row]);
    for (int j = 0; j < padded_count(t); j++)
      w->nodes.V[row][j] += w->state.v[row];
  }
}

// what the polynomials leave out, as a velocity in units of the tolerance
static double left_out(const carom_energetic_workspace *w, double h) {
  const energetic_table *t = w->nodes.table;
  double most = 0.0;
  for (int c = 0; c < w->response.channels; c++) {
    if (!w->nodes.live[c]) continue;
    double last = 0.0, before = 0.0;
    for (int j = 0; j < t->nodes; j++) {
      last += t->last[0][j] * w->nodes.F[c][j];
      before += t->last[1][j] * w->nodes.F[c][j];
    }
    int row = c < w->n ? 2 * c : 2 * (c - w->n) + 1;
    double size = fmax(fabs(last), 0.5 * fabs(before)) * w->problem.root[row];
    if (!(size <= most)) most = size;
  }
  return most * h / (t->nodes * w->state.speed * w->problem.tolerance);
}

double energetic_start(carom_energetic_workspace *w, double h) {
  guess_velocities(w, h);
  double enough = fmax(0.1 * w->problem.tolerance, 2e-16), before = INFINITY;
  for (int round = 0; round < ROUNDS; round++) {
    w->outcome.result->iterations++;
    double change = improve_step(w, h), rate = change / before;
    if (!isfinite(change) || round == ROUNDS - 1) return INFINITY;
    // geometric convergence: what is left is known beforehand
    if (change <= enough || (round > 0 && rate < 0.3 && change * rate <= 0.5 * enough)) break;
    if (round > 3 && rate > 0.6) return INFINITY;
    before = change;
  }
  finish_step(w, h);
  return left_out(w, h);
}
