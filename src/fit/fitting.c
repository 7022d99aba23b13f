// SPDX-License-Identifier: MIT
/// Data, inputs, and motions with derivatives that are compared with them.
#include "fit/fitting.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const OFFSET = "t"; // among a file's own inputs: its clock

static bool is_offset(const char *name) { return strcmp(name, OFFSET) == 0; }

// the input of this name for a file; -1: there is none
static int input_of(const carom_fitting *it, int file, const char *name) {
  const carom_fit_options *o = it->options;
  for (int j = 0; j < o->free_count; j++)
    if (strcmp(o->free[j].name, name) == 0) return j;
  for (int e = 0; e < o->each_count; e++)
    if (strcmp(o->each[e].name, name) == 0) return o->free_count + file * o->each_count + e;
  return -1;
}

double carom_fitting_offset(const carom_fitting *it, int file, const double *x) {
  int j = input_of(it, file, OFFSET);
  return j >= 0 ? x[j] : 0.0;
}

int carom_fitting_values(const carom_fitting *it, int file, const double *x, carom_value *values) {
  const carom_fit_options *o = it->options;
  int count = 0;
  for (int j = 0; j < o->free_count; j++)
    values[count++] = (carom_value){o->free[j].name, x[j]};
  for (int e = 0; e < o->each_count; e++)
    if (!is_offset(o->each[e].name))
      values[count++] = (carom_value){o->each[e].name, x[o->free_count + file * o->each_count + e]};
  for (int k = 0; k < it->files[file].setting_count; k++)
    values[count++] = it->files[file].settings[k];
  return count;
}

// the rows of a file that are compared
static int count_rows(const carom_fitting *it, const carom_fit_file *file) {
  double asked = ceil(it->part * file->row_count), least = it->n + 1.0;
  return it->part < 1.0 ? (int)fmin(fmax(asked, least), file->row_count) : file->row_count;
}

// ---- motions with derivatives

static bool is_click(const carom_sensitivity_event *event, const char *name) {
  bool kind = event->kind == CAROM_EVENT_IMPACT || event->kind == CAROM_EVENT_USER ||
              event->kind == CAROM_EVENT_SECTION;
  return kind && strcmp(event->name, name) == 0;
}

/// The motion of one file and where its numbers go.
typedef struct compared {
  const carom_fit_file *file;
  int number, by_count, rows;
  int input[CAROM_FIT_INPUTS]; // of each input of the motion, among those of the fit
  const char *by[CAROM_FIT_INPUTS];
  double offset;
  double *fitted, *slopes;
} compared;

static void put_slopes(const carom_fitting *it, const compared *c, long row, const double *slopes,
                       double by_offset) {
  double *to = c->slopes + row * it->n;
  int offset = input_of(it, c->number, OFFSET);
  memset(to, 0, (size_t)it->n * sizeof *to);
  for (int j = 0; j < c->by_count; j++)
    to[c->input[j]] = slopes[j];
  if (offset >= 0) to[offset] = by_offset;
}

static carom_status take_clicks(const carom_fitting *it, const compared *c,
                                const carom_sensitivity_view *v, carom_error *error) {
  int found = 0;
  const carom_fit_file *file = c->file;
  for (long k = 0; k < v->event_count && found < c->rows; k++) {
    if (!is_click(&v->events[k], file->names[0])) continue;
    c->fitted[found] = v->events[k].t + c->offset;
    put_slopes(it, c, found++, v->events[k].slopes, 1.0);
  }
  if (found < c->rows)
    return carom_fail(
        error, CAROM_ERR_NO_CONVERGENCE,
        "%s has %d times of '%s', the motion only %d such events up to twice the last "
        "of them",
        file->path, c->rows, file->names[0], found);
  return CAROM_OK;
}

static void take_samples(const carom_fitting *it, const compared *c,
                         const carom_sensitivity_view *v) {
  long count = (long)c->rows * c->file->column_count;
  for (long k = 0; k < count; k++) {
    c->fitted[k] = v->course[k];
    put_slopes(it, c, k, v->course_slopes + k * c->by_count, -v->course_rates[k]);
  }
}

// what is not compared yet says nothing
static void leave_rest(const carom_fitting *it, const compared *c) {
  const carom_fit_file *file = c->file;
  long from = (long)c->rows * file->column_count;
  size_t count = (size_t)(file->row_count - c->rows) * (size_t)file->column_count;
  memcpy(c->fitted + from, file->values + from, count * sizeof *c->fitted);
  memset(c->slopes + from * it->n, 0, count * (size_t)it->n * sizeof *c->slopes);
}

