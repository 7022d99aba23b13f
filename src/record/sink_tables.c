// SPDX-License-Identifier: MIT
/// Recording to tables: a folder of CSV files (RFC 4180, a header line, numbers that read back
/// exactly) with the resolved scenario beside them.
#define _POSIX_C_SOURCE 200809L
#include "base/text.h"
#include "record/csv_cells.h"
#include "record/out_file.h"
#include "record/scene_hdf5.h"
#include "record/sink.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct table {
  FILE *out; // of the file
  carom_out_file file;
} table;

typedef struct tables_sink {
  char *folder;
  table series, events, contacts, energy; // contacts, energy: not open where there are none
  const carom_scene *scene;
  int size; // of the state
} tables_sink;

static carom_status write_failed(const table *it, carom_error *error) {
  return carom_record_fail(error, CAROM_ERR_IO, NULL, "cannot write %s: %s", it->file.path,
                           strerror(errno));
}

// ---- one file under a temporary name ----

static carom_status table_open(table *it, const char *folder, const char *name,
                               carom_error *error) {
  char *start = carom_text_join(folder, "/");
  char *path = start ? carom_text_join(start, name) : NULL;
  carom_status status =
      path ? carom_out_open(&it->file, path, error) : carom_record_no_memory(error);
  it->out = it->file.stream;
  free(start);
  free(path);
  return status;
}

static carom_status table_close(table *it, carom_error *error) {
  it->out = NULL;
  return carom_out_close(&it->file, error);
}

static void table_discard(table *it) {
  it->out = NULL;
  carom_out_discard(&it->file);
}

// ---- what stands in a cell ----

static void put_head(FILE *out, const char *prefix, const char *name) {
  char *whole = carom_text_join(prefix, name);
  (void)fputc(',', out);
  carom_csv_text(out, whole ? whole : name);
  free(whole);
}

// ---- the run ----

static void put_contacts(const tables_sink *it, double t) {
  FILE *out = it->contacts.out;
  int count;
  const carom_contact_view *contacts = carom_scene_contacts(it->scene, &count);
  carom_csv_number(out, t);
  for (int k = 0; k < count; k++) {
    double numbers[CAROM_CONTACT_NUMBERS];
    carom_contact_numbers(&contacts[k], numbers);
    (void)fprintf(out, ",%c", contacts[k].mode);
    for (int j = 0; j < CAROM_CONTACT_NUMBERS; j++) {
      (void)fputc(',', out);
      carom_csv_number(out, numbers[j]);
    }
  }
  (void)fputc('\n', out);
}

static void put_energy(const tables_sink *it, double t) {
  carom_ledger_entry entries[CAROM_LEDGER_MOST];
  int count = carom_ledger_entries(carom_scene_ledger(it->scene), entries);
  carom_csv_number(it->energy.out, t);
  for (int k = 0; k < count; k++) {
    (void)fputc(',', it->energy.out);
    carom_csv_number(it->energy.out, entries[k].value);
  }
  (void)fputc('\n', it->energy.out);
}

static carom_status take_sample(void *state, double t, int count, const double *values,
                                carom_error *error) {
  tables_sink *it = state;
  FILE *out = it->series.out;
  carom_csv_number(out, t);
  for (int k = 0; k < count; k++) {
    (void)fputc(',', out);
    carom_csv_number(out, values[k]);
  }
  (void)fputc('\n', out);
  if (it->contacts.out) put_contacts(it, t);
  if (it->energy.out) put_energy(it, t);
  return ferror(out) ? write_failed(&it->series, error) : CAROM_OK;
}

static carom_status take_event(void *state, const carom_event *event, carom_error *error) {
  tables_sink *it = state;
  FILE *out = it->events.out;
  double numbers[CAROM_EVENT_NUMBERS];
  carom_event_numbers(event, numbers);
  carom_csv_number(out, numbers[0]);
  (void)fprintf(out, ",%ld,%s,", event->instant, carom_event_kind_text(event->kind));
  carom_csv_text(out, event->name ? event->name : "");
  (void)fprintf(out, ",%d", event->direction);
  for (int k = 1; k < CAROM_EVENT_NUMBERS; k++) {
    (void)fputc(',', out);
    carom_csv_number(out, numbers[k]);
  }
  const double *const states[] = {event->before, event->after};
  for (int side = 0; side < 2; side++)
    for (int k = 0; k < it->size; k++) {
      (void)fputc(',', out);
      carom_csv_number(out, k < event->size ? states[side][k] : NAN);
    }
  (void)fputc('\n', out);
  return ferror(out) ? write_failed(&it->events, error) : CAROM_OK;
}

