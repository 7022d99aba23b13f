// SPDX-License-Identifier: MIT
/// To look at the contacts of a motion at some point of it. Whoever looks has an evaluation of its
/// own, in the modes of the motion: a run that is looked at is the same to the last bit.
#ifndef CAROM_HYBRID_LOOKING_H
#define CAROM_HYBRID_LOOKING_H

#include "hybrid/contacts.h"

struct carom_hybrid;

typedef struct carom_looking {
  carom_dynamics_work work;
  carom_contact_evaluation contact;
  long configuration; // of the motion, that it was set up for
  double *rate, *state;
} carom_looking;

carom_status carom_looking_init(carom_looking *looking, carom_arena *arena,
                                const struct carom_hybrid *it, carom_error *error);
/// Rows at (t, y) into work.rows. False: they have no values.
bool carom_looking_rows(carom_looking *looking, const struct carom_hybrid *it, double t,
                        const double *y);
/// The same and, in the present modes, forces.
bool carom_looking_at(carom_looking *looking, const struct carom_hybrid *it, double t,
                      const double *y);
/// Between these two the motion is evaluated in the place of the onlooker, and what it has
/// evaluated itself stays as it is.
void carom_looking_stand_in(carom_looking *looking, struct carom_hybrid *it);
void carom_looking_step_back(carom_looking *looking, struct carom_hybrid *it);
/// Of a contact at the point looked at: 0 where it is open.
double carom_normal_seen(const carom_looking *looking, const struct carom_hybrid *it, int contact);
double carom_tangential_seen(const carom_looking *looking, const struct carom_hybrid *it,
                             int contact);
/// Along the second tangent of a contact in space.
double carom_cross_seen(const carom_looking *looking, const struct carom_hybrid *it, int contact);

#endif
