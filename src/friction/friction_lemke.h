// SPDX-License-Identifier: MIT
#ifndef CAROM_FRICTION_FRICTION_LEMKE_H
#define CAROM_FRICTION_FRICTION_LEMKE_H

#include "friction/friction_internal.h"

/// A table for planar problems of up to `most` contacts.
struct friction_tableau *friction_tableau_create(carom_arena *arena, int most);

/// Sets the forces of `now` to a solution by pivoting. False: it ended in a ray, or the problem has
/// more contacts than the table.
bool friction_lemke(carom_friction_workspace *work);

#endif
