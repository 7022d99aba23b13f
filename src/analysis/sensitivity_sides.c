// SPDX-License-Identifier: MIT
/// Instants whose neighbours come to different sides. Where several contacts strike at once an
/// input that moves their times alike changes nothing of that; by another one the derivative is
/// that of one order of striking, or the motion jumps. At a graze neighbours that strike differ by
/// coefficient sqrt(|dx|) from those that pass.
#include "analysis/sensitivity_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ORDERS = 24 };
static const double ALIKE = 1e-9; // of what the times of two contacts are made of

// the derivative of a time or gap by input j, and what it could be
static double slope_along(const carom_lifted *l, const double *row, int j, double *size) {
  double sum = 0.0;
  for (int k = 0; k < l->size; k++) {
    double part = row[k] * l->directions[k * l->by_count + j];
    sum += part;
    *size += fabs(part);
  }
  return sum;
}

static bool meets_alike(const carom_lifted *l, const carom_meeting *m, int j) {
  double size = 0.0, first = slope_along(l, m->late, j, &size);
  for (int k = 1; k < m->count; k++)
    if (!(fabs(slope_along(l, m->late + k * m->size, j, &size) - first) <= ALIKE * size))
      return false;
  return true;
}

// "a, b"
static const char *join_names(carom_sensitivity *it, const carom_meeting *m) {
  size_t room = 1;
  for (int k = 0; k < m->count; k++)
    room += strlen(m->name[k]) + 2;
  char *text = carom_arena_take(it->arena, room);
  for (int k = 0; k < m->count && text; k++)
    (void)snprintf(text + strlen(text), room - strlen(text), "%s%s", k > 0 ? ", " : "", m->name[k]);
  return text;
}

static bool note_meeting(carom_sensitivity *it, const carom_meeting *m, double t) {
  carom_sensitivity_meetings *met = &it->met;
  if (met->t == t) return true;
  met->t = t;
  for (int j = 0; j < it->lifted->by_count; j++) {
    if (meets_alike(it->lifted, m, j)) continue;
    carom_sensitivity_side side = m->in_turn ? CAROM_SENSITIVITY_ORDERED : CAROM_SENSITIVITY_JUMPS;
    if (side > met->side[j]) met->side[j] = side;
    if (m->count <= met->together || !m->in_turn) continue;
    met->together = m->count;
    met->names = join_names(it, m);
    if (!met->names) return false;
  }
  return true;
}

void carom_sensitivity_own_time(const carom_sensitivity *it, const carom_event *event,
                                double *slopes) {
  const carom_lifted *l = it->lifted;
  const carom_meeting *m = l->model->engine->tangent.meeting(it->simulation);
  double size = 0.0;
  for (int k = 0; m && k < m->count && event->kind == CAROM_EVENT_IMPACT; k++)
    for (int j = 0; j < l->by_count && strcmp(m->name[k], event->name) == 0; j++)
      slopes[j] = slope_along(l, m->late + k * m->size, j, &size);
}

// from here on it is the kick alone that is followed
static void follow_kick(carom_sensitivity *it) {
  carom_lifted *l = it->lifted;
  l->model->engine->tangent.kick(it->simulation);
  for (int j = 0; j < l->by_count; j++)
    l->directions[j] = 1.0;
}

static bool note_graze(carom_sensitivity *it, const carom_graze *graze, const carom_event *event) {
  carom_sensitivity_meetings *met = &it->met;
  const carom_lifted *l = it->lifted;
  int size = 0, number = met->grazes;
  if (number == CAROM_SENSITIVITY_GRAZES) return true;
  carom_sensitivity_touch *touch = &met->graze[met->grazes++];
  *touch = (carom_sensitivity_touch){event->name, event->t, NULL};
  touch->strength = carom_sensitivity_numbers(it, (size_t)l->by_count);
  if (!touch->strength) return false;
  const double *matrix = carom_tangent_matrix(it->simulation, &size);
  for (int j = 0; j < l->by_count; j++) {
    double deeper = 0.0, possible = 0.0;
    for (int k = 0; k < size; k++) {
      double part = -graze->slope[k] * slope_along(l, matrix + k * size, j, &possible);
      deeper += part;
    }
    double strength = sqrt(2.0 * graze->bend * fabs(deeper));
    touch->strength[j] = deeper < 0.0 ? -strength : strength;
  }
  if (number == met->aside) follow_kick(it);
  return true;
}

