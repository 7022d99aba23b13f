// SPDX-License-Identifier: MIT
/// Follows an attractor along a parameter. Each step of the way is one record of the journal: the
/// points it gave, the changes it met and the state to go on from.
#include "carom/bifurcation.h"

#include "analysis/location.h"
#include "analysis/section_run.h"
#include "analysis/watch_over.h"
#include "base/error.h"
#include "base/platform.h"
#include "base/text.h"
#include "carom/version.h"
#include "device/crew.h"
#include "spread/shared_work.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_KEEP = 64, MOST_FINE = 1000, TRIES = 64, MOST_RUNS = 400 };
static const double WAIT = 0.000618; // of a run; no simple fraction of a period

carom_bifurcation_options carom_bifurcation_options_default(void) {
  return (carom_bifurcation_options){.skip = -1,
                                     .keep = DEFAULT_KEEP,
                                     .period_tolerance = 1e-6,
                                     .size = sizeof(carom_bifurcation_options)};
}

struct carom_bifurcation {
  carom_section_view view;
  carom_journal *journal;
  carom_bifurcation_point *points;
  carom_bifurcation_change *changes;
  long point_count, change_count, point_room, change_room;
  void **records; // the bytes that points and changes look into
  long record_count;
  char *section, *observable;
  carom_card_report card;
};

/// One walker: a simulation, what is seen of its run, states to go back to.
typedef struct walker {
  const carom_bifurcation_options *options;
  carom_bifurcation *diagram;
  carom_simulation *simulation, *scout; // the scout locates critical values
  carom_section_run run, scout_run;
  void *before; // the state at the end of the last step
  size_t state_size;
  bool has_before;
  double value;                 // of the last step
  double wait;                  // how much later a change is tried that was not possible
  char text[CAROM_LOCATE_TEXT]; // of its motion
  // the record being made: points, changes
  carom_parcel points, changes;
  int64_t point_count, change_count;
} walker;

// ---- one step ----

static void put_point(walker *it, double value, int direction, carom_status status,
                      const carom_error *failure) {
  const carom_section_run *run = &it->run;
  int numbers = status < 0 ? 0 : run->count > 0 ? run->count : 1;
  it->point_count++;
  carom_parcel_number(&it->points, value);
  carom_parcel_count(&it->points, direction);
  carom_parcel_count(&it->points, status);
  carom_parcel_count(&it->points, status < 0 ? 0 : run->period);
  carom_parcel_count(&it->points, status < 0 ? 0 : run->count);
  carom_parcel_count(&it->points, status >= 0 && run->passed);
  carom_parcel_count(&it->points, numbers);
  carom_parcel_put(&it->points, run->sorted, (size_t)numbers * sizeof(double));
  carom_parcel_text(&it->points, status < 0 ? "" : run->word);
  carom_parcel_text(&it->points, status >= 0 && run->regime ? run->regime : "");
  carom_parcel_text(&it->points, status < 0 ? failure->text : "");
}

// A surface that moves with the parameter may run into a body in flight: then a little later.
static carom_status change_parameter(walker *it, double value, carom_error *error) {
  carom_simulation *simulation = it->simulation;
  carom_status status = CAROM_ERR_INPUT;
  for (int k = 0; k < TRIES && status == CAROM_ERR_INPUT; k++) {
    status = carom_simulation_change(simulation, it->options->axis->name, value, error);
    if (status != CAROM_ERR_INPUT) break;
    carom_simulation_observe(simulation, NULL);
    carom_status moved =
        carom_simulation_advance(simulation, carom_simulation_time(simulation) + it->wait, NULL);
    if (moved < 0) break;
  }
  return status;
}

// What was seen there becomes a point. A run that fails is one too, unless all is to end.
static carom_status note_point(walker *it, double value, int direction, carom_status status,
                               const carom_error *failure, carom_error *error) {
  const carom_watcher *watcher = &it->options->watcher;
  bool asked = watcher->stopped && watcher->stopped(watcher->ctx);
  if (status == CAROM_STOP_USER || asked) return CAROM_STOP_USER;
  if (status == CAROM_ERR_MEMORY || status == CAROM_ERR_ARGUMENT) {
    if (error) *error = *failure;
    return status;
  }
  put_point(it, value, direction, status, failure);
  return status < 0 ? CAROM_STOP_EVENT : CAROM_OK; // the first: nothing to compare with
}

