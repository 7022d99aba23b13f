// SPDX-License-Identifier: MIT
#define _POSIX_C_SOURCE 200809L
#include "siconos_friction.h"

#include <FrictionContactProblem.h>
#include <Friction_cst.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <NumericsSparseMatrix.h>
#include <NumericsVerbose.h>
#include <SolverOptions.h>
#include <SparseBlockMatrix.h>

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 3 };
#define LONG_ENOUGH 0.05  // seconds of one way
enum { MOST_FULL = 300 }; // contacts of a full matrix, which is slower from some hundred on

static double cpu_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// by columns, as LAPACK has them
static NumericsMatrix *dense(int rows, const double *W) {
  NumericsMatrix *M = NM_create(NM_DENSE, rows, rows);
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < rows; j++)
      M->matrix0[i + j * rows] = W[i * rows + j];
  return M;
}

static NumericsMatrix *sparse(int rows, const double *W) {
  NumericsMatrix *M = NM_create(NM_SPARSE, rows, rows);
  NM_triplet_alloc(M, rows);
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < rows; j++)
      if (W[i * rows + j] != 0.0) NM_entry(M, i, j, W[i * rows + j]);
  return M;
}

static NumericsMatrix *blocks(int d, int rows, const double *W) {
  NumericsMatrix *from = sparse(rows, W), *M = NM_create(NM_SPARSE_BLOCK, rows, rows);
  (void)SBM_from_csparse(d, NM_csc(from), M->matrix1);
  (void)NM_free(from);
  return M;
}

typedef enum storage { DENSE, SPARSE, BLOCKS } storage;

typedef struct way {
  int dimension, solver, most;
  storage storage;
  const char *name;
} way;

static const way WAYS[] = {
    {3, SICONOS_FRICTION_3D_NSGS, 10000, BLOCKS, "NSGS"},
    {3, SICONOS_FRICTION_3D_NSGS, 10000, DENSE, "NSGS"},
    {3, SICONOS_FRICTION_3D_NSN_AC, 200, SPARSE, "NSN_AC"},
    {3, SICONOS_FRICTION_3D_NSN_AC, 200, DENSE, "NSN_AC"},
    {2, SICONOS_FRICTION_2D_NSGS, 10000, BLOCKS, "NSGS"},
    {2, SICONOS_FRICTION_2D_NSGS, 10000, DENSE, "NSGS"},
    {2, SICONOS_FRICTION_2D_LEMKE, 10000, DENSE, "Lemke"},
};

// `calls` in a row, from nothing
static double try_way(const way *how, FrictionContactProblem *problem, double tolerance, int calls,
                      double *forces, double *velocities) {
  size_t rows = (size_t)(problem->dimension * problem->numberOfContacts);
  SolverOptions *options = solver_options_create(how->solver);
  options->iparam[SICONOS_IPARAM_MAX_ITER] = how->most;
  options->dparam[SICONOS_DPARAM_TOL] = tolerance;
  int info = 0;
  double begin = cpu_seconds();
  for (int call = 0; call < calls && info == 0; call++) {
    memset(forces, 0, rows * sizeof *forces);
    memset(velocities, 0, rows * sizeof *velocities);
    info = problem->dimension == 3 ? fc3d_driver(problem, forces, velocities, options)
                                   : fc2d_driver(problem, forces, velocities, options);
  }
  double seconds = (cpu_seconds() - begin) / calls;
  solver_options_delete(options);
  free(options);
  return info == 0 ? seconds : -1.0;
}

double siconos_friction(int d, int n, const double *W, const double *q, const double *mu,
                        double tolerance, double *forces, const char **solver) {
  int rows = d * n;
  size_t bytes = (size_t)rows * sizeof(double);
  double *r = malloc(bytes), *v = malloc(bytes), *own_q = malloc(bytes);
  double *own_mu = malloc((size_t)n * sizeof(double)), best = -1.0;
  memcpy(own_q, q, bytes);
  memcpy(own_mu, mu, (size_t)n * sizeof(double));
  numerics_set_verbose(0);
  for (size_t k = 0; k < sizeof WAYS / sizeof *WAYS; k++) {
    if (WAYS[k].dimension != d || (n > MOST_FULL && WAYS[k].storage == DENSE)) continue;
    double until = cpu_seconds() + LONG_ENOUGH;
    int calls = 1;
    for (int round = 0; (round < ROUNDS && best < 1.0) || cpu_seconds() < until; round++) {
      NumericsMatrix *M = WAYS[k].storage == DENSE    ? dense(rows, W)
                          : WAYS[k].storage == SPARSE ? sparse(rows, W)
                                                      : blocks(d, rows, W);
      FrictionContactProblem problem = {
          .dimension = d, .numberOfContacts = n, .M = M, .q = own_q, .mu = own_mu};
      double seconds = try_way(&WAYS[k], &problem, tolerance, calls, r, v);
      (void)NM_free(M);
      if (seconds < 0.0) break;
      calls = calls_in_a_row(seconds);
      if (best >= 0.0 && seconds >= best) continue;
      best = seconds;
      *solver = WAYS[k].name;
      memcpy(forces, r, bytes);
    }
  }
  free(r);
  free(v);
  free(own_q);
  free(own_mu);
  return best;
}
