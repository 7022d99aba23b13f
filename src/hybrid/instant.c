// SPDX-License-Identifier: MIT
/// What happens at an instant: branches switch, rules fire, sections are passed, runs stop.
/// All events of one instant see the same state before it.
#include "hybrid/hybrid.h"

#include "hybrid/tangent.h"
#include "model/dynamics_functions.h"
#include "symbolic/parse.h"

#include <math.h>
#include <string.h>

static const double TIME_ROUNDING = 2.3e-16, SERVED_WIDTH = 1e3;

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
  }
  return "event";
}

// reducers count rules, sections and impacts; what else a contact does is no repetition of it
static bool counts(carom_event_kind kind) {
  return kind == CAROM_EVENT_USER || kind == CAROM_EVENT_SECTION || kind == CAROM_EVENT_STOP ||
         kind == CAROM_EVENT_IMPACT;
}

static carom_event_energy energy_of(carom_hybrid *it, const double *y) {
  carom_energy energy;
  const carom_dynamics *dynamics = it->model->dynamics;
  if (!it->simulation->observer.energies || !dynamics->has_energy ||
      carom_dynamics_energy(dynamics, &it->work, it->now.t, y, &energy) != CAROM_OK)
    return (carom_event_energy){NAN, NAN};
  return (carom_event_energy){energy.kinetic, energy.potential};
}

// tells the observer of an event of which the kind, the name and its own numbers are filled in;
// true when it wants to stop
static bool announce(carom_hybrid *it, carom_event *event) {
  it->now.certificate.events++;
  if (counts(event->kind)) carom_tally_event(it, event->name);
  const carom_observer *observer = &it->simulation->observer;
  if (!observer->event) return false;
  event->t = it->now.t;
  event->instant = it->now.instant;
  event->size = it->model->dynamics->size;
  event->before = it->before;
  event->after = it->y;
  event->energy_before = energy_of(it, event->before);
  event->energy_after = energy_of(it, event->after);
  return observer->event(observer->ctx, event) != 0;
}

bool carom_hybrid_announce(carom_hybrid *it, carom_event_kind kind, const char *name, int direction,
                           double value) {
  return announce(
      it, &(carom_event){.kind = kind, .name = name, .direction = direction, .value = value});
}

bool carom_hybrid_announce_impact(carom_hybrid *it, const char *name, double normal,
                                  double tangential) {
  return announce(
      it, &(carom_event){
              .kind = CAROM_EVENT_IMPACT, .name = name, .value = normal, .tangential = tangential});
}

static int mode_count(const carom_hybrid *it) { return it->model->dynamics->modes; }

// the rate of switching function k with the modes in force
static carom_status switch_rate(carom_hybrid *it, int k, double *rate, carom_error *error) {
  carom_status status = carom_hybrid_rhs(it, it->now.t, it->y, it->rate);
  if (status != CAROM_OK) return carom_hybrid_explain(it, status, it->now.t, it->y, error);
  *rate = carom_watch_rate(&it->model->watched[k].function, &it->watch_work[k], it->now.t, it->y,
                           it->rate);
  return CAROM_OK;
}

static void set_mode(carom_hybrid *it, int k, double mode) {
  it->modes[k] = mode;
  carom_hybrid_configure(it);
}

// where u = 0 the branch is the one the motion is about to follow
static carom_status choose_by_rate(carom_hybrid *it, int k, carom_error *error) {
  double plus = 0.0, minus = 0.0;
  set_mode(it, k, 1.0);
  carom_status status = switch_rate(it, k, &plus, error);
  if (status != CAROM_OK || plus > 0.0) return status;
  set_mode(it, k, -1.0);
  status = switch_rate(it, k, &minus, error);
  if (status != CAROM_OK || minus < 0.0) return status;
  if (plus < 0.0 && minus > 0.0)
    return carom_fail(error, CAROM_ERR_UNSUPPORTED,
                      "at t = %.15g the motion is held on the jump of %s: both branches lead back "
                      "to it; write dry friction as a contact with friction, or smooth the jump "
                      "(tanh)",
                      it->now.t, it->model->watched[k].name);
  set_mode(it, k, 1.0); // resting on the kink: both branches agree
  return CAROM_OK;
}

