// SPDX-License-Identifier: MIT
// Bodies for the engine `stepping`: what the texts of their outlines, their contacts and joints
// stand for. Whatever else a scenario may have is refused here, with the reason.
#include "bodies/bodies.h"
#include "scenario/load.h"

#include <string.h>

// ---- expressions

static carom_status load_text(carom_loader *loader, const char *text, carom_place place,
                              const char *what, unsigned kinds, carom_node *node) {
  carom_yaml *scalar = carom_yaml_scalar(loader->arena, text ? text : "0", place);
  if (!scalar) return carom_fail_memory(loader->error);
  carom_rules rules = {.what = what, .kinds = kinds};
  return carom_load_expression(loader, scalar, &rules, node);
}

static carom_status load_texts(carom_loader *loader, const char *const *texts, int count,
                               const carom_stepping_body *body, unsigned kinds, carom_node *nodes) {
  const char *what = carom_loader_path(loader, "bodies.%s", body->name);
  carom_status status = CAROM_OK;
  for (int k = 0; !status && k < count; k++)
    status = load_text(loader, texts[k], body->place, what, kinds, &nodes[k]);
  return status;
}

static carom_status load_number(carom_loader *loader, const carom_yaml *value, const char *what,
                                carom_node *node) {
  carom_rules rules = {.what = what,
                       .kinds = CAROM_KINDS_FIXED,
                       .hint = "with run.method: stepping it is a number for the whole run"};
  return carom_load_expression(loader, value, &rules, node);
}

// a list of two or three numbers; the third is 0 in the plane
static carom_status load_list(carom_loader *loader, const carom_yaml *list, const char *what,
                              carom_node *nodes) {
  int wanted = loader->scenario->described.stepping->space ? 3 : 2;
  if (list->kind != CAROM_YAML_LIST || list->count != wanted)
    return carom_fail_at(loader->error, CAROM_ERR_INPUT, list->place,
                         "%s needs a list of %d numbers", what, wanted);
  carom_status status = CAROM_OK;
  nodes[2] = carom_node_constant(loader->graph, 0.0);
  for (int k = 0; !status && k < wanted; k++)
    status = load_number(loader, list->values[k], what, &nodes[k]);
  return status;
}

// ---- bodies

static carom_solid_kind kind_of(const carom_body_outline *from, bool space) {
  static const struct {
    const char *shape;
    carom_solid_kind plane, space;
  } kinds[] = {{"disc", CAROM_SOLID_ROUND, CAROM_SOLID_NONE},
               {"sphere", CAROM_SOLID_NONE, CAROM_SOLID_ROUND},
               {"capsule", CAROM_SOLID_ROUND, CAROM_SOLID_ROUND},
               {"box", CAROM_SOLID_HULL, CAROM_SOLID_HULL},
               {"polygon", CAROM_SOLID_HULL, CAROM_SOLID_NONE},
               {"polyhedron", CAROM_SOLID_NONE, CAROM_SOLID_FEET},
               {"hull", CAROM_SOLID_NONE, CAROM_SOLID_FEET},
               {"coin", CAROM_SOLID_NONE, CAROM_SOLID_RIM},
               {"cylinder", CAROM_SOLID_NONE, CAROM_SOLID_RIM},
               {"plane", CAROM_SOLID_PLANE, CAROM_SOLID_PLANE},
               {"cup", CAROM_SOLID_CUP, CAROM_SOLID_CUP}};
  if (from->hollow) return CAROM_SOLID_FEET;
  bool supported = from->corner_count > 0; // a round face that rests on points
  for (size_t k = 0; from->shape && k < sizeof kinds / sizeof *kinds; k++)
    if (strcmp(from->shape, kinds[k].shape) == 0) {
      carom_solid_kind kind = space ? kinds[k].space : kinds[k].plane;
      return kind == CAROM_SOLID_RIM && supported ? CAROM_SOLID_FEET : kind;
    }
  return CAROM_SOLID_NONE;
}

static int index_of(const carom_loader *loader, const char *name) {
  const carom_binding *binding = carom_loader_find(loader, name);
  return binding ? binding->index : -1;
}

