// SPDX-License-Identifier: MIT
#include "scenario/schema.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

// an engine adds its table here and nothing else
static const carom_schema *const tables[] = {&carom_schema_common, &carom_schema_hybrid,
                                             &carom_schema_field, &carom_schema_grains};

enum { TABLE_COUNT = sizeof tables / sizeof *tables, LONGEST_PATH = 1024, MOST_NAMES = 64 };

const carom_schema *carom_schema_table(int k) {
  return k >= 0 && k < TABLE_COUNT ? tables[k] : NULL;
}

bool carom_schema_has_engine(const char *engine) {
  for (int k = 0; k < TABLE_COUNT; k++)
    if (tables[k]->engine && strcmp(tables[k]->engine, engine) == 0) return true;
  return false;
}

static bool serves_engine(const carom_schema *table, const char *engine) {
  return !table->engine || strcmp(table->engine, engine) == 0;
}

static bool is_item(const char *word, size_t length) {
  if (length == 2 && word[0] == '[' && word[1] == ']') return true;
  for (size_t k = 0; k < length; k++)
    if (!isdigit((unsigned char)word[k])) return false;
  return length > 0;
}

// does a pattern describe a path? `loose` counts the names that only a * matched
static bool matches_path(const char *pattern, const char *path, int *loose) {
  *loose = 0;
  for (;;) {
    // most patterns are told by the first letter
    if (*pattern != *path && !strchr("*[", *pattern)) return false;
    size_t a = strcspn(pattern, "."), b = strcspn(path, ".");
    if (a == 2 && pattern[0] == '[') {
      if (!is_item(path, b)) return false;
    } else if (a == 1 && pattern[0] == '*') {
      ++*loose;
    } else if (a != b || memcmp(pattern, path, a) != 0) {
      return false;
    }
    pattern += a;
    path += b;
    if (!*pattern || !*path) return !*pattern && !*path;
    pattern++;
    path++;
  }
}

const carom_schema_key *carom_schema_find(const char *engine, const char *path) {
  const carom_schema_key *best = NULL;
  int best_loose = 0;
  for (int t = 0; t < TABLE_COUNT; t++) {
    if (!serves_engine(tables[t], engine)) continue;
    for (int k = 0; k < tables[t]->count; k++) {
      int loose = 0;
      const carom_schema_key *key = &tables[t]->keys[k];
      if (!matches_path(key->path, path, &loose)) continue;
      if (!best || loose < best_loose) best = key, best_loose = loose;
    }
  }
  return best;
}

// the last component of a key's path when the rest describes `path`; NULL otherwise
static const char *child_name(const carom_schema_key *key, const char *path) {
  const char *dot = strrchr(key->path, '.');
  if (!*path) return dot ? NULL : key->path;
  if (!dot) return NULL;
  char parent[LONGEST_PATH];
  int loose = 0;
  (void)snprintf(parent, sizeof parent, "%.*s", (int)(dot - key->path), key->path);
  return matches_path(parent, path, &loose) ? dot + 1 : NULL;
}

int carom_schema_names(carom_arena *arena, const char *engine, const char *path, const char **names,
                       int room) {
  int count = 0;
  for (int t = 0; t < TABLE_COUNT; t++) {
    if (!serves_engine(tables[t], engine)) continue;
    for (int k = 0; k < tables[t]->count && count < room; k++) {
      const char *name = child_name(&tables[t]->keys[k], path);
      if (!name || *name == '*' || *name == '[') continue;
      char *copy = carom_arena_text(arena, name, strlen(name));
      if (copy) names[count++] = copy;
    }
  }
  return count;
}

typedef struct walk {
  carom_arena *arena;
  const char *engine;
  carom_error *error;
  char path[LONGEST_PATH];
} walk;

// "a, b or c" of the names that may stand here
static void list_names(const char *const *names, int count, char *text, size_t size) {
  size_t used = 0;
  text[0] = 0;
  for (int k = 0; k < count && used < size; k++) {
    const char *before = k == 0 ? "" : k == count - 1 ? " or " : ", ";
    used += (size_t)snprintf(text + used, size - used, "%s%s", before, names[k]);
  }
}

