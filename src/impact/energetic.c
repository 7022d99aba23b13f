// SPDX-License-Identifier: MIT
/// The energetic law from outside: the problem brought into an order of its own, constraints
/// eliminated, closed form or integration, and the outcome in the caller's order.
#include "impact/energetic_internal.h"

#include "base/linear.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static const int NODES[ENERGETIC_TABLES] = {ENERGETIC_DENSE, 12, 16};
static const double APPROACH = 1e-13; // of the largest velocity: counts as approaching
static const double SEED = 1e-12;     // of the slip: approach in the limit of none (Painleve)
static const double FINE = 1e-9;      // tolerance below which energy is looked at, too
static const double LEFT = 3.0;       // of the tolerance: approach that a round may leave

enum {
  TURNS = 20000,  // of contacts that wait for each other
  CAGE_TURNS = 64 // before cages are looked for
};

carom_energetic_options carom_energetic_options_default(void) {
  return (carom_energetic_options){
      .tolerance = 1e-12, .max_steps = 400000, .rounds = CAROM_FADING_ROUNDS};
}

void energetic_note(carom_energetic_workspace *w, carom_energetic_event_kind kind, int contact) {
  assert(contact >= 0 && contact < w->n && kind < CAROM_ENERGETIC_EVENTS);
  int at = w->outcome.result->events++;
  if (at < CAROM_ENERGETIC_LOG)
    w->outcome.log[at] = (carom_energetic_event){w->outcome.total, kind, w->problem.order[contact]};
}

void energetic_note_friction(carom_energetic_workspace *w, int contact, int sign) {
  energetic_note(w,
                 sign > 0   ? CAROM_ENERGETIC_SLIPS_PLUS
                 : sign < 0 ? CAROM_ENERGETIC_SLIPS_MINUS
                            : CAROM_ENERGETIC_STICKS,
                 contact);
  // "3+ ": the number of the contact from its last digit on
  char item[16], *at = item + sizeof item, *word = w->outcome.result->word;
  *--at = '\0';
  *--at = "-s+"[(sign > 0) - (sign < 0) + 1];
  int number = w->problem.order[contact];
  do {
    *--at = (char)('0' + number % 10);
    number /= 10;
  } while (number > 0);
  size_t used = strlen(word), length = (size_t)(item + sizeof item - at);
  if (used > 0) {
    *--at = ' ';
    length++;
  }
  if (used + length <= CAROM_ENERGETIC_WORD) memcpy(word + used, at, length);
}

// ---- the workspace

// arrays of one kind: their number of elements, and where the pointers to them go
#define TAKE(type, count, ...)                                                                     \
  do {                                                                                             \
    type **const list[] = {__VA_ARGS__};                                                           \
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {                                      \
      *list[i] = carom_arena_array(arena, (count), sizeof **list[i]);                              \
      whole = whole && *list[i];                                                                   \
    }                                                                                              \
  } while (0)

static bool take_problem(energetic_problem *p, carom_arena *arena, size_t rows, size_t n) {
  bool whole = true;
  TAKE(int, n, &p->order, &p->place);
  TAKE(bool, n, &p->rough, &p->user);
  TAKE(double, n, &p->k, &p->a, &p->e, &p->eta_out, &p->stick, &p->slide);
  TAKE(double, 2 * n, &p->root);
  TAKE(double, 4 * n * n, &p->H);
  TAKE(double, rows *rows, &p->reduced);
  TAKE(carom_energetic_habit, n, &p->habit);
  return whole;
}

static bool take_state(carom_energetic_workspace *w, carom_arena *arena, size_t rows, size_t n) {
  energetic_state *s = &w->state;
  energetic_events *v = &w->events;
  energetic_step *t = &w->step;
  energetic_outcome *o = &w->outcome;
  bool whole = true;
  TAKE(bool, n, &s->expanding, &s->allowed, &s->counted, &s->settled);
  TAKE(int, n, &s->shown, &s->calm, &o->phases, &v->rupture_sign);
  TAKE(double, n, &s->x, &o->lost, &o->rubbed, &o->holding, &v->turn, &v->end, &v->join, &v->slip,
       &v->rupture, &t->energy);
  TAKE(double, 2 * n, &s->v, &o->p, &t->ahead, &t->trial);
  TAKE(double, rows, &o->impulse, &o->after);
  TAKE(energetic_status, n, &s->status);
  TAKE(carom_contact_mode, n, &o->modes);
  return whole;
}

