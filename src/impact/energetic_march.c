// SPDX-License-Identifier: MIT
/// The march between events: compressions and impulses by an explicit method of order 8.
#include "base/wide.h"
#include "impact/energetic_internal.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static const double LAND_WITHIN = 2.5;   // steps to the end of a contact, to march right there
static const double FALLING_FREE = 2.5;  // kinetic term over that of forces in the time to the end
static const double FALLING_EARLY = 1.0; // the same for rough tolerances
static const double SAFE = 0.75;         // of the time to an end, for steps in s
static const double LOST = 0.1;          // of the tolerance: an impulse that does not matter
static const double SHY = 0.5; // of a compression: how much further a contact that turned back
                               // must come before its end is believed in again

// A block of four rows: `sum` and their terms over the channels. Where rows and channels are few, a
// block has a term for every channel: short sums of a fixed length are faster than sparse ones.
CAROM_INLINE carom_v4 add_terms(const energetic_marcher *m, int block, carom_v4 sum,
                                const double *restrict channel, bool few) {
  const double *restrict factor = m->layout.factor + 4 * m->layout.first[block];
  const int *restrict at = m->layout.index + 4 * m->layout.first[block];
  int terms = few ? m->layout.channels : m->layout.first[block + 1] - m->layout.first[block];
  for (int q = 0; q < terms; q++, factor += 4, at += 4) {
    if (few)
      sum += v4_load(factor) * channel[q];
    else
      sum += v4_load(factor) *
             (carom_v4){channel[at[0]], channel[at[1]], channel[at[2]], channel[at[3]]};
  }
  return sum;
}

// not inlined, so that the way of Hertz' forces needs no calls
static __attribute__((noinline)) void set_other_forces(const energetic_marcher *m, const double *x,
                                                       double *F) {
  for (int i = 0; i < m->layout.pressed; i++) {
    double y = x[i] > 0.0 ? x[i] : 0.0, a = m->layout.exponent[i], k = m->layout.stiffness[i];
    F[i] = a == 1.5 ? k * y * sqrt(y) : a == 1.0 ? k * y : k * carom_pow(y, a);
  }
}

// Forces of the pressed contacts at compressions x. Hertz' come in blocks of four, and so may write
// up to three more: the slopes of a state have room for them.
CAROM_INLINE void set_forces(const energetic_marcher *m, const double *restrict x,
                             double *restrict F) {
  const double *restrict k = m->layout.stiffness;
  int pressed = m->layout.pressed;
  if (m->layout.common == 1.5) {
    for (int i = 0; i < pressed; i += 4)
      for (int l = 0; l < 4; l++) {
        double y = x[i + l] > 0.0 ? x[i + l] : 0.0;
        F[i + l] = k[i + l] * y * sqrt(y);
      }
    return;
  }
  set_other_forces(m, x, F);
}

// F of the landing contact by w, the square root of its compression
static __attribute__((noinline)) double other_landing_force(double k, double a, double w) {
  return a == 1.0 ? k * w * w : k * carom_pow(w, 2.0 * a);
}

static inline double landing_force(double k, double a, double w) {
  return a == 1.5 ? k * w * w * w : other_landing_force(k, a, w);
}

// what keeps the contact of tangent q
static __attribute__((noinline)) double held_force(const energetic_marcher *m, int q,
                                                   const double *rate) {
  double sum = 0.0;
  for (int c = 0; c < m->layout.channels; c++)
    sum += m->layout.held[q * m->layout.channels + c] * rate[c];
  return sum;
}

// friction by users' laws, at the velocities of tangents, and its work
static __attribute__((noinline)) void set_user_forces(const carom_energetic_workspace *w,
                                                      const double *slip, double *rate,
                                                      double *work) {
  const energetic_marcher *m = &w->march;
  for (int q = m->layout.rubbing; q < m->layout.tangents; q++) {
    double *own = rate + m->layout.pressed + (q - m->layout.rubbing);
    int c = m->layout.tangent[q];
    *own = w->problem.asked->law(w->problem.asked->law_ctx, w->problem.order[c],
                                 rate[m->layout.slot[q]], slip[q]);
    work[q] = -*own * slip[q];
  }
}

