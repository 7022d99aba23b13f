// SPDX-License-Identifier: MIT
#include "impact/impact.h"

#include "base/linear.h"

#include <assert.h>
#include <math.h>

static const double AT_REST = 1e-11;     // of the fastest row: a velocity that counts as zero
static const double SAME_OUTCOME = 1e-8; // of the fastest row: velocities of one outcome
static const double LEAST_SHARE = 1e-2;  // of a restitution that leaves no outcome: less is none

/// An outcome while another one is tried.
typedef struct set_aside {
  double *impulse, *velocity; // [rows]
  carom_contact_mode *modes;  // [contacts]
} set_aside;

struct carom_impact_workspace {
  int max_rows, max_contacts;
  carom_contact_workspace *contact;
  double *impulse, *after, *compression, *middle, *other_after; // [rows]
  double *b, *floor;                                            // of one phase
  double *rubbed;                                               // [contacts]
  int *sliding, *braking;
  double *slip_direction; // [2 contacts] in space
  carom_contact_mode *reference, *modes, *compressed;
  carom_contact_margin margin; // the lowest of the phases so far, where modes are held
  // another split of the compression: impulses that may change, and a way to change them
  struct open_impulse *shares;         // [rows]
  double *matrix, *change, *direction; // [rows][rows], [rows], [rows]
  double *split;                       // [rows] compression
  set_aside kept;
  int *order;
};

// an impulse that the modes of compression leave free: along a row, with sliding friction along
// another in proportion
typedef struct open_impulse {
  int row, tangent; // tangent -1: none
  double friction;
  double size; // root of what it moves itself by
} open_impulse;

carom_impact_workspace *carom_impact_workspace_create(carom_arena *arena, int max_rows,
                                                      int max_contacts) {
  carom_impact_workspace *w = carom_arena_take(arena, sizeof *w);
  if (!w) return NULL;
  size_t rows = (size_t)max_rows, contacts = (size_t)max_contacts;
  double **arrays[] = {&w->impulse,     &w->after, &w->compression,  &w->middle,
                       &w->other_after, &w->b,     &w->floor,        &w->change,
                       &w->direction,   &w->split, &w->kept.impulse, &w->kept.velocity,
                       &w->rubbed};
  bool ok = true;
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
    *arrays[i] = carom_arena_array(arena, rows + contacts, sizeof(double));
    ok = ok && *arrays[i];
  }
  w->slip_direction = carom_arena_array(arena, 2 * contacts, sizeof(double));
  w->sliding = carom_arena_array(arena, contacts, sizeof(int));
  w->braking = carom_arena_array(arena, contacts, sizeof(int));
  w->reference = carom_arena_array(arena, contacts, sizeof *w->reference);
  w->modes = carom_arena_array(arena, contacts, sizeof *w->modes);
  w->compressed = carom_arena_array(arena, contacts, sizeof *w->compressed);
  w->kept.modes = carom_arena_array(arena, contacts, sizeof *w->kept.modes);
  w->shares = carom_arena_array(arena, rows, sizeof *w->shares);
  w->matrix = carom_arena_array(arena, rows * rows, sizeof *w->matrix);
  w->order = carom_arena_array(arena, rows, sizeof *w->order);
  w->contact = carom_contact_workspace_create(arena, max_rows, max_contacts);
  w->max_rows = max_rows;
  w->max_contacts = max_contacts;
  ok = ok && w->sliding && w->braking && w->reference && w->modes && w->compressed;
  ok = ok && w->slip_direction && w->kept.modes && w->shares && w->matrix && w->order;
  return ok && w->contact ? w : NULL;
}

void carom_impact_share_room(carom_impact_workspace *work, const carom_contact_workspace *owner) {
  carom_space_share_room(work->contact, owner);
}

static void copy_numbers(int n, const double *from, double *to) {
  for (int k = 0; k < n; k++)
    to[k] = from[k];
}

