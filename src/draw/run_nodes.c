// SPDX-License-Identifier: MIT
/// Nodes of curves: samples, the states on both sides of events that lie between them, and where
/// the rates tell that a coordinate bends, places between (cubics through values and rates).
#include "draw/run_data.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PARTS = 16, MOST_BENT = 20000 }; // runs with more nodes are not bent
static const double STRAIGHT = 1.0 / 500.0;  // of a coordinate's reach: how far a chord may be off

// how far the cubic is off its chord in the middle
static double bend_of(double h, double rate0, double rate1) {
  return h * fabs(rate1 - rate0) / 8.0;
}

static bool is_cubic(double bend, double reach) { return bend <= 0.5 * reach; }

static double cubic_between(double share, double h, const double value[2], const double rate[2]) {
  double rest = 1.0 - share;
  return rest * rest * (1.0 + 2.0 * share) * value[0] +
         share * share * (3.0 - 2.0 * share) * value[1] +
         h * share * rest * (rest * rate[0] - share * rate[1]);
}

static double reach_of(const double *values, long count) {
  double low = INFINITY, high = -INFINITY;
  for (long k = 0; k < count; k++)
    low = fmin(low, values[k]), high = fmax(high, values[k]);
  return high - low;
}

// ---- samples and events in one row ----

static void put_node(carom_run_data *data, double t, carom_run_node node) {
  data->t[data->count] = t;
  data->nodes[data->count++] = node;
}

static bool jumps_at(const carom_run_data *data, long event) {
  const double *before = data->before + event * data->state;
  return memcmp(before, data->after + event * data->state, (size_t)data->state * sizeof *before) !=
         0;
}

// events strictly between two samples: at a sample, the sample tells
static void put_events(carom_run_data *data, long *event, long sample) {
  const double *t = data->sample_t;
  while (*event < data->events && data->event_t[*event] <= t[sample])
    ++*event;
  for (; *event < data->events && data->event_t[*event] < t[sample + 1]; ++*event) {
    put_node(data, data->event_t[*event], (carom_run_node){.sample = sample, .event = *event});
    if (jumps_at(data, *event))
      put_node(data, data->event_t[*event],
               (carom_run_node){.sample = sample, .event = *event, .after = true});
  }
}

static bool put_row(carom_run_data *data) {
  size_t most = (size_t)data->samples + 2 * (size_t)data->events + 1;
  data->t = malloc(most * sizeof *data->t);
  data->nodes = malloc(most * sizeof *data->nodes);
  if (!data->t || !data->nodes) return false;
  long event = 0;
  for (long k = 0; k < data->samples; k++) {
    put_node(data, data->sample_t[k], (carom_run_node){.sample = k, .event = -1});
    if (data->state > 0 && k + 1 < data->samples) put_events(data, &event, k);
  }
  return true;
}

// ---- values at nodes ----

// between two samples on a straight line
static double between_samples(const carom_run_data *data, const double *values, long node) {
  long s = data->nodes[node].sample, next = s + 1 < data->samples ? s + 1 : s;
  double span = data->sample_t[next] - data->sample_t[s];
  double share = span > 0.0 ? (data->t[node] - data->sample_t[s]) / span : 0.0;
  return share > 0.0 ? values[s] + share * (values[next] - values[s]) : values[s];
}

// column of forces: they jump where the state does, at events between two samples
enum { FORCES = -2 };

static double value_at(const carom_run_data *data, const double *values, int column, long k) {
  const carom_run_node *node = &data->nodes[k];
  if (node->event < 0 && data->t[k] == data->sample_t[node->sample]) return values[node->sample];
  if (node->event >= 0 && column == FORCES && jumps_at(data, node->event))
    return values[node->sample + (node->after && node->sample + 1 < data->samples)];
  if (node->event < 0 || column < 0 || column >= data->state)
    return between_samples(data, values, k);
  return (node->after ? data->after : data->before)[node->event * data->state + column];
}

static bool is_placed(const carom_run_data *data, long k) { return !data->nodes[k].between; }

static long next_placed(const carom_run_data *data, long k) {
  do
    k++;
  while (k < data->count && !is_placed(data, k));
  return k;
}

// what lies between two nodes with values of their own, on a cubic where there are rates
static void fill_between(const carom_run_data *data, double *values, const double *rates) {
  double reach = rates ? reach_of(values, data->count) : 0.0;
  for (long k = 0, next; k < data->count; k = next) {
    next = next_placed(data, k);
    if (next >= data->count) break;
    double h = data->t[next] - data->t[k];
    bool bent = rates && is_cubic(bend_of(h, rates[k], rates[next]), reach);
    const double ends[2] = {values[k], values[next]};
    for (long j = k + 1; j < next; j++) {
      double share = (data->t[j] - data->t[k]) / h;
      const double slopes[2] = {bent ? rates[k] : 0.0, bent ? rates[next] : 0.0};
      values[j] =
          bent ? cubic_between(share, h, ends, slopes) : ends[0] + share * (ends[1] - ends[0]);
    }
  }
}

