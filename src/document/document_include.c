// SPDX-License-Identifier: MIT
// Several files become one document: `include` is followed, the including file overrides. A
// scenario from a stranger can name files only below its own folder.
#include "document/document.h"

#include "base/hash.h"
#include "base/platform.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_PATH = 4096, DEEPEST_CHAIN = 16 };

typedef struct chain {
  const char *files[DEEPEST_CHAIN + 1]; // from the main file to the one being read
  int count;
} chain;

static char *join_path(carom_arena *arena, const char *folder, const char *name) {
  size_t a = strlen(folder), b = strlen(name);
  char *path = carom_arena_take(arena, a + b + 2);
  if (!path) return NULL;
  if (a && strcmp(folder, ".") != 0) {
    memcpy(path, folder, a);
    if (folder[a - 1] != '/') path[a++] = '/';
  } else {
    a = 0;
  }
  memcpy(path + a, name, b);
  return path;
}

// the folder part of a path: `empty` when it has none
static char *folder_of(carom_arena *arena, const char *path, const char *empty) {
  const char *slash = strrchr(path, '/');
  if (!slash) return carom_arena_text(arena, empty, strlen(empty));
  if (slash == path) return carom_arena_text(arena, "/", 1);
  return carom_arena_text(arena, path, (size_t)(slash - path));
}

// a file that cannot be opened; one that only lacks its ending is told
static carom_status refuse_file(const char *path, carom_place place, int reason,
                                carom_error *error) {
  char whole[512];
  bool fits = snprintf(whole, sizeof whole, "%s.yaml", path) < (int)sizeof whole;
  bool lacks = reason == ENOENT && fits && carom_path_look(whole) == CAROM_PATH_FILE;
  return carom_fail_at(error, CAROM_ERR_IO, place, "the file '%s' cannot be read: %s%s%s%s", path,
                       strerror(reason), lacks ? "; did you mean '" : "", lacks ? whole : "",
                       lacks ? "'?" : "");
}

// `length`: of bytes that need not be text; NULL: of text
static carom_status read_file(carom_arena *arena, const char *path, size_t limit, carom_place place,
                              const char **text, size_t *length, carom_error *error) {
  FILE *file = fopen(path, "rb");
  if (!file) return refuse_file(path, place, errno, error);
  int capacity = 0, count = 0;
  char *bytes = NULL;
  carom_status status = CAROM_OK;
  for (int c = 1; !status && c != EOF;) {
    c = getc(file);
    if (!carom_arena_grow(arena, (void **)&bytes, count, &capacity, 1))
      status = carom_fail_memory(error);
    else if (c != EOF && (size_t)count >= limit)
      status = carom_fail_at(error, CAROM_ERR_LIMIT, place,
                             "the file '%s' is longer than %zu bytes", path, limit);
    else if (!c && !length)
      status = carom_fail_at(error, CAROM_ERR_INPUT, place, "the file '%s' is not text", path);
    else
      bytes[count++] = (char)(c == EOF ? 0 : c);
  }
  if (!status && ferror(file))
    status = carom_fail_at(error, CAROM_ERR_IO, place, "the file '%s' cannot be read", path);
  (void)fclose(file);
  if (status) return status;
  *text = bytes;
  if (length) *length = (size_t)count - 1;
  return CAROM_OK;
}

// no absolute path and no way up, whatever the file system says
static bool is_confined(const char *name) {
  if (!*name || *name == '/') return false;
  for (const char *p = name; *p;) {
    size_t length = strcspn(p, "/");
    if (length == 2 && p[0] == '.' && p[1] == '.') return false;
    p += length;
    if (*p == '/') p++;
  }
  return true;
}

// ... and no symbolic link that leads out, nor a pipe that would wait for ever
static carom_status check_target(const char *folder, const char *path, const char *name,
                                 carom_place place, carom_error *error) {
  carom_path_kind kind = carom_path_look(path);
  if (kind == CAROM_PATH_NOTHING)
    return carom_fail_at(error, CAROM_ERR_INPUT, place, "there is no file '%s' in '%s'", name,
                         folder);
  if (kind != CAROM_PATH_FILE)
    return carom_fail_at(error, CAROM_ERR_INPUT, place, "'%s' is not a file", path);
  if (carom_path_inside(folder, path)) return CAROM_OK;
  return carom_fail_at(error, CAROM_ERR_INPUT, place,
                       "'%s' leads out of the scenario's folder; only files below it may be read",
                       name);
}

static const char *folder_for(const carom_document *document, const char *file) {
  for (int k = 0; k < document->file_count; k++)
    if (document->files[k].name == file) return document->files[k].folder;
  return "";
}

static carom_status note_source(carom_document *document, const char *path, carom_error *error) {
  if (!carom_arena_grow(document->arena, (void **)&document->sources, document->source_count,
                        &document->source_capacity, sizeof *document->sources))
    return carom_fail_memory(error);
  document->sources[document->source_count++] = path;
  return CAROM_OK;
}

