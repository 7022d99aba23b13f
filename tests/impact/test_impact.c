// SPDX-License-Identifier: MIT
#include "check.h"
#include "impact/impact.h"

#include <string.h>

enum { MAX_ROWS = 16, MAX_CONTACTS = 8, MAX_FREEDOM = 12 };

// an impact with its storage: rows W, masses m, velocities u: G = W m^-1 W^T, v = W u
typedef struct setup {
  carom_impact_problem p;
  int normal[MAX_CONTACTS], tangent[MAX_CONTACTS];
  double e[MAX_CONTACTS], stick[MAX_CONTACTS], slide[MAX_CONTACTS];
  double G[MAX_ROWS * MAX_ROWS], v[MAX_ROWS];
  double W[MAX_ROWS][MAX_FREEDOM];
  int freedom;
} setup;

static carom_arena *arena;
static carom_impact_workspace *work;

static int start(void **state) {
  (void)state;
  arena = carom_arena_create(NULL);
  work = carom_impact_workspace_create(arena, MAX_ROWS, MAX_CONTACTS);
  return work ? 0 : 1;
}

static int finish(void **state) {
  (void)state;
  carom_arena_destroy(arena);
  return 0;
}

static void begin(setup *s, carom_impact_law law, int freedom, int constraints) {
  memset(s, 0, sizeof *s);
  s->freedom = freedom;
  s->p = (carom_impact_problem){.law = law,
                                .rows = constraints,
                                .constraints = constraints,
                                .normal = s->normal,
                                .tangent = s->tangent,
                                .G = s->G,
                                .before = s->v,
                                .e = s->e,
                                .stick = s->stick,
                                .slide = s->slide,
                                .pushing = -1};
}

static void contact(setup *s, const double *wn, const double *wt, double e, double mu) {
  int i = s->p.contacts++;
  s->normal[i] = s->p.rows;
  memcpy(s->W[s->p.rows++], wn, (size_t)s->freedom * sizeof(double));
  s->tangent[i] = -1;
  if (wt) {
    s->tangent[i] = s->p.rows;
    memcpy(s->W[s->p.rows++], wt, (size_t)s->freedom * sizeof(double));
  }
  s->e[i] = e;
  s->stick[i] = s->slide[i] = mu;
}

static void assemble(setup *s, const double *mass, const double *u) {
  int n = s->p.rows;
  for (int i = 0; i < n; i++) {
    s->v[i] = 0.0;
    for (int k = 0; k < s->freedom; k++)
      s->v[i] += s->W[i][k] * u[k];
    for (int j = 0; j < n; j++) {
      s->G[i * n + j] = 0.0;
      for (int k = 0; k < s->freedom; k++)
        s->G[i * n + j] += s->W[i][k] * s->W[j][k] / mass[k];
    }
  }
}

static carom_impact_result solve(setup *s) {
  carom_impact_result result;
  carom_status status = carom_impact_solve(&s->p, work, &result);
  assert_int_equal(status, CAROM_OK);
  return result;
}

static uint64_t seed = 7;
static double uniform(void) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(seed >> 11) / 9007199254740992.0;
}
static double between(double lo, double hi) { return lo + (hi - lo) * uniform(); }

static void random_impact(setup *s, carom_impact_law law, int freedom, int constraints,
                          int contacts, double mu, double e) {
  double mass[MAX_FREEDOM], u[MAX_FREEDOM], wn[MAX_FREEDOM], wt[MAX_FREEDOM];
  begin(s, law, freedom, constraints);
  for (int k = 0; k < constraints; k++)
    for (int j = 0; j < freedom; j++)
      s->W[k][j] = between(-1, 1);
  for (int k = 0; k < freedom; k++) {
    mass[k] = between(0.5, 2.0);
    u[k] = between(-1, 1);
  }
  for (int i = 0; i < contacts; i++) {
    for (int k = 0; k < freedom; k++) {
      wn[k] = between(-1, 1);
      wt[k] = between(-1, 1);
    }
    double restitution = e < 0.0 ? uniform() : e, friction = mu * uniform();
    contact(s, wn, mu > 0.0 ? wt : NULL, restitution, friction);
  }
  assemble(s, mass, u);
  for (int k = 0; k < constraints; k++)
    s->v[k] = 0.0;
}

