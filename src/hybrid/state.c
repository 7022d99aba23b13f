// SPDX-License-Identifier: MIT
/// Where the state of a motion is set by anything but a step: starts, events, compliant contacts,
/// analyses that begin somewhere.
#include "hybrid/hybrid.h"

#include <assert.h>
#include <string.h>

void carom_state_take(carom_hybrid *it, const double *y) {
  memcpy(it->y, y, (size_t)it->size * sizeof *y);
}

void carom_state_clock(carom_hybrid *it, double t, double h) {
  it->now.t = t;
  it->now.h = h;
}

void carom_state_put(carom_hybrid *it, int component, double value) {
  assert(component >= 0 && component < it->size);
  it->y[component] = value;
}

void carom_state_mode(carom_hybrid *it, int k, double mode) {
  assert(k >= 0 && k < it->model->dynamics->modes);
  it->modes[k] = mode;
}
