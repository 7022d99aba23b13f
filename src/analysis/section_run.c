// SPDX-License-Identifier: MIT
#include "analysis/section_run.h"

#include "base/error.h"
#include "engine/engine.h"
#include "engine/names.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool has_name(const carom_model *model, carom_item item, const char *name) {
  for (int k = 0; k < carom_model_count(model, item); k++)
    if (strcmp(carom_model_name(model, item, k), name) == 0) return true;
  return false;
}

// a section to write, and what may be named without one
static carom_status refuse_without(const carom_model *model, carom_error *error) {
  const carom_item others[] = {CAROM_CONTACTS, CAROM_EVENTS};
  char example[128] = "";
  if (carom_model_count(model, CAROM_COORDINATES) > 0)
    (void)snprintf(example, sizeof example, ", such as sections: {turn: %.64s'}",
                   carom_model_name(model, CAROM_COORDINATES, 0));
  for (size_t k = 0; k < sizeof others / sizeof *others; k++)
    if (carom_model_count(model, others[k]) > 0)
      return carom_fail(error, CAROM_ERR_INPUT,
                        "the scenario has no sections to look at the motion at: add one%s, or name "
                        "a contact or event: --section %s",
                        example, carom_model_name(model, others[k], 0));
  return carom_fail(error, CAROM_ERR_INPUT,
                    "the scenario has no sections to look at the motion at: add one%s", example);
}

carom_status carom_section_view_init(carom_section_view *view, carom_simulation *simulation,
                                     carom_error *error) {
  static const carom_item KINDS[] = {CAROM_SECTIONS, CAROM_EVENTS, CAROM_CONTACTS};
  const carom_model *model = view->model = carom_simulation_model(simulation);
  if (!view->section) view->section = carom_model_name(model, CAROM_SECTIONS, 0);
  if (model->engine->stepped)
    return carom_fail(error, CAROM_ERR_INPUT,
                      "beds of rods have no sections: carom sweep takes their observables over a "
                      "parameter, --seeds with errors");
  if (!view->section) return refuse_without(model, error);
  if (!has_name(model, CAROM_SECTIONS, view->section) &&
      !has_name(model, CAROM_EVENTS, view->section) &&
      !has_name(model, CAROM_CONTACTS, view->section))
    return carom_unknown_item(model, "section, event or contact", view->section, 3, KINDS,
                              CAROM_ERR_INPUT, error);
  if (!view->observable) view->observable = carom_simulation_column(simulation, 0);
  int size;
  (void)carom_simulation_state(simulation, &size);
  view->component = -1;
  for (int i = 0; i < size; i++)
    if (strcmp(carom_simulation_column(simulation, i), view->observable) == 0) view->component = i;
  double value;
  carom_error unknown = {0};
  if (carom_simulation_get(simulation, view->observable, &value, &unknown) == CAROM_ERR_ARGUMENT)
    return carom_fail(error, CAROM_ERR_INPUT, "%s", unknown.text);
  view->shifts = carom_shifts_of(model);
  return CAROM_OK;
}

carom_status carom_section_run_create(carom_section_run *run, const carom_section_view *view,
                                      const carom_simulation *simulation, carom_error *error) {
  *run = (carom_section_run){.view = view};
  (void)carom_simulation_state(simulation, &run->size);
  size_t keep = (size_t)view->keep + 1;
  run->states = calloc(keep * (size_t)run->size, sizeof *run->states);
  run->values = calloc(keep, sizeof *run->values);
  run->sorted = calloc(keep, sizeof *run->sorted);
  if (run->states && run->values && run->sorted) return CAROM_OK;
  carom_section_run_destroy(run);
  return carom_fail_memory(error);
}

void carom_section_run_destroy(carom_section_run *run) {
  free(run->states);
  free(run->values);
  free(run->sorted);
  *run = (carom_section_run){0};
}

