// SPDX-License-Identifier: MIT
/// A regular motion keeps its digits, a chaotic one parts and says when.
#include "hybrid/motion.h"

#include "carom/converge.h"

static carom_converge *report_on(const char *name, int tighter, int count,
                                 const carom_setting *settings) {
  char path[400];
  (void)snprintf(path, sizeof path, "%s/scenarios/%s.yaml", CAROM_SOURCE_DIR, name);
  carom_converge_options options = carom_converge_options_default();
  options.file = path;
  options.setting_count = count;
  options.settings = settings;
  options.tighter = tighter;
  carom_converge *report = NULL;
  carom_error error = {0};
  MUST(carom_converge_run(&options, &report, &error), error);
  return report;
}

static const carom_converge_value *value_named(int count, const carom_converge_value *values,
                                               const char *name) {
  for (int k = 0; k < count; k++)
    if (strcmp(values[k].name, name) == 0) return &values[k];
  fail_msg("no value %s", name);
  return NULL;
}

static void test_regular(void **state) {
  (void)state;
  // not on to the tenth perihelion: a section on the last instant is there or not by rounding
  const carom_setting settings[] = {{"run.until", "9.9*year"}};
  carom_converge *r_made = report_on("kepler", 2, 1, settings);
  const carom_converge_view r = *carom_converge_look(r_made);
  assert_int_equal(r.runs, 3);
  CHECK(!r.sensitive && r.same_events && r.same_word);
  CHECK(r.run[0].certificate.passed && r.run[2].certificate.passed);
  CHECK_RELATIVE(r.run[2].rtol, r.run[0].rtol / 1e4, 1e-12);
  CHECK(r.run[2].certificate.counts.steps > r.run[0].certificate.counts.steps);
  // the true distances of the ellipse are 0.4, where it starts, and 1.6: the digits told are digits
  // that hold
  const carom_converge_value *far = value_named(r.observables, r.observable, "farthest");
  CHECK_NEAR(far->value, 1.6, 3.0 * pow(10.0, -far->digits));
  CHECK(far->digits > 9.0);
  CHECK(fabs(far->tightest - 1.6) < fabs(far->value - 1.6));
  carom_converge_destroy(r_made);
}

static void test_contacts_keep_their_word(void **state) {
  (void)state;
  assert_int_equal(carom_converge_options_default().tighter, 1); // two runs, as its help says
  const carom_setting settings[] = {{"run.until", "10"}, {"measure.after", "5"}};
  carom_converge *r_made = report_on("frictional_impact_oscillator", 1, 2, settings);
  const carom_converge_view r = *carom_converge_look(r_made);
  CHECK(!r.sensitive && r.same_events && r.same_word);
  assert_string_equal(r.run[1].word, "F I K +");
  carom_converge_destroy(r_made);
}

// Samples that follow the motion lie elsewhere in each run: the block on a belt was told to be
// chaotic, with thirteen digits that hold.
static void test_samples_of_their_own(void **state) {
  (void)state;
  carom_converge *r_made = report_on("belt_block", 1, 0, NULL);
  const carom_converge_view r = *carom_converge_look(r_made);
  CHECK(!r.sensitive && r.same_events);
  CHECK(r.distance < 1e-8);
  carom_converge_destroy(r_made);
}

static void test_chaotic(void **state) {
  (void)state;
  const carom_setting settings[] = {{"run.until", "80"}, {"run.rtol", "1e-9"}};
  carom_converge *r_made = report_on("double_pendulum", 1, 2, settings);
  const carom_converge_view r = *carom_converge_look(r_made);
  CHECK(r.sensitive);
  CHECK(r.parted_at > 5.0 && r.parted_at < 80.0);
  CHECK(r.rate > 0.1 && r.rate < 10.0);
  CHECK(value_named(r.finals, r.final, "b")->digits < 3.0);
  // looser runs part earlier
  const carom_setting loose[] = {{"run.until", "80"}, {"run.rtol", "1e-6"}};
  carom_converge *early_made = report_on("double_pendulum", 1, 2, loose);
  const carom_converge_view early = *carom_converge_look(early_made);
  CHECK(early.sensitive && early.parted_at < r.parted_at);
  carom_converge_destroy(early_made);
  carom_converge_destroy(r_made);
}

