// SPDX-License-Identifier: MIT
// Contacts: gap, slip, friction, impact law.
#include "scenario/load.h"
#include "symbolic/operation.h"

#include <string.h>

// the laws of a contact may depend on the motion and on the contact's own sliding speed
static carom_rules law_rules(carom_loader *loader, const carom_contact *contact, const char *key) {
  return (carom_rules){.what = carom_loader_path(loader, "contacts.%s.%s", contact->name, key),
                       .kinds = CAROM_KINDS_MOTION & ~CAROM_KIND(STATE_RATE),
                       .contact = contact};
}

static carom_status load_law(carom_loader *loader, const carom_contact *contact, const char *key,
                             const carom_yaml *value, carom_node *node) {
  const carom_rules rules = law_rules(loader, contact, key);
  return carom_load_expression(loader, value, &rules, node);
}

// A condition; a number is one where it is positive.
static carom_node condition_of(carom_graph *graph, carom_node node) {
  if (!node || carom_op_has(carom_node_op(graph, node), CAROM_TRUTH)) return node;
  return carom_node_make(graph, CAROM_OP_GT, node, carom_node_constant(graph, 0.0), 0);
}

carom_status carom_load_presence(carom_loader *loader, const carom_yaml *map, const char *what,
                                 carom_presence *presence) {
  const carom_yaml *when = carom_loader_get(map, "when"), *push = carom_loader_get(map, "appear");
  if (push && !when)
    return carom_fail_at(loader->error, CAROM_ERR_INPUT, push->place,
                         "%s.appear says what happens when it appears: it needs 'when'", what);
  if (!when) return CAROM_OK;
  // velocities jump in impacts: they could make it come and go while an impact is dealt with
  const carom_rules rules = {
      .kinds = CAROM_KINDS_POSITION,
      .hint = "where rates decide, an event may set a state that 'when' asks for",
      .what = carom_loader_path(loader, "%s.when", what)};
  carom_status status = carom_load_expression(loader, when, &rules, &presence->when);
  if (status) return status;
  presence->push = push && strcmp(push->text, "push") == 0;
  presence->when = condition_of(loader->graph, presence->when);
  return presence->when ? CAROM_OK : carom_loader_graph_failed(loader, when->place);
}

// the rate of a gap that depends on states must stay linear in the rates, or no force could hold it
static carom_status check_gap_rate(carom_loader *loader, const carom_contact *c) {
  carom_graph *graph = loader->graph;
  if (!carom_node_depends_kind(graph, c->gap.node, CAROM_KIND(STATE))) return CAROM_OK;
  const carom_scenario *s = loader->scenario;
  for (int k = 0; k < s->state_count; k++) {
    if (!carom_node_depends(graph, c->gap.node, s->states[k].symbol)) continue;
    if (!carom_loader_linear(loader, s->states[k].equation))
      return carom_fail_at(loader->error, CAROM_ERR_INPUT, c->gap.place,
                           "%s depends on the state %s, whose equation is not linear in the rates",
                           c->gap.name, s->states[k].name);
  }
  return CAROM_OK;
}

// A load that is written with forces of other contacts is a sum of their normal forces: it is there
// while one of them is, and cannot pull.
static carom_status check_carried(carom_loader *loader, carom_contact *c, const carom_yaml *load) {
  carom_graph *graph = loader->graph;
  carom_node left = c->load.node, zero = carom_node_constant(graph, 0.0);
  bool sum = true;
  double value;
  for (int k = 0; k < loader->scenario->contact_count; k++) {
    const carom_contact *other = &loader->scenario->contacts[k];
    if (!carom_node_depends(graph, left, other->normal_force)) continue;
    carom_node slope = carom_node_derivative(graph, left, other->normal_force);
    sum = sum && !other->load.node && carom_node_is_constant(graph, slope, &value) && value == 1.0;
    left = carom_node_substitute(graph, left, 1, &other->normal_force, &zero);
    c->carried = true;
  }
  if (!left) return carom_loader_graph_failed(loader, load->place);
  bool force = carom_node_depends_kind(graph, left, CAROM_KIND(OTHER));
  bool nothing = carom_node_is_constant(graph, left, &value) && value == 0.0;
  if (!force && (!c->carried || (sum && nothing))) return CAROM_OK;
  return carom_fail_at(loader->error, CAROM_ERR_INPUT, load->place,
                       "contacts.%s.normal: of forces a load can be the normal force of a contact "
                       "with a gap, or the sum of several, like left.normal + right.normal; "
                       "factors belong to friction",
                       c->name);
}

