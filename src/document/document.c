// SPDX-License-Identifier: MIT
// libyaml's events become a tree with places. Aliases are expanded by copying, so that an override
// reaches one place only; the count of values bounds what a hostile alias can cost.
#include "document/document.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>
#include <yaml.h>

typedef struct anchor {
  const char *name;
  carom_yaml *node; // NULL while the anchored value is still being read
} anchor;

typedef struct reader {
  carom_arena *arena;
  yaml_parser_t parser;
  const char *file, *text;
  anchor *anchors;
  int anchor_count, anchor_capacity;
  int node_count;
  const char *line_start; // of line `line`, so that finding a source position stays linear
  size_t line;
  carom_error *error;
} reader;

static carom_place place_of(const reader *r, yaml_mark_t mark) {
  return (carom_place){r->file, (int)mark.line + 1, (int)mark.column + 1};
}

static bool is_line_end(const char *p) { return *p == '\n' || (*p == '\r' && p[1] != '\n'); }

// the source text at a mark; marks only move forward, so lines are never counted twice
static const char *source_at(reader *r, yaml_mark_t mark) {
  if (mark.line < r->line) {
    r->line = 0;
    r->line_start = r->text;
  }
  const char *p = r->line_start;
  while (r->line < mark.line && *p) {
    if (is_line_end(p++)) {
      r->line++;
      r->line_start = p;
    }
  }
  // columns count characters, so the later bytes of a UTF-8 character are passed over
  p = r->line_start;
  for (size_t column = 0; column < mark.column && *p; column++) {
    p++;
    while (((unsigned char)*p & 0xC0) == 0x80)
      p++;
  }
  return p;
}

// the place of a byte, for errors that libyaml reports by offset
static carom_place place_of_offset(const reader *r, size_t offset) {
  carom_place place = {r->file, 1, 1};
  for (const char *p = r->text; *p && (size_t)(p - r->text) < offset; p++) {
    place.column++;
    if (is_line_end(p)) {
      place.line++;
      place.column = 1;
    }
  }
  return place;
}

// The last line with text above a mark, where it has no colon with a blank or an end of line behind
// it: the key that YAML misses one line later.
static bool line_above_lacks_colon(reader *r, yaml_mark_t mark, carom_place *place) {
  enum { LOOK_ABOVE = 20 };
  for (int k = 0; k < LOOK_ABOVE && mark.line > 0; k++) {
    mark.line--;
    mark.column = 0;
    const char *p = source_at(r, mark);
    for (; *p == ' '; p++)
      mark.column++;
    if (!*p || is_line_end(p) || *p == '#') continue;
    for (const char *c = p; *c && !is_line_end(c); c++)
      if (*c == ':' && (!c[1] || strchr(" \r\n", c[1]))) return false;
    *place = place_of(r, mark);
    return *p != '-';
  }
  return false;
}

// the commonest mistakes against YAML in words of their own; false: it is none of them
static bool explain_mistake(reader *r, carom_place place) {
  const yaml_parser_t *parser = &r->parser;
  const char *problem = parser->problem ? parser->problem : "";
  const char *context = parser->context ? parser->context : "";
  carom_place begin = place_of(r, parser->context_mark), above;
  static const char *const missing = "a key needs a colon and a blank behind it: key: value";
  if (strstr(context, "scanning a quoted scalar"))
    carom_fail_at(r->error, CAROM_ERR_INPUT, begin,
                  "the quote that begins here has no end; within '...' a quote is written twice, "
                  "and a rate needs no quotes around it");
  else if (strstr(context, "scanning a simple key"))
    carom_fail_at(r->error, CAROM_ERR_INPUT, begin, "%s", missing);
  else if (strstr(problem, "mapping values are not allowed") &&
           line_above_lacks_colon(r, parser->problem_mark, &above))
    carom_fail_at(r->error, CAROM_ERR_INPUT, above, "%s", missing);
  else if (strstr(problem, "mapping values are not allowed"))
    carom_fail_at(r->error, CAROM_ERR_INPUT, place,
                  "YAML finds a colon where no key can be; a text with a colon stands in quotes, "
                  "and keys of one map have the same indentation");
  else if (strstr(problem, "expected node content"))
    carom_fail_at(r->error, CAROM_ERR_INPUT, place,
                  "a value or a closing bracket is missing before this");
  else if (strstr(problem, "expected ',' or"))
    carom_fail_at(r->error, CAROM_ERR_INPUT, place,
                  "a comma or a closing bracket is missing before this; the bracket that is open "
                  "stands in line %d",
                  begin.line);
  else if (strstr(problem, "cannot start any token"))
    carom_fail_at(r->error, CAROM_ERR_INPUT, place,
                  "YAML lets no text begin with this character; the text stands in quotes then");
  else if (strstr(problem, "did not find expected key"))
    carom_fail_at(r->error, CAROM_ERR_INPUT, place,
                  "the indentation fits no key above: keys of one map begin in the same column");
  else
    return false;
  return true;
}

