// SPDX-License-Identifier: MIT
/// From a checked scenario to equations, programs and watched functions.
#include "hybrid/hybrid.h"

#include "symbolic/parse.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { SWITCH_NAME = 60 };

typedef struct preparation {
  carom_arena *arena;
  const carom_scenario *scenario;
  carom_graph *graph;
  carom_hybrid_model *model;
  carom_error *error;
} preparation;

static carom_node *take_nodes(preparation *it, int count) {
  return carom_arena_array(it->arena, (size_t)count, sizeof(carom_node));
}

// what is there while it exists is `value`, else a number that asks for nothing
static carom_node while_present(preparation *it, const carom_presence *presence, carom_node value,
                                double otherwise) {
  if (!presence->when || !value) return value;
  return carom_node_make(it->graph, CAROM_OP_IF, presence->when, value,
                         carom_node_constant(it->graph, otherwise));
}

// constraints first, then the normal and, where there is friction, the tangents of each contact
static bool list_rows(preparation *it, carom_mechanics_input *input) {
  const carom_scenario *scenario = it->scenario;
  int room = scenario->constraint_count + 3 * scenario->contact_count;
  carom_row_input *rows = carom_arena_array(it->arena, (size_t)room, sizeof *rows);
  if (!rows) return false;
  int count = 0;
  for (int k = 0; k < scenario->constraint_count; k++) {
    const carom_constraint *c = &scenario->constraints[k];
    carom_node value = while_present(it, &c->presence, c->value.node, 0.0);
    rows[count++] = (carom_row_input){value, c->velocity_level, 0, c->presence.when, 0};
  }
  for (int k = 0; k < scenario->contact_count; k++) {
    const carom_contact *c = &scenario->contacts[k];
    carom_node load = while_present(it, &c->presence, c->load.node, 0.0);
    carom_node gap = load ? 0 : while_present(it, &c->presence, c->gap.node, CAROM_ABSENT_GAP);
    rows[count++] = (carom_row_input){gap, load != 0, load, 0, load ? 0 : c->normal_force};
    if (scenario->contacts[k].slip.node) input->friction = true;
    if (scenario->contacts[k].slip.node)
      rows[count++] = (carom_row_input){scenario->contacts[k].slip.node, true, 0, 0, 0};
    // Friction in an ellipse, T = D F with F in a circle, takes the power F . D s: it is friction
    // in a circle against the slip D s.
    carom_node cross = c->space.slip.node;
    if (cross) cross = carom_mul(it->graph, c->across, cross);
    if (cross) rows[count++] = (carom_row_input){cross, true, 0, 0, 0};
  }
  assert(count <= room);
  input->rows = rows;
  input->row_count = count;
  return true;
}

static carom_status derive_equations(preparation *it) {
  const carom_scenario *scenario = it->scenario;
  int n = carom_scenario_rates(scenario), m = scenario->state_count;
  long failures = carom_arena_failures(it->arena);
  carom_node *q = take_nodes(it, n), *u = take_nodes(it, n), *force = take_nodes(it, n);
  carom_node *z = take_nodes(it, m), *z_rate = take_nodes(it, m), *equation = take_nodes(it, m);
  carom_node *z_force = take_nodes(it, m);
  carom_node *invariants = take_nodes(it, scenario->kinematics.invariant_count);
  if (carom_arena_failures(it->arena) != failures) return carom_fail_memory(it->error);
  for (int i = 0; i < n; i++) {
    q[i] = scenario->coordinates[i].symbol;
    u[i] = scenario->coordinates[i].rate;
    force[i] = scenario->coordinates[i].force;
  }
  for (int k = 0; k < m; k++) {
    z[k] = scenario->states[k].symbol;
    z_rate[k] = scenario->states[k].rate;
    equation[k] = scenario->states[k].equation;
    z_force[k] = scenario->states[k].force;
  }
  for (int k = 0; k < scenario->kinematics.invariant_count; k++)
    invariants[k] = scenario->kinematics.invariants[k].node;
  carom_mechanics_input input = {.time = scenario->time,
                                 .n = n,
                                 .nq = scenario->coordinate_count,
                                 .q = q,
                                 .u = u,
                                 .force = force,
                                 .m = m,
                                 .turned = scenario->kinematics.coordinates,
                                 .z_force = z_force,
                                 .z = z,
                                 .z_rate = z_rate,
                                 .equation = equation,
                                 .kinetic = scenario->energies.kinetic.node,
                                 .kinetic_place = scenario->energies.kinetic.place,
                                 .invariants = {scenario->kinematics.invariant_count, invariants},
                                 .potential = scenario->energies.potential.node,
                                 .dissipation = scenario->energies.dissipation.node};
  if (!list_rows(it, &input)) return carom_fail_memory(it->error);
  return carom_mechanics_derive(it->arena, it->graph, &input, &it->model->mechanics, it->error);
}

