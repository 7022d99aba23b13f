// SPDX-License-Identifier: MIT
// Imported robots move as the same systems written by hand, and as closed forms say; what is wrong
// with a file is told with its place.
#include "hybrid/motion.h"
#include "robot/imported.h"

#include <math.h>

// the scenario with its last line, `run`, replaced
static motion start(const imported *it, const char *ending) {
  assert_non_null(it->scenario);
  const char *run = strstr(it->scenario, "run: {until: 1}");
  assert_non_null(run);
  size_t head = (size_t)(run - it->scenario), room = head + strlen(ending) + 1;
  char *text = malloc(room);
  assert_non_null(text);
  (void)snprintf(text, room, "%.*s%s", (int)head, it->scenario, ending);
  motion m = motion_parse(text);
  free(text);
  return m;
}

// a seed in both languages and the same by hand, from the same speeds
typedef struct speed {
  const char *name;
  double value;
} speed;

static void compare(const char *const seeds[2], const carom_robot_options *options,
                    const char *hand, const char *ending, const speed *speeds) {
  static const char *const names[] = {"a", "b", "c", "d"};
  motion all[3];
  imported it[2];
  char whole[6000];
  (void)snprintf(whole, sizeof whole, "%s%s", hand, ending);
  all[2] = motion_parse(whole);
  for (int k = 0; k < 2; k++) {
    import_seed(&it[k], seeds[k], options);
    all[k] = start(&it[k], ending);
  }
  for (int k = 0; k < 3; k++) {
    for (const speed *one = speeds; one->name; one++)
      set_value(&all[k], one->name, one->value);
    motion_run(&all[k]);
    CHECK(certificate_of(&all[k]).passed);
  }
  for (int k = 0; k < 2; k++)
    for (int n = 0; n < 4; n++)
      CHECK_NEAR(value_of(&all[k], names[n]), value_of(&all[2], names[n]), 2e-11);
  for (int k = 0; k < 2; k++)
    import_end(&it[k]);
  for (int k = 0; k < 3; k++)
    motion_end(&all[k]);
}

// both languages, from the same angles, and the plane of two angles by hand
static void double_pendulum(void **state) {
  (void)state;
  static const char hand[] =
      "parameters: {m: 1.5, M: 0.75, g: 9.81}\n"
      "coordinates: {p: 0.7, q: -0.4}\n" // the second against the first
      "define: {x: -0.5*sin(p), z: -0.5*cos(p), X: -sin(p) - 0.3*sin(p + q),\n"
      "         Z: -cos(p) - 0.3*cos(p + q)}\n"
      "energy: {kinetic: \"m*(x'^2 + z'^2)/2 + 0.12*p'^2/2 + M*(X'^2 + Z'^2)/2 + 0.03*(p' + "
      "q')^2/2\",\n"
      "         potential: m*g*z + M*g*Z, dissipation: \"0.02*q'^2/2\"}\n"
      "contacts: {dry: {normal: 0.01, slip: \"q'\", friction: 1},\n"
      "           low: {gap: q + 2.5, impact: 0}, high: {gap: 2.5 - q, impact: 0}}\n"
      "observe: {a: last(p), b: last(q), c: last(X)}\n"
      "run: {until: 2, rtol: 1e-12}\n";
  const char *const joints[] = {"shoulder", "elbow"};
  const double starts[] = {0.7, -0.4};
  const carom_robot_options options = {
      .start_count = 2, .start_names = joints, .starts = starts, .command = ""};
  static const char *const seeds[] = {"double_pendulum.urdf", "double_pendulum.xml"};
  motion by_hand = motion_parse(hand);
  motion_run(&by_hand);
  for (int k = 0; k < 2; k++) {
    imported it;
    import_seed(&it, seeds[k], &options);
    motion m =
        start(&it, "run: {until: 2, rtol: 1e-12}\n"
                   "observe: {a: last(shoulder.angle), b: last(elbow.angle), c: last(lower.x)}\n");
    motion_run(&m);
    CHECK(certificate_of(&m).passed);
    CHECK_NEAR(value_of(&m, "a") + 0.7, value_of(&by_hand, "a"), 1e-9);
    CHECK_NEAR(value_of(&m, "b") - 0.4, value_of(&by_hand, "b"), 1e-9);
    CHECK_NEAR(value_of(&m, "c"), value_of(&by_hand, "c"), 1e-9);
    motion_end(&m);
    import_end(&it);
  }
  motion_end(&by_hand);
}

