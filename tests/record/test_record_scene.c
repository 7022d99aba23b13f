// SPDX-License-Identifier: MIT
// What is recorded beside the series: contacts, energies, bodies. Compared with the free fall and
// the rest of a ball, which are known in closed form, and with the same run unrecorded.
#define _POSIX_C_SOURCE 200809L
#include "carom/record.h"
#include "folder.h"
#include "record/store.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// falls from 1 m, loses everything at once and lies on the floor
static const char BALL[] = "title: Ball\n"
                           "parameters: {m: 2, g: 10}\n"
                           "coordinates: {x: {start: 0, rate: 3}, y: 1}\n"
                           "energy: {kinetic: m/2*(x'^2 + y'^2), potential: m*g*y}\n"
                           "contacts: {floor: {gap: y, slip: x', friction: 0.1, impact: 0}}\n"
                           "shapes: [{circle: [x, y + 0.5], radius: 0.5}, {plane: 0}]\n"
                           "run: {until: 2, sample: 0.01}\n"
                           "observe: {last: last(x)}\n";

static carom_simulation *start(carom_model **model) {
  carom_error error = {0};
  carom_simulation *simulation = NULL;
  if (carom_model_parse(BALL, "ball", 0, NULL, model, &error) != CAROM_OK ||
      carom_simulation_create(*model, &simulation, &error) != CAROM_OK)
    fail_msg("%s", error.text);
  return simulation;
}

static void record(const carom_record_options *options) {
  carom_model *model;
  carom_simulation *simulation = start(&model);
  carom_recorder *recorder;
  carom_error error = {0};
  CHECK(carom_recorder_open(simulation, options, &recorder, &error) == CAROM_OK);
  carom_observer observer = carom_recorder_observer(recorder);
  carom_simulation_observe(simulation, &observer);
  CHECK(carom_simulation_run(simulation, &error) == CAROM_OK);
  CHECK(carom_recorder_close(recorder, simulation, "complete", &error) == CAROM_OK);
  carom_simulation_destroy(simulation);
  carom_model_destroy(model);
}

static carom_store *recorded(void) {
  carom_error error = {0};
  carom_store *store = NULL;
  carom_record_options options = carom_record_options_default();
  options.file = "ball.h5";
  record(&options);
  if (carom_store_open("ball.h5", &store, &error) != CAROM_OK) fail_msg("%s", error.text);
  return store;
}

static double *numbers(const carom_store *store, const char *path, long expected) {
  long rows;
  double *values = carom_store_array(store, path, &rows, NULL);
  CHECK(values != NULL);
  if (rows != expected) fail_msg("%s has %ld rows, not %ld", path, rows, expected);
  return values;
}

// flight until sqrt(0.2) s; then the floor bears m g = 20 N, sliding takes 2 N until 3.0 s
static void test_contacts(void **state) {
  (void)state;
  carom_store *store = recorded();
  long rows;
  double *t = numbers(store, "/series/t", 201), *gap = numbers(store, "/contacts/floor/gap", 201);
  double *normal = numbers(store, "/contacts/floor/normal", 201);
  double *friction = numbers(store, "/contacts/floor/tangential", 201);
  char **mode = carom_store_texts(store, "/contacts/floor/mode", &rows);
  CHECK(mode && rows == 201);
  for (long k = 0; k < rows; k++) {
    bool flies = t[k] < sqrt(0.2);
    if (strcmp(mode[k], flies ? "F" : "+") != 0)
      fail_msg("at t = %g the mode is %s", t[k], mode[k]);
    CHECK_NEAR(gap[k], flies ? 1.0 - 5.0 * t[k] * t[k] : 0.0, 1e-9);
    CHECK_NEAR(normal[k], flies ? 0.0 : 20.0, 1e-9);
    CHECK_NEAR(friction[k], flies ? 0.0 : -2.0, 1e-9);
  }
  free(t);
  free(gap);
  free(normal);
  free(friction);
  free(mode);
  carom_store_close(store);
}

static void test_energy(void **state) {
  (void)state;
  carom_store *store = recorded();
  double *t = numbers(store, "/series/t", 201);
  double *kinetic = numbers(store, "/energy/kinetic", 201);
  double *potential = numbers(store, "/energy/potential", 201);
  double *friction = numbers(store, "/energy/lost_friction", 201);
  double *impacts = numbers(store, "/energy/lost_impacts", 201);
  double *residual = numbers(store, "/energy/residual", 201);
  for (long k = 0; k < 201; k++) {
    bool flies = t[k] < sqrt(0.2);
    CHECK_NEAR(kinetic[k] + potential[k] + friction[k] + impacts[k], 29.0, 1e-8);
    // the impact takes m g h = 20 J and, with friction 0.1, the slip that mu times its impulse
    // stops
    CHECK(flies ? impacts[k] == 0.0 : impacts[k] > 20.0);
    CHECK_NEAR(residual[k], 0.0, 1e-8);
  }
  free(t);
  free(kinetic);
  free(potential);
  free(friction);
  free(impacts);
  free(residual);
  carom_store_close(store);
}

