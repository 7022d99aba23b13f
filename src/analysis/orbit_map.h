// SPDX-License-Identifier: MIT
/// One turn of a periodic motion as a map of its start, with derivatives: what Newton's method on
/// periodic motions works with. A coordinate that nothing depends on, or one of several that only
/// differences of count, is no unknown: they may drift by the same shift in every turn.
#ifndef CAROM_ANALYSIS_ORBIT_MAP_H
#define CAROM_ANALYSIS_ORBIT_MAP_H

#include "analysis/branch.h"
#include "analysis/orbit_data.h"
#include "analysis/shifts.h"
#include "engine/engine.h"

/// Of the period: a phase so short may be about to vanish, and no turn begins in it if that can be.
#define CAROM_ORBIT_BRIEF 0.02

/// Two parameters at once: the one that is continued is how far they have come along a line.
typedef struct carom_turn_plane {
  const char *also;     // the second one; NULL: the parameter is continued alone
  double value, other;  // where the line begins
  double along, beside; // how fast each of them changes on it
} carom_turn_plane;

/// What turns are made with: nothing that belongs to the motion.
typedef struct carom_turn_maker {
  carom_simulation *simulation;
  const carom_engine *engine;
  const char *parameter; // continued; NULL: none
  carom_turn_plane plane;
  carom_watcher watcher;
} carom_turn_maker;

/// What sort of motion is sought.
typedef struct carom_turn_kind {
  bool autonomous;
  bool family;   // the motion keeps its energy, and is sought for that of the beginning
  double energy; // which is this
  bool rest;     // an equilibrium: any time will do, none is an unknown
  bool many;     // motions of all sizes beside it close too: something is kept that nobody told of
} carom_turn_kind;

/// Where a turn begins.
typedef struct carom_turn_start {
  int turns;                         // periods of the drive in one turn
  double phase;                      // as a part of the drive's period
  double time;                       // phase times the period
  double base[CAROM_ORBIT_STATES];   // the whole state: free coordinates stay
  double anchor[CAROM_ORBIT_STATES]; // phase condition of autonomous systems: across the motion
  double across[CAROM_ORBIT_STATES]; // through the anchor
  uint64_t closed;                   // contacts
} carom_turn_start;

/// Sizes of the unknowns, and what equations are multiplied by.
typedef struct carom_turn_units {
  double scale[CAROM_BRANCH_MOST], weight[CAROM_BRANCH_MOST];
} carom_turn_units;

/// Inequalities that are zero wherever another one is.
enum { CAROM_MOST_TOGETHER = 12 };

/// A word held fixed: times and states of its events are unknowns behind all others.
typedef struct carom_turn_word {
  bool held;
  int events;
  carom_leg legs[CAROM_MOST_LEGS]; // one more than events
  bool noting;                     // the next turns note their legs
  // of the last evaluation
  double approach[CAROM_MOST_LEGS];  // rates of the functions that end legs, relative, positive
                                     // as the word has it
  double misfit[CAROM_MOST_LEGS];    // of impacts and the modes that follow
  uint64_t outcome[CAROM_MOST_LEGS]; // of impacts, where it is not held
  carom_leg_margin at_event[CAROM_MOST_LEGS]; // what events themselves may break
  // an inequality that is looked at for itself and left out of the worst one, with those that are
  // zero wherever it is; of no kind: none. Its value: NaN, not seen
  carom_leg_margin watched, together[CAROM_MOST_TOGETHER];
  int together_count;
} carom_turn_word;

/// What the last evaluation found; end and rate without the drift.
typedef struct carom_turn_found {
  double period, end[CAROM_ORBIT_STATES], rate[CAROM_ORBIT_STATES];
  double residual;                                             // weighted, the largest
  double began[CAROM_ORBIT_STATES], whole[CAROM_ORBIT_STATES]; // start of the turn; whole turns of
                                                               // angles until its end
  double drift[CAROM_MOST_SHIFTS];                             // along each shift
  double matrix[CAROM_ORBIT_STATES * CAROM_ORBIT_STATES];      // count x count
  int held;                                                    // directions forbidden at the start
  int most_held;                                               // anywhere on the turn
  char word[CAROM_ORBIT_WORD];
  carom_tangent_notes notes;
  double margin; // from the start of a turn to the nearest event, as a part of its phase
  double lasts;  // that phase, as a part of the period
} carom_turn_found;

