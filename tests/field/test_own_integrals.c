// SPDX-License-Identifier: MIT
// Integrals of laws of one's own that are no powers: ranges much shorter than the distance of rest,
// bands, kinks. The reference sums over the distance in long double, with the area that has it.
#include "check.h"

#include "field/body.h"

#include <string.h>

typedef long double real;

static const real PI = 3.14159265358979323846264338327950288L;
static const double CUBE[8][3] = {{0, 0, 0}, {2, 0, 0}, {2, 2, 0}, {0, 2, 0},
                                  {0, 0, 2}, {2, 0, 2}, {2, 2, 2}, {0, 2, 2}};
static const double SQUARE[4][3] = {{0, 0, 0}, {2, 0, 0}, {2, 2, 0}, {0, 2, 0}};

// ---- laws; kinks lie at 5e-4

enum { LAWS = 5 };
static real law_at(int law, real d) {
  real x;
  switch (law) {
  case 0: return expl(-d / 3e-5L);
  case 1: return x = (d - 1e-3L) / 1e-4L, expl(-x * x);
  case 2: return fmaxl(0.0L, 1.0L - d / 5e-4L);
  case 3: return d < 5e-4L ? 1.0L : 1e-3L / (d + 5e-4L);
  default: return 1.0L / (d * (1.0L + d * d * 1e6L));
  }
}

typedef struct asked {
  int law;
  const double *slope;
} asked;

// the law, and it times the height along the slope
static void value_at(void *ctx, const double x[3], double d, double *values) {
  const asked *it = ctx;
  values[0] = (double)law_at(it->law, d);
  values[1] = values[0] * (it->slope[0] * x[0] + it->slope[1] * x[1] + it->slope[2] * x[2]);
}

// ---- the reference: int f(d) w(d) dd, cut at the kinks of both and in equal parts of log d

typedef real (*density)(const real *shape, real tau); // area per distance, tau above the least

// Gauss-Legendre with 5 points on [0, 1]
static const real NODE[5] = {0.0469100770306680036L, 0.2307653449471584545L, 0.5L,
                             0.7692346550528415455L, 0.9530899229693319964L};
static const real WEIGHT[5] = {0.1184634425280945438L, 0.2393143352496832340L,
                               0.2844444444444444444L, 0.2393143352496832340L,
                               0.1184634425280945438L};

static void sum_part(int law, density w, const real *shape, real least, real a, real b, int panels,
                     real sums[2]) {
  real ratio = expl(logl((least + b) / (least + a)) / panels), low = least + a;
  for (int j = 0; j < panels; j++, low *= ratio)
    for (int i = 0; i < 5; i++) {
      real d = low + NODE[i] * low * (ratio - 1.0L);
      real term = WEIGHT[i] * low * (ratio - 1.0L) * w(shape, d - least) * law_at(law, d);
      sums[0] += term, sums[1] += term * (d - least);
    }
}

static void sum_all(int law, density w, const real *shape, real least, int breaks, const real *at,
                    real sums[2]) {
  sums[0] = sums[1] = 0.0L;
  for (int k = 0; k + 1 < breaks; k++) {
    real kink = 5e-4L - least, a = at[k], b = at[k + 1];
    if (kink > a && kink < b) {
      sum_part(law, w, shape, least, a, kink, 2000, sums);
      a = kink;
    }
    if (b > a) sum_part(law, w, shape, least, a, b, 4000, sums);
  }
}

// a rectangle whose distance rises by shape[0] and shape[1] along its sides, of area shape[2]
static real rectangle(const real *shape, real tau) {
  real a = fmaxl(shape[0], shape[1]), b = fminl(shape[0], shape[1]);
  if (tau < b) return shape[2] * tau / (a * b);
  return tau < a ? shape[2] / a : shape[2] * fmaxl(0.0L, a + b - tau) / (a * b);
}

// an edge or a sphere (Archimedes): even, shape[0] the whole, shape[1] the rise
static real even(const real *shape, real tau) { return (void)tau, shape[0] / shape[1]; }

static const double ROUND_KINKS = 1e-4; // on round surfaces kinks are followed only so far

