// SPDX-License-Identifier: MIT
/// The carom program: finds the command and lets it work. With --json exactly one JSON object goes
/// to standard output; everything else goes to standard error.
#define _POSIX_C_SOURCE 200809L
#include "carom/sweep.h"
#include "carom/version.h"
#include "commands.h"
#include "completion.h"
#include "man_page.h"
#include "outputs.h"
#include "report.h"
#include "shield.h"

#include <signal.h>
#include <string.h>

static const carom_command *const COMMANDS[] = {
    &carom_command_run,         &carom_command_check,     &carom_command_derive,
    &carom_command_new,         &carom_command_import,    &carom_command_examples,
    &carom_command_info,        &carom_command_keys,      &carom_command_theory,
    &carom_command_equilibrium, &carom_command_locate,    &carom_command_converge,
    &carom_command_reproduce,   &carom_command_sweep,     &carom_command_merge,
    &carom_command_ensemble,    &carom_command_bifurcate, &carom_command_map,
    &carom_command_basin,       &carom_command_lyapunov,  &carom_command_plot,
    &carom_command_report,      &carom_command_movie,     &carom_command_lab,
    &carom_command_diff,        &carom_command_orbit,     &carom_command_continue,
    &carom_command_sensitivity, &carom_command_fit,       &carom_command_design};

static const carom_command *find_command(const char *name) {
  for (int k = 0; k < CAROM_COUNT(COMMANDS); k++)
    if (strcmp(COMMANDS[k]->name, name) == 0) return COMMANDS[k];
  return NULL;
}

static void print_overview(FILE *out) {
  fprintf(out,
          "usage: carom COMMAND FILE [--set NAME=VALUE]... [--json]\n\n"
          "Mechanical systems that hit, slide, stick and bounce: from a text file to the motion.\n"
          "\ncommands:\n");
  for (int k = 0; k < CAROM_COUNT(COMMANDS); k++)
    fprintf(out, "  %-11s %s\n", COMMANDS[k]->name, COMMANDS[k]->summary);
  fprintf(out, "  %-11s %s\n", "help", "Explains a command");
  fprintf(out, "\n  carom COMMAND --help   every option of a command, with examples\n"
               "  carom help --man       the manual page, for man -l\n"
               "  carom help --completion SHELL   completion for bash, zsh or fish\n"
               "  carom --version        version, revision, compiler and NVIDIA cards\n"
               "\nexit: 0 done, 1 failed, 2 the input is wrong, 3 done but a certificate did not "
               "pass\n"
               "\nfirst steps:\n"
               "  carom new swing\n"
               "  carom run swing.yaml\n"
               "  carom run swing.yaml --set drive=1.2 --out swing.h5\n");
}

static void print_version(void) {
  carom_build build = carom_build_info();
  printf("carom %s (%s, %s, %s)\n", build.version, build.revision, build.compiler, build.flags);
  char cards[400];
  carom_cards_describe(cards, sizeof cards);
  printf("cards for --gpu: %s\n", cards);
}

// what others call it; NULL: nothing is known
static const char *own_command(const char *name) {
  static const char *const WORDS[][2] = {{"simulate", "run"},
                                         {"sim", "run"},
                                         {"solve", "run"},
                                         {"animate", "movie"},
                                         {"video", "movie"},
                                         {"view", "report"},
                                         {"show", "report"},
                                         {"play", "report"},
                                         {"validate", "check"},
                                         {"equations", "derive"},
                                         {"init", "new"},
                                         {"create", "new"},
                                         {"gui", "lab"},
                                         {"bifurcation", "bifurcate"},
                                         {"poincare", "bifurcate"},
                                         {"continuation", "continue"},
                                         {"eigenvalues", "equilibrium"},
                                         {"optimize", "fit"},
                                         {"calibrate", "fit"},
                                         {"scan", "sweep"},
                                         {"list", "examples"}};
  for (int k = 0; k < CAROM_COUNT(WORDS); k++)
    if (strcmp(name, WORDS[k][0]) == 0) return WORDS[k][1];
  return NULL;
}

