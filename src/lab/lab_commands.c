// SPDX-License-Identifier: MIT
/// The commands of the program that need neither files nor other programs, as they are on the
/// command line: what the page shows of an analysis is what the command answers.
#include "lab/lab.h"

#include "cli/commands.h"
#include "cli/report.h"

#include <stdlib.h>
#include <string.h>

static const carom_command *const COMMANDS[] = {
    &carom_command_check,    &carom_command_derive,    &carom_command_equilibrium,
    &carom_command_locate,   &carom_command_converge,  &carom_command_sweep,
    &carom_command_map,      &carom_command_bifurcate, &carom_command_basin,
    &carom_command_lyapunov, &carom_command_orbit,     &carom_command_continue};

static int run_command(const carom_command *command, int count, char **words) {
  carom_call call;
  carom_error error = {0};
  int exit_code = carom_call_parse(command, count, words, &call, &error) == CAROM_OK
                      ? command->run(&call)
                      : carom_report_usage(command->name, true, &error);
  carom_call_release(&call);
  return exit_code;
}

EXPORT(lab_command) int lab_command(int count, const char *texts) {
  int exit_code = CAROM_EXIT_WRONG_INPUT;
  char **words = calloc((size_t)count + 1, sizeof *words);
  if (!words) return CAROM_EXIT_FAILED;
  for (int k = 0; k < count; k++) {
    words[k] = (char *)texts;
    texts += strlen(texts) + 1;
  }
  for (int k = 0; k < CAROM_COUNT(COMMANDS) && count > 0; k++)
    if (strcmp(COMMANDS[k]->name, words[0]) == 0)
      exit_code = run_command(COMMANDS[k], count - 1, words + 1);
  free(words);
  return exit_code;
}

EXPORT(lab_flush) void lab_flush(void) { (void)fflush(stdout); }
EXPORT(lab_take) void *lab_take(int size) { return malloc((size_t)size); }
EXPORT(lab_release) void lab_release(void *memory) { free(memory); }
