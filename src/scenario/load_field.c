// SPDX-License-Identifier: MIT
// The description of a field scenario: body, supports, fields, points, start.
#include "scenario/load.h"

#include <string.h>

static const char *const AXES[3] = {"x", "y", "z"};

static carom_field_description *field_of(const carom_loader *loader) {
  return loader->scenario->described.field;
}

static int field_dimension(const carom_loader *loader) { return field_of(loader)->space ? 3 : 2; }

static const carom_yaml *find_section(const carom_loader *loader, const char *key) {
  return carom_loader_get(loader->document->root, key);
}

static carom_status fail_field(carom_loader *loader, carom_place place, const char *text,
                               const char *what) {
  return carom_fail_at(loader->error, CAROM_ERR_INPUT, place, text, what);
}

// ---- numbers and lists of numbers

static carom_status load_with(carom_loader *loader, const carom_yaml *value, unsigned kinds,
                              const char *what, carom_node *node) {
  if (!value) return CAROM_OK;
  carom_rules rules = {.kinds = kinds, .what = what};
  return carom_load_expression(loader, value, &rules, node);
}

static carom_status load_number(carom_loader *loader, const carom_yaml *map, const char *path,
                                const char *key, carom_node *node) {
  const char *what = carom_loader_path(loader, "%s.%s", path, key);
  return load_with(loader, carom_loader_get(map, key), CAROM_KINDS_FIXED, what, node);
}

static carom_status load_list(carom_loader *loader, const carom_yaml *list, int count,
                              unsigned kinds, const char *what, carom_node *nodes) {
  if (!list) return CAROM_OK;
  if (list->kind != CAROM_YAML_LIST || list->count != count)
    return carom_fail_at(loader->error, CAROM_ERR_INPUT, list->place,
                         "%s: a list of %d numbers expected", what, count);
  carom_status status = CAROM_OK;
  for (int k = 0; !status && k < count; k++) {
    if (list->values[k]->kind != CAROM_YAML_SCALAR)
      return fail_field(loader, list->values[k]->place, "%s: a number expected", what);
    status = load_with(loader, list->values[k], kinds, what, &nodes[k]);
  }
  return status;
}

static carom_status load_vector(carom_loader *loader, const carom_yaml *map, const char *path,
                                const char *key, carom_node nodes[3]) {
  const char *what = carom_loader_path(loader, "%s.%s", path, key);
  return load_list(loader, carom_loader_get(map, key), field_dimension(loader), CAROM_KINDS_FIXED,
                   what, nodes);
}

static carom_node constant_node(carom_loader *loader, double value) {
  return carom_node_constant(loader->graph, value);
}

// ---- the shape of the body

typedef enum shape_word {
  SQUARE,
  RECTANGLE,
  POLYGON,
  DISC,
  CUBE,
  DIE,
  BOX,
  PRISM,
  POLYHEDRON,
  CYLINDER,
  SPHERE,
  SHAPES
} shape_word;
static const struct {
  const char *key;
  carom_body_shape shape;
} SHAPE[SHAPES] = {{"square", CAROM_BODY_POLYGON},        {"rectangle", CAROM_BODY_POLYGON},
                   {"polygon", CAROM_BODY_POLYGON},       {"disc", CAROM_BODY_DISC},
                   {"cube", CAROM_BODY_POLYHEDRON},       {"die", CAROM_BODY_POLYHEDRON},
                   {"box", CAROM_BODY_POLYHEDRON},        {"prism", CAROM_BODY_POLYHEDRON},
                   {"polyhedron", CAROM_BODY_POLYHEDRON}, {"cylinder", CAROM_BODY_CYLINDER},
                   {"sphere", CAROM_BODY_SPHERE}};

