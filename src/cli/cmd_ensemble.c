// SPDX-License-Identifier: MIT
/// carom ensemble: many runs of which shares, averages, extremes and histograms are kept.
#include "base/error.h"
#include "base/text.h"
#include "carom/ensemble.h"
#include "commands.h"
#include "many_runs.h"
#include "table_plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_HISTOGRAMS = 16, MOST_PRINTED = 20, TEXT = 200 };

// ---- tables ----

static carom_status write_observables(const carom_ensemble *ensemble, carom_tables *tables,
                                      carom_error *error) {
  static const carom_column COLUMNS[] = {
      {"observable", CAROM_COLUMN_TEXT},  {"count", CAROM_COLUMN_COUNT},
      {"missing", CAROM_COLUMN_COUNT},    {"mean", CAROM_COLUMN_NUMBER},
      {"deviation", CAROM_COLUMN_NUMBER}, {"least", CAROM_COLUMN_NUMBER},
      {"least at", CAROM_COLUMN_COUNT},   {"most", CAROM_COLUMN_NUMBER},
      {"most at", CAROM_COLUMN_COUNT}};
  carom_table *table;
  carom_status status =
      carom_tables_add(tables, "observables", (int)CAROM_COUNT(COLUMNS), COLUMNS, &table, error);
  for (int k = 0; k < carom_ensemble_observables(ensemble) && status == CAROM_OK; k++) {
    carom_ensemble_observable o = carom_ensemble_observable_at(ensemble, k);
    const carom_cell cells[] = {
        {.text = o.name},      {.count = o.count},      {.count = o.missing},
        {.number = o.mean},    {.number = o.deviation}, {.number = o.least},
        {.count = o.least_at}, {.number = o.most},      {.count = o.most_at}};
    status = carom_table_row(table, cells, error);
  }
  return status;
}

static carom_status write_kinds(const carom_ensemble *ensemble, carom_tables *tables,
                                carom_error *error) {
  static const carom_column COLUMNS[] = {{"motion", CAROM_COLUMN_TEXT},
                                         {"count", CAROM_COLUMN_COUNT},
                                         {"share", CAROM_COLUMN_NUMBER},
                                         {"low", CAROM_COLUMN_NUMBER},
                                         {"high", CAROM_COLUMN_NUMBER}};
  carom_table *table;
  carom_status status =
      carom_tables_add(tables, "motions", (int)CAROM_COUNT(COLUMNS), COLUMNS, &table, error);
  for (int k = 0; k < carom_ensemble_kinds(ensemble) && status == CAROM_OK; k++) {
    carom_ensemble_kind kind = carom_ensemble_kind_at(ensemble, k);
    const carom_cell cells[] = {{.text = kind.name},
                                {.count = kind.count},
                                {.number = kind.share},
                                {.number = kind.low},
                                {.number = kind.high}};
    status = carom_table_row(table, cells, error);
  }
  return status;
}

// what lies beside the edges is in rows that reach to infinity
static carom_status write_histogram(const carom_ensemble_histogram *h, carom_table *table,
                                    carom_error *error) {
  carom_status status = CAROM_OK;
  for (int k = -1; k <= h->bins && status == CAROM_OK; k++) {
    long count = k < 0 ? h->below : k < h->bins ? h->counts[k] : h->above;
    const carom_cell cells[] = {{.text = h->name},
                                {.number = k < 0 ? -INFINITY : h->edges[k]},
                                {.number = k < h->bins ? h->edges[k + 1] : INFINITY},
                                {.count = count}};
    status = carom_table_row(table, cells, error);
  }
  return status;
}

