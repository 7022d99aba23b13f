// SPDX-License-Identifier: MIT
// Shapes that meet with sides, edges and corners, bodies of several shapes, and forces on bodies:
// closed forms, the same motion of other shapes, the same system written by hand.
#include "motion.h"

#include <math.h>
#include <stdarg.h>

static motion motion_printed(const char *format, ...) {
  char text[2000];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return motion_parse(text);
}

// ---- balls at solids

// A ball that rolls off a table: at a box in the plane, at a box in space and at a round table the
// same motion, by three formulas for the edge.
static void ball_rolls_off(void **state) {
  (void)state;
  static const char *const run = "contacts: {touch: {between: [ball, table], friction: 0.3}}\n"
                                 "run: {until: 1}\n";
  motion plane = motion_printed(
      "gravity: 9.81\n"
      "bodies:\n"
      "  table: {box: [2, 1], fixed: yes, at: [0, -0.5]}\n"
      "  ball: {disc: 0.1, mass: 1, inertia: 0.004, at: [0.5, 0.1], velocity: [0.7, 0], spin: -7}\n"
      "%s",
      run);
  static const char *const tables[] = {"{box: [2, 2, 1], fixed: yes, at: [0, 0, -0.5]}",
                                       "{cylinder: [1, 1], fixed: yes, at: [0, 0, -0.5]}"};
  motion_advance(&plane, 1.0);
  CHECK(value_of(&plane, "ball.y") < -0.2); // it has left
  for (int k = 0; k < 2; k++) {
    motion space = motion_printed("gravity: 9.81\n"
                                  "bodies:\n"
                                  "  table: %s\n"
                                  "  ball: {sphere: 0.1, mass: 1, at: [0.5, 0, 0.1], velocity: "
                                  "[0.7, 0, 0], spin: [0, 7, 0]}\n"
                                  "%s",
                                  tables[k], run);
    motion_advance(&space, 1.0);
    CHECK_NEAR(value_of(&space, "ball.x"), value_of(&plane, "ball.x"), 1e-9);
    CHECK_NEAR(value_of(&space, "ball.z"), value_of(&plane, "ball.y"), 1e-9);
    CHECK_NEAR(value_of(&space, "ball.w2"), -value_of(&plane, "ball.turn'"), 1e-8);
    CHECK(certificate_of(&space).passed);
    motion_end(&space);
  }
  motion_end(&plane);
}

// a smooth ball meets faces, edges and corners: its velocity is reflected at the normal there
static void ball_meets_box(void **state) {
  (void)state;
  static const double normals[][3] = {{0, 0, 1},         {0.6, 0, 0.8},      {0, -0.28, 0.96},
                                      {0.48, 0.6, 0.64}, {-0.36, 0.48, 0.8}, {0.6, -0.8, 0}};
  static const double half[3] = {0.5, 0.7, 0.9};
  for (size_t k = 0; k < sizeof normals / sizeof *normals; k++) {
    const double *n = normals[k], v[3] = {-0.5 - n[0], 0.3 - n[1], -0.2 - n[2]};
    double at[3], along = 0.0, r = 0.25;
    for (int i = 0; i < 3; i++) {
      double edge = n[i] > 0.0 ? half[i] : n[i] < 0.0 ? -half[i] : 0.1;
      at[i] = edge + r * n[i] - 0.5 * v[i]; // it touches at 1/2
      along += v[i] * n[i];
    }
    motion m = motion_printed("bodies:\n"
                              "  block: {box: [1, 1.4, 1.8], fixed: yes}\n"
                              "  ball: {sphere: %.17g, mass: 2, at: [%.17g, %.17g, %.17g],\n"
                              "         velocity: [%.17g, %.17g, %.17g]}\n"
                              "contacts: {touch: {between: [block, ball], impact: 0.5}}\n"
                              "run: {until: 1}\n",
                              r, at[0], at[1], at[2], v[0], v[1], v[2]);
    motion_advance(&m, 1.0);
    for (int i = 0; i < 3; i++) {
      static const char *const names[] = {"ball.x'", "ball.y'", "ball.z'"};
      CHECK_NEAR(value_of(&m, names[i]), v[i] - 1.5 * along * n[i], 1e-12);
    }
    motion_end(&m);
  }
}