carom_status carom_hybrid_derive_mechanics(carom_arena *arena, const carom_scenario *scenario,
                                           carom_mechanics **mechanics, carom_error *error) {
  carom_hybrid_model model = {.scenario = scenario};
  preparation it = {.arena = arena,
                    .scenario = scenario,
                    .graph = scenario->graph,
                    .model = &model,
                    .error = error};
  carom_status status = derive_equations(&it);
  *mechanics = model.mechanics;
  return status;
}

// watched functions of the scenario may have kinks of their own: they join the modes
static carom_node without_kinks(preparation *it, carom_node node) {
  return carom_kink_remove(it->graph, it->arena, node, &it->model->mechanics->kinks);
}

// What a reducer follows along the path, with kinks of its own; 0 where it counts, or where contact
// forces are in it: they are no function of the path and are seen at points.
static carom_node followed_value(preparation *it, carom_followed *followed,
                                 carom_kink_list *kinks) {
  carom_node node = followed->reducer->value;
  followed->seen = followed->watched = -1;
  if (!node) return 0;
  node = carom_compliant_observed(&it->model->compliant, it->graph, it->scenario, node);
  kinks->rests = true;
  if (!carom_node_depends_kind(it->graph, node, 1u << CAROM_SYMBOL_OTHER))
    return carom_kink_remove(it->graph, it->arena, node, kinks);
  followed->seen = 0;
  return 0;
}

static void add_rules(preparation *it, carom_watch_kind kind, int count,
                      const carom_event_rule *rules) {
  for (int k = 0; k < count; k++)
    it->model->watched[it->model->watched_count++] =
        (carom_watched){.kind = kind,
                        .index = k,
                        .name = rules[k].name,
                        .rule = &rules[k],
                        .observes = kind == CAROM_WATCH_SECTION,
                        .beside = kind != CAROM_WATCH_EVENT,
                        .direction = (carom_direction)rules[k].trigger.direction};
}

// Without load a contact is as good as open: it lands where its load begins to press; one that
// others press comes and goes with them.
static carom_node gap_of(preparation *it, int k, const carom_row *row) {
  if (!row->load) return row->position;
  if (it->scenario->contacts[k].carried) return carom_node_constant(it->graph, CAROM_ABSENT_GAP);
  return carom_neg(it->graph, row->load);
}

// gap of every contact, slip of those with friction (in space both: what they can be told from zero
// is asked, no root is looked for); their kink-free forms are rows of the mechanics
static int add_contacts(preparation *it, carom_watched *watched, carom_node *functions) {
  const carom_scenario *s = it->scenario;
  int row = s->constraint_count, count = 0;
  if (it->model->compliant.count > 0) return 0;
  for (int k = 0; k < s->contact_count; k++) {
    const carom_row *rows = it->model->mechanics->rows;
    functions[count] = gap_of(it, k, &rows[row++]);
    watched[count++] = (carom_watched){.kind = CAROM_WATCH_GAP,
                                       .index = k,
                                       .name = s->contacts[k].name,
                                       .direction = CAROM_FALLING};
    if (!s->contacts[k].slip.node) continue;
    for (int along = 0; along < (s->contacts[k].space.slip.node ? 2 : 1); along++) {
      functions[count] = rows[row++].velocity;
      watched[count++] =
          (carom_watched){.kind = CAROM_WATCH_SLIP, .index = k, .name = s->contacts[k].name};
    }
  }
  return count;
}

