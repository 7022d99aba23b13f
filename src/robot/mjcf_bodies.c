// SPDX-License-Identifier: MIT
// MJCF: bodies with their shapes, masses and marked points.
#include "robot/mjcf.h"

#include "base/elementary.h"

#include <string.h>

enum { DEEPEST = 200 }; // as deep as XML may be

static const char GEOM_KEYS[] = "name class type pos quat axisangle xyaxes zaxis euler fromto size "
                                "mass density friction contype "
                                "conaffinity group rgba material mesh condim user";

// ---- shapes

static const struct {
  const char *name;
  carom_robot_shape_kind kind;
  int sizes; // how many numbers `size` needs; ends given by fromto make the last one
} types[] = {{"sphere", CAROM_ROBOT_SPHERE, 1},       {"capsule", CAROM_ROBOT_CAPSULE, 2},
             {"cylinder", CAROM_ROBOT_CYLINDER, 2},   {"box", CAROM_ROBOT_BOX, 3},
             {"ellipsoid", CAROM_ROBOT_ELLIPSOID, 3}, {"plane", CAROM_ROBOT_PLANE, 0}};

// the shape lies between two points; returns half their distance
static carom_status read_ends(const carom_mjcf *m, const carom_xml_attribute *value,
                              carom_frame *frame, double *half) {
  double ends[6], along[3];
  carom_status status = carom_robot_numbers(m->robot, value, 6, 6, ends, NULL);
  for (int k = 0; status == CAROM_OK && k < 3; k++) {
    frame->at[k] = (ends[k] + ends[3 + k]) / 2.0;
    along[k] = ends[3 + k] - ends[k];
  }
  if (status != CAROM_OK) return status;
  *half = carom_hypot(carom_hypot(along[0], along[1]), along[2]) / 2.0;
  if (!(*half > 0.0)) return carom_robot_fail(m->robot, value->place, "both ends are one point");
  carom_turn_third_to(along, frame->turn);
  return CAROM_OK;
}

// half sizes become those that scenarios write
static void take_sizes(carom_robot_shape *shape, const double s[3]) {
  double *to = shape->size;
  memcpy(to, s, sizeof shape->size);
  if (shape->kind == CAROM_ROBOT_CYLINDER) to[1] = 2.0 * s[1];
  for (int k = 0; shape->kind == CAROM_ROBOT_BOX && k < 3; k++)
    to[k] = 2.0 * s[k];
  if (shape->kind != CAROM_ROBOT_CAPSULE) return;
  to[0] = 2.0 * s[1];
  to[1] = s[0];
}

static carom_status read_simple(const carom_mjcf *m, const carom_mjcf_view *view, int type,
                                carom_robot_shape *shape) {
  const carom_xml_attribute *ends = carom_mjcf_value(view, "fromto");
  double sizes[3] = {0.0, 0.0, 0.0}, half = 0.0;
  int count = 0, wanted = types[type].sizes;
  shape->kind = types[type].kind;
  bool stretched = ends && wanted > 1;
  carom_status status = CAROM_OK;
  if (stretched) status = read_ends(m, ends, &shape->frame, &half);
  if (wanted == 0 || status != CAROM_OK) return status;
  status = carom_mjcf_numbers(m, view, "size", 1, 3, sizes, &count);
  if (stretched && wanted == 3 && count == 1) sizes[1] = sizes[0];
  if (stretched) sizes[wanted - 1] = half;
  for (int k = 0; k < wanted && status == CAROM_OK; k++)
    if (!(sizes[k] > 0.0))
      return carom_robot_fail(m->robot, view->element->place,
                              "a %s needs %d sizes above 0, half its lengths", types[type].name,
                              stretched ? wanted - 1 : wanted);
  take_sizes(shape, sizes);
  return status;
}

