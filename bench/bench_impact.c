// SPDX-License-Identifier: MIT
// Multiple impacts: error against time per impact. A ball on a row of touching balls (Hertz, e = 1)
// by Carom at several tolerances, by the plain first-order march in the impulse that the papers on
// this law use (written out here, with the tridiagonal matrix known to it), and by Siconos' solver
// of that kind where it is installed. Then impacts of 1, 2, 5 and 50 contacts at 1e-10, and the
// disc struck by a ball against explicit Euler with 1e4 impulse steps.
#define _POSIX_C_SOURCE 200809L
#include "impact/energetic.h"
#include "siconos_chain.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST = 52 };

static double cpu_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// ---- chains

typedef struct chain {
  int balls;
  double e;
  int normal[MOST], tangent[MOST];
  double G[MOST * MOST], before[MOST], restitution[MOST], mu[MOST], stiffness[MOST], exponent[MOST];
  carom_energetic_problem problem;
} chain;

static void make_chain(chain *c, int balls, double e) {
  int n = balls - 1;
  memset(c, 0, sizeof *c);
  c->balls = balls;
  c->e = e;
  for (int i = 0; i < n; i++) {
    c->normal[i] = i;
    c->tangent[i] = -1;
    c->restitution[i] = e;
    c->stiffness[i] = 1.0;
    c->exponent[i] = 1.5;
    c->G[i * n + i] = 2.0;
    if (i > 0) c->G[i * n + i - 1] = c->G[(i - 1) * n + i] = -1.0;
  }
  c->before[0] = -1.0;
  c->problem = (carom_energetic_problem){.impact = {.rows = n,
                                                    .contacts = n,
                                                    .normal = c->normal,
                                                    .tangent = c->tangent,
                                                    .G = c->G,
                                                    .before = c->before,
                                                    .e = c->restitution,
                                                    .stick = c->mu,
                                                    .slide = c->mu,
                                                    .pushing = -1},
                                         .stiffness = c->stiffness,
                                         .exponent = c->exponent};
}

static void velocities(int balls, const double *impulse, double *u) {
  for (int i = 0; i < balls; i++)
    u[i] = (i == 0 ? 1.0 : impulse[i - 1]) - (i + 1 < balls ? impulse[i] : 0.0);
}

// best time of one impact over repeats
static double run_carom(const chain *c, double tolerance, carom_energetic_workspace *work,
                        double *u, int *steps) {
  carom_energetic_options options = carom_energetic_options_default();
  options.tolerance = tolerance;
  carom_energetic_result result;
  double best = 1e300;
  int count = c->balls > 10 ? 5 : 100, repeats = c->balls > 10 ? 8 : 40;
  for (int repeat = 0; repeat < repeats; repeat++) {
    double begin = cpu_seconds();
    for (int k = 0; k < count; k++)
      if (carom_energetic_solve(&c->problem, &options, work, &result) != CAROM_OK) return NAN;
    best = fmin(best, (cpu_seconds() - begin) / count);
  }
  velocities(c->balls, result.impulse, u);
  *steps = result.steps;
  return best;
}

// The march of the distributing law: explicit, in equal steps of the impulse of the contact with
// most energy; forces share out like E^(3/5).
static double run_march(int balls, double step, double e, double *u) {
  int n = balls - 1;
  double E[MOST] = {0}, v[MOST] = {0}, P[MOST], begin = cpu_seconds();
  memset(u, 0, (size_t)balls * sizeof *u);
  u[0] = 1.0;
  v[0] = -1.0;
  const double none = 2.2e-16;
  for (;;) {
    double most = 0.0, fastest = 0.0;
    bool busy = false;
    for (int i = 0; i < n; i++) {
      most = fmax(most, E[i]);
      fastest = fmin(fastest, v[i]);
      busy = busy || E[i] > none || v[i] < -none;
    }
    if (!busy) break;
    for (int i = 0; i < n; i++) {
      P[i] = 0.0;
      if (most > none) {
        double energy = E[i] > none ? E[i] : 0.0;
        if (energy > 0.0)
          P[i] = step * pow(energy / most, 0.6);
        else if (v[i] < -none)
          P[i] = step * fmin(1.0, pow(-v[i] * step / most, 1.5));
      } else if (v[i] < -none) {
        P[i] = step * pow(v[i] / fastest, 1.5);
      }
    }
    for (int i = 0; i < n; i++) {
      double next = v[i] + 2.0 * P[i] - (i ? P[i - 1] : 0.0) - (i + 1 < n ? P[i + 1] : 0.0);
      double mean = 0.5 * (v[i] + next);
      E[i] = fmax(0.0, E[i] - mean * P[i] / (mean > 0.0 ? e * e : 1.0));
      v[i] = next;
    }
    for (int i = 0; i < n; i++) {
      u[i] -= P[i];
      u[i + 1] += P[i];
    }
  }
  return cpu_seconds() - begin;
}

