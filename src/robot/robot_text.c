// SPDX-License-Identifier: MIT
// The scenario of a robot: bodies with their shapes, joints, contacts.
#include "robot/robot_sheet.h"

#include "base/elementary.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

// ---- texts

void carom_robot_put(carom_robot_sheet *sheet, const char *format, ...) {
  va_list list, again;
  va_start(list, format);
  va_copy(again, list);
  int more = vsnprintf(NULL, 0, format, again);
  va_end(again);
  size_t wanted = sheet->length + (size_t)(more < 0 ? 0 : more) + 1;
  if (wanted > sheet->room) {
    char *larger = carom_arena_take(sheet->robot->arena, 2 * wanted + 4096);
    sheet->failed = sheet->failed || !larger || more < 0;
    if (larger && sheet->text) memcpy(larger, sheet->text, sheet->length);
    if (larger) {
      sheet->text = larger;
      sheet->room = 2 * wanted + 4096;
    }
  }
  if (!sheet->failed)
    sheet->length +=
        (size_t)vsnprintf(sheet->text + sheet->length, sheet->room - sheet->length, format, list);
  va_end(list);
}

static const char *text_or_zero(carom_robot_sheet *sheet, const char *text) {
  sheet->failed = sheet->failed || !text;
  return text ? text : "0";
}

// a number that was computed here: 15 digits, and rounding next to `scale` is 0
static const char *computed_digits(carom_robot_sheet *sheet, double value, double scale) {
  if (fabs(value) <= 4e-15 * scale) return "0";
  return text_or_zero(sheet, carom_robot_say(sheet->robot, "%.15g", value));
}

const char *carom_robot_exact(carom_robot_sheet *sheet, double value) {
  const char *text = "0";
  for (int digits = 15; digits <= 17; digits++) {
    text = text_or_zero(sheet, carom_robot_say(sheet->robot, "%.*g", digits, value));
    if (strtod(text, NULL) == value) break;
  }
  return text;
}

static void put_vector(carom_robot_sheet *sheet, const char *key, int count, const double *v,
                       double scale) {
  carom_robot_put(sheet, "%s: [", key);
  for (int k = 0; k < count; k++)
    carom_robot_put(sheet, "%s%s", k ? ", " : "", computed_digits(sheet, v[k], scale));
  carom_robot_put(sheet, "]");
}

static void put_exact(carom_robot_sheet *sheet, const char *key, int count, const double *v) {
  carom_robot_put(sheet, count > 1 ? "%s: [" : "%s: ", key);
  for (int k = 0; k < count; k++)
    carom_robot_put(sheet, "%s%s", k ? ", " : "", carom_robot_exact(sheet, v[k]));
  if (count > 1) carom_robot_put(sheet, "]");
}

static void put_quoted(carom_robot_sheet *sheet, const char *text) {
  carom_robot_put(sheet, "\"");
  for (const char *c = text; *c; c++)
    if ((unsigned char)*c < 0x20 || *c == 0x7f)
      carom_robot_put(sheet, "?");
    else
      carom_robot_put(sheet, "%s%c", *c == '"' || *c == '\\' ? "\\" : "", *c);
  carom_robot_put(sheet, "\"");
}

// ---- names

static bool is_taken(const carom_robot_sheet *sheet, const char *name) {
  for (int k = 0; k < sheet->name_count; k++)
    if (strcmp(sheet->names[k], name) == 0) return true;
  return false;
}

