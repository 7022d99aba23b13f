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
  // of scenes in space: the first part that is a force, how shapes move with each speed, the rates
  // of turned coordinates by speeds, what friction does
  int first_force;
  double *moves, *turning, *friction;
} looked;

// forces in space have a part each
static carom_status add_forces(carom_scene *scene, looked *own, const carom_hybrid *it,
                               carom_error *error) {
  const carom_dynamics *d = it->model->dynamics;
  const carom_contact_set *set = &it->model->contacts;
  size_t n = (size_t)d->n;
  own->first_force = scene->part_count;
  if (!scene->space || !scene->shapes || set->count == 0 || it->model->compliant.count > 0)
    return CAROM_OK;
  own->moves =
      carom_arena_array(scene->arena, (n + 1) * (size_t)scene->shape_numbers, sizeof *own->moves);
  own->turning = carom_arena_array(scene->arena, (size_t)d->turned * n + 1, sizeof *own->turning);
  own->friction = carom_arena_array(scene->arena, n, sizeof *own->friction);
  if (!own->moves || !own->turning || !own->friction) return carom_fail_memory(error);
  carom_status status = CAROM_OK;
  for (int k = 0; k < set->count && status == CAROM_OK; k++)
    status = carom_scene_add(scene, CAROM_PART_FORCE, set->contacts[k].name, CAROM_FORCE_NUMBERS, 0,
                             NULL, error);
  return status;
}

carom_status carom_hybrid_scene(carom_scene *scene, carom_error *error) {
  const carom_hybrid *it = scene->simulation->state;
  const carom_dynamics *d = it->model->dynamics;
  looked *own = carom_arena_take(scene->arena, sizeof *own);
  if (!own) return carom_fail_memory(error);
  own->slopes = carom_arena_array(scene->arena, (size_t)(d->rows * d->n), sizeof(double));
  if (!own->slopes) return carom_fail_memory(error);
  scene->own = own;
  carom_status status = carom_looking_init(&own->looking, scene->arena, it, error);
  return status == CAROM_OK ? add_forces(scene, own, it, error) : status;
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

// ---- in space ----

// how the numbers of the shapes change with each speed, by differences: exact enough for arrows
static bool moves_of_speeds(carom_scene *scene, const carom_hybrid *it, double t, const double *y) {
  static const double STEP = 1e-6;
  const carom_dynamics *d = it->model->dynamics;
  looked *own = scene->own;
  double *state = own->looking.state, *back = own->moves + d->n * scene->shape_numbers;
  if (d->turned > 0 &&
      carom_dynamics_turning(d, &own->looking.work, t, y, own->turning, NULL) != CAROM_OK)
    return false;
  for (int i = 0; i < d->n; i++) {
    double *moves = own->moves + i * scene->shape_numbers;
    for (int side = -1; side <= 1; side += 2) {
      memcpy(state, y, (size_t)it->size * sizeof *y);
      if (i < d->nq) state[i] += side * STEP;
      for (int k = 0; k < d->turned; k++)
        state[d->nq + d->n + k] += side * STEP * own->turning[k * d->n + i];
      carom_scene_shapes_at(scene, t, state, side < 0 ? back : moves);
    }
    for (int k = 0; k < scene->shape_numbers; k++)
      moves[k] = (moves[k] - back[k]) / (2.0 * STEP);
  }
  return true;
}

static void find_force(carom_scene *scene, const carom_hybrid *it, int k, double *out) {
  const carom_contact_set *set = &it->model->contacts;
  const looked *own = scene->own;
  int n = it->model->dynamics->n, tangent = set->tangent[k], cross = set->cross[k];
  double along = carom_tangential_seen(&own->looking, it, k),
         across = carom_cross_seen(&own->looking, it, k);
  for (int i = 0; i < n; i++) {
    own->friction[i] = tangent >= 0 ? along * own->slopes[tangent * n + i] : 0.0;
    if (cross >= 0) own->friction[i] += across * own->slopes[cross * n + i];
  }
  carom_touching given = {.speeds = n,
                          .normal_row = own->slopes + set->normal[k] * n,
                          .friction = own->friction,
                          .slopes = own->moves,
                          .force = scene->contacts[k].normal,
                          .coefficient = tangent >= 0 ? own->looking.contact.now[k].slide : 0.0};
  carom_scene_touch_space(scene, &given, out);
}

static void find_forces(carom_scene *scene, const carom_hybrid *it, double t, const double *y) {
  const looked *own = scene->own;
  int count = scene->part_count - own->first_force;
  double *out = scene->numbers + (count > 0 ? scene->parts[own->first_force].first : 0);
  bool any = own->looking.contact.closed > 0 && count > 0;
  for (int k = 0; k < count * CAROM_FORCE_NUMBERS; k++)
    out[k] = NAN;
  if (!any || !rows_of_rates(scene, it, t, y) || !moves_of_speeds(scene, it, t, y)) return;
  for (int k = 0; k < count; k++)
    if (scene->contacts[k].normal > 0.0 && !carom_contact_is_loaded(&it->model->contacts, k))
      find_force(scene, it, k, out + k * CAROM_FORCE_NUMBERS);
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
  if (good && plain && own->looking.contact.closed > 0 && scene->shapes && !scene->space)
    find_places(scene, it, t, y);
  if (good && scene->space) find_forces(scene, it, t, y);
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
