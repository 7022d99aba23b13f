// SPDX-License-Identifier: MIT
/// Contact forces with Coulomb friction in the plane, for any number of contacts.
///
/// Rows carry rates (accelerations, or velocities in an impact) that are linear in the forces (or
/// impulses) along them:
///
///   rate = b + G lambda,     G = W M^-1 W^T symmetric positive semidefinite, often singular.
///
/// The first rows are bilateral constraints (rate = 0). Each contact owns a normal row and, with
/// friction, a tangent row. Rows that belong to nothing carry no force and no condition, so the
/// rows of far contacts may stay in the arrays. A contact is in one of these modes:
///
///   OPEN        lambda = 0,                                          rate_N >= 0
///   STICK       lambda_N >= 0, |lambda_T| <= mu_s lambda_N,          rate_N = 0, rate_T = 0
///   SLIP_PLUS   lambda_N >= 0, lambda_T = -mu lambda_N,              rate_N = 0, rate_T >= 0 at a
///   start SLIP_MINUS  lambda_N >= 0, lambda_T = +mu lambda_N,              rate_N = 0, rate_T <= 0
///   at a start CLOSED      lambda_N >= 0 (contacts without friction)            rate_N = 0
///
/// A set of modes is admissible when forces with all these conditions exist; this, never the sign
/// of one particular solution, decides what opens and what slips. Where the forces are not unique,
/// the one of least Euclidean norm over all rows is taken.
///
/// Tolerances. All comparisons are made after scaling row i by a power of two near 1/sqrt(G_ii):
/// then forces and rates have one unit. An inequality holds when it is violated by at most
/// CAROM_CONTACT_TOLERANCE (|b| + |lambda| / 100), largest elements, and never by more than 1000
/// times CAROM_CONTACT_TOLERANCE |b|; a pivot below CAROM_CONTACT_RANK of the largest is zero.
/// Conditions are weak: a contact with rate_N = 0 and lambda_N = 0 is as admissible open as closed,
/// and persistence of the current modes decides, so that nothing flickers.
///
/// Mirrored problems (tangent rows with the other sign) give mirrored answers to the last bit, as
/// do problems scaled by powers of four in mass and two in force. No function here allocates. One
/// workspace serves one thread.
#ifndef CAROM_CONTACT_CONTACT_H
#define CAROM_CONTACT_CONTACT_H

#include "base/arena.h"

#define CAROM_CONTACT_TOLERANCE 1e-10
#define CAROM_CONTACT_RANK 1e-11

typedef enum carom_contact_mode {
  CAROM_CONTACT_OPEN,
  CAROM_CONTACT_STICK,
  CAROM_CONTACT_SLIP_PLUS,
  CAROM_CONTACT_SLIP_MINUS,
  CAROM_CONTACT_CLOSED, // without friction
  // with a floor > 0 (expansion of an impact) a contact is pushed by lambda_N = floor while it
  // opens, rate_N >= 0, and friction acts on: these take the place of OPEN
  CAROM_CONTACT_PUSHED_STICK,
  CAROM_CONTACT_PUSHED_PLUS,
  CAROM_CONTACT_PUSHED_MINUS,
  CAROM_CONTACT_PUSHED, // without friction
  CAROM_CONTACT_MODES
} carom_contact_mode;

/// The problem; all arrays are the caller's.
typedef struct carom_contact_problem {
  int rows, constraints, contacts;
  const int *normal;  // [contacts] row of each normal
  const int *tangent; // [contacts] row of each tangent; -1: without friction
  // [contacts] in space: row of the second tangent, orthonormal to the first; -1: none. NULL: all
  // in the plane. A contact that slips has its first tangent along the slip; one at rest may stick
  // (both rates zero, its cone is asked for elsewhere: space.h) or open
  const int *cross;
  const double *G;             // [rows][rows], symmetric
  const double *b;             // [rows]
  const double *stick, *slide; // [contacts] mu_s >= mu >= 0; both 0 is the same as tangent -1
  // [contacts] sign of the slip velocity, +1 or -1: the contact can only slip that way (or open);
  // 0: the slip velocity is zero: it may stick, or start to slip either way
  const int *sliding;
  const double *floor; // [contacts] least lambda_N >= 0, as used by impacts; NULL: all 0
  // [contacts] impacts: sign of the slip before, +1, -1 or 0; NULL: all 0. Slip is stopped by mu;
  // only a contact that has stopped is held by mu_s: sign * lambda_T is in [-mu, mu_s] lambda_N
  const int *braking;
} carom_contact_problem;

typedef struct carom_contact_workspace carom_contact_workspace;

/// A workspace for problems up to these sizes, from the arena; NULL when out of memory.
carom_contact_workspace *carom_contact_workspace_create(carom_arena *arena, int max_rows,
                                                        int max_contacts);

