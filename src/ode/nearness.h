// SPDX-License-Identifier: MIT
/// How near is the same: numbers that several files share, each with its reason. Those that are
/// chosen, not derived, are tried at a tenth and at ten times of what they are, under every
/// scenario (tests/invariance/tuned.py): no motion depends on them beyond what is known of it.
#ifndef CAROM_ODE_NEARNESS_H
#define CAROM_ODE_NEARNESS_H

/// What a time is known to, relative to itself: one rounding of a double (2^-52 = 2.2e-16).
static const double CAROM_TIME_ROUNDING = 2.3e-16;

/// Of a step: roots found so near to each other are one instant. The search pins a root down to a
/// few hundred roundings of theta, whose unit is the step.
static const double CAROM_SAME_INSTANT = 1e-13;

/// Of its tolerance: how wide a root is that has just been served. Chosen, not derived: wider than
/// what projection onto constraints moves a state by.
static const double CAROM_SERVED_WIDTH = 1e3;

/// Pivot, relative to the largest, below which a row depends on the others. Chosen, not derived:
/// rows are exact to rounding times the condition of the mass matrix, and this leaves room for 1e4.
static const double CAROM_DEPENDENT_ROW = 1e-11;

#endif
