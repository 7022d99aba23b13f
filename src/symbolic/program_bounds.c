// SPDX-License-Identifier: MIT
// A program over intervals: the same instructions, fused ones composed of interval operations.
#include "base/interval_functions.h"
#include "symbolic/program_internal.h"

typedef carom_interval box;

#define ADD carom_interval_add
#define SUB carom_interval_sub
#define DIV carom_interval_div

static box point(double x) { return carom_interval_point(x); }

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

static box compare(const carom_instruction *i, box a, box b) {
  bool same = i->a == i->b;
  switch (i->code) {
  case CAROM_OP_LT: return less(a, b, same);
  case CAROM_OP_LE: return less_equal(a, b, same);
  case CAROM_OP_GT: return less(b, a, same);
  case CAROM_OP_GE: return less_equal(b, a, same);
  case CAROM_OP_EQ: return equal(a, b, same);
  default: return not_equal(a, b, same);
  }
}

static box logic(const carom_instruction *i, box a, box b) {
  switch (i->code) {
  case CAROM_OP_AND: return truth(is_true(a) && is_true(b), is_false(a) || is_false(b));
  case CAROM_OP_OR: return truth(is_true(a) || is_true(b), is_false(a) && is_false(b));
  default: return truth(is_false(a), is_true(a));
  }
}

static box choose(box condition, box yes, box no) {
  if (is_true(condition)) return yes;
  return is_false(condition) ? no : carom_interval_hull(yes, no);
}

// ---- arithmetic --------------------------------------------------------------------------------

// a product; the same register twice is a square, which is never negative
static box product(const box *work, uint16_t a, uint16_t b) {
  return a == b ? carom_interval_square(work[a]) : carom_interval_mul(work[a], work[b]);
}

// the products most fused instructions hold
#define AB product(work, i->a, i->b)
#define CD product(work, i->c, i->d)

static box fused(const carom_instruction *i, const box *work) {
  box a = work[i->a], b = work[i->b], c = work[i->c], d = work[i->d], e = work[i->e];
  switch (i->code) {
  case CAROM_CODE_MULADD: return ADD(AB, c);
  case CAROM_CODE_MULSUB: return SUB(AB, c);
  case CAROM_CODE_SUBFROM_MUL: return SUB(c, AB);
  case CAROM_CODE_MULMULADD: return ADD(AB, CD);
  case CAROM_CODE_MULMULSUB: return SUB(AB, CD);
  case CAROM_CODE_ADDMUL_ADDMUL: return ADD(ADD(e, AB), CD);
  case CAROM_CODE_SUBMUL_ADDMUL: return ADD(SUB(e, AB), CD);
  case CAROM_CODE_ADDMUL_SUBMUL: return SUB(ADD(e, AB), CD);
  case CAROM_CODE_SUBMUL_SUBMUL: return SUB(SUB(e, AB), CD);
  case CAROM_CODE_SIN_MUL: return carom_interval_sin(AB);
  case CAROM_CODE_COS_MUL: return carom_interval_cos(AB);
  case CAROM_CODE_ADDMULADD: return ADD(carom_interval_mul(ADD(a, b), c), d);
  case CAROM_CODE_SUBMULADD: return ADD(carom_interval_mul(SUB(a, b), c), d);
  case CAROM_CODE_ADDMULSUB: return SUB(carom_interval_mul(ADD(a, b), c), d);
  case CAROM_CODE_SUBMULSUB: return SUB(carom_interval_mul(SUB(a, b), c), d);
  case CAROM_CODE_MULADDMUL: return carom_interval_mul(ADD(AB, c), d);
  case CAROM_CODE_MULADDADD: return ADD(ADD(AB, c), d);
  case CAROM_CODE_SUBFROM_MUL_ADD: return ADD(SUB(c, AB), d);
  case CAROM_CODE_SUBFROM_MUL_MUL: return carom_interval_mul(SUB(c, AB), d);
  case CAROM_CODE_MULSUBADD: return ADD(SUB(AB, c), d);
  case CAROM_CODE_SUBFROM_MULADD: return SUB(c, ADD(AB, d));
  case CAROM_CODE_ADDMUL: return carom_interval_mul(ADD(a, b), c);
  case CAROM_CODE_SUBMUL: return carom_interval_mul(SUB(a, b), c);
  case CAROM_CODE_ADDADD: return ADD(ADD(a, b), c);
  case CAROM_CODE_SUBADD: return ADD(SUB(a, b), c);
  case CAROM_CODE_ADDSUB: return SUB(ADD(a, b), c);
  case CAROM_CODE_SUBSUB: return SUB(SUB(a, b), c);
  case CAROM_CODE_SUBFROM_ADD: return SUB(c, ADD(a, b));
  case CAROM_CODE_SUBFROM_SUB: return SUB(c, SUB(a, b));
  case CAROM_CODE_MULDIV: return DIV(AB, c);
  case CAROM_CODE_DIVMUL: return DIV(c, AB);
  case CAROM_CODE_MULMUL: return carom_interval_mul(AB, c);
  case CAROM_CODE_MULNEG: return carom_interval_neg(AB);
  case CAROM_CODE_CUBE: return carom_interval_pow(a, point(3.0));
  case CAROM_CODE_FOURTH: return carom_interval_square(carom_interval_square(a));
  case CAROM_CODE_INVERSE: return DIV(point(1.0), a);
  case CAROM_CODE_INVERSE_SQUARE: return DIV(point(1.0), carom_interval_square(a));
  case CAROM_CODE_THREE_HALVES: return carom_interval_mul(a, carom_interval_sqrt(a));
  case CAROM_CODE_POW_GENERAL: return carom_interval_pow(a, b);
  default: return (box){-INFINITY, INFINITY};
  }
}