static carom_status write_histograms(const carom_ensemble *ensemble, carom_tables *tables,
                                     carom_error *error) {
  static const carom_column COLUMNS[] = {{"observable", CAROM_COLUMN_TEXT},
                                         {"from", CAROM_COLUMN_NUMBER},
                                         {"to", CAROM_COLUMN_NUMBER},
                                         {"count", CAROM_COLUMN_COUNT}};
  carom_table *table;
  if (carom_ensemble_histograms(ensemble) == 0) return CAROM_OK;
  carom_status status =
      carom_tables_add(tables, "histogram", (int)CAROM_COUNT(COLUMNS), COLUMNS, &table, error);
  for (int k = 0; k < carom_ensemble_histograms(ensemble) && status == CAROM_OK; k++) {
    carom_ensemble_histogram h = carom_ensemble_histogram_at(ensemble, k);
    status = write_histogram(&h, table, error);
  }
  return status;
}

static carom_status fill_tables(const void *ctx, carom_tables *tables, carom_error *error) {
  const carom_ensemble *ensemble = ctx;
  carom_status status = write_observables(ensemble, tables, error);
  if (status == CAROM_OK) status = write_kinds(ensemble, tables, error);
  return status == CAROM_OK ? write_histograms(ensemble, tables, error) : status;
}

// ---- what is told ----

static void json_kinds(carom_json *json, const carom_ensemble *ensemble) {
  carom_json_array(json, "motions");
  for (int k = 0; k < carom_ensemble_kinds(ensemble); k++) {
    carom_ensemble_kind kind = carom_ensemble_kind_at(ensemble, k);
    carom_json_object(json, NULL);
    carom_json_text(json, "motion", kind.name);
    carom_json_count(json, "count", kind.count);
    carom_json_number(json, "share", kind.share);
    carom_json_number(json, "low", kind.low);
    carom_json_number(json, "high", kind.high);
    carom_json_end(json);
  }
  carom_json_end(json);
}

static void json_observables(carom_json *json, const carom_ensemble *ensemble) {
  carom_json_object(json, "observables");
  for (int k = 0; k < carom_ensemble_observables(ensemble); k++) {
    carom_ensemble_observable o = carom_ensemble_observable_at(ensemble, k);
    carom_json_object(json, o.name);
    carom_json_count(json, "count", o.count);
    carom_json_count(json, "missing", o.missing);
    carom_json_number(json, "mean", o.mean);
    carom_json_number(json, "deviation", o.deviation);
    carom_json_number(json, "least", o.least);
    carom_json_count(json, "least_at", o.least_at);
    carom_json_number(json, "most", o.most);
    carom_json_count(json, "most_at", o.most_at);
    carom_json_end(json);
  }
  carom_json_end(json);
}

static void json_histograms(carom_json *json, const carom_ensemble *ensemble) {
  carom_json_object(json, "histograms");
  for (int k = 0; k < carom_ensemble_histograms(ensemble); k++) {
    carom_ensemble_histogram h = carom_ensemble_histogram_at(ensemble, k);
    carom_json_object(json, h.name);
    carom_json_array(json, "edges");
    for (int j = 0; j <= h.bins; j++)
      carom_json_number(json, NULL, h.edges[j]);
    carom_json_end(json);
    carom_json_array(json, "counts");
    for (int j = 0; j < h.bins; j++)
      carom_json_count(json, NULL, h.counts[j]);
    carom_json_end(json);
    carom_json_count(json, "below", h.below);
    carom_json_count(json, "above", h.above);
    carom_json_end(json);
  }
  carom_json_end(json);
}

static void print_json(const carom_many_runs *it, const carom_ensemble *ensemble,
                       bool interrupted) {
  carom_json json = carom_json_answer(it->call);
  carom_ensemble_motions all = carom_ensemble_count(ensemble);
  carom_json_text(&json, "title", carom_model_title(it->model));
  carom_json_count(&json, "points", all.points);
  carom_json_count(&json, "done", all.done);
  carom_json_count(&json, "failed", all.failed);
  if (all.failed > 0) carom_json_text(&json, "failure", all.failure);
  carom_json_count(&json, "not_passed", all.not_passed);
  carom_json_number(&json, "residual", all.residual);
  json_kinds(&json, ensemble);
  json_observables(&json, ensemble);
  json_histograms(&json, ensemble);
  carom_json_flag(&json, "interrupted", interrupted);
  carom_json_end(&json);
}

