// SPDX-License-Identifier: MIT
/// The right-hand side of the engine `field` in the hands of CVODE: backward differentiation with a
/// dense Jacobian by differences, as one would take it for a stiff rest. For benchmark and tests.
#ifndef CAROM_BENCH_CVODE_FIELD_H
#define CAROM_BENCH_CVODE_FIELD_H

#include "field/field.h"

#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

typedef struct cvode_field {
  carom_field *field;
  double y[CAROM_FIELD_MAX_SIZE], rate[CAROM_FIELD_MAX_SIZE]; // with the energy integrals
  long evaluations, steps;
} cvode_field;

static int cvode_field_rates(realtype t, N_Vector y, N_Vector rate, void *ctx) {
  cvode_field *it = ctx;
  size_t bytes = (size_t)it->field->model->size * sizeof(double);
  memcpy(it->y, N_VGetArrayPointer(y), bytes);
  it->evaluations++;
  carom_status status = carom_field_rhs(it->field, t, it->y, it->rate);
  memcpy(N_VGetArrayPointer(rate), it->rate, bytes);
  // below a support: a shorter step may help
  return status == CAROM_ERR_NONFINITE ? 1 : status == CAROM_OK ? 0 : -1;
}

/// From the state y (changed) at time t to `until`; false when CVODE gives up. The simulation that
/// the field belongs to is not moved.
static bool cvode_field_run(carom_field *field, double *y, double t, double until, double rtol,
                            double atol, cvode_field *it) {
  memset(it, 0, sizeof *it);
  it->field = field;
  SUNContext context;
  if (SUNContext_Create(NULL, &context)) return false;
  int n = field->model->size, status = -1;
  N_Vector state = N_VNew_Serial(n, context);
  SUNMatrix matrix = SUNDenseMatrix(n, n, context);
  SUNLinearSolver solver = SUNLinSol_Dense(state, matrix, context);
  void *cvode = CVodeCreate(CV_BDF, context);
  memcpy(N_VGetArrayPointer(state), y, (size_t)n * sizeof *y);
  if (!CVodeInit(cvode, cvode_field_rates, t, state) && !CVodeSStolerances(cvode, rtol, atol) &&
      !CVodeSetUserData(cvode, it) && !CVodeSetLinearSolver(cvode, solver, matrix) &&
      !CVodeSetMaxNumSteps(cvode, 10000000) && !CVodeSetStopTime(cvode, until))
    status = CVode(cvode, until, state, &t, CV_NORMAL);
  (void)CVodeGetNumSteps(cvode, &it->steps);
  memcpy(y, N_VGetArrayPointer(state), (size_t)n * sizeof *y);
  CVodeFree(&cvode);
  (void)SUNLinSolFree(solver);
  SUNMatDestroy(matrix);
  N_VDestroy(state);
  (void)SUNContext_Free(&context);
  return status >= 0;
}

#endif
