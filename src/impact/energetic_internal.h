// SPDX-License-Identifier: MIT
/// Inside the energetic law: the reduced problem, the state of an impact under way, and the parts
/// that move it on.
#ifndef CAROM_IMPACT_ENERGETIC_INTERNAL_H
#define CAROM_IMPACT_ENERGETIC_INTERNAL_H

#include "base/elementary.h"
#include "impact/energetic.h"
#include "impact/fading.h"
#include "ode/stepper.h"

#include <math.h>

enum {
  ENERGETIC_NODES = 16,
  ENERGETIC_FEW_NODES = 8,
  ENERGETIC_FEW = 16,
  ENERGETIC_TABLES = 3,
  ENERGETIC_DENSE = 8
};

// Numbers that several parts share.
#define ENERGETIC_NO_RETURN 1e-9 // restitution below: 0
#define ENERGETIC_LOOSE 1e-7     // tolerance above which dense outputs are good enough at events
#define ENERGETIC_ROUGH 1e-3     // tolerance above which steps are few, and chosen for that

/// Interpolation at Chebyshev points u of a step s = h u^2, and the integrals of its polynomials.
/// Near the start of a contact F ~ s^a, which for a = 3/2 is smooth in the square root of s.
typedef struct energetic_table {
  int nodes;
  double u[ENERGETIC_NODES], weight[ENERGETIC_NODES]; // points, barycentric weights
  double phi[ENERGETIC_NODES];                        // u^2
  // [k][j]: integral over s/h of the k-th Lagrange polynomial up to node j, once and twice
  double once[ENERGETIC_NODES][ENERGETIC_NODES];
  double twice[ENERGETIC_NODES][ENERGETIC_NODES];
  double last[2][ENERGETIC_NODES]; // the two highest Chebyshev coefficients of node values
} energetic_table;

typedef enum energetic_status {
  ENERGETIC_APART,
  ENERGETIC_PRESSED,
  ENERGETIC_KEPT // at v_N = 0, by the force that is needed: it holds, or follows its load
} energetic_status;

typedef double energetic_nodes[ENERGETIC_NODES];

/// Contacts at rest (v_T = 0) with parallel tangents: they stick or slip together.
typedef struct energetic_class {
  int rep; // contact whose tangent row stands for all
  bool sticks;
  bool many;   // more than one contact
  int slip;    // sign of the slip along the row of `rep`
  int unknown; // index among the reactions, while it sticks
} energetic_class;

/// A step of the integration.
typedef struct energetic_taken {
  double h;    // length in s (start) or in the variable of the march
  int landing; // contact whose compression is the variable, or -1
  bool start;  // by collocation
} energetic_taken;

/// The problem, constant while it is solved. Contacts stand in an order that does not depend on the
/// caller's. Row 2i is the normal, row 2i + 1 the tangent of contact i. Written by energetic.c.
typedef struct energetic_problem {
  const carom_energetic_problem *asked; // the caller's
  const carom_energetic_options *options;
  int *order, *place;                          // [n] the caller's number of a contact, and back
  double *reduced;                             // [rows][rows] the caller's G without constraints
  double *H;                                   // [2n][2n]
  double *root;                                // [2n] square roots of the diagonal of H
  bool *rough;                                 // [n] has a tangent row with friction
  bool *user;                                  // [n] friction by a user's law
  double *k, *a, *e, *eta_out, *stick, *slide; // [n]; eta_out = e^2
  carom_energetic_habit *habit;                // [n]
  double tolerance;                            // of the integration
  double tiny;                                 // of the largest velocity: counts as zero
} energetic_problem;

/// Where the impact is. Written by the course (energetic_run.c), by what moves it on (march, closed
/// form, expansion without return) and by loads.
typedef struct energetic_state {
  double *x, *v;            // [n], [2n] compressions, velocities
  energetic_status *status; // [n]
  bool *expanding;          // [n] v_N > 0
  bool *allowed;            // [n] may take part (others wait)
  double speed, slip_speed; // largest velocities so far, in units of root
  bool *counted;            // [n] its present compression is in the log
  int *shown;               // [n] friction as last logged: sign, 0 stick, 2 none yet
  bool *settled;            // [n] kept since it follows its load
  int *calm;                // [n] steps in a row with a velocity that is lost in the noise
} energetic_state;