// goes to a value of the parameter and looks; a run that fails leaves the state before it
static carom_status go_to(walker *it, double value, int direction, carom_error *error) {
  carom_error failure = {0};
  carom_status status =
      it->has_before
          ? change_parameter(it, value, &failure)
          : carom_simulation_set(it->simulation, it->options->axis->name, value, &failure);
  if (status == CAROM_OK) status = carom_section_run_go(&it->run, it->simulation, &failure);
  return note_point(it, value, direction, status, &failure, error);
}

// ---- changes ----

static carom_status scout_motion(void *ctx, carom_simulation *simulation, char *text, size_t room,
                                 carom_error *error) {
  walker *it = ctx;
  carom_status status = carom_section_run_go(&it->scout_run, simulation, error);
  if (status == CAROM_OK) carom_section_run_text(&it->scout_run, text, room);
  return status;
}

// the critical value between the last step and this one, by bisection from the state before
static carom_status locate_critical(walker *it, double far, carom_location_data *found,
                                    carom_error *error) {
  carom_status status = carom_simulation_restore(it->scout, it->before, it->state_size, error);
  if (status == CAROM_OK) status = carom_simulation_change(it->scout, NULL, 0.0, error);
  carom_locate_options options = carom_locate_options_default();
  options.what = CAROM_LOCATE_MOTION;
  options.motion = scout_motion;
  options.ctx = it;
  options.parameter = it->options->axis->name;
  options.from = it->value;
  options.to = far;
  options.follow = true;
  options.tolerance = it->options->tolerance;
  options.most = MOST_RUNS;
  return status == CAROM_OK ? carom_locate_data(it->scout, &options, found, error) : status;
}

static carom_status put_change(walker *it, double far, const char *far_text, int direction,
                               carom_error *error) {
  carom_location_data found = {.value = 0.5 * (it->value + far), .near = it->value, .far = far};
  bool located = false;
  if (it->options->tolerance > 0.0) {
    carom_location_data sought;
    carom_status status = locate_critical(it, far, &sought, NULL);
    if (status == CAROM_STOP_USER || status == CAROM_ERR_MEMORY) return status;
    located = status == CAROM_OK;
    if (located) found = sought;
  }
  (void)error;
  it->change_count++;
  carom_parcel_count(&it->changes, direction);
  carom_parcel_number(&it->changes, found.value);
  carom_parcel_number(&it->changes, found.near);
  carom_parcel_number(&it->changes, found.far);
  carom_parcel_count(&it->changes, located);
  carom_parcel_text(&it->changes, located ? found.near_text : it->text);
  carom_parcel_text(&it->changes, located ? found.far_text : far_text);
  return CAROM_OK;
}

// ---- the way ----

static carom_status remember_state(walker *it, double value, carom_error *error) {
  size_t size = it->state_size;
  it->has_before = true;
  it->value = value;
  carom_section_run_text(&it->run, it->text, sizeof it->text);
  return carom_simulation_save(it->simulation, it->before, &size, error);
}

static carom_status take_step(walker *it, double value, int direction, carom_error *error) {
  bool compare = it->has_before;
  carom_status status = go_to(it, value, direction, error);
  if (status != CAROM_OK) return status == CAROM_STOP_EVENT ? CAROM_OK : status;
  char text[CAROM_LOCATE_TEXT];
  carom_section_run_text(&it->run, text, sizeof text);
  if (compare && strcmp(text, it->text) != 0)
    status = put_change(it, value, text, direction, error);
  return status == CAROM_OK ? remember_state(it, value, error) : status;
}

