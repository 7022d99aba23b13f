// SPDX-License-Identifier: MIT
// Any bytes as the description of a robot: a scenario, or an error with a text and a place.
#include "robot/robot.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool open_none(void *ctx, carom_arena *arena, const char *name, const char **path,
                      const char **bytes, size_t *length) {
  (void)ctx, (void)arena, (void)name, (void)path, (void)bytes, (void)length;
  return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  carom_error error = {0};
  carom_robot robot = {.arena = carom_arena_create(NULL), .error = &error};
  const carom_robot_files files = {NULL, open_none};
  const carom_robot_options options = {.floor = size & 1, .command = "carom import"};
  const char *scenario = NULL;
  robot.files = &files;
  char *text = carom_arena_text(robot.arena, (const char *)data, size);
  if (!text) abort();
  carom_status status = carom_robot_import(&robot, "input", text, size, &options, &scenario);
  if (status == CAROM_OK ? !scenario : !error.text[0] || error.line < 1) abort();
  carom_arena_destroy(robot.arena);
  return 0;
}