static bool take_friction(carom_energetic_workspace *w, carom_arena *arena, size_t rows, size_t n) {
  energetic_friction *f = &w->friction;
  energetic_answer *r = &w->response;
  energetic_choice *c = &w->choice;
  energetic_split *p = &w->split;
  size_t m = 2 * n;
  bool whole = true;
  TAKE(int, n, &f->slip, &f->family, &f->must_sign, &f->answered_slip, &f->answered_family,
       &r->kept, &c->normal, &c->tangent, &c->sliding, &c->single);
  TAKE(double, n, &f->coefficient, &c->stick, &c->slide, &c->floor, &p->sum, &p->now, &p->whole,
       &p->halves, &p->first);
  TAKE(bool, n, &f->must_slip, &p->full);
  TAKE(energetic_class, n, &f->list, &f->answered_list);
  TAKE(carom_contact_mode, n, &c->modes);
  TAKE(int, m, &r->entry_count, &c->class);
  TAKE(int, m *m, &r->entries);
  TAKE(double, m *m, &r->R, &r->B, &r->limit, &c->G);
  TAKE(double, m, &c->b, &c->lambda, &c->rate);
  TAKE(double, m *m + rows * rows, &r->matrix);
  TAKE(double, m + rows, &r->right, &r->column);
  TAKE(int, m + rows, &r->pivot_row, &r->pivot_column);
  return whole;
}

static bool take_nodes(energetic_sample *s, carom_arena *arena, size_t n) {
  bool whole = true;
  TAKE(energetic_nodes, 2 * n, &s->F, &s->P, &s->Q, &s->V, &s->old);
  TAKE(energetic_nodes, n, &s->X);
  TAKE(bool, 2 * n, &s->live);
  for (int t = 0; t < ENERGETIC_TABLES; t++)
    energetic_table_fill(&s->tables[t], NODES[t]);
  return whole;
}
#undef TAKE

carom_energetic_workspace *carom_energetic_workspace_create(carom_arena *arena, int max_rows,
                                                            int max_contacts) {
  carom_energetic_workspace *w = carom_arena_take(arena, sizeof *w);
  if (!w) return NULL;
  size_t rows = (size_t)max_rows, n = (size_t)max_contacts;
  w->max_rows = max_rows;
  w->max_contacts = max_contacts;
  w->choice.work = carom_contact_workspace_create(arena, 2 * max_contacts, max_contacts);
  bool whole = w->choice.work && take_problem(&w->problem, arena, rows, n) &&
               take_state(w, arena, rows, n) && take_friction(w, arena, rows, n) &&
               take_nodes(&w->nodes, arena, n) && energetic_march_create(w, arena) &&
               energetic_collapse_create(w, arena);
  return whole ? w : NULL;
}

// ---- the problem

static bool is_finite(int n, const double *a) {
  for (int k = 0; k < n; k++)
    if (!isfinite(a[k])) return false;
  return true;
}

static carom_status check_problem(const carom_energetic_problem *problem,
                                  const carom_energetic_options *o) {
  const carom_impact_problem *p = &problem->impact;
  if (!is_finite(p->rows, p->before) || !is_finite(p->rows * p->rows, p->G))
    return CAROM_ERR_NONFINITE;
  for (int i = 0; i < p->contacts; i++) {
    bool right = problem->stiffness[i] > 0.0 && isfinite(problem->stiffness[i]) &&
                 problem->exponent[i] > 0.0 && isfinite(problem->exponent[i]) && p->e[i] >= 0.0 &&
                 p->e[i] <= 1.0 && p->slide[i] >= 0.0 && p->stick[i] >= p->slide[i] &&
                 isfinite(p->stick[i]);
    double own = p->G[p->normal[i] * p->rows + p->normal[i]];
    if (!right || !(own > 0.0)) return CAROM_ERR_ARGUMENT;
  }
  return o->tolerance > 0.0 && o->max_steps > 0 && o->rounds > 0 ? CAROM_OK : CAROM_ERR_ARGUMENT;
}

