// SPDX-License-Identifier: MIT
// The surface integrals of soft cylinders in any posture against brute force in long double: side
// and ends by tanh-sinh rules (Takahasi & Mori 1974) in the logarithm of the distance, around the
// cylinder and along it.
#include "check.h"

#include "field/body.h"
#include "field/matrix3.h"

#include <string.h>

typedef long double real;

enum { EXPONENTS = 7, TERMS = 16, FACES = 3 }; // 1; x; x x^T; m m^T/k; side and ends
static const double EXPONENT[EXPONENTS] = {0, 1, 2, 3, 6, 8, 2.5};
static const int FIRST[6] = {0, 1, 2, 0, 0, 1}, SECOND[6] = {0, 1, 2, 1, 2, 2};
static const real RADIUS = 0.5L, LENGTH = 1.0L, PI = 3.14159265358979323846264338327950288L;
static const double REST = 0.002;

static real power(int e, real d) {
  real u = 1.0L / d, u3 = u * u * u;
  const real whole[EXPONENTS - 1] = {1.0L, u, u * u, u3, u3 * u3, u3 * u3 * u * u};
  return e < EXPONENTS - 1 ? whole[e] : u * u * sqrtl(u);
}

// one node of a rule over distances from `least` to least + 2 reach, half of them from each end
typedef struct node {
  real v, other, d, weight; // d = least + reach v, other = 2 - v; weight of dv
} node;

static node node_at(int i, int half, real widest, real least, real reach) {
  real step = widest / half, u = step * i, from = 0.5L * PI * sinhl(u), scale = least / reach;
  real length = log1pl(2.0L / scale);
  real y = length / (1.0L + expl(-2.0L * from)), rest = length / (1.0L + expl(2.0L * from));
  node it = {.v = scale * expm1l(y), .other = -(2.0L + scale) * expm1l(-rest)};
  it.d = least * expl(y);
  it.weight = step * length * 0.25L * PI * coshl(u) / (coshl(from) * coshl(from)) * scale * expl(y);
  return it;
}

typedef struct view {
  double C[9]; // cofactor
  real e[3], f[3], reach, tilt, least;
} view;

static real growth(const view *it, const real m[3]) {
  real sum = 0.0L;
  for (int i = 0; i < 3; i++) {
    real w = it->C[3 * i] * m[0] + it->C[3 * i + 1] * m[1] + it->C[3 * i + 2] * m[2];
    sum += w * w;
  }
  return sqrtl(sum);
}

// int d^-nu z^j dz along a line of the side whose nearer end is at the distance `near`
static void line_moments(const view *it, real near, int half, real Z[EXPONENTS][3]) {
  real half_length = 0.5L * LENGTH, down = it->tilt > 0.0L ? -1.0L : 1.0L;
  memset(Z, 0, EXPONENTS * sizeof *Z);
  for (int i = -half; i <= half; i++) {
    node n = node_at(i, half, 3.4L, near, fabsl(it->tilt));
    real z = down * half_length * (1.0L - n.v);
    for (int e = 0; e < EXPONENTS; e++) {
      real term = half_length * n.weight * power(e, n.d);
      Z[e][0] += term, Z[e][1] += term * z, Z[e][2] += term * z * z;
    }
  }
}

static void add_terms(real sums[TERMS], const real x[3], const real square[6], const real m[3],
                      real k, real weight) {
  sums[0] += k * weight;
  for (int j = 0; j < 3; j++)
    sums[1 + j] += k * weight * x[j];
  for (int j = 0; j < 6; j++) {
    sums[4 + j] += k * weight * square[j];
    sums[10 + j] += weight * m[FIRST[j]] * m[SECOND[j]] / k;
  }
}

static void side_reference(const view *it, int around, int along, real sums[EXPONENTS][TERMS]) {
  memset(sums, 0, EXPONENTS * sizeof *sums);
  for (int i = -around; i <= around; i++) {
    node n = node_at(i, around, 4.2L, it->least, it->reach);
    real cosine = 0.5L * (n.other - n.v), sine = sqrtl(n.v * n.other), Z[EXPONENTS][3];
    line_moments(it, n.d, along, Z);
    for (int left = 0; left < 2; left++) {
      real m[3], k, arc = RADIUS * n.weight / sine;
      for (int j = 0; j < 3; j++)
        m[j] = cosine * it->e[j] + (left ? -sine : sine) * it->f[j];
      k = growth(it, m);
      for (int e = 0; e < EXPONENTS; e++) {
        // means over the line: x = R m + z axis
        real z = Z[e][1] / Z[e][0], zz = Z[e][2] / Z[e][0];
        const real x[3] = {RADIUS * m[0], RADIUS * m[1], z};
        const real square[6] = {x[0] * x[0], x[1] * x[1], zz, x[0] * x[1], x[0] * z, x[1] * z};
        add_terms(sums[e], x, square, m, k, arc * Z[e][0]);
      }
    }
  }
}

// chords at one distance each
static void end_reference(const view *it, real side, int half, real sums[EXPONENTS][TERMS]) {
  const real m[3] = {0.0L, 0.0L, side};
  real k = growth(it, m), z = 0.5L * side * LENGTH;
  real least = it->least + fabsl(it->tilt) + side * it->tilt;
  memset(sums, 0, EXPONENTS * sizeof *sums);
  for (int i = -half; i <= half; i++) {
    node n = node_at(i, half, 4.2L, least, it->reach);
    real c = RADIUS * 0.5L * (n.other - n.v), h = RADIUS * sqrtl(n.v * n.other);
    real x[3] = {c * it->e[0], c * it->e[1], z}, square[6];
    for (int j = 0; j < 6; j++)
      square[j] = x[FIRST[j]] * x[SECOND[j]] + h * h / 3.0L * it->f[FIRST[j]] * it->f[SECOND[j]];
    for (int e = 0; e < EXPONENTS; e++)
      add_terms(sums[e], x, square, m, k, RADIUS * n.weight * 2.0L * h * power(e, n.d));
  }
}

