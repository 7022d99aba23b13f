// SPDX-License-Identifier: MIT
/// The energetic law on random impacts of up to eight contacts with unequal stiffness, exponent,
/// friction and restitution: energy balance, bounds, mirror images, and a second opinion by brute
/// force: the same compliant law marched with tiny steps in generalized velocities.
#include "energetic_setup.h"

static uint64_t seed = 11;
static double uniform(void) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(seed >> 11) / 9007199254740992.0;
}
static double between(double lo, double hi) { return lo + (hi - lo) * uniform(); }

static void random_impact(setup *s, int freedom, int contacts, double mu, double ratio) {
  begin(s, freedom);
  for (int k = 0; k < freedom; k++) {
    s->mass[k] = between(0.5, 2.0);
    s->u[k] = between(-1, 1);
  }
  for (int i = 0; i < contacts; i++) {
    double wn[MAX_FREEDOM], wt[MAX_FREEDOM];
    for (int k = 0; k < freedom; k++) {
      wn[k] = between(-1, 1);
      wt[k] = between(-1, 1);
    }
    double slide = mu * uniform();
    int c = contact(s, wn, mu > 0.0 ? wt : NULL, uniform(), slide, slide);
    s->stiffness[c] = exp(between(-1, 1) * log(ratio));
    s->exponent[c] = uniform() < 0.5 ? 1.5 : uniform() < 0.5 ? 1.0 : between(0.8, 2.5);
    // some contacts are closed already
    if (uniform() < 0.3) {
      double v = 0.0, size = 0.0;
      for (int k = 0; k < freedom; k++) {
        v += wn[k] * s->u[k];
        size += wn[k] * wn[k];
      }
      for (int k = 0; k < freedom && i == 0; k++)
        s->u[k] -= v * wn[k] / size;
    }
  }
}

// ---- brute force

typedef struct brute {
  double x[8], u[MAX_FREEDOM], T[8];
} brute;

static double row(const setup *s, int r, const double *u) {
  double sum = 0.0;
  for (int k = 0; k < s->freedom; k++)
    sum += s->W[r][k] * u[k];
  return sum;
}

static void push(const setup *s, int r, double impulse, double *u) {
  for (int k = 0; k < s->freedom; k++)
    u[k] += s->W[r][k] * impulse / s->mass[k];
}

// friction impulses of one step by projected sweeps: v_T = 0 after it, or sliding against it
static void rub(const setup *s, const double *F, double dt, brute *b) {
  int n = s->p.impact.contacts;
  for (int i = 0; i < n; i++) {
    double bound = s->slide[i] * F[i] * dt;
    b->T[i] = fmax(-bound, fmin(bound, b->T[i]));
    if (s->tangent[i] >= 0) push(s, s->tangent[i], b->T[i], b->u);
  }
  for (int sweep = 0; sweep < 200; sweep++) {
    double most = 0.0;
    for (int i = 0; i < n; i++) {
      int t = s->tangent[i];
      if (t < 0) continue;
      double bound = s->slide[i] * F[i] * dt, own = s->G[t * s->p.impact.rows + t];
      double next = b->T[i] - row(s, t, b->u) / own;
      next = fmax(-bound, fmin(bound, next));
      push(s, t, next - b->T[i], b->u);
      most = fmax(most, fabs(next - b->T[i]));
      b->T[i] = next;
    }
    if (most < 1e-9 * dt) break;
  }
}

// leapfrog in x and u; returns false when it does not end
static bool march(const setup *s, double dt, brute *b) {
  int n = s->p.impact.contacts;
  *b = (brute){.x = {0}};
  memcpy(b->u, s->u, sizeof s->u);
  for (long step = 0; step < 4000000; step++) {
    double F[8];
    bool busy = false;
    for (int i = 0; i < n; i++) {
      double v = row(s, s->normal[i], b->u), eta = v > 0.0 ? s->e[i] * s->e[i] : 1.0;
      b->x[i] = fmax(0.0, b->x[i] - dt * v / eta);
      F[i] = b->x[i] > 0.0 ? s->stiffness[i] * pow(b->x[i], s->exponent[i]) : 0.0;
      busy = busy || b->x[i] > 0.0 || v < -1e-9;
    }
    if (!busy) return true;
    for (int i = 0; i < n; i++)
      push(s, s->normal[i], F[i] * dt, b->u);
    rub(s, F, dt, b);
  }
  return false;
}

