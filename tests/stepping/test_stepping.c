// SPDX-License-Identifier: MIT
// Bodies moved by steps: closed forms, what is conserved, rest without creep, and what is refused.
#include "hybrid/motion.h"
#include "stepping/stepping.h"

#include <math.h>
#include <stdlib.h>

// theta = 1/2 is exact for a constant force
static void free_fall(void **state) {
  (void)state;
  motion m = motion_parse("gravity: 9.81\n"
                          "bodies: {a: {disc: 0.1, mass: 2, velocity: [3, 1], spin: 2}}\n"
                          "run: {until: 2, method: stepping, step: 1e-2}\n");
  motion_advance(&m, 2.0);
  CHECK_NEAR(value_of(&m, "a.x"), 6.0, 1e-12);
  CHECK_NEAR(value_of(&m, "a.y"), 2.0 - 0.5 * 9.81 * 4.0, 1e-11);
  CHECK_NEAR(value_of(&m, "a.turn"), 4.0, 1e-12);
  CHECK(certificate_of(&m).passed);
  motion_end(&m);
}

// a body of three different inertias: energy to rounding, angular momentum to the square of a step
static void free_turning(void **state) {
  (void)state;
  double error[2];
  for (int k = 0; k < 2; k++) {
    double step = k ? 1e-3 : 1e-2;
    char text[300];
    (void)snprintf(text, sizeof text,
                   "bodies: {a: {box: [1, 2, 3], mass: 2, spin: [0.1, 2, 0.1]}}\n"
                   "observe: {lx: a.lx, ly: a.ly}\n"
                   "run: {until: 5, method: stepping, step: %g}\n",
                   step);
    motion m = motion_parse(text);
    double energy = value_of(&m, "kinetic"), lx = value_of(&m, "lx"), ly = value_of(&m, "ly");
    motion_advance(&m, 5.0);
    CHECK_RELATIVE(value_of(&m, "kinetic"), energy, 1e-11);
    error[k] = hypot(value_of(&m, "lx") - lx, value_of(&m, "ly") - ly);
    motion_end(&m);
  }
  CHECK(error[0] < 1e-3);
  CHECK(error[1] < error[0] / 50.0);
}

static const char BLOCK[] = "gravity: 9.81\n"
                            "bodies:\n"
                            "  floor: {plane: [0, 1]}\n"
                            "  block: {box: [0.4, 0.2], mass: 3, at: [0, 0.1], velocity: [2, 0]}\n"
                            "contacts: {touch: {between: [block, floor], friction: 0.3}}\n"
                            "run: {until: 60, method: stepping, step: 1e-3}\n";

// a block stops after v^2/(2 mu g), and then it stays: not a bit moves
static void block_stops(void **state) {
  (void)state;
  motion m = motion_parse(BLOCK);
  motion_advance(&m, 1.0);
  double there = value_of(&m, "block.x");
  CHECK_NEAR(there, 4.0 / (2.0 * 0.3 * 9.81), 2e-3);
  CHECK_NEAR(value_of(&m, "block.x'"), 0.0, 1e-11);
  motion_advance(&m, 60.0);
  CHECK_NEAR(value_of(&m, "block.x"), there, 1e-12);
  CHECK_NEAR(value_of(&m, "block.y"), 0.1, 1e-9);
  carom_certificate c = certificate_of(&m);
  CHECK(c.passed);
  CHECK_NEAR(c.energy.lost_friction, 6.0, 1e-9); // all that it had
  motion_end(&m);
}

