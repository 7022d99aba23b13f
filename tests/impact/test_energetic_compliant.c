// SPDX-License-Identifier: MIT
/// The energetic law against motions of bodies with springs at their contacts, integrated in time
/// by a method of its own: springs of force k x^a that give back the part e^2 of the energy they
/// take. Where positions enter (a rod that turns while it strikes) the springs are so stiff that it
/// hardly moves.
#include "energetic_setup.h"

#include <math.h>

enum { MOST_STATES = MAX_FREEDOM * 2 + MAX_CONTACTS };

typedef struct body {
  int freedom, contacts;
  double mass[MAX_FREEDOM];
  double k[MAX_CONTACTS], a[MAX_CONTACTS], e[MAX_CONTACTS];
  // the normal rows at position q
  void (*rows)(const double *q, double W[][MAX_FREEDOM]);
  double W[MAX_CONTACTS][MAX_FREEDOM];
  int from[MAX_CONTACTS], to[MAX_CONTACTS]; // where a row is not zero
} body;

static double spring(double k, double a, double x) {
  if (x <= 0.0) return 0.0;
  return a == 1.5 ? k * x * sqrt(x) : a == 1.0 ? k * x : k * pow(x, a);
}

// y = (q, u, x): u' = W^T F / m, x' = -W u / eta
static void rates(body *b, const double *y, double *f) {
  int n = b->freedom;
  const double *u = y + n, *x = u + n;
  if (b->rows) b->rows(y, b->W);
  for (int i = 0; i < n; i++) {
    f[i] = u[i];
    f[n + i] = 0.0;
  }
  for (int c = 0; c < b->contacts; c++) {
    double v = 0.0, F = spring(b->k[c], b->a[c], x[c]);
    for (int i = b->from[c]; i < b->to[c]; i++) {
      v += b->W[c][i] * u[i];
      f[n + i] += b->W[c][i] * F / b->mass[i];
    }
    bool apart = x[c] <= 0.0 && v > 0.0;
    f[2 * n + c] = apart ? 0.0 : v > 0.0 ? -v / (b->e[c] * b->e[c]) : -v;
  }
}

// the pair 4(5) of Cash and Karp 1990
static double try_step(body *b, int size, double h, const double *y, double *out) {
  static const double A[6][5] = {
      {0},
      {1.0 / 5},
      {3.0 / 40, 9.0 / 40},
      {3.0 / 10, -9.0 / 10, 6.0 / 5},
      {-11.0 / 54, 5.0 / 2, -70.0 / 27, 35.0 / 27},
      {1631.0 / 55296, 175.0 / 512, 575.0 / 13824, 44275.0 / 110592, 253.0 / 4096}};
  static const double B[6] = {37.0 / 378, 0, 250.0 / 621, 125.0 / 594, 0, 512.0 / 1771};
  static const double D[6] = {2825.0 / 27648, 0,      18575.0 / 48384, 13525.0 / 55296,
                              277.0 / 14336,  1.0 / 4};
  static double k[6][MOST_STATES], z[MOST_STATES];
  double worst = 0.0;
  for (int s = 0; s < 6; s++) {
    for (int i = 0; i < size; i++) {
      z[i] = y[i];
      for (int j = 0; j < s; j++)
        z[i] += h * A[s][j] * k[j][i];
    }
    rates(b, z, k[s]);
  }
  for (int i = 0; i < size; i++) {
    double sum = 0.0, error = 0.0;
    for (int s = 0; s < 6; s++) {
      sum += B[s] * k[s][i];
      error += (B[s] - D[s]) * k[s][i];
    }
    out[i] = y[i] + h * sum;
    // velocities are of order one; positions and compressions are measured by how they change
    double scale = i >= b->freedom && i < 2 * b->freedom ? 1.0 : fabs(h * k[0][i]) + fabs(h);
    worst = fmax(worst, fabs(h * error) / scale);
  }
  return worst;
}

static bool at_rest(const body *b, const double *y) {
  const double *u = y + b->freedom, *x = u + b->freedom;
  for (int c = 0; c < b->contacts; c++) {
    double v = 0.0;
    for (int i = b->from[c]; i < b->to[c]; i++)
      v += b->W[c][i] * u[i];
    if (x[c] > 0.0 || v < -1e-9) return false;
  }
  return true;
}

// velocities after the impact; `h`: a first step
static void strike(body *b, const double *q, const double *u, double h, double tolerance,
                   double *after) {
  static double y[MOST_STATES], out[MOST_STATES];
  int n = b->freedom, size = 2 * n + b->contacts;
  memset(y, 0, sizeof y);
  memcpy(y, q, (size_t)n * sizeof *y);
  memcpy(y + n, u, (size_t)n * sizeof *y);
  if (b->rows) b->rows(y, b->W);
  for (long step = 0; step < 4000000 && !at_rest(b, y); step++) {
    double error = try_step(b, size, h, y, out);
    if (error <= tolerance) {
      memcpy(y, out, (size_t)size * sizeof *y);
      for (int c = 0; c < b->contacts; c++)
        if (y[2 * n + c] < 0.0) y[2 * n + c] = 0.0;
    }
    h *= fmin(3.0, fmax(0.2, 0.9 * pow(tolerance / fmax(error, 1e-30), 0.2)));
  }
  memcpy(after, y + n, (size_t)n * sizeof *after);
}

