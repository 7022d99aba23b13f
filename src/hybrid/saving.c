// SPDX-License-Identifier: MIT
/// A motion of the event-driven engine as bytes: saved and restored, lent to others and taken back.
#include "engine/saved.h"
#include "hybrid/hybrid.h"

#include <string.h>

static carom_hybrid *hybrid_of(const carom_simulation *simulation) { return simulation->state; }

/// The parts of a saved state, in order; the settings among them decide what the run's numbers are.
enum { SETTINGS_FROM = 3, SETTINGS_TO = 5, SAVED_PARTS = 15 };

static void list_parts(const carom_hybrid *it, carom_saved_part parts[SAVED_PARTS]) {
  const carom_dynamics *d = it->model->dynamics;
  size_t number = sizeof(double);
  const carom_saved_part all[SAVED_PARTS] = {
      {(void *)&it->now, sizeof it->now},
      {it->y, (size_t)it->size * number},
      {it->modes, (size_t)d->modes * number},
      {it->settings.given, (size_t)d->parameters * number},
      {it->settings.start_given, (size_t)carom_hybrid_start_count(it->model) * number},
      {it->tallies, (size_t)it->model->followed_count * sizeof *it->tallies},
      {it->watching.watch, (size_t)it->model->watched_count * sizeof *it->watching.watch},
      {it->watching.memory, (size_t)it->model->watched_count * sizeof *it->watching.memory},
      {it->memory, (size_t)it->model->contacts.count * sizeof *it->memory},
      {it->tolerance.speed, (size_t)it->model->contacts.count * number}, // of the last instant
      {it->room.weight, (size_t)it->size * number}, // the same: observed kinks are told by it
      {it->watching.solids.features,
       (size_t)it->model->probe.solids.slot_count * sizeof *it->watching.solids.features},
      {it->watching.patches.way, (size_t)carom_patch_count(it->model) * 2 * number},
      {it->watching.patches.flat, (size_t)carom_patch_count(it->model) * sizeof(bool)},
      {it->beside.ground, it->beside.ground_size}};
  memcpy(parts, all, sizeof all);
}

carom_status carom_hybrid_save(const carom_simulation *simulation, void *buffer, size_t *size,
                               carom_error *error) {
  carom_hybrid *it = hybrid_of(simulation);
  carom_saved_part parts[SAVED_PARTS];
  carom_hybrid_note_stepper(it);
  // what it holds of steps that are over is of no use
  if (!it->now.paused.held && it->beside.ground_size > 0)
    memset(it->beside.ground, 0, it->beside.ground_size);
  list_parts(it, parts);
  return carom_saved_write(SAVED_PARTS, parts, buffer, size, error);
}

// what is taken as zero was settled at the last instant and came with the saved state
static void recall_tolerances(carom_hybrid *it) {
  for (int k = 0; k < it->model->watched_count; k++) {
    const carom_watched *watched = &it->model->watched[k];
    if (watched->kind == CAROM_WATCH_GAP)
      it->tolerance.gap[watched->index] = it->watching.watch[k].tolerance;
    if (watched->kind == CAROM_WATCH_SLIP)
      it->tolerance.slip[watched->index] = it->model->contacts.cross[watched->index] >= 0
                                               ? carom_spatial_tolerance(it, watched)
                                               : it->watching.watch[k].tolerance;
  }
}

// goes on from what was read
static carom_status resume_motion(carom_hybrid *it, carom_error *error) {
  if (it->now.certificate.counts.steps > 0)
    it->fitting.misfit = (carom_error){0}; // it has set off since
  carom_hybrid_configure(it);
  carom_solids_recall(it);
  carom_hybrid_configure(it);
  carom_hybrid_list_closed(it);
  carom_status status = carom_stepper_start(&it->stepper, it->now.t, it->y, it->now.h, error);
  it->stepper.grow = it->now.grow;
  it->stepper.expansion.used = it->now.by_series;
  return status;
}

carom_status carom_hybrid_restore(carom_simulation *simulation, const void *buffer, size_t size,
                                  carom_error *error) {
  carom_hybrid *it = hybrid_of(simulation);
  carom_saved_part parts[SAVED_PARTS];
  list_parts(it, parts);
  carom_status status = carom_saved_check(SAVED_PARTS, parts, buffer, size, error);
  if (status != CAROM_OK) return status;
  carom_saved_read(parts, buffer, SETTINGS_FROM, SETTINGS_TO);
  status = carom_hybrid_start(it, error);
  if (status != CAROM_OK) return status;
  carom_saved_read(parts, buffer, 0, SAVED_PARTS);
  status = resume_motion(it, error);
  recall_tolerances(it);
  return status;
}

// ---- lent ----

/// The parts of a saved state but the beginning of a step that is made anew, then what follows from
/// the settings, and what was settled at the last instant.
enum { LENT_OF_SAVED = SAVED_PARTS - 1, LENT_PARTS = LENT_OF_SAVED + 5 };

static void list_lent(carom_hybrid *it, carom_saved_part parts[LENT_PARTS]) {
  carom_saved_part saved[SAVED_PARTS];
  const carom_scenario *s = it->model->scenario;
  size_t symbols = s ? (size_t)carom_graph_symbol_count(s->graph) : 0;
  size_t contacts = (size_t)it->model->contacts.count * sizeof(double);
  list_parts(it, saved);
  memcpy(parts, saved, LENT_OF_SAVED * sizeof *parts);
  const carom_saved_part more[] = {
      {it->settings.values, symbols * sizeof(double)},
      {it->settings.parameters, (size_t)it->model->dynamics->parameters * sizeof(double)},
      {&it->run, sizeof it->run},
      {it->tolerance.gap, contacts},
      {it->tolerance.slip, contacts}};
  memcpy(parts + LENT_OF_SAVED, more, sizeof more);
}

carom_status carom_hybrid_ready_to_lend(carom_model *model, carom_error *error) {
  const carom_hybrid_model *prepared = model->prepared;
  if (!model->scenario)
    return carom_fail(error, CAROM_ERR_UNSUPPORTED, "the functions of a program run in it alone");
  for (int k = 0; k < prepared->lone.count; k++)
    if (prepared->lone.phases[k].later &&
        !carom_phase_series_make(prepared->lone.phases[k].later, error))
      return carom_fail_memory(error);
  return CAROM_OK;
}

carom_status carom_hybrid_lend(carom_simulation *simulation, void *buffer, size_t *size,
                               carom_error *error) {
  carom_hybrid *it = hybrid_of(simulation);
  carom_saved_part parts[LENT_PARTS];
  if (it->now.paused.held || it->fitting.misfit.status != CAROM_OK)
    return carom_fail(error, CAROM_ERR_UNSUPPORTED, "this motion cannot go on elsewhere");
  carom_hybrid_note_stepper(it);
  list_lent(it, parts);
  return carom_saved_write(LENT_PARTS, parts, buffer, size, error);
}

carom_status carom_hybrid_take(carom_simulation *simulation, const void *buffer, size_t size,
                               carom_error *error) {
  carom_hybrid *it = hybrid_of(simulation);
  carom_saved_part parts[LENT_PARTS];
  list_lent(it, parts);
  carom_status status = carom_saved_check(LENT_PARTS, parts, buffer, size, error);
  if (status != CAROM_OK) return status;
  carom_saved_read(parts, buffer, 0, LENT_PARTS);
  it->fitting.misfit = (carom_error){0};
  it->phases.surfaces.known = 0;
  it->phases.surfaces.not_unique = false;
  carom_hybrid_take_tolerances(it);
  return resume_motion(it, error);
}