static carom_status find_shape(carom_loader *loader, shape_word *word) {
  const carom_yaml *body = find_section(loader, "body");
  int found = 0;
  for (int k = 0; k < SHAPES; k++)
    if (carom_loader_get(body, SHAPE[k].key)) *word = (shape_word)k, found++;
  if (found == 1) return CAROM_OK;
  carom_place place = body ? body->place : loader->document->root->place;
  return fail_field(loader, place,
                    "body needs exactly one shape: square, rectangle, polygon, disc, cube, "
                    "die, box, prism, polyhedron, cylinder or sphere%s",
                    "");
}

static void note_size(carom_loader *loader, const carom_yaml *value, const char *name,
                      carom_node node) {
  carom_field_description *f = field_of(loader);
  f->sizes[f->size_count++] = (carom_field_size){name, value->place, node};
}

// all combinations of signs of half the sizes
static carom_status make_box(carom_loader *loader, int dimensions, const carom_node size[3]) {
  static const int plane[4][3] = {{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}};
  static const int space[8][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1},
                                  {-1, -1, 1},  {1, -1, 1},  {1, 1, 1},  {-1, 1, 1}};
  carom_field_description *f = field_of(loader);
  f->corner_count = dimensions == 2 ? 4 : 8;
  f->corners = carom_arena_array(loader->arena, (size_t)f->corner_count, sizeof *f->corners);
  if (!f->corners) return carom_fail_memory(loader->error);
  for (int c = 0; c < f->corner_count; c++)
    for (int k = 0; k < 3; k++) {
      int sign = dimensions == 2 ? plane[c][k] : space[c][k];
      carom_node half = carom_mul(loader->graph, size[k], constant_node(loader, 0.5 * sign));
      f->corners[c][k] = sign ? half : constant_node(loader, 0.0);
    }
  return CAROM_OK;
}

static carom_status load_box(carom_loader *loader, const carom_yaml *value, int count,
                             const char *what) {
  carom_node size[3] = {0, 0, 0};
  carom_status status = CAROM_OK;
  if (value->kind == CAROM_YAML_LIST) {
    status = load_list(loader, value, count, CAROM_KINDS_FIXED, what, size);
  } else {
    status = load_with(loader, value, CAROM_KINDS_FIXED, what, &size[0]);
    size[1] = size[2] = size[0];
  }
  bool list = value->kind == CAROM_YAML_LIST;
  for (int k = 0; !status && k < (list ? count : 1); k++)
    note_size(loader, list ? value->values[k] : value, what, size[k]);
  return status ? status : make_box(loader, count, size);
}

// a list of corners; a prism has them twice, at both heights
static carom_status load_corners(carom_loader *loader, const carom_yaml *list, int count,
                                 bool prism, const char *what) {
  carom_field_description *f = field_of(loader);
  int total = list->count * (prism ? 2 : 1);
  if (total > CAROM_BODY_MAX_CORNERS)
    return carom_fail_at(loader->error, CAROM_ERR_LIMIT, list->place,
                         "%s: %d corners; at most %d are possible", what, total,
                         CAROM_BODY_MAX_CORNERS);
  if (list->count < (f->space && !prism ? 4 : 3))
    return fail_field(loader, list->place, "%s: more corners are needed", what);
  f->corner_count = total;
  f->corners = carom_arena_array(loader->arena, (size_t)total, sizeof *f->corners);
  if (!f->corners) return carom_fail_memory(loader->error);
  for (int c = 0; c < list->count; c++) {
    carom_node *at = f->corners[c];
    at[2] = constant_node(loader, 0.0);
    carom_status status = load_list(loader, list->values[c], count, CAROM_KINDS_FIXED, what, at);
    if (status) return status;
    if (!prism) continue;
    carom_node *above = f->corners[list->count + c];
    above[0] = at[0], above[1] = at[1];
    above[2] = carom_mul(loader->graph, f->length, constant_node(loader, 0.5));
    at[2] = carom_neg(loader->graph, above[2]);
  }
  return CAROM_OK;
}

