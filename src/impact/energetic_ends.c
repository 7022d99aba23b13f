// SPDX-License-Identifier: MIT
/// How an impact of several contacts ends: nothing is left that could change a velocity, contacts
/// hold each other with forces in balance, or they swing in a cage for ever.
///
/// A cage is a set of contacts with weights lambda > 0 and sum lambda_i n_i = 0 for the gradients
/// n_i of their gaps. Whatever forces act, sum lambda_i v_i = 0, and an impact ends with all v_i
/// >= 0: so it can end with v_i = 0 in all of the cage only. Where no contact of the cage, nor any
/// that it is coupled to, loses energy, that would have to be hit exactly: it never ends.
#include "base/elementary.h"
#include "base/linear.h"
#include "impact/energetic_internal.h"

#include <math.h>

enum {
  LONG = 100,          // steps without any movement
  QUIET = 500,         // steps with velocities that are lost in the noise, whatever the forces do
  EASE_AFTER = 4000,   // steps, before fewer digits are asked for
  EASE_TENFOLD = 2000, // steps for each digit less
  EARLY = 32,          // steps that no impact is asked to end within
  CAGE_AFTER = 64,     // steps, before cages are looked for
  SWING_AFTER = 2000,  // steps without loss and without an end of any contact
  WATCH = 1000,        // steps over which creep is measured
  FEW = 8,             // contacts, and
  LASTING = 5000,      // steps for each of them, or of these: no impact any more
  WATCHES = 2          // such times in a row
};

static const double LEAST_DIGITS = 1e-9; // of the speed: what may be left after many steps
static const double ENOUGH = 0.1;        // of the tolerance: approach left over at the end
static const double AT_MOST = 10.0;  // of the tolerance: velocities and what is stored, where all
                                     // is quiet
static const double STILL = 1e-8;    // of what could be, velocity or force: locked
static const double NOISE = 3.0;     // of the tolerance: velocities that may be left of nothing
static const double CREEP = 1e-3;    // of a compression: has moved
static const double HELD_BACK = 3.0; // what is stored could move contacts faster by this
static const double SLOW = 1e-2;     // velocity, of what is stored could give: trembles at most
static const double FADING = 0.3;    // of what is stored, over the steps watched: fades slowly
static const double FAINT = 1e-9;    // of the speed: velocities of contacts that creep, and
static const double FAINT_STORE = 1e-6; // what is stored could give: as good as ended
static const double CAGED = 1e-11;      // squared length of sum lambda_i n_i, for sum lambda_i = 1

double energetic_stored(const carom_energetic_workspace *w, int i) {
  if (!(w->x[i] > 0.0)) return 0.0;
  return energetic_force(w, i, w->x[i]) * w->x[i] / (w->a[i] + 1.0);
}

// What may be left at the end, in units of the tolerance. Times of contacts with unequal exponents
// part as their energy falls, and the last digits would take longer than all before: after many
// steps fewer of them are asked for, down to LEAST_DIGITS.
static double leave(const carom_energetic_workspace *w) {
  double least = fmax(w->tolerance, LEAST_DIGITS), asked = fmax(w->tiny, w->tolerance);
  int late = w->result->steps - EASE_AFTER;
  if (late <= 0 || asked >= least) return 1.0;
  return fmin(least / asked, carom_pow(10.0, (double)late / EASE_TENFOLD));
}

// Contacts may go on pushing each other for ever with less and less energy, so there must be a
// bound: what is stored cannot give a contact more than the tolerance, and none approaches by more
// than a part of it.
bool energetic_is_finished(const carom_energetic_workspace *w) {
  if (w->faint >= WATCHES) {
    w->result->left = FAINT;
    return true;
  }
  double eased = leave(w);
  double approach = fmax(w->tiny, ENOUGH * w->tolerance) * w->speed * eased;
  double given = fmax(w->tiny, w->tolerance) * w->speed * eased;
  w->result->left = given / w->speed;
  if (w->quiet >= QUIET) {
    given *= AT_MOST * HELD_BACK;
    approach = fmax(approach, AT_MOST * w->tolerance * w->speed);
  }
  for (int i = 0; i < w->n; i++) {
    if (!w->allowed[i]) continue;
    if (w->status[i] != ENERGETIC_KEPT && w->v[2 * i] < -approach * w->root[2 * i]) return false;
    if (energetic_takes_part(w, i) && energetic_stored(w, i) > 0.5 * given * given) return false;
  }
  return true;
}

