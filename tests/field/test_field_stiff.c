// SPDX-License-Identifier: MIT
// Stiff rests: strong damping and friction near the support, long times. The engine must take its
// implicit method by itself, and CVODE, given the same right-hand side, must come to the same
// state.
#include "field_motion_help.h"

#include "../../bench/cvode_field.h"

#include <cvode/cvode.h>

typedef struct rest_case {
  const char *text;
  double until;
  double bound; // on the difference of any state
} rest_case;

static const rest_case CASES[] = {
    // a cube comes to rest and stays there: damping 1e3 d^-2 and friction d^-6
    {"engine: field\nbody: {cube: 1}\nfields:\n  repulsion: {rest: 0.002}\n"
     "  damping: {exponent: 2, coefficient: 1000}\n"
     "  friction: {exponent: 6, coefficient: 1e-9}\n"
     "start: {tilt: 0.02, axis: [1, 2, 0], gap: 0.01, velocity: [0.1, 0, 0]}\n"
     "run: {until: 500, rtol: 1e-9}\n",
     500.0, 1e-9},
    // figure 19: it spins, falls and creeps onto its face
    {"engine: field\nbody: {cube: 1}\nfields:\n  repulsion: {rest: 0.002}\n"
     "  damping: {exponent: 2, coefficient: 1000}\n"
     "  friction: {exponent: 2, coefficient: 100}\n"
     "start: {down: corner, tilt: 0.01, spin: 5}\nrun: {until: 5, rtol: 1e-9}\n",
     5.0, 1e-8},
    // in the plane, damped until nothing moves
    {"engine: field\nbody: {square: 1}\nfields:\n  repulsion: {rest: 0.02}\n"
     "  damping: {exponent: 2, coefficient: 1e4}\n"
     "  friction: {exponent: 2, coefficient: 1e4}\n"
     "start: {angle: 0.05, gap: 0.03, velocity: [0.5, 0]}\nrun: {until: 100, rtol: 1e-9}\n",
     100.0, 1e-9},
    // a soft disc, damped inside and at the floor: its volume is put right after every step, which
    // must not keep it from the implicit method
    {"engine: field\nbody: {disc: 0.5, density: 4000, soft: {c10: 6e4, viscosity: 5e3}}\nfields:\n"
     "  repulsion: {rest: 0.002, form: printed}\n"
     "  damping: {exponent: 2, coefficient: 100}\nstart: {gap: 0.1}\nrun: {until: 2, rtol: 1e-6}\n",
     2.0, 1e-5},
};

static void cvode_agrees(void **state) {
  (void)state;
  for (size_t k = 0; k < sizeof CASES / sizeof *CASES; k++) {
    const rest_case *c = &CASES[k];
    motion it = motion_text(c->text);
    carom_field *field = it.simulation->state;
    double y[CAROM_FIELD_MAX_SIZE], worst = 0.0;
    memcpy(y, field->y, sizeof(double) * (size_t)field->size);
    motion_run(&it, c->until);
    carom_certificate certificate = motion_certificate(&it);
    CHECK(certificate.passed);
    CHECK(field->now.implicit);
    // an explicit method would be held to steps of about 6 over the largest eigenvalue
    CHECK((double)certificate.counts.steps <
          0.5 * c->until * field->steppers.stiff.stiffness / 6.0);
    cvode_field other;
    CHECK(cvode_field_run(field, y, 0.0, c->until, 1e-10, 1e-12, &other));
    for (int i = 0; i < field->model->size; i++)
      worst = fmax(worst, fabs(y[i] - field->y[i]));
    CHECK_NEAR(worst, 0.0, c->bound);
    motion_end(&it);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(cvode_agrees)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
