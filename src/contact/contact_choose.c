// SPDX-License-Identifier: MIT
/// Choosing modes. The sets are searched depth first. A part-set is
/// discarded when even the conditions that hold in every mode of the undecided contacts (lambda in
/// its cone, rate_N >= 0) cannot be met together with those of the decided ones (a linear program),
/// or when it cannot beat the best set found. This keeps eight contacts within reach.
#include "contact/contact_internal.h"

#include <assert.h>
#include <math.h>

/// Rates closer than this (relative) count as the same.
#define SAME_RATE 1e-6
/// The same for norms of forces.
#define SAME_NORM 1e-9
/// What forces that change no rate leave in it by rounding.
#define FIXED 1e-12

enum { ILLEGAL = -2, CHOICES = 6 };
enum { MANY_NODES = 60 };

typedef struct search {
  const carom_contact_problem *problem;
  const carom_contact_query *query;
  scaled_problem *p;
  carom_contact_workspace *work;
  // what is searched
  bool has_extra, genuine;
  contact_form extra;
  double apart;    // least difference of rates asked by `extra`
  int determining; // rows, the first of the workspace's `order`, whose rates tell all others
  int must_open;   // contact, or -1
  // found
  bool found, begins;         // the slips of the best would begin by mu_s, too
  int sticks, changes, opens; // of the best
  int nodes, limit;
  bool gave_up;
} search;

carom_contact_query carom_contact_query_default(const carom_contact_mode *current) {
  return (carom_contact_query){.current = current,
                               .find_other = true,
                               .flight = true,
                               .blame = true,
                               .pushing = -1,
                               .node_limit = 20000};
}

static bool is_stick(int mode) {
  return mode == CAROM_CONTACT_STICK || mode == CAROM_CONTACT_PUSHED_STICK;
}

static void copy_modes(int n, const int *from, int *to) {
  for (int i = 0; i < n; i++)
    to[i] = from[i];
}

// the modes a contact can be in, in order of preference; returns their number
static int list_choices(const scaled_problem *p, int i, int *list) {
  assert(i >= 0 && i < p->contacts);
  bool pushed = p->floor[i] > 0.0;
  int n = 0;
  if (p->tangent[i] < 0) {
    list[n++] = CAROM_CONTACT_CLOSED;
    list[n++] = pushed ? CAROM_CONTACT_PUSHED : CAROM_CONTACT_OPEN;
    return n;
  }
  if (p->sliding[i] == 0) list[n++] = CAROM_CONTACT_STICK;
  if (p->sliding[i] == 0 && p->cross[i] >= 0) {
    // which way it slips is found out elsewhere
    list[n++] = pushed ? CAROM_CONTACT_PUSHED_STICK : CAROM_CONTACT_OPEN;
    return n;
  }
  if (p->sliding[i] >= 0) list[n++] = CAROM_CONTACT_SLIP_PLUS;
  if (p->sliding[i] <= 0) list[n++] = CAROM_CONTACT_SLIP_MINUS;
  if (!pushed) {
    list[n++] = CAROM_CONTACT_OPEN;
    return n;
  }
  if (p->sliding[i] == 0) list[n++] = CAROM_CONTACT_PUSHED_STICK;
  if (p->sliding[i] >= 0) list[n++] = CAROM_CONTACT_PUSHED_PLUS;
  if (p->sliding[i] <= 0) list[n++] = CAROM_CONTACT_PUSHED_MINUS;
  return n;
}

static int rank_of(const scaled_problem *p, int i, int mode) {
  int list[CHOICES], n = list_choices(p, i, list);
  assert(n <= CHOICES);
  for (int c = 0; c < n; c++)
    if (list[c] == mode) return c;
  return n;
}

static bool can_stick(const scaled_problem *p, int i) {
  return p->tangent[i] >= 0 && p->sliding[i] == 0;
}

