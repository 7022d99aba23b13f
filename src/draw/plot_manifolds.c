// SPDX-License-Identifier: MIT
/// Saddles and their branches over the chart of a basin.
#include "draw/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// What a file has of them, and the box that is shown.
typedef struct branches {
  char **names; // of the columns
  int name_count;
  long count;
  double *saddle, *stable, *side, *x, *y;
  double low[2], high[2];
} branches;

enum { X = 3, Y = 4, COLUMNS = 6 }; // see carom basin: saddle, stable, side, two axes, end

static double *read_column(const carom_store *store, const char *table, const char *name,
                           long *count) {
  char path[400];
  (void)snprintf(path, sizeof path, "/%s/%.300s", table, name);
  return carom_store_array(store, path, count, NULL);
}

// false: the starts do not tell
static bool read_box(const carom_store *store, branches *it) {
  for (int k = 0; k < 2; k++) {
    long count = 0;
    double *starts = read_column(store, "starts", it->names[X + k], &count);
    it->low[k] = (double)INFINITY;
    it->high[k] = -(double)INFINITY;
    for (long i = 0; starts && i < count; i++) {
      it->low[k] = fmin(it->low[k], starts[i]);
      it->high[k] = fmax(it->high[k], starts[i]);
    }
    free(starts);
    if (!(it->low[k] < it->high[k])) return false;
  }
  return true;
}

static bool read_branches(const carom_store *store, branches *it) {
  *it = (branches){0};
  it->names = carom_store_list(store, "/manifolds", &it->name_count);
  if (!it->names || it->name_count < COLUMNS) return false;
  long counts[5] = {0};
  it->saddle = read_column(store, "manifolds", it->names[0], &counts[0]);
  it->stable = read_column(store, "manifolds", it->names[1], &counts[1]);
  it->side = read_column(store, "manifolds", it->names[2], &counts[2]);
  it->x = read_column(store, "manifolds", it->names[X], &counts[3]);
  it->y = read_column(store, "manifolds", it->names[Y], &counts[4]);
  it->count = counts[0];
  for (int k = 1; k < 5; k++)
    it->count = counts[k] < it->count ? counts[k] : it->count;
  return it->saddle && it->stable && it->side && it->x && it->y && it->count > 0 &&
         read_box(store, it);
}

static void free_branches(branches *it) {
  free(it->names);
  free(it->saddle);
  free(it->stable);
  free(it->side);
  free(it->x);
  free(it->y);
}

static void put_point(carom_script *script, double x, double y) {
  carom_script_number(script, x);
  carom_script_number(script, y);
  carom_script_row(script);
}

// The part of a line within the box, as parts of its length (Liang and Barsky, ACM Transactions on
// Graphics 3, 1984); false: none.
static bool clip_line(const branches *it, const double a[2], const double b[2], double part[2]) {
  part[0] = 0.0;
  part[1] = 1.0;
  for (int k = 0; k < 2; k++) {
    double way = b[k] - a[k], low = it->low[k] - a[k], high = it->high[k] - a[k];
    if (way == 0.0 && (low > 0.0 || high < 0.0)) return false;
    if (way == 0.0) continue;
    part[0] = fmax(part[0], fmin(low / way, high / way));
    part[1] = fmin(part[1], fmax(low / way, high / way));
  }
  return part[0] < part[1];
}

// every piece of the branches of one kind, line by line
static int put_lines(carom_script *script, const branches *it, bool stable) {
  int block = -1;
  for (long k = 1; k < it->count; k++) {
    const double a[2] = {it->x[k - 1], it->y[k - 1]}, b[2] = {it->x[k], it->y[k]};
    bool same = it->saddle[k] == it->saddle[k - 1] && it->stable[k] == it->stable[k - 1] &&
                it->side[k] == it->side[k - 1];
    double part[2];
    if (!same || (it->stable[k] > 0.5) != stable || isnan(a[0] + b[0])) continue;
    if (!clip_line(it, a, b, part)) continue;
    if (block < 0) block = carom_script_block(script);
    for (int end = 0; end < 2; end++)
      put_point(script, a[0] + part[end] * (b[0] - a[0]), a[1] + part[end] * (b[1] - a[1]));
    put_point(script, (double)NAN, (double)NAN); // the pen is lifted
  }
  return block;
}

// every branch begins at its saddle
static int put_saddles(carom_script *script, const branches *it) {
  int block = -1;
  double last = -1.0;
  for (long k = 0; k < it->count; k++) {
    bool shown = it->x[k] >= it->low[0] && it->x[k] <= it->high[0] && it->y[k] >= it->low[1] &&
                 it->y[k] <= it->high[1];
    if (it->saddle[k] == last) continue;
    last = it->saddle[k];
    if (!shown) continue;
    if (block < 0) block = carom_script_block(script);
    put_point(script, it->x[k], it->y[k]);
  }
  return block;
}

static void add_block(carom_plot_job *it, int block, const char *look, const char *title) {
  if (block < 0) return;
  fprintf(it->script.commands, ", \\\n  ");
  carom_script_source(&it->script, block);
  fprintf(it->script.commands, " using 1:2 with %s ", look);
  if (title)
    fprintf(it->script.commands, "title '%s'", title);
  else
    fprintf(it->script.commands, "notitle");
}

void carom_plot_add_branches(carom_plot_job *it) {
  branches b;
  if (read_branches(it->store, &b)) {
    int unstable = put_lines(&it->script, &b, false), stable = put_lines(&it->script, &b, true);
    int saddles = put_saddles(&it->script, &b);
    add_block(it, unstable, "lines lw 3 lc rgb '#ffffff'", NULL);
    add_block(it, unstable, "lines lw 1.2 lc rgb '#a00028'", "unstable manifold");
    add_block(it, stable, "lines lw 3.5 lc rgb '#ffffff'", NULL);
    add_block(it, stable, "lines lw 1.6 lc rgb '#000000'", "stable manifold");
    add_block(it, saddles, "points pt 7 ps 1.1 lc rgb '#ffffff'", NULL);
    add_block(it, saddles, "points pt 7 ps 0.8 lc rgb '#000000'", "saddle");
  }
  free_branches(&b);
}
