// SPDX-License-Identifier: MIT
/// An impact: all touching contacts take part, the law gives new velocities, the ledger is kept.
#include "hybrid/hybrid.h"

#include "base/linear.h"
#include "hybrid/leg.h"
#include "hybrid/tangent.h"

#include <math.h>
#include <string.h>

static const double ROUNDING = 1e-13;      // of the largest velocity in the impact: counts as zero
static const double DEPENDENT_ROW = 1e-11; // relative pivot of a row that follows from others

static bool touches(const carom_hybrid *it, int k) {
  return it->contact.landed[k] || carom_contact_is_closed(it->contact.memory[k].mode);
}

// The law of an impact is that of the first contact that struck; one without restitution follows
// the others, for e = 0 means the same by every law.
static carom_law leading_law(const carom_hybrid *it, int first) {
  const carom_contact_state *state = &it->contact;
  const carom_contact *contacts = it->model->contacts.contacts;
  for (int j = -1; j < state->closed; j++) {
    int k = j < 0 ? first : state->which[j];
    if (state->now[k].restitution > 0.0) return contacts[k].law;
  }
  return contacts[first].law;
}

// Newton's and Poisson's laws may meet in one impact, each contact by its own; a march by the
// energetic law has no place for them.
static carom_status mix_laws(carom_hybrid *it, carom_law law, carom_impact_problem *problem,
                             carom_error *error) {
  const carom_contact_set *set = &it->model->contacts;
  carom_contact_state *state = &it->contact;
  problem->law = law == CAROM_LAW_POISSON ? CAROM_IMPACT_POISSON : CAROM_IMPACT_NEWTON;
  for (int j = 0; j < state->closed; j++) {
    int k = state->which[j];
    carom_law own = state->restitution[j] > 0.0 ? set->contacts[k].law : law;
    state->laws[j] = own == CAROM_LAW_POISSON ? CAROM_IMPACT_POISSON : CAROM_IMPACT_NEWTON;
    if (own == law) continue;
    if (own == CAROM_LAW_ENERGETIC || law == CAROM_LAW_ENERGETIC)
      return carom_fail_at(error, CAROM_ERR_UNSUPPORTED, set->contacts[k].impact_place,
                           "at t = %.15g contacts of the energetic law and of another one strike "
                           "together; give %s and the others the same law",
                           it->now.t, set->contacts[k].name);
    problem->laws = state->laws;
  }
  return CAROM_OK;
}

// the touching contacts as an impact problem
static carom_status set_up(carom_hybrid *it, int pushing, carom_impact_problem *problem,
                           carom_law *law, carom_error *error) {
  const carom_contact_set *set = &it->model->contacts;
  carom_contact_state *state = &it->contact;
  *problem = (carom_impact_problem){.rows = it->model->dynamics->rows,
                                    .constraints = it->model->constraints,
                                    .normal = state->normal,
                                    .tangent = state->tangent,
                                    .G = it->work.rows.delassus,
                                    .before = it->work.rows.velocity,
                                    .e = state->restitution,
                                    .stick = state->stick,
                                    .slide = state->slide,
                                    .pushing = -1};
  int first = -1;
  state->closed = 0;
  for (int k = 0; k < set->count; k++) {
    if (!touches(it, k)) continue;
    int j = state->closed++;
    const carom_coefficients *now = &state->now[k];
    state->which[j] = k;
    state->normal[j] = set->normal[k];
    state->tangent[j] = set->tangent[k];
    state->slide[j] = now->impact_slide;
    // friction that grows with the slip may exceed that of stick
    state->stick[j] = fmax(now->impact_stick, now->impact_slide);
    state->restitution[j] = now->restitution;
    if (k == pushing) problem->pushing = j;
    if (first < 0 && (state->landed[k] || k == pushing)) first = k;
  }
  problem->contacts = state->closed;
  *law = leading_law(it, first < 0 ? 0 : first);
  return mix_laws(it, *law, problem, error);
}