// letters, digits and _, as scenarios want them, and one for each
static const char *take_name(carom_robot_sheet *sheet, const char *wanted, const char *ending) {
  bool digit = isdigit((unsigned char)wanted[0]);
  char *name = carom_robot_say(sheet->robot, "%s%.200s", digit || !wanted[0] ? "_" : "", wanted);
  if (!name || !carom_arena_grow(sheet->robot->arena, (void **)&sheet->names, sheet->name_count,
                                 &sheet->name_room, sizeof *sheet->names)) {
    sheet->failed = true;
    return "";
  }
  for (char *c = name; *c; c++)
    if (!isalnum((unsigned char)*c) || (unsigned char)*c >= 0x80) *c = '_';
  const char *unique =
      is_taken(sheet, name) ? carom_robot_say(sheet->robot, "%s%s", name, ending) : name;
  for (int k = 2; unique && is_taken(sheet, unique); k++)
    unique = carom_robot_say(sheet->robot, "%s%s_%d", name, ending, k);
  sheet->names[sheet->name_count++] = text_or_zero(sheet, unique);
  return sheet->names[sheet->name_count - 1];
}

// ---- turns and shapes

static bool is_no_turn(const double turn[4]) {
  return fabs(turn[1]) + fabs(turn[2]) + fabs(turn[3]) <= 1e-14;
}

// about an axis of space by an angle where it is one, else the quaternion
static void put_turn(carom_robot_sheet *sheet, const double turn[4], const char *before) {
  static const char *const axes[] = {"[1, 0, 0]", "[0, 1, 0]", "[0, 0, 1]"};
  if (is_no_turn(turn)) return;
  for (int k = 0; k < 3; k++) {
    double a = turn[1 + k], b = turn[1 + (k + 1) % 3], c = turn[1 + (k + 2) % 3];
    if (fabs(b) + fabs(c) > 1e-15) continue;
    double angle = 2.0 * carom_atan2(turn[0] < 0.0 ? -a : a, fabs(turn[0]));
    double degrees = angle * 180.0 / PI, whole = floor(degrees + 0.5);
    bool round = fabs(degrees - whole) <= 1e-12;
    carom_robot_put(sheet, "%sturn: {axis: %s, angle: %s%s}", before, axes[k],
                    computed_digits(sheet, round ? whole : angle, 1.0), round ? " deg" : "");
    return;
  }
  carom_robot_put(sheet, "%s", before);
  put_vector(sheet, "turn", 4, turn, 1.0);
}

static const struct {
  const char *key;
  int sizes;
} kinds[] = {{"sphere", 1},    {"box", 3},   {"capsule", 2}, {"cylinder", 2},
             {"ellipsoid", 3}, {"plane", 0}, {"hull", 0}};

enum { HULL_CORNERS = 32 };

// `between` parts the keys of a hull
static void put_shape(carom_robot_sheet *sheet, const carom_robot_shape *shape,
                      const char *between) {
  if (shape->kind != CAROM_ROBOT_HULL) {
    put_exact(sheet, kinds[shape->kind].key, kinds[shape->kind].sizes, shape->size);
    return;
  }
  carom_robot_put(sheet, "hull: ");
  put_quoted(sheet, shape->file);
  if (shape->scale != 1.0) {
    carom_robot_put(sheet, "%s", between);
    put_exact(sheet, "scale", 1, &shape->scale);
  }
  carom_robot_put(sheet, "%scorners: %d", between, HULL_CORNERS);
}

static void put_weight(carom_robot_sheet *sheet, const carom_robot_shape *shape,
                       const char *before) {
  carom_robot_put(sheet, "%s", before);
  put_exact(sheet, shape->mass >= 0.0 ? "mass" : "density", 1,
            shape->mass >= 0.0 ? &shape->mass : &shape->density);
}

// ---- bodies

// where a frame in the link is in the body
static carom_frame in_body(const carom_frame *body, const carom_frame *frame) {
  carom_frame local = {0};
  double back[4];
  carom_turn_inverse(body->turn, back);
  carom_frame_point_in(body, frame->at, local.at);
  carom_turn_product(back, frame->turn, local.turn);
  return local;
}

