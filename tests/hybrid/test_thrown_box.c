// SPDX-License-Identifier: MIT
// A box and a rod that strike with corners in space against a program of their own: free flight of
// a rigid body by the classical Runge-Kutta rule, then the flow of the slip over the impulse in
// small steps. Rows of an impact are (x, y, z) of the corner: z is the normal.
#include "motion.h"

#include <string.h>

enum { BODY = 18 }; // place, velocity, turn (columns are the body's axes), spin about these axes

typedef struct thrown {
  double edge[3], mass, inertia[3], mu, e;
  double x[BODY];
  int corner; // that struck last
  int impacts, stuck;
} thrown;

static void slopes(const thrown *b, const double *x, double *f) {
  const double *J = b->inertia, *w = x + 15;
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    f[i] = x[3 + i];
    f[3 + i] = i == 2 ? -9.81 : 0.0;
    // e_i' = w x e_i
    for (int c = 0; c < 3; c++)
      f[6 + 3 * i + c] = w[k] * x[6 + 3 * j + c] - w[j] * x[6 + 3 * k + c];
    f[15 + i] = (J[j] - J[k]) * w[j] * w[k] / J[i];
  }
}

static void fly(thrown *b, double h) {
  double f[4][BODY], at[BODY];
  slopes(b, b->x, f[0]);
  for (int stage = 1; stage < 4; stage++) {
    for (int i = 0; i < BODY; i++)
      at[i] = b->x[i] + (stage < 3 ? 0.5 : 1.0) * h * f[stage - 1][i];
    slopes(b, at, f[stage]);
  }
  for (int i = 0; i < BODY; i++)
    b->x[i] += h / 6.0 * (f[0][i] + 2.0 * f[1][i] + 2.0 * f[2][i] + f[3][i]);
}

// from the centre to corner k, in space
static void arm(const thrown *b, int k, double r[3]) {
  for (int c = 0; c < 3; c++) {
    r[c] = 0.0;
    for (int i = 0; i < 3; i++)
      r[c] += (k >> i & 1 ? 0.5 : -0.5) * b->edge[i] * b->x[6 + 3 * i + c];
  }
}

// the lowest corner
static double lowest(const thrown *b, int *which) {
  double least = INFINITY, r[3];
  for (int k = 0; k < 8; k++) {
    arm(b, k, r);
    if (!(b->x[2] + r[2] < least)) continue;
    least = b->x[2] + r[2];
    *which = k;
  }
  return least;
}