/// What ends the admissibility of a set of modes.
typedef enum carom_contact_condition {
  CAROM_CONDITION_NONE,
  CAROM_CONDITION_NORMAL,     // lambda_N >= 0
  CAROM_CONDITION_CONE_PLUS,  // lambda_T <= mu_s lambda_N: slip towards minus is next
  CAROM_CONDITION_CONE_MINUS, // -lambda_T <= mu_s lambda_N: slip towards plus is next
  CAROM_CONDITION_OPENING,    // rate_N >= 0 of an open contact
  CAROM_CONDITION_START,      // slip starts in its own direction
  CAROM_CONDITION_EQUALITY    // the rates cannot all be zero
} carom_contact_condition;

/// How far a set of modes is from its end: the best over all forces that satisfy the equalities of
/// the smallest of lambda_N, mu_s lambda_N -/+ lambda_T (forces), rate_N / G_NN of open contacts
/// and rate_T / G_TT of starting slips. Positive inside, negative outside, continuous along a
/// motion (for unique forces as smooth as they are), so that its zero is where the modes end. Where
/// the coefficient of a sliding contact passes through zero the forces go through infinity: there
/// it falls from plus to minus infinity, and `determinant` (of the scaled system) changes its sign.
typedef struct carom_contact_margin {
  double value;
  double determinant; // 0 where the forces are not unique
  int contact;        // the binding one, -1: none
  carom_contact_condition condition;
} carom_contact_margin;

/// Forces for given modes. `lambda` and `rate` (nullable) have room for all rows; `margin` is
/// nullable (it costs extra only where forces are not unique).
/// Returns true when the set is admissible. When not, `lambda` continues smoothly what it was
/// inside (the unique solution of the equalities, or the one of best margin), so that an integrator
/// may step over the end and locate it. The equalities hold to round-off whenever they can.
bool carom_contact_forces(const carom_contact_problem *problem, const carom_contact_mode *modes,
                          carom_contact_workspace *work, double *lambda, double *rate,
                          carom_contact_margin *margin);

typedef enum carom_contact_outcome {
  CAROM_CONTACT_CONSISTENT,
  // Painleve: flight and contact are both consistent, and the contact coefficient is <= 0
  CAROM_CONTACT_INDETERMINATE,
  // no set of modes is admissible: resolve by an impact
  CAROM_CONTACT_INCONSISTENT
} carom_contact_outcome;

/// What to ask of carom_contact_choose. Start from carom_contact_query_default().
typedef struct carom_contact_query {
  // the modes up to now: they persist while admissible. OPEN for contacts that just came to touch
  const carom_contact_mode *current;
  // the same problem a moment later on the motion (nullable): a set must be admissible in both. At
  // a located end of modes every set next to it is weakly admissible; only this tells which lasts.
  // Take the moment long enough for forces to change by 1e-8 of their size
  const carom_contact_problem *ahead;
  // sets that are out of the question, e.g. tried at this instant already
  const carom_contact_mode *excluded; // [excluded_count][contacts]
  int excluded_count;
  bool find_other; // look for another consistent set with different rates
  bool flight;     // resolve an indeterminate state by flight; off: by the usual preference
  bool blame;      // where nothing is consistent: look for the contact that stands in the way
  int pushing;     // a contact that must carry lambda_N > 0 (impact without collision), or -1
  int node_limit;  // sets and part-sets to look at before giving up
} carom_contact_query;
carom_contact_query carom_contact_query_default(const carom_contact_mode *current);

/// The answer; the arrays live in the workspace until its next use in a choice.
typedef struct carom_contact_choice {
  carom_contact_outcome outcome;
  carom_contact_mode *modes; // [contacts]
  double *lambda, *rate;     // [rows]
  // is there another consistent set (or, in the same modes, another admissible force) with
  // different rates? Then the other_ arrays hold it
  bool unique;
  carom_contact_mode *other_modes;
  double *other_lambda, *other_rate;
  // of the contact closest to Painleve's paradox: the rate_N that one unit of its normal force with
  // sliding friction causes while the others keep their conditions (one contact:
  // G_NN - sign mu G_NT); contact -1 when nothing slides
  double coefficient;
  int contact;
  bool clear;   // no other set holds now, nor a moment later where that was asked, not even nearly
  int nodes;    // sets and part-sets looked at
  bool gave_up; // node_limit was reached: the answer may not be the preferred one, or not unique
} carom_contact_choice;

/// Chooses the modes: the current ones while admissible; else most contacts sticking, then fewest
/// changes from the current modes, then fewest contacts open, then the least norm of forces, none
/// of which depends on the order of contacts. Between sets alike changes at the lowest index come
/// first, and slip in the direction of the free tangential rate.
/// Uniqueness: a start of slip with mu_s > mu is not held against a stick that is admissible: it
/// counts as another solution only if it would also be consistent with mu_s in place of mu.
/// On CAROM_CONTACT_INCONSISTENT `modes` are the current ones and lambda is 0.
void carom_contact_choose(const carom_contact_problem *problem, const carom_contact_query *query,
                          carom_contact_workspace *work, carom_contact_choice *choice);

/// Is the mode one of slipping, and which way: -1, 0, +1.
int carom_contact_slip_sign(carom_contact_mode mode);
/// Does a contact in this mode stay closed (rate_N = 0)?
bool carom_contact_is_closed(carom_contact_mode mode);

#endif
