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

/// See carom_orbit_view.
typedef struct carom_orbit_data {
  bool autonomous;
  double start, period; // one turn begins at time `start`
  int turns;            // periods of the drive in it; 0: autonomous
  int size;
  double state[CAROM_ORBIT_STATES]; // at the start
  uint64_t closed_at_start;         // contacts, one bit each
  double shift[CAROM_ORBIT_STATES]; // how far each coordinate has moved after a turn: 0 unless it
                                    // may drift, alone or together with others
  char word[CAROM_ORBIT_WORD];      // of one turn
  bool word_changed;                // it is not the word of the motion the search began with
  // the word held fixed
  bool fixed;                       // it was
  char unfixed[CAROM_ORBIT_REASON]; // why not
  int unknowns;                     // of Newton's method
  int events;                       // in one turn
  double sizes[CAROM_ORBIT_STATES]; // of the states
  carom_leg_margin margin;          // the inequality that is broken, or nearest to it
  // it solves the equations of its word, but breaks an inequality: no real motion does that
  bool virtual_motion;
  char fault[CAROM_ORBIT_REASON]; // the one it breaks, in words
  int multipliers;
  double re[CAROM_ORBIT_STATES], im[CAROM_ORBIT_STATES]; // largest modulus first
  int extinguished; // multipliers that are 0 because stick or plastic impacts extinguish them
  double along;     // the multiplier along an autonomous motion: 1 but for rounding
  carom_orbit_kind kind;
  double residual; // how exactly it closes, relative to the size of the motion
  int rounds;
  bool exact; // derivatives by tangent dynamics; false: by differences
  carom_tangent_notes notes;
  // where contacts that are not linked strike at one instant: what neighbours have that meet them
  // in another order (the multipliers above are of those in that of the scenario); of more than two
  // contacts, in the one whose largest multiplier is largest
  bool sided;
  int orders; // how many were looked at: all, of up to CAROM_ORBIT_TOGETHER contacts
  double order_modulus[CAROM_ORBIT_ORDERS]; // of the largest multiplier of each, see tangent.h
  double sides_apart; // largest difference of two derivatives, relative to the motion's size: of
                      // the scenario's order and any other
  int other_multipliers;
  double other_re[CAROM_ORBIT_STATES], other_im[CAROM_ORBIT_STATES];
  carom_orbit_kind other_kind;
  // the mirror image, of carom_orbit_find alone: that of the first reflection which leads to
  // another motion, else of the first
  carom_orbit_image image;
  char mirror[CAROM_MIRROR_TEXT]; // the reflection
  char image_word[CAROM_ORBIT_WORD];
  double image_start, image_state[CAROM_ORBIT_STATES]; // where its turn begins
  // of a word held fixed
  carom_leg legs[CAROM_MOST_LEGS];    // its phases, one more than events; the last is the first
  double event_time[CAROM_MOST_LEGS]; // after the start
  double event_state[CAROM_ORBIT_EVENT_STATES]; // behind each event, `size` numbers; what may drift
                                                // is where it was at the start
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
