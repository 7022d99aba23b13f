// SPDX-License-Identifier: MIT
// From instructions to machine code (x86-64, SSE2). Inside one instruction, operands are pushed on
// a small stack of vector registers, as its formula in postfix notation says. A result is written
// to the work array and also stays in a vector register until twelve others have come or a function
// is called: what follows soon takes it from there. Encodings: Intel 64 and IA-32 Architectures
// Software Developer's Manual, vol. 2.
#define _DEFAULT_SOURCE
#include "symbolic/native_bytes.h"
#include "symbolic/native_functions.h"

#if defined(__x86_64__) && defined(__unix__) && !defined(CAROM_NO_NATIVE)

#include <assert.h>
#include <string.h>
#include <sys/mman.h>

// ---- functions that the code calls -------------------------------------------------------------

// functions of one number; others, and tables, are called for one state only
static bool calls_for_four(int code) {
  return code == CAROM_CODE_SINCOS || carom_function_of_one(code);
}

static bool code_calls(int code) {
  return calls_for_four(code) || carom_function_of_two(code) || carom_function_of_table(code);
}

// Four states side by side are called for one by one, in place: the bits are those of each alone.
static void call_for_four(double *x, double (*function)(double)) {
  for (int lane = 0; lane < CAROM_LANES; lane++)
    x[lane] = function(x[lane]);
}

static void sincos_for_four(double *sine, double *cosine) {
  for (int lane = 0; lane < CAROM_LANES; lane++)
    carom_sincos(sine[lane], &sine[lane], &cosine[lane]);
}

// ---- values ------------------------------------------------------------------------------------

static int find_holder(const emitter *e, int place) {
  for (int x = FIRST_KEPT; x < VECTORS; x++)
    if (e->holds[x] == place) return x;
  return NOTHING;
}

static void forget_all(emitter *e) {
  for (int x = 0; x < VECTORS; x++)
    e->holds[x] = NOTHING;
}

// where the value of a place is in memory
typedef struct address {
  array_name array;
  int k;
} address;

static address find_address(const emitter *e, int place) {
  const carom_program *p = e->program;
  assert(0 <= place && place < p->register_count);
  int home = e->direct ? e->homes[place] : 0, state = place - p->state_first;
  if (e->direct && state >= 0 && state < p->state_count) return (address){STATES, state};
  return home > 0 ? (address){VALUES, home - 1} : (address){WORK, place};
}

static address find_to_read(emitter *e, int place) {
  address from = find_address(e, place);
  if (from.array != STATES) e->loaded[e->makers[place]] = true;
  return from;
}

// operation of vector register x with the value at a place, wherever it is at hand
static void with_value(emitter *e, int op, int x, int place) {
  int kept = find_holder(e, place);
  if (kept != NOTHING) {
    with_register(e, op == LOAD ? WHOLE : SCALAR, op == LOAD ? COPY : op, x, kept);
    return;
  }
  address from = find_to_read(e, place);
  with_array(e, op, x, from.array, from.k);
}

// x = a op b in one instruction, where AVX is used and a vector register has one of them
static bool with_two_values(emitter *e, int op, int x, int a, int b) {
  int v = find_holder(e, a);
  if (v == NOTHING && (op == ADD || op == MUL)) { // the other way round
    int other = a;
    a = b, b = other;
    v = find_holder(e, a);
  }
  if (!e->lanes || v == NOTHING) return false;
  int y = find_holder(e, b);
  wide_operation(e, op, x, v, y == NOTHING ? 0 : y);
  if (y != NOTHING) {
    both_registers(e, x, y);
    return true;
  }
  address from = find_to_read(e, b);
  register_and_element(e, x, from.array, from.k);
  return true;
}

// the vector register where the next result stays: the oldest that this instruction does not read
static int choose_target(emitter *e, const carom_instruction *i) {
  for (;; e->next++) {
    int x = FIRST_KEPT + e->next % (VECTORS - FIRST_KEPT), place = e->holds[x];
    bool read = place == i->a || place == i->b || place == i->c || place == i->d || place == i->e;
    if (place == NOTHING || !read) return e->next++, x;
  }
}