// ---- one contact

static void test_ball(void **state) {
  (void)state;
  const double wn[1] = {1}, mass[1] = {3};
  for (int law = 0; law < 2; law++)
    for (int k = 0; k <= 4; k++) {
      double e = 0.25 * k, u[1] = {-2e-6};
      setup s;
      begin(&s, (carom_impact_law)law, 1, 0);
      contact(&s, wn, NULL, e, 0.0);
      assemble(&s, mass, u);
      carom_impact_result r = solve(&s);
      CHECK_NEAR(r.after[0], e * 2e-6, 1e-21);
      CHECK_NEAR(r.energy, 1.5 * (e * e - 1) * 4e-12, 1e-25);
      CHECK(r.unique && !r.gain);
      // separating already: nothing happens
      s.v[0] = 1.0;
      r = solve(&s);
      CHECK_SAME(r.after[0], 1.0);
      CHECK_SAME(r.energy, 0.0);
    }
}

// Poisson's law for one contact with friction by cases, straight from its definition
typedef struct single {
  double P_N, P_T, v_N, v_T;
} single;

static single one_phase(double GNN, double GNT, double GTT, double mu, double v_N, double v_T,
                        double P_N, bool compression) {
  // stick
  double det = GNN * GTT - GNT * GNT;
  double N = compression ? (-v_N * GTT + v_T * GNT) / det : P_N;
  double T = compression ? (v_N * GNT - v_T * GNN) / det : -(v_T + GNT * P_N) / GTT;
  if (fabs(T) > mu * N) {
    // slip, whichever way is consistent
    for (int sign = -1; sign <= 1; sign += 2) {
      double Ns = compression ? -v_N / (GNN - sign * mu * GNT) : P_N;
      double slip = v_T + (GNT - sign * mu * GTT) * Ns;
      if (Ns < 0.0 || sign * slip < 0.0) continue;
      N = Ns;
      T = -sign * mu * Ns;
    }
  }
  return (single){N, T, v_N + GNN * N + GNT * T, v_T + GNT * N + GTT * T};
}

static void test_poisson_one_contact(void **state) {
  (void)state;
  int stuck = 0, slid = 0, reversed = 0, held = 0;
  for (int round = 0; round < 4000; round++) {
    setup s;
    random_impact(&s, CAROM_IMPACT_POISSON, 3, 0, 1, 0.7, -1.0);
    double GNN = s.G[0], GNT = s.G[1], GTT = s.G[3], mu = s.slide[0];
    // small enough friction for one solution, an approach, and no second compression
    if (mu * fabs(GNT) > 0.8 * GNN || s.v[0] > -0.1) continue;
    if (GNN * GTT - GNT * GNT < 0.05 * GNN * GTT) continue;
    single c = one_phase(GNN, GNT, GTT, mu, s.v[0], s.v[1], 0.0, true);
    single x = one_phase(GNN, GNT, GTT, mu, c.v_N, c.v_T, s.e[0] * c.P_N, false);
    if (x.v_N < 0.0) continue;
    carom_impact_result r = solve(&s);
    CHECK_NEAR(r.compression[0], c.P_N, 1e-12);
    CHECK_NEAR(r.compression[1], c.P_T, 1e-12);
    CHECK_NEAR(r.impulse[0], c.P_N + x.P_N, 1e-12);
    CHECK_NEAR(r.impulse[1], c.P_T + x.P_T, 1e-12);
    CHECK_NEAR(r.after[0], x.v_N, 1e-12);
    CHECK_NEAR(r.after[1], x.v_T, 1e-12);
    CHECK(!r.gain);
    stuck += fabs(x.v_T) < 1e-12;
    slid += s.v[1] * x.v_T > 1e-9;
    reversed += s.v[1] * x.v_T < -1e-9;
    held += fabs(c.v_T) < 1e-12 && fabs(x.v_T) > 1e-9;
  }
  print_message("one contact: %d end in stick, %d slide on, %d reverse, %d of them after stick\n",
                stuck, slid, reversed, held);
  CHECK(stuck > 20 && slid > 20 && reversed > 20 && held > 10);
}

