// SPDX-License-Identifier: MIT
// URDF: links and joints beside each other, which name each other. Frames of links are those of the
// joints that hold them; x, y, z and roll, pitch, yaw about the fixed axes.
// http://wiki.ros.org/urdf
#include "robot/robot_read.h"

#include <stdlib.h>
#include <string.h>

static carom_status read_origin(carom_robot *robot, const carom_xml *element, carom_frame *frame) {
  static const double axes[3][3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
  const carom_xml *origin = carom_xml_child(element, "origin");
  double angles[3] = {0.0, 0.0, 0.0};
  *frame = carom_frame_none;
  carom_status status = carom_robot_vector(robot, origin, "xyz", 3, frame->at);
  if (status == CAROM_OK) status = carom_robot_vector(robot, origin, "rpy", 3, angles);
  for (int k = 0; k < 3; k++) {
    double turn[4];
    carom_turn_about(axes[k], angles[k], turn);
    if (angles[k] != 0.0) carom_turn_product(turn, frame->turn, frame->turn);
  }
  if (origin && status == CAROM_OK) carom_robot_note_rest(robot, origin, "xyz rpy", "");
  return status;
}

// a number that has to be there and may not be negative
static carom_status read_size(carom_robot *robot, const carom_xml *element, const char *name,
                              int count, double *numbers) {
  const carom_xml_attribute *value;
  carom_status status = carom_robot_need(robot, element, name, &value);
  if (status == CAROM_OK) status = carom_robot_numbers(robot, value, count, count, numbers, NULL);
  for (int k = 0; status == CAROM_OK && k < count; k++)
    if (!(numbers[k] > 0.0))
      return carom_robot_fail(robot, value->place, "%s has to be above 0", name);
  return status;
}

// ---- links

static carom_status read_inertia(carom_robot *robot, const carom_xml *element,
                                 const carom_frame *frame, carom_robot_link *link) {
  static const char *const names[] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
  const carom_xml *mass = carom_xml_child(element, "mass"),
                  *inertia = carom_xml_child(element, "inertia");
  carom_robot_mass own = {0};
  if (!mass || !inertia)
    return carom_robot_fail(robot, element->place, "<inertial> needs <%s .../>",
                            mass ? "inertia" : "mass");
  const carom_xml_attribute *value;
  carom_status status = carom_robot_need(robot, mass, "value", &value);
  if (status == CAROM_OK) status = carom_robot_numbers(robot, value, 1, 1, &own.mass, NULL);
  if (status == CAROM_OK && own.mass < 0.0)
    return carom_robot_fail(robot, value->place, "a mass is negative");
  for (int k = 0; status == CAROM_OK && k < 6; k++) {
    status = carom_robot_need(robot, inertia, names[k], &value);
    if (status == CAROM_OK) status = carom_robot_numbers(robot, value, 1, 1, &own.inertia[k], NULL);
    if (status == CAROM_OK && k < 3 && own.inertia[k] < 0.0)
      return carom_robot_fail(robot, value->place, "%s is negative", names[k]);
  }
  link->weighed = own.mass > 0.0;
  link->mass = carom_robot_place_mass(frame, &own);
  return status;
}

static carom_status read_mesh(carom_robot *robot, const carom_xml *mesh, carom_robot_shape *shape,
                              bool *known) {
  const carom_xml_attribute *file;
  double scale[3] = {1.0, 1.0, 1.0};
  carom_status status = carom_robot_need(robot, mesh, "filename", &file);
  if (status == CAROM_OK) status = carom_robot_vector(robot, mesh, "scale", 3, scale);
  if (status != CAROM_OK) return status;
  *known = scale[0] > 0.0 && scale[0] == scale[1] && scale[0] == scale[2];
  if (*known) return carom_robot_read_hull(robot, shape, file->value, scale[0], known);
  carom_robot_note(robot, mesh->place, "mesh %s: a scale other along each axis", file->value);
  return CAROM_OK;
}

static carom_status read_geometry(carom_robot *robot, const carom_xml *one,
                                  carom_robot_shape *shape, bool *known) {
  *known = true;
  if (strcmp(one->name, "sphere") == 0) {
    shape->kind = CAROM_ROBOT_SPHERE;
    return read_size(robot, one, "radius", 1, shape->size);
  }
  if (strcmp(one->name, "box") == 0) {
    shape->kind = CAROM_ROBOT_BOX;
    return read_size(robot, one, "size", 3, shape->size);
  }
  if (strcmp(one->name, "mesh") == 0) return read_mesh(robot, one, shape, known);
  bool capsule = strcmp(one->name, "capsule") == 0;
  *known = capsule || strcmp(one->name, "cylinder") == 0;
  if (!*known) {
    carom_robot_note(robot, one->place, "geometry <%s>", one->name);
    return CAROM_OK;
  }
  shape->kind = capsule ? CAROM_ROBOT_CAPSULE : CAROM_ROBOT_CYLINDER;
  carom_status status = read_size(robot, one, "radius", 1, &shape->size[capsule]);
  return status == CAROM_OK ? read_size(robot, one, "length", 1, &shape->size[!capsule]) : status;
}

static carom_status read_collision(carom_robot *robot, const carom_xml *element,
                                   carom_robot_link *link, double friction) {
  const carom_xml *geometry = carom_xml_child(element, "geometry");
  const carom_xml_attribute *name = carom_xml_attribute_of(element, "name");
  if (!geometry || !geometry->first)
    return carom_robot_fail(robot, element->place, "<collision> needs <geometry>");
  carom_robot_shape *shape = carom_robot_add_shape(robot, link);
  bool known;
  if (!shape) return carom_fail_memory(robot->error);
  shape->place = element->place;
  shape->name = name ? name->value : NULL;
  shape->friction = friction;
  shape->mass = 0.0;
  carom_status status = read_origin(robot, element, &shape->frame);
  if (status == CAROM_OK) status = read_geometry(robot, geometry->first, shape, &known);
  carom_robot_note_rest(robot, element, "name", "origin geometry");
  if (status == CAROM_OK && !known) link->shape_count--;
  return status;
}

// <contact><lateral_friction value="..."/></contact>, or <mu1> of <gazebo reference="...">
static carom_status read_friction(carom_robot *robot, const carom_xml *root,
                                  const carom_xml *element, const char *name, double *friction) {
  const carom_xml *contact = carom_xml_child(element, "contact");
  const carom_xml *lateral = contact ? carom_xml_child(contact, "lateral_friction") : NULL;
  if (contact) carom_robot_note_rest(robot, contact, "", "lateral_friction");
  if (lateral) return carom_robot_vector(robot, lateral, "value", 1, friction);
  for (const carom_xml *one = carom_xml_child(root, "gazebo"); one;
       one = carom_xml_next(one, "gazebo")) {
    const carom_xml_attribute *of = carom_xml_attribute_of(one, "reference");
    const carom_xml *mu = carom_xml_child(one, "mu1");
    if (!of || !mu || strcmp(of->value, name) != 0) continue;
    carom_xml_attribute value = {"mu1", mu->text, mu->place};
    return carom_robot_numbers(robot, &value, 1, 1, friction, NULL);
  }
  return CAROM_OK;
}

static carom_status read_link(carom_robot *robot, const carom_xml *root, const carom_xml *element) {
  const carom_xml_attribute *name;
  carom_status status = carom_robot_need(robot, element, "name", &name);
  if (status != CAROM_OK) return status;
  carom_robot_link *link = carom_robot_add_link(robot);
  if (!link) return carom_fail_memory(robot->error);
  link->name = name->value;
  link->place = element->place;
  const carom_xml *inertial = carom_xml_child(element, "inertial");
  carom_frame frame = carom_frame_none;
  double friction = 1.0;
  if (inertial) status = read_origin(robot, inertial, &frame);
  if (inertial && status == CAROM_OK) status = read_inertia(robot, inertial, &frame, link);
  if (status == CAROM_OK) status = read_friction(robot, root, element, link->name, &friction);
  for (const carom_xml *one = carom_xml_child(element, "collision"); one && status == CAROM_OK;
       one = carom_xml_next(one, "collision"))
    status = read_collision(robot, one, link, friction);
  if (carom_xml_child(element, "visual"))
    carom_robot_note(robot, carom_xml_child(element, "visual")->place,
                     "<visual>: pictures show the shapes that touch");
  carom_robot_note_rest(robot, element, "name", "inertial collision visual contact");
  return status;
}

// ---- joints

static carom_robot_link *find_link(carom_robot *robot, const char *name) {
  for (int k = 0; k < robot->link_count; k++)
    if (strcmp(robot->links[k].name, name) == 0) return &robot->links[k];
  return NULL;
}

static const struct {
  const char *name;
  carom_robot_joint_kind kind;
  bool limited;
} types[] = {{"revolute", CAROM_ROBOT_HINGE, true},   {"continuous", CAROM_ROBOT_HINGE, false},
             {"prismatic", CAROM_ROBOT_SLIDER, true}, {"fixed", CAROM_ROBOT_FIXED, false},
             {"floating", CAROM_ROBOT_FREE, false},   {"planar", CAROM_ROBOT_PLANAR, false}};

static carom_status read_limit(carom_robot *robot, const carom_xml *element,
                               carom_robot_joint *joint) {
  const carom_xml *limit = carom_xml_child(element, "limit");
  if (!limit)
    return carom_robot_fail(robot, element->place, "joint '%s' needs <limit lower=... upper=.../>",
                            joint->name);
  joint->limited = true;
  carom_status status = carom_robot_vector(robot, limit, "lower", 1, &joint->low);
  if (status == CAROM_OK) status = carom_robot_vector(robot, limit, "upper", 1, &joint->high);
  if (status == CAROM_OK && !(joint->low < joint->high))
    return carom_robot_fail(robot, limit->place, "joint '%s': lower is not below upper",
                            joint->name);
  carom_robot_note_rest(robot, limit, "lower upper effort velocity", "");
  if (carom_xml_attribute_of(limit, "effort"))
    carom_robot_note(robot, limit->place,
                     "<limit> effort, velocity: those of a motor, and joints here have none");
  return status;
}

static carom_status read_mimic(carom_robot *robot, const carom_xml *mimic,
                               const carom_robot_joint *joint) {
  const carom_xml_attribute *other;
  carom_robot_tie *tie = carom_robot_add_tie(robot);
  if (!tie) return carom_fail_memory(robot->error);
  carom_status status = carom_robot_need(robot, mimic, "joint", &other);
  if (status != CAROM_OK) return status;
  *tie = (carom_robot_tie){.kind = CAROM_ROBOT_GEAR,
                           .place = mimic->place,
                           .name = carom_robot_say(robot, "%s_mimic", joint->name),
                           .first = joint->name,
                           .second = other->value,
                           .ratio = 1.0};
  status = carom_robot_vector(robot, mimic, "multiplier", 1, &tie->ratio);
  return status == CAROM_OK ? carom_robot_vector(robot, mimic, "offset", 1, &tie->offset) : status;
}

static carom_status read_axis(carom_robot *robot, const carom_xml *element,
                              carom_robot_joint *joint) {
  const carom_xml *axis = carom_xml_child(element, "axis");
  joint->axis[0] = 1.0;
  carom_status status = carom_robot_vector(robot, axis, "xyz", 3, joint->axis);
  if (joint->axis[0] == 0.0 && joint->axis[1] == 0.0 && joint->axis[2] == 0.0)
    return carom_robot_fail(robot, axis->place, "the axis of joint '%s' has no direction",
                            joint->name);
  return status;
}

static carom_status read_dynamics(carom_robot *robot, const carom_xml *element,
                                  carom_robot_joint *joint) {
  const carom_xml *dynamics = carom_xml_child(element, "dynamics"),
                  *mimic = carom_xml_child(element, "mimic");
  carom_status status = carom_robot_vector(robot, dynamics, "damping", 1, &joint->damping);
  if (status == CAROM_OK)
    status = carom_robot_vector(robot, dynamics, "friction", 1, &joint->friction);
  if (status == CAROM_OK && (joint->damping < 0.0 || joint->friction < 0.0))
    return carom_robot_fail(robot, dynamics->place,
                            "joint '%s': damping and friction are not negative", joint->name);
  if (dynamics) carom_robot_note_rest(robot, dynamics, "damping friction", "");
  return mimic && status == CAROM_OK ? read_mimic(robot, mimic, joint) : status;
}

// the link that `child` or `parent` names
static carom_status read_end(carom_robot *robot, const carom_xml *element, const char *which,
                             carom_robot_link **link) {
  const carom_xml *end = carom_xml_child(element, which);
  const carom_xml_attribute *name;
  if (!end)
    return carom_robot_fail(robot, element->place, "<joint> needs <%s link=\"...\"/>", which);
  carom_status status = carom_robot_need(robot, end, "link", &name);
  if (status != CAROM_OK) return status;
  *link = find_link(robot, name->value);
  return *link ? CAROM_OK
               : carom_robot_fail(robot, name->place, "there is no link '%s'", name->value);
}

static carom_status read_type(carom_robot *robot, const carom_xml *element,
                              carom_robot_joint *joint, bool *limited) {
  const carom_xml_attribute *type;
  carom_status status = carom_robot_need(robot, element, "type", &type);
  if (status != CAROM_OK) return status;
  for (size_t k = 0; k < sizeof types / sizeof *types; k++)
    if (strcmp(type->value, types[k].name) == 0) {
      joint->kind = types[k].kind;
      *limited = types[k].limited;
      return CAROM_OK;
    }
  return carom_robot_fail(
      robot, type->place,
      "'%s' is no type of joints; there are revolute, continuous, prismatic, fixed, "
      "floating, planar",
      type->value);
}

static carom_status read_joint(carom_robot *robot, const carom_xml *element) {
  const carom_xml_attribute *name;
  carom_robot_link *child = NULL, *parent = NULL;
  bool limited = false;
  carom_status status = carom_robot_need(robot, element, "name", &name);
  if (status == CAROM_OK) status = read_end(robot, element, "child", &child);
  if (status == CAROM_OK) status = read_end(robot, element, "parent", &parent);
  if (status != CAROM_OK || !child || !parent) return status;
  if (child->parent_name)
    return carom_robot_fail(robot, element->place, "link '%s' is the child of two joints",
                            child->name);
  child->parent_name = parent->name;
  child->parent = (int)(parent - robot->links);
  child->joint.name = name->value;
  child->joint.place = element->place;
  status = read_type(robot, element, &child->joint, &limited);
  if (status == CAROM_OK) status = read_origin(robot, element, &child->frame);
  if (status == CAROM_OK) status = read_axis(robot, element, &child->joint);
  if (status == CAROM_OK && limited) status = read_limit(robot, element, &child->joint);
  if (status == CAROM_OK) status = read_dynamics(robot, element, &child->joint);
  carom_robot_note_rest(robot, element, "name type",
                        "origin axis limit parent child dynamics mimic");
  return status;
}

// ---- the whole

static carom_status check_names(carom_robot *robot) {
  for (int k = 0; k < robot->link_count; k++)
    for (int j = 0; j < k; j++) {
      const carom_robot_link *a = &robot->links[k], *b = &robot->links[j];
      if (strcmp(a->name, b->name) == 0)
        return carom_robot_fail(robot, a->place, "there are two links '%s'", a->name);
      if (a->joint.name && b->joint.name && strcmp(a->joint.name, b->joint.name) == 0)
        return carom_robot_fail(robot, a->joint.place, "there are two joints '%s'", a->joint.name);
    }
  return CAROM_OK;
}

static int compare_depth(const void *a, const void *b) {
  const carom_robot_link *p = a, *q = b;
  return p->whole != q->whole ? (p->whole > q->whole) - (p->whole < q->whole)
                              : (p->place.line > q->place.line) - (p->place.line < q->place.line);
}

// parents before children; `whole` holds the depth meanwhile
static carom_status sort_links(carom_robot *robot) {
  int roots = 0;
  for (int k = 0; k < robot->link_count; k++) {
    carom_robot_link *link = &robot->links[k];
    int depth = 0;
    for (int up = k; robot->links[up].parent >= 0; up = robot->links[up].parent)
      if (++depth > robot->link_count)
        return carom_robot_fail(robot, link->place,
                                "link '%s' hangs on itself: its joints go round", link->name);
    link->whole = depth;
    if (depth == 0 && ++roots > 1)
      return carom_robot_fail(robot, link->place,
                              "link '%s' has no parent, and another one has none either",
                              link->name);
  }
  qsort(robot->links, (size_t)robot->link_count, sizeof *robot->links, compare_depth);
  for (int k = 0; k < robot->link_count; k++) {
    carom_robot_link *link = &robot->links[k];
    link->whole = k;
    if (link->parent_name) link->parent = (int)(find_link(robot, link->parent_name) - robot->links);
  }
  return CAROM_OK;
}

static carom_status read_parts(carom_robot *robot, const carom_xml *root) {
  carom_status status = CAROM_OK;
  for (const carom_xml *one = root->first; one && status == CAROM_OK; one = one->next)
    if (strcmp(one->name, "link") == 0) status = read_link(robot, root, one);
  if (status == CAROM_OK && robot->link_count == 0)
    return carom_robot_fail(robot, root->place, "<%s> has no link", root->name);
  for (const carom_xml *one = root->first; one && status == CAROM_OK; one = one->next)
    if (strcmp(one->name, "joint") == 0)
      status = read_joint(robot, one);
    else if (strncmp(one->name, "xacro:", 6) == 0)
      return carom_robot_fail(
          robot, one->place, "<%s> is a macro: let xacro write the file without macros", one->name);
  return status;
}

// where the robot starts, and whether its base stays there
static carom_status set_base(carom_robot *robot, const carom_robot_options *options) {
  carom_robot_link *base = &robot->links[0];
  bool world = strcmp(base->name, "world") == 0;
  base->fixed = options->base < 0 || (options->base == 0 && (world || !base->weighed));
  base->joint.kind = CAROM_ROBOT_FREE;
  if (!base->fixed && !base->weighed)
    return carom_robot_fail(robot, base->place, "link '%s' has no mass: it cannot float",
                            base->name);
  return CAROM_OK;
}

carom_status carom_robot_read_urdf(carom_robot *robot, const carom_xml *root,
                                   const carom_robot_options *options) {
  const carom_xml_attribute *name = carom_xml_attribute_of(root, "name");
  robot->name = name ? name->value : "";
  robot->gravity[2] = -9.81;
  robot->touching = options->floor;
  carom_status status = read_parts(robot, root);
  if (status == CAROM_OK) status = check_names(robot);
  if (status == CAROM_OK) status = sort_links(robot);
  for (const carom_xml *one = carom_xml_child(root, "gazebo"); one;
       one = carom_xml_next(one, "gazebo"))
    carom_robot_note_rest(robot, one, "reference", "mu1 mu2");
  carom_robot_note_rest(robot, root, "name version", "link joint material gazebo");
  return status == CAROM_OK ? set_base(robot, options) : status;
}