static double *spread_column(const carom_run_data *data, const double *samples, int column) {
  double *values = samples ? calloc((size_t)data->count + 1, sizeof *values) : NULL;
  double last = NAN;
  for (long k = 0; k < data->count && values; k++)
    // a place between counts for the reach of the series like the node before it
    values[k] = last = is_placed(data, k) ? value_at(data, samples, column, k) : last;
  return values;
}

static int rate_column(const carom_run_data *data, int column) {
  char rate[400];
  if (column < 0 || column >= data->state) return -1;
  (void)snprintf(rate, sizeof rate, "%.300s'", data->names[column]);
  int found = carom_run_data_find(data, rate);
  return found < data->state ? found : -1;
}

static double *read_samples(const carom_run_data *data, const char *path) {
  long rows;
  double *samples = carom_store_array(data->store, path, &rows, NULL);
  if (samples && rows == data->samples) return samples;
  free(samples);
  return NULL;
}

static double *read_column(const carom_run_data *data, int column) {
  char path[400];
  if (column < 0) return NULL;
  (void)snprintf(path, sizeof path, "/series/%.300s", data->names[column]);
  return read_samples(data, path);
}

double *carom_run_data_array(const carom_run_data *data, const char *path, int column) {
  double *samples = read_samples(data, path), *rate_samples = NULL, *rates = NULL;
  const char *name = strrchr(path, '/');
  if (strncmp(path, "/contacts/", strlen("/contacts/")) == 0 && strcmp(name, "/gap") != 0 &&
      strcmp(name, "/slip") != 0)
    column = FORCES;
  int rate = rate_column(data, column);
  double *values = spread_column(data, samples, column);
  if (values && rate >= 0) rate_samples = read_column(data, rate);
  if (rate_samples) rates = spread_column(data, rate_samples, rate);
  if (values) fill_between(data, values, rates);
  free(samples);
  free(rate_samples);
  free(rates);
  return values;
}

// ---- places between ----

// how many parts each stretch needs for one coordinate
static void count_parts(const carom_run_data *data, const double *values, const double *rates,
                        int *parts) {
  double reach = reach_of(values, data->count);
  for (long k = 0; k + 1 < data->count && reach > 0.0; k++) {
    double bend = bend_of(data->t[k + 1] - data->t[k], rates[k], rates[k + 1]);
    int need = is_cubic(bend, reach) ? (int)ceil(sqrt(bend / (STRAIGHT * reach))) : 1;
    if (need > parts[k]) parts[k] = need < MOST_PARTS ? need : MOST_PARTS;
  }
}

static bool divide_steps(carom_run_data *data, const int *parts) {
  long total = 0, old_count = data->count;
  for (long k = 0; k < old_count; k++)
    total += parts[k];
  double *old_t = data->t;
  carom_run_node *old = data->nodes;
  data->t = malloc(((size_t)total + 1) * sizeof *data->t);
  data->nodes = malloc(((size_t)total + 1) * sizeof *data->nodes);
  bool good = data->t && data->nodes;
  data->count = 0;
  for (long k = 0; k < old_count && good; k++) {
    put_node(data, old_t[k], old[k]);
    for (int j = 1; j < parts[k]; j++)
      put_node(data, old_t[k] + (old_t[k + 1] - old_t[k]) * j / parts[k],
               (carom_run_node){.sample = old[k].sample, .event = -1, .between = true});
  }
  free(old_t);
  free(old);
  return good;
}

static bool bend_curves(carom_run_data *data) {
  int *parts = malloc(((size_t)data->count + 1) * sizeof *parts);
  for (long k = 0; k < data->count && parts; k++)
    parts[k] = 1;
  for (int c = 0; c < data->state && c < data->name_count && parts; c++) {
    int rate = rate_column(data, c);
    double *samples = rate >= 0 ? read_column(data, c) : NULL,
           *rate_samples = read_column(data, rate);
    double *values = spread_column(data, samples, c),
           *rates = spread_column(data, rate_samples, rate);
    if (values && rates) count_parts(data, values, rates, parts);
    free(samples);
    free(rate_samples);
    free(values);
    free(rates);
  }
  bool good = parts && divide_steps(data, parts);
  free(parts);
  return good;
}

bool carom_run_data_place(carom_run_data *data) {
  if (!put_row(data)) return false;
  return data->count > MOST_BENT || bend_curves(data);
}

char carom_run_data_mode(const carom_run_data *data, int contact, long k) {
  const carom_run_node *node = &data->nodes[k];
  long sample = node->sample + (node->after && node->sample + 1 < data->samples);
  // what lies behind an event has the mode that follows it
  for (long j = k; j > 0 && data->nodes[j].between; j--)
    if (data->nodes[j - 1].after && sample + 1 < data->samples) sample = node->sample + 1;
  return data->modes[contact][sample][0];
}

bool carom_run_data_at_jump(const carom_run_data *data, long k) {
  return (k > 0 && data->t[k] == data->t[k - 1]) ||
         (k + 1 < data->count && data->t[k] == data->t[k + 1]);
}
