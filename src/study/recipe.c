// SPDX-License-Identifier: MIT
/// Computes the answers of study lines through the public interface.
#include "analysis/location.h"
#include "base/elementary.h"
#include "base/error.h"
#include "carom/equilibrium.h"
#include "study/course.h"
#include "study/study.h"
#include "study/verdict.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_SETTINGS = 64, MOST_WORDS = 64 };

typedef struct kitchen {
  const carom_study *study;
  const carom_recipe *recipe;
  const carom_study_pace *pace;
  carom_study_result *result;
  carom_error *error;
} kitchen;

static void answer_number(carom_answer *answer, double number) {
  *answer = (carom_answer){.given = true, .number = number};
}

// the scenario of the recipe with its settings and, for a second run, the others on top
static carom_status load_model(const kitchen *it, bool with_other, carom_model **model,
                               carom_simulation **simulation) {
  const carom_recipe *r = it->recipe;
  char path[1024];
  carom_setting settings[MOST_SETTINGS];
  int others = with_other ? r->other.count : 0;
  *simulation = NULL;
  *model = NULL;
  if (r->set.count + others > MOST_SETTINGS)
    return carom_fail_at(it->error, CAROM_ERR_INPUT, r->place, "more than %d settings",
                         MOST_SETTINGS);
  for (int k = 0; k < r->set.count; k++)
    settings[k] = r->set.items[k];
  for (int k = 0; k < others; k++)
    settings[r->set.count + k] = r->other.items[k];
  int length = snprintf(path, sizeof path, "%s%s", r->scenario[0] == '/' ? "" : it->study->folder,
                        r->scenario);
  if (length < 0 || (size_t)length >= sizeof path)
    return carom_fail_at(it->error, CAROM_ERR_INPUT, r->place, "the scenario's path is too long");
  carom_status status = carom_model_load(path, r->set.count + others, settings, model, it->error);
  return status == CAROM_OK ? carom_simulation_create(*model, simulation, it->error) : status;
}

static void unload_model(carom_model *model, carom_simulation *simulation) {
  carom_simulation_destroy(simulation);
  carom_model_destroy(model);
}

static carom_status run_simulation(const kitchen *it, carom_simulation *simulation) {
  carom_certificate certificate;
  it->result->evaluations++;
  carom_status status = carom_simulation_run(simulation, it->error);
  if (status < 0) return status;
  status = carom_simulation_certificate(simulation, &certificate, it->error);
  it->result->passed = it->result->passed && certificate.passed;
  return status;
}

static carom_status read_value(const kitchen *it, carom_simulation *simulation, const char *name,
                               double *value) {
  carom_status status = carom_simulation_get(simulation, name, value, it->error);
  if (status == CAROM_OK && !isfinite(*value))
    return carom_fail(it->error, CAROM_ERR_NONFINITE, "%s was not measured", name);
  return status;
}

static carom_status read_run(const kitchen *it, carom_simulation *simulation,
                             carom_answer *answer) {
  carom_status status = run_simulation(it, simulation);
  if (status != CAROM_OK) return status;
  double value;
  const char *regime;
  switch (it->recipe->kind) {
  case CAROM_RECIPE_WORD:
    *answer = (carom_answer){.given = true, .is_text = true};
    return carom_simulation_word(simulation, answer->text, sizeof answer->text, it->error);
  case CAROM_RECIPE_REGIME:
    *answer = (carom_answer){.given = true, .is_text = true};
    status = carom_simulation_regime(simulation, &regime, it->error);
    (void)snprintf(answer->text, sizeof answer->text, "%s", regime ? regime : "(none)");
    return status;
  default:
    status = read_value(it, simulation, it->recipe->name, &value);
    if (status == CAROM_OK) answer_number(answer, value);
    return status;
  }
}

