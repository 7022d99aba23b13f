// SPDX-License-Identifier: MIT
// Recorded files are read back with HDF5 itself and compared with what an observer saw.
#define _POSIX_C_SOURCE 200809L
#include "carom/record.h"
#include "folder.h"

#include <glob.h>
#include <hdf5.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_SAMPLES = 5000, MOST_EVENTS = 2000 };

// an oscillator that is watched: more than one block of samples and of events
static const char SCENARIO[] = "title: Oscillator\n"
                               "parameters: {k: 4}\n"
                               "coordinates: {x: 1}\n"
                               "energy: {kinetic: x'^2/2, potential: k*x^2/2}\n"
                               "define: {double: 2*x}\n"
                               "sections: {zero: x, turn: x'}\n"
                               "run: {until: 600, sample: 0.25}\n"
                               "observe: {top: max(x), zeros: count(zero)}\n";

typedef struct seen {
  carom_observer next; // also told
  int samples, events, columns;
  double t[MOST_SAMPLES], x[MOST_SAMPLES], doubled[MOST_SAMPLES];
  double event_t[MOST_EVENTS], before[MOST_EVENTS][2];
  char kind[MOST_EVENTS][24], name[MOST_EVENTS][24];
  int direction[MOST_EVENTS];
} seen;

static int see_sample(void *ctx, const carom_simulation *simulation, double t, int count,
                      const double *values) {
  seen *it = ctx;
  CHECK(it->samples < MOST_SAMPLES);
  it->columns = count;
  it->t[it->samples] = t;
  it->x[it->samples] = values[0];
  it->doubled[it->samples++] = values[2];
  return it->next.sample(it->next.ctx, simulation, t, count, values);
}

static int see_event(void *ctx, const carom_event *event) {
  seen *it = ctx;
  CHECK(it->events < MOST_EVENTS && event->size == 2);
  it->event_t[it->events] = event->t;
  it->before[it->events][0] = event->before[0];
  it->before[it->events][1] = event->before[1];
  it->direction[it->events] = event->direction;
  (void)snprintf(it->kind[it->events], 24, "%s", carom_event_kind_text(event->kind));
  (void)snprintf(it->name[it->events++], 24, "%s", event->name);
  return it->next.event(it->next.ctx, event);
}

static carom_simulation *start(carom_model **model) {
  carom_error error = {0};
  carom_simulation *simulation = NULL;
  if (carom_model_parse(SCENARIO, "oscillator", 0, NULL, model, &error) != CAROM_OK ||
      carom_simulation_create(*model, &simulation, &error) != CAROM_OK)
    fail_msg("%s", error.text);
  return simulation;
}

static void record(const char *file, const char *folder, bool provenance, seen *it) {
  carom_model *model;
  carom_simulation *simulation = start(&model);
  carom_recorder *recorder;
  carom_error error = {0};
  carom_record_options options = carom_record_options_default();
  options.file = file;
  options.folder = folder;
  options.provenance = provenance;
  CHECK(carom_recorder_open(simulation, &options, &recorder, &error) == CAROM_OK);
  it->next = carom_recorder_observer(recorder);
  carom_observer observer = {.ctx = it, .event = see_event, .sample = see_sample};
  carom_simulation_observe(simulation, &observer);
  CHECK(carom_simulation_run(simulation, &error) == CAROM_OK);
  CHECK(carom_recorder_close(recorder, simulation, "complete", &error) == CAROM_OK);
  carom_simulation_destroy(simulation);
  carom_model_destroy(model);
}

static void *zeros(size_t count, size_t size) {
  void *memory = calloc(count, size);
  if (!memory) abort();
  return memory;
}

static seen *new_seen(void) { return zeros(1, sizeof(seen)); }

// is there a temporary file of that name?
static bool is_on_its_way(const char *path) {
  char pattern[128];
  glob_t found;
  (void)snprintf(pattern, sizeof pattern, "%s.tmp-*", path);
  bool is = glob(pattern, 0, NULL, &found) == 0;
  if (is) globfree(&found);
  return is;
}