void energetic_settle_velocities(carom_energetic_workspace *w) {
  for (int i = 0; i < w->n; i++)
    if (w->allowed[i] && w->v[2 * i] < 0.0) w->v[2 * i] = 0.0;
}

// ---- forces in balance

// Compressions that have not moved for many steps, while velocities are lost in the noise: forces
// that creep out of their balance look still for a while, too.
static bool stays_put(carom_energetic_workspace *w, bool still) {
  bool moved = false;
  double largest = 0.0;
  for (int i = 0; i < w->n && still; i++)
    largest = fmax(largest, energetic_stored(w, i));
  for (int i = 0; i < w->n && still; i++)
    if (energetic_stored(w, i) > CREEP * largest)
      moved = moved || fabs(w->x[i] - w->held_x[i]) > CREEP * w->held_x[i];
  if (!still || moved || w->held == 0)
    for (int i = 0; i < w->n; i++)
      w->held_x[i] = w->x[i];
  w->held = !still ? 0 : moved ? 1 : w->held + 1;
  return w->held > LONG;
}

// All velocities have died away, the forces have not, and they balance. Velocities are known to the
// tolerance only, so that little of them may be left for good; what is stored tells how fast the
// contacts would move if they could.
static bool seems_locked(carom_energetic_workspace *w, bool *at_once) {
  double forces = 0.0, largest = 0.0, fastest = 0.0;
  for (int i = 0; i < w->n; i++) {
    if (!energetic_takes_part(w, i)) continue;
    fastest = fmax(fastest, fabs(w->v[2 * i]) / w->root[2 * i]);
    if (fastest > STILL * w->speed) return false;
    largest = fmax(largest, energetic_stored(w, i));
  }
  double could = sqrt(2.0 * largest);
  bool much = *at_once = could >= STILL * w->speed;
  double still = much ? STILL * w->speed : fmax(NOISE * w->tolerance, 1e-13) * w->speed;
  if (fastest > still || (!much && could < HELD_BACK * still)) return false;
  energetic_channels_after(w, 0.0, w->trial);
  for (int i = 0; i < w->n; i++)
    forces += w->trial[i] * w->root[2 * i];
  double unbalanced = (much ? 1e2 * STILL : 10.0 * still / could) * forces;
  for (int i = 0; i < w->n; i++)
    if (energetic_takes_part(w, i) &&
        fabs(energetic_row(w, 2 * i, w->trial, NULL)) > unbalanced * w->root[2 * i])
      return false;
  return true;
}

bool energetic_is_still(const carom_energetic_workspace *w) {
  double fastest = 0.0;
  for (int i = 0; i < w->n; i++)
    if (energetic_takes_part(w, i)) fastest = fmax(fastest, fabs(w->v[2 * i]) / w->root[2 * i]);
  return fastest <= fmax(AT_MOST * w->tolerance, 1e-13) * w->speed;
}

// Velocities of all pressed contacts have been lost in the noise for long. Contacts that give
// nothing back may be compressed over and over by forces that do not fade.
static bool is_quiet(carom_energetic_workspace *w) {
  w->quiet = energetic_is_still(w) ? w->quiet + 1 : 0;
  return w->quiet > QUIET;
}

// The contacts hold each other and tremble, with little of the energy that is stored, which fades
// slowly at most: with e < 1 trembling undoes a compression in the end, but over thousands of
// compressions. That is no impact any more, unless so little is stored that nobody asks.
static bool only_creeps(carom_energetic_workspace *w) {
  double sum = 0.0;
  for (int i = 0; i < w->n; i++) {
    if (!energetic_takes_part(w, i)) continue;
    sum += energetic_stored(w, i);
    w->watch_fastest = fmax(w->watch_fastest, fabs(w->v[2 * i]) / w->root[2 * i]);
  }
  if (++w->watch < WATCH) return false;
  bool slow = w->watch_fastest < SLOW * sqrt(2.0 * sum);
  bool stays = fabs(sum - w->watch_stored) < FADING * sum;
  w->creeps = slow && stays ? w->creeps + 1 : 0;
  bool faint = w->watch_fastest < FAINT * w->speed && sqrt(2.0 * sum) < FAINT_STORE * w->speed;
  w->faint = faint ? w->faint + 1 : 0;
  w->watch = 0;
  w->watch_fastest = 0.0;
  w->watch_stored = sum;
  return w->creeps >= WATCHES && !faint;
}

