// SPDX-License-Identifier: MIT
/// Contacts at a sample. Their forces need an evaluation of the motion there; what it overwrites is
/// put back, so that a run that is looked at is the same to the last bit.
#include "hybrid/hybrid_scene.h"

#include <math.h>
#include <string.h>

/// Copies of what an evaluation overwrites.
typedef struct looked {
  double *rows, *lambda, *rate, *state, *slopes;
  carom_coefficients *coefficients;
} looked;

static size_t rows_size(const carom_dynamics *d) {
  size_t rows = (size_t)d->rows;
  return rows * (4 + (size_t)d->n + rows);
}

carom_status carom_hybrid_scene(carom_scene *scene, carom_error *error) {
  const carom_hybrid *it = scene->simulation->state;
  const carom_dynamics *d = it->model->dynamics;
  looked *own = carom_arena_take(scene->arena, sizeof *own);
  if (!own) return carom_fail_memory(error);
  own->rows = carom_arena_array(scene->arena, rows_size(d), sizeof(double));
  own->lambda = carom_arena_array(scene->arena, (size_t)d->rows, sizeof(double));
  own->rate = carom_arena_array(scene->arena, (size_t)it->size, sizeof(double));
  own->coefficients =
      carom_arena_array(scene->arena, (size_t)it->model->contacts.count, sizeof *own->coefficients);
  own->state = carom_arena_array(scene->arena, (size_t)it->size, sizeof(double));
  own->slopes = carom_arena_array(scene->arena, (size_t)(d->rows * d->n), sizeof(double));
  if (!own->rows || !own->lambda || !own->rate || !own->coefficients || !own->state || !own->slopes)
    return carom_fail_memory(error);
  scene->own = own;
  return CAROM_OK;
}

// `back` false: from the work space to the copies; true: back again
static void carry(double *copy, double *work, size_t count, bool back) {
  if (count > 0) memcpy(back ? work : copy, back ? copy : work, count * sizeof *work);
}

static void keep(carom_hybrid *it, looked *own, bool back) {
  const carom_dynamics *d = it->model->dynamics;
  const carom_rows *rows = &it->work.rows;
  size_t count = (size_t)d->rows, contacts = (size_t)it->model->contacts.count;
  double *copy = own->rows;
  double *const lists[] = {rows->position, rows->velocity, rows->offset, rows->free_rate};
  for (int k = 0; k < 4; k++, copy += count)
    carry(copy, lists[k], count, back);
  carry(copy, rows->response, count * (size_t)d->n, back);
  carry(copy + count * (size_t)d->n, rows->delassus, count * count, back);
  carry(own->lambda, it->contact.lambda, count, back);
  if (contacts > 0)
    memcpy(back ? it->contact.now : own->coefficients, back ? own->coefficients : it->contact.now,
           contacts * sizeof *own->coefficients);
}

static char letter_of(carom_contact_mode mode) {
  static const char LETTERS[] = {[CAROM_CONTACT_OPEN] = 'F',
                                 [CAROM_CONTACT_STICK] = 'K',
                                 [CAROM_CONTACT_SLIP_PLUS] = '+',
                                 [CAROM_CONTACT_SLIP_MINUS] = '-',
                                 [CAROM_CONTACT_CLOSED] = 'C'};
  if ((size_t)mode < sizeof LETTERS) return LETTERS[mode];
  return '?';
}

// dgap/dq and dslip/dq', by rows: a row's velocity is linear in the rates, so this is exact
static bool rows_of_rates(carom_scene *scene, carom_hybrid *it, double t, const double *y) {
  const carom_dynamics *d = it->model->dynamics;
  looked *own = scene->own;
  carom_rates rates = {.acceleration = own->rate + d->n, .equation = own->rate + 2 * d->n};
  memcpy(own->state, y, (size_t)it->size * sizeof *y);
  memset(own->state + d->n, 0, (size_t)d->n * sizeof *y);
  if (carom_dynamics_rows(d, &it->work, t, own->state, &rates) != CAROM_OK) return false;
  for (int k = 0; k < d->rows * d->n; k++)
    own->slopes[k] = -it->work.rows.velocity[k / d->n];
  for (int i = 0; i < d->n; i++) {
    own->state[d->n + i] = 1.0;
    if (carom_dynamics_rows(d, &it->work, t, own->state, &rates) != CAROM_OK) return false;
    own->state[d->n + i] = 0.0;
    for (int r = 0; r < d->rows; r++)
      own->slopes[r * d->n + i] += it->work.rows.velocity[r];
  }
  return true;
}

static void find_places(carom_scene *scene, carom_hybrid *it, double t, const double *y) {
  const carom_contact_set *set = &it->model->contacts;
  const looked *own = scene->own;
  int n = it->model->dynamics->n;
  if (!rows_of_rates(scene, it, t, y)) return;
  carom_scene_touch_begin(scene, t, y);
  for (int k = 0; k < set->count; k++) {
    int tangent = set->tangent[k];
    if (scene->contacts[k].normal > 0.0)
      carom_scene_touch(scene, own->slopes + set->normal[k] * n,
                        tangent >= 0 ? own->slopes + tangent * n : NULL, &scene->contacts[k]);
  }
}

static void look_at_contacts(carom_scene *scene, carom_hybrid *it, double t, const double *y) {
  const carom_contact_set *set = &it->model->contacts;
  const carom_dynamics *d = it->model->dynamics;
  looked *own = scene->own;
  keep(it, own, false);
  carom_rates rates = {.acceleration = own->rate + d->n, .equation = own->rate + 2 * d->n};
  bool good = carom_dynamics_rows(d, &it->work, t, y, &rates) == CAROM_OK;
  if (good && it->contact.closed > 0)
    (void)carom_contact_evaluate(set, &it->contact, d, &it->work.rows, it->model->constraints, t, y,
                                 false);
  for (int k = 0; k < set->count && good; k++) {
    int normal = set->normal[k], tangent = set->tangent[k];
    carom_contact_mode mode = it->contact.memory[k].mode;
    bool closed = carom_contact_is_closed(mode);
    scene->contacts[k] = (carom_contact_view){
        .mode = letter_of(mode),
        .gap = it->work.rows.position[normal],
        .slip = tangent >= 0 ? it->work.rows.velocity[tangent] : NAN,
        .normal = closed ? it->contact.lambda[normal] : 0.0,
        .tangential = closed && tangent >= 0 ? it->contact.lambda[tangent] : 0.0,
        .at = {NAN, NAN},
        .force = {NAN, NAN}};
  }
  if (good && it->contact.closed > 0 && scene->shapes) find_places(scene, it, t, y);
  keep(it, own, true);
}

carom_status carom_hybrid_look(carom_scene *scene, double t, carom_error *error) {
  carom_hybrid *it = scene->simulation->state;
  const double *y = it->before; // the sample with its energy integrals
  // compliant contacts are springs of the motion itself: they have no modes of their own
  if (it->model->contacts.count > 0 && it->model->compliant.count == 0)
    look_at_contacts(scene, it, t, y);
  carom_certificate *c = &scene->ledger;
  *c = it->now.certificate;
  c->t_end = t;
  c->has_energy = it->model->dynamics->has_energy;
  return c->has_energy ? carom_hybrid_ledger_at(it, t, y, c, error) : CAROM_OK;
}