static bool exists(const char *file) { return access(file, F_OK) == 0; }

// ---- reading with HDF5 ----

static long rows_of(hid_t file, const char *path) {
  hid_t dataset = H5Dopen2(file, path, H5P_DEFAULT);
  CHECK(dataset >= 0);
  hid_t space = H5Dget_space(dataset);
  hsize_t size[2] = {0};
  CHECK(H5Sget_simple_extent_dims(space, size, NULL) >= 0);
  H5Sclose(space);
  H5Dclose(dataset);
  return (long)size[0];
}

static void read_doubles(hid_t file, const char *path, double *values) {
  hid_t dataset = H5Dopen2(file, path, H5P_DEFAULT);
  CHECK(H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
  H5Dclose(dataset);
}

static void compare_doubles(hid_t file, const char *path, int count, const double *expected) {
  CHECK(rows_of(file, path) == count);
  double *values = zeros((size_t)count, sizeof *values);
  read_doubles(file, path, values);
  for (int k = 0; k < count; k++)
    CHECK_SAME(values[k], expected[k]);
  free(values);
}

static void compare_kinds(hid_t file, const seen *it) {
  hid_t dataset = H5Dopen2(file, "/events/kind", H5P_DEFAULT), type = H5Dget_type(dataset);
  size_t size = H5Tget_size(type);
  char *kinds = zeros((size_t)it->events + 1, size);
  CHECK(size <= 24);
  CHECK(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, kinds) >= 0);
  for (int k = 0; k < it->events; k++)
    CHECK(strncmp(kinds + (size_t)k * size, it->kind[k], size) == 0);
  free(kinds);
  H5Tclose(type);
  H5Dclose(dataset);
}

static void compare_names(hid_t file, const seen *it) {
  hid_t dataset = H5Dopen2(file, "/events/name", H5P_DEFAULT), type = H5Dget_type(dataset);
  hid_t space = H5Dget_space(dataset);
  char **names = zeros((size_t)it->events, sizeof *names);
  CHECK(H5Tis_variable_str(type) > 0);
  CHECK(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, names) >= 0);
  for (int k = 0; k < it->events; k++)
    assert_string_equal(names[k], it->name[k]);
  CHECK(H5Dvlen_reclaim(type, space, H5P_DEFAULT, names) >= 0);
  free(names);
  H5Sclose(space);
  H5Tclose(type);
  H5Dclose(dataset);
}

static void test_series_and_events(void **state) {
  (void)state;
  seen *it = new_seen();
  record("run.h5", NULL, true, it);
  CHECK(exists("run.h5") && !is_on_its_way("run.h5"));
  CHECK(it->samples == 2401 && it->events > 700); // several blocks of each

  hid_t file = H5Fopen("run.h5", H5F_ACC_RDONLY, H5P_DEFAULT);
  CHECK(file >= 0);
  compare_doubles(file, "/series/t", it->samples, it->t);
  compare_doubles(file, "/series/x", it->samples, it->x);
  compare_doubles(file, "/series/double", it->samples, it->doubled);
  compare_doubles(file, "/events/t", it->events, it->event_t);
  CHECK(rows_of(file, "/events/before") == it->events);
  double *before = zeros((size_t)it->events * 2, sizeof *before);
  read_doubles(file, "/events/before", before);
  for (int k = 0; k < 2 * it->events; k++)
    CHECK_SAME(before[k], it->before[k / 2][k % 2]);
  free(before);
  int *direction = zeros((size_t)it->events, sizeof *direction);
  hid_t dataset = H5Dopen2(file, "/events/direction", H5P_DEFAULT);
  CHECK(H5Dread(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, direction) >= 0);
  for (int k = 0; k < it->events; k++)
    CHECK(direction[k] == it->direction[k]);
  H5Dclose(dataset);
  free(direction);
  compare_kinds(file, it);
  compare_names(file, it);
  H5Fclose(file);
  free(it);
}

