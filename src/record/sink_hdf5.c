// SPDX-License-Identifier: MIT
/// Recording to HDF5: time series and events stream in blocks of rows, so memory stays small
/// however long the run is; the rest is written at the end.
#define _POSIX_C_SOURCE 200809L
#include "base/text.h"
#include "record/h5_values.h"
#include "record/out_file.h"
#include "record/scene_hdf5.h"
#include "record/seal.h"
#include "record/sink.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  FORMAT_VERSION = 1,
  MOST_UNITS = 8192, // bytes of the list of units
  LONGEST_UNIT = 80,
  SERIES_ROWS = 1024, // rows held in memory and rows of a chunk
  FIRST_ROWS = 16,    // rows held at first: a run that is killed early leaves something too
  EVENT_ROWS = 256,
  KIND_ROOM = 24 // bytes of a kind of event in the file
};

typedef struct series {
  hid_t group;
  hid_t *datasets;             // t, then the columns
  int columns;                 // without t
  double *block;               // column after column, SERIES_ROWS each
  hsize_t held, written, most; // most: rows held before they are written
} series;

typedef struct events {
  hid_t group, instant, kind, name, direction, before, after;
  hid_t numbers[CAROM_EVENT_NUMBERS];
  hid_t kind_type, name_type;
  int size;                                          // of the state
  double *number_block, *before_block, *after_block; // numbers: column after column
  long *instant_block;
  int *direction_block;
  char *kind_block; // KIND_ROOM bytes each
  const char **name_block;
  hsize_t held, written;
  char **names; // every name met so far, owned
  int name_count, name_room;
} events;

typedef struct hdf5_sink {
  carom_out_file file;
  hid_t h5;
  series series;
  events events;
  carom_scene_sheet *sheet;
} hdf5_sink;

static carom_status write_failed(const hdf5_sink *it, carom_error *error) {
  return carom_record_fail(error, CAROM_ERR_IO, NULL, "cannot write %s: is the disk full?",
                           it->file.path);
}

// ---- time series ----

// "/" parts the names of groups, so it cannot be in the name of a dataset
static void link_name(const char *name, char *link, size_t room) {
  (void)snprintf(link, room, "%s", name);
  for (char *c = link; *c; c++)
    if (*c == '/') *c = '|';
}

static carom_status add_series(hdf5_sink *it, int k, const char *name, carom_error *error) {
  char link[256];
  link_name(name, link, sizeof link);
  if (H5Lexists(it->series.group, link, H5P_DEFAULT) > 0)
    return carom_record_fail(error, CAROM_ERR_INPUT, NULL,
                             "two recorded quantities have the name '%s'", name);
  hid_t dataset = carom_h5_growing(it->series.group, link, H5T_IEEE_F64LE, SERIES_ROWS, 0);
  it->series.datasets[k] = dataset;
  return dataset >= 0 ? CAROM_OK : write_failed(it, error);
}

static carom_status open_series(hdf5_sink *it, int count, const char *const *names,
                                carom_error *error) {
  series *s = &it->series;
  s->columns = count;
  s->most = FIRST_ROWS;
  s->datasets = malloc((size_t)(count + 1) * sizeof *s->datasets);
  if (!s->datasets) return carom_record_no_memory(error);
  for (int k = 0; k <= count; k++)
    s->datasets[k] = -1;
  s->block = calloc((size_t)(count + 1) * SERIES_ROWS, sizeof *s->block);
  if (!s->block) return carom_record_no_memory(error);
  s->group = carom_h5_group(it->h5, "series");
  if (s->group < 0) return write_failed(it, error);
  carom_status status = add_series(it, 0, "t", error);
  for (int k = 0; k < count && status == CAROM_OK; k++)
    status = add_series(it, k + 1, names[k], error);
  if (status != CAROM_OK) return status;
  return carom_h5_attribute_texts(s->group, "columns", count, names) ? CAROM_OK
                                                                     : write_failed(it, error);
}

