// SPDX-License-Identifier: MIT
// MJCF, the language of MuJoCo: bodies inside of bodies, with values that classes of defaults give.
// https://mujoco.readthedocs.io/en/stable/XMLreference.html
#include "robot/mjcf.h"

#include "base/vector.h"

#include <string.h>

static const double PI = 3.14159265358979323846;
enum { MOST_JOINTS = 6 };

// ---- values, of an element or of its class

static const carom_xml *parent_class(const carom_xml *class) {
  const carom_xml *up = class->parent;
  return up && strcmp(up->name, "default") == 0 ? up : NULL;
}

// the next of nested <default> elements, in the order of the file
static const carom_xml *next_class(const carom_xml *at) {
  const carom_xml *down = carom_xml_child(at, "default");
  while (at && !down) {
    down = carom_xml_next(at, "default");
    at = parent_class(at);
  }
  return down;
}

static const carom_xml *find_class(const carom_mjcf *m, const char *name) {
  const carom_xml *class = carom_xml_child(m->root, "default");
  for (; class; class = next_class(class)) {
    const carom_xml_attribute *own = carom_xml_attribute_of(class, "class");
    if (strcmp(own ? own->value : "main", name) == 0) return class;
  }
  return NULL;
}

static carom_status class_of(const carom_mjcf *m, const carom_xml *element, const char *key,
                             const carom_xml **class) {
  const carom_xml_attribute *name = carom_xml_attribute_of(element, key);
  if (!name) return CAROM_OK;
  *class = find_class(m, name->value);
  return *class ? CAROM_OK
                : carom_robot_fail(m->robot, name->place, "there is no class '%s'", name->value);
}

carom_status carom_mjcf_child_class(const carom_mjcf *m, const carom_xml *body,
                                    const carom_xml **class) {
  return class_of(m, body, "childclass", class);
}

carom_status carom_mjcf_view_of(const carom_mjcf *m, const carom_xml *element, const char *tag,
                                const carom_xml *inherited, carom_mjcf_view *view) {
  *view = (carom_mjcf_view){element, tag, inherited ? inherited : find_class(m, "main")};
  return class_of(m, element, "class", &view->class);
}

const carom_xml_attribute *carom_mjcf_value(const carom_mjcf_view *view, const char *name) {
  const carom_xml_attribute *value = carom_xml_attribute_of(view->element, name);
  for (const carom_xml *class = view->class; class && !value; class = parent_class(class)) {
    const carom_xml *given = carom_xml_child(class, view->tag);
    if (given) value = carom_xml_attribute_of(given, name);
  }
  return value;
}

static bool has_text(const carom_mjcf_view *view, const char *name, const char *text) {
  const carom_xml_attribute *value = carom_mjcf_value(view, name);
  return value && strcmp(value->value, text) == 0;
}

carom_status carom_mjcf_numbers(const carom_mjcf *m, const carom_mjcf_view *view, const char *name,
                                int least, int most, double *numbers, int *count) {
  const carom_xml_attribute *value = carom_mjcf_value(view, name);
  if (count) *count = 0;
  return value ? carom_robot_numbers(m->robot, value, least, most, numbers, count) : CAROM_OK;
}

// ---- frames

// letters of eulerseq: turns about axes that turn too (small), or stay (capital)
static carom_status turn_by_euler(const carom_mjcf *m, const carom_xml_attribute *value,
                                  double turn[4]) {
  double angles[3];
  carom_status status = carom_robot_numbers(m->robot, value, 3, 3, angles, NULL);
  for (int k = 0; status == CAROM_OK && k < 3; k++) {
    char letter = m->euler[k], small = (char)(letter | 0x20);
    double axis[3] = {small == 'x', small == 'y', small == 'z'}, one[4];
    carom_turn_about(axis, angles[k] * m->angle, one);
    if (letter == small)
      carom_turn_product(turn, one, turn);
    else
      carom_turn_product(one, turn, turn);
  }
  return status;
}

static bool is_nothing(const double v[3]) { return v[0] == 0.0 && v[1] == 0.0 && v[2] == 0.0; }