// rolling keeps 2/3 of the velocity of a disc, 5/7 of a ball's
static void round_ones_roll(void **state) {
  (void)state;
  motion disc = motion_parse("gravity: 9.81\n"
                             "bodies:\n"
                             "  floor: {plane: [0, 1]}\n"
                             "  ball: {disc: 0.1, mass: 2, at: [0, 0.1], velocity: [2, 0]}\n"
                             "contacts: {touch: {between: [ball, floor], friction: 0.3}}\n"
                             "run: {until: 1, method: stepping, step: 1e-3}\n");
  motion_advance(&disc, 1.0);
  CHECK_NEAR(value_of(&disc, "ball.x'"), 4.0 / 3.0, 1e-9);
  motion_end(&disc);
  motion ball =
      motion_parse("gravity: 9.81\n"
                   "bodies:\n"
                   "  floor: {plane: [0, 0, 1]}\n"
                   "  ball: {sphere: 0.1, mass: 2, at: [0, 0, 0.1], velocity: [2, 1, 0]}\n"
                   "contacts: {touch: {between: [ball, floor], friction: 0.3}}\n"
                   "observe: {wy: ball.wy}\n"
                   "run: {until: 1, method: stepping, step: 1e-3}\n");
  motion_advance(&ball, 1.0);
  CHECK_NEAR(value_of(&ball, "ball.x'"), 10.0 / 7.0, 1e-8);
  CHECK_NEAR(value_of(&ball, "ball.y'"), 5.0 / 7.0, 1e-8);
  CHECK_NEAR(value_of(&ball, "wy"), 100.0 / 7.0, 1e-7);
  CHECK(certificate_of(&ball).passed);
  motion_end(&ball);
}

// stacks in plane and space stay where they are
static void stacks_rest(void **state) {
  (void)state;
  static const char *const texts[] = {
      "gravity: 9.81\n"
      "bodies:\n"
      "  floor: {plane: [0, 1]}\n"
      "  box[i=1..10]: {box: [0.2, 0.1], density: 100, at: [0, 0.1*i - 0.05]}\n"
      "contacts: {touch: {between: all, friction: 0.5, impact: 0.3}}\n"
      "run: {until: 20, method: stepping, step: 2e-3}\n"
      "observe: {top: box10.y, side: box10.x, fast: max(abs(box10.x') + abs(box10.y'))}\n",
      "gravity: 9.81\n"
      "bodies:\n"
      "  floor: {plane: [0, 0, 1]}\n"
      "  box[i=1..5]: {box: [0.2, 0.3, 0.2], density: 100, at: [0, 0, 0.2*i - 0.1]}\n"
      "contacts: {touch: {between: all, friction: 0.5, impact: 0.3}}\n"
      "run: {until: 20, method: stepping, step: 2e-3}\n"
      "observe: {top: box5.z, side: box5.x, fast: max(abs(box5.x') + abs(box5.z'))}\n"};
  for (int k = 0; k < 2; k++) {
    motion m = motion_parse(texts[k]);
    motion_advance(&m, 20.0);
    CHECK_NEAR(value_of(&m, "top"), k ? 0.9 : 0.95, 1e-8);
    CHECK_NEAR(value_of(&m, "side"), 0.0, 1e-8);
    CHECK(value_of(&m, "fast") < 1e-7);
    CHECK(certificate_of(&m).passed);
    motion_end(&m);
  }
}

static const char CROWD[] =
    "bodies:\n"
    "  a: {disc: 0.3, mass: 1, at: [-2, 0.1], velocity: [2, 0], spin: 3}\n"
    "  b: {box: [0.6, 0.4], mass: 2, at: [0, 0], turn: 0.3}\n"
    "  c: {polygon: [[0, 0], [0.7, 0], [0.2, 0.6]], mass: 1.5, at: [0.9, 0.2], velocity: [-1, 0]}\n"
    "  d: {disc: 0.2, mass: 0.5, at: [0.1, 1.5], velocity: [0, -2]}\n"
    "contacts: {touch: {between: all, friction: 0.4, impact: 0.6}}\n"
    "observe:\n"
    "  px: a.px + b.px + c.px + d.px\n"
    "  py: a.py + b.py + c.py + d.py\n"
    "  l: a.lz + b.lz + c.lz + d.lz\n"
    "run: {until: 4, method: stepping, step: 1e-3}\n";

// momentum and angular momentum, to rounding and whatever the step
static void crowd_keeps_momentum(void **state) {
  (void)state;
  motion m = motion_parse(CROWD);
  double px = value_of(&m, "px"), py = value_of(&m, "py"), l = value_of(&m, "l");
  double energy = value_of(&m, "kinetic");
  motion_advance(&m, 4.0);
  CHECK_NEAR(value_of(&m, "px"), px, 1e-12);
  CHECK_NEAR(value_of(&m, "py"), py, 1e-12);
  CHECK_NEAR(value_of(&m, "l"), l, 1e-11);
  CHECK(value_of(&m, "kinetic") < 0.9 * energy); // they did meet
  CHECK(certificate_of(&m).counts.impacts > 2);
  CHECK(certificate_of(&m).passed);
  motion_end(&m);
}