// a rough ball throws a box over: momentum and angular momentum of both together stay
static void ball_throws_box(void **state) {
  (void)state;
  static const char *const shapes[] = {"box: [0.4, 0.5, 0.6]", "cylinder: [0.3, 0.4]"};
  for (int k = 0; k < 2; k++) {
    motion m = motion_printed(
        "bodies:\n"
        "  block: {%s, mass: 2, turn: {axis: [1, 2, 3], angle: 0.7}, spin: [0.3, -0.2, 0.1]}\n"
        "  ball: {sphere: 0.2, mass: 1, at: [2, 0.25, 0.2], velocity: [-3, 0, 0], spin: [1, 2, "
        "5]}\n"
        "contacts: {touch: {between: [ball, block], friction: 0.4, impact: {law: energetic, e: "
        "1}}}\n"
        "run: {until: 2}\n"
        "observe: {px: block.px + ball.px, lx: block.lx + ball.lx, ly: block.ly + ball.ly,\n"
        "          lz: block.lz + ball.lz}\n",
        shapes[k]);
    double before[4];
    static const char *const kept[] = {"px", "lx", "ly", "lz"};
    for (int i = 0; i < 4; i++)
      before[i] = value_of(&m, kept[i]);
    motion_advance(&m, 2.0);
    for (int i = 0; i < 4; i++)
      CHECK_NEAR(value_of(&m, kept[i]), before[i], 1e-11);
    CHECK(fabs(value_of(&m, "ball.x'") + 3.0) > 0.1); // they met
    CHECK(certificate_of(&m).passed);
    motion_end(&m);
  }
}

// a smooth ball on the side of a cylinder leaves it where the cosine is 2/3 of that at the start
static void ball_slides_off_cylinder(void **state) {
  (void)state;
  double a = 0.3, c = 2.0 / 3.0 * cos(a), s = sqrt(1.0 - c * c), l = 1.2, g = 9.81;
  motion m = motion_printed(
      "gravity: 9.81\n"
      "bodies:\n"
      "  drum: {cylinder: [1, 4], fixed: yes, turn: {axis: [1, 0, 0], angle: pi/2}}\n"
      "  ball: {sphere: 0.2, mass: 1, at: [%.17g, 0, %.17g]}\n"
      "contacts: {touch: {between: [ball, drum]}}\n"
      "run: {until: 1.5}\n",
      l * sin(a), l * cos(a));
  motion_advance(&m, 1.5);
  // from there a throw with v^2 = g l c: invariants of it are vx and the energy, and a place on it
  double v = sqrt(g * l * c), vx = v * c, x = value_of(&m, "ball.x"), dt = (x - l * s) / vx;
  CHECK_NEAR(value_of(&m, "ball.x'"), vx, 1e-9);
  CHECK_NEAR(value_of(&m, "ball.z"), l * c - v * s * dt - 0.5 * g * dt * dt, 1e-8);
  motion_end(&m);
}

// ---- lines in the plane

// a disc strikes a free capsule beside its centre: p (1/m + 1/M + d^2/J) = (1 + e) v
static void disc_strikes_capsule(void **state) {
  (void)state;
  double d = 0.7, e = 0.6, mass = 2.0, inertia = 0.5, v = 3.0;
  static const char *const lines[] = {"capsule: [2, 0.1]", "segment: 2"};
  for (int k = 0; k < 2; k++) {
    motion m = motion_printed("bodies:\n"
                              "  rod: {%s, mass: 2, inertia: 0.5}\n"
                              "  ball: {disc: 0.2, mass: 1, at: [0.7, 1], velocity: [0, -3]}\n"
                              "contacts: {touch: {between: [rod, ball], impact: 0.6}}\n"
                              "run: {until: 0.5}\n",
                              lines[k]);
    motion_advance(&m, 0.5);
    double p = (1.0 + e) * v / (1.0 + 1.0 / mass + d * d / inertia);
    CHECK_NEAR(value_of(&m, "ball.y'"), -v + p, 1e-12);
    CHECK_NEAR(value_of(&m, "rod.y'"), -p / mass, 1e-12);
    CHECK_NEAR(value_of(&m, "rod.turn'"), -p * d / inertia, 1e-12);
    motion_end(&m);
  }
}

// A plank that rocks on a round support without sliding; by hand one angle: the touched place is at
// R phi along the plank.
static void plank_rocks(void **state) {
  (void)state;
  motion bodies = motion_parse("gravity: 9.81\n"
                               "bodies:\n"
                               "  drum: {disc: 0.5, fixed: yes}\n"
                               "  plank: {capsule: [2, 0.05], mass: 3, inertia: 1, at: [0, 0.55],\n"
                               "          velocity: [-0.045, 0], spin: 0.9}\n"
                               "contacts: {touch: {between: [plank, drum], friction: 0.9}}\n"
                               "run: {until: 3, rtol: 1e-12}\n");
  motion angle = motion_parse("coordinates: {phi: {start: 0, rate: 0.9}}\n"
                              "define: {R: 0.5, h: 0.05,\n"
                              "  x: \"-(R + h)*sin(phi) + R*phi*cos(phi)\",\n"
                              "  y: (R + h)*cos(phi) + R*phi*sin(phi)}\n"
                              "energy: {kinetic: 3*(x'^2 + y'^2)/2 + phi'^2/2,\n"
                              "         potential: 3*9.81*y}\n"
                              "run: {until: 3, rtol: 1e-12}\n");
  for (int k = 1; k <= 6; k++) {
    motion_advance(&bodies, 0.5 * k);
    motion_advance(&angle, 0.5 * k);
    CHECK_NEAR(value_of(&bodies, "plank.turn"), value_of(&angle, "phi"), 1e-9);
  }
  CHECK(certificate_of(&bodies).passed);
  motion_end(&bodies);
  motion_end(&angle);
}

