// SPDX-License-Identifier: MIT
#include "device/card.h"

#include "base/error.h"
#include "base/platform.h"

#include <stdlib.h>
#include <string.h>

// all of a file and a zero; NULL: it cannot be read
static char *read_all(const char *path, size_t *length) {
  carom_file *file = carom_file_read_only(path);
  int64_t size = file ? carom_file_size(file) : -1;
  char *text = size >= 0 ? malloc((size_t)size + 1) : NULL;
  if (text && !carom_file_get(file, text, (size_t)size, 0)) {
    free(text);
    text = NULL;
  }
  if (text) text[size] = '\0';
  *length = text ? (size_t)size : 0;
  carom_file_close(file);
  return text;
}

static carom_status open_library(const char *path, carom_card *card, carom_error *error) {
  bool (*open)(carom_card * card) = NULL;
  void *library = carom_library_open(path);
  void *entry = library ? carom_library_find(library, "carom_card_here") : NULL;
  memcpy(&open, &entry, sizeof open);
  if (!open || !open(card))
    return carom_fail(error, CAROM_ERR_UNSUPPORTED, "'%s' is no library that is a card", path);
  return CAROM_OK;
}

carom_status carom_card_open(const char *path, carom_card *card, carom_error *error) {
  size_t length = strlen(path);
  *card = (carom_card){0};
  if (length > 3 && strcmp(path + length - 3, ".so") == 0) return open_library(path, card, error);
  char *program = read_all(path, &length);
  if (!program)
    return carom_fail(error, CAROM_ERR_IO,
                      "'%s', the program for cards, cannot be read: `make device` writes it", path);
  carom_status status = carom_card_open_nvidia(program, length, card, error);
  free(program);
  return status;
}
