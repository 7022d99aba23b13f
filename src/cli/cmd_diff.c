// SPDX-License-Identifier: MIT
/// carom diff: what differs between two recorded files.
#include "commands.h"
#include "drawn.h"
#include "record/compare.h"
#include "report.h"

#include <stdlib.h>
#include <string.h>

typedef struct comparison {
  const carom_call *call;
  carom_json json;
  bool as_json, all;
  double tolerance;
  double *t; // of the first file's samples; NULL: none
  long samples;
  double *event_t;
  long events;
  long entries, differ;
} comparison;

// the time at which a series or an event first differs; NaN where that has no meaning
static double time_of(const comparison *it, const carom_difference *d) {
  bool event = strncmp(d->path, "/events/", 8) == 0;
  if (d->where < 0) return NAN;
  if (event) {
    // states at events have several columns
    long columns = it->events > 0 && d->rows_first > it->events ? d->rows_first / it->events : 1;
    return d->where / columns < it->events ? it->event_t[d->where / columns] : NAN;
  }
  bool sampled = d->rows_first == it->samples && it->samples > 1;
  return sampled && d->where < it->samples ? it->t[d->where] : NAN;
}

static const char *describe_difference(const carom_difference *d, char *text, size_t room) {
  if (!d->in_second)
    (void)snprintf(text, room, "only in the first file");
  else if (!d->in_first)
    (void)snprintf(text, room, "only in the second file");
  else if (d->rows_first != d->rows_second)
    (void)snprintf(text, room, "%ld and %ld entries, %ld of those in common differ", d->rows_first,
                   d->rows_second, d->different);
  else
    (void)snprintf(text, room, "%ld of %ld entries differ", d->different, d->rows_first);
  return text;
}

static void tell_text(const comparison *it, const carom_difference *d) {
  char text[160];
  double t = time_of(it, d);
  carom_print_safely(stdout, d->path + 1);
  printf("%*s  %s", strlen(d->path) < 30 ? (int)(30 - strlen(d->path)) : 0, "",
         d->different == 0 && d->rows_first == d->rows_second && d->in_first && d->in_second
             ? "same"
             : describe_difference(d, text, sizeof text));
  if (d->different > 0 && !d->text)
    printf(", by up to %.3g (%.2g of the largest)", d->largest, d->relative);
  if (!isnan(t)) printf(", first at t = %.9g", t);
  printf("\n");
}

static void tell_json(comparison *it, const carom_difference *d) {
  carom_json_object(&it->json, NULL);
  carom_json_text(&it->json, "path", d->path);
  carom_json_flag(&it->json, "in_first", d->in_first);
  carom_json_flag(&it->json, "in_second", d->in_second);
  carom_json_count(&it->json, "entries_first", d->rows_first);
  carom_json_count(&it->json, "entries_second", d->rows_second);
  carom_json_count(&it->json, "different", d->different);
  if (!d->text) carom_json_number(&it->json, "largest", d->largest);
  if (!d->text) carom_json_number(&it->json, "relative", d->relative);
  carom_json_number(&it->json, "first_time", time_of(it, d));
  carom_json_end(&it->json);
}

static void tell_difference(void *ctx, const carom_difference *d) {
  comparison *it = ctx;
  bool same = carom_difference_none(d, it->tolerance);
  it->entries++;
  it->differ += !same;
  if (same && !it->all) return;
  if (it->as_json)
    tell_json(it, d);
  else if (!carom_call_has(it->call, "quiet"))
    tell_text(it, d);
}

static int finish_comparison(comparison *it) {
  if (it->as_json) {
    carom_json_end(&it->json);
    carom_json_count(&it->json, "entries", it->entries);
    carom_json_count(&it->json, "differ", it->differ);
    carom_json_flag(&it->json, "same", it->differ == 0);
    carom_json_end(&it->json);
  } else if (!carom_call_has(it->call, "quiet")) {
    if (it->differ == 0)
      printf("same: all %ld entries%s\n", it->entries,
             it->tolerance > 0.0 ? " within the tolerance" : ", bit for bit");
    else
      printf("%ld of %ld entries differ\n", it->differ, it->entries);
  }
  return it->differ == 0 ? CAROM_EXIT_DONE : CAROM_EXIT_FAILED;
}

static int compare_stores(comparison *it, const carom_store *a, const carom_store *b) {
  carom_error error = {0};
  it->t = carom_store_array(a, "/series/t", &it->samples, NULL);
  it->event_t = carom_store_array(a, "/events/t", &it->events, NULL);
  if (it->as_json) {
    carom_json_object(&it->json, NULL);
    carom_json_text(&it->json, "command", it->call->command->name);
    carom_json_text(&it->json, "first", it->call->arguments[0]);
    carom_json_text(&it->json, "second", it->call->arguments[1]);
    carom_json_array(&it->json, "differences");
  }
  carom_status status = carom_compare(a, b, it, tell_difference, &error);
  int exit_code = CAROM_EXIT_WRONG_INPUT;
  if (status == CAROM_OK) exit_code = finish_comparison(it);
  free(it->t);
  free(it->event_t);
  return status == CAROM_OK ? exit_code
                            : carom_report(it->call, &error, NULL, CAROM_EXIT_WRONG_INPUT);
}

static int run_diff(const carom_call *call) {
  carom_error error = {0};
  carom_store *a = NULL, *b = NULL;
  comparison it = {.call = call,
                   .json = {.out = stdout},
                   .as_json = carom_call_has(call, "json"),
                   .all = carom_call_has(call, "all")};
  if (!carom_drawn_number(call, "tolerance", &it.tolerance, &error))
    return carom_report(call, &error, NULL, CAROM_EXIT_WRONG_INPUT);
  carom_status status = carom_store_open(call->arguments[0], &a, &error);
  if (status == CAROM_OK) status = carom_store_open(call->arguments[1], &b, &error);
  int exit_code = CAROM_EXIT_WRONG_INPUT;
  if (status == CAROM_OK && strcmp(carom_store_kind(a), carom_store_kind(b)) != 0) {
    status = carom_wrong(&error, "one file holds a %s, the other a %s", carom_store_kind(a),
                         carom_store_kind(b));
  }
  if (status == CAROM_OK)
    exit_code = compare_stores(&it, a, b);
  else
    exit_code = carom_report(call, &error, NULL, carom_load_exit(status));
  carom_store_close(a);
  carom_store_close(b);
  return exit_code;
}

static const carom_option OPTIONS[] = {
    {"tolerance", "X", "relative to the largest value of an entry", "0: bit for bit",
     "numbers that differ by less are the same", NULL},
    {"all", NULL, "", "", "list what is the same too", NULL},
    CAROM_OPTIONS_OF_ANSWERS,
};

const carom_command carom_command_diff = {
    .name = "diff",
    .arguments = "A.h5 B.h5",
    .summary = "Compares two recorded files",
    .details =
        "Series, events, contacts, energies, observables, certificate and scenario, entry by "
        "entry: how many\nnumbers differ, by how much, and when they first do. Provenance "
        "(time, host, compiler) is left out.\nExit 0 when all is the same, 1 when not.\n",
    .examples = "  carom diff monday.h5 tuesday.h5\n"
                "  carom diff coarse.h5 fine.h5 --tolerance 1e-6\n"
                "  carom diff a.h5 b.h5 --json | jq .same\n",
    CAROM_TAKES(OPTIONS),
    .run = run_diff,
};
