// SPDX-License-Identifier: MIT
#include "base/linear.h"
#include "base/random.h"
#include "hybrid/hybrid.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { MOST_CONTACTS = 64 };

uint64_t carom_hybrid_closed(const carom_simulation *simulation) {
  const carom_hybrid *it = simulation->state;
  uint64_t closed = 0;
  for (int k = 0; k < it->model->contacts.count && k < MOST_CONTACTS; k++)
    if (carom_contact_is_closed(it->memory[k].mode)) closed |= (uint64_t)1 << k;
  return closed;
}

carom_status carom_hybrid_place(carom_simulation *simulation, double t, const double *y,
                                uint64_t closed, carom_error *error) {
  carom_hybrid *it = simulation->state;
  int size = it->model->dynamics->size;
  memcpy(it->settings.start_given, y, (size_t)size * sizeof *y);
  it->settings.start_given[size] = t;
  for (int k = 0; k < it->model->contacts.count; k++)
    it->settings.start_given[size + 1 + k] =
        k < MOST_CONTACTS && closed >> k & 1u ? CAROM_STARTS_HELD : 0.0;
  carom_status status = carom_hybrid_start(it, error);
  it->run.window_start = it->run.start;
  it->run.window_end = INFINITY;
  if (status == CAROM_OK) carom_hybrid_note_phase(it);
  return status;
}

void carom_hybrid_unobserved(carom_simulation *simulation) {
  carom_hybrid *it = simulation->state;
  it->observing.unobserved = true;
}

const double *carom_hybrid_rates(const carom_simulation *simulation) {
  const carom_hybrid *it = simulation->state;
  return it->stepper.f;
}

// how many of the held rows are independent
static int rank_of(carom_hybrid *it, const bool *held, bool positions) {
  const carom_rows *rows = &it->work.rows;
  int stride = it->model->dynamics->rows, count = 0, *list = it->room.order + stride;
  for (int r = 0; r < stride; r++)
    if (held[r] && !(positions && isnan(rows->position[r]))) list[count++] = r;
  assert(count <= stride);
  memset(it->room.impulse, 0, (size_t)count * sizeof *it->room.impulse);
  return carom_hybrid_solve_rows(it, rows->delassus, count, list, it->room.impulse);
}

int carom_hybrid_held_at(carom_hybrid *it, double t, const double *y) {
  int kept = it->model->dynamics->invariants;
  if (it->model->constraints + it->contact.closed == 0) return kept;
  if (carom_hybrid_evaluate_rows(it, t, y) != CAROM_OK) return kept;
  return kept + rank_of(it, it->contact.held_position, true) +
         rank_of(it, it->contact.held_velocity, false);
}

int carom_hybrid_held(const carom_simulation *simulation) {
  carom_hybrid *it = simulation->state;
  return carom_hybrid_held_at(it, it->now.t, it->y);
}

static double energy_at(carom_hybrid *it, const double *y) {
  carom_energy energy;
  const carom_dynamics *d = it->model->dynamics;
  if (!d->has_energy || carom_dynamics_energy(d, &it->work, it->now.t, y, &energy) != CAROM_OK)
    return (double)NAN;
  return energy.kinetic + energy.potential;
}