// of sets that nothing else tells apart the one that changes the lower index
static bool comes_first(const search *f) {
  const int *trial = f->work->trial, *best = f->work->best, *current = f->work->current;
  for (int i = 0; i < f->p->contacts; i++) {
    bool changed = trial[i] != current[i];
    if (changed != (best[i] != current[i])) return changed;
  }
  for (int i = 0; i < f->p->contacts; i++) {
    int a = rank_of(f->p, i, trial[i]), b = rank_of(f->p, i, best[i]);
    if (a != b) return a < b;
  }
  return false;
}

static bool is_excluded(const search *f) {
  const carom_contact_query *q = f->query;
  int n = f->p->contacts;
  for (int e = 0; e < q->excluded_count; e++) {
    bool same = true;
    for (int i = 0; i < n && same; i++) {
      carom_contact_mode out = contact_turn_mode(f->p, i, q->excluded[e * n + i]);
      same = (int)contact_normal_mode(f->p, i, out) == f->work->trial[i];
    }
    if (same) return true;
  }
  return false;
}

// an admissible force for the modes now exists; it is left in probe_lambda, probe_rate
static bool force_exists(search *f, const scaled_problem *p, const int *modes, bool with_extra,
                         bool part) {
  contact_system *s = &f->work->system;
  contact_system_build(p, modes, s);
  if (with_extra && f->has_extra) contact_system_add_form(s, f->extra);
  contact_system_solve(p, s);
  return contact_system_feasible(p, s, &f->work->program, part, f->work->probe_lambda,
                                 f->work->probe_rate);
}

static bool holds_ahead(search *f) {
  if (!f->query->ahead) return true;
  carom_contact_workspace *w = f->work;
  for (int i = 0; i < f->p->contacts; i++) {
    carom_contact_mode mode = contact_turn_mode(f->p, i, (carom_contact_mode)w->trial[i]);
    mode = contact_turn_mode(&w->later, i, mode);
    w->later_modes[i] = (int)contact_normal_mode(&w->later, i, mode);
  }
  return force_exists(f, &w->later, w->later_modes, false, false);
}

// would the starting slips of the trial also start against mu_s?
static bool is_genuine(search *f) {
  scaled_problem *p = f->p;
  bool doubtful = false;
  for (int i = 0; i < p->contacts; i++) {
    f->work->swap[i] = p->slide[i];
    int sign = carom_contact_slip_sign((carom_contact_mode)f->work->trial[i]);
    bool starts = p->sliding[i] == 0 && sign != 0 && sign != p->braking[i]; // or goes on
    if (!starts || !(p->stick[i] > p->slide[i])) continue;
    doubtful = true;
    p->slide[i] = p->stick[i];
  }
  bool genuine = !doubtful || force_exists(f, p, f->work->trial, false, false);
  for (int i = 0; i < p->contacts; i++)
    p->slide[i] = f->work->swap[i];
  return genuine;
}

static bool is_allowed(search *f) {
  if (is_excluded(f)) return false;
  if (f->genuine && !is_genuine(f)) return false;
  return holds_ahead(f);
}

static bool is_consistent(search *f) {
  return is_allowed(f) && force_exists(f, f->p, f->work->trial, true, false);
}

// the least norm of forces in these modes
static double least_norm(search *f, const int *modes) {
  const scaled_problem *p = f->p;
  contact_system *s = &f->work->system;
  double sum = 0.0;
  contact_system_build(p, modes, s);
  if (f->has_extra) contact_system_add_form(s, f->extra);
  contact_system_solve(p, s);
  contact_system_least(p, s, &f->work->program, f->work->probe_lambda, f->work->probe_rate);
  for (int k = 0; k < p->rows; k++) {
    double force = p->metric[k] * f->work->probe_lambda[k];
    sum += force * force;
  }
  return sqrt(sum);
}

// Is `trial` preferred to `best`, which has as many sticks, changes and open contacts? By forces,
// which do not depend on the order of contacts; that decides only between sets alike.
static bool trial_precedes(search *f) {
  double trial = least_norm(f, f->work->trial), best = least_norm(f, f->work->best);
  if (fabs(trial - best) > SAME_NORM * fmax(trial, best)) return trial < best;
  return comes_first(f);
}