static void compare(const carom_body *body, const carom_sight *sight, uint64_t faces, density w,
                    const real *shape, int breaks, const real *at, const char *name) {
  for (int law = 0; law < LAWS; law++) {
    double sums[2] = {0.0, 0.0};
    asked it = {law, sight->slope};
    carom_integrand integrand = {
        .count = 2, .group_count = 1, .group_end = {1}, .value = value_at, .ctx = &it};
    real wanted[2];
    carom_body_integrate(body, sight, faces, &integrand, sums);
    sum_all(law, w, shape, sight->least, breaks, at, wanted);
    // the height along the slope is the distance without its offset
    real height = wanted[1] + (sight->least - sight->offset) * wanted[0];
    double off = (double)fabsl(sums[0] / wanted[0] - 1.0L);
    double moment = (double)(fabsl(sums[1] - height) / (wanted[0] * 2.0L));
    double bound = body->piece_count == 0 && (law == 2 || law == 3) ? ROUND_KINKS : 1e-10;
    if (!(off < bound && moment < bound))
      print_error("%s, law %d, least %g: %.3g, %.3g\n", name, law, sight->least, off, moment);
    CHECK(off < bound && moment < bound);
  }
}

static carom_sight see(const carom_body *body, const double slope[3], double gap,
                       double distances[8]) {
  carom_sight sight = {.slope = {slope[0], slope[1], slope[2]}, .distance = distances};
  (void)carom_body_look(body, &sight);
  sight.offset = gap - sight.least;
  CHECK(carom_body_look(body, &sight));
  return sight;
}

static void make(carom_body *body, carom_arena *arena, carom_body_numbers numbers) {
  carom_error error = {0};
  CHECK(!carom_body_init(body, arena, numbers.shape, numbers.vertex_count, &error));
  CHECK(!carom_body_make(body, &numbers, &error));
}

// at a thousandth of a rest distance of 2 mm: nearly parallel, tilted, on a corner
static const double SLOPES[][2] = {{1e-5, 3e-5}, {1e-3, 2e-4}, {0.3, 0.1}, {0.577, 0.577}};
static const double GAPS[] = {2e-6, 4e-4};

static void flat_faces(void **state) {
  (void)state;
  carom_arena *arena = carom_arena_create(NULL);
  carom_body cube, square;
  double distances[8];
  make(&cube, arena,
       (carom_body_numbers){
           .shape = CAROM_BODY_POLYHEDRON, .vertex_count = 8, .vertices = CUBE, .density = 1});
  make(&square, arena,
       (carom_body_numbers){
           .shape = CAROM_BODY_POLYGON, .vertex_count = 4, .vertices = SQUARE, .density = 1});
  for (size_t s = 0; s < sizeof SLOPES / sizeof *SLOPES; s++)
    for (size_t g = 0; g < sizeof GAPS / sizeof *GAPS; g++) {
      double a = SLOPES[s][0], b = SLOPES[s][1];
      const double in_space[3] = {a, b, sqrt(1.0 - a * a - b * b)};
      carom_sight sight = see(&cube, in_space, GAPS[g], distances);
      const real shape[3] = {2.0L * a, 2.0L * b, 4.0L};
      const real at[4] = {0.0L, fminl(shape[0], shape[1]), fmaxl(shape[0], shape[1]),
                          shape[0] + shape[1]};
      compare(&cube, &sight, (uint64_t)1 << carom_body_face(&cube, "bottom"), rectangle, shape, 4,
              at, "face");
      const double in_plane[3] = {a, sqrt(1.0 - a * a), 0.0};
      carom_sight edge = see(&square, in_plane, GAPS[g], distances);
      const real line[2] = {2.0L, 2.0L * a}, ends[2] = {0.0L, 2.0L * a};
      compare(&square, &edge, (uint64_t)1 << carom_body_face(&square, "bottom"), even, line, 2,
              ends, "edge");
    }
  carom_arena_destroy(arena);
}

static void spheres(void **state) {
  (void)state;
  carom_arena *arena = carom_arena_create(NULL);
  carom_body sphere;
  const double slope[3] = {0.36, 0.48, 0.8};
  make(&sphere, arena,
       (carom_body_numbers){.shape = CAROM_BODY_SPHERE, .radius = 0.5, .density = 1});
  for (size_t g = 0; g < sizeof GAPS / sizeof *GAPS; g++) {
    carom_sight sight = see(&sphere, slope, GAPS[g], NULL);
    const real shape[2] = {PI, 1.0L}, ends[2] = {0.0L, 1.0L};
    compare(&sphere, &sight, 1u, even, shape, 2, ends, "sphere");
  }
  carom_arena_destroy(arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(flat_faces), cmocka_unit_test(spheres)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