static carom_status flush_series(hdf5_sink *it, carom_error *error) {
  series *s = &it->series;
  if (s->held == 0) return CAROM_OK;
  for (int k = 0; k <= s->columns; k++)
    if (!carom_h5_append(s->datasets[k], H5T_NATIVE_DOUBLE, s->written, s->held, 0,
                         s->block + (size_t)k * SERIES_ROWS))
      return write_failed(it, error);
  s->written += s->held;
  s->held = 0;
  return CAROM_OK;
}

// ---- events ----

static bool allocate_events(events *e) {
  size_t size = e->size > 0 ? (size_t)e->size : 1;
  e->number_block = calloc(EVENT_ROWS * CAROM_EVENT_NUMBERS, sizeof *e->number_block);
  e->instant_block = calloc(EVENT_ROWS, sizeof *e->instant_block);
  e->direction_block = calloc(EVENT_ROWS, sizeof *e->direction_block);
  e->kind_block = calloc(EVENT_ROWS, KIND_ROOM);
  e->name_block = calloc(EVENT_ROWS, sizeof *e->name_block);
  e->before_block = calloc(EVENT_ROWS * size, sizeof *e->before_block);
  e->after_block = calloc(EVENT_ROWS * size, sizeof *e->after_block);
  return e->number_block && e->instant_block && e->direction_block && e->kind_block &&
         e->name_block && e->before_block && e->after_block;
}

static carom_status open_events(hdf5_sink *it, int size, const char *const *names,
                                carom_error *error) {
  events *e = &it->events;
  e->size = size;
  if (!allocate_events(e)) return carom_record_no_memory(error);
  e->group = carom_h5_group(it->h5, "events");
  if (e->group < 0) return write_failed(it, error);
  e->kind_type = carom_h5_text_type(KIND_ROOM);
  e->name_type = carom_h5_text_type(0);
  e->instant = carom_h5_growing(e->group, "instant", H5T_STD_I64LE, EVENT_ROWS, 0);
  e->kind = carom_h5_growing(e->group, "kind", e->kind_type, EVENT_ROWS, 0);
  e->name = carom_h5_growing(e->group, "name", e->name_type, EVENT_ROWS, 0);
  e->direction = carom_h5_growing(e->group, "direction", H5T_STD_I8LE, EVENT_ROWS, 0);
  bool good = e->instant >= 0 && e->kind >= 0 && e->name >= 0 && e->direction >= 0;
  for (int k = 0; k < CAROM_EVENT_NUMBERS && good; k++) {
    e->numbers[k] = carom_h5_growing(e->group, CAROM_EVENT_NAMES[k], H5T_IEEE_F64LE, EVENT_ROWS, 0);
    good = e->numbers[k] >= 0;
  }
  if (good && size > 0) {
    e->before = carom_h5_growing(e->group, "before", H5T_IEEE_F64LE, EVENT_ROWS, (hsize_t)size);
    e->after = carom_h5_growing(e->group, "after", H5T_IEEE_F64LE, EVENT_ROWS, (hsize_t)size);
    good = e->before >= 0 && e->after >= 0 &&
           carom_h5_attribute_texts(e->before, "columns", size, names) &&
           carom_h5_attribute_texts(e->after, "columns", size, names);
  }
  return good ? CAROM_OK : write_failed(it, error);
}

// an owned copy of a name; runs have few different ones
static const char *keep_name(events *e, const char *name) {
  if (!name) name = "";
  for (int k = 0; k < e->name_count; k++)
    if (strcmp(e->names[k], name) == 0) return e->names[k];
  if (e->name_count == e->name_room) {
    int room = e->name_room > 0 ? 2 * e->name_room : 16;
    char **grown = realloc(e->names, (size_t)room * sizeof *grown);
    if (!grown) return NULL;
    e->names = grown;
    e->name_room = room;
  }
  char *copy = carom_text_copy(name);
  if (copy) e->names[e->name_count++] = copy;
  return copy;
}

