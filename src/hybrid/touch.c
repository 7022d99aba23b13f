// SPDX-License-Identifier: MIT
/// What contacts do at an instant: who strikes, and which modes hold from here on.
#include "hybrid/hybrid.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum {
  ROUNDS = 40, // of contacts that join, or of choices, at one instant
  // at one instant, before those that are left strike together. Chosen: a ball of 1e-6 of the mass
  // of another, squeezed against a floor, takes 3141 (pi / atan sqrt(m/M))
  BLOWS_IN_TURN = 5000
};
static const double RESIDUAL = 1e3;      // of tolerances: a root just met, as in its search
static const double GLANCE_AHEAD = 1e-6; // of recent steps: how far ahead new modes must hold

static const char *name_of(const carom_hybrid *it, int k) {
  return it->model->contacts.contacts[k].name;
}

static void tell_event(carom_hybrid *it, carom_event_kind kind, int k, int direction,
                       double value) {
  it->now.stage.asked |= carom_hybrid_announce(it, kind, name_of(it, k), direction, value);
}

static double speed_of(const carom_hybrid *it, int k) {
  return carom_contact_speed(&it->model->contacts, &it->work.rows, k);
}

void carom_hybrid_put_mode(carom_hybrid *it, int k, carom_contact_mode mode) {
  assert(k >= 0 && k < it->model->contacts.count);
  it->memory[k].mode = mode;
}

// the mode a closed contact starts the choice with, by its slip velocity
static carom_contact_mode mode_by_slip(const carom_hybrid *it, int k) {
  assert(k >= 0 && k < it->model->contacts.count);
  int tangent = it->model->contacts.tangent[k];
  if (tangent < 0) return CAROM_CONTACT_CLOSED;
  double slip = it->work.rows.velocity[tangent];
  if (it->model->contacts.cross[k] >= 0) slip = speed_of(it, k);
  if (it->instant.halted[k] || fabs(slip) <= it->tolerance.slip[k]) return CAROM_CONTACT_STICK;
  return slip > 0.0 ? CAROM_CONTACT_SLIP_PLUS : CAROM_CONTACT_SLIP_MINUS;
}

// Does a contact still slide in the direction of its mode, as far as can be told? An impact of
// others may have turned or stopped it.
static bool slides_on(const carom_hybrid *it, int k) {
  assert(k >= 0 && k < it->model->contacts.count);
  int sign = carom_contact_slip_sign(it->memory[k].mode);
  if (it->model->contacts.cross[k] >= 0)
    return sign == 0 || speed_of(it, k) > it->tolerance.slip[k];
  return sign == 0 ||
         sign * it->work.rows.velocity[it->model->contacts.tangent[k]] > it->tolerance.slip[k];
}

// Contacts whose load is the force of others are closed while one of those is, though its force be
// zero at the instant.
static void follow_loads(carom_hybrid *it) {
  const carom_contact_set *set = &it->model->contacts;
  for (int k = 0; k < set->count && set->presses; k++) {
    if (!carom_contact_is_carried(set, k)) continue;
    bool borne = carom_contact_is_borne(set, it->memory, k);
    if (!borne) it->memory[k].mode = CAROM_CONTACT_OPEN;
    if (borne && !carom_contact_is_closed(it->memory[k].mode))
      it->memory[k].mode = mode_by_slip(it, k);
  }
}

// A contact that just closed has no friction mode yet; one that halted may stick or slip either way
static void prepare_modes(carom_hybrid *it) {
  follow_loads(it);
  for (int k = 0; k < it->model->contacts.count; k++)
    if (carom_contact_is_closed(it->memory[k].mode) && !it->model->contacts.user_law[k] &&
        (it->memory[k].mode == CAROM_CONTACT_CLOSED || it->instant.halted[k] ||
         (!it->instant.kept[k] && !slides_on(it, k))))
      it->memory[k].mode = mode_by_slip(it, k);
  carom_hybrid_list_closed(it);
}

static carom_status rows_now(carom_hybrid *it, carom_error *error) {
  carom_status status = carom_hybrid_evaluate_rows(it, it->now.t, it->y);
  if (status != CAROM_OK) return carom_hybrid_explain(it, status, it->now.t, it->y, error);
  carom_hybrid_coefficients(it, it->now.t, it->y);
  return CAROM_OK;
}

