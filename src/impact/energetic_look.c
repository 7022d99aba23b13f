// SPDX-License-Identifier: MIT
/// Within a step of the march: what may happen, where, and the step cut to end there.
#include "impact/energetic_internal.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static double root_at(const energetic_marcher *m, double t) { return m->w_start - t; }

// compression of pressed contact q
static double compression_at(const energetic_marcher *m, int q, double t, const double *y) {
  if (m->landing < 0 || q != m->landing_slot) return y[q];
  return root_at(m, t) * root_at(m, t);
}

// does the cubic with these ends stay at or above -small? (its Bernstein coefficients)
static bool cubic_stays(double g0, double d0, double g1, double d1, double small) {
  return g0 >= -small && g0 + d0 / 3.0 >= -small && g1 - d1 / 3.0 >= -small && g1 >= -small;
}

static bool suspect_row(const carom_energetic_workspace *w, int row, double sign, double small) {
  const energetic_marcher *m = &w->march;
  double h = sign * m->stepper.h;
  return !cubic_stays(sign * w->state.v[row], h * m->slope[row], sign * m->v1[row],
                      h * m->slope1[row], small);
}

static bool suspect_compressions(carom_energetic_workspace *w) {
  energetic_marcher *m = &w->march;
  const carom_stepper *s = &m->stepper;
  bool any = false;
  for (int i = 0; i < w->n; i++)
    m->suspects.compressions[i] = false;
  for (int q = 0; q < m->layout.pressed; q++) {
    if (m->landing >= 0 && q == m->landing_slot) continue;
    double small = w->problem.tiny * m->reach[m->layout.contact[q]];
    bool suspect = !cubic_stays(s->y[q], s->h * s->f[q], s->y1[q], s->h * s->f1[q], small);
    m->suspects.compressions[m->layout.contact[q]] = suspect;
    any = any || suspect;
  }
  return any;
}

// forces of channels and their slopes at one end of the step
static void channel_forces(carom_energetic_workspace *w, double t, const double *y, const double *f,
                           double *force, double *slope) {
  const energetic_marcher *m = &w->march;
  for (int c = 0; c < w->response.channels; c++)
    force[c] = slope[c] = 0.0;
  for (int q = 0; q < m->layout.pressed; q++) {
    int i = m->layout.contact[q];
    double x = compression_at(m, q, t, y), root = root_at(m, t);
    bool lands = m->landing >= 0 && q == m->landing_slot;
    force[i] = energetic_force(w, i, x);
    if (lands && root > 0.0) slope[i] = -2.0 * w->problem.a[i] * force[i] / root;
    if (!lands && x > 0.0) slope[i] = w->problem.a[i] * force[i] * f[q] / x;
  }
}

// might a sticking class come to the end of its cone?
static bool suspect_sticks(carom_energetic_workspace *w) {
  const carom_stepper *s = &w->march.stepper;
  double *force = w->step.trial, *slope = w->response.column, *force1 = w->step.ahead,
         *slope1 = w->response.right;
  int size = 2 * w->n;
  if (w->response.shared || w->march.layout.channels > w->march.layout.pressed) return true;
  channel_forces(w, s->t, s->y, s->f, force, slope);
  channel_forces(w, s->t1, s->y1, s->f1, force1, slope1);
  for (int c = 0; c < w->friction.classes; c++) {
    if (!w->friction.list[c].sticks) continue;
    if (w->friction.list[c].many) return true;
    const double *limit = w->response.limit + c * size,
                 *reaction = w->response.B + w->friction.list[c].unknown * size;
    for (int sign = -1; sign <= 1; sign += 2) {
      double g0 = 0.0, d0 = 0.0, g1 = 0.0, d1 = 0.0;
      for (int j = 0; j < w->n; j++) {
        double factor = limit[j] + sign * reaction[j];
        g0 += factor * force[j];
        d0 += factor * slope[j];
        g1 += factor * force1[j];
        d1 += factor * slope1[j];
      }
      if (!cubic_stays(g0, s->h * d0, g1, s->h * d1, 0.0)) return true;
    }
  }
  return false;
}

bool energetic_march_suspects(carom_energetic_workspace *w) {
  energetic_marcher *m = &w->march;
  bool sticks = false;
  for (int c = 0; c < w->friction.classes; c++)
    sticks = sticks || w->friction.list[c].sticks;
  m->suspects.all = sticks && suspect_sticks(w);
  for (int i = 0; i < w->n; i++)
    m->suspects.all = m->suspects.all || w->state.status[i] == ENERGETIC_KEPT;
  if (m->suspects.all) return true;
  bool any = suspect_compressions(w);
  for (int i = 0; i < w->n; i++) {
    m->suspects.velocities[2 * i] = m->suspects.velocities[2 * i + 1] = false;
    if (!w->state.allowed[i]) continue;
    bool apart = w->state.status[i] == ENERGETIC_APART;
    // an elastic contact turns from compression to expansion without any change of law
    if (apart || w->problem.eta_out[i] != 1.0) {
      double small = w->problem.tiny * w->state.speed * w->problem.root[2 * i];
      m->suspects.velocities[2 * i] =
          suspect_row(w, 2 * i, apart || w->state.expanding[i] ? 1.0 : -1.0, small);
    }
    if (!apart && w->friction.slip[i] != 0) {
      double small = w->problem.tiny * w->state.slip_speed * w->problem.root[2 * i + 1];
      m->suspects.velocities[2 * i + 1] = suspect_row(w, 2 * i + 1, w->friction.slip[i], small);
    }
    any = any || m->suspects.velocities[2 * i] || m->suspects.velocities[2 * i + 1];
  }
  return any;
}

