// SPDX-License-Identifier: MIT
/// Commands and their options. Each command is one table: the parser reads it and the help is
/// printed from it, so neither can know an option that the other does not.
#ifndef CAROM_CLI_OPTIONS_H
#define CAROM_CLI_OPTIONS_H

#include "carom/model.h"

#include <stdio.h>

/// What the program returns to the shell.
enum {
  CAROM_EXIT_DONE = 0,
  CAROM_EXIT_FAILED = 1,
  CAROM_EXIT_WRONG_INPUT = 2,
  CAROM_EXIT_NOT_PASSED = 3 // done, but a certificate did not pass
};

/// One long option: --name, --name VALUE or --name=VALUE; where the value may be left out, and
/// `value` is written [VALUE], --name or --name=VALUE.
typedef struct carom_option {
  const char *name;     // without dashes
  const char *value;    // what stands for its value in the help; NULL: it takes none
  const char *unit;     // of the value; "": none
  const char *fallback; // what holds when it is not given; "": nothing to say
  const char *help;
  const char *sets; // the path in the scenario that the value is written to; NULL: none
} carom_option;

typedef struct carom_call carom_call;

typedef struct carom_command {
  const char *name;
  const char *arguments; // as shown in the usage line: "FILE", "FILE [WHAT]", "PART..."
  const char *summary;   // one line
  const char *details;   // some lines, each ended
  const char *examples;  // some lines, each ended
  const carom_option *options;
  int option_count;
  int (*run)(const carom_call *call); // returns the exit code
} carom_command;

/// Input that cannot be understood: writes the error and returns its status, or false.
CAROM_PRINTF(2, 3) carom_status carom_wrong(carom_error *error, const char *format, ...);
CAROM_PRINTF(2, 3) bool carom_refuse(carom_error *error, const char *format, ...);

/// An option as given.
typedef struct carom_given {
  const carom_option *option;
  const char *value; // NULL for options that take none
} carom_given;

/// A command line, understood. Texts point into argv, but for the owned paths of settings.
struct carom_call {
  const carom_command *command;
  int argument_count, given_count, setting_count;
  const char **arguments;
  carom_given *given;
  carom_setting *settings; // of --set and of options that set something
};

// options that many commands share
#define CAROM_OPTION_SET                                                                           \
  {                                                                                                \
    "set", "NAME=VALUE", "as in the file", "none",                                                 \
        "change a parameter, a start value or any entry of the scenario; may be given repeatedly", \
        NULL                                                                                       \
  }
#define CAROM_OPTION_JSON                                                                          \
  { "json", NULL, "", "", "print one JSON object on standard output", NULL }
#define CAROM_OPTION_QUIET                                                                         \
  { "quiet", NULL, "", "", "print nothing but errors", NULL }
#define CAROM_OPTIONS_OF_A_SCENARIO CAROM_OPTION_SET, CAROM_OPTION_JSON
#define CAROM_OPTIONS_OF_ANSWERS CAROM_OPTION_QUIET, CAROM_OPTION_JSON
/// The table of a command's options, as its entry.
#define CAROM_TAKES(table) .options = (table), .option_count = CAROM_COUNT(table)
#define CAROM_COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

/// Reads the words after the name of the command. CAROM_ERR_INPUT with a message when they do not
/// fit the command. The caller releases the call, also after an error.
carom_status carom_call_parse(const carom_command *command, int count, char **words,
                              carom_call *call, carom_error *error);
void carom_call_release(carom_call *call);

/// Must a value follow?
bool carom_option_needs_value(const carom_option *option);
/// Does the command know the option?
bool carom_command_has(const carom_command *command, const char *name);
/// Was the option given?
bool carom_call_has(const carom_call *call, const char *name);
/// The value given last, or NULL.
const char *carom_call_value(const carom_call *call, const char *name);
/// The file the command works on; NULL for commands without one.
const char *carom_call_file(const carom_call *call);

/// Usage, options, examples.
void carom_command_help(const carom_command *command, FILE *out);

/// The name nearest to a mistyped word, or NULL when none is near; for suggestions.
const char *carom_nearest_word(const char *word, int count, const char *const *names);

#endif
