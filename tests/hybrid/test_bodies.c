// SPDX-License-Identifier: MIT
// Bodies written out: closed forms, the same systems written by hand, what is conserved, and what
// is refused.
#include "motion.h"

#include <math.h>
#include <stdio.h>

#define PI 3.14159265358979323846

// ---- in the plane

// sliding ends in rolling: 2/3 of the velocity after v/(3 mu g)
static void disc_comes_to_roll(void **state) {
  (void)state;
  motion m = motion_parse("gravity: 9.81\n"
                          "bodies:\n"
                          "  floor: {plane: [0, 1]}\n"
                          "  ball: {disc: 0.1, mass: 2, at: [0, 0.1], velocity: [2, 0]}\n"
                          "contacts: {touch: {between: [ball, floor], friction: 0.3}}\n"
                          "run: {until: 1}\n");
  double t = 2.0 / (3.0 * 0.3 * 9.81);
  motion_advance(&m, 1.0);
  CHECK_NEAR(value_of(&m, "ball.x'"), 4.0 / 3.0, 1e-12);
  CHECK_NEAR(value_of(&m, "ball.turn'"), -40.0 / 3.0, 1e-11);
  CHECK_NEAR(value_of(&m, "ball.x"), 2.0 * t - 0.15 * 9.81 * t * t + 4.0 / 3.0 * (1.0 - t), 1e-11);
  CHECK(certificate_of(&m).passed);
  motion_end(&m);
}

// two rods on hinges, and the same in two angles
static void hinges_as_angles(void **state) {
  (void)state;
  motion bodies = motion_parse(
      "gravity: 9.81\n"
      "bodies:\n"
      "  frame: {fixed: yes}\n"
      "  upper: {box: [0, 1], mass: 1, at: [sin(1)/2, -cos(1)/2], turn: 1}\n"
      "  lower: {box: [0, 1], mass: 2, at: [sin(1) + sin(0.3)/2, -cos(1) - cos(0.3)/2],\n"
      "          turn: 0.3, points: {tip: [0, -0.5]}}\n"
      "joints:\n"
      "  top: {between: [upper, frame], hinge: [0, 0]}\n"
      "  knee: {between: [upper, lower], hinge: [sin(1), -cos(1)]}\n"
      "run: {until: 2, rtol: 1e-12}\n");
  motion angles = motion_parse(
      "coordinates: {a: 1, b: 0.3}\n"
      "define: {x1: sin(a)/2, y1: -cos(a)/2, x2: sin(a) + sin(b)/2, y2: -cos(a) - cos(b)/2}\n"
      "energy:\n"
      "  kinetic: (x1'^2 + y1'^2)/2 + x2'^2 + y2'^2 + a'^2/24 + b'^2/12\n"
      "  potential: 9.81*(y1 + 2*y2)\n"
      "run: {until: 2, rtol: 1e-12}\n");
  motion_advance(&bodies, 2.0);
  motion_advance(&angles, 2.0);
  CHECK_NEAR(value_of(&bodies, "upper.turn"), value_of(&angles, "a"), 1e-10);
  CHECK_NEAR(value_of(&bodies, "lower.turn"), value_of(&angles, "b"), 1e-10);
  double tip = sin(value_of(&angles, "a")) + sin(value_of(&angles, "b"));
  CHECK_NEAR(value_of(&bodies, "lower.tip.x"), tip, 1e-10);
  motion_end(&bodies);
  motion_end(&angles);
}

// a right triangle with legs a and b: mass a b/2, inertia m (a^2 + b^2)/18, wherever it is written
static void triangle(void **state) {
  (void)state;
  motion m = motion_parse("bodies:\n"
                          "  tri: {polygon: [[5, 7], [8, 7], [5, 11]], density: 2}\n"
                          "run: {until: 1}\n");
  CHECK_NEAR(value_of(&m, "tri.mass"), 12.0, 1e-13);
  CHECK_NEAR(value_of(&m, "tri.inertia"), 12.0 * 25.0 / 18.0, 1e-11);
  CHECK_NEAR(value_of(&m, "tri.centre.x"), 6.0, 1e-13);
  CHECK_NEAR(value_of(&m, "tri.centre.y"), 7.0 + 4.0 / 3.0, 1e-13);
  motion_end(&m);
}

// A smooth disc that falls on the corner of a box, from the side by r sin(a): the normal is turned
// by a, and the velocity is mirrored about it.
static void disc_meets_corner(void **state) {
  (void)state;
  double a = 0.5, r = 0.1;
  char text[500];
  (void)snprintf(text, sizeof text,
                 "bodies:\n"
                 "  block: {box: [2, 1], at: [-1, -0.5], fixed: yes}\n"
                 "  ball: {disc: %.17g, mass: 1, at: [%.17g, 1], velocity: [0, -1]}\n"
                 "contacts: {touch: {between: [ball, block], impact: 1}}\n"
                 "run: {until: 2}\n",
                 r, r * sin(a));
  motion m = motion_parse(text);
  motion_advance(&m, 1.5);
  CHECK_NEAR(value_of(&m, "ball.x'"), sin(2.0 * a), 1e-11);
  CHECK_NEAR(value_of(&m, "ball.y'"), cos(2.0 * a), 1e-11);
  motion_end(&m);
}

