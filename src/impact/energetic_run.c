// SPDX-License-Identifier: MIT
/// The course of an impact of several contacts: steps, the first event in each, what it changes.
#include "impact/energetic_internal.h"

#include <math.h>

enum { PATIENCE = 3 }; // choices in vain, before contacts no longer follow their loads

static const double SAME = 1e-11; // of a step: events this close happen together
static const double AHEAD = 1e-5; // of a step: where forces are looked at to choose modes
static const double START_SHARE = 0.6, LOOSE_SHARE = 0.9; // of a contact's time: the first step
static const double LOOSE = 1e-7;                         // tolerance
static const double START_TO_MARCH = 0.5, ROUGH_TO_MARCH = 2.0; // of it: the second
static const double ROUGH = 1e-3;                               // tolerance
static const double MOMENT = 1e-3;                              // of a node: where nothing holds
static const double NOISE = 1e3;                                // of what counts as zero
static const double FAILED = -1.0;                              // no look inside the step
static const double NEVER = 2.0;                                // as u of an event
static const double SMALL_RETURN = 1e-4; // e^2 below: velocities may be lost among the others'

// Velocity below which contact i has not turned. What a small restitution gives back may be less
// than counts otherwise, and still decides when it is pressed again.
static double turn_tiny(const carom_energetic_workspace *w, int i) {
  double tiny = w->tiny * w->speed, rounding = 4e-16 * w->speed;
  if (w->expanding[i] && w->eta_out[i] < SMALL_RETURN)
    tiny = fmin(tiny, fmax(rounding, 0.01 * w->e[i] * sqrt(2.0 * energetic_stored(w, i))));
  return tiny * w->root[2 * i];
}

static double faster(double speed, double v, double root) {
  return fabs(v) > speed * root ? fabs(v) / root : speed;
}

static void refresh_speed(carom_energetic_workspace *w) {
  for (int i = 0; i < w->n; i++) {
    if (!w->allowed[i]) continue;
    w->speed = faster(w->speed, w->v[2 * i], w->root[2 * i]);
    if (w->rough[i]) w->slip_speed = faster(w->slip_speed, w->v[2 * i + 1], w->root[2 * i + 1]);
  }
  w->slip_speed = fmax(w->slip_speed, w->speed);
}

// forces of channels a time s later, as far as velocities tell
void energetic_channels_after(carom_energetic_workspace *w, double s, double *channels) {
  int n = w->n;
  for (int c = 0; c < w->channels; c++)
    channels[c] = 0.0;
  for (int i = 0; i < n; i++) {
    if (!energetic_takes_part(w, i)) continue;
    double eta = w->expanding[i] ? w->eta_out[i] : 1.0;
    double v = fabs(w->v[2 * i]) > energetic_tiny(w, i) ? w->v[2 * i] : 0.0;
    channels[i] = energetic_force(w, i, w->x[i] - v * s / eta);
    if (w->user[i])
      channels[n + i] =
          w->problem->law(w->problem->law_ctx, w->order[i], channels[i], w->v[2 * i + 1]);
  }
}

// ---- beginning and settling

// a contact of stiffness k driven together at speed v, or from rest at acceleration b: its time
static double time_of_speed(const carom_energetic_workspace *w, int i, double v) {
  double share = fabs(v) / w->root[2 * i] / w->speed, x = w->march.reach[i];
  if (share < 1.0) x *= carom_pow(share, 2.0 / (w->a[i] + 1.0));
  return x / fabs(v);
}

static double time_of_push(const carom_energetic_workspace *w, int i, double b) {
  double force = b / (w->root[2 * i] * w->root[2 * i]);
  return sqrt(2.0 / b * carom_pow(force / w->k[i], 1.0 / w->a[i]));
}

// would a contact pushed from rest at acceleration b carry a force that can be noticed within the
// next step? Others come in so softly that they need no care.
static bool matters_soon(const carom_energetic_workspace *w, int i, double b) {
  double force = energetic_force(w, i, 0.5 * b * w->h * w->h);
  return force * w->h * w->root[2 * i] > w->tolerance * w->speed;
}

