// SPDX-License-Identifier: MIT
/// Impulses of contacts that stick. Where tangents depend on each other the forces at every moment
/// are the split of least norm, T with sum of c_i T_i known and |T_i| <= mu_i F_i: smooth in the
/// forces but for kinks, where a contact comes to the edge of its cone. Steps of the motion know
/// nothing of them, so the split is integrated over each step by a rule of its own, which halves
/// its way until kinks are closed in.
#include "impact/energetic_internal.h"

#include <math.h>

enum { POINTS = 8 };
// Lobatto's points and weights on [0, 1]: with both ends, or a kink close to one would not be seen
static const double POINT[POINTS] = {0.0,
                                     0.06412992574519669,
                                     0.20414990928342885,
                                     0.39535039104876057,
                                     0.60464960895123943,
                                     0.79585009071657115,
                                     0.93587007425480331,
                                     1.0};
static const double WEIGHT[POINTS] = {0.01785714285714286, 0.10535211357175302, 0.17056134624175218,
                                      0.20622939732935194, 0.20622939732935194, 0.17056134624175218,
                                      0.10535211357175302, 0.01785714285714286};
static const double SHARE = 0.02;    // of the tolerance, for the split of a step
static const double SHORTEST = 1e-8; // part of a step: a kink is as good as met

static bool contact_sticks(const carom_energetic_workspace *w, int i) {
  return w->friction.family[i] >= 0 && w->friction.list[w->friction.family[i]].sticks;
}

static double bound_of(const carom_energetic_workspace *w, int i, const double *channels) {
  return w->problem.stick[i] * fmax(0.0, energetic_normal(w, i, channels));
}

// one class: T_i = theta c_i, cut at the bounds
static void split_class(carom_energetic_workspace *w, int class, const double *channels,
                        double *share) {
  double total = energetic_reaction(w, class, channels), left = fabs(total),
         way = total > 0.0 ? 1.0 : -1.0;
  bool *full = w->split.full;
  for (int i = 0; i < w->n; i++)
    full[i] = w->friction.family[i] != class;
  for (int round = 0; round < w->n; round++) {
    double squares = 0.0;
    for (int i = 0; i < w->n; i++)
      if (!full[i]) squares += w->friction.coefficient[i] * w->friction.coefficient[i];
    if (!(squares > 0.0)) return;
    double theta = left / squares;
    bool cut = false;
    for (int i = 0; i < w->n; i++) {
      if (full[i]) continue;
      double bound = bound_of(w, i, channels), size = fabs(w->friction.coefficient[i]);
      double sign = way * (w->friction.coefficient[i] > 0.0 ? 1.0 : -1.0);
      share[i] = sign * theta * size;
      if (theta * size <= bound) continue;
      share[i] = sign * bound;
      left -= bound * size;
      full[i] = cut = true;
    }
    if (!cut || left <= 0.0) return;
  }
}

// Classes depend on each other as well: all contacts that stick as a problem of their own, each
// pushed by exactly what it can carry.
static void split_together(carom_energetic_workspace *w, const double *channels, double *share) {
  int m = 0, *contact = w->choice.single;
  for (int i = 0; i < w->n; i++)
    if (contact_sticks(w, i) && bound_of(w, i, channels) > 0.0) contact[m++] = i;
  if (m == 0) return;
  for (int k = 0; k < m; k++) {
    w->choice.stick[k] = w->choice.slide[k] = 1.0;
    w->choice.floor[k] = bound_of(w, contact[k], channels);
  }
  energetic_choice_pose(w, m);
  energetic_choice_cancel(w, m, channels);
  carom_contact_problem problem = carom_energetic_choice_problem(w, m);
  carom_contact_forces(&problem, w->choice.modes, w->choice.work, w->choice.lambda, w->choice.rate,
                       NULL);
  for (int k = 0; k < m; k++)
    share[contact[k]] = w->choice.lambda[2 * k + 1];
}

// friction of the contacts that stick for forces of channels
static void split_friction(carom_energetic_workspace *w, const double *channels, double *share) {
  for (int i = 0; i < w->n; i++)
    share[i] = 0.0;
  if (w->response.shared) {
    split_together(w, channels, share);
    return;
  }
  for (int c = 0; c < w->friction.classes; c++)
    if (w->friction.list[c].sticks) split_class(w, c, channels, share);
}

