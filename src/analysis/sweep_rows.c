// SPDX-License-Identifier: MIT
/// How the results of a sweep are kept in its journal and read back.
#include "analysis/sweep_internal.h"
#include "base/error.h"
#include "base/random.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WORD_ROOM = 16384, MOST_AXES = 64 };
static const long MOST_POINTS = LONG_MAX < 1LL << 40 ? LONG_MAX : (long)(1LL << 40);

// ---- the head ----

long carom_sweep_points(const carom_sweep_options *options) {
  if (options->point_count > 0) return options->point_count;
  if (options->random > 0) return options->random <= MOST_POINTS ? options->random : -1;
  long count = 1;
  for (int k = 0; k < options->axis_count; k++) {
    if (options->axes[k].count < 1 || count > MOST_POINTS / options->axes[k].count) return -1;
    count *= options->axes[k].count;
  }
  return count;
}

static int observable_count(const carom_sweep_options *o) {
  return o->observable_count > 0 ? o->observable_count
                                 : carom_model_count(o->model, CAROM_OBSERVABLES);
}

static const char *observable_name(const carom_sweep_options *o, int k) {
  return o->observable_count > 0 ? o->observables[k]
                                 : carom_model_name(o->model, CAROM_OBSERVABLES, k);
}

bool carom_sweep_head(const carom_sweep_options *options, carom_parcel *head) {
  const carom_sweep_options *o = options;
  char *scenario = carom_model_scenario_text(o->model);
  const char *title = carom_model_title(o->model);
  // numbers first, so that they stay aligned
  carom_parcel_count(head, o->axis_count);
  carom_parcel_count(head, observable_count(o));
  carom_parcel_count(head, o->point_count > 0 ? 0 : o->random);
  carom_parcel_put(head, &o->seed, sizeof o->seed);
  carom_parcel_count(head, o->point_count);
  for (int k = 0; k < o->axis_count; k++)
    carom_parcel_count(head, o->axes[k].count);
  for (int k = 0; k < o->axis_count; k++)
    carom_parcel_put(head, o->axes[k].values, (size_t)o->axes[k].count * sizeof(double));
  if (o->point_count > 0)
    carom_parcel_put(head, o->points,
                     (size_t)o->point_count * (size_t)o->axis_count * sizeof(double));
  for (int k = 0; k < o->axis_count; k++)
    carom_parcel_text(head, o->axes[k].name);
  for (int k = 0; k < observable_count(o); k++)
    carom_parcel_text(head, observable_name(o, k));
  carom_parcel_text(head, title ? title : "");
  carom_parcel_text(head, scenario ? scenario : "");
  carom_text_destroy(scenario);
  return !head->broken;
}

// a pointer to `count` numbers inside the head
static const double *numbers_in(carom_unpack *unpack, long count) {
  size_t size = (size_t)count * sizeof(double);
  const char *at = unpack->at;
  unpack->broken = unpack->broken || count < 0 || size > (size_t)(unpack->end - at);
  if (unpack->broken) return NULL;
  unpack->at += size;
  return (const double *)(const void *)at;
}

static bool make_room(carom_sweep *it) {
  size_t axes = (size_t)it->axis_count + 1, observables = (size_t)it->observable_count + 1;
  it->axis_names = calloc(axes, sizeof *it->axis_names);
  it->axis_counts = calloc(axes, sizeof *it->axis_counts);
  it->axis_values = calloc(axes, sizeof *it->axis_values);
  it->observable_names = calloc(observables, sizeof *it->observable_names);
  it->at = calloc(axes, sizeof *it->at);
  it->values = calloc(observables, sizeof *it->values);
  return it->axis_names && it->axis_counts && it->axis_values && it->observable_names && it->at &&
         it->values;
}