static carom_status flush_events(hdf5_sink *it, carom_error *error) {
  events *e = &it->events;
  hsize_t rows = e->held, at = e->written, size = (hsize_t)e->size;
  if (rows == 0) return CAROM_OK;
  bool good = carom_h5_append(e->instant, H5T_NATIVE_LONG, at, rows, 0, e->instant_block) &&
              carom_h5_append(e->kind, e->kind_type, at, rows, 0, e->kind_block) &&
              carom_h5_append(e->name, e->name_type, at, rows, 0, e->name_block) &&
              carom_h5_append(e->direction, H5T_NATIVE_INT, at, rows, 0, e->direction_block);
  for (int k = 0; k < CAROM_EVENT_NUMBERS && good; k++)
    good = carom_h5_append(e->numbers[k], H5T_NATIVE_DOUBLE, at, rows, 0,
                           e->number_block + (size_t)k * EVENT_ROWS);
  if (good && size > 0)
    good = carom_h5_append(e->before, H5T_NATIVE_DOUBLE, at, rows, size, e->before_block) &&
           carom_h5_append(e->after, H5T_NATIVE_DOUBLE, at, rows, size, e->after_block);
  e->written += rows;
  e->held = 0;
  return good ? CAROM_OK : write_failed(it, error);
}

static carom_status take_event(void *state, const carom_event *event, carom_error *error) {
  hdf5_sink *it = state;
  events *e = &it->events;
  size_t row = (size_t)e->held, size = (size_t)e->size;
  e->name_block[row] = keep_name(e, event->name);
  if (!e->name_block[row]) return carom_record_no_memory(error);
  double numbers[CAROM_EVENT_NUMBERS];
  carom_event_numbers(event, numbers);
  for (int k = 0; k < CAROM_EVENT_NUMBERS; k++)
    e->number_block[(size_t)k * EVENT_ROWS + row] = numbers[k];
  e->instant_block[row] = event->instant;
  e->direction_block[row] = event->direction;
  char *kind = e->kind_block + row * KIND_ROOM;
  memset(kind, 0, KIND_ROOM);
  const char *text = carom_event_kind_text(event->kind);
  size_t length = strlen(text);
  memcpy(kind, text, length < KIND_ROOM ? length : KIND_ROOM);
  if (event->size == e->size && size > 0) {
    memcpy(e->before_block + row * size, event->before, size * sizeof(double));
    memcpy(e->after_block + row * size, event->after, size * sizeof(double));
  }
  if (++e->held < EVENT_ROWS) return CAROM_OK;
  carom_h5_silence silence = carom_h5_silence_begin();
  carom_status status = flush_events(it, error);
  carom_h5_silence_end(silence);
  return status;
}

// ---- samples ----

// all that is held goes to the disk: it can be read even if the program is killed later
static carom_status flush_all(hdf5_sink *it, carom_error *error) {
  carom_status status = flush_series(it, error);
  if (status == CAROM_OK) status = flush_events(it, error);
  if (status != CAROM_OK) return status;
  bool good = carom_scene_sheet_flush(it->sheet) && H5Fflush(it->h5, H5F_SCOPE_LOCAL) >= 0;
  return good ? CAROM_OK : write_failed(it, error);
}

static carom_status take_sample(void *state, double t, int count, const double *values,
                                carom_error *error) {
  hdf5_sink *it = state;
  series *s = &it->series;
  s->block[s->held] = t;
  for (int k = 0; k < s->columns; k++)
    s->block[(size_t)(k + 1) * SERIES_ROWS + s->held] = k < count ? values[k] : 0.0;
  s->held++;
  carom_h5_silence silence = carom_h5_silence_begin();
  carom_status status = carom_scene_sheet_take(it->sheet, t) ? CAROM_OK : write_failed(it, error);
  if (status == CAROM_OK && s->held == s->most) {
    status = flush_all(it, error);
    if (s->most < SERIES_ROWS) s->most *= 2;
  }
  carom_h5_silence_end(silence);
  return status;
}

// ---- the end ----

static bool put_observables(hid_t h5, carom_simulation *simulation) {
  const carom_model *model = carom_simulation_model(simulation);
  hid_t group = carom_h5_group(h5, "observables");
  if (group < 0) return false;
  bool good = true;
  for (int k = 0; good && k < carom_model_count(model, CAROM_OBSERVABLES); k++) {
    const char *name = carom_model_name(model, CAROM_OBSERVABLES, k);
    double value;
    // one that cannot be computed (its window was not reached) is left out
    if (carom_simulation_get(simulation, name, &value, NULL) != CAROM_OK) continue;
    char link[256];
    link_name(name, link, sizeof link);
    good = carom_h5_put_number(group, link, value);
  }
  return H5Gclose(group) >= 0 && good;
}

