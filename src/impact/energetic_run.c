// SPDX-License-Identifier: MIT
/// The course of an impact of several contacts: steps, the first event in each, what it changes.
#include "impact/energetic_internal.h"

#include <assert.h>
#include <math.h>

enum { PATIENCE = 3 }; // choices in vain, before contacts no longer follow their loads

static const double SAME = 1e-11; // of a step: events this close happen together
static const double AHEAD = 1e-5; // of a step: where forces are looked at to choose modes
static const double START_SHARE = 0.6, LOOSE_SHARE = 0.9; // of a contact's time: the first step
static const double START_TO_MARCH = 0.5, ROUGH_TO_MARCH = 2.0; // of it: the second
static const double MOMENT = 1e-3;                              // of a node: where nothing holds
static const double NOISE = 1e3;                                // of what counts as zero
static const double FAILED = -1.0;                              // no look inside the step
static const double NEVER = 2.0;                                // as u of an event
static const double SMALL_RETURN = 1e-4; // e^2 below: velocities may be lost among the others'

// Velocity below which contact i has not turned. What a small restitution gives back may be less
// than counts otherwise, and still decides when it is pressed again.
static double turn_tiny(const carom_energetic_workspace *w, int i) {
  double tiny = w->problem.tiny * w->state.speed, rounding = 4e-16 * w->state.speed;
  if (w->state.expanding[i] && w->problem.eta_out[i] < SMALL_RETURN)
    tiny = fmin(tiny, fmax(rounding, 0.01 * w->problem.e[i] * sqrt(2.0 * energetic_stored(w, i))));
  return tiny * w->problem.root[2 * i];
}

static double faster_speed(double speed, double v, double root) {
  return fabs(v) > speed * root ? fabs(v) / root : speed;
}

static void refresh_speed(carom_energetic_workspace *w) {
  for (int i = 0; i < w->n; i++) {
    if (!w->state.allowed[i]) continue;
    w->state.speed = faster_speed(w->state.speed, w->state.v[2 * i], w->problem.root[2 * i]);
    if (w->problem.rough[i])
      w->state.slip_speed =
          faster_speed(w->state.slip_speed, w->state.v[2 * i + 1], w->problem.root[2 * i + 1]);
  }
  w->state.slip_speed = fmax(w->state.slip_speed, w->state.speed);
}

// forces of channels a time s later, as far as velocities tell
void energetic_channels_after(carom_energetic_workspace *w, double s, double *channels) {
  int n = w->n;
  for (int c = 0; c < w->response.channels; c++)
    channels[c] = 0.0;
  for (int i = 0; i < n; i++) {
    if (!energetic_takes_part(w, i)) continue;
    double eta = w->state.expanding[i] ? w->problem.eta_out[i] : 1.0;
    double v = fabs(w->state.v[2 * i]) > energetic_tiny(w, i) ? w->state.v[2 * i] : 0.0;
    channels[i] = energetic_force(w, i, w->state.x[i] - v * s / eta);
    if (w->problem.user[i])
      channels[n + i] = w->problem.asked->law(w->problem.asked->law_ctx, w->problem.order[i],
                                              channels[i], w->state.v[2 * i + 1]);
  }
}

// ---- beginning and settling

// a contact of stiffness k driven together at speed v, or from rest at acceleration b: its time
static double time_of_speed(const carom_energetic_workspace *w, int i, double v) {
  double share = fabs(v) / w->problem.root[2 * i] / w->state.speed, x = w->march.reach[i];
  if (share < 1.0) x *= carom_pow(share, 2.0 / (w->problem.a[i] + 1.0));
  return x / fabs(v);
}

static double time_of_push(const carom_energetic_workspace *w, int i, double b) {
  double force = b / (w->problem.root[2 * i] * w->problem.root[2 * i]);
  return sqrt(2.0 / b * carom_pow(force / w->problem.k[i], 1.0 / w->problem.a[i]));
}

// would a contact pushed from rest at acceleration b carry a force that can be noticed within the
// next step? Others come in so softly that they need no care.
static bool matters_soon(const carom_energetic_workspace *w, int i, double b) {
  double force = energetic_force(w, i, 0.5 * b * w->step.h * w->step.h);
  return force * w->step.h * w->problem.root[2 * i] > w->problem.tolerance * w->state.speed;
}

