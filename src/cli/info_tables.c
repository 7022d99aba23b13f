// SPDX-License-Identifier: MIT
#include "info_tables.h"

#include "report.h"

#include <stdlib.h>
#include <string.h>

enum { LONGEST_PATH = 600 };

/// A column of a table: numbers with their range, or texts.
typedef struct column_range {
  long rows;
  bool text;
  double least, most;
} column_range;

static column_range range_of(const carom_store *store, const char *path) {
  column_range range = {.least = NAN, .most = NAN};
  double *values = carom_store_array(store, path, &range.rows, NULL);
  for (long k = 0; values && k < range.rows; k++) {
    range.least = fmin(range.least, values[k]);
    range.most = fmax(range.most, values[k]);
  }
  if (!values) {
    char **texts = carom_store_texts(store, path, &range.rows);
    range.text = texts != NULL;
    free(texts);
  }
  free(values);
  return range;
}

static void tell_column(const carom_store *store, const char *path, const char *name,
                        carom_json *json) {
  column_range range = range_of(store, path);
  if (json) {
    carom_json_object(json, name);
    carom_json_count(json, "rows", range.rows);
    if (!range.text) carom_json_number(json, "min", range.least);
    if (!range.text) carom_json_number(json, "max", range.most);
    carom_json_end(json);
    return;
  }
  printf("  ");
  carom_print_safely(stdout, name);
  printf("%*s ", strlen(name) < 24 ? (int)(24 - strlen(name)) : 0, "");
  if (range.text)
    printf("%8ld texts\n", range.rows);
  else
    printf("%8ld rows %14.7g to %14.7g\n", range.rows, range.least, range.most);
}

static void tell_table(const carom_store *store, const char *name, carom_json *json) {
  char path[LONGEST_PATH];
  int count;
  (void)snprintf(path, sizeof path, "/%.250s", name);
  char **columns = carom_store_list(store, path, &count);
  if (!columns || strcmp(name, "provenance") == 0) {
    free(columns);
    return;
  }
  if (json)
    carom_json_object(json, name);
  else
    printf("table %s\n", name);
  for (int k = 0; k < count; k++) {
    (void)snprintf(path, sizeof path, "/%.250s/%.300s", name, columns[k]);
    tell_column(store, path, columns[k], json);
  }
  if (json) carom_json_end(json);
  free(columns);
}

void carom_info_tables(const carom_call *call, const carom_store *store) {
  carom_json json = {.out = stdout};
  bool as_json = carom_call_has(call, "json");
  char *title = carom_store_text(store, "title"), *outcome = carom_store_text(store, "outcome");
  int count;
  char **tables = carom_store_list(store, "/", &count);
  if (as_json) {
    carom_json_object(&json, NULL);
    carom_json_text(&json, "command", call->command->name);
    carom_json_text(&json, "file", carom_call_file(call));
    carom_json_text(&json, "title", title);
    carom_json_text(&json, "kind", carom_store_kind(store));
    carom_json_text(&json, "outcome", outcome);
    carom_json_object(&json, "tables");
  } else {
    printf("title        ");
    carom_print_safely(stdout, title ? title : "unknown");
    printf("\nkind         %s\noutcome      %s\n", carom_store_kind(store),
           outcome ? outcome : "unknown");
  }
  for (int k = 0; k < count; k++)
    tell_table(store, tables[k], as_json ? &json : NULL);
  if (as_json) {
    carom_json_end(&json);
    carom_json_end(&json);
  }
  free(title);
  free(outcome);
  free(tables);
}
