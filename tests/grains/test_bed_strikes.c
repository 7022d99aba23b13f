// SPDX-License-Identifier: MIT
// What is counted of collisions with a shaken floor, beside what one sees who watches every step:
// phases, flights, velocities before and after. And tilts along a ring.
#include "carom/carom.h"
#include "grains/bed_setup.h"
#include "grains/grains.h"

static const double PI = 3.14159265358979323846, PERIOD = 0.7, TOP = 0.05;

static void shake(void *ctx, double t, double *z, double *rate) {
  (void)ctx;
  *z = TOP * sin(2 * PI * t / PERIOD);
  *rate = TOP * 2 * PI / PERIOD * cos(2 * PI * t / PERIOD);
}

/// Collisions as they are seen from outside.
typedef struct watcher {
  long begun, ended, phases[CAROM_BED_PHASES], lengths[CAROM_BED_FLIGHTS], flights;
  double plate, flight, before, after, released[8];
} watcher;

static void watch(const carom_bed *bed, const bool was[8], watcher *sums) {
  double t = carom_bed_time(bed);
  for (int id = 0; id < bed->n; id++) {
    int i = bed->order.place[id];
    bool is = bed->striking.touching[i] > 0;
    if (is && !was[id]) {
      double phase = fmod(t, PERIOD) / PERIOD, flight = t - sums->released[id];
      sums->begun++;
      sums->phases[(int)(phase * CAROM_BED_PHASES)]++;
      sums->plate += bed->wall.rate;
      sums->before += bed->seen[i][8];
      if (sums->released[id] > 0) {
        int halves = (int)(2 * flight / PERIOD);
        sums->flights++;
        sums->flight += flight;
        sums->lengths[halves < CAROM_BED_FLIGHTS ? halves : CAROM_BED_FLIGHTS - 1]++;
      }
    }
    if (!is && was[id]) {
      sums->ended++;
      sums->after += bed->seen[i][8];
      sums->released[id] = t;
    }
  }
}

static void test_watched(void **state) {
  (void)state;
  carom_bed_settings set = paper_settings(1, 5, 4, 0.3);
  carom_arena *arena;
  watcher sums = {0};
  set.drive = shake;
  set.period = PERIOD;
  set.walls[0].driven = set.walls[0].strikes = true;
  set.leapfrog = false;
  carom_bed *bed = new_bed(&arena, &set);
  for (int i = 0; i < bed->n; i++) {
    bed->x[0][i] = 5 * i;
    bed->u[0][i] = sin(0.2 * i), bed->u[2][i] = cos(0.2 * i);
    bed->x[2][i] = 2.2 + 0.13 * i;
  }
  begin(bed);
  for (long k = 0; k < 800000; k++) {
    bool was[8];
    for (int id = 0; id < bed->n; id++)
      was[id] = bed->striking.touching[bed->order.place[id]] > 0;
    advance(bed, 1);
    watch(bed, was, &sums);
  }
  const carom_strike_sums *told = &bed->striking.strikes;
  CHECK(sums.begun > 30 && sums.flights > 20);
  assert_int_equal(told->begun, sums.begun);
  assert_int_equal(told->count, sums.ended);
  assert_int_equal(told->flights, sums.flights);
  for (int k = 0; k < CAROM_BED_PHASES; k++)
    assert_int_equal(told->phases[k], sums.phases[k]);
  for (int k = 0; k < CAROM_BED_FLIGHTS; k++)
    assert_int_equal(told->lengths[k], sums.lengths[k]);
  CHECK_NEAR(told->plate, sums.plate, 1e-9);
  CHECK_NEAR(told->flight, sums.flight, 1e-9);
  CHECK_NEAR(told->before[1], sums.before, 1e-9);
  CHECK_NEAR(told->after[1], sums.after, 1e-9);
  carom_arena_destroy(arena);
}

static double get(carom_simulation *simulation, const char *name) {
  double value = NAN;
  assert_int_equal(carom_simulation_get(simulation, name, &value, NULL), CAROM_OK);
  return value;
}

