// SPDX-License-Identifier: MIT
// Planar friction: closed forms, and the number of solutions against a plain enumeration of modes
// that shares nothing with the solver.
#include "check.h"

#include "all_modes.h"

static double nearest(int rows, int count, double (*all)[ROWS], const double *r) {
  double least = INFINITY;
  for (int k = 0; k < count; k++) {
    double apart = 0.0;
    for (int e = 0; e < rows; e++)
      apart = fmax(apart, fabs(all[k][e] - r[e]) / (1.0 + fabs(r[e])));
    least = fmin(least, apart);
  }
  return least;
}

static int counted[3];

static void compare(const posed *p) {
  static double all[64][ROWS];
  int count = enumerate(p, all);
  carom_friction_options o = ask(p);
  o.sweeps = 2000;
  carom_friction_solution *s = solve(&o);
  const carom_friction_view *view = carom_friction_solution_look(s);
  carom_friction_verdict expected = count == 0   ? CAROM_FRICTION_NONE
                                    : count == 1 ? CAROM_FRICTION_ONE
                                                 : CAROM_FRICTION_SEVERAL;
  if (view->verdict != expected)
    print_error("%d contacts, %d solutions, verdict %d (%s), residual %g\n", p->n, count,
                view->verdict, view->reason, residual_of(p, view->forces));
  assert_int_equal(view->verdict, expected);
  counted[count > 2 ? 2 : count]++;
  assert_int_equal(view->found, count > 0);
  if (count > 0) {
    CHECK_NEAR(residual_of(p, view->forces), 0.0, 1e-12);
    CHECK_NEAR(nearest(2 * p->n, count, all, view->forces), 0.0, 1e-7);
  }
  if (count > 1) {
    CHECK_NEAR(residual_of(p, view->other_forces), 0.0, 1e-10);
    double(*own)[ROWS] = calloc(1, sizeof *own);
    memcpy(own[0], view->forces, (size_t)(2 * p->n) * sizeof(double));
    CHECK(nearest(2 * p->n, 1, own, view->other_forces) > 1e-7);
    free(own);
  }
  carom_friction_solution_destroy(s);
}

// W of a mechanism (regular), of any kind (neither symmetric nor definite), mu small and large
static void test_number_of_solutions(void **unused) {
  (void)unused;
  unsigned state = 11;
  for (int round = 0; round < 900; round++) {
    int n = 1 + round % 3;
    posed p = pose(2, n);
    random_matrix(&p, 2 * n + 1, &state);
    double apart = round % 3 == 0 ? 0.0 : 0.3 * (round % 5);
    for (int k = 0; k < 4 * n * n; k++)
      p.W[k] += apart * noise(&state);
    for (int k = 0; k < 2 * n; k++)
      p.q[k] = noise(&state);
    for (int i = 0; i < n; i++)
      p.mu[i] = round % 2 ? 0.5 * (1.0 + noise(&state)) : 3.0 * (1.0 + noise(&state));
    compare(&p);
    dispose(&p);
  }
  // the test has seen all three
  for (int k = 0; k < 3; k++)
    CHECK(counted[k] > 20);
}

// ---- closed forms

// A block of mass 1 on a slope, one contact under its middle that cannot turn: W = 1. It stays
// while tan a <= mu, else slides with g (sin a - mu cos a).
static void test_block_on_slope(void **unused) {
  (void)unused;
  for (int k = 1; k < 9; k++) {
    double a = 0.15 * k, g = 9.81, mu = 0.5;
    posed p = pose(2, 1);
    p.W[0] = p.W[3] = 1.0;
    p.q[0] = -g * cos(a);
    p.q[1] = g * sin(a);
    p.mu[0] = mu;
    carom_friction_options o = ask(&p);
    carom_friction_solution *s = solve(&o);
    const carom_friction_view *view = carom_friction_solution_look(s);
    CHECK_NEAR(view->forces[0], g * cos(a), 1e-14);
    CHECK_NEAR(view->velocities[1], fmax(0.0, g * (sin(a) - mu * cos(a))), 1e-14);
    assert_int_equal(view->modes[0], tan(a) <= mu ? CAROM_FRICTION_STICK : CAROM_FRICTION_SLIP);
    assert_int_equal(view->verdict, CAROM_FRICTION_ONE);
    CHECK(view->velocities_unique);
    carom_friction_solution_destroy(s);
    dispose(&p);
  }
}