// v+ = v- + G P
static void velocities_after(const carom_impact_problem *p, const double *before,
                             const double *impulse, double *after) {
  for (int i = 0; i < p->rows; i++) {
    double sum = before[i];
    for (int j = 0; j < p->rows; j++)
      sum += p->G[i * p->rows + j] * impulse[j];
    after[i] = sum;
  }
}

static double fastest_before(const carom_impact_problem *p) {
  double fastest = 0.0;
  for (int i = 0; i < p->contacts; i++) {
    fastest = fmax(fastest, fabs(p->before[p->normal[i]]));
    if (p->tangent[i] >= 0) fastest = fmax(fastest, fabs(p->before[p->tangent[i]]));
    if (p->cross && p->cross[i] >= 0) fastest = fmax(fastest, fabs(p->before[p->cross[i]]));
  }
  return fastest;
}

// The modes that count as unchanged: what approaches or rests (to rounding) is closed, what
// separates is open. All of them could do without contact; most closed contacts share what is
// undetermined.
static void set_reference(const carom_impact_problem *p, const double *v,
                          carom_impact_workspace *w) {
  double rest = AT_REST * fastest_before(p);
  for (int i = 0; i < p->contacts; i++) {
    w->sliding[i] = 0;
    w->reference[i] = CAROM_CONTACT_STICK;
    if (v[p->normal[i]] > rest) w->reference[i] = CAROM_CONTACT_OPEN;
  }
}

// which way contacts slip when a phase begins at velocities v
static void note_slips(const carom_impact_problem *p, const double *v, carom_impact_workspace *w) {
  double rest = AT_REST * fastest_before(p);
  for (int i = 0; i < p->contacts; i++) {
    double slip = p->tangent[i] >= 0 ? v[p->tangent[i]] : 0.0;
    w->braking[i] = (slip > rest) - (slip < -rest);
  }
}

// The tolerance of a choice is a part of the fastest row. Beside a fast slip it lets a contact that
// hardly approaches be pulled a little, and its friction would then drive: it gets nothing instead.
// Its mode stays: where contacts share an impulse, rounding decides whether one that has no part is
// pulled, and the expansion may use it.
static void release_if_pulled(const carom_impact_problem *p, int i, double *impulse) {
  if (!(impulse[p->normal[i]] < 0.0)) return;
  impulse[p->normal[i]] = 0.0;
  if (p->tangent[i] >= 0) impulse[p->tangent[i]] = 0.0;
  if (p->cross && p->cross[i] >= 0) impulse[p->cross[i]] = 0.0;
}

// the same with modes that are held: what they break is noted
static bool hold_phase(const carom_contact_problem *phase, const carom_contact_mode *held,
                       carom_impact_workspace *w, double *impulse) {
  carom_contact_margin margin;
  (void)carom_contact_forces(phase, held, w->contact, impulse, NULL, &margin);
  for (int i = 0; i < phase->contacts; i++)
    w->modes[i] = held[i];
  if (margin.value < w->margin.value) w->margin = margin;
  return true;
}

// One complementarity problem: rates b + G P with P_N >= floor. Writes the impulses to `impulse`
// and the modes to work->modes; where the outcome is not unique, the other velocities.
static bool solve_phase(const carom_impact_problem *p, carom_impact_workspace *w,
                        const double *floor, int pushing, const carom_contact_mode *held,
                        double *impulse, bool *unique, double *other) {
  carom_contact_problem phase = {.rows = p->rows,
                                 .constraints = p->constraints,
                                 .contacts = p->contacts,
                                 .normal = p->normal,
                                 .tangent = p->tangent,
                                 .cross = p->cross,
                                 .G = p->G,
                                 .b = w->b,
                                 .stick = p->stick,
                                 .slide = p->slide,
                                 .sliding = w->sliding,
                                 .floor = floor,
                                 .braking = w->braking};
  note_slips(p, w->b, w);
  *unique = true;
  if (held) return hold_phase(&phase, held, w, impulse);
  carom_contact_query query = carom_contact_query_default(w->reference);
  query.flight = false;
  query.pushing = pushing;
  // with an impulse demanded, the outcome without one is no rival
  query.find_other = pushing < 0;
  carom_contact_choice choice;
  if (p->cross)
    carom_space_choose(&phase, &query, w->contact, &choice, w->slip_direction);
  else
    carom_contact_choose(&phase, &query, w->contact, &choice);
  if (choice.outcome == CAROM_CONTACT_INCONSISTENT) return false;
  copy_numbers(p->rows, choice.lambda, impulse);
  for (int i = 0; i < p->contacts; i++) {
    w->modes[i] = choice.modes[i];
    release_if_pulled(p, i, impulse);
  }
  *unique = choice.unique && !choice.gave_up;
  if (!choice.unique) copy_numbers(p->rows, choice.other_lambda, other);
  return true;
}