// flat round faces rest on points that bear them
static carom_status prepare_faces(carom_hybrid *it, carom_error *error) {
  bool moved;
  carom_patch_hold(it);
  prepare_modes(it);
  carom_status status = carom_patch_bear(it, &moved, error);
  if (status != CAROM_OK || !moved) return status;
  status = rows_now(it, error);
  if (status == CAROM_OK) prepare_modes(it);
  return status;
}

// where the present motion is a moment later: in `y`, the time in `t`
static carom_status glance_ahead(carom_hybrid *it, double *t, double *y) {
  double dt = GLANCE_AHEAD * carom_hybrid_time_scale(it);
  if (it->instant.glance > 0.0) {
    carom_dense_eval(&it->stepper, it->instant.glance, y, NULL, NULL);
    *t = it->stepper.t + it->instant.glance * it->stepper.h;
    return CAROM_OK;
  }
  *t = it->now.t + dt;
  carom_status status = carom_hybrid_rhs(it, it->now.t, it->y, it->rate);
  for (int i = 0; i < it->size && status == CAROM_OK; i++)
    y[i] = it->y[i] + dt * it->rate[i];
  return status;
}

// the problem there, kept in its own arrays
static carom_status look_ahead(carom_hybrid *it, carom_contact_problem *ahead, carom_error *error) {
  const carom_dynamics *dynamics = it->model->dynamics;
  size_t rows = (size_t)dynamics->rows;
  double t, *y = it->room.scratch + it->size;
  carom_status status = glance_ahead(it, &t, y);
  if (status == CAROM_OK) status = carom_hybrid_evaluate_rows(it, t, y);
  if (status != CAROM_OK) return carom_hybrid_explain(it, status, it->now.t, it->y, error);
  carom_hybrid_coefficients(it, t, y);
  carom_contact_problem problem = carom_hybrid_contact_problem(it);
  // each contact has a row of its own, so rows are room enough for its coefficients
  double *G = it->instant.ahead, *b = G + rows * rows, *stick = b + rows, *slide = stick + rows;
  memcpy(G, problem.G, rows * rows * sizeof *G);
  memcpy(b, problem.b, rows * sizeof *b);
  memcpy(stick, problem.stick, (size_t)problem.contacts * sizeof *stick);
  memcpy(slide, problem.slide, (size_t)problem.contacts * sizeof *slide);
  *ahead = problem;
  ahead->G = G;
  ahead->b = b;
  ahead->stick = stick;
  ahead->slide = slide;
  return CAROM_OK;
}

// what it is called when a contact goes from one mode to another: [from][to]
static const carom_event_kind CHANGES[][CAROM_CONTACT_CLOSED + 1] = {
    [CAROM_CONTACT_OPEN] = {[CAROM_CONTACT_STICK] = CAROM_EVENT_CLOSE,
                            [CAROM_CONTACT_SLIP_PLUS] = CAROM_EVENT_CLOSE,
                            [CAROM_CONTACT_SLIP_MINUS] = CAROM_EVENT_CLOSE,
                            [CAROM_CONTACT_CLOSED] = CAROM_EVENT_CLOSE},
    [CAROM_CONTACT_STICK] = {[CAROM_CONTACT_OPEN] = CAROM_EVENT_OPEN,
                             [CAROM_CONTACT_SLIP_PLUS] = CAROM_EVENT_SLIP,
                             [CAROM_CONTACT_SLIP_MINUS] = CAROM_EVENT_SLIP,
                             [CAROM_CONTACT_CLOSED] = CAROM_EVENT_SLIP},
    [CAROM_CONTACT_SLIP_PLUS] = {[CAROM_CONTACT_OPEN] = CAROM_EVENT_OPEN,
                                 [CAROM_CONTACT_STICK] = CAROM_EVENT_STICK,
                                 [CAROM_CONTACT_SLIP_MINUS] = CAROM_EVENT_REVERSE,
                                 [CAROM_CONTACT_CLOSED] = CAROM_EVENT_REVERSE},
    [CAROM_CONTACT_SLIP_MINUS] = {[CAROM_CONTACT_OPEN] = CAROM_EVENT_OPEN,
                                  [CAROM_CONTACT_STICK] = CAROM_EVENT_STICK,
                                  [CAROM_CONTACT_SLIP_PLUS] = CAROM_EVENT_REVERSE,
                                  [CAROM_CONTACT_CLOSED] = CAROM_EVENT_REVERSE},
    [CAROM_CONTACT_CLOSED] = {[CAROM_CONTACT_OPEN] = CAROM_EVENT_OPEN,
                              [CAROM_CONTACT_STICK] = CAROM_EVENT_CLOSE,
                              [CAROM_CONTACT_SLIP_PLUS] = CAROM_EVENT_CLOSE,
                              [CAROM_CONTACT_SLIP_MINUS] = CAROM_EVENT_CLOSE}};

