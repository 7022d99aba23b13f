// SPDX-License-Identifier: MIT
#include "engine/look_tally.h"

#include <math.h>

void carom_look_tally_add(carom_look_tally *tally, carom_reduction kind, double t, double value) {
  bool more = kind == CAROM_REDUCE_MAX ? value > tally->extreme : value < tally->extreme;
  if (!tally->started) {
    tally->first = value, more = true;
  } else {
    tally->sum += 0.5 * (value + tally->last) * (t - tally->t_last);
    tally->covered += t - tally->t_last;
  }
  if (more) tally->extreme = value;
  tally->last = value;
  tally->t_last = t;
  tally->started = true;
}

double carom_look_tally_value(const carom_look_tally *tally, carom_reduction kind) {
  if (!tally->started) return NAN;
  switch (kind) {
  case CAROM_REDUCE_MEAN: return tally->covered > 0.0 ? tally->sum / tally->covered : tally->last;
  case CAROM_REDUCE_MAX:
  case CAROM_REDUCE_MIN: return tally->extreme;
  case CAROM_REDUCE_MEAN_RATE:
    return tally->covered > 0.0 ? (tally->last - tally->first) / tally->covered : NAN;
  default: return tally->last;
  }
}
