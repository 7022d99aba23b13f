// SPDX-License-Identifier: MIT
/// The energetic law from outside: the problem brought into an order of its own, constraints
/// eliminated, closed form or integration, and the outcome in the caller's order.
#include "impact/energetic_internal.h"

#include "base/linear.h"

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
  return (carom_energetic_options){.tolerance = 1e-12, .max_steps = 400000};
}

void energetic_note(carom_energetic_workspace *w, carom_energetic_event_kind kind, int contact) {
  int at = w->result->events++;
  if (at < CAROM_ENERGETIC_LOG)
    w->log[at] = (carom_energetic_event){w->total, kind, w->order[contact]};
}

void energetic_note_friction(carom_energetic_workspace *w, int contact, int sign) {
  energetic_note(w,
                 sign > 0   ? CAROM_ENERGETIC_SLIPS_PLUS
                 : sign < 0 ? CAROM_ENERGETIC_SLIPS_MINUS
                            : CAROM_ENERGETIC_STICKS,
                 contact);
  // "3+ ": the number of the contact from its last digit on
  char item[16], *at = item + sizeof item, *word = w->result->word;
  *--at = '\0';
  *--at = "-s+"[(sign > 0) - (sign < 0) + 1];
  int number = w->order[contact];
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

typedef struct room {
  void *pointer; // to the pointer to be set
  size_t count, size;
} room;

carom_energetic_workspace *carom_energetic_workspace_create(carom_arena *arena, int max_rows,
                                                            int max_contacts) {
  carom_energetic_workspace *w = carom_arena_take(arena, sizeof *w);
  if (!w) return NULL;
  w->max_rows = max_rows;
  w->max_contacts = max_contacts;
  size_t rows = (size_t)max_rows, n = (size_t)max_contacts, m = 2 * n;
#define ROOM(field, number)                                                                        \
  { &w->field, (number), sizeof *w->field }
  const room rooms[] = {ROOM(order, n),
                        ROOM(place, n),
                        ROOM(reduced, rows * rows),
                        ROOM(H, m * m),
                        ROOM(rough, n),
                        ROOM(user, n),
                        ROOM(k, n),
                        ROOM(a, n),
                        ROOM(e, n),
                        ROOM(eta_out, n),
                        ROOM(stick, n),
                        ROOM(slide, n),
                        ROOM(root, m),
                        ROOM(allowed, n),
                        ROOM(habit, n),
                        ROOM(x, n),
                        ROOM(v, m),
                        ROOM(p, m),
                        ROOM(status, n),
                        ROOM(expanding, n),
                        ROOM(slip, n),
                        ROOM(family, n),
                        ROOM(coefficient, n),
                        ROOM(list, n),
                        ROOM(must_slip, n),
                        ROOM(must_sign, n),
                        ROOM(answered_slip, n),
                        ROOM(answered_family, n),
                        ROOM(answered_list, n),
                        ROOM(settled, n),
                        ROOM(calm, n),
                        ROOM(counted, n),
                        ROOM(shown, n),
                        ROOM(R, m * m),
                        ROOM(entry_count, m),
                        ROOM(entries, m * m),
                        ROOM(B, m * m),
                        ROOM(limit, n * m),
                        ROOM(kept, n),
                        ROOM(matrix, m * m + rows * rows),
                        ROOM(right, m + rows),
                        ROOM(column, m + rows),
                        ROOM(pivot_row, m + rows),
                        ROOM(pivot_column, m + rows),
                        ROOM(F, m),
                        ROOM(P, m),
                        ROOM(Q, m),
                        ROOM(X, n),
                        ROOM(V, m),
                        ROOM(old, m),
                        ROOM(live, m),
                        ROOM(ahead, m),
                        ROOM(energy, n),
                        ROOM(trial, m),
                        ROOM(when_turn, n),
                        ROOM(when_end, n),
                        ROOM(when_join, n),
                        ROOM(when_slip, n),
                        ROOM(when_break, n),
                        ROOM(break_sign, n),
                        ROOM(choice_G, m * m),
                        ROOM(choice_b, m),
                        ROOM(choice_stick, n),
                        ROOM(choice_slide, n),
                        ROOM(choice_floor, n),
                        ROOM(choice_normal, n),
                        ROOM(choice_tangent, n),
                        ROOM(choice_sliding, n),
                        ROOM(choice_class, m),
                        ROOM(choice_single, n),
                        ROOM(choice_modes, n),
                        ROOM(choice_excluded, n),
                        ROOM(choice_lambda, m),
                        ROOM(choice_rate, m),
                        ROOM(split, n),
                        ROOM(split_now, n),
                        ROOM(split_whole, n),
                        ROOM(split_halves, n),
                        ROOM(split_first, n),
                        ROOM(split_full, n),
                        ROOM(impulse, rows),
                        ROOM(after, rows),
                        ROOM(lost, n),
                        ROOM(rubbed, n),
                        ROOM(holding, n),
                        ROOM(phases, n),
                        ROOM(modes, n)};
#undef ROOM
  for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++) {
    void *taken = carom_arena_array(arena, rooms[i].count, rooms[i].size);
    if (!taken) return NULL;
    memcpy(rooms[i].pointer, &taken, sizeof taken);
  }
  w->choice = carom_contact_workspace_create(arena, 2 * max_contacts, max_contacts);
  for (int t = 0; t < ENERGETIC_TABLES; t++)
    energetic_table_fill(&w->tables[t], NODES[t]);
  return w->choice && energetic_march_create(w, arena) && energetic_collapse_create(w, arena)
             ? w
             : NULL;
}