static void report_change(carom_hybrid *it, int k, carom_contact_mode from, carom_contact_mode to) {
  assert(from <= CAROM_CONTACT_CLOSED && to <= CAROM_CONTACT_CLOSED);
  carom_contact_memory *memory = &it->memory[k];
  carom_event_kind kind = CHANGES[from][to];
  if (to == CAROM_CONTACT_OPEN) memory->settles = NAN;
  if (memory->settles > it->now.t) return; // told at that time
  bool piled = kind == CAROM_EVENT_CLOSE && !isnan(memory->pile);
  tell_event(it, kind, k, carom_contact_slip_sign(to), piled ? memory->pile : 0.0);
}

static bool same_modes(int count, const carom_contact_mode *a, const carom_contact_mode *b) {
  for (int j = 0; j < count; j++)
    if (a[j] != b[j]) return false;
  return true;
}

// Does this set of modes end right after it began? At the end of modes every set next to it is
// weakly admissible; where its margin falls below zero a moment later it does not last, however
// slowly.
static bool breaks_at_once(carom_hybrid *it, const carom_contact_problem *later,
                           const carom_contact_mode *modes) {
  const double rounding = 1e-13;
  carom_contact_margin margin;
  double *lambda = it->contact.lambda, largest = 0.0;
  (void)carom_contact_forces(later, modes, it->contact.work, lambda, NULL, &margin);
  for (int r = 0; r < later->rows; r++)
    largest = fmax(largest, fabs(lambda[r]));
  return margin.value < -rounding * largest;
}

/// Which modes take over: the problem at this instant and a moment later, and the answer.
typedef struct asking {
  carom_hybrid *it;
  carom_contact_problem now, ahead;
  carom_contact_query query;
  carom_contact_choice choice;
} asking;

static bool ask_modes(asking *a, const carom_contact_problem *problem) {
  carom_contact_evaluation *contact = &a->it->contact;
  if (problem->cross)
    carom_space_choose(problem, &a->query, contact->work, &a->choice, contact->direction);
  else
    carom_contact_choose(problem, &a->query, contact->work, &a->choice);
  return a->choice.outcome != CAROM_CONTACT_INCONSISTENT;
}

// A set chosen at the end of modes may end at once, so slowly that a moment later it still passes
// within the tolerance: another one is taken where there is one that lasts. Otherwise nobody would
// ask again. False: nothing lasts, and the first stays.
static bool prefer_lasting(asking *a) {
  carom_contact_mode *tried = a->it->instant.tried;
  int closed = a->it->contact.closed;
  a->query.excluded = tried;
  while (breaks_at_once(a->it, &a->ahead, a->choice.modes)) {
    memcpy(tried + a->query.excluded_count * closed, a->choice.modes,
           (size_t)closed * sizeof *tried);
    a->query.excluded_count++;
    if (a->query.excluded_count < CAROM_MODES_TRIED && ask_modes(a, &a->now)) continue;
    a->query.excluded_count = 0;
    (void)ask_modes(a, &a->now);
    return !same_modes(closed, a->choice.modes, a->query.current);
  }
  return true;
}

// modes that hold both now and a moment later
static bool hold_now_and_ahead(asking *a) {
  a->query.ahead = &a->ahead;
  return ask_modes(a, &a->now);
}

// Near Painleve's paradox a force is so sensitive that the error of the located instant alone makes
// the set inadmissible that takes over: the moment later decides, without the modes that have just
// ended.
static bool hold_ahead(asking *a) {
  a->query.ahead = NULL;
  a->query.excluded = a->query.current;
  a->query.excluded_count = 1;
  return ask_modes(a, &a->ahead);
}

// two changes follow each other closely: what holds at the instant itself is taken
static bool hold_now(asking *a) { return ask_modes(a, &a->now); }

static bool hold_still(asking *a) {
  a->query.excluded_count = 0;
  return ask_modes(a, &a->now);
}

enum { COMMON = -1 };