/// Who sticks and who slips. Written by energetic_friction.c.
typedef struct energetic_friction {
  int *slip;           // [n] sign of slip; 0: sticks, or no friction
  int *family;         // [n] class of a contact at rest, or -1
  double *coefficient; // [n] its tangent as a multiple of the class's
  int classes;
  energetic_class *list; // [n]
  bool *must_slip;       // [n] by contact: its stick has just broken
  int *must_sign;
  // what the response was made for
  int *answered_slip, *answered_family;
  energetic_class *answered_list;
  int answered_classes;
  bool answered; // the response is that of the present modes
} energetic_friction;

/// How rows respond to channels, d v[row] = sum_c R[row][c] F[c] ds. Channels are what drives the
/// motion: channel i is the normal force of contact i with the friction that goes with it, channel
/// n + i a user's friction force. Written by energetic_friction.c.
typedef struct energetic_answer {
  long made;    // how many there have been
  int channels; // n, and n more where users have laws of friction
  int reactions;
  double *R;                       // [2n][2n]
  int *entry_count;                // [2n] nonzero channels of each row
  int *entries;                    // [2n][2n]
  double *B;                       // [reactions][2n] reaction forces per channel
  double *limit;                   // [classes][2n] what stick can carry at most, per channel
  bool shared;                     // reactions of independent classes are not unique
  int *kept;                       // [n] reaction index of a kept normal, or -1
  double *matrix, *right, *column; // to solve for reactions
  int *pivot_row, *pivot_column;
} energetic_answer;

/// Room for a choice among classes as a problem of contact. Written by energetic_friction.c and
/// energetic_split.c; energetic_ends.c borrows it for cages.
typedef struct energetic_choice {
  carom_contact_workspace *work;
  double *G, *b, *stick, *slide, *floor;
  int *normal, *tangent, *sliding, *class, *single;
  carom_contact_mode *modes;
  double *lambda, *rate;
} energetic_choice;

/// [n] The split of friction over a step: all, at a point, over an interval and its halves. Written
/// by energetic_split.c.
typedef struct energetic_split {
  double *sum, *now, *whole, *halves, *first;
  bool *full; // at the edge of their cones
} energetic_split;

/// Values at the nodes of a step: of channels (forces, impulses, their integrals), of compressions
/// and rows. Written by energetic_step.c and energetic_look.c.
typedef struct energetic_sample {
  energetic_table tables[ENERGETIC_TABLES];
  const energetic_table *table;
  energetic_nodes *F, *P, *Q, *X, *V, *old;
  bool *live; // [2n] channel is not zero all along
} energetic_sample;

/// u of events in a step, 2: none. Written by energetic_run.c.
typedef struct energetic_events {
  double *turn, *end, *join, *slip; // [n]
  double *rupture;                  // [classes] stick breaks
  int *rupture_sign;                // [classes]
} energetic_events;

/// The step to come.
typedef struct energetic_step {
  double h;       // to try next
  bool fresh;     // a contact begins here: use the map for a start
  bool fewer;     // a contact has ended: one alone may be left
  int idle;       // events in a row without moving on
  double *ahead;  // [2n] channels a moment later
  double *trial;  // [2n] channels at some point
  double *energy; // [n] stored before the step
} energetic_step;

/// Rows and channels as the march needs them, in blocks of four rows: from first[block] on, terms
/// of four factors and the places of their channels; few: one for each channel. Written by
/// energetic_march.c.
typedef struct energetic_layout {
  // the state: compressions of pressed contacts, impulses of channels, work of friction
  int pressed, channels, rubbing, tangents;
  int *contact; // [pressed]
  int *channel; // [channels] among all channels; the first are the normals of the pressed
  int *place;   // [2n] where a channel stands among them, or -1
  int *tangent; // [tangents] contacts whose slip is needed: rubbing ones, then users'
  bool few;
  int rows, *row, *first, *index;
  double *factor;
  double *grip; // [tangents] sliding friction with its sign
  int *slot;    // [tangents] place of the contact among the pressed; -1: it is kept
  double *held; // [tangents][channels] the normal force of a kept contact per channel
  // stiffness and exponent of the pressed; the exponent all share, or 0
  double *stiffness, *exponent, common;
  // what the rows were laid out for
  long laid_response;
  energetic_status *laid_status;
  int *laid_slip;
} energetic_layout;

