// SPDX-License-Identifier: MIT
/// YAML as a tree that remembers where every value was written. Includes are merged and overrides
/// applied here, so that the rest of the loader sees one document.
#ifndef CAROM_DOCUMENT_DOCUMENT_H
#define CAROM_DOCUMENT_DOCUMENT_H

#include "base/arena.h"
#include "base/error.h"

#include <stdint.h>

typedef enum carom_yaml_kind { CAROM_YAML_SCALAR, CAROM_YAML_LIST, CAROM_YAML_MAP } carom_yaml_kind;

/// Limits that keep a hostile document harmless.
enum {
  CAROM_YAML_MAX_DEPTH = 64,     // nesting of lists and maps
  CAROM_YAML_MAX_NODES = 100000, // values after aliases are expanded, over all files
  CAROM_YAML_MAX_KEYS = 5000,    // keys of one map
  CAROM_YAML_MAX_TEXT = 4 << 20, // bytes of one file
  CAROM_YAML_MAX_FILES = 64,     // files read by include
};

/// From character `at` of a rewritten text on, up to the next span, stands what the written text
/// has from character `from` on; not copied: all of it comes from that one place.
typedef struct carom_yaml_span {
  int at, from;
  bool copied;
} carom_yaml_span;

typedef struct carom_yaml {
  carom_yaml_kind kind;
  carom_place place;
  const char *text;           // of a scalar
  bool quoted;                // a scalar written in quotes
  char style;                 // of a scalar: 0 plain, ' or " quoted, | block
  const char *source;         // of a scalar: the file's own text from `place` on, or NULL
  int count, capacity;        // of a list or map; capacity belongs to the functions here
  const char **keys;          // of a map
  carom_place *key_places;    // of a map
  struct carom_yaml **values; // of a list or map
  // of a scalar with indices (family.h): what was written, and the values it was read with
  const struct carom_yaml *written;
  const carom_yaml_span *spans;
  int span_count;
  const char *note; // "i = 3", for messages
} carom_yaml;

/// A file that is part of the document, and the folder its own includes and tables start from,
/// relative to the document's folder ("" for that folder itself).
typedef struct carom_document_file {
  const char *name, *folder;
} carom_document_file;

/// Numbers of the document that were made parameters, as they were asked for.
typedef struct carom_opened_list {
  int count;
  const char **names, **parameters;
} carom_opened_list;

typedef struct carom_document {
  carom_arena *arena;
  carom_yaml *root;    // a map, without the key `include`
  carom_yaml *written; // the same before bodies were written out; NULL: there are none
  const char *folder;  // of the main file, for tables and includes; NULL: no file may be read
  carom_document_file *files;
  int file_count, file_capacity, node_count;
  uint64_t tables;      // hash of the tables read; 0: none
  const char **sources; // paths of all files read, tables included
  int source_count, source_capacity;
  const char **counting; // parameters that say how many members families have (family.h)
  int counting_count, counting_capacity;
  carom_opened_list opened;
} carom_document;

/// Reads YAML text, or the file `path` when `text` is NULL; `path` names the text in messages and
/// its folder is where includes are found (NULL: nameless text that may not include anything).
/// Includes are merged in. Duplicate keys, anchors that cycle, includes that cycle or leave the
/// folder, and depth or size beyond the limits are errors.
carom_status carom_document_read(carom_arena *arena, const char *path, const char *text,
                                 carom_document **document, carom_error *error);

/// Reads one YAML text of any kind into a tree; `file` names it in messages, node_count counts on.
carom_status carom_yaml_read(carom_arena *arena, const char *file, const char *text,
                             int *node_count, carom_yaml **root, carom_error *error);

/// The value of a key in a map, or NULL; its number, or -1.
carom_yaml *carom_yaml_get(const carom_yaml *map, const char *key);
int carom_yaml_find(const carom_yaml *map, const char *key);

/// Puts `value` under `key`, replacing or appending. False when out of memory.
bool carom_yaml_put(carom_arena *arena, carom_yaml *map, const char *key, carom_place key_place,
                    carom_yaml *value);

/// Takes entry k out of a map.
void carom_yaml_remove(carom_yaml *map, int k);

/// Is this the word null, or ~, without quotes? It takes away what an include, a family or the file
/// says.
bool carom_yaml_is_null(const carom_yaml *value);

/// `over` on top of `base`, as includes are: maps are merged key by key. A key that is new goes
/// just before the next key that both have; null takes a key of the base away.
carom_status carom_yaml_merge(carom_arena *arena, carom_yaml *base, const carom_yaml *over,
                              carom_yaml **merged, carom_error *error);

/// A scalar made by the program, or an empty map; NULL when out of memory.
carom_yaml *carom_yaml_scalar(carom_arena *arena, const char *text, carom_place place);
carom_yaml *carom_yaml_map(carom_arena *arena, carom_place place);

/// A list made by the program of these items (none may be NULL), and one more item behind it; NULL
/// and false when out of memory.
carom_yaml *carom_yaml_list(carom_arena *arena, carom_place place, int count,
                            carom_yaml *const *items);
bool carom_yaml_append(carom_arena *arena, carom_yaml *list, carom_yaml *item);

/// Where character `offset` of a scalar's text stands in the file, also for text that was folded
/// over several lines.
carom_place carom_yaml_place(const carom_yaml *scalar, size_t offset);

/// A null that had nothing to take away is a mistake.
carom_status carom_document_check_nulls(const carom_document *document, carom_error *error);

/// Replaces or adds the value at a dotted path (list items by number); the value is parsed as YAML.
carom_status carom_document_set(carom_document *document, const char *path, const char *value,
                                carom_error *error);

/// Reads a file named in the text at `place`, at most `limit` bytes. The name is relative to the
/// folder of the file it is written in and must stay below the document's folder. With `text` NULL
/// the file is only looked for.
carom_status carom_document_open(carom_document *document, const char *name, carom_place place,
                                 size_t limit, const char **path, const char **text,
                                 carom_error *error);

/// The same for a table, of which the document keeps the hash.
carom_status carom_document_open_table(carom_document *document, const char *name,
                                       carom_place place, size_t limit, const char **path,
                                       const char **text, carom_error *error);

/// ... and for a file that need not be text: `length` bytes, followed by a zero.
carom_status carom_document_open_bytes(carom_document *document, const char *name,
                                       carom_place place, size_t limit, const char **path,
                                       const char **bytes, size_t *length, carom_error *error);

/// The whole document as YAML text (the resolved scenario kept beside results), with the hash of
/// its tables: where that or anything else differs, results may. NULL when out of memory.
char *carom_document_text(carom_arena *arena, const carom_document *document);

#endif
