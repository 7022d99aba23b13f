// SPDX-License-Identifier: MIT
/// carom lyapunov: how fast neighbouring motions part.
#include "carom/survey.h"
#include "commands.h"
#include "many_runs.h"
#include "table_picture.h"
#include "table_plan.h"

enum { MOST_ROWS = 2000 };

// how many exponents the rows have at most, with those that are extinguished
static int most_exponents(carom_survey *survey) {
  int most = 0;
  carom_survey_row row;
  for (long k = 0; k < carom_survey_count(survey); k++) {
    if (carom_survey_read(survey, k, &row, NULL) != CAROM_OK || !row.exponents) continue;
    int count = row.exponents->count + row.exponents->extinguished;
    if (count > most) most = count;
  }
  return most;
}

// ---- tables ----

// those that are extinguished come last, as -inf; beyond them there is none
static double exponent_of(const carom_lyapunov_view *e, int k) {
  if (!e || k >= e->count + e->extinguished) return NAN;
  return k < e->count ? e->exponents[k] : -INFINITY;
}

static void plan_columns(const carom_many_runs *it, int exponents, carom_table_plan *plan) {
  static const carom_column own[] = {
      {"extinguished", CAROM_COLUMN_COUNT}, {"sum", CAROM_COLUMN_NUMBER},
      {"dimension", CAROM_COLUMN_NUMBER},   {"time", CAROM_COLUMN_NUMBER},
      {"piecewise", CAROM_COLUMN_COUNT},    {"grazes", CAROM_COLUMN_COUNT},
      {"failure", CAROM_COLUMN_TEXT}};
  carom_table_plan_add(plan, CAROM_COLUMN_COUNT, "index");
  for (int k = 0; k < it->axis_count; k++)
    carom_table_plan_add(plan, CAROM_COLUMN_NUMBER, "%s", it->axes[k].name);
  for (int k = 0; k < 2 * exponents; k++)
    carom_table_plan_add(plan, CAROM_COLUMN_NUMBER, "%s %d", k % 2 ? "error" : "exponent",
                         k / 2 + 1);
  carom_table_plan_all(plan, CAROM_COUNT(own), own);
}

static carom_status write_exponents(const carom_many_runs *it, carom_survey *survey,
                                    carom_tables *tables, carom_error *error) {
  int most = most_exponents(survey);
  carom_table_plan plan = {0};
  carom_table *table;
  plan_columns(it, most, &plan);
  carom_status status = carom_table_plan_open(&plan, tables, "exponents", &table, error);
  carom_cell *cells = plan.cells;
  for (long index = 0; index < carom_survey_count(survey) && status == CAROM_OK; index++) {
    carom_survey_row row;
    status = carom_survey_read(survey, index, &row, error);
    if (status != CAROM_OK || !row.present) continue;
    const carom_lyapunov_view *e = row.exponents;
    int c = 0;
    cells[c++].count = index;
    for (int k = 0; k < it->axis_count; k++)
      cells[c++].number = row.at[k];
    for (int k = 0; k < most; k++) {
      cells[c++].number = exponent_of(e, k);
      cells[c++].number = e && k < e->count ? e->errors[k] : NAN;
    }
    cells[c++].count = e ? e->extinguished : 0;
    cells[c++].number = e ? e->sum : NAN;
    cells[c++].number = e ? e->dimension : NAN;
    cells[c++].number = e ? e->time : NAN;
    cells[c++].count = e ? e->notes.piecewise : 0;
    cells[c++].count = e ? e->notes.grazes : 0;
    cells[c].text = row.failure;
    status = carom_table_row(table, cells, error);
  }
  carom_table_plan_free(&plan);
  return status;
}

// how the averages of a single point settled
static carom_status write_course(const carom_lyapunov_view *e, carom_tables *tables,
                                 carom_error *error) {
  carom_table_plan plan = {0};
  carom_table *table;
  carom_table_plan_add(&plan, CAROM_COLUMN_NUMBER, "time");
  for (int k = 0; k < e->count; k++)
    carom_table_plan_add(&plan, CAROM_COLUMN_NUMBER, "exponent %d", k + 1);
  carom_status status = carom_table_plan_open(&plan, tables, "course", &table, error);
  for (int s = 0; s < e->stretches && status == CAROM_OK; s++) {
    plan.cells[0].number = e->time * (s + 1) / e->stretches;
    for (int k = 0; k < e->count; k++)
      plan.cells[k + 1].number = e->course[s * e->count + k];
    status = carom_table_row(table, plan.cells, error);
  }
  carom_table_plan_free(&plan);
  return status;
}