static int crossing_slot(const carom_section_run *run, long crossing) {
  return (int)(crossing % run->view->keep);
}

static bool is_crossing(const carom_event *event, const char *section) {
  bool counts = event->kind == CAROM_EVENT_SECTION || event->kind == CAROM_EVENT_USER ||
                event->kind == CAROM_EVENT_IMPACT;
  return counts && event->name && strcmp(event->name, section) == 0;
}

static int on_event(void *ctx, const carom_event *event) {
  carom_section_run *run = ctx;
  const carom_section_view *view = run->view;
  if (view->watcher.stopped && view->watcher.stopped(view->watcher.ctx)) run->interrupted = true;
  if (run->interrupted) return 1;
  if (!is_crossing(event, view->section) || event->t < run->from) return 0;
  int at = crossing_slot(run, run->total);
  memcpy(run->states + (size_t)at * (size_t)run->size, event->after,
         (size_t)run->size * sizeof(double));
  if (view->component >= 0) run->values[at] = event->after[view->component];
  run->before_last = run->last;
  run->last = event->t;
  run->total++;
  run->enough = view->skip >= 0 && run->total >= view->skip + view->keep;
  // a definition can only be asked for once the instant is over
  run->at_crossing = view->component < 0 && (view->skip < 0 || run->total > view->skip);
  return run->enough || run->at_crossing;
}

static const double *state_of(const carom_section_run *run, long crossing) {
  return run->states + (size_t)crossing_slot(run, crossing) * (size_t)run->size;
}

static double size_of(const carom_section_run *run, int component) {
  double largest = 0.0;
  for (long k = run->total - run->count; k < run->total; k++)
    largest = fmax(largest, fabs(state_of(run, k)[component]));
  return largest;
}

// how far component i has moved from one crossing to another, without drift and whole turns
static double distance_moved(const carom_section_run *run, int i, const double *from,
                             const double *to) {
  assert(i >= 0);
  const carom_shifts *shifts = &run->view->shifts;
  double way = to[i] - from[i];
  for (int s = 0; s < shifts->count && i < shifts->coordinates; s++)
    way -= shifts->weight[s][i] * (to[shifts->freed[s]] - from[shifts->freed[s]]);
  return way - carom_shifts_whole(shifts, i, way);
}

// does every state kept come back after `period` crossings, but for what may drift?
static bool comes_back(const carom_section_run *run, int period) {
  assert(period > 0 && period <= run->count);
  const double small = 1e-3; // a component that vanishes on the section is measured by the others
  double whole = 0.0;
  for (int i = 0; i < run->size; i++)
    whole = fmax(whole, size_of(run, i));
  for (int i = 0; i < run->size; i++) {
    if (carom_model_cyclic(run->view->model, i)) continue;
    double allowed = run->view->period_tolerance * fmax(size_of(run, i), small * whole);
    for (long k = run->total - run->count; k + period < run->total; k++)
      if (fabs(distance_moved(run, i, state_of(run, k), state_of(run, k + period))) > allowed)
        return false;
  }
  return true;
}

// half of what is kept must repeat the other half
static int find_period(const carom_section_run *run) {
  for (int period = 1; 2 * period <= run->count; period++)
    if (comes_back(run, period)) return period;
  return 0;
}

// A cycle that is cut off just at its section looks still, there and at the end: then nothing is
// said.
static bool ends_at_section(const carom_section_run *run, double end) {
  const double near = 1e-3;
  if (run->count < 2) return false;
  double turns = (end - run->last) / (run->last - run->before_last);
  return turns < near || fabs(turns - 1.0) < near;
}