// a sphere without coupling: friction stops the slip or takes mu (1 + e) v_N
static void test_newton_one_contact(void **state) {
  (void)state;
  const double wn[2] = {0, 1}, wt[2] = {1, 0}, mass[2] = {2, 2};
  for (int side = -1; side <= 1; side += 2)
    for (int k = 0; k < 10; k++) {
      double mu = 0.3, e = 0.6, slip = 0.1 * k * side, u[2] = {slip, -1};
      setup s;
      begin(&s, CAROM_IMPACT_NEWTON, 2, 0);
      contact(&s, wn, wt, e, mu);
      assemble(&s, mass, u);
      carom_impact_result r = solve(&s);
      double brake = mu * (1 + e);
      CHECK_NEAR(r.after[0], e, 1e-15);
      CHECK_NEAR(r.after[1], fabs(slip) <= brake ? 0.0 : slip - side * brake, 1e-15);
      CHECK(r.unique && !r.gain);
    }
}

// A slip is stopped by mu and held by mu_s. One contact against what happens while its impulse
// grows: sliding with mu until slip stops, then stick if mu_s holds it.
static void test_slip_is_stopped_by_mu(void **state) {
  (void)state;
  int stopped = 0, slides = 0;
  for (int k = 0; k < 3000; k++) {
    setup s;
    random_impact(&s, k % 2 ? CAROM_IMPACT_POISSON : CAROM_IMPACT_NEWTON, 3, 0, 1, 1.0, 0.0);
    s.stick[0] = s.slide[0] * between(1.0, 2.0);
    double N = s.G[0], X = s.G[1], T = s.G[3], mu = s.slide[0], slip = s.v[1];
    double sign = slip > 0.0 ? 1.0 : -1.0, normal = N - sign * mu * X, along = X - sign * mu * T;
    bool holds = fabs(X) <= s.stick[0] * T;
    if (s.v[0] >= 0.0 || !holds || fabs(normal) < 0.05 * N) continue;
    // impulse at which slip stops, and at which compression ends if it does not
    double stop = sign * along < 0.0 ? -slip / along : INFINITY;
    double end = normal > 0.0 ? -s.v[0] / normal : INFINITY;
    if (fabs(stop - end) < 1e-6 * end || (stop == INFINITY && end == INFINITY)) continue;
    carom_impact_result r = solve(&s);
    double left = stop < end ? 0.0 : slip + along * end;
    CHECK_NEAR(r.after[0], 0.0, 1e-11);
    CHECK_NEAR(r.after[1], left, 1e-9);
    CHECK(r.unique);
    *(stop < end ? &stopped : &slides) += 1;
  }
  print_message("slip stopped in %d impacts, went on in %d\n", stopped, slides);
  CHECK(stopped > 300 && slides > 300);
}

// Painleve's rod sliding with no approach: compression ends in stick, P = G^-1 (0, -v_T)
static void test_without_collision(void **state) {
  (void)state;
  const double angle = 1.1, c = cos(angle), n = sin(angle), mass[3] = {1, 1, 1.0 / 3};
  const double critical = (1 + 3 * c * c) / (3 * n * c), e = 0.5;
  const double tip[3] = {0, 1, -c}, slip[3] = {1, 0, n}, u[3] = {-1, 0, 0};
  for (int law = 0; law < 2; law++) {
    setup s;
    begin(&s, (carom_impact_law)law, 3, 0);
    contact(&s, tip, slip, e, critical + 0.1);
    assemble(&s, mass, u);
    s.p.pushing = 0;
    carom_impact_result r = solve(&s);
    double det = s.G[0] * s.G[3] - s.G[1] * s.G[1], P_N = s.G[1] * s.v[1] / det;
    CHECK(P_N > 0.0);
    CHECK_NEAR(r.compression[0], P_N, 1e-13);
    CHECK_NEAR(r.compression[1], -s.G[0] * s.v[1] / det, 1e-13);
    CHECK(r.energy < 0.0);
    if (law == CAROM_IMPACT_NEWTON) {
      CHECK_NEAR(r.after[0], 0.0, 1e-14);
      CHECK_NEAR(r.after[1], 0.0, 1e-14);
    } else {
      // expansion from rest under e P_N: friction holds the tip while |G_NT| / G_TT <= mu
      CHECK(-s.G[1] / s.G[3] < critical);
      CHECK_NEAR(r.after[0], det / s.G[3] * e * P_N, 1e-13);
      CHECK_NEAR(r.after[1], 0.0, 1e-14);
    }
    // below the critical friction there is no such solution
    s.stick[0] = s.slide[0] = critical - 0.1;
    carom_impact_result none;
    assert_int_equal(carom_impact_solve(&s.p, work, &none), CAROM_ERR_NO_CONVERGENCE);
  }
}