// the name of a switch is the text of what switches
static const char *switch_name(preparation *it, const carom_kink *kink) {
  const char *text = carom_node_text(it->arena, it->graph, kink->origin, SWITCH_NAME);
  return text ? text : "switch";
}

static carom_watched name_switch(preparation *it, int k) {
  const carom_compliant *compliant = &it->model->compliant;
  int contact = 0;
  carom_compliant_role role = carom_compliant_role_of(compliant, k, &contact);
  const carom_kink *kink = &it->model->mechanics->kinks.items[k];
  const char *name =
      role != CAROM_ROLE_NONE ? compliant->contacts[contact].name : switch_name(it, kink);
  return (carom_watched){.kind = CAROM_WATCH_SWITCH, .index = k, .name = name, .role = role};
}

// the dynamics with all its modes, and the symbols along a motion
static carom_status compile_dynamics(preparation *it) {
  const carom_scenario *s = it->scenario;
  carom_hybrid_model *model = it->model;
  long failures = carom_arena_failures(it->arena);
  carom_node *parameters = take_nodes(it, s->parameter_count);
  carom_node *accelerations = take_nodes(it, carom_scenario_rates(s));
  if (carom_arena_failures(it->arena) != failures) return carom_fail_memory(it->error);
  for (int k = 0; k < s->parameter_count; k++)
    parameters[k] = s->parameters[k].symbol;
  for (int i = 0; i < carom_scenario_rates(s); i++)
    accelerations[i] = s->coordinates[i].acceleration;
  carom_status status =
      carom_dynamics_compile(it->arena, it->graph, model->mechanics, s->parameter_count, parameters,
                             &model->dynamics, it->error);
  if (status != CAROM_OK) return status;
  return carom_path_symbols_create(&model->path, it->arena, it->graph, model->mechanics,
                                   accelerations, it->error);
}

static carom_status compile_watch(preparation *it, carom_node node, carom_watch *watch) {
  return carom_watch_compile(watch, it->arena, it->model->dynamics, &it->model->path, 0, NULL, node,
                             it->error);
}

// The gap or slip of a contact that is what a followed quantity follows, or -1.
static int find_same(const carom_hybrid_model *model, const carom_followed *followed) {
  for (int k = 0; k < model->watched_count; k++) {
    const carom_watched *watched = &model->watched[k];
    bool of_contact = watched->kind == CAROM_WATCH_GAP || watched->kind == CAROM_WATCH_SLIP;
    if (of_contact && watched->function.node == followed->function.node) return k;
  }
  return -1;
}

// a followed quantity and the arguments of its kinks
static carom_status compile_followed(preparation *it, carom_node node, const carom_kink_list *kinks,
                                     carom_followed *followed) {
  const carom_dynamics *d = it->model->dynamics;
  const carom_path_symbols *path = &it->model->path;
  if (!node) return CAROM_OK;
  followed->kink_count = kinks->count;
  followed->kinks = carom_arena_array(it->arena, (size_t)kinks->count, sizeof *followed->kinks);
  followed->counts = carom_arena_array(it->arena, (size_t)kinks->count, sizeof *followed->counts);
  if (!followed->kinks || !followed->counts) return carom_fail_memory(it->error);
  for (int k = 0; k < kinks->count; k++) {
    carom_op origin = carom_node_op(it->graph, kinks->items[k].origin);
    followed->counts[k] = origin == CAROM_OP_FLOOR || origin == CAROM_OP_MOD;
  }
  carom_status status = carom_watch_compile(&followed->function, it->arena, d, path, kinks->count,
                                            kinks->items, node, it->error);
  if (status == CAROM_OK) followed->watched = find_same(it->model, followed);
  for (int k = 0; k < kinks->count && status == CAROM_OK; k++)
    status = carom_watch_compile(&followed->kinks[k], it->arena, d, path, kinks->count,
                                 kinks->items, kinks->items[k].argument, it->error);
  return status;
}

