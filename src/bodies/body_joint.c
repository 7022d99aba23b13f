// SPDX-License-Identifier: MIT
// Joints: constraints between two bodies, at places and along axes that are given where the bodies
// are at the start. A spring is an energy, its damper a dissipation.
#include "bodies/body_writer.h"

#include <string.h>

typedef struct joint {
  const char *name;
  const carom_yaml *map;
  const carom_body *bodies[2];
  int made;          // constraints so far
  const char *taken; // a name that two constraints would have
} joint;

static void hold_constraint(carom_body_writer *w, joint *j, const char *text) {
  carom_yaml *constraints = carom_body_section(w, "constraints");
  const char *name = carom_say(&w->texts, "%s_%d", j->name, ++j->made);
  if (constraints && carom_yaml_get(constraints, name)) j->taken = name;
  carom_body_put_text(w, constraints, name, text);
}

// a vector of space at the start as one of the body, in parameters NAME.k.x ...
static carom_text_vector in_body(carom_body_writer *w, const joint *j, int k, const char *what,
                                 carom_text_vector a) {
  carom_text_vector own = carom_turn_in(&w->texts, &j->bodies[k]->start_turn, a);
  for (int i = 0; i < 3; i++)
    if (strcmp(own.c[i], "0") != 0)
      own.c[i] = carom_body_derived(
          w, carom_say(&w->texts, "%s.%s%d_%d", j->name, what, k + 1, i + 1), own.c[i]);
  return own;
}

// where a point that was at `place` at the start is now, as a point of body k
static carom_text_vector anchor_point(carom_body_writer *w, const joint *j, int k, const char *what,
                                      carom_text_vector place) {
  const carom_body *body = j->bodies[k];
  carom_text_vector own =
      in_body(w, j, k, what, carom_vector_difference(&w->texts, place, body->start));
  return carom_vector_sum(&w->texts, body->at, carom_turn_out(&w->texts, &body->turn, own));
}

// a direction of the start, as one of body k
static carom_text_vector anchor_direction(carom_body_writer *w, const joint *j, int k,
                                          const char *what, carom_text_vector a) {
  return carom_turn_out(&w->texts, &j->bodies[k]->turn, in_body(w, j, k, what, a));
}

static carom_status read_place(carom_body_writer *w, const joint *j, const carom_yaml *list,
                               const char *what, carom_text_vector *place) {
  return carom_body_vector(w, list, carom_say(&w->texts, "%s.%s", j->name, what), place);
}

static carom_text_vector anchor_distance(carom_body_writer *w, const joint *j,
                                         carom_text_vector place) {
  return carom_vector_difference(&w->texts, anchor_point(w, j, 0, "on", place),
                                 anchor_point(w, j, 1, "on", place));
}

// the direction that a key of the joint gives, of length one, of parameters
static carom_status read_axis(carom_body_writer *w, const joint *j, const char *key,
                              carom_text_vector *axis) {
  carom_texts *texts = &w->texts;
  const carom_yaml *list = carom_yaml_get(j->map, key);
  if (!list) return carom_body_fail(w, j->map, "joints.%s needs `%s`", j->name, key);
  carom_status status = read_place(w, j, list, key, axis);
  if (status != CAROM_OK) return status;
  if (carom_body_is_nothing(list))
    return carom_body_fail(w, list, "joints.%s.%s has no direction", j->name, key);
  const char *length = carom_body_derived(w, carom_say(texts, "%s.%s.length", j->name, key),
                                          carom_vector_length(texts, *axis));
  for (int i = 0; i < 3; i++)
    axis->c[i] = strcmp(axis->c[i], "0") == 0
                     ? "0"
                     : carom_body_derived(w, carom_say(texts, "%s.%s%d", j->name, key, i + 1),
                                          carom_say(texts, "%s/%s", axis->c[i], length));
  return CAROM_OK;
}

