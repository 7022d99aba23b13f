// SPDX-License-Identifier: MIT
#include "hybrid/looking.h"

#include "hybrid/hybrid.h"

#include <string.h>

static size_t rows_size(const carom_dynamics *d) {
  size_t rows = (size_t)d->rows;
  return rows * (4 + (size_t)d->n + rows);
}

carom_status carom_looking_init(carom_looking *looking, carom_arena *arena, const carom_hybrid *it,
                                carom_error *error) {
  const carom_dynamics *d = it->model->dynamics;
  size_t contacts = (size_t)it->model->contacts.count, size = (size_t)it->size;
  long failures = carom_arena_failures(arena);
  looking->rows = carom_arena_array(arena, rows_size(d), sizeof(double));
  looking->lambda = carom_arena_array(arena, (size_t)d->rows, sizeof(double));
  looking->rate = carom_arena_array(arena, size, sizeof(double));
  looking->state = carom_arena_array(arena, size, sizeof(double));
  looking->coefficients = carom_arena_array(arena, contacts, sizeof *looking->coefficients);
  return carom_arena_failures(arena) == failures ? CAROM_OK : carom_fail_memory(error);
}

// `back` false: from the work space to the copies; true: back again
static void carry(double *copy, double *work, size_t count, bool back) {
  if (count > 0) memcpy(back ? work : copy, back ? copy : work, count * sizeof *work);
}

static void keep(carom_looking *looking, carom_hybrid *it, bool back) {
  const carom_dynamics *d = it->model->dynamics;
  const carom_rows *rows = &it->work.rows;
  size_t count = (size_t)d->rows, contacts = (size_t)it->model->contacts.count;
  double *copy = looking->rows;
  double *const lists[] = {rows->position, rows->velocity, rows->offset, rows->free_rate};
  for (int k = 0; k < 4; k++, copy += count)
    carry(copy, lists[k], count, back);
  carry(copy, rows->response, count * (size_t)d->n, back);
  carry(copy + count * (size_t)d->n, rows->delassus, count * count, back);
  carry(looking->lambda, it->contact.lambda, count, back);
  if (contacts > 0)
    memcpy(back ? it->contact.now : looking->coefficients,
           back ? looking->coefficients : it->contact.now,
           contacts * sizeof *looking->coefficients);
}

void carom_looking_begin(carom_looking *looking, carom_hybrid *it) { keep(looking, it, false); }

void carom_looking_end(carom_looking *looking, carom_hybrid *it) {
  keep(looking, it, true);
  it->work.rows_known = false; // they are not of the state looked at any more
}

bool carom_looking_at(carom_looking *looking, carom_hybrid *it, double t, const double *y) {
  const carom_dynamics *d = it->model->dynamics;
  carom_rates rates = {.acceleration = looking->rate + d->n, .equation = looking->rate + 2 * d->n};
  if (carom_dynamics_rows(d, &it->work, t, y, &rates) != CAROM_OK) return false;
  if (it->contact.closed > 0)
    (void)carom_contact_evaluate(&it->model->contacts, &it->contact, d, &it->work.rows,
                                 it->model->constraints, t, y, false);
  return true;
}

static bool is_closed(const carom_hybrid *it, int contact) {
  return carom_contact_is_closed(it->contact.memory[contact].mode);
}

double carom_normal_seen(const carom_hybrid *it, int contact) {
  return is_closed(it, contact) ? it->contact.lambda[it->model->contacts.normal[contact]] : 0.0;
}

double carom_tangential_seen(const carom_hybrid *it, int contact) {
  int tangent = it->model->contacts.tangent[contact];
  return tangent >= 0 && is_closed(it, contact) ? it->contact.lambda[tangent] : 0.0;
}
