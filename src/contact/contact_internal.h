// SPDX-License-Identifier: MIT
/// Inside the contact room: the problem in scaled, mirrored form, the linear system of a set of
/// modes, and small optimisation over its null space.
#ifndef CAROM_CONTACT_CONTACT_INTERNAL_H
#define CAROM_CONTACT_CONTACT_INTERNAL_H

#include "contact/contact.h"
#include "contact/small_program.h"

/// The problem reduced to the rows that take part (constraints, then N and T of each contact), each
/// scaled by a power of two, tangents turned so that the free tangential rate is >= 0. Hatted
/// quantities are lambda^ = lambda / scale, rate^ = rate scale. Powers of two make the scaling free
/// of rounding; the turning makes mirrored problems the same problem.
typedef struct scaled_problem {
  int rows, constraints, contacts;
  int *source;    // [rows] the caller's row
  double *scale;  // [rows] with the sign of the turning
  double *metric; // [rows] |scale| / largest, the weight of a force in the norm
  double *G, *b;  // scaled
  int *start;     // [rows + 1] of long rows: where their entries of G that are not zero are listed
  int *column;    // [start[rows]]
  int *normal;    // [contacts]
  int *tangent;   // [contacts], -1: without friction
  int *cross;     // [contacts], -1: without a second tangent
  double *stick;  // [contacts] in scaled forces: |T| <= stick N
  double *slide;  // [contacts]
  int *sliding;   // [contacts] turned
  int *braking;   // [contacts] turned
  double *floor;  // [contacts] scaled
  bool *turned;   // [contacts]
  double size;    // largest |b| or floor
  double unit;    // largest scale
} scaled_problem;

/// value = constant + rate_factor rate[rate_row] + sum of factor[i] lambda[row[i]], wanted >= 0.
typedef struct contact_form {
  double constant, rate_factor, factor[2];
  int rate_row, row[2];
  double weight; // makes the value a force of the caller, divided by the largest scale
  int contact;
  carom_contact_condition condition;
} contact_form;

/// Rows of many contacts are mostly zero: from so many on the entries that are not are listed.
enum { CONTACT_LONG_ROW = 64 };

/// In which order a matrix is decomposed, and which of its entries are looked at.
typedef struct contact_order {
  int *rows, *columns;
  double *bound;       // [equations] no entry of a row in the columns that are left is above
  int *left;           // [unknowns] columns of a pivot's row that are left and not zero
  int *first, *beside; // [rank + 1], [first[rank]] the same of all pivots' rows, by place
} contact_order;

/// The equalities of a set of modes: lambda = offset + E x with one or two rows per unknown; some
/// rates are zero. After solving, lambda = particular + (null space) z.
typedef struct contact_system {
  int unknowns, equations, rank;
  int *unknown_row;  // [unknowns] row with factor 1
  int *coupled_row;  // [unknowns] second row, or -1
  double *coupling;  // [unknowns] its factor
  int *equation_row; // [equations]
  double *offset;    // [rows] forces given by the modes
  double *A;         // [equations][unknowns] decomposed
  double *x, *right, *residual;
  contact_order order;
  bool consistent; // the equalities can be met
  double misfit;   // largest rate left where they cannot
  double determinant;
  double smallest;       // pivot taken, relative to the largest
  double *lambda, *rate; // [rows] of the particular solution
  int nullity;
  double *null_lambda, *null_rate; // [nullity][rows]
  int forms;
  contact_form *form;
} contact_system;

/// From CONTACT_SEVERAL contacts on the friction solver is asked before modes are searched, from
/// CONTACT_MANY on the search looks at little more, from CONTACT_TOO_MANY on at nothing.
enum { CONTACT_SEVERAL = 4, CONTACT_MANY = 9, CONTACT_TOO_MANY = 17 };

/// What the friction solver is asked, and room for it; empty where no problem has many contacts.
typedef struct contact_proposal {
  double *reduced, *right;  // [rows][rows], [rows] without constraints
  bool *gone;               // [rows]
  int *pivots, pivot_count; // [constraints] rows in the order in which they were eliminated
  double *W, *q, *mu;       // [2 contacts][2 contacts], [2 contacts], [contacts]
  struct carom_friction_workspace *solver;
} contact_proposal;

/// Of a choice in space: the problem turned, and the directions in which contacts start to slip.
typedef struct turned_problem {
  double *G, *b, *direction;
  int *sliding;
} turned_problem;

