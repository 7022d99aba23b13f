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

enum {
  CAROM_MIRROR_STATES = 64,
  CAROM_MIRROR_CONTACTS = 64,
  CAROM_MIRROR_TEXT = 400,
  CAROM_MIRROR_FREEDOMS = 10, // coordinates and states together: of more none is looked for
  CAROM_MIRROR_SWAPPED = 6,   // coordinates: of more no pairs change places
  CAROM_MOST_MIRRORS = 8
};

typedef struct carom_mirror {
  // state i of the image is sign[i] times state from[i], of (q, q', z); signs are +1 or -1
  double sign[CAROM_MIRROR_STATES];
  int from[CAROM_MIRROR_STATES];
  int contact[CAROM_MIRROR_CONTACTS]; // what contact k does, contact[k] does in the image
  bool later;                         // the image moves half a period of the drive later
  char text[CAROM_MIRROR_TEXT];       // such as "x -> -x, theta -> -theta, left <-> right"
} carom_mirror;

/// The reflections of a system at its present parameters; `mirrors` has room for
/// CAROM_MOST_MIRRORS. They are found by trying signs and pairs: the equations of motion, gaps,
/// slips and coefficients of the images of several states drawn at random must be the images of
/// those of the states. None where rules or contact laws of the user's own act, or the engine
/// cannot be asked.
CAROM_API carom_status carom_mirrors_find(const carom_simulation *simulation, carom_mirror *mirrors,
                                          int *count, carom_error *error);

#ifdef __cplusplus
}
#endif
#endif
