// SPDX-License-Identifier: MIT
/// Impacts of contacts in space by the energetic law, constraints eliminated: each by itself
/// (impact/space_energetic.h) where none answers to another, or where one alone strikes and presses
/// none of the others; else all together (impact/space_march.h).
#include "hybrid/hybrid.h"

#include "base/linear.h"
#include "impact/space_energetic.h"
#include "impact/space_march.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static const double APART = 1e-12; // part of their own answers by which rows of strangers answer

static bool rows_answer(const carom_impact_problem *p, int r, int s) {
  double own = p->G[r * (p->rows + 1)] * p->G[s * (p->rows + 1)], mixed = p->G[r * p->rows + s];
  return mixed * mixed > APART * APART * own;
}

// the rows of contact j: normal, tangent, cross; how many
static int list_rows(const carom_impact_problem *p, int j, int row[3]) {
  int count = 1;
  row[0] = p->normal[j];
  if (p->tangent[j] >= 0) row[count++] = p->tangent[j];
  if (p->tangent[j] >= 0 && p->cross[j] >= 0) row[count++] = p->cross[j];
  return count;
}

static bool contacts_linked(const carom_impact_problem *p, int i, int j) {
  int a[3], b[3], m = list_rows(p, i, a), n = list_rows(p, j, b);
  for (int k = 0; k < m * n; k++)
    if (rows_answer(p, a[k / n], b[k % n])) return true;
  return false;
}

// contacts that answer to each other, through constraints too
static bool all_apart(const carom_impact_problem *p) {
  if (p->constraints > 0 && p->contacts > 1) return false;
  for (int i = 0; i < p->contacts; i++)
    for (int j = 0; j < i; j++)
      if (contacts_linked(p, i, j)) return false;
  return true;
}

// what constraints answer to a unit of impulse along each row of the contact: G_cc x = -G_cr
static void answer_of_constraints(carom_hybrid *it, const carom_impact_problem *p, int row,
                                  double *x) {
  int held = p->constraints;
  assert(p->rows == it->model->dynamics->rows);
  for (int c = 0; c < held; c++)
    x[c] = -p->G[c * p->rows + row];
  (void)carom_hybrid_solve_rows(it, p->G, held, NULL, x);
}

static carom_space_impact pose_impact(carom_hybrid *it, const carom_impact_problem *p, int j,
                                      double *x) {
  assert(j >= 0 && j < it->contact.closed);
  int row[3], count = list_rows(p, j, row);
  const carom_contact *contact = &it->model->contacts.contacts[it->contact.which[j]];
  static const carom_energetic_stop STOPS[] = {[CAROM_STOP_BY_WORK] = CAROM_STOP_ENERGETIC,
                                               [CAROM_STOP_BY_IMPULSE] = CAROM_STOP_KINETIC,
                                               [CAROM_STOP_BY_VELOCITY] = CAROM_STOP_KINEMATIC};
  carom_space_impact impact = {.stick = count == 3 ? p->stick[j] : 0.0,
                               .slide = count == 3 ? p->slide[j] : 0.0,
                               .e = p->e[j],
                               .stop = STOPS[contact->march.stop_rule]};
  for (int a = 0; a < count; a++) {
    impact.v[a] = p->before[row[a]];
    answer_of_constraints(it, p, row[a], x + a * p->constraints);
    for (int b = 0; b < count; b++) {
      impact.G[a][b] = p->G[row[a] * p->rows + row[b]];
      for (int c = 0; c < p->constraints; c++)
        impact.G[a][b] += x[a * p->constraints + c] * p->G[c * p->rows + row[b]];
    }
  }
  return impact;
}

// contact j by itself: adds its impulses
static bool strike_alone(carom_hybrid *it, const carom_impact_problem *p, int j,
                         carom_impact_result *result) {
  int row[3], count = list_rows(p, j, row);
  double *x = it->instant.striking.space + 3 * p->rows;
  carom_space_impact impact = pose_impact(it, p, j, x);
  carom_space_outcome outcome;
  if (!carom_space_impact_solve(&impact, &outcome)) return false;
  for (int a = 0; a < count; a++) {
    result->impulse[row[a]] += outcome.P[a];
    result->compression[row[a]] += outcome.compression[a];
    for (int c = 0; c < p->constraints; c++)
      result->impulse[c] += x[a * p->constraints + c] * outcome.P[a];
    for (int c = 0; c < p->constraints; c++)
      result->compression[c] += x[a * p->constraints + c] * outcome.compression[a];
  }
  // what the normal impulse has not taken of the energy
  double energy = 0.0;
  for (int a = 0; a < count; a++)
    energy += 0.5 * outcome.P[a] * (impact.v[a] + outcome.v[a]);
  result->rubbed[j] = count == 3 ? outcome.returned - outcome.taken - energy : 0.0;
  result->unique = result->unique && outcome.unique;
  result->modes[j] = count < 3        ? CAROM_CONTACT_CLOSED
                     : outcome.sticks ? CAROM_CONTACT_STICK
                                      : CAROM_CONTACT_SLIP_PLUS;
  return true;
}

