// SPDX-License-Identifier: MIT
/// Reads study files. Unknown keys and wrong types are errors with their place.
#include "study/study.h"

#include "base/error.h"
#include "study/figures.h"
#include "study/verdict.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct reader {
  carom_study *study;
  carom_error *error;
} reader;

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

CAROM_PRINTF(3, 4)
static carom_status fail_at_place(const reader *it, carom_place place, const char *format, ...);

static carom_status fail_at_place(const reader *it, carom_place place, const char *format, ...) {
  char text[CAROM_ERROR_TEXT];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return carom_fail_at(it->error, CAROM_ERR_INPUT, place, "%s", text);
}

static carom_status check_keys(const reader *it, const carom_yaml *map, const char *what, int count,
                               const char *const *keys) {
  if (map->kind != CAROM_YAML_MAP)
    return fail_at_place(it, map->place, "%s must be a map of keys and values", what);
  for (int k = 0; k < map->count; k++) {
    bool known = false;
    for (int j = 0; j < count && !known; j++)
      known = strcmp(map->keys[k], keys[j]) == 0;
    if (known) continue;
    const char *nearest = carom_nearest_name(map->keys[k], keys, count);
    return fail_at_place(it, map->key_places[k], "%s has no key '%s'%s%s%s", what, map->keys[k],
                         nearest ? "; did you mean '" : "", nearest ? nearest : "",
                         nearest ? "'?" : "");
  }
  return CAROM_OK;
}

// a scalar's text, or `otherwise` when the key is not there
static carom_status read_text(const reader *it, const carom_yaml *map, const char *key,
                              const char *otherwise, const char **text) {
  const carom_yaml *value = carom_yaml_get(map, key);
  *text = otherwise;
  if (!value) {
    if (otherwise) return CAROM_OK;
    return fail_at_place(it, map->place, "the key '%s' is missing", key);
  }
  if (value->kind != CAROM_YAML_SCALAR)
    return fail_at_place(it, value->place, "'%s' must be a text", key);
  *text = value->text;
  return CAROM_OK;
}

static bool is_number(const carom_yaml *value, double *number) {
  char *end;
  if (value->kind != CAROM_YAML_SCALAR || value->quoted) return false;
  *number = strtod(value->text, &end);
  return end != value->text && *end == '\0' && isfinite(*number);
}

static carom_status read_number(const reader *it, const carom_yaml *map, const char *key,
                                double otherwise, double *number) {
  const carom_yaml *value = carom_yaml_get(map, key);
  *number = otherwise;
  if (value && !is_number(value, number))
    return fail_at_place(it, value->place, "'%s' must be a number", key);
  if (!value && isnan(otherwise))
    return fail_at_place(it, map->place, "the key '%s' is missing", key);
  return CAROM_OK;
}

static carom_status read_answer(const reader *it, const carom_yaml *value, carom_answer *answer) {
  if (value->kind != CAROM_YAML_SCALAR)
    return fail_at_place(it, value->place, "expected a number or a text here");
  *answer = (carom_answer){.given = true};
  if (is_number(value, &answer->number)) return CAROM_OK;
  answer->is_text = true;
  if (strlen(value->text) >= sizeof answer->text)
    return fail_at_place(it, value->place, "a text of more than %zu letters",
                         sizeof answer->text - 1);
  memcpy(answer->text, value->text, strlen(value->text) + 1);
  return CAROM_OK;
}

static carom_status read_settings(const reader *it, const carom_yaml *map, carom_settings *set) {
  *set = (carom_settings){0};
  if (!map) return CAROM_OK;
  if (map->kind != CAROM_YAML_MAP)
    return fail_at_place(it, map->place, "expected a map of names and values here");
  set->items = carom_arena_array(it->study->arena, (size_t)map->count + 1, sizeof *set->items);
  if (!set->items) return carom_fail_memory(it->error);
  for (int k = 0; k < map->count; k++) {
    if (map->values[k]->kind != CAROM_YAML_SCALAR)
      return fail_at_place(it, map->values[k]->place,
                           "settings are single values; write a.b: value");
    set->items[set->count++] = (carom_setting){map->keys[k], map->values[k]->text};
  }
  return CAROM_OK;
}

