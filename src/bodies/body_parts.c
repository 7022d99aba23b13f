// SPDX-License-Identifier: MIT
// Several shapes on one body. Each is a body of its own that moves with the whole: contacts and
// pictures see it as one. Mass, mass centre and inertia are sums over them (Steiner's theorem); in
// space the tensor of inertia may have products, which the kinetic energy then has too.
#include "bodies/body_writer.h"

#include <string.h>

// part of the tensor of inertia, about the body's axes and the mass centre of all:
// sum of J_k (e_k e_k) and of its products + m (c^2 1 - c c)
static const char *tensor_element(carom_body_writer *w, const carom_body *part, carom_text_vector c,
                                  int i, int j) {
  carom_texts *texts = &w->texts;
  const char *own = "0", *away = carom_product(texts, c.c[i], c.c[j]);
  for (int k = 0; k < 3; k++) {
    const char *const *axis = part->start_turn.axis[k].c;
    own =
        carom_sum(texts, own,
                  carom_product(texts, part->inertia.c[k], carom_product(texts, axis[i], axis[j])));
    const char *const *p = part->start_turn.axis[(k + 1) % 3].c,
                      *const *q = part->start_turn.axis[(k + 2) % 3].c;
    own = carom_sum(texts, own,
                    carom_product(texts, part->products.c[k],
                                  carom_sum(texts, carom_product(texts, p[i], q[j]),
                                            carom_product(texts, q[i], p[j]))));
    if (i == j && k != i)
      own = carom_sum(texts, own, carom_product(texts, part->mass, carom_square(texts, c.c[k])));
  }
  return i == j ? own : carom_difference(texts, own, carom_product(texts, part->mass, away));
}

static const char *derive_number(carom_body_writer *w, const carom_body *body, const char *what,
                                 int k, const char *text) {
  if (strcmp(text, "0") == 0) return text;
  return carom_body_derived(
      w, k ? carom_say(&w->texts, "%s.%s%d", body->name, what, k) : carom_body_named(w, body, what),
      text);
}

static void add_up(carom_body_writer *w, carom_body *body) {
  carom_texts *texts = &w->texts;
  const char *mass = "0", *inertia[3] = {"0", "0", "0"}, *products[3] = {"0", "0", "0"};
  carom_text_vector moment = carom_vector("0", "0", "0"), centre;
  for (int p = 0; p < body->part_count; p++) {
    const carom_body *part = &body->parts[p];
    mass = carom_sum(texts, mass, part->mass);
    moment = carom_vector_sum(texts, moment, carom_vector_times(texts, part->mass, part->start));
  }
  body->mass = derive_number(w, body, "mass", 0, mass);
  body->inertia = carom_vector("0", "0", "0");
  for (int k = 0; k < 3; k++)
    centre.c[k] =
        derive_number(w, body, "centre", k + 1, carom_quotient(texts, moment.c[k], body->mass));
  for (int p = 0; p < body->part_count; p++) {
    carom_body *part = &body->parts[p];
    part->start = carom_vector_difference(texts, part->start, centre);
    for (int k = 0; k < 3; k++) {
      inertia[k] = carom_sum(texts, inertia[k], tensor_element(w, part, part->start, k, k));
      if (w->space)
        products[k] = carom_sum(texts, products[k],
                                tensor_element(w, part, part->start, (k + 1) % 3, (k + 2) % 3));
    }
  }
  for (int k = w->space ? 0 : 2; k < 3; k++) {
    body->inertia.c[k] = derive_number(w, body, "inertia", w->space ? k + 1 : 0, inertia[k]);
    body->products.c[k] = derive_number(w, body, "product", k + 1, products[k]);
  }
}

static carom_status check_parts(const carom_body_writer *w, const carom_body *body,
                                const carom_yaml *parts) {
  const carom_yaml *mass = carom_yaml_get(body->map, "mass"),
                   *inertia = carom_yaml_get(body->map, "inertia");
  if (body->shape_name)
    return carom_body_fail(w, parts, "bodies.%s has parts and is a %s: one of them", body->name,
                           body->shape_name);
  if (parts->kind != CAROM_YAML_MAP || parts->count == 0)
    return carom_body_fail(w, parts, "bodies.%s.parts needs names with shapes: {head: {disc: 1}}",
                           body->name);
  if (body->moves && !mass != !inertia)
    return carom_body_fail(w, mass ? mass : inertia,
                           "bodies.%s has parts: give mass and inertia of the whole, or neither, "
                           "and mass or density of its parts",
                           body->name);
  return CAROM_OK;
}

static carom_status read_part(carom_body_writer *w, const carom_body *body, carom_body *part,
                              bool weighs) {
  part->owner = body;
  part->moves = weighs; // to be read as one with a mass
  carom_status status = carom_body_read_start(w, part);
  if (status == CAROM_OK) status = carom_body_read_shape(w, part);
  part->moves = body->moves;
  if (status != CAROM_OK) return status;
  if (part->shape == CAROM_SHAPE_NONE || part->shape == CAROM_SHAPE_PLANE ||
      part->shape == CAROM_SHAPE_CUP || part->shape == CAROM_SHAPE_TUBE)
    return carom_body_fail(w, part->map, "bodies.%s %s: a part is a shape with a mass", part->name,
                           part->shape_name ? "cannot be a plane or cup" : "has no shape");
  return CAROM_OK;
}

carom_status carom_body_read_parts(carom_body_writer *w, carom_body *body) {
  const carom_yaml *parts = carom_yaml_get(body->map, "parts");
  bool weighs = body->moves && !carom_yaml_get(body->map, "mass");
  carom_status status = check_parts(w, body, parts);
  if (status != CAROM_OK) return status;
  body->parts = carom_arena_array(w->texts.arena, (size_t)parts->count, sizeof *body->parts);
  if (!body->parts) return carom_fail_memory(w->error);
  body->part_count = parts->count;
  for (int p = 0; p < parts->count && status == CAROM_OK; p++) {
    body->parts[p] =
        (carom_body){.name = carom_say(&w->texts, "%s.%s", body->name, parts->keys[p]),
                     .label = carom_say(&w->texts, "%s_%s", body->name, parts->keys[p]),
                     .map = parts->values[p],
                     .place = parts->key_places[p]};
    status = read_part(w, body, &body->parts[p], weighs);
  }
  if (status == CAROM_OK && weighs) add_up(w, body);
  return status;
}

void carom_body_place_parts(carom_body_writer *w, carom_body *body) {
  carom_texts *texts = &w->texts;
  for (int p = 0; p < body->part_count; p++) {
    carom_body *part = &body->parts[p];
    carom_text_vector arm =
        carom_body_short_vector(w, carom_turn_out(texts, &body->turn, part->start));
    part->at = carom_vector_sum(texts, body->at, arm);
    part->velocity = carom_body_speed_at(w, body, arm);
    part->spin = body->spin;
    for (int k = 0; k < 3; k++)
      part->turn.axis[k] =
          carom_body_short_vector(w, carom_turn_out(texts, &body->turn, part->start_turn.axis[k]));
  }
}