static void begin_compression(carom_energetic_workspace *w, int i) {
  w->expanding[i] = false;
  if (w->counted[i]) return;
  w->counted[i] = true;
  w->phases[w->order[i]]++;
  energetic_note(w, CAROM_ENERGETIC_JOINS, i);
}

// contacts without compression and velocity begin where they are driven together; returns whether
// one did
static bool settle_resting(carom_energetic_workspace *w, const double *channels) {
  bool pressed = false;
  for (int i = 0; i < w->n; i++) {
    if (!w->allowed[i] || w->status[i] == ENERGETIC_KEPT || w->x[i] > 0.0) continue;
    if (fabs(w->v[2 * i]) > energetic_tiny(w, i)) continue;
    double terms, rate = energetic_row(w, 2 * i, channels, &terms);
    bool driven = fabs(rate) > 1e-12 * terms;
    energetic_status now = driven && rate > 0.0 ? ENERGETIC_APART : ENERGETIC_PRESSED;
    if (driven && rate < 0.0 && matters_soon(w, i, -rate)) {
      w->h = fmin(w->h, time_of_push(w, i, -rate));
      w->fresh = true;
    }
    if (now != w->status[i]) pressed = true;
    if (now == ENERGETIC_PRESSED) w->v[2 * i] = 0.0;
    w->status[i] = now;
    w->expanding[i] = false;
  }
  return pressed;
}

static void log_friction(carom_energetic_workspace *w) {
  for (int i = 0; i < w->n; i++) {
    bool rubs = w->rough[i] && !w->user[i] && w->status[i] != ENERGETIC_APART;
    // contacts that wait for a push do not count yet
    if (!rubs || (w->x[i] <= 0.0 && fabs(w->v[2 * i]) <= energetic_tiny(w, i))) continue;
    if (w->shown[i] == w->slip[i]) continue;
    w->shown[i] = w->slip[i];
    energetic_note_friction(w, i, w->slip[i]);
  }
}

static bool any_rough(const carom_energetic_workspace *w) {
  for (int i = 0; i < w->n; i++)
    if (w->rough[i] || w->user[i] || w->status[i] == ENERGETIC_KEPT) return true;
  return false;
}

// modes of friction, response, and who takes part, for forces as in `channels`
static void settle(carom_energetic_workspace *w, const double *channels) {
  bool rough = any_rough(w);
  for (int round = 0; round < 3; round++) {
    if (rough || !w->answered) energetic_friction_settle(w, channels);
    if (!settle_resting(w, channels)) break;
  }
  log_friction(w);
}

void energetic_settle_here(carom_energetic_workspace *w) {
  energetic_channels_after(w, AHEAD * w->h, w->ahead);
  settle(w, w->ahead);
}

static void begin(carom_energetic_workspace *w) {
  refresh_speed(w);
  w->march.reach_speed = 0.0;
  energetic_set_reach(w);
  w->h = INFINITY;
  for (int i = 0; i < w->n; i++) {
    w->x[i] = 0.0;
    w->expanding[i] = w->counted[i] = w->must_slip[i] = w->settled[i] = false;
    w->calm[i] = 0;
    w->march.shy[i] = INFINITY;
    w->shown[i] = 2;
    double v = w->v[2 * i];
    w->status[i] = ENERGETIC_APART;
    if (!w->allowed[i] || v > energetic_tiny(w, i)) continue;
    w->status[i] = ENERGETIC_PRESSED;
    if (v < -energetic_tiny(w, i)) {
      w->h = fmin(w->h, time_of_speed(w, i, v));
      begin_compression(w, i);
    }
  }
  w->fresh = true;
  w->fewer = false;
  w->answered = w->march.under_way = false;
  w->march.landing = -1;
  w->idle = 0;

  if (isinf(w->h)) return;
  energetic_settle_here(w);
}

// ---- a step