// dx = -v/eta, dP = F, and the work of friction; in the landing variable all times ds/dt
CAROM_INLINE carom_status slopes(const carom_energetic_workspace *w, double t,
                                 const double *restrict y, double *restrict dydt, bool few) {
  const energetic_marcher *m = &w->march;
  int pressed = m->layout.pressed, needed = pressed + m->layout.tangents;
  const double *restrict impulse = y + pressed, *restrict soft = m->soft;
  double *rate = dydt + pressed, *work = rate + m->layout.channels, room[ENERGETIC_FEW];
  double *restrict v = few ? room : m->velocity;
  for (int i = 0; i < needed; i += 4) {
    carom_v4 four = add_terms(m, i / 4, v4_load(m->base + i), impulse, few);
    v4_store(v + i, four);
    if (i < pressed) v4_store(dydt + i, -four * v4_load(soft + i));
  }
  set_forces(m, y, rate);
  double pace = 1.0;
  if (m->landing >= 0) {
    int slot = m->landing_slot, c = m->landing;
    double root = m->w_start - t;
    if (!(dydt[slot] < 0.0)) return m->turned_back;
    pace = -2.0 * root / dydt[slot];
    dydt[slot] = 0.0;
    rate[slot] = landing_force(w->problem.k[c], w->problem.a[c], root);
  }
  for (int q = 0; q < m->layout.rubbing; q++) {
    double normal = m->layout.slot[q] >= 0 ? rate[m->layout.slot[q]] : held_force(m, q, rate);
    work[q] = m->layout.grip[q] * normal * v[pressed + q];
  }
  if (m->layout.rubbing < m->layout.tangents) set_user_forces(w, v + pressed, rate, work);
  if (m->landing >= 0)
    for (int i = 0; i < pressed + m->layout.channels + m->layout.tangents; i += 4)
      v4_store(dydt + i, v4_load(dydt + i) * pace);
  return CAROM_OK;
}

// Velocities of all rows that are followed, and their slopes, for impulses and their rates.
CAROM_INLINE void follow(const energetic_marcher *m, const double *restrict impulse,
                         const double *restrict rate, double *restrict v, double *restrict slope,
                         bool few) {
  const carom_v4 zero = {0.0};
  for (int q = 0; q < m->layout.rows; q += 4) {
    carom_v4 sum = v4_load(m->base + q) + add_terms(m, q / 4, zero, impulse, few);
    carom_v4 sum_rate = add_terms(m, q / 4, zero, rate, few);
    for (int l = 0; l < 4; l++) {
      v[m->layout.row[q + l]] = sum[l];
      slope[m->layout.row[q + l]] = sum_rate[l];
    }
  }
}

// Compiled twice, for what the machine can do; nothing is contracted, so both give the same bits.
// Measured with wide vectors: impacts of 4, 10, 50 balls are 1.2, 1.45, 1.15 times as fast.
#define FORMS(name, target)                                                                        \
  target static carom_status slopes_few_##name(void *w, double t, const double *y, double *dydt) { \
    return slopes(w, t, y, dydt, true);                                                            \
  }                                                                                                \
  target static carom_status slopes_many_##name(void *w, double t, const double *y,                \
                                                double *dydt) {                                    \
    return slopes(w, t, y, dydt, false);                                                           \
  }                                                                                                \
  target static void follow_##name(const energetic_marcher *m, const double *y, const double *f,   \
                                   double *v, double *slope) {                                     \
    if (m->layout.few)                                                                             \
      follow(m, y + m->layout.pressed, f + m->layout.pressed, v, slope, true);                     \
    else                                                                                           \
      follow(m, y + m->layout.pressed, f + m->layout.pressed, v, slope, false);                    \
  }
FORMS(plain, )
FORMS(wide, CAROM_WITH_AVX2)
#undef FORMS

static carom_rhs choose_slopes(const energetic_marcher *m) {
  if (m->wide) return m->layout.few ? slopes_few_wide : slopes_many_wide;
  return m->layout.few ? slopes_few_plain : slopes_many_plain;
}