// the stem of a path names what has no name
static bool is_called(const carom_xml *mesh, const char *name) {
  const carom_xml_attribute *own = carom_xml_attribute_of(mesh, "name"),
                            *file = carom_xml_attribute_of(mesh, "file");
  if (own || !file) return own && strcmp(own->value, name) == 0;
  const char *stem = strrchr(file->value, '/');
  stem = stem ? stem + 1 : file->value;
  size_t length = strcspn(stem, ".");
  return strlen(name) == length && strncmp(stem, name, length) == 0;
}

static const carom_xml *find_mesh(const carom_mjcf *m, const char *name) {
  for (const carom_xml *list = carom_xml_child(m->root, "asset"); list;
       list = carom_xml_next(list, "asset"))
    for (const carom_xml *one = carom_xml_child(list, "mesh"); one;
         one = carom_xml_next(one, "mesh"))
      if (is_called(one, name)) return one;
  return NULL;
}

static carom_status read_mesh(const carom_mjcf *m, const carom_mjcf_view *geom,
                              carom_robot_shape *shape, bool *known) {
  const carom_xml_attribute *name = carom_mjcf_value(geom, "mesh");
  const carom_xml *mesh = name ? find_mesh(m, name->value) : NULL;
  carom_mjcf_view view;
  double scale[3] = {1.0, 1.0, 1.0};
  *known = false;
  if (!mesh)
    return carom_robot_fail(m->robot, (name ? name->place : geom->element->place),
                            name ? "there is no mesh '%s'" : "this geom needs a mesh%s",
                            name ? name->value : "");
  carom_status status = carom_mjcf_view_of(m, mesh, "mesh", NULL, &view);
  if (status == CAROM_OK) status = carom_mjcf_numbers(m, &view, "scale", 3, 3, scale, NULL);
  if (status != CAROM_OK) return status;
  const carom_xml_attribute *file = carom_mjcf_value(&view, "file");
  carom_robot_note_rest(m->robot, mesh, "name class file scale", "");
  bool moved = carom_mjcf_value(&view, "refpos") || carom_mjcf_value(&view, "refquat");
  if (!file || moved || scale[0] <= 0.0 || scale[0] != scale[1] || scale[0] != scale[2]) {
    carom_robot_note(m->robot, mesh->place, "mesh '%s': %s", name->value,
                     !file   ? "it has no file"
                     : moved ? "another frame than its file's"
                             : "a scale other along each axis");
    return CAROM_OK;
  }
  const char *path = m->meshes[0] && file->value[0] != '/'
                         ? carom_robot_say(m->robot, "%s/%s", m->meshes, file->value)
                         : file->value;
  if (!path) return carom_fail_memory(m->robot->error);
  return carom_robot_read_hull(m->robot, shape, path, scale[0], known);
}

static carom_status read_kind(const carom_mjcf *m, const carom_mjcf_view *view,
                              carom_robot_shape *shape, bool *known) {
  const carom_xml_attribute *type = carom_mjcf_value(view, "type"),
                            *mesh = carom_mjcf_value(view, "mesh");
  const char *name = type ? type->value : mesh ? "mesh" : "sphere";
  *known = true;
  if (strcmp(name, "mesh") == 0) return read_mesh(m, view, shape, known);
  for (int k = 0; !mesh && k < (int)(sizeof types / sizeof *types); k++)
    if (strcmp(types[k].name, name) == 0) return read_simple(m, view, k, shape);
  *known = false;
  carom_robot_note(m->robot, view->element->place,
                   mesh ? "a %s fitted to a mesh" : "geom of type %s", name);
  return CAROM_OK;
}