/// The command and what it found.
typedef struct averaged {
  const carom_many_runs *it;
  carom_survey *survey;
} averaged;

static carom_status fill_tables(const void *ctx, carom_tables *tables, carom_error *error) {
  const averaged *a = ctx;
  carom_survey_row row;
  carom_status status = write_exponents(a->it, a->survey, tables, error);
  if (status != CAROM_OK || a->it->axis_count > 0) return status;
  status = carom_survey_read(a->survey, 0, &row, error);
  return status == CAROM_OK && row.exponents ? write_course(row.exponents, tables, error) : status;
}

static carom_status write_tables(const carom_many_runs *it, carom_survey *survey,
                                 carom_error *error) {
  const averaged all = {it, survey};
  const carom_written results = {.kind = "exponents",
                                 .outcome = "complete",
                                 .model = it->model,
                                 .ctx = &all,
                                 .fill = fill_tables};
  return carom_call_write(it->call, &results, error);
}

// ---- what is told ----

static void json_exponents(carom_json *json, const carom_lyapunov_view *e) {
  carom_json_array(json, "exponents");
  for (int k = 0; k < e->count; k++) {
    carom_json_object(json, NULL);
    carom_json_number(json, "value", e->exponents[k]);
    carom_json_number(json, "error", e->errors[k]);
    carom_json_end(json);
  }
  carom_json_end(json);
  carom_json_count(json, "extinguished", e->extinguished);
  carom_json_number(json, "sum", e->sum);
  carom_json_number(json, "dimension", e->dimension);
  carom_json_number(json, "time", e->time);
  carom_json_count(json, "piecewise", e->notes.piecewise);
  carom_json_count(json, "grazes", e->notes.grazes);
}

static void json_rows(carom_json *json, const carom_many_runs *it, carom_survey *survey) {
  carom_survey_row row;
  carom_json_array(json, "rows");
  for (long index = 0; index < carom_survey_count(survey) && index < MOST_ROWS; index++) {
    if (carom_survey_read(survey, index, &row, NULL) != CAROM_OK || !row.present) continue;
    carom_json_object(json, NULL);
    carom_json_count(json, "index", index);
    for (int k = 0; k < it->axis_count; k++)
      carom_json_number(json, it->axes[k].name, row.at[k]);
    if (row.exponents) json_exponents(json, row.exponents);
    if (row.status < 0) carom_json_text(json, "failure", row.failure);
    carom_json_end(json);
  }
  carom_json_end(json);
}

static void print_json(const carom_many_runs *it, carom_survey *survey, long done, long failed,
                       bool interrupted) {
  carom_json json = carom_json_answer(it->call);
  carom_survey_row row;
  carom_json_text(&json, "title", carom_model_title(it->model));
  if (it->axis_count == 0) {
    if (carom_survey_read(survey, 0, &row, NULL) == CAROM_OK && row.exponents)
      json_exponents(&json, row.exponents);
  } else {
    carom_json_count(&json, "points", carom_survey_count(survey));
    carom_json_count(&json, "done", done);
    carom_json_count(&json, "failed", failed);
    json_rows(&json, it, survey);
  }
  carom_json_flag(&json, "interrupted", interrupted);
  carom_json_end(&json);
}

static void print_text(const carom_lyapunov_view *e) {
  printf("%sLyapunov exponents%s over %.6g units of time\n",
         carom_style_text(stdout, CAROM_STYLE_BOLD), carom_style_text(stdout, CAROM_STYLE_PLAIN),
         e->time);
  for (int k = 0; k < e->count; k++)
    printf("  %+14.8g  +- %.2g\n", e->exponents[k], e->errors[k]);
  for (int k = 0; k < e->extinguished; k++)
    printf("            -inf  (stick, plastic impacts or sliding)\n");
  printf("  sum %.8g", e->sum);
  if (isfinite(e->dimension)) printf(", dimension %.6g", e->dimension);
  printf("\n");
}

static void print_rows(const carom_many_runs *it, carom_survey *survey) {
  carom_survey_row row;
  for (long index = 0; index < carom_survey_count(survey); index++) {
    if (carom_survey_read(survey, index, &row, NULL) != CAROM_OK || !row.present) continue;
    for (int k = 0; k < it->axis_count; k++)
      printf("%s%s = %-12.9g", k > 0 ? "  " : "", it->axes[k].name, row.at[k]);
    for (int k = 0; row.exponents && k < row.exponents->count; k++)
      printf("  %+.6g", row.exponents->exponents[k]);
    for (int k = 0; row.exponents && k < row.exponents->extinguished; k++)
      printf("  -inf");
    if (row.status < 0) printf("  %s", row.failure);
    printf("\n");
  }
}

