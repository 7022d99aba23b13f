// SPDX-License-Identifier: MIT
/// Runs in blocks whose number does not grow with theirs. The rows of a block are added up in their
/// order, the blocks in theirs, so that the sums do not depend on who did what.
#include "carom/ensemble.h"

#include "analysis/sweep_internal.h"
#include "base/error.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BLOCKS = 1024, LEAST_BLOCK = 256, MOST_OBSERVED = 64, MOST_HISTOGRAMS = 16 };
enum { MOST_BINS = 100000, MOST_KINDS = 256, KIND_TEXT = 121, FAILURE_TEXT = 400 };
static const double NORMAL_95 = 1.959963984540054; // quantile 0.975 of the normal distribution

/// Numbers as they come: mean, and squares of what they differ from it (Welford 1962).
typedef struct moments {
  long count, missing, least_at, most_at;
  double mean, squares, least, most;
} moments;

typedef struct kind {
  char name[KIND_TEXT];
  long count;
} kind;

/// Some runs, one after the other. The counts of histograms lie behind it: of each those below its
/// edges, in its bins, above.
typedef struct tally {
  long runs, failed, first_failed, not_passed, residual_at, other_kinds;
  double residual;
  char failure[FAILURE_TEXT];
  int kind_count;
  kind kinds[MOST_KINDS];
  moments observables[MOST_OBSERVED];
  long counts[];
} tally;

/// What all threads read.
typedef struct plan {
  int observable_count, histogram_count;
  struct {
    int observable, edges, first; // of its counts
    const double *at;
  } histograms[MOST_HISTOGRAMS];
  int counts; // of all histograms
} plan;

struct carom_ensemble {
  carom_sweep *sweep; // the runs; its journal is that of blocks
  long points;
  plan plan;
  double *edges;
  tally *all;
};

carom_ensemble_options carom_ensemble_options_default(void) {
  return (carom_ensemble_options){.sweep = carom_sweep_options_default(),
                                  .size = sizeof(carom_ensemble_options)};
}

// ---- rows to tallies ----

static void begin_tally(void *ctx, void *state) {
  const plan *it = ctx;
  tally *t = state;
  memset(t, 0, sizeof *t + (size_t)it->counts * sizeof *t->counts);
  t->first_failed = t->residual_at = -1;
  t->residual = NAN;
}

static void add_value(moments *m, double value, long index) {
  if (isnan(value)) {
    m->missing++;
    return;
  }
  m->count++;
  double off = value - m->mean;
  m->mean += off / (double)m->count;
  m->squares += off * (value - m->mean);
  if (m->count == 1 || value < m->least) m->least = value, m->least_at = index;
  if (m->count == 1 || value > m->most) m->most = value, m->most_at = index;
}

// the slot of a value among the counts of a histogram: below, its bins, above
static int slot_of(int edges, const double *at, double value) {
  assert(edges > 1);
  if (value < at[0]) return 0;
  if (value > at[edges - 1]) return edges;
  int low = 0, high = edges - 1; // at[low] <= value, and the bin is below `high`
  while (high - low > 1) {
    int middle = (low + high) / 2;
    if (value < at[middle])
      high = middle;
    else
      low = middle;
  }
  return low + 1;
}

static void add_kind(tally *t, const char *name, long count) {
  if (strlen(name) >= KIND_TEXT) name = "(long)";
  for (int k = 0; k < t->kind_count; k++)
    if (strcmp(t->kinds[k].name, name) == 0) {
      t->kinds[k].count += count;
      return;
    }
  if (t->kind_count == MOST_KINDS) {
    t->other_kinds += count;
    return;
  }
  kind *fresh = &t->kinds[t->kind_count++];
  (void)snprintf(fresh->name, sizeof fresh->name, "%s", name);
  fresh->count = count;
}

static void note_residual(tally *t, double residual, long index) {
  if (isnan(residual) || (!isnan(t->residual) && fabs(residual) <= t->residual)) return;
  t->residual = fabs(residual);
  t->residual_at = index;
}

static void add_row(void *ctx, void *state, const carom_sweep_row *row) {
  const plan *it = ctx;
  tally *t = state;
  t->runs++;
  if (row->status < 0) {
    if (t->failed++ > 0) return;
    t->first_failed = row->index;
    (void)snprintf(t->failure, sizeof t->failure, "%s", row->failure);
    return;
  }
  t->not_passed += !row->passed;
  note_residual(t, row->residual, row->index);
  add_kind(t, row->regime[0] ? row->regime : row->word, 1);
  for (int k = 0; k < it->observable_count; k++)
    add_value(&t->observables[k], row->values[k], row->index);
  for (int k = 0; k < it->histogram_count; k++) {
    double value = row->values[it->histograms[k].observable];
    if (!isnan(value))
      t->counts[it->histograms[k].first +
                slot_of(it->histograms[k].edges, it->histograms[k].at, value)]++;
  }
}