static void put_parts(carom_robot_sheet *sheet, const carom_robot_body *body,
                      const carom_frame *own, bool weigh) {
  carom_robot_sheet names = {.robot = sheet->robot};
  carom_robot_put(sheet, "    parts:\n");
  for (int k = 0; k < body->shape_count; k++) {
    const carom_robot_shape *shape = body->shapes[k];
    carom_frame local = in_body(own, &shape->frame);
    carom_robot_put(sheet, "      %s: {",
                    take_name(&names, shape->name ? shape->name : kinds[shape->kind].key, ""));
    put_shape(sheet, shape, ", ");
    carom_robot_put(sheet, ", ");
    put_vector(sheet, "at", 3, local.at, sheet->scale);
    put_turn(sheet, local.turn, ", ");
    if (weigh) put_weight(sheet, shape, ", ");
    carom_robot_put(sheet, "}\n");
  }
  sheet->failed = sheet->failed || names.failed;
}

static void put_points(carom_robot_sheet *sheet, const carom_robot_link *link,
                       const carom_frame *own) {
  carom_robot_sheet names = {.robot = sheet->robot};
  for (int k = 0; k < link->point_count; k++) {
    double at[3];
    carom_frame_point_in(own, link->points[k].at, at);
    carom_robot_put(sheet, k ? ", " : "    points: {");
    put_vector(sheet, take_name(&names, link->points[k].name, "_point"), 3, at, sheet->scale);
  }
  if (link->point_count) carom_robot_put(sheet, "}\n");
  sheet->failed = sheet->failed || names.failed;
}

static void put_place(carom_robot_sheet *sheet, const carom_frame *frame, const char *before,
                      const char *between, const char *after) {
  carom_robot_put(sheet, "%s", before);
  put_vector(sheet, "at", 3, frame->at, sheet->scale);
  put_turn(sheet, frame->turn, between);
  carom_robot_put(sheet, "%s", after);
}

static void put_inertia(carom_robot_sheet *sheet, const carom_robot_link *link) {
  const double *J = link->mass.inertia;
  double largest = fmax(J[0], fmax(J[1], J[2]));
  bool square = fabs(J[3]) + fabs(J[4]) + fabs(J[5]) <= 4e-15 * largest;
  carom_robot_put(sheet, "    mass: %s\n    ", computed_digits(sheet, link->mass.mass, 0.0));
  put_vector(sheet, "inertia", square ? 3 : 6, J, largest);
  carom_robot_put(sheet, "\n");
}

// does the list hold all that has mass?
static bool lists_masses(const carom_robot_body *body, const carom_robot_link *link) {
  return !link->weighed && body->shape_count == link->shape_count;
}

static void put_moving(carom_robot_sheet *sheet, const carom_robot_body *body,
                       const carom_robot_link *link) {
  bool by_shapes = lists_masses(body, link), alone = body->shape_count == 1;
  carom_frame own = carom_frame_none; // of the body, in the link
  memcpy(own.at, link->mass.centre, sizeof own.at);
  if (by_shapes && alone) own = body->shapes[0]->frame;
  if (alone && !by_shapes) {
    carom_frame local = in_body(&own, &body->shapes[0]->frame);
    for (int k = 0; k < 3; k++)
      alone = alone && fabs(local.at[k]) <= 4e-15 * sheet->scale;
    alone = alone && is_no_turn(local.turn);
  }
  carom_robot_put(sheet, "  %s:\n", body->name);
  if (alone) {
    carom_robot_put(sheet, "    ");
    put_shape(sheet, body->shapes[0], "\n    ");
    carom_robot_put(sheet, "\n");
  }
  if (!by_shapes) put_inertia(sheet, link);
  if (by_shapes && alone) {
    put_weight(sheet, body->shapes[0], "    ");
    carom_robot_put(sheet, "\n");
  }
  carom_frame in_space = carom_frame_product(&link->frame, &own);
  put_place(sheet, &in_space, "    ", "\n    ", "\n");
  if (!alone && body->shape_count > 0) put_parts(sheet, body, &own, by_shapes);
  put_points(sheet, link, &own);
}

