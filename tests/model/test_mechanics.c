// SPDX-License-Identifier: MIT
// Equations of motion from energies: mass matrix, bias, rows and powers against a derivation by
// hand and against finite differences.
#include "check.h"

#include "model/mechanics.h"

/// A pendulum hangs from a cart whose rail is shaken: coordinates x of the cart and phi of the
/// pendulum, height s(t) = 0.2 sin(3 t) of the rail. A damper and a force act on the cart.
///   bob at (x + l sin phi, s - l cos phi)
enum { TIME, X, PHI, U, V, Z, Z_RATE, SYMBOLS };
static const double M = 1.5, m = 0.7, l = 0.9, g = 9.81, c = 0.3, F = 0.8;

typedef struct cart {
  carom_arena *arena;
  carom_graph *graph;
  carom_node symbol[SYMBOLS];
  carom_mechanics *mechanics;
} cart;

static double s(double t) { return 0.2 * sin(3.0 * t); }
static double s1(double t) { return 0.6 * cos(3.0 * t); }
static double s2(double t) { return -1.8 * sin(3.0 * t); }
static double belt(double t) { return 0.5 + 0.1 * t * t; }

static carom_node number(cart *it, double value) { return carom_node_constant(it->graph, value); }
static carom_node call(cart *it, carom_op op, carom_node a) {
  return carom_node_make(it->graph, op, a, 0, 0);
}
static carom_node times(cart *it, double factor, carom_node a) {
  return carom_mul(it->graph, number(it, factor), a);
}
static carom_node square(cart *it, carom_node a) { return carom_mul(it->graph, a, a); }

// nodes that the energies share
static carom_node angle_rate(cart *it, carom_op op) {
  carom_node speed = carom_mul(it->graph, it->symbol[V], call(it, op, it->symbol[PHI]));
  return times(it, l, speed);
}
static carom_node rail(cart *it, bool rate) {
  carom_node phase = times(it, 3.0, it->symbol[TIME]);
  return rate ? times(it, 0.6, call(it, CAROM_OP_COS, phase))
              : times(it, 0.2, call(it, CAROM_OP_SIN, phase));
}
static carom_node bob_height(cart *it) {
  return carom_sub(it->graph, rail(it, false),
                   times(it, l, call(it, CAROM_OP_COS, it->symbol[PHI])));
}

static cart begin(void) {
  cart it = {.arena = carom_arena_create(NULL)};
  it.graph = carom_graph_create(it.arena);
  const char *names[SYMBOLS] = {"t", "x", "phi", "x'", "phi'", "z", "z'"};
  const carom_symbol_kind kinds[SYMBOLS] = {
      CAROM_SYMBOL_TIME, CAROM_SYMBOL_COORDINATE, CAROM_SYMBOL_COORDINATE, CAROM_SYMBOL_RATE,
      CAROM_SYMBOL_RATE, CAROM_SYMBOL_STATE,      CAROM_SYMBOL_OTHER};
  for (int k = 0; k < SYMBOLS; k++)
    it.symbol[k] = carom_node_symbol(it.graph, names[k], kinds[k]);
  carom_graph *graph = it.graph;
  carom_node across = carom_add(graph, it.symbol[U], angle_rate(&it, CAROM_OP_COS));
  carom_node up = carom_add(graph, rail(&it, true), angle_rate(&it, CAROM_OP_SIN));
  carom_node bob = times(&it, 0.5 * m, carom_add(graph, square(&it, across), square(&it, up)));
  carom_node belt_speed =
      carom_add(graph, number(&it, 0.5), times(&it, 0.1, square(&it, it.symbol[TIME])));
  const carom_row_input rows[] = {
      {.value = bob_height(&it)},
      {.value = carom_sub(graph, across, belt_speed), .velocity_level = true}};
  const carom_node force[2] = {number(&it, F), number(&it, 0.0)};
  const carom_node equation[1] = {carom_sub(graph, it.symbol[X], it.symbol[Z])};
  carom_mechanics_input input = {
      .time = it.symbol[TIME],
      .n = 2,
      .nq = 2,
      .q = it.symbol + X,
      .u = it.symbol + U,
      .force = force,
      .m = 1,
      .z = it.symbol + Z,
      .z_rate = it.symbol + Z_RATE,
      .equation = equation,
      .kinetic = carom_add(graph, times(&it, 0.5 * M, square(&it, it.symbol[U])), bob),
      .potential = times(&it, m * g, bob_height(&it)),
      .dissipation = times(&it, 0.5 * c, square(&it, it.symbol[U])),
      .row_count = 2,
      .rows = rows};
  carom_error error = {0};
  assert_int_equal(carom_mechanics_derive(it.arena, graph, &input, &it.mechanics, &error),
                   CAROM_OK);
  return it;
}

