// SPDX-License-Identifier: MIT
#include "carom/digest.h"

#include "base/hash.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

void carom_digest_numbers(carom_digest *digest, int count, const double *values) {
  for (int k = 0; k < count; k++) {
    // processors differ in which bits say "not a number"
    const double nan = (double)NAN, *value = isnan(values[k]) ? &nan : &values[k];
    digest->so_far = carom_hash(digest->so_far, value, sizeof *value);
  }
}

void carom_digest_sample(carom_digest *digest, double t, int count, const double *values) {
  carom_digest_numbers(digest, 1, &t);
  carom_digest_numbers(digest, count, values);
}

void carom_digest_event(carom_digest *digest, const carom_event *event) {
  const double numbers[] = {(double)event->kind, event->t, (double)event->direction, event->value,
                            event->tangential};
  digest->so_far = carom_hash_text(digest->so_far, event->name);
  carom_digest_numbers(digest, (int)(sizeof numbers / sizeof *numbers), numbers);
  if (event->after) carom_digest_numbers(digest, event->size, event->after);
}

const char *carom_digest_write(const carom_digest *digest, char text[CAROM_DIGEST_TEXT]) {
  (void)snprintf(text, CAROM_DIGEST_TEXT, "%016" PRIx64, digest->so_far);
  return text;
}