static int unknown_command(const char *name, bool json) {
  const char *names[CAROM_COUNT(COMMANDS) + 1] = {"help"};
  for (int k = 0; k < CAROM_COUNT(COMMANDS); k++)
    names[k + 1] = COMMANDS[k]->name;
  const char *nearest = own_command(name);
  if (!nearest) nearest = carom_nearest_word(name, CAROM_COUNT(names), names);
  carom_error error = {.status = CAROM_ERR_INPUT};
  if (nearest)
    (void)snprintf(error.text, sizeof error.text,
                   "there is no command '%.100s'; did you mean '%s'?", name, nearest);
  else if (strstr(name, ".yaml") || strstr(name, ".yml"))
    (void)snprintf(error.text, sizeof error.text,
                   "there is no command '%.100s'; did you mean 'carom run %.100s'?", name, name);
  else
    (void)snprintf(error.text, sizeof error.text,
                   "there is no command '%.100s'; 'carom --help' lists them", name);
  return carom_report_usage(name, json, &error);
}

static bool asks_for_json(int count, char **words) {
  for (int k = 0; k < count; k++)
    if (strcmp(words[k], "--json") == 0) return true;
  return false;
}

static int write_completion(const char *shell) {
  if (carom_completion(shell, CAROM_COUNT(COMMANDS), COMMANDS, stdout)) return CAROM_EXIT_DONE;
  carom_error error = {.status = CAROM_ERR_INPUT};
  (void)snprintf(error.text, sizeof error.text,
                 "--completion expects bash, zsh or fish, not '%.100s'", shell);
  return carom_report_usage("help", false, &error);
}

static int show_help(int count, char **words) {
  if (count == 0) {
    print_overview(stdout);
    return CAROM_EXIT_DONE;
  }
  if (strcmp(words[0], "--man") == 0) {
    carom_man_page(CAROM_COUNT(COMMANDS), COMMANDS, stdout);
    return CAROM_EXIT_DONE;
  }
  if (strcmp(words[0], "--completion") == 0) return write_completion(count > 1 ? words[1] : "");
  const carom_command *command = find_command(words[0]);
  if (!command) return unknown_command(words[0], false);
  carom_command_help(command, stdout);
  return CAROM_EXIT_DONE;
}

static int run_command(const carom_command *command, int count, char **words) {
  carom_call call;
  carom_error error = {0};
  int exit_code;
  if (carom_call_parse(command, count, words, &call, &error) != CAROM_OK) {
    exit_code = carom_report_usage(command->name, asks_for_json(count, words), &error);
  } else if (carom_call_has(&call, "help")) {
    carom_command_help(command, stdout);
    exit_code = CAROM_EXIT_DONE;
  } else if (carom_outputs_check(&call, NULL, &error) != CAROM_OK) {
    exit_code = carom_report(&call, &error, NULL, CAROM_EXIT_WRONG_INPUT);
  } else {
    exit_code = carom_shield_run(&call);
  }
  carom_call_release(&call);
  return exit_code;
}

static int dispatch_command(int count, char **words) {
  if (count == 0) {
    print_overview(stderr);
    return CAROM_EXIT_WRONG_INPUT;
  }
  const char *first = words[0];
  if (strcmp(first, "--help") == 0 || strcmp(first, "-h") == 0) return show_help(0, NULL);
  if (strcmp(first, "help") == 0) return show_help(count - 1, words + 1);
  if (strcmp(first, "--version") == 0) {
    print_version();
    return CAROM_EXIT_DONE;
  }
  const carom_command *command = find_command(first);
  if (!command) return unknown_command(first, asks_for_json(count, words));
  return run_command(command, count - 1, words + 1);
}

int main(int argc, char **argv) {
  // a file too large for its limit is an error of writing, not the end of the program
  (void)signal(SIGXFSZ, SIG_IGN);
  int exit_code = dispatch_command(argc > 0 ? argc - 1 : 0, argv + 1);

  // output that did not arrive is a failure
  if (fflush(stdout) != 0 || ferror(stdout)) {
    fprintf(stderr, "carom: cannot write to standard output\n");
    if (exit_code == CAROM_EXIT_DONE) exit_code = CAROM_EXIT_FAILED;
  }
  return exit_code;
}
