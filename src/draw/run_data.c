// SPDX-License-Identifier: MIT
#include "draw/run_data.h"

#include "base/error.h"

#include "draw/script.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static char **read_contacts(const carom_store *store, carom_run_data *data) {
  data->contacts = carom_store_list(store, "/contacts", &data->contact_count);
  if (data->contact_count > CAROM_RUN_MOST_CONTACTS) data->contact_count = CAROM_RUN_MOST_CONTACTS;
  int kept = 0;
  for (int k = 0; k < data->contact_count; k++) {
    char path[400];
    long rows;
    (void)snprintf(path, sizeof path, "/contacts/%.300s/mode", data->contacts[k]);
    char **modes = carom_store_texts(store, path, &rows);
    // contacts of compliant runs have no modes
    if (modes && rows == data->samples && rows > 0 && modes[0][0] != '?') {
      data->contacts[kept] = data->contacts[k];
      data->modes[kept++] = modes;
    } else {
      free(modes);
    }
  }
  data->contact_count = kept;
  return data->contacts;
}

// "t" leads the group and is no quantity of its own
static void drop_time(carom_run_data *data) {
  int kept = 0;
  for (int k = 0; k < data->name_count; k++)
    if (strcmp(data->names[k], "t") != 0) data->names[kept++] = data->names[k];
  data->name_count = kept;
}

carom_status carom_run_data_read(const carom_store *store, carom_run_data *data,
                                 carom_error *error) {
  *data = (carom_run_data){.store = store};
  long kinds, names, rows;
  if (strcmp(carom_store_kind(store), "run") != 0)
    return carom_draw_fail(error, CAROM_ERR_INPUT,
                           "the file holds tables, not the motion of a run ('carom run --out')");
  data->sample_t = carom_store_array(store, "/series/t", &data->samples, NULL);
  data->names = carom_store_list(store, "/series", &data->name_count);
  if (!data->sample_t || !data->names || data->samples == 0)
    return carom_draw_fail(error, CAROM_ERR_INPUT,
                           "the recording holds no samples: set run.sample");
  drop_time(data);
  (void)read_contacts(store, data);
  data->event_t = carom_store_array(store, "/events/t", &data->events, NULL);
  data->event_kind = carom_store_texts(store, "/events/kind", &kinds);
  data->event_name = carom_store_texts(store, "/events/name", &names);
  data->before = carom_store_array(store, "/events/before", &rows, &data->state);
  data->after = carom_store_array(store, "/events/after", &rows, &data->state);
  if (!data->event_t || !data->event_kind || !data->event_name || kinds < data->events ||
      names < data->events || !data->before || !data->after || rows < data->events)
    data->events = 0, data->state = 0;
  if (!carom_run_data_place(data)) return carom_draw_fail(error, CAROM_ERR_MEMORY, "out of memory");
  return CAROM_OK;
}

void carom_run_data_free(carom_run_data *data) {
  free(data->sample_t);
  free(data->t);
  free(data->nodes);
  free(data->names);
  free(data->contacts);
  for (int k = 0; k < data->contact_count; k++)
    free(data->modes[k]);
  free(data->event_t);
  free(data->event_kind);
  free(data->event_name);
  free(data->before);
  free(data->after);
}

int carom_run_data_find(const carom_run_data *data, const char *name) {
  for (int k = 0; k < data->name_count; k++)
    if (strcmp(data->names[k], name) == 0) return k;
  return -1;
}

// series by their names, and what there is of each contact
static carom_status unknown_series(const carom_run_data *data, const char *name,
                                   carom_error *error) {
  enum { HINT = 600, PARTS = 4, NAME = 64 };
  static const char *const OF_CONTACT[PARTS] = {"normal", "tangential", "gap", "slip"};
  char hint[HINT], made[CAROM_RUN_MOST_CONTACTS * PARTS][NAME];
  const char *near[CAROM_RUN_MOST_CONTACTS * PARTS];
  int count = 0;
  for (int k = 0; k < data->contact_count; k++)
    for (int j = 0; j < PARTS; j++) {
      (void)snprintf(made[count], NAME, "%.40s.%s", data->contacts[k], OF_CONTACT[j]);
      near[count] = made[count];
      count++;
    }
  bool of_contact = strchr(name, '.') && count > 0;
  carom_name_hint(hint, sizeof hint, name, of_contact ? near : (const char *const *)data->names,
                  of_contact ? count : data->name_count);
  return carom_draw_fail(error, CAROM_ERR_INPUT, "the recording has no series '%.60s'%s", name,
                         hint);
}

carom_status carom_run_data_series(const carom_run_data *data, const char *name, double **values,
                                   carom_error *error) {
  char path[400];
  // a name with a point is a quantity of a contact: left.normal
  const char *point = strchr(name, '.');
  int column = carom_run_data_find(data, name);
  if (strcmp(name, "t") != 0 && point && column < 0)
    (void)snprintf(path, sizeof path, "/contacts/%.*s/%.150s", (int)(point - name), name,
                   point + 1);
  else
    (void)snprintf(path, sizeof path, "/series/%.300s", name);
  *values = carom_run_data_array(data, path, column);
  return *values ? CAROM_OK : unknown_series(data, name, error);
}

void carom_run_data_span(const carom_run_data *data, double from, double until, long *first,
                         long *end) {
  *first = 0;
  *end = data->count;
  while (!isnan(from) && *first < data->count && data->t[*first] < from)
    ++*first;
  while (!isnan(until) && *end > *first && data->t[*end - 1] > until)
    --*end;
}

const char *carom_mode_text(char mode) {
  switch (mode) {
  case 'F': return "flight";
  case 'K': return "stick";
  case '+': return "slip +";
  case '-': return "slip −";
  case 'C': return "closed";
  default: return "unknown";
  }
}
