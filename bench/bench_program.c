// SPDX-License-Identifier: MIT
// Register programs against hand-written C: nanoseconds per evaluation of a right-hand side, for
// states one after the other. Budget: at most 3 times the C.
#define _POSIX_C_SOURCE 200809L
#include "base/elementary.h"
#include "symbolic/program.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NEVER_INLINE __attribute__((noinline))

static void libm_sincos(double x, double *s, double *c) { *s = sin(x), *c = cos(x); }

#define NAME(x) own_##x
#define SIN carom_sin
#define COS carom_cos
#define SINCOS carom_sincos
#include "program_systems.h"
#define NAME(x) libm_##x
#define SIN sin
#define COS cos
#define SINCOS libm_sincos
#include "program_systems.h"

enum { BATCH = 64, MAX_STATES = 6, MAX_PARAMETERS = 5, REPEATS = 400, ROUNDS = 40 };

typedef void right_hand_side(double t, const double *y, const double *p, double *dy);

typedef struct example {
  const char *name;
  int states, parameters;
  right_hand_side *own, *libm;
  void (*expressions)(carom_graph *g, carom_node t, const carom_node *y, const carom_node *p,
                      carom_node *dy);
} example;

// ---- the same systems as expressions -----------------------------------------------------------

static carom_node sum(carom_graph *g, carom_node a, carom_node b) { return carom_add(g, a, b); }
static carom_node mul(carom_graph *g, carom_node a, carom_node b) { return carom_mul(g, a, b); }
static carom_node sub(carom_graph *g, carom_node a, carom_node b) { return carom_sub(g, a, b); }
static carom_node num(carom_graph *g, double x) { return carom_node_constant(g, x); }
static carom_node sine(carom_graph *g, carom_node a) {
  return carom_node_make(g, CAROM_OP_SIN, a, 0, 0);
}
static carom_node cosine(carom_graph *g, carom_node a) {
  return carom_node_make(g, CAROM_OP_COS, a, 0, 0);
}

static void double_pendulum(carom_graph *g, carom_node t, const carom_node *y, const carom_node *p,
                            carom_node *dy) {
  (void)t;
  carom_node m1 = p[0], m2 = p[1], l1 = p[2], l2 = p[3], weight = p[4], total = sum(g, m1, m2);
  carom_node gap = sub(g, y[0], y[1]), s = sine(g, gap), c = cosine(g, gap);
  carom_node w1 = mul(g, mul(g, y[2], y[2]), l1), w2 = mul(g, mul(g, y[3], y[3]), l2);
  carom_node under = sum(g, m1, mul(g, mul(g, m2, s), s));
  carom_node pull1 = mul(g, weight, sine(g, y[0])), pull2 = mul(g, weight, sine(g, y[1]));
  carom_node swing = mul(g, mul(g, m2, s), sum(g, mul(g, w1, c), w2));
  dy[0] = y[2];
  dy[1] = y[3];
  dy[2] = sub(g, mul(g, mul(g, mul(g, m2, weight), sine(g, y[1])), c), swing);
  dy[2] = sub(g, dy[2], mul(g, mul(g, total, weight), sine(g, y[0])));
  dy[2] = carom_div(g, dy[2], mul(g, l1, under));
  carom_node arm = sum(g, sub(g, mul(g, w1, s), pull2), mul(g, pull1, c));
  dy[3] = sum(g, mul(g, total, arm), mul(g, mul(g, mul(g, m2, w2), s), c));
  dy[3] = carom_div(g, dy[3], mul(g, l2, under));
}

static void duffing(carom_graph *g, carom_node t, const carom_node *y, const carom_node *p,
                    carom_node *dy) {
  carom_node force = mul(g, p[3], cosine(g, mul(g, p[4], t)));
  carom_node cube = mul(g, mul(g, mul(g, p[2], y[0]), y[0]), y[0]);
  dy[0] = y[1];
  dy[1] = sub(g, sub(g, sub(g, force, mul(g, p[0], y[1])), mul(g, p[1], y[0])), cube);
}

static carom_node pendulum(carom_graph *g, carom_node angle, carom_node rate, carom_node pull) {
  carom_node damping = mul(g, num(g, -.1), rate);
  return sum(g, sub(g, damping, sine(g, angle)), mul(g, num(g, .3), pull));
}

static void three_pendula(carom_graph *g, carom_node t, const carom_node *y, const carom_node *p,
                          carom_node *dy) {
  (void)p;
  memcpy(dy, y + 3, 3 * sizeof *dy);
  carom_node force = mul(g, num(g, .8), cosine(g, mul(g, num(g, 1.3), t)));
  carom_node middle = sum(g, sub(g, y[0], mul(g, num(g, 2), y[1])), y[2]);
  dy[3] = sum(g, pendulum(g, y[0], y[3], sub(g, y[1], y[0])), force);
  dy[4] = pendulum(g, y[1], y[4], middle);
  dy[5] = pendulum(g, y[2], y[5], sub(g, y[1], y[2]));
}

static void lorenz(carom_graph *g, carom_node t, const carom_node *y, const carom_node *p,
                   carom_node *dy) {
  (void)t;
  dy[0] = mul(g, p[0], sub(g, y[1], y[0]));
  dy[1] = sub(g, mul(g, y[0], sub(g, p[1], y[2])), y[1]);
  dy[2] = sub(g, mul(g, y[0], y[1]), mul(g, p[2], y[2]));
}

static void valve(carom_graph *g, carom_node t, const carom_node *y, const carom_node *p,
                  carom_node *dy) {
  (void)t;
  carom_node damping = mul(g, carom_neg(g, p[0]), y[1]);
  carom_node outflow = mul(g, y[0], carom_node_make(g, CAROM_OP_SQRT, y[2], 0, 0));
  dy[0] = y[1];
  dy[1] = sum(g, sub(g, damping, sum(g, y[0], p[1])), y[2]);
  dy[2] = mul(g, p[2], sub(g, p[3], outflow));
}