static double factor_for(const carom_energetic_workspace *w, double error) {
  if (isinf(error)) return 0.35;
  double root = carom_pow(fmax(error, 1e-30), -1.0 / w->table->nodes);
  return fmin(2.5, fmax(0.2, 0.85 * root));
}

// the first step of contacts that begin; false: the step has become too small to move on
static bool take_start(carom_energetic_workspace *w, energetic_taken *taken) {
  double tolerance = w->tolerance, share = tolerance > LOOSE ? LOOSE_SHARE : START_SHARE;
  w->table = &w->tables[tolerance > 1e-5 ? 0 : tolerance > 1e-8 ? 1 : 2];
  w->march.under_way = false;
  double h = w->options->fixed_step > 0.0 ? w->options->fixed_step : share * w->h;
  for (int attempt = 0; attempt < 100; attempt++) {
    double error = energetic_start(w, h);
    *taken = (energetic_taken){.map = ENERGETIC_START, .h = h, .landing = -1, .start = true};
    if (error <= 1.0 || (w->options->fixed_step > 0.0 && isfinite(error))) {
      w->h = h * (tolerance > ROUGH ? ROUGH_TO_MARCH : START_TO_MARCH);
      return true;
    }
    h *= fmin(0.7, factor_for(w, error));
  }
  return false;
}

static bool take_step(carom_energetic_workspace *w, energetic_taken *taken) {
  return w->fresh ? take_start(w, taken) : energetic_march(w, taken);
}

// ---- events of a step

static void negate(int nodes, const double *from, double *to) {
  for (int j = 0; j < nodes; j++)
    to[j] = -from[j];
}

// is this compression, or the velocity of this row, worth a look?
static bool looks_at(const carom_energetic_workspace *w, const energetic_taken *step,
                     const bool *suspects, int which) {
  return step->start || w->march.all || suspects[which];
}

static void find_normal_events(carom_energetic_workspace *w, const energetic_taken *step, int i) {
  const energetic_table *t = w->table;
  energetic_nodes g;
  w->when_turn[i] = w->when_end[i] = w->when_join[i] = NEVER;
  if (!w->allowed[i] || w->status[i] == ENERGETIC_KEPT) return;
  const double *v = w->V[2 * i];
  bool turns = looks_at(w, step, w->march.look_v, 2 * i);
  if (w->status[i] == ENERGETIC_APART) {
    if (turns) w->when_join[i] = energetic_first_fall(t, v, energetic_tiny(w, i));
    return;
  }
  if (step->landing == i)
    w->when_end[i] = 1.0;
  else if (looks_at(w, step, w->march.look_x, i))
    w->when_end[i] = energetic_first_fall(t, w->X[i], w->tiny * w->march.reach[i]);
  // where nothing is lost, a turn changes nothing
  if (w->eta_out[i] == 1.0) return;
  if ((w->x[i] <= 0.0 && w->when_end[i] == 0.0) || !turns) return;
  negate(t->nodes, v, g);
  w->when_turn[i] = energetic_first_fall(t, w->expanding[i] ? v : g, turn_tiny(w, i));
}

static void find_slip_events(carom_energetic_workspace *w, const energetic_taken *step, int i) {
  w->when_slip[i] = NEVER;
  if (!energetic_touches(w, i) || w->slip[i] == 0) return;
  if (!looks_at(w, step, w->march.look_v, 2 * i + 1)) return;
  energetic_nodes g;
  for (int j = 0; j < w->table->nodes; j++)
    g[j] = w->slip[i] * w->V[2 * i + 1][j];
  double small = w->tiny * w->slip_speed * w->root[2 * i + 1];
  w->when_slip[i] = energetic_first_fall(w->table, g, small);
}

// sum of factors times channel forces at all nodes
static void combine(const carom_energetic_workspace *w, const double *limit, const double *reaction,
                    double sign, double *g) {
  for (int j = 0; j < w->table->nodes; j++)
    g[j] = 0.0;
  for (int c = 0; c < w->channels; c++) {
    double factor = (limit ? limit[c] : 0.0) + sign * reaction[c];
    if (factor == 0.0 || !w->live[c]) continue;
    for (int j = 0; j < w->table->nodes; j++)
      g[j] += factor * w->F[c][j];
  }
}