static double error_of(int balls, const double *u, const double *exact) {
  double worst = 0.0;
  for (int i = 0; i < balls; i++)
    worst = fmax(worst, fabs(u[i] - exact[i]));
  return worst;
}

// beside another side's time and error: Carom's quickest run of no larger error
static void print_beside(const char *side, double step, double error, double seconds, int count,
                         const double *times, const double *errors) {
  int best = -1;
  for (int k = 0; k < count; k++)
    if (errors[k] <= error && (best < 0 || times[k] < times[best])) best = k;
  printf("  %-7s %-14.0e %10.1e %12.1f", side, step, error, 1e6 * seconds);
  if (best >= 0)
    printf("    Carom (error %.1e) is faster by %.0f", errors[best], seconds / times[best]);
  printf("\n");
}

// best of several, the shorter the more
static double run_siconos(int balls, double step, double *u) {
  int repeats = balls > 10 ? 2 : step < 5e-4 ? 3 : 8;
  double best = siconos_chain(balls, step, 1.0, u);
  for (int k = 1; k < repeats && best >= 0.0; k++)
    best = fmin(best, siconos_chain(balls, step, 1.0, u));
  return best;
}

// a row for the picture of error against time
static void note(FILE *table, const char *side, int balls, double error, double seconds) {
  if (table) fprintf(table, "%s %d %.3e %.4e\n", side, balls, error, 1e6 * seconds);
}

static void compare_chain(int balls, carom_energetic_workspace *work, FILE *table) {
  enum { TOLERANCES = 12 };
  static chain c;
  double exact[MOST], u[MOST], times[TOLERANCES], errors[TOLERANCES];
  int steps;
  make_chain(&c, balls, 1.0);
  run_carom(&c, 1e-13, work, exact, &steps);
  printf("\n%d balls, Hertz, e = 1\n  %-22s %10s %12s %8s\n", balls, "", "error", "us", "steps");
  for (int k = 0; k < TOLERANCES; k++) {
    double tolerance = pow(10.0, -1 - k);
    times[k] = run_carom(&c, tolerance, work, u, &steps);
    errors[k] = error_of(balls, u, exact);
    printf("  Carom %-16.0e %10.1e %12.1f %8d\n", tolerance, errors[k], 1e6 * times[k], steps);
    note(table, "carom", balls, errors[k], times[k]);
  }
  for (double step = 1e-3; step > (balls > 10 ? 5e-5 : 5e-6); step *= 0.1) {
    double seconds = run_march(balls, step, 1.0, u), error = error_of(balls, u, exact);
    note(table, "march", balls, error, seconds);
    print_beside("march", step, error, seconds, TOLERANCES, times, errors);
  }
  for (double step = 1e-3; step > 5e-5; step *= 0.1) {
    double seconds = run_siconos(balls, step, u), error = error_of(balls, u, exact);
    if (seconds < 0.0) {
      printf("  Siconos is not there\n");
      break;
    }
    note(table, "siconos", balls, error, seconds);
    print_beside("Siconos", step, error, seconds, TOLERANCES, times, errors);
  }
}

static void sizes(carom_energetic_workspace *work) {
  static chain c;
  const int balls[] = {2, 3, 6, 51};
  printf("\nchains at tolerance 1e-10, e = 0.9\n");
  for (size_t k = 0; k < sizeof balls / sizeof *balls; k++) {
    double u[MOST];
    int steps;
    make_chain(&c, balls[k], 0.9);
    double seconds = run_carom(&c, 1e-10, work, u, &steps);
    printf("  %2d contacts %10.2f us %6d steps\n", balls[k] - 1, 1e6 * seconds, steps);
  }
}

// ---- the disc struck by a ball

typedef struct body {
  double W[8][5], mass[5], u[5], G[64], before[8];
  int normal[4], tangent[4];
  double e[4], stick[4], slide[4], stiffness[4], exponent[4];
  carom_energetic_problem problem;
} body;

static void add(body *s, int i, const double *wn, const double *wt, double e, double stick,
                double slide, double stiffness) {
  memcpy(s->W[2 * i], wn, sizeof *s->W);
  memcpy(s->W[2 * i + 1], wt, sizeof *s->W);
  s->normal[i] = 2 * i;
  s->tangent[i] = 2 * i + 1;
  s->e[i] = e;
  s->stick[i] = stick;
  s->slide[i] = slide;
  s->stiffness[i] = stiffness;
  s->exponent[i] = 1.5;
}

