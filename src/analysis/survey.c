// SPDX-License-Identifier: MIT
#include "carom/survey.h"

#include "analysis/lyapunov_data.h"
#include "analysis/orbit_data.h"
#include "analysis/watch_over.h"
#include "base/error.h"
#include "carom/version.h"
#include "spread/shared_work.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_AXES = 16, MOST_POINTS = 100000000 };

carom_survey_options carom_survey_options_default(void) {
  return (carom_survey_options){.orbit = carom_orbit_options_default(),
                                .exponents = carom_lyapunov_options_default(),
                                .size = sizeof(carom_survey_options)};
}

struct carom_survey {
  carom_journal *journal;
  carom_survey_kind kind;
  int axis_count;
  int counts[MOST_AXES];
  double *values[MOST_AXES];
  // of the row read last
  double at[MOST_AXES];
  void *bytes;
  size_t room;
  carom_orbit *orbit;
  carom_lyapunov *exponents;
};

/// What all threads read.
typedef struct shared {
  const carom_survey_options *options;
  const carom_survey *survey;
} shared;

static void find_point(const carom_survey *it, long index, double *at) {
  assert(index >= 0 && it->axis_count <= MOST_AXES);
  for (int k = it->axis_count - 1; k >= 0; k--) {
    at[k] = it->values[k][index % it->counts[k]];
    index /= it->counts[k];
  }
}

// ---- one point ----

static void put_result(const carom_survey *it, carom_status status, const carom_error *failure,
                       const carom_orbit *orbit, const carom_lyapunov *exponents,
                       carom_parcel *parcel) {
  carom_parcel_count(parcel, status);
  carom_parcel_text(parcel, status < 0 ? failure->text : "");
  if (status < 0) return;
  if (it->kind == CAROM_SURVEY_ORBITS)
    carom_orbit_put(parcel, orbit);
  else
    carom_lyapunov_put(parcel, exponents);
}

// searches or averages at a point; `alone`: it is the only one, and tells how far it is
static carom_status ask_point(const carom_survey_options *o, const carom_survey *it, long index,
                              bool alone, carom_parcel *parcel, carom_error *error) {
  double at[MOST_AXES];
  carom_value values[MOST_AXES];
  carom_error failure = {0};
  carom_watcher watcher = o->watcher;
  if (!alone) watcher.progress = NULL;
  find_point(it, index, at);
  for (int k = 0; k < it->axis_count; k++)
    values[k] = (carom_value){o->axes[k].name, at[k]};
  carom_orbit *orbit = NULL;
  carom_lyapunov *exponents = NULL;
  carom_status status;
  if (it->kind == CAROM_SURVEY_ORBITS) {
    carom_orbit_options options = o->orbit;
    options.model = o->model;
    options.value_count = it->axis_count;
    options.values = values;
    options.watcher = watcher;
    status = carom_orbit_find(&options, &orbit, &failure);
  } else {
    carom_lyapunov_options options = o->exponents;
    options.model = o->model;
    options.value_count = it->axis_count;
    options.values = values;
    options.watcher = watcher;
    options.journal = alone ? o->journal : NULL;
    options.resume = o->resume;
    status = carom_lyapunov_run(&options, &exponents, &failure);
  }
  bool fatal = status == CAROM_ERR_MEMORY || (alone && status < 0);
  if (fatal && error) *error = failure;
  // an average that was stopped is worth something by itself
  if (!fatal &&
      (status != CAROM_STOP_USER || (exponents && carom_lyapunov_look(exponents)->time > 0.0)))
    put_result(it, status, &failure, orbit, exponents, parcel);
  carom_orbit_destroy(orbit);
  carom_lyapunov_destroy(exponents);
  return fatal || status == CAROM_STOP_USER ? status : CAROM_OK;
}

static carom_status ask_piece(void *ctx, void *worker, long index, carom_parcel *parcel,
                              carom_error *error) {
  const shared *all = ctx;
  (void)worker;
  return ask_point(all->options, all->survey, index, false, parcel, error);
}

