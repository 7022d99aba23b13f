// SPDX-License-Identifier: MIT
/// What happens at an instant: branches switch, rules fire, sections are passed, runs stop. The one
/// place where a state is changed by anything but motion.
///
/// What has come at an instant is dealt with in rounds. Conditions (`if`) of a round see the state
/// it begins with; its events change the state one after the other as they are listed, each from
/// what those before it have left. What that makes true comes next, in another round. Once no rule
/// is left the contacts answer: they strike, open, slide, stick. What becomes true by that begins
/// another round.
#include "hybrid/hybrid.h"

#include "hybrid/tangent.h"
#include "model/dynamics_functions.h"
#include "symbolic/parse.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST_ROUNDS = 1000 };

const char *carom_event_kind_text(carom_event_kind kind) {
  switch (kind) {
  case CAROM_EVENT_USER: return "event";
  case CAROM_EVENT_SECTION: return "section";
  case CAROM_EVENT_STOP: return "stop";
  case CAROM_EVENT_SWITCH: return "switch";
  case CAROM_EVENT_GRAZE: return "graze";
  case CAROM_EVENT_FLAT: return "flat";
  case CAROM_EVENT_IMPACT: return "impact";
  case CAROM_EVENT_CLOSE: return "close";
  case CAROM_EVENT_OPEN: return "open";
  case CAROM_EVENT_STICK: return "stick";
  case CAROM_EVENT_SLIP: return "slip";
  case CAROM_EVENT_REVERSE: return "reverse";
  case CAROM_EVENT_PAINLEVE_FLIGHT: return "painleve flight";
  case CAROM_EVENT_PAINLEVE_IMPACT: return "painleve impact";
  case CAROM_EVENT_NON_UNIQUE: return "non-unique";
  case CAROM_EVENT_PUSH: return "push";
  case CAROM_EVENT_SLIDE: return "slide";
  case CAROM_EVENT_PHASE_COMPRESSION: return "phase compression";
  case CAROM_EVENT_PHASE_RESTITUTION: return "phase restitution";
  case CAROM_EVENT_PHASE_END: return "phase end";
  case CAROM_EVENT_PHASE_STICK: return "phase stick";
  case CAROM_EVENT_PHASE_SLIP: return "phase slip";
  case CAROM_EVENT_PHASE_HOLD: return "phase hold";
  }
  return "event";
}

const char *carom_uncommon_text(carom_uncommon which) {
  static const char *const TEXTS[CAROM_UNCOMMON_COUNT] = {
      [CAROM_UNCOMMON_LATE_LANDING] = "landing found late",
      [CAROM_UNCOMMON_FORCED_LANDING] = "landing forced by growing forces",
      [CAROM_UNCOMMON_FORCED_MODES] = "modes changed by growing forces",
      [CAROM_UNCOMMON_FORCES_BROKEN] = "forces outside their laws at the end of a step",
      [CAROM_UNCOMMON_JOINED] = "another contact lands at the same instant",
      [CAROM_UNCOMMON_MODES_LASTING] = "modes that last preferred",
      [CAROM_UNCOMMON_MODES_AHEAD] = "modes by what holds a moment later",
      [CAROM_UNCOMMON_MODES_NOW] = "modes by what holds at the instant alone",
      [CAROM_UNCOMMON_MODES_ENDURED] = "modes kept beyond their laws",
      [CAROM_UNCOMMON_OTHER_STRIKES] = "impact carried by another contact",
      [CAROM_UNCOMMON_TOGETHER] = "struck together, though one may come later"};
  return (unsigned)which < CAROM_UNCOMMON_COUNT ? TEXTS[which] : "";
}

// reducers count rules, sections and impacts; what else a contact does is no repetition of it
static bool kind_counts(carom_event_kind kind) {
  return kind == CAROM_EVENT_USER || kind == CAROM_EVENT_SECTION || kind == CAROM_EVENT_STOP ||
         kind == CAROM_EVENT_IMPACT;
}

void carom_hybrid_count_instant(carom_hybrid *it) {
  it->now.instant++;
  it->now.certificate.counts.instants++;
}

static carom_event_energy energy_of(carom_hybrid *it, const double *y) {
  carom_energy energy;
  const carom_dynamics *dynamics = it->model->dynamics;
  if (!it->simulation->observer.energies || !dynamics->has_energy ||
      carom_dynamics_energy(dynamics, &it->work, it->now.t, y, &energy) != CAROM_OK)
    return (carom_event_energy){NAN, NAN};
  return (carom_event_energy){energy.kinetic, energy.potential};
}

static void count_event(carom_run_counts *counts, carom_event_kind kind) {
  counts->events++;
  counts->grazes += kind == CAROM_EVENT_GRAZE;
  counts->impacts += kind == CAROM_EVENT_IMPACT;
  counts->closings += kind == CAROM_EVENT_CLOSE;
  counts->openings += kind == CAROM_EVENT_OPEN;
  counts->painleve += kind == CAROM_EVENT_PAINLEVE_FLIGHT || kind == CAROM_EVENT_PAINLEVE_IMPACT;
  counts->non_unique += kind == CAROM_EVENT_NON_UNIQUE;
}

