// SPDX-License-Identifier: MIT
// The rods of the end of a run as a table, and the bed that starts from it: the same to the bit,
// and it moves on as if it had not been interrupted where nothing else is remembered.
#define _POSIX_C_SOURCE 200809L
#include "carom/record.h"
#include "folder.h"

#include <sys/stat.h>

#define BED                                                                                        \
  "parameters: {side: 0.03, Gamma: 0, f: 25, mu: 0.4}\n"                                           \
  "engine: grains\n"                                                                               \
  "rods:\n"                                                                                        \
  "  - {name: sticks, count: 8, diameter: 2e-3, length: 9e-3}\n"                                   \
  "  - {name: balls, count: 12, diameter: 3e-3}\n"                                                 \
  "contact: {stiffness: 1e6, restitution: 0.3, speed: 0.1, friction: mu}\n"                        \
  "walls: {floor: {plane: [0, 0, 1], driven: yes}, front: {plane: [0, 1, 0], at: -side/2},\n"      \
  "  back: {plane: [0, -1, 0], at: -side/2}}\n"                                                    \
  "periodic: {x: side}\n"                                                                          \
  "drive: {z: Gamma*9.81/(2*pi*f)^2*sin(2*pi*f*t), period: 1/f}\n"

static void put_file(const char *name, const char *first, const char *second) {
  FILE *out = fopen(name, "wb");
  CHECK(out && fputs(first, out) >= 0 && fputs(second, out) >= 0);
  CHECK(fclose(out) == 0);
}

typedef struct bed {
  carom_model *model;
  carom_simulation *simulation;
} bed;

static bed load(const char *path, int count, const carom_setting *settings) {
  bed it = {0};
  carom_error error = {0};
  if (carom_model_load(path, count, settings, &it.model, &error) ||
      carom_simulation_create(it.model, &it.simulation, &error))
    fail_msg("%s:%d: %s", error.file, error.line, error.text);
  return it;
}

static void unload(bed *it) {
  carom_simulation_destroy(it->simulation);
  carom_model_destroy(it->model);
}

static void advance(bed *it, double t) {
  carom_error error = {0};
  if (carom_simulation_advance(it->simulation, t, &error)) fail_msg("%s", error.text);
}

// the tables of a bed that is moved on to t
static void record(bed *it, const char *folder, double t) {
  carom_record_options options = carom_record_options_default();
  carom_recorder *recorder;
  carom_error error = {0};
  options.folder = folder;
  CHECK(carom_recorder_open(it->simulation, &options, &recorder, &error) == CAROM_OK);
  if (t > 0.0) advance(it, t);
  CHECK(carom_recorder_close(recorder, it->simulation, "complete", &error) == CAROM_OK);
}

static double get(const bed *it, const char *name) {
  double value = NAN;
  CHECK(carom_simulation_get(it->simulation, name, &value, NULL) == CAROM_OK);
  return value;
}

// how far two beds are apart, in each component of places, axes, velocities, angular velocities
static void check_rods(const bed *a, const bed *b, double tolerance) {
  carom_body_motion one, other;
  int k = 0;
  for (; carom_simulation_body(a->simulation, k, &one); k++) {
    CHECK(carom_simulation_body(b->simulation, k, &other));
    CHECK(one.kind == other.kind && strcmp(one.name, other.name) == 0);
    for (int c = 0; c < 3; c++) {
      CHECK_NEAR(one.x[c], other.x[c], tolerance * 1e-3);
      CHECK_NEAR(one.u[c], other.u[c], tolerance);
      CHECK_NEAR(one.v[c], other.v[c], tolerance);
      CHECK_NEAR(one.w[c], other.w[c], tolerance * 1e3);
    }
  }
  CHECK(k == 20 && !carom_simulation_body(b->simulation, k, &other));
}

static char *read_text(const char *path, size_t *size) {
  struct stat info = {0};
  FILE *in = fopen(path, "rb");
  CHECK(in && stat(path, &info) == 0 && info.st_size > 0);
  char *text = malloc((size_t)info.st_size + 1);
  assert_non_null(text);
  *size = fread(text, 1, (size_t)info.st_size, in);
  text[*size] = '\0';
  CHECK(fclose(in) == 0);
  return text;
}

static void check_same_files(const char *a, const char *b) {
  size_t one, other;
  char *first = read_text(a, &one), *second = read_text(b, &other);
  CHECK(one == other && memcmp(first, second, one) == 0);
  free(first);
  free(second);
}

#define POURED "start: {as: poured, size: [side, side], spread: 0.1, turn: [30, 20, 10]}\n"
#define TABLE "start: {as: table, table: end/rods.csv}\n"
#define RUN "run: {until: 1, step: 1e-5}\n"