static void print_text(const carom_ensemble *ensemble) {
  carom_ensemble_motions all = carom_ensemble_count(ensemble);
  int kinds = carom_ensemble_kinds(ensemble);
  printf("%ld runs\n", all.done);
  for (int k = 0; k < carom_ensemble_observables(ensemble); k++) {
    carom_ensemble_observable o = carom_ensemble_observable_at(ensemble, k);
    printf("  %-16s %14.8g +- %-12.6g from %.8g (run %ld) to %.8g (run %ld)\n", o.name, o.mean,
           o.deviation, o.least, o.least_at, o.most, o.most_at);
  }
  for (int k = 0; k < kinds && k < MOST_PRINTED; k++) {
    carom_ensemble_kind kind = carom_ensemble_kind_at(ensemble, k);
    printf("  %8.4f %%  (%.4f to %.4f)  ", 100.0 * kind.share, 100.0 * kind.low, 100.0 * kind.high);
    carom_print_safely(stdout, kind.name[0] ? kind.name : "(no word)");
    printf("\n");
  }
  if (kinds > MOST_PRINTED) printf("  and %d more kinds of motion\n", kinds - MOST_PRINTED);
}

static void warn_of(const carom_ensemble_motions *all) {
  char text[TEXT + 500];
  if (all->failed == 0) return;
  (void)snprintf(text, sizeof text, "%ld runs failed, the first of them run %ld: %s", all->failed,
                 all->first_failed, all->failure);
  carom_warn(text);
}

static int hand_over(const carom_many_runs *it, void *result, carom_status ended,
                     carom_error *error) {
  const carom_ensemble *ensemble = result;
  bool interrupted = ended == CAROM_STOP_USER;
  const carom_written results = {.kind = "ensemble",
                                 .outcome = "complete",
                                 .model = it->model,
                                 .ctx = ensemble,
                                 .fill = fill_tables};
  carom_ensemble_motions all = carom_ensemble_count(ensemble);
  carom_status status = interrupted ? CAROM_OK : carom_call_write(it->call, &results, error);
  if (status != CAROM_OK) return carom_report(it->call, error, NULL, CAROM_EXIT_FAILED);
  if (carom_call_has(it->call, "json"))
    print_json(it, ensemble, interrupted);
  else if (!carom_call_has(it->call, "quiet"))
    print_text(ensemble);
  warn_of(&all);
  carom_card_tell(it->call, carom_ensemble_card(ensemble), all.done);
  if (interrupted) return carom_many_runs_exit(it, true);
  const carom_sweep_summary summary = {.not_passed = all.not_passed};
  return carom_sweep_exit(&summary);
}

// ---- the command ----

// "NAME=FROM:TO:BINS", a range of one more value than bins; "NAME=E0,E1,..." are edges
static carom_status read_histogram(const char *text, carom_axis *axis, carom_error *error) {
  char range[TEXT];
  const char *first = strchr(text, ':'), *second = first ? strchr(first + 1, ':') : NULL;
  if (!second) return carom_axis_parse(text, axis, error);
  char *end;
  long bins = strtol(second + 1, &end, 10);
  if (end == second + 1 || bins < 1 || bins > 1000000 || strlen(text) + 30 > sizeof range) {
    (void)carom_refuse(error, "--histogram expects NAME=FROM:TO:BINS, not '%.100s'", text);
    return CAROM_ERR_INPUT;
  }
  (void)snprintf(range, sizeof range, "%.*s:%ld%s", (int)(second - text), text, bins + 1, end);
  return carom_axis_parse(range, axis, error);
}