// Has the motion died away? At the speeds of the end nothing would move in the measured time by
// more than a trifle of its size, and no crossing differs from the end by more: what is met then
// are roundings, now and then.
static bool died_away(const carom_section_run *run, const carom_simulation *simulation) {
  const double trifle = 1e-4;
  int size, coordinates = carom_model_count(run->view->model, CAROM_COORDINATES);
  const double *end = carom_simulation_state(simulation, &size);
  double whole = 0.0, lasts = carom_simulation_time(simulation) - run->from;
  for (int i = 0; i < coordinates; i++)
    if (!carom_model_cyclic(run->view->model, i)) whole = fmax(whole, fabs(end[i]));
  for (int i = 0; i < size; i++) {
    bool speed = carom_model_is_rate(run->view->model, i);
    double allowed = trifle * (speed ? whole / lasts : whole);
    if (speed && fabs(end[i]) > allowed) return false;
    for (long k = run->total - run->count; k < run->total; k++)
      if (fabs(state_of(run, k)[i] - end[i]) > allowed) return false;
  }
  return coordinates > 0 && !ends_at_section(run, carom_simulation_time(simulation));
}

static carom_status sum_up(carom_section_run *run, carom_simulation *simulation,
                           carom_error *error) {
  long keep = run->view->keep;
  run->count = (int)(run->total < keep ? run->total : keep);
  run->at_rest = run->view->skip < 0 && died_away(run, simulation);
  if (run->at_rest) run->count = 0;
  for (int k = 0; k < run->count; k++)
    run->sorted[k] = run->values[crossing_slot(run, run->total - run->count + k)];
  if (run->count == 0) {
    carom_status status =
        carom_simulation_get(simulation, run->view->observable, &run->sorted[0], error);
    if (status != CAROM_OK) return status;
  }
  run->period = find_period(run);
  carom_certificate certificate;
  carom_status status = carom_simulation_certificate(simulation, &certificate, error);
  if (status == CAROM_OK) status = carom_simulation_regime(simulation, &run->regime, error);
  run->passed = status == CAROM_OK && certificate.passed;
  if (carom_simulation_word(simulation, run->word, sizeof run->word, NULL) != CAROM_OK)
    run->word[0] = '\0';
  return status;
}

static void forget_run(carom_section_run *run, const carom_simulation *simulation) {
  run->total = 0;
  run->count = run->period = 0;
  run->enough = run->interrupted = run->passed = run->at_crossing = run->at_rest = false;
  run->word[0] = '\0';
  run->regime = NULL;
  run->from = run->view->skip < 0 ? carom_simulation_measured_from(simulation) : -INFINITY;
}

static carom_status begin_run(carom_section_run *run, carom_simulation *simulation,
                              carom_error *error) {
  carom_status status = carom_simulation_reset(simulation, error);
  carom_observer observer = {.ctx = run, .event = on_event};
  carom_simulation_observe(simulation, &observer);
  forget_run(run, simulation);
  return status;
}

// Where an advance has ended: true when the run goes on behind the crossing it was stopped at.
static bool goes_on(carom_section_run *run, carom_simulation *simulation, carom_status *status,
                    carom_error *error) {
  if (*status != CAROM_STOP_USER || !run->at_crossing || run->interrupted) return false;
  run->at_crossing = false;
  *status = carom_simulation_get(simulation, run->view->observable,
                                 &run->values[crossing_slot(run, run->total - 1)], error);
  return *status == CAROM_OK && !run->enough;
}

static carom_status end_run(carom_section_run *run, carom_simulation *simulation,
                            carom_status status, carom_error *error) {
  const carom_watcher *watcher = &run->view->watcher;
  carom_simulation_observe(simulation, NULL);
  if (status < 0) return status;
  // the simulation may have been asked to stop between two events
  if (watcher->stopped && watcher->stopped(watcher->ctx)) run->interrupted = true;
  return run->interrupted ? CAROM_STOP_USER : sum_up(run, simulation, error);
}