// On the cut of atan2 the sign of a zero decides between pi and -pi, and an interval has no signs.
static box angle(box y, box x) {
  const double pi_above = 0x1.921fb54442d19p+1;
  if (carom_interval_has_zero(y) && x.lo <= 0.0) return (box){-pi_above, pi_above};
  return carom_interval_atan2(y, x);
}

static box sampled(const carom_program *program, const carom_instruction *i, box a) {
  const carom_table *table = &program->tables[i->table];
  if (i->code == CAROM_OP_TABLE) return carom_table_value_bounds(table, a);
  if (i->code == CAROM_OP_SLOPE) return carom_table_slope_bounds(table, a);
  return carom_table_curve_bounds(table, a);
}

static box compute(const carom_program *program, const carom_instruction *i, const box *work) {
  box a = work[i->a], b = work[i->b], c = work[i->c];
  switch (i->code) {
  case CAROM_OP_ADD: return ADD(a, b);
  case CAROM_OP_SUB: return SUB(a, b);
  case CAROM_OP_MUL: return product(work, i->a, i->b);
  case CAROM_OP_DIV: return DIV(a, b);
  case CAROM_OP_NEG: return carom_interval_neg(a);
  case CAROM_OP_POW: return carom_interval_pow(a, b);
  case CAROM_OP_SQRT: return carom_interval_sqrt(a);
  case CAROM_OP_ATAN2: return angle(a, b);
  case CAROM_OP_ABS: return carom_interval_abs(a);
  case CAROM_OP_SIGN: return carom_interval_sign(a);
  case CAROM_OP_MIN: return carom_interval_min(a, b);
  case CAROM_OP_MAX: return carom_interval_max(a, b);
  case CAROM_OP_LT:
  case CAROM_OP_LE:
  case CAROM_OP_GT:
  case CAROM_OP_GE:
  case CAROM_OP_EQ:
  case CAROM_OP_NE: return compare(i, a, b);
  case CAROM_OP_AND:
  case CAROM_OP_OR:
  case CAROM_OP_NOT: return logic(i, a, b);
  case CAROM_OP_IF: return choose(a, b, c);
  case CAROM_OP_TABLE:
  case CAROM_OP_SLOPE:
  case CAROM_OP_CURVE: return sampled(program, i, a);
#define X(name, function)                                                                          \
  case CAROM_OP_##name: return carom_interval_##function(a);
    CAROM_CALL_LIST(X)
#undef X
  default: return fused(i, work);
  }
}

static void run_code(const carom_program *program, const carom_code *code, box *work) {
  for (int k = 0; k < code->count; k++) {
    const carom_instruction *i = &code->items[k];
    if (i->code == CAROM_CODE_SINCOS) {
      box a = work[i->a];
      work[i->to] = carom_interval_sin(a);
      work[i->d] = carom_interval_cos(a);
    } else {
      work[i->to] = compute(program, i, work);
    }
  }
}

void carom_program_setup_bounds(const carom_program *program, carom_interval *work) {
  for (int k = 0; k < program->constant_count; k++) {
    double value = program->constants[k];
    work[program->input_count + k] = isnan(value) ? (box){-INFINITY, INFINITY} : point(value);
  }
  run_code(program, &program->setup, work);
}

void carom_program_run_bounds(const carom_program *program, carom_interval *work) {
  run_code(program, &program->body, work);
}
