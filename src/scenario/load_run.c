// SPDX-License-Identifier: MIT
// How long to run and what to watch: run, measure, events, sections, stop.
#include "scenario/load.h"

#include <string.h>

static carom_status load_number(carom_loader *loader, const carom_yaml *map, const char *section,
                                const char *key, carom_node *node) {
  const carom_yaml *value = carom_loader_get(map, key);
  if (!value) return CAROM_OK;
  const carom_rules rules = {.kinds = CAROM_KINDS_FIXED,
                             .what = carom_loader_path(loader, "%s.%s", section, key)};
  return carom_load_expression(loader, value, &rules, node);
}

// a word (ratio, accumulation), or one rule with its value: {speed: 1e-6}
static carom_status load_chatter(carom_loader *loader, const carom_yaml *run) {
  carom_run_settings *settings = &loader->scenario->run;
  const carom_yaml *chatter = carom_loader_get(run, "chatter");
  if (!chatter) return CAROM_OK;
  if (chatter->kind == CAROM_YAML_SCALAR) {
    settings->chatter = chatter->text;
    return CAROM_OK;
  }
  if (chatter->count != 1)
    return carom_fail_at(loader->error, CAROM_ERR_INPUT, chatter->place,
                         "run.chatter takes one rule, like {speed: 1e-6}; found %d",
                         chatter->count);
  settings->chatter = chatter->keys[0];
  return load_number(loader, chatter, "run.chatter", chatter->keys[0], &settings->chatter_value);
}

static const char *text_of(const carom_yaml *map, const char *key) {
  const carom_yaml *value = carom_loader_get(map, key);
  return value ? value->text : NULL;
}

static carom_status load_measure(carom_loader *loader) {
  carom_scenario *s = loader->scenario;
  const carom_yaml *measure = carom_yaml_get(loader->document->root, "measure");
  const carom_yaml *after = carom_loader_get(measure, "after");
  const carom_yaml *over = carom_loader_get(measure, "over");
  s->measure.after = (carom_quantity){"measure.after", 0, {0}};
  s->measure.over = (carom_quantity){"measure.over", 0, {0}};
  if (after) s->measure.after.place = after->place;
  if (over) s->measure.over.place = over->place;
  carom_status status = load_number(loader, measure, "measure", "after", &s->measure.after.node);
  return status ? status : load_number(loader, measure, "measure", "over", &s->measure.over.node);
}

carom_status carom_load_run(carom_loader *loader) {
  const carom_yaml *run = carom_yaml_get(loader->document->root, "run");
  carom_run_settings *s = &loader->scenario->run;
  const struct {
    const char *key;
    carom_node *node;
  } numbers[] = {{"until", &s->until},
                 {"start", &s->start},
                 {"sample", &s->sample},
                 {"rtol", &s->rtol},
                 {"atol", &s->atol},
                 {"h_max", &s->h_max},
                 {"period", &s->period},
                 {"event_tolerance", &s->event_tolerance},
                 {"max_events", &s->max_events},
                 {"compliant", &s->compliant}};
  // a section that is there but empty passed the table of keys as an empty map
  if (!carom_loader_get(run, "until"))
    return carom_fail_at(loader->error, CAROM_ERR_INPUT, run->place,
                         "run needs the key 'until': the time at which the run ends");
  for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
    carom_status status = load_number(loader, run, "run", numbers[k].key, numbers[k].node);
    if (status) return status;
  }
  s->hold = text_of(run, "hold");
  s->detect = text_of(run, "detect");
  s->assemble = text_of(run, "assemble");
  s->method = text_of(run, "method");
  static const char *const stepping[] = {"step", "residual", "sweeps", "sleep"};
  bool steps =
      loader->scenario->described.stepping || strcmp(loader->scenario->engine, "grains") == 0;
  for (size_t k = 0; !steps && k < sizeof stepping / sizeof *stepping; k++) {
    const carom_yaml *value = carom_loader_get(run, stepping[k]);
    if (value)
      return carom_fail_at(loader->error, CAROM_ERR_INPUT, value->place,
                           "run.%s is for run.method: stepping", stepping[k]);
  }
  carom_status status = load_chatter(loader, run);
  return status ? status : load_measure(loader);
}

// ---- events, sections, stop