// one advance of all that are on their way, which are listed in `which`; returns how many go on
static int advance_all(int count, int *which, carom_section_run *const *runs,
                       carom_simulation *const *simulations, carom_status *statuses,
                       carom_error *errors) {
  carom_simulation *moving[CAROM_SECTION_LANES] = {NULL};
  double until[CAROM_SECTION_LANES] = {0.0};
  carom_status status[CAROM_SECTION_LANES];
  carom_error error[CAROM_SECTION_LANES] = {{0}};
  for (int j = 0; j < count; j++) {
    moving[j] = simulations[which[j]];
    until[j] = carom_simulation_until(moving[j]);
  }
  carom_simulations_advance(moving, count, until, status, error);
  int left = 0;
  for (int j = 0; j < count; j++) {
    int k = which[j];
    bool more = goes_on(runs[k], moving[j], &status[j], &error[j]);
    statuses[k] = status[j];
    if (status[j] < 0) errors[k] = error[j];
    if (more) which[left++] = k;
  }
  return left;
}

void carom_section_runs_go(int count, carom_section_run *const *runs,
                           carom_simulation *const *simulations, carom_status *statuses,
                           carom_error *errors) {
  int which[CAROM_SECTION_LANES], left = 0;
  bool mine[CAROM_SECTION_LANES];
  for (int k = 0; k < count; k++) {
    mine[k] = statuses[k] == CAROM_OK;
    if (mine[k]) statuses[k] = begin_run(runs[k], simulations[k], &errors[k]);
    if (mine[k] && statuses[k] == CAROM_OK) which[left++] = k;
  }
  while (left > 0)
    left = advance_all(left, which, runs, simulations, statuses, errors);
  for (int k = 0; k < count; k++)
    if (mine[k]) statuses[k] = end_run(runs[k], simulations[k], statuses[k], &errors[k]);
}

carom_status carom_section_run_go(carom_section_run *run, carom_simulation *simulation,
                                  carom_error *error) {
  carom_status status = CAROM_OK;
  carom_error failure = {0};
  carom_section_runs_go(1, &run, &simulation, &status, &failure);
  if (status < 0 && error) *error = failure;
  return status;
}

// ---- runs that somebody else moves ----

carom_status carom_section_run_begin(carom_section_run *run, carom_simulation *simulation,
                                     carom_error *error) {
  carom_status status = begin_run(run, simulation, error);
  carom_simulation_observe(simulation, NULL);
  return status;
}

carom_status carom_section_run_come_back(carom_section_run *run, carom_simulation *simulation,
                                         const double *noted, carom_status moved,
                                         carom_error *error) {
  const carom_section_view *view = run->view;
  size_t size = (size_t)run->size;
  forget_run(run, simulation);
  run->total = (long)noted[0];
  run->last = noted[1];
  run->before_last = noted[2];
  run->enough = view->skip >= 0 && run->total >= view->skip + view->keep;
  long kept = run->total < view->keep ? run->total : view->keep;
  for (long k = 0; k < kept; k++) {
    double *state = run->states + (size_t)k * size;
    memcpy(state, noted + CAROM_NOTED_HEAD + (size_t)k * size, size * sizeof *state);
    run->values[k] = state[view->component];
  }
  return end_run(run, simulation, moved, error);
}

bool carom_section_view_noted(const carom_section_view *view, int size, carom_noted_kind *kind) {
  size_t length = strlen(view->section);
  if (length >= CAROM_NOTED_NAME || view->component < 0) return false;
  *kind = (carom_noted_kind){.skip = view->skip, .keep = view->keep, .size = size};
  memcpy(kind->name, view->section, length + 1);
  return true;
}

void carom_section_run_text(const carom_section_run *run, char *text, size_t room) {
  char period[32] = "";
  if (run->at_rest)
    (void)snprintf(period, sizeof period, "at rest");
  else if (run->count == 0)
    (void)snprintf(period, sizeof period, "no crossing");
  else if (run->period == 0)
    (void)snprintf(period, sizeof period, "not periodic");
  else
    (void)snprintf(period, sizeof period, "period %d", run->period);
  (void)snprintf(text, room, "%s%s%s", run->word, run->word[0] ? ", " : "", period);
}
