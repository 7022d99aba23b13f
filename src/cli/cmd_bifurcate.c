// SPDX-License-Identifier: MIT
/// carom bifurcate: an attractor followed along a parameter.
#include "carom/bifurcation.h"
#include "carom/digest.h"
#include "commands.h"
#include "draw/plot_marks.h"
#include "many_runs.h"
#include "table_picture.h"

#include <stdlib.h>
#include <string.h>

enum { LONGEST_LABEL = 48, LONGEST_WORD = 4096 };

// ---- tables ----

static carom_status write_points(carom_tables *tables, const carom_bifurcation *diagram,
                                 const char *parameter, carom_error *error) {
  const carom_column columns[] = {{parameter, CAROM_COLUMN_NUMBER},
                                  {"direction", CAROM_COLUMN_COUNT},
                                  {"crossing", CAROM_COLUMN_COUNT},
                                  {carom_bifurcation_observable(diagram), CAROM_COLUMN_NUMBER},
                                  {"period", CAROM_COLUMN_COUNT},
                                  {"word", CAROM_COLUMN_TEXT},
                                  {"regime", CAROM_COLUMN_TEXT},
                                  {"passed", CAROM_COLUMN_COUNT},
                                  {"failure", CAROM_COLUMN_TEXT}};
  carom_table *table;
  carom_status status =
      carom_tables_add(tables, "points", CAROM_COUNT(columns), columns, &table, error);
  for (long k = 0; k < carom_bifurcation_points(diagram) && status == CAROM_OK; k++) {
    const carom_bifurcation_point *point = carom_bifurcation_point_at(diagram, k);
    // a motion at rest, and a failure, have a row too: crossing -1
    int rows = point->count > 0 ? point->count : 1;
    for (int j = 0; j < rows && status == CAROM_OK; j++) {
      const carom_cell cells[] = {{.number = point->value},
                                  {.count = point->direction},
                                  {.count = point->count > 0 ? j : -1},
                                  {.number = point->status < 0 ? NAN : point->crossings[j]},
                                  {.count = point->period},
                                  {.text = point->word},
                                  {.text = point->regime},
                                  {.count = point->passed},
                                  {.text = point->failure}};
      status = carom_table_row(table, cells, error);
    }
  }
  return status;
}

static carom_status write_changes(carom_tables *tables, const carom_bifurcation *diagram,
                                  const char *parameter, carom_error *error) {
  const carom_column columns[] = {
      {parameter, CAROM_COLUMN_NUMBER}, {"direction", CAROM_COLUMN_COUNT},
      {"near", CAROM_COLUMN_NUMBER},    {"far", CAROM_COLUMN_NUMBER},
      {"located", CAROM_COLUMN_COUNT},  {"before", CAROM_COLUMN_TEXT},
      {"after", CAROM_COLUMN_TEXT}};
  carom_table *table;
  carom_status status =
      carom_tables_add(tables, "changes", CAROM_COUNT(columns), columns, &table, error);
  for (long k = 0; k < carom_bifurcation_changes(diagram) && status == CAROM_OK; k++) {
    const carom_bifurcation_change *change = carom_bifurcation_change_at(diagram, k);
    const carom_cell cells[] = {{.number = change->value},  {.count = change->direction},
                                {.number = change->near},   {.number = change->far},
                                {.count = change->located}, {.text = change->near_text},
                                {.text = change->far_text}};
    status = carom_table_row(table, cells, error);
  }
  return status;
}

/// A diagram and the name of its parameter.
typedef struct named_diagram {
  const carom_bifurcation *diagram;
  const char *parameter;
} named_diagram;

static carom_status fill_tables(const void *ctx, carom_tables *tables, carom_error *error) {
  const named_diagram *it = ctx;
  carom_status status = write_points(tables, it->diagram, it->parameter, error);
  return status == CAROM_OK ? write_changes(tables, it->diagram, it->parameter, error) : status;
}

static carom_status write_tables(const carom_many_runs *it, const carom_bifurcation *diagram,
                                 carom_error *error) {
  const named_diagram named = {diagram, it->axes[0].name};
  const carom_written results = {.kind = "bifurcation",
                                 .outcome = "complete",
                                 .model = it->model,
                                 .ctx = &named,
                                 .fill = fill_tables};
  return carom_call_write(it->call, &results, error);
}

// ---- what is printed ----

static void change_json(carom_json *json, const carom_bifurcation_change *change) {
  carom_json_object(json, NULL);
  carom_json_number(json, "value", change->value);
  carom_json_text(json, "direction", change->direction < 0 ? "down" : "up");
  carom_json_number(json, "near", change->near);
  carom_json_number(json, "far", change->far);
  carom_json_flag(json, "located", change->located);
  carom_json_text(json, "before", change->near_text);
  carom_json_text(json, "after", change->far_text);
  carom_json_end(json);
}