static void begin_compression(carom_energetic_workspace *w, int i) {
  w->state.expanding[i] = false;
  if (w->state.counted[i]) return;
  w->state.counted[i] = true;
  w->outcome.phases[w->problem.order[i]]++;
  energetic_note(w, CAROM_ENERGETIC_JOINS, i);
}

// contacts without compression and velocity begin where they are driven together; returns whether
// one did
static bool settle_resting(carom_energetic_workspace *w, const double *channels) {
  bool pressed = false;
  for (int i = 0; i < w->n; i++) {
    if (!w->state.allowed[i] || w->state.status[i] == ENERGETIC_KEPT || w->state.x[i] > 0.0)
      continue;
    if (fabs(w->state.v[2 * i]) > energetic_tiny(w, i)) continue;
    double terms, rate = energetic_row(w, 2 * i, channels, &terms);
    bool driven = fabs(rate) > 1e-12 * terms;
    energetic_status now = driven && rate > 0.0 ? ENERGETIC_APART : ENERGETIC_PRESSED;
    if (driven && rate < 0.0 && matters_soon(w, i, -rate)) {
      w->step.h = fmin(w->step.h, time_of_push(w, i, -rate));
      w->step.fresh = true;
    }
    if (now != w->state.status[i]) pressed = true;
    if (now == ENERGETIC_PRESSED) w->state.v[2 * i] = 0.0;
    w->state.status[i] = now;
    w->state.expanding[i] = false;
  }
  return pressed;
}

static void log_friction(carom_energetic_workspace *w) {
  for (int i = 0; i < w->n; i++) {
    bool rubs = w->problem.rough[i] && !w->problem.user[i] && w->state.status[i] != ENERGETIC_APART;
    // contacts that wait for a push do not count yet
    if (!rubs || (w->state.x[i] <= 0.0 && fabs(w->state.v[2 * i]) <= energetic_tiny(w, i)))
      continue;
    if (w->state.shown[i] == w->friction.slip[i]) continue;
    w->state.shown[i] = w->friction.slip[i];
    energetic_note_friction(w, i, w->friction.slip[i]);
  }
}

static bool any_rough(const carom_energetic_workspace *w) {
  for (int i = 0; i < w->n; i++)
    if (w->problem.rough[i] || w->problem.user[i] || w->state.status[i] == ENERGETIC_KEPT)
      return true;
  return false;
}

// modes of friction, response, and who takes part, for forces as in `channels`
static void settle_modes(carom_energetic_workspace *w, const double *channels) {
  bool rough = any_rough(w);
  for (int round = 0; round < 3; round++) {
    if (rough || !w->friction.answered) energetic_friction_settle(w, channels);
    if (!settle_resting(w, channels)) break;
  }
  log_friction(w);
}

void energetic_settle_here(carom_energetic_workspace *w) {
  energetic_channels_after(w, AHEAD * w->step.h, w->step.ahead);
  settle_modes(w, w->step.ahead);
}

static void begin_march(carom_energetic_workspace *w) {
  refresh_speed(w);
  w->march.reach_speed = 0.0;
  energetic_set_reach(w);
  w->step.h = INFINITY;
  for (int i = 0; i < w->n; i++) {
    w->state.x[i] = 0.0;
    w->state.expanding[i] = w->state.counted[i] = w->friction.must_slip[i] = w->state.settled[i] =
        false;
    w->state.calm[i] = 0;
    w->march.shy[i] = INFINITY;
    w->state.shown[i] = 2;
    double v = w->state.v[2 * i];
    w->state.status[i] = ENERGETIC_APART;
    if (!w->state.allowed[i] || v > energetic_tiny(w, i)) continue;
    w->state.status[i] = ENERGETIC_PRESSED;
    if (v < -energetic_tiny(w, i)) {
      w->step.h = fmin(w->step.h, time_of_speed(w, i, v));
      begin_compression(w, i);
    }
  }
  w->step.fresh = true;
  w->step.fewer = false;
  w->friction.answered = w->march.under_way = false;
  w->march.landing = -1;
  w->step.idle = 0;

  if (isinf(w->step.h)) return;
  energetic_settle_here(w);
}

