// SPDX-License-Identifier: MIT
/// Was an impact what its law says? Looked at after it, with the velocities that the state has now
/// and the coefficients of the scenario: of the solver nothing is taken but its impulses. What a
/// law asks for is checked as such (sums, signs and products), and a contact that strikes alone by
/// the energetic law is followed once more, piece by piece (Routh 1905). And has a rule done what
/// it says, and nothing else?
///
/// Rows differ in their units; v / sqrt(G) and P sqrt(G) do not.
#include "hybrid/hybrid.h"

#include "base/elementary.h"

#include <assert.h>
#include <math.h>
#include <string.h>

typedef struct audit {
  carom_hybrid *it;
  const carom_impact_result *result;
  const double *before, *after, *G; // [rows], [rows], [rows][rows]
  int rows;
  double largest, worst; // of what moves, and of what is wrong with it
} audit;

static double unit_of(const audit *a, int row) { return sqrt(a->G[row * (a->rows + 1)]); }

// `wrong` in units of row r, less what the state itself is not known to
static void blame_row(audit *a, int row, double wrong, double unknown) {
  double unit = unit_of(a, row);
  if (unit > 0.0) a->worst = fmax(a->worst, (wrong - unknown) / unit);
}

static double response_to(const audit *a, int row, const double *impulse) {
  double sum = 0.0;
  for (int s = 0; s < a->rows; s++)
    sum += a->G[row * a->rows + s] * impulse[s];
  return sum;
}

static void note_size(audit *a, int row) {
  double unit = unit_of(a, row);
  if (!(unit > 0.0)) return;
  double speed = fmax(fabs(a->before[row]), fabs(a->after[row])) / unit;
  a->largest = fmax(a->largest, fmax(speed, fabs(a->result->impulse[row]) * unit));
}

// momentum: the velocities have changed by what the impulses do
static void check_momentum(audit *a, int row, double unknown) {
  double change = response_to(a, row, a->result->impulse);
  blame_row(a, row, fabs(a->after[row] - a->before[row] - change), unknown);
}

// Coulomb's law of one phase: impulses push, friction is inside its cone, and where slip is left it
// is on the edge of the cone, against the slip
static void check_friction(audit *a, int k, double P, double T, double slip, bool whole) {
  assert(k >= 0 && k < a->it->model->contacts.count);
  const carom_contact_set *set = &a->it->model->contacts;
  const carom_coefficients *c = &a->it->contact.now[k];
  int normal = set->normal[k], tangent = set->tangent[k];
  double own = unit_of(a, normal) * unit_of(a, normal);
  blame_row(a, normal, -P * own, 0.0);
  if (tangent < 0 || set->user_law[k]) return;
  double across = unit_of(a, tangent) * unit_of(a, tangent);
  blame_row(a, tangent, (fabs(T) - fmax(c->impact_stick, c->impact_slide) * P) * across, 0.0);
  if (!whole) return;
  double edge = fabs(T + (slip > 0.0 ? c->impact_slide : -c->impact_slide) * P) * across;
  blame_row(a, tangent, fmin(edge, fabs(slip)), a->it->tolerance.slip[k]);
}

// the same in space, where friction is a vector
static void check_friction_in_space(audit *a, int k, double P, const double T[2],
                                    const double slip[2], bool whole) {
  assert(k >= 0 && k < a->it->model->contacts.count);
  const carom_contact_set *set = &a->it->model->contacts;
  const carom_coefficients *c = &a->it->contact.now[k];
  int normal = set->normal[k], tangent = set->tangent[k];
  double across = unit_of(a, tangent) * unit_of(a, tangent), speed = carom_hypot(slip[0], slip[1]);
  double most = fmax(c->impact_stick, c->impact_slide) * P, edge = 0.0;
  blame_row(a, normal, -P * unit_of(a, normal) * unit_of(a, normal), 0.0);
  blame_row(a, tangent, (carom_hypot(T[0], T[1]) - most) * across, 0.0);
  if (!whole || !(speed > 0.0)) return;
  for (int i = 0; i < 2; i++)
    edge = fmax(edge, fabs(T[i] + c->impact_slide * P * slip[i] / speed) * across);
  blame_row(a, tangent, fmin(edge, speed), a->it->tolerance.slip[k]);
}

