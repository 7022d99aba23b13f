// SPDX-License-Identifier: MIT
#include "check.h"
#include "contact/contact.h"

#include <string.h>
#include <time.h>

enum { MAX_ROWS = 24, MAX_CONTACTS = 8, MAX_FREEDOM = 24 };

// a problem with its storage: rows W of a body with mass matrix diag(m), free acceleration a:
// G = W m^-1 W^T, b = W a
typedef struct setup {
  carom_contact_problem p;
  int normal[MAX_CONTACTS], tangent[MAX_CONTACTS], sliding[MAX_CONTACTS];
  double stick[MAX_CONTACTS], slide[MAX_CONTACTS], floor[MAX_CONTACTS];
  double G[MAX_ROWS * MAX_ROWS], b[MAX_ROWS];
  double W[MAX_ROWS][MAX_FREEDOM];
  int freedom;
} setup;

static carom_arena *arena;
static carom_contact_workspace *work;

static int start(void **state) {
  (void)state;
  arena = carom_arena_create(NULL);
  work = carom_contact_workspace_create(arena, MAX_ROWS, MAX_CONTACTS);
  return work ? 0 : 1;
}

static int finish(void **state) {
  (void)state;
  carom_arena_destroy(arena);
  return 0;
}

static void begin(setup *s, int freedom, int constraints) {
  memset(s, 0, sizeof *s);
  s->freedom = freedom;
  s->p = (carom_contact_problem){.rows = constraints,
                                 .constraints = constraints,
                                 .normal = s->normal,
                                 .tangent = s->tangent,
                                 .G = s->G,
                                 .b = s->b,
                                 .stick = s->stick,
                                 .slide = s->slide,
                                 .sliding = s->sliding};
}

// adds a contact with normal row wn, tangent row wt (nullable)
static void contact(setup *s, const double *wn, const double *wt, double mu_s, double mu,
                    int sliding) {
  int i = s->p.contacts++;
  s->normal[i] = s->p.rows;
  memcpy(s->W[s->p.rows++], wn, (size_t)s->freedom * sizeof(double));
  s->tangent[i] = -1;
  if (wt) {
    s->tangent[i] = s->p.rows;
    memcpy(s->W[s->p.rows++], wt, (size_t)s->freedom * sizeof(double));
  }
  s->stick[i] = mu_s;
  s->slide[i] = mu;
  s->sliding[i] = sliding;
}

static void assemble(setup *s, const double *mass, const double *acceleration) {
  int n = s->p.rows;
  for (int i = 0; i < n; i++) {
    s->b[i] = 0.0;
    for (int k = 0; k < s->freedom; k++)
      s->b[i] += s->W[i][k] * acceleration[k];
    for (int j = 0; j < n; j++) {
      s->G[i * n + j] = 0.0;
      for (int k = 0; k < s->freedom; k++)
        s->G[i * n + j] += s->W[i][k] * s->W[j][k] / mass[k];
    }
  }
}

static void fill(setup *s, carom_contact_mode *modes, carom_contact_mode mode) {
  for (int i = 0; i < s->p.contacts; i++)
    modes[i] = mode;
}

static carom_contact_choice choose(setup *s, const carom_contact_mode *current) {
  carom_contact_query query = carom_contact_query_default(current);
  carom_contact_choice choice;
  carom_contact_choose(&s->p, &query, work, &choice);
  return choice;
}

// ---- independent referee: every condition of a mode, in long double, from the definition

static long double rate_of(const setup *s, const double *lambda, int row) {
  long double sum = s->b[row];
  for (int j = 0; j < s->p.rows; j++)
    sum += (long double)s->G[row * s->p.rows + j] * (long double)lambda[j];
  return sum;
}

static long double violation_of(const setup *s, const carom_contact_mode *modes,
                                const double *lambda) {
  long double worst = 0.0L;
#define WANT(x) worst = fmaxl(worst, -(x))
#define ZERO(x) worst = fmaxl(worst, fabsl(x))
  for (int k = 0; k < s->p.constraints; k++)
    ZERO(rate_of(s, lambda, k));
  for (int i = 0; i < s->p.contacts; i++) {
    int normal = s->normal[i], tangent = s->tangent[i];
    long double N = lambda[normal], uN = rate_of(s, lambda, normal);
    long double T = tangent < 0 ? 0.0L : lambda[tangent];
    long double uT = tangent < 0 ? 0.0L : rate_of(s, lambda, tangent);
    int sign = carom_contact_slip_sign(modes[i]);
    if (modes[i] == CAROM_CONTACT_OPEN) {
      ZERO(N);
      ZERO(T);
      WANT(uN);
      continue;
    }
    WANT(N);
    ZERO(uN);
    if (tangent < 0) continue;
    if (sign == 0) {
      ZERO(uT);
      WANT(s->stick[i] * N - fabsl(T));
    } else {
      ZERO(T + sign * s->slide[i] * N);
      if (s->sliding[i] == 0) WANT(sign * uT);
      CHECK(s->sliding[i] != -sign);
    }
    if (s->sliding[i]) CHECK(sign == s->sliding[i]);
  }
  return worst;
#undef WANT
#undef ZERO
}

