// SPDX-License-Identifier: MIT
/// Impacts by the energetic law inside the event-driven engine: stiffness and exponent of the
/// touching contacts, and users' friction laws while the impact lasts.
#include "hybrid/hybrid.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double WORTH_NAMING = 1e-6; // of the most energy that a contact holds

// Users' laws are evaluated at the slip of the moment. Only what grows with the normal force
// counts: a finite force does nothing in an impact.
static double user_law(void *ctx, int j, double normal_force, double slip) {
  carom_hybrid *it = ctx;
  const carom_contact_evaluation *contact = &it->contact;
  carom_coefficients c = carom_contact_law_at(&it->model->contacts, contact, it->model->dynamics,
                                              contact->which[j], slip);
  return (c.law_1 - c.law_0) * normal_force;
}

// of the velocities after; the motion between impacts is known to rtol
static double velocity_tolerance(const carom_hybrid *it) {
  return fmax(1e-13, fmin(1e-8, 0.1 * it->run.rtol));
}

static carom_energetic_habit habit_of(const carom_contact *contact) {
  static const carom_energetic_stop stops[] = {[CAROM_STOP_BY_WORK] = CAROM_STOP_ENERGETIC,
                                               [CAROM_STOP_BY_IMPULSE] = CAROM_STOP_KINETIC,
                                               [CAROM_STOP_BY_VELOCITY] = CAROM_STOP_KINEMATIC};
  return (carom_energetic_habit){.stop = stops[contact->march.stop_rule],
                                 .waits = contact->march.sequential,
                                 .holds = contact->march.hold};
}

// names of the contacts that hold each other, "left, right and top"
static const char *list_holding(const carom_hybrid *it, const double *holding, char *text,
                                size_t room) {
  const carom_contact_evaluation *contact = &it->contact;
  double most = 0.0;
  int count = 0, left;
  for (int j = 0; j < contact->closed; j++)
    most = fmax(most, holding[j]);
  for (int j = 0; j < contact->closed; j++)
    count += holding[j] > WORTH_NAMING * most;
  text[0] = '\0';
  left = count;
  for (int j = 0; j < contact->closed; j++) {
    if (!(holding[j] > WORTH_NAMING * most)) continue;
    size_t used = strlen(text);
    const char *name = it->model->contacts.contacts[contact->which[j]].name;
    const char *before = left == count ? "" : left == 1 ? " and " : ", ";
    (void)snprintf(text + used, room - used, "%s%s", before, name);
    left--;
  }
  return text;
}

carom_status carom_hybrid_explain_holding(const carom_hybrid *it, const double *holding,
                                          carom_error *error) {
  const carom_contact_evaluation *contact = &it->contact;
  char names[sizeof error->text];
  return carom_fail(error, CAROM_ERR_NO_CONVERGENCE,
                    "at t = %.15g the impact of %s (%d contacts) never ends by its law: %s hold "
                    "each other with forces that do not fade, or hardly",
                    it->now.t, it->model->contacts.contacts[contact->which[0]].name,
                    contact->closed, list_holding(it, holding, names, sizeof names));
}

void carom_hybrid_note_open(carom_hybrid *it, double left) {
  double *worst = &it->now.certificate.worst.impact_error;
  *worst = fmax(*worst, left);
}

// why there is no outcome
static carom_status explain_failure(const carom_hybrid *it, const carom_energetic_result *outcome,
                                    carom_status status, carom_error *error) {
  const carom_contact_evaluation *contact = &it->contact;
  const char *name = it->model->contacts.contacts[contact->which[0]].name;
  switch (outcome->end) {
  case CAROM_ENERGETIC_LOCKED: return carom_hybrid_explain_holding(it, outcome->holding, error);
  case CAROM_ENERGETIC_EXHAUSTED:
    return carom_fail(error, status,
                      "at t = %.15g the impact of %s (%d contacts) has not ended after %d steps",
                      it->now.t, name, contact->closed, outcome->steps);
  case CAROM_ENERGETIC_NO_RULE:
    return carom_fail(error, status,
                      "at t = %.15g several contacts strike together with %s, and the rules of "
                      "impact.stop other than energetic are for one alone",
                      it->now.t, name);
  case CAROM_ENERGETIC_FINISHED: break;
  }
  return carom_fail(error, status, "at t = %.15g the impact of %s has no outcome by its law",
                    it->now.t, name);
}

carom_status carom_hybrid_strike_energetic(carom_hybrid *it, const carom_impact_problem *impact,
                                           carom_impact_result *result, carom_error *error) {
  carom_contact_evaluation *contact = &it->contact;
  const carom_contact_set *set = &it->model->contacts;
  bool any_law = false;
  for (int j = 0; j < contact->closed; j++)
    if (set->cross[contact->which[j]] >= 0)
      return carom_hybrid_strike_spatial(it, impact, result, error);
  for (int j = 0; j < contact->closed; j++) {
    int k = contact->which[j];
    it->instant.striking.stiffness[j] = contact->now[k].stiffness;
    it->instant.striking.exponent[j] = contact->now[k].exponent;
    it->instant.striking.habit[j] = habit_of(&set->contacts[k]);
    // friction given for impacts stands in for the law
    it->instant.striking.impact_by_law[j] = set->user_law[k] && !set->contacts[k].impact_stick;
    any_law = any_law || it->instant.striking.impact_by_law[j];
  }
  carom_energetic_problem problem = {.impact = *impact,
                                     .stiffness = it->instant.striking.stiffness,
                                     .exponent = it->instant.striking.exponent,
                                     .habit = it->instant.striking.habit,
                                     .has_law = any_law ? it->instant.striking.impact_by_law : NULL,
                                     .law = user_law,
                                     .law_ctx = it};
  carom_energetic_options options = carom_energetic_options_default();
  options.tolerance = velocity_tolerance(it);
  carom_energetic_result outcome;
  carom_status status =
      carom_energetic_solve(&problem, &options, it->instant.striking.energetic_work, &outcome);
  *result = (carom_impact_result){
      .impulse = outcome.impulse,
      .after = outcome.after,
      .compression = outcome.impulse,
      .modes = outcome.modes,
      .unique = true,
      .energy = outcome.energy,
      .rubbed = outcome.rubbed,
      .log = outcome.log,
      .logged = outcome.events < CAROM_ENERGETIC_LOG ? outcome.events : CAROM_ENERGETIC_LOG};
  if (status != CAROM_OK) return explain_failure(it, &outcome, status, error);
  // an impact that was ended before it had finished says what it leaves open
  if (outcome.left > options.tolerance) carom_hybrid_note_open(it, outcome.left);
  return CAROM_OK;
}
