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

// rows of axes and values; a blank line wherever the first of two axes moves on
static carom_status put_data(const carom_picture *picture, const carom_grid *grid,
                             carom_error *error) {
  double last = NAN, numbers[MOST_NUMBERS];
  fprintf(picture->script, "$points << END\n");
  for (long index = 0; index < grid->count; index++) {
    bool present = true;
    carom_status status = grid->row(grid->ctx, index, numbers, &present, error);
    if (status != CAROM_OK) return status;
    if (!present) continue;
    if (grid->axes > 1 && index > 0 && numbers[0] != last) fprintf(picture->script, "\n");
    last = numbers[0];
    for (int k = 0; k < grid->axes + grid->values; k++)
      put_number(picture->script, numbers[k]);
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

static void put_curves(const carom_picture *picture, const carom_grid *grid) {
  int count = grid->values;
  fprintf(picture->script, "set multiplot layout %d,1\nunset key\n", count);
  put_title(picture, grid->title);
  for (int k = 0; k < count; k++) {
    if (k > 0) fprintf(picture->script, "unset title\n");
    put_label(picture, "x", k == count - 1 ? grid->axis_names[0] : "");
    put_label(picture, "y", grid->value_names[k]);
    fprintf(picture->script, "plot $points using 1:%d with linespoints pt 7 ps 0.25 lc rgb '%s'",
            grid->axes + k + 1, carom_picture_colour(k));
    if (k == 0 && isfinite(grid->level))
      fprintf(picture->script, ", %.9g with lines dt 3 lc rgb '#999999'", grid->level);
    fprintf(picture->script, "\n");
  }
  fprintf(picture->script, "unset multiplot\n");
}

static void put_colours(const carom_picture *picture, const carom_grid *grid) {
  put_title(picture, grid->title);
  put_label(picture, "x", grid->axis_names[0]);
  put_label(picture, "y", grid->axis_names[1]);
  put_label(picture, "cb", grid->value_names[0]);
  fprintf(picture->script, "set view map\nunset key\nset palette defined (0 '#440154', 1 "
                           "'#3b528b', 2 '#21918c', 3 '#5ec962', 4 '#fde725')\n"
                           "splot $points using 1:2:3 with pm3d\n");
}

carom_status carom_grid_draw(const char *file, const carom_grid *grid, carom_error *error) {
  carom_picture picture;
  if (grid->values < 1 || grid->values > MOST_CURVES || grid->axes < 1 || grid->axes > 2) {
    *error = (carom_error){.status = CAROM_ERR_INPUT,
                           .text = "a picture needs an observable and one or two axes"};
    return CAROM_ERR_INPUT;
  }
  carom_status status = carom_picture_begin(&picture, file, WIDTH, HEIGHT, error);
  if (status != CAROM_OK) return status;
  status = put_data(&picture, grid, error);
  if (grid->axes == 1)
    put_curves(&picture, grid);
  else
    put_colours(&picture, grid);
  carom_status drawn = carom_picture_end(&picture, error);
  return status != CAROM_OK ? status : drawn;
}
