// SPDX-License-Identifier: MIT
// One contact that slips is solved by itself; the forces must be those of the whole machinery, to
// the last bit. Asking for rates takes the long way.
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

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(same_bits)};
  return cmocka_run_group_tests(tests, start, finish);
}