// a box that slides straight into an equal one: they exchange their velocities
static void boxes_exchange(void **state) {
  (void)state;
  motion m = motion_parse("bodies:\n"
                          "  one: {box: [1, 1], mass: 3, at: [0, 0], velocity: [1, 0]}\n"
                          "  two: {box: [1, 0.5], mass: 3, at: [2, 0]}\n"
                          "contacts: {touch: {between: [one, two], impact: 1}}\n"
                          "run: {until: 3}\n"
                          "observe: {p: one.px + two.px, l: one.lz + two.lz}\n");
  motion_advance(&m, 3.0);
  CHECK_NEAR(value_of(&m, "p"), 3.0, 1e-12);
  CHECK_NEAR(value_of(&m, "l"), 0.0, 1e-12);
  CHECK_NEAR(value_of(&m, "two.x"), 4.0, 1e-12);
  CHECK_NEAR(value_of(&m, "one.x"), 1.0, 1e-12);
  motion_end(&m);
}

// a sharp corner that slides along a box with friction stops after v^2/(2 mu g)
static void corner_slides_on_box(void **state) {
  (void)state;
  motion m = motion_parse("gravity: 10\n"
                          "bodies:\n"
                          "  table: {box: [10, 1], at: [0, -0.5], fixed: yes}\n"
                          "  block: {box: [0.5, 0.2], mass: 1, at: [0, 0.1], velocity: [1, 0]}\n"
                          "contacts: {touch: {between: [block, table], friction: 0.25}}\n"
                          "run: {until: 2}\n");
  motion_advance(&m, 2.0);
  CHECK_NEAR(value_of(&m, "block.x"), 0.2, 1e-11);
  CHECK_NEAR(value_of(&m, "block.y"), 0.1, 1e-13);
  CHECK(certificate_of(&m).passed);
  motion_end(&m);
}

// Two or three boxes on a floor, the last one `off` to the side and `up` above the others.
static motion stacked(int count, double off, double up, const char *laws) {
  static char text[1000];
  size_t used = (size_t)snprintf(text, sizeof text,
                                 "gravity: 9.81\n"
                                 "contacts: {c: {between: all, %s}}\n"
                                 "run: {until: 2}\n"
                                 "bodies:\n"
                                 "  floor: {plane: [0, 1]}\n",
                                 laws);
  for (int k = 0; k < count; k++) {
    bool last = k == count - 1;
    used += (size_t)snprintf(text + used, sizeof text - used,
                             "  b%d: {box: [1, 1], mass: 1, at: [%.17g, %.17g]}\n", k,
                             last ? off : 0.0, k + 0.5 + (last ? up : 0.0));
  }
  return motion_parse(text);
}

static const char *const stack_laws[] = {"impact: 0", "impact: 0.3", "friction: 0.5, impact: 0",
                                         "friction: 0.5, impact: 0.3"};

static void check_stack(const motion *m, int count) {
  static const char *const heights[] = {"b0.y", "b1.y", "b2.y"};
  for (int k = 0; k < count; k++)
    CHECK_NEAR(value_of(m, heights[k]), k + 0.5, 1e-9);
  CHECK(certificate_of(m).passed);
}

// flush boxes rest on each other; one that falls, a little to the side, comes to rest on them
static void boxes_lie_on_each_other(void **state) {
  (void)state;
  for (int law = 0; law < 4; law++)
    for (int count = 2; count <= 3; count++) {
      motion rest = stacked(count, 0.0, 0.0, stack_laws[law]);
      motion_advance(&rest, 2.0);
      check_stack(&rest, count);
      motion_end(&rest);
      if (law % 2) continue;
      static const double offs[] = {1e-6, 0.4};
      for (int k = 0; k < 2; k++) {
        motion falls = stacked(count, offs[k], 0.1, stack_laws[law]);
        motion_advance(&falls, 2.0);
        check_stack(&falls, count);
        motion_end(&falls);
      }
    }
}

// flush boxes, one of which falls straight onto the others, come to rest on them
static void flush_boxes_do_not_pass(void **state) {
  (void)state;
  for (int law = 0; law < 4; law++)
    for (int count = 2; count <= 3; count++) {
      motion m = stacked(count, 0.0, 0.1, stack_laws[law]);
      motion_advance(&m, 2.0);
      check_stack(&m, count);
      motion_end(&m);
    }
}

// a smooth box that starts flush on another one slides off: no side holds it
static void flush_box_slides(void **state) {
  (void)state;
  motion m = motion_parse("gravity: 9.81\n"
                          "bodies:\n"
                          "  table: {box: [1, 1], fixed: yes, at: [0, -0.5]}\n"
                          "  block: {box: [1, 1], mass: 1, at: [0, 0.5], velocity: [0.3, 0]}\n"
                          "contacts: {touch: {between: [block, table], impact: 0}}\n"
                          "run: {until: 2.5}\n");
  motion_advance(&m, 1.6);
  CHECK_NEAR(value_of(&m, "block.x"), 0.48, 1e-12);
  CHECK_NEAR(value_of(&m, "block.y"), 0.5, 1e-12);
  CHECK_NEAR(value_of(&m, "block.turn"), 0.0, 1e-12);
  motion_advance(&m, 2.5); // its centre is over the end after 5/3
  CHECK(value_of(&m, "block.turn") < -0.1);
  CHECK(certificate_of(&m).passed);
  motion_end(&m);
}

