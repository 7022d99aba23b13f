// SPDX-License-Identifier: MIT
#include "grains/law.h"

#include "base/elementary.h"
#include "base/error.h"

#include <math.h>

static const double PI = 3.14159265358979323846;

carom_grain_law carom_grain_law_default(void) {
  return (carom_grain_law){.hertz = true, .kn = 1e6, .kt = 1e6, .stick = 0.3, .slip = 0.3};
}

carom_status carom_grain_law_check(const carom_grain_law *law, carom_error *error) {
  if (!(law->kn > 0.0 && isfinite(law->kn)))
    return carom_fail(error, CAROM_ERR_INPUT, "the stiffness is %g; it must be positive", law->kn);
  if (!(law->kt >= 0.0 && isfinite(law->kt)))
    return carom_fail(error, CAROM_ERR_INPUT,
                      "the tangential stiffness is %g; it must be 0 or more", law->kt);
  if (!(law->gn >= 0.0 && isfinite(law->gn)) || !(law->gt >= 0.0 && isfinite(law->gt)))
    return carom_fail(error, CAROM_ERR_INPUT,
                      "the damping is %g (tangential %g); both must be 0 or "
                      "more",
                      law->gn, law->gt);
  if (!(law->slip >= 0.0 && isfinite(law->slip)))
    return carom_fail(error, CAROM_ERR_INPUT, "the friction is %g; it must be 0 or more",
                      law->slip);
  if (!(law->stick >= law->slip && isfinite(law->stick)))
    return carom_fail(error, CAROM_ERR_INPUT,
                      "the friction of stick (%g) must not be below that of slip (%g)", law->stick,
                      law->slip);
  return CAROM_OK;
}

// the normal force at overlap d and rate of overlap v
static double normal_force(const carom_grain_law *law, double mass, double d, double v) {
  double root = law->hertz ? sqrt(d) : 1.0;
  double c = law->damping == CAROM_DAMPING_MASS ? law->gn * mass * root
                                                : law->gn * sqrt(mass * law->kn * root);
  double force = law->kn * root * d + c * v;
  return law->clip && force < 0.0 ? 0.0 : force;
}

// the undamped collision: its depth and an upper bound of its duration
static carom_grain_impact collision_scale(const carom_grain_law *law, double mass, double speed) {
  double v2 = mass * speed * speed;
  if (!law->hertz)
    return (carom_grain_impact){1.0, PI * sqrt(mass / law->kn), speed * sqrt(mass / law->kn)};
  // 2/5 kn d^(5/2) = m v^2/2; duration 2.9433 d/v (Landau and Lifshitz 1986, section 9)
  double depth = carom_pow(1.25 * v2 / law->kn, 0.4);
  return (carom_grain_impact){1.0, 2.9433 * depth / speed, depth};
}

carom_grain_impact carom_grain_law_impact(const carom_grain_law *law, double mass, double speed) {
  enum { STEPS = 4000, MOST = 400000 };
  carom_grain_impact out = collision_scale(law, mass, speed);
  double h = out.duration / STEPS, d = 0.0, v = speed;
  out.depth = 0.0;
  for (int k = 0; k < MOST; k++) {
    // midpoint rule: second order with velocity-dependent forces
    double mid = fmax(d + 0.5 * h * v, 0.0);
    double v_mid = v - 0.5 * h * normal_force(law, mass, d, v) / mass;
    double v_next = v - h * normal_force(law, mass, mid, v_mid) / mass, next = d + h * v_mid;
    if (next <= 0.0) {
      // the contact opens within this step
      double part = v_mid < 0.0 ? -d / (h * v_mid) : 1.0;
      out.duration = (k + part) * h;
      out.restitution = -(v + part * (v_next - v)) / speed;
      return out;
    }
    d = next, v = v_next;
    out.depth = fmax(out.depth, d);
  }
  // overdamped: it never opens
  out.duration = MOST * h;
  out.restitution = 0.0;
  return out;
}

// The damping that gives restitution e to unit mass, stiffness and speed, by bisection.
static carom_status fit_units(const carom_grain_law *law, double e, double *damping,
                              carom_error *error) {
  carom_grain_law trial = *law;
  double lo = 0.0, hi = 1.0;
  trial.kn = 1.0;
  for (int k = 0; k < 60; k++) {
    trial.gn = hi;
    if (carom_grain_law_impact(&trial, 1.0, 1.0).restitution < e) break;
    hi *= 2.0;
    if (k == 59)
      return carom_fail(error, CAROM_ERR_NO_CONVERGENCE, "no damping gives restitution %g", e);
  }
  for (int k = 0; k < 52; k++) {
    trial.gn = 0.5 * (lo + hi);
    if (carom_grain_law_impact(&trial, 1.0, 1.0).restitution > e)
      lo = trial.gn;
    else
      hi = trial.gn;
  }
  *damping = e == 1.0 ? 0.0 : 0.5 * (lo + hi);
  return CAROM_OK;
}

// In units of mass m, speed v and stiffness k a Hertz contact is d0 = (m v^2/k)^(2/5) deep and
// damping by mass is counted in v/d0^(3/2); a linear one counts it in sqrt(k/m)
double carom_grain_law_damping_unit(const carom_grain_law *law, double mass, double speed) {
  if (law->damping == CAROM_DAMPING_RATIO) return 1.0;
  if (!law->hertz) return sqrt(law->kn / mass);
  return speed / carom_pow(mass * speed * speed / law->kn, 0.6);
}

carom_status carom_grain_law_fit(carom_grain_law *law, double mass, double speed, double e,
                                 carom_error *error) {
  if (!(e > 0.0 && e <= 1.0 && mass > 0.0 && speed > 0.0))
    return carom_fail(error, CAROM_ERR_INPUT, "restitution is %g; it must be above 0 and at most 1",
                      e);
  double ratio = law->gn > 0.0 ? law->gt / law->gn : 0.0, damping = 0.0;
  carom_status status = fit_units(law, e, &damping, error);
  if (status) return status;
  law->gn = damping * carom_grain_law_damping_unit(law, mass, speed);
  law->gt = ratio * law->gn;
  return CAROM_OK;
}

double carom_grain_law_step(const carom_grain_law *law, double mass, double depth) {
  double root = law->hertz ? sqrt(depth) : 1.0, stiffest = fmax(1.5 * law->kn, law->kt) * root;
  return 2.0 * PI * sqrt(mass / stiffest) / 25.0;
}