static carom_status turn_by(const carom_mjcf *m, const carom_xml_attribute *value, double turn[4]) {
  double v[6];
  const char *key = value->name;
  if (strcmp(key, "euler") == 0) return turn_by_euler(m, value, turn);
  int count = strcmp(key, "zaxis") == 0 ? 3 : strcmp(key, "xyaxes") == 0 ? 6 : 4;
  carom_status status = carom_robot_numbers(m->robot, value, count, count, v, NULL);
  if (status != CAROM_OK) return status;
  double across[3] = {v[1] * v[5] - v[2] * v[4], v[2] * v[3] - v[0] * v[5],
                      v[0] * v[4] - v[1] * v[3]};
  if (count == 6 ? is_nothing(across) : is_nothing(v) && (key[0] != 'q' || v[3] == 0.0))
    return carom_robot_fail(m->robot, value->place, "%s has no direction", key);
  if (count == 3) carom_turn_third_to(v, turn);
  if (count == 6) carom_turn_of_axes(v, v + 3, turn);
  if (key[0] == 'a') carom_turn_about(v, v[3] * m->angle, turn);
  if (key[0] != 'q') return CAROM_OK;
  memcpy(turn, v, 4 * sizeof *turn);
  (void)carom_turn_normalise(turn);
  return CAROM_OK;
}

carom_status carom_mjcf_frame(const carom_mjcf *m, const carom_mjcf_view *view,
                              carom_frame *frame) {
  static const char *const keys[] = {"quat", "axisangle", "xyaxes", "zaxis", "euler"};
  *frame = carom_frame_none;
  carom_status status = carom_mjcf_numbers(m, view, "pos", 3, 3, frame->at, NULL);
  const carom_xml_attribute *given = NULL;
  for (int own = 1; own >= 0 && !given; own--) // what the element has hides that of its class
    for (size_t k = 0; k < sizeof keys / sizeof *keys && !given; k++)
      given =
          own ? carom_xml_attribute_of(view->element, keys[k]) : carom_mjcf_value(view, keys[k]);
  return given && status == CAROM_OK ? turn_by(m, given, frame->turn) : status;
}

// ---- joints

static carom_status read_limits(const carom_mjcf *m, const carom_mjcf_view *view, double unit,
                                carom_robot_joint *joint) {
  const carom_xml_attribute *range = carom_mjcf_value(view, "range");
  double ends[2] = {0.0, 0.0};
  joint->limited = has_text(view, "limited", "true") ||
                   (range && m->autolimits && !has_text(view, "limited", "false"));
  if (!joint->limited) return CAROM_OK;
  if (!range)
    return carom_robot_fail(m->robot, view->element->place, "a limited joint needs its range");
  carom_status status = carom_robot_numbers(m->robot, range, 2, 2, ends, NULL);
  joint->low = ends[0] * unit;
  joint->high = ends[1] * unit;
  if (status == CAROM_OK && !(ends[0] < ends[1]) && joint->kind != CAROM_ROBOT_BALL)
    return carom_robot_fail(m->robot, range->place, "this range leaves nothing");
  return status;
}

static carom_status read_kind(const carom_mjcf *m, const carom_mjcf_view *view,
                              carom_robot_joint *joint) {
  static const struct {
    const char *name;
    carom_robot_joint_kind kind;
  } types[] = {{"hinge", CAROM_ROBOT_HINGE},
               {"slide", CAROM_ROBOT_SLIDER},
               {"ball", CAROM_ROBOT_BALL},
               {"free", CAROM_ROBOT_FREE}};
  const carom_xml_attribute *type = carom_mjcf_value(view, "type");
  joint->kind = CAROM_ROBOT_HINGE;
  if (strcmp(view->element->name, "freejoint") == 0) joint->kind = CAROM_ROBOT_FREE;
  for (size_t k = 0; type && k < sizeof types / sizeof *types; k++)
    if (strcmp(type->value, types[k].name) == 0) {
      joint->kind = types[k].kind;
      return CAROM_OK;
    }
  return type ? carom_robot_fail(m->robot, type->place,
                                 "'%s' is no type of joints; there are hinge, slide, ball, free",
                                 type->value)
              : CAROM_OK;
}