static carom_status load_shape(carom_loader *loader, shape_word word) {
  const carom_yaml *body = find_section(loader, "body");
  const carom_yaml *value = carom_loader_get(body, SHAPE[word].key);
  const char *what = carom_loader_path(loader, "body.%s", SHAPE[word].key);
  carom_field_description *f = field_of(loader);
  f->length = constant_node(loader, 1.0);
  carom_status status = load_number(loader, body, "body", "height", &f->length);
  const carom_yaml *height = carom_loader_get(body, "height");
  if (status) return status;
  if (height) note_size(loader, height, "body.height", f->length);
  switch (word) {
  case SQUARE:
  case RECTANGLE: return load_box(loader, value, 2, what);
  case CUBE:
  case DIE:
  case BOX: return load_box(loader, value, 3, what);
  case POLYGON: return load_corners(loader, value, 2, false, what);
  case PRISM: return load_corners(loader, value, 2, true, what);
  case POLYHEDRON: return load_corners(loader, value, 3, false, what);
  default: status = load_with(loader, value, CAROM_KINDS_FIXED, what, &f->radius);
  }
  note_size(loader, value, what, f->radius);
  return status;
}

static carom_status load_body(carom_loader *loader, shape_word word) {
  const carom_yaml *body = find_section(loader, "body");
  carom_field_description *f = field_of(loader);
  carom_status status = load_shape(loader, word);
  const carom_yaml *density = carom_loader_get(body, "density");
  f->density = constant_node(loader, 1000.0);
  for (int k = 0; k < 3; k++)
    f->density_gradient[k] = constant_node(loader, 0.0);
  if (!status && density && density->kind == CAROM_YAML_SCALAR)
    status = load_number(loader, body, "body", "density", &f->density);
  if (!status && density && density->kind == CAROM_YAML_MAP) {
    status = load_number(loader, density, "body.density", "value", &f->density);
    if (!status)
      status = load_vector(loader, density, "body.density", "gradient", f->density_gradient);
  }
  const carom_yaml *factor = carom_loader_get(body, "mass_factor");
  if (!status)
    status = load_with(loader, factor, CAROM_KINDS_FIXED | CAROM_KIND(TIME), "body.mass_factor",
                       &f->mass_factor);
  if (factor) f->mass_place = factor->place;
  const carom_yaml *soft = carom_loader_get(body, "soft");
  f->material.c10 = f->material.c01 = f->material.viscosity = constant_node(loader, 0.0);
  if (!status) status = load_number(loader, soft, "body.soft", "c10", &f->material.c10);
  if (!status) status = load_number(loader, soft, "body.soft", "c01", &f->material.c01);
  if (!status) status = load_number(loader, soft, "body.soft", "viscosity", &f->material.viscosity);
  return status;
}

static carom_status load_gravity(carom_loader *loader) {
  carom_field_description *f = field_of(loader);
  const carom_yaml *value = find_section(loader, "gravity");
  int n = field_dimension(loader);
  for (int k = 0; k < 3; k++)
    f->gravity[k] = constant_node(loader, 0.0);
  if (value && value->kind == CAROM_YAML_LIST)
    return load_list(loader, value, n, CAROM_KINDS_FIXED, "gravity", f->gravity);
  carom_node size = constant_node(loader, 9.81);
  carom_status status = load_with(loader, value, CAROM_KINDS_FIXED, "gravity", &size);
  f->gravity[n - 1] = carom_neg(loader->graph, size);
  return status;
}

// ---- supports

static carom_status load_support(carom_loader *loader, const carom_yaml *map,
                                 carom_field_support *support) {
  int n = field_dimension(loader);
  const char *path = carom_loader_path(loader, "supports.%s", support->name);
  for (int k = 0; k < 3; k++) {
    support->normal[k] = constant_node(loader, k == n - 1 ? 1.0 : 0.0);
    support->point[k] = constant_node(loader, 0.0);
  }
  carom_status status = load_vector(loader, map, path, "normal", support->normal);
  if (!status) status = load_vector(loader, map, path, "point", support->point);
  const carom_yaml *shift = carom_loader_get(map, "shift");
  const char *what = carom_loader_path(loader, "%s.shift", path);
  if (status || !shift) return status;
  status = load_list(loader, shift, n, CAROM_KINDS_FIXED | CAROM_KIND(TIME), what, support->shift);
  for (int k = 0; !status && k < n; k++) {
    support->shift_rate[k] =
        carom_node_derivative(loader->graph, support->shift[k], loader->scenario->time);
    if (!support->shift_rate[k]) status = carom_loader_graph_failed(loader, shift->place);
  }
  return status;
}

