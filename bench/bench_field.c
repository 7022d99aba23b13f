// SPDX-License-Identifier: MIT
// The field engine: figure 17's run (5 s of a cube spinning on its corner), evaluations per second,
// and the surface integrals against plain product Gauss rules of the same accuracy.
#define _POSIX_C_SOURCE 200809L
#include "carom/simulation.h"
#include "cvode_field.h"
#include "field/body.h"
#include "plain_cube.h"

#include <cvode/cvode.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static const char *const CUBE = "engine: field\n"
                                "body: {cube: 1, density: 1000}\n"
                                "fields:\n"
                                "  repulsion: {exponent: 8, rest: 0.002}\n"
                                "  damping: {exponent: %d, coefficient: 1000}\n"
                                "  friction: {exponent: %d, coefficient: 100}\n"
                                "start: {down: corner, tilt: 0.01, spin: %g}\n"
                                "run: {until: 5, rtol: 1e-6}\n";

static double run_cube(int exponent, double spin, carom_certificate *certificate) {
  char text[1024];
  carom_error error = {0};
  carom_model *model = NULL;
  carom_simulation *simulation = NULL;
  (void)snprintf(text, sizeof text, CUBE, exponent, exponent, spin);
  if (carom_model_parse(text, "cube", 0, NULL, &model, &error) ||
      carom_simulation_create(model, &simulation, &error)) {
    printf("%s\n", error.text);
    exit(1);
  }
  double best = HUGE_VAL;
  for (int k = 0; k < 5; k++) {
    double began = seconds();
    if (carom_simulation_run(simulation, &error)) {
      printf("%s\n", error.text);
      exit(1);
    }
    best = fmin(best, seconds() - began);
  }
  (void)carom_simulation_certificate(simulation, certificate, &error);
  carom_simulation_destroy(simulation);
  carom_model_destroy(model);
  return best;
}

// ---- one face by n x n points

// zeroth and first moments of d^-8 over the unit square face with corner distances d, d+a, d+b
static void gauss_face(const plain_rule *rule, double d, double a, double b, double out[3]) {
  out[0] = out[1] = out[2] = 0.0;
  for (int i = 0; i < rule->n; i++)
    for (int j = 0; j < rule->n; j++) {
      double s = rule->node[i], t = rule->node[j], u = 1.0 / (d + a * s + b * t);
      u *= u, u *= u, u *= u;
      double term = rule->weight[i] * rule->weight[j] * u;
      out[0] += term, out[1] += term * s, out[2] += term * t;
    }
}

static void exact_face(double d, double a, double b, double out[3]) {
  double zero, one[3], two[6], first[3] = {d, d + a, d + a + b}, second[3] = {d, d + a + b, d + b};
  carom_triangle_weights(8, 1, first, &zero, one, two);
  out[0] = 0.5 * zero;
  out[1] = 0.5 * (one[1] + one[2]);
  out[2] = 0.5 * one[2];
  carom_triangle_weights(8, 1, second, &zero, one, two);
  out[0] += 0.5 * zero;
  out[1] += 0.5 * one[1];
  out[2] += 0.5 * (one[1] + one[2]);
}

// the fewest points that reach 1e-6 of the force
static int points_needed(double d, double a, double b) {
  double exact[3], plain[3];
  exact_face(d, a, b, exact);
  for (int n = 4; n < 2000; n = n + 1 + n / 8) {
    plain_rule rule = make_rule(n);
    gauss_face(&rule, d, a, b, plain);
    free_rule(&rule);
    if (fabs(plain[0] / exact[0] - 1.0) < 1e-6) return n;
  }
  return 2000;
}

static void compare_faces(double d) {
  double a = 0.577, b = 0.577, out[3], sum = 0.0;
  int n = points_needed(d, a, b), rounds = 200000, few = 1 + 20000000 / (n * n * 10);
  plain_rule rule = make_rule(n);
  double began = seconds();
  for (int k = 0; k < rounds; k++)
    exact_face(d * (1.0 + 1e-9 * k), a, b, out), sum += out[0];
  double exact = (seconds() - began) / rounds;
  began = seconds();
  for (int k = 0; k < few; k++)
    gauss_face(&rule, d * (1.0 + 1e-9 * k), a, b, out), sum += out[0];
  double plain = (seconds() - began) / few;
  printf("%-10g %12.3f %8d %14.3f %10.0f   %s\n", d, 1e6 * exact, n, 1e6 * plain, plain / exact,
         sum > 0.0 ? "" : "?");
  free_rule(&rule);
}

