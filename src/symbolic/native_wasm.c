// SPDX-License-Identifier: MIT
// From instructions to WebAssembly, where the program itself is WebAssembly: a module of two
// functions over the same memory and the same table of functions. The browser is a stack machine,
// and so are the formulas in postfix notation: each letter is one or two instructions. A value
// stays in a local of its own; the code has no jumps, so that what was read or computed once is
// known from then on. Encodings: WebAssembly Core Specification 1.0, section 5.
#include "symbolic/native.h"

#if defined(__wasm__) && !defined(CAROM_NO_NATIVE)

#include "symbolic/native_functions.h"

#include <string.h>

// ---- bytes -------------------------------------------------------------------------------------

enum { I32 = 0x7f, F64 = 0x7c, FUNCTION = 0x60 };
enum { TYPES = 1, IMPORTS = 2, FUNCTIONS = 3, EXPORTS = 7, CODE = 10 }; // sections
enum {
  END = 0x0b,
  CALL_INDIRECT = 0x11,
  SELECT = 0x1b,
  LOCAL_GET = 0x20,
  LOCAL_SET,
  LOCAL_TEE,
  F64_LOAD = 0x2b,
  F64_STORE = 0x39,
  I32_CONST = 0x41,
  F64_CONST = 0x44,
  F64_EQ = 0x61,
  F64_NE,
  F64_LT,
  F64_LE = 0x65,
  I32_ADD = 0x6a,
  I32_AND = 0x71,
  I32_OR,
  F64_ABS = 0x99,
  F64_NEG,
  F64_SQRT = 0x9f,
  F64_ADD,
  F64_SUB,
  F64_MUL,
  F64_DIV,
  F64_FROM_I32 = 0xb7
};
// types of the functions that are made and called
enum { OF_WORK, OF_ARRAYS, OF_ONE, OF_TWO, OF_TABLE, OF_SINCOS, TYPE_COUNT };
// parameters come first among the locals, then those for choosing, then one for each place
enum { WORK, STATES, VALUES };

// The first pass, without bytes, only counts.
typedef struct emitter {
  const carom_program *program;
  unsigned char *bytes;
  size_t at;
  bool direct;  // states come from an array of their own, outputs go to another
  bool *known;  // per place: its local holds its value
  int choosing; // the first of three locals: a mask and two numbers
} emitter;

static void put_byte(emitter *e, int value) {
  if (e->bytes) e->bytes[e->at] = (unsigned char)value;
  e->at++;
}

// LEB128: seven bits a byte, the lowest first
static void put_count(emitter *e, uint32_t value) {
  for (; value >= 0x80; value >>= 7)
    put_byte(e, (int)(value & 0x7f) | 0x80);
  put_byte(e, (int)value);
}

static void put_number(emitter *e, int32_t value) {
  while (value < -64 || value >= 64) {
    put_byte(e, (value & 0x7f) | 0x80);
    value >>= 7;
  }
  put_byte(e, value & 0x7f);
}

// a size that is known later takes five bytes
static size_t reserve_size(emitter *e) {
  size_t place = e->at;
  e->at += 5;
  return place;
}

static void settle_size(emitter *e, size_t place) {
  uint32_t size = (uint32_t)(e->at - place - 5);
  for (int k = 0; k < 5 && e->bytes; k++)
    e->bytes[place + (size_t)k] = (unsigned char)((size >> (7 * k) & 0x7f) | (k < 4 ? 0x80 : 0));
}

static void put_text(emitter *e, const char *name) {
  put_count(e, (uint32_t)strlen(name));
  for (; *name; name++)
    put_byte(e, *name);
}

static void emit_local(emitter *e, int how, int which) {
  put_byte(e, how);
  put_count(e, (uint32_t)which);
}

// a number at an index of an array; the address is on the stack
static void emit_access(emitter *e, int how, int k) {
  put_byte(e, how);
  put_byte(e, 3); // aligned to 8 bytes
  put_count(e, (uint32_t)k * 8);
}

static void emit_constant(emitter *e, double value) {
  unsigned char raw[8];
  memcpy(raw, &value, sizeof raw);
  put_byte(e, F64_CONST);
  for (int k = 0; k < 8; k++)
    put_byte(e, raw[k]);
}

// ---- values ------------------------------------------------------------------------------------

static int local_of(const emitter *e, int place) { return e->choosing + 3 + place; }

static void push_place(emitter *e, int place) {
  const carom_program *p = e->program;
  int state = place - p->state_first;
  bool from_states = e->direct && state >= 0 && state < p->state_count;
  if (e->known[place]) {
    emit_local(e, LOCAL_GET, local_of(e, place));
    return;
  }
  emit_local(e, LOCAL_GET, from_states ? STATES : WORK);
  emit_access(e, F64_LOAD, from_states ? state : place);
  emit_local(e, LOCAL_TEE, local_of(e, place));
  e->known[place] = true;
}

// the number on the stack is the value of a place
static void keep_place(emitter *e, int place) {
  emit_local(e, LOCAL_SET, local_of(e, place));
  e->known[place] = true;
  if (e->direct) return;
  emit_local(e, LOCAL_GET, WORK);
  emit_local(e, LOCAL_GET, local_of(e, place));
  emit_access(e, F64_STORE, place);
}

