// SPDX-License-Identifier: MIT
/// Marks of a diagram: those at one place share a letter, others stay apart, words become short.
#include "check.h"
#include "draw/plot_marks.h"

static carom_plot_marks sheet(void) {
  return (carom_plot_marks){.low_x = 0.0, .high_x = 1.0, .low_y = 0.0, .high_y = 10.0};
}

static void put(carom_plot_marks *it, double x, double y, const char *text) {
  carom_plot_mark mark = {.x = x, .y = y};
  (void)snprintf(mark.text, sizeof mark.text, "%s", text);
  carom_plot_marks_add(it, &mark);
}

static void test_words(void **state) {
  (void)state;
  static const char *const WORDS[][2] = {
      {"F I + F I + K +, period 2", "(F I +)2 K +, period 2"},
      {"F I F I F I K", "(F I)3 K"},
      {"F I F I F I F I, period 4", "(F I)4, period 4"},
      {"not periodic", "not periodic"},
      {"+, at rest", "+, at rest"},
      {"K K K", "(K)3"},
      {"A B A C", "A B A C"},
      {"a:+,b:K a:-,b:K a:+,b:K a:-,b:K, period 1", "(a:+,b:K a:-,b:K)2, period 1"},
      {"", ""}};
  for (size_t k = 0; k < sizeof WORDS / sizeof *WORDS; k++) {
    char text[80];
    carom_plot_word(WORDS[k][0], text, sizeof text);
    assert_string_equal(text, WORDS[k][1]);
  }
  char little[6];
  carom_plot_word("F I + K", little, sizeof little);
  assert_string_equal(little, "F …");
  char line[24];
  carom_plot_word("left:K right:K left:- right:-, period 2", line, sizeof line);
  assert_string_equal(line, "left:K …, period 2");
}

static void test_shared_letters(void **state) {
  (void)state;
  carom_plot_marks it = sheet();
  // points of a branch: nearly the same place is one mark, the same text is not repeated
  put(&it, 0.5, 5.0, "fold");
  put(&it, 0.505, 5.05, "then F I +");
  put(&it, 0.5, 5.0, "fold");
  put(&it, 0.5, 7.0, "hopf");
  assert_int_equal(it.count, 2);
  assert_string_equal(it.marks[0].text, "fold; then F I +");
  // lines of a diagram: only what is exactly there
  it = sheet();
  put(&it, 0.500, NAN, "b");
  put(&it, 0.505, NAN, "c");
  put(&it, 0.100, NAN, "a");
  put(&it, 0.500, NAN, "d");
  put(&it, 1.5, NAN, "outside");
  assert_int_equal(it.count, 3);
  carom_plot_marks_sort(&it);
  assert_string_equal(it.marks[0].text, "a");
  assert_string_equal(it.marks[1].text, "b; d");
  assert_string_equal(it.marks[2].text, "c");
}

static void test_too_many(void **state) {
  (void)state;
  carom_plot_marks it = sheet();
  for (int k = 0; k < CAROM_PLOT_MARKS + 4; k++)
    put(&it, 0.01 * k, NAN, "x");
  assert_int_equal(it.count, CAROM_PLOT_MARKS);
  assert_int_equal(it.left_out, 4);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_words),
                                     cmocka_unit_test(test_shared_letters),
                                     cmocka_unit_test(test_too_many)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
