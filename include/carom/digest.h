// SPDX-License-Identifier: MIT
/// The digest of a motion: sixteen hexadecimal digits that are the same wherever the same scenario
/// gives the same bits, on the command line and in a browser. It tells accidents, not forgers.
#ifndef CAROM_DIGEST_H
#define CAROM_DIGEST_H

#include "carom/simulation.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Starts with {0}; samples and events are added as an observer is handed them.
typedef struct carom_digest {
  uint64_t so_far;
} carom_digest;
enum { CAROM_DIGEST_TEXT = 17 };

/// Numbers as their bits; what is not a number is one and the same.
CAROM_API void carom_digest_numbers(carom_digest *digest, int count, const double *values);
CAROM_API void carom_digest_sample(carom_digest *digest, double t, int count, const double *values);
/// Kind, name, time, direction, impulses, and the state behind the event.
CAROM_API void carom_digest_event(carom_digest *digest, const carom_event *event);
/// Returns `text`.
CAROM_API const char *carom_digest_write(const carom_digest *digest, char text[CAROM_DIGEST_TEXT]);

#ifdef __cplusplus
}
#endif
#endif
