// SPDX-License-Identifier: MIT
// Work shared over threads: every piece once, results by index, stops, failures, parts.
#include "check.h"

#include "spread/spread.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { PIECES = 200 };

typedef struct job {
  atomic_int done[PIECES], workers;
  atomic_long calls;
  long stop_after;                // pieces; 0: never
  atomic_long side_by_side, most; // pieces done in company; the largest company
  bool lanes;
  long fails_at; // -1: never
  long reported;
} job;

static carom_status begin(void *ctx, void **worker, carom_error *error) {
  (void)error;
  job *it = ctx;
  (void)atomic_fetch_add(&it->workers, 1);
  *worker = malloc(1);
  return *worker ? CAROM_OK : CAROM_ERR_MEMORY;
}

static void end(void *ctx, void *worker) {
  (void)ctx;
  free(worker);
}

// something that takes different times and has a result of its own for each index
static carom_status piece(void *ctx, void *worker, long index, carom_parcel *parcel,
                          carom_error *error) {
  job *it = ctx;
  (void)worker;
  if (index == it->fails_at) {
    (void)snprintf(error->text, sizeof error->text, "piece %ld failed", index);
    error->status = CAROM_ERR_NONFINITE;
    return CAROM_ERR_NONFINITE;
  }
  double x = (double)index;
  for (long k = 0; k < (index % 7) * 1000; k++)
    x = 0.5 * (x + 2.0 / (x + 1.0));
  carom_parcel_number(parcel, x);
  carom_parcel_text(parcel, index % 2 ? "odd" : "even");
  carom_parcel_count(parcel, index);
  (void)atomic_fetch_add(&it->done[index], 1);
  (void)atomic_fetch_add(&it->calls, 1);
  return CAROM_OK;
}

static void pieces(void *ctx, void *worker, int count, const long *indices, carom_parcel *parcels,
                   carom_status *statuses, carom_error *error) {
  job *it = ctx;
  CHECK(count > 1 && count <= CAROM_SPREAD_LANES);
  (void)atomic_fetch_add(&it->side_by_side, count);
  if (count > atomic_load(&it->most)) atomic_store(&it->most, count);
  for (int k = 0; k < count; k++)
    statuses[k] = piece(ctx, worker, indices[k], &parcels[k], error);
}

static bool stopped(void *ctx) {
  job *it = ctx;
  return it->stop_after > 0 && atomic_load(&it->calls) >= it->stop_after;
}

static void progress(void *ctx, long done, long total, double left) {
  job *it = ctx;
  CHECK(done <= total);
  CHECK(done == 0 || left >= 0.0);
  it->reported = done;
}

static carom_journal *open_journal(void) {
  carom_journal *journal = NULL;
  carom_journal_task task = {.identity = 1, .count = PIECES};
  assert_int_equal(carom_journal_open(NULL, &task, false, &journal, NULL), CAROM_OK);
  return journal;
}

static carom_status go(job *it, carom_journal *journal, int threads, int part, int parts,
                       carom_error *error) {
  carom_spread_work work = {.ctx = it, .begin = begin, .end = end, .piece = piece};
  if (it->lanes) work.pieces = pieces, work.lanes = CAROM_SPREAD_LANES;
  carom_spread_options options = {.threads = threads,
                                  .part = part,
                                  .parts = parts,
                                  .ctx = it,
                                  .stopped = stopped,
                                  .progress = progress};
  return carom_spread_run(&work, journal, &options, error);
}

static void compare(carom_journal *a, carom_journal *b) {
  void *bytes[2] = {NULL, NULL};
  size_t room[2] = {0, 0};
  for (long k = 0; k < PIECES; k++) {
    long size[2];
    assert_int_equal(carom_journal_fetch(a, k, &bytes[0], &room[0], &size[0], NULL), CAROM_OK);
    assert_int_equal(carom_journal_fetch(b, k, &bytes[1], &room[1], &size[1], NULL), CAROM_OK);
    assert_int_equal(size[0], size[1]);
    assert_memory_equal(bytes[0], bytes[1], (size_t)size[0]);
    carom_unpack unpack = {.at = bytes[0], .end = (char *)bytes[0] + size[0]};
    (void)carom_unpack_number(&unpack);
    assert_string_equal(carom_unpack_text(&unpack), k % 2 ? "odd" : "even");
    assert_int_equal(carom_unpack_count(&unpack), k);
    CHECK(!unpack.broken);
    (void)carom_unpack_count(&unpack);
    CHECK(unpack.broken);
  }
  free(bytes[0]);
  free(bytes[1]);
}

