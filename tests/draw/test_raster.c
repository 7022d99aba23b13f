// SPDX-License-Identifier: MIT
// Painted areas against those of geometry; nothing is painted outside the picture.
#include "check.h"
#include "draw/raster.h"

enum { SIZE = 200 };
static const double PI = 3.14159265358979323846;

static double painted(const carom_raster *it) {
  double sum = 0.0;
  for (int k = 0; k < it->width * it->height; k++)
    sum += it->pixels[3 * k] / 255.0;
  return sum;
}

static carom_raster black(void) {
  carom_raster it;
  CHECK(carom_raster_create(&it, SIZE, SIZE));
  carom_raster_clear(&it, 0);
  return it;
}

static const carom_paint WHITE = {0xffffff, 1.0};

static void test_disc(void **state) {
  (void)state;
  carom_raster it = black();
  carom_raster_disc(&it, 100.3, 99.6, 40.0, WHITE);
  CHECK_RELATIVE(painted(&it), PI * 1600.0, 1e-3);
  carom_raster_clear(&it, 0);
  carom_raster_ring(&it, 100.3, 99.6, 40.0, 4.0, WHITE);
  CHECK_RELATIVE(painted(&it), 2.0 * PI * 40.0 * 4.0, 5e-3);
  carom_raster_free(&it);
}

// a line has round ends: length times width and a disc
static void test_line(void **state) {
  (void)state;
  carom_raster it = black();
  const double a[2] = {40.0, 50.0}, b[2] = {130.0, 170.0};
  carom_raster_line(&it, a, b, 10.0, WHITE);
  CHECK_RELATIVE(painted(&it), 150.0 * 10.0 + PI * 25.0, 2e-3);
  carom_raster_free(&it);
}

static void test_polygon(void **state) {
  (void)state;
  carom_raster it = black();
  // an arrow head: not convex
  const double corners[4][2] = {{50.0, 50.0}, {150.0, 100.0}, {50.0, 150.0}, {80.0, 100.0}};
  carom_raster_polygon(&it, 4, corners, WHITE);
  CHECK_RELATIVE(painted(&it), 0.5 * 100.0 * 100.0 - 0.5 * 100.0 * 30.0, 5e-3);
  carom_raster_free(&it);
}

static void test_outside(void **state) {
  (void)state;
  carom_raster it = black();
  const double a[2] = {-1e9, 20.0}, b[2] = {1e9, 20.0}, far[3][2] = {{-9, -9}, {-5, -9}, {-5, -3}};
  carom_raster_disc(&it, -500.0, 90.0, 40.0, WHITE);
  carom_raster_polygon(&it, 3, far, WHITE);
  carom_raster_text(&it, 195.0, 195.0, 14.0, "t = 1.25", WHITE);
  carom_raster_line(&it, a, b, 2.0, WHITE);
  CHECK_RELATIVE(painted(&it), 2.0 * SIZE, 0.1);
  carom_raster_free(&it);
}

// letters are as dark as those they were painted from: twice the size, four times the ink
static void test_letters(void **state) {
  (void)state;
  carom_raster it = black();
  carom_raster_text(&it, 10.0, 10.0, 24.0, "t = 0.25 \u00b5m", WHITE);
  double ink = painted(&it), width = carom_raster_text_width(24.0, "t = 0.25 \u00b5m");
  CHECK(ink > 100.0 && width > 100.0 && width < 180.0);
  carom_raster_clear(&it, 0);
  carom_raster_text(&it, 10.3, 10.6, 12.0, "t = 0.25 \u00b5m", WHITE);
  CHECK_RELATIVE(painted(&it), ink / 4.0, 0.03);
  CHECK_NEAR(carom_raster_text_width(12.0, "t = 0.25 \u00b5m"), width / 2.0, 1e-12);
  // a text that is cut, and a letter that is not there, are harmless
  carom_raster_text(&it, 190.0, -5.0, 24.0, "\xe2\x82 \u2603", WHITE);
  CHECK_NEAR(carom_raster_text_width(24.0, "\u2603"), carom_raster_text_width(24.0, "?"), 0.0);
  carom_raster_free(&it);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_disc), cmocka_unit_test(test_line),
                                     cmocka_unit_test(test_polygon), cmocka_unit_test(test_outside),
                                     cmocka_unit_test(test_letters)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
