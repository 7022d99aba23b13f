// SPDX-License-Identifier: MIT
/// Which features stand in the slots of bodies with flat faces. They are found by where the bodies
/// are (convex/meeting.h), after each step and where a contact leaves its features. A slot that is
/// open may get other features at any time: that changes no motion. One that is closed keeps its
/// own until they end, which is an event (a branch of its own), and goes on with those that begin
/// at the same place.
#include "hybrid/hybrid.h"

#include "base/vector.h"
#include "convex/slot.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { POSE = 12 };              // numbers: a place and a turn
static const double NEAR = 0.1;  // of the smaller width: bodies that are nearer have features
static const double BAND = 1e-9; // of it: what is as far beyond an edge counts as on it
static const double SAME = 1e-6; // of it: where contact goes on with other features
static const double ABSENT = CAROM_ABSENT_GAP;

// ---- preparation

carom_status carom_solids_add_kinks(carom_solid_set *set, carom_arena *arena,
                                    const carom_scenario *scenario, carom_kink_list *kinks,
                                    carom_error *error) {
  const carom_convex_list *list = &scenario->convex;
  long failures = carom_arena_failures(arena);
  set->list = list;
  if (list->pair_count == 0) return CAROM_OK;
  set->first = carom_arena_array(arena, (size_t)list->pair_count + 1, sizeof *set->first);
  set->slot_of = carom_arena_array(arena, (size_t)scenario->contact_count, sizeof *set->slot_of);
  size_t all = 0;
  for (int p = 0; p < list->pair_count; p++)
    all += (size_t)list->pairs[p].slot_count;
  set->contact = carom_arena_array(arena, all, sizeof *set->contact);
  set->kink = carom_arena_array(arena, 2 * all, sizeof *set->kink);
  if (carom_arena_failures(arena) != failures) return carom_fail_memory(error);
  for (int p = 0; p < list->pair_count; p++) {
    set->first[p] = set->slot_count;
    for (int k = 0; k < list->pairs[p].slot_count; k++) {
      const carom_convex_slot *slot = &list->pairs[p].slots[k];
      set->contact[set->slot_count] = slot->contact;
      for (int j = 0; j < 2; j++) {
        carom_node sign = carom_node_make(scenario->graph, CAROM_OP_SIGN, slot->within[j], 0, 0);
        set->kink[2 * set->slot_count + j] = kinks->count;
        if (!sign || !carom_kink_remove(scenario->graph, arena, sign, kinks))
          return carom_fail(error, carom_graph_status(scenario->graph),
                            "the contacts between bodies make too many expressions");
        assert(kinks->count == set->kink[2 * set->slot_count + j] + 1);
      }
      set->slot_of[slot->contact] = ++set->slot_count;
    }
  }
  set->first[list->pair_count] = set->slot_count;
  return CAROM_OK;
}

// where a shape's corners are, by the values of parameters
static carom_status evaluate_corners(const carom_scenario *s, const carom_convex_shape *shape,
                                     const double *values, double (*corners)[3],
                                     carom_error *error) {
  for (int k = 0; k < shape->corner_count; k++)
    for (int i = 0; i < 3; i++) {
      corners[k][i] = carom_node_evaluate(s->graph, shape->corners[k][i], values, error);
      if (!isfinite(corners[k][i]))
        return carom_fail_at(error, CAROM_ERR_INPUT, shape->place,
                             "a corner of body '%s' is nowhere", shape->name);
    }
  return CAROM_OK;
}

static carom_status make_shapes(carom_solid_set *set, carom_arena *arena, const carom_scenario *s,
                                carom_error *error) {
  const carom_convex_list *list = set->list;
  size_t symbols = (size_t)carom_graph_symbol_count(s->graph);
  double *values = carom_arena_array(arena, symbols, sizeof *values);
  set->shapes = carom_arena_array(arena, (size_t)list->shape_count, sizeof *set->shapes);
  if (!values || !set->shapes) return carom_fail_memory(error);
  carom_status status = carom_scenario_values(s, NULL, values, error);
  for (int k = 0; k < list->shape_count && status == CAROM_OK; k++) {
    const carom_convex_shape *shape = &list->shapes[k];
    double(*corners)[3] = carom_arena_array(arena, (size_t)shape->corner_count, sizeof *corners);
    if (!corners) return carom_fail_memory(error);
    status = evaluate_corners(s, shape, values, corners, error);
    if (status == CAROM_OK)
      status = carom_polytope_make(arena, shape->corner_count, (const double(*)[3])corners,
                                   shape->place, &set->shapes[k], error);
  }
  return status;
}