// Gauss with complete pivoting in long double; false when singular
static bool gauss(int n, long double A[MAX_ROWS][MAX_ROWS + 1], long double *x) {
  int column_of[MAX_ROWS] = {0};
  for (int k = 0; k < n; k++)
    column_of[k] = k;
  for (int k = 0; k < n; k++) {
    int pr = k, pc = k;
    for (int i = k; i < n; i++)
      for (int j = k; j < n; j++)
        if (fabsl(A[i][j]) > fabsl(A[pr][pc])) {
          pr = i;
          pc = j;
        }
    if (fabsl(A[pr][pc]) < 1e-13L) return false;
    for (int j = 0; j <= n; j++) {
      long double t = A[k][j];
      A[k][j] = A[pr][j];
      A[pr][j] = t;
    }
    for (int i = 0; i < n; i++) {
      long double t = A[i][k];
      A[i][k] = A[i][pc];
      A[i][pc] = t;
    }
    int c = column_of[k];
    column_of[k] = column_of[pc];
    column_of[pc] = c;
    for (int i = k + 1; i < n; i++) {
      long double factor = A[i][k] / A[k][k];
      for (int j = k; j <= n; j++)
        A[i][j] -= factor * A[k][j];
    }
  }
  for (int k = n - 1; k >= 0; k--) {
    long double sum = A[k][n];
    for (int j = k + 1; j < n; j++)
      sum -= A[k][j] * x[column_of[j]];
    x[column_of[k]] = sum / A[k][k];
  }
  return true;
}

// forces of a set straight from its equations (all forces unknown, no reduction); false: singular
static bool direct(const setup *s, const carom_contact_mode *modes, double *lambda) {
  int n = s->p.rows;
  long double A[MAX_ROWS][MAX_ROWS + 1] = {{0}}, x[MAX_ROWS];
  bool force_free[MAX_ROWS] = {false};
  for (int k = 0; k < s->p.constraints; k++)
    force_free[k] = true;
  for (int i = 0; i < s->p.contacts; i++) {
    if (modes[i] == CAROM_CONTACT_OPEN) continue;
    force_free[s->normal[i]] = true;
    if (s->tangent[i] >= 0 && modes[i] == CAROM_CONTACT_STICK) force_free[s->tangent[i]] = true;
  }
  for (int k = 0; k < n; k++) {
    if (!force_free[k]) {
      A[k][k] = 1.0L;
      continue;
    }
    for (int j = 0; j < n; j++)
      A[k][j] = s->G[k * n + j];
    A[k][n] = -(long double)s->b[k];
  }
  for (int i = 0; i < s->p.contacts; i++) {
    int sign = carom_contact_slip_sign(modes[i]);
    if (sign && s->tangent[i] >= 0) A[s->tangent[i]][s->normal[i]] = sign * s->slide[i];
  }
  if (!gauss(n, A, x)) return false;
  for (int k = 0; k < n; k++)
    lambda[k] = (double)x[k];
  return true;
}

// ---- random problems

static uint64_t seed = 1;
static double uniform(void) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(seed >> 11) / 9007199254740992.0;
}
static double between(double lo, double hi) { return lo + (hi - lo) * uniform(); }

static void random_problem(setup *s, int freedom, int constraints, int contacts, double mu,
                           bool static_higher, bool sliding) {
  begin(s, freedom, constraints);
  double mass[MAX_FREEDOM], acceleration[MAX_FREEDOM], wn[MAX_FREEDOM], wt[MAX_FREEDOM];
  for (int k = 0; k < constraints; k++)
    for (int j = 0; j < freedom; j++)
      s->W[k][j] = between(-1, 1);
  for (int k = 0; k < freedom; k++) {
    mass[k] = between(0.5, 2.0);
    acceleration[k] = between(-1, 1);
  }
  for (int i = 0; i < contacts; i++) {
    for (int k = 0; k < freedom; k++) {
      wn[k] = between(-1, 1);
      wt[k] = between(-1, 1);
    }
    double slide = mu * uniform();
    int sign = !sliding || uniform() < 0.4 ? 0 : uniform() < 0.5 ? 1 : -1;
    bool smooth = uniform() < 0.15;
    double stick = static_higher ? slide * between(1, 2) : slide;
    contact(s, wn, smooth ? NULL : wt, stick, slide, sign);
  }
  assemble(s, mass, acceleration);
  for (int k = 0; k < constraints; k++)
    s->b[k] = between(-1, 1);
}

