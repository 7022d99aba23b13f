// SPDX-License-Identifier: MIT
// The scenarios of smooth motion against closed forms and invariants.
#include "motion.h"

static event_log events;

// --- pendulum ---

// T = 4 sqrt(L/g) K(sin(theta0/2)), from all passages of the run at once
static void pendulum_period(void **state) {
  (void)state;
  const double starts[] = {1.0, 30.0, 90.0, 150.0, 179.0};
  motion m = motion_load("pendulum", NULL);
  for (int k = 0; k < 5; k++) {
    double start = starts[k] * PI / 180.0;
    set_value(&m, "theta", start);
    motion_log(&m, &events);
    assert_int_equal(motion_run(&m), CAROM_OK);
    double period = 4.0 * sqrt(0.5 / 9.81) * elliptic_k(sin(0.5 * start));
    int passages = count_logged(&events, CAROM_EVENT_SECTION, "lowest");
    assert_int_equal(passages, (int)floor(20.0 / period + 0.25));
    for (int j = 0; j < passages; j++) {
      double t = find_logged(&events, CAROM_EVENT_SECTION, "lowest", j)->t;
      // near the top a start is off by what the tolerance is, and that takes long to show
      CHECK_NEAR(t, period * (j + 0.75), k == 4 ? 2e-7 : 1e-9 * (1 + j));
    }
    CHECK_NEAR(value_of(&m, "swing"), start, 1e-9);
    CHECK_RELATIVE(value_of(&m, "top_speed"), sqrt(2.0 * 9.81 * 0.5 * (1.0 - cos(start))), 2e-9);
    CHECK_RELATIVE(value_of(&m, "rod_force"), 0.2 * 9.81 * (3.0 - 2.0 * cos(start)), 2e-9);
    carom_certificate c = certificate_of(&m);
    CHECK(c.passed);
    CHECK_NEAR(c.energy.residual, 0.0,
               2e-15 * 0.2 * 9.81 * 0.5); // rounding of the energies themselves
  }
  motion_end(&m);
}

// --- Lagrange's top ---

// With the axis released at rest the motion in u = cos(nutation) is u'^2 = beta (u0 - u)(1 - u^2 -
// 2 lambda (u0 - u)), lambda = (I3 omega)^2/(4 I1 m g l), beta = 2 m g l/I1: turning points u0, u1
// and a third root u2 beyond, and the period is an elliptic integral (Goldstein 1980, 5.7).
typedef struct top {
  double lambda, u1, u2, period;
} top;

static top cuspidal_top(double omega, double nutation) {
  double mgl = 0.3 * 9.81 * 0.05, I1 = 1.2e-3, I3 = 4e-4, u0 = cos(nutation);
  top t = {.lambda = I3 * I3 * omega * omega / (4.0 * I1 * mgl)};
  double root = sqrt(t.lambda * t.lambda - 2.0 * t.lambda * u0 + 1.0);
  t.u1 = t.lambda - root;
  t.u2 = t.lambda + root;
  double beta = 2.0 * mgl / I1, k = sqrt((u0 - t.u1) / (t.u2 - t.u1));
  t.period = 4.0 / sqrt(beta * (t.u2 - t.u1)) * elliptic_k(k);
  return t;
}

