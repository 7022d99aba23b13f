// SPDX-License-Identifier: MIT
// Indices from doubles: the whole part where there is one, the limits for everything else.
#include "base/whole.h"
#include "check.h"

#include <limits.h>

static void test_whole(void **state) {
  (void)state;
  const struct {
    double x;
    long least, most, is;
  } all[] = {
      {3.99, 0, 8, 3},
      {0, 0, 8, 0},
      {-0.0, 0, 8, 0},
      {-0.99, -5, 8, 0},
      {-1.5, -5, 8, -1},
      {8, 0, 8, 8},
      {8.5, 0, 8, 8},
      {1e300, 0, 8, 8},
      {-1e300, 0, 8, 0},
      {INFINITY, 0, 8, 8},
      {-INFINITY, -3, 8, -3},
      {NAN, 0, 8, 0},
      {NAN, -3, 8, -3},
      {5, 7, 7, 7},
      {1e19, LONG_MIN, LONG_MAX, LONG_MAX},
      {-1e19, LONG_MIN, LONG_MAX, LONG_MIN},
      {0x1p62, LONG_MIN, LONG_MAX, 1L << 62},
  };
  for (size_t k = 0; k < sizeof all / sizeof *all; k++)
    assert_int_equal(carom_whole(all[k].x, all[k].least, all[k].most), all[k].is);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_whole)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
