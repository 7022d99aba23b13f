// SPDX-License-Identifier: MIT
#include "analysis/shifts.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// the coordinate that has weight 1 in this row and 0 in all others
static int find_free(const carom_shifts *it, int row) {
  assert(row >= 0 && row < it->count);
  for (int k = 0; k < it->coordinates; k++) {
    bool own = it->weight[row][k] == 1.0;
    for (int s = 0; s < it->count && own; s++)
      own = s == row || it->weight[s][k] == 0.0;
    if (own) return k;
  }
  return 0;
}

carom_shifts carom_shifts_of(const carom_model *model) {
  carom_shifts it = {.coordinates = carom_model_count(model, CAROM_COORDINATES)};
  size_t n = (size_t)it.coordinates;
  double *weights =
      n <= CAROM_ORBIT_STATES ? calloc(CAROM_MOST_SHIFTS * (n + 1), sizeof *weights) : NULL;
  if (!weights) return it;
  it.count = carom_model_shifts(model, CAROM_MOST_SHIFTS, weights);
  assert(it.count >= 0 && it.count <= CAROM_MOST_SHIFTS);
  for (int s = 0; s < it.count; s++) {
    int moved = 0;
    memcpy(it.weight[s], weights + (size_t)s * n, n * sizeof *weights);
    for (size_t k = 0; k < n; k++)
      moved += it.weight[s][k] != 0.0;
    it.common[s] = moved > 1;
  }
  for (int s = 0; s < it.count; s++)
    it.freed[s] = find_free(&it, s);
  for (int k = 0; k < it.coordinates; k++)
    it.angle[k] = carom_model_angle(model, k);
  free(weights);
  return it;
}

bool carom_shifts_free(const carom_shifts *shifts, int k) {
  for (int s = 0; s < shifts->count; s++)
    if (shifts->freed[s] == k) return true;
  return false;
}

double carom_shifts_take(const carom_shifts *shifts, int s, double *y) {
  assert(s >= 0 && s < shifts->count && shifts->freed[s] < shifts->coordinates);
  double far = y[shifts->freed[s]];
  for (int k = 0; k < shifts->coordinates; k++)
    y[k] -= far * shifts->weight[s][k];
  return far;
}

double carom_shifts_whole(const carom_shifts *shifts, int i, double way) {
  assert(i >= 0);
  const double turn = 2.0 * 3.14159265358979323846;
  bool angle = i < shifts->coordinates && i < CAROM_ORBIT_STATES && shifts->angle[i];
  return angle ? turn * round(way / turn) : 0.0;
}

void carom_shifts_reduce(const carom_shifts *shifts, double *y) {
  for (int s = 0; s < shifts->count; s++)
    (void)carom_shifts_take(shifts, s, y);
}