// W = J M^-1 J^T and q = J M^-1 f of one body in the plane: contacts at (x, y) from its middle with
// normals n; mass 1, inertia j, force (0, -g)
static posed one_body(int n, double (*place)[2], double (*normal)[2], double j, double g,
                      double mu) {
  posed p = pose(2, n);
  double J[ROWS][3];
  for (int i = 0; i < n; i++) {
    double tangent[2] = {normal[i][1], -normal[i][0]};
    for (int a = 0; a < 2; a++) {
      const double *e = a == 0 ? normal[i] : tangent;
      J[2 * i + a][0] = e[0];
      J[2 * i + a][1] = e[1];
      J[2 * i + a][2] = place[i][0] * e[1] - place[i][1] * e[0];
    }
    p.mu[i] = mu;
  }
  for (int a = 0; a < 2 * n; a++) {
    for (int b = 0; b < 2 * n; b++)
      p.W[a * 2 * n + b] = J[a][0] * J[b][0] + J[a][1] * J[b][1] + J[a][2] * J[b][2] / j;
    p.q[a] = -g * J[a][1];
  }
  return p;
}

// A ladder of length 2 between floor and wall, both with mu, at the angle a to the floor: it stays
// when tan a >= (1 - mu^2)/(2 mu), then with several forces; below it slides down.
static void test_ladder(void **unused) {
  (void)unused;
  double mu = 0.4, limit = atan((1 - mu * mu) / (2 * mu));
  for (int side = -1; side <= 1; side += 2) {
    double a = limit + 0.05 * side;
    double place[2][2] = {{-cos(a), -sin(a)}, {cos(a), sin(a)}};
    double normal[2][2] = {{0, 1}, {-1, 0}};
    posed p = one_body(2, place, normal, 1.0 / 3.0, 9.81, mu);
    carom_friction_options o = ask(&p);
    carom_friction_solution *s = solve(&o);
    const carom_friction_view *view = carom_friction_solution_look(s);
    CHECK(view->found);
    double fastest = 0.0;
    for (int k = 0; k < 4; k++)
      fastest = fmax(fastest, fabs(view->velocities[k]));
    if (side > 0) {
      CHECK_NEAR(fastest, 0.0, 1e-12);
      assert_int_equal(view->verdict, CAROM_FRICTION_SEVERAL);
      CHECK(view->velocities_unique);
    } else {
      CHECK(fastest > 0.1);
      assert_int_equal(view->verdict, CAROM_FRICTION_ONE);
    }
    carom_friction_solution_destroy(s);
    dispose(&p);
  }
}

// A wedge of half angle a held between two walls under its weight: jammed when tan a <= mu.
static void test_wedge(void **unused) {
  (void)unused;
  double mu = 0.3;
  for (int k = 0; k < 2; k++) {
    double a = k ? 0.2 : 0.4;
    double place[2][2] = {{-0.1, 0}, {0.1, 0}};
    double normal[2][2] = {{cos(a), sin(a)}, {-cos(a), sin(a)}};
    posed p = one_body(2, place, normal, 0.01, 9.81, mu);
    carom_friction_options o = ask(&p);
    carom_friction_solution *s = solve(&o);
    const carom_friction_view *view = carom_friction_solution_look(s);
    CHECK(view->found);
    CHECK_NEAR(residual_of(&p, view->forces), 0.0, 1e-13);
    // by symmetry r_N (2 sin a + 2 mu cos a) >= weight is needed to rest at all; it is there for
    // every angle, and rests; with tan a <= mu squeezing forces can be added without end
    CHECK(view->velocities_unique);
    assert_int_equal(view->verdict, CAROM_FRICTION_SEVERAL);
    carom_friction_solution_destroy(s);
    dispose(&p);
  }
}