// friction of a phase with impulses `from` to `to`, judged by the slip that they lead to
static void check_phase(audit *a, int k, const double *from, const double *to, bool whole) {
  assert(k >= 0 && k < a->it->model->contacts.count);
  const carom_contact_set *set = &a->it->model->contacts;
  int normal = set->normal[k], row[2] = {set->tangent[k], set->cross[k]};
  double P = to[normal] - (from ? from[normal] : 0.0), T[2], slip[2];
  for (int i = 0; i < 2; i++) {
    T[i] = to[row[i]] - (from ? from[row[i]] : 0.0);
    slip[i] = a->before[row[i]] + response_to(a, row[i], to);
    if (!from) slip[i] += a->it->contact.now[k].give_back * a->before[row[i]];
  }
  check_friction_in_space(a, k, P, T, slip, whole);
}

// Newton: v+ + e v- >= 0, and zero where there is an impulse
static void check_newton(audit *a, int k) {
  assert(k >= 0 && k < a->it->model->contacts.count);
  int normal = a->it->model->contacts.normal[k];
  double own = unit_of(a, normal) * unit_of(a, normal), unknown = a->it->tolerance.speed[k];
  double left = a->after[normal] + a->it->contact.now[k].restitution * fmin(a->before[normal], 0.0);
  blame_row(a, normal, -left, unknown);
  blame_row(a, normal, fmin(a->result->impulse[normal] * own, left), unknown);
}

// Poisson: compression ends with v >= 0, zero where there is an impulse; expansion gives e of that
// impulse, or more where v+ = 0
static void check_poisson(audit *a, int k) {
  assert(k >= 0 && k < a->it->model->contacts.count);
  const carom_contact_set *set = &a->it->model->contacts;
  int normal = set->normal[k], tangent = set->tangent[k];
  const double *compression = a->result->compression;
  double own = unit_of(a, normal) * unit_of(a, normal), unknown = a->it->tolerance.speed[k];
  double v = a->before[normal] + response_to(a, normal, compression);
  blame_row(a, normal, -v, unknown);
  blame_row(a, normal, fmin(compression[normal] * own, v), unknown);
  double slip = tangent >= 0 ? a->before[tangent] + response_to(a, tangent, compression) : 0.0;
  double T = tangent >= 0 ? compression[tangent] : 0.0;
  double expansion = a->result->impulse[normal] - compression[normal];
  if (set->cross[k] >= 0) {
    check_phase(a, k, NULL, compression, true);
    check_phase(a, k, compression, a->result->impulse, true);
  } else {
    check_friction(a, k, compression[normal], T, slip, true);
  }
  if (tangent >= 0 && set->cross[k] < 0)
    check_friction(a, k, expansion, a->result->impulse[tangent] - T, a->after[tangent], true);
  double more =
      a->result->impulse[normal] - (1.0 + a->it->contact.now[k].restitution) * compression[normal];
  blame_row(a, normal, -more * own, unknown);
  blame_row(a, normal, fmin(more * own, a->after[normal]), unknown);
}

// --- one contact alone, over its impulse

typedef struct replay {
  double nn, nt, tt, stick, slide;
  double v, slip; // now
} replay;