// Where as many stick, slips that mu_s would hold do not begin: with one mu, who sets off is
// certain.
static void keep_best(search *f, int sticks, int changes, int opens) {
  bool begins = is_genuine(f), alike = f->found && sticks == f->sticks;
  if (alike && begins != f->begins) {
    if (!begins) return;
  } else if (alike && (changes != f->changes || opens != f->opens)) {
    if (changes > f->changes || (changes == f->changes && opens > f->opens)) return;
  } else if (alike && !trial_precedes(f)) {
    return;
  }
  f->found = true;
  f->begins = begins;
  f->sticks = sticks;
  f->changes = changes;
  f->opens = opens;
  for (int i = 0; i < f->p->contacts; i++)
    f->work->best[i] = f->work->trial[i];
}

// can sets that complete the trial still be preferred to the best?
static bool can_win(const search *f, int sticks, int changes, int opens) {
  if (!f->found) return true;
  int most = sticks;
  for (int i = 0; i < f->p->contacts; i++)
    most += f->work->trial[i] == CONTACT_UNDECIDED && can_stick(f->p, i);
  if (most != f->sticks) return most > f->sticks;
  if (!f->begins) return true;
  if (changes != f->changes) return changes < f->changes;
  return opens <= f->opens;
}

// how far forces and rates of an undecided contact are from every mode
static double measure_indecision(const scaled_problem *p, int i, const double *lambda,
                                 const double *rate) {
  int normal = p->normal[i], tangent = p->tangent[i];
  double N = lambda[normal] - p->floor[i], closed = fabs(rate[normal]), open = fabs(N);
  if (tangent < 0) return fmin(closed, open);
  double T = lambda[tangent], slip = rate[tangent], rubs = INFINITY;
  if (p->sliding[i] == 0) rubs = fabs(slip);
  for (int sign = -1; sign <= 1; sign += 2) {
    if (p->sliding[i] == -sign) continue;
    double wrong_way = p->sliding[i] ? 0.0 : fmax(0.0, -sign * slip);
    rubs = fmin(rubs, fabs(T + sign * p->slide[i] * lambda[normal]) + wrong_way);
  }
  if (p->floor[i] > 0.0) return fmin(closed, open) + rubs;
  return fmin(closed + rubs, open + fabs(T));
}

// the contact whose decision matters most: where the forces found for the part-set fit no mode
static int next_contact(const search *f) {
  int next = -1;
  double most = contact_slack(f->p, f->work->probe_lambda);
  for (int i = 0; i < f->p->contacts; i++) {
    if (f->work->trial[i] != CONTACT_UNDECIDED) continue;
    double value = measure_indecision(f->p, i, f->work->probe_lambda, f->work->probe_rate);
    if (next >= 0 && !(value > most)) continue;
    next = i;
    most = fmax(most, value);
  }
  return next;
}

static void descend_tree(search *f, int undecided, int sticks, int changes, int opens) {
  if (!can_win(f, sticks, changes, opens)) return;
  if (f->nodes >= f->limit) {
    f->gave_up = true;
    return;
  }
  f->nodes++;
  int *trial = f->work->trial;
  if (undecided == 0) {
    if (is_consistent(f)) keep_best(f, sticks, changes, opens);
    return;
  }
  // a part-set must leave a chance; the empty one of a single contact need not be asked
  bool single = f->p->contacts == 1;
  if (!single && !force_exists(f, f->p, trial, true, true)) return;
  int i = single ? 0 : next_contact(f), list[CHOICES], count = list_choices(f->p, i, list);
  for (int c = 0; c < count; c++) {
    bool open = !carom_contact_is_closed((carom_contact_mode)list[c]);
    if (f->must_open == i && !open) continue;
    trial[i] = list[c];
    bool changed = list[c] != f->work->current[i];
    descend_tree(f, undecided - 1, sticks + is_stick(list[c]), changes + changed, opens + open);
  }
  trial[i] = CONTACT_UNDECIDED;
}

