// SPDX-License-Identifier: MIT
/// Where the outcome of an impact depends continuously on its data, and where it jumps: the table
/// of docs/theory-impact.md, law by law, on random impacts of one to four contacts and on examples
/// of every jump. An argument asks for more impacts and prints the counts: `test_continuity 2000`.
#include "energetic_setup.h"

#include <stdlib.h>

typedef enum law { NEWTON, POISSON, ENERGETIC, LAWS } law;
static const char *const LAW[LAWS] = {"Newton", "Poisson", "energetic"};
/// Friction: none, mu, mu_s > mu.
typedef enum grip { SMOOTH, ONE_MU, TWO_MU, GRIPS } grip;
static const char *const GRIP[GRIPS] = {"no friction", "mu", "mu_s > mu"};

static int impacts = 24;
static bool talks;
static uint64_t seed;
static carom_impact_workspace *other_work;
static bool one_of_several; // an outcome that is not the only one counts too

static double uniform(void) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(seed >> 11) / 9007199254740992.0;
}
static double between(double lo, double hi) { return lo + (hi - lo) * uniform(); }

static int start_all(void **state) {
  if (start(state) != 0) return 1;
  other_work = carom_impact_workspace_create(arena, MAX_ROWS, MAX_CONTACTS);
  return other_work ? 0 : 1;
}

// contact `row` gets this velocity
static void set_velocity(setup *s, int row, double v) {
  double size = 0.0;
  for (int k = 0; k < s->freedom; k++) {
    v -= s->W[row][k] * s->u[k];
    size += s->W[row][k] * s->W[row][k];
  }
  for (int k = 0; k < s->freedom; k++)
    s->u[k] += v * s->W[row][k] / size;
}

// at random, the last contact (of several) at rest; friction small enough that no sliding contact
// pulls itself in
static void random_impact(setup *s, uint64_t number, grip friction) {
  seed = (number + 17) * 0x9e3779b97f4a7c15u;
  for (int k = 0; k < 4; k++)
    (void)uniform();
  int contacts = 1 + (int)(number % 4), freedom = 2 * contacts + 1;
  begin(s, freedom);
  for (int k = 0; k < freedom; k++) {
    s->mass[k] = between(0.5, 2.0);
    s->u[k] = between(-1.0, 1.0);
  }
  for (int i = 0; i < contacts; i++) {
    double wn[MAX_FREEDOM], wt[MAX_FREEDOM];
    for (int k = 0; k < freedom; k++) {
      wn[k] = between(-1.0, 1.0);
      wt[k] = between(-1.0, 1.0);
    }
    double slide = between(0.05, 0.4),
           stick = friction == TWO_MU ? slide * between(1.1, 1.5) : slide;
    int c = contact(s, wn, friction == SMOOTH ? NULL : wt, between(0.3, 1.0), stick, slide);
    s->stiffness[c] = exp(between(-1.0, 1.0));
  }
  for (int i = 0; i + 1 < contacts; i++)
    if (i % 2 == 0) set_velocity(s, s->normal[i], -between(0.2, 1.0));
  if (contacts == 1) set_velocity(s, s->normal[0], -between(0.2, 1.0));
  if (contacts > 1) set_velocity(s, s->normal[contacts - 1], 0.0);
}

static bool pulls_in(const setup *s) {
  int rows = s->p.impact.rows;
  for (int i = 0; i < s->p.impact.contacts; i++) {
    int n = s->normal[i], t = s->tangent[i];
    if (t >= 0 && s->G[n * rows + n] <= s->slide[i] * fabs(s->G[n * rows + t])) return true;
  }
  return false;
}

// velocities after; false: none, or not unique
static bool outcome(setup *s, law which, double *u) {
  assemble(s);
  const double *impulse;
  if (which == ENERGETIC) {
    carom_energetic_result r;
    s->o.max_steps = 4000;
    if (carom_energetic_solve(&s->p, &s->o, work, &r) != CAROM_OK || r.gave_up) return false;
    impulse = r.impulse;
  } else {
    carom_impact_result r;
    s->p.impact.law = which == NEWTON ? CAROM_IMPACT_NEWTON : CAROM_IMPACT_POISSON;
    if (carom_impact_solve(&s->p.impact, other_work, &r) != CAROM_OK) return false;
    if (!r.unique && !one_of_several) return false;
    impulse = r.impulse;
  }
  for (int k = 0; k < s->freedom; k++) {
    u[k] = s->u[k];
    for (int q = 0; q < s->p.impact.rows; q++)
      u[k] += s->W[q][k] * impulse[q] / s->mass[k];
  }
  return true;
}

static double difference(int n, const double *a, const double *b) {
  double most = 0.0;
  for (int k = 0; k < n; k++)
    most = fmax(most, fabs(a[k] - b[k]));
  return most;
}

// ---- one datum after the other is moved off a special value

