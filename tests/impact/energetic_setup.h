// SPDX-License-Identifier: MIT
/// Impacts for the tests of the energetic law, built from rows W, masses m and velocities u: G =
/// W m^-1 W^T, v = W u.
#ifndef CAROM_TESTS_ENERGETIC_SETUP_H
#define CAROM_TESTS_ENERGETIC_SETUP_H

#include "check.h"
#include "impact/energetic.h"

#include <string.h>

enum { MAX_ROWS = 64, MAX_CONTACTS = 50, MAX_FREEDOM = 51 };

typedef struct setup {
  carom_energetic_problem p;
  carom_energetic_options o;
  int freedom;
  int normal[MAX_CONTACTS], tangent[MAX_CONTACTS];
  double e[MAX_CONTACTS], stick[MAX_CONTACTS], slide[MAX_CONTACTS];
  carom_energetic_habit habit[MAX_CONTACTS];
  double stiffness[MAX_CONTACTS], exponent[MAX_CONTACTS];
  double G[MAX_ROWS * MAX_ROWS], v[MAX_ROWS];
  double W[MAX_ROWS][MAX_FREEDOM], mass[MAX_FREEDOM], u[MAX_FREEDOM];
} setup;

static carom_arena *arena;
static carom_energetic_workspace *work;

static inline int start(void **state) {
  (void)state;
  arena = carom_arena_create(NULL);
  work = carom_energetic_workspace_create(arena, MAX_ROWS, MAX_CONTACTS);
  return work ? 0 : 1;
}

static inline int finish(void **state) {
  (void)state;
  carom_arena_destroy(arena);
  return 0;
}

static inline void begin(setup *s, int freedom) {
  memset(s, 0, sizeof *s);
  s->freedom = freedom;
  s->o = carom_energetic_options_default();
  s->p = (carom_energetic_problem){.impact = {.normal = s->normal,
                                              .tangent = s->tangent,
                                              .G = s->G,
                                              .before = s->v,
                                              .e = s->e,
                                              .stick = s->stick,
                                              .slide = s->slide,
                                              .pushing = -1},
                                   .stiffness = s->stiffness,
                                   .exponent = s->exponent,
                                   .habit = s->habit};
  for (int k = 0; k < freedom; k++)
    s->mass[k] = 1.0;
}

static inline void constraint(setup *s, const double *row) {
  memcpy(s->W[s->p.impact.rows++], row, (size_t)s->freedom * sizeof(double));
  s->p.impact.constraints++;
}

// a contact with k = 1, a = 3/2 unless changed afterwards; returns its index
static inline int contact(setup *s, const double *wn, const double *wt, double e, double stick,
                          double slide) {
  carom_impact_problem *p = &s->p.impact;
  int i = p->contacts++;
  s->normal[i] = p->rows;
  memcpy(s->W[p->rows++], wn, (size_t)s->freedom * sizeof(double));
  s->tangent[i] = -1;
  if (wt) {
    s->tangent[i] = p->rows;
    memcpy(s->W[p->rows++], wt, (size_t)s->freedom * sizeof(double));
  }
  s->e[i] = e;
  s->stick[i] = stick;
  s->slide[i] = slide;
  s->stiffness[i] = 1.0;
  s->exponent[i] = 1.5;
  return i;
}

static inline void assemble(setup *s) {
  int n = s->p.impact.rows;
  for (int i = 0; i < n; i++) {
    s->v[i] = 0.0;
    for (int k = 0; k < s->freedom; k++)
      s->v[i] += s->W[i][k] * s->u[k];
    for (int j = 0; j < n; j++) {
      s->G[i * n + j] = 0.0;
      for (int k = 0; k < s->freedom; k++)
        s->G[i * n + j] += s->W[i][k] * s->W[j][k] / s->mass[k];
    }
  }
}

// solves and adds the impulses to the velocities u
static inline carom_energetic_result solve(setup *s) {
  assemble(s);
  carom_energetic_result result;
  carom_status status = carom_energetic_solve(&s->p, &s->o, work, &result);
  assert_int_equal(status, CAROM_OK);
  for (int k = 0; k < s->freedom; k++)
    for (int r = 0; r < s->p.impact.rows; r++)
      s->u[k] += s->W[r][k] * result.impulse[r] / s->mass[k];
  return result;
}

static inline double kinetic(const setup *s) {
  double sum = 0.0;
  for (int k = 0; k < s->freedom; k++)
    sum += 0.5 * s->mass[k] * s->u[k] * s->u[k];
  return sum;
}

// energy lost by restitution and friction, as reported
static inline double losses(const setup *s, const carom_energetic_result *r) {
  double sum = 0.0;
  for (int i = 0; i < s->p.impact.contacts; i++)
    sum += r->lost[i] + r->rubbed[i];
  return sum;
}

// a row of unit balls, the first one moving at speed 1 against the others
static inline void cradle(setup *s, int balls, double e, double exponent) {
  begin(s, balls);
  s->u[0] = 1.0;
  for (int i = 0; i + 1 < balls; i++) {
    double row[MAX_FREEDOM] = {0};
    row[i] = -1.0;
    row[i + 1] = 1.0;
    int c = contact(s, row, NULL, e, 0.0, 0.0);
    s->exponent[c] = exponent;
  }
}

// The disc struck by a ball (velocities yb', zb', yd', zd', th' at theta = pi/2), contacts A, B, C
// on the ground and D with the ball; data of tables 1 and 3 of Zhao, Liu, Ma 2013.
static inline void disc(setup *s, double b, double ball_speed, double ground_stick,
                        double ground_slide, double r, double h) {
  const double mb = 69.24e-3, md = 209.69e-3;
  begin(s, 5);
  double inertia = md * (r * r / 4.0 + h * h / 3.0);
  const double masses[5] = {mb, mb, md, md, inertia};
  memcpy(s->mass, masses, sizeof masses);
  s->u[0] = ball_speed;
  const double lever[3] = {h, 0.0, -h};
  for (int i = 0; i < 3; i++) {
    const double wn[5] = {0, 0, 0, 1, lever[i]}, wt[5] = {0, 0, 1, 0, r};
    int c = contact(s, wn, wt, 0.9064, ground_stick, ground_slide);
    s->stiffness[c] = 2.9217e10;
  }
  const double wn[5] = {-1, 0, 1, 0, -b}, wt[5] = {0, -1, 0, 1, -h};
  int c = contact(s, wn, wt, 0.7043, 0.075, 0.07);
  s->stiffness[c] = 1.9640e8;
}

#endif