// what others call it: the key of ours for it, if it may stand here
static const char *own_word(const char *key, const char *const *names, int count) {
  static const char *const WORDS[][2] = {{"definitions", "define"},
                                         {"defines", "define"},
                                         {"constants", "parameters"},
                                         {"params", "parameters"},
                                         {"param", "parameters"},
                                         {"poincare", "sections"},
                                         {"tspan", "until"},
                                         {"t_span", "until"},
                                         {"x0", "start"},
                                         {"q0", "start"},
                                         {"value", "start"},
                                         {"v0", "rate"},
                                         {"omega", "spin"},
                                         {"pair", "between"},
                                         {"pairs", "between"},
                                         {"variables", "states"},
                                         {"restitution", "e"},
                                         {"restitution", "impact"},
                                         {"e", "impact"},
                                         {"line", "segment"},
                                         {"mu", "friction"},
                                         {"dt", "sample"},
                                         {"timestep", "sample"},
                                         {"time", "until"},
                                         {"t", "until"},
                                         {"from", "after"},
                                         {"start", "after"},
                                         {"begin", "after"},
                                         {"t_end", "until"},
                                         {"tend", "until"},
                                         {"end", "until"},
                                         {"duration", "until"},
                                         {"tmax", "until"},
                                         {"t_final", "until"},
                                         {"tfinal", "until"},
                                         {"stop_time", "until"},
                                         {"tolerance", "rtol"},
                                         {"set", "do"},
                                         {"reset", "do"},
                                         {"then", "do"},
                                         {"action", "do"},
                                         {"condition", "when"},
                                         {"output", "observe"},
                                         {"observables", "observe"},
                                         {"initial", "start"},
                                         {"position", "start"},
                                         {"velocity", "rate"},
                                         {"speed", "rate"},
                                         {"name", "title"},
                                         {"T", "kinetic"},
                                         {"V", "potential"},
                                         {"U", "potential"},
                                         {"degrees_of_freedom", "coordinates"},
                                         {"unilateral", "contacts"},
                                         {"joint", "joints"},
                                         {"body", "bodies"},
                                         {"simulation", "run"},
                                         {"solver", "run"},
                                         {"settings", "run"},
                                         {"include_files", "include"},
                                         {"mass_matrix", "energy"},
                                         {"damping", "dissipation"},
                                         {"circle", "disc"},
                                         {"ball", "sphere"},
                                         {"rectangle", "box"},
                                         {"cuboid", "box"},
                                         {"revolute", "hinge"},
                                         {"pin", "hinge"},
                                         {"pivot", "hinge"},
                                         {"fixed", "weld"},
                                         {"g", "gravity"},
                                         {"prismatic", "slider"},
                                         {"spherical", "ball"},
                                         {"position", "at"},
                                         {"pos", "at"},
                                         {"angle", "turn"},
                                         {"rotation", "turn"},
                                         {"angular_velocity", "spin"},
                                         {"static", "stick"},
                                         {"kinetic", "slip"},
                                         {"dynamic", "slip"},
                                         {"static", "fixed"}};
  for (size_t k = 0; k < sizeof WORDS / sizeof *WORDS; k++)
    for (int j = 0; strcmp(key, WORDS[k][0]) == 0 && j < count; j++)
      if (strcmp(names[j], WORDS[k][1]) == 0) return WORDS[k][1];
  return NULL;
}

// "energy.dissipation" for a key that may stand elsewhere; NULL: nowhere, or only below names
static const char *other_place(const char *engine, const char *key) {
  for (int t = 0; t < TABLE_COUNT; t++)
    for (int k = 0; serves_engine(tables[t], engine) && k < tables[t]->count; k++) {
      const char *path = tables[t]->keys[k].path, *dot = strrchr(path, '.');
      if (dot && strcmp(dot + 1, key) == 0 && !strchr(path, '[')) return path;
    }
  return NULL;
}

static bool is_empty(const carom_yaml *value) {
  return value->kind == CAROM_YAML_SCALAR && !value->text[0] && !value->quoted;
}

// x: 1 at the margin below an empty `coordinates:`, to which it probably belongs; NULL: no such key
static const char *empty_above(const carom_yaml *map, int k) {
  const carom_yaml *above = k > 0 ? map->values[k - 1] : NULL;
  return above && is_empty(above) ? map->keys[k - 1] : NULL;
}

