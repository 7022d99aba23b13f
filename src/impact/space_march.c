// SPDX-License-Identifier: MIT
#include "impact/space_march.h"

#include "base/elementary.h"
#include "base/linear.h"
#include "impact/fading.h"
#include "impact/space_rest.h"
#include "ode/stepper.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

enum {
  MOST_STEPS = 400000,
  PANELS = 40,

  PER_CONTACT = 8,
  SWEEPS = 12,
  SECANTS = 8
};
static const double DEPENDENT = 1e-12; // of the largest response: tangents that depend on others
static const double TOLERANCE = 1e-13; // of velocities, per step
static const double NO_RETURN = 1e-6;  // restitution below: 0
static const double STOPPED = 2e-12;   // of the fastest: no slip
static const double UNCLEAR = 1e-8;    // slip that sets off, slower than this: see spatial.c
static const double PART = 0.5;        // of the time in which a slip may come to zero, or turn
static const double ENDED = 1e-12;     // of the fastest: no approach, and nothing to make one
static const double NARROW = 0x1p-50;  // of a step: where events are located to
static const double SLOW = 1e-6;       // of the fastest: approach that is its own measure
static const double SEED = 1e-10;      // approach of a contact that is pulled in from none

typedef enum rubbing {
  SMOOTH, // without friction
  SLIDES,
  RESTS,
  SETS_OFF // it rested, and slips too slowly for a direction of its own
} rubbing;

typedef enum pressing { APART, PRESSED, EXPANDS } pressing;

/// What may happen within a step.
typedef enum happening { COMPRESSION_ENDS, ENERGY_SPENT, APPROACH, LET_GO, HAPPENINGS } happening;

/// How it ends.
typedef struct march_ending {
  carom_fading fading;
  double speed;    // of approach, in units of the root of mass
  double *holding; // [n] energies
} march_ending;

struct carom_space_march {
  const carom_space_march_problem *p;
  carom_stepper stepper;
  carom_space_rest rest;
  int *resting; // [n] contacts of `rest`
  rubbing *rubs, *were, *told;
  pressing *state, *told_state; // what the log knows
  carom_energetic_event *log;
  int logged;
  double *deep, *fast;  // [n], [3n] units of compressions and velocities
  double *y;            // [8n] compressions and velocities in these, impulses, work of friction
  double *F, *v, *rate; // [3n] forces, velocities, their rates
  double *angle;        // [n] of slips that set off
  double *impulse, *after, *look; // [3n], [3n], [8n]
  bool *sticks, *come;            // [n], [4n]
  int event;                      // what ended the last step: 4 contact + happening; -1: nothing
  march_ending ending;
};

static carom_status march_slopes(void *ctx, double t, const double *y, double *dydt);

carom_space_march *carom_space_march_create(carom_arena *arena, int n) {
  size_t contacts = (size_t)n, rows = 3 * contacts, number = sizeof(double);
  long failures = carom_arena_failures(arena);
  carom_space_march *w = carom_arena_take(arena, sizeof *w);
  if (!w) return NULL;
  *w = (carom_space_march){.resting = carom_arena_array(arena, contacts, sizeof(int)),
                           .rubs = carom_arena_array(arena, contacts, sizeof(rubbing)),
                           .were = carom_arena_array(arena, contacts, sizeof(rubbing)),
                           .told = carom_arena_array(arena, contacts, sizeof(rubbing)),
                           .state = carom_arena_array(arena, contacts, sizeof(pressing)),
                           .told_state = carom_arena_array(arena, contacts, sizeof(pressing)),
                           .log = carom_arena_array(arena, CAROM_ENERGETIC_LOG, sizeof *w->log),
                           .deep = carom_arena_array(arena, contacts, number),
                           .fast = carom_arena_array(arena, rows, number),
                           .y = carom_arena_array(arena, PER_CONTACT * contacts, number),
                           .angle = carom_arena_array(arena, contacts, number),
                           .F = carom_arena_array(arena, rows, number),
                           .v = carom_arena_array(arena, rows, number),
                           .rate = carom_arena_array(arena, rows, number),
                           .impulse = carom_arena_array(arena, rows, number),
                           .after = carom_arena_array(arena, rows, number),
                           .look = carom_arena_array(arena, PER_CONTACT * contacts, number),
                           .sticks = carom_arena_array(arena, contacts, sizeof(bool)),
                           .come = carom_arena_array(arena, 4 * contacts, sizeof(bool)),
                           .ending.holding = carom_arena_array(arena, contacts, number)};
  carom_stepper_options options = carom_stepper_options_default();
  options.rtol = options.atol = TOLERANCE;
  bool made = carom_space_rest_create(&w->rest, arena, n) &&
              carom_stepper_init(&w->stepper, arena, PER_CONTACT * n, march_slopes, w, &options,
                                 NULL) == CAROM_OK;
  return made && carom_arena_failures(arena) == failures ? w : NULL;
}