// Small swings of two rods in each of their modes: (K - w^2 M) (A, B) = 0 in the angles of both
// against space, K = diag((m l + M L) g, M r g), M = ((J + m l^2 + M L^2, M L r), (M L r, i + M
// r^2)).
static void modes_of_a_double_pendulum(void **state) {
  (void)state;
  static const char text[] = "<mujoco><worldbody><body name='a'><joint name='p' axis='0 1 0'/>"
                             "<inertial pos='0 0 -0.5' mass='1.5' diaginertia='0.13 0.12 0.01'/>"
                             "<body name='b' pos='0 0 -1'><joint name='q' axis='0 1 0'/>"
                             "<inertial pos='0 0 -0.3' mass='0.75' diaginertia='0.04 0.03 0.02'/>"
                             "</body></body></worldbody></mujoco>";
  double m11 = 0.12 + 1.5 * 0.25 + 0.75, m12 = 0.75 * 0.3, m22 = 0.03 + 0.75 * 0.09;
  double k1 = (1.5 * 0.5 + 0.75) * 9.81, k2 = 0.75 * 0.3 * 9.81;
  double a = m11 * m22 - m12 * m12, b = k1 * m22 + k2 * m11, c = k1 * k2;
  for (int mode = 0; mode < 2; mode++) {
    double square = (b + (mode ? 1.0 : -1.0) * sqrt(b * b - 4.0 * a * c)) / (2.0 * a);
    double second = (k1 - square * m11) / (square * m12), size = 1e-5;
    const char *const joints[] = {"p", "q"};
    const double starts[] = {size, size * (second - 1.0)};
    const carom_robot_options options = {
        .start_count = 2, .start_names = joints, .starts = starts, .command = ""};
    imported it;
    import_text(&it, text, strlen(text), &options);
    motion m = start(&it, "run: {until: 3, rtol: 1e-12, atol: 1e-16}\nobserve: {p: last(p.angle), "
                          "q: last(q.angle)}\n");
    motion_run(&m);
    double gone = cos(sqrt(square) * 3.0) - 1.0;
    double tolerance = 1e-12 / size; // run.rtol holds for places and turns, which are about 1
    CHECK_NEAR(value_of(&m, "p") / size, gone, tolerance);
    CHECK_NEAR(value_of(&m, "q") / size, gone * (second - 1.0), tolerance);
    motion_end(&m);
    import_end(&it);
  }
}

static void turn(const double a[3], double *b, double angle, int about) {
  int i = (about + 1) % 3, j = (about + 2) % 3;
  double c = cos(angle), s = sin(angle), p = a[i], q = a[j];
  b[about] = a[about];
  b[i] = c * p - s * q;
  b[j] = s * p + c * q;
}

// turns of quaternions, one after the other about axes of space
static void turn_further(double e[4], double angle, int about) {
  int i = 1 + about, j = 1 + (about + 1) % 3, k = 1 + (about + 2) % 3;
  double c = cos(angle / 2.0), s = sin(angle / 2.0);
  double f[4];
  f[0] = c * e[0] - s * e[i];
  f[i] = c * e[i] + s * e[0];
  f[j] = c * e[j] - s * e[k];
  f[k] = c * e[k] + s * e[j];
  memcpy(e, f, sizeof f);
}