// the same step again in small ones
static carom_status step_finely(walker *it, double value, int direction, carom_error *error) {
  double from = it->value, count = ceil(fabs(value - from) / it->options->refine);
  int fine = count < MOST_FINE ? (int)count : MOST_FINE;
  carom_status status = carom_simulation_restore(it->simulation, it->before, it->state_size, error);
  for (int k = 1; k <= fine && status == CAROM_OK; k++)
    status = take_step(it, k == fine ? value : from + (value - from) * k / fine, direction, error);
  return status;
}

static void clear_record(walker *it) {
  it->points.size = it->changes.size = 0;
  it->point_count = it->change_count = 0;
}

static carom_status walk_along(walker *it, double value, int direction, carom_error *error) {
  clear_record(it);
  bool compare =
      it->has_before && it->options->refine > 0.0 && it->options->refine < fabs(value - it->value);
  if (!compare) return take_step(it, value, direction, error);
  carom_status status = go_to(it, value, direction, error);
  if (status == CAROM_STOP_EVENT) return CAROM_OK;
  if (status != CAROM_OK) return status;
  char text[CAROM_LOCATE_TEXT];
  carom_section_run_text(&it->run, text, sizeof text);
  if (strcmp(text, it->text) == 0) return remember_state(it, value, error);
  clear_record(it);
  return step_finely(it, value, direction, error);
}

// fresh starts leave no state behind
static void pack_record(const walker *it, carom_parcel *record) {
  size_t state = it->has_before ? it->state_size : 0;
  carom_parcel_count(record, it->point_count);
  carom_parcel_count(record, it->change_count);
  carom_parcel_count(record, (int64_t)state);
  carom_parcel_number(record, it->value);
  carom_parcel_text(record, it->text);
  carom_parcel_put(record, it->points.bytes, it->points.size);
  carom_parcel_put(record, it->changes.bytes, it->changes.size);
  carom_parcel_put(record, it->before, state);
  record->broken = record->broken || it->points.broken || it->changes.broken;
}

// ---- walkers ----

static void walker_end(void *ctx, void *mine) {
  walker *it = mine;
  (void)ctx;
  carom_section_run_destroy(&it->run);
  carom_section_run_destroy(&it->scout_run);
  carom_simulation_destroy(it->simulation);
  carom_simulation_destroy(it->scout);
  free(it->before);
  free(it->points.bytes);
  free(it->changes.bytes);
  free(it);
}

/// What all threads of a fresh diagram read.
typedef struct shared {
  const carom_bifurcation_options *options;
  carom_bifurcation *diagram;
  carom_shared_work among;
  carom_shore *shore; // the model on a card; NULL: here alone
} shared;

static carom_status walker_begin(void *ctx, void **mine, carom_error *error) {
  const shared *all = ctx;
  walker *it = calloc(1, sizeof *it);
  if (!it) return carom_fail_memory(error);
  *mine = it;
  it->options = all->options;
  it->diagram = all->diagram;
  const carom_section_view *view = &all->diagram->view;
  carom_status status = carom_simulation_create(all->options->model, &it->simulation, error);
  if (status == CAROM_OK) status = carom_simulation_create(all->options->model, &it->scout, error);
  if (status == CAROM_OK) carom_watcher_heed(&all->options->watcher, it->simulation);
  if (status == CAROM_OK) carom_watcher_heed(&all->options->watcher, it->scout);
  if (status == CAROM_OK) status = carom_section_run_create(&it->run, view, it->simulation, error);
  if (status == CAROM_OK)
    status = carom_section_run_create(&it->scout_run, view, it->simulation, error);
  if (status == CAROM_OK)
    status = carom_simulation_save(it->simulation, NULL, &it->state_size, error);
  if (status != CAROM_OK) return status;
  double lasts = carom_simulation_until(it->simulation) - carom_simulation_time(it->simulation);
  it->wait = WAIT * lasts;
  it->before = malloc(it->state_size);
  return it->before ? CAROM_OK : carom_fail_memory(error);
}

// ---- reading the records ----