static void keep_place(emitter *e, int x, int place) {
  assert(FIRST_KEPT <= x && x < VECTORS && place < e->program->register_count);
  int old = find_holder(e, place);
  if (old != NOTHING) e->holds[old] = NOTHING;
  e->holds[x] = place;
  e->makers[place] = e->instruction;
  bool needed = !e->sparing || e->loaded[e->instruction];
  if (!e->stores || !needed) return;
  address to = find_address(e, place);
  with_array(e, STORE, x, to.array, to.k);
}

// ---- instructions ------------------------------------------------------------------------------

static int arithmetic_code(char symbol) {
  return symbol == '+' ? ADD : symbol == '-' ? SUB : symbol == '*' ? MUL : symbol == '/' ? DIV : 0;
}

// the vector register of an element of the stack
static int stack_slot(const emitter *e, int k) {
  assert(0 <= k && k < FIRST_KEPT);
  return k == 0 ? e->bottom : k;
}

static void join_operands(emitter *e, int prefix, int op) {
  e->depth--;
  with_register(e, prefix, op, stack_slot(e, e->depth - 1), stack_slot(e, e->depth));
}

static void emit_comparison(emitter *e, int how) {
  join_operands(e, SCALAR, COMPARE);
  byte(e, how);
}

// m ? x : y as (m & x) | (~m & y); the three are the top of the stack
static void emit_choice(emitter *e) {
  assert(e->depth >= 3);
  int m = stack_slot(e, e->depth - 3), x = stack_slot(e, e->depth - 2),
      y = stack_slot(e, e->depth - 1);
  with_register(e, WHOLE, AND, x, m);
  with_register(e, WHOLE, ANDNOT, m, y);
  with_register(e, WHOLE, OR, m, x);
  e->depth -= 2;
}

static void emit_operation(emitter *e, char symbol) {
  int top = stack_slot(e, e->depth - 1), fresh = stack_slot(e, e->depth);
  switch (symbol) {
  case '0': with_register(e, WHOLE, XOR, fresh, fresh), e->depth++; break;
  case '1': // all bits, then those of 1.0
    with_register(e, WHOLE, ALIKE, fresh, fresh), e->depth++;
    with_pool(e, AND, fresh, POOL_ONE);
    break;
  case 's': with_register(e, SCALAR, SQRT, top, top); break;
  case 'n': with_pool(e, XOR, top, POOL_SIGN); break;
  case 'm': with_pool(e, AND, top, POOL_MODULUS); break;
  case 'B': with_pool(e, AND, top, POOL_ONE); break;
  case '=': emit_comparison(e, 0); break;
  case '<': emit_comparison(e, 1); break;
  case '[': emit_comparison(e, 2); break;
  case '!': emit_comparison(e, 4); break;
  case '&': join_operands(e, WHOLE, AND); break;
  case '|': join_operands(e, WHOLE, OR); break;
  case '?': emit_choice(e); break;
  default: join_operands(e, SCALAR, arithmetic_code(symbol)); break;
  }
}

static bool is_operand(char symbol) { return symbol >= 'a' && symbol <= 'e'; }

// the formula of an instruction; its value is left in the lowest register of the stack
static void emit_formula(emitter *e, const char *formula, const carom_instruction *i) {
  const int operands[] = {i->a, i->b, i->c, i->d, i->e};
  e->depth = 0;
  for (const char *f = formula; *f; f++) {
    if (!is_operand(*f)) {
      emit_operation(e, *f);
    } else if (e->depth > 0 && arithmetic_code(f[1])) { // without a trip over the stack
      with_value(e, arithmetic_code(f[1]), stack_slot(e, e->depth - 1), operands[*f - 'a']);
      f++;
    } else if (is_operand(f[1]) && arithmetic_code(f[2]) &&
               with_two_values(e, arithmetic_code(f[2]), stack_slot(e, e->depth),
                               operands[*f - 'a'], operands[f[1] - 'a'])) {
      e->depth++;
      f += 2;
    } else {
      with_value(e, LOAD, stack_slot(e, e->depth), operands[*f - 'a']);
      e->depth++;
    }
  }
}

// the arguments of a call to vector registers 0 and 1
static void load_arguments(emitter *e, const carom_instruction *i) {
  e->bottom = 0;
  if (carom_formulas[i->code]) {
    emit_formula(e, carom_formulas[i->code], i);
    return;
  }
  with_value(e, LOAD, 0, i->a);
  if (!e->lanes) with_value(e, LOAD, 1, i->b);
}

