// SPDX-License-Identifier: MIT
// Pairs of convex bodies with flat faces, as bodies/body_slots.c writes them: nobody else writes
// these entries, so that what is wrong in them is a mistake of the program.
#include "convex/slot.h"
#include "scenario/load.h"

#include <assert.h>
#include <string.h>

static const carom_yaml *pairs_of(const carom_loader *loader) {
  const carom_yaml *solids = carom_yaml_get(loader->document->root, "solids");
  return solids ? carom_yaml_get(solids, "pairs") : NULL;
}

static carom_status declare_numbers(carom_loader *loader, const char *contact, carom_place place) {
  carom_status status = CAROM_OK;
  for (int k = 0; k < CAROM_SLOT_SIZE && !status; k++)
    status = carom_loader_add_parameter(
        loader, carom_loader_path(loader, "%s.%s", contact, carom_slot_name(k)), place);
  return status;
}

carom_status carom_load_slot_numbers(carom_loader *loader) {
  carom_convex_list *list = &loader->scenario->convex;
  const carom_yaml *pairs = pairs_of(loader);
  int slots = 0;
  for (int k = 0; pairs && k < pairs->count; k++)
    slots += carom_yaml_get(pairs->values[k], "contacts")->count;
  if (slots == 0) return CAROM_OK;
  carom_status status = carom_loader_grow_parameters(loader, slots * CAROM_SLOT_SIZE);
  for (int k = 0; k < pairs->count && !status; k++) {
    const carom_yaml *contacts = carom_yaml_get(pairs->values[k], "contacts");
    for (int j = 0; j < contacts->count && !status; j++)
      status = declare_numbers(loader, contacts->keys[j], contacts->key_places[j]);
  }
  list->numbers = slots * CAROM_SLOT_SIZE;
  return status;
}

static carom_status load_node(carom_loader *loader, const carom_yaml *text, unsigned kinds,
                              carom_node *node) {
  const carom_rules rules = {.what = "the shape of a body", .kinds = kinds};
  return carom_load_expression(loader, text, &rules, node);
}

static carom_status load_nodes(carom_loader *loader, const carom_yaml *list, unsigned kinds,
                               int count, carom_node *nodes) {
  carom_status status = CAROM_OK;
  assert(list->count == count);
  for (int k = 0; k < count && !status; k++)
    status = load_node(loader, list->values[k], kinds, &nodes[k]);
  return status;
}

static carom_status load_shape(carom_loader *loader, const carom_yaml *map,
                               carom_convex_shape *shape) {
  const carom_yaml *corners = carom_yaml_get(map, "corners");
  shape->corner_count = corners->count;
  shape->corners = carom_arena_array(loader->arena, (size_t)corners->count, sizeof *shape->corners);
  if (!shape->corners) return carom_fail_memory(loader->error);
  carom_status status =
      load_nodes(loader, carom_yaml_get(map, "at"), CAROM_KINDS_POSITION, 3, shape->at);
  if (!status)
    status = load_nodes(loader, carom_yaml_get(map, "turn"), CAROM_KINDS_POSITION, 9, shape->turn);
  for (int k = 0; k < corners->count && !status; k++)
    status = load_nodes(loader, corners->values[k], CAROM_KINDS_FIXED, 3, shape->corners[k]);
  return status;
}

static int find_contact(const carom_scenario *s, const char *name) {
  int k = 0;
  while (k < s->contact_count && strcmp(s->contacts[k].name, name) != 0)
    k++;
  assert(k < s->contact_count);
  return k;
}

static carom_status load_pair(carom_loader *loader, const carom_yaml *map, const carom_yaml *shapes,
                              int numbers, carom_convex_pair *pair) {
  carom_scenario *s = loader->scenario;
  const carom_yaml *contacts = carom_yaml_get(map, "contacts"),
                   *root = carom_yaml_get(loader->document->root, "contacts");
  pair->first = carom_yaml_find(shapes, carom_yaml_get(map, "first")->text);
  pair->second = carom_yaml_find(shapes, carom_yaml_get(map, "second")->text);
  pair->slot_count = contacts->count;
  pair->slots = carom_arena_array(loader->arena, (size_t)contacts->count, sizeof *pair->slots);
  if (!pair->slots) return carom_fail_memory(loader->error);
  carom_status status = CAROM_OK;
  for (int k = 0; k < contacts->count && !status; k++) {
    carom_convex_slot *slot = &pair->slots[k];
    slot->contact = find_contact(s, contacts->keys[k]);
    slot->numbers = numbers + k * CAROM_SLOT_SIZE;
    const carom_yaml *within = carom_yaml_get(carom_yaml_get(root, contacts->keys[k]), "within");
    status = load_nodes(loader, within, CAROM_KINDS_POSITION, 2, slot->within);
  }
  return status;
}

carom_status carom_load_convex(carom_loader *loader) {
  carom_scenario *s = loader->scenario;
  carom_convex_list *list = &s->convex;
  const carom_yaml *pairs = pairs_of(loader);
  if (!pairs) return CAROM_OK;
  const carom_yaml *shapes =
      carom_yaml_get(carom_yaml_get(loader->document->root, "solids"), "shapes");
  list->shapes = carom_arena_array(loader->arena, (size_t)shapes->count, sizeof *list->shapes);
  list->pairs = carom_arena_array(loader->arena, (size_t)pairs->count, sizeof *list->pairs);
  if (!list->shapes || !list->pairs) return carom_fail_memory(loader->error);
  carom_status status = CAROM_OK;
  for (; list->shape_count < shapes->count && !status; list->shape_count++) {
    carom_convex_shape *shape = &list->shapes[list->shape_count];
    shape->name = shapes->keys[list->shape_count];
    shape->place = shapes->key_places[list->shape_count];
    status = load_shape(loader, shapes->values[list->shape_count], shape);
  }
  int numbers = carom_scenario_settable(s);
  for (; list->pair_count < pairs->count && !status; list->pair_count++) {
    carom_convex_pair *pair = &list->pairs[list->pair_count];
    status = load_pair(loader, pairs->values[list->pair_count], shapes, numbers, pair);
    numbers += pair->slot_count * CAROM_SLOT_SIZE;
  }
  return status;
}
