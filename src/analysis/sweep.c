// SPDX-License-Identifier: MIT
/// Runs the points of a sweep: one simulation per thread, set by name for each point.
#include "analysis/sweep_internal.h"
#include "analysis/watch_over.h"
#include "base/error.h"
#include "base/platform.h"
#include "carom/version.h"
#include "device/crew.h"
#include "engine/engine.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VALUE_TEXT = 40 };

carom_sweep_options carom_sweep_options_default(void) {
  return (carom_sweep_options){.size = sizeof(carom_sweep_options)};
}

/// What all threads read.
typedef struct shared {
  const carom_sweep_options *options;
  const carom_sweep *sweep;
  const bool *by_path; // per axis: an entry of the scenario, not a name of the simulation
  bool any_path;
  int lanes;                        // points that go side by side here
  carom_shore *shore;               // the model on a card; NULL: here alone
  const carom_sweep_blocks *blocks; // of whose points no row is kept; NULL: every row is
  long points;
} shared;

enum { LANES = CAROM_SPREAD_LANES };
enum { CREW = 4096, LEAST_CREW = 256 }; // points that go to a card together
enum { SOME = 64 };                     // points of a block that are done here together

/// What one thread has for itself.
typedef struct worker {
  carom_model *model;                   // of the present point; NULL: that of the options serves
  carom_simulation *simulations[LANES]; // for points side by side; the first for one alone
  double *at;
  carom_value *values;
  carom_setting *settings;
  char (*texts)[VALUE_TEXT];
  const carom_watcher *watcher;
  carom_crew *crew; // on their way to a card; NULL: it has no room for them
  int *numbers;     // among them; -1: it is computed here
  int beside;       // points that this thread does itself while they are away
  bool away;        // they still are, and nobody waits for them
  struct rows *rows;
} worker;

/// The rows of some points of a block, until they are added up.
typedef struct rows {
  long indices[CREW];
  carom_parcel parcels[CREW];
  carom_status statuses[CREW];
  double *values;
  void *state;
} rows;

// ---- one point ----

// one more simulation, made when it is first needed
static carom_status provide_simulation(worker *it, int lane, const carom_model *model,
                                       carom_error *error) {
  assert(lane >= 0);
  if (it->simulations[lane]) return CAROM_OK;
  carom_status status = carom_simulation_create(model, &it->simulations[lane], error);
  if (status == CAROM_OK) carom_watcher_heed(it->watcher, it->simulations[lane]);
  return status;
}

// a model of its own for entries of the scenario that are no names of the simulation
static carom_status load_point(const shared *all, worker *it, carom_error *error) {
  const carom_sweep_options *o = all->options;
  carom_simulation_destroy(it->simulations[0]);
  carom_model_destroy(it->model);
  it->simulations[0] = NULL;
  it->model = NULL;
  int count = o->setting_count;
  for (int k = 0; k < o->setting_count; k++)
    it->settings[k] = o->settings[k];
  for (int k = 0; k < o->axis_count; k++) {
    if (!all->by_path[k]) continue;
    (void)snprintf(it->texts[k], VALUE_TEXT, "%.17g", it->at[k]);
    it->settings[count++] = (carom_setting){o->axes[k].name, it->texts[k]};
  }
  carom_status status = carom_model_load(o->file, count, it->settings, &it->model, error);
  return status == CAROM_OK ? provide_simulation(it, 0, it->model, error) : status;
}

// the values of a point that are names of the simulation, all together; it stands at its start then
static carom_status set_point(const shared *all, worker *it, carom_simulation *simulation,
                              carom_error *error) {
  int count = 0;
  for (int k = 0; k < all->options->axis_count; k++)
    if (!all->by_path[k])
      it->values[count++] = (carom_value){all->options->axes[k].name, it->at[k]};
  assert(count <= all->options->axis_count);
  carom_status status = carom_simulation_set_all(simulation, count, it->values, error);
  return status == CAROM_OK ? carom_simulation_measures(simulation, error) : status;
}

// what a run gave becomes a row; one that failed is a row too, unless all is to end
static carom_status pack_point(const shared *all, carom_simulation *simulation, carom_status status,
                               const carom_error *failure, carom_parcel *parcel,
                               carom_error *error) {
  if (status == CAROM_STOP_USER) return status;
  if (status == CAROM_ERR_MEMORY) {
    if (error) *error = *failure;
    return status;
  }
  carom_sweep_pack(simulation, status, failure, all->sweep->observable_count,
                   all->sweep->observable_names, parcel);
  return CAROM_OK;
}