/// What a choice has found, for the caller.
typedef struct found_modes {
  carom_contact_mode *chosen, *other;
  double *lambda, *rate, *other_lambda, *other_rate;
} found_modes;

struct carom_contact_workspace {
  int max_rows, max_contacts;
  scaled_problem now, later;
  contact_system system;
  small_program program;
  contact_proposal proposal;
  struct space_room *together; // contacts in space at once; NULL: they are not
  int *modes;                  // turned modes
  // of a choice, in turned modes and scaled rates
  int *trial, *best, *current, *later_modes;
  double *probe_lambda, *probe_rate, *best_lambda, *best_rate, *swap;
  double *basis;
  int *order;
  bool *fixed; // [rows] of `order`: rates that no force of the modes at hand changes
  turned_problem turned;
  found_modes found;
};

/// Fills `scaled` from `problem`.
void contact_scale(const carom_contact_problem *problem, scaled_problem *scaled);
/// The mode in the turned problem, and back (the same map).
carom_contact_mode contact_turn_mode(const scaled_problem *scaled, int contact,
                                     carom_contact_mode mode);
/// Brings a caller's mode into the form used for this contact: without friction CLOSED, OPEN.
carom_contact_mode contact_normal_mode(const scaled_problem *scaled, int contact,
                                       carom_contact_mode mode);

enum { CONTACT_UNDECIDED = -1 }; // a contact of a part-set: only what holds in every mode

/// Builds unknowns, equations and forms of the turned modes (CONTACT_UNDECIDED allowed).
void contact_system_build(const scaled_problem *p, const int *modes, contact_system *s);
void contact_system_add_form(contact_system *s, contact_form form);
/// Decomposes and solves: particular solution, rank, null space (orthonormal in the metric), with
/// the particular solution of least norm.
void contact_system_solve(const scaled_problem *p, contact_system *s);
/// Value of a form; `with_constant` false: of a direction.
double contact_form_value(const contact_form *form, const double *lambda, const double *rate,
                          bool with_constant);
/// Smallest violation allowed for forces as large as lambda.
double contact_slack(const scaled_problem *p, const double *lambda);
/// Do all forms hold at (lambda, rate)?
bool contact_forms_hold(const scaled_problem *p, const contact_system *s, const double *lambda,
                        const double *rate);
/// Does an admissible force exist for the solved system? On success lambda, rate hold one (not of
/// least norm). `part`: forgive more, for part-sets that are only to be discarded when hopeless.
bool contact_system_feasible(const scaled_problem *p, contact_system *s, small_program *g,
                             bool part, double *lambda, double *rate);
/// The least-norm force of the solved system, or (returning false) the one of best margin.
bool contact_system_least(const scaled_problem *p, contact_system *s, small_program *g,
                          double *lambda, double *rate);
/// The margin of the solved system.
void contact_system_margin(const scaled_problem *p, contact_system *s, small_program *g,
                           carom_contact_margin *margin);
/// The coefficient of contact i (turned modes, slipping): see carom_contact_choice.
double contact_coefficient(const scaled_problem *p, const int *modes, int contact,
                           contact_system *s);

/// Element (row, row) of the inverse of the system built, 0 when it is singular. `fresh`: decompose
/// first.
double contact_system_inverse(const scaled_problem *p, contact_system *s, int row, bool fresh);

/// The answer for one contact alone where it is clear; false: search.
bool contact_choose_alone(const carom_contact_problem *problem, const carom_contact_query *query,
                          carom_contact_choice *choice);

void contact_proposal_init(contact_proposal *g, carom_arena *arena, int max_rows, int max_contacts);
/// Proposes modes (turned) for the problem, by mu at the first attempt (0); attempts 1 and 2 go on
/// from there with mu_s where contacts stick, and everywhere. False: nothing (else) to propose.
bool contact_propose(const scaled_problem *p, contact_proposal *g, const int *current, int attempt,
                     int *modes);
/// The forces that modes by mu were read off, of all rows; false: there was no such solution.
bool contact_proposed_forces(const scaled_problem *p, contact_proposal *g, int *modes,
                             const int *current, double *lambda);

/// Scaled forces as the caller's, with the rates (nullable) of all the caller's rows.
void contact_write_back(const carom_contact_problem *problem, const scaled_problem *p,
                        const double *scaled_lambda, double *lambda, double *rate);

#endif
