// SPDX-License-Identifier: MIT
// Many states at once: each instruction sweeps over the lanes of its registers. The loops are left
// to the vectoriser, once for the plain machine and once for AVX2; only IEEE operations are used
// and none is contracted, so both give the bits of the scalar run.
#include "base/wide.h"
#include "symbolic/program_internal.h"

// targets never are operands, so the lanes of a loop are independent
#if defined(__clang__)
#define INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define INDEPENDENT _Pragma("GCC ivdep")
#else
#define INDEPENDENT
#endif

// operations without a lane function of their own
static void table_lanes(const carom_table *table, carom_op op, int width, const double *a,
                        double *to) {
  for (int k = 0; k < width; k++)
    to[k] = op == CAROM_OP_TABLE   ? carom_table_value(table, a[k])
            : op == CAROM_OP_SLOPE ? carom_table_slope(table, a[k])
                                   : carom_table_curve(table, a[k]);
}

static void power_lanes(int width, const double *a, const double *b, double *to) {
  for (int k = 0; k < width; k++)
    to[k] = carom_power(a[k], b[k]);
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

CAROM_INLINE void run_code(const carom_program *program, const carom_code *code, int width,
                           double *work) {
  const size_t n = (size_t)width;
  const carom_instruction *end = code->items + code->count;
  for (const carom_instruction *i = code->items; i < end; i++) {
    double *to = work + i->to * n;
    const double *pa = work + i->a * n, *pb = work + i->b * n, *pc = work + i->c * n,
                 *pd = work + i->d * n, *pe = work + i->e * n;
    switch (i->code) {
#define X(name, value)                                                                             \
  case PREFIX(name):                                                                               \
    INDEPENDENT for (size_t k = 0; k < n; k++) {                                                   \
      double a = pa[k], b = pb[k], c = pc[k], d = pd[k], e = pe[k];                                \
      (void)a, (void)b, (void)c, (void)d, (void)e;                                                 \
      to[k] = value;                                                                               \
    }                                                                                              \
    break;
#define PREFIX(name) CAROM_OP_##name
      CAROM_PLAIN_LIST(X)
#undef PREFIX
#define PREFIX(name) CAROM_CODE_##name
      CAROM_FUSED_LIST(X)
#undef PREFIX
#undef X
#define X(name, function)                                                                          \
  case CAROM_OP_##name: carom_##function##_lanes(width, pa, to); break;
      CAROM_CALL_LIST(X)
#undef X
    case CAROM_CODE_SINCOS: carom_sincos_lanes(width, pa, to, work + i->d * n); break;
    case CAROM_CODE_SIN_MUL: wave_lanes(carom_sin_lanes, width, pa, pb, to); break;
    case CAROM_CODE_COS_MUL: wave_lanes(carom_cos_lanes, width, pa, pb, to); break;
    case CAROM_OP_ATAN2: carom_atan2_lanes(width, pa, pb, to); break;
    case CAROM_OP_POW: power_lanes(width, pa, pb, to); break;
    case CAROM_CODE_POW_GENERAL: carom_pow_lanes(width, pa, pb, to); break;
    case CAROM_OP_TABLE:
    case CAROM_OP_SLOPE:
    case CAROM_OP_CURVE:
      table_lanes(&program->tables[i->table], (carom_op)i->code, width, pa, to);
      break;
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