// ---- the problem

static bool is_finite(int n, const double *a) {
  for (int k = 0; k < n; k++)
    if (!isfinite(a[k])) return false;
  return true;
}

static carom_status check(const carom_energetic_problem *problem,
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
  return o->tolerance > 0.0 && o->max_steps > 0 ? CAROM_OK : CAROM_ERR_ARGUMENT;
}

// G - G_c^T G_cc^-1 G_c: what rows answer when constraints hold
static void eliminate(carom_energetic_workspace *w, const carom_impact_problem *p) {
  int rows = p->rows, c = p->constraints;
  memcpy(w->reduced, p->G, (size_t)(rows * rows) * sizeof(double));
  for (int j = c; j < rows && c > 0; j++) {
    for (int i = 0; i < c; i++) {
      w->right[i] = p->G[i * rows + j];
      for (int k = 0; k < c; k++)
        w->matrix[i * c + k] = p->G[i * rows + k];
    }
    carom_solve_semidefinite(c, w->matrix, w->right, CAROM_CONTACT_RANK, w->pivot_row);
    for (int i = 0; i < rows; i++)
      for (int k = 0; k < c; k++)
        w->reduced[i * rows + j] -= p->G[i * rows + k] * w->right[k];
  }
}

// Does contact i come before contact j? By what does not depend on the order they are given in; of
// contacts alike, by what couples them to the first of all.
static int precedence(const carom_energetic_workspace *w, int i, int j, int first) {
  const carom_energetic_problem *q = w->problem;
  const carom_impact_problem *p = &q->impact;
  int rows = p->rows, a = p->normal[i], b = p->normal[j];
  const double left[] = {
      p->before[a], w->reduced[a * rows + a], q->stiffness[i], q->exponent[i], p->e[i], p->stick[i],
      p->slide[i]};
  const double right[] = {
      p->before[b], w->reduced[b * rows + b], q->stiffness[j], q->exponent[j], p->e[j], p->stick[j],
      p->slide[j]};
  for (size_t k = 0; k < sizeof left / sizeof *left; k++)
    if (left[k] != right[k]) return left[k] < right[k] ? -1 : 1;
  if (first < 0) return 0;
  int row = p->normal[first];
  double x = w->reduced[a * rows + row], y = w->reduced[b * rows + row];
  return x < y ? -1 : x > y ? 1 : 0;
}

static void sort(carom_energetic_workspace *w, int n, int first) {
  for (int i = 1; i < n; i++) {
    int moving = w->order[i], j = i;
    for (; j > 0 && precedence(w, w->order[j - 1], moving, first) > 0; j--)
      w->order[j] = w->order[j - 1];
    w->order[j] = moving;
  }
}