// a capsule slides over the end of a table: its side on the corner is that of a box with half discs
static void capsule_on_corner(void **state) {
  (void)state;
  // frictionless on a corner: energy stays, and nothing pushes along the capsule
  motion m = motion_parse("gravity: 9.81\n"
                          "bodies:\n"
                          "  table: {box: [2, 1], fixed: yes, at: [-1, -0.5]}\n"
                          "  rod: {capsule: [1.4, 0.1], mass: 1, at: [0.1, 0.1]}\n"
                          "contacts: {touch: {between: [rod, table]}}\n"
                          "run: {until: 0.8, rtol: 1e-12}\n");
  // by hand: s along the rod from the corner to its centre, angle a, centre at s (cos, sin) + r n
  motion hand = motion_parse(
      "coordinates: {s: 0.1, a: 0}\n"
      "define: {x: s*cos(a) - 0.1*sin(a), y: s*sin(a) + 0.1*cos(a),\n"
      "  area: 2*1.4*0.1 + pi*0.01,\n"
      "  J: (2*1.4*0.1*(1.4^2 + 0.04)/12 + pi*0.01*(0.01/2 + 1.4^2/4 + 4*1.4*0.1/(3*pi)))/area}\n"
      "energy: {kinetic: (x'^2 + y'^2 + J*a'^2)/2, potential: 9.81*y}\n"
      "run: {until: 0.8, rtol: 1e-12}\n");
  for (int k = 1; k <= 2; k++) {
    motion_advance(&m, 0.15 * k);
    motion_advance(&hand, 0.15 * k);
    CHECK_NEAR(value_of(&m, "rod.turn"), value_of(&hand, "a"), 1e-9);
  }
  motion_end(&m);
  motion_end(&hand);
}

// two capsules that meet side on at an end: the impulse at their distance from the centres
static void capsules_meet(void **state) {
  (void)state;
  motion m = motion_parse("bodies:\n"
                          "  low: {capsule: [2, 0.1], mass: 2, inertia: 0.5}\n"
                          "  high: {capsule: [2, 0.1], mass: 1, inertia: 0.4, at: [1.5, 1],\n"
                          "         velocity: [0, -1], turn: 0.3}\n"
                          "contacts: {touch: {between: all, impact: 1}}\n"
                          "run: {until: 1}\n");
  // the left end of the upper one, at 1.5 - cos(0.3), strikes the side of the lower one
  double d = 1.5 - cos(0.3), b = -cos(0.3), p = 2.0 / (1.0 + 0.5 + d * d / 0.5 + b * b / 0.4);
  motion_advance(&m, 1.0);
  CHECK_NEAR(value_of(&m, "high.y'"), -1.0 + p, 1e-11);
  CHECK_NEAR(value_of(&m, "low.y'"), -p / 2.0, 1e-11);
  CHECK_NEAR(value_of(&m, "low.turn'"), -p * d / 0.5, 1e-11);
  CHECK_NEAR(value_of(&m, "high.turn'"), p * b / 0.4, 1e-11);
  motion_end(&m);
}

// ---- several shapes

// a box that is turned in a body is a box that is turned
static void turned_part(void **state) {
  (void)state;
  motion part = motion_parse(
      "bodies:\n"
      "  b: {spin: [1, -2, 0.7], parts: {p: {box: [0.3, 0.5, 0.8], mass: 2, at: [1, 2, 3],\n"
      "      turn: {axis: [1, 2, -1], angle: 0.8}}}}\n"
      "run: {until: 3, rtol: 1e-12}\n"
      "observe: {x: b.wx, y: b.wy, z: b.wz, lx: b.lx}\n");
  motion whole = motion_parse("bodies:\n"
                              "  b: {spin: [1, -2, 0.7], box: [0.3, 0.5, 0.8], mass: 2,\n"
                              "      turn: {axis: [1, 2, -1], angle: 0.8}}\n"
                              "run: {until: 3, rtol: 1e-12}\n"
                              "observe: {x: b.wx, y: b.wy, z: b.wz, lx: b.lx}\n");
  static const char *const names[] = {"x", "y", "z", "lx"};
  motion_advance(&part, 3.0);
  motion_advance(&whole, 3.0);
  for (int k = 0; k < 4; k++)
    CHECK_NEAR(value_of(&part, names[k]), value_of(&whole, names[k]), 1e-10);
  motion_end(&part);
  motion_end(&whole);
}