// ---- forces and rates at a state

static void find_velocities(carom_space_march *w, const double *y) {
  int n = w->p->contacts;
  for (int r = 0; r < 3 * n; r++)
    w->v[r] = y[n + r] * w->fast[r];
}

static double slip_of(const carom_space_march *w, int i) {
  return carom_hypot(w->v[3 * i + 1], w->v[3 * i + 2]);
}

// the unit of slips of contact i
static double slip_unit(const carom_space_march *w, int i) {
  return fmax(w->fast[3 * i + 1], w->fast[3 * i + 2]);
}

static bool has_direction(const carom_space_march *w, int i) {
  return w->rubs[i] == SLIDES ||
         (w->rubs[i] == SETS_OFF && slip_of(w, i) > UNCLEAR * slip_unit(w, i));
}

static void find_rates(carom_space_march *w) {
  int rows = 3 * w->p->contacts;
  for (int r = 0; r < rows; r++) {
    w->rate[r] = 0.0;
    for (int c = 0; c < rows; c++)
      w->rate[r] += w->p->G[r * rows + c] * w->F[c];
  }
}

// Friction of all that rest: what keeps their slips as they are. Where tangents depend on each
// other some have none.
static void hold_resting(carom_space_march *w) {
  const carom_space_march_problem *p = w->p;
  int rows = 3 * p->contacts, count = 0;
  for (int i = 0; i < p->contacts; i++)
    if (w->rubs[i] == RESTS) w->resting[count++] = i;
  for (int i = 0; i < count; i++)
    w->F[3 * w->resting[i] + 1] = w->F[3 * w->resting[i] + 2] = 0.0;
  find_rates(w);
  int m = 2 * count;
  for (int a = 0; a < m; a++) {
    int row = 3 * w->resting[a / 2] + 1 + a % 2;
    w->rest.right[a] = w->F[3 * w->resting[a / 2]] > 0.0 ? -w->rate[row] : 0.0;
    for (int b = 0; b < m; b++) {
      bool pressed = w->F[3 * w->resting[a / 2]] > 0.0 && w->F[3 * w->resting[b / 2]] > 0.0;
      w->rest.matrix[a * m + b] =
          pressed ? p->G[row * rows + 3 * w->resting[b / 2] + 1 + b % 2] : 0.0;
    }
  }
  (void)carom_solve_semidefinite(m, w->rest.matrix, w->rest.right, DEPENDENT, w->rest.pivot);
  for (int a = 0; a < m; a++)
    w->F[3 * w->resting[a / 2] + 1 + a % 2] = w->rest.right[a];
  find_rates(w);
}