static void release_parts(carom_bifurcation *it) {
  for (long k = 0; k < it->point_count; k++)
    free((void *)it->points[k].crossings);
  free(it->points);
  free(it->changes);
}

static bool read_point(carom_bifurcation *it, carom_unpack *record) {
  void *array = it->points;
  if (!carom_grow(&array, it->point_count, &it->point_room, sizeof *it->points)) return false;
  it->points = array;
  carom_bifurcation_point *point = &it->points[it->point_count++];
  *point = (carom_bifurcation_point){.value = carom_unpack_number(record)};
  point->direction = (int)carom_unpack_count(record);
  point->status = (carom_status)carom_unpack_count(record);
  point->period = (int)carom_unpack_count(record);
  point->count = (int)carom_unpack_count(record);
  point->passed = carom_unpack_count(record) != 0;
  int64_t numbers = carom_unpack_count(record);
  // copied out: texts before them may have left them unaligned
  double *copy = calloc(numbers > 0 ? (size_t)numbers : 1, sizeof *copy);
  point->crossings = copy;
  if (!copy) return false;
  carom_unpack_bytes(record, copy, (size_t)numbers * sizeof *copy);
  point->word = carom_unpack_text(record);
  point->regime = carom_unpack_text(record);
  point->failure = carom_unpack_text(record);
  return !record->broken;
}

static bool read_change(carom_bifurcation *it, carom_unpack *record) {
  void *array = it->changes;
  if (!carom_grow(&array, it->change_count, &it->change_room, sizeof *it->changes)) return false;
  it->changes = array;
  carom_bifurcation_change *change = &it->changes[it->change_count++];
  *change = (carom_bifurcation_change){.direction = (int)carom_unpack_count(record)};
  change->value = carom_unpack_number(record);
  change->near = carom_unpack_number(record);
  change->far = carom_unpack_number(record);
  change->located = carom_unpack_count(record) != 0;
  change->near_text = carom_unpack_text(record);
  change->far_text = carom_unpack_text(record);
  return !record->broken;
}

static carom_status read_record(carom_bifurcation *it, const void *bytes, long size,
                                carom_error *error) {
  carom_unpack record = {.at = bytes, .end = (const char *)bytes + size};
  int64_t points = carom_unpack_count(&record), changes = carom_unpack_count(&record);
  (void)carom_unpack_count(&record);
  (void)carom_unpack_number(&record);
  (void)carom_unpack_text(&record);
  bool good = !record.broken;
  for (int64_t k = 0; k < points && good; k++)
    good = read_point(it, &record);
  for (int64_t k = 0; k < changes && good; k++)
    good = read_change(it, &record);
  return good ? CAROM_OK : carom_fail(error, CAROM_ERR_INPUT, "the journal is damaged");
}

// ---- fresh starts, side by side ----

/// What one thread has: as many walkers as run side by side.
typedef struct party {
  walker *lane[CAROM_SECTION_LANES];
  carom_crew *crew; // values on their way to a card; NULL: it has no room for them
  int *numbers;     // among them; -1: it is computed here
} party;
enum { CREW = 1024, LEAST_CREW = 64 };

static int lanes_of(const shared *all) {
  return carom_model_lanes(all->options->model) > 1 ? CAROM_SECTION_LANES : 1;
}

static void party_end(void *ctx, void *mine) {
  party *it = mine;
  for (int k = 0; k < CAROM_SECTION_LANES; k++)
    if (it->lane[k]) walker_end(ctx, it->lane[k]);
  carom_crew_destroy(it->crew);
  free(it->numbers);
  free(it);
}

static carom_status make_crew(const shared *all, party *it, carom_error *error) {
  const walker *first = it->lane[0];
  carom_noted_kind kind;
  assert(first);
  it->numbers = calloc(CREW, sizeof *it->numbers);
  if (!it->numbers) return carom_fail_memory(error);
  if (!carom_section_view_noted(first->run.view, first->run.size, &kind))
    return carom_fail(error, CAROM_ERR_INPUT,
                      "a card sees coordinates, rates and states at a section whose name is short, "
                      "no definitions: '%s' at '%s' is for processors alone",
                      first->run.view->observable, first->run.view->section);
  carom_status status =
      carom_crew_create(all->shore, first->simulation, CREW, &kind, &it->crew, error);
  return status == CAROM_ERR_MEMORY ? CAROM_OK : status;
}

