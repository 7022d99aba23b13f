// SPDX-License-Identifier: MIT
// Ten to a hundred contacts at once: chains, walls, racks, dominoes, piles, cradles. Closed forms,
// invariants, and a program of the test's own that marches in small steps.
#include "motion.h"

#include <stdlib.h>

static motion load_with(const char *name, const char *parameter, const char *value) {
  carom_setting settings[] = {{parameter, value}, {NULL, NULL}};
  return motion_load(name, settings);
}

// ---- a level chain moves as a block does: bounces by e, loses mu (1 + e) v at each impact

typedef struct block {
  double x, u, y, v;
} block;

static block follow_block(double until, double e, double mu, double g, double h, double u) {
  block b = {0.0, u, h, 0.0};
  double t = 0.0, fall = sqrt(2.0 * h / g), flight = fall;
  double rest = fall * (1.0 + e) / (1.0 - e), speed = g * fall;
  for (; t + flight < until && flight > 1e-14; flight = 2.0 * speed / g) {
    t += flight;
    b.x += b.u * flight;
    b.u = fmax(0.0, b.u - mu * (1.0 + e) * speed);
    speed *= e;
  }
  if (until < rest) {
    b.x += b.u * (until - t);
    return b;
  }
  double left = fmin(until - rest, b.u / (mu * g));
  b.x += b.u * (rest - t) + b.u * left - 0.5 * mu * g * left * left;
  b.u -= mu * g * left;
  return b;
}

static void test_chain(void **state) {
  (void)state;
  const char *links[] = {"10", "16", "50"};
  for (int k = 0; k < 3; k++) {
    motion m = load_with("chain_lands", "n", links[k]);
    for (int part = 1; part <= 4; part++) {
      double t = 0.25 * part;
      motion_advance(&m, t);
      block b = follow_block(t, 0.5, 0.1, 9.81, 0.05, 1.0);
      CHECK_NEAR(value_of(&m, "x0"), b.x, 1e-9);
      CHECK_NEAR(value_of(&m, "x0'"), b.u, 1e-9);
      // it stays level
      CHECK_NEAR(value_of(&m, "a1"), 0.0, 1e-9);
      CHECK_NEAR(value_of(&m, "a10"), 0.0, 1e-9);
    }
    CHECK(certificate_of(&m).passed);
    motion_end(&m);
  }
}

// The same chain, tilted so that it lands one end first, written otherwise: contacts in another
// order, each twice, in other units, mirrored.
static double land(const char *contacts, double unit, int side) {
  char text[1500];
  (void)snprintf(
      text, sizeof text,
      "title: chain\n"
      "parameters: {n: 9, m: 0.1, l: %.17g, J: m*l^2/12, g: %.17g, mu: 0.3, e: 0.4, S: %d}\n"
      "coordinates:\n"
      "  x0: {start: 0, rate: S*%.17g}\n"
      "  y0: %.17g\n"
      "  a[i=1..n]: -0.01*i\n"
      "define:\n"
      "  x[i=1..n]: x[i-1] + S*l*cos(a[i])\n"
      "  y[i=1..n]: y[i-1] + l*sin(a[i])\n"
      "energy:\n"
      "  kinetic: sum(i=1..n, m/8*((x[i-1]' + x[i]')^2 + (y[i-1]' + y[i]')^2) + J/2*a[i]'^2)\n"
      "  potential: m*g*sum(i=1..n, y[i-1] + y[i])/2\n"
      "contacts:\n%s"
      "run: {until: 1, atol: 1e-11}\n",
      0.1 * unit, 9.81 * unit, side, 0.5 * unit, 0.08 * unit, contacts);
  motion m = motion_parse(text);
  motion_advance(&m, 0.14);
  double reached = value_of(&m, "x0'") / unit * side + 0.1 * value_of(&m, "a5'");
  CHECK(certificate_of(&m).passed);
  CHECK(certificate_of(&m).counts.impacts > 3);
  motion_end(&m);
  return reached;
}

static void test_written_otherwise(void **state) {
  (void)state;
  const char *plain = "  p[i=0..n]: {gap: \"y[i]\", slip: \"x[i]'\", friction: mu, impact: e}\n";
  const char *back = "  p[i=0..n]: {gap: \"y[n-i]\", slip: \"x[n-i]'\", friction: mu, impact: e}\n";
  const char *twice =
      "  p[i=0..n, k=1..2]: {gap: \"y[i]\", slip: \"x[i]'\", friction: mu, impact: e}\n";
  double reached = land(plain, 1.0, 1);
  CHECK_NEAR(land(back, 1.0, 1), reached, 1e-9);
  CHECK_NEAR(land(twice, 1.0, 1), reached, 1e-9);
  CHECK_NEAR(land(plain, 1000.0, 1), reached, 1e-9);
  CHECK_NEAR(land(plain, 1.0, -1), reached, 1e-9);
}

// ---- a wall stands up to tan(tilt) = mu_0, then slides as one

