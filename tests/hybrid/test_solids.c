// SPDX-License-Identifier: MIT
// Bodies with flat faces that meet in space: closed forms of impacts at corners, edges and faces,
// of planks that lie crosswise, stacks and bricks that stand and tip, the same as in the plane,
// turned, mirrored, listed backwards, written as corners; bodies thrown at random.
#include "motion.h"

#include "base/random.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/// How a scene is written that is always the same.
typedef struct way {
  double axis[3], angle; // by which all is turned
  bool mirrored;         // x is -x
  bool backwards;        // bodies listed the other way round
  bool corners;          // boxes written as polyhedra
} way;

static const way ways[] = {{{1, 0, 0}, 0.0, false, false, false},
                           {{1, 2, -0.5}, 0.9, false, true, false},
                           {{-1, 0.3, 2}, 2.2, true, false, true}};
enum { WAYS = sizeof ways / sizeof *ways };

typedef struct brick {
  double size[3], at[3], velocity[3];
  double axis[3], angle; // how it is turned
  bool fixed;
} brick;

typedef struct text {
  char all[16000];
  size_t used;
} text;

static void say(text *t, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int wrote = vsnprintf(t->all + t->used, sizeof t->all - t->used, format, arguments);
  va_end(arguments);
  CHECK(wrote > 0 && (size_t)wrote < sizeof t->all - t->used);
  t->used += (size_t)wrote;
}

// the unit quaternion of a turn
static void quaternion(const double axis[3], double angle, double e[4]) {
  double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
  e[0] = cos(0.5 * angle);
  for (int k = 0; k < 3; k++)
    e[k + 1] = length > 0.0 ? sin(0.5 * angle) * axis[k] / length : 0.0;
}

static void times(const double p[4], const double q[4], double out[4]) {
  out[0] = p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3];
  for (int k = 0; k < 3; k++) {
    int i = 1 + (k + 1) % 3, j = 1 + (k + 2) % 3;
    out[k + 1] = p[0] * q[k + 1] + q[0] * p[k + 1] + p[i] * q[j] - p[j] * q[i];
  }
}

static void turned(const double e[4], const double v[3], double out[3]) {
  const double p[4] = {0.0, v[0], v[1], v[2]}, back[4] = {e[0], -e[1], -e[2], -e[3]};
  double half[4], whole[4];
  times(e, p, half);
  times(half, back, whole);
  memcpy(out, whole + 1, 3 * sizeof *out);
}

// as it is written
static void place(const way *w, const double v[3], double out[3]) {
  double e[4], own[3] = {w->mirrored ? -v[0] : v[0], v[1], v[2]};
  quaternion(w->axis, w->angle, e);
  turned(e, own, out);
}

// as it would be if nothing were turned or mirrored
static void unplace(const way *w, const double v[3], double out[3]) {
  double e[4];
  quaternion(w->axis, -w->angle, e);
  turned(e, v, out);
  if (w->mirrored) out[0] = -out[0];
}

static void write_brick(text *t, const way *w, int k, const brick *b) {
  double at[3], v[3], all[4], own[4], e[4], axis[3] = {b->axis[0], b->axis[1], b->axis[2]};
  double angle = b->angle;
  if (w->mirrored) axis[1] = -axis[1], axis[2] = -axis[2]; // a turn is mirrored as an axial vector
  place(w, b->at, at);
  place(w, b->velocity, v);
  quaternion(w->axis, w->angle, all);
  quaternion(axis, angle, own);
  times(all, own, e);
  say(t, "  b%d: {", k);
  if (w->corners) {
    say(t, "polyhedron: [");
    for (int c = 0; c < 8; c++)
      say(t, "%s[%.17g, %.17g, %.17g]", c ? ", " : "", (c & 1 ? 0.5 : -0.5) * b->size[0],
          (c & 2 ? 0.5 : -0.5) * b->size[1], (c & 4 ? 0.5 : -0.5) * b->size[2]);
    say(t, "], ");
  } else {
    say(t, "box: [%.17g, %.17g, %.17g], ", b->size[0], b->size[1], b->size[2]);
  }
  say(t, "mass: 1, at: [%.17g, %.17g, %.17g], turn: [%.17g, %.17g, %.17g, %.17g]", at[0], at[1],
      at[2], e[0], e[1], e[2], e[3]);
  if (b->fixed)
    say(t, ", fixed: yes}\n");
  else
    say(t, ", velocity: [%.17g, %.17g, %.17g]}\n", v[0], v[1], v[2]);
}

