// SPDX-License-Identifier: MIT
// Problems of other people's simulations: the stored ones, and those of a folder that the
// environment names. Each is solved to a residual of 1e-10 by the judge's own reckoning.
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include "friction_help.h"

#include <dirent.h>

static int solve_folder(const char *folder) {
  struct dirent **entries = NULL;
  int count = scandir(folder, &entries, NULL, alphasort), solved = 0;
  for (int k = 0; k < count; k++) {
    char path[1024];
    size_t length = strlen(entries[k]->d_name);
    (void)snprintf(path, sizeof path, "%s/%s", folder, entries[k]->d_name);
    bool text = length > 4 && strcmp(entries[k]->d_name + length - 4, ".txt") == 0;
    posed p = text ? read_problem(path) : (posed){0};
    free(entries[k]);
    if (p.n == 0) continue;
    carom_friction_options o = ask(&p);
    o.prove = p.n <= 60;
    carom_friction_solution *s = solve(&o);
    const carom_friction_view *view = carom_friction_solution_look(s);
    double own = residual_of(&p, view->forces);
    if (!view->found || !(own <= 1e-10)) print_error("%s: %g by its judge\n", path, own);
    CHECK(view->found);
    CHECK_NEAR(own, 0.0, 1e-10);
    CHECK_NEAR(own, view->residual, 1e-13);
    carom_friction_solution_destroy(s);
    dispose(&p);
    solved++;
  }
  free(entries);
  return solved;
}

static void test_stored(void **unused) {
  (void)unused;
  assert_int_equal(solve_folder(CAROM_SOURCE_DIR "/tests/friction/problems"), 15);
}

static void test_others(void **unused) {
  (void)unused;
  const char *folder = getenv("CAROM_FRICTION_PROBLEMS");
  if (!folder)
    skip();
  else
    CHECK(solve_folder(folder) > 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_stored), cmocka_unit_test(test_others)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