// with `text` NULL it is only looked for
static carom_status open_file(carom_document *document, const char *name, carom_place place,
                              size_t limit, const char **path, const char **text, size_t *length,
                              carom_error *error) {
  if (!document->folder)
    return carom_fail_at(error, CAROM_ERR_INPUT, place,
                         "'%s' cannot be read: this scenario is not a file, so it has no folder",
                         name);
  if (!is_confined(name) || strlen(name) > LONGEST_PATH)
    return carom_fail_at(error, CAROM_ERR_INPUT, place,
                         "'%.200s' leads out of the scenario's folder; only files below it may be "
                         "read (no absolute path, no ..)",
                         name);
  while (name[0] == '.' && name[1] == '/')
    name += 2;
  char *relative = join_path(document->arena, folder_for(document, place.file), name);
  char *full = relative ? join_path(document->arena, document->folder, relative) : NULL;
  if (!full) return carom_fail_memory(error);
  carom_status status = check_target(document->folder, full, name, place, error);
  if (status) return status;
  *path = full;
  if (!text) return CAROM_OK;
  status = note_source(document, full, error);
  return status ? status : read_file(document->arena, full, limit, place, text, length, error);
}

carom_status carom_document_open(carom_document *document, const char *name, carom_place place,
                                 size_t limit, const char **path, const char **text,
                                 carom_error *error) {
  return open_file(document, name, place, limit, path, text, NULL, error);
}

carom_status carom_document_open_table(carom_document *document, const char *name,
                                       carom_place place, size_t limit, const char **path,
                                       const char **text, carom_error *error) {
  carom_status status = carom_document_open(document, name, place, limit, path, text, error);
  if (!status) document->tables = carom_hash(document->tables, *text, strlen(*text) + 1);
  return status;
}

carom_status carom_document_open_bytes(carom_document *document, const char *name,
                                       carom_place place, size_t limit, const char **path,
                                       const char **bytes, size_t *length, carom_error *error) {
  carom_status status = open_file(document, name, place, limit, path, bytes, length, error);
  if (!status) document->tables = carom_hash(document->tables, *bytes, *length + 1);
  return status;
}

// records a file so that names written in it start from its folder; `shown` must be the tree's own
static carom_status add_file(carom_document *document, const char *shown, carom_error *error) {
  if (document->file_count >= CAROM_YAML_MAX_FILES)
    return carom_fail(error, CAROM_ERR_LIMIT, "more than %d files are included",
                      CAROM_YAML_MAX_FILES);
  if (!carom_arena_grow(document->arena, (void **)&document->files, document->file_count,
                        &document->file_capacity, sizeof *document->files))
    return carom_fail_memory(error);
  const char *relative = shown;
  size_t length = document->folder ? strlen(document->folder) : 0;
  if (length && strcmp(document->folder, ".") != 0 && strncmp(shown, document->folder, length) == 0)
    relative = shown + length + (shown[length] == '/');
  char *folder = folder_of(document->arena, relative, "");
  if (!folder) return carom_fail_memory(error);
  document->files[document->file_count++] = (carom_document_file){shown, folder};
  return CAROM_OK;
}

// the order of new keys lets a parameter of the including file serve an overridden one
carom_status carom_yaml_merge(carom_arena *arena, carom_yaml *base, const carom_yaml *over,
                              carom_yaml **merged, carom_error *error) {
  if (base->kind != CAROM_YAML_MAP || over->kind != CAROM_YAML_MAP) {
    // an empty section says nothing and overrides nothing
    bool empty = over->kind == CAROM_YAML_SCALAR && !over->text[0] && !over->quoted;
    *merged = empty ? base : (carom_yaml *)over;
    return CAROM_OK;
  }
  carom_yaml *out = carom_yaml_map(arena, over->place);
  if (!out) return carom_fail_memory(error);
  int next = 0; // first entry of `over` not yet placed
  for (int k = 0; k < base->count; k++) {
    int twin = carom_yaml_find(over, base->keys[k]);
    for (; twin >= 0 && next < twin; next++)
      if (carom_yaml_find(base, over->keys[next]) < 0 &&
          !carom_yaml_put(arena, out, over->keys[next], over->key_places[next], over->values[next]))
        return carom_fail_memory(error);
    if (twin >= 0 && carom_yaml_is_null(over->values[twin])) continue;
    carom_yaml *value = base->values[k];
    carom_status status =
        twin < 0 ? CAROM_OK : carom_yaml_merge(arena, value, over->values[twin], &value, error);
    if (status) return status;
    carom_place place = twin < 0 ? base->key_places[k] : over->key_places[twin];
    if (!carom_yaml_put(arena, out, base->keys[k], place, value)) return carom_fail_memory(error);
  }
  for (int k = 0; k < over->count; k++)
    if (carom_yaml_find(base, over->keys[k]) < 0 &&
        !carom_yaml_put(arena, out, over->keys[k], over->key_places[k], over->values[k]))
      return carom_fail_memory(error);
  *merged = out;
  return CAROM_OK;
}