static void put_plane(carom_robot_sheet *sheet, const carom_robot_body *body) {
  static const double up[3] = {0.0, 0.0, 1.0};
  const carom_robot_shape *shape = body->shapes[0];
  carom_frame in_space = shape->frame;
  double normal[3];
  if (body->link >= 0)
    in_space = carom_frame_product(&sheet->robot->links[body->link].frame, &shape->frame);
  carom_turn_vector(in_space.turn, up, normal);
  carom_robot_put(sheet, "  %s: {", body->name);
  put_vector(sheet, "plane", 3, normal, 1.0);
  carom_robot_put(sheet, ", ");
  put_vector(sheet, "at", 3, in_space.at, sheet->scale);
  carom_robot_put(sheet, "}\n");
}

static void put_fixed(carom_robot_sheet *sheet, const carom_robot_body *body,
                      const carom_robot_link *link) {
  carom_robot_put(sheet, "  %s:\n    fixed: yes\n", body->name);
  bool alone = body->shape_count == 1;
  carom_frame own = alone ? body->shapes[0]->frame : carom_frame_none;
  if (alone) {
    carom_robot_put(sheet, "    ");
    put_shape(sheet, body->shapes[0], "\n    ");
    carom_robot_put(sheet, "\n");
  }
  carom_frame in_space = carom_frame_product(&link->frame, &own);
  put_place(sheet, &in_space, "    ", "\n    ", "\n");
  if (body->shape_count > 1) put_parts(sheet, body, &own, false);
  put_points(sheet, link, &own);
}

static void put_bodies(carom_robot_sheet *sheet) {
  carom_robot_put(sheet, "bodies:\n");
  for (int k = 0; k < sheet->body_count && !sheet->failed; k++) {
    const carom_robot_body *body = &sheet->bodies[k];
    if (!body->moves && body->shape_count == 1 && body->shapes[0]->kind == CAROM_ROBOT_PLANE)
      put_plane(sheet, body);
    else if (body->moves)
      put_moving(sheet, body, &sheet->robot->links[body->link]);
    else
      put_fixed(sheet, body, &sheet->robot->links[body->link]);
  }
}

// ---- which bodies there are

static bool is_held_to(const carom_robot *robot, int link) {
  for (int k = 0; k < robot->link_count; k++) {
    const carom_robot_link *one = &robot->links[k];
    if (!one->fixed && one->whole == k && one->parent == link &&
        one->joint.kind != CAROM_ROBOT_FREE)
      return true;
  }
  for (int k = 0; k < robot->tie_count; k++) {
    const carom_robot_tie *tie = &robot->ties[k];
    bool holds = tie->kind == CAROM_ROBOT_CONNECT || tie->kind == CAROM_ROBOT_WELD;
    if (holds && (strcmp(tie->first, robot->links[link].name) == 0 ||
                  strcmp(tie->second[0] ? tie->second : "world", robot->links[link].name) == 0))
      return true;
  }
  return false;
}

static bool shape_touches(const carom_robot_shape *shape) { return shape->groups || shape->meets; }

// shapes that touch; where none does, all of them, for the picture and for their masses
static void list_shapes(carom_robot_sheet *sheet, carom_robot_body *body,
                        const carom_robot_link *link) {
  int touching = 0;
  for (int k = 0; k < link->shape_count; k++)
    touching += shape_touches(&link->shapes[k]);
  body->shapes =
      carom_arena_array(sheet->robot->arena, (size_t)link->shape_count + 1, sizeof *body->shapes);
  sheet->failed = sheet->failed || !body->shapes;
  for (int k = 0; body->shapes && k < link->shape_count; k++) {
    const carom_robot_shape *shape = &link->shapes[k];
    if (shape->kind != CAROM_ROBOT_PLANE && (shape_touches(shape) || touching == 0))
      body->shapes[body->shape_count++] = shape;
  }
}

static carom_robot_body *add_body(carom_robot_sheet *sheet, const char *name, int link,
                                  bool moves) {
  carom_robot_body *body = &sheet->bodies[sheet->body_count++];
  *body = (carom_robot_body){.name = take_name(sheet, name, ""), .link = link, .moves = moves};
  return body;
}

