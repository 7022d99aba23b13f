// SPDX-License-Identifier: MIT
// The shapes that are drawn, and what is drawn of a scenario that has none.
#include "scenario/load.h"

#include <string.h>

static const char *const KINDS[] = {"circle", "segment", "polygon", "plane",
                                    "spring", "damper",  "angle"};
enum { WRITTEN_KINDS = sizeof KINDS / sizeof *KINDS };

static carom_status load_point(carom_loader *loader, const carom_yaml *list, const char *what,
                               carom_node point[2]) {
  if (list->kind != CAROM_YAML_LIST || list->count != 2 ||
      list->values[0]->kind != CAROM_YAML_SCALAR || list->values[1]->kind != CAROM_YAML_SCALAR)
    return carom_fail_at(loader->error, CAROM_ERR_INPUT, list->place,
                         "%s: a point is written [x, y]", what);
  carom_rules rules = {
      .what = what, .kinds = CAROM_KINDS_POSITION, .hint = "a shape follows positions"};
  carom_status status = carom_load_expression(loader, list->values[0], &rules, &point[0]);
  return status ? status : carom_load_expression(loader, list->values[1], &rules, &point[1]);
}

static bool has_ends(carom_shape_kind kind) {
  return kind == CAROM_SHAPE_SEGMENT || kind == CAROM_SHAPE_SPRING || kind == CAROM_SHAPE_DAMPER;
}

static bool has_centre(carom_shape_kind kind) {
  return kind == CAROM_SHAPE_CIRCLE || kind == CAROM_SHAPE_ANGLE;
}

static bool make_points(carom_loader *loader, carom_shape *shape, int count) {
  shape->points = carom_arena_array(loader->arena, (size_t)count, sizeof *shape->points);
  shape->count = count;
  return shape->points != NULL;
}

static carom_status load_points(carom_loader *loader, carom_shape *shape, const carom_yaml *value,
                                const char *what) {
  bool one = has_centre(shape->kind);
  int count = one ? 1 : value->count;
  bool right = has_ends(shape->kind) ? count == 2 : count >= 3;
  if (!one && !right && has_ends(shape->kind))
    return carom_fail_at(loader->error, CAROM_ERR_INPUT, value->place,
                         "%s: a %s has two ends [[x, y], [x, y]], found %d", what,
                         KINDS[shape->kind], count);
  if (!one && !right)
    return carom_fail_at(loader->error, CAROM_ERR_INPUT, value->place,
                         "%s: a polygon has three or more corners [x, y], found %d", what, count);
  if (!make_points(loader, shape, count)) return carom_fail_memory(loader->error);
  for (int k = 0; k < count; k++) {
    carom_status status =
        load_point(loader, one ? value : value->values[k], what, shape->points[k]);
    if (status) return status;
  }
  return CAROM_OK;
}

static carom_status load_plane(carom_loader *loader, carom_shape *shape, const carom_yaml *value,
                               const char *what) {
  if (!make_points(loader, shape, 1)) return carom_fail_memory(loader->error);
  shape->points[0][0] = carom_node_constant(loader->graph, 0.0);
  carom_rules rules = {.what = what, .kinds = CAROM_KINDS_POSITION};
  return carom_load_expression(loader, value, &rules, &shape->points[0][1]);
}

// a number that some kinds of shapes need, and others do not have
static carom_status load_part(carom_loader *loader, const carom_shape *shape, const carom_yaml *map,
                              const char *key, bool owner, bool needed, const char *what,
                              carom_node *node) {
  const carom_yaml *value = carom_loader_get(map, key);
  if (needed && !value)
    return carom_fail_at(loader->error, CAROM_ERR_INPUT, map->place, "%s needs %s%s", what,
                         strcmp(key, "to") == 0 ? "" : "a ", key);
  if (!owner && value)
    return carom_fail_at(loader->error, CAROM_ERR_INPUT, value->place, "%s is a %s and has no %s",
                         what, KINDS[shape->kind], key);
  if (!value) return CAROM_OK;
  carom_rules rules = {.what = carom_loader_path(loader, "%s.%s", what, key),
                       .kinds = CAROM_KINDS_POSITION};
  return carom_load_expression(loader, value, &rules, node);
}

static carom_status load_parts(carom_loader *loader, carom_shape *shape, const carom_yaml *map,
                               const char *what) {
  bool round = has_centre(shape->kind), angle = shape->kind == CAROM_SHAPE_ANGLE;
  shape->from = shape->to = carom_node_constant(loader->graph, 0.0);
  carom_status status = load_part(loader, shape, map, "radius", round, round, what, &shape->radius);
  if (!status) status = load_part(loader, shape, map, "from", angle, false, what, &shape->from);
  if (!status) status = load_part(loader, shape, map, "to", angle, angle, what, &shape->to);
  return status;
}