carom_status carom_sweep_adopt(carom_sweep *sweep, carom_error *error) {
  carom_journal_task task = carom_journal_about(sweep->journal);
  carom_unpack head = {.at = task.head, .end = (const char *)task.head + task.head_size};
  int64_t axes = carom_unpack_count(&head), observables = carom_unpack_count(&head);
  if (axes < 1 || axes > MOST_AXES || observables < 0 || observables > (int64_t)task.head_size)
    return carom_fail(error, CAROM_ERR_INPUT,
                      "this is no journal of a sweep; parts of other commands are "
                      "joined by the same command with --resume");
  sweep->axis_count = (int)axes;
  sweep->observable_count = (int)observables;
  if (!make_room(sweep)) return carom_fail_memory(error);
  sweep->random = (long)carom_unpack_count(&head);
  carom_unpack_bytes(&head, &sweep->seed, sizeof sweep->seed);
  long points = (long)carom_unpack_count(&head);
  sweep->grid = sweep->random <= 0 && points <= 0;
  for (int k = 0; k < sweep->axis_count; k++)
    sweep->axis_counts[k] = (int)carom_unpack_count(&head);
  for (int k = 0; k < sweep->axis_count; k++)
    sweep->axis_values[k] = numbers_in(&head, sweep->axis_counts[k]);
  if (points > 0) sweep->points = numbers_in(&head, points * (long)axes);
  for (int k = 0; k < sweep->axis_count; k++)
    sweep->axis_names[k] = carom_unpack_text(&head);
  for (int k = 0; k < sweep->observable_count; k++)
    sweep->observable_names[k] = carom_unpack_text(&head);
  sweep->title = carom_unpack_text(&head);
  sweep->scenario = carom_unpack_text(&head);
  return head.broken ? carom_fail(error, CAROM_ERR_INPUT, "this is no journal of a sweep")
                     : CAROM_OK;
}

// ---- points ----

void carom_sweep_point(const carom_sweep *sweep, long index, double *at) {
  int axes = sweep->axis_count;
  assert(index >= 0);
  if (sweep->points) {
    memcpy(at, sweep->points + index * axes, (size_t)axes * sizeof *at);
    return;
  }
  for (int k = axes - 1; k >= 0; k--) {
    const double *values = sweep->axis_values[k];
    int count = sweep->axis_counts[k];
    if (sweep->random > 0) {
      double part = carom_random_uniform(sweep->seed, (uint64_t)k, (uint64_t)index);
      at[k] = values[0] + part * (values[count - 1] - values[0]);
    } else {
      at[k] = values[index % count];
      index /= count;
    }
  }
}

// ---- rows ----

void carom_sweep_pack(carom_simulation *simulation, carom_status status, const carom_error *failure,
                      int count, const char *const *observables, carom_parcel *parcel) {
  carom_certificate c = {0};
  char word[WORD_ROOM] = "";
  const char *regime = NULL;
  bool ran = simulation && status >= 0;
  if (ran) {
    (void)carom_simulation_certificate(simulation, &c, NULL);
    if (carom_simulation_word(simulation, word, sizeof word, NULL) == CAROM_ERR_LIMIT)
      memcpy(word, "(too long)", sizeof "(too long)");
    (void)carom_simulation_regime(simulation, &regime, NULL);
  }
  carom_parcel_count(parcel, status);
  carom_parcel_count(parcel, c.passed);
  carom_parcel_number(parcel, c.has_energy ? c.energy.residual_relative : NAN);
  carom_parcel_number(parcel, ran ? carom_simulation_time(simulation) : NAN);
  carom_parcel_count(parcel, c.counts.steps);
  carom_parcel_count(parcel, c.counts.events);
  carom_parcel_count(parcel, c.counts.impacts);
  for (int k = 0; k < count; k++) {
    double value = NAN;
    if (ran && carom_simulation_get(simulation, observables[k], &value, NULL) != CAROM_OK)
      value = NAN;
    carom_parcel_number(parcel, value);
  }
  carom_parcel_text(parcel, word);
  carom_parcel_text(parcel, regime ? regime : "");
  carom_parcel_text(parcel, status < 0 ? failure->text : "");
}

bool carom_sweep_unpack(carom_unpack *record, int observables, double *values,
                        carom_sweep_row *row) {
  row->present = true;
  row->status = (carom_status)carom_unpack_count(record);
  row->passed = carom_unpack_count(record) != 0;
  row->residual = carom_unpack_number(record);
  row->t_end = carom_unpack_number(record);
  row->steps = (long)carom_unpack_count(record);
  row->events = (long)carom_unpack_count(record);
  row->impacts = (long)carom_unpack_count(record);
  for (int k = 0; k < observables; k++)
    values[k] = carom_unpack_number(record);
  row->values = values;
  row->word = carom_unpack_text(record);
  row->regime = carom_unpack_text(record);
  row->failure = carom_unpack_text(record);
  return !record->broken;
}