static double largest_of(const carom_energetic_workspace *w, const double *limit) {
  double most = 0.0;
  for (int j = 0; j < w->table->nodes; j++) {
    double sum = 0.0;
    for (int c = 0; c < w->channels; c++)
      if (w->live[c]) sum += limit[c] * w->F[c][j];
    most = fmax(most, sum);
  }
  return most;
}

static void find_break(carom_energetic_workspace *w, int c) {
  int size = 2 * w->n;
  w->when_break[c] = NEVER;
  if (!w->list[c].sticks) return;
  const double *limit = w->limit + c * size, *reaction = w->B + w->list[c].unknown * size;
  double tolerance = 1e-12 * largest_of(w, limit);
  for (int sign = -1; sign <= 1; sign += 2) {
    energetic_nodes g;
    combine(w, limit, reaction, sign, g);
    double u = energetic_first_fall(w->table, g, tolerance);
    if (u >= w->when_break[c]) continue;
    w->when_break[c] = u;
    // the force -limit is reached at sign +1: slip goes against it
    w->break_sign[c] = sign;
  }
}

// what shared stick has to spare at u of the step
static double shared_margin_at(carom_energetic_workspace *w, double u) {
  for (int c = 0; c < w->channels; c++)
    w->trial[c] = energetic_interpolate(w->table, w->F[c], u);
  double margin = energetic_shared_margin(w, w->trial);
  return isfinite(margin) ? margin : 0.0;
}

// The margin has kinks, where other contacts come to the edge of their cones: no polynomial through
// the nodes tells its zero, only the forces do.
static void find_shared_break(carom_energetic_workspace *w) {
  const double tolerance = 1e-10;
  const energetic_table *t = w->table;
  double before = shared_margin_at(w, 0.0);
  w->when_break[0] = NEVER;
  w->break_sign[0] = 0;
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
    w->when_break[0] = low;
    return;
  }
}

// a kept contact ends when nothing presses it any more; one that follows its load is compressed
// again when that rises
static double find_release(carom_energetic_workspace *w, int i) {
  if (w->kept[i] < 0 || w->status[i] != ENERGETIC_KEPT) return NEVER;
  energetic_nodes g;
  combine(w, NULL, w->B + w->kept[i] * 2 * w->n, 1.0, g);
  w->when_end[i] = energetic_first_fall(w->table, g, 0.0);
  if (!w->settled[i]) return w->when_end[i];
  energetic_load_falls(w, i, g);
  w->when_turn[i] = energetic_first_fall(w->table, g, 0.0);
  return fmin(w->when_end[i], w->when_turn[i]);
}

static double earlier(double a, double b) { return b < a ? b : a; }

// the earliest of all events that interrupt the step
static double find_events(carom_energetic_workspace *w, const energetic_taken *step) {
  double first = NEVER;
  for (int i = 0; i < w->n; i++) {
    find_normal_events(w, step, i);
    find_slip_events(w, step, i);
    first = earlier(first, earlier(w->when_end[i], earlier(w->when_join[i], w->when_slip[i])));
    if (w->eta_out[i] != 1.0) first = earlier(first, w->when_turn[i]);
    first = earlier(first, find_release(w, i));
  }
  for (int c = 0; c < w->classes; c++)
    w->when_break[c] = NEVER;
  if (!step->start && !w->march.all) return first;
  if (w->shared) find_shared_break(w);
  for (int c = 0; c < w->classes; c++) {
    if (!w->shared) find_break(w, c);
    first = earlier(first, w->when_break[c]);
  }
  return first;
}

// ---- moving on

