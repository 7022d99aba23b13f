// SPDX-License-Identifier: MIT
/// Reflections of a system, found by trying: with S the matrix of signs and exchanges of the state,
/// a system is its own mirror image when at every state
///   a(S y) = S a(y),  and for every row r (constraint, gap, slip) there is a row r' with
///   g_r'(S y) = s g_r(y),  gamma_r'(S y) = s gamma_r(y),  (M^-1 W^T)_r'(S y) = s S (M^-1 W^T)_r(y)
/// where s = +1 for gaps. States are drawn at random: what holds at several of them is an identity.
#include "base/random.h"
#include "hybrid/hybrid.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STATES = 5, COEFFICIENTS = CAROM_CONTACT_NUMBER_COUNT };
static const double SAME = 1e-10; // relative to the largest of its kind

/// What the equations say at one state.
typedef struct look {
  double *acceleration, *equation, *position, *velocity, *rate, *response, *coefficients;
} look;

typedef struct trial {
  carom_hybrid *it; // a copy that may be moved
  int n, nq, m, rows, contacts;
  double *room;
  double t[STATES], *y[STATES];
  look at[STATES], image;
  double *moved;
  double period;
  double slip[CAROM_MIRROR_CONTACTS]; // its sign in the image
} trial;

static bool close_to(double a, double b, double size) {
  return (isnan(a) && isnan(b)) || fabs(a - b) <= SAME * size;
}

static double largest_modulus(int count, const double *v) {
  double most = 0.0;
  for (int k = 0; k < count; k++)
    if (fabs(v[k]) > most) most = fabs(v[k]);
  return most;
}

bool carom_hybrid_stand_at(carom_hybrid *it, double t, const double *y) {
  carom_error ignored;
  memcpy(it->y, y, (size_t)it->model->dynamics->size * sizeof *y);
  carom_state_clock(it, t, it->now.h);
  return carom_hybrid_choose_modes(it, &ignored) == CAROM_OK;
}

static bool see_state(trial *tr, double t, const double *y, look *out) {
  carom_hybrid *it = tr->it;
  const carom_dynamics *d = it->model->dynamics;
  if (!carom_hybrid_stand_at(it, t, y)) return false;
  carom_rates rates = {.acceleration = out->acceleration, .equation = out->equation};
  if (carom_dynamics_rows(d, &it->work, t, y, &rates) != CAROM_OK) return false;
  const carom_rows *rows = &it->work.rows;
  size_t size = (size_t)d->rows * sizeof(double);
  memcpy(out->position, rows->position, size);
  memcpy(out->velocity, rows->velocity, size);
  memcpy(out->rate, rows->free_rate, size);
  memcpy(out->response, rows->response, (size_t)d->n * size);
  if (tr->contacts == 0) return true;
  carom_hybrid_coefficients(it, t, y);
  for (int k = 0; k < tr->contacts; k++)
    memcpy(out->coefficients + k * COEFFICIENTS, &it->contact.now[k],
           COEFFICIENTS * sizeof *out->coefficients);
  return true;
}

// --- one set of signs

// of speed i in the image: its sign, and the speed that it was
static double sign_of(const trial *tr, int i, const carom_reflection *mirror) {
  return mirror->sign[tr->nq + i];
}
static int image_index(const trial *tr, int i, const carom_reflection *mirror) {
  assert(mirror->from[tr->nq + i] >= tr->nq && mirror->from[tr->nq + i] < tr->nq + tr->n);
  return mirror->from[tr->nq + i] - tr->nq;
}

static bool free_motion_agrees(const trial *tr, const look *at, const carom_reflection *mirror) {
  double size = largest_modulus(tr->n, at->acceleration);
  for (int i = 0; i < tr->n; i++)
    if (!close_to(tr->image.acceleration[i],
                  sign_of(tr, i, mirror) * at->acceleration[image_index(tr, i, mirror)], size))
      return false;
  size = largest_modulus(tr->m, at->equation);
  for (int k = 0; k < tr->m; k++)
    if (!close_to(tr->image.equation[k], mirror->sign[tr->nq + tr->n + k] * at->equation[k], size))
      return false;
  return true;
}

