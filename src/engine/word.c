// SPDX-License-Identifier: MIT
#include "engine/word.h"

#include <stdio.h>
#include <string.h>

enum { BITS = 3 };
static const carom_letter IMPACT = (carom_letter)1 << 63;
static const char PHASE_LETTERS[] = "FK+-C";

void carom_word_clear(carom_word *word) {
  word->count = 0;
  word->total = 0;
  word->has_phase = word->after_impact = false;
}

static void push(carom_word *word, carom_letter letter) {
  // when full, the older half is forgotten
  if (word->count == CAROM_WORD_MEMORY) {
    word->count = CAROM_WORD_MEMORY / 2;
    memmove(word->letters, word->letters + CAROM_WORD_MEMORY / 2,
            (size_t)word->count * sizeof *word->letters);
  }
  word->letters[word->count++] = letter;
  word->total++;
}

void carom_word_impact(carom_word *word, carom_letter contacts) {
  push(word, IMPACT | contacts);
  word->after_impact = true;
}

void carom_word_phase(carom_word *word, carom_letter phase) {
  if (word->has_phase && !word->after_impact && phase == word->last_phase) return;
  push(word, phase);
  word->last_phase = phase;
  word->has_phase = true;
  word->after_impact = false;
}

// does the end of the word repeat with this period often enough?
static bool repeats(const carom_word *word, int period) {
  if (period * CAROM_WORD_REPEATS > word->count) return false;
  for (int k = 1; k <= period * (CAROM_WORD_REPEATS - 1); k++)
    if (word->letters[word->count - k] != word->letters[word->count - k - period]) return false;
  return true;
}

// flight comes first, then phases by their numbers, impacts last
static int compare_turns(int count, const carom_letter *letters, int a, int b) {
  for (int k = 0; k < count; k++) {
    carom_letter x = letters[(a + k) % count], y = letters[(b + k) % count];
    if (x != y) return x < y ? -1 : 1;
  }
  return 0;
}

void carom_word_canonical(int count, carom_letter *letters) {
  carom_letter turned[CAROM_WORD_MEMORY];
  if (count <= 0 || count > CAROM_WORD_MEMORY) return;
  int best = 0;
  for (int k = 1; k < count; k++)
    if (compare_turns(count, letters, k, best) < 0) best = k;
  for (int k = 0; k < count; k++)
    turned[k] = letters[(best + k) % count];
  memcpy(letters, turned, (size_t)count * sizeof *letters);
}

int carom_word_cycle(const carom_word *word, carom_letter *cycle) {
  for (int period = 1; period * CAROM_WORD_REPEATS <= word->count; period++) {
    if (!repeats(word, period)) continue;
    memcpy(cycle, word->letters + word->count - period, (size_t)period * sizeof *cycle);
    carom_word_canonical(period, cycle);
    return period;
  }
  return 0;
}

// --- as text ---

typedef struct line {
  char *text;
  size_t room, used;
} line;

static void put(line *it, const char *text) {
  size_t length = strlen(text);
  for (size_t k = 0; k < length; k++, it->used++)
    if (it->used + 1 < it->room) it->text[it->used] = text[k];
  if (it->room > 0) it->text[it->used < it->room ? it->used : it->room - 1] = '\0';
}

static carom_letter part(carom_letter letter, int contact) {
  return letter >> (BITS * contact) & (((carom_letter)1 << BITS) - 1);
}

static void put_letter(line *it, carom_letter letter, int contacts, const char *const *names) {
  bool impact = letter & IMPACT, first = true;
  letter &= ~IMPACT;
  if (!impact && letter == 0) {
    put(it, "F");
    return;
  }
  if (impact) put(it, "I");
  if (impact && contacts == 1) return;
  if (impact) put(it, "(");
  for (int k = 0; k < contacts; k++) {
    carom_letter mode = part(letter, k);
    if (mode == 0) continue;
    char symbol[2] = {PHASE_LETTERS[mode < sizeof PHASE_LETTERS - 1 ? mode : 0], '\0'};
    if (!first) put(it, ",");
    first = false;
    if (contacts > 1) put(it, names[k]);
    if (!impact && contacts > 1) put(it, ":");
    if (!impact) put(it, symbol);
  }
  if (impact) put(it, ")");
}

int carom_word_text(int count, const carom_letter *letters, int contacts, const char *const *names,
                    char *text, size_t room) { // NOLINT(readability-non-const-parameter)
  line it = {text, room, 0};
  put(&it, "");
  for (int k = 0; k < count; k++) {
    if (k) put(&it, " ");
    put_letter(&it, letters[k], contacts, names);
  }
  return (int)it.used;
}

static int contact_named(const char *name, size_t length, int contacts, const char *const *names) {
  for (int k = 0; k < contacts; k++)
    if (strlen(names[k]) == length && strncmp(names[k], name, length) == 0) return k;
  return -1;
}

// "name" or "name:mode" up to a comma, a closing bracket or a blank; 0 at a mistake
static const char *read_part(const char *at, bool impact, int contacts, const char *const *names,
                             carom_letter *letter) {
  size_t length = strcspn(at, impact ? ",) " : ":, ");
  int contact = contact_named(at, length, contacts, names);
  if (contact < 0) return NULL;
  at += length;
  carom_letter mode = 1;
  if (!impact) {
    if (*at++ != ':') return NULL;
    const char *symbol = *at ? strchr(PHASE_LETTERS, *at) : NULL;
    if (!symbol) return NULL;
    mode = (carom_letter)(symbol - PHASE_LETTERS);
    at++;
  }
  *letter |= mode << (BITS * contact);
  return at;
}

static const char *read_letter(const char *at, int contacts, const char *const *names,
                               carom_letter *letter) {
  *letter = 0;
  if (*at == 'F' && (at[1] == ' ' || at[1] == '\0')) return at + 1;
  if (contacts == 1) {
    const char *symbol = strchr(PHASE_LETTERS, *at);
    if (*at == 'I')
      *letter = IMPACT | 1;
    else if (symbol)
      *letter = (carom_letter)(symbol - PHASE_LETTERS);
    else
      return NULL;
    return at + 1;
  }
  bool impact = at[0] == 'I' && at[1] == '(';
  if (impact) {
    *letter = IMPACT;
    at += 2;
  }
  for (;;) {
    at = read_part(at, impact, contacts, names, letter);
    if (!at) return NULL;
    if (*at != ',') break;
    at++;
  }
  if (impact && *at++ != ')') return NULL;
  return at;
}

int carom_word_parse(const char *text, int contacts, const char *const *names, int room,
                     carom_letter *letters) {
  int count = 0;
  for (const char *at = text + strspn(text, " "); *at; at += strspn(at, " ")) {
    if (count == room) return -1;
    at = read_letter(at, contacts, names, &letters[count]);
    if (!at) return -1;
    count++;
  }
  return count;
}
