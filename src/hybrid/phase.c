// SPDX-License-Identifier: MIT
/// Phases of a motion as letters, its word, and the regime it belongs to.
#include "hybrid/hybrid.h"

#include <assert.h>
#include <string.h>

enum { BITS = 3, LONGEST = CAROM_WORD_MEMORY };

static carom_phase phase_of(const carom_hybrid *it, int k) {
  assert(k >= 0 && k < it->model->contacts.count);
  switch (it->memory[k].mode) {
  case CAROM_CONTACT_STICK: return CAROM_PHASE_STICK;
  case CAROM_CONTACT_SLIP_PLUS:
    return it->model->contacts.cross[k] >= 0 ? CAROM_PHASE_SLIP : CAROM_PHASE_PLUS;
  case CAROM_CONTACT_SLIP_MINUS: return CAROM_PHASE_MINUS;
  case CAROM_CONTACT_CLOSED: return CAROM_PHASE_CLOSED;
  default: return CAROM_PHASE_FLIGHT;
  }
}

static bool inside_window(const carom_hybrid *it) {
  return it->now.t >= it->run.window_start && it->now.t <= it->run.window_end &&
         it->model->contacts.count <= CAROM_WORD_CONTACTS;
}

void carom_hybrid_note_impact(carom_hybrid *it, carom_letter contacts) {
  if (inside_window(it)) carom_word_impact(&it->now.word, contacts, it->now.t);
}

void carom_hybrid_note_phase(carom_hybrid *it) {
  if (!inside_window(it)) return;
  carom_letter phase = 0;
  for (int k = 0; k < it->model->contacts.count; k++)
    phase |= (carom_letter)phase_of(it, k) << (BITS * k);
  carom_word_phase(&it->now.word, phase, it->now.t);
}

// names of the contacts, in the simulation's scratch of pointers
static const char *const *contact_names(const carom_hybrid *it, const char **names) {
  for (int k = 0; k < it->model->contacts.count; k++)
    names[k] = it->model->contacts.contacts[k].name;
  return names;
}

// The cycle of the motion. Where nothing changed over the whole window, the phase it rests in.
static int cycle_now(carom_hybrid *it, carom_letter *cycle) {
  if (it->now.word.count == 0) carom_hybrid_note_phase(it);
  int count = carom_word_cycle(&it->now.word, cycle);
  if (count > 0 || it->now.word.count != 1) return count;
  cycle[0] = it->now.word.letters[0];
  return 1;
}

carom_status carom_hybrid_word(carom_simulation *simulation, char *text, size_t room,
                               carom_error *error) {
  carom_hybrid *it = simulation->state;
  int contacts = it->model->contacts.count;
  if (room > 0) text[0] = '\0';
  if (contacts == 0 || contacts > CAROM_WORD_CONTACTS) return CAROM_OK;
  const char *names[CAROM_WORD_CONTACTS];
  carom_letter cycle[LONGEST];
  int count = cycle_now(it, cycle);
  int length = carom_word_text(count, cycle, contacts, contact_names(it, names), text, room);
  if ((size_t)length >= room)
    return carom_fail(error, CAROM_ERR_LIMIT, "the word has %d characters, room for %zu", length,
                      room);
  return CAROM_OK;
}

static bool word_matches(carom_hybrid *it, const char *pattern) {
  int contacts = it->model->contacts.count;
  const char *names[CAROM_WORD_CONTACTS];
  carom_letter cycle[LONGEST], wanted[LONGEST];
  if (contacts == 0 || contacts > CAROM_WORD_CONTACTS) return false;
  int count = cycle_now(it, cycle);
  int asked = carom_word_parse(pattern, contacts, contact_names(it, names), LONGEST, wanted);
  if (asked <= 0 || asked != count) return false;
  carom_word_canonical(asked, wanted);
  return memcmp(cycle, wanted, (size_t)count * sizeof *cycle) == 0;
}

carom_status carom_hybrid_regime(carom_simulation *simulation, const char **name,
                                 carom_error *error) {
  carom_hybrid *it = simulation->state;
  const carom_scenario *s = it->model->scenario;
  *name = NULL;
  for (int k = 0; s && k < s->measure.regime_count && !*name; k++) {
    const carom_regime *regime = &s->measure.regimes[k];
    if (regime->word && !word_matches(it, regime->word)) continue;
    double holds = 1.0;
    if (regime->condition) {
      carom_tally_reduce(it);
      holds = carom_node_evaluate(s->graph, regime->condition, it->settings.values, error);
    }
    if (holds != 0.0) *name = regime->name;
  }
  return CAROM_OK;
}