// how v and slip change with the impulse: friction against the slip, or stick if it can hold
static void rates_of(const replay *r, double *dv, double *dslip) {
  double sign = r->slip > 0.0 ? 1.0 : r->slip < 0.0 ? -1.0 : 0.0;
  *dv = r->nn;
  *dslip = 0.0;
  if (!(r->tt > 0.0)) return;
  if (sign == 0.0 && fabs(r->nt) <= r->stick * r->tt) {
    *dv = r->nn - r->nt * r->nt / r->tt;
    return;
  }
  if (sign == 0.0) sign = r->nt > 0.0 ? 1.0 : -1.0;
  *dv = r->nn - sign * r->slide * r->nt;
  *dslip = r->nt - sign * r->slide * r->tt;
}

// Goes on by the impulse `most`, or until v = 0 (`stops`), or until the work of the normal impulse
// has reached `work`; returns the impulse, adds up the work.
static double go_on(replay *r, double most, bool stops, double work, double *done) {
  double given = 0.0;
  *done = 0.0;
  for (int piece = 0; piece < 4; piece++) {
    double dv, dslip, length = most - given;
    rates_of(r, &dv, &dslip);
    bool turns = r->slip != 0.0 && dslip * r->slip < 0.0 && -r->slip / dslip <= length;
    if (turns) length = -r->slip / dslip;
    if (stops && dv > 0.0 && -r->v / dv <= length) length = -r->v / dv, turns = false;
    double root = r->v * r->v + 2.0 * dv * (work - *done); // v l + dv l^2 / 2 = what is left
    double last = dv > 0.0 ? (sqrt(fmax(root, 0.0)) - r->v) / dv : INFINITY;
    if (last <= length) length = last, turns = false;
    if (!isfinite(length)) return NAN;
    *done += (r->v + 0.5 * dv * length) * length;
    r->v += dv * length;
    r->slip = turns ? 0.0 : r->slip + dslip * length;
    given += length;
    if (!turns) break;
  }
  return given;
}

static bool alone_by_energy(const audit *a, int k) {
  assert(k >= 0 && k < a->it->model->contacts.count);
  const carom_contact *contact = &a->it->model->contacts.contacts[k];
  return a->it->contact.closed == 1 && a->it->model->constraints == 0 &&
         !a->it->model->contacts.user_law[k] && !contact->march.hold &&
         a->it->model->contacts.cross[k] < 0 && // its slip turns: followed with care, once
         a->before[a->it->model->contacts.normal[k]] < 0.0;
}

static void follow_again(audit *a, int k) {
  assert(k >= 0 && k < a->it->model->contacts.count);
  const carom_contact_set *set = &a->it->model->contacts;
  const carom_coefficients *c = &a->it->contact.now[k];
  int n = set->normal[k], t = set->tangent[k];
  replay r = {.nn = a->G[n * (a->rows + 1)], .v = a->before[n]};
  if (t >= 0 && fmax(c->impact_stick, c->impact_slide) > 0.0) {
    r.nt = a->G[n * a->rows + t];
    r.tt = a->G[t * (a->rows + 1)];
    r.stick = fmax(c->impact_stick, c->impact_slide);
    r.slide = c->impact_slide;
    // slip that only the solver's noise tells from stick is not followed twice
    if (fabs(a->before[t]) <= a->it->tolerance.slip[k] && a->before[t] != 0.0) return;
    r.slip = a->before[t];
  }
  double e = c->restitution, pressed, returned, P = go_on(&r, INFINITY, true, INFINITY, &pressed);
  switch (set->contacts[k].march.stop_rule) {
  case CAROM_STOP_BY_WORK: P += go_on(&r, INFINITY, false, -e * e * pressed, &returned); break;
  case CAROM_STOP_BY_IMPULSE: P += go_on(&r, e * P, false, INFINITY, &returned); break;
  case CAROM_STOP_BY_VELOCITY: return; // its end is checked as Newton's
  }
  if (!isfinite(P)) return;
  blame_row(a, n, fabs(P - a->result->impulse[n]) * r.nn, a->it->tolerance.speed[k]);
  blame_row(a, n, fabs(r.v - a->after[n]), a->it->tolerance.speed[k]);
  if (r.tt > 0.0) blame_row(a, t, fabs(r.slip - a->after[t]), a->it->tolerance.slip[k]);
}

