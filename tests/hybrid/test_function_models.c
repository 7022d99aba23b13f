// SPDX-License-Identifier: MIT
// Models given by C functions are on equal footing with scenarios: the same motion, events, energy
// ledger and errors.
#include "motion.h"

static event_log events, other_events;

// --- a pendulum with damping and a limit stop, as functions ---

enum { G, L, C };

static carom_status pendulum_mass(void *ctx, const carom_point *at, double *M) {
  (void)ctx;
  M[0] = at->parameters[L] * at->parameters[L];
  return CAROM_OK;
}

static carom_status pendulum_force(void *ctx, const carom_point *at, double *h) {
  (void)ctx;
  const double *p = at->parameters;
  h[0] = -p[G] * p[L] * sin(at->q[0]) - p[C] * at->u[0];
  return CAROM_OK;
}

static carom_status pendulum_energy(void *ctx, const carom_point *at, double *kinetic,
                                    double *potential) {
  (void)ctx;
  const double *p = at->parameters;
  *kinetic = 0.5 * p[L] * p[L] * at->u[0] * at->u[0];
  *potential = -p[G] * p[L] * cos(at->q[0]);
  return CAROM_OK;
}

static carom_status pendulum_power(void *ctx, const carom_point *at, double *force,
                                   double *damper) {
  (void)ctx;
  *force = 0.0;
  *damper = at->parameters[C] * at->u[0] * at->u[0];
  return CAROM_OK;
}

static carom_status pendulum_event(void *ctx, const carom_point *at, double *values) {
  (void)ctx;
  values[0] = at->q[0] - 0.4;
  values[1] = at->q[0];
  return CAROM_OK;
}

// the stop throws back with half the speed; the passage is only logged
static carom_status pendulum_reset(void *ctx, const carom_point *at, int k, double *q, double *u,
                                   double *z) {
  (void)ctx, (void)q, (void)z;
  if (k == 0) u[0] = -0.5 * at->u[0];
  return CAROM_OK;
}

static carom_status pendulum_observable(void *ctx, const carom_point *at, double *values) {
  (void)ctx;
  values[0] = at->parameters[L] * sin(at->q[0]);
  return CAROM_OK;
}

static const double START[] = {-1.2}, PARAMETERS[] = {9.81, 0.7, 0.05};

static carom_functions pendulum_functions(void) {
  static const char *const coordinates[] = {"a"}, *const parameters[] = {"g", "L", "c"},
                           *const names[] = {"stop", "low"}, *const observables[] = {"x"};
  carom_functions f = carom_functions_default();
  f.title = "pendulum";
  f.coordinates.count = 1, f.coordinates.names = coordinates, f.start = START;
  f.parameters.count = 3, f.parameters.names = parameters, f.parameter_values = PARAMETERS;
  f.events.count = 2, f.events.names = names;
  f.observables.count = 1, f.observables.names = observables;
  f.run.until = 20.0, f.run.rtol = 1e-12;
  f.mass = pendulum_mass, f.force = pendulum_force;
  f.energy = pendulum_energy, f.power = pendulum_power;
  f.event = pendulum_event, f.reset = pendulum_reset, f.observable = pendulum_observable;
  return f;
}

static const char PENDULUM[] = "title: pendulum\n"
                               "parameters: {g: 9.81, L: 0.7, c: 0.05}\n"
                               "coordinates: {a: -1.2}\n"
                               "define: {x: L*sin(a)}\n"
                               "energy: {kinetic: L^2*a'^2/2, potential: -g*L*cos(a), "
                               "dissipation: c/2*a'^2}\n"
                               "events:\n"
                               "  stop: {when: a - 0.4, do: {a': -0.5*a'}}\n"
                               "  low: {when: a, do: {a': a'}}\n"
                               "run: {until: 20, rtol: 1e-12}\n";

static motion from_functions(const carom_functions *f) {
  carom_model *model = NULL;
  carom_error error = {0};
  MUST(carom_model_from_functions(f, &model, &error), error);
  return motion_of(model);
}

