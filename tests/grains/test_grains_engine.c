// SPDX-License-Identifier: MIT
// Rods through the public interface: drift, checkpoints, refusals with their place in the text.
#include "carom/carom.h"
#include "check.h"
#include "grains/grains.h"

#include <stdlib.h>
#include <string.h>

#define SCENARIO(name) CAROM_SOURCE_DIR "/scenarios/" name ".yaml"

static carom_model *load(const char *path, int count, const carom_setting *settings) {
  carom_model *model = NULL;
  carom_error error = {0};
  if (carom_model_load(path, count, settings, &model, &error)) print_error("%s\n", error.text);
  assert_non_null(model);
  return model;
}

static carom_simulation *make(const carom_model *model) {
  carom_simulation *simulation = NULL;
  carom_error error = {0};
  if (carom_simulation_create(model, &simulation, &error)) print_error("%s\n", error.text);
  assert_non_null(simulation);
  return simulation;
}

static double get(carom_simulation *simulation, const char *name) {
  double value = NAN;
  carom_error error = {0};
  if (carom_simulation_get(simulation, name, &value, &error)) print_error("%s\n", error.text);
  return value;
}

static void run(carom_simulation *simulation) {
  carom_error error = {0};
  if (carom_simulation_run(simulation, &error)) print_error("%s\n", error.text);
  assert_int_equal(error.status, CAROM_OK);
}

// drift towards the tilt; none without friction at the plate
static void test_drift(void **state) {
  (void)state;
  const carom_setting quick[] = {{"periods", "6"}, {"N", "10"}, {"L", "11"}, {"l", "4"}};
  const carom_setting smooth[] = {
      {"periods", "6"}, {"N", "10"}, {"L", "11"}, {"l", "4"}, {"mu_plate", "0"}};
  carom_model *model = load(SCENARIO("rods_2d_r1"), 4, quick);
  carom_simulation *simulation = make(model);
  run(simulation);
  double drift = get(simulation, "drift"), tilt = get(simulation, "tilt");
  CHECK(drift > 3 && drift < 18);
  CHECK_NEAR(tilt, 24.6, 6); // acos(10/11)
  // distributions add up to one, shares of the energy to the whole
  const struct {
    const char *name;
    int parts;
  } whole[] = {{"phase", 12}, {"flights", 8}, {"tilt", 9}};
  for (int k = 0; k < 3; k++) {
    double sum = 0;
    for (int j = 1; j <= whole[k].parts; j++) {
      char name[32];
      (void)snprintf(name, sizeof name, "%s_%d", whole[k].name, j);
      sum += get(simulation, name);
    }
    CHECK_NEAR(sum, 1, 1e-12);
  }
  double moving = get(simulation, "kinetic_x") + get(simulation, "kinetic_z");
  CHECK_SAME(get(simulation, "kinetic_y"), 0);
  CHECK_NEAR(moving + get(simulation, "rotation_energy"), get(simulation, "kinetic"), 1e-12);
  CHECK(get(simulation, "tip_z") > -1 && get(simulation, "tip_z") < 1);
  carom_certificate c;
  assert_int_equal(carom_simulation_certificate(simulation, &c, NULL), CAROM_OK);
  CHECK(c.passed && c.energy.work_drives > 0 && c.energy.lost_friction > 0 &&
        c.worst.penetration > 0);
  carom_simulation_destroy(simulation);
  carom_model_destroy(model);

  model = load(SCENARIO("rods_2d_r1"), 5, smooth);
  simulation = make(model);
  run(simulation);
  CHECK_NEAR(get(simulation, "drift"), 0, 1.0);
  carom_simulation_destroy(simulation);
  carom_model_destroy(model);
}

static const char *const FEW =
    "title: few\n"
    "engine: grains\n"
    "parameters: {N: 12, A: 0.05, k: 2e5}\n"
    "rods:\n"
    "  - {count: N, diameter: 1, length: 4, density: 1}\n"
    "  - {count: 6, diameter: 1.2, density: 1}\n"
    "gravity: 1\n"
    "contact: {stiffness: k, damping: 20, friction: {slip: 0.3, stick: 0.4}}\n"
    "walls:\n"
    "  floor: {plane: [0, 0, 1], driven: yes}\n"
    "  left: {plane: [1, 0, 0], at: -5}\n"
    "  right: {plane: [-1, 0, 0], at: -5}\n"
    "  front: {plane: [0, 2, 0], at: -5}\n"
    "  back: {plane: [0, -1, 0], at: -5}\n"
    "drive: A*sin(10*t)\n"
    "start: {as: poured, size: [10, 10], seed: 4, spread: 0.1}\n"
    "run: {until: 7, step: 1e-3}\n"
    "observe: {height: last(z), most: max(rod_contacts), speed: mean(vz)}\n";

