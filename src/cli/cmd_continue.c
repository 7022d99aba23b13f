// SPDX-License-Identifier: MIT
/// carom continue: branches of equilibria and periodic motions along a parameter.
#include "base/error.h"
#include "carom/continuation.h"
#include "commands.h"
#include "continue_atlas.h"
#include "many_runs.h"
#include "outputs.h"
#include "table_picture.h"
#include "table_plan.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LONGEST_NAME = 128, VALUE_COLUMN = 2, LOOKS = 128 };

typedef struct request {
  const carom_call *call;
  char parameter[LONGEST_NAME];
  carom_continuation_options options;
  char also[LONGEST_NAME]; // the second parameter; "": none
  double also_from, also_to;
  carom_model *model;
  carom_simulation *simulation; // for names
  char *journal;                // NULL: none
  bool *drifts;                 // which states may
  int observed;                 // the state that is drawn
} request;

static bool was_stopped(void *ctx) {
  (void)ctx;
  return carom_interrupted();
}

static void show_progress(void *ctx, long done, long total, double left) {
  carom_progress_points(ctx, done, total, left);
}

static const char *kind_text(const carom_continuation_point *p) {
  static const char *const texts[2][3] = {{"stable", "unstable", "marginal"},
                                          {"virtual stable", "virtual unstable", "virtual"}};
  return texts[p->virtual_motion][p->kind];
}

// --- the command line

static bool read_range(const char *text, char *name, double *from, double *to) {
  const char *equals = text ? strchr(text, '=') : NULL;
  char *end = NULL;
  if (!equals || equals == text || equals - text >= LONGEST_NAME) return false;
  memcpy(name, text, (size_t)(equals - text));
  *from = strtod(equals + 1, &end);
  if (end == equals + 1 || *end != ':') return false;
  const char *second = end + 1;
  *to = strtod(second, &end);
  return end != second && *end == '\0';
}

static bool read_ranges(request *it, carom_error *error) {
  const char *also = carom_call_value(it->call, "also");
  *error = (carom_error){.status = CAROM_ERR_INPUT,
                         .text = "--over expects NAME=FROM:TO, such as --over mu=0.2:0.6"};
  it->options.parameter = it->parameter;
  if (!read_range(carom_call_value(it->call, "over"), it->parameter, &it->options.from,
                  &it->options.to))
    return false;
  *error = (carom_error){.status = CAROM_ERR_INPUT,
                         .text = "--also expects NAME=FROM:TO, such as --also e=0:0.9"};
  if (!also) return true;
  if (!read_range(also, it->also, &it->also_from, &it->also_to)) return false;
  if (!carom_call_has(it->call, "resume")) return true;
  *error = (carom_error){.status = CAROM_ERR_INPUT,
                         .text = "--resume is for branches, not for the curves of --also"};
  return false;
}

static bool read_request(request *it, carom_error *error) {
  const carom_call *call = it->call;
  carom_continuation_options *o = &it->options;
  long turns, switches, most, threads;
  *o = carom_continuation_options_default();
  if (!read_ranges(it, error)) return false;
  o->equilibrium = carom_call_has(call, "equilibrium");
  o->virtual_too = carom_call_has(call, "virtual");
  o->mode = carom_call_value(call, "mode");
  if (!carom_call_count(call, "turns", 1, 1000, 0, &turns, error) ||
      !carom_call_count(call, "switch", 0, 16, 0, &switches, error) ||
      !carom_call_count(call, "points", 2, 1000000, o->most, &most, error) ||
      !carom_call_positive(call, "after", -1.0, &o->orbit.after, error) ||
      !carom_call_positive(call, "near", 0.0, &o->orbit.period, error) ||
      !carom_call_positive(call, "step", o->largest, &o->largest, error) ||
      !carom_call_count(call, "threads", 1, 1024, 0, &threads, error) ||
      !carom_call_alone(call, "a branch is followed step by step", error) ||
      !carom_call_journal(call, 0, 0, &it->journal, error))
    return false;
  o->threads = (int)threads;
  o->journal = it->journal;
  o->resume = carom_call_has(call, "resume");
  o->orbit.turns = (int)turns;
  o->switches = (int)switches;
  o->most = most;
  o->first = fmin(o->first, o->largest);
  return true;
}

// --- tables

