// SPDX-License-Identifier: MIT
// The surface integrals of soft spheres, discs and cylinders against references of another kind in
// long double: where the surface grows by |C m|, C the cofactor of the deformation, all moments of
// d^-nu and the integrals of directions keep ten digits, from afar to a thousandth of a rest
// distance.
#include "check.h"

#include "field/body.h"
#include "field/matrix3.h"

#include <string.h>

typedef long double real;

enum { EXPONENTS = 10, TERMS = 16, MOST = 320 }; // 1; x; x x^T; m m^T/k
static const double EXPONENT[EXPONENTS] = {0, 1, 2, 3, 4, 6, 8, 12, 2.5, 7.3};
static const int FIRST[6] = {0, 1, 2, 0, 0, 1}, SECOND[6] = {0, 1, 2, 1, 2, 2};
static const double RADIUS = 0.5, REST = 0.002;
static const real PI = 3.14159265358979323846264338327950288L;

static real dot(const real *a, const real *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

// an orthonormal frame, its first axis towards the plane
static void make_frame(const double slope[3], real frame[3][3], real *length) {
  real n[3] = {slope[0], slope[1], slope[2]}, other[3] = {0.0L, 0.0L, 0.0L};
  *length = sqrtl(dot(n, n));
  int away = 0;
  for (int k = 1; k < 3; k++)
    if (fabsl(n[k]) < fabsl(n[away])) away = k;
  other[away] = 1.0L;
  for (int k = 0; k < 3; k++)
    frame[0][k] = -n[k] / *length;
  for (int k = 0; k < 3; k++)
    frame[1][k] = other[k] - frame[0][away] * frame[0][k];
  real across = sqrtl(dot(frame[1], frame[1]));
  for (int k = 0; k < 3; k++)
    frame[1][k] /= across;
  for (int k = 0; k < 3; k++)
    frame[2][k] = frame[0][(k + 1) % 3] * frame[1][(k + 2) % 3] -
                  frame[0][(k + 2) % 3] * frame[1][(k + 1) % 3];
}

// means over the ring at the height v = 1 - cos(angle from the nearest point)
static void ring_means(const double C[9], real frame[3][3], real v, int around, real turn[MOST][2],
                       real means[TERMS]) {
  real sine = sqrtl(v * (2.0L - v)), cosine = 1.0L - v;
  memset(means, 0, TERMS * sizeof *means);
  for (int j = 0; j < around; j++) {
    real m[3], w[3], a = sine * turn[j][0], b = sine * turn[j][1];
    for (int k = 0; k < 3; k++)
      m[k] = cosine * frame[0][k] + a * frame[1][k] + b * frame[2][k];
    for (int k = 0; k < 3; k++)
      w[k] = C[3 * k] * m[0] + C[3 * k + 1] * m[1] + C[3 * k + 2] * m[2];
    real grown = sqrtl(dot(w, w)) / around, r = RADIUS;
    means[0] += grown;
    for (int k = 0; k < 3; k++)
      means[1 + k] += grown * r * m[k];
    for (int k = 0; k < 6; k++) {
      real square = m[FIRST[k]] * m[SECOND[k]];
      means[4 + k] += grown * r * r * square;
      means[10 + k] += square / (grown * around * around);
    }
  }
}

// The area is spread evenly over v, the distance least + r |slope| v: the logarithm of the distance
// from its least to its greatest takes a tanh-sinh rule (Takahasi & Mori 1974), the ring equispaced
// points.
static void reference(const double C[9], const carom_sight *sight, int half, int around,
                      real sums[EXPONENTS][TERMS]) {
  real frame[3][3], slope, least = sight->least, means[TERMS], turn[MOST][2];
  for (int j = 0; j < around; j++) {
    turn[j][0] = cosl(2.0L * PI * j / around);
    turn[j][1] = sinl(2.0L * PI * j / around);
  }
  make_frame(sight->slope, frame, &slope);
  real scale = least / (RADIUS * slope), length = log1pl(2.0L / scale);
  memset(sums, 0, EXPONENTS * sizeof *sums);
  for (int i = -half; i <= half; i++) {
    real step = 3.3L / half, u = step * i, from = 0.5L * PI * sinhl(u);
    real part = 1.0L / (1.0L + expl(-2.0L * from)), y = length * part;
    real weight = step * length * 0.25L * PI * coshl(u) / (coshl(from) * coshl(from));
    real v = fminl(scale * expm1l(y), 2.0L), d = least * expl(y);
    ring_means(C, frame, v, around, turn, means);
    real area = 2.0L * PI * RADIUS * RADIUS * weight * scale * expl(y);
    for (int e = 0; e < EXPONENTS; e++) {
      real term = area * powl(d, -EXPONENT[e]);
      for (int k = 0; k < TERMS; k++)
        sums[e][k] += term * means[k];
    }
  }
}

// what a term is a part of: the whole of its kind
static real whole_of(const real *sum, int k) {
  return k < 10 ? sum[0] : sum[10] + sum[11] + sum[12];
}

// the largest difference, in parts of the whole
static double worst_of(const carom_body *body, const carom_sight *sight,
                       real sums[EXPONENTS][TERMS]) {
  double worst = 0.0;
  for (int e = 0; e < EXPONENTS; e++) {
    carom_moments m = {0};
    double directions[6] = {0.0};
    carom_body_moments(body, sight, EXPONENT[e], 2, ~(uint64_t)0, &m);
    carom_body_directions(body, sight, EXPONENT[e], ~(uint64_t)0, directions);
    const real *sum = sums[e];
    worst = fmax(worst, (double)fabsl(m.zero / sum[0] - 1.0L));
    for (int k = 0; k < 3; k++)
      worst = fmax(worst, (double)fabsl((m.one[k] - sum[1 + k]) / (RADIUS * sum[0])));
    for (int k = 0; k < 6; k++) {
      worst = fmax(worst, (double)fabsl((m.two[k] - sum[4 + k]) / (RADIUS * RADIUS * sum[0])));
      worst = fmax(worst, (double)fabsl((directions[k] - sum[10 + k]) / whole_of(sum, 10)));
    }
  }
  return worst;
}

// a body in sight of a plane at the distance `gap`
static carom_sight see(carom_body *body, carom_arena *arena, carom_body_shape shape,
                       const double C[9], const double slope[3], double gap) {
  carom_error error = {0};
  carom_body_numbers numbers = {.shape = shape, .radius = RADIUS, .length = 1, .density = 1};
  CHECK(!carom_body_init(body, arena, shape, 0, &error));
  CHECK(!carom_body_make(body, &numbers, &error));
  carom_sight sight = {.slope = {slope[0], slope[1], slope[2]}, .cofactor = C};
  (void)carom_body_look(body, &sight);
  sight.offset = gap - sight.least;
  CHECK(carom_body_look(body, &sight));
  return sight;
}

static void check_sphere(const char *name, const double C[9], const double slope[3], double gap,
                         int half, int around) {
  carom_arena *arena = carom_arena_create(NULL);
  carom_body body;
  carom_sight sight = see(&body, arena, CAROM_BODY_SPHERE, C, slope, gap);
  // the reference knows itself by fewer points
  real fine[EXPONENTS][TERMS], rough[EXPONENTS][TERMS], own = 0.0L;
  reference(C, &sight, half, around, fine);
  reference(C, &sight, half * 3 / 4, around * 3 / 4, rough);
  for (int e = 0; e < EXPONENTS; e++)
    for (int k = 0; k < TERMS; k++)
      own = fmaxl(own, fabsl(fine[e][k] - rough[e][k]) / whole_of(fine[e], k));
  double worst = worst_of(&body, &sight, fine);
  if (!(own < 1e-13L && worst < 1e-11))
    print_error("%s, gap %g: %.3g, the reference %.3Lg\n", name, gap, worst, own);
  CHECK(own < 1e-13L && worst < 1e-11);
  carom_arena_destroy(arena);
}

// deformations F and how many points the reference takes: half of its rings, each
static const struct {
  const char *name;
  double F[9];
  int half, around;
} DEFORMATIONS[] = {
    {"none", {1, 0, 0, 0, 1, 0, 0, 0, 1}, 80, 80},
    {"slight", {1.0001, 2e-4, 0, 0, 0.9999, 1e-4, 3e-4, 0, 1}, 80, 80},
    {"usual", {1.1, 0.1, 0, -0.2, 0.9, 0.1, 0.05, 0, 1.02}, 100, 120},
    {"flat", {1.4142135623730951, 0, 0, 0, 1.4142135623730951, 0, 0, 0, 0.5}, 160, 160},
    {"long", {0.7, 0, 0.1, 0, 0.7, 0.2, 0.3, 0, 2.1}, 120, 160},
    {"sheared", {1, 2, 0.5, 0, 1, 1, 0, 0, 1}, 160, 320},
    {"very flat", {2, 0, 0, 0, 2, 0, 0, 0, 0.25}, 440, 320},
    {"very long", {0.5, 0, 0, 0, 0.5, 0, 0, 0, 4}, 160, 320},
};

static void spheres_of_ten_digits(void **state) {
  (void)state;
  const double normals[][3] = {{0, 0, 1}, {0.36, 0.48, 0.8}};
  const double gaps[] = {100, 1, 1e-1, 1e-2, 1e-3};
  for (size_t k = 0; k < sizeof DEFORMATIONS / sizeof *DEFORMATIONS; k++)
    for (size_t n = 0; n < sizeof normals / sizeof *normals; n++)
      for (size_t g = 0; g < sizeof gaps / sizeof *gaps; g++) {
        double C[9], slope[3];
        (void)carom_cofactor3(DEFORMATIONS[k].F, C);
        carom_m3_transposed(DEFORMATIONS[k].F, normals[n], slope);
        check_sphere(DEFORMATIONS[k].name, C, slope, gaps[g] * REST, DEFORMATIONS[k].half,
                     DEFORMATIONS[k].around);
      }
}

// ---- discs, and the sides of cylinders that lie along the plane

enum { RING_TERMS = 9 }; // 1; x, y; xx, yy, xy; mm/k

// both halves of the circle, with v and 2 - v each from the end where it is small
static void ring_reference(const double C[9], const carom_sight *sight, int half,
                           real sums[EXPONENTS][RING_TERMS]) {
  real frame[3][3], slope, least = sight->least;
  make_frame(sight->slope, frame, &slope);
  // along the ring at its nearest point
  real across[3] = {-frame[0][1], frame[0][0], 0.0L};
  real scale = least / (RADIUS * slope), length = log1pl(2.0L / scale), r = RADIUS;
  memset(sums, 0, EXPONENTS * sizeof *sums);
  for (int i = -half; i <= 3 * half + 1; i++) {
    bool left = i > half;
    real step = 4.2L / half, u = step * (left ? i - 2 * half - 1 : i), from = 0.5L * PI * sinhl(u);
    real y = length / (1.0L + expl(-2.0L * from)), rest = length / (1.0L + expl(2.0L * from));
    real v = scale * expm1l(y), other = -(2.0L + scale) * expm1l(-rest), d = least * expl(y);
    real weight = step * length * 0.25L * PI * coshl(u) / (coshl(from) * coshl(from)) * r * scale *
                  expl(y) / sqrtl(v * other);
    real m[3], w[3], sine = (left ? -1.0L : 1.0L) * sqrtl(v * other), cosine = 0.5L * (other - v);
    for (int k = 0; k < 3; k++)
      m[k] = cosine * frame[0][k] + sine * across[k];
    for (int k = 0; k < 3; k++)
      w[k] = C[3 * k] * m[0] + C[3 * k + 1] * m[1];
    real k = sqrtl(dot(w, w)), xx = m[0] * m[0], yy = m[1] * m[1], xy = m[0] * m[1];
    real terms[RING_TERMS] = {
        k,      k * r * m[0], k * r * m[1], k * r * r * xx, k * r * r * yy, k * r * r * xy,
        xx / k, yy / k,       xy / k};
    for (int e = 0; e < EXPONENTS; e++) {
      real term = weight * powl(d, -EXPONENT[e]);
      for (int j = 0; j < RING_TERMS; j++)
        sums[e][j] += term * terms[j];
    }
  }
}

static double worst_of_ring(const carom_body *body, const carom_sight *sight,
                            real sums[EXPONENTS][RING_TERMS], real rough[EXPONENTS][RING_TERMS],
                            real *own) {
  real worst = 0.0L;
  for (int e = 0; e < EXPONENTS; e++) {
    carom_moments m = {0};
    double D[6] = {0.0};
    carom_body_moments(body, sight, EXPONENT[e], 2, 1u, &m);
    carom_body_directions(body, sight, EXPONENT[e], 1u, D);
    double found[RING_TERMS] = {m.zero,   m.one[0], m.one[1], m.two[0], m.two[1],
                                m.two[3], D[0],     D[1],     D[3]};
    for (int j = 0; j < RING_TERMS; j++) {
      real unit = j == 0 ? 1.0L : j < 3 ? RADIUS : RADIUS * RADIUS;
      real whole = j < 6 ? sums[e][0] * unit : sums[e][6] + sums[e][7];
      *own = fmaxl(*own, fabsl(sums[e][j] - rough[e][j]) / whole);
      worst = fmaxl(worst, fabsl(sums[e][j] - found[j]) / whole);
    }
  }
  return (double)worst;
}

// a disc and the side of a cylinder of length 1 are the same
static void check_ring(const char *name, const double C[9], const double slope[3], double gap,
                       int half) {
  const carom_body_shape shapes[] = {CAROM_BODY_DISC, CAROM_BODY_CYLINDER};
  real fine[EXPONENTS][RING_TERMS], rough[EXPONENTS][RING_TERMS], own = 0.0L;
  for (int k = 0; k < 2; k++) {
    carom_arena *arena = carom_arena_create(NULL);
    carom_body body;
    carom_sight sight = see(&body, arena, shapes[k], C, slope, gap);
    if (k == 0) {
      ring_reference(C, &sight, half, fine);
      ring_reference(C, &sight, half * 3 / 4, rough);
    }
    double worst = worst_of_ring(&body, &sight, fine, rough, &own);
    if (!(own < 1e-13L && worst < 1e-11))
      print_error("%s, gap %g: %.3g, the reference %.3Lg\n", name, gap, worst, own);
    CHECK(own < 1e-13L && worst < 1e-11);
    carom_arena_destroy(arena);
  }
}

static void rings_of_ten_digits(void **state) {
  (void)state;
  const struct {
    const char *name;
    double F[9];
    int half;
  } deformations[] = {{"slight", {1.001, 0, 0, 0.001, 0.999, 0, 0, 0, 1}, 160},
                      {"flat", {1.5, 0, 0, 0, 0.66, 0, 0, 0, 1}, 240},
                      {"sheared", {1, 1.5, 0, 0, 1, 0, 0, 0, 1}, 240},
                      {"very flat", {4, 0, 0, 0, 0.25, 0, 0, 0, 1}, 1300},
                      {"flattest", {4.9, 0, 0, 0, 1 / 4.9, 0, 0, 0, 1}, 2000},
                      {"very high", {0.3, 0.1, 0, 0, 3, 0, 0, 0, 1}, 240}};
  const double normals[][3] = {{0, 1, 0}, {0.6, 0.8, 0}}, gaps[] = {100, 1, 1e-1, 1e-3};
  for (size_t k = 0; k < sizeof deformations / sizeof *deformations; k++)
    for (size_t n = 0; n < sizeof normals / sizeof *normals; n++)
      for (size_t g = 0; g < sizeof gaps / sizeof *gaps; g++) {
        double C[9], slope[3], gap = gaps[g] * REST;
        (void)carom_cofactor3(deformations[k].F, C);
        carom_m3_transposed(deformations[k].F, normals[n], slope);
        check_ring(deformations[k].name, C, slope, gap, deformations[k].half);
      }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(spheres_of_ten_digits),
                                     cmocka_unit_test(rings_of_ten_digits)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
