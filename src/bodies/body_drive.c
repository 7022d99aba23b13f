// SPDX-License-Identifier: MIT
// What acts along the one direction that a hinge or slider leaves free: limits are contacts, a
// spring is an energy, a damper a dissipation, dry friction a contact with a given load, a motor a
// constraint on the rate or a force on both bodies.
#include "bodies/body_writer.h"

#include <string.h>

static const char *const keys[] = {"limits",  "impact", "stiffness", "rest",
                                   "damping", "motor",  "friction"};

bool carom_joint_is_driven(const carom_yaml *map) {
  for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
    if (carom_yaml_get(map, keys[k])) return true;
  return false;
}

static const char *of_joint(carom_body_writer *w, const carom_joint_drive *d, const char *what) {
  return carom_say(&w->texts, "%s.%s", d->name, what);
}

static carom_status put_contact(carom_body_writer *w, const carom_joint_drive *d, const char *what,
                                carom_yaml *contact) {
  carom_yaml *contacts = carom_body_section(w, "contacts");
  const char *name = carom_say(&w->texts, "%s_%s", d->name, what);
  if (contacts && carom_yaml_get(contacts, name))
    return carom_body_fail(w, d->map, "two contacts are called '%s': joints.%s makes one of them",
                           name, d->name);
  carom_body_put(w, contacts, name, contact);
  return CAROM_OK;
}

static carom_status write_limits(carom_body_writer *w, const carom_joint_drive *d) {
  static const char *const ends[] = {"low", "high"};
  const carom_yaml *limits = carom_yaml_get(d->map, "limits"),
                   *impact = carom_yaml_get(d->map, "impact");
  if (impact && !limits)
    return carom_body_fail(w, impact, "joints.%s has no limits at which it could strike", d->name);
  if (!limits) return CAROM_OK;
  double low, high;
  if (limits->kind != CAROM_YAML_LIST || limits->count != 2)
    return carom_body_fail(w, limits, "joints.%s.limits needs a list of 2 numbers: [low, high]",
                           d->name);
  if (carom_body_literal(limits->values[0], &low) && carom_body_literal(limits->values[1], &high) &&
      low >= high)
    return carom_body_fail(w, limits, "joints.%s.limits leave nothing between them", d->name);
  for (int k = 0; k < 2; k++) {
    const char *end = carom_body_number(w, of_joint(w, d, ends[k]), limits->values[k]);
    carom_yaml *contact = carom_yaml_map(w->texts.arena, w->place);
    carom_body_put_text(w, contact, "gap",
                        k ? carom_difference(&w->texts, end, d->gone)
                          : carom_difference(&w->texts, d->gone, end));
    if (impact) carom_body_put(w, contact, "impact", (carom_yaml *)impact);
    carom_status status = put_contact(w, d, ends[k], contact);
    if (status != CAROM_OK) return status;
  }
  return CAROM_OK;
}

static carom_status write_spring(carom_body_writer *w, const carom_joint_drive *d) {
  const carom_yaml *stiffness = carom_yaml_get(d->map, "stiffness"),
                   *rest = carom_yaml_get(d->map, "rest"),
                   *damping = carom_yaml_get(d->map, "damping");
  if (rest && !stiffness)
    return carom_body_fail(w, rest, "joints.%s has no stiffness: nothing comes to rest there",
                           d->name);
  if (stiffness) {
    const char *k = carom_body_number(w, of_joint(w, d, "stiffness"), stiffness);
    const char *at = rest ? carom_body_number(w, of_joint(w, d, "rest"), rest) : "0";
    carom_body_add_term(
        w, "energy", "potential",
        carom_say(&w->texts, "%s*%s^2/2", k,
                  strcmp(at, "0") == 0 ? d->gone : carom_difference(&w->texts, d->gone, at)));
  }
  if (damping)
    carom_body_add_term(w, "energy", "dissipation",
                        carom_say(&w->texts, "%s*%s'^2/2",
                                  carom_body_number(w, of_joint(w, d, "damping"), damping),
                                  d->gone));
  return CAROM_OK;
}

static carom_status write_friction(carom_body_writer *w, const carom_joint_drive *d) {
  const carom_yaml *friction = carom_yaml_get(d->map, "friction");
  if (!friction) return CAROM_OK;
  carom_yaml *contact = carom_yaml_map(w->texts.arena, w->place);
  carom_body_put(w, contact, "normal", (carom_yaml *)friction);
  carom_body_put_text(w, contact, "slip", carom_say(&w->texts, "%s'", d->gone));
  carom_body_put_text(w, contact, "friction", "1");
  return put_contact(w, d, "friction", contact);
}

static void write_effort(carom_body_writer *w, const carom_joint_drive *d,
                         const carom_yaml *value) {
  carom_texts *texts = &w->texts;
  const carom_text_vector none = carom_vector("0", "0", "0");
  const char *effort = of_joint(w, d, "effort");
  carom_body_put(w, carom_body_section(w, "define"), effort, (carom_yaml *)value);
  carom_text_vector along = carom_vector_times(texts, effort, d->axis);
  for (int k = 0; k < 2; k++) { // on the second body the other way
    carom_text_vector given = k ? carom_vector_difference(texts, none, along) : along;
    carom_text_vector arm = carom_vector_difference(texts, d->place, d->bodies[k]->at);
    carom_body_push(w, d->bodies[k], d->turns ? none : given,
                    d->turns ? given : carom_vector_cross(texts, arm, given));
  }
}

static carom_status write_motor(carom_body_writer *w, const carom_joint_drive *d) {
  const carom_yaml *motor = carom_yaml_get(d->map, "motor");
  if (!motor) return CAROM_OK;
  const carom_yaml *rate = carom_yaml_get(motor, "rate"),
                   *effort = carom_yaml_get(motor, d->turns ? "torque" : "force");
  if (motor->kind != CAROM_YAML_MAP || motor->count != 1 || (!rate && !effort))
    return carom_body_fail(w, motor, "joints.%s.motor needs one of rate and %s", d->name,
                           d->turns ? "torque" : "force");
  if (effort) write_effort(w, d, effort);
  if (!rate) return CAROM_OK;
  const char *wanted = of_joint(w, d, "rate"), *name = carom_say(&w->texts, "%s_motor", d->name);
  carom_yaml *constraints = carom_body_section(w, "constraints");
  if (constraints && carom_yaml_get(constraints, name))
    return carom_body_fail(w, motor, "two constraints are called '%s'", name);
  carom_body_put(w, carom_body_section(w, "define"), wanted, (carom_yaml *)rate);
  carom_body_put_text(w, constraints, name, carom_say(&w->texts, "%s' - %s", d->gone, wanted));
  return CAROM_OK;
}

carom_status carom_joint_write_drive(carom_body_writer *w, const carom_joint_drive *drive) {
  carom_status status = write_limits(w, drive);
  if (status == CAROM_OK) status = write_spring(w, drive);
  if (status == CAROM_OK) status = write_friction(w, drive);
  return status == CAROM_OK ? write_motor(w, drive) : status;
}
