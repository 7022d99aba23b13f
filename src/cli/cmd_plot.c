// SPDX-License-Identifier: MIT
/// carom plot: pictures of recorded files.
#include "commands.h"
#include "draw/plot.h"
#include "report.h"

#include <stdlib.h>
#include <string.h>

enum { LONGEST_NAME = 1024 };

static bool read_number(const carom_call *call, const char *name, double *value,
                        carom_error *error) {
  const char *text = carom_call_value(call, name);
  char *end;
  if (!text) return true;
  *value = strtod(text, &end);
  if (end != text && *end == '\0') return true;
  *error = (carom_error){.status = CAROM_ERR_INPUT};
  (void)snprintf(error->text, sizeof error->text, "--%s expects a number, not '%.60s'", name, text);
  return false;
}

// FILE.h5 becomes FILE.svg, FILE-WHAT.svg where a picture was named
static void default_output(const carom_call *call, char output[LONGEST_NAME]) {
  const char *file = carom_call_file(call),
             *what = call->argument_count > 1 ? call->arguments[1] : NULL;
  size_t length = strlen(file);
  if (length > 3 && strcmp(file + length - 3, ".h5") == 0) length -= 3;
  if (length > LONGEST_NAME - 100) length = LONGEST_NAME - 100;
  (void)snprintf(output, LONGEST_NAME, "%.*s%s%.60s.svg", (int)length, file, what ? "-" : "",
                 what ? what : "");
}

static void say_done(const carom_call *call, const char *output) {
  if (carom_call_has(call, "json")) {
    carom_json json = {.out = stdout};
    carom_json_object(&json, NULL);
    carom_json_text(&json, "command", call->command->name);
    carom_json_text(&json, "file", carom_call_file(call));
    carom_json_text(&json, "picture", output);
    carom_json_end(&json);
  } else if (!carom_call_has(call, "quiet")) {
    printf("%s\n", output);
  }
}

static int plot(const carom_call *call) {
  carom_error error = {0};
  char output[LONGEST_NAME];
  carom_plot_options options = carom_plot_options_default();
  default_output(call, output);
  options.file = carom_call_file(call);
  options.what = call->argument_count > 1 ? call->arguments[1] : NULL;
  options.of = carom_call_value(call, "of");
  options.units = carom_call_value(call, "units");
  options.title = carom_call_value(call, "title");
  options.overlay = carom_call_value(call, "overlay");
  options.output = carom_call_value(call, "out") ? carom_call_value(call, "out") : output;
  options.log_x = carom_call_has(call, "log-x");
  options.log_y = carom_call_has(call, "log-y");
  if (!read_number(call, "from", &options.from, &error) ||
      !read_number(call, "until", &options.until, &error))
    return carom_report(call, &error, NULL, CAROM_EXIT_WRONG_INPUT);
  carom_status status = carom_plot(&options, &error);
  if (status != CAROM_OK)
    return carom_report(call, &error, NULL,
                        status == CAROM_ERR_INPUT ? CAROM_EXIT_WRONG_INPUT : CAROM_EXIT_FAILED);
  say_done(call, options.output);
  return CAROM_EXIT_DONE;
}

static const carom_option OPTIONS[] = {
    {"out", "PICTURE", "", "FILE.svg", "NAME.svg, NAME.pdf or NAME.png; also -o", NULL},
    {"of", "NAME,NAME...", "", "chosen by the picture",
     "which quantities; of contacts left.normal, left.gap, left.slip, left.tangential", NULL},
    {"from", "T", "as the first axis", "the start", "leave out what comes before", NULL},
    {"until", "T", "as the first axis", "the end", "leave out what comes after", NULL},
    {"overlay", "DATA.csv", "", "none",
     "draw the first two columns of a table as points on top: measurements, published values",
     NULL},
    {"units", "NAME=UNIT,...", "", "none", "written beside the names on the axes: t=s,y=m", NULL},
    {"title", "TEXT", "", "that of the scenario", "above the picture", NULL},
    {"log-x", NULL, "", "", "first axis in powers of ten", NULL},
    {"log-y", NULL, "", "", "second axis in powers of ten", NULL},
    CAROM_OPTION_QUIET,
    CAROM_OPTION_JSON,
};

const carom_command carom_command_plot = {
    .name = "plot",
    .arguments = "FILE.h5 [WHAT]",
    .least = 1,
    .most = 2,
    .summary = "Draws what was recorded",
    .details =
        "FILE.h5 is what run, sweep, map, basin or bifurcate wrote with --out. WHAT is\n"
        "  of a run:  history   quantities over time, contact modes as bands, events marked\n"
        "             phase     one quantity over another, drawn by contact mode\n"
        "             section   crossings of a section, or impacts, in a plane of the state\n"
        "             return    each crossing over the one before\n"
        "             spectrum  amplitudes over frequency\n"
        "             energy    where the energy went over time, and the residual\n"
        "  of tables: sweep, map, basin, bifurcation, branch; chosen by the file\n"
        "The gnuplot script (NAME.gp) and its numbers (NAME.dat) stay beside the picture: "
        "change the\nstyle there and draw again with gnuplot.\n",
    .examples = "  carom plot run.h5\n"
                "  carom plot run.h5 history --of \"y,y',floor.normal\" --units t=s,y=m --until 2\n"
                "  carom plot run.h5 phase --of \"phi,phi'\" --from 30 -o portrait.pdf\n"
                "  carom plot diagram.h5 --overlay measured.csv -o diagram.png\n",
    .options = OPTIONS,
    .option_count = CAROM_COUNT(OPTIONS),
    .run = plot,
};
