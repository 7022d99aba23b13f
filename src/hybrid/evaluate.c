// SPDX-License-Identifier: MIT
/// The contacts of a motion at a state: rows, coefficients, forces. What comes out follows from the
/// state and the modes alone.
#include "base/linear.h"
#include "hybrid/hybrid.h"

#include <assert.h>

void carom_hybrid_list_closed(carom_hybrid *it) {
  carom_contact_list_closed(&it->model->contacts, &it->contact, it->memory,
                            it->model->dynamics->rows, it->model->constraints);
}

carom_status carom_hybrid_evaluate_rows(carom_hybrid *it, double t, const double *y) {
  carom_rates rates = {.acceleration = it->room.scratch,
                       .equation = it->room.scratch + it->model->dynamics->n};
  return carom_dynamics_rows(it->model->dynamics, &it->work, t, y, &rates);
}

int carom_hybrid_solve_rows(carom_hybrid *it, const double *G, int count, const int *list,
                            double *x) {
  int stride = it->model->dynamics->rows;
  assert(count <= stride);
  for (int i = 0; i < count; i++)
    for (int j = 0; j < count; j++)
      it->room.square[i * count + j] = G[(list ? list[i] : i) * stride + (list ? list[j] : j)];
  return carom_solve_semidefinite(count, it->room.square, x, CAROM_DEPENDENT_ROW, it->room.order);
}

void carom_hybrid_add_impulse(const carom_hybrid *it, int row, double impulse, double *y) {
  assert(row >= 0 && row < it->model->dynamics->rows);
  int n = it->model->dynamics->n;
  double *u = y + it->model->dynamics->nq;
  for (int i = 0; i < n; i++)
    u[i] += it->work.rows.response[row * n + i] * impulse;
}

void carom_hybrid_coefficients(carom_hybrid *it, double t, const double *y) {
  carom_contact_coefficients(&it->model->contacts, &it->contact, it->model->dynamics,
                             &it->work.rows, t, y);
}

carom_contact_problem carom_hybrid_contact_problem(carom_hybrid *it) {
  return carom_contact_problem_now(&it->model->contacts, &it->contact, it->memory, &it->work.rows,
                                   it->model->dynamics->rows, it->model->constraints);
}

bool carom_hybrid_forces(carom_hybrid *it, double t, const double *y, bool margin) {
  return carom_contact_evaluate(&it->model->contacts, &it->contact, it->memory, it->model->dynamics,
                                &it->work.rows, it->model->constraints, t, y, margin);
}
