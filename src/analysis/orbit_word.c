// SPDX-License-Identifier: MIT
/// Words in which bounces that pile up are one thing, however many of them were computed: a phase
/// and an impact that come again and again until another phase takes over are written (F I)...
#include "analysis/orbit_map.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { MOST_LETTERS = CAROM_ORBIT_WORD / 2, LEAST_BOUNCES = 3 };

typedef struct letters {
  int count;
  char *text[MOST_LETTERS];
} letters;

// not by strtok, which all threads share
static void split_word(char *word, letters *out) {
  out->count = 0;
  for (char *at = word + strspn(word, " "); *at && out->count < MOST_LETTERS;) {
    size_t length = strcspn(at, " "), gap = strspn(at + length, " ");
    out->text[out->count++] = at;
    at[length] = 0;
    at += length + gap;
  }
}

static const char *letter_at(const letters *it, int k) {
  assert(k >= 0 && it->count > 0);
  return it->text[k % it->count];
}

static bool same_pair(const letters *it, int a, int b) {
  return strcmp(letter_at(it, a), letter_at(it, b)) == 0 &&
         strcmp(letter_at(it, a + 1), letter_at(it, b + 1)) == 0;
}

// how many letters from k on are bounces that pile up; 0: none
static int pile_at(const letters *it, int k) {
  assert(k >= 0); // letters are counted round
  int n = it->count, bounces = 0;
  if (n < 2 * LEAST_BOUNCES + 1 || letter_at(it, k)[0] == 'I' || letter_at(it, k + 1)[0] != 'I')
    return 0;
  if (same_pair(it, k, k + n - 2)) return 0; // not the first of them
  while (2 * bounces < n && same_pair(it, k, k + 2 * bounces))
    bounces++;
  int used = 2 * bounces;
  // the last flight may end in a phase at once
  if (used < n && strcmp(letter_at(it, k + used), letter_at(it, k)) == 0) used++;
  bool closes = used < n && letter_at(it, k + used)[0] != 'I';
  return closes && bounces >= LEAST_BOUNCES ? used : 0;
}

// the word from letter k on
static void join_letters(const letters *it, int k, char *out, size_t room) {
  size_t at = 0;
  for (int done = 0; done < it->count && at + 1 < room;) {
    int pile = pile_at(it, k + done);
    const char *gap = done > 0 ? " " : "";
    int more = pile > 0 ? snprintf(out + at, room - at, "%s(%s %s)...", gap,
                                   letter_at(it, k + done), letter_at(it, k + done + 1))
                        : snprintf(out + at, room - at, "%s%s", gap, letter_at(it, k + done));
    at += more > 0 ? (size_t)more : 0;
    done += pile > 0 ? pile : 1;
  }
}

// the names of the contacts in a phase such as "left:K,right:+", as those of an impact
static int impact_of(const char *phase, char *out, size_t room) {
  size_t at = 0;
  bool inside = strchr(phase, ':') != NULL, name = inside;
  const char *parts[] = {inside ? "I(" : "I", inside ? ")" : ""};
  at += (size_t)snprintf(out, room, "%s", parts[0]);
  for (; *phase && inside && at + 2 < room; phase++) {
    if (*phase == ':') name = false;
    if (*phase == ',') name = true;
    if (name) out[at++] = *phase;
  }
  return (int)at + snprintf(out + at, room - at, "%s", parts[1]);
}

// A flight ends in an impact, however slow: one that was too slow to be told from none is written
// like the others, so that words do not depend on tolerances.
static void add_impacts(char *word) {
  char copy[CAROM_ORBIT_WORD], whole[CAROM_ORBIT_WORD], impact[CAROM_ORBIT_WORD];
  size_t at = 0;
  letters it;
  memcpy(copy, word, strlen(word) + 1);
  split_word(copy, &it);
  for (int k = 0; k < it.count; k++) {
    const char *next = letter_at(&it, k + 1);
    bool lands = strcmp(letter_at(&it, k), "F") == 0 && next[0] != 'I' && strcmp(next, "F") != 0;
    impact[0] = 0;
    if (lands) (void)impact_of(next, impact, sizeof impact);
    int more = snprintf(whole + at, sizeof whole - at, "%s%s%s%s", k > 0 ? " " : "",
                        letter_at(&it, k), lands ? " " : "", impact);
    if (more < 0 || (size_t)more >= sizeof whole - at) return; // it does not fit
    at += (size_t)more;
  }
  if (it.count > 1) memcpy(word, whole, at + 1);
}

void carom_orbit_word_shorten(char *word) {
  char copy[CAROM_ORBIT_WORD], trial[CAROM_ORBIT_WORD], best[CAROM_ORBIT_WORD] = "";
  letters it;
  add_impacts(word);
  memcpy(copy, word, strlen(word) + 1);
  split_word(copy, &it);
  for (int k = 0; k < it.count; k++) {
    if (pile_at(&it, k) == 0) continue;
    join_letters(&it, k, trial, sizeof trial);
    if (!best[0] || strcmp(trial, best) < 0) memcpy(best, trial, sizeof best);
  }
  if (best[0]) memcpy(word, best, strlen(best) + 1);
}