/// What is tried, in this order, where contact modes have ended.
static const struct {
  int edge; // how the certificate calls it
  bool (*holds)(asking *a);
} TRIES[] = {{COMMON, hold_now_and_ahead},
             {CAROM_UNCOMMON_MODES_AHEAD, hold_ahead},
             {CAROM_UNCOMMON_MODES_NOW, hold_now},
             {CAROM_UNCOMMON_MODES_ENDURED, hold_still}};
enum { TRY_COUNT = sizeof TRIES / sizeof *TRIES };

// the modes that follow those that have ended; on the way back `edge` says how they were found
static int replace_modes(asking *a, bool other_than_now) {
  int k = other_than_now; // no step leads on in the present modes, whatever holds
  while (k < TRY_COUNT && !TRIES[k].holds(a))
    k++;
  if (k == TRY_COUNT) return COMMON; // an impact follows
  if (k > 0 || a->choice.outcome != CAROM_CONTACT_CONSISTENT || a->choice.clear)
    return TRIES[k].edge;
  if (!prefer_lasting(a)) return CAROM_UNCOMMON_MODES_ENDURED;
  return a->query.excluded_count > 0 ? CAROM_UNCOMMON_MODES_LASTING : COMMON;
}

// An impact of contacts that do not approach: the offending one must carry an impulse or, where
// several hold each other, one of the others.
static carom_status strike_without_collision(carom_hybrid *it, int offending, carom_error *error) {
  const carom_contact_set *set = &it->model->contacts;
  carom_status status = carom_hybrid_strike(it, offending, error);
  for (int k = 0; k < set->count && status == CAROM_ERR_NO_CONVERGENCE; k++) {
    if (k == offending || !carom_contact_is_closed(it->memory[k].mode)) continue;
    status = carom_hybrid_strike(it, k, NULL);
    if (status == CAROM_OK) carom_hybrid_count(it, CAROM_UNCOMMON_OTHER_STRIKES);
  }
  return status;
}

// the contact problem of this instant and what solves it
static carom_status solve_modes(carom_hybrid *it, carom_contact_cause cause,
                                carom_contact_choice *choice, carom_error *error) {
  asking a = {.it = it, .choice = {.outcome = CAROM_CONTACT_INCONSISTENT}};
  bool ended = cause != CAROM_CAUSE_MOTION;
  carom_status status = ended ? look_ahead(it, &a.ahead, error) : CAROM_OK;
  if (status == CAROM_OK) status = rows_now(it, error);
  if (status != CAROM_OK) return status;
  a.now = carom_hybrid_contact_problem(it);
  a.query = carom_contact_query_default(it->contact.modes);
  a.query.find_other = true;
  a.query.flight = true;
  int edge = COMMON;
  if (ended)
    edge = replace_modes(&a, cause == CAROM_CAUSE_NO_STEP);
  else
    (void)ask_modes(&a, &a.now);
  *choice = a.choice;
  if (edge != COMMON) carom_hybrid_count(it, (carom_uncommon)edge);
  if (ended)
    it->now.standing.forces =
        edge == CAROM_UNCOMMON_MODES_ENDURED ? CAROM_FORCES_ENDURED : CAROM_FORCES_HOLD;
  if (cause != CAROM_CAUSE_NO_STEP || edge != CAROM_UNCOMMON_MODES_ENDURED) return CAROM_OK;
  return carom_fail(error, CAROM_ERR_STEP,
                    "at t = %.15g contact forces ask for ever smaller steps, and no other contact "
                    "modes take over",
                    it->now.t);
}

// Painleve's paradox: forces cannot help, an impulse does
static carom_status strike_at(carom_hybrid *it, int offending, double coefficient,
                              carom_error *error) {
  if (offending < 0)
    return carom_fail(error, CAROM_ERR_NO_CONVERGENCE,
                      "at t = %.15g no contact modes are consistent and no contact slides",
                      it->now.t);
  tell_event(it, CAROM_EVENT_PAINLEVE_IMPACT, offending, 0, coefficient);
  return strike_without_collision(it, offending, error);
}