// the energy an impact takes, relative to the moving surfaces, and the work these do
static void book(carom_hybrid *it, const carom_impact_result *result, double energy_change) {
  carom_certificate *c = &it->now.certificate;
  double surfaces = 0.0;
  for (int r = 0; r < it->model->dynamics->rows; r++)
    surfaces -= result->impulse[r] * it->work.rows.offset[r];
  c->lost_impacts -= result->energy;
  if (result->gain) c->impact_gain += result->energy;
  it->now.drive_jumps += surfaces;
  it->now.energy_reference += energy_change;
}

// rows whose velocities must vanish when contacts close, the friction that comes with each, if any
typedef struct closing_rows {
  int count, *row, *tangent;
  double *ratio;
} closing_rows;

static void add_row(closing_rows *rows, int row, int tangent, double ratio) {
  rows->row[rows->count] = row;
  rows->tangent[rows->count] = tangent;
  rows->ratio[rows->count++] = ratio;
}

// constraints, closed contacts with their sticking tangents, and the contacts that are to close
static void list_closing(const carom_hybrid *it, closing_rows *rows) {
  const carom_contact_set *set = &it->model->contacts;
  const carom_contact_state *state = &it->contact;
  for (int r = 0; r < it->model->constraints; r++)
    add_row(rows, r, -1, 0.0);
  for (int j = 0; j < state->closed; j++) {
    int k = state->which[j], tangent = set->tangent[k];
    if (!carom_contact_is_closed(state->memory[k].mode)) continue;
    bool sticks = state->memory[k].mode == CAROM_CONTACT_STICK;
    double slip = tangent >= 0 && !sticks ? it->work.rows.velocity[tangent] : 0.0;
    if (fabs(slip) <= it->slip_tolerance[k]) slip = 0.0;
    double mu = state->now[k].slide, ratio = slip > 0.0 ? -mu : slip < 0.0 ? mu : 0.0;
    add_row(rows, set->normal[k], ratio != 0.0 ? tangent : -1, ratio);
    if (sticks) add_row(rows, tangent, -1, 0.0);
  }
}

// impulses that stop the listed rows; false when the system with friction has no sound solution
static bool solve_closing(carom_hybrid *it, const closing_rows *rows, bool friction) {
  int count = rows->count, stride = it->model->dynamics->rows;
  const double *G = it->work.rows.delassus, *v = it->work.rows.velocity;
  double fastest = 0.0;
  for (int i = 0; i < count; i++) {
    const double *g = G + rows->row[i] * stride;
    it->impulse[i] = -v[rows->row[i]];
    fastest = fmax(fastest, fabs(v[rows->row[i]]));
    for (int j = 0; j < count; j++) {
      it->square[i * count + j] = g[rows->row[j]];
      if (friction && rows->tangent[j] >= 0)
        it->square[i * count + j] += rows->ratio[j] * g[rows->tangent[j]];
    }
  }
  if (!friction) {
    carom_solve_semidefinite(count, it->square, it->impulse, DEPENDENT_ROW, it->order);
    return true;
  }
  if (!carom_solve_general(count, it->square, it->impulse, it->order)) return false;
  for (int i = 0; i < count; i++) // near Painleve's paradox, or dependent rows
    if (!(fabs(it->impulse[i]) * G[rows->row[i] * (stride + 1)] <= 1e3 * fastest)) return false;
  return true;
}

// the impulses along all rows, in the state's room for forces
static double *spread_impulses(carom_hybrid *it, const closing_rows *rows, bool friction) {
  double *impulse = it->contact.lambda;
  memset(impulse, 0, (size_t)it->model->dynamics->rows * sizeof *impulse);
  for (int i = 0; i < rows->count; i++) {
    impulse[rows->row[i]] += it->impulse[i];
    if (friction && rows->tangent[i] >= 0)
      impulse[rows->tangent[i]] += rows->ratio[i] * it->impulse[i];
  }
  return impulse;
}

static double velocity_change(const carom_hybrid *it, const double *impulse, int row) {
  int count = it->model->dynamics->rows;
  double change = 0.0;
  for (int s = 0; s < count; s++)
    change += it->work.rows.delassus[row * count + s] * impulse[s];
  return change;
}