// the ball on a shaken table, by hand and as bodies: same impacts
static void shaken_floor(void **state) {
  (void)state;
  const char *tail = "run: {until: 10}\n"
                     "parameters: {A: 0.02, w: 25}\n";
  char text[2][500];
  (void)snprintf(text[0], sizeof text[0],
                 "%sgravity: 9.81\n"
                 "bodies:\n"
                 "  floor: {plane: [0, 1], moved: {y: A*sin(w*t)}}\n"
                 "  ball: {disc: 0.1, mass: 1, at: [0, 0.3]}\n"
                 "contacts: {touch: {between: [ball, floor], impact: 0.5}}\n",
                 tail);
  (void)snprintf(text[1], sizeof text[1],
                 "%scoordinates: {y: 0.3}\n"
                 "energy: {kinetic: \"y'^2/2\", potential: 9.81*y}\n"
                 "contacts: {touch: {gap: y - 0.1 - A*sin(w*t), impact: 0.5}}\n",
                 tail);
  motion bodies = motion_parse(text[0]), hand = motion_parse(text[1]);
  motion_advance(&bodies, 2.0);
  motion_advance(&hand, 2.0);
  CHECK_NEAR(value_of(&bodies, "ball.y"), value_of(&hand, "y"), 1e-9);
  CHECK(certificate_of(&bodies).counts.impacts == certificate_of(&hand).counts.impacts);
  motion_end(&bodies);
  motion_end(&hand);
}

// small swings in a round tray: a disc that rolls has the period 2 pi sqrt(3 (R - r)/(2 g))
static void disc_in_cup(void **state) {
  (void)state;
  motion m = motion_parse("gravity: 9.81\n"
                          "bodies:\n"
                          "  tray: {cup: 1}\n"
                          "  ball: {disc: 0.1, mass: 1, at: [9e-6, -sqrt(0.81 - 8.1e-11)]}\n"
                          "contacts: {touch: {between: [ball, tray], friction: 1}}\n"
                          "sections: {middle: ball.x}\n"
                          "run: {until: 10}\n"
                          "observe: {n: count(middle), when: \"at(middle, t)\"}\n");
  motion_advance(&m, 10.0);
  double half = PI * sqrt(1.5 * 0.9 / 9.81), n = value_of(&m, "n");
  CHECK_NEAR(value_of(&m, "when"), (n - 0.5) * half, 1e-6);
  motion_end(&m);
}

// ---- in space

// 5/7 of the velocity, 2/7 of the spin's; the spin about the vertical stays
static void ball_comes_to_roll(void **state) {
  (void)state;
  motion m = motion_parse("gravity: 9.81\n"
                          "bodies:\n"
                          "  floor: {plane: [0, 0, 1]}\n"
                          "  ball: {sphere: 0.1, mass: 1, at: [0, 0, 0.1], velocity: [2, 0, 0],\n"
                          "         spin: [10, 0, 3], turn: {axis: [1, 2, 3], angle: 0.7}}\n"
                          "contacts: {touch: {between: [ball, floor], friction: 0.3}}\n"
                          "run: {until: 2, rtol: 1e-11}\n"
                          "observe: {x: ball.vx, y: ball.vy, spin: ball.wz, roll: ball.wx}\n");
  motion_advance(&m, 2.0);
  CHECK_NEAR(value_of(&m, "x"), 10.0 / 7.0, 1e-10);
  CHECK_NEAR(value_of(&m, "y"), -2.0 / 7.0, 1e-10);
  CHECK_NEAR(value_of(&m, "roll"), 20.0 / 7.0, 1e-9);
  CHECK_NEAR(value_of(&m, "spin"), 3.0, 1e-10);
  CHECK(certificate_of(&m).passed);
  motion_end(&m);
}

// a ball that rolls on a turning table goes round with 2/7 of its angular velocity
static void turning_table(void **state) {
  (void)state;
  motion m =
      motion_parse("gravity: 9.81\n"
                   "bodies:\n"
                   "  table: {plane: [0, 0, 1], moved: {turn: 3*t}}\n"
                   "  ball: {sphere: 0.1, mass: 1, at: [0.5, 0, 0.1], velocity: [0, 0.3, 0],\n"
                   "         spin: [12, 0, 0]}\n" // (W x - v)/R: it rolls from the start
                   "contacts: {touch: {between: [ball, table], friction: 0.5}}\n"
                   "run: {until: 7*pi/3}\n");
  motion_advance(&m, 7.0 * PI / 3.0);
  CHECK_NEAR(value_of(&m, "ball.x"), 0.5, 1e-9);
  CHECK_NEAR(value_of(&m, "ball.y"), 0.0, 1e-9);
  motion_end(&m);
}

// A box that falls flat on its four lower corners, slipping across its edges: friction takes
// mu (1 + e) v_z of the velocity, against the slip, and it does not begin to turn.
static void box_falls_flat(void **state) {
  (void)state;
  motion m = motion_parse("gravity: 9.81\n"
                          "bodies:\n"
                          "  table: {plane: [0, 0, 1]}\n"
                          "  die: {box: [0.02, 0.02, 0.02], density: 1200, at: [0, 0, 0.11],\n"
                          "        velocity: [0.6, 0.8, 0]}\n"
                          "contacts: {hit: {between: [die, table], friction: 0.1, impact: 0.5}}\n"
                          "run: {until: 0.15}\n");
  double taken = 0.1 * 1.5 * sqrt(2.0 * 9.81 * 0.1);
  motion_advance(&m, 0.15);
  CHECK_NEAR(value_of(&m, "die.x'"), 0.6 * (1.0 - taken), 1e-10);
  CHECK_NEAR(value_of(&m, "die.y'"), 0.8 * (1.0 - taken), 1e-10);
  CHECK_NEAR(value_of(&m, "die.w1"), 0.0, 1e-10);
  CHECK(certificate_of(&m).passed);
  motion_end(&m);
}

