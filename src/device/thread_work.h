// SPDX-License-Identifier: MIT
/// What a card and the program agree on.
#ifndef CAROM_DEVICE_THREAD_WORK_H
#define CAROM_DEVICE_THREAD_WORK_H

#include "carom/model.h"

/// Motions of one model: as they were lent, how far they are to go, and what became of them. An
/// error says that this one has to be computed elsewhere.
typedef struct carom_device_work {
  const carom_model *model;
  long count;
  size_t size; // of a lent motion
  const char *from;
  const double *until;
  char *to;
  int *statuses;
} carom_device_work;

/// Moves every `stride`-th motion from `first` on; `room` is for a simulation.
__attribute__((noinline)) void carom_device_thread(const carom_device_work *work, char *room,
                                                   size_t size, long first, long stride);

/// Once for a model that was brought to a card, where functions have other addresses: makes it
/// ready. How much room a simulation of it takes; 0: more than `size`.
size_t carom_device_settle(carom_model *model, char *room, size_t size);

#endif