double carom_hybrid_energy(carom_simulation *simulation, double *slope) {
  carom_hybrid *it = simulation->state;
  double *y = it->room.scratch;
  memcpy(y, it->y, (size_t)it->size * sizeof *y);
  for (int i = 0; i < it->model->dynamics->size; i++) {
    double h = 1e-5 * fmax(fabs(it->y[i]), 1e-2);
    y[i] = it->y[i] + h;
    slope[i] = energy_at(it, y);
    y[i] = it->y[i] - h;
    slope[i] = (slope[i] - energy_at(it, y)) / (2.0 * h);
    y[i] = it->y[i];
  }
  return energy_at(it, it->y);
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

carom_status carom_hybrid_pile(carom_simulation *simulation, carom_error *error) {
  carom_hybrid *it = simulation->state;
  it->settings.start_given[it->model->dynamics->size + 1 + it->model->contacts.count] = 1.0;
  return carom_hybrid_start(it, error);
}

double carom_hybrid_period(const carom_simulation *simulation) {
  const carom_hybrid *it = simulation->state;
  return it->run.period;
}

// does time occur in what moves the system?
static bool motion_mentions_time(const carom_scenario *scenario, const carom_mechanics *m) {
  const carom_graph *graph = scenario->graph;
  carom_node time = m->time;
  bool depends = false;
  for (int i = 0; i < m->n; i++)
    depends = depends || carom_node_depends(graph, m->acceleration[i], time);
  for (int k = 0; k < m->m; k++)
    depends = depends || carom_node_depends(graph, m->equation[k], time);
  for (int r = 0; r < m->row_count; r++) {
    depends = depends || carom_node_depends(graph, m->rows[r].free_rate, time);
    depends = depends || carom_node_depends(graph, m->rows[r].velocity, time);
    if (m->rows[r].position)
      depends = depends || carom_node_depends(graph, m->rows[r].position, time);
  }
  return depends;
}

// a branch of the motion, a contact or a rule that time may have a part in
static bool is_timed(const carom_watched *watched) {
  bool decides = watched->kind != CAROM_WATCH_SECTION && watched->kind != CAROM_WATCH_STOP;
  return decides && !watched->beside && !watched->observes && watched->function.timed;
}

static bool has_timed(const carom_hybrid_model *model) {
  for (int k = 0; k < model->watched_count; k++)
    if (is_timed(&model->watched[k])) return true;
  return false;
}

// a law that changes with time
static bool has_timed_law(const carom_scenario *s) {
  for (int k = 0; k < s->contact_count; k++) {
    const carom_contact *c = &s->contacts[k];
#define NUMBER(name) c->name,
    const carom_node laws[] = {CAROM_CONTACT_NUMBERS(NUMBER) c->tangential.node};
#undef NUMBER
    for (size_t j = 0; j < sizeof laws / sizeof *laws; j++)
      if (laws[j] && carom_node_depends(s->graph, laws[j], s->time)) return true;
  }
  return false;
}

// rates and rows at time t in a state, one after the other; how many numbers
static int look_at(carom_hybrid *it, double t, const double *y, double *out) {
  const carom_dynamics *d = it->model->dynamics;
  const carom_rows *rows = &it->work.rows;
  int count = d->n + d->m;
  carom_rates rates = {.acceleration = out, .equation = out + d->n};
  (void)carom_dynamics_rows(d, &it->work, t, y, &rates);
  for (int r = 0; r < d->rows; r++) {
    out[count++] = isnan(rows->position[r]) ? 0.0 : rows->position[r];
    out[count++] = rows->velocity[r];
    out[count++] = rows->free_rate[r];
  }
  return count;
}

enum { INSTANTS = 7, STATES = 4, MOST = 256 };

// do branches, contacts and rules hang on the state alone, as far as can be seen at another time?
static bool decides_the_same(carom_hybrid *it, double t, const double *y) {
  for (int k = 0; k < it->model->watched_count; k++) {
    const carom_watch *watch = &it->model->watched[k].function;
    if (!is_timed(&it->model->watched[k])) continue;
    double now = carom_watch_at(watch, &it->watching.work[k], it->now.t, y);
    if (isfinite(now) && now != carom_watch_at(watch, &it->watching.work[k], t, y)) return false;
  }
  return true;
}

static bool stays_the_same(carom_hybrid *it, const double *y) {
  double now[MOST], later[MOST], wait = 0.731 * (it->run.until - it->run.start);
  int count = look_at(it, it->now.t, y, now);
  for (int k = 1; k <= INSTANTS; k++) {
    double t = it->now.t + wait / (k * k);
    if (!decides_the_same(it, t, y)) return false;
    (void)look_at(it, t, y, later);
    for (int i = 0; i < count; i++)
      if (isfinite(now[i]) && now[i] != later[i]) return false;
  }
  return true;
}

// A drive may be there and switched off: then nothing changes with time at these parameters. In a
// single state it may have no part (a pendulum that hangs down and is shaken at its pivot): others
// about it are drawn.
bool carom_hybrid_autonomous(carom_simulation *simulation) {
  carom_hybrid *it = simulation->state;
  const carom_dynamics *d = it->model->dynamics;
  double y[2 * MOST];
  const carom_mechanics *m = it->model->mechanics;
  if (!m || has_timed_law(it->model->scenario)) return false;
  if (!motion_mentions_time(it->model->scenario, m) && !has_timed(it->model)) return true;
  if (d->n + d->m + 3 * d->rows > MOST) return false;
  bool same = true;
  for (int state = 0; state < STATES && same; state++) {
    for (int k = 0; k < d->size; k++) {
      double aside = carom_random_uniform(11, (uint64_t)state, (uint64_t)k) - 0.5;
      y[k] = it->y[k] + (state > 0) * aside * (1.0 + fabs(it->y[k]));
    }
    same = stays_the_same(it, y);
  }
  return same;
}
