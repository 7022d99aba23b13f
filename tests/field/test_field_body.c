// SPDX-License-Identifier: MIT
// Bodies: hulls, mass, centre, Euler tensor against closed forms; moments of whole surfaces against
// points spread over them; what plain quadrature would have done.
#include "check.h"

#include "carom/simulation.h"
#include "field/body.h"

#include <string.h>

typedef struct made {
  carom_arena *arena;
  carom_body body;
} made;

static made make(carom_body_numbers numbers) {
  made it = {.arena = carom_arena_create(NULL)};
  carom_error error = {0};
  CHECK(!carom_body_init(&it.body, it.arena, numbers.shape, numbers.vertex_count, &error));
  carom_status status = carom_body_make(&it.body, &numbers, &error);
  if (status) print_error("%s\n", error.text);
  CHECK(!status);
  return it;
}

static const double CUBE[8][3] = {{0, 0, 0}, {2, 0, 0}, {2, 2, 0}, {0, 2, 0},
                                  {0, 0, 2}, {2, 0, 2}, {2, 2, 2}, {0, 2, 2}};
static const double TETRAHEDRON[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
static const double TRIANGLE[3][3] = {{0, 0, 0}, {0, 3, 0}, {3, 0, 0}};

static void cube(void **state) {
  (void)state;
  made it = make((carom_body_numbers){
      .shape = CAROM_BODY_POLYHEDRON, .vertex_count = 8, .vertices = CUBE, .density = 3});
  CHECK(it.body.face_count == 6 && it.body.piece_count == 12);
  CHECK_RELATIVE(it.body.volume, 8.0, 1e-14);
  CHECK_RELATIVE(it.body.area, 24.0, 1e-14);
  CHECK_RELATIVE(it.body.mass, 24.0, 1e-14);
  for (int k = 0; k < 3; k++) {
    CHECK_RELATIVE(it.body.centre[k], 1.0, 1e-14);
    CHECK_RELATIVE(it.body.euler[k], 24.0 * 4.0 / 12.0, 1e-13);
    CHECK_NEAR(it.body.euler[3 + k], 0.0, 1e-12);
  }
  CHECK(carom_body_face(&it.body, "bottom") >= 0 && carom_body_face(&it.body, "side") < 0);
  carom_arena_destroy(it.arena);
}

// rho = 1 + 2x over the unit tetrahedron: integrals of monomials are a! b! c!/(a+b+c+3)!
static void density_that_changes(void **state) {
  (void)state;
  made it = make((carom_body_numbers){.shape = CAROM_BODY_POLYHEDRON,
                                      .vertex_count = 4,
                                      .vertices = TETRAHEDRON,
                                      .density = 1,
                                      .density_gradient = {2, 0, 0}});
  double mass = 1.0 / 6 + 2.0 / 24, x = 1.0 / 24 + 2 * 2.0 / 120, y = 1.0 / 24 + 2 * 1.0 / 120;
  double xx = 2.0 / 120 + 2 * 6.0 / 720, yz = 1.0 / 120 + 2 * 1.0 / 720;
  CHECK_RELATIVE(it.body.mass, mass, 1e-14);
  CHECK_RELATIVE(it.body.centre[0], x / mass, 1e-14);
  CHECK_RELATIVE(it.body.centre[2], y / mass, 1e-14);
  CHECK_RELATIVE(it.body.euler[0], xx - x * x / mass, 1e-13);
  CHECK_RELATIVE(it.body.euler[5], yz - y * y / mass, 1e-13);
  carom_arena_destroy(it.arena);
  // a triangle given clockwise
  made flat = make((carom_body_numbers){
      .shape = CAROM_BODY_POLYGON, .vertex_count = 3, .vertices = TRIANGLE, .density = 2});
  CHECK_RELATIVE(flat.body.mass, 9.0, 1e-14);
  CHECK_RELATIVE(flat.body.centre[0], 1.0, 1e-14);
  CHECK_RELATIVE(flat.body.euler[0], 9.0 * 9.0 / 18.0, 1e-13);
  CHECK_RELATIVE(flat.body.euler[3], -9.0 * 9.0 / 36.0, 1e-13);
  carom_arena_destroy(flat.arena);
}

static void round_bodies(void **state) {
  (void)state;
  const double pi = 3.14159265358979323846;
  made it = make((carom_body_numbers){.shape = CAROM_BODY_CYLINDER,
                                      .radius = 0.5,
                                      .length = 2,
                                      .density = 4,
                                      .density_gradient = {0, 0, 1}});
  double mass = 4 * pi * 0.25 * 2, first = pi * 0.25 * 8.0 / 12.0;
  CHECK_RELATIVE(it.body.mass, mass, 1e-14);
  CHECK_RELATIVE(it.body.centre[2], first / mass, 1e-14);
  CHECK_RELATIVE(it.body.euler[0], mass * 0.25 / 4, 1e-14);
  CHECK_RELATIVE(it.body.euler[2], mass * 4.0 / 12 - first * first / mass, 1e-14);
  carom_arena_destroy(it.arena);
}

// Density that changes across round bodies: odd moments vanish, so mass and second moments are
// those of the mean density, and the first are the gradient times int x^2.
static void round_density_that_changes(void **state) {
  (void)state;
  const double pi = 3.14159265358979323846, R = 0.5, rho = 4.0;
  const double g[3] = {1.5, -0.7, 0.9};
  const struct {
    carom_body_shape shape;
    double volume, square[3]; // int x^2, y^2, z^2
  } bodies[] = {
      {CAROM_BODY_DISC, pi * R * R, {pi * R * R * R * R / 4, pi * R * R * R * R / 4, 0}},
      {CAROM_BODY_SPHERE,
       4 * pi / 3 * R * R * R,
       {4 * pi / 15 * R * R * R * R * R, 4 * pi / 15 * R * R * R * R * R,
        4 * pi / 15 * R * R * R * R * R}},
      {CAROM_BODY_CYLINDER,
       2 * pi * R * R,
       {2 * pi * R * R * R * R / 4, 2 * pi * R * R * R * R / 4, pi * R * R * 8.0 / 12.0}}};
  for (size_t k = 0; k < sizeof bodies / sizeof *bodies; k++) {
    bool plane = bodies[k].shape == CAROM_BODY_DISC;
    made it = make((carom_body_numbers){.shape = bodies[k].shape,
                                        .radius = R,
                                        .length = 2,
                                        .density = rho,
                                        .density_gradient = {g[0], g[1], plane ? 0.0 : g[2]}});
    double mass = rho * bodies[k].volume;
    CHECK_RELATIVE(it.body.mass, mass, 1e-14);
    for (int i = 0; i < (plane ? 2 : 3); i++) {
      double first = g[i] * bodies[k].square[i];
      CHECK_RELATIVE(it.body.centre[i], first / mass, 1e-13);
      CHECK_RELATIVE(it.body.euler[i], rho * bodies[k].square[i] - first * first / mass, 1e-13);
    }
    double xy = -g[0] * bodies[k].square[0] * g[1] * bodies[k].square[1] / mass;
    CHECK_RELATIVE(it.body.euler[3], xy, 1e-12);
    carom_arena_destroy(it.arena);
  }
}

// ---- moments of whole surfaces

static void value_at(void *ctx, const double x[3], double d, double *values) {
  double term = carom_any_power(d, *(const double *)ctx);
  const double all[10] = {1.0,         x[0],        x[1],        x[2],        x[0] * x[0],
                          x[1] * x[1], x[2] * x[2], x[0] * x[1], x[0] * x[2], x[1] * x[2]};
  for (int k = 0; k < 10; k++)
    values[k] = term * all[k];
}

static void check_moments(const carom_body *body, const double slope[3], double gap,
                          const double *cofactor) {
  double distances[8];
  carom_sight sight = {.slope = {slope[0], slope[1], slope[2]}, .distance = distances};
  sight.cofactor = cofactor;
  (void)carom_body_look(body, &sight);
  sight.offset = gap - sight.least;
  CHECK(carom_body_look(body, &sight));
  static const double exponents[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 1.5, 2.3, 6.5};
  for (size_t j = 0; j < sizeof exponents / sizeof *exponents; j++) {
    double nu = exponents[j];
    carom_moments m = {0};
    double sums[10] = {0.0};
    carom_integrand integrand = {
        .count = 10, .group_count = 3, .group_end = {1, 4, 10}, .value = value_at, .ctx = &nu};
    carom_body_moments(body, &sight, nu, 2, ~(uint64_t)0, &m);
    carom_body_integrate(body, &sight, ~(uint64_t)0, &integrand, sums);
    CHECK_RELATIVE(m.zero, sums[0], 1e-10);
    for (int k = 0; k < 3; k++)
      CHECK_NEAR(m.one[k], sums[1 + k], 1e-10 * sums[0]);
    for (int k = 0; k < 6; k++)
      CHECK_NEAR(m.two[k], sums[4 + k], 1e-10 * sums[0]);
  }
}

static void moments(void **state) {
  (void)state;
  const double slopes[][3] = {{0, 0, 1}, {0.6, 0, 0.8}, {0.36, 0.48, 0.8}, {1e-4, 2e-4, 1}};
  const double gaps[] = {2e-6, 0.002, 0.3};
  const double cofactor[9] = {1.2, 0.1, 0, -0.2, 0.9, 0.1, 0, 0, 1.1};
  carom_body_numbers kinds[] = {
      {.shape = CAROM_BODY_POLYHEDRON, .vertex_count = 8, .vertices = CUBE, .density = 1},
      {.shape = CAROM_BODY_POLYHEDRON, .vertex_count = 4, .vertices = TETRAHEDRON, .density = 1},
      {.shape = CAROM_BODY_CYLINDER, .radius = 0.5, .length = 1, .density = 1},
      {.shape = CAROM_BODY_SPHERE, .radius = 0.5, .density = 1},
      {.shape = CAROM_BODY_POLYGON, .vertex_count = 3, .vertices = TRIANGLE, .density = 1},
      {.shape = CAROM_BODY_DISC, .radius = 0.5, .density = 1, .density_gradient = {0.1, 0.3, 0}}};
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    made it = make(kinds[k]);
    for (size_t s = 0; s < sizeof slopes / sizeof *slopes; s++)
      for (size_t g = 0; g < sizeof gaps / sizeof *gaps; g++) {
        double slope[3] = {slopes[s][0], slopes[s][1], slopes[s][2]};
        if (it.body.dimension == 2) slope[1] = slopes[s][2], slope[2] = 0.0;
        check_moments(&it.body, slope, gaps[g], NULL);
        check_moments(&it.body, slope, gaps[g], cofactor);
      }
    carom_arena_destroy(it.arena);
  }
}

