// SPDX-License-Identifier: MIT
// From a scenario to a bed: every key arrives where it acts, places are those asked for, samples
// come when they are due, and a refusal names a value that works.
#include "base/elementary.h"
#include "base/random.h"
#include "carom/carom.h"
#include "check.h"
#include "grains/grains.h"
#include "study/rod_theory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCENARIO(name) CAROM_SOURCE_DIR "/scenarios/" name ".yaml"
static const double PI = 3.14159265358979323846;

static carom_simulation *make(const char *text, carom_model **model) {
  carom_simulation *simulation = NULL;
  carom_error error = {0};
  if (carom_model_parse(text, "all.yaml", 0, NULL, model, &error)) print_error("%s\n", error.text);
  assert_non_null(*model);
  if (carom_simulation_create(*model, &simulation, &error)) print_error("%s\n", error.text);
  assert_non_null(simulation);
  return simulation;
}

static const carom_grains *of(const carom_simulation *simulation) { return simulation->state; }

static double get(carom_simulation *simulation, const char *name) {
  double value = NAN;
  assert_int_equal(carom_simulation_get(simulation, name, &value, NULL), CAROM_OK);
  return value;
}

// ---- keys

static const char *const ALL =
    "engine: grains\n"
    "rods:\n"
    "  - {name: rods, count: 3, diameter: 1, length: 4, mass: 2, inertia: 3, spin_inertia: 0.4}\n"
    "  - {name: balls, count: 2, diameter: 0.5, density: 4}\n"
    "gravity: [0.1, 0.2, -0.3]\n"
    "contact: {law: linear, stiffness: 1e4, tangential_stiffness: 7e3, damping: 5,\n"
    "  tangential_damping: 4, form: ratio, friction: {stick: 0.36, slip: 0.25}, at: centres,\n"
    "  spring: plain, pull: no}\n"
    "walls:\n"
    "  floor: {plane: [0, 3, 4], at: -9, driven: yes,\n"
    "    contact: {law: hertz, stiffness: 2e4, damping: 3, form: mass, friction: 0.7, at: point,\n"
    "    spring: safe, pull: yes}}\n"
    "  tube: {cylinder: 30, centre: [1, 2]}\n"
    "  pole: {cylinder: 0.25, side: outside, centre: [20, 0]}\n"
    "pairs:\n"
    "  - {of: [balls, rods], friction: {stick: 0.9, slip: 0.8}, stiffness: 5e3}\n"
    "  - {of: [tube, balls], friction: 0.1, damping: 1}\n"
    "drive: {z: 0*t, period: 0.2}\n"
    "start: {as: poured, size: [9, 9], gap: 0.02}\n"
    "run: {until: 3, step: 3e-4, skin: 0.3, threads: 2, integrator: leapfrog, freedoms: no spin}\n";

static void check_law(const carom_grain_law *law, const carom_grain_law *expected) {
  assert_int_equal(law->hertz, expected->hertz);
  assert_int_equal(law->damping, expected->damping);
  assert_int_equal(law->centres, expected->centres);
  assert_int_equal(law->plain, expected->plain);
  assert_int_equal(law->clip, expected->clip);
  CHECK_SAME(law->kn, expected->kn);
  CHECK_SAME(law->kt, expected->kt);
  CHECK_SAME(law->gn, expected->gn);
  CHECK_SAME(law->gt, expected->gt);
  CHECK_SAME(law->stick, expected->stick);
  CHECK_SAME(law->slip, expected->slip);
}

static void test_contacts(void **state) {
  (void)state;
  carom_model *model = NULL;
  carom_simulation *simulation = make(ALL, &model);
  const carom_bed_settings *set = &of(simulation)->bed_settings;
  carom_grain_law rods = {.damping = CAROM_DAMPING_RATIO,
                          .kn = 1e4,
                          .kt = 7e3,
                          .gn = 5,
                          .gt = 4,
                          .stick = 0.36,
                          .slip = 0.25,
                          .centres = true,
                          .plain = true,
                          .clip = true};
  carom_grain_law mixed = rods, floor = rods, balls = rods;
  mixed.kn = mixed.kt = 5e3, mixed.stick = 0.9, mixed.slip = 0.8;
  floor.hertz = true, floor.damping = CAROM_DAMPING_MASS;
  floor.centres = floor.plain = floor.clip = false;
  floor.kn = floor.kt = 2e4, floor.gn = 3, floor.gt = 1.5, floor.stick = floor.slip = 0.7;
  balls.gn = 1, balls.gt = 0.5, balls.stick = balls.slip = 0.1;
  assert_non_null(set->laws);
  check_law(&set->laws[0], &rods);
  check_law(&set->laws[1], &mixed);
  check_law(&set->laws[2], &mixed);
  check_law(&set->laws[3], &rods);
  assert_null(set->walls[0].laws);
  check_law(&set->walls[0].law, &floor);
  assert_non_null(set->walls[1].laws);
  check_law(&set->walls[1].laws[0], &rods);
  check_law(&set->walls[1].laws[1], &balls);
  assert_null(set->walls[2].laws);
  check_law(&set->walls[2].law, &rods);
  carom_simulation_destroy(simulation);
  carom_model_destroy(model);
}

