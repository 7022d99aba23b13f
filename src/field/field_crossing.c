// SPDX-License-Identifier: MIT
// Sections, stops and events: where along a step their functions pass zero, and what happens then.
// What has come at an instant is dealt with in rounds, as in the engine of coordinates: conditions
// of a round see the state it begins with, its events change the state one after the other as they
// are listed; what that makes true comes next.
#include "field/field.h"

#include "ode/nearness.h"

#include <math.h>
#include <string.h>

static const double AHEAD = 1e-7; // of a second: how far a slope looks
// of the error allowed per step: how far off a motion may be. Between the ends of stiff steps dense
// output is that poor.
static const double ERRORS = 100.0;
static const double ROUNDING = 64.0 * 2.2e-16; // of a value before and after: no change
static const double RESIDUAL = 16.0; // of what is left of a root: what an event makes of it is zero
enum { FEEL_EVERY = 16, STALLED_INSTANTS = 200, MOST_ROUNDS = 1000 };

static const carom_event_rule *rule_of(const carom_field *it, int k) {
  const carom_scenario *s = it->model->scenario;
  if (k < s->rules.section_count) return &s->rules.sections[k];
  k -= s->rules.section_count;
  return k < s->rules.stop_count ? &s->rules.stops[k] : &s->rules.events[k - s->rules.stop_count];
}

static carom_event_kind kind_of(const carom_field *it, int k) {
  const carom_scenario *s = it->model->scenario;
  if (k < s->rules.section_count) return CAROM_EVENT_SECTION;
  return k < s->rules.section_count + s->rules.stop_count ? CAROM_EVENT_STOP : CAROM_EVENT_USER;
}

static double trigger_value(const carom_field *it, int k) {
  return carom_field_output(it, it->model->triggers + k);
}

// ---- how exactly the functions are known

static double change_of(const carom_field *it, int k, double part) {
  double change = fabs(trigger_value(it, k) - it->watching.watch[k].value) * part;
  return isfinite(change) ? change : 0.0;
}

// every function's change when time and states move by their errors, added up
static void feel_errors(carom_field *it) {
  const carom_field_model *model = it->model;
  double *y = it->scratch, *rate = it->rate;
  if (carom_field_rhs(it, it->now.t, it->y, rate) != CAROM_OK) return;
  memcpy(y, it->y, (size_t)it->size * sizeof *y);
  carom_field_look(it, it->now.t, y, rate);
  for (int k = 0; k < model->watched_count; k++) {
    it->watching.watch[k].width = 0.0;
    it->watching.watch[k].value = trigger_value(it, k);
  }
  carom_field_look(it, it->now.t + 1e-6, y, rate);
  for (int k = 0; k < model->watched_count; k++)
    it->watching.watch[k].width += change_of(it, k, 1e-13 * (1.0 + fabs(it->now.t)) / 1e-6);
  // accelerations come after the states: they are as uncertain as what they are made of
  for (int i = 0; i < model->size + model->n; i++) {
    bool acceleration = i >= model->size;
    double *x = acceleration ? &rate[model->n + i - model->size] : &y[i], kept = *x;
    double far = 1e-5 + 1e-5 * fabs(kept);
    double error = it->numbers.rtol * fabs(kept) + (acceleration ? 0.0 : it->numbers.atol);
    *x = kept + far;
    carom_field_look(it, it->now.t, y, rate);
    *x = kept;
    for (int k = 0; k < model->watched_count; k++)
      it->watching.watch[k].width += ERRORS * change_of(it, k, error / far);
  }
}

// ---- the search

// theta in what is left of the step, as part of the whole
static double part_of_step(const carom_field *it, double theta) {
  double from = it->watching.from;
  return theta == 1.0 ? 1.0 : from + theta * (1.0 - from);
}

static void value_at(void *ctx, int k, double theta, double g[3]) {
  carom_field *it = ctx;
  theta = part_of_step(it, theta);
  double t = carom_field_along(it, theta, it->scratch, it->rate);
  carom_field_true_rates(it, t, it->scratch, it->rate);
  carom_field_look(it, t, it->scratch, it->rate);
  g[0] = trigger_value(it, k);
  g[1] = g[2] = NAN;
}