// A cube lowered onto its corner: the exact force grows beyond any weight, a product Gauss rule
// with 10 x 10 to 64 x 64 points on each face never bears the weight at all: the cube falls
// through.
// nodes on [0, 1] and weights of the Gauss rule with n points
static void gauss(int n, double *node, double *weight) {
  for (int i = 0; i < n; i++) {
    double x = cos(3.14159265358979323846 * (i + 0.75) / (n + 0.5)), slope = 1.0;
    for (int round = 0; round < 50; round++) {
      double p0 = 1.0, p1 = x;
      for (int k = 2; k <= n; k++) {
        double p2 = ((2 * k - 1) * x * p1 - (k - 1) * p0) / k;
        p0 = p1, p1 = p2;
      }
      slope = n * (x * p1 - p0) / (x * x - 1.0);
      x -= p1 / slope;
    }
    node[i] = 0.5 * (1.0 - x);
    weight[i] = 1.0 / ((1.0 - x * x) * slope * slope);
  }
}

static void plain_gauss_falls_through(void **state) {
  (void)state;
  enum { MOST = 64 };
  static const int counts[] = {10, 16, 32, MOST};
  made it = make((carom_body_numbers){
      .shape = CAROM_BODY_POLYHEDRON, .vertex_count = 8, .vertices = CUBE, .density = 1});
  double rest = 0.004, flat = 4.0 * carom_inverse_power(rest, 8), slope = 0.57735026918962576451;
  for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
    double d = 1e-9, plain = 0.0, node[MOST], weight[MOST];
    int n = counts[k];
    gauss(n, node, weight);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        plain += 3.0 * 4.0 * weight[i] * weight[j] *
                 carom_inverse_power(d + 2.0 * slope * (node[i] + node[j]), 8);
    CHECK(plain < flat);
  }
  double distances[8];
  carom_sight sight = {.slope = {slope, slope, slope}, .distance = distances};
  (void)carom_body_look(&it.body, &sight);
  sight.offset = 0.05 * rest - sight.least;
  CHECK(carom_body_look(&it.body, &sight));
  carom_moments exact = {0};
  carom_body_moments(&it.body, &sight, 8, 0, ~(uint64_t)0, &exact);
  CHECK(exact.zero > 10.0 * flat);
  carom_arena_destroy(it.arena);
}

