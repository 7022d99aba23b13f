// SPDX-License-Identifier: MIT
#define _POSIX_C_SOURCE 200809L
#include "draw/page.h"

#include "draw/page_data.h"
#include "draw/run_data.h"
#include "draw/script.h"
#include "record/out_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  MOST_SAMPLES = 12000,      // shown; a longer run is thinned out
  MOST_EVENTS = 2000,        // listed
  MOST_NUMBERS = 3 * 1000000 // of bodies in all frames
};

// the files of src/draw/page, embedded
extern const unsigned char carom_file_page_html[], carom_file_page_css[], carom_file_helpers_js[],
    carom_file_data_js[], carom_file_canvas_js[], carom_file_plane_js[], carom_file_space_js[],
    carom_file_plots_js[], carom_file_tables_js[], carom_file_player_js[], carom_file_selftest_js[];

carom_page_options carom_page_options_default(void) {
  return (carom_page_options){.from = NAN, .until = NAN};
}

typedef struct page {
  const carom_page_options *options;
  const carom_store *store;
  carom_run_data run;
  FILE *out;
  long first, end;   // nodes of the span
  long *kept, count; // those that are shown
} page;

// ---- the run as JSON ----

static void put_key(page *it, const char *name) {
  (void)fputs(",\n", it->out);
  carom_page_text(it->out, name);
  (void)fputc(':', it->out);
}

// values of all nodes: those that are shown
static void put_shown(page *it, const double *values) {
  double *shown = malloc(((size_t)it->count + 1) * sizeof *shown);
  for (long k = 0; k < it->count && shown && values; k++)
    shown[k] = values[it->kept[k]];
  carom_page_singles(it->out, shown, shown && values ? it->count : 0, 1);
  free(shown);
}

static void put_attribute(page *it, const char *name) {
  char *text = carom_store_text(it->store, name);
  put_key(it, name);
  carom_page_text(it->out, text);
  free(text);
}

static void put_one_series(page *it, const char *name, const double *values, bool *begun) {
  (void)fputs(*begun ? ",\n{\"name\":" : "{\"name\":", it->out);
  carom_page_text(it->out, name);
  (void)fputs(",\"values\":", it->out);
  put_shown(it, values);
  (void)fputc('}', it->out);
  *begun = true;
}

static bool is_zero(const double *values, long count) {
  for (long k = 0; k < count; k++)
    if (values[k] != 0.0 && !isnan(values[k])) return false;
  return true;
}

// what the ledger has booked up to each instant, but for what never was
static void put_ledger(page *it, bool *begun) {
  int count;
  char **names = carom_store_list(it->store, "/energy", &count), path[400], name[400];
  for (int k = 0; k < count && names; k++) {
    if (carom_run_data_find(&it->run, names[k]) >= 0) continue;
    (void)snprintf(path, sizeof path, "/energy/%.300s", names[k]);
    (void)snprintf(name, sizeof name, "energy.%.300s", names[k]);
    double *values = carom_run_data_array(&it->run, path, -1);
    if (values && !is_zero(values, it->run.count)) put_one_series(it, name, values, begun);
    free(values);
  }
  free(names);
}

static void put_series(page *it) {
  bool begun = false;
  put_key(it, "series");
  (void)fputc('[', it->out);
  for (int k = 0; k < it->run.name_count; k++) {
    double *values;
    if (carom_run_data_series(&it->run, it->run.names[k], &values, NULL) != CAROM_OK) continue;
    put_one_series(it, it->run.names[k], values, &begun);
    free(values);
  }
  put_ledger(it, &begun);
  (void)fputc(']', it->out);
}

static void put_contacts(page *it) {
  static const char *const NUMBERS[] = {"gap", "slip", "normal",  "tangential",
                                        "x",   "y",    "force_x", "force_y"};
  bool begun = false;
  put_key(it, "contacts");
  (void)fputc('[', it->out);
  for (int c = 0; c < it->run.contact_count; c++) {
    (void)fputs(begun ? ",\n{\"name\":" : "{\"name\":", it->out);
    carom_page_text(it->out, it->run.contacts[c]);
    (void)fputs(",\"mode\":\"", it->out);
    for (long k = 0; k < it->count; k++)
      (void)fputc(carom_run_data_mode(&it->run, c, it->kept[k]), it->out);
    (void)fputc('"', it->out);
    for (size_t j = 0; j < sizeof NUMBERS / sizeof *NUMBERS; j++) {
      char path[400];
      (void)snprintf(path, sizeof path, "/contacts/%.300s/%s", it->run.contacts[c], NUMBERS[j]);
      double *values = carom_run_data_array(&it->run, path, -1);
      (void)fprintf(it->out, ",\"%s\":", NUMBERS[j]);
      put_shown(it, values);
      free(values);
    }
    (void)fputc('}', it->out);
    begun = true;
  }
  (void)fputc(']', it->out);
}