static void test_random_against_enumeration(void **state) {
  (void)state;
  static const carom_contact_mode list[4] = {CAROM_CONTACT_STICK, CAROM_CONTACT_SLIP_PLUS,
                                             CAROM_CONTACT_SLIP_MINUS, CAROM_CONTACT_OPEN};
  int multiple = 0, none = 0, single = 0;
  for (int round = 0; round < 3000; round++) {
    setup s;
    int contacts = 1 + round % 3;
    double mu = round % 5 == 0 ? 3.0 : 0.8;
    random_problem(&s, 8, round % 2, contacts, mu, false, round % 4 > 1);
    carom_contact_mode current[MAX_CONTACTS], modes[MAX_CONTACTS] = {CAROM_CONTACT_OPEN};
    fill(&s, current, CAROM_CONTACT_OPEN);
    // every set by itself: keep the preferred one, and whether rates differ
    int count = 1, best_sticks = -1, best_changes = 99, consistent = 0;
    double best_rate[MAX_ROWS] = {0};
    bool different = false, persists = false, doubtful = false;
    carom_contact_mode best[MAX_CONTACTS] = {0};
    for (int i = 0; i < contacts; i++)
      count *= 4;
    for (int code = 0; code < count; code++) {
      bool legal = true;
      int sticks = 0, changes = 0;
      for (int i = 0, c = code; i < contacts; i++, c /= 4) {
        modes[i] = list[c % 4];
        int sign = carom_contact_slip_sign(modes[i]);
        if (s.tangent[i] < 0 && modes[i] == CAROM_CONTACT_STICK)
          modes[i] = CAROM_CONTACT_CLOSED;
        else if (s.tangent[i] < 0 && sign)
          legal = false;
        if (s.tangent[i] >= 0 && s.sliding[i] && modes[i] != CAROM_CONTACT_OPEN &&
            sign != s.sliding[i])
          legal = false;
        sticks += modes[i] == CAROM_CONTACT_STICK;
        changes += modes[i] != CAROM_CONTACT_OPEN;
      }
      double lambda[MAX_ROWS];
      if (!legal || !direct(&s, modes, lambda)) continue;
      long double violation = violation_of(&s, modes, lambda);
      if (violation > 1e-12L && violation < 1e-8L) doubtful = true;
      if (violation > 1e-10L) continue;
      consistent++;
      for (int k = 0; k < s.p.rows; k++) {
        double rate = (double)rate_of(&s, lambda, k);
        if (consistent == 1) best_rate[k] = rate;
        if (fabs(rate - best_rate[k]) > 1e-5) different = true;
      }
      if (changes == 0) persists = true;
      if (sticks < best_sticks || (sticks == best_sticks && changes >= best_changes)) continue;
      best_sticks = sticks;
      best_changes = changes;
      memcpy(best, modes, sizeof best);
    }
    if (doubtful) continue;
    carom_contact_query query = carom_contact_query_default(current);
    query.flight = false;
    carom_contact_choice choice;
    carom_contact_choose(&s.p, &query, work, &choice);
    CHECK((choice.outcome == CAROM_CONTACT_INCONSISTENT) == (consistent == 0));
    if (consistent == 0) {
      none++;
      CHECK(choice.coefficient < 1e-9);
      continue;
    }
    CHECK_NEAR((double)violation_of(&s, choice.modes, choice.lambda), 0.0, 1e-9);
    for (int k = 0; k < s.p.rows; k++)
      CHECK_NEAR(choice.rate[k], (double)rate_of(&s, choice.lambda, k), 1e-9);
    int sticks = 0, changes = 0;
    for (int i = 0; i < contacts; i++) {
      sticks += choice.modes[i] == CAROM_CONTACT_STICK;
      changes += choice.modes[i] != CAROM_CONTACT_OPEN;
    }
    if (persists)
      assert_int_equal(changes, 0);
    else {
      assert_int_equal(sticks, best_sticks);
      assert_int_equal(changes, best_changes);
    }
    assert_int_equal(choice.unique, !different);
    if (different) {
      multiple++;
      CHECK_NEAR((double)violation_of(&s, choice.other_modes, choice.other_lambda), 0.0, 1e-9);
      double apart = 0.0;
      for (int k = 0; k < s.p.rows; k++)
        apart = fmax(apart, fabs(choice.rate[k] - choice.other_rate[k]));
      CHECK(apart > 1e-7);
    } else {
      single++;
    }
  }
  CHECK(multiple > 10 && none > 5 && single > 1000);
}

// redundant contacts: eight on three freedoms; no enumeration, but every condition is checked
static void test_eight_on_three(void **state) {
  (void)state;
  int most = 0, consistent = 0;
  for (int round = 0; round < 60; round++) {
    setup s;
    random_problem(&s, 3, 0, 8, 0.5, round % 2 == 1, round % 3 == 0);
    carom_contact_mode current[8];
    fill(&s, current, CAROM_CONTACT_OPEN);
    carom_contact_choice choice = choose(&s, current);
    CHECK(!choice.gave_up);
    if (choice.nodes > most) most = choice.nodes;
    if (choice.outcome == CAROM_CONTACT_INCONSISTENT) continue;
    consistent++;
    CHECK_NEAR((double)violation_of(&s, choice.modes, choice.lambda), 0.0, 1e-8);
    if (!choice.unique)
      CHECK_NEAR((double)violation_of(&s, choice.other_modes, choice.other_lambda), 0.0, 1e-8);
  }
  CHECK(consistent > 30);
  print_message("eight contacts on three freedoms: at most %d sets and part-sets\n", most);
}

// The least norm among admissible forces is a convex matter: no step within the null space that
// keeps the conditions may shorten the force. Null vectors are made from W itself.
static void test_least_norm(void **state) {
  (void)state;
  int pressed = 0;
  for (int round = 0; round < 300; round++) {
    setup s;
    random_problem(&s, 3, 0, 3, 0.9, false, false);
    carom_contact_mode modes[MAX_CONTACTS];
    fill(&s, modes, CAROM_CONTACT_STICK);
    double lambda[MAX_ROWS], basis[3][MAX_ROWS], norm = 0.0;
    if (!carom_contact_forces(&s.p, modes, work, lambda, NULL, NULL)) continue;
    int n = s.p.rows;
    for (int k = 0; k < n; k++)
      norm += lambda[k] * lambda[k];
    // columns of W span what the null space is orthogonal to
    for (int c = 0; c < 3; c++) {
      double length = 0.0;
      for (int k = 0; k < n; k++)
        basis[c][k] = s.W[k][c];
      for (int pass = 0; pass < 2; pass++)
        for (int d = 0; d < c; d++) {
          double dot = 0.0;
          for (int k = 0; k < n; k++)
            dot += basis[c][k] * basis[d][k];
          for (int k = 0; k < n; k++)
            basis[c][k] -= dot * basis[d][k];
        }
      for (int k = 0; k < n; k++)
        length += basis[c][k] * basis[c][k];
      for (int k = 0; k < n; k++)
        basis[c][k] /= sqrt(length);
    }
    bool active = false;
    for (int i = 0; i < s.p.contacts; i++) {
      double N = lambda[s.normal[i]], T = s.tangent[i] < 0 ? 0.0 : lambda[s.tangent[i]];
      if (N < 1e-9 * sqrt(norm) || s.stick[i] * N - fabs(T) < 1e-9 * sqrt(norm)) active = true;
    }
    pressed += active;
    for (int trial = 0; trial < 300; trial++) {
      double step[MAX_ROWS], moved[MAX_ROWS], shorter = 0.0, size = sqrt(norm) * 1e-3;
      for (int k = 0; k < n; k++)
        step[k] = between(-1, 1);
      for (int c = 0; c < 3; c++) {
        double dot = 0.0;
        for (int k = 0; k < n; k++)
          dot += step[k] * basis[c][k];
        for (int k = 0; k < n; k++)
          step[k] -= dot * basis[c][k];
      }
      for (int k = 0; k < n; k++) {
        moved[k] = lambda[k] + size * step[k];
        shorter += moved[k] * moved[k];
      }
      if (violation_of(&s, modes, moved) < 1e-11L * sqrtl((long double)norm))
        CHECK(shorter > norm * (1 - 1e-8));
    }
  }
  CHECK(pressed > 30);
}

