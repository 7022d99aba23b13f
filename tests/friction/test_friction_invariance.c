// SPDX-License-Identifier: MIT
// What may not matter to the friction solver does not: the order of contacts, the tangent axes,
// units, the side of a mirror, how the matrix is handed over. And the edges: contacts twice, no
// friction, much of it, rows of zeros, and what is no problem at all.
#include "check.h"

#include "friction_help.h"

static posed random_problem(int d, int n, unsigned seed) {
  unsigned state = seed;
  posed p = pose(d, n);
  random_matrix(&p, d * n + 2, &state);
  for (int i = 0; i < n; i++)
    p.mu[i] = 0.2 * (1.0 + noise(&state));
  construct(&p, &state);
  return p;
}

// row of component a of contact i is row `from[i]` of the other, turned by `turn` [d][d]
static posed transformed(const posed *p, const int *from, const double *turn, double force,
                         double speed) {
  int d = p->d, n = p->n, rows = d * n;
  posed t = pose(d, n);
  for (int i = 0; i < n; i++) {
    t.mu[i] = p->mu[from[i]];
    for (int a = 0; a < d; a++)
      for (int b = 0; b < d; b++)
        t.q[i * d + a] += speed * turn[a * d + b] * p->q[from[i] * d + b];
    for (int j = 0; j < n; j++)
      for (int a = 0; a < d; a++)
        for (int b = 0; b < d; b++)
          for (int c = 0; c < d; c++)
            for (int e = 0; e < d; e++)
              t.W[(i * d + a) * rows + j * d + b] +=
                  speed / force * turn[a * d + c] * turn[b * d + e] *
                  p->W[(from[i] * d + c) * rows + from[j] * d + e];
  }
  return t;
}

static void check_transformed(const posed *p, const int *from, const double *turn, double force,
                              double speed, double tolerance) {
  posed t = transformed(p, from, turn, force, speed);
  int d = p->d;
  carom_friction_options o = ask(p), u = ask(&t);
  o.prove = u.prove = false;
  carom_friction_solution *s = solve(&o), *other = solve(&u);
  const carom_friction_view *a = carom_friction_solution_look(s),
                            *b = carom_friction_solution_look(other);
  CHECK(a->found && b->found);
  for (int i = 0; i < p->n; i++)
    for (int c = 0; c < d; c++) {
      double expected = 0.0;
      for (int e = 0; e < d; e++)
        expected += force * turn[c * d + e] * a->forces[from[i] * d + e];
      CHECK_NEAR(b->forces[i * d + c], expected, tolerance * force);
    }
  carom_friction_solution_destroy(s);
  carom_friction_solution_destroy(other);
  dispose(&t);
}

static void test_transformations(void **unused) {
  (void)unused;
  for (unsigned seed = 1; seed < 30; seed++) {
    int d = 2 + (int)(seed % 2), n = 2 + (int)(seed % 7);
    posed p = random_problem(d, n, seed);
    int same[9], reversed[9];
    double plain[9] = {0}, mirror[9] = {0}, turned[9] = {0}, angle = 0.4 * seed;
    for (int i = 0; i < n; i++) {
      same[i] = i;
      reversed[i] = n - 1 - i;
    }
    for (int a = 0; a < d; a++)
      plain[a * d + a] = mirror[a * d + a] = turned[a * d + a] = 1.0;
    mirror[d + 1] = -1.0;
    if (d == 3) {
      turned[4] = turned[8] = cos(angle);
      turned[5] = -sin(angle);
      turned[7] = sin(angle);
    }
    check_transformed(&p, reversed, plain, 1.0, 1.0, 1e-10);
    check_transformed(&p, same, turned, 1.0, 1.0, 1e-10);
    check_transformed(&p, same, mirror, 1.0, 1.0, 0.0);
    // powers of four and two: to the last bit; others to rounding
    check_transformed(&p, same, plain, 4.0, 1.0 / 16.0, 0.0);
    check_transformed(&p, same, plain, 1e6, 1e-3, 1e-10);
    dispose(&p);
  }
}