// the contact that alone approaches, or is pushed; -1: there are several
static int only_striker(const carom_impact_problem *p) {
  int only = p->pushing;
  for (int j = 0; j < p->contacts; j++) {
    if (j == only || !(p->before[p->normal[j]] < 0.0)) continue;
    if (only >= 0) return -1;
    only = j;
  }
  return only;
}

// is a contact that does not strike pressed by these impulses?
static bool presses_others(const carom_impact_problem *p, int striker, const double *impulse) {
  double fastest = 0.0;
  for (int r = 0; r < p->rows; r++)
    fastest = fmax(fastest, fabs(p->before[r]));
  for (int j = 0; j < p->contacts; j++) {
    const double *G = p->G + (size_t)p->normal[j] * (size_t)p->rows;
    double v = p->before[p->normal[j]];
    for (int r = 0; r < p->rows; r++)
      v += G[r] * impulse[r];
    if (j != striker && v < -APART * fastest) return true;
  }
  return false;
}

// one strikes among others; false: it presses them, or has no outcome
static bool strike_beside(carom_hybrid *it, const carom_impact_problem *p,
                          carom_impact_result *result) {
  int striker = only_striker(p);
  for (int j = 0; j < p->contacts; j++)
    result->modes[j] = CAROM_CONTACT_CLOSED;
  return striker >= 0 && strike_alone(it, p, striker, result) &&
         !presses_others(p, striker, result->compression) &&
         !presses_others(p, striker, result->impulse);
}

// ---- several together

struct carom_together {
  carom_space_march *march;
  double *G, *before, *answers; // [3n][3n], [3n], [3n][constraints]
};

carom_together *carom_together_create(carom_arena *arena, const carom_hybrid_model *model) {
  size_t rows = 3 * (size_t)model->contacts.count, number = sizeof(double);
  carom_together *made = carom_arena_take(arena, sizeof *made);
  if (!made) return NULL;
  *made = (carom_together){.march = carom_space_march_create(arena, model->contacts.count),
                           .G = carom_arena_array(arena, rows * rows, number),
                           .before = carom_arena_array(arena, rows, number),
                           .answers =
                               carom_arena_array(arena, rows * (size_t)model->constraints, number)};
  return made->march ? made : NULL;
}

// row 3j + a of the march is that of contact j; -1: it has none
static int row_of(const carom_impact_problem *p, int r) {
  int row[3], count = list_rows(p, r / 3, row);
  return r % 3 < count ? row[r % 3] : -1;
}

static void pose_together(carom_hybrid *it, const carom_impact_problem *p, carom_together *all) {
  int n = 3 * p->contacts, held = p->constraints;
  for (int a = 0; a < n; a++) {
    int row = row_of(p, a);
    double *x = all->answers + (size_t)a * (size_t)held;
    all->before[a] = row >= 0 ? p->before[row] : 0.0;
    memset(x, 0, (size_t)held * sizeof *x);
    if (row >= 0) answer_of_constraints(it, p, row, x);
    for (int b = 0; b < n; b++) {
      int column = row_of(p, b);
      double *G = &all->G[a * n + b];
      *G = row >= 0 && column >= 0 ? p->G[row * p->rows + column] : 0.0;
      for (int c = 0; c < held && *G != 0.0; c++)
        *G += x[c] * p->G[c * p->rows + column];
    }
  }
}

// the first contact whose law has a way that is for one alone, or for the plane; NULL: none has
static const carom_contact *one_with_habits(const carom_hybrid *it, int count) {
  for (int j = 0; j < count; j++) {
    const carom_contact *c = &it->model->contacts.contacts[it->contact.which[j]];
    if (c->march.stop_rule != CAROM_STOP_BY_WORK || c->march.sequential || c->march.hold) return c;
  }
  return NULL;
}