// ---- a step

static double factor_for(const carom_energetic_workspace *w, double error) {
  if (isinf(error)) return 0.35;
  double root = carom_pow(fmax(error, 1e-30), -1.0 / w->nodes.table->nodes);
  return fmin(2.5, fmax(0.2, 0.85 * root));
}

// the first step of contacts that begin; false: the step has become too small to move on
static bool take_start(carom_energetic_workspace *w, energetic_taken *taken) {
  double tolerance = w->problem.tolerance,
         share = tolerance > ENERGETIC_LOOSE ? LOOSE_SHARE : START_SHARE;
  w->nodes.table = &w->nodes.tables[tolerance > 1e-5 ? 0 : tolerance > 1e-8 ? 1 : 2];
  w->march.under_way = false;
  double h =
      w->problem.options->fixed_step > 0.0 ? w->problem.options->fixed_step : share * w->step.h;
  for (int attempt = 0; attempt < 100; attempt++) {
    double error = energetic_start(w, h);
    *taken = (energetic_taken){.h = h, .landing = -1, .start = true};
    if (error <= 1.0 || (w->problem.options->fixed_step > 0.0 && isfinite(error))) {
      w->step.h = h * (tolerance > ENERGETIC_ROUGH ? ROUGH_TO_MARCH : START_TO_MARCH);
      return true;
    }
    h *= fmin(0.7, factor_for(w, error));
  }
  return false;
}

static bool take_step(carom_energetic_workspace *w, energetic_taken *taken) {
  return w->step.fresh ? take_start(w, taken) : energetic_march(w, taken);
}

// ---- events of a step

static void negate_nodes(int nodes, const double *from, double *to) {
  for (int j = 0; j < nodes; j++)
    to[j] = -from[j];
}

// is this compression, or the velocity of this row, worth a look?
static bool looks_at(const carom_energetic_workspace *w, const energetic_taken *step,
                     const bool *suspects, int which) {
  return step->start || w->march.suspects.all || suspects[which];
}

static void find_normal_events(carom_energetic_workspace *w, const energetic_taken *step, int i) {
  const energetic_table *t = w->nodes.table;
  energetic_nodes g;
  w->events.turn[i] = w->events.end[i] = w->events.join[i] = NEVER;
  if (!w->state.allowed[i] || w->state.status[i] == ENERGETIC_KEPT) return;
  const double *v = w->nodes.V[2 * i];
  bool turns = looks_at(w, step, w->march.suspects.velocities, 2 * i);
  if (w->state.status[i] == ENERGETIC_APART) {
    if (turns) w->events.join[i] = energetic_first_fall(t, v, energetic_tiny(w, i));
    return;
  }
  if (step->landing == i)
    w->events.end[i] = 1.0;
  else if (looks_at(w, step, w->march.suspects.compressions, i))
    w->events.end[i] = energetic_first_fall(t, w->nodes.X[i], w->problem.tiny * w->march.reach[i]);
  // where nothing is lost, a turn changes nothing
  if (w->problem.eta_out[i] == 1.0) return;
  if ((w->state.x[i] <= 0.0 && w->events.end[i] == 0.0) || !turns) return;
  negate_nodes(t->nodes, v, g);
  w->events.turn[i] = energetic_first_fall(t, w->state.expanding[i] ? v : g, turn_tiny(w, i));
}

static void find_slip_events(carom_energetic_workspace *w, const energetic_taken *step, int i) {
  w->events.slip[i] = NEVER;
  if (!energetic_touches(w, i) || w->friction.slip[i] == 0) return;
  if (!looks_at(w, step, w->march.suspects.velocities, 2 * i + 1)) return;
  energetic_nodes g;
  for (int j = 0; j < w->nodes.table->nodes; j++)
    g[j] = w->friction.slip[i] * w->nodes.V[2 * i + 1][j];
  double small = w->problem.tiny * w->state.slip_speed * w->problem.root[2 * i + 1];
  w->events.slip[i] = energetic_first_fall(w->nodes.table, g, small);
}

