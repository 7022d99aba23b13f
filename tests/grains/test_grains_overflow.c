// SPDX-License-Identifier: MIT
// Numbers beyond all bounds: a run ends with an error that names what did it, and what is looked at
// afterwards is no place outside an array.
#include "carom/carom.h"
#include "check.h"
#include "grains/grains.h"

#include <string.h>

static carom_model *load(int count, const carom_setting *settings, carom_error *error) {
  static const char *const text =
      "engine: grains\n"
      "parameters: {N: 130, d: 2e-3, l: 19e-3, side: 0.021}\n"
      "rods: {count: N, diameter: d, length: l, density: 2700}\n"
      "contact: {law: hertz, stiffness: 1e6, form: ratio, restitution: 0.6, friction: 0.3}\n"
      "walls: {floor: {plane: [0, 0, 1], driven: yes}}\n"
      "drive: {z: 0, period: 1}\n"
      "start: {as: layers, size: [side, side], gap: 1e-5, spread: 0.02, seed: 1}\n"
      "run: {until: 0.0005, step: 1.2e-5, sample: 1e-4, skin: d}\n";
  carom_model *model = NULL;
  (void)carom_model_parse(text, "far.yaml", count, settings, &model, error);
  return model;
}

// runs on the bed itself, which a failure leaves as it was then, and looks at it
static carom_status run_and_look(const carom_setting *first, const carom_setting *second,
                                 carom_error *error) {
  const carom_setting both[2] = {*first, *second};
  carom_model *model = load(2, both, error);
  assert_non_null(model);
  carom_simulation *simulation = NULL;
  carom_status status = carom_simulation_create(model, &simulation, error);
  if (!status) {
    carom_grains *it = simulation->state;
    for (int k = 0; k < 40 && !status; k++)
      status = carom_bed_advance(it->bed, 1, error);
    carom_grains_look(it);
    for (int i = 0; i < it->bed->n && !status; i++)
      CHECK(isfinite(it->bed->v[2][i]) && isfinite(it->bed->w[1][i]));
  }
  carom_simulation_destroy(simulation);
  carom_model_destroy(model);
  return status;
}

static void test_runs_away(void **state) {
  (void)state;
  static const struct {
    carom_setting first, second;
    const char *says;
  } all[] = {
      {{"drive.z", "1e100*t"}, {"N", "130"}, "the drive moved it by 1.2e+95 in one step"},
      {{"drive.z", "1e308*t^2"}, {"N", "130"}, "the drive moved it by"},
      {{"drive.z", "exp(1e7*t)"}, {"N", "130"}, "the drive moved it by"},
      {{"drive.z", "exp(exp(1e6*t)) - exp(1)"}, {"N", "130"}, "the drive is not finite"},
      {{"drive.z", "1/(t-1e-4)"}, {"N", "130"}, "the drive moved it by"},
      {{"start.velocity", "[1e200, 0, 0]"}, {"N", "130"}, "moves by inf in a step"},
      {{"start.turn", "[1e200, 0, 0]"}, {"N", "130"}, "moves by inf in a step"},
      {{"start.spread", "1e150"}, {"N", "130"}, "moves by"},
      {{"gravity", "[0, 0, -1e308]"}, {"N", "130"}, "moves by inf in a step"},
  };
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
    carom_error error = {0};
    CHECK(run_and_look(&all[k].first, &all[k].second, &error) < 0);
    if (!strstr(error.text, all[k].says)) print_error("%s\n", error.text);
    assert_non_null(strstr(error.text, all[k].says));
  }
}

// the last kick of a run is looked at too
static void test_last_kick(void **state) {
  (void)state;
  const carom_setting heavy[] = {{"gravity", "[0, 0, -1e308]"}, {"rods.density", "1e10"}};
  carom_error error = {0};
  carom_model *model = load(2, heavy, &error);
  carom_simulation *simulation = NULL;
  assert_int_equal(carom_simulation_create(model, &simulation, &error), CAROM_OK);
  carom_bed *bed = ((carom_grains *)simulation->state)->bed;
  // nothing acts in the first half of the step; in the second the weight is infinite
  for (int i = 0; i < bed->n; i++)
    for (int c = 0; c < 8; c++)
      bed->push[i][c] = 0.0;
  CHECK(carom_bed_advance(bed, 1, &error) < 0);
  carom_simulation_destroy(simulation);
  carom_model_destroy(model);
}

// floors with room for more rods than there are whole numbers
static void test_wide_floors(void **state) {
  (void)state;
  static const struct {
    carom_setting first, second;
    bool fine;
  } all[] = {
      {{"start.size", "[1e5, 1e5]"}, {"start.as", "poured"}, true},
      {{"start.size", "[1e5, 1e5]"}, {"start.as", "layers"}, true},
      {{"start.size", "[1e200, 1e200]"}, {"start.as", "poured"}, true},
      {{"start.size", "[1e200, 1e200]"}, {"start.as", "layers"}, true},
      {{"start.size", "[1e308*10, 1]"}, {"start.as", "poured"}, false},
  };
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
    carom_error error = {0};
    carom_status status = run_and_look(&all[k].first, &all[k].second, &error);
    if (!status != all[k].fine) print_error("%s\n", error.text);
    assert_int_equal(!status, all[k].fine);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_runs_away),
      cmocka_unit_test(test_last_kick),
      cmocka_unit_test(test_wide_floors),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