static const char *text_of(const carom_yaml *map, const char *key) {
  const carom_yaml *value = carom_loader_get(map, key);
  return value ? value->text : NULL;
}

static carom_status load_shape(carom_loader *loader, carom_shape *shape, const carom_yaml *map,
                               int number) {
  const char *what = carom_loader_path(loader, "shapes.%d", number);
  int found = -1;
  *shape = (carom_shape){
      .label = text_of(map, "label"), .color = text_of(map, "color"), .fill = text_of(map, "fill")};
  if (loader->scenario->drawing.space) return carom_load_solid(loader, shape, map, what);
  for (int k = 0; k < WRITTEN_KINDS; k++) {
    if (!carom_loader_get(map, KINDS[k])) continue;
    if (found >= 0)
      return carom_fail_at(loader->error, CAROM_ERR_INPUT, map->place,
                           "%s is both a %s and a %s; begin a new item of the list", what,
                           KINDS[found], KINDS[k]);
    found = k;
  }
  if (found < 0)
    return carom_fail_at(
        loader->error, CAROM_ERR_INPUT, map->place,
        "%s needs one of circle, segment, polygon, plane, spring, damper or angle, "
        "in space one of sphere, ellipsoid, box, cylinder, segment or plane",
        what);
  const carom_yaml *value = carom_loader_get(map, KINDS[found]);
  shape->kind = (carom_shape_kind)found;
  carom_status status = shape->kind == CAROM_SHAPE_PLANE ? load_plane(loader, shape, value, what)
                                                         : load_points(loader, shape, value, what);
  return status ? status : load_parts(loader, shape, map, what);
}

static carom_status load_written(carom_loader *loader, const carom_yaml *list) {
  carom_drawing *drawing = &loader->scenario->drawing;
  carom_status status = carom_loader_room(loader, list, CAROM_YAML_MAX_NODES, "shapes",
                                          sizeof *drawing->shapes, (void **)&drawing->shapes);
  // one of them in space: all are
  for (int k = 0; k < list->count; k++)
    if (list->values[k]->kind == CAROM_YAML_MAP && carom_shape_is_solid(list->values[k]))
      drawing->space = true;
  for (int k = 0; !status && k < list->count; k++) {
    if (list->values[k]->kind != CAROM_YAML_MAP)
      status = carom_fail_at(loader->error, CAROM_ERR_INPUT, list->values[k]->place,
                             "shapes.%d: a shape is a map, like {circle: [x, y], radius: r}", k);
    else
      status = load_shape(loader, &drawing->shapes[k], list->values[k], k);
    drawing->count = k + 1;
  }
  return status;
}

// ---- what is drawn of a scenario without shapes ----
// Coordinates x and y (x1 and y1 ...) are places: points are drawn there, and contacts whose gap is
// the distance from a place to something level or upright as lines. All other coordinates, and
// states, are beads, a row each, contacts that stop one of them as stops on its row.

enum { MOST_BEADS = 16, MOST_MADE = 64 };

static carom_shape *make_shape(carom_loader *loader, carom_shape_kind kind, const char *label) {
  int points = kind == CAROM_SHAPE_WALL ? 3 : 1;
  carom_drawing *drawing = &loader->scenario->drawing;
  if (drawing->count == MOST_MADE) return NULL;
  carom_shape *shape = &drawing->shapes[drawing->count];
  *shape = (carom_shape){.kind = kind, .label = label, .row = -1};
  if (!make_points(loader, shape, points)) return NULL;
  shape->radius = carom_node_constant(loader->graph, 0.0);
  for (int k = 0; k < points; k++)
    shape->points[k][0] = shape->points[k][1] = shape->radius;
  drawing->count++;
  return shape;
}

// "y2" for "x2"; -1: there is none
static int partner_coordinate(const carom_scenario *s, int k) {
  const char *name = s->coordinates[k].name;
  if (name[0] != 'x') return -1;
  for (int j = 0; j < s->coordinate_count; j++)
    if (s->coordinates[j].name[0] == 'y' && strcmp(s->coordinates[j].name + 1, name + 1) == 0)
      return j;
  return -1;
}

// a coordinate that is alone: a height, or a way
static bool is_lone(const carom_scenario *s) {
  const char *name = s->coordinate_count == 1 ? s->coordinates[0].name : "";
  return name[0] == 'x' || name[0] == 'y';
}

static bool is_paired(const carom_scenario *s, int k) {
  if (is_lone(s)) return true;
  for (int j = 0; j < s->coordinate_count; j++)
    if (partner_coordinate(s, j) == k) return true;
  return partner_coordinate(s, k) >= 0;
}

