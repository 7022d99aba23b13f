// SPDX-License-Identifier: MIT
/// Are bodies apart where a step ends? Gaps of contacts between shapes have branches, which face
/// looks at which, and stand at the branches that events have led to. How far the shapes really are
/// apart is looked at beside them, by an expression that takes its branches by their values and
/// has no part in the motion (`contacts.*.apart`).
#include "hybrid/hybrid.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static const double BROKEN = 1e3; // of tolerances of the gap: beyond it the motion is wrong

carom_status carom_apart_compile(carom_apart *apart, carom_arena *arena,
                                 const carom_hybrid_model *model, carom_error *error) {
  const carom_scenario *s = model->scenario;
  const carom_dynamics *d = model->dynamics;
  size_t room = (size_t)s->contact_count;
  long failures = carom_arena_failures(arena);
  carom_node *outputs = carom_arena_array(arena, room, sizeof *outputs);
  apart->contact = carom_arena_array(arena, room, sizeof *apart->contact);
  if (carom_arena_failures(arena) != failures) return carom_fail_memory(error);
  for (int k = 0; k < s->contact_count; k++) {
    if (!s->contacts[k].apart) continue;
    apart->contact[apart->count] = k;
    outputs[apart->count++] = s->contacts[k].apart;
  }
  if (apart->count == 0) return CAROM_OK;
  return carom_program_compile(arena, s->graph, d->input_count, d->inputs, apart->count, outputs,
                               &apart->program, error);
}

static carom_status fail_overlap(const carom_hybrid *it, int contact, double t, double depth,
                                 carom_error *error) {
  return carom_fail(error, CAROM_ERR_NO_CONVERGENCE,
                    "at t = %.15g the two bodies of contact %s overlap by %.6g, which none of "
                    "their contacts has noticed; try a sharper run.rtol, or run.method: stepping",
                    t, it->model->contacts.contacts[contact].name, depth);
}

// A contact that is not there just now has no tolerance: of the places of two bodies, which follow
// each other, some are.
static double tolerance_of(const carom_hybrid *it, int k) {
  const carom_apart *apart = &it->model->probe.apart;
  int last = k + 1 < apart->count ? apart->contact[k + 1] : it->model->contacts.count;
  double most = 0.0;
  for (int contact = apart->contact[k]; contact < last; contact++)
    most = fmax(most, it->tolerance.gap[contact]);
  return most;
}

static carom_status note_depth(carom_hybrid *it, int contact, double t, double depth,
                               double tolerance, carom_error *error) {
  it->now.certificate.worst.penetration = fmax(it->now.certificate.worst.penetration, depth);
  if (depth > tolerance)
    it->now.standing.deepest = fmax(it->now.standing.deepest, depth / tolerance);
  return depth > BROKEN * tolerance ? fail_overlap(it, contact, t, depth, error) : CAROM_OK;
}

// bodies with flat faces: how deep they overlap, whatever is in their slots
static carom_status look_at_solids(carom_hybrid *it, double t, carom_error *error) {
  const carom_solid_set *set = &it->model->probe.solids;
  carom_status status = CAROM_OK;
  for (int p = 0; set->slot_count > 0 && p < set->list->pair_count && status == CAROM_OK; p++) {
    double tolerance = 0.0, depth = carom_solids_depth(it, p);
    for (int k = set->first[p]; k < set->first[p + 1]; k++)
      tolerance = fmax(tolerance, it->tolerance.gap[set->contact[k]]);
    if (depth > 0.0)
      status = note_depth(it, set->contact[set->first[p]], t, depth, tolerance, error);
  }
  return status;
}

carom_status carom_apart_look(carom_hybrid *it, double t, const double *y, carom_error *error) {
  const carom_apart *apart = &it->model->probe.apart;
  double *registers = it->observing.apart_registers;
  if (it->model->contacts.count == 0) return CAROM_OK;
  carom_status status = look_at_solids(it, t, error);
  if (!apart->program || status != CAROM_OK) return status;
  registers[0] = t;
  memcpy(registers + 1, y, (size_t)it->model->dynamics->size * sizeof *y);
  carom_program_run(apart->program, registers);
  for (int k = 0; k < apart->count; k++) {
    int contact = apart->contact[k];
    assert(contact >= 0 && contact < it->model->contacts.count);
    double depth = -registers[carom_program_output(apart->program, k)];
    status = note_depth(it, contact, t, depth, tolerance_of(it, k), error);
    if (status != CAROM_OK) return status;
  }
  return CAROM_OK;
}