// the error of the fine march is about what it differs from the coarse one
static void compare(setup *s, double mu, int *used) {
  setup fresh = *s;
  assemble(s);
  carom_energetic_result result;
  carom_status status = carom_energetic_solve(&s->p, &s->o, work, &result);
  if (status == CAROM_ERR_NO_CONVERGENCE || status == CAROM_ERR_LIMIT) return;
  assert_int_equal(status, CAROM_OK);
  if (result.closed_form && result.events == 0) return;
  (void)mu;
  fresh.p = s->p;
  memcpy(fresh.G, s->G, sizeof s->G);
  brute coarse, fine;
  double dt = 2e-3;
  if (!march(&fresh, dt, &coarse) || !march(&fresh, dt / 2.0, &fine)) return;
  (*used)++;
  for (int r = 0; r < s->p.impact.rows; r++) {
    double a = row(s, r, coarse.u), b = row(s, r, fine.u);
    check_near(result.after[r], b, 4.0 * fabs(a - b) + 4e-3, "velocity after", __FILE__, __LINE__);
  }
}

static void test_brute_force(void **state) {
  (void)state;
  int used = 0;
  static setup s;
  for (int trial = 0; trial < 21; trial++) {
    int contacts = 2 + trial % 7;
    double mu = trial % 3 == 0 ? 0.0 : 0.6;
    random_impact(&s, contacts + 2, contacts, mu, 10.0);
    for (int i = 0; i < contacts; i++)
      s.e[i] = between(0.3, 1.0);
    compare(&s, mu, &used);
  }
  assert_true(used > 15);
}

// ---- invariants

static void test_energy(void **state) {
  (void)state;
  static setup s;
  int locked = 0, integrated = 0;
  for (int trial = 0; trial < 400; trial++) {
    // enough freedom to get out; a few are locked all the same, by friction
    int contacts = 2 + trial % 7, freedom = contacts + (int)(uniform() * 4);
    random_impact(&s, freedom, contacts, trial % 4 ? 1.0 : 0.0, 100.0);
    // stick above slip, and tangents that depend on each other
    for (int i = 0; i < contacts; i++)
      s.stick[i] *= between(1.0, 1.5);
    s.o.max_steps = 4000;
    double before = kinetic(&s);
    assemble(&s);
    carom_energetic_result result;
    carom_status status = carom_energetic_solve(&s.p, &s.o, work, &result);
    if (status == CAROM_ERR_NO_CONVERGENCE || status == CAROM_ERR_LIMIT) {
      locked++;
      continue;
    }
    assert_int_equal(status, CAROM_OK);
    integrated += !result.closed_form;
    for (int k = 0; k < freedom; k++)
      for (int r = 0; r < s.p.impact.rows; r++)
        s.u[k] += s.W[r][k] * result.impulse[r] / s.mass[k];
    double lost = before - kinetic(&s);
    CHECK_NEAR(lost, losses(&s, &result), 4e-12 * before);
    CHECK_NEAR(-result.energy, lost, 1e-12 * before);
    for (int i = 0; i < contacts; i++) {
      CHECK(result.lost[i] >= -1e-13 * before && result.rubbed[i] >= -1e-13 * before);
      CHECK(result.impulse[s.normal[i]] >= 0.0);
      CHECK(result.after[s.normal[i]] >= -1e-12);
      if (s.tangent[i] >= 0)
        CHECK(fabs(result.impulse[s.tangent[i]]) <=
              s.stick[i] * result.impulse[s.normal[i]] * (1.0 + 1e-9) + 1e-13);
    }
  }
  CHECK(locked < 40);
  CHECK(integrated > 200);
}

// without friction and loss the energy is kept, and velocities go back when reversed
static void test_elastic(void **state) {
  (void)state;
  static setup s;
  for (int trial = 0; trial < 100; trial++) {
    int contacts = 2 + trial % 7;
    random_impact(&s, contacts + 2, contacts, 0.0, 100.0);
    for (int i = 0; i < contacts; i++)
      s.e[i] = 1.0;
    double before = kinetic(&s);
    solve(&s);
    CHECK_NEAR(kinetic(&s), before, 4e-12 * before);
  }
}

// tangents turned round: the same outcome, turned, to the last bit
static void test_mirror(void **state) {
  (void)state;
  static setup s, t;
  for (int trial = 0; trial < 100; trial++) {
    int contacts = 2 + trial % 7;
    random_impact(&s, contacts + 1, contacts, 0.8, 10.0);
    t = s;
    t.p = (carom_energetic_problem){0};
    begin(&t, s.freedom);
    memcpy(t.mass, s.mass, sizeof s.mass);
    memcpy(t.u, s.u, sizeof s.u);
    for (int i = 0; i < contacts; i++) {
      double turned[MAX_FREEDOM];
      for (int k = 0; k < s.freedom; k++)
        turned[k] = -s.W[s.tangent[i]][k];
      int c = contact(&t, s.W[s.normal[i]], turned, s.e[i], s.stick[i], s.slide[i]);
      t.stiffness[c] = s.stiffness[i];
      t.exponent[c] = s.exponent[i];
    }
    assemble(&s);
    assemble(&t);
    carom_energetic_result result;
    carom_status status = carom_energetic_solve(&s.p, &s.o, work, &result);
    double after[MAX_ROWS], impulse[MAX_ROWS];
    memcpy(after, result.after, sizeof(double) * (size_t)s.p.impact.rows);
    memcpy(impulse, result.impulse, sizeof(double) * (size_t)s.p.impact.rows);
    assert_int_equal(status, carom_energetic_solve(&t.p, &t.o, work, &result));
    for (int i = 0; i < contacts; i++) {
      CHECK_SAME(result.after[s.normal[i]], after[s.normal[i]]);
      CHECK_SAME(result.after[s.tangent[i]], -after[s.tangent[i]]);
      CHECK_SAME(result.impulse[s.tangent[i]], -impulse[s.tangent[i]]);
    }
  }
}

