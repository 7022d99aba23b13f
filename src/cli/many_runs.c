// SPDX-License-Identifier: MIT
#include "many_runs.h"

#include "base/error.h"
#include "base/text.h"
#include "data_folder.h"
#include "outputs.h"
#include "table_picture.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROWS_IN_JSON = 2000 };

// ---- the command line ----

bool carom_call_count(const carom_call *call, const char *name, long least, long most,
                      long fallback, long *value, carom_error *error) {
  const char *text = carom_call_value(call, name);
  *value = fallback;
  if (!text) return true;
  char *end;
  *value = strtol(text, &end, 10);
  if (end != text && *end == '\0' && *value >= least && *value <= most) return true;
  return carom_refuse(error, "--%s expects a whole number from %ld to %ld, not '%s'", name, least,
                      most, text);
}

bool carom_call_positive(const carom_call *call, const char *name, double fallback, double *value,
                         carom_error *error) {
  const char *text = carom_call_value(call, name);
  *value = fallback;
  if (!text) return true;
  char *end;
  *value = strtod(text, &end);
  if (end != text && *end == '\0' && isfinite(*value) && *value > 0.0) return true;
  return carom_refuse(error, "--%s expects a positive number, not '%s'", name, text);
}

bool *carom_find_drifts(const carom_model *model, int states) {
  size_t n = (size_t)carom_model_count(model, CAROM_COORDINATES);
  bool *drifts = calloc((size_t)states + n + 1, sizeof *drifts);
  double *weights = calloc(n * n + 1, sizeof *weights);
  size_t shifts = drifts && weights ? (size_t)carom_model_shifts(model, (int)n, weights) : 0;
  for (size_t k = 0; k < shifts * n; k++)
    drifts[k % n] = drifts[k % n] || weights[k] != 0.0;
  if (!weights) free(drifts);
  bool *found = weights ? drifts : NULL;
  free(weights);
  return found;
}

carom_status carom_call_state(const carom_call *call, const carom_simulation *simulation,
                              int *state, carom_error *error) {
  const char *name = carom_call_value(call, "observe");
  int size = 0;
  (void)carom_simulation_state(simulation, &size);
  for (int k = 0; name && k < size; k++)
    if (strcmp(name, carom_simulation_column(simulation, k)) == 0) {
      *state = k;
      return CAROM_OK;
    }
  if (!name) return CAROM_OK;
  (void)carom_wrong(error, "--observe expects a coordinate, rate or state, not '%.200s'; there are",
                    name);
  for (int k = 0; k < size && strlen(error->text) + 100 < sizeof error->text; k++) {
    size_t used = strlen(error->text);
    (void)snprintf(error->text + used, sizeof error->text - used, "%s %s", k ? "," : "",
                   carom_simulation_column(simulation, k));
  }
  return CAROM_ERR_INPUT;
}

static bool read_axes(carom_many_runs *it, int least, int most, carom_error *error) {
  const carom_call *call = it->call;
  for (int k = 0; k < call->given_count; k++) {
    if (strcmp(call->given[k].option->name, "over") != 0) continue;
    if (it->axis_count == most)
      return carom_refuse(error, "'carom %s' varies at most %d quantities", call->command->name,
                          most);
    if (carom_axis_parse(call->given[k].value, &it->axes[it->axis_count], error) != CAROM_OK)
      return false;
    it->axis_count++;
  }
  if (it->axis_count >= least) return true;
  return carom_refuse(error, "'carom %s' needs %s--over NAME=FROM:TO:COUNT", call->command->name,
                      least > 1 ? "two times " : "");
}

static bool read_names(carom_many_runs *it, carom_error *error) {
  const char *text = carom_call_value(it->call, "observe");
  if (!text) return true;
  it->observed = carom_text_copy(text);
  if (!it->observed) return carom_refuse(error, "out of memory");
  for (char *at = it->observed; at;) {
    char *comma = strchr(at, ',');
    if (comma) *comma = '\0';
    if (!*at || it->name_count == CAROM_MOST_OBSERVED)
      return carom_refuse(error, "--observe expects NAME,NAME,... (at most %d)",
                          CAROM_MOST_OBSERVED);
    it->names[it->name_count++] = at;
    at = comma ? comma + 1 : NULL;
  }
  return true;
}