static carom_status run_point(void *ctx, void *mine, long index, carom_parcel *parcel,
                              carom_error *error) {
  const shared *all = ctx;
  worker *it = mine;
  carom_error failure = {0};
  carom_sweep_point(all->sweep, index, it->at);
  carom_status status = all->any_path ? load_point(all, it, &failure)
                                      : provide_simulation(it, 0, all->options->model, &failure);
  if (status == CAROM_OK) status = set_point(all, it, it->simulations[0], &failure);
  if (status == CAROM_OK)
    status = carom_simulation_advance(it->simulations[0],
                                      carom_simulation_until(it->simulations[0]), &failure);
  return pack_point(all, it->simulations[0], status, &failure, parcel, error);
}

// points of one model side by side
static void run_points(void *ctx, void *mine, int count, const long *indices, carom_parcel *parcels,
                       carom_status *statuses, carom_error *error) {
  const shared *all = ctx;
  worker *it = mine;
  carom_error failures[LANES] = {{0}}, errors[LANES] = {{0}};
  carom_simulation *moving[LANES] = {NULL};
  carom_status moved[LANES];
  double until[LANES] = {0.0};
  int which[LANES], n = 0;
  for (int k = 0; k < count; k++) {
    carom_sweep_point(all->sweep, indices[k], it->at);
    statuses[k] = provide_simulation(it, k, all->options->model, &failures[k]);
    carom_simulation *simulation = it->simulations[k];
    if (statuses[k] == CAROM_OK) statuses[k] = set_point(all, it, simulation, &failures[k]);
    if (statuses[k] != CAROM_OK) continue;
    moving[n] = simulation;
    until[n] = carom_simulation_until(simulation);
    which[n++] = k;
  }
  carom_simulations_advance(moving, n, until, moved, errors);
  for (int j = 0; j < n; j++) {
    statuses[which[j]] = moved[j];
    failures[which[j]] = errors[j];
  }
  for (int k = 0; k < count; k++)
    statuses[k] =
        pack_point(all, it->simulations[k], statuses[k], &failures[k], &parcels[k], error);
}

// any number of points, as many side by side as may go
static void run_here(const shared *all, worker *it, int count, const long *indices,
                     carom_parcel *parcels, carom_status *statuses, carom_error *error) {
  for (int k = 0, some; k < count; k += some) {
    some = count - k < all->lanes ? count - k : all->lanes;
    if (some > 1)
      run_points((void *)all, it, some, indices + k, parcels + k, statuses + k, error);
    else
      statuses[k] = run_point((void *)all, it, indices[k], &parcels[k], error);
  }
}

// ---- points on a card ----

// the points that stand at their starts go to the crew; those that fail have their rows
static void man_crew(const shared *all, worker *it, int count, const long *indices,
                     carom_parcel *parcels, carom_status *statuses, carom_error *error) {
  carom_simulation *simulation = it->simulations[0];
  carom_crew_clear(it->crew);
  for (int k = 0; k < count; k++) {
    carom_error failure = {0};
    it->numbers[k] = -1;
    carom_sweep_point(all->sweep, indices[k], it->at);
    carom_status status = set_point(all, it, simulation, &failure);
    statuses[k] =
        status < 0 ? pack_point(all, simulation, status, &failure, &parcels[k], error) : CAROM_OK;
    if (status >= 0)
      (void)carom_crew_add(it->crew, simulation, carom_simulation_until(simulation),
                           &it->numbers[k]);
  }
}

static carom_status take_point(const shared *all, worker *it, int number, long index,
                               carom_parcel *parcel, carom_error *error) {
  carom_simulation *simulation = it->simulations[0];
  carom_status status = CAROM_ERR_UNSUPPORTED;
  if (number >= 0) status = carom_crew_take(it->crew, number, simulation);
  if (status >= 0) return pack_point(all, simulation, status, NULL, parcel, error);
  return run_point((void *)all, it, index, parcel, error);
}

// those of some points that have no row yet
static void run_rest(const shared *all, worker *it, int count, const long *indices,
                     carom_parcel *parcels, carom_status *statuses, carom_error *error) {
  int fresh = 0;
  for (int k = 0; k < count; k++)
    fresh += statuses[k] == CAROM_OK && parcels[k].size == 0;
  if (fresh == count) run_here(all, it, count, indices, parcels, statuses, error);
  for (int k = 0; k < count && fresh < count; k++)
    if (statuses[k] == CAROM_OK && parcels[k].size == 0)
      statuses[k] = run_point((void *)all, it, indices[k], &parcels[k], error);
}

