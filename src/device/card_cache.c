// SPDX-License-Identifier: MIT
/// A file of the cache: its key, the size and the fingerprint of what follows, then that. It is
/// written under another name first. What was cut off or written over is not taken for whole.
#include "device/card.h"

#include "base/hash.h"
#include "base/platform.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_ROOM = 4096 };

char *carom_bytes_read(const char *path, size_t *size) {
  carom_file *file = carom_file_read_only(path);
  int64_t found = file ? carom_file_size(file) : -1;
  char *bytes = found >= 0 ? malloc((size_t)found + 1) : NULL;
  if (bytes && !carom_file_get(file, bytes, (size_t)found, 0)) {
    free(bytes);
    bytes = NULL;
  }
  if (bytes) bytes[found] = '\0';
  *size = bytes ? (size_t)found : 0;
  carom_file_close(file);
  return bytes;
}

typedef struct header {
  uint64_t key, size, print;
} header;

static bool name_file(const char *folder, uint64_t key, const char *ending, char path[PATH_ROOM]) {
  int length =
      folder ? snprintf(path, PATH_ROOM, "%s/card-%016" PRIx64 "%s", folder, key, ending) : 0;
  return length > 0 && length < PATH_ROOM;
}

char *carom_cache_fetch(const char *folder, uint64_t key, size_t *size) {
  char path[PATH_ROOM];
  header head;
  size_t length;
  char *bytes = name_file(folder, key, "", path) ? carom_bytes_read(path, &length) : NULL;
  if (!bytes) return NULL;
  bool whole = length >= sizeof head;
  if (whole) {
    memcpy(&head, bytes, sizeof head);
    length -= sizeof head;
    memmove(bytes, bytes + sizeof head, length + 1);
    whole = head.key == key && head.size == length && head.print == carom_hash(0, bytes, length);
  }
  if (!whole) free(bytes);
  *size = length;
  return whole ? bytes : NULL;
}

void carom_cache_keep(const char *folder, uint64_t key, const void *bytes, size_t size) {
  char path[PATH_ROOM], written[PATH_ROOM], ending[64];
  double now = carom_clock();
  const void *mine = &now;
  const header head = {key, size, carom_hash(0, bytes, size)};
  // nobody else writes under this name
  uint64_t own = carom_hash(carom_hash(0, &now, sizeof now), &mine, sizeof mine);
  (void)snprintf(ending, sizeof ending, ".%016" PRIx64, own);
  if (!name_file(folder, key, "", path) || !name_file(folder, key, ending, written)) return;
  carom_file *file = carom_file_open(written);
  bool whole = file && carom_file_put(file, &head, sizeof head, 0) &&
               carom_file_put(file, bytes, size, sizeof head);
  carom_file_close(file);
  if (file && !(whole && carom_path_rename(written, path))) (void)carom_path_remove(written);
}