// tells the observer of an event of which the kind, the name and its own numbers are filled in;
// true when it wants to stop
static bool tell_observer(carom_hybrid *it, carom_event *event) {
  const carom_observer *observer = &it->simulation->observer;
  if (!observer->event || it->observing.muted) return false;
  event->t = it->now.t;
  event->instant = it->now.instant;
  event->size = it->model->dynamics->size;
  event->before = it->before;
  event->after = it->y;
  event->energy_before =
      it->instant.energy_known ? it->instant.energy_before : energy_of(it, event->before);
  event->energy_after = energy_of(it, event->after);
  carom_tangent_tell(it, event->name);
  bool stops = observer->event(observer->ctx, event) != 0;
  carom_tangent_tell(it, NULL);
  return stops;
}

static bool announce_event(carom_hybrid *it, carom_event *event) {
  count_event(&it->now.certificate.counts, event->kind);
  if (kind_counts(event->kind)) carom_tally_event(it, event->name);
  return tell_observer(it, event);
}

bool carom_hybrid_announce_phase(carom_hybrid *it, carom_event_kind kind, const char *name,
                                 int direction, double impulse) {
  if (!it->simulation->observer.phases) return false;
  return tell_observer(
      it, &(carom_event){.kind = kind, .name = name, .direction = direction, .value = impulse});
}

bool carom_hybrid_announce(carom_hybrid *it, carom_event_kind kind, const char *name, int direction,
                           double value) {
  return announce_event(
      it, &(carom_event){.kind = kind, .name = name, .direction = direction, .value = value});
}

void carom_hybrid_ask(carom_hybrid *it, bool asked) { it->now.stage.asked |= asked; }

bool carom_hybrid_announce_impact(carom_hybrid *it, const char *name, double normal,
                                  double tangential, double rubbed) {
  return announce_event(it, &(carom_event){.kind = CAROM_EVENT_IMPACT,
                                           .name = name,
                                           .value = normal,
                                           .tangential = tangential,
                                           .rubbed = rubbed});
}

// the rate of switching function k with the modes in force
static carom_status switch_rate(carom_hybrid *it, int k, double *rate, carom_error *error) {
  assert(k >= 0 && k < it->model->watched_count);
  carom_status status = carom_hybrid_rhs(it, it->now.t, it->y, it->rate);
  if (status != CAROM_OK) return carom_hybrid_explain(it, status, it->now.t, it->y, error);
  *rate = carom_watch_rate(&it->model->watched[k].function, &it->watching.work[k], it->now.t, it->y,
                           it->rate);
  return CAROM_OK;
}

/// Other branches that are slid on while one is chosen.
typedef struct others {
  int count, which[CAROM_MOST_SURFACES];
} others;

static others slid_on(const carom_hybrid *it, int k) {
  others list = {0};
  for (int i = 0; i < it->phases.surfaces.count; i++)
    if (it->phases.surfaces.which[i] != k) list.which[list.count++] = it->phases.surfaces.which[i];
  return list;
}

// The rate of function k on one side of its jump. The motion there may no longer slide on others.
static carom_status side_rate(carom_hybrid *it, int k, double side, const others *list,
                              double *rate, carom_error *error) {
  for (int i = 0; i < list->count; i++)
    carom_hybrid_take_branch(it, list->which[i], 0.0);
  carom_hybrid_take_branch(it, k, side);
  carom_status status = list->count > 0 ? carom_surfaces_release(it, error) : CAROM_OK;
  return status == CAROM_OK ? switch_rate(it, k, rate, error) : status;
}

// Resting on the kink: most branches agree there, but a strict comparison does not hold.
static double side_at_rest(const carom_hybrid *it, int k) {
  assert(k >= 0 && k < it->model->watched_count);
  const carom_kink_list *kinks = &it->model->mechanics->kinks;
  if (it->model->watched[k].role != CAROM_ROLE_NONE) return 1.0;
  carom_op op = carom_node_op(it->model->dynamics->graph, kinks->items[k].origin);
  return op == CAROM_OP_LT || op == CAROM_OP_GT ? -1.0 : 1.0;
}

// The side above leads away, and so may the one below; where nothing moves below, a comparison that
// does not hold at zero leaves the motion there.
static carom_status leave_upwards(carom_hybrid *it, int k, const others *list, double plus,
                                  carom_error *error) {
  double minus = 0.0;
  bool rests = side_at_rest(it, k) < 0.0;
  carom_status status = side_rate(it, k, -1.0, list, &minus, error);
  if (status == CAROM_OK && rests) status = carom_surfaces_rest(it, k, plus, &rests, error);
  if (status != CAROM_OK || rests) return status;
  if (minus < 0.0) it->phases.surfaces.not_unique = true;
  return side_rate(it, k, 1.0, list, &plus, error);
}