static carom_status explain_error(reader *r) {
  const yaml_parser_t *parser = &r->parser;
  if (parser->error == YAML_MEMORY_ERROR) return carom_fail_memory(r->error);
  if (parser->error == YAML_READER_ERROR)
    return carom_fail_at(r->error, CAROM_ERR_INPUT, place_of_offset(r, parser->problem_offset),
                         "this is not text: %s (a scenario is UTF-8 text)", parser->problem);

  carom_place place = place_of(r, parser->problem_mark);
  if (*source_at(r, parser->problem_mark) == '\t')
    return carom_fail_at(r->error, CAROM_ERR_INPUT, place,
                         "YAML cannot be indented by tabs; use spaces");
  const char *at = source_at(r, parser->problem_mark);
  if ((parser->problem && strstr(parser->problem, "block sequence entries are not allowed")) ||
      (at[0] == '-' && at[1] == ' '))
    return carom_fail_at(r->error, CAROM_ERR_INPUT, place,
                         "YAML takes a minus sign with a blank behind it for a list; write -x "
                         "without the blank, or the expression in quotes");
  // x[i] inside { } or [ ]: YAML takes the bracket for a list
  if (*at == '[' && at > r->text && (isalnum((unsigned char)at[-1]) || at[-1] == '_'))
    return carom_fail_at(
        r->error, CAROM_ERR_INPUT, place,
        "inside { } and [ ] a name with an index stands in quotes, as key or value: "
        "\"x[i]\"");
  if (explain_mistake(r, place)) return CAROM_ERR_INPUT;
  const char *problem = parser->problem ? parser->problem : "not valid YAML";
  if (!parser->context || !parser->context_mark.line)
    return carom_fail_at(r->error, CAROM_ERR_INPUT, place, "not valid YAML: %s", problem);
  return carom_fail_at(r->error, CAROM_ERR_INPUT, place, "not valid YAML: %s (%s in line %d)",
                       problem, parser->context, (int)parser->context_mark.line + 1);
}

static carom_status next_event(reader *r, yaml_event_t *event) {
  return yaml_parser_parse(&r->parser, event) ? CAROM_OK : explain_error(r);
}

static carom_status new_node(reader *r, carom_yaml_kind kind, carom_place place,
                             carom_yaml **node) {
  if (++r->node_count > CAROM_YAML_MAX_NODES) {
    carom_fail_at(r->error, CAROM_ERR_LIMIT, place,
                  "the document has more than %d values (aliases counted as often as used)",
                  CAROM_YAML_MAX_NODES);
    return CAROM_ERR_LIMIT;
  }
  *node = carom_arena_take(r->arena, sizeof **node);
  if (!*node) {
    carom_fail_memory(r->error);
    return CAROM_ERR_MEMORY;
  }
  **node = (carom_yaml){.kind = kind, .place = place};
  return CAROM_OK;
}

static anchor *find_anchor(const reader *r, const char *name) {
  // a later anchor of the same name hides the earlier one
  for (int k = r->anchor_count - 1; k >= 0; k--)
    if (strcmp(r->anchors[k].name, name) == 0) return &r->anchors[k];
  return NULL;
}

