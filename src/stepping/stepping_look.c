// SPDX-License-Identifier: MIT
// What is seen of the bodies: state, definitions, energies; reducers of it; the certificate.
#include "base/vector.h"
#include "engine/scene_parts.h"
#include "stepping/stepping.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void look_at_body(const carom_stepping *it, int k, double *y) {
  const carom_scenario *scenario = it->model->scenario;
  const carom_stepping_body *body = &it->model->bodies->bodies[k];
  const carom_solid *s = &it->world->solids[k];
  bool space = it->model->bodies->space;
  int rates = scenario->coordinate_count, states = rates + carom_scenario_rates(scenario);
  if (!body->moves) return;
  for (int c = 0; c < (space ? 3 : 2); c++) {
    y[body->coordinate + c] = s->x[c];
    y[rates + body->coordinate + c] = s->v[c];
  }
  if (!space) {
    y[body->coordinate + 2] = s->angle;
    y[rates + body->coordinate + 2] = s->spin[2];
    return;
  }
  for (int c = 0; c < 4; c++)
    y[states + body->state + c] = s->e[c];
  for (int c = 0; c < 3; c++)
    y[rates + body->speed + c] = s->spin[c];
}

void carom_stepping_look(carom_stepping *it) {
  const carom_stepping_model *model = it->model;
  const carom_scenario *s = model->scenario;
  double *y = it->columns, *registers = it->seen_registers;
  for (int k = 0; k < it->world->count; k++)
    look_at_body(it, k, y);
  registers[0] = carom_world_time(it->world);
  memcpy(registers + 1, y, (size_t)model->state_size * sizeof *y);
  carom_program_run(model->seen, registers);
  (void)carom_program_read(model->seen, registers, 0, s->definitions.count, y + model->state_size);
  y[model->column_count - 2] = carom_world_kinetic(it->world);
  y[model->column_count - 1] = carom_world_potential(it->world);
}

// ---- reducers

void carom_stepping_reduce(carom_stepping *it) {
  const carom_scenario *s = it->model->scenario;
  double t = carom_world_time(it->world), slack = 0.5 * it->world->set.step;
  if (t < it->numbers.window_start - slack || t > it->numbers.window_end + slack) return;
  for (int k = 0; k < s->measure.reducer_count; k++) {
    double value = NAN;
    (void)carom_program_read(it->model->seen, it->seen_registers, s->definitions.count + k, 1,
                             &value);
    if (s->measure.reducers[k].value)
      carom_look_tally_add(&it->tallies[k], s->measure.reducers[k].kind, t, value);
  }
}

static void enter_values(carom_stepping *it) {
  const carom_scenario *s = it->model->scenario;
  const int *symbols = it->model->symbols;
  carom_stepping_look(it);
  it->settings.values[symbols[0]] = carom_world_time(it->world);
  for (int k = 0; k < it->model->state_size; k++)
    it->settings.values[symbols[1 + k]] = it->columns[k];
  for (int k = 0; k < s->measure.reducer_count; k++)
    it->settings.values[carom_scenario_symbol_index(s, s->measure.reducers[k].symbol)] =
        carom_look_tally_value(&it->tallies[k], s->measure.reducers[k].kind);
}

carom_status carom_stepping_observable(carom_stepping *it, int k, double *value,
                                       carom_error *error) {
  const carom_scenario *s = it->model->scenario;
  enter_values(it);
  *value =
      carom_node_evaluate(s->graph, s->measure.observables[k].node, it->settings.values, error);
  return CAROM_OK;
}

carom_status carom_stepping_regime(carom_simulation *simulation, const char **name,
                                   carom_error *error) {
  carom_stepping *it = simulation->state;
  const carom_scenario *s = it->model->scenario;
  *name = NULL;
  enter_values(it);
  for (int k = 0; k < s->measure.regime_count && !*name; k++) {
    const carom_regime *regime = &s->measure.regimes[k];
    if (regime->word || !regime->condition) continue; // steps have no words
    if (carom_node_evaluate(s->graph, regime->condition, it->settings.values, error) != 0.0)
      *name = regime->name;
  }
  return CAROM_OK;
}

// ---- the certificate

// what is promised of a run by steps (docs/theory-stepping.md)
static bool promises_hold(const carom_world *world, const carom_certificate *c, double scale) {
  const carom_world_ledger *l = &world->ledger;
  const double part = 1e-2; // of the energy: what rows in the middle of steps may get wrong
  return fabs(c->energy.residual_relative) <= c->tolerance && l->unsolved == 0 &&
         l->ways.misfit <= 2.0 * world->set.residual && l->deepest <= l->allowed &&
         l->stride <= 1.0 && l->joint_error <= 1e-6 && l->corrected <= part * scale &&
         l->gain <= part * scale;
}

