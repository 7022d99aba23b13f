// SPDX-License-Identifier: MIT
/// Runs a scenario at several tolerances and compares what came out.
#include "carom/converge.h"

#include "base/elementary.h"
#include "base/text.h"
#include "engine/engine.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CALM = 5, FEWEST_FOR_A_RATE = 5, EXPRESSION = 256, MOST_SETTINGS = 256 };
enum { MOST_TIGHTER = 4, LONGEST_WORD = 512, SAMPLES = 1000 };
static const long MOST_SAMPLES = 4000000; // numbers kept per run
static const double TIGHTEST = 1e-15;     // what doubles can tell from nothing
static const double MOST_DIGITS = 16.0;   // a double has no more
static const double LOG_OF_TEN = 2.30258509299404568402;
static const char *const DEFAULT_RTOL = "1e-10";
static const double DEFAULT_RTOL_NUMBER = 1e-10, ATOL_OF_RTOL = 1e-2;

carom_converge_options carom_converge_options_default(void) {
  return (carom_converge_options){
      .tighter = 1, .factor = 100.0, .parted = 1e-3, .size = sizeof(carom_converge_options)};
}

typedef struct trace_event {
  double t;
  carom_event_kind kind;
  int direction;
  char name[32];
} trace_event;

/// What is kept of one run.
typedef struct trace {
  int size; // of the state
  long samples, room;
  double *t, *state; // per sample
  long events, event_room;
  trace_event *event;
  bool full, no_memory; // there was more than is kept
} trace;

struct carom_converge {
  carom_converge_view view;
  carom_arena *memory;
  carom_converge_level levels[MOST_TIGHTER + 1];
  char words[MOST_TIGHTER + 1][LONGEST_WORD];
  carom_converge_value *values; // observables, then finals
};

/// The series of runs under way.
typedef struct series {
  const carom_converge_options *options;
  carom_converge *result;
  trace traces[MOST_TIGHTER + 1];
  double *range;   // per component of the state: largest minus smallest value met
  double atol;     // of the first run: what it cannot tell from nothing
  char sample[40]; // setting: the same times in all runs; "": the scenario says which
  carom_error *error;
} series;

// ---- one run ----

static int keep_event(void *ctx, const carom_event *event) {
  trace *it = ctx;
  if (it->events >= MOST_SAMPLES) return 0;
  void *array = it->event;
  if (!carom_grow(&array, it->events, &it->event_room, sizeof *it->event)) {
    it->no_memory = true;
    return 1;
  }
  it->event = array;
  trace_event *kept = &it->event[it->events++];
  *kept = (trace_event){.t = event->t, .kind = event->kind, .direction = event->direction};
  (void)snprintf(kept->name, sizeof kept->name, "%s", event->name ? event->name : "");
  return 0;
}

static int keep_sample(void *ctx, const carom_simulation *simulation, double t, int count,
                       const double *values) {
  trace *it = ctx;
  (void)simulation;
  if (count < it->size || (it->samples + 1) * it->size > MOST_SAMPLES) {
    it->full = true;
    return 0;
  }
  size_t width = (size_t)it->size * sizeof(double);
  void *array = it->state;
  long room = it->room;
  bool kept = carom_grow(&array, it->samples, &room, width);
  it->state = array;
  if (kept) {
    array = it->t;
    kept = carom_grow(&array, it->samples, &it->room, sizeof(double));
    it->t = array;
  }
  if (!kept) {
    it->no_memory = true;
    return 1;
  }
  it->t[it->samples] = t;
  memcpy(it->state + it->samples++ * it->size, values, width);
  return 0;
}

// the text of a setting of the run section, as written
static const char *setting_as_written(const carom_model *model, const char *key,
                                      const char *otherwise) {
  if (!model->scenario) return otherwise;
  const carom_yaml *run = carom_yaml_get(model->scenario->document->root, "run");
  const carom_yaml *value = run ? carom_yaml_get(run, key) : NULL;
  return value && value->kind == CAROM_YAML_SCALAR ? value->text : otherwise;
}

// the relative tolerance of a level, where it is written as a number
static double level_rtol(const carom_model *model) {
  const char *text = setting_as_written(model, "rtol", DEFAULT_RTOL);
  char *end;
  double number = strtod(text, &end);
  return *end == '\0' ? number : (double)NAN;
}

