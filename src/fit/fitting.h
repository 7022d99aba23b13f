// SPDX-License-Identifier: MIT
/// A fit at work: data, inputs, and the motions that are compared with them.
#ifndef CAROM_FIT_FITTING_H
#define CAROM_FIT_FITTING_H

#include "carom/fit.h"
#include "fit/fit_data.h"

enum { CAROM_FIT_INPUTS = 64 };
/// Of the largest eigenvalue: below it is rounding of the sums that J'WJ is made of.
#define CAROM_FIT_NOTHING 1e-13

/// What a fit works on. Residuals: data of all files in order, then priors. Inputs: those of all
/// files, then for each file its own.
typedef struct carom_fitting {
  const carom_fit_options *options;
  const carom_model *model; // that of the options, or
  carom_model *opened;      // the same with more of its numbers as parameters
  carom_arena *arena;
  carom_fit_file *files;
  int n;                  // inputs
  const char **names;     // of inputs, a file's own with its number: h@2
  carom_fit_range *range; // their bounds
  int fixed;              // an input that stays where it is; -1: none
  double begins;          // the run
  double part;            // of the rows of every file, from the first on: what is compared
  long m, data;
  double *sigma;           // [m]
  double *fitted, *slopes; // [m], [m][n]: of the place evaluated last
  double *residual, *weight;
  carom_error trouble; // why the place evaluated last is none
} carom_fitting;

/// A place in the space of inputs, and what the information matrix is there.
typedef struct carom_fit_place {
  double x[CAROM_FIT_INPUTS], scale[CAROM_FIT_INPUTS];
  double cost;
  double value[CAROM_FIT_INPUTS], vector[CAROM_FIT_INPUTS][CAROM_FIT_INPUTS]; // eigenvalues,
                                                                              // [which][component]
  double gradient[CAROM_FIT_INPUTS];
  int iterations;
} carom_fit_place;

struct carom_fit {
  carom_fit_view view;
  carom_arena *arena;
};

// fitting.c
/// Names, bounds, files; `given` are the scenario's values of the inputs.
carom_status carom_fitting_begin(carom_fitting *it, double *given, bool *scaled,
                                 carom_error *error);
/// What it holds beside its arena.
void carom_fitting_end(carom_fitting *it);
/// Residuals, their derivatives and the cost; infinite where there is no motion to compare with.
double carom_fitting_evaluate(carom_fitting *it, const double *x);
/// The part of x that is this file's: what its motion is set to. Room for inputs and settings.
int carom_fitting_values(const carom_fitting *it, int file, const double *x, carom_value *values);
/// By how much the clock of this file is late at x.
double carom_fitting_offset(const carom_fitting *it, int file, const double *x);
/// The cost of what was fitted, and weights where they are asked for.
double carom_fitting_cost(const carom_fitting *it, const double *x, const double *fitted,
                          double *residual, double *weight);

// plain_motion.c
/// Costs of many places by threads, from motions without derivatives; infinite where there is no
/// motion to compare with, or a place is outside the bounds.
typedef struct carom_many_costs carom_many_costs;
carom_status carom_many_costs_begin(const carom_fitting *fitting, carom_many_costs **made,
                                    carom_error *error);
void carom_many_costs_end(carom_many_costs *it); // NULL is legal
/// costs[k] of the place x + k n
void carom_many_costs_find(carom_many_costs *it, int count, const double *x, double *costs);

// least_squares.c
/// From at->x to the nearest least cost; false: none was come to.
bool carom_fit_descend(carom_fitting *it, carom_fit_place *at);
/// The same for the first part of the data, then for parts twice as long up to all of them.
bool carom_fit_descend_by_parts(carom_fitting *it, carom_fit_place *at, int halvings);
/// The information matrix at the place evaluated last, in its eigenvectors. For a step inputs at a
/// bound that they want to pass are left out.
void carom_fit_inform(const carom_fitting *it, carom_fit_place *at, bool step);
double carom_fit_largest(const carom_fitting *it, const carom_fit_place *at); // eigenvalue

// profile.c, sampler.c: `spread` is what squares of errors are to be multiplied with
carom_status carom_fit_profile(carom_fitting *it, const carom_fit_place *best, double spread,
                               carom_fit *made, carom_error *error);
carom_status carom_fit_sample(carom_fitting *it, const carom_fit_place *best, double spread,
                              carom_fit *made, carom_error *error);

#endif