carom_status carom_hybrid_choose_modes(carom_hybrid *it, carom_error *error) {
  carom_compliant_start(it);
  for (int k = 0; k < mode_count(it); k++) {
    carom_compliant_role role = it->model->watched[k].role;
    if (role == CAROM_ROLE_NUMBER || role == CAROM_ROLE_IMPACT || role == CAROM_ROLE_FRICTION)
      continue; // not by a sign
    const carom_watch *watch = &it->model->watched[k].function;
    double value = carom_watch_at(watch, &it->watch_work[k], it->now.t, it->y);
    if (isnan(value))
      return carom_hybrid_no_value(it, &it->model->watched[k], it->now.t, it->y, error);
    if (value != 0.0)
      set_mode(it, k, value > 0.0 ? 1.0 : -1.0);
    else if (choose_by_rate(it, k, error) != CAROM_OK)
      return error ? error->status : CAROM_ERR_UNSUPPORTED;
  }
  carom_compliant_choose(it);
  return CAROM_OK;
}

// a crossed switch takes its new branch; when that leads straight back the motion is held there
static carom_status flip(carom_hybrid *it, const carom_root *root, carom_error *error) {
  it->now.certificate.switches++;
  if (carom_compliant_flip(it, root)) return CAROM_OK;
  double mode = root->direction == CAROM_RISING ? 1.0 : -1.0, rate = 0.0;
  set_mode(it, root->function, mode);
  carom_status status = switch_rate(it, root->function, &rate, error);
  if (status == CAROM_OK && rate * mode < 0.0) status = choose_by_rate(it, root->function, error);
  return status;
}