// ---- the whole run: the same equations and integrator, faces by plain Gauss rules

// the numbers of an unfinished run of Carom
static void read_state(carom_simulation *simulation, double y[PLAIN_SIZE]) {
  static const char *const names[PLAIN_SIZE] = {
      "x", "y", "z", "q_w", "q_x", "q_y", "q_z", "x'", "y'", "z'", "turn_x'", "turn_y'", "turn_z'"};
  carom_error error = {0};
  for (int i = 0; i < PLAIN_SIZE; i++)
    if (carom_simulation_get(simulation, names[i], &y[i], &error)) exit(1);
}

// what a rule with c sqrt(far/near) points needs for the force on a corner to 1e-6
static double points_per_root(void) {
  double d = 2e-4, n = points_needed(d, 0.577, 0.577);
  return n / sqrt((d + 2.0 * 0.577) / d);
}

static void compare_runs(double until) {
  char text[1024];
  carom_error error = {0};
  carom_model *model = NULL;
  carom_simulation *simulation = NULL;
  double start[PLAIN_SIZE], own[PLAIN_SIZE], other[PLAIN_SIZE], d0 = 0.002, worst = 0.0;
  (void)snprintf(text, sizeof text, CUBE, 0, 0, 5.0);
  if (carom_model_parse(text, "cube", 0, NULL, &model, &error) ||
      carom_simulation_create(model, &simulation, &error))
    exit(1);
  read_state(simulation, start);
  double began = seconds(), spent = 0.0;
  int rounds = 20;
  for (int k = 0; k < rounds; k++) {
    if (carom_simulation_reset(simulation, &error) ||
        carom_simulation_advance(simulation, until, &error))
      exit(1);
  }
  spent = (seconds() - began) / rounds;
  read_state(simulation, own);
  carom_simulation_destroy(simulation);
  carom_model_destroy(model);

  plain_cube cube = {.damping = 1000.0, .friction = 100.0, .points = points_per_root()};
  double near = pow(d0, -8.0), far = pow(1.0 + d0, -8.0);
  cube.coefficient = 9810.0 / (near + far + 4.0 * (near * d0 - far * (1.0 + d0)) / 7.0);
  memcpy(other, start, sizeof other);
  began = seconds();
  if (!plain_run(&cube, other, until, 1e-6)) printf("the plain cube fell through the floor\n");
  double plain = seconds() - began;
  for (int i = 0; i < PLAIN_SIZE; i++)
    worst = fmax(worst, fabs(own[i] - other[i]));
  const char *kept = until > 1.0 ? " (beyond the first rocking impacts the motion is chaotic)" : "";
  printf("\nfirst %g s of figure 17, rtol 1e-6: Carom %.4f s, plain Gauss with %.1f sqrt(far/near) "
         "points %.2f s (%ld evaluations, %.0f points each)\n",
         until, spent, cube.points, plain, cube.evaluations,
         (double)cube.visited / (double)cube.evaluations);
  printf("ratio %.0f, largest difference at the end %.1g%s\n", plain / spent, worst, kept);
  for (int k = 0; k < PLAIN_RULES; k++)
    if (cube.rules[k].n > 0) free_rule(&cube.rules[k]);
}

// ---- a soft body with low exponents

static void run_soft(int exponent) {
  char text[512];
  carom_error error = {0};
  carom_certificate c;
  carom_model *model = NULL;
  carom_simulation *simulation = NULL;
  (void)snprintf(text, sizeof text,
                 "engine: field\nbody: {cube: 1, density: 1000, soft: {c10: 6e4, viscosity: 100}}\n"
                 "fields:\n  repulsion: {exponent: 8, rest: 0.01}\n"
                 "  damping: {exponent: %d, coefficient: 1}\n"
                 "start: {gap: 0.1, tilt: 0.2}\nrun: {until: 1, rtol: 1e-6}\n",
                 exponent);
  if (carom_model_parse(text, "soft", 0, NULL, &model, &error) ||
      carom_simulation_create(model, &simulation, &error))
    exit(1);
  double began = seconds();
  if (carom_simulation_run(simulation, &error)) {
    printf("%s\n", error.text);
    exit(1);
  }
  double time = seconds() - began;
  (void)carom_simulation_certificate(simulation, &c, &error);
  printf("soft cube, damping exponent %d      %9.4f %8ld %9ld %12.0f\n", exponent, time,
         c.counts.steps, c.counts.evaluations, (double)c.counts.evaluations / time);
  carom_simulation_destroy(simulation);
  carom_model_destroy(model);
}