carom_status carom_sweep_read(carom_sweep *sweep, long index, carom_sweep_row *row,
                              carom_error *error) {
  long size;
  *row = (carom_sweep_row){.index = index, .at = sweep->at, .values = sweep->values};
  row->word = row->regime = row->failure = "";
  if (index < 0 || index >= carom_sweep_count(sweep))
    return carom_fail(error, CAROM_ERR_ARGUMENT, "the sweep has no point %ld", index);
  carom_sweep_point(sweep, index, sweep->at);
  carom_status status =
      carom_journal_fetch(sweep->journal, index, &sweep->bytes, &sweep->room, &size, error);
  if (status != CAROM_OK || size < 0) return status;
  carom_unpack record = {.at = sweep->bytes, .end = (const char *)sweep->bytes + size};
  if (carom_sweep_unpack(&record, sweep->observable_count, sweep->values, row)) return CAROM_OK;
  return carom_fail(error, CAROM_ERR_INPUT, "point %ld cannot be read", index);
}

// ---- parts ----

carom_status carom_sweep_merge(int count, const char *const *journals, carom_sweep **sweep,
                               carom_error *error) {
  *sweep = NULL;
  carom_sweep *made = calloc(1, sizeof *made);
  if (!made) return carom_fail_memory(error);
  carom_status status =
      count > 0 ? CAROM_OK : carom_fail(error, CAROM_ERR_ARGUMENT, "nothing to merge");
  for (int k = 0; k < count && status == CAROM_OK; k++) {
    carom_journal *part = NULL;
    status = carom_journal_read_only(journals[k], &part, error);
    if (status == CAROM_OK && !made->journal) {
      carom_journal_task task = carom_journal_about(part);
      status = carom_journal_open(NULL, &task, false, &made->journal, error);
    }
    if (status == CAROM_OK) status = carom_journal_merge(made->journal, part, error);
    (void)carom_journal_close(part, NULL);
  }
  if (status == CAROM_OK) status = carom_sweep_adopt(made, error);
  if (status == CAROM_OK)
    *sweep = made;
  else
    carom_sweep_destroy(made);
  return status;
}

void carom_sweep_destroy(carom_sweep *sweep) {
  if (!sweep) return;
  (void)carom_journal_close(sweep->journal, NULL);
  free(sweep->axis_names);
  free(sweep->axis_counts);
  free(sweep->axis_values);
  free(sweep->observable_names);
  free(sweep->at);
  free(sweep->values);
  free(sweep->bytes);
  free(sweep);
}

// ---- questions ----

const carom_card_report *carom_sweep_card(const carom_sweep *sweep) { return &sweep->card; }

long carom_sweep_count(const carom_sweep *sweep) {
  return carom_journal_about(sweep->journal).count;
}
long carom_sweep_done(const carom_sweep *sweep) { return carom_journal_filled(sweep->journal); }
int carom_sweep_axes(const carom_sweep *sweep) { return sweep->axis_count; }
int carom_sweep_observables(const carom_sweep *sweep) { return sweep->observable_count; }
const char *carom_sweep_title(const carom_sweep *sweep) { return sweep->title; }
const char *carom_sweep_scenario(const carom_sweep *sweep) { return sweep->scenario; }

const char *carom_sweep_axis(const carom_sweep *sweep, int k) {
  return k >= 0 && k < sweep->axis_count ? sweep->axis_names[k] : NULL;
}

int carom_sweep_axis_count(const carom_sweep *sweep, int k) {
  return sweep->grid && k >= 0 && k < sweep->axis_count ? sweep->axis_counts[k] : 0;
}

const char *carom_sweep_observable(const carom_sweep *sweep, int k) {
  return k >= 0 && k < sweep->observable_count ? sweep->observable_names[k] : NULL;
}
