// SPDX-License-Identifier: MIT
/// The legs of a motion, noted while it runs: the modes of every phase and what ended it.
#include "hybrid/leg.h"

#include "base/random.h"
#include "hybrid/tangent.h"
#include "ode/variation.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { MOST_BRANCHES = 64, TRIALS = 4 };
static const double ASIDE = 1e-3, ALIKE = 1e-9;

carom_status carom_leg_room(carom_hybrid *it, carom_error *error) {
  if (it->clients.leg) return CAROM_OK;
  carom_arena *arena = it->simulation->arena;
  carom_leg_work *made = carom_arena_take(arena, sizeof *made);
  if (!made) return carom_fail_memory(error);
  long failures = carom_arena_failures(arena);
  size_t size = (size_t)it->size, number = sizeof(double),
         state = (size_t)it->model->dynamics->size;
  size_t margins = (size_t)(2 * it->model->contacts.count + it->model->watched_count);
  made->start = carom_arena_array(arena, size, number);
  made->end = carom_arena_array(arena, size, number);
  made->point = carom_arena_array(arena, size, number);
  made->sizes = carom_arena_array(arena, state, number);
  made->low = carom_arena_array(arena, margins, number);
  made->high = carom_arena_array(arena, margins, number);
  made->previous = carom_arena_array(arena, 2 * margins, number);
  made->edge = carom_arena_array(arena, margins, number);
  made->looked = carom_arena_array(arena, margins, number);
  made->refined = carom_arena_array(arena, margins, number);
  made->log.states = carom_arena_array(arena, state, CAROM_MOST_LEGS * number);
  if (carom_arena_failures(arena) != failures) return carom_fail_memory(error);
  carom_status status = carom_leg_stepper(it, made, error);
  if (status != CAROM_OK) return status;
  made->room = carom_arena_array(
      arena, carom_variation_room(&made->stepper, (int)state, (int)state), number);
  if (!made->room) return carom_fail_memory(error);
  it->clients.leg = made;
  return CAROM_OK;
}

static carom_leg leg_of_now(const carom_hybrid *it) {
  carom_leg leg = {.event = CAROM_LEG_END};
  for (int k = 0; k < it->model->contacts.count; k++)
    leg.modes |= (uint64_t)it->memory[k].mode << (CAROM_MODE_BITS * k);
  for (int k = 0; k < it->model->dynamics->modes; k++)
    if (it->modes[k] > 0.0) leg.branches |= (uint64_t)1 << k;
  return leg;
}

// models whose phases are not told by contact modes and signs alone
static const char *reason_of(const carom_hybrid_model *model) {
  if (model->functions) return "the model is given by functions";
  if (model->compliant.count > 0) return "its contacts are springs and dashpots";
  if (model->contacts.spatial > 0) return "it has contacts that slide in space";
  if (model->contacts.presses) return "the load of a contact is the force of another";
  if (model->contacts.count > CAROM_WORD_CONTACTS) return "it has too many contacts";
  if (model->dynamics->modes > MOST_BRANCHES) return "it has too many branches";
  return NULL;
}

carom_status carom_leg_note(carom_simulation *simulation, carom_error *error) {
  carom_hybrid *it = simulation->state;
  carom_status status = carom_leg_room(it, error);
  if (status != CAROM_OK) return status;
  carom_leg_log *log = &it->clients.leg->log;
  log->count = 0;
  log->reason = reason_of(it->model);
  log->on = log->reason == NULL;
  return CAROM_OK;
}

carom_status carom_leg_noted(carom_simulation *simulation, int *events, carom_leg *legs,
                             const double **times, double **states, carom_error *error) {
  carom_hybrid *it = simulation->state;
  carom_leg_log *log = it->clients.leg ? &it->clients.leg->log : NULL;
  if (!log || (!log->on && !log->reason))
    return carom_fail(error, CAROM_ERR_ARGUMENT, "no legs have been noted");
  log->on = false;
  if (log->reason)
    return carom_fail(error, CAROM_ERR_UNSUPPORTED, "the word cannot be held fixed: %s",
                      log->reason);
  *events = log->count;
  memcpy(legs, log->legs, (size_t)log->count * sizeof *legs);
  *times = log->times;
  *states = log->states;
  legs[log->count] = leg_of_now(it);
  return CAROM_OK;
}

