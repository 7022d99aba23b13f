// SPDX-License-Identifier: MIT
/// Second derivatives: differences of exact first ones, of runs beside this one that meet the same
/// events. Order 6; what is told is the mean of d/dx_i d/dx_j and d/dx_j d/dx_i, its error how far
/// these are apart and how far order 4 is from order 6.
#include "analysis/sensitivity_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BESIDE = 6, ROUNDS = 5, MOST_ROUNDS = 10 }; // the more until runs beside are like this one
static const double FIRST_STEP = 1e-2, SHRINK = 0.25, LEAST_SIZE = 0.1; // of an input
static const double GOOD = 1e-9; // of the largest: nothing more is gained by shorter steps

/// Runs beside the one asked for, along one input.
typedef struct bending {
  const carom_sensitivity_options *o;
  const carom_sensitivity *it;
  carom_value *values;     // the last one is moved
  double *slopes[BESIDE];  // of the runs, [of][by]
  double *found, *errors;  // by this input, [of][by]
  double *tried, *missing; // of this round
} bending;

static bool same_events(const carom_sensitivity_view *a, const carom_sensitivity_view *b) {
  if (a->event_count != b->event_count) return false;
  for (long k = 0; k < a->event_count; k++)
    if (a->events[k].kind != b->events[k].kind || strcmp(a->events[k].name, b->events[k].name) != 0)
      return false;
  return true;
}

static carom_status run_beside(const bending *b, double at, double *slopes, bool *same,
                               carom_error *error) {
  carom_sensitivity *other = carom_sensitivity_create();
  carom_sensitivity_options options = *b->o;
  if (!other) return carom_fail_memory(error);
  b->values[b->o->value_count].value = at;
  options.values = b->values;
  options.value_count = b->o->value_count + 1;
  carom_status status = carom_sensitivity_compute(&options, other, error);
  if (status == CAROM_OK) {
    *same = *same && same_events(&b->it->view, &other->view);
    size_t count = (size_t)options.of_count * (size_t)options.by_count;
    memcpy(slopes, other->view.slopes, count * sizeof *slopes);
  }
  carom_sensitivity_destroy(other);
  return status;
}

// one round of differences; `worst`: the largest error, of the largest derivative
static carom_status difference_round(bending *b, double at, double step, bool *same, double *worst,
                                     carom_error *error) {
  static const int place[BESIDE] = {-3, -2, -1, 1, 2, 3};
  long count = (long)b->o->of_count * b->o->by_count;
  double largest = 0.0, most = 0.0;
  *same = true;
  for (int p = 0; p < BESIDE && *same; p++) {
    carom_status status = run_beside(b, at + place[p] * step, b->slopes[p], same, error);
    if (status != CAROM_OK) return status;
  }
  for (long k = 0; k < count && *same; k++) {
    double one = b->slopes[3][k] - b->slopes[2][k], two = b->slopes[4][k] - b->slopes[1][k];
    double three = b->slopes[5][k] - b->slopes[0][k];
    b->tried[k] = (45.0 * one - 9.0 * two + three) / (60.0 * step);
    b->missing[k] = fabs(b->tried[k] - (8.0 * one - two) / (12.0 * step));
    largest = fmax(largest, fabs(b->tried[k]));
    most = fmax(most, b->missing[k]);
  }
  *worst = largest > 0.0 ? most / largest : most;
  return CAROM_OK;
}

// the best of some rounds with ever shorter steps
static carom_status bend_by(bending *b, const char *name, double at, carom_error *error) {
  size_t size = (size_t)b->o->of_count * (size_t)b->o->by_count * sizeof(double);
  double best = INFINITY, worst, step = FIRST_STEP * fmax(fabs(at), LEAST_SIZE);
  b->values[b->o->value_count].name = name;
  for (int round = 0; round < (best < INFINITY ? ROUNDS : MOST_ROUNDS) && best > GOOD; round++) {
    bool same;
    carom_error trouble = {0};
    carom_status status = difference_round(b, at, step, &same, &worst, &trouble);
    step *= SHRINK;
    if (status == CAROM_ERR_MEMORY ||
        (status != CAROM_OK && round == MOST_ROUNDS - 1 && best == INFINITY))
      return carom_fail(error, status, "no second derivative by '%s', at %.15g beside %.15g: %s",
                        name, b->values[b->o->value_count].value, at, trouble.text);
    if (status != CAROM_OK || !same || !(worst < best)) continue;
    best = worst;
    memcpy(b->found, b->tried, size);
    memcpy(b->errors, b->missing, size);
  }
  if (best < INFINITY) return CAROM_OK;
  return carom_fail(error, CAROM_ERR_UNSUPPORTED,
                    "no second derivative by '%s': within %.3g of %.15g other events are met", name,
                    3.0 * step / SHRINK, at);
}

// d/dx_i d/dx_j and the other way round
static void join_halves(int of, int by, double *second, double *errors) {
  for (int k = 0; k < of; k++)
    for (int i = 0; i < by; i++)
      for (int j = 0; j < i; j++) {
        int a = (k * by + i) * by + j, b = (k * by + j) * by + i;
        double mean = 0.5 * (second[a] + second[b]);
        double apart = fmax(fmax(errors[a], errors[b]), fabs(second[a] - second[b]));
        second[a] = second[b] = mean;
        errors[a] = errors[b] = apart;
      }
}

carom_status carom_sensitivity_bend(const carom_sensitivity_options *o, carom_sensitivity *it,
                                    carom_error *error) {
  int of = o->of_count, by = o->by_count;
  size_t row = (size_t)of * (size_t)by;
  bending b = {.o = o, .it = it};
  long failures = carom_arena_failures(it->arena);
  for (int p = 0; p < BESIDE; p++)
    b.slopes[p] = carom_sensitivity_numbers(it, row);
  b.found = carom_sensitivity_numbers(it, row);
  b.errors = carom_sensitivity_numbers(it, row);
  b.tried = carom_sensitivity_numbers(it, row);
  b.missing = carom_sensitivity_numbers(it, row);
  b.values = carom_arena_array(it->arena, (size_t)o->value_count + 1, sizeof *b.values);
  double *second = carom_sensitivity_numbers(it, row * (size_t)by);
  double *errors = carom_sensitivity_numbers(it, row * (size_t)by);
  if (carom_arena_failures(it->arena) != failures) return carom_fail_memory(error);
  if (o->value_count > 0) memcpy(b.values, o->values, (size_t)o->value_count * sizeof *b.values);
  for (int i = 0; i < by; i++) {
    double at = carom_lifted_written(it->lifted, o->by[i], o->value_count, o->values);
    carom_status status = bend_by(&b, o->by[i], at, error);
    if (status != CAROM_OK) return status;
    for (int k = 0; k < of; k++)
      for (int j = 0; j < by; j++) {
        second[(k * by + i) * by + j] = b.found[k * by + j];
        errors[(k * by + i) * by + j] = b.errors[k * by + j];
      }
  }
  join_halves(of, by, second, errors);
  it->view.second = second;
  it->view.second_errors = errors;
  return CAROM_OK;
}
