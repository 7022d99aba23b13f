// SPDX-License-Identifier: MIT
/// Compliant contacts: the same scenario with springs and dashpots in place of unilateral
/// constraints, as a referee that shares nothing with the solvers of rigid contact. Once the
/// equations are derived, the forces of all contacts are written into them as expressions and the
/// rows of the contacts are taken away; what remains is a smooth system with branches.
/// The laws and what to expect of them: docs/theory-compliant.md.
#ifndef CAROM_HYBRID_COMPLIANT_H
#define CAROM_HYBRID_COMPLIANT_H

#include "model/dynamics.h"
#include "scenario/scenario.h"

/// The damping ratio of a contact that lasts, which has nothing to do with restitution: a force
/// that is changed at once overshoots by little.
#define CAROM_LASTING_DAMPING 4.0

/// What a branch of a contact law stands for.
typedef enum carom_compliant_role {
  CAROM_ROLE_NONE,        // not of a contact
  CAROM_ROLE_TOUCH,       // the gap is negative
  CAROM_ROLE_PRESS,       // spring and dashpot together push
  CAROM_ROLE_NUMBER,      // no branch: a number that belongs to the present touch
  CAROM_ROLE_IMPACT,      // an impact goes on
  CAROM_ROLE_SIDE,        // the force of a slider that holds points forward
  CAROM_ROLE_COEFFICIENT, // a branch of the coefficient of friction
  CAROM_ROLE_FRICTION     // 0: the bristle holds; +1, -1: it slides
} carom_compliant_role;

/// Numbers that change only at events.
typedef enum carom_compliant_number {
  CAROM_NUMBER_DAMPING,  // damping ratio
  CAROM_NUMBER_GIVE,     // 1: the spring follows the gap; 0: it has let go (an impact with e = 0)
  CAROM_NUMBER_PUSH,     // force of the spring at gap 0
  CAROM_NUMBER_LIFT,     // gap below which there is contact
  CAROM_NUMBER_UNTIL,    // time at which an impact is over
  CAROM_NUMBER_MU_STICK, // friction of the present impact, where it differs from that of the slip
  CAROM_NUMBER_MU_SLIDE,
  CAROM_NUMBERS
} carom_compliant_number;

/// Modes are numbers into the list of branches; `sign` times the mode is positive where it holds.
typedef struct carom_compliant_contact {
  const char *name;
  int touch, press, impact;
  int side, friction;        // -1: none
  int number[CAROM_NUMBERS]; // -1: none
  int first_own, own;        // branches of the coefficient
  double touch_sign, press_sign, side_sign;
  int bristle; // component of y: the force of the bristle; in space two of them
} carom_compliant_contact;

/// What the program of limits computes per contact: forces of spring and slider, and what a touch
/// that begins is judged by.
enum {
  CAROM_LIMIT_PUSH,
  CAROM_LIMIT_SPRING,
  CAROM_LIMIT_TRIAL, // force of a slider that holds
  CAROM_LIMIT_STICK,
  CAROM_LIMIT_SLIDE,
  CAROM_LIMIT_STORED, // energy of spring and bristle
  CAROM_LIMIT_RESTITUTION,
  CAROM_LIMIT_GAP,
  CAROM_LIMIT_GAP_RATE,
  CAROM_LIMIT_SLIP,
  CAROM_LIMIT_NORMAL, // responses G_NN, G_NT, G_TT with the constraints held
  CAROM_LIMIT_COUPLING,
  CAROM_LIMIT_TANGENT,
  CAROM_LIMIT_STIFFNESS,
  CAROM_LIMIT_MU_STICK, // of impacts
  CAROM_LIMIT_MU_SLIDE,
  CAROM_LIMITS
};

typedef struct carom_compliant {
  int count;
  carom_compliant_contact *contacts;
  carom_node *forces;    // normal, tangential and second tangential of each contact, as observed
  carom_node *wanted;    // what `limits` computes
  carom_program *limits; // CAROM_LIMITS per contact
} carom_compliant;

/// Replaces the contacts' rows of `mechanics` by forces. Bristles are appended to its states and
/// branches to its kinks.
carom_status carom_compliant_apply(carom_compliant *compliant, carom_arena *arena,
                                   carom_graph *graph, const carom_scenario *scenario,
                                   carom_mechanics *mechanics, carom_error *error);

/// An observed expression with the forces of compliant contacts in place of their symbols.
carom_node carom_compliant_observed(const carom_compliant *compliant, carom_graph *graph,
                                    const carom_scenario *scenario, carom_node node);

/// Once the inputs of programs are known.
carom_status carom_compliant_compile(carom_compliant *compliant, carom_arena *arena,
                                     const carom_dynamics *dynamics, carom_error *error);

/// The role of branch `mode` and its contact (`contact` may be NULL).
carom_compliant_role carom_compliant_role_of(const carom_compliant *compliant, int mode,
                                             int *contact);

/// The damping ratio at which a linear spring and dashpot that never pull give restitution e. Below
/// CAROM_LEAST_RESTITUTION, which counts as none, a dashpot alone stops the touch.
#define CAROM_LEAST_RESTITUTION 1e-3
double carom_compliant_damping(double e);

/// A touch that begins, of a contact that is alone.
typedef struct carom_touch {
  double e;
  carom_stop_rule rule;  // what e is the ratio of: works (its square), impulses or speeds
  double approach, slip; // velocities
  double normal, coupling, tangent; // responses G_NN, G_NT, G_TT
  double mu_stick, mu_slide;
} carom_touch;

/// The damping ratio (in units of 2 sqrt(K / G_NN)) with which this touch ends with restitution e,
/// friction acting meanwhile: slip changes what the contact has to move, and may stop on the way.
double carom_touch_damping(const carom_touch *touch);

/// How long a touch lasts at most without damping, in units of 1/sqrt(K G_NN).
double carom_touch_length(const carom_touch *touch);

#endif
