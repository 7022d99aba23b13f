// SPDX-License-Identifier: MIT
// What is told of a bed, beside the same from the definitions: rods put anywhere by hand, contacts
// at rest whose forces are known, sums of strikes made up.
#include "bed_setup.h"
#include "carom/carom.h"
#include "grains/grains.h"

#include <stdio.h>

static const double PI = 3.14159265358979323846;

static carom_simulation *make(const char *text, carom_model **model) {
  carom_simulation *simulation = NULL;
  carom_error error = {0};
  if (carom_model_parse(text, "look.yaml", 0, NULL, model, &error)) print_error("%s\n", error.text);
  assert_non_null(*model);
  if (carom_simulation_create(*model, &simulation, &error)) print_error("%s\n", error.text);
  assert_non_null(simulation);
  return simulation;
}

static carom_bed *bed_of(carom_simulation *simulation) {
  return ((carom_grains *)simulation->state)->bed;
}

static double get(carom_simulation *simulation, const char *name) {
  double value = NAN;
  assert_int_equal(carom_simulation_get(simulation, name, &value, NULL), CAROM_OK);
  return value;
}

static double get_part(carom_simulation *simulation, const char *name, int k) {
  char whole[32];
  (void)snprintf(whole, sizeof whole, "%s_%d", name, k);
  return get(simulation, whole);
}

static const char *const LOOSE = "engine: grains\n"
                                 "rods:\n"
                                 "  - {count: 5, diameter: 1, length: 4, density: 1}\n"
                                 "  - {count: 4, diameter: 0.8, density: 2}\n"
                                 "periodic: {z: 50}\n"
                                 "contact: {stiffness: 1e5}\n"
                                 "walls: {tube: {cylinder: 15, centre: [1, -2]}}\n"
                                 "start: {as: poured, size: [10, 10]}\n"
                                 "run: {until: 1, step: 1e-3}\n";

// anywhere, moving and turning anyhow, some of them periods away
static void scatter(carom_bed *bed) {
  uint64_t k = 0;
  for (int i = 0; i < bed->n; i++) {
    double size = 0;
    for (int c = 0; c < 3; c++) {
      bed->x[c][i] = uniform(8, k++, -4, 4), bed->v[c][i] = uniform(8, k++, -1, 1);
      bed->u[c][i] = uniform(8, k++, -1, 1), bed->w[c][i] = uniform(8, k++, -1, 1);
      bed->order.image[c][i] = bed->settings->periodic[c] > 0 ? i % 3 - 1 : 0;
      size += bed->u[c][i] * bed->u[c][i];
    }
    for (int c = 0; c < 3; c++)
      bed->u[c][i] /= sqrt(size);
  }
}

/// Sums over the rods.
typedef struct sums {
  double x[3], v[3], swirl, tilt, lean, along[3], turning, spinning;
} sums;

static void add_rod(const carom_bed *bed, int i, sums *all) {
  const carom_bed_species *kind = &bed->settings->species[bed->kind[i]];
  double r[2] = {bed->x[0][i] - 1, bed->x[1][i] + 2}, spin = 0, w2 = 0;
  double side = bed->u[2][i] < 0 ? -1 : 1;
  for (int c = 0; c < 3; c++) {
    all->x[c] += bed->x[c][i] + bed->settings->periodic[c] * bed->order.image[c][i];
    all->v[c] += bed->v[c][i];
    all->along[c] += 0.5 * kind->mass * bed->v[c][i] * bed->v[c][i];
    spin += bed->w[c][i] * bed->u[c][i];
    w2 += bed->w[c][i] * bed->w[c][i];
  }
  all->swirl += (r[0] * bed->v[1][i] - r[1] * bed->v[0][i]) / hypot(r[0], r[1]);
  all->tilt += acos(fabs(bed->u[2][i]));
  all->lean += atan2(side * bed->u[0][i], side * bed->u[2][i]);
  all->spinning += 0.5 * kind->along * spin * spin;
  all->turning += 0.5 * kind->across * (w2 - spin * spin) + 0.5 * kind->along * spin * spin;
}

