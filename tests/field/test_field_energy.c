// SPDX-License-Identifier: MIT
// The energy ledger: where fields are conservative the energy stays to 1e-12, of rigid and soft
// bodies in the plane and in space; where they are not, everything a field gives or takes is in it.
#include "field_motion_help.h"

// tumbling over a floor that repels, and one that adheres too
static void conservative_motions(void **state) {
  (void)state;
  static const char *const bodies[][2] = {
      {"square: 1", "start: {gap: 0.3, angle: 0.4, rate: 3, velocity: [0.5, 0]}"},
      {"disc: 0.5, density: {value: 1000, gradient: [500, 0]}",
       "start: {gap: 0.3, rate: 3, velocity: [0.5, 0]}"},
      {"cube: 1", "start: {gap: 0.3, tilt: 0.4, angular: [2, 1, 3]}"},
      {"sphere: 0.5, density: {value: 1000, gradient: [500, 0, 200]}",
       "start: {gap: 0.3, angular: [2, 1, 3]}"},
      {"square: 1, soft: {c10: 6e4, c01: 1e4}", "start: {gap: 0.2, angle: 0.4, rate: 1}"},
      {"disc: 0.5, density: 4000, soft: {c10: 6e4}", "start: {gap: 0.1, rate: 1}"},
      {"cube: 1, soft: {c10: 6e4, c01: 2e4}", "start: {gap: 0.2, tilt: 0.4, angular: [1, 0, 1]}"}};
  for (size_t k = 0; k < sizeof bodies / sizeof *bodies; k++)
    for (int adhere = 0; adhere < 2; adhere++) {
      char text[1024];
      bool soft = k > 3;
      double until = soft ? 0.6 : 5.0;
      (void)snprintf(text, sizeof text,
                     "engine: field\nbody: {%s}\nfields:\n  repulsion: {exponent: 8, rest: 0.02}\n"
                     "%s%s\nrun: {until: %g, rtol: 3e-14, atol: 1e-15}\n",
                     bodies[k][0], adhere ? "  adhesion: {strength: 3, length: 0.02}\n" : "",
                     bodies[k][1], until);
      motion it = motion_text(text);
      CHECK(carom_model_conservative(it.model));
      motion_run(&it, until);
      carom_certificate c = motion_certificate(&it);
      if (!(fabs(c.residual_relative) <= 1e-12))
        print_error("%s: %g\n", bodies[k][0], c.residual_relative);
      CHECK(fabs(c.residual_relative) <= 1e-12);
      CHECK(c.lost_dampers == 0.0 && c.lost_friction == 0.0 && c.work_forces == 0.0);
      motion_end(&it);
    }
}

// every kind of field at once, on a floor that moves under a body whose mass changes
static void everything_is_told(void **state) {
  (void)state;
  static const char *const bodies[] = {
      "square: 1", "disc: 0.5", "square: 1, density: 4000, soft: {c10: 6e4, viscosity: 500}"};
  for (size_t k = 0; k < sizeof bodies / sizeof *bodies; k++) {
    char text[1024];
    (void)snprintf(text, sizeof text,
                   "engine: field\nbody: {%s%s}\n"
                   "supports: {floor: {shift: ['0.1*sin(5*t)', '0.02*sin(20*t)']}}\nfields:\n"
                   "  repulsion: {rest: 0.02}\n  adhesion: {strength: 0.5, length: 0.02}\n"
                   "  damping: {exponent: 2, coefficient: 1}\n"
                   "  friction: {exponent: 2, coefficient: 20}\n"
                   "  wind: {law: own, tangential: -30*exp(-d), normal: 100*exp(-10*d)}\n"
                   "start: {gap: 0.05, velocity: [0.5, 0]}\nrun: {until: 0.5, rtol: 1e-11}\n",
                   bodies[k], k < 2 ? ", mass_factor: 1 + 0.3*t" : "");
    motion it = motion_text(text);
    CHECK(!carom_model_conservative(it.model));
    motion_run(&it, 0.5);
    carom_certificate c = motion_certificate(&it);
    CHECK(c.lost_dampers > 0.01 && c.lost_friction > 0.01);
    CHECK(c.work_forces != 0.0 && c.work_drives != 0.0);
    if (!(fabs(c.residual_relative) <= 1e-9))
      print_error("%s: %g\n", bodies[k], c.residual_relative);
    CHECK(fabs(c.residual_relative) <= 1e-9);
    motion_end(&it);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(conservative_motions),
                                     cmocka_unit_test(everything_is_told)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
