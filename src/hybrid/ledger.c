// SPDX-License-Identifier: MIT
/// The energy ledger and the certificate of a run.
///
///   (T + V) now - (T + V) at start = work of drives + work of forces + work of events - dampers'
///   loss + residual
///
/// The works are integrated beside the motion, so the residual measures the integrator's true
/// error.
#include "hybrid/hybrid_scene.h"

#include <math.h>
#include <string.h>

// what the residual may grow to: the tolerance of every step, one after the other
static double allowed_residual(const carom_hybrid *it) {
  double steps = (double)it->now.certificate.counts.steps;
  return 10.0 * it->run.rtol * (10.0 + steps);
}

carom_status carom_hybrid_ledger_at(carom_hybrid *it, double t, const double *y,
                                    carom_certificate *c, carom_error *error) {
  const carom_dynamics *dynamics = it->model->dynamics;
  carom_energy energy;
  carom_status status = carom_dynamics_energy(dynamics, &it->work, t, y, &energy);
  if (status != CAROM_OK) return carom_hybrid_explain(it, status, t, y, error);
  double integral[4] = {0.0, 0.0, 0.0, 0.0};
  const double *quadrature = y + dynamics->size;
  for (int k = 0; k < 4; k++)
    if (dynamics->has_power[k]) integral[k] = *quadrature++;
  c->energy.kinetic = energy.kinetic;
  c->energy.potential = energy.potential;
  c->energy.work_drives =
      integral[0] + energy.drive_store - it->now.books.store_start + it->now.books.drive_jumps;
  c->energy.work_forces = integral[1];
  c->energy.lost_dampers = integral[2];
  c->energy.lost_friction = integral[3];
  double change =
      energy.kinetic + energy.potential - c->energy.kinetic_start - c->energy.potential_start;
  double works = c->energy.work_drives + c->energy.work_forces + c->energy.work_events;
  double losses = c->energy.lost_dampers + c->energy.lost_friction + c->energy.lost_impacts;
  c->energy.residual = change - works + losses;
  double scale = fabs(c->energy.kinetic_start) + fabs(c->energy.kinetic) +
                 fabs(c->energy.potential - c->energy.potential_start) +
                 fabs(c->energy.work_drives) + fabs(c->energy.work_forces) +
                 fabs(c->energy.lost_dampers) + fabs(c->energy.work_events) +
                 fabs(c->energy.lost_friction) + fabs(c->energy.lost_impacts);
  scale = fmax(scale, it->now.books.energy_scale);
  // where nothing moves, what is left is the rounding of the energies themselves
  double rounding = 1e-14 * (fabs(c->energy.potential) + fabs(c->energy.potential_start) +
                             fabs(c->energy.kinetic));
  c->energy.residual_relative =
      fabs(c->energy.residual) > rounding ? c->energy.residual / scale : 0.0;
  return CAROM_OK;
}

// power of drives and forces less that of dampers, NaN where it has none
static double power_at(carom_hybrid *it, const double *y) {
  const carom_dynamics *dynamics = it->model->dynamics;
  double *room = it->room.scratch + it->size;
  carom_rates rates = {.acceleration = room, .equation = room + dynamics->n};
  if (carom_dynamics_free(dynamics, &it->work, it->now.t, y, &rates) != CAROM_OK) return NAN;
  return rates.power[0] + rates.power[1] - rates.power[2];
}

static double energy_at(carom_hybrid *it, const double *y) {
  carom_energy energy = {0};
  if (carom_dynamics_energy(it->model->dynamics, &it->work, it->now.t, y, &energy) != CAROM_OK)
    return NAN;
  return energy.kinetic + energy.potential;
}

