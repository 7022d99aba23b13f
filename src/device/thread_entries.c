// SPDX-License-Identifier: MIT
/// Where a card begins. A thread's ground is memory of its own, which cards interleave: what the
/// threads of a group do together at one place of their grounds is one access. Its size is part of
/// an entry, so there are several; a model that needs more gets its grounds from a slab.
#include "device/thread_work.h"

enum { SMALL = 32 << 10, MIDDLE = 96 << 10, LARGE = 224 << 10 };

static inline long thread_number(void) {
  return (long)__nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() +
         __nvvm_read_ptx_sreg_tid_x();
}

static inline long thread_count(void) {
  return (long)__nvvm_read_ptx_sreg_nctaid_x() * __nvvm_read_ptx_sreg_ntid_x();
}

_Noreturn void carom_thread_gives_up(void) {
  __asm__ volatile("exit;");
  __builtin_unreachable();
}

void carom_entry_settle(carom_model *model, char *slab, size_t size, size_t *used) {
  *used = carom_device_settle(model, slab, size);
}

#define ENTRY(name, bytes)                                                                         \
  void name(const carom_device_work *work) {                                                       \
    _Alignas(16) char ground[bytes];                                                               \
    carom_device_thread(work, ground, bytes, thread_number(), thread_count());                     \
  }
ENTRY(carom_entry_small, SMALL)
ENTRY(carom_entry_middle, MIDDLE)
ENTRY(carom_entry_large, LARGE)

void carom_entry_slab(const carom_device_work *work, char *slab, size_t size) {
  long mine = thread_number();
  carom_device_thread(work, slab + (size_t)mine * size, size, mine, thread_count());
}