static void pendulum_equals_its_scenario(void **state) {
  (void)state;
  carom_functions f = pendulum_functions();
  motion m = from_functions(&f), written = motion_parse(PENDULUM);
  assert_string_equal(carom_model_title(m.model), "pendulum");
  assert_int_equal(carom_model_count(m.model, CAROM_EVENTS), 2);
  assert_string_equal(carom_model_name(m.model, CAROM_COORDINATES, 0), "a");
  for (int k = 0; k < 2; k++) {
    if (k == 1) {
      set_value(&m, "c", 0.1), set_value(&written, "c", 0.1);
      set_value(&m, "a'", -2.0), set_value(&written, "a'", -2.0);
    }
    motion_log(&m, &events);
    motion_log(&written, &other_events);
    assert_int_equal(motion_run(&m), CAROM_OK);
    assert_int_equal(motion_run(&written), CAROM_OK);
    CHECK_NEAR(value_of(&m, "a"), value_of(&written, "a"), 1e-9);
    CHECK_NEAR(value_of(&m, "a'"), value_of(&written, "a'"), 1e-9);
    CHECK_NEAR(value_of(&m, "x"), value_of(&written, "x"), 1e-9);
    CHECK_NEAR(value_of(&m, "a''"), value_of(&written, "a''"), 1e-8);
    assert_true(events.count > 10);
    assert_int_equal(events.count, other_events.count);
    for (int j = 0; j < events.count; j++) {
      assert_string_equal(events.list[j].name, other_events.list[j].name);
      CHECK_NEAR(events.list[j].t, other_events.list[j].t, 1e-9);
    }
    carom_certificate c = certificate_of(&m), d = certificate_of(&written);
    CHECK(c.passed);
    CHECK_NEAR(c.energy.lost_dampers, d.energy.lost_dampers, 1e-9);
    CHECK_NEAR(c.energy.work_events, d.energy.work_events, 1e-9);
    CHECK_NEAR(c.energy.residual_relative, 0.0, 1e-9);
  }
  motion_end(&m);
  motion_end(&written);
}

// --- a point that runs round: at the end of the line it is set back to its beginning ---

static carom_status runner_mass(void *ctx, const carom_point *at, double *M) {
  (void)ctx, (void)at;
  M[0] = 1.0;
  return CAROM_OK;
}

static carom_status runner_force(void *ctx, const carom_point *at, double *h) {
  (void)ctx, (void)at;
  h[0] = 0.0;
  return CAROM_OK;
}

static carom_status runner_event(void *ctx, const carom_point *at, double *values) {
  (void)ctx;
  values[0] = at->q[0] - 1.0;
  values[1] = at->q[0];
  values[2] = -at->q[0];
  return CAROM_OK;
}

static carom_status runner_reset(void *ctx, const carom_point *at, int k, double *q, double *u,
                                 double *z) {
  (void)ctx, (void)u, (void)z;
  if (k == 0) q[0] = at->q[0] - 2.0;
  return CAROM_OK;
}

// A jump carries functions past zero, one from above and one from below: both are met at that
// instant, and from then on they are on their other sides, from which they come back. The function
// that made the jump does not meet itself.
static void functions_carried_past_zero(void **state) {
  (void)state;
  static const char *const coordinates[] = {"x"}, *const names[] = {"end", "up", "down"};
  static const double start[] = {0.3}, rates[] = {1.0};
  carom_functions f = carom_functions_default();
  f.coordinates.count = 1, f.coordinates.names = coordinates, f.start = start, f.start_rate = rates;
  f.events.count = 3, f.events.names = names;
  f.run.until = 9.0;
  f.mass = runner_mass, f.force = runner_force, f.event = runner_event, f.reset = runner_reset;
  motion m = from_functions(&f);
  motion_log(&m, &events);
  assert_int_equal(motion_run(&m), CAROM_OK);
  for (int k = 0; k < 4; k++) {
    CHECK_NEAR(find_logged(&events, CAROM_EVENT_USER, "end", k)->t, 0.7 + 2.0 * k, 1e-9);
    for (int j = 0; j < 2; j++) {
      CHECK_NEAR(find_logged(&events, CAROM_EVENT_USER, "up", 2 * k + j)->t, 0.7 + 2.0 * k + j,
                 1e-9);
      CHECK_NEAR(find_logged(&events, CAROM_EVENT_USER, "down", 2 * k + j)->t, 0.7 + 2.0 * k + j,
                 1e-9);
    }
  }
  assert_int_equal(count_logged(&events, CAROM_EVENT_USER, NULL), 5 + 9 + 9);
  motion_end(&m);
}

// what is not given is zero: parameters, coordinates, rates
static void values_not_given_are_zero(void **state) {
  (void)state;
  static const char *const coordinates[] = {"x"}, *const parameters[] = {"p"};
  carom_functions f = carom_functions_default();
  f.coordinates.count = 1, f.coordinates.names = coordinates;
  f.parameters.count = 1, f.parameters.names = parameters;
  f.run.until = 1.0;
  f.mass = runner_mass, f.force = runner_force;
  motion m = from_functions(&f);
  CHECK_SAME(value_of(&m, "p"), 0.0);
  CHECK_SAME(value_of(&m, "x"), 0.0);
  CHECK_SAME(value_of(&m, "x'"), 0.0);
  motion_end(&m);
}

// --- a constrained one: a point on a rod, in x and y ---

static carom_status point_mass(void *ctx, const carom_point *at, double *M) {
  (void)ctx, (void)at;
  M[0] = M[3] = 1.0;
  M[1] = M[2] = 0.0;
  return CAROM_OK;
}