static carom_status read_joint(const carom_mjcf *m, const carom_xml *element,
                               const carom_xml *class, carom_robot_joint *joint) {
  const struct {
    const char *key;
    double *number;
  } numbers[] = {{"damping", &joint->damping},     {"frictionloss", &joint->friction},
                 {"stiffness", &joint->stiffness}, {"armature", &joint->armature},
                 {"springref", &joint->rest},      {"ref", &joint->ref}};
  const carom_xml_attribute *name = carom_xml_attribute_of(element, "name");
  carom_mjcf_view view;
  *joint = (carom_robot_joint){
      .name = name ? name->value : NULL, .place = element->place, .axis = {0.0, 0.0, 1.0}};
  carom_status status = carom_mjcf_view_of(m, element, "joint", class, &view);
  if (status == CAROM_OK) status = read_kind(m, &view, joint);
  if (joint->kind == CAROM_ROBOT_FREE) return status;
  if (status == CAROM_OK) status = carom_mjcf_numbers(m, &view, "pos", 3, 3, joint->at, NULL);
  if (status == CAROM_OK) status = carom_mjcf_numbers(m, &view, "axis", 3, 3, joint->axis, NULL);
  if (status == CAROM_OK && is_nothing(joint->axis) && joint->kind != CAROM_ROBOT_BALL)
    return carom_robot_fail(m->robot, element->place, "the axis of this joint has no direction");
  for (size_t k = 0; status == CAROM_OK && k < sizeof numbers / sizeof *numbers; k++) {
    status = carom_mjcf_numbers(m, &view, numbers[k].key, 1, 1, numbers[k].number, NULL);
    if (status == CAROM_OK && k < 4 && *numbers[k].number < 0.0)
      return carom_robot_fail(m->robot, element->place, "%s is negative", numbers[k].key);
  }
  double unit = joint->kind == CAROM_ROBOT_SLIDER ? 1.0 : m->angle;
  joint->rest *= unit;
  joint->start = joint->ref *= unit;
  return status == CAROM_OK ? read_limits(m, &view, unit, joint) : status;
}

static bool are_square(const double a[3], const double b[3]) {
  double along = carom_v3_dot(a, b);
  return along * along <= 1e-20 * carom_v3_dot(a, a) * carom_v3_dot(b, b);
}

static bool are_apart(const double *const axes[3]) {
  const double *a = axes[0], *b = axes[1], *c = axes[2];
  double volume = a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
                  a[2] * (b[0] * c[1] - b[1] * c[0]);
  return volume * volume > 1e-12 * carom_v3_dot(a, a) * carom_v3_dot(b, b) * carom_v3_dot(c, c);
}

static bool at_one_place(const carom_robot_joint *const joints[], int count) {
  for (int k = 1; k < count; k++)
    for (int i = 0; i < 3; i++)
      if (joints[k]->at[i] != joints[0]->at[i]) return false;
  return true;
}

// Several joints of one body follow each other, from its parent to it. Some chains are one joint
// without the singular places of theirs; of others nothing is known here.
static bool combine_joints(const carom_robot_joint joints[], int count, carom_robot_joint *one) {
  const carom_robot_joint *slides[MOST_JOINTS], *hinges[MOST_JOINTS];
  int s = 0, h = 0, b = 0;
  for (int k = 0; k < count; k++) {
    if (joints[k].kind == CAROM_ROBOT_SLIDER) slides[s++] = &joints[k];
    if (joints[k].kind == CAROM_ROBOT_HINGE) hinges[h++] = &joints[k];
    b += joints[k].kind == CAROM_ROBOT_BALL;
  }
  if (s + h + b < count) return false;
  bool three_ways = s == 3 && are_apart((const double *const[3]){slides[0]->axis, slides[1]->axis,
                                                                 slides[2]->axis});
  bool three_turns =
      h == 3 && at_one_place(hinges, 3) &&
      are_apart((const double *const[3]){hinges[0]->axis, hinges[1]->axis, hinges[2]->axis});
  *one = joints[count - 1];
  one->limited = false;
  one->damping = one->friction = one->stiffness = one->armature = 0.0;
  if (s == 2 && h == 1 && b == 0) {
    one->kind = CAROM_ROBOT_PLANAR;
    memcpy(one->axis, hinges[0]->axis, sizeof one->axis);
    memcpy(one->at, hinges[0]->at, sizeof one->at);
    return are_square(hinges[0]->axis, slides[0]->axis) &&
           are_square(hinges[0]->axis, slides[1]->axis) &&
           are_apart((const double *const[3]){hinges[0]->axis, slides[0]->axis, slides[1]->axis});
  }
  if (s == 0 && h == 2 && b == 0) {
    one->kind = CAROM_ROBOT_UNIVERSAL;
    memcpy(one->across, hinges[0]->axis, sizeof one->across);
    return at_one_place(hinges, 2) && are_square(hinges[0]->axis, hinges[1]->axis);
  }
  one->kind = s == 3 ? CAROM_ROBOT_FREE : CAROM_ROBOT_BALL;
  return (s == 0 && b == 0 && three_turns) || (three_ways && (three_turns || (h == 0 && b == 1)));
}

static void note_drives(const carom_mjcf *m, const carom_robot_joint *joint) {
  const struct {
    const char *name;
    bool given;
  } drives[] = {{"range", joint->limited},
                {"damping", joint->damping > 0.0},
                {"frictionloss", joint->friction > 0.0},
                {"stiffness", joint->stiffness > 0.0},
                {"armature", joint->armature > 0.0}};
  for (size_t k = 0; k < sizeof drives / sizeof *drives; k++)
    if (drives[k].given)
      carom_robot_note(m->robot, joint->place,
                       "<joint%s%s%s>: %s, of a joint with several freedoms",
                       joint->name ? " '" : "", joint->name ? joint->name : "",
                       joint->name ? "'" : "", drives[k].name);
}