static void test_surroundings(void **state) {
  (void)state;
  carom_model *model = NULL;
  carom_simulation *simulation = make(ALL, &model);
  const carom_bed_settings *set = &of(simulation)->bed_settings;
  const carom_bed_species *rod = &set->species[0], *ball = &set->species[1];
  CHECK_SAME(rod->mass, 2);
  CHECK_SAME(rod->across, 3);
  CHECK_SAME(rod->along, 0.4);
  double mass = 4 * PI / 6 * 0.125;
  CHECK_RELATIVE(ball->mass, mass, 1e-14);
  CHECK_RELATIVE(ball->across, 0.1 * mass * 0.25, 1e-14);
  CHECK_RELATIVE(ball->along, 0.1 * mass * 0.25, 1e-14);
  CHECK_SAME(ball->length, 0.5);
  const double gravity[] = {0.1, 0.2, -0.3}, normal[] = {0, 0.6, 0.8};
  for (int c = 0; c < 3; c++) {
    CHECK_SAME(set->gravity[c], gravity[c]);
    CHECK_NEAR(set->walls[0].normal[c], normal[c], 1e-15);
  }
  CHECK_SAME(set->walls[0].at, -9);
  assert_true(set->walls[0].driven && set->walls[0].strikes);
  assert_int_equal(set->walls[1].kind, CAROM_WALL_INSIDE);
  assert_int_equal(set->walls[2].kind, CAROM_WALL_OUTSIDE);
  CHECK_SAME(set->walls[1].at, 30);
  CHECK_SAME(set->walls[1].centre[0], 1);
  CHECK_SAME(set->walls[1].centre[1], 2);
  CHECK_SAME(set->period, 0.2);
  CHECK_SAME(set->step, 3e-4);
  CHECK_SAME(set->skin, 0.3);
  assert_int_equal(set->threads, 2);
  assert_true(set->leapfrog && set->no_spin && !set->plane);
  carom_simulation_destroy(simulation);
  carom_model_destroy(model);
}

// what a short scenario leaves out
static void test_defaults(void **state) {
  (void)state;
  static const char *const text = "engine: grains\n"
                                  "parameters: {M: 3}\n"
                                  "rods: {count: 2, diameter: 1, length: 4, mass: M}\n"
                                  "contact: {stiffness: 1e4, damping: 8, friction: 0.4}\n"
                                  "start: {as: poured, size: [9, 9]}\n"
                                  "run: {until: 1, step: 1e-3}\n";
  carom_model *model = NULL;
  carom_simulation *simulation = make(text, &model);
  const carom_bed_settings *set = &of(simulation)->bed_settings;
  carom_grain_law plain = {
      .hertz = true, .kn = 1e4, .kt = 1e4, .gn = 8, .gt = 4, .stick = 0.4, .slip = 0.4};
  check_law(&set->law, &plain);
  assert_null(set->laws);
  CHECK_SAME(set->gravity[2], -9.81);
  assert_true(!set->leapfrog && !set->no_spin && !set->plane);
  // a given mass is spread uniformly: the corrected inertia of footnote 12
  carom_bed_species whole = carom_bed_species_uniform(2, 1, 4, 1);
  CHECK_RELATIVE(set->species[0].across, 3 * carom_rod_inertia(3) / carom_rod_mass(3), 1e-14);
  CHECK_RELATIVE(set->species[0].along, 3 * whole.along / whole.mass, 1e-14);
  carom_simulation_destroy(simulation);
  carom_model_destroy(model);
}

