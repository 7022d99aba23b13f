// SPDX-License-Identifier: MIT
/// Contacts in space: friction has a direction.
///
/// A contact has two orthonormal tangents with slip velocity s = (s1, s2). While it slips, friction
/// is -mu N d with d = s / |s|: with its tangents turned so that the first one lies along d it is a
/// contact in the plane that slips towards plus, and the second row carries nothing. At rest both
/// rows are held, and stick ends where |lambda_T| = mu_s N. Which way it slips then solves
///
///   rate_T(d) = kappa d,  kappa > 0,  with the force (N(d), -mu N(d) d),  N(d) > 0:
///
/// the slip that sets off is along the friction that it feels. For one contact the component of
/// rate_T across d is, times the coefficient G_NN - mu G_NT d of N, a trigonometric polynomial of
/// degree 2 in the angle of d: there are at most four such directions, of which kappa > 0 leaves
/// fewer.
#ifndef CAROM_CONTACT_SPACE_H
#define CAROM_CONTACT_SPACE_H

#include "contact/contact.h"

/// Turns rows a and b of G [rows][rows] and of `vector` [rows] (nullable), so that row a lies along
/// (d1, d2) in their plane and row b across it.
void carom_space_turn(int rows, double *G, double *vector, int a, int b, const double d[2]);

/// The choice of modes as carom_contact_choose() makes it, where some contacts are in space
/// (problem->cross). A contact that slips must be turned along its slip already. Modes that hold a
/// moment later are asked of `query->ahead` alone, if it is given. A contact at rest that has to
/// slip gets the mode SLIP_PLUS and its direction, in its own tangents, in direction[2 * contact];
/// others have (0, 0) there. Of several directions the one nearest to where stick would be pushed
/// is taken, and `unique` is false.
void carom_space_choose(const carom_contact_problem *problem, const carom_contact_query *query,
                        carom_contact_workspace *work, carom_contact_choice *choice,
                        double *direction);

/// May carom_space_solve() be asked? Contacts at rest must all be in space, and several.
bool carom_space_can_solve(const carom_contact_problem *problem);

/// Gives a workspace room for carom_space_solve(), without which nothing is solved together. False:
/// out of memory.
bool carom_space_make_room(carom_contact_workspace *work, carom_arena *arena, int max_constraints);

/// The same room for another workspace of the same motion.
void carom_space_share_room(carom_contact_workspace *work, const carom_contact_workspace *owner);

/// Forces (or impulses), modes and directions of all contacts together, by the solver of
/// carom/friction.h; `lambda` has room for all rows, `direction` is as above. False: none was
/// found. Where contacts that stick are redundant it finds forces inside the cones, if there are
/// any.
bool carom_space_solve(const carom_contact_problem *problem, carom_contact_workspace *work,
                       double *lambda, carom_contact_mode *modes, double *direction, bool *unique);

/// Forces that hold all contacts, which are at rest: those of least norm where they are inside the
/// cones, otherwise others that are, of redundant contacts. False: none were found. `modes` and
/// `direction` are room for [contacts] and [2 contacts].
bool carom_space_hold(const carom_contact_problem *problem, carom_contact_workspace *work,
                      carom_contact_mode *modes, double *lambda, double *direction);

#endif
