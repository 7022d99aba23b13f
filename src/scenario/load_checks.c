// SPDX-License-Identifier: MIT
// What can only be judged with everything read: inertia, ranges of numbers, times. All of it before
// a run.
#include "base/linear.h"
#include "scenario/load.h"
#include "symbolic/program.h"

#include <math.h>
#include <string.h>

static const double TIGHTEST = 1e-16, MOST_SAMPLES = 1e9;
static const double MOST_STEPS = 1e15; // shorter ones are lost in the rounding of time

// ---- kinetic energy

// T is quadratic when its second derivatives by rates are free of rates
static carom_status check_quadratic(carom_loader *loader, carom_node *mass) {
  const carom_scenario *s = loader->scenario;
  carom_graph *graph = loader->graph;
  int n = carom_scenario_rates(s);
  carom_node kinetic = carom_loader_replace_rates(loader, s->energies.kinetic.node, 0);
  if (!kinetic) return carom_loader_graph_failed(loader, s->energies.kinetic.place);
  for (int i = 0; i < n; i++) {
    carom_node momentum = carom_node_derivative(graph, kinetic, s->coordinates[i].rate);
    for (int j = i; j < n; j++) {
      carom_node entry = carom_node_derivative(graph, momentum, s->coordinates[j].rate);
      if (!entry) return carom_loader_graph_failed(loader, s->energies.kinetic.place);
      mass[i * n + j] = mass[j * n + i] = entry;
      if (!carom_node_depends_kind(graph, entry, CAROM_KIND(RATE))) continue;
      for (int k = 0; k < n; k++) {
        carom_node third = carom_node_derivative(graph, entry, s->coordinates[k].rate);
        if (!third) return carom_loader_graph_failed(loader, s->energies.kinetic.place);
        if (carom_loader_vanishes(loader, third, kinetic)) continue;
        return carom_fail_at(loader->error, CAROM_ERR_INPUT, s->energies.kinetic.place,
                             "energy.kinetic must be quadratic in the rates, but it is not in %s",
                             carom_node_as_symbol(graph, s->coordinates[k].rate)->name);
      }
    }
  }
  return CAROM_OK;
}

// values of many nodes at once, for the given values of all symbols
static carom_status run_program(const carom_program *program, carom_arena *scratch, int inputs,
                                const double *values, int count, double *out, carom_error *error) {
  double *work = carom_arena_array(scratch, (size_t)carom_program_registers(program), sizeof *work);
  if (!work) return carom_fail_memory(error);
  memcpy(work, values, (size_t)inputs * sizeof *work);
  carom_program_setup(program, work);
  carom_program_run(program, work);
  for (int k = 0; k < count; k++)
    out[k] = work[carom_program_output(program, k)];
  return CAROM_OK;
}

static carom_status evaluate_all(carom_loader *loader, int count, const carom_node *nodes,
                                 const double *values, double *out) {
  carom_graph *graph = loader->graph;
  int inputs = carom_graph_symbol_count(graph);
  carom_node *symbols = carom_arena_array(loader->arena, (size_t)inputs, sizeof *symbols);
  carom_arena *scratch = carom_arena_create(carom_arena_allocator(loader->arena));
  carom_status status = CAROM_ERR_MEMORY;
  if (symbols && scratch) {
    carom_program *program = NULL;
    for (int k = 0; k < inputs; k++)
      symbols[k] = carom_graph_symbol(graph, k)->node;
    status = carom_program_compile(scratch, graph, inputs, symbols, count, nodes, &program,
                                   loader->error);
    if (!status) status = run_program(program, scratch, inputs, values, count, out, loader->error);
  } else {
    carom_fail_memory(loader->error);
  }
  carom_arena_destroy(scratch);
  return status;
}

