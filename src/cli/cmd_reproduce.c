// SPDX-License-Identifier: MIT
/// carom reproduce: published numbers beside Carom's own, judged anew at every run.
#define _POSIX_C_SOURCE 200809L
#include "carom/study.h"
#include "commands.h"
#include "data_folder.h"
#include "gallery_run.h"
#include "progress.h"
#include "report.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LONGEST_PATH = 1024, MOST_STUDIES = 256, NUMBER_ROOM = 48 };

/// The studies to run, and the verdicts so far.
typedef struct report {
  const carom_call *call;
  carom_json json;
  bool as_json, full;
  int verdicts[CAROM_VERDICTS];
  carom_gallery_run *gallery; // NULL: no pages
} report;

static bool study_is_readable(const char *path) { return access(path, R_OK) == 0; }

// CAROM_STUDIES, the folder at hand, what comes with the program
static bool study_folder(char folder[CAROM_DATA_PATH]) {
  const char *chosen = getenv("CAROM_STUDIES");
  const char *candidates[] = {chosen ? chosen : "", "studies"};
  for (int k = 0; k < CAROM_COUNT(candidates); k++) {
    (void)snprintf(folder, CAROM_DATA_PATH, "%s", candidates[k]);
    if (folder[0] && study_is_readable(folder)) return true;
  }
  return carom_data_folder("studies", folder);
}

static bool ends_with(const char *text, const char *end) {
  size_t length = strlen(text), tail = strlen(end);
  return length > tail && strcmp(text + length - tail, end) == 0;
}

