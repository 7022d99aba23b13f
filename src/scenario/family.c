// SPDX-License-Identifier: MIT
// The tree of a document with its families written out: keys like x[i=1..20], and items of lists
// with `for: i=1..20`. A member that also stands on its own goes over the one from the family.
#include "scenario/family.h"
#include "scenario/schema.h"
#include "symbolic/lexer.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

// ---- is there anything to do?

static bool is_candidate(const carom_yaml *node) {
  if (node->kind == CAROM_YAML_SCALAR) return carom_family_text_candidate(node->text);
  for (int k = 0; k < node->count; k++) {
    if (node->kind == CAROM_YAML_MAP && strchr(node->keys[k], '[')) return true;
    if (node->kind == CAROM_YAML_LIST && carom_yaml_get(node->values[k], "for")) return true;
    if (is_candidate(node->values[k])) return true;
  }
  return false;
}

// ---- names of members

carom_status carom_family_name(const carom_families *it, const char *base, size_t length, int count,
                               const long *values, carom_place place, char *name, size_t room) {
  size_t used = 0;
  if (length < room) {
    memcpy(name, base, length);
    used = length;
    name[used] = 0;
  }
  for (int k = 0; k < count && used > 0 && used < room; k++) {
    if (values[k] < 0)
      return carom_fail_at(it->error, CAROM_ERR_INPUT, place,
                           "%.*s[%ld]: the members of a family are counted from 0 or 1 on, not "
                           "below 0",
                           (int)(length < 60 ? length : 60), base, values[k]);
    bool apart = k > 0 || isdigit((unsigned char)name[used - 1]);
    used += (size_t)snprintf(name + used, room - used, apart ? "_%ld" : "%ld", values[k]);
  }
  if (used > 0 && used < room) return CAROM_OK;
  return carom_fail_at(it->error, CAROM_ERR_INPUT, place,
                       "'%.*s' is too long a name for a member of a family",
                       (int)(length < 60 ? length : 60), base);
}

// ---- the tree

static carom_status expand_value(carom_families *it, carom_yaml *value, carom_yaml **out);

static carom_status count_node(carom_families *it, const carom_yaml *node) {
  if (++it->document->node_count <= CAROM_YAML_MAX_NODES) return CAROM_OK;
  return carom_fail_at(it->error, CAROM_ERR_LIMIT, node->place,
                       "the families make more than %d values of the document",
                       CAROM_YAML_MAX_NODES);
}

static bool push_path(carom_families *it, const char *name) {
  size_t used = strlen(it->path);
  int more = snprintf(it->path + used, sizeof it->path - used, "%s%s", used ? "." : "", name);
  return more >= 0 && used + (size_t)more < sizeof it->path;
}

// free text is left alone where no index holds: a title may say "Smith [3]"
static carom_status expand_scalar(carom_families *it, carom_yaml *scalar, carom_yaml **out) {
  const carom_schema_key *key = carom_schema_find(it->engine, it->path);
  unsigned written = CAROM_SCHEMA_EXPRESSION | CAROM_SCHEMA_NUMBER;
  *out = scalar;
  if (!it->index_count && key && !(key->types & written)) return CAROM_OK;
  carom_status status = count_node(it, scalar);
  return status ? status : carom_family_rewrite(it, scalar, out);
}

// a map being made; for each entry the line of the family that it came from, 0: none, negative: it
// also stands on its own
typedef struct making {
  carom_yaml *map;
  int *lines;
  int line_capacity;
} making;

static carom_status fail_twice(carom_families *it, const char *name, carom_place place,
                               const making *m, int twin) {
  if (m->lines[twin] > 0)
    return carom_fail_at(it->error, CAROM_ERR_INPUT, place,
                         "'%s' is a member of the family in line %d already", name, m->lines[twin]);
  return carom_fail_at(it->error, CAROM_ERR_INPUT, place,
                       "the key '%s' is given twice; it stands already in line %d", name,
                       m->map->key_places[twin].line);
}

// a member that stands on its own goes over the one of its family, whichever is written first
static carom_status add_over(carom_families *it, making *m, int twin, const char *name,
                             carom_place place, carom_yaml *value, int line) {
  assert(m->lines && m->map->values && m->map->key_places);
  bool old_family = m->lines[twin] > 0, new_family = line != 0;
  if (old_family == new_family || m->lines[twin] < 0) return fail_twice(it, name, place, m, twin);
  carom_yaml *old = m->map->values[twin], *merged = NULL;
  carom_status status = carom_yaml_merge(it->arena, old_family ? old : value,
                                         old_family ? value : old, &merged, it->error);
  if (status) return status;
  m->map->values[twin] = merged;
  if (old_family) m->map->key_places[twin] = place;
  m->lines[twin] = old_family ? -m->lines[twin] : -line;
  return CAROM_OK;
}