// node values of a polynomial about the middle of the step; both ends are known better
static void polynomial_nodes(const energetic_table *t, const double *coefficient, double first,
                             double last, double *values) {
  int end = t->nodes - 1;
  values[0] = first;
  values[end] = last;
  for (int j = 1; j < end; j++) {
    double s = t->u[j] - 0.5, sum = coefficient[CAROM_DENSE_DEGREE];
    for (int k = CAROM_DENSE_DEGREE - 1; k >= 0; k--)
      sum = coefficient[k] + s * sum;
    values[j] = sum;
  }
}

// velocities of a row at the nodes, from the dense output of the impulses that drive it
static void row_at_nodes(carom_energetic_workspace *w, int row) {
  const energetic_marcher *m = &w->march;
  const carom_stepper *s = &m->stepper;
  const double *R = w->response.R + row * 2 * w->n;
  const int *entry = w->response.entries + row * 2 * w->n;
  double coefficient[CAROM_DENSE_DEGREE + 1] = {m->start_velocity[row]};
  for (int c = 0; c < w->response.entry_count[row]; c++) {
    int place = m->layout.place[entry[c]];
    for (int k = 0; k <= CAROM_DENSE_DEGREE && place >= 0; k++)
      coefficient[k] += R[entry[c]] * s->dense.centre[k][m->layout.pressed + place];
  }
  polynomial_nodes(w->nodes.table, coefficient, w->state.v[row], m->v1[row], w->nodes.V[row]);
}

static void compressions_at_nodes(carom_energetic_workspace *w) {
  const energetic_marcher *m = &w->march;
  const carom_stepper *s = &m->stepper;
  for (int q = 0; q < m->layout.pressed; q++) {
    int i = m->layout.contact[q];
    if (!m->suspects.compressions[i]) continue;
    double coefficient[CAROM_DENSE_DEGREE + 1];
    for (int k = 0; k <= CAROM_DENSE_DEGREE; k++)
      coefficient[k] = s->dense.centre[k][q];
    polynomial_nodes(w->nodes.table, coefficient, s->y[q], s->y1[q], w->nodes.X[i]);
  }
}

static void node_values(carom_energetic_workspace *w, int j, double t, const double *y) {
  energetic_marcher *m = &w->march;
  int n = w->n;
  for (int q = 0; q < m->layout.pressed; q++) {
    int i = m->layout.contact[q];
    double x = compression_at(m, q, t, y);
    w->nodes.X[i][j] = x;
    w->nodes.F[i][j] = energetic_force(w, i, x);
  }
  energetic_follow_rows(m, y, y, m->velocity, m->spare);
  for (int q = 0; q < m->layout.rows; q++)
    w->nodes.V[m->layout.row[q]][j] = m->velocity[m->layout.row[q]];
  for (int i = 0; n + i < w->response.channels; i++)
    if (w->nodes.live[n + i])
      w->nodes.F[n + i][j] = w->problem.asked->law(w->problem.asked->law_ctx, w->problem.order[i],
                                                   w->nodes.F[i][j], w->nodes.V[2 * i + 1][j]);
}

bool energetic_march_nodes(carom_energetic_workspace *w) {
  energetic_marcher *m = &w->march;
  carom_stepper *s = &m->stepper;
  int n = w->n, last = w->nodes.table->nodes - 1;
  if (carom_stepper_dense(s, NULL) != CAROM_OK) return false;
  if (!m->suspects.all) {
    for (int row = 0; row < 2 * n; row++)
      if (m->suspects.velocities[row]) row_at_nodes(w, row);
    compressions_at_nodes(w);
    return true;
  }
  for (int c = 0; c < w->response.channels; c++) {
    w->nodes.live[c] = m->layout.place[c] >= 0;
    if (!w->nodes.live[c]) memset(w->nodes.F[c], 0, sizeof *w->nodes.F);
  }
  for (int j = 0; j <= last; j++) {
    const double *y = j == 0 ? s->y : j == last ? s->y1 : m->y;
    if (j > 0 && j < last) carom_dense_eval(s, w->nodes.table->u[j], m->y, NULL, NULL);
    node_values(w, j, s->t + w->nodes.table->u[j] * s->h, y);
  }
  return true;
}

bool energetic_march_ready(carom_energetic_workspace *w) {
  return carom_stepper_dense(&w->march.stepper, NULL) == CAROM_OK;
}

