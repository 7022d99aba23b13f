// SPDX-License-Identifier: MIT
/// carom info: what is inside a recorded file.
#include "carom/record.h"
#include "commands.h"
#include "info_tables.h"
#include "report.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK = 4096, LONGEST_PATH = 320 };

/// Smallest, largest and last value of a series.
typedef struct series_range {
  double least, most, last;
} series_range;

// NaN throughout for a series that is empty or cannot be read
static series_range range_of(const carom_recording *recording, const char *name) {
  series_range range = {NAN, NAN, NAN};
  double block[BLOCK];
  long samples = carom_recording_samples(recording);
  for (long at = 0; at < samples; at += BLOCK) {
    long here = samples - at < BLOCK ? samples - at : BLOCK;
    if (carom_recording_series(recording, name, at, here, block, NULL) != CAROM_OK) return range;
    for (long k = 0; k < here; k++) {
      range.least = fmin(range.least, block[k]);
      range.most = fmax(range.most, block[k]);
    }
    range.last = block[here - 1];
  }
  return range;
}

static char *text_at(const carom_recording *recording, const char *path) {
  char *text = NULL;
  return carom_recording_text(recording, path, &text, NULL) == CAROM_OK ? text : NULL;
}

static void path_of(char path[LONGEST_PATH], const char *group, const char *name) {
  (void)snprintf(path, LONGEST_PATH, "/%s/%s", group, name);
}

// ---- JSON ----

static void json_attribute(carom_json *json, const carom_recording *recording, const char *name) {
  char *text = text_at(recording, name);
  carom_json_text(json, name, text);
  carom_text_destroy(text);
}

static void json_group(carom_json *json, const carom_recording *recording,
                       carom_recording_group group, const char *name) {
  carom_json_object(json, name);
  for (int k = 0; k < carom_recording_count(recording, group); k++) {
    const char *member = carom_recording_name(recording, group, k);
    char path[LONGEST_PATH], *text;
    double value;
    path_of(path, name, member);
    if (carom_recording_number(recording, path, &value, NULL) == CAROM_OK)
      carom_json_number(json, member, value);
    else if ((text = text_at(recording, path))) {
      carom_json_text(json, member, text);
      carom_text_destroy(text);
    }
  }
  carom_json_end(json);
}

static void print_json(const carom_call *call, const carom_recording *recording) {
  carom_json json = carom_json_answer(call);
  json_attribute(&json, recording, "title");
  json_attribute(&json, recording, "engine");
  json_attribute(&json, recording, "outcome");
  carom_json_count(&json, "samples", carom_recording_samples(recording));
  carom_json_object(&json, "series");
  for (int k = 0; k < carom_recording_count(recording, CAROM_RECORDED_SERIES); k++) {
    const char *name = carom_recording_name(recording, CAROM_RECORDED_SERIES, k);
    series_range range = range_of(recording, name);
    carom_json_object(&json, name);
    carom_json_number(&json, "min", range.least);
    carom_json_number(&json, "max", range.most);
    carom_json_number(&json, "last", range.last);
    carom_json_end(&json);
  }
  carom_json_end(&json);
  carom_json_object(&json, "events");
  carom_json_count(&json, "total", carom_recording_events(recording));
  carom_json_object(&json, "by_kind");
  const char *kind;
  long count;
  for (int k = 0; (kind = carom_recording_event_kind(recording, k, &count)); k++)
    carom_json_count(&json, kind, count);
  carom_json_end(&json);
  carom_json_end(&json);
  json_group(&json, recording, CAROM_RECORDED_OBSERVABLES, "observables");
  json_group(&json, recording, CAROM_RECORDED_CERTIFICATE, "certificate");
  json_group(&json, recording, CAROM_RECORDED_PROVENANCE, "provenance");
  carom_json_end(&json);
}

// ---- text ----

static void print_attribute(const carom_recording *recording, const char *name) {
  char *text = text_at(recording, name);
  printf("%-12s ", name);
  carom_print_safely(stdout, text ? text : "unknown");
  putchar('\n');
  carom_text_destroy(text);
}

