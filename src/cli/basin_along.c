// SPDX-License-Identifier: MIT
/// carom basin --along: basins along a parameter.
#include "basin_along.h"

#include "table_picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_NAME = 80, MOST_SHOWN = 30 };

// "attractor 3", or its regime behind it where it has one
static void name_followed(const carom_basin_course *course, int number, char name[LONGEST_NAME]) {
  (void)snprintf(name, LONGEST_NAME, "%d", number + 1);
  for (int k = 0; k < carom_basin_course_count(course); k++) {
    const carom_basin *basin = carom_basin_course_basin(course, k);
    for (int a = 0; a < carom_basin_attractors(basin); a++) {
      if (carom_basin_course_name(course, k, a) != number) continue;
      const carom_attractor *it = carom_basin_attractor(basin, a);
      const char *text = it->regime[0] ? it->regime : it->word;
      if (text[0]) (void)snprintf(name, LONGEST_NAME, "%d (%.50s)", number + 1, text);
      return;
    }
  }
}

// ---- tables

static carom_status write_shares(carom_tables *tables, const carom_basin_course *course,
                                 const char *along, carom_error *error) {
  enum { FIXED = 8 };
  carom_sweep *sweep = carom_basin_course_sweep(course);
  int observables = carom_sweep_observables(sweep), count = FIXED + observables;
  carom_column *columns = calloc((size_t)count, sizeof *columns);
  carom_cell *cells = calloc((size_t)count, sizeof *cells);
  carom_table *table;
  carom_status status = CAROM_ERR_MEMORY;
  if (columns && cells) {
    const carom_column fixed[FIXED] = {
        {along, CAROM_COLUMN_NUMBER},   {"attractor", CAROM_COLUMN_COUNT},
        {"regime", CAROM_COLUMN_TEXT},  {"word", CAROM_COLUMN_TEXT},
        {"points", CAROM_COLUMN_COUNT}, {"fraction", CAROM_COLUMN_NUMBER},
        {"low", CAROM_COLUMN_NUMBER},   {"high", CAROM_COLUMN_NUMBER}};
    memcpy(columns, fixed, sizeof fixed);
    for (int j = 0; j < observables; j++)
      columns[FIXED + j] = (carom_column){carom_sweep_observable(sweep, j), CAROM_COLUMN_NUMBER};
    status = carom_tables_add(tables, "shares", count, columns, &table, error);
  }
  for (int k = 0; k < carom_basin_course_count(course) && status == CAROM_OK; k++) {
    const carom_basin *basin = carom_basin_course_basin(course, k);
    for (int a = 0; a < carom_basin_attractors(basin) && status == CAROM_OK; a++) {
      const carom_attractor *it = carom_basin_attractor(basin, a);
      cells[0].number = carom_basin_course_value(course, k);
      cells[1].count = carom_basin_course_name(course, k, a) + 1;
      cells[2].text = it->regime;
      cells[3].text = it->word;
      cells[4].count = it->count;
      cells[5].number = it->fraction;
      cells[6].number = it->low;
      cells[7].number = it->high;
      for (int j = 0; j < observables; j++)
        cells[FIXED + j].number = it->values[j];
      status = carom_table_row(table, cells, error);
    }
  }
  free(columns);
  free(cells);
  return status;
}

// the share of attractor `number` at value k
static double share_of(const carom_basin_course *course, int k, int number) {
  const carom_basin *basin = carom_basin_course_basin(course, k);
  for (int a = 0; a < carom_basin_attractors(basin); a++)
    if (carom_basin_course_name(course, k, a) == number)
      return carom_basin_attractor(basin, a)->fraction;
  return 0.0;
}

