// SPDX-License-Identifier: MIT
/// The motion that the page shows: one run, kept as rows of numbers that scripts read from memory
/// without copying, computed slice by slice so that the page can change its mind between two of
/// them. Texts come as JSON on standard output.
#include "lab/lab.h"

#include "carom/digest.h"
#include "carom/scene.h"
#include "cli/run_summary.h"

#include <stdlib.h>
#include <string.h>

enum {
  CONTACT_NUMBERS = 9,
  LEDGER_NUMBERS = 9,
  EVENT_NUMBERS = 7,
  MOST_NAMES = 256,
  MOST_ROWS = 6000
};

// seconds on the page's clock: asked at every step, so without the detours of the system's clock
__attribute__((import_module("lab"), import_name("now"))) double lab_now(void);

// numbers of fixed width, row after row
typedef struct table {
  double *numbers;
  int width, count, room;
} table;

struct carom_lab {
  carom_model *model;
  carom_simulation *simulation;
  carom_scene *scene;
  table samples; // t, columns, numbers of the scene, contacts, ledger
  table events;
  const char *names[MOST_NAMES]; // that events have had
  int name_count;
  carom_run_tally tally;
  carom_digest digest;
  char stop_name[CAROM_TALLY_NAME];
  double slice_ends, asked; // on the clock
  int steps, unasked;       // of the motion, between two looks at the clock
  // samples from `from` to `until` are kept, every stride-th, at most MOST_ROWS
  double from, until;
  long seen, stride;
  int thinned; // how often every second of them had to go
  bool out_of_memory;
};

// ---- tables ----

static double *add_row(table *it) {
  if (it->count == it->room) {
    int room = it->room ? 2 * it->room : 512;
    void *larger = realloc(it->numbers, (size_t)room * (size_t)it->width * sizeof *it->numbers);
    if (!larger) return NULL;
    it->numbers = larger;
    it->room = room;
  }
  return it->numbers + (size_t)it->count++ * (size_t)it->width;
}

static void empty_table(table *it, int width) {
  free(it->numbers);
  *it = (table){.width = width};
}

// every second row goes, and of those to come
static void thin_out(carom_lab *it) {
  table *rows = &it->samples;
  size_t width = (size_t)rows->width;
  for (int k = 1; 2 * k < rows->count; k++)
    memcpy(rows->numbers + (size_t)k * width, rows->numbers + 2 * (size_t)k * width,
           width * sizeof *rows->numbers);
  rows->count = (rows->count + 1) / 2;
  it->stride *= 2;
  it->thinned++;
}

// ---- observing ----

static double *put_contacts(double *at, const carom_scene *scene) {
  int count;
  const carom_contact_view *c = carom_scene_contacts(scene, &count);
  for (int k = 0; k < count; k++, c++) {
    const double numbers[CONTACT_NUMBERS] = {(double)c->mode, c->gap,        c->slip,
                                             c->normal,       c->tangential, c->at[0],
                                             c->at[1],        c->force[0],   c->force[1]};
    memcpy(at, numbers, sizeof numbers);
    at += CONTACT_NUMBERS;
  }
  return at;
}

static void put_ledger(double *at, const carom_certificate *c) {
  const carom_energy_ledger *e = &c->energy;
  const double numbers[LEDGER_NUMBERS] = {e->kinetic,       e->potential,    e->work_drives,
                                          e->work_forces,   e->work_events,  e->lost_dampers,
                                          e->lost_friction, e->lost_impacts, e->residual};
  for (int k = 0; k < LEDGER_NUMBERS; k++)
    at[k] = c->has_energy ? numbers[k] : (double)NAN;
}

static int on_sample(void *ctx, const carom_simulation *simulation, double t, int count,
                     const double *values) {
  (void)simulation;
  carom_lab *it = ctx;
  carom_digest_sample(&it->digest, t, count, values);
  if (t < it->from || t > it->until || it->seen++ % it->stride != 0) return 0;
  if (it->samples.count >= MOST_ROWS) thin_out(it);
  double *at = add_row(&it->samples);
  it->out_of_memory = !at;
  if (!at || carom_scene_look(it->scene, t, count, values, NULL) != CAROM_OK) return 1;
  *at++ = t;
  memcpy(at, values, (size_t)count * sizeof *values);
  at += count;
  int numbers;
  const double *seen = carom_scene_numbers(it->scene, &numbers);
  if (numbers > 0) memcpy(at, seen, (size_t)numbers * sizeof *seen);
  put_ledger(put_contacts(at + numbers, it->scene), carom_scene_ledger(it->scene));
  return 0;
}

