// SPDX-License-Identifier: MIT
/// A campaign of random impacts of one to eight contacts, half of them caged by more contacts than
/// freedoms: restitution from 0 to 1, friction up to 1.5, stiffness ratios up to 1000, exponents
/// from 1 to 2.5. Each ends, or is reported as one that never does; energy is never gained; the
/// mirrored problem has the mirrored outcome, to the last bit. An argument asks for more impacts
/// and prints the counts: `test_energetic_campaign 2000`.
#include "energetic_setup.h"

#include <stdlib.h>

static int impacts = 136;
static bool talks;

static uint64_t seed;
static double uniform(void) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(seed >> 11) / 9007199254740992.0;
}
static double between(double lo, double hi) { return lo + (hi - lo) * uniform(); }

typedef enum sort { ANY, EXTREME, LOSSLESS, PLANE } sort; // e any, often 0 or 1; a plane body

// a contact of a body in the plane at a random place
static void plane_rows(double *wn, double *wt) {
  double angle = between(0.0, 6.2831853), x = between(-1.0, 1.0), y = between(-1.0, 1.0);
  double c = cos(angle), s = sin(angle);
  const double normal[3] = {c, s, x * s - y * c}, tangent[3] = {-s, c, x * c + y * s};
  memcpy(wn, normal, sizeof normal);
  memcpy(wt, tangent, sizeof tangent);
}

static void add_contact(setup *s, sort kind) {
  double wn[MAX_FREEDOM], wt[MAX_FREEDOM];
  for (int k = 0; k < s->freedom; k++) {
    wn[k] = between(-1.0, 1.0);
    wt[k] = between(-1.0, 1.0);
  }
  if (kind == PLANE && s->freedom == 3) plane_rows(wn, wt);
  double slide = 1.5 * uniform(), stick = slide * (uniform() < 0.5 ? 1.0 : between(1.0, 1.5));
  double e = uniform();
  if (kind == EXTREME) e = uniform() < 0.5 ? 0.0 : uniform() < 0.5 ? 1.0 : e;
  bool smooth = kind == LOSSLESS;
  int c = contact(s, wn, smooth ? NULL : wt, smooth ? 1.0 : e, smooth ? 0.0 : stick,
                  smooth ? 0.0 : slide);
  s->stiffness[c] = exp(between(-0.5, 0.5) * log(1e3));
  s->exponent[c] = uniform() < 0.4 ? 1.5 : uniform() < 0.3 ? 1.0 : between(1.0, 2.5);
}

static sort make(setup *s, int trial) {
  seed = 77u + 1000003u * (uint64_t)trial;
  for (int i = 0; i < 5; i++)
    uniform();
  int contacts = 1 + trial % 8, less = contacts > 2 ? contacts - 1 : 1;
  bool caged = trial / 8 % 2;
  int freedom = caged ? 2 + (int)(uniform() * less) : contacts + 1 + (int)(uniform() * 4.0);
  sort kind = (sort)(trial / 16 % 4);
  begin(s, freedom);
  for (int k = 0; k < freedom; k++) {
    s->mass[k] = between(0.5, 2.0);
    s->u[k] = between(-1.0, 1.0);
  }
  for (int i = 0; i < contacts; i++)
    add_contact(s, kind);
  assemble(s);
  return kind;
}

// the same impact with all tangents turned round
static void mirror(const setup *s, setup *t) {
  *t = *s;
  begin(t, s->freedom);
  memcpy(t->mass, s->mass, sizeof s->mass);
  memcpy(t->u, s->u, sizeof s->u);
  for (int i = 0; i < s->p.impact.contacts; i++) {
    double turned[MAX_FREEDOM];
    for (int k = 0; k < s->freedom && s->tangent[i] >= 0; k++)
      turned[k] = -s->W[s->tangent[i]][k];
    int c = contact(t, s->W[s->normal[i]], s->tangent[i] >= 0 ? turned : NULL, s->e[i], s->stick[i],
                    s->slide[i]);
    t->stiffness[c] = s->stiffness[i];
    t->exponent[c] = s->exponent[i];
  }
  assemble(t);
}

static void check_mirror(const setup *s, const carom_energetic_result *r, carom_status status) {
  static setup t;
  double after[MAX_ROWS], impulse[MAX_ROWS];
  memcpy(after, r->after, sizeof(double) * (size_t)s->p.impact.rows);
  memcpy(impulse, r->impulse, sizeof(double) * (size_t)s->p.impact.rows);
  carom_energetic_result turned;
  mirror(s, &t);
  assert_int_equal(carom_energetic_solve(&t.p, &t.o, work, &turned), status);
  for (int i = 0; i < s->p.impact.contacts; i++) {
    int n = s->normal[i], f = s->tangent[i];
    CHECK_SAME(turned.after[n], after[n]);
    CHECK_SAME(turned.impulse[n], impulse[n]);
    if (f < 0) continue;
    CHECK_SAME(turned.after[f], -after[f]);
    CHECK_SAME(turned.impulse[f], -impulse[f]);
  }
}