// eight small cubes are one large cube, about any point; six numbers give the same tensor
static void parts_add_up(void **state) {
  (void)state;
  motion m = motion_parse(
      "bodies:\n"
      "  b: {density: 10, parts: {\n"
      "    a: {box: [1, 2, 4], at: [0.5, 1, 2]}, b: {box: [3, 2, 4], at: [2.5, 1, 2]},\n"
      "    c: {box: [1, 5, 4], at: [0.5, 4.5, 2]}, d: {box: [3, 5, 4], at: [2.5, 4.5, 2]}}}\n"
      "  whole: {density: 10, box: [4, 7, 4]}\n"
      "run: {until: 1}\n"
      "observe: {m: b.mass - whole.mass, x: b.centre1, y: b.centre2, z: b.centre3,\n"
      "  i1: b.inertia1/whole.inertia1, i2: b.inertia2/whole.inertia2,\n"
      "  i3: b.inertia3/whole.inertia3, p: b.product3/whole.inertia1}\n");
  static const struct {
    const char *name;
    double is;
  } sums[] = {{"m", 0}, {"x", 2}, {"y", 3.5}, {"z", 2}, {"i1", 1}, {"i2", 1}, {"i3", 1}, {"p", 0}};
  for (size_t k = 0; k < sizeof sums / sizeof *sums; k++)
    CHECK_NEAR(value_of(&m, sums[k].name), sums[k].is, 1e-13);
  motion_end(&m);
}

static void tensor_is_given(void **state) {
  (void)state;
  // about axes turned by 0.5 from the principal ones, about the third axis
  double c = cos(0.5), s = sin(0.5), a = 1.0, b = 2.0;
  motion given = motion_printed("bodies:\n"
                                "  b: {mass: 1, inertia: [%.17g, %.17g, 2.5, %.17g, 0, 0],\n"
                                "      spin: [1, 0.5, 0.2]}\n"
                                "run: {until: 4, rtol: 1e-12}\n"
                                "observe: {x: b.wx, y: b.wy, z: b.wz}\n",
                                a * c * c + b * s * s, a * s * s + b * c * c, (a - b) * c * s);
  motion own = motion_parse("bodies:\n"
                            "  b: {mass: 1, inertia: [1, 2, 2.5], spin: [1, 0.5, 0.2],\n"
                            "      turn: {axis: [0, 0, 1], angle: 0.5}}\n"
                            "run: {until: 4, rtol: 1e-12}\n"
                            "observe: {x: b.wx, y: b.wy, z: b.wz}\n");
  static const char *const names[] = {"x", "y", "z"};
  motion_advance(&given, 4.0);
  motion_advance(&own, 4.0);
  for (int k = 0; k < 3; k++)
    CHECK_NEAR(value_of(&given, names[k]), value_of(&own, names[k]), 1e-10);
  motion_end(&given);
  motion_end(&own);
}

// two discs on a body bounce as the round ends of a capsule do
static void parts_touch(void **state) {
  (void)state;
  static const char *const rest =
      "contacts: {touch: {between: [b, floor], friction: 0.2, impact: 0.5}}\n"
      "run: {until: 1.5}\n";
  motion parts = motion_printed(
      "gravity: 9.81\n"
      "bodies:\n"
      "  floor: {plane: [0, 1]}\n"
      "  b: {mass: 2, inertia: 0.3, at: [0, 1], turn: 0.4, spin: 2, velocity: [1, 0],\n"
      "      parts: {left: {disc: 0.1, at: [-0.5, 0]}, right: {disc: 0.1, at: [0.5, 0]}}}\n"
      "%s",
      rest);
  motion whole = motion_printed("gravity: 9.81\n"
                                "bodies:\n"
                                "  floor: {plane: [0, 1]}\n"
                                "  b: {mass: 2, inertia: 0.3, at: [0, 1], turn: 0.4, spin: 2,\n"
                                "      velocity: [1, 0], capsule: [1, 0.1]}\n"
                                "%s",
                                rest);
  motion_advance(&parts, 1.5);
  motion_advance(&whole, 1.5);
  CHECK(carom_model_count(parts.model, CAROM_CONTACTS) == 2);
  CHECK_NEAR(value_of(&parts, "b.turn"), value_of(&whole, "b.turn"), 1e-9);
  CHECK_NEAR(value_of(&parts, "b.x"), value_of(&whole, "b.x"), 1e-9);
  motion_end(&parts);
  motion_end(&whole);
}

