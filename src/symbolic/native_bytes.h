// SPDX-License-Identifier: MIT
/// The bytes of the few x86-64 instructions that machine code of expressions is made of. Encodings:
/// Intel 64 and IA-32 Architectures Software Developer's Manual, vol. 2.
#ifndef CAROM_SYMBOLIC_NATIVE_BYTES_H
#define CAROM_SYMBOLIC_NATIVE_BYTES_H

#include "base/wide.h"
#include "symbolic/native.h"

// General registers by their numbers, and where things stand at the head of the code: constants of
// 32 bytes, since whole registers are read.
enum { RAX = 0, RCX, RDX, RBX, RBP = 5, RSI, RDI };
enum { POOL_SIGN = 0, POOL_MODULUS = 32, POOL_ONE = 64, POOL_SIZE = 96 };
// prefixes and second bytes of SSE2 instructions; AVX has the same second bytes
enum { SCALAR = 0xf2, WHOLE = 0x66 };
enum {
  LOAD = 0x10,
  STORE,
  HIGH = 0x15,
  COPY = 0x28,
  SQRT = 0x51,
  AND = 0x54,
  ANDNOT,
  OR,
  XOR,
  ADD,
  MUL
};
enum { SUB = 0x5c, DIV = 0x5e, ALIKE = 0x76, COMPARE = 0xc2 };
// vector registers: 0 to 3 are the stack of a formula, the others remember results
enum { FIRST_KEPT = 4, VECTORS = 16, NOTHING = -1 };

// A general register that points 128 bytes behind element `first` of an array: one byte is enough
// to tell the elements of 256 bytes apart, where it takes four otherwise.
typedef enum array_name { WORK, STATES, VALUES, ARRAYS } array_name;
enum { WINDOW_BYTES = 256, WINDOW_BIAS = 128, MOST_WINDOWS = 6 };
typedef struct window {
  array_name array;
  int first, general;
} window;

// The first pass, without bytes, only counts.
typedef struct emitter {
  const carom_program *program;
  unsigned char *bytes;
  size_t at;
  bool lanes;          // four states side by side in AVX2: elements of arrays are four numbers
  bool outside;        // the code calls functions
  bool direct;         // states come from an array of their own, outputs go to another
  bool stores;         // results are written to the work array
  int general[ARRAYS]; // general registers that hold the arrays
  window windows[MOST_WINDOWS];
  int window_count;
  int *homes;         // per place: the output that lives in the array of values + 1, or 0
  int *makers;        // per place: the instruction that made its value
  bool *loaded;       // per instruction: its result is read from memory
  int instruction;    // the present one
  bool sparing;       // results that nobody reads from memory are not written
  int depth, bottom;  // of the stack of vector registers; its lowest one
  int holds[VECTORS]; // the place whose value a vector register has, or NOTHING
  int next;           // vector register for the next result
} emitter;

static inline void byte(emitter *e, int value) {
  if (e->bytes) e->bytes[e->at] = (unsigned char)value;
  e->at++;
}

static inline void word(emitter *e, uint64_t value, int bytes) {
  for (int k = 0; k < bytes; k++)
    byte(e, (int)(value >> (8 * k) & 0xff));
}

// bytes of an element of an array
static inline int element(const emitter *e) {
  return (e->lanes ? CAROM_LANES : 1) * (int)sizeof(double);
}

// x = v op y on four numbers each (VEX.256.66.0F): two bytes before the operation, three where y is
// above 7
static inline void wide_operation(emitter *e, int op, int x, int v, int y) {
  int far_x = (x <= 7) << 7, rest = (~v & 15) << 3 | 5;
  if (y > 7)
    byte(e, 0xc4), byte(e, far_x | 0x41), byte(e, rest);
  else
    byte(e, 0xc5), byte(e, far_x | rest);
  byte(e, op);
}

// operations that do not read their target
static inline bool only_writes(int op) {
  return op == LOAD || op == STORE || op == COPY || op == SQRT;
}

// x = x op y: prefix, extension for registers above 7, 0f, operation
static inline void operation(emitter *e, int prefix, int op, int x, int y) {
  if (e->lanes) {
    wide_operation(e, op, x, only_writes(op) ? 0 : x, y);
    return;
  }
  byte(e, prefix);
  if (x > 7 || y > 7) byte(e, 0x40 | (x > 7) << 2 | (y > 7));
  byte(e, 0x0f), byte(e, op);
}

static inline void both_registers(emitter *e, int x, int y) {
  byte(e, 0xc0 | (x & 7) << 3 | (y & 7));
}

static inline void with_register(emitter *e, int prefix, int op, int x, int y) {
  operation(e, prefix, op, x, y);
  both_registers(e, x, y);
}

// the address of element k of an array, for vector register x
static inline void register_and_element(emitter *e, int x, array_name array, int k) {
  int64_t size = element(e), offset = k * size;
  int general = e->general[array], in_window = WINDOW_BYTES / (int)size;
  for (int j = 0; j < e->window_count; j++) {
    const window *w = &e->windows[j];
    bool inside = w->array == array && k >= w->first && k < w->first + in_window;
    // the array's own register has moved with its first window
    if (!inside && !(w->array == array && w->general == e->general[array])) continue;
    general = w->general;
    offset = (k - w->first) * size - WINDOW_BIAS;
    if (inside) break;
  }
  bool near = offset >= -128 && offset < 128;
  byte(e, (near ? 0x40 : 0x80) | (x & 7) << 3 | general);
  word(e, (uint64_t)offset, near ? 1 : 4);
}

// operation of vector register x with element k of an array
static inline void with_memory(emitter *e, int prefix, int op, int x, array_name array, int k) {
  operation(e, prefix, op, x, 0);
  register_and_element(e, x, array, k);
}

// scalar operation of vector register x with element k of an array
static inline void with_array(emitter *e, int op, int x, array_name array, int k) {
  with_memory(e, SCALAR, op, x, array, k);
}

// bitwise operation of register x with a constant of the pool, addressed from the next instruction
static inline void with_pool(emitter *e, int op, int x, int constant) {
  operation(e, WHOLE, op, x, 0);
  byte(e, 0x05 | (x & 7) << 3);
  word(e, (uint64_t)constant - (uint64_t)(e->at + 4), 4);
}

static inline void address_of(emitter *e, int general, int place) { // lea general, work[place]
  byte(e, 0x48), byte(e, 0x8d), byte(e, 0x80 | general << 3 | e->general[WORK]);
  word(e, (uint64_t)place * (uint64_t)element(e), 4);
}

static inline void shift_address(emitter *e, int to, int from, int offset) { // lea to, from[offset]
  byte(e, 0x48), byte(e, 0x8d), byte(e, 0x80 | to << 3 | from);
  word(e, (uint64_t)(int64_t)offset, 4);
}

static inline void move(emitter *e, int to, int from) { // mov to, from
  byte(e, 0x48), byte(e, 0x89), byte(e, 0xc0 | from << 3 | to);
}

static inline void number(emitter *e, int general, uint64_t value) { // mov general, value
  byte(e, 0x48), byte(e, 0xb8 | general);
  word(e, value, 8);
}

static inline void vzeroupper(emitter *e) { word(e, UINT64_C(0x77f8c5), 3); }

static inline void call(emitter *e, uint64_t function) {
  number(e, RAX, function);
  byte(e, 0xff), byte(e, 0xd0);
}

#endif