// ---- closed forms

// a block on a slope: sticks up to tan = mu_s, then slides with g (sin - mu cos)
static void test_block_on_slope(void **state) {
  (void)state;
  const double g = 9.81, mu_s = 0.5, mu = 0.3, wn[2] = {0, 1}, wt[2] = {1, 0}, mass[2] = {2, 2};
  for (int side = -1; side <= 1; side += 2)
    for (int step = 0; step <= 20; step++) {
      double angle = 0.05 * step;
      setup s;
      begin(&s, 2, 0);
      contact(&s, wn, wt, mu_s, mu, 0);
      double acceleration[2] = {side * g * sin(angle), -g * cos(angle)};
      assemble(&s, mass, acceleration);
      carom_contact_mode current[1] = {CAROM_CONTACT_STICK};
      carom_contact_choice choice = choose(&s, current);
      CHECK(choice.outcome == CAROM_CONTACT_CONSISTENT && choice.unique);
      CHECK_NEAR(choice.lambda[0], 2 * g * cos(angle), 1e-13);
      double lambda[2], rate[2];
      carom_contact_margin margin;
      bool sticks = carom_contact_forces(&s.p, current, work, lambda, rate, &margin);
      CHECK(sticks == (tan(angle) <= mu_s));
      CHECK_NEAR(margin.value, fmin(2 * g * cos(angle), 2 * g * (mu_s * cos(angle) - sin(angle))),
                 1e-13);
      if (!sticks) {
        CHECK(margin.condition ==
              (side > 0 ? CAROM_CONDITION_CONE_MINUS : CAROM_CONDITION_CONE_PLUS));
        CHECK(carom_contact_slip_sign(choice.modes[0]) == side);
        CHECK_NEAR(choice.rate[1], side * g * (sin(angle) - mu * cos(angle)), 1e-13);
      } else {
        CHECK(choice.modes[0] == CAROM_CONTACT_STICK);
        CHECK_NEAR(choice.rate[1], 0.0, 1e-15);
      }
    }
}

// a body (x, y, theta) with legs at x_i, a height h below its centre, pushed by F
static void legs(setup *s, int count, const double *x, const double *mu_s, const double *mu,
                 double h, double F, int sliding) {
  const double g = 10.0, mass[3] = {1.5, 1.5, 0.8};
  double acceleration[3] = {F / mass[0], -g, 0.0};
  begin(s, 3, 0);
  for (int i = 0; i < count; i++) {
    double wn[3] = {0, 1, x[i]}, wt[3] = {1, 0, h};
    contact(s, wn, wt, mu_s[i], mu[i], sliding);
  }
  assemble(s, mass, acceleration);
}

// the push at which the margin of sticking vanishes
static double stick_limit(int count, const double *x, const double *mu, double h) {
  double lo = 0.0, hi = 30.0;
  carom_contact_mode modes[MAX_CONTACTS];
  double lambda[MAX_ROWS];
  carom_contact_margin margin;
  setup s;
  for (int i = 0; i < 60; i++) {
    double F = 0.5 * (lo + hi);
    legs(&s, count, x, mu, mu, h, F, 0);
    fill(&s, modes, CAROM_CONTACT_STICK);
    carom_contact_forces(&s.p, modes, work, lambda, NULL, &margin);
    if (margin.value > 0.0)
      lo = F;
    else
      hi = F;
  }
  return lo;
}

static void test_four_legs(void **state) {
  (void)state;
  const double weight = 15.0, x[4] = {-2, -1, 1, 2};
  // equal mu: |F| = mu W as long as no leg must lift
  const double equal[4] = {0.4, 0.4, 0.4, 0.4};
  CHECK_NEAR(stick_limit(4, x, equal, 0.0), 0.4 * weight, 1e-11);
  CHECK_NEAR(stick_limit(4, x, equal, 1.0), 0.4 * weight, 1e-11);
  // unequal: the largest sum of mu N over all supports; here legs 1 and 2 carry everything
  const double unequal[4] = {0.2, 0.4, 0.6, 0.3};
  CHECK_NEAR(stick_limit(4, x, unequal, 0.0), 0.5 * weight, 1e-11);
  // beyond the least-norm force and before the limit: sticking, cones kept, rates zero
  setup s;
  carom_contact_mode modes[4];
  double lambda[8], rate[8];
  carom_contact_margin margin;
  for (int push = 0; push < 30; push++) {
    legs(&s, 4, x, unequal, unequal, 0.0, 0.25 * push, 0);
    fill(&s, modes, CAROM_CONTACT_STICK);
    CHECK(carom_contact_forces(&s.p, modes, work, lambda, rate, &margin));
    CHECK(margin.value > 0.0 && margin.determinant == 0.0);
    CHECK_NEAR((double)violation_of(&s, modes, lambda), 0.0, 1e-11);
    for (int k = 0; k < 8; k++)
      CHECK_NEAR(rate[k], 0.0, 1e-13);
    // no admissible force nearby in the null space is smaller
    double norm = 0.0;
    for (int k = 0; k < 8; k++)
      norm += lambda[k] * lambda[k];
    for (int trial = 0; trial < 200; trial++) {
      double a = between(-1e-3, 1e-3), c = between(-1e-3, 1e-3), t[4], sum = 0.0, other = 0.0;
      double shift[8];
      for (int i = 0; i < 3; i++)
        sum += t[i] = between(-1e-3, 1e-3);
      t[3] = -sum;
      // N moves by a (1, -2, 2, -1) + c (1, -4/3, 0, 1/3): neither total nor moment changes
      const double first[4] = {1, -2, 2, -1}, second[4] = {1, -4.0 / 3, 0, 1.0 / 3};
      for (int i = 0; i < 4; i++) {
        shift[2 * i] = lambda[2 * i] + a * first[i] + c * second[i];
        shift[2 * i + 1] = lambda[2 * i + 1] + t[i];
      }
      for (int k = 0; k < 8; k++)
        other += shift[k] * shift[k];
      if (violation_of(&s, modes, shift) < 1e-12L) CHECK(other > norm * (1 - 1e-12));
    }
  }
  // past the limit all slip at once
  legs(&s, 4, x, equal, equal, 0.0, 0.4 * weight + 0.01, 0);
  fill(&s, modes, CAROM_CONTACT_STICK);
  carom_contact_choice choice = choose(&s, modes);
  CHECK(choice.unique);
  for (int i = 0; i < 4; i++) {
    CHECK(choice.modes[i] == CAROM_CONTACT_SLIP_PLUS);
    CHECK_NEAR(choice.rate[2 * i + 1], 0.01 / 1.5, 1e-12);
  }
}

