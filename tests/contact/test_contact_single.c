// SPDX-License-Identifier: MIT
// One contact that slips is solved by itself; the forces must be those of the whole machinery, to
// the last bit. Asking for rates takes the long way. Modes that are clear are chosen without a
// search; a least force of zero takes the long way there.
#include "base/random.h"
#include "contact/contact_setup.h"

static double number(uint64_t k) { return 2.0 * carom_random_uniform(7, 3, k) - 1.0; }

static void make(setup *s, int round, bool friction, int sliding) {
  uint64_t at = (uint64_t)round * 32;
  double wn[3], wt[3], mass[3], free[3], mu = 0.6 * fabs(number(at++));
  for (int i = 0; i < 3; i++) {
    wn[i] = number(at++);
    wt[i] = number(at++);
    mass[i] = exp(6.0 * number(at++));
    free[i] = number(at++);
  }
  begin(s, 3, 0);
  contact(s, wn, friction ? wt : NULL, 1.3 * mu, mu, sliding);
  assemble(s, mass, free);
}

static void same_bits(void **state) {
  (void)state;
  int pressing = 0, admissible = 0;
  for (int round = 0; round < 3000; round++) {
    bool friction = round % 5 != 0;
    int sliding = !friction ? 0 : round % 2 ? 1 : -1;
    setup s;
    make(&s, round, friction, sliding);
    carom_contact_mode mode = !friction     ? CAROM_CONTACT_CLOSED
                              : sliding > 0 ? CAROM_CONTACT_SLIP_PLUS
                                            : CAROM_CONTACT_SLIP_MINUS;
    double quick[2] = {0}, slow[2] = {0}, rate[2];
    carom_contact_margin near, far;
    bool a = carom_contact_forces(&s.p, &mode, work, quick, NULL, &near);
    bool b = carom_contact_forces(&s.p, &mode, work, slow, rate, &far);
    CHECK(a == b);
    for (int k = 0; k < s.p.rows; k++)
      CHECK_SAME(quick[k], slow[k]);
    CHECK_SAME(near.value, far.value);
    CHECK_SAME(near.determinant, far.determinant);
    CHECK(near.contact == far.contact && near.condition == far.condition);
    pressing += slow[0] > 0.0;
    admissible += b;
  }
  // both kinds are among them
  CHECK(pressing > 1000 && pressing < 2000);
  CHECK(admissible >= pressing);
}

// "closed", of which no more is known, is slipping as the contact does, or sticking
static void closed_is_what_the_slip_says(void **state) {
  (void)state;
  for (int round = 0; round < 300; round++) {
    int sliding = round % 3 - 1;
    setup s;
    make(&s, round, true, sliding);
    carom_contact_mode closed = CAROM_CONTACT_CLOSED, meant = sliding > 0 ? CAROM_CONTACT_SLIP_PLUS
                                                              : sliding < 0
                                                                  ? CAROM_CONTACT_SLIP_MINUS
                                                                  : CAROM_CONTACT_STICK;
    double given[2] = {0}, expected[2] = {0};
    carom_contact_margin margin;
    bool a = carom_contact_forces(&s.p, &closed, work, given, NULL, &margin);
    bool b = carom_contact_forces(&s.p, &meant, work, expected, NULL, &margin);
    CHECK(a == b);
    for (int k = 0; k < s.p.rows; k++)
      CHECK_SAME(given[k], expected[k]);
    if (!b) continue;
    // and the force is what the mode means: none across a slip but friction, no slip when sticking
    if (sliding == 0) {
      double own = fabs(s.p.b[1]) + fabs(s.p.G[2] * given[0]) + fabs(s.p.G[3] * given[1]);
      CHECK_NEAR(s.p.b[1] + s.p.G[2] * given[0] + s.p.G[3] * given[1], 0.0, 1e-9 * own);
    } else {
      CHECK_NEAR(given[1], -sliding * s.slide[0] * given[0], 1e-12 * fabs(given[0]));
    }
  }
}

// the forces of the problem change a little on the way, and now and then friction ends there
static void move_on(setup *later, const setup *now, int round) {
  *later = *now;
  later->p.b = later->b;
  later->p.G = later->G;
  later->p.normal = later->normal;
  later->p.tangent = later->tangent;
  later->p.stick = later->stick;
  later->p.slide = later->slide;
  later->p.sliding = later->sliding;
  for (int k = 0; k < now->p.rows; k++)
    later->b[k] *= 1.0 + 1e-3 * number((uint64_t)(40000 + 2 * round + k));
  if (round % 11 == 3) later->stick[0] = later->slide[0] = 0.0;
}

static void same_choice(void **state) {
  (void)state;
  int clear = 0, seen[CAROM_CONTACT_MODES] = {0};
  const double no_floor[] = {0.0};
  for (int round = 0; round < 6000; round++) {
    setup s, later;
    make(&s, round, round % 7 != 0, round % 7 == 0 ? 0 : round % 3 - 1);
    move_on(&later, &s, round);
    const carom_contact_mode start = CAROM_CONTACT_STICK;
    carom_contact_query query = carom_contact_query_default(&start);
    if (round % 2) query.ahead = &later.p;
    carom_contact_choice quick, slow;
    double lambda[2], rate[2];
    carom_contact_choose(&s.p, &query, work, &quick);
    if (!quick.clear) continue;
    carom_contact_mode mode = quick.modes[0];
    memcpy(lambda, quick.lambda, (size_t)s.p.rows * sizeof *lambda);
    memcpy(rate, quick.rate, (size_t)s.p.rows * sizeof *rate);
    s.p.floor = no_floor;
    carom_contact_choose(&s.p, &query, work, &slow);
    CHECK(!slow.clear && slow.outcome == CAROM_CONTACT_CONSISTENT && slow.unique);
    CHECK(slow.modes[0] == mode && slow.contact == quick.contact);
    if (slow.contact >= 0)
      CHECK_NEAR(quick.coefficient, slow.coefficient, 1e-12 * fabs(slow.coefficient));
    for (int k = 0; k < s.p.rows; k++) {
      double g = s.p.G[k * s.p.rows + k], size = fabs(s.p.b[0]) + fabs(s.p.b[s.p.rows - 1]);
      CHECK_NEAR(lambda[k], slow.lambda[k], 1e-9 * fabs(slow.lambda[k]) + 1e-12 * size / g);
      CHECK_NEAR(rate[k], slow.rate[k], 1e-9 * size);
    }
    clear++;
    seen[mode]++;
  }
  // most are, and all modes are among them
  CHECK(clear > 4000);
  CHECK(seen[CAROM_CONTACT_OPEN] > 100 && seen[CAROM_CONTACT_STICK] > 50);
  CHECK(seen[CAROM_CONTACT_SLIP_PLUS] > 100 && seen[CAROM_CONTACT_SLIP_MINUS] > 100);
  CHECK(seen[CAROM_CONTACT_CLOSED] > 100);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(same_bits),
                                     cmocka_unit_test(closed_is_what_the_slip_says),
                                     cmocka_unit_test(same_choice)};
  return cmocka_run_group_tests(tests, start, finish);
}
