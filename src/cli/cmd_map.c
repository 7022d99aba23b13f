// SPDX-License-Identifier: MIT
/// carom map: which motion at which pair of parameters.
#include "base/text.h"
#include "commands.h"
#include "many_runs.h"

#include <stdlib.h>
#include <string.h>

static const char NAMELESS[] = "(no cycle)";
enum { MOST_NAMES = 4096, LONGEST_NAME = 1024 };

// ---- names of regions ----

typedef struct regions {
  char **names;
  long *counts;
  int count;
} regions;

static void regions_free(regions *it) {
  for (int k = 0; k < it->count; k++)
    free(it->names[k]);
  free(it->names);
  free(it->counts);
}

// the number of a name; a new one where it is not known; -1: out of memory
static int region_of(regions *it, const char *name) {
  for (int k = 0; k < it->count; k++)
    if (strcmp(it->names[k], name) == 0) return k;
  if (it->count == MOST_NAMES) return MOST_NAMES - 1;
  if (!it->names) it->names = calloc(MOST_NAMES, sizeof *it->names);
  if (!it->counts) it->counts = calloc(MOST_NAMES, sizeof *it->counts);
  char *copy = carom_text_copy(name);
  if (!it->names || !it->counts || !copy) {
    free(copy);
    return -1;
  }
  it->names[it->count] = copy;
  return it->count++;
}

// Bounces that pile up are one motion, however many there are: more than two "F I" in a row are
// written (F I)... ; room must be that of the word and a little more.
static void shorten_word(const char *word, char *text, size_t room) {
  const char bounce[] = "F I";
  size_t length = sizeof bounce - 1, at = 0;
  while (*word && at + 16 < room) {
    int count = 0;
    const char *next = word;
    while (strncmp(next, bounce, length) == 0 && (next[length] == ' ' || next[length] == '\0')) {
      count++;
      next += length + (next[length] == ' ');
    }
    if (count > 2) {
      at += (size_t)snprintf(text + at, room - at, "(F I)...%s", *next ? " " : "");
      word = next;
    } else {
      // a letter and the space behind it
      do
        text[at++] = *word++;
      while (*word && word[-1] != ' ' && at + 16 < room);
    }
  }
  text[at] = '\0';
}

// the regime, else the word, else that there is none
static const char *name_of(const carom_sweep_row *row, char *text, size_t room) {
  if (row->status < 0) return "(failed)";
  if (row->regime[0]) return row->regime;
  if (!row->word[0]) return NAMELESS;
  shorten_word(row->word, text, room);
  return text;
}

// ---- map ----

static carom_status name_points(carom_sweep *sweep, regions *it, int *kind, carom_error *error) {
  for (long k = 0; k < carom_sweep_count(sweep); k++) {
    carom_sweep_row row;
    carom_status status = carom_sweep_read(sweep, k, &row, error);
    if (status != CAROM_OK) return status;
    kind[k] = -1;
    if (!row.present) continue;
    char text[LONGEST_NAME];
    kind[k] = region_of(it, name_of(&row, text, sizeof text));
    if (kind[k] < 0) return CAROM_ERR_MEMORY;
    it->counts[kind[k]]++;
  }
  return CAROM_OK;
}

static void print_regions(const carom_call *call, const regions *it, carom_sweep *sweep,
                          const carom_sweep_summary *summary) {
  if (carom_call_has(call, "json")) {
    carom_json json = carom_json_answer(call);
    carom_json_array(&json, "regions");
    for (int k = 0; k < it->count; k++) {
      carom_json_object(&json, NULL);
      carom_json_text(&json, "name", it->names[k]);
      carom_json_count(&json, "points", it->counts[k]);
      carom_json_end(&json);
    }
    carom_json_end(&json);
    carom_sweep_json(&json, sweep, summary);
    carom_json_end(&json);
  } else if (!carom_call_has(call, "quiet")) {
    for (int k = 0; k < it->count; k++) {
      printf("%8ld  ", it->counts[k]);
      carom_print_safely(stdout, it->names[k]);
      printf("\n");
    }
  }
}

static int hand_over_map(const carom_many_runs *it, void *result, carom_status ended,
                         carom_error *error) {
  (void)ended;
  carom_sweep *sweep = result;
  const carom_call *call = it->call;
  regions names = {0};
  carom_sweep_summary summary = {0};
  int *kind = calloc((size_t)carom_sweep_count(sweep) + 1, sizeof *kind);
  carom_status status = kind ? carom_sweep_write(call, sweep, "map", error) : CAROM_ERR_MEMORY;
  if (status == CAROM_OK) status = name_points(sweep, &names, kind, error);
  if (status == CAROM_OK) status = carom_sweep_summarize(sweep, &summary, error);
  if (status == CAROM_OK) print_regions(call, &names, sweep, &summary);
  if (status == CAROM_OK && names.count == 1 && strcmp(names.names[0], NAMELESS) == 0)
    carom_warn("no point has a regime or a word: name motions under 'regimes', or draw an "
               "observable with carom sweep over the same two");
  regions_free(&names);
  free(kind);
  if (status != CAROM_OK) return carom_report(call, error, NULL, CAROM_EXIT_FAILED);
  carom_card_tell(call, carom_sweep_card(sweep), carom_sweep_done(sweep));
  return carom_sweep_exit(&summary);
}

static carom_status compute_map(carom_many_runs *it, void **result, carom_error *error) {
  carom_sweep_options options = carom_many_runs_sweep(it);
  carom_sweep *sweep = NULL;
  carom_status status = carom_sweep_run(&options, &sweep, error);
  *result = sweep;
  return status;
}

static void release_map(void *result) { carom_sweep_destroy(result); }

static int run_map(const carom_call *call) {
  static const carom_many_work WORK = {.least_axes = 2,
                                       .most_axes = 2,
                                       .compute = compute_map,
                                       .hand_over = hand_over_map,
                                       .release = release_map};
  return carom_many_runs_do(call, &WORK);
}

static const carom_option MAP_OPTIONS[] = {
    CAROM_OPTION_OVER,
    {"observe", "NAME,NAME...", "", "all observables of the scenario",
     "what to write down of each run besides", NULL},
    CAROM_OPTION_GPU,
    CAROM_OPTIONS_OF_MANY_RUNS,
};

const carom_command carom_command_map = {
    .name = "map",
    .arguments = "FILE",
    .summary = "Charts the motions over two parameters",
    .details = "Each point is named by its regime, or by its word where the scenario names none.\n",
    .examples = "  carom map wiper.yaml --over mu=0.2:0.7:51 --over e=0:0.5:26 --picture map.png\n",
    CAROM_TAKES(MAP_OPTIONS),
    .run = run_map,
};
