// SPDX-License-Identifier: MIT
// The energy ledger: what the fields store is potential energy; what damping, viscosity and
// friction take and what moving supports do is integrated beside the motion, law by law.
#include "field/field_scene.h"

#include <float.h>
#include <math.h>

carom_status carom_field_certificate(carom_field *it, carom_certificate *certificate,
                                     carom_error *error) {
  return carom_field_ledger_at(it, it->now.t, it->y, certificate, error);
}

static double integral_at(const double *integrals, int place) {
  return place < 0 ? 0.0 : integrals[place];
}

// what all laws of a kind give and take together
static void sum_kinds(const carom_field *it, const double *integrals, carom_certificate *c) {
  const carom_field_description *f = it->model->field;
  const carom_field_integrals *at = &it->model->integrals;
  c->energy.lost_dampers = integral_at(integrals, at->viscous);
  c->energy.work_forces = integral_at(integrals, at->mass);
  c->energy.lost_friction = c->energy.work_drives = 0.0;
  for (int k = 0; k < f->law_count; k++) {
    double taken = integral_at(integrals, at->taken[k]);
    c->energy.work_drives += integral_at(integrals, at->driven[k]);
    if (f->laws[k].kind == CAROM_FIELD_DAMPING)
      c->energy.lost_dampers += taken;
    else if (f->laws[k].kind == CAROM_FIELD_FRICTION)
      c->energy.lost_friction += taken;
    else
      c->energy.work_forces -=
          taken; // one's own laws, and what the printed form of a repulsion creates
  }
}

// The work on the body, law by law: what its store lost, less what it took, and what the moving
// supports did through it. In the order of the names.
static void tell_works(const carom_field *it, const double *integrals,
                       const carom_field_energy *now, carom_certificate *c) {
  const carom_field_description *f = it->model->field;
  const carom_field_integrals *at = &it->model->integrals;
  const carom_field_energy *start = &it->now.start;
  carom_field_name_works(it, c);
  carom_work *work = c->energy.works;
  (work++)->done = start->gravity - now->gravity;
  for (int k = 0; k < f->law_count; k++)
    (work++)->done = start->law[k] - now->law[k] - integral_at(integrals, at->taken[k]) +
                     integral_at(integrals, at->driven[k]);
  if (f->soft) (work++)->done = start->elastic - now->elastic;
  if (f->soft) (work++)->done = 0.0 - integral_at(integrals, at->viscous);
  if (f->mass_factor) work->done = integral_at(integrals, at->mass);
}

void carom_field_name_works(const carom_field *it, carom_certificate *certificate) {
  certificate->energy.work_count = it->model->work_count;
  for (int k = 0; k < it->model->work_count; k++)
    certificate->energy.works[k].name = it->model->works[k];
}

// The entries of F are near one however small the strain E is, and every step rounds them. Stored
// is about c E^2 / 2 with c = vol (c10 + c01), so a rounding u of E moves it by u c E = u sqrt(2 c
// W): of a strain of 1e-8 no ledger can be closed to more than 8 digits.
static double strain_rounding(const carom_field *it, long steps, double elastic) {
  const double each = 4.0 * DBL_EPSILON;
  if (!it->model->field->soft) return 0.0;
  double stored = fmax(fmax(fabs(elastic), fabs(it->now.start.elastic)), it->now.energy_scale);
  double c = it->body.volume * (it->numbers.c10 + it->numbers.c01);
  return each * (10.0 + (double)steps) * sqrt(2.0 * c * stored);
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
  c->energy.kinetic = energy.kinetic;
  c->energy.potential = energy.potential;
  sum_kinds(it, y + it->model->size, c);
  tell_works(it, y + it->model->size, &energy, c);
  c->worst.constraint_error = it->now.det_error;
  double change =
      energy.kinetic + energy.potential - c->energy.kinetic_start - c->energy.potential_start;
  c->energy.residual = change - c->energy.work_drives - c->energy.work_forces -
                       c->energy.work_events + c->energy.lost_dampers + c->energy.lost_friction;
  double scale = fabs(c->energy.kinetic_start) + fabs(c->energy.kinetic) +
                 fabs(c->energy.potential - c->energy.potential_start) +
                 fabs(c->energy.work_drives) + fabs(c->energy.work_forces) +
                 fabs(c->energy.work_events) + fabs(c->energy.lost_dampers) +
                 fabs(c->energy.lost_friction);
  scale = fmax(scale, it->now.energy_scale);
  double rounding = 1e-14 * (fabs(c->energy.potential) + fabs(c->energy.potential_start) +
                             fabs(c->energy.kinetic));
  c->energy.residual_relative =
      fabs(c->energy.residual) > rounding ? c->energy.residual / scale : 0.0;
  c->tolerance = 10.0 * it->numbers.rtol * (10.0 + (double)c->counts.steps);
  double strained = strain_rounding(it, c->counts.steps, energy.elastic);
  if (strained > 0.0) c->tolerance += strained / scale;
  c->passed = fabs(c->energy.residual_relative) <= c->tolerance;
  return CAROM_OK;
}