// the number of an equilibrium that a recipe asks for; false when it has no such thing
static bool pick_number(const kitchen *it, const carom_simulation *simulation,
                        const carom_equilibrium *e, double *value) {
  const char *name = it->recipe->name;
  bool eigenvalue = strcmp(name, "re") == 0 || strcmp(name, "im") == 0;
  if (eigenvalue && e->eigenvalues > 0) {
    *value = name[0] == 'r' ? e->re[0] : fabs(e->im[0]);
    return true;
  }
  if (strcmp(name, "margin") == 0) {
    *value = e->margin;
    return true;
  }
  for (int k = 0; k < e->size; k++)
    if (strcmp(name, carom_simulation_column(simulation, k)) == 0) {
      *value = e->state[k];
      return true;
    }
  return false;
}

static carom_status read_equilibrium(const kitchen *it, carom_simulation *simulation,
                                     carom_answer *answer) {
  carom_equilibria *list = NULL;
  double value;
  it->result->evaluations++;
  carom_status status = carom_equilibria_find(simulation, &list, it->error);
  if (status != CAROM_OK) return status;
  for (int k = 0; k < carom_equilibria_count(list) && !answer->given; k++)
    if (strcmp(carom_equilibria_at(list, k)->mode, it->recipe->mode) == 0 &&
        pick_number(it, simulation, carom_equilibria_at(list, k), &value))
      answer_number(answer, value);
  carom_equilibria_destroy(list);
  return answer->given ? CAROM_OK
                       : carom_fail(it->error, CAROM_ERR_INPUT,
                                    "there is no equilibrium in mode %s with a value '%s'",
                                    it->recipe->mode, it->recipe->name);
}

static carom_status read_location(const kitchen *it, carom_simulation *simulation,
                                  carom_answer *answer) {
  carom_location_data found;
  carom_locate_options options = it->recipe->locate;
  if (it->pace->full) options.tolerance = it->recipe->full_tolerance;
  carom_status status = carom_locate_data(simulation, &options, &found, it->error);
  it->result->evaluations += found.evaluations;
  // beyond the critical value a run may end where the motion itself does: the near side decides
  if (status == CAROM_OK) it->result->passed = it->result->passed && found.near_passed;
  if (status == CAROM_OK) answer_number(answer, found.value);
  return status;
}

static carom_status count_words(const kitchen *it, carom_simulation *simulation,
                                carom_answer *answer) {
  const carom_recipe *r = it->recipe;
  char words[MOST_WORDS][CAROM_ANSWER_TEXT];
  int count = 0;
  for (int k = 0; k < r->points; k++) {
    double x = r->locate.from + (r->locate.to - r->locate.from) * k / (r->points - 1);
    carom_status status = carom_simulation_set(simulation, r->locate.parameter, x, it->error);
    if (status == CAROM_OK) status = run_simulation(it, simulation);
    if (status == CAROM_OK)
      status = carom_simulation_word(simulation, words[count], CAROM_ANSWER_TEXT, it->error);
    if (status != CAROM_OK) return status;
    bool known = false;
    for (int j = 0; j < count && !known; j++)
      known = strcmp(words[j], words[count]) == 0;
    if (!known && count < MOST_WORDS - 1) count++;
  }
  answer_number(answer, count);
  return CAROM_OK;
}

// one run's value, and the value it is plotted over where the recipe names one
static carom_status pair_values(const kitchen *it, bool other, double *value, double *over) {
  carom_model *model;
  carom_simulation *simulation;
  carom_status status = load_model(it, other, &model, &simulation);
  if (status == CAROM_OK) status = run_simulation(it, simulation);
  if (status == CAROM_OK) status = read_value(it, simulation, it->recipe->name, value);
  if (status == CAROM_OK && it->recipe->over_name)
    status = read_value(it, simulation, it->recipe->over_name, over);
  unload_model(model, simulation);
  return status;
}

// the same with means over runs: how much one exceeds the other, or their relative difference, and
// its error
static carom_status compare_means(const kitchen *it, carom_answer *answer) {
  double value[2], error[2];
  for (int k = 0; k < 2; k++) {
    carom_model *model;
    carom_simulation *simulation;
    carom_status status = load_model(it, k == 1, &model, &simulation);
    if (status == CAROM_OK)
      status = carom_recipe_mean(model, it->recipe, it->pace, it->result, &value[k], it->error);
    unload_model(model, simulation);
    if (status != CAROM_OK) return status;
    error[k] = it->result->spread;
  }
  if (it->recipe->kind == CAROM_RECIPE_EXCESS) {
    answer_number(answer, value[0] - value[1]);
    it->result->spread = carom_hypot(error[0], error[1]);
    return CAROM_OK;
  }
  int large = fabs(value[1]) > fabs(value[0]);
  double scale = fabs(value[large]), ratio = scale > 0.0 ? value[!large] / value[large] : 1.0;
  answer_number(answer, fabs(1.0 - ratio));
  it->result->spread = carom_hypot(error[!large], ratio * error[large]) / scale;
  return CAROM_OK;
}