static double at(const cart *it, carom_node node, const double *values) {
  return node ? carom_node_evaluate(it->graph, node, values, NULL) : 0.0;
}

static const double STATES[][SYMBOLS] = {{0.0, 0.1, 0.4, 0.3, -1.2, 0.0, 0.0},
                                         {0.7, -0.4, -1.9, -0.8, 2.5, 0.2, 0.0},
                                         {1.3, 2.0, 3.0, 1.1, 0.4, -0.6, 0.0}};
enum { COUNT = sizeof STATES / sizeof *STATES };

// M = ((M + m, m l cos phi), (m l cos phi, m l^2)),
// h = (m l sin phi phi'^2 + F - c x', -m l sin phi (s'' + g))
static void mass_and_bias_by_hand(void **state) {
  (void)state;
  cart it = begin();
  for (int k = 0; k < COUNT; k++) {
    const double *y = STATES[k];
    double sine = sin(y[PHI]), cosine = cos(y[PHI]), coupling = m * l * cosine;
    double h0 = m * l * sine * y[V] * y[V] + F - c * y[U];
    double h1 = -m * l * sine * (s2(y[TIME]) + g), det = (M + m) * m * l * l - coupling * coupling;
    const carom_mechanics *it_is = it.mechanics;
    CHECK_NEAR(at(&it, it_is->mass[0], y), M + m, 1e-15);
    CHECK_NEAR(at(&it, it_is->mass[1], y), coupling, 1e-15);
    CHECK_NEAR(at(&it, it_is->mass[2], y), coupling, 1e-15);
    CHECK_NEAR(at(&it, it_is->mass[3], y), m * l * l, 1e-15);
    CHECK_NEAR(at(&it, it_is->bias[0], y), h0, 1e-14);
    CHECK_NEAR(at(&it, it_is->bias[1], y), h1, 1e-14);
    CHECK_NEAR(at(&it, it_is->acceleration[0], y), (m * l * l * h0 - coupling * h1) / det, 1e-13);
    CHECK_NEAR(at(&it, it_is->acceleration[1], y), ((M + m) * h1 - coupling * h0) / det, 1e-13);
    CHECK_NEAR(at(&it, it_is->equation[0], y), y[X] - y[Z], 1e-15);
  }
  carom_arena_destroy(it.arena);
}

// the height of the bob: W = (0, l sin phi), w = s', zeta = l cos phi phi'^2 + s''; its speed along
// a belt: W = (1, l cos phi), w = -belt, zeta = -l sin phi phi'^2 - belt'
static void rows_by_hand(void **state) {
  (void)state;
  cart it = begin();
  for (int k = 0; k < COUNT; k++) {
    const double *y = STATES[k], t = y[TIME];
    double sine = sin(y[PHI]), cosine = cos(y[PHI]), coupling = m * l * cosine;
    double det = (M + m) * m * l * l - coupling * coupling;
    double W[2][2] = {{0.0, l * sine}, {1.0, l * cosine}}, offset[2] = {s1(t), -belt(t)};
    double drift[2] = {l * cosine * y[V] * y[V] + s2(t), -l * sine * y[V] * y[V] - 0.2 * t};
    double inverse[2][2] = {{m * l * l / det, -coupling / det}, {-coupling / det, (M + m) / det}};
    const carom_row *rows = it.mechanics->rows;
    CHECK_NEAR(at(&it, rows[0].position, y), s(t) - l * cosine, 1e-15);
    for (int r = 0; r < 2; r++) {
      double speed = W[r][0] * y[U] + W[r][1] * y[V] + offset[r], free_rate = drift[r];
      CHECK_NEAR(at(&it, rows[r].velocity, y), speed, 1e-14);
      CHECK_NEAR(at(&it, rows[r].offset, y), offset[r], 1e-14);
      CHECK_NEAR(at(&it, rows[r].drift, y), drift[r], 1e-14);
      for (int i = 0; i < 2; i++) {
        double response = inverse[i][0] * W[r][0] + inverse[i][1] * W[r][1];
        CHECK_NEAR(at(&it, rows[r].jacobian[i], y), W[r][i], 1e-15);
        CHECK_NEAR(at(&it, rows[r].response[i], y), response, 1e-13);
        free_rate += W[r][i] * at(&it, it.mechanics->acceleration[i], y);
      }
      CHECK_NEAR(at(&it, rows[r].free_rate, y), free_rate, 1e-13);
      for (int q = 0; q < 2; q++) {
        double G = 0.0;
        for (int i = 0; i < 2; i++)
          for (int j = 0; j < 2; j++)
            G += W[r][i] * inverse[i][j] * W[q][j];
        CHECK_NEAR(at(&it, it.mechanics->delassus[2 * r + q], y), G, 1e-13);
      }
    }
  }
  carom_arena_destroy(it.arena);
}