// work of friction over a first step
static void rub(carom_energetic_workspace *w, const energetic_taken *step, double u, int i) {
  bool slips = energetic_touches(w, i) && w->slip[i] != 0;
  bool user = w->user[i] && energetic_takes_part(w, i);
  if (!slips && !user) return;
  energetic_nodes power;
  for (int j = 0; j < w->table->nodes; j++) {
    energetic_channels_at(w, j, w->trial);
    double force =
        user ? w->F[w->n + i][j] : -w->slip[i] * w->slide[i] * energetic_normal(w, i, w->trial);
    power[j] = -force * w->V[2 * i + 1][j];
  }
  w->rubbed[w->order[i]] += step->h * energetic_integral(w->table, step->map, power, u);
}

static double at(const carom_energetic_workspace *w, const double *values, double u) {
  return u >= 1.0 ? values[w->table->nodes - 1] : energetic_interpolate(w->table, values, u);
}

// the state at u of a first step
static void commit_start(carom_energetic_workspace *w, const energetic_taken *step, double u,
                         double *impulse) {
  int n = w->n;
  for (int i = 0; i < n; i++)
    rub(w, step, u, i);
  for (int c = 0; c < w->channels; c++)
    impulse[c] = w->live[c] ? at(w, w->P[c], u) : 0.0;
  // a polynomial may dip below zero by its rounding
  for (int c = 0; c < n; c++)
    impulse[c] = fmax(0.0, impulse[c]);
  for (int i = 0; i < n; i++) {
    if (energetic_takes_part(w, i)) w->x[i] = fmax(0.0, at(w, w->X[i], u));
    w->v[2 * i] += energetic_row(w, 2 * i, impulse, NULL);
    if (w->rough[i] || w->user[i]) w->v[2 * i + 1] += energetic_row(w, 2 * i + 1, impulse, NULL);
  }
}

static double kept_impulse(const carom_energetic_workspace *w, int i, const double *impulse) {
  double sum = 0.0;
  for (int c = 0; c < w->channels; c++)
    sum += w->B[w->kept[i] * 2 * w->n + c] * impulse[c];
  return sum;
}

// does contact i expand, and lose energy thereby?
static bool gives_back(const carom_energetic_workspace *w, int i) {
  return w->eta_out[i] != 1.0 && w->expanding[i] && energetic_takes_part(w, i);
}

// the state at u of the step, where events have been located; false when the step fails
static bool advance(carom_energetic_workspace *w, const energetic_taken *step, double u) {
  int n = w->n;
  energetic_zero zero = {-1, -1, -1};
  for (int c = 0; c < w->classes; c++)
    if (w->when_break[c] == u) zero.class = c;
  for (int i = 0; i < n; i++) {
    if (gives_back(w, i)) w->energy[i] = energetic_stored(w, i);
    if (w->when_turn[i] == u || w->when_join[i] == u) zero.row = 2 * i;
    if (w->when_slip[i] == u) zero.row = 2 * i + 1;
    if (w->when_end[i] == u && w->status[i] == ENERGETIC_PRESSED) zero.contact = i;
  }
  double *impulse = w->ahead;
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
      w->lost[w->order[i]] += (1.0 - w->eta_out[i]) * (w->energy[i] - energetic_stored(w, i));
    double normal = w->status[i] == ENERGETIC_KEPT ? kept_impulse(w, i, impulse) : impulse[i];
    w->p[2 * i] += normal;
    w->total += normal;
    w->ending.passed += normal * w->root[2 * i];
    if (w->slip[i]) w->p[2 * i + 1] -= w->slip[i] * w->slide[i] * normal;
    if (w->user[i]) w->p[2 * i + 1] += impulse[n + i];
  }
  energetic_stick_impulses(w, impulse);
  energetic_follow_loads(w);
  w->fresh = false;
  w->idle = 0;
  for (int i = 0; i < n; i++)
    w->must_slip[i] = false;
  refresh_speed(w);
  return true;
}

// a contact is no longer kept: the others answer to it another way
static void release(carom_energetic_workspace *w, int i, energetic_status status) {
  if (w->status[i] == ENERGETIC_KEPT) w->answered = false;
  w->status[i] = status;
  w->settled[i] = false;
}

