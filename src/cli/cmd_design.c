// SPDX-License-Identifier: MIT
/// carom design: where to measure next.
#include "carom/design.h"
#include "commands.h"
#include "fit_picture.h"
#include "fit_words.h"
#include "report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TIMES = 100000 };

/// What the command was asked for.
typedef struct wishes {
  carom_design_options options;
  carom_fit_entries free, priors, errors;
  carom_value of[CAROM_FIT_ENTRIES];
  double *times;
} wishes;

// FROM:TO:COUNT, as far as it is three numbers
static bool split_times(const char *text, double numbers[3]) {
  for (int k = 0; k < 3; k++) {
    char *end;
    numbers[k] = strtod(text, &end);
    if (end == text || *end != (k < 2 ? ':' : '\0')) return false;
    text = end + 1;
  }
  return true;
}

static carom_status read_times(const carom_call *call, wishes *w, carom_error *error) {
  const char *text = carom_call_value(call, "times");
  double numbers[3] = {0.0, 0.0, 0.0};
  if (!text) return carom_wrong(error, "--times FROM:TO:COUNT is needed: when can be measured");
  bool split = split_times(text, numbers);
  double from = numbers[0], to = numbers[1], count = numbers[2];
  if (!split || !(from <= to) || !(count >= 1.0 && count <= MOST_TIMES) || count != floor(count) ||
      !isfinite(to - from))
    return carom_wrong(error, "--times %s: FROM:TO:COUNT is expected, with at most %d times", text,
                       MOST_TIMES);
  int n = (int)count;
  w->times = calloc((size_t)n, sizeof *w->times);
  if (!w->times) {
    *error = (carom_error){.status = CAROM_ERR_MEMORY};
    return CAROM_ERR_MEMORY;
  }
  for (int k = 0; k < n; k++)
    w->times[k] = n > 1 ? from + (to - from) * k / (n - 1) : from;
  w->options.times = w->times;
  w->options.time_count = n;
  return CAROM_OK;
}

static carom_status read_wishes(const carom_call *call, wishes *w, carom_error *error) {
  carom_design_options *o = &w->options;
  double picks = 5.0;
  carom_status status = carom_fit_entries_read(call, "free", true, &w->free, error);
  if (status == CAROM_OK) status = carom_fit_entries_read(call, "prior", true, &w->priors, error);
  if (status == CAROM_OK) status = carom_fit_entries_read(call, "error", false, &w->errors, error);
  if (status == CAROM_OK) status = carom_fit_number_read(call, "picks", 1.0, &picks, error);
  if (status == CAROM_OK && w->free.count == 0)
    status = carom_wrong(error, "--free NAME=LOW:HIGH,... is needed: what is to be known");
  if (status == CAROM_OK && w->errors.count == 0)
    status = carom_wrong(error, "--error NAME=ERROR,... is needed: what can be measured");
  if (status == CAROM_OK && picks > 1e4) status = carom_wrong(error, "--picks: at most 10000");
  if (status == CAROM_OK) status = read_times(call, w, error);
  if (status != CAROM_OK) return status;
  for (int k = 0; k < w->errors.count; k++)
    w->of[k] = (carom_value){w->errors.list[k].name, w->errors.list[k].low};
  o->free_count = w->free.count;
  o->free = w->free.list;
  o->prior_count = w->priors.count;
  o->priors = w->priors.list;
  o->of_count = w->errors.count;
  o->of = w->of;
  o->goal = carom_call_value(call, "know");
  o->picks = (int)picks;
  return CAROM_OK;
}

static void json_errors(carom_json *json, const char *name, const carom_design_options *o,
                        const double *errors) {
  carom_json_object(json, name);
  for (int j = 0; j < o->free_count; j++)
    carom_json_number(json, o->free[j].name, errors[j]);
  carom_json_end(json);
}

static void print_json(const carom_call *call, const carom_design_options *o,
                       const carom_design_view *v) {
  carom_json json = carom_json_answer(call);
  carom_json_text(&json, "title", carom_model_title(o->model));
  json_errors(&json, "before", o, v->before);
  carom_json_array(&json, "picks");
  for (int k = 0; k < v->pick_count; k++) {
    carom_json_object(&json, NULL);
    carom_json_text(&json, "of", o->of[v->picks[k].of].name);
    carom_json_number(&json, "t", o->times[v->picks[k].time]);
    json_errors(&json, "errors", o, v->picks[k].errors);
    carom_json_end(&json);
  }
  carom_json_end(&json);
  carom_json_array(&json, "gain");
  for (int t = 0; t < o->time_count; t++)
    for (int c = 0; c < o->of_count; c++) {
      carom_json_object(&json, NULL);
      carom_json_text(&json, "of", o->of[c].name);
      carom_json_number(&json, "t", o->times[t]);
      carom_json_number(&json, "left", v->gain[t * o->of_count + c]);
      carom_json_end(&json);
    }
  carom_json_end(&json);
  carom_json_end(&json);
}