static carom_model *parse(int count, const carom_setting *settings, carom_error *error) {
  carom_model *model = NULL;
  (void)carom_model_parse(FEW, "few.yaml", count, settings, &model, error);
  return model;
}

// saved in the middle, restored elsewhere: the same bits at the end
static void test_checkpoint(void **state) {
  (void)state;
  carom_model *model = parse(0, NULL, NULL);
  assert_non_null(model);
  carom_simulation *whole = make(model), *first = make(model), *second = make(model);
  assert_int_equal(carom_simulation_advance(whole, 7, NULL), CAROM_OK);
  CHECK(get(whole, "most") > 0.1);
  assert_int_equal(carom_simulation_advance(first, 5.5, NULL), CAROM_OK);
  size_t size = 0;
  assert_int_equal(carom_simulation_save(first, NULL, &size, NULL), CAROM_OK);
  void *buffer = malloc(size);
  assert_non_null(buffer);
  assert_int_equal(carom_simulation_save(first, buffer, &size, NULL), CAROM_OK);
  assert_int_equal(carom_simulation_restore(second, buffer, size, NULL), CAROM_OK);
  assert_int_equal(carom_simulation_advance(first, 7, NULL), CAROM_OK);
  assert_int_equal(carom_simulation_advance(second, 7, NULL), CAROM_OK);
  int columns = carom_simulation_columns(whole);
  for (int k = 0; k < columns; k++) {
    const char *name = carom_simulation_column(whole, k);
    CHECK_SAME(get(second, name), get(whole, name));
    CHECK_SAME(get(first, name), get(whole, name));
  }
  CHECK_SAME(get(second, "speed"), get(whole, "speed"));
  size_t at_end = 0, other = 0;
  carom_simulation *copy = NULL;
  assert_int_equal(carom_simulation_clone(whole, &copy, NULL), CAROM_OK);
  assert_int_equal(carom_simulation_save(whole, NULL, &at_end, NULL), CAROM_OK);
  assert_int_equal(carom_simulation_save(second, NULL, &other, NULL), CAROM_OK);
  assert_int_equal(at_end, other);
  void *a = malloc(at_end), *b = malloc(at_end), *c = malloc(at_end);
  assert_int_equal(carom_simulation_save(whole, a, &at_end, NULL), CAROM_OK);
  assert_int_equal(carom_simulation_save(second, b, &at_end, NULL), CAROM_OK);
  assert_int_equal(carom_simulation_save(copy, c, &at_end, NULL), CAROM_OK);
  assert_memory_equal(a, b, at_end);
  assert_memory_equal(a, c, at_end);
  free(a), free(b), free(c), free(buffer);
  carom_simulation_destroy(whole);
  carom_simulation_destroy(first);
  carom_simulation_destroy(second);
  carom_simulation_destroy(copy);
  carom_model_destroy(model);
}

// a state that is cut short is refused; the simulation cannot go on from it, but can start again
static void test_broken_state(void **state) {
  (void)state;
  carom_model *model = parse(0, NULL, NULL);
  assert_non_null(model);
  carom_simulation *whole = make(model), *broken = make(model);
  assert_int_equal(carom_simulation_advance(whole, 5.5, NULL), CAROM_OK);
  size_t size = 0;
  assert_int_equal(carom_simulation_save(whole, NULL, &size, NULL), CAROM_OK);
  char *buffer = malloc(size);
  assert_non_null(buffer);
  assert_int_equal(carom_simulation_save(whole, buffer, &size, NULL), CAROM_OK);
  // it begins with its size
  uint64_t less = size - 8;
  memcpy(buffer, &less, sizeof less);
  carom_error error = {0};
  assert_int_equal(carom_simulation_restore(broken, buffer, less, &error), CAROM_ERR_ARGUMENT);
  assert_non_null(strstr(error.text, "not a saved state"));
  assert_int_equal(carom_simulation_advance(broken, 7, &error), CAROM_ERR_ARGUMENT);
  assert_int_equal(carom_simulation_reset(broken, NULL), CAROM_OK);
  assert_int_equal(carom_simulation_advance(broken, 5.5, NULL), CAROM_OK);
  CHECK_SAME(get(broken, "z"), get(whole, "z"));
  free(buffer);
  carom_simulation_destroy(whole);
  carom_simulation_destroy(broken);
  carom_model_destroy(model);
}

