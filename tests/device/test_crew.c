// SPDX-License-Identifier: MIT
// Motions on a card and motions here: the same bits, for every scenario of the event-driven engine
// at random parameters. The card is this processor, with the sources of the threads compiled apart
// (card_here.c), models moved to other addresses and all that points into the program cleared; with
// CAROM_CARD the one that it names. CAROM_EACH says how many motions of each scenario, CAROM_ONLY
// which scenarios, CAROM_SHARE=K/N a part of them, CAROM_SECONDS when to begin no further one.
#include "check.h"

#include "base/platform.h"
#include "base/pool.h"
#include "base/random.h"
#include "carom/carom.h"
#include "device/crew.h"
#include "engine/engine.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EACH = 4, MOST_EACH = 1000, MOST_FILES = 400, NAME = 200 };
static const double SPREAD = 0.05; // of each parameter
static const char SCENARIOS[] = CAROM_SOURCE_DIR "/scenarios";

typedef struct folder {
  char names[MOST_FILES][NAME];
  int count;
} folder;

static bool visit(void *ctx, const char *name) {
  folder *it = ctx;
  size_t length = strlen(name);
  if (length > 5 && length < NAME && strcmp(name + length - 5, ".yaml") == 0)
    memcpy(it->names[it->count++], name, length + 1);
  return it->count < MOST_FILES;
}

static int by_name(const void *a, const void *b) { return strcmp(a, b); }

typedef struct tally {
  atomic_long motions, returned, failed, differ;
  long refused, models;
} tally;

static double number_of(const char *name, double otherwise) {
  const char *text = getenv(name);
  return text ? atof(text) : otherwise;
}

// random values of the parameters; false: these fit to no start
static bool draw(carom_simulation *simulation, const carom_model *model, uint64_t seed, long k) {
  carom_value values[64];
  int count = 0;
  for (int p = 0; k > 0 && p < carom_model_count(model, CAROM_PARAMETERS) && count < 64; p++) {
    const char *name = carom_model_name(model, CAROM_PARAMETERS, p);
    double value;
    if (carom_simulation_get(simulation, name, &value, NULL) != CAROM_OK || value == 0.0) continue;
    double part = carom_random_uniform(seed, (uint64_t)p, (uint64_t)k);
    values[count++] = (carom_value){name, value * (1.0 + SPREAD * (2.0 * part - 1.0))};
  }
  return carom_simulation_set_all(simulation, count, values, NULL) == CAROM_OK;
}

// NULL: it failed
static char *saved(const carom_simulation *simulation, size_t *size) {
  *size = 0;
  char *bytes =
      carom_simulation_save(simulation, NULL, size, NULL) == CAROM_OK ? malloc(*size) : NULL;
  if (bytes && carom_simulation_save(simulation, bytes, size, NULL) == CAROM_OK) return bytes;
  free(bytes);
  return NULL;
}

static bool same_number(double x, double y) { return x == y || (isnan(x) && isnan(y)); }

static bool same_texts(carom_simulation *here, carom_simulation *there) {
  char a[2000] = "", b[2000] = "";
  (void)carom_simulation_word(here, a, sizeof a, NULL);
  (void)carom_simulation_word(there, b, sizeof b, NULL);
  bool same = strcmp(a, b) == 0;
  for (int k = 0; k < carom_model_count(here->model, CAROM_OBSERVABLES); k++) {
    const char *name = carom_model_name(here->model, CAROM_OBSERVABLES, k);
    double x = NAN, y = NAN;
    same = same && carom_simulation_get(here, name, &x, NULL) ==
                       carom_simulation_get(there, name, &y, NULL);
    same = same && same_number(x, y);
  }
  return same;
}

// zeros of different signs are equal, as everywhere in tests: compilers differ in fmax(0, -0)
static bool same_word(const char *a, const char *b) {
  uint64_t x, y;
  memcpy(&x, a, sizeof x);
  memcpy(&y, b, sizeof y);
  return x == y || (x << 1 == 0 && y << 1 == 0);
}