static carom_status load_moving(carom_loader *loader, const carom_body_outline *from,
                                carom_stepping_body *to) {
  to->coordinate = index_of(loader, carom_loader_path(loader, "%s.x", from->name));
  if (loader->scenario->described.stepping->space) {
    to->speed = index_of(loader, carom_loader_path(loader, "%s.w1", from->name));
    to->state = index_of(loader, carom_loader_path(loader, "%s.e0", from->name));
  }
  carom_status status = load_texts(loader, &from->mass, 1, to, CAROM_KINDS_FIXED, &to->mass);
  if (!status) status = load_texts(loader, from->inertia, 3, to, CAROM_KINDS_FIXED, to->inertia);
  return status ? status : load_texts(loader, &from->drag, 1, to, CAROM_KINDS_FIXED, &to->drag);
}

static carom_status load_placed(carom_loader *loader, const carom_body_outline *from,
                                carom_stepping_body *to) {
  const unsigned kinds = CAROM_KINDS_FIXED | CAROM_KIND(TIME);
  carom_status status = load_texts(loader, from->at, 3, to, kinds, to->at);
  if (!status) status = load_texts(loader, from->velocity, 3, to, kinds, to->velocity);
  if (!status) status = load_texts(loader, from->spin, 3, to, kinds, to->spin);
  for (int row = 0; !status && row < 3; row++)
    for (int axis = 0; !status && axis < 3; axis++)
      status = load_texts(loader, &from->turn[axis][row], 1, to, kinds, &to->turn[3 * row + axis]);
  return status;
}

// the centres of both faces; a coin has one
static carom_status load_rims(carom_loader *loader, const carom_body_outline *from,
                              carom_stepping_body *to) {
  const char *lower = carom_loader_path(loader, "-(%s)", from->half);
  const char *const centres[2][3] = {{"0", "0", from->half}, {"0", "0", lower}};
  to->corner_count = strcmp(from->half, "0") == 0 ? 1 : 2;
  to->corners = carom_arena_array(loader->arena, (size_t)to->corner_count, sizeof *to->corners);
  if (!to->corners) return carom_fail_memory(loader->error);
  carom_status status = CAROM_OK;
  for (int k = 0; !status && k < to->corner_count; k++)
    status = load_texts(loader, centres[k], 3, to, CAROM_KINDS_FIXED, to->corners[k]);
  return status;
}

static carom_status load_body(carom_loader *loader, const carom_body_outline *from,
                              carom_stepping_body *to) {
  *to = (carom_stepping_body){.name = from->name,
                              .shape = from->shape,
                              .place = from->place,
                              .moves = from->moves,
                              .kind = kind_of(from, loader->scenario->described.stepping->space),
                              .corner_count = from->corner_count};
  carom_status status = from->moves ? load_moving(loader, from, to) : load_placed(loader, from, to);
  if (!status && to->kind == CAROM_SOLID_PLANE)
    status = load_texts(loader, from->normal, 3, to, CAROM_KINDS_FIXED, to->normal);
  bool sized = to->kind == CAROM_SOLID_CUP || to->kind == CAROM_SOLID_RIM;
  const char *radius = sized ? from->size : from->radius;
  if (!status) status = load_texts(loader, &radius, 1, to, CAROM_KINDS_FIXED, &to->radius);
  if (!status && to->kind == CAROM_SOLID_RIM) return load_rims(loader, from, to);
  to->corners = carom_arena_array(loader->arena, (size_t)to->corner_count, sizeof *to->corners);
  if (!to->corners) return carom_fail_memory(loader->error);
  for (int k = 0; !status && k < to->corner_count; k++)
    status = load_texts(loader, from->corners[k], 3, to, CAROM_KINDS_FIXED, to->corners[k]);
  return status;
}

static int find_body(const carom_loader *loader, const carom_yaml *name) {
  const carom_stepping_description *d = loader->scenario->described.stepping;
  for (int k = 0; name->kind == CAROM_YAML_SCALAR && k < d->body_count; k++)
    if (strcmp(d->bodies[k].name, name->text) == 0) return k;
  return -1;
}

// ---- contacts

static carom_status choose_contact(carom_loader *loader, const carom_yaml *value,
                                   const char *contact, bool *chosen) {
  const carom_stepping_description *d = loader->scenario->described.stepping;
  if (value->kind == CAROM_YAML_SCALAR && strcmp(value->text, "all") == 0) {
    for (int k = 0; k < d->body_count; k++)
      chosen[k] = d->bodies[k].shape != NULL;
    return CAROM_OK;
  }
  int count = value->kind == CAROM_YAML_LIST ? value->count : 1;
  for (int k = 0; k < count; k++) {
    const carom_yaml *name = value->kind == CAROM_YAML_LIST ? value->values[k] : value;
    int body = find_body(loader, name);
    if (body < 0)
      return carom_fail_at(loader->error, CAROM_ERR_INPUT, name->place,
                           "contacts.%s: there is no body '%s'", contact,
                           name->kind == CAROM_YAML_SCALAR ? name->text : "[...]");
    chosen[body] = true;
  }
  return CAROM_OK;
}

