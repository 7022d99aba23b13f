// SPDX-License-Identifier: MIT
// Forces on bodies: vectors in space that act at points of a body, torques, and drag. A force is
// along the speeds of the body what its power is for speeds of one: F, and r x F with a torque
// about the body's own axes.
#include "bodies/body_writer.h"

#include <string.h>

static const char axes[] = "xyz";

void carom_body_push(carom_body_writer *w, const carom_body *body, carom_text_vector force,
                     carom_text_vector torque) {
  if (!body->moves) return;
  carom_text_vector own = carom_turn_in(&w->texts, &body->turn, torque);
  for (int k = 0; k < (w->space ? 3 : 2); k++)
    carom_body_add_term(w, "forces", carom_say(&w->texts, "%s.%c", body->name, axes[k]),
                        force.c[k]);
  for (int k = 0; w->space && k < 3; k++)
    carom_body_add_term(w, "forces", carom_say(&w->texts, "%s.w%d", body->name, k + 1), own.c[k]);
  if (!w->space) carom_body_add_term(w, "forces", carom_body_named(w, body, "turn"), torque.c[2]);
}

// expressions of somebody as definitions NAME.x ..., whose places in the text are known
static carom_status read_expressions(carom_body_writer *w, const carom_yaml *list, const char *name,
                                     carom_text_vector *vector) {
  int wanted = w->space ? 3 : 2;
  const char *parts[3] = {"0", "0", "0"};
  if (list->kind != CAROM_YAML_LIST || list->count != wanted)
    return carom_body_fail(w, list, "%s needs a list of %d expressions, along the axes %s", name,
                           wanted, w->space ? "x, y, z" : "x, y");
  for (int k = 0; k < wanted; k++) {
    double number;
    if (carom_body_literal(list->values[k], &number) && number == 0.0) continue;
    parts[k] = carom_say(&w->texts, "%s.%c", name, axes[k]);
    carom_body_put(w, carom_body_section(w, "define"), parts[k], list->values[k]);
  }
  *vector = carom_vector(parts[0], parts[1], parts[2]);
  return CAROM_OK;
}

static carom_status read_torque(carom_body_writer *w, const carom_yaml *value, const char *name,
                                carom_text_vector *torque) {
  if (w->space) return read_expressions(w, value, name, torque);
  if (value->kind != CAROM_YAML_SCALAR)
    return carom_body_fail(w, value, "a torque in the plane is one expression");
  carom_body_put(w, carom_body_section(w, "define"), name, (carom_yaml *)value);
  *torque = carom_vector("0", "0", name);
  return CAROM_OK;
}

static carom_status write_force(carom_body_writer *w, const carom_body *body, const char *key,
                                const carom_yaml *map) {
  carom_texts *texts = &w->texts;
  const char *name = carom_body_named(w, body, key);
  const carom_yaml *given = carom_yaml_get(map, "force"), *at = carom_yaml_get(map, "at"),
                   *twist = carom_yaml_get(map, "torque");
  carom_text_vector force = carom_vector("0", "0", "0"), torque = force, local = force;
  carom_status status = CAROM_OK;
  if (!given && !twist)
    return carom_body_fail(w, map, "bodies.%s.forces.%s needs a force or a torque", body->name,
                           key);
  if (at && !given)
    return carom_body_fail(w, at, "bodies.%s.forces.%s: a torque acts at no point", body->name,
                           key);
  if (given) status = read_expressions(w, given, carom_say(texts, "%s.force", name), &force);
  if (status == CAROM_OK && twist)
    status = read_torque(w, twist, carom_say(texts, "%s.torque", name), &torque);
  if (status == CAROM_OK && at)
    status = carom_body_vector(w, at, carom_say(texts, "%s.at", name), &local);
  if (status != CAROM_OK) return status;
  carom_text_vector arm = carom_turn_out(texts, &body->turn, local);
  carom_body_push(w, body, force,
                  carom_vector_sum(texts, torque, carom_vector_cross(texts, arm, force)));
  return CAROM_OK;
}

carom_status carom_body_write_forces(carom_body_writer *w, const carom_body *body) {
  const carom_yaml *forces = carom_yaml_get(body->map, "forces"),
                   *drag = carom_yaml_get(body->map, "drag");
  carom_status status = CAROM_OK;
  if ((forces || drag) && !body->moves && !carom_yaml_get(body->map, "fixed"))
    return carom_body_fail(w, forces ? forces : drag,
                           "bodies.%s does not move by itself: no force acts on it", body->name);
  for (int k = 0; forces && k < forces->count && status == CAROM_OK; k++)
    if (body->moves) status = write_force(w, body, forces->keys[k], forces->values[k]);
  if (!drag || !body->moves) return status;
  const char *much = carom_body_number(w, carom_body_named(w, body, "drag"), drag);
  carom_body_add_term(w, "energy", "dissipation",
                      carom_say(&w->texts, "%s*(%s)/2", much,
                                carom_vector_dot(&w->texts, body->velocity, body->velocity)));
  return status;
}