static carom_status party_begin(void *ctx, void **mine, carom_error *error) {
  const shared *all = ctx;
  party *it = calloc(1, sizeof *it);
  *mine = it;
  if (!it) return carom_fail_memory(error);
  carom_status status = CAROM_OK;
  for (int k = 0; k < lanes_of(all) && k < all->options->axis->count && status == CAROM_OK; k++) {
    void *made = NULL;
    status = walker_begin(ctx, &made, error);
    it->lane[k] = made;
  }
  return status == CAROM_OK && all->shore ? make_crew(all, it, error) : status;
}

static void fresh_pieces(void *ctx, void *mine, int count, const long *indices,
                         carom_parcel *parcels, carom_status *statuses, carom_error *error) {
  const shared *all = ctx;
  const carom_axis *axis = all->options->axis;
  party *it = mine;
  carom_section_run *runs[CAROM_SECTION_LANES] = {NULL};
  carom_simulation *simulations[CAROM_SECTION_LANES] = {NULL};
  carom_error failures[CAROM_SECTION_LANES] = {{0}};
  for (int k = 0; k < count; k++) {
    runs[k] = &it->lane[k]->run;
    simulations[k] = it->lane[k]->simulation;
    clear_record(it->lane[k]);
    statuses[k] =
        carom_simulation_set(simulations[k], axis->name, axis->values[indices[k]], &failures[k]);
  }
  carom_section_runs_go(count, runs, simulations, statuses, failures);
  for (int k = 0; k < count; k++) {
    statuses[k] =
        note_point(it->lane[k], axis->values[indices[k]], 0, statuses[k], &failures[k], error);
    if (statuses[k] == CAROM_STOP_EVENT) statuses[k] = CAROM_OK;
    if (statuses[k] == CAROM_OK) pack_record(it->lane[k], &parcels[k]);
  }
}

static carom_status fresh_piece(void *ctx, void *mine, long index, carom_parcel *parcel,
                                carom_error *error) {
  carom_status status;
  fresh_pieces(ctx, mine, 1, &index, parcel, &status, error);
  return status;
}

// the values that stand at their starts go to the crew
static void man_crew(const shared *all, party *it, int count, const long *indices) {
  const carom_axis *axis = all->options->axis;
  walker *first = it->lane[0];
  carom_crew_clear(it->crew);
  for (int k = 0; k < count; k++) {
    carom_simulation *simulation = first->simulation;
    it->numbers[k] = -1;
    carom_status status =
        carom_simulation_set(simulation, axis->name, axis->values[indices[k]], NULL);
    if (status == CAROM_OK) status = carom_section_run_begin(&first->run, simulation, NULL);
    if (status == CAROM_OK &&
        carom_crew_add(it->crew, simulation, carom_simulation_until(simulation), &it->numbers[k]))
      carom_crew_note_since(it->crew, first->run.from);
  }
}

static carom_status take_value(const shared *all, party *it, int number, long index,
                               carom_parcel *parcel, carom_error *error) {
  walker *first = it->lane[0];
  carom_error failure = {0};
  carom_status moved = CAROM_ERR_UNSUPPORTED;
  if (number >= 0) moved = carom_crew_take(it->crew, number, first->simulation);
  if (moved < 0) return fresh_piece((void *)all, it, index, parcel, error);
  clear_record(first);
  carom_status status = carom_section_run_come_back(
      &first->run, first->simulation, carom_crew_noted(it->crew, number), moved, &failure);
  status = note_point(first, all->options->axis->values[index], 0, status, &failure, error);
  if (status == CAROM_STOP_EVENT) status = CAROM_OK;
  if (status == CAROM_OK) pack_record(first, parcel);
  return status;
}

