// SPDX-License-Identifier: MIT
// A scenario of the engine `grains`: rods, walls, contacts, drive, start.
#include "scenario/load.h"

#include <limits.h>
#include <math.h>
#include <string.h>

static carom_grains_description *grains_of(carom_loader *loader) {
  return loader->scenario->described.grains;
}

// ---- small pieces

static carom_status read_number(carom_loader *loader, const carom_yaml *value,
                                const carom_rules *rules, carom_node *node) {
  carom_grains_written *written = carom_arena_take(loader->arena, sizeof *written);
  if (!written) return carom_fail_memory(loader->error);
  *written = (carom_grains_written){node, value->place, grains_of(loader)->written};
  grains_of(loader)->written = written;
  return carom_load_expression(loader, value, rules, node);
}

static carom_status load_number(carom_loader *loader, const carom_yaml *map, const char *path,
                                const char *key, carom_node *node) {
  const carom_yaml *value = carom_loader_get(map, key);
  if (!value) return CAROM_OK;
  const carom_rules rules = {.kinds = CAROM_KINDS_FIXED,
                             .what = carom_loader_path(loader, "%s.%s", path, key)};
  return read_number(loader, value, &rules, node);
}

static const char *load_word(const carom_yaml *map, const char *key) {
  const carom_yaml *value = carom_loader_get(map, key);
  return value && value->kind == CAROM_YAML_SCALAR ? value->text : NULL;
}

// exactly `count` numbers in a list
static carom_status load_numbers(carom_loader *loader, const carom_yaml *map, const char *path,
                                 const char *key, int count, carom_node *nodes) {
  const carom_yaml *list = carom_loader_get(map, key);
  if (!list) return CAROM_OK;
  if (list->kind != CAROM_YAML_LIST || list->count != count)
    return carom_fail_at(loader->error, CAROM_ERR_INPUT, list->place,
                         "%s.%s is a list of %d numbers", path, key, count);
  const carom_rules rules = {.kinds = CAROM_KINDS_FIXED,
                             .what = carom_loader_path(loader, "%s.%s", path, key)};
  carom_status status = CAROM_OK;
  for (int k = 0; !status && k < count; k++) {
    if (list->values[k]->kind != CAROM_YAML_SCALAR)
      return carom_fail_at(loader->error, CAROM_ERR_INPUT, list->values[k]->place,
                           "%s.%s: a number expected", path, key);
    status = read_number(loader, list->values[k], &rules, &nodes[k]);
  }
  return status;
}

static bool starts_from_table(const carom_yaml *root) {
  const carom_yaml *start = carom_loader_get(root, "start");
  const char *as = start && start->kind == CAROM_YAML_MAP ? load_word(start, "as") : NULL;
  return as && strcmp(as, "table") == 0;
}

// ---- parts

static const char *kind_name(carom_loader *loader, const carom_yaml *map, int k) {
  const char *name = map->kind == CAROM_YAML_MAP ? load_word(map, "name") : NULL;
  return name ? name : carom_loader_path(loader, "kind%d", k + 1);
}

static carom_status load_species(carom_loader *loader, const carom_yaml *map) {
  carom_grains_description *g = grains_of(loader);
  if (g->species_count == CAROM_GRAINS_MAX_SPECIES)
    return carom_fail_at(loader->error, CAROM_ERR_LIMIT, map->place, "more than %d kinds of rods",
                         CAROM_GRAINS_MAX_SPECIES);
  carom_grains_species *s = &g->species[g->species_count++];
  s->place = map->place;
  s->name = kind_name(loader, map, g->species_count - 1);
  const struct {
    const char *key;
    carom_node *node;
  } all[] = {{"count", &s->count},
             {"diameter", &s->diameter},
             {"length", &s->length},
             {"density", &s->density},
             {"mass", &s->mass},
             {"inertia", &s->inertia},
             {"spin_inertia", &s->spin_inertia}};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
    carom_status status = load_number(loader, map, "rods", all[k].key, all[k].node);
    if (status) return status;
  }
  bool counted = s->count || starts_from_table(loader->document->root);
  if (!counted || !s->diameter)
    return carom_fail_at(loader->error, CAROM_ERR_INPUT, map->place,
                         "rods need the keys 'count' and 'diameter'");
  return CAROM_OK;
}