// every rod of a sector gets the tilt of the sector
static void test_tilt_along_the_ring(void **state) {
  (void)state;
  carom_model *model = NULL;
  carom_simulation *simulation = NULL;
  assert_int_equal(
      carom_model_load(CAROM_SOURCE_DIR "/scenarios/rods_annulus.yaml", 0, NULL, &model, NULL),
      CAROM_OK);
  assert_int_equal(carom_simulation_create(model, &simulation, NULL), CAROM_OK);
  const carom_bed *bed = ((const carom_grains *)simulation->state)->bed;
  for (int i = 0; i < bed->n; i++) {
    double angle = atan2(bed->x[1][i], bed->x[0][i]);
    double tilt = 0.02 * (1 + floor((angle < 0 ? angle + 2 * PI : angle) * 12 / (2 * PI)));
    bed->u[0][i] = -sin(angle) * sin(tilt), bed->u[1][i] = cos(angle) * sin(tilt);
    bed->u[2][i] = i % 2 ? cos(tilt) : -cos(tilt); // an axis has no direction
  }
  for (int k = 1; k <= 12; k++) {
    char name[32];
    (void)snprintf(name, sizeof name, "ring_%d", k);
    CHECK_NEAR(get(simulation, name), 0.02 * k, 1e-9);
  }
  // ten degrees are 0.1745: sectors 1 to 8 are below
  double below = 0;
  for (int i = 0; i < bed->n; i++)
    below += acos(fabs(bed->u[2][i])) < PI / 18;
  CHECK_NEAR(get(simulation, "tilt_1"), below / bed->n, 1e-12);
  CHECK(below > 0 && below < bed->n);
  carom_simulation_destroy(simulation);
  carom_model_destroy(model);
}

// A floor that follows a recorded motion: a ramp of 0.01 over a second lifts what lies on it.
static void test_table_drive(void **state) {
  (void)state;
  static const char *const text = "engine: grains\n"
                                  "rods: {count: 2, diameter: 1, length: 3, density: 1}\n"
                                  "gravity: 1\n"
                                  "contact: {stiffness: 1e5, damping: 100, friction: 0.3}\n"
                                  "walls: {floor: {plane: [0, 0, 1], driven: yes}}\n"
                                  "drive: {z: 'table(\"ramp.csv\", t)'}\n"
                                  "start: {as: layers, size: [4, 4], gap: 1e-4}\n"
                                  "run: {until: 8, step: 1e-3}\n";
  carom_model *model = NULL;
  carom_simulation *simulation = NULL;
  carom_error error = {0};
  if (carom_model_parse(text, CAROM_SOURCE_DIR "/tests/hybrid/lift.yaml", 0, NULL, &model, &error))
    print_error("%s\n", error.text);
  assert_non_null(model);
  assert_int_equal(carom_simulation_create(model, &simulation, NULL), CAROM_OK);
  double start = get(simulation, "z");
  assert_int_equal(carom_simulation_advance(simulation, 0.5, NULL), CAROM_OK);
  CHECK_NEAR(get(simulation, "plate"), 0.005, 1e-9);
  assert_int_equal(carom_simulation_advance(simulation, 8, NULL), CAROM_OK);
  CHECK_NEAR(get(simulation, "plate"), 0.01, 1e-12);
  // what is missing is the free space of the start and how far the rods sink in
  CHECK_NEAR(get(simulation, "z") - start, 0.01, 2e-3);
  CHECK(get(simulation, "z") - start < 0.01);
  CHECK_NEAR(get(simulation, "vz"), 0, 1e-6);
  carom_simulation_destroy(simulation);
  carom_model_destroy(model);
}

// a contact that opens as neighbours are looked for is still seen to open: strikes and flights of a
// ball that is searched for in every step
static carom_strike_sums bounce(double skin, long *searches) {
  carom_bed_settings set = paper_settings(1, 1, 1, 0.0);
  set.skin = skin;
  set.walls[0].strikes = true;
  carom_arena *arena;
  carom_bed *bed = new_bed(&arena, &set);
  bed->x[2][0] = 0.51;
  bed->v[0][0] = 10.0;
  begin(bed);
  advance(bed, 40000);
  carom_strike_sums out = bed->striking.strikes;
  *searches = bed->counts.searches;
  carom_arena_destroy(arena);
  return out;
}

static void test_strikes_through_searches(void **state) {
  (void)state;
  long few, many;
  carom_strike_sums rare = bounce(1.0, &few), often = bounce(1e-4, &many);
  CHECK(many > 39000 && few < 100 && rare.count > 2 && rare.flights > 1);
  assert_int_equal(often.begun, rare.begun);
  assert_int_equal(often.count, rare.count);
  assert_int_equal(often.flights, rare.flights);
  CHECK_SAME(often.after[1], rare.after[1]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_watched), cmocka_unit_test(test_tilt_along_the_ring),
      cmocka_unit_test(test_table_drive), cmocka_unit_test(test_strikes_through_searches)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