// sum of factors times channel forces at all nodes
static void combine_channels(const carom_energetic_workspace *w, const double *limit,
                             const double *reaction, double sign, double *g) {
  for (int j = 0; j < w->nodes.table->nodes; j++)
    g[j] = 0.0;
  for (int c = 0; c < w->response.channels; c++) {
    double factor = (limit ? limit[c] : 0.0) + sign * reaction[c];
    if (factor == 0.0 || !w->nodes.live[c]) continue;
    for (int j = 0; j < w->nodes.table->nodes; j++)
      g[j] += factor * w->nodes.F[c][j];
  }
}

static double largest_of(const carom_energetic_workspace *w, const double *limit) {
  double most = 0.0;
  for (int j = 0; j < w->nodes.table->nodes; j++) {
    double sum = 0.0;
    for (int c = 0; c < w->response.channels; c++)
      if (w->nodes.live[c]) sum += limit[c] * w->nodes.F[c][j];
    most = fmax(most, sum);
  }
  return most;
}

static void find_break(carom_energetic_workspace *w, int c) {
  int size = 2 * w->n;
  w->events.rupture[c] = NEVER;
  if (!w->friction.list[c].sticks) return;
  const double *limit = w->response.limit + c * size,
               *reaction = w->response.B + w->friction.list[c].unknown * size;
  double tolerance = 1e-12 * largest_of(w, limit);
  for (int sign = -1; sign <= 1; sign += 2) {
    energetic_nodes g;
    combine_channels(w, limit, reaction, sign, g);
    double u = energetic_first_fall(w->nodes.table, g, tolerance);
    if (u >= w->events.rupture[c]) continue;
    w->events.rupture[c] = u;
    // the force -limit is reached at sign +1: slip goes against it
    w->events.rupture_sign[c] = sign;
  }
}

// what shared stick has to spare at u of the step
static double shared_margin_at(carom_energetic_workspace *w, double u) {
  for (int c = 0; c < w->response.channels; c++)
    w->step.trial[c] = energetic_interpolate(w->nodes.table, w->nodes.F[c], u);
  double margin = energetic_shared_margin(w, w->step.trial);
  return isfinite(margin) ? margin : 0.0;
}

// The margin has kinks, where other contacts come to the edge of their cones: no polynomial through
// the nodes tells its zero, only the forces do.
static void find_shared_break(carom_energetic_workspace *w) {
  const double tolerance = 1e-10;
  const energetic_table *t = w->nodes.table;
  double before = shared_margin_at(w, 0.0);
  w->events.rupture[0] = NEVER;
  w->events.rupture_sign[0] = 0;
  for (int j = 1; j < t->nodes; j++) {
    double now = shared_margin_at(w, t->u[j]), low = t->u[j - 1], high = t->u[j];
    if (now >= -tolerance) {
      before = now;
      continue;
    }
    for (int half = 0; half < 50 && before > 0.0; half++) {
      double middle = 0.5 * (low + high);
      *(shared_margin_at(w, middle) > 0.0 ? &low : &high) = middle;
    }
    w->events.rupture[0] = low;
    return;
  }
}

// a kept contact ends when nothing presses it any more; one that follows its load is compressed
// again when that rises
static double find_release(carom_energetic_workspace *w, int i) {
  if (w->response.kept[i] < 0 || w->state.status[i] != ENERGETIC_KEPT) return NEVER;
  energetic_nodes g;
  combine_channels(w, NULL, w->response.B + w->response.kept[i] * 2 * w->n, 1.0, g);
  w->events.end[i] = energetic_first_fall(w->nodes.table, g, 0.0);
  if (!w->state.settled[i]) return w->events.end[i];
  energetic_load_falls(w, i, g);
  w->events.turn[i] = energetic_first_fall(w->nodes.table, g, 0.0);
  return fmin(w->events.end[i], w->events.turn[i]);
}

static double earlier_of(double a, double b) { return b < a ? b : a; }