// Which integer floor or mod holds is told from its neighbours by its parity; a turn later they may
// hold the next one, as mod(t, T) does after one T, and the phase is the same.
bool carom_leg_closes(const carom_simulation *simulation, const carom_leg *first,
                      const carom_leg *last) {
  const carom_hybrid *it = simulation->state;
  const carom_hybrid_model *model = it->model;
  uint64_t integers = 0;
  for (int k = 0; k < model->watched_count; k++) {
    const carom_watched *watched = &model->watched[k];
    if (watched->kind == CAROM_WATCH_SWITCH &&
        carom_node_op(model->dynamics->graph, watched->function.node) == CAROM_OP_PARITY)
      integers |= (uint64_t)1 << watched->index;
  }
  return first->modes == last->modes && ((first->branches ^ last->branches) & ~integers) == 0;
}

static carom_leg_log *log_of(carom_hybrid *it) {
  carom_leg_log *log = it->clients.leg ? &it->clients.leg->log : NULL;
  return log && log->on && !log->reason ? log : NULL;
}

static int function_of(const carom_hybrid *it, const carom_root *root) {
  return root->function < it->model->watched_count ? root->function : -1;
}

// which law of which contact the forces are about to break
static void note_force(carom_hybrid *it, carom_leg_log *log, bool no_step) {
  if (no_step || carom_hybrid_evaluate_rows(it, it->now.t, it->y) != CAROM_OK) {
    log->reason = "no step leads on in a phase";
    return;
  }
  (void)carom_hybrid_forces(it, it->now.t, it->y, true);
  const carom_contact_margin *margin = &it->contact.margin;
  bool known = margin->condition == CAROM_CONDITION_NORMAL ||
               margin->condition == CAROM_CONDITION_CONE_PLUS ||
               margin->condition == CAROM_CONDITION_CONE_MINUS;
  if (margin->contact < 0 || !known) {
    log->reason = "contact forces end a phase otherwise than at the end of their laws";
    return;
  }
  log->now.function = it->contact.which[margin->contact];
  log->now.condition = (int)margin->condition;
}

// Are two functions zero together, not only here and now? One is a multiple of the other then: the
// slip of a contact and the argument of a branch that asks for its sign.
static bool vanish_together(carom_hybrid *it, int a, int b) {
  double *y = it->clients.leg->point, first[2] = {0.0, 0.0};
  const int both[2] = {a, b};
  memcpy(y, it->y, (size_t)it->size * sizeof *y);
  for (int trial = 0; trial < TRIALS; trial++) {
    double value[2];
    for (int i = 0; i < it->model->dynamics->size; i++)
      y[i] = it->y[i] + ASIDE * fmax(fabs(it->y[i]), 1.0) *
                            (carom_random_uniform(0, (uint64_t)trial, (uint64_t)i) - 0.5);
    for (int k = 0; k < 2; k++)
      value[k] = carom_watch_at(&it->model->watched[both[k]].function, &it->watching.work[both[k]],
                                it->now.t, y);
    if (trial == 0) memcpy(first, value, sizeof first);
    double one = value[0] * first[1], other = value[1] * first[0];
    if (first[0] == 0.0 || !(fabs(one - other) <= ALIKE * fabs(one))) return false;
  }
  return true;
}

