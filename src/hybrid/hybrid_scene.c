// SPDX-License-Identifier: MIT
/// Contacts at a sample: modes, gaps, forces and where they act.
#include "hybrid/hybrid_scene.h"

#include "base/elementary.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/// Room for a look, and for how gaps and slips depend on the coordinates.
typedef struct looked {
  carom_looking looking;
  double *slopes;
} looked;

carom_status carom_hybrid_scene(carom_scene *scene, carom_error *error) {
  const carom_hybrid *it = scene->simulation->state;
  const carom_dynamics *d = it->model->dynamics;
  looked *own = carom_arena_take(scene->arena, sizeof *own);
  if (!own) return carom_fail_memory(error);
  own->slopes = carom_arena_array(scene->arena, (size_t)(d->rows * d->n), sizeof(double));
  if (!own->slopes) return carom_fail_memory(error);
  scene->own = own;
  return carom_looking_init(&own->looking, scene->arena, it, error);
}

static char letter_of(const carom_hybrid *it, int k) {
  assert(k >= 0 && k < it->model->contacts.count);
  carom_contact_mode mode = it->memory[k].mode;
  static const char LETTERS[] = {[CAROM_CONTACT_OPEN] = 'F',
                                 [CAROM_CONTACT_STICK] = 'K',
                                 [CAROM_CONTACT_SLIP_PLUS] = '+',
                                 [CAROM_CONTACT_SLIP_MINUS] = '-',
                                 [CAROM_CONTACT_CLOSED] = 'C'};
  if (mode == CAROM_CONTACT_SLIP_PLUS && it->model->contacts.cross[k] >= 0) return 'S';
  if ((size_t)mode < sizeof LETTERS) return LETTERS[mode];
  return '?';
}

// dgap/dq and dslip/dq', by rows: a row's velocity is linear in the rates, so this is exact
static bool rows_of_rates(carom_scene *scene, const carom_hybrid *it, double t, const double *y) {
  const carom_dynamics *d = it->model->dynamics;
  looked *own = scene->own;
  double *state = own->looking.state;
  const double *velocity = own->looking.work.rows.velocity;
  memcpy(state, y, (size_t)it->size * sizeof *y);
  memset(state + d->nq, 0, (size_t)d->n * sizeof *y);
  if (!carom_looking_rows(&own->looking, it, t, state)) return false;
  for (int k = 0; k < d->rows * d->n; k++)
    own->slopes[k] = -velocity[k / d->n];
  for (int i = 0; i < d->n; i++) {
    state[d->nq + i] = 1.0;
    if (!carom_looking_rows(&own->looking, it, t, state)) return false;
    state[d->nq + i] = 0.0;
    for (int r = 0; r < d->rows; r++)
      own->slopes[r * d->n + i] += velocity[r];
  }
  return true;
}

static void find_places(carom_scene *scene, const carom_hybrid *it, double t, const double *y) {
  const carom_contact_set *set = &it->model->contacts;
  const looked *own = scene->own;
  int n = it->model->dynamics->n;
  if (!rows_of_rates(scene, it, t, y)) return;
  carom_scene_touch_begin(scene, t, y);
  for (int k = 0; k < set->count; k++) {
    int tangent = set->tangent[k];
    if (scene->contacts[k].normal > 0.0 && set->cross[k] < 0) // pictures are plane
      carom_scene_touch(scene, own->slopes + set->normal[k] * n,
                        tangent >= 0 ? own->slopes + tangent * n : NULL, &scene->contacts[k]);
  }
}

// in space the size of it
static double tangential_force(const carom_looking *looking, const carom_hybrid *it, int k) {
  assert(k >= 0 && k < it->model->contacts.count);
  double force = carom_tangential_seen(looking, it, k);
  if (it->model->contacts.cross[k] < 0) return force;
  return carom_hypot(force, looking->contact.now[k].across * carom_cross_seen(looking, it, k));
}

static void look_at_contacts(carom_scene *scene, const carom_hybrid *it, double t,
                             const double *y) {
  const carom_contact_set *set = &it->model->contacts;
  looked *own = scene->own;
  const carom_rows *rows = &own->looking.work.rows;
  bool good = carom_looking_at(&own->looking, it, t, y);
  for (int k = 0; k < set->count && good; k++) {
    int tangent = set->tangent[k];
    scene->contacts[k] = (carom_contact_view){
        .mode = letter_of(it, k),
        .gap = carom_contact_is_loaded(set, k) ? 0.0 : rows->position[set->normal[k]],
        .slip = set->cross[k] >= 0
                    ? carom_hypot(rows->velocity[tangent], rows->velocity[set->cross[k]] /
                                                               own->looking.contact.now[k].across)
                : tangent >= 0 ? rows->velocity[tangent]
                               : NAN,
        .normal = carom_normal_seen(&own->looking, it, k),
        .tangential = tangential_force(&own->looking, it, k),
        .at = {NAN, NAN},
        .force = {NAN, NAN}};
  }
  // how shapes move is known where every speed is the rate of a coordinate
  bool plain =
      it->model->dynamics->n == it->model->dynamics->nq && it->model->dynamics->turned == 0;
  if (good && plain && own->looking.contact.closed > 0 && scene->shapes)
    find_places(scene, it, t, y);
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