static carom_status compare_runs(const kitchen *it, carom_answer *answer) {
  double value[2], over[2] = {0.0, 0.0};
  if (it->recipe->axes[0]) return compare_means(it, answer);
  for (int k = 0; k < 2; k++) {
    carom_status status = pair_values(it, k == 1, &value[k], &over[k]);
    if (status != CAROM_OK) return status;
  }
  double difference = value[1] - value[0];
  if (it->recipe->kind == CAROM_RECIPE_SLOPE) {
    if (over[1] == over[0])
      return carom_fail(it->error, CAROM_ERR_INPUT, "both runs have the same %s",
                        it->recipe->over_name);
    answer_number(answer, difference / (over[1] - over[0]));
  } else {
    double scale = fmax(fabs(value[0]), fabs(value[1]));
    answer_number(answer, scale > 0.0 ? fabs(difference) / scale : 0.0);
  }
  return CAROM_OK;
}

static carom_status read_course(const kitchen *it, carom_simulation *simulation,
                                carom_answer *answer) {
  carom_course course;
  carom_course_begin(&course);
  carom_observer observer = {.ctx = &course, .event = carom_course_event};
  carom_simulation_observe(simulation, &observer);
  carom_status status = run_simulation(it, simulation);
  carom_simulation_observe(simulation, NULL);
  if (status < 0) return status;
  carom_course_end(&course);
  if (course.full) return carom_fail(it->error, CAROM_ERR_LIMIT, "the course is too long a text");
  *answer = (carom_answer){.given = true, .is_text = true};
  (void)snprintf(answer->text, sizeof answer->text, "%s", course.text);
  return CAROM_OK;
}

typedef struct watch_for {
  const carom_recipe *recipe;
  int seen;
  double t;
} watch_for;

static int note_moment(void *ctx, const carom_event *event) {
  watch_for *it = ctx;
  if (strcmp(event->name, it->recipe->name) != 0) return 0;
  if (strcmp(carom_event_kind_text(event->kind), it->recipe->event) != 0) return 0;
  if (++it->seen == it->recipe->points) it->t = event->t;
  return 0;
}

static carom_status read_moment(const kitchen *it, carom_simulation *simulation,
                                carom_answer *answer) {
  watch_for wanted = {.recipe = it->recipe};
  carom_observer observer = {.ctx = &wanted, .event = note_moment};
  carom_simulation_observe(simulation, &observer);
  carom_status status = run_simulation(it, simulation);
  carom_simulation_observe(simulation, NULL);
  if (status < 0) return status;
  if (wanted.seen < it->recipe->points)
    return carom_fail(it->error, CAROM_ERR_INPUT, "'%s' of %s happens %d times, not %d",
                      it->recipe->event, it->recipe->name, wanted.seen, it->recipe->points);
  answer_number(answer, wanted.t);
  return CAROM_OK;
}

static carom_status count_starts(const kitchen *it, const carom_model *model,
                                 carom_answer *answer) {
  double count;
  carom_status status =
      carom_recipe_count_starts(model, it->recipe, it->pace, it->result, &count, it->error);
  if (status == CAROM_OK) answer_number(answer, count);
  return status;
}

static carom_status take_mean(const kitchen *it, const carom_model *model, carom_answer *answer) {
  double mean;
  carom_status status =
      carom_recipe_mean(model, it->recipe, it->pace, it->result, &mean, it->error);
  if (status == CAROM_OK) answer_number(answer, mean);
  return status;
}