// does one of the branches asked for, which stand behind m, jump with branch m?
static bool moves_another(const preparation *it, const carom_kink_list *kinks, int m,
                          const bool *branches) {
  for (int k = m + 1; k < kinks->count; k++)
    if (branches[k] &&
        carom_node_depends(it->graph, kinks->items[k].argument, kinks->items[m].mode))
      return true;
  return false;
}

// what is met beside the steps, and the branches that each of it depends on
static carom_status list_beside(preparation *it, const carom_kink_list *kinks) {
  carom_hybrid_model *model = it->model;
  size_t count = (size_t)model->watched_count, modes = (size_t)kinks->count;
  long failures = carom_arena_failures(it->arena);
  model->beside = carom_arena_array(it->arena, count, sizeof *model->beside);
  bool *branches = carom_arena_array(it->arena, count * modes, sizeof *branches);
  if (carom_arena_failures(it->arena) != failures) return carom_fail_memory(it->error);
  for (int k = 0; k < model->watched_count; k++, branches += modes) {
    carom_watched *watched = &model->watched[k];
    if (!watched->beside) continue;
    model->beside[model->beside_count++] = k;
    watched->branches = branches;
    for (int m = kinks->count - 1; m >= 0; m--)
      branches[m] = carom_node_depends(it->graph, watched->function.node, kinks->items[m].mode) ||
                    moves_another(it, kinks, m, branches);
  }
  return CAROM_OK;
}

// Coefficients of friction that change from place to place or in time have branches, too: a step
// could pass a rough patch by.
static carom_status branch_frictions(preparation *it) {
  const carom_scenario *s = it->scenario;
  carom_contact_set *set = &it->model->contacts;
  if (s->run.compliant) return CAROM_OK; // part of the forces there
  size_t parts = CAROM_FRICTION_PARTS * (size_t)s->contact_count;
  set->frictions = carom_arena_array(it->arena, parts, sizeof *set->frictions);
  if (!set->frictions) return carom_fail_memory(it->error);
  for (size_t k = 0; k < parts; k++) {
    carom_node written = carom_contact_written(&s->contacts[k / CAROM_FRICTION_PARTS],
                                               (carom_friction_part)(k % CAROM_FRICTION_PARTS));
    set->frictions[k] =
        carom_kink_remove_placed(it->graph, it->arena, written, &it->model->mechanics->kinks);
  }
  return CAROM_OK;
}

// what belongs to a contact whose features change
static void name_slots(preparation *it) {
  const carom_solid_set *set = &it->model->probe.solids;
  for (int k = 0; k < it->model->watched_count && set->slot_count > 0; k++) {
    carom_watched *watched = &it->model->watched[k];
    bool of_contact = watched->kind == CAROM_WATCH_GAP || watched->kind == CAROM_WATCH_SLIP;
    if (of_contact) watched->slot = set->slot_of[watched->index];
  }
  for (int j = 0; j < 2 * set->slot_count; j++) {
    carom_watched *watched = &it->model->watched[set->kink[j]];
    watched->slot = j / 2 + 1;
    watched->name = it->scenario->contacts[set->contact[j / 2]].name;
  }
}