static bool row_agrees(const trial *tr, const look *at, int r, int to, double s,
                       const carom_reflection *mirror) {
  const look *im = &tr->image;
  int n = tr->n;
  const double *before = at->response + r * n, *after = im->response + to * n;
  double size = largest_modulus(n, before);
  for (int i = 0; i < n; i++)
    if (!close_to(after[i], s * sign_of(tr, i, mirror) * before[image_index(tr, i, mirror)], size))
      return false;
  return close_to(im->position[to], s * at->position[r], fabs(at->position[r])) &&
         close_to(im->velocity[to], s * at->velocity[r], largest_modulus(tr->rows, at->velocity)) &&
         close_to(im->rate[to], s * at->rate[r], largest_modulus(tr->rows, at->rate));
}

static bool same_coefficients(const trial *tr, const look *at, int a, int b) {
  for (int j = 0; j < COEFFICIENTS; j++) {
    double value = at->coefficients[a * COEFFICIENTS + j];
    if (!close_to(tr->image.coefficients[b * COEFFICIENTS + j], value, fabs(value))) return false;
  }
  const carom_contact *x = &tr->it->model->contacts.contacts[a],
                      *y = &tr->it->model->contacts.contacts[b];
  return x->law == y->law && x->march.stop_rule == y->march.stop_rule &&
         x->march.sequential == y->march.sequential && x->march.hold == y->march.hold;
}

// sign of a slip in the image; 0: it is none of this contact's
static double slip_sign(const trial *tr, const look *at, int r, int to,
                        const carom_reflection *mirror) {
  if (row_agrees(tr, at, r, to, 1.0, mirror)) return 1.0;
  return row_agrees(tr, at, r, to, -1.0, mirror) ? -1.0 : 0.0;
}

// may contact k take the place of `to` in this state's image? *s: the sign of its slip
static bool contact_fits(const trial *tr, const look *at, int k, int to,
                         const carom_reflection *mirror, double *s) {
  const carom_contact_set *set = &tr->it->model->contacts;
  *s = 1.0;
  if ((set->tangent[k] < 0) != (set->tangent[to] < 0)) return false;
  if ((set->cross[k] < 0) != (set->cross[to] < 0)) return false;
  if (!row_agrees(tr, at, set->normal[k], set->normal[to], 1.0, mirror)) return false;
  if (!same_coefficients(tr, at, k, to)) return false;
  if (set->tangent[k] >= 0) *s = slip_sign(tr, at, set->tangent[k], set->tangent[to], mirror);
  if (set->cross[k] < 0 || *s == 0.0) return *s != 0.0;
  *s = 1.0; // slip in space has a direction, no sign
  return slip_sign(tr, at, set->cross[k], set->cross[to], mirror) != 0.0;
}

// in the first state every contact looks for its place; in the others it must be the same one
static bool contacts_agree(trial *tr, int state, carom_reflection *mirror) {
  bool taken[CAROM_MIRROR_CONTACTS] = {false};
  for (int k = 0; k < tr->contacts; k++) {
    double s = 0.0;
    int to = state > 0 ? mirror->contact[k] : 0, last = state > 0 ? to : tr->contacts - 1;
    while (to <= last && (taken[to] || !contact_fits(tr, &tr->at[state], k, to, mirror, &s)))
      to++;
    if (to > last || (state > 0 && s != tr->slip[k])) return false;
    taken[to] = true;
    mirror->contact[k] = to;
    tr->slip[k] = s;
  }
  return true;
}

static bool constraints_agree(trial *tr, int state, const carom_reflection *mirror) {
  const look *at = &tr->at[state];
  for (int r = 0; r < tr->it->model->constraints; r++) {
    bool found = false;
    for (int to = 0; to < tr->it->model->constraints && !found; to++)
      found = slip_sign(tr, at, r, to, mirror) != 0.0;
    if (!found) return false;
  }
  return true;
}

static bool mirror_holds(trial *tr, carom_reflection *mirror) {
  int size = tr->it->model->dynamics->size;
  for (int s = 0; s < STATES; s++) {
    for (int i = 0; i < size; i++)
      tr->moved[i] = mirror->sign[i] * tr->y[s][mirror->from[i]];
    double t = tr->t[s] + (mirror->later ? 0.5 * tr->period : 0.0);
    if (!see_state(tr, t, tr->moved, &tr->image) || !free_motion_agrees(tr, &tr->at[s], mirror) ||
        !constraints_agree(tr, s, mirror) || !contacts_agree(tr, s, mirror))
      return false;
  }
  return true;
}