static void end_contact(carom_energetic_workspace *w, int i) {
  if (w->counted[i] || w->expanding[i]) energetic_note(w, CAROM_ENERGETIC_ENDS, i);
  if (w->expanding[i] && w->eta_out[i] != 1.0)
    w->lost[w->order[i]] += (1.0 - w->eta_out[i]) * energetic_stored(w, i);
  w->x[i] = 0.0;
  release(w, i, ENERGETIC_APART);
  w->expanding[i] = w->counted[i] = false;
  w->calm[i] = 0;
  if (w->v[2 * i] < 0.0) w->v[2 * i] = 0.0;
  w->shown[i] = 2;
  w->fewer = true;
}

// Does an expansion give a velocity that counts? If not, the limit of small e is as good.
static bool rebounds(const carom_energetic_workspace *w, int i) {
  return w->e[i] > ENERGETIC_NO_RETURN &&
         w->e[i] * sqrt(2.0 * energetic_stored(w, i)) > w->tiny * w->speed;
}

static void turn_contact(carom_energetic_workspace *w, int i, bool cut) {
  w->march.shy[i] = INFINITY;
  if (cut) w->v[2 * i] = 0.0;
  release(w, i, ENERGETIC_PRESSED);
  w->expanding[i] = !w->expanding[i];
  if (!w->expanding[i]) {
    w->counted[i] = true;
    w->phases[w->order[i]]++;
    energetic_note(w, CAROM_ENERGETIC_AGAIN, i);
    return;
  }
  if (!w->counted[i]) begin_compression(w, i);
  w->expanding[i] = true;
  w->counted[i] = false;
  energetic_note(w, CAROM_ENERGETIC_COMPRESSED, i);
  if (rebounds(w, i)) {
    w->h *= w->e[i];
    return;
  }
  // nothing is given back; what is left of it is known when all that turn are
  w->expanding[i] = false;
  if (!(w->habit[i].holds && w->e[i] <= ENERGETIC_NO_RETURN)) {
    w->collapse.waits[i] = true;
    return;
  }
  w->lost[w->order[i]] += energetic_stored(w, i);
  w->x[i] = 0.0;
  w->status[i] = ENERGETIC_KEPT;
  energetic_note(w, CAROM_ENERGETIC_HELD, i);
}

static void join_contact(carom_energetic_workspace *w, int i) {
  w->status[i] = ENERGETIC_PRESSED;
  w->x[i] = 0.0;
  if (fabs(w->v[2 * i]) < NOISE * energetic_tiny(w, i)) w->v[2 * i] = 0.0;
  begin_compression(w, i);
  w->fresh = true;
}

// the end of a contact only just reached may be found a moment late, when it has turned
static void press_again(carom_energetic_workspace *w, int i, double v) {
  w->v[2 * i] = v;
  join_contact(w, i);
}

static void stop_slip(carom_energetic_workspace *w, int i) { w->v[2 * i + 1] = 0.0; }

static void break_class(carom_energetic_workspace *w, int c) {
  if (w->break_sign[c] == 0) return;
  for (int i = 0; i < w->n; i++) {
    if (w->family[i] != c) continue;
    w->must_slip[i] = true;
    w->must_sign[i] = w->break_sign[c] * (w->coefficient[i] > 0.0 ? 1 : -1);
  }
}

// what happens at u; returns whether modes may have changed
static bool apply(carom_energetic_workspace *w, double u) {
  bool changed = false;
  double by = u + SAME;
  for (int c = 0; c < w->classes; c++)
    if (w->when_break[c] <= by) {
      break_class(w, c);
      changed = true;
    }
  for (int i = 0; i < w->n; i++) {
    if (w->when_slip[i] <= by) {
      stop_slip(w, i);
      changed = true;
    }
    if (w->when_end[i] <= by) {
      double v = w->v[2 * i];
      end_contact(w, i);
      if (v < -NOISE * energetic_tiny(w, i)) press_again(w, i, v);
      changed = true;
      continue;
    }
    if (w->when_join[i] <= by) {
      join_contact(w, i);
      changed = true;
    }
    bool cut = w->eta_out[i] != 1.0;
    if (w->when_turn[i] > by) continue;
    turn_contact(w, i, cut);
    changed = changed || cut;
  }
  energetic_collapse_now(w);
  return changed;
}