// what takes more than one word of ours to say; NULL: nothing is known of it
static const char *advice(const char *parent, const char *key) {
  static const char *const WORDS[][3] = {
      {"", "table", "a table is read where it is used, in an expression: table(\"file.csv\", t)"},
      {"", "lagrangian", "give the two energies: energy: {kinetic: ..., potential: ...}"},
      {"", "initial", "a start stands with its coordinate: coordinates: {x: {start: 1, rate: 2}}"},
      {"", "initial_conditions",
       "a start stands with its coordinate: coordinates: {x: {start: 1, rate: 2}}"},
      {"", "damping", "a damper is an energy's: energy: {dissipation: c/2*x'^2}"},
      {"", "mass", "masses stand in energy.kinetic, or with bodies: bodies: {NAME: {mass: 2}}"},
      {"", "masses", "masses stand in energy.kinetic, or with bodies: bodies: {NAME: {mass: 2}}"},
      {"", "friction",
       "friction is a contact's: contacts: {NAME: {gap: y, slip: x', friction: 0.4}}"},
      {"", "equations",
       "equations of motion follow from energies (energy: ...); a first-order equation stands with "
       "its state: states: {x: {start: 1, rate: -x}}"},
      {"run", "solver",
       "there is one integrator; rtol says how accurate it is, h_max how long a step"},
      {"run", "integrator",
       "there is one integrator; rtol says how accurate it is, h_max how long a step"},
      {"contacts.*.friction", "mu",
       "write friction: 0.4, or, with another coefficient in stick, {stick: 0.5, slip: 0.4}"},
      {"bodies.*", "shape", "the shape is the key: disc: 0.1 or box: [0.4, 0.2], sphere: 0.1"},
      {"bodies.*", "type", "the shape is the key: disc: 0.1 or box: [0.4, 0.2], sphere: 0.1"},
      {"bodies.*", "radius", "a round shape has its radius as value: disc: 0.1, sphere: 0.1"},
      {"bodies.*", "square", "a square of side 0.4 is box: [0.4, 0.4]"},
      {"bodies.*", "cube", "a cube of edge 0.4 is box: [0.4, 0.4, 0.4]"},
      {"bodies.*", "ellipse",
       "an ellipse is no shape here; in space there is ellipsoid: [a, b, c]"},
      {"joints.*", "type",
       "the kind of a joint is its key: hinge: [0, 1] or ball, slider, weld, spring"},
      {"joints.*", "rope",
       "a rope only pulls: it is a contact whose gap is its length less the distance of its ends"},
      {"shapes.[]", "text",
       "a text is the label of a shape: {circle: [x, y], radius: 1, label: A}"},
      {"", "drive", "what is driven stands in expressions, as a function of t; see forces, define"},
      {"contacts.*", "stiffness",
       "contacts are rigid; a spring that only pushes is an energy, like "
       "potential: k/2*min(gap, 0)^2 (or see 'carom run --compliant')"},
      {"contacts.*", "damping",
       "contacts are rigid: what they take is told by impact; a damper is energy.dissipation"},
      {"events.*", "stop", "what ends a run stands beside events: stop: {NAME: EXPRESSION}"},
      {"run", "stop", "what ends a run stands beside run: stop: {NAME: EXPRESSION}"},
      {"run", "stop_when", "what ends a run stands beside run: stop: {NAME: EXPRESSION}"},
      {"shapes.[]", "rectangle", "in the plane give its corners: polygon: [[x, y], ...]"}};
  int loose = 0;
  for (size_t k = 0; k < sizeof WORDS / sizeof *WORDS; k++)
    if (strcmp(key, WORDS[k][1]) == 0 &&
        (*parent ? matches_path(WORDS[k][0], parent, &loose) : !*WORDS[k][0]))
      return WORDS[k][2];
  // run {until: 3}
  return strchr(key, '{') ? "is a colon missing before the brace?" : NULL;
}

// {between: a, b}: a key without a value, on the line of the one before it
static bool is_after_comma(const carom_yaml *map, int k) {
  return is_empty(map->values[k]) && k > 0 &&
         map->key_places[k].line == map->key_places[k - 1].line;
}

static carom_status fail_comma(walk *w, const char *key, carom_place place) {
  return carom_fail_at(w->error, CAROM_ERR_INPUT, place,
                       "'%.80s' is taken for a key: inside { } a comma ends a value; write a list "
                       "in brackets, an expression in quotes or on a line of its own",
                       key);
}