static void test_blocks_as_dense(void **unused) {
  (void)unused;
  posed p = random_problem(3, 5, 77);
  int start[6], column[25];
  double block[25][9];
  for (int i = 0; i < 5; i++) {
    start[i] = 5 * i;
    for (int k = 0; k < 5; k++) {
      int j = 4 - k; // any order within a row
      column[5 * i + k] = j;
      for (int e = 0; e < 9; e++)
        block[5 * i + k][e] = p.W[(3 * i + e / 3) * 15 + 3 * j + e % 3];
    }
  }
  start[5] = 25;
  carom_friction_options o = ask(&p), b = ask(&p);
  b.W = NULL;
  b.block_start = start;
  b.block_column = column;
  b.block = &block[0][0];
  carom_friction_solution *s = solve(&o), *t = solve(&b);
  for (int k = 0; k < 15; k++)
    CHECK_SAME(carom_friction_solution_look(s)->forces[k],
               carom_friction_solution_look(t)->forces[k]);
  carom_friction_solution_destroy(s);
  carom_friction_solution_destroy(t);
  dispose(&p);
}

// a contact that is there twice: the sum of its forces is what it was
static void test_contact_twice(void **unused) {
  (void)unused;
  for (unsigned seed = 1; seed < 20; seed++) {
    int d = 2 + (int)(seed % 2), n = 3, rows = d * n;
    posed p = random_problem(d, n, seed + 100), twice = pose(d, n + 1);
    for (int i = 0; i <= n; i++) {
      int from = i % n;
      twice.mu[i] = p.mu[from];
      for (int a = 0; a < d; a++) {
        twice.q[i * d + a] = p.q[from * d + a];
        for (int j = 0; j <= n; j++)
          for (int b = 0; b < d; b++)
            twice.W[(i * d + a) * (rows + d) + j * d + b] =
                p.W[(from * d + a) * rows + (j % n) * d + b];
      }
    }
    carom_friction_options o = ask(&p), t = ask(&twice);
    carom_friction_solution *s = solve(&o), *u = solve(&t);
    const carom_friction_view *a = carom_friction_solution_look(s),
                              *b = carom_friction_solution_look(u);
    CHECK(b->found);
    CHECK_NEAR(residual_of(&twice, b->forces), 0.0, 1e-12);
    if (d == 2 && a->verdict == CAROM_FRICTION_ONE) {
      CHECK(b->velocities_unique);
      for (int k = 0; k < rows; k++)
        CHECK_NEAR(b->velocities[k], a->velocities[k], 1e-10);
      assert_int_equal(b->verdict,
                       a->forces[0] > 1e-9 ? CAROM_FRICTION_SEVERAL : CAROM_FRICTION_ONE);
    }
    carom_friction_solution_destroy(s);
    carom_friction_solution_destroy(u);
    dispose(&p);
    dispose(&twice);
  }
}

// without friction: the linear complementarity problem; with much: nothing slips
static void test_extreme_friction(void **unused) {
  (void)unused;
  for (unsigned seed = 1; seed < 30; seed++)
    for (int much = 0; much < 2; much++) {
      int d = 2 + (int)(seed % 2), n = 1 + (int)(seed % 5);
      posed p = random_problem(d, n, seed + 200);
      for (int i = 0; i < n; i++)
        p.mu[i] = much ? 1e3 : 0.0;
      carom_friction_options o = ask(&p);
      carom_friction_solution *s = solve(&o);
      const carom_friction_view *view = carom_friction_solution_look(s);
      CHECK(view->found);
      CHECK_NEAR(residual_of(&p, view->forces), 0.0, 1e-12);
      for (int i = 0; i < n && !much; i++)
        for (int a = 1; a < d; a++)
          CHECK_SAME(view->forces[i * d + a], 0.0);
      carom_friction_solution_destroy(s);
      dispose(&p);
    }
}

