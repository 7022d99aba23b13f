// SPDX-License-Identifier: MIT
/// Atlases: the special points of branches followed as curves in two parameters, the word of the
/// motion held fixed.
#ifndef CAROM_ATLAS_H
#define CAROM_ATLAS_H

#include "carom/continuation.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What is met on a curve: points at which two things happen at once, and its ends.
typedef enum carom_corner {
  CAROM_CORNER_NONE,
  CAROM_CORNER_START,     // where the branch has its special point
  CAROM_CORNER_BOUND,     // a parameter has reached the end of its range
  CAROM_CORNER_END,       // the curve could not be followed any further, or is long enough
  CAROM_CORNER_CUSP,      // two folds meet
  CAROM_CORNER_TAKENS,    // Bogdanov-Takens: a fold and a Hopf point with no frequency
  CAROM_CORNER_FOLD_HOPF, // of an equilibrium: an eigenvalue 0 and a pair on the axis
  CAROM_CORNER_HOPF_HOPF, // two pairs on the axis
  CAROM_CORNER_ONE_ONE,   // resonances of cycles: multipliers 1, 1
  CAROM_CORNER_ONE_TWO,   // -1, -1
  CAROM_CORNER_ONE_THREE, // third roots of 1
  CAROM_CORNER_ONE_FOUR,  // i, -i
  CAROM_CORNER_FOLD_FLIP,
  CAROM_CORNER_FOLD_TORUS,
  CAROM_CORNER_FLIP_TORUS,
  CAROM_CORNER_TORUS_TORUS,
  CAROM_CORNER_BAUTIN,       // a Hopf point whose first Lyapunov coefficient is zero
  CAROM_CORNER_GENERAL_FLIP, // a flip whose coefficient is zero
  CAROM_CORNER_CHENCINER,    // the same of a torus
  CAROM_CORNER_GRAZE_FOLD,   // a graze meets a fold
  CAROM_CORNER_GRAZE_FLIP,
  CAROM_CORNER_GRAZE_TORUS,
  CAROM_CORNER_DOUBLE_GRAZE, // two grazes at once
  CAROM_CORNER_WORD,         // the word ends: beyond it the curve is one of virtual motions
  CAROM_CORNER_KINDS
} carom_corner;

CAROM_API const char *carom_corner_text(carom_corner corner);

/// What ends a word where an inequality of its motion does, by the legs of the word (one more than
/// its events): graze, grazing-sliding, crossing-sliding, switching-sliding, adding-sliding
/// (di Bernardo et al., Piecewise-smooth Dynamical Systems, 2008), lift-off, landing,
/// double-impact, end-of-chatter, impact-law, switch, rule.
CAROM_API const char *carom_end_text(const carom_leg_margin *margin, const carom_leg *legs,
                                     int events);

/// The same of an equilibrium in its contact mode: touch (an open contact closes), lift-off, slip,
/// switch, rule.
CAROM_API const char *carom_rest_end_text(const carom_leg_margin *margin);

/// Start from carom_atlas_options_default(). Everything is borrowed during the call.
typedef struct carom_atlas_options {
  carom_continuation_options branch; // whose special points begin curves; journals are not used
  const char *also;                  // the second parameter
  double low, high;                  // its range, which holds the value that it has in the scenario
  /// Branches are followed anew on both sides of each point at which two things happen at once,
  /// with what branches off, for the curves that begin there.
  bool from_corners;
  long most;   // points of a curve, each way
  size_t size; // set by the default function; proves that it was used
} carom_atlas_options;
CAROM_API carom_atlas_options carom_atlas_options_default(void);

/// A point of a curve. Texts belong to the atlas.
typedef struct carom_atlas_point {
  int curve;               // points of a curve lie one after the other, from end to end
  carom_branch_label kind; // fold, flip, torus, Hopf, graze or word
  const char *name;        // the same, and what it is that ends a word: see carom_end_text
  carom_corner corner;
  double value, also; // the parameters
  double period;      // 0: an equilibrium; infinite: homoclinic
  double re, im;      // the leading multiplier
  /// Of flips, torus and Hopf points: the coefficient of the normal form, and how far it may be
  /// off; NaN: not known. Flip: positive, torus and Hopf: negative where what branches off
  /// attracts, if no other multiplier is unstable. Of a Hopf point it is the first Lyapunov
  /// coefficient; of a homoclinic motion the sum of the saddle's two slowest rates, of which one
  /// leads out: negative where the cycles beside it attract.
  double coefficient, coefficient_error;
  bool virtual_motion;
  const char *word;
  const char *why; // of an end: the reason why nothing was found beyond; else ""
} carom_atlas_point;

typedef struct carom_atlas carom_atlas;

/// CAROM_OK, or CAROM_STOP_USER when it was stopped: the result then holds what was done. The
/// caller destroys it.
CAROM_API carom_status carom_atlas_run(const carom_atlas_options *options, carom_atlas **result,
                                       carom_error *error);
CAROM_API void carom_atlas_destroy(carom_atlas *atlas); // NULL is legal
/// The branches whose special points the curves go through.
CAROM_API const carom_continuation *carom_atlas_branches(const carom_atlas *atlas);
CAROM_API long carom_atlas_points(const carom_atlas *atlas);
CAROM_API const carom_atlas_point *carom_atlas_point_at(const carom_atlas *atlas, long k);
/// The value of the second parameter on these branches.
CAROM_API double carom_atlas_began(const carom_atlas *atlas);
/// Turns of the curves alone: what they have cost.
CAROM_API long carom_atlas_turns(const carom_atlas *atlas);

#ifdef __cplusplus
}
#endif
#endif