// A node costs a linear program that grows with the contacts, and the sets grow faster: where they
// are many the search only takes what is near.
static void allow_nodes(search *f) {
  int n = f->p->contacts, few = n >= CONTACT_TOO_MANY ? 0 : MANY_NODES;
  f->limit = f->query->node_limit;
  if (n >= CONTACT_MANY && f->nodes + few < f->limit) f->limit = f->nodes + few;
}

static void run_search(search *f) {
  for (int i = 0; i < f->p->contacts; i++)
    f->work->trial[i] = CONTACT_UNDECIDED;
  descend_tree(f, f->p->contacts, 0, 0, 0);
}

// the trial, counted as the search counts
static void keep_trial(search *f) {
  int sticks = 0, changes = 0, opens = 0;
  for (int i = 0; i < f->p->contacts; i++) {
    int mode = f->work->trial[i];
    sticks += is_stick(mode);
    changes += mode != f->work->current[i];
    opens += !carom_contact_is_closed((carom_contact_mode)mode);
  }
  keep_best(f, sticks, changes, opens);
}

// May every contact be in its mode of the trial? One at rest in space has no direction to slip in
// here.
static bool is_choice(const search *f) {
  for (int i = 0; i < f->p->contacts; i++) {
    int list[CHOICES], n = list_choices(f->p, i, list), k = 0;
    while (k < n && list[k] != f->work->trial[i])
      k++;
    if (k == n) return false;
  }
  return true;
}

// Modes of the friction solver, where they hold by the law as stated and are not ruled out.
static void take_proposal(search *f) {
  carom_contact_workspace *w = f->work;
  for (int attempt = 0; attempt < 3 && !f->found; attempt++) {
    if (!contact_propose(f->p, &w->proposal, w->current, attempt, w->best)) continue;
    copy_modes(f->p->contacts, w->best, w->trial);
    f->nodes++;
    if (is_choice(f) && is_consistent(f)) keep_trial(f);
  }
}

// The preferred set, by search, which needs to look at less where one is known: where contacts are
// several the friction solver is asked first, and where they are many its answer may stay.
static bool find_preferred(search *f) {
  allow_nodes(f);
  f->found = false;
  if (f->p->contacts >= CONTACT_SEVERAL) take_proposal(f);
  run_search(f);
  return f->found;
}

// ---- uniqueness

// is the symmetric matrix positive definite? (Cholesky, in place)
static bool is_definite(int n, double *K) {
  for (int k = 0; k < n; k++) {
    double pivot = K[k * n + k];
    if (!(pivot > 1e-9)) return false;
    for (int i = k + 1; i < n; i++)
      for (int j = k + 1; j <= i; j++)
        K[i * n + j] -= K[i * n + k] * K[j * n + k] / pivot;
  }
  return true;
}

// Is uniqueness of the rates certain? For two solutions with differences x of forces and G x of
// rates, complementarity gives x.G x <= sum mu_i |x_Ni| |(G x)_Ti|, at most half the sum of
// mu_i (a_i x_Ni^2 + (G x)_Ti^2 / a_i) for any a_i > 0. When G minus the matrix of that form is
// positive definite, x = 0. Without friction the rates are unique for singular G as well.
static bool surely_unique(search *f) {
  const scaled_problem *p = f->p;
  contact_system *s = &f->work->system;
  int n = p->rows, *modes = f->work->trial;
  double *K = f->work->basis;
  bool friction = false;
  for (int i = 0; i < p->contacts; i++) {
    friction = friction || p->tangent[i] >= 0;
    modes[i] = p->tangent[i] >= 0 ? CAROM_CONTACT_STICK : CAROM_CONTACT_CLOSED;
  }
  if (!friction) return true;
  contact_system_build(p, modes, s);
  for (int k = 0; k < n * n; k++)
    K[k] = p->G[k];
  bool fresh = true;
  for (int i = 0; i < p->contacts; i++) {
    int normal = p->normal[i], tangent = p->tangent[i];
    if (tangent < 0) continue;
    double inverse = contact_system_inverse(p, s, normal, fresh);
    fresh = false;
    if (!(inverse > 0.0)) return false;
    // the a_i that balances both parts
    const double *g = p->G + (size_t)tangent * (size_t)n;
    double mu = fmax(p->stick[i], p->slide[i]), a = sqrt(g[tangent] / inverse);
    K[normal * n + normal] -= 0.5 * mu * a;
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        K[j * n + k] -= 0.5 * mu / a * g[j] * g[k];
  }
  return is_definite(n, K);
}

