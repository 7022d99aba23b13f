// SPDX-License-Identifier: MIT
/// Several runs in one picture: a panel for each quantity, a curve for each run.
#include "draw/plot.h"
#include "draw/run_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  WIDTH = 600,
  PANEL = 190,
  PORTRAIT = 360,
  MARGINS = 120,
  KEY_ROW = 16,
  MOST_PANELS = 4,
  MOST_TICS = 6,
  MOST_POINTS = 20000
};

typedef struct one_run {
  carom_store *opened; // NULL: the file of the job, which its owner closes
  carom_run_data data;
  char label[CAROM_PLOT_NAME];
} one_run;

typedef struct comparison {
  carom_plot_job *job;
  one_run runs[CAROM_PLOT_RUNS + 1];
  int run_count;
  double bottom[MOST_PANELS], top[MOST_PANELS]; // of the quantities
  int blocks[MOST_PANELS][CAROM_PLOT_RUNS + 1];
  double low, high; // of the horizontal axis
} comparison;

// the k-th of texts parted by commas; "" where there are fewer
static void take_label(const char *labels, int k, char label[CAROM_PLOT_NAME]) {
  const char *at = labels ? labels : "";
  for (; k > 0 && *at; k--) {
    at += strcspn(at, ",");
    at += *at == ',';
  }
  (void)snprintf(label, CAROM_PLOT_NAME, "%.*s", (int)strcspn(at, ","), at);
}

static carom_status open_runs(comparison *it, carom_error *error) {
  const carom_plot_options *options = it->job->options;
  for (int k = 0; k <= options->with_count; k++) {
    one_run *run = &it->runs[k];
    const carom_store *store = it->job->store;
    if (k > 0) {
      carom_status status = carom_store_open(options->with[k - 1], &run->opened, error);
      if (status != CAROM_OK) return status;
      store = run->opened;
    }
    it->run_count++;
    carom_status status = carom_run_data_read(store, &run->data, error);
    if (status != CAROM_OK) return status;
    take_label(options->labels, k, run->label);
    const char *file = k > 0 ? options->with[k - 1] : options->file, *slash = strrchr(file, '/');
    if (!run->label[0])
      (void)snprintf(run->label, sizeof run->label, "%.120s", slash ? slash + 1 : file);
  }
  return CAROM_OK;
}

static void close_runs(comparison *it) {
  for (int k = 0; k < it->run_count; k++) {
    carom_run_data_free(&it->runs[k].data);
    carom_store_close(it->runs[k].opened);
  }
}

// the horizontal quantity is the time unless another is named
static carom_status read_across(const one_run *run, const char *name, double **values,
                                carom_error *error) {
  if (name && strcmp(name, "t") != 0) return carom_run_data_series(&run->data, name, values, error);
  *values = malloc((size_t)run->data.count * sizeof **values);
  if (!*values) return carom_draw_fail(error, CAROM_ERR_MEMORY, "out of memory");
  memcpy(*values, run->data.t, (size_t)run->data.count * sizeof **values);
  return CAROM_OK;
}

static carom_status put_curve(comparison *it, int panel, int k, carom_error *error) {
  const carom_plot_options *options = it->job->options;
  const one_run *run = &it->runs[k];
  carom_script *script = &it->job->script;
  double *x = NULL, *y = NULL;
  carom_status status = read_across(run, options->over, &x, error);
  if (status == CAROM_OK)
    status = carom_run_data_series(&run->data, it->job->names[panel], &y, error);
  if (status == CAROM_OK) {
    long first, end;
    carom_run_data_span(&run->data, options->from, options->until, &first, &end);
    long stride = 1 + (end - first) / MOST_POINTS;
    it->blocks[panel][k] = carom_script_block(script);
    for (long j = first; j < end; j += stride) {
      it->low = fmin(it->low, x[j]), it->high = fmax(it->high, x[j]);
      it->bottom[panel] = fmin(it->bottom[panel], y[j]);
      it->top[panel] = fmax(it->top[panel], y[j]);
      carom_script_number(script, x[j]);
      carom_script_number(script, y[j]);
      carom_script_row(script);
    }
  }
  free(x);
  free(y);
  return status;
}