static void put_group(page *it, const char *name) {
  char path[400];
  int count;
  bool begun = false;
  (void)snprintf(path, sizeof path, "/%s", name);
  char **members = carom_store_list(it->store, path, &count);
  put_key(it, name);
  (void)fputc('{', it->out);
  for (int k = 0; k < count; k++) {
    (void)snprintf(path, sizeof path, "/%s/%.300s", name, members[k]);
    char *text = carom_store_text(it->store, path);
    (void)fputs(begun ? "," : "", it->out);
    carom_page_text(it->out, members[k]);
    (void)fputc(':', it->out);
    if (text)
      carom_page_text(it->out, text);
    else
      carom_page_number(it->out, carom_store_number(it->store, path, NAN));
    free(text);
    begun = true;
  }
  (void)fputc('}', it->out);
  free(members);
}

// numbers of the events, a column each; NULL where an older file has none
enum { DIRECTION, VALUE, CHANGE_PARTS, EVENT_COLUMNS = CHANGE_PARTS + 4 };
typedef struct event_columns {
  double *column[EVENT_COLUMNS];
} event_columns;

static event_columns read_event_columns(const page *it) {
  static const char *const PATHS[EVENT_COLUMNS] = {
      "/events/direction",      "/events/value",           "/events/kinetic_after",
      "/events/kinetic_before", "/events/potential_after", "/events/potential_before"};
  event_columns read;
  for (int k = 0; k < EVENT_COLUMNS; k++) {
    long rows;
    read.column[k] = carom_store_array(it->store, PATHS[k], &rows, NULL);
    if (!read.column[k] || rows >= it->run.events) continue;
    free(read.column[k]);
    read.column[k] = NULL;
  }
  return read;
}

// kinetic and potential energy before an event (0) or after it (1)
static double energy_at(const event_columns *columns, long k, int side) {
  const double *kinetic = columns->column[CHANGE_PARTS + 1 - side];
  const double *potential = columns->column[CHANGE_PARTS + 3 - side];
  return kinetic && potential ? kinetic[k] + potential[k] : NAN;
}

static void put_event(const page *it, const event_columns *columns, long k) {
  const double *direction = columns->column[DIRECTION], *value = columns->column[VALUE];
  (void)fputc('[', it->out);
  carom_page_number(it->out, it->run.event_t[k]);
  (void)fputc(',', it->out);
  carom_page_text(it->out, it->run.event_kind[k]);
  (void)fputc(',', it->out);
  carom_page_text(it->out, it->run.event_name[k]);
  (void)fprintf(it->out, ",%d,", direction ? (int)direction[k] : 0);
  carom_page_number(it->out, value ? value[k] : NAN);
  (void)fputc(',', it->out);
  for (int side = 0; side < 2; side++) {
    if (side > 0) (void)fputc(',', it->out);
    carom_page_number(it->out, energy_at(columns, k, side));
  }
  (void)fputc(']', it->out);
}

static void put_events(page *it) {
  const carom_run_data *run = &it->run;
  double from = run->t[it->first], until = run->t[it->end - 1];
  long total = 0, listed = 0;
  event_columns columns = read_event_columns(it);
  put_key(it, "events");
  (void)fputc('[', it->out);
  for (long k = 0; k < run->events; k++) {
    if (run->event_t[k] < from || run->event_t[k] > until) continue;
    if (total++ >= MOST_EVENTS) continue;
    (void)fputs(listed++ ? ",\n" : "", it->out);
    put_event(it, &columns, k);
  }
  (void)fputc(']', it->out);
  put_key(it, "event_total");
  (void)fprintf(it->out, "%ld", total);
  for (int k = 0; k < EVENT_COLUMNS; k++)
    free(columns.column[k]);
}

// ---- bodies ----

