// SPDX-License-Identifier: MIT
/// Which picture suits which file; titles, axes, overlays.
#include "draw/plot.h"

#include "base/error.h"
#include "record/trouble.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

carom_plot_options carom_plot_options_default(void) {
  return (carom_plot_options){.from = NAN, .until = NAN};
}

typedef struct picture_kind {
  const char *name;
  bool of_run;
  carom_status (*draw)(carom_plot_job *it, carom_error *error);
} picture_kind;

static const picture_kind KINDS[] = {{"history", true, carom_plot_history},
                                     {"phase", true, carom_plot_phase},
                                     {"compare", true, carom_plot_compare},
                                     {"section", true, carom_plot_section},
                                     {"return", true, carom_plot_return},
                                     {"spectrum", true, carom_plot_spectrum},
                                     {"energy", true, carom_plot_energy},
                                     {"sweep", false, carom_plot_sweep},
                                     {"exponents", false, carom_plot_exponents},
                                     {"orbits", false, carom_plot_orbits},
                                     {"map", false, carom_plot_map},
                                     {"basin", false, carom_plot_basin},
                                     {"course", false, carom_plot_course},
                                     {"bifurcation", false, carom_plot_bifurcation},
                                     {"branch", false, carom_plot_branch},
                                     {"atlas", false, carom_plot_atlas}};
enum { KIND_COUNT = sizeof KINDS / sizeof *KINDS };

static const picture_kind *find_kind(const char *name) {
  for (int k = 0; k < KIND_COUNT; k++)
    if (strcmp(KINDS[k].name, name) == 0) return &KINDS[k];
  return NULL;
}

// pictures of what the file holds
static carom_status unknown_kind(const char *what, bool run, carom_error *error) {
  const char *names[KIND_COUNT];
  char hint[300];
  int count = 0;
  for (int k = 0; k < KIND_COUNT; k++)
    if (KINDS[k].of_run == run) names[count++] = KINDS[k].name;
  carom_name_hint(hint, sizeof hint, what, names, count);
  return carom_draw_fail(error, CAROM_ERR_INPUT, "there is no picture called '%.60s'%s", what,
                         hint);
}

static carom_status choose_kind(const carom_store *store, const char *what,
                                const picture_kind **kind, carom_error *error) {
  const char *made = carom_store_kind(store);
  bool run = strcmp(made, "run") == 0;
  const char *usual = run ? "history" : find_kind(made) ? made : "branch";
  *kind = find_kind(what ? what : usual);
  if (!*kind) return unknown_kind(what, run, error);
  if ((*kind)->of_run != run)
    return carom_draw_fail(error, CAROM_ERR_INPUT, "'%s' is a picture of %s, and the file holds %s",
                           (*kind)->name, (*kind)->of_run ? "a run" : "tables",
                           run ? "a run" : "tables");
  return CAROM_OK;
}

// ---- names and axes ----

static carom_status split_names(carom_plot_job *it, carom_error *error) {
  const char *at = it->options->of;
  while (at && *at) {
    size_t length = strcspn(at, ",");
    if (length >= CAROM_PLOT_NAME || it->name_count == CAROM_PLOT_NAMES)
      return carom_draw_fail(error, CAROM_ERR_INPUT, "--of takes up to %d names", CAROM_PLOT_NAMES);
    if (length > 0) {
      memcpy(it->names[it->name_count], at, length);
      it->names[it->name_count++][length] = '\0';
    }
    at += length + (at[length] == ',');
  }
  return CAROM_OK;
}

// the unit of a name: "name=unit", or ".normal=unit" for all whose name ends so
static bool find_unit(const char *units, const char *name, char unit[CAROM_PLOT_NAME]) {
  size_t length = strlen(name);
  bool found = false;
  for (const char *at = units; at && *at;) {
    size_t entry = strcspn(at, ","), key = strcspn(at, "=");
    bool fits = key < entry && key <= length && (key == length || at[0] == '.') &&
                strncmp(at, name + length - key, key) == 0;
    if (fits) (void)snprintf(unit, CAROM_PLOT_NAME, "%.*s", (int)(entry - key - 1), at + key + 1);
    found = found || fits;
    at += entry + (at[entry] == ',');
  }
  return found;
}

// of a rate that has none of its own: that of the quantity by that of the time
static bool find_rate_unit(const char *units, const char *name, char unit[CAROM_PLOT_NAME]) {
  size_t length = strlen(name);
  char quantity[CAROM_PLOT_NAME], over[CAROM_PLOT_NAME], time[CAROM_PLOT_NAME] = "s";
  if (length < 2 || name[length - 1] != '\'') return false;
  (void)snprintf(quantity, sizeof quantity, "%.*s", (int)(length - 1), name);
  if (!find_unit(units, quantity, over)) return false;
  (void)find_unit(units, "t", time);
  (void)snprintf(unit, CAROM_PLOT_NAME, "%.60s/%.60s", over, time);
  return true;
}

static bool unit_among(const char *units, const char *name, char unit[CAROM_PLOT_NAME]) {
  static const char TOP[] = "top of "; // of a branch: the largest value of a turn
  const char *quantity = strncmp(name, TOP, sizeof TOP - 1) == 0 ? name + sizeof TOP - 1 : name;
  return find_unit(units, name, unit) || find_unit(units, quantity, unit) ||
         find_rate_unit(units, quantity, unit);
}

// what was asked for goes before what the scenario wrote
static bool unit_of(const carom_plot_job *it, const char *name, char unit[CAROM_PLOT_NAME]) {
  return unit_among(it->options->units, name, unit) || unit_among(it->units, name, unit);
}