// Turned frames written out; the tool belongs to the hand (Steiner): 0.3 kg at (0, 0, -0.05) and
// 0.1 kg at (0, 0.02, -0.1) have their centre at (0, 0.005, -0.0625).
static void arm_with_four_joints(void **state) {
  (void)state;
  static const char *const seeds[] = {"arm.urdf", "arm.xml"};
  static const char rest[] =
      "gravity: 9.81\n"
      "bodies:\n"
      "  base: {fixed: yes}\n"
      "  turret: {mass: 4, inertia: [0.05, 0.06, 0.04, 0.002, -0.003, 0.001], at: [0.05, 0, 0.2]}\n"
      "  upper_arm: {mass: 2, inertia: [0.004, 0.03, 0.03], at: [0.2*co, 0, 0.3 + 0.2*si],\n"
      "              turn: {axis: [0, 1, 0], angle: -0.3}}\n"
      "  slide: {mass: 1, inertia: [0.002, 0.006, 0.006], at: [0.5*co, 0, 0.3 + 0.5*si],\n"
      "          turn: {axis: [0, 1, 0], angle: -0.3}}\n"
      "  hand: {mass: 0.4, at: [0.6*co + h1, h2, 0.3 + 0.6*si + h3], turn: [e0, e1, e2, e3],\n"
      "         inertia: [0.0011 + 0.3*(0.005^2 + 0.0125^2) + 0.1*(0.015^2 + 0.0375^2),\n"
      "                   0.0013 + 0.3*0.0125^2 + 0.1*0.0375^2,\n"
      "                   0.001 + 0.3*0.005^2 + 0.1*0.015^2, 0, 0,\n"
      "                   0.3*0.005*0.0125 + 0.1*0.015*0.0375]}\n"
      "joints:\n"
      "  yaw: {between: [turret, base], hinge: [0, 0, 0.1], axis: [0, 0, 1], limits: [-3, 3],\n"
      "        impact: 0, damping: 0.4}\n"
      "  pitch: {between: [upper_arm, turret], hinge: [0, 0, 0.3], axis: [0, 1, 0],\n"
      "          limits: [-1.5, 1.5], impact: 0, damping: 0.3}\n"
      "  reach: {between: [slide, upper_arm], slider: [0.4*co, 0, 0.3 + 0.4*si], axis: [co, 0, "
      "si],\n"
      "          limits: [-0.1, 0.2], impact: 0, damping: 20}\n"
      "  wrist: {between: [hand, slide], hinge: [0.6*co, 0, 0.3 + 0.6*si], axis: [w1, w2, w3],\n"
      "          damping: 0.05}\n";
  static const double given[2][3] = {{0.0, 0.005, -0.0625}, {0.0, 0.6, 0.8}};
  double e[4] = {1.0, 0.0, 0.0, 0.0}, v[2][3];
  const double angles[] = {0.2, 0.1, -0.3}; // roll, yaw, and the pitch of the upper arm
  const int about[] = {0, 2, 1};
  memcpy(v, given, sizeof v);
  for (int k = 0; k < 3; k++) {
    turn_further(e, angles[k], about[k]);
    for (int i = 0; i < 2; i++) {
      double from[3];
      memcpy(from, v[i], sizeof from);
      turn(from, v[i], angles[k], about[k]);
    }
  }
  char hand[4096];
  (void)snprintf(hand, sizeof hand,
                 "parameters: {co: cos(0.3), si: sin(0.3), h1: %.17g, h2: %.17g, h3: %.17g,\n"
                 "             w1: %.17g, w2: %.17g, w3: %.17g,\n"
                 "             e0: %.17g, e1: %.17g, e2: %.17g, e3: %.17g}\n%s",
                 v[0][0], v[0][1], v[0][2], v[1][0], v[1][1], v[1][2], e[0], e[1], e[2], e[3],
                 rest);
  compare(seeds, NULL, hand,
          "run: {until: 1, rtol: 1e-12}\n"
          "observe: {a: last(yaw.angle), b: last(pitch.angle), c: last(reach.slid),\n"
          "          d: last(wrist.angle)}\n",
          (const speed[]){{NULL, 0.0}});
}

