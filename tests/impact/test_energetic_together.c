// SPDX-License-Identifier: MIT
/// Events of an impact that fall together: slip that comes to rest in the very moment of greatest
/// compression, or as another contact turns, ends or comes to rest. With one coefficient of
/// friction the law depends on its data without jumps, so nothing may hang on which of two such
/// events is found first.
#include "energetic_setup.h"

static uint64_t seed;
static double uniform(void) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(seed >> 11) / 9007199254740992.0;
}
static double between(double lo, double hi) { return lo + (hi - lo) * uniform(); }

// parts by which data are put off the coincidence, on both sides
static const double OFF[] = {0,     3e-16,  -3e-16, 3e-15,  -3e-15, 1e-13, -1e-13, 1e-12, -1e-12,
                             1e-11, -1e-11, 1e-10,  -1e-10, 1e-9,   -1e-9, 1e-7,   -1e-7};
enum { OFFS = sizeof OFF / sizeof *OFF };

// ---- rods on a plate, each on its own

// the tip of a rod that slips by `sign` and is braked
typedef struct tip {
  double phi, mu, stick, e, stiffness, exponent;
  int sign;
  double NN, NT, TT; // for sign = 1
  double approach;   // v_N before is minus this
} tip;

static tip random_tip(void) {
  tip t = {.phi = between(0.05, 1.5),
           .mu = between(0.05, 1.2),
           .e = uniform() < 0.1 ? 0.0 : between(0.1, 1.0),
           .stiffness = exp(between(-1, 1)),
           .exponent = uniform() < 0.5 ? 1.5 : between(1, 2.2),
           .sign = uniform() < 0.5 ? 1 : -1,
           .approach = between(0.2, 2)};
  double X = sin(t.phi) / 2, Z = cos(t.phi) / 2, k2 = 1.0 / 12;
  t.stick = t.mu * (uniform() < 0.5 ? 1.0 : 1.2);
  t.NN = 1 + X * X / k2;
  t.NT = -X * Z / k2;
  t.TT = 1 + Z * Z / k2;
  return t;
}

// the slip which a normal impulse P brakes to rest
static double braked_by(const tip *t, double P) { return (t->mu * t->TT - t->NT) * P; }
static double to_turn(const tip *t) { return t->approach / (t->NN - t->mu * t->NT); }

// expansion from v_N = v_T = 0: it sticks, or slip turns round
typedef struct expansion {
  double dvn, dvt; // per unit of impulse
} expansion;
static expansion from_rest(const tip *t) {
  if (-t->NT <= t->stick * t->TT) return (expansion){t->NN - t->NT * t->NT / t->TT, 0};
  return (expansion){t->NN + t->mu * t->NT, t->NT + t->mu * t->TT};
}

static void add_tip(setup *s, int at, const tip *t, double slip) {
  double wn[MAX_FREEDOM] = {0}, wt[MAX_FREEDOM] = {0};
  s->mass[at + 2] = 1.0 / 12;
  wn[at + 1] = 1;
  wn[at + 2] = sin(t->phi) / 2;
  wt[at] = t->sign;
  wt[at + 2] = -t->sign * cos(t->phi) / 2;
  int c = contact(s, wn, wt, t->e, t->stick, t->mu);
  s->stiffness[c] = t->stiffness;
  s->exponent[c] = t->exponent;
  s->u[at] = slip;
  s->u[at + 1] = -t->approach;
}

// both rods turn and come to rest at once, each in its own moment, or all in one
static void test_rest_at_turn(void **state) {
  (void)state;
  static setup s;
  int sticks = 0, reverses = 0;
  seed = 5;
  for (int k = 0; k < 80; k++) {
    tip t[2] = {random_tip()};
    t[1] = k % 2 ? t[0] : random_tip();
    if (k % 4 == 1) t[1].sign = -t[0].sign;
    for (int off = 0; off < OFFS; off++) {
      begin(&s, 6);
      for (int i = 0; i < 2; i++)
        add_tip(&s, 3 * i, &t[i], braked_by(&t[i], to_turn(&t[i])) * (1 + OFF[off] * (1 - i)));
      carom_energetic_result r = solve(&s);
      CHECK(!r.closed_form && !r.gave_up);
      for (int i = 0; i < 2; i++) {
        expansion out = from_rest(&t[i]);
        double taken = to_turn(&t[i]) * t[i].approach / 2;
        double P = t[i].e * sqrt(2 * taken / out.dvn), near = 30 * fabs(OFF[off]) + 1e-10;
        CHECK_NEAR(r.after[2 * i], out.dvn * P, near);
        CHECK_NEAR(r.after[2 * i + 1], t[i].sign * out.dvt * P, near);
        CHECK_NEAR(r.impulse[2 * i], to_turn(&t[i]) + P, near);
        sticks += out.dvt == 0;
        reverses += out.dvt != 0;
      }
    }
  }
  CHECK(sticks > 500 && reverses > 500);
}