// arguments of four states become results where they lie in memory
static void call_in_place(emitter *e, const carom_instruction *i) {
  load_arguments(e, i);
  with_array(e, STORE, 0, WORK, i->to);
  address_of(e, RDI, i->to);
  if (i->code == CAROM_CODE_SINCOS)
    address_of(e, RSI, i->d);
  else
    number(e, RSI, carom_function_of_one(i->code));
  vzeroupper(e);
  call(e, i->code == CAROM_CODE_SINCOS ? CAROM_ADDRESS(sincos_for_four)
                                       : CAROM_ADDRESS(call_for_four));
  forget_all(e);
}

// a call takes its numbers in vector registers 0 and 1 and leaves its result in 0
static void call_instruction(emitter *e, const carom_instruction *i) {
  uint64_t table = carom_function_of_table(i->code), one = carom_function_of_one(i->code);
  load_arguments(e, i);
  if (i->code == CAROM_CODE_SINCOS) {
    address_of(e, RDI, i->to);
    address_of(e, RSI, i->d);
    call(e, CAROM_ADDRESS(carom_sincos));
    forget_all(e);
    return;
  }
  if (table) number(e, RDI, CAROM_ADDRESS(&e->program->tables[i->table]));
  call(e, table ? table : one ? one : carom_function_of_two(i->code));
  forget_all(e);
  with_array(e, STORE, 0, WORK, i->to);
}

static void emit_instruction(emitter *e, const carom_instruction *i) {
  if (code_calls(i->code)) {
    (e->lanes ? call_in_place : call_instruction)(e, i);
    return;
  }
  int target = choose_target(e, i);
  e->holds[target] = NOTHING;
  e->bottom = target;
  emit_formula(e, carom_formulas[i->code], i);
  keep_place(e, target, i->to);
}

// ---- functions ---------------------------------------------------------------------------------

enum {
  LONG_CODE = 48,    // instructions from which shorter addresses pay
  SERIES_CODE = 1000 // only series have more, and those are always evaluated with arrays
};

// Code that calls keeps its arrays where calls preserve them; three pushes also align the stack as
// calls expect.
static void emit_entry(emitter *e) {
  word(e, UINT64_C(0xfa1e0ff3), 4); // endbr64: a place to jump to
  e->general[WORK] = RDI, e->general[STATES] = RSI, e->general[VALUES] = RDX;
  e->window_count = 0;
  if (!e->outside) return;
  e->general[WORK] = RBX, e->general[STATES] = RBP;
  byte(e, 0x50 | RBX), byte(e, 0x50 | RBP), byte(e, 0x50 | RDX);
  move(e, RBX, RDI);
  move(e, RBP, RSI);
}

// Behind the last call, in long code: registers that calls do not preserve point into the arrays.
static void open_windows(emitter *e) {
  int wide = WINDOW_BYTES / element(e);
  const window windows[MOST_WINDOWS] = {{WORK, 0, RBX},        {WORK, wide, RAX},
                                        {WORK, 2 * wide, RCX}, {VALUES, 0, RDX},
                                        {VALUES, wide, RSI},   {VALUES, 2 * wide, RDI}};
  word(e, UINT64_C(0x24148b48), 4);             // mov rdx, [rsp]
  for (int k = MOST_WINDOWS - 1; k >= 0; k--) { // the arrays' own registers last
    const window *w = &windows[k];
    shift_address(e, w->general, e->general[w->array], w->first * element(e) + WINDOW_BIAS);
  }
  memcpy(e->windows, windows, sizeof windows);
  e->window_count = MOST_WINDOWS;
}

// the sum of all outputs times 0 behind them, lane by lane
static void check_lanes(emitter *e) {
  enum { SUM, ZERO, PRODUCT };
  int count = e->program->output_count;
  for (int k = 0; k < count; k++) {
    wide_operation(e, MUL, PRODUCT, ZERO, 0);
    register_and_element(e, PRODUCT, VALUES, k);
    with_register(e, WHOLE, ADD, SUM, PRODUCT);
  }
  with_array(e, STORE, SUM, VALUES, count);
}

