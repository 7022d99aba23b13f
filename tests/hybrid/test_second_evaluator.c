// SPDX-License-Identifier: MIT
// Whoever supplies the functions of carom_evaluator can take the place of the register programs:
// one that passes questions on leaves the bits of a run, and a kernel written by hand moves a ball
// through bounces, slip and stick as the programs do.
#include "motion.h"

#include "engine/engine.h"
#include "hybrid/hybrid.h"

// what the expressions of a scenario know beside the evaluator (machine code of the flow, series,
// phases of single contacts) is taken away, so that the evaluator is asked for everything
static carom_dynamics *bare(const motion *m, const carom_evaluator *evaluator) {
  carom_hybrid_model *model = m->model->prepared;
  carom_dynamics *dynamics = (carom_dynamics *)model->dynamics;
  dynamics->evaluator = evaluator;
  dynamics->programs.flow_code = NULL;
  model->free_series.program = NULL;
  model->lone.count = 0;
  return dynamics;
}

static motion load_with(const char *name, const carom_evaluator *evaluator) {
  motion m = motion_load(name, NULL);
  carom_error error = {0};
  (void)bare(&m, evaluator);
  carom_simulation_destroy(m.simulation);
  MUST(carom_simulation_create(m.model, &m.simulation, &error), error);
  return m;
}

// ---- questions passed on

static long asked[2];

static carom_status pass_free(const carom_dynamics *d, carom_dynamics_work *work, double t,
                              const double *y, carom_rates *rates) {
  asked[0]++;
  return carom_program_evaluator.free(d, work, t, y, rates);
}

static carom_status pass_rows(const carom_dynamics *d, carom_dynamics_work *work, double t,
                              const double *y, carom_rates *rates) {
  asked[1]++;
  return carom_program_evaluator.rows(d, work, t, y, rates);
}

static void questions_passed_on(void **state) {
  (void)state;
  carom_evaluator passing = carom_program_evaluator;
  passing.free = pass_free;
  passing.rows = pass_rows;
  passing.flow = NULL; // by `free`
  static const char *const names[] = {"dimer", "coin", "tumbling_body", "four_bar"};
  for (int k = 0; k < 4; k++) {
    motion plain = load_with(names[k], &carom_program_evaluator),
           other = load_with(names[k], &passing);
    asked[0] = asked[1] = 0;
    motion_advance(&plain, 0.5);
    motion_advance(&other, 0.5);
    int size = 0;
    const double *a = carom_simulation_state(plain.simulation, &size),
                 *b = carom_simulation_state(other.simulation, NULL);
    assert_memory_equal(a, b, (size_t)size * sizeof *a);
    CHECK(asked[0] + asked[1] > 50);
    motion_end(&plain);
    motion_end(&other);
  }
}

// ---- a ball of mass 1, radius R, inertia k R^2, over x, z and its turn a, by hand

enum { X, Z, A };
static const double R = 0.1, K = 0.4, G = 9.81;

static carom_status ball_free(const carom_dynamics *d, carom_dynamics_work *work, double t,
                              const double *y, carom_rates *rates) {
  (void)d, (void)work, (void)t, (void)y;
  rates->acceleration[X] = rates->acceleration[A] = 0.0;
  rates->acceleration[Z] = -G;
  rates->power[0] = rates->power[1] = rates->power[2] = rates->power[3] = 0.0;
  return CAROM_OK;
}

// gap z - R, slip x' - R a': W = (0, 1, 0) and (1, 0, -R)
static carom_status ball_rows(const carom_dynamics *d, carom_dynamics_work *work, double t,
                              const double *y, carom_rates *rates) {
  const double *u = y + 3, response[] = {0.0, 1.0, 0.0, 1.0, 0.0, -1.0 / (K * R)};
  carom_rows *rows = &work->rows;
  memcpy(rows->response, response, sizeof response);
  rows->position[0] = y[Z] - R;
  rows->position[1] = NAN;
  rows->velocity[0] = u[Z];
  rows->velocity[1] = u[X] - R * u[A];
  rows->offset[0] = rows->offset[1] = 0.0;
  rows->free_rate[0] = -G;
  rows->free_rate[1] = 0.0;
  rows->delassus[0] = 1.0;
  rows->delassus[1] = rows->delassus[2] = 0.0;
  rows->delassus[3] = 1.0 + 1.0 / K;
  return ball_free(d, work, t, y, rates);
}

static carom_status ball_energy(const carom_dynamics *d, carom_dynamics_work *work, double t,
                                const double *y, carom_energy *energy) {
  (void)d, (void)work, (void)t;
  const double *u = y + 3;
  *energy = (carom_energy){.kinetic = 0.5 * (u[X] * u[X] + u[Z] * u[Z] + K * R * R * u[A] * u[A]),
                           .potential = G * y[Z]};
  return CAROM_OK;
}

static void kernel_by_hand(void **state) {
  (void)state;
  static const char BALL[] =
      "title: ball\n"
      "coordinates: {x: {start: 0, rate: 1}, z: 0.4, a: {start: 0, rate: -30}}\n"
      "energy: {kinetic: \"(x'^2 + z'^2 + 0.4*0.1^2*a'^2)/2\", potential: 9.81*z}\n"
      "contacts: {table: {gap: z - 0.1, slip: \"x' - 0.1*a'\", friction: 0.15, impact: 0.5}}\n"
      "run: {until: 3}\n";
  static const carom_evaluator kernel = {
      .free = ball_free, .rows = ball_rows, .energy = ball_energy};
  motion plain = motion_parse(BALL), by_hand = motion_parse(BALL);
  carom_error error = {0};
  (void)bare(&by_hand, &kernel);
  carom_simulation_destroy(by_hand.simulation);
  MUST(carom_simulation_create(by_hand.model, &by_hand.simulation, &error), error);
  for (double t = 0.1; t < 3.0; t += 0.2) {
    motion_advance(&plain, t);
    motion_advance(&by_hand, t);
    const char *const names[] = {"x", "z", "x'", "a'"};
    for (int k = 0; k < 4; k++)
      CHECK_NEAR(value_of(&by_hand, names[k]), value_of(&plain, names[k]), 1e-9);
  }
  carom_certificate c = certificate_of(&by_hand);
  CHECK(c.passed && c.counts.impacts > 3 && c.counts.closings > 0);
  motion_end(&plain);
  motion_end(&by_hand);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(questions_passed_on),
                                     cmocka_unit_test(kernel_by_hand)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
