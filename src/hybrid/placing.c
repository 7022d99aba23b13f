// SPDX-License-Identifier: MIT
#include "hybrid/hybrid.h"

#include <math.h>
#include <string.h>

// The run starts at (t, y) and measures from there; contacts that are closed now stay closed.
carom_status carom_hybrid_place(carom_simulation *simulation, double t, const double *y,
                                carom_error *error) {
  carom_hybrid *it = simulation->state;
  int size = it->model->dynamics->size;
  memcpy(it->start_given, y, (size_t)size * sizeof *y);
  it->start_given[size] = t;
  for (int k = 0; k < it->model->contacts.count; k++)
    it->start_given[size + 1 + k] = carom_contact_is_closed(it->contact.memory[k].mode) ? 1.0 : 0.0;
  carom_status status = carom_hybrid_start(it, error);
  it->run.window_start = it->run.start;
  it->run.window_end = INFINITY;
  if (status == CAROM_OK) carom_hybrid_note_phase(it);
  return status;
}

const double *carom_hybrid_rates(const carom_simulation *simulation) {
  const carom_hybrid *it = simulation->state;
  return it->stepper.f;
}

int carom_hybrid_held(const carom_simulation *simulation) {
  const carom_hybrid *it = simulation->state;
  int held = 0;
  for (int r = 0; r < it->model->dynamics->rows; r++)
    held += it->contact.held_position[r] + it->contact.held_velocity[r];
  return held;
}

carom_status carom_hybrid_turn(carom_simulation *simulation, char *text, size_t room,
                               carom_error *error) {
  carom_hybrid *it = simulation->state;
  int contacts = it->model->contacts.count, count = it->now.word.count;
  if (room > 0) text[0] = '\0';
  if (contacts == 0 || contacts > CAROM_WORD_CONTACTS || count == 0) return CAROM_OK;
  const char *names[CAROM_WORD_CONTACTS];
  carom_letter turn[CAROM_WORD_MEMORY];
  for (int k = 0; k < contacts; k++)
    names[k] = it->model->contacts.contacts[k].name;
  memcpy(turn, it->now.word.letters, (size_t)count * sizeof *turn);
  // the phase in which the turn began is the one in which it ends
  if (count > 1 && turn[count - 1] == turn[0]) count--;
  carom_word_canonical(count, turn);
  int length = carom_word_text(count, turn, contacts, names, text, room);
  if ((size_t)length >= room)
    return carom_fail(error, CAROM_ERR_LIMIT, "the word has %d characters, room for %zu", length,
                      room);
  return CAROM_OK;
}

double carom_hybrid_period(const carom_simulation *simulation) {
  const carom_hybrid *it = simulation->state;
  return it->run.period;
}

bool carom_hybrid_autonomous(const carom_model *model) {
  const carom_hybrid_model *prepared = model->prepared;
  const carom_mechanics *m = prepared->mechanics;
  if (!m) return false;
  carom_graph *graph = model->scenario->graph;
  bool depends = false;
  for (int i = 0; i < m->n; i++)
    depends = depends || carom_node_depends(graph, m->acceleration[i], m->time);
  for (int k = 0; k < m->m; k++)
    depends = depends || carom_node_depends(graph, m->equation[k], m->time);
  for (int r = 0; r < m->row_count; r++) {
    depends = depends || carom_node_depends(graph, m->rows[r].free_rate, m->time);
    depends = depends || carom_node_depends(graph, m->rows[r].velocity, m->time);
    if (m->rows[r].position)
      depends = depends || carom_node_depends(graph, m->rows[r].position, m->time);
  }
  return !depends;
}