static void put_panel(comparison *it, int panel) {
  carom_plot_job *job = it->job;
  FILE *out = job->script.commands;
  carom_plot_axis(job, "ylabel", job->names[panel]);
  carom_script_tics(&job->script, "y", it->bottom[panel], it->top[panel], MOST_TICS);
  for (int k = 0; k < it->run_count; k++) {
    fprintf(out, k ? ", \\\n  " : "plot ");
    carom_script_source(&job->script, it->blocks[panel][k]);
    fprintf(out, " using 1:2 with lines lw 1.4 dt %d lc rgb '%s' ", carom_script_dash(k),
            carom_script_colour(k));
    fprintf(out, panel == 0 ? "title " : "notitle");
    if (panel == 0) carom_script_text(&job->script, it->runs[k].label);
  }
  if (panel == 0) carom_plot_add_overlay(job);
  fprintf(out, "\nset autoscale y\nunset label 1\n");
}

// how many labels fit beside each other
static int key_columns(const comparison *it) {
  enum { LETTER = 9, SAMPLE = 60 };
  size_t longest = 0;
  for (int k = 0; k < it->run_count; k++)
    longest = strlen(it->runs[k].label) > longest ? strlen(it->runs[k].label) : longest;
  int fit = WIDTH * 4 / 5 / (SAMPLE + LETTER * (int)longest);
  return fit < 1 ? 1 : fit;
}

// room at the left for the longest number and the name beside it
static double left_margin(const comparison *it) {
  const double least = 0.14, letter = 8.0, name = 42.0;
  int letters = 0;
  for (int k = 0; k < it->job->name_count; k++) {
    int mine = carom_script_tic_letters(it->bottom[k], it->top[k], MOST_TICS);
    letters = mine > letters ? mine : letters;
  }
  return fmax(least, (letter * letters + name) / WIDTH);
}

static void put_panels(comparison *it, int height) {
  carom_plot_job *job = it->job;
  FILE *out = job->script.commands;
  int columns = key_columns(it), rows = (it->run_count + columns - 1) / columns;
  double top = 1.0 - (40.0 + KEY_ROW * rows) / height, low = 56.0 / height;
  double tall = (top - low) / job->name_count, gap = 18.0 / height, left = left_margin(it);
  // closed curves do not touch the frame
  double side = job->options->over ? 0.03 * (it->high - it->low) : 0.0;
  fprintf(out,
          "set multiplot\nset lmargin at screen %.4f; set rmargin at screen 0.97\n"
          "set xrange [%.12g:%.12g]\nset key at screen 0.97, screen %.4f top right horizontal "
          "noenhanced samplen 2.5 width 1 maxcols %d\n",
          left, it->low - side, it->high + side, 1.0 - 24.0 / height, columns);
  carom_script_label(&job->script, "label 1", job->title);
  fprintf(out, "set label 1 at screen %.4f, screen %.4f left font ',12'\n", left,
          1.0 - 12.0 / height);
  for (int k = 0; k < job->name_count; k++) {
    bool last = k == job->name_count - 1;
    fprintf(out, "set tmargin at screen %.4f; set bmargin at screen %.4f\nset format x '%s'\n",
            top - k * tall, top - (k + 1) * tall + (last ? 0.0 : gap), last ? "%g" : "");
    if (last) carom_plot_axis(job, "xlabel", job->options->over ? job->options->over : "t");
    put_panel(it, k);
  }
  fprintf(out, "unset multiplot\n");
}

carom_status carom_plot_compare(carom_plot_job *it, carom_error *error) {
  if (it->name_count == 0 || it->name_count > MOST_PANELS)
    return carom_draw_fail(error, CAROM_ERR_INPUT, "say which quantities, up to %d: --of x,y",
                           MOST_PANELS);
  comparison page = {.job = it, .low = INFINITY, .high = -INFINITY};
  for (int k = 0; k < MOST_PANELS; k++)
    page.bottom[k] = INFINITY, page.top[k] = -INFINITY;
  // portraits are as high as they are wide, histories need not be
  int height = MARGINS + (it->options->over ? PORTRAIT : PANEL) * it->name_count;
  carom_status status = open_runs(&page, error);
  if (status == CAROM_OK) status = carom_plot_begin(it, WIDTH, height, error);
  if (status == CAROM_OK) {
    for (int panel = 0; panel < it->name_count; panel++)
      for (int k = 0; k < page.run_count && status == CAROM_OK; k++)
        status = put_curve(&page, panel, k, error);
    if (status == CAROM_OK && !(page.high > page.low))
      status = carom_draw_fail(error, CAROM_ERR_INPUT, "there are no samples in that span of time");
    if (status == CAROM_OK) {
      put_panels(&page, height);
      status = carom_script_end(&it->script, error);
    } else {
      carom_script_abandon(&it->script);
    }
  }
  close_runs(&page);
  return status;
}
