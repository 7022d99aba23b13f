// SPDX-License-Identifier: MIT
// Forces and powers of all fields, from the moments of powers of the distance.
#include "field/field.h"

#include "field/matrix3.h"

#include <math.h>
#include <string.h>

void carom_field_supports(carom_field *it, double t, carom_support_now *supports,
                          double factor[2]) {
  const carom_program *program = it->model->drive;
  double *work = it->registers.drive;
  work[0] = t;
  carom_program_run(program, work);
  int k = 0;
  for (int s = 0; s < it->model->field->support_count; s++) {
    carom_support_now *now = &supports[s];
    double point[3];
    for (int i = 0; i < 3; i++)
      now->normal[i] = work[carom_program_output(program, k++)];
    for (int i = 0; i < 3; i++)
      point[i] = work[carom_program_output(program, k++)];
    for (int i = 0; i < 3; i++)
      now->velocity[i] = work[carom_program_output(program, k++)];
    double length = sqrt(carom_v3_dot(now->normal, now->normal));
    for (int i = 0; i < 3; i++)
      now->normal[i] /= length;
    now->height = carom_v3_dot(now->normal, point);
  }
  factor[0] = work[carom_program_output(program, k++)];
  factor[1] = work[carom_program_output(program, k)];
}

/// A support, the body as it sees it, and the body's motion relative to it.
typedef struct encounter {
  carom_field *it;
  const carom_pose *pose;
  const double *normal, *drive; // drive: velocity of the support
  double relative[3];           // velocity of the mass centre past the support
  double speed, gradient[3];    // n . v = speed + gradient . x
  carom_sight sight;
  carom_field_memory *memory;
  bool seen; // the memory is of this very sight
  carom_loads *loads;
} encounter;

// M += factor a b^T
static void add_outer(double *M, double factor, const double *a, const double *b) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      M[3 * i + j] += factor * a[i] * b[j];
}

static void add_normal(encounter *e, const carom_field_term *term, const carom_moments *m) {
  double a = term->coefficient;
  for (int i = 0; i < 3; i++)
    e->loads->force[i] += a * m->zero * e->normal[i];
  e->loads->driven[term->law] += a * m->zero * carom_v3_dot(e->normal, e->drive);
  add_outer(e->loads->moment, a, e->normal, m->one);
}

// -a (n . v) n
static void add_damping(encounter *e, const carom_field_term *term, const carom_moments *m) {
  double two[9], first[3], a = term->coefficient;
  carom_symmetric3(m->two, two);
  carom_m3_times(two, e->gradient, first);
  double zero = e->speed * m->zero + carom_v3_dot(e->gradient, m->one);
  for (int i = 0; i < 3; i++) {
    first[i] += e->speed * m->one[i];
    e->loads->force[i] -= a * zero * e->normal[i];
  }
  add_outer(e->loads->moment, -a, e->normal, first);
  e->loads->taken[term->law] += a * (e->speed * zero + carom_v3_dot(e->gradient, first));
  e->loads->driven[term->law] -= a * zero * carom_v3_dot(e->normal, e->drive);
}

// -a (v - (n . v) n)
static void add_friction(encounter *e, const carom_field_term *term, const carom_moments *m) {
  const double *n = e->normal, *G = e->pose->G;
  double two[9], zero[3], first[9], along[3], a = term->coefficient;
  carom_symmetric3(m->two, two);
  carom_m3_times(G, m->one, zero);
  carom_multiply3(G, two, first);
  for (int i = 0; i < 3; i++)
    zero[i] += e->relative[i] * m->zero;
  add_outer(first, 1.0, e->relative, m->one);
  // take away what is along the normal
  double normal = carom_v3_dot(n, zero);
  carom_m3_transposed(first, n, along);
  for (int i = 0; i < 3; i++)
    zero[i] -= n[i] * normal;
  add_outer(first, -1.0, n, along);
  double power = carom_v3_dot(e->relative, zero);
  for (int i = 0; i < 9; i++)
    power += G[i] * first[i];
  for (int i = 0; i < 3; i++)
    e->loads->force[i] -= a * zero[i];
  for (int i = 0; i < 9; i++)
    e->loads->moment[i] -= a * first[i];
  e->loads->taken[term->law] += a * power;
  e->loads->driven[term->law] -= a * carom_v3_dot(zero, e->drive);
}

// What a change of area costs, where a repulsion has its energy per deformed area: with w = F* m
// and Phi = a d^(1-nu)/(nu-1), M += int Phi/k w (F^-1 w)^T dA on det F = 1.
static void add_area_pressure(encounter *e, const carom_field_term *term,
                              const double directions[6]) {
  double D[9], W[9], inverse[9], product[9];
  carom_symmetric3(directions, D);
  carom_multiply3(e->sight.cofactor, D, W);
  // F^-1 = cofactor^T on det F = 1; w (F^-1 w)^T = C D C^T F^-T = C D C^T C
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      inverse[3 * i + j] = e->sight.cofactor[3 * j + i];
  carom_multiply3(W, inverse, product);
  carom_multiply3(product, e->sight.cofactor, W);
  for (int i = 0; i < 9; i++) {
    double part = term->coefficient / (term->nu - 1) * W[i];
    // left out of the printed form, where the energy it would have cost comes from nowhere
    if (term->conservative)
      e->loads->moment[i] += part;
    else
      e->loads->taken[term->law] += part * e->pose->G[i];
  }
}

