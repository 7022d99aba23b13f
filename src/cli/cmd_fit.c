// SPDX-License-Identifier: MIT
/// carom fit: parameters and start values from measured motions.
#include "carom/fit.h"
#include "commands.h"
#include "report.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_ENTRIES = 64, LONGEST = 100 };

/// What the command was asked for.
typedef struct wishes {
  carom_fit_options options;
  const char *files[MOST_ENTRIES];
  carom_fit_range free[MOST_ENTRIES], priors[MOST_ENTRIES];
  carom_value errors[MOST_ENTRIES];
  char names[3][MOST_ENTRIES][LONGEST];
} wishes;

// NAME=A or NAME=A:B, entry after entry
static carom_status read_entries(const carom_call *call, const char *option, bool two,
                                 char (*names)[LONGEST], carom_fit_range *list, int *count,
                                 carom_error *error) {
  const char *text = carom_call_value(call, option), *at = text;
  for (*count = 0; at && *at; (*count)++) {
    carom_fit_range *entry = &list[*count < MOST_ENTRIES ? *count : 0];
    size_t length = strcspn(at, "=,");
    char *end;
    bool fine = *count < MOST_ENTRIES && at[length] == '=' && length > 0 && length < LONGEST;
    if (fine) {
      memcpy(names[*count], at, length);
      names[*count][length] = 0;
      entry->name = names[*count];
      at += length + 1;
      entry->low = entry->high = strtod(at, &end);
      fine = end != at;
      at = end;
      if (fine && two) {
        fine = *at == ':';
        entry->high = fine ? strtod(at + 1, &end) : 0.0;
        fine = fine && end != at + 1;
        at = end;
      }
      fine = fine && (*at == ',' || !*at) && isfinite(entry->low) && isfinite(entry->high);
    }
    if (!fine)
      return carom_wrong(error, "--%s %s: %s, separated by commas, is expected", option, text,
                         two ? "NAME=A:B" : "NAME=NUMBER");
    at += *at == ',';
  }
  return CAROM_OK;
}

static carom_status read_number(const carom_call *call, const char *option, double least,
                                double *value, carom_error *error) {
  const char *text = carom_call_value(call, option);
  char *end;
  if (!text) return CAROM_OK;
  *value = strtod(text, &end);
  if (end == text || *end || !(*value >= least) || *value > 1e9)
    return carom_wrong(error, "--%s %s: a number from %g on is expected", option, text, least);
  return CAROM_OK;
}

static carom_status read_wishes(const carom_call *call, wishes *w, carom_error *error) {
  carom_fit_range single[MOST_ENTRIES];
  carom_fit_options *o = &w->options;
  double starts = 1.0, seed = 1.0;
  for (int k = 0; k < call->given_count; k++)
    if (strcmp(call->given[k].option->name, "data") == 0 && o->file_count < MOST_ENTRIES)
      w->files[o->file_count++] = call->given[k].value;
  carom_status status =
      read_entries(call, "free", true, w->names[0], w->free, &o->free_count, error);
  if (status == CAROM_OK)
    status = read_entries(call, "prior", true, w->names[1], w->priors, &o->prior_count, error);
  if (status == CAROM_OK)
    status = read_entries(call, "error", false, w->names[2], single, &o->error_count, error);
  if (status == CAROM_OK) status = read_number(call, "huber", 0.0, &o->huber, error);
  if (status == CAROM_OK) status = read_number(call, "starts", 1.0, &starts, error);
  if (status == CAROM_OK) status = read_number(call, "seed", 0.0, &seed, error);
  if (status != CAROM_OK) return status;
  if (o->file_count == 0) return carom_wrong(error, "--data FILE is needed: what was measured");
  if (o->free_count == 0) return carom_wrong(error, "--free NAME=LOW:HIGH,... is needed");
  for (int k = 0; k < o->error_count; k++)
    w->errors[k] = (carom_value){single[k].name, single[k].low};
  o->starts = (int)starts;
  o->seed = (unsigned long)seed;
  o->files = w->files;
  o->free = w->free;
  o->priors = w->priors;
  o->errors = w->errors;
  return CAROM_OK;
}

