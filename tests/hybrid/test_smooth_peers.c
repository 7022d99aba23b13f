// SPDX-License-Identifier: MIT
// A second opinion on motions without closed form: SUNDIALS integrates equations written by hand.
#include "motion.h"

#include <arkode/arkode_erkstep.h>
#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_types.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

enum { MOST = 8 };
typedef void (*right_side)(double t, const double *y, double *f);

static int sundials_side(realtype t, N_Vector y, N_Vector f, void *user) {
  (*(right_side *)user)(t, NV_DATA_S(y), NV_DATA_S(f));
  return 0;
}

// Runge-Kutta of order 8 (Fehlberg's tables, another family than ours)
static void with_arkode(right_side side, int n, double *y, double t_end) {
  SUNContext context;
  assert_int_equal(SUNContext_Create(NULL, &context), 0);
  N_Vector state = N_VMake_Serial(n, y, context);
  void *ark = ERKStepCreate(sundials_side, 0.0, state, context);
  ERKStepSetUserData(ark, &side);
  ERKStepSStolerances(ark, 1e-13, 1e-14);
  ERKStepSetOrder(ark, 8);
  ERKStepSetMaxNumSteps(ark, 10000000);
  ERKStepSetStopTime(ark, t_end);
  realtype t = 0.0;
  assert_true(ERKStepEvolve(ark, t_end, state, &t, ARK_NORMAL) >= 0);
  ERKStepFree(&ark);
  N_VDestroy(state);
  SUNContext_Free(&context);
}

// Adams' multistep method, of variable order
static void with_cvode(right_side side, int n, double *y, double t_end) {
  SUNContext context;
  assert_int_equal(SUNContext_Create(NULL, &context), 0);
  N_Vector state = N_VMake_Serial(n, y, context);
  void *cvode = CVodeCreate(CV_ADAMS, context);
  SUNNonlinearSolver solver = SUNNonlinSol_FixedPoint(state, 0, context);
  CVodeInit(cvode, sundials_side, 0.0, state);
  CVodeSetUserData(cvode, &side);
  CVodeSStolerances(cvode, 1e-13, 1e-14);
  CVodeSetNonlinearSolver(cvode, solver);
  CVodeSetMaxNumSteps(cvode, 10000000);
  CVodeSetStopTime(cvode, t_end);
  realtype t = 0.0;
  assert_true(CVode(cvode, t_end, state, &t, CV_NORMAL) >= 0);
  CVodeFree(&cvode);
  SUNNonlinSolFree(solver);
  N_VDestroy(state);
  SUNContext_Free(&context);
}

static void compare(const motion *m, int n, const double *expected, double tolerance) {
  int size;
  const double *y = carom_simulation_state(m->simulation, &size);
  assert_int_equal(size, n);
  for (int i = 0; i < n; i++)
    CHECK_NEAR(y[i], expected[i], tolerance);
}

// both rods of length 1 and both masses 1, solved for the accelerations by hand
static void double_pendulum_side(double t, const double *y, double *f) {
  (void)t;
  double g = 9.81, delta = y[0] - y[1], s = sin(delta), c = cos(delta);
  double right1 = -y[3] * y[3] * s - 2.0 * g * sin(y[0]);
  double right2 = y[2] * y[2] * s - g * sin(y[1]);
  double determinant = 2.0 - c * c;
  f[0] = y[2], f[1] = y[3];
  f[2] = (right1 - c * right2) / determinant;
  f[3] = (2.0 * right2 - c * right1) / determinant;
}

// for small swings the two modes are those of L, g and the eigenvalues 2 -+ sqrt(2)
static void double_pendulum_small_modes(void **state) {
  (void)state;
  motion m = motion_load("double_pendulum", (carom_setting[]){{"run.until", "30"}, {0}});
  for (int k = 0; k < 2; k++) {
    double amplitude = 1e-5, sign = k == 0 ? 1.0 : -1.0;
    double omega = sqrt(9.81 * (2.0 - sign * sqrt(2.0)));
    set_value(&m, "a", amplitude);
    set_value(&m, "b", sign * sqrt(2.0) * amplitude);
    motion_run(&m);
    CHECK_NEAR(value_of(&m, "a"), amplitude * cos(30.0 * omega), 1e-6 * amplitude);
    CHECK_NEAR(value_of(&m, "b"), sign * sqrt(2.0) * amplitude * cos(30.0 * omega),
               1e-6 * amplitude);
  }
  motion_end(&m);
}

static void double_pendulum_agrees(void **state) {
  (void)state;
  motion m = motion_load("double_pendulum", (carom_setting[]){{"run.rtol", "1e-13"}, {0}});
  // chaos amplifies every rounding by e^(about 1.5 t); compare while that is harmless
  motion_advance(&m, 8.0);
  double start[4] = {120.0 * PI / 180.0, -20.0 * PI / 180.0, 0.0, 0.0}, y[4];
  memcpy(y, start, sizeof y);
  with_arkode(double_pendulum_side, 4, y, 8.0);
  compare(&m, 4, y, 2e-9);
  memcpy(y, start, sizeof y);
  with_cvode(double_pendulum_side, 4, y, 8.0);
  compare(&m, 4, y, 2e-7);
  motion_run(&m);
  carom_certificate c = certificate_of(&m);
  CHECK(c.passed);
  CHECK_NEAR(c.energy.residual_relative, 0.0, 1e-14);
  CHECK_NEAR(value_of(&m, "kinetic") + value_of(&m, "potential"),
             c.energy.kinetic_start + c.energy.potential_start, 1e-13);
  motion_end(&m);
}

static void duffing_side(double t, const double *y, double *f) {
  f[0] = y[1];
  f[1] = y[0] - y[0] * y[0] * y[0] - 0.25 * y[1] + 0.3 * cos(t);
}

static void duffing_agrees(void **state) {
  (void)state;
  motion m = motion_load("duffing", (carom_setting[]){{"run.rtol", "1e-13"}, {0}});
  motion_advance(&m, 60.0);
  double y[2] = {1.0, 0.0};
  with_arkode(duffing_side, 2, y, 60.0);
  compare(&m, 2, y, 1e-8);
  y[0] = 1.0, y[1] = 0.0;
  with_cvode(duffing_side, 2, y, 60.0);
  compare(&m, 2, y, 1e-6);
  // what the drive gave, the damper took or the beam still has
  motion_run(&m);
  carom_certificate c = certificate_of(&m);
  CHECK(c.passed);
  CHECK_NEAR(c.energy.work_forces - c.energy.lost_dampers,
             c.energy.kinetic + c.energy.potential - c.energy.kinetic_start -
                 c.energy.potential_start,
             1e-10);
  CHECK(c.energy.lost_dampers > 1.0);
  motion_end(&m);
}

// averaged over a measured window, power and loss differ by the change of the energy in it
static void duffing_means_balance(void **state) {
  (void)state;
  motion m = motion_load("duffing", NULL);
  double period = value_of(&m, "period");
  motion_advance(&m, 10.0 * period);
  double before = value_of(&m, "kinetic") + value_of(&m, "potential");
  motion_advance(&m, 60.0 * period);
  double change = value_of(&m, "kinetic") + value_of(&m, "potential") - before;
  CHECK_NEAR((value_of(&m, "power") - value_of(&m, "burnt")) * 50.0 * period, change, 1e-7);
  motion_end(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(double_pendulum_small_modes),
      cmocka_unit_test(double_pendulum_agrees),
      cmocka_unit_test(duffing_agrees),
      cmocka_unit_test(duffing_means_balance),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