// the same in space, with boxes that meet by faces, edges and corners
static void solids_keep_momentum(void **state) {
  (void)state;
  motion m =
      motion_parse("bodies:\n"
                   "  a: {box: [0.6, 0.4, 0.5], mass: 1, at: [-1.5, 0.1, 0], velocity: [2, 0, 0],\n"
                   "      spin: [1, 2, 3]}\n"
                   "  b: {box: [0.6, 0.4, 0.8], mass: 2, turn: {axis: [1, 1, 0], angle: 0.7}}\n"
                   "  c: {sphere: 0.3, mass: 0.7, at: [0.2, 1.5, 0.1], velocity: [0, -2, 0]}\n"
                   "  d: {box: [0.5, 0.5, 0.5], mass: 1, at: [1.6, 0, 0], velocity: [-1, 0, 0.1],\n"
                   "      turn: {axis: [1, 2, 3], angle: 1}}\n"
                   "contacts: {touch: {between: all, friction: 0.4, impact: 0.6}}\n"
                   "observe:\n"
                   "  px: a.px + b.px + c.px + d.px\n"
                   "  lx: a.lx + b.lx + c.lx + d.lx\n"
                   "  lz: a.lz + b.lz + c.lz + d.lz\n"
                   "run: {until: 3, method: stepping, step: 1e-4}\n");
  double px = value_of(&m, "px"), lx = value_of(&m, "lx"), lz = value_of(&m, "lz");
  motion_advance(&m, 3.0);
  CHECK_NEAR(value_of(&m, "px"), px, 1e-11);
  CHECK_NEAR(value_of(&m, "lx"), lx, 1e-4); // first order where they strike
  CHECK_NEAR(value_of(&m, "lz"), lz, 1e-4);
  CHECK(certificate_of(&m).counts.impacts > 2);
  CHECK(certificate_of(&m).passed);
  motion_end(&m);
}

// With e = 0 and friction, or without friction and one e <= 1 for all, no step gains energy.
static void energy_is_never_gained(void **state) {
  (void)state;
  static const double cases[][2] = {{0.0, 0.5}, {0.5, 0.0}, {1.0, 0.0}};
  for (int k = 0; k < 3; k++) {
    char text[700];
    (void)snprintf(
        text, sizeof text,
        "bodies:\n"
        "  a[i=1..12]: {box: [0.3, 0.2], density: 2, at: [\"0.45*mod(i, 4)\", 0.45*floor(i/4)],"
        " turn: i, velocity: [sin(3*i), cos(5*i)], spin: 2*sin(i)}\n"
        "  p1: {plane: [1, 0], at: [-0.4, 0]}\n"
        "  p2: {plane: [-1, 0], at: [2, 0]}\n"
        "  p3: {plane: [0, 1], at: [0, -0.4]}\n"
        "  p4: {plane: [0, -1], at: [0, 2]}\n"
        "contacts: {touch: {between: all, impact: %g, friction: %g}}\n"
        "run: {until: 3, method: stepping, step: 1e-3}\n",
        cases[k][0], cases[k][1]);
    motion m = motion_parse(text);
    double energy = value_of(&m, "kinetic"), start = energy;
    for (int i = 1; i <= 300; i++) {
      motion_advance(&m, 0.01 * i);
      double now = value_of(&m, "kinetic");
      CHECK(now <= energy * (1.0 + 1e-7));
      energy = now;
    }
    CHECK(cases[k][0] == 1.0 || energy < 0.8 * start);
    motion_end(&m);
  }
}

