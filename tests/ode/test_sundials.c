// SPDX-License-Identifier: MIT
// A second opinion: trajectories and event times of Carom's integration against SUNDIALS (CVODE
// Adams and ARKODE ERK), both at tight tolerances.
#include "check.h"

#include "carom/ode.h"

#include <arkode/arkode_erkstep.h>
#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <string.h>
#include <sundials/sundials_types.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

enum { MOST = 6, EVENTS_MOST = 64 };

typedef struct system_of {
  int n;
  double start[MOST], T;
  void (*rhs)(double t, const double *y, double *f);
  double (*event)(double t, const double *y);
} system_of;

typedef struct run {
  int events;
  double when[EVENTS_MOST], y[MOST];
} run;

static void pendula(double t, const double *y, double *f) {
  double drive = 0.8 * cos(1.3 * t);
  for (int i = 0; i < 3; i++)
    f[i] = y[3 + i];
  f[3] = -0.1 * y[3] - sin(y[0]) + 0.3 * (y[1] - y[0]) + drive;
  f[4] = -0.1 * y[4] - sin(y[1]) + 0.3 * (y[0] - 2.0 * y[1] + y[2]);
  f[5] = -0.1 * y[5] - sin(y[2]) + 0.3 * (y[1] - y[2]);
}
static double first_angle(double t, const double *y) { return (void)t, y[0] - 0.1; }

static void kepler(double t, const double *y, double *f) {
  (void)t;
  double r2 = y[0] * y[0] + y[1] * y[1], r3 = r2 * sqrt(r2);
  f[0] = y[2], f[1] = y[3], f[2] = -y[0] / r3, f[3] = -y[1] / r3;
}
static double apsis(double t, const double *y) { return (void)t, y[0] * y[2] + y[1] * y[3]; }

static void van_der_pol(double t, const double *y, double *f) {
  (void)t;
  f[0] = y[1];
  f[1] = 5.0 * (1.0 - y[0] * y[0]) * y[1] - y[0];
}
static double moving_mark(double t, const double *y) { return y[0] - 0.5 * sin(t); }

static const system_of SYSTEMS[] = {
    {6, {0.15, 0.2, 0.3, 0.0, 0.0, 0.0}, 40.0, pendula, first_angle},
    {4, {0.5, 0.0, 0.1, 1.6}, 20.0, kepler, apsis},
    {2, {2.0, 0.0}, 30.0, van_der_pol, moving_mark},
};
enum { SYSTEM_COUNT = sizeof SYSTEMS / sizeof *SYSTEMS };

static carom_status carom_side(void *ctx, double t, const double *y, double *f) {
  ((const system_of *)ctx)->rhs(t, y, f);
  return CAROM_OK;
}
static void carom_event_side(void *ctx, double t, const double *y, double *g) {
  g[0] = ((const system_of *)ctx)->event(t, y);
}

static void with_carom(const system_of *s, run *r) {
  carom_ode *ode;
  carom_ode_options options = carom_ode_options_default();
  options.rtol = 1e-12, options.atol = 1e-13;
  system_of copy = *s;
  assert_int_equal(carom_ode_create(&ode, s->n, carom_side, &copy, &options, NULL), CAROM_OK);
  assert_int_equal(carom_ode_watch(ode, 1, carom_event_side, NULL, NULL), CAROM_OK);
  assert_int_equal(carom_ode_set(ode, 0.0, s->start, NULL), CAROM_OK);
  carom_status status;
  while ((status = carom_ode_advance(ode, s->T, NULL)) == CAROM_STOP_EVENT) {
    assert_true(r->events < EVENTS_MOST);
    r->when[r->events++] = carom_ode_time(ode);
  }
  assert_int_equal(status, CAROM_OK);
  memcpy(r->y, carom_ode_state(ode), (size_t)s->n * sizeof *r->y);
  carom_ode_destroy(ode);
}

static int sundials_side(realtype t, N_Vector y, N_Vector f, void *user) {
  ((const system_of *)user)->rhs(t, NV_DATA_S(y), NV_DATA_S(f));
  return 0;
}
static int sundials_event_side(realtype t, N_Vector y, realtype *g, void *user) {
  g[0] = ((const system_of *)user)->event(t, NV_DATA_S(y));
  return 0;
}

