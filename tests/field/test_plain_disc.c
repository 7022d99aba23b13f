// SPDX-License-Identifier: MIT
// The soft cylinder of figures 23 to 25 by a second program (plain_affine.h): points equally spaced
// around its rim, mass and Euler tensor by polar quadrature. Carom must come to the same state,
// with the printed repulsion and with the conservative one.
#include "field_motion_help.h"
#include "plain_affine.h"

#include <cvode/cvode.h>

enum { STATES = 12, AROUND = 1024, NU = 8, NU_DAMPING = 2, NU_FRICTION = 2 };
static const double RADIUS = 0.5, GRAVITY = 9.81, TURN = 6.28318530717958647693;

typedef struct plain_disc {
  plain_material material;
  double mass, centre[2];
  double a_r, a_d, a_f;
  bool conservative;
} plain_disc;

// a density that changes linearly, by midpoints in angle and Gauss (5 points) along the radius
static void weigh(plain_disc *it, double density, double slope) {
  static const double node[5] = {0.5, 0.76923465505284155, 0.23076534494715845, 0.95308992296933200,
                                 0.04691007703066800};
  static const double weight[5] = {0.28444444444444444, 0.23931433524968324, 0.23931433524968324,
                                   0.11846344252809454, 0.11846344252809454};
  double sums[6] = {0.0};
  for (int pass = 0; pass < 2; pass++)
    for (int k = 0; k < 64; k++)
      for (int i = 0; i < 5; i++) {
        double r = RADIUS * node[i], x = r * cos(TURN * k / 64), y = r * sin(TURN * k / 64);
        double m = weight[i] * RADIUS * r * TURN / 64 * (density + slope * y);
        x -= it->centre[0], y -= it->centre[1];
        const double part[3] = {m, m * x, m * y}, two[3] = {m * x * x, m * x * y, m * y * y};
        for (int c = 0; c < 3; c++)
          sums[c] += pass ? 0.0 : part[c], sums[3 + c] += pass ? two[c] : 0.0;
        if (!pass && k == 63 && i == 4) it->mass = sums[0];
        if (!pass && k == 63 && i == 4)
          it->centre[0] = sums[1] / sums[0], it->centre[1] = sums[2] / sums[0];
      }
  it->material.J.at[0][0] = sums[3];
  it->material.J.at[0][1] = it->material.J.at[1][0] = sums[4];
  it->material.J.at[1][1] = sums[5];
  it->material.volume = 0.5 * TURN * RADIUS * RADIUS;
}

/// Force and moment of the floor, pull: of d^-nu alone.
typedef struct rim_sums {
  double force[2], pull;
  plain_matrix moment;
  bool below;
} rim_sums;

static rim_sums around_the_rim(const plain_disc *it, const double *place, const double *velocity,
                               const plain_matrix *F, const plain_matrix *G) {
  rim_sums s = {.force = {0.0}};
  plain_matrix C = plain_cofactor(2, F);
  for (int p = 0; p < AROUND; p++) {
    double m[2] = {cos(TURN * p / AROUND), sin(TURN * p / AROUND)}, x[2], v[2], w[2], q[2];
    for (int i = 0; i < 2; i++)
      x[i] = RADIUS * m[i] - it->centre[i];
    for (int i = 0; i < 2; i++) {
      v[i] = velocity[i] + G->at[i][0] * x[0] + G->at[i][1] * x[1];
      w[i] = C.at[i][0] * m[0] + C.at[i][1] * m[1];
    }
    double d = place[1] + F->at[1][0] * x[0] + F->at[1][1] * x[1], k = hypot(w[0], w[1]);
    double size = RADIUS * TURN / AROUND, push = it->a_r * plain_power(d, NU);
    s.below = s.below || !(d > 0.0);
    q[0] = -k * it->a_f * plain_power(d, NU_FRICTION) * v[0];
    q[1] = k * (push - it->a_d * plain_power(d, NU_DAMPING) * v[1]);
    s.pull += size * k * plain_power(d, NU);
    for (int i = 0; i < 2; i++) {
      s.force[i] += size * q[i];
      for (int j = 0; j < 2; j++)
        s.moment.at[i][j] += size * q[i] * x[j];
    }
    if (!it->conservative) continue;
    // -Phi dk/dF: w = (F22 m1 - F21 m2, F11 m2 - F12 m1)
    double phi = push * d / (NU - 1.0) * size / k;
    s.moment.at[0][0] -= phi * w[1] * m[1];
    s.moment.at[0][1] += phi * w[1] * m[0];
    s.moment.at[1][0] += phi * w[0] * m[1];
    s.moment.at[1][1] -= phi * w[0] * m[0];
  }
  return s;
}