// A cart rolls on two balls against the damping of their axles: (M + 2 J/r^2) v' = -2 d v/r^2.
static void cart_on_wheels(void **state) {
  (void)state;
  const carom_robot_options options = {.floor = true, .floor_height = -0.1, .command = ""};
  static const char *const seeds[] = {"cart.urdf", "cart.xml"};
  static const char hand[] =
      "gravity: 9.81\n"
      "bodies:\n"
      "  floor: {plane: [0, 0, 1], at: [0, 0, -0.1]}\n"
      "  chassis: {mass: 6, inertia: [0.05, 0.12, 0.15], at: [0, 0, 0],\n"
      "            parts: {caster: {sphere: 0.05, at: [0.2, 0, -0.05]}}}\n"
      "  left: {sphere: 0.1, mass: 0.5, inertia: [0.0004, 0.0007, 0.0004], at: [-0.1, 0.2, 0]}\n"
      "  right: {sphere: 0.1, mass: 0.5, inertia: [0.0004, 0.0007, 0.0004], at: [-0.1, -0.2, 0]}\n"
      "joints:\n"
      "  l: {between: [left, chassis], hinge: [-0.1, 0.2, 0], axis: [0, 1, 0], damping: 0.002}\n"
      "  r: {between: [right, chassis], hinge: [-0.1, -0.2, 0], axis: [0, 1, 0], damping: 0.002}\n"
      "contacts:\n"
      "  wheels: {between: [[left, right], floor], friction: 0.8, impact: 0}\n"
      "  caster: {between: [chassis, floor], impact: 0}\n";
  static const char ending[] = "run: {until: 2, rtol: 1e-12}\n"
                               "observe: {a: chassis.vx, b: last(chassis.x), c: left.wy,\n"
                               "          d: last(chassis.z)}\n";
  static const speed speeds[] = {{"chassis.x'", 1.0}, {"left.x'", 1.0},   {"right.x'", 1.0},
                                 {"left.w2", 10.0},   {"right.w2", 10.0}, {NULL, 0.0}};
  compare(seeds, &options, hand, ending, speeds);
  imported it;
  import_seed(&it, seeds[0], &options);
  motion m = start(&it, ending);
  for (const speed *one = speeds; one->name; one++)
    set_value(&m, one->name, one->value);
  motion_run(&m);
  CHECK_NEAR(value_of(&m, "a"), exp(-0.4 / 7.14 * 2.0), 1e-10);
  motion_end(&m);
  import_end(&it);
}

// Nothing holds it: the mass centre falls as a stone, and angular momentum about it stays.
static void floating_base(void **state) {
  (void)state;
  static const char *const seeds[] = {"floating.urdf", "floating.xml"};
  static const char hand[] =
      "gravity: 9.81\n"
      "bodies:\n"
      "  base: {mass: 3, inertia: [0.2, 0.3, 0.4, 0.01, 0, 0.02], at: [0.1, 0, 0]}\n"
      "  arm: {mass: 1, inertia: [0.02, 0.02, 0.001], at: [0.3, 0, 0.25]}\n"
      "joints: {hinge: {between: [arm, base], hinge: [0.3, 0, 0], axis: [0, 1, 0]}}\n";
  // the arm alone turns: its centre, 0.25 above the hinge, starts with 0.25 w
  compare(seeds, NULL, hand,
          "run: {until: 1, rtol: 1e-12}\n"
          "observe: {a: last(base.x), b: last(arm.y), c: last(hinge.angle), d: last(base.e1)}\n",
          (const speed[]){{"arm.w2", 4.0}, {"arm.x'", 1.0}, {NULL, 0.0}});
  imported it;
  import_seed(&it, seeds[1], NULL);
  motion m =
      start(&it, "run: {until: 1, rtol: 1e-12}\n"
                 "observe: {a: last((3*base.z + arm.z)/4), b: last((3*base.x + arm.x)/4)}\n");
  set_value(&m, "arm.w2", 4.0);
  set_value(&m, "arm.x'", 1.0);
  motion_run(&m);
  CHECK_NEAR(value_of(&m, "a"), 0.25 / 4.0 - 9.81 / 2.0, 1e-11);
  CHECK_NEAR(value_of(&m, "b"), 0.15 + 0.25, 1e-11);
  motion_end(&m);
  import_end(&it);
}