// friction counts as long as the slips are fast compared with what it changes
static bool slips_go_on(const carom_hybrid *it, const closing_rows *rows, const double *impulse) {
  for (int i = 0; i < rows->count; i++)
    if (rows->tangent[i] >= 0 && !(fabs(velocity_change(it, impulse, rows->tangent[i])) <=
                                   0.5 * fabs(it->work.rows.velocity[rows->tangent[i]])))
      return false;
  return true;
}

// the impulses that take away the rebounds of contacts that are to close, along all rows
static const double *rebound_impulses(carom_hybrid *it) {
  carom_contact_state *state = &it->contact;
  closing_rows rows = {0, state->closing_row, state->closing_tangent, state->shifted};
  list_closing(it, &rows);
  bool friction = solve_closing(it, &rows, true);
  const double *impulse = spread_impulses(it, &rows, true);
  if (friction && slips_go_on(it, &rows, impulse)) return impulse;
  (void)solve_closing(it, &rows, false);
  return spread_impulses(it, &rows, false);
}

static void add_impulse(const carom_hybrid *it, int row, double impulse, double *y) {
  int n = it->model->dynamics->n;
  for (int i = 0; i < n; i++)
    y[n + i] += it->work.rows.response[row * n + i] * impulse;
}

// rows and coefficients at another state
static carom_status look_from(carom_hybrid *it, double t, const double *y) {
  carom_status status = carom_hybrid_evaluate_rows(it, t, y);
  if (status != CAROM_OK) return status;
  carom_contact_coefficients(&it->model->contacts, &it->contact, it->model->dynamics,
                             &it->work.rows, t, y);
  return CAROM_OK;
}

carom_status carom_hybrid_rebounds_seen(carom_hybrid *it, double t, double *y) {
  carom_status status = look_from(it, t, y);
  if (status != CAROM_OK) return status;
  const double *impulse = rebound_impulses(it);
  for (int r = 0; r < it->model->dynamics->rows; r++)
    if (impulse[r] != 0.0) add_impulse(it, r, impulse[r], y);
  return CAROM_OK;
}

// Takes away the rebounds of contacts that are to close, all at once. The bounces left out would
// have pressed less than a lasting contact by just this momentum, so friction is reduced with it:
// the closing is exact to first order in the rebound.
static void take_rebounds(carom_hybrid *it) {
  const carom_rows *at = &it->work.rows;
  carom_leg_rebounds(it);
  carom_tangent_rebounds(it);
  const double *impulse = rebound_impulses(it);
  double relative = 0.0, surfaces = 0.0;
  for (int r = 0; r < it->model->dynamics->rows; r++) {
    if (impulse[r] == 0.0) continue;
    relative += impulse[r] * (at->velocity[r] + 0.5 * velocity_change(it, impulse, r));
    surfaces -= impulse[r] * at->offset[r];
    add_impulse(it, r, impulse[r], it->y);
  }
  it->now.certificate.lost_impacts -= relative;
  it->now.drive_jumps += surfaces;
  it->now.energy_reference += relative + surfaces;
}

static bool rebounds_slowly(const carom_hybrid *it, int k) {
  const carom_contact_memory *memory = &it->contact.memory[k];
  double rebound = it->work.rows.velocity[it->model->contacts.normal[k]];
  return !carom_contact_is_closed(memory->mode) && rebound >= 0.0 &&
         carom_chatter_closes(it, memory, rebound);
}

static carom_contact_mode mode_by_slip(const carom_hybrid *it, int k) {
  int tangent = it->model->contacts.tangent[k];
  double slip = tangent >= 0 ? it->work.rows.velocity[tangent] : 0.0;
  if (tangent < 0) return CAROM_CONTACT_CLOSED;
  if (fabs(slip) <= it->slip_tolerance[k]) return CAROM_CONTACT_STICK;
  return slip > 0.0 ? CAROM_CONTACT_SLIP_PLUS : CAROM_CONTACT_SLIP_MINUS;
}

