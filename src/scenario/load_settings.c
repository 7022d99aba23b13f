// SPDX-License-Identifier: MIT
// --set name=value: short names find their section, a value written in short form opens up when one
// of its parts is set, and a path through a thing that does not exist is a mistake.
#include "bodies/bodies.h"
#include "scenario/family.h"
#include "scenario/load.h"
#include "scenario/schema.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_PATH = 1024, MOST_NAMES = 4096, MOST_KEYS = 64 };

static const char *const short_sections[] = {"parameters", "coordinates", "speeds",
                                             "states",     "bodies",      "joints"};
enum { SHORT_SECTIONS = sizeof short_sections / sizeof *short_sections };

static carom_place place_of(carom_document *document, const char *path) {
  char label[LONGEST_PATH];
  (void)snprintf(label, sizeof label, "--set %.256s", path);
  const char *kept = carom_arena_text(document->arena, label, strlen(label));
  return (carom_place){kept ? kept : "--set", 1, 1};
}

// Where in the document a key of this name stands first, as a path with dots; false: nowhere.
static bool find_key(const carom_yaml *map, const char *name, char *path, size_t used) {
  if (map->kind != CAROM_YAML_MAP) return false;
  for (int k = 0; k < map->count; k++) {
    int length = snprintf(path + used, LONGEST_PATH - used, "%s%s", used ? "." : "", map->keys[k]);
    if (length < 0 || used + (size_t)length >= LONGEST_PATH) continue;
    if (strcmp(map->keys[k], name) == 0 ||
        find_key(map->values[k], name, path, used + (size_t)length))
      return true;
  }
  return false;
}

// every name that may stand alone before the =
static carom_status fail_unknown(carom_document *document, const char *engine, const char *name,
                                 carom_error *error) {
  const char **names = carom_arena_array(document->arena, MOST_NAMES, sizeof *names);
  if (!names) return carom_fail_memory(error);
  int count = carom_schema_names(document->arena, engine, "", names, MOST_KEYS);
  for (int s = 0; s < SHORT_SECTIONS; s++) {
    const carom_yaml *map = carom_yaml_get(document->root, short_sections[s]);
    for (int k = 0; map && map->kind == CAROM_YAML_MAP && k < map->count && count < MOST_NAMES; k++)
      names[count++] = map->keys[k];
  }
  char path[LONGEST_PATH];
  const char *nearest =
      find_key(document->root, name, path, 0) ? path : carom_nearest_name(name, names, count);
  return carom_fail_at(error, CAROM_ERR_INPUT, place_of(document, name),
                       "there is no parameter, coordinate or section '%.80s'%s%s%s", name,
                       nearest ? "; did you mean '" : "", nearest ? nearest : "",
                       nearest ? "'?" : "");
}

// theta' means coordinates.theta.rate; false: no such coordinate
static bool complete_rate(const carom_document *document, const char *path, char *full) {
  char name[LONGEST_PATH];
  size_t length = strlen(path);
  if (length < 2 || path[length - 1] != '\'') return false;
  memcpy(name, path, length - 1);
  name[length - 1] = 0;
  const carom_yaml *map = carom_yaml_get(document->root, "coordinates");
  if (carom_yaml_find(map, name) < 0) return false;
  (void)snprintf(full, LONGEST_PATH, "coordinates.%.*s.rate", (int)length - 1, path);
  return true;
}

// a list of a body that nobody wrote begins as zeros
static bool begin_list(carom_document *document, const carom_yaml *bodies, carom_yaml *body,
                       const char *key) {
  carom_yaml *zeros[3];
  if (carom_yaml_get(body, key) || body->kind != CAROM_YAML_MAP) return true;
  for (int i = 0; i < 3; i++)
    zeros[i] = carom_yaml_scalar(document->arena, "0", body->place);
  carom_yaml *list = carom_yaml_list(document->arena, body->place,
                                     carom_bodies_are_in_space(bodies) ? 3 : 2, zeros);
  return zeros[0] && zeros[1] && zeros[2] && list &&
         carom_yaml_put(document->arena, body, key, body->place, list);
}