// chooses modes for the closed contacts; `again` when an impact without collision came in between
static carom_status choose_modes(carom_hybrid *it, carom_contact_cause cause, bool *again,
                                 carom_error *error) {
  carom_contact_evaluation *contact = &it->contact;
  const carom_contact_set *set = &it->model->contacts;
  *again = false;
  carom_status status = prepare_faces(it, error);
  if (status != CAROM_OK || contact->closed == 0) return status;
  carom_contact_choice choice;
  status = solve_modes(it, cause, &choice, error);
  if (status != CAROM_OK) return status;
  int offending = choice.contact >= 0 ? contact->which[choice.contact] : -1;
  if (choice.outcome == CAROM_CONTACT_INCONSISTENT) {
    *again = offending >= 0;
    return strike_at(it, offending, choice.coefficient, error);
  }
  if (choice.outcome == CAROM_CONTACT_INDETERMINATE) {
    tell_event(it, CAROM_EVENT_PAINLEVE_FLIGHT, offending >= 0 ? offending : 0, 0,
               choice.coefficient);
  } else if (!choice.unique) {
    tell_event(it, CAROM_EVENT_NON_UNIQUE, contact->which[0], 0, 0.0);
  }
  for (int j = 0; j < contact->closed; j++) {
    it->memory[contact->which[j]].mode = choice.modes[j];
    if (set->cross[contact->which[j]] >= 0)
      carom_spatial_set_off(it, contact->which[j], contact->direction + 2 * (size_t)j);
  }
  follow_loads(it);
  carom_hybrid_list_closed(it);
  return CAROM_OK;
}

// the bodies overlap in a state that was given: at a start, by an event, by a surface that jumps
static carom_status refuse_overlap(carom_hybrid *it, int k, double gap, carom_error *error) {
  assert(k >= 0 && k < it->model->contacts.count);
  carom_place place = it->model->contacts.contacts[k].gap.place;
  if (!it->now.stage.started)
    return carom_fail_at(error, CAROM_ERR_INPUT, place,
                         "contact %s starts with a gap of %.6g: the bodies overlap (a gap is 0 in "
                         "touch and positive where they are apart); change the start or the gap",
                         name_of(it, k), gap);
  if (it->instant.changed_by)
    return carom_fail_at(error, CAROM_ERR_INPUT, place,
                         "at t = %.15g event %s leaves contact %s with a gap of %.6g: the bodies "
                         "overlap",
                         it->now.t, it->instant.changed_by, name_of(it, k), gap);
  if (it->model->contacts.contacts[k].presence.when)
    return carom_fail_at(error, CAROM_ERR_INPUT, place,
                         "at t = %.15g contact %s appears with a gap of %.6g: the bodies overlap; "
                         "let it appear where they do not, or add appear: push",
                         it->now.t, name_of(it, k), gap);
  return carom_fail_at(error, CAROM_ERR_INPUT, place,
                       "at t = %.15g the gap of contact %s jumps to %.6g: the bodies overlap; a "
                       "surface with a hollow corner is two contacts, one for each side",
                       it->now.t, name_of(it, k), gap);
}

// does a given load press the contact, in the state that rows are of?
static bool is_pressed(const carom_hybrid *it, int k) {
  const carom_contact_set *set = &it->model->contacts;
  return carom_contact_is_loaded(set, k) && it->work.rows.free_rate[set->normal[k]] < 0.0;
}

// A state that was given is exact, so what moves there is apart as soon as rounding does not
// explain its gap: it comes, or leaves, as it is. What is at rest, or would hardly rise, touches.
static bool is_given_apart(carom_hybrid *it, int k, double gap, double speed) {
  return gap > 0.0 && carom_hybrid_flies_off(it, k, fabs(speed)) &&
         gap > carom_sides_gap_rounding(it, k);
}

// A contact in a state that was given: apart it is open, touching it is closed, strikes or leaves
// by its speed; one that stuck slides by its slip.
static void review_contact(carom_hybrid *it, int k, double gap) {
  assert(k >= 0 && k < it->model->contacts.count);
  const carom_contact_set *set = &it->model->contacts;
  carom_contact_memory *memory = &it->memory[k];
  const double *v = it->work.rows.velocity;
  double speed = v[set->normal[k]], slip = speed_of(it, k);
  bool touches = gap <= it->tolerance.gap[k] || is_pressed(it, k);
  bool rests = touches && fabs(speed) <= it->tolerance.speed[k];
  memory->low = touches && is_given_apart(it, k, gap, speed);
  it->instant.landed[k] = touches && !memory->low && speed < -it->tolerance.speed[k];
  // the end of a slip is located but for a residual
  it->instant.halted[k] = it->instant.halted[k] && slip <= RESIDUAL * it->tolerance.slip[k];
  if (!rests)
    memory->mode = CAROM_CONTACT_OPEN;
  else if (!carom_contact_is_closed(memory->mode) ||
           (memory->mode == CAROM_CONTACT_STICK && slip > it->tolerance.slip[k]))
    memory->mode = CAROM_CONTACT_CLOSED; // its friction mode is chosen next
}

