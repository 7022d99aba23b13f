// SPDX-License-Identifier: MIT
/// carom fit: parameters and start values from measured motions.
#include "carom/fit.h"
#include "commands.h"
#include "fit_picture.h"
#include "fit_words.h"
#include "many_runs.h"
#include "report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// What the command was asked for.
typedef struct wishes {
  carom_fit_options options;
  const char *files[CAROM_FIT_ENTRIES];
  carom_fit_entries free, each, priors, errors;
  carom_value error_values[CAROM_FIT_ENTRIES];
} wishes;

static carom_status read_lists(const carom_call *call, wishes *w, carom_error *error) {
  carom_status status = carom_fit_entries_read(call, "free", true, &w->free, error);
  if (status == CAROM_OK) status = carom_fit_entries_read(call, "each", true, &w->each, error);
  if (status == CAROM_OK) status = carom_fit_entries_read(call, "prior", true, &w->priors, error);
  if (status == CAROM_OK) status = carom_fit_entries_read(call, "error", false, &w->errors, error);
  for (int k = 0; k < w->errors.count && status == CAROM_OK; k++)
    w->error_values[k] = (carom_value){w->errors.list[k].name, w->errors.list[k].low};
  return status;
}

static carom_status read_numbers(const carom_call *call, carom_fit_options *o, carom_error *error) {
  double starts = 1.0, seed = 1.0, sweep = 0.0, samples = 0.0, walkers = 0.0, threads = 0.0;
  double parts = 0.0;
  carom_status status = carom_fit_number_read(call, "huber", 0.0, &o->huber, error);
  if (status == CAROM_OK) status = carom_fit_number_read(call, "starts", 1.0, &starts, error);
  if (status == CAROM_OK) status = carom_fit_number_read(call, "seed", 0.0, &seed, error);
  if (status == CAROM_OK) status = carom_fit_number_read(call, "sweep", 0.0, &sweep, error);
  if (status == CAROM_OK) status = carom_fit_number_read(call, "parts", 0.0, &parts, error);
  if (status == CAROM_OK) status = carom_fit_number_read(call, "samples", 0.0, &samples, error);
  if (status == CAROM_OK) status = carom_fit_number_read(call, "walkers", 0.0, &walkers, error);
  if (status == CAROM_OK) status = carom_fit_number_read(call, "threads", 1.0, &threads, error);
  if (status == CAROM_OK && parts > 30.0)
    return carom_wrong(error, "--parts halves the data at most 30 times");
  if (status == CAROM_OK && (samples > 1e6 || walkers > 1e4 || threads > 1024.0))
    return carom_wrong(error, "at most 1000000 samples, 10000 walkers and 1024 threads");
  o->starts = (int)starts;
  o->seed = (unsigned long)seed;
  o->sweep = (int)sweep;
  o->parts = (int)parts;
  o->samples = (int)samples;
  o->walkers = (int)walkers;
  o->threads = (int)threads;
  o->profiles = carom_call_has(call, "profile");
  return status;
}

static carom_status read_wishes(const carom_call *call, wishes *w, carom_error *error) {
  carom_fit_options *o = &w->options;
  for (int k = 0; k < call->given_count; k++)
    if (strcmp(call->given[k].option->name, "data") == 0 && o->file_count < CAROM_FIT_ENTRIES)
      w->files[o->file_count++] = call->given[k].value;
  carom_status status = read_lists(call, w, error);
  if (status == CAROM_OK) status = read_numbers(call, o, error);
  if (status != CAROM_OK) return status;
  if (o->file_count == 0) return carom_wrong(error, "--data FILE is needed: what was measured");
  if (w->free.count + w->each.count == 0)
    return carom_wrong(
        error, "--free NAME=LOW:HIGH,... is needed: what is sought, and between which values");
  bool drawn = carom_call_value(call, "trace") || carom_call_value(call, "corner");
  if (drawn && o->samples == 0)
    return carom_wrong(error, "--trace and --corner draw samples: --samples N is needed");
  o->free_count = w->free.count;
  o->each_count = w->each.count;
  o->prior_count = w->priors.count;
  o->error_count = w->errors.count;
  o->files = w->files;
  o->free = w->free.list;
  o->each = w->each.list;
  o->priors = w->priors.list;
  o->errors = w->error_values;
  return CAROM_OK;
}

static void json_unknown(carom_json *json, const carom_fit_view *v) {
  carom_json_array(json, "unknown");
  for (int k = 0; k < v->unknown_count; k++) {
    carom_json_object(json, NULL);
    for (int j = 0; j < v->free_count; j++)
      carom_json_number(json, v->names[j], v->unknown[k * v->free_count + j]);
    carom_json_end(json);
  }
  carom_json_end(json);
}

