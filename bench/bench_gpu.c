// SPDX-License-Identifier: MIT
// Motions at once on a card against all processors of its host: the same scenario, a parameter
// spread evenly, the same bits. usage: bench_gpu CARD SCENARIO NAME=FROM:TO COUNT [NAME=VALUE...]
// settings as carom's --set; one line of a table. The processors move a sample of the motions, and
// each of these is compared byte by byte with what the card made of it.
#include "base/hash.h"
#include "base/platform.h"
#include "base/pool.h"
#include "carom/carom.h"
#include "device/crew.h"
#include "engine/engine.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SETTINGS = 16, MOST_THREADS = 64, NAME = 64 };

typedef struct task {
  carom_model *model;
  carom_shore *shore;
  char name[NAME];
  double from, to;
  long count;
  int threads, sample; // every so many of a thread's motions is compared
  carom_crew *crews[MOST_THREADS];
  carom_simulation *simulations[MOST_THREADS];
  atomic_long refused, given_back, compared, different, failed;
  atomic_long steps, events, impacts, hash;
  atomic_long sample_steps, returns, sampled;
} task;

static void stop(const char *what, const carom_error *error) {
  (void)fprintf(stderr, "bench_gpu: %s: %s\n", what, error->text);
  exit(1);
}

static long share_of(const task *it, int worker) {
  return it->count / it->threads + (worker < it->count % it->threads);
}

static double value_of(const task *it, int worker, long k) {
  long index = k * it->threads + worker; // neighbours are in one group of threads of the card
  return it->from + (it->to - it->from) * ((double)index + 0.5) / (double)it->count;
}

static bool set_motion(task *it, carom_simulation *simulation, int worker, long k) {
  return carom_simulation_set(simulation, it->name, value_of(it, worker, k), NULL) == CAROM_OK;
}

static void fill_crew(void *ctx, int worker, int piece) {
  task *it = ctx;
  int number;
  (void)worker;
  for (long k = 0; k < share_of(it, piece); k++)
    if (!set_motion(it, it->simulations[piece], piece, k) ||
        !carom_crew_add(it->crews[piece], it->simulations[piece],
                        carom_simulation_until(it->simulations[piece]), &number))
      atomic_fetch_add(&it->refused, 1);
}

static void move_crew(void *ctx, int worker, int piece) {
  task *it = ctx;
  carom_error error = {0};
  (void)worker;
  if (carom_crew_move(it->crews[piece], &error) != CAROM_OK) stop("card", &error);
}

static void count_motions(void *ctx, int worker, int piece) {
  task *it = ctx;
  carom_simulation *simulation = it->simulations[piece];
  (void)worker;
  for (long k = 0; k < share_of(it, piece); k++) {
    carom_certificate certificate;
    if (carom_crew_take(it->crews[piece], (int)k, simulation) < 0) {
      atomic_fetch_add(&it->given_back, 1);
      continue;
    }
    if (carom_simulation_certificate(simulation, &certificate, NULL) != CAROM_OK) continue;
    atomic_fetch_add(&it->steps, certificate.counts.steps);
    atomic_fetch_add(&it->events, certificate.counts.events);
    atomic_fetch_add(&it->impacts, certificate.counts.impacts);
    int size;
    const double *y = carom_simulation_state(simulation, &size);
    atomic_fetch_add(&it->hash, (long)(carom_hash(0, y, (size_t)size * sizeof *y) >> 1));
  }
}

static int count_section(void *ctx, const carom_event *event) {
  *(long *)ctx += event->kind == CAROM_EVENT_SECTION;
  return 0;
}

static void move_here(void *ctx, int worker, int piece) {
  task *it = ctx;
  carom_simulation *simulation = it->simulations[piece];
  carom_error error = {0};
  long returns = 0, steps = 0, moved = 0;
  const carom_observer observer = {.ctx = &returns, .event = count_section};
  (void)worker;
  carom_simulation_observe(simulation, &observer);
  for (long k = 0; k < share_of(it, piece); k += it->sample) {
    carom_certificate certificate;
    if (!set_motion(it, simulation, piece, k)) continue;
    if (carom_simulation_advance(simulation, carom_simulation_until(simulation), &error) < 0)
      continue;
    if (carom_simulation_certificate(simulation, &certificate, NULL) != CAROM_OK) continue;
    steps += certificate.counts.steps;
    moved++;
  }
  carom_simulation_observe(simulation, NULL);
  atomic_fetch_add(&it->sample_steps, steps);
  atomic_fetch_add(&it->returns, returns);
  atomic_fetch_add(&it->sampled, moved);
}

// zeros of different signs are equal, see tests/device/test_crew.c
static bool same_bytes(const char *a, const char *b, size_t size) {
  for (size_t at = 0; at + sizeof(uint64_t) <= size; at += sizeof(uint64_t)) {
    uint64_t x, y;
    memcpy(&x, a + at, sizeof x);
    memcpy(&y, b + at, sizeof y);
    if (x != y && !(x << 1 == 0 && y << 1 == 0)) return false;
  }
  return true;
}