// A rod of mass 1 that slides on its lower end, W_NN - mu W_NT < 0 (Painleve): with b_N > 0 flight
// and contact are both solutions, with b_N < 0 there is none.
static void test_painleve(void **unused) {
  (void)unused;
  double angle = 1.0, j = 1.0 / 12.0, half = 0.5, mu = 2.5;
  double x = half * cos(angle), y = -half * sin(angle);
  // normal (0, 1), tangent (1, 0)
  double NN = 1 + x * x / j, NT = -x * y / j, TT = 1 + y * y / j;
  for (int side = -1; side <= 1; side += 2) {
    posed p = pose(2, 1);
    p.W[0] = NN;
    p.W[1] = p.W[2] = NT;
    p.W[3] = TT;
    p.q[0] = side;
    p.q[1] = 100.0;
    p.mu[0] = mu;
    CHECK(NN - mu * NT < 0.0);
    carom_friction_options o = ask(&p);
    carom_friction_solution *s = solve(&o);
    const carom_friction_view *view = carom_friction_solution_look(s);
    // the symmetric W of one body has the stick as a way out (an impact)
    assert_int_equal(view->verdict, side > 0 ? CAROM_FRICTION_SEVERAL : CAROM_FRICTION_ONE);
    if (side < 0) assert_int_equal(view->modes[0], CAROM_FRICTION_STICK);
    carom_friction_solution_destroy(s);
    // accelerations while the slip is given: forces change nothing of it
    p.W[2] = p.W[3] = 0.0;
    s = solve(&o);
    view = carom_friction_solution_look(s);
    assert_int_equal(view->verdict, side > 0 ? CAROM_FRICTION_SEVERAL : CAROM_FRICTION_NONE);
    assert_int_equal(view->found, side > 0);
    if (side > 0) {
      CHECK(!view->velocities_unique);
      double pressed = fmax(view->forces[0], view->other_forces[0]);
      CHECK_RELATIVE(pressed, -1.0 / (NN - mu * NT), 1e-12);
      CHECK_SAME(fmin(view->forces[0], view->other_forces[0]), 0.0);
    }
    carom_friction_solution_destroy(s);
    dispose(&p);
  }
}

// ---- up to twelve contacts, and beyond

// solutions exist by construction, W semidefinite of any rank: they are found, and the verdict does
// not contradict them
static void test_constructed(void **unused) {
  (void)unused;
  unsigned state = 5;
  for (int round = 0; round < 60; round++) {
    int n = 4 + round % 9;
    posed p = pose(2, n);
    random_matrix(&p, round % 2 ? 2 * n : n, &state);
    for (int i = 0; i < n; i++)
      p.mu[i] = 0.3 * (1.0 + noise(&state));
    construct(&p, &state);
    carom_friction_options o = ask(&p);
    o.prove = n <= 7;
    carom_friction_solution *s = solve(&o);
    const carom_friction_view *view = carom_friction_solution_look(s);
    CHECK(view->found);
    CHECK_NEAR(residual_of(&p, view->forces), 0.0, 1e-12);
    CHECK(view->verdict != CAROM_FRICTION_NONE && view->verdict != CAROM_FRICTION_NONE_FOUND);
    carom_friction_solution_destroy(s);
    dispose(&p);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_number_of_solutions),
      cmocka_unit_test(test_block_on_slope),
      cmocka_unit_test(test_ladder),
      cmocka_unit_test(test_wedge),
      cmocka_unit_test(test_painleve),
      cmocka_unit_test(test_constructed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