static carom_status load_supports(carom_loader *loader) {
  carom_field_description *f = field_of(loader);
  const carom_yaml *map = find_section(loader, "supports");
  bool given = map && map->count > 0;
  if (given && map->count > CAROM_FIELD_MAX_SUPPORTS)
    return carom_fail_at(loader->error, CAROM_ERR_LIMIT, map->place,
                         "at most %d supports are possible", CAROM_FIELD_MAX_SUPPORTS);
  f->support_count = given ? map->count : 1;
  f->supports = carom_arena_array(loader->arena, (size_t)f->support_count, sizeof *f->supports);
  if (!f->supports) return carom_fail_memory(loader->error);
  f->supports[0].name = "floor";
  if (!given) return load_support(loader, NULL, &f->supports[0]);
  carom_status status = CAROM_OK;
  for (int k = 0; !status && k < map->count; k++) {
    f->supports[k].name = map->keys[k];
    f->supports[k].place = map->key_places[k];
    status = carom_loader_check_name(loader, map->keys[k], map->key_places[k], "a support");
    if (!status) status = load_support(loader, map->values[k], &f->supports[k]);
  }
  return status;
}

// ---- fields

static const char *const LAW_NAMES[] = {"repulsion", "damping", "friction", "adhesion", "own"};

static carom_status find_law(carom_loader *loader, const carom_yaml *map, carom_field_law *law) {
  const carom_yaml *given = carom_loader_get(map, "law");
  const char *word = given ? given->text : law->name;
  for (int k = 0; k <= CAROM_FIELD_OWN; k++)
    if (strcmp(word, LAW_NAMES[k]) == 0) {
      law->kind = (carom_law_kind)k;
      return CAROM_OK;
    }
  return fail_field(loader, law->place,
                    "fields.%s: give it a law: repulsion, damping, friction, adhesion or own",
                    law->name);
}

static carom_status load_names_of(carom_loader *loader, const carom_yaml *list, const char ***names,
                                  int *count) {
  if (!list || list->kind != CAROM_YAML_LIST) return CAROM_OK;
  *names = carom_arena_array(loader->arena, (size_t)list->count, sizeof **names);
  if (!*names) return carom_fail_memory(loader->error);
  for (int k = 0; k < list->count; k++) {
    if (list->values[k]->kind != CAROM_YAML_SCALAR)
      return fail_field(loader, list->values[k]->place, "a name expected%s", "");
    (*names)[(*count)++] = list->values[k]->text;
  }
  return CAROM_OK;
}

static carom_status load_sources(carom_loader *loader, const carom_yaml *list,
                                 carom_field_law *law) {
  const carom_field_description *f = field_of(loader);
  law->supports = (1u << f->support_count) - 1u;
  if (!list || list->kind != CAROM_YAML_LIST) return CAROM_OK;
  law->supports = 0;
  for (int j = 0; j < list->count; j++) {
    unsigned found = 0;
    for (int k = 0; k < f->support_count; k++)
      if (strcmp(f->supports[k].name, list->values[j]->text ? list->values[j]->text : "") == 0)
        found = 1u << k;
    if (!found)
      return fail_field(loader, list->values[j]->place, "there is no support '%.80s'",
                        list->values[j]->text);
    law->supports |= found;
  }
  return CAROM_OK;
}

static carom_posture posture_of(const carom_yaml *value) {
  if (!value || value->kind != CAROM_YAML_SCALAR) return CAROM_POSTURE_FLAT;
  if (strcmp(value->text, "edge") == 0) return CAROM_POSTURE_EDGE;
  return strcmp(value->text, "corner") == 0 ? CAROM_POSTURE_CORNER : CAROM_POSTURE_FLAT;
}