static carom_status point_force(void *ctx, const carom_point *at, double *h) {
  (void)ctx, (void)at;
  h[0] = 0.0;
  h[1] = -9.81;
  return CAROM_OK;
}

// value x^2 + y^2 - 1, velocity 2 (x x' + y y'), drift 2 (x'^2 + y'^2)
static carom_status point_rod(void *ctx, const carom_point *at, int k, carom_function_row *row) {
  (void)ctx, (void)k;
  const double *q = at->q, *u = at->u;
  row->value = q[0] * q[0] + q[1] * q[1] - 1.0;
  row->jacobian[0] = 2.0 * q[0];
  row->jacobian[1] = 2.0 * q[1];
  row->offset = 0.0;
  row->drift = 2.0 * (u[0] * u[0] + u[1] * u[1]);
  return CAROM_OK;
}

static carom_status point_energy(void *ctx, const carom_point *at, double *kinetic,
                                 double *potential) {
  (void)ctx;
  *kinetic = 0.5 * (at->u[0] * at->u[0] + at->u[1] * at->u[1]);
  *potential = 9.81 * at->q[1];
  return CAROM_OK;
}

// a second point hangs from the first one by a rod of its own
static carom_status pair_mass(void *ctx, const carom_point *at, double *M) {
  (void)ctx, (void)at;
  for (int i = 0; i < 16; i++)
    M[i] = i % 5 == 0 ? (i < 10 ? 1.0 : 2.0) : 0.0;
  return CAROM_OK;
}
static carom_status pair_force(void *ctx, const carom_point *at, double *force) {
  (void)ctx, (void)at;
  force[0] = force[2] = 0.0;
  force[1] = -9.81, force[3] = -2.0 * 9.81;
  return CAROM_OK;
}
static carom_status pair_rods(void *ctx, const carom_point *at, int k, carom_function_row *row) {
  const double *q = at->q, *u = at->u;
  (void)ctx;
  double x = k == 0 ? q[0] : q[2] - q[0], y = k == 0 ? q[1] : q[3] - q[1];
  double xx = k == 0 ? u[0] : u[2] - u[0], yy = k == 0 ? u[1] : u[3] - u[1];
  const double first[] = {2.0 * x, 2.0 * y, 0.0, 0.0},
               second[] = {-2.0 * x, -2.0 * y, 2.0 * x, 2.0 * y};
  row->value = x * x + y * y - 1.0;
  memcpy(row->jacobian, k == 0 ? first : second, sizeof first);
  row->drift = 2.0 * (xx * xx + yy * yy);
  return CAROM_OK;
}
static carom_status pair_energy(void *ctx, const carom_point *at, double *kinetic,
                                double *potential) {
  const double *q = at->q, *u = at->u;
  (void)ctx;
  *kinetic = (u[0] * u[0] + u[1] * u[1]) / 2.0 + u[2] * u[2] + u[3] * u[3];
  *potential = 9.81 * (q[1] + 2.0 * q[3]);
  return CAROM_OK;
}

static void several_constraints_equal_their_scenario(void **state) {
  (void)state;
  static const char *const coordinates[] = {"x", "y", "u", "v"}, *const rods[] = {"rod", "other"};
  static const double start[] = {0.6, -0.8, 0.6, -1.8};
  carom_functions f = carom_functions_default();
  f.coordinates.count = 4, f.coordinates.names = coordinates, f.start = start;
  f.constraints.count = 2, f.constraints.names = rods;
  f.run.until = 3.0, f.run.rtol = 1e-12;
  f.mass = pair_mass, f.force = pair_force, f.constraint = pair_rods, f.energy = pair_energy;
  motion m = from_functions(&f);
  motion written =
      motion_parse("coordinates: {x: 0.6, y: -0.8, u: 0.6, v: -1.8}\n"
                   "energy: {kinetic: (x'^2 + y'^2)/2 + u'^2 + v'^2, potential: 9.81*(y + 2*v)}\n"
                   "constraints: {rod: x^2 + y^2 - 1, other: (u - x)^2 + (v - y)^2 - 1}\n"
                   "run: {until: 3, rtol: 1e-12, hold: none}\n");
  assert_int_equal(motion_run(&m), CAROM_OK);
  assert_int_equal(motion_run(&written), CAROM_OK);
  for (int k = 0; k < 4; k++)
    CHECK_NEAR(value_of(&m, coordinates[k]), value_of(&written, coordinates[k]), 1e-8);
  CHECK(certificate_of(&m).passed);
  motion_end(&m);
  motion_end(&written);
}

