// SPDX-License-Identifier: MIT
// A program over intervals: the same instructions, fused ones composed of interval operations.
#include "base/interval_functions.h"
#include "symbolic/program_internal.h"

#include <assert.h>

typedef carom_interval box;

// ---- conditions: true, false, or either --------------------------------------------------------

static box truth(bool surely_true, bool surely_false) {
  return (box){surely_true ? 1.0 : 0.0, surely_false ? 0.0 : 1.0};
}

static bool is_true(box a) { return !carom_interval_has_zero(a); }
static bool is_false(box a) { return a.lo == 0.0 && a.hi == 0.0; }
static bool is_one_value(box a, box b) { return a.lo == a.hi && b.lo == b.hi && a.lo == b.lo; }
static bool is_apart(box a, box b) { return a.hi < b.lo || b.hi < a.lo; }

// comparisons of a with b, which may be the same register
static box less(box a, box b, bool same) {
  return truth(a.hi < b.lo && !same, a.lo >= b.hi || same);
}
static box less_equal(box a, box b, bool same) {
  return truth(a.hi <= b.lo || same, a.lo > b.hi && !same);
}
static box equal(box a, box b, bool same) {
  return truth(is_one_value(a, b) || same, is_apart(a, b));
}
static box not_equal(box a, box b, bool same) {
  return truth(is_apart(a, b), is_one_value(a, b) || same);
}

static box both(box a, box b) {
  return truth(is_true(a) && is_true(b), is_false(a) || is_false(b));
}
static box either(box a, box b) {
  return truth(is_true(a) || is_true(b), is_false(a) && is_false(b));
}
static box neither(box a) { return truth(is_false(a), is_true(a)); }

static box choose(box condition, box yes, box no) {
  if (is_true(condition)) return yes;
  return is_false(condition) ? no : carom_interval_hull(yes, no);
}

// ---- functions ---------------------------------------------------------------------------------

// On the cut of atan2 the sign of a zero decides between pi and -pi, and an interval has no signs.
static box angle(box y, box x) {
  const double pi_above = 0x1.921fb54442d19p+1;
  if (carom_interval_has_zero(y) && x.lo <= 0.0) return (box){-pi_above, pi_above};
  return carom_interval_atan2(y, x);
}

// A product. The same register twice is a square, which is never negative: where operands come
// from is told by the addresses of their registers, results in between have none.
typedef struct term {
  box value;
  const box *from;
} term;

static term term_of(box value) { return (term){value, NULL}; }
static term times_term(term x, term y) {
  bool same = x.from && x.from == y.from;
  return term_of(same ? carom_interval_square(x.value) : carom_interval_mul(x.value, y.value));
}

#define A ((term){a, &work[i->a]})
#define B ((term){b, &work[i->b]})
#define C ((term){c, &work[i->c]})
#define D ((term){d, &work[i->d]})
#define E ((term){e, &work[i->e]})
#define ADD(x, y) term_of(carom_interval_add((x).value, (y).value))
#define SUB(x, y) term_of(carom_interval_sub((x).value, (y).value))
#define MUL(x, y) times_term(x, y)
#define DIV(x, y) term_of(carom_interval_div((x).value, (y).value))
#define NEG(x) term_of(carom_interval_neg((x).value))

#define LEAF(NAME, name)
#define PLAIN(NAME, name, arity, value, code, bounds, ...) CASE(CAROM_OP_##NAME, bounds)
#define CALL(NAME, stem, ...) CASE(CAROM_OP_##NAME, carom_interval_##stem(a))
#define PAIR(NAME, name, stem, bounds, ...) CASE(CAROM_OP_##NAME, bounds)
#define SAMPLED(NAME, name, stem, ...)                                                             \
  CASE(CAROM_OP_##NAME, carom_table_##stem##_bounds(&program->tables[i->table], a))
#define SHORT_POWER(NAME, exponent, value, code, bounds) CASE(CAROM_CODE_##NAME, bounds)
#define FUSED(NAME, formula) CASE(CAROM_CODE_##NAME, (formula).value)
#define CASE(code, bounds)                                                                         \
  case code: {                                                                                     \
    box a = work[i->a], b = work[i->b], c = work[i->c], d = work[i->d], e = work[i->e];            \
    bool same = i->a == i->b;                                                                      \
    (void)a, (void)b, (void)c, (void)d, (void)e, (void)same;                                       \
    work[i->to] = bounds;                                                                          \
    break;                                                                                         \
  }

static void run_code(const carom_program *program, const carom_code *code, box *work) {
  const carom_instruction *end = code->items + code->count;
  for (const carom_instruction *i = code->items; i < end; i++) {
    switch (i->code) {
      CAROM_OPERATIONS(LEAF, PLAIN, CALL, PAIR, SAMPLED)
      CAROM_SHORT_POWERS(SHORT_POWER)
      CAROM_FUSED_LIST(FUSED)
      CASE(CAROM_CODE_SIN_MUL, carom_interval_sin(times_term(A, B).value))
      CASE(CAROM_CODE_COS_MUL, carom_interval_cos(times_term(A, B).value))
      CASE(CAROM_CODE_POW_GENERAL, carom_interval_pow(a, b))
    case CAROM_CODE_SINCOS: {
      box a = work[i->a];
      work[i->to] = carom_interval_sin(a);
      work[i->d] = carom_interval_cos(a);
      break;
    }
    default: assert(false); break;
    }
  }
}

void carom_program_setup_bounds(const carom_program *program, carom_interval *work) {
  for (int k = 0; k < program->constant_count; k++) {
    double value = program->constants[k];
    work[program->input_count + k] =
        isnan(value) ? (box){-INFINITY, INFINITY} : carom_interval_point(value);
  }
  run_code(program, &program->setup, work);
}

void carom_program_run_bounds(const carom_program *program, carom_interval *work) {
  run_code(program, &program->body, work);
}