// what a law needs to be one
static carom_status check_law(carom_loader *loader, const carom_field_law *law) {
  bool power = law->kind == CAROM_FIELD_DAMPING || law->kind == CAROM_FIELD_FRICTION;
  if (power && !law->coefficient)
    return fail_field(loader, law->place, "fields.%s needs a coefficient", law->name);
  if (law->kind == CAROM_FIELD_REPULSION && !law->coefficient == !law->rest)
    return fail_field(loader, law->place,
                      "fields.%s needs either a coefficient or the distance of rest", law->name);
  if (law->kind == CAROM_FIELD_ADHESION && !law->strength == !law->pressure)
    return fail_field(loader, law->place, "fields.%s needs either a strength or a pressure",
                      law->name);
  if (law->kind == CAROM_FIELD_OWN && !law->normal && !law->tangential)
    return fail_field(loader, law->place, "fields.%s needs normal or tangential", law->name);
  return CAROM_OK;
}

// d, vn and vt are known inside a law of one's own, through definitions that exist there alone
static carom_status load_own(carom_loader *loader, const carom_yaml *map, const char *path,
                             carom_field_law *law) {
  carom_field_description *f = field_of(loader);
  carom_rules rules = {.kinds = CAROM_KINDS_FIXED | CAROM_KIND(TIME) | CAROM_KIND(OTHER),
                       .field = f,
                       .what = carom_loader_path(loader, "%s.normal", path)};
  const carom_yaml *normal = carom_loader_get(map, "normal");
  const carom_yaml *tangential = carom_loader_get(map, "tangential");
  carom_status status = CAROM_OK;
  if (normal) status = carom_load_expression(loader, normal, &rules, &law->normal);
  rules.what = carom_loader_path(loader, "%s.tangential", path);
  if (!status && tangential)
    status = carom_load_expression(loader, tangential, &rules, &law->tangential);
  return status;
}

static carom_status load_law(carom_loader *loader, const carom_yaml *map, carom_field_law *law) {
  const char *path = carom_loader_path(loader, "fields.%s", law->name);
  const struct {
    const char *key;
    carom_node *node;
  } numbers[] = {{"exponent", &law->exponent}, {"coefficient", &law->coefficient},
                 {"rest", &law->rest},         {"strength", &law->strength},
                 {"pressure", &law->pressure}, {"length", &law->length},
                 {"attract", &law->attract},   {"repel", &law->repel}};
  carom_status status = find_law(loader, map, law);
  if (status) return status;
  law->exponent = constant_node(loader, law->kind == CAROM_FIELD_REPULSION ? 8.0 : 0.0);
  law->attract = constant_node(loader, 3.0);
  law->repel = constant_node(loader, 6.0);
  for (size_t k = 0; !status && k < sizeof numbers / sizeof *numbers; k++)
    status = load_number(loader, map, path, numbers[k].key, numbers[k].node);
  const carom_yaml *form = carom_loader_get(map, "form");
  law->conservative = !form || strcmp(form->text, "conservative") == 0;
  law->posture = posture_of(carom_loader_get(map, "posture"));
  if (!status)
    status = load_names_of(loader, carom_loader_get(map, "faces"), &law->faces, &law->face_count);
  if (!status) status = load_sources(loader, carom_loader_get(map, "from"), law);
  if (!status) status = load_own(loader, map, path, law);
  return status ? status : check_law(loader, law);
}

