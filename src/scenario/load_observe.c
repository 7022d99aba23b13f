// SPDX-License-Identifier: MIT
// What a run is asked for: observables with their reducers, and names for motions.
#include "scenario/load.h"

#include <string.h>

enum { MOST_REDUCERS = 5000, LONGEST_LABEL = 60 };

typedef struct reducer_word {
  const char *name;
  carom_reduction kind;
  int arguments;
  const char *form, *help, *example;
} reducer_word;

static const reducer_word words[] = {
    {"mean", CAROM_REDUCE_MEAN, 1, "mean(x)", "mean over the run (observe)", "mean(x'^2)"},
    {"max", CAROM_REDUCE_MAX, 1, "max(x)", "largest value of the run (observe)", "max(abs(x))"},
    {"min", CAROM_REDUCE_MIN, 1, "min(x)", "smallest value of the run (observe)", "min(y)"},
    {"mean_rate", CAROM_REDUCE_MEAN_RATE, 1, "mean_rate(x)",
     "how fast a quantity grew over the run (observe)", "mean_rate(x)"},
    {"last", CAROM_REDUCE_LAST, 1, "last(x)", "value at the end of the run (observe)", "last(x)"},
    {"count", CAROM_REDUCE_COUNT, 1, "count(name)",
     "how often a section was crossed, a contact struck, an event happened (observe)",
     "count(floor)"},
    {"at", CAROM_REDUCE_AT, 2, "at(name, x)",
     "value where a section was crossed last, or before the last impact or event (observe)",
     "at(floor, y')"},
};

bool carom_reducer_read(int k, carom_expression_function *read) {
  if (k < 0 || k >= (int)(sizeof words / sizeof *words)) return false;
  const reducer_word *w = &words[k];
  *read = (carom_expression_function){w->name, w->form + strlen(w->name), w->help, w->example};
  return true;
}

static const reducer_word *find_word(const char *name) {
  for (size_t k = 0; k < sizeof words / sizeof *words; k++)
    if (strcmp(words[k].name, name) == 0) return &words[k];
  return NULL;
}

// ---- what count and at refer to

static int collect_rules(const carom_event_rule *rules, int count, const char **names) {
  for (int k = 0; k < count; k++)
    names[k] = rules[k].name;
  return count;
}

// the names that a reducer may refer to
static int collect_targets(const carom_scenario *s, const char **names) {
  int count = collect_rules(s->rules.sections, s->rules.section_count, names);
  count += collect_rules(s->rules.events, s->rules.event_count, names + count);
  count += collect_rules(s->rules.stops, s->rules.stop_count, names + count);
  for (int k = 0; k < s->contact_count; k++)
    names[count++] = s->contacts[k].name;
  return count;
}

static const char *find_target(carom_loader *loader, const reducer_word *word, const char *name,
                               carom_place place, carom_error *error) {
  const carom_scenario *s = loader->scenario;
  int room = s->rules.section_count + s->rules.event_count + s->rules.stop_count + s->contact_count;
  const char **names = carom_arena_array(loader->arena, (size_t)room, sizeof *names);
  if (!names) {
    carom_fail_memory(error);
    return NULL;
  }
  int count = collect_targets(s, names);
  for (int k = 0; k < count; k++)
    if (strcmp(names[k], name) == 0) return names[k];
  const char *nearest = carom_nearest_name(name, names, count);
  carom_fail_at(error, CAROM_ERR_INPUT, place,
                "there is no section, event, stop or contact '%.80s' for %s%s%s%s", name,
                word->form, nearest ? "; did you mean '" : "", nearest ? nearest : "",
                nearest ? "'?" : "");
  return NULL;
}

// ---- reducers

static carom_node find_reducer(const carom_scenario *s, const carom_reducer *wanted) {
  for (int k = 0; k < s->measure.reducer_count; k++) {
    const carom_reducer *r = &s->measure.reducers[k];
    bool same_target = r->target == wanted->target ||
                       (r->target && wanted->target && strcmp(r->target, wanted->target) == 0);
    if (r->kind == wanted->kind && r->value == wanted->value && same_target) return r->symbol;
  }
  return 0;
}

static carom_node add_reducer(carom_loader *loader, const reducer_word *word, carom_reducer reducer,
                              const char *argument, carom_error *error) {
  carom_scenario *s = loader->scenario;
  carom_node symbol = find_reducer(s, &reducer);
  if (symbol) return symbol;
  if (s->measure.reducer_count >= MOST_REDUCERS) {
    carom_fail_at(error, CAROM_ERR_LIMIT, reducer.place, "more than %d reducers", MOST_REDUCERS);
    loader->placed = true;
    return 0;
  }
  // printed as it was written, or by number where that is too long
  const char *at = reducer.target && reducer.value ? reducer.target : "";
  const char *label =
      strlen(argument) <= LONGEST_LABEL
          ? carom_loader_path(loader, "%s(%s%s%s)", word->name, at, *at ? ", " : "", argument)
          : carom_loader_path(loader, "%s#%d", word->name, s->measure.reducer_count);
  reducer.symbol = carom_node_symbol(loader->graph, label, CAROM_SYMBOL_REDUCER);
  if (!reducer.symbol ||
      !carom_arena_grow(loader->arena, (void **)&s->measure.reducers, s->measure.reducer_count,
                        &loader->reducer_capacity, sizeof *s->measure.reducers)) {
    carom_fail_memory(error);
    return 0;
  }
  s->measure.reducers[s->measure.reducer_count++] = reducer;
  return reducer.symbol;
}