// ---- several contacts

static void test_three_balls(void **state) {
  (void)state;
  const double mass[3] = {1, 1, 1}, u[3] = {1, 0, 0}, w1[3] = {-1, 1, 0}, w2[3] = {0, -1, 1};
  for (int law = 0; law < 2; law++) {
    setup s;
    begin(&s, (carom_impact_law)law, 3, 0);
    contact(&s, w1, NULL, 1.0, 0.0);
    contact(&s, w2, NULL, 1.0, 0.0);
    assemble(&s, mass, u);
    carom_impact_result r = solve(&s);
    // both laws: -1/3, 2/3, 2/3, without loss
    CHECK_NEAR(r.impulse[0], 4.0 / 3, 1e-15);
    CHECK_NEAR(r.impulse[1], 2.0 / 3, 1e-15);
    CHECK_NEAR(r.energy, 0.0, 1e-15);
    CHECK(r.unique && !r.gain);
  }
  // a second contact that does not restore is pushed again in the expansion of the first
  setup s;
  begin(&s, CAROM_IMPACT_POISSON, 3, 0);
  contact(&s, w1, NULL, 1.0, 0.0);
  contact(&s, w2, NULL, 0.0, 0.0);
  assemble(&s, mass, u);
  carom_impact_result r = solve(&s);
  CHECK_NEAR(r.after[0], 1.0, 1e-15);
  CHECK_NEAR(r.after[1], 0.0, 1e-15);
  CHECK_NEAR(r.impulse[1], 2.0 / 3, 1e-15);
}

static void test_block_on_corners(void **state) {
  (void)state;
  const double mass[3] = {2, 2, 0.9}, u[3] = {0.7, -1.5, 0};
  const double left[3] = {0, 1, -1}, right[3] = {0, 1, 1}, foot[3] = {1, 0, 0.5};
  for (int law = 0; law < 2; law++)
    for (int k = 0; k <= 2; k++) {
      setup s;
      double e = 0.4 * k;
      begin(&s, (carom_impact_law)law, 3, 0);
      contact(&s, left, NULL, e, 0.0);
      contact(&s, right, NULL, e, 0.0);
      assemble(&s, mass, u);
      carom_impact_result r = solve(&s);
      CHECK_NEAR(r.after[0], 1.5 * e, 1e-14);
      CHECK_NEAR(r.after[1], 1.5 * e, 1e-14);
      CHECK_NEAR(r.impulse[0], (1 + e) * 1.5, 1e-14);
      // each corner by its own e in Newton's law
      s.e[1] = 0.9;
      s.p.law = CAROM_IMPACT_NEWTON;
      r = solve(&s);
      CHECK_NEAR(r.after[0], 1.5 * e, 1e-14);
      CHECK_NEAR(r.after[1], 1.5 * 0.9, 1e-14);
    }
  // e = 0 with friction: both feet stick when the push allows it; the split is the least-norm one
  setup s;
  begin(&s, CAROM_IMPACT_POISSON, 3, 0);
  contact(&s, left, foot, 0.0, 1.5);
  contact(&s, right, foot, 0.0, 1.5);
  assemble(&s, mass, u);
  carom_impact_result r = solve(&s);
  for (int k = 0; k < 4; k++)
    CHECK_NEAR(r.after[k], 0.0, 1e-14);
  CHECK_NEAR(r.impulse[1], -0.7, 1e-14);
  CHECK_NEAR(r.impulse[3], -0.7, 1e-14);
  CHECK(r.modes[0] == CAROM_CONTACT_STICK && r.modes[1] == CAROM_CONTACT_STICK && r.unique);
  CHECK_NEAR(r.energy, -(0.7 * 0.7 + 1.5 * 1.5), 1e-14);
}