static bool pair_is_known(const carom_stepping_body *a, const carom_stepping_body *b) {
  if (a->kind > b->kind) return pair_is_known(b, a);
  if (a->kind == CAROM_SOLID_RIM) return b->kind == CAROM_SOLID_PLANE;
  switch (b->kind) {
  case CAROM_SOLID_PLANE:
  case CAROM_SOLID_CUP:
    return a->kind == CAROM_SOLID_ROUND || a->kind == CAROM_SOLID_HULL ||
           a->kind == CAROM_SOLID_FEET;
  case CAROM_SOLID_ROUND:
  case CAROM_SOLID_HULL: return a->kind == CAROM_SOLID_ROUND || a->kind == CAROM_SOLID_HULL;
  default: return false;
  }
}

// every pair of the entry can be dealt with; kinds are few, so the first body of each kind tells
static carom_status check_pairs(carom_loader *loader, const carom_stepping_contact *c,
                                carom_place place) {
  const carom_stepping_description *d = loader->scenario->described.stepping;
  bool any = false;
  for (int a = 0; a < d->body_count; a++)
    for (int b = 0; c->first[a] && b < d->body_count; b++) {
      const carom_stepping_body *one = &d->bodies[a], *two = &d->bodies[b];
      if (!c->second[b] || a == b || (!one->moves && !two->moves)) continue;
      any = true;
      if (pair_is_known(one, two)) continue;
      return carom_fail_at(loader->error, CAROM_ERR_UNSUPPORTED, place,
                           "contacts.%s: stepping knows no contact between '%s' (%s) and '%s' "
                           "(%s); docs/theory-stepping.md lists the pairs it knows",
                           c->name, one->name, one->shape ? one->shape : "without a shape",
                           two->name, two->shape ? two->shape : "without a shape");
    }
  if (any) return CAROM_OK;
  return carom_fail_at(loader->error, CAROM_ERR_INPUT, place,
                       "contacts.%s: no two of these bodies can touch", c->name);
}

static bool share_any(const bool *a, const bool *b, int count) {
  for (int k = 0; k < count; k++)
    if (a[k] && b[k]) return true;
  return false;
}

// two laws for the same pair would leave open which one holds
static carom_status check_others(carom_loader *loader, int k) {
  const carom_stepping_description *d = loader->scenario->described.stepping;
  const carom_stepping_contact *c = &d->contacts[k];
  for (int j = 0; j < k; j++) {
    const carom_stepping_contact *o = &d->contacts[j];
    int n = d->body_count;
    if ((share_any(c->first, o->first, n) && share_any(c->second, o->second, n)) ||
        (share_any(c->first, o->second, n) && share_any(c->second, o->first, n)))
      return carom_fail_at(loader->error, CAROM_ERR_UNSUPPORTED, c->place,
                           "contacts.%s may have a pair of bodies in common with contacts.%s; "
                           "stepping wants one law for a pair",
                           c->name, o->name);
  }
  return CAROM_OK;
}

static carom_status refuse_feature(carom_loader *loader, const carom_yaml *at, const char *what,
                                   const char *why) {
  return carom_fail_at(loader->error, CAROM_ERR_UNSUPPORTED, at->place,
                       "run.method: stepping has no %s: %s", what, why);
}

static carom_status load_law(carom_loader *loader, const carom_yaml *map,
                             carom_stepping_contact *c) {
  const carom_yaml *friction = carom_loader_get(map, "friction");
  const carom_yaml *impact = carom_loader_get(map, "impact");
  c->friction = c->restitution = carom_node_constant(loader->graph, 0.0);
  if (friction && friction->kind == CAROM_YAML_MAP)
    return refuse_feature(loader, friction, "second coefficient of friction",
                          "the scheme has one law for stick, slip and impact; give one number");
  carom_status status = CAROM_OK;
  if (friction)
    status = load_number(loader, friction,
                         carom_loader_path(loader, "contacts.%s.friction", c->name), &c->friction);
  const carom_yaml *e = impact;
  if (!status && impact && impact->kind == CAROM_YAML_MAP) {
    const carom_yaml *law = carom_loader_get(impact, "law");
    for (int k = 0; k < impact->count; k++)
      if (strcmp(impact->keys[k], "law") != 0 && strcmp(impact->keys[k], "e") != 0)
        return refuse_feature(loader, impact->values[k], impact->keys[k],
                              "it has Newton's law in Moreau's form with one number, e");
    if (law && strcmp(law->text, "newton") != 0)
      return refuse_feature(
          loader, law, "other law of impact than Newton's",
          "impacts are not resolved in time, one velocity after the step is all that "
          "Moreau's form asks for");
    e = carom_loader_get(impact, "e");
  }
  if (!status && e)
    status = load_number(loader, e, carom_loader_path(loader, "contacts.%s.impact", c->name),
                         &c->restitution);
  return status;
}