// "2/8": the second of eight parts
static bool read_part(carom_many_runs *it, carom_error *error) {
  const char *text = carom_call_value(it->call, "part");
  if (!text) return true;
  char *end;
  long part = strtol(text, &end, 10);
  long parts = *end == '/' ? strtol(end + 1, &end, 10) : 0;
  if (*end != '\0' || parts < 1 || parts > 1000000 || part < 1 || part > parts)
    return carom_refuse(error, "--part expects K/N with K from 1 to N, not '%s'", text);
  if (!carom_call_value(it->call, "out") && !carom_call_value(it->call, "csv"))
    return carom_refuse(error, "--part needs --out or --csv: the part is kept beside that file");
  it->part = (int)part - 1;
  it->parts = (int)parts;
  return true;
}

bool carom_call_journal(const carom_call *call, int part, int parts, char **journal,
                        carom_error *error) {
  const char *base = carom_call_value(call, "out");
  *journal = NULL;
  if (!base) base = carom_call_value(call, "csv");
  if (!base) {
    if (!carom_call_has(call, "resume")) return true;
    return carom_refuse(error, "--resume needs the --out or --csv of the command that was stopped");
  }
  size_t room = strlen(base) + 64;
  *journal = malloc(room);
  if (!*journal) return carom_refuse(error, "out of memory");
  if (parts > 0)
    (void)snprintf(*journal, room, "%s.part-%d-of-%d", base, part + 1, parts);
  else
    (void)snprintf(*journal, room, "%s.journal", base);
  return true;
}

bool carom_call_alone(const carom_call *call, const char *why, carom_error *error) {
  const char *size = getenv("OMPI_COMM_WORLD_SIZE");
  if (!size || strtol(size, NULL, 10) <= 1) return true;
  return carom_refuse(error, "'carom %s' is not shared by mpirun: %s", call->command->name, why);
}

// may the points be shared, where that is asked for?
static bool may_be_shared(const carom_many_runs *it, const carom_many_work *work,
                          carom_error *error) {
  const char *why = work->alone ? work->alone(it) : NULL;
  if (!why) return true;
  if (it->parts > 0)
    return carom_refuse(error, "'carom %s' has no parts: %s", it->call->command->name, why);
  return carom_call_alone(it->call, why, error);
}

static bool is_parameter(const carom_model *model, const char *name) {
  for (int k = 0; k < carom_model_count(model, CAROM_PARAMETERS); k++)
    if (strcmp(carom_model_name(model, CAROM_PARAMETERS, k), name) == 0) return true;
  return false;
}

// may the scenario have a seed for its start?
static bool knows_start_seed(const carom_call *call) {
  carom_error unknown = {0};
  carom_model *model = NULL;
  size_t count = (size_t)call->setting_count;
  carom_setting *settings = calloc(count + 1, sizeof *settings);
  if (!settings) return false;
  if (count > 0) memcpy(settings, call->settings, count * sizeof *settings);
  settings[count] = (carom_setting){"start.seed", "1"};
  bool known = carom_model_load(carom_call_file(call), (int)count + 1, settings, &model,
                                &unknown) == CAROM_OK;
  carom_model_destroy(model);
  free(settings);
  return known;
}

// --seeds N: one more axis, the fastest, over the seed of everything random
static bool add_seeds(carom_many_runs *it, long seeds, carom_error *error) {
  char text[64];
  if (seeds == 0) return true;
  if (it->axis_count == CAROM_MOST_AXES) return carom_refuse(error, "--seeds is one axis too many");
  const char *name = is_parameter(it->model, "seed") ? "seed" : "start.seed";
  if (strcmp(name, "seed") != 0 && !knows_start_seed(it->call))
    return carom_refuse(error,
                        "--seeds: nothing in this scenario is random (it has no parameter 'seed' "
                        "and no start.seed)");
  if (seeds == 1)
    (void)snprintf(text, sizeof text, "%s=1", name);
  else
    (void)snprintf(text, sizeof text, "%s=1:%ld:%ld", name, seeds, seeds);
  if (carom_axis_parse(text, &it->axes[it->axis_count], error) != CAROM_OK) return false;
  it->axis_count++;
  return true;
}