static void with_arkode(const system_of *s, run *r) {
  SUNContext context;
  assert_int_equal(SUNContext_Create(NULL, &context), 0);
  N_Vector y = N_VNew_Serial(s->n, context);
  memcpy(NV_DATA_S(y), s->start, (size_t)s->n * sizeof(double));
  system_of copy = *s;
  void *ark = ERKStepCreate(sundials_side, 0.0, y, context);
  ERKStepSetUserData(ark, &copy);
  ERKStepSStolerances(ark, 1e-12, 1e-13);
  ERKStepSetOrder(ark, 8);
  ERKStepSetMaxNumSteps(ark, 10000000);
  ERKStepSetStopTime(ark, s->T);
  ERKStepRootInit(ark, 1, sundials_event_side);
  realtype t = 0.0;
  int flag;
  while ((flag = ERKStepEvolve(ark, s->T, y, &t, ARK_NORMAL)) == ARK_ROOT_RETURN)
    r->when[r->events++] = t;
  assert_true(flag >= 0);
  memcpy(r->y, NV_DATA_S(y), (size_t)s->n * sizeof *r->y);
  ERKStepFree(&ark);
  N_VDestroy(y);
  SUNContext_Free(&context);
}

// trajectories only: linear multistep needs a nonlinear solver, the default fixed point is enough
// here
static void with_cvode(const system_of *s, run *r) {
  SUNContext context;
  assert_int_equal(SUNContext_Create(NULL, &context), 0);
  N_Vector y = N_VNew_Serial(s->n, context);
  memcpy(NV_DATA_S(y), s->start, (size_t)s->n * sizeof(double));
  system_of copy = *s;
  void *cvode = CVodeCreate(CV_ADAMS, context);
  CVodeInit(cvode, sundials_side, 0.0, y);
  CVodeSetUserData(cvode, &copy);
  CVodeSStolerances(cvode, 1e-12, 1e-13);
  CVodeSetMaxNumSteps(cvode, 10000000);
  CVodeSetStopTime(cvode, s->T);
  SUNNonlinearSolver solver = SUNNonlinSol_FixedPoint(y, 0, context);
  CVodeSetNonlinearSolver(cvode, solver);
  CVodeRootInit(cvode, 1, sundials_event_side);
  realtype t = 0.0;
  int flag;
  while ((flag = CVode(cvode, s->T, y, &t, CV_NORMAL)) == CV_ROOT_RETURN)
    r->when[r->events++] = t;
  assert_true(flag >= 0);
  memcpy(r->y, NV_DATA_S(y), (size_t)s->n * sizeof *r->y);
  CVodeFree(&cvode);
  SUNNonlinSolFree(solver);
  N_VDestroy(y);
  SUNContext_Free(&context);
}

static void compare(const system_of *s, const run *ours, const run *theirs, double tolerance) {
  assert_int_equal(ours->events, theirs->events);
  assert_true(ours->events > 2);
  for (int i = 0; i < ours->events; i++)
    CHECK_NEAR(ours->when[i], theirs->when[i], tolerance);
  for (int i = 0; i < s->n; i++)
    CHECK_NEAR(ours->y[i], theirs->y[i], tolerance);
}

static void test_against_arkode(void **state) {
  (void)state;
  for (int k = 0; k < SYSTEM_COUNT; k++) {
    run ours = {0}, theirs = {0};
    with_carom(&SYSTEMS[k], &ours);
    with_arkode(&SYSTEMS[k], &theirs);
    compare(&SYSTEMS[k], &ours, &theirs, 1e-9);
  }
}

static void test_against_cvode(void **state) {
  (void)state;
  for (int k = 0; k < SYSTEM_COUNT; k++) {
    run ours = {0}, theirs = {0};
    with_carom(&SYSTEMS[k], &ours);
    with_cvode(&SYSTEMS[k], &theirs);
    compare(&SYSTEMS[k], &ours, &theirs, 3e-8);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_against_arkode),
      cmocka_unit_test(test_against_cvode),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
