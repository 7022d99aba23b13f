// SPDX-License-Identifier: MIT
/// carom import: a scenario of bodies from the description of a robot.
#define _XOPEN_SOURCE 700
#include "commands.h"
#include "report.h"
#include "robot/robot.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LONGEST_PATH = 4000, MOST_STARTS = 256, LARGEST = 64 << 20, MOST_UP = 6 };

// ---- files

// where the description is, and where the scenario will be
typedef struct place {
  char folder[LONGEST_PATH];  // of the description, ended by a slash; "": the present one
  char *home;                 // of the scenario, from the root
  char outside[LONGEST_PATH]; // a mesh that is not below it; "": none
} place;

static carom_status read_file(carom_arena *arena, const char *path, const char **bytes,
                              size_t *length, carom_error *error) {
  FILE *file = fopen(path, "rb");
  char *text = NULL;
  long size = -1;
  if (file && fseek(file, 0, SEEK_END) == 0) size = ftell(file);
  bool good = size >= 0 && size <= LARGEST && fseek(file, 0, SEEK_SET) == 0;
  if (good) text = carom_arena_take(arena, (size_t)size + 1);
  good = text && fread(text, 1, (size_t)size, file) == (size_t)size;
  int reason = errno;
  if (file) (void)fclose(file);
  *bytes = text;
  *length = good ? (size_t)size : 0;
  return good ? CAROM_OK
              : carom_fail(error, CAROM_ERR_IO, "cannot read %.400s: %s", path,
                           size > LARGEST ? "it is too large" : strerror(reason));
}

// Scenarios read only what is below their folder.
static bool name_from_home(place *it, const char *there, carom_arena *arena, const char **path) {
  char *whole = realpath(there, NULL);
  size_t length = strlen(it->home);
  bool top = strcmp(it->home, "/") == 0;
  bool inside = whole && strncmp(whole, it->home, length) == 0 && (top || whole[length] == '/');
  const char *rest = inside ? whole + length + (top ? 0 : 1) : "";
  *path = carom_arena_text(arena, rest, strlen(rest));
  if (whole && !inside) (void)snprintf(it->outside, sizeof it->outside, "%s", whole);
  free(whole);
  return inside && *path;
}

// `up` folders above the description
static bool look_at(place *it, int up, const char *name, carom_arena *arena, const char **path,
                    const char **bytes, size_t *length) {
  static const char above[] = "../../../../../../";
  char there[3 * LONGEST_PATH];
  bool whole = name[0] == '/';
  int size = snprintf(there, sizeof there, "%s%.*s%s", whole ? "" : it->folder, whole ? 0 : 3 * up,
                      above, name);
  if (size < 0 || size >= (int)sizeof there || access(there, R_OK) != 0) return false;
  return name_from_home(it, there, arena, path) &&
         read_file(arena, there, bytes, length, NULL) == CAROM_OK;
}

// package://NAME/PATH is looked for above the description, as NAME/PATH and as PATH
static bool open_mesh(void *ctx, carom_arena *arena, const char *name, const char **path,
                      const char **bytes, size_t *length) {
  static const char package[] = "package://", file[] = "file://";
  place *it = ctx;
  if (strncmp(name, file, strlen(file)) == 0) name += strlen(file);
  if (strncmp(name, package, strlen(package)) != 0)
    return look_at(it, 0, name, arena, path, bytes, length);
  name += strlen(package);
  const char *inside = strchr(name, '/');
  for (int up = 0; up <= MOST_UP; up++)
    if (look_at(it, up, name, arena, path, bytes, length) ||
        (inside && look_at(it, up, inside + 1, arena, path, bytes, length)))
      return true;
  return false;
}

static size_t folder_length(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? (size_t)(slash + 1 - path) : 0;
}

static bool find_place(const char *file, const char *out, place *it) {
  char home[LONGEST_PATH];
  size_t length = folder_length(file), other = out ? folder_length(out) : 0;
  if (length >= sizeof it->folder || other >= sizeof home) return false;
  (void)snprintf(it->folder, sizeof it->folder, "%.*s", (int)length, file);
  (void)snprintf(home, sizeof home, "%.*s", (int)other, out ? out : "");
  it->home = realpath(other ? home : ".", NULL);
  return it->home != NULL;
}

