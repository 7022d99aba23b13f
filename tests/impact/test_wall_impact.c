// SPDX-License-Identifier: MIT
// A wall of bricks whose courses slide over each other, struck so softly that normal velocities are
// a part of 1e-12 of the slips: rounding decides the modes of most contacts. Newton's and Poisson's
// laws have an outcome all the same, and it keeps them.
#include "check.h"
#include "impact/impact.h"

#include "base/random.h"

#include <string.h>

enum { COURSES = 3, BRICKS = 6, FREEDOM = 3 * BRICKS, MOST = 20, ROWS = 2 * MOST };
static const double LENGTH = 0.2, HEIGHT = 0.1, MASS = 2.0;

typedef struct wall {
  double W[ROWS][FREEDOM], G[ROWS * ROWS], v[ROWS], e[MOST], mu[MOST];
  int normal[MOST], tangent[MOST], contacts;
} wall;

static double place_x(int course, int brick) { return LENGTH * (brick + 0.5 * course); }
static double place_y(int course) { return HEIGHT * (course + 0.5); }
static int number_of(int course, int brick) {
  return course == 0 ? brick : course == 1 ? 3 + brick : 5;
}

// the point (x, y) of a brick moves along x or y with these rates of its coordinates
static void add_point(double *row, int brick, double x, double y, int axis, double sign) {
  row[3 * brick + axis] += sign;
  row[3 * brick + 2] += sign * (axis ? x : -y);
}

// a corner at x on top of `below` (-1: the table)
static void add_contact(wall *w, int course, int brick, int below, double x) {
  int k = w->contacts++, above = number_of(course, brick);
  double y = HEIGHT * course;
  for (int axis = 0; axis < 2; axis++) {
    int r = 2 * k + (axis ? 0 : 1);
    *(axis ? &w->normal[k] : &w->tangent[k]) = r;
    add_point(w->W[r], above, x - place_x(course, brick), y - place_y(course), axis, 1.0);
    if (below < 0) continue;
    add_point(w->W[r], number_of(course - 1, below), x - place_x(course - 1, below),
              y - place_y(course - 1), axis, -1.0);
  }
}

static void build(wall *w, double e, uint64_t seed) {
  memset(w, 0, sizeof *w);
  for (int course = 0; course < COURSES; course++)
    for (int brick = 0; brick < COURSES - course; brick++) {
      double x = place_x(course, brick), half = 0.5 * LENGTH;
      if (course == 0) {
        add_contact(w, 0, brick, -1, x - half);
        add_contact(w, 0, brick, -1, x + half);
        continue;
      }
      for (int side = 0; side < 2; side++) {
        add_contact(w, course, brick, brick + side, side ? x + half : x - half);
        add_contact(w, course, brick, brick + side, x);
      }
    }
  // courses slide, each brick at a speed of its own; all else is rounding
  double u[FREEDOM];
  for (int i = 0; i < FREEDOM; i++)
    u[i] = (i % 3 == 0 ? 0.2 : 1e-12) * (carom_random_uniform(seed, (uint64_t)i, 0) - 0.5);
  const double response[] = {1.0 / MASS, 1.0 / MASS,
                             12.0 / (MASS * (LENGTH * LENGTH + HEIGHT * HEIGHT))};
  int rows = 2 * w->contacts;
  for (int r = 0; r < rows; r++)
    for (int i = 0; i < FREEDOM; i++) {
      w->v[r] += w->W[r][i] * u[i];
      for (int c = 0; c < rows; c++)
        w->G[r * rows + c] += w->W[r][i] * response[i % 3] * w->W[c][i];
    }
  for (int k = 0; k < w->contacts; k++) {
    w->e[k] = e;
    w->mu[k] = 0.5;
  }
}

static void check_law(const wall *w, const carom_impact_result *r, double e, bool newton) {
  const double most = 1e-11;
  for (int k = 0; k < w->contacts; k++) {
    int n = w->normal[k], t = w->tangent[k];
    double P = r->impulse[n], T = r->impulse[t], v = r->after[n], slip = r->after[t];
    double wanted = newton ? fmax(0.0, -e * w->v[n]) : 0.0;
    CHECK(P >= -most);
    CHECK(v >= wanted - most);
    CHECK(fabs(T) <= 0.5 * P + most);
    if (newton) CHECK(P <= most || v <= wanted + most);
    if (fabs(slip) > 1e-6) CHECK(fabs(T + copysign(0.5 * P, slip)) <= most);
  }
}

static void soft_strikes(void **state) {
  (void)state;
  carom_arena *arena = carom_arena_create(NULL);
  carom_impact_workspace *work = carom_impact_workspace_create(arena, ROWS, MOST);
  wall w;
  assert_non_null(work);
  for (int trial = 0; trial < 60; trial++) {
    bool newton = trial % 2 == 0;
    double e = trial % 3 * 0.3;
    build(&w, e, (uint64_t)trial);
    carom_impact_problem p = {.law = newton ? CAROM_IMPACT_NEWTON : CAROM_IMPACT_POISSON,
                              .rows = 2 * w.contacts,
                              .contacts = w.contacts,
                              .normal = w.normal,
                              .tangent = w.tangent,
                              .G = w.G,
                              .before = w.v,
                              .e = w.e,
                              .stick = w.mu,
                              .slide = w.mu,
                              .pushing = -1};
    carom_impact_result r;
    assert_int_equal(carom_impact_solve(&p, work, &r), CAROM_OK);
    check_law(&w, &r, e, newton);
  }
  carom_arena_destroy(arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(soft_strikes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