static void test_reader(void **state) {
  (void)state;
  seen *it = new_seen();
  record("run.h5", NULL, true, it);
  carom_recording *recording;
  carom_error error = {0};
  CHECK(carom_recording_open("run.h5", &recording, &error) == CAROM_OK);
  CHECK(carom_recording_samples(recording) == it->samples);
  CHECK(carom_recording_events(recording) == it->events);

  // names in the order they were written, not of the alphabet
  static const char *const NAMES[] = {"t", "x", "x'", "double", "kinetic", "potential"};
  CHECK(carom_recording_count(recording, CAROM_RECORDED_SERIES) == 6);
  for (int k = 0; k < 6; k++)
    assert_string_equal(carom_recording_name(recording, CAROM_RECORDED_SERIES, k), NAMES[k]);
  CHECK(!carom_recording_name(recording, CAROM_RECORDED_SERIES, 6));

  double values[3], value;
  CHECK(carom_recording_series(recording, "x", 1023, 3, values, &error) == CAROM_OK);
  for (int k = 0; k < 3; k++)
    CHECK_SAME(values[k], it->x[1023 + k]);
  CHECK(carom_recording_series(recording, "x", it->samples - 1, 2, values, &error) ==
        CAROM_ERR_INPUT);
  CHECK(carom_recording_series(recording, "nothing", 0, 1, values, &error) == CAROM_ERR_INPUT);

  long total = 0, count;
  for (int k = 0; carom_recording_event_kind(recording, k, &count); k++)
    total += count;
  CHECK(total == it->events);
  // half a period is pi/2
  CHECK(carom_recording_number(recording, "/observables/zeros", &value, &error) == CAROM_OK);
  CHECK_NEAR(value, floor(600.0 / (2.0 * atan(1.0)) + 0.5), 0.0);
  CHECK(carom_recording_number(recording, "/certificate/passed", &value, &error) == CAROM_OK);
  CHECK_SAME(value, 1.0);
  CHECK(carom_recording_number(recording, "/certificate/none", &value, NULL) == CAROM_ERR_INPUT);

  char *text;
  CHECK(carom_recording_text(recording, "title", &text, &error) == CAROM_OK);
  assert_string_equal(text, "Oscillator");
  carom_text_destroy(text);
  CHECK(carom_recording_text(recording, "outcome", &text, &error) == CAROM_OK);
  assert_string_equal(text, "complete");
  carom_text_destroy(text);
  CHECK(carom_recording_text(recording, "/provenance/compiler", &text, &error) == CAROM_OK);
  carom_text_destroy(text);

  // the recorded scenario can be loaded again
  carom_model *again;
  CHECK(carom_recording_text(recording, "/scenario", &text, &error) == CAROM_OK);
  CHECK(carom_model_parse(text, "again", 0, NULL, &again, &error) == CAROM_OK);
  assert_string_equal(carom_model_title(again), "Oscillator");
  carom_model_destroy(again);
  carom_text_destroy(text);
  carom_recording_close(recording);
  free(it);
}

static char *read_bytes(const char *path, long *size) {
  FILE *in = fopen(path, "rb");
  CHECK(in != NULL);
  CHECK(fseek(in, 0, SEEK_END) == 0);
  *size = ftell(in);
  rewind(in);
  char *bytes = zeros((size_t)*size, 1);
  CHECK(fread(bytes, 1, (size_t)*size, in) == (size_t)*size);
  (void)fclose(in);
  return bytes;
}

static long differing_bytes(const char *a, const char *b) {
  long size_a, size_b, count = 0;
  char *first = read_bytes(a, &size_a), *second = read_bytes(b, &size_b);
  CHECK(size_a == size_b);
  for (long k = 0; k < size_a; k++)
    count += first[k] != second[k];
  free(first);
  free(second);
  return count;
}

