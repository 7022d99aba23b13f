// SPDX-License-Identifier: MIT
#include "engine/saved.h"

#include <stdint.h>
#include <string.h>

static size_t whole_size(int count, const carom_saved_part *parts) {
  size_t size = sizeof(uint64_t);
  for (int k = 0; k < count; k++)
    size += parts[k].size;
  return size;
}

carom_status carom_saved_write(int count, const carom_saved_part *parts, void *buffer, size_t *size,
                               carom_error *error) {
  size_t needed = whole_size(count, parts);
  if (buffer && *size < needed)
    return carom_fail(error, CAROM_ERR_ARGUMENT, "a saved state needs %zu bytes, %zu given", needed,
                      *size);
  *size = needed;
  if (!buffer) return CAROM_OK;
  uint64_t mark = needed;
  char *at = buffer;
  memcpy(at, &mark, sizeof mark);
  at += sizeof mark;
  for (int k = 0; k < count; k++) {
    if (parts[k].size) memcpy(at, parts[k].data, parts[k].size);
    at += parts[k].size;
  }
  return CAROM_OK;
}

carom_status carom_saved_check(int count, const carom_saved_part *parts, const void *buffer,
                               size_t size, carom_error *error) {
  uint64_t mark = 0;
  if (size >= sizeof mark) memcpy(&mark, buffer, sizeof mark);
  if (mark == whole_size(count, parts) && size >= mark) return CAROM_OK;
  return carom_fail(error, CAROM_ERR_ARGUMENT, "this is not a saved state of the same model");
}

void carom_saved_read(const carom_saved_part *parts, const void *buffer, int first, int last) {
  const char *at = (const char *)buffer + sizeof(uint64_t);
  for (int k = 0; k < last; k++) {
    if (k >= first && parts[k].size) memcpy(parts[k].data, at, parts[k].size);
    at += parts[k].size;
  }
}

int carom_scenario_parameter(const carom_scenario *scenario, const char *name) {
  for (int k = 0; k < scenario->parameter_count; k++)
    if (strcmp(scenario->parameters[k].value.name, name) == 0) return k;
  return -1;
}
