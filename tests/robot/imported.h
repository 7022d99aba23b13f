// SPDX-License-Identifier: MIT
/// Descriptions of robots as scenarios, for tests.
#ifndef CAROM_TESTS_IMPORTED_H
#define CAROM_TESTS_IMPORTED_H

#include "robot/robot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct imported {
  carom_arena *arena;
  carom_robot robot;
  carom_error error;
  carom_status status;
  const char *scenario;
} imported;

static inline char *file_text(carom_arena *arena, const char *path, size_t *length) {
  FILE *file = fopen(path, "rb");
  char *text = file ? carom_arena_take(arena, 1 << 20) : NULL;
  *length = text ? fread(text, 1, (1 << 20) - 1, file) : 0;
  if (file) (void)fclose(file);
  return text;
}

// meshes of the folder of seeds
static inline bool open_seed(void *ctx, carom_arena *arena, const char *name, const char **path,
                             const char **bytes, size_t *length) {
  char there[300];
  (void)ctx;
  (void)snprintf(there, sizeof there, "%s/tests/fuzz/robot/%.100s", CAROM_SOURCE_DIR, name);
  *path = carom_arena_text(arena, there, strlen(there));
  *bytes = file_text(arena, there, length);
  return *bytes != NULL;
}

static const carom_robot_files seed_files = {NULL, open_seed};

static inline void import_text(imported *it, const char *text, size_t length,
                               const carom_robot_options *options) {
  carom_robot_options plain = {.command = "carom import"};
  if (!options) options = &plain;
  *it = (imported){.arena = carom_arena_create(NULL)};
  it->robot = (carom_robot){.arena = it->arena, .error = &it->error, .files = &seed_files};
  it->status = carom_robot_import(&it->robot, "robot.xml", text, length, options, &it->scenario);
}

static inline void import_seed(imported *it, const char *name, const carom_robot_options *options) {
  carom_arena *arena = carom_arena_create(NULL);
  char path[300];
  size_t length;
  (void)snprintf(path, sizeof path, "%s/tests/fuzz/robot/%s", CAROM_SOURCE_DIR, name);
  const char *text = file_text(arena, path, &length);
  import_text(it, text ? text : "", length, options);
  if (it->status < 0) print_error("%s:%d: %s\n", name, it->error.line, it->error.text);
  carom_arena_destroy(arena);
}

static inline void import_end(imported *it) { carom_arena_destroy(it->arena); }

#endif