// where u = 0 the branch is the one the motion is about to follow
static carom_status choose_by_rate(carom_hybrid *it, int k, carom_error *error) {
  double plus = 0.0, minus = 0.0;
  const others list = slid_on(it, k);
  carom_status status = side_rate(it, k, 1.0, &list, &plus, error);
  if (status == CAROM_OK && plus > 0.0) return leave_upwards(it, k, &list, plus, error);
  if (status == CAROM_OK) status = side_rate(it, k, -1.0, &list, &minus, error);
  if (status != CAROM_OK || minus < 0.0) return status;
  for (int i = 0; i < list.count; i++)
    carom_hybrid_take_branch(it, list.which[i], 0.0);
  if (plus < 0.0 && minus > 0.0) {
    bool creeps = false;
    status = carom_surfaces_creep(it, k, CAROM_SERVED_WIDTH, &creeps, error);
    return status != CAROM_OK || creeps ? status : carom_surfaces_enter(it, k, error);
  }
  if (plus == 0.0 && minus == 0.0) status = carom_surfaces_part(it, k, error);
  carom_hybrid_take_branch(it, k, side_at_rest(it, k));
  return status;
}

// Has the argument of a branch that is crossed been carried away from zero by another branch of the
// same instant, that it depends on? Then it has the side its value says.
static bool has_jumped(const carom_hybrid *it, int k, double value) {
  assert(k >= 0 && k < it->model->watched_count);
  return it->model->watched[k].role == CAROM_ROLE_NONE &&
         fabs(value) > CAROM_SERVED_WIDTH * it->watching.watch[k].tolerance;
}

// A switch that is crossed at this instant is zero but for rounding, whose sign says nothing,
// unless an event has moved it since. One that is met beside the step may have been crossed just
// before.
static bool just_crossed(carom_hybrid *it, int k, double value) {
  assert(k >= 0 && k < it->model->watched_count);
  const carom_root_watch *watch = &it->watching.watch[k];
  const carom_watch *function = &it->model->watched[k].function;
  carom_watch_work *work = &it->watching.work[k];
  if (!it->now.stage.started) return false;
  if (carom_met_beside(it, k)) {
    double slope = carom_watch_rate(function, work, it->now.t, it->y, it->rate);
    return fabs(value) <= carom_hybrid_apart(it) * fabs(slope);
  }
  if (!watch->served || has_jumped(it, k, value)) return false;
  return fabs(value) <= watch->tolerance ||
         value == carom_watch_at(function, work, it->now.t, it->instant.entered);
}

// The side of an argument of floor or mod that is an integer exactly: see carom_parity.
static bool on_integer(double value) { return fabs(value) == DBL_MIN; }

// it stays there, or leaves to the other side
static carom_status start_on_integer(carom_hybrid *it, int k, double value, carom_error *error) {
  double side = value > 0.0 ? 1.0 : -1.0, rate = 0.0;
  carom_hybrid_take_branch(it, k, side);
  carom_status status = switch_rate(it, k, &rate, error);
  if (status == CAROM_OK && rate * side < 0.0) carom_hybrid_take_branch(it, k, -side);
  return status;
}

// Rates ask all branches: first those that a value tells are taken, then those that a rate decides.
carom_status carom_hybrid_choose_modes(carom_hybrid *it, carom_error *error) {
  carom_compliant_start(it);
  for (int k = 0, modes = it->model->dynamics->modes, j = 0; j < 2 * modes; j++, k = j % modes) {
    carom_compliant_role role = it->model->watched[k].role;
    if (role == CAROM_ROLE_NUMBER || role == CAROM_ROLE_IMPACT || role == CAROM_ROLE_FRICTION)
      continue; // not by a sign
    bool last = j >= modes;
    double value = carom_branch_value(it, k);
    if (isnan(value) && last)
      return carom_hybrid_no_value(it, &it->model->watched[k], it->now.t, it->y, error);
    if (on_integer(value) && !it->now.stage.started) {
      if (last && start_on_integer(it, k, value, error) != CAROM_OK)
        return error ? error->status : CAROM_ERR_UNSUPPORTED;
    } else if (fabs(value) > 0.0 && !just_crossed(it, k, value) &&
               !carom_surfaces_keeps(it, k, value))
      carom_hybrid_take_branch(it, k, value > 0.0 ? 1.0 : -1.0);
    else if (last && choose_by_rate(it, k, error) != CAROM_OK)
      return error ? error->status : CAROM_ERR_UNSUPPORTED;
  }
  carom_compliant_choose(it);
  return CAROM_OK;
}

// the energy of a state in the branches in force
static carom_status energy_now(carom_hybrid *it, carom_energy *energy, carom_error *error) {
  carom_status status =
      carom_dynamics_energy(it->model->dynamics, &it->work, it->now.t, it->y, energy);
  return status == CAROM_OK ? status : carom_hybrid_explain(it, status, it->now.t, it->y, error);
}