// friction of contact i, which sets off along an angle; returns the rate of its slip across it
static double rate_across(carom_space_march *w, int i, double angle) {
  double d[2], *F = w->F + 3 * (size_t)i;
  carom_sincos(angle, &d[1], &d[0]);
  w->angle[i] = angle;
  F[1] = -w->p->slide[i] * F[0] * d[0];
  F[2] = -w->p->slide[i] * F[0] * d[1];
  hold_resting(w);
  return d[0] * w->rate[3 * i + 2] - d[1] * w->rate[3 * i + 1];
}

// The directions of slow slips that set off: the rate across each is zero. Secant steps, each in
// turn, from where they were last.
static void find_onsets(carom_space_march *w) {
  const double first = 1e-5, largest = 0.3, enough = 1e-14;
  for (int sweep = 0; sweep < SWEEPS; sweep++) {
    double turned = 0.0;
    int count = 0;
    for (int i = 0; i < w->p->contacts; i++) {
      if (w->rubs[i] != SETS_OFF || has_direction(w, i)) continue;
      double before = rate_across(w, i, w->angle[i]), turn = first, from = w->angle[i];
      for (int k = 0; k < SECANTS && turn != 0.0; k++) {
        double now = rate_across(w, i, w->angle[i] + turn);
        double next = now == before ? 0.0 : -now * turn / (now - before);
        before = now;
        turn = fabs(next) <= enough ? 0.0 : fmax(-largest, fmin(largest, next));
      }
      turned = fmax(turned, fabs(w->angle[i] - from));
      count++;
    }
    if (count < 2 || turned <= enough) break;
  }
}

// What could hold all that rest and set off, whichever way friction is shared out: who is let go?
static void ask_rest(carom_space_march *w) {
  const carom_space_march_problem *p = w->p;
  carom_space_rest *rest = &w->rest;
  int rows = 3 * p->contacts;
  rest->contacts = 0;
  for (int i = 0; i < p->contacts; i++)
    if (w->rubs[i] == RESTS || (w->rubs[i] == SETS_OFF && !has_direction(w, i))) {
      w->F[3 * i + 1] = w->F[3 * i + 2] = 0.0;
      w->resting[rest->contacts++] = i;
    }
  find_rates(w);
  int m = rest->contacts;
  for (int a = 0; a < 2 * m; a++) {
    int row = 3 * w->resting[a / 2] + 1 + a % 2;
    rest->w[a] = w->rate[row];
    rest->T[a] = 0.0;
    for (int b = 0; b < 2 * m; b++)
      rest->W[a * 2 * m + b] = p->G[row * rows + 3 * w->resting[b / 2] + 1 + b % 2];
  }
  for (int a = 0; a < m; a++) {
    int i = w->resting[a];
    rest->b[a] = (w->rubs[i] == RESTS ? p->stick[i] : p->slide[i]) * w->F[3 * i];
  }
  carom_space_rest_solve(rest);
}

// forces and rates; w->v is that of the state already
static void find_forces(carom_space_march *w, const double *y) {
  const carom_space_march_problem *p = w->p;
  for (int i = 0; i < p->contacts; i++) {
    double x = fmax(0.0, y[i]) * w->deep[i], *F = w->F + 3 * (size_t)i, slip = slip_of(w, i);
    F[0] = x > 0.0 ? p->stiffness[i] * carom_pow(x, p->exponent[i]) : 0.0;
    F[1] = F[2] = 0.0;
    if (w->rubs[i] == SMOOTH || !has_direction(w, i)) continue;
    for (int k = 1; k < 3; k++)
      F[k] = -p->slide[i] * F[0] * w->v[3 * i + k] / slip;
  }
  hold_resting(w);
  find_onsets(w);
}

