// SPDX-License-Identifier: MIT
// Shapes in space: balls, boxes and cylinders that are placed and turned, lines, tilted planes. All
// of them are written out as expressions of the numbers that a part of a scene has.
#include "scenario/load.h"

#include <string.h>

static const char *const SOLIDS[] = {"sphere", "ellipsoid", "box", "cylinder"};
enum { SOLID_KINDS = sizeof SOLIDS / sizeof *SOLIDS };

typedef struct vector {
  carom_node c[3];
} vector;

static bool is_list(const carom_yaml *value, int count) {
  return value && value->kind == CAROM_YAML_LIST && value->count == count;
}

static int solid_of(const carom_yaml *map) {
  for (int k = 0; k < SOLID_KINDS; k++)
    if (carom_loader_get(map, SOLIDS[k])) return k;
  return -1;
}

static const carom_yaml *line_of(const carom_yaml *map) {
  const carom_yaml *ends = carom_loader_get(map, "segment");
  return is_list(ends, 2) && is_list(ends->values[0], 3) ? ends : NULL;
}

bool carom_shape_is_solid(const carom_yaml *map) {
  return solid_of(map) >= 0 || line_of(map) || carom_loader_get(map, "normal");
}

// ---- numbers ----

static carom_status load_number(carom_loader *loader, const carom_yaml *value, const char *what,
                                carom_node *node) {
  carom_rules rules = {
      .what = what, .kinds = CAROM_KINDS_POSITION, .hint = "a shape follows positions"};
  if (value->kind != CAROM_YAML_SCALAR)
    return carom_fail_at(loader->error, CAROM_ERR_INPUT, value->place,
                         "%s: one number or expression belongs here", what);
  return carom_load_expression(loader, value, &rules, node);
}

static carom_status load_vector(carom_loader *loader, const carom_yaml *list, const char *what,
                                vector *v) {
  if (!is_list(list, 3))
    return carom_fail_at(loader->error, CAROM_ERR_INPUT, list->place,
                         "%s: in space three numbers are needed, [x, y, z]", what);
  carom_status status = CAROM_OK;
  for (int k = 0; k < 3 && !status; k++)
    status = load_number(loader, list->values[k], what, &v->c[k]);
  return status;
}

// what a solid needs, in a message of its own where it is missing
static carom_status need_key(carom_loader *loader, const carom_yaml *map, const char *key,
                             const char *what, const carom_yaml **value) {
  *value = carom_loader_get(map, key);
  if (*value) return CAROM_OK;
  return carom_fail_at(loader->error, CAROM_ERR_INPUT, map->place, "%s needs a %s", what, key);
}

// half of its extent along each of its axes
static carom_status load_reach(carom_loader *loader, const carom_yaml *map, int kind,
                               const char *what, vector *reach) {
  carom_node half = carom_node_constant(loader->graph, 0.5);
  const carom_yaml *value;
  bool round = kind == 0 || kind == 3;
  carom_status status = need_key(loader, map, round ? "radius" : "size", what, &value);
  if (status) return status;
  if (!round) {
    status = load_vector(loader, value, carom_loader_path(loader, "%s.size", what), reach);
    for (int k = 0; k < 3 && !status; k++)
      reach->c[k] = carom_mul(loader->graph, half, reach->c[k]);
    return status;
  }
  status = load_number(loader, value, carom_loader_path(loader, "%s.radius", what), &reach->c[0]);
  reach->c[1] = reach->c[2] = reach->c[0];
  if (status || kind == 0) return status;
  status = need_key(loader, map, "height", what, &value);
  if (!status)
    status = load_number(loader, value, carom_loader_path(loader, "%s.height", what), &reach->c[2]);
  if (!status) reach->c[2] = carom_mul(loader->graph, half, reach->c[2]);
  return status;
}

// ---- turns: the columns are the axes of the body in space ----