carom_status carom_stepping_certificate(carom_simulation *simulation,
                                        carom_certificate *certificate, carom_error *error) {
  (void)error;
  const carom_stepping *it = simulation->state;
  const carom_world *world = it->world;
  const carom_world_ledger *l = &world->ledger;
  carom_certificate c = {
      .t_start = it->numbers.start, .t_end = carom_world_time(world), .has_energy = true};
  carom_energy_ledger *e = &c.energy;
  e->kinetic_start = it->now.kinetic_start;
  e->potential_start = it->now.potential_start;
  e->kinetic = carom_world_kinetic(world);
  e->potential = carom_world_potential(world);
  e->work_drives = l->work_drives;
  e->work_forces = l->work_forces;
  e->lost_dampers = l->lost_dampers;
  e->lost_friction = l->lost_friction;
  e->lost_impacts = l->lost_impacts;
  e->impact_gain = l->gain;
  e->corrected = l->corrected;
  e->residual = e->kinetic + e->potential - e->kinetic_start - e->potential_start - e->work_drives -
                e->work_forces + e->lost_dampers + e->lost_friction + e->lost_impacts -
                l->projected - l->worked_joints;
  double scale = fabs(e->kinetic) + fabs(e->kinetic_start) +
                 fabs(e->potential - e->potential_start) + fabs(e->work_drives) +
                 fabs(e->work_forces) + fabs(e->lost_dampers) + fabs(e->lost_friction) +
                 fabs(e->lost_impacts);
  // next to rest what rounding makes of the stored energy counts
  double weight = 1e-6 * (fabs(e->potential) + fabs(e->potential_start));
  e->residual_relative = scale + weight > 0.0 ? e->residual / (scale + weight) : 0.0;
  c.worst.penetration = l->deepest;
  c.worst.constraint_error = l->joint_error;
  c.worst.complementarity = l->residual;
  c.worst.cone_violation = l->cone;
  c.worst.impact_error = l->ways.misfit;
  c.counts.steps = l->steps;
  c.counts.evaluations = l->sweeps;
  c.counts.impacts = l->impacts;
  c.counts.painleve = l->ways.yielded;
  c.tolerance = 1e-8;
  c.passed = promises_hold(world, &c, scale + weight);
  *certificate = c;
  return CAROM_OK;
}

// NOLINTNEXTLINE(readability-non-const-parameter): written through snprintf
void carom_stepping_describe(const carom_simulation *simulation, char *text, size_t room) {
  const carom_stepping *it = simulation->state;
  const carom_world *world = it->world;
  const carom_world_ledger *l = &world->ledger;
  int moving = 0, asleep = 0;
  for (int k = 0; k < world->count; k++) {
    moving += world->solids[k].moves;
    asleep += world->solids[k].asleep != 0;
  }
  double steps = l->steps > 0 ? (double)l->steps : 1.0;
  (void)snprintf(text, room,
                 "bodies: %d that move, %d joints\nsteps: of %g, by the scheme of Moreau and Jean\n"
                 "contacts: %.1f a step, at most %ld\n"
                 "sweeps: %.1f a step, at most %ld; %ld steps were left unsolved\n"
                 "solved as a whole: %ld times; steps without restitution, which had no solution: "
                 "%ld\n"
                 "way in a step: at most %.2g of a body's half thickness\n",
                 moving, world->bond_count, world->set.step, (double)l->contacts / steps,
                 l->most_contacts, (double)l->sweeps / steps, l->most_sweeps, l->unsolved,
                 l->ways.refined, l->ways.yielded, l->stride);
  size_t used = strlen(text);
  if (l->unsolved > 0 && used < room)
    (void)snprintf(text + used, room - used, "unsolved steps: from t = %.9g to t = %.9g\n",
                   l->ways.unsolved_from, l->ways.unsolved_until);
  used = strlen(text);
  if (world->set.sleep > 0.0 && used < room)
    (void)snprintf(text + used, room - used,
                   "sleep: %d bodies sleep now; bodies fell asleep %ld times and woke %ld times, "
                   "which stopped %.3g of kinetic energy\n",
                   asleep, l->sleep.slept, l->sleep.woken, l->sleep.stopped);
}

// ---- scenes: shapes are those of the scenario

carom_status carom_stepping_scene(carom_scene *scene, carom_error *error) {
  (void)scene;
  (void)error;
  return CAROM_OK;
}

carom_status carom_stepping_show(carom_scene *scene, double t, carom_error *error) {
  (void)t;
  return carom_stepping_certificate((carom_simulation *)scene->simulation, &scene->ledger, error);
}