static carom_status strike_together(carom_hybrid *it, const carom_impact_problem *p,
                                    carom_impact_result *result, carom_error *error) {
  carom_together *all = it->instant.striking.together;
  const carom_contact *odd = one_with_habits(it, p->contacts);
  if (odd)
    return carom_fail_at(error, CAROM_ERR_UNSUPPORTED, odd->impact_place,
                         "at t = %.15g %s strikes together with others, some of which slide in "
                         "space: there impacts end by work and know neither hold nor sequential",
                         it->now.t, odd->name);
  for (int j = 0; j < p->contacts; j++) {
    it->instant.striking.stiffness[j] = it->contact.now[it->contact.which[j]].stiffness;
    it->instant.striking.exponent[j] = it->contact.now[it->contact.which[j]].exponent;
  }
  pose_together(it, p, all);
  carom_space_march_problem problem = {.contacts = p->contacts,
                                       .G = all->G,
                                       .before = all->before,
                                       .stick = p->stick,
                                       .slide = p->slide,
                                       .e = p->e,
                                       .stiffness = it->instant.striking.stiffness,
                                       .exponent = it->instant.striking.exponent,
                                       .pushing = p->pushing};
  carom_space_march_result outcome;
  carom_status status = carom_space_march_solve(&problem, all->march, &outcome);
  if (status == CAROM_ERR_NO_CONVERGENCE && outcome.left > 0.0)
    return carom_hybrid_explain_holding(it, outcome.holding, error);
  if (status != CAROM_OK)
    return carom_fail(error, status,
                      "at t = %.15g the impact of %s (%d contacts, in space) has no outcome by its "
                      "law after %d steps",
                      it->now.t, it->model->contacts.contacts[it->contact.which[0]].name,
                      p->contacts, outcome.steps);
  carom_hybrid_note_open(it, outcome.left);
  for (int a = 0; a < 3 * p->contacts; a++) {
    int row = row_of(p, a);
    if (row < 0) continue;
    result->impulse[row] += outcome.impulse[a];
    for (int c = 0; c < p->constraints; c++)
      result->impulse[c] += all->answers[a * p->constraints + c] * outcome.impulse[a];
  }
  memcpy(result->compression, result->impulse, (size_t)p->rows * sizeof *result->impulse);
  result->log = outcome.log;
  result->logged = outcome.logged;
  for (int j = 0; j < p->contacts; j++)
    result->rubbed[j] = outcome.rubbed[j];
  for (int j = 0; j < p->contacts; j++)
    result->modes[j] = p->tangent[j] < 0   ? CAROM_CONTACT_CLOSED
                       : outcome.sticks[j] ? CAROM_CONTACT_STICK
                                           : CAROM_CONTACT_SLIP_PLUS;
  return CAROM_OK;
}

carom_status carom_hybrid_strike_spatial(carom_hybrid *it, const carom_impact_problem *p,
                                         carom_impact_result *result, carom_error *error) {
  double *impulse = it->instant.striking.space, *compression = impulse + p->rows;
  double *after = compression + p->rows;
  double *rubbed = it->instant.striking.space + 6 * p->rows;
  memset(impulse, 0, 2 * (size_t)p->rows * sizeof *impulse);
  memset(rubbed, 0, (size_t)p->contacts * sizeof *rubbed);
  *result = (carom_impact_result){.impulse = impulse,
                                  .after = after,
                                  .compression = compression,
                                  .modes = it->contact.modes,
                                  .unique = true,
                                  .rubbed = rubbed};
  bool apart = all_apart(p);
  if (!apart && !strike_beside(it, p, result)) {
    memset(impulse, 0, 2 * (size_t)p->rows * sizeof *impulse);
    carom_status status = strike_together(it, p, result, error);
    if (status != CAROM_OK) return status;
  }
  for (int j = 0; j < p->contacts && apart; j++)
    if (!strike_alone(it, p, j, result))
      return carom_fail(error, CAROM_ERR_NO_CONVERGENCE,
                        "at t = %.15g the impact of %s has no outcome by its law", it->now.t,
                        it->model->contacts.contacts[it->contact.which[j]].name);
  for (int r = 0; r < p->rows; r++) {
    after[r] = p->before[r];
    for (int s = 0; s < p->rows; s++)
      after[r] += p->G[r * p->rows + s] * impulse[s];
    result->energy += 0.5 * impulse[r] * (after[r] + p->before[r]);
  }
  return CAROM_OK;
}