static bool is_linear(const carom_energetic_workspace *w, bool *any) {
  bool linear = !w->response.shared;
  *any = false;
  for (int c = 0; c < w->friction.classes; c++) {
    if (!w->friction.list[c].sticks) continue;
    *any = true;
    linear = linear && !w->friction.list[c].many;
  }
  return linear;
}

// forces of channels at u of the step; returns ds/du
static double look_at_step(carom_energetic_workspace *w, const energetic_taken *taken, double u) {
  if (!taken->start) return energetic_march_channels(w, u, w->step.trial);
  for (int c = 0; c < w->response.channels; c++)
    w->step.trial[c] = energetic_interpolate(w->nodes.table, w->nodes.F[c], u);
  return 2.0 * u * taken->h; // s = h u^2
}

// adds the integral of the split from a to b
static void integrate_split(carom_energetic_workspace *w, const energetic_taken *taken, double a,
                            double b, double *sum) {
  for (int q = 0; q < POINTS; q++) {
    double pace = look_at_step(w, taken, a + (b - a) * POINT[q]);
    split_friction(w, w->step.trial, w->split.now);
    for (int i = 0; i < w->n; i++)
      sum[i] += (b - a) * WEIGHT[q] * pace * w->split.now[i];
  }
}

// do two integrals agree?
static bool integrals_agree(const carom_energetic_workspace *w, const double *one,
                            const double *other) {
  for (int i = 0; i < w->n; i++)
    if (!(fabs(one[i] - other[i]) * w->problem.root[2 * i + 1] <=
          SHARE * w->problem.tolerance * w->state.speed))
      return false;
  return true;
}

static void clear_numbers(int n, double *values) {
  for (int i = 0; i < n; i++)
    values[i] = 0.0;
}

void energetic_split_step(carom_energetic_workspace *w, const energetic_taken *taken, double u) {
  bool any, linear = is_linear(w, &any);
  if (!any || linear) return;
  int n = w->n;
  double a = 0.0, d = u, *whole = w->split.whole, *halves = w->split.halves;
  clear_numbers(n, w->split.sum);
  if (!taken->start && !energetic_march_ready(w)) return;
  clear_numbers(n, whole);
  integrate_split(w, taken, a, a + d, whole);
  while (a < u) {
    double b = fmin(u, a + d), middle = 0.5 * (a + b);
    clear_numbers(n, halves);
    integrate_split(w, taken, a, middle, halves);
    for (int i = 0; i < n; i++)
      w->split.first[i] = halves[i];
    integrate_split(w, taken, middle, b, halves);
    if (integrals_agree(w, whole, halves) || d <= SHORTEST * u) {
      for (int i = 0; i < n; i++)
        w->split.sum[i] += halves[i];
      a = b;
      d = fmin(2.0 * d, u - a);
      clear_numbers(n, whole);
      if (a < u) integrate_split(w, taken, a, fmin(u, a + d), whole);
    } else { // the first half is the next to be looked at
      d = middle - a;
      for (int i = 0; i < n; i++)
        whole[i] = w->split.first[i];
    }
  }
}

// Impulses of a class over the step, as integrated. Their sum is known better, and what is missing
// goes to where most can be carried.
static void add_split(carom_energetic_workspace *w, int class, const double *impulse) {
  double missing = 0.0, carried = 0.0;
  if (!w->response.shared) missing = energetic_reaction(w, class, impulse);
  for (int i = 0; i < w->n; i++) {
    if (w->friction.family[i] != class) continue;
    if (!w->response.shared) missing -= w->friction.coefficient[i] * w->split.sum[i];
    carried += w->friction.coefficient[i] * w->friction.coefficient[i] * w->problem.stick[i] *
               energetic_normal(w, i, impulse);
  }
  for (int i = 0; i < w->n; i++) {
    if (w->friction.family[i] != class) continue;
    double part =
        w->friction.coefficient[i] * w->problem.stick[i] * energetic_normal(w, i, impulse);
    w->outcome.p[2 * i + 1] += w->split.sum[i] + (carried > 0.0 ? missing * part / carried : 0.0);
  }
}

void energetic_stick_impulses(carom_energetic_workspace *w, const double *impulse) {
  bool any, linear = is_linear(w, &any);
  if (!any) return;
  for (int c = 0; c < w->friction.classes; c++) {
    if (!w->friction.list[c].sticks) continue;
    if (linear)
      w->outcome.p[2 * w->friction.list[c].rep + 1] += energetic_reaction(w, c, impulse);
    else
      add_split(w, c, impulse);
  }
}