static carom_node read_reduced(carom_loader *loader, const char *text, carom_place place,
                               const reducer_word *word, carom_error *error) {
  // what is reduced may use everything that moves, also where the result may not
  const carom_rules *outer = loader->rules;
  carom_rules inner = *outer;
  inner.kinds = CAROM_KINDS_SEEN | CAROM_KIND(REDUCER);
  inner.forces = true;
  loader->rules = &inner;
  carom_node value = carom_load_argument(loader, text, place, error);
  loader->rules = outer;
  if (value && carom_node_depends_kind(loader->graph, value, CAROM_KIND(REDUCER))) {
    carom_fail_at(error, CAROM_ERR_INPUT, place,
                  "what %s takes must change during the run; this is known only after it",
                  word->form);
    return 0;
  }
  return value ? carom_loader_replace_rates(loader, value, 0) : 0;
}

carom_node carom_load_reducer(carom_loader *loader, const char *name, int count,
                              const char *const *arguments, const carom_place *places,
                              carom_place place, carom_error *error) {
  const reducer_word *word = find_word(name);
  if (!word) return 0;
  if (!loader->rules->reducers) {
    carom_fail_at(error, CAROM_ERR_INPUT, place,
                  "%s is a reducer over the run; reducers stand in observe and regimes, not in %s",
                  word->form, loader->rules->what);
    return 0;
  }
  if (count != word->arguments) {
    carom_fail_at(error, CAROM_ERR_INPUT, place, "%s takes %d argument%s, %d given", word->form,
                  word->arguments, word->arguments == 1 ? "" : "s", count);
    return 0;
  }
  carom_reducer reducer = {.kind = word->kind, .place = carom_loader_place(loader, place)};
  if (word->kind == CAROM_REDUCE_COUNT || word->kind == CAROM_REDUCE_AT) {
    reducer.target = find_target(loader, word, arguments[0], places[0], error);
    if (!reducer.target) return 0;
  }
  int last = count - 1;
  if (word->kind != CAROM_REDUCE_COUNT) {
    reducer.value = read_reduced(loader, arguments[last], places[last], word, error);
    if (!reducer.value) return 0;
  }
  return add_reducer(loader, word, reducer, arguments[last], error);
}

// ---- observables and regimes

// one number cannot be made of a course in time and of results of the run
static carom_status check_observables(carom_loader *loader) {
  const carom_scenario *s = loader->scenario;
  unsigned course = (CAROM_KINDS_SEEN & ~CAROM_KINDS_FIXED) | CAROM_KIND(OTHER);
  for (int k = 0; k < s->measure.observable_count; k++) {
    const carom_quantity *o = &s->measure.observables[k];
    if (carom_node_depends_kind(loader->graph, o->node, CAROM_KIND(REDUCER)) &&
        carom_node_depends_kind(loader->graph, o->node, course))
      return carom_fail_at(loader->error, CAROM_ERR_INPUT, o->place,
                           "observe.%s mixes what changes during the run with results known after "
                           "it; put the changing part into a reducer, like last(x)",
                           o->name);
  }
  return CAROM_OK;
}

static carom_status load_regime(carom_loader *loader, carom_regime *regime,
                                const carom_yaml *value) {
  bool whole = value->kind == CAROM_YAML_MAP;
  const carom_yaml *when = whole ? carom_loader_get(value, "when") : value;
  const carom_yaml *word = whole ? carom_loader_get(value, "word") : NULL;
  regime->word = word ? word->text : NULL;
  if (!when && !word)
    return carom_fail_at(loader->error, CAROM_ERR_INPUT, regime->place,
                         "regimes.%s needs a word, a condition, or both", regime->name);
  if (!when) return CAROM_OK;
  const carom_rules rules = {.kinds = CAROM_KINDS_FIXED | CAROM_KIND(REDUCER),
                             .reducers = true,
                             .hint = "a motion is named after the run: use a reducer, like last(x)",
                             .what = carom_loader_path(loader, "regimes.%s", regime->name)};
  return carom_load_expression(loader, when, &rules, &regime->condition);
}

// The name comes to stand in tables, legends and on terminals: it begins with a letter or digit,
// never as a formula of a spreadsheet does (= + - @), and holds nothing that does not print.
static carom_status check_regime_name(carom_loader *loader, const carom_regime *regime) {
  const unsigned char *c = (const unsigned char *)regime->name;
  bool letter = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z');
  bool good = letter || (*c >= '0' && *c <= '9') || *c >= 0x80;
  for (; *c && good; c++)
    good = *c >= ' ' && *c != 0x7f && *c != '"';
  if (good) return CAROM_OK;
  return carom_fail_at(loader->error, CAROM_ERR_INPUT, regime->place,
                       "'%.80s' cannot be the name of a regime: it begins with a letter or digit "
                       "and has no quotes",
                       regime->name);
}

static carom_status load_regimes(carom_loader *loader) {
  carom_scenario *s = loader->scenario;
  const carom_yaml *map = carom_yaml_get(loader->document->root, "regimes");
  carom_status status = carom_loader_room(loader, map, CAROM_SCENARIO_MAX_NAMES, "regimes",
                                          sizeof *s->measure.regimes, (void **)&s->measure.regimes);
  for (int k = 0; !status && map && k < map->count; k++) {
    s->measure.regimes[k] = (carom_regime){.name = map->keys[k], .place = map->key_places[k]};
    status = check_regime_name(loader, &s->measure.regimes[k]);
    if (!status) status = load_regime(loader, &s->measure.regimes[k], map->values[k]);
    s->measure.regime_count = k + 1;
  }
  return status;
}

carom_status carom_load_observe(carom_loader *loader) {
  carom_status status = carom_load_definitions(loader, CAROM_BINDING_OBSERVABLE);
  if (!status) status = check_observables(loader);
  return status ? status : load_regimes(loader);
}