void energetic_follow_rows(const energetic_marcher *m, const double *y, const double *f, double *v,
                           double *slope) {
  if (m->wide)
    follow_wide(m, y, f, v, slope);
  else
    follow_plain(m, y, f, v, slope);
}

bool energetic_march_create(carom_energetic_workspace *w, carom_arena *arena) {
  energetic_marcher *m = &w->march;
  size_t n = (size_t)w->max_contacts, rows = 2 * n, states = 4 * n + ENERGETIC_FEW;
  int **indices[] = {&m->layout.contact, &m->layout.channel,  &m->layout.tangent,
                     &m->layout.first,   &m->layout.slot,     &m->layout.row,
                     &m->layout.place,   &m->layout.laid_slip};
  double **arrays[] = {&m->base,
                       &m->soft,
                       &m->start_velocity,
                       &m->y,
                       &m->scale,
                       &m->reach,
                       &m->layout.stiffness,
                       &m->layout.exponent,
                       &m->slope,
                       &m->v1,
                       &m->slope1,
                       &m->shy,
                       &m->layout.grip,
                       &m->velocity,
                       &m->spare};
  bool whole = true;
  for (size_t i = 0; i < sizeof indices / sizeof *indices; i++) {
    *indices[i] = carom_arena_array(arena, rows + ENERGETIC_FEW, sizeof(int));
    whole = whole && *indices[i];
  }
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
    *arrays[i] = carom_arena_array(arena, states, sizeof(double));
    whole = whole && *arrays[i];
  }
  m->suspects.velocities = carom_arena_array(arena, rows, sizeof(bool));
  m->suspects.compressions = carom_arena_array(arena, n, sizeof(bool));
  m->layout.laid_status = carom_arena_array(arena, n, sizeof *m->layout.laid_status);
  // blocks of four rows, or of few
  size_t terms = (rows + ENERGETIC_FEW) * (rows + ENERGETIC_FEW);
  m->layout.index = carom_arena_array(arena, terms, sizeof *m->layout.index);
  m->layout.factor = carom_arena_array(arena, terms, sizeof *m->layout.factor);
  m->layout.held = carom_arena_array(arena, rows * rows, sizeof *m->layout.held);
  if (!whole || !m->layout.index || !m->layout.factor || !m->layout.held ||
      !m->suspects.velocities || !m->suspects.compressions || !m->layout.laid_status)
    return false;
  m->wide = carom_machine_has_avx2();
  carom_stepper_options options = carom_stepper_options_default();
  return carom_stepper_init(&m->stepper, arena, (int)states, choose_slopes(m), w, &options, NULL) ==
         CAROM_OK;
}

// ---- beginning

// the terms of all rows, in blocks with a column for each channel
static void lay_few(carom_energetic_workspace *w, int blocks) {
  energetic_marcher *m = &w->march;
  memset(m->layout.factor, 0, (size_t)(4 * blocks * m->layout.channels) * sizeof(double));
  for (int b = 0; b <= blocks; b++)
    m->layout.first[b] = b * m->layout.channels;
  for (int r = 0; r < m->layout.rows; r++) {
    const double *R = w->response.R + m->layout.row[r] * 2 * w->n;
    double *factor = m->layout.factor + 4 * m->layout.first[r / 4] + r % 4;
    for (int c = 0; c < m->layout.channels; c++)
      factor[4 * c] = R[m->layout.channel[c]];
  }
}

// the same, with the channels that a row answers to only; the rest of a block is filled with
// nothing
static void lay_many(carom_energetic_workspace *w, int blocks) {
  energetic_marcher *m = &w->march;
  int size = 2 * w->n;
  m->layout.first[0] = 0;
  for (int b = 0; b < blocks; b++) {
    double *factor = m->layout.factor + 4 * m->layout.first[b];
    int *index = m->layout.index + 4 * m->layout.first[b], terms = 0;
    for (int l = 0; l < 4 && 4 * b + l < m->layout.rows; l++) {
      int row = m->layout.row[4 * b + l], count = 0;
      const int *entry = w->response.entries + row * size;
      for (int q = 0; q < w->response.entry_count[row]; q++) {
        int place = m->layout.place[entry[q]];
        if (place < 0) continue;
        if (count == terms) {
          memset(factor + 4 * count, 0, 4 * sizeof *factor);
          memset(index + 4 * count, 0, 4 * sizeof *index);
          terms++;
        }
        factor[4 * count + l] = w->response.R[row * size + entry[q]];
        index[4 * count++ + l] = place;
      }
    }
    m->layout.first[b + 1] = m->layout.first[b] + terms;
  }
}