// ---- tallies to records and back ----

static void pack_tally(void *ctx, const void *state, carom_parcel *parcel) {
  const plan *it = ctx;
  const tally *t = state;
  carom_parcel_put(parcel, t, offsetof(tally, kind_count));
  carom_parcel_count(parcel, t->kind_count);
  carom_parcel_put(parcel, t->kinds, (size_t)t->kind_count * sizeof *t->kinds);
  carom_parcel_put(parcel, t->observables, (size_t)it->observable_count * sizeof *t->observables);
  carom_parcel_put(parcel, t->counts, (size_t)it->counts * sizeof *t->counts);
}

static bool unpack_tally(const plan *it, const void *bytes, long size, tally *t) {
  carom_unpack record = {.at = bytes, .end = (const char *)bytes + size};
  carom_unpack_bytes(&record, t, offsetof(tally, kind_count));
  int64_t kinds = carom_unpack_count(&record);
  if (record.broken || kinds < 0 || kinds > MOST_KINDS) return false;
  t->kind_count = (int)kinds;
  carom_unpack_bytes(&record, t->kinds, (size_t)kinds * sizeof *t->kinds);
  carom_unpack_bytes(&record, t->observables,
                     (size_t)it->observable_count * sizeof *t->observables);
  carom_unpack_bytes(&record, t->counts, (size_t)it->counts * sizeof *t->counts);
  return !record.broken;
}

// two groups of numbers (Chan, Golub and LeVeque 1983)
static void join_moments(moments *a, const moments *b) {
  a->missing += b->missing;
  if (b->count == 0) return;
  double n = (double)(a->count + b->count), off = b->mean - a->mean;
  if (a->count == 0 || b->least < a->least) a->least = b->least, a->least_at = b->least_at;
  if (a->count == 0 || b->most > a->most) a->most = b->most, a->most_at = b->most_at;
  a->squares += b->squares + off * off * ((double)a->count * ((double)b->count / n));
  a->mean += off * ((double)b->count / n);
  a->count += b->count;
}

static void join_tally(const plan *it, tally *a, const tally *b) {
  if (a->failed == 0 && b->failed > 0) {
    a->first_failed = b->first_failed;
    memcpy(a->failure, b->failure, sizeof a->failure);
  }
  a->runs += b->runs;
  a->failed += b->failed;
  a->not_passed += b->not_passed;
  a->other_kinds += b->other_kinds;
  note_residual(a, b->residual, b->residual_at);
  for (int k = 0; k < b->kind_count; k++)
    add_kind(a, b->kinds[k].name, b->kinds[k].count);
  for (int k = 0; k < it->observable_count; k++)
    join_moments(&a->observables[k], &b->observables[k]);
  for (int k = 0; k < it->counts; k++)
    a->counts[k] += b->counts[k];
}

static carom_status join_blocks(carom_ensemble *it, size_t size, carom_error *error) {
  carom_journal *journal = it->sweep->journal;
  tally *block = malloc(size);
  void *bytes = NULL;
  size_t room = 0;
  carom_status status = CAROM_OK;
  if (!block) return carom_fail_memory(error);
  begin_tally(&it->plan, it->all);
  for (long k = 0; k < carom_journal_about(journal).count && status == CAROM_OK; k++) {
    long found;
    status = carom_journal_fetch(journal, k, &bytes, &room, &found, error);
    if (status != CAROM_OK || found < 0) continue;
    if (unpack_tally(&it->plan, bytes, found, block))
      join_tally(&it->plan, it->all, block);
    else
      status = carom_fail(error, CAROM_ERR_INPUT, "block %ld of the journal is damaged", k);
  }
  free(bytes);
  free(block);
  return status;
}

// ---- the whole ----

static const char *name_of(const carom_sweep_options *o, int k) {
  return o->observable_count > 0 ? o->observables[k]
                                 : carom_model_name(o->model, CAROM_OBSERVABLES, k);
}

