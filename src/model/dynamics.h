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

typedef struct carom_evaluator carom_evaluator;

/// Register programs, all over the same inputs; NULL where there is nothing to evaluate.
typedef struct carom_dynamics_programs {
  carom_program *free, *row, *energy;
  carom_program *turning; // dz'/du of turned coordinates, invariants, their slopes by z
  carom_program *flow;    // u, u', z' and the powers there are, with no row forces
  carom_program_code *flow_code;
} carom_dynamics_programs;

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
  int invariants;
  carom_dynamics_programs programs;
  int flow_count;
  carom_node *flow; // the outputs of programs.flow as expressions
  // given by functions
  const carom_functions *functions;
  const carom_evaluator *evaluator; // who answers
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

/// The pure evaluator: what a system answers at (t, y), in the parameters and modes of a work
/// space. Answers follow from the arguments alone, so that asking twice, or not at all, changes no
/// bit of a motion; nothing is allocated and nothing is kept but in the work space. All of the
/// engine asks through these functions: whoever supplies them (register programs, functions of a
/// user, a kernel for bodies, another processor) can take the place of the others. Entries may be
/// NULL where it is said; what needs them then falls back or refuses.
struct carom_evaluator {
  /// u' and z' without row forces, and the powers of drive, force and damper. The arrays of `rates`
  /// belong to the caller.
  carom_status (*free)(const carom_dynamics *dynamics, carom_dynamics_work *work, double t,
                       const double *y, carom_rates *rates);
  /// The same plus all rows, into work->rows.
  carom_status (*rows)(const carom_dynamics *dynamics, carom_dynamics_work *work, double t,
                       const double *y, carom_rates *rates);
  carom_status (*energy)(const carom_dynamics *dynamics, carom_dynamics_work *work, double t,
                         const double *y, carom_energy *energy);
  /// dE/dq and dE/du of kinetic + potential energy, size nq + n. NULL: energy is not held, and a
  /// start is not fitted to constraints.
  carom_status (*energy_slope)(const carom_dynamics *dynamics, carom_dynamics_work *work, double t,
                               const double *y, double *slope);
  /// The rates of y without row forces, then those of the powers that `has_power` names: what a
  /// step of free motion needs, in the order it needs it. `rate` must not overlap y. NULL: by
  /// `free`.
  carom_status (*flow)(const carom_dynamics *dynamics, carom_dynamics_work *work, double t,
                       const double *y, double *rate);
  /// Of coordinates whose rates are z' = G u: G (turned x n), and for each invariant its value and
  /// its slopes by these coordinates (1 + turned). Either may be NULL; nothing is written where
  /// there are no such coordinates. NULL: there are none.
  carom_status (*turning)(const carom_dynamics *dynamics, carom_dynamics_work *work, double t,
                          const double *y, double *G, double *invariants);
  /// Encloses the rows in a box of states (`size` of them); after that, what the velocity (or the
  /// free rate) of row k can be. NULL: forces that are rounding are not told from others.
  void (*bound_rows)(const carom_dynamics *dynamics, carom_dynamics_work *work, carom_interval t,
                     const carom_interval *y);
  carom_interval (*row_bound)(const carom_dynamics *dynamics, const carom_dynamics_work *work,
                              bool free_rate, int k);
  /// After CAROM_ERR_NONFINITE at (t, y): which expression produced it, as text in `arena`, or
  /// NULL. NULL: nobody knows.
  const char *(*blame)(const carom_dynamics *dynamics, carom_dynamics_work *work,
                       carom_arena *arena, double t, const double *y);
};
extern const carom_evaluator carom_program_evaluator, carom_function_evaluator;

// What is asked, of whoever answers.

static inline carom_status carom_dynamics_free(const carom_dynamics *dynamics,
                                               carom_dynamics_work *work, double t, const double *y,
                                               carom_rates *rates) {
  return dynamics->evaluator->free(dynamics, work, t, y, rates);
}

static inline carom_status carom_dynamics_rows(const carom_dynamics *dynamics,
                                               carom_dynamics_work *work, double t, const double *y,
                                               carom_rates *rates) {
  return dynamics->evaluator->rows(dynamics, work, t, y, rates);
}

static inline carom_status carom_dynamics_energy(const carom_dynamics *dynamics,
                                                 carom_dynamics_work *work, double t,
                                                 const double *y, carom_energy *energy) {
  *energy = (carom_energy){0};
  if (!dynamics->has_energy) return CAROM_OK;
  return dynamics->evaluator->energy(dynamics, work, t, y, energy);
}

static inline carom_status carom_dynamics_energy_slope(const carom_dynamics *dynamics,
                                                       carom_dynamics_work *work, double t,
                                                       const double *y, double *slope) {
  if (!dynamics->evaluator->energy_slope) return CAROM_ERR_UNSUPPORTED;
  return dynamics->evaluator->energy_slope(dynamics, work, t, y, slope);
}

static inline carom_status carom_dynamics_turning(const carom_dynamics *dynamics,
                                                  carom_dynamics_work *work, double t,
                                                  const double *y, double *G, double *invariants) {
  if (dynamics->turned == 0) return CAROM_OK;
  return dynamics->evaluator->turning(dynamics, work, t, y, G, invariants);
}

static inline bool carom_dynamics_bound_rows(const carom_dynamics *dynamics,
                                             carom_dynamics_work *work, carom_interval t,
                                             const carom_interval *y) {
  if (dynamics->rows == 0 || !dynamics->evaluator->bound_rows) return false;
  dynamics->evaluator->bound_rows(dynamics, work, t, y);
  return true;
}

static inline carom_interval carom_dynamics_row_bound(const carom_dynamics *dynamics,
                                                      const carom_dynamics_work *work,
                                                      bool free_rate, int k) {
  return dynamics->evaluator->row_bound(dynamics, work, free_rate, k);
}

static inline const char *carom_dynamics_blame(const carom_dynamics *dynamics,
                                               carom_dynamics_work *work, carom_arena *arena,
                                               double t, const double *y) {
  if (!dynamics->evaluator->blame) return NULL;
  return dynamics->evaluator->blame(dynamics, work, arena, t, y);
}

#endif