static carom_status march_slopes(void *ctx, double t, const double *y, double *dydt) {
  carom_space_march *w = ctx;
  const carom_space_march_problem *p = w->p;
  int n = p->contacts;
  (void)t;
  find_velocities(w, y);
  find_forces(w, y);
  for (int i = 0; i < n; i++) {
    double v = w->v[3 * i], out = w->state[i] == EXPANDS ? p->e[i] * p->e[i] : 1.0;
    dydt[i] = (w->state[i] == APART ? fmax(0.0, -v) : -v / out) / w->deep[i];
    dydt[7 * n + i] = -(w->F[3 * i + 1] * w->v[3 * i + 1] + w->F[3 * i + 2] * w->v[3 * i + 2]);
  }
  for (int r = 0; r < 3 * n; r++) {
    dydt[n + r] = w->rate[r] / w->fast[r];
    dydt[4 * n + r] = w->F[r];
    if (!isfinite(w->rate[r])) return CAROM_ERR_NONFINITE;
  }
  return CAROM_OK;
}

// ---- the log

static void note_event(carom_space_march *w, carom_energetic_event_kind kind, int i) {
  double total = 0.0;
  for (int j = 0; j < w->p->contacts; j++)
    total += w->y[4 * w->p->contacts + 3 * j];
  if (w->logged < CAROM_ENERGETIC_LOG)
    w->log[w->logged++] = (carom_energetic_event){total, kind, i};
}

static bool in_motion(rubbing rubs) { return rubs == SLIDES || rubs == SETS_OFF; }

// what has changed since it was told last
static void note_changes(carom_space_march *w) {
  for (int i = 0; i < w->p->contacts; i++) {
    bool was = in_motion(w->told[i]), is = in_motion(w->rubs[i]), presses = w->state[i] != APART;
    if (w->state[i] == PRESSED && w->told_state[i] != PRESSED)
      note_event(w, CAROM_ENERGETIC_JOINS, i);
    if (w->told_state[i] == PRESSED && w->state[i] != PRESSED)
      note_event(w, CAROM_ENERGETIC_COMPRESSED, i);
    if (presses && was && !is) note_event(w, CAROM_ENERGETIC_STICKS, i);
    if (presses && !was && is) note_event(w, CAROM_ENERGETIC_SLIPS_PLUS, i);
    if (w->told_state[i] != APART && !presses) note_event(w, CAROM_ENERGETIC_ENDS, i);
    w->told[i] = w->rubs[i];
    w->told_state[i] = w->state[i];
  }
}

// ---- the beginning

static bool find_units(carom_space_march *w) {
  const carom_space_march_problem *p = w->p;
  int rows = 3 * p->contacts;
  double fastest = 0.0, approach = 0.0;
  for (int r = 0; r < rows; r++) {
    double own = p->G[r * (rows + 1)], speed = own > 0.0 ? p->before[r] / sqrt(own) : 0.0;
    fastest = fmax(fastest, fabs(speed));
    if (r % 3 == 0) approach = fmax(approach, -speed);
  }
  // beside a fast slip a slow approach would be nothing, and stay as it is
  bool slow = approach > 0.0 && approach < SLOW * fastest && p->pushing < 0;
  double normal = slow ? approach : fastest;
  for (int r = 0; r < rows; r++) {
    double own = p->G[r * (rows + 1)];
    w->fast[r] = own > 0.0 ? (r % 3 == 0 ? normal : fastest) * sqrt(own) : 1.0;
  }
  for (int i = 0; i < p->contacts; i++) {
    double a = p->exponent[i];
    w->deep[i] = carom_pow(0.5 * (a + 1.0) * normal * normal / p->stiffness[i], 1.0 / (a + 1.0));
  }
  w->ending.speed = normal;
  return fastest > 0.0 && isfinite(fastest);
}

static bool row_responds(const carom_space_march_problem *p, int row) {
  size_t rows = 3 * (size_t)p->contacts + 1;
  return p->G[(size_t)row * rows] > 0.0 || p->G[((size_t)row + 1) * rows] > 0.0;
}

