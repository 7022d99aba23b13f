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

static void byte(emitter *e, int value) {
  if (e->bytes) e->bytes[e->at] = (unsigned char)value;
  e->at++;
}

// LEB128: seven bits a byte, the lowest first
static void count(emitter *e, uint32_t value) {
  for (; value >= 0x80; value >>= 7)
    byte(e, (int)(value & 0x7f) | 0x80);
  byte(e, (int)value);
}

static void number(emitter *e, int32_t value) {
  while (value < -64 || value >= 64) {
    byte(e, (value & 0x7f) | 0x80);
    value >>= 7;
  }
  byte(e, value & 0x7f);
}

// a size that is known later takes five bytes
static size_t reserve(emitter *e) {
  size_t place = e->at;
  e->at += 5;
  return place;
}

static void settle(emitter *e, size_t place) {
  uint32_t size = (uint32_t)(e->at - place - 5);
  for (int k = 0; k < 5 && e->bytes; k++)
    e->bytes[place + (size_t)k] = (unsigned char)((size >> (7 * k) & 0x7f) | (k < 4 ? 0x80 : 0));
}

static void text(emitter *e, const char *name) {
  count(e, (uint32_t)strlen(name));
  for (; *name; name++)
    byte(e, *name);
}

static void local(emitter *e, int how, int which) {
  byte(e, how);
  count(e, (uint32_t)which);
}

// a number at an index of an array; the address is on the stack
static void access(emitter *e, int how, int k) {
  byte(e, how);
  byte(e, 3); // aligned to 8 bytes
  count(e, (uint32_t)k * 8);
}

static void constant(emitter *e, double value) {
  unsigned char raw[8];
  memcpy(raw, &value, sizeof raw);
  byte(e, F64_CONST);
  for (int k = 0; k < 8; k++)
    byte(e, raw[k]);
}

// ---- values ------------------------------------------------------------------------------------

static int local_of(const emitter *e, int place) { return e->choosing + 3 + place; }

static void push(emitter *e, int place) {
  const carom_program *p = e->program;
  int state = place - p->state_first;
  bool from_states = e->direct && state >= 0 && state < p->state_count;
  if (e->known[place]) {
    local(e, LOCAL_GET, local_of(e, place));
    return;
  }
  local(e, LOCAL_GET, from_states ? STATES : WORK);
  access(e, F64_LOAD, from_states ? state : place);
  local(e, LOCAL_TEE, local_of(e, place));
  e->known[place] = true;
}

// the number on the stack is the value of a place
static void keep(emitter *e, int place) {
  local(e, LOCAL_SET, local_of(e, place));
  e->known[place] = true;
  if (e->direct) return;
  local(e, LOCAL_GET, WORK);
  local(e, LOCAL_GET, local_of(e, place));
  access(e, F64_STORE, place);
}

// ---- instructions ------------------------------------------------------------------------------

// mask, x, y become mask ? x : y
static void choose(emitter *e) {
  local(e, LOCAL_SET, e->choosing + 2);
  local(e, LOCAL_SET, e->choosing + 1);
  local(e, LOCAL_SET, e->choosing);
  local(e, LOCAL_GET, e->choosing + 1);
  local(e, LOCAL_GET, e->choosing + 2);
  local(e, LOCAL_GET, e->choosing);
  byte(e, SELECT);
}

