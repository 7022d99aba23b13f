// SPDX-License-Identifier: MIT
// One state through a program: as machine code where there is some, else a tight loop over compact
// instructions.
#include "symbolic/fused_numbers.h"
#include "symbolic/program_internal.h"

#include <assert.h>
#include <string.h>

// every code has its case; saying so saves a comparison per instruction
#if defined(__GNUC__)
#define UNREACHABLE __builtin_unreachable()
#else
#define UNREACHABLE break
#endif

// a row of the table becomes a case that computes `value` from the operands in registers
#define CASE(code, value)                                                                          \
  case code: {                                                                                     \
    double a = work[i->a], b = work[i->b], c = work[i->c], d = work[i->d], e = work[i->e];         \
    (void)a, (void)b, (void)c, (void)d, (void)e;                                                   \
    work[i->to] = value;                                                                           \
    break;                                                                                         \
  }
#define LEAF(NAME, name)
#define PLAIN(NAME, name, arity, value, ...) CASE(CAROM_OP_##NAME, value)
#define CALL(NAME, stem, ...) CASE(CAROM_OP_##NAME, carom_##stem(a))
#define PAIR(NAME, name, stem, ...) CASE(CAROM_OP_##NAME, carom_##stem(a, b))
#define SAMPLED(NAME, name, stem, ...)                                                             \
  CASE(CAROM_OP_##NAME, carom_table_##stem(&program->tables[i->table], a))
#define SHORT_POWER(NAME, exponent, value, ...) CASE(CAROM_CODE_##NAME, value)
#define FUSED(NAME, value) CASE(CAROM_CODE_##NAME, value)

void carom_code_run(const carom_program *program, const carom_code *code, int first, int last,
                    double *work) {
  assert(0 <= first && last <= code->count);
  const carom_instruction *end = code->items + last;
  for (const carom_instruction *i = code->items + first; i < end; i++) {
    switch (i->code) {
      CAROM_OPERATIONS(LEAF, PLAIN, CALL, PAIR, SAMPLED)
      CAROM_SHORT_POWERS(SHORT_POWER)
      CAROM_FUSED_LIST(FUSED)
      CASE(CAROM_CODE_SIN_MUL, carom_sin(a * b))
      CASE(CAROM_CODE_COS_MUL, carom_cos(a * b))
      CASE(CAROM_CODE_POW_GENERAL, carom_pow(a, b))
    case CAROM_CODE_SINCOS: carom_sincos(work[i->a], &work[i->to], &work[i->d]); break;
    default: UNREACHABLE;
    }
  }
}

void carom_program_setup(const carom_program *program, double *work) {
  for (int k = 0; k < program->constant_count; k++)
    work[program->input_count + k] = program->constants[k];
  carom_code_run(program, &program->setup, 0, program->setup.count, work);
}

void carom_program_run(const carom_program *program, double *work) {
  if (program->native.run)
    program->native.run(work);
  else
    carom_code_run(program, &program->body, 0, program->body.count, work);
}

bool carom_program_read(const carom_program *program, const double *work, int first, int count,
                        double *values) {
  assert(0 <= first && first + count <= program->output_count);
  const uint16_t *output = program->outputs + first;
  double spoiled = 0.0; // x * 0 is NaN for infinite and NaN x
  for (int k = 0; k < count; k++) {
    values[k] = work[output[k]];
    spoiled += values[k] * 0.0;
  }
  return spoiled == 0.0;
}

carom_program_code *carom_program_native(const carom_program *program) {
  return program->native.evaluate;
}

bool carom_program_evaluate(const carom_program *program, double *work, const double *states,
                            double *values) {
  if (program->native.evaluate) return program->native.evaluate(work, states, values) == 0.0;
  memcpy(work + program->state_first, states, (size_t)program->state_count * sizeof *states);
  carom_program_run(program, work);
  return carom_program_read(program, work, 0, program->output_count, values);
}

// ---- who is to blame ---------------------------------------------------------------------------

static bool operands_finite(const carom_instruction *i, const double *work) {
  if (i->code == CAROM_CODE_SINCOS) return isfinite(work[i->a]);
  return isfinite(work[i->a]) && isfinite(work[i->b]) && isfinite(work[i->c]) &&
         isfinite(work[i->d]) && isfinite(work[i->e]);
}

// The search below replaces every value that went wrong by 1, except where `spared` says so, and
// looks for the next one that does. Instructions are numbered through setup and body.
typedef struct search {
  const carom_program *program;
  double *work;
  int spared; // instruction left alone, or -1
  int from;   // report offenders from here on
} search;

static const carom_code *code_at(const carom_program *program, int *k) {
  if (*k < program->setup.count) return &program->setup;
  *k -= program->setup.count;
  return &program->body;
}

// Runs all with repairs; returns the first offender at or after `from`, or -1.
static int run_repaired(search s) {
  int total = s.program->setup.count + s.program->body.count, found = -1;
  for (int k = 0; k < total; k++) {
    int at = k;
    const carom_code *code = code_at(s.program, &at);
    const carom_instruction *i = &code->items[at];
    bool sound = operands_finite(i, s.work);
    carom_code_run(s.program, code, at, at + 1, s.work);
    if (isfinite(s.work[i->to]) || !sound) continue;
    if (found < 0 && k >= s.from) found = k;
    if (k != s.spared) s.work[i->to] = 1.0;
  }
  return found;
}

static bool outputs_finite(const carom_program *program, const double *work) {
  for (int k = 0; k < program->output_count; k++)
    if (!isfinite(work[program->outputs[k]])) return false;
  return true;
}

static carom_node find_given(const carom_program *program, const double *work) {
  for (int k = 0; k < program->constant_count; k++)
    if (!isfinite(program->constants[k])) return program->constant_nodes[k];
  for (int k = 0; k < program->input_count; k++)
    if (!isfinite(work[k])) return program->input_nodes[k];
  return 0;
}

static carom_node find_offender(const carom_program *program, double *work) {
  int k = run_repaired((search){program, work, -1, 0});

  // not cured by repairing all that was computed: a given value is at fault
  if (!outputs_finite(program, work)) return find_given(program, work);

  // values that go wrong without harm (the branch not taken of an if) are passed over
  for (; k >= 0; k = run_repaired((search){program, work, -1, k + 1})) {
    run_repaired((search){program, work, k, k});
    if (outputs_finite(program, work)) continue;
    int at = k;
    const carom_code *code = code_at(program, &at);
    return code->nodes[at];
  }
  return 0;
}

carom_node carom_program_blame(const carom_program *program, double *work) {
  if (outputs_finite(program, work)) return 0;
  carom_node node = find_offender(program, work);
  carom_program_setup(program, work);
  carom_program_run(program, work);
  return node;
}