static carom_status fail_mass(carom_loader *loader, int i, double pivot, double diagonal) {
  const carom_scenario *s = loader->scenario;
  const char *name = s->coordinates[i].name;
  carom_place place = s->energies.kinetic.place;
  carom_error *error = loader->error;
  carom_node kinetic = carom_loader_replace_rates(loader, s->energies.kinetic.node, 0);
  if (!s->coordinates[i].symbol && kinetic &&
      !carom_node_depends(loader->graph, kinetic, s->coordinates[i].rate))
    return carom_fail_at(
        error, CAROM_ERR_INPUT, place,
        "energy.kinetic contains the speed '%s' neither itself nor through a rate, "
        "so it has no mass",
        name);
  if (kinetic && !carom_node_depends(loader->graph, kinetic, s->coordinates[i].rate))
    return carom_fail_at(error, CAROM_ERR_INPUT, place,
                         "energy.kinetic does not contain %s', so the coordinate '%s' has no mass",
                         name, name);
  if (diagonal == 0.0)
    return carom_fail_at(error, CAROM_ERR_INPUT, place,
                         "the mass of the coordinate '%s' is zero at the start", name);
  if (diagonal < 0.0 || pivot < -1e-9 * diagonal)
    return carom_fail_at(error, CAROM_ERR_INPUT, place,
                         "the kinetic energy is negative for some motions of the coordinate '%s'",
                         name);
  return carom_fail_at(error, CAROM_ERR_INPUT, place,
                       "the mass matrix is singular at the start: the coordinate '%s' can move, "
                       "together with those above it, without kinetic energy",
                       name);
}

static carom_status check_inertia(carom_loader *loader, const double *values) {
  const carom_scenario *s = loader->scenario;
  int n = carom_scenario_rates(s);
  if (n == 0) return CAROM_OK;
  if (!s->energies.kinetic.node)
    return carom_fail_at(loader->error, CAROM_ERR_INPUT, s->coordinates[0].place,
                         "the coordinate '%s' needs a kinetic energy: give energy.kinetic, or make "
                         "it a state",
                         s->coordinates[0].name);
  size_t entries = (size_t)n * (size_t)n;
  carom_node *mass = carom_arena_array(loader->arena, entries, sizeof *mass);
  double *M = carom_arena_array(loader->arena, entries, sizeof *M);
  if (!mass || !M) return carom_fail_memory(loader->error);
  carom_status status = check_quadratic(loader, mass);
  if (!status) status = evaluate_all(loader, (int)entries, mass, values, M);
  for (size_t k = 0; !status && k < entries; k++)
    if (!isfinite(M[k]))
      status = carom_fail_at(loader->error, CAROM_ERR_INPUT, s->energies.kinetic.place,
                             "the mass matrix is not finite at the start (row of '%s')",
                             s->coordinates[k / (size_t)n].name);
  if (status) return status;
  // a pivot that rounding could have left names its coordinate
  double pivot = 0.0;
  int i = carom_find_not_positive(n, M, 1e-12, &pivot);
  return i < n ? fail_mass(loader, i, pivot, M[i * n + i]) : CAROM_OK;
}

// ---- numbers in their ranges

// a law that depends on parameters alone can be judged now; others are judged during the run
static bool known_value(carom_loader *loader, carom_node node, unsigned kinds, const double *values,
                        double *value) {
  if (!node || carom_node_depends_kind(loader->graph, node, ~kinds)) return false;
  *value = carom_loader_value(loader, node, values);
  return true;
}

static carom_place place_in(const carom_yaml *map, const char *key, carom_place other) {
  const carom_yaml *value = carom_yaml_get(map, key);
  return value ? value->place : other;
}