// --- rules

// the value that an assignment of a rule had to give, or NaN where it says nothing of component i
static double assigned_value(const carom_hybrid *it, const carom_watched *watched, int i) {
  const carom_scenario *s = it->model->scenario;
  int output = it->model->probe.assignments;
  for (const carom_event_rule *rule = s->rules.events; rule < watched->rule; rule++)
    output += rule->assignment_count;
  double value = NAN;
  for (int j = 0; j < watched->rule->assignment_count; j++)
    if (it->model->path.y[i] == watched->rule->assignments[j].symbol)
      value = carom_probe_output(it, output + j);
  return value;
}

void carom_audit_rule(carom_hybrid *it, const carom_watched *watched) {
  if (!it->model->scenario) return;
  carom_certificate *c = &it->now.certificate;
  carom_probe_run(it, it->now.t, it->before, it->rate);
  for (int i = 0; i < it->model->path.size; i++) {
    double value = assigned_value(it, watched, i);
    if (isnan(value)) value = it->before[i];
    double size = fmax(fabs(value), fabs(it->y[i]));
    if (size > 0.0)
      c->worst.reset_error = fmax(c->worst.reset_error, fabs(it->y[i] - value) / size);
  }
}

// --- all together

static void check_contact(audit *a, int k, carom_law law, bool mixed) {
  assert(k >= 0 && k < a->it->model->contacts.count);
  const carom_contact_set *set = &a->it->model->contacts;
  const carom_contact *contact = &set->contacts[k];
  int normal = set->normal[k], tangent = set->tangent[k];
  // friction acts against v_T+ + et v_T-
  double slip =
      tangent >= 0 ? a->after[tangent] + a->it->contact.now[k].give_back * a->before[tangent] : 0.0;
  double T = tangent >= 0 ? a->result->impulse[tangent] : 0.0;
  bool strict = !a->result->relaxed && !mixed;
  check_momentum(a, normal, a->it->tolerance.speed[k]);
  if (tangent >= 0) check_momentum(a, tangent, a->it->tolerance.slip[k]);
  bool by_end = law == CAROM_LAW_NEWTON && strict;
  if (set->cross[k] >= 0) {
    check_momentum(a, set->cross[k], a->it->tolerance.slip[k]);
    check_phase(a, k, NULL, a->result->impulse, by_end);
  } else {
    check_friction(a, k, a->result->impulse[normal], T, slip, by_end);
  }
  blame_row(a, normal, -a->after[normal], a->it->tolerance.speed[k]);
  if (law == CAROM_LAW_NEWTON && strict) check_newton(a, k);
  if (law == CAROM_LAW_POISSON && strict) check_poisson(a, k);
  if (law != CAROM_LAW_ENERGETIC || !alone_by_energy(a, k)) return;
  if (contact->march.stop_rule == CAROM_STOP_BY_VELOCITY) check_newton(a, k);
  follow_again(a, k);
}

void carom_audit_impact(carom_hybrid *it, carom_law law, bool mixed,
                        const carom_impact_result *result) {
  const carom_contact_set *set = &it->model->contacts;
  const carom_contact_evaluation *contact = &it->contact;
  audit a = {.it = it,
             .result = result,
             .before = it->instant.striking.approach,
             .after = it->work.rows.velocity,
             .G = it->work.rows.delassus,
             .rows = it->model->dynamics->rows};
  for (int j = 0; j < contact->closed; j++) {
    int k = contact->which[j];
    note_size(&a, set->normal[k]);
    if (set->tangent[k] >= 0) note_size(&a, set->tangent[k]);
    check_contact(&a, k, law, mixed);
  }
  if (!(a.largest > 0.0)) return;
  it->now.certificate.worst.impact_error =
      fmax(it->now.certificate.worst.impact_error, a.worst / a.largest);
}