// moments of a uniform spherocylinder by adding up slices across the axis
static void test_uniform_rods(void **state) {
  (void)state;
  for (double length = 0.6; length < 5; length += 1.1) {
    carom_bed_species rod = carom_bed_species_uniform(1, 0.6, length, 2.5);
    double mass = 0, across = 0, along = 0;
    int n = 100000;
    for (int k = 0; k < n; k++) {
      double z = length * ((k + 0.5) / n - 0.5), out = fmax(0, fabs(z) - 0.5 * (length - 0.6));
      double r2 = 0.09 - out * out, m = 2.5 * PI * r2 * length / n;
      mass += m, across += m * (0.25 * r2 + z * z), along += 0.5 * m * r2;
    }
    CHECK_RELATIVE(rod.mass, mass, 1e-7);
    CHECK_RELATIVE(rod.across, across, 1e-7);
    CHECK_RELATIVE(rod.along, along, 1e-7);
  }
}

// ---- places

// rods of one length to a level, short ones no higher than they need
static void test_poured_levels(void **state) {
  (void)state;
  static const char *const text = "engine: grains\n"
                                  "parameters: {seed: 1}\n"
                                  "rods:\n"
                                  "  - {count: 5, diameter: 1, length: 4}\n"
                                  "  - {count: 50, diameter: 1}\n"
                                  "contact: {stiffness: 1e7}\n"
                                  "walls: {floor: {plane: [0, 0, 1], at: 2, driven: yes}}\n"
                                  "drive: {z: 0.5 + 0*t}\n"
                                  "start: {as: poured, size: [9, 9], gap: 0.1, seed: seed}\n"
                                  "run: {until: 1, step: 1e-4}\n";
  carom_model *model = NULL;
  carom_simulation *simulation = make(text, &model);
  const carom_bed *bed = of(simulation)->bed;
  // four cubes of 4.1 to a level, 49 of 1.1, which leaves spheres room aside; the floor is at 2.5
  for (int id = 0; id < 55; id++) {
    double level = id < 4 ? 2.05 : id < 5 ? 4.1 + 2.05 : id < 54 ? 8.2 + 0.55 : 8.2 + 1.65;
    CHECK_NEAR(bed->x[2][bed->order.place[id]], 2.6 + level, 1e-12);
  }
  // another seed turns them otherwise
  double lean = get(simulation, "mean_lean");
  assert_int_equal(carom_simulation_set(simulation, "seed", 2, NULL), CAROM_OK);
  CHECK(fabs(get(simulation, "mean_lean") - lean) > 1e-3);
  carom_simulation_destroy(simulation);
  carom_model_destroy(model);
}

// Spheres that are poured do not stand one upon the other: above a sphere of one level, those of
// the next are aside. The seed says where.
static void test_poured_spheres(void **state) {
  (void)state;
  static const char *const rooms[] = {
      "walls: {floor: {plane: [0, 0, 1]}}\nstart: {as: poured, size: [6, 8], seed: seed}\n",
      "walls: {floor: {plane: [0, 0, 1]}}\nperiodic: {x: 6, y: 8}\n"
      "start: {as: poured, size: [6, 8], seed: seed}\n",
      "walls: {floor: {plane: [0, 0, 1]}}\nstart: {as: poured, size: [6.2, 2.02], seed: seed}\n",
      "walls: {floor: {plane: [0, 0, 1]}, pot: {cylinder: 4, side: inside}}\n"
      "start: {as: poured, seed: seed}\n",
      "walls: {floor: {plane: [0, 0, 1]}, pot: {cylinder: 4, side: inside},\n"
      "  core: {cylinder: 1.3, side: outside}}\nstart: {as: poured, seed: seed}\n"};
  for (size_t k = 0; k < sizeof rooms / sizeof *rooms; k++) {
    char text[640];
    carom_model *model = NULL;
    (void)snprintf(text, sizeof text,
                   "engine: grains\nparameters: {seed: 1}\nrods: {count: 150, diameter: 1}\n"
                   "contact: {stiffness: 1e7}\nrun: {until: 1, step: 1e-4}\n%s",
                   rooms[k]);
    carom_simulation *simulation = make(text, &model);
    double first[2][4] = {{0}};
    for (int seed = 1; seed <= 2; seed++) {
      assert_int_equal(carom_simulation_set(simulation, "seed", seed, NULL), CAROM_OK);
      const carom_bed *bed = of(simulation)->bed;
      int straight = 0, above = 0;
      for (int i = 0; i < bed->n; i++)
        for (int j = 0; j < i; j++) {
          CHECK(carom_bed_gap(bed, i, j) >= 0.0);
          double dz = fabs(bed->x[2][i] - bed->x[2][j]);
          double dx = bed->x[0][i] - bed->x[0][j], dy = bed->x[1][i] - bed->x[1][j];
          if (dz > 1.2 || dz < 0.5 || dx * dx + dy * dy > 0.5) continue;
          above++;
          straight += dx * dx + dy * dy < 0.01 * 0.01;
        }
      CHECK(above > 20 && straight < above / 10);
      for (int c = 0; c < 4; c++)
        first[seed - 1][c] = bed->x[c % 2][bed->order.place[c]];
    }
    CHECK(fabs(first[0][0] - first[1][0]) + fabs(first[0][1] - first[1][1]) > 1e-3);
    carom_simulation_destroy(simulation);
    carom_model_destroy(model);
  }
}