// a hammer turned in space meets a wall with its head
static void hammer_meets_wall(void **state) {
  (void)state;
  motion m = motion_parse(
      "bodies:\n"
      "  wall: {plane: [-1, 0, 0], at: [2, 0, 0]}\n"
      "  h: {density: 100, at: [0, 0, 0], velocity: [1, 0, 0], parts: {\n"
      "    head: {sphere: 0.2, at: [0, 0, 0.5]}, shaft: {cylinder: [0.05, 1], at: [0, 0, 0]}}}\n"
      "contacts: {touch: {between: [h, wall], impact: 1}}\n"
      "run: {until: 2}\n"
      "observe: {m: h.mass, j: h.inertia2, d: 0.5 - h.centre3, w: h.wy}\n");
  // the ball touches at 1.8: p (1/m + d^2/J) = 2 v
  double mass = value_of(&m, "m"), j = value_of(&m, "j"), d = value_of(&m, "d");
  double p = 2.0 / (1.0 / mass + d * d / j);
  double ball = 100.0 * 4.0 / 3.0 * PI * 0.008, rod = 100.0 * PI * 0.0025, z = ball * 0.5;
  CHECK_NEAR(mass, ball + rod, 1e-13);
  z /= mass;
  CHECK_NEAR(j, ball * (0.4 * 0.04 + (0.5 - z) * (0.5 - z)) + rod * (0.0025 / 4 + 1.0 / 12 + z * z),
             1e-13);
  motion_advance(&m, 1.9);
  CHECK_NEAR(value_of(&m, "h.x'"), 1.0 - p / mass, 1e-11);
  CHECK_NEAR(value_of(&m, "w"), -p * d / j, 1e-11);
  motion_end(&m);
}

// ---- tubes and rolling

// along a smooth tube a ball falls freely while it circles
static void ball_in_tube(void **state) {
  (void)state;
  motion m = motion_parse("gravity: 9.81\n"
                          "bodies:\n"
                          "  pipe: {tube: 1.1}\n"
                          "  ball: {sphere: 0.1, mass: 1, at: [1, 0, 0], velocity: [0, 2, 0]}\n"
                          "contacts: {touch: {between: [ball, pipe]}}\n"
                          "run: {until: 1}\n");
  motion_advance(&m, 1.0);
  CHECK_NEAR(value_of(&m, "ball.x"), cos(2.0), 1e-11);
  CHECK_NEAR(value_of(&m, "ball.y"), sin(2.0), 1e-11);
  CHECK_NEAR(value_of(&m, "ball.z"), -0.5 * 9.81, 1e-11);
  motion_end(&m);
}

// In a rough tube that stands upright a ball swings up and down as it goes round: its spin about
// the normal exchanges with its rise, with sqrt(2/7) of the rate of going round (Routh 1905; the
// golf ball that comes out of the hole again).
static void ball_in_rough_tube(void **state) {
  (void)state;
  double w = 2.0, k = sqrt(2.0 / 7.0) * w, z0 = 0.05;
  motion m =
      motion_printed("bodies:\n"
                     "  pipe: {tube: 1.1}\n"
                     "  ball: {sphere: 0.1, mass: 1, at: [1, 0, 0], velocity: [0, 2, %.17g],\n"
                     "         spin: [0, %.17g, -20]}\n"
                     "joints: {roll: {between: [ball, pipe], rolling: yes}}\n"
                     "run: {until: 3, rtol: 1e-12}\n",
                     z0, z0 / 0.1);
  motion_advance(&m, 3.0);
  CHECK_NEAR(value_of(&m, "ball.x"), cos(w * 3.0), 1e-9);
  CHECK_NEAR(value_of(&m, "ball.z"), z0 * sin(k * 3.0) / k, 1e-9);
  motion_end(&m);
}

