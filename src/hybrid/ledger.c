// SPDX-License-Identifier: MIT
/// The energy ledger and the certificate of a run.
///
///   (T + V) now - (T + V) at start = work of drives + work of forces + work of events - dampers'
///   loss + residual
///
/// The works are integrated beside the motion, so the residual measures the integrator's true
/// error.
#include "hybrid/hybrid.h"

#include <math.h>

// what the residual may grow to: the tolerance of every step, one after the other
static double allowed_residual(const carom_hybrid *it) {
  double steps = (double)it->now.certificate.steps;
  return 10.0 * it->run.rtol * (10.0 + steps);
}

static carom_status settle_ledger(carom_hybrid *it, carom_certificate *c, carom_error *error) {
  const carom_dynamics *dynamics = it->model->dynamics;
  carom_energy energy;
  carom_status status = carom_dynamics_energy(dynamics, &it->work, it->now.t, it->y, &energy);
  if (status != CAROM_OK) return carom_hybrid_explain(it, status, it->now.t, it->y, error);
  double integral[4] = {0.0, 0.0, 0.0, 0.0};
  const double *quadrature = it->y + dynamics->size;
  for (int k = 0; k < 4; k++)
    if (dynamics->has_power[k]) integral[k] = *quadrature++;
  c->kinetic = energy.kinetic;
  c->potential = energy.potential;
  c->work_drives = integral[0] + energy.drive_store - it->now.store_start + it->now.drive_jumps;
  c->work_forces = integral[1];
  c->lost_dampers = integral[2];
  c->lost_friction = integral[3];
  double change = energy.kinetic + energy.potential - c->kinetic_start - c->potential_start;
  double works = c->work_drives + c->work_forces + c->work_events;
  double losses = c->lost_dampers + c->lost_friction + c->lost_impacts;
  c->residual = change - works + losses;
  double scale = fabs(c->kinetic_start) + fabs(c->kinetic) +
                 fabs(c->potential - c->potential_start) + fabs(c->work_drives) +
                 fabs(c->work_forces) + fabs(c->lost_dampers) + fabs(c->work_events) +
                 fabs(c->lost_friction) + fabs(c->lost_impacts);
  scale = fmax(scale, it->now.energy_scale);
  c->residual_relative = scale > 0.0 ? c->residual / scale : 0.0;
  return CAROM_OK;
}

carom_status carom_hybrid_certificate(carom_hybrid *it, carom_certificate *certificate,
                                      carom_error *error) {
  carom_certificate *c = certificate;
  *c = it->now.certificate;
  c->t_start = it->run.start;
  c->t_end = it->now.t;
  c->has_energy = it->model->dynamics->has_energy;
  c->tolerance = allowed_residual(it);
  if (c->has_energy) {
    carom_status status = settle_ledger(it, c, error);
    if (status != CAROM_OK) return status;
  }
  double size = 1.0;
  for (int i = 0; i < it->model->dynamics->size; i++)
    size = fmax(size, fabs(it->y[i]));
  c->passed = fabs(c->residual_relative) <= c->tolerance && c->constraint_error <= 1e-11 * size &&
              c->constraint_rate_error <= 1e-11 * size;
  return CAROM_OK;
}