static void test_motion(void **state) {
  (void)state;
  carom_model *model = NULL;
  carom_simulation *simulation = make(LOOSE, &model);
  carom_bed *bed = bed_of(simulation);
  scatter(bed);
  sums all = {0};
  for (int i = 0; i < bed->n; i++)
    add_rod(bed, i, &all);
  const char *const where[] = {"x", "y", "z"}, *const speed[] = {"vx", "vy", "vz"};
  const char *const energy[] = {"kinetic_x", "kinetic_y", "kinetic_z"};
  for (int c = 0; c < 3; c++) {
    CHECK_NEAR(get(simulation, where[c]), all.x[c] / bed->n, 1e-12);
    CHECK_NEAR(get(simulation, speed[c]), all.v[c] / bed->n, 1e-12);
    CHECK_NEAR(get(simulation, energy[c]), all.along[c], 1e-12);
  }
  CHECK_NEAR(get(simulation, "swirl"), all.swirl / bed->n, 1e-12);
  CHECK_NEAR(get(simulation, "mean_tilt"), all.tilt / bed->n, 1e-12);
  CHECK_NEAR(get(simulation, "mean_lean"), all.lean / bed->n, 1e-12);
  CHECK_NEAR(get(simulation, "rotation_energy"), all.turning, 1e-12);
  CHECK_NEAR(get(simulation, "spin_energy"), all.spinning, 1e-12);
  CHECK(all.spinning > 0.01 * all.turning);
  carom_simulation_destroy(simulation);
  carom_model_destroy(model);
}

static double get_of(carom_simulation *simulation, const char *name, int kind) {
  char whole[48];
  (void)snprintf(whole, sizeof whole, "%s_kind%d", name, kind + 1);
  return get(simulation, whole);
}

// of every kind alone, whatever the order in memory
static void test_kinds(void **state) {
  (void)state;
  carom_model *model = NULL;
  carom_simulation *simulation = make(LOOSE, &model);
  carom_bed *bed = bed_of(simulation);
  scatter(bed);
  const char *const where[] = {"x", "y", "z"}, *const speed[] = {"vx", "vy", "vz"};
  for (int kind = 0; kind < 2; kind++) {
    sums own = {0};
    int many = kind ? 4 : 5;
    for (int i = 0; i < bed->n; i++)
      if (bed->kind[i] == kind) add_rod(bed, i, &own);
    for (int c = 0; c < 3; c++) {
      CHECK_NEAR(get_of(simulation, where[c], kind), own.x[c] / many, 1e-12);
      CHECK_NEAR(get_of(simulation, speed[c], kind), own.v[c] / many, 1e-12);
    }
    CHECK_NEAR(get_of(simulation, "swirl", kind), own.swirl / many, 1e-12);
    CHECK_NEAR(get_of(simulation, "mean_tilt", kind), own.tilt / many, 1e-12);
    CHECK_NEAR(get_of(simulation, "mean_lean", kind), own.lean / many, 1e-12);
    CHECK_NEAR(get_of(simulation, "rotation_energy", kind), own.turning, 1e-12);
    double kinetic = own.along[0] + own.along[1] + own.along[2] + own.turning;
    CHECK_NEAR(get_of(simulation, "kinetic", kind), kinetic, 1e-12);
  }
  carom_simulation_destroy(simulation);
  carom_model_destroy(model);
}

