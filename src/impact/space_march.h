// SPDX-License-Identifier: MIT
/// Several contacts in space that strike together by the energetic law: the law of energetic.h with
/// friction that has a direction.
///
///   F = k x^a,   dv/ds = G (F, T),   dx/ds = -v_N / eta,   eta = 1 (v_N <= 0) or e^2 (v_N > 0)
///
/// A contact that slips has T = -mu F d with d = s/|s|, which turns as the impact goes. Contacts at
/// rest have together the friction of most power for the normal forces of the moment
/// (space_rest.h): they stick, or set off. Slip that ends and slip that sets off are followed as in
/// motions (see hybrid/spatial.c): steps are a part of the time that is left, and slow slip that
/// sets off has the direction of its onset. Where tangents depend on each other only the sum of
/// friction is determined; the split does not touch the motion.
///
/// e = 0 is the limit of small e: the stored energy vanishes when compression ends, or as much of
/// it as others let go.
#ifndef CAROM_IMPACT_SPACE_MARCH_H
#define CAROM_IMPACT_SPACE_MARCH_H

#include "impact/energetic.h"

#include <stdbool.h>

/// Rows 3i, 3i + 1, 3i + 2 are the normal and the tangents of contact i, constraints eliminated;
/// a contact without friction, or with one tangent, has rows of zeros for those it lacks.
typedef struct carom_space_march_problem {
  int contacts;
  const double *G;                    // [3n][3n]
  const double *before;               // [3n]
  const double *stick, *slide, *e;    // [n]
  const double *stiffness, *exponent; // [n]
  int pushing;                        // a contact that is pulled in from v_N = 0; -1: none
} carom_space_march_problem;

/// Arrays live in the workspace until its next use.
typedef struct carom_space_march_result {
  double *impulse, *after; // [3n]
  bool *sticks;            // [n] at the end
  double *holding;         // [n] energy stored at the end: of contacts that hold each other
  // what was left at the end could change velocities by this part of the speed of approach
  double left;
  double *rubbed;                   // [n] energy that friction took
  const carom_energetic_event *log; // what happened meanwhile, as far as there is room
  int logged;
  int steps;
} carom_space_march_result;

typedef struct carom_space_march carom_space_march;

/// NULL: out of memory.
carom_space_march *carom_space_march_create(carom_arena *arena, int n);

/// CAROM_ERR_NO_CONVERGENCE: what is stored does not fade (fading.h), and `left` is what could
/// still change velocities; or no step leads on, and `left` is 0. CAROM_ERR_LIMIT: very many steps.
/// No allocation.
carom_status carom_space_march_solve(const carom_space_march_problem *problem,
                                     carom_space_march *work, carom_space_march_result *result);

#endif