// word, regime, hopf, or "OBSERVABLE = VALUE"
static carom_status read_when(const reader *it, const carom_yaml *map, carom_locate_options *o) {
  const char *text;
  carom_status status = read_text(it, map, "when", "word", &text);
  if (status != CAROM_OK) return status;
  if (strcmp(text, "word") == 0) {
    o->what = CAROM_LOCATE_WORD;
  } else if (strcmp(text, "regime") == 0) {
    o->what = CAROM_LOCATE_REGIME;
  } else if (strcmp(text, "hopf") == 0) {
    o->what = CAROM_LOCATE_HOPF;
  } else {
    const char *equals = strchr(text, '=');
    char *end;
    size_t length = equals ? (size_t)(equals - text) : 0;
    while (length > 0 && text[length - 1] == ' ')
      length--;
    o->value = equals ? strtod(equals + 1, &end) : 0.0;
    if (length == 0 || end == equals + 1 || *end != '\0')
      return fail_at_place(it, carom_yaml_get(map, "when")->place,
                           "'when' is word, regime, hopf or OBSERVABLE = VALUE");
    o->what = CAROM_LOCATE_OBSERVABLE;
    o->observable = carom_arena_text(it->study->arena, text, length);
    if (!o->observable) return carom_fail_memory(it->error);
  }
  return CAROM_OK;
}

static carom_status read_solve(const reader *it, const carom_yaml *map, carom_locate_options *o) {
  static const char *const KEYS[] = {"for", "closure"};
  const carom_yaml *solve = carom_yaml_get(map, "solve");
  if (!solve) return CAROM_OK;
  carom_status status = check_keys(it, solve, "solve", COUNT(KEYS), KEYS);
  if (status == CAROM_OK) status = read_text(it, solve, "for", NULL, &o->solve);
  return status == CAROM_OK ? read_text(it, solve, "closure", NULL, &o->closure) : status;
}

static carom_status read_locate(const reader *it, const carom_yaml *map, carom_recipe *recipe) {
  static const char *const KEYS[] = {"over",  "from",   "to",        "when", "mode",
                                     "solve", "follow", "tolerance", "full"};
  carom_locate_options *o = &recipe->locate;
  const char *follow;
  carom_status status = check_keys(it, map, "locate", COUNT(KEYS), KEYS);
  if (status == CAROM_OK) status = read_text(it, map, "over", NULL, &o->parameter);
  if (status == CAROM_OK) status = read_number(it, map, "from", NAN, &o->from);
  if (status == CAROM_OK) status = read_number(it, map, "to", NAN, &o->to);
  if (status == CAROM_OK) status = read_number(it, map, "tolerance", 1e-9, &o->tolerance);
  if (status == CAROM_OK)
    status = read_number(it, map, "full", o->tolerance, &recipe->full_tolerance);
  if (status == CAROM_OK) status = read_text(it, map, "follow", "no", &follow);
  if (status == CAROM_OK) status = read_text(it, map, "mode", "", &o->mode);
  if (status == CAROM_OK) status = read_when(it, map, o);
  if (status == CAROM_OK) status = read_solve(it, map, o);
  if (status != CAROM_OK) return status;
  o->follow = strcmp(follow, "yes") == 0;
  if (!o->follow && strcmp(follow, "no") != 0)
    return fail_at_place(it, carom_yaml_get(map, "follow")->place, "'follow' is yes or no");
  if (!o->mode[0]) o->mode = NULL;
  return CAROM_OK;
}