static void add_plane(carom_robot_sheet *sheet, int link, const carom_robot_shape *shape) {
  const char *name = shape->name ? shape->name : "floor";
  carom_robot_body *body = add_body(sheet, name, link, false);
  body->shapes = carom_arena_array(sheet->robot->arena, 1, sizeof *body->shapes);
  sheet->failed = sheet->failed || !body->shapes;
  if (!body->shapes) return;
  body->shapes[0] = shape;
  body->shape_count = 1;
}

static bool list_bodies(carom_robot_sheet *sheet, const carom_robot_shape *floor) {
  carom_robot *robot = sheet->robot;
  size_t most = (size_t)robot->link_count + 1;
  int *body_of = carom_arena_array(robot->arena, most, sizeof *body_of);
  for (int k = 0; k < robot->link_count; k++)
    most += (size_t)robot->links[k].shape_count;
  sheet->bodies = carom_arena_array(robot->arena, most, sizeof *sheet->bodies);
  sheet->joint_names = carom_arena_array(robot->arena, most, sizeof *sheet->joint_names);
  sheet->body_of = body_of;
  if (!body_of || !sheet->bodies || !sheet->joint_names) return false;
  for (int k = 0; k < robot->link_count; k++) {
    const carom_robot_link *link = &robot->links[k];
    carom_robot_body shapes = {0};
    body_of[k] = link->whole == k ? -1 : body_of[link->whole];
    if (link->whole != k) continue;
    list_shapes(sheet, &shapes, link);
    if (link->fixed && shapes.shape_count == 0 && link->point_count == 0 && !is_held_to(robot, k))
      continue;
    body_of[k] = sheet->body_count;
    carom_robot_body *body = add_body(sheet, link->name, k, !link->fixed);
    body->shapes = shapes.shapes;
    body->shape_count = shapes.shape_count;
  }
  for (int k = 0; k < robot->link_count; k++)
    for (int i = 0; i < robot->links[k].shape_count; i++) {
      const carom_robot_shape *shape = &robot->links[k].shapes[i];
      if (shape->kind != CAROM_ROBOT_PLANE) continue;
      if (robot->links[k].fixed)
        add_plane(sheet, k, shape);
      else
        carom_robot_note(robot, shape->place, "a plane that moves");
    }
  if (floor) add_plane(sheet, -1, floor);
  return !sheet->failed;
}

// ---- joints

static void put_drive(carom_robot_sheet *sheet, const carom_robot_joint *joint) {
  double ends[2] = {joint->low - joint->start, joint->high - joint->start};
  double rest = joint->rest - joint->start;
  const struct {
    const char *key;
    double value;
  } numbers[] = {{", stiffness", joint->stiffness},
                 {", damping", joint->damping},
                 {", friction", joint->friction}};
  if (joint->limited) {
    put_vector(sheet, ", limits", 2, ends, 0.0);
    carom_robot_put(sheet, ", impact: 0");
  }
  for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
    if (numbers[k].value > 0.0) put_exact(sheet, numbers[k].key, 1, &numbers[k].value);
  if (joint->stiffness > 0.0 && rest != 0.0)
    carom_robot_put(sheet, ", rest: %s", computed_digits(sheet, rest, 0.0));
}

static const char *const joint_keys[] = {NULL,        "hinge",  "slider", "ball",
                                         "universal", "planar", NULL};

static void put_joint(carom_robot_sheet *sheet, int link) {
  const carom_robot_joint *joint = &sheet->robot->links[link].joint;
  int child = sheet->body_of[link], parent = sheet->body_of[sheet->robot->links[link].parent];
  carom_robot_put(sheet, "  %s: {between: [%s, %s], ", sheet->joint_names[link],
                  sheet->bodies[child].name, sheet->bodies[parent].name);
  put_vector(sheet, joint_keys[joint->kind], 3, joint->at, sheet->scale);
  if (joint->kind != CAROM_ROBOT_BALL) put_vector(sheet, ", axis", 3, joint->axis, 1.0);
  if (joint->kind == CAROM_ROBOT_UNIVERSAL) put_vector(sheet, ", across", 3, joint->across, 1.0);
  if (joint->kind == CAROM_ROBOT_HINGE || joint->kind == CAROM_ROBOT_SLIDER)
    put_drive(sheet, joint);
  carom_robot_put(sheet, "}\n");
}

