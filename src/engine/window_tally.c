// SPDX-License-Identifier: MIT
#include "engine/window_tally.h"

#include <math.h>

bool carom_tally_takes(const carom_tally *tally, carom_reduction kind) {
  bool ends = kind == CAROM_REDUCE_LAST || kind == CAROM_REDUCE_MAX || kind == CAROM_REDUCE_MIN;
  return ends || (kind == CAROM_REDUCE_MEAN_RATE && tally->started);
}

void carom_tally_add(carom_tally *tally, carom_reduction kind, double value) {
  bool more = kind == CAROM_REDUCE_MAX ? value > tally->extreme : value < tally->extreme;
  if (!tally->started || more) tally->extreme = value;
  tally->last = value;
  tally->started = true;
}

double carom_tally_value(const carom_tally *tally, carom_reduction kind) {
  if (kind == CAROM_REDUCE_COUNT) return (double)tally->count;
  if (!tally->started) return (double)NAN;
  switch (kind) {
  case CAROM_REDUCE_MEAN: return tally->sum / tally->covered;
  case CAROM_REDUCE_MAX:
  case CAROM_REDUCE_MIN: return tally->extreme;
  case CAROM_REDUCE_MEAN_RATE: return (tally->last - tally->first) / tally->covered;
  default: return tally->last;
  }
}