// Something that happens together with what ends the leg, always: the leg that follows has what
// comes of it, unless that is more than other modes and branches.
static bool link_to_end(carom_hybrid *it, const carom_root *root, carom_leg *leg) {
  int function = function_of(it, root);
  if (function < 0 || leg->function < 0 || function >= MOST_BRANCHES ||
      carom_tangent_decides(it, root) == CAROM_LEG_RULE ||
      it->model->watched[function].function.rough ||
      it->model->watched[leg->function].function.rough ||
      !vanish_together(it, leg->function, function))
    return false;
  leg->linked |= (uint64_t)1 << function;
  return true;
}

void carom_leg_before(carom_hybrid *it, int count, const carom_root *roots) {
  carom_leg_log *log = log_of(it);
  if (!log) return;
  if (it->phases.surfaces.count > 0) log->reason = "it slides on a jump";
  int decisive = -1;
  for (int k = 0; k < count; k++) {
    carom_leg_event event = carom_tangent_decides(it, &roots[k]);
    if (event == CAROM_LEG_END) continue;
    if (decisive < 0 || event > carom_tangent_decides(it, &roots[decisive])) decisive = k;
  }
  log->decided = decisive >= 0;
  log->strikes = 0;
  if (!log->decided) return;
  log->now = leg_of_now(it);
  log->now.event = carom_tangent_decides(it, &roots[decisive]);
  log->now.function = function_of(it, &roots[decisive]);
  log->now.direction = (int)roots[decisive].direction;
  for (int k = 0; k < count; k++)
    if (k != decisive && carom_tangent_decides(it, &roots[k]) != CAROM_LEG_END &&
        !link_to_end(it, &roots[k], &log->now))
      log->reason = "several things happen at one instant";
  if (log->reason) return;
  if (log->now.event == CAROM_LEG_FORCE)
    note_force(it, log, roots[decisive].function > it->model->watched_count);
  else if (it->model->watched[log->now.function].function.rough)
    log->reason = "an event depends on accelerations";
}

void carom_leg_strikes(carom_hybrid *it, int pushing) {
  carom_leg_log *log = log_of(it);
  if (!log) return;
  if (pushing >= 0) log->reason = "there is an impact without collision";
  if (!log->decided || log->strikes++ > 0) log->reason = "impacts follow each other at one instant";
  for (int k = 0; k < it->model->contacts.count; k++)
    if (it->instant.touching[k]) log->reason = "a contact moves apart where others strike";
  for (int k = 0; k < it->model->contacts.count; k++)
    if (it->instant.landed[k] && !carom_contact_is_closed(it->memory[k].mode))
      log->now.struck |= (uint64_t)1 << k;
}

void carom_leg_set_off(carom_hybrid *it) {
  carom_leg_log *log = log_of(it);
  if (log) log->reason = "events set each other off at one instant";
}

void carom_leg_comes_out(carom_hybrid *it, const carom_impact_result *result) {
  carom_leg_log *log = log_of(it);
  if (log) carom_hybrid_note_outcome(it, result, &log->now);
}

void carom_leg_rebounds(carom_hybrid *it) {
  carom_leg_log *log = log_of(it);
  if (log) log->now.rebounds = true;
}

void carom_leg_after(carom_hybrid *it) {
  carom_leg_log *log = log_of(it);
  if (log && it->phases.surfaces.count > 0) log->reason = "it slides on a jump";
  if (!log || !log->decided) return;
  carom_leg after = leg_of_now(it);
  // a rule that has happened belongs to the word, also where it left all as it was: it comes again
  bool ruled = log->now.event == CAROM_LEG_RULE && it->instant.acted[log->now.function];
  bool changes = after.modes != log->now.modes || after.branches != log->now.branches ||
                 log->strikes > 0 || ruled;
  log->decided = false;
  if (!changes) return;
  if (log->count + 1 == CAROM_MOST_LEGS) {
    log->reason = "it has too many phases";
    return;
  }
  size_t size = (size_t)it->model->dynamics->size;
  memcpy(log->states + (size_t)log->count * size, it->y, size * sizeof *it->y);
  log->times[log->count] = it->now.t;
  log->legs[log->count++] = log->now;
}