static carom_status load_laws(carom_loader *loader) {
  carom_field_description *f = field_of(loader);
  const carom_yaml *map = find_section(loader, "fields");
  carom_status status = carom_loader_room(loader, map, CAROM_FIELD_MAX_LAWS, "fields",
                                          sizeof *f->laws, (void **)&f->laws);
  f->own.distance = carom_node_symbol(loader->graph, "d*", CAROM_SYMBOL_OTHER);
  f->own.normal_speed = carom_node_symbol(loader->graph, "vn*", CAROM_SYMBOL_OTHER);
  f->own.slip_speed = carom_node_symbol(loader->graph, "vt*", CAROM_SYMBOL_OTHER);
  for (int k = 0; !status && map && k < map->count; k++) {
    f->laws[k].name = map->keys[k];
    f->laws[k].place = map->key_places[k];
    f->law_count = k + 1;
    status = load_law(loader, map->values[k], &f->laws[k]);
  }
  return status;
}

// ---- the start

// the rows of a matrix into the 3 x 3 places of F
static carom_status load_matrix(carom_loader *loader, const carom_yaml *map, const char *key,
                                carom_node nodes[9], carom_place *place) {
  const carom_yaml *rows = carom_loader_get(map, key);
  const char *what = carom_loader_path(loader, "start.%s", key);
  int n = field_dimension(loader);
  if (!rows) return CAROM_OK;
  *place = rows->place;
  if (!field_of(loader)->soft)
    return fail_field(loader, rows->place, "%s: the body is rigid", what);
  if (rows->kind != CAROM_YAML_LIST || rows->count != n)
    return fail_field(loader, rows->place, "%s: one row per direction expected", what);
  carom_status status = CAROM_OK;
  for (int k = 0; !status && k < n; k++)
    status = load_list(loader, rows->values[k], n, CAROM_KINDS_FIXED, what, nodes + 3 * k);
  return status;
}

static carom_status load_down(carom_loader *loader, const carom_yaml *map) {
  carom_field_start *start = &field_of(loader)->start;
  const carom_yaml *down = carom_loader_get(map, "down");
  start->down = posture_of(down);
  if (!down || down->kind != CAROM_YAML_LIST) return CAROM_OK;
  return load_vector(loader, map, "start", "down", start->down_at);
}

static carom_status load_start(carom_loader *loader) {
  carom_field_start *start = &field_of(loader)->start;
  const carom_yaml *map = find_section(loader, "start");
  const carom_yaml *gap = carom_loader_get(map, "gap");
  static const char *const plane_only[] = {"angle", "rate"};
  static const char *const space_only[] = {"down", "turn", "tilt", "axis", "spin", "angular"};
  bool space = field_of(loader)->space;
  for (size_t k = 0; k < (space ? 2 : 6); k++) {
    const carom_yaml *given = carom_loader_get(map, space ? plane_only[k] : space_only[k]);
    if (given)
      return fail_field(loader, given->place,
                        space ? "start.%s is for bodies of the plane; here: down, turn, tilt, spin"
                              : "start.%s is for bodies of space; here: angle, rate",
                        space ? plane_only[k] : space_only[k]);
  }
  start->place = map ? map->place : field_of(loader)->body_place;
  start->has_position = carom_loader_get(map, "position") != NULL;
  start->balance = gap ? strcmp(gap->text, "balance") == 0 : !start->has_position;
  carom_status status = CAROM_OK;
  if (gap && !start->balance) status = load_number(loader, map, "start", "gap", &start->gap);
  if (!status) status = load_vector(loader, map, "start", "position", start->position);
  if (!status) status = load_vector(loader, map, "start", "velocity", start->velocity);
  if (!status) status = load_number(loader, map, "start", "angle", &start->angle);
  if (!status) status = load_number(loader, map, "start", "rate", &start->rate);
  if (!status) status = load_number(loader, map, "start", "turn", &start->turn);
  if (!status) status = load_number(loader, map, "start", "tilt", &start->tilt);
  if (!status) status = load_number(loader, map, "start", "spin", &start->spin);
  if (!status) status = load_vector(loader, map, "start", "angular", start->angular);
  if (!status) status = load_vector(loader, map, "start", "axis", start->tilt_axis);
  if (!status) status = load_down(loader, map);
  if (!status)
    status = load_matrix(loader, map, "deformation", start->deformation, &start->deformation_place);
  if (!status)
    status =
        load_matrix(loader, map, "deformation_rate", start->deformation_rate, &start->rate_place);
  return status;
}