static carom_status load_contact(carom_loader *loader, const carom_yaml *map,
                                 carom_stepping_contact *c) {
  const carom_yaml *between = carom_loader_get(map, "between");
  int bodies = loader->scenario->described.stepping->body_count;
  for (int k = 0; k < map->count; k++)
    if (strcmp(map->keys[k], "between") != 0 && strcmp(map->keys[k], "friction") != 0 &&
        strcmp(map->keys[k], "impact") != 0)
      return refuse_feature(loader, map->values[k], map->keys[k],
                            "its contacts are between bodies, with friction and impact");
  if (!between) return refuse_feature(loader, map, "gap by hand", "write contacts between bodies");
  c->first = carom_arena_array(loader->arena, (size_t)bodies, sizeof *c->first);
  c->second = carom_arena_array(loader->arena, (size_t)bodies, sizeof *c->second);
  if (!c->first || !c->second) return carom_fail_memory(loader->error);
  bool all = between->kind == CAROM_YAML_SCALAR && strcmp(between->text, "all") == 0;
  if (!all && (between->kind != CAROM_YAML_LIST || between->count != 2))
    return carom_fail_at(
        loader->error, CAROM_ERR_INPUT, between->place,
        "contacts.%s.between needs two bodies (or lists of bodies), or the word all", c->name);
  carom_status status =
      choose_contact(loader, all ? between : between->values[0], c->name, c->first);
  if (!status)
    status = choose_contact(loader, all ? between : between->values[1], c->name, c->second);
  if (!status) status = check_pairs(loader, c, between->place);
  return status ? status : load_law(loader, map, c);
}

static carom_status load_contacts(carom_loader *loader, const carom_yaml *root) {
  carom_stepping_description *d = loader->scenario->described.stepping;
  const carom_yaml *map = carom_yaml_get(root, "contacts");
  carom_status status = carom_loader_room(loader, map, CAROM_SCENARIO_MAX_COORDINATES, "contacts",
                                          sizeof *d->contacts, (void **)&d->contacts);
  for (int k = 0; !status && map && k < map->count; k++) {
    d->contacts[k].name = map->keys[k];
    d->contacts[k].place = map->key_places[k];
    status = load_contact(loader, map->values[k], &d->contacts[k]);
    if (!status) status = check_others(loader, k);
    d->contact_count = k + 1;
  }
  return status;
}

// ---- joints

static const struct {
  const char *key;
  carom_stepping_joint_kind plane, space;
} JOINTS[] = {{"hinge", CAROM_STEPPING_BALL, CAROM_STEPPING_HINGE},
              {"ball", CAROM_STEPPING_BALL, CAROM_STEPPING_BALL},
              {"weld", CAROM_STEPPING_WELD, CAROM_STEPPING_WELD},
              {"slider", CAROM_STEPPING_SLIDER, CAROM_STEPPING_SLIDER},
              {"planar", CAROM_STEPPING_PLANAR, CAROM_STEPPING_PLANAR},
              {"universal", CAROM_STEPPING_UNIVERSAL, CAROM_STEPPING_UNIVERSAL},
              {"distance", CAROM_STEPPING_DISTANCE, CAROM_STEPPING_DISTANCE},
              {"spring", CAROM_STEPPING_SPRING, CAROM_STEPPING_SPRING}};