// Points from the last on, as far as the thread comes while the crew is away, of which it lends
// fewer the next time. Also of those that were lent: they have the same bits, whoever is first.
// Returns the first of them.
static int do_meanwhile(const shared *all, worker *it, int count, const long *indices,
                        carom_parcel *parcels, carom_status *statuses, carom_error *error) {
  int k = count;
  while (k > 0 && !carom_crew_is_back(it->crew)) {
    int some = k < all->lanes ? k : all->lanes;
    k -= some;
    run_rest(all, it, some, indices + k, parcels + k, statuses + k, error);
  }
  it->beside = count - k;
  return k;
}

// is the crew still on the card with motions that were moved here meanwhile?
static bool is_away(worker *it) {
  if (it->away && carom_crew_is_back(it->crew)) {
    (void)carom_crew_await(it->crew, NULL);
    it->away = false;
  }
  return it->away;
}

// Where the card fails, what it had not brought back is moved here, and all that comes later.
static void lend_points(void *ctx, void *mine, int count, const long *indices,
                        carom_parcel *parcels, carom_status *statuses, carom_error *error) {
  const shared *all = ctx;
  worker *it = mine;
  if (!it->crew || is_away(it) || carom_shore_failed(all->shore)) {
    run_here(all, it, count, indices, parcels, statuses, error);
    return;
  }
  int lent = count - (it->beside < count / 2 ? it->beside : count / 2), done = count;
  for (int k = lent; k < count; k++)
    statuses[k] = CAROM_OK;
  man_crew(all, it, lent, indices, parcels, statuses, error);
  carom_status sent = carom_crew_send(it->crew, NULL);
  if (sent == CAROM_OK) done = do_meanwhile(all, it, count, indices, parcels, statuses, error);
  it->away = sent == CAROM_OK && done == 0 && !carom_crew_is_back(it->crew);
  if (it->away) return;
  bool back = carom_crew_await(it->crew, NULL) == CAROM_OK && sent == CAROM_OK;
  for (int k = 0; k < lent && k < done; k++)
    if (statuses[k] == CAROM_OK && parcels[k].size == 0)
      statuses[k] = take_point(all, it, back ? it->numbers[k] : -1, indices[k], &parcels[k], error);
  if (done > lent)
    run_here(all, it, done - lent, indices + lent, parcels + lent, statuses + lent, error);
}

// ---- points of which no row is kept ----

static bool add_point(const shared *all, worker *it, int k) {
  rows *some = it->rows;
  const carom_parcel *parcel = &some->parcels[k];
  carom_sweep_row row = {.index = some->indices[k], .at = it->at};
  carom_unpack record = {.at = parcel->bytes, .end = parcel->bytes + parcel->size};
  bool whole = !parcel->broken &&
               carom_sweep_unpack(&record, all->sweep->observable_count, some->values, &row);
  if (whole) all->blocks->add(all->blocks->ctx, some->state, &row);
  return whole;
}

// moves the listed points, so many
static void move_rows(const shared *all, worker *it, int count, carom_error *error) {
  rows *some = it->rows;
  for (int k = 0; k < count; k++)
    some->parcels[k].size = 0, some->parcels[k].broken = false;
  if (all->shore)
    lend_points((void *)all, it, count, some->indices, some->parcels, some->statuses, error);
  else
    run_here(all, it, count, some->indices, some->parcels, some->statuses, error);
}

// adds rows up in their order
static carom_status add_rows(const shared *all, worker *it, int first, int count,
                             carom_error *error) {
  const rows *some = it->rows;
  for (int k = first; k < first + count; k++) {
    if (some->statuses[k] != CAROM_OK) return some->statuses[k];
    if (!add_point(all, it, k)) return carom_fail_memory(error);
  }
  return CAROM_OK;
}

static long end_of_block(const shared *all, long index) {
  long end = (index + 1) * all->blocks->size;
  return end < all->points ? end : all->points;
}

static carom_status run_block(void *ctx, void *mine, long index, carom_parcel *parcel,
                              carom_error *error) {
  const shared *all = ctx;
  const carom_sweep_blocks *blocks = all->blocks;
  worker *it = mine;
  long end = end_of_block(all, index), together = all->shore ? CREW : SOME;
  carom_status status = CAROM_OK;
  blocks->begin(blocks->ctx, it->rows->state);
  for (long first = index * blocks->size; first < end && status == CAROM_OK; first += together) {
    int count = (int)(end - first < together ? end - first : together);
    for (int k = 0; k < count; k++)
      it->rows->indices[k] = first + k;
    move_rows(all, it, count, error);
    status = add_rows(all, it, 0, count, error);
  }
  if (status == CAROM_OK) blocks->pack(blocks->ctx, it->rows->state, parcel);
  return status;
}