/// What the last evaluation with derivatives found.
typedef struct carom_turn_derived {
  double drift[CAROM_MOST_SHIFTS], whole[CAROM_ORBIT_STATES], period;
  double first_rate[CAROM_ORBIT_STATES]; // at the start of the turn
  char word[CAROM_ORBIT_WORD];
  uint64_t course;  // all that happens in the turn, impacts' outcomes and branches too, as one
                    // number; 0: not known
  bool course_told; // nothing else could make derivatives jump
} carom_turn_derived;

typedef struct carom_orbit_map {
  carom_turn_maker maker;
  int size;  // of the state
  int count; // of the states that must close
  int which[CAROM_ORBIT_STATES];
  carom_shifts shifts; // what may drift
  carom_turn_kind kind;
  carom_turn_start begin;
  carom_turn_units units;
  carom_turn_word fixed_word;
  carom_turn_found found;
  carom_turn_derived derived;
  long turns_made; // evaluations so far
  long steps;      // most of a turn so far that came to its end
} carom_orbit_map;

/// The map of this simulation's motion; nothing is chosen yet but which states close.
carom_status carom_orbit_map_init(carom_orbit_map *map, carom_simulation *simulation,
                                  carom_error *error);

/// The period of what drives the system, as its parameters stand; an error where there is none, or
/// where the one that was given is none.
carom_status carom_orbit_drive(const carom_simulation *simulation, double *period,
                               carom_error *error);

/// Turns are made with this from now on.
void carom_orbit_make_with(carom_orbit_map *map, const carom_turn_maker *maker);
/// From now on so many turns have been made: none, or those that a copy of the map has made on.
void carom_orbit_count_turns(carom_orbit_map *map, long made);

/// One turn from x (count states, then the period of an autonomous system) at parameter p.
carom_status carom_orbit_map_turn(carom_orbit_map *map, const double *x, double p, bool derivatives,
                                  carom_error *error);

/// Sets the parameter and begins the turn.
carom_status carom_orbit_begin(carom_orbit_map *map, const double *x, double p, carom_error *error);
/// Sets the parameter and the times of the turn, without beginning it.
carom_status carom_orbit_set_turn(carom_orbit_map *map, const double *x, double p,
                                  carom_error *error);
/// Is the period one of the unknowns?
bool carom_orbit_has_period(const carom_orbit_map *map);
/// Takes what has drifted away from a state, as if it were near the start; `drift` grows by it.
void carom_orbit_pin(const carom_orbit_map *map, double *y, double *drift);
/// The state and its rates at the end of a turn, whose drift is added to that so far.
void carom_orbit_take_end(carom_orbit_map *map, const double *y, const double *rate);

/// The equations of a periodic motion for Newton's method; `map` is its context.
carom_branch_problem carom_orbit_problem(carom_orbit_map *map);

/// The largest entry of the matrix of the turn, in units of the states' sizes.
double carom_orbit_largest_entry(const carom_orbit_map *map);
/// Floquet multipliers of the last turn with derivatives, largest modulus first. Directions that
/// contacts forbid at the start are left out, as is the multiplier 1 along an autonomous motion.
carom_status carom_orbit_multipliers(carom_orbit_map *map, carom_orbit_data *orbit,
                                     carom_error *error);
