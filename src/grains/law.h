// SPDX-License-Identifier: MIT
/// The soft contact: normal spring with damping, tangential spring with a memory, Coulomb's limit.
///
/// With the overlap d, the normal speed v_n (positive when separating), the tangential velocity v_t
/// and the reduced mass M, a Hertz contact carries (Volfson et al. 2004, appendix A, with the
/// square root of the overlap where they print the overlap; Cundall and Strack 1979)
///   F_n = kn d^(3/2) - c_n v_n,     F_t = -(kt sqrt(d) s + c_t v_t),  at most mu F_n,
///   s' = v_t while sticking; while slipping s is held at what the limit bears.
/// A linear contact has 1 in place of sqrt(d). The damping coefficients are
///   by mass:  c = gamma M sqrt(d)                 (gamma in 1/(s m^1/2), linear: 1/s)
///   by ratio: c = gamma sqrt(M kn) d^(1/4)        (gamma a pure number: restitution is the same at
///                                                  every speed; Tsuji, Tanaka and Ishida 1992)
#ifndef CAROM_GRAINS_LAW_H
#define CAROM_GRAINS_LAW_H

#include "carom/status.h"

#include <stdbool.h>

typedef enum carom_grain_damping { CAROM_DAMPING_MASS, CAROM_DAMPING_RATIO } carom_grain_damping;

typedef struct carom_grain_law {
  bool hertz; // else linear
  carom_grain_damping damping;
  double kn, kt;      // N/m^(3/2), linear: N/m
  double gn, gt;      // normal and tangential damping, see above
  double stick, slip; // friction, stick >= slip >= 0
  bool centres;       // forces act at the centres of the virtual spheres, not at the contact point
  bool plain; // the tangential spring keeps its length while its stiffness grows (as printed in the
              // paper); else it keeps its force, so that no contact can gain energy
  bool clip;  // contacts never pull: F_n >= 0
} carom_grain_law;

/// A frictional Hertz contact without damping.
carom_grain_law carom_grain_law_default(void);

/// CAROM_ERR_INPUT with what is wrong.
carom_status carom_grain_law_check(const carom_grain_law *law, carom_error *error);

/// A head-on collision of two bodies with reduced mass `mass` at approach speed `speed`, computed
/// with a step far below the duration.
typedef struct carom_grain_impact {
  double restitution;
  double duration; // s
  double depth;    // deepest overlap [m]
} carom_grain_impact;
carom_grain_impact carom_grain_law_impact(const carom_grain_law *law, double mass, double speed);

/// Sets the damping so that carom_grain_law_impact measures restitution `e` in (0, 1]; the
/// tangential damping keeps its ratio to the normal one. CAROM_ERR_NO_CONVERGENCE when no damping
/// gives it.
carom_status carom_grain_law_fit(carom_grain_law *law, double mass, double speed, double e,
                                 carom_error *error);

/// In what unit the normal damping of a collision counts: restitution is a function of damping over
/// unit alone, whatever the masses, speeds and stiffnesses.
double carom_grain_law_damping_unit(const carom_grain_law *law, double mass, double speed);

/// A step that resolves the fastest oscillation a contact of this law can have at overlap `depth`:
/// the period of the stiffer spring over 25.
double carom_grain_law_step(const carom_grain_law *law, double mass, double depth);

#endif
