// SPDX-License-Identifier: MIT
// The window of measuring is one thing in every engine: measure.after is a time, as run.start and
// run.until are, and not counted from the start of the run.
#include "carom/carom.h"
#include "check.h"

#include <string.h>

static const char *const ENGINES[] = {
    "coordinates: {x: 0}\nenergy: {kinetic: x'^2/2, potential: 0}\n",
    "coordinates: {y: 1}\nenergy: {kinetic: y'^2/2, potential: 9.81*y}\n"
    "contacts: {floor: {gap: y, impact: 0.5}}\n",
    "engine: field\nbody: {disc: 1}\nfields: {repulsion: {rest: 0.01}}\nstart: {gap: 0.1}\n",
    "engine: grains\nrods: {count: 2, diameter: 0.1, length: 0.1}\n"
    "contact: {stiffness: 1e4, restitution: 0.5}\nwalls: {floor: {plane: [0, 0, 1]}}\n"
    "start: {as: poured, size: [1, 1]}\n",
};

static double mean_time(const char *engine, const char *measure, double *begin, double *end) {
  char text[1024];
  carom_model *model = NULL;
  carom_simulation *simulation = NULL;
  carom_error error = {0};
  double mean = NAN;
  bool steps = strstr(engine, "grains") != NULL;
  (void)snprintf(text, sizeof text,
                 "%s%s\nrun: {start: 1, until: 3%s}\n"
                 "observe: {middle: mean(t), begin: min(t), end: max(t)}\n",
                 engine, measure, steps ? ", step: 1e-3" : "");
  if (carom_model_parse(text, "test", 0, NULL, &model, &error) ||
      carom_simulation_create(model, &simulation, &error) ||
      carom_simulation_run(simulation, &error) ||
      carom_simulation_get(simulation, "middle", &mean, &error) ||
      carom_simulation_get(simulation, "begin", begin, &error) ||
      carom_simulation_get(simulation, "end", end, &error))
    print_error("%s\n%s\n", text, error.text);
  carom_simulation_destroy(simulation);
  carom_model_destroy(model);
  return mean;
}

static void test_after_is_a_time(void **state) {
  (void)state;
  static const struct {
    const char *text;
    double begin, end;
  } windows[] = {{"", 1, 3},
                 {"measure: {after: 1}", 1, 3},
                 {"measure: {after: 2}", 2, 3},
                 {"measure: {after: 1.5, over: 1}", 1.5, 2.5},
                 {"measure: {over: 0.5}", 1, 1.5}};
  for (size_t k = 0; k < sizeof ENGINES / sizeof *ENGINES; k++)
    for (size_t w = 0; w < sizeof windows / sizeof *windows; w++) {
      double begin = NAN, end = NAN, middle = mean_time(ENGINES[k], windows[w].text, &begin, &end);
      CHECK_NEAR(middle, 0.5 * (windows[w].begin + windows[w].end), 2e-3);
      CHECK_NEAR(begin, windows[w].begin, 2e-3);
      CHECK_NEAR(end, windows[w].end, 2e-3);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_after_is_a_time)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
