// SPDX-License-Identifier: MIT
/// Impacts of any number of contacts with energetic restitution and Coulomb friction, resolved
/// while they last (Darboux and Keller's impulse dynamics; the distributing law of Liu, Zhao,
/// Brogliato 2008 for several contacts, with friction as in Zhao, Liu, Ma 2013).
///
/// Positions are frozen. Each contact has a fictitious compression x >= 0 and a normal force
///
///   F = k x^a,     dv/ds = G (F, T),     dx/ds = -v_N / eta,   eta = 1 (v_N <= 0) or e^2 (v_N >
///   0),
///
/// so that forces share out by stored energies E = k x^(a+1) / (a+1) alone, and a fraction 1 - e^2
/// of what an expansion takes from E is lost. A contact without compression joins as soon as it
/// approaches; it ends when x = 0 with v_N > 0, and may begin again. With equal exponents the
/// outcome depends on ratios of stiffnesses only. e = 0 is the limit e -> 0: the stored energy
/// vanishes when compression ends, and the contact may be compressed again from zero; only where
/// others push harder than when it began, a rest of the compression stays (nothing is given back,
/// so nothing else moves meanwhile).
///
/// Friction. A contact that slips has T = -sign(v_T) mu F. Slip that reaches zero sticks if it can:
/// contacts at v_T = 0 stick while forces T with v_T' = 0 and |T| <= mu_s F exist for all of them
/// together; where T is not unique (dependent tangents) the split of least norm is reported, which
/// does not touch the motion. If that fails, the fewest contacts slip, each against its friction.
///
/// One contact alone (or one that leaves the others untouched) is solved in closed form, piecewise
/// over compression and expansion, slip, stick and reversed slip. Several contacts are integrated
/// by collocation of high degree in variables in which start and end of a contact are regular, from
/// one located event to the next.
///
/// Energy never grows for e <= 1. Mirrored problems (tangents with the other sign) give mirrored
/// outcomes to the last bit.
#ifndef CAROM_IMPACT_ENERGETIC_H
#define CAROM_IMPACT_ENERGETIC_H

#include "impact/impact.h"

/// When the expansion of a contact ends. Contacts that strike together know the energetic rule
/// only.
typedef enum carom_energetic_stop {
  CAROM_STOP_ENERGETIC, // work given back = e^2 work taken (Stronge)
  CAROM_STOP_KINETIC,   // impulse of expansion = e impulse of compression (Poisson)
  CAROM_STOP_KINEMATIC  // v_N+ = -e v_N- (Newton)
} carom_energetic_stop;

/// A user's friction force during the impact for a normal force >= 0 and a slip velocity.
typedef double (*carom_tangential_law)(void *ctx, int contact, double normal_force, double slip);

/// What a contact does in a way of its own; all zero is the law as told above.
typedef struct carom_energetic_habit {
  carom_energetic_stop stop;
  bool waits; // unless it approaches, it takes no part until those that do have finished
  bool holds; // another model: with e = 0 it keeps v_N = 0 after its compression while others push
              // it, instead of being compressed again
} carom_energetic_habit;

/// The problem; all arrays are the caller's. Of `impact`, law is not used. All contacts given touch
/// (gap 0), closed ones too. Constraint rows keep their velocity.
typedef struct carom_energetic_problem {
  carom_impact_problem impact;
  const double *stiffness;            // [contacts] k > 0 [N/m^a]
  const double *exponent;             // [contacts] a > 0; 3/2: Hertz
  const carom_energetic_habit *habit; // [contacts]; NULL: none
  const bool *has_law; // [contacts] friction by `law` in place of Coulomb's; NULL: none
  carom_tangential_law law;
  void *law_ctx;
} carom_energetic_problem;

/// Start from carom_energetic_options_default().
typedef struct carom_energetic_options {
  double tolerance;  // error of velocities after, relative to the speed of approach
  bool integrate;    // no closed form: for tests
  int max_steps;     // of the integration; more: CAROM_ERR_LIMIT
  double fixed_step; // > 0: steps of this length in s wherever events allow, to show the order
  int rounds;        // in which what is stored must halve, or the impact is ended; tuned, see ends
} carom_energetic_options;
carom_energetic_options carom_energetic_options_default(void); // tolerance 1e-12, rounds 10

