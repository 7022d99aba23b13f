// SPDX-License-Identifier: MIT
#include "contact/space.h"

#include "base/elementary.h"
#include "contact/contact_internal.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { POINTS = 96, HALVINGS = 60, SWEEPS = 60 };
static const double WHOLE_TURN = 6.283185307179586;
static const double SAME_DIRECTION = 1e-14; // directions of sweeps that no longer change
static const double AT_REST = 1e-11;        // of its terms: a rate that is none
static const double CONE = 1e-10;           // of forces: beyond the cone by rounding

void carom_space_turn(int rows, double *G, double *vector, int a, int b, const double d[2]) {
  assert(a >= 0 && a < rows && b >= 0 && b < rows && a != b);
  for (int r = 0; r < rows; r++) {
    double x = G[r * rows + a], y = G[r * rows + b];
    G[r * rows + a] = d[0] * x + d[1] * y;
    G[r * rows + b] = d[0] * y - d[1] * x;
  }
  for (int r = 0; r < rows; r++) {
    double x = G[a * rows + r], y = G[b * rows + r];
    G[a * rows + r] = d[0] * x + d[1] * y;
    G[b * rows + r] = d[0] * y - d[1] * x;
  }
  if (!vector) return;
  double x = vector[a], y = vector[b];
  vector[a] = d[0] * x + d[1] * y;
  vector[b] = d[0] * y - d[1] * x;
}

/// A choice under way: contacts that have to slip have a direction, others at rest (0, 0).
typedef struct choosing {
  const carom_contact_problem *problem; // now, or a moment later
  carom_contact_query query;
  carom_contact_workspace *work;
  carom_contact_choice *choice;
  double *direction;
  bool unique;
} choosing;

static bool contact_rests(const carom_contact_problem *p, int i) {
  return p->cross[i] >= 0 && p->sliding[i] == 0 && (p->stick[i] > 0.0 || p->slide[i] > 0.0);
}

static bool slips_off(const choosing *c, int i) {
  return c->direction[2 * i] != 0.0 || c->direction[2 * i + 1] != 0.0;
}

// the choice with the directions at hand; false: inconsistent
static bool solve_directions(choosing *c) {
  const carom_contact_problem *p = c->problem;
  carom_contact_workspace *w = c->work;
  memcpy(w->turned.G, p->G, (size_t)(p->rows * p->rows) * sizeof(double));
  memcpy(w->turned.b, p->b, (size_t)p->rows * sizeof(double));
  for (int i = 0; i < p->contacts; i++) {
    w->turned.sliding[i] = p->sliding[i];
    if (!contact_rests(p, i) || !slips_off(c, i)) continue;
    w->turned.sliding[i] = 1;
    carom_space_turn(p->rows, w->turned.G, w->turned.b, p->tangent[i], p->cross[i],
                     c->direction + 2 * (size_t)i);
  }
  carom_contact_problem turned = *p;
  turned.G = w->turned.G;
  turned.b = w->turned.b;
  turned.sliding = w->turned.sliding;
  carom_contact_choose(&turned, &c->query, w, c->choice);
  return c->choice->outcome != CAROM_CONTACT_INCONSISTENT;
}

static double force_across(const choosing *c, int i) {
  const carom_contact_problem *p = c->problem;
  return carom_hypot(c->choice->lambda[p->tangent[i]], c->choice->lambda[p->cross[i]]);
}

// in an impact: is the impulse that holds contact i one that has stopped its slip?
static bool impulse_brakes(const choosing *c, int i) {
  const carom_contact_problem *p = c->problem;
  const double *P = c->choice->lambda;
  int t = p->tangent[i], x = p->cross[i];
  return p->braking && P[t] * p->b[t] + P[x] * p->b[x] < 0.0;
}

// how far contact i, which sticks, is beyond its cone
static double beyond_cone(const choosing *c, int i) {
  const carom_contact_problem *p = c->problem;
  carom_contact_mode mode = c->choice->modes[i];
  if (!contact_rests(p, i) || (mode != CAROM_CONTACT_STICK && mode != CAROM_CONTACT_PUSHED_STICK))
    return 0.0;
  double N = c->choice->lambda[p->normal[i]], T = force_across(c, i);
  double limit = (impulse_brakes(c, i) ? p->slide[i] : p->stick[i]) * N;
  // a moment later all is clear where modes have just ended; otherwise rounding decides nothing
  return T > limit + CONE * (fabs(N) + T) ? T - limit : 0.0;
}

// The rate across the slip of contact i that sets off along angle `angle`; `along`: the other
// component. NaN where it does not slip.
static double rate_across(choosing *c, int i, double angle, double *along) {
  carom_sincos(angle, &c->direction[2 * i + 1], &c->direction[2 * i]);
  *along = NAN;
  if (!solve_directions(c) || carom_contact_slip_sign(c->choice->modes[i]) == 0) return NAN;
  *along = c->choice->rate[c->problem->tangent[i]];
  return c->choice->rate[c->problem->cross[i]];
}