// Where the normal force is given there is no gap, nor anything that could strike.
static carom_status load_normal(carom_loader *loader, carom_contact *c, const carom_yaml *map,
                                const carom_yaml *load) {
  static const char *const others[] = {"gap", "impact", "tangential"};
  const carom_yaml *when = carom_loader_get(map, "when");
  for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
    const carom_yaml *other = carom_loader_get(map, others[k]);
    if (other)
      return carom_fail_at(loader->error, CAROM_ERR_INPUT, other->place,
                           "contacts.%s has 'normal', a given load, which leaves no room for '%s'",
                           c->name, others[k]);
  }
  carom_rules rules = law_rules(loader, c, "normal");
  rules.contact = NULL;
  rules.forces = true;
  rules.hint = "a load that depends on the sliding speed is written with the rates themselves";
  c->load = (carom_quantity){rules.what, 0, load->place};
  c->gap = (carom_quantity){rules.what, carom_node_constant(loader->graph, 0.0), load->place};
  carom_status status = carom_load_expression(loader, load, &rules, &c->load.node);
  if (!status) status = check_carried(loader, c, load);
  if (status) return status;
  if (c->carried && when)
    return carom_fail_at(loader->error, CAROM_ERR_INPUT, when->place,
                         "contacts.%s is there while a contact is that presses it: 'when' belongs "
                         "there",
                         c->name);
  const carom_yaml *slip = carom_loader_get(map, "slip");
  if (slip && carom_loader_get(map, "friction")) return CAROM_OK;
  return carom_fail_at(loader->error, CAROM_ERR_INPUT, load->place,
                       "contacts.%s has 'normal', a given load: it needs '%s' to do anything",
                       c->name, slip ? "friction" : "slip");
}

static carom_status load_gap(carom_loader *loader, carom_contact *c, const carom_yaml *map) {
  const carom_yaml *gap = carom_loader_get(map, "gap"), *load = carom_loader_get(map, "normal");
  if (load) return load_normal(loader, c, map, load);
  if (!gap)
    return carom_fail_at(loader->error, CAROM_ERR_INPUT, map->place,
                         "contacts.%s needs the key 'gap' (or 'normal', where the normal force is "
                         "given)",
                         c->name);
  const carom_rules rules = {.kinds = CAROM_KINDS_POSITION,
                             .measured = true,
                             .hint = "a gap is a distance; did you mean slip?",
                             .what = carom_loader_path(loader, "contacts.%s.gap", c->name)};
  c->gap = (carom_quantity){rules.what, 0, gap->place};
  carom_status status = carom_load_expression(loader, gap, &rules, &c->gap.node);
  if (status) return status;
  if (!carom_loader_moves(loader, c->gap.node))
    return carom_fail_at(loader->error, CAROM_ERR_INPUT, gap->place,
                         "%s depends on no coordinate, so nothing can close it", rules.what);
  return check_gap_rate(loader, c);
}

static carom_status load_slip_along(carom_loader *loader, const carom_yaml *slip, const char *what,
                                    carom_quantity *quantity) {
  carom_rules rules = {.what = what,
                       .kinds = CAROM_KINDS_MOTION & ~CAROM_KIND(STATE_RATE),
                       .measured = true,
                       .hint = "slip is a velocity, linear in the rates"};
  *quantity = (carom_quantity){what, 0, slip->place};
  carom_status status = carom_load_expression(loader, slip, &rules, &quantity->node);
  if (status) return status;
  if (!carom_node_depends_kind(loader->graph, quantity->node, CAROM_KIND(RATE)))
    return carom_fail_at(loader->error, CAROM_ERR_INPUT, slip->place,
                         "%s depends on no rate; slip is a velocity: write the rates with a prime, "
                         "like x' + r*theta'",
                         rules.what);
  if (!carom_loader_linear(loader, quantity->node))
    return carom_fail_at(loader->error, CAROM_ERR_INPUT, slip->place,
                         "%s must be linear in the rates", rules.what);
  return CAROM_OK;
}