static void cross(const double a[3], const double b[3], double c[3]) {
  for (int i = 0; i < 3; i++)
    c[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

// an impulse p at r
static void push(thrown *b, const double r[3], const double p[3]) {
  double moment[3];
  cross(r, p, moment);
  for (int i = 0; i < 3; i++) {
    b->x[3 + i] += p[i] / b->mass;
    for (int c = 0; c < 3; c++)
      b->x[15 + i] += moment[c] * b->x[6 + 3 * i + c] / b->inertia[i];
  }
}

static void velocity_at(const thrown *b, const double r[3], double v[3]) {
  double w[3] = {0};
  for (int i = 0; i < 3; i++)
    for (int c = 0; c < 3; c++)
      w[c] += b->x[15 + i] * b->x[6 + 3 * i + c];
  cross(w, r, v);
  for (int c = 0; c < 3; c++)
    v[c] += b->x[3 + c];
}

// ---- the impact: y = velocity of the corner, work, impulses

typedef struct flow {
  double G[3][3], mu, T[2]; // friction of stick
  bool rests;
} flow;

static void flow_rates(const flow *k, const double *y, double *f) {
  double s = hypot(y[0], y[1]), p[3] = {0, 0, 1.0};
  for (int i = 0; i < 2; i++)
    p[i] = k->rests ? k->T[i] : -k->mu * y[i] / s;
  for (int i = 0; i < 3; i++) {
    f[i] = k->G[i][0] * p[0] + k->G[i][1] * p[1] + k->G[i][2];
    f[4 + i] = p[i];
  }
  f[3] = y[2];
}

static void flow_step(const flow *k, const double *y, double h, double *out) {
  double f[4][7], at[7];
  flow_rates(k, y, f[0]);
  for (int stage = 1; stage < 4; stage++) {
    for (int i = 0; i < 7; i++)
      at[i] = y[i] + (stage < 3 ? 0.5 : 1.0) * h * f[stage - 1][i];
    flow_rates(k, at, f[stage]);
  }
  for (int i = 0; i < 7; i++)
    out[i] = y[i] + h / 6.0 * (f[0][i] + 2.0 * f[1][i] + 2.0 * f[2][i] + f[3][i]);
}

// the friction that keeps a slip that has stopped
static void hold(flow *k) {
  double det = k->G[0][0] * k->G[1][1] - k->G[0][1] * k->G[1][0];
  k->T[0] = -(k->G[1][1] * k->G[0][2] - k->G[0][1] * k->G[1][2]) / det;
  k->T[1] = -(k->G[0][0] * k->G[1][2] - k->G[1][0] * k->G[0][2]) / det;
  k->rests = true;
  CHECK(hypot(k->T[0], k->T[1]) < k->mu); // slip would set off again: not in these cases
}

static void strike(thrown *b) {
  double r[3], y[7] = {0}, out[7], f[7], taken = 0.0;
  arm(b, b->corner, r);
  velocity_at(b, r, y);
  flow k = {.mu = b->mu};
  for (int i = 0; i < 3; i++) {
    thrown still = *b;
    double unit[3] = {i == 0, i == 1, i == 2}, v[3];
    memset(still.x + 3, 0, 3 * sizeof *still.x);
    memset(still.x + 15, 0, 3 * sizeof *still.x);
    push(&still, r, unit);
    velocity_at(&still, r, v);
    for (int c = 0; c < 3; c++)
      k.G[c][i] = v[c];
  }
  double first = hypot(y[0], y[1]), natural = -y[2] / k.G[2][2];
  for (bool expands = false, over = false; !over;) {
    double s = hypot(y[0], y[1]), h = 0.002 * natural;
    if (!k.rests && s < 1e-15 * first) {
      y[0] = y[1] = 0.0;
      hold(&k);
    }
    flow_rates(&k, y, f);
    if (!k.rests) h = fmin(h, 0.002 * s / hypot(f[0], f[1]));
    flow_step(&k, y, h, out);
    if ((expands ? out[3] - b->e * b->e * taken : out[2]) >= 0.0) {
      double lo = 0.0, hi = h;
      for (int round = 0; round < 60; round++) {
        double middle = 0.5 * (lo + hi);
        flow_step(&k, y, middle, out);
        *((expands ? out[3] - b->e * b->e * taken : out[2]) < 0.0 ? &lo : &hi) = middle;
      }
      over = expands;
      if (!expands) taken = -out[3];
      expands = true;
      memcpy(y, out, sizeof y);
      if (!over) y[3] = 0.0;
      continue;
    }
    memcpy(y, out, sizeof y);
  }
  push(b, r, y + 4);
  b->impacts++;
  b->stuck += k.rests;
}

static void throw_until(thrown *b, double end) {
  const double h = 5e-5;
  double t = 0.0;
  while (t < end) {
    double step = fmin(h, end - t), r[3], v[3];
    thrown next = *b;
    int which = -1;
    fly(&next, step);
    if (lowest(&next, &which) < 0.0) {
      arm(b, which, r);
      velocity_at(b, r, v);
    }
    if (lowest(&next, &which) >= 0.0 || (which == b->corner && v[2] > 0.0)) {
      *b = next;
      t += step;
      continue;
    }
    double lo = 0.0, hi = step;
    for (int round = 0; round < 60; round++) {
      double middle = 0.5 * (lo + hi);
      int corner;
      next = *b;
      fly(&next, middle);
      *(lowest(&next, &corner) > 0.0 ? &lo : &hi) = middle;
    }
    fly(b, hi);
    t += hi;
    b->corner = which;
    strike(b);
  }
}

static void begin(thrown *b, const double edge[3], double mu, double e) {
  const double at[] = {0, 0, 0.8}, v[] = {1.5, 0.4, -1.0}, spin[] = {2, -3, 1}, angle = 0.9;
  const double length = sqrt(5.25), axis[] = {1 / length, 2 / length, 0.5 / length};
  *b = (thrown){.mass = 2.0, .mu = mu, .e = e, .corner = -1};
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    b->edge[i] = edge[i];
    b->inertia[i] = b->mass / 12.0 * (edge[j] * edge[j] + edge[k] * edge[k]);
    b->x[i] = at[i];
    b->x[3 + i] = v[i];
    // Rodrigues' formula for e_i
    double unit[3] = {i == 0, i == 1, i == 2}, around[3];
    cross(axis, unit, around);
    for (int c = 0; c < 3; c++)
      b->x[6 + 3 * i + c] =
          cos(angle) * unit[c] + sin(angle) * around[c] + (1.0 - cos(angle)) * axis[i] * axis[c];
  }
  for (int i = 0; i < 3; i++)
    for (int c = 0; c < 3; c++)
      b->x[15 + i] += spin[c] * b->x[6 + 3 * i + c];
}

static void corners(void **state) {
  (void)state;
  const double edges[][3] = {{0.3, 0.2, 0.5}, {0.04, 0.04, 1.0}, {0.2, 0.2, 0.2}};
  const double mu[] = {0.0, 0.3, 0.7, 1.2}, e[] = {0.6, 0.95};
  motion m = motion_load("thrown_box", NULL);
  int impacts = 0, stuck = 0;
  for (int k = 0; k < 24; k++) {
    thrown b;
    begin(&b, edges[k / 8], mu[k % 4], e[k / 4 % 2]);
    set_value(&m, "a", b.edge[0]);
    set_value(&m, "b", b.edge[1]);
    set_value(&m, "c", b.edge[2]);
    set_value(&m, "mu", b.mu);
    set_value(&m, "e", b.e);
    motion_run(&m);
    throw_until(&b, 0.3);
    const char *const names[] = {"box.x",  "box.y",  "box.z",  "box.x'", "box.y'",
                                 "box.z'", "box.w1", "box.w2", "box.w3"};
    for (int i = 0; i < 9; i++)
      CHECK_NEAR(value_of(&m, names[i]), b.x[i < 6 ? i : 9 + i], 5e-9);
    assert_int_equal(certificate_of(&m).counts.impacts, b.impacts);
    CHECK(certificate_of(&m).passed);
    impacts += b.impacts;
    stuck += b.stuck;
  }
  print_message("%d impacts, %d of them end in stick\n", impacts, stuck);
  CHECK(impacts >= 24 && stuck > 3 && stuck < impacts - 3);
  motion_end(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(corners)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
