// SPDX-License-Identifier: MIT
#include "study/figures.h"

#include "base/error.h"

#include <stdio.h>
#include <string.h>

enum { MOST_FIGURES = 100, MOST_WORDS = 64 };

// commands that compute; what they write, and where, is not the study's to say
static const char *const MAKERS[] = {"run",   "sweep", "bifurcate", "map",
                                     "basin", "orbit", "continue",  "lyapunov"};
static const char *const FORBIDDEN[] = {"--out", "--csv", "--vtk", "--picture", "--resume", "-o"};
#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

static bool is_one_of(const char *word, int count, const char *const *list) {
  for (int k = 0; k < count; k++) {
    size_t length = strlen(list[k]);
    if (strncmp(word, list[k], length) == 0 && (word[length] == '\0' || word[length] == '='))
      return true;
  }
  return false;
}

static carom_status read_words(carom_study *study, const carom_yaml *value, const char *key,
                               int *count, const char *const **words, carom_error *error) {
  *count = 0;
  *words = NULL;
  if (!value) return CAROM_OK;
  if (value->kind != CAROM_YAML_LIST || value->count > MOST_WORDS)
    return carom_fail_at(error, CAROM_ERR_INPUT, value->place,
                         "'%s' is the list of a command's words: [run, a.yaml, --until, 3]", key);
  const char **list = carom_arena_array(study->arena, (size_t)value->count + 1, sizeof *list);
  if (!list) return carom_fail_memory(error);
  for (int k = 0; k < value->count; k++) {
    const carom_yaml *word = value->values[k];
    if (word->kind != CAROM_YAML_SCALAR)
      return carom_fail_at(error, CAROM_ERR_INPUT, word->place, "a word of '%s' is a text", key);
    if (is_one_of(word->text, COUNT(FORBIDDEN), FORBIDDEN))
      return carom_fail_at(error, CAROM_ERR_INPUT, word->place,
                           "'%s' is decided by the gallery, not by the study", word->text);
    list[(*count)++] = word->text;
  }
  *words = list;
  return CAROM_OK;
}

static const char *text_of(const carom_yaml *map, const char *key) {
  const carom_yaml *value = carom_yaml_get(map, key);
  return value && value->kind == CAROM_YAML_SCALAR ? value->text : "";
}

static bool is_yes(const char *text) {
  return strcmp(text, "yes") == 0 || strcmp(text, "true") == 0;
}

static carom_status read_figure(carom_study *study, const carom_yaml *map,
                                carom_study_figure *figure, carom_error *error) {
  static const char *const KEYS[] = {"id",   "paper", "caption", "make",
                                     "draw", "vary",  "page",    "only"};
  if (map->kind != CAROM_YAML_MAP)
    return carom_fail_at(error, CAROM_ERR_INPUT, map->place, "a figure is a map of keys");
  for (int k = 0; k < map->count; k++) {
    bool known = false;
    for (int j = 0; j < COUNT(KEYS) && !known; j++)
      known = strcmp(map->keys[k], KEYS[j]) == 0;
    if (!known)
      return carom_fail_at(error, CAROM_ERR_INPUT, map->key_places[k],
                           "a figure has no key '%s'; it has id, paper, caption, make, vary, "
                           "draw, page, only",
                           map->keys[k]);
  }
  *figure = (carom_study_figure){.id = text_of(map, "id"),
                                 .paper = text_of(map, "paper"),
                                 .caption = text_of(map, "caption"),
                                 .page = is_yes(text_of(map, "page")),
                                 .only_full = strcmp(text_of(map, "only"), "full") == 0};
  if (!figure->id[0] ||
      strspn(figure->id, "abcdefghijklmnopqrstuvwxyz0123456789-") != strlen(figure->id))
    return carom_fail_at(error, CAROM_ERR_INPUT, map->place,
                         "a figure needs an id of small letters, digits and dashes");
  carom_status status = read_words(study, carom_yaml_get(map, "make"), "make", &figure->make_count,
                                   &figure->make, error);
  if (status == CAROM_OK)
    status = read_words(study, carom_yaml_get(map, "draw"), "draw", &figure->draw_count,
                        &figure->draw, error);
  if (status == CAROM_OK)
    status = read_words(study, carom_yaml_get(map, "vary"), "vary", &figure->vary_count,
                        &figure->vary, error);
  if (status != CAROM_OK) return status;
  if (figure->vary_count > CAROM_FIGURE_RUNS)
    return carom_fail_at(error, CAROM_ERR_INPUT, map->place, "'vary' compares up to %d runs",
                         CAROM_FIGURE_RUNS);
  if (figure->make_count < 2 || !is_one_of(figure->make[0], COUNT(MAKERS), MAKERS))
    return carom_fail_at(error, CAROM_ERR_INPUT, map->place,
                         "a figure needs 'make': [run, scenario.yaml, ...], or sweep, bifurcate, "
                         "map, basin, orbit, continue, lyapunov");
  return CAROM_OK;
}

carom_status carom_study_read_figures(carom_study *study, const carom_yaml *list,
                                      carom_error *error) {
  if (!list) return CAROM_OK;
  if (list->kind != CAROM_YAML_LIST || list->count > MOST_FIGURES)
    return carom_fail_at(error, CAROM_ERR_INPUT, list->place, "'figures' is a list");
  study->figures = carom_arena_array(study->arena, (size_t)list->count, sizeof *study->figures);
  if (!study->figures) return carom_fail_memory(error);
  for (int k = 0; k < list->count; k++) {
    carom_status status = read_figure(study, list->values[k], &study->figures[k], error);
    if (status != CAROM_OK) return status;
    for (int j = 0; j < k; j++)
      if (strcmp(study->figures[j].id, study->figures[k].id) == 0)
        return carom_fail_at(error, CAROM_ERR_INPUT, list->values[k]->place,
                             "two figures are called '%s'", study->figures[k].id);
    study->figure_count++;
  }
  return CAROM_OK;
}

int carom_study_figure_count(const carom_study *study) { return study->figure_count; }

const carom_study_figure *carom_study_figure_at(const carom_study *study, int k) {
  return k >= 0 && k < study->figure_count ? &study->figures[k] : NULL;
}

const char *carom_study_about(const carom_study *study) { return study->about; }
const char *carom_study_folder(const carom_study *study) { return study->folder; }
