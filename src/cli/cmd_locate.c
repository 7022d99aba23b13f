// SPDX-License-Identifier: MIT
/// carom locate: the value of a parameter at which the motion changes.
#include "carom/locate.h"
#include "commands.h"
#include "report.h"

#include <stdlib.h>
#include <string.h>

enum { LONGEST_NAME = 128 };

/// Texts of a request: options of carom_locate borrow them.
typedef struct request {
  char parameter[LONGEST_NAME], observable[LONGEST_NAME], solve[LONGEST_NAME];
  carom_locate_options options;
} request;

// "name=rest": copies the name and returns the rest, or NULL
static const char *split_at_equals(const char *text, char name[LONGEST_NAME]) {
  const char *equals = strchr(text, '=');
  if (!equals || equals == text || equals - text >= LONGEST_NAME) return NULL;
  memcpy(name, text, (size_t)(equals - text));
  name[equals - text] = '\0';
  return equals + 1;
}

static bool read_number(const char *text, const char **end, double *value) {
  char *after;
  *value = strtod(text, &after);
  *end = after;
  return after != text && isfinite(*value);
}

static bool read_over(const char *text, request *it, carom_error *error) {
  const char *at = text ? split_at_equals(text, it->parameter) : NULL;
  bool fits = at && read_number(at, &at, &it->options.from) && *at++ == ':' &&
              read_number(at, &at, &it->options.to) && *at == '\0';
  it->options.parameter = it->parameter;
  return fits || carom_refuse(error, "--over expects NAME=FROM:TO, such as --over mu=0.2:0.6");
}

static bool read_when(const char *text, request *it, carom_error *error) {
  const char *at;
  if (!text || strcmp(text, "word") == 0) {
    it->options.what = CAROM_LOCATE_WORD;
  } else if (strcmp(text, "regime") == 0) {
    it->options.what = CAROM_LOCATE_REGIME;
  } else if (strcmp(text, "hopf") == 0) {
    it->options.what = CAROM_LOCATE_HOPF;
  } else if ((at = split_at_equals(text, it->observable)) &&
             read_number(at, &at, &it->options.value) && *at == '\0') {
    it->options.what = CAROM_LOCATE_OBSERVABLE;
    it->options.observable = it->observable;
  } else {
    return carom_refuse(error, "--when expects word, regime, hopf or OBSERVABLE=VALUE, not '%s'",
                        text);
  }
  return true;
}

// up: the branch is followed from the smaller value, down: from the larger
static bool read_follow(const char *text, request *it, carom_error *error) {
  if (!text) return true;
  bool up = strcmp(text, "up") == 0;
  if (!up && strcmp(text, "down") != 0)
    return carom_refuse(error, "--follow expects up or down, not '%s'", text);
  double low = fmin(it->options.from, it->options.to),
         high = fmax(it->options.from, it->options.to);
  it->options.from = up ? low : high;
  it->options.to = up ? high : low;
  it->options.follow = true;
  return true;
}

static bool read_solve(const char *text, request *it, carom_error *error) {
  if (!text) return true;
  it->options.closure = split_at_equals(text, it->solve);
  it->options.solve = it->solve;
  return it->options.closure || carom_refuse(error, "--solve expects PARAMETER=OBSERVABLE");
}

static bool read_request(const carom_call *call, request *it, carom_error *error) {
  const char *tolerance = carom_call_value(call, "tolerance"), *end;
  it->options = carom_locate_options_default();
  it->options.mode = carom_call_value(call, "mode");
  if (tolerance && (!read_number(tolerance, &end, &it->options.tolerance) || *end != '\0' ||
                    it->options.tolerance <= 0.0))
    return carom_refuse(error, "--tolerance expects a positive number, not '%s'", tolerance);
  return read_over(carom_call_value(call, "over"), it, error) &&
         read_when(carom_call_value(call, "when"), it, error) &&
         read_follow(carom_call_value(call, "follow"), it, error) &&
         read_solve(carom_call_value(call, "solve"), it, error);
}

static bool seeks_text(const request *it) {
  return it->options.what == CAROM_LOCATE_WORD || it->options.what == CAROM_LOCATE_REGIME;
}