// the absolute tolerance of a model, as its engine takes it
static double absolute_tolerance(const carom_model *model, carom_error *error) {
  const carom_scenario *s = model->scenario;
  if (!s) return 0.0;
  double *values = calloc((size_t)carom_graph_symbol_count(s->graph) + 1, sizeof *values);
  double rtol = DEFAULT_RTOL_NUMBER, atol = 0.0;
  if (values && carom_scenario_values(s, NULL, values, error) == CAROM_OK) {
    if (s->run.rtol) rtol = carom_node_evaluate(s->graph, s->run.rtol, values, error);
    atol = s->run.atol ? carom_node_evaluate(s->graph, s->run.atol, values, error)
                       : ATOL_OF_RTOL * rtol;
  }
  free(values);
  return isfinite(atol) ? atol : 0.0;
}

// Samples that follow the motion lie elsewhere in each run: they are put on a grid.
static carom_status choose_grid(series *it, const carom_model *model) {
  carom_simulation *simulation = NULL;
  if (!model->scenario || model->scenario->run.sample) return CAROM_OK;
  carom_status status = carom_simulation_create(model, &simulation, it->error);
  if (status != CAROM_OK) return status;
  double length = carom_simulation_until(simulation) - carom_simulation_time(simulation);
  if (length > 0.0 && isfinite(length))
    (void)snprintf(it->sample, sizeof it->sample, "%.17g", length / SAMPLES);
  carom_simulation_destroy(simulation);
  return CAROM_OK;
}

/// Settings of a level beside the caller's, with their texts.
typedef struct level_settings {
  carom_setting all[MOST_SETTINGS + 3];
  int count;
  char rtol[EXPRESSION], atol[EXPRESSION];
} level_settings;

// the tolerances divided by factor^level; they may be expressions, and stay so
static carom_status tighten_level(series *it, int level, const carom_model *model,
                                  level_settings *s) {
  double divisor = 1.0;
  for (int k = 0; k < level; k++)
    divisor *= it->options->factor;
  const char *own = setting_as_written(model, "atol", NULL);
  it->result->levels[level].rtol = fmax(it->result->levels[level].rtol / divisor, TIGHTEST);
  int length = snprintf(s->rtol, sizeof s->rtol, "max((%s)/%.17g, %.17g)",
                        setting_as_written(model, "rtol", DEFAULT_RTOL), divisor, TIGHTEST);
  s->all[s->count++] = (carom_setting){"run.rtol", s->rtol};
  if (own && length < EXPRESSION) {
    length = snprintf(s->atol, sizeof s->atol, "(%s)/%.17g", own, divisor);
    s->all[s->count++] = (carom_setting){"run.atol", s->atol};
  }
  if (length < EXPRESSION) return CAROM_OK;
  return carom_fail(it->error, CAROM_ERR_LIMIT, "the tolerances are written too long");
}

// what the scenario says of itself, with the settings of the caller alone
static carom_status look_at_first(series *it, const carom_model *model) {
  if (model->engine->stepped)
    return carom_fail(it->error, CAROM_ERR_UNSUPPORTED,
                      "beds of rods have a step and no tolerance to tighten: compare steps with "
                      "carom sweep, --over run.step=1e-5,5e-6");
  it->atol = absolute_tolerance(model, it->error);
  return choose_grid(it, model);
}

static carom_status load_level(series *it, int level, carom_model **model) {
  assert(level >= 0);
  const carom_converge_options *o = it->options;
  level_settings s = {.count = o->setting_count};
  if (s.count > MOST_SETTINGS)
    return carom_fail(it->error, CAROM_ERR_LIMIT, "more than %d settings", MOST_SETTINGS);
  for (int k = 0; k < s.count; k++)
    s.all[k] = o->settings[k];
  carom_status status = carom_model_load(o->file, s.count, s.all, model, it->error);
  if (status != CAROM_OK) return status;
  it->result->levels[level].rtol = level_rtol(*model);
  if (level == 0) status = look_at_first(it, *model);
  if (status == CAROM_OK && it->sample[0])
    s.all[s.count++] = (carom_setting){"run.sample", it->sample};
  if (status == CAROM_OK && level > 0) status = tighten_level(it, level, *model, &s);
  if (status != CAROM_OK || s.count == o->setting_count) return status;
  carom_model_destroy(*model);
  *model = NULL;
  return carom_model_load(o->file, s.count, s.all, model, it->error);
}

static carom_status prepare_values(series *it, const carom_model *model,
                                   const carom_simulation *simulation) {
  carom_converge *result = it->result;
  carom_converge_view *r = &result->view;
  if (result->values) return CAROM_OK;
  (void)carom_simulation_state(simulation, &r->finals);
  r->observables = carom_model_count(model, CAROM_OBSERVABLES);
  int count = r->observables + r->finals;
  result->values = carom_arena_array(result->memory, (size_t)count + 1, sizeof *result->values);
  it->range = carom_arena_array(result->memory, (size_t)r->finals + 1, sizeof *it->range);
  for (int k = 0; k < count && result->values; k++) {
    const char *name = k < r->observables ? carom_model_name(model, CAROM_OBSERVABLES, k)
                                          : carom_simulation_column(simulation, k - r->observables);
    result->values[k].name = carom_arena_text(result->memory, name, strlen(name));
  }
  if (carom_arena_failures(result->memory) > 0) return carom_fail_memory(it->error);
  r->observable = result->values;
  r->final = result->values + r->observables;
  return CAROM_OK;
}