// ---- instructions ------------------------------------------------------------------------------

// mask, x, y become mask ? x : y
static void emit_choice(emitter *e) {
  emit_local(e, LOCAL_SET, e->choosing + 2);
  emit_local(e, LOCAL_SET, e->choosing + 1);
  emit_local(e, LOCAL_SET, e->choosing);
  emit_local(e, LOCAL_GET, e->choosing + 1);
  emit_local(e, LOCAL_GET, e->choosing + 2);
  emit_local(e, LOCAL_GET, e->choosing);
  put_byte(e, SELECT);
}

static int operation_code(char symbol) {
  switch (symbol) {
  case '+': return F64_ADD;
  case '-': return F64_SUB;
  case '*': return F64_MUL;
  case '/': return F64_DIV;
  case 's': return F64_SQRT;
  case 'n': return F64_NEG;
  case 'm': return F64_ABS;
  case 'B': return F64_FROM_I32;
  case '=': return F64_EQ;
  case '!': return F64_NE;
  case '<': return F64_LT;
  case '[': return F64_LE;
  case '&': return I32_AND;
  default: return I32_OR;
  }
}

static void emit_formula(emitter *e, const char *formula, const carom_instruction *i) {
  const int operands[] = {i->a, i->b, i->c, i->d, i->e};
  for (const char *f = formula; *f; f++) {
    if (*f >= 'a' && *f <= 'e')
      push_place(e, operands[*f - 'a']);
    else if (*f == '0' || *f == '1')
      emit_constant(e, *f - '0');
    else if (*f == '?')
      emit_choice(e);
    else
      put_byte(e, operation_code(*f));
  }
}

// the arguments are on the stack; the number of a function is its place in the table
static void emit_call(emitter *e, uint64_t function, int type) {
  put_byte(e, I32_CONST);
  put_number(e, (int32_t)function);
  put_byte(e, CALL_INDIRECT);
  put_count(e, (uint32_t)type);
  put_byte(e, 0);
}

static void push_address(emitter *e, int place) {
  emit_local(e, LOCAL_GET, WORK);
  put_byte(e, I32_CONST);
  put_number(e, place * 8);
  put_byte(e, I32_ADD);
}

static void call_sincos(emitter *e, const carom_instruction *i) {
  push_place(e, i->a);
  push_address(e, i->to);
  push_address(e, i->d);
  emit_call(e, CAROM_ADDRESS(carom_sincos), OF_SINCOS);
  e->known[i->to] = e->known[i->d] = false; // they are in memory
}

static void emit_instruction(emitter *e, const carom_instruction *i) {
  uint64_t one = carom_function_of_one(i->code), two = carom_function_of_two(i->code),
           table = carom_function_of_table(i->code);
  if (i->code == CAROM_CODE_SINCOS) {
    call_sincos(e, i);
    return;
  }
  if (table) {
    put_byte(e, I32_CONST);
    put_number(e, (int32_t)(uintptr_t)&e->program->tables[i->table]);
  }
  if (carom_formulas[i->code])
    emit_formula(e, carom_formulas[i->code], i);
  else
    push_place(e, i->a);
  if (two) push_place(e, i->b);
  if (table) emit_call(e, table, OF_TABLE);
  if (one) emit_call(e, one, OF_ONE);
  if (two) emit_call(e, two, OF_TWO);
  keep_place(e, i->to);
}

// products of outputs with 0, summed up; in a tree, since each addition of a chain waits for the
// one before
enum { SUMMED = 16 };
static void sum_zeros(emitter *e, int from, int end) {
  if (end - from == 1) {
    push_place(e, e->program->outputs[from]);
    emit_constant(e, 0.0);
    put_byte(e, F64_MUL);
    return;
  }
  sum_zeros(e, from, (from + end) / 2);
  sum_zeros(e, (from + end) / 2, end);
  put_byte(e, F64_ADD);
}

// outputs go to their array; the sum of their products with 0 is NaN when one is not finite
static void write_outputs(emitter *e) {
  const carom_program *p = e->program;
  for (int k = 0; k < p->output_count; k++) {
    emit_local(e, LOCAL_GET, VALUES);
    push_place(e, p->outputs[k]);
    emit_access(e, F64_STORE, k);
  }
  emit_constant(e, 0.0);
  for (int k = 0; k < p->output_count; k += SUMMED) {
    int end = k + SUMMED < p->output_count ? k + SUMMED : p->output_count;
    sum_zeros(e, k, end);
    put_byte(e, F64_ADD);
  }
}

static void emit_function(emitter *e, bool direct) {
  const carom_code *body = &e->program->body;
  size_t size = reserve_size(e);
  e->direct = direct;
  e->choosing = direct ? VALUES + 1 : WORK + 1;
  memset(e->known, 0, (size_t)e->program->register_count * sizeof *e->known);
  put_count(e, 2);
  put_count(e, 1), put_byte(e, I32);
  put_count(e, (uint32_t)e->program->register_count + 2), put_byte(e, F64);
  for (int k = 0; k < body->count; k++)
    emit_instruction(e, &body->items[k]);
  if (direct) write_outputs(e);
  put_byte(e, END);
  settle_size(e, size);
}

