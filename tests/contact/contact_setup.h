// SPDX-License-Identifier: MIT
/// Contact problems for tests: bodies given by rows and masses, random ones, and a referee that
/// checks every condition of a set of modes from its definition in long double.
#ifndef CAROM_TESTS_CONTACT_SETUP_H
#define CAROM_TESTS_CONTACT_SETUP_H

#include "check.h"
#include "contact/contact.h"

#include <string.h>

enum { MAX_ROWS = 24, MAX_CONTACTS = 8, MAX_FREEDOM = 24 };

// a problem with its storage: rows W of a body with mass matrix diag(m), free acceleration a:
// G = W m^-1 W^T, b = W a
typedef struct setup {
  carom_contact_problem p;
  int normal[MAX_CONTACTS], tangent[MAX_CONTACTS], sliding[MAX_CONTACTS];
  double stick[MAX_CONTACTS], slide[MAX_CONTACTS], floor[MAX_CONTACTS];
  double G[MAX_ROWS * MAX_ROWS], b[MAX_ROWS];
  double W[MAX_ROWS][MAX_FREEDOM];
  int freedom;
} setup;

static carom_arena *arena;
static carom_contact_workspace *work;

static inline int start(void **state) {
  (void)state;
  arena = carom_arena_create(NULL);
  work = carom_contact_workspace_create(arena, MAX_ROWS, MAX_CONTACTS);
  return work ? 0 : 1;
}

static inline int finish(void **state) {
  (void)state;
  carom_arena_destroy(arena);
  return 0;
}

static inline void begin(setup *s, int freedom, int constraints) {
  memset(s, 0, sizeof *s);
  s->freedom = freedom;
  s->p = (carom_contact_problem){.rows = constraints,
                                 .constraints = constraints,
                                 .normal = s->normal,
                                 .tangent = s->tangent,
                                 .G = s->G,
                                 .b = s->b,
                                 .stick = s->stick,
                                 .slide = s->slide,
                                 .sliding = s->sliding};
}

// adds a contact with normal row wn, tangent row wt (nullable)
static inline void contact(setup *s, const double *wn, const double *wt, double mu_s, double mu,
                           int sliding) {
  int i = s->p.contacts++;
  s->normal[i] = s->p.rows;
  memcpy(s->W[s->p.rows++], wn, (size_t)s->freedom * sizeof(double));
  s->tangent[i] = -1;
  if (wt) {
    s->tangent[i] = s->p.rows;
    memcpy(s->W[s->p.rows++], wt, (size_t)s->freedom * sizeof(double));
  }
  s->stick[i] = mu_s;
  s->slide[i] = mu;
  s->sliding[i] = sliding;
}

static inline void assemble(setup *s, const double *mass, const double *acceleration) {
  int n = s->p.rows;
  for (int i = 0; i < n; i++) {
    s->b[i] = 0.0;
    for (int k = 0; k < s->freedom; k++)
      s->b[i] += s->W[i][k] * acceleration[k];
    for (int j = 0; j < n; j++) {
      s->G[i * n + j] = 0.0;
      for (int k = 0; k < s->freedom; k++)
        s->G[i * n + j] += s->W[i][k] * s->W[j][k] / mass[k];
    }
  }
}

static inline void fill(setup *s, carom_contact_mode *modes, carom_contact_mode mode) {
  for (int i = 0; i < s->p.contacts; i++)
    modes[i] = mode;
}

static inline carom_contact_choice choose(setup *s, const carom_contact_mode *current) {
  carom_contact_query query = carom_contact_query_default(current);
  carom_contact_choice choice;
  carom_contact_choose(&s->p, &query, work, &choice);
  return choice;
}

// ---- independent referee: every condition of a mode, in long double, from the definition

static inline long double rate_of(const setup *s, const double *lambda, int row) {
  long double sum = s->b[row];
  for (int j = 0; j < s->p.rows; j++)
    sum += (long double)s->G[row * s->p.rows + j] * (long double)lambda[j];
  return sum;
}

static inline long double violation_of(const setup *s, const carom_contact_mode *modes,
                                       const double *lambda) {
  long double worst = 0.0L;
#define WANT(x) worst = fmaxl(worst, -(x))
#define ZERO(x) worst = fmaxl(worst, fabsl(x))
  for (int k = 0; k < s->p.constraints; k++)
    ZERO(rate_of(s, lambda, k));
  for (int i = 0; i < s->p.contacts; i++) {
    int normal = s->normal[i], tangent = s->tangent[i];
    long double N = lambda[normal], uN = rate_of(s, lambda, normal);
    long double T = tangent < 0 ? 0.0L : lambda[tangent];
    long double uT = tangent < 0 ? 0.0L : rate_of(s, lambda, tangent);
    int sign = carom_contact_slip_sign(modes[i]);
    if (modes[i] == CAROM_CONTACT_OPEN) {
      ZERO(N);
      ZERO(T);
      WANT(uN);
      continue;
    }
    WANT(N);
    ZERO(uN);
    if (tangent < 0) continue;
    if (sign == 0) {
      ZERO(uT);
      WANT(s->stick[i] * N - fabsl(T));
    } else {
      ZERO(T + sign * s->slide[i] * N);
      if (s->sliding[i] == 0) WANT(sign * uT);
      CHECK(s->sliding[i] != -sign);
    }
    if (s->sliding[i]) CHECK(sign == s->sliding[i]);
  }
  return worst;
#undef WANT
#undef ZERO
}

// ---- random problems

static uint64_t seed = 1;
static inline double uniform(void) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(seed >> 11) / 9007199254740992.0;
}
static inline double between(double lo, double hi) { return lo + (hi - lo) * uniform(); }

static inline void random_problem(setup *s, int freedom, int constraints, int contacts, double mu,
                                  bool static_higher, bool sliding) {
  begin(s, freedom, constraints);
  double mass[MAX_FREEDOM], acceleration[MAX_FREEDOM], wn[MAX_FREEDOM], wt[MAX_FREEDOM];
  for (int k = 0; k < constraints; k++)
    for (int j = 0; j < freedom; j++)
      s->W[k][j] = between(-1, 1);
  for (int k = 0; k < freedom; k++) {
    mass[k] = between(0.5, 2.0);
    acceleration[k] = between(-1, 1);
  }
  for (int i = 0; i < contacts; i++) {
    for (int k = 0; k < freedom; k++) {
      wn[k] = between(-1, 1);
      wt[k] = between(-1, 1);
    }
    double slide = mu * uniform();
    int sign = !sliding || uniform() < 0.4 ? 0 : uniform() < 0.5 ? 1 : -1;
    bool smooth = uniform() < 0.15;
    double stick = static_higher ? slide * between(1, 2) : slide;
    contact(s, wn, smooth ? NULL : wt, stick, slide, sign);
  }
  assemble(s, mass, acceleration);
  for (int k = 0; k < constraints; k++)
    s->b[k] = between(-1, 1);
}

// a body (x, y, theta) with legs at x_i, a height h below its centre, pushed by F
static inline void legs(setup *s, int count, const double *x, const double *mu_s, const double *mu,
                        double h, double F, int sliding) {
  const double g = 10.0, mass[3] = {1.5, 1.5, 0.8};
  double acceleration[3] = {F / mass[0], -g, 0.0};
  begin(s, 3, 0);
  for (int i = 0; i < count; i++) {
    double wn[3] = {0, 1, x[i]}, wt[3] = {1, 0, h};
    contact(s, wn, wt, mu_s[i], mu[i], sliding);
  }
  assemble(s, mass, acceleration);
}

#endif