static carom_status load_rods(carom_loader *loader, const carom_yaml *root) {
  const carom_yaml *rods = carom_loader_get(root, "rods");
  carom_status status = CAROM_OK;
  if (!rods || (rods->kind == CAROM_YAML_LIST && rods->count == 0))
    return carom_fail_at(loader->error, CAROM_ERR_INPUT, root->place, "there are no rods");
  if (rods->kind == CAROM_YAML_MAP) {
    status = load_species(loader, rods);
    if (!status && !load_word(rods, "name")) grains_of(loader)->species[0].name = "rods";
    return status;
  }
  for (int k = 0; !status && k < rods->count; k++)
    status = load_species(loader, rods->values[k]);
  return status;
}

static carom_status load_contact(carom_loader *loader, const carom_yaml *map, const char *path,
                                 carom_grains_contact *c) {
  if (!map) return CAROM_OK;
  c->place = map->place;
  const struct {
    const char *key;
    carom_node *node;
  } all[] = {{"stiffness", &c->stiffness},     {"tangential_stiffness", &c->tangential_stiffness},
             {"damping", &c->damping},         {"tangential_damping", &c->tangential_damping},
             {"restitution", &c->restitution}, {"speed", &c->speed}};
  carom_status status = CAROM_OK;
  for (size_t k = 0; !status && k < sizeof all / sizeof *all; k++)
    status = load_number(loader, map, path, all[k].key, all[k].node);
  if (!status && c->damping && c->restitution)
    status = carom_fail_at(loader->error, CAROM_ERR_INPUT, map->place,
                           "%s: give damping or restitution, not both", path);
  c->law = load_word(map, "law");
  c->form = load_word(map, "form");
  c->at = load_word(map, "at");
  c->spring = load_word(map, "spring");
  c->pull = load_word(map, "pull");
  const carom_yaml *friction = carom_loader_get(map, "friction");
  if (status || !friction) return status;
  if (friction->kind == CAROM_YAML_SCALAR)
    return load_number(loader, map, path, "friction", &c->slip);
  const char *below = carom_loader_path(loader, "%s.friction", path);
  status = load_number(loader, friction, below, "slip", &c->slip);
  return status ? status : load_number(loader, friction, below, "stick", &c->stick);
}

static carom_status load_wall(carom_loader *loader, const char *name, carom_place place,
                              const carom_yaml *map) {
  carom_grains_description *g = grains_of(loader);
  if (g->wall_count == CAROM_GRAINS_MAX_WALLS)
    return carom_fail_at(loader->error, CAROM_ERR_LIMIT, place, "more than %d walls",
                         CAROM_GRAINS_MAX_WALLS);
  carom_grains_wall *w = &g->walls[g->wall_count++];
  *w = (carom_grains_wall){.name = name, .place = place};
  const char *path = carom_loader_path(loader, "walls.%s", name);
  carom_status status = load_numbers(loader, map, path, "plane", 3, w->normal);
  if (!status) status = load_number(loader, map, path, "at", &w->at);
  if (!status) status = load_number(loader, map, path, "cylinder", &w->cylinder);
  if (!status) status = load_numbers(loader, map, path, "centre", 2, w->centre);
  if (status) return status;
  if (!w->normal[0] == !w->cylinder)
    return carom_fail_at(loader->error, CAROM_ERR_INPUT, place,
                         "walls.%s is a plane or a cylinder: give one of the two", name);
  w->side = load_word(map, "side");
  const char *driven = load_word(map, "driven");
  w->driven = driven && driven[0] == 'y';
  return load_contact(loader, carom_loader_get(map, "contact"),
                      carom_loader_path(loader, "%s.contact", path), &w->contact);
}