carom_status carom_mjcf_joints(const carom_mjcf *m, const carom_xml *body, const carom_xml *class,
                               carom_robot_joint *joint) {
  carom_robot_joint joints[MOST_JOINTS];
  int count = 0;
  for (const carom_xml *one = body->first; one; one = one->next) {
    if (strcmp(one->name, "joint") != 0 && strcmp(one->name, "freejoint") != 0) continue;
    if (count == MOST_JOINTS)
      return carom_robot_fail(m->robot, one->place, "a body has at most %d joints", MOST_JOINTS);
    carom_status status = read_joint(m, one, class, &joints[count++]);
    if (status != CAROM_OK) return status;
    carom_robot_note_rest(m->robot, one,
                          "name class type pos axis range limited damping frictionloss stiffness "
                          "springref ref armature group user",
                          "");
  }
  *joint = count ? joints[0] : (carom_robot_joint){.kind = CAROM_ROBOT_FIXED, .place = body->place};
  if (count > 1 && !combine_joints(joints, count, joint))
    return carom_robot_fail(
        m->robot, body->place,
        "the %d joints of this body make none that is known here (planar: two slides and a hinge "
        "square to them; universal: two hinges square to each other; ball: three hinges at one "
        "place; free: three slides and a ball); put bodies with masses between them",
        count);
  for (int k = 0; k < count; k++)
    if (count > 1 || joint->kind == CAROM_ROBOT_BALL) note_drives(m, &joints[k]);
  return CAROM_OK;
}

// ---- the whole

static carom_status read_compiler(carom_mjcf *m) {
  m->angle = PI / 180.0;
  m->euler = "xyz";
  m->meshes = "";
  m->autolimits = true;
  for (const carom_xml *one = carom_xml_child(m->root, "compiler"); one;
       one = carom_xml_next(one, "compiler")) {
    const carom_mjcf_view view = {one, "compiler", NULL};
    const carom_xml_attribute *euler = carom_xml_attribute_of(one, "eulerseq"),
                              *folder = carom_xml_attribute_of(one, "meshdir"),
                              *assets = carom_xml_attribute_of(one, "assetdir");
    if (has_text(&view, "angle", "radian")) m->angle = 1.0;
    if (has_text(&view, "autolimits", "false")) m->autolimits = false;
    m->by_shapes = has_text(&view, "inertiafromgeom", "true");
    if (assets) m->meshes = assets->value;
    if (folder) m->meshes = folder->value;
    if (euler) m->euler = euler->value;
    if (euler && (strlen(m->euler) != 3 || strspn(m->euler, "xyzXYZ") != 3))
      return carom_robot_fail(m->robot, euler->place, "eulerseq has three letters of xyzXYZ");
    if (has_text(&view, "coordinate", "global"))
      return carom_robot_fail(m->robot, one->place, "global coordinates are not read");
    carom_robot_note_rest(m->robot, one,
                          "angle eulerseq meshdir assetdir texturedir autolimits inertiafromgeom "
                          "coordinate fusestatic strippath discardvisual convexhull usethread "
                          "alignfree",
                          "");
  }
  return CAROM_OK;
}

static carom_status read_option(carom_mjcf *m) {
  carom_status status = CAROM_OK;
  m->robot->gravity[2] = -9.81;
  for (const carom_xml *one = carom_xml_child(m->root, "option"); one && status == CAROM_OK;
       one = carom_xml_next(one, "option")) {
    status = carom_robot_vector(m->robot, one, "gravity", 3, m->robot->gravity);
    // what is left out without a word says how MuJoCo computes, not what
    carom_robot_note_rest(m->robot, one,
                          "gravity timestep integrator solver iterations tolerance ls_iterations "
                          "ls_tolerance noslip_iterations noslip_tolerance ccd_iterations "
                          "ccd_tolerance cone jacobian collision apirate impratio",
                          "flag");
    const carom_xml *flag = carom_xml_child(one, "flag");
    if (!flag) continue;
    const carom_mjcf_view view = {flag, "flag", NULL};
    if (has_text(&view, "gravity", "disable"))
      memset(m->robot->gravity, 0, sizeof m->robot->gravity);
    if (has_text(&view, "contact", "disable")) m->robot->touching = false;
    carom_robot_note_rest(m->robot, flag, "gravity contact warmstart energy", "");
  }
  return status;
}