// accelerations of all rows with the contacts closed that are, or NULL where no modes hold
static const double *accelerations(carom_hybrid *it) {
  const carom_contact_set *set = &it->model->contacts;
  carom_contact_state *state = &it->contact;
  carom_contact_list_closed(set, state, it->model->dynamics->rows, it->model->constraints);
  carom_contact_problem problem = carom_contact_problem_now(
      set, state, &it->work.rows, it->model->dynamics->rows, it->model->constraints);
  carom_contact_query query = carom_contact_query_default(state->modes);
  carom_contact_choice choice;
  carom_contact_choose(&problem, &query, state->work, &choice);
  return choice.outcome == CAROM_CONTACT_INCONSISTENT ? NULL : choice.rate;
}

// velocity of a normal row once the rebounds of the contacts closed so far have been taken away
static double left_over(carom_hybrid *it, int row) {
  carom_contact_state *state = &it->contact;
  closing_rows rows = {0, state->closing_row, state->closing_tangent, state->shifted};
  list_closing(it, &rows);
  (void)solve_closing(it, &rows, false);
  return it->work.rows.velocity[row] + velocity_change(it, spread_impulses(it, &rows, false), row);
}

// the slowest of the contacts in question, or -1
static int slowest(const carom_hybrid *it, const bool *slow) {
  const int *normal = it->model->contacts.normal;
  const double *v = it->work.rows.velocity;
  int least = -1;
  for (int k = 0; k < it->model->contacts.count; k++)
    if (slow[k] && (least < 0 || v[normal[k]] < v[normal[least]])) least = k;
  return least;
}

// A speed alone does not tell that a contact is about to rest: the far edge of a thin body that
// topples over the near one moves slowly too, and would stop the body. So by the rule of speed the
// slowest contact closes if it falls back; each further one if, with those before it closed, it
// would be back no later than the rule's speed means for it alone: v/a against limit/a alone.
// Leaves the modes of slow contacts CLOSED or OPEN.
static void close_in_turn(carom_hybrid *it) {
  const carom_contact_set *set = &it->model->contacts;
  carom_contact_state *state = &it->contact;
  bool *slow = state->landed; // its task is done
  for (int k = 0; k < set->count; k++)
    if (slow[k]) state->memory[k].mode = CAROM_CONTACT_OPEN;
  carom_contact_coefficients(set, state, it->model->dynamics, &it->work.rows, it->now.t, it->y);
  const double *a = accelerations(it);
  for (int k = 0; k < set->count; k++)
    state->fall[k] = a ? a[set->normal[k]] : -1.0;
  for (int k = slowest(it, slow), first = k; k >= 0; k = slowest(it, slow)) {
    double v = k == first ? it->work.rows.velocity[set->normal[k]] : left_over(it, set->normal[k]);
    a = k == first ? NULL : accelerations(it);
    double fall = a ? a[set->normal[k]] : state->fall[k];
    bool back = fall < 0.0 && -v * state->fall[k] <= -it->run.chatter_value * fall;
    slow[k] = false;
    if (back) state->memory[k].mode = mode_by_slip(it, k);
    state->closing[k] = back;
  }
  for (int k = 0; k < set->count; k++) {
    slow[k] = state->closing[k];
    if (slow[k]) state->memory[k].mode = CAROM_CONTACT_CLOSED;
    state->closing[k] = false;
  }
  carom_contact_list_closed(set, state, it->model->dynamics->rows, it->model->constraints);
}