static void slide(const motion *wall, double tilt, double mu) {
  const motion m = *wall;
  double g = 9.81, mu_0 = 0.4, pull = g * (sin(fabs(tilt)) - mu_0 * cos(tilt));
  double way = (tilt > 0.0 ? 0.5 : -0.5) * fmax(0.0, pull) * 0.3 * 0.3;
  set_value(&m, "tilt", tilt);
  set_value(&m, "mu", mu);
  motion_advance(&m, 0.3);
  CHECK_NEAR(value_of(&m, "x1_1") - 0.3, way, 1e-10);
  CHECK_NEAR(value_of(&m, "x5_2") - 0.9, way, 1e-10);
  CHECK_NEAR(value_of(&m, "a3_2"), 0.0, 1e-10);
  CHECK_RELATIVE(value_of(&m, "load"), 20.0 * 2.0 * g * cos(tilt), 1e-9);
  CHECK(certificate_of(&m).passed);
}

static void test_wall(void **state) {
  (void)state;
  motion m = motion_load("brick_wall", NULL);
  double limit = atan(0.4);
  slide(&m, limit - 1e-6, 0.6);
  slide(&m, limit + 1e-3, 0.6);
  slide(&m, -0.45, 0.6);
  slide(&m, 0.45, 0.4); // every course just about to slip on the one below
  motion_end(&m);
}

// ---- four balls: sqrt(3) - sqrt(2) between balls, a quarter of it on the table

static void stack(const char *name, double mu, bool stands) {
  motion m = motion_load("ball_pyramid", NULL);
  set_value(&m, name, mu);
  motion_advance(&m, 0.02);
  double fall = 0.1 + 0.2 * sqrt(2.0 / 3.0) - value_of(&m, "z4");
  if (stands)
    CHECK_NEAR(fall, 0.0, 1e-14);
  else
    CHECK(fall > 1e-11);
  CHECK(certificate_of(&m).passed);
  motion_end(&m);
}

static void test_pyramid(void **state) {
  (void)state;
  double limit = sqrt(3.0) - sqrt(2.0);
  stack("mu", limit * (1.0 + 1e-6), true);
  stack("mu", limit * (1.0 - 1e-3), false);
  stack("mu_0", limit / 4.0 * (1.0 + 1e-6), true);
  stack("mu_0", limit / 4.0 * (1.0 - 1e-3), false);
}

// ---- a rack keeps momentum and angular momentum, and mirror images

static void break_rack(double aim, double *velocities) {
  motion m = motion_load("rack", NULL);
  set_value(&m, "aim", aim);
  motion_advance(&m, 0.05);
  CHECK_NEAR(value_of(&m, "momentum"), 0.17 * 5.0, 1e-13);
  CHECK_NEAR(value_of(&m, "across"), 0.0, 1e-13);
  CHECK_NEAR(value_of(&m, "turn"), -0.17 * 5.0 * aim * 0.0286, 1e-13);
  CHECK(certificate_of(&m).passed);
  CHECK(certificate_of(&m).energy.lost_impacts > 0.0);
  for (int j = 1; j <= 5; j++) {
    char name[24];
    (void)snprintf(name, sizeof name, "x5_%d'", j);
    velocities[2 * j - 2] = value_of(&m, name);
    name[0] = 'y';
    velocities[2 * j - 1] = value_of(&m, name);
  }
  motion_end(&m);
}

static void test_rack(void **state) {
  (void)state;
  double straight[10], left[10], right[10];
  break_rack(0.0, straight);
  break_rack(0.4, left);
  break_rack(-0.4, right);
  for (int j = 0; j < 5; j++) {
    CHECK_NEAR(straight[2 * j], straight[8 - 2 * j], 1e-12);
    CHECK_NEAR(straight[2 * j + 1], -straight[9 - 2 * j], 1e-12);
    CHECK_NEAR(left[2 * j], right[8 - 2 * j], 1e-9);
    CHECK_NEAR(left[2 * j + 1], -right[9 - 2 * j], 1e-9);
  }
}

// ---- dominoes against small steps: velocities by Gauss-Seidel on the contacts (Moreau 1988)

enum { DOMINOES = 20 };

typedef struct row {
  double a, b; // of domino i and i + 1: normal
  double c, d; // tangential
} row;

static row contact_row(const double *a, int i) {
  double H = 0.05, s = 0.025, apart = a[i + 1] - a[i];
  row r = {-H * cos(apart), H * cos(apart) - s * sin(a[i + 1]), H * sin(apart),
           -H * sin(apart) - s * cos(a[i + 1])};
  return r;
}