static void name_inputs(const carom_fitting *it, compared *c) {
  const carom_fit_options *o = it->options;
  for (int j = 0; j < o->free_count; j++)
    c->by[c->by_count++] = o->free[j].name;
  for (int e = 0; e < o->each_count; e++)
    if (!is_offset(o->each[e].name)) c->by[c->by_count++] = o->each[e].name;
  for (int j = 0; j < c->by_count; j++)
    c->input[j] = input_of(it, c->number, c->by[j]);
}

static carom_status move_file(carom_fitting *it, const double *x, compared *c, carom_error *error) {
  const carom_fit_file *file = c->file;
  carom_sensitivity_options o = carom_sensitivity_options_default();
  carom_value values[CAROM_FIT_INPUTS + CAROM_FIT_SETTINGS];
  c->rows = count_rows(it, file);
  double last = file->times[c->rows - 1] - c->offset;
  double horizon = last + fmax(last - it->begins, 0.0);
  carom_sensitivity *result;
  name_inputs(it, c);
  for (int r = 0; r < c->rows; r++)
    file->shifted[r] = file->times[r] - c->offset;
  if (file->shifted[0] < it->begins && !file->clicks)
    return carom_fail(error, CAROM_ERR_INPUT, "%s begins at t = %.15g, the run at %.15g",
                      file->path, file->shifted[0], it->begins);
  o.model = it->model;
  o.by_count = c->by_count;
  o.by = c->by;
  o.value_count = carom_fitting_values(it, c->number, x, values);
  o.values = values;
  o.of_count = file->clicks ? 0 : file->column_count;
  o.of = file->names;
  o.time_count = file->clicks ? 1 : c->rows;
  o.times = file->clicks ? &horizon : file->shifted;
  carom_status status = carom_sensitivity_run(&o, &result, error);
  if (status != CAROM_OK) return status;
  if (file->clicks)
    status = take_clicks(it, c, carom_sensitivity_look(result), error);
  else
    take_samples(it, c, carom_sensitivity_look(result));
  carom_sensitivity_destroy(result);
  leave_rest(it, c);
  return status;
}

static double huber_weight(const carom_fitting *it, double r, double *weight) {
  double k = it->options->huber, size = fabs(r);
  *weight = k > 0.0 && size > k ? k / size : 1.0;
  return k > 0.0 && size > k ? k * (size - 0.5 * k) : 0.5 * r * r;
}

double carom_fitting_cost(const carom_fitting *it, const double *x, const double *fitted,
                          double *residual, double *weight) {
  const carom_fit_options *o = it->options;
  double cost = 0.0;
  long at = 0;
  for (int f = 0; f < o->file_count; f++) {
    const carom_fit_file *file = &it->files[f];
    long count = (long)file->row_count * file->column_count;
    for (long k = 0; k < count; k++, at++)
      residual[at] = (fitted[at] - file->values[k]) / it->sigma[at];
  }
  for (int p = 0; p < o->prior_count; p++, at++)
    residual[at] = (x[input_of(it, 0, o->priors[p].name)] - o->priors[p].low) / it->sigma[at];
  for (long k = 0; k < it->m; k++)
    cost += huber_weight(it, residual[k], &weight[k]);
  return isfinite(cost) ? cost : (double)INFINITY;
}

double carom_fitting_evaluate(carom_fitting *it, const double *x) {
  const carom_fit_options *o = it->options;
  long at = 0;
  for (int f = 0; f < o->file_count; f++) {
    const carom_fit_file *file = &it->files[f];
    compared c = {.file = file,
                  .number = f,
                  .offset = carom_fitting_offset(it, f, x),
                  .fitted = it->fitted + at,
                  .slopes = it->slopes + at * it->n};
    it->trouble = (carom_error){0};
    if (move_file(it, x, &c, &it->trouble) != CAROM_OK) return INFINITY;
    at += (long)file->row_count * file->column_count;
  }
  for (int p = 0; p < o->prior_count; p++, at++)
    for (int j = 0; j < it->n; j++)
      it->slopes[at * it->n + j] = j == input_of(it, 0, o->priors[p].name) ? 1.0 : 0.0;
  for (long k = 0; k < it->m * it->n; k++)
    if (!isfinite(it->slopes[k])) {
      (void)carom_fail(&it->trouble, CAROM_ERR_UNSUPPORTED,
                       "datum %ld has no derivative by '%s': contacts meet there, or it is an "
                       "observable with reducers",
                       k / it->n + 1, it->names[k % it->n]);
      return INFINITY;
    }
  return carom_fitting_cost(it, x, it->fitted, it->residual, it->weight);
}

// ---- the beginning

static double error_of(const carom_fit_options *o, const char *name) {
  for (int k = 0; k < o->error_count; k++)
    if (strcmp(o->errors[k].name, name) == 0) return o->errors[k].value;
  return (double)NAN;
}