// rows whose rates determine all others (pivoted Cholesky); returns their number
static int basis_rows(carom_contact_workspace *w, const scaled_problem *p) {
  int n = p->rows;
  double *L = w->basis;
  for (int i = 0; i < n * n; i++)
    L[i] = p->G[i];
  for (int i = 0; i < n; i++)
    w->order[i] = i;
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int i = k + 1; i < n; i++)
      if (L[w->order[i] * n + w->order[i]] > L[w->order[best] * n + w->order[best]]) best = i;
    int row = w->order[best];
    w->order[best] = w->order[k];
    w->order[k] = row;
    double pivot = L[row * n + row];
    if (!(pivot > 1e-9)) return k;
    for (int i = k + 1; i < n; i++)
      for (int j = k + 1; j < n; j++)
        L[w->order[i] * n + w->order[j]] -=
            L[w->order[i] * n + row] * L[w->order[j] * n + row] / pivot;
  }
  return n;
}

// asks that the rate of a row differ from that of the best, upwards or downwards
static void ask_apart(search *f, int row, int sign) {
  f->has_extra = true;
  f->extra = (contact_form){.constant = -sign * f->work->best_rate[row] - f->apart,
                            .rate_row = row,
                            .rate_factor = sign,
                            .weight = 1.0,
                            .contact = -1};
}

// the same rate in all forces of the system that was solved last
static bool is_fixed(const search *f, int row) {
  const contact_system *s = &f->work->system;
  for (int k = 0; k < s->nullity; k++)
    if (fabs(s->null_rate[k * f->p->rows + row]) > FIXED) return false;
  return true;
}

// Has the trial a force whose rates differ from the best, in whatever row? Of a full set `extra`
// asks for that difference then.
static bool trial_differs(search *f, bool part) {
  const carom_contact_workspace *w = f->work;
  int first = -1, sign = 0;
  if (!force_exists(f, f->p, w->trial, false, part)) return false;
  for (int r = 0; r < f->determining; r++) {
    double difference = w->probe_rate[w->order[r]] - w->best_rate[w->order[r]];
    w->fixed[r] = is_fixed(f, w->order[r]);
    if (first >= 0 || fabs(difference) <= f->apart) continue;
    first = w->order[r];
    sign = difference > 0.0 ? 1 : -1;
  }
  if (first >= 0 && part) return true;
  if (first >= 0) ask_apart(f, first, sign);
  if (first >= 0 && force_exists(f, f->p, w->trial, true, false)) return true;
  for (int r = 0; r < f->determining; r++)
    for (sign = 1; sign >= -1 && !w->fixed[r]; sign -= 2) {
      ask_apart(f, w->order[r], sign);
      if (force_exists(f, f->p, w->trial, true, part)) return true;
    }
  return false;
}

// as descend, for a consistent set (or the same, with another force) whose rates differ from the
// best
static bool descend_apart(search *f, int undecided) {
  if (f->nodes >= f->limit) {
    f->gave_up = true;
    return false;
  }
  f->nodes++;
  int *trial = f->work->trial;
  if (undecided == 0) return is_allowed(f) && trial_differs(f, false);
  if (!trial_differs(f, true)) return false;
  int i = next_contact(f), list[CHOICES], count = list_choices(f->p, i, list);
  for (int c = 0; c < count; c++) {
    trial[i] = list[c];
    if (descend_apart(f, undecided - 1)) return true;
  }
  trial[i] = CONTACT_UNDECIDED;
  return false;
}

