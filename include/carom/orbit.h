// SPDX-License-Identifier: MIT
/// Periodic motions, stable or not: Newton's method on one turn, with the derivatives of tangent
/// dynamics, and Floquet multipliers. Where the engine can, the word of the turn is held fixed,
/// with times and states of its events as unknowns: then a motion may be virtual, which is told.
#ifndef CAROM_ORBIT_H
#define CAROM_ORBIT_H

#include "carom/leg.h"
#include "carom/mirror.h"
#include "carom/sweep.h"
#include "carom/tangent.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A periodic motion that was found.
typedef struct carom_orbit carom_orbit;

/// Start from carom_orbit_options_default(). Everything is borrowed during the call.
typedef struct carom_orbit_options {
  const carom_model *model;
  int value_count; // set before the run
  const carom_value *values;
  double after;     // where the search begins: the state at this time; < 0: at the end of the run
  int turns;        // periods of the drive (run.period) in one turn; 0: found from the motion
  double period;    // of an autonomous system, roughly; 0: found from the motion
  double tolerance; // of the last step of Newton's method, relative to the size of the motion
  int most;         // rounds of Newton's method
  bool free_word;   // turns of the motion itself, whose word may change on the way
  // a motion found before, with its word held fixed: the search begins there and keeps that word,
  // whatever word the motion has at the values above; NULL: the motion settles
  const carom_orbit *from;
  carom_watcher watcher;
  size_t size; // set by the default function; proves that it was used
} carom_orbit_options;
CAROM_API carom_orbit_options carom_orbit_options_default(void);

typedef enum carom_orbit_kind {
  CAROM_ORBIT_STABLE,   // every multiplier lies inside the unit circle
  CAROM_ORBIT_UNSTABLE, // one lies outside
  CAROM_ORBIT_MARGINAL  // none lies outside, one on the circle
} carom_orbit_kind;

typedef enum carom_orbit_image {
  CAROM_IMAGE_NONE, // the system has no reflection, as far as was looked
  CAROM_IMAGE_SELF, // the motion is its own mirror image
  CAROM_IMAGE_OTHER // its mirror image is another motion
} carom_orbit_image;

/// Floquet multipliers.
typedef struct carom_multipliers {
  int count;
  const double *re, *im; // largest modulus first
  int extinguished;      // how many are 0 because stick or plastic impacts extinguish them
  double along;          // the multiplier along an autonomous motion: 1 but for rounding
} carom_multipliers;

/// The word held fixed: times and states of its events are unknowns.
typedef struct carom_orbit_fixed_word {
  bool held;               // it was
  const char *why_not;     // where it was not
  int unknowns;            // of Newton's method
  carom_leg_margin margin; // the inequality that is broken, or nearest to it
  // it solves the equations of its word, but breaks an inequality: no real motion does that
  bool virtual_motion;
  const char *fault;     // the one it breaks, in words
  int events;            // in one turn
  const carom_leg *legs; // its phases, one more than events; the last is the first
  const double *time;    // of each event after the start
  const double *state;   // behind each event, `size` numbers; what may drift is where it was at
                         // the start
} carom_orbit_fixed_word;

/// Where contacts that are not linked strike at one instant: what neighbours have that meet them in
/// another order (the multipliers of the orbit are of those in that of the scenario); of more than
/// two contacts, in the one whose largest multiplier is largest.
typedef struct carom_orbit_sides {
  bool differ;
  int orders; // how many were looked at: all, of up to CAROM_ORBIT_TOGETHER contacts
  const double *order_modulus; // of the largest multiplier of each, see tangent.h
  double apart; // largest difference of two derivatives, relative to the motion's size: of the
                // scenario's order and any other
  int multipliers;
  const double *re, *im;
  carom_orbit_kind kind;
} carom_orbit_sides;

/// The mirror image: that of the first reflection which leads to another motion, else of the first.
typedef struct carom_orbit_mirrored {
  carom_orbit_image image;
  const char *mirror; // the reflection
  const char *word;
  double start; // where its turn begins
  const double *state;
} carom_orbit_mirrored;

/// What is known of a periodic motion. Arrays and texts belong to it; texts are "" where there is
/// nothing to say.
typedef struct carom_orbit_view {
  bool autonomous;
  double start, period;     // one turn begins at time `start`
  int turns;                // periods of the drive in it; 0: autonomous
  int size;                 // of the state
  const double *state;      // at the start
  uint64_t closed_at_start; // contacts, one bit each
  const double *shift; // how far each state has moved after a turn: 0 unless it may drift, alone or
                       // together with others
  const double *sizes; // of the states: half of how far they go to and fro; of one that hardly
                       // moves a tenth of the largest where turns are differenced, so that their
                       // rounding is nothing beside it, else a millionth; 0: it is free
  const char *word;    // of one turn
  bool word_changed;   // it is not the word of the motion the search began with
  carom_orbit_fixed_word fixed_word;
  carom_multipliers floquet;
  carom_orbit_kind kind;
  double residual; // how exactly it closes, relative to the size of the motion
  int rounds;
  bool exact; // derivatives by tangent dynamics; false: by differences
  carom_tangent_notes notes;
  carom_orbit_sides sides;
  carom_orbit_mirrored mirrored;
} carom_orbit_view;

enum { CAROM_ORBIT_TOGETHER = 4 }; // contacts of one instant, all orders of which are looked at

/// Can the engine of this model hold a word fixed?
CAROM_API bool carom_fixed_word_supported(const carom_model *model);

/// CAROM_ERR_NO_CONVERGENCE when no periodic motion was found from there; CAROM_ERR_UNSUPPORTED
/// with the reason where the engine cannot be asked.
/// The caller destroys the orbit.
CAROM_API carom_status carom_orbit_find(const carom_orbit_options *options, carom_orbit **orbit,
                                        carom_error *error);
CAROM_API void carom_orbit_destroy(carom_orbit *orbit); // NULL is legal
CAROM_API const carom_orbit_view *carom_orbit_look(const carom_orbit *orbit);

/// One turn of a motion that was found with these options, at `count` instants from its start to
/// its end: `states` receives as many numbers for each as the state has.
CAROM_API carom_status carom_orbit_trace(const carom_orbit_options *options,
                                         const carom_orbit *orbit, int count, double *times,
                                         double *states, carom_error *error);

#ifdef __cplusplus
}
#endif
#endif