// a > b becomes a - b rising, a < b becomes b - a rising, a == b is a - b either way
static carom_status make_trigger(carom_loader *loader, const carom_yaml *scalar, const char *what,
                                 carom_node node, carom_trigger *trigger) {
  carom_graph *graph = loader->graph;
  carom_node a = carom_node_operand(graph, node, 0), b = carom_node_operand(graph, node, 1);
  carom_op op = carom_node_op(graph, node);
  trigger->direction = 1;
  trigger->strict = op == CAROM_OP_GT || op == CAROM_OP_LT;
  trigger->comparison = trigger->strict || op == CAROM_OP_GE || op == CAROM_OP_LE;
  switch (op) {
  case CAROM_OP_GT:
  case CAROM_OP_GE: node = carom_sub(graph, a, b); break;
  case CAROM_OP_LT:
  case CAROM_OP_LE: node = carom_sub(graph, b, a); break;
  case CAROM_OP_EQ:
    node = carom_sub(graph, a, b);
    trigger->direction = 0;
    break;
  case CAROM_OP_AND:
  case CAROM_OP_OR:
  case CAROM_OP_NOT:
  case CAROM_OP_NE:
    return carom_fail_at(loader->error, CAROM_ERR_INPUT, carom_yaml_place(scalar, 0),
                         "%s must be one crossing: an expression or one comparison; further "
                         "conditions go to 'if'",
                         what);
  default: trigger->direction = 0;
  }
  if (!node) return carom_loader_graph_failed(loader, scalar->place);
  if (!carom_node_depends_kind(graph, node, CAROM_KINDS_SEEN & ~CAROM_KINDS_FIXED))
    return carom_fail_at(loader->error, CAROM_ERR_INPUT, carom_yaml_place(scalar, 0),
                         "%s never changes, so it never crosses zero", what);
  trigger->when = (carom_quantity){what, node, scalar->place};
  return CAROM_OK;
}

typedef struct rule_section {
  const char *key;   // "events"
  unsigned kinds;    // what its expressions may depend on
  const char *words; // "an event"
} rule_section;

static void set_direction(const carom_yaml *map, carom_trigger *trigger) {
  const char *direction = text_of(map, "direction");
  if (!direction) return;
  trigger->direction = direction[0] == 'r' ? 1 : direction[0] == 'f' ? -1 : 0;
}

static carom_status load_rule(carom_loader *loader, const rule_section *section,
                              const carom_yaml *value, carom_event_rule *rule) {
  bool whole = value->kind == CAROM_YAML_MAP;
  const carom_yaml *when = whole ? carom_loader_get(value, "when") : value;
  const carom_yaml *condition = whole ? carom_loader_get(value, "if") : NULL;
  carom_rules rules = {.what = carom_loader_path(loader, "%s.%s.when", section->key, rule->name),
                       .kinds = section->kinds & ~CAROM_KIND(STATE_RATE),
                       .hint = "accelerations may be used in sections and in observe"};
  if (!when || when->kind != CAROM_YAML_SCALAR || !when->text[0])
    return carom_fail_at(loader->error, CAROM_ERR_INPUT, rule->place, "%s.%s needs the key 'when'",
                         section->key, rule->name);
  carom_node node = 0;
  bool equation = false;
  carom_status status = carom_load_equation(loader, when, &rules, &node, &equation);
  if (!status) status = make_trigger(loader, when, rules.what, node, &rule->trigger);
  if (status) return status;
  if (whole) set_direction(value, &rule->trigger);
  rules.what = carom_loader_path(loader, "%s.%s.if", section->key, rule->name);
  return condition ? carom_load_expression(loader, condition, &rules, &rule->condition) : CAROM_OK;
}

// contacts, sections, events and stops are counted by name, so a name belongs to one of them
static carom_status check_unique(carom_loader *loader, const rule_section *section,
                                 const carom_event_rule *rule) {
  static const char *const sections[] = {"contacts", "events", "sections", "stop"};
  for (size_t k = 0; k < sizeof sections / sizeof *sections; k++) {
    const carom_yaml *map = carom_yaml_get(loader->document->root, sections[k]);
    int twin = carom_yaml_find(map, rule->name);
    if (strcmp(sections[k], section->key) == 0) return CAROM_OK;
    if (twin >= 0)
      return carom_fail_at(loader->error, CAROM_ERR_INPUT, rule->place,
                           "the name '%s' is taken: %s.%s stands in line %d", rule->name,
                           sections[k], rule->name, map->key_places[twin].line);
  }
  return CAROM_OK;
}

static carom_status load_rule_section(carom_loader *loader, const rule_section *section,
                                      carom_event_rule **rules, int *count) {
  const carom_yaml *map = carom_loader_get(loader->document->root, section->key);
  // stop may be a single crossing
  bool single = map && map->kind == CAROM_YAML_SCALAR;
  carom_status status = CAROM_OK;
  if (single) {
    *rules = carom_arena_take(loader->arena, sizeof **rules);
    if (!*rules) return carom_fail_memory(loader->error);
    **rules = (carom_event_rule){.name = "stop", .place = map->place};
    *count = 1;
    return load_rule(loader, section, map, *rules);
  }
  status = carom_loader_room(loader, map, CAROM_SCENARIO_MAX_COORDINATES, section->key,
                             sizeof **rules, (void **)rules);
  for (int k = 0; !status && map && k < map->count; k++) {
    carom_event_rule *rule = &(*rules)[k];
    rule->name = map->keys[k];
    rule->place = map->key_places[k];
    status = carom_loader_check_name(loader, rule->name, rule->place, section->words);
    if (!status) status = check_unique(loader, section, rule);
    if (!status) status = load_rule(loader, section, map->values[k], rule);
    *count = k + 1;
  }
  return status;
}

