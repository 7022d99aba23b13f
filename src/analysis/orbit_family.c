// SPDX-License-Identifier: MIT
/// Periodic motions of systems that keep their energy come in families: every energy has its own.
/// The one sought is that of the energy the search begins with. With E(x) = E0 as one more equation
/// there is one too many, so a force along the slope of E is added, as strong as one more unknown
/// p, which comes out as zero (Munoz-Almaraz, Freire, Galan, Doedel and Vanderbauwhede 2003).
#include "analysis/orbit_family.h"

#include <math.h>
#include <string.h>

enum { MOST = CAROM_ORBIT_STATES, PASSES = 6 };
static const double KEPT = 1e-5; // how well the derivative of a turn keeps the slope of the energy
static const double SEVERAL = 3.0, MOST_DOUBT = 1e-2; // of one estimate; of what is told apart
static const double SAME_ENERGY = 1e-12, NO_FORCE = 1e-7;

/// The equations with the force.
typedef struct forced {
  carom_orbit_map *map;
  carom_branch_problem plain;
  double slope[CAROM_BRANCH_MOST]; // of the equations by p
} forced;

static carom_status forced_residual(void *ctx, const double *x, double p, double *F, double *J,
                                    carom_error *error) {
  const forced *it = ctx;
  carom_status status = it->plain.residual(it->plain.ctx, x, 0.0, F, J, error);
  for (int k = 0; k < it->map->count && status == CAROM_OK; k++)
    F[k] += p * it->slope[k];
  return status;
}

// the energy at the start of a turn from x, and its slope by the states that close, scaled
static double energy_of(carom_orbit_map *map, const double *x, double *slope, double *length) {
  double y[MOST], whole[MOST], square = 0.0;
  *length = 0.0;
  memcpy(y, map->begin.base, (size_t)map->size * sizeof *y);
  for (int k = 0; k < map->count; k++)
    y[map->which[k]] = x[k];
  if (map->maker.engine->turns.place(map->maker.simulation, map->begin.time, y, map->begin.closed,
                                     NULL) != CAROM_OK)
    return (double)NAN;
  double energy = map->maker.engine->turns.energy(map->maker.simulation, whole);
  for (int k = 0; k < map->count; k++) {
    slope[k] = whole[map->which[k]] * map->units.scale[k];
    square += slope[k] * slope[k];
  }
  *length = sqrt(square);
  return energy;
}

// largest component of E'(end) M - E'(x), all scaled, over the length of E'(x)
static double change_of_slope(const carom_orbit_map *map, const double *end, const double *slope,
                              double length) {
  double worst = 0.0;
  for (int j = 0; j < map->count; j++) {
    double sum = -slope[j];
    for (int i = 0; i < map->count; i++)
      sum += end[i] / map->units.scale[i] * map->found.matrix[i * map->count + j] *
             map->units.scale[j];
    worst = fmax(worst, fabs(sum));
  }
  return worst / length;
}

// Does a turn from x keep the energy of all its neighbours? Then its derivative M has
// E'(end) M = E'(x).
static bool keeps_energy(carom_orbit_map *map, const double *x) {
  double whole[MOST], end[MOST], slope[MOST], length;
  if (carom_orbit_map_turn(map, x, 0.0, true, NULL) != CAROM_OK) return false;
  if (map->found.most_held > 0 ||
      !isfinite(map->maker.engine->turns.energy(map->maker.simulation, whole)))
    return false;
  for (int k = 0; k < map->count; k++)
    end[k] = whole[map->which[k]] * map->units.scale[k];
  // where the slope vanishes nothing can be said, and the change is no number
  return isfinite(energy_of(map, x, slope, &length)) &&
         change_of_slope(map, end, slope, length) <= KEPT;
}

// A multiple eigenvalue of a matrix that is wrong by d comes out beside itself by the root of d and
// the size of the matrix. How wrong it is, the slope of the energy tells, which it must keep.
double carom_orbit_family_doubt(carom_orbit_map *map, const double *x) {
  double slope[MOST], length, size = 1.0;
  if (!isfinite(energy_of(map, x, slope, &length)) || !(length > 0.0)) return 0.0;
  for (int i = 0; i < map->count; i++)
    for (int j = 0; j < map->count; j++)
      size = fmax(size, fabs(map->found.matrix[i * map->count + j]) * map->units.scale[j] /
                            map->units.scale[i]);
  double wrong = fmax(change_of_slope(map, slope, slope, length), map->found.residual);
  return fmin(MOST_DOUBT, SEVERAL * sqrt(wrong * size));
}

bool carom_orbit_family(carom_orbit_map *map, const double *x, double *energy) {
  double slope[MOST], length;
  bool could = map->maker.engine->turns.energy && map->maker.engine->tangent.begin &&
               !map->kind.rest && !map->fixed_word.held && carom_orbit_has_period(map);
  if (!could || !keeps_energy(map, x)) return false;
  *energy = energy_of(map, x, slope, &length);
  return true;
}

static carom_status refuse_energy(double energy, carom_error *error) {
  return carom_fail(error, CAROM_ERR_NO_CONVERGENCE,
                    "no periodic motion of the energy %g was found near", energy);
}

carom_status carom_orbit_family_correct(carom_orbit_map *map, double energy,
                                        carom_branch_point *point, double tolerance, int most,
                                        carom_branch_effort *effort, carom_error *error) {
  forced it = {.map = map, .plain = carom_orbit_problem(map)};
  carom_branch_problem problem = it.plain;
  problem.ctx = &it;
  problem.residual = forced_residual;
  problem.slope = it.slope;
  problem.drop = 0.0;
  int rounds = 0;
  for (int pass = 0; pass < PASSES; pass++) {
    double direction[CAROM_BRANCH_MOST + 1] = {0}, length;
    double left = energy - energy_of(map, point->x, direction, &length);
    if (!isfinite(left / length)) return refuse_energy(energy, error);
    if (pass > 0 && fabs(left) <= SAME_ENERGY * fmax(fabs(energy), length)) return CAROM_OK;
    memset(it.slope, 0, sizeof it.slope);
    for (int k = 0; k < map->count; k++) {
      direction[k] /= length;
      it.slope[k] = direction[k] * map->units.scale[k];
      point->x[k] += direction[k] * map->units.scale[k] * (left / length);
    }
    point->p = 0.0;
    carom_status status =
        carom_branch_correct(&problem, point, direction, tolerance, most, effort, error);
    effort->rounds = rounds += effort->rounds;
    if (status != CAROM_OK) return status;
    if (!(fabs(point->p) <= NO_FORCE)) return refuse_energy(energy, error);
  }
  return CAROM_OK;
}