static carom_status closings(carom_hybrid *it, double scale, carom_error *error) {
  carom_contact_state *state = &it->contact;
  bool rebounds = false, any = false, *slow = state->landed;
  memset(slow, 0, (size_t)it->model->contacts.count * sizeof *slow);
  for (int j = 0; j < state->closed; j++) {
    int k = state->which[j];
    slow[k] = rebounds_slowly(it, k);
    any = any || slow[k];
    if (slow[k]) state->memory[k].mode = CAROM_CONTACT_CLOSED; // its friction mode is chosen next
  }
  if (any && strcmp(it->run.chatter, "speed") == 0) close_in_turn(it);
  for (int k = 0; k < it->model->contacts.count; k++) {
    if (!slow[k]) continue;
    carom_contact_memory *memory = &state->memory[k];
    double rebound = it->work.rows.velocity[it->model->contacts.normal[k]];
    rebounds = rebounds || rebound > ROUNDING * scale;
    it->now.certificate.closings++;
    carom_chatter_close(it, memory);
  }
  if (!rebounds) return CAROM_OK;
  take_rebounds(it);
  carom_status status = carom_hybrid_evaluate_rows(it, it->now.t, it->y);
  return status == CAROM_OK ? status : carom_hybrid_explain(it, status, it->now.t, it->y, error);
}

// how every touching contact comes out, and which way impulses act, as one number
static uint64_t branch_of(const carom_hybrid *it, const carom_impact_result *result) {
  uint64_t branch = 0;
  for (int j = 0; j < it->contact.closed; j++) {
    int k = it->contact.which[j], tangent = it->model->contacts.tangent[k];
    bool struck = result->impulse[it->model->contacts.normal[k]] > 0.0;
    double friction = tangent >= 0 ? result->impulse[tangent] : 0.0;
    branch = branch * 64 + (uint64_t)result->modes[j] * 4 + (friction > 0.0) * 2u + struck;
  }
  return branch;
}

// What was closed before is in touch, and what sticks does not slip: rounding must not make it come
// in or move off, which would be another impact. The slip of a contact that lands beside one that
// sticks may be the same, and is no slip either.
static void hold_closed(carom_hybrid *it) {
  const carom_contact_set *set = &it->model->contacts;
  for (int k = 0; k < set->count; k++) {
    carom_contact_mode mode = it->contact.memory[k].mode;
    double *v = it->work.rows.velocity;
    bool closed = carom_contact_is_closed(mode), has_slip = set->tangent[k] >= 0;
    if (closed) v[set->normal[k]] = 0.0;
    if (!has_slip || !touches(it, k)) continue;
    bool rests = fabs(v[set->tangent[k]]) <= it->slip_tolerance[k];
    if (mode == CAROM_CONTACT_STICK || (!closed && rests)) v[set->tangent[k]] = 0.0;
  }
  it->work.rows_known = false; // rows are not quite those of the state any more
}

// where contacts move off as they land their approach is turned round; returns -1 then, or 1
static double turn_round(carom_hybrid *it) {
  const carom_contact_set *set = &it->model->contacts;
  double *v = it->work.rows.velocity, sign = 1.0;
  for (int k = 0; k < set->count; k++)
    if (it->contact.landed[k] && v[set->normal[k]] > 0.0) sign = -1.0;
  for (int k = 0; k < set->count && sign < 0.0; k++)
    if (it->contact.landed[k]) v[set->normal[k]] = -v[set->normal[k]];
  if (sign < 0.0) it->work.rows_known = false; // rows are not those of the state any more
  return sign;
}

// --- the outcome of an impact as part of a word

enum { OUTCOME_BITS = 4, MOST_OUTCOMES = 64 / OUTCOME_BITS };

static uint64_t pack_modes(int count, const carom_contact_mode *modes) {
  uint64_t packed = 0;
  for (int j = 0; j < count; j++)
    packed |= (uint64_t)modes[j] << (OUTCOME_BITS * j);
  return packed;
}

static void unpack_modes(int count, uint64_t packed, carom_contact_mode *modes) {
  for (int j = 0; j < count; j++)
    modes[j] = (carom_contact_mode)(packed >> (OUTCOME_BITS * j) & 15u);
}

void carom_hybrid_note_outcome(const carom_hybrid *it, const carom_impact_result *result,
                               carom_leg *leg) {
  int count = it->contact.closed;
  leg->holds_outcome = count <= MOST_OUTCOMES && !result->relaxed;
  if (!leg->holds_outcome) return;
  leg->compressed = pack_modes(count, result->compressed);
  leg->outcome = pack_modes(count, result->modes);
}