// mu >= 0 and mu_s >= mu; `slip` is 0 in `values`, so a law of slip is judged at rest
static carom_status check_friction(carom_loader *loader, const carom_contact *c, carom_node stick,
                                   carom_node slide, const carom_yaml *given,
                                   const double *values) {
  unsigned kinds = CAROM_KINDS_FIXED | CAROM_KIND(OTHER);
  double at_rest = 0.0, sliding = 0.0;
  carom_place place = given ? given->place : c->place;
  if (!known_value(loader, slide, kinds, values, &sliding)) return CAROM_OK;
  if (!(sliding >= 0.0 && isfinite(sliding)))
    return carom_fail_at(loader->error, CAROM_ERR_INPUT, place_in(given, "slip", place),
                         "contacts.%s: the friction coefficient is %g; it must be 0 or more",
                         c->name, sliding);
  if (!known_value(loader, stick, kinds, values, &at_rest)) return CAROM_OK;
  if (!(at_rest >= sliding && isfinite(at_rest)))
    return carom_fail_at(
        loader->error, CAROM_ERR_INPUT, place_in(given, "stick", place),
        "contacts.%s: the coefficient of stick (%g) must not be below that of slip "
        "(%g)",
        c->name, at_rest, sliding);
  return CAROM_OK;
}

static carom_status check_across(carom_loader *loader, const carom_contact *c,
                                 const carom_yaml *given, const double *values) {
  double value = 0.0;
  if (!known_value(loader, c->across, CAROM_KINDS_FIXED, values, &value) ||
      (value > 0.0 && isfinite(value)))
    return CAROM_OK;
  return carom_fail_at(loader->error, CAROM_ERR_INPUT, place_in(given, "across", c->place),
                       "contacts.%s.friction.across is %g; it must be positive", c->name, value);
}

static carom_status check_impact(carom_loader *loader, const carom_contact *c,
                                 const carom_yaml *given, const double *values) {
  double value = 0.0;
  carom_place place = given ? given->place : c->place;
  if (known_value(loader, c->restitution, CAROM_KINDS_FIXED, values, &value) &&
      !(value >= 0.0 && value <= 1.0))
    return carom_fail_at(
        loader->error, CAROM_ERR_INPUT, place_in(given, "e", place),
        "contacts.%s: the coefficient of restitution is %g; it lies between 0 and 1", c->name,
        value);
  if (known_value(loader, c->give_back, CAROM_KINDS_FIXED, values, &value) &&
      !(value >= -1.0 && value <= 1.0))
    return carom_fail_at(loader->error, CAROM_ERR_INPUT, place_in(given, "et", place),
                         "contacts.%s: the tangential restitution is %g; it lies between -1 and 1",
                         c->name, value);
  if (known_value(loader, c->stiffness, CAROM_KINDS_FIXED, values, &value) &&
      !(value > 0.0 && isfinite(value)))
    return carom_fail_at(loader->error, CAROM_ERR_INPUT, place_in(given, "stiffness", place),
                         "contacts.%s: the stiffness is %g; it must be positive", c->name, value);
  if (known_value(loader, c->exponent, CAROM_KINDS_FIXED, values, &value) &&
      !(value >= 1.0 && isfinite(value)))
    return carom_fail_at(loader->error, CAROM_ERR_INPUT, place_in(given, "exponent", place),
                         "contacts.%s: the exponent is %g; it must be 1 or more", c->name, value);
  return CAROM_OK;
}

static carom_status check_contacts(carom_loader *loader, const double *values) {
  const carom_scenario *s = loader->scenario;
  const carom_yaml *contacts = carom_yaml_get(loader->document->root, "contacts");
  for (int k = 0; k < s->contact_count; k++) {
    const carom_contact *c = &s->contacts[k];
    const carom_yaml *friction = carom_loader_get(contacts->values[k], "friction");
    const carom_yaml *impact = carom_loader_get(friction, "impact");
    carom_status status = check_friction(loader, c, c->stick, c->slide, friction, values);
    if (!status) status = check_across(loader, c, friction, values);
    if (!status && impact)
      status = check_friction(loader, c, c->impact_stick, c->impact_slide, impact, values);
    if (!status)
      status = check_impact(loader, c, carom_loader_get(contacts->values[k], "impact"), values);
    if (status) return status;
  }
  return CAROM_OK;
}

// ---- run and measure

typedef struct range {
  const char *key;
  carom_node node;
  double above, below; // open at both ends
  const char *expected;
} range;