// opens an anchor; returns its number, -1 when there is none to open, -2 when out of memory
static int open_anchor(reader *r, const yaml_char_t *name) {
  if (!name) return -1;
  const char *text = (const char *)name;
  char *copy = carom_arena_text(r->arena, text, strlen(text));
  if (!copy || !carom_arena_grow(r->arena, (void **)&r->anchors, r->anchor_count,
                                 &r->anchor_capacity, sizeof *r->anchors))
    return -2;
  r->anchors[r->anchor_count] = (anchor){copy, NULL};
  return r->anchor_count++;
}

static carom_status copy_tree(reader *r, const carom_yaml *from, int depth, carom_yaml **to) {
  if (depth > CAROM_YAML_MAX_DEPTH)
    return carom_fail_at(r->error, CAROM_ERR_LIMIT, from->place,
                         "nested deeper than %d levels through aliases", CAROM_YAML_MAX_DEPTH);
  carom_status status = new_node(r, from->kind, from->place, to);
  if (status) return status;
  **to = *from;
  if (from->kind == CAROM_YAML_SCALAR) return CAROM_OK;
  size_t count = (size_t)from->count;
  (*to)->capacity = from->count;
  (*to)->values = carom_arena_array(r->arena, count, sizeof *from->values);
  (*to)->keys = carom_arena_array(r->arena, count, sizeof *from->keys);
  (*to)->key_places = carom_arena_array(r->arena, count, sizeof *from->key_places);
  if (!(*to)->values || !(*to)->keys || !(*to)->key_places) return carom_fail_memory(r->error);
  if (from->kind == CAROM_YAML_MAP && count > 0) {
    memcpy((*to)->keys, from->keys, count * sizeof *from->keys);
    memcpy((*to)->key_places, from->key_places, count * sizeof *from->key_places);
  }
  for (int k = 0; k < from->count && !status; k++)
    status = copy_tree(r, from->values[k], depth + 1, &(*to)->values[k]);
  return status;
}

static carom_status build_alias(reader *r, const yaml_event_t *event, int depth, carom_yaml **out) {
  const char *name = (const char *)event->data.alias.anchor;
  carom_place place = place_of(r, event->start_mark);
  const anchor *found = find_anchor(r, name);
  if (!found)
    return carom_fail_at(r->error, CAROM_ERR_INPUT, place, "there is no anchor &%s above", name);
  if (!found->node)
    return carom_fail_at(r->error, CAROM_ERR_INPUT, place, "the anchor &%s contains itself", name);
  return copy_tree(r, found->node, depth, out);
}

static carom_status check_tag(reader *r, const yaml_char_t *tag, carom_place place) {
  static const char core[] = "tag:yaml.org,2002:";
  if (!tag || strcmp((const char *)tag, "!") == 0) return CAROM_OK;
  const char *name = (const char *)tag;
  if (strncmp(name, core, sizeof core - 1) == 0) {
    name += sizeof core - 1;
    static const char *const plain[] = {"str", "int", "float", "map", "seq"};
    for (size_t k = 0; k < sizeof plain / sizeof *plain; k++)
      if (strcmp(name, plain[k]) == 0) return CAROM_OK;
  }
  return carom_fail_at(r->error, CAROM_ERR_INPUT, place,
                       "the YAML tag %s has no meaning in a scenario", (const char *)tag);
}

static char style_of(yaml_scalar_style_t style) {
  switch (style) {
  case YAML_SINGLE_QUOTED_SCALAR_STYLE: return '\'';
  case YAML_DOUBLE_QUOTED_SCALAR_STYLE: return '"';
  case YAML_LITERAL_SCALAR_STYLE:
  case YAML_FOLDED_SCALAR_STYLE: return '|';
  default: return 0;
  }
}

static carom_status build_scalar(reader *r, const yaml_event_t *event, carom_yaml **out) {
  const char *value = (const char *)event->data.scalar.value;
  size_t length = event->data.scalar.length;
  carom_place place = place_of(r, event->start_mark);
  carom_status status = check_tag(r, event->data.scalar.tag, place);
  if (!status) status = new_node(r, CAROM_YAML_SCALAR, place, out);
  if (status) return status;
  if (memchr(value, 0, length))
    return carom_fail_at(r->error, CAROM_ERR_INPUT, place, "a text cannot contain the character 0");
  (*out)->text = carom_arena_text(r->arena, value, length);
  (*out)->style = style_of(event->data.scalar.style);
  (*out)->quoted = (*out)->style == '\'' || (*out)->style == '"';
  (*out)->source = source_at(r, event->start_mark);
  return (*out)->text ? CAROM_OK : carom_fail_memory(r->error);
}