// --- words for it

static void add_text(carom_reflection *mirror, const char *format, const char *a, const char *b) {
  size_t used = strlen(mirror->text);
  (void)snprintf(mirror->text + used, sizeof mirror->text - used, format, used > 0 ? ", " : "", a,
                 b);
}

static void describe_mirror(const trial *tr, carom_reflection *mirror) {
  const carom_hybrid_model *model = tr->it->model;
  for (int i = 0; i < tr->n + tr->m; i++) {
    int at = i < tr->nq ? i : tr->nq + i; // rates follow their coordinates
    const char *name = model->columns[at], *other = model->columns[mirror->from[at]];
    if (mirror->from[at] > at)
      add_text(mirror, mirror->sign[at] < 0.0 ? "%s%s <-> -%s" : "%s%s <-> %s", name, other);
    else if (mirror->from[at] == at && mirror->sign[at] < 0.0)
      add_text(mirror, "%s%s -> -%s", name, name);
  }
  for (int k = 0; k < tr->contacts; k++)
    if (mirror->contact[k] > k)
      add_text(mirror, "%s%s <-> %s", model->contacts.contacts[k].name,
               model->contacts.contacts[mirror->contact[k]].name);
  if (mirror->later) add_text(mirror, "%s%s%s", "half a period later", "");
}

// --- room and states

static double *take_room(double **free_room, int count) {
  double *taken = *free_room;
  *free_room += count;
  return taken;
}

static bool make_room(trial *tr) {
  int size = tr->it->model->dynamics->size, rows = tr->rows;
  int each = tr->n + tr->m + 3 * rows + rows * tr->n + tr->contacts * COEFFICIENTS;
  tr->room = calloc((size_t)((STATES + 1) * (each + size)), sizeof *tr->room);
  double *at = tr->room;
  if (!at) return false;
  for (int s = 0; s <= STATES; s++) {
    look *one = s < STATES ? &tr->at[s] : &tr->image;
    *one = (look){.acceleration = take_room(&at, tr->n),
                  .equation = take_room(&at, tr->m),
                  .position = take_room(&at, rows),
                  .velocity = take_room(&at, rows),
                  .rate = take_room(&at, rows),
                  .response = take_room(&at, rows * tr->n),
                  .coefficients = take_room(&at, tr->contacts * COEFFICIENTS)};
    *(s < STATES ? &tr->y[s] : &tr->moved) = take_room(&at, size);
  }
  return true;
}

// states around the present one, near and far, at which the equations have values
static bool draw_states(trial *tr, double t, const double *y) {
  int size = tr->it->model->dynamics->size, s = 0;
  for (uint64_t round = 0; round < 8 * STATES && s < STATES; round++) {
    double spread = round % 2 ? 1.0 : 0.1;
    for (int i = 0; i < size; i++)
      tr->y[s][i] =
          (fabs(y[i]) + spread) * (2.0 * carom_random_uniform(1, round, (uint64_t)i) - 1.0);
    tr->t[s] = t + (tr->period > 0.0 ? tr->period : 1.0) * carom_random_uniform(2, round, 0);
    if (see_state(tr, tr->t[s], tr->y[s], &tr->at[s])) s++;
  }
  return s == STATES;
}

static bool may_be_asked(const carom_hybrid_model *model) {
  const carom_dynamics *d = model->dynamics;
  if (!model->scenario || !model->mechanics || model->compliant.count > 0 ||
      model->contacts.presses || // who presses whom is in no row
      model->scenario->rules.event_count > 0)
    return false;
  for (int k = 0; k < model->contacts.count; k++)
    if (model->contacts.user_law[k]) return false;
  return d->n + d->m <= CAROM_MIRROR_FREEDOMS && d->size <= CAROM_MIRROR_STATES &&
         model->contacts.count <= CAROM_MIRROR_CONTACTS;
}