static carom_status check_settings(const carom_fitting *it, int f, carom_error *error) {
  const carom_fit_file *file = &it->files[f];
  for (int k = 0; k < file->setting_count; k++)
    if (input_of(it, f, file->settings[k].name) >= 0)
      return carom_fail(error, CAROM_ERR_INPUT, "%s sets '%s', which is to be found", file->path,
                        file->settings[k].name);
  return CAROM_OK;
}

static const double FAR =
    100.0; // runs: milliseconds for seconds, of a run that is measured to a tenth

static bool has_name(const carom_model *model, carom_item item, const char *name) {
  for (int k = 0; k < carom_model_count(model, item); k++)
    if (strcmp(carom_model_name(model, item, k), name) == 0) return true;
  return false;
}

// what the motion has under the name of a column
static carom_status check_column(const carom_fitting *it, const carom_fit_file *file, int c,
                                 carom_simulation *simulation, carom_error *error) {
  const carom_model *model = it->model;
  const char *name = file->names[c];
  const carom_place place = {file->path, file->names_line, file->names_column[c]};
  double value;
  bool struck = has_name(model, CAROM_CONTACTS, name) || has_name(model, CAROM_EVENTS, name) ||
                has_name(model, CAROM_SECTIONS, name);
  if (file->clicks && !struck)
    return carom_fail_at(error, CAROM_ERR_INPUT, place, "'%s' is no contact, event or section",
                         name);
  if (file->clicks) return CAROM_OK;
  if (has_name(model, CAROM_PARAMETERS, name))
    return carom_fail_at(error, CAROM_ERR_INPUT, place,
                         "'%s' is a parameter: it does not change along a motion", name);
  if (carom_simulation_get(simulation, name, &value, NULL) != CAROM_OK)
    return carom_fail_at(error, CAROM_ERR_INPUT, place,
                         "'%s' is no observable, definition, coordinate, rate or state", name);
  return CAROM_OK;
}

// every column is something that the motion has, and so is what its file sets
static carom_status check_columns(const carom_fitting *it, int f, carom_error *error) {
  const carom_fit_file *file = &it->files[f];
  carom_simulation *simulation;
  carom_status status = carom_simulation_create(it->model, &simulation, error);
  if (status != CAROM_OK) return status;
  for (int c = 0; c < file->column_count && status == CAROM_OK; c++)
    status = check_column(it, file, c, simulation, error);
  for (int k = 0; k < file->setting_count && status == CAROM_OK; k++) {
    carom_error wrong = {0};
    status =
        carom_simulation_set(simulation, file->settings[k].name, file->settings[k].value, &wrong);
    if (status != CAROM_OK)
      status =
          carom_fail_at(error, CAROM_ERR_INPUT,
                        (carom_place){file->path, file->settings_line[k], 1}, "%s", wrong.text);
  }
  double last = file->times[file->row_count - 1];
  double end = it->begins + FAR * (carom_simulation_until(simulation) - it->begins);
  carom_simulation_destroy(simulation);
  if (status == CAROM_OK && last > end)
    return carom_fail_at(error, CAROM_ERR_INPUT, (carom_place){file->path, file->last_line, 1},
                         "t = %.15g is far beyond the end of the run (run.until): times are in "
                         "the unit of the scenario, seconds as a rule",
                         last);
  bool early = file->times[0] < it->begins && input_of(it, f, OFFSET) < 0;
  if (status == CAROM_OK && early)
    return carom_fail_at(error, CAROM_ERR_INPUT, (carom_place){file->path, file->data_line, 1},
                         "the data begin at t = %.15g, the run at %.15g", file->times[0],
                         it->begins);
  return status;
}

static carom_status read_files(carom_fitting *it, bool *scaled, carom_error *error) {
  const carom_fit_options *o = it->options;
  it->files = carom_arena_array(it->arena, (size_t)o->file_count, sizeof *it->files);
  if (!it->files) return carom_fail_memory(error);
  for (int f = 0; f < o->file_count; f++) {
    carom_status status = carom_fit_read(it->arena, o->files[f], &it->files[f], error);
    if (status == CAROM_OK) status = check_settings(it, f, error);
    if (status != CAROM_OK) return status;
    it->data += (long)it->files[f].row_count * it->files[f].column_count;
    for (int c = 0; c < it->files[f].column_count; c++)
      *scaled = *scaled || isnan(error_of(o, it->files[f].names[c]));
  }
  it->m = it->data + o->prior_count;
  return CAROM_OK;
}

// ---- numbers of the scenario that are to be changed without being parameters

static carom_status open_name(carom_fitting *it, const char *name, carom_error *error) {
  carom_model *opened;
  carom_status status = carom_model_open(it->model, 1, &name, &opened, error);
  if (status != CAROM_OK || !opened) return status;
  carom_model_destroy(it->opened);
  it->model = it->opened = opened;
  return CAROM_OK;
}

