// SPDX-License-Identifier: MIT
// Sections and stops are met beside the steps: by them nothing moves, so the step goes on as if
// nobody had looked. What is told of such an instant is no interpolation: steppers of their own go
// there from the beginning of the step.
#include "field/field.h"

#include <string.h>

carom_status carom_field_go_to(carom_field *it, double t, const double **y, carom_error *error) {
  carom_stepper *plain = &it->watching.beside.steppers.plain;
  carom_implicit *stiff = &it->watching.beside.steppers.stiff;
  double h = t - it->now.t;
  carom_status status;
  if (it->now.implicit) {
    stiff->options = it->steppers.stiff.options;
    stiff->beside = it->steppers.stiff.beside;
    status = carom_implicit_start(stiff, it->now.t, it->y, h, error);
    while (status == CAROM_OK && stiff->t < t) {
      status = carom_implicit_try(stiff, t, error);
      if (status == CAROM_OK) carom_implicit_commit(stiff);
    }
    *y = stiff->y;
    return status;
  }
  plain->options = it->steppers.plain.options;
  status = carom_stepper_start(plain, it->now.t, it->y, h, error);
  while (status == CAROM_OK && plain->t < t) {
    status = carom_stepper_try(plain, t, error);
    if (status == CAROM_OK) carom_stepper_commit(plain);
  }
  *y = plain->y;
  return status;
}

carom_status carom_field_beside(carom_field *it, double t, int count, bool *happened, bool *stop,
                                carom_error *error) {
  size_t size = (size_t)it->size * sizeof *it->y;
  const double *y;
  double begin = it->now.t, det_error = 0.0;
  carom_status status = carom_field_go_to(it, t, &y, error);
  if (status != CAROM_OK) return status;
  memcpy(it->watching.beside.y, it->y, size);
  memcpy(it->y, y, size);
  (void)carom_field_project(it, it->y, &det_error);
  it->now.t = t;
  status = carom_field_instant(it, count, happened, stop, error);
  it->now.t = begin;
  memcpy(it->y, it->watching.beside.y, size);
  return status;
}