static void print_group(const carom_recording *recording, carom_recording_group group,
                        const char *name) {
  int count = carom_recording_count(recording, group);
  if (count > 0) printf("%s\n", name);
  for (int k = 0; k < count; k++) {
    const char *member = carom_recording_name(recording, group, k);
    char path[LONGEST_PATH], *text;
    double value;
    path_of(path, name, member);
    printf("  ");
    carom_print_safely(stdout, member);
    printf("%*s ", strlen(member) < 24 ? (int)(24 - strlen(member)) : 0, "");
    if (carom_recording_number(recording, path, &value, NULL) == CAROM_OK)
      printf("%.12g", value);
    else if ((text = text_at(recording, path))) {
      carom_print_safely(stdout, text);
      carom_text_destroy(text);
    }
    putchar('\n');
  }
}

static void print_series(const carom_recording *recording) {
  printf("series       %ld samples\n", carom_recording_samples(recording));
  printf("  %-24s %14s %14s %14s\n", "", "min", "max", "last");
  for (int k = 0; k < carom_recording_count(recording, CAROM_RECORDED_SERIES); k++) {
    const char *name = carom_recording_name(recording, CAROM_RECORDED_SERIES, k);
    series_range range = range_of(recording, name);
    printf("  ");
    carom_print_safely(stdout, name);
    printf("%*s %14.7g %14.7g %14.7g\n", strlen(name) < 24 ? (int)(24 - strlen(name)) : 0, "",
           range.least, range.most, range.last);
  }
}

static void print_text(const carom_recording *recording) {
  print_attribute(recording, "title");
  print_attribute(recording, "engine");
  print_attribute(recording, "outcome");
  print_series(recording);
  printf("events       %ld\n", carom_recording_events(recording));
  const char *kind;
  long count;
  for (int k = 0; (kind = carom_recording_event_kind(recording, k, &count)); k++) {
    printf("  ");
    carom_print_safely(stdout, kind);
    printf(" %ld\n", count);
  }
  print_group(recording, CAROM_RECORDED_OBSERVABLES, "observables");
  print_group(recording, CAROM_RECORDED_CERTIFICATE, "certificate");
  print_group(recording, CAROM_RECORDED_PROVENANCE, "provenance");
}

static int print_scenario(const carom_call *call, const carom_recording *recording) {
  carom_error error = {0};
  char *text = NULL;
  if (carom_recording_text(recording, "/scenario", &text, &error) != CAROM_OK)
    return carom_report(call, &error, NULL, CAROM_EXIT_WRONG_INPUT);
  carom_print_safely(stdout, text);
  carom_text_destroy(text);
  return CAROM_EXIT_DONE;
}

// tables of many runs; false: the file holds none
static bool tell_tables(const carom_call *call, int *exit_code) {
  carom_store *store;
  if (carom_store_open(carom_call_file(call), &store, NULL) != CAROM_OK) return false;
  bool tables = strcmp(carom_store_kind(store), "run") != 0;
  *exit_code = CAROM_EXIT_DONE;
  if (tables && carom_call_has(call, "scenario")) {
    char *text = carom_store_text(store, "/scenario");
    carom_print_safely(stdout, text ? text : "");
    free(text);
  } else if (tables) {
    carom_info_tables(call, store);
  }
  carom_store_close(store);
  return tables;
}

static int run_info(const carom_call *call) {
  carom_error error = {0};
  carom_recording *recording = NULL;
  int exit_code = CAROM_EXIT_DONE;
  if (tell_tables(call, &exit_code)) return exit_code;
  carom_status status = carom_recording_open(carom_call_file(call), &recording, &error);
  if (status != CAROM_OK) return carom_report(call, &error, NULL, carom_load_exit(status));
  if (carom_call_has(call, "json"))
    print_json(call, recording);
  else if (carom_call_has(call, "scenario"))
    exit_code = print_scenario(call, recording);
  else
    print_text(recording);
  carom_recording_close(recording);
  return exit_code;
}

static const carom_option OPTIONS[] = {
    {"scenario", NULL, "", "", "print the scenario that was run, as resolved, and nothing else",
     NULL},
    CAROM_OPTION_JSON,
};

const carom_command carom_command_info = {
    .name = "info",
    .arguments = "FILE.h5",
    .summary = "Prints what is inside a recorded file",
    .details = "Time series with their ranges, events by kind, observables, certificate and "
               "provenance.\n",
    .examples = "  carom info swing.h5\n"
                "  carom info swing.h5 --scenario > again.yaml\n",
    CAROM_TAKES(OPTIONS),
    .run = run_info,
};