// Where energies switch with the time alone it is a drive that does so.
static carom_status flip_drive(carom_hybrid *it, int k, double mode, carom_error *error) {
  assert(k >= 0 && k < it->model->watched_count);
  carom_energy before, after;
  const carom_watch *watch = &it->model->watched[k].function;
  bool drives = it->model->dynamics->has_energy && watch->used_count == 0;
  carom_status status = drives ? energy_now(it, &before, error) : CAROM_OK;
  carom_hybrid_take_branch(it, k, mode);
  if (!drives || status != CAROM_OK) return status;
  status = energy_now(it, &after, error);
  if (status != CAROM_OK) return status;
  double change = after.kinetic + after.potential - before.kinetic - before.potential;
  it->now.books.drive_jumps += change - (after.drive_store - before.drive_store);
  it->now.books.energy_reference += change;
  return CAROM_OK;
}

// a crossed switch takes its new branch; when that leads straight back the motion is held there
static carom_status flip_switch(carom_hybrid *it, const carom_root *root, carom_error *error) {
  it->now.certificate.counts.switches++;
  if (carom_compliant_flip(it, root)) return CAROM_OK;
  double mode = root->direction == CAROM_RISING ? 1.0 : -1.0, rate = 0.0;
  double value = carom_branch_value(it, root->function);
  if (has_jumped(it, root->function, value))
    return flip_drive(it, root->function, value > 0.0 ? 1.0 : -1.0, error);
  carom_status status = flip_drive(it, root->function, mode, error);
  if (status == CAROM_OK) status = switch_rate(it, root->function, &rate, error);
  bool creeps = false;
  if (status == CAROM_OK) status = carom_surfaces_creep(it, root->function, 1.0, &creeps, error);
  if (status == CAROM_OK && !creeps && rate * mode < 0.0)
    status = choose_by_rate(it, root->function, error);
  return status;
}

// does the rule's `if` hold in the state that the probe has looked at?
static bool condition_holds(const carom_hybrid *it, const carom_watched *watched) {
  const carom_scenario *s = it->model->scenario;
  if (!s) return true;
  int k = it->model->probe.conditions + watched->index;
  if (watched->kind != CAROM_WATCH_EVENT) k += s->rules.event_count;
  if (watched->kind == CAROM_WATCH_STOP) k += s->rules.section_count;
  return carom_probe_output(it, k) != 0.0;
}

// component of y that an assignment changes
static int component_of(const carom_hybrid *it, carom_node symbol) {
  for (int i = 0; i < it->model->path.size; i++)
    if (it->model->path.y[i] == symbol) return i;
  return -1;
}

static carom_status no_value_to_assign(carom_hybrid *it, const carom_watched *watched,
                                       const carom_assignment *assignment, carom_error *error) {
  const char *text =
      carom_node_text(it->simulation->arena, it->model->scenario->graph, assignment->value, 200);
  (void)carom_fail_at(error, CAROM_ERR_NONFINITE, assignment->place,
                      "at t = %.15g event %s assigns a value that is not finite", it->now.t,
                      watched->name);
  carom_fail_moving(error, it->now.t, it->model->dynamics->size, it->before, text ? text : "");
  return CAROM_ERR_NONFINITE;
}

// all right-hand sides of a rule were computed from the state before it
static carom_status assign_rule(carom_hybrid *it, const carom_watched *watched, double t,
                                const double *before, double *y, carom_error *error) {
  const carom_scenario *s = it->model->scenario;
  if (!s) {
    const carom_functions *f = it->model->functions;
    const carom_dynamics *dynamics = it->model->dynamics;
    if (!f->reset) return CAROM_OK;
    carom_point at = carom_functions_point(dynamics, &it->work, t, before);
    return f->reset(f->ctx, &at, watched->index, y, y + dynamics->nq, y + 2 * dynamics->nq);
  }
  int output = it->model->probe.assignments;
  for (int k = 0; k < watched->index; k++)
    output += s->rules.events[k].assignment_count;
  for (int j = 0; j < watched->rule->assignment_count; j++) {
    const carom_assignment *assignment = &watched->rule->assignments[j];
    double value = carom_probe_output(it, output + j);
    if (!isfinite(value)) return no_value_to_assign(it, watched, assignment, error);
    y[component_of(it, assignment->symbol)] = value;
  }
  return CAROM_OK;
}

carom_status carom_hybrid_rule_seen(carom_hybrid *it, const carom_watched *watched, double t,
                                    const double *y, double *after) {
  if (it->model->scenario) {
    carom_status status = carom_hybrid_rhs(it, t, y, it->rate);
    if (status != CAROM_OK) return status;
    carom_probe_run(it, t, y, it->rate);
  }
  return assign_rule(it, watched, t, y, after, NULL);
}