// of all points: equal digests, equal bits
static void digest_json(carom_json *json, const carom_bifurcation *diagram) {
  carom_digest digest = {0};
  char text[CAROM_DIGEST_TEXT];
  for (long k = 0; k < carom_bifurcation_points(diagram); k++) {
    const carom_bifurcation_point *point = carom_bifurcation_point_at(diagram, k);
    carom_digest_numbers(&digest, 1, &point->value);
    carom_digest_numbers(&digest, point->count, point->crossings);
  }
  carom_json_text(json, "digest", carom_digest_write(&digest, text));
}

static void print_json(const carom_many_runs *it, const carom_bifurcation *diagram, long failed,
                       bool interrupted) {
  carom_json json = carom_json_answer(it->call);
  carom_json_text(&json, "parameter", it->axes[0].name);
  carom_json_text(&json, "section", carom_bifurcation_section(diagram));
  carom_json_text(&json, "observable", carom_bifurcation_observable(diagram));
  carom_json_count(&json, "points", carom_bifurcation_points(diagram));
  carom_json_count(&json, "failed", failed);
  carom_json_flag(&json, "interrupted", interrupted);
  digest_json(&json, diagram);
  carom_json_array(&json, "changes");
  for (long k = 0; k < carom_bifurcation_changes(diagram); k++)
    change_json(&json, carom_bifurcation_change_at(diagram, k));
  carom_json_end(&json);
  carom_json_end(&json);
}

// for people: what repeats is written once
static void print_word(const char *word) {
  char text[LONGEST_WORD];
  carom_plot_word(word, text, sizeof text);
  carom_print_safely(stdout, text);
}

static void print_text(const carom_many_runs *it, const carom_bifurcation *diagram) {
  printf("%ld points, %ld changes of the motion\n", carom_bifurcation_points(diagram),
         carom_bifurcation_changes(diagram));
  for (long k = 0; k < carom_bifurcation_changes(diagram); k++) {
    const carom_bifurcation_change *change = carom_bifurcation_change_at(diagram, k);
    printf("  %-4s %s = %-16.12g within %-8.2g ", change->direction < 0 ? "down" : "up",
           it->axes[0].name, change->value, fabs(change->far - change->near));
    print_word(change->near_text);
    printf("  ->  ");
    print_word(change->far_text);
    printf(carom_call_has(it->call, "tolerance") && !change->located ? "  (not located)\n" : "\n");
  }
}

// what a reader of the diagram should know
static void warn_of(const carom_many_runs *it, const carom_bifurcation *diagram) {
  long failed = 0, crossed = 0, unlocated = 0;
  for (long k = 0; k < carom_bifurcation_points(diagram); k++) {
    failed += carom_bifurcation_point_at(diagram, k)->status < 0;
    crossed += carom_bifurcation_point_at(diagram, k)->count > 0;
  }
  for (long k = 0; k < carom_bifurcation_changes(diagram); k++)
    unlocated += !carom_bifurcation_change_at(diagram, k)->located;
  if (failed > 0) carom_warn("some runs failed; the table says why");
  if (crossed == 0)
    carom_warn("the section was met at no value: the points are where the motions end");
  if (unlocated > 0 && carom_call_has(it->call, "tolerance"))
    carom_warn("changes that are not located go away when the motion is followed more slowly or "
               "for longer: it had not settled (run.until, measure.after)");
}

static int hand_over(const carom_many_runs *it, void *result, carom_status ended,
                     carom_error *error) {
  const carom_bifurcation *diagram = result;
  bool interrupted = ended == CAROM_STOP_USER;
  carom_status status = interrupted ? CAROM_OK : write_tables(it, diagram, error);
  if (status == CAROM_OK && !interrupted) status = carom_table_picture(it->call, NULL, error);
  if (status != CAROM_OK) return carom_report(it->call, error, NULL, CAROM_EXIT_FAILED);
  long failed = 0;
  carom_sweep_summary summary = {0};
  for (long k = 0; k < carom_bifurcation_points(diagram); k++) {
    const carom_bifurcation_point *point = carom_bifurcation_point_at(diagram, k);
    failed += point->status < 0;
    summary.not_passed += point->status >= 0 && !point->passed;
  }
  if (carom_call_has(it->call, "json"))
    print_json(it, diagram, failed, interrupted);
  else if (!carom_call_has(it->call, "quiet"))
    print_text(it, diagram);
  warn_of(it, diagram);
  carom_card_tell(it->call, carom_bifurcation_card(diagram), carom_bifurcation_points(diagram));
  return interrupted ? carom_many_runs_exit(it, true) : carom_sweep_exit(&summary);
}