void carom_plot_axis(carom_plot_job *it, const char *label, const char *name) {
  char text[3 * CAROM_PLOT_NAME], unit[CAROM_PLOT_NAME] = "";
  if (unit_of(it, name, unit))
    (void)snprintf(text, sizeof text, "%.120s  [%s]", name, unit);
  else
    (void)snprintf(text, sizeof text, "%.120s", name);
  carom_script_label(&it->script, label, text);
}

void carom_plot_shared_axis(carom_plot_job *it, const char *label, int count,
                            const char *const *names) {
  char text[2 * CAROM_PLOT_NAME] = "", unit[CAROM_PLOT_NAME] = "", other[CAROM_PLOT_NAME];
  bool same = unit_of(it, names[0], unit);
  for (int k = 1; k < count && same; k++)
    same = unit_of(it, names[k], other) && strcmp(unit, other) == 0;
  if (same) (void)snprintf(text, sizeof text, "[%s]", unit);
  carom_script_label(&it->script, label, text);
}

// ---- overlays ----

// the first two numbers of a line; false: it has none
static bool read_pair(const char *line, double pair[2]) {
  const char *at = line;
  for (int k = 0; k < 2; k++) {
    char *end;
    at += strspn(at, " \t,;\"");
    pair[k] = strtod(at, &end);
    if (end == at) return false;
    at = end;
  }
  return true;
}

// the first two columns of a table of numbers; lines without numbers are passed over
static carom_status read_overlay(const char *file, double **values, long *rows,
                                 carom_error *error) {
  char line[4096];
  size_t room = 0;
  *values = NULL;
  *rows = 0;
  FILE *in = fopen(file, "rb");
  if (!in)
    return carom_record_fail(error, CAROM_ERR_IO, file, "cannot be opened: %s", strerror(errno));
  carom_status status = CAROM_OK;
  while (status == CAROM_OK && fgets(line, sizeof line, in)) {
    double pair[2];
    if (!read_pair(line, pair)) continue;
    if ((size_t)*rows == room) {
      room = room > 0 ? 2 * room : 256;
      double *grown = realloc(*values, room * 2 * sizeof *grown);
      if (!grown) status = carom_draw_fail(error, CAROM_ERR_MEMORY, "out of memory");
      if (grown) *values = grown;
      if (!grown) break;
    }
    memcpy(*values + 2 * *rows, pair, sizeof pair);
    ++*rows;
  }
  (void)fclose(in);
  if (status == CAROM_OK && *rows == 0)
    status = carom_draw_fail(error, CAROM_ERR_INPUT,
                             "%.200s has no line that begins with two numbers", file);
  if (status == CAROM_OK) return CAROM_OK;
  free(*values);
  *values = NULL;
  return status;
}

static carom_status put_overlay(carom_plot_job *it, carom_error *error) {
  const char *file = it->options->overlay;
  it->overlay = -1;
  if (!file) return CAROM_OK;
  double *values;
  long rows;
  carom_status status = read_overlay(file, &values, &rows, error);
  if (status != CAROM_OK) return status;
  const char *slash = strrchr(file, '/');
  const char *name = it->options->overlay_name;
  if (!name) name = slash ? slash + 1 : file;
  (void)snprintf(it->overlay_name, sizeof it->overlay_name, "%.120s", name);
  it->overlay = carom_script_block(&it->script);
  for (long k = 0; k < rows; k++) {
    carom_script_number(&it->script, values[2 * k]);
    carom_script_number(&it->script, values[2 * k + 1]);
    carom_script_row(&it->script);
  }
  free(values);
  return CAROM_OK;
}

void carom_plot_add_overlay(carom_plot_job *it) {
  if (it->overlay < 0) return;
  fprintf(it->script.commands, ", \\\n  ");
  carom_script_source(&it->script, it->overlay);
  fprintf(it->script.commands, " using 1:2 with points pt 6 ps 0.8 lw 1.4 lc rgb '#000000' title ");
  carom_script_text(&it->script, it->overlay_name);
}

// ---- the picture ----

carom_status carom_plot_begin(carom_plot_job *it, int width, int height, carom_error *error) {
  carom_status status = carom_script_begin(&it->script, it->options->output, width, height, error);
  if (status != CAROM_OK) return status;
  if (it->options->log_x) fprintf(it->script.commands, "set logscale x\n");
  if (it->options->log_y) fprintf(it->script.commands, "set logscale y\n");
  status = put_overlay(it, error);
  it->script.overlaid = it->overlay >= 0;
  if (status != CAROM_OK) carom_script_abandon(&it->script);
  return status;
}

carom_status carom_plot(const carom_plot_options *options, carom_error *error) {
  carom_store *store;
  const picture_kind *kind = NULL;
  carom_status status = carom_store_open(options->file, &store, error);
  if (status != CAROM_OK) return status;
  carom_plot_job *it = calloc(1, sizeof *it);
  status = it ? choose_kind(store, options->what, &kind, error)
              : carom_draw_fail(error, CAROM_ERR_MEMORY, "out of memory");
  if (status == CAROM_OK) {
    char *title = carom_store_text(store, "title");
    it->options = options;
    it->store = store;
    it->units = carom_store_text(store, "units");
    (void)snprintf(it->title, sizeof it->title, "%s",
                   options->title ? options->title
                   : title        ? title
                                  : "");
    free(title);
    status = split_names(it, error);
  }
  if (status == CAROM_OK) status = kind->draw(it, error);
  if (it) free(it->units);
  free(it);
  carom_store_close(store);
  return status;
}