static carom_status read_contact(const carom_mjcf *m, const carom_mjcf_view *view,
                                 carom_robot_shape *shape) {
  double friction[3] = {1.0, 0.0, 0.0}, groups = 1.0, meets = 1.0, dimensions = 3.0;
  carom_status status = carom_mjcf_numbers(m, view, "friction", 1, 3, friction, NULL);
  if (status == CAROM_OK) status = carom_mjcf_numbers(m, view, "contype", 1, 1, &groups, NULL);
  if (status == CAROM_OK) status = carom_mjcf_numbers(m, view, "conaffinity", 1, 1, &meets, NULL);
  if (status == CAROM_OK) status = carom_mjcf_numbers(m, view, "condim", 1, 1, &dimensions, NULL);
  if (status != CAROM_OK) return status;
  if (friction[0] < 0.0 || !(groups >= 0.0 && groups < 2147483648.0) ||
      !(meets >= 0.0 && meets < 2147483648.0))
    return carom_robot_fail(m->robot, view->element->place,
                            "friction, contype and conaffinity are not negative");
  shape->friction = dimensions == 1.0 ? 0.0 : friction[0];
  shape->groups = (int)groups;
  shape->meets = (int)meets;
  if (dimensions > 3.0)
    carom_robot_note(m->robot, view->element->place,
                     "<geom> condim %g: friction against turning and rolling", dimensions);
  return CAROM_OK;
}

static carom_status read_geom(const carom_mjcf *m, const carom_xml *element, const carom_xml *class,
                              carom_robot_link *link) {
  const carom_xml_attribute *name = carom_xml_attribute_of(element, "name");
  carom_mjcf_view view;
  bool known;
  carom_robot_shape *shape = carom_robot_add_shape(m->robot, link);
  if (!shape) return carom_fail_memory(m->robot->error);
  shape->name = name ? name->value : NULL;
  shape->place = element->place;
  shape->density = 1000.0;
  carom_status status = carom_mjcf_view_of(m, element, "geom", class, &view);
  if (status == CAROM_OK) status = carom_mjcf_frame(m, &view, &shape->frame);
  if (status == CAROM_OK) status = read_kind(m, &view, shape, &known);
  if (status == CAROM_OK) status = carom_mjcf_numbers(m, &view, "mass", 1, 1, &shape->mass, NULL);
  if (status == CAROM_OK)
    status = carom_mjcf_numbers(m, &view, "density", 1, 1, &shape->density, NULL);
  if (status == CAROM_OK) status = read_contact(m, &view, shape);
  if (status != CAROM_OK) return status;
  if (shape->density < 0.0)
    return carom_robot_fail(m->robot, element->place, "a density is not negative");
  if (shape->kind == CAROM_ROBOT_PLANE) shape->mass = 0.0;
  carom_robot_note_rest(m->robot, element, GEOM_KEYS, "");
  if (!known) link->shape_count--;
  return CAROM_OK;
}

// ---- bodies

static carom_status read_inertial(const carom_mjcf *m, const carom_xml *element,
                                  carom_robot_link *link) {
  const carom_mjcf_view view = {element, "inertial", NULL};
  const carom_xml_attribute *value;
  carom_robot_mass own = {0};
  carom_frame frame;
  int given = 0, whole = 0;
  carom_status status = carom_mjcf_frame(m, &view, &frame);
  if (status == CAROM_OK) status = carom_robot_need(m->robot, element, "mass", &value);
  if (status == CAROM_OK) status = carom_robot_numbers(m->robot, value, 1, 1, &own.mass, NULL);
  if (status == CAROM_OK)
    status = carom_mjcf_numbers(m, &view, "diaginertia", 3, 3, own.inertia, &given);
  if (status == CAROM_OK)
    status = carom_mjcf_numbers(m, &view, "fullinertia", 6, 6, own.inertia, &whole);
  if (status != CAROM_OK) return status;
  if (!(own.mass >= 0.0) || (given == 0 && whole == 0))
    return carom_robot_fail(m->robot, element->place,
                            own.mass < 0.0 ? "a mass is negative"
                                           : "<inertial> needs diaginertia or fullinertia");
  link->weighed = true;
  link->mass = carom_robot_place_mass(&frame, &own);
  carom_robot_note_rest(m->robot, element,
                        "pos quat axisangle xyaxes zaxis euler mass diaginertia fullinertia", "");
  return CAROM_OK;
}