static void set_order(carom_energetic_workspace *w, int n) {
  for (int i = 0; i < n; i++)
    w->order[i] = i;
  sort(w, n, -1);
  // where the first is not one of several alike, it tells others apart
  if (n > 2 && precedence(w, w->order[0], w->order[1], -1) != 0) sort(w, n, w->order[0]);
  for (int i = 0; i < n; i++)
    w->place[w->order[i]] = i;
}

static int row_of(const carom_energetic_workspace *w, int i, bool tangent) {
  const carom_impact_problem *p = &w->problem->impact;
  int contact = w->order[i];
  return tangent ? p->tangent[contact] : p->normal[contact];
}

static void set_contact(carom_energetic_workspace *w, int i) {
  const carom_energetic_problem *q = w->problem;
  const carom_impact_problem *p = &q->impact;
  int c = w->order[i], tangent = p->tangent[c], rows = p->rows;
  double own = tangent >= 0 ? w->reduced[tangent * rows + tangent] : 0.0;
  bool lies = own > 1e-14 * (tangent >= 0 ? p->G[tangent * rows + tangent] : 0.0);
  w->user[i] = lies && q->has_law && q->has_law[c] && q->law;
  w->rough[i] = lies && !w->user[i] && p->stick[c] > 0.0;
  w->k[i] = q->stiffness[c];
  w->a[i] = q->exponent[c];
  w->e[i] = p->e[c];
  w->eta_out[i] = p->e[c] * p->e[c];
  w->stick[i] = p->stick[c];
  w->slide[i] = p->slide[c];
  w->habit[i] = q->habit ? q->habit[c] : (carom_energetic_habit){0};
  w->v[2 * i] = p->before[p->normal[c]];
  w->v[2 * i + 1] = tangent >= 0 ? p->before[tangent] : 0.0;
}

static void set_up(carom_energetic_workspace *w) {
  const carom_impact_problem *p = &w->problem->impact;
  int n = w->n = p->contacts, size = 2 * n;
  eliminate(w, p);
  set_order(w, n);
  for (int i = 0; i < n; i++)
    set_contact(w, i);
  int *callers = w->pivot_row; // the caller's rows, or -1
  for (int r = 0; r < size; r++)
    callers[r] = row_of(w, r / 2, r % 2);
  for (int r = 0; r < size; r++) {
    const double *row = w->reduced + (callers[r] >= 0 ? callers[r] * p->rows : 0);
    for (int s = 0; s < size; s++)
      w->H[r * size + s] = callers[r] >= 0 && callers[s] >= 0 ? row[callers[s]] : 0.0;
    double own = w->H[r * size + r];
    w->root[r] = own > 0.0 ? sqrt(own) : 1.0;
    w->p[r] = 0.0;
  }
  for (int i = 0; i < n; i++) {
    w->slip[i] = 0;
    w->kept[i] = w->family[i] = -1;
    w->x[i] = 0.0;
    w->lost[i] = w->rubbed[i] = 0.0;
    w->phases[i] = 0;
  }
  w->total = 0.0;
  w->ending = (energetic_ending){0};
  w->classes = 0;
  w->channels = n;
  for (int i = 0; i < n; i++)
    if (w->user[i]) w->channels = 2 * n;
}

static void measure(carom_energetic_workspace *w) {
  w->speed = w->slip_speed = 0.0;
  for (int i = 0; i < w->n; i++) {
    w->speed = fmax(w->speed, fabs(w->v[2 * i]) / w->root[2 * i]);
    w->slip_speed = fmax(w->slip_speed, w->speed);
    if (w->rough[i] || w->user[i])
      w->slip_speed = fmax(w->slip_speed, fabs(w->v[2 * i + 1]) / w->root[2 * i + 1]);
  }
}

// ---- the outcome

// contacts that approach by more than `limit` of the speed; returns their number, the last one in
// `which`
static int approaching(const carom_energetic_workspace *w, double limit, int *which) {
  int count = 0;
  for (int i = 0; i < w->n; i++)
    if (w->v[2 * i] < -limit * w->speed * w->root[2 * i]) {
      count++;
      *which = i;
    }
  return count;
}

