// SPDX-License-Identifier: MIT
// How a body moves. In the plane: x, y and the angle `turn`. In space: x, y, z, the quaternion e0
// to e3 and as speeds the spin about the body's own axes, w1 to w3, in which the kinetic energy is
// a sum of squares (Euler's equations follow from it).
#include "bodies/body_writer.h"

#include <stdio.h>
#include <string.h>

static const char axes[] = "xyz";

static const carom_yaml *given_value(const carom_body *body, const char *key) {
  return carom_yaml_get(body->map, key);
}

carom_text_vector carom_body_speed_at(carom_body_writer *w, const carom_body *body,
                                      carom_text_vector arm) {
  return carom_vector_sum(&w->texts, body->velocity,
                          carom_vector_cross(&w->texts, body->spin, arm));
}

// ---- turns

static carom_text_turn turn_in_plane(carom_body_writer *w, const char *angle) {
  carom_texts *texts = &w->texts;
  bool none = strcmp(angle, "0") == 0;
  const char *c = none ? "1" : carom_say(texts, "cos(%s)", angle);
  const char *s = none ? "0" : carom_say(texts, "sin(%s)", angle);
  return (carom_text_turn){{carom_vector(c, s, "0"),
                            carom_vector(carom_difference(texts, "0", s), c, "0"),
                            carom_vector("0", "0", "1")}};
}

// the turn of a unit quaternion; e holds the names of its components
static carom_text_turn turn_of(carom_texts *texts, const char *const e[4]) {
  carom_text_turn turn;
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    const char *a = e[1 + i], *b = e[1 + j], *c = e[1 + k];
    turn.axis[i].c[i] = carom_say(texts, "(%s^2 + %s^2 - %s^2 - %s^2)", e[0], a, b, c);
    turn.axis[i].c[j] = carom_say(texts, "2*(%s*%s + %s*%s)", a, b, e[0], c);
    turn.axis[i].c[k] = carom_say(texts, "2*(%s*%s - %s*%s)", a, c, e[0], b);
  }
  return turn;
}

static void four_names(carom_body_writer *w, const carom_body *body, const char *prefix,
                       const char *e[4]) {
  for (int k = 0; k < 4; k++)
    e[k] = carom_say(&w->texts, "%s.%se%d", body->name, prefix, k);
}

// an axis and an angle: e0 = cos(angle/2), e = axis/|axis| sin(angle/2)
static carom_status read_axis(carom_body_writer *w, const carom_body *body, const carom_yaml *map,
                              const char *const e[4]) {
  carom_texts *texts = &w->texts;
  const carom_yaml *list = carom_yaml_get(map, "axis"), *angle = carom_yaml_get(map, "angle");
  if (!list || !angle) return carom_body_fail(w, map, "a turn in space needs an axis and an angle");
  carom_text_vector axis;
  carom_status status = carom_body_vector(w, list, carom_body_named(w, body, "turn.axis"), &axis);
  if (status != CAROM_OK) return status;
  const char *half = carom_say(
      texts, "%s/2", carom_body_number(w, carom_body_named(w, body, "turn.angle"), angle));
  const char *length = carom_vector_length(texts, axis);
  (void)carom_body_derived(w, e[0], carom_say(texts, "cos(%s)", half));
  for (int k = 0; k < 3; k++)
    (void)carom_body_derived(w, e[1 + k],
                             carom_say(texts, "%s*sin(%s)/%s", axis.c[k], half, length));
  return CAROM_OK;
}

// the quaternion at the start, of parameters; one that is given is made of length one
static carom_status start_quaternion(carom_body_writer *w, const carom_body *body,
                                     const carom_yaml *turn, const char *const e[4]) {
  if (turn->kind == CAROM_YAML_MAP) return read_axis(w, body, turn, e);
  if (turn->kind != CAROM_YAML_LIST || turn->count != 4)
    return carom_body_fail(w, turn,
                           "a turn in space is {axis: [x, y, z], angle: ...} or the four "
                           "components of a quaternion");
  const char *raw[4], *square = "0";
  for (int k = 0; k < 4; k++) {
    raw[k] = carom_body_number(w, carom_say(&w->texts, "%s.turn.given%d", body->name, k),
                               turn->values[k]);
    square = carom_sum(&w->texts, square, carom_square(&w->texts, raw[k]));
  }
  for (int k = 0; k < 4; k++)
    (void)carom_body_derived(w, e[k], carom_say(&w->texts, "%s/sqrt(%s)", raw[k], square));
  return CAROM_OK;
}

// ---- starts