carom_status carom_solids_compile(carom_solid_set *set, carom_arena *arena,
                                  const carom_hybrid_model *model, carom_error *error) {
  const carom_scenario *s = model->scenario;
  const carom_dynamics *d = model->dynamics;
  if (set->slot_count == 0) return CAROM_OK;
  int shapes = set->list->shape_count;
  carom_node *outputs = carom_arena_array(arena, (size_t)(POSE * shapes), sizeof *outputs);
  if (!outputs) return carom_fail_memory(error);
  for (int k = 0; k < shapes; k++) {
    memcpy(outputs + POSE * k, set->list->shapes[k].at, sizeof set->list->shapes[k].at);
    memcpy(outputs + POSE * k + 3, set->list->shapes[k].turn, sizeof set->list->shapes[k].turn);
  }
  carom_status status = make_shapes(set, arena, s, error);
  if (status != CAROM_OK) return status;
  return carom_program_compile(arena, s->graph, d->input_count, d->inputs, POSE * shapes, outputs,
                               &set->poses, error);
}

carom_status carom_solids_init(carom_solids *solids, carom_arena *arena,
                               const carom_hybrid_model *model, carom_error *error) {
  const carom_solid_set *set = &model->probe.solids;
  if (set->slot_count == 0) return CAROM_OK;
  size_t shapes = (size_t)set->list->shape_count, slots = (size_t)set->slot_count;
  size_t registers = (size_t)carom_program_registers(set->poses);
  long failures = carom_arena_failures(arena);
  solids->shapes = carom_arena_array(arena, shapes, sizeof *solids->shapes);
  solids->posed = carom_arena_array(arena, shapes, sizeof *solids->posed);
  solids->features = carom_arena_array(arena, slots, sizeof *solids->features);
  solids->expired = carom_arena_array(arena, slots, sizeof *solids->expired);
  solids->gap = carom_arena_array(arena, (size_t)set->list->pair_count, sizeof *solids->gap);
  solids->speed = carom_arena_array(arena, shapes, sizeof *solids->speed);
  solids->registers = carom_arena_array(arena, registers, sizeof *solids->registers);
  solids->bounds = carom_arena_array(arena, registers, sizeof *solids->bounds);
  solids->state = carom_arena_array(arena, (size_t)model->dynamics->size + 8, sizeof(double));
  if (carom_arena_failures(arena) != failures) return carom_fail_memory(error);
  for (size_t k = 0; k < shapes; k++)
    if (!carom_polytope_copy(&solids->shapes[k], arena, &set->shapes[k]) ||
        !carom_posed_init(&solids->posed[k], arena, &solids->shapes[k]))
      return carom_fail_memory(error);
  return CAROM_OK;
}

// ---- the numbers of a slot

static void put_vector(double *numbers, carom_slot_number first, const double v[3]) {
  for (int i = 0; i < 3; i++)
    numbers[(int)first + i] = v[i];
}

// an edge of a face, or the end of an edge, that a place can leave: inside is where
// direction.x <= level
static void put_limit(double *numbers, carom_slot_number first, double sign, const double v[3],
                      const double through[3], double band) {
  for (int i = 0; i < 3; i++)
    numbers[(int)first + i] = sign * v[i];
  numbers[(int)first + 3] = sign * carom_v3_dot(v, through) + band;
}

// the two edges of a face that are nearest to a point of it
static void put_limits_of_face(double *numbers, const carom_polytope *shape, int face,
                               const double point[3], double band) {
  int first = shape->first[face], count = shape->first[face + 1] - first;
  double nearest[2] = {HUGE_VAL, HUGE_VAL};
  for (int k = 0; k < count; k++) {
    const double *from = shape->corners[shape->loop[first + k]];
    double along[3], out[3], d[3];
    carom_v3_difference(shape->corners[shape->loop[first + (k + 1) % count]], from, along);
    carom_v3_cross(along, shape->normals[face], out);
    carom_v3_scale(1.0 / carom_v3_length(along), out);
    carom_v3_difference(from, point, d);
    double left = carom_v3_dot(out, d);
    if (left < nearest[0]) {
      for (int i = 0; i < 4; i++)
        numbers[CAROM_SLOT_m1 + i] = numbers[CAROM_SLOT_k1 + i];
      nearest[1] = nearest[0];
      nearest[0] = left;
      put_limit(numbers, CAROM_SLOT_k1, 1.0, out, from, band);
    } else if (left < nearest[1]) {
      nearest[1] = left;
      put_limit(numbers, CAROM_SLOT_m1, 1.0, out, from, band);
    }
  }
}