static bool begin_runs(carom_many_runs *it, const carom_call *call, const carom_many_work *work,
                       int *exit_code) {
  carom_error error = {0};
  long threads = 0, seeds = 0;
  it->call = call;
  bool fits = read_axes(it, work->least_axes, work->most_axes, &error) && read_names(it, &error) &&
              carom_call_count(call, "threads", 1, 1024, 0, &threads, &error) &&
              carom_call_count(call, "seeds", 1, 1000000, 0, &seeds, &error) &&
              read_part(it, &error) && may_be_shared(it, work, &error) &&
              carom_call_journal(call, it->part, it->parts, &it->journal, &error);
  it->threads = (int)threads;
  if (!fits) {
    *exit_code = carom_report(call, &error, NULL, CAROM_EXIT_WRONG_INPUT);
    return false;
  }
  it->model = carom_load(call, exit_code);
  if (!it->model) return false;
  if (!carom_card_find(call, &it->card, &error)) {
    *exit_code = carom_report(call, &error, NULL, CAROM_EXIT_FAILED);
    return false;
  }
  if (add_seeds(it, seeds, &error)) return true;
  *exit_code = carom_report(call, &error, NULL, CAROM_EXIT_WRONG_INPUT);
  return false;
}

static void end_runs(carom_many_runs *it) {
  for (int k = 0; k < it->axis_count; k++)
    carom_axis_destroy(&it->axes[k]);
  free(it->observed);
  free(it->journal);
  carom_card_forget(&it->card);
  carom_model_destroy(it->model);
}

carom_sweep_options carom_many_runs_sweep(const carom_many_runs *it) {
  carom_sweep_options options = carom_sweep_options_default();
  options.model = it->model;
  options.file = carom_call_file(it->call);
  options.setting_count = it->call->setting_count;
  options.settings = it->call->settings;
  options.axis_count = it->axis_count;
  options.axes = it->axes;
  options.observable_count = it->name_count;
  options.observables = it->names;
  options.threads = it->threads;
  options.card = it->card.program;
  options.card_cache = it->card.cache;
  options.journal = it->journal;
  options.resume = carom_call_has(it->call, "resume");
  options.part = it->part;
  options.parts = it->parts;
  options.ranks = true;
  options.watcher = it->watcher;
  return options;
}

void carom_many_runs_survey(const carom_many_runs *it, carom_survey_kind kind,
                            carom_survey_options *options) {
  options->model = it->model;
  options->kind = kind;
  options->axis_count = it->axis_count;
  options->axes = it->axes;
  options->threads = it->threads;
  options->journal = it->journal;
  options->resume = carom_call_has(it->call, "resume");
  options->part = it->part;
  options->parts = it->parts;
  options->ranks = true;
  options->watcher = it->watcher;
}

void carom_many_runs_tally(carom_survey *survey, long *done, long *failed) {
  carom_survey_row row;
  *done = *failed = 0;
  for (long k = 0; k < carom_survey_count(survey); k++) {
    if (carom_survey_read(survey, k, &row, NULL) != CAROM_OK || !row.present) continue;
    ++*done;
    *failed += row.status < 0;
  }
}

// ---- progress and Ctrl-C ----

static bool was_stopped(void *ctx) {
  (void)ctx;
  return carom_interrupted();
}

static void show_progress(void *ctx, long done, long total, double left) {
  carom_progress_points(ctx, done, total, left);
}

static void watch_progress(carom_many_runs *it) {
  it->progress = carom_progress_begin(!carom_call_has(it->call, "quiet"), 0.0, 1.0);
  it->watcher =
      (carom_watcher){.ctx = &it->progress, .stopped = was_stopped, .progress = show_progress};
  carom_interrupt_catch();
}

