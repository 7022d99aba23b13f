// SPDX-License-Identifier: MIT
// From instructions to PTX. A value stays in a register of its own, of which PTX has any number;
// the code has no jumps, so that what was read or computed once is known from then on. The formulas
// in postfix notation are the stack of native_wasm.c, whose elements are numbers of registers here.
// Meaning of the instructions: PTX ISA 7.0, chapter 9.7.
#include "symbolic/native_ptx.h"

#include "symbolic/program_internal.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// twice the room, or more
static bool make_room(carom_ptx *ptx, size_t wanted) {
  if (wanted <= ptx->room) return true;
  char *grown = carom_arena_take(ptx->arena, 2 * wanted);
  ptx->broken = ptx->broken || !grown;
  if (!grown) return false;
  if (ptx->size > 0) memcpy(grown, ptx->text, ptx->size);
  ptx->text = grown;
  ptx->room = 2 * wanted;
  return true;
}

void carom_ptx_put(carom_ptx *ptx, const char *format, ...) {
  enum { LINE = 512 };
  va_list arguments;
  if (!ptx || !make_room(ptx, ptx->size + LINE)) return;
  va_start(arguments, format);
  int length = vsnprintf(ptx->text + ptx->size, LINE, format, arguments);
  va_end(arguments);
  assert(0 <= length && length < LINE);
  ptx->size += (size_t)length;
}

// ---- what is called ----

/// How many numbers the function of an instruction takes; 0: it calls none. Its name is that of
/// the row of the table.
typedef struct callee {
  int count;
  const char *name;
} callee;

#define LEAF(NAME, name)
#define NONE(NAME, ...)
#define CALL(NAME, stem, ...) [CAROM_OP_##NAME] = {1, CAROM_PTX_FUNCTION(#stem)},
#define PAIR(NAME, name, stem, ...) [CAROM_OP_##NAME] = {2, CAROM_PTX_FUNCTION(#stem)},
static const callee CALLEES[CAROM_CODE_COUNT] = {
    CAROM_OPERATIONS(LEAF, NONE, CALL, PAIR,
                     NONE)[CAROM_CODE_SIN_MUL] = {1, CAROM_PTX_FUNCTION("sin")},
    [CAROM_CODE_COS_MUL] = {1, CAROM_PTX_FUNCTION("cos")},
    [CAROM_CODE_POW_GENERAL] = {2, CAROM_PTX_FUNCTION("pow")}};

static void declare_function(carom_ptx *ptx, const callee *function) {
  carom_ptx_put(ptx, ".extern .func (.param .b64 func_retval0) %s (.param .b64 param_0%s);\n",
                function->name, function->count == 2 ? ", .param .b64 param_1" : "");
}

void carom_ptx_begin(carom_ptx *ptx) {
  carom_ptx_put(ptx, ".version 7.0\n.target sm_70\n.address_size 64\n");
  for (int code = 0; code < CAROM_OP_COUNT; code++)
    if (CALLEES[code].count > 0) declare_function(ptx, &CALLEES[code]);
  declare_function(ptx, &CALLEES[CAROM_CODE_POW_GENERAL]);
  carom_ptx_put(
      ptx, ".extern .func %s (.param .b64 param_0, .param .b64 param_1, .param .b64 param_2);\n",
      CAROM_PTX_FUNCTION("sincos"));
}

// ---- values ----

enum { NOWHERE = -1, DEEPEST = 32 };

typedef struct emitter {
  const carom_program *program;
  carom_ptx *ptx;     // NULL: it only counts
  bool direct;        // states come from an array of their own, outputs go to another
  int *holder;        // per place the register that has its value, or NOWHERE
  int numbers, masks; // registers that are taken
  int stack[DEEPEST], depth;
} emitter;

static int fresh_number(emitter *e) { return e->numbers++; }

static void push_register(emitter *e, int which) {
  assert(e->depth < DEEPEST);
  e->stack[e->depth++] = which;
}

static int pop_register(emitter *e) {
  assert(e->depth > 0);
  return e->stack[--e->depth];
}

static int number_register(emitter *e, double value) {
  uint64_t bits;
  int to = fresh_number(e);
  memcpy(&bits, &value, sizeof bits);
  carom_ptx_put(e->ptx, "mov.f64 %%d%d, 0d%016" PRIX64 ";\n", to, bits);
  return to;
}

static int register_of(emitter *e, int place) {
  const carom_program *p = e->program;
  int state = place - p->state_first, constant = place - p->input_count;
  bool from_states = e->direct && state >= 0 && state < p->state_count;
  if (e->holder[place] != NOWHERE) return e->holder[place];
  if (constant >= 0 && constant < p->constant_count)
    return e->holder[place] = number_register(e, p->constants[constant]);
  int to = fresh_number(e);
  carom_ptx_put(e->ptx, "ld.f64 %%d%d, [%%%s+%d];\n", to, from_states ? "states" : "work",
                8 * (from_states ? state : place));
  return e->holder[place] = to;
}