// what would make another mechanism if it were left out
static carom_status refuse_others(const carom_mjcf *m, const carom_xml *at) {
  static const char others[] = "include frame replicate composite flexcomp flex attach plugin";
  for (const carom_xml *one = at->first; one; one = one->next)
    if (carom_robot_is_in(others, one->name))
      return carom_robot_fail(m->robot, one->place,
                              "<%s> is not read: let MuJoCo write the whole model "
                              "(mj_saveLastXML), which has none",
                              one->name);
  return CAROM_OK;
}

static carom_status read_tie(carom_mjcf *m, const carom_xml *one, carom_robot_tie_kind kind,
                             const char *first, const char *second) {
  const carom_xml_attribute *a, *b = carom_xml_attribute_of(one, second),
                                *name = carom_xml_attribute_of(one, "name");
  double poly[5] = {0.0, 1.0, 0.0, 0.0, 0.0};
  carom_status status = carom_robot_need(m->robot, one, first, &a);
  if (status == CAROM_OK && kind == CAROM_ROBOT_GEAR) {
    status = carom_robot_need(m->robot, one, second, &b);
    if (status == CAROM_OK) status = carom_robot_vector(m->robot, one, "polycoef", 5, poly);
  }
  if (status != CAROM_OK) return status;
  if (poly[2] != 0.0 || poly[3] != 0.0 || poly[4] != 0.0)
    return carom_robot_fail(m->robot, one->place, "joints are coupled linearly here");
  carom_robot_tie *tie = carom_robot_add_tie(m->robot);
  if (!tie) return carom_fail_memory(m->robot->error);
  *tie =
      (carom_robot_tie){.kind = kind,
                        .place = one->place,
                        .name = name ? name->value : carom_robot_say(m->robot, "%s_tie", a->value),
                        .first = a->value,
                        .second = b ? b->value : "",
                        .ratio = poly[1],
                        .offset = poly[0]};
  return carom_robot_vector(m->robot, one, "anchor", 3, tie->at);
}

static carom_status read_ties(carom_mjcf *m) {
  static const struct {
    const char *list, *name, *first, *second, *known;
    carom_robot_tie_kind kind;
  } kinds[] = {
      {"equality", "joint", "joint1", "joint2", "name class joint1 joint2 polycoef",
       CAROM_ROBOT_GEAR},
      {"equality", "connect", "body1", "body2", "name class body1 body2 anchor",
       CAROM_ROBOT_CONNECT},
      {"equality", "weld", "body1", "body2", "name class body1 body2", CAROM_ROBOT_WELD},
      {"contact", "exclude", "body1", "body2", "name class body1 body2", CAROM_ROBOT_EXCLUDE}};
  carom_status status = CAROM_OK;
  for (const carom_xml *list = m->root->first; list; list = list->next)
    for (const carom_xml *one = list->first; one && status == CAROM_OK; one = one->next) {
      bool known = !carom_robot_is_in("equality contact", list->name);
      for (size_t k = 0; k < sizeof kinds / sizeof *kinds && status == CAROM_OK; k++) {
        if (strcmp(list->name, kinds[k].list) != 0 || strcmp(one->name, kinds[k].name) != 0)
          continue;
        known = !has_text(&(carom_mjcf_view){one, one->name, NULL}, "active", "false");
        if (!known) break;
        status = read_tie(m, one, kinds[k].kind, kinds[k].first, kinds[k].second);
        carom_robot_note_rest(m->robot, one, kinds[k].known, "");
      }
      if (!known) carom_robot_note(m->robot, one->place, "<%s> in <%s>", one->name, list->name);
    }
  return status;
}

carom_status carom_robot_read_mjcf(carom_robot *robot, const carom_xml *root) {
  const carom_xml_attribute *name = carom_xml_attribute_of(root, "model");
  carom_mjcf m = {.robot = robot, .root = root};
  robot->name = name ? name->value : "";
  robot->touching = robot->selfish = true;
  carom_status status = refuse_others(&m, root);
  if (status == CAROM_OK) status = read_compiler(&m);
  if (status == CAROM_OK) status = read_option(&m);
  if (status == CAROM_OK) status = carom_mjcf_bodies(&m, refuse_others);
  if (status == CAROM_OK) status = read_ties(&m);
  for (const carom_xml *one = root->first; one; one = one->next)
    if (carom_robot_is_in("actuator tendon keyframe deformable", one->name))
      carom_robot_note_rest(robot, one, "", "");
  carom_robot_note_rest(robot, root, "model",
                        "compiler option size visual statistic default asset worldbody equality "
                        "contact actuator tendon keyframe deformable sensor custom extension");
  return status;
}