// hinges: a double pendulum keeps its energy to the square of the step and its joints to rounding
static void hinges(void **state) {
  (void)state;
  static const char text[] =
      "gravity: 9.81\n"
      "bodies:\n"
      "  frame: {fixed: yes}\n"
      "  upper: {box: [0.1, 1], mass: 1, at: [sin(1)/2, -cos(1)/2], turn: 1}\n"
      "  lower: {box: [0.1, 1], mass: 2, at: [sin(1) + sin(0.3)/2, -cos(1) - cos(0.3)/2],\n"
      "          turn: 0.3}\n"
      "joints:\n"
      "  top: {between: [upper, frame], hinge: [0, 0]}\n"
      "  knee: {between: [upper, lower], hinge: [sin(1), -cos(1)]}\n"
      "run: {until: 2%s}\n";
  char own[900];
  (void)snprintf(own, sizeof own, text, "");
  motion exact = motion_parse(own);
  motion_advance(&exact, 2.0);
  double error[2];
  for (int k = 0; k < 2; k++) {
    (void)snprintf(own, sizeof own, text,
                   k ? ", method: stepping, step: 1e-3" : ", method: stepping, step: 1e-2");
    motion m = motion_parse(own);
    motion_advance(&m, 2.0);
    error[k] = fabs(value_of(&m, "lower.turn") - value_of(&exact, "lower.turn"));
    CHECK(certificate_of(&m).passed);
    CHECK(certificate_of(&m).worst.constraint_error < 1e-12);
    motion_end(&m);
  }
  CHECK(error[1] < 1e-4);
  CHECK(error[1] < error[0] / 30.0);
  motion_end(&exact);
}

