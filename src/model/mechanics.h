// SPDX-License-Identifier: MIT
/// From energies, forces, constraints and contacts to equations of motion, by exact
/// differentiation.
///
///   d/dt dT/du - dT/dq + dV/dq + dD/du = Q   gives   M(q,t) u' = h(q,u,z,t)
///
/// Every constraint, contact normal and contact tangent is a *row*: a velocity
/// gamma = W u + w (from a position-level value where there is one), whose rate is
/// gamma' = W u' + zeta. Forces lambda along the rows enter as M u' = h + W^T lambda, so that
///
///   u' = a + (M^-1 W^T) lambda,      gamma' = G lambda + b,   G = W M^-1 W^T,  b = W a + zeta.
///
/// A row whose force is given moves nothing: W = 0, with G_ii that of the row behind it (so that
/// both are scaled alike) and b = -load G_ii, which makes gamma' = 0 say lambda = load. A load may
/// be linear in the forces along other rows, load = a + sum of c_j lambda_j: then b = -a G_ii and
/// G_ij = -c_j G_ii, and G is not symmetric.
///
/// Velocities need not be rates of coordinates. There are n speeds u; the first nq of them are the
/// rates of the coordinates q, and the first `turned` of the first-order states z are coordinates,
/// too, whose rates z' = G(q, z) u are given. With all coordinates x, x' = G u, the equations of
/// motion are those of Lagrange along the columns of G (Lagrange, d'Alembert),
///
///   G^T (d/dt dT/dx' - dT/dx + dV/dx - Q) + dD/du = 0   at x' = G u,
///
/// which holds for quaternions as well as for rolling. Where T is written in speeds they stand for
/// the velocities x' that they belong to, which kinematics.c turns into the terms of Boltzmann and
/// Hamel.
///
/// M is eliminated symbolically (L D L^T, no pivoting: M is positive definite), so structure is
/// exploited once and for all: a diagonal M costs n divisions.
#ifndef CAROM_MODEL_MECHANICS_H
#define CAROM_MODEL_MECHANICS_H

#include "symbolic/graph.h"
#include "symbolic/kink.h"

/// One row as given: a value to hold or watch at position level, or a velocity.
typedef struct carom_row_input {
  carom_node value;
  bool velocity_level;
  carom_node load;  // not 0: the force along the row is this, and acts on nothing but the friction
                    // along the row behind it; then there is no value
  carom_node when;  // not 0: a bilateral row that is zero unless this holds
  carom_node force; // not 0: the symbol of the force along the row, which loads may be linear in
} carom_row_input;

typedef struct carom_node_list {
  int count;
  const carom_node *nodes;
} carom_node_list;

/// What a scenario says of a mechanical system. Nodes that are not given are 0.
typedef struct carom_mechanics_input {
  carom_node time;
  int n, nq;                                  // speeds, coordinates that they are the rates of
  const carom_node *q, *u, *force;            // q_i, u_i, generalised forces
  int m, turned;                              // first-order states; the first are coordinates
  const carom_node *z_force;                  // [turned] generalised forces on them
  const carom_node *z, *z_rate, *equation;    // z_k, the symbol z_k', the expression it equals
  carom_node kinetic, potential, dissipation; // in the kinetic energy z' of coordinates is kept
  carom_place kinetic_place;
  carom_node_list invariants; // functions of the coordinates z that G keeps, zero
  int row_count;
  const carom_row_input *rows;
  bool friction; // sliding along rows takes energy
} carom_mechanics_input;

typedef struct carom_row {
  carom_node position;  // 0 at velocity level
  carom_node velocity;  // gamma
  carom_node offset;    // w = gamma - W u: the velocity of the moving surface, with a minus sign
  carom_node drift;     // zeta
  carom_node *jacobian; // W, n nodes
  carom_node *response; // M^-1 W^T, n nodes
  carom_node free_rate; // b
  carom_node load;      // of a row with a given force; else 0
  carom_node when;      // of a row that is zero unless this holds: then G_ii is 1; else 0
} carom_row;

/// What changes the energy.
typedef struct carom_powers {
  carom_node drive;  // -dL/dt at fixed q, u
  carom_node force;  // Q u
  carom_node damper; // u dD/du
} carom_powers;

typedef struct carom_mechanics {
  int n, nq, m, turned, row_count;
  carom_node time;
  const carom_node *q, *u, *z, *z_rate;
  carom_node *mass;         // n x n
  carom_node *bias;         // h
  carom_node *acceleration; // a = M^-1 h
  carom_node *equation;     // z'
  carom_row *rows;
  carom_node *delassus; // G, row_count x row_count
  // energy: kinetic + potential changes by the power of drives and forces less that of dampers
  carom_node kinetic, potential;
  carom_node drive_store; // T1 + 2 T0: the part of the drives' work that is a state function
  carom_powers power;
  bool friction;
  carom_node_list invariants; // of z alone, held at zero
  bool *cyclic; // q_i occurs in nothing that moves the system (constraints, contacts included)
  carom_kink_list kinks; // of all the above; the nodes here are free of kinks
} carom_mechanics;

/// Derives everything; memory from `arena`. CAROM_ERR_LIMIT or CAROM_ERR_MEMORY when the graph is
/// full.
carom_status carom_mechanics_derive(carom_arena *arena, carom_graph *graph,
                                    const carom_mechanics_input *input, carom_mechanics **mechanics,
                                    carom_error *error);

#endif