// the earliest of all events that interrupt the step
static double find_events(carom_energetic_workspace *w, const energetic_taken *step) {
  double first = NEVER;
  for (int i = 0; i < w->n; i++) {
    find_normal_events(w, step, i);
    find_slip_events(w, step, i);
    first = earlier_of(
        first, earlier_of(w->events.end[i], earlier_of(w->events.join[i], w->events.slip[i])));
    if (w->problem.eta_out[i] != 1.0) first = earlier_of(first, w->events.turn[i]);
    first = earlier_of(first, find_release(w, i));
  }
  for (int c = 0; c < w->friction.classes; c++)
    w->events.rupture[c] = NEVER;
  if (!step->start && !w->march.suspects.all) return first;
  if (w->response.shared) find_shared_break(w);
  for (int c = 0; c < w->friction.classes; c++) {
    if (!w->response.shared) find_break(w, c);
    first = earlier_of(first, w->events.rupture[c]);
  }
  return first;
}

// ---- moving on

// work of friction over a first step
static void add_rubbing(carom_energetic_workspace *w, const energetic_taken *step, double u,
                        int i) {
  bool slips = energetic_touches(w, i) && w->friction.slip[i] != 0;
  bool user = w->problem.user[i] && energetic_takes_part(w, i);
  if (!slips && !user) return;
  energetic_nodes power;
  for (int j = 0; j < w->nodes.table->nodes; j++) {
    energetic_channels_at(w, j, w->step.trial);
    double force =
        user ? w->nodes.F[w->n + i][j]
             : -w->friction.slip[i] * w->problem.slide[i] * energetic_normal(w, i, w->step.trial);
    power[j] = -force * w->nodes.V[2 * i + 1][j];
  }
  w->outcome.rubbed[w->problem.order[i]] += step->h * energetic_integral(w->nodes.table, power, u);
}

static double value_at(const carom_energetic_workspace *w, const double *values, double u) {
  return u >= 1.0 ? values[w->nodes.table->nodes - 1]
                  : energetic_interpolate(w->nodes.table, values, u);
}

// the state at u of a first step
static void commit_start(carom_energetic_workspace *w, const energetic_taken *step, double u,
                         double *impulse) {
  int n = w->n;
  for (int i = 0; i < n; i++)
    add_rubbing(w, step, u, i);
  for (int c = 0; c < w->response.channels; c++)
    impulse[c] = w->nodes.live[c] ? value_at(w, w->nodes.P[c], u) : 0.0;
  // a polynomial may dip below zero by its rounding
  for (int c = 0; c < n; c++)
    impulse[c] = fmax(0.0, impulse[c]);
  for (int i = 0; i < n; i++) {
    if (energetic_takes_part(w, i)) w->state.x[i] = fmax(0.0, value_at(w, w->nodes.X[i], u));
    w->state.v[2 * i] += energetic_row(w, 2 * i, impulse, NULL);
    if (w->problem.rough[i] || w->problem.user[i])
      w->state.v[2 * i + 1] += energetic_row(w, 2 * i + 1, impulse, NULL);
  }
}

static double kept_impulse(const carom_energetic_workspace *w, int i, const double *impulse) {
  double sum = 0.0;
  for (int c = 0; c < w->response.channels; c++)
    sum += w->response.B[w->response.kept[i] * 2 * w->n + c] * impulse[c];
  return sum;
}

// does contact i expand, and lose energy thereby?
static bool gives_back(const carom_energetic_workspace *w, int i) {
  return w->problem.eta_out[i] != 1.0 && w->state.expanding[i] && energetic_takes_part(w, i);
}