static bool find_different(search *f) {
  if (surely_unique(f)) return false;
  allow_nodes(f);
  carom_contact_workspace *w = f->work;
  // large forces leave large rounding in the rates
  f->apart = f->p->size;
  for (int k = 0; k < f->p->rows; k++)
    f->apart = fmax(f->apart, fabs(w->best_lambda[k]));
  f->apart *= SAME_RATE;
  // those of constraints do not move
  int count = basis_rows(w, f->p);
  f->determining = 0;
  for (int r = 0; r < count; r++)
    if (w->order[r] >= f->p->constraints) w->order[f->determining++] = w->order[r];
  for (int i = 0; i < f->p->contacts; i++)
    w->trial[i] = CONTACT_UNDECIDED;
  if (!descend_apart(f, f->p->contacts)) return false;
  copy_modes(f->p->contacts, w->trial, w->best);
  return true;
}

// ---- Painleve

// the slipping contact of `modes` with the smallest coefficient relative to G_NN
static int worst_coefficient(search *f, const int *modes, const int *against, double *coefficient) {
  const scaled_problem *p = f->p;
  int worst = -1;
  double least = INFINITY;
  for (int i = 0; i < p->contacts; i++) {
    carom_contact_mode mode = (carom_contact_mode)modes[i];
    if (!carom_contact_is_closed(mode) || carom_contact_slip_sign(mode) == 0) continue;
    if (against && carom_contact_is_closed((carom_contact_mode)against[i])) continue;
    double value = contact_coefficient(p, modes, i, &f->work->system);
    double own = f->problem->G[f->problem->normal[i] * f->problem->rows + f->problem->normal[i]];
    if (worst >= 0 && !(value / own < least)) continue;
    least = value / own;
    worst = i;
    *coefficient = value;
  }
  return worst;
}

// takes over the coefficient of contact i slipping each way it can among the others in `modes`
static void blame_contact(search *f, int *modes, int i, double *least,
                          carom_contact_choice *choice) {
  int before = modes[i];
  double own = f->problem->G[f->problem->normal[i] * f->problem->rows + f->problem->normal[i]];
  for (int sign = 1; sign >= -1; sign -= 2) {
    if (f->p->tangent[i] < 0 || f->p->sliding[i] == -sign) continue;
    modes[i] = sign > 0 ? CAROM_CONTACT_SLIP_PLUS : CAROM_CONTACT_SLIP_MINUS;
    double value = contact_coefficient(f->p, modes, i, &f->work->system);
    if (!(value / own < *least)) continue;
    *least = value / own;
    choice->coefficient = value;
    choice->contact = i;
  }
  modes[i] = before;
}

// What stands in the way of contact when nothing is consistent: the smallest coefficient with the
// others as they were; if none of these is negative, with others in other modes.
static void blame_choice(search *f, carom_contact_choice *choice) {
  enum { MOST_SETS = 4096 };
  const scaled_problem *p = f->p;
  int *modes = f->work->trial, n = p->contacts;
  double least = INFINITY;
  for (int i = 0; i < n; i++)
    modes[i] = f->work->current[i] == ILLEGAL ? CAROM_CONTACT_OPEN : f->work->current[i];
  for (int i = 0; i < n; i++)
    blame_contact(f, modes, i, &least, choice);
  for (int code = 0; code < MOST_SETS && least > 0.0; code++) {
    int rest = code;
    for (int i = n - 1; i >= 0; i--) {
      int list[CHOICES], count = list_choices(p, i, list);
      if (count == 0) return;
      modes[i] = list[count - 1 - rest % count];
      rest /= count;
    }
    if (rest) return;
    for (int i = 0; i < n; i++)
      blame_contact(f, modes, i, &least, choice);
  }
}

// ---- the choice

// the least-norm force of a set, for the caller; scaled rates stay in probe_rate
static void report_modes(search *f, const int *modes, bool with_extra, carom_contact_mode *out,
                         double *lambda, double *rate) {
  carom_contact_workspace *w = f->work;
  contact_system *s = &w->system;
  contact_system_build(f->p, modes, s);
  if (with_extra && f->has_extra) contact_system_add_form(s, f->extra);
  contact_system_solve(f->p, s);
  contact_system_least(f->p, s, &w->program, w->probe_lambda, w->probe_rate);
  contact_write_back(f->problem, f->p, w->probe_lambda, lambda, rate);
  for (int i = 0; i < f->p->contacts; i++)
    out[i] = contact_turn_mode(f->p, i, (carom_contact_mode)modes[i]);
}