static void test_given_tilt(void **state) {
  (void)state;
  for (int k = 0; k < 2; k++) {
    carom_model *model = NULL;
    carom_simulation *simulation = NULL;
    const carom_setting tilt = {"start.tilt", "0.123"};
    const char *path = k ? SCENARIO("rods_annulus") : SCENARIO("rods_2d_r1");
    assert_int_equal(carom_model_load(path, 1, &tilt, &model, NULL), CAROM_OK);
    assert_int_equal(carom_simulation_create(model, &simulation, NULL), CAROM_OK);
    CHECK_NEAR(get(simulation, "mean_tilt"), 0.123, 1e-12);
    carom_simulation_destroy(simulation);
    carom_model_destroy(model);
  }
}

// ---- time

typedef struct times {
  int count;
  double worst;
} times;

static int take_time(void *ctx, const carom_simulation *simulation, double t, int columns,
                     const double *values) {
  (void)simulation, (void)columns, (void)values;
  times *it = ctx;
  it->worst = fmax(it->worst, fabs(t - 2e-2 * it->count));
  it->count++;
  return 0;
}

// A sphere falls freely: v_z = -t. Samples come within half a step of when they are due, though
// the drive has a period that they do not fit; reducers see the window and nothing else.
static void test_samples_and_windows(void **state) {
  (void)state;
  static const char *const text =
      "engine: grains\n"
      "rods: {count: 1, diameter: 1}\n"
      "gravity: 1\n"
      "contact: {stiffness: 1e4}\n"
      "walls: {lid: {plane: [0, 0, -1], at: -100, driven: yes}}\n"
      "drive: {z: 0*t, period: 0.31}\n"
      "start: {as: poured, size: [3, 3]}\n"
      "run: {until: 5, step: 7e-4, sample: 2e-2}\n"
      "measure: {after: 1, over: 2}\n"
      "observe: {middle: mean(vz), most: max(vz), least: min(vz), rate: mean_rate(z), end: "
      "last(vz)}\n";
  carom_model *model = NULL;
  carom_simulation *simulation = make(text, &model);
  times seen = {0};
  carom_observer observer = {.ctx = &seen, .sample = take_time};
  carom_simulation_observe(simulation, &observer);
  assert_int_equal(carom_simulation_advance(simulation, 5, NULL), CAROM_OK);
  assert_int_equal(seen.count, 251);
  CHECK(seen.worst <= 0.5 * 7e-4 + 1e-9);
  // looks are 7.7e-4 to 1.3e-2 apart: the window ends at the last one in it
  CHECK_NEAR(get(simulation, "middle"), -2, 1e-2);
  CHECK_NEAR(get(simulation, "rate"), -2, 1e-2);
  CHECK_NEAR(get(simulation, "most"), -1, 1e-3);
  CHECK_NEAR(get(simulation, "least"), -3, 1.4e-2);
  CHECK_NEAR(get(simulation, "end"), -3, 1.4e-2);
  carom_simulation_destroy(simulation);
  carom_model_destroy(model);
}

// ---- values that work

static const char *const BOX =
    "engine: grains\n"
    "rods: [{count: 12, diameter: 1, length: 4, density: 1}, {count: 6, diameter: 1.2}]\n"
    "gravity: 1\n"
    "contact: {stiffness: 2e5, friction: 0.3}\n"
    "walls:\n"
    "  floor: {plane: [0, 0, 1], contact: {stiffness: 2e7}}\n"
    "  left: {plane: [1, 0, 0], at: -5}\n"
    "  tube: {cylinder: 12}\n"
    "start: {as: poured, size: [10, 10]}\n"
    "run: {until: 1, step: 1e-4}\n";

