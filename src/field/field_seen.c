// SPDX-License-Identifier: MIT
// What is seen of a motion: definitions, triggers and followed quantities at a point of it.
#include "field/field.h"

#include <string.h>

void carom_field_look(carom_field *it, double t, const double *y, const double *rate) {
  const carom_field_model *model = it->model;
  double *work = it->registers.seen;
  work[0] = t;
  memcpy(work + 1, y, (size_t)model->size * sizeof *y);
  memcpy(work + model->input_count - model->n, rate + model->n, (size_t)model->n * sizeof *rate);
  carom_program_run(model->seen, work);
}

void carom_field_true_rates(carom_field *it, double t, const double *y, double *rate) {
  if (it->model->forces_seen && carom_field_rhs(it, t, y, it->after) == CAROM_OK)
    memcpy(rate, it->after, (size_t)it->size * sizeof *rate);
}

double carom_field_output(const carom_field *it, int k) {
  return it->registers.seen[carom_program_output(it->model->seen, k)];
}

void carom_field_fill_sample(carom_field *it, double t, const double *y) {
  const carom_field_model *model = it->model;
  it->sampled = y;
  double *values = it->sample_values;
  carom_field_energy energy = {0};
  memset(it->rate, 0, (size_t)it->size * sizeof *it->rate);
  if (model->forces_shown) (void)carom_field_rhs(it, t, y, it->rate);
  carom_field_look(it, t, y, it->rate);
  memcpy(values, y, (size_t)model->size * sizeof *y);
  values += model->size;
  for (int k = 0; k < model->scenario->definitions.count; k++)
    *values++ = carom_field_output(it, k);
  (void)carom_field_energy_at(it, t, y, &energy);
  values[0] = energy.kinetic;
  values[1] = energy.potential;
}