static int report_stop(const carom_many_runs *it) {
  carom_error stopped = {.status = CAROM_STOP_USER};
  (void)snprintf(stopped.text, sizeof stopped.text, "interrupted: %s",
                 it->journal ? "the same command with --resume goes on"
                             : "with --out or --csv it could be resumed");
  return carom_report(it->call, &stopped, NULL, CAROM_EXIT_FAILED);
}

// a part is in its journal, which waits for the others
static int report_part(const carom_many_runs *it, bool interrupted) {
  if (carom_call_has(it->call, "json")) {
    carom_json json = carom_json_answer(it->call);
    carom_json_flag(&json, "interrupted", interrupted);
    carom_json_text(&json, "part", it->journal);
    carom_json_end(&json);
  }
  return carom_many_runs_exit(it, interrupted);
}

static int compute_runs(carom_many_runs *it, const carom_many_work *work) {
  carom_error error = {0};
  void *result = NULL;
  int exit_code;
  watch_progress(it);
  carom_status status = work->compute(it, &result, &error);
  carom_interrupt_heard();
  carom_progress_end(&it->progress);
  carom_warn_of_remark(status, &error);
  bool input = status == CAROM_ERR_INPUT || status == CAROM_ERR_LIMIT ||
               (status == CAROM_ERR_IO && !carom_outputs_have_folders(it->call));
  if (status < 0)
    exit_code =
        carom_report(it->call, &error, NULL, input ? CAROM_EXIT_WRONG_INPUT : CAROM_EXIT_FAILED);
  else if (carom_process_rank() > 0) // the first process has the results, and speaks for all
    exit_code = status == CAROM_OK ? CAROM_EXIT_DONE : CAROM_EXIT_FAILED;
  else if (it->parts > 0)
    exit_code = report_part(it, status == CAROM_STOP_USER);
  else if (status != CAROM_OK && !work->partly)
    exit_code = report_stop(it);
  else
    exit_code = work->hand_over(it, result, status, &error);
  // what is finished needs its journal no longer
  bool mine = it->parts == 0 && carom_process_rank() == 0;
  bool done = exit_code == CAROM_EXIT_DONE || exit_code == CAROM_EXIT_NOT_PASSED;
  if (status == CAROM_OK && done && it->journal && mine) (void)unlink(it->journal);
  work->release(result);
  return exit_code;
}

int carom_many_runs_do(const carom_call *call, const carom_many_work *work) {
  int exit_code = CAROM_EXIT_DONE;
  carom_many_runs it = {0};
  if (begin_runs(&it, call, work, &exit_code)) exit_code = compute_runs(&it, work);
  end_runs(&it);
  return exit_code;
}

// ---- results ----

static int column_count(const carom_sweep *sweep) {
  return 1 + carom_sweep_axes(sweep) + carom_sweep_observables(sweep) + 8;
}

static void name_columns(const carom_sweep *sweep, carom_column *columns) {
  int c = 0;
  columns[c++] = (carom_column){"index", CAROM_COLUMN_COUNT};
  for (int k = 0; k < carom_sweep_axes(sweep); k++)
    columns[c++] = (carom_column){carom_sweep_axis(sweep, k), CAROM_COLUMN_NUMBER};
  for (int k = 0; k < carom_sweep_observables(sweep); k++)
    columns[c++] = (carom_column){carom_sweep_observable(sweep, k), CAROM_COLUMN_NUMBER};
  columns[c++] = (carom_column){"word", CAROM_COLUMN_TEXT};
  columns[c++] = (carom_column){"regime", CAROM_COLUMN_TEXT};
  columns[c++] = (carom_column){"status", CAROM_COLUMN_COUNT};
  columns[c++] = (carom_column){"failure", CAROM_COLUMN_TEXT};
  columns[c++] = (carom_column){"passed", CAROM_COLUMN_COUNT};
  columns[c++] = (carom_column){"residual", CAROM_COLUMN_NUMBER};
  columns[c++] = (carom_column){"events", CAROM_COLUMN_COUNT};
  columns[c] = (carom_column){"impacts", CAROM_COLUMN_COUNT};
}