// case 3 of Zhao, Liu, Ma 2013
static void make_disc(body *s) {
  const double r = 37.5e-3, h = 3e-3, b = 4.5e-3, md = 209.69e-3, mb = 69.24e-3;
  const double mass[5] = {mb, mb, md, md, md * (r * r / 4.0 + h * h / 3.0)};
  memset(s, 0, sizeof *s);
  memcpy(s->mass, mass, sizeof mass);
  s->u[0] = 0.285;
  for (int i = 0; i < 3; i++) {
    const double wn[5] = {0, 0, 0, 1, h * (1 - i)}, wt[5] = {0, 0, 1, 0, r};
    add(s, i, wn, wt, 0.9064, 0.15, 0.14, 2.9217e10);
  }
  const double wn[5] = {-1, 0, 1, 0, -b}, wt[5] = {0, -1, 0, 1, -h};
  add(s, 3, wn, wt, 0.7043, 0.075, 0.07, 1.9640e8);
  for (int i = 0; i < 8; i++)
    for (int k = 0; k < 5; k++) {
      s->before[i] += s->W[i][k] * s->u[k];
      for (int j = 0; j < 8; j++)
        s->G[8 * i + j] += s->W[i][k] * s->W[j][k] / s->mass[k];
    }
  s->problem = (carom_energetic_problem){.impact = {.rows = 8,
                                                    .contacts = 4,
                                                    .normal = s->normal,
                                                    .tangent = s->tangent,
                                                    .G = s->G,
                                                    .before = s->before,
                                                    .e = s->e,
                                                    .stick = s->stick,
                                                    .slide = s->slide,
                                                    .pushing = -1},
                                         .stiffness = s->stiffness,
                                         .exponent = s->exponent};
}

// explicit Euler in the impulse of the contact with most energy, dP = m v / steps
static double disc_march(const body *s, int steps, double *turning) {
  double begin = cpu_seconds(), E[4] = {0}, v[8], dP = s->mass[0] * s->u[0] / steps;
  double share[4];
  memcpy(v, s->before, sizeof v);
  double P[8] = {0};
  for (int i = 0; i < 4; i++)
    share[i] = pow(s->stiffness[i], 0.4);
  for (;;) {
    double F[4], most = 0.0;
    for (int i = 0; i < 4; i++) {
      if (E[i] <= 0.0 && v[2 * i] < -1e-12) E[i] = 1e-18;
      F[i] = E[i] > 0.0 ? share[i] * pow(E[i], 0.6) : 0.0;
      most = fmax(most, F[i]);
    }
    if (most <= 0.0) break;
    double d[8];
    for (int i = 0; i < 4; i++) {
      double vt = v[2 * i + 1];
      d[2 * i] = F[i] / most * dP;
      double hold = -vt / s->G[(2 * i + 1) * 8 + 2 * i + 1], bound = s->slide[i] * d[2 * i];
      d[2 * i + 1] = fabs(hold) <= bound ? hold : vt > 0.0 ? -bound : bound;
      E[i] = fmax(0.0, E[i] - v[2 * i] * d[2 * i] / (v[2 * i] > 0.0 ? s->e[i] * s->e[i] : 1.0));
    }
    for (int r = 0; r < 8; r++) {
      P[r] += d[r];
      for (int c = 0; c < 8; c++)
        v[r] += s->G[8 * r + c] * d[c];
    }
  }
  *turning = 0.0;
  for (int r = 0; r < 8; r++)
    *turning += s->W[r][4] * P[r] / s->mass[4];
  return cpu_seconds() - begin;
}

static void compare_disc(carom_energetic_workspace *work) {
  static body s;
  make_disc(&s);
  carom_energetic_options options = carom_energetic_options_default();
  carom_energetic_result result;
  const double exact = -1.56167770680; // converged
  printf("\ndisc struck by a ball, four contacts with friction\n");
  double march = 1e300, carom, turning = 0.0;
  for (int repeat = 0; repeat < 8; repeat++)
    march = fmin(march, disc_march(&s, 10000, &turning));
  printf("  Euler, 1e4 steps %17.1f us  turning %.7f  off by %.1e\n", 1e6 * march, turning,
         fabs(turning / exact - 1.0));
  for (double tolerance = 1e-4; tolerance > 1e-13; tolerance *= 1e-2) {
    options.tolerance = tolerance;
    carom = 1e300;
    for (int repeat = 0; repeat < 40; repeat++) {
      double begin = cpu_seconds();
      for (int k = 0; k < 100; k++)
        if (carom_energetic_solve(&s.problem, &options, work, &result) != CAROM_OK) return;
      carom = fmin(carom, (cpu_seconds() - begin) / 100);
    }
    turning = 0.0;
    for (int r = 0; r < 8; r++)
      turning += s.W[r][4] * result.impulse[r] / s.mass[4];
    printf("  Carom %-16.0e %12.1f us  turning %.7f  off by %.1e  %d steps, faster by %.0f\n",
           tolerance, 1e6 * carom, turning, fabs(turning / exact - 1.0), result.steps,
           march / carom);
  }
}

// bench_impact [FILE]: errors and times for a picture go to FILE
int main(int count, char **arguments) {
  FILE *table = count > 1 ? fopen(arguments[1], "w") : NULL;
  carom_arena *arena = carom_arena_create(NULL);
  carom_energetic_workspace *work =
      arena ? carom_energetic_workspace_create(arena, MOST, MOST) : NULL;
  if (!work) return 1;
  compare_chain(5, work, table);
  compare_chain(50, work, table);
  sizes(work);
  compare_disc(work);
  carom_arena_destroy(arena);
  if (table) (void)fclose(table);
  return 0;
}
