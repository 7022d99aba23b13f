// SPDX-License-Identifier: MIT
// Runs scenarios and says of each, in one line, what its certificate and `converge` find; for
// scripts/plant_faults.py, which links it with libraries that have a fault.
#include "carom/converge.h"
#include "carom/simulation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static int run(const char *path, carom_certificate *certificate, double *first,
               carom_error *error) {
  carom_model *model = NULL;
  carom_simulation *simulation = NULL;
  carom_status status = carom_model_load(path, 0, NULL, &model, error);
  if (status >= 0) status = carom_simulation_create(model, &simulation, error);
  if (status >= 0) status = carom_simulation_run(simulation, error);
  if (status >= 0) status = carom_simulation_certificate(simulation, certificate, error);
  if (status >= 0) *first = carom_simulation_state(simulation, NULL)[0];
  carom_simulation_destroy(simulation);
  carom_model_destroy(model);
  return status;
}

// the fewest digits that hold of the state at the end, 99 where trajectories part; -1: none, or
// the events are others
static double digits_of(const char *path) {
  carom_converge_options options = carom_converge_options_default();
  options.file = path;
  options.tighter = 1;
  carom_converge *report = NULL;
  carom_error error = {0};
  double least = 99.0;
  carom_status status = carom_converge_run(&options, &report, &error);
  const carom_converge_view *r = status < 0 ? NULL : carom_converge_look(report);
  for (int k = 0; r && !r->sensitive && k < r->finals; k++)
    least = fmin(least, r->final[k].digits);
  if (!r || (!r->sensitive && !r->same_events)) least = -1.0;
  carom_converge_destroy(report);
  return least;
}

int main(int count, char **paths) {
  for (int k = 1; k < count; k++) {
    carom_certificate c = {0};
    carom_error error = {0};
    const char *name = strrchr(paths[k], '/') ? strrchr(paths[k], '/') + 1 : paths[k];
    double first = NAN; // number of the state at the end
    int status = run(paths[k], &c, &first, &error);
    const char *said = status < 0 ? "error" : c.passed ? "passed" : "failed";
    double digits = status < 0 ? -1.0 : digits_of(paths[k]);
    (void)printf("%s %s %.1f %.17g\n", name, said, digits, first);
  }
  return 0;
}
