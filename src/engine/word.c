// SPDX-License-Identifier: MIT
#include "engine/word.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BITS = 3 };
static const carom_letter IMPACT = (carom_letter)1 << 63;
static const char PHASE_LETTERS[] = "FK+-CS";

static void push_letter(carom_word *word, carom_letter letter, double t) {
  // when full, the older half is forgotten
  if (word->count == CAROM_WORD_MEMORY) {
    word->count = CAROM_WORD_MEMORY / 2;
    memmove(word->letters, word->letters + CAROM_WORD_MEMORY / 2,
            (size_t)word->count * sizeof *word->letters);
    memmove(word->times, word->times + CAROM_WORD_MEMORY / 2,
            (size_t)word->count * sizeof *word->times);
  }
  word->times[word->count] = t;
  word->letters[word->count++] = letter;
  word->total++;
}

void carom_word_impact(carom_word *word, carom_letter contacts, double t) {
  push_letter(word, IMPACT | contacts, t);
  word->after_impact = true;
}

void carom_word_phase(carom_word *word, carom_letter phase, double t) {
  if (word->has_phase && !word->after_impact && phase == word->last_phase) return;
  push_letter(word, phase, t);
  word->last_phase = phase;
  word->has_phase = true;
  word->after_impact = false;
}

// how many letters at the end of the word, without the first cycle, are those one period before
static int count_repeated(const carom_word *word, int period) {
  int k = 0;
  while (k + period < word->count &&
         word->letters[word->count - 1 - k] == word->letters[word->count - 1 - k - period])
    k++;
  return k;
}

// The largest difference between times from letter to letter and those one period before, over the
// last `span` letters.
static double largest_mistiming(const carom_word *word, int period, int span) {
  double most = 0.0;
  for (int k = 1; k <= span; k++) {
    const double *now = word->times + word->count - k, *before = now - period;
    if (before == word->times) break; // the oldest letter has none before it
    most = fmax(most, fabs((now[0] - now[-1]) - (before[0] - before[-1])));
  }
  return most;
}

static double length_of(const carom_word *word, int period) {
  return word->times[word->count - 1] - word->times[word->count - 1 - period];
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

// The period of the cycle at the end of the word, 0: none. A cycle must have been seen often enough
// and for the last `least` letters.
static int period_of(const carom_word *word, int least) {
  const double same = 1e-6, better = 1e-2, irregular = 0.2;
  int shortest = 0;
  double rough = 0.0;
  for (int period = 1; period * CAROM_WORD_REPEATS <= word->count; period++) {
    int span = period * (CAROM_WORD_REPEATS - 1);
    if (span < least) span = least;
    if (span > word->count - period || count_repeated(word, period) < span) continue;
    double off = largest_mistiming(word, period, span);
    if (off <= same * length_of(word, period)) return period;
    if (shortest > 0 && off <= better * rough) return period;
    if (shortest > 0 || off * period > irregular * length_of(word, period)) continue;
    shortest = period;
    rough = off;
  }
  return shortest;
}

int carom_word_cycle(const carom_word *word, carom_letter *cycle) {
  // of a motion that has settled late only the end is periodic
  int period = period_of(word, word->count / 2);
  if (period == 0) period = period_of(word, 0);
  if (period > 0)
    memcpy(cycle, word->letters + word->count - period, (size_t)period * sizeof *cycle);
  carom_word_canonical(period, cycle);
  return period;
}

// --- as text ---

typedef struct line {
  char *text;
  size_t room, used;
} line;

static void put_text(line *it, const char *text) {
  size_t length = strlen(text);
  for (size_t k = 0; k < length; k++, it->used++)
    if (it->used + 1 < it->room) it->text[it->used] = text[k];
  if (it->room > 0) it->text[it->used < it->room ? it->used : it->room - 1] = '\0';
}

static carom_letter contact_part(carom_letter letter, int contact) {
  assert(contact >= 0 && BITS * (contact + 1) <= (int)(8 * sizeof letter));
  return letter >> (BITS * contact) & (((carom_letter)1 << BITS) - 1);
}

static void put_letter(line *it, carom_letter letter, int contacts, const char *const *names) {
  bool impact = letter & IMPACT, first = true;
  letter &= ~IMPACT;
  if (!impact && letter == 0) {
    put_text(it, "F");
    return;
  }
  if (impact) put_text(it, "I");
  if (impact && contacts == 1) return;
  if (impact) put_text(it, "(");
  for (int k = 0; k < contacts; k++) {
    carom_letter mode = contact_part(letter, k);
    if (mode == 0) continue;
    char symbol[2] = {PHASE_LETTERS[mode < sizeof PHASE_LETTERS - 1 ? mode : 0], '\0'};
    if (!first) put_text(it, ",");
    first = false;
    if (contacts > 1) put_text(it, names[k]);
    if (!impact && contacts > 1) put_text(it, ":");
    if (!impact) put_text(it, symbol);
  }
  if (impact) put_text(it, ")");
}

int carom_word_text(int count, const carom_letter *letters, int contacts, const char *const *names,
                    char *text, size_t room) { // NOLINT(readability-non-const-parameter)
  line it = {text, room, 0};
  put_text(&it, "");
  for (int k = 0; k < count; k++) {
    if (k) put_text(&it, " ");
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
  assert(BITS * (contact + 1) <= (int)(8 * sizeof *letter));
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
