// SPDX-License-Identifier: MIT
#include "analysis/probe_run.h"

#include "base/error.h"
#include "carom/equilibrium.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SECANT_LIMIT = 40 };
static const double FARTHEST_PREDICTION = 4.0; // in units of the last step
static const double CLOSED = 1e-13; // |closure| of a periodic motion, per unit of its parameter
static const double NEARLY_CLOSED = 1e-9; // what is accepted when rounding stops the search

carom_status carom_probe_run_create(carom_probe_run *probe, const carom_simulation *simulation,
                                    const carom_locate_options *options, carom_error *error) {
  *probe = (carom_probe_run){.options = options, .passed = true};
  carom_status status = carom_simulation_clone(simulation, &probe->simulation, error);
  if (status == CAROM_OK) status = carom_simulation_reset(probe->simulation, error);
  if (status != CAROM_OK) return status;
  if (!options->solve) return CAROM_OK;
  return carom_simulation_get(probe->simulation, options->solve, &probe->kept_solved[0], error);
}

void carom_probe_run_destroy(carom_probe_run *probe) {
  carom_simulation_destroy(probe->simulation);
}

static carom_status move_probe(carom_probe_run *probe, carom_error *error) {
  const carom_locate_options *o = probe->options;
  probe->text[0] = '\0';
  if (o->what != CAROM_LOCATE_MOTION) return carom_simulation_run(probe->simulation, error);
  return o->motion(o->ctx, probe->simulation, probe->text, sizeof probe->text, error);
}

static carom_status run_once(carom_probe_run *probe, carom_error *error) {
  probe->runs++;
  carom_status status = move_probe(probe, error);
  if (status < 0) return status;
  carom_certificate certificate;
  status = carom_simulation_certificate(probe->simulation, &certificate, error);
  probe->passed = status == CAROM_OK && certificate.passed;
  return status;
}

// the closure of the motion that starts with the solved parameter at `value`
static carom_status closure_at(carom_probe_run *probe, double value, double *closure,
                               carom_error *error) {
  carom_status status =
      carom_simulation_set(probe->simulation, probe->options->solve, value, error);
  if (status == CAROM_OK) status = run_once(probe, error);
  probe->solved = value;
  return status == CAROM_OK ? carom_probe_observable(probe, probe->options->closure, closure, error)
                            : status;
}

// where to look for the solved parameter: on the line through the last two, unless that is far
static double predict_solved(const carom_probe_run *probe) {
  double stride = probe->kept_x[0] - probe->kept_x[1], step = probe->x - probe->kept_x[0];
  if (probe->kept_count < 2 || !(fabs(step) <= FARTHEST_PREDICTION * fabs(stride)))
    return probe->kept_solved[0];
  return probe->kept_solved[0] + step * (probe->kept_solved[0] - probe->kept_solved[1]) / stride;
}

// the secant method, from the value predicted and from where one return leads from there
static carom_status solve_closure(carom_probe_run *probe, carom_error *error) {
  double x0 = predict_solved(probe), g0, x1, g1;
  carom_status status = closure_at(probe, x0, &g0, error);
  if (status != CAROM_OK || fabs(g0) <= CLOSED * fmax(1.0, fabs(x0))) return status;
  x1 = x0 + g0;
  for (int round = 0; round < SECANT_LIMIT; round++) {
    status = closure_at(probe, x1, &g1, error);
    if (status != CAROM_OK || fabs(g1) <= CLOSED * fmax(1.0, fabs(x1))) return status;
    // rounding: it does not become smaller any more
    if (fabs(g1) >= fabs(g0) && fabs(g1) <= NEARLY_CLOSED) return CAROM_OK;
    double x2 = x1 - g1 * (x1 - x0) / (g1 - g0);
    if (!isfinite(x2) || x2 == x1) break;
    x0 = x1;
    g0 = g1;
    x1 = x2;
  }
  if (fabs(g1) <= NEARLY_CLOSED * fmax(1.0, fabs(x1))) return CAROM_OK;
  return carom_fail(error, CAROM_ERR_NO_CONVERGENCE, "no %s was found that makes %s zero",
                    probe->options->solve, probe->options->closure);
}

carom_status carom_probe_run_at(carom_probe_run *probe, double x, carom_error *error) {
  probe->x = x;
  carom_status status =
      carom_simulation_set(probe->simulation, probe->options->parameter, x, error);
  if (status < 0) {
    probe->runs++;
    return status;
  }
  return probe->options->solve ? solve_closure(probe, error) : run_once(probe, error);
}

void carom_probe_keep(carom_probe_run *probe) {
  // a value looked at again adds nothing to the line
  if (probe->kept_count == 0 || probe->x != probe->kept_x[0]) {
    probe->kept_x[1] = probe->kept_x[0];
    probe->kept_solved[1] = probe->kept_solved[0];
    probe->kept_count++;
  }
  probe->kept_x[0] = probe->x;
  probe->kept_solved[0] = probe->solved;
  // a motion that is solved for starts where its parameter says
  if (probe->options->solve || probe->options->what == CAROM_LOCATE_HOPF) return;
  // where it cannot go on, the start kept last serves
  (void)carom_simulation_change(probe->simulation, NULL, 0.0, NULL);
}

carom_status carom_probe_observable(carom_probe_run *probe, const char *name, double *value,
                                    carom_error *error) {
  carom_status status = carom_simulation_get(probe->simulation, name, value, error);
  if (status == CAROM_OK && !isfinite(*value))
    return carom_fail(error, CAROM_ERR_NONFINITE, "%s was not measured", name);
  return status;
}

carom_status carom_probe_word(carom_probe_run *probe, char *text, size_t room, carom_error *error) {
  return carom_simulation_word(probe->simulation, text, room, error);
}

carom_status carom_probe_regime(carom_probe_run *probe, char *text, size_t room,
                                carom_error *error) {
  const char *name;
  carom_status status = carom_simulation_regime(probe->simulation, &name, error);
  (void)snprintf(text, room, "%s", name ? name : "(none)");
  return status;
}

// the largest real part of its complex eigenvalues; they are sorted
static bool complex_pair(const carom_equilibrium *e, double *re) {
  for (int k = 0; k < e->eigenvalues; k++)
    if (e->im[k] != 0.0) {
      *re = e->re[k];
      return true;
    }
  return false;
}

carom_status carom_probe_hopf(carom_probe_run *probe, double x, const char *mode, double *value,
                              carom_error *error) {
  carom_status status =
      carom_simulation_set(probe->simulation, probe->options->parameter, x, error);
  if (status < 0) return status;
  carom_equilibria *list = NULL;
  status = carom_equilibria_find(probe->simulation, &list, error);
  if (status != CAROM_OK) return status;
  bool found = false;
  for (int k = 0; k < carom_equilibria_count(list) && !found; k++) {
    const carom_equilibrium *e = carom_equilibria_at(list, k);
    bool meant = mode ? strcmp(e->mode, mode) == 0 : e->admissible;
    found = meant && complex_pair(e, value);
  }
  carom_equilibria_destroy(list);
  if (found) return CAROM_OK;
  return carom_fail(error, CAROM_ERR_INPUT,
                    "at %s = %.12g there is no %sequilibrium%s%s with complex eigenvalues",
                    probe->options->parameter, x, mode ? "" : "admissible ",
                    mode ? " in mode " : "", mode ? mode : "");
}
