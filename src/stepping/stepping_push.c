// SPDX-License-Identifier: MIT
// Forces of the scenario on bodies: expressions at the places of the middle of the step, with the
// mean of the velocities before and after it.
#include "base/vector.h"
#include "stepping/stepping.h"

#include <string.h>

static void tell_middle(const carom_stepping *it, int k, double *y) {
  const carom_scenario *scenario = it->model->scenario;
  const carom_stepping_body *body = &it->model->bodies->bodies[k];
  const carom_solid *s = &it->world->solids[k];
  bool space = it->model->bodies->space;
  double h = it->world->set.step, spin[3];
  int rates = scenario->coordinate_count, states = rates + carom_scenario_rates(scenario);
  if (!body->moves) return;
  for (int c = 0; c < (space ? 3 : 2); c++) {
    y[body->coordinate + c] = s->place[c];
    y[rates + body->coordinate + c] = 0.5 * (s->v0[c] + s->v[c]);
  }
  carom_m3_transposed(s->turn, s->w, spin);
  if (!space) {
    y[body->coordinate + 2] = s->angle + 0.5 * h * s->spin[2];
    y[rates + body->coordinate + 2] = 0.5 * (s->spin[2] + spin[2]);
    return;
  }
  carom_solid_turned(s, 0.5 * h, y + states + body->state);
  for (int c = 0; c < 3; c++)
    y[rates + body->speed + c] = 0.5 * (s->spin[c] + spin[c]);
}

void carom_stepping_push(void *ctx, double (*forces)[6]) {
  carom_stepping *it = ctx;
  const carom_world *world = it->world;
  const carom_program *program = it->model->pushed;
  double *registers = it->pushed_registers, own[6] = {0.0};
  bool space = world->set.space;
  registers[0] = carom_world_time(world) + 0.5 * world->set.step;
  for (int k = 0; k < world->count; k++)
    tell_middle(it, k, registers + 1);
  carom_program_run(program, registers);
  for (int k = 0; k < world->count; k++) {
    int first = it->model->pushed_at[k];
    memset(forces[k], 0, sizeof forces[k]);
    if (first < 0) continue;
    (void)carom_program_read(program, registers, first, space ? 6 : 3, own);
    memcpy(forces[k], own, (space ? 3 : 2) * sizeof *own);
    if (space)
      carom_m3_times(world->solids[k].turn, own + 3, forces[k] + 3);
    else
      forces[k][5] = own[2];
  }
}