// three feet in a row with unequal friction: the split of the blow, and so the brake, is open
static void test_not_unique(void **state) {
  (void)state;
  const double mass[3] = {1, 1, 0.5}, u[3] = {9, -1, 0}, mu[3] = {0.1, 0.2, 0.6};
  setup s;
  begin(&s, CAROM_IMPACT_POISSON, 3, 0);
  for (int i = 0; i < 3; i++) {
    double wn[3] = {0, 1, i - 1.0}, wt[3] = {1, 0, 0};
    contact(&s, wn, wt, 0.0, mu[i]);
  }
  assemble(&s, mass, u);
  carom_impact_result r = solve(&s);
  CHECK(!r.unique);
  CHECK_NEAR(r.impulse[0] + r.impulse[2] + r.impulse[4], 1.0, 1e-13);
  CHECK_NEAR(r.impulse[0], 2 * 1.04 / (1.01 + 4 * 1.04 + 1.36), 1e-13);
  CHECK(fabs(r.other_after[1] - r.after[1]) > 1e-7);
}

// Newton's and Poisson's laws in one impact: a bar falls flat on two feet, one by each law.
// Newton's foot leaves with e times its approach, Poisson's is given back e times its impulse.
static void test_mixed_laws(void **state) {
  (void)state;
  const double mass[3] = {1, 1, 0.1}, u[3] = {0, -1, 0.3}, left[3] = {0, 1, -0.5},
               right[3] = {0, 1, 0.5}, none[3] = {1, 0, 0};
  const carom_impact_law laws[2] = {CAROM_IMPACT_NEWTON, CAROM_IMPACT_POISSON};
  setup s;
  begin(&s, CAROM_IMPACT_POISSON, 3, 0);
  contact(&s, left, none, 0.6, 0.0);
  contact(&s, right, none, 0.4, 0.0);
  assemble(&s, mass, u);
  s.p.laws = laws;
  carom_impact_result r = solve(&s);
  int n = s.normal[0], p = s.normal[1];
  CHECK_NEAR(r.after[n], -0.6 * s.v[n], 1e-13);
  CHECK_NEAR(r.impulse[p], 1.4 * r.compression[p], 1e-13);
  CHECK(r.after[p] > 0.0 && r.unique && !r.relaxed && r.energy < 0.0);
  // both by one law are that law
  const carom_impact_law same[2] = {CAROM_IMPACT_POISSON, CAROM_IMPACT_POISSON};
  s.p.laws = same;
  double v = solve(&s).after[n];
  s.p.laws = NULL;
  CHECK_SAME(solve(&s).after[n], v);
}

// ---- invariants on random impacts

// one phase from its definition: normal complementarity above the floor, friction by the final slip
static void check_phase(const setup *s, const double *floor, const double *P, const double *v) {
  const double tolerance = 1e-8;
  for (int k = 0; k < s->p.constraints; k++)
    CHECK_NEAR(v[k], 0.0, tolerance);
  for (int i = 0; i < s->p.contacts; i++) {
    double N = P[s->normal[i]], extra = N - floor[i], v_N = v[s->normal[i]];
    CHECK(extra >= -tolerance && v_N >= -tolerance && fmin(extra, v_N) <= tolerance);
    if (s->tangent[i] < 0) continue;
    double T = P[s->tangent[i]], v_T = v[s->tangent[i]];
    CHECK(fabs(T) <= fmax(s->stick[i], s->slide[i]) * N + tolerance);
    if (fabs(v_T) > tolerance)
      CHECK_NEAR(T, v_T > 0.0 ? -s->slide[i] * N : s->slide[i] * N, tolerance);
  }
}