static void fill_cells(const carom_sweep *sweep, const carom_sweep_row *row, carom_cell *cells) {
  int c = 0;
  cells[c++].count = row->index;
  for (int k = 0; k < carom_sweep_axes(sweep); k++)
    cells[c++].number = row->at[k];
  for (int k = 0; k < carom_sweep_observables(sweep); k++)
    cells[c++].number = row->values[k];
  cells[c++].text = row->word;
  cells[c++].text = row->regime;
  cells[c++].count = row->status;
  cells[c++].text = row->failure;
  cells[c++].count = row->passed;
  cells[c++].number = row->residual;
  cells[c++].count = row->events;
  cells[c].count = row->impacts;
}

static carom_status write_rows(carom_table *table, carom_sweep *sweep, carom_cell *cells,
                               carom_error *error) {
  carom_status status = CAROM_OK;
  for (long index = 0; index < carom_sweep_count(sweep) && status == CAROM_OK; index++) {
    carom_sweep_row row;
    status = carom_sweep_read(sweep, index, &row, error);
    if (status != CAROM_OK || !row.present) continue;
    fill_cells(sweep, &row, cells);
    status = carom_table_row(table, cells, error);
  }
  return status;
}

static carom_status write_points(const void *ctx, carom_tables *tables, carom_error *error) {
  carom_sweep *sweep = *(carom_sweep *const *)ctx;
  size_t count = (size_t)column_count(sweep);
  carom_column *columns = calloc(count, sizeof *columns);
  carom_cell *cells = calloc(count, sizeof *cells);
  carom_table *table;
  carom_status status = columns && cells ? CAROM_OK : carom_fail_memory(error);
  if (status == CAROM_OK) {
    name_columns(sweep, columns);
    status = carom_tables_add(tables, "points", (int)count, columns, &table, error);
  }
  if (status == CAROM_OK) status = write_rows(table, sweep, cells, error);
  free(columns);
  free(cells);
  return status;
}

static carom_status open_tables(const carom_call *call, const carom_written *results,
                                carom_tables **tables, carom_error *error) {
  char room[CAROM_TABLE_FILE];
  carom_tables_options options = carom_tables_options_default();
  options.file = carom_table_file(call, room);
  options.csv = carom_call_value(call, "csv");
  if (!options.file && !options.csv) return CAROM_OK;
  const carom_model *model = results->model;
  char *scenario = model ? carom_model_scenario_text(model) : NULL;
  options.kind = results->kind;
  options.title = model ? carom_model_title(model) : results->title;
  options.scenario = model ? scenario : results->scenario;
  carom_status status = carom_tables_open(&options, tables, error);
  carom_text_destroy(scenario);
  return status;
}

carom_status carom_call_write(const carom_call *call, const carom_written *results,
                              carom_error *error) {
  carom_tables *tables = NULL;
  carom_status status = open_tables(call, results, &tables, error);
  if (!tables) return status;
  status = results->fill(results->ctx, tables, error);
  if (status == CAROM_OK) return carom_tables_close(tables, results->outcome, error);
  carom_tables_discard(tables);
  return status;
}

carom_status carom_sweep_write(const carom_call *call, carom_sweep *sweep, const char *kind,
                               carom_error *error) {
  bool whole = carom_sweep_done(sweep) == carom_sweep_count(sweep);
  const carom_written results = {.kind = kind,
                                 .outcome = whole ? "complete" : "interrupted",
                                 .title = carom_sweep_title(sweep),
                                 .scenario = carom_sweep_scenario(sweep),
                                 .ctx = &sweep,
                                 .fill = write_points};
  carom_status status = carom_call_write(call, &results, error);
  return status == CAROM_OK ? carom_table_picture(call, NULL, error) : status;
}

