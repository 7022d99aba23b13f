// SPDX-License-Identifier: MIT
/// Contacts that follow their loads. With a small e, or beside others that are much softer, a
/// contact may answer so much faster than the rest moves that its own velocity is lost in the
/// noise, and steps as short as its period would be made for nothing. Such a contact is kept at v_N
/// = 0 by the force F that is needed for it, and its compression follows, x = (F/k)^(1/a). That is
/// the slow motion of the law up to its velocity, -e^2 dx/ds while the load falls and -dx/ds while
/// it rises. As soon as that would be more than noise, the contact is compressed as any other.
#include "impact/energetic_internal.h"

#include <assert.h>
#include <math.h>

enum {
  CALM = 30,   // steps in a row with a velocity lost in the noise, to begin
  AGAIN = -300 // the same after an attempt in vain
};

double energetic_compression(const carom_energetic_workspace *w, int i, double force) {
  return force > 0.0 ? carom_pow(force / w->problem.k[i], 1.0 / w->problem.a[i]) : 0.0;
}

void energetic_is_calm(carom_energetic_workspace *w, int i) { w->state.calm[i] = CALM; }

static double stiffness_at(const carom_energetic_workspace *w, int i, double x) {
  return x > 0.0 ? w->problem.a[i] * energetic_force(w, i, x) / x : 0.0;
}

// rate of the load of contact i for compressions x and velocities v of the pressed, [i][stride]
static double load_rate(const carom_energetic_workspace *w, int i, const double *x, int x_stride,
                        const double *v, int v_stride) {
  assert(w->response.kept[i] >= 0 && w->response.kept[i] < w->response.reactions);
  const double *B = w->response.B + w->response.kept[i] * 2 * w->n;
  double sum = 0.0;
  for (int c = 0; c < w->n; c++) {
    if (B[c] == 0.0 || !energetic_takes_part(w, c)) continue;
    double eta = w->state.expanding[c] ? w->problem.eta_out[c] : 1.0;
    sum -= B[c] * stiffness_at(w, c, x[c * x_stride]) * v[2 * c * v_stride] / eta;
  }
  return sum;
}

// velocity of contact i below which it is lost
static double velocity_noise(const carom_energetic_workspace *w, int i) {
  return w->problem.tolerance * w->state.speed * w->problem.root[2 * i];
}

// a rise of the load that compresses contact i faster than the noise
static double load_rises_by(const carom_energetic_workspace *w, int i) {
  return velocity_noise(w, i) * stiffness_at(w, i, w->state.x[i]);
}

void energetic_load_falls(const carom_energetic_workspace *w, int i, double *margin) {
  double most = load_rises_by(w, i);
  for (int j = 0; j < w->nodes.table->nodes; j++)
    margin[j] = most - load_rate(w, i, &w->nodes.X[0][j], ENERGETIC_NODES, &w->nodes.V[0][j],
                                 ENERGETIC_NODES);
}

// contact i as it is kept by its load: what is stored changes with it
static void set_compression(carom_energetic_workspace *w, int i) {
  double before = energetic_stored(w, i);
  w->state.x[i] = energetic_compression(w, i, energetic_normal(w, i, w->step.trial));
  w->outcome.lost[w->problem.order[i]] += before - energetic_stored(w, i);
}

void energetic_follow_loads(carom_energetic_workspace *w) {
  bool known = false;
  for (int i = 0; i < w->n; i++) {
    if (!w->state.settled[i]) continue;
    if (!known) energetic_channels_after(w, 0.0, w->step.trial);
    known = true;
    set_compression(w, i);
  }
}

static void keep_contact(carom_energetic_workspace *w, int i, bool kept) {
  w->state.status[i] = kept ? ENERGETIC_KEPT : ENERGETIC_PRESSED;
  w->state.settled[i] = kept;
  w->friction.answered = w->march.under_way = false;
  energetic_settle_here(w);
}

// The contact is kept, if there is a load. If that rises, an expansion turns into compression with
// the next step, and a compression goes on.
static void settle_contact(carom_energetic_workspace *w, int i) {
  bool expanding = w->state.expanding[i];
  w->state.v[2 * i] = 0.0;
  w->state.expanding[i] = true;
  keep_contact(w, i, true);
  w->state.calm[i] = AGAIN;
  energetic_channels_after(w, 0.0, w->step.trial);
  // where no force can keep it, the choice of modes has let it go
  bool kept = w->response.kept[i] >= 0;
  bool loaded = kept && energetic_normal(w, i, w->step.trial) > 0.0;
  bool rises = kept && load_rate(w, i, w->state.x, 1, w->state.v, 1) > load_rises_by(w, i);
  if (loaded && !w->response.shared && (expanding || !rises)) {
    set_compression(w, i);
    return;
  }
  w->state.expanding[i] = expanding;
  keep_contact(w, i, false);
}

void energetic_let_go(carom_energetic_workspace *w, int i) {
  w->state.status[i] = ENERGETIC_PRESSED;
  w->state.settled[i] = false;
  // nothing is given back: it cannot expand
  if (w->problem.e[i] <= ENERGETIC_NO_RETURN) w->state.expanding[i] = false;
}

// Forces that keep contacts and friction that holds others may depend on each other: then they
// tell nothing about compressions.
void energetic_unsettle(carom_energetic_workspace *w) {
  for (int i = 0; i < w->n; i++)
    if (w->state.settled[i]) {
      energetic_let_go(w, i);
      keep_contact(w, i, false);
    }
}

void energetic_settle_calm(carom_energetic_workspace *w) {
  if (w->response.shared) energetic_unsettle(w);
  for (int i = 0; i < w->n; i++) {
    if (!energetic_takes_part(w, i) || w->problem.eta_out[i] == 1.0 || w->problem.user[i]) continue;
    w->state.calm[i] = fabs(w->state.v[2 * i]) <= velocity_noise(w, i) && w->state.x[i] > 0.0
                           ? w->state.calm[i] + 1
                           : 0;
    if (w->state.calm[i] > CALM) settle_contact(w, i);
  }
}
