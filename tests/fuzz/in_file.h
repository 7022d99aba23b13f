// SPDX-License-Identifier: MIT
// Bytes as a file in a folder of its own, for readers that take the name of a file.
#ifndef CAROM_TESTS_IN_FILE_H
#define CAROM_TESTS_IN_FILE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct in_file {
  char folder[64], path[96];
} in_file;

// the folder is made once for a process; false: there is none
static inline int in_file_put(in_file *it, const char *name, const uint8_t *data, size_t size) {
  if (!it->folder[0]) {
    (void)snprintf(it->folder, sizeof it->folder, "/tmp/carom-fuzz-XXXXXX");
    if (!mkdtemp(it->folder)) {
      it->folder[0] = 0;
      return 0;
    }
  }
  (void)snprintf(it->path, sizeof it->path, "%s/%s", it->folder, name);
  FILE *out = fopen(it->path, "wb");
  int good = out && fwrite(data, 1, size, out) == size;
  if (out && fclose(out) != 0) good = 0;
  return good;
}

static inline void in_file_remove(in_file *it) {
  (void)unlink(it->path);
  (void)rmdir(it->folder);
  it->folder[0] = 0;
}

#endif
