// SPDX-License-Identifier: MIT
/// To look at the contacts of a motion at some point of it. Their forces need an evaluation of the
/// motion there; what it overwrites is kept and put back, so that a run that is looked at is the
/// same to the last bit.
#ifndef CAROM_HYBRID_LOOKING_H
#define CAROM_HYBRID_LOOKING_H

#include "hybrid/contacts.h"

struct carom_hybrid;

/// Copies of what an evaluation overwrites, and room for the rates there.
typedef struct carom_looking {
  double *rows, *lambda, *rate, *state;
  carom_coefficients *coefficients;
} carom_looking;

carom_status carom_looking_init(carom_looking *looking, carom_arena *arena,
                                const struct carom_hybrid *it, carom_error *error);
/// Between these two any number of points may be looked at.
void carom_looking_begin(carom_looking *looking, struct carom_hybrid *it);
void carom_looking_end(carom_looking *looking, struct carom_hybrid *it);
/// Rows and, in the present modes, forces (contact.lambda) at (t, y). False: they have no values.
bool carom_looking_at(carom_looking *looking, struct carom_hybrid *it, double t, const double *y);
/// Of the contact looked at: 0 where it is open.
double carom_normal_seen(const struct carom_hybrid *it, int contact);
double carom_tangential_seen(const struct carom_hybrid *it, int contact);

#endif
