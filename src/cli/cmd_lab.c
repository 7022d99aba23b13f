// SPDX-License-Identifier: MIT
/// carom lab: a page in which a scenario runs, in any browser.
#include "base/error.h"
#include "commands.h"
#include "draw/page_data.h"
#include "drawn.h"
#include "record/out_file.h"
#include "report.h"
#include "whole_file.h"

#include <stdlib.h>
#include <string.h>

static const char MARK[] = "@scenario@";
enum { MOST_SCENARIOS = 1000 };

// the page that was made with the program (make lab)
static char *read_template(carom_error *error) {
  char *text = carom_read_made("lab.html");
  if (text && strstr(text, MARK)) return text;
  free(text);
  (void)carom_wrong(error, "the page of the lab was not built with this program: 'make lab' makes "
                           "it, and says what it needs");
  return NULL;
}

static const char *name_in(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

/// The scenarios of a page: the one that is shown first, and those to be chosen from.
typedef struct scenarios {
  const carom_call *call;
  carom_model *models[MOST_SCENARIOS];
  const char *paths[MOST_SCENARIOS];
  int count;
} scenarios;

// the file that goes into the page under a name before this one; NULL: none
static const char *file_before(const scenarios *it, int at, int file, const char *name) {
  const char *other;
  for (int k = 0; k <= at; k++)
    for (int j = 0; (k < at || j < file) && (other = carom_model_file(it->models[k], j)); j++)
      if (strcmp(name_in(other), name) == 0) return other;
  return NULL;
}

static bool same_text(const char *a, const char *b) {
  if (strcmp(a, b) == 0) return true;
  char *one = carom_read_whole(a), *other = carom_read_whole(b);
  bool same = one && other && strcmp(one, other) == 0;
  free(one);
  free(other);
  return same;
}

// two files of one name, in different folders: the page would take the first for both
static carom_status check_files(const scenarios *it, carom_error *error) {
  const char *file;
  for (int k = 0; k < it->count; k++)
    for (int j = 0; (file = carom_model_file(it->models[k], j)); j++) {
      const char *other = file_before(it, k, j, name_in(file));
      if (other && !same_text(other, file))
        return carom_wrong(error, "two files of the page are called '%.200s'", name_in(file));
    }
  return CAROM_OK;
}

// Files lie in one folder in the page. What a scenario includes is found there by the name it is
// included by, as long as that has no folder in it.
static bool put_files(FILE *out, const scenarios *it) {
  const char *file, *comma = "";
  (void)fputs(",\"files\":{", out);
  for (int k = 0; k < it->count; k++)
    for (int j = 0; (file = carom_model_file(it->models[k], j)); j++) {
      if (file_before(it, k, j, name_in(file))) continue;
      char *text = carom_read_whole(file);
      if (!text) return false;
      (void)fputs(comma, out);
      carom_page_text(out, name_in(file));
      (void)fputc(':', out);
      carom_page_text(out, text);
      free(text);
      comma = ",";
    }
  (void)fputc('}', out);
  return true;
}

static bool put_scenarios(FILE *out, const scenarios *it) {
  const carom_call *call = it->call;
  (void)fputs("{\"name\":", out);
  carom_page_text(out, name_in(it->paths[0]));
  (void)fputs(",\"others\":[", out);
  for (int k = 1; k < it->count; k++) {
    (void)fputs(k > 1 ? "," : "", out);
    carom_page_text(out, name_in(it->paths[k]));
  }
  (void)fputc(']', out);
  bool whole = put_files(out, it);
  (void)fputs(",\"settings\":{", out);
  for (int k = 0; k < call->setting_count; k++) {
    (void)fputs(k > 0 ? "," : "", out);
    carom_page_text(out, call->settings[k].path);
    (void)fputc(':', out);
    carom_page_text(out, call->settings[k].value);
  }
  (void)fputs("}}", out);
  return whole;
}

static carom_status write_page(const scenarios *it, const char *output, carom_error *error) {
  carom_out_file out;
  char *page = read_template(error);
  if (!page) return CAROM_ERR_UNSUPPORTED;
  carom_status status = carom_out_open(&out, output, error);
  if (status == CAROM_OK) {
    char *mark = strstr(page, MARK);
    (void)fwrite(page, 1, (size_t)(mark - page), out.stream);
    bool whole = put_scenarios(out.stream, it);
    (void)fputs(mark + strlen(MARK), out.stream);
    status = carom_out_close(&out, error);
    if (status == CAROM_OK && !whole)
      status = carom_wrong(error, "a file of the scenario cannot be read any more");
  }
  free(page);
  return status;
}

// --with: read as they are, without the settings, which belong to the first
static carom_status read_others(scenarios *it, carom_error *error) {
  const carom_call *call = it->call;
  carom_status status = CAROM_OK;
  for (int k = 0; k < call->given_count && status == CAROM_OK; k++) {
    if (strcmp(call->given[k].option->name, "with") != 0) continue;
    const char *path = call->given[k].value;
    for (int j = 0; j < it->count; j++)
      if (strcmp(name_in(it->paths[j]), name_in(path)) == 0)
        return carom_wrong(error, "two scenarios of the page are called '%.200s'", name_in(path));
    if (it->count == MOST_SCENARIOS)
      return carom_wrong(error, "a page holds at most %d scenarios", MOST_SCENARIOS);
    it->paths[it->count] = path;
    status = carom_model_load(path, 0, NULL, &it->models[it->count], error);
    if (status == CAROM_OK) it->count++;
  }
  return status;
}

static int run_lab(const carom_call *call) {
  int exit_code = CAROM_EXIT_DONE;
  carom_error error = {0};
  char made[CAROM_DRAWN_NAME];
  const char *output = carom_call_value(call, "out");
  carom_model *first = carom_load(call, &exit_code);
  scenarios *all = first ? calloc(1, sizeof *all) : NULL;
  if (!first) return exit_code;
  carom_drawn_name(call, ".html", made);
  if (!output) output = made;
  carom_status status = all ? CAROM_OK : carom_fail_memory(&error);
  if (all) {
    *all =
        (scenarios){.call = call, .models = {first}, .paths = {carom_call_file(call)}, .count = 1};
    status = read_others(all, &error);
    if (status == CAROM_OK) status = check_files(all, &error);
    if (status == CAROM_OK) status = write_page(all, output, &error);
    for (int k = 1; k < all->count; k++)
      carom_model_destroy(all->models[k]);
  }
  carom_model_destroy(first);
  free(all);
  return carom_drawn_answer(call, status, &error, "page", output);
}

static const carom_option OPTIONS[] = {
    {"out", "PAGE.html", "", "FILE.html", "where the page goes; also -o", NULL},
    {"with", "FILE", "", "none",
     "a further scenario, to be chosen in the page; may be given repeatedly", NULL},
    CAROM_OPTION_SET,
    CAROM_OPTIONS_OF_ANSWERS,
};

const carom_command carom_command_lab = {
    .name = "lab",
    .arguments = "FILE",
    .summary = "Makes a page in which a scenario runs, in any browser",
    .details =
        "One HTML file with the simulator inside: no server, no network, nothing to install. "
        "Sliders for\nparameters and start values; sweeps, diagrams, basins, orbits; the text can "
        "be edited. Results\nhave the bits of the command line: the page shows the digest that "
        "'carom run --digest' prints.\nAn address that ends in a command opens what it computes: "
        "lab.html#!bifurcate&wiper.yaml&--over&mu=0.3:0.5:40\n",
    .examples = "  carom lab wiper.yaml -o lab.html\n"
                "  carom lab wiper.yaml --set mu=0.45\n"
                "  carom lab wiper.yaml --with duffing.yaml --with ball_bowl.yaml -o lab.html\n",
    CAROM_TAKES(OPTIONS),
    .run = run_lab,
};
