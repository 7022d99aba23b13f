// SPDX-License-Identifier: MIT
#define _POSIX_C_SOURCE 200809L
#include "outputs.h"

#include "drawn.h"

#include <string.h>
#include <sys/stat.h>

enum { LONGEST_PATH = 4200, MOST_OUTPUTS = 32 };

/// One file that will be written.
typedef struct output {
  char path[LONGEST_PATH];
  const char *option; // that asks for it
} output;

typedef struct outputs {
  output *items;
  int count;
} outputs;

// ---- are two names one file? ----

static const char *last_part(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static bool folder_about(const char *path, struct stat *about) {
  char folder[LONGEST_PATH];
  size_t length = (size_t)(last_part(path) - path);
  if (length >= sizeof folder) return false;
  memcpy(folder, path, length);
  folder[length] = '\0';
  return stat(length > 0 ? folder : ".", about) == 0;
}

static bool same_file(const char *a, const char *b) {
  struct stat about_a, about_b;
  bool has_a = stat(a, &about_a) == 0, has_b = stat(b, &about_b) == 0;
  // into a pipe, a terminal or /dev/null several may write
  if ((has_a && !S_ISREG(about_a.st_mode)) || (has_b && !S_ISREG(about_b.st_mode))) return false;
  if (has_a && has_b) return about_a.st_dev == about_b.st_dev && about_a.st_ino == about_b.st_ino;
  if (has_a != has_b || strcmp(last_part(a), last_part(b)) != 0) return false;
  return folder_about(a, &about_a) && folder_about(b, &about_b) &&
         about_a.st_dev == about_b.st_dev && about_a.st_ino == about_b.st_ino;
}

// ---- what will be written ----

static void add_output(outputs *it, const char *option, const char *path, int length,
                       const char *ending) {
  if (it->count == MOST_OUTPUTS) return;
  output *fresh = &it->items[it->count++];
  fresh->option = option;
  (void)snprintf(fresh->path, sizeof fresh->path, "%.*s%s", length, path, ending);
}

static void add_whole(outputs *it, const char *option, const char *path, const char *ending) {
  add_output(it, option, path, (int)strlen(path), ending);
}

// a picture has its script and its numbers beside it
static void add_picture(outputs *it, const char *option, const char *path) {
  const char *dot = strrchr(last_part(path), '.');
  int stem = dot ? (int)(dot - path) : (int)strlen(path);
  add_whole(it, option, path, "");
  add_output(it, option, path, stem, ".gp");
  add_output(it, option, path, stem, ".dat");
}

// rods.csv is left out: a bed may go on from its own end
static void add_folder(outputs *it, const char *option, const char *folder) {
  static const char *const TABLES[] = {"/series.csv",      "/events.csv",      "/contacts.csv",
                                       "/energy.csv",      "/observables.csv", "/scenario.yaml",
                                       "/certificate.csv", "/provenance.csv"};
  for (int k = 0; k < CAROM_COUNT(TABLES); k++)
    add_whole(it, option, folder, TABLES[k]);
}

// the first table has the name given, the others NAME-table.csv
static void add_table(outputs *it, const char *option, const char *path) {
  static const char *const TABLES[] = {"-points.csv", "-changes.csv", "-attractors.csv",
                                       "-starts.csv", "-course.csv",  "-exponents.csv",
                                       "-orbits.csv", "-turn.csv"};
  size_t stem = strlen(path);
  if (stem > 4 && strcmp(path + stem - 4, ".csv") == 0) stem -= 4;
  add_whole(it, option, path, "");
  for (int k = 0; k < CAROM_COUNT(TABLES); k++)
    add_output(it, option, path, (int)stem, TABLES[k]);
}

static bool same_text(const char *a, const char *b) { return strcmp(a, b) == 0; }

static void add_option(outputs *it, const carom_call *call, const carom_given *given) {
  const char *name = given->option->name, *path = given->value;
  bool drawn = same_text(call->command->name, "plot");
  if (same_text(name, "picture") || (same_text(name, "out") && drawn))
    add_picture(it, name, path);
  else if (same_text(name, "csv") && same_text(given->option->value, "DIR"))
    add_folder(it, name, path);
  else if (same_text(name, "csv"))
    add_table(it, name, path);
  else if (same_text(name, "vtk"))
    add_whole(it, name, path, "/motion.pvd");
  else if (same_text(name, "out") || same_text(name, "save"))
    add_whole(it, name, path, "");
  // work that can be resumed has its journal there
  if (carom_command_has(call->command, "resume") &&
      (same_text(name, "out") || same_text(name, "csv")))
    add_whole(it, name, path, ".journal");
}

static void collect_outputs(outputs *it, const carom_call *call) {
  for (int k = 0; k < call->given_count; k++)
    if (call->given[k].value) add_option(it, call, &call->given[k]);
  // a picture without a name of its own
  if (!same_text(call->command->name, "plot") || carom_call_value(call, "out")) return;
  char name[CAROM_DRAWN_NAME], ending[80] = ".svg";
  if (call->argument_count > 1)
    (void)snprintf(ending, sizeof ending, "-%.60s.svg", call->arguments[1]);
  carom_drawn_name(call, ending, name);
  add_picture(it, "out", name);
}

// ---- what is read ----

static carom_status compare_with_input(const outputs *it, const char *input, const char *spared,
                                       carom_error *error) {
  for (int k = 0; k < it->count; k++) {
    const output *o = &it->items[k];
    if ((spared && same_text(o->option, spared)) || !same_file(input, o->path)) continue;
    return carom_wrong(error, "--%s would write over %.200s, which is read: choose another name",
                       o->option, input);
  }
  return CAROM_OK;
}

// a state may be gone on from and saved in one place
static carom_status compare_given(const outputs *it, const carom_given *given, carom_error *error) {
  const char *name = given->option->name;
  if (same_text(name, "from") && same_text(given->option->value, "STATE"))
    return compare_with_input(it, given->value, "save", error);
  if (same_text(name, "overlay") || same_text(name, "with"))
    return compare_with_input(it, given->value, NULL, error);
  return CAROM_OK;
}

static carom_status compare_each_other(const outputs *it, carom_error *error) {
  for (int k = 0; k < it->count; k++)
    for (int j = 0; j < k; j++)
      if (!same_text(it->items[j].option, it->items[k].option) &&
          same_file(it->items[j].path, it->items[k].path))
        return carom_wrong(error, "--%s and --%s would both write %.200s", it->items[j].option,
                           it->items[k].option, it->items[k].path);
  return CAROM_OK;
}

// a record that is called x.csv is probably meant to be a table
static carom_status compare_ending(const carom_call *call, carom_error *error) {
  static const char *const OTHERS[] = {".csv", ".json", ".txt", ".png", ".svg", ".html", ".mp4"};
  const char *path = carom_command_has(call->command, "csv") ? carom_call_value(call, "out") : NULL;
  const char *ending = path ? strrchr(last_part(path), '.') : NULL;
  for (int k = 0; ending && k < CAROM_COUNT(OTHERS); k++)
    if (same_text(ending, OTHERS[k]))
      return carom_wrong(error,
                         "--out writes an HDF5 file, NAME.h5, not '%.200s'; --csv writes tables, "
                         "and carom plot, report and movie make pictures of the file",
                         path);
  return CAROM_OK;
}

bool carom_outputs_have_folders(const carom_call *call) {
  output items[MOST_OUTPUTS];
  outputs it = {.items = items};
  struct stat about;
  collect_outputs(&it, call);
  for (int k = 0; k < it.count; k++)
    if (!folder_about(it.items[k].path, &about) || !S_ISDIR(about.st_mode)) return false;
  return true;
}

carom_status carom_outputs_check(const carom_call *call, const carom_model *model,
                                 carom_error *error) {
  output items[MOST_OUTPUTS];
  outputs it = {.items = items};
  collect_outputs(&it, call);
  carom_status status = compare_each_other(&it, error);
  for (int k = 0; k < call->argument_count && status == CAROM_OK; k++)
    status = compare_with_input(&it, call->arguments[k], NULL, error);
  for (int k = 0; k < call->given_count && status == CAROM_OK; k++)
    if (call->given[k].value) status = compare_given(&it, &call->given[k], error);
  const char *read = NULL;
  for (int k = 0; model && status == CAROM_OK && (read = carom_model_file(model, k)); k++)
    status = compare_with_input(&it, read, NULL, error);
  // that a file would be lost is the graver mistake, and it is known once the scenario was read
  if (model && status == CAROM_OK) status = compare_ending(call, error);
  return status;
}