static void fill_watch(carom_field *it) {
  for (int k = 0; k < it->model->watched_count; k++)
    it->watching.root_watch[k] =
        (carom_root_watch){.direction = (carom_direction)rule_of(it, k)->trigger.direction,
                           .active = true,
                           .side = it->watching.watch[k].side,
                           .served = it->watching.watch[k].served,
                           .tolerance = it->watching.watch[k].width,
                           .skip_grazing = true};
}

// the side of zero each function is on where the step ends, by the same output that was searched
static void note_sides(carom_field *it, double theta, int count) {
  double unused[3];
  value_at(it, 0, theta, unused);
  for (int k = 0; k < it->model->watched_count; k++) {
    double g = trigger_value(it, k);
    if (fabs(g) > it->watching.watch[k].width) it->watching.watch[k].side = g > 0.0 ? 1 : -1;
    it->watching.watch[k].served = false;
  }
  for (int j = 0; j < count; j++) {
    it->watching.watch[it->watching.roots[j].function].side = (int)it->watching.roots[j].direction;
    it->watching.watch[it->watching.roots[j].function].served = true;
  }
}

carom_status carom_field_cross(carom_field *it, int *count, double *theta, carom_error *error) {
  int watched = it->model->watched_count;
  carom_root_functions functions = {.ctx = it, .count = watched, .value = value_at};
  *count = 0;
  *theta = 1.0;
  if (watched == 0) return CAROM_OK;
  fill_watch(it);
  for (;;) {
    *count = carom_root_first(&functions, it->watching.root_watch, CAROM_SAME_INSTANT, watched,
                              it->watching.roots);
    if (*count == 0) break;
    const carom_root *first = &it->watching.roots[0];
    if (first->kind == CAROM_ROOT_NONFINITE)
      return carom_fail_at(error, CAROM_ERR_NONFINITE, rule_of(it, first->function)->place,
                           "%s has no value after t = %.15g", rule_of(it, first->function)->name,
                           it->now.t);
    if (first->kind == CAROM_ROOT_CROSSING) break;
    // zero as long as can be told: nothing is crossed
    it->watching.root_watch[first->function].active = false;
  }
  int kept = 0;
  for (int j = 0; j < *count; j++)
    if (it->watching.roots[j].kind == CAROM_ROOT_CROSSING)
      it->watching.roots[kept++] = it->watching.roots[j];
  *count = kept;
  if (kept > 0) *theta = it->watching.roots[0].theta;
  note_sides(it, *theta, kept);
  *theta = part_of_step(it, *theta);
  return CAROM_OK;
}

bool carom_field_meets_event(const carom_field *it, int count) {
  for (int j = 0; j < count; j++)
    if (kind_of(it, it->watching.roots[j].function) == CAROM_EVENT_USER) return true;
  return false;
}

// Each function is on the side its value says; one that starts on zero goes where its slope says.
static void take_sides(carom_field *it) {
  double *ahead = it->scratch;
  if (carom_field_rhs(it, it->now.t, it->y, it->rate) != CAROM_OK) return;
  for (int i = 0; i < it->size; i++)
    ahead[i] = it->y[i] + AHEAD * it->rate[i];
  carom_field_look(it, it->now.t, it->y, it->rate);
  for (int k = 0; k < it->model->watched_count; k++)
    it->watching.watch[k].value = trigger_value(it, k);
  carom_field_look(it, it->now.t + AHEAD, ahead, it->rate);
  for (int k = 0; k < it->model->watched_count; k++) {
    carom_field_watch *watch = &it->watching.watch[k];
    bool near = fabs(watch->value) <= (watch->served ? CAROM_SERVED_WIDTH : 1.0) * watch->width;
    watch->slope = trigger_value(it, k) - watch->value;
    double decides = near ? watch->slope : watch->value;
    if (decides != 0.0) watch->side = decides > 0.0 ? 1 : -1;
  }
}

void carom_field_watch_start(carom_field *it) {
  if (it->model->watched_count == 0) return;
  feel_errors(it);
  for (int k = 0; k < it->model->watched_count; k++)
    it->watching.watch[k] = (carom_field_watch){.width = it->watching.watch[k].width};
  take_sides(it);
}

void carom_field_watch_step(carom_field *it) {
  if (it->model->watched_count > 0 && ++it->now.since_feel >= FEEL_EVERY) {
    it->now.since_feel = 0;
    feel_errors(it);
  }
}

// ---- the instant

