// SPDX-License-Identifier: MIT
// Polygons that touch along faces whose corners lie exactly on each other's lines, and nearly so:
// closed forms of impacts, of stacks that stand and tip, whatever way the whole is turned, mirrored
// or listed; and overlap that no contact has noticed.
#include "motion.h"

#include "base/random.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/// How a scene is written that is always the same.
typedef struct way {
  double turned;
  bool mirrored, backwards; // bodies listed the other way round
  bool corners;             // boxes written as polygons
} way;

static const way ways[] = {{0.0, false, false, false},
                           {0.7, false, false, false},
                           {1.9, true, false, false},
                           {-2.6, false, true, false},
                           {0.7, true, true, true}};
enum { WAYS = sizeof ways / sizeof *ways };

typedef struct brick {
  double width, height, x, y, vx, vy;
} brick;

typedef struct text {
  char all[6000];
  size_t used;
} text;

static void place(const way *w, double x, double y, double out[2]) {
  if (w->mirrored) x = -x;
  out[0] = cos(w->turned) * x - sin(w->turned) * y;
  out[1] = sin(w->turned) * x + cos(w->turned) * y;
}

static void write_brick(text *t, const way *w, int k, const brick *b) {
  double at[2], v[2], a = b->width / 2.0, c = b->height / 2.0;
  char shape[300];
  place(w, b->x, b->y, at);
  place(w, b->vx, b->vy, v);
  if (w->corners)
    (void)snprintf(shape, sizeof shape,
                   "polygon: [[%.17g, %.17g], [%.17g, %.17g], [%.17g, %.17g], [%.17g, %.17g]]", -a,
                   -c, a, -c, a, c, -a, c);
  else
    (void)snprintf(shape, sizeof shape, "box: [%.17g, %.17g]", b->width, b->height);
  t->used += (size_t)snprintf(t->all + t->used, sizeof t->all - t->used,
                              "  b%d: {%s, mass: 1, at: [%.17g, %.17g], turn: %.17g, velocity: "
                              "[%.17g, %.17g]}\n",
                              k, shape, at[0], at[1], w->turned, v[0], v[1]);
}

// bricks over a floor, of unit mass
static motion scene(const way *w, int count, const brick *bricks, double gravity,
                    const char *laws) {
  text t = {.used = 0};
  double down[2], up[2];
  place(w, 0.0, -gravity, down);
  place(w, 0.0, 1.0, up);
  t.used = (size_t)snprintf(t.all, sizeof t.all,
                            "gravity: [%.17g, %.17g]\n"
                            "contacts: {c: {between: all, %s}}\n"
                            "run: {until: 9}\n"
                            "bodies:\n"
                            "  floor: {plane: [%.17g, %.17g]}\n",
                            down[0], down[1], laws, up[0], up[1]);
  for (int k = 0; k < count; k++)
    write_brick(&t, w, w->backwards ? count - 1 - k : k, &bricks[w->backwards ? count - 1 - k : k]);
  return motion_parse(t.all);
}

static double of_brick(const motion *m, int k, const char *what) {
  char name[32];
  (void)snprintf(name, sizeof name, "b%d.%s", k, what);
  return value_of(m, name);
}

// place and velocity as they would be if nothing were turned or mirrored
static void seen(const motion *m, const way *w, int k, bool velocity, double out[2]) {
  double x = of_brick(m, k, velocity ? "x'" : "x"), y = of_brick(m, k, velocity ? "y'" : "y");
  out[0] = cos(w->turned) * x + sin(w->turned) * y;
  out[1] = cos(w->turned) * y - sin(w->turned) * x;
  if (w->mirrored) out[0] = -out[0];
}

// by how much a brick has turned since the start
static double tilt(const motion *m, const way *w, int k) {
  double turn = of_brick(m, k, "turn") - w->turned;
  return w->mirrored ? -turn : turn;
}

static const char *const laws[] = {
    "impact: 0.5", "impact: {law: poisson, e: 0.5}",
    "friction: 0.3, impact: {law: energetic, e: 0.5, stiffness: 1, exponent: 1}"};
static const double offs[] = {0.0, 1e-12, 1e-9, 1e-6};