static void plan_columns(const request *it, int states, carom_table_plan *plan) {
  static const carom_column own[] = {
      {"branch", CAROM_COLUMN_COUNT},   {"label", CAROM_COLUMN_TEXT},
      {"value", CAROM_COLUMN_NUMBER},   {"stability", CAROM_COLUMN_TEXT},
      {"unstable", CAROM_COLUMN_COUNT}, {"re", CAROM_COLUMN_NUMBER},
      {"im", CAROM_COLUMN_NUMBER},      {"period", CAROM_COLUMN_NUMBER},
      {"word", CAROM_COLUMN_TEXT}};
  // the value is called as the parameter is, unless a column of that name is there already
  bool taken = false;
  for (int k = 0; k < CAROM_COUNT(own); k++)
    taken = taken || strcmp(own[k].name, it->parameter) == 0;
  for (int k = 0; k < CAROM_COUNT(own); k++)
    carom_table_plan_add(plan, own[k].kind, "%s",
                         k == VALUE_COLUMN && !taken ? it->parameter : own[k].name);
  for (int k = 0; k < states; k++)
    carom_table_plan_add(plan, CAROM_COLUMN_NUMBER, "%s",
                         carom_simulation_column(it->simulation, k));
  for (int k = 0; k < states; k++)
    if (it->drifts[k])
      carom_table_plan_add(plan, CAROM_COLUMN_NUMBER, "shift of %s",
                           carom_simulation_column(it->simulation, k));
  for (int k = 0; k < states; k++)
    carom_table_plan_add(plan, CAROM_COLUMN_NUMBER, "top of %s",
                         carom_simulation_column(it->simulation, k));
}

static void fill_cells(const request *it, const carom_continuation *result,
                       const carom_continuation_point *p, carom_cell *cells) {
  int states = carom_continuation_states(result), at = 0;
  cells[at++] = (carom_cell){.count = p->branch};
  cells[at++] = (carom_cell){.text = carom_branch_label_text(p->label)};
  cells[at++] = (carom_cell){.number = p->value};
  cells[at++] = (carom_cell){.text = kind_text(p)};
  cells[at++] = (carom_cell){.count = p->unstable};
  cells[at++] = (carom_cell){.number = p->re};
  cells[at++] = (carom_cell){.number = p->im};
  cells[at++] = (carom_cell){.number = p->period};
  cells[at++] = (carom_cell){.text = p->word};
  for (int k = 0; k < states; k++)
    cells[at++] = (carom_cell){.number = p->state[k]};
  for (int k = 0; k < states; k++)
    if (it->drifts[k]) cells[at++] = (carom_cell){.number = p->shift[k]};
  for (int k = 0; k < states; k++)
    cells[at++] = (carom_cell){.number = p->top ? p->top[k] : NAN};
}

/// What was asked for and what was found.
typedef struct answered {
  const request *it;
  const carom_continuation *result;
} answered;

static carom_status fill_table(const void *ctx, carom_tables *tables, carom_error *error) {
  const answered *a = ctx;
  carom_table_plan plan = {0};
  carom_table *table;
  plan_columns(a->it, carom_continuation_states(a->result), &plan);
  carom_status status = carom_table_plan_open(&plan, tables, "points", &table, error);
  for (long k = 0; k < carom_continuation_points(a->result) && status == CAROM_OK; k++) {
    fill_cells(a->it, a->result, carom_continuation_point_at(a->result, k), plan.cells);
    status = carom_table_row(table, plan.cells, error);
  }
  carom_table_plan_free(&plan);
  return status;
}

static carom_status write_tables(const request *it, const carom_continuation *result,
                                 carom_error *error) {
  const answered all = {it, result};
  const carom_written results = {
      .kind = "branches", .outcome = "done", .model = it->model, .ctx = &all, .fill = fill_table};
  return carom_call_write(it->call, &results, error);
}

// --- the picture

// the largest value of the observed coordinate on each turn
static carom_status draw_branch(const request *it, carom_error *error) {
  char column[LONGEST_NAME];
  (void)snprintf(column, sizeof column, "top of %s",
                 carom_simulation_column(it->simulation, it->observed));
  return carom_table_picture(it->call, column, error);
}

// --- what is told