// Rows that are followed: those that the slopes need first, normals of the pressed, then tangents.
// The last block is filled up with a row that nobody asks for.
static void list_rows(carom_energetic_workspace *w) {
  energetic_marcher *m = &w->march;
  bool *listed = w->nodes.live; // free between steps
  m->layout.rows = 0;
  for (int r = 0; r < 2 * w->n; r++)
    listed[r] = r % 2 && !w->problem.rough[r / 2] && !w->problem.user[r / 2];
  for (int q = 0; q < m->layout.pressed; q++)
    m->layout.row[m->layout.rows++] = 2 * m->layout.contact[q];
  for (int q = 0; q < m->layout.tangents; q++)
    m->layout.row[m->layout.rows++] = 2 * m->layout.tangent[q] + 1;
  for (int q = 0; q < m->layout.rows; q++)
    listed[m->layout.row[q]] = true;
  for (int r = 0; r < 2 * w->n; r++)
    if (!listed[r]) m->layout.row[m->layout.rows++] = r;
  for (int q = m->layout.rows; q % 4; q++)
    m->layout.row[q] = 2 * w->n;
}

void energetic_set_reach(carom_energetic_workspace *w) {
  energetic_marcher *m = &w->march;
  if (m->reach_speed == w->state.speed) return;
  m->reach_speed = w->state.speed;
  for (int i = 0; i < w->n; i++) {
    // often all contacts are alike
    bool alike =
        i > 0 && w->problem.k[i] == w->problem.k[i - 1] && w->problem.a[i] == w->problem.a[i - 1];
    double a = w->problem.a[i] + 1.0;
    m->reach[i] =
        alike ? m->reach[i - 1]
              : carom_pow(0.5 * a * w->state.speed * w->state.speed / w->problem.k[i], 1.0 / a);
  }
}

static void list_states(carom_energetic_workspace *w) {
  energetic_marcher *m = &w->march;
  int n = w->n;
  m->layout.pressed = m->layout.channels = m->layout.rubbing = m->layout.tangents = 0;
  for (int i = 0; i < n; i++)
    if (w->state.status[i] == ENERGETIC_PRESSED) {
      m->layout.contact[m->layout.pressed++] = i;
      m->layout.channel[m->layout.channels++] = i;
    }
  for (int q = 0; q < m->layout.pressed; q++) {
    if (w->friction.slip[m->layout.contact[q]] == 0) continue;
    m->layout.slot[m->layout.tangents] = q;
    m->layout.tangent[m->layout.tangents++] = m->layout.contact[q];
  }
  for (int i = 0; i < n; i++) {
    if (w->state.status[i] != ENERGETIC_KEPT || w->friction.slip[i] == 0) continue;
    m->layout.slot[m->layout.tangents] = -1;
    m->layout.tangent[m->layout.tangents++] = i;
  }
  m->layout.rubbing = m->layout.tangents;
  for (int q = 0; q < m->layout.pressed; q++) {
    if (!w->problem.user[m->layout.contact[q]]) continue;
    m->layout.slot[m->layout.tangents] = q;
    m->layout.tangent[m->layout.tangents++] = m->layout.contact[q];
    m->layout.channel[m->layout.channels++] = n + m->layout.contact[q];
  }
}

static void set_held(const carom_energetic_workspace *w) {
  const energetic_marcher *m = &w->march;
  for (int q = 0; q < m->layout.rubbing; q++)
    for (int c = 0; c < m->layout.channels && m->layout.slot[q] < 0; c++)
      m->layout.held[q * m->layout.channels + c] =
          w->response.B[w->response.kept[m->layout.tangent[q]] * 2 * w->n + m->layout.channel[c]];
}