static void test_scene(void **state) {
  (void)state;
  carom_store *store = recorded();
  long rows, columns, kinds;
  double *y = numbers(store, "/series/y", 201);
  double *scene = carom_store_array(store, "/scene/numbers", &rows, &columns);
  char **kind = carom_store_texts(store, "/scene/kind", &kinds);
  CHECK(scene && rows == 201 && columns == 4 && kind && kinds == 2);
  CHECK(strcmp(kind[0], "circle") == 0 && strcmp(kind[1], "level") == 0);
  CHECK(carom_store_attribute(store, "/scene", "space", -1) == 0);
  for (long k = 0; k < rows; k++) {
    CHECK_NEAR(scene[4 * k + 1], y[k] + 0.5, 1e-15);
    CHECK_NEAR(scene[4 * k + 2], 0.5, 0.0);
    CHECK_NEAR(scene[4 * k + 3], 0.0, 0.0);
  }
  CHECK(strcmp(carom_store_kind(store), "run") == 0);
  CHECK(carom_store_array(store, "/scene/nothing", &rows, NULL) == NULL);
  CHECK(carom_store_array(store, "/scene", &rows, NULL) == NULL);
  free(y);
  free(scene);
  free(kind);
  carom_store_close(store);
}

// to look does not disturb: the same bits as a run that nobody watched
static void test_undisturbed(void **state) {
  (void)state;
  carom_store *store = recorded();
  carom_model *model;
  carom_simulation *simulation = start(&model);
  carom_certificate certificate;
  carom_error error = {0};
  CHECK(carom_simulation_run(simulation, &error) == CAROM_OK);
  CHECK(carom_simulation_certificate(simulation, &certificate, &error) == CAROM_OK);
  int size;
  const double *y = carom_simulation_state(simulation, &size);
  double *x = numbers(store, "/series/x", 201);
  CHECK(size == 4 && x[200] == y[0]);
  CHECK(carom_store_number(store, "/certificate/residual", NAN) == certificate.energy.residual);
  CHECK(carom_store_number(store, "/certificate/cone_violation", NAN) ==
        certificate.worst.cone_violation);
  free(x);
  carom_simulation_destroy(simulation);
  carom_model_destroy(model);
  carom_store_close(store);
}

static long count_files(const char *command) {
  char line[64] = "";
  FILE *pipe = popen(command, "r"); // NOLINT(cert-env33-c): fixed command
  CHECK(pipe && fgets(line, sizeof line, pipe));
  CHECK(pclose(pipe) == 0);
  return atol(line);
}

static void test_tables_and_paraview(void **state) {
  (void)state;
  carom_record_options options = carom_record_options_default();
  options.folder = "tables";
  options.vtk = "frames";
  record(&options);
  CHECK(count_files("cat tables/contacts.csv | wc -l") == 202);
  CHECK(count_files("cat tables/energy.csv | wc -l") == 202);
  CHECK(count_files("head -1 tables/contacts.csv | grep -c '^t,floor mode,floor gap,'") == 1);
  CHECK(count_files("ls frames/frame*.vtp | wc -l") == 201);
  CHECK(count_files("grep -c '<DataSet timestep=' frames/motion.pvd") == 201);
  // a circle of 48 corners and a line of two
  CHECK(count_files("grep -c 'NumberOfPoints=\"50\".*NumberOfLines=\"1\".*NumberOfPolys=\"1\"' "
                    "frames/frame000200.vtp") == 1);
}

// spheres in free fall, too many to be kept at every sample: 41 of 101 instants, evenly spread, in
// single precision
static void test_many_bodies(void **state) {
  (void)state;
  enum { COUNT = 1100, SIZE = 6 * COUNT };
  static const char text[] = "engine: grains\n"
                             "rods: {count: 1100, diameter: 1e-3}\n"
                             "gravity: 0.1\n"
                             "contact: {stiffness: 1}\n"
                             "start: {as: layers, size: [0.1, 0.1]}\n"
                             "run: {until: 1, step: 1e-3, sample: 0.01}\n";
  carom_model *model = NULL;
  carom_simulation *simulation = NULL;
  carom_recorder *recorder;
  carom_store *store;
  carom_error error = {0};
  if (carom_model_parse(text, "fall", 0, NULL, &model, &error) != CAROM_OK ||
      carom_simulation_create(model, &simulation, &error) != CAROM_OK)
    fail_msg("%s", error.text);
  carom_record_options options = carom_record_options_default();
  options.file = "fall.h5";
  options.most_numbers = 40L * SIZE;
  CHECK(carom_recorder_open(simulation, &options, &recorder, &error) == CAROM_OK);
  carom_observer observer = carom_recorder_observer(recorder);
  carom_simulation_observe(simulation, &observer);
  CHECK(carom_simulation_run(simulation, &error) == CAROM_OK);
  CHECK(carom_recorder_close(recorder, simulation, "complete", &error) == CAROM_OK);
  CHECK(carom_store_open("fall.h5", &store, &error) == CAROM_OK);
  long rows, width;
  double *t = numbers(store, "/scene/t", 41);
  double *places = carom_store_array(store, "/scene/numbers", &rows, &width);
  CHECK(places && rows == 41 && width == SIZE);
  for (long k = 0; k < rows; k++) {
    CHECK(t[k] >= 0.025 * (double)k - 1e-9 && t[k] < 0.025 * (double)k + 0.01);
    for (long j = 0; j < COUNT; j += 100)
      CHECK_NEAR(places[k * width + 6 * j + 2], places[6 * j + 2] - 0.05 * t[k] * t[k], 1e-7);
  }
  free(t), free(places);
  carom_store_close(store);
  carom_simulation_destroy(simulation);
  carom_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {IN_FOLDER(test_contacts),
                                     IN_FOLDER(test_energy),
                                     IN_FOLDER(test_scene),
                                     IN_FOLDER(test_undisturbed),
                                     IN_FOLDER(test_tables_and_paraview),
                                     IN_FOLDER(test_many_bodies)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