static carom_status compute_ensemble(carom_many_runs *it, void **result, carom_error *error) {
  carom_ensemble_options options = carom_ensemble_options_default();
  carom_axis histograms[MOST_HISTOGRAMS];
  carom_ensemble *ensemble = NULL;
  const carom_call *call = it->call;
  long random, seed;
  carom_status status = CAROM_OK;
  if (!carom_call_count(call, "random", 1, 1000000000000, 0, &random, error) ||
      !carom_call_count(call, "seed", 0, 1000000000, 1, &seed, error))
    return CAROM_ERR_INPUT;
  if (random > 0 && carom_call_value(call, "seeds"))
    return carom_wrong(error, "--random draws every value, --seeds counts seeds: not both");
  for (int k = 0; k < call->given_count && status == CAROM_OK; k++) {
    if (strcmp(call->given[k].option->name, "histogram") != 0) continue;
    if (options.histogram_count == MOST_HISTOGRAMS)
      status = carom_wrong(error, "at most %d histograms", MOST_HISTOGRAMS);
    if (status == CAROM_OK)
      status = read_histogram(call->given[k].value, &histograms[options.histogram_count], error);
    if (status == CAROM_OK) options.histogram_count++;
  }
  options.sweep = carom_many_runs_sweep(it);
  options.sweep.random = random;
  options.sweep.seed = (uint64_t)seed;
  options.histograms = histograms;
  if (status == CAROM_OK) status = carom_ensemble_run(&options, &ensemble, error);
  for (int k = 0; k < options.histogram_count; k++)
    carom_axis_destroy(&histograms[k]);
  *result = ensemble;
  return status;
}

static void release_ensemble(void *result) { carom_ensemble_destroy(result); }

static int run_ensemble(const carom_call *call) {
  const carom_many_work work = {.least_axes = carom_call_value(call, "seeds") ? 0 : 1,
                                .most_axes = CAROM_MOST_AXES,
                                .partly = true,
                                .compute = compute_ensemble,
                                .hand_over = hand_over,
                                .release = release_ensemble};
  return carom_many_runs_do(call, &work);
}

static const carom_option OPTIONS[] = {
    CAROM_OPTION_OVER,
    {"random", "N", "", "all points of the grid",
     "N random points instead, uniform between the first and last values of the axes", NULL},
    {"seed", "N", "", "1", "of the random points", NULL},
    {"seeds", "N", "", "that of the scenario",
     "run every point N times, with seeds 1 to N of what is random in it", NULL},
    {"observe", "NAME,NAME...", "", "all observables of the scenario",
     "what to average: observables, final values, definitions", NULL},
    {"histogram", "NAME=FROM:TO:BINS", "", "none",
     "count the values of an observable; NAME=E0,E1,... names the edges; may be given repeatedly",
     NULL},
    CAROM_OPTION_THREADS,
    CAROM_OPTION_GPU,
    CAROM_OPTION_PART,
    CAROM_OPTION_RESUME,
    CAROM_OPTION_OUT,
    CAROM_OPTION_TABLE,
    CAROM_OPTION_SET,
    CAROM_OPTION_QUIET,
    CAROM_OPTION_JSON,
};

const carom_command carom_command_ensemble = {
    .name = "ensemble",
    .arguments = "FILE",
    .summary = "Runs a scenario any number of times and keeps shares, averages and histograms",
    .details =
        "Monte-Carlo: of each observable mean, standard deviation and extremes with the number of "
        "their runs,\nof each regime or word its share with a 95 % interval. No row is kept: any "
        "number of runs needs the\nsame memory and disk. Every run is that of carom sweep, and the "
        "answer does not depend on threads,\ncards, parts or interruptions.\n",
    .examples =
        "  carom ensemble ball_on_table.yaml --over Gamma=1:3:2 --random 100000\n"
        "  carom ensemble relief_valve.yaml --over q=4:8:2 --random 1000000 --gpu --out valves.h5\n"
        "  carom ensemble wiper.yaml --over mu=0.3:0.7:401 --histogram hop=0:0.5:50 --csv "
        "hops.csv\n",
    CAROM_TAKES(OPTIONS),
    .run = run_ensemble,
};