static carom_status build_tree(reader *r, const yaml_event_t *event, int depth, carom_yaml **out);

static carom_status build_list(reader *r, carom_yaml *list, int depth) {
  int capacity = 0;
  for (;;) {
    yaml_event_t event;
    carom_status status = next_event(r, &event);
    if (status) return status;
    bool end = event.type == YAML_SEQUENCE_END_EVENT;
    carom_yaml *item = NULL;
    if (!end) status = build_tree(r, &event, depth, &item);
    yaml_event_delete(&event);
    if (status || end) return status;
    if (!carom_arena_grow(r->arena, (void **)&list->values, list->count, &capacity,
                          sizeof *list->values))
      return carom_fail_memory(r->error);
    list->values[list->count++] = item;
  }
}

static carom_status read_key(reader *r, const yaml_event_t *event, const carom_yaml *map,
                             carom_yaml **key) {
  carom_place place = place_of(r, event->start_mark);
  if (event->type != YAML_SCALAR_EVENT) {
    carom_fail_at(r->error, CAROM_ERR_INPUT, place, "a key must be a plain name");
    return CAROM_ERR_INPUT;
  }
  carom_status status = build_scalar(r, event, key);
  if (status) return status;
  if (!(*key)->text[0]) return carom_fail_at(r->error, CAROM_ERR_INPUT, place, "this key is empty");
  int twin = carom_yaml_find(map, (*key)->text);
  assert(twin < 0 || map->key_places);
  // {a: at(up, t), b: at(down, t)}
  if (twin >= 0 && strchr((*key)->text, ')'))
    return carom_fail_at(
        r->error, CAROM_ERR_INPUT, place,
        "'%.80s' is taken for a key: inside { } a comma ends a value; write a list "
        "in brackets, an expression in quotes or on a line of its own",
        (*key)->text);
  if (twin >= 0)
    return carom_fail_at(r->error, CAROM_ERR_INPUT, place,
                         "the key '%s' is given twice; it stands already in line %d", (*key)->text,
                         map->key_places[twin].line);
  if (map->count >= CAROM_YAML_MAX_KEYS)
    return carom_fail_at(r->error, CAROM_ERR_LIMIT, place, "more than %d keys in one map",
                         CAROM_YAML_MAX_KEYS);
  return CAROM_OK;
}

static carom_status read_value(reader *r, int depth, carom_yaml **value) {
  yaml_event_t event;
  carom_status status = next_event(r, &event);
  if (status) return status;
  status = build_tree(r, &event, depth, value);
  yaml_event_delete(&event);
  return status;
}

static carom_status build_map(reader *r, carom_yaml *map, int depth) {
  for (;;) {
    yaml_event_t event;
    carom_status status = next_event(r, &event);
    if (status) return status;
    bool end = event.type == YAML_MAPPING_END_EVENT;
    carom_yaml *key = NULL, *value = NULL;
    if (!end) status = read_key(r, &event, map, &key);
    yaml_event_delete(&event);
    if (status || end) return status;
    if ((status = read_value(r, depth, &value))) return status;
    if (!carom_yaml_put(r->arena, map, key->text, key->place, value))
      return carom_fail_memory(r->error);
  }
}

static carom_status build_tree(reader *r, const yaml_event_t *event, int depth, carom_yaml **out) {
  carom_place place = place_of(r, event->start_mark);
  if (event->type == YAML_ALIAS_EVENT) return build_alias(r, event, depth, out);
  if (depth > CAROM_YAML_MAX_DEPTH)
    return carom_fail_at(r->error, CAROM_ERR_LIMIT, place, "nested deeper than %d levels",
                         CAROM_YAML_MAX_DEPTH);
  bool map = event->type == YAML_MAPPING_START_EVENT;
  bool list = event->type == YAML_SEQUENCE_START_EVENT;
  int opened = open_anchor(r, map    ? event->data.mapping_start.anchor
                              : list ? event->data.sequence_start.anchor
                                     : event->data.scalar.anchor);
  if (opened == -2) return carom_fail_memory(r->error);

  carom_status status;
  if (!map && !list) {
    status = build_scalar(r, event, out);
  } else {
    status =
        check_tag(r, map ? event->data.mapping_start.tag : event->data.sequence_start.tag, place);
    if (!status) status = new_node(r, map ? CAROM_YAML_MAP : CAROM_YAML_LIST, place, out);
    if (!status) status = map ? build_map(r, *out, depth + 1) : build_list(r, *out, depth + 1);
  }
  if (!status && opened >= 0) r->anchors[opened].node = *out;
  return status;
}