double energetic_march_channels(carom_energetic_workspace *w, double u, double *channels) {
  energetic_marcher *m = &w->march;
  const carom_stepper *s = &m->stepper;
  int n = w->n;
  double t = s->t + u * s->h, pace = s->h;
  carom_dense_eval(s, u, m->y, NULL, NULL);
  for (int c = 0; c < w->response.channels; c++)
    channels[c] = 0.0;
  for (int q = 0; q < m->layout.pressed; q++)
    channels[m->layout.contact[q]] =
        energetic_force(w, m->layout.contact[q], compression_at(m, q, t, m->y));
  if (m->landing < 0 && m->layout.channels == m->layout.pressed) return pace;
  energetic_follow_rows(m, m->y, m->y, m->velocity, m->spare);
  for (int q = m->layout.rubbing; q < m->layout.tangents; q++) {
    int i = m->layout.tangent[q];
    channels[n + i] = w->problem.asked->law(w->problem.asked->law_ctx, w->problem.order[i],
                                            channels[i], m->velocity[2 * i + 1]);
  }
  if (m->landing < 0) return pace;
  double v = m->velocity[2 * m->landing] * m->soft[m->landing_slot];
  return v > 0.0 ? pace * 2.0 * root_at(m, t) / v : 0.0;
}

// ---- moving on

// How much the stick of a class has to spare at the end of the step, and its slope. Where it is
// shared, between kinks; users' friction is not told from here.
static double stick_to_spare(carom_energetic_workspace *w, int class, double *slope) {
  const carom_stepper *s = &w->march.stepper;
  double *force = w->step.trial, *rate = w->response.column, *moved = w->step.ahead,
         dt = 1e-5 * s->h, sum = 0.0;
  int size = 2 * w->n;
  channel_forces(w, s->t1, s->y1, s->f1, force, rate);
  *slope = 0.0;
  if (w->march.layout.channels > w->march.layout.pressed) return 0.0;
  if (w->response.shared) {
    for (int c = 0; c < w->response.channels; c++)
      moved[c] = force[c] - dt * rate[c];
    sum = energetic_shared_margin(w, force);
    *slope = (sum - energetic_shared_margin(w, moved)) / dt;
    return sum;
  }
  const double *limit = w->response.limit + class * size,
               *reaction = w->response.B + w->friction.list[class].unknown * size;
  for (int j = 0; j < w->n; j++) {
    double factor = limit[j] + w->events.rupture_sign[class] * reaction[j];
    sum += factor * force[j];
    *slope += factor * rate[j];
  }
  return sum;
}

// the zero sought is closed in on by one more evaluation
static bool polish_zero(carom_energetic_workspace *w, const energetic_zero *zero) {
  energetic_marcher *m = &w->march;
  carom_stepper *s = &m->stepper;
  double value = 0.0, slope = 0.0;
  if (zero->row >= 0) {
    energetic_follow_rows(m, s->y1, s->f1, m->v1, m->slope1);
    value = m->v1[zero->row];
    slope = m->slope1[zero->row];
  } else if (zero->class >= 0) {
    value = stick_to_spare(w, zero->class, &slope);
  }
  double dt = -value / slope;
  if (!(fabs(dt) < 1e-2 * s->h) || dt == 0.0) return true;
  return carom_stepper_nudge(s, dt, NULL) == CAROM_OK;
}

bool energetic_march_cut(carom_energetic_workspace *w, const energetic_taken *taken, double u,
                         const energetic_zero *zero) {
  energetic_marcher *m = &w->march;
  carom_stepper *s = &m->stepper;
  assert(u > 0.0 && u < 1.0);
  bool loose = w->problem.tolerance > ENERGETIC_LOOSE;
  carom_status status =
      loose ? carom_stepper_interpolate(s, u, NULL) : carom_stepper_shorten(s, u * taken->h, NULL);
  if (status != CAROM_OK) return false;
  if (!polish_zero(w, zero)) return false;
  energetic_follow_rows(m, s->y1, s->f1, m->v1, m->slope1);
  return true;
}

void energetic_march_commit(carom_energetic_workspace *w, int landed, double *impulse) {
  assert(w->march.under_way && landed < w->n);
  energetic_marcher *m = &w->march;
  carom_stepper *s = &m->stepper;
  int pressed = m->layout.pressed;
  for (int c = 0; c < w->response.channels; c++)
    impulse[c] = 0.0;
  for (int c = 0; c < m->layout.channels; c++)
    impulse[m->layout.channel[c]] = s->y1[pressed + c] - s->y[pressed + c];
  for (int q = 0; q < pressed; q++) {
    int i = m->layout.contact[q];
    w->state.x[i] = fmax(0.0, compression_at(m, q, s->t1, s->y1));
    if (i == landed) w->state.x[i] = 0.0;
  }
  for (int q = 0; q < m->layout.tangents; q++) {
    int at = pressed + m->layout.channels + q;
    w->outcome.rubbed[w->problem.order[m->layout.tangent[q]]] += s->y1[at] - s->y[at];
  }
  for (int q = 0; q < m->layout.rows; q++) {
    int row = m->layout.row[q];
    w->state.v[row] = m->v1[row];
    m->slope[row] = m->slope1[row];
  }
  carom_stepper_commit(s);
}