// An event changes the state. `again`: others have done so before it since the probe has looked.
static carom_status apply_rule(carom_hybrid *it, const carom_watched *watched, bool again,
                               carom_error *error) {
  memcpy(it->before, it->y, (size_t)it->size * sizeof *it->y);
  carom_status status = carom_tangent_rule(it, watched, error);
  if (status != CAROM_OK) return status;
  if (again && it->model->scenario) carom_probe_run(it, it->now.t, it->y, it->rate);
  it->instant.changed_by = watched->name;
  status = assign_rule(it, watched, it->now.t, it->before, it->y, error);
  if (status == CAROM_OK) carom_audit_rule(it, watched);
  return status;
}

// is the function really on its way through zero? Instants that accumulate end in rounding.
static bool root_is_resolvable(carom_hybrid *it, const carom_root *root) {
  if (it->model->functions) return true;
  double rate =
      carom_watch_rate(&it->model->watched[root->function].function,
                       &it->watching.work[root->function], it->now.t, it->before, it->rate);
  return rate * (double)root->direction >= 0.0;
}

static carom_event_kind event_kind(carom_watch_kind kind) {
  switch (kind) {
  case CAROM_WATCH_SWITCH: return CAROM_EVENT_SWITCH;
  case CAROM_WATCH_EVENT: return CAROM_EVENT_USER;
  case CAROM_WATCH_SECTION: return CAROM_EVENT_SECTION;
  case CAROM_WATCH_STOP: return CAROM_EVENT_STOP;
  case CAROM_WATCH_GAP:
  case CAROM_WATCH_SLIP: break; // told by what becomes of the contact
  }
  return CAROM_EVENT_USER;
}

// rules and reducers ask for values at the instant; gaps, slips and contact forces do not
static bool needs_probe(const carom_hybrid *it, int count, const carom_root *roots) {
  bool needed = it->model->followed_count > 0 || !it->model->scenario;
  for (int k = 0; k < count && !needed; k++) {
    if (roots[k].function >= it->model->watched_count) continue;
    carom_watch_kind kind = it->model->watched[roots[k].function].kind;
    needed = kind != CAROM_WATCH_GAP && kind != CAROM_WATCH_SLIP;
  }
  return needed;
}

/// What an instant has brought about so far.
typedef struct outcome {
  bool moved;    // a rule changed the state in the present round
  bool changed;  // rules changed it, or branches the surfaces, since contacts answered last
  bool contacts; // a contact lands, halts or loses its hold
  carom_contact_cause cause;
  bool asked;    // the observer wants to stop
  bool stop;     // a rule stops the run
  bool noted;    // gaps and speeds before the changes that contacts have to answer to
  bool jump;     // what comes is due to a jump, not to a crossing of the motion
  int rounds;    // so far
  double energy; // where the present round began
  double store;  // the drives' part of it
} outcome;

// state or branches are about to change: what contacts are like before
static carom_status note_surfaces(carom_hybrid *it, outcome *out, carom_error *error) {
  carom_status status = out->noted ? CAROM_OK : carom_hybrid_note_rows(it, error);
  out->noted = true;
  return status;
}

// an event is about to change the state: its energy before, and whether the event can be served
static carom_status begin_event(carom_hybrid *it, const carom_root *root, outcome *out,
                                carom_error *error) {
  const carom_watched *watched = &it->model->watched[root->function];
  carom_energy energy = {0};
  if (!out->jump && !root_is_resolvable(it, root))
    return carom_fail(error, CAROM_STOP_ACCUMULATION,
                      "event %s accumulates at t = %.15g: its instants are too close to be told "
                      "apart; a contact closes where a rule cannot",
                      watched->name, it->now.t);
  carom_status status = note_surfaces(it, out, error);
  if (out->moved || status != CAROM_OK) return status;
  status = energy_now(it, &energy, error);
  out->energy = energy.kinetic + energy.potential;
  out->store = energy.drive_store;
  return status;
}

// the rates of the round stay: other events of it are judged by them
static void choose_modes_aside(carom_hybrid *it) {
  double *rate = it->rate;
  it->rate = it->room.weight;
  (void)carom_hybrid_choose_modes(it, NULL);
  it->rate = rate;
}

// a rule, a section or a branch that is crossed
static carom_status serve_crossing(carom_hybrid *it, const carom_root *root, outcome *out,
                                   carom_error *error) {
  const carom_watched *watched = &it->model->watched[root->function];
  carom_status status = CAROM_OK;
  if (watched->kind == CAROM_WATCH_EVENT) {
    status = begin_event(it, root, out, error);
    it->instant.energy_before = energy_of(it, it->y); // in the branches of the state before
    it->instant.energy_known = true;
    if (status == CAROM_OK) status = apply_rule(it, watched, out->moved, error);
    if (status != CAROM_OK) return status;
    out->moved = it->instant.acted[root->function] = true;
    // for whoever is told of it; what does not fit is found out where the round ends
    if (it->model->dynamics->modes > 0) choose_modes_aside(it);
  }
  out->stop |= watched->kind == CAROM_WATCH_STOP;
  carom_event_kind kind = watched->role == CAROM_ROLE_NONE ? event_kind(watched->kind)
                                                           : carom_compliant_event(it, root);
  out->asked |= carom_hybrid_announce(it, kind, watched->name, root->direction, 0.0);
  it->instant.energy_known = false;
  return status;
}