// the end of an edge that is nearer to a point in space
static void put_limit_of_edge(double *numbers, carom_slot_number first, const carom_posed *posed,
                              int edge, const double place[3], double band) {
  const carom_polytope *shape = posed->shape;
  double d[3];
  carom_v3_difference(place, posed->corners[shape->edges[edge][0]], d);
  bool late = carom_v3_dot(d, posed->along[edge]) > 0.5 * shape->lengths[edge];
  put_limit(numbers, first, late ? 1.0 : -1.0, shape->along[edge],
            shape->corners[shape->edges[edge][late]], band);
}

// a corner of one body at a face of the other one
static void put_corner(double *numbers, bool of_a, const carom_posed *owner, int face,
                       const carom_posed *other, int corner, double band) {
  const carom_polytope *shape = owner->shape;
  const double *through = shape->corners[shape->loop[shape->first[face]]];
  double normal[3] = {0.0, 0.0, 0.0}, along[3], seen[3];
  carom_v3_add(of_a ? 1.0 : -1.0, shape->normals[face], normal);
  put_vector(numbers, of_a ? CAROM_SLOT_w1 : CAROM_SLOT_u1, normal);
  put_vector(numbers, of_a ? CAROM_SLOT_a1 : CAROM_SLOT_b1, other->shape->corners[corner]);
  put_vector(numbers, of_a ? CAROM_SLOT_b1 : CAROM_SLOT_a1, through);
  carom_v3_difference(shape->corners[shape->loop[shape->first[face] + 1]], through, along);
  carom_v3_scale(1.0 / carom_v3_length(along), along);
  put_vector(numbers, CAROM_SLOT_r1, along);
  numbers[CAROM_SLOT_corner] = of_a ? 0.0 : 1.0;
  carom_v3_difference(other->corners[corner], owner->place, seen);
  carom_m3_transposed(owner->turn, seen, seen);
  put_limits_of_face(numbers, shape, face, seen, band);
}

static void put_edges(double *numbers, const carom_posed *a, const carom_posed *b,
                      const carom_feature *feature, const carom_feature_look *look, double band) {
  put_vector(numbers, CAROM_SLOT_a1, a->shape->corners[a->shape->edges[feature->a][0]]);
  put_vector(numbers, CAROM_SLOT_b1, b->shape->corners[b->shape->edges[feature->b][0]]);
  put_vector(numbers, CAROM_SLOT_u1, a->shape->along[feature->a]);
  put_vector(numbers, CAROM_SLOT_r1, a->shape->along[feature->a]);
  put_vector(numbers, CAROM_SLOT_w1, b->shape->along[feature->b]);
  numbers[CAROM_SLOT_edge] = look->side;
  put_limit_of_edge(numbers, CAROM_SLOT_k1, a, feature->a, look->place, band);
  put_limit_of_edge(numbers, CAROM_SLOT_m1, b, feature->b, look->place, band);
}

/// A pair of bodies, as they are now.
typedef struct pair_now {
  int index, first, count; // the pair, and its slots
  const carom_posed *a, *b;
  double width, band;
  carom_parting parting;
} pair_now;

static pair_now pair_of(const carom_hybrid *it, int p) {
  const carom_solid_set *set = &it->model->probe.solids;
  const carom_convex_pair *pair = &set->list->pairs[p];
  pair_now now = {.index = p,
                  .first = set->first[p],
                  .count = pair->slot_count,
                  .a = &it->watching.solids.posed[pair->first],
                  .b = &it->watching.solids.posed[pair->second]};
  now.width = fmin(now.a->shape->width, now.b->shape->width);
  now.band = BAND * now.width;
  return now;
}

static double *numbers_of(const carom_hybrid *it, const pair_now *now, int slot) {
  const carom_convex_pair *pair = &it->model->probe.solids.list->pairs[now->index];
  return it->settings.parameters + pair->slots[slot - now->first].numbers;
}

