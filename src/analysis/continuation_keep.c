// SPDX-License-Identifier: MIT
/// Branches written down while they are followed. A record of the journal is one branch: its
/// points, the branches that leave it, and, while it is not whole, everything its next step depends
/// on, so that a branch taken up again is the same to the last bit.
#include "analysis/follower.h"

#include "base/error.h"
#include "base/platform.h"
#include "carom/version.h"

#include <stdlib.h>
#include <string.h>

static const double KEEP_EVERY = 1.0; // [s]: what a crash may cost

/// A place the branch can be taken up from. Pointers in it are those of the time it was made.
typedef struct carom_safe_place {
  carom_follower follower;
  carom_orbit_map map;
  long points;
  int promises;
} carom_safe_place;

carom_status carom_branches_open(const carom_continuation_options *o, carom_journal **journal,
                                 carom_error *error) {
  *journal = NULL;
  if (!o->journal) return CAROM_OK;
  char *scenario = carom_model_scenario_text(o->model);
  carom_build build = carom_build_info();
  const double numbers[] = {
      o->from,        o->to,           o->equilibrium,     o->virtual_too,
      o->switches,    o->looks,        (double)o->most,    o->first,
      o->least,       o->largest,      o->tolerance,       o->orbit.after,
      o->orbit.turns, o->orbit.period, o->orbit.tolerance, sizeof(carom_safe_place)};
  uint64_t hash = carom_hash(0, numbers, sizeof numbers);
  hash = carom_hash_text(carom_hash_text(carom_hash_text(hash, scenario), o->parameter), o->mode);
  hash = carom_hash_text(carom_hash_text(hash, build.version), build.revision);
  for (int k = 0; k < o->value_count; k++) {
    hash = carom_hash_text(hash, o->values[k].name);
    hash = carom_hash(hash, &o->values[k].value, sizeof o->values[k].value);
  }
  carom_text_destroy(scenario);
  carom_journal_task task = {.identity = hash, .count = CAROM_MOST_BRANCHES + 1};
  return carom_journal_open(o->journal, &task, o->resume, journal, error);
}

// --- writing

static void put_point(carom_parcel *out, const carom_continuation_point *p, size_t states) {
  carom_parcel_put(out, p, sizeof *p); // its pointers are made anew when it is read
  carom_parcel_count(out, p->top != NULL);
  carom_parcel_put(out, p->state, 3 * states * sizeof(double)); // shift and top lie behind
  carom_parcel_text(out, p->word);
  carom_parcel_text(out, p->why);
}

static carom_status write_down(carom_follower *it, bool whole, long points, int promises) {
  const carom_continuation *result = it->result;
  carom_parcel record = {0};
  carom_parcel_count(&record, whole);
  carom_parcel_count(&record, result->turns);
  carom_parcel_count(&record, points);
  carom_parcel_count(&record, promises);
  if (!whole) carom_parcel_put(&record, it->keeping.safe, sizeof *it->keeping.safe);
  for (int k = 0; k < promises; k++)
    carom_parcel_put(&record, result->promised[k], sizeof *result->promised[k]);
  for (long k = 0; k < points; k++)
    put_point(&record, &result->points[k], (size_t)result->states);
  carom_status status = record.broken ? carom_fail_memory(it->error)
                                      : carom_journal_append(it->keeping.journal, it->branch,
                                                             record.bytes, record.size, it->error);
  free(record.bytes);
  it->keeping.kept = carom_clock();
  return status;
}

carom_status carom_follower_keep(carom_follower *it, bool whole) {
  if (!it->keeping.journal || (!whole && !it->keeping.safe)) return CAROM_OK;
  return whole ? write_down(it, true, it->result->count, it->result->promises)
               : write_down(it, false, it->keeping.safe->points, it->keeping.safe->promises);
}

carom_status carom_follower_mark(carom_follower *it) {
  if (!it->keeping.journal) return CAROM_OK;
  if (!it->keeping.safe) it->keeping.safe = malloc(sizeof *it->keeping.safe);
  if (!it->keeping.safe) return carom_fail_memory(it->error);
  it->keeping.safe->follower = *it;
  it->keeping.safe->map = *it->map;
  it->keeping.safe->points = it->result->count;
  it->keeping.safe->promises = it->result->promises;
  return carom_clock() - it->keeping.kept > KEEP_EVERY ? carom_follower_keep(it, false) : CAROM_OK;
}