static carom_status serve_root(carom_hybrid *it, const carom_root *root, bool holds, outcome *out,
                               carom_error *error) {
  if (root->function == it->model->watched_count + CAROM_ROOT_OF_SURFACE)
    return carom_surfaces_leave(it, error);
  if (root->function >= it->model->watched_count) { // the contact forces leave their cones
    out->contacts = true;
    out->cause =
        root->function == it->model->watched_count ? CAROM_CAUSE_FORCES_END : CAROM_CAUSE_NO_STEP;
    return CAROM_OK;
  }
  const carom_watched *watched = &it->model->watched[root->function];
  if (root->kind == CAROM_ROOT_NONFINITE)
    return carom_hybrid_no_value(it, watched, it->now.t, it->y, error);
  carom_sides_meet(it, root, !out->jump);
  if (root->kind == CAROM_ROOT_GRAZING) {
    out->asked |= carom_hybrid_announce(it, CAROM_EVENT_GRAZE, watched->name, 0, 0.0);
  } else if (watched->kind == CAROM_WATCH_GAP) {
    it->instant.landed[watched->index] = out->contacts = true; // also where it touches and stays
  } else if (root->kind == CAROM_ROOT_FLAT) {
    out->asked |= carom_hybrid_announce(it, CAROM_EVENT_FLAT, watched->name, 0, 0.0);
  } else if (watched->kind == CAROM_WATCH_SLIP) {
    it->instant.halted[watched->index] = out->contacts = true;
  } else if (watched->kind == CAROM_WATCH_SWITCH || holds) {
    return serve_crossing(it, root, out, error);
  }
  return CAROM_OK;
}

// One round: which conditions hold is found out before any event changes the state.
static carom_status serve_round(carom_hybrid *it, int count, const carom_root *roots, outcome *out,
                                carom_error *error) {
  carom_status status = CAROM_OK;
  memcpy(it->before, it->instant.entered, (size_t)it->size * sizeof *it->y);
  memset(it->instant.acted, 0, (size_t)it->model->watched_count * sizeof *it->instant.acted);
  if (needs_probe(it, count, roots)) {
    status = carom_hybrid_rhs(it, it->now.t, it->y, it->rate);
    // after a jump contacts have not answered yet: accelerations may not be known
    if (status != CAROM_OK && !out->jump)
      return carom_hybrid_explain(it, status, it->now.t, it->y, error);
    if (it->model->scenario) carom_probe_run(it, it->now.t, it->y, it->rate);
  }
  for (int k = 0; k < count; k++) {
    int function = roots[k].function;
    it->instant.rules.holds[k] = function < it->model->watched_count &&
                                 carom_watched_is_rule(&it->model->watched[function]) &&
                                 condition_holds(it, &it->model->watched[function]);
  }
  status = CAROM_OK;
  for (int k = 0; k < count && status == CAROM_OK; k++) {
    status = serve_root(it, &roots[k], it->instant.rules.holds[k], out, error);
    if (out->moved) memcpy(it->before, it->instant.entered, (size_t)it->size * sizeof *it->y);
  }
  return status;
}

// Branches fit the state that the events of a round have left; the energy these gave or took is
// their own account.
static carom_status end_round(carom_hybrid *it, outcome *out, carom_error *error) {
  carom_energy energy;
  carom_status status = carom_hybrid_choose_modes(it, error);
  if (status == CAROM_OK) status = carom_solids_renew(it, error);
  if (status == CAROM_OK) status = energy_now(it, &energy, error);
  if (status != CAROM_OK) return status;
  double change = energy.kinetic + energy.potential - out->energy;
  carom_hybrid_book_event(it, change, energy.drive_store - out->store);
  out->moved = false;
  out->changed = true;
  return CAROM_OK;
}

static carom_status another_round(carom_hybrid *it, int count, outcome *out, carom_error *error) {
  if (++out->rounds > MOST_ROUNDS)
    return carom_fail(error, CAROM_ERR_LIMIT,
                      "at t = %.15g events set each other off without end: %s after %d rounds",
                      it->now.t, it->model->watched[it->instant.crossed[0].function].name,
                      MOST_ROUNDS);
  out->jump = true;
  carom_leg_set_off(it);
  return serve_round(it, count, it->instant.crossed, out, error);
}

// rounds of rules, until what they do makes no other one true
static carom_status serve_rules(carom_hybrid *it, outcome *out, carom_error *error) {
  carom_status status = CAROM_OK;
  while (status == CAROM_OK && out->moved) {
    status = end_round(it, out, error);
    int count = status == CAROM_OK ? carom_sides_crossed(it, true, it->instant.crossed) : 0;
    if (count > 0) status = another_round(it, count, out, error);
  }
  return status;
}