static void print_text(const carom_design_options *o, const carom_design_view *v) {
  printf("%-16s %14s", "measure", "at t =");
  for (int j = 0; j < o->free_count; j++)
    printf("  error of %-10s", o->free[j].name);
  printf("\n%-31s", "nothing more");
  for (int j = 0; j < o->free_count; j++)
    printf("  %-19.4g", v->before[j]);
  for (int k = 0; k < v->pick_count; k++) {
    printf("\n%-16s %14.6g", o->of[v->picks[k].of].name, o->times[v->picks[k].time]);
    for (int j = 0; j < o->free_count; j++)
      printf("  %-19.4g", v->picks[k].errors[j]);
  }
  printf("\n");
}

static int hand_over(const carom_call *call, wishes *w) {
  carom_error error = {0};
  carom_design *design = NULL;
  carom_status status = read_wishes(call, w, &error);
  if (status != CAROM_OK) return carom_report(call, &error, NULL, CAROM_EXIT_WRONG_INPUT);
  status = carom_design_run(&w->options, &design, &error);
  if (status == CAROM_OK) {
    const carom_design_view *view = carom_design_look(design);
    if (carom_call_has(call, "json"))
      print_json(call, &w->options, view);
    else
      print_text(&w->options, view);
    status = carom_design_picture(carom_call_value(call, "picture"), &w->options, view, &error);
  }
  carom_design_destroy(design);
  if (status == CAROM_OK) return CAROM_EXIT_DONE;
  bool input = status == CAROM_ERR_INPUT || status == CAROM_ERR_ARGUMENT;
  return carom_report(call, &error, NULL, input ? CAROM_EXIT_WRONG_INPUT : CAROM_EXIT_FAILED);
}

static int run_design(const carom_call *call) {
  int exit_code = CAROM_EXIT_DONE;
  carom_model *model = carom_load(call, &exit_code);
  if (!model) return exit_code;
  wishes *w = calloc(1, sizeof *w);
  if (w) {
    w->options = carom_design_options_default();
    w->options.model = model;
    exit_code = hand_over(call, w);
    free(w->times);
  } else {
    const carom_error error = {.status = CAROM_ERR_MEMORY};
    exit_code = carom_report(call, &error, NULL, CAROM_EXIT_FAILED);
  }
  free(w);
  carom_model_destroy(model);
  return exit_code;
}

static const carom_option OPTIONS[] = {
    {"free", "NAME=LOW:HIGH,...", "as in the file", "",
     "needed: parameters and start values that are to be known, and between what they lie", NULL},
    {"error", "NAME=ERROR,...", "of the column", "",
     "needed: what can be measured, and its standard error", NULL},
    {"times", "FROM:TO:COUNT", "time", "", "needed: when it can be measured", NULL},
    {"know", "NAME", "", "all of them", "the input that is to be known best", NULL},
    {"prior", "NAME=VALUE:ERROR,...", "as in the file", "none",
     "what is known of inputs beforehand", NULL},
    {"picks", "N", "", "5", "how many measurements to choose, one after the other", NULL},
    {"picture", "FILE", "", "none",
     "draw what each measurement would leave of the error: NAME.svg, NAME.pdf, NAME.png", NULL},
    CAROM_OPTIONS_OF_A_SCENARIO,
};

const carom_command carom_command_design = {
    .name = "design",
    .arguments = "FILE",
    .summary = "Tells where to measure next, to know parameters best",
    .details =
        "Derivatives of what can be measured tell how much each measurement says about the inputs, "
        "at the\nscenario's values. Before anything is measured an input is as unsure as a number "
        "anywhere within its\nbounds. Measurements are chosen one after the other, each the one "
        "that leaves least of the error.\n",
    .examples = "  carom design belt_block.yaml --free mu=0:1,mu_s=0:1 --error x=0.01 --times "
                "0:20:201 --know mu_s\n"
                "  carom design bouncing_ball.yaml --free e=0.5:0.9,h=0.5:2 --error y=0.01 --times "
                "0:3:301\n",
    CAROM_TAKES(OPTIONS),
    .run = run_design,
};
