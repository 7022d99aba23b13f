// SPDX-License-Identifier: MIT
#include "bodies/bodies.h"
#include "bodies/body_writer.h"

#include <string.h>

static const char *const OWN_KEYS[] = {"bodies", "joints", "gravity"};

static bool is_own(const char *key) {
  for (size_t k = 0; k < sizeof OWN_KEYS / sizeof *OWN_KEYS; k++)
    if (strcmp(key, OWN_KEYS[k]) == 0) return true;
  return false;
}

// A copy of the tree's first two levels, without the keys of bodies: what is added to it leaves the
// written one as it is.
static carom_yaml *copy_tree(carom_body_writer *w) {
  const carom_yaml *from = w->document->root;
  carom_yaml *to = carom_yaml_map(w->texts.arena, from->place);
  for (int k = 0; to && k < from->count; k++) {
    carom_yaml *value = from->values[k], *copy = value;
    if (is_own(from->keys[k]) || (w->outlined && strcmp(from->keys[k], "contacts") == 0)) continue;
    w->place = from->key_places[k];
    if (value->kind == CAROM_YAML_LIST)
      copy = carom_yaml_list(w->texts.arena, value->place, value->count, value->values);
    if (value->kind == CAROM_YAML_MAP) {
      copy = carom_yaml_map(w->texts.arena, value->place);
      for (int j = 0; copy && j < value->count; j++) {
        w->place = value->key_places[j];
        carom_body_put(w, copy, value->keys[j], value->values[j]);
      }
    }
    carom_body_put(w, to, from->keys[k], copy);
  }
  return to;
}

bool carom_bodies_are_in_space(const carom_yaml *bodies) {
  static const char *const lists[] = {"at", "velocity", "plane", "box", "inertia"};
  static const char *const solids[] = {"sphere",     "coin", "cylinder", "ellipsoid",
                                       "polyhedron", "tube", "hull"};
  for (int b = 0; b < bodies->count; b++) {
    const carom_yaml *parts = carom_yaml_get(bodies->values[b], "parts");
    if (parts && carom_bodies_are_in_space(parts)) return true;
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) {
      const carom_yaml *list = carom_yaml_get(bodies->values[b], lists[k]);
      if (list && list->kind == CAROM_YAML_LIST && list->count >= 2) return list->count >= 3;
    }
    for (size_t k = 0; k < sizeof solids / sizeof *solids; k++)
      if (carom_yaml_get(bodies->values[b], solids[k])) return true;
  }
  return false;
}

static bool says_yes(const carom_yaml *value) {
  return value && value->kind == CAROM_YAML_SCALAR &&
         (strcmp(value->text, "yes") == 0 || strcmp(value->text, "true") == 0);
}

static carom_status begin_writing(carom_body_writer *w, const carom_yaml *bodies) {
  w->space = carom_bodies_are_in_space(bodies);
  w->body_count = bodies->count;
  w->bodies = carom_arena_array(w->texts.arena, (size_t)bodies->count, sizeof *w->bodies);
  w->root = copy_tree(w);
  if (!w->bodies || !w->root) return carom_fail_memory(w->error);
  for (int k = 0; k < bodies->count; k++) {
    const carom_yaml *map = bodies->values[k];
    bool held = carom_yaml_get(map, "plane") || carom_yaml_get(map, "cup") ||
                carom_yaml_get(map, "tube") || carom_yaml_get(map, "moved");
    w->bodies[k] = (carom_body){.name = bodies->keys[k],
                                .label = bodies->keys[k],
                                .map = map,
                                .place = bodies->key_places[k],
                                .moves = !held && !says_yes(carom_yaml_get(map, "fixed"))};
  }
  return CAROM_OK;
}

static carom_status read_gravity(carom_body_writer *w) {
  const carom_yaml *gravity = carom_yaml_get(w->document->root, "gravity");
  carom_text_vector unused;
  if (!gravity) return CAROM_OK;
  w->place = gravity->place;
  if (gravity->kind == CAROM_YAML_LIST) return carom_body_vector(w, gravity, "gravity", &unused);
  (void)carom_body_number(w, "gravity", gravity);
  // -9.81 would make things fall upwards
  if (gravity->text[0] == '-')
    return carom_fail_at(w->error, CAROM_ERR_INPUT, gravity->place,
                         "gravity is how strongly things are pulled down, as in gravity: 9.81; "
                         "another direction is a list: gravity: %s",
                         w->space ? "[0, 0, 9.81]" : "[0, 9.81]");
  return CAROM_OK;
}

// joints and gravity without a body would do nothing
static carom_status refuse_alone(const carom_document *document, carom_error *error) {
  for (size_t k = 0; k < sizeof OWN_KEYS / sizeof *OWN_KEYS; k++) {
    const carom_yaml *value = carom_yaml_get(document->root, OWN_KEYS[k]);
    if (value)
      return carom_fail_at(error, CAROM_ERR_INPUT, value->place,
                           "'%s' is about bodies, and there are none; a parameter of that name "
                           "stands below parameters",
                           OWN_KEYS[k]);
  }
  return CAROM_OK;
}

