// SPDX-License-Identifier: MIT
/// Random contact problems against enumeration, invariance, and what it all costs.
#include "contact/contact_setup.h"

#include <time.h>

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

// ---- redundant contacts: every vertex of every set's admissible forces

typedef struct linear_rows {
  int count;
  long double row[40][MAX_ROWS + 1]; // row . lambda = last
} linear_rows;

static long double *add_row(linear_rows *l, int n) {
  long double *row = l->row[l->count++];
  for (int j = 0; j <= n; j++)
    row[j] = 0.0L;
  return row;
}

static void add_rate(const setup *s, linear_rows *l, int k) {
  int n = s->p.rows;
  long double *row = add_row(l, n);
  for (int j = 0; j < n; j++)
    row[j] = s->G[k * n + j];
  row[n] = -(long double)s->b[k];
}

// equalities of a set, and its inequalities as equalities
static void list_rows(const setup *s, const carom_contact_mode *modes, linear_rows *equal,
                      linear_rows *border) {
  int n = s->p.rows;
  equal->count = border->count = 0;
  for (int i = 0; i < s->p.contacts; i++) {
    int normal = s->normal[i], tangent = s->tangent[i], sign = carom_contact_slip_sign(modes[i]);
    if (modes[i] == CAROM_CONTACT_OPEN) {
      add_row(equal, n)[normal] = 1.0L;
      if (tangent >= 0) add_row(equal, n)[tangent] = 1.0L;
      add_rate(s, border, normal);
      continue;
    }
    add_rate(s, equal, normal);
    add_row(border, n)[normal] = 1.0L;
    if (tangent < 0) continue;
    if (sign) {
      long double *row = add_row(equal, n);
      row[tangent] = 1.0L;
      row[normal] = sign * s->slide[i];
      if (s->sliding[i] == 0) add_rate(s, border, tangent);
      continue;
    }
    add_rate(s, equal, tangent);
    for (int side = -1; side <= 1; side += 2) {
      long double *row = add_row(border, n);
      row[normal] = s->stick[i];
      row[tangent] = side;
    }
  }
}

// the one solution of the rows, if there is exactly one (rows may repeat each other)
static bool only_solution(linear_rows l, int n, double *lambda) {
  int column_row[MAX_ROWS] = {0};
  for (int k = 0; k < n; k++) {
    // complete pivoting over the rows and columns left
    int pr = -1, pc = -1;
    long double most = 1e-11L;
    for (int i = k; i < l.count; i++)
      for (int j = 0; j < n; j++)
        if (fabsl(l.row[i][j]) > most) {
          most = fabsl(l.row[i][j]);
          pr = i;
          pc = j;
        }
    if (pr < 0) return false;
    for (int j = 0; j <= n; j++) {
      long double t = l.row[k][j];
      l.row[k][j] = l.row[pr][j];
      l.row[pr][j] = t;
    }
    column_row[k] = pc;
    for (int i = 0; i < l.count; i++) {
      if (i == k) continue;
      long double factor = l.row[i][pc] / l.row[k][pc];
      for (int j = 0; j <= n; j++)
        l.row[i][j] -= factor * l.row[k][j];
      l.row[i][pc] = 0.0L;
    }
  }
  for (int k = 0; k < n; k++)
    lambda[column_row[k]] = (double)(l.row[k][n] / l.row[k][column_row[k]]);
  return true;
}

typedef struct vertices {
  bool any, different, doubtful;
  double rate[MAX_ROWS];
} vertices;

static void visit_vertices(const setup *s, const carom_contact_mode *modes, vertices *found,
                           bool *consistent) {
  linear_rows equal = {0}, border = {0};
  list_rows(s, modes, &equal, &border);
  *consistent = false;
  for (unsigned subset = 0; subset < 1u << border.count; subset++) {
    int size = 0;
    for (int k = 0; k < border.count; k++)
      size += (subset >> k & 1u) != 0;
    if (size > 4) continue; // six forces, at least two independent rows
    linear_rows all = equal;
    for (int k = 0; k < border.count; k++)
      if (subset >> k & 1u) memcpy(all.row[all.count++], border.row[k], sizeof border.row[k]);
    double lambda[MAX_ROWS] = {0}, largest = 1.0;
    if (!only_solution(all, s->p.rows, lambda)) continue;
    for (int k = 0; k < s->p.rows; k++)
      largest = fmax(largest, fabs(lambda[k]));
    long double violation = violation_of(s, modes, lambda) / largest;
    if (violation > 1e-13L && violation < 1e-7L) found->doubtful = true;
    if (violation > 1e-10L) continue;
    *consistent = true;
    for (int k = 0; k < s->p.rows; k++) {
      double rate = (double)rate_of(s, lambda, k);
      if (!found->any) found->rate[k] = rate;
      if (fabs(rate - found->rate[k]) > 1e-4 * largest) found->different = true;
    }
    found->any = true;
  }
}

