// SPDX-License-Identifier: MIT
// Where impacts are finitely many, positions come nearer to those of the event-driven run of the
// same file as fast as the step is made shorter.
#include "hybrid/motion.h"

#include <math.h>
#include <stdlib.h>

#define FLOOR "gravity: 9.81\nbodies:\n  floor: {plane: [0, 1]}\n"
#define GROUND "gravity: 9.81\nbodies:\n  floor: {plane: [0, 0, 1]}\n"

static const struct {
  const char *what, *text;
  double until;
} SYSTEMS[] = {
    {"a disc bounces with spin",
     FLOOR "  a: {disc: 0.1, mass: 1, at: [0, 1], velocity: [1, 0], spin: 5}\n"
           "contacts: {c: {between: [a, floor], friction: 0.2, impact: 0.7}}\n",
     1.5},
    {"a block slides up a slope, stops and comes down",
     "gravity: 9.81\nbodies:\n  slope: {plane: [-0.5, 1]}\n"
     "  a: {box: [0.4, 0.2], mass: 1, at: [-0.1*0.447213595499958, 0.1*0.894427190999916],\n"
     "      turn: 0.463647609000806, velocity: [2, 1]}\n"
     "contacts: {c: {between: [a, slope], friction: 0.3}}\n",
     1.1},
    {"a disc comes to roll",
     FLOOR "  a: {disc: 0.1, mass: 2, at: [0, 0.1], velocity: [2, 0]}\n"
           "contacts: {c: {between: [a, floor], friction: 0.3}}\n",
     1.0},
    {"two rough discs meet askew",
     "bodies:\n  a: {disc: 0.3, mass: 1, at: [-1, 0.2], velocity: [2, 0], spin: 3}\n"
     "  b: {disc: 0.2, mass: 2}\n"
     "contacts: {c: {between: [a, b], friction: 0.3, impact: 0.8}}\n",
     1.0},
    {"a box falls on a corner and is thrown round",
     FLOOR "  a: {box: [0.4, 0.2], mass: 1, at: [0, 1], turn: 0.4, velocity: [1, 0], spin: 1}\n"
           "contacts: {c: {between: [a, floor], friction: 0.4, impact: 0.5}}\n",
     0.6},
    {"three balls on rods",
     "gravity: 9.81\nbodies:\n  frame: {fixed: yes}\n"
     "  a: {disc: 0.1, mass: 1, at: [-0.25, -0.968245836551854]}\n"
     "  b: {disc: 0.1, mass: 1, at: [0.2, -1]}\n  c: {disc: 0.1, mass: 1, at: [0.45, -1]}\n"
     "joints:\n"
     "  ja: {between: [a, frame], distance: 1, from: [-0.25, -0.968245836551854], to: [0, 0]}\n"
     "  jb: {between: [b, frame], distance: 1, from: [0.2, -1], to: [0.2, 0]}\n"
     "  jc: {between: [c, frame], distance: 1, from: [0.45, -1], to: [0.45, 0]}\n"
     "contacts: {c: {between: [b, [a, c]], impact: 1}}\n",
     1.2},
    {"a disc in a cup",
     "gravity: 9.81\nbodies:\n  bowl: {cup: 1}\n"
     "  a: {disc: 0.2, mass: 1, at: [0.5, 0.3], velocity: [0, -1]}\n"
     "contacts: {c: {between: [a, bowl], friction: 0.3, impact: 0.6}}\n",
     0.8},
    {"a pendulum strikes a wall",
     "gravity: 9.81\nbodies:\n  frame: {fixed: yes}\n  wall: {plane: [1, 0], at: [-0.2, 0]}\n"
     "  a: {box: [0.1, 1], mass: 1, at: [0.5*sin(1), -0.5*cos(1)], turn: 1}\n"
     "joints: {j: {between: [a, frame], hinge: [0, 0]}}\n"
     "contacts: {c: {between: [a, wall], impact: 0.6}}\n",
     1.5},
    {"a disc on a shaken floor",
     "gravity: 9.81\nbodies:\n  floor: {plane: [0, 1], moved: {y: 0.1*sin(8*t)}}\n"
     "  a: {disc: 0.1, mass: 1, at: [0, 0.4]}\n"
     "contacts: {c: {between: [a, floor], impact: 0.8}}\n",
     1.0},
    {"a spinning ball bounces in space",
     GROUND "  a: {sphere: 0.1, mass: 1, at: [0, 0, 1], velocity: [1, 0.5, 0], spin: [9, 3, 5]}\n"
            "contacts: {c: {between: [a, floor], friction: 0.3, impact: 0.7}}\n",
     1.5},
    {"a ball thrown at a box",
     FLOOR "  a: {disc: 0.1, mass: 1, at: [0, 0.25], velocity: [6, 1]}\n"
           "  b: {box: [0.4, 0.4], mass: 2, at: [1, 0.2]}\n"
           "contacts:\n  c: {between: [a, b], impact: 0.5}\n"
           "  d: {between: [[a, b], floor], friction: 0.4}\n",
     0.35},
    {"a pendulum on a spring strikes a wall",
     "gravity: 9.81\nbodies:\n  frame: {fixed: yes}\n  wall: {plane: [1, 0], at: [-0.2, 0]}\n"
     "  a: {disc: 0.1, mass: 1, at: [0.6, -0.8], drag: 0.1}\n"
     "joints:\n  s: {between: [a, frame], spring: 60, length: 0.9, damping: 0.5,\n"
     "      from: [0.6, -0.8], to: [0, 0]}\n"
     "contacts: {c: {between: [a, wall], friction: 0.3, impact: 0.6}}\n",
     1.0},
    {"a box lands flat in space, slides and turns",
     GROUND "  a: {box: [0.4, 0.3, 0.2], mass: 1, at: [0, 0, 0.3], velocity: [2, 0, 0]}\n"
            "contacts: {c: {between: [a, floor], friction: 0.3}}\n",
     0.5},
    {"a capsule falls across another one, and off it",
     "gravity: 9.81\nbodies:\n"
     "  low: {capsule: [1, 0.1], fixed: yes, turn: {axis: [0, 1, 0], angle: pi/2}}\n"
     "  a: {capsule: [0.8, 0.1], mass: 1, at: [0.2, 0.1, 0.5], velocity: [0.5, 0, 0],\n"
     "      turn: {axis: [1, 0.2, 0], angle: 1.5}}\n"
     "contacts: {c: {between: [a, low], friction: 0.3, impact: 0.5}}\n",
     0.5},
    {"capsules meet end at side",
     "bodies:\n  a: {capsule: [1, 0.1], mass: 2, spin: 0.5}\n"
     "  b: {capsule: [1, 0.1], mass: 1, at: [0.9, 0.9], velocity: [-0.5, -1], turn: 1}\n"
     "contacts: {c: {between: [a, b], friction: 0.3, impact: 0.6}}\n",
     1.0},
    {"a capsule meets corners of a triangle",
     "bodies:\n  a: {polygon: [[0, 0], [1, 0], [0, 1]], mass: 2, spin: 0.5}\n"
     "  b: {capsule: [1, 0.1], mass: 1, at: [1, 0.9], velocity: [-1, -1], turn: 2}\n"
     "contacts: {c: {between: [a, b], friction: 0.3, impact: 0.6}}\n",
     1.0},
    {"a plate slides and turns in an inclined plane",
     "gravity: 9.81\nbodies:\n  frame: {fixed: yes, at: [0, 0, 0]}\n"
     "  a: {box: [0.4, 0.3, 0.2], mass: 1, at: [0.1, 0, 0], velocity: [0, 1, 0], spin: [1.8, 0, "
     "2.4]}\n"
     "joints:\n  j: {between: [a, frame], planar: [0.2, 0.1, 0.1], axis: [0.6, 0, 0.8]}\n"
     "  s: {between: [a, frame], spring: 30, length: 0.2, from: [0.2, 0.1, 0], to: [1, 1, 0]}\n",
     1.0},
    {"two shafts on a cross",
     "bodies:\n  frame: {fixed: yes, at: [0, 0, 0]}\n"
     "  one: {mass: 1, inertia: [0.1, 0.2, 0.3], spin: [0, 0, 2], forces: {m: {torque: [0, 0, "
     "0.5]}}}\n"
     "  two: {mass: 1, inertia: [0.1, 0.1, 0.4], spin: [0, -0.96, 1.28], at: [0.3, 0, 0], "
     "velocity: [0, 0.384, 0.288]}\n"
     "joints:\n  h: {between: [one, frame], hinge: [0, 0, 0], axis: [0, 0, 1]}\n"
     "  k: {between: [two, frame], hinge: [0, 0, 0], axis: [0, -0.6, 0.8]}\n"
     "  cross: {between: [one, two], universal: [0, 0, 0], axis: [1, 0, 0], across: [0, 0.8, "
     "0.6]}\n",
     1.0},
    {"a capsule falls on the edge of a box in space",
     "gravity: 9.81\nbodies:\n  t: {box: [1, 1, 0.4], fixed: yes}\n"
     "  a: {capsule: [1, 0.1], mass: 1, at: [0.6, 0.1, 0.5], turn: {axis: [0, 1, 0.2], angle: "
     "1.5}}\n"
     "contacts: {c: {between: [a, t], friction: 0.3, impact: 0.5}}\n",
     0.45},
};

