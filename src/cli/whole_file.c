// SPDX-License-Identifier: MIT
#include "whole_file.h"

#include <stdio.h>
#include <stdlib.h>

#ifndef CAROM_DATA_FOLDER
#define CAROM_DATA_FOLDER ""
#endif
#ifndef CAROM_SOURCE_FOLDER
#define CAROM_SOURCE_FOLDER ""
#endif

enum { MOST_BYTES = 64 << 20, MOST_NAME = 4096 };

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
  static const char *const folders[] = {CAROM_SOURCE_FOLDER "/build-lab", CAROM_DATA_FOLDER};
  char *text = NULL;
  for (int k = 0; k < 2 && !text; k++) {
    char path[MOST_NAME];
    (void)snprintf(path, sizeof path, "%s/%s", folders[k], name);
    text = carom_read_whole(path);
  }
  return text;
}
