// SPDX-License-Identifier: MIT
/// carom converge: which digits of a run hold.
#include "carom/converge.h"
#include "commands.h"
#include "report.h"

#include <stdlib.h>

enum { MOST_TIGHTER = 4 };
static const double NOTEWORTHY = 7.0; // growth by exp(7), a thousand times, over the run

static void json_values(carom_json *json, const char *key, int count,
                        const carom_converge_value *values) {
  carom_json_object(json, key);
  for (int k = 0; k < count; k++) {
    carom_json_object(json, values[k].name);
    carom_json_number(json, "value", values[k].value);
    carom_json_number(json, "tightest", values[k].tightest);
    carom_json_number(json, "digits", values[k].digits); // null: all of them
    carom_json_end(json);
  }
  carom_json_end(json);
}

static void print_json(const carom_call *call, const carom_converge_view *r) {
  carom_json json = carom_json_answer(call);
  carom_json_array(&json, "runs");
  for (int k = 0; k < r->runs; k++) {
    const carom_certificate *c = &r->run[k].certificate;
    carom_json_object(&json, NULL);
    carom_json_number(&json, "rtol", r->run[k].rtol);
    carom_json_count(&json, "steps", c->counts.steps);
    carom_json_count(&json, "events", c->counts.events);
    carom_json_text(&json, "word", r->run[k].word);
    carom_json_number(&json, "residual_relative", c->energy.residual_relative);
    carom_json_flag(&json, "passed", c->passed);
    carom_json_end(&json);
  }
  carom_json_end(&json);
  json_values(&json, "observables", r->observables, r->observable);
  json_values(&json, "final", r->finals, r->final);
  carom_json_flag(&json, "same_word", r->same_word);
  carom_json_flag(&json, "same_events", r->same_events);
  carom_json_number(&json, "events_differ_at", r->events_differ);
  carom_json_text(&json, "motion", r->sensitive ? "sensitive" : "regular");
  carom_json_number(&json, "parted_at", r->parted_at);
  carom_json_number(&json, "rate", r->rate);
  carom_json_number(&json, "distance", r->distance);
  carom_json_end(&json);
}

static void print_values(const char *title, int count, const carom_converge_value *values) {
  if (count > 0) printf("%-16s %22s %22s  digits\n", title, "as written", "tightest");
  for (int k = 0; k < count; k++) {
    printf("  %-14s %22.15g %22.15g  ", values[k].name, values[k].value, values[k].tightest);
    if (isinf(values[k].digits))
      printf("all\n");
    else
      printf("%.1f\n", values[k].digits);
  }
}

static void print_runs(const carom_converge_view *r) {
  printf("%-16s %10s %10s %12s  certificate\n", "rtol", "steps", "events", "residual");
  for (int k = 0; k < r->runs; k++) {
    const carom_certificate *c = &r->run[k].certificate;
    printf("  %-14.3g %10ld %10ld %12.2g  %s\n", r->run[k].rtol, c->counts.steps, c->counts.events,
           c->energy.residual_relative, c->passed ? "passed" : "NOT PASSED");
  }
}

static void print_verdict(const carom_converge_view *r) {
  if (r->run[0].word[0] || !r->same_word)
    printf("word             %s%s\n", r->run[0].word,
           r->same_word ? " (the same in every run)" : " (differs between the runs)");
  if (r->same_events)
    printf("events           the same sequence in every run\n");
  else
    printf("events           the sequence differs from t = %.9g on\n", r->events_differ);
  if (!r->sensitive) {
    printf("motion           regular: the runs stay within %.2g of the range of motion\n",
           r->distance);
    const carom_certificate *c = &r->run[0].certificate;
    if (r->rate * (c->t_end - c->t_start) > NOTEWORTHY)
      printf("                 but their distance grows like exp(%.3g t): a longer run will part\n",
             r->rate);
    return;
  }
  printf("motion           chaotic or sensitive from t = %.6g on: the runs part there",
         r->parted_at);
  if (r->rate > 0.0) printf(";\n                 their distance grew like exp(%.3g t)", r->rate);
  putchar('\n');
}

static void print_text(const carom_converge_view *r) {
  print_runs(r);
  print_values("observable", r->observables, r->observable);
  print_values("at the end", r->finals, r->final);
  print_verdict(r);
}

static int run_converge(const carom_call *call) {
  carom_error error = {0};
  carom_converge_options options = carom_converge_options_default();
  carom_converge *result = NULL;
  const char *tighter = carom_call_value(call, "tighter");
  if (tighter) {
    char *end;
    long count = strtol(tighter, &end, 10);
    if (*end != '\0' || count < 1 || count > MOST_TIGHTER) {
      (void)carom_wrong(&error, "--tighter expects a number from 1 to %d, not '%.100s'",
                        MOST_TIGHTER, tighter);
      return carom_report(call, &error, NULL, CAROM_EXIT_WRONG_INPUT);
    }
    options.tighter = (int)count;
  }
  int exit_code = CAROM_EXIT_DONE;
  options.file = carom_call_file(call);
  options.setting_count = call->setting_count;
  options.settings = call->settings;
  carom_status status = carom_converge_run(&options, &result, &error);
  const carom_converge_view *r = status == CAROM_OK ? carom_converge_look(result) : NULL;
  if (status != CAROM_OK)
    exit_code =
        carom_report(call, &error, NULL,
                     status == CAROM_ERR_INPUT || status == CAROM_ERR_IO ? CAROM_EXIT_WRONG_INPUT
                                                                         : CAROM_EXIT_FAILED);
  else if (carom_call_has(call, "json"))
    print_json(call, r);
  else
    print_text(r);
  for (int k = 0; r && k < r->runs; k++)
    if (!r->run[k].certificate.passed) exit_code = CAROM_EXIT_NOT_PASSED;
  carom_converge_destroy(result);
  return exit_code;
}

static const carom_option OPTIONS[] = {
    {"tighter", "N", "", "1", "how many reruns, each with tolerances a hundred times tighter",
     NULL},
    CAROM_OPTIONS_OF_A_SCENARIO,
};

const carom_command carom_command_converge = {
    .name = "converge",
    .arguments = "FILE",
    .summary = "Says which digits of a run hold",
    .details =
        "Runs the scenario again with tighter tolerances and compares: digits of observables and "
        "of "
        "the\nfinal state, the word, the sequence of events, and the trajectories. Where these "
        "part, "
        "the motion\nis chaotic or sensitive from that time on, and only statistics of it have a "
        "meaning.\n",
    .examples = "  carom converge swing.yaml\n"
                "  carom converge wiper.yaml --set mu=0.5 --tighter 2 --json\n",
    CAROM_TAKES(OPTIONS),
    .run = run_converge,
};