carom_status carom_hybrid_note_rows(carom_hybrid *it, carom_error *error) {
  size_t rows = (size_t)it->model->dynamics->rows;
  if (it->model->contacts.count == 0) return CAROM_OK;
  carom_status status = carom_hybrid_evaluate_rows(it, it->now.t, it->y);
  if (status != CAROM_OK) return carom_hybrid_explain(it, status, it->now.t, it->y, error);
  memcpy(it->instant.noted, it->work.rows.position, rows * sizeof(double));
  memcpy(it->instant.noted + rows, it->work.rows.velocity, rows * sizeof(double));
  return CAROM_OK;
}

// Is a contact what it was when rows were noted? Then it stays in its mode, however near to the end
// of it: slip that has just set off is no stick.
static bool is_kept(const carom_hybrid *it, int k) {
  assert(k >= 0 && k < it->model->contacts.count);
  const carom_contact_set *set = &it->model->contacts;
  const double *position = it->instant.noted, *velocity = position + it->model->dynamics->rows;
  const carom_rows *now = &it->work.rows;
  int normal = set->normal[k], tangent = set->tangent[k];
  if (fabs(now->position[normal] - position[normal]) > it->tolerance.gap[k] ||
      fabs(now->velocity[normal] - velocity[normal]) > it->tolerance.speed[k])
    return false;
  if (carom_contact_is_loaded(set, k) && !carom_contact_is_carried(set, k) &&
      is_pressed(it, k) != carom_contact_is_closed(it->memory[k].mode))
    return false; // its load has jumped
  int cross = set->cross[k];
  if (cross >= 0 && fabs(now->velocity[cross] - velocity[cross]) > it->tolerance.slip[k])
    return false;
  return tangent < 0 || fabs(now->velocity[tangent] - velocity[tangent]) <= it->tolerance.slip[k];
}

// do the forces of the present modes obey their laws?
static bool forces_hold(carom_hybrid *it) {
  const double rounding = 1e-10;
  const carom_dynamics *dynamics = it->model->dynamics;
  double largest = 0.0;
  if (it->contact.closed == 0) return true;
  (void)carom_hybrid_forces(it, it->now.t, it->y, true);
  for (int r = 0; r < dynamics->rows; r++)
    largest = fmax(largest, fabs(it->contact.lambda[r]));
  return it->contact.margin.value >= -rounding * largest;
}

carom_status carom_hybrid_compare_rows(carom_hybrid *it, bool *needed, carom_error *error) {
  int count = it->model->contacts.count;
  if (count == 0) return CAROM_OK;
  carom_hybrid_arm(it); // tolerances are those of the new state
  carom_status status = rows_now(it, error);
  if (status != CAROM_OK) return status;
  bool all = true;
  for (int k = 0; k < count; k++) {
    it->instant.kept[k] = is_kept(it, k);
    all = all && it->instant.kept[k];
  }
  it->instant.jumped = !all || !forces_hold(it);
  *needed = *needed || it->instant.jumped;
  return CAROM_OK;
}

// all contacts in such a state; rows are those of it
static carom_status review_contacts(carom_hybrid *it, carom_error *error) {
  const carom_contact_set *set = &it->model->contacts;
  for (int k = 0; k < set->count; k++) {
    double gap = it->work.rows.position[set->normal[k]];
    if (it->instant.kept[k]) continue;
    if (gap < -it->tolerance.gap[k]) return refuse_overlap(it, k, gap, error);
    review_contact(it, k, gap);
  }
  carom_hybrid_list_closed(it);
  return CAROM_OK;
}

// Open contacts that touch and rest beside others that hold are closed as well: which feet of a
// body that lies flat have struck last is chance, and friction would be shared among those alone.
static void close_resting(carom_hybrid *it) {
  const carom_rows *rows = &it->work.rows;
  bool any = false;
  for (int k = 0; k < it->model->contacts.count; k++)
    any = any || carom_contact_is_closed(it->memory[k].mode);
  for (int k = 0; k < it->model->contacts.count && any; k++) {
    int normal = it->model->contacts.normal[k];
    bool rests = rows->position[normal] <= it->tolerance.gap[k] && rows->velocity[normal] >= 0.0 &&
                 rows->velocity[normal] <= it->tolerance.speed[k];
    if (rests && !carom_contact_is_closed(it->memory[k].mode))
      it->memory[k].mode = CAROM_CONTACT_CLOSED;
  }
}