static int component_of(const carom_field *it, carom_node symbol) {
  const carom_scenario *s = it->model->scenario;
  int n = it->model->n;
  for (int i = 0; i < n; i++) {
    if (s->coordinates[i].symbol == symbol) return i;
    if (s->coordinates[i].rate == symbol) return n + i;
  }
  for (int i = 0; i < it->model->m; i++)
    if (s->states[i].symbol == symbol) return 2 * n + i;
  return -1;
}

// all new values of a rule were computed from the state before it
static carom_status assign_rule(carom_field *it, int k, carom_error *error) {
  const carom_scenario *s = it->model->scenario;
  int index = k - s->rules.section_count - s->rules.stop_count, output = it->model->assignments;
  for (int j = 0; j < index; j++)
    output += s->rules.events[j].assignment_count;
  for (int j = 0; j < s->rules.events[index].assignment_count; j++) {
    const carom_assignment *assignment = &s->rules.events[index].assignments[j];
    double value = carom_field_output(it, output + j);
    if (!isfinite(value))
      return carom_fail_at(error, CAROM_ERR_NONFINITE, assignment->place,
                           "at t = %.15g event %s assigns a value that is not finite", it->now.t,
                           s->rules.events[index].name);
    it->after[component_of(it, assignment->symbol)] = value;
  }
  return CAROM_OK;
}

static carom_status jump_state(carom_field *it, carom_error *error) {
  carom_field_energy before, after;
  double det_error = 0.0;
  (void)carom_field_project(it, it->after, &det_error);
  if (carom_field_energy_at(it, it->now.t, it->y, &before) != CAROM_OK ||
      carom_field_energy_at(it, it->now.t, it->after, &after) != CAROM_OK)
    return carom_fail(error, CAROM_ERR_NONFINITE,
                      "at t = %.15g an event puts the body where it is not wholly above its "
                      "supports",
                      it->now.t);
  it->now.certificate.energy.work_events +=
      after.kinetic + after.potential - before.kinetic - before.potential;
  memcpy(it->y, it->after, (size_t)it->size * sizeof *it->y);
  return carom_field_restart(it, 0.0, error);
}

// What the last change of the state has made of the functions. Values that events give are exact:
// the side of zero they are on is known, however near it is.
static int crossed_by_jump(carom_field *it) {
  int count = 0;
  for (int k = 0; k < it->model->watched_count; k++)
    it->watching.watch[k].from = it->watching.watch[k].side;
  take_sides(it); // leaves the values, and the slopes of what is zero in the sides
  for (int k = 0; k < it->model->watched_count; k++) {
    carom_field_watch *watch = &it->watching.watch[k];
    const carom_trigger *when = &rule_of(it, k)->trigger;
    double after = watch->value, width = ROUNDING * (fabs(watch->before) + fabs(after));
    if (watch->served) width = fmax(width, RESIDUAL * fabs(watch->before));
    if (!(fabs(after - watch->before) > width)) continue;
    if (fabs(after) > width)
      watch->side = after > 0.0 ? 1 : -1, watch->served = false;
    else if (watch->slope == 0.0)
      watch->side = when->comparison ? (when->strict ? -1 : 1) : -watch->from;
    bool asked = when->direction == 0 || when->direction == watch->side;
    if (watch->from != 0 && watch->side == -watch->from && asked && !watch->acted)
      it->watching.roots[count++] = (carom_root){.kind = CAROM_ROOT_CROSSING,
                                                 .function = k,
                                                 .direction = (carom_direction)watch->side,
                                                 .theta = 1.0};
  }
  return count;
}

static carom_status too_many(carom_field *it, carom_error *error) {
  bool same = it->now.t - it->now.last_instant <= 1e-13 * (1.0 + fabs(it->now.t));
  it->now.stalled = same ? it->now.stalled + 1 : 0;
  it->now.last_instant = it->now.t;
  if (it->now.stalled < STALLED_INSTANTS) return CAROM_OK;
  return carom_fail(error, CAROM_STOP_ACCUMULATION, "events accumulate at t = %.15g", it->now.t);
}

static carom_event_energy energy_of(carom_field *it, const double *y) {
  carom_field_energy energy;
  if (!it->simulation->observer.energies ||
      carom_field_energy_at(it, it->now.t, y, &energy) != CAROM_OK)
    return (carom_event_energy){NAN, NAN};
  return (carom_event_energy){energy.kinetic, energy.potential};
}