// at the end of sticking of two legs every neighbour is weakly admissible; a look ahead decides
static void test_ahead(void **state) {
  (void)state;
  const double x[2] = {-1, 1}, mu[2] = {0.4, 0.4}, limit = 0.4 * 15.0;
  setup s, later;
  legs(&s, 2, x, mu, mu, 0.2, limit, 0);
  legs(&later, 2, x, mu, mu, 0.2, limit * (1 + 1e-7), 0);
  carom_contact_mode modes[2] = {CAROM_CONTACT_STICK, CAROM_CONTACT_STICK};
  carom_contact_query query = carom_contact_query_default(modes);
  carom_contact_choice choice;
  carom_contact_choose(&s.p, &query, work, &choice);
  CHECK(choice.modes[0] == CAROM_CONTACT_STICK && choice.modes[1] == CAROM_CONTACT_STICK);
  query.ahead = &later.p;
  carom_contact_choose(&s.p, &query, work, &choice);
  CHECK(choice.modes[0] == CAROM_CONTACT_SLIP_PLUS && choice.modes[1] == CAROM_CONTACT_SLIP_PLUS);
  CHECK(choice.outcome == CAROM_CONTACT_CONSISTENT);
  // excluding sets one by one gets there as well, most sticks first
  carom_contact_mode excluded[3][2] = {{CAROM_CONTACT_STICK, CAROM_CONTACT_STICK}};
  query.ahead = NULL;
  query.excluded = &excluded[0][0];
  for (query.excluded_count = 1; query.excluded_count < 3; query.excluded_count++) {
    carom_contact_choose(&s.p, &query, work, &choice);
    CHECK(choice.modes[query.excluded_count - 1] == CAROM_CONTACT_SLIP_PLUS);
    memcpy(excluded[query.excluded_count], choice.modes, sizeof excluded[0]);
  }
  carom_contact_choose(&s.p, &query, work, &choice);
  CHECK(choice.modes[0] == CAROM_CONTACT_SLIP_PLUS && choice.modes[1] == CAROM_CONTACT_SLIP_PLUS);
}

// three sliding legs in a row: N = (a, W - 2a, a), friction sum mu N depends on a; the least norm
// has a = 2 (1 + mu_1^2) W / ((1 + mu_0^2) + 4 (1 + mu_1^2) + (1 + mu_2^2))
static void test_three_collinear(void **state) {
  (void)state;
  const double x[3] = {-1, 0, 1}, mu[3] = {0.1, 0.2, 0.6}, W = 15.0;
  setup s;
  legs(&s, 3, x, mu, mu, 0.0, 0.0, 1);
  carom_contact_mode modes[3];
  fill(&s, modes, CAROM_CONTACT_SLIP_PLUS);
  carom_contact_choice choice = choose(&s, modes);
  double a = 2 * 1.04 * W / (1.01 + 4 * 1.04 + 1.36);
  CHECK_NEAR(choice.lambda[0], a, 1e-13);
  CHECK_NEAR(choice.lambda[2], W - 2 * a, 1e-13);
  CHECK_NEAR(choice.lambda[4], a, 1e-13);
  CHECK(!choice.unique && choice.outcome == CAROM_CONTACT_CONSISTENT);
  CHECK_NEAR((double)violation_of(&s, choice.other_modes, choice.other_lambda), 0.0, 1e-10);
  CHECK(fabs(choice.rate[1] - choice.other_rate[1]) > 1e-7);
  // with equal mu the split is as free but does not matter
  const double equal[3] = {0.3, 0.3, 0.3};
  legs(&s, 3, x, equal, equal, 0.0, 0.0, 1);
  choice = choose(&s, modes);
  CHECK(choice.unique);
  CHECK_NEAR(choice.rate[1], -0.3 * 10.0, 1e-13);
}