// names live as long as the model
static int name_number(carom_lab *it, const char *name) {
  for (int k = 0; k < it->name_count; k++)
    if (it->names[k] == name || strcmp(it->names[k], name) == 0) return k;
  if (it->name_count == MOST_NAMES) return -1;
  it->names[it->name_count] = name;
  return it->name_count++;
}

static int on_event(void *ctx, const carom_event *event) {
  carom_lab *it = ctx;
  double *at = add_row(&it->events);
  it->out_of_memory = !at;
  if (!at) return 1;
  carom_run_tally_add(&it->tally, event);
  carom_digest_event(&it->digest, event);
  if (event->kind == CAROM_EVENT_STOP)
    (void)snprintf(it->stop_name, sizeof it->stop_name, "%s", event->name);
  const double before = event->energy_before.kinetic + event->energy_before.potential,
               after = event->energy_after.kinetic + event->energy_after.potential;
  const double numbers[EVENT_NUMBERS] = {event->t,
                                         (double)event->kind,
                                         (double)name_number(it, event->name),
                                         (double)event->direction,
                                         event->value,
                                         event->tangential,
                                         after - before};
  memcpy(at, numbers, sizeof numbers);
  return 0;
}

// a look at the clock takes as long as a short step: there is one in half a millisecond
static int slice_is_over(void *ctx) {
  carom_lab *it = ctx;
  if (++it->steps < it->unasked) return 0;
  double now = lab_now();
  it->unasked = now - it->asked < 2.5e-4 && it->unasked < 64 ? 2 * it->unasked + 1 : 1;
  it->steps = 0;
  it->asked = now;
  return now > it->slice_ends;
}

// ---- a scenario, and its description ----

static void release_motion(carom_lab *it) {
  carom_scene_destroy(it->scene);
  carom_simulation_destroy(it->simulation);
  carom_model_destroy(it->model);
  free(it->samples.numbers);
  free(it->events.numbers);
  *it = (carom_lab){0};
}

static int tell_error(const carom_error *error, const carom_simulation *simulation) {
  const carom_command command = {.name = "run"};
  const carom_option json = {.name = "json"};
  carom_given given = {.option = &json};
  const carom_call call = {.command = &command, .given = &given, .given_count = 1};
  return carom_report(&call, error, simulation, error->status);
}

EXPORT(lab_create) carom_lab *lab_create(void) { return calloc(1, sizeof(carom_lab)); }

EXPORT(lab_load) int lab_load(carom_lab *it, const char *path, int count, const char *texts) {
  carom_error error = {0};
  carom_setting *settings = calloc((size_t)count + 1, sizeof *settings);
  for (int k = 0; settings && k < count; k++) {
    settings[k].path = texts;
    settings[k].value = texts + strlen(texts) + 1;
    texts = settings[k].value + strlen(settings[k].value) + 1;
  }
  release_motion(it);
  carom_status status =
      settings ? carom_model_load(path, count, settings, &it->model, &error) : CAROM_ERR_MEMORY;
  if (status == CAROM_OK) status = carom_set_off(it->model, &it->simulation, &error);
  free(settings);
  if (status < 0) {
    carom_simulation_destroy(it->simulation);
    it->simulation = NULL;
    return tell_error(&error, NULL);
  }
  return status;
}