void carom_sweep_print(carom_sweep *sweep) {
  for (int k = 0; k < carom_sweep_axes(sweep); k++)
    printf("%*s", k ? 16 : 14, carom_sweep_axis(sweep, k));
  for (int k = 0; k < carom_sweep_observables(sweep); k++)
    printf("%16s", carom_sweep_observable(sweep, k));
  printf("  word\n");
  for (long index = 0; index < carom_sweep_count(sweep); index++) {
    carom_sweep_row row;
    carom_error error = {0};
    if (carom_sweep_read(sweep, index, &row, &error) != CAROM_OK || !row.present) continue;
    for (int k = 0; k < carom_sweep_axes(sweep); k++)
      printf("%*.9g", k ? 16 : 14, row.at[k]);
    for (int k = 0; k < carom_sweep_observables(sweep); k++)
      printf("%16.9g", row.values[k]);
    printf("  ");
    carom_print_safely(stdout, row.status < 0 ? row.failure : row.word);
    if (row.regime[0]) {
      printf("  ");
      carom_print_safely(stdout, row.regime);
    }
    printf("%s\n", row.status >= 0 && !row.passed ? "  (certificate not passed)" : "");
  }
}

carom_status carom_sweep_summarize(carom_sweep *sweep, carom_sweep_summary *summary,
                                   carom_error *error) {
  *summary =
      (carom_sweep_summary){.points = carom_sweep_count(sweep), .done = carom_sweep_done(sweep)};
  for (long index = 0; index < summary->points; index++) {
    carom_sweep_row row;
    carom_status status = carom_sweep_read(sweep, index, &row, error);
    if (status != CAROM_OK) return status;
    if (!row.present) continue;
    carom_digest_numbers(&summary->digest, carom_sweep_axes(sweep), row.at);
    carom_digest_numbers(&summary->digest, carom_sweep_observables(sweep), row.values);
    summary->failed += row.status < 0;
    summary->not_passed += row.status >= 0 && !row.passed;
  }
  return CAROM_OK;
}

int carom_sweep_exit(const carom_sweep_summary *summary) {
  char text[100];
  if (summary->not_passed == 0) return CAROM_EXIT_DONE;
  (void)snprintf(text, sizeof text, "%ld runs did not pass their certificates",
                 summary->not_passed);
  carom_warn(text);
  return CAROM_EXIT_NOT_PASSED;
}

static void row_json(carom_json *json, const carom_sweep *sweep, const carom_sweep_row *row) {
  carom_json_object(json, NULL);
  carom_json_count(json, "index", row->index);
  for (int k = 0; k < carom_sweep_axes(sweep); k++)
    carom_json_number(json, carom_sweep_axis(sweep, k), row->at[k]);
  carom_json_object(json, "observables");
  for (int k = 0; k < carom_sweep_observables(sweep); k++)
    carom_json_number(json, carom_sweep_observable(sweep, k), row->values[k]);
  carom_json_end(json);
  carom_json_text(json, "word", row->word);
  carom_json_text(json, "regime", row->regime[0] ? row->regime : NULL);
  carom_json_flag(json, "passed", row->passed);
  if (row->status < 0) carom_json_text(json, "failure", row->failure);
  carom_json_end(json);
}

void carom_sweep_json(carom_json *json, carom_sweep *sweep, const carom_sweep_summary *summary) {
  carom_json_count(json, "points", summary->points);
  carom_json_count(json, "done", summary->done);
  carom_json_count(json, "failed", summary->failed);
  carom_json_count(json, "not_passed", summary->not_passed);
  char digest[CAROM_DIGEST_TEXT];
  carom_json_text(json, "digest", carom_digest_write(&summary->digest, digest));
  carom_json_array(json, "axes");
  for (int k = 0; k < carom_sweep_axes(sweep); k++)
    carom_json_text(json, NULL, carom_sweep_axis(sweep, k));
  carom_json_end(json);
  if (summary->points > ROWS_IN_JSON) return;
  carom_json_array(json, "rows");
  for (long index = 0; index < summary->points; index++) {
    carom_sweep_row row;
    if (carom_sweep_read(sweep, index, &row, NULL) == CAROM_OK && row.present)
      row_json(json, sweep, &row);
  }
  carom_json_end(json);
}

// ---- the end ----

int carom_many_runs_exit(const carom_many_runs *it, bool interrupted) {
  if (!interrupted) return CAROM_EXIT_DONE;
  carom_warn(it->journal ? "interrupted: the same command with --resume goes on"
                         : "interrupted: with --out or --csv it could be resumed");
  return CAROM_EXIT_FAILED;
}
