// SPDX-License-Identifier: MIT
/// Reflections under which a system is the same: some coordinates and states change their sign,
/// pairs of coordinates (of equal bodies) and contacts change places, and the drive may be half a
/// period on.
#ifndef CAROM_MIRROR_H
#define CAROM_MIRROR_H

#include "carom/simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

/// One reflection. Arrays and text belong to the list.
typedef struct carom_mirror {
  int states, contacts;
  // state i of the image is sign[i] times state from[i], of (q, q', z); signs are +1 or -1
  const double *sign;
  const int *from;
  const int *contact; // what contact k does, contact[k] does in the image
  bool later;         // the image moves half a period of the drive later
  const char *text;   // such as "x -> -x, theta -> -theta, left <-> right"
} carom_mirror;

/// All that were found.
typedef struct carom_mirrors carom_mirrors;

/// The reflections of a system at its present parameters. They are found by trying signs and pairs:
/// the equations of motion, gaps, slips and coefficients of the images of several states drawn at
/// random must be the images of those of the states. None where rules or contact laws of the user's
/// own act, where coordinates and states together are more than ten, or where the engine cannot be
/// asked. The caller destroys the list.
CAROM_API carom_status carom_mirrors_find(const carom_simulation *simulation,
                                          carom_mirrors **mirrors, carom_error *error);
CAROM_API void carom_mirrors_destroy(carom_mirrors *mirrors); // NULL is legal
CAROM_API int carom_mirrors_count(const carom_mirrors *mirrors);
/// NULL when `k` is out of range.
CAROM_API const carom_mirror *carom_mirrors_at(const carom_mirrors *mirrors, int k);

#ifdef __cplusplus
}
#endif
#endif