static bool solve_newton(const carom_impact_problem *p, carom_impact_workspace *w,
                         carom_impact_result *result) {
  set_reference(p, p->before, w);
  // v_N+ >= -e v_N- is a rate >= 0 when e v_N- is added to the normal rows that approach
  copy_numbers(p->rows, p->before, w->b);
  for (int i = 0; i < p->contacts; i++) {
    double v = p->before[p->normal[i]];
    if (v < 0.0) w->b[p->normal[i]] = v + p->e[i] * v;
    if (p->et && p->tangent[i] >= 0) w->b[p->tangent[i]] += p->et[i] * p->before[p->tangent[i]];
    if (p->et && p->cross && p->cross[i] >= 0)
      w->b[p->cross[i]] += p->et[i] * p->before[p->cross[i]];
  }
  bool ok =
      solve_phase(p, w, NULL, p->pushing, p->held_modes, w->impulse, &result->unique, w->middle);
  if (!ok) return false;
  copy_numbers(p->rows, w->impulse, w->compression);
  velocities_after(p, p->before, w->middle, w->other_after);
  return true;
}

// what a Newton contact among Poisson ones asks of the expansion: to leave with e times its
// approach
static double asked_speed(const carom_impact_problem *p, int i, double share) {
  bool newton = p->laws && p->laws[i] == CAROM_IMPACT_NEWTON;
  return newton ? fmax(0.0, -share * p->e[i] * p->before[p->normal[i]]) : 0.0;
}

// The velocities after compression continue in the expansion: a Poisson contact gives back e times
// its impulse, a Newton contact is pushed until it leaves with e times its approach. `share`
// of all this, 1 by the law. False when no outcome exists.
static bool expand_impulses(const carom_impact_problem *p, carom_impact_workspace *w, double share,
                            bool *unique) {
  velocities_after(p, p->before, w->compression, w->b);
  bool pushes = false;
  for (int i = 0; i < p->contacts; i++) {
    bool newton = p->laws && p->laws[i] == CAROM_IMPACT_NEWTON;
    w->floor[i] = newton ? 0.0 : fmax(0.0, share * p->e[i] * w->compression[p->normal[i]]);
    pushes = pushes || w->floor[i] > 0.0 || asked_speed(p, i, share) > 0.0;
  }
  // nothing to give back: what compression has reached stays
  *unique = true;
  if (!pushes) {
    for (int k = 0; k < p->rows; k++)
      w->impulse[k] = 0.0;
    return true;
  }
  for (int i = 0; i < p->contacts; i++) {
    w->reference[i] = w->modes[i];
    w->b[p->normal[i]] -= asked_speed(p, i, share);
  }
  bool solved = solve_phase(p, w, w->floor, -1, p->held_modes, w->impulse, unique, w->middle);
  for (int i = 0; i < p->contacts; i++)
    w->b[p->normal[i]] += asked_speed(p, i, share);
  return solved;
}

// ---- another split of the compression

