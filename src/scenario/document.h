// SPDX-License-Identifier: MIT
/// YAML as a tree that remembers where every value was written. Includes are merged and overrides
/// applied here, so that the rest of the loader sees one document.
#ifndef CAROM_SCENARIO_DOCUMENT_H
#define CAROM_SCENARIO_DOCUMENT_H

#include "base/arena.h"
#include "base/error.h"

typedef enum carom_yaml_kind { CAROM_YAML_SCALAR, CAROM_YAML_LIST, CAROM_YAML_MAP } carom_yaml_kind;

typedef struct carom_yaml {
  carom_yaml_kind kind;
  carom_place place;
  const char *text;           // of a scalar
  bool quoted;                // a scalar written in quotes
  int count;                  // of a list or map
  const char **keys;          // of a map
  carom_place *key_places;    // of a map
  struct carom_yaml **values; // of a list or map
} carom_yaml;

typedef struct carom_document {
  carom_arena *arena;
  carom_yaml *root; // a map
  const char *folder; // of the main file, for tables and includes
} carom_document;

/// Reads YAML text; duplicate keys, anchors that cycle, and depth or size beyond the limits are errors.
carom_status carom_document_read(carom_arena *arena, const char *path, const char *text,
                                 carom_document **document, carom_error *error);

/// The value of a key in a map, or NULL.
carom_yaml *carom_yaml_get(const carom_yaml *map, const char *key);

/// Replaces or adds the value at a dotted path; the value is parsed as YAML.
carom_status carom_document_set(carom_document *document, const char *path, const char *value,
                                carom_error *error);

/// The whole document as YAML text (the resolved scenario kept beside results); NULL when out of memory.
char *carom_document_text(carom_arena *arena, const carom_document *document);

#endif