static void put_parts(page *it, long parts) {
  static const char *const COUNTS[] = {"first", "count", "fixed_first", "fixed_count"};
  double *counts[4];
  long rows, kinds, labels, colors, fills;
  char **kind = carom_store_texts(it->store, "/scene/kind", &kinds);
  char **label = carom_store_texts(it->store, "/scene/label", &labels);
  // files of version 0.1 have neither
  char **color = carom_store_texts(it->store, "/scene/color", &colors);
  char **fill = carom_store_texts(it->store, "/scene/fill", &fills);
  bool good = kind && label && kinds >= parts && labels >= parts;
  for (int j = 0; j < 4; j++) {
    char path[64];
    (void)snprintf(path, sizeof path, "/scene/%s", COUNTS[j]);
    counts[j] = carom_store_array(it->store, path, &rows, NULL);
    good = good && counts[j] && rows >= parts;
  }
  (void)fputs(",\"parts\":[", it->out);
  for (long k = 0; k < parts && good; k++) {
    (void)fputs(k ? ",\n{\"kind\":" : "{\"kind\":", it->out);
    carom_page_text(it->out, kind[k]);
    (void)fputs(",\"label\":", it->out);
    carom_page_text(it->out, label[k]);
    (void)fputs(",\"color\":", it->out);
    carom_page_text(it->out, color && k < colors ? color[k] : "");
    (void)fputs(",\"fill\":", it->out);
    carom_page_text(it->out, fill && k < fills ? fill[k] : "");
    for (int j = 0; j < 4; j++)
      (void)fprintf(it->out, ",\"%s\":%.0f", COUNTS[j], counts[j][k]);
    (void)fputc('}', it->out);
  }
  (void)fputc(']', it->out);
  for (int j = 0; j < 4; j++)
    free(counts[j]);
  free(kind);
  free(label);
  free(color);
  free(fill);
}

static void put_frames(page *it, const double *t, const double *numbers, long frames, long size) {
  double from = it->run.t[it->first], until = it->run.t[it->end - 1];
  long first = 0, end = frames;
  while (first < frames && t[first] < from - 1e-9 * fabs(from))
    first++;
  while (end > first && t[end - 1] > until + 1e-9 * fabs(until))
    end--;
  // no more frames than samples, and no more numbers than a browser likes to read
  long most = it->count < MOST_NUMBERS / (size + 1) ? it->count : MOST_NUMBERS / (size + 1);
  long stride = most > 0 ? (end - first + most - 1) / most : 1;
  if (stride < 1) stride = 1;
  long count = (end - first + stride - 1) / stride;
  (void)fputs(",\"t\":", it->out);
  carom_page_doubles(it->out, t + first, count, stride);
  // the rows that are kept, one behind the other
  double *kept = malloc(((size_t)count * (size_t)size + 1) * sizeof *kept);
  for (long k = 0; k < count && kept; k++)
    memcpy(kept + k * size, numbers + (first + k * stride) * size, (size_t)size * sizeof *kept);
  (void)fputs(",\"numbers\":", it->out);
  carom_page_singles(it->out, kept, kept ? count * size : 0, 1);
  free(kept);
}

static void put_scene(page *it) {
  long frames, rows, size, parts, fixed_count;
  double *t = carom_store_array(it->store, "/scene/t", &frames, NULL);
  double *numbers = carom_store_array(it->store, "/scene/numbers", &rows, &size);
  double *first = carom_store_array(it->store, "/scene/first", &parts, NULL);
  double *fixed = carom_store_array(it->store, "/scene/fixed", &fixed_count, NULL);
  put_key(it, "scene");
  if (t && numbers && first && fixed && rows == frames) {
    (void)fprintf(it->out, "{\"space\":%s,\"made\":%s,\"size\":%ld",
                  carom_store_attribute(it->store, "/scene", "space", 0) ? "true" : "false",
                  carom_store_attribute(it->store, "/scene", "made", 0) ? "true" : "false", size);
    put_parts(it, parts);
    (void)fputs(",\"fixed\":", it->out);
    carom_page_singles(it->out, fixed, fixed_count, 1);
    put_frames(it, t, numbers, frames, size);
    (void)fputc('}', it->out);
  } else {
    (void)fputs("null", it->out);
  }
  free(t);
  free(numbers);
  free(first);
  free(fixed);
}

static void put_chosen(page *it) {
  const char *at = it->options->of;
  bool begun = false;
  put_key(it, "chosen");
  (void)fputc('[', it->out);
  while (at && *at) {
    char name[200];
    size_t length = strcspn(at, ",");
    (void)snprintf(name, sizeof name, "%.*s", (int)(length < 190 ? length : 190), at);
    (void)fputs(begun ? "," : "", it->out);
    carom_page_text(it->out, name);
    begun = true;
    at += length + (at[length] == ',');
  }
  (void)fputc(']', it->out);
}

static void put_times(page *it) {
  double *t = malloc(((size_t)it->count + 1) * sizeof *t);
  for (long k = 0; k < it->count && t; k++)
    t[k] = it->run.t[it->kept[k]];
  carom_page_doubles(it->out, t, t ? it->count : 0, 1);
  free(t);
}