carom_status carom_body_read_start(carom_body_writer *w, carom_body *body) {
  const carom_yaml *at = given_value(body, "at"), *turn = given_value(body, "turn");
  w->place = body->place;
  carom_status status =
      at ? carom_body_vector(w, at, carom_body_named(w, body, "at"), &body->start) : CAROM_OK;
  if (!at) body->start = carom_vector("0", "0", "0");
  if (status != CAROM_OK) return status;
  if (w->space) {
    const char *e[4];
    four_names(w, body, "turn.", e);
    if (turn) status = start_quaternion(w, body, turn, e);
    body->start_turn = turn ? turn_of(&w->texts, e) : turn_in_plane(w, "0");
    return status;
  }
  if (turn && turn->kind != CAROM_YAML_SCALAR)
    return carom_body_fail(w, turn, "a turn in the plane is one angle");
  body->start_turn = turn_in_plane(
      w, turn ? carom_body_number(w, carom_body_named(w, body, "at.turn"), turn) : "0");
  return CAROM_OK;
}

// a coordinate with its start and rate
static void put_coordinate(carom_body_writer *w, const char *name, const char *start,
                           const carom_yaml *rate) {
  carom_yaml *map = carom_yaml_map(w->texts.arena, w->place);
  carom_body_put_text(w, map, "start", start);
  if (rate) carom_body_put(w, map, "rate", (carom_yaml *)rate);
  carom_body_put(w, carom_body_section(w, "coordinates"), name, map);
}

static carom_status check_list(const carom_body_writer *w, const carom_yaml *list,
                               const char *what) {
  int wanted = w->space ? 3 : 2;
  if (!list || (list->kind == CAROM_YAML_LIST && list->count == wanted)) return CAROM_OK;
  return carom_body_fail(w, list, "%s needs a list of %d numbers", what, wanted);
}

// ---- bodies that move by their forces

/// Of one body: terms of those of the system.
typedef struct energies {
  const char *kinetic, *potential;
} energies;

static void add_kinetic(carom_body_writer *w, energies *own, const char *term) {
  carom_body_add_term(w, "energy", "kinetic", term);
  own->kinetic = carom_sum(&w->texts, own->kinetic, term);
}

static void add_potential(carom_body_writer *w, energies *own, const char *term) {
  carom_body_add_term(w, "energy", "potential", term);
  own->potential = carom_sum(&w->texts, own->potential, term);
}

static carom_status move_in_plane(carom_body_writer *w, carom_body *body, energies *own) {
  const carom_yaml *turn = given_value(body, "turn"), *spin = given_value(body, "spin");
  if (spin && spin->kind != CAROM_YAML_SCALAR)
    return carom_body_fail(w, spin, "a spin in the plane is one number");
  const char *angle = carom_body_named(w, body, "turn");
  put_coordinate(w, angle, turn ? carom_body_named(w, body, "at.turn") : "0", spin);
  body->turn = turn_in_plane(w, angle);
  body->spin = carom_vector("0", "0", carom_say(&w->texts, "%s'", angle));
  add_kinetic(w, own, carom_say(&w->texts, "%s*%s'^2/2", body->inertia.c[2], angle));
  return CAROM_OK;
}

// the spin is given about the axes of space, the speeds are about those of the body
static carom_status start_spin(carom_body_writer *w, const carom_body *body) {
  carom_text_vector spin = carom_vector("0", "0", "0");
  const carom_yaml *list = given_value(body, "spin");
  if (list) {
    carom_status status = carom_body_vector(w, list, carom_body_named(w, body, "spin"), &spin);
    if (status != CAROM_OK) return status;
  }
  carom_text_vector own = carom_turn_in(&w->texts, &body->start_turn, spin);
  for (int k = 0; k < 3; k++)
    carom_body_put_text(w, carom_body_section(w, "speeds"),
                        carom_say(&w->texts, "%s.w%d", body->name, k + 1), own.c[k]);
  return CAROM_OK;
}

static carom_status move_in_space(carom_body_writer *w, carom_body *body, energies *own) {
  carom_texts *texts = &w->texts;
  const char *e[4], *start[4], *b = body->name;
  four_names(w, body, "", e);
  four_names(w, body, "turn.", start);
  for (int k = 0; k < 4; k++)
    put_coordinate(w, e[k], given_value(body, "turn") ? start[k] : k ? "0" : "1", NULL);
  carom_status status = start_spin(w, body);
  if (status != CAROM_OK) return status;
  carom_yaml *rates = carom_body_section(w, "rates");
  carom_body_put_text(
      w, rates, e[0],
      carom_say(texts, "-(%s*%s.w1 + %s*%s.w2 + %s*%s.w3)/2", e[1], b, e[2], b, e[3], b));
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    carom_body_put_text(w, rates, e[1 + i],
                        carom_say(texts, "(%s*%s.w%d + %s*%s.w%d - %s*%s.w%d)/2", e[0], b, i + 1,
                                  e[1 + j], b, k + 1, e[1 + k], b, j + 1));
  }
  carom_body_put_text(w, carom_body_section(w, "invariants"), carom_body_named(w, body, "unit"),
                      carom_say(texts, "%s^2 + %s^2 + %s^2 + %s^2 - 1", e[0], e[1], e[2], e[3]));
  body->turn = turn_of(texts, e);
  carom_text_vector spin;
  for (int k = 0; k < 3; k++) {
    spin.c[k] = carom_say(texts, "%s.w%d", b, k + 1);
    add_kinetic(w, own, carom_say(texts, "%s*%s^2/2", body->inertia.c[k], spin.c[k]));
  }
  for (int k = 0; k < 3; k++)
    add_kinetic(w, own,
                carom_product(texts, body->products.c[k],
                              carom_product(texts, spin.c[(k + 1) % 3], spin.c[(k + 2) % 3])));
  body->spin = carom_turn_out(texts, &body->turn, spin);
  return CAROM_OK;
}