static void print_json(const carom_call *call, const request *it,
                       const carom_location_view *found) {
  carom_json json = carom_json_answer(call);
  carom_json_text(&json, "parameter", it->options.parameter);
  carom_json_number(&json, "value", found->value);
  for (int far = 0; far < 2; far++) {
    carom_json_object(&json, far ? "far" : "near");
    carom_json_number(&json, it->options.parameter, far ? found->far : found->near);
    if (seeks_text(it))
      carom_json_text(&json, it->options.what == CAROM_LOCATE_WORD ? "word" : "regime",
                      far ? found->far_text : found->near_text);
    else
      carom_json_number(&json, "difference", far ? found->far_value : found->near_value);
    carom_json_flag(&json, "passed", far ? found->far_passed : found->near_passed);
    carom_json_end(&json);
  }
  if (it->options.solve) carom_json_number(&json, it->options.solve, found->solved);
  carom_json_count(&json, "evaluations", found->evaluations);
  carom_json_end(&json);
}

static void print_side(const request *it, double x, const char *text, double value) {
  printf("  %s = %-18.15g ", it->options.parameter, x);
  if (seeks_text(it))
    printf("%s\n", text[0] ? text : "(no cycle)");
  else
    printf("%+.3g\n", value);
}

static void print_text(const request *it, const carom_location_view *found) {
  printf("%s%s = %.15g%s  (within %.2g, %d evaluations)\n",
         carom_style_text(stdout, CAROM_STYLE_BOLD), it->options.parameter, found->value,
         carom_style_text(stdout, CAROM_STYLE_PLAIN), fabs(found->far - found->near),
         found->evaluations);
  print_side(it, found->near, found->near_text, found->near_value);
  print_side(it, found->far, found->far_text, found->far_value);
  if (it->options.solve) printf("  %s = %.15g\n", it->options.solve, found->solved);
}

static int run_locate(const carom_call *call) {
  int exit_code = CAROM_EXIT_DONE;
  carom_error error = {0};
  request it = {{0}, {0}, {0}, {0}};
  if (!read_request(call, &it, &error))
    return carom_report(call, &error, NULL, CAROM_EXIT_WRONG_INPUT);
  carom_model *model = carom_load(call, &exit_code);
  if (!model) return exit_code;
  carom_simulation *simulation = NULL;
  carom_location *location = NULL;
  carom_status status = carom_simulation_create(model, &simulation, &error);
  if (status == CAROM_OK) status = carom_locate_run(simulation, &it.options, &location, &error);
  const carom_location_view *found = location ? carom_location_look(location) : NULL;
  if (status != CAROM_OK) {
    bool wrong_name = status == CAROM_ERR_ARGUMENT;
    exit_code =
        carom_report(call, &error, NULL, wrong_name ? CAROM_EXIT_WRONG_INPUT : CAROM_EXIT_FAILED);
  } else if (carom_call_has(call, "json")) {
    print_json(call, &it, found);
  } else {
    print_text(&it, found);
  }
  if (found && !(found->near_passed && found->far_passed)) {
    carom_warn("a run at the end of the interval did not pass its certificate: do not trust the "
               "last digits");
    exit_code = CAROM_EXIT_NOT_PASSED;
  }
  carom_location_destroy(location);
  carom_simulation_destroy(simulation);
  carom_model_destroy(model);
  return exit_code;
}

static const carom_option OPTIONS[] = {
    {"over", "NAME=FROM:TO", "", "", "the parameter and the values between which it is sought",
     NULL},
    {"when", "WHAT", "", "word",
     "word or regime: it changes; OBSERVABLE=VALUE: it passes the value; hopf: the complex "
     "eigenvalues of an equilibrium pass the imaginary axis",
     NULL},
    {"follow", "up|down", "", "every run starts afresh",
     "start each run at the end of the last one on the branch", NULL},
    {"solve", "NAME=OBSERVABLE", "", "none",
     "before each run find the parameter NAME that makes OBSERVABLE zero (a periodic motion)",
     NULL},
    {"mode", "WORD", "", "the first admissible", "contact mode of the equilibrium, such as +",
     NULL},
    {"tolerance", "WIDTH", "of the parameter", "1e-9", "width of the final interval", NULL},
    CAROM_OPTIONS_OF_A_SCENARIO,
};

const carom_command carom_command_locate = {
    .name = "locate",
    .arguments = "FILE",
    .summary = "Finds the value of a parameter at which the motion changes",
    .details =
        "Words and regimes are bisected, numbers found by interpolation between two ends. "
        "Near a\ncritical value motions settle slowly: choose run.until and measure.after long "
        "enough.\n",
    .examples = "  carom locate frictional_impact_oscillator.yaml --over mu=0.2:0.6 --when hopf\n"
                "  carom locate frictional_impact_oscillator.yaml --over mu=0.45:0.3 --when word "
                "--follow down\n"
                "  carom locate frictional_impact_oscillator.yaml --over mu=0.4:0.6 --when "
                "hop=0.02 --tolerance 1e-12\n",
    CAROM_TAKES(OPTIONS),
    .run = run_locate,
};
