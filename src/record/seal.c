// SPDX-License-Identifier: MIT
#define _POSIX_C_SOURCE 200809L
#include "record/seal.h"

#include "record/trouble.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIECE = 1 << 16, LINES = 4 };
static const unsigned char SIGNATURE[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};

/// What is known of the bytes behind the seal.
typedef struct contents {
  uint64_t size, hash[LINES];
} contents;

// ---- the hash ----
// Four lines side by side, each taking eight bytes at a time; a change of a single bit anywhere
// changes the result, since every step is one to one.

static const uint64_t FACTOR = 0x9e3779b97f4a7c15U;

static uint64_t mix_word(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * FACTOR;
  return hash ^ (hash >> 29);
}

static void take_bytes(contents *it, const unsigned char *bytes, size_t count) {
  for (size_t k = 0; k < count; k += 8 * LINES)
    for (size_t line = 0; line < LINES; line++) {
      uint64_t word = 0;
      size_t at = k + 8 * line, left = at < count ? count - at : 0;
      memcpy(&word, bytes + at, left < 8 ? left : 8);
      it->hash[line] = mix_word(it->hash[line], word);
    }
  it->size += count;
}

static uint64_t sum_of(const contents *it) {
  uint64_t sum = mix_word(FACTOR, it->size);
  for (int line = 0; line < LINES; line++)
    sum = mix_word(sum, it->hash[line]);
  return sum;
}

// as much as there is, up to a piece; -1: it cannot be read
static ssize_t read_piece(int file, unsigned char *bytes) {
  size_t got = 0;
  while (got < PIECE) {
    ssize_t some = read(file, bytes + got, PIECE - got);
    if (some < 0 && errno == EINTR) continue;
    if (some < 0) return -1;
    if (some == 0) break;
    got += (size_t)some;
  }
  return (ssize_t)got;
}

static bool read_contents(int file, contents *it) {
  *it = (contents){0};
  unsigned char *bytes = malloc(PIECE + 8 * LINES);
  if (!bytes || lseek(file, CAROM_SEAL_SIZE, SEEK_SET) < 0) {
    free(bytes);
    return false;
  }
  ssize_t got;
  while ((got = read_piece(file, bytes)) > 0)
    take_bytes(it, bytes, (size_t)got);
  free(bytes);
  return got == 0;
}

// ---- the seal ----

static void draw_seal(const contents *it, char seal[CAROM_SEAL_SIZE]) {
  static const char HEAD[] = "A recorded file of Carom: HDF5 begins at byte 512.\n";
  memset(seal, ' ', CAROM_SEAL_SIZE);
  char text[CAROM_SEAL_SIZE];
  if (it)
    (void)snprintf(text, sizeof text, "%sbytes %016llx\nhash  %016llx\n", HEAD,
                   (unsigned long long)it->size, (unsigned long long)sum_of(it));
  else
    (void)snprintf(text, sizeof text, "%sunfinished\n", HEAD);
  memcpy(seal, text, strlen(text));
  seal[CAROM_SEAL_SIZE - 1] = '\n';
}

static bool put_seal(int file, const contents *it) {
  char seal[CAROM_SEAL_SIZE];
  draw_seal(it, seal);
  size_t put = 0;
  while (put < sizeof seal) {
    ssize_t some = pwrite(file, seal + put, sizeof seal - put, (off_t)put);
    if (some < 0 && errno == EINTR) continue;
    if (some <= 0) return false;
    put += (size_t)some;
  }
  return true;
}

static bool write_seal(const char *path, bool whole) {
  int file = open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) return false;
  contents found;
  bool good = !whole || read_contents(file, &found);
  good = good && put_seal(file, whole ? &found : NULL);
  return close(file) == 0 && good;
}

bool carom_seal_begin(const char *file) { return write_seal(file, false); }
bool carom_seal_end(const char *file) { return write_seal(file, true); }

static carom_status check_seal(int file, const char *path, carom_error *error) {
  char found[CAROM_SEAL_SIZE] = {0}, expected[CAROM_SEAL_SIZE];
  struct stat about;
  if (fstat(file, &about) != 0 || !S_ISREG(about.st_mode))
    return carom_record_fail(error, CAROM_ERR_INPUT, path, "is not a file of results");
  ssize_t got = pread(file, found, sizeof found, 0);
  if (got < 0)
    return carom_record_fail(error, CAROM_ERR_IO, path, "cannot be read: %s", strerror(errno));
  if (got >= (ssize_t)sizeof SIGNATURE && memcmp(found, SIGNATURE, sizeof SIGNATURE) == 0)
    return CAROM_OK; // of a version without seals
  draw_seal(NULL, expected);
  if (memcmp(found, expected, sizeof found) == 0) return CAROM_OK;
  static const char WORD[] = "A recorded file of Carom";
  if (memcmp(found, WORD, sizeof WORD - 1) != 0)
    return carom_record_fail(error, CAROM_ERR_INPUT, path,
                             "is not an HDF5 file of Carom, or damaged at its beginning; "
                             "'carom run SCENARIO --out RUN.h5' makes one");
  contents now;
  if (!read_contents(file, &now))
    return carom_record_fail(error, CAROM_ERR_IO, path, "cannot be read: %s", strerror(errno));
  draw_seal(&now, expected);
  if (memcmp(found, expected, sizeof found) == 0) return CAROM_OK;
  return carom_record_fail(error, CAROM_ERR_INPUT, path,
                           "is damaged, or was changed after Carom had written it: its contents do "
                           "not fit its seal");
}

carom_status carom_seal_check(const char *path, carom_error *error) {
  // a pipe is not waited for
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0)
    return carom_record_fail(error, CAROM_ERR_IO, path, "cannot be opened: %s", strerror(errno));
  carom_status status = check_seal(file, path, error);
  (void)close(file);
  return status;
}
