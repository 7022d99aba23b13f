// SPDX-License-Identifier: MIT
/// Included before every source that is compiled for a thread of a card (scripts/build_device.sh),
/// never otherwise. Such a thread writes no texts: what fails there is computed again by the
/// central processor, which tells why.
#ifndef CAROM_DEVICE_THREAD_H
#define CAROM_DEVICE_THREAD_H

#include "base/error.h"

#include <math.h>
#include <stdio.h>

/// `status`, and in the error nothing else.
carom_status carom_thread_fails(carom_error *error, carom_status status);
int carom_thread_untold(char *text, size_t room);

/// What a thread cannot do must not look like an answer: it ends here, with its motions.
_Noreturn void carom_thread_gives_up(void);

/// Of two zeros with different signs cards and processors take different ones. As compilers do for
/// x86-64: the first.
static inline double carom_thread_max(double x, double y) { return isnan(x) || x < y ? y : x; }
static inline double carom_thread_min(double x, double y) { return isnan(x) || x > y ? y : x; }
#define fmax carom_thread_max
#define fmin carom_thread_min

#define carom_fail(error, status, ...) carom_thread_fails(error, status)
#define carom_fail_at(error, status, place, ...) carom_thread_fails(error, status)
#undef snprintf
#define snprintf(text, room, ...) carom_thread_untold(text, room)

#endif