// the axis of the joint and two across it
static carom_status read_axes(carom_body_writer *w, const joint *j, carom_text_vector axes[3]) {
  carom_texts *texts = &w->texts;
  carom_status status = read_axis(w, j, "axis", &axes[0]);
  if (status != CAROM_OK) return status;
  if (!w->space) {
    axes[1] = carom_vector(carom_difference(texts, "0", axes[0].c[1]), axes[0].c[0], "0");
    axes[2] = carom_vector("0", "0", "1");
    return CAROM_OK;
  }
  // across: the axis of space that is least along it, made square to it
  const char **a = axes[0].c;
  carom_text_vector helper = carom_vector(
      carom_say(texts, "if(abs(%s) <= min(abs(%s), abs(%s)), 1, 0)", a[0], a[1], a[2]),
      carom_say(texts, "if(abs(%s) <= min(abs(%s), abs(%s)), 0, if(abs(%s) <= abs(%s), 1, 0))",
                a[0], a[1], a[2], a[1], a[2]),
      carom_say(texts, "if(abs(%s) <= min(abs(%s), abs(%s)), 0, if(abs(%s) <= abs(%s), 0, 1))",
                a[0], a[1], a[2], a[1], a[2]));
  carom_text_vector across = carom_vector_cross(texts, axes[0], helper);
  const char *size = carom_vector_length(texts, across);
  for (int i = 0; i < 3; i++)
    axes[1].c[i] = carom_body_derived(w, carom_say(texts, "%s.across%d", j->name, i + 1),
                                      carom_say(texts, "%s/%s", across.c[i], size));
  axes[2] = carom_vector_cross(texts, axes[0], axes[1]);
  return CAROM_OK;
}

// axis p of the first body stays square to axis q of the second
static void keep_square(carom_body_writer *w, joint *j, const carom_text_vector axes[3], int p,
                        int q) {
  static const char *const names[] = {"a", "b", "c"};
  hold_constraint(w, j,
                  carom_vector_dot(&w->texts, anchor_direction(w, j, 0, names[p], axes[p]),
                                   anchor_direction(w, j, 1, names[q], axes[q])));
}

static const carom_text_vector space_axes[3] = {
    {{"1", "0", "0"}}, {{"0", "1", "0"}}, {{"0", "0", "1"}}};

// in the plane the difference of the angles stays; in space three pairs of axes stay square
static void keep_turn(carom_body_writer *w, joint *j) {
  if (w->space) {
    for (int i = 0; i < 3; i++)
      keep_square(w, j, space_axes, i, (i + 1) % 3);
    return;
  }
  // sin of the difference of the turns since the start
  carom_text_vector a = anchor_direction(w, j, 0, "a", space_axes[0]),
                    b = anchor_direction(w, j, 1, "b", space_axes[1]);
  hold_constraint(w, j, carom_vector_dot(&w->texts, a, b));
}

static carom_status write_point(carom_body_writer *w, joint *j, const carom_yaml *list) {
  carom_text_vector place;
  carom_status status = read_place(w, j, list, "at", &place);
  if (status != CAROM_OK) return status;
  carom_text_vector off = anchor_distance(w, j, place);
  for (int i = 0; i < (w->space ? 3 : 2); i++)
    hold_constraint(w, j, off.c[i]);
  return CAROM_OK;
}

// does somebody ask how far the joint has gone: a key of its own, an expression, a gear?
static bool is_measured(const carom_body_writer *w, const joint *j, const char *name) {
  const carom_yaml *joints = carom_yaml_get(w->document->root, "joints");
  bool asked = carom_joint_is_driven(j->map) || carom_body_is_mentioned(w->document->root, name);
  for (int k = 0; joints && k < joints->count; k++) {
    const carom_yaml *of = carom_yaml_get(joints->values[k], "of");
    for (int i = 0; of && i < of->count; i++) {
      const carom_yaml *one = of->values[i];
      asked = asked || (one->kind == CAROM_YAML_SCALAR && strcmp(one->text, j->name) == 0);
    }
  }
  return asked;
}