// a rod between two walls: held by any large enough squeeze, or falling: not unique
static void test_wedged_rod(void **state) {
  (void)state;
  const double mu = 0.4, m = 2.0, g = 10.0, mass[3] = {m, m, 0.3}, acceleration[3] = {0, -g, 0};
  const double n1[3] = {1, 0, 0}, n2[3] = {-1, 0, 0}, t1[3] = {0, 1, -1}, t2[3] = {0, 1, 1};
  setup s;
  begin(&s, 3, 0);
  contact(&s, n1, t1, mu, mu, 0);
  contact(&s, n2, t2, mu, mu, 0);
  assemble(&s, mass, acceleration);
  carom_contact_mode modes[2] = {CAROM_CONTACT_STICK, CAROM_CONTACT_STICK};
  carom_contact_choice choice = choose(&s, modes);
  CHECK(choice.modes[0] == CAROM_CONTACT_STICK && choice.modes[1] == CAROM_CONTACT_STICK);
  CHECK_NEAR(choice.lambda[1], m * g / 2, 1e-12);
  CHECK_NEAR(choice.lambda[3], m * g / 2, 1e-12);
  CHECK_NEAR(choice.lambda[0], m * g / 2 / mu, 1e-8);
  CHECK_NEAR(choice.lambda[2], m * g / 2 / mu, 1e-8);
  CHECK(!choice.unique);
  CHECK_NEAR((double)violation_of(&s, choice.other_modes, choice.other_lambda), 0.0, 1e-8);
  double lambda[4];
  carom_contact_margin margin;
  CHECK(carom_contact_forces(&s.p, modes, work, lambda, NULL, &margin));
  CHECK(margin.value > 0.0);
  // it falls if it was free
  fill(&s, modes, CAROM_CONTACT_OPEN);
  choice = choose(&s, modes);
  CHECK(choice.modes[0] == CAROM_CONTACT_OPEN && !choice.unique);
  CHECK_NEAR(choice.rate[1], -g, 1e-14);
}

// a ladder (length 2, uniform) between floor and smooth wall stands up to tan(angle to wall) = 2 mu
static void test_ladder(void **state) {
  (void)state;
  const double g = 10.0, mass[3] = {1, 1, 1.0 / 3}, mu = 0.35, acceleration[3] = {0, -g, 0};
  for (int side = -1; side <= 1; side += 2) {
    // theta from the vertical; foot at (x + sin, y - cos), head at (x - sin, y + cos), the
    // velocities of the ends by differentiation
    double angle = atan(2 * mu) + side * 1e-7, c = cos(angle), n = sin(angle);
    const double foot[3] = {0, 1, n}, slip[3] = {1, 0, c}, head[3] = {1, 0, -c};
    setup s;
    begin(&s, 3, 0);
    contact(&s, foot, slip, mu, mu, 0);
    contact(&s, head, NULL, 0, 0, 0);
    assemble(&s, mass, acceleration);
    carom_contact_mode modes[2] = {CAROM_CONTACT_STICK, CAROM_CONTACT_CLOSED};
    carom_contact_choice choice = choose(&s, modes);
    CHECK(choice.outcome == CAROM_CONTACT_CONSISTENT);
    CHECK(choice.modes[0] == (side < 0 ? CAROM_CONTACT_STICK : CAROM_CONTACT_SLIP_PLUS));
    CHECK(choice.modes[1] == CAROM_CONTACT_CLOSED);
    // floor carries the weight, wall force m g tan / 2
    CHECK_NEAR(choice.lambda[0], g, 1e-5);
    CHECK_NEAR(choice.lambda[2], g * mu, 1e-5);
    CHECK_NEAR((double)violation_of(&s, choice.modes, choice.lambda), 0.0, 1e-13);
  }
}

// Painleve's rod: tip at (x - cos, y - sin), J = 1/3: G_NN = 1 + 3 cos^2, G_NT = -3 sin cos;
// sliding to the left it has A = 1 + 3 cos^2 - 3 mu sin cos, so A < 0 for mu > (1 + 3 cos^2) / (3
// sin cos)
static void painleve(setup *s, double angle, double mu, double spin, int sliding) {
  const double g = 10.0, mass[3] = {1, 1, 1.0 / 3}, c = cos(angle), n = sin(angle);
  const double tip[3] = {0, 1, -c}, slip[3] = {1, 0, n}, acceleration[3] = {0, -g, 0};
  begin(s, 3, 0);
  contact(s, tip, slip, mu, mu, sliding);
  assemble(s, mass, acceleration);
  s->b[0] += n * spin * spin;
  s->b[1] += c * spin * spin;
}

