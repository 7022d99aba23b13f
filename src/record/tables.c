// SPDX-License-Identifier: MIT
/// Tables of results: rows are held in blocks and streamed to the disk.
#define _POSIX_C_SOURCE 200809L
#include "carom/table.h"

#include "base/error.h"
#include "base/text.h"
#include "record/csv_cells.h"
#include "record/h5_values.h"
#include "record/out_file.h"
#include "record/seal.h"
#include "record/sink.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TABLES = 8, BLOCK_ROWS = 512, FORMAT_VERSION = 1 };

/// One column: its dataset and a block of its rows, numbers, counts or texts.
typedef struct column {
  carom_column_kind kind;
  hid_t dataset;
  void *block;
} column;

struct carom_table {
  carom_tables *file;
  int count;
  column *columns;
  hid_t group;
  hsize_t held, written;
  FILE *csv; // of the file
  carom_out_file csv_file;
};

struct carom_tables {
  char *csv;
  carom_out_file file;
  hid_t h5, text_type;
  bool provenance;
  int count;
  carom_table *tables[MOST_TABLES];
};

static carom_status write_failed(const char *file, carom_error *error) {
  return carom_record_fail(error, CAROM_ERR_IO, NULL, "cannot write %s: %s", file,
                           errno ? strerror(errno) : "is the disk full?");
}

// ---- one table ----

static void free_texts(carom_table *it) {
  for (int k = 0; k < it->count; k++)
    for (hsize_t row = 0; it->columns[k].kind == CAROM_COLUMN_TEXT && row < it->held; row++)
      free(((char **)it->columns[k].block)[row]);
}

static bool flush_table(carom_table *it) {
  bool good = true;
  for (int k = 0; k < it->count && good && it->held > 0 && it->group >= 0; k++) {
    const column *c = &it->columns[k];
    hid_t type = c->kind == CAROM_COLUMN_NUMBER  ? H5T_NATIVE_DOUBLE
                 : c->kind == CAROM_COLUMN_COUNT ? H5T_NATIVE_LONG
                                                 : it->file->text_type;
    good = carom_h5_append(c->dataset, type, it->written, it->held, 0, c->block);
  }
  free_texts(it);
  it->written += it->held;
  it->held = 0;
  return good;
}

static void table_free(carom_table *it) {
  free_texts(it);
  for (int k = 0; k < it->count && it->columns; k++) {
    if (it->columns[k].dataset >= 0) (void)H5Dclose(it->columns[k].dataset);
    free(it->columns[k].block);
  }
  if (it->group >= 0) (void)H5Gclose(it->group);
  carom_out_discard(&it->csv_file);
  free(it->columns);
  free(it);
}

// NAME.csv for the first table, NAME-table.csv for the others
static char *csv_name(const carom_tables *file, const char *table) {
  if (file->count == 0) return carom_text_copy(file->csv);
  size_t stem = strlen(file->csv);
  if (stem > 4 && strcmp(file->csv + stem - 4, ".csv") == 0) stem -= 4;
  size_t room = stem + strlen(table) + 6;
  char *name = malloc(room);
  if (name) (void)snprintf(name, room, "%.*s-%s.csv", (int)stem, file->csv, table);
  return name;
}

// an observable may have the name of a column that every table has: the later one gets a _
static void put_heading(FILE *csv, const carom_column *columns, int k) {
  char name[256];
  (void)snprintf(name, sizeof name, "%.250s", columns[k].name);
  for (int j = 0; j < k; j++)
    if (strcmp(columns[j].name, columns[k].name) == 0 && strlen(name) + 2 < sizeof name)
      strcat(name, "_");
  carom_csv_text(csv, name);
}

static carom_status open_csv(carom_table *it, const char *name, const carom_column *columns,
                             carom_error *error) {
  if (!it->file->csv) return CAROM_OK;
  char *path = csv_name(it->file, name);
  if (!path) return carom_record_no_memory(error);
  carom_status status = carom_out_open(&it->csv_file, path, error);
  free(path);
  if (status != CAROM_OK) return status;
  it->csv = it->csv_file.stream;
  for (int k = 0; k < it->count; k++) {
    if (k > 0) (void)fputc(',', it->csv);
    put_heading(it->csv, columns, k);
  }
  (void)fputc('\n', it->csv);
  return CAROM_OK;
}