static carom_status read_scan(const reader *it, const carom_yaml *map, carom_recipe *recipe) {
  static const char *const KEYS[] = {"over", "from", "to", "points"};
  double points;
  carom_status status = check_keys(it, map, "scan", COUNT(KEYS), KEYS);
  if (status == CAROM_OK) status = read_text(it, map, "over", NULL, &recipe->locate.parameter);
  if (status == CAROM_OK) status = read_number(it, map, "from", NAN, &recipe->locate.from);
  if (status == CAROM_OK) status = read_number(it, map, "to", NAN, &recipe->locate.to);
  if (status == CAROM_OK) status = read_number(it, map, "points", NAN, &points);
  if (status != CAROM_OK) return status;
  if (!(points >= 2.0 && points <= 1000.0))
    return fail_at_place(it, map->place, "a scan has 2 to 1000 points");
  recipe->points = (int)points;
  return CAROM_OK;
}

static carom_status read_starts(const reader *it, const carom_yaml *map, carom_recipe *recipe) {
  static const char *const KEYS[] = {"regime", "over"};
  carom_status status = check_keys(it, map, "starts", COUNT(KEYS), KEYS);
  if (status == CAROM_OK) status = read_text(it, map, "regime", NULL, &recipe->name);
  if (status != CAROM_OK) return status;
  const carom_yaml *over = carom_yaml_get(map, "over");
  if (!over || over->kind != CAROM_YAML_LIST || over->count == 0 || over->count > CAROM_RECIPE_AXES)
    return fail_at_place(it, over ? over->place : map->place,
                         "'over' is a list of 1 to %d ranges such as h0=0:1:5", CAROM_RECIPE_AXES);
  for (int k = 0; k < over->count; k++) {
    if (over->values[k]->kind != CAROM_YAML_SCALAR)
      return fail_at_place(it, over->values[k]->place, "a range is a text such as h0=0:1:5");
    recipe->axes[recipe->axis_count++] = over->values[k]->text;
  }
  return CAROM_OK;
}

// what a mean is taken over, in quick and in full runs
static carom_status read_runs(const reader *it, const carom_yaml *map, carom_recipe *recipe) {
  carom_status status = read_text(it, map, "over", NULL, &recipe->axes[0]);
  if (status == CAROM_OK) status = read_text(it, map, "full", recipe->axes[0], &recipe->axes[1]);
  recipe->axis_count = 2;
  return status;
}

static carom_status read_mean(const reader *it, const carom_yaml *map, carom_recipe *recipe) {
  static const char *const KEYS[] = {"of", "over", "full"};
  carom_status status = check_keys(it, map, "mean", COUNT(KEYS), KEYS);
  if (status == CAROM_OK) status = read_text(it, map, "of", NULL, &recipe->name);
  return status == CAROM_OK ? read_runs(it, map, recipe) : status;
}

static carom_status read_equilibrium(const reader *it, const carom_yaml *map,
                                     carom_recipe *recipe) {
  static const char *const KEYS[] = {"mode", "value"};
  carom_status status = check_keys(it, map, "equilibrium", COUNT(KEYS), KEYS);
  if (status == CAROM_OK) status = read_text(it, map, "mode", NULL, &recipe->mode);
  return status == CAROM_OK ? read_text(it, map, "value", "re", &recipe->name) : status;
}

// two runs that differ by some settings
static carom_status read_pair(const reader *it, const carom_yaml *map, carom_recipe *recipe) {
  static const char *const DIFFERENCE[] = {"of", "with", "over", "full"};
  static const char *const SLOPE[] = {"of", "over", "with"};
  bool slope = recipe->kind == CAROM_RECIPE_SLOPE, excess = recipe->kind == CAROM_RECIPE_EXCESS;
  carom_status status =
      slope ? check_keys(it, map, "slope", COUNT(SLOPE), SLOPE)
            : check_keys(it, map, excess ? "excess" : "difference", COUNT(DIFFERENCE), DIFFERENCE);
  if (status == CAROM_OK) status = read_text(it, map, "of", NULL, &recipe->name);
  if (status == CAROM_OK && slope) status = read_text(it, map, "over", NULL, &recipe->over_name);
  if (status == CAROM_OK && !slope && (excess || carom_yaml_get(map, "over")))
    status = read_runs(it, map, recipe);
  if (status != CAROM_OK) return status;
  if (!carom_yaml_get(map, "with"))
    return fail_at_place(it, map->place, "the key 'with' (settings of the second run) is missing");
  return read_settings(it, carom_yaml_get(map, "with"), &recipe->other);
}