// small blocks, which go to a card together
static void run_blocks(void *ctx, void *mine, int count, const long *indices, carom_parcel *parcels,
                       carom_status *statuses, carom_error *error) {
  const shared *all = ctx;
  const carom_sweep_blocks *blocks = all->blocks;
  worker *it = mine;
  int total = 0, at = 0;
  for (int b = 0; b < count; b++)
    for (long k = indices[b] * blocks->size; k < end_of_block(all, indices[b]); k++)
      it->rows->indices[total++] = k;
  assert(total <= CREW);
  move_rows(all, it, total, error);
  for (int b = 0; b < count; b++) {
    int points = (int)(end_of_block(all, indices[b]) - indices[b] * blocks->size);
    blocks->begin(blocks->ctx, it->rows->state);
    statuses[b] = add_rows(all, it, at, points, error);
    if (statuses[b] == CAROM_OK) blocks->pack(blocks->ctx, it->rows->state, &parcels[b]);
    at += points;
  }
}

static carom_status make_rows(const shared *all, worker *it, carom_error *error) {
  it->rows = calloc(1, sizeof *it->rows);
  if (!it->rows) return carom_fail_memory(error);
  it->rows->values = calloc((size_t)all->sweep->observable_count + 1, sizeof(double));
  it->rows->state = calloc(1, all->blocks->state);
  return it->rows->values && it->rows->state ? CAROM_OK : carom_fail_memory(error);
}

static void forget_rows(rows *some) {
  for (int k = 0; k < CREW && some; k++)
    free(some->parcels[k].bytes);
  if (some) free(some->values);
  if (some) free(some->state);
  free(some);
}

// ---- threads ----

static void end_worker(void *ctx, void *mine) {
  worker *it = mine;
  (void)ctx;
  for (int k = 0; k < LANES; k++)
    carom_simulation_destroy(it->simulations[k]);
  carom_model_destroy(it->model);
  if (it->away) (void)carom_crew_await(it->crew, NULL);
  carom_crew_destroy(it->crew);
  forget_rows(it->rows);
  free(it->numbers);
  free(it->at);
  free(it->values);
  free(it->settings);
  free(it->texts);
  free(it);
}

static carom_status begin_worker(void *ctx, void **mine, carom_error *error) {
  const shared *all = ctx;
  const carom_sweep_options *o = all->options;
  size_t axes = (size_t)o->axis_count + 1;
  worker *it = calloc(1, sizeof *it);
  if (!it) return carom_fail_memory(error);
  *mine = it;
  it->watcher = &o->watcher;
  it->at = calloc(axes, sizeof *it->at);
  it->values = calloc(axes, sizeof *it->values);
  it->settings = calloc(axes + (size_t)o->setting_count, sizeof *it->settings);
  it->texts = calloc(axes, sizeof *it->texts);
  if (!it->at || !it->values || !it->settings || !it->texts) return carom_fail_memory(error);
  carom_status status = all->any_path ? CAROM_OK : provide_simulation(it, 0, o->model, error);
  if (status == CAROM_OK && all->blocks) status = make_rows(all, it, error);
  if (status != CAROM_OK || !all->shore) return status;
  it->numbers = calloc(CREW, sizeof *it->numbers);
  if (!it->numbers) return carom_fail_memory(error);
  status = carom_crew_create(all->shore, it->simulations[0], CREW, NULL, &it->crew, error);
  return status == CAROM_ERR_MEMORY ? CAROM_OK : status;
}

// ---- before the runs ----

// is there such an entry in the scenario?
static carom_status try_path(const carom_sweep_options *o, const carom_axis *axis,
                             carom_error *error) {
  char text[VALUE_TEXT];
  carom_model *model = NULL;
  carom_setting *settings = calloc((size_t)o->setting_count + 1, sizeof *settings);
  if (!settings) return carom_fail_memory(error);
  for (int k = 0; k < o->setting_count; k++)
    settings[k] = o->settings[k];
  (void)snprintf(text, sizeof text, "%.17g", axis->values[0]);
  settings[o->setting_count] = (carom_setting){axis->name, text};
  carom_error wrong = {0};
  carom_status status = carom_model_load(o->file, o->setting_count + 1, settings, &model, &wrong);
  // what was asked for is an axis, not a setting
  if (strncmp(wrong.file, "--set ", 6) == 0) wrong.file[0] = '\0', wrong.line = 0;
  if (status < 0 && error) *error = wrong;
  carom_model_destroy(model);
  free(settings);
  return status;
}

