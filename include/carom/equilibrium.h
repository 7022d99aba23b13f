// SPDX-License-Identifier: MIT
/// Equilibria of a model in each of its contact modes, with eigenvalues and force margins.
#ifndef CAROM_EQUILIBRIUM_H
#define CAROM_EQUILIBRIUM_H

#include "carom/simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum carom_equilibrium_kind {
  CAROM_EQUILIBRIUM_STABLE,   // every eigenvalue has a negative real part
  CAROM_EQUILIBRIUM_UNSTABLE, // one has a positive real part
  CAROM_EQUILIBRIUM_MARGINAL, // none is positive, one is zero (a centre, or a cyclic coordinate)
  CAROM_EQUILIBRIUM_STUCK // held by stick in every direction: one of a continuum; no eigenvalues
} carom_equilibrium_kind;

/// One equilibrium. Text and arrays belong to the list.
typedef struct carom_equilibrium {
  char *mode; // as a word: "F", "+", "left:K,right:+"
  int size;   // of the state: q, q' (0), z
  double *state;
  int eigenvalues;
  double *re, *im; // largest real part first; directions that constraints and stick hold left out
  int contacts;
  double *normal, *tangential; // contact forces; 0 where open
  double margin;               // smallest of normal forces, friction left in sticks and open gaps
  bool admissible;             // margin > 0: it exists in the real system, not only in the mode
  carom_equilibrium_kind kind;
  bool paradox; // not admissible because it lies beyond Painleve's paradox
} carom_equilibrium;

/// All that were found.
typedef struct carom_equilibria carom_equilibria;

/// Finds, from the simulation's present state as a guess, one equilibrium for each set of open and
/// closed contacts that has one. The system must not depend on time. The caller destroys the list.
CAROM_API carom_status carom_equilibria_find(carom_simulation *simulation,
                                             carom_equilibria **equilibria, carom_error *error);
CAROM_API void carom_equilibria_destroy(carom_equilibria *equilibria); // NULL is legal
CAROM_API int carom_equilibria_count(const carom_equilibria *equilibria);
/// NULL when `k` is out of range.
CAROM_API const carom_equilibrium *carom_equilibria_at(const carom_equilibria *equilibria, int k);

#ifdef __cplusplus
}
#endif
#endif