// largest difference of the velocities after two solutions of the same impact, of the largest
// before
static double solved(setup *s, double *after) {
  assemble(s);
  carom_energetic_result result;
  if (carom_energetic_solve(&s->p, &s->o, work, &result) != CAROM_OK) return NAN;
  double off = 0.0, most = 0.0;
  for (int r = 0; r < s->p.impact.rows; r++) {
    off = fmax(off, fabs(result.after[r] - after[r]));
    most = fmax(most, fabs(s->v[r]));
    after[r] = result.after[r];
  }
  return off / most;
}

// Gaps and slips told in other units, by a factor for each contact, and time in another one for all
// (the stiffness such that the energies are as they were): bodies move as before.
static void test_units(void **state) {
  (void)state;
  static setup s, t;
  int used = 0;
  for (int trial = 0; trial < 60; trial++) {
    int contacts = 2 + trial % 4;
    random_impact(&s, contacts + 2, contacts, trial % 3 ? 0.7 : 0.0, 10.0);
    begin(&t, s.freedom);
    memcpy(t.mass, s.mass, sizeof s.mass);
    double pace = uniform() < 0.5 ? 1e4 : 1e-4;
    for (int k = 0; k < s.freedom; k++)
      t.u[k] = pace * s.u[k];
    for (int i = 0; i < contacts; i++) {
      double normal[MAX_FREEDOM], tangent[MAX_FREEDOM], unit = uniform() < 0.5 ? 1e5 : 1e-5;
      for (int k = 0; k < s.freedom; k++) {
        normal[k] = unit * s.W[s.normal[i]][k];
        tangent[k] = s.tangent[i] < 0 ? 0.0 : unit * s.W[s.tangent[i]][k];
      }
      int c =
          contact(&t, normal, s.tangent[i] < 0 ? NULL : tangent, s.e[i], s.stick[i], s.slide[i]);
      t.exponent[c] = s.exponent[i];
      t.stiffness[c] = pace * pace * s.stiffness[i] * pow(unit, -1.0 - s.exponent[i]);
    }
    double none[MAX_ROWS] = {0};
    if (isnan(solved(&s, none)) || isnan(solved(&t, none))) continue;
    used++;
    solve(&s);
    solve(&t);
    for (int k = 0; k < s.freedom; k++)
      CHECK_NEAR(t.u[k] / pace, s.u[k], 1e-10);
  }
  CHECK(used > 50);
}

// the error follows the tolerance that is asked for
static void test_tolerance(void **state) {
  (void)state;
  static setup s;
  double worst[3] = {0.0};
  int used = 0;
  for (int trial = 0; trial < 150; trial++) {
    int contacts = 2 + trial % 7;
    random_impact(&s, contacts + 2, contacts, trial % 3 ? 0.7 : 0.0, 30.0);
    for (int i = 0; i < contacts; i++)
      s.e[i] = between(0.3, 1.0);
    double exact[MAX_ROWS] = {0}, after[MAX_ROWS];
    s.o.max_steps = 4000;
    if (isnan(solved(&s, exact))) continue;
    used++;
    for (int k = 0; k < 3; k++) {
      s.o.tolerance = k == 0 ? 1e-4 : k == 1 ? 1e-6 : 1e-9;
      memcpy(after, exact, sizeof after);
      double off = solved(&s, after);
      CHECK(!isnan(off));
      worst[k] = fmax(worst[k], off / s.o.tolerance);
    }
  }
  CHECK(used > 130);
  for (int k = 0; k < 3; k++)
    CHECK(worst[k] < 100.0);
}