// a thrown die: every impact, of up to eight corners, is what its law says
static void thrown_die(void **state) {
  (void)state;
  motion m = motion_parse("gravity: 9.81\n"
                          "bodies:\n"
                          "  table: {plane: [0, 0, 1]}\n"
                          "  die: {box: [0.02, 0.02, 0.02], density: 1200, at: [0, 0, 0.1],\n"
                          "        velocity: [0.5, 0.1, 0], spin: [20, -5, 3],\n"
                          "        turn: {axis: [1, 1, 0], angle: 0.4}}\n"
                          "contacts: {hit: {between: [die, table], friction: 0.3, impact: 0.5}}\n"
                          "run: {until: 1.5}\n");
  motion_advance(&m, 1.5);
  CHECK_NEAR(value_of(&m, "die.z"), 0.01, 1e-10);
  CHECK(certificate_of(&m).passed);
  motion_end(&m);
}

// two rough balls that strike off-centre: momentum and angular momentum stay
static void balls_keep_momentum(void **state) {
  (void)state;
  motion m = motion_parse(
      "bodies:\n"
      "  a: {sphere: 0.1, mass: 1, at: [0, 0, 0], velocity: [2, 0, 0], spin: [1, 5, -3]}\n"
      "  b: {sphere: 0.15, mass: 2, at: [1, 0.1, 0.05], spin: [0, 1, 2]}\n"
      "contacts: {touch: {between: [a, b], friction: 0.4, impact: {law: energetic, e: 0.7}}}\n"
      "run: {until: 1}\n"
      "observe: {px: a.px + b.px, py: a.py + b.py, pz: a.pz + b.pz,\n"
      "          lx: a.lx + b.lx, ly: a.ly + b.ly, lz: a.lz + b.lz}\n");
  const char *const names[] = {"px", "py", "pz", "lx", "ly", "lz"};
  double before[6];
  for (int k = 0; k < 6; k++)
    before[k] = value_of(&m, names[k]);
  motion_advance(&m, 1.0);
  CHECK(certificate_of(&m).counts.impacts == 1);
  for (int k = 0; k < 6; k++)
    CHECK_NEAR(value_of(&m, names[k]), before[k], 1e-12);
  motion_end(&m);
}

// Steady turns of a coin on its rim, inclined by th from the vertical
// (docs/theory-friction-space.md): (C + m R^2) w psi' cos(th) = A psi'^2 sin(th) cos(th) - m g R
// sin(th) with w about its axis. Its height stays. Here psi' = 5 is given and w follows.
static void coin_turns_steadily(void **state) {
  (void)state;
  double R = 0.2, th = 0.4, psi = 5.0, g = 9.81, A = R * R / 4.0, C = R * R / 2.0;
  double w = (A * psi * psi * sin(th) * cos(th) - g * R * sin(th)) / ((C + R * R) * psi * cos(th));
  // the axis of the coin lies along -y, raised by th; the spin is psi' about z plus (w - psi' sin
  // th) about it
  double own = w - psi * sin(th);
  double spin[3] = {0.0, -own * cos(th), psi + own * sin(th)};
  // the centre moves so that the lowest point, R below it in the coin, is at rest: v = spin x
  // (-arm)
  double arm[3] = {0.0, -R * sin(th), -R * cos(th)};
  double v[3] = {-(spin[1] * arm[2] - spin[2] * arm[1]), -(spin[2] * arm[0] - spin[0] * arm[2]),
                 -(spin[0] * arm[1] - spin[1] * arm[0])};
  char text[900];
  (void)snprintf(text, sizeof text,
                 "gravity: 9.81\n"
                 "bodies:\n"
                 "  table: {plane: [0, 0, 1]}\n"
                 "  coin: {coin: 0.2, mass: 1, at: [0, 0, %.17g],\n"
                 "         turn: {axis: [1, 0, 0], angle: %.17g},\n"
                 "         velocity: [%.17g, %.17g, %.17g], spin: [%.17g, %.17g, %.17g]}\n"
                 "contacts: {rim: {between: [coin, table], friction: 5}}\n"
                 "run: {until: 3, rtol: 1e-11}\n"
                 "observe: {low: min(coin.z), high: max(coin.z)}\n",
                 R * cos(th), PI / 2.0 - th, v[0], v[1], v[2], spin[0], spin[1], spin[2]);
  motion m = motion_parse(text);
  motion_advance(&m, 3.0);
  CHECK_NEAR(value_of(&m, "low"), R * cos(th), 1e-8);
  CHECK_NEAR(value_of(&m, "high"), R * cos(th), 1e-8);
  motion_end(&m);
}

// an ellipsoid with equal axes is a sphere, a capsule without length too
static void round_limits(void **state) {
  (void)state;
  static const char *const shapes[] = {"sphere: 0.1", "ellipsoid: [0.1, 0.1, 0.1]",
                                       "capsule: [0, 0.1]"};
  double x[3], spin[3];
  for (int k = 0; k < 3; k++) {
    char text[500];
    (void)snprintf(text, sizeof text,
                   "gravity: 9.81\n"
                   "bodies:\n"
                   "  floor: {plane: [0, 0, 1]}\n"
                   "  ball: {%s, density: 1000, at: [0, 0, 0.3], velocity: [1, 0.5, 0],\n"
                   "         spin: [3, 8, 1]}\n"
                   "contacts: {touch: {between: [ball, floor], friction: 0.2,\n"
                   "                   impact: {law: poisson, e: 0.6}}}\n"
                   "run: {until: 0.5}\n"
                   "observe: {spin: ball.wy}\n",
                   shapes[k]);
    motion m = motion_parse(text);
    motion_advance(&m, k == 2 ? 0.0 : 0.5); // its two ends would strike together
    CHECK_NEAR(value_of(&m, "ball.mass"), 1000.0 * 4.0 / 3.0 * PI * 1e-3, 1e-12);
    CHECK_NEAR(value_of(&m, "ball.inertia1"), 0.4 * 1e-2 * value_of(&m, "ball.mass"), 1e-13);
    CHECK_NEAR(value_of(&m, "ball.inertia3"), 0.4 * 1e-2 * value_of(&m, "ball.mass"), 1e-13);
    x[k] = value_of(&m, "ball.x");
    spin[k] = value_of(&m, "spin");
    motion_end(&m);
  }
  CHECK_NEAR(x[1], x[0], 1e-10);
  CHECK_NEAR(spin[1], spin[0], 1e-9);
}

