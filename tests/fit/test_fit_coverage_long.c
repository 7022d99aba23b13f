// SPDX-License-Identifier: MIT
// Intervals of 95 % hold the truth in 95 +- 3 % of 400 trials, whose seeds are 1 to 400:
// `test_fit_coverage_long 400`, a part of make test-long. Else the first 100 of them are made, of
// which chance leaves as many standard deviations.
#include "measured.h"

#include <stdlib.h>

enum { MOST_FREE = 4, MOST_SAMPLES = 200 };
static int trials = 100;

/// How often the interval of each input held its truth.
typedef struct tally {
  int count, held[MOST_FREE];
  double truth[MOST_FREE];
} tally;

static void count_held(tally *it, carom_fit *fit) {
  const carom_fit_view *v = carom_fit_look(fit);
  for (int j = 0; j < it->count; j++)
    it->held[j] += fabs(v->values[j] - it->truth[j]) <= 1.959963985 * v->errors[j];
  carom_fit_destroy(fit);
}

static void judge(const tally *it, const carom_fit_range *free) {
  for (int j = 0; j < it->count; j++) {
    print_message("%s: %d of %d\n", free[j].name, it->held[j], trials);
    CHECK_NEAR(it->held[j], 0.95 * trials, 0.03 * sqrt(400.0 * trials));
  }
  (void)remove("trial.csv");
}

// clicks of a bouncing ball
static void test_clicks(void **unused) {
  (void)unused;
  const carom_setting settings[] = {{"run.until", "1"}, {"e", "0.7"}, {0}};
  const carom_fit_range free[] = {{"e", 0.3, 0.99}, {"h", 0.1, 3.0}};
  const carom_value errors[] = {{"floor", 2e-3}};
  tally it = {.count = 2, .truth = {0.8, 1.0}};
  motion m = motion_load("bouncing_ball", settings);
  for (int trial = 1; trial <= trials; trial++) {
    measure_clicks("trial.csv", it.truth[0], it.truth[1], 9.81, 8, 2e-3, (uint64_t)trial);
    count_held(&it, fit_file(&m, "trial.csv", 2, free, errors, 1));
  }
  judge(&it, free);
  motion_end(&m);
}

// samples of one column of a motion, found again from other values
static void cover(motion truth, motion guess, const char *column, int count, double step,
                  double noise, int free_count, const carom_fit_range *free) {
  double values[MOST_SAMPLES];
  const carom_value errors[] = {{column, noise}};
  tally it = {.count = free_count};
  for (int j = 0; j < free_count; j++)
    it.truth[j] = value_of(&truth, free[j].name);
  for (int k = 0; k < count; k++) {
    motion_advance(&truth, (k + 1) * step);
    values[k] = value_of(&truth, column);
  }
  for (int trial = 1; trial <= trials; trial++) {
    FILE *file = fopen("trial.csv", "w");
    assert_non_null(file);
    (void)fprintf(file, "t,%s\n", column);
    for (int k = 0; k < count; k++)
      (void)fprintf(file, "%.17g,%.17g\n", (k + 1) * step,
                    values[k] + noise * carom_random_normal((uint64_t)trial, 0, (uint64_t)k));
    (void)fclose(file);
    count_held(&it, fit_file(&guess, "trial.csv", free_count, free, errors, 1));
  }
  judge(&it, free);
  motion_end(&truth);
  motion_end(&guess);
}

// friction of a block that sticks and slips on a belt
static void test_belt(void **unused) {
  (void)unused;
#define BELT                                                                                       \
  {"v1", "0"}, {"v0", "1"}, {"run.until", "20"}, { "measure.after", "0" }
  const carom_setting truth[] = {BELT, {0}};
  const carom_setting guess[] = {BELT, {"mu", "0.28"}, {"mu_s", "0.41"}, {0}};
  const carom_fit_range free[] = {{"mu", 0.05, 0.38}, {"mu_s", 0.385, 0.6}};
  cover(motion_load("belt_block", truth), motion_load("belt_block", guess), "x", 40, 0.5, 0.01, 2,
        free);
}

