// SPDX-License-Identifier: MIT
/// A yardstick: the relief valve with impacts, written by hand for this one system and compiled for
/// the machine it runs on. One trajectory at a time, scalar arithmetic.
#ifndef CAROM_BENCH_HAND_VALVE_H
#define CAROM_BENCH_HAND_VALVE_H

typedef struct hand_valve {
  double tolerance; // relative and absolute, of a step
  long returns;     // tops of the plug met so far, all runs together
  long steps, refused, impacts;
  int rested; // runs that came to rest
} hand_valve;

/// Follows one valve from its start until it has turned round `wanted` times at its top, or rests.
/// Writes the lifts of the last `kept` tops in order of time; returns how many of them there are.
int hand_valve_run(hand_valve *it, double q, long wanted, int kept, double *lifts);

#endif