// rolling down a slope, in the plane and in space: 2/3 and 5/7 of g sin; a coin as by friction
static void rolling_joints(void **state) {
  (void)state;
  motion plane = motion_parse("gravity: [0, -9.81]\n"
                              "bodies:\n"
                              "  slope: {plane: [0.6, 0.8]}\n"
                              "  b: {disc: 0.1, mass: 1, at: [0.06, 0.08]}\n"
                              "joints: {r: {between: [b, slope], rolling: yes}}\n"
                              "run: {until: 1}\n");
  motion space = motion_parse("gravity: 9.81\n"
                              "bodies:\n"
                              "  slope: {plane: [0.6, 0, 0.8]}\n"
                              "  b: {sphere: 0.1, mass: 1, at: [0.06, 0, 0.08]}\n"
                              "joints: {r: {between: [b, slope], rolling: yes}}\n"
                              "run: {until: 1}\n");
  motion_advance(&plane, 1.0);
  motion_advance(&space, 1.0);
  CHECK_NEAR(value_of(&plane, "b.x'"), 0.8 * 2.0 / 3.0 * 9.81 * 0.6, 1e-11);
  CHECK_NEAR(value_of(&space, "b.x'"), 0.8 * 5.0 / 7.0 * 9.81 * 0.6, 1e-11);
  motion_end(&plane);
  motion_end(&space);
  static const char *const holds[] = {"joints: {r: {between: [c, floor], rolling: yes}}",
                                      "contacts: {r: {between: [c, floor], friction: 2}}"};
  double x[2];
  for (int k = 0; k < 2; k++) {
    motion coin = motion_printed("gravity: 9.81\n"
                                 "bodies:\n"
                                 "  floor: {plane: [0, 0, 1]}\n"
                                 "  c: {coin: 0.5, mass: 1, at: [5, 0, 0.5], velocity: [4, 0, 0],\n"
                                 "      turn: {axis: [1, 0, 0], angle: pi/2}, spin: [0, 8, 0.4]}\n"
                                 "%s\n"
                                 "run: {until: 1, rtol: 1e-12}\n",
                                 holds[k]);
    motion_advance(&coin, 1.0);
    x[k] = value_of(&coin, "c.y");
    motion_end(&coin);
  }
  CHECK_NEAR(x[0], x[1], 1e-9);
  CHECK(fabs(x[0]) > 0.01);
}

// ---- flat round faces

static void cylinder_comes_to_lie(void **state) {
  (void)state;
  motion m = motion_parse("gravity: 9.81\n"
                          "bodies:\n"
                          "  floor: {plane: [0, 0, 1]}\n"
                          "  c: {cylinder: [0.1, 0.02], supports: 5, density: 1000,\n"
                          "      at: [0, 0, 0.05], turn: {axis: [1, 0.3, 0], angle: 0.2}}\n"
                          "contacts: {touch: {between: [c, floor], friction: 0.3, impact: 0.2}}\n"
                          "run: {until: 1}\n"
                          "observe: {up: 1 - 2*(c.e1^2 + c.e2^2)}\n");
  motion_advance(&m, 1.0);
  CHECK_NEAR(value_of(&m, "c.z"), 0.01, 1e-12);
  CHECK_NEAR(value_of(&m, "up"), 1.0, 1e-12);
  CHECK_NEAR(value_of(&m, "c.x'"), 0.0, 1e-12);
  CHECK(certificate_of(&m).passed);
  motion_end(&m);
}

// ---- forces

// m v' = F - c v; J w' = (r x F) + M
static void forces_at_points(void **state) {
  (void)state;
  motion m = motion_parse(
      "bodies:\n"
      "  b: {mass: 2, inertia: 0.5, drag: 0.8, forces: {wind: {force: [3, 0]}}}\n"
      "  c: {mass: 2, inertia: 0.5, forces: {brake: {torque: \"-0.3*c.turn'\"}}, spin: 4}\n"
      "  d: {mass: 2, inertia: 0.5, turn: 0.3, forces: {pull: {force: [1, 2], at: [0.6, 0.2]}}}\n"
      "  e: {mass: 2, inertia: 0.5, turn: 0.3, forces: {pull: {force: [1, 2]},\n"
      "      twist: {torque: 2*(0.6*cos(e.turn) - 0.2*sin(e.turn))\n"
      "                      - (0.6*sin(e.turn) + 0.2*cos(e.turn))}}}\n"
      "run: {until: 2, rtol: 1e-12}\n");
  motion_advance(&m, 2.0);
  CHECK_NEAR(value_of(&m, "b.x'"), 3.0 / 0.8 * (1.0 - exp(-0.8)), 1e-11);
  CHECK_NEAR(value_of(&m, "c.turn'"), 4.0 * exp(-1.2), 1e-11);
  CHECK_NEAR(value_of(&m, "d.turn"), value_of(&m, "e.turn"), 1e-10);
  CHECK_NEAR(value_of(&m, "d.y'"), 2.0, 1e-11);
  motion_end(&m);
}