// the angle between lo and hi where the rate across changes its sign
static double refine_angle(choosing *c, int i, double lo, double hi, double low, double *along) {
  assert(lo <= hi);
  for (int round = 0; round < HALVINGS; round++) {
    double middle = 0.5 * (lo + hi);
    if (middle == lo || middle == hi) break;
    double value = rate_across(c, i, middle, along);
    if (isnan(value)) return NAN;
    if ((value > 0.0) == (low > 0.0))
      lo = middle;
    else
      hi = middle;
  }
  double at = 0.5 * (lo + hi);
  return isnan(rate_across(c, i, at, along)) ? (double)NAN : at;
}

static double angle_between(double a, double b) {
  double turn = fabs(a - b);
  return fmin(turn, fabs(WHOLE_TURN - turn));
}

// The direction in which contact i sets off, others as they are: all solutions on the circle, of
// which the one nearest to `wanted` is left in place. False: there is none.
static bool find_direction(choosing *c, int i, double wanted) {
  double best = NAN, along, before = rate_across(c, i, wanted + 0.5 * WHOLE_TURN / POINTS, &along);
  int found = 0;
  for (int k = 1; k <= POINTS; k++) {
    double hi = wanted + (k + 0.5) * WHOLE_TURN / POINTS, lo = hi - WHOLE_TURN / POINTS;
    double value = rate_across(c, i, hi, &along);
    bool crosses = (value > 0.0 && before <= 0.0) || (value <= 0.0 && before > 0.0);
    double at = crosses ? refine_angle(c, i, lo, hi, before, &along) : NAN;
    before = value;
    if (isnan(at) || !(along > 0.0)) continue;
    found++;
    if (isnan(best) || angle_between(at, wanted) < angle_between(best, wanted)) best = at;
  }
  if (found > 1) c->unique = false;
  if (found == 0)
    c->direction[2 * i] = c->direction[2 * i + 1] = 0.0;
  else
    carom_sincos(best, &c->direction[2 * i + 1], &c->direction[2 * i]);
  return found > 0;
}

// where a contact that is held is pushed: against the friction that would hold it
static double pushed_along(const choosing *c, int i) {
  const carom_contact_problem *p = c->problem;
  const double *force = c->choice->lambda;
  bool known = c->choice->outcome != CAROM_CONTACT_INCONSISTENT && force_across(c, i) > 0.0;
  if (!known) return carom_atan2(p->b[p->cross[i]], p->b[p->tangent[i]]);
  return carom_atan2(-force[p->cross[i]], -force[p->tangent[i]]);
}

// Several that set off together: each in turn, until no direction changes any more.
static bool sweep_directions(choosing *c) {
  const carom_contact_problem *p = c->problem;
  for (int round = 0; round < SWEEPS; round++) {
    double change = 0.0;
    int slipping = 0;
    for (int i = 0; i < p->contacts; i++) {
      if (!contact_rests(p, i) || !slips_off(c, i)) continue;
      double *d = c->direction + 2 * (size_t)i, old[2] = {d[0], d[1]};
      if (!find_direction(c, i, carom_atan2(old[1], old[0]))) return false;
      change = fmax(change, fmax(fabs(d[0] - old[0]), fabs(d[1] - old[1])));
      slipping++;
    }
    if (slipping <= 1 || change <= SAME_DIRECTION) return solve_directions(c);
  }
  return false;
}

// Contacts that stick beyond their cones have to slip, the worst first; false: none is found.
static bool let_go(choosing *c) {
  const carom_contact_problem *p = c->problem;
  for (int round = 0; round < p->contacts; round++) {
    int worst = -1;
    double most = 0.0;
    for (int i = 0; i < p->contacts; i++) {
      double beyond = beyond_cone(c, i);
      if (beyond > most) most = beyond, worst = i;
    }
    if (worst < 0) return true;
    double wanted = pushed_along(c, worst);
    carom_sincos(wanted, &c->direction[2 * worst + 1], &c->direction[2 * worst]);
    if (!sweep_directions(c)) return false;
  }
  for (int i = 0; i < p->contacts; i++)
    if (beyond_cone(c, i) > 0.0) return false;
  return true;
}

static void forget_directions(choosing *c) {
  memset(c->direction, 0, 2 * (size_t)c->problem->contacts * sizeof *c->direction);
}

// nothing sticks, but one that slips may hold
static bool start_anywhere(choosing *c) {
  const carom_contact_problem *p = c->problem;
  for (int i = 0; i < p->contacts; i++) {
    forget_directions(c);
    if (!contact_rests(p, i)) continue;
    double wanted = pushed_along(c, i);
    if (find_direction(c, i, wanted) && solve_directions(c) && let_go(c)) return true;
  }
  forget_directions(c);
  return false;
}

// forces and rates along the tangents as they are given
static void turn_back(choosing *c) {
  const carom_contact_problem *p = c->problem;
  double *vectors[] = {c->choice->lambda, c->choice->rate};
  for (int i = 0; i < p->contacts; i++) {
    const double *d = c->direction + 2 * (size_t)i;
    if (!contact_rests(p, i) || !slips_off(c, i)) continue;
    for (int k = 0; k < 2; k++) {
      double along = vectors[k][p->tangent[i]], across = vectors[k][p->cross[i]];
      vectors[k][p->tangent[i]] = d[0] * along - d[1] * across;
      vectors[k][p->cross[i]] = d[1] * along + d[0] * across;
    }
  }
}