static void keep_place(emitter *e, int place, int holder) {
  e->holder[place] = holder;
  if (!e->direct) carom_ptx_put(e->ptx, "st.f64 [%%work+%d], %%d%d;\n", 8 * place, holder);
}

// ---- instructions ----

static const char *operation_name(char symbol) {
  switch (symbol) {
  case '+': return "add.rn.f64";
  case '-': return "sub.rn.f64";
  case '*': return "mul.rn.f64";
  case '/': return "div.rn.f64";
  case 's': return "sqrt.rn.f64";
  case 'n': return "neg.f64";
  case 'm': return "abs.f64";
  case '=': return "setp.eq.f64";
  case '!': return "setp.neu.f64";
  case '<': return "setp.lt.f64";
  case '[': return "setp.le.f64";
  case '&': return "and.pred";
  default: return "or.pred";
  }
}

static void emit_arithmetic(emitter *e, char symbol) {
  int b = pop_register(e), to = fresh_number(e);
  if (symbol == 's' || symbol == 'n' || symbol == 'm')
    carom_ptx_put(e->ptx, "%s %%d%d, %%d%d;\n", operation_name(symbol), to, b);
  else
    carom_ptx_put(e->ptx, "%s %%d%d, %%d%d, %%d%d;\n", operation_name(symbol), to, pop_register(e),
                  b);
  push_register(e, to);
}

// compares two numbers, or joins two masks
static void emit_mask(emitter *e, char symbol) {
  char kind = symbol == '&' || symbol == '|' ? 'p' : 'd';
  int b = pop_register(e), a = pop_register(e), to = e->masks++;
  carom_ptx_put(e->ptx, "%s %%p%d, %%%c%d, %%%c%d;\n", operation_name(symbol), to, kind, a, kind,
                b);
  push_register(e, to);
}

static void emit_choice(emitter *e) {
  int y = pop_register(e), x = pop_register(e), mask = pop_register(e), to = fresh_number(e);
  carom_ptx_put(e->ptx, "selp.f64 %%d%d, %%d%d, %%d%d, %%p%d;\n", to, x, y, mask);
  push_register(e, to);
}

// 1 or 0 by a mask
static void emit_truth(emitter *e) {
  int mask = pop_register(e), one = number_register(e, 1.0), zero = number_register(e, 0.0);
  push_register(e, mask);
  push_register(e, one);
  push_register(e, zero);
  emit_choice(e);
}

static int emit_formula(emitter *e, const char *formula, const carom_instruction *i) {
  const int operands[] = {i->a, i->b, i->c, i->d, i->e};
  e->depth = 0;
  for (const char *f = formula; *f; f++) {
    if (*f >= 'a' && *f <= 'e')
      push_register(e, register_of(e, operands[*f - 'a']));
    else if (*f == '0' || *f == '1')
      push_register(e, number_register(e, *f - '0'));
    else if (*f == '?')
      emit_choice(e);
    else if (*f == 'B')
      emit_truth(e);
    else if (strchr("=!<[&|", *f))
      emit_mask(e, *f);
    else
      emit_arithmetic(e, *f);
  }
  assert(e->depth == 1);
  return pop_register(e);
}

static void emit_call(emitter *e, const callee *function, const carom_instruction *i) {
  bool of_formula = carom_formulas[i->code] != NULL, two = function->count == 2;
  int a = of_formula ? emit_formula(e, carom_formulas[i->code], i) : register_of(e, i->a);
  int b = two ? register_of(e, i->b) : 0, to = fresh_number(e);
  carom_ptx_put(e->ptx, "{\n.param .b64 param0;\nst.param.f64 [param0+0], %%d%d;\n", a);
  if (two) carom_ptx_put(e->ptx, ".param .b64 param1;\nst.param.f64 [param1+0], %%d%d;\n", b);
  carom_ptx_put(e->ptx, ".param .b64 retval0;\ncall (retval0), %s, (param0%s);\n", function->name,
                two ? ", param1" : "");
  carom_ptx_put(e->ptx, "ld.param.f64 %%d%d, [retval0+0];\n}\n", to);
  keep_place(e, i->to, to);
}

// Both results go where the work array has their places. Nothing may stand between what gives the
// arguments and the call.
static void emit_sincos(emitter *e, const carom_instruction *i) {
  int a = register_of(e, i->a);
  carom_ptx_put(e->ptx, "add.s64 %%to1, %%work, %d;\nadd.s64 %%to2, %%work, %d;\n", 8 * i->to,
                8 * i->d);
  carom_ptx_put(e->ptx, "{\n.param .b64 param0;\nst.param.f64 [param0+0], %%d%d;\n", a);
  for (int k = 1; k <= 2; k++)
    carom_ptx_put(e->ptx, ".param .b64 param%d;\nst.param.b64 [param%d+0], %%to%d;\n", k, k, k);
  carom_ptx_put(e->ptx, "call %s, (param0, param1, param2);\n}\n", CAROM_PTX_FUNCTION("sincos"));
  for (int k = 0; k < 2; k++) {
    int place = k == 0 ? i->to : i->d, to = fresh_number(e);
    carom_ptx_put(e->ptx, "ld.f64 %%d%d, [%%work+%d];\n", to, 8 * place);
    e->holder[place] = to;
  }
}

