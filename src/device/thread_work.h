// SPDX-License-Identifier: MIT
/// What a card and the program agree on.
#ifndef CAROM_DEVICE_THREAD_WORK_H
#define CAROM_DEVICE_THREAD_WORK_H

#include "carom/simulation.h"

/// What is noted of motions on their way: the last `keep` crossings of a section or event, or
/// impacts of a contact. With `skip` >= 0 a motion stops when it has so many more of them.
enum { CAROM_NOTED_NAME = 64, CAROM_NOTED_HEAD = 3 };
typedef struct carom_noted_kind {
  char name[CAROM_NOTED_NAME]; // "": nothing is noted
  long skip;
  int keep, size; // a state has so many numbers
} carom_noted_kind;

/// Numbers of one motion: how many there were, the times of the last and of the one before it, and
/// the states behind them, in a ring.
static inline size_t carom_noted_room(const carom_noted_kind *kind) {
  if (!kind->name[0]) return 0;
  return CAROM_NOTED_HEAD + (size_t)kind->keep * (size_t)kind->size;
}

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
  carom_noted_kind kind;
  const double *since; // before these times nothing is noted
  double *noted;       // carom_noted_room() each
} carom_device_work;

/// Moves every `stride`-th motion from `first` on; `room` is for a simulation.
__attribute__((noinline)) void carom_device_thread(const carom_device_work *work, char *room,
                                                   size_t size, long first, long stride);

/// Once for a model that was brought to a card, where functions have other addresses: makes it
/// ready. How much room a simulation of it takes; 0: more than `size`.
size_t carom_device_settle(carom_model *model, char *room, size_t size);

#endif
