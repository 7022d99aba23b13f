// SPDX-License-Identifier: MIT
/// What the commands know outside of the page, and is another thing in it: tables of --out are told
/// to the page, nobody draws pictures or presses Ctrl-C. A worker that is to stop is ended.
#include "base/error.h"
#include "carom/table.h"
#include "carom/version.h"
#include "cli/card_place.h"
#include "cli/data_folder.h"
#include "cli/drawn.h"
#include "cli/json.h"
#include "cli/progress.h"
#include "cli/table_picture.h"
#include "draw/plot_marks.h"
#include "record/sink.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST_TABLES = 8 };

__attribute__((import_module("lab"), import_name("progress"))) void lab_progress(double done,
                                                                                 double total);

// ---- files: there are none

bool carom_data_folder(const char *what, char path[CAROM_DATA_PATH]) {
  (void)what, (void)path;
  return false;
}

// ---- graphics cards: none that computes

bool carom_card_find(const carom_call *call, carom_card_files *files, carom_error *error) {
  *files = (carom_card_files){0};
  if (!carom_call_has(call, "gpu")) return true;
  carom_fail(error, CAROM_ERR_UNSUPPORTED, "--gpu is for the command line, not for a page");
  return false;
}

void carom_card_forget(carom_card_files *files) { *files = (carom_card_files){0}; }

void carom_card_tell(const carom_call *call, const carom_card_report *report, long motions) {
  (void)call, (void)report, (void)motions;
}

// ---- tables: each row a line of JSON on standard error, its table's name and columns before ----

struct carom_table {
  int count;
  carom_column_kind kinds[];
};

struct carom_tables {
  carom_table *made[MOST_TABLES];
  int count;
};

carom_tables_options carom_tables_options_default(void) { return (carom_tables_options){0}; }
carom_status carom_tables_open(const carom_tables_options *options, carom_tables **tables,
                               carom_error *error) {
  (void)options;
  *tables = calloc(1, sizeof **tables);
  return *tables ? CAROM_OK : carom_fail_memory(error);
}

carom_status carom_tables_add(carom_tables *tables, const char *name, int count,
                              const carom_column *columns, carom_table **table,
                              carom_error *error) {
  carom_table *made = malloc(sizeof *made + (size_t)count * sizeof *made->kinds);
  if (!made || tables->count == MOST_TABLES) return free(made), carom_fail_memory(error);
  tables->made[tables->count++] = *table = made;
  made->count = count;
  carom_json json = {.out = stderr};
  carom_json_object(&json, NULL);
  carom_json_text(&json, "table", name);
  carom_json_array(&json, "columns");
  for (int k = 0; k < count; k++) {
    made->kinds[k] = columns[k].kind;
    carom_json_text(&json, NULL, columns[k].name);
  }
  carom_json_end(&json);
  carom_json_end(&json);
  return CAROM_OK;
}

carom_status carom_table_row(carom_table *table, const carom_cell *cells, carom_error *error) {
  (void)error;
  carom_json json = {.out = stderr};
  carom_json_object(&json, NULL);
  carom_json_array(&json, "row");
  for (int k = 0; k < table->count; k++) {
    if (table->kinds[k] == CAROM_COLUMN_TEXT)
      carom_json_text(&json, NULL, cells[k].text ? cells[k].text : "");
    else if (table->kinds[k] == CAROM_COLUMN_NUMBER)
      carom_json_number(&json, NULL, cells[k].number);
    else
      carom_json_count(&json, NULL, cells[k].count);
  }
  carom_json_end(&json);
  carom_json_end(&json);
  return CAROM_OK;
}

void carom_tables_discard(carom_tables *tables) {
  for (int k = 0; tables && k < tables->count; k++)
    free(tables->made[k]);
  free(tables);
}
carom_status carom_tables_close(carom_tables *tables, const char *outcome, carom_error *error) {
  (void)outcome, (void)error;
  carom_tables_discard(tables);
  return CAROM_OK;
}

// ---- pictures, provenance, progress ----

const char *carom_table_file(const carom_call *call, char room[CAROM_TABLE_FILE]) {
  (void)room;
  return carom_call_value(call, "out");
}
carom_status carom_table_picture(const carom_call *call, const char *of, carom_error *error) {
  (void)call, (void)of, (void)error;
  return CAROM_OK;
}

void carom_drawn_name(const carom_call *call, const char *ending, char name[CAROM_DRAWN_NAME]) {
  (void)call, (void)ending;
  name[0] = '\0';
}
void carom_plot_word(const char *word, char *text, size_t room) {
  (void)snprintf(text, room, "%s", word);
}
void carom_provenance_now(carom_provenance *provenance) {
  carom_build build = carom_build_info();
  *provenance = (carom_provenance){.version = build.version,
                                   .revision = build.revision,
                                   .compiler = build.compiler,
                                   .flags = build.flags,
                                   .host = "browser"};
  (void)carom_date(provenance->date, sizeof provenance->date, "%Y-%m-%dT%H:%M:%SZ");
}

carom_progress carom_progress_begin(bool wanted, double t_start, double t_end) {
  return (carom_progress){.wanted = wanted, .t_start = t_start, .t_end = t_end};
}
void carom_progress_update(carom_progress *progress, double t) {
  lab_progress(t - progress->t_start, progress->t_end - progress->t_start);
}
void carom_progress_points(carom_progress *progress, long done, long total, double left) {
  (void)progress, (void)left;
  lab_progress((double)done, (double)total);
}
void carom_progress_found(void *ctx, const carom_bifurcation_point *point) {
  (void)ctx;
  carom_json json = {.out = stderr};
  carom_json_object(&json, NULL);
  carom_json_object(&json, "point");
  carom_json_number(&json, "value", point->value);
  carom_json_count(&json, "direction", point->direction);
  carom_json_array(&json, "crossings");
  for (int k = 0; k < (point->count > 0 ? point->count : point->status >= 0); k++)
    carom_json_number(&json, NULL, point->crossings[k]);
  carom_json_end(&json);
  carom_json_end(&json);
  carom_json_end(&json);
}
void carom_progress_end(carom_progress *progress) { (void)progress; }
void carom_interrupt_catch(void) {}
bool carom_interrupted(void) { return false; }
bool carom_interrupt_look(void) { return false; }
void carom_interrupt_heard(void) {}