static carom_status try_settings(const char *path, int count, const carom_setting *settings,
                                 carom_error *error) {
  carom_model *model = NULL;
  carom_simulation *simulation = NULL;
  memset(error, 0, sizeof *error);
  carom_status status = path ? carom_model_load(path, count, settings, &model, error)
                             : carom_model_parse(BOX, "box.yaml", count, settings, &model, error);
  if (!status) status = carom_simulation_create(model, &simulation, error);
  carom_simulation_destroy(simulation);
  carom_model_destroy(model);
  return status;
}

static const char *const WELL =
    "engine: grains\n"
    "parameters: {width: 5, seed: 1}\n"
    "rods: [{count: 40, diameter: 1, length: 4}, {count: 60, diameter: 1.2}]\n"
    "contact: {stiffness: 1e7}\n"
    "walls:\n"
    "  floor: {plane: [0, 0, 1], at: -1}\n"
    "  inner: {cylinder: 3, side: outside, centre: [2, 1]}\n"
    "  outer: {cylinder: 3 + width, centre: [2, 1]}\n"
    "start: {as: poured, gap: 0.1, seed: seed}\n"
    "run: {until: 1, step: 1e-4}\n";

// without a size rods are poured round the axis: apart from each other and from the walls, several
// to a level
static void test_poured_round(void **state) {
  (void)state;
  carom_model *model = NULL;
  carom_simulation *simulation = NULL;
  carom_error error = {0};
  assert_int_equal(carom_model_parse(WELL, "well.yaml", 0, NULL, &model, &error), CAROM_OK);
  if (carom_simulation_create(model, &simulation, &error)) print_error("%s\n", error.text);
  assert_non_null(simulation);
  const carom_bed *bed = ((carom_grains *)simulation->state)->bed;
  double highest = 0.0;
  for (int i = 0; i < bed->n; i++) {
    double reach = bed->kind[i] ? 0.6 : 2.0, away = hypot(bed->x[0][i] - 2, bed->x[1][i] - 1);
    CHECK(away - reach >= 3 && away + reach <= 8);
    CHECK(bed->x[2][i] - reach >= -1);
    highest = fmax(highest, bed->x[2][i]);
    for (int j = 0; j < i; j++)
      CHECK(carom_bed_gap(bed, i, j) > 0.0);
  }
  // seven rods fit round the circle of radius 5.05, twelve to 35 balls round those of 3.65 to 7.55
  CHECK(highest < -1 + 0.1 + 6 * 4.1 + 1.3);
  // the width that is told is enough
  const carom_setting narrow = {"width", "4"}, told = {"width", "4.1"};
  carom_simulation_destroy(simulation);
  carom_model_destroy(model);
  assert_int_equal(carom_model_parse(WELL, "well.yaml", 1, &narrow, &model, &error), CAROM_OK);
  assert_int_equal(carom_simulation_create(model, &simulation, &error), CAROM_ERR_INPUT);
  assert_non_null(strstr(error.text, "the ring is 4 wide"));
  assert_non_null(strstr(error.text, "at least 4.1"));
  carom_model_destroy(model);
  assert_int_equal(carom_model_parse(WELL, "well.yaml", 1, &told, &model, &error), CAROM_OK);
  assert_int_equal(carom_simulation_create(model, &simulation, &error), CAROM_OK);
  carom_simulation_destroy(simulation);
  carom_model_destroy(model);
}

static double seen_after(const char *text, const char *name, int count,
                         const carom_setting *settings, double until) {
  carom_model *model = NULL;
  carom_simulation *simulation = NULL;
  carom_error error = {0};
  double value = NAN;
  if (carom_model_parse(text, "start.yaml", count, settings, &model, &error) ||
      carom_simulation_create(model, &simulation, &error) ||
      carom_simulation_advance(simulation, until, &error) ||
      carom_simulation_get(simulation, name, &value, &error))
    print_error("%s\n", error.text);
  carom_simulation_destroy(simulation);
  carom_model_destroy(model);
  return value;
}