// what impulse a moves by a unit of impulse b, in units of their sizes
static double impulse_coupling(const carom_impact_problem *p, const open_impulse *a,
                               const open_impulse *b) {
  double sum = p->G[a->row * p->rows + b->row];
  if (b->tangent >= 0) sum += b->friction * p->G[a->row * p->rows + b->tangent];
  if (a->tangent >= 0) sum += a->friction * p->G[a->tangent * p->rows + b->row];
  if (a->tangent >= 0 && b->tangent >= 0)
    sum += a->friction * b->friction * p->G[a->tangent * p->rows + b->tangent];
  return sum / (a->size * b->size);
}

// impulses that the modes of compression leave free; returns their number
static int list_shares(const carom_impact_problem *p, carom_impact_workspace *w) {
  assert(p->rows <= w->max_rows && p->contacts <= w->max_contacts);
  int count = 0;
  for (int r = 0; r < p->constraints; r++)
    w->shares[count++] = (open_impulse){r, -1, 0.0, 1.0};
  for (int i = 0; i < p->contacts; i++) {
    carom_contact_mode mode = w->compressed[i];
    if (!carom_contact_is_closed(mode)) continue;
    int slip = carom_contact_slip_sign(mode);
    w->shares[count++] =
        (open_impulse){p->normal[i], slip ? p->tangent[i] : -1, -slip * p->slide[i], 1.0};
    if (mode == CAROM_CONTACT_STICK && p->tangent[i] >= 0)
      w->shares[count++] = (open_impulse){p->tangent[i], -1, 0.0, 1.0};
  }
  for (int k = 0; k < count; k++) {
    double own = impulse_coupling(p, &w->shares[k], &w->shares[k]);
    if (own > 0.0) w->shares[k].size = sqrt(own);
  }
  return count;
}

// The change of impulses by a unit of impulse number k that leaves all velocities as they are, in
// `direction`; false: there is none.
static bool find_direction(const carom_impact_problem *p, carom_impact_workspace *w, int count,
                           int k) {
  assert(k < count && count <= p->rows);
  const open_impulse *list = w->shares;
  for (int a = 0; a < count; a++) {
    w->change[a] = impulse_coupling(p, &list[a], &list[k]);
    for (int b = 0; b < count; b++)
      w->matrix[a * count + b] = impulse_coupling(p, &list[a], &list[b]);
  }
  // the same change by the others: those that depend on them have none of their own
  int rank = carom_solve_semidefinite(count, w->matrix, w->change, CAROM_CONTACT_RANK, w->order);
  if (rank == count || w->change[k] != 0.0) return false;
  for (int r = 0; r < p->rows; r++)
    w->direction[r] = 0.0;
  for (int a = 0; a < count; a++) {
    double unit = ((a == k) - w->change[a]) / list[a].size;
    w->direction[list[a].row] += unit;
    if (list[a].tangent >= 0) w->direction[list[a].tangent] += list[a].friction * unit;
  }
  return true;
}

// how far the impulses of compression can go along the direction with this sign
static double reach_along(const carom_impact_problem *p, carom_impact_workspace *w, double sign) {
  double far = INFINITY;
  note_slips(p, p->before, w);
  for (int i = 0; i < p->contacts; i++) {
    if (!carom_contact_is_closed(w->compressed[i])) continue;
    int N = p->normal[i], T = p->tangent[i];
    double normal = w->compression[N], change = sign * w->direction[N];
    if (change < 0.0) far = fmin(far, -fmax(0.0, normal) / change);
    if (w->compressed[i] != CAROM_CONTACT_STICK || T < 0) continue;
    for (int side = -1; side <= 1; side += 2) {
      double edge = w->braking[i] * side > 0 ? p->slide[i] : p->stick[i];
      double room = edge * normal + side * w->compression[T];
      double fall = edge * change + side * sign * w->direction[T];
      if (fall < 0.0) far = fmin(far, -fmax(0.0, room) / fall);
    }
  }
  return isfinite(far) ? far : 0.0;
}