static carom_status read_site(const carom_mjcf *m, const carom_xml *element, const carom_xml *class,
                              carom_robot_link *link) {
  const carom_xml_attribute *name = carom_xml_attribute_of(element, "name");
  carom_mjcf_view view;
  carom_frame frame;
  carom_status status = carom_mjcf_view_of(m, element, "site", class, &view);
  if (status == CAROM_OK) status = carom_mjcf_frame(m, &view, &frame);
  return status == CAROM_OK && name ? carom_robot_add_point(m->robot, link, name->value, frame.at)
                                    : status;
}

static carom_status read_body(const carom_mjcf *m, const carom_xml *element, const carom_xml *class,
                              carom_robot_link *link) {
  const carom_xml *inertial = carom_xml_child(element, "inertial");
  carom_status status = CAROM_OK;
  bool world = strcmp(element->name, "worldbody") == 0;
  if (!world) status = carom_mjcf_joints(m, element, class, &link->joint);
  if (status == CAROM_OK && inertial && !m->by_shapes) status = read_inertial(m, inertial, link);
  for (const carom_xml *one = element->first; one && status == CAROM_OK; one = one->next) {
    if (strcmp(one->name, "geom") == 0) status = read_geom(m, one, class, link);
    if (strcmp(one->name, "site") == 0) status = read_site(m, one, class, link);
  }
  carom_robot_note_rest(m->robot, element,
                        "name pos quat axisangle xyaxes zaxis euler childclass user",
                        "inertial joint freejoint geom site body camera light");
  return status;
}

// a body, with what it inherits
typedef struct place {
  const carom_xml *element, *class;
  int link;
} place;

static carom_status add_body(const carom_mjcf *m, place *it, int parent) {
  const carom_xml_attribute *name = carom_xml_attribute_of(it->element, "name");
  carom_robot_link *link = carom_robot_add_link(m->robot);
  if (!link) return carom_fail_memory(m->robot->error);
  it->link = m->robot->link_count - 1;
  *link = (carom_robot_link){.name = name         ? name->value
                                     : parent < 0 ? "world"
                                                  : carom_robot_say(m->robot, "body%d", it->link),
                             .place = it->element->place,
                             .parent = parent,
                             .whole = it->link,
                             .fixed = parent < 0};
  const carom_mjcf_view view = {it->element, "body", NULL};
  carom_status status = carom_mjcf_child_class(m, it->element, &it->class);
  if (status == CAROM_OK) status = carom_mjcf_frame(m, &view, &link->frame);
  return status == CAROM_OK ? read_body(m, it->element, it->class, link) : status;
}

carom_status carom_mjcf_bodies(const carom_mjcf *m,
                               carom_status (*check)(const carom_mjcf *m, const carom_xml *at)) {
  place at[DEEPEST];
  int depth = 0;
  at[0] = (place){.element = carom_xml_child(m->root, "worldbody")};
  if (!at[0].element)
    return carom_robot_fail(m->robot, m->root->place, "<mujoco> has no <worldbody>");
  const carom_xml *second = carom_xml_next(at[0].element, "worldbody");
  if (second)
    return carom_robot_fail(m->robot, second->place, "a second <worldbody>: write them as one");
  carom_status status = check(m, at[0].element);
  if (status == CAROM_OK) status = add_body(m, &at[0], -1);
  const carom_xml *next = carom_xml_child(at[0].element, "body");
  while (status == CAROM_OK && (next || depth > 0)) {
    if (!next) {
      next = carom_xml_next(at[depth--].element, "body");
      continue;
    }
    at[depth + 1] = (place){next, at[depth].class, 0};
    depth++;
    status = check(m, next);
    if (status == CAROM_OK) status = add_body(m, &at[depth], at[depth - 1].link);
    next = carom_xml_child(next, "body");
  }
  return status;
}