static void put_numbers(carom_hybrid *it, const pair_now *now, int slot) {
  const carom_feature *feature = &it->watching.solids.features[slot];
  double *numbers = numbers_of(it, now, slot), band = 2.0 * now->band;
  carom_feature_look look;
  memset(numbers, 0, CAROM_SLOT_SIZE * sizeof *numbers);
  numbers[CAROM_SLOT_kl] = numbers[CAROM_SLOT_ml] = 1.0;
  switch (feature->kind) {
  case CAROM_FEATURE_NONE: numbers[CAROM_SLOT_off] = ABSENT; return;
  case CAROM_CORNER_ON_FACE:
    put_corner(numbers, true, now->b, feature->b, now->a, feature->a, band);
    return;
  case CAROM_FACE_ON_CORNER:
    put_corner(numbers, false, now->a, feature->a, now->b, feature->b, band);
    return;
  case CAROM_EDGE_ON_EDGE:
    if (carom_feature_see(now->a, now->b, &now->parting, feature, &look))
      put_edges(numbers, now->a, now->b, feature, &look, band);
    return;
  }
}

// ---- which features

static void pose_all(carom_hybrid *it, double t, const double *y) {
  const carom_solid_set *set = &it->model->probe.solids;
  carom_solids *solids = &it->watching.solids;
  double pose[POSE];
  solids->registers[0] = t;
  memcpy(solids->registers + 1, y, (size_t)it->model->dynamics->size * sizeof *y);
  carom_program_run(set->poses, solids->registers);
  for (int k = 0; k < set->list->shape_count; k++) {
    (void)carom_program_read(set->poses, solids->registers, POSE * k, POSE, pose);
    carom_posed_put(&solids->posed[k], pose, pose + 3);
  }
}

// how far the spheres about both bodies are apart
static double spheres_apart(const pair_now *now) {
  double d[3];
  carom_v3_difference(now->a->place, now->b->place, d);
  return carom_v3_length(d) - now->a->shape->reach - now->b->shape->reach;
}

static bool is_closed(const carom_hybrid *it, int slot) {
  return carom_contact_is_closed(it->memory[it->model->probe.solids.contact[slot]].mode);
}

static bool is_taken(const carom_solids *solids, const pair_now *now,
                     const carom_feature *feature) {
  for (int k = now->first; k < now->first + now->count; k++)
    if (carom_feature_same(&solids->features[k], feature)) return true;
  return false;
}

static int free_slot(const carom_solids *solids, const pair_now *now) {
  for (int k = now->first; k < now->first + now->count; k++)
    if (solids->features[k].kind == CAROM_FEATURE_NONE) return k;
  return -1;
}

// A slot in contact whose features have ended goes on with new ones at the same place; -1: there is
// none.
static int slot_there(const carom_hybrid *it, const pair_now *now, const carom_feature *feature) {
  const carom_solids *solids = &it->watching.solids;
  carom_feature_look look, old;
  if (!carom_feature_see(now->a, now->b, &now->parting, feature, &look)) return -1;
  for (int k = now->first; k < now->first + now->count; k++) {
    double d[3];
    if (!solids->expired[k] || solids->features[k].kind == CAROM_FEATURE_NONE) continue;
    if (!carom_feature_see(now->a, now->b, &now->parting, &solids->features[k], &old)) continue;
    carom_v3_difference(look.place, old.place, d);
    if (carom_v3_length(d) <= SAME * now->width) return k;
  }
  return -1;
}

static carom_status fail_full(const carom_hybrid *it, const pair_now *now, carom_error *error) {
  const carom_convex_list *list = it->model->probe.solids.list;
  const carom_convex_pair *pair = &list->pairs[now->index];
  return carom_fail(error, CAROM_ERR_UNSUPPORTED,
                    "at t = %.15g the bodies '%s' and '%s' touch at more than %d places", it->now.t,
                    list->shapes[pair->first].name, list->shapes[pair->second].name, now->count);
}

/// Features that are near, and their gaps.
typedef struct meeting {
  int count;
  carom_feature features[CAROM_SLOT_MOST];
  double gaps[CAROM_SLOT_MOST];
} meeting;