static carom_status fail_unknown(walk *w, const carom_yaml *map, int k) {
  if (is_after_comma(map, k)) return fail_comma(w, map->keys[k], map->key_places[k]);
  const char *parent = w->path, *key = map->keys[k], *above = empty_above(map, k);
  carom_place place = map->key_places[k];
  const char *names[MOST_NAMES];
  int count = carom_schema_names(w->arena, w->engine, parent, names, MOST_NAMES);
  const char *nearest = own_word(key, names, count);
  if (!nearest) nearest = carom_nearest_name(key, names, count);
  const char *where = *parent ? parent : "the scenario";
  const char *told = advice(parent, strcmp(key, "tables") == 0 ? "table" : key);
  if (told)
    return carom_fail_at(w->error, CAROM_ERR_INPUT, place, "unknown key '%.80s' in %s; %s", key,
                         where, told);
  if (nearest)
    return carom_fail_at(w->error, CAROM_ERR_INPUT, place,
                         "unknown key '%.80s' in %s; did you mean '%s'?", key, where, nearest);
  if (above)
    return carom_fail_at(
        w->error, CAROM_ERR_INPUT, place,
        "unknown key '%.80s' in %s; if it belongs to '%.80s' above, which is empty, "
        "indent it further than that",
        key, where, above);
  const char *elsewhere = other_place(w->engine, key);
  if (elsewhere && strchr(elsewhere, '*'))
    return carom_fail_at(w->error, CAROM_ERR_INPUT, place, "unknown key '%.80s' in %s; there is %s",
                         key, where, elsewhere);
  if (elsewhere)
    return carom_fail_at(w->error, CAROM_ERR_INPUT, place,
                         "unknown key '%.80s' in %s; it belongs below '%.*s', indented further",
                         key, where, (int)(strrchr(elsewhere, '.') - elsewhere), elsewhere);
  char known[512];
  list_names(names, count, known, sizeof known);
  return carom_fail_at(w->error, CAROM_ERR_INPUT, place, "unknown key '%.80s' in %s; known are %s",
                       key, where, known);
}

static const char *kind_name(const carom_yaml *value) {
  if (value->kind == CAROM_YAML_LIST) return "a list";
  if (value->kind == CAROM_YAML_MAP) return "a map";
  return value->text[0] || value->quoted ? "a single value" : "nothing";
}

// "a number or a map", in the words of the language
static void describe_types(unsigned types, char *text, size_t size) {
  static const struct {
    unsigned type;
    const char *words;
  } all[] = {{CAROM_SCHEMA_EXPRESSION, "an expression"},
             {CAROM_SCHEMA_NUMBER, "a number"},
             {CAROM_SCHEMA_TEXT, "a text"},
             {CAROM_SCHEMA_CHOICE, "a word"},
             {CAROM_SCHEMA_MAP, "a map of keys"},
             {CAROM_SCHEMA_LIST, "a list"}};
  const char *words[6];
  int count = 0;
  for (size_t k = 0; k < sizeof all / sizeof *all; k++)
    if (types & all[k].type) words[count++] = all[k].words;
  list_names(words, count, text, size);
}

// "; its keys are rate, torque or force" of a map that can have few
static const char *keys_below(const walk *w) {
  const char *names[MOST_NAMES];
  int count = carom_schema_names(w->arena, w->engine, w->path, names, MOST_NAMES);
  char text[128], told[192];
  enum { FEW = 4 };
  if (count == 0) return "; each entry has a name, NAME: ...";
  list_names(names, count < FEW ? count : FEW, text, sizeof text);
  (void)snprintf(told, sizeof told, count > FEW ? "; it has keys such as %s" : "; its keys are %s",
                 text);
  const char *kept = carom_arena_text(w->arena, told, strlen(told));
  return kept ? kept : "";
}

// [0, 1] for a start and a rate
static bool are_numbers(const carom_yaml *list) {
  for (int k = 0; k < list->count; k++)
    if (list->values[k]->kind != CAROM_YAML_SCALAR) return false;
  return list->count > 0;
}