// a coordinate that is nothing but rounding says nothing about the motion
static void test_rounding(void **state) {
  (void)state;
  const char *path = "test_converge_rounding.yaml";
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  (void)fputs("coordinates: {x: 1, th: 0}\n"
              "energy: {kinetic: x'^2/2 + th'^2/2, potential: x^2/2}\n"
              "forces: {th: sin(x)*cos(x) - sin(2*x)/2}\n"
              "run: {until: 30, sample: 0.1}\n",
              file);
  (void)fclose(file);
  carom_converge_options options = carom_converge_options_default();
  carom_converge *r_made = NULL;
  carom_error error = {0};
  options.file = path;
  MUST(carom_converge_run(&options, &r_made, &error), error);
  const carom_converge_view r = *carom_converge_look(r_made);
  (void)remove(path);
  CHECK(!r.sensitive && r.distance < 1e-3);
  CHECK(value_named(r.finals, r.final, "x")->digits > 11.0);
  carom_converge_destroy(r_made);
}

// A pendulum that comes to stand on its head: what two runs differ by grows like exp(t) there. They
// have parted at the first sample at which that is more than is allowed.
static double distance_at(const char *text, double t, double rtol, double tighter) {
  double speed[2];
  for (int k = 0; k < 2; k++) {
    char setting[40];
    (void)snprintf(setting, sizeof setting, "%g", k == 0 ? rtol : tighter);
    carom_setting settings[] = {{"run.rtol", setting}};
    carom_model *model = NULL;
    carom_simulation *simulation = NULL;
    carom_error error = {0};
    int size;
    MUST(carom_model_parse(text, "text", 1, settings, &model, &error), error);
    MUST(carom_simulation_create(model, &simulation, &error), error);
    MUST(carom_simulation_advance(simulation, t, &error), error);
    speed[k] = carom_simulation_state(simulation, &size)[1];
    carom_simulation_destroy(simulation);
    carom_model_destroy(model);
  }
  return fabs(speed[0] - speed[1]) / 2.0; // it goes from 2 to 0
}

static void test_time_of_parting(void **state) {
  (void)state;
  const char *path = "test_converge_parting.yaml",
             *text = "coordinates: {x: {start: 0, rate: 2}}\n"
                     "energy: {kinetic: x'^2/2, potential: -cos(x)}\n"
                     "run: {until: 34, sample: 0.5, rtol: 1e-8}\n";
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  (void)fputs(text, file);
  (void)fclose(file);
  carom_converge_options options = carom_converge_options_default();
  carom_converge *made = NULL;
  carom_error error = {0};
  options.file = path;
  options.tighter = 1;
  MUST(carom_converge_run(&options, &made, &error), error);
  const carom_converge_view r = *carom_converge_look(made);
  (void)remove(path);
  double tighter = r.run[1].rtol, parted = r.parted_at;
  CHECK(r.sensitive && parted > 1.0 && parted < 33.0);
  CHECK(distance_at(text, parted, 1e-8, tighter) > options.parted);
  CHECK(distance_at(text, parted - 0.5, 1e-8, tighter) <= options.parted);
  carom_converge_destroy(made);
}

static void test_refusals(void **state) {
  (void)state;
  carom_converge_options options = carom_converge_options_default();
  carom_converge *report = NULL;
  carom_error error = {0};
  options.file = "nowhere.yaml";
  CHECK(carom_converge_run(&options, &report, &error) < 0 && !report);
  options.tighter = 9;
  assert_int_equal(carom_converge_run(&options, &report, &error), CAROM_ERR_ARGUMENT);
  carom_converge_destroy(report);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_regular),
      cmocka_unit_test(test_contacts_keep_their_word),
      cmocka_unit_test(test_samples_of_their_own),
      cmocka_unit_test(test_chaotic),
      cmocka_unit_test(test_rounding),
      cmocka_unit_test(test_time_of_parting),
      cmocka_unit_test(test_refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
