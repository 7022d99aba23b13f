// SPDX-License-Identifier: MIT
// Who touches whom.
#include "robot/robot_sheet.h"

#include <math.h>
#include <string.h>

static const char *const kind_names[] = {"sphere",    "box",   "capsule", "cylinder",
                                         "ellipsoid", "plane", "hull"};

// pairs of shapes whose gaps are known: docs/bodies.md
static bool is_known(carom_robot_shape_kind a, carom_robot_shape_kind b) {
  if (b == CAROM_ROBOT_PLANE || a == CAROM_ROBOT_PLANE) return a != b;
  carom_robot_shape_kind other = a == CAROM_ROBOT_SPHERE ? b : a;
  bool line = a == CAROM_ROBOT_CAPSULE || b == CAROM_ROBOT_CAPSULE;
  if (line && a != CAROM_ROBOT_SPHERE && b != CAROM_ROBOT_SPHERE)
    return a == b || a == CAROM_ROBOT_BOX || b == CAROM_ROBOT_BOX;
  return (a == CAROM_ROBOT_SPHERE || b == CAROM_ROBOT_SPHERE) && other != CAROM_ROBOT_ELLIPSOID &&
         other != CAROM_ROBOT_HULL;
}

static bool shapes_meet(const carom_robot_shape *a, const carom_robot_shape *b) {
  return (a->groups & b->meets) || (b->groups & a->meets);
}

static bool is_excluded(const carom_robot_sheet *sheet, const carom_robot_body *a,
                        const carom_robot_body *b) {
  const carom_robot *robot = sheet->robot;
  for (int k = 0; k < robot->tie_count; k++) {
    const carom_robot_tie *tie = &robot->ties[k];
    int found[2] = {-1, -1};
    if (tie->kind != CAROM_ROBOT_EXCLUDE) continue;
    for (int i = 0; i < robot->link_count; i++) {
      if (strcmp(robot->links[i].name, tie->first) == 0) found[0] = robot->links[i].whole;
      if (strcmp(robot->links[i].name, tie->second) == 0) found[1] = robot->links[i].whole;
    }
    if ((found[0] == a->link && found[1] == b->link) ||
        (found[1] == a->link && found[0] == b->link))
      return true;
  }
  return false;
}

// neighbours in the chain do not touch, unless one of them is fixed
static bool may_touch(const carom_robot_sheet *sheet, const carom_robot_body *a,
                      const carom_robot_body *b) {
  const carom_robot *robot = sheet->robot;
  if (!a->moves && !b->moves) return false;
  if (a->link < 0 || b->link < 0) return true; // the floor
  if (a->moves && b->moves) {
    if (!robot->selfish) return false;
    if (robot->links[a->link].parent == b->link || robot->links[b->link].parent == a->link)
      return false;
  }
  return (robot->selfish || !a->moves != !b->moves) && !is_excluded(sheet, a, b);
}

// the friction of a pair, below 0 where there is no contact
static double friction_of(carom_robot_sheet *sheet, const carom_robot_body *a,
                          const carom_robot_body *b) {
  double friction = -1.0;
  int meeting = 0, known = 0;
  bool other = false;
  if (!may_touch(sheet, a, b)) return friction;
  for (int i = 0; i < a->shape_count; i++)
    for (int j = 0; j < b->shape_count; j++) {
      const carom_robot_shape *p = a->shapes[i], *q = b->shapes[j];
      if (!shapes_meet(p, q)) continue;
      double own = fmax(p->friction, q->friction);
      meeting++;
      known += is_known(p->kind, q->kind);
      if (!is_known(p->kind, q->kind))
        carom_robot_note(sheet->robot, p->place, "contacts of a %s with a %s", kind_names[p->kind],
                         kind_names[q->kind]);
      other = other || (friction >= 0.0 && own != friction);
      friction = fmax(friction, own);
    }
  if (meeting == 0 || known < meeting) return -1.0;
  if (meeting < a->shape_count * b->shape_count || other)
    carom_robot_note(sheet->robot, a->shapes[0]->place,
                     "shapes of '%s' and '%s' that differ in friction or in what they touch: all "
                     "of them touch, with the largest friction",
                     a->name, b->name);
  return friction;
}

// one entry for each friction that body k has with those behind it
static void put_body(carom_robot_sheet *sheet, int k, bool *begun) {
  const carom_robot_body *body = &sheet->bodies[k];
  int count = sheet->body_count, entries = 0;
  double *mu = carom_arena_array(sheet->robot->arena, (size_t)count + 1, sizeof *mu);
  sheet->failed = sheet->failed || !mu;
  for (int j = k + 1; mu && j < count; j++)
    mu[j] = friction_of(sheet, body, &sheet->bodies[j]);
  for (int j = k + 1; mu && j < count; j++) {
    double own = mu[j];
    bool first = true;
    if (own < 0.0) continue;
    if (!*begun) carom_robot_put(sheet, "contacts:\n");
    *begun = true;
    carom_robot_put(sheet, "  %s_touches", body->name);
    if (++entries > 1) carom_robot_put(sheet, "_%d", entries);
    carom_robot_put(sheet, ": {between: [%s, [", body->name);
    for (int i = j; i < count; i++) {
      if (mu[i] != own) continue;
      carom_robot_put(sheet, "%s%s", first ? "" : ", ", sheet->bodies[i].name);
      first = false;
      mu[i] = -1.0;
    }
    carom_robot_put(sheet, "]], friction: %s, impact: 0}\n", carom_robot_exact(sheet, own));
  }
}

void carom_robot_put_contacts(carom_robot_sheet *sheet) {
  bool begun = false;
  for (int k = 0; sheet->robot->touching && k < sheet->body_count; k++)
    put_body(sheet, k, &begun);
}