// the numbers at the end: those of the first run and of the latest
static carom_status read_values(series *it, int level, carom_simulation *simulation) {
  const carom_converge_view *r = &it->result->view;
  for (int k = 0; k < r->observables + r->finals; k++) {
    double value;
    carom_converge_value *at = &it->result->values[k];
    carom_status status = carom_simulation_get(simulation, at->name, &value, it->error);
    if (status != CAROM_OK) return status;
    at->tightest = value;
    if (level == 0) at->value = value;
  }
  return CAROM_OK;
}

static carom_status run_level(series *it, int level, const carom_model *model,
                              carom_simulation *simulation) {
  assert(level >= 0 && level <= MOST_TIGHTER);
  carom_converge_level *run = &it->result->levels[level];
  char *word = it->result->words[level];
  trace *kept = &it->traces[level];
  carom_status status = prepare_values(it, model, simulation);
  if (status != CAROM_OK) return status;
  kept->size = it->result->view.finals;
  carom_observer observer = {.ctx = kept, .event = keep_event, .sample = keep_sample};
  carom_simulation_observe(simulation, &observer);
  status = carom_simulation_run(simulation, it->error);
  if (kept->no_memory) return carom_fail_memory(it->error);
  if (status < 0) return status;
  status = carom_simulation_certificate(simulation, &run->certificate, it->error);
  if (status == CAROM_OK) status = read_values(it, level, simulation);
  // a word longer than the room is no word to compare
  if (status == CAROM_OK && carom_simulation_word(simulation, word, LONGEST_WORD, NULL) != CAROM_OK)
    word[0] = '\0';
  run->word = word;
  it->result->view.runs = level + 1;
  return status;
}

static carom_status take_level(series *it, int level) {
  carom_model *model = NULL;
  carom_simulation *simulation = NULL;
  carom_status status = load_level(it, level, &model);
  if (status == CAROM_OK) status = carom_simulation_create(model, &simulation, it->error);
  if (status == CAROM_OK) status = run_level(it, level, model, simulation);
  carom_simulation_destroy(simulation);
  carom_model_destroy(model);
  return status;
}

// ---- comparing ----

// A coordinate that moves by less than the absolute tolerance is rounding to the run: how it goes
// there says nothing. Runs have parted where they differ by more than that.
static void measure_range(series *it, const trace *a) {
  for (int i = 0; i < a->size; i++) {
    double least = INFINITY, most = -INFINITY;
    for (long k = 0; k < a->samples; k++) {
      least = fmin(least, a->state[k * a->size + i]);
      most = fmax(most, a->state[k * a->size + i]);
    }
    it->range[i] = fmax(most > least ? most - least : 0.0, it->atol / it->options->parted);
  }
}

static double distance_at(const series *it, const trace *a, const trace *b, long k) {
  assert(k >= 0 && k < a->samples && k < b->samples && a->size == b->size);
  double worst = 0.0;
  for (int i = 0; i < a->size; i++) {
    double apart = fabs(a->state[k * a->size + i] - b->state[k * b->size + i]);
    if (it->range[i] > 0.0) worst = fmax(worst, apart / it->range[i]);
  }
  return worst;
}

// The distance that has lasted: an impact that comes a little later in one run makes one sample
// differ wildly, but not the next ones.
static double lasting_distance(const series *it, const trace *a, const trace *b, long k) {
  double least = INFINITY;
  for (long j = k < CALM - 1 ? 0 : k - CALM + 1; j <= k; j++)
    least = fmin(least, distance_at(it, a, b, j));
  return least;
}

// slope of the logarithm of the distance over time, where it has left rounding and not yet parted
static double growth_rate(const series *it, const trace *a, const trace *b, long end) {
  double n = 0.0, st = 0.0, sd = 0.0, stt = 0.0, std = 0.0;
  for (long k = 0; k < end; k++) {
    double d = lasting_distance(it, a, b, k);
    if (!(d > 1e-14)) continue;
    double t = a->t[k] - a->t[0], logarithm = carom_log(d);
    n += 1.0, st += t, sd += logarithm, stt += t * t, std += t * logarithm;
  }
  double spread = n * stt - st * st;
  return n >= FEWEST_FOR_A_RATE && spread > 0.0 ? (n * std - st * sd) / spread : (double)NAN;
}