// centred, flush: (1 - e)/2 and (1 + e)/2 of the velocity, and no turning
static void flush_faces_exchange_velocities(void **state) {
  (void)state;
  for (int law = 0; law < 3; law++)
    for (int i = 0; i < WAYS; i++)
      for (int k = 0; k < (ways[i].corners ? 1 : 4); k++) {
        const brick row[] = {{1.0, 1.0, -1.0, 5.0, 1.0, 0.0},
                             {1.0, 1.0, 0.5, 5.0 + offs[k], 0.0, 0.0}};
        motion m = scene(&ways[i], 2, row, 0.0, laws[law]);
        double v[2][2];
        motion_advance(&m, 0.75);
        for (int j = 0; j < 2; j++)
          seen(&m, &ways[i], j, true, v[j]);
        double near = 1e-11 + 4.0 * offs[k]; // turning takes a part in proportion to the offset
        CHECK_NEAR(v[0][0], 0.25, near);
        CHECK_NEAR(v[1][0], 0.75, near);
        CHECK_NEAR(v[0][1], 0.0, near);
        CHECK_NEAR(of_brick(&m, 0, "turn'"), 0.0, near);
        CHECK_NEAR(of_brick(&m, 1, "turn'"), 0.0, near);
        CHECK(certificate_of(&m).passed);
        motion_end(&m);
      }
}

// Newton's law at rest below: the falling brick alone rebounds, e of its speed
static void flush_brick_rebounds_from_a_stack(void **state) {
  (void)state;
  for (int i = 0; i < WAYS; i++)
    for (int k = 0; k < 4; k++) {
      if (ways[i].corners) continue; // long expressions
      const brick stack[] = {{1.0, 0.5, 0.0, 0.25, 0.0, 0.0},
                             {1.0, 0.5, 0.0, 0.75, 0.0, 0.0},
                             {1.0, 0.5, offs[k], 1.25 + 0.2, 0.0, 0.0}};
      motion m = scene(&ways[i], 3, stack, 9.81, "friction: 0.5, impact: 0.5");
      double fall = sqrt(2.0 * 0.2 / 9.81), v[2], x[2];
      motion_advance(&m, fall + 0.05);
      seen(&m, &ways[i], 2, true, v);
      CHECK_NEAR(v[1], 0.5 * 9.81 * fall - 9.81 * 0.05, 1e-9);
      motion_advance(&m, 2.0);
      for (int j = 0; j < 3; j++) {
        seen(&m, &ways[i], j, false, x);
        CHECK_NEAR(x[1], 0.25 + 0.5 * j, 1e-9);
        CHECK_NEAR(x[0], j == 2 ? offs[k] : 0.0, 1e-9);
        CHECK_NEAR(tilt(&m, &ways[i], j), 0.0, 1e-9);
      }
      CHECK(certificate_of(&m).passed);
      motion_end(&m);
    }
}

// Bricks over each other's ends: the n-th from above may stand out by 1/(2 n) of its length. A
// hair less stands, a hair more falls.
static void overhang_of_bricks(void **state) {
  (void)state;
  for (int count = 2; count <= 4; count++)
    for (int i = 0; i < WAYS; i++)
      for (int falls = 0; falls < 2; falls++) {
        if (ways[i].corners && count > 2) continue; // long expressions
        brick pile[4];
        double x = 0.0;
        for (int k = 0; k < count; k++) {
          pile[k] = (brick){1.0, 0.2, x, 0.1 + 0.2 * (count - 1 - k), 0.0, 0.0};
          x -= 0.5 / (k + 1) * (falls ? 1.0001 : 0.9999);
        }
        motion m = scene(&ways[i], count, pile, 9.81, "friction: 0.5, impact: 0");
        motion_advance(&m, 1.0);
        if (falls)
          CHECK(tilt(&m, &ways[i], 0) < -1e-4);
        else
          CHECK_NEAR(tilt(&m, &ways[i], 0), 0.0, 1e-9);
        CHECK(certificate_of(&m).passed);
        motion_end(&m);
      }
}