// of one input: limits from its profile, what the samples say
static void json_limits(carom_json *json, const carom_fit_view *v, int j) {
  if (v->profile_low) {
    carom_json_array(json, "profile");
    carom_json_number(json, NULL, v->profile_low[j]);
    carom_json_number(json, NULL, v->profile_high[j]);
    carom_json_end(json);
  }
  if (v->chain.samples == 0) return;
  carom_json_object(json, "samples");
  carom_json_number(json, "mean", v->chain.mean[j]);
  carom_json_number(json, "deviation", v->chain.deviation[j]);
  carom_json_number(json, "low", v->chain.low[j]);
  carom_json_number(json, "high", v->chain.high[j]);
  carom_json_number(json, "autocorrelation_time", v->chain.time[j]);
  carom_json_end(json);
}

static void print_json(const carom_call *call, const wishes *w, const carom_fit_view *v) {
  carom_json json = carom_json_answer(call);
  carom_json_text(&json, "title", carom_model_title(w->options.model));
  carom_json_array(&json, "inputs");
  for (int j = 0; j < v->free_count; j++) {
    carom_json_object(&json, NULL);
    carom_json_text(&json, "name", v->names[j]);
    carom_json_number(&json, "value", v->values[j]);
    carom_json_number(&json, "error", v->errors[j]);
    carom_json_array(&json, "covariance");
    for (int i = 0; i < v->free_count; i++)
      carom_json_number(&json, NULL, v->covariance[j * v->free_count + i]);
    carom_json_end(&json);
    json_limits(&json, v, j);
    carom_json_end(&json);
  }
  carom_json_end(&json);
  json_unknown(&json, v);
  carom_json_number(&json, "cost", v->cost);
  carom_json_number(&json, "misfit", v->misfit);
  carom_json_flag(&json, "poor", v->poor);
  carom_json_flag(&json, "errors_estimated", v->scaled);
  if (v->chain.samples > 0) carom_json_number(&json, "accepted", v->chain.accepted);
  carom_json_count(&json, "starts_converged", v->converged);
  carom_json_count(&json, "starts_best", v->best);
  carom_json_count(&json, "iterations", v->iterations);
  carom_json_array(&json, "data");
  for (long k = 0; k < v->data_count; k++) {
    carom_json_object(&json, NULL);
    carom_json_text(&json, "of", v->column[k]);
    carom_json_count(&json, "file", v->file[k] + 1);
    carom_json_number(&json, "t", v->times[k]);
    carom_json_number(&json, "measured", v->measured[k]);
    carom_json_number(&json, "fitted", v->fitted[k]);
    carom_json_number(&json, "residual", v->residuals[k]);
    carom_json_end(&json);
  }
  carom_json_end(&json);
  carom_json_end(&json);
}

static void print_text(const wishes *w, const carom_fit_view *v) {
  for (int j = 0; j < v->free_count; j++) {
    printf("%-16s %20.12g", v->names[j], v->values[j]);
    if (isfinite(v->errors[j]))
      printf("  +- %.3g", v->errors[j]);
    else
      printf("  the data cannot tell");
    if (v->profile_low) printf("  profile %.6g to %.6g", v->profile_low[j], v->profile_high[j]);
    if (v->chain.samples > 0)
      printf("  samples %.6g +- %.3g, %.6g to %.6g", v->chain.mean[j], v->chain.deviation[j],
             v->chain.low[j], v->chain.high[j]);
    printf("\n");
  }
  for (int k = 0; k < v->unknown_count; k++) {
    printf("unknown: nothing that was measured changes when, relative to their sizes,");
    for (int j = 0; j < v->free_count; j++)
      if (fabs(v->unknown[k * v->free_count + j]) > 1e-6)
        printf(" %s moves by %+.4f", v->names[j], v->unknown[k * v->free_count + j]);
    printf("\n");
  }
  printf("%ld data, sum of squares %.9g%s, %d of %d starts came to an end, %d of them here\n",
         v->data_count, 2.0 * v->cost, v->scaled ? " (errors estimated from it)" : "", v->converged,
         w->options.starts, v->best);
  double longest = 0.0;
  for (int j = 0; j < v->free_count && v->chain.samples > 0; j++)
    longest = fmax(longest, v->chain.time[j]);
  if (v->chain.samples > 0)
    printf("%d samples of %d walkers, %.0f %% of the moves accepted, autocorrelation time %.3g\n",
           v->chain.samples, v->chain.walkers, 100.0 * v->chain.accepted, longest);
  if (longest * 50.0 > v->chain.samples && v->chain.samples > 0)
    carom_warn("the samples are fewer than 50 autocorrelation times: take more of them");
}

static void warn_of_misfit(const carom_fit_view *v) {
  char text[400];
  (void)snprintf(text, sizeof text,
                 "what is left is %.3g times the errors that were given: the motion does not "
                 "follow the data, and errors of inputs say nothing; other starts (--starts, "
                 "--sweep), other free inputs or --huber may help, or errors are larger than given",
                 v->misfit);
  if (v->poor) carom_warn(text);
}