// A gas without friction in a periodic box: the momentum of a mix is that of its kinds.
static void test_momentum(void **state) {
  (void)state;
  carom_model *model = NULL;
  carom_simulation *simulation =
      make("engine: grains\n"
           "rods:\n"
           "  - {name: heavy, count: 6, diameter: 1, length: 3, mass: 5}\n"
           "  - {name: light, count: 12, diameter: 1, mass: 1}\n"
           "gravity: 0\n"
           "periodic: {x: 12, y: 12, z: 20}\n"
           "contact: {stiffness: 1e4, restitution: 0.8, friction: 0.3}\n"
           "start: {as: poured, size: [12, 12], spread: 2}\n"
           "run: {until: 20, step: 1e-3, sample: 0.1}\n"
           "observe:\n"
           "  changes: max(30*vx_heavy + 12*vx_light) - min(30*vx_heavy + 12*vx_light)\n"
           "  exchanged: max(vx_heavy) - min(vx_heavy)\n"
           "  parts: kinetic_heavy + kinetic_light\n"
           "  path: last(x_heavy) - mean_rate(x_heavy)*20\n",
           &model);
  double at_start = get(simulation, "x_heavy");
  assert_int_equal(carom_simulation_run(simulation, NULL), CAROM_OK);
  CHECK(get(simulation, "exchanged") > 0.1);
  CHECK(get(simulation, "changes") < 1e-11);
  CHECK_NEAR(get(simulation, "parts"), get(simulation, "kinetic"), 1e-12);
  CHECK_NEAR(get(simulation, "path"), at_start, 1e-9);
  carom_simulation_destroy(simulation);
  carom_model_destroy(model);
}

// sectors of the way round are those about the axis of the walls; the tip is the lower end
static void test_places(void **state) {
  (void)state;
  carom_model *model = NULL;
  carom_simulation *simulation = make(LOOSE, &model);
  carom_bed *bed = bed_of(simulation);
  scatter(bed);
  double tilts[12] = {0}, tip[3];
  int many[12] = {0}, first = bed->order.place[0];
  for (int i = 0; i < bed->n; i++) {
    double angle = atan2(bed->x[1][i] + 2, bed->x[0][i] - 1);
    int sector = (int)floor((angle < 0 ? angle + 2 * PI : angle) * 6 / PI);
    tilts[sector] += acos(fabs(bed->u[2][i]));
    many[sector]++;
  }
  for (int k = 0; k < 12; k++)
    CHECK_NEAR(get_part(simulation, "ring", k + 1), many[k] ? tilts[k] / many[k] : 0, 1e-12);
  double down = bed->u[2][first] < 0 ? 1.5 : -1.5; // half of 4 less the cap
  for (int c = 0; c < 3; c++)
    tip[c] = bed->x[c][first] + bed->settings->periodic[c] * bed->order.image[c][first] +
             down * bed->u[c][first];
  CHECK_NEAR(get(simulation, "tip_x"), tip[0], 1e-12);
  CHECK_NEAR(get(simulation, "tip_z"), tip[2] - 0.5, 1e-12);
  carom_simulation_destroy(simulation);
  carom_model_destroy(model);
}

// where rods are counts whole periods
static void test_periods(void **state) {
  (void)state;
  static const char *const text = "engine: grains\n"
                                  "rods: {count: 3, diameter: 1, length: 4, density: 1}\n"
                                  "periodic: {x: 40, y: 30, z: 50}\n"
                                  "contact: {stiffness: 1e5}\n"
                                  "start: {as: poured, size: [10, 10]}\n"
                                  "run: {until: 1, step: 1e-3}\n";
  carom_model *model = NULL;
  carom_simulation *simulation = make(text, &model);
  carom_bed *bed = bed_of(simulation);
  double x = get(simulation, "x"), y = get(simulation, "y"), tip = get(simulation, "tip_x");
  double potential = get(simulation, "potential");
  bed->order.image[0][bed->order.place[0]] += 2, bed->order.image[1][bed->order.place[1]] -= 1;
  CHECK_NEAR(get(simulation, "x"), x + 80.0 / 3, 1e-12);
  CHECK_NEAR(get(simulation, "y"), y - 10, 1e-12);
  CHECK_NEAR(get(simulation, "tip_x"), tip + 80, 1e-12);
  CHECK_NEAR(get(simulation, "potential"), potential, 1e-9);
  bed->order.image[2][bed->order.place[2]] += 1;
  double mass = bed->settings->species[0].mass;
  CHECK_NEAR(get(simulation, "potential"), potential + mass * 9.81 * 50, 1e-9);
  carom_simulation_destroy(simulation);
  carom_model_destroy(model);
}