static carom_status add_histogram(carom_ensemble *it, const carom_sweep_options *o,
                                  const carom_axis *axis, carom_error *error) {
  plan *p = &it->plan;
  int which = 0, h = p->histogram_count;
  while (which < p->observable_count && strcmp(name_of(o, which), axis->name) != 0)
    which++;
  if (which == p->observable_count)
    return carom_fail(error, CAROM_ERR_INPUT, "a histogram of '%s', which is not observed",
                      axis->name);
  if (axis->count < 2 || axis->count > MOST_BINS)
    return carom_fail(error, CAROM_ERR_INPUT, "the histogram of '%s' needs from 1 to %d bins",
                      axis->name, MOST_BINS - 1);
  for (int k = 1; k < axis->count; k++)
    if (!(axis->values[k] > axis->values[k - 1]))
      return carom_fail(error, CAROM_ERR_INPUT,
                        "the edges of the histogram of '%s' do not increase", axis->name);
  double *edges = it->edges + p->counts - h; // each has one count more than edges
  memcpy(edges, axis->values, (size_t)axis->count * sizeof *edges);
  p->histograms[h].observable = which;
  p->histograms[h].edges = axis->count;
  p->histograms[h].first = p->counts;
  p->histograms[h].at = edges;
  p->counts += axis->count + 1;
  p->histogram_count++;
  return CAROM_OK;
}

static carom_status make_plan(carom_ensemble *it, const carom_ensemble_options *o,
                              carom_error *error) {
  const carom_sweep_options *runs = &o->sweep;
  size_t edges = 1;
  it->plan.observable_count = runs->observable_count > 0
                                  ? runs->observable_count
                                  : carom_model_count(runs->model, CAROM_OBSERVABLES);
  if (it->plan.observable_count > MOST_OBSERVED || o->histogram_count > MOST_HISTOGRAMS)
    return carom_fail(error, CAROM_ERR_INPUT,
                      "an ensemble has at most %d observables and %d histograms", MOST_OBSERVED,
                      MOST_HISTOGRAMS);
  for (int k = 0; k < o->histogram_count; k++)
    edges += (size_t)o->histograms[k].count;
  it->edges = calloc(edges, sizeof *it->edges);
  carom_status status = it->edges ? CAROM_OK : carom_fail_memory(error);
  for (int k = 0; k < o->histogram_count && status == CAROM_OK; k++)
    status = add_histogram(it, runs, &o->histograms[k], error);
  return status;
}

// results depend on the histograms, too
static uint64_t identity_of(const plan *it, long block) {
  uint64_t hash = carom_hash(0, &block, sizeof block);
  for (int k = 0; k < it->histogram_count; k++) {
    const int numbers[] = {it->histograms[k].observable, it->histograms[k].edges};
    hash = carom_hash(hash, numbers, sizeof numbers);
    hash = carom_hash(hash, it->histograms[k].at, (size_t)it->histograms[k].edges * sizeof(double));
  }
  return hash;
}

/// Whom to tell of progress in runs, where blocks are counted.
typedef struct counting {
  const carom_watcher *watcher;
  long block, points;
} counting;

static bool was_stopped(void *ctx) {
  const carom_watcher *watcher = ((const counting *)ctx)->watcher;
  return watcher->stopped && watcher->stopped(watcher->ctx);
}

static void tell_progress(void *ctx, long done, long total, double left) {
  const counting *it = ctx;
  if (!it->watcher->progress) return;
  long runs = done < total ? done * it->block : it->points;
  it->watcher->progress(it->watcher->ctx, runs < it->points ? runs : it->points, it->points, left);
}

static carom_status run_blocks(carom_ensemble *it, carom_ranks *ranks,
                               const carom_ensemble_options *o, carom_error *error) {
  long block = (it->points - 1) / MOST_BLOCKS + 1;
  if (block < LEAST_BLOCK) block = LEAST_BLOCK;
  const carom_sweep_blocks blocks = {.size = block,
                                     .identity = identity_of(&it->plan, block),
                                     .state =
                                         sizeof(tally) + (size_t)it->plan.counts * sizeof(long),
                                     .ctx = &it->plan,
                                     .begin = begin_tally,
                                     .add = add_row,
                                     .pack = pack_tally};
  counting count = {&o->sweep.watcher, block, it->points};
  carom_sweep_options runs = o->sweep;
  runs.watcher = (carom_watcher){&count, was_stopped, tell_progress};
  it->all = calloc(1, blocks.state);
  if (!it->all) return carom_fail_memory(error);
  carom_status status = carom_sweep_run_blocks(ranks, &runs, &blocks, &it->sweep, error);
  if (status < 0) return status;
  carom_status joined = join_blocks(it, blocks.state, error);
  return joined == CAROM_OK ? status : joined;
}