static void test_redundant_against_vertices(void **state) {
  (void)state;
  int none = 0, multiple = 0, compared = 0;
  for (int round = 0; round < 150; round++) {
    setup s;
    random_problem(&s, 2 + round % 2, 0, 3, round % 4 ? 0.7 : 2.0, false, round % 3 == 0);
    carom_contact_mode current[MAX_CONTACTS],
        modes[MAX_CONTACTS] = {CAROM_CONTACT_OPEN},
        all[4] = {CAROM_CONTACT_STICK, CAROM_CONTACT_SLIP_PLUS, CAROM_CONTACT_SLIP_MINUS,
                  CAROM_CONTACT_OPEN};
    int best_sticks = -1, best_changes = 99;
    bool persists = false;
    vertices found = {0};
    fill(&s, current, CAROM_CONTACT_OPEN);
    for (int code = 0; code < 64; code++) {
      int sticks = 0, changes = 0;
      bool legal = true, consistent;
      for (int i = 0; i < 3; i++) {
        modes[i] = all[code >> 2 * i & 3];
        int sign = carom_contact_slip_sign(modes[i]);
        if (modes[i] != CAROM_CONTACT_OPEN) changes++;
        if (s.tangent[i] < 0) {
          legal = legal && sign == 0;
          if (modes[i] == CAROM_CONTACT_STICK) modes[i] = CAROM_CONTACT_CLOSED;
        } else if (s.sliding[i] && modes[i] != CAROM_CONTACT_OPEN) {
          legal = legal && sign == s.sliding[i];
        }
        sticks += modes[i] == CAROM_CONTACT_STICK;
      }
      if (!legal) continue;
      visit_vertices(&s, modes, &found, &consistent);
      if (!consistent) continue;
      if (changes == 0) persists = true;
      if (sticks < best_sticks || (sticks == best_sticks && changes >= best_changes)) continue;
      best_sticks = sticks;
      best_changes = changes;
    }
    if (found.doubtful) continue;
    compared++;
    carom_contact_query query = carom_contact_query_default(current);
    query.flight = false;
    carom_contact_choice choice;
    carom_contact_choose(&s.p, &query, work, &choice);
    CHECK((choice.outcome == CAROM_CONTACT_INCONSISTENT) == !found.any);
    none += !found.any;
    if (!found.any) continue;
    CHECK_NEAR((double)violation_of(&s, choice.modes, choice.lambda), 0.0, 1e-8);
    int sticks = 0, changes = 0;
    for (int i = 0; i < 3; i++) {
      sticks += choice.modes[i] == CAROM_CONTACT_STICK;
      changes += choice.modes[i] != CAROM_CONTACT_OPEN;
    }
    if (!persists) assert_int_equal(sticks, best_sticks);
    assert_int_equal(changes, persists ? 0 : best_changes);
    if (found.different) CHECK(!choice.unique);
    multiple += !choice.unique;
    if (choice.unique) continue;
    CHECK_NEAR((double)violation_of(&s, choice.other_modes, choice.other_lambda), 0.0, 1e-7);
  }
  print_message("redundant: %d compared, %d inconsistent, %d not unique\n", compared, none,
                multiple);
  CHECK(compared > 60 && multiple > 5);
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
    // a table at the end of its stick, all legs start to slip
    legs(&table, n, x, mu, mu, 0.1, 7.0, 0);
    t = seconds();
    int switches = n > 4 ? 5 : 50;
    for (int i = 0; i < switches; i++)
      choose(&table, modes);
    double all_slip = (seconds() - t) / switches * 1e6;
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
                  "(longest %.1f), on three freedoms %.1f us (longest %.1f), table %.1f us\n",
                  n, forces, deficient, each[0], longest[0], each[1], longest[1], all_slip);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random_against_enumeration),
      cmocka_unit_test(test_redundant_against_vertices),
      cmocka_unit_test(test_eight_on_three),
      cmocka_unit_test(test_least_norm),
      cmocka_unit_test(test_mirror_exact),
      cmocka_unit_test(test_scaling),
      cmocka_unit_test(test_speed),
  };
  return cmocka_run_group_tests(tests, start, finish);
}
