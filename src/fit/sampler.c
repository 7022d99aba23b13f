// SPDX-License-Identifier: MIT
/// Samples of the posterior exp(-cost) by an ensemble of walkers whose moves stretch towards or
/// away from one another, so that no direction or scale is preferred (Goodman and Weare, Comm. App.
/// Math. Comp. Sci. 5, 2010). Halves of the ensemble move in turn, each against the other, so that
/// the walkers of a half are independent pieces of work (Foreman-Mackey et al. 2013). Random
/// numbers depend on seed, move and walker alone.
#include "base/elementary.h"
#include "base/random.h"
#include "fit/fitting.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double STRETCH = 2.0;    // a of Goodman and Weare
static const double WINDOW = 5.0;     // autocorrelation times that are summed over (Sokal 1997)
enum { TRIES = 30, PLACE = 1000000 }; // streams of random numbers from PLACE on

typedef struct ensemble {
  const carom_fitting *it;
  carom_many_costs *many;
  int n, walkers;
  double spread;
  double *x, *cost;         // [walkers][n], [walkers]
  double *moved, *new_cost; // of half of them
  double *stretch;
  long accepted, moves;
} ensemble;

static double draw_uniform(const ensemble *e, long move, int k) {
  return carom_random_uniform(e->it->options->seed, (uint64_t)(PLACE + 1 + move), (uint64_t)k);
}

static void find_costs(ensemble *e, int count, const double *x, double *costs) {
  carom_many_costs_find(e->many, count, x, costs);
  for (int k = 0; k < count; k++)
    costs[k] /= e->spread;
}

// around the best place, a fraction of what its errors say, ever nearer until there is a motion
static carom_status begin_walkers(ensemble *e, const carom_fit_place *best, const double *errors,
                                  carom_error *error) {
  const carom_fitting *it = e->it;
  for (int w = 0; w < e->walkers; w++) {
    double *x = e->x + w * e->n, share = 0.5;
    e->cost[w] = INFINITY;
    for (int try = 0; try < TRIES && !isfinite(e->cost[w]); try++) {
      for (int j = 0; j < e->n; j++) {
        double range = it->range[j].high - it->range[j].low;
        double width = isfinite(errors[j]) ? fmin(errors[j], 0.1 * range) : 0.1 * range;
        double z = carom_random_normal(it->options->seed, (uint64_t)(PLACE + w * TRIES + try) << 20,
                                       (uint64_t)j);
        x[j] = best->x[j] + share * width * z;
        x[j] = fmin(fmax(x[j], it->range[j].low), it->range[j].high);
      }
      find_costs(e, 1, x, &e->cost[w]);
      share *= 0.7;
    }
    if (!isfinite(e->cost[w]))
      return carom_fail(error, CAROM_ERR_NO_CONVERGENCE,
                        "there are no motions around the best fit to sample from");
  }
  return CAROM_OK;
}

// z with density proportional to 1/sqrt(z) between 1/a and a
static double draw_stretch(double u) {
  double root = (STRETCH - 1.0) * u + 1.0;
  return root * root / STRETCH;
}

// one half moves against the other
static void move_half(ensemble *e, long move, int half) {
  int count = e->walkers / 2, first = half * count, others = (1 - half) * count, n = e->n;
  for (int k = 0; k < count; k++) {
    int partner = others + (int)(draw_uniform(e, move, 3 * k) * count);
    e->stretch[k] = draw_stretch(draw_uniform(e, move, 3 * k + 1));
    for (int j = 0; j < n; j++) {
      double from = e->x[partner * n + j];
      e->moved[k * n + j] = from + e->stretch[k] * (e->x[(first + k) * n + j] - from);
    }
  }
  find_costs(e, count, e->moved, e->new_cost);
  for (int k = 0; k < count; k++) {
    double gain = (n - 1) * carom_log(e->stretch[k]) + e->cost[first + k] - e->new_cost[k];
    e->moves++;
    if (!(carom_log(draw_uniform(e, move, 3 * k + 2)) < gain)) continue;
    e->accepted++;
    e->cost[first + k] = e->new_cost[k];
    memcpy(e->x + (first + k) * n, e->moved + k * n, (size_t)n * sizeof *e->x);
  }
}

// ---- what the samples say