static bool read_options(const carom_many_runs *it, carom_bifurcation_options *options,
                         carom_error *error) {
  const carom_call *call = it->call;
  long skip, keep;
  if (!carom_call_count(call, "skip", 0, 1000000000, -1, &skip, error) ||
      !carom_call_count(call, "keep", 1, 1000000, options->keep, &keep, error) ||
      !carom_call_positive(call, "refine", 0.0, &options->refine, error) ||
      !carom_call_positive(call, "tolerance", 0.0, &options->tolerance, error) ||
      !carom_call_positive(call, "same", options->period_tolerance, &options->period_tolerance,
                           error))
    return false;
  options->model = it->model;
  options->axis = &it->axes[0];
  options->section = carom_call_value(call, "section");
  options->observable = carom_call_value(call, "observe");
  options->both = carom_call_has(call, "both");
  options->fresh = carom_call_has(call, "fresh");
  if (options->fresh && (options->refine > 0.0 || options->tolerance > 0.0)) {
    return carom_refuse(
        error, "--refine and --tolerance follow a motion from value to value, which --fresh "
               "does not; carom locate finds where fresh starts change");
  }
  options->skip = skip;
  options->keep = (int)keep;
  options->threads = it->threads;
  options->card = it->card.program;
  options->card_cache = it->card.cache;
  if (options->card && !options->fresh)
    return carom_refuse(error, "--gpu moves motions that do not wait for each other: it goes with "
                               "--fresh");
  options->journal = it->journal;
  options->resume = carom_call_has(call, "resume");
  options->part = it->part;
  options->parts = it->parts;
  options->ranks = true;
  options->watcher = it->watcher;
  options->found = carom_progress_found;
  return true;
}

static carom_status compute_diagram(carom_many_runs *it, void **result, carom_error *error) {
  carom_bifurcation_options options = carom_bifurcation_options_default();
  carom_bifurcation *diagram = NULL;
  carom_status status = read_options(it, &options, error)
                            ? carom_bifurcation_run(&options, &diagram, error)
                            : CAROM_ERR_INPUT;
  *result = diagram;
  return status;
}

static const char *step_by_step(const carom_many_runs *it) {
  return carom_call_has(it->call, "fresh") ? NULL
                                           : "the state is carried from value to value, one after "
                                             "the other; --fresh starts every value by itself";
}

static void release_diagram(void *result) { carom_bifurcation_destroy(result); }

static int run_bifurcate(const carom_call *call) {
  static const carom_many_work WORK = {.least_axes = 1,
                                       .most_axes = 1,
                                       .partly = true,
                                       .alone = step_by_step,
                                       .compute = compute_diagram,
                                       .hand_over = hand_over,
                                       .release = release_diagram};
  return carom_many_runs_do(call, &WORK);
}

static const carom_option OPTIONS[] = {
    {"over", "NAME=RANGE", "", "", "the parameter: FROM:TO:COUNT, FROM:TO:COUNT:log or V1,V2,...",
     NULL},
    {"section", "NAME", "", "the first section",
     "where the motion is looked at: a section, an event, or a contact for its impacts", NULL},
    {"observe", "NAME", "", "the first coordinate",
     "what is seen there: a coordinate, rate, state or definition", NULL},
    {"both", NULL, "", "", "go up and, from where that led, down again", NULL},
    {"fresh", NULL, "", "", "start every value as the scenario says, on all threads", NULL},
    {"skip", "N", "crossings", "the whole run", "throw so many away, keep the next, then stop",
     NULL},
    {"keep", "N", "crossings", "64", "how many are kept, the last of the run", NULL},
    {"same", "X", "of the state's size", "1e-6", "how exactly a periodic motion comes back", NULL},
    {"refine", "STEP", "of the parameter", "that of --over",
     "smaller steps where the motion changes", NULL},
    {"tolerance", "WIDTH", "of the parameter", "not located",
     "locate the values where the motion changes by bisection", NULL},
    CAROM_OPTION_GPU,
    CAROM_OPTIONS_OF_MANY_RUNS,
};

const carom_command carom_command_bifurcate = {
    .name = "bifurcate",
    .arguments = "FILE",
    .summary = "Follows the motion along a parameter: a bifurcation diagram",
    .details =
        "The state is carried from value to value. At each one the run lasts as the scenario says "
        "and\nits last crossings of the section are kept, from measure.after on; with --skip it "
        "ends\n"
        "after so many. Where word or period change, --refine takes smaller steps and --tolerance\n"
        "locates the critical value.\n",
    .examples = "  carom bifurcate wiper.yaml --over mu=0.38:0.45:141 --both --picture mu.png\n"
                "  carom bifurcate valve.yaml --over q=0.2:10:491 --fresh --skip 1024 --keep 32 "
                "--csv q.csv\n",
    CAROM_TAKES(OPTIONS),
    .run = run_bifurcate,
};
