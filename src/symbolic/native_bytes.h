// SPDX-License-Identifier: MIT
/// The bytes of the few x86-64 instructions that machine code of expressions is made of. Encodings:
/// Intel 64 and IA-32 Architectures Software Developer's Manual, vol. 2.
#ifndef CAROM_SYMBOLIC_NATIVE_BYTES_H
#define CAROM_SYMBOLIC_NATIVE_BYTES_H

#include "symbolic/native.h"

// General registers by their numbers, and where things stand at the head of the code: constants of
// 16 bytes, since SSE reads whole registers.
enum { RAX = 0, RDX = 2, RBX = 3, RBP = 5, RSI = 6, RDI = 7 };
enum { POOL_SIGN = 0, POOL_MODULUS = 16, POOL_ONE = 32, POOL_SIZE = 48 };
// prefixes and second bytes of SSE2 instructions
enum { SCALAR = 0xf2, WHOLE = 0x66 };
enum { LOAD = 0x10, STORE, COPY = 0x28, SQRT = 0x51, AND = 0x54, ANDNOT, OR, XOR, ADD, MUL };
enum { SUB = 0x5c, DIV = 0x5e, ALIKE = 0x76, COMPARE = 0xc2 };
// vector registers: 0 to 3 are the stack of a formula, the others remember results
enum { FIRST_KEPT = 4, VECTORS = 16, NOTHING = -1 };

// The first pass, without bytes, only counts.
typedef struct emitter {
  const carom_program *program;
  unsigned char *bytes;
  size_t at;
  bool outside;       // the code calls functions
  bool direct;        // states come from an array of their own, outputs go to another
  bool stores;        // results are written to the work array
  int work, states;   // general registers that hold the arrays
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

// prefix, extension for registers above 7, 0f, operation
static inline void operation(emitter *e, int prefix, int op, int x, int y) {
  byte(e, prefix);
  if (x > 7 || y > 7) byte(e, 0x40 | (x > 7) << 2 | (y > 7));
  byte(e, 0x0f), byte(e, op);
}

static inline void with_register(emitter *e, int prefix, int op, int x, int y) {
  operation(e, prefix, op, x, y);
  byte(e, 0xc0 | (x & 7) << 3 | (y & 7));
}

// scalar operation of vector register x with element k of the array at a general register
static inline void with_array(emitter *e, int op, int x, int general, int k) {
  operation(e, SCALAR, op, x, 0);
  byte(e, 0x80 | (x & 7) << 3 | general);
  word(e, (uint64_t)k * sizeof(double), 4);
}

// bitwise operation of register x with a constant of the pool, addressed from the next instruction
static inline void with_pool(emitter *e, int op, int x, int constant) {
  operation(e, WHOLE, op, x, 0);
  byte(e, 0x05 | (x & 7) << 3);
  word(e, (uint64_t)constant - (uint64_t)(e->at + 4), 4);
}

static inline void address_of(emitter *e, int general, int place) { // lea general, work[place]
  byte(e, 0x48), byte(e, 0x8d), byte(e, 0x80 | general << 3 | e->work);
  word(e, (uint64_t)place * sizeof(double), 4);
}

static inline void move(emitter *e, int to, int from) { // mov to, from
  byte(e, 0x48), byte(e, 0x89), byte(e, 0xc0 | from << 3 | to);
}

static inline void number(emitter *e, int general, uint64_t value) { // mov general, value
  byte(e, 0x48), byte(e, 0xb8 | general);
  word(e, value, 8);
}

static inline void call(emitter *e, uint64_t function) {
  number(e, RAX, function);
  byte(e, 0xff), byte(e, 0xd0);
}

#endif