static void march(double mu, double until, double *a) {
  enum { TURNS = 40 };
  const double H = 0.05, w = 0.008, s = 0.025, m = 0.01, g = 9.81, h = 2e-5;
  const double I = m * (H * H + w * w) / 3.0;
  double u[DOMINOES] = {3.0}, N[DOMINOES] = {0}, T[DOMINOES] = {0}, foot[DOMINOES] = {0};
  memset(a, 0, DOMINOES * sizeof *a);
  long steps = lround(until / h);
  for (long step = 0; step < steps; step++) {
    for (int i = 0; i < DOMINOES; i++) {
      u[i] += h * m * g / 2.0 * (H * sin(a[i]) - w * cos(a[i])) / I;
      N[i] = T[i] = foot[i] = 0.0;
    }
    for (int turn = 0; turn < TURNS; turn++)
      for (int i = 0; i < DOMINOES; i++) {
        if (a[i] <= 0.0) {
          double before = foot[i];
          foot[i] = fmax(0.0, before - I * u[i]);
          u[i] += (foot[i] - before) / I;
        }
        if (i + 1 == DOMINOES) continue;
        if (H * sin(a[i + 1] - a[i]) + s * cos(a[i + 1]) - w > 0.0) continue;
        row r = contact_row(a, i);
        double normal = N[i], size = (r.a * r.a + r.b * r.b) / I;
        N[i] = fmax(0.0, normal - (r.a * u[i] + r.b * u[i + 1]) / size);
        u[i] += r.a * (N[i] - normal) / I;
        u[i + 1] += r.b * (N[i] - normal) / I;
        double rub = T[i], across = (r.c * r.c + r.d * r.d) / I;
        T[i] = rub - (r.c * u[i] + r.d * u[i + 1]) / across;
        T[i] = fmax(-mu * N[i], fmin(mu * N[i], T[i]));
        u[i] += r.c * (T[i] - rub) / I;
        u[i + 1] += r.d * (T[i] - rub) / I;
      }
    for (int i = 0; i < DOMINOES; i++)
      a[i] += h * u[i];
  }
}

static void test_dominoes(void **state) {
  (void)state;
  for (int k = 0; k < 2; k++) {
    double mu = k == 0 ? 0.0 : 0.2, a[DOMINOES], until = 0.5, moved = 0.0;
    motion m = motion_load("dominoes_rough", NULL);
    set_value(&m, "mu", mu);
    motion_advance(&m, until);
    march(mu, until, a);
    for (int i = 0; i < DOMINOES; i++) {
      char name[24];
      (void)snprintf(name, sizeof name, "a%d", i + 1);
      CHECK_NEAR(value_of(&m, name), a[i], 3e-3);
      moved += a[i];
    }
    CHECK(moved > 3.0 && a[5] > 0.1); // a train of leaning dominoes
    CHECK(certificate_of(&m).passed);
    motion_end(&m);
  }
}

// ---- a cradle by every law: momentum, no energy gained; without restitution all go together

static double swing(const char *law, int balls, double e, double *together) {
  char text[1200];
  (void)snprintf(text, sizeof text,
                 "title: cradle\n"
                 "parameters: {n: %d, m: 0.1, l: 0.2, g: 9.81, e: %g, up: 0.3}\n"
                 "coordinates:\n"
                 "  p[i=1..n]: 0\n"
                 "  p[1]: -up\n"
                 "energy:\n"
                 "  kinetic: m*l^2/2*sum(i=1..n, p[i]'^2)\n"
                 "  potential: -m*g*l*sum(i=1..n, cos(p[i]))\n"
                 "contacts:\n"
                 "  c[i=1..n-1]: {gap: \"l*(sin(p[i+1]) - sin(p[i]))\", impact: {law: %s, e: e}}\n"
                 "observe: {momentum: \"sum(i=1..n, p[i]')\", last: \"p[n]'\", first: \"p[1]'\"}\n"
                 "run: {until: 0.4, rtol: 1e-10}\n",
                 balls, e, law);
  motion m = motion_parse(text);
  // it strikes a quarter of a period after it was let go
  motion_advance(&m, 0.21);
  double before = 2.0 * sqrt(9.81 / 0.2) * sin(0.15), momentum = value_of(&m, "momentum");
  while (value_of(&m, "last") == 0.0) {
    motion_advance(&m, carom_simulation_time(m.simulation) + 0.005);
    momentum = value_of(&m, "momentum");
  }
  *together = value_of(&m, "last") - value_of(&m, "first");
  CHECK(certificate_of(&m).passed);
  CHECK(certificate_of(&m).energy.lost_impacts > -1e-9);
  motion_end(&m);
  return momentum / before;
}

static void test_cradle(void **state) {
  (void)state;
  const char *laws[] = {"newton", "poisson", "energetic"};
  for (int k = 0; k < 3; k++)
    for (int balls = 5; balls <= 20; balls += 15) {
      double apart;
      // gravity has hardly acted since
      CHECK_NEAR(swing(laws[k], balls, 1.0, &apart), 1.0, 0.02);
      CHECK_NEAR(swing(laws[k], balls, 0.5, &apart), 1.0, 0.02);
      CHECK_NEAR(swing(laws[k], balls, 0.0, &apart), 1.0, 0.02);
      CHECK_NEAR(apart, 0.0, 1e-7);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_chain),  cmocka_unit_test(test_written_otherwise),
      cmocka_unit_test(test_wall),   cmocka_unit_test(test_pyramid),
      cmocka_unit_test(test_rack),   cmocka_unit_test(test_dominoes),
      cmocka_unit_test(test_cradle),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