// how far a body has turned since the start, in the plane
static const char *turned_in_plane(carom_body_writer *w, const carom_body *body) {
  const carom_yaml *moved = carom_yaml_get(body->map, "moved");
  if (!body->moves)
    return moved && carom_yaml_get(moved, "turn") ? carom_body_named(w, body, "moved.turn") : "0";
  return carom_difference(&w->texts, carom_body_named(w, body, "turn"),
                          carom_yaml_get(body->map, "turn") ? carom_body_named(w, body, "at.turn")
                                                            : "0");
}

// In space nothing that is smooth tells an angle from its quaternion for more than one turn: it is
// a coordinate of its own, whose rate is the spin of both bodies about the axis that they share.
static const char *turned_in_space(carom_body_writer *w, const joint *j, carom_text_vector axis) {
  carom_texts *texts = &w->texts;
  const char *rate = "0", *by_time = "0", *name = carom_say(texts, "%s.turned", j->name);
  for (int k = 0; k < 2; k++) {
    const carom_body *body = j->bodies[k];
    const carom_yaml *moved = carom_yaml_get(body->map, "moved");
    const char *part = "0";
    carom_text_vector own = in_body(w, j, k, "about", axis);
    for (int i = 0; body->moves && i < 3; i++)
      part =
          carom_sum(texts, part,
                    carom_product(texts, own.c[i], carom_say(texts, "%s.w%d", body->name, i + 1)));
    rate = k ? carom_difference(texts, rate, part) : part;
    if (!moved || body->moves || !carom_yaml_get(moved, "turn")) continue;
    part = carom_product(texts, axis.c[2], carom_body_named(w, body, "moved.turn"));
    by_time = k ? carom_difference(texts, by_time, part) : part;
  }
  carom_body_put_text(w, carom_body_section(w, "coordinates"), name, "0");
  carom_body_put_text(w, carom_body_section(w, "rates"), name, rate);
  return carom_sum(texts, name, by_time);
}

static carom_status drive_hinge(carom_body_writer *w, const joint *j, carom_text_vector axis) {
  carom_texts *texts = &w->texts;
  const char *name = carom_say(texts, "%s.angle", j->name);
  if (!is_measured(w, j, name)) return CAROM_OK;
  const char *angle = w->space ? turned_in_space(w, j, axis)
                               : carom_difference(texts, turned_in_plane(w, j->bodies[0]),
                                                  turned_in_plane(w, j->bodies[1]));
  carom_body_put_text(w, carom_body_section(w, "define"), name, angle);
  carom_text_vector now =
      w->space ? anchor_direction(w, j, 1, "about", axis) : carom_vector("0", "0", "1");
  carom_joint_drive drive = {
      j->name, j->map, name, true, {j->bodies[0], j->bodies[1]}, now, carom_vector("0", "0", "0")};
  return carom_joint_write_drive(w, &drive);
}

static carom_status drive_slider(carom_body_writer *w, const joint *j, carom_text_vector off,
                                 carom_text_vector place, carom_text_vector axis) {
  carom_texts *texts = &w->texts;
  const char *name = carom_say(texts, "%s.slid", j->name);
  if (!is_measured(w, j, name)) return CAROM_OK;
  carom_text_vector now = anchor_direction(w, j, 1, "along", axis);
  carom_body_put_text(w, carom_body_section(w, "define"), name, carom_vector_dot(texts, off, now));
  carom_joint_drive drive = {j->name,
                             j->map,
                             name,
                             false,
                             {j->bodies[0], j->bodies[1]},
                             now,
                             anchor_point(w, j, 0, "on", place)};
  return carom_joint_write_drive(w, &drive);
}

static carom_status write_hinge(carom_body_writer *w, joint *j, const carom_yaml *value) {
  carom_text_vector axes[3] = {0};
  carom_status status = write_point(w, j, value);
  if (status == CAROM_OK && w->space) status = read_axes(w, j, axes);
  if (status != CAROM_OK) return status;
  if (w->space) {
    keep_square(w, j, axes, 0, 1);
    keep_square(w, j, axes, 0, 2);
  }
  return drive_hinge(w, j, axes[0]);
}

