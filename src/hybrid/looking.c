// SPDX-License-Identifier: MIT
#include "hybrid/looking.h"

#include "hybrid/hybrid.h"

carom_status carom_looking_init(carom_looking *looking, carom_arena *arena, const carom_hybrid *it,
                                carom_error *error) {
  const carom_dynamics *d = it->model->dynamics;
  long failures = carom_arena_failures(arena);
  *looking =
      (carom_looking){.configuration = -1,
                      .rate = carom_arena_array(arena, (size_t)it->size, sizeof *looking->rate),
                      .state = carom_arena_array(arena, (size_t)it->size, sizeof *looking->state)};
  if (carom_arena_failures(arena) != failures) return carom_fail_memory(error);
  carom_status status = carom_dynamics_work_init(&looking->work, arena, d, error);
  if (status != CAROM_OK) return status;
  return carom_contact_evaluation_init(&looking->contact, arena, &it->model->contacts, d, error);
}

static void configure_looking(carom_looking *looking, const carom_hybrid *it) {
  const carom_dynamics *d = it->model->dynamics;
  if (looking->configuration == it->configuration) return;
  looking->configuration = it->configuration;
  carom_dynamics_configure(d, &looking->work, it->settings.parameters, it->modes);
  if (!it->model->scenario) return;
  carom_contact_configure(&it->model->contacts, &looking->contact, d, it->settings.parameters,
                          it->modes);
}

static void list_closed(carom_looking *looking, const carom_hybrid *it) {
  carom_contact_list_closed(&it->model->contacts, &looking->contact, it->memory,
                            it->model->dynamics->rows, it->model->constraints);
}

bool carom_looking_rows(carom_looking *looking, const carom_hybrid *it, double t, const double *y) {
  const carom_dynamics *d = it->model->dynamics;
  carom_rates rates = {.acceleration = looking->rate + d->nq,
                       .equation = looking->rate + d->nq + d->n};
  configure_looking(looking, it);
  return carom_dynamics_rows(d, &looking->work, t, y, &rates) == CAROM_OK;
}

bool carom_looking_at(carom_looking *looking, const carom_hybrid *it, double t, const double *y) {
  const carom_hybrid_model *model = it->model;
  if (!carom_looking_rows(looking, it, t, y)) return false;
  list_closed(looking, it);
  if (looking->contact.closed > 0)
    (void)carom_contact_evaluate(&model->contacts, &looking->contact, it->memory, model->dynamics,
                                 &looking->work.rows, model->constraints, t, y, false);
  return true;
}

static void exchange_work(carom_looking *looking, carom_hybrid *it) {
  carom_dynamics_work work = it->work;
  carom_contact_evaluation contact = it->contact;
  it->work = looking->work;
  it->contact = looking->contact;
  looking->work = work;
  looking->contact = contact;
}

void carom_looking_stand_in(carom_looking *looking, carom_hybrid *it) {
  configure_looking(looking, it);
  list_closed(looking, it);
  exchange_work(looking, it);
}

// branches may have changed meanwhile: the onlooker knows them, the motion's own place does not
void carom_looking_step_back(carom_looking *looking, carom_hybrid *it) {
  configure_looking(looking, it); // which holds the motion's own place for now
  exchange_work(looking, it);
}

static bool is_closed(const carom_hybrid *it, int contact) {
  return carom_contact_is_closed(it->memory[contact].mode);
}

double carom_normal_seen(const carom_looking *looking, const carom_hybrid *it, int contact) {
  int normal = it->model->contacts.normal[contact];
  return is_closed(it, contact) ? looking->contact.lambda[normal] : 0.0;
}

double carom_tangential_seen(const carom_looking *looking, const carom_hybrid *it, int contact) {
  int tangent = it->model->contacts.tangent[contact];
  return tangent >= 0 && is_closed(it, contact) ? looking->contact.lambda[tangent] : 0.0;
}

double carom_cross_seen(const carom_looking *looking, const carom_hybrid *it, int contact) {
  int cross = it->model->contacts.cross[contact];
  return cross >= 0 && is_closed(it, contact) ? looking->contact.lambda[cross] : 0.0;
}