// one row a value: measures, then the shares of the first attractors
static carom_status write_course(carom_tables *tables, const carom_basin_course *course,
                                 const char *along, carom_error *error) {
  enum { FIXED = 7, MOST_SHARES = 32 };
  carom_column columns[FIXED + MOST_SHARES] = {{"index", CAROM_COLUMN_COUNT},
                                               {along, CAROM_COLUMN_NUMBER},
                                               {"attractors", CAROM_COLUMN_COUNT},
                                               {"entropy", CAROM_COLUMN_NUMBER},
                                               {"boundary entropy", CAROM_COLUMN_NUMBER},
                                               {"uncertainty exponent", CAROM_COLUMN_NUMBER},
                                               {"its error", CAROM_COLUMN_NUMBER}};
  carom_cell cells[FIXED + MOST_SHARES] = {{0}};
  char names[MOST_SHARES][LONGEST_NAME + 8], name[LONGEST_NAME];
  int shown = carom_basin_course_names(course);
  if (shown > MOST_SHARES) shown = MOST_SHARES;
  for (int n = 0; n < shown; n++) {
    name_followed(course, n, name);
    (void)snprintf(names[n], sizeof names[n], "share %s", name);
    columns[FIXED + n] = (carom_column){names[n], CAROM_COLUMN_NUMBER};
  }
  carom_table *table;
  carom_status status = carom_tables_add(tables, "course", FIXED + shown, columns, &table, error);
  for (int k = 0; k < carom_basin_course_count(course) && status == CAROM_OK; k++) {
    carom_basin_measures m = carom_basin_course_measures(course, k);
    cells[0].count = k;
    cells[1].number = carom_basin_course_value(course, k);
    cells[2].count = carom_basin_attractors(carom_basin_course_basin(course, k));
    cells[3].number = m.entropy;
    cells[4].number = m.boundary_entropy;
    cells[5].number = m.exponent;
    cells[6].number = m.exponent_error;
    for (int n = 0; n < shown; n++)
      cells[FIXED + n].number = share_of(course, k, n);
    status = carom_table_row(table, cells, error);
  }
  return status;
}

static carom_status write_tips(carom_tables *tables, const carom_basin_course *course,
                               carom_error *error) {
  const carom_column columns[] = {{"attractor", CAROM_COLUMN_COUNT},
                                  {"what", CAROM_COLUMN_TEXT},
                                  {"from", CAROM_COLUMN_NUMBER},
                                  {"to", CAROM_COLUMN_NUMBER},
                                  {"other", CAROM_COLUMN_COUNT}};
  carom_table *table;
  carom_status status = carom_tables_add(tables, "tips", 5, columns, &table, error);
  for (int k = 0; k < carom_basin_course_tips(course) && status == CAROM_OK; k++) {
    const carom_tip *tip = carom_basin_course_tip(course, k);
    const carom_cell cells[] = {{.count = tip->attractor + 1},
                                {.text = tip->begins ? "begins" : "ends"},
                                {.number = tip->from},
                                {.number = tip->to},
                                {.count = tip->other + 1}};
    status = carom_table_row(table, cells, error);
  }
  return status;
}

/// What the tables are made of.
typedef struct written {
  const carom_basin_course *course;
  const char *along;
} written;

static carom_status fill_tables(const void *ctx, carom_tables *tables, carom_error *error) {
  const written *it = ctx;
  carom_status status = write_course(tables, it->course, it->along, error);
  if (status == CAROM_OK) status = write_shares(tables, it->course, it->along, error);
  return status == CAROM_OK ? write_tips(tables, it->course, error) : status;
}

// ---- words

static void print_json(const carom_call *call, const carom_basin_course *course,
                       const char *along) {
  carom_json json = carom_json_answer(call);
  carom_json_text(&json, "along", along);
  carom_json_array(&json, "values");
  for (int k = 0; k < carom_basin_course_count(course); k++) {
    const carom_basin *basin = carom_basin_course_basin(course, k);
    carom_basin_measures m = carom_basin_course_measures(course, k);
    carom_json_object(&json, NULL);
    carom_json_number(&json, "value", carom_basin_course_value(course, k));
    carom_json_number(&json, "entropy", m.entropy);
    carom_json_number(&json, "boundary_entropy", m.boundary_entropy);
    carom_json_number(&json, "exponent", m.exponent);
    carom_json_number(&json, "exponent_error", m.exponent_error);
    carom_json_array(&json, "shares");
    for (int a = 0; a < carom_basin_attractors(basin); a++) {
      const carom_attractor *it = carom_basin_attractor(basin, a);
      carom_json_object(&json, NULL);
      carom_json_count(&json, "attractor", carom_basin_course_name(course, k, a) + 1);
      carom_json_text(&json, "regime", it->regime[0] ? it->regime : NULL);
      carom_json_text(&json, "word", it->word);
      carom_json_number(&json, "fraction", it->fraction);
      carom_json_number(&json, "low", it->low);
      carom_json_number(&json, "high", it->high);
      carom_json_end(&json);
    }
    carom_json_end(&json);
    carom_json_end(&json);
  }
  carom_json_end(&json);
  carom_json_array(&json, "tips");
  for (int k = 0; k < carom_basin_course_tips(course); k++) {
    const carom_tip *tip = carom_basin_course_tip(course, k);
    carom_json_object(&json, NULL);
    carom_json_count(&json, "attractor", tip->attractor + 1);
    carom_json_text(&json, "what", tip->begins ? "begins" : "ends");
    carom_json_number(&json, "from", tip->from);
    carom_json_number(&json, "to", tip->to);
    if (tip->other >= 0) carom_json_count(&json, "other", tip->other + 1);
    carom_json_end(&json);
  }
  carom_json_end(&json);
  carom_json_end(&json);
}