// restitution zero is the limit of small ones
static void test_small_restitution(void **state) {
  (void)state;
  static setup s;
  int used = 0;
  for (int trial = 0; trial < 80; trial++) {
    int contacts = 2 + trial % 7;
    random_impact(&s, contacts + 2, contacts, trial % 2 ? 0.5 : 0.0, 10.0);
    for (int i = 0; i < contacts; i++)
      s.e[i] = i % 2 ? between(0.4, 1.0) : 0.0;
    double limit[MAX_ROWS] = {0}, after[MAX_ROWS];
    s.o.tolerance = 1e-10;
    s.o.max_steps = 2000; // small e may ask for more: 1/e^2 is stiff
    if (isnan(solved(&s, limit))) continue;
    for (double e = 1e-2; e > 1e-5; e *= 0.1) {
      for (int i = 0; i < contacts; i += 2)
        s.e[i] = e;
      memcpy(after, limit, sizeof after);
      double off = solved(&s, after);
      if (isnan(off)) break;
      used++;
      CHECK(off < 4.0 * e);
    }
  }
  CHECK(used > 180);
}

// takes the directions of the first `count` vectors, which are of length 1, out of v; its length
static double take_out(int freedom, int count, double (*basis)[MAX_FREEDOM], double *v) {
  double square = 0.0;
  for (int pass = 0; pass < 2; pass++)
    for (int b = 0; b < count; b++) {
      double along = 0.0;
      for (int k = 0; k < freedom; k++)
        along += basis[b][k] * v[k];
      for (int k = 0; k < freedom; k++)
        v[k] -= along * basis[b][k];
    }
  for (int k = 0; k < freedom; k++)
    square += v[k] * v[k];
  return sqrt(square);
}

// Beside constraints: as without them, in coordinates that can move; and what moves, moves by the
// impulses told. Some contacts have no friction or no tangent, some are held by others.
static void test_constraints(void **state) {
  (void)state;
  enum { FREEDOM = 8 };
  static setup s, t;
  for (int trial = 0; trial < 90; trial++) {
    int held = 1 + trial % 3, contacts = 2 + trial % 4, left = FREEDOM - held;
    double basis[FREEDOM][MAX_FREEDOM];
    begin(&s, FREEDOM);
    begin(&t, left);
    for (int b = 0; b < FREEDOM; b++) { // the constraints first, then what they let move
      for (int k = 0; k < FREEDOM; k++)
        basis[b][k] = between(-1, 1);
      if (b < held) constraint(&s, basis[b]);
      double size = take_out(FREEDOM, b, basis, basis[b]);
      for (int k = 0; k < FREEDOM; k++)
        basis[b][k] /= size;
    }
    for (int b = 0; b < left; b++) {
      t.u[b] = between(-1, 1);
      for (int k = 0; k < FREEDOM; k++)
        s.u[k] += t.u[b] * basis[held + b][k];
    }
    for (int i = 0; i < contacts; i++) {
      double rows[2][MAX_FREEDOM], part[2][MAX_FREEDOM] = {{0.0}};
      bool slips = (trial + i) % 4 != 0, holds = trial % 5 == 0 && i == 1;
      double mu = (trial + i) % 3 != 0 ? between(0, 0.6) : 0.0, e = holds ? 0.0 : uniform();
      for (int r = 0; r < 2; r++)
        for (int k = 0; k < FREEDOM; k++) {
          rows[r][k] = between(-1, 1);
          for (int b = 0; b < left; b++)
            part[r][b] += rows[r][k] * basis[held + b][k];
        }
      int c = contact(&s, rows[0], slips ? rows[1] : NULL, e, mu, mu);
      (void)contact(&t, part[0], slips ? part[1] : NULL, e, mu, mu);
      s.stiffness[c] = t.stiffness[c] = between(0.5, 5.0);
      s.habit[c].holds = t.habit[c].holds = holds;
    }
    double impulse[MAX_ROWS], after[MAX_ROWS];
    carom_energetic_result result = solve(&t);
    memcpy(impulse, result.impulse, sizeof(double) * (size_t)t.p.impact.rows);
    memcpy(after, result.after, sizeof(double) * (size_t)t.p.impact.rows);
    result = solve(&s);
    for (int r = 0; r < s.p.impact.rows; r++)
      CHECK_NEAR(result.after[r], row(&s, r, s.u), 1e-11);
    for (int r = 0; r < held; r++)
      CHECK_NEAR(result.after[r], 0.0, 1e-14);
    for (int r = held; r < s.p.impact.rows; r++) {
      CHECK_NEAR(result.impulse[r], impulse[r - held], 1e-8);
      CHECK_NEAR(result.after[r], after[r - held], 1e-8);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_energy),
      cmocka_unit_test(test_elastic),
      cmocka_unit_test(test_mirror),
      cmocka_unit_test(test_units),
      cmocka_unit_test(test_brute_force),
      cmocka_unit_test(test_tolerance),
      cmocka_unit_test(test_small_restitution),
      cmocka_unit_test(test_constraints),
  };
  return cmocka_run_group_tests(tests, start, finish);
}