static bool is_balanced(carom_energetic_workspace *w) {
  bool at_once = false, seems = seems_locked(w, &at_once);
  return stays_put(w, seems) || (seems && at_once);
}

// ---- cages

bool energetic_keeps_energy(const carom_energetic_workspace *w, int i) {
  return w->eta_out[i] == 1.0 && !w->rough[i] && !w->user[i];
}

static double coupling(const carom_energetic_workspace *w, int i, int j) {
  return w->H[2 * i * 2 * w->n + 2 * j] / (w->root[2 * i] * w->root[2 * j]);
}

// contacts that keep their energy and are coupled to such contacts only; returns their number
static int list_elastic(const carom_energetic_workspace *w, int *list) {
  int count = 0;
  for (int i = 0; i < w->n; i++) {
    bool alone = energetic_keeps_energy(w, i);
    for (int j = 0; j < w->n && alone; j++)
      alone = energetic_keeps_energy(w, j) || fabs(coupling(w, i, j)) < 1e-14;
    if (alone) list[count++] = i;
  }
  return count;
}

// weights of the passive set: (N + 1 1^T) z = 1, N the matrix of coupling
static void solve_passive(carom_energetic_workspace *w, int m, const int *list, double *z) {
  for (int a = 0; a < m; a++) {
    z[a] = 1.0;
    for (int b = 0; b < m; b++)
      w->choice_G[a * m + b] = 1.0 + coupling(w, list[a], list[b]);
  }
  carom_solve_semidefinite(m, w->choice_G, z, CAROM_CONTACT_RANK, w->pivot_row);
}

static double shortfall(const carom_energetic_workspace *w, int i, int m, const int *list,
                        const double *weight) {
  double sum = 1.0;
  for (int b = 0; b < m; b++)
    sum -= (1.0 + coupling(w, i, list[b])) * weight[b];
  return sum;
}

// the passive set shrinks until all weights are positive (Lawson and Hanson 1974, chapter 23)
static int step_inside(int m, int *list, double *weight, const double *z) {
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
  int *elastic = w->choice_normal, *list = w->choice_tangent, m = 0;
  double *weight = w->choice_stick, *z = w->choice_floor;
  int count = list_elastic(w, elastic);
  for (int round = 0; round < 3 * count; round++) {
    int next = -1;
    double most = 1e-13;
    for (int k = 0; k < count; k++) {
      double lack = shortfall(w, elastic[k], m, list, weight);
      if (lack > most) {
        most = lack;
        next = elastic[k];
      }
    }
    if (next < 0) break;
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

// ---- for ever

// how many contacts are pressed; -1: one of them loses energy
static int pressed_without_loss(const carom_energetic_workspace *w) {
  int count = 0;
  for (int i = 0; i < w->n; i++) {
    if (w->status[i] == ENERGETIC_APART || !w->allowed[i]) continue;
    if (w->eta_out[i] != 1.0 || w->slip[i] != 0 || w->user[i]) return -1;
    count += w->x[i] > 0.0;
  }
  return count;
}

// the same contacts swing on, elastic ones that stick, for example
static bool swings_on(carom_energetic_workspace *w) {
  int pressed = pressed_without_loss(w);
  w->swing = pressed > 0 && pressed == w->swing_pressed ? w->swing + 1 : 0;
  w->swing_pressed = pressed;
  return w->swing > SWING_AFTER;
}

// Longer than any impact: thousands of compressions of each contact.
static bool lasts_too_long(const carom_energetic_workspace *w) {
  return w->result->steps > (w->n > FEW ? w->n : FEW) * LASTING;
}

bool energetic_never_ends(carom_energetic_workspace *w) {
  if (w->result->steps < EARLY) return false;
  if (lasts_too_long(w)) return true;
  if (is_balanced(w) || is_quiet(w) || only_creeps(w) || swings_on(w)) return true;
  return w->result->steps == CAGE_AFTER + 8 * w->n && energetic_has_cage(w);
}
