// SPDX-License-Identifier: MIT
/// A card: a processor with memory of its own that runs the threads of thread_work.h. There are two
/// kinds: NVIDIA's, reached through their driver, and one that is a shared library, with which
/// tests look at everything but the card itself.
#ifndef CAROM_DEVICE_CARD_H
#define CAROM_DEVICE_CARD_H

#include "carom/status.h"
#include "device/thread_work.h"
#include "symbolic/native_ptx.h"

#include <stdbool.h>

/// Motions on their way to a card and back. The numbers of `there` and its pointers are the card's.
typedef struct carom_batch {
  void *queue; // of work that is done in order
  carom_device_work there;
  carom_device_work *place; // of `there` on the card
  const char *from;         // here: `there.count` motions of `there.size` bytes
  const double *until, *since;
  char *to;
  int *statuses;
  double *noted;
  size_t room; // that a simulation takes
  void *slab;  // of their grounds, where the card has taken one
} carom_batch;

enum { CAROM_CARD_NAME = 160 };

/// What a card answers. Several threads may ask at a time. False: it failed, and `fault` tells what
/// failed first: a text that stays.
typedef struct carom_card {
  void *ctx;
  char name[CAROM_CARD_NAME];            // with memory and driver, for people
  void *(*take)(void *ctx, size_t size); // memory of the card; NULL: there is none left
  void (*give)(void *ctx, void *memory);
  void *(*take_here)(void *ctx, size_t size); // memory here that the card reads and writes
  void (*give_here)(void *ctx, void *memory);
  bool (*put)(void *ctx, void *to, const void *from, size_t size);
  /// The functions that the card has made of the programs of a model, see carom_image.
  bool (*codes)(void *ctx, int count, carom_program_codes *codes);
  /// Makes a model ready that was put there: see carom_device_settle().
  bool (*settle)(void *ctx, void *model, size_t *room);
  void *(*queue)(void *ctx); // NULL: it failed
  void (*end_queue)(void *ctx, void *queue);
  /// Sends a batch there to be moved and brought back; the caller does something else meanwhile.
  bool (*start)(void *ctx, carom_batch *batch);
  bool (*is_back)(void *ctx, const carom_batch *batch);
  bool (*finish)(void *ctx, carom_batch *batch); // waits for it
  const char *(*fault)(void *ctx);
  void (*close)(void *ctx);
} carom_card;

/// The ground of a simulation that took so much when it was made: some things are made on first
/// use. Grounds lie behind each other, each at a multiple of 64.
static inline size_t carom_card_room(size_t used) { return (used + used / 8 + 4096) / 64 * 64; }

/// Where the program for cards is, and where machine code is kept.
typedef struct carom_card_place {
  const char *path; // PTX text, an object that ptxas made of it, or a shared library that is a card
  const char *cache; // a folder; NULL: nothing is kept
  int turn;          // of the processes of a machine, which share its cards in turn
} carom_card_place;

/// Opens a card that can run the program, joined with that of a model: where there are several, the
/// one whose turn it is.
/// CAROM_ERR_UNSUPPORTED: there is none, with what was looked for.
carom_status carom_card_open(const carom_card_place *place, const carom_ptx *model,
                             carom_card *card, carom_error *error);

// card_nvidia.c
/// The program as PTX, or compiled for the card; `program[size]` is 0.
carom_status carom_card_open_nvidia(const char *program, size_t size, const carom_card_place *place,
                                    const carom_ptx *model, carom_card *card, carom_error *error);

// card_cache.c: machine code in files that are known by what it was made from
/// All of a file and a zero, to be freed; NULL: it cannot be read.
char *carom_bytes_read(const char *path, size_t *size);
/// What is kept under a key; NULL: nothing, or what is there is not whole.
char *carom_cache_fetch(const char *folder, uint64_t key, size_t *size);
/// Keeps it, as far as that can be done: nobody reads half of it.
void carom_cache_keep(const char *folder, uint64_t key, const void *bytes, size_t size);

#endif