// so does the spin in the plane
static bool begin_number(const carom_document *document, carom_yaml *body, const char *key) {
  if (carom_yaml_get(body, key) || body->kind != CAROM_YAML_MAP) return true;
  carom_yaml *zero = carom_yaml_scalar(document->arena, "0", body->place);
  return zero && carom_yaml_put(document->arena, body, key, body->place, zero);
}

// Of a body ball.x (and ball.at.x) is the first number of where it is, ball.vy the second one of
// its velocity, ball.wz the third one of its spin in space and its spin in the plane, and
// ball.radius what its shape says.
static carom_status complete_body(carom_document *document, const carom_yaml *bodies,
                                  const char *name, const char *rest, char full[LONGEST_PATH],
                                  carom_error *error) {
  static const char axes[] = "xyz", *const rounds[] = {"disc", "sphere", "coin", "cup"};
  static const struct {
    const char *before, *key;
  } lists[] = {{".", "at"}, {".at.", "at"}, {".v", "velocity"}, {".w", "spin"}};
  carom_yaml *body = carom_yaml_get(bodies, name);
  bool space = carom_bodies_are_in_space(bodies);
  for (size_t j = 0; j < sizeof lists / sizeof *lists; j++) {
    size_t length = strlen(lists[j].before);
    if (strncmp(rest, lists[j].before, length) != 0 || strlen(rest) != length + 1) continue;
    const char *axis = strchr(axes, rest[length]);
    if (!axis) continue;
    bool turns = strcmp(lists[j].key, "spin") == 0 && !space;
    if (turns && *axis == 'z' && !begin_number(document, body, lists[j].key))
      return carom_fail_memory(error);
    if (turns && *axis == 'z')
      (void)snprintf(full, LONGEST_PATH, "bodies.%.*s.spin", LONGEST_PATH / 2, name);
    if (turns) continue;
    if (!begin_list(document, bodies, body, lists[j].key)) return carom_fail_memory(error);
    (void)snprintf(full, LONGEST_PATH, "bodies.%.*s.%s.%d", LONGEST_PATH / 2, name, lists[j].key,
                   (int)(axis - axes));
  }
  for (size_t j = 0; strcmp(rest, ".radius") == 0 && j < sizeof rounds / sizeof *rounds; j++)
    if (carom_yaml_get(body, rounds[j]))
      (void)snprintf(full, LONGEST_PATH, "bodies.%.*s.%s", LONGEST_PATH / 2, name, rounds[j]);
  return CAROM_OK;
}

// a joint's stiffness is what `spring` says where there is one, the length of a rod what `distance`
// says; low and high are its limits
static void complete_joint(const carom_yaml *joints, const char *name, const char *rest,
                           char full[LONGEST_PATH]) {
  const carom_yaml *joint = carom_yaml_get(joints, name);
  const char *key = NULL;
  if (strcmp(rest, ".stiffness") == 0 && carom_yaml_get(joint, "spring")) key = "spring";
  if (strcmp(rest, ".low") == 0) key = "limits.0";
  if (strcmp(rest, ".high") == 0) key = "limits.1";
  if (strcmp(rest, ".ratio") == 0) key = "gear";
  if (strcmp(rest, ".length") == 0 && carom_yaml_get(joint, "distance")) key = "distance";
  if (key) (void)snprintf(full, LONGEST_PATH, "joints.%.*s.%s", LONGEST_PATH / 2, name, key);
}

// Gamma means parameters.Gamma; theta means coordinates.theta, also in theta.rate
static carom_status complete_path(carom_document *document, const char *engine, const char *path,
                                  char full[LONGEST_PATH], carom_error *error) {
  char first[LONGEST_PATH];
  size_t length = strcspn(path, ".");
  if (strlen(path) + 32 > LONGEST_PATH)
    return carom_fail(error, CAROM_ERR_INPUT, "--set: the path is too long");
  if (complete_rate(document, path, full)) return CAROM_OK;
  memcpy(first, path, length);
  first[length] = 0;
  for (int s = 0; s < SHORT_SECTIONS; s++) {
    const carom_yaml *map = carom_yaml_get(document->root, short_sections[s]);
    if (carom_yaml_find(map, first) < 0) continue;
    (void)snprintf(full, LONGEST_PATH, "%s.%.*s", short_sections[s], LONGEST_PATH - 32, path);
    bool bodies = strcmp(short_sections[s], "bodies") == 0;
    if (strcmp(short_sections[s], "joints") == 0) complete_joint(map, first, path + length, full);
    return bodies ? complete_body(document, map, first, path + length, full, error) : CAROM_OK;
  }
  (void)snprintf(full, LONGEST_PATH, "%s", path);
  if (carom_schema_find(engine, first) && length) return CAROM_OK;
  return fail_unknown(document, engine, first, error);
}

