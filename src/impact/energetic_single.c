// SPDX-License-Identifier: MIT
/// One contact: over its normal impulse P the velocities are piecewise linear,
///
///   slip    dv_N = (G_NN - d mu G_NT) dP,      dv_T = (G_TN - d mu G_TT) dP,   d = sign(v_T)
///   stick   dv_N = (G_NN - G_NT^2/G_TT) dP,    dv_T = 0                        |G_NT| <= mu_s G_TT
///
/// and the work of the normal impulse piecewise quadratic, so every piece ends at a root of a
/// linear or quadratic equation (Keller 1986, Stronge 1990).
#include "impact/energetic_internal.h"

#include <assert.h>
#include <math.h>

enum { PIECES = 8 };

typedef struct walk {
  carom_energetic_workspace *w;
  int contact;
  double NN, NT, TT;
  double vn, vt;          // now
  double normal, tangent; // impulses
  double work;            // energy taken during compression
  double rubbed;
  int slip;            // 0: sticks
  double dvn, dvt, dt; // per unit of normal impulse; dt: friction
  // where the pieces end, for the others' sake
  double at_normal[PIECES], at_tangent[PIECES];
  int pieces;
  carom_energetic_event_kind kind[2 * PIECES];
  double kind_at[2 * PIECES];
  int kinds;
} walk;

static void note_event(walk *k, carom_energetic_event_kind kind) {
  if (k->kinds == 2 * PIECES) return;
  k->kind_at[k->kinds] = k->normal;
  k->kind[k->kinds++] = kind;
}

// friction for what comes next; at rest it sticks if it can, or slips the way it is driven
static void choose_friction(walk *k) {
  const carom_energetic_workspace *w = k->w;
  int i = k->contact;
  k->dvn = k->NN;
  k->dvt = k->NT;
  k->dt = 0.0;
  k->slip = 0;
  if (!w->problem.rough[i]) return;
  bool rests = k->vt == 0.0;
  if (rests && fabs(k->NT) <= w->problem.stick[i] * k->TT) {
    k->dt = k->TT > 0.0 ? -k->NT / k->TT : 0.0;
    k->dvn = k->NN + k->dt * k->NT;
    k->dvt = 0.0;
    return;
  }
  double along = rests ? k->NT : k->vt;
  k->slip = along > 0.0 ? 1 : -1;
  k->dt = -k->slip * w->problem.slide[i];
  k->dvn = k->NN + k->dt * k->NT;
  k->dvt = k->NT + k->dt * k->TT;
}

// normal impulse until slip stops
static double until_rest(const walk *k) {
  bool braked = k->slip != 0 && k->dvt * k->vt < 0.0;
  return braked ? -k->vt / k->dvt : INFINITY;
}

// moves on by P; `rests`: slip has come to zero there
static void move_impulse(walk *k, double P, bool rests) {
  double vt = rests ? 0.0 : k->vt + k->dvt * P;
  k->rubbed -= k->dt * P * 0.5 * (k->vt + vt);
  k->vt = vt;
  k->vn += k->dvn * P;
  k->normal += P;
  k->tangent += k->dt * P;
  if (k->pieces < PIECES) {
    k->at_normal[k->pieces] = k->normal;
    k->at_tangent[k->pieces++] = k->tangent;
  }
  if (!rests) return;
  choose_friction(k);
  note_event(k, k->slip == 0  ? CAROM_ENERGETIC_STICKS
                : k->slip > 0 ? CAROM_ENERGETIC_SLIPS_PLUS
                              : CAROM_ENERGETIC_SLIPS_MINUS);
}

// until v_N = 0; returns false when that never happens
static bool compress_contact(walk *k) {
  for (int piece = 0; piece < PIECES / 2; piece++) {
    double rest = until_rest(k), turn = k->dvn > 0.0 ? -k->vn / k->dvn : INFINITY;
    if (isinf(rest) && isinf(turn)) return false;
    bool ends = turn <= rest;
    double P = ends ? turn : rest, before = k->vn;
    // slip may come to rest in the same moment, to rounding
    bool stops = !isinf(rest) && k->slip * (k->vt + k->dvt * P) <= 0.0;
    move_impulse(k, P, !ends || stops);
    if (ends) k->vn = 0.0;
    k->work -= P * 0.5 * (before + k->vn);
    if (ends) return true;
  }
  return false;
}

// the impulse at which the quadratic v P + a P^2/2 reaches `work`, in a form without cancellation
static double impulse_for_work(double v, double a, double work) {
  double under = v * v + 2.0 * a * work;
  if (!(under > 0.0)) return 0.0;
  double below = v + sqrt(under);
  return below > 0.0 ? 2.0 * work / below : 0.0;
}

static double expand_left(const walk *k, carom_energetic_stop stop, double left) {
  switch (stop) {
  case CAROM_STOP_KINETIC: return left;
  case CAROM_STOP_KINEMATIC: return k->dvn > 0.0 ? (left - k->vn) / k->dvn : 0.0;
  case CAROM_STOP_ENERGETIC: break;
  }
  return impulse_for_work(k->vn, k->dvn, left);
}

// `left`: work or impulse still to be given back, or the velocity to reach
static double expand_contact(walk *k, carom_energetic_stop stop, double left) {
  double given = 0.0;
  for (int piece = 0; piece < PIECES / 2; piece++) {
    double P = expand_left(k, stop, left), rest = until_rest(k), before = k->vn;
    bool ends = !(P > rest);
    if (!ends) P = rest;
    move_impulse(k, P, !ends);
    double work = P * 0.5 * (before + k->vn);
    given += work;
    if (ends) {
      if (stop == CAROM_STOP_KINEMATIC && P > 0.0) k->vn = left;
      return given;
    }
    if (stop == CAROM_STOP_ENERGETIC) left -= work;
    if (stop == CAROM_STOP_KINETIC) left -= P;
  }
  return given;
}