// coordinates, names and drawings; then `rest`, if there is one
static carom_status write_bodies(carom_body_writer *w, const carom_yaml *bodies,
                                 carom_status (*rest)(carom_body_writer *w)) {
  bool draws = !carom_yaml_get(w->document->root, "shapes");
  carom_status status = begin_writing(w, bodies);
  if (status == CAROM_OK) status = read_gravity(w);
  for (int k = 0; status == CAROM_OK && k < w->body_count; k++)
    status = carom_body_write_motion(w, &w->bodies[k]);
  if (status == CAROM_OK && rest) status = rest(w);
  for (int k = 0; status == CAROM_OK && draws && k < w->body_count; k++) {
    carom_body_draw(w, &w->bodies[k]);
    for (int p = 0; p < w->bodies[k].part_count; p++)
      carom_body_draw(w, &w->bodies[k].parts[p]);
  }
  if (status == CAROM_OK && w->texts.failed) status = carom_fail_memory(w->error);
  if (status != CAROM_OK) return status;
  w->document->written = w->document->root;
  w->document->root = w->root;
  return CAROM_OK;
}

static carom_status write_forces(carom_body_writer *w) {
  carom_status status = CAROM_OK;
  for (int k = 0; status == CAROM_OK && k < w->body_count; k++) {
    w->place = w->bodies[k].place;
    status = carom_body_write_forces(w, &w->bodies[k]);
  }
  return status;
}

static carom_status write_contacts_and_joints(carom_body_writer *w) {
  carom_status status = write_forces(w);
  if (status == CAROM_OK) status = carom_body_write_contacts(w);
  return status == CAROM_OK ? carom_body_write_joints(w) : status;
}

carom_status carom_bodies_expand(carom_document *document, carom_error *error) {
  const carom_yaml *bodies = carom_yaml_get(document->root, "bodies");
  if (!bodies) return refuse_alone(document, error);
  carom_body_writer w = {.document = document,
                         .error = error,
                         .texts = {.arena = document->arena},
                         .place = bodies->place};
  return write_bodies(&w, bodies, write_contacts_and_joints);
}

// ---- outlines

static void copy_vector(const char *to[3], const carom_text_vector *from) {
  for (int k = 0; k < 3; k++)
    to[k] = from->c[k];
}

// what an outline does not tell would be passed over in silence
static carom_status check_outline(const carom_body_writer *w, const carom_body *body) {
  static const char *const told[] = {
      "disc",      "box",        "polygon", "capsule", "sphere",   "coin",    "cylinder",
      "ellipsoid", "polyhedron", "plane",   "cup",     "mass",     "at",      "density",
      "inertia",   "turn",       "spin",    "fixed",   "velocity", "moved",   "points",
      "hull",      "scale",      "corners", "forces",  "drag",     "supports"};
  for (int k = 0; k < body->map->count; k++) {
    bool found = false;
    for (size_t i = 0; i < sizeof told / sizeof *told; i++)
      found = found || strcmp(body->map->keys[k], told[i]) == 0;
    if (!found)
      return carom_body_fail(w, body->map->values[k],
                             "bodies.%s: run.method: stepping does not know '%s' of bodies",
                             body->name, body->map->keys[k]);
  }
  bool skew = false;
  for (int k = 0; k < 3; k++)
    skew = skew || (body->products.c[k] && strcmp(body->products.c[k], "0") != 0);
  if (!skew && body->part_count == 0) return CAROM_OK;
  return carom_body_fail(w, body->map,
                         "bodies.%s: run.method: stepping wants one shape, and inertia about the "
                         "axes of the body",
                         body->name);
}

static carom_status outline_body(carom_body_writer *w, const carom_body *body,
                                 carom_body_outline *to) {
  carom_status status = check_outline(w, body);
  if (status != CAROM_OK) return status;
  *to = (carom_body_outline){.name = body->name,
                             .place = body->place,
                             .moves = body->moves,
                             .shape = body->shape_name,
                             .mass = body->mass,
                             .drag = carom_yaml_get(body->map, "drag") && body->moves
                                         ? carom_body_named(w, body, "drag")
                                         : "0",
                             .hollow = body->hollow,
                             .corner_count = body->corner_count,
                             .radius = body->corner_count ? body->corners[0].radius : "0",
                             .size = body->size[0],
                             .half = body->size[1]};
  copy_vector(to->at, &body->at);
  copy_vector(to->velocity, &body->velocity);
  copy_vector(to->spin, &body->spin);
  copy_vector(to->inertia, &body->inertia);
  copy_vector(to->normal, &body->normal);
  for (int k = 0; k < 3; k++)
    copy_vector(to->turn[k], &body->turn.axis[k]);
  to->corners = carom_arena_array(w->texts.arena, (size_t)body->corner_count, sizeof *to->corners);
  if (!to->corners) return carom_fail_memory(w->error);
  for (int k = 0; k < body->corner_count; k++)
    copy_vector(to->corners[k], &body->corners[k].local);
  return CAROM_OK;
}

carom_status carom_bodies_outline(carom_document *document, carom_body_outlines *outlines,
                                  carom_error *error) {
  const carom_yaml *bodies = carom_yaml_get(document->root, "bodies");
  if (!bodies)
    return carom_fail_at(error, CAROM_ERR_UNSUPPORTED, document->root->place,
                         "run.method: stepping moves bodies, and there are none: write `bodies`, "
                         "or leave the method out");
  carom_body_writer w = {.document = document,
                         .error = error,
                         .texts = {.arena = document->arena},
                         .outlined = true,
                         .place = bodies->place};
  carom_status status = write_bodies(&w, bodies, write_forces);
  if (status != CAROM_OK) return status;
  outlines->space = w.space;
  outlines->count = w.body_count;
  outlines->items =
      carom_arena_array(document->arena, (size_t)w.body_count, sizeof *outlines->items);
  if (!outlines->items) return carom_fail_memory(error);
  for (int k = 0; status == CAROM_OK && k < w.body_count; k++)
    status = outline_body(&w, &w.bodies[k], &outlines->items[k]);
  return status;
}
