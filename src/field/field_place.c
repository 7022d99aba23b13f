// SPDX-License-Identifier: MIT
/// What analyses ask of a motion beyond its run: begin anywhere, go on with another parameter, how
/// the state changes at present, what the system does not depend on.
#include "field/field.h"

#include "engine/names.h"
#include "engine/saved.h"

#include <math.h>
#include <string.h>

static carom_field *field_of(const carom_simulation *simulation) { return simulation->state; }

// the run begins at time t in the state y
static carom_status begin_at(carom_field *it, double t, const double *y, carom_error *error) {
  memcpy(it->settings.start_given, y, (size_t)it->model->size * sizeof *y);
  it->settings.start_given[it->model->size] = t;
  return carom_field_start_run(it, error);
}

// The six numbers of a rigid body in the plane can be anything. Those of other bodies depend on
// each other (a quaternion has length 1, a deformation determinant 1).
carom_status carom_field_place(carom_simulation *simulation, double t, const double *y,
                               uint64_t closed, carom_error *error) {
  carom_field *it = field_of(simulation);
  (void)closed;
  if (it->model->field->soft || it->model->field->space)
    return carom_fail(error, CAROM_ERR_UNSUPPORTED,
                      "the numbers that describe a body that is soft or in space depend on each "
                      "other, so that it cannot start at any of them");
  return begin_at(it, t, y, error);
}

carom_status carom_field_change(carom_simulation *simulation, const char *name, double value,
                                carom_error *error) {
  carom_field *it = field_of(simulation);
  int parameter = name ? carom_scenario_parameter(it->model->scenario, name) : -1;
  if (name && parameter < 0) return carom_unknown_name(simulation, name, error);
  if (name && !isfinite(value))
    return carom_fail(error, CAROM_ERR_ARGUMENT, "the value of '%s' is not finite", name);
  if (name) it->settings.given[parameter] = value;
  return begin_at(it, it->now.t, it->y, error);
}

const double *carom_field_rates(const carom_simulation *simulation) {
  carom_field *it = field_of(simulation);
  if (carom_field_rhs(it, it->now.t, it->y, it->rate) != CAROM_OK)
    for (int i = 0; i < it->model->size; i++)
      it->rate[i] = NAN;
  return it->rate;
}

// fields have no contacts that are closed or forbid a direction, and motions no words
int carom_field_held(const carom_simulation *simulation) {
  (void)simulation;
  return 0;
}

uint64_t carom_field_closed(const carom_simulation *simulation) {
  (void)simulation;
  return 0;
}

carom_status carom_field_turn(carom_simulation *simulation, char *text, size_t room,
                              carom_error *error) {
  (void)simulation, (void)error;
  if (room > 0) text[0] = '\0';
  return CAROM_OK;
}

// ---- what the system depends on

double carom_field_period(const carom_simulation *simulation) {
  const carom_field *it = field_of(simulation);
  const carom_scenario *s = it->model->scenario;
  return s->run.period ? carom_node_evaluate(s->graph, s->run.period, it->settings.values, NULL)
                       : 0.0;
}

static bool node_moves(const carom_scenario *s, carom_node node) {
  return node && carom_node_depends(s->graph, node, s->time);
}

bool carom_field_autonomous(carom_simulation *simulation) {
  const carom_field_model *model = field_of(simulation)->model;
  const carom_field_description *f = model->field;
  const carom_scenario *s = model->scenario;
  bool driven = node_moves(s, f->mass_factor) || s->rules.event_count > 0;
  for (int k = 0; k < f->support_count; k++)
    for (int i = 0; i < 3; i++)
      driven = driven || node_moves(s, f->supports[k].shift[i]);
  for (int k = 0; k < f->law_count; k++)
    driven = driven || node_moves(s, f->laws[k].normal) || node_moves(s, f->laws[k].tangential);
  return !driven;
}

// Forces depend on distances from supports alone: a body may be moved along all of them.
bool carom_field_cyclic(const carom_model *model, int k) {
  const carom_field_model *prepared = model->prepared;
  const carom_field_description *f = prepared->field;
  bool along = k < prepared->dimension && prepared->scenario->rules.event_count == 0;
  for (int s = 0; s < f->support_count && along; s++) {
    double component = 0.0;
    carom_node normal = f->supports[s].normal[k];
    along = !normal || (carom_node_is_constant(prepared->scenario->graph, normal, &component) &&
                        component == 0.0);
  }
  return along;
}

int carom_field_shifts(const carom_model *model, int most, double *weights) {
  int n = ((const carom_field_model *)model->prepared)->n, count = 0;
  for (int k = 0; k < n && count < most; k++) {
    if (!carom_field_cyclic(model, k)) continue;
    for (int i = 0; i < n; i++)
      weights[count * n + i] = i == k ? 1.0 : 0.0;
    count++;
  }
  return count;
}
