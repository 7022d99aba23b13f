// SPDX-License-Identifier: MIT
/// Branches that leave another one: where, and in which direction.
#include "analysis/follower.h"

#include "base/elementary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// a double multiplier is known to the root of what turns are; how far a motion beside is looked for
static const double ANOTHER_ONE = 1e-4, FAR_BESIDE = 1e-3;
static const double BESIDE = 1e-9, PI = 3.14159265358979323846;

static double dot(int n, const double *a, const double *b) {
  double sum = 0.0;
  for (int k = 0; k < n; k++)
    sum += a[k] * b[k];
  return sum;
}

// the direction in which a motion of twice the period leaves: (M + 1) v = 0 by inverse iteration
static void flip_direction(const carom_orbit_map *map, double *v) {
  int n = map->count;
  double A[CAROM_ORBIT_STATES * CAROM_ORBIT_STATES];
  for (int k = 0; k < n; k++)
    v[k] = 1.0 + 0.1 * k;
  for (int round = 0; round < 4; round++) {
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        A[i * n + j] =
            (map->found.matrix[i * n + j] * map->units.scale[j] + (i == j) * map->units.scale[i]) /
            map->units.scale[i];
    (void)carom_branch_solve(n, A, v, 1e-16, NULL);
    double length = sqrt(dot(n, v, v));
    for (int k = 0; k < n && length > 0.0; k++)
      v[k] /= length;
  }
}

carom_status carom_promise_flip(carom_follower *it) {
  // twice the turn would need twice the word
  bool is_virtual = it->map->fixed_word.held && it->special.orbit.is.fixed_word.virtual_motion;
  if (it->depth >= it->options->switches || it->map->kind.rest || is_virtual) return CAROM_OK;
  carom_beginning beginning = {// all multipliers are squares
                               .map = *it->map,
                               .at = it->special.at,
                               .depth = it->depth + 1,
                               .flips = 1.0};
  carom_orbit_map *map = &beginning.map;
  carom_orbit_free_word(map);
  flip_direction(it->map, beginning.at.tangent);
  beginning.at.tangent_p = 0.0;
  if (map->kind.autonomous) {
    beginning.at.x[map->count] *= 2.0;
    beginning.at.tangent[map->count] = 0.0;
    map->units.scale[map->count] *= 2.0;
    carom_orbit_anchor(map, it->special.at.x);
  } else {
    map->begin.turns *= 2;
  }
  return carom_continuation_promise(it->result, &beginning, it->error);
}

// The direction in which another branch crosses: the null vector of the equations, with the period
// of a system without drive as the last unknown, by inverse iteration
static void crossing_direction(const carom_orbit_map *map, double *v) {
  int n = map->count, m = n + carom_orbit_has_period(map);
  double A[(CAROM_ORBIT_STATES + 1) * (CAROM_ORBIT_STATES + 1)];
  for (int k = 0; k < m; k++)
    v[k] = 1.0 + 0.1 * k;
  for (int round = 0; round < 4; round++) {
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < n; j++)
        A[i * m + j] = map->found.matrix[i * n + j] * map->units.scale[j] / map->units.scale[i] -
                       (i == j ? 1.0 + BESIDE : 0.0);
      if (m > n)
        A[i * m + n] = map->found.rate[map->which[i]] * map->units.scale[n] / map->units.scale[i];
      if (m > n) A[n * m + i] = map->begin.across[i] * map->units.scale[i];
    }
    if (m > n) A[n * m + n] = 0.0;
    (void)carom_branch_solve(m, A, v, 1e-16, NULL);
    double length = sqrt(dot(m, v, v));
    for (int k = 0; k < m && length > 0.0; k++)
      v[k] /= length;
  }
}

