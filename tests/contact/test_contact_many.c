// SPDX-License-Identifier: MIT
// Ten to sixty contacts at once: the search for modes gives up there, the friction solver does not.
// Solutions exist by construction; the modes that are chosen satisfy the law as the test knows it.
#include "check.h"

#include "contact/contact.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 60, HELD = 3, ROWS = HELD + 2 * MOST, FREEDOM = 2 * MOST + 10 };

static double noise(unsigned *state) {
  *state = *state * 1664525u + 1013904223u;
  return (double)(*state >> 8) / 8388608.0 - 1.0;
}

static double G[ROWS * ROWS], b[ROWS], J[ROWS][FREEDOM], mu[MOST];
static int normal[MOST], tangent[MOST], sliding[MOST];
static carom_contact_mode current[MOST];

// rows of random Jacobians with `freedom` columns, constraints first
static carom_contact_problem pose(int n, int freedom, unsigned *state) {
  carom_contact_problem p = {.rows = HELD + 2 * n,
                             .constraints = HELD,
                             .contacts = n,
                             .normal = normal,
                             .tangent = tangent,
                             .G = G,
                             .b = b,
                             .stick = mu,
                             .slide = mu,
                             .sliding = sliding};
  for (int r = 0; r < p.rows; r++)
    for (int k = 0; k < freedom; k++)
      J[r][k] = noise(state);
  for (int r = 0; r < p.rows; r++)
    for (int c = 0; c < p.rows; c++) {
      G[r * p.rows + c] = 0.0;
      for (int k = 0; k < freedom; k++)
        G[r * p.rows + c] += J[r][k] * J[c][k];
    }
  for (int i = 0; i < n; i++) {
    normal[i] = HELD + 2 * i;
    tangent[i] = HELD + 2 * i + 1;
    mu[i] = 0.2 + 0.1 * noise(state);
    sliding[i] = 0;
    current[i] = CAROM_CONTACT_STICK;
  }
  return p;
}

// b so that forces of random modes solve the problem; every fourth contact slides already
static void construct(carom_contact_problem *p, bool slides, unsigned *state) {
  static double force[ROWS], rate[ROWS];
  memset(force, 0, sizeof force);
  memset(rate, 0, sizeof rate);
  for (int r = 0; r < HELD; r++)
    force[r] = noise(state);
  for (int i = 0; i < p->contacts; i++) {
    double mode = noise(state), push = 1.0 + 0.5 * noise(state);
    int way = noise(state) > 0.0 ? 1 : -1;
    if (slides && i % 4 == 0) sliding[i] = way;
    if (mode < -0.4) {
      rate[normal[i]] = push;
      rate[tangent[i]] = noise(state);
      continue;
    }
    force[normal[i]] = push;
    if (mode < 0.2 || sliding[i]) {
      force[tangent[i]] = -way * mu[i] * push;
      rate[tangent[i]] = way * (0.1 + fabs(noise(state)));
    } else {
      force[tangent[i]] = 0.8 * mu[i] * push * noise(state);
    }
  }
  for (int r = 0; r < p->rows; r++) {
    b[r] = rate[r];
    for (int c = 0; c < p->rows; c++)
      b[r] -= G[r * p->rows + c] * force[c];
  }
}

static void check_law(const carom_contact_problem *p, const carom_contact_choice *choice) {
  double fast = 0.0, strong = 0.0;
  for (int r = 0; r < p->rows; r++) {
    double rate = b[r];
    for (int c = 0; c < p->rows; c++)
      rate += G[r * p->rows + c] * choice->lambda[c];
    fast = fmax(fast, fabs(b[r]));
    strong = fmax(strong, fabs(choice->lambda[r]));
    CHECK_NEAR(choice->rate[r], rate, 1e-9 * (1.0 + fabs(b[r])));
  }
  double still = 1e-8 * fast, weak = 1e-8 * strong;
  for (int r = 0; r < HELD; r++)
    CHECK_NEAR(choice->rate[r], 0.0, still);
  for (int i = 0; i < p->contacts; i++) {
    double N = choice->lambda[normal[i]], T = choice->lambda[tangent[i]];
    double lift = choice->rate[normal[i]], slip = choice->rate[tangent[i]];
    CHECK(N >= -weak && lift >= -still && fabs(T) <= mu[i] * N + weak);
    CHECK(N <= weak || lift <= still);
    int way = sliding[i] ? sliding[i] : (slip > still) - (slip < -still);
    if (N > weak && way) CHECK_NEAR(T, -way * mu[i] * N, weak);
  }
}

static void test_many(void **unused) {
  (void)unused;
  unsigned state = 17;
  carom_arena *arena = carom_arena_create(NULL);
  carom_contact_workspace *work = carom_contact_workspace_create(arena, ROWS, MOST);
  for (int round = 0; round < 24; round++) {
    int n = round < 12 ? 10 + round / 2 : 5 * (round - 8 + round % 2), freedom;
    if (n > MOST) n = MOST;
    // every second of deficient rank
    freedom = round % 2 ? 2 * n + 10 : n + HELD + n / 2;
    carom_contact_problem p = pose(n, freedom, &state);
    construct(&p, round % 3 == 0, &state);
    carom_contact_query query = carom_contact_query_default(current);
    carom_contact_choice choice;
    query.flight = false;
    carom_contact_choose(&p, &query, work, &choice);
    if (choice.outcome == CAROM_CONTACT_INCONSISTENT)
      print_error("round %d, %d contacts\n", round, n);
    CHECK(choice.outcome == CAROM_CONTACT_CONSISTENT);
    check_law(&p, &choice);
    // so many are not searched, and that is said
    if (n >= 17) CHECK(choice.gave_up);
  }
  carom_arena_destroy(arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_many)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
