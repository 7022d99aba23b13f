// SPDX-License-Identifier: MIT
/// The matrix of tangent dynamics against differences of the flow map: two motions that start a
/// little apart must be apart, later, by what it says.
#ifndef CAROM_TESTS_HYBRID_FLOW_DIFFERENCE_H
#define CAROM_TESTS_HYBRID_FLOW_DIFFERENCE_H

#include "motion.h"

#include "hybrid/tangent.h"

enum { MOST = 16 };

static inline uint64_t closed_at(const motion *m) {
  return m->model->engine->turns.closed(m->simulation);
}

// the state at t from a start that is moved along component j; the matrix at `base` is the claim
static inline void flow_to(const motion *m, const double *start, int size, double t0, double t1,
                           double *end) {
  carom_error error = {0};
  MUST(m->model->engine->turns.place(m->simulation, t0, start, closed_at(m), &error), error);
  MUST(carom_simulation_advance(m->simulation, t1, &error), error);
  memcpy(end, carom_simulation_state(m->simulation, &size), (size_t)size * sizeof *end);
}

// largest difference between the matrix and differences of order 4, relative to its largest entry;
// half-way the matrix is put wrong by `spoil`, as a wrong saltation would do it
static inline double worst_error(const motion *m, double t0, double t1, double step, double spoil) {
  int size = 0;
  carom_error error = {0};
  double start[MOST], moved[MOST], end[4][MOST], matrix[MOST * MOST];
  carom_simulation_reset(m->simulation, &error);
  if (t0 > carom_simulation_time(m->simulation)) motion_advance(m, t0);
  const double *state = carom_simulation_state(m->simulation, &size);
  assert_true(size <= MOST);
  memcpy(start, state, (size_t)size * sizeof *start);
  MUST(m->model->engine->turns.place(m->simulation, t0, start, closed_at(m), &error), error);
  MUST(carom_tangent_begin(m->simulation, &error), error);
  if (spoil != 0.0) {
    motion_advance(m, 0.5 * (t0 + t1));
    double *half_way = carom_tangent_matrix(m->simulation, &size);
    for (int k = 0; k < size; k++)
      half_way[k] *= 1.0 + spoil;
  }
  motion_advance(m, t1);
  memcpy(matrix, carom_tangent_matrix(m->simulation, &size),
         sizeof *matrix * (size_t)(size * size));
  carom_tangent_end(m->simulation);
  double worst = 0.0, largest = 0.0;
  for (int j = 0; j < size; j++) {
    for (int p = 0; p < 4; p++) {
      memcpy(moved, start, sizeof moved);
      moved[j] += step * (p < 2 ? p - 2 : p - 1);
      flow_to(m, moved, size, t0, t1, end[p]);
    }
    for (int i = 0; i < size; i++) {
      double slope = (8.0 * (end[2][i] - end[1][i]) - (end[3][i] - end[0][i])) / (12.0 * step);
      worst = fmax(worst, fabs(slope - matrix[i * size + j]));
      largest = fmax(largest, fabs(matrix[i * size + j]));
    }
  }
  return worst / largest;
}

#endif