static void add_gravity(carom_body_writer *w, const carom_body *body, energies *own) {
  const carom_yaml *gravity = carom_yaml_get(w->document->root, "gravity");
  if (!gravity) return;
  if (gravity->kind == CAROM_YAML_SCALAR) {
    add_potential(w, own,
                  carom_say(&w->texts, "%s*gravity*%s", body->mass, body->at.c[w->space ? 2 : 1]));
    return;
  }
  for (int k = 0; k < (w->space ? 3 : 2); k++)
    add_potential(w, own,
                  carom_say(&w->texts, "(-%s*gravity.%c*%s)", body->mass, axes[k], body->at.c[k]));
}

// names for expressions: those that nobody mentions are left out
static void define_if_mentioned(carom_body_writer *w, const char *name, const char *text) {
  if (carom_body_is_mentioned(w->document->root, name))
    carom_body_put_text(w, carom_body_section(w, "define"), name, text);
}

static carom_status move_freely(carom_body_writer *w, carom_body *body) {
  const carom_yaml *velocity = given_value(body, "velocity");
  carom_status status = check_list(w, velocity, "a velocity");
  if (status != CAROM_OK) return status;
  body->at = body->velocity = carom_vector("0", "0", "0");
  const char *squares = "0";
  for (int k = 0; k < (w->space ? 3 : 2); k++) {
    const char *name = carom_say(&w->texts, "%s.%c", body->name, axes[k]);
    put_coordinate(w, name, body->start.c[k], velocity ? velocity->values[k] : NULL);
    body->at.c[k] = name;
    body->velocity.c[k] = carom_say(&w->texts, "%s'", name);
    squares = carom_sum(&w->texts, squares, carom_square(&w->texts, body->velocity.c[k]));
  }
  energies own = {"0", "0"};
  add_kinetic(w, &own, carom_say(&w->texts, "%s*%s/2", body->mass, squares));
  add_gravity(w, body, &own);
  status = w->space ? move_in_space(w, body, &own) : move_in_plane(w, body, &own);
  define_if_mentioned(w, carom_body_named(w, body, "kinetic"), own.kinetic);
  define_if_mentioned(w, carom_body_named(w, body, "potential"), own.potential);
  return status;
}

// ---- bodies that are fixed, or moved as time says

// what would be passed over in silence; a body that moves otherwise may be held by `fixed`
static carom_status check_by_time(const carom_body_writer *w, const carom_body *body) {
  static const char *const keys[] = {"velocity", "spin"};
  const carom_yaml *moved = given_value(body, "moved"),
                   *z = moved ? carom_yaml_get(moved, "z") : NULL;
  if (z && !w->space)
    return carom_body_fail(w, z, "bodies.%s is in the plane, without z", body->name);
  for (int k = 0; !given_value(body, "fixed") && k < 2; k++)
    if (given_value(body, keys[k]))
      return carom_body_fail(w, given_value(body, keys[k]),
                             "bodies.%s does not move by itself, so it has no %s; `moved` says how "
                             "it moves: {x: 2*t}",
                             body->name, keys[k]);
  return CAROM_OK;
}

static carom_status move_by_time(carom_body_writer *w, carom_body *body) {
  carom_texts *texts = &w->texts;
  const carom_yaml *moved = given_value(body, "moved"),
                   *turn = moved ? carom_yaml_get(moved, "turn") : NULL;
  carom_status status = check_by_time(w, body);
  if (status != CAROM_OK) return status;
  body->at = body->start;
  body->velocity = body->spin = carom_vector("0", "0", "0");
  body->turn = body->start_turn;
  for (int k = 0; moved && k < (w->space ? 3 : 2); k++) {
    const char axis[] = {axes[k], 0}, *name = carom_say(texts, "%s.moved.%s", body->name, axis);
    const carom_yaml *value = carom_yaml_get(moved, axis);
    if (!value) continue;
    carom_body_put(w, carom_body_section(w, "define"), name, (carom_yaml *)value);
    body->at.c[k] = carom_sum(texts, body->start.c[k], name);
    body->velocity.c[k] = carom_say(texts, "%s'", name);
  }
  if (!turn) return CAROM_OK;
  const char *angle = carom_body_named(w, body, "moved.turn");
  carom_body_put(w, carom_body_section(w, "define"), angle, (carom_yaml *)turn);
  body->spin.c[2] = carom_say(texts, "%s'", angle);
  // about the third axis of space, after the turn of the start
  carom_text_turn more = turn_in_plane(w, angle);
  for (int k = 0; k < 3; k++)
    body->turn.axis[k] = carom_turn_out(texts, &more, body->start_turn.axis[k]);
  return CAROM_OK;
}

