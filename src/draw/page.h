// SPDX-License-Identifier: MIT
/// A recorded run as one page for a browser: animation, time histories, events, certificate. The
/// page holds everything it needs; nothing is loaded from elsewhere.
#ifndef CAROM_DRAW_PAGE_H
#define CAROM_DRAW_PAGE_H

#include "carom/status.h"

typedef struct carom_page_options {
  const char *file;   // recorded run
  const char *output; // NAME.html
  const char *lab;    // page that "run it yourself" opens, or NULL
  const char *stage;  // script of the view in space (web/src/stage.js), or NULL: painted without
  const char *of;     // names of series shown at first, parted by commas; NULL: chosen
  double from, until; // part of the time; both NaN: all, or the last part of a long run
} carom_page_options;
carom_page_options carom_page_options_default(void);

carom_status carom_page_write(const carom_page_options *options, carom_error *error);

#endif