static void prepare_search(search *f) {
  carom_contact_workspace *w = f->work;
  contact_scale(f->problem, f->p);
  if (f->query->ahead) contact_scale(f->query->ahead, &w->later);
  for (int i = 0; i < f->p->contacts; i++) {
    carom_contact_mode mode = contact_turn_mode(f->p, i, f->query->current[i]);
    w->current[i] = (int)contact_normal_mode(f->p, i, mode);
    int list[CHOICES], n = list_choices(f->p, i, list);
    if (rank_of(f->p, i, w->current[i]) == n) w->current[i] = ILLEGAL;
  }
  int pushing = f->query->pushing;
  if (pushing < 0) return;
  f->has_extra = true;
  f->extra = (contact_form){.constant = -SAME_RATE * f->p->size,
                            .factor = {1.0, 0.0},
                            .row = {f->p->normal[pushing], f->p->normal[pushing]},
                            .weight = 1.0,
                            .contact = pushing};
}

static bool set_persists(search *f) {
  for (int i = 0; i < f->p->contacts; i++) {
    if (f->work->current[i] == ILLEGAL) return false;
    f->work->trial[i] = f->work->current[i];
  }
  f->nodes++;
  return is_consistent(f);
}

// an indeterminate state: contact with a coefficient <= 0 where flight is consistent too
static bool prefers_flight(search *f, const int *chosen, carom_contact_choice *choice) {
  choice->contact = worst_coefficient(f, chosen, NULL, &choice->coefficient);
  if (choice->contact < 0 || choice->coefficient > 0.0 || !f->query->flight) return false;
  f->must_open = choice->contact;
  allow_nodes(f);
  f->found = false;
  run_search(f);
  f->must_open = -1;
  return f->found;
}

// Forces of the other set may move its rates further away: by powers of ten as far as they go, so
// that what is reported is seen to differ.
static void widen_difference(search *f) {
  for (int step = 0; step < 6; step++) {
    double before = f->extra.constant;
    f->extra.constant -= 9.0 * f->apart;
    if (!force_exists(f, f->p, f->work->best, true, false)) {
      f->extra.constant = before;
      return;
    }
    f->apart *= 10.0;
  }
}

static void look_for_other(search *f, const int *chosen, carom_contact_choice *choice) {
  carom_contact_workspace *w = f->work;
  for (int k = 0; k < f->p->rows; k++) {
    w->best_rate[k] = w->probe_rate[k];
    w->best_lambda[k] = w->probe_lambda[k];
  }
  f->genuine = true;
  if (!find_different(f)) return;
  choice->unique = false;
  widen_difference(f);
  report_modes(f, w->best, true, choice->other_modes, choice->other_lambda, choice->other_rate);
  // flight was chosen, and contact is consistent against all intuition
  double coefficient;
  int contact = worst_coefficient(f, w->best, chosen, &coefficient);
  if (contact < 0 || coefficient > 0.0) return;
  choice->outcome = CAROM_CONTACT_INDETERMINATE;
  choice->contact = contact;
  choice->coefficient = coefficient;
}

// A contact that leaves stick for flight because slip with a coefficient <= 0 cannot last: at the
// instant itself both are consistent, which the look ahead hides.
static void notice_flight(search *f, const int *chosen, carom_contact_choice *choice) {
  int *trial = f->work->trial;
  if (choice->outcome != CAROM_CONTACT_CONSISTENT) return;
  copy_modes(f->p->contacts, chosen, trial);
  for (int i = 0; i < f->p->contacts; i++) {
    if (chosen[i] != CAROM_CONTACT_OPEN || f->work->current[i] != CAROM_CONTACT_STICK) continue;
    for (int sign = 1; sign >= -1; sign -= 2) {
      trial[i] = sign > 0 ? CAROM_CONTACT_SLIP_PLUS : CAROM_CONTACT_SLIP_MINUS;
      double coefficient = contact_coefficient(f->p, trial, i, &f->work->system);
      if (coefficient > 0.0 || !force_exists(f, f->p, trial, false, false)) continue;
      choice->outcome = CAROM_CONTACT_INDETERMINATE;
      choice->contact = i;
      choice->coefficient = coefficient;
      choice->unique = false;
      report_modes(f, trial, false, choice->other_modes, choice->other_lambda, choice->other_rate);
      return;
    }
    trial[i] = chosen[i];
  }
}

