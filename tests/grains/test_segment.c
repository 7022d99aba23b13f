// SPDX-License-Identifier: MIT
// Nearest points against exact cases and against a search that knows nothing of the algebra.
#include "check.h"
#include "grains/segment.h"

static double draw(uint64_t *seed, double lo, double hi) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return lo + (hi - lo) * (double)(*seed >> 11) / 9007199254740992.0;
}

typedef struct pair {
  double r[3], u[3], w[3], a, b;
} pair;

static double distance(const pair *p, double s, double t) {
  double sum = 0;
  for (int k = 0; k < 3; k++) {
    double d = p->r[k] + s * p->u[k] - t * p->w[k];
    sum += d * d;
  }
  return sqrt(sum);
}

static double nearest(const pair *p, double *s, double *t) {
  carom_segment_nearest(p->r[0], p->r[1], p->r[2], p->u[0], p->u[1], p->u[2], p->a, p->w[0],
                        p->w[1], p->w[2], p->b, s, t);
  return distance(p, *s, *t);
}

// a grid that closes in on its best point; the distance is convex, so this ends at the minimum
static double search(const pair *p) {
  double s0 = -p->a, s1 = p->a, t0 = -p->b, t1 = p->b, best = HUGE_VAL;
  for (int round = 0; round < 60; round++) {
    double bs = 0, bt = 0, least = HUGE_VAL;
    for (int i = 0; i <= 12; i++)
      for (int j = 0; j <= 12; j++) {
        double s = s0 + (s1 - s0) * i / 12, t = t0 + (t1 - t0) * j / 12, d = distance(p, s, t);
        if (d < least) least = d, bs = s, bt = t;
      }
    best = fmin(best, least);
    // a long narrow valley runs across the grid: shrink slowly
    double hs = 0.4 * (s1 - s0), ht = 0.4 * (t1 - t0);
    s0 = fmax(-p->a, bs - hs), s1 = fmin(p->a, bs + hs);
    t0 = fmax(-p->b, bt - ht), t1 = fmin(p->b, bt + ht);
  }
  return best;
}

static void unit(double v[3]) {
  double n = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  for (int k = 0; k < 3; k++)
    v[k] /= n;
}

static pair random_pair(uint64_t *seed, double bend) {
  pair p = {.a = draw(seed, 0, 5), .b = draw(seed, 0, 5)};
  if (draw(seed, 0, 1) < 0.1) p.a = 0;
  if (draw(seed, 0, 1) < 0.1) p.b = 0;
  for (int k = 0; k < 3; k++) {
    p.r[k] = draw(seed, -4, 4);
    p.u[k] = draw(seed, -1, 1);
  }
  unit(p.u);
  double side = draw(seed, 0, 1) < 0.5 ? -1 : 1;
  for (int k = 0; k < 3; k++)
    p.w[k] = bend < 0 ? draw(seed, -1, 1) : side * p.u[k] + bend * draw(seed, -1, 1);
  unit(p.w);
  return p;
}

static void test_random(void **state) {
  (void)state;
  uint64_t seed = 11;
  const double bends[] = {-1, 0.3, 1e-2, 1e-4, 1e-6, 1e-7, 1e-8, 1e-12, 0};
  for (int n = 0; n < 450; n++) {
    pair p = random_pair(&seed, bends[n % 9]);
    double s, t, d = nearest(&p, &s, &t);
    CHECK(fabs(s) <= p.a && fabs(t) <= p.b);
    double found = search(&p);
    CHECK(d <= found + 2e-7 * (1 + found)); // never worse than the search
  }
}

// the answer is a minimum: no small move along either axis is better
static void test_stationary(void **state) {
  (void)state;
  uint64_t seed = 12;
  for (int n = 0; n < 20000; n++) {
    pair p = random_pair(&seed, -1);
    double s, t, d = nearest(&p, &s, &t);
    for (int k = 0; k < 4; k++) {
      double e = k % 2 ? 1e-4 : -1e-4;
      double s2 = carom_clamp(s + (k < 2 ? e : 0), -p.a, p.a);
      double t2 = carom_clamp(t + (k < 2 ? 0 : e), -p.b, p.b);
      CHECK(distance(&p, s2, t2) >= d - 1e-12);
    }
  }
}

static void test_exact(void **state) {
  (void)state;
  double s, t;
  pair crossed = {{0, 0, 2}, {1, 0, 0}, {0, 1, 0}, 3, 3};
  CHECK_SAME(nearest(&crossed, &s, &t), 2);
  CHECK_SAME(s, 0);
  pair parallel = {{0, 1, 0}, {1, 0, 0}, {1, 0, 0}, 2, 1};
  CHECK_SAME(nearest(&parallel, &s, &t), 1);
  CHECK_SAME(s, 0);
  pair shifted = {{1.5, 1, 0}, {1, 0, 0}, {-1, 0, 0}, 2, 1};
  CHECK_SAME(nearest(&shifted, &s, &t), 1);
  CHECK_SAME(s, -1.25); // x from -0.5 to 1 is shared: its middle is 0.25
  pair in_line = {{5, 0, 0}, {1, 0, 0}, {1, 0, 0}, 1, 2};
  CHECK_SAME(nearest(&in_line, &s, &t), 2);
  pair spheres = {{0, 3, 4}, {1, 0, 0}, {0, 1, 0}, 0, 0};
  CHECK_SAME(nearest(&spheres, &s, &t), 5);
  pair point = {{0, 0, 1}, {1, 0, 0}, {0, 0, 1}, 2, 0};
  CHECK_SAME(nearest(&point, &s, &t), 1);
}

static void test_axis(void **state) {
  (void)state;
  uint64_t seed = 5;
  for (int n = 0; n < 2000; n++) {
    double x = draw(&seed, -3, 3), y = draw(&seed, -3, 3), a = draw(&seed, 0, 4);
    double u[3] = {draw(&seed, -1, 1), draw(&seed, -1, 1), draw(&seed, -1, 1)};
    unit(u);
    double s = carom_segment_axis(x, y, u[0], u[1], a), d = hypot(x + s * u[0], y + s * u[1]);
    CHECK(fabs(s) <= a);
    for (int k = 0; k <= 100; k++) {
      double q = -a + 2 * a * k / 100;
      CHECK(d <= hypot(x + q * u[0], y + q * u[1]) + 1e-12);
    }
  }
  CHECK_SAME(carom_segment_axis(1, 0, 0, 0, 2), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random),
      cmocka_unit_test(test_stationary),
      cmocka_unit_test(test_exact),
      cmocka_unit_test(test_axis),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