// A block that slides down a guide askew, with a wheel welded to it: g sin(a) along the guide,
// whichever way the axis lies, in the plane and in space.
static void slider_askew(void **state) {
  (void)state;
  motion m = motion_parse("gravity: 9.81\n"
                          "bodies:\n"
                          "  frame: {fixed: yes}\n"
                          "  block: {box: [0.2, 0.2], mass: 1, turn: 0.3}\n"
                          "  wheel: {disc: 0.1, mass: 3, at: [0.3, 0.1]}\n"
                          "joints:\n"
                          "  guide: {between: [block, frame], slider: [0, 0], axis: [2, -1]}\n"
                          "  glue: {between: [wheel, block], weld: [0.2, 0.2]}\n"
                          "run: {until: 1}\n");
  motion_advance(&m, 1.0);
  CHECK_NEAR(value_of(&m, "block.x"), 9.81 / 5.0, 1e-11);
  CHECK_NEAR(value_of(&m, "block.y"), -9.81 / 10.0, 1e-11);
  CHECK_NEAR(value_of(&m, "wheel.x"), 9.81 / 5.0 + 0.3, 1e-11);
  motion_end(&m);
  motion s =
      motion_parse("gravity: 9.81\n"
                   "bodies:\n"
                   "  frame: {fixed: yes, at: [0, 0, 0]}\n"
                   "  block: {box: [0.2, 0.2, 0.3], mass: 1, turn: {axis: [1, 1, 0], angle: 0.3}}\n"
                   "joints: {guide: {between: [block, frame], slider: [0, 0, 0],\n"
                   "                 axis: [2, 1, -1]}}\n"
                   "run: {until: 1}\n");
  motion_advance(&s, 1.0);
  CHECK_NEAR(value_of(&s, "block.x"), 9.81 / 6.0, 1e-11);
  CHECK_NEAR(value_of(&s, "block.y"), 9.81 / 12.0, 1e-11);
  CHECK_NEAR(value_of(&s, "block.z"), -9.81 / 12.0, 1e-11);
  motion_end(&s);
}

// Two shafts at an angle b, joined by a cross: with the driving arm across the plane of both,
// tan(q) = cos(b) tan(p), with the other arm across it tan(q) = tan(p)/cos(b).
static void universal_joint(void **state) {
  (void)state;
  double b = 0.5, p = 1.0;
  static const char *const arms[] = {"axis: [0, 1, 0], across: [cos(0.5), 0, -sin(0.5)]",
                                     "axis: [2, 0, 0], across: [0, 3, 0]"};
  for (int k = 0; k < 2; k++) {
    double c = k ? 1.0 / cos(b) : cos(b), spin = 2.0 * c;
    char text[900];
    (void)snprintf(text, sizeof text,
                   "bodies:\n"
                   "  one: {at: [0, 0, 0], moved: {turn: 2*t}}\n"
                   "  frame: {fixed: yes}\n"
                   "  two: {cylinder: [0.1, 1], mass: 1, at: [sin(0.5)/2, 0, cos(0.5)/2],\n"
                   "        turn: {axis: [0, 1, 0], angle: 0.5}, spin: [%.17g, 0, %.17g]}\n"
                   "joints:\n"
                   "  cross: {between: [one, two], universal: [0, 0, 0], %s}\n"
                   "  bearing: {between: [two, frame], hinge: [0, 0, 0],\n"
                   "            axis: [sin(0.5), 0, cos(0.5)]}\n"
                   "run: {until: 0.5, rtol: 1e-11}\n",
                   spin * sin(b), spin * cos(b), arms[k]);
    motion m = motion_parse(text);
    motion_advance(&m, 0.5);
    double w = spin / (cos(p) * cos(p) + c * c * sin(p) * sin(p));
    CHECK_NEAR(value_of(&m, "two.w3"), w, 1e-9);
    motion_end(&m);
  }
}

// where bodies without coordinates are may be asked, too
static void places_of_moved_bodies(void **state) {
  (void)state;
  motion m =
      motion_parse("bodies:\n"
                   "  floor: {plane: [0, 1], at: [2, 1], turn: 0.1, moved: {x: 3*t, turn: t}}\n"
                   "  frame: {fixed: yes, at: [4, 5]}\n"
                   "  ball: {disc: 0.1, mass: 1, at: [0, 9]}\n"
                   "run: {until: 1}\n"
                   "observe: {x: floor.x, y: floor.y, v: floor.vx, turn: floor.turn,\n"
                   "          far: frame.x + frame.y}\n");
  motion_advance(&m, 1.0);
  CHECK_NEAR(value_of(&m, "x"), 5.0, 1e-13);
  CHECK_NEAR(value_of(&m, "y"), 1.0, 1e-13);
  CHECK_NEAR(value_of(&m, "v"), 3.0, 1e-13);
  CHECK_NEAR(value_of(&m, "turn"), 1.1, 1e-13);
  CHECK_NEAR(value_of(&m, "far"), 9.0, 1e-13);
  motion_end(&m);
}