static void compare_paths(series *it, const trace *a, const trace *b) {
  carom_converge_view *r = &it->result->view;
  long count = a->samples < b->samples ? a->samples : b->samples, k = 0;
  r->parted_at = r->rate = NAN;
  for (; k < count; k++) {
    double d = lasting_distance(it, a, b, k);
    r->distance = fmax(r->distance, d);
    if (d > it->options->parted && !r->sensitive) {
      r->sensitive = true;
      r->parted_at = a->t[k < CALM - 1 ? 0 : k - CALM + 1];
      r->rate = growth_rate(it, a, b, k);
    }
  }
  if (!r->sensitive) r->rate = growth_rate(it, a, b, count);
}

static bool same_event(const trace_event *a, const trace_event *b) {
  return a->kind == b->kind && a->direction == b->direction && strcmp(a->name, b->name) == 0;
}

static void compare_events(carom_converge_view *r, const trace *a, const trace *b) {
  long count = a->events < b->events ? a->events : b->events, k = 0;
  while (k < count && same_event(&a->event[k], &b->event[k]))
    k++;
  r->same_events = k == a->events && k == b->events;
  r->events_differ = NAN;
  if (r->same_events) return;
  double ta = k < a->events ? a->event[k].t : (double)INFINITY;
  double tb = k < b->events ? b->event[k].t : (double)INFINITY;
  r->events_differ = fmin(ta, tb);
}

static void count_digits(carom_converge_value *value, double scale) {
  double apart = fabs(value->value - value->tightest);
  value->scale = scale;
  value->digits = apart == 0.0 || (isnan(value->value) && isnan(value->tightest))
                      ? (double)INFINITY
                      : fmin(MOST_DIGITS, fmax(0.0, carom_log(scale / apart) / LOG_OF_TEN));
  if (isnan(value->value) != isnan(value->tightest)) value->digits = 0.0;
}

static void compare_values(series *it) {
  const carom_converge_view *r = &it->result->view;
  for (int k = 0; k < r->observables + r->finals; k++) {
    carom_converge_value *value = &it->result->values[k];
    double size = fmax(fabs(value->value), fabs(value->tightest));
    if (k >= r->observables) size = fmax(size, it->range[k - r->observables]);
    count_digits(value, size);
  }
}

static void compare_series(series *it) {
  carom_converge_view *r = &it->result->view;
  int last = r->runs - 1;
  measure_range(it, &it->traces[last]);
  compare_values(it);
  r->same_word = true;
  for (int k = 1; k < r->runs; k++)
    r->same_word = r->same_word && strcmp(r->run[0].word, r->run[k].word) == 0;
  compare_events(r, &it->traces[0], &it->traces[last]);
  compare_paths(it, &it->traces[0], &it->traces[last]);
}

static carom_status run_series(const carom_converge_options *options, carom_converge *result,
                               carom_error *error) {
  series it = {.options = options, .result = result, .error = error};
  carom_status status = CAROM_OK;
  for (int level = 0; level <= options->tighter && status == CAROM_OK; level++)
    status = take_level(&it, level);
  if (status == CAROM_OK) compare_series(&it);
  for (int level = 0; level <= options->tighter; level++) {
    free(it.traces[level].t);
    free(it.traces[level].state);
    free(it.traces[level].event);
  }
  return status;
}

carom_status carom_converge_run(const carom_converge_options *options, carom_converge **result,
                                carom_error *error) {
  *result = NULL;
  carom_status status =
      carom_check_options(options->size, sizeof *options, "carom_converge_options", error);
  if (status != CAROM_OK) return status;
  if (!options->file || options->tighter < 1 || options->tighter > MOST_TIGHTER ||
      !(options->factor > 1.0))
    return carom_fail(error, CAROM_ERR_ARGUMENT,
                      "converge takes 1 to %d tighter runs, each by a factor above 1",
                      MOST_TIGHTER);
  carom_arena *memory = carom_arena_create(NULL);
  carom_converge *made = memory ? carom_arena_take(memory, sizeof *made) : NULL;
  if (made) {
    made->memory = memory;
    made->view.run = made->levels;
  }
  status = made ? run_series(options, made, error) : carom_fail_memory(error);
  if (status == CAROM_OK)
    *result = made;
  else
    carom_arena_destroy(memory);
  return status;
}

void carom_converge_destroy(carom_converge *result) {
  if (result) carom_arena_destroy(result->memory);
}

const carom_converge_view *carom_converge_look(const carom_converge *result) {
  return &result->view;
}