static carom_status open_columns(carom_table *it, const char *name, const carom_column *columns,
                                 carom_error *error) {
  carom_tables *file = it->file;
  if (file->h5 < 0) return CAROM_OK;
  const char **names = calloc((size_t)it->count + 1, sizeof *names);
  if (!names) return carom_record_no_memory(error);
  it->group = carom_h5_group(file->h5, name);
  bool good = it->group >= 0;
  for (int k = 0; k < it->count && good; k++) {
    hid_t type = columns[k].kind == CAROM_COLUMN_NUMBER  ? H5T_IEEE_F64LE
                 : columns[k].kind == CAROM_COLUMN_COUNT ? H5T_STD_I64LE
                                                         : file->text_type;
    char link[256];
    (void)snprintf(link, sizeof link, "%s", columns[k].name);
    for (char *c = link; *c; c++)
      if (*c == '/') *c = '|';
    // an observable may have the name of a column that every table has
    while (H5Lexists(it->group, link, H5P_DEFAULT) > 0 && strlen(link) + 2 < sizeof link)
      strcat(link, "_");
    names[k] = columns[k].name;
    it->columns[k].dataset = carom_h5_growing(it->group, link, type, BLOCK_ROWS, 0);
    good = it->columns[k].dataset >= 0;
  }
  good = good && carom_h5_attribute_texts(it->group, "columns", it->count, names);
  free(names);
  return good ? CAROM_OK : write_failed(file->file.path, error);
}

static carom_status make_columns(carom_table *it, int count, const carom_column *columns,
                                 carom_error *error) {
  it->columns = calloc((size_t)count + 1, sizeof *it->columns);
  if (!it->columns) return carom_record_no_memory(error);
  it->count = count;
  bool good = true;
  for (int k = 0; k < count; k++) {
    it->columns[k] = (column){.kind = columns[k].kind, .dataset = -1};
    it->columns[k].block = calloc(BLOCK_ROWS, sizeof(double));
    good = good && it->columns[k].block;
  }
  return good ? CAROM_OK : carom_record_no_memory(error);
}

carom_status carom_tables_add(carom_tables *tables, const char *name, int count,
                              const carom_column *columns, carom_table **table,
                              carom_error *error) {
  *table = NULL;
  if (tables->count == MOST_TABLES)
    return carom_record_fail(error, CAROM_ERR_LIMIT, NULL, "a file has at most %d tables",
                             MOST_TABLES);
  carom_table *it = calloc(1, sizeof *it);
  if (!it) return carom_record_no_memory(error);
  it->file = tables;
  it->group = -1;
  carom_h5_silence silence = carom_h5_silence_begin();
  carom_status status = make_columns(it, count, columns, error);
  if (status == CAROM_OK) status = open_csv(it, name, columns, error);
  if (status == CAROM_OK) status = open_columns(it, name, columns, error);
  if (status != CAROM_OK) table_free(it);
  carom_h5_silence_end(silence);
  if (status != CAROM_OK) return status;
  tables->tables[tables->count++] = it;
  *table = it;
  return CAROM_OK;
}

static void row_to_csv(carom_table *it, const carom_cell *cells) {
  for (int k = 0; k < it->count; k++) {
    if (k > 0) (void)fputc(',', it->csv);
    switch (it->columns[k].kind) {
    case CAROM_COLUMN_NUMBER: carom_csv_number(it->csv, cells[k].number); break;
    case CAROM_COLUMN_COUNT: (void)fprintf(it->csv, "%ld", cells[k].count); break;
    case CAROM_COLUMN_TEXT: carom_csv_text(it->csv, cells[k].text ? cells[k].text : ""); break;
    }
  }
  (void)fputc('\n', it->csv);
}

static bool row_to_block(carom_table *it, const carom_cell *cells) {
  bool good = true;
  for (int k = 0; k < it->count; k++) {
    void *block = it->columns[k].block;
    switch (it->columns[k].kind) {
    case CAROM_COLUMN_NUMBER: ((double *)block)[it->held] = cells[k].number; break;
    case CAROM_COLUMN_COUNT: ((long *)block)[it->held] = cells[k].count; break;
    case CAROM_COLUMN_TEXT:
      ((char **)block)[it->held] = carom_text_copy(cells[k].text ? cells[k].text : "");
      good = good && ((char **)block)[it->held];
      break;
    }
  }
  it->held++;
  return good;
}