// ---- what an event does

// the symbol that `x`, `x'` or `z` names; 0 when it cannot be assigned
static carom_node assignable_symbol(const carom_loader *loader, const char *key) {
  size_t length = strlen(key);
  bool rate = length > 1 && key[length - 1] == '\'';
  for (int k = 0; k < carom_scenario_rates(loader->scenario); k++) {
    const carom_coordinate *q = &loader->scenario->coordinates[k];
    if (!q->symbol && strcmp(q->name, key) == 0) return q->rate;
    if (q->symbol && strlen(q->name) == length - rate && strncmp(q->name, key, length - rate) == 0)
      return rate ? q->rate : q->symbol;
  }
  for (int k = 0; !rate && k < loader->scenario->state_count; k++)
    if (strcmp(loader->scenario->states[k].name, key) == 0)
      return loader->scenario->states[k].symbol;
  return 0;
}

// vy and dy for y'; NULL: something else
static const char *rate_meant(carom_loader *loader, const char *key) {
  const carom_scenario *s = loader->scenario;
  for (int k = 0; (*key == 'v' || *key == 'd') && k < carom_scenario_rates(s); k++)
    if (s->coordinates[k].symbol && strcmp(s->coordinates[k].name, key + 1) == 0)
      return carom_loader_path(loader, "%s'", key + 1);
  return NULL;
}

static carom_status fail_not_assignable(carom_loader *loader, const char *key, const char *event,
                                        carom_place place) {
  const carom_scenario *s = loader->scenario;
  size_t room = (size_t)(2 * carom_scenario_rates(s) + s->state_count);
  const char **names = carom_arena_array(loader->arena, room, sizeof *names);
  if (!names) return carom_fail_memory(loader->error);
  int count = 0;
  for (int k = 0; k < carom_scenario_rates(s); k++) {
    names[count++] = s->coordinates[k].name;
    if (s->coordinates[k].symbol)
      names[count++] = carom_loader_path(loader, "%s'", s->coordinates[k].name);
  }
  for (int k = 0; k < s->state_count; k++)
    names[count++] = s->states[k].name;
  const char *nearest = rate_meant(loader, key);
  if (!nearest) nearest = carom_nearest_name(key, names, count);
  return carom_fail_at(
      loader->error, CAROM_ERR_INPUT, place,
      "events.%s.do can change coordinates, rates (x'), speeds and states; '%.80s' is "
      "none of them%s%s%s",
      event, key, nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

static carom_status load_assignments(carom_loader *loader, const carom_yaml *map,
                                     carom_event_rule *rule) {
  const carom_yaml *actions = carom_loader_get(map, "do");
  if (!actions || actions->count == 0)
    return carom_fail_at(loader->error, CAROM_ERR_INPUT, rule->place,
                         "events.%s does nothing: give it do: {x': ...}, or make it a section",
                         rule->name);
  carom_status status = carom_loader_room(loader, actions, CAROM_SCENARIO_MAX_NAMES, "do",
                                          sizeof *rule->assignments, (void **)&rule->assignments);
  for (int k = 0; !status && k < actions->count; k++) {
    const char *key = actions->keys[k];
    carom_assignment *a = &rule->assignments[k];
    a->symbol = assignable_symbol(loader, key);
    a->place = actions->values[k]->place;
    if (!a->symbol) return fail_not_assignable(loader, key, rule->name, actions->key_places[k]);
    const carom_rules rules = {.what =
                                   carom_loader_path(loader, "events.%s.do.%s", rule->name, key),
                               .kinds = CAROM_KINDS_MOTION & ~CAROM_KIND(STATE_RATE)};
    status = carom_load_expression(loader, actions->values[k], &rules, &a->value);
    rule->assignment_count = k + 1;
  }
  return status;
}

carom_status carom_load_rules(carom_loader *loader) {
  carom_scenario *s = loader->scenario;
  static const rule_section events = {"events", CAROM_KINDS_MOTION, "an event"};
  static const rule_section sections = {"sections", CAROM_KINDS_SEEN, "a section"};
  static const rule_section stop = {"stop", CAROM_KINDS_MOTION, "a stop"};
  carom_status status = load_rule_section(loader, &events, &s->rules.events, &s->rules.event_count);
  const carom_yaml *map = carom_yaml_get(loader->document->root, "events");
  for (int k = 0; !status && k < s->rules.event_count; k++)
    status = load_assignments(loader, map->values[k], &s->rules.events[k]);
  if (!status)
    status = load_rule_section(loader, &sections, &s->rules.sections, &s->rules.section_count);
  if (!status) status = load_rule_section(loader, &stop, &s->rules.stops, &s->rules.stop_count);
  return status;
}