// G - G_c^T G_cc^-1 G_c: what rows answer when constraints hold
static void eliminate_constraints(carom_energetic_workspace *w, const carom_impact_problem *p) {
  int rows = p->rows, c = p->constraints;
  memcpy(w->problem.reduced, p->G, (size_t)(rows * rows) * sizeof(double));
  for (int j = c; j < rows && c > 0; j++) {
    for (int i = 0; i < c; i++) {
      w->response.right[i] = p->G[i * rows + j];
      for (int k = 0; k < c; k++)
        w->response.matrix[i * c + k] = p->G[i * rows + k];
    }
    carom_solve_semidefinite(c, w->response.matrix, w->response.right, CAROM_CONTACT_RANK,
                             w->response.pivot_row);
    for (int i = 0; i < rows; i++)
      for (int k = 0; k < c; k++)
        w->problem.reduced[i * rows + j] -= p->G[i * rows + k] * w->response.right[k];
  }
}

// Does contact i come before contact j? By what does not depend on the order they are given in; of
// contacts alike, by what couples them to the first of all.
static int compare_contacts(const carom_energetic_workspace *w, int i, int j, int first) {
  const carom_energetic_problem *q = w->problem.asked;
  const carom_impact_problem *p = &q->impact;
  int rows = p->rows, a = p->normal[i], b = p->normal[j];
  const double left[] = {p->before[a],    w->problem.reduced[a * rows + a],
                         q->stiffness[i], q->exponent[i],
                         p->e[i],         p->stick[i],
                         p->slide[i]};
  const double right[] = {p->before[b],    w->problem.reduced[b * rows + b],
                          q->stiffness[j], q->exponent[j],
                          p->e[j],         p->stick[j],
                          p->slide[j]};
  for (size_t k = 0; k < sizeof left / sizeof *left; k++)
    if (left[k] != right[k]) return left[k] < right[k] ? -1 : 1;
  if (first < 0) return 0;
  int row = p->normal[first];
  double x = w->problem.reduced[a * rows + row], y = w->problem.reduced[b * rows + row];
  return x < y ? -1 : x > y ? 1 : 0;
}

static void sort_contacts(carom_energetic_workspace *w, int n, int first) {
  for (int i = 1; i < n; i++) {
    int moving = w->problem.order[i], j = i;
    for (; j > 0 && compare_contacts(w, w->problem.order[j - 1], moving, first) > 0; j--)
      w->problem.order[j] = w->problem.order[j - 1];
    w->problem.order[j] = moving;
  }
}

static void set_order(carom_energetic_workspace *w, int n) {
  for (int i = 0; i < n; i++)
    w->problem.order[i] = i;
  sort_contacts(w, n, -1);
  // where the first is not one of several alike, it tells others apart
  if (n > 2 && compare_contacts(w, w->problem.order[0], w->problem.order[1], -1) != 0)
    sort_contacts(w, n, w->problem.order[0]);
  for (int i = 0; i < n; i++)
    w->problem.place[w->problem.order[i]] = i;
}

static int row_of(const carom_energetic_workspace *w, int i, bool tangent) {
  assert(i >= 0 && i < w->n);
  const carom_impact_problem *p = &w->problem.asked->impact;
  int contact = w->problem.order[i];
  return tangent ? p->tangent[contact] : p->normal[contact];
}

