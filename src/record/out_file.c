// SPDX-License-Identifier: MIT
#define _DEFAULT_SOURCE // O_NOFOLLOW, getrandom
#include "record/out_file.h"

#include "base/platform.h"
#include "base/text.h"
#include "record/trouble.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LETTERS = 6, TRIES = 100 };
static const char TAIL[] = ".tmp-";

static carom_status cannot_write(const char *path, int reason, carom_error *error) {
  return carom_record_fail(error, CAROM_ERR_IO, NULL, "cannot write %s: %s", path,
                           reason ? strerror(reason) : "is the disk full?");
}

static void forget_path(carom_out_file *it) {
  free(it->path);
  free(it->temporary);
  *it = (carom_out_file){0};
}

// ---- what is there already ----

typedef enum target { TARGET_FILE, TARGET_STREAM, TARGET_WRONG } target;

// is it what this program prints to, under any name (/dev/stdout)?
static bool is_own_output(const struct stat *about) {
  struct stat own;
  for (int k = STDOUT_FILENO; k <= STDERR_FILENO; k++)
    if (fstat(k, &own) == 0 && own.st_dev == about->st_dev && own.st_ino == about->st_ino)
      return true;
  return false;
}

static target look_at(const char *path, carom_error *error) {
  struct stat about, link;
  if (stat(path, &about) != 0) return TARGET_FILE; // or a reason that opening will tell
  if (S_ISDIR(about.st_mode) || S_ISBLK(about.st_mode)) {
    (void)carom_record_fail(error, CAROM_ERR_INPUT, NULL, "cannot write %s: it is a %s", path,
                            S_ISDIR(about.st_mode) ? "folder" : "disk");
    return TARGET_WRONG;
  }
  if (!S_ISREG(about.st_mode)) return TARGET_STREAM;
  bool by_link = lstat(path, &link) == 0 && S_ISLNK(link.st_mode);
  return by_link && is_own_output(&about) ? TARGET_STREAM : TARGET_FILE;
}

// ---- a name of its own ----

static uint64_t chance_bits(unsigned attempt) {
  uint64_t bits = 0;
  if (getrandom(&bits, sizeof bits, GRND_NONBLOCK) == (ssize_t)sizeof bits) return bits;
  return (uint64_t)(1e9 * carom_clock()) * 6364136223846793005U +
         (uint64_t)getpid() * 1442695040888963407U + attempt;
}

// the descriptor of a file that did not exist before, -1 with errno where there is none
static int make_temporary(const char *path, char **name) {
  static const char ALPHABET[] = "abcdefghijklmnopqrstuvwxyz0123456789";
  size_t length = strlen(path), room = length + sizeof TAIL + LETTERS;
  char *made = malloc(room);
  if (!made) {
    errno = ENOMEM;
    return -1;
  }
  (void)snprintf(made, room, "%s%s", path, TAIL);
  int file = -1;
  for (unsigned k = 0; k < TRIES && file < 0; k++) {
    uint64_t bits = chance_bits(k);
    char *at = made + length + sizeof TAIL - 1;
    for (int j = 0; j < LETTERS; j++, bits /= sizeof ALPHABET - 1)
      *at++ = ALPHABET[bits % (sizeof ALPHABET - 1)];
    *at = '\0';
    file = open(made, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (file < 0 && errno != EEXIST) break;
  }
  if (file >= 0) {
    *name = made;
    return file;
  }
  int reason = errno;
  free(made);
  errno = reason;
  return -1;
}

static carom_status begin_file(carom_out_file *it, const char *path, bool by_name, int *file,
                               carom_error *error) {
  *it = (carom_out_file){0};
  target there = look_at(path, error);
  if (there == TARGET_WRONG) return CAROM_ERR_INPUT;
  if (there == TARGET_STREAM && by_name)
    return carom_record_fail(error, CAROM_ERR_INPUT, NULL,
                             "cannot write %s: it is a pipe or a device, and this needs a file",
                             path);
  it->path = carom_text_copy(path);
  if (!it->path) return carom_record_no_memory(error);
  *file = there == TARGET_STREAM ? open(path, O_WRONLY | O_APPEND | O_CLOEXEC)
                                 : make_temporary(path, &it->temporary);
  if (*file >= 0) return CAROM_OK;
  carom_status status = cannot_write(path, errno, error);
  forget_path(it);
  return status;
}

carom_status carom_out_open(carom_out_file *it, const char *path, carom_error *error) {
  int file;
  carom_status status = begin_file(it, path, false, &file, error);
  if (status != CAROM_OK) return status;
  it->stream = fdopen(file, "wb");
  if (it->stream) return CAROM_OK;
  status = cannot_write(path, errno, error);
  (void)close(file);
  carom_out_discard(it);
  return status;
}

carom_status carom_out_reserve(carom_out_file *it, const char *path, carom_error *error) {
  int file;
  carom_status status = begin_file(it, path, true, &file, error);
  if (status == CAROM_OK) (void)close(file);
  return status;
}

// ---- the end ----

static bool end_stream(carom_out_file *it) {
  if (!it->stream) return true;
  bool good = ferror(it->stream) == 0;
  good = fclose(it->stream) == 0 && good;
  it->stream = NULL;
  return good;
}

carom_status carom_out_close(carom_out_file *it, carom_error *error) {
  carom_status status = CAROM_OK;
  errno = 0;
  if (!end_stream(it))
    status = cannot_write(it->path, errno, error);
  else if (it->temporary && rename(it->temporary, it->path) != 0)
    status = carom_record_fail(error, CAROM_ERR_IO, NULL, "cannot rename %s to %s: %s",
                               it->temporary, it->path, strerror(errno));
  if (status == CAROM_OK)
    forget_path(it);
  else
    carom_out_discard(it);
  return status;
}

void carom_out_discard(carom_out_file *it) {
  (void)end_stream(it);
  if (it->temporary) (void)unlink(it->temporary);
  forget_path(it);
}