static void answer_inconsistent(search *f, carom_contact_choice *choice) {
  choice->outcome = CAROM_CONTACT_INCONSISTENT;
  for (int i = 0; i < f->p->contacts; i++)
    choice->modes[i] = f->query->current[i];
  for (int k = 0; k < f->problem->rows; k++) {
    choice->lambda[k] = 0.0;
    choice->rate[k] = f->problem->b[k];
  }
  if (f->query->blame) blame_choice(f, choice);
}

// Impulses of many contacts that a solver has found by the law, to its residual, are an outcome
// also where no set of modes with all conditions exact was: some of them are nearly nothing then,
// and their modes a matter of rounding. Whether there are others is not known. Not of contacts in
// space, whose second tangents that solver does not know.
static bool answer_impulses(search *f, carom_contact_choice *choice) {
  carom_contact_workspace *w = f->work;
  bool impact = !f->query->flight && !f->query->ahead && f->query->pushing < 0;
  for (int i = 0; i < f->p->contacts; i++)
    impact = impact && f->p->cross[i] < 0;
  if (!impact || f->p->contacts < CONTACT_SEVERAL ||
      !contact_proposed_forces(f->p, &w->proposal, w->best, w->current, w->probe_lambda))
    return false;
  contact_write_back(f->problem, f->p, w->probe_lambda, choice->lambda, choice->rate);
  for (int i = 0; i < f->p->contacts; i++)
    choice->modes[i] = contact_turn_mode(f->p, i, (carom_contact_mode)w->best[i]);
  choice->nodes = f->nodes;
  choice->gave_up = true;
  return true;
}

void carom_contact_choose(const carom_contact_problem *problem, const carom_contact_query *query,
                          carom_contact_workspace *work, carom_contact_choice *choice) {
  search f = {.problem = problem, .query = query, .p = &work->now, .work = work, .must_open = -1};
  *choice = (carom_contact_choice){.modes = work->found.chosen,
                                   .lambda = work->found.lambda,
                                   .rate = work->found.rate,
                                   .unique = true,
                                   .other_modes = work->found.other,
                                   .other_lambda = work->found.other_lambda,
                                   .other_rate = work->found.other_rate,
                                   .contact = -1};
  if (contact_choose_alone(problem, query, choice)) return;
  prepare_search(&f);
  int n = f.p->contacts, *chosen = work->modes;
  if (set_persists(&f)) {
    copy_modes(n, work->current, chosen);
  } else if (find_preferred(&f)) {
    copy_modes(n, work->best, chosen);
  } else if (answer_impulses(&f, choice)) {
    return;
  } else {
    answer_inconsistent(&f, choice);
    choice->nodes = f.nodes;
    choice->gave_up = f.gave_up;
    return;
  }
  if (prefers_flight(&f, chosen, choice)) {
    choice->outcome = CAROM_CONTACT_INDETERMINATE;
    choice->unique = false;
    report_modes(&f, chosen, true, choice->other_modes, choice->other_lambda, choice->other_rate);
    report_modes(&f, work->best, true, choice->modes, choice->lambda, choice->rate);
  } else {
    report_modes(&f, chosen, true, choice->modes, choice->lambda, choice->rate);
    if (query->find_other) look_for_other(&f, chosen, choice);
    notice_flight(&f, chosen, choice);
  }
  choice->nodes = f.nodes;
  choice->gave_up = f.gave_up;
}
