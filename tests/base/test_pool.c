// SPDX-License-Identifier: MIT
// Threads of a computation: every piece once, whoever does it; news and the end reach the calling
// thread; without threads the calling one does it all. And the files and paths of the platform.
#include "check.h"

#include "base/platform.h"
#include "base/pool.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define SCENARIOS CAROM_SOURCE_DIR "/scenarios"
enum { PIECES = 1000 };

typedef struct count {
  atomic_int done[PIECES];
  carom_pool *pool;
  int workers;
  long sum;
} count;

static void count_piece(void *ctx, int worker, int piece) {
  count *it = ctx;
  assert_true(worker >= 0 && worker < it->workers);
  atomic_fetch_add(&it->done[piece], 1);
  carom_pool_lock(it->pool);
  it->sum += piece;
  carom_pool_tell(it->pool);
  carom_pool_unlock(it->pool);
}

static void check_rounds(const count *it, int rounds) {
  for (int k = 0; k < PIECES; k++)
    assert_int_equal(atomic_load(&it->done[k]), rounds);
  assert_int_equal(it->sum, (long)rounds * (PIECES - 1) * PIECES / 2);
}

static void test_each_piece_once(void **state) {
  (void)state;
  static count it;
  for (int others = 0; others <= 3; others++) {
    memset(&it, 0, sizeof it);
    it.workers = others + 1;
    it.pool = carom_pool_begin(others);
    for (int round = 0; round < 20; round++)
      carom_pool_share(it.pool, PIECES, count_piece, &it);
    carom_pool_end(it.pool);
    check_rounds(&it, 20);
  }
}

// the calling thread only looks on, and what it sees grows until all is done
static void test_looking_on(void **state) {
  (void)state;
  static count it;
  for (int others = 0; others <= 3; others++) {
    memset(&it, 0, sizeof it);
    it.workers = others + 1;
    it.pool = carom_pool_begin(others);
    for (int round = 1; round <= 5; round++) {
      long seen = it.sum;
      carom_pool_start(it.pool, PIECES, count_piece, &it);
      carom_pool_lock(it.pool);
      while (carom_pool_wait(it.pool, -1.0)) {
        assert_true(it.sum >= seen);
        seen = it.sum;
      }
      carom_pool_unlock(it.pool);
      check_rounds(&it, round);
    }
    // what was shared after it is done by all again
    carom_pool_share(it.pool, PIECES, count_piece, &it);
    carom_pool_end(it.pool);
    check_rounds(&it, 6);
  }
}

static void wait_for_word(void *ctx, int worker, int piece) {
  (void)worker, (void)piece;
  const atomic_bool *word = ctx;
  while (!atomic_load(word))
    carom_thread_yield();
}

// nobody tells anything: the wait ends by the clock, and the pool waits for its threads
static void test_wait_has_a_limit(void **state) {
  (void)state;
  atomic_bool word = false;
  carom_pool *pool = carom_pool_begin(1);
  carom_pool_start(pool, 1, wait_for_word, &word);
  double began = carom_clock();
  carom_pool_lock(pool);
  while (carom_clock() < began + 0.02)
    assert_true(carom_pool_wait(pool, 0.02));
  carom_pool_unlock(pool);
  atomic_store(&word, true);
  carom_pool_end(pool);
}

static bool find_name(void *ctx, const char *name) {
  bool *found = ctx;
  *found = strcmp(name, "cradle.yaml") == 0;
  return !*found;
}

static void test_files(void **state) {
  (void)state;
  char bytes[4] = "";
  carom_file *file = carom_file_nameless();
  assert_non_null(file);
  assert_true(carom_file_put(file, "abcd", 4, 3));
  assert_int_equal(carom_file_size(file), 7);
  assert_true(carom_file_get(file, bytes, 2, 4));
  assert_string_equal(bytes, "bc");
  assert_false(carom_file_get(file, bytes, 2, 6));
  assert_true(carom_file_cut(file, 5) && carom_file_size(file) == 5);
  carom_file_close(file);
  assert_null(carom_file_open(SCENARIOS));
  assert_null(carom_file_read_only(CAROM_SOURCE_DIR "/no-such-file"));
  assert_int_equal(carom_path_look(SCENARIOS), CAROM_PATH_FOLDER);
  assert_int_equal(carom_path_look(SCENARIOS "/cradle.yaml"), CAROM_PATH_FILE);
  assert_int_equal(carom_path_look(CAROM_SOURCE_DIR "/no-such-file"), CAROM_PATH_NOTHING);
  assert_true(carom_path_inside(SCENARIOS, SCENARIOS "/cradle.yaml"));
  assert_false(carom_path_inside(SCENARIOS, SCENARIOS "/../studies"));
  bool found = false;
  carom_folder_visit(SCENARIOS, find_name, &found);
  assert_true(found);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_each_piece_once),
      cmocka_unit_test(test_looking_on),
      cmocka_unit_test(test_wait_has_a_limit),
      cmocka_unit_test(test_files),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
