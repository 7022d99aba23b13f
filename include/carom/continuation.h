// SPDX-License-Identifier: MIT
/// Branches: equilibria and periodic motions followed along a parameter, stable or not, through
/// folds and changes of word.
#ifndef CAROM_CONTINUATION_H
#define CAROM_CONTINUATION_H

#include "carom/orbit.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum carom_branch_label {
  CAROM_LABEL_NONE,
  CAROM_LABEL_START,
  CAROM_LABEL_END,      // the parameter has reached a bound, or the branch is long enough
  CAROM_LABEL_FOLD,     // the branch turns back; also where it does so with a corner
  CAROM_LABEL_FLIP,     // a multiplier passes -1: a motion of twice the period branches off
  CAROM_LABEL_TORUS,    // Neimark-Sacker: a complex pair passes the unit circle
  CAROM_LABEL_HOPF,     // the same of an equilibrium: a periodic motion branches off
  CAROM_LABEL_CROSSING, // a multiplier passes 1 without a fold: another branch crosses
  CAROM_LABEL_GRAZE,    // an impact appears or vanishes
  CAROM_LABEL_WORD,     // another phase appears or vanishes
  CAROM_LABEL_LOST,     // the branch could not be followed any further
  CAROM_LABEL_JUMP,     // no branch meets its end: the motion jumps to another, which is followed
  CAROM_LABEL_FLUTTER,  // of an equilibrium without losses: two frequencies meet and leave the axis
  CAROM_LABEL_HOMOCLINIC // the period grows without end: the motion leaves a saddle and returns
} carom_branch_label;

CAROM_API const char *carom_branch_label_text(carom_branch_label label);

/// Start from carom_continuation_options_default(). Everything is borrowed during the call.
typedef struct carom_continuation_options {
  const carom_model *model;
  const char *parameter;
  double from, to;  // the branch is sought at `from` and followed while the parameter is between
  bool equilibrium; // of an equilibrium, not of a periodic motion
  const char *mode; // contact mode of the equilibrium; NULL: the first admissible one
  carom_orbit_options orbit; // how the periodic motion at `from` is sought; its model is not used
  bool virtual_too;          // follow words beyond their end, held fixed: virtual motions
  int switches;    // how often branches that leave at flips and Hopf points are followed, one after
                   // the other
  int value_count; // set before: of everything else but the parameter
  const carom_value *values;
  bool for_atlas; // special points are kept for curves in two parameters, see atlas.h
  int looks; // at so many instants of a turn, and at its events, the state is looked at for its
             // largest values; 0: not
  long most; // points per branch
  double first, least, largest; // steps along the branch, relative to its size
  double tolerance;             // to which special points are located, relative to |to - from|
  int threads;                  // for branches that are known at one time; 0: all processors
  const char *journal;          // file of branches so far; NULL: none
  bool resume;                  // go on with what the journal has
  carom_watcher watcher;
  size_t size; // set by the default function; proves that it was used
} carom_continuation_options;
CAROM_API carom_continuation_options carom_continuation_options_default(void);

/// A point of a branch. Pointers belong to the result.
typedef struct carom_continuation_point {
  int branch; // 0: the first; others branch off at flips, or go on beyond the end of a word
  carom_branch_label label;
  double value, period;
  carom_orbit_kind kind;
  bool virtual_motion; // it solves the equations of its word, but breaks one of its inequalities:
                       // no real motion does that
  int unstable;        // multipliers outside the unit circle
  double re, im; // the largest multiplier; of an equilibrium the eigenvalue of largest real part
  const char *word;
  const char *why;     // a branch is lost here, in words; else empty
  const double *state; // at the start of a turn, which moves along the branch as phases do
  const double *top;   // the largest values over a turn, as far as looks tell; NULL: none asked for
  const double *shift; // per turn, of coordinates that may drift; 0 for others
} carom_continuation_point;

typedef struct carom_continuation carom_continuation;

/// CAROM_OK, or CAROM_STOP_USER when it was stopped: the result then holds what was done. The
/// caller destroys it.
CAROM_API carom_status carom_continuation_run(const carom_continuation_options *options,
                                              carom_continuation **result, carom_error *error);
CAROM_API void carom_continuation_destroy(carom_continuation *result); // NULL is legal
CAROM_API long carom_continuation_points(const carom_continuation *result);
CAROM_API const carom_continuation_point *
carom_continuation_point_at(const carom_continuation *result, long k);
CAROM_API int carom_continuation_states(const carom_continuation *result);
/// One turn after the other, all together: what the result has cost.
CAROM_API long carom_continuation_turns(const carom_continuation *result);

#ifdef __cplusplus
}
#endif
#endif