static motion begin(int k, double step) {
  char text[1200], method[80] = "";
  if (step > 0.0) (void)snprintf(method, sizeof method, ", method: stepping, step: %.17g", step);
  (void)snprintf(text, sizeof text, "%srun: {until: %g%s}\n", SYSTEMS[k].text, SYSTEMS[k].until,
                 method);
  return motion_parse(text);
}

// the largest difference of positions
static double error_of(int k, double step, const motion *exact) {
  motion m = begin(k, step);
  motion_advance(&m, SYSTEMS[k].until);
  double most = 0.0;
  for (int i = 0; i < carom_model_count(m.model, CAROM_COORDINATES); i++) {
    const char *name = carom_model_name(m.model, CAROM_COORDINATES, i);
    most = fmax(most, fabs(value_of(&m, name) - value_of(exact, name)));
  }
  if (!certificate_of(&m).passed) print_error("%s: not passed\n", SYSTEMS[k].what);
  CHECK(certificate_of(&m).passed);
  motion_end(&m);
  return most;
}

static void first_order(void **state) {
  (void)state;
  for (int k = 0; k < (int)(sizeof SYSTEMS / sizeof *SYSTEMS); k++) {
    motion exact = begin(k, 0.0);
    motion_advance(&exact, SYSTEMS[k].until);
    double error[4], step = SYSTEMS[k].until / 250.0;
    for (int i = 0; i < 4; i++, step /= 4.0)
      error[i] = error_of(k, step, &exact);
    double order = log(error[0] / error[3]) / log(64.0);
    if (getenv("CAROM_TEST_TELL"))
      print_message("%-50s %.1e %.1e %.1e %.1e  order %.2f\n", SYSTEMS[k].what, error[0], error[1],
                    error[2], error[3], order);
    if (!(order > 0.7 && error[3] < 1e-3))
      print_error("%s: %.1e %.1e %.1e %.1e, order %.2f\n", SYSTEMS[k].what, error[0], error[1],
                  error[2], error[3], order);
    CHECK(order > 0.7);
    CHECK(error[3] < 1e-3);
    motion_end(&exact);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(first_order)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