typedef enum datum {
  NORMAL_SPEED,    // of a contact in touch, off 0
  SLIP_SPEED,      // of a contact that strikes, off 0
  SEPARATING_SLIP, // of a contact in touch at rest, off 0
  NO_RETURN,       // e off 0, at all contacts
  FULL_RETURN,     // e off 1
  NO_GRIP,         // mu off 0
  ALL_GRIP,        // 1/mu off 1e-9: more is lost in rounding
  FAINT,           // the approach of a contact that strikes alone, off 0
  DATA
} datum;
static const char *const DATUM[DATA] = {"v_N of a contact in touch at 0",
                                        "slip of a contact that strikes at 0",
                                        "slip of a contact in touch at 0",
                                        "e at 0",
                                        "e at 1",
                                        "mu at 0",
                                        "mu at infinity",
                                        "approach of one alone at 0"};

static void place(setup *s, datum what, double off) {
  int n = s->p.impact.contacts;
  switch (what) {
  case NORMAL_SPEED: set_velocity(s, s->normal[n - 1], off); break;
  case SLIP_SPEED: set_velocity(s, s->tangent[0], off); break;
  case SEPARATING_SLIP: set_velocity(s, s->tangent[n - 1], off); break;
  case NO_RETURN:
  case FULL_RETURN:
    for (int i = 0; i < n; i++)
      s->e[i] = what == NO_RETURN ? off : 1.0 - off;
    break;
  case NO_GRIP:
    for (int i = 0; i < n; i++) {
      s->stick[i] = off * s->stick[i] / s->slide[i];
      s->slide[i] = off;
    }
    break;
  case ALL_GRIP:
    for (int i = 0; i < n; i++) {
      s->stick[i] = s->stick[i] / s->slide[i] / fmax(off, 1e-9);
      s->slide[i] = 1.0 / fmax(off, 1e-9);
    }
    break;
  case FAINT: set_velocity(s, s->normal[0], -off); break;
  case DATA: break;
  }
}

static bool one_sided(datum what) { return what >= NO_RETURN; }
static bool needs_grip(datum what) {
  return what == SLIP_SPEED || what == SEPARATING_SLIP || what == NO_GRIP || what == ALL_GRIP;
}

typedef struct count {
  int used, jumps;
  double worst; // change over distance
} count;

// More than 1e4 times as far off is a jump.
static double allowed(double off) { return 1e4 * fabs(off) + 1e-10; }

// the outcome at the value and beside it
static count look(law which, grip friction, datum what) {
  static const double off[] = {1e-12, -1e-12, 1e-9, -1e-9, 1e-6, -1e-6};
  static setup fresh, s;
  count c = {0};
  one_of_several = what == ALL_GRIP;
  for (int number = 0; number < impacts; number++) {
    double at[MAX_FREEDOM], beside[MAX_FREEDOM];
    random_impact(&fresh, (uint64_t)number, friction);
    bool alone = fresh.p.impact.contacts == 1;
    if (what == NORMAL_SPEED && alone) continue;
    if (what == FAINT && !alone) continue;
    // with large mu several contacts may have several outcomes, or none
    if (what == ALL_GRIP && !alone) continue;
    memcpy(&s, &fresh, sizeof s);
    random_impact(&s, (uint64_t)number, friction);
    place(&s, what, 0.0);
    if (!outcome(&s, which, at) || (what != ALL_GRIP && pulls_in(&s))) continue;
    for (int k = 0; k < 6; k++) {
      if (off[k] < 0.0 && one_sided(what)) continue;
      random_impact(&s, (uint64_t)number, friction);
      place(&s, what, off[k]);
      if (!outcome(&s, which, beside)) continue;
      double moved = difference(s.freedom, at, beside);
      c.used++;
      c.worst = fmax(c.worst, moved / fabs(off[k]) > 1e4 ? 0.0 : moved / fabs(off[k]));
      if (moved > allowed(off[k])) c.jumps++;
    }
  }
  one_of_several = false;
  if (talks)
    print_message("%-10s %-12s %-36s %6d looked at, %4d jumps, slope %.1e\n", LAW[which],
                  GRIP[friction], DATUM[what], c.used, c.jumps, c.worst);
  return c;
}

// Continuous: all of these but the slip with mu_s > mu.
static void test_table(void **state) {
  (void)state;
  for (law which = NEWTON; which < LAWS; which++)
    for (grip friction = SMOOTH; friction < GRIPS; friction++)
      for (datum what = NORMAL_SPEED; what < DATA; what++) {
        if (friction == SMOOTH && needs_grip(what)) continue;
        count c = look(which, friction, what);
        CHECK(c.used >= impacts / 2);
        bool may_jump = friction == TWO_MU && (what == SLIP_SPEED || what == SEPARATING_SLIP);
        if (!may_jump) assert_int_equal(c.jumps, 0);
      }
}

// ---- scale