// contacts strike, open, slip, stick
static carom_status answer_contacts(carom_hybrid *it, outcome *out, carom_error *error) {
  bool needed = out->contacts;
  carom_status status = CAROM_OK;
  if (out->changed) {
    status = carom_hybrid_appear(it, error);
    if (status == CAROM_OK) status = carom_hybrid_check_constraints(it, error);
    if (status == CAROM_OK) status = carom_hybrid_compare_rows(it, &needed, error);
  }
  if (status == CAROM_OK && needed)
    status = carom_hybrid_touch(it, out->cause, error);
  else if (status == CAROM_OK && out->changed && it->instant.changed_by)
    status = carom_hybrid_assemble(it, it->now.t, it->y, error);
  out->contacts = out->changed = out->noted = it->instant.jumped = false;
  out->cause = CAROM_CAUSE_MOTION;
  return status;
}

// rules and contacts in turns, until nothing is left to be done
static carom_status settle_instant(carom_hybrid *it, outcome *out, carom_error *error) {
  for (;;) {
    carom_status status = serve_rules(it, out, error);
    if (status == CAROM_OK) status = answer_contacts(it, out, error);
    if (status != CAROM_OK) return status;
    carom_hybrid_follow_forces(it);
    int count = carom_sides_crossed(it, false, it->instant.crossed);
    if (count == 0) return CAROM_OK;
    status = another_round(it, count, out, error);
    if (status != CAROM_OK) return status;
  }
}

// A branch whose argument has jumped, as it depends on one that was crossed, is taken as well:
// nothing would ever cross zero there. Branches stand before what depends on them. `aside`: only
// those that nothing moves by.
static carom_status follow_flips(carom_hybrid *it, bool aside, outcome *out, carom_error *error) {
  carom_status status = CAROM_OK;
  for (int k = 0; k < it->model->dynamics->modes && status == CAROM_OK; k++) {
    const carom_watched *watched = &it->model->watched[k];
    const carom_root_watch *watch = &it->watching.watch[k];
    if (watched->role != CAROM_ROLE_NONE || (aside && !carom_met_beside(it, k))) continue;
    double value = carom_branch_value(it, k);
    bool is_known = fabs(value) > watch->tolerance || on_integer(value);
    if (!is_known || !(value * it->modes[k] <= 0.0)) continue;
    if (just_crossed(it, k, value) || watch->served) continue;
    it->now.certificate.counts.switches++;
    status = flip_drive(it, k, value > 0.0 ? 1.0 : -1.0, error);
    out->asked |=
        carom_hybrid_announce(it, CAROM_EVENT_SWITCH, watched->name, value > 0.0 ? 1 : -1, 0.0);
  }
  return status;
}

// branches that are crossed; they may take surfaces with them
static carom_status flip_branches(carom_hybrid *it, int count, const carom_root *roots,
                                  outcome *out, carom_error *error) {
  carom_status status = CAROM_OK;
  bool flipped = false, expired = false;
  for (int k = 0; k < count && status == CAROM_OK; k++) {
    if (roots[k].kind != CAROM_ROOT_CROSSING || roots[k].function >= it->model->watched_count ||
        it->model->watched[roots[k].function].kind != CAROM_WATCH_SWITCH)
      continue;
    flipped = true;
    if (carom_branch_is_aside(it, roots[k].function)) {
      carom_branch_flip_aside(it, &roots[k]);
      continue;
    }
    status = note_surfaces(it, out, error);
    out->changed = out->changed || it->model->dynamics->rows > 0;
    if (carom_solids_expire(it, roots[k].function)) {
      it->now.certificate.counts.switches++;
      expired = true;
    } else if (status == CAROM_OK) {
      status = flip_switch(it, &roots[k], error);
    }
  }
  if (status == CAROM_OK && expired) status = carom_solids_renew(it, error);
  return status == CAROM_OK && flipped ? follow_flips(it, false, out, error) : status;
}

static void enter_instant(carom_hybrid *it) {
  memcpy(it->instant.entered, it->y, (size_t)it->size * sizeof *it->y);
  memcpy(it->before, it->y, (size_t)it->size * sizeof *it->y);
  it->instant.changed_by = NULL;
  it->instant.energy_known = false;
  carom_hybrid_count_instant(it);
  it->now.standing.untried = true;
  carom_sides_leave(it, false);
  carom_sides_enter(it);
}

static carom_status leave_instant(carom_hybrid *it, const outcome *out, bool *stop,
                                  carom_error *error) {
  carom_status status = carom_surfaces_release(it, error);
  if (status == CAROM_OK) status = carom_surfaces_check(it, error);
  if (status != CAROM_OK) return status;
  *stop |= out->stop;
  it->now.sampled.jumped |=
      memcmp(it->y, it->instant.entered, (size_t)it->size * sizeof *it->y) != 0;
  if (!carom_surfaces_tell(it) && !out->asked && !it->now.stage.asked) return CAROM_OK;
  it->now.stage.asked = false;
  *stop = true;
  return CAROM_STOP_USER;
}