// ---- the module --------------------------------------------------------------------------------

static void emit_types(emitter *e) {
  static const char *const TYPE[TYPE_COUNT] = {
      [OF_WORK] = "w>",  [OF_ARRAYS] = "www>d", [OF_ONE] = "d>d",
      [OF_TWO] = "dd>d", [OF_TABLE] = "wd>d",   [OF_SINCOS] = "dww>"};
  put_byte(e, TYPES);
  size_t size = reserve_size(e);
  put_count(e, TYPE_COUNT);
  for (int k = 0; k < TYPE_COUNT; k++) {
    const char *results = strchr(TYPE[k], '>') + 1, *at = TYPE[k];
    put_byte(e, FUNCTION);
    put_count(e, (uint32_t)(results - 1 - at));
    for (; *at != '>'; at++)
      put_byte(e, *at == 'w' ? I32 : F64);
    put_count(e, (uint32_t)strlen(results));
    if (*results) put_byte(e, F64);
  }
  settle_size(e, size);
}

static void emit_imports(emitter *e) {
  put_byte(e, IMPORTS);
  size_t size = reserve_size(e);
  put_count(e, 2);
  put_text(e, "c"), put_text(e, "memory"), put_byte(e, 2), put_byte(e, 0), put_count(e, 0);
  put_text(e, "c"), put_text(e, "table"), put_byte(e, 1), put_byte(e, 0x70), put_byte(e, 0),
      put_count(e, 0);
  settle_size(e, size);
}

static void emit_module(emitter *e) {
  static const unsigned char HEAD[] = {0, 'a', 's', 'm', 1, 0, 0, 0};
  for (size_t k = 0; k < sizeof HEAD; k++)
    put_byte(e, HEAD[k]);
  emit_types(e);
  emit_imports(e);
  put_byte(e, FUNCTIONS);
  size_t size = reserve_size(e);
  put_count(e, 2), put_count(e, OF_WORK), put_count(e, OF_ARRAYS);
  settle_size(e, size);
  put_byte(e, EXPORTS);
  size = reserve_size(e);
  put_count(e, 2);
  put_text(e, "run"), put_byte(e, 0), put_count(e, 0);
  put_text(e, "evaluate"), put_byte(e, 0), put_count(e, 1);
  settle_size(e, size);
  put_byte(e, CODE);
  size = reserve_size(e);
  put_count(e, 2);
  emit_function(e, false);
  emit_function(e, true);
  settle_size(e, size);
}

// ---- the page ----------------------------------------------------------------------------------

// Makes a module of the bytes and puts its functions into the table; false: it could not.
__attribute__((import_module("lab"), import_name("compile"))) bool
carom_page_compile(const void *bytes, size_t size, uint32_t entries[2]);
__attribute__((import_module("lab"), import_name("forget"))) void
carom_page_forget(uint32_t run, uint32_t evaluate);

// kept in the arena, so that the places in the table can be given back
typedef struct entries {
  uint32_t run, evaluate;
} entries;

static void forget_entries(void *ctx) {
  const entries *made = ctx;
  carom_page_forget(made->run, made->evaluate);
}

// short programs are quick without, and very long ones (of series) take long to compile
enum { SHORTEST = 4, LONGEST = 6000 };

carom_native carom_native_compile(carom_arena *arena, const carom_program *program) {
  carom_native none = {0};
  int length = program->body.count;
  if (length < SHORTEST || length > LONGEST || program->register_count > 4 * LONGEST) return none;
  carom_arena *scratch = carom_arena_create(carom_arena_allocator(arena));
  entries *made = carom_arena_take(arena, sizeof *made);
  if (!scratch || !made) return carom_arena_destroy(scratch), none;
  emitter e = {.program = program};
  uint32_t found[2] = {0, 0};
  e.known = carom_arena_array(scratch, (size_t)program->register_count + 1, sizeof *e.known);
  if (e.known) {
    emit_module(&e);
    size_t size = e.at;
    e.bytes = carom_arena_take(scratch, size);
    e.at = 0;
    if (e.bytes) emit_module(&e);
    if (!e.bytes || !carom_page_compile(e.bytes, size, found)) found[0] = found[1] = 0;
  }
  carom_arena_destroy(scratch);
  if (found[0] == 0) return none;
  *made = (entries){found[0], found[1]};
  if (!carom_arena_on_destroy(arena, forget_entries, made)) return forget_entries(made), none;
  carom_native code;
  memcpy(&code.run, &found[0], sizeof code.run);
  memcpy(&code.evaluate, &found[1], sizeof code.evaluate);
  return code;
}

bool carom_program_has_lanes(const carom_program *program) { return (void)program, false; }

carom_program_lanes_code *carom_program_native_lanes(carom_arena *arena,
                                                     const carom_program *program) {
  (void)arena, (void)program;
  return NULL;
}

#endif
