// SPDX-License-Identifier: MIT
// Pairs of convex bodies with flat faces, as bodies/body_slots.c writes them, and flat round faces
// over planes, as bodies/body_rim.c does: nobody else writes these entries, so that what is wrong
// in them is a mistake of the program.
#include "convex/slot.h"
#include "scenario/load.h"

#include <assert.h>
#include <string.h>

enum { PATCH_SIZE = 2 }; // numbers of a round face

static const carom_yaml *list_in_solids(const carom_loader *loader, const char *name) {
  const carom_yaml *solids = carom_yaml_get(loader->document->root, "solids");
  return solids ? carom_yaml_get(solids, name) : NULL;
}

static carom_status declare_slot(carom_loader *loader, const char *contact, carom_place place) {
  carom_status status = CAROM_OK;
  for (int k = 0; k < CAROM_SLOT_SIZE && !status; k++)
    status = carom_loader_add_parameter(
        loader, carom_loader_path(loader, "%s.%s", contact, carom_slot_name(k)), place);
  return status;
}

static carom_status declare_patch(carom_loader *loader, const char *contact, carom_place place) {
  carom_status status = CAROM_OK;
  for (int k = 1; k <= PATCH_SIZE && !status; k++)
    status = carom_loader_add_parameter(loader, carom_loader_path(loader, "%s.way%d", contact, k),
                                        place);
  return status;
}

carom_status carom_load_slot_numbers(carom_loader *loader) {
  const carom_yaml *pairs = list_in_solids(loader, "pairs"),
                   *patches = list_in_solids(loader, "patches");
  int numbers = patches ? patches->count * PATCH_SIZE : 0;
  for (int k = 0; pairs && k < pairs->count; k++)
    numbers += carom_yaml_get(pairs->values[k], "contacts")->count * CAROM_SLOT_SIZE;
  if (numbers == 0) return CAROM_OK;
  carom_status status = carom_loader_grow_parameters(loader, numbers);
  for (int k = 0; pairs && k < pairs->count && !status; k++) {
    const carom_yaml *contacts = carom_yaml_get(pairs->values[k], "contacts");
    for (int j = 0; j < contacts->count && !status; j++)
      status = declare_slot(loader, contacts->keys[j], contacts->key_places[j]);
  }
  for (int k = 0; patches && k < patches->count && !status; k++)
    status = declare_patch(loader, patches->keys[k], patches->key_places[k]);
  loader->scenario->convex.numbers = numbers;
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

static carom_status load_pairs(carom_loader *loader, int *numbers) {
  carom_convex_list *list = &loader->scenario->convex;
  const carom_yaml *pairs = list_in_solids(loader, "pairs"),
                   *shapes = list_in_solids(loader, "shapes");
  if (!pairs) return CAROM_OK;
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
  for (; list->pair_count < pairs->count && !status; list->pair_count++) {
    carom_convex_pair *pair = &list->pairs[list->pair_count];
    status = load_pair(loader, pairs->values[list->pair_count], shapes, *numbers, pair);
    *numbers += pair->slot_count * CAROM_SLOT_SIZE;
  }
  return status;
}

static carom_status load_patches(carom_loader *loader, int numbers) {
  carom_convex_list *list = &loader->scenario->convex;
  const carom_yaml *patches = list_in_solids(loader, "patches");
  if (!patches) return CAROM_OK;
  list->patches = carom_arena_array(loader->arena, (size_t)patches->count, sizeof *list->patches);
  if (!list->patches) return carom_fail_memory(loader->error);
  for (; list->patch_count < patches->count; list->patch_count++) {
    carom_round_patch *patch = &list->patches[list->patch_count];
    for (int k = 0; k < 3; k++)
      patch->contacts[k] =
          find_contact(loader->scenario, patches->values[list->patch_count]->values[k]->text);
    patch->way = numbers + PATCH_SIZE * list->patch_count;
  }
  return CAROM_OK;
}

carom_status carom_load_convex(carom_loader *loader) {
  int numbers = carom_scenario_settable(loader->scenario);
  carom_status status = load_pairs(loader, &numbers);
  return status ? status : load_patches(loader, numbers);
}