static carom_status insert_member(carom_families *it, making *m, const char *name,
                                  carom_place place, carom_yaml *value, int line) {
  int twin = carom_yaml_find(m->map, name);
  if (twin >= 0) return add_over(it, m, twin, name, place, value, line);
  if (m->map->count >= CAROM_YAML_MAX_KEYS)
    return carom_fail_at(it->error, CAROM_ERR_LIMIT, place, "more than %d keys in one map",
                         CAROM_YAML_MAX_KEYS);
  if (!carom_arena_grow(it->arena, (void **)&m->lines, m->map->count, &m->line_capacity,
                        sizeof *m->lines))
    return carom_fail_memory(it->error);
  m->lines[m->map->count] = line;
  if (!carom_yaml_put(it->arena, m->map, name, place, value)) return carom_fail_memory(it->error);
  return CAROM_OK;
}

// what null has taken away of a family
static void drop_nulls(making *m) {
  for (int k = m->map->count - 1; k >= 0; k--)
    if (m->lines && m->lines[k] < 0 && carom_yaml_is_null(m->map->values[k]))
      carom_yaml_remove(m->map, k);
}

static carom_status add_entry(carom_families *it, making *m, const char *name, carom_place place,
                              carom_yaml *value, int line) {
  size_t used = strlen(it->path);
  carom_yaml *made = NULL;
  (void)push_path(it, name);
  carom_status status = expand_value(it, value, &made);
  it->path[used] = 0;
  return status ? status : insert_member(it, m, name, place, made, line);
}

// a key with brackets, taken apart: base[item, item]suffix
typedef struct family_key {
  const char *text, *inside, *suffix;
  size_t base, inside_length;
  carom_place place;
  carom_yaml *value;
  long values[CAROM_FAMILY_MAX_INDICES];
  bool ranges; // are there any?
} family_key;

static carom_status read_key(carom_families *it, const char *text, carom_place place,
                             family_key *key) {
  const char *open = strchr(text, '['), *close = strchr(text, ']');
  *key = (family_key){.text = text, .place = place};
  key->base = (size_t)(open - text);
  bool good = close && close > open && carom_name_length(text) == key->base &&
              strspn(close + 1, "'") == strlen(close + 1);
  if (!good)
    return carom_fail_at(
        it->error, CAROM_ERR_INPUT, place,
        "'%.80s': the key of a family is written x[i=1..10], that of a member x[3]", text);
  key->inside = open + 1;
  key->inside_length = (size_t)(close - open - 1);
  key->suffix = close + 1;
  return CAROM_OK;
}

static carom_status add_member(carom_families *it, making *m, const family_key *key, int count) {
  char name[CAROM_NAME_ROOM + 8];
  carom_status status = carom_family_name(it, key->text, key->base, count, key->values, key->place,
                                          name, CAROM_NAME_ROOM);
  if (status) return status;
  (void)strncat(name, key->suffix, 2);
  return add_entry(it, m, name, key->place, key->value, key->ranges ? key->place.line : 0);
}

// one item after the other; a range runs through its values, with those behind it for each
static carom_status run_key(carom_families *it, making *m, family_key *key, size_t at, int count) {
  if (at > key->inside_length) return add_member(it, m, key, count);
  if (count == CAROM_FAMILY_MAX_INDICES)
    return carom_fail_at(it->error, CAROM_ERR_LIMIT, key->place, "more than %d indices",
                         CAROM_FAMILY_MAX_INDICES);
  const char *item = key->inside + at;
  size_t length = carom_family_argument(item, key->inside_length - at);
  carom_family_range range;
  bool is_range = false;
  carom_status status = carom_family_read_range(it, item, length, key->place, &range, &is_range);
  if (!status && !is_range) {
    status = carom_family_integer(it, item, length, key->place, &key->values[count]);
    return status ? status : run_key(it, m, key, at + length + 1, count + 1);
  }
  key->ranges = true;
  for (long k = range.first; !status && k <= range.last; k++) {
    if ((status = carom_family_push(it, range.name, k, key->place))) break;
    key->values[count] = k;
    status = run_key(it, m, key, at + length + 1, count + 1);
    carom_family_pop(it);
  }
  return status;
}