// a bit of all: each kind of joint, of shape and of tie makes a scenario that runs
static void everything(void **state) {
  (void)state;
  imported it;
  import_seed(&it, "many.xml", NULL);
  CHECK(it.status == CAROM_OK);
  CHECK(it.robot.note_count >= 5);
  assert_non_null(strstr(it.scenario, "planar: [0, 0, 2], axis: [0, 1, 0]"));
  assert_non_null(strstr(it.scenario, "universal: [0.3, 0, 2]"));
  assert_non_null(strstr(it.scenario, "limits: [-1.2, 0.8], impact: 0, stiffness: 4, rest: -0.1"));
  assert_non_null(strstr(it.scenario, "0.01*knee.angle'^2/2"));
  assert_non_null(strstr(it.scenario, "<spatial 'rope'> in <tendon>"));
  assert_non_null(strstr(it.scenario, "brick.stl"));
  import_end(&it);
}

// a block in a plane: what a planar joint leaves is free
static void planar_joint(void **state) {
  (void)state;
  imported it;
  static const char text[] =
      "<robot name='puck'><link name='world'/>"
      "<link name='puck'><inertial><mass value='2'/>"
      "<inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link>"
      "<joint name='table' type='planar'><parent link='world'/><child link='puck'/>"
      "<origin xyz='0 0 1'/><axis xyz='0 0.6 0.8'/></joint></robot>";
  import_text(&it, text, strlen(text), NULL);
  motion m =
      start(&it, "run: {until: 2, rtol: 1e-12}\n"
                 "observe: {x: last(puck.x), y: last(puck.y), z: last(puck.z), w: puck.wz}\n");
  set_value(&m, "puck.x'", 0.5);
  set_value(&m, "puck.w3", 0.8); // about the normal
  set_value(&m, "puck.w2", 0.6);
  motion_run(&m);
  CHECK_NEAR(value_of(&m, "x"), 1.0, 1e-10);
  CHECK_NEAR(value_of(&m, "y"), 9.81 * 0.6 * 0.8 * 2.0, 1e-10); // along (0, 0.8, -0.6): g 0.6
  CHECK_NEAR(value_of(&m, "z"), 1.0 - 9.81 * 0.6 * 0.6 * 2.0, 1e-10);
  CHECK_NEAR(value_of(&m, "w"), 0.8, 1e-10);
  motion_end(&m);
  import_end(&it);
}