static void check_outcome(setup *s, const carom_energetic_result *r, sort kind, double before) {
  for (int k = 0; k < s->freedom; k++)
    for (int q = 0; q < s->p.impact.rows; q++)
      s->u[k] += s->W[q][k] * r->impulse[q] / s->mass[k];
  double energy = kinetic(s);
  CHECK(energy <= before * (1.0 + 1e-12));
  CHECK_NEAR(before - energy, losses(s, r), 1e-11 * before);
  if (kind == LOSSLESS) CHECK_NEAR(energy, before, 1e-12 * before);
  for (int i = 0; i < s->p.impact.contacts; i++) {
    CHECK(r->after[s->normal[i]] >= 0.0);
    CHECK(r->impulse[s->normal[i]] >= 0.0);
  }
}

static void test_campaign(void **state) {
  (void)state;
  static setup s;
  int finished = 0, never = 0, exhausted = 0;
  for (int trial = 0; trial < impacts; trial++) {
    sort kind = make(&s, trial);
    double before = kinetic(&s);
    carom_energetic_result result;
    carom_status status = carom_energetic_solve(&s.p, &s.o, work, &result);
    finished += status == CAROM_OK;
    never += status == CAROM_ERR_NO_CONVERGENCE;
    exhausted += status == CAROM_ERR_LIMIT;
    setup copy = s;
    if (status == CAROM_OK) check_outcome(&copy, &result, kind, before);
    if (trial % 3 == 0) {
      carom_energetic_solve(&s.p, &s.o, work, &result);
      check_mirror(&s, &result, status);
    }
  }
  if (talks)
    print_message("finished %d, never end %d, limit of steps %d\n", finished, never, exhausted);
  assert_int_equal(finished + never + exhausted, impacts);
  CHECK(finished > 0.8 * impacts);
  CHECK(exhausted <= impacts / 500);
}

// ---- cages

// a point in the plane between walls whose normals stand at these angles
static void cage(setup *s, int walls, const double *angles, double e) {
  begin(s, 2);
  s->u[0] = 0.3;
  s->u[1] = -0.8;
  for (int i = 0; i < walls; i++) {
    const double wn[2] = {cos(angles[i]), sin(angles[i])};
    contact(s, wn, NULL, e, 0.0, 0.0);
  }
  assemble(s);
}

// walls all round: without loss never at rest, and told early; with loss at rest in the end
static void test_cage(void **state) {
  (void)state;
  static setup s;
  const double round[3] = {0.3, 2.2, 4.4}, wedge[3] = {0.3, 1.2, 3.3};
  carom_energetic_result result;
  cage(&s, 3, round, 1.0);
  assert_int_equal(carom_energetic_solve(&s.p, &s.o, work, &result), CAROM_ERR_NO_CONVERGENCE);
  assert_int_equal(result.end, CAROM_ENERGETIC_LOCKED);
  CHECK(result.steps < 200);
  cage(&s, 3, round, 0.6);
  assert_int_equal(carom_energetic_solve(&s.p, &s.o, work, &result), CAROM_OK);
  for (int i = 0; i < 3; i++)
    CHECK_NEAR(result.after[i], 0.0, 1e-11);
  // a wedge, however narrow, lets go
  cage(&s, 3, wedge, 1.0);
  double before = kinetic(&s);
  assert_int_equal(carom_energetic_solve(&s.p, &s.o, work, &result), CAROM_OK);
  CHECK_NEAR(result.energy, 0.0, 1e-12 * before);
}

// two walls face to face: one direction is caged, along the other the point goes on
static void test_slit(void **state) {
  (void)state;
  static setup s;
  const double slit[2] = {0.5, 0.5 + 3.14159265358979323846};
  carom_energetic_result result;
  for (int k = 0; k < 2; k++) {
    cage(&s, 2, slit, k ? 0.5 : 1.0);
    carom_status status = carom_energetic_solve(&s.p, &s.o, work, &result);
    assert_int_equal(status, k ? CAROM_OK : CAROM_ERR_NO_CONVERGENCE);
    if (k == 0) CHECK(result.steps < 200);
    if (k == 1) CHECK_NEAR(result.after[0], 0.0, 1e-11);
  }
}

// elastic contacts that stick hold a spring between them: no loss, no end
static void test_stuck_swing(void **state) {
  (void)state;
  static setup s;
  begin(&s, 2);
  const double left[2] = {1.0, 0.2}, right[2] = {-1.0, 0.2}, up[2] = {0.0, 1.0};
  contact(&s, left, up, 1.0, 5.0, 5.0);
  contact(&s, right, up, 1.0, 5.0, 5.0);
  s.u[0] = -1.0;
  s.u[1] = -0.4;
  assemble(&s);
  carom_energetic_result result;
  assert_int_equal(carom_energetic_solve(&s.p, &s.o, work, &result), CAROM_ERR_NO_CONVERGENCE);
  CHECK(result.steps < 5000);
}

int main(int count, char **arguments) {
  if (count > 1) impacts = atoi(arguments[1]);
  talks = count > 1;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_campaign),
      cmocka_unit_test(test_cage),
      cmocka_unit_test(test_slit),
      cmocka_unit_test(test_stuck_swing),
  };
  return cmocka_run_group_tests(tests, start, finish);
}