// ---- points

static carom_status load_points(carom_loader *loader) {
  carom_field_description *f = field_of(loader);
  const carom_yaml *map = find_section(loader, "points");
  for (int k = 0; map && k < f->point_count; k++) {
    carom_field_point *point = &f->points[k];
    point->at[2] = constant_node(loader, 0.0);
    carom_status status =
        load_list(loader, map->values[k], field_dimension(loader), CAROM_KINDS_FIXED,
                  carom_loader_path(loader, "points.%s", point->name), point->at);
    if (status) return status;
  }
  return CAROM_OK;
}

carom_status carom_load_field(carom_loader *loader) {
  shape_word word = SHAPES;
  carom_status status = find_shape(loader, &word);
  if (!status) status = load_body(loader, word);
  if (!status) status = load_gravity(loader);
  if (!status) status = load_supports(loader);
  if (!status) status = load_laws(loader);
  if (!status) status = load_start(loader);
  if (!status) status = load_points(loader);
  if (!status && carom_graph_status(loader->graph))
    status = carom_loader_graph_failed(loader, (carom_place){0});
  return status ? status : carom_load_field_motion(loader);
}

// ---- names: what moves, and what can be seen of it

static carom_status declare_name(carom_loader *loader, const char *name, carom_binding_kind kind,
                                 int index, carom_node node) {
  const carom_binding *twin = carom_loader_find(loader, name);
  if (twin)
    return carom_fail_at(loader->error, CAROM_ERR_INPUT, twin->place,
                         "'%s' has a meaning of its own for this body; choose another name", name);
  carom_binding binding = {.name = name, .kind = kind, .index = index, .node = node};
  return carom_loader_declare(loader, binding);
}

static carom_status declare_coordinate(carom_loader *loader, const char *name) {
  carom_scenario *s = loader->scenario;
  int index = s->coordinate_count++;
  carom_coordinate *q = &s->coordinates[index];
  q->name = name;
  q->symbol = carom_node_symbol(loader->graph, name, CAROM_SYMBOL_COORDINATE);
  q->rate =
      carom_node_symbol(loader->graph, carom_loader_path(loader, "%s'", name), CAROM_SYMBOL_RATE);
  q->acceleration = carom_node_symbol(loader->graph, carom_loader_path(loader, "%s''", name),
                                      CAROM_SYMBOL_ACCELERATION);
  q->start = q->start_rate = constant_node(loader, 0.0);
  if (!q->symbol || !q->rate || !q->acceleration)
    return carom_loader_graph_failed(loader, (carom_place){0});
  return declare_name(loader, name, CAROM_BINDING_COORDINATE, index, q->symbol);
}

static carom_status declare_state(carom_loader *loader, const char *name) {
  carom_scenario *s = loader->scenario;
  int index = s->state_count++;
  carom_state *z = &s->states[index];
  z->name = name;
  z->symbol = carom_node_symbol(loader->graph, name, CAROM_SYMBOL_STATE);
  z->rate = carom_node_symbol(loader->graph, carom_loader_path(loader, "%s'", name),
                              CAROM_SYMBOL_STATE_RATE);
  z->start = constant_node(loader, 0.0);
  if (!z->symbol || !z->rate) return carom_loader_graph_failed(loader, (carom_place){0});
  return declare_name(loader, name, CAROM_BINDING_STATE, index, z->symbol);
}

static carom_status declare_motion(carom_loader *loader) {
  const carom_field_description *f = field_of(loader);
  int n = f->space ? 3 : 2;
  carom_status status = CAROM_OK;
  for (int k = 0; !status && k < n; k++)
    status = declare_coordinate(loader, AXES[k]);
  for (int i = 0; !status && f->soft && i < n; i++)
    for (int j = 0; !status && j < n; j++)
      status = declare_coordinate(loader, carom_loader_path(loader, "F%d%d", i + 1, j + 1));
  if (f->soft || status) return status;
  if (!f->space) return declare_coordinate(loader, "theta");
  for (int k = 0; !status && k < 3; k++)
    status = declare_coordinate(loader, carom_loader_path(loader, "turn_%s", AXES[k]));
  static const char *const quaternion[4] = {"q_w", "q_x", "q_y", "q_z"};
  for (int k = 0; !status && k < 4; k++)
    status = declare_state(loader, quaternion[k]);
  return status;
}

