// SPDX-License-Identifier: MIT
/// Sharing independent pieces of work over threads. A piece is known by its index alone, and its
/// result goes to a journal under that index, so results do not depend on how many threads there
/// are or who did what.
#ifndef CAROM_SPREAD_SPREAD_H
#define CAROM_SPREAD_SPREAD_H

#include "spread/journal.h"

/// A result being written: bytes that grow. Owned by the worker's thread.
typedef struct carom_parcel {
  char *bytes;
  size_t size, room;
  bool broken; // out of memory on the way
} carom_parcel;

void carom_parcel_put(carom_parcel *parcel, const void *bytes, size_t size);
void carom_parcel_number(carom_parcel *parcel, double value);
void carom_parcel_count(carom_parcel *parcel, int64_t value);
void carom_parcel_text(carom_parcel *parcel, const char *text);

/// A result being read.
typedef struct carom_unpack {
  const char *at, *end;
  bool broken; // more was asked for than there is
} carom_unpack;

void carom_unpack_bytes(carom_unpack *unpack, void *bytes, size_t size);
double carom_unpack_number(carom_unpack *unpack);
int64_t carom_unpack_count(carom_unpack *unpack);
/// Valid as long as the bytes are; "" when broken.
const char *carom_unpack_text(carom_unpack *unpack);

enum { CAROM_SPREAD_LANES = 4 }; // of a processor: see carom_simulations_advance()

/// What is to be done. `ctx` is shared by all threads and must not be changed by them.
typedef struct carom_spread_work {
  void *ctx;
  /// Makes what one thread needs for itself; NULL: nothing.
  carom_status (*begin)(void *ctx, void **worker, carom_error *error);
  void (*end)(void *ctx, void *worker);
  /// Does piece `index` and writes its result to `parcel`. An error ends everything: what can go
  /// wrong with one piece alone belongs into its result. CAROM_STOP_USER: given up half-way.
  carom_status (*piece)(void *ctx, void *worker, long index, carom_parcel *parcel,
                        carom_error *error);
  /// Does several pieces side by side, at most `lanes` of them; what `piece` would return of each
  /// goes to `statuses`, and the error of those that fail to `error`. NULL: one by one.
  void (*pieces)(void *ctx, void *worker, int count, const long *indices, carom_parcel *parcels,
                 carom_status *statuses, carom_error *error);
  int lanes;
  int least; // so many at a time at least, as long as there are any
} carom_spread_work;

typedef struct carom_spread_options {
  int threads;     // 0: as many as the machine has
  int part, parts; // only indices with index % parts == part; parts 0 or 1: all
  void *ctx;
  bool (*stopped)(void *ctx); // asked between pieces, from any thread; NULL: never
  /// Called from the calling thread now and then, and at the end; `left` is in seconds, negative
  /// while unknown. NULL: not called.
  void (*progress)(void *ctx, long done, long total, double left);
} carom_spread_options;

/// Does every piece of this part that the journal does not have yet. CAROM_STOP_USER when it was
/// stopped before all was done.
carom_status carom_spread_run(const carom_spread_work *work, carom_journal *journal,
                              const carom_spread_options *options, carom_error *error);

#endif
