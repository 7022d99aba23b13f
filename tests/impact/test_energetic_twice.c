// SPDX-License-Identifier: MIT
/// A contact of the energetic law that is written twice or three times, with its stiffness shared
/// out, is the same contact: its copies reach the end of compression together, and what is then
/// left of them for e = 0 must be the limit of small e for all at once. So must it be for contacts
/// that are each other's mirror image.
#include "energetic_setup.h"

enum { CASES = 1000, MIRRORED = 150, LONG = 1000 };

static const double SMALL = 1e-6; // e in place of 0

static uint64_t seed;
static double uniform(void) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(seed >> 11) / 9007199254740992.0;
}
static double between(double lo, double hi) { return lo + (hi - lo) * uniform(); }

// random contacts, half of them with e = 0
static void random_impact(setup *s, int contacts, double mu) {
  int freedom = contacts + 1;
  begin(s, freedom);
  for (int k = 0; k < freedom; k++)
    s->u[k] = between(-1, 1);
  for (int i = 0; i < contacts; i++) {
    double wn[MAX_FREEDOM], wt[MAX_FREEDOM];
    for (int k = 0; k < freedom; k++) {
      wn[k] = between(-1, 1);
      wt[k] = between(-1, 1);
    }
    int c = contact(s, wn, mu > 0.0 ? wt : NULL, uniform() < 0.5 ? 0.0 : uniform(), mu, mu);
    s->exponent[c] = uniform() < 0.5 ? 1.5 : 1.0;
    s->stiffness[c] = between(0.2, 5.0);
  }
}

// the same with contact `which` written `copies` times; shares of its stiffness by chance
static void copy_contact(setup *s, int which, int copies) {
  const carom_impact_problem *p = &s->p.impact;
  double all = s->stiffness[which], left = all;
  for (int k = 1; k < copies; k++) {
    double wn[MAX_FREEDOM], wt[MAX_FREEDOM];
    memcpy(wn, s->W[p->normal[which]], sizeof wn);
    bool rough = p->tangent[which] >= 0;
    if (rough) memcpy(wt, s->W[p->tangent[which]], sizeof wt);
    int c = contact(s, wn, rough ? wt : NULL, s->e[which], s->stick[which], s->slide[which]);
    s->exponent[c] = s->exponent[which];
    s->stiffness[c] = all * between(0.1, 0.9) / copies;
    left -= s->stiffness[c];
  }
  s->stiffness[which] = left;
}

// Velocities of the first rows after the impact; false: it never ends, or takes so many steps that
// its last digits are nobody's.
static bool outcome(setup *s, int rows, double *after) {
  assemble(s);
  carom_energetic_result result;
  if (carom_energetic_solve(&s->p, &s->o, work, &result) != CAROM_OK) return false;
  memcpy(after, result.after, (size_t)rows * sizeof *after);
  return result.steps < LONG;
}

static double distance(int rows, const double *a, const double *b) {
  double most = 0.0;
  for (int r = 0; r < rows; r++)
    most = fmax(most, fabs(a[r] - b[r]));
  return most;
}

// a setup of its own
static void duplicate(const setup *from, setup *to) {
  begin(to, from->freedom);
  carom_energetic_problem p = to->p;
  *to = *from;
  p.impact.rows = from->p.impact.rows;
  p.impact.contacts = from->p.impact.contacts;
  to->p = p;
}

static void raise_restitution(setup *s, double e) {
  for (int i = 0; i < s->p.impact.contacts; i++)
    s->e[i] = fmax(s->e[i], e);
}

static double friction_of(int k) { return k % 2 ? 0.4 : 0.0; }

// a random impact, one contact with e = 0 as a rule, and the same with copies of it
static int random_copies(setup *one, setup *many, int k) {
  random_impact(one, 2 + (int)(3.0 * uniform()), friction_of(k));
  int which = (int)(one->p.impact.contacts * uniform());
  if (uniform() < 0.8) one->e[which] = 0.0;
  duplicate(one, many);
  copy_contact(many, which, 2 + k / 2 % 2);
  return which;
}

static void test_copies_change_nothing(void **state) {
  (void)state;
  static setup one, many;
  seed = 5;
  int used = 0;
  for (int k = 0; k < CASES; k++) {
    random_copies(&one, &many, k);
    double single[MAX_ROWS], copied[MAX_ROWS];
    int rows = one.p.impact.rows;
    if (!outcome(&one, rows, single) || !outcome(&many, rows, copied)) continue;
    used++;
    check_near(distance(rows, single, copied), 0.0, 1e-9, "copies", __FILE__, __LINE__);
  }
  assert_true(used > CASES - CASES / 20);
}

// Copies of one contact with e = 0, and of those one with another e: the limit of small e. What is
// left out is documented: velocities change by less than 4 e as a rule, by a root of it where
// something only just happens.
static void compare_limit(setup *s, int *used, int *far) {
  static setup near;
  duplicate(s, &near);
  raise_restitution(&near, SMALL);
  double at[MAX_ROWS], beside[MAX_ROWS];
  int rows = s->p.impact.rows;
  if (!outcome(s, rows, at) || !outcome(&near, rows, beside)) return;
  (*used)++;
  double d = distance(rows, at, beside);
  if (d > 20.0 * SMALL) (*far)++;
  check_near(d, 0.0, 1e-4, "e to 0", __FILE__, __LINE__);
}

static void test_limit_of_small_restitution(void **state) {
  (void)state;
  static setup one, many;
  seed = 6;
  int used = 0, far = 0;
  for (int k = 0; k < CASES; k++) {
    int which = random_copies(&one, &many, k);
    if (k % 3 == 0) many.e[which] = uniform();
    compare_limit(&many, &used, &far);
  }
  assert_true(used > CASES - CASES / 20);
  assert_true(far <= CASES / 500);
}

// a body on two feet, each the other's mirror image: it leaves as it came, without turning
static void test_mirror_images(void **state) {
  (void)state;
  static setup s;
  seed = 7;
  int used = 0, far = 0;
  for (int k = 0; k < MIRRORED; k++) {
    begin(&s, 3); // up, turn, a mass on top
    double lever = between(0.2, 3.0), mu = 0.5 * friction_of(k), height = between(0.1, 2.0);
    s.mass[1] = between(0.2, 1.0);
    s.mass[2] = between(0.2, 5.0);
    s.u[0] = -between(0.0, 1.0);
    s.u[2] = -between(0.0, 3.0);
    for (int side = -1; side <= 1; side += 2) {
      double wn[3] = {1.0, side * lever, 0.0}, wt[3] = {side * 0.5, height, 0.0};
      contact(&s, wn, mu > 0.0 ? wt : NULL, 0.0, mu, mu);
    }
    double top[3] = {-1.0, 0.0, 1.0};
    int c = contact(&s, top, NULL, uniform(), 0.0, 0.0);
    s.stiffness[c] = between(0.05, 20.0);
    double after[MAX_ROWS];
    int rows = s.p.impact.rows;
    if (outcome(&s, rows, after)) {
      check_near(after[0], after[s.normal[1]], 1e-12, "mirror", __FILE__, __LINE__);
      compare_limit(&s, &used, &far);
    }
  }
  assert_true(used > MIRRORED / 3);
  assert_int_equal(far, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_copies_change_nothing),
                                     cmocka_unit_test(test_limit_of_small_restitution),
                                     cmocka_unit_test(test_mirror_images)};
  return cmocka_run_group_tests(tests, start, finish);
}