/// What may cross zero within the step; all: forces at the nodes are needed too. Written by
/// energetic_look.c.
typedef struct energetic_suspects {
  bool all, *velocities, *compressions; // [2n] rows, [n]
} energetic_suspects;

/// The march: an explicit method of order 8 from event to event, in s, or, where a contact is about
/// to end, in the square root of its compression: s then is a smooth function, F = k w^(2a) is
/// known beforehand, and the end is at w = 0. Written by energetic_march.c and energetic_look.c.
typedef struct energetic_marcher {
  carom_stepper stepper;
  energetic_layout layout;
  energetic_suspects suspects;
  bool wide;                // the machine has AVX2
  bool under_way;           // the stepper's state is the present one
  int landing;              // contact whose compression is the variable, or -1
  int landing_slot;         // its place among the pressed
  double w_start;           // square root of its compression at the start
  carom_status turned_back; // what the slopes say where it does not end: other steps, or smaller
  double longest;           // step on the way to the end
  double *base;             // velocities of the rows that are followed, at the start
  double *velocity, *spare; // room for velocities and slopes
  double *soft;             // 1/eta of the pressed
  double *start_velocity;   // [2n] of all rows
  double *y, *scale;
  double *slope, *v1, *slope1; // velocities of rows and their slopes at the ends of the step
  double *shy;                 // [n] compression below which a contact may be thought to end
  double *reach;               // [n] largest compression to be expected
  double reach_speed;
} energetic_marcher;

/// Contacts that have come to the end of compression and give nothing back. Written by
/// energetic_inelastic.c; energetic_run.c says who waits.
typedef struct energetic_collapse {
  carom_stepper stepper;
  bool *waits;         // [n] is to be done
  int count;           // those that expand together
  int *contact;        // [count]
  bool *moves;         // [count]
  bool friction_holds; // and is to be looked at
  double *y, *scale;   // [2 count] compressions, velocities over e
} energetic_collapse;

/// What has happened so far, and what is handed out, in the caller's order.
typedef struct energetic_outcome {
  carom_energetic_event log[CAROM_ENERGETIC_LOG];
  double *p;    // [2n] impulses, in the order of this problem
  double total; // sum of normal impulses
  double *impulse, *after, *lost, *rubbed, *holding;
  int *phases;
  carom_contact_mode *modes;
  carom_energetic_result *result;
} energetic_outcome;

struct carom_energetic_workspace {
  int max_rows, max_contacts;
  int n; // contacts
  energetic_problem problem;
  energetic_state state;
  energetic_friction friction;
  energetic_answer response;
  energetic_choice choice;
  energetic_split split;
  energetic_sample nodes;
  energetic_events events;
  energetic_step step;
  energetic_marcher march;
  energetic_collapse collapse;
  carom_fading ending;
  energetic_outcome outcome;
};

/// Fills a table with `nodes` points.
void energetic_table_fill(energetic_table *table, int nodes);
/// The polynomial through node values at u.
double energetic_interpolate(const energetic_table *table, const double *values, double u);
/// First u at which node values fall below zero: 0 when they do so from the start, 2 when never.
/// Values above -tolerance count as not below.
double energetic_first_fall(const energetic_table *t, const double *f, double tolerance);
/// Integral over s/h of node values up to u.
double energetic_integral(const energetic_table *table, const double *values, double u);