static void begin_march(carom_space_march *w) {
  const carom_space_march_problem *p = w->p;
  int n = p->contacts;
  memset(w->y, 0, PER_CONTACT * (size_t)n * sizeof *w->y);
  for (int r = 0; r < 3 * n; r++)
    w->y[n + r] = p->before[r] / w->fast[r];
  // a little compression that the paradox makes grow
  if (p->pushing >= 0) w->y[p->pushing] = SEED;
  find_velocities(w, w->y);
  for (int i = 0; i < n; i++) {
    bool rough = p->stick[i] > 0.0 && row_responds(p, 3 * i + 1);
    w->state[i] = w->v[3 * i] < 0.0 || i == p->pushing ? PRESSED : APART;
    w->rubs[i] = !rough ? SMOOTH : slip_of(w, i) > STOPPED * slip_unit(w, i) ? SLIDES : RESTS;
  }
}

// ---- changes at an instant

// the rate of the slip of contact i along itself, and across
static void slip_rates(const carom_space_march *w, int i, double *along, double *across) {
  const double *s = w->v + 3 * (size_t)i + 1, *f = w->rate + 3 * (size_t)i + 1;
  double slip = slip_of(w, i);
  *along = (s[0] * f[0] + s[1] * f[1]) / slip;
  *across = (s[0] * f[1] - s[1] * f[0]) / slip;
}

// is the slip of contact i set off by `rest`?
static bool is_let_go(const carom_space_march *w, int i) {
  for (int a = 0; a < w->rest.contacts; a++)
    if (w->resting[a] == i) return w->rest.slips[a];
  return false;
}

static bool ended_by(const carom_space_march *w, int i, happening what) {
  return w->event == HAPPENINGS * i + (int)what;
}

// contact i, number a of those at rest, sets off where `rest` lets it go to
static void set_off(carom_space_march *w, int a) {
  const double *u = w->rest.u + 2 * (size_t)a, *T = w->rest.T + 2 * (size_t)a;
  bool pressed = w->rest.b[a] > 0.0;
  w->rubs[w->resting[a]] = SETS_OFF;
  w->angle[w->resting[a]] = pressed ? carom_atan2(-T[1], -T[0]) : carom_atan2(u[1], u[0]);
}

// some that rest are let go; false: none is
static bool let_go(carom_space_march *w) {
  bool any = false;
  for (int a = 0; a < w->rest.contacts; a++) {
    int i = w->resting[a];
    if (w->rubs[i] != RESTS || !(w->rest.slips[a] || ended_by(w, i, LET_GO))) continue;
    set_off(w, a);
    any = true;
  }
  return any;
}

// who rests, sets off and slides from here on
static void settle_friction(carom_space_march *w, const double *y) {
  find_velocities(w, y);
  find_forces(w, y);
  for (int i = 0; i < w->p->contacts; i++) {
    double unit = slip_unit(w, i), slip = slip_of(w, i), along = 0.0, across = 0.0;
    if (w->rubs[i] == SMOOTH) continue;
    if (w->rubs[i] != SLIDES && slip > UNCLEAR * unit) w->rubs[i] = SLIDES;
    if (w->rubs[i] != SLIDES || slip > STOPPED * unit) continue;
    if (slip > 0.0) slip_rates(w, i, &along, &across);
    if (slip == 0.0 || along < 0.0) w->rubs[i] = RESTS;
  }
  ask_rest(w);
  for (int a = 0; a < w->rest.contacts; a++)
    if (w->rubs[w->resting[a]] == SETS_OFF && !w->rest.slips[a]) w->rubs[w->resting[a]] = RESTS;
  while (let_go(w)) {
    w->event = -1;
    find_forces(w, y);
    ask_rest(w);
  }
  find_forces(w, y);
}

/// The expansion of a contact with e = 0, which takes no time: with w = v_N / e, w dw = -v_N' dx,
/// all slips and other compressions as they are. Stick may break on the way.
typedef struct expansion {
  carom_space_march *w;
  int contact;
  double from; // its compression, in the unit
  double *y;
} expansion;