static int by_name(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

// every *.yaml of a folder, in the order of the alphabet; the caller frees the paths
static int list_studies(const char *folder, char *paths[MOST_STUDIES]) {
  int count = 0;
  DIR *directory = opendir(folder);
  if (!directory) return 0;
  const struct dirent *entry;
  // NOLINTNEXTLINE(concurrency-mt-unsafe): the stream belongs to this function
  while (count < MOST_STUDIES && (entry = readdir(directory))) {
    if (!ends_with(entry->d_name, ".yaml")) continue;
    size_t room = strlen(folder) + strlen(entry->d_name) + 2;
    paths[count] = malloc(room);
    if (!paths[count]) break;
    (void)snprintf(paths[count++], room, "%s/%s", folder, entry->d_name);
  }
  (void)closedir(directory);
  qsort(paths, (size_t)count, sizeof *paths, by_name);
  return count;
}

// one study by path or name, or all of them; 0 with a message when there is none
static int find_studies(const char *wanted, char *paths[MOST_STUDIES], carom_error *error) {
  char folder[CAROM_DATA_PATH], path[2 * CAROM_DATA_PATH];
  if (wanted && study_is_readable(wanted) && ends_with(wanted, ".yaml")) {
    paths[0] = strdup(wanted);
    return paths[0] ? 1 : 0;
  }
  *error = (carom_error){.status = CAROM_ERR_INPUT};
  if (!study_folder(folder)) {
    (void)snprintf(error->text, sizeof error->text,
                   "no folder of studies was found; name a study file, or set CAROM_STUDIES");
    return 0;
  }
  if (!wanted) {
    int count = list_studies(folder, paths);
    if (count == 0)
      (void)snprintf(error->text, sizeof error->text, "the folder %.500s has no studies", folder);
    return count;
  }
  (void)snprintf(path, sizeof path, "%s/%s.yaml", folder, wanted);
  if (study_is_readable(path)) {
    paths[0] = strdup(path);
    return paths[0] ? 1 : 0;
  }
  (void)snprintf(error->text, sizeof error->text, "there is no study '%.200s' in %.400s; there are",
                 wanted, folder);
  int count = list_studies(folder, paths);
  for (int k = 0; k < count; k++) {
    size_t used = strlen(error->text);
    const char *name = strrchr(paths[k], '/') + 1;
    if (used + 80 < sizeof error->text)
      (void)snprintf(error->text + used, sizeof error->text - used, "%s %.*s", k ? "," : "",
                     (int)strcspn(name, "."), name);
    free(paths[k]);
  }
  return 0;
}

// ---- output ----

static const char *answer_text(const carom_answer *answer, char room[NUMBER_ROOM]) {
  if (!answer->given) return "-";
  if (answer->is_text) return answer->text;
  (void)snprintf(room, NUMBER_ROOM, "%.12g", answer->number);
  return room;
}

static void json_answer(carom_json *json, const char *key, const carom_answer *answer) {
  if (!answer->given)
    carom_json_text(json, key, NULL);
  else if (answer->is_text)
    carom_json_text(json, key, answer->text);
  else
    carom_json_number(json, key, answer->number);
}

static void json_line(carom_json *json, const carom_study_line *line,
                      const carom_study_result *result) {
  carom_json_object(json, NULL);
  carom_json_text(json, "id", line->id);
  carom_json_text(json, "paper", line->paper);
  carom_json_text(json, "what", line->what);
  json_answer(json, "expected", &line->expected);
  if (line->at_least) carom_json_flag(json, "at_least", true);
  if (line->above) carom_json_flag(json, "above", true);
  json_answer(json, "carom", &result->carom);
  carom_json_number(json, "difference", result->difference);
  if (!isnan(result->spread)) carom_json_number(json, "spread", result->spread);
  carom_json_number(json, "tolerance", result->tolerance);
  if (line->converged.given) {
    json_answer(json, "converged", &line->converged);
    carom_json_number(json, "converged_tolerance", line->converged_tolerance);
  }
  carom_json_text(json, "verdict", carom_verdict_text(result->verdict));
  if (line->reason[0]) carom_json_text(json, "reason", line->reason);
  if (result->trouble[0]) carom_json_text(json, "trouble", result->trouble);
  carom_json_count(json, "evaluations", result->evaluations);
  carom_json_flag(json, "passed", result->passed);
  carom_json_end(json);
}

static carom_style verdict_style(carom_verdict verdict) {
  switch (verdict) {
  case CAROM_VERDICT_MATCH: return CAROM_STYLE_GOOD;
  case CAROM_VERDICT_EXPLAINED: return CAROM_STYLE_BOLD;
  case CAROM_VERDICT_OPEN: return CAROM_STYLE_WARNING;
  case CAROM_VERDICT_FAIL: return CAROM_STYLE_ERROR;
  }
  return CAROM_STYLE_PLAIN;
}

static void print_head(const carom_study *study) {
  printf("%s", carom_style_text(stdout, CAROM_STYLE_BOLD));
  carom_print_safely(stdout, carom_study_title(study));
  printf("%s\n", carom_style_text(stdout, CAROM_STYLE_PLAIN));
  if (carom_study_paper(study)[0]) {
    carom_print_safely(stdout, carom_study_paper(study));
    putchar('\n');
  }
  printf("  %-26s %-16s %-18s %10s %10s  %s\n", "line", "paper", "carom", "difference", "tolerance",
         "verdict");
}

static void print_line(const carom_study_line *line, const carom_study_result *result,
                       double seconds) {
  char expected[NUMBER_ROOM], carom[NUMBER_ROOM], claim[CAROM_ANSWER_TEXT + 4];
  (void)snprintf(claim, sizeof claim, "%s%s",
                 line->above      ? "> "
                 : line->at_least ? ">= "
                                  : "",
                 answer_text(&line->expected, expected));
  printf("  %-26s %-16s %-18s ", line->id, claim, answer_text(&result->carom, carom));
  if (isnan(result->difference))
    printf("%10s %10s  ", "", "");
  else
    printf("%+10.2g %10.2g  ", result->difference, result->tolerance);
  printf("%s%s%s", carom_style_text(stdout, verdict_style(result->verdict)),
         carom_verdict_text(result->verdict), carom_style_text(stdout, CAROM_STYLE_PLAIN));
  printf("%s%.1f s\n", result->verdict == CAROM_VERDICT_EXPLAINED ? "  " : "      ", seconds);
  if (!isnan(result->spread)) printf("      mean over runs, +- %.2g\n", result->spread);
  if (result->trouble[0]) printf("      %s\n", result->trouble);
  if (result->verdict == CAROM_VERDICT_EXPLAINED) {
    printf("      ");
    carom_print_safely(stdout, line->reason);
    putchar('\n');
  }
  if (!result->passed) printf("      a deciding run did not pass its certificate\n");
  (void)fflush(stdout);
}

// ---- running ----

/// A study while its lines come in.
typedef struct study_run {
  report *it;
  const carom_study *study;
} study_run;

static bool is_known(void *ctx, int k, carom_study_result *result) {
  const study_run *run = ctx;
  const carom_gallery_run *gallery = run->it->gallery;
  return gallery && carom_gallery_run_recall(gallery, carom_study_line_at(run->study, k), result);
}

static void take_line(void *ctx, int k, const carom_study_result *result, double seconds) {
  report *it = ((study_run *)ctx)->it;
  const carom_study_line *line = carom_study_line_at(((study_run *)ctx)->study, k);
  if (it->gallery && result) carom_gallery_run_keep(it->gallery, line, result);
  if (it->gallery) carom_gallery_line(&it->gallery->pages, line, result);
  if (!result) return; // of full runs only
  it->verdicts[result->verdict]++;
  if (it->as_json) fprintf(stderr, "%s\n", line->id);
  if (it->as_json)
    json_line(&it->json, line, result);
  else
    print_line(line, result, seconds);
}

static bool was_stopped(void *ctx) {
  (void)ctx;
  return carom_interrupted();
}

static int compute_study(report *it, const carom_study *study) {
  study_run run = {it, study};
  carom_error error = {0};
  carom_study_options options = carom_study_options_default();
  options.full = it->full;
  options.ctx = &run;
  options.known = is_known;
  options.take = take_line;
  options.stopped = was_stopped;
  carom_status status = carom_study_compute_all(study, &options, &error);
  if (status == CAROM_OK) return CAROM_EXIT_DONE;
  if (status == CAROM_STOP_USER)
    (void)snprintf(error.text, sizeof error.text, "interrupted: %s",
                   it->gallery ? "the same command goes on"
                               : "with --report DIR the same command would go on");
  // the object that was begun is still completed
  (void)carom_report_usage(it->call->command->name, false, &error);
  return status == CAROM_STOP_USER ? CAROM_EXIT_FAILED : CAROM_EXIT_WRONG_INPUT;
}

static void list_lines(report *it, const carom_study *study) {
  for (int k = 0; k < carom_study_count(study); k++) {
    const carom_study_line *line = carom_study_line_at(study, k);
    if (it->as_json) {
      carom_json_object(&it->json, NULL);
      carom_json_text(&it->json, "id", line->id);
      carom_json_text(&it->json, "paper", line->paper);
      carom_json_text(&it->json, "what", line->what);
      json_answer(&it->json, "expected", &line->expected);
      carom_json_end(&it->json);
    } else {
      printf("  %-26s %s\n", line->id, line->what);
    }
  }
}

// the page of a study around its lines
static int compute_with_page(report *it, const carom_study *study, const char *path) {
  carom_error error = {0};
  carom_status status = carom_gallery_run_begin(it->gallery, path, study, &error);
  if (status != CAROM_OK) return carom_report(it->call, &error, NULL, CAROM_EXIT_FAILED);
  int exit_code = compute_study(it, study);
  status = carom_gallery_run_end(it->gallery, study, &error);
  if (status != CAROM_OK && exit_code == CAROM_EXIT_DONE) {
    (void)carom_report_usage(it->call->command->name, false, &error);
    exit_code = CAROM_EXIT_FAILED;
  }
  return exit_code;
}

static int take_study(report *it, const carom_study *study, const char *path) {
  bool list = carom_call_has(it->call, "list");
  if (!it->as_json && !list) print_head(study);
  if (!it->as_json && list) printf("%s\n", carom_study_title(study));
  if (!list) return it->gallery ? compute_with_page(it, study, path) : compute_study(it, study);
  list_lines(it, study);
  return CAROM_EXIT_DONE;
}

static void finish_report(report *it) {
  if (it->as_json) {
    carom_json_end(&it->json);
    for (int v = 0; v < CAROM_VERDICTS; v++)
      carom_json_count(&it->json, carom_verdict_text((carom_verdict)v), it->verdicts[v]);
    carom_json_end(&it->json);
  } else if (!carom_call_has(it->call, "list")) {
    for (int v = 0; v < CAROM_VERDICTS; v++)
      printf("%s%d %s", v > 0 ? ", " : "", it->verdicts[v], carom_verdict_text((carom_verdict)v));
    putchar('\n');
    if (it->gallery) printf("open %s/index.html\n", it->gallery->pages.folder);
  }
}

// studies are read before anything is computed, so that a mistake is found at once
static int run_studies(report *it, int count, char **paths) {
  carom_study *studies[MOST_STUDIES] = {NULL};
  int exit_code = CAROM_EXIT_DONE;
  for (int k = 0; k < count && exit_code == CAROM_EXIT_DONE; k++) {
    carom_error error = {0};
    carom_status status = carom_study_open(paths[k], &studies[k], &error);
    if (status != CAROM_OK)
      exit_code = carom_report(it->call, &error, NULL, carom_load_exit(status));
  }
  if (exit_code == CAROM_EXIT_DONE) {
    if (it->as_json) {
      carom_json_object(&it->json, NULL);
      carom_json_array(&it->json, "studies");
    }
    for (int k = 0; k < count && exit_code == CAROM_EXIT_DONE; k++)
      exit_code = take_study(it, studies[k], paths[k]);
    finish_report(it);
    if (exit_code == CAROM_EXIT_DONE && it->verdicts[CAROM_VERDICT_FAIL] > 0)
      exit_code = CAROM_EXIT_FAILED;
  }
  for (int k = 0; k < count; k++)
    carom_study_destroy(studies[k]);
  return exit_code;
}

static int run_reproduce(const carom_call *call) {
  char *paths[MOST_STUDIES];
  carom_error error = {0};
  report it = {.call = call,
               .json = {.out = stdout},
               .as_json = carom_call_has(call, "json"),
               .full = carom_call_has(call, "full")};
  const char *wanted = call->argument_count > 0 ? call->arguments[0] : NULL;
  carom_gallery_run gallery = {.quiet = carom_call_has(call, "json")};
  const char *folder = carom_call_value(call, "report");
  if (folder) {
    if (carom_gallery_run_open(&gallery, folder, it.full, &error) != CAROM_OK)
      return carom_report(call, &error, NULL, CAROM_EXIT_FAILED);
    it.gallery = &gallery;
  }
  int count = find_studies(wanted, paths, &error);
  if (count == 0) return carom_report(call, &error, NULL, CAROM_EXIT_WRONG_INPUT);
  carom_interrupt_catch();
  int exit_code = run_studies(&it, count, paths);
  for (int k = 0; k < count; k++)
    free(paths[k]);
  return exit_code;
}

static const carom_option OPTIONS[] = {
    {"quick", NULL, "", "this is the default", "leave out lines that take long", NULL},
    {"full", NULL, "", "quick", "every line, to all digits", NULL},
    {"report", "DIR", "", "no pages",
     "write pages with tables and figures to a folder; what is there and still holds is kept",
     NULL},
    {"list", NULL, "", "", "say what there is, compute nothing", NULL},
    CAROM_OPTION_JSON,
};

const carom_command carom_command_reproduce = {
    .name = "reproduce",
    .arguments = "[STUDY]",
    .summary = "Computes published numbers anew and judges them",
    .details =
        "STUDY is a name such as fio, or a file; without it every study is run. The verdict of a "
        "line is\nmatch (Carom agrees with the paper), explained (the paper's value cannot follow "
        "from its data;\nCarom agrees with the derived one), open (two methods agree, the cause "
        "is unknown) or fail.\nExit 1 when a line fails. Studies are found in $CAROM_STUDIES, "
        "./studies, the installed folder.\n",
    .examples = "  carom reproduce --list\n"
                "  carom reproduce fio\n"
                "  carom reproduce fio --full --json > fio.json\n"
                "  carom reproduce --report gallery\n",
    CAROM_TAKES(OPTIONS),
    .run = run_reproduce,
};