// the state at u of the step, where events have been located; false when the step fails
static bool advance_to(carom_energetic_workspace *w, const energetic_taken *step, double u) {
  int n = w->n;
  energetic_zero zero = {-1, -1};
  for (int c = 0; c < w->friction.classes; c++)
    if (w->events.rupture[c] == u) zero.class = c;
  for (int i = 0; i < n; i++) {
    if (gives_back(w, i)) w->step.energy[i] = energetic_stored(w, i);
    if (w->events.turn[i] == u || w->events.join[i] == u) zero.row = 2 * i;
    if (w->events.slip[i] == u) zero.row = 2 * i + 1;
  }
  assert(u > 0.0 && u <= 1.0);
  double *impulse = w->step.ahead;
  if (step->start) {
    energetic_split_step(w, step, u);
    commit_start(w, step, u, impulse);
  } else {
    if (u < 1.0 && !energetic_march_cut(w, step, u, &zero)) return false;
    energetic_split_step(w, step, 1.0);
    energetic_march_commit(w, u < 1.0 ? -1 : step->landing, impulse);
    w->march.under_way = w->march.under_way && u >= 1.0;
  }
  for (int i = 0; i < n; i++) {
    if (gives_back(w, i))
      w->outcome.lost[w->problem.order[i]] +=
          (1.0 - w->problem.eta_out[i]) * (w->step.energy[i] - energetic_stored(w, i));
    double normal = w->state.status[i] == ENERGETIC_KEPT ? kept_impulse(w, i, impulse) : impulse[i];
    w->outcome.p[2 * i] += normal;
    w->outcome.total += normal;
    w->ending.passed += normal * w->problem.root[2 * i];
    if (w->friction.slip[i])
      w->outcome.p[2 * i + 1] -= w->friction.slip[i] * w->problem.slide[i] * normal;
    if (w->problem.user[i]) w->outcome.p[2 * i + 1] += impulse[n + i];
  }
  energetic_stick_impulses(w, impulse);
  energetic_follow_loads(w);
  w->step.fresh = false;
  w->step.idle = 0;
  for (int i = 0; i < n; i++)
    w->friction.must_slip[i] = false;
  refresh_speed(w);
  return true;
}

// a contact is no longer kept: the others answer to it another way
static void release_contact(carom_energetic_workspace *w, int i, energetic_status status) {
  if (w->state.status[i] == ENERGETIC_KEPT) w->friction.answered = false;
  w->state.status[i] = status;
  w->state.settled[i] = false;
}

static void end_contact(carom_energetic_workspace *w, int i) {
  if (w->state.counted[i] || w->state.expanding[i]) energetic_note(w, CAROM_ENERGETIC_ENDS, i);
  if (w->state.expanding[i] && w->problem.eta_out[i] != 1.0)
    w->outcome.lost[w->problem.order[i]] += (1.0 - w->problem.eta_out[i]) * energetic_stored(w, i);
  w->state.x[i] = 0.0;
  release_contact(w, i, ENERGETIC_APART);
  w->state.expanding[i] = w->state.counted[i] = false;
  w->state.calm[i] = 0;
  if (w->state.v[2 * i] < 0.0) w->state.v[2 * i] = 0.0;
  w->state.shown[i] = 2;
  w->step.fewer = true;
}

// Does an expansion give a velocity that counts? If not, the limit of small e is as good.
static bool contact_rebounds(const carom_energetic_workspace *w, int i) {
  return w->problem.e[i] > ENERGETIC_NO_RETURN &&
         w->problem.e[i] * sqrt(2.0 * energetic_stored(w, i)) > w->problem.tiny * w->state.speed;
}

static void turn_contact(carom_energetic_workspace *w, int i, bool cut) {
  assert(w->state.status[i] != ENERGETIC_APART);
  w->march.shy[i] = INFINITY;
  if (cut) w->state.v[2 * i] = 0.0;
  release_contact(w, i, ENERGETIC_PRESSED);
  w->state.expanding[i] = !w->state.expanding[i];
  if (!w->state.expanding[i]) {
    w->state.counted[i] = true;
    w->outcome.phases[w->problem.order[i]]++;
    energetic_note(w, CAROM_ENERGETIC_AGAIN, i);
    return;
  }
  if (!w->state.counted[i]) begin_compression(w, i);
  w->ending.turned = true;
  w->state.expanding[i] = true;
  w->state.counted[i] = false;
  energetic_note(w, CAROM_ENERGETIC_COMPRESSED, i);
  if (contact_rebounds(w, i)) {
    w->step.h *= w->problem.e[i];
    return;
  }
  // nothing is given back; what is left of it is known when all that turn are
  w->state.expanding[i] = false;
  if (!(w->problem.habit[i].holds && w->problem.e[i] <= ENERGETIC_NO_RETURN)) {
    w->collapse.waits[i] = true;
    return;
  }
  w->outcome.lost[w->problem.order[i]] += energetic_stored(w, i);
  w->state.x[i] = 0.0;
  w->state.status[i] = ENERGETIC_KEPT;
  energetic_note(w, CAROM_ENERGETIC_HELD, i);
}