static motion scene(const way *w, int count, const brick *bricks, const double gravity[3],
                    const char *laws) {
  static text t;
  double g[3];
  t.used = 0;
  place(w, gravity, g);
  say(&t,
      "gravity: [%.17g, %.17g, %.17g]\ncontacts: {c: {between: all, %s}}\nrun: {until: 9}\n"
      "bodies:\n",
      g[0], g[1], g[2], laws);
  for (int k = 0; k < count; k++) {
    int j = w->backwards ? count - 1 - k : k;
    write_brick(&t, w, j, &bricks[j]);
  }
  say(&t, "define:\n"); // velocities and spins have names where they are asked for
  for (int k = 0; k < count; k++)
    for (int i = 0; i < 6 && !bricks[k].fixed; i++)
      say(&t, "  %c%d%c: b%d.%c%c\n", "vw"[i / 3], k, "xyz"[i % 3], k, "vw"[i / 3], "xyz"[i % 3]);
  return motion_parse(t.all);
}

// the components of a vector of a brick: its place "", "v", "w"
static void seen(const motion *m, const way *w, int k, const char *what, double out[3]) {
  double v[3];
  for (int i = 0; i < 3; i++) {
    char name[32];
    if (what[0])
      (void)snprintf(name, sizeof name, "%s%d%c", what, k, "xyz"[i]);
    else
      (void)snprintf(name, sizeof name, "b%d.%c", k, "xyz"[i]);
    v[i] = value_of(m, name);
  }
  unplace(w, v, out);
  if (what[0] == 'w' && w->mirrored) // an axial vector
    for (int i = 0; i < 3; i++)
      out[i] = -out[i];
}

static const double nothing[3] = {0.0, 0.0, 0.0}, down[3] = {0.0, 0.0, -9.81};

static void check_passed(const motion *m) {
  carom_certificate c = certificate_of(m);
  CHECK(c.passed);
  CHECK(c.worst.penetration < 1e-9);
}

// ---- impacts

// centred, flush, and 0.2 aside, where only a part of the faces meets: (1 - e)/2 and (1 + e)/2 of
// the velocity
static void faces_exchange_velocities(void **state) {
  (void)state;
  static const char *const laws[] = {
      "impact: 0.5", "impact: {law: poisson, e: 0.5}",
      "friction: 0.3, impact: {law: energetic, e: 0.5, stiffness: 1, exponent: 1}"};
  for (int k = 0; k < 3; k++) {
    const way *w = &ways[k % WAYS];
    const brick two[] = {{{1, 1, 1}, {-1.0, 0, 0}, {1, 0, 0}, {0}, 0, false},
                         {{1, 1, 1}, {0.5, 0, 0}, {0}, {0}, 0, false}};
    motion m = scene(w, 2, two, nothing, laws[k]);
    double v[2][3], spin[3];
    motion_advance(&m, 0.75);
    for (int j = 0; j < 2; j++)
      seen(&m, w, j, "v", v[j]);
    seen(&m, w, 0, "w", spin);
    CHECK_NEAR(v[0][0], 0.25, 1e-11);
    CHECK_NEAR(v[1][0], 0.75, 1e-11);
    for (int i = 0; i < 3; i++)
      CHECK_NEAR(spin[i], 0.0, 1e-11);
    check_passed(&m);
    motion_end(&m);
  }
}

