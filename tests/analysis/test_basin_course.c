// SPDX-License-Identifier: MIT
// Basins along a parameter: two wells that are tilted until one is gone, against the closed form of
// where that is; measures of basins whose boundaries are known.
#include "check.h"

#include "analysis/basin_parts.h"
#include "base/elementary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// The wells of x^4/4 - x^2/2 - b x are two for |b| < 2/(3 sqrt(3)); at b = 0 each has half.
static void test_wells(void **unused) {
  (void)unused;
  static const char WELLS[] =
      "title: wells\nparameters: {c: 0.4, b: 0}\ncoordinates: {x: 0.5}\n"
      "energy: {kinetic: x'^2/2, potential: x^4/4 - x^2/2 - b*x, dissipation: c/2*x'^2}\n"
      "run: {until: 80, rtol: 1e-8}\nmeasure: {after: 75}\nobserve: {where: mean(x)}\n";
  carom_model *model = NULL;
  carom_error error = {0};
  carom_axis axes[2];
  assert_int_equal(carom_model_parse(WELLS, NULL, 0, NULL, &model, &error), CAROM_OK);
  carom_basin_course_options options = carom_basin_course_options_default();
  assert_int_equal(carom_axis_parse("x=-2:2:24", &axes[0], &error), CAROM_OK);
  assert_int_equal(carom_axis_parse("x'=-2:2:24", &axes[1], &error), CAROM_OK);
  assert_int_equal(carom_axis_parse("b=-0.42:0.42:13", &options.along, &error), CAROM_OK);
  options.basin.sweep.model = model;
  options.basin.sweep.axes = axes;
  options.basin.sweep.axis_count = 2;
  carom_basin_course *course;
  assert_int_equal(carom_basin_course_run(&options, &course, &error), CAROM_OK);
  assert_int_equal(carom_basin_course_count(course), 13);
  // two motions in all: that of the left well, then that of the right one
  assert_int_equal(carom_basin_course_names(course), 2);
  assert_int_equal(carom_basin_course_tips(course), 2);
  double gone = 2.0 / (3.0 * sqrt(3.0));
  const carom_tip *begins = carom_basin_course_tip(course, 0);
  const carom_tip *ends = carom_basin_course_tip(course, 1);
  assert_true(begins->begins && begins->attractor == 1 && begins->other == 0);
  assert_true(!ends->begins && ends->attractor == 0 && ends->other == 1);
  CHECK(begins->from < -gone && begins->to > -gone);
  CHECK(ends->from < gone && ends->to > gone);
  // mirror images: shares at b and -b change places, and are halves in the middle
  for (int k = 1; k < 12; k++) {
    const carom_basin *basin = carom_basin_course_basin(course, k);
    const carom_basin *image = carom_basin_course_basin(course, 12 - k);
    assert_int_equal(carom_basin_attractors(basin), 2);
    int left = carom_basin_course_name(course, k, 0) == 0 ? 0 : 1;
    int right = carom_basin_course_name(course, 12 - k, 0) == 1 ? 0 : 1;
    CHECK_NEAR(carom_basin_attractor(basin, left)->fraction,
               carom_basin_attractor(image, right)->fraction, 0.0);
    CHECK_NEAR(carom_basin_course_measures(course, k).entropy,
               carom_basin_course_measures(course, 12 - k).entropy, 1e-14);
  }
  CHECK_NEAR(carom_basin_attractor(carom_basin_course_basin(course, 6), 0)->fraction, 0.5, 0.0);
  CHECK_NEAR(carom_basin_course_measures(course, 0).entropy, 0.0, 0.0);
  // the first and the last value of the parameter, where one well is left; none beyond
  CHECK_NEAR(carom_basin_course_value(course, 0), -0.42, 0.0);
  CHECK_NEAR(carom_basin_course_value(course, 12), 0.42, 0.0);
  assert_int_equal(carom_basin_course_name(course, 0, 0), 0);
  assert_int_equal(carom_basin_course_name(course, 12, 0), 1);
  assert_true(isnan(carom_basin_course_value(course, -1)));
  assert_true(isnan(carom_basin_course_value(course, 13)));
  assert_int_equal(carom_basin_course_name(course, -1, 0), -1);
  assert_int_equal(carom_basin_course_name(course, 0, 1), -1);
  carom_basin_course_destroy(course);
  options.basin.refine = 1;
  assert_int_equal(carom_basin_course_run(&options, &course, &error), CAROM_ERR_ARGUMENT);
  for (int k = 0; k < 2; k++)
    carom_axis_destroy(&axes[k]);
  carom_axis_destroy(&options.along);
  carom_model_destroy(model);
}

static carom_basin picture(int columns, int rows) {
  carom_basin it = {.columns = columns, .rows = rows, .count = (long)columns * rows};
  it.attractor_count = 2;
  it.kind = calloc((size_t)it.count, sizeof *it.kind);
  assert_non_null(it.kind);
  return it;
}

// A straight boundary: exponent 1. A box of 5 with n columns beyond it has shares n/5.
static void test_line(void **unused) {
  (void)unused;
  carom_error error = {0};
  carom_basin_measures found;
  carom_basin it = picture(100, 100);
  for (int i = 50; i < 100; i++)
    for (int j = 0; j < 100; j++)
      it.kind[i * 100 + j] = 1;
  assert_int_equal(carom_basin_measure(&it, &found, &error), CAROM_OK);
  double sum = 0.0;
  for (int n = 1; n < 5; n++)
    sum -= n / 5.0 * log(n / 5.0) + (5 - n) / 5.0 * log((5 - n) / 5.0);
  CHECK_NEAR(found.exponent, 1.0, 1e-12);
  CHECK_NEAR(found.boundary_entropy, sum / 4.0, 1e-12);
  CHECK_NEAR(found.entropy, sum / 96.0, 1e-12);
  free(it.kind);
}

// Gaps of Cantor's set belong in turn to the one and the other: its dimension is log 2/log 3, and
// the exponent what is missing to 1. The boundary is there in one direction alone.
static void test_cantor(void **unused) {
  (void)unused;
  enum { COLUMNS = 6561, ROWS = 260 };
  carom_error error = {0};
  carom_basin_measures found;
  carom_basin it = picture(COLUMNS, ROWS);
  for (int i = 0; i < COLUMNS; i++) {
    int level = 0, rest = i, size = COLUMNS / 3;
    for (; size > 0 && rest / size != 1; level++, size /= 3)
      rest %= size;
    for (int j = 0; j < ROWS; j++)
      it.kind[(long)i * ROWS + j] = level % 2;
  }
  assert_int_equal(carom_basin_measure(&it, &found, &error), CAROM_OK);
  CHECK_NEAR(found.exponent, 1.0 - log(2.0) / log(3.0), 0.06);
  CHECK(found.exponent_error < 0.05);
  free(it.kind);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_wells), cmocka_unit_test(test_line),
                                     cmocka_unit_test(test_cantor)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