/// Those of another orbit, and what they say, are told of this one.
void carom_orbit_take_multipliers(carom_orbit_data *orbit, const carom_orbit_data *from);
/// The turn told of it has another period, and begins at another state.
void carom_orbit_take_turn(carom_orbit_data *orbit, double period, const double *state);
/// What multipliers say that are on the unit circle where they are no farther from it than that.
carom_orbit_kind carom_orbit_judge(const carom_orbit_data *orbit, double circle);
/// Everything else that is told of the orbit at x.
void carom_orbit_describe(const carom_orbit_map *map, const double *x, carom_orbit_data *orbit);

/// The largest value of every state at `looks` instants of a turn, at its start and at its events;
/// seen on copies, so that the map and its simulation stay as they are.
carom_status carom_orbit_top(const carom_orbit_map *map, const double *x, double p, int looks,
                             double *top, carom_error *error);
/// Where the turn just made ended, as unknowns.
void carom_orbit_come_to(const carom_orbit_map *map, double *x);
/// The phase condition goes through x from now on, across the motion there (after an evaluation).
void carom_orbit_anchor(carom_orbit_map *map, const double *x);

// orbit_word.c
/// Bounces that pile up become one letter, in place: "F I F I F I K" is "(F I)... K".
void carom_orbit_word_shorten(char *word);

// orbit_legs.c
/// The shape of the equations of the fixed word.
carom_ring carom_orbit_ring(const carom_orbit_map *map);
/// From now on the word is that of the turn from x: times and states of its events are put behind
/// the unknowns.
/// CAROM_ERR_UNSUPPORTED, with the reason, where that cannot be.
carom_status carom_orbit_fix_word(carom_orbit_map *map, double *x, double p, carom_error *error);
/// From now on turns are those of the motion itself.
void carom_orbit_free_word(carom_orbit_map *map);
/// Sizes and weights of the times and functions of its events, at x.
carom_status carom_orbit_weigh_events(carom_orbit_map *map, const double *x, double p,
                                      carom_error *error);
/// One turn of the fixed word, leg by leg; F and J, where not NULL, are its equations and (with
/// derivatives) their matrix.
carom_status carom_orbit_legs_turn(carom_orbit_map *map, const double *x, double p,
                                   bool derivatives, double *F, double *J, carom_error *error);
/// The inequality that the motion breaks, or is nearest to; after a turn with derivatives there.
carom_status carom_orbit_legs_check(carom_orbit_map *map, const double *x, double p,
                                    carom_leg_margin *worst, carom_error *error);
/// From now on this inequality, which is zero for the motion at x, is watched; after a turn with
/// derivatives there.
carom_status carom_orbit_watch(carom_orbit_map *map, const carom_leg_margin *margin,
                               const double *x, double p, carom_error *error);
bool carom_orbit_broken(const carom_leg_margin *margin);
/// See carom_orbit_top; events are not looked at.
carom_status carom_orbit_legs_top(carom_orbit_map *map, const double *x, double p, int looks,
                                  double *top, carom_error *error);
/// See carom_orbit_trace.
carom_status carom_orbit_legs_trace(carom_orbit_map *map, const double *x, double p, int count,
                                    double *times, double *states, carom_error *error);

// orbit_image.c
/// Looks for the mirror image of a periodic motion that was found and described.
carom_status carom_orbit_reflect(carom_orbit_map *map, carom_orbit_data *orbit, carom_error *error);

// orbit_start.c
/// How many times the motion goes round in the turn from x, which closes.
carom_status carom_orbit_parts(carom_orbit_map *map, const double *x, double p, int *parts,
                               carom_error *error);
/// Turns are so many times shorter from now on.
void carom_orbit_shorten(carom_orbit_map *map, double *x, int parts);
/// Moves the beginning of the turn to the middle of the freest phase; x is a periodic motion.
carom_status carom_orbit_recentre(carom_orbit_map *map, double *x, double p, carom_error *error);
/// Lets the motion settle, finds after how long it comes back and a good place to begin a turn;
/// x becomes the guess.
carom_status carom_orbit_start(carom_orbit_map *map, const carom_orbit_options *options, double *x,
                               carom_error *error);

#endif