static carom_status read_moment(const reader *it, const carom_yaml *map, carom_recipe *recipe) {
  static const char *const KEYS[] = {"event", "of", "number"};
  double number;
  carom_status status = check_keys(it, map, "moment", COUNT(KEYS), KEYS);
  if (status == CAROM_OK) status = read_text(it, map, "event", NULL, &recipe->event);
  if (status == CAROM_OK) status = read_text(it, map, "of", NULL, &recipe->name);
  if (status == CAROM_OK) status = read_number(it, map, "number", 1.0, &number);
  if (status != CAROM_OK) return status;
  if (!(number >= 1.0 && number <= 1e6))
    return fail_at_place(it, map->place, "'number' counts from 1");
  recipe->points = (int)number;
  return CAROM_OK;
}

static carom_status read_recipe_value(const reader *it, const carom_yaml *value,
                                      carom_recipe *recipe) {
  switch (recipe->kind) {
  case CAROM_RECIPE_OBSERVABLE:
    if (value->kind != CAROM_YAML_SCALAR)
      return fail_at_place(it, value->place, "'observable' is a name");
    recipe->name = value->text;
    return CAROM_OK;
  case CAROM_RECIPE_WORD:
  case CAROM_RECIPE_COURSE:
  case CAROM_RECIPE_REGIME: return CAROM_OK;
  case CAROM_RECIPE_MOMENT: return read_moment(it, value, recipe);
  case CAROM_RECIPE_EQUILIBRIUM: return read_equilibrium(it, value, recipe);
  case CAROM_RECIPE_LOCATE: return read_locate(it, value, recipe);
  case CAROM_RECIPE_DIFFERENCE:
  case CAROM_RECIPE_EXCESS:
  case CAROM_RECIPE_SLOPE: return read_pair(it, value, recipe);
  case CAROM_RECIPE_SCAN: return read_scan(it, value, recipe);
  case CAROM_RECIPE_STARTS: return read_starts(it, value, recipe);
  case CAROM_RECIPE_MEAN: return read_mean(it, value, recipe);
  }
  return CAROM_OK;
}

static const struct {
  const char *key;
  carom_recipe_kind kind;
} RECIPES[] = {{"observable", CAROM_RECIPE_OBSERVABLE},
               {"word", CAROM_RECIPE_WORD},
               {"regime", CAROM_RECIPE_REGIME},
               {"course", CAROM_RECIPE_COURSE},
               {"equilibrium", CAROM_RECIPE_EQUILIBRIUM},
               {"locate", CAROM_RECIPE_LOCATE},
               {"difference", CAROM_RECIPE_DIFFERENCE},
               {"excess", CAROM_RECIPE_EXCESS},
               {"slope", CAROM_RECIPE_SLOPE},
               {"scan", CAROM_RECIPE_SCAN},
               {"moment", CAROM_RECIPE_MOMENT},
               {"starts", CAROM_RECIPE_STARTS},
               {"mean", CAROM_RECIPE_MEAN}};

static carom_status read_recipe(const reader *it, const carom_yaml *map, const char *scenario,
                                carom_recipe *recipe) {
  const carom_yaml *value = NULL;
  *recipe = (carom_recipe){.place = map->place, .locate = carom_locate_options_default()};
  for (int k = 0; k < COUNT(RECIPES); k++) {
    const carom_yaml *here = carom_yaml_get(map, RECIPES[k].key);
    if (!here) continue;
    if (value) return fail_at_place(it, here->place, "a line computes one thing, not two");
    value = here;
    recipe->kind = RECIPES[k].kind;
  }
  if (!value)
    return fail_at_place(it, map->place,
                         "nothing to compute: one of observable, word, regime, course, moment, "
                         "equilibrium, locate, difference, slope, scan, starts, mean is needed");
  carom_status status = read_text(it, map, "scenario", scenario, &recipe->scenario);
  if (status == CAROM_OK) status = read_settings(it, carom_yaml_get(map, "set"), &recipe->set);
  return status == CAROM_OK ? read_recipe_value(it, value, recipe) : status;
}