static void same_for_any_threads(void **state) {
  (void)state;
  job one = {.fails_at = -1}, many = {.fails_at = -1};
  carom_journal *a = open_journal(), *b = open_journal();
  assert_int_equal(go(&one, a, 1, 0, 1, NULL), CAROM_OK);
  assert_int_equal(go(&many, b, 8, 0, 1, NULL), CAROM_OK);
  for (int k = 0; k < PIECES; k++)
    assert_int_equal(atomic_load(&many.done[k]), 1);
  assert_int_equal(many.reported, PIECES);
  assert_int_equal(atomic_load(&one.workers), 1);
  compare(a, b);
  (void)carom_journal_close(a, NULL);
  (void)carom_journal_close(b, NULL);
}

// in company every piece is done once, with the same result; at the end there is work for everybody
static void same_in_lanes(void **state) {
  (void)state;
  job one = {.fails_at = -1}, four = {.fails_at = -1, .lanes = true};
  carom_journal *a = open_journal(), *b = open_journal();
  assert_int_equal(go(&one, a, 1, 0, 1, NULL), CAROM_OK);
  assert_int_equal(go(&four, b, 2, 0, 1, NULL), CAROM_OK);
  for (int k = 0; k < PIECES; k++)
    assert_int_equal(atomic_load(&four.done[k]), 1);
  assert_int_equal(atomic_load(&four.most), CAROM_SPREAD_LANES);
  CHECK(atomic_load(&four.side_by_side) > PIECES - 4 * CAROM_SPREAD_LANES);
  CHECK(atomic_load(&four.side_by_side) < PIECES);
  compare(a, b);
  (void)carom_journal_close(a, NULL);
  (void)carom_journal_close(b, NULL);
}

// what was finished beside a piece that fails is kept
static void failure_in_lanes(void **state) {
  (void)state;
  job it = {.fails_at = 57, .lanes = true};
  carom_journal *journal = open_journal();
  carom_error error = {0};
  assert_int_equal(go(&it, journal, 1, 0, 1, &error), CAROM_ERR_NONFINITE);
  assert_string_equal(error.text, "piece 57 failed");
  CHECK(!carom_journal_has(journal, 57));
  assert_int_equal(carom_journal_filled(journal), 59); // 56, 58 and 59 were its company
  (void)carom_journal_close(journal, NULL);
}

static void stops_and_goes_on(void **state) {
  (void)state;
  job whole = {.fails_at = -1}, it = {.fails_at = -1, .stop_after = 20};
  carom_journal *a = open_journal(), *b = open_journal();
  assert_int_equal(go(&whole, a, 2, 0, 1, NULL), CAROM_OK);
  assert_int_equal(go(&it, b, 3, 0, 1, NULL), CAROM_STOP_USER);
  CHECK(carom_journal_filled(b) >= 20 && carom_journal_filled(b) < 40);
  it.stop_after = 0;
  assert_int_equal(go(&it, b, 3, 0, 1, NULL), CAROM_OK);
  for (int k = 0; k < PIECES; k++)
    assert_int_equal(atomic_load(&it.done[k]), 1);
  compare(a, b);
  (void)carom_journal_close(a, NULL);
  (void)carom_journal_close(b, NULL);
}

static void failure_ends_all(void **state) {
  (void)state;
  job it = {.fails_at = 57};
  carom_journal *journal = open_journal();
  carom_error error = {0};
  assert_int_equal(go(&it, journal, 4, 0, 1, &error), CAROM_ERR_NONFINITE);
  assert_string_equal(error.text, "piece 57 failed");
  CHECK(carom_journal_filled(journal) < PIECES);
  CHECK(!carom_journal_has(journal, 57));
  (void)carom_journal_close(journal, NULL);
}

static void parts_make_the_whole(void **state) {
  (void)state;
  job it = {.fails_at = -1};
  carom_journal *whole = open_journal(), *sum = open_journal();
  assert_int_equal(go(&it, whole, 2, 0, 0, NULL), CAROM_OK);
  for (int part = 0; part < 3; part++) {
    carom_journal *journal = open_journal();
    assert_int_equal(go(&it, journal, 2, part, 3, NULL), CAROM_OK);
    CHECK(labs(carom_journal_filled(journal) - PIECES / 3) <= 1);
    assert_int_equal(carom_journal_merge(sum, journal, NULL), CAROM_OK);
    (void)carom_journal_close(journal, NULL);
  }
  compare(whole, sum);
  (void)carom_journal_close(whole, NULL);
  (void)carom_journal_close(sum, NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(same_for_any_threads), cmocka_unit_test(same_in_lanes),
      cmocka_unit_test(failure_in_lanes),     cmocka_unit_test(stops_and_goes_on),
      cmocka_unit_test(failure_ends_all),     cmocka_unit_test(parts_make_the_whole)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