// share of the tolerance for one step: roots of other exponents are less smooth than they look
static double step_tolerance(const carom_energetic_workspace *w) {
  const energetic_marcher *m = &w->march;
  for (int q = 0; q < m->layout.pressed; q++)
    if (m->layout.exponent[q] != 1.5 && m->layout.exponent[q] != 1.0) return 0.1;
  return 0.2;
}

// Are the rows laid out for the contacts as they are now?
static bool is_laid(const carom_energetic_workspace *w) {
  const energetic_marcher *m = &w->march;
  if (m->layout.laid_response != w->response.made) return false;
  for (int i = 0; i < w->n; i++)
    if (m->layout.laid_status[i] != w->state.status[i] ||
        m->layout.laid_slip[i] != w->friction.slip[i])
      return false;
  return true;
}

// what stays the same while no contact begins or ends and friction keeps its way
static void lay_response(carom_energetic_workspace *w) {
  energetic_marcher *m = &w->march;
  list_states(w);
  for (int c = 0; c < w->response.channels; c++)
    m->layout.place[c] = -1;
  for (int c = 0; c < m->layout.channels; c++)
    m->layout.place[m->layout.channel[c]] = c;
  list_rows(w);
  m->layout.few = m->layout.rows <= ENERGETIC_FEW && m->layout.channels <= ENERGETIC_FEW;
  if (m->layout.few)
    lay_few(w, (m->layout.rows + 3) / 4);
  else
    lay_many(w, (m->layout.rows + 3) / 4);
  for (int q = 0; q < m->layout.pressed; q++) {
    int i = m->layout.contact[q];
    m->layout.stiffness[q] = w->problem.k[i];
    m->layout.exponent[q] = w->problem.a[i];
    if (q == 0) m->layout.common = w->problem.a[i];
    if (m->layout.common != w->problem.a[i]) m->layout.common = 0.0;
  }
  for (int q = m->layout.pressed; q % 4; q++)
    m->layout.stiffness[q] = m->soft[q] = 0.0;
  for (int q = 0; q < m->layout.rubbing; q++)
    m->layout.grip[q] =
        w->problem.slide[m->layout.tangent[q]] * w->friction.slip[m->layout.tangent[q]];
  set_held(w);
  assert(m->layout.pressed <= w->n && m->layout.rows <= 2 * w->n);
  assert(m->layout.channels >= m->layout.pressed && m->layout.rubbing <= m->layout.tangents);
  m->layout.laid_response = w->response.made;
  for (int i = 0; i < w->n; i++) {
    m->layout.laid_status[i] = w->state.status[i];
    m->layout.laid_slip[i] = w->friction.slip[i];
  }
}

// from state y on in s, or in the variable of the landing contact
static bool start_step(carom_energetic_workspace *w, int landing, const double *y, double h) {
  energetic_marcher *m = &w->march;
  carom_stepper *s = &m->stepper;
  assert(landing < 0 || w->state.status[landing] == ENERGETIC_PRESSED);
  m->landing = landing;
  for (int q = 0; q < m->layout.pressed && landing >= 0; q++)
    if (m->layout.contact[q] == landing) m->landing_slot = q;
  s->grow = 4.0;
  if (carom_stepper_start(s, 0.0, y, h, NULL) != CAROM_OK) return false;
  energetic_follow_rows(m, s->y, s->f, m->v1, m->slope);
  return true;
}