// which axes are names of the simulation; others must be entries of the scenario
static carom_status sort_axes(const carom_sweep_options *o, bool *by_path, bool *any_path,
                              carom_error *error) {
  carom_simulation *simulation = NULL;
  carom_status status = carom_simulation_create(o->model, &simulation, error);
  *any_path = false;
  for (int k = 0; k < o->axis_count && status == CAROM_OK; k++) {
    carom_error unknown = {0};
    carom_status set =
        carom_simulation_set(simulation, o->axes[k].name, o->axes[k].values[0], &unknown);
    by_path[k] = set == CAROM_ERR_ARGUMENT;
    *any_path = *any_path || by_path[k];
    if (!by_path[k]) continue;
    // the loader knows whether there is such an entry, and says so better
    if (!o->file) {
      if (error) *error = unknown;
      status = CAROM_ERR_INPUT;
      break;
    }
    status = try_path(o, &o->axes[k], error);
  }
  // told at once where it can be: entries of the scenario may set times, too
  if (status == CAROM_OK && !*any_path) status = carom_simulation_measures(simulation, error);
  for (int k = 0; k < o->observable_count && status == CAROM_OK; k++) {
    double value;
    carom_error unknown = {0};
    if (carom_simulation_get(simulation, o->observables[k], &value, &unknown) != CAROM_ERR_ARGUMENT)
      continue;
    if (error) *error = unknown;
    status = CAROM_ERR_INPUT;
  }
  carom_simulation_destroy(simulation);
  return status;
}

static carom_status check_options(const carom_sweep_options *o, carom_error *error) {
  carom_status status = carom_check_options(o->size, sizeof *o, "carom_sweep_options", error);
  if (status != CAROM_OK) return status;
  if (!o->model || o->axis_count < 1)
    return carom_fail(error, CAROM_ERR_ARGUMENT, "a sweep needs a model and an axis");
  for (int k = 0; k < o->axis_count; k++)
    for (int j = 0; j < k; j++)
      if (strcmp(o->axes[j].name, o->axes[k].name) == 0)
        return carom_fail(error, CAROM_ERR_INPUT, "'%s' is swept over twice", o->axes[k].name);
  if (o->parts > 1 && (o->part < 0 || o->part >= o->parts))
    return carom_fail(error, CAROM_ERR_INPUT, "there is no part %d of %d", o->part + 1, o->parts);
  if (carom_sweep_points(o) < 0)
    return carom_fail(error, CAROM_ERR_LIMIT, "the grid has too many points");
  return CAROM_OK;
}

// results depend on the head (scenario, axes, names) and on the program
static uint64_t identity_of(const carom_parcel *head) {
  carom_build build = carom_build_info();
  uint64_t hash = carom_hash(0, head->bytes, head->size);
  hash = carom_hash(hash, build.version, strlen(build.version));
  return carom_hash(hash, build.revision, strlen(build.revision));
}

static carom_status open_journal(const carom_sweep_options *o, const carom_shared_work *among,
                                 const carom_sweep_blocks *blocks, carom_sweep *sweep,
                                 carom_error *error) {
  carom_parcel head = {0};
  carom_status status = CAROM_OK;
  if (!carom_sweep_head(o, &head)) status = carom_fail_memory(error);
  carom_journal_task task = {.count = carom_sweep_points(o),
                             .head = head.bytes,
                             .head_size = head.size,
                             .identity = identity_of(&head)};
  if (blocks) {
    task.count = (task.count - 1) / blocks->size + 1;
    task.identity = carom_hash(task.identity, &blocks->identity, sizeof blocks->identity);
  }
  if (status == CAROM_OK) status = carom_shared_open(among, &task, &sweep->journal, error);
  free(head.bytes);
  return status == CAROM_OK ? carom_sweep_adopt(sweep, error) : status;
}

