// SPDX-License-Identifier: MIT
#include "contact/contact_setup.h"

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

// A normal that no force can move (its bodies are given): apart it opens, together nothing helps,
// and its neighbour is as it would be alone.
static void test_immovable(void **state) {
  (void)state;
  const double given[] = {0.0, 0.0, 1.0}, ground[] = {0.0, 1.0, 0.0}, along[] = {1.0, 0.0, 0.0};
  const double mass[] = {1.0, 2.0, INFINITY};
  const carom_contact_mode modes[] = {CAROM_CONTACT_CLOSED, CAROM_CONTACT_STICK};
  for (int k = 0; k < 2; k++) {
    setup s;
    begin(&s, 3, 0);
    contact(&s, given, NULL, 0.0, 0.0, 0);
    contact(&s, ground, along, 0.5, 0.5, 0);
    assemble(&s, mass, (double[]){1.0, -9.0, k ? -3.0 : 3.0});
    carom_contact_choice choice = choose(&s, modes);
    if (k) {
      CHECK(choice.outcome == CAROM_CONTACT_INCONSISTENT);
      continue;
    }
    CHECK(choice.outcome == CAROM_CONTACT_CONSISTENT);
    CHECK(choice.modes[0] == CAROM_CONTACT_OPEN && choice.modes[1] == CAROM_CONTACT_STICK);
    CHECK_NEAR(choice.rate[0], 3.0, 1e-14);
    CHECK_NEAR(choice.lambda[1], 18.0, 1e-12);
    CHECK_NEAR(choice.lambda[2], -1.0, 1e-12);
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
  for (int r = 0; r < 2; r++) { // no force, and the rates of the free motion
    CHECK(choice.lambda[r] == 0.0);
    CHECK(choice.rate[r] == s.b[r]);
  }
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_block_on_slope),  cmocka_unit_test(test_four_legs),
      cmocka_unit_test(test_immovable),       cmocka_unit_test(test_ahead),
      cmocka_unit_test(test_three_collinear), cmocka_unit_test(test_wedged_rod),
      cmocka_unit_test(test_ladder),          cmocka_unit_test(test_painleve),
      cmocka_unit_test(test_no_flicker),      cmocka_unit_test(test_margin_continuous),
  };
  return cmocka_run_group_tests(tests, start, finish);
}