static void errors_have_places(void **state) {
  (void)state;
#define LINK                                                                                       \
  "<link name='a'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' "    \
  "iyz='0'/></inertial></link>"
  static const struct {
    const char *text, *said;
    int line, column;
  } cases[] = {
      {"<robot>\n <link name='a'>\n</robot>", "closes <link>", 3, 3},
      {"<robot>\n <link name=a/></robot>", "stands in quotes", 2, 13},
      {"<robot><link name='a' name='b'/></robot>", "name twice", 1, 23},
      {"<robot>\n<link name='&xx;'/></robot>", "are known here", 2, 14},
      {"<!DOCTYPE robot>\n<robot/>", "declarations are not read", 1, 1},
      {"<robot>\n", "never closed", 1, 1},
      {"<robot/><robot/>", "nothing may follow", 1, 9},
      {"<sdf/>", "neither", 1, 1},
      {"<robot/>", "has no link", 1, 1},
      {"<robot>" LINK
       "\n<joint name='j' type='hinge'><parent link='a'/><child link='b'/></joint></robot>",
       "no link 'b'", 2, 61},
      {"<robot>" LINK "<link name='b'/>\n<joint name='j' type='hinge'><parent link='a'/><child "
       "link='b'/></joint></robot>",
       "no type of joints", 2, 23},
      {"<robot>" LINK "<link name='b'/>\n<joint name='j' type='continuous'><parent "
       "link='a'/><child link='b'/></joint></robot>",
       "moves and has no mass", 1, 0},
      {"<robot>\n<link name='a'><inertial><mass value='1,5'/><inertia/></inertial></link></robot>",
       "finite number", 2, 39},
      {"<robot>" LINK
       "<link name='b'/>\n<joint name='j' type='fixed'><parent link='a'/><child link='b'/></joint>"
       "<joint name='k' type='fixed'><parent link='b'/><child link='a'/></joint></robot>",
       "go round", 1, 8},
      {"<mujoco>\n<worldbody><body>\n<joint type='slide'/><joint/><geom "
       "size='1'/></body></worldbody></mujoco>",
       "make none that is known", 2, 12},
      {"<mujoco><worldbody><frame/></worldbody></mujoco>", "<frame> is not read", 1, 20},
      {"<mujoco><worldbody><body><freejoint/>\n<geom type='box' size='1 "
       "2'/></body></worldbody></mujoco>",
       "3 sizes above 0", 2, 1},
      {"<mujoco><worldbody><body><freejoint/>\n<geom size='1' "
       "class='x'/></body></worldbody></mujoco>",
       "no class 'x'", 2, 23}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    imported it;
    import_text(&it, cases[k].text, strlen(cases[k].text), NULL);
    CHECK(it.status == CAROM_ERR_INPUT);
    if (!strstr(it.error.text, cases[k].said)) print_error("case %zu says: %s\n", k, it.error.text);
    CHECK(strstr(it.error.text, cases[k].said) != NULL);
    CHECK(it.error.line == cases[k].line);
    if (cases[k].column && it.error.column != cases[k].column)
      print_error("case %zu: column %d, not %d\n", k, it.error.column, cases[k].column);
    CHECK(cases[k].column == 0 || it.error.column == cases[k].column);
    import_end(&it);
  }
}

// Files with bytes changed, taken out and doubled, 500 and more: a scenario, or an error with a
// text and a place. (The sanitizers' build runs this too.)
static void mutated_files(void **state) {
  (void)state;
  static const char *const seeds[] = {"arm.urdf", "arm.xml",  "cart.urdf",
                                      "cart.xml", "many.xml", "double_pendulum.urdf"};
  static const char spice[] = "<>/\"'=& \n\0\xff.e-+9x";
  uint32_t noise = 1;
  int made = 0;
  for (int k = 0; k < 600; k++) {
    char path[300];
    carom_arena *arena = carom_arena_create(NULL);
    size_t length;
    (void)snprintf(path, sizeof path, "%s/tests/fuzz/robot/%s", CAROM_SOURCE_DIR, seeds[k % 6]);
    char *text = file_text(arena, path, &length);
    CHECK(text && length > 1000);
    if (!text || length == 0) return;
    for (int n = 0; n < 1 + k % 4; n++) {
      noise = noise * 1664525u + 1013904223u;
      size_t at = (noise >> 8) % length, far = (at + 1 + (noise >> 3) % 40) % length;
      switch (noise >> 30) {
      case 0: text[at] = spice[(noise >> 5) % (sizeof spice - 1)]; break;
      case 1:
        memmove(text + at, text + at + 1, length - at);
        length--;
        break;
      case 2: text[at] = text[far]; break;
      default:
        if (far > at) {
          memmove(text + at, text + far, length - far + 1);
          length -= far - at;
        }
      }
    }
    imported it;
    import_text(&it, text, length, NULL);
    CHECK(it.status == CAROM_OK ? it.scenario != NULL : it.error.text[0] && it.error.line > 0);
    made += it.status == CAROM_OK;
    import_end(&it);
    carom_arena_destroy(arena);
  }
  CHECK(made > 20 && made < 580);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(double_pendulum),      cmocka_unit_test(modes_of_a_double_pendulum),
      cmocka_unit_test(arm_with_four_joints), cmocka_unit_test(cart_on_wheels),
      cmocka_unit_test(floating_base),        cmocka_unit_test(everything),
      cmocka_unit_test(planar_joint),         cmocka_unit_test(errors_have_places),
      cmocka_unit_test(mutated_files)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