static int hand_over(const carom_call *call, wishes *w) {
  carom_error error = {0};
  carom_fit *fit = NULL;
  carom_status status = read_wishes(call, w, &error);
  if (status != CAROM_OK) return carom_report(call, &error, NULL, CAROM_EXIT_WRONG_INPUT);
  status = carom_fit_run(&w->options, &fit, &error);
  if (status != CAROM_OK) {
    bool input = status == CAROM_ERR_INPUT || status == CAROM_ERR_ARGUMENT;
    return carom_report(call, &error, NULL, input ? CAROM_EXIT_WRONG_INPUT : CAROM_EXIT_FAILED);
  }
  const carom_fit_view *view = carom_fit_look(fit);
  if (carom_call_has(call, "json"))
    print_json(call, w, view);
  else
    print_text(w, view);
  warn_of_misfit(view);
  status = carom_fit_picture(carom_call_value(call, "picture"), view, &error);
  if (status == CAROM_OK) status = carom_fit_trace(carom_call_value(call, "trace"), view, &error);
  if (status == CAROM_OK) status = carom_fit_corner(carom_call_value(call, "corner"), view, &error);
  carom_fit_destroy(fit);
  if (status != CAROM_OK)
    return carom_report(call, &error, NULL,
                        status == CAROM_ERR_INPUT ? CAROM_EXIT_WRONG_INPUT : CAROM_EXIT_FAILED);
  return CAROM_EXIT_DONE;
}

static int run_fit(const carom_call *call) {
  int exit_code = CAROM_EXIT_DONE;
  carom_model *model = carom_load(call, &exit_code);
  if (!model) return exit_code;
  wishes *w = calloc(1, sizeof *w);
  if (w) {
    w->options = carom_fit_options_default();
    w->options.model = model;
    exit_code = hand_over(call, w);
  } else {
    const carom_error error = {.status = CAROM_ERR_MEMORY};
    exit_code = carom_report(call, &error, NULL, CAROM_EXIT_FAILED);
  }
  free(w);
  carom_model_destroy(model);
  return exit_code;
}

static const carom_option OPTIONS[] = {
    {"data", "FILE", "", "", "needed: what was measured, as CSV; may be given repeatedly", NULL},
    {"free", "NAME=LOW:HIGH,...", "as in the file", "",
     "needed: parameters, start values and numbers that --set takes, with bounds", NULL},
    {"error", "NAME=ERROR,...", "of the column", "estimated from what is left",
     "standard errors of columns", NULL},
    {"prior", "NAME=VALUE:ERROR,...", "as in the file", "none",
     "what is known of free inputs beforehand", NULL},
    {"huber", "K", "standard errors", "no outliers", "residuals beyond K count linearly", NULL},
    {"starts", "N", "", "1", "start from the scenario's values and N - 1 random places", NULL},
    {"sweep", "N", "", "none", "look at N random places first and start from the best of them",
     NULL},
    {"parts", "N", "", "where it does not fit else",
     "fit the first 1/2^N of the data first, then parts twice as long", NULL},
    {"each", "NAME=LOW:HIGH,...", "as in the file", "none",
     "inputs of which every data file has its own; t: how late its clock is", NULL},
    {"profile", NULL, "", "", "also intervals of 95 % from profiles of the likelihood", NULL},
    {"samples", "N", "", "none", "also N samples of the posterior by every walker", NULL},
    {"walkers", "N", "", "four for each input", "of the sampler; even", NULL},
    CAROM_OPTION_THREADS,
    {"seed", "K", "", "1", "of random places and samples", NULL},
    {"picture", "FILE", "", "none", "draw data, fit and residuals: NAME.svg, NAME.pdf, NAME.png",
     NULL},
    {"trace", "FILE", "", "none", "draw the samples as they came", NULL},
    {"corner", "FILE", "", "none", "draw the samples of each input, and of each pair of inputs",
     NULL},
    CAROM_OPTIONS_OF_A_SCENARIO,
};

const carom_command carom_command_fit = {
    .name = "fit",
    .arguments = "FILE",
    .summary = "Finds parameters and start values from measured motions",
    .details =
        "Least squares on exact derivatives, through impacts, stick and slip. A data file is CSV "
        "with names in\nits first line: a column t and columns of coordinates, rates, states or "
        "definitions; or one column\nnamed after a contact, rule or section, with the times at "
        "which it struck, fired or was passed. Lines\nthat begin with # are passed over; '# set "
        "NAME=VALUE' says what the motion of this file has. Told are\nvalues, standard errors and "
        "what the data cannot tell.\n",
    .examples =
        "  carom fit bouncing_ball.yaml --data clicks.csv --free e=0.3:0.99,h=0.1:3\n"
        "  carom fit bouncing_ball.yaml --data clicks.csv --free e=0.3:0.99,h=0.1:3,g=5:15 "
        "--prior h=1:0.01\n"
        "  carom fit bouncing_ball.yaml --data one.csv --data two.csv --free e=0.3:0.99 --each "
        "h=0.1:3,t=-1:1\n"
        "  carom fit bouncing_ball.yaml --data clicks.csv --free e=0.3:0.99,h=0.1:3 --profile "
        "--samples 1000\n"
        "  carom fit belt_block.yaml --data x.csv --free mu=0.1:1,mu_s=0.1:1 --error x=0.01 "
        "--huber 2\n",
    CAROM_TAKES(OPTIONS),
    .run = run_fit,
};