static void emit_instruction(emitter *e, const carom_instruction *i) {
  if (i->code == CAROM_CODE_SINCOS)
    emit_sincos(e, i);
  else if (CALLEES[i->code].count > 0)
    emit_call(e, &CALLEES[i->code], i);
  else
    keep_place(e, i->to, emit_formula(e, carom_formulas[i->code], i));
}

// Outputs go to their array; the sums of their products with 0, which are NaN when one is not
// finite, are several, so that an addition does not wait for the one before.
static void write_outputs(emitter *e) {
  enum { SUMS = 4 };
  const carom_program *p = e->program;
  int zero = number_register(e, 0.0), sums[SUMS] = {zero, zero, zero, zero};
  for (int k = 0; k < p->output_count; k++) {
    int value = register_of(e, p->outputs[k]), product = fresh_number(e), sum = fresh_number(e);
    carom_ptx_put(e->ptx, "st.f64 [%%values+%d], %%d%d;\n", 8 * k, value);
    carom_ptx_put(e->ptx, "mul.rn.f64 %%d%d, %%d%d, %%d%d;\n", product, value, zero);
    carom_ptx_put(e->ptx, "add.rn.f64 %%d%d, %%d%d, %%d%d;\n", sum, sums[k % SUMS], product);
    sums[k % SUMS] = sum;
  }
  for (int k = 1; k < SUMS; k++) {
    int sum = fresh_number(e);
    carom_ptx_put(e->ptx, "add.rn.f64 %%d%d, %%d%d, %%d%d;\n", sum, sums[0], sums[k]);
    sums[0] = sum;
  }
  carom_ptx_put(e->ptx, "st.param.f64 [func_retval0+0], %%d%d;\n", sums[0]);
}

// ---- functions ----

static void emit_body(emitter *e) {
  const carom_code *body = &e->program->body;
  e->numbers = e->masks = 0;
  for (int k = 0; k < e->program->register_count; k++)
    e->holder[k] = NOWHERE;
  for (int k = 0; k < body->count; k++)
    emit_instruction(e, &body->items[k]);
  if (e->direct) write_outputs(e);
}

// the registers that a body takes are declared before it: the first pass only counts them
static void emit_function(emitter *e, const char *name, bool direct) {
  carom_ptx *ptx = e->ptx;
  e->direct = direct;
  e->ptx = NULL;
  emit_body(e);
  e->ptx = ptx;
  if (direct)
    carom_ptx_put(ptx,
                  ".func (.param .b64 func_retval0) %s_evaluate (.param .b64 in_work, "
                  ".param .b64 in_states, .param .b64 in_values)\n{\n",
                  name);
  else
    carom_ptx_put(ptx, ".func %s_run (.param .b64 in_work)\n{\n", name);
  carom_ptx_put(ptx, ".reg .f64 %%d<%d>;\n.reg .pred %%p<%d>;\n", e->numbers + 1, e->masks + 1);
  carom_ptx_put(
      ptx,
      ".reg .b64 %%work, %%states, %%values, %%to1, %%to2;\nld.param.u64 %%work, [in_work];\n");
  if (direct)
    carom_ptx_put(ptx,
                  "ld.param.u64 %%states, [in_states];\nld.param.u64 %%values, [in_values];\n");
  emit_body(e);
  carom_ptx_put(ptx, "ret;\n}\n");
}

enum {
  LONGEST = 8000,    // instructions: longer ones take long to compile
  SERIES_CODE = 1000 // only series have more, and those are always evaluated with arrays
};

static bool is_fit(const carom_program *program) {
  const carom_code *body = &program->body;
  bool fit = body->count > 0 && body->count <= LONGEST;
  for (int k = 0; k < body->count && fit; k++) {
    int code = body->items[k].code;
    fit = carom_formulas[code] || CALLEES[code].count > 0 || code == CAROM_CODE_SINCOS;
  }
  return fit;
}

carom_ptx_functions carom_program_ptx(const carom_program *program, const char *name,
                                      carom_ptx *ptx) {
  const carom_ptx_functions none = {0};
  emitter e = {.program = program, .ptx = ptx};
  if (!is_fit(program)) return none;
  e.holder = carom_arena_array(ptx->arena, (size_t)program->register_count + 1, sizeof *e.holder);
  ptx->broken = ptx->broken || !e.holder;
  if (!e.holder) return none;
  bool run = program->body.count <= SERIES_CODE;
  if (run) emit_function(&e, name, false);
  emit_function(&e, name, true);
  return (carom_ptx_functions){run, true};
}

void carom_program_adopt(carom_program *program, const carom_program_codes *codes) {
  uintptr_t run = (uintptr_t)codes->run, evaluate = (uintptr_t)codes->evaluate;
  memcpy(&program->native.run, &run, sizeof run);
  memcpy(&program->native.evaluate, &evaluate, sizeof evaluate);
}