// v_N' where a part of the compression is left
static double push_out(const expansion *x, double left) {
  carom_space_march *w = x->w;
  x->y[x->contact] = x->from * left;
  memcpy(w->were, w->rubs, (size_t)w->p->contacts * sizeof *w->rubs);
  do {
    find_forces(w, x->y);
    ask_rest(w);
  } while (let_go(w));
  for (int a = 0; a < 2 * w->rest.contacts; a++)
    w->F[3 * w->resting[a / 2] + 1 + a % 2] = w->rest.T[a];
  find_rates(w);
  memcpy(w->rubs, w->were, (size_t)w->p->contacts * sizeof *w->rubs);
  return w->rate[3 * x->contact];
}

// Gauss' rule of degree 9 over [a, b]
static double gauss_rule(const expansion *x, double a, double b) {
  static const double node[] = {0.0, 0.53846931010568309104, 0.90617984593866399280};
  static const double weight[] = {0.56888888888888888889, 0.47862867049936646804,
                                  0.23692688505618908751};
  double middle = 0.5 * (a + b), half = 0.5 * (b - a), sum = weight[0] * push_out(x, middle);
  for (int k = 1; k < 3; k++)
    sum +=
        weight[k] * (push_out(x, middle - half * node[k]) + push_out(x, middle + half * node[k]));
  return sum * half;
}

// What is left of the compression when w is zero again, or nothing, in the unit.
static double what_stays(carom_space_march *w, int i, double *y) {
  expansion x = {w, i, y[i], y};
  double least = INFINITY, sum = 0.0, left = 1.0;
  for (int k = 0; k <= PANELS; k++)
    least = fmin(least, push_out(&x, (double)k / PANELS));
  y[i] = x.from;
  if (least >= 0.0) return 0.0; // as a rule
  for (int k = PANELS - 1; k >= 0; k--) {
    double to = (double)k / PANELS, more = gauss_rule(&x, to, left);
    if (sum + more < 0.0 && k < PANELS - 1) {
      double lo = to, hi = left;
      while (hi - lo > NARROW) {
        double middle = 0.5 * (lo + hi);
        *(sum + gauss_rule(&x, middle, left) < 0.0 ? &lo : &hi) = middle;
      }
      y[i] = x.from;
      return hi * x.from;
    }
    sum += more;
    left = to;
  }
  y[i] = x.from;
  return 0.0;
}

static void settle_pressure(carom_space_march *w, double *y) {
  for (int i = 0; i < w->p->contacts; i++) {
    double v = w->v[3 * i];
    if (ended_by(w, i, ENERGY_SPENT) || (w->state[i] == EXPANDS && y[i] <= 0.0)) {
      y[i] = 0.0;
      w->state[i] = APART;
    } else if (ended_by(w, i, COMPRESSION_ENDS)) {
      w->state[i] = EXPANDS;
      w->ending.fading.turned = true;
      if (w->p->e[i] >= NO_RETURN) continue;
      y[i] = what_stays(w, i, y);
      w->state[i] = y[i] > 0.0 ? PRESSED : APART;
    } else if (ended_by(w, i, APPROACH) || (w->state[i] == APART && (v < 0.0 || y[i] > 0.0))) {
      w->state[i] = PRESSED;
    }
  }
}

static double stored_in(const carom_space_march *w, int i) {
  double a = w->p->exponent[i], x = w->state[i] == APART ? 0.0 : fmax(0.0, w->y[i]) * w->deep[i];
  return x > 0.0 ? w->p->stiffness[i] * x * carom_pow(x, a) / (a + 1.0) : 0.0;
}

static double sum_stored(const carom_space_march *w) {
  double sum = 0.0;
  for (int i = 0; i < w->p->contacts; i++)
    sum += stored_in(w, i);
  return sum;
}