// the angle or way of a joint goes `gear` times as far as that of another one
static carom_status write_gear(carom_body_writer *w, joint *j, const carom_yaml *value) {
  const carom_yaml *of = carom_yaml_get(j->map, "of"),
                   *joints = carom_yaml_get(w->document->root, "joints");
  const char *gone[2];
  if (!of || of->kind != CAROM_YAML_LIST || of->count != 2)
    return carom_body_fail(w, j->map, "joints.%s needs `of: [joint, joint]`", j->name);
  for (int k = 0; k < 2; k++) {
    const carom_yaml *name = of->values[k];
    const carom_yaml *other =
        name->kind == CAROM_YAML_SCALAR ? carom_yaml_get(joints, name->text) : NULL;
    bool turns = other && carom_yaml_get(other, "hinge");
    if (!turns && !(other && carom_yaml_get(other, "slider")))
      return carom_body_fail(w, name, "joints.%s: there is no hinge or slider '%s'", j->name,
                             name->kind == CAROM_YAML_SCALAR ? name->text : "[...]");
    gone[k] = carom_say(&w->texts, "%s.%s", name->text, turns ? "angle" : "slid");
  }
  const char *ratio = carom_body_number(w, carom_say(&w->texts, "%s.ratio", j->name), value);
  hold_constraint(w, j, carom_say(&w->texts, "%s - %s*%s", gone[0], ratio, gone[1]));
  return CAROM_OK;
}

static carom_status write_ball(carom_body_writer *w, joint *j, const carom_yaml *value) {
  return write_point(w, j, value);
}

static carom_status write_weld(carom_body_writer *w, joint *j, const carom_yaml *value) {
  carom_status status = write_point(w, j, value);
  if (status == CAROM_OK) keep_turn(w, j);
  return status;
}

// a cross: its arms are `axis`, in the first body, and `across`, in the second
static carom_status write_universal(carom_body_writer *w, joint *j, const carom_yaml *value) {
  carom_text_vector axes[3];
  if (!w->space)
    return carom_body_fail(w, value,
                           "a universal joint is one in space; in the plane there is hinge");
  carom_status status = write_point(w, j, value);
  if (status == CAROM_OK) status = read_axis(w, j, "axis", &axes[0]);
  if (status == CAROM_OK) status = read_axis(w, j, "across", &axes[1]);
  if (status == CAROM_OK) keep_square(w, j, axes, 0, 1);
  return status;
}

// the first body slides along an axis of the second and does not turn against it
static carom_status write_slider(carom_body_writer *w, joint *j, const carom_yaml *value) {
  carom_text_vector place, axes[3];
  carom_status status = read_place(w, j, value, "at", &place);
  if (status == CAROM_OK) status = read_axes(w, j, axes);
  if (status != CAROM_OK) return status;
  carom_text_vector off = anchor_distance(w, j, place);
  hold_constraint(w, j,
                  carom_vector_dot(&w->texts, off, anchor_direction(w, j, 1, "side", axes[1])));
  if (w->space)
    hold_constraint(w, j,
                    carom_vector_dot(&w->texts, off, anchor_direction(w, j, 1, "other", axes[2])));
  keep_turn(w, j);
  return drive_slider(w, j, off, place, axes[0]);
}

// the first body slides in a plane of the second and turns about the normal of it
static carom_status write_planar(carom_body_writer *w, joint *j, const carom_yaml *value) {
  carom_text_vector place, axes[3];
  if (!w->space)
    return carom_body_fail(w, value, "a planar joint is one in space; bodies in the plane have it");
  carom_status status = read_place(w, j, value, "at", &place);
  if (status == CAROM_OK) status = read_axes(w, j, axes);
  if (status != CAROM_OK) return status;
  carom_text_vector normal = anchor_direction(w, j, 1, "normal", axes[0]);
  hold_constraint(w, j, carom_vector_dot(&w->texts, anchor_distance(w, j, place), normal));
  keep_square(w, j, axes, 0, 1);
  keep_square(w, j, axes, 0, 2);
  return CAROM_OK;
}