// A smooth brick slides over another until its centre is over the end, then it tips: with the
// contact at the end, J w' = m g s at first, s growing as v t.
static void sliding_brick_tips(void **state) {
  (void)state;
  for (int i = 0; i < WAYS; i++) {
    const brick two[] = {{1.0, 1.0, 0.0, 0.5, 0.0, 0.0}, {1.0, 0.2, 0.0, 1.1, 0.5, 0.0}};
    motion m = scene(&ways[i], 2, two, 9.81, "impact: 0");
    double x[2];
    motion_advance(&m, 0.999); // over the end at t = 1; the upper one passes the lower's corner
    seen(&m, &ways[i], 1, false, x);
    CHECK_NEAR(x[0] - 0.0, 0.4995, 1e-10);
    CHECK_NEAR(tilt(&m, &ways[i], 1), 0.0, 1e-10);
    motion_advance(&m, 1.01);
    double tipped = -9.81 * 0.5 * 1e-6 / (6.0 * (1.0 + 0.04) / 12.0); // m g v t^3/(6 J)
    CHECK_NEAR(tilt(&m, &ways[i], 1), tipped, 1e-3 * -tipped);
    CHECK(certificate_of(&m).passed);
    motion_end(&m);
  }
}

// A smooth brick shoots over the end of another and leaves it along its own lower face: where its
// rear corner passes the end nothing strikes, however little it has tipped by then.
static void brick_leaves_an_end_without_a_blow(void **state) {
  (void)state;
  static const double speeds[] = {1.5, 3.0, 5.0, 20.0, 100.0};
  for (int i = 0; i < WAYS; i++)
    for (size_t j = 0; j < sizeof speeds / sizeof *speeds; j++) {
      const brick two[] = {{4.0, 20.0, 0.0, 10.0, 0.0, 0.0}, {0.6, 0.2, 1.5, 20.1, speeds[j], 0.0}};
      motion m = scene(&ways[i], 2, two, 9.81, "impact: 0.2");
      motion_advance(&m, 1.0);
      carom_certificate c = certificate_of(&m);
      CHECK(fabs(tilt(&m, &ways[i], 1)) > 1e-6);
      CHECK(c.counts.impacts == 0);
      CHECK(c.passed);
      motion_end(&m);
    }
}

// Flush tables side by side: a brick that slides from one to the next does not notice.
static void brick_slides_across_a_joint(void **state) {
  (void)state;
  for (int i = 0; i < WAYS; i++) {
    const brick row[] = {{1.0, 0.2, 0.0, 0.1, 0.0, 0.0},
                         {0.3, 0.2, 0.0, 0.3, 4.0, 0.0},
                         {1.0, 0.2, 1.0, 0.1, 0.0, 0.0}};
    motion m = scene(&ways[i], 3, row, 9.81, "friction: 0.2, impact: 0.2");
    double x[2];
    motion_advance(&m, 0.3);
    seen(&m, &ways[i], 1, false, x);
    CHECK_NEAR(x[0], 4.0 * 0.3 - 0.1 * 9.81 * 0.09, 1e-10);
    CHECK_NEAR(x[1], 0.3, 1e-10);
    CHECK(certificate_of(&m).counts.impacts == 0);
    motion_end(&m);
  }
}

// Polygons in flight: what they exchange is momentum and angular momentum, at any corner or face.
// No force acts, e = 1: the energy stays too.
static void random_polygons_keep_momentum(void **state) {
  (void)state;
  static const char *const shapes[] = {
      "box: [1, 0.4]", "polygon: [[-0.5, -0.3], [0.5, -0.3], [0, 0.6]]",
      ("polygon: [[0.5, 0], [0.1, 0.5], [-0.5, 0.3], [-0.5, -0.3], "
       "[0.1, -0.5]]")};
  for (int round = 0; round < 30; round++) {
    char scenario[1500];
    double chance[3];
    for (uint64_t k = 0; k < 3; k++)
      chance[k] = carom_random_uniform(20261118, (uint64_t)round, k);
    double spin = 6.0 * chance[0] - 3.0, off = chance[1] - 0.5, turn = 2.0 * PI * chance[2];
    (void)snprintf(scenario, sizeof scenario,
                   "bodies:\n"
                   "  a: {%s, mass: 1, at: [-1.5, %.17g], velocity: [2, 0], spin: %.17g}\n"
                   "  b: {%s, mass: 2, at: [0, 0], turn: %.17g}\n"
                   "contacts: {c: {between: [a, b], impact: {law: energetic, e: 1}}}\n"
                   "run: {until: 2}\n"
                   "define: {px: a.px + b.px, py: a.py + b.py, spun: a.lz + b.lz}\n",
                   shapes[round % 3], off, spin, shapes[round / 3 % 3], turn);
    motion m = motion_parse(scenario);
    double before = value_of(&m, "spun");
    motion_advance(&m, 2.0);
    CHECK_NEAR(value_of(&m, "px"), 2.0, 1e-10);
    CHECK_NEAR(value_of(&m, "py"), 0.0, 1e-10);
    CHECK_NEAR(value_of(&m, "spun"), before, 1e-10);
    CHECK(certificate_of(&m).passed);
    CHECK(certificate_of(&m).worst.penetration < 1e-9);
    motion_end(&m);
  }
}