// in space: two velocities along orthonormal tangents
static carom_status load_slip_in_space(carom_loader *loader, carom_contact *c,
                                       const carom_yaml *slip) {
  if (slip->count != 2 || slip->values[0]->kind != CAROM_YAML_SCALAR ||
      slip->values[1]->kind != CAROM_YAML_SCALAR)
    return carom_fail_at(loader->error, CAROM_ERR_INPUT, slip->place,
                         "contacts.%s.slip is one velocity, or two along orthonormal tangents, "
                         "like [x', y']",
                         c->name);
  carom_status status = load_slip_along(
      loader, slip->values[0], carom_loader_path(loader, "contacts.%s.slip.0", c->name), &c->slip);
  if (!status)
    status =
        load_slip_along(loader, slip->values[1],
                        carom_loader_path(loader, "contacts.%s.slip.1", c->name), &c->space.slip);
  if (status) return status;
  c->space.speed =
      carom_node_make(loader->graph, CAROM_OP_HYPOT, c->slip.node, c->space.slip.node, 0);
  const char *cross = carom_loader_path(loader, "%s.tangential2", c->name);
  c->space.force = carom_node_symbol(loader->graph, cross, CAROM_SYMBOL_OTHER);
  c->across = carom_node_constant(loader->graph, 1.0);
  return c->space.speed && c->space.force ? CAROM_OK
                                          : carom_loader_graph_failed(loader, slip->place);
}

static carom_status load_slip(carom_loader *loader, carom_contact *c, const carom_yaml *map) {
  const carom_yaml *slip = carom_loader_get(map, "slip");
  if (!slip) return CAROM_OK;
  if (slip->kind == CAROM_YAML_LIST) return load_slip_in_space(loader, c, slip);
  return load_slip_along(loader, slip, carom_loader_path(loader, "contacts.%s.slip", c->name),
                         &c->slip);
}

// stick and slip coefficients of a map or a single value; stick is that of slip at rest
static carom_status load_coefficients(carom_loader *loader, const carom_contact *c,
                                      const carom_yaml *value, const char *path, carom_node *stick,
                                      carom_node *slide) {
  bool whole = value->kind == CAROM_YAML_MAP;
  const carom_yaml *slip = whole ? carom_loader_get(value, "slip") : value;
  const carom_yaml *own = whole ? carom_loader_get(value, "stick") : NULL;
  if (!slip)
    return carom_fail_at(loader->error, CAROM_ERR_INPUT, value->place,
                         "contacts.%s.%s needs 'slip', the coefficient while sliding", c->name,
                         path);
  carom_status status =
      load_law(loader, c, carom_loader_path(loader, whole ? "%s.slip" : "%s", path), slip, slide);
  if (!status && own)
    status = load_law(loader, c, carom_loader_path(loader, "%s.stick", path), own, stick);
  if (status) return status;
  carom_node rest = carom_node_constant(loader->graph, 0.0);
  *stick = carom_node_substitute(loader->graph, own ? *stick : *slide, 1, &c->slip_speed, &rest);
  return *stick ? CAROM_OK : carom_loader_graph_failed(loader, value->place);
}

static carom_status need_slip(carom_loader *loader, const carom_contact *c, const carom_yaml *value,
                              const char *key) {
  if (c->slip.node) return CAROM_OK;
  return carom_fail_at(loader->error, CAROM_ERR_INPUT, value->place,
                       "contacts.%s has '%s' but no 'slip': say how fast it slides, like slip: x'",
                       c->name, key);
}

// a slip alone is looked at: the contact slides without friction
static carom_status be_smooth(carom_loader *loader, carom_contact *c) {
  c->stick = c->slide = carom_node_constant(loader->graph, 0.0);
  c->impact_stick = c->impact_slide = c->stick;
  return c->stick ? CAROM_OK : carom_loader_graph_failed(loader, c->place);
}

// the other axis of an ellipse of friction
static carom_status load_across(carom_loader *loader, carom_contact *c, const carom_yaml *across) {
  if (!c->space.slip.node)
    return carom_fail_at(loader->error, CAROM_ERR_INPUT, across->place,
                         "contacts.%s.friction.across is for contacts that slide in space, with "
                         "slip: [.., ..]",
                         c->name);
  carom_rules rules = {.what = carom_loader_path(loader, "contacts.%s.friction.across", c->name),
                       .kinds = CAROM_KINDS_POSITION,
                       .hint = "the shape of the ellipse cannot depend on speeds"};
  return carom_load_expression(loader, across, &rules, &c->across);
}