static carom_status put_observables(const tables_sink *it, carom_simulation *simulation,
                                    carom_error *error) {
  table observables = {0};
  const carom_model *model = carom_simulation_model(simulation);
  carom_status status = table_open(&observables, it->folder, "observables.csv", error);
  if (status != CAROM_OK) return status;
  (void)fputs("name,value\n", observables.out);
  for (int k = 0; k < carom_model_count(model, CAROM_OBSERVABLES); k++) {
    const char *name = carom_model_name(model, CAROM_OBSERVABLES, k);
    double value;
    if (carom_simulation_get(simulation, name, &value, NULL) != CAROM_OK) continue;
    carom_csv_text(observables.out, name);
    (void)fputc(',', observables.out);
    carom_csv_number(observables.out, value);
    (void)fputc('\n', observables.out);
  }
  return table_close(&observables, error);
}

// the rods of the end, as start.table takes them up
static carom_status put_rods(const tables_sink *it, const carom_simulation *simulation,
                             carom_error *error) {
  table rods = {0};
  carom_body_motion rod;
  if (!carom_simulation_body(simulation, 0, &rod)) return CAROM_OK;
  carom_status status = table_open(&rods, it->folder, "rods.csv", error);
  if (status != CAROM_OK) return status;
  (void)fputs("x,y,z,ux,uy,uz,vx,vy,vz,wx,wy,wz,kind\n", rods.out);
  for (int k = 0; carom_simulation_body(simulation, k, &rod); k++) {
    const double *const groups[] = {rod.x, rod.u, rod.v, rod.w};
    for (int j = 0; j < 12; j++) {
      carom_csv_number(rods.out, groups[j / 3][j % 3]);
      (void)fputc(',', rods.out);
    }
    carom_csv_text(rods.out, rod.name);
    (void)fputc('\n', rods.out);
  }
  return table_close(&rods, error);
}

static carom_status put_certificate(const tables_sink *it, const carom_record_end *end,
                                    carom_error *error) {
  table certificate = {0};
  carom_status status = table_open(&certificate, it->folder, "certificate.csv", error);
  if (status != CAROM_OK) return status;
  carom_field fields[CAROM_CERTIFICATE_FIELDS];
  int count = carom_certificate_fields(&end->certificate, fields);
  (void)fprintf(certificate.out, "name,value\noutcome,%s\n", end->outcome);
  for (int k = 0; k < count; k++) {
    (void)fprintf(certificate.out, "%s,", fields[k].name);
    if (fields[k].kind == CAROM_FIELD_NUMBER)
      carom_csv_number(certificate.out, fields[k].number);
    else
      (void)fprintf(certificate.out, "%ld", fields[k].count);
    (void)fputc('\n', certificate.out);
  }
  return table_close(&certificate, error);
}

static carom_status put_provenance(const tables_sink *it, const carom_record_end *end,
                                   carom_error *error) {
  table made = {0};
  carom_status status = table_open(&made, it->folder, "provenance.csv", error);
  if (status != CAROM_OK) return status;
  carom_provenance p;
  carom_provenance_now(&p);
  const char *const rows[][2] = {{"version", p.version},   {"revision", p.revision},
                                 {"compiler", p.compiler}, {"flags", p.flags},
                                 {"host", p.host},         {"date", p.date}};
  (void)fputs("name,value\n", made.out);
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    (void)fprintf(made.out, "%s,", rows[k][0]);
    carom_csv_text(made.out, rows[k][1]);
    (void)fputc('\n', made.out);
  }
  (void)fputs("wall_time,", made.out);
  carom_csv_number(made.out, end->wall_time);
  (void)fputc('\n', made.out);
  return table_close(&made, error);
}

static carom_status put_scenario(const tables_sink *it, const carom_model *model,
                                 carom_error *error) {
  table scenario = {0};
  char *text = carom_model_scenario_text(model);
  if (!text) return CAROM_OK; // a model given by functions
  carom_status status = table_open(&scenario, it->folder, "scenario.yaml", error);
  if (status == CAROM_OK) {
    (void)fputs(text, scenario.out);
    status = table_close(&scenario, error);
  }
  carom_text_destroy(text);
  return status;
}

static void release_sink(tables_sink *it) {
  free(it->folder);
  free(it);
}