// A blow along x on cubes of unit mass: one arm has the parts b and c across it, and the inertia is
// 1/6, so that the impulse is (1 + e) v/(2 + 6 (b^2 + c^2)).
static void check_blow(const motion *m, const way *w, double b, double c, double e) {
  double v[2][3], impulse = (1.0 + e) / (2.0 + 6.0 * (b * b + c * c));
  for (int j = 0; j < 2; j++)
    seen(m, w, j, "v", v[j]);
  CHECK_NEAR(v[0][0], 1.0 - impulse, 1e-10);
  CHECK_NEAR(v[1][0], impulse, 1e-10);
  for (int i = 1; i < 3; i++)
    CHECK_NEAR(v[1][i], 0.0, 1e-10);
  check_passed(m);
}

// An edge along y meets one along z at (., b, 0): the first cube has the arm b, the second one c.
static void edge_strikes_edge(void **state) {
  (void)state;
  for (int k = 0; k < WAYS; k++) {
    double b = 0.2 * k, c = 0.3 - 0.1 * k, away = sqrt(2.0) + 0.5;
    const brick two[] = {{{1, 1, 1}, {-away, 0, 0}, {1, 0, 0}, {0, 1, 0}, PI / 4, false},
                         {{1, 1, 1}, {0, b, c}, {0}, {0, 0, 1}, PI / 4, false}};
    motion m = scene(&ways[k], 2, two, nothing, "impact: 0.7");
    double spin[2][3], impulse = 1.7 / (2.0 + 6.0 * (b * b + c * c));
    motion_advance(&m, 0.75);
    check_blow(&m, &ways[k], b, c, 0.7);
    for (int j = 0; j < 2; j++)
      seen(&m, &ways[k], j, "w", spin[j]);
    CHECK_NEAR(spin[0][2], 6.0 * b * impulse, 1e-10);  // (r x J)_z = -b (-J)
    CHECK_NEAR(spin[1][1], -6.0 * c * impulse, 1e-10); // (r x J)_y = (-c) J
    CHECK_NEAR(spin[0][1], 0.0, 1e-10);
    CHECK_NEAR(spin[1][2], 0.0, 1e-10);
    motion_end(&m);
  }
}

// the corner of a cube whose diagonal lies along x, on a face
static void corner_strikes_face(void **state) {
  (void)state;
  for (int k = 0; k < WAYS; k++) {
    double b = 0.1 + 0.1 * k, c = 0.2 * k, away = 0.5 * sqrt(3.0) + 1.0;
    const brick two[] = {
        {{1, 1, 1}, {-away, 0, 0}, {1, 0, 0}, {0, 1, -1}, acos(1.0 / sqrt(3.0)), false},
        {{1, 1, 1}, {0, b, c}, {0}, {0}, 0, false}};
    motion m = scene(&ways[k], 2, two, nothing, "impact: 0.4");
    motion_advance(&m, 0.75);
    check_blow(&m, &ways[k], b, c, 0.4);
    motion_end(&m);
  }
}

// ---- lasting contact

// A plank lies across two others: their edges cross at eight places. Below the angle of friction it
// stays, above it slides at g (sin - mu cos), and does not sink.
static void plank_across_planks(void **state) {
  (void)state;
  for (int k = 0; k < 2 * WAYS; k++) {
    const way *w = &ways[k % WAYS];
    double slope = k < WAYS ? 0.35 : 0.55, mu = 0.5, x[3];
    const double g[3] = {9.81 * sin(slope), 0.0, -9.81 * cos(slope)};
    const brick planks[] = {{{4, 0.2, 0.2}, {0, 0.7, 0.1}, {0}, {0}, 0, true},
                            {{4, 0.2, 0.2}, {0, -0.7, 0.1}, {0}, {0}, 0, true},
                            {{0.2, 3, 0.2}, {0, 0.1, 0.3}, {0}, {0}, 0, false}};
    motion m = scene(w, 3, planks, g, "friction: 0.5, impact: 0.2");
    double pull = slope > atan(mu) ? 9.81 * (sin(slope) - mu * cos(slope)) : 0.0;
    motion_advance(&m, 1.0);
    seen(&m, w, 2, "", x);
    CHECK_NEAR(x[0], 0.5 * pull, 1e-9);
    CHECK_NEAR(x[1], 0.1, 1e-10);
    CHECK_NEAR(x[2], 0.3, 1e-11);
    check_passed(&m);
    motion_end(&m);
  }
}