/// Classes, modes of friction and response at the present state for forces as in `channels`.
void energetic_friction_settle(carom_energetic_workspace *w, const double *channels);
/// Does every sticking class stay within what it can carry at these forces?
bool energetic_friction_holds(carom_energetic_workspace *w, const double *channels);
/// How far the sticking classes are from their end at these forces, where reactions are shared.
double energetic_shared_margin(carom_energetic_workspace *w, const double *channels);
/// Integrates the friction of contacts that stick over the step just taken, up to u and before it
/// is committed, where its split among them is not linear in the forces.
void energetic_split_step(carom_energetic_workspace *w, const energetic_taken *taken, double u);
/// Adds the friction of contacts that stick to their impulses; `impulse`: of channels, over the
/// step.
void energetic_stick_impulses(carom_energetic_workspace *w, const double *impulse);

/// F of contact i at compression x.
static inline double energetic_force(const carom_energetic_workspace *w, int i, double x) {
  if (!(x > 0.0)) return 0.0;
  double a = w->problem.a[i];
  if (a == 1.5) return w->problem.k[i] * x * sqrt(x);
  if (a == 1.0) return w->problem.k[i] * x;
  return w->problem.k[i] * carom_pow(x, a);
}
/// Energy stored in contact i at compression x.
static inline double energetic_stored_at(const carom_energetic_workspace *w, int i, double x) {
  return x > 0.0 ? energetic_force(w, i, x) * x / (w->problem.a[i] + 1.0) : 0.0;
}
/// Energy stored in contact i.
static inline double energetic_stored(const carom_energetic_workspace *w, int i) {
  return energetic_stored_at(w, i, w->state.x[i]);
}
/// eta of contact i: what its compression changes by is v_N / eta.
static inline double energetic_eta(const carom_energetic_workspace *w, int i) {
  return w->state.expanding[i] ? w->problem.eta_out[i] : 1.0;
}
/// Channels at node j of the step.
void energetic_channels_at(carom_energetic_workspace *w, int j, double *channels);

/// Solves the first step of contacts that begin, of length h. Returns the error in units of the
/// tolerance, INFINITY: no convergence.
double energetic_start(carom_energetic_workspace *w, double h);

/// How far each contact may be compressed at the present speed, for scales.
void energetic_set_reach(carom_energetic_workspace *w);
/// Room for the march; false when out of memory.
bool energetic_march_create(carom_energetic_workspace *w, carom_arena *arena);
/// One accepted step on from here; false: too small to move on.
bool energetic_march(carom_energetic_workspace *w, energetic_taken *taken);
/// Velocities of the rows that are followed, and their slopes, for impulses and their rates in y
/// and f.
void energetic_follow_rows(const energetic_marcher *m, const double *y, const double *f, double *v,
                           double *slope);
/// Might something happen within the step? Judged by values and slopes at both ends.
bool energetic_march_suspects(carom_energetic_workspace *w);
/// Values at the nodes of the step just taken, for a closer look at the suspects; false where there
/// are none.
bool energetic_march_nodes(carom_energetic_workspace *w);
/// What is zero where a step is cut: the velocity of a row, what the stick of a class has to spare;
/// -1: not that. The end of a compression needs no more than its polynomial.
typedef struct energetic_zero {
  int row, class;
} energetic_zero;
/// Ends the step at u, which is known to be near the zero.
bool energetic_march_cut(carom_energetic_workspace *w, const energetic_taken *taken, double u,
                         const energetic_zero *zero);
/// Forces of channels at u of the step as it is now; returns ds/du.
double energetic_march_channels(carom_energetic_workspace *w, double u, double *channels);
/// Makes ready to be asked for them; false: there are no values within the step.
bool energetic_march_ready(carom_energetic_workspace *w);
/// Takes over the end of the step as the state, with the impulses of channels over the step. The
/// contact `landed` (or -1) has ended.
void energetic_march_commit(carom_energetic_workspace *w, int landed, double *impulse);

/// sum_c R[row][c] channels[c]; `terms` (nullable): sum of absolute values.
double energetic_row(const carom_energetic_workspace *w, int row, const double *channels,
                     double *terms);