static int operation(char symbol) {
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

static void evaluate(emitter *e, const char *formula, const carom_instruction *i) {
  const int operands[] = {i->a, i->b, i->c, i->d, i->e};
  for (const char *f = formula; *f; f++) {
    if (*f >= 'a' && *f <= 'e')
      push(e, operands[*f - 'a']);
    else if (*f == '0' || *f == '1')
      constant(e, *f - '0');
    else if (*f == '?')
      choose(e);
    else
      byte(e, operation(*f));
  }
}

// the arguments are on the stack; the number of a function is its place in the table
static void call(emitter *e, uint64_t function, int type) {
  byte(e, I32_CONST);
  number(e, (int32_t)function);
  byte(e, CALL_INDIRECT);
  count(e, (uint32_t)type);
  byte(e, 0);
}

static void push_address(emitter *e, int place) {
  local(e, LOCAL_GET, WORK);
  byte(e, I32_CONST);
  number(e, place * 8);
  byte(e, I32_ADD);
}

static void call_sincos(emitter *e, const carom_instruction *i) {
  push(e, i->a);
  push_address(e, i->to);
  push_address(e, i->d);
  call(e, CAROM_ADDRESS(carom_sincos), OF_SINCOS);
  e->known[i->to] = e->known[i->d] = false; // they are in memory
}

static void instruction(emitter *e, const carom_instruction *i) {
  uint64_t one = carom_function_of_one(i->code), two = carom_function_of_two(i->code),
           table = carom_function_of_table(i->code);
  if (i->code == CAROM_CODE_SINCOS) {
    call_sincos(e, i);
    return;
  }
  if (table) {
    byte(e, I32_CONST);
    number(e, (int32_t)(uintptr_t)&e->program->tables[i->table]);
  }
  if (carom_formulas[i->code])
    evaluate(e, carom_formulas[i->code], i);
  else
    push(e, i->a);
  if (two) push(e, i->b);
  if (table) call(e, table, OF_TABLE);
  if (one) call(e, one, OF_ONE);
  if (two) call(e, two, OF_TWO);
  keep(e, i->to);
}

// products of outputs with 0, summed up; in a tree, since each addition of a chain waits for the
// one before
enum { SUMMED = 16 };
static void sum_zeros(emitter *e, int from, int end) {
  if (end - from == 1) {
    push(e, e->program->outputs[from]);
    constant(e, 0.0);
    byte(e, F64_MUL);
    return;
  }
  sum_zeros(e, from, (from + end) / 2);
  sum_zeros(e, (from + end) / 2, end);
  byte(e, F64_ADD);
}

// outputs go to their array; the sum of their products with 0 is NaN when one is not finite
static void write_outputs(emitter *e) {
  const carom_program *p = e->program;
  for (int k = 0; k < p->output_count; k++) {
    local(e, LOCAL_GET, VALUES);
    push(e, p->outputs[k]);
    access(e, F64_STORE, k);
  }
  constant(e, 0.0);
  for (int k = 0; k < p->output_count; k += SUMMED) {
    int end = k + SUMMED < p->output_count ? k + SUMMED : p->output_count;
    sum_zeros(e, k, end);
    byte(e, F64_ADD);
  }
}

static void emit_function(emitter *e, bool direct) {
  const carom_code *body = &e->program->body;
  size_t size = reserve(e);
  e->direct = direct;
  e->choosing = direct ? VALUES + 1 : WORK + 1;
  memset(e->known, 0, (size_t)e->program->register_count * sizeof *e->known);
  count(e, 2);
  count(e, 1), byte(e, I32);
  count(e, (uint32_t)e->program->register_count + 2), byte(e, F64);
  for (int k = 0; k < body->count; k++)
    instruction(e, &body->items[k]);
  if (direct) write_outputs(e);
  byte(e, END);
  settle(e, size);
}

// ---- the module --------------------------------------------------------------------------------

static void emit_types(emitter *e) {
  static const char *const TYPE[TYPE_COUNT] = {
      [OF_WORK] = "w>",  [OF_ARRAYS] = "www>d", [OF_ONE] = "d>d",
      [OF_TWO] = "dd>d", [OF_TABLE] = "wd>d",   [OF_SINCOS] = "dww>"};
  byte(e, TYPES);
  size_t size = reserve(e);
  count(e, TYPE_COUNT);
  for (int k = 0; k < TYPE_COUNT; k++) {
    const char *results = strchr(TYPE[k], '>') + 1, *at = TYPE[k];
    byte(e, FUNCTION);
    count(e, (uint32_t)(results - 1 - at));
    for (; *at != '>'; at++)
      byte(e, *at == 'w' ? I32 : F64);
    count(e, (uint32_t)strlen(results));
    if (*results) byte(e, F64);
  }
  settle(e, size);
}

static void emit_imports(emitter *e) {
  byte(e, IMPORTS);
  size_t size = reserve(e);
  count(e, 2);
  text(e, "c"), text(e, "memory"), byte(e, 2), byte(e, 0), count(e, 0);
  text(e, "c"), text(e, "table"), byte(e, 1), byte(e, 0x70), byte(e, 0), count(e, 0);
  settle(e, size);
}

static void emit(emitter *e) {
  static const unsigned char HEAD[] = {0, 'a', 's', 'm', 1, 0, 0, 0};
  for (size_t k = 0; k < sizeof HEAD; k++)
    byte(e, HEAD[k]);
  emit_types(e);
  emit_imports(e);
  byte(e, FUNCTIONS);
  size_t size = reserve(e);
  count(e, 2), count(e, OF_WORK), count(e, OF_ARRAYS);
  settle(e, size);
  byte(e, EXPORTS);
  size = reserve(e);
  count(e, 2);
  text(e, "run"), byte(e, 0), count(e, 0);
  text(e, "evaluate"), byte(e, 0), count(e, 1);
  settle(e, size);
  byte(e, CODE);
  size = reserve(e);
  count(e, 2);
  emit_function(e, false);
  emit_function(e, true);
  settle(e, size);
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

static void forget(void *ctx) {
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
    emit(&e);
    size_t size = e.at;
    e.bytes = carom_arena_take(scratch, size);
    e.at = 0;
    if (e.bytes) emit(&e);
    if (!e.bytes || !carom_page_compile(e.bytes, size, found)) found[0] = found[1] = 0;
  }
  carom_arena_destroy(scratch);
  if (found[0] == 0) return none;
  *made = (entries){found[0], found[1]};
  if (!carom_arena_on_destroy(arena, forget, made)) return forget(made), none;
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