static void join_contact(carom_energetic_workspace *w, int i) {
  assert(w->state.status[i] != ENERGETIC_KEPT && w->state.allowed[i]);
  w->state.status[i] = ENERGETIC_PRESSED;
  w->state.x[i] = 0.0;
  if (fabs(w->state.v[2 * i]) < NOISE * energetic_tiny(w, i)) w->state.v[2 * i] = 0.0;
  begin_compression(w, i);
  w->step.fresh = true;
}

// the end of a contact only just reached may be found a moment late, when it has turned
static void press_again(carom_energetic_workspace *w, int i, double v) {
  w->state.v[2 * i] = v;
  join_contact(w, i);
}

void energetic_stop_slip(carom_energetic_workspace *w, int i) { w->state.v[2 * i + 1] = 0.0; }

static void break_class(carom_energetic_workspace *w, int c) {
  if (w->events.rupture_sign[c] == 0) return;
  for (int i = 0; i < w->n; i++) {
    if (w->friction.family[i] != c) continue;
    w->friction.must_slip[i] = true;
    w->friction.must_sign[i] =
        w->events.rupture_sign[c] * (w->friction.coefficient[i] > 0.0 ? 1 : -1);
  }
}

// contacts that have come to the end of compression and give nothing back
static void collapse_contacts(carom_energetic_workspace *w) {
  energetic_collapse *f = &w->collapse;
  energetic_collapse_now(w);
  for (int k = 0; k < f->count; k++) {
    int i = f->contact[k];
    double spent = energetic_stored(w, i);
    // forces as good as in balance
    if (f->y[k] > w->state.x[i] * (1.0 - 1e-9)) energetic_is_calm(w, i);
    w->state.x[i] = f->y[k];
    w->outcome.lost[w->problem.order[i]] += spent - energetic_stored(w, i);
    f->waits[i] = false;
  }
}

// what happens at u; returns whether modes may have changed
static bool apply_event(carom_energetic_workspace *w, double u) {
  bool changed = false;
  double by = u + SAME;
  for (int c = 0; c < w->friction.classes; c++)
    if (w->events.rupture[c] <= by) {
      break_class(w, c);
      changed = true;
    }
  for (int i = 0; i < w->n; i++) {
    if (w->events.slip[i] <= by) {
      energetic_stop_slip(w, i);
      changed = true;
    }
    if (w->events.end[i] <= by) {
      double v = w->state.v[2 * i];
      end_contact(w, i);
      if (v < -NOISE * energetic_tiny(w, i)) press_again(w, i, v);
      changed = true;
      continue;
    }
    if (w->events.join[i] <= by) {
      join_contact(w, i);
      changed = true;
    }
    bool cut = w->problem.eta_out[i] != 1.0;
    if (w->events.turn[i] > by) continue;
    turn_contact(w, i, cut);
    changed = changed || cut;
  }
  collapse_contacts(w);
  return changed;
}

// contacts that were waiting and have begun to be compressed on the way; elastic ones that have
// turned
static void follow_contacts(carom_energetic_workspace *w) {
  for (int i = 0; i < w->n; i++) {
    if (!energetic_takes_part(w, i)) continue;
    double v = w->state.v[2 * i], small = energetic_tiny(w, i);
    if (!w->state.expanding[i] && !w->state.counted[i] && v < -small) begin_compression(w, i);
    if (w->problem.eta_out[i] != 1.0 || w->events.turn[i] != NEVER || !(w->state.x[i] > 0.0))
      continue;
    if (w->state.expanding[i] ? v < -small : v > small) turn_contact(w, i, false);
  }
}