// any number of values, as many side by side as may go
static void go_here(const shared *all, party *it, int count, const long *indices,
                    carom_parcel *parcels, carom_status *statuses, carom_error *error) {
  int lanes = lanes_of(all);
  for (int k = 0, some; k < count; k += some) {
    some = count - k < lanes ? count - k : lanes;
    fresh_pieces((void *)all, it, some, indices + k, parcels + k, statuses + k, error);
  }
}

// where the card fails, the values are looked at here, and all that come later
static void lend_pieces(void *ctx, void *mine, int count, const long *indices,
                        carom_parcel *parcels, carom_status *statuses, carom_error *error) {
  const shared *all = ctx;
  party *it = mine;
  bool back = it->crew && !carom_shore_failed(all->shore);
  if (back) {
    man_crew(all, it, count, indices);
    back = carom_crew_move(it->crew, NULL) == CAROM_OK;
  }
  if (!back) go_here(all, it, count, indices, parcels, statuses, error);
  for (int k = 0; k < count && back; k++)
    statuses[k] = take_value(all, it, it->numbers[k], indices[k], &parcels[k], error);
}

static carom_status cross_over(shared *all, carom_error *error) {
  const carom_bifurcation_options *o = all->options;
  const carom_card_place place = {o->card, o->card_cache, carom_ranks_place(all->among.ranks)};
  carom_status status = o->card ? carom_shore_open(&place, o->model, &all->shore, error) : CAROM_OK;
  return o->card ? carom_shared_agree(&all->among, status, error) : CAROM_OK;
}

static carom_status run_fresh(shared *all, carom_error *error) {
  const carom_bifurcation_options *o = all->options;
  carom_spread_work work = {
      .ctx = all, .begin = party_begin, .end = party_end, .piece = fresh_piece};
  if (lanes_of(all) > 1) {
    work.pieces = fresh_pieces;
    work.lanes = CAROM_SECTION_LANES;
  }
  carom_status status = cross_over(all, error);
  if (all->shore) {
    work.pieces = lend_pieces;
    work.lanes = CREW;
    work.least = LEAST_CREW;
  }
  carom_spread_options options = carom_watcher_spread(&o->watcher, o->threads);
  options.part = o->part;
  options.parts = o->parts;
  if (status == CAROM_OK)
    status = carom_shared_run(&all->among, &work, &options, all->diagram->journal, error);
  carom_shore_report(all->shore, &all->diagram->card);
  carom_shore_close(all->shore);
  all->shore = NULL;
  return status;
}

// takes up the state a finished step left
static carom_status take_up(walker *it, const void *bytes, long size, carom_error *error) {
  carom_unpack record = {.at = bytes, .end = (const char *)bytes + size};
  (void)carom_unpack_count(&record);
  (void)carom_unpack_count(&record);
  int64_t state = carom_unpack_count(&record);
  double value = carom_unpack_number(&record);
  const char *text = carom_unpack_text(&record);
  if (record.broken || state != (int64_t)it->state_size)
    return state == 0 ? CAROM_OK : carom_fail(error, CAROM_ERR_INPUT, "the journal is damaged");
  it->value = value;
  it->has_before = true;
  size_t length = strlen(text);
  memcpy(it->text, text, length < sizeof it->text ? length + 1 : sizeof it->text);
  memcpy(it->before, record.end - state, it->state_size);
  return carom_simulation_restore(it->simulation, it->before, it->state_size, error);
}

// what is known already, to whoever waits for it
static carom_status tell_points(const carom_bifurcation_options *o, const carom_parcel *record,
                                carom_error *error) {
  carom_bifurcation told = {0};
  if (!o->found) return CAROM_OK;
  carom_status status = read_record(&told, record->bytes, (long)record->size, error);
  for (long k = 0; k < told.point_count && status == CAROM_OK; k++)
    o->found(o->watcher.ctx, &told.points[k]);
  release_parts(&told);
  return status;
}