static carom_status load_friction(carom_loader *loader, carom_contact *c, const carom_yaml *map) {
  const carom_yaml *friction = carom_loader_get(map, "friction");
  if (!friction) return c->slip.node && !c->tangential.node ? be_smooth(loader, c) : CAROM_OK;
  carom_status status = need_slip(loader, c, friction, "friction");
  if (status) return status;
  const carom_yaml *impact = carom_loader_get(friction, "impact");
  const carom_yaml *slip = carom_loader_get(friction, "slip");
  const carom_yaml *stick = carom_loader_get(friction, "stick");
  const carom_yaml *across = carom_loader_get(friction, "across");
  bool own_law = c->tangential.node != 0;
  if (own_law && (friction->kind != CAROM_YAML_MAP || slip || stick))
    return carom_fail_at(loader->error, CAROM_ERR_INPUT, friction->place,
                         "contacts.%s has 'tangential', a law of its own, which leaves no room for "
                         "friction but friction.impact",
                         c->name);
  if (!own_law) status = load_coefficients(loader, c, friction, "friction", &c->stick, &c->slide);
  if (!status && across) status = load_across(loader, c, across);
  c->impact_stick = c->stick;
  c->impact_slide = c->slide;
  if (!status && impact)
    status =
        load_coefficients(loader, c, impact, "friction.impact", &c->impact_stick, &c->impact_slide);
  return status;
}

static carom_status load_tangential(carom_loader *loader, carom_contact *c, const carom_yaml *map) {
  const carom_yaml *value = carom_loader_get(map, "tangential");
  if (!value) return CAROM_OK;
  carom_status status = need_slip(loader, c, value, "tangential");
  if (status) return status;
  if (c->space.slip.node)
    return carom_fail_at(
        loader->error, CAROM_ERR_UNSUPPORTED, value->place,
        "contacts.%s slides in space, where friction is Coulomb's: 'tangential' is "
        "for contacts with one slip",
        c->name);
  carom_rules rules = law_rules(loader, c, "tangential");
  rules.normal = true;
  c->tangential = (carom_quantity){rules.what, 0, value->place};
  return carom_load_expression(loader, value, &rules, &c->tangential.node);
}

static carom_law law_named(const char *name) {
  if (name && strcmp(name, "poisson") == 0) return CAROM_LAW_POISSON;
  if (name && strcmp(name, "energetic") == 0) return CAROM_LAW_ENERGETIC;
  return CAROM_LAW_NEWTON;
}

static bool is_yes(const carom_yaml *map, const char *key) {
  const carom_yaml *value = carom_loader_get(map, key);
  return value && value->text && strcmp(value->text, "yes") == 0;
}

static carom_stop_rule stop_named(const carom_yaml *value) {
  if (value && strcmp(value->text, "kinetic") == 0) return CAROM_STOP_BY_IMPULSE;
  if (value && strcmp(value->text, "kinematic") == 0) return CAROM_STOP_BY_VELOCITY;
  return CAROM_STOP_BY_WORK;
}

// ways that only the energetic law has
static carom_status load_habits(carom_loader *loader, carom_contact *c, const carom_yaml *impact) {
  static const char *const keys[] = {"stop", "sequential", "hold"};
  for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
    const carom_yaml *value = carom_loader_get(impact, keys[k]);
    if (value && c->law != CAROM_LAW_ENERGETIC)
      return carom_fail_at(loader->error, CAROM_ERR_INPUT, value->place,
                           "contacts.%s.impact.%s is for the energetic law; add law: energetic",
                           c->name, keys[k]);
  }
  c->march.stop_rule = stop_named(carom_loader_get(impact, "stop"));
  c->march.sequential = is_yes(impact, "sequential");
  c->march.hold = is_yes(impact, "hold");
  return CAROM_OK;
}

static carom_status load_impact(carom_loader *loader, carom_contact *c, const carom_yaml *map) {
  c->restitution = carom_node_constant(loader->graph, 0.0);
  c->stiffness = carom_node_constant(loader->graph, 1.0);
  c->exponent = carom_node_constant(loader->graph, 1.5);
  if (!c->restitution || !c->stiffness || !c->exponent)
    return carom_loader_graph_failed(loader, c->place);
  const carom_yaml *impact = carom_loader_get(map, "impact");
  c->impact_place = impact ? impact->place : c->place;
  if (!impact) return CAROM_OK;
  if (impact->kind != CAROM_YAML_MAP) return load_law(loader, c, "impact", impact, &c->restitution);
  const carom_yaml *law = carom_loader_get(impact, "law");
  c->law = law_named(law ? law->text : NULL);
  const struct {
    const char *key;
    carom_node *node;
  } numbers[] = {{"e", &c->restitution},
                 {"et", &c->give_back},
                 {"stiffness", &c->stiffness},
                 {"exponent", &c->exponent}};
  for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
    const carom_yaml *value = carom_loader_get(impact, numbers[k].key);
    const char *key = carom_loader_path(loader, "impact.%s", numbers[k].key);
    carom_status status = value ? load_law(loader, c, key, value, numbers[k].node) : CAROM_OK;
    if (status) return status;
  }
  if (c->give_back && (c->law != CAROM_LAW_NEWTON || !c->slip.node))
    return carom_fail_at(loader->error, CAROM_ERR_INPUT, carom_loader_get(impact, "et")->place,
                         "contacts.%s.impact.et is for Newton's law and a contact with slip",
                         c->name);
  return load_habits(loader, c, impact);
}