static carom_status close_tables(void *state, const carom_record_end *end, carom_error *error) {
  tables_sink *it = state;
  carom_status status = table_close(&it->series, error);
  carom_status of_events = table_close(&it->events, status == CAROM_OK ? error : NULL);
  if (status == CAROM_OK) status = of_events;
  table *const others[] = {&it->contacts, &it->energy};
  for (int k = 0; k < 2; k++) {
    if (!others[k]->out) continue;
    carom_status of_other = table_close(others[k], status == CAROM_OK ? error : NULL);
    if (status == CAROM_OK) status = of_other;
  }
  if (status == CAROM_OK) status = put_observables(it, end->simulation, error);
  if (status == CAROM_OK) status = put_rods(it, end->simulation, error);
  if (status == CAROM_OK) status = put_certificate(it, end, error);
  if (status == CAROM_OK) status = put_scenario(it, carom_simulation_model(end->simulation), error);
  if (status == CAROM_OK && end->provenance) status = put_provenance(it, end, error);
  release_sink(it);
  return status;
}

static void discard_tables(void *state) {
  tables_sink *it = state;
  table_discard(&it->series);
  table_discard(&it->events);
  table_discard(&it->contacts);
  table_discard(&it->energy);
  release_sink(it);
}

static void put_contact_head(FILE *out, const char *name) {
  char of_contact[32];
  put_head(out, name, " mode");
  for (int j = 0; j < CAROM_CONTACT_NUMBERS; j++) {
    (void)snprintf(of_contact, sizeof of_contact, " %s", CAROM_CONTACT_NAMES[j]);
    put_head(out, name, of_contact);
  }
}

static void put_headers(tables_sink *it, const carom_simulation *simulation) {
  (void)fputc('t', it->series.out);
  for (int k = 0; k < carom_simulation_columns(simulation); k++)
    put_head(it->series.out, "", carom_simulation_column(simulation, k));
  (void)fputs("\n", it->series.out);
  (void)fputs("t,instant,kind,name,direction", it->events.out);
  for (int k = 1; k < CAROM_EVENT_NUMBERS; k++)
    put_head(it->events.out, "", CAROM_EVENT_NAMES[k]);
  static const char *const SIDES[] = {"before ", "after "};
  for (int side = 0; side < 2; side++)
    for (int k = 0; k < it->size; k++)
      put_head(it->events.out, SIDES[side], carom_simulation_column(simulation, k));
  (void)fputs("\n", it->events.out);
  if (it->contacts.out) {
    const carom_model *model = carom_simulation_model(simulation);
    (void)fputc('t', it->contacts.out);
    for (int k = 0; k < carom_model_count(model, CAROM_CONTACTS); k++)
      put_contact_head(it->contacts.out, carom_model_name(model, CAROM_CONTACTS, k));
    (void)fputc('\n', it->contacts.out);
  }
  (void)fputc('t', it->energy.out);
  carom_ledger_entry entries[CAROM_LEDGER_MOST];
  int count = carom_ledger_entries(carom_scene_ledger(it->scene), entries);
  for (int k = 0; k < count; k++)
    put_head(it->energy.out, "", entries[k].name);
  (void)fputc('\n', it->energy.out);
}

carom_status carom_sink_tables(const carom_simulation *simulation, const carom_scene *scene,
                               const carom_record_options *options, carom_sink *sink,
                               carom_error *error) {
  const char *folder = options->folder;
  if (mkdir(folder, 0777) != 0 && errno != EEXIST)
    return carom_record_fail(error, CAROM_ERR_IO, NULL, "cannot make the folder %s: %s", folder,
                             strerror(errno));
  tables_sink *it = calloc(1, sizeof *it);
  if (!it) return carom_record_no_memory(error);
  int columns = carom_simulation_columns(simulation);
  (void)carom_simulation_state(simulation, &it->size);
  if (it->size > columns) it->size = columns;
  it->folder = carom_text_copy(folder);
  carom_status status = it->folder ? CAROM_OK : carom_record_no_memory(error);
  if (status == CAROM_OK) status = table_open(&it->series, folder, "series.csv", error);
  if (status == CAROM_OK) status = table_open(&it->events, folder, "events.csv", error);
  int contacts;
  (void)carom_scene_contacts(scene, &contacts);
  it->scene = scene;
  if (status == CAROM_OK && contacts > 0)
    status = table_open(&it->contacts, folder, "contacts.csv", error);
  if (status == CAROM_OK) status = table_open(&it->energy, folder, "energy.csv", error);
  if (status != CAROM_OK) {
    discard_tables(it);
    return status;
  }
  put_headers(it, simulation);
  *sink = (carom_sink){it, take_sample, take_event, close_tables, discard_tables};
  return CAROM_OK;
}