carom_status carom_table_row(carom_table *table, const carom_cell *cells, carom_error *error) {
  errno = 0;
  if (table->csv) row_to_csv(table, cells);
  if (table->csv && ferror(table->csv)) return write_failed(table->csv_file.path, error);
  if (table->group < 0) return CAROM_OK;
  if (!row_to_block(table, cells)) return carom_record_no_memory(error);
  if (table->held < BLOCK_ROWS) return CAROM_OK;
  carom_h5_silence silence = carom_h5_silence_begin();
  bool good = flush_table(table);
  carom_h5_silence_end(silence);
  return good ? CAROM_OK : write_failed(table->file->file.path, error);
}

// ---- the file ----

static void tables_free(carom_tables *it) {
  for (int k = 0; k < it->count; k++)
    table_free(it->tables[k]);
  if (it->text_type >= 0) (void)H5Tclose(it->text_type);
  if (it->h5 >= 0) (void)H5Fclose(it->h5);
  carom_out_discard(&it->file);
  free(it->csv);
  free(it);
}

static carom_status open_hdf5(carom_tables *it, const carom_tables_options *options,
                              carom_error *error) {
  carom_status status = carom_out_reserve(&it->file, options->file, error);
  if (status != CAROM_OK) return status;
  errno = 0;
  it->h5 = carom_h5_create(it->file.temporary);
  bool good = it->h5 >= 0 && carom_h5_attribute_text(it->h5, "format", "carom tables") &&
              carom_h5_attribute_count(it->h5, "format_version", FORMAT_VERSION) &&
              carom_h5_attribute_text(it->h5, "kind", options->kind) &&
              carom_h5_attribute_text(it->h5, "title", options->title ? options->title : "");
  if (good && options->scenario) good = carom_h5_put_text(it->h5, "scenario", options->scenario, 0);
  return good ? CAROM_OK : write_failed(it->file.path, error);
}

carom_tables_options carom_tables_options_default(void) {
  return (carom_tables_options){.provenance = true, .size = sizeof(carom_tables_options)};
}

carom_status carom_tables_open(const carom_tables_options *options, carom_tables **tables,
                               carom_error *error) {
  *tables = NULL;
  carom_status status =
      carom_check_options(options->size, sizeof *options, "carom_tables_options", error);
  if (status != CAROM_OK) return status;
  carom_tables *it = calloc(1, sizeof *it);
  if (!it) return carom_record_no_memory(error);
  carom_h5_silence silence = carom_h5_silence_begin();
  it->h5 = -1;
  it->provenance = options->provenance;
  it->text_type = carom_h5_text_type(0);
  if (options->csv) it->csv = carom_text_copy(options->csv);
  status = options->csv && !it->csv ? carom_record_no_memory(error) : CAROM_OK;
  if (status == CAROM_OK && options->file) status = open_hdf5(it, options, error);
  if (status != CAROM_OK) tables_free(it);
  carom_h5_silence_end(silence);
  if (status == CAROM_OK) *tables = it;
  return status;
}

static carom_status finish_hdf5(carom_tables *it, const char *outcome, carom_error *error) {
  bool good = true;
  errno = 0;
  for (int k = 0; k < it->count; k++) {
    carom_table *table = it->tables[k];
    good = flush_table(table) && good;
    for (int c = 0; c < table->count; c++) {
      good = H5Dclose(table->columns[c].dataset) >= 0 && good;
      table->columns[c].dataset = -1;
    }
    good = H5Gclose(table->group) >= 0 && good;
    table->group = -1;
  }
  good = good && carom_h5_attribute_text(it->h5, "outcome", outcome);
  if (good && it->provenance) good = carom_h5_put_provenance(it->h5, NULL);
  good = H5Fclose(it->h5) >= 0 && good;
  it->h5 = -1;
  if (!good || !carom_seal_end(it->file.temporary)) return write_failed(it->file.path, error);
  return carom_out_close(&it->file, error);
}

static carom_status finish_csv(carom_table *it, carom_error *error) {
  if (!it->csv) return CAROM_OK;
  it->csv = NULL;
  return carom_out_close(&it->csv_file, error);
}

carom_status carom_tables_close(carom_tables *tables, const char *outcome, carom_error *error) {
  carom_status status = CAROM_OK;
  carom_h5_silence silence = carom_h5_silence_begin();
  for (int k = 0; k < tables->count && status == CAROM_OK; k++)
    status = finish_csv(tables->tables[k], error);
  if (status == CAROM_OK && tables->file.path) status = finish_hdf5(tables, outcome, error);
  tables_free(tables);
  carom_h5_silence_end(silence);
  return status;
}

void carom_tables_discard(carom_tables *tables) {
  if (!tables) return;
  carom_h5_silence silence = carom_h5_silence_begin();
  tables_free(tables);
  carom_h5_silence_end(silence);
}