// puts features into slots; `*changed`: some slot has others now
static carom_status place_features(carom_hybrid *it, const pair_now *now, const meeting *found,
                                   bool *changed, carom_error *error) {
  carom_solids *solids = &it->watching.solids;
  bool *expired = solids->expired, wanted[CAROM_SLOT_MOST] = {false};
  for (int k = 0; k < now->count; k++) {
    const carom_feature *old = &solids->features[now->first + k];
    for (int j = 0; j < found->count; j++)
      wanted[k] = wanted[k] || carom_feature_same(old, &found->features[j]);
    // what holds a body stays until it ends
    wanted[k] = (wanted[k] || is_closed(it, now->first + k)) && !expired[now->first + k];
  }
  int to[CAROM_SLOT_MOST];
  for (int j = 0; j < found->count; j++)
    to[j] =
        is_taken(solids, now, &found->features[j]) ? -1 : slot_there(it, now, &found->features[j]);
  for (int k = 0; k < now->count; k++) {
    if (wanted[k] || solids->features[now->first + k].kind == CAROM_FEATURE_NONE) continue;
    solids->features[now->first + k] = (carom_feature){CAROM_FEATURE_NONE, 0, 0};
    *changed = true;
  }
  for (int pass = 0; pass < 2; pass++) // those that go on come first
    for (int j = 0; j < found->count; j++) {
      if ((to[j] >= 0) != (pass == 0) || is_taken(solids, now, &found->features[j])) continue;
      bool there = to[j] >= 0 && solids->features[to[j]].kind == CAROM_FEATURE_NONE;
      int slot = there ? to[j] : free_slot(solids, now);
      if (slot < 0 && found->gaps[j] <= SAME * now->width) return fail_full(it, now, error);
      if (slot < 0) continue;
      solids->features[slot] = found->features[j];
      *changed = true;
    }
  return CAROM_OK;
}

static void list_held(const carom_solids *solids, const pair_now *now, carom_feature *held,
                      int *count) {
  *count = 0;
  for (int k = now->first; k < now->first + now->count; k++)
    if (solids->features[k].kind != CAROM_FEATURE_NONE && !solids->expired[k])
      held[(*count)++] = solids->features[k];
}

static carom_status look_at_pair(carom_hybrid *it, int p, bool *changed, carom_error *error) {
  carom_solids *solids = &it->watching.solids;
  carom_feature held[CAROM_SLOT_MOST];
  meeting found = {.count = 0};
  pair_now now = pair_of(it, p);
  int held_count;
  bool moved = false;
  solids->gap[p] = spheres_apart(&now);
  if (solids->gap[p] <= NEAR * now.width) {
    now.parting = carom_part_bodies(now.a, now.b);
    solids->gap[p] = now.parting.gap;
  }
  if (solids->gap[p] <= NEAR * now.width) {
    list_held(solids, &now, held, &held_count);
    found.count = carom_meet_bodies(now.a, now.b, &now.parting, now.band, held_count, held,
                                    now.count, found.features, found.gaps);
  }
  carom_status status = place_features(it, &now, &found, &moved, error);
  // limits of what touches are those nearest to where it is
  for (int k = now.first; k < now.first + now.count && status == CAROM_OK && found.count > 0; k++)
    if (solids->features[k].kind != CAROM_FEATURE_NONE) put_numbers(it, &now, k);
  for (int k = now.first; k < now.first + now.count && moved; k++)
    put_numbers(it, &now, k);
  *changed = *changed || moved;
  return status;
}

static carom_status look_at_all(carom_hybrid *it, const double *y, bool *changed,
                                carom_error *error) {
  const carom_solid_set *set = &it->model->probe.solids;
  carom_status status = CAROM_OK;
  pose_all(it, it->now.t, y);
  for (int p = 0; p < set->list->pair_count && status == CAROM_OK; p++)
    status = look_at_pair(it, p, changed, error);
  memset(it->watching.solids.expired, 0, (size_t)set->slot_count * sizeof(bool));
  return status;
}

// ---- for the engine

bool carom_solids_sleeps(const carom_hybrid *it, int slot) {
  return slot > 0 && it->watching.solids.features[slot - 1].kind == CAROM_FEATURE_NONE;
}

static carom_status refuse_overlap(const carom_hybrid *it, int p, carom_error *error) {
  const carom_convex_list *list = it->model->probe.solids.list;
  const carom_convex_shape *a = &list->shapes[list->pairs[p].first],
                           *b = &list->shapes[list->pairs[p].second];
  return carom_fail_at(error, CAROM_ERR_INPUT, a->place,
                       "at t = %.15g the bodies '%s' and '%s' overlap by %.6g", it->now.t, a->name,
                       b->name, -it->watching.solids.gap[p]);
}