// the setup's bodies with rows that do not move
static body body_of(const setup *s) {
  body b = {.freedom = s->freedom, .contacts = s->p.impact.contacts};
  memcpy(b.mass, s->mass, sizeof b.mass);
  for (int c = 0; c < b.contacts; c++) {
    b.k[c] = s->stiffness[c];
    b.a[c] = s->exponent[c];
    b.e[c] = s->e[c];
    memcpy(b.W[c], s->W[s->normal[c]], sizeof b.W[c]);
    b.to[c] = b.freedom;
    while (b.from[c] < b.to[c] && b.W[c][b.from[c]] == 0.0)
      b.from[c]++;
    while (b.to[c] > b.from[c] && b.W[c][b.to[c] - 1] == 0.0)
      b.to[c]--;
  }
  return b;
}

static void compare(setup *s, double h, double tolerance, double allowed) {
  static const double origin[MAX_FREEDOM];
  double after[MAX_FREEDOM];
  body b = body_of(s);
  strike(&b, origin, s->u, h, tolerance, after);
  solve(s);
  for (int i = 0; i < s->freedom; i++)
    CHECK_NEAR(s->u[i], after[i], allowed);
}

// ---- Newton's cradle

static void test_cradles(void **state) {
  (void)state;
  static setup s;
  const int balls[] = {3, 5, 50};
  const double restitution[] = {1.0, 0.9, 0.5}, exponents[] = {1.5, 1.0, 2.0};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 3; k++) {
        bool many = balls[i] == 50;
        // fifty balls of e = 0.5 become one body, with more and more and smaller and smaller
        // impacts
        if (many && (j != k || j == 2)) continue;
        cradle(&s, balls[i], restitution[j], exponents[k]);
        s.o.tolerance = many ? 1e-10 : 1e-12;
        compare(&s, 1e-3, many ? 1e-8 : 1e-11, many ? 5e-6 : 1e-8);
      }
}

// two balls against three, and a light ball among heavy ones
static void test_cradle_pairs(void **state) {
  (void)state;
  static setup s;
  for (int k = 0; k < 2; k++) {
    cradle(&s, 5, k ? 0.8 : 1.0, 1.5);
    s.u[1] = 1.0;
    s.mass[2] = 0.05;
    s.stiffness[3] = 7.0;
    s.exponent[1] = 1.2;
    compare(&s, 1e-3, 1e-11, 1e-8);
  }
}

static void test_stiffness_ratios(void **state) {
  (void)state;
  static setup s;
  for (int power = -3; power <= 3; power++)
    for (int law = 0; law < 4; law++) {
      cradle(&s, 3, law % 2 ? 0.7 : 1.0, law < 2 ? 1.5 : 1.0);
      s.stiffness[1] = pow(10.0, power);
      compare(&s, 1e-4, 1e-11, 2e-8);
    }
}

// ---- a rod that comes down nearly flat: both ends strike, again and again

enum { X, Y, TURN };
static const double HALF = 0.5, INERTIA = 1.0 / 12.0;

static void rod_rows(const double *q, double W[][MAX_FREEDOM]) {
  for (int side = 0; side < 2; side++) {
    W[side][X] = 0.0;
    W[side][Y] = 1.0;
    W[side][TURN] = (side ? HALF : -HALF) * cos(q[TURN]);
  }
}

static void test_rod(void **state) {
  (void)state;
  static setup s;
  const double turning[] = {0.0, 0.3, -1.0, 1.99};
  for (int k = 0; k < 4; k++) {
    begin(&s, 3);
    s.mass[TURN] = INERTIA;
    s.u[Y] = -1.0;
    s.u[TURN] = turning[k];
    for (int side = 0; side < 2; side++) {
      const double wn[3] = {0.0, 1.0, side ? HALF : -HALF};
      contact(&s, wn, NULL, side ? 0.6 : 0.9, 0.0, 0.0);
      s.stiffness[side] = side ? 3e15 : 1e15;
    }
    double after[MAX_FREEDOM];
    static const double flat[3];
    body b = body_of(&s);
    b.rows = rod_rows;
    strike(&b, flat, s.u, 1e-9, 1e-11, after);
    solve(&s);
    for (int i = 0; i < 3; i++)
      CHECK_NEAR(s.u[i], after[i], 2e-7);
  }
}

// ---- a block lands flat on its four corners: four contacts, three freedoms

static void block(setup *s, double roll, double pitch) {
  const double e[4] = {0.9, 0.3, 0.7, 0.5}, k[4] = {1.0, 2.0, 0.5, 1.5};
  begin(s, 3);
  s->mass[1] = 0.2;
  s->mass[2] = 0.5;
  s->u[0] = -1.0;
  s->u[1] = roll;
  s->u[2] = pitch;
  for (int c = 0; c < 4; c++) {
    const double wn[3] = {1.0, c % 2 ? 0.7 : -0.7, c / 2 ? 1.1 : -1.1};
    contact(s, wn, NULL, e[c], 0.0, 0.0);
    s->stiffness[c] = k[c];
  }
}

static void test_block(void **state) {
  (void)state;
  static setup s;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      for (int law = 0; law < 2; law++) {
        block(&s, 0.4 * (i - 1), 0.3 * (j - 1));
        for (int c = 0; c < 4 && law; c++)
          s.exponent[c] = 1.0 + 0.25 * c;
        compare(&s, 1e-3, 1e-11, 2e-8);
      }
  // elastic and alike it bounces back as it came
  block(&s, 0.0, 0.0);
  for (int c = 0; c < 4; c++)
    s.e[c] = s.stiffness[c] = 1.0;
  solve(&s);
  CHECK_NEAR(s.u[0], 1.0, 1e-12);
  CHECK_NEAR(s.u[1], 0.0, 1e-13);
  CHECK_NEAR(s.u[2], 0.0, 1e-13);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_cradles),
                                     cmocka_unit_test(test_cradle_pairs),
                                     cmocka_unit_test(test_stiffness_ratios),
                                     cmocka_unit_test(test_rod), cmocka_unit_test(test_block)};
  return cmocka_run_group_tests(tests, start, finish);
}