static void set_contact(carom_energetic_workspace *w, int i) {
  const carom_energetic_problem *q = w->problem.asked;
  const carom_impact_problem *p = &q->impact;
  int c = w->problem.order[i], tangent = p->tangent[c], rows = p->rows;
  double own = tangent >= 0 ? w->problem.reduced[tangent * rows + tangent] : 0.0;
  bool lies = own > 1e-14 * (tangent >= 0 ? p->G[tangent * rows + tangent] : 0.0);
  w->problem.user[i] = lies && q->has_law && q->has_law[c] && q->law;
  w->problem.rough[i] = lies && !w->problem.user[i] && p->stick[c] > 0.0;
  w->problem.k[i] = q->stiffness[c];
  w->problem.a[i] = q->exponent[c];
  w->problem.e[i] = p->e[c];
  w->problem.eta_out[i] = p->e[c] * p->e[c];
  w->problem.stick[i] = p->stick[c];
  w->problem.slide[i] = p->slide[c];
  w->problem.habit[i] = q->habit ? q->habit[c] : (carom_energetic_habit){0};
  w->state.v[2 * i] = p->before[p->normal[c]];
  w->state.v[2 * i + 1] = tangent >= 0 ? p->before[tangent] : 0.0;
}

static void set_up(carom_energetic_workspace *w) {
  const carom_impact_problem *p = &w->problem.asked->impact;
  int n = w->n = p->contacts, size = 2 * n;
  eliminate_constraints(w, p);
  set_order(w, n);
  for (int i = 0; i < n; i++)
    set_contact(w, i);
  int *callers = w->response.pivot_row; // the caller's rows, or -1
  for (int r = 0; r < size; r++)
    callers[r] = row_of(w, r / 2, r % 2);
  for (int r = 0; r < size; r++) {
    const double *row = w->problem.reduced + (callers[r] >= 0 ? callers[r] * p->rows : 0);
    for (int s = 0; s < size; s++)
      w->problem.H[r * size + s] = callers[r] >= 0 && callers[s] >= 0 ? row[callers[s]] : 0.0;
    double own = w->problem.H[r * size + r];
    w->problem.root[r] = own > 0.0 ? sqrt(own) : 1.0;
    w->outcome.p[r] = 0.0;
  }
  for (int i = 0; i < n; i++) {
    w->friction.slip[i] = 0;
    w->response.kept[i] = w->friction.family[i] = -1;
    w->state.x[i] = 0.0;
    w->outcome.lost[i] = w->outcome.rubbed[i] = 0.0;
    w->outcome.phases[i] = 0;
  }
  w->outcome.total = 0.0;
  w->ending = (carom_fading){0};
  w->friction.classes = 0;
  w->response.channels = n;
  for (int i = 0; i < n; i++)
    if (w->problem.user[i]) w->response.channels = 2 * n;
}

static void measure_speeds(carom_energetic_workspace *w) {
  w->state.speed = w->state.slip_speed = 0.0;
  for (int i = 0; i < w->n; i++) {
    w->state.speed = fmax(w->state.speed, fabs(w->state.v[2 * i]) / w->problem.root[2 * i]);
    w->state.slip_speed = fmax(w->state.slip_speed, w->state.speed);
    if (w->problem.rough[i] || w->problem.user[i])
      w->state.slip_speed =
          fmax(w->state.slip_speed, fabs(w->state.v[2 * i + 1]) / w->problem.root[2 * i + 1]);
  }
}

// ---- the outcome

// contacts that approach by more than `limit` of the speed; returns their number, the last one in
// `which`
static int count_approaching(const carom_energetic_workspace *w, double limit, int *which) {
  int count = 0;
  for (int i = 0; i < w->n; i++)
    if (w->state.v[2 * i] < -limit * w->state.speed * w->problem.root[2 * i]) {
      count++;
      *which = i;
    }
  return count;
}

// Other rules of restitution look at a contact from its beginning to its end, and are not told
// apart from what others do to it meanwhile.
static bool energetic_rule_only(const carom_energetic_workspace *w) {
  for (int i = 0; i < w->n; i++)
    if (w->state.allowed[i] && w->problem.habit[i].stop != CAROM_STOP_ENERGETIC) return false;
  return true;
}