// contacts that were waiting and have begun to be compressed on the way; elastic ones that have
// turned
static void follow_contacts(carom_energetic_workspace *w) {
  for (int i = 0; i < w->n; i++) {
    if (!energetic_takes_part(w, i)) continue;
    double v = w->v[2 * i], small = energetic_tiny(w, i);
    if (!w->expanding[i] && !w->counted[i] && v < -small) begin_compression(w, i);
    if (w->eta_out[i] != 1.0 || w->when_turn[i] != NEVER || !(w->x[i] > 0.0)) continue;
    if (w->expanding[i] ? v < -small : v > small) turn_contact(w, i, false);
  }
}

// an event at the very start of the step: what was chosen does not hold, choose again for the
// forces that the step has shown
static void choose_again(carom_energetic_workspace *w) {
  w->idle++;
  w->march.under_way = false;
  // the choice does not know that forces which keep contacts answer to friction
  if (w->idle > PATIENCE) energetic_unsettle(w);
  energetic_channels_at(w, 1, w->ahead);
  apply(w, 0.0);
  // what kept a contact is no channel of its own: let go, it begins with what it carried
  for (int i = 0; i < w->n; i++) {
    if (w->status[i] != ENERGETIC_PRESSED) w->ahead[i] = 0.0;
    if (w->kept[i] >= 0 && energetic_takes_part(w, i)) w->ahead[i] = energetic_force(w, i, w->x[i]);
  }
  settle(w, w->ahead);
}

// nothing happens within the step but, perhaps, the end of the landing contact
static double no_events(carom_energetic_workspace *w, const energetic_taken *step) {
  for (int i = 0; i < w->n; i++)
    w->when_turn[i] = w->when_end[i] = w->when_join[i] = w->when_slip[i] = NEVER;
  for (int c = 0; c < w->classes; c++)
    w->when_break[c] = NEVER;
  if (step->landing >= 0) w->when_end[step->landing] = 1.0;
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
    w->h *= 0.25;
    return true;
  }
  if (u == 0.0 && !step.start && !w->march.all) {
    // forces are needed as well
    w->march.all = true;
    if (!energetic_march_nodes(w)) return false;
    u = find_events(w, &step);
  }
  if (u == 0.0 && w->idle < 8 + 4 * w->n) {
    choose_again(w);
    return true;
  }
  // no choice holds: go on for a moment with what there is
  if (u == 0.0) {
    w->result->gave_up = true;
    no_events(w, &step);
    u = MOMENT * w->table->u[1];
  }
  u = fmin(u, 1.0);
  if (!advance(w, &step, u)) return false;
  follow_contacts(w);
  if (apply(w, u)) {
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
  bool asked = w->fewer && !w->options->integrate && !(w->options->fixed_step > 0.0);
  w->fewer = false;
  return asked && energetic_last(w);
}

carom_energetic_end energetic_run(carom_energetic_workspace *w) {
  begin(w);
  while (!energetic_is_finished(w)) {
    if (w->result->steps >= w->options->max_steps) return CAROM_ENERGETIC_EXHAUSTED;
    if (energetic_is_caged(w)) return CAROM_ENERGETIC_LOCKED;
    w->result->steps++;
    bool stalls = energetic_stalls(w) || !move_on(w);
    if (stalls && energetic_end_here(w) == CAROM_ENERGETIC_LOCKED) return CAROM_ENERGETIC_LOCKED;
    if (stalls) break;
    if (ends_alone(w)) break;
  }
  energetic_settle_velocities(w);
  return CAROM_ENERGETIC_FINISHED;
}