bool carom_sensitivity_meet(carom_sensitivity *it, const carom_event *event) {
  const carom_engine_tangent *tangent = &it->lifted->model->engine->tangent;
  const carom_meeting *meeting = tangent->meeting(it->simulation);
  const carom_graze *graze = tangent->graze(it->simulation);
  if (event->kind == CAROM_EVENT_IMPACT && meeting) return note_meeting(it, meeting, event->t);
  if (event->kind == CAROM_EVENT_GRAZE && graze) return note_graze(it, graze, event);
  return true;
}

// ---- the other sides

static double *copy_numbers(carom_sensitivity *it, const double *from, size_t count) {
  double *made = carom_sensitivity_numbers(it, count);
  if (made) memcpy(made, from, count * sizeof *made);
  return made;
}

static carom_status follow_orders(const carom_sensitivity_options *o, carom_sensitivity *it,
                                  carom_error *error) {
  long count = 1;
  for (int k = 2; k <= it->met.together && count <= MOST_ORDERS; k++)
    count *= k;
  if (count < 2 || count > MOST_ORDERS) return CAROM_OK;
  size_t slopes = (size_t)o->of_count * (size_t)o->by_count;
  carom_sensitivity_order *orders = carom_arena_array(it->arena, (size_t)count, sizeof *orders);
  if (!orders) return carom_fail_memory(error);
  for (long k = 0; k < count; k++) {
    carom_sensitivity *other = carom_sensitivity_create();
    if (!other) return carom_fail_memory(error);
    other->met.order = k;
    carom_status status = carom_sensitivity_compute(o, other, error);
    if (status == CAROM_OK) {
      const char *names = other->met.names ? other->met.names : "";
      orders[k].slopes = copy_numbers(it, other->view.slopes, slopes);
      orders[k].names = carom_arena_text(it->arena, names, strlen(names));
    }
    bool whole = status != CAROM_OK || (orders[k].slopes && orders[k].names);
    carom_sensitivity_destroy(other);
    if (status != CAROM_OK || !whole) return whole ? status : carom_fail_memory(error);
  }
  it->view.order_count = (int)count;
  it->view.orders = orders;
  return CAROM_OK;
}

// coefficients of the neighbours that strike at graze g
static carom_status follow_graze(const carom_sensitivity_options *o, carom_sensitivity *it, int g,
                                 carom_sensitivity_graze *graze, carom_error *error) {
  const carom_sensitivity_touch *touch = &it->met.graze[g];
  size_t slopes = (size_t)o->of_count * (size_t)o->by_count;
  double *coefficients = carom_sensitivity_numbers(it, slopes);
  double *strikes = carom_sensitivity_numbers(it, (size_t)o->by_count);
  if (!coefficients || !strikes) return carom_fail_memory(error);
  carom_sensitivity *other = carom_sensitivity_create();
  if (!other) return carom_fail_memory(error);
  other->met.aside = g;
  carom_status status = carom_sensitivity_compute(o, other, error);
  for (int j = 0; j < o->by_count && status == CAROM_OK; j++) {
    double strength = touch->strength[j];
    strikes[j] = strength > 0.0 ? 1.0 : strength < 0.0 ? -1.0 : 0.0;
    for (int k = 0; k < o->of_count; k++) {
      int at = k * o->by_count + j;
      coefficients[at] = strength != 0.0 ? other->view.slopes[at] * fabs(strength) : 0.0;
    }
  }
  carom_sensitivity_destroy(other);
  *graze = (carom_sensitivity_graze){touch->name, touch->t, strikes, coefficients};
  return status;
}

carom_status carom_sensitivity_follow_sides(const carom_sensitivity_options *o,
                                            carom_sensitivity *it, carom_error *error) {
  carom_status status = it->met.together > 1 ? follow_orders(o, it, error) : CAROM_OK;
  if (status != CAROM_OK || it->met.grazes == 0) return status;
  carom_sensitivity_graze *grazes =
      carom_arena_array(it->arena, (size_t)it->met.grazes, sizeof *grazes);
  if (!grazes) return carom_fail_memory(error);
  for (int g = 0; g < it->met.grazes && status == CAROM_OK; g++)
    status = follow_graze(o, it, g, &grazes[g], error);
  it->view.graze_count = it->met.grazes;
  it->view.grazes = grazes;
  return status;
}