static void warn_about(carom_survey *survey, long failed) {
  carom_survey_row row;
  bool piecewise = false, grazes = false;
  for (long k = 0; k < carom_survey_count(survey); k++) {
    if (carom_survey_read(survey, k, &row, NULL) != CAROM_OK || !row.exponents) continue;
    piecewise = piecewise || row.exponents->notes.piecewise > 0;
    grazes = grazes || row.exponents->notes.grazes > 0;
  }
  if (piecewise)
    carom_warn("several things happened at one instant: there the derivative holds on one side "
               "only");
  if (grazes)
    carom_warn("the motion grazed: there it has no derivative, and the exponents leave that out");
  if (failed > 0) carom_warn("some points failed; the table says why");
}

static int hand_over(const carom_many_runs *it, void *result, carom_status ended,
                     carom_error *error) {
  carom_survey *survey = result;
  carom_survey_row row = {0};
  long done, failed;
  bool interrupted = ended == CAROM_STOP_USER;
  carom_many_runs_tally(survey, &done, &failed);
  carom_status status = interrupted ? CAROM_OK : write_tables(it, survey, error);
  if (status == CAROM_OK && !interrupted) status = carom_table_picture(it->call, NULL, error);
  if (status != CAROM_OK) return carom_report(it->call, error, NULL, CAROM_EXIT_FAILED);
  if (carom_call_has(it->call, "json"))
    print_json(it, survey, done, failed, interrupted);
  else if (!carom_call_has(it->call, "quiet") && it->axis_count > 0)
    print_rows(it, survey);
  else if (!carom_call_has(it->call, "quiet") &&
           carom_survey_read(survey, 0, &row, NULL) == CAROM_OK && row.exponents)
    print_text(row.exponents);
  warn_about(survey, failed);
  return carom_many_runs_exit(it, interrupted);
}

// ---- the command ----

static carom_status compute_exponents(carom_many_runs *it, void **result, carom_error *error) {
  carom_survey_options options = carom_survey_options_default();
  carom_lyapunov_options *e = &options.exponents;
  carom_survey *survey = NULL;
  if (!carom_call_positive(it->call, "transient", -1.0, &e->transient, error) ||
      !carom_call_positive(it->call, "time", 0.0, &e->time, error) ||
      !carom_call_positive(it->call, "interval", 0.0, &e->interval, error))
    return CAROM_ERR_INPUT;
  carom_many_runs_survey(it, CAROM_SURVEY_EXPONENTS, &options);
  carom_status status = carom_survey_run(&options, &survey, error);
  *result = survey;
  return status;
}

static void release_exponents(void *result) { carom_survey_destroy(result); }

static const char *one_average(const carom_many_runs *it) {
  return it->axis_count > 0 ? NULL : "there is one average; --over makes several";
}

static int run_lyapunov(const carom_call *call) {
  static const carom_many_work WORK = {.most_axes = CAROM_MOST_AXES,
                                       .partly = true,
                                       .alone = one_average,
                                       .compute = compute_exponents,
                                       .hand_over = hand_over,
                                       .release = release_exponents};
  return carom_many_runs_do(call, &WORK);
}

static const carom_option OPTIONS[] = {
    CAROM_OPTION_OVER_OR_NOT,
    {"transient", "TIME", "of the scenario", "a tenth of the run", "thrown away first", NULL},
    {"time", "TIME", "of the scenario", "the rest of the run", "averaged over", NULL},
    {"interval", "TIME", "of the scenario", "a four-thousandth of --time",
     "between two orthonormalisations", NULL},
    CAROM_OPTIONS_OF_MANY_RUNS,
};

const carom_command carom_command_lyapunov = {
    .name = "lyapunov",
    .arguments = "FILE",
    .summary = "Finds Lyapunov exponents: how fast neighbouring motions part",
    .details =
        "Neighbouring motions are followed through phases by variational equations and through "
        "impacts and\nchanges of stick and slip by saltation matrices. Directions that stick or "
        "plastic impacts\nextinguish have exponent -inf. The error is the standard error of the "
        "means of 20 stretches. With\n--over, one average per point; without, --resume goes on "
        "after the last stretch that was finished.\n",
    .examples = "  carom lyapunov lorenz.yaml\n"
                "  carom lyapunov ball_on_table.yaml --set Gamma=1.6 --time 400 --json\n"
                "  carom lyapunov ball_on_table.yaml --over Gamma=1:4:61 --picture exponents.png\n",
    CAROM_TAKES(OPTIONS),
    .run = run_lyapunov,
};
