// SPDX-License-Identifier: MIT
/// Settings of a run as numbers.
#ifndef CAROM_HYBRID_RUN_NUMBERS_H
#define CAROM_HYBRID_RUN_NUMBERS_H

#include <stdbool.h>

/// The rule that closes a contact whose bounces pile up.
typedef enum carom_chatter_rule {
  CAROM_CHATTER_RATIO,
  CAROM_CHATTER_SPEED,
  CAROM_CHATTER_TIME,
  CAROM_CHATTER_ACCUMULATION
} carom_chatter_rule;

/// Settings of a run as numbers, from the parameters in force.
typedef struct carom_run_numbers {
  double start, until, sample, rtol, atol, h_max, window_start, window_end, max_events;
  double period;           // of the drive; 0: not told
  double event_tolerance;  // times the integrator's own resolution of the function
  bool hold_energy, loose; // loose: events looked for at step ends only
  bool follows;            // samples are taken where the motion asks for them
  carom_chatter_rule chatter;
  double chatter_value; // its number
  bool piles;           // an analysis wants bounces to end where they pile up, not by a rule
} carom_run_numbers;

#endif
