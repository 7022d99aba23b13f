// SPDX-License-Identifier: MIT
/// carom lab: a page in which a scenario runs, in any browser.
#include "commands.h"
#include "draw/page_data.h"
#include "drawn.h"
#include "record/out_file.h"
#include "report.h"
#include "whole_file.h"

#include <stdlib.h>
#include <string.h>

static const char MARK[] = "@scenario@";

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

// Files lie in one folder in the page. What the scenario includes is found there by the name it is
// included by, as long as that has no folder in it.
static bool put_scenario(FILE *out, const carom_model *model, const carom_call *call) {
  const char *file;
  (void)fputs("{\"name\":", out);
  carom_page_text(out, name_in(carom_call_file(call)));
  (void)fputs(",\"files\":{", out);
  for (int k = 0; (file = carom_model_file(model, k)); k++) {
    char *text = carom_read_whole(file);
    if (!text) return false;
    (void)fputs(k > 0 ? "," : "", out);
    carom_page_text(out, name_in(file));
    (void)fputc(':', out);
    carom_page_text(out, text);
    free(text);
  }
  (void)fputs("},\"settings\":{", out);
  for (int k = 0; k < call->setting_count; k++) {
    (void)fputs(k > 0 ? "," : "", out);
    carom_page_text(out, call->settings[k].path);
    (void)fputc(':', out);
    carom_page_text(out, call->settings[k].value);
  }
  (void)fputs("}}", out);
  return true;
}

static carom_status write_page(const carom_call *call, const carom_model *model, const char *output,
                               carom_error *error) {
  carom_out_file out;
  char *page = read_template(error);
  if (!page) return CAROM_ERR_UNSUPPORTED;
  carom_status status = carom_out_open(&out, output, error);
  if (status == CAROM_OK) {
    char *mark = strstr(page, MARK);
    (void)fwrite(page, 1, (size_t)(mark - page), out.stream);
    bool whole = put_scenario(out.stream, model, call);
    (void)fputs(mark + strlen(MARK), out.stream);
    status = carom_out_close(&out, error);
    if (status == CAROM_OK && !whole)
      status = carom_wrong(error, "a file of the scenario cannot be read any more");
  }
  free(page);
  return status;
}

static int run_lab(const carom_call *call) {
  int exit_code = CAROM_EXIT_DONE;
  carom_error error = {0};
  char made[CAROM_DRAWN_NAME];
  const char *output = carom_call_value(call, "out");
  carom_model *model = carom_load(call, &exit_code);
  if (!model) return exit_code;
  carom_drawn_name(call, ".html", made);
  if (!output) output = made;
  carom_status status = write_page(call, model, output, &error);
  carom_model_destroy(model);
  return carom_drawn_answer(call, status, &error, "page", output);
}

static const carom_option OPTIONS[] = {
    {"out", "PAGE.html", "", "FILE.html", "where the page goes; also -o", NULL},
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
        "'carom run --digest' prints.\n",
    .examples = "  carom lab wiper.yaml -o lab.html\n"
                "  carom lab wiper.yaml --set mu=0.45\n",
    CAROM_TAKES(OPTIONS),
    .run = run_lab,
};