// None approaches, and what is stored can give none a velocity that counts.
static bool is_over(const carom_space_march *w) {
  double given = ENDED * w->ending.speed;
  for (int i = 0; i < w->p->contacts; i++)
    if (w->v[3 * i] < -ENDED * w->fast[3 * i] || stored_in(w, i) > 0.5 * given * given)
      return false;
  return true;
}

// What is left open, as a part of the speed: how fast a contact approaches, or could be made to
// move by all that is stored.
static double left_open(const carom_space_march *w) {
  double left = sqrt(2.0 * sum_stored(w)) / w->ending.speed;
  for (int i = 0; i < w->p->contacts; i++)
    left = fmax(left, -w->v[3 * i] / w->fast[3 * i]);
  return left;
}

// Does what is stored not fade any more, now that `impulse` [3n] has become that of w->y?
static bool march_stalls(carom_space_march *w, const double *impulse) {
  int n = w->p->contacts;
  bool late;
  for (int i = 0; i < n; i++)
    w->ending.fading.passed +=
        (w->y[4 * n + 3 * i] - impulse[3 * i]) * sqrt(w->p->G[3 * i * (3 * n + 1)]);
  if (!carom_fading_note(&w->ending.fading, n, sum_stored(w), &late)) return false;
  return w->ending.fading.rounds >= CAROM_FADING_ROUNDS ||
         (late && left_open(w) <= CAROM_FADING_SLOW);
}

// ---- a step

static double longest_step(carom_space_march *w) {
  double h = INFINITY;
  for (int i = 0; i < w->p->contacts; i++) {
    double along, across;
    if (w->rubs[i] == SMOOTH || !has_direction(w, i) || w->F[3 * i] == 0.0) continue;
    slip_rates(w, i, &along, &across);
    double rate = fmax(fabs(across), -along);
    if (rate > 0.0) h = fmin(h, PART * slip_of(w, i) / rate);
  }
  return h;
}

// has it happened where w->look was evaluated?
static bool has_come(const carom_space_march *w, happening what, int i) {
  double v = w->v[3 * i];
  switch (what) {
  case COMPRESSION_ENDS: return w->state[i] == PRESSED && v > 0.0;
  case ENERGY_SPENT: return w->state[i] == EXPANDS && w->look[i] < 0.0;
  case APPROACH: return w->state[i] != PRESSED && v < 0.0;
  case LET_GO: return w->rubs[i] == RESTS && is_let_go(w, i);
  case HAPPENINGS: break;
  }
  return false;
}

static void look_at(carom_space_march *w, double theta) {
  carom_dense_eval(&w->stepper, theta, w->look, NULL, NULL);
  if (theta == 1.0)
    memcpy(w->look, w->stepper.y1, PER_CONTACT * (size_t)w->p->contacts * sizeof *w->look);
  find_velocities(w, w->look);
  find_forces(w, w->look);
  ask_rest(w);
}

// the first point of the step at which something has happened that has at its end; 1: nothing has
static double first_event(carom_space_march *w) {
  double first = 1.0;
  w->event = -1;
  look_at(w, 1.0);
  for (int i = 0; i < w->p->contacts; i++)
    for (happening what = COMPRESSION_ENDS; what < HAPPENINGS; what++)
      w->come[HAPPENINGS * i + (int)what] = has_come(w, what, i);
  for (int k = 0; k < HAPPENINGS * w->p->contacts; k++) {
    double lo = 0.0, hi = first;
    if (!w->come[k]) continue;
    look_at(w, first);
    while (hi - lo > NARROW && has_come(w, (happening)(k % HAPPENINGS), k / HAPPENINGS)) {
      double middle = 0.5 * (lo + hi);
      look_at(w, middle);
      bool come = has_come(w, (happening)(k % HAPPENINGS), k / HAPPENINGS);
      *(come ? &hi : &lo) = middle;
      if (!come) look_at(w, hi);
    }
    if (w->event < 0 || hi < first) w->event = k;
    first = hi;
  }
  return first;
}