// ---- stiff rests beside CVODE, on the same right-hand side

typedef struct stiff_case {
  const char *name, *text;
  double until;
  bool held; // CVODE lets the volume drift: Carom's own run at 1e-11 is the reference
} stiff_case;

#define STIFF_CUBE(start)                                                                          \
  "engine: field\nbody: {cube: 1}\nfields:\n  repulsion: {rest: 0.002}\n"                          \
  "  damping: {exponent: 2, coefficient: 1000}\n" start "run: {until: 1000, rtol: %g}\n"
#define SOFT_DISC                                                                                  \
  "engine: field\nbody: {disc: 0.5, density: 4000, soft: {c10: 6e4, viscosity: 5e3}}\nfields:\n"   \
  "  repulsion: {rest: 0.002, form: printed}\n  damping: {exponent: 2, coefficient: 100}\n"        \
  "start: {gap: 0.1}\nrun: {until: 1000, rtol: %g}\n"
static const stiff_case STIFF_CASES[] = {
    {"cube at rest, friction d^-6",
     STIFF_CUBE("  friction: {exponent: 6, coefficient: 1e-9}\n"
                "start: {tilt: 0.02, axis: [1, 2, 0], gap: 0.01, velocity: [0.1, 0, 0]}\n"),
     500.0, false},
    {"figure 19",
     STIFF_CUBE("  friction: {exponent: 2, coefficient: 100}\n"
                "start: {down: corner, tilt: 0.01, spin: 5}\n"),
     5.0, false},
    {"figure 20",
     STIFF_CUBE("  friction: {exponent: 2, coefficient: 100}\n"
                "start: {down: corner, tilt: 0.01, spin: 50}\n"),
     5.0, false},
    {"square at rest",
     "engine: field\nbody: {square: 1}\nfields:\n  repulsion: {rest: 0.02}\n"
     "  damping: {exponent: 2, coefficient: 1e4}\n  friction: {exponent: 2, coefficient: 1e4}\n"
     "start: {angle: 0.05, gap: 0.03, velocity: [0.5, 0]}\nrun: {until: 1000, rtol: %g}\n",
     100.0, false},
    {"soft disc at rest", SOFT_DISC, 100.0, true},
    {"soft disc swinging", SOFT_DISC, 4.0, false},
};

static double largest_difference(int n, const double *a, const double *b) {
  double worst = 0.0;
  for (int i = 0; i < n; i++)
    worst = fmax(worst, fabs(a[i] - b[i]));
  return worst;
}

/// The cheapest run whose end is as exact as wanted.
typedef struct stiff_best {
  double time, error, rtol;
  long evaluations;
} stiff_best;

// how exact an end may be wanted; [k][0] is Carom, [k][1] CVODE
enum { WANTED = 3 };
static const double WANTED_ERROR[WANTED] = {1e-5, 1e-7, 1e-9};
typedef stiff_best stiff_bests[WANTED][2];

static void note_best(stiff_bests best, int method, stiff_best found) {
  for (int k = 0; k < WANTED; k++)
    if (found.error <= WANTED_ERROR[k] && !(found.time >= best[k][method].time))
      best[k][method] = found;
}

static carom_simulation *stiff_simulation(const stiff_case *c, double rtol, carom_model **model) {
  char text[1024];
  carom_error error = {0};
  carom_simulation *simulation = NULL;
  (void)snprintf(text, sizeof text, c->text, rtol);
  if (carom_model_parse(text, c->name, 0, NULL, model, &error) ||
      carom_simulation_create(*model, &simulation, &error)) {
    printf("%s\n", error.text);
    exit(1);
  }
  return simulation;
}