// Outputs that do not live in their array go there; vector register 0 returns the sum of all their
// products with 0, which is NaN when one of them is not finite.
static void write_outputs(emitter *e) {
  enum { SUM, ZERO, VALUE, PRODUCT };
  bool long_code = e->window_count > 0;
  int count = e->program->output_count;
  with_register(e, WHOLE, XOR, SUM, SUM);
  with_register(e, WHOLE, XOR, ZERO, ZERO);
  for (int k = 0; k < count; k++) {
    int place = e->program->outputs[k], x = find_holder(e, place);
    if (long_code && e->homes[place] == k + 1) {
      e->loaded[e->makers[place]] = true; // by the caller
      continue;
    }
    if (x == NOTHING) with_value(e, LOAD, x = VALUE, place);
    with_array(e, STORE, x, VALUES, k);
    if (long_code) continue;
    with_register(e, WHOLE, COPY, PRODUCT, x);
    with_register(e, SCALAR, MUL, PRODUCT, ZERO);
    with_register(e, SCALAR, ADD, SUM, PRODUCT);
  }
  if (e->lanes) {
    check_lanes(e);
    return;
  }
  // many of them two by two
  for (int k = 0; k < count && long_code; k += 2) {
    int prefix = k + 1 < count ? WHOLE : SCALAR;
    with_memory(e, prefix, LOAD, VALUE, VALUES, k);
    with_register(e, prefix, MUL, VALUE, ZERO);
    with_register(e, prefix, ADD, SUM, VALUE);
  }
  if (!long_code) return;
  with_register(e, WHOLE, COPY, VALUE, SUM);
  with_register(e, WHOLE, HIGH, VALUE, VALUE);
  with_register(e, SCALAR, ADD, SUM, VALUE);
}

static void emit_exit(emitter *e) {
  if (e->outside && e->window_count == 0) byte(e, 0x58 | RDX);
  if (e->direct) write_outputs(e);
  if (e->outside && e->window_count > 0) byte(e, 0x58 | RDX);
  if (e->outside) byte(e, 0x58 | RBP), byte(e, 0x58 | RBX);
  if (e->lanes) vzeroupper(e);
  byte(e, 0xc3);
}

static int last_call(const carom_code *body) {
  int k = body->count - 1;
  while (k >= 0 && !code_calls(body->items[k].code))
    k--;
  return k;
}

// Places written behind the last call only can be elements of the array of values: those of outputs
// are.
static void choose_homes(emitter *e, int last) {
  enum { BEFORE = -2, BEHIND = -1 };
  const carom_code *body = &e->program->body;
  for (int k = 0; k < body->count; k++) {
    const carom_instruction *i = &body->items[k];
    if (e->homes[i->to] != BEFORE) e->homes[i->to] = k <= last ? BEFORE : BEHIND;
    if (i->code == CAROM_CODE_SINCOS) e->homes[i->d] = BEFORE;
  }
  for (int j = 0; j < e->program->output_count; j++)
    if (e->homes[e->program->outputs[j]] == BEHIND) e->homes[e->program->outputs[j]] = j + 1;
}

// The body as a function; returns where it starts. Short bodies without calls never lose a result
// from the vector registers, so with arrays of their own they need not write any. The first pass
// over a long one finds out which results are read from memory, and only those are written.
static size_t emit_function(emitter *e, bool direct) {
  const carom_code *body = &e->program->body;
  size_t start = e->at;
  bool long_code = direct && body->count > LONG_CODE, outside = e->outside;
  int last = last_call(body);
  e->direct = direct;
  e->outside = outside || long_code;
  e->stores = !direct || e->outside || body->count > VECTORS - FIRST_KEPT;
  e->sparing = long_code && e->bytes;
  e->next = 0;
  memset(e->homes, 0, (size_t)e->program->register_count * sizeof *e->homes);
  if (long_code) choose_homes(e, last);
  forget_all(e);
  emit_entry(e);
  for (int k = 0; k < body->count; k++) {
    if (long_code && k == last + 1) open_windows(e);
    e->instruction = k;
    emit_instruction(e, &body->items[k]);
  }
  emit_exit(e);
  e->outside = outside;
  return start;
}

static void emit_pool(emitter *e) {
  const uint64_t constants[] = {UINT64_C(1) << 63, ~(UINT64_C(1) << 63),
                                UINT64_C(0x3ff0000000000000)};
  for (int k = 0; k < 3 * CAROM_LANES; k++)
    word(e, constants[k / CAROM_LANES], 8);
}

// where the functions start: for one state, or that for four
typedef struct layout {
  size_t run, evaluate;
} layout;