// one round: those allowed, in closed form if it is one alone
static carom_energetic_end resolve_round(carom_energetic_workspace *w, int pushing) {
  int which = pushing, count = pushing >= 0 ? 1 : count_approaching(w, APPROACH, &which);
  bool single = count == 1 && !w->problem.user[which] && !w->problem.options->integrate;
  if (single && energetic_single(w, which, pushing >= 0)) {
    w->outcome.result->closed_form = w->outcome.result->steps == 0;
    return CAROM_ENERGETIC_FINISHED;
  }
  w->outcome.result->closed_form = false;
  if (!energetic_rule_only(w)) return CAROM_ENERGETIC_NO_RULE;
  if (pushing >= 0) {
    // an infinitesimal approach; errors are measured against what becomes of it
    double seed = SEED * w->state.slip_speed;
    w->state.v[2 * pushing] = fmin(w->state.v[2 * pushing], -seed * w->problem.root[2 * pushing]);
    w->state.speed = seed;
  }
  return energetic_run(w);
}

static carom_energetic_end resolve_all(carom_energetic_workspace *w) {
  int pushing = w->problem.asked->impact.pushing, which;
  if (pushing >= 0) pushing = w->problem.place[pushing];
  bool wait = false;
  for (int i = 0; i < w->n; i++) {
    w->state.allowed[i] = true;
    wait = wait || w->problem.habit[i].waits;
  }
  if (pushing >= 0 && count_approaching(w, APPROACH, &which) > 0) pushing = -1;
  if (!wait)
    return pushing < 0 && count_approaching(w, APPROACH, &which) == 0 ? CAROM_ENERGETIC_FINISHED
                                                                      : resolve_round(w, pushing);
  for (int turn = 0; turn < TURNS; turn++) {
    // what a round leaves of approach is known to the tolerance only
    double limit = turn == 0 ? APPROACH : fmax(APPROACH, LEFT * w->problem.tolerance);
    if (pushing < 0 && count_approaching(w, limit, &which) == 0) return CAROM_ENERGETIC_FINISHED;
    if (turn == CAGE_TURNS && energetic_has_cage(w)) return CAROM_ENERGETIC_LOCKED;
    for (int i = 0; i < w->n; i++)
      w->state.allowed[i] = !w->problem.habit[i].waits || i == pushing ||
                            w->state.v[2 * i] < -APPROACH * w->state.speed * w->problem.root[2 * i];
    carom_energetic_end end = resolve_round(w, pushing);
    if (end != CAROM_ENERGETIC_FINISHED) return end;
    pushing = -1;
  }
  return CAROM_ENERGETIC_EXHAUSTED;
}

// what is left of approach when all is over is less than counts
static void end_approach(carom_energetic_workspace *w) {
  for (int i = 0; i < w->n; i++)
    w->state.v[2 * i] = fmax(0.0, w->state.v[2 * i]);
}

static void set_modes(carom_energetic_workspace *w) {
  for (int i = 0; i < w->n; i++) {
    double v = w->state.v[2 * i], slip = w->state.v[2 * i + 1];
    carom_contact_mode mode = CAROM_CONTACT_OPEN;
    if (fabs(v) <= APPROACH * w->state.speed * w->problem.root[2 * i]) {
      mode = CAROM_CONTACT_CLOSED;
      if (w->problem.rough[i]) {
        bool rests = fabs(slip) <= APPROACH * w->state.slip_speed * w->problem.root[2 * i + 1];
        mode = rests      ? CAROM_CONTACT_STICK
               : slip > 0 ? CAROM_CONTACT_SLIP_PLUS
                          : CAROM_CONTACT_SLIP_MINUS;
      }
    }
    w->outcome.modes[w->problem.order[i]] = mode;
  }
}