// Of a pitchfork one of two branches that are mirror images, of two branches that cross one half of
// the other one. From the branch of a pitchfork, which turns back there, the other one is found
// where this one is not.
carom_status carom_promise_crossing(carom_follower *it, bool apex) {
  if (it->depth >= it->options->switches || it->map->fixed_word.held) return CAROM_OK;
  carom_beginning beginning = {.map = *it->map,
                               .at = it->special.at,
                               .depth = it->depth + 1,
                               .flips = carom_test_value(&it->special, CAROM_TEST_FLIP)};
  double towards = it->here.at.p > it->special.at.p ? -1.0 : 1.0;
  carom_branch_head(&beginning.at, apex ? towards : 0.0);
  if (!apex) crossing_direction(it->map, beginning.at.tangent);
  if (carom_orbit_has_period(it->map)) carom_orbit_anchor(&beginning.map, it->special.at.x);
  return carom_continuation_promise(it->result, &beginning, it->error);
}

// --- cycles that are born where an equilibrium loses its stability

// Real and imaginary part of the eigenvector of the pair nearest to the unit circle, in scaled
// unknowns, by inverse iteration of M u - a u + b w = 0, M w - a w - b u = 0 with a little beside
// its value, where the equations can be solved
static bool hopf_plane(const carom_orbit_map *map, double a, double b, double *u, double *w) {
  int n = map->count, m = 2 * n;
  if (m > CAROM_DENSE_MOST) return false;
  double A[CAROM_DENSE_MOST * CAROM_DENSE_MOST], v[CAROM_DENSE_MOST];
  for (int k = 0; k < m; k++)
    v[k] = 1.0 + 0.1 * k;
  for (int round = 0; round < 4; round++) {
    memset(A, 0, sizeof A);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        double entry = map->found.matrix[i * n + j] * map->units.scale[j] / map->units.scale[i] -
                       (i == j ? a + BESIDE : 0.0);
        A[i * m + j] = A[(n + i) * m + n + j] = entry;
        if (i == j) A[i * m + n + j] = b;
        if (i == j) A[(n + i) * m + j] = -b;
      }
    (void)carom_branch_solve(m, A, v, 1e-16, NULL);
    double length = sqrt(dot(m, v, v));
    if (!(length > 0.0) || !isfinite(length)) return false;
    for (int k = 0; k < m; k++)
      v[k] /= length;
  }
  memcpy(u, v, (size_t)n * sizeof *u);
  memcpy(w, v + n, (size_t)n * sizeof *w);
  return true;
}

// turns (u, w) within its plane until they are at right angles
static void square_up(int n, double *u, double *w) {
  double angle = 0.5 * carom_atan2(-2.0 * dot(n, u, w), dot(n, u, u) - dot(n, w, w));
  for (int k = 0; k < n; k++) {
    double old = u[k];
    u[k] = old * carom_cos(angle) - w[k] * carom_sin(angle);
    w[k] = old * carom_sin(angle) + w[k] * carom_cos(angle);
  }
}

// which multiplier is that of the pair nearest to the unit circle; -1: there is no pair
static int nearest_pair(const carom_orbit_data *orbit) {
  double nearest = INFINITY;
  int found = -1;
  for (int k = 0; k < orbit->is.floquet.count; k++) {
    double away = fabs(carom_hypot(orbit->re[k], orbit->im[k]) - 1.0);
    if (!(orbit->im[k] > 0.0) || !(away < nearest)) continue;
    nearest = away;
    found = k;
  }
  return found;
}