// the same for one rod, by all three rules of restitution
static void test_rest_at_turn_alone(void **state) {
  (void)state;
  static setup s;
  seed = 6;
  for (int k = 0; k < 600; k++) {
    tip t = random_tip();
    expansion out = from_rest(&t);
    double turn = to_turn(&t);
    const double P[] = {[CAROM_STOP_ENERGETIC] = t.e * sqrt(turn * t.approach / out.dvn),
                        [CAROM_STOP_KINETIC] = t.e * turn,
                        [CAROM_STOP_KINEMATIC] = t.e * t.approach / out.dvn};
    for (int off = 0; off < OFFS; off++) {
      begin(&s, 3);
      add_tip(&s, 0, &t, braked_by(&t, turn) * (1 + OFF[off]));
      s.habit[0].stop = (carom_energetic_stop)(k % 3);
      carom_energetic_result r = solve(&s);
      double near = 100 * fabs(OFF[off]) + 1e-13;
      CHECK(r.closed_form);
      CHECK_NEAR(r.after[0], out.dvn * P[k % 3], near);
      CHECK_NEAR(r.after[1], t.sign * out.dvt * P[k % 3], near);
    }
  }
}

// A rod comes to rest as a ball beside it turns, or leaves. Linear contacts: compressions are sines
// of time, w = sqrt(k dv_N/dP), and that of the ball takes e times as long to go as to come.
static void test_rest_beside(void **state) {
  (void)state;
  static setup s;
  seed = 7;
  for (int k = 0; k < 60; k++) {
    tip t = random_tip();
    t.exponent = 1;
    double share = between(0.05, 0.95), rate = sqrt(t.stiffness * (t.NN - t.mu * t.NT));
    double when = share * acos(0) / rate, e = between(0.1, 1.0), speed = between(0.2, 2);
    double slip = braked_by(&t, to_turn(&t) * (1 - cos(rate * when)));
    double turn = k % 2 ? when : when / (1 + e), ball_rate = acos(0) / turn;
    for (int off = 0; off < OFFS; off++) {
      begin(&s, 3);
      add_tip(&s, 0, &t, slip * (1 + OFF[off]));
      carom_energetic_result alone = solve(&s);
      CHECK(alone.closed_form);
      double after[2] = {alone.after[0], alone.after[1]};
      begin(&s, 4);
      add_tip(&s, 0, &t, slip * (1 + OFF[off]));
      int ball = contact(&s, (double[4]){0, 0, 0, 1}, NULL, e, 0, 0);
      s.exponent[ball] = 1;
      s.stiffness[ball] = ball_rate * ball_rate;
      s.u[3] = -speed;
      carom_energetic_result r = solve(&s);
      CHECK(!r.closed_form && !r.gave_up);
      CHECK_NEAR(r.after[0], after[0], 1e-10);
      CHECK_NEAR(r.after[1], after[1], 1e-10);
      CHECK_NEAR(r.after[2], e * speed, 1e-10);
    }
  }
}

// ---- a body on two legs in mirror image

// freedoms: the legs' own (2 + 2), then up and sideways of the body; rows per freedom
typedef struct legs {
  double own[2][2], up[2], side[2]; // of the normal and the tangent row
  double mass[4], mu, e, exponent;
} legs;

// What both legs do alike goes as one contact would: row answers of one and of the other leg add
// up.
static tip legs_as_one(const legs *l) {
  double G[2][2];
  for (int a = 0; a < 2; a++)
    for (int b = 0; b < 2; b++) {
      G[a][b] = 2 * l->up[a] * l->up[b] / l->mass[2];
      for (int k = 0; k < 2; k++)
        G[a][b] += l->own[a][k] * l->own[b][k] / l->mass[k];
    }
  return (tip){.mu = l->mu,
               .stick = l->mu,
               .e = l->e,
               .sign = 1,
               .NN = G[0][0],
               .NT = G[0][1],
               .TT = G[1][1],
               .approach = 1};
}