// impulses and velocities of all rows of the caller, and the energy balance
static void write_result(carom_energetic_workspace *w) {
  const carom_impact_problem *p = &w->problem.asked->impact;
  int rows = p->rows, c = p->constraints, n = w->n;
  for (int r = 0; r < rows; r++)
    w->outcome.impulse[r] = 0.0;
  for (int i = 0; i < n; i++)
    for (int t = 0; t < 2; t++)
      if (row_of(w, i, t) >= 0) w->outcome.impulse[row_of(w, i, t)] = w->outcome.p[2 * i + t];
  // velocities with constraints held; rows of contacts as they were tracked
  int *callers = w->response.pivot_row;
  for (int s = 0; s < 2 * n; s++)
    callers[s] = row_of(w, s / 2, s % 2);
  for (int r = 0; r < rows; r++) {
    double sum = p->before[r];
    for (int s = 0; s < 2 * n; s++)
      if (callers[s] >= 0) sum += w->problem.reduced[r * rows + callers[s]] * w->outcome.p[s];
    w->outcome.after[r] = r < c ? p->before[r] : sum;
  }
  for (int i = 0; i < n; i++) {
    w->outcome.after[row_of(w, i, false)] = w->state.v[2 * i];
    if (row_of(w, i, true) >= 0 && (w->problem.rough[i] || w->problem.user[i]))
      w->outcome.after[row_of(w, i, true)] = w->state.v[2 * i + 1];
  }
  for (int i = 0; i < c; i++) {
    w->response.right[i] = 0.0;
    for (int r = c; r < rows; r++)
      w->response.right[i] -= p->G[i * rows + r] * w->outcome.impulse[r];
    for (int k = 0; k < c; k++)
      w->response.matrix[i * c + k] = p->G[i * rows + k];
  }
  if (c > 0)
    carom_solve_semidefinite(c, w->response.matrix, w->response.right, CAROM_CONTACT_RANK,
                             w->response.pivot_row);
  double energy = 0.0;
  for (int i = 0; i < c; i++)
    w->outcome.impulse[i] = w->response.right[i];
  for (int i = 0; i < n; i++)
    for (int t = 0; t < 2; t++) {
      int row = row_of(w, i, t);
      if (row >= 0)
        energy += w->outcome.impulse[row] * 0.5 * (w->outcome.after[row] + p->before[row]);
    }
  w->outcome.result->energy = energy;
}

// Where no energy is lost, it is kept to the tolerance, over many steps.
static void set_tolerance(carom_energetic_workspace *w) {
  bool lossless = true;
  for (int i = 0; i < w->n; i++)
    lossless = lossless && energetic_keeps_energy(w, i);
  w->problem.tolerance = w->problem.options->tolerance;
  if (lossless && w->problem.tolerance < FINE) w->problem.tolerance *= 0.1;
  // an integration to a rough tolerance leaves noise of that size
  w->problem.tiny = fmax(1e-14, 0.1 * w->problem.tolerance);
}

carom_status carom_energetic_solve(const carom_energetic_problem *problem,
                                   const carom_energetic_options *options,
                                   carom_energetic_workspace *w, carom_energetic_result *result) {
  *result = (carom_energetic_result){.impulse = w->outcome.impulse,
                                     .after = w->outcome.after,
                                     .lost = w->outcome.lost,
                                     .rubbed = w->outcome.rubbed,
                                     .holding = w->outcome.holding,
                                     .phases = w->outcome.phases,
                                     .modes = w->outcome.modes,
                                     .log = w->outcome.log,
                                     .closed_form = true};
  if (problem->impact.rows > w->max_rows || problem->impact.contacts > w->max_contacts)
    return CAROM_ERR_ARGUMENT;
  carom_status status = check_problem(problem, options);
  if (status != CAROM_OK) return status;
  w->problem.asked = problem;
  w->problem.options = options;
  w->outcome.result = result;
  set_up(w);
  set_tolerance(w);
  measure_speeds(w);
  result->end = resolve_all(w);
  assert(result->events >= 0 && w->friction.classes <= w->n);
  if (result->end == CAROM_ENERGETIC_FINISHED) end_approach(w);
  for (int i = 0; i < w->n; i++)
    w->outcome.holding[w->problem.order[i]] = energetic_stored(w, i);
  set_modes(w);
  write_result(w);
  if (!is_finite(problem->impact.rows, w->outcome.after)) return CAROM_ERR_NONFINITE;
  if (result->end == CAROM_ENERGETIC_NO_RULE) return CAROM_ERR_ARGUMENT;
  if (result->end == CAROM_ENERGETIC_LOCKED) return CAROM_ERR_NO_CONVERGENCE;
  return result->end == CAROM_ENERGETIC_EXHAUSTED ? CAROM_ERR_LIMIT : CAROM_OK;
}
