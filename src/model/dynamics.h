// SPDX-License-Identifier: MIT
/// A mechanical system ready to be evaluated: derived from a scenario (register programs) or given
/// by C functions. The dynamics is constant and shared; each simulation has its own work space with
/// its own parameter values and modes.
///
/// The state vector is y = (q[nq], u[n], z[m]): the first nq of the n speeds u are the rates of q,
/// the first `turned` of z are coordinates whose rates are linear in u (see mechanics.h).
#ifndef CAROM_MODEL_DYNAMICS_H
#define CAROM_MODEL_DYNAMICS_H

#include "carom/functions.h"
#include "model/mechanics.h"
#include "symbolic/program.h"

typedef struct carom_dynamics {
  int n, nq, m, turned, rows, modes, parameters;
  int size;          // of y: nq + n + m
  bool conservative; // kinetic + potential is constant on every smooth motion without friction
  bool has_power[4]; // drive, force, damper, friction: which can be non-zero
  bool has_energy;
  // derived from a scenario
  const carom_mechanics *mechanics;
  carom_graph *graph;
  int input_count;
  carom_node *inputs; // t, q, u, z, modes, parameters: the input order of all programs
  carom_program *free_program, *row_program, *energy_program;
  int invariants;
  carom_program *turning_program; // dz'/du of turned coordinates, invariants, their slopes by z
  carom_program *flow_program;    // u, u', z' and the powers there are, with no row forces
  carom_program_code *flow_code;
  int flow_count;
  carom_node *flow; // the same as expressions
  // given by functions
  const carom_functions *functions;
} carom_dynamics;

/// Rows at a state, and the response of the system to forces along them (see mechanics.h).
typedef struct carom_rows {
  double *position; // NaN at velocity level
  double *velocity, *offset, *free_rate;
  double *response; // [row][n]
  double *delassus; // [row][row]
} carom_rows;

typedef struct carom_dynamics_work {
  double *free_registers, *row_registers, *energy_registers, *flow_registers, *turning_registers;
  double *parameters, *modes;
  carom_interval *row_bounds; // registers of the row program over intervals
  double *row_values; // outputs of the row program: rates, powers, and what `rows` points into
  double *rows_at;    // the state, behind it the time, that they are of
  bool rows_known;    // and whether they are, in the configuration in force
  carom_rows rows;
  double *mass, *jacobian, *solution, *scratch; // of models given by functions
  int *order;
} carom_dynamics_work;

typedef struct carom_energy {
  double kinetic, potential;
  double drive_store; // part of the drives' work that is a state function
} carom_energy;

/// What a state's rates are made of: u' and z' with no row forces, and the powers (drive, force,
/// damper).
typedef struct carom_rates {
  double *acceleration, *equation;
  double power[4];
} carom_rates;

carom_status carom_dynamics_compile(carom_arena *arena, carom_graph *graph,
                                    const carom_mechanics *mechanics, int parameter_count,
                                    const carom_node *parameters, carom_dynamics **dynamics,
                                    carom_error *error);
carom_status carom_dynamics_from_functions(carom_arena *arena, const carom_functions *functions,
                                           carom_dynamics **dynamics, carom_error *error);

carom_status carom_dynamics_work_init(carom_dynamics_work *work, carom_arena *arena,
                                      const carom_dynamics *dynamics, carom_error *error);

/// Sets the parameters and modes of a work space (both arrays complete, copied).
void carom_dynamics_configure(const carom_dynamics *dynamics, carom_dynamics_work *work,
                              const double *parameters, const double *modes);

/// The rates of y without row forces, then those of the powers that `has_power` names: what a step
/// of free motion needs, in the order it needs it. `rate` must not overlap y.
carom_status carom_dynamics_flow(const carom_dynamics *dynamics, carom_dynamics_work *work,
                                 double t, const double *y, double *rate);

/// u' and z' without row forces. The arrays of `rates` belong to the caller.
carom_status carom_dynamics_free(const carom_dynamics *dynamics, carom_dynamics_work *work,
                                 double t, const double *y, carom_rates *rates);

/// The same plus all rows, into work->rows.
carom_status carom_dynamics_rows(const carom_dynamics *dynamics, carom_dynamics_work *work,
                                 double t, const double *y, carom_rates *rates);

/// Encloses the rows in a box of states (`size` of them). False: models given by functions cannot.
bool carom_dynamics_bound_rows(const carom_dynamics *dynamics, carom_dynamics_work *work,
                               carom_interval t, const carom_interval *y);
/// After that: what the velocity and the free rate of row k can be.
carom_interval carom_dynamics_velocity_bound(const carom_dynamics *dynamics,
                                             const carom_dynamics_work *work, int k);
carom_interval carom_dynamics_free_rate_bound(const carom_dynamics *dynamics,
                                              const carom_dynamics_work *work, int k);

carom_status carom_dynamics_energy(const carom_dynamics *dynamics, carom_dynamics_work *work,
                                   double t, const double *y, carom_energy *energy);

/// dE/dq and dE/du of kinetic + potential energy (conservative systems), size nq + n.
carom_status carom_dynamics_energy_slope(const carom_dynamics *dynamics, carom_dynamics_work *work,
                                         double t, const double *y, double *slope);

/// Of coordinates whose rates are z' = G u: G (turned x n), and for each invariant its value and
/// its slopes by these coordinates (1 + turned). Either may be NULL; nothing is written where there
/// are no such coordinates.
carom_status carom_dynamics_turning(const carom_dynamics *dynamics, carom_dynamics_work *work,
                                    double t, const double *y, double *G, double *invariants);

/// After CAROM_ERR_NONFINITE from one of the above at (t, y): which expression produced it, as text
/// in `arena`, or NULL.
const char *carom_dynamics_blame(const carom_dynamics *dynamics, carom_dynamics_work *work,
                                 carom_arena *arena, double t, const double *y);

#endif