// Painleve: the smallest coefficient of a contact at rest over all directions of slip
static void blame_choice(const carom_contact_problem *p, carom_contact_choice *choice) {
  for (int i = 0; i < p->contacts; i++) {
    if (!contact_rests(p, i)) continue;
    const double *G = p->G + (size_t)p->normal[i] * (size_t)p->rows;
    double least = G[p->normal[i]] - p->slide[i] * carom_hypot(G[p->tangent[i]], G[p->cross[i]]);
    if (choice->contact >= 0 && !(least < choice->coefficient)) continue;
    choice->contact = i;
    choice->coefficient = least;
  }
}

static bool is_excluded(const choosing *c) {
  const carom_contact_query *q = &c->query;
  int n = c->problem->contacts;
  for (int e = 0; e < q->excluded_count; e++)
    if (memcmp(q->excluded + (size_t)(e * n), c->choice->modes, (size_t)n * sizeof *q->excluded) ==
        0)
      return true;
  return false;
}

// Where the forces that hold several contacts leave their cones, others may not (redundant ones),
// or several set off together: all at once.
static bool solve_together(choosing *c) {
  const carom_contact_problem *p = c->problem;
  carom_contact_choice *choice = c->choice;
  if (c->query.pushing >= 0 || !carom_space_can_solve(p)) return false;
  if (!carom_space_solve(p, c->work, choice->lambda, choice->modes, c->direction, &c->unique))
    return false;
  choice->outcome = CAROM_CONTACT_CONSISTENT;
  choice->contact = -1;
  for (int r = 0; r < p->rows; r++) {
    choice->rate[r] = p->b[r];
    for (int s = 0; s < p->rows; s++)
      choice->rate[r] += p->G[r * p->rows + s] * choice->lambda[s];
  }
  return !is_excluded(c);
}

// does a row's velocity change, but for rounding of what its rate is the sum of?
static bool moves_at(const choosing *c, int row) {
  const carom_contact_problem *p = c->problem;
  const double *G = p->G + (size_t)row * (size_t)p->rows;
  double rate = p->b[row], terms = fabs(p->b[row]);
  for (int s = 0; s < p->rows; s++) {
    rate += G[s] * c->choice->lambda[s];
    terms = fmax(terms, fabs(G[s] * c->choice->lambda[s]));
  }
  return fabs(rate) > AT_REST * terms;
}

static bool any_beyond(const choosing *c) {
  for (int i = 0; i < c->problem->contacts; i++)
    if (beyond_cone(c, i) > 0.0) return true;
  return false;
}

// A redundant contact that carries nothing may be called open though it stays in touch, held there
// by others: it sticks, without force. Open, it would strike at the next rounding.
static void keep_in_touch(choosing *c) {
  const carom_contact_problem *p = c->problem;
  carom_contact_choice *choice = c->choice;
  for (int i = 0; i < p->contacts; i++) {
    carom_contact_mode before = choice->modes[i];
    if (!contact_rests(p, i) || before != CAROM_CONTACT_OPEN || moves_at(c, p->normal[i]) ||
        moves_at(c, p->tangent[i]) || moves_at(c, p->cross[i]))
      continue;
    choice->modes[i] = CAROM_CONTACT_STICK;
    if (is_excluded(c)) choice->modes[i] = before;
  }
}

void carom_space_choose(const carom_contact_problem *problem, const carom_contact_query *query,
                        carom_contact_workspace *work, carom_contact_choice *choice,
                        double *direction) {
  bool any = false;
  for (int i = 0; i < problem->contacts; i++)
    any = any || contact_rests(problem, i);
  memset(direction, 0, 2 * (size_t)problem->contacts * sizeof *direction);
  if (!any) {
    carom_contact_choose(problem, query, work, choice);
    return;
  }
  choosing c = {.problem = query->ahead ? query->ahead : problem,
                .query = *query,
                .work = work,
                .choice = choice,
                .direction = direction,
                .unique = true};
  c.query.ahead = NULL;
  c.query.find_other = false;
  c.query.blame = false; // by the directions of now; below by all of them
  bool held = solve_directions(&c), together = !(held && !any_beyond(&c)) && solve_together(&c);
  bool found = (held && !any_beyond(&c)) || together;
  if (!found) {
    forget_directions(&c);
    found = (solve_directions(&c) && let_go(&c)) || start_anywhere(&c);
  }
  choice->clear = true; // the moment later has been asked, if it was given
  choice->unique = choice->unique && c.unique;
  if (found && !together) turn_back(&c);
  if (found && query->flight) keep_in_touch(&c);
  if (found) memcpy(choice->other_lambda, choice->lambda, (size_t)problem->rows * sizeof(double));
  if (found) return;
  choice->outcome = CAROM_CONTACT_INCONSISTENT;
  choice->contact = -1;
  blame_choice(problem, choice);
}