// what is between two places, one on each body
static carom_status read_span(carom_body_writer *w, const joint *j, carom_text_vector *span) {
  const carom_yaml *from = carom_yaml_get(j->map, "from"), *to = carom_yaml_get(j->map, "to");
  carom_text_vector ends[2];
  if (!from || !to)
    return carom_body_fail(
        w, j->map,
        "joints.%s needs `from` and `to`: a place on each body, where they are at the start",
        j->name);
  carom_status status = read_place(w, j, from, "from", &ends[0]);
  if (status == CAROM_OK) status = read_place(w, j, to, "to", &ends[1]);
  if (status != CAROM_OK) return status;
  *span = carom_vector_difference(&w->texts, anchor_point(w, j, 0, "from", ends[0]),
                                  anchor_point(w, j, 1, "to", ends[1]));
  return CAROM_OK;
}

static carom_status write_distance(carom_body_writer *w, joint *j, const carom_yaml *value) {
  carom_text_vector span;
  carom_status status = read_span(w, j, &span);
  if (status != CAROM_OK) return status;
  const char *length = carom_body_number(w, carom_say(&w->texts, "%s.length", j->name), value);
  hold_constraint(w, j, carom_difference(&w->texts, carom_vector_length(&w->texts, span), length));
  return CAROM_OK;
}

static carom_status write_spring(carom_body_writer *w, joint *j, const carom_yaml *value) {
  carom_texts *texts = &w->texts;
  const carom_yaml *length = carom_yaml_get(j->map, "length"),
                   *damping = carom_yaml_get(j->map, "damping");
  carom_text_vector span;
  carom_status status = read_span(w, j, &span);
  if (status != CAROM_OK) return status;
  const char *stretched = carom_say(texts, "%s.stretched", j->name);
  carom_body_put_text(w, carom_body_section(w, "define"), stretched,
                      carom_vector_length(texts, span));
  const char *k = carom_body_number(w, carom_say(texts, "%s.stiffness", j->name), value);
  const char *rest =
      length ? carom_body_number(w, carom_say(texts, "%s.length", j->name), length) : "0";
  carom_body_add_term(w, "energy", "potential",
                      carom_say(texts, "%s*(%s - %s)^2/2", k, stretched, rest));
  if (damping)
    carom_body_add_term(
        w, "energy", "dissipation",
        carom_say(texts, "%s*%s'^2/2",
                  carom_body_number(w, carom_say(texts, "%s.damping", j->name), damping),
                  stretched));
  return CAROM_OK;
}

// both stay in touch, and at the place of contact neither slips on the other
static carom_status write_rolling(carom_body_writer *w, joint *j, const carom_yaml *value) {
  const char *gap;
  carom_yaml *slip;
  if (strcmp(value->text, "yes") != 0)
    return carom_body_fail(w, value, "joints.%s.rolling can only be yes", j->name);
  if (!carom_body_only_place(w, j->bodies[0], j->bodies[1], &gap, &slip))
    return carom_body_fail(w, value,
                           "joints.%s: '%s' and '%s' do not touch at one place, as a disc, a ball "
                           "or a coin does on a plane",
                           j->name, j->bodies[0]->name, j->bodies[1]->name);
  hold_constraint(w, j, gap);
  if (slip->kind == CAROM_YAML_SCALAR) hold_constraint(w, j, slip->text);
  for (int k = 0; slip->kind == CAROM_YAML_LIST && k < slip->count; k++)
    hold_constraint(w, j, slip->values[k]->text);
  return CAROM_OK;
}

enum { MOST_TAKES = 9 };
#define DRIVE "limits", "impact", "stiffness", "rest", "damping", "motor", "friction"

