// SPDX-License-Identifier: MIT
// Springs, dampers, drag, forces and torques of bodies that are moved by steps: closed forms, the
// order of the scheme, and what holds however long the step is.
#include "hybrid/motion.h"
#include "stepping/stepping.h"

#include <math.h>

static motion begin(const char *text, double until, double step) {
  char whole[1200];
  (void)snprintf(whole, sizeof whole, "%srun: {until: %g, method: stepping, step: %.17g}\n", text,
                 until, step);
  return motion_parse(whole);
}

typedef struct closed {
  const char *what, *text, *name;
  double until, right;
} closed;

// second order where nothing touches: a step of a quarter leaves a sixteenth of the error
static void closed_forms(void **state) {
  (void)state;
  const double w = 5.0, d = 0.5, v = sqrt(w * w - d * d); // k = 50, m = 2, c = 2
  const closed forms[] = {
      {"a mass on a spring, beside its length",
       "bodies: {o: {fixed: yes}, a: {disc: 0.1, mass: 2, at: [1.3, 0]}}\n"
       "joints: {s: {between: [a, o], spring: 50, length: 1, from: [1.3, 0], to: [0, 0]}}\n",
       "a.x", 2.0, 1.0 + 0.3 * cos(w * 2.0)},
      {"the same with a damper",
       "bodies: {o: {fixed: yes}, a: {disc: 0.1, mass: 2, at: [1.3, 0]}}\n"
       "joints: {s: {between: [a, o], spring: 50, length: 1, from: [1.3, 0], to: [0, 0],\n"
       "             damping: 2}}\n",
       "a.x", 2.0, 1.0 + 0.3 * exp(-d * 2.0) * (cos(v * 2.0) + d / v * sin(v * 2.0))},
      {"a spring without a length, through its other end, in space",
       "bodies: {o: {fixed: yes}, a: {sphere: 0.1, mass: 2, at: [0, 0, 0.3], velocity: [0, 1, "
       "0]}}\n"
       "joints: {s: {between: [a, o], spring: 50, from: [0, 0, 0.3], to: [0, 0, 0]}}\n",
       "a.y", 2.0, sin(w * 2.0) / w},
      {"drag", "bodies: {a: {disc: 0.1, mass: 2, velocity: [3, 0], drag: 1.5}}\n", "a.x", 2.0,
       3.0 * 2.0 / 1.5 * (1.0 - exp(-1.5))},
      {"a force that time and place make",
       "bodies: {a: {disc: 0.1, mass: 2, at: [1, 0],\n"
       "             forces: {f: {force: [\"-50*a.x + 2*cos(3*t)\", 0]}}}}\n",
       "a.x", 2.0, (1.0 - 1.0 / 16.0) * cos(w * 2.0) + cos(6.0) / 16.0},
      {"a force by the square of the velocity",
       "bodies: {a: {disc: 0.1, mass: 2, velocity: [3, 0],\n"
       "             forces: {f: {force: [\"-a.x'^2\", 0]}}}}\n",
       "a.x'", 2.0, 3.0 / (1.0 + 3.0)},
      {"a force beside the centre turns", // the arm turns with the body, the force does as well
       "bodies: {a: {disc: 0.1, mass: 0.4, forces: {f: {force: [\"-sin(a.turn)\", cos(a.turn)],\n"
       "             at: [0.1, 0]}, g: {torque: 0.2}}}}\n",
       "a.turn'", 1.0, 0.3 / (0.5 * 0.4 * 0.01)},
      {"a torque about an axis of space",
       "bodies: {a: {sphere: 0.1, mass: 1, forces: {g: {torque: [0, 0.02*t, 0]}}}}\n", "a.w2", 1.0,
       0.01 / (0.4 * 0.01)},
  };
  for (size_t k = 0; k < sizeof forms / sizeof *forms; k++) {
    double error[2];
    for (int i = 0; i < 2; i++) {
      motion m = begin(forms[k].text, forms[k].until, i ? 2.5e-3 : 1e-2);
      motion_advance(&m, forms[k].until);
      error[i] = fabs(value_of(&m, forms[k].name) - forms[k].right);
      if (!certificate_of(&m).passed) print_error("%s: not passed\n", forms[k].what);
      CHECK(certificate_of(&m).passed);
      CHECK(fabs(certificate_of(&m).energy.residual_relative) < 1e-10);
      motion_end(&m);
    }
    if (!(error[1] <= fmax(error[0] / 14.0, 1e-9)))
      print_error("%s: %.3e %.3e\n", forms[k].what, error[0], error[1]);
    CHECK(error[1] <= fmax(error[0] / 14.0, 1e-9));
    CHECK(error[0] < 2e-2);
  }
}