// in space: a force beside the centre turns the body as its moment does; dL/dt = M
static void forces_in_space(void **state) {
  (void)state;
  motion m = motion_parse(
      "bodies:\n"
      "  b: {box: [0.3, 0.5, 0.8], mass: 2, spin: [1, 2, 3], forces: {m: {torque: [0, 0.4, "
      "-0.1]}}}\n"
      "  c: {box: [0.3, 0.5, 0.8], mass: 2, spin: [1, 2, 3], at: [1, 0, 0],\n"
      "      forces: {up: {force: [0, 0, 5], at: [0.1, 0.2, 0.3]}, down: {force: [0, 0, -5]}},\n"
      "      points: {p: [0.1, 0.2, 0.3]}}\n"
      "  d: {box: [0.3, 0.5, 0.8], mass: 2, spin: [1, 2, 3], at: [1, 0, 0],\n"
      "      points: {p: [0.1, 0.2, 0.3]},\n"
      "      forces: {m: {torque: [5*(d.p.y - d.y), -5*(d.p.x - d.x), 0]}}}\n"
      "run: {until: 2, rtol: 1e-12}\n"
      "observe: {lx: b.lx, ly: b.ly, lz: b.lz, apart: c.wx - d.wx}\n");
  double before[3];
  static const char *const names[] = {"lx", "ly", "lz"};
  static const double torque[] = {0.0, 0.4, -0.1};
  for (int k = 0; k < 3; k++)
    before[k] = value_of(&m, names[k]);
  motion_advance(&m, 2.0);
  for (int k = 0; k < 3; k++)
    CHECK_NEAR(value_of(&m, names[k]), before[k] + 2.0 * torque[k], 1e-10);
  CHECK_NEAR(value_of(&m, "apart"), 0.0, 1e-9);
  CHECK(certificate_of(&m).passed);
  motion_end(&m);
}

// ---- groups by material

static void materials(void **state) {
  (void)state;
  motion m = motion_parse("bodies:\n"
                          "  a: {disc: 1, mass: 1, material: steel}\n"
                          "  b: {disc: 1, mass: 1, at: [3, 0], material: steel}\n"
                          "  c: {disc: 1, mass: 1, at: [6, 0], material: wood}\n"
                          "  d: {disc: 1, mass: 1, at: [9, 0]}\n"
                          "contacts:\n"
                          "  hard: {between: [steel, steel], impact: 0.9}\n"
                          "  soft: {between: [steel, [wood, d]], impact: 0.2}\n"
                          "run: {until: 1}\n");
  CHECK(carom_model_count(m.model, CAROM_CONTACTS) == 5);
  CHECK(strcmp(carom_model_name(m.model, CAROM_CONTACTS, 0), "hard_a_b") == 0);
  motion_end(&m);
}

// ---- mistakes

// the law of a pair of materials of which there is one body only is no mistake
static void a_table_of_materials_may_be_for_one_body(void **state) {
  (void)state;
  motion is = motion_parse("bodies:\n"
                           "  a: {sphere: 0.1, mass: 1, velocity: [1, 0, 0], material: steel}\n"
                           "  b: {sphere: 0.1, mass: 2, at: [0.5, 0, 0], material: steel}\n"
                           "  c: {sphere: 0.1, mass: 1, at: [1.5, 0, 0], material: ice}\n"
                           "contacts:\n"
                           "  steel: {between: [steel, steel], impact: 0.8}\n"
                           "  mixed: {between: [steel, ice], impact: 0.2}\n"
                           "  ice: {between: [ice, ice], impact: 0.1}\n"
                           "run: {until: 10}\n");
  motion_advance(&is, 10.0);
  CHECK_NEAR(value_of(&is, "a.x'"), (1.0 - 1.6) / 3.0, 1e-12);
  CHECK_NEAR(value_of(&is, "b.x'"), 0.6 * 1.8 / 3.0, 1e-12);
  CHECK_NEAR(value_of(&is, "c.x'"), 0.6 * 2.4 / 3.0, 1e-12);
  motion_end(&is);
}