// A ball that slides is slowed by mu g and rolls in the end: what it has about a point of the floor
// stays, so it keeps 5/7 of its speed and gets 2/7 of that of its surface.
static void test_start_in_motion(void **state) {
  (void)state;
  static const char *const ball = "engine: grains\n"
                                  "rods: {count: 1, diameter: 1, density: 1}\n"
                                  "gravity: 1\n"
                                  "periodic: {x: 50}\n"
                                  "contact: {stiffness: 1e6, restitution: 0.3, friction: 0.3}\n"
                                  "walls: {floor: {plane: [0, 0, 1]}}\n"
                                  "start: {as: row, tilt: 0, gap: 1e-6, velocity: [2, 0, 0]}\n"
                                  "run: {until: 8, step: 2e-4}\n";
  const carom_setting back = {"start.turn", "[0, -3, 0]"};
  CHECK_NEAR(seen_after(ball, "vx", 0, NULL, 1.0), 2.0 - 0.3, 1e-3);
  CHECK_NEAR(seen_after(ball, "vx", 0, NULL, 8.0), 10.0 / 7.0, 1e-3);
  CHECK_NEAR(seen_after(ball, "vx", 1, &back, 8.0), 10.0 / 7.0 - 3.0 / 7.0, 1e-3);

  static const char *const rod = "engine: grains\n"
                                 "rods: {count: 1, diameter: 1, length: 4, mass: 2, inertia: 3, "
                                 "spin_inertia: 0.5}\n"
                                 "gravity: 0\n"
                                 "periodic: {x: 50}\n"
                                 "contact: {stiffness: 1e6}\n"
                                 "start: {as: row, tilt: 0, velocity: [1, 2, 3], turn: [2, 0, 5]}\n"
                                 "run: {until: 1, step: 1e-3}\n";
  const carom_setting stiff = {"run.freedoms", "no spin"};
  CHECK_NEAR(seen_after(rod, "kinetic_y", 0, NULL, 0.0), 4.0, 1e-12);
  CHECK_NEAR(seen_after(rod, "rotation_energy", 0, NULL, 1.0), 6.0 + 6.25, 1e-9);
  CHECK_NEAR(seen_after(rod, "spin_energy", 0, NULL, 1.0), 6.25, 1e-9);
  CHECK_NEAR(seen_after(rod, "rotation_energy", 1, &stiff, 1.0), 6.0, 1e-9);
}