static carom_status load_walls(carom_loader *loader, const carom_yaml *root) {
  const carom_yaml *walls = carom_loader_get(root, "walls");
  carom_status status = CAROM_OK;
  for (int k = 0; !status && walls && k < walls->count; k++)
    status = load_wall(loader, walls->keys[k], walls->key_places[k], walls->values[k]);
  return status;
}

// the number of a kind of rods, -1 - that of a wall, or INT_MAX
static int find_body(const carom_grains_description *g, const char *name) {
  for (int k = 0; k < g->species_count; k++)
    if (strcmp(g->species[k].name, name) == 0) return k;
  for (int k = 0; k < g->wall_count; k++)
    if (strcmp(g->walls[k].name, name) == 0) return -1 - k;
  return INT_MAX;
}

static carom_status load_pair(carom_loader *loader, const carom_yaml *map) {
  carom_grains_description *g = grains_of(loader);
  const carom_yaml *names = carom_loader_get(map, "of");
  if (g->pair_count == CAROM_GRAINS_MAX_PAIRS)
    return carom_fail_at(loader->error, CAROM_ERR_LIMIT, map->place, "more than %d pairs",
                         CAROM_GRAINS_MAX_PAIRS);
  if (!names || names->count != 2)
    return carom_fail_at(loader->error, CAROM_ERR_INPUT, map->place,
                         "a pair is of two: of: [kind of rods, kind of rods or wall]");
  int who[2];
  for (int k = 0; k < 2; k++)
    if ((who[k] = find_body(g, names->values[k]->text)) == INT_MAX)
      return carom_fail_at(loader->error, CAROM_ERR_INPUT, names->values[k]->place,
                           "no rods and no wall are called '%s'", names->values[k]->text);
  if (who[0] < 0 && who[1] < 0)
    return carom_fail_at(loader->error, CAROM_ERR_INPUT, names->place,
                         "two walls do not touch: one of a pair is a kind of rods");
  carom_grains_pair *pair = &g->pairs[g->pair_count++];
  *pair = (carom_grains_pair){.a = who[0] < 0 ? who[1] : who[0], .b = who[0] < 0 ? who[0] : who[1]};
  return load_contact(loader, map, "pairs", &pair->contact);
}

static carom_status load_pairs(carom_loader *loader, const carom_yaml *root) {
  const carom_yaml *pairs = carom_loader_get(root, "pairs");
  carom_status status = CAROM_OK;
  for (int k = 0; !status && pairs && k < pairs->count; k++)
    status = load_pair(loader, pairs->values[k]);
  return status;
}

static carom_status load_surroundings(carom_loader *loader, const carom_yaml *root) {
  carom_grains_description *g = grains_of(loader);
  static const char *const axes[3] = {"x", "y", "z"};
  const carom_yaml *gravity = carom_loader_get(root, "gravity");
  const carom_yaml *periodic = carom_loader_get(root, "periodic");
  carom_status status = CAROM_OK;
  if (gravity && gravity->kind == CAROM_YAML_LIST) {
    status = load_numbers(loader, root, "", "gravity", 3, g->gravity);
  } else if (gravity) {
    status = load_number(loader, root, "", "gravity", &g->gravity[2]);
    carom_node zero = carom_node_constant(loader->graph, 0.0);
    g->gravity[0] = g->gravity[1] = zero;
    if (!status && !(g->gravity[2] = carom_sub(loader->graph, zero, g->gravity[2])))
      status = carom_loader_graph_failed(loader, gravity->place);
  }
  for (int c = 0; !status && c < 3; c++)
    status = load_number(loader, periodic, "periodic", axes[c], &g->periodic[c]);
  return status;
}