// does the rule's `if` hold in the state before the instant?
static bool condition_holds(const carom_hybrid *it, const carom_watched *watched) {
  const carom_scenario *s = it->model->scenario;
  if (!s) return true;
  int k = it->model->probe.conditions + watched->index;
  if (watched->kind != CAROM_WATCH_EVENT) k += s->event_count;
  if (watched->kind == CAROM_WATCH_STOP) k += s->section_count;
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

// all right-hand sides were computed before the instant, so the order of rules does not matter
static carom_status assign(carom_hybrid *it, const carom_watched *watched, double t,
                           const double *before, double *y, carom_error *error) {
  const carom_scenario *s = it->model->scenario;
  if (!s) {
    const carom_functions *f = it->model->functions;
    const carom_dynamics *dynamics = it->model->dynamics;
    if (!f->reset) return CAROM_OK;
    carom_point at = carom_functions_point(dynamics, &it->work, t, before);
    return f->reset(f->ctx, &at, watched->index, y, y + dynamics->n, y + 2 * dynamics->n);
  }
  int output = it->model->probe.assignments;
  for (int k = 0; k < watched->index; k++)
    output += s->events[k].assignment_count;
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
  return assign(it, watched, t, y, after, NULL);
}

static carom_status apply_rule(carom_hybrid *it, const carom_watched *watched, carom_error *error) {
  carom_status status = carom_tangent_rule(it, watched, error);
  if (status != CAROM_OK) return status;
  return assign(it, watched, it->now.t, it->before, it->y, error);
}

// is the function really on its way through zero? Instants that accumulate end in rounding.
static bool resolvable(carom_hybrid *it, const carom_root *root) {
  if (it->model->functions) return true;
  double rate = carom_watch_rate(&it->model->watched[root->function].function,
                                 &it->watch_work[root->function], it->now.t, it->before, it->rate);
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

// energy changed by rules is the rules' doing: it goes to the account of given forces
static carom_status rebook_energy(carom_hybrid *it, carom_error *error) {
  const carom_dynamics *dynamics = it->model->dynamics;
  carom_energy before, after;
  carom_status status = carom_dynamics_energy(dynamics, &it->work, it->now.t, it->before, &before);
  if (status == CAROM_OK)
    status = carom_dynamics_energy(dynamics, &it->work, it->now.t, it->y, &after);
  if (status != CAROM_OK) return carom_hybrid_explain(it, status, it->now.t, it->y, error);
  double change = after.kinetic + after.potential - before.kinetic - before.potential;
  it->now.certificate.work_events += change - (after.drive_store - before.drive_store);
  it->now.energy_reference += change;
  return CAROM_OK;
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

/// What the events of one instant have brought about so far.
typedef struct outcome {
  bool moved;    // a rule changed the state
  bool contacts; // a contact lands, halts or loses its hold
  bool asked;    // the observer wants to stop
  bool stop;     // a rule stops the run
} outcome;

// a rule, a section or a branch that is crossed, in the state before the instant
static carom_status serve_crossing(carom_hybrid *it, const carom_root *root, outcome *out,
                                   carom_error *error) {
  const carom_watched *watched = &it->model->watched[root->function];
  carom_status status = CAROM_OK;
  if (watched->kind == CAROM_WATCH_EVENT) {
    if (!resolvable(it, root))
      return carom_fail(error, CAROM_STOP_ACCUMULATION,
                        "event %s accumulates at t = %.15g: its instants are too close to be told "
                        "apart; a contact closes where a rule cannot",
                        watched->name, it->now.t);
    status = apply_rule(it, watched, error);
    out->moved = true;
  }
  out->stop |= watched->kind == CAROM_WATCH_STOP;
  carom_event_kind kind = watched->role == CAROM_ROLE_NONE ? event_kind(watched->kind)
                                                           : carom_compliant_event(it, root);
  out->asked |= carom_hybrid_announce(it, kind, watched->name, root->direction, 0.0);
  return status;
}

static carom_status serve(carom_hybrid *it, const carom_root *root, outcome *out,
                          carom_error *error) {
  if (root->function >= it->model->watched_count) { // the contact forces leave their cones
    it->lost = out->contacts = true;
    return CAROM_OK;
  }
  const carom_watched *watched = &it->model->watched[root->function];
  carom_root_watch *watch = &it->root_watch[root->function];
  if (root->kind == CAROM_ROOT_NONFINITE)
    return carom_hybrid_no_value(it, watched, it->now.t, it->y, error);
  watch->served = true;
  if (root->kind == CAROM_ROOT_GRAZING) {
    it->now.certificate.grazes++;
    out->asked |= carom_hybrid_announce(it, CAROM_EVENT_GRAZE, watched->name, 0, 0.0);
  } else if (watched->kind == CAROM_WATCH_GAP) {
    it->contact.landed[watched->index] = out->contacts = true; // also where it touches and stays
  } else if (root->kind == CAROM_ROOT_FLAT) {
    watch->active = false;
    out->asked |= carom_hybrid_announce(it, CAROM_EVENT_FLAT, watched->name, 0, 0.0);
  } else if (watched->kind == CAROM_WATCH_SLIP) {
    it->contact.halted[watched->index] = out->contacts = true;
  } else if (watched->kind == CAROM_WATCH_SWITCH || condition_holds(it, watched)) {
    return serve_crossing(it, root, out, error);
  }
  return CAROM_OK;
}

// branches come last: they must fit the state after the rules
static carom_status fit_branches(carom_hybrid *it, int count, const carom_root *roots, bool moved,
                                 carom_error *error) {
  carom_status status = CAROM_OK;
  if (moved) {
    status = carom_hybrid_choose_modes(it, error);
    if (status == CAROM_OK) status = carom_hybrid_assemble(it, it->now.t, it->y, error);
    return status == CAROM_OK ? rebook_energy(it, error) : status;
  }
  for (int k = 0; k < count && status == CAROM_OK; k++)
    if (roots[k].kind == CAROM_ROOT_CROSSING && roots[k].function < it->model->watched_count &&
        it->model->watched[roots[k].function].kind == CAROM_WATCH_SWITCH)
      status = flip(it, &roots[k], error);
  return status;
}

carom_status carom_hybrid_instant(carom_hybrid *it, int count, const carom_root *roots, bool *stop,
                                  carom_error *error) {
  memcpy(it->before, it->y, (size_t)it->size * sizeof *it->y);
  it->now.instant++;
  it->now.certificate.instants++;
  carom_status status = CAROM_OK;
  if (needs_probe(it, count, roots)) {
    status = carom_hybrid_rhs(it, it->now.t, it->y, it->rate);
    if (status != CAROM_OK) return carom_hybrid_explain(it, status, it->now.t, it->y, error);
    if (it->model->scenario) carom_probe_run(it, it->now.t, it->y, it->rate);
  }
  for (int k = 0; k < it->model->watched_count; k++)
    it->root_watch[k].served = false;

  outcome out = {0};
  for (int k = 0; k < count && status == CAROM_OK; k++)
    status = serve(it, &roots[k], &out, error);
  *stop |= out.stop;
  if (status == CAROM_OK) status = fit_branches(it, count, roots, out.moved, error);
  // contacts strike, open, slip, stick; rules that moved the state may have changed them too
  if (status == CAROM_OK && (out.contacts || out.moved)) status = carom_hybrid_touch(it, error);
  if (status == CAROM_OK && (out.asked || it->now.asked)) {
    it->now.asked = false;
    *stop = true;
    return CAROM_STOP_USER;
  }
  return status;
}

// The side of zero a watched function is on: what its value says or, too near to tell, what is
// known of it: an open gap and a slip have the sign of their mode, and a rule just served goes
// where its rate leads.
void carom_hybrid_take_sides(carom_hybrid *it, const double *rate) {
  for (int k = 0; k < it->model->watched_count; k++) {
    const carom_watched *watched = &it->model->watched[k];
    carom_root_watch *watch = &it->root_watch[k];
    if (watched->kind == CAROM_WATCH_GAP) {
      watch->side = 1;
    } else if (watched->kind == CAROM_WATCH_SLIP) {
      watch->side = carom_contact_slip_sign(it->contact.memory[watched->index].mode);
    } else if (watched->kind == CAROM_WATCH_SWITCH) {
      watch->side = watch->direction == CAROM_FALLING ? 1 : -1;
    } else if (!it->model->functions) {
      double value = carom_watch_at(&watched->function, &it->watch_work[k], it->now.t, it->y);
      double slope =
          carom_watch_rate(&watched->function, &it->watch_work[k], it->now.t, it->y, rate);
      // events of one instant may lie a little apart: a root just served is wider, as in its search
      double width = watch->served ? SERVED_WIDTH : 1.0;
      bool on_root = fabs(value) <= width * watch->tolerance;
      double decides = !on_root ? value : watch->served ? slope : watch->side;
      watch->side = decides > 0.0 ? 1 : decides < 0.0 ? -1 : 0;
    }
  }
}

// how far a gap's rate moves when each rate of the coordinates moves by its weight
static double speed_spread(carom_hybrid *it, const carom_watched *watched, carom_watch_work *work) {
  int n = it->model->dynamics->n;
  memset(it->scratch, 0, (size_t)it->model->dynamics->size * sizeof *it->scratch);
  memcpy(it->scratch, it->weight + n, (size_t)n * sizeof *it->scratch);
  return carom_watch_spread(&watched->function, work, it->now.t, it->y, it->scratch);
}

// gaps are watched while open, slips while sliding
static void arm_contact(carom_hybrid *it, const carom_watched *watched, carom_root_watch *watch,
                        carom_watch_work *work) {
  carom_contact_mode mode = it->contact.memory[watched->index].mode;
  if (watched->kind == CAROM_WATCH_GAP) {
    it->gap_tolerance[watched->index] = watch->tolerance;
    it->speed_tolerance[watched->index] = it->run.event_tolerance * speed_spread(it, watched, work);
    watch->active = mode == CAROM_CONTACT_OPEN;
  } else {
    int sign = carom_contact_slip_sign(mode);
    it->slip_tolerance[watched->index] = watch->tolerance;
    watch->active = sign != 0 && !it->model->contacts.user_law[watched->index];
    watch->direction = sign > 0 ? CAROM_FALLING : CAROM_RISING;
    // a slip that came to zero may have been set off again by an impact of the same instant
    if (watch->served)
      watch->served =
          fabs(carom_watch_at(&watched->function, work, it->now.t, it->y)) <= watch->tolerance;
  }
}

void carom_hybrid_arm(carom_hybrid *it) {
  const carom_hybrid_model *model = it->model;
  for (int i = 0; i < model->dynamics->size; i++)
    it->weight[i] = it->run.atol + it->run.rtol * fabs(it->y[i]);
  for (int k = 0; k < model->watched_count; k++) {
    const carom_watched *watched = &model->watched[k];
    carom_root_watch *watch = &it->root_watch[k];
    watch->direction = watched->direction;
    if (watched->kind == CAROM_WATCH_SWITCH)
      watch->direction = it->modes[watched->index] > 0.0 ? CAROM_FALLING : CAROM_RISING;
    if (model->functions) {
      watch->tolerance = it->run.event_tolerance * it->run.atol;
      watch->active = true;
      continue;
    }
    double spread =
        carom_watch_spread(&watched->function, &it->watch_work[k], it->now.t, it->y, it->weight);
    // a function of time alone is known as well as time is
    if (watched->function.timed)
      spread +=
          fabs(carom_watch_rate(&watched->function, &it->watch_work[k], it->now.t, it->y, NULL) *
               it->now.t) *
          TIME_ROUNDING;
    watch->tolerance = it->run.event_tolerance * spread;
    if (watched->kind == CAROM_WATCH_GAP || watched->kind == CAROM_WATCH_SLIP) {
      arm_contact(it, watched, watch, &it->watch_work[k]);
      continue;
    }
    if (watched->role != CAROM_ROLE_NONE) {
      carom_compliant_arm(it, k, watch);
      continue;
    }
    // a function that was flat is watched again once it has left zero
    if (!watch->active)
      watch->active = fabs(carom_watch_at(&watched->function, &it->watch_work[k], it->now.t,
                                          it->y)) > watch->tolerance;
  }
}