void carom_follower_forget(carom_follower *it) {
  free(it->keeping.safe);
  it->keeping.safe = NULL;
}

// --- reading

static carom_status read_point(carom_follower *it, carom_unpack *in) {
  carom_continuation *result = it->result;
  size_t states = (size_t)result->states;
  carom_continuation_point p;
  carom_unpack_bytes(in, &p, sizeof p);
  bool has_top = carom_unpack_count(in) != 0;
  const char *numbers = in->at;
  if (!in->broken && (size_t)(in->end - in->at) >= 3 * states * sizeof(double))
    in->at += 3 * states * sizeof(double);
  else
    in->broken = true;
  const char *word = carom_unpack_text(in), *why = carom_unpack_text(in);
  if (in->broken) return carom_fail(it->error, CAROM_ERR_INPUT, "the journal is damaged");
  carom_status status = carom_continuation_grow(result, it->error);
  size_t size = 3 * states * sizeof(double) + strlen(word) + strlen(why) + 2;
  double *kept = status == CAROM_OK ? malloc(size) : NULL;
  if (!kept) return carom_fail_memory(it->error);
  memcpy(kept, numbers, 3 * states * sizeof *kept);
  char *texts = (char *)(kept + 3 * states);
  memcpy(texts, word, strlen(word) + 1);
  memcpy(texts + strlen(word) + 1, why, strlen(why) + 1);
  p.state = kept;
  p.shift = kept + states;
  p.top = has_top ? kept + 2 * states : NULL;
  p.word = texts;
  p.why = texts + strlen(word) + 1;
  result->points[result->count++] = p;
  return CAROM_OK;
}

// the follower and its map as they were, with the pointers of today
static carom_status read_safe_place(carom_follower *it, carom_unpack *in) {
  carom_safe_place *place = malloc(sizeof *place);
  if (!place) return carom_fail_memory(it->error);
  carom_unpack_bytes(in, place, sizeof *place);
  if (!in->broken) {
    carom_follower now = *it;
    carom_orbit_map map = *it->map;
    *it->map = place->map;
    it->map->maker = map.maker;
    it->map->maker.parameter = now.options->parameter;
    *it = place->follower;
    it->options = now.options;
    it->result = now.result;
    it->map = now.map;
    it->keeping.journal = now.keeping.journal;
    it->keeping.safe = NULL;
    it->error = now.error;
    it->keeping.began = now.keeping.began;
    it->keeping.kept = now.keeping.kept;
    carom_follower_prepare(it);
  }
  free(place);
  return CAROM_OK;
}

static carom_status read_promises(carom_follower *it, carom_unpack *in, int64_t promises) {
  carom_status status = CAROM_OK;
  carom_beginning *beginning = malloc(sizeof *beginning);
  if (!beginning) return carom_fail_memory(it->error);
  for (int64_t k = 0; k < promises && status == CAROM_OK && !in->broken; k++) {
    carom_unpack_bytes(in, beginning, sizeof *beginning);
    // the follower that takes it up has one of its own
    carom_orbit_make_with(&beginning->map, &it->map->maker);
    status = carom_continuation_promise(it->result, beginning, it->error);
  }
  free(beginning);
  return status;
}

carom_status carom_follower_take_up(carom_follower *it, bool *found, bool *whole) {
  void *bytes = NULL;
  size_t room = 0;
  long size = -1;
  *found = *whole = false;
  if (!it->keeping.journal) return CAROM_OK;
  carom_status status =
      carom_journal_fetch(it->keeping.journal, it->branch, &bytes, &room, &size, it->error);
  if (status == CAROM_OK && size >= 0) {
    carom_unpack in = {.at = bytes, .end = (const char *)bytes + size};
    *found = true;
    *whole = carom_unpack_count(&in) != 0;
    it->result->turns = (long)carom_unpack_count(&in);
    int64_t points = carom_unpack_count(&in), promises = carom_unpack_count(&in);
    if (!*whole) status = read_safe_place(it, &in);
    if (status == CAROM_OK) status = read_promises(it, &in, promises);
    for (int64_t k = 0; k < points && status == CAROM_OK; k++)
      status = read_point(it, &in);
    if (status == CAROM_OK && in.broken)
      status = carom_fail(it->error, CAROM_ERR_INPUT, "the journal is damaged");
  }
  free(bytes);
  return status;
}