static carom_status load_drive(carom_loader *loader, const carom_yaml *root) {
  carom_grains_description *g = grains_of(loader);
  const carom_yaml *drive = carom_loader_get(root, "drive");
  if (!drive) return CAROM_OK;
  bool whole = drive->kind == CAROM_YAML_MAP;
  const carom_yaml *z = whole ? carom_loader_get(drive, "z") : drive;
  carom_rules rules = {.kinds = CAROM_KINDS_FIXED | CAROM_KIND(TIME), .what = "drive.z"};
  if (!z)
    return carom_fail_at(loader->error, CAROM_ERR_INPUT, drive->place, "drive needs the key 'z'");
  carom_status status = read_number(loader, z, &rules, &g->drive);
  if (status) return status;
  g->drive_rate = carom_node_derivative(loader->graph, g->drive, loader->scenario->time);
  if (!g->drive_rate) return carom_loader_graph_failed(loader, z->place);
  return whole ? load_number(loader, drive, "drive", "period", &g->period) : CAROM_OK;
}

static carom_status load_start_table(carom_loader *loader, const carom_yaml *root,
                                     const carom_yaml *map) {
  const carom_yaml *name = carom_loader_get(map, "table");
  if (!starts_from_table(root) == !name)
    return name ? carom_load_grains_table(loader, name) : CAROM_OK;
  return carom_fail_at(loader->error, CAROM_ERR_INPUT, name ? name->place : map->place,
                       "%s: start: {as: table, table: FILE} takes rods from a table",
                       name ? "start.as is not 'table'" : "start.table is missing");
}

static carom_status load_start(carom_loader *loader, const carom_yaml *root) {
  carom_grains_start *start = &grains_of(loader)->start;
  const carom_yaml *map = carom_loader_get(root, "start");
  start->place = map ? map->place : root->place;
  if (!map) return CAROM_OK;
  start->as = load_word(map, "as");
  carom_status status = load_start_table(loader, root, map);
  if (!status) status = load_number(loader, map, "start", "tilt", &start->tilt);
  if (!status) status = load_number(loader, map, "start", "gap", &start->gap);
  if (!status) status = load_number(loader, map, "start", "spread", &start->spread);
  if (!status) status = load_number(loader, map, "start", "seed", &start->seed);
  if (!status) status = load_numbers(loader, map, "start", "velocity", 3, start->velocity);
  if (!status) status = load_numbers(loader, map, "start", "turn", 3, start->turn);
  return status ? status : load_numbers(loader, map, "start", "size", 2, start->size);
}

carom_status carom_load_grains(carom_loader *loader) {
  carom_grains_description *g = grains_of(loader);
  const carom_yaml *root = loader->document->root, *run = carom_yaml_get(root, "run");
  g->place = root->place;
  g->run_place = run->place;
  carom_status status = load_rods(loader, root);
  if (!status)
    status = load_contact(loader, carom_loader_get(root, "contact"), "contact", &g->contact);
  if (!status) status = load_walls(loader, root);
  if (!status) status = load_pairs(loader, root);
  if (!status) status = load_surroundings(loader, root);
  if (!status) status = load_drive(loader, root);
  if (!status) status = load_start(loader, root);
  if (!status) status = load_number(loader, run, "run", "step", &g->step);
  if (!status) status = load_number(loader, run, "run", "skin", &g->skin);
  if (!status) status = load_number(loader, run, "run", "threads", &g->threads);
  if (!status && (!g->contact.stiffness || !g->step))
    status = carom_fail_at(loader->error, CAROM_ERR_INPUT, g->step ? root->place : run->place,
                           "%s is missing", g->step ? "contact.stiffness" : "run.step");
  g->integrator = load_word(run, "integrator");
  g->freedoms = load_word(run, "freedoms");
  return status;
}

// ---- names: what can be seen of a bed

