// SPDX-License-Identifier: MIT
/// Critical values as analyses see them: in one piece, and as far as it came after an error too.
#ifndef CAROM_ANALYSIS_LOCATION_H
#define CAROM_ANALYSIS_LOCATION_H

#include "carom/locate.h"

enum { CAROM_LOCATE_TEXT = 512 };

/// See carom_location_view.
typedef struct carom_location_data {
  double value, near, far;
  char near_text[CAROM_LOCATE_TEXT], far_text[CAROM_LOCATE_TEXT];
  double near_value, far_value, solved;
  int evaluations;
  bool near_passed, far_passed;
} carom_location_data;

/// See carom_locate_run.
carom_status carom_locate_data(const carom_simulation *simulation,
                               const carom_locate_options *options, carom_location_data *location,
                               carom_error *error);

#endif
