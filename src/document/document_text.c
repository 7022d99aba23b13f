// SPDX-License-Identifier: MIT
// Changing a document by dotted paths, and writing it out again.
#include "document/document.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_NAME = 256 };

// the slot that a path component names in a list or map, made when a map lacks it
static carom_status step_into(carom_document *document, carom_yaml *parent, const char *name,
                              carom_place place, carom_yaml ***slot, carom_error *error) {
  if (parent->kind == CAROM_YAML_LIST) {
    char *end = NULL;
    long k = strtol(name, &end, 10);
    if (!isdigit((unsigned char)name[0]) || *end || k >= parent->count)
      return carom_fail_at(error, CAROM_ERR_INPUT, place,
                           "'%s' is no item of a list of %d; items are numbered from 0", name,
                           parent->count);
    *slot = &parent->values[k];
    return CAROM_OK;
  }
  if (carom_yaml_find(parent, name) < 0) {
    carom_yaml *empty = carom_yaml_map(document->arena, place);
    if (!empty || !carom_yaml_put(document->arena, parent, name, place, empty))
      return carom_fail_memory(error);
  }
  *slot = &parent->values[carom_yaml_find(parent, name)];
  return CAROM_OK;
}

static carom_status check_nulls(const carom_yaml *node, carom_error *error) {
  for (int k = 0; k < node->count; k++) {
    const carom_yaml *value = node->values[k];
    if (node->kind == CAROM_YAML_MAP && carom_yaml_is_null(value)) {
      const char *near = carom_nearest_name(node->keys[k], node->keys, k);
      return carom_fail_at(error, CAROM_ERR_INPUT, value->place,
                           "null takes away what an included file or a family says, but there is "
                           "no '%.80s' to take away%s%s%s",
                           node->keys[k], near ? "; did you mean '" : "", near ? near : "",
                           near ? "'?" : "");
    }
    carom_status status = check_nulls(value, error);
    if (status) return status;
  }
  return CAROM_OK;
}

carom_status carom_document_check_nulls(const carom_document *document, carom_error *error) {
  return check_nulls(document->root, error);
}

carom_status carom_document_set(carom_document *document, const char *path, const char *value,
                                carom_error *error) {
  char label[LONGEST_NAME + 16];
  (void)snprintf(label, sizeof label, "--set %.*s", LONGEST_NAME, path);
  carom_yaml *fresh = NULL;
  carom_status status =
      carom_yaml_read(document->arena, label, value, &document->node_count, &fresh, error);
  if (status) return status;
  carom_place place = {label, 1, 1};
  if (!fresh && !(fresh = carom_yaml_scalar(document->arena, "", place)))
    return carom_fail_memory(error);
  // the label in places must outlive this call; an empty value has no place of its own
  char *kept = carom_arena_text(document->arena, label, strlen(label));
  if (!kept) return carom_fail_memory(error);
  place.file = kept;
  if (!fresh->source) fresh->place = place;

  carom_yaml **slot = &document->root;
  for (const char *p = path;;) {
    char name[LONGEST_NAME];
    size_t length = strcspn(p, ".");
    if (length == 0 || length >= sizeof name)
      return carom_fail_at(error, CAROM_ERR_INPUT, place,
                           "a setting is written as a path of names with dots between, like "
                           "run.until=10");
    memcpy(name, p, length);
    name[length] = 0;
    // a section that is written but empty can be filled
    if ((*slot)->kind == CAROM_YAML_SCALAR && !(*slot)->text[0] && !(*slot)->quoted &&
        !(*slot = carom_yaml_map(document->arena, place)))
      return carom_fail_memory(error);
    if ((*slot)->kind == CAROM_YAML_SCALAR)
      return carom_fail_at(error, CAROM_ERR_INPUT, place,
                           "'%.*s' is a single value ('%.80s'), it has no part '%s'",
                           (int)(p == path ? 0 : p - path - 1), path, (*slot)->text, name);
    if ((status = step_into(document, *slot, name, place, &slot, error))) return status;
    p += length;
    if (!*p) break;
    p++;
  }
  *slot = fresh;
  return CAROM_OK;
}

