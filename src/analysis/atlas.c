// SPDX-License-Identifier: MIT
/// Atlases: branches along one parameter, and the curves in two that go through their special
/// points.
#include "analysis/curve.h"
#include "base/text.h"
#include "engine/engine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double SAME_CORNER = 0.005; // of the range of the second parameter
static const double SAME = 1e-6; // of both ranges: a start that lies on a curve there is already

const char *carom_corner_text(carom_corner corner) {
  static const char *const texts[CAROM_CORNER_KINDS] = {
      [CAROM_CORNER_NONE] = "",
      [CAROM_CORNER_START] = "start",
      [CAROM_CORNER_BOUND] = "bound",
      [CAROM_CORNER_END] = "end",
      [CAROM_CORNER_CUSP] = "cusp",
      [CAROM_CORNER_TAKENS] = "bogdanov-takens",
      [CAROM_CORNER_FOLD_HOPF] = "fold-hopf",
      [CAROM_CORNER_HOPF_HOPF] = "hopf-hopf",
      [CAROM_CORNER_ONE_ONE] = "1:1",
      [CAROM_CORNER_ONE_TWO] = "1:2",
      [CAROM_CORNER_ONE_THREE] = "1:3",
      [CAROM_CORNER_ONE_FOUR] = "1:4",
      [CAROM_CORNER_FOLD_FLIP] = "fold-flip",
      [CAROM_CORNER_FOLD_TORUS] = "fold-torus",
      [CAROM_CORNER_FLIP_TORUS] = "flip-torus",
      [CAROM_CORNER_TORUS_TORUS] = "torus-torus",
      [CAROM_CORNER_BAUTIN] = "bautin",
      [CAROM_CORNER_GENERAL_FLIP] = "generalised-flip",
      [CAROM_CORNER_CHENCINER] = "chenciner",
      [CAROM_CORNER_GRAZE_FOLD] = "graze-fold",
      [CAROM_CORNER_GRAZE_FLIP] = "graze-flip",
      [CAROM_CORNER_GRAZE_TORUS] = "graze-torus",
      [CAROM_CORNER_DOUBLE_GRAZE] = "double-graze",
      [CAROM_CORNER_WORD] = "word"};
  return corner >= 0 && corner < CAROM_CORNER_KINDS ? texts[corner] : "";
}

carom_atlas_options carom_atlas_options_default(void) {
  return (carom_atlas_options){.branch = carom_continuation_options_default(),
                               .most = 1000,
                               .size = sizeof(carom_atlas_options)};
}

void carom_atlas_destroy(carom_atlas *atlas) {
  if (!atlas) return;
  for (long k = 0; k < atlas->count; k++)
    free((void *)atlas->points[k].word);
  free(atlas->points);
  carom_continuation_destroy(atlas->branches);
  free(atlas);
}

const carom_continuation *carom_atlas_branches(const carom_atlas *atlas) { return atlas->branches; }
double carom_atlas_began(const carom_atlas *atlas) { return atlas->began; }
long carom_atlas_points(const carom_atlas *atlas) { return atlas->count; }
long carom_atlas_turns(const carom_atlas *atlas) { return atlas->turns; }
const carom_atlas_point *carom_atlas_point_at(const carom_atlas *atlas, long k) {
  return k >= 0 && k < atlas->count ? &atlas->points[k] : NULL;
}

carom_status carom_atlas_record(carom_atlas *atlas, const carom_atlas_point *point,
                                const char *word, const char *why, carom_error *error) {
  void *points = atlas->points;
  bool grown = carom_grow(&points, atlas->count, &atlas->room, sizeof *atlas->points);
  atlas->points = points;
  size_t letters = strlen(word) + 1;
  char *texts = grown ? malloc(letters + strlen(why) + 1) : NULL;
  if (!texts) return carom_fail_memory(error);
  memcpy(texts, word, letters);
  memcpy(texts + letters, why, strlen(why) + 1);
  atlas->points[atlas->count] = *point;
  atlas->points[atlas->count].word = texts;
  atlas->points[atlas->count++].why = texts + letters;
  return CAROM_OK;
}

void carom_atlas_reverse(carom_atlas *atlas, long first) {
  for (long a = first, b = atlas->count - 1; a < b; a++, b--) {
    carom_atlas_point kept = atlas->points[a];
    atlas->points[a] = atlas->points[b];
    atlas->points[b] = kept;
  }
}

static carom_status check_options(const carom_atlas_options *o, carom_error *error) {
  carom_status status = carom_check_options(o->size, sizeof *o, "carom_atlas_options", error);
  if (status != CAROM_OK) return status;
  if (!o->also) return carom_fail(error, CAROM_ERR_ARGUMENT, "an atlas needs a second parameter");
  if (o->branch.parameter && strcmp(o->also, o->branch.parameter) == 0)
    return carom_fail(error, CAROM_ERR_INPUT, "both parameters of the atlas are '%s'", o->also);
  if (!(o->low < o->high) || !isfinite(o->low) || !isfinite(o->high))
    return carom_fail(error, CAROM_ERR_INPUT, "an atlas needs a range of its second parameter");
  return CAROM_OK;
}

// the value that the second parameter has to begin with
static carom_status find_also(const carom_atlas_options *o, double *also, carom_error *error) {
  carom_simulation *simulation = NULL;
  carom_status status = carom_simulation_create(o->branch.model, &simulation, error);
  if (status == CAROM_OK)
    status = carom_simulation_set_all(simulation, o->branch.value_count, o->branch.values, error);
  if (status == CAROM_OK) status = carom_simulation_get(simulation, o->also, also, error);
  carom_simulation_destroy(simulation);
  if (status != CAROM_OK) return status;
  if (*also >= o->low && *also <= o->high) return CAROM_OK;
  return carom_fail(error, CAROM_ERR_INPUT,
                    "the range of %s, %g to %g, does not hold the value %g of the scenario, where "
                    "the atlas begins",
                    o->also, o->low, o->high, *also);
}

