// SPDX-License-Identifier: MIT
/// carom report: a recorded run as one page for a browser.
#include "commands.h"
#include "draw/page.h"
#include "drawn.h"
#include "report.h"
#include "whole_file.h"

#include <stdlib.h>

static int write_report(const carom_call *call) {
  carom_error error = {0};
  char output[CAROM_DRAWN_NAME];
  carom_page_options options = carom_page_options_default();
  carom_drawn_name(call, ".html", output);
  options.file = carom_call_file(call);
  options.output = carom_call_value(call, "out") ? carom_call_value(call, "out") : output;
  options.of = carom_call_value(call, "of");
  options.lab = carom_call_value(call, "lab");
  if (!carom_drawn_number(call, "from", &options.from, &error) ||
      !carom_drawn_number(call, "until", &options.until, &error))
    return carom_report(call, &error, NULL, CAROM_EXIT_WRONG_INPUT);
  // motions in space: light and shadows where the lab was built, else painted without
  char *stage = carom_read_made("stage.js");
  options.stage = stage;
  carom_status status = carom_page_write(&options, &error);
  free(stage);
  return carom_drawn_answer(call, status, &error, "page", options.output);
}

static const carom_option OPTIONS[] = {
    {"out", "PAGE.html", "", "FILE.html", "where the page goes; also -o", NULL},
    {"of", "NAME,NAME...", "", "the first three", "time histories that are open at first", NULL},
    {"from", "T", "time of the run", "the start; of a long run its last 4000 samples",
     "leave out what comes before", NULL},
    {"until", "T", "time of the run", "the end", "leave out what comes after", NULL},
    {"lab", "PAGE.html", "", "no link", "the page of 'carom lab' that \"run it yourself\" opens",
     NULL},
    CAROM_OPTIONS_OF_ANSWERS,
};

const carom_command carom_command_report = {
    .name = "report",
    .arguments = "FILE.h5",
    .summary = "Makes a page that plays a recorded run",
    .details =
        "One HTML file that needs no network: the motion drawn from the scenario's `shapes` (or "
        "the "
        "rods\nand bodies of the engine) to play, scrub, slow down, zoom and turn; time histories "
        "with one\ncursor; the events; the certificate; the scenario as it was run.\n",
    .examples = "  carom run dimer.yaml --out dimer.h5\n"
                "  carom report dimer.h5 -o dimer.html\n"
                "  carom report dimer.h5 --from 10 --until 12 --of \"x,theta,left.normal\"\n",
    CAROM_TAKES(OPTIONS),
    .run = write_report,
};