static carom_status fail_cycle(const chain *so_far, const char *path, carom_place place,
                               carom_error *error) {
  char text[512];
  size_t used = 0;
  for (int k = 0; k < so_far->count && used < sizeof text; k++)
    used += (size_t)snprintf(text + used, sizeof text - used, "%s -> ", so_far->files[k]);
  return carom_fail_at(error, CAROM_ERR_INPUT, place, "includes run in a circle: %s%s", text, path);
}

static carom_status read_one(carom_document *document, const chain *above, const char *path,
                             const char *text, carom_yaml **root, carom_error *error);

static carom_status include_one(carom_document *document, const chain *so_far,
                                const carom_yaml *name, carom_yaml **root, carom_error *error) {
  if (name->kind != CAROM_YAML_SCALAR || !name->text[0])
    return carom_fail_at(error, CAROM_ERR_INPUT, name->place,
                         "include expects the name of a file, or a list of names");
  const char *path = NULL, *text = NULL;
  carom_status status = carom_document_open(document, name->text, name->place, CAROM_YAML_MAX_TEXT,
                                            &path, &text, error);
  if (status || !path) return status;
  for (int k = 0; k < so_far->count; k++)
    if (strcmp(so_far->files[k], path) == 0) return fail_cycle(so_far, path, name->place, error);
  if (so_far->count >= DEEPEST_CHAIN)
    return carom_fail_at(error, CAROM_ERR_LIMIT, name->place,
                         "includes nested deeper than %d files", DEEPEST_CHAIN);
  return read_one(document, so_far, path, text, root, error);
}

// all files named by `include`, later ones over earlier ones, and the file itself on top
static carom_status follow_includes(carom_document *document, const chain *so_far,
                                    carom_yaml **root, carom_error *error) {
  int at = carom_yaml_find(*root, "include");
  if (at < 0) return CAROM_OK;
  carom_yaml *names = (*root)->values[at], *base = NULL;
  carom_yaml_remove(*root, at);
  int count = names->kind == CAROM_YAML_LIST ? names->count : 1;
  for (int k = 0; k < count; k++) {
    carom_yaml *name = names->kind == CAROM_YAML_LIST ? names->values[k] : names, *tree = NULL;
    carom_status status = include_one(document, so_far, name, &tree, error);
    if (!status && base) status = carom_yaml_merge(document->arena, base, tree, &tree, error);
    if (status) return status;
    base = tree;
  }
  return base ? carom_yaml_merge(document->arena, base, *root, root, error) : CAROM_OK;
}

static carom_status read_one(carom_document *document, const chain *above, const char *path,
                             const char *text, carom_yaml **root, carom_error *error) {
  carom_status status =
      carom_yaml_read(document->arena, path, text, &document->node_count, root, error);
  if (status) return status;
  carom_place start = {path, 1, 1};
  bool empty = !*root || ((*root)->kind == CAROM_YAML_SCALAR && !(*root)->text[0]);
  if (empty)
    return carom_fail_at(
        error, CAROM_ERR_INPUT, start,
        "the scenario is empty; it starts with a title, parameters, coordinates ...");
  if ((*root)->kind != CAROM_YAML_MAP)
    return carom_fail_at(
        error, CAROM_ERR_INPUT, (*root)->place,
        "a scenario is a map of sections (parameters:, coordinates:, energy: ...)");
  status = add_file(document, (*root)->place.file, error);
  chain so_far = *above;
  so_far.files[so_far.count++] = path;
  return status ? status : follow_includes(document, &so_far, root, error);
}

carom_status carom_document_read(carom_arena *arena, const char *path, const char *text,
                                 carom_document **document, carom_error *error) {
  *document = NULL;
  carom_document *made = carom_arena_take(arena, sizeof *made);
  if (!made) return carom_fail_memory(error);
  made->arena = arena;
  if (path && !(made->folder = folder_of(arena, path, "."))) return carom_fail_memory(error);
  carom_status status = CAROM_OK;
  if (!text) {
    if (!path) return carom_fail(error, CAROM_ERR_ARGUMENT, "neither a file nor a text was given");
    if (carom_path_look(path) == CAROM_PATH_FOLDER)
      return carom_fail(error, CAROM_ERR_IO, "'%s' is a folder; a scenario file was expected",
                        path);
    const char *kept = carom_arena_text(arena, path, strlen(path));
    status = kept ? note_source(made, kept, error) : carom_fail_memory(error);
    if (!status)
      status = read_file(arena, path, CAROM_YAML_MAX_TEXT, (carom_place){0}, &text, NULL, error);
  }
  chain none = {.count = 0};
  if (!status) status = read_one(made, &none, path ? path : "text", text, &made->root, error);
  if (!status) *document = made;
  return status;
}