// ---- the whole ----

static carom_status check_options(const carom_survey_options *o, carom_error *error) {
  carom_status status = carom_check_options(o->size, sizeof *o, "carom_survey_options", error);
  if (status != CAROM_OK) return status;
  if (!o->model || o->axis_count > MOST_AXES)
    return carom_fail(error, CAROM_ERR_ARGUMENT, "a survey needs a model and at most %d axes",
                      MOST_AXES);
  carom_simulation *simulation = NULL;
  status = carom_simulation_create(o->model, &simulation, error);
  double points = 1.0;
  for (int k = 0; k < o->axis_count && status == CAROM_OK; k++) {
    carom_error unknown = {0};
    points *= o->axes[k].count;
    if (carom_simulation_set(simulation, o->axes[k].name, o->axes[k].values[0], &unknown) ==
        CAROM_ERR_ARGUMENT)
      status = carom_fail(error, CAROM_ERR_INPUT, "%s", unknown.text);
    for (int j = 0; j < k && status == CAROM_OK; j++)
      if (strcmp(o->axes[j].name, o->axes[k].name) == 0)
        status = carom_fail(error, CAROM_ERR_INPUT, "'%s' is varied twice", o->axes[k].name);
  }
  carom_simulation_destroy(simulation);
  if (status == CAROM_OK && points > MOST_POINTS)
    return carom_fail(error, CAROM_ERR_LIMIT, "the grid has too many points");
  return status;
}

static carom_status copy_axes(carom_survey *it, const carom_survey_options *o, carom_error *error) {
  it->kind = o->kind;
  for (int k = 0; k < o->axis_count; k++) {
    size_t size = (size_t)o->axes[k].count * sizeof(double);
    it->counts[k] = o->axes[k].count;
    it->values[k] = malloc(size);
    if (!it->values[k]) return carom_fail_memory(error);
    memcpy(it->values[k], o->axes[k].values, size);
    it->axis_count++;
  }
  return CAROM_OK;
}

static long count_points(const carom_survey *it) {
  long count = 1;
  for (int k = 0; k < it->axis_count; k++)
    count *= it->counts[k];
  return count;
}

static carom_status open_journal(carom_survey *it, const carom_survey_options *o,
                                 const carom_shared_work *among, carom_error *error) {
  char *scenario = carom_model_scenario_text(o->model);
  carom_build build = carom_build_info();
  const double numbers[] = {o->kind,
                            o->orbit.after,
                            o->orbit.turns,
                            o->orbit.period,
                            o->orbit.tolerance,
                            o->orbit.most,
                            o->exponents.time,
                            o->exponents.transient,
                            o->exponents.interval,
                            o->orbit.free_word,
                            o->orbit.from != NULL};
  uint64_t hash = carom_hash(0, numbers, sizeof numbers);
  hash = carom_hash_text(hash, scenario ? scenario : "");
  hash = carom_hash_text(carom_hash_text(hash, build.version), build.revision);
  for (int k = 0; k < it->axis_count; k++) {
    hash = carom_hash_text(hash, o->axes[k].name);
    hash = carom_hash(hash, it->values[k], (size_t)it->counts[k] * sizeof(double));
  }
  carom_text_destroy(scenario);
  carom_journal_task task = {.identity = hash, .count = count_points(it)};
  return carom_shared_open(among, &task, &it->journal, error);
}

static carom_status ask_alone(const carom_survey_options *o, carom_survey *it, carom_error *error) {
  carom_parcel parcel = {0};
  carom_status status = ask_point(o, it, 0, true, &parcel, error);
  if (status >= 0 && parcel.broken) status = carom_fail_memory(error);
  if (status >= 0 && parcel.size > 0) {
    carom_status kept = carom_journal_append(it->journal, 0, parcel.bytes, parcel.size, error);
    if (kept != CAROM_OK) status = kept;
  }
  free(parcel.bytes);
  return status;
}

