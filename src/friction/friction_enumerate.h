// SPDX-License-Identifier: MIT
/// All sets of modes of a planar problem, so that the number of solutions is known.
///
/// A contact is open (v_N >= t), sticks (v_N <= t, |v_T| <= t) or slips one way (v_N <= t, v_T >= t
/// or <= -t), t = 1e-9 of the largest velocity: every solution is in one of these sets, and two
/// solutions in one of them have the same velocities but for what is open or slips. With the forces
/// that belong to the modes each set is a polyhedron; a part-set, in which some contacts are only
/// known to have r in its cone and v_N >= 0, contains those of all its sets: where it is empty,
/// they are too.
#ifndef CAROM_FRICTION_FRICTION_ENUMERATE_H
#define CAROM_FRICTION_FRICTION_ENUMERATE_H

#include "friction/friction_internal.h"

enum { FRICTION_ENUMERATED = 12 }; // contacts at most

struct friction_enumeration *friction_enumeration_create(carom_arena *arena, int most);

typedef struct friction_count {
  int solutions;      // 0, 1 or 2 (two or more)
  bool same_velocity; // all that were found have the velocities of the first
  bool doubtful;      // a set could be neither confirmed nor excluded
} friction_count;

/// Counts. `best` holds a solution where one is known (`known`), and does afterwards where there is
/// one; `kept` holds another where there are several.
friction_count friction_enumerate(carom_friction_workspace *work, bool known);

#endif