// both methods at one tolerance, the faster of three
static void try_stiff(const stiff_case *c, double rtol, const double *reference, stiff_bests best) {
  carom_model *model = NULL;
  carom_simulation *simulation = stiff_simulation(c, rtol, &model);
  carom_field *field = simulation->state;
  carom_error error = {0};
  carom_certificate certificate;
  cvode_field cvode;
  int n = field->model->size;
  double start[CAROM_FIELD_MAX_SIZE], y[CAROM_FIELD_MAX_SIZE];
  memcpy(start, field->y, (size_t)n * sizeof *start);
  for (int k = 0; k < 3; k++) {
    if (carom_simulation_reset(simulation, &error)) exit(1);
    double began = seconds();
    if (carom_simulation_advance(simulation, c->until, &error)) exit(1);
    double time = seconds() - began;
    (void)carom_simulation_certificate(simulation, &certificate, &error);
    note_best(best, 0,
              (stiff_best){time, largest_difference(n, field->y, reference), rtol,
                           certificate.counts.evaluations});
    memcpy(y, start, (size_t)n * sizeof *y);
    began = seconds();
    bool whole = cvode_field_run(field, y, 0.0, c->until, rtol, field->numbers.atol, &cvode);
    time = seconds() - began;
    if (whole)
      note_best(best, 1,
                (stiff_best){time, largest_difference(n, y, reference), rtol, cvode.evaluations});
  }
  carom_simulation_destroy(simulation);
  carom_model_destroy(model);
}

static void compare_stiff(const stiff_case *c) {
  carom_model *model = NULL;
  carom_simulation *simulation = stiff_simulation(c, 1e-11, &model);
  carom_field *field = simulation->state;
  carom_error error = {0};
  double reference[CAROM_FIELD_MAX_SIZE];
  cvode_field cvode;
  memcpy(reference, field->y, (size_t)field->size * sizeof *reference);
  if (c->held) {
    if (carom_simulation_advance(simulation, c->until, &error)) exit(1);
    memcpy(reference, field->y, (size_t)field->size * sizeof *reference);
  } else if (!cvode_field_run(field, reference, 0.0, c->until, 1e-11, 1e-13, &cvode)) {
    exit(1);
  }
  carom_simulation_destroy(simulation);
  carom_model_destroy(model);
  stiff_bests best;
  for (int k = 0; k < WANTED; k++)
    best[k][0] = best[k][1] = (stiff_best){.time = NAN};
  for (double rtol = 1e-2; rtol > 1e-10; rtol /= sqrt(sqrt(10.0)))
    try_stiff(c, rtol, reference, best);
  for (int k = 0; k < WANTED; k++)
    printf("%-28s %7.0e %9.4f %9ld %9.1e %11.4f %9ld %9.1e %7.2f\n", c->name, WANTED_ERROR[k],
           best[k][0].time, best[k][0].evaluations, best[k][0].error, best[k][1].time,
           best[k][1].evaluations, best[k][1].error, best[k][1].time / best[k][0].time);
}

static void compare_stiff_all(void) {
  printf("\nstiff rests: the cheapest tolerance whose end is as exact as wanted\n");
  printf("%-28s %7s %9s %9s %9s %11s %9s %9s %7s\n", "", "wanted", "Carom, s", "f evals", "error",
         "CVODE, s", "f evals", "error", "ratio");
  for (size_t k = 0; k < sizeof STIFF_CASES / sizeof *STIFF_CASES; k++)
    compare_stiff(&STIFF_CASES[k]);
}

int main(int argc, char **argv) {
  bool stiff_only = argc > 1 && strcmp(argv[1], "stiff") == 0;
  if (stiff_only) {
    compare_stiff_all();
    return 0;
  }
  printf("%-34s %9s %8s %9s %12s\n", "cube on its corner, 5 s, rtol 1e-6", "time, s", "steps",
         "f evals", "evals/s");
  for (int k = 0; k < 4; k++) {
    carom_certificate c;
    int exponent = k < 2 ? 0 : 2;
    double spin = k % 2 == 0 ? 5.0 : 50.0, time = run_cube(exponent, spin, &c);
    printf("figure %d                          %9.4f %8ld %9ld %12.0f\n", 17 + k, time,
           c.counts.steps, c.counts.evaluations, (double)c.counts.evaluations / time);
  }
  run_soft(2);
  run_soft(0);
  printf("\nface on a corner: exact against plain Gauss, force to 1e-6\n");
  printf("%-10s %12s %8s %14s %10s\n", "d, m", "exact, us", "n", "n x n, us", "ratio");
  compare_faces(0.02);
  compare_faces(0.002);
  compare_faces(0.0002);
  compare_runs(0.2);
  compare_runs(5.0);
  compare_stiff_all();
  return 0;
}
