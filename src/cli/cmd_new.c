// SPDX-License-Identifier: MIT
/// carom new: a commented scenario to start from.
#define _POSIX_C_SOURCE 200809L
#include "commands.h"
#include "examples.h"
#include "report.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LONGEST_PATH = 700 };

// what follows the title; every block says what it is for
static const char STARTER[] =
    "# A pendulum with damping, driven by a moment at its pivot.\n"
    "#   carom check FILE     what was understood\n"
    "#   carom derive FILE    the equations of motion\n"
    "#   carom run FILE       the motion; --set drive=1.2 changes a parameter\n"
    "\n"
    "# Named numbers. A parameter may be an expression of parameters above it.\n"
    "parameters:\n"
    "  m: 0.1                    # mass of the bob, kg\n"
    "  L: 0.25                   # length of the rod, m\n"
    "  g: 9.81                   # gravity, m/s^2\n"
    "  damping: 2e-3             # at the pivot, N m s\n"
    "  drive: 0.05               # amplitude of the moment, N m\n"
    "  omega: 2/3*sqrt(g/L)      # its angular frequency, rad/s\n"
    "\n"
    "# What describes the position, with values at the start; a rate may be given as\n"
    "# phi: {start: 20 deg, rate: 0}.\n"
    "coordinates:\n"
    "  phi: 20 deg               # angle from hanging down\n"
    "\n"
    "# Names for expressions, usable everywhere. A prime is the time derivative: x' is the\n"
    "# velocity of the bob.\n"
    "define:\n"
    "  x: L*sin(phi)\n"
    "  y: -L*cos(phi)\n"
    "  power: drive*cos(omega*t)*phi'\n"
    "\n"
    "# The equations of motion follow from the energies.\n"
    "energy:\n"
    "  kinetic: m/2*(x'^2 + y'^2)\n"
    "  potential: m*g*y\n"
    "  dissipation: damping/2*phi'^2    # its derivative by phi' is the damping moment\n"
    "\n"
    "# Generalised forces beside those of the energies, by coordinate.\n"
    "forces:\n"
    "  phi: drive*cos(omega*t)\n"
    "\n"
    "# Instants to look at, found exactly: here each passage through the lowest point.\n"
    "sections:\n"
    "  lowest: {when: sin(phi), direction: rising}\n"
    "\n"
    "# How long to run and how often to record a sample.\n"
    "run: {until: 60, sample: 0.02}\n"
    "\n"
    "# Results are taken over this part of the run, when the start is forgotten.\n"
    "measure: {after: 30}\n"
    "\n"
    "# Results: mean, max, min, mean_rate, last; count and at for sections.\n"
    "observe:\n"
    "  swing: max(abs(phi))             # rad\n"
    "  mean_power: mean(power)          # taken from the drive, W\n"
    "  passages: count(lowest)\n"
    "\n"
    "# What to draw; it has no influence on the motion.\n"
    "shapes:\n"
    "  - {segment: [[0, 0], [x, y]]}\n"
    "  - {circle: [x, y], radius: 0.02}\n";

static int fail_new(const carom_call *call, carom_status status, const char *what, const char *file,
                    const char *reason) {
  carom_error error = {.status = status};
  (void)snprintf(error.text, sizeof error.text, "%.40s%.800s: %.160s", what, file, reason);
  return carom_report(call, &error, NULL, CAROM_EXIT_WRONG_INPUT);
}

// the name without folder and ending, fit to stand in quotes
static void title_from(const char *path, char *title, size_t room) {
  const char *slash = strrchr(path, '/');
  (void)snprintf(title, room, "%s", slash ? slash + 1 : path);
  char *ending = strrchr(title, '.');
  if (ending) *ending = '\0';
  for (char *c = title; *c; c++)
    if (!isalnum((unsigned char)*c) && *c != '-' && (unsigned char)*c < 0x80) *c = ' ';
}

static bool ends_with(const char *text, const char *ending) {
  size_t a = strlen(text), b = strlen(ending);
  return a > b && strcmp(text + a - b, ending) == 0;
}

static bool copy_file(const char *path, const char *from) {
  FILE *in = fopen(from, "rb"), *out = in ? fopen(path, "wbx") : NULL;
  char block[4096];
  size_t count = 0;
  bool good = in && out;
  while (good && (count = fread(block, 1, sizeof block, in)) > 0)
    good = fwrite(block, 1, count, out) == count;
  good = good && ferror(in) == 0;
  if (in) (void)fclose(in);
  return (!out || fclose(out) == 0) && good;
}