// ---- the call

typedef struct starts {
  int count;
  const char *names[MOST_STARTS];
  double values[MOST_STARTS];
  char texts[MOST_STARTS][64];
} starts;

static carom_status read_number(const char *text, const char *what, double *number,
                                carom_error *error) {
  char *end;
  *number = strtod(text, &end);
  return end != text && !*end && isfinite(*number)
             ? CAROM_OK
             : carom_wrong(error, "%s needs a number, not '%.60s'", what, text);
}

static carom_status read_starts(const carom_call *call, starts *all, carom_error *error) {
  for (int k = 0; k < call->given_count; k++) {
    const char *text = call->given[k].value, *equals = text ? strchr(text, '=') : NULL;
    if (strcmp(call->given[k].option->name, "joint") != 0) continue;
    if (!equals || equals - text >= (long)sizeof all->texts[0] || all->count == MOST_STARTS)
      return carom_wrong(error, "--joint needs NAME=VALUE");
    char *name = all->texts[all->count];
    (void)snprintf(name, sizeof all->texts[0], "%.*s", (int)(equals - text), text);
    all->names[all->count] = name;
    carom_status status = read_number(equals + 1, "--joint", &all->values[all->count++], error);
    if (status != CAROM_OK) return status;
  }
  return CAROM_OK;
}

static carom_status read_options(const carom_call *call, starts *all, carom_robot_options *options,
                                 carom_error *error) {
  const char *base = carom_call_value(call, "base"), *floor = carom_call_value(call, "floor");
  if (base) options->base = strcmp(base, "floating") == 0 ? 1 : strcmp(base, "fixed") == 0 ? -1 : 0;
  if (base && options->base == 0)
    return carom_wrong(error, "--base is fixed or floating, not '%.60s'", base);
  options->floor = floor != NULL;
  carom_status status =
      floor ? read_number(floor, "--floor", &options->floor_height, error) : CAROM_OK;
  if (status == CAROM_OK) status = read_starts(call, all, error);
  options->start_count = all->count;
  options->start_names = all->names;
  options->starts = all->values;
  return status;
}

// robot.urdf becomes robot.yaml
static void name_output(const char *file, char *out, size_t room) {
  size_t folder = folder_length(file);
  const char *dot = strrchr(file + folder, '.');
  (void)snprintf(out, room, "%.*s.yaml", (int)(dot ? dot - file : (long)strlen(file)), file);
}

// ---- the answer

// the whole or nothing, and never over another file
static carom_status write_out(const char *path, const char *text, carom_error *error) {
  FILE *out = fopen(path, "wbx");
  if (!out)
    return carom_fail(error, CAROM_ERR_IO,
                      errno == EEXIST ? "%.400s exists already and is left as it is; --out gives "
                                        "another name"
                                      : "cannot write %.400s",
                      path);
  bool good = fputs(text, out) >= 0;
  good = fclose(out) == 0 && good;
  if (!good) (void)unlink(path);
  return good ? CAROM_OK
              : carom_fail(error, CAROM_ERR_IO, "cannot write %.400s: %s", path, strerror(errno));
}

static void tell_notes(const carom_robot *robot, const char *file) {
  for (int k = 0; k < robot->note_count; k++) {
    const carom_robot_remark *note = &robot->notes[k];
    fprintf(stderr, "carom: %s:%d: not taken over: %s", file, note->place.line, note->text);
    if (note->count > 1) fprintf(stderr, " (%d times)", note->count);
    (void)fputc('\n', stderr);
  }
}

static void answer_import(const carom_call *call, const carom_robot *robot, const char *out) {
  if (!carom_call_has(call, "json")) {
    if (out) printf("wrote %s; try: carom run %s\n", out, out);
    return;
  }
  carom_json json = carom_json_answer(call);
  if (out) carom_json_text(&json, "scenario", out);
  carom_json_array(&json, "not_taken_over");
  for (int k = 0; k < robot->note_count; k++) {
    carom_json_object(&json, NULL);
    carom_json_count(&json, "line", robot->notes[k].place.line);
    carom_json_text(&json, "what", robot->notes[k].text);
    carom_json_count(&json, "times", robot->notes[k].count);
    carom_json_end(&json);
  }
  carom_json_end(&json);
  carom_json_end(&json);
}