static void json_unknown(carom_json *json, const wishes *w, const carom_fit_view *v) {
  carom_json_array(json, "unknown");
  for (int k = 0; k < v->unknown_count; k++) {
    carom_json_object(json, NULL);
    for (int j = 0; j < v->free_count; j++)
      carom_json_number(json, w->free[j].name, v->unknown[k * v->free_count + j]);
    carom_json_end(json);
  }
  carom_json_end(json);
}

static void print_json(const carom_call *call, const wishes *w, const carom_fit_view *v) {
  carom_json json = carom_json_answer(call);
  carom_json_text(&json, "title", carom_model_title(w->options.model));
  carom_json_array(&json, "inputs");
  for (int j = 0; j < v->free_count; j++) {
    carom_json_object(&json, NULL);
    carom_json_text(&json, "name", w->free[j].name);
    carom_json_number(&json, "value", v->values[j]);
    carom_json_number(&json, "error", v->errors[j]);
    carom_json_array(&json, "covariance");
    for (int i = 0; i < v->free_count; i++)
      carom_json_number(&json, NULL, v->covariance[j * v->free_count + i]);
    carom_json_end(&json);
    carom_json_end(&json);
  }
  carom_json_end(&json);
  json_unknown(&json, w, v);
  carom_json_number(&json, "cost", v->cost);
  carom_json_flag(&json, "errors_estimated", v->scaled);
  carom_json_count(&json, "starts_converged", v->converged);
  carom_json_count(&json, "starts_best", v->best);
  carom_json_count(&json, "iterations", v->iterations);
  carom_json_array(&json, "data");
  for (long k = 0; k < v->data_count; k++) {
    carom_json_object(&json, NULL);
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
    printf("%-16s %20.12g", w->free[j].name, v->values[j]);
    if (isfinite(v->errors[j]))
      printf("  +- %.3g\n", v->errors[j]);
    else
      printf("  the data cannot tell\n");
  }
  for (int k = 0; k < v->unknown_count; k++) {
    printf("unknown: nothing that was measured changes when, relative to their sizes,");
    for (int j = 0; j < v->free_count; j++)
      if (fabs(v->unknown[k * v->free_count + j]) > 1e-6)
        printf(" %s moves by %+.4f", w->free[j].name, v->unknown[k * v->free_count + j]);
    printf("\n");
  }
  printf("%ld data, sum of squares %.9g%s, %d of %d starts came to an end, %d of them here\n",
         v->data_count, 2.0 * v->cost, v->scaled ? " (errors estimated from it)" : "", v->converged,
         w->options.starts, v->best);
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
  carom_fit_destroy(fit);
  return CAROM_EXIT_DONE;
}

static int fit(const carom_call *call) {
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
     "needed: parameters and start values to find, with their bounds", NULL},
    {"error", "NAME=ERROR,...", "of the column", "estimated from what is left",
     "standard errors of columns", NULL},
    {"prior", "NAME=VALUE:ERROR,...", "as in the file", "none",
     "what is known of free inputs beforehand", NULL},
    {"huber", "K", "standard errors", "no outliers", "residuals beyond K count linearly", NULL},
    {"starts", "N", "", "1", "start from the scenario's values and N - 1 random places", NULL},
    {"seed", "K", "", "1", "of the random places", NULL},
    CAROM_OPTIONS_OF_A_SCENARIO,
};

const carom_command carom_command_fit = {
    .name = "fit",
    .arguments = "FILE",
    .summary = "Finds parameters and start values from measured motions",
    .details =
        "Least squares on exact derivatives, through impacts, stick and slip. A data file is CSV "
        "with names in\nits first line: a column t and columns of coordinates, rates, states or "
        "definitions; or one column\nnamed after a contact or rule, with the times at which it "
        "struck. Told are values, standard errors\nand what the data cannot tell.\n",
    .examples =
        "  carom fit bouncing_ball.yaml --data clicks.csv --free e=0.3:0.99,h=0.1:3\n"
        "  carom fit bouncing_ball.yaml --data clicks.csv --free e=0.3:0.99,h=0.1:3,g=5:15 "
        "--prior h=1:0.01\n"
        "  carom fit belt_block.yaml --data x.csv --free mu=0.1:1,mu_s=0.1:1 --error x=0.01 "
        "--huber 2\n",
    CAROM_TAKES(OPTIONS),
    .run = fit,
};
