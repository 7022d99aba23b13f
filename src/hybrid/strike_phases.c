// SPDX-License-Identifier: MIT
/// What happens while an impact lasts, told to observers that ask for it. The energetic law keeps a
/// log; the laws on impulses know the ends of their phases alone: compression, then restitution
/// (Poisson), or the whole impact at once (Newton).
#include "hybrid/hybrid.h"

#include <assert.h>
#include <math.h>

static const double AT_REST = 1e-11; // of the fastest row: a slip that counts as zero

static carom_event_kind kind_of(carom_energetic_event_kind kind) {
  switch (kind) {
  case CAROM_ENERGETIC_JOINS:
  case CAROM_ENERGETIC_AGAIN: return CAROM_EVENT_PHASE_COMPRESSION;
  case CAROM_ENERGETIC_COMPRESSED: return CAROM_EVENT_PHASE_RESTITUTION;
  case CAROM_ENERGETIC_STICKS: return CAROM_EVENT_PHASE_STICK;
  case CAROM_ENERGETIC_SLIPS_PLUS:
  case CAROM_ENERGETIC_SLIPS_MINUS: return CAROM_EVENT_PHASE_SLIP;
  case CAROM_ENERGETIC_HELD: return CAROM_EVENT_PHASE_HOLD;
  case CAROM_ENERGETIC_ENDS:
  case CAROM_ENERGETIC_EVENTS: break;
  }
  return CAROM_EVENT_PHASE_END;
}

static const char *name_of(const carom_hybrid *it, int j) {
  assert(j >= 0 && j < it->contact.closed);
  return it->model->contacts.contacts[it->contact.which[j]].name;
}

static bool tell_log(carom_hybrid *it, const carom_impact_result *result) {
  bool asked = false;
  for (int k = 0; k < result->logged; k++) {
    const carom_energetic_event *event = &result->log[k];
    int sign =
        (event->kind == CAROM_ENERGETIC_SLIPS_PLUS) - (event->kind == CAROM_ENERGETIC_SLIPS_MINUS);
    asked |= carom_hybrid_announce_phase(it, kind_of(event->kind), name_of(it, event->contact),
                                         sign, event->impulse);
  }
  return asked;
}

/// Velocities of rows before and after a phase, as its contacts see them.
typedef struct phase {
  const carom_impact_problem *problem;
  const double *first;   // [rows] impulses when it begins; NULL: none yet
  const double *last;    // [rows] and when it ends
  double impulse, scale; // normal impulse of all contacts at its end; the fastest row
} phase;

static double row_velocity(const phase *it, const double *impulse, int row) {
  const carom_impact_problem *p = it->problem;
  double v = p->before[row];
  for (int j = 0; j < p->rows && impulse; j++)
    v += p->G[row * p->rows + j] * impulse[j];
  return v;
}

// the sign of the slip of contact j; in space 1 where there is any
static int slip_sign(const phase *it, const double *impulse, int j) {
  const carom_impact_problem *p = it->problem;
  if (p->tangent[j] < 0) return 0;
  double rest = AT_REST * it->scale, slip = row_velocity(it, impulse, p->tangent[j]);
  if (p->cross && p->cross[j] >= 0)
    slip = fmax(fabs(slip), fabs(row_velocity(it, impulse, p->cross[j])));
  return (slip > rest) - (slip < -rest);
}

static bool takes_part(const phase *it, int j) {
  int row = it->problem->normal[j];
  return it->last[row] > (it->first ? it->first[row] : 0.0);
}

// slips that have stopped, set off or turned round since the phase began
static bool tell_slips(carom_hybrid *it, const phase *now) {
  bool asked = false;
  for (int j = 0; j < now->problem->contacts; j++) {
    int before = slip_sign(now, now->first, j), after = slip_sign(now, now->last, j);
    if (before == after || !takes_part(now, j)) continue;
    asked |=
        carom_hybrid_announce_phase(it, after ? CAROM_EVENT_PHASE_SLIP : CAROM_EVENT_PHASE_STICK,
                                    name_of(it, j), after, now->impulse);
  }
  return asked;
}

static bool tell_all(carom_hybrid *it, carom_event_kind kind, const phase *now, double impulse) {
  bool asked = false;
  for (int j = 0; j < now->problem->contacts; j++)
    if (takes_part(now, j))
      asked |= carom_hybrid_announce_phase(it, kind, name_of(it, j), 0, impulse);
  return asked;
}

static phase phase_of(const carom_impact_problem *p, const double *first, const double *last) {
  phase now = {.problem = p, .first = first, .last = last};
  for (int j = 0; j < p->contacts; j++)
    now.impulse += last[p->normal[j]];
  for (int r = 0; r < p->rows; r++)
    now.scale = fmax(now.scale, fabs(p->before[r]));
  return now;
}

bool carom_hybrid_tell_phases(carom_hybrid *it, const carom_impact_problem *problem,
                              const carom_impact_result *result) {
  if (!it->simulation->observer.phases) return false;
  if (result->log) return tell_log(it, result);
  phase compression = phase_of(problem, NULL, result->compression);
  phase restitution = phase_of(problem, result->compression, result->impulse);
  bool asked = tell_all(it, CAROM_EVENT_PHASE_COMPRESSION, &compression, 0.0);
  asked |= tell_slips(it, &compression);
  asked |= tell_all(it, CAROM_EVENT_PHASE_RESTITUTION, &restitution, compression.impulse);
  asked |= tell_slips(it, &restitution);
  compression.last = result->impulse;
  return tell_all(it, CAROM_EVENT_PHASE_END, &compression, restitution.impulse) || asked;
}