carom_status carom_ensemble_run(const carom_ensemble_options *options, carom_ensemble **ensemble,
                                carom_error *error) {
  *ensemble = NULL;
  carom_status status =
      carom_check_options(options->size, sizeof *options, "carom_ensemble_options", error);
  if (status != CAROM_OK) return status;
  if (!options->sweep.model)
    return carom_fail(error, CAROM_ERR_ARGUMENT, "an ensemble needs a model");
  carom_ensemble *it = calloc(1, sizeof *it);
  if (!it) return carom_fail_memory(error);
  carom_ranks *ranks = NULL;
  it->points = carom_sweep_points(&options->sweep);
  if (it->points < 1)
    status = carom_fail(error, CAROM_ERR_LIMIT, "the ensemble has no points, or too many");
  if (status == CAROM_OK) status = make_plan(it, options, error);
  if (status == CAROM_OK && options->sweep.ranks) status = carom_ranks_join(&ranks, error);
  if (status == CAROM_OK) status = run_blocks(it, ranks, options, error);
  carom_ranks_leave(ranks);
  if (status < 0)
    carom_ensemble_destroy(it);
  else
    *ensemble = it;
  return status;
}

void carom_ensemble_destroy(carom_ensemble *ensemble) {
  if (!ensemble) return;
  carom_sweep_destroy(ensemble->sweep);
  free(ensemble->edges);
  free(ensemble->all);
  free(ensemble);
}

// ---- questions ----

carom_ensemble_motions carom_ensemble_count(const carom_ensemble *ensemble) {
  const tally *t = ensemble->all;
  return (carom_ensemble_motions){.points = ensemble->points,
                                  .done = t->runs,
                                  .failed = t->failed,
                                  .first_failed = t->first_failed,
                                  .failure = t->failure,
                                  .not_passed = t->not_passed,
                                  .residual = t->residual,
                                  .residual_at = t->residual_at};
}

int carom_ensemble_kinds(const carom_ensemble *ensemble) {
  return ensemble->all->kind_count + (ensemble->all->other_kinds > 0);
}

carom_ensemble_kind carom_ensemble_kind_at(const carom_ensemble *ensemble, int k) {
  const tally *t = ensemble->all;
  assert(k >= 0 && k < carom_ensemble_kinds(ensemble));
  bool known = k < t->kind_count;
  carom_ensemble_kind found = {.name = known ? t->kinds[k].name : "(others)",
                               .count = known ? t->kinds[k].count : t->other_kinds};
  // (p + z^2/2n -+ z sqrt(p(1-p)/n + z^2/4n^2)) / (1 + z^2/n)
  double n = (double)(t->runs - t->failed), p = (double)found.count / n, z = NORMAL_95;
  double scale = 1.0 + z * z / n, middle = p + z * z / (2.0 * n);
  double half = z * sqrt(p * (1.0 - p) / n + z * z / (4.0 * n * n));
  found.share = p;
  found.low = fmax(0.0, (middle - half) / scale);
  found.high = fmin(1.0, (middle + half) / scale);
  return found;
}

int carom_ensemble_observables(const carom_ensemble *ensemble) {
  return ensemble->plan.observable_count;
}

carom_ensemble_observable carom_ensemble_observable_at(const carom_ensemble *ensemble, int k) {
  assert(k >= 0 && k < ensemble->plan.observable_count);
  const moments *m = &ensemble->all->observables[k];
  bool some = m->count > 0;
  return (carom_ensemble_observable){
      .name = carom_sweep_observable(ensemble->sweep, k),
      .count = m->count,
      .missing = m->missing,
      .mean = some ? m->mean : NAN,
      .deviation = m->count > 1 ? sqrt(m->squares / (double)(m->count - 1)) : NAN,
      .least = some ? m->least : NAN,
      .most = some ? m->most : NAN,
      .least_at = some ? m->least_at : -1,
      .most_at = some ? m->most_at : -1};
}

int carom_ensemble_histograms(const carom_ensemble *ensemble) {
  return ensemble->plan.histogram_count;
}

carom_ensemble_histogram carom_ensemble_histogram_at(const carom_ensemble *ensemble, int k) {
  assert(k >= 0 && k < ensemble->plan.histogram_count);
  const plan *it = &ensemble->plan;
  const long *counts = ensemble->all->counts + it->histograms[k].first;
  int bins = it->histograms[k].edges - 1;
  return (carom_ensemble_histogram){
      .name = carom_sweep_observable(ensemble->sweep, it->histograms[k].observable),
      .bins = bins,
      .edges = it->histograms[k].at,
      .counts = counts + 1,
      .below = counts[0],
      .above = counts[bins + 1]};
}

const carom_card_report *carom_ensemble_card(const carom_ensemble *ensemble) {
  return carom_sweep_card(ensemble->sweep);
}

void carom_ensemble_point(const carom_ensemble *ensemble, long index, double *at) {
  carom_sweep_point(ensemble->sweep, index, at);
}
