// SPDX-License-Identifier: MIT
/// A system with events as a person would write it around CVODE: it integrates to a root, the state
/// is changed where the root asks for it, and it starts again. One root is the section, whose
/// passages are counted and kept.
#ifndef CAROM_BENCH_CVODE_LOOP_H
#define CAROM_BENCH_CVODE_LOOP_H

#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <stdbool.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

enum { LOOP_STATES = 4, LOOP_ROOTS = 3 };

typedef struct cvode_system {
  int states, roots, section; // which root is the section
  double start[LOOP_STATES];
  CVRhsFn rates;
  CVRootFn events; // all watched while they fall
  /// Changes the state where the roots found ask for it; false: it goes on as it was.
  bool (*change)(void *ctx, double *y, const int *found);
  void *ctx;
} cvode_system;

typedef enum cvode_way { LOOP_BDF, LOOP_ADAMS, LOOP_ADAMS_FIXED_POINT, LOOP_WAYS } cvode_way;
static const char *const LOOP_WAY_NAMES[LOOP_WAYS] = {"BDF", "Adams with Newton's method",
                                                      "Adams with fixed points"};

/// What CVODE is made of for one run.
typedef struct cvode_parts {
  N_Vector y;
  SUNMatrix matrix;
  SUNLinearSolver linear;
  SUNNonlinearSolver nonlinear;
  void *memory;
} cvode_parts;

static inline cvode_parts cvode_begin(SUNContext context, const cvode_system *system, cvode_way way,
                                      double tolerance) {
  int n = system->states;
  cvode_parts made = {.y = N_VNew_Serial(n, context)};
  memcpy(N_VGetArrayPointer(made.y), system->start, (size_t)n * sizeof(double));
  made.memory = CVodeCreate(way == LOOP_BDF ? CV_BDF : CV_ADAMS, context);
  (void)CVodeInit(made.memory, system->rates, 0.0, made.y);
  (void)CVodeSStolerances(made.memory, tolerance, tolerance);
  (void)CVodeSetUserData(made.memory, system->ctx);
  if (way == LOOP_ADAMS_FIXED_POINT) {
    made.nonlinear = SUNNonlinSol_FixedPoint(made.y, 0, context);
    (void)CVodeSetNonlinearSolver(made.memory, made.nonlinear);
  } else {
    made.matrix = SUNDenseMatrix(n, n, context);
    made.linear = SUNLinSol_Dense(made.y, made.matrix, context);
    (void)CVodeSetLinearSolver(made.memory, made.linear, made.matrix);
  }
  int directions[LOOP_ROOTS] = {-1, -1, -1};
  (void)CVodeRootInit(made.memory, system->roots, system->events);
  (void)CVodeSetRootDirection(made.memory, directions);
  (void)CVodeSetNoInactiveRootWarn(made.memory);
  (void)CVodeSetMaxNumSteps(made.memory, 1000000);
  return made;
}

static inline void cvode_end(cvode_parts *parts) {
  CVodeFree(&parts->memory);
  if (parts->nonlinear) (void)SUNNonlinSolFree(parts->nonlinear);
  if (parts->linear) (void)SUNLinSolFree(parts->linear);
  if (parts->matrix) SUNMatDestroy(parts->matrix);
  N_VDestroy(parts->y);
}

/// Up to `wanted` passages of the section, whose states go to `points` (NULL: nowhere); returns how
/// many there were.
static inline long cvode_loop(SUNContext context, const cvode_system *system, cvode_way way,
                              double tolerance, long wanted, double *points) {
  cvode_parts parts = cvode_begin(context, system, way, tolerance);
  double t = 0.0, *y = N_VGetArrayPointer(parts.y);
  long passages = 0;
  while (passages < wanted && t < 1e5) {
    int found[LOOP_ROOTS];
    if (CVode(parts.memory, 1e6, parts.y, &t, CV_NORMAL) != CV_ROOT_RETURN) break;
    (void)CVodeGetRootInfo(parts.memory, found);
    if (found[system->section] && points) {
      memcpy(points, y, (size_t)system->states * sizeof *y);
      points += system->states;
    }
    passages += found[system->section] != 0;
    if (system->change(system->ctx, y, found)) (void)CVodeReInit(parts.memory, t, parts.y);
  }
  cvode_end(&parts);
  return passages;
}

#endif