static void print_json(const request *it, const carom_continuation *result, bool interrupted) {
  carom_json json = carom_json_answer(it->call);
  carom_json_text(&json, "parameter", it->parameter);
  carom_json_count(&json, "points", carom_continuation_points(result));
  carom_json_count(&json, "turns", carom_continuation_turns(result));
  carom_json_flag(&json, "interrupted", interrupted);
  carom_json_array(&json, "special");
  for (long k = 0; k < carom_continuation_points(result); k++) {
    const carom_continuation_point *p = carom_continuation_point_at(result, k);
    if (p->label == CAROM_LABEL_NONE) continue;
    carom_json_object(&json, NULL);
    carom_json_count(&json, "branch", p->branch);
    carom_json_text(&json, "label", carom_branch_label_text(p->label));
    carom_json_number(&json, "value", p->value);
    carom_json_number(&json, "period", p->period);
    carom_json_text(&json, "stability", kind_text(p));
    carom_json_number(&json, "re", p->re);
    carom_json_number(&json, "im", p->im);
    carom_json_text(&json, "word", p->word);
    if (*p->why) carom_json_text(&json, "why", p->why);
    carom_json_end(&json);
  }
  carom_json_end(&json);
  carom_json_end(&json);
}

static void print_text(const request *it, const carom_continuation *result) {
  printf("%ld points\n", carom_continuation_points(result));
  for (long k = 0; k < carom_continuation_points(result); k++) {
    const carom_continuation_point *p = carom_continuation_point_at(result, k);
    if (p->label == CAROM_LABEL_NONE) continue;
    printf("  branch %-2d %-9s %s = %-16.12g", p->branch, carom_branch_label_text(p->label),
           it->parameter, p->value);
    if (p->period > 0.0) printf(" period %-14.9g", p->period);
    printf(" %-8s %+.6g", kind_text(p), p->re);
    if (p->im != 0.0) printf(" %+.6g i", p->im);
    printf("  %s\n", p->word);
    if (*p->why) printf("%12s%s\n", "", p->why);
  }
}

static int hand_over(const request *it, const carom_continuation *result, carom_status ended,
                     carom_error *error) {
  bool interrupted = ended == CAROM_STOP_USER;
  carom_status status = write_tables(it, result, error);
  if (status == CAROM_OK) status = draw_branch(it, error);
  if (status != CAROM_OK) return carom_report(it->call, error, NULL, CAROM_EXIT_FAILED);
  if (carom_call_has(it->call, "json"))
    print_json(it, result, interrupted);
  else if (!carom_call_has(it->call, "quiet"))
    print_text(it, result);
  if (interrupted)
    carom_warn(it->journal ? "interrupted: the tables hold what was done; the same command with "
                             "--resume goes on"
                           : "interrupted: with --out or --csv it could be resumed");
  return interrupted ? CAROM_EXIT_FAILED : CAROM_EXIT_DONE;
}

// looks at whole turns are asked for where they are written or drawn
static carom_status find_observed(request *it, carom_error *error) {
  if (carom_call_value(it->call, "picture") || carom_call_value(it->call, "csv") ||
      carom_call_value(it->call, "out"))
    it->options.looks = LOOKS;
  return carom_call_state(it->call, it->simulation, &it->observed, error);
}

// with a second parameter
static carom_status make_atlas(const request *it, int *exit_code, carom_error *error) {
  carom_atlas_options options = carom_atlas_options_default();
  carom_atlas *atlas = NULL;
  options.branch = it->options;
  options.branch.looks = 0;
  options.also = it->also;
  options.low = fmin(it->also_from, it->also_to);
  options.high = fmax(it->also_from, it->also_to);
  options.most = it->options.most;
  options.from_corners = carom_call_has(it->call, "corners");
  carom_status status = carom_atlas_run(&options, &atlas, error);
  if (status >= 0) *exit_code = carom_atlas_hand_over(it->call, it->model, &options, atlas, error);
  if (status == CAROM_STOP_USER) {
    carom_warn("interrupted: what was done is told");
    *exit_code = CAROM_EXIT_FAILED;
  }
  carom_atlas_destroy(atlas);
  return status;
}