// the motion that came back and the one that was computed here: all that can be saved, bit by bit
static bool compare(carom_simulation *here, carom_simulation *there, const char *file) {
  size_t size, other;
  char *a = saved(here, &size), *b = saved(there, &other);
  bool same = a && b && size == other;
  for (size_t at = 0; same && at + sizeof(uint64_t) <= size; at += sizeof(uint64_t)) {
    same = same_word(a + at, b + at);
    if (!same) print_error("%s: differs at byte %zu of %zu\n", file, at, size);
  }
  same = same && same_texts(here, there);
  free(a);
  free(b);
  return same;
}

static double horizon(const carom_simulation *simulation) {
  double from = carom_simulation_time(simulation), to = carom_simulation_until(simulation);
  return from + fmin(0.1 * (to - from), 3.0);
}

/// Motions of one model, on their way to the card and back.
typedef struct voyage {
  const carom_model *model;
  carom_crew *crew;
  const char *file;
  tally *all;
  int numbers[MOST_EACH];
  double until[MOST_EACH];
  bool added[MOST_EACH];
} voyage;

// nothing is left of another motion in either simulation
static void compare_motion(void *ctx, int worker, int k) {
  voyage *it = ctx;
  carom_simulation *here = NULL, *there = NULL;
  carom_error error = {0};
  (void)worker;
  if (!it->added[k]) return;
  atomic_fetch_add(&it->all->motions, 1);
  bool same = carom_simulation_create(it->model, &here, NULL) == CAROM_OK &&
              carom_simulation_create(it->model, &there, NULL) == CAROM_OK &&
              draw(here, it->model, 7, k) && draw(there, it->model, 7, k);
  carom_status status =
      same ? carom_simulation_advance(here, it->until[k], &error) : CAROM_ERR_MEMORY;
  carom_status moved = carom_crew_take(it->crew, it->numbers[k], there);
  if (status < 0) atomic_fetch_add(&it->all->failed, 1);
  if (moved < 0 && status >= 0) {
    atomic_fetch_add(&it->all->returned, 1);
    print_message("%s, motion %d: given back (%s)\n", it->file, k, carom_status_text(moved));
  }
  if (moved >= 0 && !(same && moved == status && compare(here, there, it->file)))
    atomic_fetch_add(&it->all->differ, 1);
  carom_simulation_destroy(here);
  carom_simulation_destroy(there);
}

static void try_model(const carom_model *model, carom_shore *shore, carom_pool *pool,
                      const char *file, tally *all) {
  static voyage it;
  carom_simulation *there = NULL;
  carom_error error = {0};
  int each = (int)fmin(number_of("CAROM_EACH", EACH), MOST_EACH);
  it = (voyage){.model = model, .file = file, .all = all};
  CHECK(carom_simulation_create(model, &there, &error) == CAROM_OK);
  if (carom_crew_create(shore, there, each, NULL, &it.crew, &error) != CAROM_OK) {
    print_message("%s: %s\n", file, error.text);
    carom_simulation_destroy(there);
    return;
  }
  for (int k = 0; k < each; k++) {
    carom_simulation_destroy(there);
    CHECK(carom_simulation_create(model, &there, &error) == CAROM_OK);
    it.added[k] = draw(there, model, 7, k);
    it.until[k] = horizon(there);
    it.added[k] = it.added[k] && carom_crew_add(it.crew, there, it.until[k], &it.numbers[k]);
  }
  carom_status all_moved = carom_crew_move(it.crew, &error);
  if (all_moved != CAROM_OK) print_error("%s: %s\n", file, error.text);
  CHECK(all_moved == CAROM_OK);
  carom_pool_share(pool, each, compare_motion, &it);
  all->models++;
  carom_crew_destroy(it.crew);
  carom_simulation_destroy(there);
}

static carom_card_place card_place(void) {
  const char *given = getenv("CAROM_CARD");
#ifdef CAROM_CARD_HERE
  return (carom_card_place){.path = given ? given : CAROM_CARD_HERE,
                            .cache = getenv("CAROM_CARD_CACHE")};
#else
  return (carom_card_place){.path = given}; // none is built under the sanitizers
#endif
}