// would another contact be pressed on the way? velocities are linear between the ends of pieces
static bool disturbs_others(const walk *k) {
  const carom_energetic_workspace *w = k->w;
  int i = k->contact, size = 2 * w->n;
  for (int j = 0; j < w->n; j++) {
    if (j == i || !w->state.allowed[j]) continue;
    const double *row = w->problem.H + 2 * j * size + 2 * i;
    for (int piece = 0; piece < k->pieces; piece++) {
      double change = row[0] * k->at_normal[piece] + row[1] * k->at_tangent[piece];
      if (w->state.v[2 * j] + change < -1e-15 * w->state.speed * w->problem.root[2 * j])
        return true;
    }
  }
  return false;
}

static void write_log(walk *k) {
  carom_energetic_workspace *w = k->w;
  double before = w->outcome.total;
  for (int j = 0; j < k->kinds; j++) {
    w->outcome.total = before + k->kind_at[j];
    carom_energetic_event_kind kind = k->kind[j];
    if (kind < CAROM_ENERGETIC_STICKS)
      energetic_note(w, kind, k->contact);
    else
      energetic_note_friction(w, k->contact,
                              kind == CAROM_ENERGETIC_STICKS       ? 0
                              : kind == CAROM_ENERGETIC_SLIPS_PLUS ? 1
                                                                   : -1);
  }
  w->outcome.total = before + k->normal;
}

static void write_back(walk *k, double given) {
  assert(k->pieces > 0 && k->normal >= 0.0);
  carom_energetic_workspace *w = k->w;
  int i = k->contact, size = 2 * w->n;
  write_log(k);
  for (int r = 0; r < size; r++)
    w->state.v[r] += w->problem.H[r * size + 2 * i] * k->normal +
                     w->problem.H[r * size + 2 * i + 1] * k->tangent;
  w->state.v[2 * i] = k->vn;
  if (w->problem.rough[i]) w->state.v[2 * i + 1] = k->vt;
  w->outcome.p[2 * i] += k->normal;
  w->outcome.p[2 * i + 1] += k->tangent;
  w->friction.slip[i] = k->slip;
  w->outcome.lost[w->problem.order[i]] += k->work - given;
  w->outcome.rubbed[w->problem.order[i]] += k->rubbed;
}

static walk begin_walk(carom_energetic_workspace *w, int i) {
  assert(i >= 0 && i < w->n && !w->problem.user[i]);
  const double *row = w->problem.H + 2 * i * 2 * w->n + 2 * i;
  walk k = {.w = w, .contact = i, .NN = row[0], .NT = row[1], .TT = row[2 * w->n + 1]};
  k.vn = w->state.v[2 * i];
  k.vt = w->state.v[2 * i + 1];
  choose_friction(&k);
  return k;
}

bool energetic_single(carom_energetic_workspace *w, int i, bool pushing) {
  walk k = begin_walk(w, i);
  double approach = k.vn, e = w->problem.e[i];
  // a contact at zero approach is pressed only where sliding pulls it in
  if (pushing && !(k.dvn < 0.0)) return true;
  note_event(&k, CAROM_ENERGETIC_JOINS);
  if (k.slip) note_event(&k, k.slip > 0 ? CAROM_ENERGETIC_SLIPS_PLUS : CAROM_ENERGETIC_SLIPS_MINUS);
  if (!compress_contact(&k)) return false;
  note_event(&k, CAROM_ENERGETIC_COMPRESSED);
  double left = e * e * k.work;
  carom_energetic_stop stop = w->problem.habit[i].stop;
  if (stop == CAROM_STOP_KINETIC) left = e * k.normal;
  if (stop == CAROM_STOP_KINEMATIC) left = -e * approach;
  double given = expand_contact(&k, stop, left);
  note_event(&k, CAROM_ENERGETIC_ENDS);
  if (disturbs_others(&k)) return false;
  write_back(&k, given);
  w->outcome.phases[w->problem.order[i]]++;
  return true;
}

// the one contact that is pressed, or -1: there are more, or others are kept at rest
static int last_pressed(const carom_energetic_workspace *w) {
  int last = -1;
  for (int i = 0; i < w->n; i++) {
    if (w->state.status[i] == ENERGETIC_APART) continue;
    bool is_waiting = w->state.status[i] == ENERGETIC_PRESSED && !(w->state.x[i] > 0.0);
    if (is_waiting) continue;
    if (last >= 0 || w->state.status[i] == ENERGETIC_KEPT) return -1;
    last = i;
  }
  return last;
}

bool energetic_last(carom_energetic_workspace *w) {
  int i = last_pressed(w);
  if (i < 0 || w->problem.user[i] || w->friction.must_slip[i]) return false;
  walk k = begin_walk(w, i);
  k.work = energetic_stored(w, i);
  if (k.vn < 0.0) {
    if (!compress_contact(&k)) return false;
    note_event(&k, CAROM_ENERGETIC_COMPRESSED);
  }
  // friction may turn an expansion into another compression
  double left = w->problem.eta_out[i] * k.work,
         given = expand_contact(&k, CAROM_STOP_ENERGETIC, left);
  note_event(&k, CAROM_ENERGETIC_ENDS);
  if (fabs(given - left) > 1e-12 * left || disturbs_others(&k)) return false;
  write_back(&k, given);
  w->state.x[i] = 0.0;
  w->state.status[i] = ENERGETIC_APART;
  w->state.expanding[i] = w->state.counted[i] = false;
  return true;
}