// Outcomes that are held: as the law has them they are the same impulses, and nothing is broken.
static void test_held_outcomes(void **state) {
  (void)state;
  int held = 0;
  for (int round = 0; round < 600; round++) {
    setup s;
    int contacts = 1 + round % 3;
    random_impact(&s, (carom_impact_law)(round & 1), 9, round / 2 % 2, contacts, 0.6,
                  round % 7 ? -1.0 : 0.0);
    carom_impact_result r = solve(&s);
    if (r.relaxed || !r.unique) continue;
    carom_contact_mode compressed[MAX_CONTACTS], modes[MAX_CONTACTS];
    double impulse[MAX_ROWS];
    memcpy(compressed, r.compressed, sizeof compressed);
    memcpy(modes, r.modes, sizeof modes);
    memcpy(impulse, r.impulse, sizeof impulse);
    s.p.held_compressed = compressed;
    s.p.held_modes = modes;
    r = solve(&s);
    for (int k = 0; k < s.p.rows; k++)
      CHECK_NEAR(r.impulse[k], impulse[k], 1e-9);
    CHECK(r.margin.value > -1e-9);
    held++;
  }
  CHECK(held > 500);
}

// One contact that comes down while it slips, held in stick and in slip. Where friction is just
// enough to stop it both are the same; with more of it slip would turn back, with less stick takes
// more friction than there is.
static void test_broken_outcomes(void **state) {
  (void)state;
  const double wn[2] = {1.0, 0.3}, wt[2] = {0.3, 1.0}, mass[2] = {1.0, 2.0}, u[2] = {-1.0, 1.5};
  const carom_contact_mode stick = CAROM_CONTACT_STICK, slip = CAROM_CONTACT_SLIP_PLUS;
  setup s;
  for (int law = 0; law < 2; law++)
    for (double mu = 0.1; mu < 3.0; mu += 0.2) {
      begin(&s, (carom_impact_law)law, 2, 0);
      contact(&s, wn, wt, 0.0, mu);
      assemble(&s, mass, u);
      double a = s.G[0], b = s.G[1], c = s.G[3], determinant = a * c - b * b;
      double P_N = (-c * s.v[0] + b * s.v[1]) / determinant,
             P_T = (b * s.v[0] - a * s.v[1]) / determinant;
      s.p.held_compressed = s.p.held_modes = &stick;
      carom_impact_result r = solve(&s);
      CHECK_NEAR(r.impulse[0], P_N, 1e-12);
      CHECK_NEAR(r.impulse[1], P_T, 1e-12);
      CHECK_NEAR(r.margin.value, fmin(P_N, mu * P_N - fabs(P_T)), 1e-12);
      s.p.held_compressed = s.p.held_modes = &slip;
      r = solve(&s);
      double sliding = -s.v[0] / (a - mu * b), after = s.v[1] + (b - mu * c) * sliding;
      CHECK_NEAR(r.impulse[0], sliding, 1e-12 * (1.0 + fabs(sliding)));
      CHECK_NEAR(r.impulse[1], -mu * sliding, 1e-12 * (1.0 + fabs(sliding)));
      CHECK_NEAR(r.after[1], after, 1e-12 * (1.0 + fabs(sliding)));
      if (sliding > 0.0)
        CHECK_NEAR(r.margin.value, fmin(sliding, after / c), 1e-12 * (1.0 + sliding));
    }
}

static void test_random_conditions(void **state) {
  (void)state;
  int solved = 0;
  for (int round = 0; round < 1500; round++) {
    setup s;
    int contacts = 1 + round % 4;
    bool redundant = round % 3 == 0;
    random_impact(&s, (carom_impact_law)(round & 1), redundant ? 3 : 9,
                  redundant ? 0 : round / 2 % 2, contacts, round % 5 ? 0.6 : 0.0,
                  round % 7 ? -1.0 : 0.0);
    carom_impact_result r;
    if (carom_impact_solve(&s.p, work, &r) != CAROM_OK || r.relaxed) continue;
    solved++;
    double zero[MAX_CONTACTS] = {0}, floor[MAX_CONTACTS] = {0}, v[MAX_ROWS] = {0},
           P[MAX_ROWS] = {0};
    for (int k = 0; k < s.p.rows; k++) {
      v[k] = s.v[k];
      for (int j = 0; j < s.p.rows; j++)
        v[k] += s.G[k * s.p.rows + j] * r.compression[j];
    }
    if (s.p.law == CAROM_IMPACT_NEWTON) {
      for (int i = 0; i < contacts; i++)
        v[s.normal[i]] += s.e[i] * fmin(s.v[s.normal[i]], 0.0);
      check_phase(&s, zero, r.impulse, v);
      continue;
    }
    check_phase(&s, zero, r.compression, v);
    for (int i = 0; i < contacts; i++)
      floor[i] = s.e[i] * r.compression[s.normal[i]];
    for (int k = 0; k < s.p.rows; k++)
      P[k] = r.impulse[k] - r.compression[k];
    check_phase(&s, floor, P, r.after);
  }
  CHECK(solved > 1450);
}