// The cycle leaves the equilibrium along u with the period of its rotation; it passes there with a
// velocity along w, across which its turns begin
carom_status carom_promise_hopf(carom_follower *it) {
  const carom_orbit_data *orbit = &it->special.orbit;
  double u[CAROM_ORBIT_STATES], w[CAROM_ORBIT_STATES];
  if (it->depth >= it->options->switches || !it->map->kind.rest) return CAROM_OK;
  int pair = nearest_pair(orbit);
  if (pair < 0 || !hopf_plane(it->map, orbit->re[pair], orbit->im[pair], u, w)) return CAROM_OK;
  carom_beginning beginning = {// all multipliers are exponentials
                               .map = *it->map,
                               .at = it->special.at,
                               .depth = it->depth + 1,
                               .flips = 1.0};
  carom_orbit_map *map = &beginning.map;
  int n = map->count;
  square_up(n, u, w);
  double length = sqrt(dot(n, u, u)),
         period = 2.0 * PI * map->found.period / carom_atan2(orbit->im[pair], orbit->re[pair]);
  if (!(length > 0.0)) return CAROM_OK;
  map->kind.rest = false;
  memset(beginning.at.tangent, 0, sizeof beginning.at.tangent);
  for (int k = 0; k < n; k++) {
    beginning.at.tangent[k] = u[k] / length;
    map->begin.base[map->which[k]] = map->begin.anchor[k] = it->special.at.x[k];
    map->derived.first_rate[map->which[k]] = w[k] * map->units.scale[k];
  }
  carom_orbit_anchor(map, it->special.at.x);
  beginning.at.tangent_p = 0.0;
  beginning.at.x[n] = map->units.scale[n] = period;
  map->units.weight[n] = 1.0;
  return carom_continuation_promise(it->result, &beginning, it->error);
}

// --- the beginning of a branch that leaves another one

int carom_follower_covers(carom_follower *it, const carom_station *place) {
  int parts = 1;
  if (it->map->kind.rest || it->map->fixed_word.held) return 1;
  carom_status status = carom_orbit_parts(it->map, place->at.x, place->at.p, &parts, NULL);
  return status == CAROM_OK ? parts : 1;
}

double carom_follower_leads_along(const carom_follower *it, const carom_branch_point *from) {
  const carom_branch_point *at = &it->here.at;
  double along = at->tangent_p * (at->p - from->p) / it->problem.scale_p;
  for (int k = 0; k < it->problem.count; k++)
    along += at->tangent[k] * (at->x[k] - from->x[k]) / it->problem.scale[k];
  return along;
}

bool carom_follower_passes_over(const carom_follower *it, const carom_beginning *beginning) {
  const carom_branch_point *at = &it->here.at, *from = &beginning->at;
  double flips = carom_test_value(&it->here, CAROM_TEST_FLIP);
  return flips * beginning->flips < 0.0 ||
         carom_follower_leads_along(it, from) * at->tangent_p * (at->p - from->p) < 0.0;
}

// --- families

// Is a multiplier beside that along the motion 1, as far as a double one can be told?
static bool has_another_one(const carom_orbit_data *orbit) {
  for (int k = 0; k < orbit->is.floquet.count; k++)
    if (carom_hypot(orbit->re[k] - 1.0, orbit->im[k]) < ANOTHER_ONE) return true;
  return false;
}

// A motion beside that closes as well, at the same parameter: something is kept, such as the first
// integral of Lotka and Volterra's equations, which nobody has told of. At a fold Newton's method
// comes back.
carom_status carom_follower_find_family(carom_follower *it, bool *looked) {
  carom_orbit_map *map = it->map;
  double v[CAROM_ORBIT_STATES + 1], away = 0.0;
  *looked = !map->kind.rest && !map->fixed_word.held && carom_orbit_has_period(map) &&
            has_another_one(&it->here.orbit);
  if (!*looked) return CAROM_OK;
  carom_station *beside = malloc(sizeof *beside);
  if (!beside) return carom_fail_memory(it->error);
  *beside = it->here;
  carom_status status = carom_orbit_map_turn(map, it->here.at.x, it->here.at.p, true, it->error);
  if (status == CAROM_OK) {
    crossing_direction(map, v);
    for (int k = 0; k < it->problem.count; k++)
      carom_branch_shift(&it->problem, &beside->at, k, FAR_BESIDE * v[k]);
    map->kind.many = true;
    carom_follower_prepare(it);
    status = carom_follower_settle(it, beside, true);
    for (int k = 0; k < it->problem.count; k++)
      away += v[k] * (beside->at.x[k] - it->here.at.x[k]) / it->problem.scale[k];
    map->kind.many = status == CAROM_OK && away > 0.5 * FAR_BESIDE;
  }
  free(beside);
  return status == CAROM_STOP_USER ? status : CAROM_OK;
}
