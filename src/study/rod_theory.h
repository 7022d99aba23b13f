// SPDX-License-Identifier: MIT
/// The collision of a rod with a plate in closed form, and the drift of many rods that follows from
/// it (Volfson, Kudrolli and Tsimring 2004, with the misprints of their formulas corrected; see
/// docs/theory-rods.md).
///
/// The rod moves in the x-z plane and touches the horizontal plate with its lower end. Angles are
/// in radians from the vertical, a positive tilt leans towards +x. The law of restitution is
/// kinematic: the normal velocity of the contact point after the collision is -eps times that
/// before.
#ifndef CAROM_STUDY_ROD_THEORY_H
#define CAROM_STUDY_ROD_THEORY_H

#include "carom/status.h"

#include <stdbool.h>

typedef enum carom_rod_regime {
  CAROM_ROD_APART,  // the ends separate already: nothing happens
  CAROM_ROD_SLIDE,  // slips in one direction to the end
  CAROM_ROD_STICK,  // slips, stops, sticks (slip-stick)
  CAROM_ROD_REVERSE // slips, stops, slips back (slip reversal)
} carom_rod_regime;

/// "slide", "slip-stick", "slip reversal", "apart".
const char *carom_rod_regime_text(carom_rod_regime regime);

/// A rod above its contact point: centre of mass at (X, Z) from it, squared radius of gyration k2.
typedef struct carom_rod_place {
  double X, Z, k2; // m, m, m^2
} carom_rod_place;

/// A thin uniform rod of length l tilted by phi: X = l/2 sin phi, Z = l/2 cos phi, k2 = l^2/12.
carom_rod_place carom_rod_thin(double length, double phi);

/// Mass, in masses of one end sphere, and moment of inertia across the axis, in units of that mass
/// times d^2, of a spherocylinder whose cap centres are h0 diameters apart: 1 + 3/2 h0 and
/// 1/10 + 9/32 h0 + 1/4 h0^2 + 1/8 h0^3.
double carom_rod_mass(double h0);
double carom_rod_inertia(double h0);

/// Velocities of a rod: of the centre of mass [m/s] and about y [rad/s]; the end at the plate moves
/// with (cx - omega Z, cz + omega X).
typedef struct carom_rod_motion {
  double cx, cz, omega;
} carom_rod_motion;

/// A collision with a plate that moves with vertical velocity `plate`.
typedef struct carom_rod_collision {
  carom_rod_regime regime;
  carom_rod_motion after;
  double px, pz; // impulse on the rod over its mass [m/s]
  double gain;   // kinetic energy relative to the plate, after minus before, over the mass; the
                 // kinematic law can make it positive
} carom_rod_collision;

/// CAROM_ERR_ARGUMENT: k2 <= 0, mu < 0, eps outside [0, 1] or a number that is not finite.
carom_status carom_rod_collide(const carom_rod_place *place, const carom_rod_motion *before,
                               double plate, double mu, double eps, carom_rod_collision *collision,
                               carom_error *error);

/// The tilts of a thin rod between which slip reverses after stopping; outside, it sticks.
/// Returns 2 and fills both for 0 < mu < 3/4, 1 (equal angles) at 3/4, 0 above or for mu <= 0.
int carom_rod_critical_angles(double mu, double angles[2]);

/// The drift of many thin rods over the plate velocity at collisions V_z, when a flight changes
/// neither speed (c_x' = c_x, c_z' = -c_z, omega = 0): slip-stick (26) or slip reversal (29),
/// whichever applies at this tilt; the vertical speed after a collision (30).
double carom_rod_drift(double phi, double mu, double eps);
double carom_rod_rise(double phi, double eps);

/// H(theta) = (1 + cos theta)/(2 pi), the assumed density of collisions over the phase of the plate
/// velocity V0 cos theta; the mean of that velocity under it is V0/2 (31).
double carom_rod_phase_density(double theta);
double carom_rod_plate_speed(double V0);

#endif
