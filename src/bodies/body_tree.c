// SPDX-License-Identifier: MIT
// The tree that bodies are written into: entries with the place of the body they came from.
#include "bodies/body_writer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void carom_body_put(carom_body_writer *w, carom_yaml *map, const char *key, carom_yaml *value) {
  bool good = map && value && carom_yaml_put(w->texts.arena, map, key, w->place, value);
  w->texts.failed = w->texts.failed || !good;
}

void carom_body_put_text(carom_body_writer *w, carom_yaml *map, const char *key, const char *text) {
  carom_body_put(w, map, key, carom_yaml_scalar(w->texts.arena, text, w->place));
}

carom_yaml *carom_body_section(carom_body_writer *w, const char *name) {
  carom_yaml *map = carom_yaml_get(w->root, name);
  if (map) return map;
  carom_body_put(w, w->root, name, carom_yaml_map(w->texts.arena, w->place));
  return carom_yaml_get(w->root, name);
}

const char *carom_body_named(carom_body_writer *w, const carom_body *body, const char *what) {
  return carom_say(&w->texts, "%s.%s", body->name, what);
}

const char *carom_body_number(carom_body_writer *w, const char *name, const carom_yaml *value) {
  carom_body_put(w, carom_body_section(w, "parameters"), name, (carom_yaml *)value);
  return name;
}

bool carom_body_literal(const carom_yaml *value, double *number) {
  char *end = NULL;
  if (value->kind != CAROM_YAML_SCALAR || !value->text) return false;
  *number = strtod(value->text, &end);
  return end != value->text && !*end;
}

bool carom_body_is_nothing(const carom_yaml *list) {
  double number;
  for (int k = 0; k < list->count; k++)
    if (!carom_body_literal(list->values[k], &number) || number != 0.0) return false;
  return true;
}

const char *carom_body_derived(carom_body_writer *w, const char *name, const char *text) {
  carom_body_put_text(w, carom_body_section(w, "parameters"), name, text);
  return name;
}

const char *carom_body_short(carom_body_writer *w, const char *text) {
  enum { LONG = 40 };
  if (strlen(text) < LONG) return text;
  const char *name = carom_say(&w->texts, "near.n%d", ++w->named);
  carom_body_put_text(w, carom_body_section(w, "aside"), name, text);
  return name;
}

carom_text_vector carom_body_short_vector(carom_body_writer *w, carom_text_vector a) {
  const char *c[3];
  for (int k = 0; k < 3; k++)
    c[k] = carom_body_short(w, a.c[k]);
  return carom_vector(c[0], c[1], c[2]);
}

// what the user wrote keeps its places: the term that follows comes from its last character
static carom_yaml *append_term(carom_body_writer *w, const carom_yaml *written, const char *term) {
  carom_texts *texts = &w->texts;
  const char *text = carom_say(texts, "%s + %s", written->text, term);
  carom_yaml *sum = carom_yaml_scalar(texts->arena, text, written->place);
  carom_yaml_span *spans = carom_arena_array(texts->arena, 2, sizeof *spans);
  if (!sum || !spans) return NULL;
  int length = (int)strlen(written->text);
  spans[0] = (carom_yaml_span){.at = 0, .from = 0, .copied = true};
  spans[1] = (carom_yaml_span){.at = length, .from = length ? length - 1 : 0, .copied = false};
  sum->written = written->written ? written->written : written;
  sum->spans = written->written ? written->spans : spans;
  sum->span_count = written->written ? written->span_count : 2;
  return sum;
}

void carom_body_add_term(carom_body_writer *w, const char *section, const char *key,
                         const char *term) {
  bool told = !w->outlined || strcmp(section, "forces") == 0;
  carom_yaml *map = told ? carom_body_section(w, section) : NULL;
  if (strcmp(term, "0") == 0 || !map) return;
  const carom_yaml *written = carom_yaml_get(map, key);
  if (written)
    carom_body_put(w, map, key, append_term(w, written, term));
  else
    carom_body_put_text(w, map, key, term);
}

carom_status carom_body_fail(const carom_body_writer *w, const carom_yaml *at, const char *format,
                             ...) {
  char message[400];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  return carom_fail_at(w->error, CAROM_ERR_INPUT, at->place, "%s", message);
}

carom_status carom_body_vector(carom_body_writer *w, const carom_yaml *list, const char *name,
                               carom_text_vector *vector) {
  static const char axes[] = "xyz";
  int wanted = w->space ? 3 : 2;
  *vector = carom_vector("0", "0", "0");
  if (list->kind != CAROM_YAML_LIST || list->count != wanted)
    return carom_body_fail(w, list, "%s needs a list of %d numbers %s", name, wanted,
                           w->space ? "in space: [x, y, z]" : "in the plane: [x, y]");
  const char *c[3] = {"0", "0", "0"};
  for (int k = 0; k < wanted; k++)
    c[k] = carom_body_number(w, carom_say(&w->texts, "%s.%c", name, axes[k]), list->values[k]);
  *vector = carom_vector(c[0], c[1], c[2]);
  return CAROM_OK;
}

bool carom_body_is_mentioned(const carom_yaml *tree, const char *name) {
  if (tree->kind == CAROM_YAML_SCALAR) return tree->text && strstr(tree->text, name) != NULL;
  for (int k = 0; k < tree->count; k++)
    if (carom_body_is_mentioned(tree->values[k], name)) return true;
  return false;
}

const carom_body *carom_body_find(const carom_body_writer *w, const char *name) {
  for (int k = 0; k < w->body_count; k++)
    if (strcmp(w->bodies[k].name, name) == 0) return &w->bodies[k];
  return NULL;
}
