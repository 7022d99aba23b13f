// SPDX-License-Identifier: MIT
// Friction in space: closed forms, constructed solutions of full and deficient rank, one contact
// with all its solutions, agreement with the plane.
#include "check.h"

#include "friction_help.h"

static const carom_friction_view *look(const posed *p, const double *start, bool prove,
                                       carom_friction_solution **s) {
  carom_friction_options o = ask(p);
  o.start = start;
  o.prove = prove;
  *s = solve(&o);
  return carom_friction_solution_look(*s);
}

// W = 1: a block that cannot turn on a slope, in any direction
static void test_block(void **unused) {
  (void)unused;
  double mu = 0.4, g = 9.81;
  for (int k = 0; k < 40; k++) {
    double slope = 0.02 * k, way = 0.7 * k;
    posed p = pose(3, 1);
    p.W[0] = p.W[4] = p.W[8] = 1.0;
    p.q[0] = -g * cos(slope);
    p.q[1] = g * sin(slope) * cos(way);
    p.q[2] = g * sin(slope) * sin(way);
    p.mu[0] = mu;
    carom_friction_solution *s;
    const carom_friction_view *view = look(&p, NULL, true, &s);
    double speed = fmax(0.0, g * (sin(slope) - mu * cos(slope)));
    CHECK_NEAR(view->velocities[1], speed * cos(way), 1e-13);
    CHECK_NEAR(view->velocities[2], speed * sin(way), 1e-13);
    CHECK_NEAR(view->forces[0], g * cos(slope), 1e-13);
    if (k > 0) assert_int_equal(view->verdict, CAROM_FRICTION_ONE);
    carom_friction_solution_destroy(s);
    dispose(&p);
  }
}

static void test_constructed(void **unused) {
  (void)unused;
  unsigned state = 3;
  for (int round = 0; round < 400; round++) {
    int n = 1 + round % 20, freedoms = round % 3 ? 3 * n + 2 : (3 * n + 1) / 2;
    posed p = pose(3, n);
    random_matrix(&p, freedoms, &state);
    for (int i = 0; i < n; i++)
      p.mu[i] = 0.4 * (1.0 + noise(&state));
    construct(&p, &state);
    carom_friction_solution *s;
    const carom_friction_view *view = look(&p, NULL, false, &s);
    if (!view->found) print_error("round %d, %d contacts: %g\n", round, n, view->residual);
    CHECK(view->found);
    CHECK_NEAR(residual_of(&p, view->forces), 0.0, 1e-12);
    assert_int_equal(view->verdict, CAROM_FRICTION_ONE_FOUND);
    carom_friction_solution_destroy(s);
    dispose(&p);
  }
}

// from its own solution nothing is left to do; from nearby, a few systems
static void test_warm_start(void **unused) {
  (void)unused;
  unsigned state = 9;
  posed p = pose(3, 30);
  random_matrix(&p, 92, &state);
  for (int i = 0; i < 30; i++)
    p.mu[i] = 0.3;
  construct(&p, &state);
  carom_friction_solution *s, *again, *near;
  const carom_friction_view *view = look(&p, NULL, false, &s);
  const carom_friction_view *same = look(&p, view->forces, false, &again);
  assert_int_equal(same->sweeps, 0);
  CHECK(same->newton <= 1);
  for (int k = 0; k < 90; k++)
    p.q[k] *= 1.0 + 1e-4 * noise(&state);
  const carom_friction_view *moved = look(&p, view->forces, false, &near);
  CHECK(moved->found);
  assert_int_equal(moved->sweeps, 0);
  CHECK(moved->newton <= 5);
  CHECK_NEAR(residual_of(&p, moved->forces), 0.0, 1e-12);
  carom_friction_solution_destroy(s);
  carom_friction_solution_destroy(again);
  carom_friction_solution_destroy(near);
  dispose(&p);
}

// One contact with a matrix of any kind: slips are scanned over the angle, finely, in the test.
static int scan_alone(const posed *p) {
  int count = p->q[0] >= 0.0, steps = 200000;
  double before = 0.0;
  for (int k = 0; k <= steps; k++) {
    double angle = 2.0 * 3.14159265358979324 * (k + 0.37) / steps, t[2] = {cos(angle), sin(angle)};
    const double *W = p->W, *q = p->q;
    double h = W[0] - p->mu[0] * (W[1] * t[0] + W[2] * t[1]), normal = -q[0] / h, v[2];
    for (int a = 0; a < 2; a++)
      v[a] = q[a + 1] +
             normal * (W[3 * a + 3] - p->mu[0] * (W[3 * a + 4] * t[0] + W[3 * a + 5] * t[1]));
    double across = (v[0] * t[1] - v[1] * t[0]) * h, along = v[0] * t[0] + v[1] * t[1];
    if (k > 0 && across * before < 0.0 && normal >= 0.0 && along >= 0.0) count++;
    before = across;
  }
  return count;
}

