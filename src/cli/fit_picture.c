// SPDX-License-Identifier: MIT
#include "fit_picture.h"

#include "draw/script.h"

#include <math.h>
#include <string.h>

enum {
  WIDTH = 640,
  HEIGHT = 440,
  ROW = 130,
  CELL = 170,
  MOST_SERIES = 12,
  MOST_DRAWN = 6, // inputs of a corner
  BARS = 30,
  MOST_POINTS = 4000
};

/// The data of one column of one file.
typedef struct series {
  int file;
  const char *column;
  int block;
} series;

static int find_series(const carom_fit_view *v, series *list) {
  int count = 0;
  for (long k = 0; k < v->data_count; k++) {
    bool known = false;
    for (int s = 0; s < count; s++)
      known = known || (list[s].file == v->file[k] && list[s].column == v->column[k]);
    if (!known && count < MOST_SERIES) list[count++] = (series){v->file[k], v->column[k], 0};
  }
  return count;
}

static void put_series(carom_script *it, const carom_fit_view *v, series *s) {
  s->block = carom_script_block(it);
  for (long k = 0; k < v->data_count; k++) {
    if (v->file[k] != s->file || v->column[k] != s->column) continue;
    carom_script_number(it, v->times[k]);
    carom_script_number(it, v->measured[k]);
    carom_script_number(it, v->fitted[k]);
    carom_script_number(it, v->residuals[k]);
    carom_script_row(it);
  }
}

static void name_series(carom_script *it, const series *s, bool several) {
  char text[160];
  (void)snprintf(text, sizeof text, several ? "%.100s, file %d" : "%.100s", s->column, s->file + 1);
  carom_script_text(it, text);
}

static void draw_series(carom_script *it, int count, const series *list) {
  FILE *out = it->commands;
  bool several = list[count - 1].file > 0;
  fprintf(out, "set multiplot\nset key outside top center horizontal\nset lmargin 10\nset rmargin "
               "2\nset size 1,0.62\nset origin 0,0.38\n"
               "set ylabel 'measured and fitted'\nplot ");
  for (int s = 0; s < count; s++) {
    fprintf(out, s ? ", \\\n  " : "");
    carom_script_source(it, list[s].block);
    fprintf(out, " using 1:2 with points pt 7 ps 0.45 lc rgb '%s' title ", carom_script_colour(s));
    name_series(it, &list[s], several);
    fprintf(out, ", \\\n  ");
    carom_script_source(it, list[s].block);
    fprintf(out, " using 1:3 with lines lw 1 lc rgb '%s' notitle", carom_script_colour(s));
  }
  fprintf(out, "\nset size 1,0.4\nset origin 0,0\nset xlabel 't'\nset ylabel 'residual / error'\n"
               "set xzeroaxis lt 1 lc rgb '#404040'\nplot ");
  for (int s = 0; s < count; s++) {
    fprintf(out, s ? ", \\\n  " : "");
    carom_script_source(it, list[s].block);
    fprintf(out, " using 1:4 with impulses lw 1 lc rgb '%s' notitle", carom_script_colour(s));
  }
  fprintf(out, "\nunset multiplot\n");
}

carom_status carom_fit_picture(const char *file, const carom_fit_view *v, carom_error *error) {
  series list[MOST_SERIES];
  carom_script script;
  if (!file) return CAROM_OK;
  carom_status status = carom_script_begin(&script, file, WIDTH, HEIGHT, error);
  if (status != CAROM_OK) return status;
  int count = find_series(v, list);
  for (int s = 0; s < count; s++)
    put_series(&script, v, &list[s]);
  draw_series(&script, count, list);
  return carom_script_end(&script, error);
}

// ---- samples

carom_status carom_fit_trace(const char *file, const carom_fit_view *v, carom_error *error) {
  const carom_fit_chain *c = &v->chain;
  carom_script script;
  int n = v->free_count;
  if (!file) return CAROM_OK;
  carom_status status = carom_script_begin(&script, file, WIDTH, ROW * n + 40, error);
  if (status != CAROM_OK) return status;
  int every = c->samples / 1000 + 1, block = carom_script_block(&script);
  for (int s = 0; s < c->samples; s += every)
    for (int w = 0; w < c->walkers; w++) {
      carom_script_number(&script, s);
      for (int j = 0; j < n; j++)
        carom_script_number(&script, c->inputs[((long)s * c->walkers + w) * n + j]);
      carom_script_row(&script);
    }
  FILE *out = script.commands;
  long count = (long)c->samples * c->walkers;
  fprintf(out, "set multiplot layout %d,1\nset lmargin 12\nunset key\n", n);
  for (int j = 0; j < n; j++) {
    double low = INFINITY, high = -INFINITY;
    for (long k = 0; k < count; k++) {
      low = fmin(low, c->inputs[k * n + j]);
      high = fmax(high, c->inputs[k * n + j]);
    }
    carom_script_label(&script, "ylabel", v->names[j]);
    carom_script_tics(&script, "y", low, high, 4);
    fprintf(out, j + 1 == n ? "set xlabel 'sample'\nplot " : "plot ");
    carom_script_source(&script, block);
    fprintf(out, " using 1:%d with dots lc rgb '%s'\n", j + 2, carom_script_colour(0));
  }
  fprintf(out, "unset multiplot\n");
  return carom_script_end(&script, error);
}

/// What a corner shows of one input.
typedef struct shown {
  double low, high; // of all samples
  int block;        // of its histogram
} shown;