// stream start, one document, stream end
static carom_status read_stream(reader *r, carom_yaml **root) {
  *root = NULL;
  for (;;) {
    yaml_event_t event;
    carom_status status = next_event(r, &event);
    if (status) return status;
    yaml_event_type_t type = event.type;
    if (type == YAML_DOCUMENT_START_EVENT && *root)
      status = carom_fail_at(r->error, CAROM_ERR_INPUT, place_of(r, event.start_mark),
                             "a second YAML document begins here; one was expected");
    else if (type == YAML_SCALAR_EVENT || type == YAML_SEQUENCE_START_EVENT ||
             type == YAML_MAPPING_START_EVENT || type == YAML_ALIAS_EVENT)
      status = build_tree(r, &event, 1, root);
    yaml_event_delete(&event);
    if (status || type == YAML_STREAM_END_EVENT) return status;
  }
}

carom_status carom_yaml_read(carom_arena *arena, const char *file, const char *text,
                             int *node_count, carom_yaml **root, carom_error *error) {
  *root = NULL;
  size_t length = strlen(text);
  reader r = {.arena = arena, .node_count = *node_count, .error = error};
  r.file = carom_arena_text(arena, file, strlen(file));
  if (length > CAROM_YAML_MAX_TEXT)
    return carom_fail_at(error, CAROM_ERR_LIMIT, (carom_place){file, 1, 1},
                         "the text is longer than %d bytes", CAROM_YAML_MAX_TEXT);
  // places inside folded text need the source as long as the tree lives; a byte order mark is no
  // text
  if (length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) text += 3, length -= 3;
  r.text = r.line_start = carom_arena_text(arena, text, length);
  if (!r.file || !r.text || !yaml_parser_initialize(&r.parser)) return carom_fail_memory(error);
  yaml_parser_set_input_string(&r.parser, (const unsigned char *)r.text, length);
  yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
  carom_status status = read_stream(&r, root);
  *node_count = r.node_count;
  yaml_parser_delete(&r.parser);
  return status;
}

int carom_yaml_find(const carom_yaml *map, const char *key) {
  if (!map || map->kind != CAROM_YAML_MAP) return -1;
  for (int k = 0; k < map->count; k++)
    if (strcmp(map->keys[k], key) == 0) return k;
  return -1;
}

carom_yaml *carom_yaml_get(const carom_yaml *map, const char *key) {
  int k = carom_yaml_find(map, key);
  return k < 0 ? NULL : map->values[k];
}

carom_yaml *carom_yaml_scalar(carom_arena *arena, const char *text, carom_place place) {
  carom_yaml *node = carom_arena_take(arena, sizeof *node);
  if (!node) return NULL;
  *node = (carom_yaml){.kind = CAROM_YAML_SCALAR, .place = place};
  node->text = carom_arena_text(arena, text, strlen(text));
  return node->text ? node : NULL;
}

carom_yaml *carom_yaml_map(carom_arena *arena, carom_place place) {
  carom_yaml *node = carom_arena_take(arena, sizeof *node);
  if (node) *node = (carom_yaml){.kind = CAROM_YAML_MAP, .place = place};
  return node;
}

bool carom_yaml_append(carom_arena *arena, carom_yaml *list, carom_yaml *item) {
  if (!item || !carom_arena_grow(arena, (void **)&list->values, list->count, &list->capacity,
                                 sizeof *list->values))
    return false;
  list->values[list->count++] = item;
  return true;
}

carom_yaml *carom_yaml_list(carom_arena *arena, carom_place place, int count,
                            carom_yaml *const *items) {
  carom_yaml *node = carom_arena_take(arena, sizeof *node);
  if (node) *node = (carom_yaml){.kind = CAROM_YAML_LIST, .place = place};
  for (int k = 0; node && k < count; k++)
    if (!carom_yaml_append(arena, node, items[k])) return NULL;
  return node;
}