// an event at the very start of the step: what was chosen does not hold, choose again for the
// forces that the step has shown
static void choose_again(carom_energetic_workspace *w) {
  w->step.idle++;
  w->march.under_way = false;
  // the choice does not know that forces which keep contacts answer to friction
  if (w->step.idle > PATIENCE) energetic_unsettle(w);
  energetic_channels_at(w, 1, w->step.ahead);
  apply_event(w, 0.0);
  // what kept a contact is no channel of its own: let go, it begins with what it carried
  for (int i = 0; i < w->n; i++) {
    if (w->state.status[i] != ENERGETIC_PRESSED) w->step.ahead[i] = 0.0;
    if (w->response.kept[i] >= 0 && energetic_takes_part(w, i))
      w->step.ahead[i] = energetic_force(w, i, w->state.x[i]);
  }
  settle_modes(w, w->step.ahead);
}

// nothing happens within the step but, perhaps, the end of the landing contact
static double no_events(carom_energetic_workspace *w, const energetic_taken *step) {
  for (int i = 0; i < w->n; i++)
    w->events.turn[i] = w->events.end[i] = w->events.join[i] = w->events.slip[i] = NEVER;
  for (int c = 0; c < w->friction.classes; c++)
    w->events.rupture[c] = NEVER;
  if (step->landing >= 0) w->events.end[step->landing] = 1.0;
  return step->landing >= 0 ? 1.0 : NEVER;
}

static double look_for_events(carom_energetic_workspace *w, const energetic_taken *step) {
  if (!step->start) {
    if (!energetic_march_suspects(w)) return no_events(w, step);
    if (!energetic_march_nodes(w)) return FAILED;
  }
  return find_events(w, step);
}

// one step up to its first event; false when it cannot be made
static bool move_on(carom_energetic_workspace *w) {
  energetic_taken step;
  if (!take_step(w, &step)) return false;
  double u = look_for_events(w, &step);
  if (u == FAILED) {
    // the dense output has no value, as on the way to an end that never comes: smaller
    w->march.under_way = false;
    w->step.h *= 0.25;
    return true;
  }
  if (u == 0.0 && !step.start && !w->march.suspects.all) {
    // forces are needed as well
    w->march.suspects.all = true;
    if (!energetic_march_nodes(w)) return false;
    u = find_events(w, &step);
  }
  if (u == 0.0 && w->step.idle < 8 + 4 * w->n) {
    choose_again(w);
    return true;
  }
  // no choice holds: go on for a moment with what there is
  if (u == 0.0) {
    w->outcome.result->gave_up = true;
    no_events(w, &step);
    u = MOMENT * w->nodes.table->u[1];
  }
  u = fmin(u, 1.0);
  if (!advance_to(w, &step, u)) return false;
  follow_contacts(w);
  if (apply_event(w, u)) {
    w->march.under_way = false;
    energetic_settle_here(w);
  } else {
    log_friction(w);
  }
  energetic_settle_calm(w);
  return true;
}

// one contact is left: the rest in closed form
static bool ends_alone(carom_energetic_workspace *w) {
  bool asked =
      w->step.fewer && !w->problem.options->integrate && !(w->problem.options->fixed_step > 0.0);
  w->step.fewer = false;
  return asked && energetic_last(w);
}

// what is left of approach counts as rest
static void settle_velocities(carom_energetic_workspace *w) {
  for (int i = 0; i < w->n; i++)
    if (w->state.allowed[i] && w->state.v[2 * i] < 0.0) w->state.v[2 * i] = 0.0;
}

carom_energetic_end energetic_run(carom_energetic_workspace *w) {
  begin_march(w);
  while (!energetic_is_finished(w)) {
    if (w->outcome.result->steps >= w->problem.options->max_steps) return CAROM_ENERGETIC_EXHAUSTED;
    if (energetic_is_caged(w)) return CAROM_ENERGETIC_LOCKED;
    w->outcome.result->steps++;
    bool stalls = energetic_stalls(w) || !move_on(w);
    if (stalls && energetic_end_here(w) == CAROM_ENERGETIC_LOCKED) return CAROM_ENERGETIC_LOCKED;
    if (stalls) break;
    if (ends_alone(w)) break;
  }
  settle_velocities(w);
  return CAROM_ENERGETIC_FINISHED;
}