static bool begin_step(carom_energetic_workspace *w, int landing, double h) {
  energetic_marcher *m = &w->march;
  carom_stepper *s = &m->stepper;
  if (m->under_way) {
    // another variable only; impulses are counted on
    if (m->landing >= 0) s->y[m->landing_slot] = w->state.x[m->landing];
    return start_step(w, landing, s->y, h);
  }
  if (!is_laid(w)) lay_response(w);
  energetic_set_reach(w);
  int states = m->layout.pressed + m->layout.channels + m->layout.tangents;
  if (states == 0) return false;
  assert(w->friction.answered);
  for (int q = 0; q < m->layout.pressed; q++) {
    int i = m->layout.contact[q];
    m->soft[q] = w->state.expanding[i] ? 1.0 / w->problem.eta_out[i] : 1.0;
    m->y[q] = w->state.x[i];
    m->scale[q] = m->reach[i];
  }
  for (int c = 0; c < m->layout.channels; c++) {
    int channel = m->layout.channel[c];
    int row = channel < w->n ? 2 * channel : 2 * (channel - w->n) + 1;
    m->scale[m->layout.pressed + c] = w->state.speed / w->problem.root[row];
  }
  memset(m->y + m->layout.pressed, 0,
         (size_t)(m->layout.channels + m->layout.tangents) * sizeof(double));
  memcpy(m->start_velocity, w->state.v, 2 * (size_t)w->n * sizeof(double));
  for (int q = 0; q < m->layout.rows; q++)
    m->base[q] = w->state.v[m->layout.row[q]];
  for (int q = m->layout.rows; q % 4; q++)
    m->base[q] = 0.0;
  carom_stepper_resize(s, states);
  s->rhs = choose_slopes(m);
  s->options.rtol = 0.0;
  s->options.atol = step_tolerance(w) * w->problem.tolerance;
  s->options.scale = m->scale;
  s->options.controlled = m->layout.pressed + m->layout.channels;
  m->under_way = true;
  return start_step(w, landing, m->y, h);
}

// forces as they are, for accelerations of the present state
static void set_trial(carom_energetic_workspace *w) {
  for (int c = 0; c < w->response.channels; c++)
    w->step.trial[c] = 0.0;
  for (int i = 0; i < w->n; i++)
    if (w->state.status[i] == ENERGETIC_PRESSED)
      w->step.trial[i] = energetic_force(w, i, w->state.x[i]);
}

// rate of the acceleration of contact i, as compressions change
static double jerk_of(const carom_energetic_workspace *w, int i) {
  const double *R = w->response.R + 2 * i * 2 * w->n;
  const int *entry = w->response.entries + 2 * i * 2 * w->n;
  double sum = 0.0;
  for (int q = 0; q < w->response.entry_count[2 * i]; q++) {
    int c = entry[q];
    if (c >= w->n || w->state.status[c] != ENERGETIC_PRESSED || !(w->state.x[c] > 0.0)) continue;
    double v =
        w->state.expanding[c] ? w->state.v[2 * c] / w->problem.eta_out[c] : w->state.v[2 * c];
    sum -= R[c] * w->problem.a[c] * energetic_force(w, c, w->state.x[c]) / w->state.x[c] * v;
  }
  return sum;
}

// Is contact i, which would end after this time, to be taken there with care? Not if what it can
// still give is lost in the tolerance, nor if it looks like turning back before.
static bool needs_landing(const carom_energetic_workspace *w, int i, double time, double rate) {
  if (w->problem.tolerance < ENERGETIC_LOOSE) return true;
  double left = energetic_force(w, i, w->state.x[i]) * time * w->problem.root[2 * i];
  if (left < LOST * w->problem.tolerance * w->state.speed) return false;
  return w->state.v[2 * i] + time * (rate + 0.5 * time * jerk_of(w, i)) > 0.0;
}

// the contact that will end first at present accelerations, when, and whether nothing much can
// happen to it any more
static int next_to_end(carom_energetic_workspace *w, double *when, bool *free) {
  const energetic_marcher *m = &w->march;
  bool known = m->under_way && m->landing < 0, ready = false;
  double free_share = w->problem.tolerance > ENERGETIC_ROUGH ? FALLING_EARLY : FALLING_FREE;
  int next = -1;
  *when = INFINITY;
  for (int i = 0; i < w->n; i++) {
    bool ends =
        w->state.status[i] == ENERGETIC_PRESSED && w->state.x[i] > 0.0 && w->state.expanding[i];
    if (!ends || !(w->state.v[2 * i] > 0.0) || w->state.x[i] > m->shy[i]) continue;
    if (!known && !ready) set_trial(w);
    ready = true;
    double rate = known ? m->slope[2 * i] : energetic_row(w, 2 * i, w->step.trial, NULL);
    double goal = w->state.x[i] * w->problem.eta_out[i], v = w->state.v[2 * i];
    double pull = 2.0 * rate * goal, under = v * v + pull;
    if (!(under > 0.0)) continue;
    double time = 2.0 * goal / (v + sqrt(under));
    if (!(time < *when) || !needs_landing(w, i, time, rate)) continue;
    *when = time;
    *free = v * v > free_share * fabs(pull);
    next = i;
  }
  return next;
}

