// SPDX-License-Identifier: MIT
#include "grid_picture.h"

#include "picture.h"

#include <math.h>

enum { WIDTH = 760, HEIGHT = 520, MOST_CURVES = 4, MOST_NUMBERS = 2 + MOST_CURVES };

static void put_number(FILE *out, double value) {
  if (isfinite(value))
    fprintf(out, " %.9g", value);
  else
    fprintf(out, " NaN");
}

/// The least and largest number of every column.
typedef struct ranges {
  double low[MOST_NUMBERS], high[MOST_NUMBERS];
} ranges;

// rows of axes and values; a blank line wherever the first of two axes moves on
static carom_status put_data(const carom_picture *picture, const carom_grid *grid, ranges *seen,
                             carom_error *error) {
  double last = NAN, numbers[MOST_NUMBERS];
  for (int k = 0; k < MOST_NUMBERS; k++)
    seen->low[k] = INFINITY, seen->high[k] = -INFINITY;
  fprintf(picture->script, "$points << END\n");
  for (long index = 0; index < grid->count; index++) {
    bool present = true;
    carom_status status = grid->row(grid->ctx, index, numbers, &present, error);
    if (status != CAROM_OK) return status;
    if (!present) continue;
    if (grid->axes > 1 && index > 0 && numbers[0] != last) fprintf(picture->script, "\n");
    last = numbers[0];
    for (int k = 0; k < grid->axes + grid->values; k++) {
      put_number(picture->script, numbers[k]);
      seen->low[k] = fmin(seen->low[k], numbers[k]);
      seen->high[k] = fmax(seen->high[k], numbers[k]);
    }
    fprintf(picture->script, "\n");
  }
  fprintf(picture->script, "END\n");
  return CAROM_OK;
}

static void put_label(const carom_picture *picture, const char *which, const char *text) {
  fprintf(picture->script, "set %slabel ", which);
  carom_picture_text(picture, text);
  fprintf(picture->script, " noenhanced\n");
}

static void put_title(const carom_picture *picture, const char *title) {
  fprintf(picture->script, "set title ");
  carom_picture_text(picture, title);
  fprintf(picture->script, " noenhanced\n");
}

// numbers that are all the same get a range about them
static void put_range(const carom_picture *picture, const char *axis, const ranges *seen, int k) {
  const double told = 1e-8;
  double largest = fmax(fabs(seen->low[k]), fabs(seen->high[k]));
  double pad = largest > 0.0 ? 0.1 * largest : 1.0;
  if (isfinite(largest) && seen->high[k] - seen->low[k] <= told * largest)
    fprintf(picture->script, "set %srange [%.9g:%.9g]\n", axis, seen->low[k] - pad,
            seen->high[k] + pad);
  else
    fprintf(picture->script, "set autoscale %s\n", axis);
}

static void put_curves(const carom_picture *picture, const carom_grid *grid, const ranges *seen) {
  int count = grid->values;
  fprintf(picture->script, "set multiplot layout %d,1\nunset key\n", count);
  put_title(picture, grid->title);
  for (int k = 0; k < count; k++) {
    if (k > 0) fprintf(picture->script, "unset title\n");
    put_label(picture, "x", k == count - 1 ? grid->axis_names[0] : "");
    put_label(picture, "y", grid->value_names[k]);
    put_range(picture, "y", seen, grid->axes + k);
    fprintf(picture->script, "plot $points using 1:%d with linespoints pt 7 ps 0.25 lc rgb '%s'",
            grid->axes + k + 1, carom_picture_colour(k));
    if (k == 0 && isfinite(grid->level))
      fprintf(picture->script, ", %.9g with lines dt 3 lc rgb '#999999'", grid->level);
    fprintf(picture->script, "\n");
  }
  fprintf(picture->script, "unset multiplot\n");
}

static void put_colours(const carom_picture *picture, const carom_grid *grid, const ranges *seen) {
  put_title(picture, grid->title);
  put_label(picture, "x", grid->axis_names[0]);
  put_label(picture, "y", grid->axis_names[1]);
  put_label(picture, "cb", grid->value_names[0]);
  put_range(picture, "cb", seen, grid->axes);
  fprintf(picture->script, "set view map\nunset key\nset palette defined (0 '#440154', 1 "
                           "'#3b528b', 2 '#21918c', 3 '#5ec962', 4 '#fde725')\n"
                           "splot $points using 1:2:3 with pm3d\n");
}

carom_status carom_grid_draw(const char *file, const carom_grid *grid, carom_error *error) {
  carom_picture picture;
  ranges seen;
  if (grid->values < 1 || grid->values > MOST_CURVES || grid->axes < 1 || grid->axes > 2) {
    *error = (carom_error){.status = CAROM_ERR_INPUT,
                           .text = "a picture needs an observable and one or two axes"};
    return CAROM_ERR_INPUT;
  }
  carom_status status = carom_picture_begin(&picture, file, WIDTH, HEIGHT, error);
  if (status != CAROM_OK) return status;
  status = put_data(&picture, grid, &seen, error);
  if (grid->axes == 1)
    put_curves(&picture, grid, &seen);
  else
    put_colours(&picture, grid, &seen);
  carom_status drawn = carom_picture_end(&picture, error);
  return status != CAROM_OK ? status : drawn;
}