static void test_one_contact(void **unused) {
  (void)unused;
  unsigned state = 21;
  int seen[3] = {0, 0, 0};
  for (int round = 0; round < 150; round++) {
    posed p = pose(3, 1);
    random_matrix(&p, 4, &state);
    for (int k = 0; k < 9; k++)
      p.W[k] += (round % 3) * 0.5 * noise(&state);
    for (int k = 0; k < 3; k++)
      p.q[k] = noise(&state);
    p.mu[0] = 1.5 * (1.0 + noise(&state));
    carom_friction_solution *s;
    const carom_friction_view *view = look(&p, NULL, true, &s);
    // the stick by Cramer's rule
    double D = p.W[0] * (p.W[4] * p.W[8] - p.W[5] * p.W[7]) -
               p.W[1] * (p.W[3] * p.W[8] - p.W[5] * p.W[6]) +
               p.W[2] * (p.W[3] * p.W[7] - p.W[4] * p.W[6]);
    double r[3];
    for (int c = 0; c < 3; c++) {
      double A[9];
      memcpy(A, p.W, sizeof A);
      for (int a = 0; a < 3; a++)
        A[3 * a + c] = -p.q[a];
      r[c] = (A[0] * (A[4] * A[8] - A[5] * A[7]) - A[1] * (A[3] * A[8] - A[5] * A[6]) +
              A[2] * (A[3] * A[7] - A[4] * A[6])) /
             D;
    }
    int count = scan_alone(&p) + (r[0] >= 0.0 && hypot(r[1], r[2]) <= p.mu[0] * r[0]);
    carom_friction_verdict expected = count == 0   ? CAROM_FRICTION_NONE
                                      : count == 1 ? CAROM_FRICTION_ONE
                                                   : CAROM_FRICTION_SEVERAL;
    if (view->verdict != expected) print_error("round %d: %d solutions\n", round, count);
    assert_int_equal(view->verdict, expected);
    if (count > 0) CHECK_NEAR(residual_of(&p, view->forces), 0.0, 1e-12);
    if (count > 1) CHECK_NEAR(residual_of(&p, view->other_forces), 0.0, 1e-12);
    seen[count > 2 ? 2 : count]++;
    carom_friction_solution_destroy(s);
    dispose(&p);
  }
  for (int k = 0; k < 3; k++)
    CHECK(seen[k] > 3);
}

// a planar problem, written in space along a turned line: the same digits
static void test_plane_in_space(void **unused) {
  (void)unused;
  unsigned state = 4;
  for (int round = 0; round < 40; round++) {
    int n = 1 + round % 6;
    double angle = 0.3 * round, t[2] = {cos(angle), sin(angle)};
    posed plane = pose(2, n), space = pose(3, n);
    random_matrix(&plane, 2 * n + 2, &state);
    for (int i = 0; i < n; i++)
      plane.mu[i] = space.mu[i] = 0.25 * (1.0 + noise(&state));
    construct(&plane, &state);
    for (int i = 0; i < n; i++) {
      space.q[3 * i] = plane.q[2 * i];
      for (int a = 0; a < 2; a++)
        space.q[3 * i + 1 + a] = plane.q[2 * i + 1] * t[a];
      for (int j = 0; j < n; j++) {
        const double *P = plane.W + 4 * i * n + 2 * j;
        double *S = space.W + 9 * i * n + 3 * j;
        S[0] = P[0];
        for (int a = 0; a < 2; a++) {
          S[1 + a] = P[1] * t[a];
          S[3 * n * (1 + a)] = P[2 * n] * t[a];
          for (int b = 0; b < 2; b++)
            S[3 * n * (1 + a) + 1 + b] = P[2 * n + 1] * t[a] * t[b];
        }
        // across the plane every contact for itself
        if (i == j)
          for (int a = 0; a < 2; a++)
            for (int b = 0; b < 2; b++)
              S[3 * n * (1 + a) + 1 + b] += (a == b) - t[a] * t[b];
      }
    }
    carom_friction_solution *a, *b;
    const carom_friction_view *flat = look(&plane, NULL, true, &a),
                              *full = look(&space, NULL, false, &b);
    CHECK(flat->found && full->found);
    for (int i = 0; i < n && flat->verdict == CAROM_FRICTION_ONE; i++) {
      CHECK_NEAR(full->forces[3 * i], flat->forces[2 * i], 1e-11);
      CHECK_NEAR(full->velocities[3 * i], flat->velocities[2 * i], 1e-11);
      for (int k = 0; k < 2; k++)
        CHECK_NEAR(full->forces[3 * i + 1 + k], flat->forces[2 * i + 1] * t[k], 1e-11);
    }
    carom_friction_solution_destroy(a);
    carom_friction_solution_destroy(b);
    dispose(&plane);
    dispose(&space);
  }
}

// expansions of impacts: normals that carry their floor whatever happens
static void test_floor(void **unused) {
  (void)unused;
  unsigned state = 6;
  for (int round = 0; round < 120; round++) {
    int n = 1 + round % 6, d = 2 + round % 2;
    posed p = pose(d, n);
    random_matrix(&p, d * n + 2, &state);
    for (int i = 0; i < n; i++) {
      p.mu[i] = 0.2 * (1.0 + noise(&state));
      p.floor[i] = i % 2 ? 0.0 : 0.5 * (1.0 + noise(&state));
    }
    for (int k = 0; k < d * n; k++)
      p.q[k] = noise(&state);
    carom_friction_solution *s;
    const carom_friction_view *view = look(&p, NULL, d == 2 && n < 4, &s);
    CHECK(view->found);
    CHECK_NEAR(residual_of(&p, view->forces), 0.0, 1e-12);
    if (d == 2 && n < 4) CHECK(view->verdict >= CAROM_FRICTION_ONE);
    carom_friction_solution_destroy(s);
    dispose(&p);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_block),          cmocka_unit_test(test_constructed),
      cmocka_unit_test(test_warm_start),     cmocka_unit_test(test_one_contact),
      cmocka_unit_test(test_plane_in_space), cmocka_unit_test(test_floor),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