static carom_status check_range(carom_loader *loader, const carom_yaml *map, const char *section,
                                const range *r, const double *values) {
  if (!r->node) return CAROM_OK;
  double value = carom_loader_value(loader, r->node, values);
  if (value > r->above && value < r->below) return CAROM_OK;
  return carom_fail_at(loader->error, CAROM_ERR_INPUT, place_in(map, r->key, map->place),
                       "%s.%s is %g; it must be %s", section, r->key, value, r->expected);
}

// a slip of the pen in the sampling interval would keep a run busy for ever
static carom_status check_sample(carom_loader *loader, const carom_yaml *map, double start,
                                 const double *values) {
  const carom_run_settings *run = &loader->scenario->run;
  if (!run->sample || !run->until) return CAROM_OK;
  double length = carom_loader_value(loader, run->until, values) - start;
  double count = length / carom_loader_value(loader, run->sample, values);
  if (count <= MOST_SAMPLES) return CAROM_OK;
  return carom_fail_at(loader->error, CAROM_ERR_INPUT, place_in(map, "sample", map->place),
                       "run.sample asks for %.3g samples; at most %g are taken", count,
                       MOST_SAMPLES);
}

static carom_status check_longest_step(carom_loader *loader, const carom_yaml *map, double start,
                                       const double *values) {
  const carom_run_settings *run = &loader->scenario->run;
  if (!run->h_max || !run->until) return CAROM_OK;
  double length = carom_loader_value(loader, run->until, values) - start;
  double h_max = carom_loader_value(loader, run->h_max, values);
  if (length / h_max <= MOST_STEPS) return CAROM_OK;
  return carom_fail_at(loader->error, CAROM_ERR_INPUT, place_in(map, "h_max", map->place),
                       "run.h_max is %g; it must be at least %g, 1e-15 of the run", h_max,
                       length / MOST_STEPS);
}

static carom_status check_run(carom_loader *loader, const double *values) {
  const carom_run_settings *run = &loader->scenario->run;
  const carom_yaml *map = carom_yaml_get(loader->document->root, "run");
  double inf = HUGE_VAL;
  double start = run->start ? carom_loader_value(loader, run->start, values) : 0.0;
  const range ranges[] = {
      {"start", run->start, -inf, inf, "a finite time"},
      {"until", run->until, start, inf, "after the start of the run"},
      {"sample", run->sample, 0.0, inf, "positive"},
      {"rtol", run->rtol, TIGHTEST, 1.0, "between 1e-16, the rounding of a number, and 1"},
      {"atol", run->atol, 0.0, inf, "positive"},
      {"h_max", run->h_max, 0.0, inf, "positive"},
      {"period", run->period, 0.0, inf, "positive"},
      {"event_tolerance", run->event_tolerance, 0.0, inf, "positive"},
      {"max_events", run->max_events, 0.0, inf, "positive"},
      {"compliant", run->compliant, 0.0, inf, "positive"},
  };
  for (size_t k = 0; k < sizeof ranges / sizeof *ranges; k++) {
    carom_status status = check_range(loader, map, "run", &ranges[k], values);
    if (status) return status;
  }
  carom_status status = check_sample(loader, map, start, values);
  if (!status) status = check_longest_step(loader, map, start, values);
  if (status) return status;
  bool ratio = run->chatter && strcmp(run->chatter, "ratio") == 0;
  range chatter = {run->chatter, run->chatter_value, 0.0, ratio ? 1.0 : inf,
                   ratio ? "between 0 and 1" : "positive"};
  return check_range(loader, carom_yaml_get(map, "chatter"), "run.chatter", &chatter, values);
}

// Is the end of the run set from outside? Then this may be a part of a run that goes on later,
// before or while it is measured.
static bool ends_early(const carom_loader *loader) {
  const carom_yaml *run = carom_yaml_get(loader->document->root, "run");
  const carom_yaml *until = run ? carom_yaml_get(run, "until") : NULL;
  return until && until->place.file && strncmp(until->place.file, "--set ", 6) == 0;
}