static carom_status load_ends(carom_loader *loader, const carom_yaml *map, const char *what,
                              carom_stepping_joint *j) {
  static const char *const keys[] = {"from", "to"};
  for (int k = 0; k < 2; k++) {
    const carom_yaml *end = carom_loader_get(map, keys[k]);
    if (!end)
      return carom_fail_at(loader->error, CAROM_ERR_INPUT, j->place, "%s needs '%s'", what,
                           keys[k]);
    carom_status status = load_list(loader, end, what, k ? j->other : j->point);
    if (status) return status;
  }
  const struct {
    const char *key;
    carom_node *node;
  } numbers[] = {{j->kind == CAROM_STEPPING_SPRING ? "length" : "distance", &j->length},
                 {"spring", &j->stiffness},
                 {"damping", &j->damping}};
  carom_status status = CAROM_OK;
  for (size_t k = 0; !status && k < sizeof numbers / sizeof *numbers; k++) {
    const carom_yaml *value = carom_loader_get(map, numbers[k].key);
    if (value) status = load_number(loader, value, what, numbers[k].node);
  }
  return status;
}

static carom_status load_direction(carom_loader *loader, const carom_yaml *map, const char *key,
                                   const char *what, carom_node nodes[3]) {
  const carom_yaml *axis = carom_loader_get(map, key);
  if (axis) return load_list(loader, axis, what, nodes);
  return carom_fail_at(loader->error, CAROM_ERR_INPUT, carom_yaml_get(map, "between")->place,
                       "%s needs '%s'", what, key);
}

static carom_status load_kind(carom_loader *loader, const carom_yaml *map, const char *what,
                              carom_stepping_joint *j) {
  bool space = loader->scenario->described.stepping->space;
  const carom_yaml *value = NULL;
  for (size_t k = 0; !value && k < sizeof JOINTS / sizeof *JOINTS; k++) {
    value = carom_loader_get(map, JOINTS[k].key);
    j->kind = space ? JOINTS[k].space : JOINTS[k].plane;
  }
  if (!value)
    return refuse_feature(loader, map, "joint of this kind",
                          "it knows hinge, ball, weld, slider, planar, universal, distance and "
                          "spring");
  if (j->kind == CAROM_STEPPING_DISTANCE || j->kind == CAROM_STEPPING_SPRING)
    return load_ends(loader, map, what, j);
  carom_status status = load_list(loader, value, what, j->point);
  bool crossed = j->kind == CAROM_STEPPING_UNIVERSAL;
  bool solid = crossed || j->kind == CAROM_STEPPING_PLANAR;
  if (solid && !space)
    return carom_fail_at(loader->error, CAROM_ERR_INPUT, value->place,
                         "%s: a joint of this kind is one in space", what);
  if (status || j->kind == CAROM_STEPPING_BALL || j->kind == CAROM_STEPPING_WELD) return status;
  status = load_direction(loader, map, "axis", what, j->axis);
  return status || !crossed ? status : load_direction(loader, map, "across", what, j->other);
}

static carom_status load_joint(carom_loader *loader, const carom_yaml *map,
                               carom_stepping_joint *j) {
  static const char *const known[] = {"between",  "hinge",   "ball",   "weld",      "slider",
                                      "distance", "axis",    "from",   "to",        "spring",
                                      "length",   "damping", "planar", "universal", "across"};
  const char *what = carom_loader_path(loader, "joints.%s", j->name);
  const carom_yaml *between = carom_loader_get(map, "between");
  for (int k = 0; k < map->count; k++) {
    bool found = false;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
      found = found || strcmp(map->keys[k], known[i]) == 0;
    if (!found)
      return refuse_feature(
          loader, map->values[k], carom_loader_path(loader, "'%s' of joints", map->keys[k]),
          "joints hold bodies together or are springs, nothing else acts in them");
  }
  if (!between || between->kind != CAROM_YAML_LIST || between->count != 2)
    return carom_fail_at(loader->error, CAROM_ERR_INPUT, j->place,
                         "%s needs two bodies: between: [a, b]", what);
  for (int k = 0; k < 2; k++) {
    j->bodies[k] = find_body(loader, between->values[k]);
    if (j->bodies[k] < 0)
      return carom_fail_at(loader->error, CAROM_ERR_INPUT, between->values[k]->place,
                           "%s: there is no body of this name", what);
  }
  if (j->bodies[0] == j->bodies[1])
    return carom_fail_at(loader->error, CAROM_ERR_INPUT, between->place,
                         "%s: a joint is between two bodies", what);
  return load_kind(loader, map, what, j);
}

static carom_status load_joints(carom_loader *loader, const carom_yaml *root) {
  carom_stepping_description *d = loader->scenario->described.stepping;
  const carom_yaml *map = carom_yaml_get(root, "joints");
  carom_status status = carom_loader_room(loader, map, CAROM_SCENARIO_MAX_NAMES, "joints",
                                          sizeof *d->joints, (void **)&d->joints);
  for (int k = 0; !status && map && k < map->count; k++) {
    d->joints[k].name = map->keys[k];
    d->joints[k].place = map->key_places[k];
    status = load_joint(loader, map->values[k], &d->joints[k]);
    d->joint_count = k + 1;
  }
  return status;
}