// Other rules of restitution look at a contact from its beginning to its end, and are not told
// apart from what others do to it meanwhile.
static bool energetic_rule_only(const carom_energetic_workspace *w) {
  for (int i = 0; i < w->n; i++)
    if (w->allowed[i] && w->habit[i].stop != CAROM_STOP_ENERGETIC) return false;
  return true;
}

// one round: those allowed, in closed form if it is one alone
static carom_energetic_end resolve(carom_energetic_workspace *w, int pushing) {
  int which = pushing, count = pushing >= 0 ? 1 : approaching(w, APPROACH, &which);
  bool single = count == 1 && !w->user[which] && !w->options->integrate;
  if (single && energetic_single(w, which, pushing >= 0)) {
    w->result->closed_form = w->result->steps == 0;
    return CAROM_ENERGETIC_FINISHED;
  }
  w->result->closed_form = false;
  if (!energetic_rule_only(w)) return CAROM_ENERGETIC_NO_RULE;
  if (pushing >= 0) {
    // an infinitesimal approach; errors are measured against what becomes of it
    double seed = SEED * w->slip_speed;
    w->v[2 * pushing] = fmin(w->v[2 * pushing], -seed * w->root[2 * pushing]);
    w->speed = seed;
  }
  return energetic_run(w);
}

static carom_energetic_end resolve_all(carom_energetic_workspace *w) {
  int pushing = w->problem->impact.pushing, which;
  if (pushing >= 0) pushing = w->place[pushing];
  bool wait = false;
  for (int i = 0; i < w->n; i++) {
    w->allowed[i] = true;
    wait = wait || w->habit[i].waits;
  }
  if (pushing >= 0 && approaching(w, APPROACH, &which) > 0) pushing = -1;
  if (!wait)
    return pushing < 0 && approaching(w, APPROACH, &which) == 0 ? CAROM_ENERGETIC_FINISHED
                                                                : resolve(w, pushing);
  for (int turn = 0; turn < TURNS; turn++) {
    // what a round leaves of approach is known to the tolerance only
    double limit = turn == 0 ? APPROACH : fmax(APPROACH, LEFT * w->tolerance);
    if (pushing < 0 && approaching(w, limit, &which) == 0) return CAROM_ENERGETIC_FINISHED;
    if (turn == CAGE_TURNS && energetic_has_cage(w)) return CAROM_ENERGETIC_LOCKED;
    for (int i = 0; i < w->n; i++)
      w->allowed[i] =
          !w->habit[i].waits || i == pushing || w->v[2 * i] < -APPROACH * w->speed * w->root[2 * i];
    carom_energetic_end end = resolve(w, pushing);
    if (end != CAROM_ENERGETIC_FINISHED) return end;
    pushing = -1;
  }
  return CAROM_ENERGETIC_EXHAUSTED;
}

// what is left of approach when all is over is less than counts
static void end_approach(carom_energetic_workspace *w) {
  for (int i = 0; i < w->n; i++)
    w->v[2 * i] = fmax(0.0, w->v[2 * i]);
}

static void set_modes(carom_energetic_workspace *w) {
  for (int i = 0; i < w->n; i++) {
    double v = w->v[2 * i], slip = w->v[2 * i + 1];
    carom_contact_mode mode = CAROM_CONTACT_OPEN;
    if (fabs(v) <= APPROACH * w->speed * w->root[2 * i]) {
      mode = CAROM_CONTACT_CLOSED;
      if (w->rough[i]) {
        bool rests = fabs(slip) <= APPROACH * w->slip_speed * w->root[2 * i + 1];
        mode = rests      ? CAROM_CONTACT_STICK
               : slip > 0 ? CAROM_CONTACT_SLIP_PLUS
                          : CAROM_CONTACT_SLIP_MINUS;
      }
    }
    w->modes[w->order[i]] = mode;
  }
}