// to the last bit, also of what rounding has done to axes, spins and places at the end of a period
static void test_round_trip(void **state) {
  (void)state;
  static const char *const runs[] = {
      RUN, "run: {until: 1, step: 1e-5, freedoms: no spin, integrator: leapfrog}\n"};
  for (int k = 0; k < 2; k++) {
    put_file("pour.yaml", BED POURED, runs[k]);
    put_file("again.yaml", BED TABLE, runs[k]);
    bed a = load("pour.yaml", 0, NULL);
    record(&a, "end", 0.06);
    bed b = load("again.yaml", 0, NULL);
    check_rods(&a, &b, 0.0);
    CHECK(get(&a, "kinetic") > 1e-6 && get(&a, "spring_energy") > 1e-10);
    CHECK_RELATIVE(get(&b, "kinetic"), get(&a, "kinetic"), 1e-13);
    CHECK_RELATIVE(get(&b, "potential"), get(&a, "potential"), 1e-13);
    CHECK_RELATIVE(get(&b, "spring_energy"), get(&a, "spring_energy"), 1e-13);
    record(&b, "back", 0.0);
    check_same_files("end/rods.csv", "back/rods.csv");
    unload(&a);
    unload(&b);
  }
}

// a row in the plane
static void test_plane(void **state) {
  (void)state;
  static const char row[] = "engine: grains\n"
                            "rods: {count: 20, diameter: 1e-3, length: 8e-3}\n"
                            "contact: {stiffness: 1e6, friction: 0.4}\n"
                            "periodic: {x: 40e-3}\n"
                            "walls: {floor: {plane: [0, 0, 1]}}\n"
                            "run: {until: 1, step: 1e-5, freedoms: plane}\n";
  put_file("pour.yaml", row, "start: {as: row, spread: 0.05, velocity: [0.3, 0, 0]}\n");
  put_file("again.yaml", row, "start: {as: table, table: end/rods.csv}\n");
  bed a = load("pour.yaml", 0, NULL);
  record(&a, "end", 0.1);
  bed b = load("again.yaml", 0, NULL);
  check_rods(&a, &b, 0.0);
  CHECK(get(&a, "rotation_energy") > 1e-9);
  CHECK_RELATIVE(get(&b, "kinetic"), get(&a, "kinetic"), 1e-13);
  unload(&a);
  unload(&b);
}

// without friction and damping forces are of places alone: the motion is one, to rounding
static void test_goes_on(void **state) {
  (void)state;
  put_file("pour.yaml", BED POURED, RUN);
  put_file("again.yaml", BED TABLE, RUN);
  const carom_setting later[] = {
      {"mu", "0"}, {"contact.restitution", "1"}, {"Gamma", "2"}, {"run.start", "0.04"}};
  bed a = load("pour.yaml", 3, later);
  record(&a, "end", 0.04);
  double before = get(&a, "vz");
  bed b = load("again.yaml", 4, later);
  advance(&a, 0.07);
  advance(&b, 0.07);
  check_rods(&a, &b, 1e-7);
  CHECK(get(&a, "vz") - before > 0.03 * -9.81 + 0.02); // rods were struck from below
  unload(&a);
  unload(&b);
}

// how far the mean height above the plate goes from that at the start, over five periods
static double unrest(const char *Gamma) {
  const carom_setting shaken[] = {{"Gamma", Gamma}, {"run.step", "8e-6"}, {"mu", "0.5"}};
  bed it = load("again.yaml", 3, shaken);
  double first = get(&it, "z"), most = 0.0;
  for (int k = 1; k <= 100; k++) {
    advance(&it, 0.002 * k);
    most = fmax(most, fabs(get(&it, "z") - get(&it, "plate") - first));
  }
  unload(&it);
  return most;
}

// a bed that has come to rest is taken up with other shaking, friction and step: below the
// acceleration of gravity it stays on the plate, above it is thrown
static void test_settled(void **state) {
  (void)state;
  put_file("pour.yaml", BED POURED, RUN);
  put_file("again.yaml", BED TABLE, RUN);
  bed it = load("pour.yaml", 0, NULL);
  record(&it, "end", 0.5);
  // tangential springs start anew
  bed anew = load("again.yaml", 0, NULL);
  CHECK(get(&it, "shear_energy") > 1e-12);
  CHECK(get(&anew, "shear_energy") < 1e-3 * get(&it, "shear_energy"));
  unload(&anew);
  unload(&it);
  double diameter = 2e-3, calm = unrest("0.5"), wild = unrest("3");
  if (!(calm < 0.02 * diameter && wild > 0.5 * diameter)) fail_msg("calm %g, wild %g", calm, wild);
}

// other engines have no rods
static void test_no_rods(void **state) {
  (void)state;
  put_file("ball.yaml", "coordinates: {y: 1}\n",
           "energy: {kinetic: y'^2/2, potential: 10*y}\nrun: {until: 0.1}\n");
  bed it = load("ball.yaml", 0, NULL);
  carom_body_motion rod;
  CHECK(!carom_simulation_body(it.simulation, 0, &rod));
  record(&it, "end", 0.1);
  CHECK(access("end/series.csv", F_OK) == 0 && access("end/rods.csv", F_OK) != 0);
  unload(&it);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      IN_FOLDER(test_round_trip), IN_FOLDER(test_plane),   IN_FOLDER(test_goes_on),
      IN_FOLDER(test_settled),    IN_FOLDER(test_no_rods),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