// of all that is to be found, and of what files set
static carom_status open_names(carom_fitting *it, carom_error *error) {
  const carom_fit_options *o = it->options;
  carom_status status = CAROM_OK;
  it->model = o->model;
  for (int j = 0; j < o->free_count && status == CAROM_OK; j++)
    status = open_name(it, o->free[j].name, error);
  for (int e = 0; e < o->each_count && status == CAROM_OK; e++)
    if (!is_offset(o->each[e].name)) status = open_name(it, o->each[e].name, error);
  for (int f = 0; f < o->file_count && status == CAROM_OK; f++)
    for (int k = 0; k < it->files[f].setting_count && status == CAROM_OK; k++) {
      const carom_fit_file *file = &it->files[f];
      carom_error wrong = {0};
      status = open_name(it, file->settings[k].name, &wrong);
      if (status != CAROM_OK)
        status =
            carom_fail_at(error, CAROM_ERR_INPUT,
                          (carom_place){file->path, file->settings_line[k], 1}, "%s", wrong.text);
    }
  return status;
}

void carom_fitting_end(carom_fitting *it) { carom_model_destroy(it->opened); }

static carom_status make_room(carom_fitting *it, carom_error *error) {
  const carom_fit_options *o = it->options;
  size_t m = (size_t)it->m + 1, number = sizeof(double);
  long failures = carom_arena_failures(it->arena), at = 0;
  it->sigma = carom_arena_array(it->arena, m, number);
  it->fitted = carom_arena_array(it->arena, m, number);
  it->residual = carom_arena_array(it->arena, m, number);
  it->weight = carom_arena_array(it->arena, m, number);
  it->slopes = carom_arena_array(it->arena, m * (size_t)it->n, number);
  if (carom_arena_failures(it->arena) != failures) return carom_fail_memory(error);
  for (int f = 0; f < o->file_count; f++)
    for (int r = 0; r < it->files[f].row_count; r++)
      for (int c = 0; c < it->files[f].column_count; c++, at++) {
        double given = error_of(o, it->files[f].names[c]);
        it->sigma[at] = isnan(given) ? 1.0 : given;
      }
  for (int p = 0; p < o->prior_count; p++)
    it->sigma[at + p] = o->priors[p].high;
  return CAROM_OK;
}

static carom_status name_own(carom_fitting *it, int j, const char *name, int file,
                             carom_error *error) {
  size_t room = strlen(name) + 16;
  char *own = carom_arena_take(it->arena, room);
  if (!own) return carom_fail_memory(error);
  (void)snprintf(own, room, "%s@%d", name, file + 1);
  it->names[j] = own;
  return CAROM_OK;
}

// names and bounds of the inputs, and what the scenario has for them
static carom_status make_inputs(carom_fitting *it, double *given, carom_error *error) {
  const carom_fit_options *o = it->options;
  carom_simulation *simulation;
  it->names = carom_arena_array(it->arena, (size_t)it->n, sizeof *it->names);
  it->range = carom_arena_array(it->arena, (size_t)it->n, sizeof *it->range);
  if (!it->names || !it->range) return carom_fail_memory(error);
  carom_status status = carom_simulation_create(it->model, &simulation, error);
  if (status != CAROM_OK) return status;
  it->begins = carom_simulation_time(simulation);
  for (int j = 0; j < it->n && status == CAROM_OK; j++) {
    int own = j - o->free_count;
    const carom_fit_range *range = own < 0 ? &o->free[j] : &o->each[own % o->each_count];
    it->range[j] = *range;
    it->names[j] = range->name;
    given[j] = 0.0;
    if (own < 0 || !is_offset(range->name))
      status = carom_simulation_get(simulation, carom_model_input(it->model, range->name),
                                    &given[j], error);
    if (own >= 0 && status == CAROM_OK)
      status = name_own(it, j, range->name, own / o->each_count, error);
  }
  carom_simulation_destroy(simulation);
  return status;
}

carom_status carom_fitting_begin(carom_fitting *it, double *given, bool *scaled,
                                 carom_error *error) {
  const carom_fit_options *o = it->options;
  it->n = o->free_count + o->each_count * o->file_count;
  it->fixed = -1;
  it->part = 1.0;
  carom_status status = read_files(it, scaled, error);
  if (status == CAROM_OK) status = open_names(it, error);
  if (status == CAROM_OK) status = make_inputs(it, given, error);
  for (int f = 0; f < o->file_count && status == CAROM_OK; f++)
    status = check_columns(it, f, error);
  return status == CAROM_OK ? make_room(it, error) : status;
}