static const char *const LINE_KEYS[] = {
    "id",         "paper",     "what",   "scenario",    "set",       "expected",   "at_least",
    "above",      "tolerance", "error",  "converged",   "explained", "second",     "only",
    "observable", "word",      "regime", "equilibrium", "locate",    "difference", "excess",
    "slope",      "scan",      "course", "moment",      "starts",    "mean"};
static const char *const SECOND_KEYS[] = {"moment", "course", "scenario",    "set",    "observable",
                                          "word",   "regime", "equilibrium", "locate", "difference",
                                          "excess", "slope",  "scan",        "starts", "mean"};

static carom_status read_claims(const reader *it, const carom_yaml *map, carom_study_line *line) {
  static const char *const KEYS[] = {"value", "tolerance"};
  const carom_yaml *expected = carom_yaml_get(map, "expected");
  const carom_yaml *at_least = carom_yaml_get(map, "at_least");
  const carom_yaml *above = carom_yaml_get(map, "above");
  const carom_yaml *converged = carom_yaml_get(map, "converged");
  const carom_yaml *claim = expected ? expected : at_least ? at_least : above;
  if ((expected != NULL) + (at_least != NULL) + (above != NULL) != 1)
    return fail_at_place(it, map->place, "a line needs one of 'expected', 'at_least' and 'above'");
  line->at_least = at_least != NULL;
  line->above = above != NULL;
  carom_status status = read_answer(it, claim, &line->expected);
  if (status == CAROM_OK && !expected && line->expected.is_text)
    return fail_at_place(it, claim->place, "'%s' must be a number", above ? "above" : "at_least");
  if (status == CAROM_OK) status = read_number(it, map, "tolerance", 0.0, &line->tolerance);
  if (status == CAROM_OK) status = read_number(it, map, "error", 0.0, &line->error);
  if (status == CAROM_OK && carom_yaml_get(map, "error") &&
      (carom_yaml_get(map, "tolerance") || !(line->error > 0.0)))
    return fail_at_place(
        it, carom_yaml_get(map, "error")->place,
        "'error' is above 0, and the tolerance follows from it: give one of the two");
  if (status == CAROM_OK) status = read_text(it, map, "explained", "", &line->reason);
  if (status != CAROM_OK || !converged) return status;
  status = check_keys(it, converged, "converged", COUNT(KEYS), KEYS);
  if (status != CAROM_OK) return status;
  const carom_yaml *value = carom_yaml_get(converged, "value");
  if (!value) return fail_at_place(it, converged->place, "the key 'value' is missing");
  status = read_answer(it, value, &line->converged);
  return status == CAROM_OK
             ? read_number(it, converged, "tolerance", 0.0, &line->converged_tolerance)
             : status;
}

static carom_status read_line(const reader *it, const carom_yaml *map, const char *scenario,
                              carom_study_entry *entry) {
  carom_study_line *line = &entry->line;
  const carom_yaml *second = carom_yaml_get(map, "second");
  const char *only;
  carom_status status = check_keys(it, map, "a line", COUNT(LINE_KEYS), LINE_KEYS);
  if (status == CAROM_OK) status = read_text(it, map, "id", NULL, &line->id);
  if (status == CAROM_OK) status = read_text(it, map, "paper", NULL, &line->paper);
  if (status == CAROM_OK) status = read_text(it, map, "what", NULL, &line->what);
  if (status == CAROM_OK) status = read_text(it, map, "only", "", &only);
  if (status == CAROM_OK) status = read_claims(it, map, line);
  if (status == CAROM_OK) status = read_recipe(it, map, scenario, &entry->recipe);
  if (status != CAROM_OK) return status;
  line->only_full = strcmp(only, "full") == 0;
  if (only[0] && !line->only_full)
    return fail_at_place(it, carom_yaml_get(map, "only")->place, "'only' can be full");
  if (line->above && (entry->recipe.axis_count != 2 || line->tolerance > 0.0 || line->error > 0.0))
    return fail_at_place(it, carom_yaml_get(map, "above")->place,
                         "'above' is for means over runs, whose standard error is its tolerance");
  if (line->reason[0] && !line->converged.given)
    return fail_at_place(
        it, map->place,
        "an explained line needs 'converged': the derived value Carom must agree with");
  if (!second) return CAROM_OK;
  entry->has_second = true;
  status = check_keys(it, second, "second", COUNT(SECOND_KEYS), SECOND_KEYS);
  return status == CAROM_OK ? read_recipe(it, second, scenario, &entry->second) : status;
}

