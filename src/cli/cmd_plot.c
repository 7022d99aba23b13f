// SPDX-License-Identifier: MIT
/// carom plot: pictures of recorded files.
#include "commands.h"
#include "draw/plot.h"
#include "drawn.h"
#include "report.h"

#include <string.h>

// the further runs of a comparison
static bool take_runs(const carom_call *call, carom_plot_options *options, carom_error *error) {
  for (int k = 0; k < call->given_count; k++) {
    if (strcmp(call->given[k].option->name, "with") != 0) continue;
    if (options->with_count == CAROM_PLOT_RUNS) {
      return carom_refuse(error, "a run is compared with up to %d others", CAROM_PLOT_RUNS);
    }
    options->with[options->with_count++] = call->given[k].value;
  }
  return true;
}

static int run_plot(const carom_call *call) {
  carom_error error = {0};
  char output[CAROM_DRAWN_NAME], ending[80] = ".svg";
  carom_plot_options options = carom_plot_options_default();
  if (call->argument_count > 1)
    (void)snprintf(ending, sizeof ending, "-%.60s.svg", call->arguments[1]);
  carom_drawn_name(call, ending, output);
  options.file = carom_call_file(call);
  options.what = call->argument_count > 1 ? call->arguments[1] : NULL;
  options.of = carom_call_value(call, "of");
  options.units = carom_call_value(call, "units");
  options.title = carom_call_value(call, "title");
  options.overlay = carom_call_value(call, "overlay");
  options.overlay_name = carom_call_value(call, "overlay-name");
  options.output = carom_call_value(call, "out") ? carom_call_value(call, "out") : output;
  options.over = carom_call_value(call, "over");
  options.labels = carom_call_value(call, "labels");
  options.equal = carom_call_has(call, "equal");
  options.log_x = carom_call_has(call, "log-x");
  options.log_y = carom_call_has(call, "log-y");
  if (!carom_drawn_number(call, "from", &options.from, &error) ||
      !carom_drawn_number(call, "until", &options.until, &error))
    return carom_report(call, &error, NULL, CAROM_EXIT_WRONG_INPUT);
  if (!take_runs(call, &options, &error))
    return carom_report(call, &error, NULL, CAROM_EXIT_WRONG_INPUT);
  carom_status status = carom_plot(&options, &error);
  return carom_drawn_answer(call, status, &error, "picture", options.output);
}

static const carom_option OPTIONS[] = {
    {"out", "PICTURE", "", "FILE.svg", "NAME.svg, NAME.pdf or NAME.png; also -o", NULL},
    {"of", "NAME,NAME...", "", "chosen by the picture",
     "which quantities, a+b in one panel; of contacts left.normal, left.gap, left.slip, "
     "left.tangential",
     NULL},
    {"from", "T", "as the first axis", "the start", "leave out what comes before", NULL},
    {"until", "T", "as the first axis", "the end", "leave out what comes after", NULL},
    {"overlay", "DATA.csv", "", "none",
     "draw the first two columns of a table as points on top: measurements, published values",
     NULL},
    {"overlay-name", "TEXT", "", "the file's", "what the legend calls the overlay", NULL},
    {"with", "FILE.h5", "", "none", "a further run for 'compare'; may be given repeatedly", NULL},
    {"over", "NAME", "", "t, the axis",
     "the horizontal quantity of 'compare' or, by a column, of 'sweep'", NULL},
    {"labels", "TEXT,TEXT...", "", "the files", "what the runs of 'compare' are called", NULL},
    {"units", "NAME=UNIT,...", "", "none",
     "written beside the names on the axes: t=s,y=m,.normal=N; y' is then in m/s", NULL},
    {"title", "TEXT", "", "that of the scenario", "above the picture", NULL},
    {"equal", NULL, "", "", "both axes of 'phase' to the same scale, for paths", NULL},
    {"log-x", NULL, "", "", "first axis in powers of ten", NULL},
    {"log-y", NULL, "", "", "second axis in powers of ten", NULL},
    CAROM_OPTIONS_OF_ANSWERS,
};

const carom_command carom_command_plot = {
    .name = "plot",
    .arguments = "FILE.h5 [WHAT]",
    .summary = "Draws what was recorded",
    .details =
        "FILE.h5 is what another command wrote with --out. WHAT is\n"
        "  of a run:  history   quantities over time, contact modes as bands, events marked\n"
        "             phase     one quantity over another, drawn by contact mode\n"
        "             compare   the same quantities of several runs\n"
        "             section   crossings of a section, or impacts, in a plane of the state\n"
        "             return    each crossing over the one before\n"
        "             spectrum  amplitudes over frequency\n"
        "             energy    where the energy went over time, and the residual\n"
        "  of tables: sweep, map, basin, bifurcation, branch, orbits, exponents; chosen by the "
        "file\n"
        "The gnuplot script (NAME.gp) and its numbers (NAME.dat) stay beside the picture: "
        "change the\nstyle there and draw again with gnuplot.\n",
    .examples = "  carom plot run.h5\n"
                "  carom plot run.h5 history --of \"y,y',floor.normal\" --units t=s,y=m --until 2\n"
                "  carom plot run.h5 phase --of \"phi,phi'\" --from 30 -o portrait.pdf\n"
                "  carom plot diagram.h5 --overlay measured.csv -o diagram.png\n",
    CAROM_TAKES(OPTIONS),
    .run = run_plot,
};