// A cube that stands on an equal one, turned by an eighth: their faces overlap in an octagon, whose
// eight corners carry it. It stands while its weight points into the octagon and tips beyond.
static void octagon_carries_at_eight_corners(void **state) {
  (void)state;
  const double corner = 0.5 / cos(PI / 8.0) / 0.5; // of the octagon, over the height of the centre
  for (int k = 0; k < 16; k++) {
    double angle = PI / 8.0 + PI / 4.0 * (k / 2), steep = atan((k % 2 ? 1.02 : 0.98) * corner);
    const double g[3] = {9.81 * sin(steep) * cos(angle), 9.81 * sin(steep) * sin(angle),
                         -9.81 * cos(steep)};
    const brick two[] = {{{1, 1, 1}, {0, 0, 0}, {0}, {0}, 0, true},
                         {{1, 1, 1}, {0, 0, 1}, {0}, {0, 0, 1}, PI / 4, false}};
    motion m = scene(&ways[k % WAYS], 2, two, g, "friction: 2");
    double spin[3];
    motion_advance(&m, 0.1);
    seen(&m, &ways[k % WAYS], 1, "w", spin);
    double turns = sqrt(spin[0] * spin[0] + spin[1] * spin[1] + spin[2] * spin[2]);
    CHECK(k % 2 ? turns > 1e-3 : turns < 1e-10);
    check_passed(&m);
    motion_end(&m);
  }
}

static void stack_stands(void **state) {
  (void)state;
  const brick pile[] = {{{3, 3, 1}, {0, 0, -0.5}, {0}, {0}, 0, true},
                        {{1, 1, 1}, {0, 0, 0.5}, {0}, {0}, 0, false},
                        {{1, 1, 1}, {0, 0, 1.5}, {0}, {0}, 0, false},
                        {{1, 1, 1}, {0.1, -0.2, 2.5}, {0}, {0, 0, 1}, PI / 4, false}};
  motion m = scene(&ways[1], 4, pile, down, "friction: 0.4, impact: 0.2");
  double x[3];
  motion_advance(&m, 10.0);
  for (int k = 1; k < 4; k++) {
    seen(&m, &ways[1], k, "", x);
    for (int i = 0; i < 3; i++)
      CHECK_NEAR(x[i], pile[k].at[i], 1e-10);
  }
  check_passed(&m);
  motion_end(&m);
}

// Bricks over each other's ends: the n-th from above may stand out by 1/(2 n) of its length.
static void overhang_of_bricks(void **state) {
  (void)state;
  for (int k = 0; k < 4; k++) {
    const way *w = &ways[k / 2 % WAYS];
    bool falls = k % 2;
    int count = 2 + k / 2;
    brick pile[4];
    double x = 0.0, tilt[3];
    for (int j = 0; j <= count; j++) {
      pile[j] = (brick){{1, 0.6, 0.2}, {x, 0, -0.2 * j}, {0}, {0}, 0, j == count};
      x -= 0.5 / (j + 1) * (falls && j + 1 == count ? 1.01 : 0.999);
    }
    motion m = scene(w, count + 1, pile, down, "friction: 0.5, impact: 0.2");
    motion_advance(&m, 1.0);
    seen(&m, w, 0, "", tilt);
    CHECK(falls ? tilt[2] < -1e-6 : fabs(tilt[2]) < 1e-10);
    check_passed(&m);
    motion_end(&m);
  }
}