static void every_scenario(void **state) {
  (void)state;
  static folder files;
  const carom_card_place place = card_place();
  if (!place.path) skip();
  static tally all;
  int part = 0, parts = 1;
  const char *share = getenv("CAROM_SHARE");
  if (share) CHECK(sscanf(share, "%d/%d", &part, &parts) == 2 && parts > 0);
  double started = carom_clock(), limit = number_of("CAROM_SECONDS", 1e9);
  carom_pool *pool = carom_pool_begin(carom_processors() - 1);
  carom_folder_visit(SCENARIOS, visit, &files);
  qsort(files.names, (size_t)files.count, NAME, by_name);
  for (int k = 0; k < files.count; k++) {
    char path[sizeof SCENARIOS + NAME + 1];
    carom_model *model = NULL;
    carom_shore *shore = NULL;
    carom_error error = {0};
    const char *only = getenv("CAROM_ONLY");
    if (only && !strstr(files.names[k], only)) continue;
    if (k % parts != part || carom_clock() - started > limit) continue;
    (void)snprintf(path, sizeof path, "%s/%s", SCENARIOS, files.names[k]);
    if (carom_model_load(path, 0, NULL, &model, &error) != CAROM_OK) continue;
    if (strcmp(carom_model_engine(model), "hybrid") == 0) {
      double began = carom_clock();
      if (carom_shore_open(&place, model, &shore, &error) != CAROM_OK)
        print_message("%s: %s\n", files.names[k], error.text);
      if (!shore) all.refused++;
      if (shore) try_model(model, shore, pool, files.names[k], &all);
      if (carom_clock() - began > 1.0)
        print_message("%s: %.1f s\n", files.names[k], carom_clock() - began);
    }
    carom_shore_close(shore);
    carom_model_destroy(model);
  }
  carom_pool_end(pool);
  print_message("%ld models, %ld motions, %ld given back, %ld fail here, %ld differ\n", all.models,
                (long)all.motions, (long)all.returned, (long)all.failed, (long)all.differ);
  CHECK(all.motions > 0);
  CHECK(all.differ == 0);
  CHECK(all.refused == 0);
}

// ---- motions one after the other, without a card ----

// the motion from a start that was lent
static void go_from_start(carom_simulation *lender, double q, carom_simulation *simulation) {
  const carom_engine *engine = lender->model->engine;
  size_t size;
  CHECK(carom_simulation_set(lender, "q", q, NULL) == CAROM_OK);
  CHECK(engine->lent.lend(lender, NULL, &size, NULL) == CAROM_OK);
  char *bytes = malloc(size);
  CHECK(bytes && engine->lent.lend(lender, bytes, &size, NULL) == CAROM_OK);
  CHECK(engine->lent.take(simulation, bytes, size, NULL) == CAROM_OK);
  CHECK(carom_simulation_advance(simulation, 50.0, NULL) == CAROM_OK);
  free(bytes);
}

// One valve strikes its seat, the next only flies: of what an impact made of the section's
// function nothing may be left when the section is passed on the way of the next.
static void nothing_is_left(void **state) {
  enum { FLYING = 10 };
  const carom_setting settings[] = {{"run.until", "50"}, {"measure.after", "10"}};
  carom_model *model = NULL;
  carom_simulation *lender = NULL, *used = NULL;
  char path[sizeof SCENARIOS + NAME];
  (void)state;
  (void)snprintf(path, sizeof path, "%s/relief_valve.yaml", SCENARIOS);
  CHECK(carom_model_load(path, 2, settings, &model, NULL) == CAROM_OK);
  CHECK(carom_simulation_create(model, &lender, NULL) == CAROM_OK &&
        carom_simulation_create(model, &used, NULL) == CAROM_OK);
  for (int k = 0; k < FLYING; k++) {
    carom_simulation *fresh = NULL;
    double q = 7.9 + 0.01 * k;
    CHECK(carom_simulation_create(model, &fresh, NULL) == CAROM_OK);
    go_from_start(lender, 7.0, used);
    go_from_start(lender, q, used);
    go_from_start(lender, q, fresh);
    CHECK(compare(fresh, used, "relief_valve.yaml"));
    carom_simulation_destroy(fresh);
  }
  carom_simulation_destroy(lender);
  carom_simulation_destroy(used);
  carom_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_is_left),
                                     cmocka_unit_test(every_scenario)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