static bool outcome_differs(const carom_impact_problem *p, const double *one, const double *other) {
  double same = SAME_OUTCOME * fastest_before(p);
  for (int r = 0; r < p->rows; r++)
    if (fabs(one[r] - other[r]) > same) return true;
  return false;
}

// Expands the split half-way along the direction; true: to other velocities, in other_after.
static bool expands_elsewhere(const carom_impact_problem *p, carom_impact_workspace *w) {
  double plus = reach_along(p, w, 1.0), minus = reach_along(p, w, -1.0);
  double step = plus > minus ? 0.5 * plus : -0.5 * minus;
  bool unique;
  copy_numbers(p->rows, w->compression, w->split);
  for (int r = 0; r < p->rows; r++)
    w->compression[r] += step * w->direction[r];
  for (int i = 0; i < p->contacts; i++)
    w->modes[i] = w->compressed[i];
  bool expanded = expand_impulses(p, w, 1.0, &unique);
  copy_numbers(p->rows, w->split, w->compression);
  if (!expanded) return false;
  velocities_after(p, w->b, w->impulse, w->other_after);
  return outcome_differs(p, w->other_after, w->kept.velocity);
}

// Where contacts depend on each other the compression leaves its split among them open, and what
// the expansion gives back, e times of it each, may depend on the split. Is there another
// admissible split with another outcome?
static bool split_matters(const carom_impact_problem *p, carom_impact_workspace *w) {
  int count = p->held_modes || p->cross || p->contacts < 2 ? 0 : list_shares(p, w);
  bool matters = false;
  for (int k = 0; k < count && !matters; k++) {
    if (!find_direction(p, w, count, k)) continue;
    copy_numbers(p->rows, w->impulse, w->kept.impulse);
    velocities_after(p, w->b, w->impulse, w->kept.velocity);
    for (int i = 0; i < p->contacts; i++)
      w->kept.modes[i] = w->modes[i];
    matters = expands_elsewhere(p, w);
    copy_numbers(p->rows, w->kept.impulse, w->impulse);
    velocities_after(p, p->before, w->compression, w->b);
    for (int i = 0; i < p->contacts; i++)
      w->modes[i] = w->kept.modes[i];
  }
  return matters;
}

static bool solve_poisson(const carom_impact_problem *p, carom_impact_workspace *w,
                          carom_impact_result *result) {
  set_reference(p, p->before, w);
  copy_numbers(p->rows, p->before, w->b);
  bool unique;
  if (!solve_phase(p, w, NULL, p->pushing, p->held_compressed, w->compression, &unique, w->middle))
    return false;
  for (int i = 0; i < p->contacts; i++)
    w->compressed[i] = w->modes[i];
  if (!unique) velocities_after(p, p->before, w->middle, w->other_after);
  bool unique_expansion = false;
  double share = 1.0;
  while (!expand_impulses(p, w, share, &unique_expansion))
    share = share > LEAST_SHARE ? 0.5 * share : 0.0;
  unique_expansion = unique_expansion && share == 1.0;
  // another end of compression is reported by itself, another expansion by its end
  if (unique && !unique_expansion) velocities_after(p, w->b, w->middle, w->other_after);
  result->unique = unique && unique_expansion && !split_matters(p, w);
  for (int k = 0; k < p->rows; k++)
    w->impulse[k] += w->compression[k];
  result->relaxed = share < 1.0;
  return true;
}

// energy = P.(v+ + v-)/2, and the size its terms have
static void account_energy(const carom_impact_problem *p, carom_impact_result *result) {
  double sum = 0.0, size = 0.0;
  for (int k = 0; k < p->rows; k++) {
    double term = result->impulse[k] * (result->after[k] + p->before[k]) / 2.0;
    sum += term;
    size += fabs(result->impulse[k]) * (fabs(result->after[k]) + fabs(p->before[k]));
  }
  result->energy = sum;
  result->gain = sum > CAROM_CONTACT_TOLERANCE * size;
}