// tiles that lie side by side: a box that slides from one to the next does not notice
static void tiles_ask_for_nothing(void **state) {
  (void)state;
  const brick tiles[] = {{{1, 1, 0.2}, {0, 0, -0.1}, {0}, {0}, 0, true},
                         {{1, 1, 0.2}, {1, 0, -0.1}, {0}, {0}, 0, true},
                         {{0.5, 0.5, 0.5}, {0, 0, 0.25}, {2.5, 0, 0}, {0}, 0, false}};
  double x[3], v[3], mu = 0.3, t = 0.5;
  motion m = scene(&ways[0], 3, tiles, down, "friction: 0.3, impact: 0.3");
  motion_advance(&m, t);
  seen(&m, &ways[0], 2, "", x);
  seen(&m, &ways[0], 2, "v", v);
  CHECK_NEAR(x[0], 2.5 * t - 0.5 * mu * 9.81 * t * t, 1e-9);
  CHECK_NEAR(v[0], 2.5 - mu * 9.81 * t, 1e-9);
  CHECK_NEAR(x[2], 0.25, 1e-10);
  CHECK_NEAR(v[2], 0.0, 1e-10);
  check_passed(&m);
  motion_end(&m);
}

// ---- beside the plane

// a domino that is pushed over strikes the next one
static void dominoes_as_in_the_plane(void **state) {
  (void)state;
  motion flat = motion_parse("gravity: 9.81\n"
                             "bodies:\n"
                             "  floor: {plane: [0, 1]}\n"
                             "  a: {box: [0.1, 0.5], mass: 1, at: [0, 0.25], spin: -1.5}\n"
                             "  b: {box: [0.1, 0.5], mass: 1, at: [0.3, 0.25]}\n"
                             "contacts: {g: {between: [[a, b], floor], friction: 0.6, impact: 0},"
                             " c: {between: [a, b], friction: 0.2, impact: 0}}\n"
                             "run: {until: 0.6}\n");
  motion solid =
      motion_parse("gravity: 9.81\n"
                   "bodies:\n"
                   "  floor: {plane: [0, 0, 1]}\n"
                   "  a: {box: [0.1, 0.3, 0.5], mass: 1, at: [0, 0, 0.25], spin: [0, 1.5, 0]}\n"
                   "  b: {box: [0.1, 0.3, 0.5], mass: 1, at: [0.3, 0, 0.25]}\n"
                   "contacts: {g: {between: [[a, b], floor], friction: 0.6, impact: 0},"
                   " c: {between: [a, b], friction: 0.2, impact: 0}}\n"
                   "run: {until: 0.6}\n");
  for (int k = 1; k <= 3; k++) {
    motion_advance(&flat, 0.15 * k);
    motion_advance(&solid, 0.15 * k);
    CHECK_NEAR(value_of(&solid, "a.x"), value_of(&flat, "a.x"), 1e-9);
    CHECK_NEAR(value_of(&solid, "a.z"), value_of(&flat, "a.y"), 1e-9);
    CHECK_NEAR(value_of(&solid, "b.x"), value_of(&flat, "b.x"), 1e-9);
    CHECK_NEAR(value_of(&solid, "b.w2"), -value_of(&flat, "b.turn'"), 1e-8);
    CHECK_NEAR(value_of(&solid, "a.y"), 0.0, 1e-10);
  }
  check_passed(&solid);
  motion_end(&flat);
  motion_end(&solid);
}