// both legs with (v_N, v_T) by their own freedoms, slip of the second moved by the part `off`
static void stand(setup *s, const legs *l, double vn, double vt, double off) {
  begin(s, 6);
  const double *m = l->mass;
  memcpy(s->mass, (double[6]){m[0], m[1], m[0], m[1], m[2], m[3]}, 6 * sizeof(double));
  double det = l->own[0][0] * l->own[1][1] - l->own[0][1] * l->own[1][0];
  for (int leg = 0; leg < 2; leg++) {
    double row[2][6] = {{0}}, to = leg ? vt * (1 + off) : vt;
    for (int a = 0; a < 2; a++) {
      row[a][2 * leg] = l->own[a][0];
      row[a][2 * leg + 1] = l->own[a][1];
      row[a][4] = l->up[a];
      row[a][5] = leg ? -l->side[a] : l->side[a];
    }
    int c = contact(s, row[0], row[1], l->e, l->mu, l->mu);
    s->exponent[c] = l->exponent;
    s->u[2 * leg] = (vn * l->own[1][1] - to * l->own[0][1]) / det;
    s->u[2 * leg + 1] = (to * l->own[0][0] - vn * l->own[1][0]) / det;
  }
}

// both legs come to rest at greatest compression; then the slip of one is moved a little
static void test_two_legs(void **state) {
  (void)state;
  static setup s;
  int sticks = 0, reverses = 0;
  seed = 9;
  for (int k = 0; k < 400; k++) {
    legs l = {.mu = between(0.05, 1), .e = between(0.2, 1), .exponent = k % 2 ? 1.5 : 1};
    for (int a = 0; a < 2; a++) {
      for (int b = 0; b < 2; b++)
        l.own[a][b] = between(-1, 1);
      l.up[a] = between(-1, 1);
      l.side[a] = between(-1, 1);
    }
    for (int b = 0; b < 4; b++)
      l.mass[b] = between(0.5, 2);
    tip one = legs_as_one(&l);
    double dvn = one.NN - one.mu * one.NT, braking = one.mu * one.TT - one.NT;
    if (one.NT > 0 || dvn < 0.1 || braking < 0.1 ||
        fabs(l.own[0][0] * l.own[1][1] - l.own[0][1] * l.own[1][0]) < 0.1)
      continue;
    expansion out = from_rest(&one);
    double turn = to_turn(&one), P = l.e * sqrt(turn / out.dvn);
    for (int off = 0; off < OFFS; off++) {
      stand(&s, &l, -1, braked_by(&one, turn), OFF[off]);
      carom_energetic_result r = solve(&s);
      double near = 1e3 * fabs(OFF[off]) + 1e-9;
      CHECK(!r.closed_form && !r.gave_up);
      for (int leg = 0; leg < 2; leg++) {
        CHECK_NEAR(r.after[2 * leg], out.dvn * P, near);
        CHECK_NEAR(r.after[2 * leg + 1], out.dvt * P, near);
      }
    }
    sticks += out.dvt == 0;
    reverses += out.dvt != 0;
  }
  CHECK(sticks > 10 && reverses > 10);
}

// ---- any impact

enum { ROWS = 6, FREEDOM = 5 };
typedef struct outcome {
  double after[ROWS];
  int kind[CAROM_ENERGETIC_LOG], contact[CAROM_ENERGETIC_LOG], events;
} outcome;

static outcome outcome_at(const setup *data, const double *to, double t) {
  static setup s;
  s = *data;
  for (int k = 0; k < s.freedom; k++)
    s.u[k] += t * (to[k] - s.u[k]);
  assemble(&s);
  carom_energetic_result r;
  carom_energetic_problem p = data->p;
  p.impact.G = s.G;
  p.impact.before = s.v;
  assert_int_equal(carom_energetic_solve(&p, &s.o, work, &r), CAROM_OK);
  outcome o = {.events = r.events < CAROM_ENERGETIC_LOG ? r.events : CAROM_ENERGETIC_LOG};
  memcpy(o.after, r.after, sizeof(double) * (size_t)s.p.impact.rows);
  for (int i = 0; i < o.events; i++) {
    o.kind[i] = (int)r.log[i].kind;
    o.contact[i] = r.log[i].contact;
  }
  return o;
}

static bool same_course(const outcome *a, const outcome *b) {
  if (a->events != b->events) return false;
  for (int i = 0; i < a->events; i++)
    if (a->kind[i] != b->kind[i] || a->contact[i] != b->contact[i]) return false;
  return true;
}