static void print_text(const carom_basin_course *course, const char *along) {
  char name[LONGEST_NAME];
  printf("%14s %10s %10s %10s  shares of attractors\n", along, "entropy", "boundary", "exponent");
  for (int k = 0; k < carom_basin_course_count(course); k++) {
    const carom_basin *basin = carom_basin_course_basin(course, k);
    carom_basin_measures m = carom_basin_course_measures(course, k);
    printf("%14.8g %10.4g %10.4g %10.4g ", carom_basin_course_value(course, k), m.entropy,
           m.boundary_entropy, m.exponent);
    for (int a = 0; a < carom_basin_attractors(basin) && a < 12; a++)
      printf(" %d: %.2f %%", carom_basin_course_name(course, k, a) + 1,
             100.0 * carom_basin_attractor(basin, a)->fraction);
    printf("\n");
  }
  int tips = carom_basin_course_tips(course);
  for (int k = 0; k < tips && k < MOST_SHOWN; k++) {
    const carom_tip *tip = carom_basin_course_tip(course, k);
    name_followed(course, tip->attractor, name);
    printf("attractor ");
    carom_print_safely(stdout, name);
    printf(" %s between %s = %.10g and %.10g", tip->begins ? "begins" : "ends", along, tip->from,
           tip->to);
    if (tip->other >= 0)
      printf(tip->begins ? ", where %d was" : ": its starts lead to %d", tip->other + 1);
    printf("\n");
  }
  if (tips > MOST_SHOWN) printf("and %d more: --csv and --json list them all\n", tips - MOST_SHOWN);
}

// ---- the command

const char *carom_course_alone(const carom_many_runs *it) {
  (void)it;
  return "basins along a parameter are sorted together";
}

carom_status carom_course_compute(carom_many_runs *it, void **result, carom_error *error) {
  carom_basin_course_options options = carom_basin_course_options_default();
  carom_basin_course *found = NULL;
  options.basin.sweep = carom_many_runs_sweep(it);
  options.basin.sweep.ranks = false;
  if (carom_call_has(it->call, "refine") || carom_call_has(it->call, "random"))
    return carom_wrong(error,
                       "--along takes a grid of starts: --refine and --random are not for it");
  if (!carom_call_positive(it->call, "same", options.basin.same, &options.basin.same, error))
    return CAROM_ERR_INPUT;
  carom_status status =
      carom_axis_parse(carom_call_value(it->call, "along"), &options.along, error);
  if (status != CAROM_OK) return status;
  status = options.along.count > 1
               ? carom_basin_course_run(&options, &found, error)
               : carom_wrong(error, "--along expects NAME=FROM:TO:COUNT, two values or more");
  carom_axis_destroy(&options.along);
  *result = found;
  return status;
}

int carom_course_hand_over(const carom_many_runs *it, void *result, carom_status ended,
                           carom_error *error) {
  (void)ended;
  const carom_basin_course *course = result;
  carom_sweep *sweep = carom_basin_course_sweep(course);
  const written all = {course, carom_sweep_axis(sweep, 0)};
  const carom_written results = {.kind = "course",
                                 .outcome = "complete",
                                 .title = carom_sweep_title(sweep),
                                 .scenario = carom_sweep_scenario(sweep),
                                 .ctx = &all,
                                 .fill = fill_tables};
  carom_status status = carom_call_write(it->call, &results, error);
  if (status == CAROM_OK) status = carom_table_picture(it->call, NULL, error);
  if (status != CAROM_OK) return carom_report(it->call, error, NULL, CAROM_EXIT_FAILED);
  if (carom_call_has(it->call, "json"))
    print_json(it->call, course, all.along);
  else if (!carom_call_has(it->call, "quiet"))
    print_text(course, all.along);
  carom_sweep_summary summary;
  status = carom_sweep_summarize(sweep, &summary, error);
  if (status != CAROM_OK) return carom_report(it->call, error, NULL, CAROM_EXIT_FAILED);
  return carom_sweep_exit(&summary);
}

void carom_course_release(void *result) { carom_basin_course_destroy(result); }