// a block that slides over the end of a table and tips there
static void block_tips_over_an_end(void **state) {
  (void)state;
  motion flat = motion_parse("gravity: [6, -9.81]\n"
                             "bodies:\n"
                             "  a: {box: [4, 0.2], at: [0, -0.1], fixed: yes}\n"
                             "  c: {box: [0.2, 0.2], mass: 1, at: [1, 0.1]}\n"
                             "contacts: {c: {between: [c, a], friction: 0.4, impact: 0.2}}\n"
                             "run: {until: 2}\n");
  const brick two[] = {{{4, 1, 0.2}, {0, 0, -0.1}, {0}, {0}, 0, true},
                       {{0.2, 3, 0.2}, {1, 0, 0.1}, {0}, {0}, 0, false}};
  motion solid =
      scene(&ways[2], 2, two, (const double[]){6.0, 0.0, -9.81}, "friction: 0.4, impact: 0.2");
  double x[3], spin[3], v[3];
  motion_advance(&flat, 1.0);
  motion_advance(&solid, 1.0);
  seen(&solid, &ways[2], 1, "", x);
  seen(&solid, &ways[2], 1, "w", spin);
  CHECK(value_of(&flat, "c.turn") < -1e-3);
  CHECK_NEAR(x[0], value_of(&flat, "c.x"), 1e-9);
  CHECK_NEAR(x[2], value_of(&flat, "c.y"), 1e-9);
  CHECK_NEAR(spin[1], -value_of(&flat, "c.turn'"), 1e-8);
  // it leaves the end along its lower face, without a blow
  long before = certificate_of(&solid).counts.impacts;
  motion_advance(&solid, 1.3);
  seen(&solid, &ways[2], 1, "v", v);
  CHECK(v[2] < -1.0);
  CHECK(certificate_of(&solid).counts.impacts == before);
  check_passed(&solid);
  motion_end(&flat);
  motion_end(&solid);
}

// ---- at random

#define OCTAHEDRON                                                                                 \
  "polyhedron: [[0.5, 0, 0], [-0.5, 0, 0], [0, 0.6, 0], [0, -0.6, 0], [0, 0, 0.4], [0, 0, -0.4]]"
static const char *const shapes[] = {
    "box: [1, 0.6, 0.4]", "polyhedron: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]", OCTAHEDRON};

// Bodies thrown at each other: momentum and angular momentum stay, with e = 1 the energy as well;
// the certificate looks for overlap.
static void random_bodies_keep_momentum(void **state) {
  (void)state;
  int met = 0;
  for (int round = 0; round < 12; round++) {
    static text t;
    double c[16];
    for (uint64_t k = 0; k < 16; k++)
      c[k] = 2.0 * carom_random_uniform(20261119, (uint64_t)round, k) - 1.0;
    t.used = 0;
    say(&t,
        "bodies:\n"
        "  a: {%s, mass: 1, at: [-1.2, %.17g, %.17g], turn: [%.17g, %.17g, %.17g, %.17g],"
        " velocity: [2, 0, 0], spin: [%.17g, %.17g, %.17g]}\n"
        "  b: {%s, mass: 2, at: [0.2, 0, 0], turn: [%.17g, %.17g, %.17g, %.17g],"
        " spin: [0, %.17g, 1]}\n"
        "contacts: {c: {between: [a, b], impact: {law: %s, e: 1}}}\n"
        "run: {until: 1.5}\n"
        "define: {px: a.px + b.px, pz: a.pz + b.pz, lx: a.lx + b.lx, ly: a.ly + b.ly,"
        " lz: a.lz + b.lz}\n",
        shapes[round % 3], 0.4 * c[0], 0.4 * c[1], c[2], c[3], c[4], c[5], 5.0 * c[6], 5.0 * c[7],
        5.0 * c[8], shapes[round / 3 % 3], c[9], c[10], c[11], c[12], 5.0 * c[13],
        round % 2 ? "newton" : "energetic");
    motion m = motion_parse(t.all);
    static const char *const kept[] = {"px", "pz", "lx", "ly", "lz"};
    double before[5];
    for (int k = 0; k < 5; k++)
      before[k] = value_of(&m, kept[k]);
    motion_advance(&m, 1.5);
    for (int k = 0; k < 5; k++)
      CHECK_NEAR(value_of(&m, kept[k]), before[k], 1e-10);
    check_passed(&m);
    carom_certificate end = certificate_of(&m);
    CHECK_NEAR(end.energy.kinetic, end.energy.kinetic_start, 1e-8 * end.energy.kinetic_start);
    met += end.counts.impacts > 0;
    motion_end(&m);
  }
  CHECK(met >= 6);
}