// brings the model to the card
static carom_status cross_over(const carom_sweep_options *o, carom_ranks *ranks, bool any_path,
                               carom_shore **shore, carom_error *error) {
  if (any_path)
    return carom_fail(error, CAROM_ERR_INPUT,
                      "entries of the scenario that are no parameters make a model for each point: "
                      "a card has one for all points");
  const carom_card_place place = {o->card, o->card_cache, carom_ranks_place(ranks)};
  return carom_shore_open(&place, o->model, shore, error);
}

static void choose_pieces(carom_spread_work *work, const shared *all) {
  if (all->blocks) {
    work->piece = run_block;
    if (all->shore && all->blocks->size <= CREW / 2) {
      work->pieces = run_blocks;
      work->lanes = (int)(CREW / all->blocks->size);
      work->least = (int)(LEAST_CREW / all->blocks->size) + 1;
    }
  } else if (all->shore) {
    work->pieces = lend_points;
    work->lanes = CREW;
    work->least = LEAST_CREW;
  } else if (all->lanes > 1) {
    work->pieces = run_points;
    work->lanes = LANES;
  }
}

static carom_status run_all(const carom_sweep_options *o, const carom_shared_work *among,
                            const carom_sweep_blocks *blocks, carom_sweep *sweep,
                            const bool *by_path, bool any_path, carom_error *error) {
  shared all = {.options = o,
                .sweep = sweep,
                .by_path = by_path,
                .any_path = any_path,
                .blocks = blocks,
                .points = carom_sweep_points(o)};
  all.lanes = !any_path && carom_model_lanes(o->model) > 1 ? LANES : 1;
  if (o->card) {
    carom_status status = cross_over(o, among->ranks, any_path, &all.shore, error);
    status = carom_shared_agree(among, status, error);
    if (status != CAROM_OK) {
      carom_shore_close(all.shore);
      return status;
    }
  }
  carom_spread_work work = {
      .ctx = &all, .begin = begin_worker, .end = end_worker, .piece = run_point};
  choose_pieces(&work, &all);
  carom_spread_options options = carom_watcher_spread(&o->watcher, o->threads);
  options.part = o->part;
  options.parts = o->parts;
  // some prepare motions and take them back while those of others are on the card
  if (all.shore && o->threads == 0)
    options.threads = (2 * carom_processors() - 1) / carom_ranks_here(among->ranks) + 1;
  carom_status status = carom_shared_run(among, &work, &options, sweep->journal, error);
  carom_shore_report(all.shore, &sweep->card);
  carom_shore_close(all.shore);
  return status;
}

static carom_status run_sweep(carom_ranks *ranks, bool everyone, const carom_sweep_options *options,
                              const carom_sweep_blocks *blocks, carom_sweep **sweep,
                              carom_error *error) {
  *sweep = NULL;
  carom_status status = check_options(options, error);
  if (status != CAROM_OK) return status;
  bool any_path = false, *by_path = calloc((size_t)options->axis_count, sizeof *by_path);
  carom_sweep *made = calloc(1, sizeof *made);
  if (!by_path || !made) {
    free(by_path);
    free(made);
    return carom_fail_memory(error);
  }
  const carom_shared_work among = {
      .ranks = ranks, .file = options->journal, .resume = options->resume, .everyone = everyone};
  status = sort_axes(options, by_path, &any_path, error);
  if (status == CAROM_OK) status = open_journal(options, &among, blocks, made, error);
  if (status == CAROM_OK) status = run_all(options, &among, blocks, made, by_path, any_path, error);
  free(by_path);
  if (status < 0) {
    carom_sweep_destroy(made);
    return status;
  }
  *sweep = made;
  return status;
}

carom_status carom_sweep_run_among(carom_ranks *ranks, bool everyone,
                                   const carom_sweep_options *options, carom_sweep **sweep,
                                   carom_error *error) {
  return run_sweep(ranks, everyone, options, NULL, sweep, error);
}

carom_status carom_sweep_run_blocks(carom_ranks *ranks, const carom_sweep_options *options,
                                    const carom_sweep_blocks *blocks, carom_sweep **sweep,
                                    carom_error *error) {
  return run_sweep(ranks, false, options, blocks, sweep, error);
}

carom_status carom_sweep_run(const carom_sweep_options *options, carom_sweep **sweep,
                             carom_error *error) {
  carom_ranks *ranks = NULL;
  *sweep = NULL;
  carom_status status = options->ranks ? carom_ranks_join(&ranks, error) : CAROM_OK;
  if (status == CAROM_OK) status = carom_sweep_run_among(ranks, false, options, sweep, error);
  carom_ranks_leave(ranks);
  return status;
}

int carom_process_rank(void) { return carom_ranks_of_process(); }
