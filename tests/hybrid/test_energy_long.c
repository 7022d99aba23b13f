// SPDX-License-Identifier: MIT
// Energy over very many periods of a pendulum, started at rest with a wide swing (2 rad).
//
// The drift law:
// - hold: energy (the default where energy is conserved). Every step ends on the start's energy, to
//   the rounding of the energy itself: no drift, however long. What the steps were corrected by is
//   told by the certificate. The phase error grows linearly with time.
// - hold: none. The energy drifts linearly with the number of steps, by c rtol per step relative to
//   the largest kinetic energy, |c| below 0.005 for rtol from 1e-6 to 1e-12, up or down. Steps fall
//   on the swings in a pattern that repeats itself; a run that is stopped on its way goes on with
//   another pattern, and another c. The phase error grows with the square of time.
#include "motion.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__OPTIMIZE__)
enum { MANY = 50000 }; // slow builds look at fewer periods
#else
enum { MANY = 1000000 };
#endif

static const double SWING = 2.0;

static motion pendulum(const char *hold, const char *rtol) {
  char text[300];
  (void)snprintf(text, sizeof text,
                 "coordinates: {a: %.17g}\n"
                 "energy: {kinetic: a'^2/2, potential: -cos(a)}\n"
                 "run: {until: 1, hold: %s, rtol: %s}\n",
                 SWING, hold, rtol);
  return motion_parse(text);
}

static double period(void) { return 4.0 * elliptic_k(sin(0.5 * SWING)); }

static double drift_of(const motion *m) {
  double energy = value_of(m, "kinetic") + value_of(m, "potential");
  return (energy + cos(SWING)) / (1.0 - cos(SWING)); // relative to the largest kinetic energy
}

static void held_energy_does_not_drift(void **state) {
  (void)state;
  motion m = pendulum("energy", "1e-7");
  for (int part = 1; part <= 10; part++) {
    motion_advance(&m, (part - 0.4) / 10.0 * MANY * period()); // at no particular phase
    CHECK_NEAR(drift_of(&m), 0.0, 1e-15);
  }
  carom_certificate c = certificate_of(&m);
  CHECK(c.passed);
  CHECK(c.counts.steps > 10L * MANY);
  CHECK(c.energy.corrected > 0.0);
  CHECK_NEAR(c.energy.residual_relative, 0.0, 1e-15);
  motion_end(&m);
}

// the angle after n whole periods from rest: the phase error, in periods, falls with the tolerance
static void held_energy_keeps_the_phase_linear(void **state) {
  (void)state;
  double phase[2];
  motion m = pendulum("energy", "1e-9");
  for (int k = 0; k < 2; k++) {
    double periods = 1000.0 * (k ? 4.0 : 1.0);
    motion_advance(&m, periods * period());
    phase[k] = value_of(&m, "a'") / sin(SWING); // a' = -sin(swing) (t - n T)
  }
  print_message("phase %.3g after 1000 periods, %.3g after 4000\n", phase[0], phase[1]);
  CHECK(fabs(phase[1]) < 1e-5);
  CHECK_NEAR(phase[1] / phase[0], 4.0, 0.4);
  motion_end(&m);
}

static void free_energy_drifts_linearly(void **state) {
  (void)state;
  const char *const tolerances[] = {"1e-6", "1e-8", "1e-10", "1e-12"};
  for (int k = 0; k < 4; k++) {
    double drift[2], rtol = pow(10.0, -6.0 - 2.0 * k), constant = 0.0;
    for (int part = 0; part < 2; part++) { // each from the start
      motion m = pendulum("none", tolerances[k]);
      motion_advance(&m, 2000.0 * (part ? 4.0 : 1.0) * period());
      drift[part] = drift_of(&m);
      constant = drift[part] / ((double)certificate_of(&m).counts.steps * rtol);
      CHECK(certificate_of(&m).passed);
      motion_end(&m);
    }
    print_message("rtol %.0e: energy drifts by %.4f rtol per step\n", rtol, constant);
    CHECK(fabs(constant) > 1e-4 && fabs(constant) < 0.1);
    CHECK_NEAR(drift[1] / drift[0], 4.0, 0.4);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(held_energy_does_not_drift),
      cmocka_unit_test(held_energy_keeps_the_phase_linear),
      cmocka_unit_test(free_energy_drifts_linearly),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