static char *save(carom_simulation *simulation, size_t *size) {
  char *bytes = NULL;
  *size = 0;
  if (carom_simulation_save(simulation, NULL, size, NULL) == CAROM_OK) bytes = malloc(*size);
  if (bytes && carom_simulation_save(simulation, bytes, size, NULL) != CAROM_OK) *size = 0;
  return bytes;
}

static void compare_motions(void *ctx, int worker, int piece) {
  task *it = ctx;
  carom_simulation *there = it->simulations[piece];
  (void)worker;
  for (long k = 0; k < share_of(it, piece); k += it->sample) {
    carom_simulation *here = NULL; // nothing is left of another motion
    if (carom_crew_take(it->crews[piece], (int)k, there) < 0) continue;
    if (carom_simulation_create(it->model, &here, NULL) != CAROM_OK ||
        !set_motion(it, here, piece, k) ||
        carom_simulation_advance(here, carom_simulation_until(here), NULL) < 0) {
      carom_simulation_destroy(here);
      atomic_fetch_add(&it->failed, 1);
      continue;
    }
    size_t size, other;
    char *a = save(here, &size), *b = save(there, &other);
    atomic_fetch_add(&it->compared, 1);
    if (!a || !b || size != other || !same_bytes(a, b, size)) atomic_fetch_add(&it->different, 1);
    free(a);
    free(b);
    carom_simulation_destroy(here);
  }
}

static double run_all(task *it, carom_pool *pool, carom_pool_work work) {
  double began = carom_clock();
  carom_pool_share(pool, it->threads, work, it);
  return carom_clock() - began;
}

static void load(task *it, int count, char **arguments) {
  carom_setting settings[MOST_SETTINGS];
  carom_error error = {0};
  int given = 0;
  for (int k = 5; k < count && given < MOST_SETTINGS; k++) {
    char *sign = strchr(arguments[k], '=');
    if (!sign) continue;
    *sign = '\0';
    settings[given++] = (carom_setting){arguments[k], sign + 1};
  }
  if (carom_model_load(arguments[2], given, settings, &it->model, &error) != CAROM_OK)
    stop("model", &error);
}

static void make_crews(task *it) {
  carom_error error = {0};
  for (int k = 0; k < it->threads; k++) {
    if (carom_simulation_create(it->model, &it->simulations[k], &error) != CAROM_OK ||
        carom_crew_create(it->shore, it->simulations[k], (int)share_of(it, k) + 1, NULL,
                          &it->crews[k], &error) != CAROM_OK)
      stop("crew", &error);
  }
}

int main(int argc, char **argv) {
  static task it;
  carom_error error = {0};
  if (argc < 5 || sscanf(argv[3], "%63[^=]=%lf:%lf", it.name, &it.from, &it.to) != 3) {
    (void)fprintf(stderr, "usage: bench_gpu CARD SCENARIO NAME=FROM:TO COUNT [NAME=VALUE...]\n");
    return 2;
  }
  const carom_card_place place = {.path = argv[1], .cache = getenv("CAROM_CARD_CACHE")};
  it.count = atol(argv[4]);
  it.threads = carom_processors() < MOST_THREADS ? carom_processors() : MOST_THREADS;
  const char *every = getenv("BENCH_GPU_EVERY");
  it.sample = every ? atoi(every) : 100;
  load(&it, argc, argv);
  double began = carom_clock();
  if (carom_shore_open(&place, it.model, &it.shore, &error) != CAROM_OK) stop("card", &error);
  double opened = carom_clock() - began;
  carom_card_report report;
  carom_shore_report(it.shore, &report);
  carom_pool *pool = carom_pool_begin(it.threads - 1);
  make_crews(&it);
  double prepared = run_all(&it, pool, fill_crew), moved = run_all(&it, pool, move_crew);
  double taken = run_all(&it, pool, count_motions), here = run_all(&it, pool, move_here);
  (void)run_all(&it, pool, compare_motions);
  double rate = (double)it.steps / moved, own = (double)it.sample_steps / here;
  double turns = (double)it.returns / (double)it.sampled * (double)it.count / moved;
  size_t size = 0; // of a motion on its way
  (void)it.model->engine->lent.lend(it.simulations[0], NULL, &size, NULL);
  printf("%s: %ld motions of %zu bytes at once, opened in %.2f s, prepared in %.2f s, moved in "
         "%.3f s, taken in "
         "%.2f s\n",
         report.card, it.count, size, opened, prepared, moved, taken);
  printf("| %s | %ld | %.3g steps/s, %.3g events/s, %.3g impacts/s, %.3g crossings of sections/s | "
         "%.3g steps/s | %.1f |\n",
         argv[2], it.count, rate, (double)it.events / moved, (double)it.impacts / moved, turns, own,
         rate / own);
  printf("  digest %016lx, %ld compared, %ld differ, %ld given back, %ld not lent, %ld fail here\n",
         (unsigned long)it.hash, (long)it.compared, (long)it.different, (long)it.given_back,
         (long)it.refused, (long)it.failed);
  for (int k = 0; k < it.threads; k++) {
    carom_crew_destroy(it.crews[k]);
    carom_simulation_destroy(it.simulations[k]);
  }
  carom_pool_end(pool);
  carom_shore_close(it.shore);
  carom_model_destroy(it.model);
  return it.different > 0;
}
