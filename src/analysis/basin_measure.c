// SPDX-License-Identifier: MIT
/// How hard it is to foretell where a start leads. The share f(eps) of starts that have another
/// attractor eps away grows as eps^alpha, with alpha the uncertainty exponent: the dimension of the
/// boundary is alpha below that of the starts (McDonald, Grebogi, Ott and Yorke, *Physica D* 17,
/// 1985). Basin entropy is the mean over boxes of -sum p log p, p the shares of attractors in a
/// box; with boxes at the boundary alone more than log 2 is met only by a fractal one (Daza,
/// Wagemakers, Georgeot, Guery-Odelin and Sanjuan, *Sci. Rep.* 6, 2016).
#include "analysis/basin_parts.h"

#include "base/elementary.h"
#include "base/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BOX = 5, WIDEST = 8, MOST_SCALES = 30 };

// is (i, j) inside the grid with an attractor other than `kind`?
static bool has_other_attractor(const carom_basin *it, int i, int j, int kind) {
  if (i < 0 || j < 0 || i >= it->columns || j >= it->rows) return false;
  int other = it->kind[(long)i * it->rows + j];
  return other >= 0 && other != kind;
}

static double uncertain_share(const carom_basin *it, int apart) {
  long uncertain = 0, count = 0;
  for (int i = 0; i < it->columns; i++)
    for (int j = 0; j < it->rows; j++) {
      int kind = it->kind[(long)i * it->rows + j];
      if (kind < 0) continue;
      count++;
      uncertain += has_other_attractor(it, i - apart, j, kind) ||
                   has_other_attractor(it, i + apart, j, kind) ||
                   has_other_attractor(it, i, j - apart, kind) ||
                   has_other_attractor(it, i, j + apart, kind);
    }
  return count > 0 ? (double)uncertain / (double)count : 0.0;
}

// the slope of log f over log eps by least squares, and its standard error
static void find_exponent(const carom_basin *it, carom_basin_measures *found) {
  double x[MOST_SCALES], y[MOST_SCALES], mx = 0.0, my = 0.0, xx = 0.0, xy = 0.0, left = 0.0;
  int count = 0, most = it->columns < it->rows ? it->columns : it->rows;
  for (int apart = 1; apart <= most / WIDEST && count < MOST_SCALES; apart *= 2) {
    double share = uncertain_share(it, apart);
    if (!(share > 0.0)) return;
    x[count] = carom_log((double)apart);
    y[count++] = carom_log(share);
  }
  if (count < 3) return;
  for (int k = 0; k < count; k++) {
    mx += x[k] / count;
    my += y[k] / count;
  }
  for (int k = 0; k < count; k++) {
    xx += (x[k] - mx) * (x[k] - mx);
    xy += (x[k] - mx) * (y[k] - my);
  }
  found->exponent = xy / xx;
  for (int k = 0; k < count; k++) {
    double miss = y[k] - my - found->exponent * (x[k] - mx);
    left += miss * miss;
  }
  found->exponent_error = sqrt(left / (count - 2) / xx);
}

// the entropy of one box, and whether it has several attractors
static double entropy_of_box(const carom_basin *it, int i0, int j0, long *counts, bool *several) {
  long count = 0;
  double entropy = 0.0;
  memset(counts, 0, (size_t)it->attractor_count * sizeof *counts);
  for (int i = i0; i < i0 + BOX; i++)
    for (int j = j0; j < j0 + BOX; j++) {
      int kind = it->kind[(long)i * it->rows + j];
      if (kind < 0) continue;
      counts[kind]++;
      count++;
    }
  *several = false;
  for (int k = 0; k < it->attractor_count; k++) {
    if (counts[k] == 0) continue;
    double share = (double)counts[k] / (double)count;
    entropy -= share * carom_log(share);
    *several = *several || counts[k] < count;
  }
  return entropy;
}

carom_status carom_basin_measure(const carom_basin *it, carom_basin_measures *found,
                                 carom_error *error) {
  *found = (carom_basin_measures){NAN, NAN, NAN, NAN};
  if (it->columns == 0) return CAROM_OK;
  find_exponent(it, found);
  long *counts = calloc((size_t)it->attractor_count + 1, sizeof *counts), boxes = 0, edges = 0;
  if (!counts) return carom_fail_memory(error);
  double sum = 0.0;
  for (int i = 0; i + BOX <= it->columns; i++)
    for (int j = 0; j + BOX <= it->rows; j++) {
      bool several;
      sum += entropy_of_box(it, i, j, counts, &several);
      boxes++;
      edges += several;
    }
  free(counts);
  if (boxes > 0) found->entropy = sum / (double)boxes;
  if (edges > 0) found->boundary_entropy = sum / (double)edges;
  return CAROM_OK;
}