// the width of a block that rocks, whose impacts follow from it
static void test_rocking(void **unused) {
  (void)unused;
  const carom_setting truth[] = {{"run.until", "2"}, {0}};
  const carom_setting guess[] = {{"run.until", "2"}, {"b", "0.101"}, {0}};
  const carom_fit_range free[] = {{"b", 0.09, 0.12}};
  cover(motion_load("rocking_block", truth), motion_load("rocking_block", guess), "theta", 30, 0.06,
        0.002, 1, free);
}

// friction of impacts from the way of a dimer on a shaken plate
static void test_dimer(void **unused) {
  (void)unused;
  const carom_setting truth[] = {{"settle", "0"}, {"cycles", "1"}, {0}};
  const carom_setting guess[] = {{"settle", "0"}, {"cycles", "1"}, {"mu_impact", "0.115"}, {0}};
  const carom_fit_range free[] = {{"mu_impact", 0.08, 0.2}};
  cover(motion_load("dimer", truth), motion_load("dimer", guess), "x", 40, 0.008, 2e-6, 1, free);
}

enum { ROD_TILTS = 6 };
static const char *const ROD_COLUMNS[] = {"x'", "z'", "phi'"};

// six collisions of a rod at tilts of 15 to 75 degrees, what it leaves with measured
static void measure_rods(const motion *truth, const char *const *paths, uint64_t trial) {
  for (int f = 0; f < ROD_TILTS; f++) {
    double tilt = (15.0 + 12.0 * f) * PI / 180.0;
    carom_error error = {0};
    FILE *file = fopen(paths[f], "w");
    assert_non_null(file);
    MUST(carom_simulation_set(truth->simulation, "phi0", tilt, &error), error);
    motion_advance(truth, 1e-6);
    (void)fprintf(file, "# set phi0=%.17g\nt,x',z',phi'\n1e-6", tilt);
    for (int c = 0; c < 3; c++)
      (void)fprintf(file, ",%.17g",
                    value_of(truth, ROD_COLUMNS[c]) +
                        0.01 * carom_random_normal(trial, (uint64_t)f, (uint64_t)c));
    (void)fprintf(file, "\n");
    (void)fclose(file);
  }
}

// friction and restitution of a rod that strikes a plate: below and above the tilts at which its
// slip turns round
static void test_rods(void **unused) {
  (void)unused;
  static const char *const paths[] = {"rod0.csv", "rod1.csv", "rod2.csv",
                                      "rod3.csv", "rod4.csv", "rod5.csv"};
  const carom_setting settings[] = {{"mu", "0.25"}, {"eps", "0.6"}, {0}};
  const carom_fit_range free[] = {{"mu", 0.1, 0.6}, {"eps", 0.2, 0.95}};
  const carom_value errors[] = {{"x'", 0.01}, {"z'", 0.01}, {"phi'", 0.01}};
  tally it = {.count = 2, .truth = {0.3, 0.65}};
  motion truth = motion_load("rod_collision", NULL), guess = motion_load("rod_collision", settings);
  for (int trial = 1; trial <= trials; trial++) {
    carom_fit_options options = carom_fit_options_default();
    carom_fit *fit = NULL;
    carom_error error = {0};
    measure_rods(&truth, paths, (uint64_t)trial);
    options.model = guess.model;
    options.file_count = ROD_TILTS;
    options.files = paths;
    options.free_count = 2;
    options.free = free;
    options.error_count = 3;
    options.errors = errors;
    MUST(carom_fit_run(&options, &fit, &error), error);
    count_held(&it, fit);
  }
  judge(&it, free);
  for (int f = 0; f < ROD_TILTS; f++)
    (void)remove(paths[f]);
  motion_end(&truth);
  motion_end(&guess);
}

int main(int argc, char **argv) {
  if (argc > 1) trials = atoi(argv[1]);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_clicks), cmocka_unit_test(test_belt), cmocka_unit_test(test_rocking),
      cmocka_unit_test(test_dimer),  cmocka_unit_test(test_rods),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