static void tell_root(carom_field *it, const carom_root *root, bool *stop) {
  const carom_observer *observer = &it->simulation->observer;
  int k = root->function;
  it->now.certificate.counts.events++;
  *stop = *stop || kind_of(it, k) == CAROM_EVENT_STOP;
  carom_event event = {.kind = kind_of(it, k),
                       .name = rule_of(it, k)->name,
                       .t = it->now.t,
                       .instant = it->now.instant,
                       .direction = (int)root->direction,
                       .size = it->model->size,
                       .before = it->y,
                       .after = it->after,
                       .energy_before = energy_of(it, it->y),
                       .energy_after = energy_of(it, it->after)};
  if (observer->event && observer->event(observer->ctx, &event)) it->now.asked = true;
}

static bool condition_holds(const carom_field *it, int k) {
  return carom_field_output(it, it->model->conditions + k) != 0.0;
}

// One round: those whose conditions hold in the state it begins with, as they are listed.
static carom_status serve_round(carom_field *it, int *count, bool *jumps, carom_error *error) {
  int told = 0, watched = it->model->watched_count;
  carom_field_look(it, it->now.t, it->y, it->rate);
  for (int k = 0; k < watched; k++) {
    it->watching.watch[k].before = trigger_value(it, k);
    it->watching.watch[k].acted = false;
  }
  for (int k = 0; k < watched; k++) // roots of one instant are found in any order
    for (int j = 0; j < *count; j++) {
      carom_root root = it->watching.roots[j];
      if (root.function != k || j < told || !condition_holds(it, k)) continue;
      it->watching.roots[j] = it->watching.roots[told];
      it->watching.roots[told++] = root;
    }
  memcpy(it->after, it->y, (size_t)it->size * sizeof *it->y);
  carom_status status = CAROM_OK;
  for (int j = 0; j < told && status == CAROM_OK; j++) {
    int k = it->watching.roots[j].function;
    carom_field_tally_event(it, rule_of(it, k)->name);
    if (kind_of(it, k) != CAROM_EVENT_USER) continue;
    carom_field_look(it, it->now.t, it->after, it->rate);
    status = assign_rule(it, k, error);
    *jumps = it->watching.watch[k].acted = it->now.jumped = true;
  }
  *count = told;
  return status;
}

carom_status carom_field_instant(carom_field *it, int count, bool *happened, bool *stop,
                                 carom_error *error) {
  carom_status status = too_many(it, error);
  for (int round = 0; status == CAROM_OK && count > 0; round++) {
    bool jumps = false;
    if (round > MOST_ROUNDS)
      return carom_fail(error, CAROM_ERR_LIMIT,
                        "at t = %.15g events set each other off without end: %s after %d rounds",
                        it->now.t, rule_of(it, it->watching.roots[0].function)->name, MOST_ROUNDS);
    status = carom_field_rhs(it, it->now.t, it->y, it->rate);
    if (status == CAROM_OK) status = serve_round(it, &count, &jumps, error);
    if (status != CAROM_OK || count == 0) return status;
    if (!*happened) it->now.certificate.counts.instants = ++it->now.instant;
    *happened = true;
    for (int j = 0; j < count; j++)
      tell_root(it, &it->watching.roots[j], stop);
    count = 0;
    if (jumps) status = jump_state(it, error);
    if (jumps && status == CAROM_OK) count = crossed_by_jump(it);
  }
  return status;
}

bool carom_field_stops_at_start(carom_field *it) {
  bool stop = false;
  if (it->model->watched_count == 0 || it->now.certificate.counts.steps > 0 ||
      it->now.t != it->numbers.start || carom_field_rhs(it, it->now.t, it->y, it->rate) != CAROM_OK)
    return false;
  carom_field_look(it, it->now.t, it->y, it->rate);
  memcpy(it->after, it->y, (size_t)it->size * sizeof *it->y);
  for (int k = 0; k < it->model->watched_count; k++) {
    const carom_trigger *when = &rule_of(it, k)->trigger;
    bool is_stop = kind_of(it, k) == CAROM_EVENT_STOP && when->comparison && when->direction > 0;
    if (!is_stop || it->watching.watch[k].side <= 0 || !condition_holds(it, k)) continue;
    tell_root(it, &(carom_root){.function = k, .direction = CAROM_RISING}, &stop);
  }
  return stop;
}