// the largest difference in parts of the whole
static double compare(const real a[TERMS], const real b[TERMS]) {
  real worst = 0.0L, whole = a[0], directions = a[10] + a[11] + a[12];
  for (int j = 0; j < TERMS; j++)
    worst = fmaxl(worst, fabsl(a[j] - b[j]) / (j < 10 ? whole : directions));
  return (double)worst;
}

static double compare_own(const carom_body *body, const carom_sight *sight, int face,
                          real sums[EXPONENTS][TERMS]) {
  double worst = 0.0;
  for (int e = 0; e < EXPONENTS; e++) {
    carom_moments m = {0};
    real found[TERMS];
    double D[6] = {0.0};
    carom_body_moments(body, sight, EXPONENT[e], 2, (uint64_t)1 << face, &m);
    carom_body_directions(body, sight, EXPONENT[e], (uint64_t)1 << face, D);
    found[0] = m.zero;
    for (int j = 0; j < 3; j++)
      found[1 + j] = m.one[j];
    for (int j = 0; j < 6; j++)
      found[4 + j] = m.two[j], found[10 + j] = D[j];
    worst = fmax(worst, compare(sums[e], found));
  }
  return worst;
}

static view view_of(const double F[9], const double normal[3], double gap, carom_sight *sight,
                    const carom_body *body) {
  view it = {.least = gap};
  (void)carom_cofactor3(F, it.C);
  carom_m3_transposed(F, normal, sight->slope);
  sight->offset = 0.0;
  (void)carom_body_look(body, sight);
  sight->offset = gap - sight->least;
  CHECK(carom_body_look(body, sight));
  it.least = sight->least;
  real across = hypotl(sight->slope[0], sight->slope[1]);
  it.reach = RADIUS * across;
  it.tilt = 0.5L * LENGTH * sight->slope[2];
  it.e[0] = -sight->slope[0] / across, it.e[1] = -sight->slope[1] / across;
  it.f[0] = -it.e[1], it.f[1] = it.e[0];
  return it;
}

typedef struct shape {
  const char *name;
  double F[9];
  int around; // points of the reference on half a circle
} shape;

static const shape SHAPES[] = {
    {"none", {1, 0, 0, 0, 1, 0, 0, 0, 1}, 100},
    {"usual", {1.1, 0.1, 0, -0.2, 0.9, 0.1, 0.05, 0, 1.02}, 120},
    {"flat", {1.5, 0, 0, 0, 0.8, 0, 0.1, 0, 0.83}, 160},
    {"sheared", {1, 1.5, 0.5, 0, 1, 1, 0, 0, 1}, 240},
    {"very flat", {4, 0, 0, 0, 0.25, 0, 0, 0.3, 1}, 1200},
};
// tilted much and little, nearly lying, nearly upright
static const double NORMALS[][3] = {{0.36, 0.48, 0.8}, {0.8, 0, -0.6}, {0, 1, 1e-3}, {1e-3, 0, 1}};
static const double GAPS[] = {100, 1, 1e-3}; // in rest distances

static void check_posture(const shape *s, const double normal[3], double gap) {
  carom_arena *arena = carom_arena_create(NULL);
  carom_body body;
  carom_error error = {0};
  carom_body_numbers numbers = {
      .shape = CAROM_BODY_CYLINDER, .radius = 0.5, .length = 1, .density = 1};
  CHECK(!carom_body_init(&body, arena, CAROM_BODY_CYLINDER, 0, &error));
  CHECK(!carom_body_make(&body, &numbers, &error));
  carom_sight sight = {0};
  view v = view_of(s->F, normal, gap, &sight, &body);
  sight.cofactor = v.C;
  for (int face = 0; face < FACES; face++) {
    real fine[EXPONENTS][TERMS], rough[EXPONENTS][TERMS];
    double own = 0.0;
    if (face == 0) {
      side_reference(&v, s->around, 48, fine);
      side_reference(&v, s->around * 4 / 5, 40, rough);
    } else {
      end_reference(&v, face == 1 ? -1.0L : 1.0L, 160, fine);
      end_reference(&v, face == 1 ? -1.0L : 1.0L, 120, rough);
    }
    for (int e = 0; e < EXPONENTS; e++)
      own = fmax(own, compare(fine[e], rough[e]));
    double worst = compare_own(&body, &sight, face, fine);
    if (!(own < 1e-12 && worst < 1e-11))
      print_error("%s, face %d, normal %g %g %g, gap %g: %.3g, the reference %.3g\n", s->name, face,
                  normal[0], normal[1], normal[2], gap, worst, own);
    CHECK(own < 1e-12 && worst < 1e-11);
  }
  carom_arena_destroy(arena);
}

static void ten_digits_in_any_posture(void **state) {
  (void)state;
  for (size_t k = 0; k < sizeof SHAPES / sizeof *SHAPES; k++)
    for (size_t n = 0; n < sizeof NORMALS / sizeof *NORMALS; n++)
      for (size_t g = 0; g < sizeof GAPS / sizeof *GAPS; g++)
        // the reference of the flattest one takes long: near the plane, where it is hardest
        if (SHAPES[k].around < 1000 || GAPS[g] < 1.0)
          check_posture(&SHAPES[k], NORMALS[n], GAPS[g] * REST);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(ten_digits_in_any_posture)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