// slow impacts are fast ones in small: velocities times a factor, outcomes times the factor
static void test_scale(void **state) {
  (void)state;
  static setup s;
  for (law which = NEWTON; which < LAWS; which++)
    for (int number = 0; number < impacts; number++)
      for (double factor = 1e-3; factor > 1e-13; factor *= 1e-3) {
        double whole[MAX_FREEDOM], small[MAX_FREEDOM];
        random_impact(&s, (uint64_t)number, TWO_MU);
        if (!outcome(&s, which, whole)) continue;
        random_impact(&s, (uint64_t)number, TWO_MU);
        for (int k = 0; k < s.freedom; k++)
          s.u[k] *= factor;
        assert_true(outcome(&s, which, small));
        for (int k = 0; k < s.freedom; k++)
          CHECK_NEAR(small[k] / factor, whole[k], 1e-10);
      }
}

// ---- redundant contacts

// a body on three points of a floor; the floor at the third is tilted a little
static void three_points(setup *s, uint64_t number, double tilt, bool alike) {
  seed = (number + 5) * 0x9e3779b97f4a7c15u;
  for (int k = 0; k < 4; k++)
    (void)uniform();
  begin(s, 3);
  for (int k = 0; k < 3; k++) {
    s->mass[k] = between(0.3, 2.0);
    s->u[k] = k == 1 ? -between(0.2, 1.0) : between(-1.0, 1.0);
  }
  double same = between(0.2, 1.0);
  for (int i = 0; i < 3; i++) {
    double row[3] = {i == 2 ? tilt : 0.0, 1.0, between(-1.0, 1.0)}, e = between(0.2, 1.0);
    contact(s, row, NULL, alike ? same : e, 0.0, 0.0);
    s->stiffness[i] = exp(between(-1.0, 1.0));
  }
}

// without friction velocities do not feel that contacts become redundant; by Poisson's law where
// they have the same e
static void test_redundant(void **state) {
  (void)state;
  static setup s;
  int used = 0;
  for (law which = NEWTON; which < LAWS; which++)
    for (int number = 0; number < impacts; number++)
      for (double tilt = 1e-12; tilt < 1e-5; tilt *= 1e3) {
        double at[MAX_FREEDOM], beside[MAX_FREEDOM];
        one_of_several = true; // impulses are not unique
        three_points(&s, (uint64_t)number, 0.0, which == POISSON);
        bool both = outcome(&s, which, at);
        three_points(&s, (uint64_t)number, tilt, which == POISSON);
        both = both && outcome(&s, which, beside);
        one_of_several = false;
        if (!both) continue;
        used++;
        CHECK(difference(3, at, beside) <= allowed(tilt));
      }
  CHECK(used > 6 * impacts);
}

// ---- examples of jumps

// one contact with G_NN = G_TT = 1 and this G_NT: a freedom each for the normal and for the rest of
// the tangent
static void one_contact(setup *s, double mixed, double stick, double slide, double vn, double vt) {
  double left = sqrt(1.0 - mixed * mixed);
  begin(s, 2);
  s->u[0] = vn;
  s->u[1] = (vt - mixed * vn) / left;
  contact(s, (double[]){1.0, 0.0}, (double[]){mixed, left}, 0.5, stick, slide);
}

static double slip_after(law which, double mixed, double stick, double slide, double vn,
                         double vt) {
  static setup s;
  double u[MAX_FREEDOM];
  one_contact(&s, mixed, stick, slide, vn, vt);
  assert_true(outcome(&s, which, u));
  return mixed * u[0] + sqrt(1.0 - mixed * mixed) * u[1];
}

// At rest it is held by mu_s; the least slip the way it is driven is not braked by mu. The other
// way it is stopped, and held.
static void test_jump_of_slip(void **state) {
  (void)state;
  for (law which = NEWTON; which < LAWS; which++) {
    CHECK_NEAR(slip_after(which, 0.3, 0.4, 0.2, -1.0, 0.0), 0.0, 1e-12);
    CHECK_NEAR(slip_after(which, 0.3, 0.4, 0.2, -1.0, -1e-9), 0.0, 1e-12);
    // 0.1 of the normal impulse 1.5 / (1 - 0.06)
    CHECK_NEAR(slip_after(which, 0.3, 0.4, 0.2, -1.0, 1e-9), 0.15 / 0.94, 1e-8);
  }
}

// A sliding contact that pulls itself in (G_NN < mu G_NT) strikes hard however slowly it comes:
// slip is stopped. Without approach there is no impact, unless forces ask for one.
static void test_jump_at_paradox(void **state) {
  (void)state;
  one_of_several = true;
  for (law which = NEWTON; which < LAWS; which++) {
    CHECK_NEAR(slip_after(which, 0.9, 2.0, 2.0, 1e-9, 1.0), 1.0, 1e-12);
    CHECK_NEAR(slip_after(which, 0.9, 2.0, 2.0, -1e-9, 1.0), 0.0, 1e-7);
  }
  one_of_several = false;
}

int main(int argc, char **argv) {
  if (argc > 1) {
    impacts = atoi(argv[1]);
    talks = true;
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_table), cmocka_unit_test(test_scale), cmocka_unit_test(test_redundant),
      cmocka_unit_test(test_jump_of_slip), cmocka_unit_test(test_jump_at_paradox)};
  return cmocka_run_group_tests(tests, start_all, finish);
}
