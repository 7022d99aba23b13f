// SPDX-License-Identifier: MIT
/// Words: a motion as a sequence of letters. A letter is an impact (I, with the contacts that
/// struck) or a phase: every contact's mode, F in flight, K in stick, + and - in slip, S in slip in
/// space, C closed without friction. A periodic motion is its shortest cycle of letters that covers
/// a whole period, turned so that it starts at the letter that makes it first in order: the same
/// motion always has the same word. A period is whole where the times between letters come back
/// too: two unequal bounces per period are "F I F I".
#ifndef CAROM_ENGINE_WORD_H
#define CAROM_ENGINE_WORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Three bits per contact; the top bit marks an impact, whose contacts have a 1.
typedef uint64_t carom_letter;
enum {
  CAROM_WORD_CONTACTS = 21, // more contacts than this have no word
  CAROM_WORD_MEMORY = 512,  // letters remembered; a longer cycle is not recognised
  CAROM_WORD_REPEATS = 3    // how often a cycle must have been seen
};

typedef enum carom_phase {
  CAROM_PHASE_FLIGHT,
  CAROM_PHASE_STICK,
  CAROM_PHASE_PLUS,
  CAROM_PHASE_MINUS,
  CAROM_PHASE_CLOSED,
  CAROM_PHASE_SLIP // in space
} carom_phase;

/// The last letters of a motion; plain data, all zero at first.
typedef struct carom_word {
  int count;  // letters in `letters`
  long total; // letters ever
  carom_letter last_phase;
  bool has_phase, after_impact;
  carom_letter letters[CAROM_WORD_MEMORY]; // oldest first
  double times[CAROM_WORD_MEMORY];         // when each began
} carom_word;

/// An impact of the contacts with bit 1 << 3k set.
void carom_word_impact(carom_word *word, carom_letter contacts, double t);
/// The phase from now on; recorded when it differs from the last, or after an impact.
void carom_word_phase(carom_word *word, carom_letter phase, double t);

/// The cycle at the end of the word: its length, in canonical turn, written to `cycle` (room for
/// CAROM_WORD_MEMORY / CAROM_WORD_REPEATS letters); 0 when no cycle has been seen often enough. It
/// is looked for over the later half of what is remembered, failing that at the end alone. While a
/// motion still settles its times do not come back exactly: then the shortest cycle whose times
/// come back a hundred times better than those of the shortest of all, failing that the shortest
/// itself.
int carom_word_cycle(const carom_word *word, carom_letter *cycle);

/// Letters as text: "F I K +" for one contact, "F I(left,right) left:K,right:+" for several.
/// `names` are the contacts'. Returns the length that was needed.
int carom_word_text(int count, const carom_letter *letters, int contacts, const char *const *names,
                    char *text, size_t room);
/// The reverse; -1 when the text is not a word. At most `room` letters are written.
int carom_word_parse(const char *text, int contacts, const char *const *names, int room,
                     carom_letter *letters);
/// Turns a cycle into its canonical form, in place.
void carom_word_canonical(int count, carom_letter *letters);

#endif