typedef enum carom_energetic_event_kind {
  CAROM_ENERGETIC_JOINS,      // compression begins
  CAROM_ENERGETIC_COMPRESSED, // compression ends, v_N = 0
  CAROM_ENERGETIC_AGAIN,      // compressed again before its energy was spent
  CAROM_ENERGETIC_ENDS,       // energy spent, x = 0
  CAROM_ENERGETIC_STICKS,     // slip has stopped
  CAROM_ENERGETIC_SLIPS_PLUS, // slip begins, or reverses
  CAROM_ENERGETIC_SLIPS_MINUS,
  CAROM_ENERGETIC_HELD, // a contact that holds: v_N is kept at 0 from here
  CAROM_ENERGETIC_EVENTS
} carom_energetic_event_kind;

/// An entry of the log of an impact.
typedef struct carom_energetic_event {
  double impulse; // sum of all normal impulses so far: the time-like variable
  carom_energetic_event_kind kind;
  int contact;
} carom_energetic_event;

typedef enum carom_energetic_end {
  CAROM_ENERGETIC_FINISHED,
  // what is stored does not fade as impulse passes: contacts hold each other (wedge), swing on
  // without loss (cage), or hardly fade
  CAROM_ENERGETIC_LOCKED,
  CAROM_ENERGETIC_EXHAUSTED, // max_steps reached
  CAROM_ENERGETIC_NO_RULE    // several contacts, one of them with a rule that is for one alone
} carom_energetic_end;

enum { CAROM_ENERGETIC_LOG = 256, CAROM_ENERGETIC_WORD = 64 };

/// The outcome; the arrays live in the workspace until its next use.
typedef struct carom_energetic_result {
  double *impulse, *after; // [rows] over the whole impact
  double *lost;            // [contacts] energy lost by restitution, >= 0
  double *rubbed;          // [contacts] energy lost by friction
  double *holding;         // [contacts] energy stored at the end: of contacts that hold each other
  int *phases;             // [contacts] compressions
  // [contacts] at the end: OPEN: separates; STICK, SLIP_..., CLOSED: v_N+ = 0, v_T+ zero or of that
  // sign
  carom_contact_mode *modes;
  double energy; // P.(v+ + v-)/2 = -(sum of lost and rubbed) up to the tolerance
  // what was left at the end could change velocities by this part of the speed of approach: the
  // tolerance, or up to 1e-6 where what is stored no longer fades
  double left;
  carom_energetic_end end;
  bool closed_form;
  bool gave_up; // a choice of slipping contacts was not settled within its bounds
  int steps, iterations;
  const carom_energetic_event *log; // the first CAROM_ENERGETIC_LOG of `events`
  int events;
  // friction in the order of events, e.g. "0+ 1s 1-": contact, then + - s (slip, stick); what does
  // not fit is left out
  char word[CAROM_ENERGETIC_WORD];
} carom_energetic_result;

typedef struct carom_energetic_workspace carom_energetic_workspace;

/// A workspace for problems up to these sizes, from the arena; NULL when out of memory.
carom_energetic_workspace *carom_energetic_workspace_create(carom_arena *arena, int max_rows,
                                                            int max_contacts);

/// Solves the impact. CAROM_ERR_ARGUMENT: a coefficient out of range, or end is NO_RULE.
/// CAROM_ERR_NONFINITE: input or outcome is not finite. CAROM_ERR_NO_CONVERGENCE: by its law the
/// impact never ends (result->end is LOCKED and the result what had been reached). CAROM_ERR_LIMIT:
/// max_steps. No allocation.
carom_status carom_energetic_solve(const carom_energetic_problem *problem,
                                   const carom_energetic_options *options,
                                   carom_energetic_workspace *work, carom_energetic_result *result);

#endif