// ---- names for expressions

static carom_status write_points(carom_body_writer *w, const carom_body *body) {
  const carom_yaml *points = given_value(body, "points");
  for (int p = 0; points && p < points->count; p++) {
    carom_text_vector local;
    const char *name = carom_body_named(w, body, points->keys[p]);
    carom_status status =
        carom_body_vector(w, points->values[p], carom_say(&w->texts, "%s.in", name), &local);
    if (status != CAROM_OK) return status;
    carom_text_vector at =
        carom_vector_sum(&w->texts, body->at, carom_turn_out(&w->texts, &body->turn, local));
    for (int k = 0; k < (w->space ? 3 : 2); k++)
      carom_body_put_text(w, carom_body_section(w, "define"),
                          carom_say(&w->texts, "%s.%c", name, axes[k]), at.c[k]);
  }
  return CAROM_OK;
}

// angular momentum about the origin: m r x v + R I w
static carom_text_vector angular_momentum(carom_body_writer *w, const carom_body *body) {
  carom_texts *texts = &w->texts;
  carom_text_vector orbit =
      carom_vector_times(texts, body->mass, carom_vector_cross(texts, body->at, body->velocity));
  carom_text_vector own = carom_turn_in(texts, &body->turn, body->spin);
  for (int k = 0; w->space && k < 3; k++)
    own.c[k] = carom_say(texts, "%s.w%d", body->name, k + 1);
  carom_text_vector spun;
  for (int k = 0; k < 3; k++) {
    int i = (k + 1) % 3, j = (k + 2) % 3;
    spun.c[k] = carom_sum(texts, carom_product(texts, body->inertia.c[k], own.c[k]),
                          carom_sum(texts, carom_product(texts, body->products.c[j], own.c[i]),
                                    carom_product(texts, body->products.c[i], own.c[j])));
  }
  return carom_vector_sum(texts, orbit, carom_turn_out(texts, &body->turn, spun));
}

// where a body without coordinates is
static void name_place(carom_body_writer *w, const carom_body *body) {
  const carom_yaml *moved = given_value(body, "moved");
  for (int k = 0; k < (w->space ? 3 : 2); k++)
    define_if_mentioned(w, carom_say(&w->texts, "%s.%c", body->name, axes[k]), body->at.c[k]);
  if (w->space) return;
  bool turns = moved && carom_yaml_get(moved, "turn");
  const char *start = given_value(body, "turn") ? carom_body_named(w, body, "at.turn") : "0";
  define_if_mentioned(
      w, carom_body_named(w, body, "turn"),
      carom_sum(&w->texts, start, turns ? carom_body_named(w, body, "moved.turn") : "0"));
}

static void name_motion(carom_body_writer *w, const carom_body *body) {
  carom_texts *texts = &w->texts;
  for (int k = 0; k < 3; k++) {
    define_if_mentioned(w, carom_say(texts, "%s.v%c", body->name, axes[k]), body->velocity.c[k]);
    define_if_mentioned(w, carom_say(texts, "%s.w%c", body->name, axes[k]), body->spin.c[k]);
  }
  if (!body->moves) {
    name_place(w, body);
    return;
  }
  carom_text_vector momentum = angular_momentum(w, body);
  for (int k = 0; k < 3; k++) {
    define_if_mentioned(w, carom_say(texts, "%s.p%c", body->name, axes[k]),
                        carom_product(texts, body->mass, body->velocity.c[k]));
    define_if_mentioned(w, carom_say(texts, "%s.l%c", body->name, axes[k]), momentum.c[k]);
  }
}

carom_status carom_body_write_motion(carom_body_writer *w, carom_body *body) {
  carom_status status = carom_body_read_start(w, body);
  if (status == CAROM_OK) status = carom_body_read_shape(w, body);
  w->place = body->place; // that of its parts was told meanwhile
  if (status == CAROM_OK) status = body->moves ? move_freely(w, body) : move_by_time(w, body);
  if (status == CAROM_OK) carom_body_place_parts(w, body);
  if (status == CAROM_OK) status = write_points(w, body);
  if (status == CAROM_OK) name_motion(w, body);
  return status;
}