static carom_status ask_all(const carom_survey_options *o, const carom_shared_work *among,
                            carom_survey *it, carom_error *error) {
  shared all = {o, it};
  carom_spread_work work = {.ctx = &all, .piece = ask_piece};
  carom_spread_options options = carom_watcher_spread(&o->watcher, o->threads);
  options.part = o->part;
  options.parts = o->parts;
  return carom_shared_run(among, &work, &options, it->journal, error);
}

static carom_status run_among(carom_ranks *ranks, const carom_survey_options *o, carom_survey *it,
                              carom_error *error) {
  // a single average keeps its own journal, of stretches
  bool alone = it->axis_count == 0;
  const carom_shared_work among = {.ranks = alone ? NULL : ranks,
                                   .file = alone ? NULL : o->journal,
                                   .resume = o->resume && !alone};
  carom_status status = open_journal(it, o, &among, error);
  if (status != CAROM_OK) return status;
  return alone ? ask_alone(o, it, error) : ask_all(o, &among, it, error);
}

carom_status carom_survey_run(const carom_survey_options *options, carom_survey **survey,
                              carom_error *error) {
  *survey = NULL;
  carom_status status = check_options(options, error);
  if (status != CAROM_OK) return status;
  carom_survey *made = calloc(1, sizeof *made);
  if (!made) return carom_fail_memory(error);
  carom_ranks *ranks = NULL;
  status = copy_axes(made, options, error);
  if (status == CAROM_OK && options->ranks) status = carom_ranks_join(&ranks, error);
  if (status == CAROM_OK) status = run_among(ranks, options, made, error);
  carom_ranks_leave(ranks);
  if (status < 0) {
    carom_survey_destroy(made);
    return status;
  }
  *survey = made;
  return status;
}

void carom_survey_destroy(carom_survey *survey) {
  if (!survey) return;
  (void)carom_journal_close(survey->journal, NULL);
  for (int k = 0; k < survey->axis_count; k++)
    free(survey->values[k]);
  carom_orbit_destroy(survey->orbit);
  carom_lyapunov_destroy(survey->exponents);
  free(survey->bytes);
  free(survey);
}

long carom_survey_count(const carom_survey *survey) { return count_points(survey); }

carom_status carom_survey_read(carom_survey *survey, long index, carom_survey_row *row,
                               carom_error *error) {
  long size = -1;
  *row = (carom_survey_row){.index = index, .at = survey->at, .failure = ""};
  if (index < 0 || index >= carom_survey_count(survey))
    return carom_fail(error, CAROM_ERR_ARGUMENT, "there is no point %ld", index);
  find_point(survey, index, survey->at);
  carom_status status =
      carom_journal_fetch(survey->journal, index, &survey->bytes, &survey->room, &size, error);
  if (status != CAROM_OK || size < 0) return status;
  carom_unpack record = {.at = survey->bytes, .end = (const char *)survey->bytes + size};
  row->present = true;
  row->status = (carom_status)carom_unpack_count(&record);
  row->failure = carom_unpack_text(&record);
  if (row->status < 0) return CAROM_OK;
  if (survey->kind == CAROM_SURVEY_ORBITS) {
    carom_orbit_destroy(survey->orbit);
    status = carom_orbit_take(&record, &survey->orbit, error);
    row->motion = survey->orbit;
    row->orbit = survey->orbit ? carom_orbit_look(survey->orbit) : NULL;
  } else {
    carom_lyapunov_destroy(survey->exponents);
    status = carom_lyapunov_take(&record, &survey->exponents, error);
    row->exponents = survey->exponents ? carom_lyapunov_look(survey->exponents) : NULL;
  }
  if (status != CAROM_OK || !record.broken) return status;
  return carom_fail(error, CAROM_ERR_INPUT, "the journal is damaged");
}
