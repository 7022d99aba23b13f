// SPDX-License-Identifier: MIT
// Motions on a card and motions here: the same bits, for every scenario of the event-driven engine
// at random parameters. The card is this processor, with the sources of the threads compiled apart
// (card_here.c), models moved to other addresses and all that points into the program cleared; with
// CAROM_CARD the one that it names.
#include "check.h"

#include "base/platform.h"
#include "base/random.h"
#include "carom/carom.h"
#include "device/crew.h"
#include "engine/engine.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_REFUSED = 3, EACH = 4, MOST_FILES = 400, NAME = 200 };
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
  long motions, returned, failed, differ, refused;
} tally;

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

static void *saved(const carom_simulation *simulation, size_t *size) {
  *size = 0;
  CHECK(carom_simulation_save(simulation, NULL, size, NULL) == CAROM_OK);
  void *bytes = malloc(*size);
  CHECK(bytes && carom_simulation_save(simulation, bytes, size, NULL) == CAROM_OK);
  return bytes;
}

static void compare_texts(carom_simulation *here, carom_simulation *there) {
  char a[2000] = "", b[2000] = "";
  (void)carom_simulation_word(here, a, sizeof a, NULL);
  (void)carom_simulation_word(there, b, sizeof b, NULL);
  assert_string_equal(a, b);
  for (int k = 0; k < carom_model_count(here->model, CAROM_OBSERVABLES); k++) {
    const char *name = carom_model_name(here->model, CAROM_OBSERVABLES, k);
    double x = NAN, y = NAN;
    CHECK(carom_simulation_get(here, name, &x, NULL) ==
          carom_simulation_get(there, name, &y, NULL));
    CHECK_SAME(x, y);
  }
}

// zeros of different signs are equal, as everywhere in tests: compilers differ in fmax(0, -0)
static bool same_word(const char *a, const char *b) {
  uint64_t x, y;
  memcpy(&x, a, sizeof x);
  memcpy(&y, b, sizeof y);
  return x == y || (x << 1 == 0 && y << 1 == 0);
}

// the motion that came back and the one that was computed here: all that can be saved, bit by bit
static long compare(carom_simulation *here, carom_simulation *there, const char *file) {
  size_t size, other;
  char *a = saved(here, &size), *b = saved(there, &other);
  long different = 0;
  assert_int_equal(size, other);
  for (size_t at = 0; at + sizeof(uint64_t) <= size; at += sizeof(uint64_t))
    if (!same_word(a + at, b + at) && different++ < 4)
      print_error("%s: differs at byte %zu of %zu\n", file, at, size);
  if (different == 0) compare_texts(here, there);
  free(a);
  free(b);
  return different;
}

static double horizon(const carom_simulation *simulation) {
  double from = carom_simulation_time(simulation), to = carom_simulation_until(simulation);
  return from + fmin(0.1 * (to - from), 3.0);
}

static void try_model(const carom_model *model, carom_shore *shore, const char *file, tally *all) {
  carom_simulation *here = NULL, *there = NULL;
  carom_crew *crew = NULL;
  carom_error error = {0};
  int numbers[EACH];
  double until[EACH];
  bool added[EACH];
  CHECK(carom_simulation_create(model, &here, &error) == CAROM_OK);
  CHECK(carom_simulation_create(model, &there, &error) == CAROM_OK);
  if (carom_crew_create(shore, here, EACH, &crew, &error) != CAROM_OK) {
    print_message("%s: %s\n", file, error.text);
    carom_simulation_destroy(here);
    carom_simulation_destroy(there);
    return;
  }
  for (int k = 0; k < EACH; k++) {
    carom_simulation_destroy(there);
    CHECK(carom_simulation_create(model, &there, &error) == CAROM_OK);
    added[k] = draw(there, model, 7, k);
    until[k] = horizon(there);
    added[k] = added[k] && carom_crew_add(crew, there, until[k], &numbers[k]);
  }
  carom_status all_moved = carom_crew_move(crew, &error);
  if (all_moved != CAROM_OK) print_error("%s: %s\n", file, error.text);
  CHECK(all_moved == CAROM_OK);
  for (int k = 0; k < EACH; k++) {
    if (!added[k]) continue;
    all->motions++;
    carom_simulation_destroy(here); // nothing is left of the motion before
    CHECK(carom_simulation_create(model, &here, &error) == CAROM_OK);
    CHECK(draw(here, model, 7, k));
    carom_status status = carom_simulation_advance(here, until[k], &error);
    carom_status moved = carom_crew_take(crew, numbers[k], there);
    all->failed += status < 0;
    if (moved < 0 && status >= 0) {
      all->returned++;
      print_message("%s, motion %d: given back (%s)\n", file, k, carom_status_text(moved));
    }
    if (moved < 0) continue;
    assert_int_equal(moved, status);
    all->differ += compare(here, there, file) > 0;
  }
  carom_crew_destroy(crew);
  carom_simulation_destroy(here);
  carom_simulation_destroy(there);
}

static carom_card_place card_place(void) {
  const char *given = getenv("CAROM_CARD");
#ifdef CAROM_CARD_HERE
  return (carom_card_place){given ? given : CAROM_CARD_HERE, getenv("CAROM_CARD_CACHE")};
#else
  return (carom_card_place){given, NULL}; // none is built under the sanitizers
#endif
}

static void every_scenario(void **state) {
  (void)state;
  static folder files;
  const carom_card_place place = card_place();
  if (!place.path) skip();
  tally all = {0};
  carom_folder_visit(SCENARIOS, visit, &files);
  qsort(files.names, (size_t)files.count, NAME, by_name);
  for (int k = 0; k < files.count; k++) {
    char path[sizeof SCENARIOS + NAME + 1];
    carom_model *model = NULL;
    carom_shore *shore = NULL;
    carom_error error = {0};
    const char *only = getenv("CAROM_ONLY");
    if (only && !strstr(files.names[k], only)) continue;
    (void)snprintf(path, sizeof path, "%s/%s", SCENARIOS, files.names[k]);
    if (carom_model_load(path, 0, NULL, &model, &error) != CAROM_OK) continue;
    if (strcmp(carom_model_engine(model), "hybrid") == 0) {
      double began = carom_clock();
      // a model with room that was never written to may differ from its twin: it is refused, aloud
      if (carom_shore_open(&place, model, &shore, &error) != CAROM_OK)
        print_message("%s: %s\n", files.names[k], error.text);
      if (!shore) all.refused++;
      if (shore) try_model(model, shore, files.names[k], &all);
      if (carom_clock() - began > 1.0)
        print_message("%s: %.1f s\n", files.names[k], carom_clock() - began);
    }
    carom_shore_close(shore);
    carom_model_destroy(model);
  }
  print_message("%ld motions, %ld given back, %ld fail here, %ld differ\n", all.motions,
                all.returned, all.failed, all.differ);
  CHECK(all.motions > 0);
  CHECK(all.differ == 0);
  CHECK(all.refused <= MOST_REFUSED);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_scenario)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