static carom_status expand_map(carom_families *it, carom_yaml *map, carom_yaml **out) {
  making m = {.map = carom_yaml_map(it->arena, map->place)};
  if (!m.map) return carom_fail_memory(it->error);
  carom_status status = count_node(it, map);
  for (int k = 0; !status && k < map->count; k++) {
    if (!strchr(map->keys[k], '[')) {
      status = add_entry(it, &m, map->keys[k], map->key_places[k], map->values[k], 0);
      continue;
    }
    family_key key;
    status = read_key(it, map->keys[k], map->key_places[k], &key);
    key.value = map->values[k];
    if (!status) status = run_key(it, &m, &key, 0, 0);
  }
  if (status) return status;
  drop_nulls(&m);
  *out = m.map;
  return CAROM_OK;
}

// ---- lists

typedef struct items {
  carom_yaml *list;
  int capacity;
} items;

static carom_status add_item(carom_families *it, items *to, carom_yaml *value) {
  size_t used = strlen(it->path);
  carom_yaml *made = NULL;
  (void)push_path(it, "0");
  carom_status status = expand_value(it, value, &made);
  it->path[used] = 0;
  if (status) return status;
  if (!carom_arena_grow(it->arena, (void **)&to->list->values, to->list->count, &to->capacity,
                        sizeof *to->list->values))
    return carom_fail_memory(it->error);
  to->list->values[to->list->count++] = made;
  return CAROM_OK;
}

// `for: i=1..n, j=1..i` of an item, from character `at` on
static carom_status run_item(carom_families *it, items *to, const carom_yaml *range_text, size_t at,
                             carom_yaml *item) {
  const char *text = range_text->text;
  if (at > strlen(text)) return add_item(it, to, item);
  size_t length = carom_family_argument(text + at, strlen(text) - at);
  carom_place place = carom_yaml_place(range_text, at);
  carom_family_range range;
  bool is_range = false;
  carom_status status = carom_family_read_range(it, text + at, length, place, &range, &is_range);
  if (!status && !is_range)
    return carom_fail_at(it->error, CAROM_ERR_INPUT, place, "for expects a range, like i=1..10");
  for (long k = range.first; !status && k <= range.last; k++) {
    if ((status = carom_family_push(it, range.name, k, place))) break;
    status = run_item(it, to, range_text, at + length + 1, item);
    carom_family_pop(it);
  }
  return status;
}

static carom_status without_for(carom_families *it, const carom_yaml *item, carom_yaml **out) {
  *out = carom_yaml_map(it->arena, item->place);
  if (!*out) return carom_fail_memory(it->error);
  for (int k = 0; k < item->count; k++)
    if (strcmp(item->keys[k], "for") != 0 &&
        !carom_yaml_put(it->arena, *out, item->keys[k], item->key_places[k], item->values[k]))
      return carom_fail_memory(it->error);
  return CAROM_OK;
}

static carom_status expand_list(carom_families *it, carom_yaml *list, carom_yaml **out) {
  carom_yaml *made = carom_arena_take(it->arena, sizeof *made);
  if (!made) return carom_fail_memory(it->error);
  carom_status status = count_node(it, list);
  if (status) return status;
  *made = (carom_yaml){.kind = CAROM_YAML_LIST, .place = list->place};
  items to = {.list = made};
  for (int k = 0; !status && k < list->count; k++) {
    carom_yaml *item = list->values[k], *rest = NULL;
    const carom_yaml *ranges = carom_yaml_get(item, "for");
    if (ranges && (ranges->kind != CAROM_YAML_SCALAR || !ranges->text[0]))
      return carom_fail_at(it->error, CAROM_ERR_INPUT, ranges->place,
                           "for expects a range, like i=1..10");
    if (ranges) {
      status = without_for(it, item, &rest);
      if (!status) status = run_item(it, &to, ranges, 0, rest);
    } else {
      status = add_item(it, &to, item);
    }
  }
  *out = made;
  return status;
}

static carom_status expand_value(carom_families *it, carom_yaml *value, carom_yaml **out) {
  if (value->kind == CAROM_YAML_MAP) return expand_map(it, value, out);
  if (value->kind == CAROM_YAML_LIST) return expand_list(it, value, out);
  return expand_scalar(it, value, out);
}

bool carom_families_present(const carom_document *document) { return is_candidate(document->root); }

carom_status carom_families_expand(carom_document *document, const char *engine,
                                   carom_error *error) {
  if (!carom_families_present(document)) return CAROM_OK;
  carom_families it = {
      .document = document, .arena = document->arena, .engine = engine, .error = error};
  it.graph = carom_graph_create(document->arena);
  if (!it.graph) return carom_fail_memory(error);
  carom_yaml *root = NULL;
  carom_status status = expand_value(&it, document->root, &root);
  if (!status) document->root = root;
  return status;
}