// how many directions joints leave free, in space
static void joints_leave(void **state) {
  (void)state;
  static const struct {
    const char *joint;
    int constraints;
  } cases[] = {{"hinge: [0, 0, 0], axis: [1, 1, 0]", 5},
               {"ball: [0, 0, 0]", 3},
               {"weld: [0, 0, 0]", 6},
               {"universal: [0, 0, 0], axis: [1, 0, 0], across: [0, 1, 0]", 4},
               {"slider: [0, 0, 0], axis: [0, 1, 2]", 5},
               {"distance: 1, from: [0, 0, -1], to: [0, 0, 0]", 1},
               {"spring: 5, from: [0, 0, -1], to: [0, 0, 0]", 0}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    char text[500];
    (void)snprintf(text, sizeof text,
                   "gravity: 9.81\n"
                   "bodies:\n"
                   "  frame: {fixed: yes, at: [0, 0, 0]}\n"
                   "  arm: {box: [0.1, 0.2, 2], mass: 1, at: [0, 0, -1],\n"
                   "        turn: {axis: [1, 2, 0], angle: 0.3}}\n"
                   "joints: {held: {between: [arm, frame], %s}}\n"
                   "run: {until: 1}\n",
                   cases[k].joint);
    motion m = motion_parse(text);
    CHECK(carom_model_count(m.model, CAROM_CONSTRAINTS) == cases[k].constraints);
    motion_advance(&m, 1.0);
    CHECK(certificate_of(&m).passed);
    motion_end(&m);
  }
}

// a rod on a hinge in space swings as it does in the plane
static void hinge_in_space(void **state) {
  (void)state;
  motion m =
      motion_parse("gravity: 9.81\n"
                   "bodies:\n"
                   "  frame: {fixed: yes, at: [0, 0, 0]}\n"
                   "  rod: {box: [0, 0, 1], mass: 1, inertia: [1/12, 1/12, 1/12],\n"
                   "        at: [sin(1)/2, 0, -cos(1)/2], turn: {axis: [0, -1, 0], angle: 1}}\n"
                   "joints: {top: {between: [rod, frame], hinge: [0, 0, 0], axis: [0, 1, 0]}}\n"
                   "run: {until: 3, rtol: 1e-11}\n");
  motion angle = motion_parse("coordinates: {a: 1}\n"
                              "energy: {kinetic: \"a'^2/6\", potential: -9.81*cos(a)/2}\n"
                              "run: {until: 3, rtol: 1e-11}\n");
  motion_advance(&m, 3.0);
  motion_advance(&angle, 3.0);
  CHECK_NEAR(value_of(&m, "rod.x"), sin(value_of(&angle, "a")) / 2.0, 1e-9);
  CHECK_NEAR(value_of(&m, "rod.y"), 0.0, 1e-12);
  motion_end(&m);
  motion_end(&angle);
}

// ---- groups, families, mistakes

static void groups_and_families(void **state) {
  (void)state;
  motion m = motion_parse("gravity: 9.81\n"
                          "parameters: {n: 4}\n"
                          "bodies:\n"
                          "  floor: {plane: [0, 1]}\n"
                          "  wall: {plane: [-1, 0], at: [9, 0]}\n"
                          "  ball[i=1..n]: {disc: 0.5, mass: 1, at: [\"1.5*i\", 0.5]}\n"
                          "contacts:\n"
                          "  touch: {between: all, impact: 0.3}\n"
                          "run: {until: 0.1}\n");
  // 4 on the floor, 4 at the wall, 6 pairs
  CHECK(carom_model_count(m.model, CAROM_CONTACTS) == 14);
  CHECK(strcmp(carom_model_name(m.model, CAROM_CONTACTS, 0), "touch_ball1_floor") == 0 ||
        strcmp(carom_model_name(m.model, CAROM_CONTACTS, 0), "touch_floor_ball1") == 0);
  motion_advance(&m, 0.1);
  CHECK_NEAR(value_of(&m, "ball3.y"), 0.5, 1e-15);
  motion_end(&m);
}

// energies of a body, and forces along the axes of space: on a slope against slip, up to the law
static void forces_and_energies(void **state) {
  (void)state;
  static const char *const systems[] = {
      "gravity: [3, -4]\n"
      "bodies:\n"
      "  slope: {plane: [0.6, 0.8]}\n"
      "  block: {disc: 1, mass: 2, at: [0.6, 0.8], velocity: [0.8, -0.6], spin: 0.1}\n"
      "contacts: {c: {between: [block, slope], friction: 0.1}}\n"
      "run: {until: 0.1}\n"
      "observe: {n: last(c.normal), fx: last(c.fx), fy: last(c.fy),\n"
      "          energy: last(block.kinetic + block.potential), still: last(block.kinetic)}\n",
      "gravity: [3, 0, -4]\n"
      "bodies:\n"
      "  slope: {plane: [0.6, 0, 0.8]}\n"
      "  block: {sphere: 1, mass: 2, at: [0.6, 0, 0.8], velocity: [0.8, 0, -0.6]}\n"
      "contacts: {c: {between: [block, slope], friction: 0.1}}\n"
      "run: {until: 0.1}\n"
      "observe: {n: last(c.normal), fx: last(c.fx), fy: last(c.fz),\n"
      "          energy: last(block.kinetic + block.potential), still: last(block.kinetic)}\n"};
  for (int k = 0; k < 2; k++) {
    motion m = motion_parse(systems[k]);
    motion_advance(&m, 0.1);
    // pressed by m (g.n), n = (0.6, 0.8): 2.8; it slides along (0.8, -0.6), friction against that
    double n = 2.0 * (-3.0 * 0.6 + 4.0 * 0.8), f = 0.1 * n;
    CHECK_NEAR(value_of(&m, "n"), n, 1e-12);
    CHECK_NEAR(value_of(&m, "fx"), 0.6 * n - 0.8 * f, 1e-12);
    CHECK_NEAR(value_of(&m, "fy"), 0.8 * n + 0.6 * f, 1e-12);
    carom_energy_ledger ledger = certificate_of(&m).energy;
    CHECK_NEAR(value_of(&m, "energy"), ledger.kinetic + ledger.potential, 1e-12);
    CHECK(value_of(&m, "still") > 1.0);
    motion_end(&m);
  }
}

