// SPDX-License-Identifier: MIT
/// How an impact of several contacts ends. Two things can be proved: that nothing is left which
/// could change a velocity by the tolerance, and that contacts swing in a cage for ever. For all
/// else there is one rule: what is stored must fade as impulse passes (fading.h), or the impact is
/// ended there, with what it leaves open.
///
/// A cage is a set of contacts with weights lambda > 0 and sum lambda_i n_i = 0 for the gradients
/// n_i of their gaps. Whatever forces act, sum lambda_i v_i = 0, and an impact ends with all v_i
/// >= 0: so it can end with v_i = 0 in all of the cage only. Where no contact of the cage, nor any
/// that it is coupled to, loses energy, that would have to be hit exactly: it never ends.
#include "base/elementary.h"
#include "base/linear.h"
#include "impact/energetic_internal.h"

#include <assert.h>
#include <math.h>

enum { CAGE_AFTER = 64 }; // steps, before cages are looked for

static const double ENOUGH = 0.1;  // of the tolerance: approach left over at the end
static const double CAGED = 1e-11; // squared length of sum lambda_i n_i, for sum lambda_i = 1

// Contacts may go on pushing each other for ever with less and less energy, so there must be a
// bound: what is stored cannot give a contact more than the tolerance, and none approaches by more
// than a part of it.
bool energetic_is_finished(const carom_energetic_workspace *w) {
  double approach = fmax(w->problem.tiny, ENOUGH * w->problem.tolerance) * w->state.speed;
  double left = fmax(w->problem.tiny, w->problem.tolerance), given = left * w->state.speed;
  w->outcome.result->left = left;
  for (int i = 0; i < w->n; i++) {
    if (!w->state.allowed[i]) continue;
    if (w->state.status[i] != ENERGETIC_KEPT &&
        w->state.v[2 * i] < -approach * w->problem.root[2 * i])
      return false;
    if (energetic_takes_part(w, i) && energetic_stored(w, i) > 0.5 * given * given) return false;
  }
  return true;
}

// ---- what does not fade

static double sum_stored(const carom_energetic_workspace *w) {
  double sum = 0.0;
  for (int i = 0; i < w->n; i++)
    if (energetic_takes_part(w, i)) sum += energetic_stored(w, i);
  return sum;
}

// What is left open, as a part of the speed: how fast a contact approaches, or could be made to
// move by all that is stored.
static double left_open(const carom_energetic_workspace *w) {
  double left = sqrt(2.0 * sum_stored(w));
  for (int i = 0; i < w->n; i++)
    if (w->state.allowed[i] && w->state.status[i] != ENERGETIC_KEPT)
      left = fmax(left, -w->state.v[2 * i] / w->problem.root[2 * i]);
  return left / w->state.speed;
}

bool energetic_stalls(carom_energetic_workspace *w) {
  carom_fading *fading = &w->ending;
  bool late;
  assert(fading->rounds >= 0 && !(fading->passed < 0.0));
  if (!carom_fading_note(fading, w->n, sum_stored(w), &late)) return false;
  return fading->rounds >= w->problem.options->rounds ||
         (late && left_open(w) <= CAROM_FADING_SLOW);
}

carom_energetic_end energetic_end_here(const carom_energetic_workspace *w) {
  double left = w->outcome.result->left = left_open(w);
  return left <= fmax(CAROM_FADING_OPEN, 10.0 * w->problem.tolerance) ? CAROM_ENERGETIC_FINISHED
                                                                      : CAROM_ENERGETIC_LOCKED;
}

// ---- cages

bool energetic_keeps_energy(const carom_energetic_workspace *w, int i) {
  return w->problem.eta_out[i] == 1.0 && !w->problem.rough[i] && !w->problem.user[i];
}

static double scaled_coupling(const carom_energetic_workspace *w, int i, int j) {
  return w->problem.H[2 * i * 2 * w->n + 2 * j] / (w->problem.root[2 * i] * w->problem.root[2 * j]);
}

// contacts that keep their energy and are coupled to such contacts only; returns their number
static int list_elastic(const carom_energetic_workspace *w, int *list) {
  int count = 0;
  for (int i = 0; i < w->n; i++) {
    bool alone = energetic_keeps_energy(w, i);
    for (int j = 0; j < w->n && alone; j++)
      alone = energetic_keeps_energy(w, j) || fabs(scaled_coupling(w, i, j)) < 1e-14;
    if (alone) list[count++] = i;
  }
  return count;
}

// weights of the passive set: (N + 1 1^T) z = 1, N the matrix of coupling
static void solve_passive(carom_energetic_workspace *w, int m, const int *list, double *z) {
  for (int a = 0; a < m; a++) {
    z[a] = 1.0;
    for (int b = 0; b < m; b++)
      w->choice.G[a * m + b] = 1.0 + scaled_coupling(w, list[a], list[b]);
  }
  carom_solve_semidefinite(m, w->choice.G, z, CAROM_CONTACT_RANK, w->response.pivot_row);
}

static double measure_shortfall(const carom_energetic_workspace *w, int i, int m, const int *list,
                                const double *weight) {
  double sum = 1.0;
  for (int b = 0; b < m; b++)
    sum -= (1.0 + scaled_coupling(w, i, list[b])) * weight[b];
  return sum;
}

// the passive set shrinks until all weights are positive (Lawson and Hanson 1974, chapter 23)
static int step_inside(int m, int *list, double *weight, const double *z) {
  assert(m > 0);
  double share = 1.0;
  for (int a = 0; a < m; a++)
    if (z[a] <= 0.0) share = fmin(share, weight[a] / (weight[a] - z[a]));
  int left = 0;
  for (int a = 0; a < m; a++) {
    double value = weight[a] + share * (z[a] - weight[a]);
    if (z[a] <= 0.0 && value <= 1e-15) continue;
    list[left] = list[a];
    weight[left++] = value;
  }
  return left;
}

// Is there a cage among the elastic contacts? The shortest sum lambda_i n_i with sum lambda_i = 1
// is found as non-negative least squares of (sum lambda_i n_i, sum lambda_i) = (0, 1), whose
// squared residual is 1 - sum lambda_i.
bool energetic_has_cage(carom_energetic_workspace *w) {
  int *elastic = w->choice.normal, *list = w->choice.tangent, m = 0;
  double *weight = w->choice.stick, *z = w->choice.floor;
  int count = list_elastic(w, elastic);
  for (int round = 0; round < 3 * count; round++) {
    int next = -1;
    double most = 1e-13;
    for (int k = 0; k < count; k++) {
      double lack = measure_shortfall(w, elastic[k], m, list, weight);
      if (lack > most) {
        most = lack;
        next = elastic[k];
      }
    }
    if (next < 0) break;
    assert(m < count); // a contact enters once
    list[m] = next;
    weight[m++] = 0.0;
    for (bool inside = false; !inside && m > 0;) {
      solve_passive(w, m, list, z);
      inside = true;
      for (int a = 0; a < m; a++)
        inside = inside && z[a] > 0.0;
      if (!inside) m = step_inside(m, list, weight, z);
    }
    for (int a = 0; a < m; a++)
      weight[a] = z[a];
  }
  double sum = 0.0;
  for (int a = 0; a < m; a++)
    sum += weight[a];
  return m > 1 && 1.0 - sum < CAGED;
}

bool energetic_is_caged(carom_energetic_workspace *w) {
  return w->outcome.result->steps == CAGE_AFTER + 8 * w->n && energetic_has_cage(w);
}