// impulses measure what is broken
static carom_leg_margin margin_of(const carom_hybrid *it, const carom_impact_result *result) {
  carom_leg_margin margin = {.kind = CAROM_FAULT_OUTCOME, .value = INFINITY};
  double largest = 0.0;
  for (int r = 0; r < it->model->dynamics->rows; r++)
    largest = fmax(largest, fabs(result->impulse[r]));
  if (result->margin.contact < 0 || !(largest > 0.0)) return margin;
  margin.which = it->contact.which[result->margin.contact];
  margin.amount = result->margin.value;
  margin.value = result->margin.value / largest;
  return margin;
}

// rows and coefficients are those of (t, y)
static carom_status see_strike(carom_hybrid *it, int pushing, double sign, double *y,
                               uint64_t *branch) {
  carom_law law;
  carom_impact_result result;
  carom_impact_problem problem;
  carom_status status = set_up(it, pushing, &problem, &law, NULL);
  if (status != CAROM_OK) return status;
  status = law == CAROM_LAW_ENERGETIC
               ? carom_hybrid_strike_energetic(it, &problem, &result, NULL)
               : carom_impact_solve(&problem, it->contact.impact_work, &result);
  if (status != CAROM_OK) return status;
  *branch = branch_of(it, &result);
  for (int r = 0; r < it->model->dynamics->rows; r++)
    if (result.impulse[r] != 0.0) add_impulse(it, r, sign * result.impulse[r], y);
  return CAROM_OK;
}

carom_status carom_hybrid_strike_seen(carom_hybrid *it, int pushing, double t, double *y,
                                      uint64_t *branch) {
  carom_status status = look_from(it, t, y);
  if (status != CAROM_OK) return status;
  hold_closed(it);
  return see_strike(it, pushing, 1.0, y, branch);
}

// the impact comes out as it does in the word, whatever that breaks
static carom_status hold_strike(carom_hybrid *it, const carom_leg *leg, double sign, double *y,
                                carom_leg_margin *margin) {
  carom_law law;
  carom_impact_result result;
  carom_impact_problem problem;
  carom_contact_mode compressed[MOST_OUTCOMES], modes[MOST_OUTCOMES];
  carom_status status = set_up(it, -1, &problem, &law, NULL);
  if (status != CAROM_OK) return status;
  unpack_modes(problem.contacts, leg->compressed, compressed);
  unpack_modes(problem.contacts, leg->outcome, modes);
  problem.held_compressed = compressed;
  problem.held_modes = modes;
  status = carom_impact_solve(&problem, it->contact.impact_work, &result);
  if (status != CAROM_OK) return status;
  *margin = margin_of(it, &result);
  for (int r = 0; r < it->model->dynamics->rows; r++)
    if (result.impulse[r] != 0.0) add_impulse(it, r, sign * result.impulse[r], y);
  return CAROM_OK;
}

carom_status carom_hybrid_strike_fixed(carom_hybrid *it, const carom_leg *leg, double t, double *y,
                                       uint64_t *branch, carom_leg_margin *margin) {
  carom_status status = look_from(it, t, y);
  if (status != CAROM_OK) return status;
  hold_closed(it);
  double sign = turn_round(it);
  return leg->holds_outcome ? hold_strike(it, leg, sign, y, margin)
                            : see_strike(it, -1, sign, y, branch);
}

static carom_status solve(carom_hybrid *it, const carom_impact_problem *problem, carom_law law,
                          carom_impact_result *result, carom_error *error) {
  carom_contact_state *state = &it->contact;
  if (law == CAROM_LAW_ENERGETIC) {
    hold_closed(it); // by the other laws friction depends on the slip after, not before
    return carom_hybrid_strike_energetic(it, problem, result, error);
  }
  carom_status status = carom_impact_solve(problem, state->impact_work, result);
  if (status != CAROM_OK)
    return carom_fail(error, status, "at t = %.15g the impact of %s has no outcome by its law",
                      it->now.t,
                      it->model->contacts.contacts[state->closed > 0 ? state->which[0] : 0].name);
  carom_leg_comes_out(it, result);
  return CAROM_OK;
}

