// SPDX-License-Identifier: MIT
#include "analysis/ring.h"

#include "analysis/branch.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double SINGULAR = 1e-15; // of the largest pivot

int carom_ring_time(const carom_ring *ring, int event) {
  assert(event >= 0 && event <= ring->events);
  return ring->states + ring->period + event * (ring->states + 1);
}
int carom_ring_state(const carom_ring *ring, int event) {
  return event < 0 ? 0 : carom_ring_time(ring, event) + 1;
}
int carom_ring_count(const carom_ring *ring) { return carom_ring_time(ring, ring->events); }

int carom_ring_columns(const carom_ring *ring) { return ring->states + 2; }
static size_t block_size(const carom_ring *ring) {
  return (size_t)(ring->states + 1) * (size_t)carom_ring_columns(ring);
}
double *carom_ring_leg(const carom_ring *ring, double *matrix, int leg) {
  assert(leg >= 0 && leg <= ring->events + 1);
  return matrix + (size_t)leg * block_size(ring);
}
double *carom_ring_phase(const carom_ring *ring, double *matrix) {
  return carom_ring_leg(ring, matrix, ring->events + 1);
}
size_t carom_ring_numbers(const carom_ring *ring) {
  return ((size_t)ring->events + 1) * block_size(ring) + (size_t)ring->states;
}

// --- condensation
//
// A row of the table is one equation, or several of them mixed:
//   near (time and state of an event) + start + far (of the next event) + period + parameter =
//   right
// The rows that lead to an event and those that lead on from it are made triangular in what is
// unknown there: the upper ones give it, once all else is known; the lower ones are rid of it.

typedef struct table {
  const carom_ring_system *of;
  int node;                                        // unknowns of an event
  int start, far, period, parameter, right, width; // columns
  double *rows;                                    // 2 node x width: being condensed
  double *kept;                                    // node x width for each event: triangular in it
  double *border;                                  // width: the last equation, condensed as well
} table;

static bool make_table(table *it, const carom_ring_system *system) {
  int m = system->ring.states, node = m + 1;
  *it = (table){.of = system, .node = node, .start = node, .far = node + m};
  it->period = it->far + node;
  it->parameter = it->period + 1;
  it->right = it->parameter + 1;
  it->width = it->right + 1;
  size_t rows = (size_t)node * (2 + (size_t)system->ring.events) + 1;
  it->rows = calloc(rows * (size_t)it->width, sizeof *it->rows);
  if (!it->rows) return false;
  it->kept = it->rows + 2 * node * it->width;
  it->border = it->kept + (size_t)(system->ring.events * node) * (size_t)it->width;
  return true;
}

// The equations of a leg, scaled, from row `row` on; where it starts is near, or for the first the
// start itself, and where it ends is far. The last leg ends at the start: as if it were another
// place until both are known.
static void put_leg(const table *it, int leg, int row, const double *right) {
  const carom_ring_system *s = it->of;
  const carom_ring *ring = &s->ring;
  int m = ring->states, columns = carom_ring_columns(ring);
  bool first = leg == 0, last = leg == ring->events;
  int from = carom_ring_state(ring, leg - 1), to = last ? 0 : carom_ring_state(ring, leg);
  assert(leg >= 0 && leg <= ring->events);
  assert(row >= 0 && row + m + (last ? 0 : 1) <= 2 * it->node);
  const double *block = s->matrix + (size_t)leg * block_size(ring);
  for (int i = last ? 1 : 0; i <= m; i++, row++) {
    int equation = to - 1 + i;
    const double *entry = block + i * columns;
    double *out = it->rows + row * it->width, weight = s->weight[equation];
    memset(out, 0, (size_t)it->width * sizeof *out);
    if (!first) out[0] = weight * entry[0] * s->scale[from - 1];
    for (int j = 0; j < m; j++)
      out[(first ? it->start : 1) + j] = weight * entry[1 + j] * s->scale[from + j];
    int end = last ? it->period : it->far;
    double size = !last ? s->scale[to - 1] : ring->period ? s->scale[m] : 0.0;
    out[end] = weight * entry[1 + m] * size;
    if (i > 0) out[it->far + i] -= weight * s->scale[to - 1 + i];
    out[it->parameter] = weight * s->by_parameter[equation] * s->scale_parameter;
    out[it->right] = right[equation];
  }
}