static void mistakes(void **state) {
  (void)state;
  static const struct {
    const char *bodies, *says;
  } cases[] = {
      {"a: {parts: {p: {disc: 1}}}", "bodies.a.p needs a mass or a density"},
      {"a: {mass: 1, parts: {p: {disc: 1}}}", "mass and inertia of the whole, or neither"},
      {"a: {disc: 1, density: 1, parts: {p: {disc: 1}}}", "has parts and is a disc"},
      {"a: {density: 1, parts: {}}", "needs names with shapes"},
      {"a: {density: 1, parts: {p: {mass: 1}}}", "needs its inertia"},
      {"a: {density: 1, parts: {p: {plane: [0, 1]}}}", "unknown key 'plane'"},
      {"a: {density: 1, parts: {p: {disk: 1}}}", "did you mean 'disc'"},
      {"a: {density: 1, parts: {p: {disc: 1, velocity: [1, 0]}}}", "velocity"},
      {"a: {segment: 1, mass: 1, at: [0, 0, 0]}", "a segment is a shape in the plane"},
      {"{a: {segment: 1, mass: 1}, b: {box: [1, 1], mass: 1}}\n"
       "contacts: {c: {between: [a, b]}}",
       "no gap is known between 'a' (segment) and 'b' (box)"},
      {"{a: {segment: 1, mass: 1}, b: {segment: 1, mass: 1}}\n"
       "contacts: {c: {between: [a, b]}}",
       "no gap is known"},
      {"{a: {box: [1, 1, 1], mass: 1}, b: {coin: 1, mass: 1, at: [0, 0, 3]}}\n"
       "contacts: {c: {between: [a, b]}}",
       "no gap is known between 'a' (box) and 'b' (coin)"},
      {"{a: {cylinder: [1, 1], mass: 1}, b: {cylinder: [1, 1], mass: 1, at: [0, 0, 3]}}\n"
       "contacts: {c: {between: [a, b]}}",
       "no gap is known between 'a' (cylinder) and 'b' (cylinder)"},
      {"{a: {capsule: [1, 1], mass: 1, at: [0, 0, 9]}, b: {coin: 1, mass: 1}}\n"
       "contacts: {c: {between: [a, b]}}",
       "no gap is known between 'a' (capsule) and 'b' (coin)"},
      {"{a: {box: [1, 1], mass: 1}, f: {plane: [0, 1]}}\n"
       "joints: {r: {between: [a, f], rolling: yes}}",
       "do not touch at one place"},
      {"{a: {disc: 1, mass: 1}, f: {tube: 1}}", "a disc is a shape in the plane"},
      {"a: {cylinder: [1, 1], mass: 1, supports: 2}", "a whole number from 3 to 32"},
      {"a: {cylinder: [1, 1], mass: 1, supports: 3.5}", "a whole number from 3 to 32"},
      {"a: {disc: 1, mass: 1, forces: {f: {at: [0, 1]}}}", "needs a force or a torque"},
      {"a: {disc: 1, mass: 1, forces: {f: {force: [1, 2, 3]}}}", "list of 2 expressions"},
      {"a: {disc: 1, mass: 1, forces: {f: {force: [1, q]}}}", "unknown name 'q'"},
      {"a: {disc: 1, mass: 1, forces: {f: {torque: 1, at: [1, 0]}}}", "acts at no point"},
      {"a: {disc: 1, mass: 1, forces: {f: {torque: [0, 0, 1]}}}", "one expression"},
      {"{a: {disc: 1, mass: 1}, f: {plane: [0, 1], forces: {w: {force: [1, 0]}}}}",
       "no force acts on it"},
      {"{a: {disc: 1, mass: 1, material: b}, b: {disc: 1, mass: 1}}\n"
       "contacts: {c: {between: [a, b]}}",
       "'b' is a body and a material"},
      {"{a: {disc: 1, mass: 1, material: wood}, b: {disc: 1, mass: 1}}\n"
       "contacts: {c: {between: [woods, b]}}",
       "there is no body 'woods', and none of this material"},
      {"a: {mass: 1, inertia: [1, 2, 3, 0, 0], at: [0, 0, 0]}",
       "inertia needs a list of 3 numbers"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    char text[400];
    carom_error error = {0};
    carom_model *model = NULL;
    (void)snprintf(text, sizeof text, "bodies:\n  %s\nrun: {until: 1}\n", cases[k].bodies);
    carom_status status = carom_model_parse(text, "bodies.yaml", 0, NULL, &model, &error);
    if (status != CAROM_ERR_INPUT || !strstr(error.text, cases[k].says))
      print_error("%s: '%s'\n", cases[k].bodies, error.text);
    CHECK(status == CAROM_ERR_INPUT);
    CHECK(strstr(error.text, cases[k].says) != NULL);
    CHECK(error.line == 2 || error.line == 3);
    carom_model_destroy(model);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_table_of_materials_may_be_for_one_body),
      cmocka_unit_test(ball_rolls_off),
      cmocka_unit_test(ball_meets_box),
      cmocka_unit_test(ball_throws_box),
      cmocka_unit_test(ball_slides_off_cylinder),
      cmocka_unit_test(disc_strikes_capsule),
      cmocka_unit_test(plank_rocks),
      cmocka_unit_test(capsule_on_corner),
      cmocka_unit_test(capsules_meet),
      cmocka_unit_test(turned_part),
      cmocka_unit_test(parts_add_up),
      cmocka_unit_test(tensor_is_given),
      cmocka_unit_test(parts_touch),
      cmocka_unit_test(hammer_meets_wall),
      cmocka_unit_test(ball_in_tube),
      cmocka_unit_test(ball_in_rough_tube),
      cmocka_unit_test(rolling_joints),
      cmocka_unit_test(cylinder_comes_to_lie),
      cmocka_unit_test(forces_at_points),
      cmocka_unit_test(forces_in_space),
      cmocka_unit_test(materials),
      cmocka_unit_test(mistakes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