// The error estimate of the method is blind where the slope is nearly a polynomial of the variable,
// as on the way to an end: measured, one step all the way misses 7e-8 of the stored energy, n steps
// 7e-8 / n^8.
static double longest_landing_step(const carom_energetic_workspace *w, int i) {
  double share =
      energetic_force(w, i, w->state.x[i]) * w->state.x[i] / (w->state.speed * w->state.speed);
  double parts = 10.0 * 7e-8 * share / w->problem.tolerance;
  return parts > 1.0 ? w->march.w_start / sqrt(sqrt(sqrt(parts))) : w->march.w_start;
}

static carom_status march_on(carom_energetic_workspace *w, double end) {
  carom_stepper *s = &w->march.stepper;
  if (w->problem.options->fixed_step > 0.0) {
    // to show the order: a step of given length, whatever its error
    s->options.atol = 1e300;
    s->h_next = fmin(w->problem.options->fixed_step, end);
  }
  return carom_stepper_try(s, end, NULL);
}

// One step; CAROM_ERR_NO_CONVERGENCE: contact `ending` turns back before its end.
static carom_status attempt_step(carom_energetic_workspace *w, energetic_taken *taken,
                                 int *ending) {
  energetic_marcher *m = &w->march;
  carom_stepper *s = &m->stepper;
  double when;
  bool free = false;
  *ending = next_to_end(w, &when, &free);
  bool land = *ending >= 0 && free && when <= LAND_WITHIN * w->step.h;
  if (land && (!m->under_way || m->landing != *ending)) {
    m->w_start = sqrt(w->state.x[*ending]);
    m->longest = longest_landing_step(w, *ending);
    if (!begin_step(w, *ending, m->longest)) return CAROM_ERR_STEP;
  } else if (!land && (!m->under_way || m->landing >= 0)) {
    if (!begin_step(w, -1, w->step.h)) return CAROM_ERR_STEP;
  }
  double end = land ? m->w_start : INFINITY;
  if (land) s->h_next = fmin(s->h_next, m->longest);
  if (!land) {
    // far from ends: an end inside the step would spoil it
    end = s->t + 1e3 * w->step.h;
    if (*ending >= 0) end = fmin(end, s->t + SAFE * when);
  }
  carom_status status = march_on(w, end);
  if (status != CAROM_OK) return status;
  energetic_follow_rows(m, s->y1, s->f1, m->v1, m->slope1);
  taken->h = s->h;
  taken->landing = land && s->t1 == m->w_start ? *ending : -1;
  if (!land) w->step.h = s->h_next;
  return CAROM_OK;
}

bool energetic_march(carom_energetic_workspace *w, energetic_taken *taken) {
  energetic_marcher *m = &w->march;
  *taken = (energetic_taken){.landing = -1};
  w->nodes.table = &w->nodes.tables[0];
  m->turned_back =
      w->problem.tolerance > ENERGETIC_LOOSE ? CAROM_ERR_NO_CONVERGENCE : CAROM_ERR_NONFINITE;
  // what grows out of next to nothing outgrows its scales
  if (w->state.speed > 2.0 * m->reach_speed) m->under_way = false;
  int ending = -1;
  carom_status status = attempt_step(w, taken, &ending);
  while (status == CAROM_ERR_NO_CONVERGENCE) {
    m->shy[ending] = SHY * w->state.x[ending];
    m->under_way = false;
    status = attempt_step(w, taken, &ending);
  }
  return status == CAROM_OK;
}