static carom_status make_scenario(const carom_call *call, carom_robot *robot, const char *out,
                                  const char **scenario) {
  const char *file = carom_call_file(call), *text, *slash = strrchr(file, '/');
  size_t length;
  place where = {.home = NULL};
  char command[LONGEST_PATH];
  starts *all = carom_arena_take(robot->arena, sizeof *all);
  carom_robot_options options = {.command = command};
  const carom_robot_files files = {&where, open_mesh};
  if (!all) return carom_fail_memory(robot->error);
  if (!find_place(file, out, &where))
    return carom_wrong(robot->error, "%.400s: no such folder", file);
  (void)snprintf(command, sizeof command, "carom import %.400s", slash ? slash + 1 : file);
  robot->files = &files;
  carom_status status = read_options(call, all, &options, robot->error);
  if (status == CAROM_OK) status = read_file(robot->arena, file, &text, &length, robot->error);
  if (status == CAROM_OK)
    status = carom_robot_import(robot, file, text, length, &options, scenario);
  robot->files = NULL;
  if (status == CAROM_OK && where.outside[0])
    status = carom_wrong(robot->error,
                         "the mesh %.300s is not below %.200s, and scenarios read only what is "
                         "below their folder: --out FILE in a folder above both",
                         where.outside, where.home);
  free(where.home);
  return status;
}

static int run_import(const carom_call *call) {
  carom_error error = {0};
  carom_robot robot = {.arena = carom_arena_create(NULL), .error = &error};
  const char *wanted = carom_call_value(call, "out"), *scenario = NULL;
  char own[LONGEST_PATH];
  if (!wanted) name_output(carom_call_file(call), own, sizeof own);
  bool shown = wanted && strcmp(wanted, "-") == 0;
  const char *out = shown ? NULL : wanted ? wanted : own;
  carom_status status =
      robot.arena ? make_scenario(call, &robot, out, &scenario) : carom_fail_memory(&error);
  if (status == CAROM_OK && out) status = write_out(out, scenario, &error);
  int code = CAROM_EXIT_DONE;
  if (status != CAROM_OK) {
    code = carom_report(call, &error, NULL, carom_load_exit(status));
  } else {
    tell_notes(&robot, carom_call_file(call));
    if (shown && !carom_call_has(call, "json")) (void)fputs(scenario, stdout);
    answer_import(call, &robot, out);
  }
  carom_arena_destroy(robot.arena);
  return code;
}

static const carom_option OPTIONS[] = {
    {"out", "FILE", "", "the file's name with .yaml", "the scenario to write; - is standard output",
     NULL},
    {"base", "WHICH", "", "fixed if it is called world or has no mass",
     "of URDF: whether the link without a parent is fixed or floating", NULL},
    {"floor", "HEIGHT", "m", "none", "of URDF: a floor at this height, which all links touch",
     NULL},
    {"joint", "NAME=VALUE", "rad, m", "0, as in the file",
     "where a joint starts, as the file counts it; may be given repeatedly", NULL},
    CAROM_OPTION_JSON,
};

const carom_command carom_command_import = {
    .name = "import",
    .arguments = "FILE",
    .summary = "Makes a scenario of a robot's description: URDF, or MJCF of MuJoCo",
    .details =
        "Links become bodies, with their joints, limits, damping, friction, inertias, simple "
        "shapes and\n"
        "meshes (STL, OBJ; by their hulls). What is not taken over is told by name, here and "
        "at the head of\n"
        "the scenario. A file is never overwritten; of a damaged one nothing is written.\n",
    .examples = "  carom import arm.urdf --base fixed --joint elbow=0.5\n"
                "  carom import hopper.xml --out hopper.yaml\n",
    CAROM_TAKES(OPTIONS),
    .run = run_import,
};