static void set_signs(const trial *tr, unsigned which, carom_reflection *mirror) {
  assert(tr->nq <= tr->n && tr->n + tr->m <= CAROM_MIRROR_FREEDOMS);
  for (int i = 0; i < tr->n + tr->m; i++) {
    double sign = which >> i & 1u ? -1.0 : 1.0;
    if (i < tr->nq) mirror->sign[i] = sign;
    mirror->sign[tr->nq + i] = sign;
  }
}

// coordinate i of the image is coordinate partner[i], and so are the rates; states stay
static void set_partners(const trial *tr, const int *partner, carom_reflection *mirror) {
  for (int i = 0; i < tr->nq + tr->n + tr->m; i++)
    mirror->from[i] = i;
  for (int i = 0; i < tr->n; i++) {
    if (i < tr->nq) mirror->from[i] = partner[i];
    mirror->from[tr->nq + i] = tr->nq + partner[i];
  }
}

// a reflection done twice is none: both of a pair have the same sign
static bool signs_fit(const trial *tr, unsigned which, const int *partner) {
  for (int i = 0; i < tr->n; i++)
    if ((which >> i & 1u) != (which >> partner[i] & 1u)) return false;
  return true;
}

// all signs with these pairs
static void try_signs(trial *tr, const int *partner, carom_reflection *mirrors, int *count) {
  unsigned all = 1u << (tr->n + tr->m);
  int halves = tr->period > 0.0 ? 2 : 1;
  bool pairs = false;
  for (int i = 0; i < tr->n; i++)
    pairs = pairs || partner[i] != i;
  for (unsigned which = pairs ? 0 : 1; which < all; which++) {
    if (!signs_fit(tr, which, partner)) continue;
    for (int later = 0; later < halves && *count < CAROM_MOST_MIRRORS; later++) {
      carom_reflection *mirror = &mirrors[*count];
      *mirror = (carom_reflection){.later = later == 1};
      set_signs(tr, which, mirror);
      set_partners(tr, partner, mirror);
      if (!mirror_holds(tr, mirror)) continue;
      describe_mirror(tr, mirror);
      ++*count;
      break; // what holds at once holds half a period later only if the period is half as long
    }
  }
}

// coordinates from `first` on stay, or change places with a later one; the fewest pairs come first
static void try_pairs(trial *tr, int first, int pairs, int *partner, carom_reflection *mirrors,
                      int *count) {
  if (pairs == 0) {
    try_signs(tr, partner, mirrors, count);
    return;
  }
  for (int i = first; i < tr->n; i++)
    for (int j = i + 1; j < tr->n && partner[i] == i; j++) {
      if (partner[j] != j || (i < tr->nq) != (j < tr->nq)) continue;
      partner[i] = j;
      partner[j] = i;
      try_pairs(tr, i + 1, pairs - 1, partner, mirrors, count);
      partner[i] = i;
      partner[j] = j;
    }
}

static void try_all(trial *tr, carom_reflection *mirrors, int *count) {
  int partner[CAROM_MIRROR_FREEDOMS], most = tr->n <= CAROM_MIRROR_SWAPPED ? tr->n / 2 : 0;
  for (int i = 0; i < tr->n; i++)
    partner[i] = i;
  for (int pairs = 0; pairs <= most; pairs++)
    try_pairs(tr, 0, pairs, partner, mirrors, count);
}

carom_status carom_hybrid_mirrors(const carom_simulation *simulation, carom_reflection *mirrors,
                                  int *count, carom_error *error) {
  const carom_hybrid *present = simulation->state;
  const carom_hybrid_model *model = present->model;
  carom_simulation *copy = NULL;
  *count = 0;
  if (!may_be_asked(model)) return CAROM_OK;
  carom_status status = carom_simulation_clone(simulation, &copy, error);
  if (status != CAROM_OK) return status;
  trial tr = {.it = copy->state,
              .n = model->dynamics->n,
              .nq = model->dynamics->nq,
              .m = model->dynamics->m,
              .rows = model->dynamics->rows,
              .contacts = model->contacts.count,
              .period = carom_hybrid_autonomous(copy) ? 0.0 : present->run.period};
  if (!make_room(&tr))
    status = carom_fail_memory(error);
  else if (draw_states(&tr, present->now.t, present->y))
    try_all(&tr, mirrors, count);
  free(tr.room);
  carom_simulation_destroy(copy);
  return status;
}