static carom_status ask_recipe(const kitchen *it, const carom_model *model,
                               carom_simulation *simulation, carom_answer *answer) {
  switch (it->recipe->kind) {
  case CAROM_RECIPE_STARTS: return count_starts(it, model, answer);
  case CAROM_RECIPE_MEAN: return take_mean(it, model, answer);
  case CAROM_RECIPE_EQUILIBRIUM: return read_equilibrium(it, simulation, answer);
  case CAROM_RECIPE_LOCATE: return read_location(it, simulation, answer);
  case CAROM_RECIPE_SCAN: return count_words(it, simulation, answer);
  case CAROM_RECIPE_COURSE: return read_course(it, simulation, answer);
  case CAROM_RECIPE_MOMENT: return read_moment(it, simulation, answer);
  default: return read_run(it, simulation, answer);
  }
}

static carom_status compute_recipe(const carom_study *study, const carom_recipe *recipe,
                                   const carom_study_pace *pace, carom_answer *answer,
                                   carom_study_result *result, carom_error *error) {
  kitchen it = {study, recipe, pace, result, error};
  *answer = (carom_answer){0};
  if (recipe->kind == CAROM_RECIPE_DIFFERENCE || recipe->kind == CAROM_RECIPE_EXCESS ||
      recipe->kind == CAROM_RECIPE_SLOPE)
    return compare_runs(&it, answer);
  carom_model *model;
  carom_simulation *simulation;
  carom_status status = load_model(&it, false, &model, &simulation);
  if (status == CAROM_OK) status = ask_recipe(&it, model, simulation, answer);
  unload_model(model, simulation);
  if (status != CAROM_OK) answer->given = false;
  return status;
}

// a file that is wrong is the study's mistake; what fails while computing is the verdict `fail`
static bool study_is_wrong(carom_status status, const carom_error *error) {
  return status == CAROM_ERR_MEMORY ||
         (status == CAROM_ERR_INPUT && error->file[0] && error->line > 0) || status == CAROM_ERR_IO;
}

// where both sides have an error, three standard errors of their difference; a bound that is to be
// exceeded has none of its own
static double tolerance_of(const carom_study_line *line, double spread) {
  if (line->above) return isnan(spread) ? INFINITY : 3.0 * spread;
  if (!(line->error > 0.0)) return line->tolerance;
  double own = isnan(spread) ? 0.0 : spread;
  return 3.0 * sqrt(line->error * line->error + own * own);
}

carom_status carom_study_compute_line(const carom_study *study, int k, const carom_study_pace *pace,
                                      carom_study_result *result, carom_error *error) {
  *result = (carom_study_result){
      .difference = NAN, .spread = NAN, .passed = true, .verdict = CAROM_VERDICT_FAIL};
  if (k < 0 || k >= study->count)
    return carom_fail(error, CAROM_ERR_ARGUMENT, "the study has no line %d", k);
  const carom_study_entry *entry = &study->entries[k];
  carom_error trouble = {0};
  carom_status status =
      compute_recipe(study, &entry->recipe, pace, &result->carom, result, &trouble);
  double spread = result->spread;
  if (status == CAROM_OK && entry->has_second)
    status = compute_recipe(study, &entry->second, pace, &result->second, result, &trouble);
  result->spread = spread; // of the line, not of the second method
  if (status == CAROM_STOP_USER && pace->stopped && pace->stopped(pace->ctx)) return status;
  if (status < 0) {
    if (error) *error = trouble;
    if (study_is_wrong(status, &trouble)) return status;
    (void)snprintf(result->trouble, sizeof result->trouble, "%s", trouble.text);
    result->carom.given = false;
  }
  carom_study_line line = entry->line;
  line.tolerance = result->tolerance = tolerance_of(&line, spread);
  if (result->carom.given && !result->carom.is_text && !line.expected.is_text)
    result->difference = result->carom.number - line.expected.number;
  result->verdict = carom_study_judge(&line, &result->carom, &result->second);
  return CAROM_OK;
}

carom_status carom_study_compute(const carom_study *study, int k, bool full,
                                 carom_study_result *result, carom_error *error) {
  const carom_study_pace pace = {.full = full};
  return carom_study_compute_line(study, k, &pace, result, error);
}