// A sphere that cannot roll rests on a slope, then two on top of each other: springs hold what
// statics says. Hertz: depth (F/k)^(2/3), energy 2/5 k depth^(5/2); a tangential spring of
// stiffness k_t sqrt(depth) with the force F holds F^2/(2 k_t sqrt(depth)).
static void test_contacts(void **state) {
  (void)state;
  static const char *const text =
      "engine: grains\n"
      "parameters: {slope: 0.2, N: 1}\n"
      "rods: {count: N, diameter: 1, mass: 1, inertia: 1e6, spin_inertia: 1e6}\n"
      "gravity: [slope, 0, -1]\n"
      "contact: {stiffness: 1e5, tangential_stiffness: 3e4, damping: 200, friction: 0.5}\n"
      "walls: {floor: {plane: [0, 0, 1]}}\n"
      "start: {as: poured, size: [1.1, 1.1], gap: 1e-4}\n"
      "run: {until: 20, step: 1e-3}\n";
  carom_model *model = NULL;
  carom_simulation *simulation = make(text, &model);
  assert_int_equal(carom_simulation_run(simulation, NULL), CAROM_OK);
  double depth = pow(1e-5, 2.0 / 3);
  CHECK_RELATIVE(get(simulation, "spring_energy"), 0.4e5 * pow(depth, 2.5), 1e-3);
  CHECK_RELATIVE(get(simulation, "shear_energy"), 0.5 * 0.04 / (3e4 * sqrt(depth)), 1e-3);
  CHECK_SAME(get(simulation, "wall_contacts"), 1);
  CHECK_SAME(get(simulation, "rod_contacts"), 0);
  // two on a level floor: one contact of each sort for both
  assert_int_equal(carom_simulation_set(simulation, "slope", 0, NULL), CAROM_OK);
  assert_int_equal(carom_simulation_set(simulation, "N", 2, NULL), CAROM_OK);
  assert_int_equal(carom_simulation_run(simulation, NULL), CAROM_OK);
  double below = pow(2e-5, 2.0 / 3);
  CHECK_RELATIVE(get(simulation, "spring_energy"), 0.4e5 * (pow(depth, 2.5) + pow(below, 2.5)),
                 1e-3);
  CHECK_SAME(get(simulation, "wall_contacts"), 0.5);
  CHECK_SAME(get(simulation, "rod_contacts"), 0.5);
  carom_simulation_destroy(simulation);
  carom_model_destroy(model);
}

// sums of strikes become means, over those that began or those that ended, and shares
static void test_strikes(void **state) {
  (void)state;
  carom_model *model = NULL;
  carom_simulation *simulation = make(LOOSE, &model);
  carom_strike_sums *s = &bed_of(simulation)->striking.strikes;
  *s = (carom_strike_sums){.count = 8,
                           .begun = 10,
                           .flights = 5,
                           .before = {1, -2, 3},
                           .after = {4, 5, -6},
                           .plate = 7,
                           .flight = 9};
  for (int k = 0; k < CAROM_BED_PHASES; k++)
    s->phases[k] = 3 * k;
  for (int k = 0; k < CAROM_BED_FLIGHTS; k++)
    s->lengths[k] = k;
  const struct {
    const char *name;
    double value;
  } all[] = {{"strikes", 8},
             {"strike_plate", 0.7},
             {"strike_flight", 1.8},
             {"strike_vx_before", 0.1},
             {"strike_vz_before", -0.2},
             {"strike_turn_before", 0.3},
             {"strike_vx_after", 0.5},
             {"strike_vz_after", 0.625},
             {"strike_turn_after", -0.75}};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++)
    CHECK_NEAR(get(simulation, all[k].name), all[k].value, 1e-14);
  for (int k = 1; k <= 12; k++)
    CHECK_NEAR(get_part(simulation, "phase", k), (3 * (2 * k - 2) + 3 * (2 * k - 1)) / 10.0, 1e-14);
  for (int k = 1; k <= 8; k++)
    CHECK_NEAR(get_part(simulation, "flights", k), (k - 1) / 5.0, 1e-14);
  carom_simulation_destroy(simulation);
  carom_model_destroy(model);
}