// parameters set between runs; the same run again is the same
static void test_set_and_reset(void **state) {
  (void)state;
  carom_model *model = parse(0, NULL, NULL);
  carom_simulation *simulation = make(model);
  assert_int_equal(carom_simulation_advance(simulation, 1, NULL), CAROM_OK);
  double z = get(simulation, "z");
  assert_int_equal(carom_simulation_set(simulation, "N", 8, NULL), CAROM_OK);
  CHECK_SAME(get(simulation, "t"), 0);
  assert_int_equal(carom_simulation_advance(simulation, 1, NULL), CAROM_OK);
  CHECK(get(simulation, "z") != z);
  assert_int_equal(carom_simulation_set(simulation, "N", 12, NULL), CAROM_OK);
  assert_int_equal(carom_simulation_advance(simulation, 1, NULL), CAROM_OK);
  CHECK_SAME(get(simulation, "z"), z);
  assert_int_equal(carom_simulation_set(simulation, "NN", 12, NULL), CAROM_ERR_ARGUMENT);
  carom_simulation_destroy(simulation);
  carom_model_destroy(model);
}

static void test_refusals(void **state) {
  (void)state;
  const struct {
    carom_setting setting;
    const char *text;
  } cases[] = {
      {{"rods.0.diameter", "0"}, "diameter is 0; it must be positive, up to "},
      {{"rods.0.length", "0.5"}, "at least the diameter, 1"},
      {{"N", "2.5"}, "whole number"},
      {{"run.step", "0.1"}, "too large for the stiffness"},
      {{"k", "-1"}, "stiffness is -1"},
      {{"contact.friction.stick", "0.1"}, "must not be below"},
      {{"contact.stifness", "1"}, "did you mean 'stiffness'"},
      {{"walls.floor.plane", "[0, 0, 0]"}, "normal of a plane"},
      {{"walls.floor.cylinder", "3"}, "plane or a cylinder"},
      {{"walls.floor.at", "0.5"}, ""},
      {{"walls.left.at", "0"}, "beyond the wall 'left'"},
      {{"start.as", "row"}, "give periodic.x"},
      {{"start.as", "ring"}, "give both walls"},
      {{"run.freedoms", "plane"}, "'front' would push rods out of the plane"},
      {{"start.size", "[3, 10]"}, "at least"},
      {{"contact.restitution", "0.5"}, ""}, // takes the place of damping
      {{"contact", "{stiffness: 1e4, damping: 20, restitution: 0.5}"}, "not both"},
      {{"periodic", "{x: 4}"}, "too short"},
      {{"parameters.vx", "4"}, "meaning of its own"},
      {{"parameters.vx_kind2", "4"}, "'vx_kind2' has a meaning of its own"},
      {{"rods.0.name", "x"}, "'kinetic_x' has a meaning of its own"},
      {{"rods.0.name", "kind2"}, "two kinds of rods are called 'kind2'"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    carom_error error = {0};
    carom_simulation *simulation = NULL;
    carom_model *model = parse(1, &cases[k].setting, &error);
    if (model) (void)carom_simulation_create(model, &simulation, &error);
    if (!strstr(error.text, cases[k].text) || (!cases[k].text[0] != !error.text[0]))
      print_error("%s=%s: '%s'\n", cases[k].setting.path, cases[k].setting.value, error.text);
    assert_non_null(strstr(error.text, cases[k].text));
    assert_int_equal(simulation == NULL, cases[k].text[0] != 0);
    carom_simulation_destroy(simulation);
    carom_model_destroy(model);
  }
}

// steps and laws that cannot be are refused where they are written
static void test_places_of_refusals(void **state) {
  (void)state;
  const struct {
    carom_setting setting;
    const char *file,
        *block; // a setting has a place of its own, a parameter is wrong where it is used
  } cases[] = {{{"run.step", "0.1"}, "--set run.step", NULL},
               {{"contact.friction.stick", "0.1"}, "--set contact.friction.stick", NULL},
               {{"k", "-1"}, "few.yaml", "contact:"}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    carom_error error = {0};
    carom_simulation *simulation = NULL;
    carom_model *model = parse(1, &cases[k].setting, &error);
    assert_non_null(model);
    assert_int_not_equal(carom_simulation_create(model, &simulation, &error), CAROM_OK);
    carom_model_destroy(model);
    if (cases[k].file) assert_string_equal(error.file, cases[k].file);
    if (!cases[k].block) continue;
    const char *at = strstr(FEW, cases[k].block);
    int line = 1;
    for (const char *c = FEW; c < at; c++)
      line += *c == '\n';
    CHECK(error.line == line);
  }
}

// the number of rods told to fit does fit, and one more or, round a ring, two more do not
static void test_number_that_fits(void **state) {
  (void)state;
  const struct {
    const char *path;
    int step;
  } cases[] = {{SCENARIO("rods_2d_r1"), 1}, {SCENARIO("rods_annulus"), 2}};
  for (int k = 0; k < 2; k++) {
    int most = 60;
    for (int round = 0; round < 3; round++) {
      char number[16];
      (void)snprintf(number, sizeof number, "%d", round < 2 ? most : most + cases[k].step);
      const carom_setting set[] = {{"N", number}, {"L", "43"}};
      carom_model *model = load(cases[k].path, 2, set);
      carom_simulation *simulation = NULL;
      carom_error error = {0};
      carom_status status = carom_simulation_create(model, &simulation, &error);
      assert_int_equal(status, round == 1 ? CAROM_OK : CAROM_ERR_INPUT);
      const char *told = strstr(error.text, "; ");
      if (round == 0) {
        assert_non_null(told);
        most = atoi(told + 2);
      }
      carom_simulation_destroy(simulation);
      carom_model_destroy(model);
    }
  }
}

// restitution asked for is restitution had: a sphere dropped on the floor
static void test_restitution(void **state) {
  static const char *const text = "engine: grains\n"
                                  "parameters: {e: 0.6}\n"
                                  "rods: {count: 1, diameter: 1}\n"
                                  "gravity: 0\n"
                                  "contact: {stiffness: 1e6, form: ratio, restitution: e}\n"
                                  "walls: {floor: {plane: [0, 0, 1]}}\n"
                                  "start: {as: poured, size: [3, 3], seed: 2, spread: 0.5}\n"
                                  "run: {until: 20, step: 5e-4}\n";
  const carom_setting pull = {"contact.pull", *state ? "no" : "yes"};
  carom_model *model = NULL;
  carom_error error = {0};
  (void)carom_model_parse(text, "drop.yaml", 1, &pull, &model, &error);
  assert_non_null(model);
  for (double e = 0.3; e < 1; e += 0.2) {
    carom_simulation *simulation = make(model);
    // a seed whose ball falls
    assert_int_equal(carom_simulation_set(simulation, "e", e, NULL), CAROM_OK);
    char told[500], expected[100];
    carom_simulation_describe(simulation, told, sizeof told);
    (void)snprintf(expected, sizeof expected, "floor %.3f", e);
    if (!strstr(told, expected)) print_error("%s lacks %s\n", told, expected);
    assert_non_null(strstr(told, expected));
    double before = get(simulation, "vz");
    if (before > 0) print_error("choose another seed: vz = %g\n", before);
    assert_int_equal(carom_simulation_advance(simulation, 20, NULL), CAROM_OK);
    CHECK_NEAR(get(simulation, "vz"), -e * before, 2e-3 * fabs(before));
    carom_simulation_destroy(simulation);
  }
  carom_model_destroy(model);
}

// Two spheres of different weight, one above the other: a rising floor throws the lower one against
// the upper one. Damping by mass, so each collision needs a damping of its own for the restitution
// asked for, at its own speed.
static void test_restitution_of_kinds(void **state) {
  (void)state;
  static const char *const text =
      "engine: grains\n"
      "parameters: {e: 0.6, v: 0.3}\n"
      "rods:\n"
      "  - {name: light, count: 1, diameter: 1, mass: 1}\n"
      "  - {name: heavy, count: 1, diameter: 1, mass: 5}\n"
      "gravity: 0\n"
      "contact: {stiffness: 1e6, form: mass, restitution: e, speed: v, tangential_damping: 7}\n"
      "walls: {floor: {plane: [0, 0, 1], driven: yes}}\n"
      "pairs: [{of: [heavy, light], speed: (1 + e)*v}]\n"
      "drive: v*t\n"
      "start: {as: poured, size: [1.1, 1.1], gap: 0.05}\n"
      "run: {until: 0.4, step: 5e-5}\n";
  carom_model *model = NULL;
  carom_error error = {0};
  if (carom_model_parse(text, "kinds.yaml", 0, NULL, &model, &error))
    print_error("%s\n", error.text);
  assert_non_null(model);
  carom_simulation *simulation = make(model);
  char told[500];
  carom_simulation_describe(simulation, told, sizeof told);
  assert_non_null(strstr(told, "floor 0.600 (head on at speed 0.3, over the kinds)"));
  run(simulation);
  const carom_grains *it = simulation->state;
  const carom_bed *bed = it->bed;
  // of 1 and 5: the light one comes with (1 + e) v
  double e = 0.6, u = (1 + e) * 0.3;
  CHECK_NEAR(bed->v[2][bed->order.place[0]], u * (1 - 5 * e) / 6, 1e-3);
  CHECK_NEAR(bed->v[2][bed->order.place[1]], u * (1 + e) / 6, 1e-3);
  // the tangential damping that is given is kept
  CHECK_SAME(it->bed_settings.walls[0].law.gt, 7);
  carom_simulation_destroy(simulation);
  carom_model_destroy(model);
}

// An elastic sphere dropped on a floor at rest: it arrives and leaves with the speed of its fall,
// and flies twice as long as it fell. The drive is at rest but has a period, in which flights are
// told.
static void test_strikes(void **state) {
  (void)state;
  static const char *const text = "engine: grains\n"
                                  "rods: {count: 1, diameter: 1}\n"
                                  "gravity: 1\n"
                                  "contact: {stiffness: 1e6, damping: 0}\n"
                                  "walls: {floor: {plane: [0, 0, 1], driven: yes}}\n"
                                  "drive: {z: 0*t, period: 1}\n"
                                  "start: {as: poured, size: [3, 3], gap: 0.3}\n"
                                  "run: {until: 10, step: 1e-4}\n"
                                  "measure: {after: 2}\n";
  carom_model *model = NULL;
  carom_error error = {0};
  if (carom_model_parse(text, "bounce.yaml", 0, NULL, &model, &error))
    print_error("%s\n", error.text);
  assert_non_null(model);
  carom_simulation *simulation = make(model);
  double height = get(simulation, "z") - 0.5, speed = sqrt(2 * height), flight = 2 * speed;
  run(simulation);
  // the first, at 0.95, is before the window
  CHECK_SAME(get(simulation, "strikes"), floor((10 - speed) / flight));
  CHECK_RELATIVE(get(simulation, "strike_vz_before"), -speed, 1e-2);
  CHECK_RELATIVE(get(simulation, "strike_vz_after"), speed, 1e-2);
  CHECK_RELATIVE(get(simulation, "strike_flight"), flight, 1e-2);
  CHECK_SAME(get(simulation, "flights_4"), 1); // of 1.9 periods: the fourth half period
  carom_simulation_destroy(simulation);
  carom_model_destroy(model);
}

// kinds slide differently on the same floor: the one without friction keeps its speed
static void test_pairs_of_materials(void **state) {
  (void)state;
  static const char *const text =
      "engine: grains\n"
      "parameters: {mu: 0.5}\n"
      "rods:\n"
      "  - {name: rough, count: 1, diameter: 1, density: 1}\n"
      "  - {name: smooth, count: 1, diameter: 1, density: 1}\n"
      "gravity: 1\n"
      "contact: {stiffness: 1e5, damping: 100, friction: mu}\n"
      "walls: {floor: {plane: [0, 0, 1]}}\n"
      "pairs: [{of: [floor, smooth], friction: 0}]\n"
      "start: {as: poured, size: [6, 3], seed: 2, gap: 0.001, spread: 0.5}\n"
      "run: {until: 6, step: 1e-3}\n";
  carom_model *model = NULL;
  carom_error error = {0};
  if (carom_model_parse(text, "pairs.yaml", 0, NULL, &model, &error))
    print_error("%s\n", error.text);
  assert_non_null(model);
  carom_simulation *simulation = make(model);
  const carom_bed *bed = ((const carom_grains *)simulation->state)->bed;
  double before[2], after[2];
  for (int k = 0; k < 2; k++)
    before[k] = hypot(bed->v[0][bed->order.place[k]], bed->v[1][bed->order.place[k]]);
  run(simulation);
  bed = ((const carom_grains *)simulation->state)->bed; // a run makes a new one
  for (int k = 0; k < 2; k++)
    after[k] = hypot(bed->v[0][bed->order.place[k]], bed->v[1][bed->order.place[k]]);
  // a sphere that slides begins to roll: five sevenths of the speed are left
  CHECK_RELATIVE(after[0], before[0] * 5 / 7, 2e-2);
  CHECK_RELATIVE(after[1], before[1], 1e-9);
  carom_simulation_destroy(simulation);
  carom_model_destroy(model);
  static const char *const bad = "engine: grains\n"
                                 "rods: {count: 1, diameter: 1}\n"
                                 "contact: {stiffness: 1e5}\n"
                                 "walls: {floor: {plane: [0, 0, 1]}}\n"
                                 "pairs: [{of: [floor, rocks], friction: 0}]\n"
                                 "start: {as: poured, size: [3, 3]}\n"
                                 "run: {until: 1, step: 1e-3}\n";
  assert_int_equal(carom_model_parse(bad, "bad.yaml", 0, NULL, &model, &error), CAROM_ERR_INPUT);
  assert_non_null(strstr(error.text, "called 'rocks'"));
}

// contacts too soft for what falls on them: the run ends with the names of those involved, and the
// state saved before goes on
static void test_blow_up_leaves_the_checkpoint(void **state) {
  (void)state;
  static const char *const text = "engine: grains\n"
                                  "parameters: {A: 0.05}\n"
                                  "rods: {count: 3, diameter: 1, length: 2, density: 1}\n"
                                  "gravity: 1\n"
                                  "contact: {stiffness: 5e3, damping: 5, friction: 0.3}\n"
                                  "walls: {floor: {plane: [0, 0, 1], driven: yes}}\n"
                                  "drive: A*sin(10*t) + 30*max(t - 2, 0)\n"
                                  "start: {as: poured, size: [6, 3], seed: 2}\n"
                                  "run: {until: 3, step: 1e-3}\n";
  carom_model *model = NULL;
  carom_error error = {0};
  if (carom_model_parse(text, "blow.yaml", 0, NULL, &model, &error))
    print_error("%s\n", error.text);
  assert_non_null(model);
  carom_simulation *simulation = make(model), *other = make(model);
  assert_int_equal(carom_simulation_advance(simulation, 1.5, NULL), CAROM_OK);
  size_t size = 0;
  assert_int_equal(carom_simulation_save(simulation, NULL, &size, NULL), CAROM_OK);
  void *checkpoint = malloc(size), *after = malloc(size);
  assert_int_equal(carom_simulation_save(simulation, checkpoint, &size, NULL), CAROM_OK);
  assert_int_equal(carom_simulation_advance(simulation, 3, &error), CAROM_ERR_STEP);
  assert_non_null(strstr(error.text, "went through the wall 'floor'"));
  // the failed call has changed nothing
  assert_int_equal(carom_simulation_save(simulation, after, &size, NULL), CAROM_OK);
  assert_memory_equal(after, checkpoint, size);
  assert_int_equal(carom_simulation_restore(other, checkpoint, size, NULL), CAROM_OK);
  assert_int_equal(carom_simulation_advance(other, 1.9, NULL), CAROM_OK);
  free(checkpoint), free(after);
  carom_simulation_destroy(simulation);
  carom_simulation_destroy(other);
  carom_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_drift),
      cmocka_unit_test(test_checkpoint),
      cmocka_unit_test(test_broken_state),
      cmocka_unit_test(test_set_and_reset),
      cmocka_unit_test(test_refusals),
      cmocka_unit_test(test_places_of_refusals),
      cmocka_unit_test(test_number_that_fits),
      cmocka_unit_test(test_restitution),
      cmocka_unit_test_prestate(test_restitution, "contacts that cannot pull"),
      cmocka_unit_test(test_restitution_of_kinds),
      cmocka_unit_test(test_strikes),
      cmocka_unit_test(test_pairs_of_materials),
      cmocka_unit_test(test_blow_up_leaves_the_checkpoint),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