static void test_same_bytes(void **state) {
  (void)state;
  seen *it = new_seen();
  const char *const files[] = {"a.h5", "b.h5", "c.h5", "d.h5"};
  for (int k = 0; k < 4; k++) {
    *it = (seen){0};
    if (k == 3) (void)sleep(1); // another date
    record(files[k], NULL, k >= 2, it);
  }
  CHECK(differing_bytes("a.h5", "b.h5") == 0);
  // only the date and the wall time
  long differing = differing_bytes("c.h5", "d.h5");
  CHECK(differing > 0 && differing <= 20 + 8);
  free(it);
}

static void test_trouble(void **state) {
  (void)state;
  carom_model *model;
  carom_simulation *simulation = start(&model);
  carom_recorder *recorder;
  carom_error error = {0};
  carom_record_options options = carom_record_options_default();
  options.file = "nowhere/run.h5";
  CHECK(carom_recorder_open(simulation, &options, &recorder, &error) == CAROM_ERR_IO);
  CHECK(strstr(error.text, "nowhere/run.h5") && !recorder);
  options.file = "run.h5";
  options.folder = "nowhere/tables";
  CHECK(carom_recorder_open(simulation, &options, &recorder, &error) == CAROM_ERR_IO);
  CHECK(!is_on_its_way("run.h5"));
  carom_record_options naked = {.file = "run.h5"};
  CHECK(carom_recorder_open(simulation, &naked, &recorder, &error) == CAROM_ERR_ARGUMENT);

  options.folder = "tables";
  CHECK(carom_recorder_open(simulation, &options, &recorder, &error) == CAROM_OK);
  CHECK(is_on_its_way("run.h5") && is_on_its_way("tables/series.csv"));
  carom_recorder_discard(recorder);
  CHECK(!is_on_its_way("run.h5") && !is_on_its_way("tables/series.csv") && !exists("run.h5"));
  carom_recorder_discard(NULL);

  carom_recording *recording;
  FILE *other = fopen("other.h5", "wb");
  CHECK(other && fputs("not at all", other) >= 0 && fclose(other) == 0);
  CHECK(carom_recording_open("other.h5", &recording, &error) == CAROM_ERR_INPUT && !recording);
  CHECK(carom_recording_open("missing.h5", &recording, &error) == CAROM_ERR_IO);
  hid_t foreign = H5Fcreate("foreign.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  CHECK(foreign >= 0 && H5Fclose(foreign) >= 0);
  CHECK(carom_recording_open("foreign.h5", &recording, &error) == CAROM_ERR_INPUT);
  carom_recording_close(NULL);
  carom_simulation_destroy(simulation);
  carom_model_destroy(model);
}

// a program that is killed leaves its temporary file with all full blocks
static int copy_when_late(void *ctx, const carom_simulation *simulation, double t, int count,
                          const double *values) {
  const carom_observer *next = ctx;
  if (next->sample(next->ctx, simulation, t, count, values)) return 1;
  if (t < 300.0) return 0;
  CHECK(system("cp run.h5.tmp-* killed.h5") == 0); // NOLINT(cert-env33-c): fixed command
  return 1;
}

static void test_interrupted(void **state) {
  (void)state;
  carom_model *model;
  carom_simulation *simulation = start(&model);
  carom_recorder *recorder;
  carom_recording *recording;
  carom_error error = {0};
  carom_record_options options = carom_record_options_default();
  options.file = "run.h5";
  CHECK(carom_recorder_open(simulation, &options, &recorder, &error) == CAROM_OK);
  carom_observer next = carom_recorder_observer(recorder);
  carom_observer observer = {.ctx = &next, .sample = copy_when_late};
  carom_simulation_observe(simulation, &observer);
  CHECK(carom_simulation_run(simulation, &error) == CAROM_STOP_USER);
  CHECK(carom_recorder_close(recorder, simulation, "interrupted", &error) == CAROM_OK);
  CHECK(carom_recording_open("run.h5", &recording, &error) == CAROM_OK);
  CHECK(carom_recording_samples(recording) == 1201);
  carom_recording_close(recording);
  CHECK(carom_recording_open("killed.h5", &recording, &error) == CAROM_OK);
  CHECK(carom_recording_samples(recording) == 16 + 32 + 64 + 128 + 256 + 512);
  carom_recording_close(recording);
  carom_simulation_destroy(simulation);
  carom_model_destroy(model);
}

static void test_tables(void **state) {
  (void)state;
  seen *it = new_seen();
  record(NULL, "tables", true, it);
  static const char *const FILES[] = {"series.csv",      "events.csv",     "observables.csv",
                                      "certificate.csv", "provenance.csv", "scenario.yaml"};
  for (int k = 0; k < 6; k++) {
    char path[64];
    (void)snprintf(path, sizeof path, "tables/%s", FILES[k]);
    CHECK(exists(path));
    CHECK(!is_on_its_way(path));
  }
  FILE *in = fopen("tables/series.csv", "rb");
  char line[512];
  CHECK(in && fgets(line, sizeof line, in));
  assert_string_equal(line, "t,x,x',double,kinetic,potential\n");
  int rows = 0;
  for (; fgets(line, sizeof line, in); rows++) {
    char *end;
    double t = strtod(line, &end);
    CHECK_SAME(t, it->t[rows]);
    CHECK_SAME(strtod(end + 1, NULL), it->x[rows]);
  }
  CHECK(rows == it->samples);
  (void)fclose(in);
  free(it);
}

// ---- a model given by functions ----

static carom_status decay(void *ctx, const carom_point *at, double *rate) {
  (void)ctx;
  rate[0] = -at->z[0];
  rate[1] = 0.0;
  return CAROM_OK;
}

static carom_status record_functions(const char *const *names, const char *file) {
  carom_functions functions = carom_functions_default();
  functions.title = "Decay";
  functions.states.count = 2;
  functions.states.names = names;
  functions.state_start = (const double[]){1.0, 2.0};
  functions.equation = decay;
  functions.run.until = 1.0;
  functions.run.sample = 0.125;
  carom_model *model;
  carom_simulation *simulation;
  carom_recorder *recorder;
  carom_error error = {0};
  carom_record_options options = carom_record_options_default();
  options.file = file;
  CHECK(carom_model_from_functions(&functions, &model, &error) == CAROM_OK);
  CHECK(carom_simulation_create(model, &simulation, &error) == CAROM_OK);
  carom_status status = carom_recorder_open(simulation, &options, &recorder, &error);
  if (status == CAROM_OK) {
    carom_observer observer = carom_recorder_observer(recorder);
    carom_simulation_observe(simulation, &observer);
    CHECK(carom_simulation_run(simulation, &error) == CAROM_OK);
    status = carom_recorder_close(recorder, simulation, "complete", &error);
  }
  carom_simulation_destroy(simulation);
  carom_model_destroy(model);
  return status;
}

static void test_functions(void **state) {
  (void)state;
  CHECK(record_functions((const char *const[]){"a/b", "c"}, "run.h5") == CAROM_OK);
  carom_recording *recording;
  CHECK(carom_recording_open("run.h5", &recording, NULL) == CAROM_OK);
  double last;
  CHECK(carom_recording_samples(recording) == 9);
  CHECK(carom_recording_series(recording, "a|b", 8, 1, &last, NULL) == CAROM_OK);
  CHECK_NEAR(last, exp(-1.0), 1e-8);
  carom_recording_close(recording);
  CHECK(record_functions((const char *const[]){"t", "c"}, "clash.h5") == CAROM_ERR_INPUT);
  CHECK(!exists("clash.h5") && !is_on_its_way("clash.h5"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      IN_FOLDER(test_series_and_events), IN_FOLDER(test_reader),      IN_FOLDER(test_same_bytes),
      IN_FOLDER(test_trouble),           IN_FOLDER(test_interrupted), IN_FOLDER(test_tables),
      IN_FOLDER(test_functions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