static void test_painleve(void **state) {
  (void)state;
  const double angle = 1.1, c = cos(angle), n = sin(angle);
  const double critical = (1 + 3 * c * c) / (3 * n * c);
  carom_contact_mode modes[1] = {CAROM_CONTACT_SLIP_MINUS};
  setup s;
  // below the threshold: contact, or flight when the centrifugal term lifts it
  painleve(&s, angle, critical - 1e-6, 0.0, -1);
  carom_contact_choice choice = choose(&s, modes);
  CHECK(choice.outcome == CAROM_CONTACT_CONSISTENT && choice.unique);
  CHECK(choice.modes[0] == CAROM_CONTACT_SLIP_MINUS);
  CHECK_RELATIVE(choice.coefficient, 3 * n * c * 1e-6, 1e-8);
  // above, pressed on: inconsistent
  double mu = critical + 0.1;
  painleve(&s, angle, mu, 0.0, -1);
  choice = choose(&s, modes);
  CHECK(choice.outcome == CAROM_CONTACT_INCONSISTENT);
  CHECK_NEAR(choice.coefficient, -3 * n * c * 0.1, 1e-13);
  CHECK(choice.contact == 0);
  // above, lifted: flight or contact; flight is taken
  painleve(&s, angle, mu, 5.0, -1);
  choice = choose(&s, modes);
  CHECK(choice.outcome == CAROM_CONTACT_INDETERMINATE && !choice.unique);
  CHECK(choice.modes[0] == CAROM_CONTACT_OPEN);
  CHECK(choice.other_modes[0] == CAROM_CONTACT_SLIP_MINUS);
  CHECK_NEAR(choice.coefficient, -3 * n * c * 0.1, 1e-13);
  CHECK_RELATIVE(choice.other_lambda[0], s.b[0] / (3 * n * c * 0.1), 1e-12);
  // the same when it was open before
  modes[0] = CAROM_CONTACT_OPEN;
  choice = choose(&s, modes);
  CHECK(choice.outcome == CAROM_CONTACT_INDETERMINATE && choice.modes[0] == CAROM_CONTACT_OPEN);
  // at the end of stick it leaves, for slip cannot last: with lambda = (1, mu) the cone is just
  // full
  for (int lead = 0; lead < 2; lead++) {
    setup later;
    painleve(&s, angle, mu, 0.0, 0);
    painleve(&later, angle, mu, 0.0, 0);
    for (int k = 0; k < 2; k++) {
      s.b[k] = -(s.G[2 * k] + mu * s.G[2 * k + 1]);
      later.b[k] = -(s.G[2 * k] + (mu + 1e-6) * s.G[2 * k + 1]);
    }
    modes[0] = CAROM_CONTACT_STICK;
    carom_contact_query query = carom_contact_query_default(modes);
    query.excluded = modes;
    query.excluded_count = 1 - lead;
    if (lead) query.ahead = &later.p;
    carom_contact_choose(&s.p, &query, work, &choice);
    CHECK(choice.outcome == CAROM_CONTACT_INDETERMINATE && choice.modes[0] == CAROM_CONTACT_OPEN);
    CHECK(choice.other_modes[0] == CAROM_CONTACT_SLIP_MINUS && choice.contact == 0);
    CHECK_NEAR(choice.coefficient, -3 * n * c * 0.1, 1e-13);
    CHECK_NEAR(choice.other_lambda[0], 1.0, 1e-12);
  }
  modes[0] = CAROM_CONTACT_OPEN;
  // sliding the other way nothing is special
  painleve(&s, angle, mu, 0.0, 1);
  choice = choose(&s, modes);
  CHECK(choice.outcome == CAROM_CONTACT_CONSISTENT && choice.unique);
  CHECK(choice.modes[0] == CAROM_CONTACT_SLIP_PLUS);
  // margin and determinant on both sides of the threshold
  double lambda[2];
  carom_contact_margin margin;
  modes[0] = CAROM_CONTACT_SLIP_MINUS;
  painleve(&s, angle, critical - 0.01, 0.0, -1);
  carom_contact_forces(&s.p, modes, work, lambda, NULL, &margin);
  CHECK(margin.value > 0.0 && margin.determinant > 0.0);
  painleve(&s, angle, critical + 0.01, 0.0, -1);
  carom_contact_forces(&s.p, modes, work, lambda, NULL, &margin);
  CHECK(margin.value < 0.0 && margin.determinant < 0.0);
}

// ---- invariance

static void test_mirror_exact(void **state) {
  (void)state;
  for (int round = 0; round < 400; round++) {
    setup s, mirrored;
    bool redundant = round % 2;
    random_problem(&s, redundant ? 3 : 8, 0, redundant ? 4 : 3, 0.9, true, round % 3 == 0);
    mirrored = s;
    mirrored.p.normal = mirrored.normal;
    mirrored.p.tangent = mirrored.tangent;
    mirrored.p.G = mirrored.G;
    mirrored.p.b = mirrored.b;
    mirrored.p.stick = mirrored.stick;
    mirrored.p.slide = mirrored.slide;
    mirrored.p.sliding = mirrored.sliding;
    int n = s.p.rows;
    double turn[MAX_ROWS];
    for (int k = 0; k < n; k++)
      turn[k] = 1.0;
    for (int i = 0; i < s.p.contacts; i++) {
      mirrored.sliding[i] = -s.sliding[i];
      if (s.tangent[i] >= 0) turn[s.tangent[i]] = -1.0;
    }
    for (int i = 0; i < n; i++) {
      mirrored.b[i] *= turn[i];
      for (int j = 0; j < n; j++)
        mirrored.G[i * n + j] *= turn[i] * turn[j];
    }
    carom_contact_mode current[MAX_CONTACTS];
    fill(&s, current, CAROM_CONTACT_OPEN);
    double lambda[MAX_ROWS], other[MAX_ROWS];
    carom_contact_mode modes[MAX_CONTACTS];
    carom_contact_choice choice = choose(&s, current);
    carom_contact_outcome outcome = choice.outcome;
    bool unique = choice.unique;
    memcpy(lambda, choice.lambda, sizeof(double) * (size_t)n);
    memcpy(other, choice.other_lambda, sizeof(double) * (size_t)n);
    memcpy(modes, choice.modes, sizeof modes[0] * (size_t)s.p.contacts);
    choice = choose(&mirrored, current);
    CHECK(choice.outcome == outcome && choice.unique == unique);
    for (int k = 0; k < n; k++) {
      CHECK_SAME(choice.lambda[k] * turn[k], lambda[k]);
      if (!unique) CHECK_SAME(choice.other_lambda[k] * turn[k], other[k]);
    }
    for (int i = 0; i < s.p.contacts; i++)
      assert_int_equal(carom_contact_slip_sign(choice.modes[i]),
                       -carom_contact_slip_sign(modes[i]));
  }
}

static void test_scaling(void **state) {
  (void)state;
  for (int round = 0; round < 200; round++) {
    setup s;
    random_problem(&s, round % 2 ? 3 : 8, 0, 3, 0.9, true, false);
    carom_contact_mode current[MAX_CONTACTS], modes[MAX_CONTACTS];
    fill(&s, current, CAROM_CONTACT_OPEN);
    carom_contact_choice choice = choose(&s, current);
    double lambda[MAX_ROWS];
    memcpy(lambda, choice.lambda, sizeof(double) * (size_t)s.p.rows);
    memcpy(modes, choice.modes, sizeof modes[0] * 3);
    // lighter by 4^20, rates by 2^-30: forces by 2^-70, to the bit
    for (int k = 0; k < s.p.rows * s.p.rows; k++)
      s.G[k] = ldexp(s.G[k], 40);
    for (int k = 0; k < s.p.rows; k++)
      s.b[k] = ldexp(s.b[k], -30);
    choice = choose(&s, current);
    for (int i = 0; i < 3; i++)
      assert_int_equal(choice.modes[i], modes[i]);
    for (int k = 0; k < s.p.rows; k++)
      CHECK_SAME(ldexp(choice.lambda[k], 70), lambda[k]);
    // an odd factor: the same modes, forces to round-off
    for (int k = 0; k < s.p.rows * s.p.rows; k++)
      s.G[k] = ldexp(s.G[k], -40) * 1e-7;
    for (int k = 0; k < s.p.rows; k++)
      s.b[k] = ldexp(s.b[k], 30) * 1e3;
    choice = choose(&s, current);
    for (int i = 0; i < 3; i++)
      assert_int_equal(choice.modes[i], modes[i]);
    for (int k = 0; k < s.p.rows; k++)
      CHECK_NEAR(choice.lambda[k] * 1e-10, lambda[k], 1e-7);
  }
}