static void turn_about(carom_graph *graph, vector axes[3], int about, carom_node angle) {
  carom_node c = carom_node_make(graph, CAROM_OP_COS, angle, 0, 0),
             s = carom_node_make(graph, CAROM_OP_SIN, angle, 0, 0);
  vector *a = &axes[(about + 1) % 3], *b = &axes[(about + 2) % 3], before = *a;
  for (int k = 0; k < 3; k++) {
    a->c[k] = carom_add(graph, carom_mul(graph, c, before.c[k]), carom_mul(graph, s, b->c[k]));
    b->c[k] = carom_sub(graph, carom_mul(graph, c, b->c[k]), carom_mul(graph, s, before.c[k]));
  }
}

// 2 (e_i e_j + sign e_0 e_k), and e_0^2 + e_i^2 - e_j^2 - e_k^2
static void turn_by_quaternion(carom_graph *graph, const carom_node e[4], vector axes[3]) {
  carom_node two = carom_node_constant(graph, 2.0);
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    carom_node ij = carom_mul(graph, e[1 + i], e[1 + j]), ok = carom_mul(graph, e[0], e[1 + k]);
    carom_node sum =
        carom_sub(graph, carom_mul(graph, e[0], e[0]), carom_mul(graph, e[1 + k], e[1 + k]));
    sum = carom_add(graph, sum, carom_mul(graph, e[1 + i], e[1 + i]));
    axes[i].c[i] = carom_sub(graph, sum, carom_mul(graph, e[1 + j], e[1 + j]));
    axes[i].c[j] = carom_mul(graph, two, carom_add(graph, ij, ok));
    axes[j].c[i] = carom_mul(graph, two, carom_sub(graph, ij, ok));
  }
}

static carom_status load_steps(carom_loader *loader, const carom_yaml *list, const char *what,
                               vector axes[3]) {
  carom_status status = CAROM_OK;
  for (int k = 0; k < list->count && !status; k++) {
    const carom_yaml *step = list->values[k], *angle = NULL;
    int about = 0;
    for (; about < 3 && !angle; about++)
      angle = step->kind == CAROM_YAML_MAP
                  ? carom_loader_get(step, (const char *const[]){"x", "y", "z"}[about])
                  : NULL;
    carom_node node = 0;
    if (!angle || step->count != 1)
      return carom_fail_at(loader->error, CAROM_ERR_INPUT, step->place,
                           "%s: a turn is four numbers [e0, e1, e2, e3], three axes [[x, y, z], "
                           "...], or turns about the body's own axes, [{z: psi}, {x: th}]",
                           what);
    status = load_number(loader, angle, what, &node);
    if (!status) turn_about(loader->graph, axes, about - 1, node);
  }
  return status;
}

static carom_status load_turn(carom_loader *loader, const carom_yaml *map, const char *shape,
                              vector axes[3]) {
  const char *what = carom_loader_path(loader, "%s.turn", shape);
  const carom_yaml *turn = carom_loader_get(map, "turn");
  carom_status status = CAROM_OK;
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++)
      axes[i].c[k] = carom_node_constant(loader->graph, i == k);
  if (!turn || turn->kind != CAROM_YAML_LIST || turn->count == 0) return CAROM_OK;
  if (is_list(turn, 4) && turn->values[0]->kind == CAROM_YAML_SCALAR) {
    carom_node e[4] = {0};
    for (int k = 0; k < 4 && !status; k++)
      status = load_number(loader, turn->values[k], what, &e[k]);
    if (!status) turn_by_quaternion(loader->graph, e, axes);
    return status;
  }
  if (is_list(turn, 3) && turn->values[0]->kind == CAROM_YAML_LIST) {
    for (int k = 0; k < 3 && !status; k++)
      status = load_vector(loader, turn->values[k], what, &axes[k]);
    return status;
  }
  return load_steps(loader, turn, what, axes);
}

// ---- shapes ----

static bool make_numbers(carom_loader *loader, carom_shape *shape, carom_shape_kind kind,
                         int count) {
  shape->kind = kind;
  shape->number_count = count;
  shape->numbers = carom_arena_array(loader->arena, (size_t)count, sizeof *shape->numbers);
  loader->scenario->drawing.space = true;
  return shape->numbers != NULL;
}