// the group's moments at this sight; what is remembered is filled where it is not of this sight
static const carom_moments *moments_of(encounter *e, int g) {
  const carom_field_group *group = &e->it->numbers.groups[g];
  if (group->fixed) return &group->moments;
  carom_moments *m = &e->memory->moments[g];
  if (e->seen) return m;
  memset(m, 0, sizeof *m);
  carom_body_moments(&e->it->body, &e->sight, group->nu, group->order, group->faces, m);
  if (!group->pressure) return m;
  memset(e->memory->directions[g], 0, sizeof *e->memory->directions);
  carom_body_directions(&e->it->body, &e->sight, group->nu - 1, group->faces,
                        e->memory->directions[g]);
  return m;
}

static void add_group(encounter *e, int g) {
  const carom_field_group *group = &e->it->numbers.groups[g];
  const carom_moments *m = moments_of(e, g);
  for (int k = group->first; k < group->first + group->count; k++) {
    const carom_field_term *term = &e->it->numbers.terms[k];
    switch (term->kind) {
    case CAROM_TERM_NORMAL: add_normal(e, term, m); break;
    case CAROM_TERM_DAMPING: add_damping(e, term, m); break;
    case CAROM_TERM_FRICTION: add_friction(e, term, m); break;
    }
    if (term->kind == CAROM_TERM_NORMAL && group->pressure)
      add_area_pressure(e, term, e->memory->directions[g]);
  }
}

static void add_potential(encounter *e, const carom_field_group *group) {
  bool wanted = false;
  for (int k = group->first; k < group->first + group->count; k++)
    wanted = wanted || e->it->numbers.terms[k].kind == CAROM_TERM_NORMAL;
  if (!wanted) return;
  carom_moments m;
  memset(&m, 0, sizeof m);
  carom_body_moments(&e->it->body, &e->sight, group->nu - 1, 0, group->faces, &m);
  for (int k = group->first; k < group->first + group->count; k++) {
    const carom_field_term *term = &e->it->numbers.terms[k];
    if (term->kind == CAROM_TERM_NORMAL)
      e->loads->potential[term->law] += term->coefficient / (group->nu - 1) * m.zero;
  }
}

static void prepare_encounter(encounter *e, const carom_support_now *support) {
  const carom_pose *pose = e->pose;
  e->normal = support->normal;
  e->drive = support->velocity;
  for (int i = 0; i < 3; i++)
    e->relative[i] = pose->velocity[i] - support->velocity[i];
  e->speed = carom_v3_dot(e->normal, e->relative);
  carom_m3_transposed(pose->G, e->normal, e->gradient);
  carom_m3_transposed(pose->F, e->normal, e->sight.slope);
  e->sight.offset = carom_v3_dot(e->normal, pose->place) - support->height;
  e->sight.distance = e->it->distances;
}

// is this sight, to the bit, the one remembered? If not it is from now on.
static bool recall_sight(carom_field_memory *memory, const carom_sight *sight) {
  size_t cofactor = sight->cofactor ? sizeof memory->cofactor : 0;
  bool same = memory->valid && memory->offset == sight->offset &&
              memcmp(memory->slope, sight->slope, sizeof memory->slope) == 0 &&
              (!cofactor || memcmp(memory->cofactor, sight->cofactor, cofactor) == 0);
  if (same) return true;
  memory->valid = true;
  memory->offset = sight->offset;
  memcpy(memory->slope, sight->slope, sizeof memory->slope);
  if (cofactor) memcpy(memory->cofactor, sight->cofactor, cofactor);
  return false;
}

double carom_field_distance(carom_field *it, const carom_pose *pose,
                            const carom_support_now *supports) {
  double least = HUGE_VAL;
  for (int s = 0; s < it->model->field->support_count; s++) {
    encounter e = {.it = it, .pose = pose};
    prepare_encounter(&e, &supports[s]);
    (void)carom_body_look(&it->body, &e.sight);
    least = fmin(least, e.sight.least);
  }
  return least;
}

static void clear_loads(carom_loads *loads, int laws) {
  memset(loads->force, 0, sizeof loads->force);
  memset(loads->moment, 0, sizeof loads->moment);
  for (int k = 0; k < laws; k++)
    loads->taken[k] = loads->driven[k] = loads->potential[k] = 0.0;
  loads->least = HUGE_VAL;
}

carom_status carom_field_loads(carom_field *it, double t, const carom_pose *pose, bool potential,
                               carom_loads *loads) {
  carom_support_now supports[CAROM_FIELD_MAX_SUPPORTS];
  double cofactor[9];
  clear_loads(loads, it->model->field->law_count);
  carom_field_supports(it, t, supports, loads->factor);
  if (it->model->field->soft) (void)carom_cofactor3(pose->F, cofactor);
  encounter e = {.it = it, .pose = pose, .loads = loads};
  e.sight.cofactor = it->model->field->soft ? cofactor : NULL;
  for (int s = 0; s < it->model->field->support_count; s++) {
    prepare_encounter(&e, &supports[s]);
    if (!carom_body_look(&it->body, &e.sight)) return CAROM_ERR_NONFINITE;
    loads->least = fmin(loads->least, e.sight.least);
    e.memory = &it->memory[s];
    e.seen = recall_sight(e.memory, &e.sight);
    for (int g = 0; g < it->numbers.group_count; g++) {
      if (!(it->numbers.groups[g].supports >> s & 1u)) continue;
      add_group(&e, g);
      if (potential) add_potential(&e, &it->numbers.groups[g]);
    }
    // laws of one's own have no potential
    if (it->numbers.own_count > 0 && !potential)
      carom_field_own_loads(it, t, pose, s, &supports[s], &e.sight, loads);
  }
  return CAROM_OK;
}