// resistances are written out with the bodies that they are between
static carom_status refuse_resistance(carom_loader *loader, const carom_contact *c,
                                      const carom_yaml *map) {
  static const char *const keys[] = {"rolling", "pivoting"};
  for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
    const carom_yaml *value = carom_loader_get(map, keys[k]);
    if (value)
      return carom_fail_at(loader->error, CAROM_ERR_INPUT, value->place,
                           "contacts.%s.%s is for contacts between bodies, whose spins are known; "
                           "write a contact {normal: %s.normal, slip: the spin, friction: ..} "
                           "below it",
                           c->name, keys[k], c->name);
  }
  return CAROM_OK;
}

// of positions, as the gap is; beside it
static carom_status load_apart(carom_loader *loader, carom_contact *c, const carom_yaml *map) {
  const carom_yaml *apart = carom_loader_get(map, "apart");
  if (!apart) return CAROM_OK;
  const carom_rules rules = {.what = carom_loader_path(loader, "contacts.%s.apart", c->name),
                             .kinds = CAROM_KINDS_POSITION,
                             .hint = "a distance is of positions; did you mean slip?"};
  return carom_load_expression(loader, apart, &rules, &c->apart);
}

static carom_status load_contact(carom_loader *loader, carom_contact *c, const carom_yaml *map) {
  const char *slip = carom_loader_path(loader, "%s.slip", c->name);
  const char *normal = carom_loader_path(loader, "%s.normal", c->name);
  c->slip_speed = carom_node_symbol(loader->graph, slip, CAROM_SYMBOL_OTHER);
  c->normal_force = carom_node_symbol(loader->graph, normal, CAROM_SYMBOL_OTHER);
  const char *tangential = carom_loader_path(loader, "%s.tangential", c->name);
  c->tangential_force = carom_node_symbol(loader->graph, tangential, CAROM_SYMBOL_OTHER);
  if (!c->slip_speed || !c->normal_force || !c->tangential_force)
    return carom_loader_graph_failed(loader, c->place);
  carom_status status = refuse_resistance(loader, c, map);
  if (!status) status = load_gap(loader, c, map);
  if (!status) status = load_apart(loader, c, map);
  if (!status)
    status = carom_load_presence(loader, map, carom_loader_path(loader, "contacts.%s", c->name),
                                 &c->presence);
  if (!status) status = load_slip(loader, c, map);
  if (!status) status = load_tangential(loader, c, map);
  if (!status) status = load_friction(loader, c, map);
  if (!status) status = load_impact(loader, c, map);
  return status;
}

carom_status carom_load_contacts(carom_loader *loader) {
  carom_scenario *s = loader->scenario;
  const carom_yaml *map = carom_yaml_get(loader->document->root, "contacts");
  carom_status status = carom_loader_room(loader, map, CAROM_SCENARIO_MAX_COORDINATES, "contacts",
                                          sizeof *s->contacts, (void **)&s->contacts);
  for (int k = 0; !status && map && k < map->count; k++) {
    carom_contact *c = &s->contacts[k];
    c->name = map->keys[k];
    c->place = map->key_places[k];
    status = carom_loader_check_name(loader, c->name, c->place, "a contact");
    // a contact written without any entry is a scalar, and misses its gap
    if (!status && map->values[k]->kind != CAROM_YAML_MAP)
      status = carom_fail_at(loader->error, CAROM_ERR_INPUT, c->place,
                             "contacts.%s needs the key 'gap'", c->name);
    if (!status) status = load_contact(loader, c, map->values[k]);
    if (!status) s->contact_count = k + 1;
  }
  return status;
}
