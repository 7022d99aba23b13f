// SPDX-License-Identifier: MIT
/// Spectra of recorded quantities.
#include "draw/fourier.h"
#include "draw/plot.h"
#include "draw/run_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 640, HEIGHT = 360, MOST_CURVES = 4, MOST_POINTS = 1 << 17 };

static bool is_constant(const double *values, long count) {
  for (long k = 1; k < count; k++)
    if (values[k] != values[0]) return false;
  return true;
}

/// Times at equal distances, of which the last is that of the last sample.
typedef struct even_times {
  double end, apart;
  long count;
} even_times;

// a series at equal distances, straight between nodes; into the first numbers of it
static void make_even(const carom_run_data *run, const even_times *times, const double *values,
                      double *even) {
  long node = 0;
  for (long k = 0; k < times->count; k++) {
    double t = times->end - times->apart * (double)(times->count - 1 - k);
    while (node + 2 < run->count && run->t[node + 1] < t)
      node++;
    double h = run->t[node + 1] - run->t[node], share = h > 0.0 ? (t - run->t[node]) / h : 0.0;
    even[k] = values[node] + fmin(1.0, fmax(0.0, share)) * (values[node + 1] - values[node]);
  }
}

static carom_status put_amplitudes(carom_plot_job *it, const carom_run_data *run, const char *name,
                                   const even_times *times, int *block, carom_error *error) {
  long count = times->count;
  double *values, *work = malloc((size_t)count * 3 * sizeof *work);
  double *amplitudes = malloc(((size_t)count / 2 + 1) * sizeof *amplitudes);
  carom_status status = carom_run_data_series(run, name, &values, error);
  if (status == CAROM_OK && (!work || !amplitudes))
    status = carom_draw_fail(error, CAROM_ERR_MEMORY, "out of memory");
  if (status == CAROM_OK) make_even(run, times, values, work + 2 * count);
  if (status == CAROM_OK && is_constant(work + 2 * count, count))
    status = carom_draw_fail(error, CAROM_ERR_INPUT,
                             "'%.100s' is constant in that span of time: it has no spectrum", name);
  if (status == CAROM_OK) {
    carom_amplitudes(count, work + 2 * count, work, amplitudes);
    *block = carom_script_block(&it->script);
    for (long k = 1; k <= count / 2; k++) {
      carom_script_number(&it->script, (double)k / ((double)count * times->apart));
      carom_script_number(&it->script, amplitudes[k]);
      carom_script_row(&it->script);
    }
  }
  free(values);
  free(work);
  free(amplitudes);
  return status;
}

static void put_spectrum(carom_plot_job *it, int count, const char *const *names,
                         const int *blocks) {
  FILE *out = it->script.commands;
  carom_script_label(&it->script, "title", it->title);
  carom_plot_axis(it, "xlabel", "frequency 1/t");
  carom_plot_axis(it, "ylabel", "amplitude");
  fprintf(out, "set logscale y\nset format y '1e%%T'\nset key top right\nplot ");
  for (int k = 0; k < count; k++) {
    fprintf(out, k ? ", \\\n  " : "");
    carom_script_source(&it->script, blocks[k]);
    fprintf(out, " using 1:2 with lines lw 1 dt %d lc rgb '%s' title ", carom_script_dash(k),
            carom_script_colour(k));
    carom_script_text(&it->script, names[k]);
  }
  carom_plot_add_overlay(it);
  fprintf(out, "\n");
}

carom_status carom_plot_spectrum(carom_plot_job *it, carom_error *error) {
  carom_run_data run;
  const char *names[MOST_CURVES];
  int blocks[MOST_CURVES], count = 0;
  long first, end, samples = 0;
  even_times times = {.count = 2};
  carom_status status = carom_run_data_read(it->store, &run, error);
  if (status == CAROM_OK) {
    for (int k = 0; k < it->name_count && count < MOST_CURVES; k++)
      names[count++] = it->names[k];
    if (count == 0 && run.name_count > 0) names[count++] = run.names[0];
    carom_run_data_span(&run, it->options->from, it->options->until, &first, &end);
    for (long k = first; k < end; k++)
      samples += run.nodes[k].event < 0 && !run.nodes[k].between;
    // the longest power of two that ends with the last sample: the latest part of the motion
    while (2 * times.count <= samples && times.count < MOST_POINTS)
      times.count *= 2;
    if (samples > 1) {
      times.end = run.t[end - 1];
      times.apart = (times.end - run.t[first]) / (double)(samples - 1);
    }
    if (count == 0 || samples < 16)
      status = carom_draw_fail(error, CAROM_ERR_INPUT, "a spectrum needs 16 samples or more");
  }
  if (status == CAROM_OK) status = carom_plot_begin(it, WIDTH, HEIGHT, error);
  if (status == CAROM_OK) {
    for (int k = 0; k < count && status == CAROM_OK; k++)
      status = put_amplitudes(it, &run, names[k], &times, &blocks[k], error);
    if (status == CAROM_OK) {
      put_spectrum(it, count, names, blocks);
      status = carom_script_end(&it->script, error);
    } else {
      carom_script_abandon(&it->script);
    }
  }
  carom_run_data_free(&run);
  return status;
}