// Does a curve of that kind go through this place? Of two folds that meet in a cusp one was enough.
static bool is_known(const carom_atlas *atlas, const carom_atlas_options *o,
                     const carom_curve_start *start, double also) {
  double range = fabs(o->branch.to - o->branch.from);
  for (long k = 0; k + 1 < atlas->count; k++) {
    const carom_atlas_point *a = &atlas->points[k], *b = a + 1;
    if (a->curve != b->curve || a->kind != start->label) continue;
    double part = (also - a->also) / (b->also - a->also);
    if (!(part >= 0.0 && part <= 1.0)) continue;
    double bend = fabs(b->value - a->value); // chords lie beside the curve
    if (fabs(a->value + part * (b->value - a->value) - start->at.at.p) <
            SAME * range + 0.1 * bend &&
        strcmp(a->word, start->at.map.derived.word) == 0)
      return true;
  }
  return false;
}

// the curves that go through special points of branches along one parameter
static carom_status follow_specials(const carom_atlas_options *o, const carom_continuation *from,
                                    double also, int *number, carom_atlas *made,
                                    carom_error *error) {
  carom_status status = CAROM_OK;
  for (long k = 0; status == CAROM_OK && k < from->specials; k++) {
    const carom_curve_start *start = from->special[k];
    if (is_known(made, o, start, also)) continue;
    long before = made->count;
    status = carom_curve_follow(o, start, also, *number, made, error);
    *number += made->count > before;
  }
  return status;
}

static carom_continuation_options branches_for(const carom_atlas_options *o) {
  carom_continuation_options branch = o->branch;
  branch.for_atlas = true;
  branch.journal = NULL;
  branch.resume = false;
  return branch;
}

// branches where the second parameter is `also`, with what branches off, and their curves
static carom_status look_at(const carom_atlas_options *o, double also, int *number,
                            carom_atlas *made, carom_error *error) {
  carom_continuation_options branch = branches_for(o);
  carom_continuation *found = NULL;
  size_t given = (size_t)branch.value_count;
  carom_value *values = calloc(given + 1, sizeof *values);
  if (!values) return carom_fail_memory(error);
  if (given > 0) memcpy(values, branch.values, given * sizeof *values);
  values[given] = (carom_value){o->also, also};
  branch.values = values;
  branch.value_count++;
  if (branch.switches < 1) branch.switches = 1;
  carom_status status = carom_continuation_run(&branch, &found, error);
  free(values);
  if (status == CAROM_ERR_MEMORY) return status;
  if (status < 0) return CAROM_OK; // no motion there to begin with
  made->turns += carom_continuation_turns(found);
  if (status == CAROM_OK) status = follow_specials(o, found, also, number, made, error);
  carom_continuation_destroy(found);
  return status;
}

static bool begins_curves(carom_corner corner) {
  return corner >= CAROM_CORNER_TAKENS && corner < CAROM_CORNER_WORD;
}

// on one side of such a point, farther away where nothing new begins nearby
static carom_status look_aside(const carom_atlas_options *o, double also, double side, int *number,
                               carom_atlas *made, carom_error *error) {
  static const double asides[] = {0.02, 0.05, 0.1}; // of the range (tuned on normal forms)
  carom_status status = CAROM_OK;
  int before = *number;
  for (size_t k = 0; k < sizeof asides / sizeof *asides; k++) {
    double at = also + side * asides[k] * (o->high - o->low);
    if (status != CAROM_OK || *number > before || at < o->low || at > o->high) break;
    status = look_at(o, at, number, made, error);
  }
  return status;
}

// two curves that meet both tell of the point
static bool was_looked_at(const carom_atlas *made, const carom_atlas_options *o, long k) {
  for (long i = 0; i < k; i++)
    if (begins_curves(made->points[i].corner) &&
        fabs(made->points[i].also - made->points[k].also) < SAME_CORNER * (o->high - o->low))
      return true;
  return false;
}

// on both sides of the points at which two things happen at once
static carom_status look_beside_corners(const carom_atlas_options *o, int *number,
                                        carom_atlas *made, carom_error *error) {
  carom_status status = CAROM_OK;
  long count = made->count;
  for (long k = 0; k < count && status == CAROM_OK; k++) {
    double also = made->points[k].also;
    if (!begins_curves(made->points[k].corner) || was_looked_at(made, o, k)) continue;
    status = look_aside(o, also, -1.0, number, made, error);
    if (status == CAROM_OK) status = look_aside(o, also, 1.0, number, made, error);
  }
  return status;
}

carom_status carom_atlas_run(const carom_atlas_options *options, carom_atlas **result,
                             carom_error *error) {
  double also;
  *result = NULL;
  carom_status status = check_options(options, error);
  if (status == CAROM_OK) status = find_also(options, &also, error);
  if (status != CAROM_OK) return status;
  carom_atlas *made = calloc(1, sizeof *made);
  if (!made) return carom_fail_memory(error);
  made->began = also;
  carom_continuation_options branch = branches_for(options);
  int number = 0;
  status = carom_continuation_run(&branch, &made->branches, error);
  if (status == CAROM_OK)
    status = follow_specials(options, made->branches, also, &number, made, error);
  if (status == CAROM_OK && options->from_corners)
    status = look_beside_corners(options, &number, made, error);
  if (status < 0) {
    carom_atlas_destroy(made);
    return status;
  }
  *result = made;
  return status;
}