// |df/dy[i]|, and into *curve |d2f/dy[i]2|, by a finite step: tolerances are lost in rounding. What
// cannot be computed allows nothing.
static double slope_of(double (*f)(carom_hybrid *, const double *), carom_hybrid *it, int i,
                       double *curve) {
  double step = 1e-6 * (1.0 + fabs(it->y[i])), here = f(it, it->y);
  memcpy(it->room.scratch, it->y, (size_t)it->size * sizeof *it->y);
  it->room.scratch[i] = it->y[i] + step;
  double above = f(it, it->room.scratch) - here;
  it->room.scratch[i] = it->y[i] - step;
  double below = f(it, it->room.scratch) - here;
  bool finite = isfinite(above) && isfinite(below);
  *curve = finite ? fabs(above + below) / (step * step) : 0.0;
  return finite ? fabs(above - below) / (2.0 * step) : 0.0;
}

// How far the account moves when every component of the state moves by its tolerance d: the energy
// held by |dE/dy| d + |d2E/dy2| d^2/2, for at rest a kinetic energy has no slope; and the works
// that are integrated by |dP/du| d for a coordinate with the rate u, since power P along a path
// that is d away differs by P_q d + P_u d', and the integral of the last term is P_u d at the end
// (for a force Q: P_u = Q, the work Q d).
static double account_spread(carom_hybrid *it) {
  int nq = it->model->dynamics->nq, n = it->model->dynamics->n;
  double spread = 0.0, curve;
  for (int i = 0; i < nq + n + it->model->dynamics->turned; i++) {
    double moved = it->run.atol + it->run.rtol * fabs(it->y[i]);
    spread += slope_of(energy_at, it, i, &curve) * moved;
    spread += 0.5 * curve * moved * moved;
    if (i < nq) spread += slope_of(power_at, it, nq + i, &curve) * moved;
  }
  return spread;
}

// Within the tolerance of the energies exchanged or, where next to nothing is, of the state itself:
// then the relative residual is told as part of what that allows.
static bool ledger_balances(carom_hybrid *it, carom_certificate *c) {
  if (!c->has_energy || fabs(c->energy.residual_relative) <= c->tolerance) return true;
  double allowed = (double)(10 + c->counts.steps) * account_spread(it);
  if (fabs(c->energy.residual) > allowed) return false;
  c->energy.residual_relative = c->energy.residual / allowed * c->tolerance;
  return true;
}

// penetration within a few tolerances of the gap, forces and impacts within their solvers'
// tolerances
static bool contacts_hold(const carom_hybrid *it, const carom_certificate *c) {
  const double gap_tolerances = 10.0, force = 1e-8;
  double energy = fmax(it->now.books.energy_scale, fabs(c->energy.lost_impacts));
  return it->now.standing.deepest <= gap_tolerances && c->worst.cone_violation <= force &&
         c->worst.complementarity <= force && c->worst.impact_error <= 1e-8 + 10.0 * it->run.rtol &&
         c->energy.impact_gain <= it->run.rtol * energy;
}

void carom_hybrid_book_impact(carom_hybrid *it, double taken, double surfaces, double change) {
  it->now.certificate.energy.lost_impacts += taken;
  it->now.books.drive_jumps += surfaces;
  it->now.books.energy_reference += change;
}

void carom_hybrid_book_rubbing(carom_hybrid *it, double taken) {
  it->now.certificate.energy.lost_impact_friction += taken;
}

void carom_hybrid_book_event(carom_hybrid *it, double change, double stored) {
  it->now.certificate.energy.work_events += change - stored;
  it->now.books.energy_reference += change;
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
    carom_status status = carom_hybrid_ledger_at(it, it->now.t, it->y, c, error);
    if (status != CAROM_OK) return status;
  }
  double size = 1.0;
  for (int i = 0; i < it->model->dynamics->size; i++)
    size = fmax(size, fabs(it->y[i]));
  c->passed = ledger_balances(it, c) && contacts_hold(it, c) && c->worst.reset_error <= 1e-13 &&
              c->worst.constraint_error <= 1e-11 * size &&
              c->worst.constraint_rate_error <= 1e-11 * size;
  return CAROM_OK;
}