// ---- beside it

static void saved_motion_goes_on(void **state) {
  (void)state;
  const brick two[] = {{{4, 1, 0.2}, {0, 0, -0.1}, {0}, {0}, 0, true},
                       {{0.2, 0.3, 0.2}, {1.5, 0, 0.1}, {2, 0.3, 0}, {0, 0, 1}, 0.3, false}};
  motion m = scene(&ways[0], 2, two, down, "friction: 0.1, impact: 0.2"), n;
  carom_error error = {0};
  size_t size = 0;
  static char buffer[400000];
  motion_advance(&m, 0.1);
  MUST(carom_simulation_save(m.simulation, NULL, &size, &error), error);
  CHECK(size <= sizeof buffer);
  MUST(carom_simulation_save(m.simulation, buffer, &size, &error), error);
  motion_advance(&m, 0.6);
  n = scene(&ways[0], 2, two, down, "friction: 0.1, impact: 0.2");
  MUST(carom_simulation_restore(n.simulation, buffer, size, &error), error);
  motion_advance(&n, 0.6);
  int count = 0;
  const double *p = carom_simulation_state(m.simulation, &count),
               *q = carom_simulation_state(n.simulation, NULL);
  CHECK(memcmp(p, q, (size_t)count * sizeof *p) == 0);
  motion_end(&m);
  motion_end(&n);
}

static void check_refused(const char *rest, const char *words) {
  char scenario[600];
  carom_model *model = NULL;
  carom_simulation *simulation = NULL;
  carom_error error = {0};
  (void)snprintf(scenario, sizeof scenario,
                 "bodies:\n"
                 "  a: {box: [1, 1, 1], mass: 1, at: [0, 0, 0]}\n"
                 "%s",
                 rest);
  carom_status status = carom_model_parse(scenario, NULL, 0, NULL, &model, &error);
  if (status == CAROM_OK) status = carom_simulation_create(model, &simulation, &error);
  CHECK(status < 0);
  if (!strstr(error.text, words)) print_error("%s\n", error.text);
  CHECK(strstr(error.text, words) != NULL);
  carom_simulation_destroy(simulation);
  carom_model_destroy(model);
}

static void what_cannot_be_is_told(void **state) {
  (void)state;
  check_refused("  b: {box: [1, 1, 1], mass: 1, at: [0.9, 0.1, 0.2]}\n"
                "contacts: {c: {between: [a, b]}}\nrun: {until: 1}\n",
                "overlap by 0.1");
  check_refused("  b: {box: [1, 1, 1], mass: 1, at: [2, 0, 0]}\n"
                "contacts: {c: {between: [a, b]}}\nrun: {until: 1, compliant: 1e5}\n",
                "compliant");
  check_refused(
      "  b: {polyhedron: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]], inertia: [1, 1, 1], "
      "mass: 1, at: [2, 0, 0]}\n"
      "contacts: {c: {between: [a, b]}}\nrun: {until: 1}\n",
      "plane");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(faces_exchange_velocities),
                                     cmocka_unit_test(edge_strikes_edge),
                                     cmocka_unit_test(corner_strikes_face),
                                     cmocka_unit_test(plank_across_planks),
                                     cmocka_unit_test(octagon_carries_at_eight_corners),
                                     cmocka_unit_test(stack_stands),
                                     cmocka_unit_test(overhang_of_bricks),
                                     cmocka_unit_test(tiles_ask_for_nothing),
                                     cmocka_unit_test(dominoes_as_in_the_plane),
                                     cmocka_unit_test(block_tips_over_an_end),
                                     cmocka_unit_test(random_bodies_keep_momentum),
                                     cmocka_unit_test(saved_motion_goes_on),
                                     cmocka_unit_test(what_cannot_be_is_told)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