// Long code is worth having for four states at once, if what it calls can be called for four.
bool carom_program_has_lanes(const carom_program *program) {
  const carom_code *body = &program->body;
  bool wanted = program->native.evaluate && program->wide && body->count > LONG_CODE;
  for (int k = 0; k < body->count && wanted; k++)
    wanted = !code_calls(body->items[k].code) || calls_for_four(body->items[k].code);
  return wanted;
}

static layout emit_program(emitter *e) {
  layout at = {0};
  e->outside = last_call(&e->program->body) >= 0;
  emit_pool(e);
  if (!e->lanes && e->program->body.count <= SERIES_CODE) at.run = emit_function(e, false);
  at.evaluate = emit_function(e, true);
  return at;
}

// ---- pages -------------------------------------------------------------------------------------

// kept in the arena, so that the pages can be given back
typedef struct mapping {
  void *pages;
  size_t size;
} mapping;

static void unmap_code(void *ctx) {
  const mapping *m = ctx;
  (void)munmap(m->pages, m->size);
}

// ISO C knows no way from an object to a function; POSIX promises that they look alike
static void set_entry(void *entry, const mapping *m, size_t at) {
  const void *start = (const unsigned char *)m->pages + at;
  memcpy(entry, &start, sizeof start);
}

// what the emitter remembers of places and instructions
static bool take_notes(emitter *e, carom_arena *arena) {
  size_t places = (size_t)e->program->register_count, instructions = (size_t)e->program->body.count;
  e->homes = carom_arena_array(arena, places + 1, sizeof *e->homes);
  e->makers = carom_arena_array(arena, places + 1, sizeof *e->makers);
  e->loaded = carom_arena_array(arena, instructions + 1, sizeof *e->loaded);
  return e->homes && e->makers && e->loaded;
}

// pages with the code; without any where that cannot be
static mapping write_code(emitter *e, layout *at) {
  mapping m = {0}, none = {0};
  (void)emit_program(e);
  m.size = e->at; // enough: what is not written makes the code shorter
  m.pages = mmap(NULL, m.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (m.pages == MAP_FAILED) return none;
  e->bytes = m.pages;
  e->at = 0;
  *at = emit_program(e);
  if (mprotect(m.pages, m.size, PROT_READ | PROT_EXEC) == 0) return m;
  unmap_code(&m);
  return none;
}

static mapping compile_program(carom_arena *arena, const carom_program *program, bool lanes,
                               layout *at) {
  mapping none = {0}, *kept = carom_arena_take(arena, sizeof *kept);
  carom_arena *scratch = kept ? carom_arena_create(carom_arena_allocator(arena)) : NULL;
  emitter e = {.program = program, .lanes = lanes};
  if (!scratch) return none;
  *kept = take_notes(&e, scratch) ? write_code(&e, at) : none;
  carom_arena_destroy(scratch);
  if (!kept->pages || carom_arena_on_destroy(arena, unmap_code, kept)) return *kept;
  unmap_code(kept);
  return none;
}

carom_native carom_native_compile(carom_arena *arena, const carom_program *program) {
  carom_native code = {0};
  layout at = {0};
  mapping m = compile_program(arena, program, false, &at);
  if (!m.pages) return code;
  if (at.run > 0) set_entry(&code.run, &m, at.run);
  set_entry(&code.evaluate, &m, at.evaluate);
  return code;
}

carom_program_lanes_code *carom_program_native_lanes(carom_arena *arena,
                                                     const carom_program *program) {
  carom_program_lanes_code *code = NULL;
  layout at = {0};
  if (!carom_program_has_lanes(program)) return NULL;
  mapping m = compile_program(arena, program, true, &at);
  if (m.pages) set_entry(&code, &m, at.evaluate);
  return code;
}

#elif !defined(__wasm__) || defined(CAROM_NO_NATIVE) // that has native_wasm.c

carom_native carom_native_compile(carom_arena *arena, const carom_program *program) {
  (void)arena, (void)program;
  return (carom_native){0};
}

bool carom_program_has_lanes(const carom_program *program) {
  (void)program;
  return false;
}

carom_program_lanes_code *carom_program_native_lanes(carom_arena *arena,
                                                     const carom_program *program) {
  (void)arena, (void)program;
  return NULL;
}

#endif