// What an impulse along a row takes in each phase, -P.(velocity at its beginning + at its end)/2:
// both together are the row's part of the energy.
static double taken_along(const carom_impact_problem *p, const carom_impact_result *result,
                          int row) {
  double first = result->compression[row], last = result->impulse[row] - first;
  double middle = p->before[row];
  for (int j = 0; j < p->rows; j++)
    middle += p->G[row * p->rows + j] * result->compression[j];
  return -0.5 * (first * (p->before[row] + middle) + last * (middle + result->after[row]));
}

static void account_friction(const carom_impact_problem *p, carom_impact_result *result) {
  for (int i = 0; i < p->contacts; i++) {
    result->rubbed[i] = p->tangent[i] >= 0 ? taken_along(p, result, p->tangent[i]) : 0.0;
    if (p->cross && p->cross[i] >= 0) result->rubbed[i] += taken_along(p, result, p->cross[i]);
  }
}

static bool all_finite(int n, const double *a) {
  for (int k = 0; k < n; k++)
    if (!isfinite(a[k])) return false;
  return true;
}

// one contact without friction that strikes: Newton's law in closed form, (1 + e) v_N- = -G_NN P_N
static bool solve_single(const carom_impact_problem *p, carom_impact_workspace *w) {
  if (p->contacts != 1 || p->constraints > 0 || p->tangent[0] >= 0 || p->pushing >= 0) return false;
  int n = p->normal[0];
  double response = p->G[n * p->rows + n];
  if (!(p->before[n] < 0.0) || !(response > 0.0)) return false;
  for (int k = 0; k < p->rows; k++)
    w->impulse[k] = 0.0;
  w->impulse[n] = -(1.0 + p->e[0]) * p->before[n] / response;
  copy_numbers(p->rows, w->impulse, w->compression);
  w->modes[0] = CAROM_CONTACT_CLOSED;
  return true;
}

// with the coefficients given
static bool solve_as_given(const carom_impact_problem *p, carom_impact_workspace *w,
                           carom_impact_result *result) {
  w->margin = (carom_contact_margin){.value = INFINITY, .contact = -1};
  if (p->law == CAROM_IMPACT_POISSON || p->laws) return solve_poisson(p, w, result);
  bool ok = solve_single(p, w) || solve_newton(p, w, result);
  for (int i = 0; i < p->contacts; i++)
    w->compressed[i] = w->modes[i];
  return ok;
}

carom_status carom_impact_solve(const carom_impact_problem *p, carom_impact_workspace *w,
                                carom_impact_result *result) {
  *result = (carom_impact_result){.impulse = w->impulse,
                                  .after = w->after,
                                  .compression = w->compression,
                                  .modes = w->modes,
                                  .compressed = w->compressed,
                                  .unique = true,
                                  .other_after = w->other_after,
                                  .rubbed = w->rubbed};
  if (!all_finite(p->rows, p->before) || !all_finite(p->rows * p->rows, p->G))
    return CAROM_ERR_NONFINITE;
  bool ok = solve_as_given(p, w, result);
  // the gap between mu_s and mu can leave several contacts without an outcome; one coefficient has
  // no gap
  carom_impact_problem even = *p;
  bool as_stated = ok;
  even.stick = p->slide;
  if (!ok) ok = solve_as_given(&even, w, result);
  even.stick = even.slide = p->stick;
  if (!ok) ok = solve_as_given(&even, w, result);
  // nor has Newton's law one for every wedge, where Poisson's compression has
  if (!ok && p->law == CAROM_IMPACT_NEWTON) ok = solve_poisson(p, w, result);
  if (!ok) return CAROM_ERR_NO_CONVERGENCE;
  result->relaxed = result->relaxed || !as_stated;
  result->unique = result->unique && !result->relaxed;
  result->margin = w->margin;
  velocities_after(p, p->before, w->impulse, w->after);
  if (!all_finite(p->rows, w->after)) return CAROM_ERR_NONFINITE;
  account_energy(p, result);
  account_friction(p, result);
  return CAROM_OK;
}
