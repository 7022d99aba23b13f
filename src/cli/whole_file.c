// SPDX-License-Identifier: MIT
#include "whole_file.h"

#include "data_folder.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST_BYTES = 64 << 20 };

char *carom_read_whole(const char *path) {
  FILE *file = fopen(path, "rb");
  char *text = NULL;
  size_t size = 0, room = 0, got = 0;
  do {
    size += got;
    if (size + 1 >= room) {
      room = room ? 2 * room : 1 << 16;
      char *larger = file && room <= MOST_BYTES ? realloc(text, room) : NULL;
      if (!larger) {
        free(text);
        if (file) (void)fclose(file);
        return NULL;
      }
      text = larger;
    }
    got = fread(text + size, 1, room - size - 1, file);
  } while (got > 0);
  text[size] = '\0';
  (void)fclose(file);
  return text;
}

char *carom_read_made(const char *name) {
  char built[CAROM_DATA_PATH], path[CAROM_DATA_PATH];
  (void)snprintf(built, sizeof built, "build-lab/%s", name);
  bool found = carom_data_folder(built, path) || carom_data_folder(name, path);
  return found ? carom_read_whole(path) : NULL;
}