// each is refused at its place; the number after `told` is put into `form` and then it works
static void test_values_told_work(void **state) {
  (void)state;
  const struct {
    const char *path;
    carom_setting wrong;
    const char *told, *key, *form;
  } cases[] = {
      {NULL, {"run.step", "0.1"}, "between rods; ", "run.step", "%s"},
      {NULL, {"run.step", "1e-3"}, "with the wall 'floor'; ", "run.step", "%s"},
      {NULL, {"walls.left.at", "-1"}, "wall out: at ", "walls.left.at", "%s"},
      {NULL, {"walls.tube.cylinder", "3"}, "a radius of ", "walls.tube.cylinder", "%s"},
      {NULL, {"rods.0.diameter", "0"}, "positive, up to ", "rods.0.diameter", "%s"},
      {NULL, {"rods.0.length", "0"}, "at least the diameter, ", "rods.0.length", "%s"},
      {NULL, {"start.size", "[3, 10]"}, "at least ", "start.size", "[%s, 10]"},
      {SCENARIO("rods_pile"), {"periodic.y", "0.045"}, "the period, ", "start.size", "[%s, %s]"},
      {SCENARIO("rods_2d_r1"), {"start.tilt", "-1"}, "a tilt of ", "start.tilt", "%s"},
      {SCENARIO("rods_annulus"), {"start.tilt", "1"}, "a tilt of ", "start.tilt", "%s"},
      {SCENARIO("rods_annulus"), {"N", "60"}, "side by side; ", "N", "%s"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    carom_error error;
    carom_status status = try_settings(cases[k].path, 1, &cases[k].wrong, &error);
    if (!status) print_error("%s = %s passes\n", cases[k].wrong.path, cases[k].wrong.value);
    assert_int_equal(status, CAROM_ERR_INPUT);
    // the last place: a tilt that overlaps is told before one that works
    const char *at = strstr(error.text, cases[k].told);
    for (const char *next = at; next; next = strstr(next + 1, cases[k].told))
      at = next;
    if (!at || error.line == 0) print_error("line %d: %s\n", error.line, error.text);
    assert_true(at && error.line > 0);
    char number[32], value[80];
    (void)snprintf(number, sizeof number, "%.9g", strtod(at + strlen(cases[k].told), NULL));
    (void)snprintf(value, sizeof value, cases[k].form, number, number);
    const carom_setting both[] = {cases[k].wrong, {cases[k].key, value}};
    if (try_settings(cases[k].path, 2, both, &error))
      print_error("%s = %s: %s\n", cases[k].key, value, error.text);
    assert_int_equal(error.status, CAROM_OK);
  }
}

// bounds stay bounds when they are told by six digits
static void test_told_bounds_hold(void **state) {
  (void)state;
  CHECK_SAME(carom_told_least(12), 12);
  CHECK_SAME(carom_told_most(0.024), 0.024);
  CHECK_SAME(carom_told_least(0.1234561), 0.123457);
  CHECK_SAME(carom_told_most(0.1234569), 0.123456);
  for (uint64_t k = 0; k < 20000; k++) {
    double x = (k % 2 ? -1 : 1) * carom_exp(20 * carom_random_uniform(3, 1, k) - 10);
    const double told[] = {carom_told_least(x), carom_told_most(x)};
    CHECK(told[0] >= x && told[0] - x < 1.1e-5 * fabs(x));
    CHECK(told[1] <= x && x - told[1] < 1.1e-5 * fabs(x));
    for (int j = 0; j < 2; j++) {
      char text[32];
      (void)snprintf(text, sizeof text, "%g", told[j]);
      CHECK_SAME(atof(text), told[j]);
    }
  }
  // with the gap 4.1334521: 4.13345 would be too narrow
  carom_error error;
  const carom_setting set[] = {{"rods.0.length", "4.1234521"}, {"start.size", "[3, 10]"}};
  const carom_setting works[] = {set[0], {"start.size", "[4.13346, 10]"}};
  assert_int_equal(try_settings(NULL, 2, set, &error), CAROM_ERR_INPUT);
  assert_non_null(strstr(error.text, "at least 4.13346 "));
  assert_int_equal(try_settings(NULL, 2, works, &error), CAROM_OK);
}

// what is poured or laid in layers without a floor does not meet itself over the period along z;
// the period told works, and no shorter one
static void test_heaps_fit_into_their_period(void **state) {
  (void)state;
  const char *const starts[] = {"{as: poured, size: [10, 10]}", "{as: layers, size: [10, 10]}",
                                "{as: poured}"};
  for (int k = 0; k < 3; k++) {
    carom_error error;
    double need = 0;
    for (int round = 0; round < 3; round++) {
      char period[32];
      (void)snprintf(period, sizeof period, "%.9g",
                     round == 0 ? 10 : need * (round == 1 ? 1 : 0.95));
      const carom_setting set[] = {{"walls", "{tube: {cylinder: 12}}"},
                                   {"rods.0.count", "400"},
                                   {"start", starts[k]},
                                   {"periodic", "{}"},
                                   {"periodic.z", period}};
      carom_status status = try_settings(NULL, 5, set, &error);
      if (!status != (round == 1)) print_error("%s, %s: %s\n", starts[k], period, error.text);
      assert_int_equal(status, round == 1 ? CAROM_OK : CAROM_ERR_INPUT);
      const char *told = strstr(error.text, "at least ");
      if (round == 1) continue;
      assert_non_null(told);
      need = atof(told + strlen("at least "));
    }
  }
}

// nothing may push or pull out of the plane, and no wall may stand across a period unless walls
// keep rods from its ends or, about a post, rods have room
static void test_walls_fit_to_periods_and_plane(void **state) {
  (void)state;
  const struct {
    const char *path;
    carom_setting settings[3]; // the second and third may be left out
    const char *told;          // NULL: it works
  } cases[] = {
      {SCENARIO("rods_pile"), {{"run.freedoms", "plane"}}, "not as 'layers'"},
      {SCENARIO("rods_2d_r1"), {{"gravity", "[0, 0.1, -1]"}}, "its y is 0.1; 0 works"},
      {SCENARIO("rods_2d_r1"), {{"gravity", "[0.1, 0, -1]"}}, NULL},
      {SCENARIO("rods_2d_r1"), {{"walls.bottom.plane", "[0, 3, 4]"}}, "normal is 0.6; 0 works"},
      {SCENARIO("rods_2d_r1"), {{"walls.bottom.plane", "[0.1, 0, 1]"}}, "'bottom' stands across x"},
      {SCENARIO("rods_2d_r1"), {{"walls.bottom.plane", "[sin(pi), sin(2*pi), 1]"}}, NULL},
      {SCENARIO("rods_2d_r1"), {{"walls.end", "{plane: [1, 0, 0]}"}}, "between 0 and 43"},
      {SCENARIO("rods_2d_r1"), {{"walls.end", "{plane: [0, 0, -1], at: -60}"}}, NULL},
      {SCENARIO("rods_2d_r1"),
       {{"walls.end", "{plane: [1, 0, 0]}"},
        {"walls.other", "{plane: [-1, 0, 0], at: -L}"},
        {"start.tilt", "0"}},
       NULL},
      {SCENARIO("rods_2d_r1"),
       {{"walls.end", "{plane: [1, 0, 0], at: -1}"},
        {"walls.other", "{plane: [-1, 0, 0], at: -L}"}},
       "'end' stands across x"},
      {SCENARIO("rods_annulus"), {{"periodic.x", "100"}}, "the middle, 50, works"},
      {SCENARIO("rods_annulus"), {{"periodic.x", "20"}}, "at least 21.4646 works"},
      {SCENARIO("rods_annulus"), {{"periodic.z", "100"}}, "'bottom' stands across z"},
      {SCENARIO("rods_annulus"),
       {{"periodic.z", "100"}, {"walls.lid", "{plane: [0, 0, -1], at: -100}"}},
       "'bottom' stands across z"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    carom_error error;
    int count = 1;
    while (count < 3 && cases[k].settings[count].path)
      count++;
    carom_status status = try_settings(cases[k].path, count, cases[k].settings, &error);
    bool right = cases[k].told ? strstr(error.text, cases[k].told) != NULL : !status;
    if (!right) print_error("%s: %s\n", cases[k].settings[0].value, error.text);
    assert_true(right);
    assert_int_equal(status, cases[k].told ? CAROM_ERR_INPUT : CAROM_OK);
  }
}

// what is set on the command line is refused there, whatever the file has at that key
static void test_refused_where_set(void **state) {
  (void)state;
  const carom_setting wrong[] = {
      {"rods.0.count", "0"},
      {"rods.0.diameter", "-1"},
      {"rods.1.length", "0.1"},
      {"rods.1.density", "0"},
      {"rods.0.mass", "-1"},
      {"rods.0.inertia", "0"},
      {"rods.0.spin_inertia", "-1"},
      {"contact.stiffness", "0"},
      {"contact.tangential_stiffness", "-1"},
      {"contact.restitution", "1.5"},
      {"contact.speed", "0"},
      {"contact.friction", "-0.1"},
      {"periodic.z", "-1"},
      {"periodic.z", "2"},
      {"gravity", "1/0"},
      {"drive.z", "1/t"},
      {"drive.period", "-1"},
      {"start.gap", "-1"},
      {"start.spread", "-1"},
      {"start.velocity", "[0, 0]"},
      {"start.velocity", "[0, 0, 1/0]"},
      {"start.turn", "[0, 0, log(0)]"},
      {"start.seed", "1.5"},
      {"run.skin", "-1"},
      {"run.threads", "0"},
  };
  const char *const box = "engine: grains\n"
                          "rods:\n"
                          "  - {count: 2, diameter: 1, length: 4}\n"
                          "  - {count: 2, diameter: 1}\n"
                          "contact: {stiffness: 1e6}\n"
                          "walls: {floor: {plane: [0, 0, 1], driven: yes}}\n"
                          "start: {as: poured, size: [10, 10]}\n"
                          "run: {until: 1, step: 1e-4}\n";
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
    carom_model *model = NULL;
    carom_simulation *simulation = NULL;
    carom_error error = {0};
    carom_status status = carom_model_parse(box, "box.yaml", 1, &wrong[k], &model, &error);
    if (!status) status = carom_simulation_create(model, &simulation, &error);
    if (!status || !strstr(error.file, wrong[k].path))
      print_error("%s = %s: %s: %s\n", wrong[k].path, wrong[k].value, error.file, error.text);
    assert_int_equal(status, CAROM_ERR_INPUT);
    assert_non_null(strstr(error.file, wrong[k].path));
    carom_simulation_destroy(simulation);
    carom_model_destroy(model);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_contacts),
      cmocka_unit_test(test_surroundings),
      cmocka_unit_test(test_defaults),
      cmocka_unit_test(test_uniform_rods),
      cmocka_unit_test(test_poured_levels),
      cmocka_unit_test(test_poured_round),
      cmocka_unit_test(test_poured_spheres),
      cmocka_unit_test(test_start_in_motion),
      cmocka_unit_test(test_given_tilt),
      cmocka_unit_test(test_samples_and_windows),
      cmocka_unit_test(test_values_told_work),
      cmocka_unit_test(test_told_bounds_hold),
      cmocka_unit_test(test_heaps_fit_into_their_period),
      cmocka_unit_test(test_walls_fit_to_periods_and_plane),
      cmocka_unit_test(test_refused_where_set),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