static void constrained_functions_equal_their_scenario(void **state) {
  (void)state;
  static const char *const coordinates[] = {"x", "y"}, *const rods[] = {"rod"};
  static const double start[] = {0.6, -0.8};
  carom_functions f = carom_functions_default();
  f.coordinates.count = 2, f.coordinates.names = coordinates, f.start = start;
  f.constraints.count = 1, f.constraints.names = rods;
  f.run.until = 10.0, f.run.rtol = 1e-12;
  f.mass = point_mass, f.force = point_force, f.constraint = point_rod, f.energy = point_energy;
  motion m = from_functions(&f);
  motion written = motion_parse("coordinates: {x: 0.6, y: -0.8}\n"
                                "energy: {kinetic: (x'^2 + y'^2)/2, potential: 9.81*y}\n"
                                "constraints: {rod: x^2 + y^2 - 1}\n"
                                "run: {until: 10, rtol: 1e-12, hold: none}\n");
  assert_int_equal(motion_run(&m), CAROM_OK);
  assert_int_equal(motion_run(&written), CAROM_OK);
  CHECK_NEAR(value_of(&m, "x"), value_of(&written, "x"), 1e-10);
  CHECK_NEAR(value_of(&m, "y'"), value_of(&written, "y'"), 1e-10);
  carom_certificate c = certificate_of(&m);
  CHECK(c.passed);
  CHECK_NEAR(c.worst.constraint_error, 0.0, 1e-12);
  CHECK_NEAR(c.energy.residual_relative, 0.0, 1e-9);
  motion_end(&m);
  motion_end(&written);
}

// --- first-order systems, and functions that fail ---

static carom_status circle_equation(void *ctx, const carom_point *at, double *rate) {
  const double *limit = ctx;
  rate[0] = at->z[1];
  rate[1] = -at->z[0];
  if (at->t > *limit) rate[0] = NAN;
  return CAROM_OK;
}

static carom_status refuse_late(void *ctx, const carom_point *at, double *rate) {
  (void)ctx;
  rate[0] = 1.0;
  return at->t > 2.0 ? CAROM_ERR_IO : CAROM_OK;
}

static void first_order_functions(void **state) {
  (void)state;
  static const char *const states[] = {"p", "q"};
  static const double start[] = {1.0, 0.0};
  double limit = 1e9;
  carom_functions f = carom_functions_default();
  f.states.count = 2, f.states.names = states, f.state_start = start;
  f.run.until = 10.0, f.ctx = &limit, f.equation = circle_equation;
  motion m = from_functions(&f);
  assert_int_equal(motion_run(&m), CAROM_OK);
  CHECK_NEAR(value_of(&m, "p"), cos(10.0), 1e-9);
  CHECK_NEAR(value_of(&m, "q"), -sin(10.0), 1e-9);

  // not a number: an error, and the state before the call
  limit = 4.0;
  carom_error error = {0};
  motion_advance(&m, 10.0);
  MUST(carom_simulation_reset(m.simulation, &error), error);
  motion_advance(&m, 1.0);
  assert_int_equal(carom_simulation_advance(m.simulation, 10.0, &error), CAROM_ERR_NONFINITE);
  assert_non_null(strstr(error.text, "t = "));
  CHECK_SAME(carom_simulation_time(m.simulation), 1.0);
  CHECK_NEAR(value_of(&m, "p"), cos(1.0), 1e-9);
  motion_end(&m);

  // an error code of the function's own ends the run with that code
  f.states.count = 1, f.equation = refuse_late;
  m = from_functions(&f);
  assert_int_equal(carom_simulation_run(m.simulation, &error), CAROM_ERR_IO);
  CHECK_SAME(carom_simulation_time(m.simulation), 0.0);
  motion_end(&m);
}

static void incomplete_functions_are_refused(void **state) {
  (void)state;
  carom_model *model = NULL;
  carom_error error = {0};
  carom_functions empty = {0};
  assert_int_equal(carom_model_from_functions(&empty, &model, &error), CAROM_ERR_ARGUMENT);
  assert_non_null(strstr(error.text, "carom_functions_default"));
  carom_functions f = carom_functions_default();
  assert_int_equal(carom_model_from_functions(&f, &model, &error), CAROM_ERR_ARGUMENT);
  f = pendulum_functions();
  f.force = NULL;
  assert_int_equal(carom_model_from_functions(&f, &model, &error), CAROM_ERR_ARGUMENT);
  assert_non_null(strstr(error.text, "force"));
  f = pendulum_functions();
  f.event = NULL;
  assert_int_equal(carom_model_from_functions(&f, &model, &error), CAROM_ERR_ARGUMENT);
  assert_null(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pendulum_equals_its_scenario),
      cmocka_unit_test(functions_carried_past_zero),
      cmocka_unit_test(values_not_given_are_zero),
      cmocka_unit_test(several_constraints_equal_their_scenario),
      cmocka_unit_test(constrained_functions_equal_their_scenario),
      cmocka_unit_test(first_order_functions),
      cmocka_unit_test(incomplete_functions_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