static carom_status check_measure(carom_loader *loader, const double *values) {
  const carom_scenario *s = loader->scenario;
  const carom_yaml *map = carom_yaml_get(loader->document->root, "measure");
  double start = s->run.start ? carom_loader_value(loader, s->run.start, values) : 0.0;
  double before = nextafter(start, -HUGE_VAL); // the range is open, and the start itself is allowed
  const range after = {"after", s->measure.after.node, before, HUGE_VAL, "in the run"};
  const range over = {"over", s->measure.over.node, 0.0, HUGE_VAL, "positive"};
  carom_status status = check_range(loader, map, "measure", &after, values);
  if (!status) status = check_range(loader, map, "measure", &over, values);
  if (status || (!after.node && !over.node)) return status;

  // the window lies within the run; rounding of 300/f + 100/f against 400/f is forgiven
  double until = carom_loader_value(loader, s->run.until, values);
  double begin = after.node ? carom_loader_value(loader, after.node, values) : start;
  double length = over.node ? carom_loader_value(loader, over.node, values) : 0.0;
  double end = begin + length;
  bool fits = over.node ? end <= until + 1e-9 * (until - start) : end < until;
  if (fits || ends_early(loader)) return CAROM_OK;
  if (begin >= until)
    return carom_fail_at(loader->error, CAROM_ERR_INPUT, map->place,
                         "measuring would begin at %g, but the run ends at run.until = %g; "
                         "measure.after can be set too",
                         begin, until);
  return carom_fail_at(loader->error, CAROM_ERR_INPUT, map->place,
                       "measuring would end at %g, but the run ends at run.until = %g", end, until);
}

// ---- the start

static carom_status check_finite(carom_loader *loader, const carom_quantity *quantity,
                                 const char *name, const double *values) {
  if (!quantity->node) return CAROM_OK;
  double value = carom_loader_value(loader, quantity->node, values);
  if (isfinite(value)) return CAROM_OK;
  return carom_fail_at(loader->error, CAROM_ERR_INPUT, quantity->place, "%s is %s at the start",
                       name, isnan(value) ? "not a number" : "infinite");
}

static carom_status check_start(carom_loader *loader, const double *values) {
  const carom_scenario *s = loader->scenario;
  carom_status status = check_finite(loader, &s->energies.kinetic, "energy.kinetic", values);
  if (!status) status = check_finite(loader, &s->energies.potential, "energy.potential", values);
  if (!status)
    status = check_finite(loader, &s->energies.dissipation, "energy.dissipation", values);
  for (int k = 0; !status && k < s->contact_count; k++) {
    const carom_contact *c = &s->contacts[k];
    if (c->carried) continue; // by forces, which are not known yet
    status = check_finite(loader, c->load.node ? &c->load : &c->gap, c->gap.name, values);
  }
  for (int k = 0; !status && k < s->state_count; k++) {
    const carom_state *z = &s->states[k];
    carom_quantity equation = {z->name, z->equation, z->place};
    status = check_finite(loader, &equation, carom_loader_path(loader, "states.%s.rate", z->name),
                          values);
  }
  return status;
}

carom_status carom_load_checks(carom_loader *loader) {
  const carom_scenario *s = loader->scenario;
  if (carom_scenario_rates(s) == 0 && s->state_count == 0)
    return carom_fail_at(loader->error, CAROM_ERR_INPUT, loader->document->root->place,
                         "nothing moves: give coordinates (with energy) or states");
  int count = carom_graph_symbol_count(loader->graph);
  double *values = carom_arena_array(loader->arena, (size_t)count, sizeof *values);
  if (!values) return carom_fail_memory(loader->error);
  carom_status status = carom_scenario_values(s, NULL, values, loader->error);
  if (!status) status = check_run(loader, values);
  if (!status) status = check_measure(loader, values);
  if (!status && !s->described.field && !s->described.grains && !s->described.stepping)
    status = check_inertia(loader, values);
  if (!status) status = check_contacts(loader, values);
  if (!status && !s->described.grains && !s->described.stepping)
    status = check_start(loader, values);
  if (!status && carom_graph_status(loader->graph))
    status = carom_loader_graph_failed(loader, (carom_place){0});
  return status;
}
