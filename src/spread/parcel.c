// SPDX-License-Identifier: MIT
#include "spread/spread.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void carom_parcel_put(carom_parcel *parcel, const void *bytes, size_t size) {
  if (parcel->broken || size == 0) return;
  if (parcel->size + size > parcel->room) {
    size_t room = 2 * (parcel->size + size) + 64;
    char *grown = realloc(parcel->bytes, room);
    parcel->broken = !grown;
    if (!grown) return;
    parcel->bytes = grown;
    parcel->room = room;
  }
  assert(parcel->room - parcel->size >= size);
  memcpy(parcel->bytes + parcel->size, bytes, size);
  parcel->size += size;
}

void carom_parcel_number(carom_parcel *parcel, double value) {
  carom_parcel_put(parcel, &value, sizeof value);
}

void carom_parcel_count(carom_parcel *parcel, int64_t value) {
  carom_parcel_put(parcel, &value, sizeof value);
}

void carom_parcel_text(carom_parcel *parcel, const char *text) {
  carom_parcel_put(parcel, text, strlen(text) + 1);
}

void carom_unpack_bytes(carom_unpack *unpack, void *bytes, size_t size) {
  assert(unpack->at <= unpack->end);
  unpack->broken = unpack->broken || size > (size_t)(unpack->end - unpack->at);
  if (unpack->broken) {
    memset(bytes, 0, size);
    return;
  }
  memcpy(bytes, unpack->at, size);
  unpack->at += size;
}

double carom_unpack_number(carom_unpack *unpack) {
  double value;
  carom_unpack_bytes(unpack, &value, sizeof value);
  return value;
}

int64_t carom_unpack_count(carom_unpack *unpack) {
  int64_t value;
  carom_unpack_bytes(unpack, &value, sizeof value);
  return value;
}

const char *carom_unpack_text(carom_unpack *unpack) {
  const char *text = unpack->at;
  const char *end = unpack->broken || text == unpack->end
                        ? NULL
                        : memchr(text, '\0', (size_t)(unpack->end - text));
  unpack->broken = !end;
  if (!end) return "";
  unpack->at = end + 1;
  return text;
}