static int find_link(const carom_robot *robot, const char *name) {
  for (int k = 0; k < robot->link_count; k++)
    if (strcmp(robot->links[k].name, name) == 0) return k;
  return -1;
}

static const char *name_of_joint(const carom_robot_sheet *sheet, const char *name) {
  const carom_robot *robot = sheet->robot;
  for (int k = 0; k < robot->link_count; k++) {
    const char *own = robot->links[k].joint.name;
    if (own && strcmp(own, name) == 0) return sheet->joint_names[k];
  }
  return NULL;
}

static carom_status put_tie(carom_robot_sheet *sheet, const carom_robot_tie *tie) {
  carom_robot *robot = sheet->robot;
  if (tie->kind == CAROM_ROBOT_EXCLUDE) return CAROM_OK;
  if (tie->kind == CAROM_ROBOT_GEAR) {
    carom_robot_put(sheet, "  %s: {", take_name(sheet, tie->name, "_gear"));
    put_exact(sheet, "gear", 1, &tie->ratio);
    carom_robot_put(sheet, ", of: [%s, %s]}\n", name_of_joint(sheet, tie->first),
                    name_of_joint(sheet, tie->second));
    return CAROM_OK;
  }
  int a = find_link(robot, tie->first),
      b = find_link(robot, tie->second[0] ? tie->second : "world");
  if (a < 0 || b < 0)
    return carom_robot_fail(robot, tie->place, "there is no body '%s'",
                            a < 0 ? tie->first : tie->second);
  double at[3];
  carom_frame_point(&robot->links[a].frame, tie->at, at);
  int first = sheet->body_of[a], second = sheet->body_of[b];
  if (first < 0 || second < 0 || first == second ||
      (!sheet->bodies[first].moves && !sheet->bodies[second].moves)) {
    carom_robot_note(robot, tie->place, "a tie between two parts of one body");
    return CAROM_OK;
  }
  carom_robot_put(sheet, "  %s: {between: [%s, %s], ", take_name(sheet, tie->name, "_tie"),
                  sheet->bodies[first].name, sheet->bodies[second].name);
  put_vector(sheet, tie->kind == CAROM_ROBOT_WELD ? "weld" : "ball", 3, at, sheet->scale);
  carom_robot_put(sheet, "}\n");
  return CAROM_OK;
}

static bool is_written(const carom_robot *robot, int link) {
  const carom_robot_link *one = &robot->links[link];
  return !one->fixed && one->whole == link && one->parent >= 0 && joint_keys[one->joint.kind];
}

static carom_status put_joints(carom_robot_sheet *sheet) {
  carom_robot *robot = sheet->robot;
  bool any = false;
  for (int k = 0; k < robot->tie_count; k++)
    any = any || robot->ties[k].kind != CAROM_ROBOT_EXCLUDE;
  for (int k = 0; k < robot->link_count; k++) {
    const carom_robot_joint *joint = &robot->links[k].joint;
    if (!is_written(robot, k)) continue;
    const char *body = sheet->bodies[sheet->body_of[k]].name;
    sheet->joint_names[k] = take_name(sheet, joint->name ? joint->name : body, "_joint");
    any = true;
  }
  if (any) carom_robot_put(sheet, "joints:\n");
  for (int k = 0; k < robot->link_count; k++)
    if (is_written(robot, k)) put_joint(sheet, k);
  carom_status status = CAROM_OK;
  for (int k = 0; k < robot->tie_count && status == CAROM_OK; k++)
    status = put_tie(sheet, &robot->ties[k]);
  return status;
}