// Contacts that have struck and not left the tolerance of their gaps since are apart all the same:
// what became of their flights is known by their speeds.
static void note_low_flights(carom_hybrid *it) {
  const carom_contact_set *set = &it->model->contacts;
  for (int k = 0; k < set->count; k++) {
    carom_contact_memory *memory = &it->memory[k];
    double gap = it->work.rows.position[set->normal[k]];
    double since = isnan(memory->last_impact) ? 0.0 : it->now.t - memory->last_impact;
    double way = fabs(it->work.rows.velocity[set->normal[k]]) * since;
    if (carom_contact_is_closed(memory->mode) || !(fmax(gap, way) <= it->tolerance.gap[k]))
      memory->low = false;
  }
}

// Has an open contact arrived that comes nearer? One that flies low comes at its own time.
static bool has_arrived(const carom_hybrid *it, int k) {
  assert(k >= 0 && k < it->model->contacts.count);
  int normal = it->model->contacts.normal[k];
  double gap = it->work.rows.position[normal], speed = it->work.rows.velocity[normal];
  if (!(gap <= it->tolerance.gap[k] && speed < 0.0)) return false;
  double soon = it->now.stage.started ? carom_hybrid_apart(it) : 0.0;
  return !it->memory[k].low || gap <= -speed * soon;
}

// A contact that arrives within the tolerance of another one's instant strikes with it, though by
// its gap and speed it would come later: the certificate tells.
static void tell_together(carom_hybrid *it, int k) {
  assert(k >= 0 && k < it->model->contacts.count);
  int normal = it->model->contacts.normal[k];
  double gap = it->work.rows.position[normal], speed = it->work.rows.velocity[normal];
  if (it->now.stage.started && gap > -speed * carom_hybrid_apart(it) &&
      carom_hybrid_flies_off(it, k, -speed) && gap > carom_sides_gap_rounding(it, k))
    carom_hybrid_count(it, CAROM_UNCOMMON_TOGETHER);
}

// open contacts that have just arrived, or arrive at the same instant
static bool find_landed(carom_hybrid *it) {
  bool strikes = false;
  const carom_rows *rows = &it->work.rows;
  for (int k = 0; k < it->model->contacts.count; k++) {
    int normal = it->model->contacts.normal[k];
    if (carom_contact_is_closed(it->memory[k].mode)) continue;
    if (!it->instant.landed[k] && has_arrived(it, k)) {
      it->instant.landed[k] = true;
      tell_together(it, k);
    }
    bool approaches = rows->velocity[normal] < 0.0 && !carom_hybrid_speed_is_rounding(it, k);
    if (it->instant.landed[k] && approaches) strikes = true;
    // arrived without approach: a graze, or a hop too low for doubles to resolve; a rule of the
    // same instant may also have sent it off again
    if (it->instant.landed[k] && !approaches) {
      it->instant.landed[k] = rows->velocity[normal] <= it->tolerance.speed[k];
      if (it->instant.landed[k]) it->memory[k].mode = CAROM_CONTACT_CLOSED;
    }
  }
  if (!strikes) close_resting(it);
  return strikes;
}

static bool any_flies_low(const carom_hybrid *it) {
  for (int k = 0; k < it->model->contacts.count; k++)
    if (it->memory[k].low) return true;
  return false;
}

static void forget_low_flights(carom_hybrid *it) {
  for (int k = 0; k < it->model->contacts.count; k++)
    it->memory[k].low = false;
}

// Contacts that have arrived strike. What touches is brought into touch before modes are chosen,
// for the very place they will hold in; that may bring another contact to land, which joins.
static carom_status land_contacts(carom_hybrid *it, carom_error *error) {
  const carom_contact_set *set = &it->model->contacts;
  carom_status status = CAROM_OK;
  bool strikes = find_landed(it);
  for (int blows = 0, rounds = 0; status == CAROM_OK && rounds < ROUNDS;) {
    if (blows >= BLOWS_IN_TURN) forget_low_flights(it);
    *(any_flies_low(it) ? &blows : &rounds) += 1;
    if (strikes) status = carom_hybrid_strike(it, -1, error);
    if (status != CAROM_OK) return status;
    if (strikes) memset(it->instant.kept, 0, (size_t)set->count * sizeof(bool));
    memset(it->instant.landed, 0, (size_t)set->count * sizeof(bool));
    carom_hybrid_list_closed(it);
    status = carom_hybrid_assemble(it, it->now.t, it->y, error);
    if (status == CAROM_OK) status = rows_now(it, error);
    strikes = status == CAROM_OK && find_landed(it);
    if (!strikes) break;
    carom_hybrid_count(it, CAROM_UNCOMMON_JOINED);
  }
  return status;
}

