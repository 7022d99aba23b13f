// SPDX-License-Identifier: MIT
#include "check.h"

#include "engine/word.h"

#include <string.h>

static const char *const ONE[] = {"tip"};
static const char *const TWO[] = {"left", "right"};

static carom_letter phase(carom_phase left, carom_phase right) {
  return (carom_letter)left | (carom_letter)right << 3;
}

// flight, impact, stick, slip, again and again, entered in the middle of a cycle
static void test_cycle_of_one_contact(void **unused) {
  (void)unused;
  carom_word word = {0};
  carom_letter cycle[CAROM_WORD_MEMORY];
  char text[80];
  carom_word_phase(&word, CAROM_PHASE_PLUS, 0.0);
  for (int k = 0; k < 4; k++) {
    double t = 4.0 * k;
    assert_int_equal(carom_word_cycle(&word, cycle), k < 3 ? 0 : 4);
    carom_word_phase(&word, CAROM_PHASE_FLIGHT, t + 1.0);
    carom_word_impact(&word, 1, t + 2.0);
    carom_word_phase(&word, CAROM_PHASE_STICK, t + 2.0);
    carom_word_phase(&word, CAROM_PHASE_STICK, t + 2.5); // no change: no letter
    carom_word_phase(&word, CAROM_PHASE_PLUS, t + 4.0);
  }
  int count = carom_word_cycle(&word, cycle);
  carom_word_text(count, cycle, 1, ONE, text, sizeof text);
  assert_string_equal(text, "F I K +");
}

// a bounce that stays in flight: the phase after an impact is a letter of its own
static void test_bounces(void **unused) {
  (void)unused;
  carom_word word = {0};
  carom_letter cycle[CAROM_WORD_MEMORY];
  for (int k = 0; k < 1000; k++) {
    carom_word_impact(&word, 1, 0.1 * k);
    carom_word_phase(&word, CAROM_PHASE_FLIGHT, 0.1 * k);
  }
  assert_int_equal(carom_word_cycle(&word, cycle), 2);
  assert_int_equal(word.total, 2000);
}

// bounces at times with a pattern of their own
static int cycle_of_bounces(int count, double (*time)(int)) {
  carom_word word = {0};
  carom_letter cycle[CAROM_WORD_MEMORY];
  for (int k = 0; k < count; k++) {
    carom_word_impact(&word, 1, time(k));
    carom_word_phase(&word, CAROM_PHASE_FLIGHT, time(k));
  }
  return carom_word_cycle(&word, cycle);
}
static double in_twos(int k) { return k + (k % 2 ? 0.1 : 0.0); }
static double in_fives(int k) { return k / 5 + 0.1 * (k % 5); }
static double settling(int k) { return k + 0.01 * pow(0.9, k); }
static double settling_in_twos(int k) { return in_twos(k) + 1e-4 * pow(0.99, k); }
static double chaotic(int k) { return k + 0.4 * sin(1e5 * sin(k + 1.0)); }
static double swinging_out(int k) { return k + 0.01 * pow(-0.9, k); }

// A period is whole when the times come back: equal letters do not make equal bounces. A motion
// that settles, or swings out, is named by the motion it settles on.
static void test_whole_periods(void **unused) {
  (void)unused;
  assert_int_equal(cycle_of_bounces(60, in_twos), 4);
  assert_int_equal(cycle_of_bounces(60, in_fives), 10);
  assert_int_equal(cycle_of_bounces(40, settling), 2);
  assert_int_equal(cycle_of_bounces(200, settling_in_twos), 4);
  assert_int_equal(cycle_of_bounces(40, swinging_out), 2);
  assert_int_equal(cycle_of_bounces(200, chaotic), 0);
}

static void test_no_cycle(void **unused) {
  (void)unused;
  carom_word word = {0};
  carom_letter cycle[CAROM_WORD_MEMORY];
  unsigned state = 5;
  for (int k = 0; k < 300; k++) {
    state = state * 1664525u + 1013904223u;
    carom_word_phase(&word, (carom_letter)(state >> 24) % 4, k);
    carom_word_impact(&word, 1, k);
  }
  assert_int_equal(carom_word_cycle(&word, cycle), 0);
}

static void test_text_of_two_contacts(void **unused) {
  (void)unused;
  const carom_letter letters[] = {
      phase(CAROM_PHASE_FLIGHT, CAROM_PHASE_FLIGHT), (carom_letter)1 << 63 | 1 | 1 << 3,
      phase(CAROM_PHASE_STICK, CAROM_PHASE_MINUS), phase(CAROM_PHASE_FLIGHT, CAROM_PHASE_PLUS)};
  const char *written = "F I(left,right) left:K,right:- right:+";
  char text[80];
  assert_int_equal(carom_word_text(4, letters, 2, TWO, text, sizeof text), (int)strlen(written));
  assert_string_equal(text, written);
  carom_letter read[8];
  assert_int_equal(carom_word_parse(text, 2, TWO, 8, read), 4);
  assert_memory_equal(read, letters, sizeof letters);
  // a text cut short still ends properly
  assert_int_equal(carom_word_text(4, letters, 2, TWO, text, 6), (int)strlen(written));
  assert_string_equal(text, "F I(l");
}

static void test_wrong_words(void **unused) {
  (void)unused;
  carom_letter read[4];
  const char *wrong[] = {"X", "I(middle)", "left", "left:", "left:Q", "I(left", "left:K,"};
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
    assert_int_equal(carom_word_parse(wrong[k], 2, TWO, 4, read), -1);
  assert_int_equal(carom_word_parse("F F F F F", 1, ONE, 4, read), -1);
  assert_int_equal(carom_word_parse("", 1, ONE, 4, read), 0);
}

static void test_canonical_turn(void **unused) {
  (void)unused;
  carom_letter a[5] = {3, 1, 0, 2, 0}, b[5] = {0, 3, 1, 0, 2};
  carom_word_canonical(5, a);
  carom_word_canonical(5, b);
  assert_memory_equal(a, b, sizeof a);
  assert_int_equal(a[0], 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_cycle_of_one_contact), cmocka_unit_test(test_bounces),
      cmocka_unit_test(test_whole_periods),        cmocka_unit_test(test_no_cycle),
      cmocka_unit_test(test_text_of_two_contacts), cmocka_unit_test(test_wrong_words),
      cmocka_unit_test(test_canonical_turn)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