// Two or three contacts between any velocities `to` and those of s. None is pulled in by its own
// sliding (Painleve): there the outcome does jump.
static void random_line(setup *s, int contacts, double exponent, double *to) {
  begin(s, FREEDOM);
  for (int j = 0; j < FREEDOM; j++) {
    s->mass[j] = between(0.5, 2);
    s->u[j] = between(-1, 1);
    to[j] = between(-1, 1);
  }
  while (s->p.impact.contacts < contacts) {
    double wn[FREEDOM], wt[FREEDOM], NN = 0, NT = 0, mu = between(0.1, 1), e = between(0.2, 1);
    for (int j = 0; j < FREEDOM; j++) {
      wn[j] = between(-1, 1);
      wt[j] = between(-1, 1);
      NN += wn[j] * wn[j] / s->mass[j];
      NT += wn[j] * wt[j] / s->mass[j];
    }
    if (NN > 1.1 * mu * fabs(NT)) s->exponent[contact(s, wn, wt, e, mu, mu)] = exponent;
  }
}

// halves the part [a, b] of the line until nothing is left between two different courses
static void close_in(const setup *s, const double *to, double a, double b, outcome *low,
                     outcome *high) {
  for (double middle = 0.5 * (a + b); middle > a && middle < b; middle = 0.5 * (a + b)) {
    outcome o = outcome_at(s, to, middle);
    bool before = same_course(low, &o);
    *(before ? low : high) = o;
    *(before ? &a : &b) = middle;
  }
}

// Along a line of velocities the course of events changes where two of them fall together, or one
// is only just reached. From both sides, to the last bits of the data, the outcome is the same.
static void test_change_of_course(void **state) {
  (void)state;
  static setup s;
  enum { PARTS = 8, LINES = 18 };
  int changes = 0;
  for (int k = 0; k < 2 * LINES; k++) {
    double to[FREEDOM];
    // some of these once led to jumps: an end only just reached, then slip that only just stops
    if (k % LINES == 0) seed = k ? 13 : 8;
    random_line(&s, 2 + k % 2, k % 3 ? 1.5 : 1, to);
    outcome first = outcome_at(&s, to, 0);
    for (int part = 1; part <= PARTS; part++) {
      outcome last = outcome_at(&s, to, (double)part / PARTS), low = first, high = last;
      first = last;
      if (same_course(&low, &high)) continue;
      close_in(&s, to, (part - 1.0) / PARTS, (double)part / PARTS, &low, &high);
      for (int i = 0; i < s.p.impact.rows; i++)
        CHECK_NEAR(low.after[i], high.after[i], 1e-9);
      changes++;
    }
  }
  CHECK(changes > 100);
}

// ---- Newton's and Poisson's laws

// Slip is at rest when compression ends (Poisson), or when all ends (Newton): two rods at once,
// and from both sides.
static void test_other_laws(void **state) {
  (void)state;
  static setup s;
  carom_impact_workspace *laws = carom_impact_workspace_create(arena, MAX_ROWS, MAX_CONTACTS);
  assert_non_null(laws);
  int sticks = 0, reverses = 0;
  seed = 17;
  for (int k = 0; k < 300; k++) {
    tip t[2] = {random_tip()};
    t[1] = k % 2 ? t[0] : random_tip();
    bool newton = k % 4 < 2;
    for (int off = 0; off < OFFS; off++) {
      begin(&s, 6);
      for (int i = 0; i < 2; i++) {
        double P = to_turn(&t[i]) * (newton ? 1 + t[i].e : 1);
        add_tip(&s, 3 * i, &t[i], braked_by(&t[i], P) * (1 + OFF[off] * (1 - i)));
      }
      s.p.impact.law = newton ? CAROM_IMPACT_NEWTON : CAROM_IMPACT_POISSON;
      assemble(&s);
      carom_impact_result r;
      assert_int_equal(carom_impact_solve(&s.p.impact, laws, &r), CAROM_OK);
      for (int i = 0; i < 2; i++) {
        expansion out = from_rest(&t[i]);
        double P = t[i].e * to_turn(&t[i]), near = 100 * fabs(OFF[off]) + 1e-10;
        CHECK_NEAR(r.after[2 * i], newton ? t[i].e * t[i].approach : out.dvn * P, near);
        CHECK_NEAR(r.after[2 * i + 1], newton ? 0 : t[i].sign * out.dvt * P, near);
        sticks += !newton && out.dvt == 0;
        reverses += !newton && out.dvt != 0;
      }
    }
  }
  CHECK(sticks > 500 && reverses > 500);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rest_at_turn),     cmocka_unit_test(test_rest_at_turn_alone),
      cmocka_unit_test(test_rest_beside),      cmocka_unit_test(test_two_legs),
      cmocka_unit_test(test_change_of_course), cmocka_unit_test(test_other_laws)};
  return cmocka_run_group_tests(tests, start, finish);
}