static carom_status list_watched(preparation *it) {
  const carom_scenario *s = it->scenario;
  carom_hybrid_model *model = it->model;
  carom_kink_list *kinks = &model->mechanics->kinks;
  int rules = s->rules.event_count + s->rules.section_count + s->rules.stop_count;
  long failures = carom_arena_failures(it->arena);
  carom_node *functions = take_nodes(it, rules + 3 * s->contact_count);
  carom_watched *watched =
      carom_arena_array(it->arena, (size_t)(rules + 3 * s->contact_count), sizeof *watched);
  model->followed =
      carom_arena_array(it->arena, (size_t)s->measure.reducer_count, sizeof *model->followed);
  carom_node *values = take_nodes(it, s->measure.reducer_count);
  carom_kink_list *own =
      carom_arena_array(it->arena, (size_t)s->measure.reducer_count, sizeof *own);
  if (carom_arena_failures(it->arena) != failures) return carom_fail_memory(it->error);

  // first all rewriting, which may add modes, then the final list with every switch in front
  model->watched = watched;
  add_rules(it, CAROM_WATCH_EVENT, s->rules.event_count, s->rules.events);
  add_rules(it, CAROM_WATCH_SECTION, s->rules.section_count, s->rules.sections);
  add_rules(it, CAROM_WATCH_STOP, s->rules.stop_count, s->rules.stops);
  // behind the branches that move anything come those that stops ask for, then those of sections
  const carom_watch_kind order[] = {CAROM_WATCH_EVENT, CAROM_WATCH_STOP, CAROM_WATCH_SECTION};
  int before[] = {0, 0, 0};
  for (int j = 0; j < 3; j++) {
    before[j] = kinks->count;
    for (int k = 0; k < rules; k++)
      if (watched[k].kind == order[j])
        functions[k] = without_kinks(it, watched[k].rule->trigger.when.node);
  }
  rules += add_contacts(it, watched + rules, functions + rules);
  for (int k = 0; k < s->measure.reducer_count; k++) {
    model->followed[model->followed_count++].reducer = &s->measure.reducers[k];
    values[k] = followed_value(it, &model->followed[k], &own[k]);
  }
  carom_watched *all = carom_arena_array(it->arena, (size_t)(rules + kinks->count), sizeof *all);
  if (!all) return carom_fail_memory(it->error);
  for (int k = 0; k < kinks->count; k++) {
    all[k] = name_switch(it, k);
    all[k].beside = k >= before[1];
    all[k].observes = k >= before[2];
  }
  memcpy(all + kinks->count, watched, (size_t)rules * sizeof *all);
  model->watched = all;
  model->watched_count = rules + kinks->count;

  model->has_rules = s->rules.event_count + s->rules.section_count + s->rules.stop_count > 0;

  name_slots(it);

  // the modes are known now: compile the dynamics, then the watched functions over it
  carom_status status = compile_dynamics(it);
  for (int k = 0; status == CAROM_OK && k < model->watched_count; k++)
    status =
        compile_watch(it, k < kinks->count ? kinks->items[k].argument : functions[k - kinks->count],
                      &all[k].function);
  for (int k = 0; status == CAROM_OK && k < model->watched_count; k++)
    model->rough_rules |= carom_watched_is_rule(&all[k]) && all[k].function.rough;
  if (status == CAROM_OK) status = list_beside(it, kinks);
  for (int k = 0; status == CAROM_OK && k < model->followed_count; k++)
    status = compile_followed(it, values[k], &own[k], &model->followed[k]);
  return status;
}

// columns of a sample: coordinates, rates, states, definitions, kinetic and potential energy
static carom_status name_columns(preparation *it) {
  const carom_scenario *s = it->scenario;
  carom_hybrid_model *model = it->model;
  int room = s->coordinate_count + carom_scenario_rates(s) + model->mechanics->m +
             s->definitions.count + 2;
  model->columns = carom_arena_array(it->arena, (size_t)room, sizeof *model->columns);
  if (!model->columns) return carom_fail_memory(it->error);
  int at = 0;
  for (int i = 0; i < s->coordinate_count; i++)
    model->columns[at++] = s->coordinates[i].name;
  for (int i = 0; i < carom_scenario_rates(s); i++)
    model->columns[at++] = carom_node_as_symbol(it->graph, s->coordinates[i].rate)->name;
  for (int i = 0; i < s->state_count; i++)
    model->columns[at++] = s->states[i].name;
  for (int i = s->state_count; i < model->mechanics->m; i++) // bristles of compliant contacts
    model->columns[at++] = carom_node_as_symbol(it->graph, model->mechanics->z[i])->name;
  for (int i = 0; i < s->definitions.count; i++)
    model->columns[at++] = s->definitions.items[i].name;
  if (model->dynamics->has_energy) {
    model->columns[at++] = "kinetic";
    model->columns[at++] = "potential";
  }
  model->column_count = at;
  return CAROM_OK;
}

