// SPDX-License-Identifier: MIT
// Bodies that roll on a table against a program of their own: the balance of a rigid body about its
// centre, seen from the body, with a force of the table that keeps the velocity v = r x w of
// rolling. Discs are ellipsoids without height.
#include "motion.h"

enum { STATE = 6 }; // the vertical and the spin, both along the body's axes

typedef struct roller {
  double axes[3], mass, inertia[3][3];
  double resistance; // length: friction against turning about the third axis, of the table's force
  double x[STATE];
} roller;

static const double GRAVITY = 9.81;

static void cross(const double a[3], const double b[3], double c[3]) {
  for (int i = 0; i < 3; i++)
    c[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

static double dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double det(double A[3][3]) {
  double c[3];
  cross(A[1], A[2], c);
  return dot(A[0], c);
}

// Cramer's rule; A symmetric or not, by rows
static void solve(double A[3][3], const double b[3], double x[3]) {
  double whole = det(A);
  for (int j = 0; j < 3; j++) {
    double B[3][3];
    for (int i = 0; i < 9; i++)
      B[i / 3][i % 3] = i % 3 == j ? b[i / 3] : A[i / 3][i % 3];
    x[j] = det(B) / whole;
  }
}

// from the centre to the table, and its rate as the body sees it
static void touch(const roller *b, const double n[3], const double turning[3], double r[3],
                  double rate[3]) {
  double h = 0.0, grows = 0.0;
  for (int i = 0; i < 3; i++) {
    double square = b->axes[i] * b->axes[i];
    h += square * n[i] * n[i];
    grows += square * n[i] * turning[i];
  }
  h = sqrt(h);
  grows /= h;
  for (int i = 0; i < 3; i++) {
    double square = b->axes[i] * b->axes[i];
    r[i] = -square * n[i] / h;
    rate[i] = square * (n[i] * grows / h - turning[i]) / h;
  }
}

// the rate of ph, the turn about the third axis beside the precession about the vertical
static double turn_rate(const double n[3], const double w[3]) {
  return (w[2] - n[2] * dot(w, n)) / (1.0 - n[2] * n[2]);
}

// I w' + w x I w = r x F + M N,  F = m (g n + v'),  v' = c + r x w',  N = F.n
static void slopes(const roller *b, const double *x, double *f) {
  const double *n = x, *w = x + 3;
  double r[3], rate[3], c[3], spin[3], arm[3], M[3], A[3][3], right[3], force[3], moment[3];
  cross(n, w, f);
  touch(b, n, f, r, rate);
  cross(w, r, spin);
  for (int i = 0; i < 3; i++)
    rate[i] += spin[i];
  cross(rate, w, c);
  cross(n, r, arm); // N = m (g + n.c + arm.w')
  for (int i = 0; i < 3; i++) {
    double side = turn_rate(n, w) > 0.0 ? 1.0 : -1.0;
    M[i] = -b->resistance * side * ((i == 2) - n[2] * n[i]) / (1.0 - n[2] * n[2]);
    force[i] = b->mass * (GRAVITY * n[i] + c[i]);
    spin[i] = dot(b->inertia[i], w);
  }
  cross(r, force, moment);
  cross(w, spin, right);
  double load = b->mass * (GRAVITY + dot(n, c));
  for (int i = 0; i < 3; i++) {
    right[i] = moment[i] + M[i] * load - right[i];
    for (int j = 0; j < 3; j++)
      A[i][j] = b->inertia[i][j] + b->mass * ((i == j ? dot(r, r) : 0.0) - r[i] * r[j]) -
                b->mass * M[i] * arm[j];
  }
  solve(A, right, f + 3);
}

static void roll(roller *b, double time, int steps) {
  double h = time / steps;
  for (int step = 0; step < steps; step++) {
    double f[4][STATE], at[STATE];
    slopes(b, b->x, f[0]);
    for (int stage = 1; stage < 4; stage++) {
      for (int i = 0; i < STATE; i++)
        at[i] = b->x[i] + (stage < 3 ? 0.5 : 1.0) * h * f[stage - 1][i];
      slopes(b, at, f[stage]);
    }
    for (int i = 0; i < STATE; i++)
      b->x[i] += h / 6.0 * (f[0][i] + 2.0 * f[1][i] + 2.0 * f[2][i] + f[3][i]);
  }
}

// ---- discs: sin(th) is the part of the vertical along the axis

static roller disc(double tilt, double turn, double axial) {
  const double m = 0.01, R = 0.0125;
  roller b = {.axes = {R, R, 0.0},
              .mass = m,
              .x = {cos(tilt), 0.0, sin(tilt), turn * cos(tilt), 0.0, axial}};
  for (int i = 0; i < 3; i++)
    b.inertia[i][i] = i < 2 ? 0.25 * m * R * R : 0.5 * m * R * R;
  return b;
}

static double precession(const roller *b) {
  const double *n = b->x, *w = b->x + 3;
  return (dot(w, n) - n[2] * w[2]) / (1.0 - n[2] * n[2]);
}

// it goes flat by dry friction: how far it has come when the motion stops, and how fast it turns
static void euler_disc(void **state) {
  (void)state;
  motion m =
      motion_load("euler_disc", (const carom_setting[]){{"run.rtol", "1e-11"}, {NULL, NULL}});
  const double resistance[] = {0.002, 0.005, 0.0}, al = 0.35, R = 0.0125;
  for (int k = 0; k < 3; k++) {
    set_value(&m, "kr", resistance[k]);
    if (k < 2)
      motion_run(&m);
    else
      motion_advance(&m, 0.7);
    double turn = 2.0 * sqrt(GRAVITY / (R * sin(al))), tilt = 0.5 * PI - al;
    roller b = disc(tilt, turn, 0.0); // ph' = -psi' sin(th): no spin about the axis
    b.resistance = resistance[k] * R;
    roll(&b, carom_simulation_time(m.simulation), 20000);
    CHECK_NEAR(value_of(&m, "th"), asin(b.x[2]), 1e-8);
    CHECK_RELATIVE(value_of(&m, "psi'"), precession(&b), 1e-7);
    CHECK((k < 2) == (value_of(&m, "th") > 0.5 * PI - 0.08 - 1e-9));
    CHECK(certificate_of(&m).passed);
  }
  motion_end(&m);
}

// a coin that is not in a steady turn nods
static void coin_nods(void **state) {
  (void)state;
  const double more[] = {5.0, -8.0, 20.0};
  motion m = motion_load("coin", (const carom_setting[]){{"run.rtol", "1e-11"}, {NULL, NULL}});
  set_value(&m, "mu", 3.0);
  for (int k = 0; k < 3; k++) {
    set_value(&m, "more_spin", more[k]);
    motion_advance(&m, 0.0);
    double turn = value_of(&m, "psi'"), tilt = value_of(&m, "th");
    roller b = disc(tilt, turn, value_of(&m, "ph'") + turn * sin(tilt));
    motion_advance(&m, 0.5);
    roll(&b, 0.5, 10000);
    CHECK_NEAR(value_of(&m, "th"), asin(b.x[2]), 1e-8);
    CHECK_RELATIVE(value_of(&m, "psi'"), precession(&b), 1e-8);
    CHECK(value_of(&m, "wobble") > 0.01 && value_of(&m, "slides") < 1e-9);
  }
  motion_end(&m);
}

// ---- the rattleback, from when it has stopped sliding until it has turned back

static void rattleback(void **state) {
  (void)state;
  motion m =
      motion_load("rattleback", (const carom_setting[]){{"run.rtol", "1e-11"}, {NULL, NULL}});
  const double I1 = 2e-4, I2 = 1.6e-3, c = cos(0.1), s = sin(0.1);
  motion_advance(&m, 0.1);
  double al = value_of(&m, "al"), be = value_of(&m, "be"), yaw = value_of(&m, "s'");
  roller b = {.axes = {0.2, 0.03, 0.02},
              .mass = 1.0,
              .inertia = {{I1 * c * c + I2 * s * s, (I1 - I2) * c * s, 0.0},
                          {(I1 - I2) * c * s, I1 * s * s + I2 * c * c, 0.0},
                          {0.0, 0.0, 1.7e-3}},
              .x = {-cos(al) * sin(be), sin(al), cos(al) * cos(be)}};
  b.x[3] = yaw * b.x[0] + value_of(&m, "al'") * cos(be);
  b.x[4] = yaw * b.x[1] + value_of(&m, "be'");
  b.x[5] = yaw * b.x[2] + value_of(&m, "al'") * sin(be);
  double before = yaw;
  for (int k = 1; k <= 4; k++) {
    motion_advance(&m, 0.1 + 1.0 * k);
    roll(&b, 1.0, 5000);
    const double *n = b.x, *w = b.x + 3;
    double nod = atan2(-n[0], n[2]);
    CHECK_NEAR(value_of(&m, "be"), nod, 1e-7);
    CHECK_NEAR(value_of(&m, "al"), asin(n[1]), 1e-7);
    yaw = (w[2] * cos(nod) - w[0] * sin(nod)) / (n[2] * cos(nod) - n[0] * sin(nod));
    CHECK_NEAR(value_of(&m, "s'"), yaw, 1e-6);
  }
  CHECK(before < -3.0 && yaw > 3.0);
  motion_end(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(euler_disc), cmocka_unit_test(coin_nods),
                                     cmocka_unit_test(rattleback)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