// pairs of lists that share bodies are written once
static void pairs_are_written_once(void **state) {
  (void)state;
  static const char *const between[] = {"[[a, b, c], [a, b, c]]", "[all, all]", "all",
                                        "[[a, b], [b, c]]"};
  for (int k = 0; k < 4; k++) {
    char text[300];
    (void)snprintf(text, sizeof text,
                   "bodies:\n"
                   "  a: {disc: 1, mass: 1}\n"
                   "  b: {disc: 1, mass: 1, at: [3, 0]}\n"
                   "  c: {disc: 1, mass: 1, at: [6, 0]}\n"
                   "contacts: {touch: {between: %s, impact: 1}}\n"
                   "run: {until: 1}\n",
                   between[k]);
    motion m = motion_parse(text);
    CHECK(carom_model_count(m.model, CAROM_CONTACTS) == 3);
    motion_end(&m);
  }
}

// ... also where nobody wrote a list for them
static void settings_of_nothing(void **state) {
  (void)state;
  static const carom_setting set[] = {{"ball.vz", "-2"},
                                      {"ball.x", "3"},
                                      {"ball.wy", "5"},
                                      {"rope.stiffness", "0"},
                                      {"rope.damping", "0"}};
  static const char *const names[] = {"ball.z", "ball.x", "ball.w2"};
  static const double expected[] = {-2.0, 3.0, 5.0};
  carom_error error = {0};
  carom_model *model = NULL;
  carom_simulation *simulation = NULL;
  CHECK(carom_model_parse("bodies: {ball: {sphere: 1, mass: 1}, frame: {fixed: yes}}\n"
                          "joints: {rope: {between: [ball, frame], spring: 9, length: 1,\n"
                          "                from: [0, 0, 0], to: [0, 0, 9]}}\n"
                          "run: {until: 1}\n",
                          NULL, 5, set, &model, &error) == CAROM_OK);
  CHECK(carom_simulation_create(model, &simulation, &error) == CAROM_OK);
  CHECK(carom_simulation_run(simulation, &error) == CAROM_OK);
  for (int k = 0; k < 3; k++) {
    double value = 0.0;
    CHECK(carom_simulation_get(simulation, names[k], &value, &error) == CAROM_OK);
    CHECK_NEAR(value, expected[k], 1e-12);
  }
  carom_simulation_destroy(simulation);
  carom_model_destroy(model);
}

// numbers of bodies are set by the names that expressions have for them
static void settings(void **state) {
  (void)state;
  static const carom_setting set[] = {{"ball.x", "3"},       {"ball.vy", "-2"},
                                      {"ball.density", "5"}, {"ball.radius", "2"},
                                      {"gravity", "1.62"},   {NULL, NULL}};
  carom_error error = {0};
  carom_model *model = NULL;
  carom_simulation *simulation = NULL;
  CHECK(carom_model_parse("gravity: 9.81\n"
                          "bodies: {ball: {disc: 1, mass: 1, at: [0, 0], velocity: [1, 0]}}\n"
                          "run: {until: 1}\n",
                          NULL, 5, set, &model, &error) == CAROM_OK);
  CHECK(carom_simulation_create(model, &simulation, &error) == CAROM_OK);
  CHECK(carom_simulation_run(simulation, &error) == CAROM_OK);
  static const struct {
    const char *name;
    double value;
  } expected[] = {{"ball.x", 4.0}, {"ball.y", -2.0 - 0.81}, {"ball.mass", 5.0 * PI * 4.0}};
  for (int k = 0; k < 3; k++) {
    double value = 0.0;
    CHECK(carom_simulation_get(simulation, expected[k].name, &value, &error) == CAROM_OK);
    CHECK_NEAR(value, expected[k].value, 1e-12);
  }
  // and swept over
  CHECK(carom_simulation_set(simulation, "ball.mass", 7.0, &error) == CAROM_OK);
  carom_simulation_destroy(simulation);
  carom_model_destroy(model);
}