static int compare_numbers(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

// of the mean over walkers: 1 + 2 sum of rho, up to WINDOW times itself
static double correlation_time(const carom_fit_chain *c, int n, int j, double *course) {
  double mean = 0.0, variance = 0.0, tau = 1.0;
  for (int s = 0; s < c->samples; s++) {
    course[s] = 0.0;
    for (int w = 0; w < c->walkers; w++)
      course[s] += c->inputs[((long)s * c->walkers + w) * n + j] / c->walkers;
    mean += course[s] / c->samples;
  }
  for (int s = 0; s < c->samples; s++)
    variance += (course[s] - mean) * (course[s] - mean);
  for (int lag = 1; lag < c->samples / 2 && variance > 0.0; lag++) {
    double sum = 0.0;
    for (int s = 0; s + lag < c->samples; s++)
      sum += (course[s] - mean) * (course[s + lag] - mean);
    tau += 2.0 * sum / variance;
    if (lag >= WINDOW * tau) break;
  }
  return tau;
}

/// Numbers of each input.
typedef struct summary {
  double *mean, *deviation, *low, *high, *time;
} summary;

static void summarise_input(const carom_fit_chain *c, int n, int j, double *work,
                            const summary *out) {
  long count = (long)c->samples * c->walkers;
  double mean = 0.0, square = 0.0;
  for (long k = 0; k < count; k++) {
    work[k] = c->inputs[k * n + j];
    mean += work[k] / (double)count;
  }
  for (long k = 0; k < count; k++)
    square += (work[k] - mean) * (work[k] - mean) / (double)count;
  qsort(work, (size_t)count, sizeof *work, compare_numbers);
  out->mean[j] = mean;
  out->deviation[j] = sqrt(square);
  out->low[j] = work[(long)(0.025 * (double)(count - 1))];
  out->high[j] = work[(long)(0.975 * (double)(count - 1))];
  out->time[j] = correlation_time(c, n, j, work);
}

static carom_status walk_ensemble(ensemble *e, carom_fit_chain *chain, double *inputs,
                                  double *costs) {
  int n = e->n;
  long move = 0, settling = chain->samples / 2;
  for (long s = -settling; s < chain->samples; s++) {
    if (s == 0) e->accepted = e->moves = 0;
    move_half(e, move++, 0);
    move_half(e, move++, 1);
    if (s < 0) continue;
    memcpy(inputs + s * e->walkers * n, e->x, (size_t)(e->walkers * n) * sizeof *inputs);
    memcpy(costs + s * e->walkers, e->cost, (size_t)e->walkers * sizeof *costs);
  }
  chain->accepted = (double)e->accepted / (double)e->moves;
  return CAROM_OK;
}

carom_status carom_fit_sample(carom_fitting *it, const carom_fit_place *best, double spread,
                              carom_fit *made, carom_error *error) {
  const carom_fit_options *o = it->options;
  carom_fit_chain *chain = &made->view.chain;
  size_t n = (size_t)it->n, number = sizeof(double);
  int walkers = o->walkers > 0 ? o->walkers : 4 * it->n;
  if (walkers % 2 != 0 || walkers < 2 * it->n)
    return carom_fail(error, CAROM_ERR_ARGUMENT,
                      "walkers must be even and at least twice as many as the %d inputs", it->n);
  size_t count = (size_t)walkers, total = (size_t)o->samples * count;
  long failures = carom_arena_failures(made->arena);
  ensemble e = {.it = it, .n = it->n, .walkers = walkers, .spread = spread};
  e.x = carom_arena_array(made->arena, count * n, number);
  e.moved = carom_arena_array(made->arena, count * n, number);
  e.cost = carom_arena_array(made->arena, 3 * count, number);
  double *inputs = carom_arena_array(made->arena, total * n, number);
  double *costs = carom_arena_array(made->arena, total, number);
  double *work = carom_arena_array(made->arena, total + 5 * n, number);
  if (carom_arena_failures(made->arena) != failures) return carom_fail_memory(error);
  e.new_cost = e.cost + count;
  e.stretch = e.cost + 2 * count;
  const summary out = {work + total, work + total + n, work + total + 2 * n, work + total + 3 * n,
                       work + total + 4 * n};
  *chain = (carom_fit_chain){.walkers = walkers, .samples = o->samples, .inputs = inputs};
  carom_status status = carom_many_costs_begin(it, &e.many, error);
  if (status == CAROM_OK) status = begin_walkers(&e, best, made->view.errors, error);
  if (status == CAROM_OK) status = walk_ensemble(&e, chain, inputs, costs);
  carom_many_costs_end(e.many);
  for (int j = 0; j < it->n && status == CAROM_OK; j++)
    summarise_input(chain, it->n, j, work, &out);
  chain->costs = costs;
  chain->mean = out.mean;
  chain->deviation = out.deviation;
  chain->low = out.low;
  chain->high = out.high;
  chain->time = out.time;
  return status;
}
