// SPDX-License-Identifier: MIT
/// Evaluation of sampled functions (carom_table): the one place where TABLE, SLOPE and their bounds
/// get their numbers, so that every way of evaluating an expression gives the same bits.
#ifndef CAROM_SYMBOLIC_TABLE_H
#define CAROM_SYMBOLIC_TABLE_H

#include "base/interval.h"
#include "symbolic/graph.h"

/// The cubic Hermite interpolant at x, exact at the points; the end values outside; NaN for NaN.
double carom_table_value(const carom_table *table, double x);
/// Its first derivative, 0 outside. At a point the piece to the right counts, at the last the left.
double carom_table_slope(const carom_table *table, double x);
/// Its second derivative, piecewise linear with jumps at the points, 0 outside.
double carom_table_curve(const carom_table *table, double x);

/// Enclosures of the same over an interval of x.
carom_interval carom_table_value_bounds(const carom_table *table, carom_interval x);
carom_interval carom_table_slope_bounds(const carom_table *table, carom_interval x);
carom_interval carom_table_curve_bounds(const carom_table *table, carom_interval x);

#endif