// ---- pictures

static int compare_scene(void *ctx, const carom_simulation *simulation, double t, int count,
                         const double *values) {
  carom_scene *scene = ctx;
  const carom_grains *it = simulation->state;
  const carom_bed *bed = it->bed;
  assert_int_equal(carom_scene_look(scene, t, count, values, NULL), CAROM_OK);
  int numbers = 0;
  const double *at = carom_scene_numbers(scene, &numbers);
  assert_int_equal(numbers, 6 * bed->n + 6);
  for (int id = 0; id < bed->n; id++, at += 6) {
    int i = bed->order.place[id];
    double along = 0;
    for (int c = 0; c < 3; c++) {
      CHECK_SAME(at[c], bed->x[c][i]);
      along += at[3 + c] * bed->u[c][i];
    }
    CHECK_NEAR(along, 1, 1e-12);
  }
  // the plane moves with the drive, 0.1 t; its normal is (0, 0.6, 0.8)
  CHECK_NEAR(0.6 * at[1] + 0.8 * (at[2] - 0.1 * t), -9, 1e-9);
  CHECK_NEAR(at[4], 0.6, 1e-12);
  CHECK_NEAR(at[5], 0.8, 1e-12);
  return 0;
}

// rods of two kinds, a driven plane and a tube as recorders and viewers see them
static void test_scene(void **state) {
  (void)state;
  static const char *const text = "engine: grains\n"
                                  "rods:\n"
                                  "  - {count: 2, diameter: 1, length: 4, density: 1}\n"
                                  "  - {count: 2, diameter: 0.8, density: 2}\n"
                                  "contact: {stiffness: 1e5}\n"
                                  "walls:\n"
                                  "  floor: {plane: [0, 3, 4], at: -9, driven: yes}\n"
                                  "  tube: {cylinder: 15, centre: [1, -2]}\n"
                                  "drive: 0.1*t\n"
                                  "start: {as: poured, size: [10, 10], spread: 1}\n"
                                  "run: {until: 0.5, step: 1e-3}\n";
  carom_model *model = NULL;
  carom_simulation *simulation = make(text, &model);
  carom_scene *scene = NULL;
  assert_int_equal(carom_scene_create(simulation, &scene, NULL), CAROM_OK);
  assert_int_equal(carom_scene_parts(scene), 6);
  int count = 0;
  const double *fixed = carom_scene_fixed(scene, &count);
  assert_int_equal(count, 4 * 2 + 3);
  const double sizes[4][2] = {{1.5, 0.5}, {1.5, 0.5}, {0, 0.4}, {0, 0.4}}, tube[3] = {1, -2, 15};
  for (int k = 0; k < 4; k++) {
    const carom_part *part = carom_scene_part(scene, k);
    assert_int_equal(part->kind, CAROM_PART_ROD);
    CHECK_NEAR(fixed[part->fixed_first], sizes[k][0], 1e-15);
    CHECK_NEAR(fixed[part->fixed_first + 1], sizes[k][1], 1e-15);
  }
  assert_int_equal(carom_scene_part(scene, 4)->kind, CAROM_PART_PLANE);
  assert_int_equal(carom_scene_part(scene, 5)->kind, CAROM_PART_TUBE);
  for (int c = 0; c < 3; c++)
    CHECK_SAME(fixed[carom_scene_part(scene, 5)->fixed_first + c], tube[c]);
  carom_observer observer = {.ctx = scene, .sample = compare_scene};
  carom_simulation_observe(simulation, &observer);
  assert_int_equal(carom_simulation_advance(simulation, 0.5, NULL), CAROM_OK);
  carom_scene_destroy(scene);
  carom_simulation_destroy(simulation);
  carom_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_motion),   cmocka_unit_test(test_kinds),
      cmocka_unit_test(test_momentum), cmocka_unit_test(test_places),
      cmocka_unit_test(test_periods),  cmocka_unit_test(test_contacts),
      cmocka_unit_test(test_strikes),  cmocka_unit_test(test_scene),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