static void test_energy(void **state) {
  (void)state;
  int gains = 0;
  for (int round = 0; round < 2000; round++) {
    setup s;
    // Poisson without friction, a common e or one for each: never a gain
    double e = round % 4 == 0 ? 1.0 : round % 4 == 1 ? -1.0 : uniform();
    int contacts = 1 + round % 5;
    random_impact(&s, CAROM_IMPACT_POISSON, round % 2 ? 3 : 8, 0, contacts, 0.0, e);
    carom_impact_result r;
    if (carom_impact_solve(&s.p, work, &r) == CAROM_OK) {
      CHECK(!r.gain);
      CHECK(r.energy <= 1e-12);
      // the energy is that of the bodies: v.P taken another way
      double kinetic = 0.0, size = 0.0;
      for (int k = 0; k < s.p.rows; k++) {
        kinetic += r.impulse[k] * s.v[k];
        size += fabs(r.impulse[k] * s.v[k]);
        for (int j = 0; j < s.p.rows; j++) {
          kinetic += 0.5 * r.impulse[k] * s.G[k * s.p.rows + j] * r.impulse[j];
          size += fabs(r.impulse[k] * s.G[k * s.p.rows + j] * r.impulse[j]);
        }
      }
      CHECK_NEAR(r.energy, kinetic, 1e-14 * size);
    }
    // Newton with friction gains now and then, and says so
    random_impact(&s, CAROM_IMPACT_NEWTON, 3, 0, 1, 1.0, 0.9);
    if (carom_impact_solve(&s.p, work, &r) != CAROM_OK) continue;
    CHECK(r.gain == (r.energy > 1e-9) || fabs(r.energy) < 1e-8);
    gains += r.gain;
  }
  print_message("Newton's law with friction gained energy in %d of 2000 impacts\n", gains);
  CHECK(gains > 0);
}

static void test_mirror_exact(void **state) {
  (void)state;
  for (int round = 0; round < 300; round++) {
    setup s;
    random_impact(&s, (carom_impact_law)(round & 1), round % 3 ? 3 : 8, 0, 1 + round % 3, 0.8,
                  -1.0);
    carom_impact_result r;
    carom_status status = carom_impact_solve(&s.p, work, &r);
    double impulse[MAX_ROWS], turn[MAX_ROWS];
    int n = s.p.rows;
    memcpy(impulse, r.impulse, sizeof(double) * (size_t)n);
    for (int k = 0; k < n; k++)
      turn[k] = 1.0;
    for (int i = 0; i < s.p.contacts; i++)
      turn[s.tangent[i]] = -1.0;
    for (int i = 0; i < n; i++) {
      s.v[i] *= turn[i];
      for (int j = 0; j < n; j++)
        s.G[i * n + j] *= turn[i] * turn[j];
    }
    assert_int_equal(carom_impact_solve(&s.p, work, &r), status);
    for (int k = 0; k < n && status == CAROM_OK; k++)
      CHECK_SAME(r.impulse[k] * turn[k], impulse[k]);
  }
}

// the two-phase law of a plate-striking mass on a wire: closed contacts at rest take no harm
static void test_resting_contact(void **state) {
  (void)state;
  const double mass[2] = {1, 1}, u[2] = {0, -1}, rest[2] = {1, 0}, strike[2] = {0, 1};
  setup s;
  begin(&s, CAROM_IMPACT_POISSON, 2, 0);
  contact(&s, rest, NULL, 0.7, 0.0);
  contact(&s, strike, NULL, 0.5, 0.0);
  assemble(&s, mass, u);
  carom_impact_result r = solve(&s);
  CHECK_SAME(r.after[0], 0.0);
  CHECK_NEAR(r.after[1], 0.5, 1e-15);
  // NaN in, error out
  s.v[0] = NAN;
  assert_int_equal(carom_impact_solve(&s.p, work, &r), CAROM_ERR_NONFINITE);
}