// contacts that forces do not move: they are open where q_N >= 0, else there is no solution
static void test_rows_of_zeros(void **unused) {
  (void)unused;
  for (int d = 2; d <= 3; d++)
    for (int side = -1; side <= 1; side += 2) {
      posed p = random_problem(d, 4, 9);
      for (int a = 0; a < d; a++) {
        p.q[2 * d + a] = side;
        for (int k = 0; k < 4 * d; k++)
          p.W[(2 * d + a) * 4 * d + k] = p.W[k * 4 * d + 2 * d + a] = 0.0;
      }
      carom_friction_options o = ask(&p);
      o.sweeps = 1000;
      carom_friction_solution *s = solve(&o);
      const carom_friction_view *view = carom_friction_solution_look(s);
      assert_int_equal(view->found, side > 0);
      if (side < 0) assert_int_equal(view->verdict, CAROM_FRICTION_NONE);
      if (side < 0) assert_int_equal(view->worst, 2);
      carom_friction_solution_destroy(s);
      dispose(&p);
    }
  // nothing at all: every force is as good
  posed p = pose(3, 2);
  carom_friction_options o = ask(&p);
  carom_friction_solution *s = solve(&o);
  CHECK(carom_friction_solution_look(s)->found);
  CHECK_SAME(carom_friction_solution_look(s)->residual, 0.0);
  carom_friction_solution_destroy(s);
  o.contacts = 0;
  s = solve(&o);
  CHECK(carom_friction_solution_look(s)->found);
  carom_friction_solution_destroy(s);
  dispose(&p);
}

static void refuse(const carom_friction_options *o, carom_status status, const char *word) {
  carom_error error = {0};
  carom_friction_solution *s = (carom_friction_solution *)&error;
  assert_int_equal(carom_friction_solve(o, &s, &error), status);
  CHECK(s == NULL);
  if (!strstr(error.text, word)) print_error("'%s' without '%s'\n", error.text, word);
  CHECK(strstr(error.text, word) != NULL);
}

static void test_refused(void **unused) {
  (void)unused;
  posed p = random_problem(3, 3, 5);
  carom_friction_options o = ask(&p), bad = o;
  bad.size = 3;
  refuse(&bad, CAROM_ERR_ARGUMENT, "carom_friction_options");
  bad = o;
  bad.dimension = 4;
  refuse(&bad, CAROM_ERR_ARGUMENT, "dimension is 4");
  bad = o;
  bad.contacts = -1;
  refuse(&bad, CAROM_ERR_ARGUMENT, "-1 contacts");
  bad = o;
  bad.q = NULL;
  refuse(&bad, CAROM_ERR_ARGUMENT, "q, mu");
  bad = o;
  bad.tolerance = NAN;
  refuse(&bad, CAROM_ERR_ARGUMENT, "tolerance");
  double *place[] = {&p.mu[1], &p.floor[2]};
  for (int k = 0; k < 2; k++) {
    double kept = *place[k];
    *place[k] = -1.0;
    refuse(&o, CAROM_ERR_ARGUMENT, k ? "floor of contact 2" : "mu of contact 1");
    *place[k] = NAN;
    refuse(&o, CAROM_ERR_ARGUMENT, k ? "floor of contact 2" : "mu of contact 1");
    *place[k] = kept;
  }
  p.q[4] = NAN;
  refuse(&o, CAROM_ERR_NONFINITE, "q is not finite at contact 1");
  p.q[4] = 0.0;
  p.W[10] = INFINITY;
  refuse(&o, CAROM_ERR_NONFINITE, "row 1, column 1");
  p.W[10] = 0.0;
  int start[4] = {0, 1, 2, 3}, column[3] = {0, 1, 5};
  double block[27] = {0};
  o.W = NULL;
  o.block_start = start;
  o.block_column = column;
  o.block = block;
  refuse(&o, CAROM_ERR_ARGUMENT, "names contact 5 of 3");
  column[2] = 2;
  block[20] = NAN;
  refuse(&o, CAROM_ERR_NONFINITE, "between contacts 2 and 2");
  start[2] = 0;
  refuse(&o, CAROM_ERR_ARGUMENT, "block_start");
  dispose(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_transformations), cmocka_unit_test(test_blocks_as_dense),
      cmocka_unit_test(test_contact_twice),   cmocka_unit_test(test_extreme_friction),
      cmocka_unit_test(test_rows_of_zeros),   cmocka_unit_test(test_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
