// SPDX-License-Identifier: MIT
/// Contacts inside the event-driven engine: which are open, slipping, sticking; the forces they
/// carry; what ends a mode. The complementarity problems themselves are solved in src/contact and
/// src/impact; here they are set up from the state.
#ifndef CAROM_HYBRID_CONTACTS_H
#define CAROM_HYBRID_CONTACTS_H

#include "contact/space.h"
#include "impact/energetic.h"
#include "model/dynamics.h"
#include "scenario/scenario.h"

/// Coefficients of a contact at a state, in the order of the coefficient program's outputs.
typedef struct carom_coefficients {
#define NUMBER(name) double name;
  CAROM_CONTACT_NUMBERS(NUMBER)
#undef NUMBER
  double law_0, law_1; // a user's tangential law at normal force 0 and 1: taken as affine in it
} carom_coefficients;

/// The contacts of a model (constant).
typedef struct carom_contact_set {
  int count;
  const carom_contact *contacts;
  int *normal, *tangent; // rows; tangent -1: frictionless
  int *cross;            // row of the second tangent in space, -1: none
  int spatial;           // how many have one
  int *gap;              // which watched function its gap is
  bool *user_law;
  bool *fades;                 // its coefficient of friction varies, and may be zero for a while
  carom_node *frictions;       // CAROM_FRICTION_PARTS a contact; NULL: as they are written
  carom_program *coefficients; // over the dynamics' inputs and each contact's slip speed
  bool constant;               // they depend on parameters alone
  bool *presses; // [count][count] of contacts that others carry: does the first press the second?
                 // NULL: there are none
} carom_contact_set;

/// A slip in space: where it sets off to, or ends. While the slip is not faster than `unclear`
/// friction lies against the direction of its onset, which is near to this, or (`ends`) is this.
typedef struct carom_slip_memory {
  double direction[2], unclear;
  bool ends;
} carom_slip_memory;

/// What is remembered of a contact between events; plain data, saved with the state.
typedef struct carom_contact_memory {
  carom_contact_mode mode;
  carom_slip_memory slip;
  double last_impact; // time of its last impact, NaN: none
  double longest;     // longest flight of the present run of chatter
  double flight;      // time between its last two impacts
  double shrink;      // this over the one before
  double least;       // the shortest flight since hops were last to be told from rest
  long idle;          // impacts since that one
  double approach;    // speed at its last impact
  double slowing;     // this over the one before
  double fastest;     // speed before these:
  long fading;        // impacts in a row, by others, whose speed has shrunk
  bool sent_back;     // to its last impact by others, not by forces
  bool steady;        // the last two have shrunk by the same ratio
  bool low;    // it flies, but has not left what cannot be told from touch since its last impact
  long strike; // which impact of the motion its last one was; 0: none
  double forecast, forecast_before; // of where its bounces accumulate, at its last two impacts
  double pile;    // where the bounces that were left out would accumulate; NaN: none were
  double settles; // closed ahead of this time, at which its bounces have piled up; NaN: not so
} carom_contact_memory;

/// The contacts evaluated at a state: which are closed, their coefficients, forces and margin. It
/// follows from the state and the modes alone; a motion has one, and whoever looks on has another.
typedef struct carom_contact_evaluation {
  double *registers;
  carom_coefficients *now;
  // the closed contacts as a problem
  int closed, *which; // indices of the contacts that are closed
  int *normal, *tangent, *cross, *sliding;
  double *stick, *slide, *shifted;
  double *turned, *direction;     // of contacts in space: see space.h
  double *held;                   // [rows + 2 contacts] forces and directions that are tried
  carom_contact_mode *held_modes; // [contacts] with them
  carom_contact_mode *modes;
  double *lambda;
  bool *held_position, *held_velocity; // rows kept at zero by projection
  carom_contact_workspace *work;
  carom_contact_margin margin; // of the last evaluation of forces that asked for it
} carom_contact_evaluation;

/// The gap of a contact that does not exist: its bodies are apart, however far.
#define CAROM_ABSENT_GAP 1.0