static carom_status measure_shapes(carom_hybrid *it, carom_error *error) {
  const carom_solid_set *set = &it->model->probe.solids;
  const carom_scenario *s = it->model->scenario;
  carom_status status = CAROM_OK;
  for (int k = 0; k < set->list->shape_count && status == CAROM_OK; k++) {
    carom_polytope *shape = &it->watching.solids.shapes[k];
    status = evaluate_corners(s, &set->list->shapes[k], it->settings.values, shape->corners, error);
    if (status == CAROM_OK && !carom_polytope_measure(shape))
      return carom_fail_at(error, CAROM_ERR_INPUT, set->list->shapes[k].place,
                           "with these parameters the corners of body '%s' make other faces than "
                           "those of the file",
                           set->list->shapes[k].name);
  }
  return status;
}

carom_status carom_solids_start(carom_hybrid *it, carom_error *error) {
  const carom_solid_set *set = &it->model->probe.solids;
  carom_solids *solids = &it->watching.solids;
  if (set->slot_count == 0) return CAROM_OK;
  carom_status status = measure_shapes(it, error);
  if (status != CAROM_OK) return status;
  memset(solids->features, 0, (size_t)set->slot_count * sizeof *solids->features);
  memset(solids->expired, 0, (size_t)set->slot_count * sizeof *solids->expired);
  carom_solids_recall(it);
  return carom_solids_renew(it, error);
}

carom_status carom_solids_renew(carom_hybrid *it, carom_error *error) {
  const carom_solid_set *set = &it->model->probe.solids;
  bool changed = false;
  if (set->slot_count == 0) return CAROM_OK;
  carom_status status = look_at_all(it, it->y, &changed, error);
  if (status != CAROM_OK) return status;
  for (int p = 0; p < set->list->pair_count; p++) {
    pair_now now = pair_of(it, p);
    if (it->watching.solids.gap[p] < -SAME * now.width) return refuse_overlap(it, p, error);
  }
  carom_hybrid_configure(it);
  return CAROM_OK;
}

bool carom_solids_holds(const carom_hybrid *it, int slot) { return is_closed(it, slot - 1); }

bool carom_solids_expire(carom_hybrid *it, int k) {
  assert(k >= 0 && k < it->model->watched_count);
  const carom_watched *watched = &it->model->watched[k];
  if (watched->kind != CAROM_WATCH_SWITCH || watched->slot == 0) return false;
  it->watching.solids.expired[watched->slot - 1] = true;
  return true;
}

carom_status carom_solids_follow(carom_hybrid *it, carom_error *error) {
  const carom_hybrid_model *model = it->model;
  bool changed = false;
  carom_state_take(it, it->stepper.y);
  carom_status status = look_at_all(it, it->y, &changed, error);
  if (status != CAROM_OK) return status;
  carom_hybrid_configure(it);
  for (int k = 0; k < model->watched_count && changed; k++)
    if (model->watched[k].slot > 0) carom_sides_arm(it, k);
  return CAROM_OK;
}

void carom_solids_set_up(carom_hybrid *it) {
  const carom_solid_set *set = &it->model->probe.solids;
  const carom_dynamics *d = it->model->dynamics;
  carom_solids *solids = &it->watching.solids;
  if (set->slot_count == 0) return;
  carom_hybrid_set_up(it, set->poses, solids->registers);
  for (int k = 1 + d->size; k < d->input_count; k++)
    solids->bounds[k] = carom_interval_point(solids->registers[k]);
  carom_program_setup_bounds(set->poses, solids->bounds);
}

void carom_solids_recall(carom_hybrid *it) {
  const carom_solid_set *set = &it->model->probe.solids;
  if (set->slot_count == 0) return;
  pose_all(it, it->now.t, it->y);
  for (int p = 0; p < set->list->pair_count; p++) {
    pair_now now = pair_of(it, p);
    now.parting = carom_part_bodies(now.a, now.b);
    for (int k = now.first; k < now.first + now.count; k++)
      put_numbers(it, &now, k);
  }
}

double carom_solids_depth(const carom_hybrid *it, int pair) {
  return -it->watching.solids.gap[pair];
}