// ---- timing ------------------------------------------------------------------------------------

typedef struct bench {
  const example *e;
  carom_program *program;
  double *work;
  double t[BATCH], y[BATCH][MAX_STATES], dy[BATCH][MAX_STATES];
  bool spoiled;
} bench;

static const double parameters[MAX_PARAMETERS] = {1.3, 0.9, 1.1, 0.8, 2.5};

static double now(void) {
  struct timespec at;
  clock_gettime(CLOCK_MONOTONIC, &at);
  return (double)at.tv_sec * 1e9 + (double)at.tv_nsec;
}

static void run_c(bench *b, right_hand_side *f) {
  for (int k = 0; k < BATCH; k++)
    f(b->t[k], b->y[k], parameters, b->dy[k]);
}
static void run_own(bench *b) { run_c(b, b->e->own); }
static void run_libm(bench *b) { run_c(b, b->e->libm); }

// inputs are the parameters, time, the state; copying in and out and the look for values that are
// not finite are part of the price
static void run_single(bench *b) {
  for (int k = 0; k < BATCH; k++) {
    b->work[b->e->parameters] = b->t[k];
    b->spoiled |= !carom_program_evaluate(b->program, b->work, b->y[k], b->dy[k]);
  }
}

// The least time per state over many repeats, in ns. The competitors take turns, so that a busy
// machine slows all of them alike.
static void measure(bench *b, int count, void (*const runs[])(bench *), double *best) {
  for (int k = 0; k < count; k++)
    best[k] = INFINITY;
  for (int repeat = 0; repeat < REPEATS; repeat++) {
    for (int k = 0; k < count; k++) {
      double start = now();
      for (int round = 0; round < ROUNDS; round++)
        runs[k](b);
      best[k] = fmin(best[k], (now() - start) / (ROUNDS * (double)BATCH));
    }
  }
}

static void fill(bench *b) {
  for (int k = 0; k < BATCH; k++) {
    b->t[k] = 0.37 * k;
    for (int j = 0; j < b->e->states; j++)
      b->y[k][j] = 2.1 + 2.0 * sin(1.7 * k + 0.9 * j);
  }
  memcpy(b->work, parameters, (size_t)b->e->parameters * sizeof *parameters);
  carom_program_setup(b->program, b->work);
}

static double largest_difference(bench *b) {
  double worst = 0.0, expected[BATCH][MAX_STATES];
  run_own(b);
  memcpy(expected, b->dy, sizeof expected);
  run_single(b);
  for (int k = 0; k < BATCH; k++)
    for (int j = 0; j < b->e->states; j++)
      worst = fmax(worst, fabs(b->dy[k][j] - expected[k][j]));
  return worst;
}

static bool compile(bench *b, carom_arena *arena) {
  carom_graph *g = carom_graph_create(arena);
  if (!g) return false;
  carom_node inputs[MAX_PARAMETERS + 1 + MAX_STATES], outputs[MAX_STATES];
  int count = 0, np = b->e->parameters, n = b->e->states;
  char name[16];
  for (int k = 0; k < np + 1 + n; k++) {
    snprintf(name, sizeof name, "v%d", k);
    carom_symbol_kind kind = k < np    ? CAROM_SYMBOL_PARAMETER
                             : k == np ? CAROM_SYMBOL_TIME
                                       : CAROM_SYMBOL_COORDINATE;
    inputs[count++] = carom_node_symbol(g, name, kind);
  }
  b->e->expressions(g, inputs[np], inputs + np + 1, inputs, outputs);
  if (carom_program_compile(arena, g, count, inputs, n, outputs, &b->program, NULL)) return false;
  size_t registers = (size_t)carom_program_registers(b->program);
  b->work = carom_arena_array(arena, registers, sizeof(double));
  return b->work != NULL;
}

static bool report(const example *e) {
  static bench b;
  memset(&b, 0, sizeof b);
  b.e = e;
  carom_arena *arena = carom_arena_create(NULL);
  if (!arena || !compile(&b, arena)) {
    carom_arena_destroy(arena);
    return false;
  }
  fill(&b);
  void (*const runs[3])(bench *) = {run_own, run_libm, run_single};
  double best[3];
  measure(&b, 3, runs, best);
  double own = best[0], libm = best[1], single = best[2];
  printf("%-16s %4d %4d %8.1f %8.1f %8.1f %7.2f %7.2f  %.1e\n", e->name,
         carom_program_length(b.program), carom_program_registers(b.program), own, libm, single,
         single / own, single / libm, largest_difference(&b));
  carom_arena_destroy(arena);
  return true;
}

int main(void) {
  static const example examples[] = {
      {"double pendulum", 4, 5, own_double_pendulum, libm_double_pendulum, double_pendulum},
      {"forced Duffing", 2, 5, own_duffing, libm_duffing, duffing},
      {"three pendula", 6, 0, own_three_pendula, libm_three_pendula, three_pendula},
      {"Lorenz", 3, 3, own_lorenz, libm_lorenz, lorenz},
      {"relief valve", 3, 4, own_valve, libm_valve, valve},
  };
  puts("ns per evaluation; C with Carom's functions (own) and libm; program for one state");
  printf("%-16s %4s %4s %8s %8s %8s %7s %7s  %s\n", "", "len", "regs", "C own", "C libm", "one",
         "one/own", "one/lm", "difference");
  for (size_t k = 0; k < sizeof examples / sizeof *examples; k++)
    if (!report(&examples[k])) return EXIT_FAILURE;
  return EXIT_SUCCESS;
}