// rows from `k` on: a reflection makes their column k zero below the first of them
static void reflect_rows(const table *it, int k, int rows) {
  assert(k >= 0 && k < rows);
  double square = 0.0, *at = it->rows + k * it->width;
  int w = it->width;
  for (int i = 0; i < rows - k; i++)
    square += at[i * w + k] * at[i * w + k];
  if (!(square > 0.0)) return;
  double length = at[k] > 0.0 ? -sqrt(square) : sqrt(square), pivot = at[k] - length;
  double factor = 1.0 / (length * pivot); // - 2 / v.v with v = column - length e_1
  for (int j = k + 1; j < w; j++) {
    double sum = pivot * at[j];
    for (int i = 1; i < rows - k; i++)
      sum += at[i * w + k] * at[i * w + j];
    sum *= factor;
    at[j] += sum * pivot;
    for (int i = 1; i < rows - k; i++)
      at[i * w + j] += sum * at[i * w + k];
  }
  at[k] = length;
  for (int i = 1; i < rows - k; i++)
    at[i * w + k] = 0.0;
}

static double *kept_rows(const table *it, int event) {
  return it->kept + (size_t)(event * it->node) * (size_t)it->width;
}

static double largest_pivot(const table *it, const double *rows) {
  double most = 0.0;
  for (int i = 0; i < it->node; i++)
    most = fmax(most, fabs(rows[i * it->width + i]));
  return most;
}

// the last equation is rid of an event's unknowns
static void condense_border(const table *it, int event, const double *direction) {
  assert(event >= 0);
  const carom_ring *ring = &it->of->ring;
  const double *rows = kept_rows(it, event), *own = direction + carom_ring_time(ring, event);
  double least = SINGULAR * largest_pivot(it, rows), *border = it->border;
  for (int i = 0; i < it->node; i++) {
    const double *row = rows + i * it->width;
    double factor = border[i] + own[i];
    border[i] = 0.0;
    if (!(fabs(row[i]) > least)) continue;
    factor /= row[i];
    for (int j = i + 1; j < it->width; j++)
      border[j] -= factor * row[j];
  }
  // what is far is near the next event
  memcpy(border, border + it->far, (size_t)it->node * sizeof *border);
  memset(border + it->far, 0, (size_t)it->node * sizeof *border);
}

// The rows that are left in the end, as many as states, tie the end of the turn (far, from its
// second column on) to its start.
static void condense_ring(const table *it, const double *direction, const double *right) {
  const carom_ring *ring = &it->of->ring;
  int node = it->node;
  size_t row = (size_t)it->width * sizeof *it->rows;
  put_leg(it, 0, 0, right);
  for (int k = 0; k < ring->events; k++) {
    int rows = k + 1 < ring->events ? 2 * node : 2 * node - 1;
    for (int i = 0; i < node; i++) { // what was far is near
      double *at = it->rows + i * it->width;
      memcpy(at, at + it->far, (size_t)node * sizeof *at);
      memset(at + it->far, 0, (size_t)node * sizeof *at);
    }
    put_leg(it, k + 1, node, right);
    for (int i = 0; i < node; i++)
      reflect_rows(it, i, rows);
    memcpy(kept_rows(it, k), it->rows, (size_t)node * row);
    condense_border(it, k, direction);
    memmove(it->rows, it->rows + node * it->width, (size_t)(rows - node) * row);
  }
}

// --- what is left