static void put_data(page *it) {
  const carom_run_data *run = &it->run;
  (void)fputs("{\"format\":1", it->out);
  put_attribute(it, "title");
  put_attribute(it, "engine");
  put_attribute(it, "outcome");
  put_attribute(it, "units");
  put_key(it, "lab");
  carom_page_text(it->out, it->options->lab);
  put_key(it, "t");
  put_times(it);
  put_key(it, "whole");
  (void)fprintf(it->out, "[%.17g,%.17g]", run->t[0], run->t[run->count - 1]);
  put_chosen(it);
  put_series(it);
  put_contacts(it);
  put_events(it);
  put_group(it, "certificate");
  put_group(it, "observables");
  put_group(it, "provenance");
  put_scene(it);
  char *scenario = carom_store_text(it->store, "/scenario");
  put_key(it, "scenario");
  carom_page_text(it->out, scenario);
  free(scenario);
  (void)fputs("}\n", it->out);
}

// ---- the page ----

static void put_script(page *it) {
  bool space = carom_store_attribute(it->store, "/scene", "space", 0) != 0;
  if (space && it->options->stage) {
    (void)fputs(it->options->stage, it->out);
    (void)fputc('\n', it->out);
  }
  const unsigned char *const files[] = {
      carom_file_helpers_js, carom_file_data_js,   carom_file_canvas_js,
      carom_file_plane_js,   carom_file_space_js,  carom_file_tables_js,
      carom_file_plots_js,   carom_file_player_js, carom_file_selftest_js};
  for (size_t k = 0; k < sizeof files / sizeof *files; k++)
    (void)fputs((const char *)files[k], it->out);
}

// the frame of the page with style, data and program at their marks
static void put_page(page *it) {
  const char *at = (const char *)carom_file_page_html;
  const char *const marks[] = {"@css@", "@data@", "@script@"};
  for (int k = 0; k < 3; k++) {
    const char *mark = strstr(at, marks[k]);
    if (!mark) break;
    (void)fwrite(at, 1, (size_t)(mark - at), it->out);
    if (k == 0) (void)fputs((const char *)carom_file_page_css, it->out);
    if (k == 1) put_data(it);
    if (k == 2) put_script(it);
    at = mark + strlen(marks[k]);
  }
  (void)fputs(at, it->out);
}

// Of a long run so many nodes that a browser likes to read them: places between samples first make
// room, then samples; those at events stay.
static bool keep_nodes(page *it) {
  long total = it->end - it->first, events = 0, samples = 0;
  it->kept = malloc(((size_t)total + 1) * sizeof *it->kept);
  for (long k = it->first; k < it->end; k++) {
    events += carom_run_data_at_jump(&it->run, k);
    samples += !it->run.nodes[k].between;
  }
  bool thin = total > MOST_SAMPLES;
  long stride = 1 + samples / MOST_SAMPLES, sample = 0;
  bool jumps = events < MOST_SAMPLES; // else they are thinned like the rest
  for (long k = it->first; k < it->end && it->kept; k++) {
    bool between = it->run.nodes[k].between;
    bool due = !between && sample++ % stride == 0;
    bool end = k == it->first || k == it->end - 1;
    if (!thin || due || end || (jumps && carom_run_data_at_jump(&it->run, k)))
      it->kept[it->count++] = k;
  }
  return it->kept != NULL;
}

static carom_status choose_span(page *it, carom_error *error) {
  carom_run_data_span(&it->run, it->options->from, it->options->until, &it->first, &it->end);
  if (it->end - it->first < 2)
    return carom_draw_fail(error, CAROM_ERR_INPUT, "there are no samples in that span of time");
  return keep_nodes(it) ? CAROM_OK : carom_draw_fail(error, CAROM_ERR_MEMORY, "out of memory");
}

static carom_status write_file(page *it, carom_error *error) {
  carom_out_file out;
  carom_status status = carom_out_open(&out, it->options->output, error);
  if (status != CAROM_OK) return status;
  it->out = out.stream;
  put_page(it);
  return carom_out_close(&out, error);
}

carom_status carom_page_write(const carom_page_options *options, carom_error *error) {
  page it = {.options = options};
  carom_store *store;
  carom_status status = carom_store_open(options->file, &store, error);
  if (status != CAROM_OK) return status;
  it.store = store;
  if (strcmp(carom_store_kind(store), "run") != 0)
    status = carom_draw_fail(error, CAROM_ERR_INPUT,
                             "%.200s holds tables; a page shows a run ('carom run --out')",
                             options->file);
  if (status == CAROM_OK) status = carom_run_data_read(store, &it.run, error);
  if (status == CAROM_OK) status = choose_span(&it, error);
  if (status == CAROM_OK) status = write_file(&it, error);
  free(it.kept);
  carom_run_data_free(&it.run);
  carom_store_close(store);
  return status;
}