static void put_items(carom_json *json, const carom_lab *it, carom_item item, const char *key) {
  carom_json_array(json, key);
  for (int k = 0; k < carom_model_count(it->model, item); k++) {
    const char *name = carom_model_name(it->model, item, k);
    char unit[80] = "", rate[256];
    double value = NAN;
    carom_json_object(json, NULL);
    carom_json_text(json, "name", name);
    if (carom_model_unit(it->model, item, k, unit, sizeof unit))
      carom_json_text(json, "unit", unit);
    if (carom_simulation_get(it->simulation, name, &value, NULL) == CAROM_OK)
      carom_json_number(json, "value", value);
    (void)snprintf(rate, sizeof rate, "%s'", name);
    if (item == CAROM_COORDINATES &&
        carom_simulation_get(it->simulation, rate, &value, NULL) == CAROM_OK)
      carom_json_number(json, "rate", value);
    carom_json_end(json);
  }
  carom_json_end(json);
}

static void put_scene(carom_json *json, const carom_scene *scene) {
  int count;
  const double *fixed = carom_scene_fixed(scene, &count);
  carom_json_object(json, "scene");
  carom_json_flag(json, "space", carom_scene_in_space(scene));
  carom_json_array(json, "parts");
  for (int k = 0; k < carom_scene_parts(scene); k++) {
    const carom_part *part = carom_scene_part(scene, k);
    carom_json_object(json, NULL);
    carom_json_text(json, "kind", carom_part_kind_text(part->kind));
    carom_json_text(json, "label", part->label);
    carom_json_text(json, "color", part->color);
    carom_json_text(json, "fill", part->hollow ? "none" : "");
    carom_json_count(json, "first", part->first);
    carom_json_count(json, "count", part->count);
    carom_json_count(json, "fixed_first", part->fixed_first);
    carom_json_count(json, "fixed_count", part->fixed_length);
    carom_json_end(json);
  }
  carom_json_end(json);
  carom_json_array(json, "fixed");
  for (int k = 0; k < count; k++)
    carom_json_number(json, NULL, fixed[k]);
  carom_json_end(json);
  (void)carom_scene_numbers(scene, &count);
  carom_json_count(json, "size", count);
  carom_json_end(json);
}

EXPORT(lab_describe) void lab_describe(carom_lab *it) {
  static const struct {
    carom_item item;
    const char *key;
  } LISTS[] = {{CAROM_PARAMETERS, "parameters"}, {CAROM_COORDINATES, "coordinates"},
               {CAROM_STATES, "states"},         {CAROM_DEFINITIONS, "definitions"},
               {CAROM_CONTACTS, "contacts"},     {CAROM_SECTIONS, "sections"},
               {CAROM_EVENTS, "events"},         {CAROM_OBSERVABLES, "observables"},
               {CAROM_REGIMES, "regimes"}};
  carom_json json = {.out = stdout};
  carom_json_object(&json, NULL);
  carom_json_text(&json, "title", carom_model_title(it->model));
  carom_json_text(&json, "engine", carom_model_engine(it->model));
  carom_json_flag(&json, "conservative", carom_model_conservative(it->model));
  carom_json_number(&json, "start", carom_simulation_time(it->simulation));
  carom_json_number(&json, "until", carom_simulation_until(it->simulation));
  carom_json_number(&json, "measured_from", carom_simulation_measured_from(it->simulation));
  for (int k = 0; k < CAROM_COUNT(LISTS); k++)
    put_items(&json, it, LISTS[k].item, LISTS[k].key);
  carom_json_array(&json, "columns");
  for (int k = 0; k < carom_simulation_columns(it->simulation); k++)
    carom_json_text(&json, NULL, carom_simulation_column(it->simulation, k));
  carom_json_end(&json);
  char *text = carom_model_scenario_text(it->model);
  carom_json_text(&json, "scenario", text);
  carom_text_destroy(text);
  carom_json_array(&json, "files");
  const char *file;
  for (int k = 0; (file = carom_model_file(it->model, k)); k++)
    carom_json_text(&json, NULL, file);
  carom_json_end(&json);
  carom_json_end(&json);
}

// ---- a run ----