static void top_nutates_between_closed_limits(void **state) {
  (void)state;
  motion m = motion_load("spinning_top", NULL);
  // the library sees what does not matter
  CHECK(carom_model_cyclic(m.model, 0));
  CHECK(!carom_model_cyclic(m.model, 1));
  CHECK(carom_model_cyclic(m.model, 2));
  CHECK(carom_model_conservative(m.model));
  const double spins[] = {80.0, 150.0, 400.0};
  for (int k = 0; k < 3; k++) {
    set_value(&m, "omega", spins[k]);
    double axis = value_of(&m, "spin'"); // the start rate is an expression of omega
    CHECK_SAME(axis, spins[k]);
    motion_log(&m, &events);
    assert_int_equal(motion_run(&m), CAROM_OK);
    top closed = cuspidal_top(spins[k], PI / 6.0);
    CHECK_RELATIVE(value_of(&m, "lowest"), acos(closed.u1), 1e-8);
    int cusps = count_logged(&events, CAROM_EVENT_SECTION, "cusp");
    assert_int_equal(cusps, (int)floor(5.0 / closed.period));
    for (int j = 0; j < cusps; j++)
      CHECK_NEAR(find_logged(&events, CAROM_EVENT_SECTION, "cusp", j)->t, closed.period * (j + 1),
                 1e-7 * closed.period * (j + 1));
    // both momenta and the energy
    CHECK_RELATIVE(value_of(&m, "about_axis"), 4e-4 * spins[k], 1e-11);
    CHECK_RELATIVE(value_of(&m, "about_vertical"), 4e-4 * spins[k] * cos(PI / 6.0), 1e-9);
    carom_certificate c = certificate_of(&m);
    CHECK(c.passed);
    CHECK_NEAR(c.energy.residual_relative, 0.0, 1e-14);
  }
  motion_end(&m);
}

// the mean precession tends to m g l/(I3 omega) from above, the excess falling with omega^-2
static void fast_top_precesses_slowly(void **state) {
  (void)state;
  motion m = motion_load("spinning_top", (carom_setting[]){{"run.until", "2"}, {0}});
  double excess[2];
  for (int k = 0; k < 2; k++) {
    set_value(&m, "omega", 400.0 * (k + 1));
    assert_int_equal(motion_run(&m), CAROM_OK);
    // over whole nutations
    double whole = value_of(&m, "cusps") * cuspidal_top(400.0 * (k + 1), PI / 6.0).period;
    carom_error error = {0};
    MUST(carom_simulation_reset(m.simulation, &error), error);
    motion_advance(&m, whole);
    excess[k] = value_of(&m, "precession") / whole / value_of(&m, "slow_precession") - 1.0;
  }
  CHECK(excess[0] > 0.0 && excess[0] < 0.02);
  CHECK_NEAR(excess[0] / excess[1], 4.0, 0.1);
  motion_end(&m);
}

// an upright top sleeps when (I3 omega)^2 > 4 I1 m g l, else it falls
static void upright_top_sleeps_when_fast(void **state) {
  (void)state;
  motion m = motion_load("spinning_top", NULL);
  double threshold = sqrt(4.0 * 1.2e-3 * 0.3 * 9.81 * 0.05) / 4e-4, tilt = 1e-3;
  for (int k = 0; k < 2; k++) {
    double omega = threshold * (k == 0 ? 1.2 : 0.9);
    set_value(&m, "omega", omega);
    set_value(&m, "nutation", tilt);
    assert_int_equal(motion_run(&m), CAROM_OK);
    double lowest = value_of(&m, "lowest");
    CHECK(k == 0 ? lowest < 5.0 * tilt : lowest > 0.3);
    CHECK_RELATIVE(lowest, acos(cuspidal_top(omega, tilt).u1), 1e-5);
  }
  motion_end(&m);
}

// --- Kepler's ellipse ---

