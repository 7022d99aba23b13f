// SPDX-License-Identifier: MIT
/// carom lyapunov: how fast neighbouring motions part.
#include "carom/lyapunov.h"
#include "commands.h"
#include "many_runs.h"

static bool stopped(void *ctx) {
  (void)ctx;
  return carom_interrupted();
}

static void show_progress(void *ctx, long done, long total, double left) {
  carom_progress_points(ctx, done, total, left);
}

static void print_json(const carom_call *call, const carom_model *model,
                       const carom_lyapunov *result, bool interrupted) {
  carom_json json = {.out = stdout};
  carom_json_object(&json, NULL);
  carom_json_text(&json, "command", call->command->name);
  carom_json_text(&json, "file", carom_call_file(call));
  carom_json_text(&json, "title", carom_model_title(model));
  carom_json_array(&json, "exponents");
  for (int k = 0; k < result->count; k++) {
    carom_json_object(&json, NULL);
    carom_json_number(&json, "value", result->exponents[k]);
    carom_json_number(&json, "error", result->errors[k]);
    carom_json_end(&json);
  }
  carom_json_end(&json);
  carom_json_count(&json, "extinguished", result->extinguished);
  carom_json_number(&json, "sum", result->sum);
  carom_json_number(&json, "dimension", result->dimension);
  carom_json_number(&json, "time", result->time);
  carom_json_count(&json, "piecewise", result->notes.piecewise);
  carom_json_count(&json, "grazes", result->notes.grazes);
  carom_json_flag(&json, "interrupted", interrupted);
  carom_json_end(&json);
}

static void print_text(const carom_lyapunov *result) {
  printf("%sLyapunov exponents%s over %.6g units of time\n",
         carom_style_text(stdout, CAROM_STYLE_BOLD), carom_style_text(stdout, CAROM_STYLE_PLAIN),
         result->time);
  for (int k = 0; k < result->count; k++)
    printf("  %+14.8g  +- %.2g\n", result->exponents[k], result->errors[k]);
  for (int k = 0; k < result->extinguished; k++)
    printf("            -inf  (stick or plastic impacts)\n");
  printf("  sum %.8g", result->sum);
  if (isfinite(result->dimension)) printf(", dimension %.6g", result->dimension);
  printf("\n");
}

static void warn_about(const carom_lyapunov *result) {
  if (result->notes.piecewise > 0)
    carom_warn("several things happened at one instant: there the derivative holds on one side "
               "only");
  if (result->notes.grazes > 0)
    carom_warn("the motion grazed: there it has no derivative, and the exponents leave that out");
}

static bool read_options(const carom_call *call, carom_lyapunov_options *options,
                         carom_error *error) {
  return carom_call_positive(call, "transient", -1.0, &options->transient, error) &&
         carom_call_positive(call, "time", 0.0, &options->time, error) &&
         carom_call_positive(call, "interval", 0.0, &options->interval, error);
}

static int lyapunov(const carom_call *call) {
  int exit_code = CAROM_EXIT_DONE;
  carom_error error = {0};
  carom_lyapunov_options options = carom_lyapunov_options_default();
  if (!read_options(call, &options, &error))
    return carom_report(call, &error, NULL, CAROM_EXIT_WRONG_INPUT);
  carom_model *model = carom_load(call, &exit_code);
  if (!model) return exit_code;
  carom_progress progress = carom_progress_begin(!carom_call_has(call, "quiet"), 0.0, 1.0);
  options.model = model;
  options.watcher =
      (carom_watcher){.ctx = &progress, .stopped = stopped, .progress = show_progress};
  carom_interrupt_catch();
  carom_lyapunov result;
  carom_status status = carom_lyapunov_run(&options, &result, &error);
  carom_progress_end(&progress);
  bool interrupted = status == CAROM_STOP_USER;
  if (status < 0) {
    exit_code = carom_report(call, &error, NULL, CAROM_EXIT_FAILED);
  } else {
    if (carom_call_has(call, "json"))
      print_json(call, model, &result, interrupted);
    else if (!carom_call_has(call, "quiet"))
      print_text(&result);
    warn_about(&result);
    if (interrupted) exit_code = CAROM_EXIT_FAILED;
  }
  carom_model_destroy(model);
  return exit_code;
}

static const carom_option OPTIONS[] = {
    {"transient", "TIME", "of the scenario", "a tenth of the run", "thrown away first", NULL},
    {"time", "TIME", "of the scenario", "the rest of the run", "averaged over", NULL},
    {"interval", "TIME", "of the scenario", "a four-thousandth of --time",
     "between two orthonormalisations", NULL},
    CAROM_OPTION_SET,
    CAROM_OPTION_QUIET,
    CAROM_OPTION_JSON,
};

const carom_command carom_command_lyapunov = {
    .name = "lyapunov",
    .arguments = "FILE",
    .least = 1,
    .most = 1,
    .summary = "Finds Lyapunov exponents: how fast neighbouring motions part",
    .details =
        "Neighbouring motions are followed through phases by variational equations and through "
        "impacts and\nchanges of stick and slip by saltation matrices. Directions that stick or "
        "plastic impacts\nextinguish have exponent -inf. The error is the standard error of the "
        "means of 20 stretches.\n",
    .examples = "  carom lyapunov lorenz.yaml\n"
                "  carom lyapunov ball_on_table.yaml --set Gamma=1.6 --time 400 --json\n",
    .options = OPTIONS,
    .option_count = CAROM_COUNT(OPTIONS),
    .run = lyapunov,
};