static carom_status carry_step(walker *it, long k, carom_parcel *record, carom_error *error) {
  const carom_axis *axis = it->options->axis;
  carom_journal *journal = it->diagram->journal;
  assert(k >= 0 && k < carom_journal_about(journal).count);
  void *bytes = NULL;
  size_t room = 0;
  long size;
  carom_status status = carom_journal_fetch(journal, k, &bytes, &room, &size, error);
  if (status == CAROM_OK && size >= 0) {
    status = take_up(it, bytes, size, error);
    free(bytes);
    return status;
  }
  free(bytes);
  if (status != CAROM_OK) return status;
  bool up = k < axis->count;
  status = walk_along(it, axis->values[up ? k : 2 * axis->count - 1 - k], up ? 1 : -1, error);
  if (status != CAROM_OK) return status;
  record->size = 0;
  pack_record(it, record);
  if (record->broken) return carom_fail_memory(error);
  status = carom_journal_append(journal, k, record->bytes, record->size, error);
  return status == CAROM_OK ? tell_points(it->options, record, error) : status;
}

static carom_status run_carried(shared *all, carom_error *error) {
  void *mine = NULL;
  carom_parcel record = {0};
  const carom_watcher *watcher = &all->options->watcher;
  long count = carom_journal_about(all->diagram->journal).count,
       before = carom_journal_filled(all->diagram->journal);
  double began = carom_clock();
  carom_status status = walker_begin(all, &mine, error);
  for (long k = 0; mine && k < count && status == CAROM_OK; k++) {
    status = carry_step(mine, k, &record, error);
    carom_watch_tell(watcher, began, before, k + 1, count);
    if (status == CAROM_OK && k + 1 < count && watcher->stopped && watcher->stopped(watcher->ctx))
      status = CAROM_STOP_USER;
  }
  free(record.bytes);
  if (mine) walker_end(all, mine);
  return status;
}

// ---- all records ----

static carom_status read_records(carom_bifurcation *it, carom_error *error) {
  long count = carom_journal_about(it->journal).count;
  carom_status status = CAROM_OK;
  it->records = calloc((size_t)count + 1, sizeof *it->records);
  if (!it->records) return carom_fail_memory(error);
  for (long k = 0; k < count && status == CAROM_OK; k++) {
    void *bytes = NULL;
    size_t room = 0;
    long size;
    status = carom_journal_fetch(it->journal, k, &bytes, &room, &size, error);
    it->records[it->record_count++] = bytes;
    if (status == CAROM_OK && size >= 0) status = read_record(it, bytes, size, error);
  }
  return status;
}

// ---- the whole ----

static carom_status set_up(carom_bifurcation *it, const carom_bifurcation_options *o,
                           carom_error *error) {
  it->view = (carom_section_view){.section = o->section,
                                  .observable = o->observable,
                                  .skip = o->skip,
                                  .keep = o->keep,
                                  .period_tolerance = o->period_tolerance,
                                  .watcher = o->watcher};
  carom_simulation *simulation = NULL;
  carom_status status = carom_simulation_create(o->model, &simulation, error);
  if (status == CAROM_OK) status = carom_section_view_init(&it->view, simulation, error);
  if (status == CAROM_OK) {
    carom_error unknown = {0};
    status = carom_simulation_change(simulation, o->axis->name, o->axis->values[0], &unknown);
    if (status == CAROM_ERR_UNSUPPORTED && !o->fresh)
      status = carom_fail(error, status,
                          "%s, so that the state cannot be carried on; start every "
                          "value afresh (--fresh)",
                          unknown.text);
    else
      status = status == CAROM_ERR_ARGUMENT ? carom_fail(error, CAROM_ERR_INPUT, "%s", unknown.text)
                                            : CAROM_OK;
  }
  if (status == CAROM_OK) {
    it->section = carom_text_copy(it->view.section);
    it->observable = carom_text_copy(it->view.observable);
    if (!it->section || !it->observable) status = carom_fail_memory(error);
    it->view.section = it->section;
    it->view.observable = it->observable;
  }
  carom_simulation_destroy(simulation);
  return status;
}