static bool comes_and_goes(const carom_scenario *s) {
  bool any = false;
  for (int k = 0; k < s->constraint_count; k++)
    any = any || s->constraints[k].presence.when;
  for (int k = 0; k < s->contact_count; k++)
    any = any || s->contacts[k].presence.when;
  return any;
}

static carom_status refuse_soft(preparation *it) {
  if (it->scenario->convex.pair_count > 0)
    return carom_fail_at(it->error, CAROM_ERR_UNSUPPORTED, it->scenario->convex.shapes[0].place,
                         "contacts between bodies with flat faces cannot be compliant; leave out "
                         "run.compliant");
  for (int k = 0; k < it->scenario->contact_count; k++) {
    if (it->scenario->contacts[k].presence.when)
      return carom_fail_at(it->error, CAROM_ERR_UNSUPPORTED, it->scenario->contacts[k].place,
                           "contact %s exists at times only ('when'): it cannot be compliant; "
                           "leave out run.compliant",
                           it->scenario->contacts[k].name);
    if (it->scenario->contacts[k].load.node)
      return carom_fail_at(it->error, CAROM_ERR_UNSUPPORTED, it->scenario->contacts[k].load.place,
                           "contact %s has a given normal load: it cannot be compliant; leave out "
                           "run.compliant",
                           it->scenario->contacts[k].name);
  }
  return CAROM_OK;
}

// Forces narrower than a step, and what else may be: surfaces, coefficients of friction and given
// loads that place, time and states decide. A coefficient by the slip is followed by its changes.
static carom_status compile_narrow(preparation *it) {
  const carom_scenario *s = it->scenario;
  const carom_mechanics *m = it->model->mechanics;
  const carom_contact_set *set = &it->model->contacts;
  int coefficients = set->frictions ? CAROM_FRICTION_PARTS * s->contact_count : 0, count = 0;
  carom_node *nodes = take_nodes(it, coefficients + m->row_count);
  if (!nodes) return carom_fail_memory(it->error);
  for (int k = 0; k < coefficients; k++)
    nodes[count++] = set->frictions[k];
  for (int k = 0; k < m->row_count; k++)
    nodes[count++] = m->rows[k].load ? m->rows[k].load : m->rows[k].position;
  const unsigned others = 1u << CAROM_SYMBOL_OTHER | 1u << CAROM_SYMBOL_RATE;
  for (int k = 0; k < count; k++)
    if (nodes[k] && carom_node_depends_kind(it->graph, nodes[k], others)) nodes[k] = 0;
  return carom_narrow_compile(&it->model->narrow, it->arena, it->model->dynamics, &it->model->path,
                              count, nodes, it->error);
}

static carom_status prepare_scenario(preparation *it) {
  it->model->constraints = it->scenario->constraint_count;
  it->model->comes_and_goes = comes_and_goes(it->scenario);
  carom_status status = derive_equations(it);
  if (status == CAROM_OK) carom_hybrid_keep_cyclic(it->model);
  bool compliant = it->scenario->run.compliant && it->scenario->contact_count > 0;
  if (status == CAROM_OK && compliant) status = refuse_soft(it);
  if (status == CAROM_OK && compliant)
    status = carom_compliant_apply(&it->model->compliant, it->arena, it->graph, it->scenario,
                                   it->model->mechanics, it->error);
  if (status == CAROM_OK) status = branch_frictions(it);
  if (status == CAROM_OK)
    status = carom_solids_add_kinks(&it->model->probe.solids, it->arena, it->scenario,
                                    &it->model->mechanics->kinks, it->error);
  if (status == CAROM_OK) status = list_watched(it);
  // springs that stand for contacts are followed by their own switches
  if (status == CAROM_OK && !compliant) status = compile_narrow(it);
  if (status == CAROM_OK && compliant)
    status =
        carom_compliant_compile(&it->model->compliant, it->arena, it->model->dynamics, it->error);
  if (status == CAROM_OK)
    status = carom_probe_compile(&it->model->probe, it->arena, it->model, it->error);
  if (status == CAROM_OK && it->scenario->contact_count > 0 && !compliant)
    status = carom_contact_set_compile(&it->model->contacts, it->arena, it->scenario,
                                       it->model->dynamics, it->error);
  for (int k = 0; k < it->model->watched_count && status == CAROM_OK; k++)
    if (it->model->watched[k].kind == CAROM_WATCH_GAP)
      it->model->contacts.gap[it->model->watched[k].index] = k;
  if (status == CAROM_OK && !compliant)
    status = carom_apart_compile(&it->model->probe.apart, it->arena, it->model, it->error);
  if (status == CAROM_OK)
    status = carom_solids_compile(&it->model->probe.solids, it->arena, it->model, it->error);
  if (status == CAROM_OK) status = carom_seen_compile(it->model, it->arena, it->error);
  if (status == CAROM_OK && it->model->constraints == 0) {
    carom_phase_task free = {.rates = it->model->dynamics->flow, .contact = -1};
    status =
        carom_phase_series_compile(&it->model->free_series, it->arena, it->model, &free, it->error);
  }
  if (status == CAROM_OK && it->model->contacts.count > 0 && it->model->constraints == 0)
    status = carom_lone_compile(it->model, it->arena, it->error);
  if (status == CAROM_OK) status = name_columns(it);
  if (status == CAROM_OK) status = carom_drive_prepare(it->model, it->arena, it->error);
  return status;
}