// ---- finite differences ----

// the state a time h later (h may be negative) along rates and accelerations
static void move(const cart *it, const double *y, double h, double *moved) {
  double a[2] = {at(it, it->mechanics->acceleration[0], y),
                 at(it, it->mechanics->acceleration[1], y)};
  double rate[SYMBOLS] = {1.0, y[U], y[V], a[0], a[1], at(it, it->mechanics->equation[0], y), 0.0};
  for (int k = 0; k < SYMBOLS; k++)
    moved[k] = y[k] + h * rate[k];
}

static double difference(const cart *it, carom_node node, const double *y, int symbol) {
  const double h = 1e-5;
  double low[SYMBOLS], high[SYMBOLS];
  for (int k = 0; k < SYMBOLS; k++)
    low[k] = high[k] = y[k];
  low[symbol] -= h;
  high[symbol] += h;
  return (at(it, node, high) - at(it, node, low)) / (2.0 * h);
}

static double along(const cart *it, carom_node node, const double *y) {
  const double h = 1e-5;
  double low[SYMBOLS], high[SYMBOLS];
  move(it, y, -h, low);
  move(it, y, h, high);
  return (at(it, node, high) - at(it, node, low)) / (2.0 * h);
}

// Lagrange's equations with derivatives of the energies taken by differences, along the motion
static void equations_of_lagrange(void **state) {
  (void)state;
  cart it = begin();
  const carom_mechanics *of = it.mechanics;
  for (int k = 0; k < COUNT; k++)
    for (int i = 0; i < 2; i++) {
      const double *y = STATES[k], h = 1e-4;
      double low[SYMBOLS], high[SYMBOLS];
      move(&it, y, -h, low);
      move(&it, y, h, high);
      double momentum_rate =
          (difference(&it, of->kinetic, high, U + i) - difference(&it, of->kinetic, low, U + i)) /
          (2.0 * h);
      double given = i == 0 ? F - c * y[U] : 0.0;
      double left = momentum_rate - difference(&it, of->kinetic, y, X + i) +
                    difference(&it, of->potential, y, X + i);
      CHECK_NEAR(left, given, 1e-5);
    }
  carom_arena_destroy(it.arena);
}

// rows' rates along the motion are their free rates; their Jacobians are derivatives
static void rates_of_rows(void **state) {
  (void)state;
  cart it = begin();
  for (int k = 0; k < COUNT; k++)
    for (int r = 0; r < 2; r++) {
      const carom_row *row = &it.mechanics->rows[r];
      const double *y = STATES[k];
      CHECK_NEAR(along(&it, row->velocity, y), at(&it, row->free_rate, y), 1e-7);
      for (int i = 0; i < 2; i++)
        CHECK_NEAR(difference(&it, row->velocity, y, U + i), at(&it, row->jacobian[i], y), 1e-9);
      if (row->position) CHECK_NEAR(along(&it, row->position, y), at(&it, row->velocity, y), 1e-8);
    }
  carom_arena_destroy(it.arena);
}

// d(T + V)/dt = d(store)/dt + power of drives + power of forces - power of dampers
static void powers(void **state) {
  (void)state;
  cart it = begin();
  const carom_mechanics *of = it.mechanics;
  for (int k = 0; k < COUNT; k++) {
    const double *y = STATES[k];
    double energy = along(&it, of->kinetic, y) + along(&it, of->potential, y);
    double work = along(&it, of->drive_store, y) + at(&it, of->power.drive, y) +
                  at(&it, of->power.force, y) - at(&it, of->power.damper, y);
    CHECK_NEAR(energy, work, 1e-7);
    CHECK_NEAR(at(&it, of->power.force, y), F * y[U], 1e-15);
    CHECK_NEAR(at(&it, of->power.damper, y), c * y[U] * y[U], 1e-15);
  }
  carom_arena_destroy(it.arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(mass_and_bias_by_hand),
      cmocka_unit_test(rows_by_hand),
      cmocka_unit_test(equations_of_lagrange),
      cmocka_unit_test(rates_of_rows),
      cmocka_unit_test(powers),

  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