static carom_status add_definition(carom_loader *loader, const char *name) {
  carom_scenario *s = loader->scenario;
  int index = s->definitions.count++;
  s->definitions.items[index] = (carom_quantity){name, 0, {0}};
  return declare_name(loader, name, CAROM_BINDING_DEFINITION, index, 0);
}

// d, and for every point its coordinates and distance; what they are is filled in later
static carom_status declare_seen(carom_loader *loader) {
  carom_field_description *f = field_of(loader);
  carom_scenario *s = loader->scenario;
  int n = field_dimension(loader), room = s->definitions.count + 1 + f->point_count * (n + 1);
  carom_quantity *wider = carom_arena_array(loader->arena, (size_t)room, sizeof *wider);
  if (!wider) return carom_fail_memory(loader->error);
  memcpy(wider, s->definitions.items, (size_t)s->definitions.count * sizeof *wider);
  s->definitions.items = wider;
  carom_status status = add_definition(loader, "d");
  for (int p = 0; !status && p < f->point_count; p++) {
    for (int k = 0; !status && k < n; k++)
      status =
          add_definition(loader, carom_loader_path(loader, "%s.%s", f->points[p].name, AXES[k]));
    if (!status)
      status = add_definition(loader, carom_loader_path(loader, "%s.d", f->points[p].name));
  }
  return status;
}

static carom_status list_points(carom_loader *loader) {
  carom_field_description *f = field_of(loader);
  const carom_yaml *map = find_section(loader, "points");
  carom_status status = carom_loader_room(loader, map, CAROM_SCENARIO_MAX_NAMES, "points",
                                          sizeof *f->points, (void **)&f->points);
  for (int k = 0; !status && map && k < map->count; k++) {
    f->points[k].name = map->keys[k];
    f->points[k].place = map->key_places[k];
    f->point_count = k + 1;
    status = carom_loader_check_name(loader, map->keys[k], map->key_places[k], "a point");
  }
  return status;
}

carom_status carom_load_field_names(carom_loader *loader) {
  carom_scenario *s = loader->scenario;
  enum { MOST_COORDINATES = 12, MOST_STATES = 4 };
  s->described.field = carom_arena_take(loader->arena, sizeof *s->described.field);
  s->coordinates = carom_arena_array(loader->arena, MOST_COORDINATES, sizeof *s->coordinates);
  s->states = carom_arena_array(loader->arena, MOST_STATES, sizeof *s->states);
  s->constraints = carom_arena_array(loader->arena, 1, sizeof *s->constraints);
  if (!s->described.field || !s->coordinates || !s->states || !s->constraints)
    return carom_fail_memory(loader->error);
  shape_word word = SHAPES;
  carom_status status = find_shape(loader, &word);
  if (status) return status;
  const carom_yaml *body = find_section(loader, "body");
  s->described.field->shape = SHAPE[word].shape;
  s->described.field->space = word >= CUBE;
  s->described.field->soft = carom_loader_get(body, "soft") != NULL;
  s->described.field->body_place = body->place;
  if (s->described.field->soft) {
    s->constraints[0].value.name = "det_F";
    s->constraint_count = 1;
  }
  for (int k = 0; k < 3; k++)
    s->described.field->centre[k] = carom_node_symbol(
        loader->graph, carom_loader_path(loader, "centre*%s", AXES[k]), CAROM_SYMBOL_PARAMETER);
  status = declare_motion(loader);
  if (!status) status = list_points(loader);
  return status ? status : declare_seen(loader);
}