// Two contacts are one: compression leaves open which of them takes the impulse, and with unequal e
// it matters. Of the least norm, half each: v+ = (e1 + e2) / 2.
static void test_open_split_that_matters(void **state) {
  (void)state;
  const double mass[1] = {1}, u[1] = {-1}, row[1] = {1};
  setup s;
  begin(&s, CAROM_IMPACT_POISSON, 1, 0);
  contact(&s, row, NULL, 0.5, 0.0);
  contact(&s, row, NULL, 0.1, 0.0);
  assemble(&s, mass, u);
  carom_impact_result r = solve(&s);
  assert_false(r.unique);
  CHECK_NEAR(r.after[0], 0.3, 1e-15);
  CHECK_NEAR(r.impulse[0] + r.impulse[1], 1.3, 1e-15);
  // the other outcome is one of another split: half-way to all on one of them
  CHECK_NEAR(fabs(r.other_after[0] - 0.3), 0.1, 1e-15);
  CHECK_SAME(r.other_after[0], r.other_after[1]);
  // equal e, no e, or Newton's law: whoever takes the impulse
  s.e[1] = 0.5;
  assert_true(solve(&s).unique);
  s.e[0] = s.e[1] = 0.0;
  assert_true(solve(&s).unique);
  s.e[0] = 0.5;
  s.p.law = CAROM_IMPACT_NEWTON;
  assert_true(solve(&s).unique);
}

// Random bodies on more contacts than they have ways to move. What is reported as open is open: a
// second outcome is shown, and it keeps the bounds. Without friction and with one e nothing is.
static void test_random_open_splits(void **state) {
  (void)state;
  int open = 0;
  for (int trial = 0; trial < 500; trial++) {
    int freedom = 2 + trial % 3, contacts = freedom + 1 + trial % 2;
    bool alike = trial % 5 == 0;
    double mass[4], u[4], e = uniform(), mu = alike || trial % 2 ? 0.0 : 0.3;
    setup s;
    begin(&s, CAROM_IMPACT_POISSON, freedom, 0);
    for (int k = 0; k < freedom; k++) {
      mass[k] = between(0.5, 2.0);
      u[k] = between(-1, 1);
    }
    for (int i = 0; i < contacts; i++) {
      double wn[4], wt[4];
      for (int k = 0; k < freedom; k++) {
        wn[k] = between(-0.3, 1);
        wt[k] = between(-1, 1);
      }
      contact(&s, wn, mu > 0.0 ? wt : NULL, alike ? e : uniform(), mu);
    }
    assemble(&s, mass, u);
    carom_impact_result r;
    if (carom_impact_solve(&s.p, work, &r) != CAROM_OK || r.relaxed) continue;
    if (alike) assert_true(r.unique);
    if (r.unique) continue;
    open++;
    double apart = 0.0;
    for (int i = 0; i < s.p.rows; i++)
      apart = fmax(apart, fabs(r.after[i] - r.other_after[i]));
    assert_true(apart > 1e-9);
    for (int i = 0; i < contacts && mu == 0.0; i++)
      assert_true(r.other_after[s.normal[i]] > -1e-9);
  }
  assert_true(open > 20);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_ball),
      cmocka_unit_test(test_slip_is_stopped_by_mu),
      cmocka_unit_test(test_poisson_one_contact),
      cmocka_unit_test(test_newton_one_contact),
      cmocka_unit_test(test_without_collision),
      cmocka_unit_test(test_three_balls),
      cmocka_unit_test(test_block_on_corners),
      cmocka_unit_test(test_not_unique),
      cmocka_unit_test(test_open_split_that_matters),
      cmocka_unit_test(test_random_open_splits),
      cmocka_unit_test(test_mixed_laws),
      cmocka_unit_test(test_random_conditions),
      cmocka_unit_test(test_held_outcomes),
      cmocka_unit_test(test_broken_outcomes),
      cmocka_unit_test(test_energy),
      cmocka_unit_test(test_mirror_exact),
      cmocka_unit_test(test_resting_contact),
  };
  return cmocka_run_group_tests(tests, start, finish);
}