carom_status carom_hybrid_touch(carom_hybrid *it, carom_contact_cause cause, carom_error *error) {
  const carom_contact_set *set = &it->model->contacts;
  if (set->count == 0) return CAROM_OK;
  for (int k = 0; k < set->count; k++) {
    it->instant.old_modes[k] = it->memory[k].mode;
    it->memory[k].pile = NAN;
  }
  carom_status status = rows_now(it, error);
  if (status == CAROM_OK && it->instant.jumped) status = review_contacts(it, error);
  if (status == CAROM_OK) note_low_flights(it);
  bool again = status == CAROM_OK;
  if (again) status = land_contacts(it, error);
  for (int round = 0; status == CAROM_OK && again; round++) {
    if (round == ROUNDS)
      return carom_fail(error, CAROM_ERR_NO_CONVERGENCE,
                        "at t = %.15g the contact modes do not settle", it->now.t);
    status = choose_modes(it, cause, &again, error);
  }
  if (status != CAROM_OK) return status;
  for (int k = 0; k < set->count; k++)
    if (it->instant.old_modes[k] != it->memory[k].mode)
      report_change(it, k, it->instant.old_modes[k], it->memory[k].mode);
  memset(it->instant.landed, 0, (size_t)set->count * sizeof(bool));
  memset(it->instant.halted, 0, (size_t)set->count * sizeof(bool));
  memset(it->instant.kept, 0, (size_t)set->count * sizeof(bool));
  carom_hybrid_note_phase(it);
  return carom_hybrid_assemble(it, it->now.t, it->y, error);
}

// what starts closed is brought to the surface, position and normal velocity: a placing, no event
// that the ledger would know of
static carom_status place_held(carom_hybrid *it, carom_error *error) {
  carom_hybrid_list_closed(it);
  return carom_hybrid_assemble(it, it->now.t, it->y, error);
}

// a motion that begins anew knows nothing of the one before
static void forget_instant(carom_hybrid *it) {
  size_t flags = (size_t)it->model->contacts.count * sizeof(bool);
  memset(it->instant.landed, 0, flags);
  memset(it->instant.halted, 0, flags);
  memset(it->instant.touching, 0, flags);
  memset(it->instant.kept, 0, flags);
  it->instant.glance = 0.0;
  for (int k = 0; k < it->model->contacts.count; k++)
    it->instant.old_modes[k] = CAROM_CONTACT_OPEN;
}

carom_status carom_hybrid_find_touching(carom_hybrid *it, carom_error *error) {
  const carom_contact_set *set = &it->model->contacts;
  bool moved = false;
  if (set->count == 0) return CAROM_OK;
  forget_instant(it);
  for (int k = 0; k < set->count; k++)
    it->memory[k] = (carom_contact_memory){.mode = CAROM_CONTACT_OPEN,
                                           .last_impact = NAN,
                                           .flight = NAN,
                                           .longest = NAN,
                                           .shrink = NAN,
                                           .approach = NAN,
                                           .slowing = NAN,
                                           .fastest = NAN,
                                           .forecast = NAN,
                                           .forecast_before = NAN,
                                           .pile = NAN,
                                           .settles = NAN};
  carom_status status = rows_now(it, error);
  for (int k = 0; k < set->count && status == CAROM_OK; k++) {
    double gap = it->work.rows.position[set->normal[k]];
    double speed = it->work.rows.velocity[set->normal[k]];
    double starts = carom_hybrid_starts(it, k);
    if (starts == 0.0 || isnan(starts)) continue;
    bool slot = it->model->probe.solids.slot_count > 0 && it->model->probe.solids.slot_of[k] > 0;
    if ((starts == CAROM_STARTS_CLOSED || slot) && !(gap <= it->tolerance.gap[k])) continue;
    it->memory[k].mode = CAROM_CONTACT_CLOSED;
    moved = moved || fabs(gap) > it->tolerance.gap[k] || fabs(speed) > it->tolerance.speed[k];
  }
  if (status == CAROM_OK && moved) status = place_held(it, error);
  if (status == CAROM_OK && moved) status = rows_now(it, error);
  return status == CAROM_OK ? review_contacts(it, error) : status;
}