/// What a contact's friction is written by.
typedef enum carom_friction_part {
  CAROM_FRICTION_STICK,
  CAROM_FRICTION_SLIDE,
  CAROM_FRICTION_LAW, // a law of the user's, in place of both
  CAROM_FRICTION_PARTS
} carom_friction_part;

/// The expression of that part as a contact has it in a scenario; 0: none.
carom_node carom_contact_written(const carom_contact *contact, carom_friction_part part);

/// The same with branches as modes.
static inline carom_node carom_contact_friction(const carom_contact_set *set, int k,
                                                carom_friction_part part) {
  return set->frictions ? set->frictions[CAROM_FRICTION_PARTS * k + (int)part]
                        : carom_contact_written(&set->contacts[k], part);
}

/// Is the normal force of contact k given? Then it has no gap; it is open while there is no load.
static inline bool carom_contact_is_loaded(const carom_contact_set *set, int k) {
  return set->contacts[k].load.node != 0;
}

/// Is that the force of other contacts? Then it is closed while one of those is.
static inline bool carom_contact_is_carried(const carom_contact_set *set, int k) {
  return set->contacts[k].carried;
}

/// Is one of the contacts closed that press contact k, which is carried?
bool carom_contact_is_borne(const carom_contact_set *set, const carom_contact_memory *memory,
                            int k);

carom_status carom_contact_set_compile(carom_contact_set *set, carom_arena *arena,
                                       const carom_scenario *scenario,
                                       const carom_dynamics *dynamics, carom_error *error);
carom_status carom_contact_evaluation_init(carom_contact_evaluation *contact, carom_arena *arena,
                                           const carom_contact_set *set,
                                           const carom_dynamics *dynamics, carom_error *error);
void carom_contact_configure(const carom_contact_set *set, carom_contact_evaluation *contact,
                             const carom_dynamics *dynamics, const double *parameters,
                             const double *modes);

/// Coefficients of all contacts at a state whose rows have just been evaluated.
void carom_contact_coefficients(const carom_contact_set *set, carom_contact_evaluation *contact,
                                const carom_dynamics *dynamics, const carom_rows *rows, double t,
                                const double *y);

/// Coefficients of contact k at another slip, the rest as last evaluated.
carom_coefficients carom_contact_law_at(const carom_contact_set *set,
                                        const carom_contact_evaluation *contact,
                                        const carom_dynamics *dynamics, int k, double slip);

/// After a change of modes: the list of closed contacts and the rows held at zero.
void carom_contact_list_closed(const carom_contact_set *set, carom_contact_evaluation *contact,
                               const carom_contact_memory *memory, int rows, int constraints);

/// How fast contact k slides, whichever way; 0 without friction.
double carom_contact_speed(const carom_contact_set *set, const carom_rows *rows, int k);

/// The problem of the closed contacts at the state just evaluated. Those in space that slip have
/// their tangents turned along the slip.
carom_contact_problem carom_contact_problem_now(const carom_contact_set *set,
                                                carom_contact_evaluation *contact,
                                                const carom_contact_memory *memory,
                                                const carom_rows *rows, int row_count,
                                                int constraints);

/// The matrix and the right-hand side (contact->turned, contact->shifted) of a problem whose
/// contacts in space slide along their slips, and the way back, for contact->lambda. Back is true
/// where what sticks is inside its round cone; `margin` asks for the least of that in
/// contact->margin.
void carom_contact_turn_along(const carom_contact_set *set, carom_contact_evaluation *contact,
                              const carom_contact_memory *memory, const carom_rows *rows,
                              int row_count);
bool carom_contact_turn_back(const carom_contact_set *set, carom_contact_evaluation *contact,
                             bool margin);

/// Forces along all rows in the present modes (contact->lambda); `margin` asks for contact->margin.
bool carom_contact_evaluate(const carom_contact_set *set, carom_contact_evaluation *contact,
                            const carom_contact_memory *memory, const carom_dynamics *dynamics,
                            const carom_rows *rows, int constraints, double t, const double *y,
                            bool margin);

#endif