// a model given by functions: its events are watched by value alone
static carom_status prepare_functions(preparation *it, const carom_functions *functions) {
  carom_hybrid_model *model = it->model;
  carom_status status =
      carom_dynamics_from_functions(it->arena, functions, &model->dynamics, it->error);
  if (status != CAROM_OK) return status;
  int n = functions->coordinates.count, m = functions->states.count;
  model->constraints = functions->constraints.count;
  if ((functions->events.count > 0 && !functions->event) ||
      (functions->observables.count > 0 && !functions->observable))
    return carom_fail(it->error, CAROM_ERR_ARGUMENT, "events and observables need their functions");
  model->watched =
      carom_arena_array(it->arena, (size_t)functions->events.count, sizeof *model->watched);
  int room = 2 * n + m + functions->observables.count + 2;
  model->columns = carom_arena_array(it->arena, (size_t)room, sizeof *model->columns);
  if (!model->watched || !model->columns) return carom_fail_memory(it->error);
  model->has_rules = functions->events.count > 0;
  for (int k = 0; k < functions->events.count; k++)
    model->watched[model->watched_count++] =
        (carom_watched){.kind = CAROM_WATCH_EVENT, .index = k, .name = functions->events.names[k]};
  int at = 0;
  for (int i = 0; i < n; i++)
    model->columns[at++] = functions->coordinates.names[i];
  for (int i = 0; i < n; i++) {
    size_t length = strlen(functions->coordinates.names[i]);
    char *name = carom_arena_text(it->arena, functions->coordinates.names[i], length + 1);
    if (!name) return carom_fail_memory(it->error);
    name[length] = '\'';
    model->columns[at++] = name;
  }
  for (int i = 0; i < m; i++)
    model->columns[at++] = functions->states.names[i];
  for (int i = 0; i < functions->observables.count; i++)
    model->columns[at++] = functions->observables.names[i];
  if (model->dynamics->has_energy) {
    model->columns[at++] = "kinetic";
    model->columns[at++] = "potential";
  }
  model->column_count = at;
  return CAROM_OK;
}

carom_status carom_hybrid_prepare(carom_model *model, carom_error *error) {
  carom_hybrid_model *prepared = carom_arena_take(model->arena, sizeof *prepared);
  if (!prepared) return carom_fail_memory(error);
  prepared->scenario = model->scenario;
  prepared->functions = model->functions;
  preparation it = {.arena = model->arena,
                    .scenario = model->scenario,
                    .model = prepared,
                    .graph = model->scenario ? model->scenario->graph : NULL,
                    .error = error};
  carom_status status =
      model->scenario ? prepare_scenario(&it) : prepare_functions(&it, model->functions);
  if (status != CAROM_OK) return status;
  model->prepared = prepared;
  return CAROM_OK;
}