static void put_histogram(carom_script *it, const carom_fit_view *v, int j, shown *s) {
  long bars[BARS] = {0}, count = (long)v->chain.samples * v->chain.walkers, n = v->free_count;
  s->low = INFINITY;
  s->high = -INFINITY;
  for (long k = 0; k < count; k++) {
    s->low = fmin(s->low, v->chain.inputs[k * n + j]);
    s->high = fmax(s->high, v->chain.inputs[k * n + j]);
  }
  double width = (s->high - s->low) / BARS;
  for (long k = 0; k < count && width > 0.0; k++) {
    int bar = (int)((v->chain.inputs[k * n + j] - s->low) / width);
    bars[bar < BARS ? bar : BARS - 1]++;
  }
  s->block = carom_script_block(it);
  for (int b = 0; b < BARS; b++) {
    carom_script_number(it, s->low + (b + 0.5) * width);
    carom_script_number(it, (double)bars[b]);
    carom_script_row(it);
  }
}

static int put_cloud(carom_script *it, const carom_fit_view *v, int drawn) {
  long count = (long)v->chain.samples * v->chain.walkers, every = count / MOST_POINTS + 1;
  int block = carom_script_block(it);
  for (long k = 0; k < count; k += every) {
    for (int j = 0; j < drawn; j++)
      carom_script_number(it, v->chain.inputs[k * v->free_count + j]);
    carom_script_row(it);
  }
  return block;
}

static void draw_cell(carom_script *it, const carom_fit_view *v, int row, int column, int drawn,
                      const shown *list, int cloud) {
  FILE *out = it->commands;
  const shown *x = &list[column], *y = &list[row];
  double part = 0.83 / drawn, left = 0.16 + column * part, bottom = 0.1 + (drawn - 1 - row) * part;
  fprintf(out, "set lmargin at screen %g\nset rmargin at screen %g\n", left, left + 0.88 * part);
  fprintf(out, "set bmargin at screen %g\nset tmargin at screen %g\n", bottom,
          bottom + 0.88 * part);
  fprintf(out, "set xrange [%.17g:%.17g]\nset autoscale y\n", x->low, x->high);
  carom_script_label(it, "xlabel", row + 1 == drawn ? v->names[column] : "");
  carom_script_label(it, "ylabel", column == 0 && row > 0 ? v->names[row] : "");
  carom_script_tics(it, "x", x->low, x->high, 3);
  fprintf(out, row + 1 == drawn ? "" : "set format x ''\n");
  if (row == column) {
    fprintf(out, "unset ytics\nset yrange [0:*]\nset xlabel offset 0,0\nplot ");
    carom_script_source(it, x->block);
    fprintf(out, " using 1:2 with boxes fs solid 0.5 lc rgb '%s', \\\n", carom_script_colour(0));
    fprintf(out, "  '+' using (%.17g):(0) with points pt 9 lc rgb '%s'\n", v->values[row],
            carom_script_colour(1));
    return;
  }
  fprintf(out, "set ytics\nset yrange [%.17g:%.17g]\n", y->low, y->high);
  carom_script_tics(it, "y", y->low, y->high, 4);
  fprintf(out, column == 0 ? "plot " : "set format y ''\nplot ");
  carom_script_source(it, cloud);
  fprintf(out, " using %d:%d with dots lc rgb '%s'\n", column + 1, row + 1, carom_script_colour(0));
}

carom_status carom_fit_corner(const char *file, const carom_fit_view *v, carom_error *error) {
  carom_script script;
  shown list[MOST_DRAWN];
  int drawn = v->free_count < MOST_DRAWN ? v->free_count : MOST_DRAWN;
  if (!file) return CAROM_OK;
  carom_status status =
      carom_script_begin(&script, file, CELL * drawn + 80, CELL * drawn + 80, error);
  if (status != CAROM_OK) return status;
  for (int j = 0; j < drawn; j++)
    put_histogram(&script, v, j, &list[j]);
  int cloud = put_cloud(&script, v, drawn);
  fprintf(script.commands, "set multiplot\nunset key\nunset grid\nset samples 2\n");
  for (int row = 0; row < drawn; row++)
    for (int column = 0; column <= row; column++)
      draw_cell(&script, v, row, column, drawn, list, cloud);
  fprintf(script.commands, "unset multiplot\n");
  return carom_script_end(&script, error);
}

carom_status carom_design_picture(const char *file, const carom_design_options *o,
                                  const carom_design_view *v, carom_error *error) {
  carom_script script;
  if (!file) return CAROM_OK;
  carom_status status = carom_script_begin(&script, file, WIDTH, HEIGHT * 3 / 4, error);
  if (status != CAROM_OK) return status;
  FILE *out = script.commands;
  int curves = carom_script_block(&script);
  for (int t = 0; t < o->time_count; t++) {
    carom_script_number(&script, o->times[t]);
    for (int c = 0; c < o->of_count; c++)
      carom_script_number(&script, v->gain[t * o->of_count + c]);
    carom_script_row(&script);
  }
  int chosen = carom_script_block(&script);
  for (int k = 0; k < v->pick_count; k++) {
    const carom_design_pick *pick = &v->picks[k];
    carom_script_number(&script, o->times[pick->time]);
    carom_script_number(&script, v->gain[pick->time * o->of_count + pick->of]);
    carom_script_row(&script);
  }
  fprintf(out, "set xlabel 't'\nset ylabel 'left of the error by one measurement'\n"
               "set yrange [0:1.02]\nset key outside top center horizontal\nplot ");
  for (int c = 0; c < o->of_count; c++) {
    carom_script_source(&script, curves);
    fprintf(out, " using 1:%d with lines lw 1.2 lc rgb '%s' title ", c + 2, carom_script_colour(c));
    carom_script_text(&script, o->of[c].name);
    fprintf(out, ", \\\n  ");
  }
  carom_script_source(&script, chosen);
  fprintf(out, " using 1:2 with points pt 6 ps 1 lw 1.5 lc rgb '#404040' title 'chosen'\n");
  return carom_script_end(&script, error);
}