// Roots of one instant are found a rounding apart, in any order: they are dealt with as listed.
static void list_in_order(carom_hybrid *it, int count, const carom_root *roots) {
  for (int k = 0; k < count; k++) {
    int at = k;
    for (; at > 0 && it->instant.crossed[at - 1].function > roots[k].function; at--)
      it->instant.crossed[at] = it->instant.crossed[at - 1];
    it->instant.crossed[at] = roots[k];
  }
}

carom_status carom_hybrid_instant(carom_hybrid *it, int count, const carom_root *roots, bool *stop,
                                  carom_error *error) {
  outcome out = {0};
  enter_instant(it);
  carom_surfaces_note(it);
  list_in_order(it, count, roots);
  carom_status status = serve_round(it, count, it->instant.crossed, &out, error);
  if (status == CAROM_OK && !out.moved)
    status = flip_branches(it, count, it->instant.crossed, &out, error);
  if (status == CAROM_OK) status = settle_instant(it, &out, error);
  return status == CAROM_OK ? leave_instant(it, &out, stop, error) : status;
}

static carom_status flip_beside(carom_hybrid *it, int count, const carom_root *roots, outcome *out,
                                carom_error *error) {
  for (int k = 0; k < count; k++) {
    int function = roots[k].function;
    if (roots[k].kind != CAROM_ROOT_CROSSING ||
        it->model->watched[function].kind != CAROM_WATCH_SWITCH)
      continue;
    carom_branch_flip_aside(it, &roots[k]);
  }
  return follow_flips(it, true, out, error);
}

carom_status carom_hybrid_instant_beside(carom_hybrid *it, int count, const carom_root *roots,
                                         carom_passing *passing, carom_error *error) {
  outcome out = {0};
  memcpy(it->instant.entered, it->y, (size_t)it->size * sizeof *it->y);
  it->instant.changed_by = NULL;
  it->instant.energy_known = false;
  carom_hybrid_count_instant(it);
  list_in_order(it, count, roots);
  carom_status status = serve_round(it, count, it->instant.crossed, &out, error);
  if (status == CAROM_OK && it->model->dynamics->modes > 0) {
    carom_sides_enter(it);
    status = flip_beside(it, count, it->instant.crossed, &out, error);
    if (status != CAROM_OK) return status;
    int jumped = carom_sides_crossed(it, false, it->instant.crossed); // by a branch
    if (jumped > 0) status = another_round(it, jumped, &out, error);
  }
  passing->stop |= out.stop;
  passing->asked |= out.asked;
  return status;
}

// the stepper goes on from a state that was given
static carom_status set_off(carom_hybrid *it, carom_error *error) {
  carom_status status = carom_stepper_start(&it->stepper, it->now.t, it->y, 0.0, error);
  if (status != CAROM_OK) return carom_hybrid_explain(it, status, it->now.t, it->y, error);
  it->now.h = it->stepper.h_next;
  carom_hybrid_arm(it);
  return CAROM_OK;
}

carom_status carom_hybrid_begin(carom_hybrid *it, carom_error *error) {
  long events = it->now.certificate.counts.events;
  outcome out = {.jump = true};
  bool stop = false;
  int closed = it->contact.closed;
  enter_instant(it);
  it->now.instant--; // the start is number 0
  if (it->model->followed_count > 0) (void)carom_hybrid_rhs(it, it->now.t, it->y, it->rate);
  (void)carom_sides_start(it, NULL, 0, it->instant.crossed); // of the state as it was given
  carom_status status = carom_hybrid_touch(it, CAROM_CAUSE_MOTION, error);
  if (status != CAROM_OK) return status;
  carom_compliant_settle(it);
  carom_hybrid_follow_forces(it);
  status = set_off(it, error);
  if (status != CAROM_OK) return status;
  it->now.stage.started = true;
  int met = carom_sides_crossed(it, false, it->instant.crossed); // by impacts
  met = carom_sides_start(it, it->stepper.f, met, it->instant.crossed);
  if (met > 0) status = another_round(it, met, &out, error);
  bool moved = out.moved;
  if (status == CAROM_OK && met > 0) status = settle_instant(it, &out, error);
  if (status == CAROM_OK && moved) status = set_off(it, error);
  if (status != CAROM_OK) return status;
  carom_hybrid_take_sides(it, it->stepper.f);
  it->now.stage.finished = out.stop;
  // what lies still from the start is told to be closed, but nothing happened
  closed = closed < it->contact.closed ? closed : it->contact.closed;
  if (it->now.certificate.counts.events <= events + closed) it->now.certificate.counts.instants--;
  return leave_instant(it, &out, &stop, error);
}