// impulses and velocities of all rows of the caller, and the energy balance
static void write_result(carom_energetic_workspace *w) {
  const carom_impact_problem *p = &w->problem->impact;
  int rows = p->rows, c = p->constraints, n = w->n;
  for (int r = 0; r < rows; r++)
    w->impulse[r] = 0.0;
  for (int i = 0; i < n; i++)
    for (int t = 0; t < 2; t++)
      if (row_of(w, i, t) >= 0) w->impulse[row_of(w, i, t)] = w->p[2 * i + t];
  // velocities with constraints held; rows of contacts as they were tracked
  int *callers = w->pivot_row;
  for (int s = 0; s < 2 * n; s++)
    callers[s] = row_of(w, s / 2, s % 2);
  for (int r = 0; r < rows; r++) {
    double sum = p->before[r];
    for (int s = 0; s < 2 * n; s++)
      if (callers[s] >= 0) sum += w->reduced[r * rows + callers[s]] * w->p[s];
    w->after[r] = r < c ? p->before[r] : sum;
  }
  for (int i = 0; i < n; i++) {
    w->after[row_of(w, i, false)] = w->v[2 * i];
    if (row_of(w, i, true) >= 0 && (w->rough[i] || w->user[i]))
      w->after[row_of(w, i, true)] = w->v[2 * i + 1];
  }
  for (int i = 0; i < c; i++) {
    w->right[i] = 0.0;
    for (int r = c; r < rows; r++)
      w->right[i] -= p->G[i * rows + r] * w->impulse[r];
    for (int k = 0; k < c; k++)
      w->matrix[i * c + k] = p->G[i * rows + k];
  }
  if (c > 0) carom_solve_semidefinite(c, w->matrix, w->right, CAROM_CONTACT_RANK, w->pivot_row);
  double energy = 0.0;
  for (int i = 0; i < c; i++)
    w->impulse[i] = w->right[i];
  for (int i = 0; i < n; i++)
    for (int t = 0; t < 2; t++) {
      int row = row_of(w, i, t);
      if (row >= 0) energy += w->impulse[row] * 0.5 * (w->after[row] + p->before[row]);
    }
  w->result->energy = energy;
}

// Where no energy is lost, it is kept to the tolerance, over many steps.
static void set_tolerance(carom_energetic_workspace *w) {
  bool lossless = true;
  for (int i = 0; i < w->n; i++)
    lossless = lossless && energetic_keeps_energy(w, i);
  w->tolerance = w->options->tolerance;
  if (lossless && w->tolerance < FINE) w->tolerance *= 0.1;
  // an integration to a rough tolerance leaves noise of that size
  w->tiny = fmax(1e-14, 0.1 * w->tolerance);
}

carom_status carom_energetic_solve(const carom_energetic_problem *problem,
                                   const carom_energetic_options *options,
                                   carom_energetic_workspace *w, carom_energetic_result *result) {
  *result = (carom_energetic_result){.impulse = w->impulse,
                                     .after = w->after,
                                     .lost = w->lost,
                                     .rubbed = w->rubbed,
                                     .holding = w->holding,
                                     .phases = w->phases,
                                     .modes = w->modes,
                                     .log = w->log,
                                     .closed_form = true};
  if (problem->impact.rows > w->max_rows || problem->impact.contacts > w->max_contacts)
    return CAROM_ERR_ARGUMENT;
  carom_status status = check(problem, options);
  if (status != CAROM_OK) return status;
  w->problem = problem;
  w->options = options;
  w->result = result;
  set_up(w);
  set_tolerance(w);
  measure(w);
  result->end = resolve_all(w);
  if (result->end == CAROM_ENERGETIC_FINISHED) end_approach(w);
  for (int i = 0; i < w->n; i++)
    w->holding[w->order[i]] = energetic_stored(w, i);
  set_modes(w);
  write_result(w);
  if (!is_finite(problem->impact.rows, w->after)) return CAROM_ERR_NONFINITE;
  if (result->end == CAROM_ENERGETIC_NO_RULE) return CAROM_ERR_ARGUMENT;
  if (result->end == CAROM_ENERGETIC_LOCKED) return CAROM_ERR_NO_CONVERGENCE;
  return result->end == CAROM_ENERGETIC_EXHAUSTED ? CAROM_ERR_LIMIT : CAROM_OK;
}
