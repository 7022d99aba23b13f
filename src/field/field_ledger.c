// SPDX-License-Identifier: MIT
// The energy ledger: what the fields store is potential energy; what damping, viscosity and
// friction take and what moving supports do is integrated beside the motion.
#include "field/field_scene.h"

#include <math.h>

carom_status carom_field_certificate(carom_field *it, carom_certificate *certificate,
                                     carom_error *error) {
  return carom_field_ledger_at(it, it->now.t, it->y, certificate, error);
}

carom_status carom_field_ledger_at(carom_field *it, double t, const double *y,
                                   carom_certificate *certificate, carom_error *error) {
  carom_certificate *c = certificate;
  carom_field_energy energy;
  *c = it->now.certificate;
  c->t_start = it->numbers.start;
  c->t_end = t;
  c->has_energy = true;
  if (carom_field_energy_at(it, t, y, &energy) != CAROM_OK)
    return carom_fail(error, CAROM_ERR_NONFINITE, "the body is not above its supports at t = %.15g",
                      t);
  const double *integral = y + it->model->size;
  c->kinetic = energy.kinetic;
  c->potential = energy.potential;
  c->lost_dampers = integral[0];
  c->lost_friction = integral[1];
  c->work_drives = integral[2];
  c->work_forces = integral[3];
  c->constraint_error = it->now.det_error;
  double change = energy.kinetic + energy.potential - c->kinetic_start - c->potential_start;
  c->residual = change - c->work_drives - c->work_forces - c->work_events + c->lost_dampers +
                c->lost_friction;
  double scale = fabs(c->kinetic_start) + fabs(c->kinetic) +
                 fabs(c->potential - c->potential_start) + fabs(c->work_drives) +
                 fabs(c->work_forces) + fabs(c->work_events) + fabs(c->lost_dampers) +
                 fabs(c->lost_friction);
  scale = fmax(scale, it->now.energy_scale);
  double rounding = 1e-14 * (fabs(c->potential) + fabs(c->potential_start) + fabs(c->kinetic));
  c->residual_relative = fabs(c->residual) > rounding ? c->residual / scale : 0.0;
  c->tolerance = 10.0 * it->numbers.rtol * (10.0 + (double)c->steps);
  c->passed = fabs(c->residual_relative) <= c->tolerance;
  return CAROM_OK;
}