// what contacts do not notice the certificate does: here a floor that is written too low
static void overlap_ends_the_run(void **state) {
  (void)state;
  static const char *const depths[] = {"1e-11", "1e-3"};
  for (int k = 0; k < 2; k++) {
    char scenario[300];
    (void)snprintf(scenario, sizeof scenario,
                   "coordinates: {y: 1}\n"
                   "energy: {kinetic: \"y'^2/2\", potential: 9.81*y}\n"
                   "contacts: {floor: {gap: y, apart: \"max(y - %s, -1)\", impact: 0.5}}\n"
                   "run: {until: 3}\n",
                   depths[k]);
    motion m = motion_parse(scenario);
    carom_error error = {0};
    carom_status status = carom_simulation_run(m.simulation, &error);
    CHECK((status < 0) == (k == 1));
    if (k == 1) CHECK(strstr(error.text, "overlap by 0.00") != NULL);
    if (k == 0) CHECK(certificate_of(&m).worst.penetration > 0.9e-11);
    motion_end(&m);
  }
}

// Wedges and boxes that fall on each other. Which edge of one body lies against the other is chosen
// by branches that stand behind each other; the first of these piles had its certificate fail where
// two of them turned at one instant.
static const char *const piles[] = {
    "gravity: 9.81\n"
    "bodies:\n"
    "  floor: {plane: [0, 1]}\n"
    "  b0: {polygon: [[0, 0], [1, 0], [0, 0.5]], density: 1, at: [0.16309176337244885, "
    "1.0679883911928814], turn: 0}\n"
    "  b1: {polygon: [[0, 0], [1, 0], [0, 0.3]], density: 1, at: [0.12729962451279703, "
    "2.156638213788214], turn: 0.8682387536896263}\n"
    "  b2: {polygon: [[0, 0], [1, 0], [0, 0.5]], density: 1, at: [0.02343598686577994, "
    "3.5432295472453808], turn: 0.15863846337303733}\n"
    "contacts:\n"
    "  all: {between: all, friction: 0.2, impact: {law: energetic, e: 0}}\n"
    "run: {until: 2.5}\n",
    "gravity: 9.81\n"
    "bodies:\n"
    "  floor: {plane: [0, 1]}\n"
    "  b0: {polygon: [[0, 0], [1, 0], [0, 0.5]], density: 1, at: [-0.021915034354862722, "
    "0.828134112258782], turn: -0.6056759104021312}\n"
    "  b1: {box: [1, 1], density: 1, at: [0.03542791874040302, 2.160262295964146], turn: "
    "0.3108079867463682}\n"
    "contacts:\n"
    "  all: {between: all, friction: 0, impact: {law: poisson, e: 0.5}}\n"
    "run: {until: 2.5}\n"};

static void piles_keep_their_laws(void **state) {
  (void)state;
  for (int k = 0; k < 2; k++) {
    motion m = motion_parse(piles[k]);
    motion_run(&m);
    CHECK(certificate_of(&m).passed);
    CHECK(certificate_of(&m).counts.impacts > 10);
    motion_end(&m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(flush_faces_exchange_velocities),
                                     cmocka_unit_test(flush_brick_rebounds_from_a_stack),
                                     cmocka_unit_test(overhang_of_bricks),
                                     cmocka_unit_test(sliding_brick_tips),
                                     cmocka_unit_test(brick_leaves_an_end_without_a_blow),
                                     cmocka_unit_test(brick_slides_across_a_joint),
                                     cmocka_unit_test(random_polygons_keep_momentum),
                                     cmocka_unit_test(piles_keep_their_laws),
                                     cmocka_unit_test(overlap_ends_the_run)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