// room for one more entry; the three arrays grow together
static bool grow_map(carom_arena *arena, carom_yaml *map) {
  int keys = map->capacity, places = keys, values = keys;
  if (!carom_arena_grow(arena, (void **)&map->keys, map->count, &keys, sizeof *map->keys) ||
      !carom_arena_grow(arena, (void **)&map->key_places, map->count, &places,
                        sizeof *map->key_places) ||
      !carom_arena_grow(arena, (void **)&map->values, map->count, &values, sizeof *map->values))
    return false;
  map->capacity = keys;
  return true;
}

bool carom_yaml_put(carom_arena *arena, carom_yaml *map, const char *key, carom_place key_place,
                    carom_yaml *value) {
  int k = carom_yaml_find(map, key);
  if (k < 0) {
    if (!grow_map(arena, map)) return false;
    k = map->count++;
    map->keys[k] = carom_arena_text(arena, key, strlen(key));
    if (!map->keys[k]) return false;
  }
  assert(map->key_places && map->values);
  map->key_places[k] = key_place;
  map->values[k] = value;
  return true;
}

void carom_yaml_remove(carom_yaml *map, int k) {
  size_t rest = (size_t)(map->count - k - 1);
  memmove(&map->keys[k], &map->keys[k + 1], rest * sizeof *map->keys);
  memmove(&map->key_places[k], &map->key_places[k + 1], rest * sizeof *map->key_places);
  memmove(&map->values[k], &map->values[k + 1], rest * sizeof *map->values);
  map->count--;
}

bool carom_yaml_is_null(const carom_yaml *value) {
  return value->kind == CAROM_YAML_SCALAR && !value->quoted && !value->style &&
         (strcmp(value->text, "null") == 0 || strcmp(value->text, "~") == 0);
}

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// a position that walks through the source and knows its line and column
typedef struct cursor {
  const char *p;
  int line, column;
} cursor;

static void advance_cursor(cursor *c) {
  if (!*c->p) return;
  if (is_line_end(c->p)) {
    c->line++;
    c->column = 1;
  } else {
    c->column++;
  }
  c->p++;
  while (((unsigned char)*c->p & 0xC0) == 0x80)
    c->p++;
}

static void skip_blanks(cursor *c) {
  while (is_blank(*c->p))
    advance_cursor(c);
}

// the character of the written text from which character `offset` of a rewritten one comes
static size_t written_offset(const carom_yaml *scalar, size_t offset) {
  const carom_yaml_span *found = NULL;
  for (int k = 0; k < scalar->span_count && (size_t)scalar->spans[k].at <= offset; k++)
    found = &scalar->spans[k];
  if (!found) return 0;
  return (size_t)found->from + (found->copied ? offset - (size_t)found->at : 0);
}

// folding changes blanks and nothing else, so the n-th visible character of the text is the n-th
// visible character of the source
carom_place carom_yaml_place(const carom_yaml *scalar, size_t offset) {
  if (scalar->written) return carom_yaml_place(scalar->written, written_offset(scalar, offset));
  carom_place place = scalar->place;
  if (!scalar->source) {
    place.column += (int)offset;
    return place;
  }
  cursor c = {scalar->source, place.line, place.column};
  if (scalar->style == '|') {
    while (*c.p && c.line == place.line)
      advance_cursor(&c);
    skip_blanks(&c);
  } else if (scalar->style) {
    advance_cursor(&c);
  }

  const char *t = scalar->text;
  for (size_t k = 0; k < offset && *t; k++) {
    if (!is_blank(*t)) {
      skip_blanks(&c);
      // two source characters stand for one: '' and \x
      if ((scalar->style == '\'' && *c.p == '\'') || (scalar->style == '"' && *c.p == '\\'))
        advance_cursor(&c);
      advance_cursor(&c);
    }
    t++;
    while (((unsigned char)*t & 0xC0) == 0x80)
      t++;
  }
  if (*t && !is_blank(*t)) skip_blanks(&c);
  return (carom_place){place.file, c.line, c.column};
}