static carom_status open_journal(carom_bifurcation *it, const carom_bifurcation_options *o,
                                 const carom_shared_work *among, carom_error *error) {
  char *scenario = carom_model_scenario_text(o->model);
  carom_build build = carom_build_info();
  uint64_t hash = 0;
  hash = carom_hash_text(hash, scenario ? scenario : "");
  hash = carom_hash_text(hash, build.version);
  hash = carom_hash_text(hash, build.revision);
  hash = carom_hash_text(hash, it->section);
  hash = carom_hash_text(hash, it->observable);
  hash = carom_hash_text(hash, o->axis->name);
  const double numbers[] = {o->both,   o->fresh,     (double)o->skip,    o->keep,
                            o->refine, o->tolerance, o->period_tolerance};
  hash = carom_hash(hash, numbers, sizeof numbers);
  hash = carom_hash(hash, o->axis->values, (size_t)o->axis->count * sizeof(double));
  carom_text_destroy(scenario);
  bool twice = o->both && !o->fresh;
  carom_journal_task task = {.identity = hash, .count = (twice ? 2L : 1L) * o->axis->count};
  return carom_shared_open(among, &task, &it->journal, error);
}

carom_status carom_bifurcation_run(const carom_bifurcation_options *options,
                                   carom_bifurcation **diagram, carom_error *error) {
  *diagram = NULL;
  carom_status status =
      carom_check_options(options->size, sizeof *options, "carom_bifurcation_options", error);
  if (status != CAROM_OK) return status;
  if (options->card && !options->fresh)
    return carom_fail(error, CAROM_ERR_INPUT,
                      "a card moves motions that do not wait for each other: fresh starts");
  if (!options->model || !options->axis || options->keep < 1)
    return carom_fail(error, CAROM_ERR_ARGUMENT,
                      "a bifurcation diagram needs a model, an axis and crossings to keep");
  carom_bifurcation *made = calloc(1, sizeof *made);
  if (!made) return carom_fail_memory(error);
  shared all = {.options = options,
                .diagram = made,
                .among = {.file = options->journal, .resume = options->resume}};
  status = set_up(made, options, error);
  if (status == CAROM_OK && options->ranks && options->fresh)
    status = carom_ranks_join(&all.among.ranks, error);
  if (status == CAROM_OK) status = open_journal(made, options, &all.among, error);
  if (status == CAROM_OK)
    status = options->fresh ? run_fresh(&all, error) : run_carried(&all, error);
  carom_ranks_leave(all.among.ranks);
  if (status >= 0) {
    carom_status read = read_records(made, error);
    if (read != CAROM_OK) status = read;
  }
  if (status < 0) {
    carom_bifurcation_destroy(made);
    return status;
  }
  *diagram = made;
  return status;
}

const carom_card_report *carom_bifurcation_card(const carom_bifurcation *diagram) {
  return &diagram->card;
}

void carom_bifurcation_destroy(carom_bifurcation *diagram) {
  if (!diagram) return;
  (void)carom_journal_close(diagram->journal, NULL);
  release_parts(diagram);
  for (long k = 0; k < diagram->record_count; k++)
    free(diagram->records[k]);
  free(diagram->records);
  free(diagram->section);
  free(diagram->observable);
  free(diagram);
}

long carom_bifurcation_points(const carom_bifurcation *diagram) { return diagram->point_count; }
long carom_bifurcation_changes(const carom_bifurcation *diagram) { return diagram->change_count; }

const carom_bifurcation_point *carom_bifurcation_point_at(const carom_bifurcation *diagram,
                                                          long k) {
  return k >= 0 && k < diagram->point_count ? &diagram->points[k] : NULL;
}

const carom_bifurcation_change *carom_bifurcation_change_at(const carom_bifurcation *diagram,
                                                            long k) {
  return k >= 0 && k < diagram->change_count ? &diagram->changes[k] : NULL;
}

const char *carom_bifurcation_observable(const carom_bifurcation *diagram) {
  return diagram->observable;
}

const char *carom_bifurcation_section(const carom_bifurcation *diagram) { return diagram->section; }
