// SPDX-License-Identifier: MIT
// Many states at once: each instruction sweeps over the lanes of its registers. The loops are left
// to the vectoriser, once for the plain machine and once for AVX2; only IEEE operations are used
// and none is contracted, so both give the bits of the scalar run.
#include "base/wide.h"
#include "symbolic/fused_numbers.h"
#include "symbolic/program_internal.h"

#include <assert.h>

// targets never are operands, so the lanes of a loop are independent
#if defined(__clang__)
#define INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define INDEPENDENT _Pragma("GCC ivdep")
#else
#define INDEPENDENT
#endif

// functions without lanes of their own
static void carom_sign_lanes(int width, const double *a, double *to) {
  for (int k = 0; k < width; k++)
    to[k] = carom_sign(a[k]);
}

static void carom_power_lanes(int width, const double *a, const double *b, double *to) {
  for (int k = 0; k < width; k++)
    to[k] = carom_power(a[k], b[k]);
}

static void table_lanes(const carom_table *table, double (*function)(const carom_table *, double),
                        int width, const double *a, double *to) {
  for (int k = 0; k < width; k++)
    to[k] = function(table, a[k]);
}

// sin or cos of a product, through a block on the stack: lane functions are fastest when they do
// not work in place
static void wave_lanes(void (*wave)(int, const double *, double *), int width, const double *a,
                       const double *b, double *to) {
  enum { BLOCK = 64 };
  double product[BLOCK];
  for (int first = 0; first < width; first += BLOCK) {
    int count = width - first < BLOCK ? width - first : BLOCK;
    for (int k = 0; k < count; k++)
      product[k] = a[first + k] * b[first + k];
    wave(count, product, to + first);
  }
}

// a row of the table becomes a case that computes `value` from the operands of every lane
#define CASE(code, value)                                                                          \
  case code:                                                                                       \
    INDEPENDENT for (size_t k = 0; k < n; k++) {                                                   \
      double a = pa[k], b = pb[k], c = pc[k], d = pd[k], e = pe[k];                                \
      (void)a, (void)b, (void)c, (void)d, (void)e;                                                 \
      to[k] = value;                                                                               \
    }                                                                                              \
    break;
#define LEAF(NAME, name)
#define PLAIN(NAME, name, arity, value, ...) CASE(CAROM_OP_##NAME, value)
#define CALL(NAME, stem, ...)                                                                      \
  case CAROM_OP_##NAME:                                                                            \
    carom_##stem##_lanes(width, pa, to);                                                           \
    break;
#define PAIR(NAME, name, stem, ...)                                                                \
  case CAROM_OP_##NAME:                                                                            \
    carom_##stem##_lanes(width, pa, pb, to);                                                       \
    break;
#define SAMPLED(NAME, name, stem, ...)                                                             \
  case CAROM_OP_##NAME:                                                                            \
    table_lanes(&program->tables[i->table], carom_table_##stem, width, pa, to);                    \
    break;
#define SHORT_POWER(NAME, exponent, value, ...) CASE(CAROM_CODE_##NAME, value)
#define FUSED(NAME, value) CASE(CAROM_CODE_##NAME, value)

CAROM_INLINE void run_code(const carom_program *program, const carom_code *code, int width,
                           double *work) {
  const size_t n = (size_t)width;
  const carom_instruction *end = code->items + code->count;
  for (const carom_instruction *i = code->items; i < end; i++) {
    assert(i->to != i->a && i->to < program->register_count);
    double *to = work + i->to * n;
    const double *pa = work + i->a * n, *pb = work + i->b * n, *pc = work + i->c * n,
                 *pd = work + i->d * n, *pe = work + i->e * n;
    switch (i->code) {
      CAROM_OPERATIONS(LEAF, PLAIN, CALL, PAIR, SAMPLED)
      CAROM_SHORT_POWERS(SHORT_POWER)
      CAROM_FUSED_LIST(FUSED)
    case CAROM_CODE_SINCOS: carom_sincos_lanes(width, pa, to, work + i->d * n); break;
    case CAROM_CODE_SIN_MUL: wave_lanes(carom_sin_lanes, width, pa, pb, to); break;
    case CAROM_CODE_COS_MUL: wave_lanes(carom_cos_lanes, width, pa, pb, to); break;
    case CAROM_CODE_POW_GENERAL: carom_pow_lanes(width, pa, pb, to); break;
    default: break;
    }
  }
}

static void run_plain(const carom_program *program, const carom_code *code, int width,
                      double *work) {
  run_code(program, code, width, work);
}

CAROM_WITH_AVX2 static void run_wide(const carom_program *program, const carom_code *code,
                                     int width, double *work) {
  run_code(program, code, width, work);
}

static void run_any(const carom_program *program, const carom_code *code, int width, double *work) {
  if (program->wide)
    run_wide(program, code, width, work);
  else
    run_plain(program, code, width, work);
}

void carom_program_setup_lanes(const carom_program *program, int width, double *work) {
  for (int k = 0; k < program->constant_count; k++)
    for (int lane = 0; lane < width; lane++)
      work[(size_t)(program->input_count + k) * (size_t)width + (size_t)lane] =
          program->constants[k];
  run_any(program, &program->setup, width, work);
}

void carom_program_run_lanes(const carom_program *program, int width, double *work) {
  run_any(program, &program->body, width, work);
}