static carom_status read_lines(const reader *it, const carom_yaml *root) {
  carom_study *study = it->study;
  const carom_yaml *lines = carom_yaml_get(root, "lines");
  const char *scenario = NULL;
  if (!lines || lines->kind != CAROM_YAML_LIST || lines->count == 0)
    return fail_at_place(it, lines ? lines->place : root->place, "a study needs a list of 'lines'");
  if (carom_yaml_get(root, "scenario")) {
    carom_status status = read_text(it, root, "scenario", NULL, &scenario);
    if (status != CAROM_OK) return status;
  }
  study->entries = carom_arena_array(study->arena, (size_t)lines->count, sizeof *study->entries);
  if (!study->entries) return carom_fail_memory(it->error);
  for (int k = 0; k < lines->count; k++) {
    carom_study_entry *entry = &study->entries[k];
    carom_status status = read_line(it, lines->values[k], scenario, entry);
    if (status != CAROM_OK) return status;
    for (int j = 0; j < k; j++)
      if (strcmp(study->entries[j].line.id, entry->line.id) == 0)
        return fail_at_place(it, lines->values[k]->place, "two lines are called '%s'",
                             entry->line.id);
    study->count++;
  }
  return CAROM_OK;
}

static carom_status read_study(carom_study *study, const char *path, carom_error *error) {
  static const char *const KEYS[] = {"title", "paper", "about", "scenario", "lines", "figures"};
  reader it = {study, error};
  const char *slash = strrchr(path, '/');
  study->folder = carom_arena_text(study->arena, path, slash ? (size_t)(slash - path) + 1 : 0);
  if (!study->folder) return carom_fail_memory(error);
  carom_status status = carom_document_read(study->arena, path, NULL, &study->document, error);
  if (status != CAROM_OK) return status;
  const carom_yaml *root = study->document->root;
  status = check_keys(&it, root, "a study", COUNT(KEYS), KEYS);
  if (status == CAROM_OK) status = read_text(&it, root, "title", NULL, &study->title);
  if (status == CAROM_OK) status = read_text(&it, root, "paper", "", &study->paper);
  if (status == CAROM_OK) status = read_text(&it, root, "about", "", &study->about);
  if (status == CAROM_OK)
    status = carom_study_read_figures(study, carom_yaml_get(root, "figures"), error);
  return status == CAROM_OK ? read_lines(&it, root) : status;
}

carom_status carom_study_open(const char *path, carom_study **study, carom_error *error) {
  *study = NULL;
  carom_arena *arena = carom_arena_create(NULL);
  carom_study *made = arena ? carom_arena_take(arena, sizeof *made) : NULL;
  if (!made) {
    carom_arena_destroy(arena);
    return carom_fail_memory(error);
  }
  made->arena = arena;
  carom_status status = read_study(made, path, error);
  if (status == CAROM_OK)
    *study = made;
  else
    carom_study_destroy(made);
  return status;
}

void carom_study_destroy(carom_study *study) {
  if (study) carom_arena_destroy(study->arena);
}

const char *carom_study_title(const carom_study *study) { return study->title; }
const char *carom_study_paper(const carom_study *study) { return study->paper; }
int carom_study_count(const carom_study *study) { return study->count; }

const carom_study_line *carom_study_line_at(const carom_study *study, int k) {
  return k >= 0 && k < study->count ? &study->entries[k].line : NULL;
}