// The coordinate that a gap is the distance of, and the side on which it is free; -1: none, or
// several.
static int stopped_by(carom_loader *loader, carom_node gap, double *side) {
  const carom_scenario *s = loader->scenario;
  int found = -1;
  for (int k = 0; k < s->coordinate_count; k++) {
    if (!carom_node_depends(loader->graph, gap, s->coordinates[k].symbol)) continue;
    carom_node slope = carom_node_derivative(loader->graph, gap, s->coordinates[k].symbol);
    if (found >= 0 || !carom_node_is_constant(loader->graph, slope, side)) return -1;
    if (*side != 1.0 && *side != -1.0) return -1;
    found = k;
  }
  return found;
}

// where the coordinate is when the gap is zero
static carom_node stop_of(carom_loader *loader, carom_node coordinate, carom_node gap,
                          double side) {
  return side > 0.0 ? carom_sub(loader->graph, coordinate, gap)
                    : carom_add(loader->graph, coordinate, gap);
}

static void make_places(carom_loader *loader) {
  const carom_scenario *s = loader->scenario;
  if (is_lone(s)) {
    carom_shape *point = make_shape(loader, CAROM_SHAPE_CIRCLE, NULL);
    if (point) point->points[0][s->coordinates[0].name[0] == 'y'] = s->coordinates[0].symbol;
    return;
  }
  for (int k = 0; k < s->coordinate_count; k++) {
    int y = partner_coordinate(s, k);
    carom_shape *point = y >= 0 ? make_shape(loader, CAROM_SHAPE_CIRCLE, NULL) : NULL;
    if (!point) continue;
    point->points[0][0] = s->coordinates[k].symbol;
    point->points[0][1] = s->coordinates[y].symbol;
  }
}

static void make_line(carom_loader *loader, const carom_contact *contact) {
  const carom_scenario *s = loader->scenario;
  double side;
  int k = contact->gap.node ? stopped_by(loader, contact->gap.node, &side) : -1;
  if (k < 0 || !is_paired(s, k)) return;
  bool level = s->coordinates[k].name[0] == 'y' && side > 0.0;
  carom_shape *line =
      make_shape(loader, level ? CAROM_SHAPE_PLANE : CAROM_SHAPE_WALL, contact->name);
  if (!line) return;
  int axis = s->coordinates[k].name[0] == 'y';
  // the normal of a wall is behind its point
  if (!level) line->points[1 + axis][1 - axis] = carom_node_constant(loader->graph, side);
  line->points[0][axis] = stop_of(loader, s->coordinates[k].symbol, contact->gap.node, side);
}

static void make_stops(carom_loader *loader, int coordinate, int row) {
  const carom_scenario *s = loader->scenario;
  for (int c = 0; c < s->contact_count; c++) {
    double side;
    carom_node gap = s->contacts[c].gap.node;
    if (!gap || stopped_by(loader, gap, &side) != coordinate) continue;
    carom_shape *stop = make_shape(loader, CAROM_SHAPE_STOP, s->contacts[c].name);
    if (!stop) continue;
    stop->row = row;
    stop->side = side;
    stop->points[0][0] = stop_of(loader, s->coordinates[coordinate].symbol, gap, side);
  }
}

static void make_bead(carom_loader *loader, const char *name, carom_node symbol, int row) {
  carom_shape *bead = make_shape(loader, CAROM_SHAPE_BEAD, name);
  if (!bead) return;
  bead->row = row;
  bead->points[0][0] = symbol;
}

static carom_status make_drawing(carom_loader *loader) {
  carom_scenario *s = loader->scenario;
  s->drawing.made = true;
  s->drawing.shapes = carom_arena_array(loader->arena, MOST_MADE, sizeof *s->drawing.shapes);
  if (!s->drawing.shapes) return carom_fail_memory(loader->error);
  make_places(loader);
  for (int c = 0; c < s->contact_count; c++)
    make_line(loader, &s->contacts[c]);
  // where there are places they are the picture
  bool placed = s->drawing.count > 0;
  int rows = 0;
  for (int k = 0; k < s->coordinate_count && !placed && rows < MOST_BEADS; k++, rows++) {
    make_bead(loader, s->coordinates[k].name, s->coordinates[k].symbol, rows);
    make_stops(loader, k, rows);
  }
  for (int k = 0; k < s->state_count && !placed && rows < MOST_BEADS; k++, rows++)
    make_bead(loader, s->states[k].name, s->states[k].symbol, rows);
  return carom_graph_status(loader->graph) == CAROM_OK
             ? CAROM_OK
             : carom_loader_graph_failed(loader, loader->document->root->place);
}

carom_status carom_load_shapes(carom_loader *loader) {
  const carom_yaml *list = carom_yaml_get(loader->document->root, "shapes");
  return list && list->count > 0 ? load_written(loader, list) : make_drawing(loader);
}