// start, period and parameter from the rows that are left, the phase condition and the border
static void solve_start(const table *it, const double *direction, double drop, double *right,
                        double *left) {
  const carom_ring_system *s = it->of;
  const carom_ring *ring = &s->ring;
  int m = ring->states, n = m + ring->period + 1, last = carom_ring_count(ring);
  double A[CAROM_DENSE_MOST * CAROM_DENSE_MOST], b[CAROM_DENSE_MOST];
  memset(A, 0, (size_t)(n * n) * sizeof *A);
  for (int i = 0; i < m; i++) {
    const double *row = it->rows + i * it->width;
    for (int j = 0; j < m; j++)
      A[i * n + j] = row[it->start + j] + row[it->far + 1 + j];
    if (ring->period) A[i * n + m] = row[it->period];
    A[i * n + n - 1] = row[it->parameter];
    b[i] = row[it->right];
  }
  const double *phase = s->matrix + ((size_t)ring->events + 1) * block_size(ring);
  for (int j = 0; j < m && ring->period; j++)
    A[m * n + j] = s->weight[m] * phase[j] * s->scale[j];
  if (ring->period) A[m * n + n - 1] = s->weight[m] * s->by_parameter[m] * s->scale_parameter;
  if (ring->period) b[m] = right[m];
  const double *border = it->border;
  for (int j = 0; j < m; j++)
    A[(n - 1) * n + j] = direction[j] + border[it->start + j] + border[1 + j];
  if (ring->period) A[(n - 1) * n + m] = direction[m] + border[it->period];
  A[n * n - 1] = direction[last] + border[it->parameter];
  b[n - 1] = right[last] + border[it->right];
  (void)carom_branch_solve(n, A, b, drop, left);
  memcpy(right, b, (size_t)(n - 1) * sizeof *b);
  right[last] = b[n - 1];
}

// events from the last to the first; unknowns without a pivot stay as they are
static void solve_events(const table *it, double *x) {
  const carom_ring *ring = &it->of->ring;
  int m = ring->states, w = it->width;
  double parameter = x[carom_ring_count(ring)];
  for (int k = ring->events - 1; k >= 0; k--) {
    const double *rows = kept_rows(it, k);
    const double *next = k + 1 < ring->events ? x + carom_ring_time(ring, k + 1) : NULL;
    double *own = x + carom_ring_time(ring, k), least = SINGULAR * largest_pivot(it, rows);
    for (int i = it->node - 1; i >= 0; i--) {
      const double *row = rows + i * w;
      double sum = row[it->right] - row[it->parameter] * parameter;
      if (ring->period) sum -= row[it->period] * x[m];
      for (int j = 0; j < m; j++)
        sum -= row[it->start + j] * x[j];
      for (int j = next ? 0 : 1; j < it->node; j++)
        sum -= row[it->far + j] * (next ? next[j] : x[j - 1]);
      for (int j = i + 1; j < it->node; j++)
        sum -= row[j] * own[j];
      own[i] = fabs(row[i]) > least ? sum / row[i] : 0.0;
    }
  }
}

bool carom_ring_solve(const carom_ring_system *system, const double *direction, double drop,
                      double *right, double *left) {
  table it;
  if (!make_table(&it, system)) return false;
  condense_ring(&it, direction, right);
  solve_start(&it, direction, drop, right, left);
  solve_events(&it, right);
  free(it.rows);
  return true;
}

// From one event to the next: D, the derivatives of time and state by the start, as they are for
// neighbours that meet the event at their own time. `leg` has no event where it is the last.
static bool carry_to_next(const carom_ring *ring, const double *block, bool last, double *D,
                          double *next) {
  int m = ring->states, columns = carom_ring_columns(ring);
  double own = block[columns - 1];
  if (!last && own == 0.0) return false;
  memset(next, 0, (size_t)((m + 1) * m) * sizeof *next);
  for (int i = last ? 1 : 0; i <= m; i++) {
    const double *row = block + i * columns;
    for (int k = 0; k <= m; k++)
      for (int j = 0; j < m && row[k] != 0.0; j++)
        next[i * m + j] += row[k] * D[k * m + j];
  }
  for (int j = 0; j < m && !last; j++) {
    next[j] /= -own;
    for (int i = 1; i <= m; i++)
      next[i * m + j] += block[i * columns + columns - 1] * next[j];
  }
  memcpy(D, next, (size_t)((m + 1) * m) * sizeof *next);
  return true;
}

bool carom_ring_turn(const carom_ring *ring, const double *matrix, double *derivative) {
  int m = ring->states;
  size_t room = (size_t)((m + 1) * m);
  double *D = calloc(2 * room, sizeof *D);
  bool known = D != NULL;
  for (int j = 0; j < m && known; j++)
    D[(1 + j) * m + j] = 1.0;
  for (int k = 0; k <= ring->events && known; k++)
    known =
        carry_to_next(ring, matrix + (size_t)k * block_size(ring), k == ring->events, D, D + room);
  if (known) memcpy(derivative, D + m, (size_t)(m * m) * sizeof *D);
  free(D);
  return known;
}
