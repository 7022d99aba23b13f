// SPDX-License-Identifier: MIT
/// The programs of a model, for those who bring it elsewhere.
#include "hybrid/hybrid.h"

typedef struct visitor {
  void *ctx;
  void (*visit)(void *ctx, const carom_program *program);
} visitor;

static void visit_program(const visitor *it, const carom_program *program) {
  if (program) it->visit(it->ctx, program);
}

static void visit_watch(const visitor *it, const carom_watch *watch) {
  visit_program(it, watch->program);
  visit_program(it, watch->slope_program);
}

static void visit_phases(const visitor *it, const carom_hybrid_model *model) {
  visit_program(it, model->free_series.program);
  for (int k = 0; k < model->lone.count; k++) {
    const carom_lone_phase *phase = &model->lone.phases[k];
    const carom_phase_series *series =
        phase->later ? carom_phase_series_make(phase->later, NULL) : NULL;
    visit_program(it, phase->program);
    if (series) visit_program(it, series->program);
  }
}

void carom_hybrid_programs(const carom_model *model, void *ctx,
                           void (*visit)(void *ctx, const carom_program *program)) {
  const carom_hybrid_model *prepared = model->prepared;
  const visitor it = {ctx, visit};
  const carom_dynamics *d = prepared->dynamics;
  const carom_program *const alone[] = {d->programs.flow,
                                        d->programs.free,
                                        d->programs.row,
                                        d->programs.energy,
                                        d->programs.turning,
                                        prepared->contacts.coefficients,
                                        prepared->compliant.limits,
                                        prepared->seen.program,
                                        prepared->probe.program,
                                        prepared->probe.apart.program};
  for (size_t k = 0; k < sizeof alone / sizeof *alone; k++)
    visit_program(&it, alone[k]);
  visit_phases(&it, prepared);
  for (int k = 0; k < prepared->watched_count; k++)
    visit_watch(&it, &prepared->watched[k].function);
  for (int k = 0; k < prepared->followed_count; k++) {
    const carom_followed *followed = &prepared->followed[k];
    visit_watch(&it, &followed->function);
    for (int j = 0; j < followed->kink_count; j++)
      visit_watch(&it, &followed->kinks[j]);
  }
}
