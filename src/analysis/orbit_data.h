// SPDX-License-Identifier: MIT
/// A periodic motion while it is sought: in one piece, so that it can be copied and gone back to.
/// What is found is handed out with the sizes it has (carom/orbit.h).
#ifndef CAROM_ANALYSIS_ORBIT_DATA_H
#define CAROM_ANALYSIS_ORBIT_DATA_H

#include "carom/orbit.h"
#include "engine/engine.h"
#include "spread/spread.h"

enum {
  CAROM_ORBIT_STATES = 64,
  CAROM_ORBIT_WORD = 2048,
  CAROM_ORBIT_REASON = 200,
  CAROM_ORBIT_EVENT_STATES = 2048, // numbers of states at all events of a word held fixed
  CAROM_ORBIT_ORDERS = 24          // of contacts of one instant: those of CAROM_ORBIT_TOGETHER
};

/// What a carom_orbit_view says, and the room its arrays and texts point to once it is shown.
typedef struct carom_orbit_data {
  carom_orbit_view is; // without its pointers
  double state[CAROM_ORBIT_STATES], shift[CAROM_ORBIT_STATES], sizes[CAROM_ORBIT_STATES];
  char word[CAROM_ORBIT_WORD], unfixed[CAROM_ORBIT_REASON], fault[CAROM_ORBIT_REASON];
  double re[CAROM_ORBIT_STATES], im[CAROM_ORBIT_STATES];
  double order_modulus[CAROM_ORBIT_ORDERS];
  double other_re[CAROM_ORBIT_STATES], other_im[CAROM_ORBIT_STATES];
  char mirror[CAROM_MIRROR_TEXT], image_word[CAROM_ORBIT_WORD];
  double image_state[CAROM_ORBIT_STATES];
  carom_leg legs[CAROM_MOST_LEGS];
  double event_time[CAROM_MOST_LEGS], event_state[CAROM_ORBIT_EVENT_STATES];
} carom_orbit_data;

/// The same as others see it, valid as long as it.
carom_orbit_view carom_orbit_data_view(const carom_orbit_data *data);
/// A copy that lives by itself; the caller destroys it.
carom_status carom_orbit_keep(const carom_orbit_view *view, carom_orbit **orbit,
                              carom_error *error);
/// To a record and back; a damaged record breaks, or gives NULL.
void carom_orbit_put(carom_parcel *parcel, const carom_orbit *orbit);
carom_status carom_orbit_take(carom_unpack *record, carom_orbit **orbit, carom_error *error);

#endif
