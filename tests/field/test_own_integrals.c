// SPDX-License-Identifier: MIT
// Integrals of laws of one's own that are no powers: ranges much shorter than the distance of rest,
// bands, kinks, jumps, also where a velocity turns round. The reference sums in long double: over
// the distance with the area that has it, or over the angle from the nearest place.
#include "check.h"

#include "field/body.h"
#include "field_motion_help.h"

#include <string.h>

typedef long double real;

static const real PI = 3.14159265358979323846264338327950288L;
static const double CUBE[8][3] = {{0, 0, 0}, {2, 0, 0}, {2, 2, 0}, {0, 2, 0},
                                  {0, 0, 2}, {2, 0, 2}, {2, 2, 2}, {0, 2, 2}};
static const double SQUARE[4][3] = {{0, 0, 0}, {2, 0, 0}, {2, 2, 0}, {0, 2, 0}};

// ---- laws; kinks and jumps lie at 5e-4

enum { LAWS = 6, KINK = 2, JUMP = 5 };
static real law_at(int law, real d) {
  real x;
  switch (law) {
  case 0: return expl(-d / 3e-5L);
  case 1: return x = (d - 1e-3L) / 1e-4L, expl(-x * x);
  case 2: return fmaxl(0.0L, 1.0L - d / 5e-4L);
  case 3: return d < 5e-4L ? 1.0L : 1e-3L / (d + 5e-4L);
  case JUMP: return d < 5e-4L ? 1.0L : 0.2L;
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
  values[2] = d - 5e-4; // zero at the kink
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

// the law summed as one that looks at velocities and as one that does not, against what is wanted
static void compare_law(const carom_body *body, const carom_sight *sight, uint64_t faces, int law,
                        const real wanted[2], const char *name) {
  for (int quadratic = 0; quadratic < 2; quadratic++) {
    double sums[2] = {0.0, 0.0};
    asked it = {law, sight->slope};
    carom_integrand integrand = {.count = 2,
                                 .group_count = 1,
                                 .group_end = {1},
                                 .kinks = 1,
                                 .quadratic = quadratic != 0,
                                 .value = value_at,
                                 .ctx = &it};
    carom_body_integrate(body, sight, faces, &integrand, sums);
    // the height along the slope is the distance without its offset
    real height = wanted[1] + (sight->least - sight->offset) * wanted[0];
    double off = (double)fabsl(sums[0] / wanted[0] - 1.0L);
    double moment = (double)(fabsl(sums[1] - height) / (wanted[0] * 2.0L));
    if (!(off < 1e-10 && moment < 1e-10))
      print_error("%s, law %d, least %g: %.3g, %.3g\n", name, law, sight->least, off, moment);
    CHECK(off < 1e-10 && moment < 1e-10);
  }
}

static void compare(const carom_body *body, const carom_sight *sight, uint64_t faces, density w,
                    const real *shape, int breaks, const real *at, const char *name) {
  for (int law = 0; law < LAWS; law++) {
    real wanted[2];
    sum_all(law, w, shape, sight->least, breaks, at, wanted);
    compare_law(body, sight, faces, law, wanted, name);
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

// ---- round surfaces, by the angle phi from the nearest place: d = least + reach (1 - cos phi)

/// What a line at phi adds: `area` per angle, over distances from d to d + rise.
typedef struct circle {
  real least, reach, rise, area;
  int sines; // powers of sin phi in the area
} circle;

// int_0^rise f(d + x) {1, d + x - least} dx / rise, of the kink and of the jump in closed form
static void along_line(int law, const circle *c, real d, real sums[2]) {
  const real kink = 5e-4L;
  real cut = fminl(fmaxl(kink - d, 0.0L), c->rise), from = d - c->least;
  if (c->rise == 0.0L) {
    sums[0] = law_at(law, d), sums[1] = sums[0] * from;
    return;
  }
  CHECK(law == KINK || law == JUMP);
  // below the kink the law is a - b x; above it is e
  real a = law == KINK ? 1.0L - d / kink : 1.0L, b = law == KINK ? 1.0L / kink : 0.0L;
  real e = law == KINK ? 0.0L : 0.2L, rest = c->rise - cut;
  real one = a * cut - b * cut * cut / 2.0L + e * rest;
  real two = a * cut * cut / 2.0L - b * cut * cut * cut / 3.0L +
             e * (c->rise * c->rise - cut * cut) / 2.0L;
  sums[0] = one / c->rise;
  sums[1] = (two + from * one) / c->rise;
}

static void sum_panel(int law, const circle *c, real a, real b, real sums[2]) {
  for (int i = 0; i < 5; i++) {
    real phi = a + NODE[i] * (b - a), half = sinl(phi / 2.0L), line[2];
    real weight = WEIGHT[i] * (b - a) * c->area;
    for (int k = 0; k < c->sines; k++)
      weight *= sinl(phi);
    along_line(law, c, c->least + 2.0L * c->reach * half * half, line);
    sums[0] += weight * line[0], sums[1] += weight * line[1];
  }
}

// [0, pi] is cut where the law's kink enters and leaves the line, and graded towards 0
static void sum_circle(int law, const circle *c, real sums[2]) {
  real at[4] = {0.0L, PI, PI, PI};
  int count = 1;
  for (int end = 1; end >= 0; end--) {
    real x = (5e-4L - c->least - (end ? c->rise : 0.0L)) / (2.0L * c->reach);
    if (x > 0.0L && x < 1.0L) at[count++] = 2.0L * asinl(sqrtl(x));
  }
  if (count == 3 && at[2] < at[1]) at[3] = at[1], at[1] = at[2], at[2] = at[3];
  at[count] = PI;
  sums[0] = sums[1] = 0.0L;
  for (int k = 0; k < count; k++) {
    const int panels = 2500;
    real low = at[k] > 0.0L ? at[k] : 1e-7L, ratio = powl(at[k + 1] / low, 1.0L / panels);
    if (at[k] == 0.0L) sum_panel(law, c, 0.0L, low, sums);
    for (int j = 0; j < panels; j++, low *= ratio)
      sum_panel(law, c, low, low * ratio, sums);
  }
}

static void compare_circle(const carom_body *body, const carom_sight *sight, uint64_t faces,
                           circle c, const char *name) {
  for (int law = 0; law < LAWS; law++) {
    real wanted[2];
    if (c.rise > 0.0L && law != KINK && law != JUMP) continue;
    sum_circle(law, &c, wanted);
    // moments are wanted from the least distance of the body
    wanted[1] += (c.least - sight->least) * wanted[0];
    compare_law(body, sight, faces, law, wanted, name);
  }
}

static void discs_and_cylinders(void **state) {
  (void)state;
  carom_arena *arena = carom_arena_create(NULL);
  carom_body disc, cylinder;
  const real R = 0.5L, L = 2.0L;
  make(&disc, arena, (carom_body_numbers){.shape = CAROM_BODY_DISC, .radius = 0.5, .density = 1});
  make(&cylinder, arena,
       (carom_body_numbers){
           .shape = CAROM_BODY_CYLINDER, .radius = 0.5, .length = 2.0, .density = 1});
  for (size_t g = 0; g < sizeof GAPS / sizeof *GAPS; g++) {
    const double in_plane[3] = {0.6, 0.8, 0.0};
    carom_sight rim = see(&disc, in_plane, GAPS[g], NULL);
    compare_circle(&disc, &rim, 1u, (circle){rim.least, R, 0.0L, 2.0L * R, 0}, "disc");
    // lying, nearly lying, tilted
    static const double tilts[] = {0.0, 1e-4, 0.3};
    for (size_t k = 0; k < sizeof tilts / sizeof *tilts; k++) {
      double t = tilts[k], across = sqrt(1.0 - t * t);
      const double slope[3] = {0.6 * across, 0.8 * across, t};
      carom_sight sight = see(&cylinder, slope, GAPS[g], NULL);
      circle side = {sight.least, R * (real)across, L * t, 2.0L * R * L, 0};
      compare_circle(&cylinder, &sight, 1u, side, "side");
      circle end = {sight.least, R * (real)across, 0.0L, 2.0L * R * R, 2};
      compare_circle(&cylinder, &sight, 2u, end, "end");
    }
  }
  carom_arena_destroy(arena);
}

// ---- where a velocity turns round: |w . x - at| times the law

typedef struct turning {
  int law;
  double w[3], at;
} turning;

static void turning_at(void *ctx, const double x[3], double d, double *values) {
  const turning *it = ctx;
  double speed = it->w[0] * x[0] + it->w[1] * x[1] + it->w[2] * x[2] - it->at;
  values[0] = (double)law_at(it->law, d) * fabs(speed);
  values[1] = speed;
  values[2] = d - 5e-4;
}

static void compare_turning(const carom_body *body, const carom_sight *sight, uint64_t faces,
                            turning it, real wanted, const char *name) {
  double sum = 0.0;
  carom_integrand integrand = {
      .count = 1, .group_count = 1, .group_end = {1}, .kinks = 2, .value = turning_at, .ctx = &it};
  carom_body_integrate(body, sight, faces, &integrand, &sum);
  double off = (double)fabsl(sum / wanted - 1.0L);
  if (!(off < 1e-10)) print_error("%s, law %d: %.3g\n", name, it.law, off);
  CHECK(off < 1e-10);
}

// On a sphere |w . x| with w across is r sin(phi) |cos psi|, whose mean around a ring is 2/pi; on a
// face that rises along y, |x - 0.3| stands by itself.
static void velocities_turn(void **state) {
  (void)state;
  carom_arena *arena = carom_arena_create(NULL);
  carom_body sphere, cube;
  double distances[8];
  make(&sphere, arena,
       (carom_body_numbers){.shape = CAROM_BODY_SPHERE, .radius = 0.5, .density = 1});
  make(&cube, arena,
       (carom_body_numbers){
           .shape = CAROM_BODY_POLYHEDRON, .vertex_count = 8, .vertices = CUBE, .density = 1});
  for (int law = 0; law < LAWS; law++) {
    const double slope[3] = {0.36, 0.48, 0.8}, rising[3] = {0.0, 0.2, sqrt(0.96)};
    carom_sight sight = see(&sphere, slope, 4e-4, NULL);
    circle rings = {sight.least, 0.5L, 0.0L, 4.0L * 0.125L, 2};
    real wanted[2];
    sum_circle(law, &rings, wanted);
    compare_turning(&sphere, &sight, 1u, (turning){law, {0.8, -0.6, 0.0}, 0.0}, wanted[0],
                    "sphere");
    sight = see(&cube, rising, 4e-4, distances);
    const real line[2] = {2.0L, 0.4L}, ends[2] = {0.0L, 0.4L};
    sum_all(law, even, line, sight.least, 2, ends, wanted);
    compare_turning(&cube, &sight, (uint64_t)1 << carom_body_face(&cube, "bottom"),
                    (turning){law, {1.0, 0.0, 0.0}, 0.3}, wanted[0] * (1.69L + 0.49L) / 2.0L,
                    "face");
  }
  carom_arena_destroy(arena);
}

// ---- from a scenario: kinks are read off the expressions

// A sphere at the distance 4e-4: the area below the distance D is 2 pi r (D - 4e-4), and |w y| over
// the whole is 2 pi r^3 w.
static void laws_of_scenarios(void **state) {
  (void)state;
  const double pi = 3.14159265358979323846, r = 0.5, D = 5e-4, gap = 4e-4, P = 1e7;
  const struct {
    const char *law;
    double force;
  } cases[] = {
      {"normal: '1e7*max(0, 1 - d/5e-4)'", P * 2.0 * pi * r * (D - gap) * (D - gap) / (2.0 * D)},
      {"normal: '1e7*if(d < 5e-4, 1, 0)'", P * 2.0 * pi * r * (D - gap)},
      {"normal: '1e7*min(0.1, max(0, 1 - d/5e-4))'",
       P * 2.0 * pi * r * (0.1 * (0.9 * D - gap) + 0.1 * 0.1 * D / 2.0)},
      {"normal: 40*abs(vn)", 40.0 * 3.0 * 2.0 * pi * r * r * r},
      {"normal: 40*abs(abs(vn) - 0.75)", 40.0 * 0.375 * pi}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    char text[400];
    (void)snprintf(
        text, sizeof text,
        "engine: field\nbody: {sphere: 0.5}\ngravity: 0\nfields: {mine: {law: own, %s}}\n"
        "start: {gap: 4e-4, angular: [3, 0, 0]}\nrun: {until: 1}\n",
        cases[k].law);
    motion it = motion_text(text);
    double mass = 1000.0 * 4.0 / 3.0 * pi * r * r * r;
    double off = motion_get(&it, "z''") * mass / cases[k].force - 1.0;
    if (!(fabs(off) < 1e-10)) print_error("%s: %.3g\n", cases[k].law, off);
    CHECK(fabs(off) < 1e-10);
    motion_end(&it);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(flat_faces), cmocka_unit_test(spheres),
                                     cmocka_unit_test(discs_and_cylinders),
                                     cmocka_unit_test(velocities_turn),
                                     cmocka_unit_test(laws_of_scenarios)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