// what was probably meant by a value of another kind; "": no guess
static const char *guess_kind(const walk *w, const carom_schema_key *key, const carom_yaml *value) {
  bool list = value->kind == CAROM_YAML_LIST, single = value->kind == CAROM_YAML_SCALAR;
  bool map = key->types & CAROM_SCHEMA_MAP;
  // {g: 9,81} has a key 81 without a value
  const char *last = strrchr(w->path, '.');
  if (single && !value->text[0] && last && strspn(last + 1, "0123456789") == strlen(last + 1))
    return "; decimals stand behind a point, 9.81, not behind a comma";
  // "- 1*q" on a line of its own
  bool one = list && value->count == 1 && value->values[0]->kind == CAROM_YAML_SCALAR &&
             key->types & CAROM_SCHEMA_EXPRESSION && !(key->types & CAROM_SCHEMA_LIST);
  if (one && value->place.column + 1 == value->values[0]->place.column)
    return "; write it without brackets";
  if (one && value->place.column < value->values[0]->place.column)
    return "; a minus sign with a blank behind it begins a list in YAML: write -x without the "
           "blank, or in quotes";
  if (list && map && are_numbers(value) && strncmp(w->path, "coordinates.", 12) == 0)
    return "; start and rate are written {start: 0, rate: 1}";
  if (list && map) return "; each entry has a name, NAME: ..., and no dash before it";
  if (single && map && strcmp(value->text, "stop") == 0)
    return "; what ends a run stands beside events, stop: {NAME: EXPRESSION}";
  if (single && map && strchr(value->text, ' ')) return "; is the colon behind a key missing?";
  if (value->kind == CAROM_YAML_MAP && key->types == CAROM_SCHEMA_LIST)
    return "; each entry begins with a dash and has no name: - {...}";
  if (single && key->types == CAROM_SCHEMA_LIST)
    return "; write the numbers in brackets, with commas";
  return single && key->types == CAROM_SCHEMA_MAP ? keys_below(w) : "";
}

static carom_status fail_kind(walk *w, const carom_schema_key *key, const carom_yaml *value) {
  char expected[128];
  describe_types(key->types, expected, sizeof expected);
  return carom_fail_at(w->error, CAROM_ERR_INPUT, value->place, "%s: %s expected, found %s%s",
                       w->path, expected, kind_name(value), guess_kind(w, key, value));
}

static bool is_choice(const char *choices, const char *word) {
  size_t length = strlen(word);
  for (const char *p = choices; *p;) {
    size_t n = strcspn(p, "|");
    if (n == length && memcmp(p, word, n) == 0) return true;
    p += n;
    if (*p) p++;
  }
  return false;
}

// true and false, as other languages have them; NULL: neither
static const char *as_yes_or_no(const char *choices, const char *word) {
  static const char *const WORDS[][2] = {{"true", "yes"}, {"True", "yes"}, {"on", "yes"},
                                         {"false", "no"}, {"False", "no"}, {"off", "no"}};
  for (size_t k = 0; k < sizeof WORDS / sizeof *WORDS; k++)
    if (strcmp(word, WORDS[k][0]) == 0 && is_choice(choices, WORDS[k][1])) return WORDS[k][1];
  return NULL;
}

static carom_status check_choice(walk *w, const carom_schema_key *key, const carom_yaml *value) {
  if (is_choice(key->choices, value->text)) return CAROM_OK;
  const char *names[MOST_NAMES];
  int count = 0;
  for (const char *p = key->choices; *p && count < MOST_NAMES;) {
    size_t n = strcspn(p, "|");
    if (!(names[count++] = carom_arena_text(w->arena, p, n))) return carom_fail_memory(w->error);
    p += n;
    if (*p) p++;
  }
  char known[256];
  list_names(names, count, known, sizeof known);
  const char *nearest = as_yes_or_no(key->choices, value->text);
  if (!nearest) nearest = carom_nearest_name(value->text, names, count);
  if (nearest)
    return carom_fail_at(w->error, CAROM_ERR_INPUT, value->place,
                         "%s: '%.80s' is none of %s; did you mean '%s'?", w->path, value->text,
                         known, nearest);
  return carom_fail_at(w->error, CAROM_ERR_INPUT, value->place, "%s: '%.80s' is none of %s",
                       w->path, value->text, known);
}

static carom_status check_scalar(walk *w, const carom_schema_key *key, const carom_yaml *value) {
  unsigned words = CAROM_SCHEMA_EXPRESSION | CAROM_SCHEMA_NUMBER | CAROM_SCHEMA_TEXT;
  bool empty = !value->text[0] && !value->quoted;
  // a section whose entries are all commented out is an empty section
  if (empty && (key->types & (CAROM_SCHEMA_MAP | CAROM_SCHEMA_LIST)) && !(key->types & words))
    return CAROM_OK;
  if (empty) return fail_kind(w, key, value);
  if (key->types & words) return CAROM_OK;
  if (key->types & CAROM_SCHEMA_CHOICE) return check_choice(w, key, value);
  return fail_kind(w, key, value);
}