static void kepler_closes_and_keeps_his_laws(void **state) {
  (void)state;
  motion m = motion_load("kepler", (carom_setting[]){{"run.rtol", "1e-12"}, {0}});
  const double axes[] = {1.0, 1.52, 5.2}, eccentricities[] = {0.6, 0.1, 0.9};
  for (int k = 0; k < 3; k++) {
    double a = axes[k], e = eccentricities[k], mu = 4.0 * PI * PI;
    set_value(&m, "a", a);
    set_value(&m, "e", e);
    motion_log(&m, &events);
    double year = a * sqrt(a); // the third law, in years
    CHECK_RELATIVE(value_of(&m, "year"), year, 1e-15);
    assert_int_equal(motion_run(&m), CAROM_OK);
    assert_true(count_logged(&events, CAROM_EVENT_SECTION, "perihelion") >= 9);
    for (int j = 0; j < 9; j++)
      CHECK_NEAR(find_logged(&events, CAROM_EVENT_SECTION, "perihelion", j)->t, year * (j + 1),
                 1e-9 * year);
    // back at the start after ten years
    CHECK_NEAR(value_of(&m, "x"), a * (1.0 - e), 1e-8 * a);
    CHECK_NEAR(value_of(&m, "y"), 0.0, 1e-7 * a);
    CHECK_RELATIVE(value_of(&m, "nearest"), a * (1.0 - e), 1e-9);
    CHECK_RELATIVE(value_of(&m, "farthest"), a * (1.0 + e), 1e-9);
    CHECK_RELATIVE(value_of(&m, "area_rate"), 0.5 * sqrt(mu * a * (1.0 - e * e)), 1e-9);
    CHECK_RELATIVE(value_of(&m, "areal"), 0.5 * sqrt(mu * a * (1.0 - e * e)), 1e-10);
    CHECK_NEAR(value_of(&m, "turned"), 0.0, 1e-9);
    CHECK_NEAR(certificate_of(&m).energy.residual_relative, 0.0, 1e-14);
  }
  motion_end(&m);
}

// --- Van der Pol's limit cycle ---

// period and amplitude for mu = 1 (Amore, Boyd, Fernandez 2018 give many more digits)
static void van_der_pol_cycle(void **state) {
  (void)state;
  motion m = motion_load("van_der_pol", (carom_setting[]){{"run.rtol", "1e-12"}, {0}});
  assert_int_equal(carom_model_count(m.model, CAROM_STATES), 2);
  assert_int_equal(carom_model_count(m.model, CAROM_COORDINATES), 0);
  motion_log(&m, &events);
  assert_int_equal(motion_run(&m), CAROM_OK);
  int last = count_logged(&events, CAROM_EVENT_SECTION, "upward") - 1, first = last - 15;
  double period = (find_logged(&events, CAROM_EVENT_SECTION, "upward", last)->t -
                   find_logged(&events, CAROM_EVENT_SECTION, "upward", first)->t) /
                  15.0;
  CHECK_NEAR(period, 6.6632868593231, 2e-12);
  CHECK_NEAR(value_of(&m, "amplitude"), 2.0086198608748, 2e-12);
  assert_int_equal((int)value_of(&m, "rounds"), 15);
  // without energies there is no ledger, and nothing to complain about
  carom_certificate c = certificate_of(&m);
  CHECK(!c.has_energy);
  CHECK(c.passed);
  motion_end(&m);
}

// for large mu relaxation oscillations: T = (3 - 2 log 2) mu + 7.014 mu^(-1/3) + ... (Dorodnitsyn
// 1947)
static void van_der_pol_relaxes(void **state) {
  (void)state;
  motion m = motion_load("van_der_pol", (carom_setting[]){{"mu", "40"}, {"run.until", "400"}, {0}});
  motion_log(&m, &events);
  assert_int_equal(motion_run(&m), CAROM_OK);
  int last = count_logged(&events, CAROM_EVENT_SECTION, "upward") - 1;
  assert_true(last >= 3);
  double period = find_logged(&events, CAROM_EVENT_SECTION, "upward", last)->t -
                  find_logged(&events, CAROM_EVENT_SECTION, "upward", last - 1)->t;
  double mu = 40.0, asymptotic = (3.0 - 2.0 * log(2.0)) * mu + 7.01432 / cbrt(mu) -
                                 22.0 / 9.0 * log(mu) / mu + 0.0087 / mu;
  CHECK_RELATIVE(period, asymptotic, 2e-3);
  motion_end(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pendulum_period),
      cmocka_unit_test(top_nutates_between_closed_limits),
      cmocka_unit_test(fast_top_precesses_slowly),
      cmocka_unit_test(upright_top_sleeps_when_fast),
      cmocka_unit_test(kepler_closes_and_keeps_his_laws),
      cmocka_unit_test(van_der_pol_cycle),
      cmocka_unit_test(van_der_pol_relaxes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