// `place` is of what asks for the name
static carom_status declare_seen(carom_loader *loader, int k, const char *name, carom_place place) {
  carom_state *z = &loader->scenario->states[k];
  const carom_binding *twin = carom_loader_find(loader, name);
  if (twin)
    return carom_fail_at(loader->error, CAROM_ERR_INPUT, twin->place.line > 0 ? twin->place : place,
                         "'%s' has a meaning of its own for rods; choose another name", name);
  z->name = name;
  z->symbol = carom_node_symbol(loader->graph, name, CAROM_SYMBOL_STATE);
  z->rate = carom_node_symbol(loader->graph, carom_loader_path(loader, "%s'", name),
                              CAROM_SYMBOL_STATE_RATE);
  z->start = carom_node_constant(loader->graph, 0.0);
  if (!z->symbol || !z->rate || !z->start)
    return carom_loader_graph_failed(loader, (carom_place){0});
  carom_binding binding = {
      .name = name, .kind = CAROM_BINDING_STATE, .index = k, .node = z->symbol};
  return carom_loader_declare(loader, binding);
}

// what can be seen of one kind, after what is seen of all
static carom_status declare_kind(carom_loader *loader, const carom_yaml *list, int kind) {
  static const char *const names[] = {
#define X(id, name) name,
      CAROM_GRAINS_SEEN_OF_KIND_LIST(X)
#undef X
  };
  const carom_yaml *entry = list->values[kind];
  const char *own = kind_name(loader, entry, kind);
  carom_status status = carom_loader_check_name(loader, own, entry->place, "a kind of rods");
  for (int k = 0; !status && k < kind; k++)
    if (strcmp(own, kind_name(loader, list->values[k], k)) == 0)
      status = carom_fail_at(loader->error, CAROM_ERR_INPUT, entry->place,
                             "two kinds of rods are called '%s'", own);
  carom_state *states = loader->scenario->states + CAROM_SEEN_COUNT;
  int first = kind * CAROM_SEEN_OF_KIND_COUNT;
  for (int k = 0; !status && k < CAROM_SEEN_OF_KIND_COUNT; k++)
    status = declare_seen(loader, CAROM_SEEN_COUNT + first + k,
                          carom_loader_path(loader, "%s_%s", names[k], own), entry->place);
  for (int k = 0; !status && k < 3; k++)
    states[first + k].equation = states[first + CAROM_SEEN_OF_KIND_VX + k].symbol;
  return status;
}

carom_status carom_load_grains_names(carom_loader *loader) {
  static const char *const names[] = {
#define X(id, name) name,
      CAROM_GRAINS_SEEN_LIST(X)
#undef X
  };
  carom_scenario *s = loader->scenario;
  const carom_yaml *rods = carom_loader_get(loader->document->root, "rods");
  bool mixed = rods && rods->kind == CAROM_YAML_LIST && rods->count > 1 &&
               rods->count <= CAROM_GRAINS_MAX_SPECIES;
  int kinds = mixed ? rods->count : 0, count = CAROM_SEEN_COUNT + kinds * CAROM_SEEN_OF_KIND_COUNT;
  s->described.grains = carom_arena_take(loader->arena, sizeof *s->described.grains);
  s->states = carom_arena_array(loader->arena, (size_t)count, sizeof *s->states);
  if (!s->described.grains || !s->states) return carom_fail_memory(loader->error);
  carom_status status = CAROM_OK;
  // the rates of mean positions are mean velocities; other rates are not followed
  for (int k = 0; k < count; k++)
    s->states[k].equation = carom_node_constant(loader->graph, NAN);
  for (int k = 0; !status && k < CAROM_SEEN_COUNT; k++)
    status = declare_seen(loader, k, names[k], (carom_place){0});
  for (int k = 0; !status && k < 3; k++)
    s->states[k].equation = s->states[CAROM_SEEN_VX + k].symbol;
  for (int k = 0; !status && k < kinds; k++)
    status = declare_kind(loader, rods, k);
  s->state_count = count;
  return status;
}
