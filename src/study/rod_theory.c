// SPDX-License-Identifier: MIT
// One rod, one plate: the collision in closed form. Velocities of the contact point are linear in
// the normal impulse P as long as the slip keeps its sign, so the collision is at most two straight
// pieces (Routh 1860, Keller 1986; for rods Volfson et al. 2004).
#include "study/rod_theory.h"
#include "base/elementary.h"
#include "base/error.h"

#include <math.h>

static const double PI = 3.14159265358979323846;

const char *carom_rod_regime_text(carom_rod_regime regime) {
  switch (regime) {
  case CAROM_ROD_SLIDE: return "slide";
  case CAROM_ROD_STICK: return "slip-stick";
  case CAROM_ROD_REVERSE: return "slip reversal";
  case CAROM_ROD_APART: break;
  }
  return "apart";
}

carom_rod_place carom_rod_thin(double length, double phi) {
  double s = 0.0, c = 0.0;
  carom_sincos(phi, &s, &c);
  return (carom_rod_place){0.5 * length * s, 0.5 * length * c, length * length / 12.0};
}

double carom_rod_mass(double h0) { return 1.0 + 1.5 * h0; }

double carom_rod_inertia(double h0) { return 0.1 + h0 * (9.0 / 32.0 + h0 * (0.25 + h0 * 0.125)); }

// ---- the collision

typedef struct impulse {
  carom_rod_regime regime;
  double x, z;
} impulse;

// Impulse over mass for slip u0 >= 0 and approach v0 < 0 of the contact point. While F_x = -mu F_z:
//   u = u0 - D/k2 P,  v = v0 + Ep/k2 P,   D = mu (k2 + Z^2) + X Z,  Ep = k2 + X^2 + mu X Z;
// after a stop it sticks, v' = (k2 + X^2 + Z^2)/(k2 + Z^2) P', or with X Z > mu (k2 + Z^2) it slips
// back with F_x = mu F_z and Em = k2 + X^2 - mu X Z > 0 in place of Ep.
static impulse solve_impulse(const carom_rod_place *p, double u0, double v0, double mu,
                             double eps) {
  double X = p->X, Z = p->Z, k2 = p->k2, XZ = X * Z;
  double D = mu * (k2 + Z * Z) + XZ, Ep = k2 + X * X + mu * XZ, Em = k2 + X * X - mu * XZ;

  // D <= 0 (never stops) and Ep <= 0 (never turns back) exclude each other
  double stop = D > 0.0 ? u0 * k2 / D : HUGE_VAL;
  double end = Ep > 0.0 ? -(1.0 + eps) * v0 * k2 / Ep : HUGE_VAL;
  if (end <= stop) return (impulse){CAROM_ROD_SLIDE, -mu * end, end};

  // what is left of the normal impulse after the slip has stopped
  double missing = -eps * v0 - (v0 + Ep / k2 * stop);
  if (XZ > mu * (k2 + Z * Z)) {
    double more = missing * k2 / Em;
    return (impulse){CAROM_ROD_REVERSE, mu * (more - stop), stop + more};
  }
  double more = missing * (k2 + Z * Z) / (k2 + X * X + Z * Z);
  return (impulse){CAROM_ROD_STICK, XZ / (k2 + Z * Z) * more - mu * stop, stop + more};
}

static double motion_energy(const carom_rod_motion *m, double plate, double k2) {
  double cz = m->cz - plate;
  return 0.5 * (m->cx * m->cx + cz * cz + k2 * m->omega * m->omega);
}

static bool is_good(const carom_rod_place *p, const carom_rod_motion *m, double plate, double mu,
                    double eps) {
  bool finite = isfinite(p->X) && isfinite(p->Z) && isfinite(p->k2) && isfinite(m->cx) &&
                isfinite(m->cz) && isfinite(m->omega) && isfinite(plate) && isfinite(mu);
  return finite && p->k2 > 0.0 && mu >= 0.0 && eps >= 0.0 && eps <= 1.0;
}

carom_status carom_rod_collide(const carom_rod_place *place, const carom_rod_motion *before,
                               double plate, double mu, double eps, carom_rod_collision *collision,
                               carom_error *error) {
  if (!is_good(place, before, plate, mu, eps))
    return carom_fail(error, CAROM_ERR_ARGUMENT,
                      "a collision needs finite velocities, k2 > 0, mu >= 0 and eps from 0 to 1");
  *collision = (carom_rod_collision){.regime = CAROM_ROD_APART, .after = *before};
  double u0 = before->cx - before->omega * place->Z;
  double v0 = before->cz - plate + before->omega * place->X;
  if (v0 >= 0.0) return CAROM_OK;

  // the formulas are for slip to the right: look at others in a mirror
  double side = u0 < 0.0 ? -1.0 : 1.0;
  carom_rod_place seen = {side * place->X, place->Z, place->k2};
  impulse p = solve_impulse(&seen, side * u0, v0, mu, eps);
  p.x *= side;
  collision->regime = p.regime;
  collision->px = p.x;
  collision->pz = p.z;

  // m dc = P,  m k2 domega = X P_z - Z P_x
  collision->after.cx = before->cx + p.x;
  collision->after.cz = before->cz + p.z;
  collision->after.omega = before->omega + (place->X * p.z - place->Z * p.x) / place->k2;
  collision->gain =
      motion_energy(&collision->after, plate, place->k2) - motion_energy(before, plate, place->k2);
  return CAROM_OK;
}

// ---- many rods

// 3 sin cos = mu (1 + 3 cos^2), solved for cos 2 phi
int carom_rod_critical_angles(double mu, double angles[2]) {
  if (!(mu > 0.0 && mu <= 0.75)) return 0;
  double m2 = mu * mu, root = sqrt(9.0 - 16.0 * m2), scale = 3.0 * (1.0 + m2);
  angles[0] = 0.5 * carom_acos((root - 5.0 * m2) / scale);
  angles[1] = 0.5 * carom_acos((-root - 5.0 * m2) / scale);
  return root > 0.0 ? 2 : 1;
}

static double drift_scale(double eps, double s) { return (1.0 + eps) / (1.0 - eps + 6.0 * s * s); }

static double drift_of_sticking(double phi, double eps) {
  double s = 0.0, c = 0.0;
  carom_sincos(phi, &s, &c);
  return drift_scale(eps, s) * 6.0 * s * c;
}

static double drift_of_reversal(double phi, double mu, double eps) {
  double s = 0.0, c = 0.0;
  carom_sincos(phi, &s, &c);
  double side = s * c < 0.0 ? -1.0 : 1.0;
  return drift_scale(eps, s) * (side * mu * (1.0 + 3.0 * c * c) + 3.0 * s * c);
}

double carom_rod_drift(double phi, double mu, double eps) {
  double s = 0.0, c = 0.0;
  carom_sincos(phi, &s, &c);
  bool sticks = mu * (1.0 + 3.0 * c * c) >= fabs(3.0 * s * c);
  return sticks ? drift_of_sticking(phi, eps) : drift_of_reversal(phi, mu, eps);
}

double carom_rod_rise(double phi, double eps) { return drift_scale(eps, carom_sin(phi)); }

double carom_rod_phase_density(double theta) { return (1.0 + carom_cos(theta)) / (2.0 * PI); }

double carom_rod_plate_speed(double V0) { return 0.5 * V0; }
