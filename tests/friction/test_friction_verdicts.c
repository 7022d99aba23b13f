// SPDX-License-Identifier: MIT
// What is said of the number of solutions, for problems built to have none, one, two or infinitely
// many, up to twelve contacts and beyond; and by chance against a plain enumeration of all modes.
#include "check.h"

#include "all_modes.h"

// ---- problems with a known number of solutions

// One contact each, W = {{NN, NT}, {TN, TT}}: its solutions can be written down.
typedef struct alone {
  double W[4], q[2], mu;
} alone;

// holds; lifts off; pressed (slipping) or open; inconsistent: neither open nor pressed; never: no
// force at all lifts it
static const alone HOLDS = {{2, 0.3, 0.3, 1.5}, {-1, 0.2}, 0.5};
static const alone OPENS = {{2, 0.3, 0.3, 1.5}, {1, 0.2}, 0.5};
static const alone EITHER = {{1, 1, 0, 0}, {1, 10}, 2.5};
static const alone NEITHER = {{1, 1, 0, 0}, {-1, 10}, 2.5};
static const alone NEVER = {{-1, 0, 0, 1}, {-1, 0}, 0.1};

// contacts side by side in an order of their own, tied to each other by nothing
static posed side_by_side(int n, const alone *special, int times) {
  posed p = pose(2, n);
  for (int k = 0; k < n; k++) {
    int i = (5 * k + 3) % n;
    const alone *one = k < times ? special : k % 2 ? &HOLDS : &OPENS;
    for (int e = 0; e < 4; e++)
      p.W[(2 * i + e / 2) * 2 * n + 2 * i + e % 2] = one->W[e];
    p.q[2 * i] = one->q[0];
    p.q[2 * i + 1] = one->q[1];
    p.mu[i] = one->mu;
  }
  return p;
}

static void expect(const posed *p, carom_friction_verdict verdict, bool unique) {
  carom_friction_options o = ask(p);
  o.sweeps = 2000;
  carom_friction_solution *s = solve(&o);
  const carom_friction_view *view = carom_friction_solution_look(s);
  if (view->verdict != verdict)
    print_error("%d contacts: verdict %d (%s), expected %d\n", p->n, view->verdict, view->reason,
                verdict);
  assert_int_equal(view->verdict, verdict);
  bool none = verdict == CAROM_FRICTION_NONE || verdict == CAROM_FRICTION_NONE_FOUND;
  assert_int_equal(view->found, !none);
  assert_int_equal(view->velocities_unique, unique);
  if (!none) CHECK_NEAR(residual_of(p, view->forces), 0.0, 1e-12);
  if (verdict == CAROM_FRICTION_SEVERAL) CHECK_NEAR(residual_of(p, view->other_forces), 0.0, 1e-10);
  carom_friction_solution_destroy(s);
}

static void test_known_numbers(void **unused) {
  (void)unused;
  // up to twelve everything is proved; beyond, only what a stated condition gives
  const int sizes[] = {1, 3, 7, 11, 12, 13, 19};
  for (int k = 0; k < 7; k++) {
    int n = sizes[k];
    bool proved = n <= 12;
    posed one = side_by_side(n, &HOLDS, 1), two = side_by_side(n, &EITHER, 1),
          none = side_by_side(n, &NEITHER, 1), never = side_by_side(n, &NEVER, 1);
    expect(&one, CAROM_FRICTION_ONE, true); // definite less friction: proved for any number
    expect(&two, proved ? CAROM_FRICTION_SEVERAL : CAROM_FRICTION_ONE_FOUND, false);
    expect(&none, proved ? CAROM_FRICTION_NONE : CAROM_FRICTION_NONE_FOUND, false);
    expect(&never, CAROM_FRICTION_NONE, false); // no force keeps it from penetrating
    dispose(&one);
    dispose(&two);
    dispose(&none);
    dispose(&never);
  }
}

// a contact that is there twice shares its load in infinitely many ways, and moves in one
static void test_infinitely_many(void **unused) {
  (void)unused;
  for (int n = 2; n <= 16; n += 7) {
    posed p = side_by_side(n, &HOLDS, n);
    for (int a = 0; a < 2; a++)
      for (int e = 0; e < 2 * n; e++) // rows and columns of contact 1 are those of contact 0
        p.W[(2 + a) * 2 * n + e] = p.W[a * 2 * n + e];
    for (int a = 0; a < 2; a++)
      for (int e = 0; e < 2 * n; e++)
        p.W[e * 2 * n + 2 + a] = p.W[e * 2 * n + a];
    p.q[2] = p.q[0];
    p.q[3] = p.q[1];
    bool proved = n <= 12;
    expect(&p, proved ? CAROM_FRICTION_SEVERAL : CAROM_FRICTION_ONE_FOUND, proved);
    dispose(&p);
  }
}

// ---- by chance, against all modes one by one

static void test_by_chance(void **unused) {
  (void)unused;
  unsigned state = 77;
  int seen[3] = {0, 0, 0};
  for (int round = 0; round < 900; round++) {
    int n = 2 + round % 4;
    posed p = pose(2, n);
    random_matrix(&p, 2 * n + 1, &state);
    // every second W is neither symmetric nor definite
    for (int k = 0; k < 4 * n * n; k++)
      p.W[k] += (round % 2) * 1.2 * noise(&state);
    for (int k = 0; k < 2 * n; k++)
      p.q[k] = noise(&state);
    for (int i = 0; i < n; i++)
      p.mu[i] = (round % 3 == 0 ? 2.0 : 0.5) * (1.0 + noise(&state));
    static double all[64][ROWS];
    int count = enumerate(&p, all);
    expect(&p,
           count == 0   ? CAROM_FRICTION_NONE
           : count == 1 ? CAROM_FRICTION_ONE
                        : CAROM_FRICTION_SEVERAL,
           count == 1);
    seen[count > 2 ? 2 : count]++;
    dispose(&p);
  }
  for (int k = 0; k < 3; k++)
    CHECK(seen[k] > 20);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_known_numbers),
      cmocka_unit_test(test_infinitely_many),
      cmocka_unit_test(test_by_chance),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
