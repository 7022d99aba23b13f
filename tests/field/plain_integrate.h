// SPDX-License-Identifier: MIT
/// CVODE for second programs of motions. For tests.
#ifndef CAROM_TESTS_FIELD_PLAIN_INTEGRATE_H
#define CAROM_TESTS_FIELD_PLAIN_INTEGRATE_H

#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <stdbool.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

/// From y at 0 to `until`, to 1e-11; false when CVODE gives up.
static inline bool plain_integrate(int n, CVRhsFn rates, void *ctx, double *y, double until,
                                   bool stiff) {
  SUNContext context;
  if (SUNContext_Create(NULL, &context)) return false;
  N_Vector state = N_VMake_Serial(n, y, context);
  SUNMatrix matrix = SUNDenseMatrix(n, n, context);
  SUNLinearSolver solver = SUNLinSol_Dense(state, matrix, context);
  void *cvode = CVodeCreate(stiff ? CV_BDF : CV_ADAMS, context);
  double t = 0.0;
  int status = -1;
  if (!CVodeInit(cvode, rates, 0.0, state) && !CVodeSStolerances(cvode, 1e-11, 1e-13) &&
      !CVodeSetUserData(cvode, ctx) && !CVodeSetLinearSolver(cvode, solver, matrix) &&
      !CVodeSetMaxNumSteps(cvode, 10000000) && !CVodeSetStopTime(cvode, until))
    status = CVode(cvode, until, state, &t, CV_NORMAL);
  CVodeFree(&cvode);
  (void)SUNLinSolFree(solver);
  SUNMatDestroy(matrix);
  N_VDestroy(state);
  (void)SUNContext_Free(&context);
  return status >= 0;
}

#endif
