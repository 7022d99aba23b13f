// SPDX-License-Identifier: MIT
/// What the program says about trouble: "carom: file:line:column: message" on standard error, the
/// line of the file with a caret, and the same as JSON where it was asked for.
#ifndef CAROM_CLI_REPORT_H
#define CAROM_CLI_REPORT_H

#include "carom/simulation.h"
#include "json.h"
#include "options.h"

#include <math.h>

typedef enum carom_style {
  CAROM_STYLE_PLAIN,
  CAROM_STYLE_BOLD,
  CAROM_STYLE_DIM,
  CAROM_STYLE_GOOD,
  CAROM_STYLE_WARNING,
  CAROM_STYLE_ERROR
} carom_style;

/// The escape sequence that begins a style on `stream` ("" unless it is a terminal and NO_COLOR is
/// not set); CAROM_STYLE_PLAIN ends it.
const char *carom_style_text(FILE *stream, carom_style style);

/// Is the stream a terminal?
bool carom_is_terminal(FILE *stream);

/// Text from a file with everything a terminal could take as a command replaced.
void carom_print_safely(FILE *out, const char *text);

void carom_warn(const char *text);
/// What a computation that did not fail has to say, left in an error that is none.
void carom_warn_of_remark(carom_status status, const carom_error *remark);

/// The answer of a command as JSON on standard output, begun: an object with its name and its file.
carom_json carom_json_answer(const carom_call *call);

/// Reports an error of a command, as JSON too where --json was given, and returns `exit_code`.
/// `simulation`, whose motion failed, gives the names of the state; NULL when none was under way.
int carom_report(const carom_call *call, const carom_error *error,
                 const carom_simulation *simulation, int exit_code);

/// Adds what to try where a single search for a periodic motion did not converge.
void carom_advise_search(carom_status status, carom_error *error);

/// Before there is a call: the same for a command line that could not be read.
int carom_report_usage(const char *command, bool json, const carom_error *error);

/// The exit code of a scenario that could not be loaded: 2, but 1 where the machine is to blame.
int carom_load_exit(carom_status status);

/// Loads the file of the command with its settings; on failure reports, sets *exit_code and
/// returns NULL.
carom_model *carom_load(const carom_call *call, int *exit_code);

/// A simulation that has set off from its start, or an error: a start may not fit.
carom_status carom_set_off(const carom_model *model, carom_simulation **simulation,
                           carom_error *error);

#endif