typedef struct writer {
  carom_arena *arena;
  char *bytes;
  int count, capacity;
  bool failed;
} writer;

static void put_char(writer *w, char c) {
  if (w->failed || !carom_arena_grow(w->arena, (void **)&w->bytes, w->count, &w->capacity, 1)) {
    w->failed = true;
    return;
  }
  w->bytes[w->count++] = c;
}

static void put_text(writer *w, const char *text) {
  while (*text)
    put_char(w, *text++);
}

static void put_indent(writer *w, int depth) {
  for (int k = 0; k < 2 * depth; k++)
    put_char(w, ' ');
}

// may this text stand without quotes in a block and read back as itself?
static bool is_plain(const char *text) {
  size_t length = strlen(text);
  if (!length || strchr(" -?:,[]{}#&*!|>'\"%@`~.=<", text[0])) {
    // a sign or a dot may start a number
    bool number = (text[0] == '-' || text[0] == '.') && isalnum((unsigned char)text[1]);
    if (!number) return false;
  }
  if (text[length - 1] == ' ' || text[length - 1] == ':') return false;
  for (size_t k = 0; k < length; k++) {
    unsigned char c = (unsigned char)text[k];
    if (c < 0x20 || c >= 0x7F) return false;
    if (c == ':' && text[k + 1] == ' ') return false;
    if (c == '#' && k && text[k - 1] == ' ') return false;
  }
  return true;
}

static void put_scalar(writer *w, const char *text, bool quoted) {
  if (!quoted && (!*text || is_plain(text))) {
    put_text(w, text);
    return;
  }
  put_char(w, '"');
  for (; *text; text++) {
    unsigned char c = (unsigned char)*text;
    char code[8];
    if (c == '"' || c == '\\') {
      put_char(w, '\\');
      put_char(w, (char)c);
    } else if (c == '\n') {
      put_text(w, "\\n");
    } else if (c < 0x20 || c == 0x7F) {
      (void)snprintf(code, sizeof code, "\\x%02X", c);
      put_text(w, code);
    } else {
      put_char(w, (char)c);
    }
  }
  put_char(w, '"');
}

static void put_node(writer *w, const carom_yaml *node, int depth);

// what follows "key:" or "-"
static void put_value(writer *w, const carom_yaml *value, int depth) {
  if (value->kind == CAROM_YAML_SCALAR) {
    if (value->text[0] || value->quoted) put_char(w, ' ');
    put_scalar(w, value->text, value->quoted);
    put_char(w, '\n');
  } else if (value->count == 0) {
    put_text(w, value->kind == CAROM_YAML_MAP ? " {}\n" : " []\n");
  } else {
    put_char(w, '\n');
    put_node(w, value, depth);
  }
}

static void put_node(writer *w, const carom_yaml *node, int depth) {
  for (int k = 0; k < node->count; k++) {
    put_indent(w, depth);
    if (node->kind == CAROM_YAML_MAP) {
      put_scalar(w, node->keys[k], false);
      put_char(w, ':');
    } else {
      put_char(w, '-');
    }
    put_value(w, node->values[k], depth + 1);
  }
}

char *carom_document_text(carom_arena *arena, const carom_document *document) {
  writer w = {.arena = arena};
  const carom_yaml *root = document->written ? document->written : document->root;
  if (root->count == 0) put_text(&w, "{}\n");
  put_node(&w, root, 0);
  char tables[80] = "";
  if (document->tables)
    (void)snprintf(tables, sizeof tables, "# hash of its tables: %016" PRIx64 "\n",
                   document->tables);
  put_text(&w, tables);
  put_char(&w, 0);
  return w.failed ? NULL : w.bytes;
}