// ---- the whole

static carom_status load_gravity(carom_loader *loader, const carom_yaml *root) {
  carom_stepping_description *d = loader->scenario->described.stepping;
  const carom_yaml *gravity = carom_yaml_get(root, "gravity");
  for (int k = 0; k < 3; k++)
    d->gravity[k] = carom_node_constant(loader->graph, 0.0);
  if (!gravity) return CAROM_OK;
  const char *down = gravity->kind == CAROM_YAML_LIST ? NULL : "-gravity";
  if (down)
    return load_text(loader, down, gravity->place, "gravity", CAROM_KINDS_FIXED,
                     &d->gravity[d->space ? 2 : 1]);
  static const char *const names[] = {"gravity.x", "gravity.y", "gravity.z"};
  carom_status status = CAROM_OK;
  for (int k = 0; !status && k < (d->space ? 3 : 2); k++)
    status =
        load_text(loader, names[k], gravity->place, "gravity", CAROM_KINDS_FIXED, &d->gravity[k]);
  return status;
}

// what would be passed over in silence
static carom_status refuse_others(carom_loader *loader, const carom_yaml *root) {
  static const char *const known[] = {"title",   "engine",   "parameters", "lab",    "run",
                                      "measure", "observe",  "regimes",    "bodies", "gravity",
                                      "joints",  "contacts", "define",     "shapes", "units"};
  for (int k = 0; k < root->count; k++) {
    bool found = false;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
      found = found || strcmp(root->keys[k], known[i]) == 0;
    if (!found)
      return carom_fail_at(loader->error, CAROM_ERR_UNSUPPORTED, root->key_places[k],
                           "run.method: stepping moves bodies with contacts and joints under "
                           "gravity; '%s' is for the event-driven method",
                           root->keys[k]);
  }
  return CAROM_OK;
}

static carom_status load_steps(carom_loader *loader, const carom_yaml *root) {
  static const char *const known[] = {"until", "start",    "sample", "method",
                                      "step",  "residual", "sweeps", "sleep"};
  carom_stepping_description *d = loader->scenario->described.stepping;
  const carom_yaml *run = carom_yaml_get(root, "run");
  const struct {
    const char *key;
    carom_node *node;
  } numbers[] = {
      {"step", &d->step}, {"residual", &d->residual}, {"sweeps", &d->sweeps}, {"sleep", &d->sleep}};
  for (int k = 0; k < run->count; k++) {
    bool found = false;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
      found = found || strcmp(run->keys[k], known[i]) == 0;
    if (!found)
      return refuse_feature(loader, run->values[k],
                            carom_loader_path(loader, "run.%s", run->keys[k]),
                            "its steps are constant, and it finds no events");
  }
  carom_status status = CAROM_OK;
  for (size_t k = 0; !status && k < sizeof numbers / sizeof *numbers; k++) {
    const carom_yaml *value = carom_loader_get(run, numbers[k].key);
    if (value)
      status = load_number(loader, value, carom_loader_path(loader, "run.%s", numbers[k].key),
                           numbers[k].node);
  }
  const carom_yaml *step = carom_loader_get(run, "step");
  d->step_place = step ? step->place : run->place;
  if (!status && !step)
    return carom_fail_at(loader->error, CAROM_ERR_INPUT, run->place,
                         "run.method: stepping needs run.step, the length of its steps");
  return status;
}

carom_status carom_load_stepping(carom_loader *loader) {
  carom_scenario *s = loader->scenario;
  const carom_yaml *root = loader->document->written;
  const carom_body_outlines *outlines = s->described.stepping->outlines;
  carom_stepping_description *d = s->described.stepping;
  d->space = outlines->space;
  d->bodies = carom_arena_array(loader->arena, (size_t)outlines->count, sizeof *d->bodies);
  if (!d->bodies) return carom_fail_memory(loader->error);
  carom_status status = refuse_others(loader, root);
  for (int k = 0; !status && k < outlines->count; k++) {
    status = load_body(loader, &outlines->items[k], &d->bodies[k]);
    d->body_count = k + 1;
  }
  if (!status) status = load_contacts(loader, root);
  if (!status) status = load_joints(loader, root);
  if (!status) status = load_gravity(loader, root);
  return status ? status : load_steps(loader, root);
}
