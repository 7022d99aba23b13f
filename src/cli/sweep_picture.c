// SPDX-License-Identifier: MIT
#include "sweep_picture.h"

#include "draw/script.h"
#include "picture.h"

#include <math.h>

enum {
  WIDTH = 760,
  HEIGHT = 520,
  MOST_CURVES = 4,
  LONGEST_NAME = 60,
  MOST_NUMBERS = 2 + MOST_CURVES,
  MOST_NAMED = CAROM_SCRIPT_REGIONS
};

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

// ---- sweeps ----

static int drawn_values(const carom_sweep *sweep) {
  int count = carom_sweep_observables(sweep);
  return count < MOST_CURVES ? count : MOST_CURVES;
}

static carom_status sweep_numbers(void *ctx, long index, double *numbers, bool *present,
                                  carom_error *error) {
  carom_sweep *sweep = ctx;
  carom_sweep_row row;
  int axes = carom_sweep_axes(sweep), at = 0;
  carom_status status = carom_sweep_read(sweep, index, &row, error);
  if (status != CAROM_OK) return status;
  *present = row.present;
  for (int k = 0; k < axes && row.present; k++)
    numbers[at++] = row.at[k];
  for (int k = 0; k < drawn_values(sweep) && row.present; k++)
    numbers[at++] = row.values[k];
  return CAROM_OK;
}

carom_status carom_sweep_draw(const char *file, carom_sweep *sweep, carom_error *error) {
  const char *axes[2] = {0}, *names[MOST_CURVES] = {0};
  carom_grid grid = {.title = carom_sweep_title(sweep),
                     .axes = carom_sweep_axes(sweep),
                     .values = drawn_values(sweep),
                     .axis_names = axes,
                     .value_names = names,
                     .level = NAN,
                     .count = carom_sweep_count(sweep),
                     .ctx = sweep,
                     .row = sweep_numbers};
  for (int k = 0; k < grid.axes && k < 2; k++)
    axes[k] = carom_sweep_axis(sweep, k);
  for (int k = 0; k < grid.values; k++)
    names[k] = carom_sweep_observable(sweep, k);
  return carom_grid_draw(file, &grid, error);
}

// ---- charts ----

// the box around value k of an axis reaches half-way to its neighbours
static void box(const double *values, int count, int k, double *low, double *high) {
  double before = k > 0 ? values[k] - values[k - 1] : count > 1 ? values[1] - values[0] : 1.0;
  double after = k < count - 1 ? values[k + 1] - values[k]
                 : count > 1   ? values[k] - values[k - 1]
                               : 1.0;
  *low = values[k] - 0.5 * before;
  *high = values[k] + 0.5 * after;
}

// runs of equal regions in a column are one box
static void put_boxes(FILE *out, const carom_chart *chart) {
  int rows = chart->rows;
  fprintf(out, "$boxes << END\n");
  for (int i = 0; i < chart->columns; i++) {
    const int *kind = chart->kind + (long)i * rows;
    double left, right;
    box(chart->x, chart->columns, i, &left, &right);
    for (int j = 0; j < rows;) {
      int first = j, region = kind[j];
      while (j < rows && kind[j] == region)
        j++;
      if (region < 0) continue;
      double low, high, unused;
      box(chart->y, rows, first, &low, &unused);
      box(chart->y, rows, j - 1, &unused, &high);
      fprintf(out, "%.9g %.9g %.9g %.9g %.9g %.9g %d\n", chart->x[i], chart->y[first], left, right,
              low, high, region < MOST_NAMED ? region : MOST_NAMED);
    }
  }
  fprintf(out, "END\n");
}

// the boxes of one region, with its name in the key
static void put_region(const carom_picture *picture, int k, const char *title) {
  char name[LONGEST_NAME];
  int length = snprintf(name, sizeof name, "%s", title);
  if (length >= LONGEST_NAME) (void)snprintf(name + LONGEST_NAME - 4, 4, "...");
  fprintf(picture->script,
          "%s$boxes using ($7 == %d ? $1 : NaN):2:3:4:5:6 with boxxyerror %s title ",
          k > 0 ? ", \\\n  " : "plot ", k, carom_script_region(k));
  carom_picture_text(picture, name);
}

carom_status carom_chart_draw(const char *file, const carom_chart *chart, carom_error *error) {
  carom_picture picture;
  int named = chart->count < MOST_NAMED ? chart->count : MOST_NAMED;
  carom_status status = carom_picture_begin(&picture, file, WIDTH, HEIGHT + 60 + 18 * named, error);
  if (status != CAROM_OK) return status;
  put_boxes(picture.script, chart);
  fprintf(picture.script, "set title ");
  carom_picture_text(&picture, chart->title);
  fprintf(picture.script, " noenhanced\n");
  put_label(&picture, "x", chart->x_label);
  put_label(&picture, "y", chart->y_label);
  fprintf(picture.script,
          "set key below left vertical maxrows %d noenhanced Left reverse\nset autoscale fix\n",
          named > 0 ? named + 1 : 1);
  for (int k = 0; k < named; k++)
    put_region(&picture, k, chart->names[k]);
  if (chart->count > named) {
    char others[40];
    (void)snprintf(others, sizeof others, "%d others", chart->count - named);
    put_region(&picture, MOST_NAMED, others);
  }
  fprintf(picture.script, "\n");
  return carom_picture_end(&picture, error);
}