static void mistakes(void **state) {
  (void)state;
  static const struct {
    const char *bodies, *says;
  } cases[] = {
      {"a: {disc: 1}", "needs a mass or a density"},
      {"a: {disc: 1, mass: 1, at: [1, 2, 3]}", "a disc is a shape in the plane"},
      {"a: {disc: 1, box: [1, 2], mass: 1}", "has two shapes, disc and box"},
      {"a: {mass: 1}", "needs its inertia"},
      {"a: {disc: 1, mass: 1, density: 2}", "give one of them"},
      {"a: {polygon: [[0, 0], [1, 0]], mass: 1}", "corners is needed"},
      {"a: {disc: r, mass: 1}", "unknown name 'r'"},
      {"a: {disk: 1, mass: 1}", "did you mean 'disc'"},
      {"a: {disc: 1, mass: 1}\n  b: {disc: 1, mass: 1, at: [0, 3, 0]}",
       "a disc is a shape in the plane"},
      {"a: {disc: 1, mass: 1, at: [0, 3], velocity: [1]}", "list of 2 numbers"},
      {"{a: {box: [1, 1], mass: 1}, f: {plane: [0, 1]}}\n"
       "contacts: {c: {between: [a, f]}, c1: {gap: a.y}}",
       "two contacts are called 'c1'"},
      {"{a: {box: [1, 1], mass: 1}, f: {fixed: yes}}\n"
       "joints: {h: {between: [a, f], ball: [0, 0], damping: 3}}",
       "a ball, which has no 'damping'"},
      {"{a: {box: [1, 1], mass: 1}, f: {fixed: yes}}\n"
       "joints: {h: {between: [a, f], hinge: [0, 0], weld: [0, 0]}}",
       "a hinge, which has no 'weld'"},
      {"{a: {sphere: 1, mass: 1}, f: {fixed: yes}}\n"
       "joints: {h: {between: [a, f], universal: [0, 0, 0], axis: [1, 0, 0]}}",
       "needs `across`"},
      {"a: {disc: 1, mass: 1, spin: [1, 2, 3]}", "a spin in the plane is one number"},
      {"{a: {box: [1, 1], mass: 1}, f: {fixed: yes}}\n"
       "joints: {h: {between: [a, f], hinge: [0, 0]}}\n"
       "constraints: {h_1: a.turn}",
       "two constraints are called 'h_1'"},
      {"{a: {disc: 1, mass: 1}, f: {plane: [0, 1]}, g: {plane: [1, 0]}}\n"
       "contacts: {c: {between: [[f, g], [f, g]]}}",
       "no two of these bodies can touch"},
      {"a: {disc: 1, mass: 1, omega: 3}", "did you mean 'spin'?"},
      {"a: {square: 1, mass: 1}", "box: [0.4, 0.4]"},
      {"a: {disc: 1, mass: 1, velocity: 6}", "write the numbers in brackets"},
      {"a: {disc: 1, mass: 1}\ngravity: -9.81", "how strongly things are pulled down"},
      {"a: {disc: -1, mass: 1}", "a length of bodies.a is negative"},
      {"a: {box: [1, -1], mass: 1}", "a length of bodies.a is negative"},
      {"a: {polygon: [[0, 0], [0, 1], [1, 0]], mass: 1}", "go round clockwise"},
      {"a: {polygon: [[0, 0], [1, 1], [2, 2]], mass: 1}", "lie on one line"},
      {"{a: {polygon: [[0, 0], [2, 0], [2, 2], [1, 1], [0, 2]], mass: 1}, b: {disc: 1, mass: 1}}\n"
       "contacts: {c: {between: [a, b]}}",
       "'a' (polygon that is not convex) and 'b' (disc)"},
      {"{a: {disc: 1, mass: 1}, f: {plane: [0, 0]}}", "has no direction"},
      {"{a: {disc: 1, mass: 1}, f: {plane: [0, 1], velocity: [1, 0]}}", "`moved` says how"},
      {"{a: {disc: 1, mass: 1}, f: {plane: [0, 1], moved: {z: t}}}", "in the plane, without z"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    char text[300];
    carom_error error = {0};
    carom_model *model = NULL;
    (void)snprintf(text, sizeof text, "bodies:\n  %s\nrun: {until: 1}\n", cases[k].bodies);
    CHECK(carom_model_parse(text, "bodies.yaml", 0, NULL, &model, &error) == CAROM_ERR_INPUT);
    if (!strstr(error.text, cases[k].says)) print_error("%s: '%s'\n", cases[k].bodies, error.text);
    CHECK(strstr(error.text, cases[k].says) != NULL);
    CHECK(error.line == 2 || error.line == 3);
    carom_model_destroy(model);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(disc_comes_to_roll),
      cmocka_unit_test(forces_and_energies),
      cmocka_unit_test(hinges_as_angles),
      cmocka_unit_test(triangle),
      cmocka_unit_test(disc_meets_corner),
      cmocka_unit_test(boxes_exchange),
      cmocka_unit_test(corner_slides_on_box),
      cmocka_unit_test(boxes_lie_on_each_other),
      cmocka_unit_test(flush_boxes_do_not_pass),
      cmocka_unit_test(flush_box_slides),
      cmocka_unit_test(shaken_floor),
      cmocka_unit_test(disc_in_cup),
      cmocka_unit_test(ball_comes_to_roll),
      cmocka_unit_test(turning_table),
      cmocka_unit_test(box_falls_flat),
      cmocka_unit_test(thrown_die),
      cmocka_unit_test(balls_keep_momentum),
      cmocka_unit_test(coin_turns_steadily),
      cmocka_unit_test(round_limits),
      cmocka_unit_test(joints_leave),
      cmocka_unit_test(hinge_in_space),
      cmocka_unit_test(places_of_moved_bodies),
      cmocka_unit_test(universal_joint),
      cmocka_unit_test(slider_askew),
      cmocka_unit_test(groups_and_families),
      cmocka_unit_test(pairs_are_written_once),
      cmocka_unit_test(settings),
      cmocka_unit_test(settings_of_nothing),
      cmocka_unit_test(mistakes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