static carom_status fail_missing(carom_document *document, const char *setting, const char *path,
                                 const carom_yaml *map, const char *name, carom_error *error) {
  const char *nearest = carom_nearest_name(name, map->keys, map->count);
  return carom_fail_at(
      error, CAROM_ERR_INPUT, place_of(document, setting), "there is no '%.80s' in %s%s%s%s", name,
      path, nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

// a single value becomes the map it is short for, so that a part beside it can be set
static carom_status open_shorthand(carom_document *document, const char *engine, const char *path,
                                   carom_yaml **slot, carom_error *error) {
  carom_yaml *value = *slot;
  if (value->kind != CAROM_YAML_SCALAR || !value->text[0]) return CAROM_OK;
  const carom_schema_key *key = carom_schema_find(engine, path);
  if (!key || !(key->types & CAROM_SCHEMA_MAP)) return CAROM_OK;
  carom_yaml *map = carom_yaml_map(document->arena, value->place);
  if (!map) return carom_fail_memory(error);
  // a word, like the rule of chatter, gives way to the map
  if (key->shorthand && !carom_yaml_put(document->arena, map, key->shorthand, value->place, value))
    return carom_fail_memory(error);
  *slot = map;
  return CAROM_OK;
}

// walks along the path as far as the document goes
static carom_status prepare_path(carom_document *document, const char *engine, const char *path,
                                 carom_error *error) {
  carom_yaml *at = document->root;
  char so_far[LONGEST_PATH] = "";
  for (const char *p = path; at->kind == CAROM_YAML_MAP;) {
    char name[LONGEST_PATH];
    size_t length = strcspn(p, "."), used = strlen(so_far);
    memcpy(name, p, length);
    name[length] = 0;
    p += length;
    if (!*p) return CAROM_OK;
    p++;
    char next[2 * LONGEST_PATH];
    (void)snprintf(next, sizeof next, "%s%s%s", so_far, used ? "." : "", name);
    int k = carom_yaml_find(at, name);
    const carom_schema_key *key = carom_schema_find(engine, next);
    const char *last = key ? strrchr(key->path, '.') : NULL;
    bool chosen = last && strcmp(last, ".*") == 0; // a name that the user chose
    if (k < 0 && chosen) return fail_missing(document, path, so_far, at, name, error);
    if (k < 0) return CAROM_OK;
    carom_status status = open_shorthand(document, engine, next, &at->values[k], error);
    if (status) return status;
    at = at->values[k];
    (void)snprintf(so_far, sizeof so_far, "%.*s", LONGEST_PATH - 1, next);
  }
  return CAROM_OK;
}

// The value of a coordinate or state is its start: the rate beside it stays, as in sweeps over the
// name, and settings may come in any order. A map replaces the whole entry.
static void complete_start(char full[LONGEST_PATH], const char *value) {
  const char *dot = strchr(full, '.');
  bool start = dot && !strchr(dot + 1, '.') &&
               (strncmp(full, "coordinates.", sizeof "coordinates") == 0 ||
                strncmp(full, "states.", sizeof "states") == 0);
  if (!start || value[strspn(value, " \t\n")] == '{') return;
  size_t used = strlen(full);
  (void)snprintf(full + used, LONGEST_PATH - used, ".start");
}

// keys that exclude each other: who sets the first gets rid of the second
static const struct alternative {
  const char *path, *other;
} alternatives[] = {
    {"contact.damping", "restitution"},
    {"contact.restitution", "damping"},
    {"walls.*.contact.damping", "restitution"},
    {"walls.*.contact.restitution", "damping"},
    {"pairs.[].damping", "restitution"},
    {"pairs.[].restitution", "damping"},
    {"fields.*.coefficient", "rest"},
    {"fields.*.rest", "coefficient"},
    {"fields.*.strength", "pressure"},
    {"fields.*.pressure", "strength"},
    {"bodies.*.mass", "density"},
    {"bodies.*.density", "mass"},
    {"contacts.*.tangential", "friction"},
    {"contacts.*.friction", "tangential"},
    {"contacts.*.gap", "normal"},
    {"contacts.*.normal", "gap"},
    {"contacts.*.normal", "impact"},
    {"contacts.*.normal", "tangential"},
    {"states.*.rate", "equation"},
    {"states.*.equation", "rate"},
    {"run.chatter.ratio", "speed"},
    {"run.chatter.ratio", "time"},
    {"run.chatter.speed", "ratio"},
    {"run.chatter.speed", "time"},
    {"run.chatter.time", "ratio"},
    {"run.chatter.time", "speed"},
};

// the map or list that holds the last part of a path, or NULL; *last is that part
static carom_yaml *holder_of(const carom_document *document, const char *path, const char **last) {
  carom_yaml *at = document->root;
  for (*last = path; at && strchr(*last, '.');) {
    char name[LONGEST_PATH];
    size_t length = strcspn(*last, ".");
    memcpy(name, *last, length);
    name[length] = 0;
    long item = at->kind == CAROM_YAML_LIST ? strtol(name, NULL, 10) : -1;
    at = item >= 0 ? (item < at->count ? at->values[item] : NULL) : carom_yaml_get(at, name);
    *last += length + 1;
  }
  return at;
}

// both set: the reader says that they exclude each other
static bool is_set(const carom_yaml *value) {
  return value->place.file && strncmp(value->place.file, "--set ", 6) == 0;
}

static void drop_alternatives(const carom_document *document, const char *engine,
                              const char *path) {
  const carom_schema_key *key = carom_schema_find(engine, path);
  const char *last = NULL;
  carom_yaml *holder = holder_of(document, path, &last);
  for (size_t k = 0; key && holder && k < sizeof alternatives / sizeof *alternatives; k++) {
    if (strcmp(alternatives[k].path, key->path) != 0) continue;
    int other = carom_yaml_find(holder, alternatives[k].other);
    if (other >= 0 && !is_set(holder->values[other])) carom_yaml_remove(holder, other);
  }
}

// NAME=null takes the entry away
static carom_status take_away(carom_document *document, const char *path, carom_error *error) {
  const char *last = NULL;
  carom_yaml *holder = holder_of(document, path, &last);
  int k = carom_yaml_find(holder, last);
  if (k < 0)
    return carom_fail_at(error, CAROM_ERR_INPUT, place_of(document, path),
                         "there is no '%.80s' to take away", path);
  carom_yaml_remove(holder, k);
  return CAROM_OK;
}

// x[3] and w[2,3] are the members x3 and w2_3, as in the file
static void complete_members(const char *path, char plain[LONGEST_PATH]) {
  size_t used = 0;
  for (const char *p = path; *p && used + 2 < LONGEST_PATH; p++) {
    bool after_digit = used > 0 && plain[used - 1] >= '0' && plain[used - 1] <= '9';
    if (*p == ',' || (*p == '[' && after_digit)) plain[used++] = '_';
    if (!strchr("[], ", *p)) plain[used++] = *p;
  }
  plain[used] = 0;
}

// ---- numbers that become parameters

// what has no derivatives: how a motion is computed and shown, and where chance begins
static bool may_open(const char *path) {
  static const char *const closed[] = {"run.", "shapes.", "start.", "observe.", "engine", "title"};
  for (size_t k = 0; k < sizeof closed / sizeof *closed; k++)
    if (strncmp(path, closed[k], strlen(closed[k])) == 0) return strcmp(path, "run.until") == 0;
  return true;
}

static carom_status fail_closed(carom_document *document, const char *name, carom_error *error) {
  return carom_fail_at(error, CAROM_ERR_INPUT, place_of(document, name),
                       "what '%.80s' says is no number of the system", name);
}

// contacts.floor.impact.e is the parameter given_contacts_floor_impact_e
static const char *opened_name(carom_document *document, const char *name) {
  static const char before[] = "given_";
  size_t used = strlen(before), length = strlen(name);
  char *made = carom_arena_take(document->arena, used + length + 1);
  if (!made) return NULL;
  memcpy(made, before, used);
  for (size_t k = 0; k < length; k++) {
    char c = name[k];
    bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    made[used + k] = '_';
    if (plain) made[used + k] = c;
  }
  return made;
}

static bool note_opened(carom_document *document, const char *name, const char *parameter) {
  carom_opened_list *o = &document->opened;
  size_t room = (size_t)o->count + 1;
  const char **names = carom_arena_array(document->arena, room, sizeof *names);
  const char **parameters = carom_arena_array(document->arena, room, sizeof *parameters);
  const char *kept = carom_arena_text(document->arena, name, strlen(name));
  if (!names || !parameters || !kept) return false;
  for (int k = 0; k < o->count; k++) {
    names[k] = o->names[k];
    parameters[k] = o->parameters[k];
  }
  names[o->count] = kept;
  parameters[o->count] = parameter;
  *o = (carom_opened_list){o->count + 1, names, parameters};
  return true;
}

// the value at the path stands among the parameters from now on, and its name in its place
static carom_status open_number(carom_document *document, const char *path, const char *name,
                                carom_error *error) {
  const char *last = NULL, *parameter = opened_name(document, name);
  carom_yaml *holder = holder_of(document, path, &last), *root = document->root;
  if (!holder || !may_open(path)) return fail_closed(document, name, error);
  bool list = holder->kind == CAROM_YAML_LIST;
  long k = list ? strtol(last, NULL, 10) : carom_yaml_find(holder, last);
  if (k < 0 || k >= holder->count || holder->values[k]->kind != CAROM_YAML_SCALAR)
    return fail_closed(document, name, error);
  carom_yaml *number = holder->values[k];
  holder->values[k] = carom_yaml_scalar(document->arena, parameter ? parameter : "", number->place);
  carom_yaml *parameters = carom_yaml_get(root, "parameters");
  if (!parameters) {
    parameters = carom_yaml_map(document->arena, number->place);
    if (!parameters ||
        !carom_yaml_put(document->arena, root, "parameters", number->place, parameters))
      return carom_fail_memory(error);
  }
  bool kept = parameter && holder->values[k] && note_opened(document, name, parameter) &&
              carom_yaml_put(document->arena, parameters, parameter, number->place, number);
  return kept ? CAROM_OK : carom_fail_memory(error);
}

static carom_status apply_setting(carom_document *document, const char *engine,
                                  const carom_setting *setting, carom_error *error) {
  char plain[LONGEST_PATH], path[LONGEST_PATH];
  bool member = strchr(setting->path, '[') && strlen(setting->path) + 32 < LONGEST_PATH;
  if (member) complete_members(setting->path, plain);
  carom_status status =
      complete_path(document, engine, member ? plain : setting->path, path, error);
  bool opens = !setting->value;
  bool away = !opens && (strcmp(setting->value, "null") == 0 || strcmp(setting->value, "~") == 0);
  if (!status && !away && !opens) complete_start(path, setting->value);
  if (!status) status = prepare_path(document, engine, path, error);
  if (!status && away) return take_away(document, path, error);
  if (!status && opens) return open_number(document, path, setting->path, error);
  if (!status) status = carom_document_set(document, path, setting->value, error);
  if (!status) drop_alternatives(document, engine, path);
  return status;
}

// Families are written out between the settings of what is there without them, like the number of
// members, and those of the members.
carom_status carom_load_settings(carom_document *document, const char *engine, int count,
                                 const carom_setting *settings, carom_error *error) {
  bool families = carom_families_present(document);
  bool *later = carom_arena_array(document->arena, (size_t)count, sizeof *later);
  if (!later) return carom_fail_memory(error);
  for (int k = 0; k < count; k++) {
    carom_error unknown = {0};
    carom_status status = apply_setting(document, engine, &settings[k], &unknown);
    later[k] = families && status == CAROM_ERR_INPUT;
    if (!status || later[k]) continue;
    *error = unknown;
    return status;
  }
  carom_status status = carom_families_expand(document, engine, error);
  for (int k = 0; !status && k < count; k++)
    if (later[k]) status = apply_setting(document, engine, &settings[k], error);
  // what was set may have indices itself
  return status ? status : carom_families_expand(document, engine, error);
}