// all modes as one number
static uint64_t modes_of(const carom_space_march *w) {
  uint64_t code = 0;
  for (int i = 0; i < w->p->contacts; i++)
    code = code * 1099511628211u + (uint64_t)w->state[i] * 4 + (uint64_t)w->rubs[i] + 1;
  return code;
}

static carom_status take_step(carom_space_march *w) {
  carom_stepper *s = &w->stepper;
  double h = longest_step(w);
  if (h < s->h_next) (void)carom_stepper_cut(s, h);
  carom_status status = carom_stepper_try(s, s->t + 1e300, NULL);
  if (status == CAROM_OK) status = carom_stepper_dense(s, NULL);
  if (status != CAROM_OK) return status;
  double theta = first_event(w);
  if (theta < 1.0) status = carom_stepper_shorten(s, theta * s->h, NULL);
  if (status != CAROM_OK) return status;
  memcpy(w->y, s->y1, PER_CONTACT * (size_t)w->p->contacts * sizeof *w->y);
  carom_stepper_commit(s);
  uint64_t before = modes_of(w);
  find_velocities(w, w->y);
  find_forces(w, w->y);
  settle_pressure(w, w->y);
  settle_friction(w, w->y);
  note_changes(w);
  if (theta == 1.0 && modes_of(w) == before) return CAROM_OK;
  return carom_stepper_start(s, s->t, w->y, s->h_next, NULL);
}

// from step to step, until it is over or does not fade
static carom_status march_on(carom_space_march *w, carom_space_march_result *result) {
  carom_status status = carom_stepper_start(&w->stepper, 0.0, w->y, 0.0, NULL);
  while (status == CAROM_OK && !is_over(w)) {
    if (result->steps++ == MOST_STEPS) return CAROM_ERR_LIMIT;
    memcpy(w->impulse, w->y + 4 * (size_t)w->p->contacts,
           3 * (size_t)w->p->contacts * sizeof *w->impulse);
    status = take_step(w);
    if (status != CAROM_OK || !march_stalls(w, w->impulse)) continue;
    result->left = left_open(w);
    return result->left <= CAROM_FADING_OPEN ? CAROM_OK : CAROM_ERR_NO_CONVERGENCE;
  }
  return status == CAROM_OK ? CAROM_OK : CAROM_ERR_NO_CONVERGENCE;
}

carom_status carom_space_march_solve(const carom_space_march_problem *problem, carom_space_march *w,
                                     carom_space_march_result *result) {
  int n = problem->contacts;
  w->p = problem;
  w->event = -1;
  w->logged = 0;
  w->ending.fading = (carom_fading){0};
  *result = (carom_space_march_result){
      .impulse = w->impulse, .after = w->after, .sticks = w->sticks, .holding = w->ending.holding};
  if (!find_units(w)) return CAROM_ERR_NONFINITE;
  carom_stepper_resize(&w->stepper, PER_CONTACT * n);
  w->stepper.options.controlled = 4 * n;
  begin_march(w);
  memcpy(w->told, w->rubs, (size_t)n * sizeof *w->told);
  for (int i = 0; i < n; i++)
    w->told_state[i] = APART;
  settle_friction(w, w->y);
  note_changes(w);
  carom_status status = march_on(w, result);
  find_velocities(w, w->y);
  memcpy(w->after, w->v, 3 * (size_t)n * sizeof *w->v);
  memcpy(w->impulse, w->y + 4 * (size_t)n, 3 * (size_t)n * sizeof *w->v);
  for (int i = 0; i < n; i++) {
    w->sticks[i] = w->rubs[i] == RESTS;
    w->ending.holding[i] = stored_in(w, i);
  }
  result->rubbed = w->y + 7 * (size_t)n;
  result->log = w->log;
  result->logged = w->logged;
  return status;
}
