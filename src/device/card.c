// SPDX-License-Identifier: MIT
#include "device/card.h"

#include "base/error.h"
#include "base/platform.h"

#include <stdlib.h>
#include <string.h>

static carom_status open_library(const char *path, const carom_ptx *model, carom_card *card,
                                 carom_error *error) {
  bool (*open)(carom_card * card, const carom_ptx *model) = NULL;
  void *library = carom_library_open(path);
  void *entry = library ? carom_library_find(library, "carom_card_here") : NULL;
  memcpy(&open, &entry, sizeof open);
  if (!open || !open(card, model))
    return carom_fail(error, CAROM_ERR_UNSUPPORTED, "'%s' is no library that is a card", path);
  return CAROM_OK;
}

carom_status carom_card_open(const carom_card_place *place, const carom_ptx *model,
                             carom_card *card, carom_error *error) {
  const char *path = place->path;
  size_t length = strlen(path);
  *card = (carom_card){0};
  if (length > 3 && strcmp(path + length - 3, ".so") == 0)
    return open_library(path, model, card, error);
  char *program = carom_bytes_read(path, &length);
  if (!program)
    return carom_fail(error, CAROM_ERR_IO,
                      "'%s', the program for cards, cannot be read: `make device` writes it", path);
  carom_status status = carom_card_open_nvidia(program, length, place, model, card, error);
  free(program);
  return status;
}