// the rotor of a motor turns with its joint: J angle'^2/2
static void put_rotors(carom_robot_sheet *sheet) {
  const carom_robot *robot = sheet->robot;
  bool any = false;
  for (int k = 0; k < robot->link_count; k++) {
    const carom_robot_joint *joint = &robot->links[k].joint;
    bool turns = joint->kind == CAROM_ROBOT_HINGE;
    if (!is_written(robot, k) || !(joint->armature > 0.0) ||
        (!turns && joint->kind != CAROM_ROBOT_SLIDER))
      continue;
    carom_robot_put(sheet, "%s%s*%s.%s'^2/2", any ? " + " : "energy: {kinetic: \"",
                    carom_robot_exact(sheet, joint->armature), sheet->joint_names[k],
                    turns ? "angle" : "slid");
    any = true;
  }
  if (any) carom_robot_put(sheet, "\"} # of rotors (armature)\n");
}

// ---- the whole

static double largest_length(const carom_robot *robot) {
  double scale = 0.0;
  for (int k = 0; k < robot->link_count; k++) {
    const carom_robot_link *link = &robot->links[k];
    for (int i = 0; i < 3; i++)
      scale = fmax(scale, fmax(fabs(link->frame.at[i]), fabs(link->joint.at[i])));
    for (int i = 0; i < link->shape_count; i++)
      if (link->shapes[i].kind != CAROM_ROBOT_HULL) scale = fmax(scale, link->shapes[i].size[0]);
  }
  return scale > 0.0 ? scale : 1.0;
}

static const char *put_head(carom_robot_sheet *sheet, const carom_robot_options *options,
                            const char *rest) {
  const carom_robot *robot = sheet->robot;
  const double *g = robot->gravity;
  carom_robot_put(sheet, "# Made by `%s`.\n", options->command);
  if (robot->note_count) carom_robot_put(sheet, "# Not taken over:\n");
  for (int k = 0; k < robot->note_count; k++) {
    const carom_robot_remark *note = &robot->notes[k];
    carom_robot_put(sheet, "#   line %d: %s", note->place.line, note->text);
    if (note->count > 1) carom_robot_put(sheet, " (%d times)", note->count);
    carom_robot_put(sheet, "\n");
  }
  carom_robot_put(sheet, "title: ");
  put_quoted(sheet, robot->name[0] ? robot->name : "a robot");
  carom_robot_put(sheet, "\n");
  if (g[0] == 0.0 && g[1] == 0.0 && g[2] <= 0.0)
    carom_robot_put(sheet, "gravity: %s\n", carom_robot_exact(sheet, 0.0 - g[2]));
  else
    carom_robot_put(sheet, "gravity: [%s, %s, %s]\n", carom_robot_exact(sheet, g[0]),
                    carom_robot_exact(sheet, g[1]), carom_robot_exact(sheet, g[2]));
  carom_robot_put(sheet, "%s", rest);
  return sheet->text;
}

carom_status carom_robot_write(carom_robot *robot, const carom_robot_options *options,
                               const char **scenario) {
  carom_robot_sheet sheet = {.robot = robot, .scale = largest_length(robot)};
  carom_robot_sheet whole = {.robot = robot};
  carom_robot_shape floor = {.name = "floor",
                             .kind = CAROM_ROBOT_PLANE,
                             .frame = carom_frame_none,
                             .groups = 1,
                             .meets = 1};
  floor.frame.at[2] = options->floor_height;
  if (!list_bodies(&sheet, options->floor ? &floor : NULL)) return carom_fail_memory(robot->error);
  put_bodies(&sheet);
  carom_status status = put_joints(&sheet);
  put_rotors(&sheet);
  carom_robot_put_contacts(&sheet);
  carom_robot_put(&sheet, "run: {until: 1}\n");
  if (status != CAROM_OK) return status;
  *scenario = put_head(&whole, options, sheet.failed ? "" : sheet.text);
  return sheet.failed || whole.failed ? carom_fail_memory(robot->error) : CAROM_OK;
}