// a contact with neither force nor rate keeps its mode, whatever it is
static void test_no_flicker(void **state) {
  (void)state;
  const double mass[2] = {1, 1}, wn[2] = {0, 1}, wt[2] = {1, 0};
  static const carom_contact_mode all[4] = {CAROM_CONTACT_OPEN, CAROM_CONTACT_STICK,
                                            CAROM_CONTACT_SLIP_PLUS, CAROM_CONTACT_SLIP_MINUS};
  for (int dust = -1; dust <= 1; dust++)
    for (int k = 0; k < 4; k++) {
      setup s;
      double acceleration[2] = {0.0, dust * 1e-15};
      begin(&s, 2, 0);
      contact(&s, wn, wt, 0.3, 0.3, 0);
      contact(&s, wt, NULL, 0, 0, 0);
      assemble(&s, mass, acceleration);
      s.b[2] = 1.0; // something else of normal size
      carom_contact_mode modes[2] = {all[k], CAROM_CONTACT_OPEN};
      carom_contact_choice choice = choose(&s, modes);
      CHECK(choice.modes[0] == all[k] && choice.modes[1] == CAROM_CONTACT_OPEN);
    }
}

// stick forces beyond the end continue smoothly, and the margin has no jump there
static void test_margin_continuous(void **state) {
  (void)state;
  const double x[4] = {-2, -1, 1, 2}, mu[4] = {0.2, 0.4, 0.6, 0.3};
  double before = NAN;
  carom_contact_mode modes[4];
  for (int step = 0; step <= 4000; step++) {
    setup s;
    legs(&s, 4, x, mu, mu, 0.3, -12.0 + 0.006 * step, 0);
    fill(&s, modes, CAROM_CONTACT_STICK);
    double lambda[8];
    carom_contact_margin margin;
    bool admissible = carom_contact_forces(&s.p, modes, work, lambda, NULL, &margin);
    CHECK(admissible == (margin.value > -1e-8));
    if (step) CHECK_NEAR(margin.value, before, 0.02);
    before = margin.value;
  }
}

// ---- speed

static double seconds(void) {
  struct timespec t;
  timespec_get(&t, TIME_UTC);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void test_speed(void **state) {
  (void)state;
  static const int counts[4] = {1, 2, 4, 8};
  for (int c = 0; c < 4; c++) {
    setup s;
    int n = counts[c];
    double lambda[MAX_ROWS], rate[MAX_ROWS];
    carom_contact_mode modes[MAX_CONTACTS], open[MAX_CONTACTS];
    random_problem(&s, 20, 0, n, 0.3, false, false);
    fill(&s, modes, CAROM_CONTACT_STICK);
    fill(&s, open, CAROM_CONTACT_OPEN);
    int repeats = 20000 / n;
    double t = seconds();
    for (int i = 0; i < repeats; i++)
      carom_contact_forces(&s.p, modes, work, lambda, rate, NULL);
    double forces = (seconds() - t) / repeats * 1e6;
    const double x[8] = {-2, 2, -1, 1, -1.5, 1.5, -0.5, 0.5};
    const double mu[8] = {0.4, 0.4, 0.4, 0.4, 0.4, 0.4, 0.4, 0.4};
    setup table;
    legs(&table, n, x, mu, mu, 0.1, 3.0, 0);
    t = seconds();
    carom_contact_margin margin;
    for (int i = 0; i < repeats; i++)
      carom_contact_forces(&table.p, modes, work, lambda, rate, &margin);
    double deficient = (seconds() - t) / repeats * 1e6;
    double each[2], all[2], longest[2];
    for (int kind = 0; kind < 2; kind++) {
      all[kind] = longest[kind] = 0.0;
      for (int i = 0; i < 10; i++) {
        random_problem(&s, kind ? 3 : 20, 0, n, 0.5, false, false);
        t = seconds();
        choose(&s, open);
        double spent = (seconds() - t) * 1e6;
        all[kind] += spent;
        longest[kind] = fmax(longest[kind], spent);
      }
      each[kind] = all[kind] / 10;
    }
    print_message("%d contacts: forces %.2f us, redundant with margin %.2f us; choose %.1f us "
                  "(longest %.1f), on three freedoms %.1f us (longest %.1f)\n",
                  n, forces, deficient, each[0], longest[0], each[1], longest[1]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_block_on_slope), cmocka_unit_test(test_four_legs),
      cmocka_unit_test(test_ahead),          cmocka_unit_test(test_three_collinear),
      cmocka_unit_test(test_wedged_rod),     cmocka_unit_test(test_ladder),
      cmocka_unit_test(test_painleve),       cmocka_unit_test(test_random_against_enumeration),
      cmocka_unit_test(test_eight_on_three), cmocka_unit_test(test_least_norm),
      cmocka_unit_test(test_mirror_exact),   cmocka_unit_test(test_scaling),
      cmocka_unit_test(test_no_flicker),     cmocka_unit_test(test_margin_continuous),
      cmocka_unit_test(test_speed),
  };
  return cmocka_run_group_tests(tests, start, finish);
}