// u+ = u- + M^-1 sum of w_r * impulse_r, and where the energy went
static carom_status push(carom_hybrid *it, const carom_impact_result *result, carom_error *error) {
  const carom_dynamics *dynamics = it->model->dynamics;
  carom_energy before, after;
  memcpy(it->before, it->y, (size_t)it->size * sizeof *it->y);
  carom_status status = carom_dynamics_energy(dynamics, &it->work, it->now.t, it->y, &before);
  for (int r = 0; r < dynamics->rows; r++)
    for (int i = 0; i < dynamics->n && result->impulse[r] != 0.0; i++)
      it->y[dynamics->n + i] += it->work.rows.response[r * dynamics->n + i] * result->impulse[r];
  carom_hybrid_follow_jump(it);
  if (status == CAROM_OK)
    status = carom_dynamics_energy(dynamics, &it->work, it->now.t, it->y, &after);
  if (status != CAROM_OK) return carom_hybrid_explain(it, status, it->now.t, it->y, error);
  book(it, result, after.kinetic - before.kinetic);
  return CAROM_OK;
}

// contacts without rebound keep the mode they came out with; those that were hit are told of
static void take_outcome(carom_hybrid *it, const carom_impact_result *result, double scale) {
  const carom_contact_set *set = &it->model->contacts;
  carom_contact_state *state = &it->contact;
  double strongest = 0.0;
  for (int r = 0; r < it->model->dynamics->rows; r++)
    strongest = fmax(strongest, fabs(result->impulse[r]));
  carom_letter struck = 0;
  for (int j = 0; j < state->closed; j++) {
    int k = state->which[j];
    double impulse = result->impulse[set->normal[k]];
    bool rests = fabs(result->after[set->normal[k]]) <= ROUNDING * scale;
    bool struck_now = impulse > ROUNDING * strongest;
    if (struck_now) carom_chatter_note_flight(it, k);
    bool settled = carom_contact_is_closed(result->modes[j]);
    state->memory[k].mode = !rests    ? CAROM_CONTACT_OPEN
                            : settled ? result->modes[j]
                                      : CAROM_CONTACT_CLOSED;
    if (!struck_now) continue;
    it->now.certificate.impacts++;
    if (k < CAROM_WORD_CONTACTS) struck |= (carom_letter)1 << (3 * k);
    double friction = set->tangent[k] >= 0 ? result->impulse[set->tangent[k]] : 0.0;
    it->now.asked |= carom_hybrid_announce_impact(it, set->contacts[k].name, impulse, friction);
  }
  if (struck) carom_hybrid_note_impact(it, struck);
  if (result->unique) return;
  it->now.certificate.non_unique++;
  it->now.asked |= carom_hybrid_announce(it, CAROM_EVENT_NON_UNIQUE, "impact", 0, 0.0);
}

carom_status carom_hybrid_strike(carom_hybrid *it, int pushing, carom_error *error) {
  carom_law law;
  carom_impact_problem problem;
  carom_impact_result result;
  carom_leg_strikes(it, pushing);
  carom_status status = carom_tangent_strike(it, pushing, error);
  if (status == CAROM_OK) status = set_up(it, pushing, &problem, &law, error);
  if (status == CAROM_OK) status = solve(it, &problem, law, &result, error);
  if (status != CAROM_OK) return status;
  double scale = 0.0; // the fastest row says what counts as rest
  for (int r = 0; r < problem.rows; r++)
    scale = fmax(scale, fmax(fabs(problem.before[r]), fabs(result.after[r])));
  status = push(it, &result, error);
  if (status != CAROM_OK) return status;
  // slips that had just come to zero may have been set off again
  memset(it->contact.halted, 0, (size_t)it->model->contacts.count * sizeof(bool));
  take_outcome(it, &result, scale);
  status = carom_hybrid_evaluate_rows(it, it->now.t, it->y);
  if (status != CAROM_OK) return carom_hybrid_explain(it, status, it->now.t, it->y, error);
  return closings(it, scale, error);
}