static carom_status check_value(walk *w, const carom_yaml *value);

static bool push_name(walk *w, const char *name) {
  size_t used = strlen(w->path);
  int more = snprintf(w->path + used, sizeof w->path - used, "%s%s", used ? "." : "", name);
  return more >= 0 && used + (size_t)more < sizeof w->path;
}

static carom_status check_required(walk *w, const carom_yaml *map) {
  for (int t = 0; t < TABLE_COUNT; t++) {
    if (!serves_engine(tables[t], w->engine)) continue;
    for (int k = 0; k < tables[t]->count; k++) {
      const carom_schema_key *key = &tables[t]->keys[k];
      if (!key->required) continue;
      const char *name = child_name(key, w->path);
      if (name && !carom_yaml_get(map, name))
        return carom_fail_at(w->error, CAROM_ERR_INPUT, map->place, "%s needs the key '%s': %s",
                             *w->path ? w->path : "the scenario", name, key->meaning);
    }
  }
  return CAROM_OK;
}

// keys that can only be an accident, said in words that help
static carom_status check_key(walk *w, const carom_yaml *map, int k) {
  const char *key = map->keys[k];
  int open = 0;
  for (const char *c = key; *c && open >= 0; c++)
    open += (*c == '(') - (*c == ')');
  bool dot = strchr(key, '.');
  // {r = x^2}
  if (strchr(key, '=') && !strchr(key, '[') && is_empty(map->values[k]))
    return carom_fail_at(w->error, CAROM_ERR_INPUT, map->key_places[k],
                         "'%.80s' is taken for a key: NAME: EXPRESSION has a colon and a blank",
                         key);
  if (open != 0 || (dot && is_after_comma(map, k))) return fail_comma(w, key, map->key_places[k]);
  // a dot in a name would make two paths look the same
  if (dot)
    return carom_fail_at(w->error, CAROM_ERR_INPUT, map->key_places[k],
                         "the key '%.80s' cannot contain a dot", key);
  return CAROM_OK;
}

static carom_status check_map(walk *w, const carom_yaml *map) {
  size_t used = strlen(w->path);
  carom_status status = CAROM_OK;
  // all keys before any value: {a: min(if(x > 0, y, 1))} has a key 'y' without a value before '1))'
  for (int k = 0; k < map->count && !status; k++)
    status = check_key(w, map, k);
  for (int k = 0; k < map->count && !status; k++) {
    bool fits = push_name(w, map->keys[k]);
    const carom_schema_key *key = fits ? carom_schema_find(w->engine, w->path) : NULL;
    if (key) status = check_value(w, map->values[k]);
    w->path[used] = 0;
    if (!key) return fail_unknown(w, map, k);
  }
  return status ? status : check_required(w, map);
}

static carom_status check_list(walk *w, const carom_yaml *list) {
  size_t used = strlen(w->path);
  for (int k = 0; k < list->count; k++) {
    char number[16];
    (void)snprintf(number, sizeof number, "%d", k);
    if (!push_name(w, number)) return CAROM_OK;
    carom_status status = check_value(w, list->values[k]);
    w->path[used] = 0;
    if (status) return status;
  }
  return CAROM_OK;
}

static carom_status check_value(walk *w, const carom_yaml *value) {
  const carom_schema_key *key = carom_schema_find(w->engine, w->path);
  // items of a list that the table does not describe: the list itself is checked by its reader
  if (!key) return CAROM_OK;
  if (value->kind == CAROM_YAML_SCALAR) return check_scalar(w, key, value);
  bool map = value->kind == CAROM_YAML_MAP;
  if (!(key->types & (map ? CAROM_SCHEMA_MAP : CAROM_SCHEMA_LIST))) return fail_kind(w, key, value);
  return map ? check_map(w, value) : check_list(w, value);
}

carom_status carom_schema_check(carom_arena *arena, const char *engine, const carom_yaml *root,
                                carom_error *error) {
  walk w = {.arena = arena, .engine = engine, .error = error};
  return check_map(&w, root);
}