// a spring that is much faster than the steps keeps its energy, and one that is hard is a joint
static void springs_are_stable(void **state) {
  (void)state;
  motion m = begin("bodies: {o: {fixed: yes}, a: {disc: 0.1, mass: 1, at: [1.01, 0]}}\n"
                   "joints: {s: {between: [a, o], spring: 1e8, length: 1, from: [1.01, 0],\n"
                   "             to: [0, 0]}}\n",
                   10.0, 1e-2);
  double energy = value_of(&m, "potential");
  CHECK_RELATIVE(energy, 0.5e8 * 1e-4, 1e-12);
  motion_advance(&m, 10.0);
  CHECK_RELATIVE(value_of(&m, "potential") + value_of(&m, "kinetic"), energy, 1e-9);
  motion_end(&m);

  // terminal velocity m g/c, whatever the step
  m = begin("gravity: 9.81\nbodies: {a: {disc: 0.1, mass: 2, drag: 4}}\n", 20.0, 0.1);
  motion_advance(&m, 20.0);
  CHECK_NEAR(value_of(&m, "a.y'"), -9.81 * 2.0 / 4.0, 1e-12);
  const carom_certificate c = certificate_of(&m);
  CHECK_RELATIVE(c.energy.lost_dampers + value_of(&m, "kinetic"), -2.0 * 9.81 * value_of(&m, "a.y"),
                 1e-10);
  motion_end(&m);
}

// a block hangs on a spring from above and stands on the floor: statics, and not a bit moves
static void spring_carries(void **state) {
  (void)state;
  motion m = begin("gravity: 9.81\n"
                   "bodies:\n  floor: {plane: [0, 1]}\n  top: {fixed: yes}\n"
                   "  a: {box: [0.4, 0.2], mass: 2, at: [0, 0.1]}\n"
                   "joints: {s: {between: [a, top], spring: 10, length: 0.5, from: [0, 0.2],\n"
                   "             to: [0, 1.7]}}\n"
                   "contacts: {c: {between: [a, floor], friction: 0.5, impact: 0.3}}\n",
                   5.0, 1e-2);
  motion_advance(&m, 5.0);
  CHECK_NEAR(value_of(&m, "a.y"), 0.1, 1e-13);
  // what the floor carries is what the spring does not: 2 9.81 - 10 1
  const carom_world *world = ((carom_stepping *)m.simulation->state)->world;
  double carried = 0.0;
  for (int k = 0; k < world->touch_count; k++)
    carried += world->touches[k].p[0];
  CHECK_RELATIVE(carried / 1e-2, 2.0 * 9.81 - 10.0, 1e-8);
  CHECK(certificate_of(&m).passed);
  motion_end(&m);
}

// two bodies pull each other: momentum and angular momentum stay
static void inner_forces(void **state) {
  (void)state;
  motion m = begin("bodies:\n  a: {box: [0.3, 0.2, 0.1], mass: 1, velocity: [0, 0.3, 0.1]}\n"
                   "  b: {box: [0.2, 0.3, 0.1], mass: 2, at: [1, 0.2, 0], spin: [1, 2, 0.5]}\n"
                   "joints: {s: {between: [a, b], spring: 30, length: 0.5, from: [0.1, 0.1, 0],\n"
                   "             to: [0.9, 0.3, 0], damping: 0.2}}\n"
                   "observe: {px: a.px + b.px, py: a.py + b.py, lz: a.lz + b.lz}\n",
                   2.0, 1e-3);
  double px = value_of(&m, "px"), py = value_of(&m, "py"), lz = value_of(&m, "lz");
  motion_advance(&m, 2.0);
  CHECK_NEAR(value_of(&m, "px"), px, 1e-12);
  CHECK_NEAR(value_of(&m, "py"), py, 1e-12);
  CHECK_NEAR(value_of(&m, "lz"), lz, 5e-6); // order 2 in space
  CHECK(certificate_of(&m).passed);
  motion_end(&m);
}

// forces by velocity that a step cannot follow are told: the rounds do not come to an end
static void too_stiff(void **state) {
  (void)state;
  motion m = begin("bodies: {a: {disc: 0.1, mass: 1, velocity: [1, 0],\n"
                   "             forces: {f: {force: [\"-500*a.x'\", 0]}}}}\n",
                   0.1, 1e-2);
  motion_advance(&m, 0.1);
  CHECK(!certificate_of(&m).passed);
  motion_end(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(closed_forms),
                                     cmocka_unit_test(springs_are_stable),
                                     cmocka_unit_test(spring_carries),
                                     cmocka_unit_test(inner_forces), cmocka_unit_test(too_stiff)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