EXPORT(lab_begin)
int lab_begin(carom_lab *it, int count, const char *names, const double *values, double from,
              double until) {
  carom_error error = {0};
  carom_value *all = calloc((size_t)count + 1, sizeof *all);
  for (int k = 0; all && k < count; k++) {
    all[k] = (carom_value){names, values[k]};
    names += strlen(names) + 1;
  }
  it->tally = (carom_run_tally){0};
  it->digest = (carom_digest){0};
  it->name_count = 0;
  it->stop_name[0] = 0;
  it->from = from;
  it->until = until;
  it->seen = 0;
  it->stride = 1;
  it->thinned = 0;
  carom_scene_destroy(it->scene);
  it->scene = NULL;
  carom_simulation_observe(it->simulation, NULL);
  carom_status status =
      all ? carom_simulation_set_all(it->simulation, count, all, &error) : CAROM_ERR_MEMORY;
  free(all);
  if (status == CAROM_OK) status = carom_scene_create(it->simulation, &it->scene, &error);
  if (status < 0) return tell_error(&error, NULL);
  int contacts, numbers, columns = carom_simulation_columns(it->simulation);
  (void)carom_scene_contacts(it->scene, &contacts);
  (void)carom_scene_numbers(it->scene, &numbers);
  empty_table(&it->samples, 1 + columns + numbers + contacts * CONTACT_NUMBERS + LEDGER_NUMBERS);
  empty_table(&it->events, EVENT_NUMBERS);
  carom_observer observer = {.ctx = it, .event = on_event, .sample = on_sample, .energies = true};
  carom_simulation_observe(it->simulation, &observer);
  carom_simulation_heed(it->simulation, slice_is_over, it);
  carom_json json = {.out = stdout};
  carom_json_object(&json, NULL);
  carom_json_count(&json, "columns", columns);
  carom_json_count(&json, "contacts", contacts);
  carom_json_number(&json, "until", carom_simulation_until(it->simulation));
  put_scene(&json, it->scene);
  carom_json_end(&json);
  return CAROM_OK;
}

EXPORT(lab_advance) int lab_advance(carom_lab *it, double seconds) {
  carom_error error = {0};
  it->asked = lab_now();
  it->slice_ends = it->asked + seconds;
  it->steps = it->unasked = 0;
  carom_status status =
      carom_simulation_advance(it->simulation, carom_simulation_until(it->simulation), &error);
  if (it->out_of_memory) error.status = status = CAROM_ERR_MEMORY;
  return status < 0 ? tell_error(&error, it->simulation) : status;
}

static const char *stopped_by(int status) {
  return status == CAROM_STOP_EVENT          ? "stop"
         : status == CAROM_STOP_ACCUMULATION ? "accumulation"
                                             : "until";
}

EXPORT(lab_summary) int lab_summary(carom_lab *it, int status) {
  const carom_command command = {.name = "run"};
  const carom_call call = {.command = &command};
  carom_error error = {0};
  carom_run_summary summary = {.call = &call,
                               .simulation = it->simulation,
                               .events = &it->tally,
                               .digest = &it->digest,
                               .stopped_by = stopped_by(status),
                               .stop_name = status == CAROM_STOP_EVENT ? it->stop_name : ""};
  carom_status found = carom_simulation_certificate(it->simulation, &summary.certificate, &error);
  if (found < 0) return tell_error(&error, it->simulation);
  carom_run_summary_json(&summary);
  return CAROM_OK;
}

EXPORT(lab_names) void lab_names(const carom_lab *it) {
  carom_json json = {.out = stdout};
  carom_json_object(&json, NULL);
  carom_json_array(&json, "names");
  for (int k = 0; k < it->name_count; k++)
    carom_json_text(&json, NULL, it->names[k]);
  carom_json_end(&json);
  carom_json_end(&json);
}

EXPORT(lab_samples) const double *lab_samples(const carom_lab *it) { return it->samples.numbers; }
EXPORT(lab_sample_count) int lab_sample_count(const carom_lab *it) { return it->samples.count; }
EXPORT(lab_sample_width) int lab_sample_width(const carom_lab *it) { return it->samples.width; }
EXPORT(lab_thinned) int lab_thinned(const carom_lab *it) { return it->thinned; }
EXPORT(lab_events) const double *lab_events(const carom_lab *it) { return it->events.numbers; }
EXPORT(lab_event_count) int lab_event_count(const carom_lab *it) { return it->events.count; }
EXPORT(lab_time) double lab_time(const carom_lab *it) {
  return carom_simulation_time(it->simulation);
}