// all other joints against the event-driven motion, in plane and space
static void joints_hold(void **state) {
  (void)state;
  static const struct {
    const char *text, *name;
  } cases[] = {
      {"gravity: 9.81\nbodies:\n  f: {fixed: yes}\n"
       "  a: {box: [0.1, 1], mass: 1, at: [0.5, 0], velocity: [0, 1]}\n"
       "joints: {j: {between: [a, f], distance: 0.5, from: [0.5, 0], to: [0, 0]}}\n",
       "a.x"},
      {"gravity: 9.81\nbodies:\n  f: {fixed: yes}\n"
       "  a: {box: [0.1, 1], mass: 1, at: [0.5, 0], velocity: [0.3, 0.3]}\n"
       "  b: {disc: 0.2, mass: 1, at: [1, 1], velocity: [0.3, 0.3]}\n"
       "joints: {j: {between: [a, f], slider: [0.5, 0], axis: [1, 1]},\n"
       "         k: {between: [b, a], weld: [1, 0]}}\n",
       "b.y"},
      {"gravity: 9.81\nbodies:\n  f: {fixed: yes}\n"
       "  a: {box: [0.1, 1, 0.2], mass: 1, at: [0.5, 0, 0]}\n"
       "  b: {box: [0.2, 0.2, 0.2], mass: 1, at: [1, 0, 0.5]}\n"
       "joints: {j: {between: [a, f], hinge: [0, 0, 0], axis: [0, 1, 1]},\n"
       "         k: {between: [b, a], ball: [0.7, 0, 0]}}\n",
       "b.z"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    char text[800];
    (void)snprintf(text, sizeof text, "%srun: {until: 1}\n", cases[k].text);
    motion exact = motion_parse(text);
    (void)snprintf(text, sizeof text, "%srun: {until: 1, method: stepping, step: 5e-4}\n",
                   cases[k].text);
    motion m = motion_parse(text);
    motion_advance(&exact, 1.0);
    motion_advance(&m, 1.0);
    CHECK_NEAR(value_of(&m, cases[k].name), value_of(&exact, cases[k].name), 2e-5);
    CHECK(certificate_of(&m).passed);
    motion_end(&m);
    motion_end(&exact);
  }
}

// a disc on a belt, and a floor that goes up and down: the ledger has the work of both
static void bodies_that_time_moves(void **state) {
  (void)state;
  motion m =
      motion_parse("gravity: 9.81\n"
                   "bodies:\n"
                   "  belt: {box: [100, 1], at: [0, -0.5], moved: {x: 2*t, y: 0.01*sin(5*t)}}\n"
                   "  block: {box: [0.2, 0.2], mass: 1, at: [0, 0.1]}\n"
                   "contacts: {touch: {between: [block, belt], friction: 0.5}}\n"
                   "run: {until: 3, method: stepping, step: 1e-3}\n");
  motion_advance(&m, 3.0);
  CHECK_NEAR(value_of(&m, "block.x'"), 2.0, 1e-6);
  CHECK_NEAR(value_of(&m, "block.y"), 0.1 + 0.01 * sin(15.0), 2e-4);
  carom_certificate c = certificate_of(&m);
  CHECK(c.passed);
  CHECK(c.energy.work_drives > 1.9); // it has 2 J now
  motion_end(&m);
}

// saved in the middle and restored elsewhere it goes on with the same bits; pauses change nothing
static void same_bits(void **state) {
  (void)state;
  motion one = motion_parse(CROWD), two = motion_parse(CROWD);
  carom_error error = {0};
  motion_advance(&one, 4.0);
  motion_advance(&two, 0.7);
  motion_advance(&two, 0.9);
  carom_simulation *copy = NULL;
  MUST(carom_simulation_clone(two.simulation, &copy, &error), error);
  MUST(carom_simulation_advance(copy, 4.0, &error), error);
  motion_advance(&two, 4.0);
  int size = 0;
  const double *y = carom_simulation_state(one.simulation, &size);
  const double *z = carom_simulation_state(two.simulation, &size);
  const double *w = carom_simulation_state(copy, &size);
  for (int k = 0; k < size; k++) {
    CHECK_SAME(y[k], z[k]);
    CHECK_SAME(y[k], w[k]);
  }
  carom_simulation_destroy(copy);
  motion_end(&one);
  motion_end(&two);
}

// Boxes fall onto each other in space until they lie in a pile: every step is solved as exactly as
// was asked for, blows included, and few sweeps do.
static void pile_in_space(void **state) {
  (void)state;
  motion m = motion_parse(
      "gravity: 9.81\n"
      "parameters: {a: 0.1}\n"
      "bodies:\n"
      "  floor: {plane: [0, 0, 1]}\n"
      "  left: {plane: [1, 0, 0], at: [-0.35, 0, 0]}\n"
      "  right: {plane: [-1, 0, 0], at: [0.35, 0, 0]}\n"
      "  front: {plane: [0, 1, 0], at: [0, -0.35, 0]}\n"
      "  back: {plane: [0, -1, 0], at: [0, 0.35, 0]}\n"
      "  box[i=1..60]:\n"
      "    box: [a, a, a]\n"
      "    density: 500\n"
      "    at: [\"(mod(i - 1, 5) - 2)*1.3*a\", \"(mod(floor((i - 1)/5), 5) - 2)*1.3*a\",\n"
      "         \"(0.7 + 1.3*floor((i - 1)/25) + 0.01*mod(7*i, 11))*a\"]\n"
      "    turn: {axis: [1, 0.3, 0.2], angle: 0.2*sin(7*i)}\n"
      "contacts: {all: {between: all, friction: 0.5, impact: 0.1}}\n"
      "run: {until: 0.5, method: stepping, step: 1e-3, residual: 1e-6}\n");
  motion_run(&m);
  const carom_stepping *it = m.simulation->state;
  const carom_world_ledger *ledger = &it->world->ledger;
  CHECK(ledger->most_contacts > 200);
  CHECK(ledger->unsolved == 0);
  CHECK(ledger->residual <= 1e-6);
  CHECK(ledger->most_sweeps < 1000);
  CHECK(certificate_of(&m).passed);
  motion_end(&m);
}

// a wall of bricks that a ball strikes, and a chain that falls from a post: all steps are solved,
// many of them as a whole
static void solved_as_a_whole(void **state) {
  (void)state;
  static const struct {
    const char *text;
    double until;
  } systems[] = {
      {"gravity: 9.81\nparameters: {a: 0.2}\nbodies:\n  floor: {plane: [0, 0, 1]}\n"
       "  \"brick[i=1..30]\":\n    box: [a, a/2, a/3]\n    density: 2000\n"
       "    at: [\"(mod(i - 1, 6) - 2.5 + 0.5*mod(floor((i - 1)/6), 2))*1.001*a\", 0,\n"
       "         \"(floor((i - 1)/6) + 0.5)*a/3\"]\n"
       "  ball: {sphere: 0.15, density: 7800, at: [0, -0.25, 0.2], velocity: [0, 8, 0]}\n"
       "contacts: {all: {between: all, friction: 0.6, impact: 0}}\n"
       "run: {until: 0.1, method: stepping, step: 2e-3, residual: 1e-6}\n",
       0.1},
      {"gravity: 9.81\nbodies:\n  post: {fixed: yes}\n"
       "  \"link[i=1..40]\": {capsule: [0.08, 0.01], mass: 0.1, at: [\"0.1*i - 0.05\", 0]}\n"
       "joints:\n  first: {between: [link1, post], hinge: [0, 0]}\n"
       "  \"j[i=1..39]\": {between: [\"link[i]\", \"link[i+1]\"], hinge: [\"0.1*i\", 0]}\n"
       "run: {until: 0.05, method: stepping, step: 1e-3}\n",
       0.05},
  };
  for (size_t k = 0; k < sizeof systems / sizeof *systems; k++) {
    motion m = motion_parse(systems[k].text);
    motion_advance(&m, systems[k].until);
    const carom_world *world = ((carom_stepping *)m.simulation->state)->world;
    CHECK(k > 0 || world->ledger.ways.refined > 0); // sweeps do for the chain
    CHECK(world->ledger.unsolved == 0);
    CHECK(certificate_of(&m).passed);
    motion_end(&m);
  }
}

// A wall of bricks that lie flush upon each other: once it has been solved it rests, by few sweeps
// and with the same contacts, though rounding says in every step anew which corners are cuts.
static void wall_rests(void **state) {
  (void)state;
  motion m =
      motion_parse("gravity: 9.81\nparameters: {a: 0.2}\nbodies:\n  floor: {plane: [0, 0, 1]}\n"
                   "  \"brick[i=1..60]\":\n    box: [a, a/2, a/3]\n    density: 2000\n"
                   "    at: [\"(mod(i - 1, 6) - 2.5 + 0.5*mod(floor((i - 1)/6), 2))*1.001*a\", 0,\n"
                   "         \"(floor((i - 1)/6) + 0.5)*a/3\"]\n"
                   "contacts: {all: {between: all, friction: 0.6, impact: 0}}\n"
                   "run: {until: 0.2, method: stepping, step: 2e-3, residual: 1e-6}\n");
  const carom_world_ledger *ledger = &((carom_stepping *)m.simulation->state)->world->ledger;
  motion_advance(&m, 0.002);
  long sweeps = ledger->sweeps, contacts = ledger->contacts;
  motion_advance(&m, 0.2);
  CHECK(ledger->steps == 100);
  CHECK(labs(ledger->contacts - 100 * contacts) <= contacts); // it was a fifth more, of doubles
  CHECK(ledger->sweeps - sweeps < 99 * 60); // it was 200 a step, and a solution as a whole
  CHECK(ledger->unsolved == 0);
  CHECK(certificate_of(&m).passed);
  motion_end(&m);
}

// A coin that turns about its resting centre, Omega^2 = 4 g/(R sin(alpha)), keeps its height and
// comes round to first order; one that lies flat, and a cylinder on end, stay; a cylinder rolls on
// its side.
static void coins(void **state) {
  (void)state;
  const double R = 0.1, alpha = 0.4, rate = sqrt(4.0 * 9.81 / (R * sin(alpha)));
  double error[2];
  for (int k = 0; k < 2; k++) {
    char text[700];
    (void)snprintf(
        text, sizeof text,
        "gravity: 9.81\nbodies:\n  floor: {plane: [0, 0, 1]}\n"
        "  coin: {coin: 0.1, mass: 1, at: [0, 0, %.17g], turn: {axis: [1, 0, 0], angle: %.17g},\n"
        "         spin: [0, %.17g, %.17g]}\n"
        "contacts: {c: {between: all, friction: 2, impact: 0}}\n"
        "run: {until: 1, method: stepping, step: %g}\n",
        R * sin(alpha), alpha, -rate * sin(alpha) * cos(alpha), -rate * sin(alpha) * sin(alpha),
        k ? 1e-4 : 1e-3);
    motion m = motion_parse(text);
    motion_advance(&m, 0.3);
    error[k] = fabs(value_of(&m, "coin.z") - R * sin(alpha));
    CHECK(certificate_of(&m).worst.penetration > 0.9 * error[k]); // it sinks, and that is told
    motion_end(&m);
  }
  CHECK(error[0] < 5e-2 * R);
  CHECK(error[1] < error[0] / 5.0);
  motion m =
      motion_parse("gravity: 9.81\nbodies:\n  floor: {plane: [0, 0, 1]}\n"
                   "  coin: {coin: 0.1, mass: 1}\n"
                   "  can: {cylinder: [0.1, 0.3], mass: 1, at: [1, 0, 0.15]}\n"
                   "  log: {cylinder: [0.1, 0.3], mass: 1, at: [0, 1, 0.1],\n"
                   "        turn: {axis: [1, 0, 0], angle: pi/2}, velocity: [2, 0, 0]}\n"
                   "contacts: {c: {between: [[coin, can, log], floor], friction: 0.3, impact: 0}}\n"
                   "run: {until: 2, method: stepping, step: 1e-3}\n");
  motion_advance(&m, 2.0);
  CHECK_NEAR(value_of(&m, "coin.z"), 0.0, 1e-9);
  CHECK_NEAR(value_of(&m, "can.z"), 0.15, 1e-9);
  CHECK_NEAR(value_of(&m, "can.e0"), 1.0, 1e-12);
  CHECK_NEAR(value_of(&m, "log.x'"), 2.0 * 2.0 / 3.0, 1e-9);
  CHECK(certificate_of(&m).passed);
  motion_end(&m);
}

static void refused(const char *text, const char *why) {
  carom_model *model = NULL;
  carom_simulation *simulation = NULL;
  carom_error error = {0};
  char told[1500];
  carom_status status = carom_model_parse(text, NULL, 0, NULL, &model, &error);
  if (status == CAROM_OK) status = carom_simulation_create(model, &simulation, &error);
  CHECK(status < 0);
  (void)carom_error_format(&error, told, sizeof told);
  if (!strstr(told, why)) print_error("'%s' is not in: %s\n", why, told);
  CHECK(strstr(told, why) != NULL);
  carom_model_destroy(model);
}

static void refusals(void **state) {
  (void)state;
#define TWO "bodies: {f: {plane: [0, 1]}, a: {disc: 0.1, mass: 1, at: [0, 1]}}\n"
#define RUN "run: {until: 1, method: stepping, step: 1e-3}\n"
  refused("coordinates: {x: 0}\nenergy: {kinetic: x'^2}\n" RUN, "moves bodies, and there are none");
  refused(TWO "events: {e: {when: a.y, do: {}}}\n" RUN, "event");
  refused(TWO "contacts: {c: {between: all, impact: {law: energetic, e: 0.5}}}\n" RUN,
          "no other law of impact than Newton's");
  refused(TWO "contacts: {c: {between: all, friction: {slip: 0.2, stick: 0.3}}}\n" RUN,
          "second coefficient of friction");
  refused(TWO "contacts: {c: {gap: a.y}}\n" RUN, "between bodies");
  refused(TWO "run: {until: 1, method: stepping}\n", "needs run.step");
  refused(TWO "run: {until: 1, step: 1e-3}\n", "is for run.method: stepping");
  refused(TWO "run: {until: 1, method: stepping, step: -1e-3}\n", "it must be positive");
  refused(TWO "run: {until: 1, method: stepping, step: 1e-3, rtol: 1e-9}\n", "run.rtol");
  refused("bodies: {f: {sphere: 1, fixed: yes}, a: {coin: 0.1, mass: 1, at: [0, 0, 2]}}\n"
          "contacts: {c: {between: all}}\n" RUN,
          "stepping knows no contact between");
  refused("bodies: {a: {disc: 1, mass: 1}, b: {disc: 1, mass: 1, at: [1, 0]}}\n"
          "contacts: {c: {between: [a, b]}}\n" RUN,
          "overlap by 1 at the start");
  refused(TWO "contacts: {c: {between: all}, d: {between: [a, f]}}\n" RUN, "one law for a pair");
  refused("bodies: {f: {fixed: yes}, a: {disc: 0.1, mass: 1}}\n"
          "joints: {j: {between: [a, f], hinge: [0, 0], motor: {rate: 2}}}\n" RUN,
          "'motor' of joints");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(free_fall),
      cmocka_unit_test(free_turning),
      cmocka_unit_test(block_stops),
      cmocka_unit_test(round_ones_roll),
      cmocka_unit_test(stacks_rest),
      cmocka_unit_test(crowd_keeps_momentum),
      cmocka_unit_test(solids_keep_momentum),
      cmocka_unit_test(energy_is_never_gained),
      cmocka_unit_test(hinges),
      cmocka_unit_test(joints_hold),
      cmocka_unit_test(bodies_that_time_moves),
      cmocka_unit_test(same_bits),
      cmocka_unit_test(pile_in_space),
      cmocka_unit_test(solved_as_a_whole),
      cmocka_unit_test(wall_rests),
      cmocka_unit_test(coins),
      cmocka_unit_test(refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