static bool put_certificate(hid_t h5, const carom_certificate *certificate) {
  carom_field fields[CAROM_CERTIFICATE_FIELDS];
  int count = carom_certificate_fields(certificate, fields);
  hid_t group = carom_h5_group(h5, "certificate");
  if (group < 0) return false;
  bool good = true;
  for (int k = 0; good && k < count; k++) {
    const carom_field *field = &fields[k];
    switch (field->kind) {
    case CAROM_FIELD_NUMBER: good = carom_h5_put_number(group, field->name, field->number); break;
    case CAROM_FIELD_COUNT: good = carom_h5_put_count(group, field->name, field->count); break;
    case CAROM_FIELD_FLAG: good = carom_h5_put_flag(group, field->name, field->count != 0); break;
    }
  }
  return H5Gclose(group) >= 0 && good;
}

static void close_datasets(hdf5_sink *it) {
  carom_scene_sheet_close(it->sheet);
  series *s = &it->series;
  events *e = &it->events;
  for (int k = 0; s->datasets && k <= s->columns; k++)
    if (s->datasets[k] >= 0) (void)H5Dclose(s->datasets[k]);
  const hid_t of_events[] = {e->instant, e->kind, e->name, e->direction, e->before, e->after};
  for (size_t k = 0; k < sizeof of_events / sizeof *of_events; k++)
    if (of_events[k] > 0) (void)H5Dclose(of_events[k]);
  for (int k = 0; k < CAROM_EVENT_NUMBERS; k++)
    if (e->numbers[k] > 0) (void)H5Dclose(e->numbers[k]);
  if (e->kind_type > 0) (void)H5Tclose(e->kind_type);
  if (e->name_type > 0) (void)H5Tclose(e->name_type);
  if (s->group > 0) (void)H5Gclose(s->group);
  if (e->group > 0) (void)H5Gclose(e->group);
}

static void release_sink(hdf5_sink *it) {
  events *e = &it->events;
  for (int k = 0; k < e->name_count; k++)
    free(e->names[k]);
  free(e->names);
  free(e->number_block);
  free(e->instant_block);
  free(e->direction_block);
  free(e->kind_block);
  free(e->name_block);
  free(e->before_block);
  free(e->after_block);
  free(it->series.datasets);
  free(it->series.block);
  carom_out_discard(&it->file);
  free(it);
}

static carom_status close_file(void *state, const carom_record_end *end, carom_error *error) {
  hdf5_sink *it = state;
  carom_h5_silence silence = carom_h5_silence_begin();
  carom_status status = flush_all(it, error);
  bool good = carom_h5_attribute_text(it->h5, "outcome", end->outcome) &&
              put_observables(it->h5, end->simulation) &&
              put_certificate(it->h5, &end->certificate);
  if (good && end->provenance) good = carom_h5_put_provenance(it->h5, &end->wall_time);
  close_datasets(it);
  good = H5Fclose(it->h5) >= 0 && good;
  carom_h5_silence_end(silence);
  if (!good && status == CAROM_OK) status = write_failed(it, error);
  if (status == CAROM_OK && !carom_seal_end(it->file.temporary)) status = write_failed(it, error);
  if (status == CAROM_OK) status = carom_out_close(&it->file, error);
  release_sink(it);
  return status;
}

static void discard_file(void *state) {
  hdf5_sink *it = state;
  carom_h5_silence silence = carom_h5_silence_begin();
  close_datasets(it);
  if (it->h5 > 0) (void)H5Fclose(it->h5);
  carom_h5_silence_end(silence);
  release_sink(it);
}