static int continue_branches(const carom_call *call) {
  int exit_code = CAROM_EXIT_DONE;
  carom_error error = {0};
  request it = {.call = call};
  if (!read_request(&it, &error)) {
    free(it.journal);
    free(it.drifts);
    return carom_report(call, &error, NULL, CAROM_EXIT_WRONG_INPUT);
  }
  it.model = carom_load(call, &exit_code);
  if (!it.model) {
    free(it.journal);
    free(it.drifts);
    return exit_code;
  }
  carom_progress progress = carom_progress_begin(!carom_call_has(call, "quiet"), 0.0, 1.0);
  carom_continuation *result = NULL;
  it.options.model = it.model;
  it.options.watcher =
      (carom_watcher){.ctx = &progress, .stopped = was_stopped, .progress = show_progress};
  carom_interrupt_catch();
  error = (carom_error){0};
  carom_status status = carom_simulation_create(it.model, &it.simulation, &error);
  if (status == CAROM_OK) {
    int states;
    (void)carom_simulation_state(it.simulation, &states);
    it.drifts = carom_find_drifts(it.model, states);
    if (!it.drifts) status = carom_fail_memory(&error);
  }
  if (status == CAROM_OK) status = find_observed(&it, &error);
  bool alone = !*it.also;
  if (status == CAROM_OK)
    status = alone ? carom_continuation_run(&it.options, &result, &error)
                   : make_atlas(&it, &exit_code, &error);
  carom_interrupt_heard();
  carom_progress_end(&progress);
  carom_warn_of_remark(status, &error);
  carom_advise_search(status, &error);
  bool wrong = status == CAROM_ERR_INPUT || status == CAROM_ERR_ARGUMENT ||
               (status == CAROM_ERR_IO && !carom_outputs_have_folders(call));
  if (status < 0)
    exit_code =
        carom_report(call, &error, NULL, wrong ? CAROM_EXIT_WRONG_INPUT : CAROM_EXIT_FAILED);
  else if (alone)
    exit_code = hand_over(&it, result, status, &error);
  // what is finished needs its journal no longer
  if (status == CAROM_OK && exit_code == CAROM_EXIT_DONE && it.journal) (void)unlink(it.journal);
  free(it.journal);
  free(it.drifts);
  carom_continuation_destroy(result);
  carom_simulation_destroy(it.simulation);
  carom_model_destroy(it.model);
  return exit_code;
}

static const carom_option OPTIONS[] = {
    {"over", "NAME=FROM:TO", "", "", "the parameter; the branch is sought at FROM", NULL},
    {"also", "NAME=FROM:TO", "", "none", "a second parameter: special points become curves in both",
     NULL},
    {"corners", NULL, "", "",
     "with --also: branches anew beside named points, for the curves that begin there", NULL},
    {"equilibrium", NULL, "", "", "follow an equilibrium, not a periodic motion", NULL},
    {"mode", "WORD", "", "the first admissible", "contact mode of the equilibrium, such as +",
     NULL},
    {"switch", "N", "", "0",
     "follow motions that branch off at flips, crossings and Hopf points, N times over", NULL},
    {"virtual", NULL, "", "",
     "beyond the end of a word follow it too, held fixed: virtual motions, which break an "
     "inequality",
     NULL},
    {"after", "TIME", "of the scenario", "the end of the run",
     "where the search at FROM begins: the state at this time", NULL},
    CAROM_OPTIONS_OF_TURNS,
    {"step", "X", "of the branch's size", "0.05", "the longest step", NULL},
    {"points", "N", "", "2000", "at most so many per branch", NULL},
    {"observe", "NAME", "", "the first coordinate", "the coordinate, rate or state that is drawn",
     NULL},
    {"threads", "N", "", "all processors", "how many branches at a time", NULL},
    CAROM_OPTIONS_OF_RESULTS,
};

const carom_command carom_command_continue = {
    .name = "continue",
    .arguments = "FILE",
    .summary = "Follows equilibria and periodic motions along a parameter, stable or not",
    .details =
        "The branch goes through folds; folds, flips, Neimark-Sacker and Hopf points, grazes and "
        "other changes\nof the word are located. At a change of the word the branch of the other "
        "word is followed, also where\nit turns back; where the motion jumps, the one it jumps "
        "to. The end of a word is where, with the word\nheld fixed, a phase lasts no time, an "
        "impact or a gap grazes, an impact comes out otherwise, or a force\ncomes to its "
        "limit.\n",
    .examples = "  carom continue ball_on_table.yaml --over Gamma=0.5:1.5 --switch 3\n"
                "  carom continue frictional_impact_oscillator.yaml --over mu=0.2:0.6 "
                "--equilibrium --csv branch.csv\n"
                "  carom continue ball_on_table.yaml --over Gamma=0.7:1.3 --also e=0.5:0.95 --csv "
                "atlas.csv\n",
    CAROM_TAKES(OPTIONS),
    .run = continue_branches,
};