static void read_matrix(const double *from, plain_matrix *to) {
  for (int i = 0; i < 4; i++)
    to->at[i / 2][i % 2] = from[i];
}

// the state is x, y, F11 F12 F21 F22 and the rates of these
static int rates(realtype t, N_Vector state, N_Vector rate, void *ctx) {
  (void)t;
  const plain_disc *it = ctx;
  const double *y = N_VGetArrayPointer(state);
  double *f = N_VGetArrayPointer(rate);
  plain_matrix F, G;
  read_matrix(y + 2, &F);
  read_matrix(y + 8, &G);
  rim_sums s = around_the_rim(it, y, y + 6, &F, &G);
  plain_matrix faster = plain_soft_rates(2, &it->material, &F, &G, &s.moment);
  memcpy(f, y + 6, 6 * sizeof *f);
  f[6] = s.force[0] / it->mass;
  f[7] = s.force[1] / it->mass - GRAVITY;
  for (int i = 0; i < 4; i++)
    f[8 + i] = faster.at[i / 2][i % 2];
  return s.below ? 1 : 0;
}

// the coefficient with which the round disc bears its weight at the distance d0
static void set_rest(plain_disc *it, double d0) {
  const plain_matrix one = {{{1.0, 0.0}, {0.0, 1.0}}}, none = {{{0.0}}};
  const double still[2] = {0.0, 0.0}, place[2] = {0.0, RADIUS + it->centre[1] + d0};
  it->a_r = it->mass * GRAVITY / around_the_rim(it, place, still, &one, &none).pull;
}

typedef struct second_case {
  const char *figure, *scenario;
  double viscosity, gradient;
  bool rubbed; // conservative repulsion, damping and friction
} second_case;

static const second_case CASES[] = {{"23", "soft_cylinder", 100, 0, false},
                                    {"24", "soft_cylinder", 5000, 0, false},
                                    {"25", "soft_eccentric", 100, -4000, false},
                                    {"25, rubbed", "soft_eccentric", 100, -4000, true}};
static const double UNTIL = 0.6, BOUND = 1e-7, RUB = 0.5;
// the last three are for bodies that are rubbed
static const carom_setting SETTINGS[] = {
    {"run.rtol", "1e-11"},
    {"fields.repulsion.form", "conservative"},
    {"fields.friction", "{law: friction, exponent: 2, coefficient: 0.5}"},
    {"fields.damping", "{law: damping, exponent: 2, coefficient: 0.5}"}};

static void another_program_agrees(void **state) {
  (void)state;
  for (size_t k = 0; k < sizeof CASES / sizeof *CASES; k++) {
    const second_case *c = &CASES[k];
    char path[512];
    (void)snprintf(path, sizeof path, CAROM_SOURCE_DIR "/scenarios/field_%s.yaml", c->scenario);
    motion it = motion_make(path, NULL, c->rubbed ? 4 : 1, SETTINGS);
    motion_set(&it, "viscosity", c->viscosity);
    plain_disc disc = {.material = {.c10 = 6e4, .viscosity = c->viscosity},
                       .a_d = c->rubbed ? RUB : 0.0,
                       .a_f = c->rubbed ? RUB : 0.0,
                       .conservative = c->rubbed};
    weigh(&disc, 4000.0, c->gradient);
    set_rest(&disc, 0.002);
    double y[STATES], start[STATES], worst = 0.0, moved = 0.0;
    int size;
    const double *own = carom_simulation_state(it.simulation, &size);
    CHECK(size == STATES);
    memcpy(y, own, sizeof y);
    memcpy(start, own, sizeof y);
    CHECK(plain_integrate(STATES, rates, &disc, y, UNTIL, false));
    motion_run(&it, UNTIL);
    own = carom_simulation_state(it.simulation, &size);
    for (int i = 0; i < STATES; i++) {
      worst = fmax(worst, fabs(y[i] - own[i]));
      moved = fmax(moved, fabs(own[i] - start[i]));
    }
    if (!(worst < BOUND)) print_error("figure %s: %.3g\n", c->figure, worst);
    CHECK(worst < BOUND && moved > 0.05);
    motion_end(&it);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(another_program_agrees)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