static carom_status load_solid(carom_loader *loader, carom_shape *shape, const carom_yaml *map,
                               int kind, const char *what) {
  static const carom_shape_kind KINDS[SOLID_KINDS] = {CAROM_SHAPE_BALL, CAROM_SHAPE_BALL,
                                                      CAROM_SHAPE_BOX, CAROM_SHAPE_DRUM};
  vector at, reach, axes[3];
  carom_status status = load_vector(loader, carom_loader_get(map, SOLIDS[kind]),
                                    carom_loader_path(loader, "%s.%s", what, SOLIDS[kind]), &at);
  if (!status) status = load_reach(loader, map, kind, what, &reach);
  if (!status) status = load_turn(loader, map, what, axes);
  if (status) return status;
  if (!make_numbers(loader, shape, KINDS[kind], 12)) return carom_fail_memory(loader->error);
  for (int i = 0; i < 3; i++) {
    shape->numbers[i] = at.c[i];
    for (int j = 0; j < 3; j++)
      shape->numbers[3 + 3 * i + j] = carom_mul(loader->graph, axes[j].c[i], reach.c[j]);
  }
  return CAROM_OK;
}

// its middle, and half of the way from one end to the other
static carom_status load_line(carom_loader *loader, carom_shape *shape, const carom_yaml *ends,
                              const char *what) {
  vector end[2];
  carom_graph *graph = loader->graph;
  const char *path = carom_loader_path(loader, "%s.segment", what);
  carom_node half = carom_node_constant(graph, 0.5);
  carom_status status = load_vector(loader, ends->values[0], path, &end[0]);
  if (!status) status = load_vector(loader, ends->values[1], path, &end[1]);
  if (status) return status;
  if (!make_numbers(loader, shape, CAROM_SHAPE_LINE, 6)) return carom_fail_memory(loader->error);
  for (int k = 0; k < 3; k++) {
    carom_node a = end[0].c[k], b = end[1].c[k];
    shape->numbers[k] = carom_mul(graph, half, carom_add(graph, a, b));
    shape->numbers[3 + k] = carom_mul(graph, half, carom_sub(graph, b, a));
  }
  return CAROM_OK;
}

// n x = height with n of unit length
static carom_status load_floor(carom_loader *loader, carom_shape *shape, const carom_yaml *map,
                               const char *what) {
  carom_graph *graph = loader->graph;
  const carom_yaml *normal = carom_loader_get(map, "normal"), *value;
  carom_node height = 0, length = carom_node_constant(graph, 0.0);
  vector n = {{length, length, carom_node_constant(graph, 1.0)}};
  carom_status status = need_key(loader, map, "plane", what, &value);
  if (!status)
    status = load_number(loader, value, carom_loader_path(loader, "%s.plane", what), &height);
  if (!status && normal)
    status = load_vector(loader, normal, carom_loader_path(loader, "%s.normal", what), &n);
  if (status) return status;
  if (!make_numbers(loader, shape, CAROM_SHAPE_FLOOR, 6)) return carom_fail_memory(loader->error);
  for (int k = 0; k < 3; k++)
    length = carom_add(graph, length, carom_mul(graph, n.c[k], n.c[k]));
  length = carom_node_make(graph, CAROM_OP_SQRT, length, 0, 0);
  for (int k = 0; k < 3; k++) {
    shape->numbers[3 + k] = carom_div(graph, n.c[k], length);
    shape->numbers[k] = carom_mul(graph, height, shape->numbers[3 + k]);
  }
  return CAROM_OK;
}

carom_status carom_load_solid(carom_loader *loader, carom_shape *shape, const carom_yaml *map,
                              const char *what) {
  int kind = solid_of(map);
  if (kind >= 0) return load_solid(loader, shape, map, kind, what);
  const carom_yaml *ends = line_of(map);
  if (ends) return load_line(loader, shape, ends, what);
  if (carom_loader_get(map, "plane")) return load_floor(loader, shape, map, what);
  return carom_fail_at(loader->error, CAROM_ERR_INPUT, map->place,
                       "%s is drawn in the plane and others in space, where there are sphere, "
                       "ellipsoid, box, cylinder, segment [[x, y, z], [x, y, z]] and plane",
                       what);
}