/// Is contact i pressed, and is its turn?
static inline bool energetic_takes_part(const carom_energetic_workspace *w, int i) {
  return w->state.allowed[i] && w->state.status[i] == ENERGETIC_PRESSED;
}
/// Does contact i touch, pressed or kept, and is its turn?
static inline bool energetic_touches(const carom_energetic_workspace *w, int i) {
  return w->state.allowed[i] && w->state.status[i] != ENERGETIC_APART;
}
/// Velocity of contact i that counts as none.
static inline double energetic_tiny(const carom_energetic_workspace *w, int i) {
  return w->problem.tiny * w->state.speed * w->problem.root[2 * i];
}
/// Normal force of contact i for forces of channels: its own, or what keeps it.
double energetic_normal(const carom_energetic_workspace *w, int i, const double *channels);
/// Contact i no longer slips.
void energetic_stop_slip(carom_energetic_workspace *w, int i);
/// Modes of friction, response, and who takes part, at the present state.
void energetic_settle_here(carom_energetic_workspace *w);
/// Forces of channels a time s later, as far as velocities tell.
void energetic_channels_after(carom_energetic_workspace *w, double s, double *channels);

/// Compression at which contact i carries a force.
double energetic_compression(const carom_energetic_workspace *w, int i, double force);
/// Room for the expansion of contacts that give nothing back; false when out of memory.
bool energetic_collapse_create(carom_energetic_workspace *w, carom_arena *arena);
/// What is left of the compressions of all contacts that wait for it: collapse.count of them, in y.
void energetic_collapse_now(carom_energetic_workspace *w);
/// Contacts that are lost in the noise begin to follow their loads. To be asked once a step.
void energetic_settle_calm(carom_energetic_workspace *w);
/// Contact i is no longer kept, but compressed as any other.
void energetic_let_go(carom_energetic_workspace *w, int i);
/// None follows its load any more, for a while.
void energetic_unsettle(carom_energetic_workspace *w);
/// Contact i is to follow its load as soon as it is asked for.
void energetic_is_calm(carom_energetic_workspace *w, int i);
/// Compressions of those that follow their loads, after a step.
void energetic_follow_loads(carom_energetic_workspace *w);
/// How far the load of contact i is from rising, at the nodes of a step.
void energetic_load_falls(const carom_energetic_workspace *w, int i, double *margin);

/// Does contact i lose no energy, neither by restitution nor by friction?
bool energetic_keeps_energy(const carom_energetic_workspace *w, int i);
/// Nothing is left that could change velocities by more than the tolerance allows.
bool energetic_is_finished(const carom_energetic_workspace *w);
/// Is there a cage among contacts that lose no energy, waiting ones too?
bool energetic_has_cage(carom_energetic_workspace *w);
/// The same, asked once on the way.
bool energetic_is_caged(carom_energetic_workspace *w);
/// Does what is stored no longer fade? To be asked once a step.
bool energetic_stalls(carom_energetic_workspace *w);
/// How an impact that does not fade ends, with what is left of it.
carom_energetic_end energetic_end_here(const carom_energetic_workspace *w);

/// Writes to the log.
void energetic_note(carom_energetic_workspace *w, carom_energetic_event_kind kind, int contact);
/// Friction of contact i now slips (sign) or sticks (0): log and word.
void energetic_note_friction(carom_energetic_workspace *w, int contact, int sign);

/// One contact alone, in closed form. Returns false (state unchanged) when others take part.
bool energetic_single(carom_energetic_workspace *w, int contact, bool pushing);

/// The rest of an impact in which only one contact is still pressed, in closed form. Returns false
/// (state unchanged) when others take part.
bool energetic_last(carom_energetic_workspace *w);

/// Integrates until all allowed contacts have ended.
carom_energetic_end energetic_run(carom_energetic_workspace *w);

/// The first m contacts of the choice, those in choice.single, each pushed by exactly choice.floor:
/// its normal row stands alone and opens.
void energetic_choice_pose(carom_energetic_workspace *w, int m);
/// Rates of their tangents that the reactions of sticking classes cancel at these forces.
void energetic_choice_cancel(carom_energetic_workspace *w, int m, const double *channels);
/// Reaction of a sticking class to forces of channels.
double energetic_reaction(const carom_energetic_workspace *w, int class, const double *channels);
/// The problem of contact that the first m contacts of the choice make (energetic_friction.c).
carom_contact_problem carom_energetic_choice_problem(const carom_energetic_workspace *w, int m);

#endif