// "t=s,x=m,...": for axes; nothing where the scenario writes no units
static bool put_units(const hdf5_sink *it, const carom_model *model) {
  static const carom_item items[] = {CAROM_PARAMETERS, CAROM_COORDINATES, CAROM_STATES,
                                     CAROM_DEFINITIONS, CAROM_OBSERVABLES};
  char text[MOST_UNITS] = "t=s", unit[LONGEST_UNIT];
  size_t used = strlen(text);
  bool any = false;
  for (size_t i = 0; i < sizeof items / sizeof *items; i++)
    for (int k = 0; k < carom_model_count(model, items[i]); k++) {
      const char *name = carom_model_name(model, items[i], k);
      if (!carom_model_unit(model, items[i], k, unit, sizeof unit)) continue;
      if (used + strlen(name) + strlen(unit) + 3 > sizeof text) break;
      used += (size_t)snprintf(text + used, sizeof text - used, ",%s=%s", name, unit);
      any = true;
    }
  return !any || carom_h5_attribute_text(it->h5, "units", text);
}

static carom_status open_file(hdf5_sink *it, const carom_simulation *simulation,
                              carom_error *error) {
  it->h5 = carom_h5_create(it->file.temporary);
  if (it->h5 < 0) return write_failed(it, error);

  const carom_model *model = carom_simulation_model(simulation);
  char *scenario = carom_model_scenario_text(model);
  bool good = carom_h5_attribute_text(it->h5, "format", "carom recording") &&
              carom_h5_attribute_count(it->h5, "format_version", FORMAT_VERSION) &&
              carom_h5_attribute_text(it->h5, "title", carom_model_title(model)) &&
              carom_h5_attribute_text(it->h5, "engine", carom_model_engine(model)) &&
              carom_h5_attribute_text(it->h5, "outcome", "unfinished") && put_units(it, model) &&
              carom_h5_put_text(it->h5, "scenario", scenario ? scenario : "", 0);
  carom_text_destroy(scenario);
  return good ? CAROM_OK : write_failed(it, error);
}

static carom_status open_contents(hdf5_sink *it, const carom_simulation *simulation,
                                  carom_error *error) {
  int count = carom_simulation_columns(simulation), size;
  (void)carom_simulation_state(simulation, &size);
  const char **names = calloc(count > 0 ? (size_t)count : 1, sizeof *names);
  if (!names) return carom_record_no_memory(error);
  for (int k = 0; k < count; k++)
    names[k] = carom_simulation_column(simulation, k);
  // the state (q, q', z) is the beginning of the columns
  carom_status status = open_series(it, count, names, error);
  if (status == CAROM_OK) status = open_events(it, size < count ? size : count, names, error);
  free(names);
  return status;
}

static carom_status open_sheet(hdf5_sink *it, const carom_simulation *simulation,
                               const carom_scene *scene, long most_numbers, carom_error *error) {
  const carom_model *model = carom_simulation_model(simulation);
  int count = carom_model_count(model, CAROM_CONTACTS);
  const char **names = calloc((size_t)count + 1, sizeof *names);
  if (!names) return carom_record_no_memory(error);
  for (int k = 0; k < count; k++)
    names[k] = carom_model_name(model, CAROM_CONTACTS, k);
  carom_status status =
      carom_scene_sheet_open(it->h5, scene, names, most_numbers, &it->sheet, error);
  free(names);
  return status;
}

carom_status carom_sink_hdf5(const carom_simulation *simulation, const carom_scene *scene,
                             const carom_record_options *options, carom_sink *sink,
                             carom_error *error) {
  hdf5_sink *it = calloc(1, sizeof *it);
  if (!it) return carom_record_no_memory(error);
  carom_h5_silence silence = carom_h5_silence_begin();
  carom_status status = carom_out_reserve(&it->file, options->file, error);
  if (status == CAROM_OK) status = open_file(it, simulation, error);
  if (status == CAROM_OK) status = open_contents(it, simulation, error);
  if (status == CAROM_OK) status = open_sheet(it, simulation, scene, options->most_numbers, error);
  // from now on the file can be read, even if the program is killed before its first block
  if (status == CAROM_OK && H5Fflush(it->h5, H5F_SCOPE_LOCAL) < 0) status = write_failed(it, error);
  carom_h5_silence_end(silence);
  if (status != CAROM_OK) {
    discard_file(it);
    return status;
  }
  *sink = (carom_sink){it, take_sample, take_event, close_file, discard_file};
  return CAROM_OK;
}