// what makes no sense is refused at its place, with the reason
static void nonsense_is_refused(void **state) {
  (void)state;
  static const char *const cases[][2] = {
      {"body: {polygon: [[0, 0], [1, 0], [0.4, 0.4], [0, 1]]}", "convex polygon"},
      {"body: {polyhedron: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]}", "convex polyhedron"},
      {"body: {sphere: -1}", "is positive and finite"},
      {"body: {cube: 1, density: {value: 1000, gradient: [3000, 0, 0]}}", "density falls to -500"},
      {"body: {cube: 1, soft: {c10: -5}}", "must be positive"},
      {"body: {cube: 1, mass_factor: -1}", "mass_factor is -1"},
      {"body: {cube: 1}\nsupports: {floor: {normal: [0, 0, 0]}}", "has no length"},
      {"body: {cube: 1}\nfields: {repulsion: {rest: 0.02, faces: [botom]}}", "no face 'botom'"},
      {"body: {cube: 1}\nfields: {repulsion: {rest: 0.02, from: [flor]}}", "no support 'flor'"},
      {"body: {cube: 1}\nfields: {repulsion: {rest: 0}}", "must be positive"}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    char text[512];
    carom_error error = {0};
    carom_model *model = NULL;
    carom_simulation *simulation = NULL;
    (void)snprintf(text, sizeof text, "engine: field\n%s\nstart: {gap: 0.1}\nrun: {until: 1}\n",
                   cases[k][0]);
    carom_status status = carom_model_parse(text, "test", 0, NULL, &model, &error);
    if (!status) status = carom_simulation_create(model, &simulation, &error);
    if (status != CAROM_ERR_INPUT || !strstr(error.text, cases[k][1]))
      print_error("%s: %d, %s\n", cases[k][0], (int)status, error.text);
    CHECK(status == CAROM_ERR_INPUT && strstr(error.text, cases[k][1]));
    carom_simulation_destroy(simulation);
    carom_model_destroy(model);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cube),
      cmocka_unit_test(density_that_changes),
      cmocka_unit_test(round_bodies),
      cmocka_unit_test(round_density_that_changes),
      cmocka_unit_test(moments),
      cmocka_unit_test(plain_gauss_falls_through),
      cmocka_unit_test(nonsense_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