// what the example reads beside itself, tables and what it includes, goes beside the new file; what
// is there already is left as it is
static carom_status copy_needed(const char *file, const char *example, carom_error *error) {
  carom_model *model = NULL;
  carom_status status = carom_model_load(example, 0, NULL, &model, error);
  const char *slash = strrchr(file, '/');
  int folder = slash ? (int)(slash + 1 - file) : 0;
  for (int k = 0; status == CAROM_OK && carom_model_file(model, k); k++) {
    const char *needed = carom_model_file(model, k), *name = strrchr(needed, '/');
    char path[LONGEST_PATH + CAROM_EXAMPLE_PATH];
    if (strcmp(needed, example) == 0 || !name) continue;
    (void)snprintf(path, sizeof path, "%.*s%s", folder, file, name + 1);
    if (access(path, F_OK) == 0 || copy_file(path, needed)) continue;
    status = error->status = CAROM_ERR_IO;
    (void)snprintf(error->text, sizeof error->text, "cannot write %.400s: %.100s", path,
                   strerror(errno));
  }
  carom_model_destroy(model);
  return status;
}

static bool write_starter(const char *path, const char *file) {
  char title[LONGEST_PATH + 8];
  title_from(file, title, sizeof title);
  FILE *out = fopen(path, "wbx"); // a link of that name is not followed
  if (!out) return false;
  fprintf(out, "title: \"%s\"\n\n%s", title, STARTER);
  bool good = ferror(out) == 0;
  return fclose(out) == 0 && good;
}

// gives the file its name unless there is one of that name, even if it appeared just now
static bool give_name(const char *temporary, const char *file) {
  bool named = link(temporary, file) == 0;
  int reason = errno;
  (void)unlink(temporary);
  errno = reason;
  return named;
}

static int fail_example(const carom_call *call, const char *from) {
  char *names[CAROM_EXAMPLE_MOST], reason[160];
  int count = carom_examples_list(names);
  const char *nearest = carom_nearest_word(from, count, (const char *const *)names);
  (void)snprintf(reason, sizeof reason, "is no example%s%s%s",
                 nearest ? "; did you mean '" : "; 'carom examples' lists them",
                 nearest ? nearest : "", nearest ? "'?" : "");
  for (int k = 0; k < count; k++)
    free(names[k]);
  return fail_new(call, CAROM_ERR_INPUT, "", from, reason);
}

static int run_new(const carom_call *call) {
  const char *name = carom_call_file(call);
  char file[LONGEST_PATH + 8], temporary[LONGEST_PATH + 32];
  if (!name[0] || strlen(name) > LONGEST_PATH)
    return fail_new(call, CAROM_ERR_INPUT, "a new scenario", "",
                    "needs a name of reasonable length");
  bool whole = ends_with(name, ".yaml") || ends_with(name, ".yml");
  (void)snprintf(file, sizeof file, "%s%s", name, whole ? "" : ".yaml");
  (void)snprintf(temporary, sizeof temporary, "%s.tmp%ld", file, (long)getpid());

  char example[CAROM_EXAMPLE_PATH];
  const char *from = carom_call_value(call, "from");
  if (from && !carom_example_path(from, example)) return fail_example(call, from);
  if (access(file, F_OK) == 0)
    return fail_new(call, CAROM_ERR_INPUT, "", file, "exists already and is left as it is");
  if (!(from ? copy_file(temporary, example) : write_starter(temporary, file))) {
    int reason = errno;
    (void)unlink(temporary);
    return fail_new(call, CAROM_ERR_IO, "cannot write ", file, strerror(reason));
  }
  if (!give_name(temporary, file))
    return fail_new(call, CAROM_ERR_IO, "cannot write ", file, strerror(errno));
  carom_error error = {0};
  if (from && copy_needed(file, example, &error) != CAROM_OK)
    return carom_report(call, &error, NULL, CAROM_EXIT_WRONG_INPUT);

  if (carom_call_has(call, "json")) {
    carom_json json = {.out = stdout};
    carom_json_object(&json, NULL);
    carom_json_text(&json, "command", call->command->name);
    carom_json_text(&json, "file", file);
    carom_json_end(&json);
  } else {
    printf("wrote %s; try: carom run %s\n", file, file);
  }
  return CAROM_EXIT_DONE;
}

static const carom_option OPTIONS[] = {
    {"from", "EXAMPLE", "", "a pendulum", "copy a scenario that `carom examples` lists", NULL},
    CAROM_OPTION_JSON,
};

const carom_command carom_command_new = {
    .name = "new",
    .arguments = "NAME",
    .summary = "Writes NAME.yaml, a commented scenario to start from",
    .details = "A driven, damped pendulum in which every block is explained; or a copy of an "
               "example, with\n"
               "its tables. A file of that name is never overwritten.\n",
    .examples = "  carom new swing\n"
                "  carom new mine --from den_hartog\n"
                "  carom run swing.yaml\n",
    CAROM_TAKES(OPTIONS),
    .run = run_new,
};