static const struct {
  const char *key;
  carom_status (*write)(carom_body_writer *w, joint *j, const carom_yaml *value);
  const char *takes[MOST_TAKES]; // the keys it has beside
} kinds[] = {{"gear", write_gear, {"of"}},
             {"hinge", write_hinge, {"axis", DRIVE}},
             {"ball", write_ball, {NULL}},
             {"weld", write_weld, {NULL}},
             {"universal", write_universal, {"axis", "across"}},
             {"slider", write_slider, {"axis", DRIVE}},
             {"planar", write_planar, {"axis"}},
             {"distance", write_distance, {"from", "to"}},
             {"rolling", write_rolling, {NULL}},
             {"spring", write_spring, {"from", "to", "length", "damping"}}};

// a key that the joint does not have would be passed over in silence
static carom_status check_keys(const carom_body_writer *w, const joint *j, size_t kind) {
  for (int k = 0; k < j->map->count; k++) {
    const char *key = j->map->keys[k];
    bool known = (kind != 0 && strcmp(key, "between") == 0) || strcmp(key, kinds[kind].key) == 0;
    for (int i = 0; i < MOST_TAKES && kinds[kind].takes[i]; i++)
      known = known || strcmp(key, kinds[kind].takes[i]) == 0;
    if (!known)
      return carom_body_fail(w, j->map->values[k],
                             "joints.%s is a %s, which has no '%s'; a joint of its own may have it",
                             j->name, kinds[kind].key, key);
  }
  return CAROM_OK;
}

static carom_status read_pair(carom_body_writer *w, joint *j) {
  const carom_yaml *between = carom_yaml_get(j->map, "between");
  if (!between || between->kind != CAROM_YAML_LIST || between->count != 2)
    return carom_body_fail(w, j->map, "joints.%s needs `between: [body, body]`", j->name);
  for (int k = 0; k < 2; k++) {
    const carom_yaml *name = between->values[k];
    j->bodies[k] = name->kind == CAROM_YAML_SCALAR ? carom_body_find(w, name->text) : NULL;
    if (!j->bodies[k])
      return carom_body_fail(w, name,
                             "joints.%s: there is no body '%s'; what stands still is a body too, "
                             "with `fixed: yes`",
                             j->name, name->kind == CAROM_YAML_SCALAR ? name->text : "[...]");
  }
  if (j->bodies[0] == j->bodies[1] || (!j->bodies[0]->moves && !j->bodies[1]->moves))
    return carom_body_fail(
        w, between, "joints.%s: two different bodies are needed, one of which moves", j->name);
  return CAROM_OK;
}

static carom_status write_joint(carom_body_writer *w, joint *j) {
  // a gear is between joints
  carom_status status = carom_yaml_get(j->map, kinds[0].key) ? CAROM_OK : read_pair(w, j);
  for (size_t k = 0; status == CAROM_OK && k < sizeof kinds / sizeof *kinds; k++) {
    const carom_yaml *value = carom_yaml_get(j->map, kinds[k].key);
    if (!value) continue;
    status = check_keys(w, j, k);
    return status == CAROM_OK ? kinds[k].write(w, j, value) : status;
  }
  return status != CAROM_OK ? status
                            : carom_body_fail(w, j->map,
                                              "joints.%s is none of hinge, ball, weld, universal, "
                                              "slider, planar, distance, rolling, spring and gear",
                                              j->name);
}

carom_status carom_body_write_joints(carom_body_writer *w) {
  const carom_yaml *joints = carom_yaml_get(w->document->root, "joints");
  for (int k = 0; joints && k < joints->count; k++) {
    joint j = {.name = joints->keys[k], .map = joints->values[k]};
    w->place = joints->key_places[k];
    carom_status status = write_joint(w, &j);
    if (status != CAROM_OK) return status;
    if (j.taken)
      return carom_body_fail(w, j.map,
                             "two constraints are called '%s': those of a joint are numbered; give "
                             "one another name",
                             j.taken);
  }
  return CAROM_OK;
}
