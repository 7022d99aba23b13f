// SPDX-License-Identifier: MIT
/// One simulation of the event-driven engine: room, start, settings by name.
#include "base/linear.h"
#include "engine/names.h"
#include "hybrid/hybrid_scene.h"
#include "hybrid/leg.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { DEFAULT_MAX_EVENTS = 10000000 };
static const double PERIODIC_RTOL = 1e-11;
static const double DEFAULT_RTOL = 1e-10, DEFAULT_ATOL = 1e-12, DEFAULT_EVENT_TOLERANCE = 10.0,
                    DEFAULT_CHATTER_RATIO = 1e-6;

static carom_hybrid *hybrid_of(const carom_simulation *simulation) { return simulation->state; }

static double *take_numbers(carom_arena *arena, int count) {
  return carom_arena_array(arena, (size_t)count, sizeof(double));
}

static int parameter_count(const carom_hybrid_model *model) { return model->dynamics->parameters; }

// behind the start values stand the time, per contact 1 where it is closed, and 1 where chatter
// ends where it piles up
int carom_hybrid_start_count(const carom_hybrid_model *model) {
  return model->dynamics->size + 2 + model->contacts.count;
}

static bool *take_flags(carom_arena *arena, int count) {
  return carom_arena_array(arena, (size_t)count, sizeof(bool));
}

static carom_sampler sampler_room(carom_arena *arena, int columns) {
  return (carom_sampler){take_numbers(arena, columns), take_numbers(arena, columns),
                         take_numbers(arena, columns), take_numbers(arena, columns)};
}

static carom_striking striking_room(carom_arena *arena, const carom_hybrid_model *model) {
  int contacts = model->contacts.count, rows = model->dynamics->rows;
  carom_striking room = {
      .approach = take_numbers(arena, rows),
      .residue = take_numbers(arena, rows),
      .restitution = take_numbers(arena, contacts),
      .give_back = take_numbers(arena, contacts),
      .stiffness = take_numbers(arena, contacts),
      .exponent = take_numbers(arena, contacts),
      .space = take_numbers(arena, model->contacts.spatial > 0 ? 6 * rows + contacts : 0),
      .habit = carom_arena_array(arena, (size_t)contacts, sizeof(carom_energetic_habit)),
      .impact_by_law = take_flags(arena, contacts),
      .laws = carom_arena_array(arena, (size_t)contacts, sizeof(carom_impact_law)),
      .impact_work = carom_impact_workspace_create(arena, rows, contacts)};
  for (int k = 0; k < contacts && !room.energetic_work; k++)
    if (model->contacts.contacts[k].law == CAROM_LAW_ENERGETIC)
      room.energetic_work = carom_energetic_workspace_create(arena, rows, contacts);
  if (room.energetic_work && model->contacts.spatial > 0)
    room.together = carom_together_create(arena, model);
  return room;
}

static carom_instant instant_room(carom_arena *arena, const carom_hybrid *it) {
  const carom_hybrid_model *model = it->model;
  int contacts = model->contacts.count, rows = model->dynamics->rows,
      watched = model->watched_count;
  return (carom_instant){
      .entered = take_numbers(arena, it->size),
      .rules = {.value = take_numbers(arena, watched),
                .after = take_numbers(arena, watched),
                .rate = take_numbers(arena, it->size),
                .bends = carom_arena_array(arena, (size_t)watched, sizeof(carom_bend)),
                .known = take_flags(arena, watched),
                .holds = take_flags(arena, watched + 3)},
      .acted = take_flags(arena, watched),
      .crossed = carom_arena_array(arena, (size_t)watched + 3, sizeof(carom_root)),
      .old_modes = carom_arena_array(arena, (size_t)contacts, sizeof(carom_contact_mode)),
      .tried = carom_arena_array(arena, CAROM_MODES_TRIED * (size_t)contacts,
                                 sizeof(carom_contact_mode)),
      .landed = take_flags(arena, contacts),
      .halted = take_flags(arena, contacts),
      .touching = take_flags(arena, contacts),
      .kept = take_flags(arena, contacts),
      .noted = take_numbers(arena, 2 * rows),
      .ahead = take_numbers(arena, rows * (rows + 3)),
      .closing = {take_flags(arena, contacts), take_numbers(arena, contacts)},
      .striking = striking_room(arena, model)};
}

static double *take_registers(carom_arena *arena, const carom_program *program) {
  return program ? take_numbers(arena, carom_program_registers(program)) : NULL;
}

// energy integrals behind the state vector, one per non-zero power
static int count_quadratures(const carom_dynamics *dynamics) {
  int count = 0;
  for (int k = 0; k < 4; k++)
    count += dynamics->has_power[k];
  return count;
}

static carom_status make_room(carom_hybrid *it, carom_arena *arena, carom_error *error) {
  const carom_hybrid_model *model = it->model;
  const carom_dynamics *d = model->dynamics;
  long failures = carom_arena_failures(arena);
  it->size = d->size + count_quadratures(d);
  int symbols = model->scenario ? carom_graph_symbol_count(model->scenario->graph) : 0;
  int events = model->functions ? model->functions->events.count : 0;
  size_t watched = (size_t)model->watched_count, followed = (size_t)model->followed_count;
  it->y = take_numbers(arena, it->size);
  it->modes = take_numbers(arena, d->modes);
  it->memory = carom_arena_array(arena, (size_t)model->contacts.count, sizeof *it->memory);
  it->tallies = carom_arena_array(arena, followed, sizeof *it->tallies);
  (void)carom_settings_room(&it->settings, arena, parameter_count(model),
                            carom_hybrid_start_count(model), symbols);
  it->watching.work = carom_arena_array(arena, watched, sizeof *it->watching.work);
  it->observing.follow_work = carom_arena_array(arena, followed, sizeof *it->observing.follow_work);
  it->observing.kink_work = carom_arena_array(arena, followed, sizeof *it->observing.kink_work);
  it->watching.watch = carom_arena_array(arena, watched + 2, sizeof *it->watching.watch);
  it->watching.memory = carom_arena_array(arena, watched, sizeof *it->watching.memory);
  it->watching.roots = carom_arena_array(arena, watched + 3, sizeof *it->watching.roots);
  it->observing.sample_values = take_numbers(arena, model->column_count);
  it->observing.sampler = sampler_room(arena, model->column_count);
  it->before = take_numbers(arena, it->size);
  it->instant = instant_room(arena, it);
  it->fitting.numbers =
      carom_arena_array(arena, carom_fit_room(model), sizeof *it->fitting.numbers);
  it->fitting.order = carom_arena_array(arena, 2 * (size_t)d->n + (size_t)model->constraints,
                                        sizeof *it->fitting.order);
  it->room.box = carom_arena_array(arena, (size_t)d->size, sizeof *it->room.box);
  it->rate = take_numbers(arena, it->size);
  it->room.weight = take_numbers(arena, it->size);
  it->room.scratch = take_numbers(arena, 2 * it->size + d->size + 2 * events);
  it->room.turning = take_numbers(arena, d->turned * d->n + d->invariants * (1 + d->turned));
  it->room.impulse = take_numbers(arena, d->rows);
  it->room.square = take_numbers(arena, d->rows * d->rows);
  it->room.order = carom_arena_array(arena, 2 * (size_t)d->rows, sizeof *it->room.order);
  it->tolerance.gap = take_numbers(arena, model->contacts.count);
  it->tolerance.speed = take_numbers(arena, model->contacts.count);
  it->tolerance.slip = take_numbers(arena, model->contacts.count);
  it->room.limit_registers = take_registers(arena, model->compliant.limits);
  it->observing.probe_registers = take_registers(arena, model->probe.program);
  it->observing.apart_registers = take_registers(arena, model->probe.apart.program);
  return carom_arena_failures(arena) == failures ? CAROM_OK : carom_fail_memory(error);
}

static carom_status init_followed(carom_hybrid *it, int k, carom_arena *arena, carom_error *error) {
  assert(k >= 0 && k < it->model->followed_count);
  const carom_followed *followed = &it->model->followed[k];
  if (!followed->function.program) return CAROM_OK;
  carom_status status =
      carom_watch_work_init(&it->observing.follow_work[k], arena, &followed->function, error);
  it->observing.kink_work[k] =
      carom_arena_array(arena, (size_t)followed->kink_count, sizeof *it->observing.kink_work[k]);
  if (status == CAROM_OK && !it->observing.kink_work[k]) status = carom_fail_memory(error);
  for (int j = 0; j < followed->kink_count && status == CAROM_OK; j++)
    status =
        carom_watch_work_init(&it->observing.kink_work[k][j], arena, &followed->kinks[j], error);
  return status;
}

static carom_status init_watches(carom_hybrid *it, carom_arena *arena, carom_error *error) {
  const carom_hybrid_model *model = it->model;
  carom_status status = CAROM_OK;
  for (int k = 0; status == CAROM_OK && model->scenario && k < model->watched_count; k++)
    status =
        carom_watch_work_init(&it->watching.work[k], arena, &model->watched[k].function, error);
  if (status == CAROM_OK)
    status = carom_narrow_work_init(&it->watching.narrow, arena, &model->narrow, error);
  for (int k = 0; status == CAROM_OK && k < model->followed_count; k++)
    status = init_followed(it, k, arena, error);
  return status;
}

// all but the start
carom_status carom_hybrid_make(carom_simulation *simulation, carom_error *error) {
  carom_arena *arena = simulation->arena;
  carom_hybrid *it = carom_arena_take(arena, sizeof *it);
  if (!it) return carom_fail_memory(error);
  it->model = simulation->model->prepared;
  it->simulation = simulation;
  simulation->state = it;
  it->watching.looks = it->model->watched_count > 0;
  carom_status status = make_room(it, arena, error);
  if (status == CAROM_OK)
    status = carom_dynamics_work_init(&it->work, arena, it->model->dynamics, error);
  if (status == CAROM_OK)
    status = carom_contact_evaluation_init(&it->contact, arena, &it->model->contacts,
                                           it->model->dynamics, error);
  if (status == CAROM_OK && it->contact.work)
    carom_impact_share_room(it->instant.striking.impact_work, it->contact.work);
  if (status == CAROM_OK)
    status = carom_lone_work_init(&it->phases.lone, arena, &it->model->lone, it->size, error);
  if (status == CAROM_OK)
    status = carom_phase_work_init(&it->phases.free, arena, &it->model->free_series, error);
  if (status == CAROM_OK) status = init_watches(it, arena, error);
  if (status == CAROM_OK) status = carom_solids_init(&it->watching.solids, arena, it->model, error);
  if (status == CAROM_OK) status = carom_patch_init(&it->watching.patches, arena, it->model, error);
  if (status == CAROM_OK) status = carom_seen_init(it, arena, error);
  if (status != CAROM_OK) return status;
  carom_stepper_options options = carom_stepper_options_default();
  status = carom_stepper_init(&it->stepper, arena, it->size, carom_hybrid_rhs, it, &options, error);
  const carom_phase_series *free = &it->model->free_series;
  if (status == CAROM_OK && free->program)
    status = carom_stepper_series(&it->stepper, arena, free->degree,
                                  carom_phase_series_room(it->model), carom_hybrid_series, error);
  if (status == CAROM_OK) status = carom_beside_init(it, arena, error);
  if (status == CAROM_OK && !carom_surfaces_init(it, arena)) status = carom_fail_memory(error);
  return status;
}

static carom_status hybrid_create(carom_simulation *simulation, carom_error *error) {
  carom_status status = carom_hybrid_make(simulation, error);
  return status == CAROM_OK ? carom_hybrid_start(simulation->state, error) : status;
}

static void hybrid_destroy(carom_simulation *simulation) {
  if (simulation->state) carom_hybrid_tangent_release(simulation->state);
}

static void configure_followed(carom_hybrid *it, int k) {
  assert(k >= 0 && k < it->model->followed_count);
  const carom_followed *followed = &it->model->followed[k];
  const carom_dynamics *d = it->model->dynamics;
  if (!followed->function.program) return;
  carom_watch_configure(&followed->function, &it->observing.follow_work[k], d,
                        it->settings.parameters, it->modes);
  for (int j = 0; j < followed->kink_count; j++)
    carom_watch_configure(&followed->kinks[j], &it->observing.kink_work[k][j], d,
                          it->settings.parameters, it->modes);
}

void carom_hybrid_configure_rates(carom_hybrid *it) {
  const carom_hybrid_model *model = it->model;
  it->configuration++;
  carom_dynamics_configure(model->dynamics, &it->work, it->settings.parameters, it->modes);
  carom_contact_configure(&model->contacts, &it->contact, model->dynamics, it->settings.parameters,
                          it->modes);
}

void carom_hybrid_configure(carom_hybrid *it) {
  const carom_hybrid_model *model = it->model;
  const carom_dynamics *d = model->dynamics;
  it->configuration++;
  carom_patch_put(it);
  carom_surfaces_list(it);
  carom_dynamics_configure(d, &it->work, it->settings.parameters, it->modes);
  if (!model->scenario) return;
  carom_contact_configure(&model->contacts, &it->contact, d, it->settings.parameters, it->modes);
  for (int k = 0; k < model->watched_count; k++)
    carom_watch_configure(&model->watched[k].function, &it->watching.work[k], d,
                          it->settings.parameters, it->modes);
  carom_narrow_configure(&model->narrow, &it->watching.narrow, d, it->settings.parameters,
                         it->modes);
  for (int k = 0; k < model->followed_count; k++)
    configure_followed(it, k);
  carom_hybrid_set_up(it, model->probe.program, it->observing.probe_registers);
  if (model->probe.apart.program)
    carom_hybrid_set_up(it, model->probe.apart.program, it->observing.apart_registers);
  carom_solids_set_up(it);
  if (model->seen.program)
    carom_hybrid_set_up(it, model->seen.program, it->observing.seen_registers);
}

void carom_hybrid_set_up(const carom_hybrid *it, const carom_program *program, double *registers) {
  const carom_dynamics *d = it->model->dynamics;
  double *at = registers + 1 + d->size;
  memcpy(at, it->modes, (size_t)d->modes * sizeof *at);
  memcpy(at + d->modes, it->settings.parameters, (size_t)d->parameters * sizeof *at);
  carom_program_setup(program, registers);
}

static carom_chatter_rule chatter_rule(const char *name) {
  static const char *const NAMES[] = {[CAROM_CHATTER_SPEED] = "speed",
                                      [CAROM_CHATTER_TIME] = "time",
                                      [CAROM_CHATTER_ACCUMULATION] = "accumulation"};
  for (int k = CAROM_CHATTER_SPEED; name && k <= CAROM_CHATTER_ACCUMULATION; k++)
    if (strcmp(name, NAMES[k]) == 0) return (carom_chatter_rule)k;
  return CAROM_CHATTER_RATIO;
}

// the number a run setting stands for, or its default
static double setting_value(const carom_hybrid *it, carom_node node, double otherwise,
                            carom_error *error) {
  return node ? carom_node_evaluate(it->model->scenario->graph, node, it->settings.values, error)
              : otherwise;
}

// Whether a hop that is about to vanish ends in an impact, and so its word, depends on what can be
// told from zero: periodic motions are sought with no looser tolerances than these.
static void tighten_tolerances(carom_run_numbers *r) {
  double part = fmin(1.0, PERIODIC_RTOL / r->rtol);
  r->rtol *= part;
  r->atol *= part;
}

static carom_status read_scenario_numbers(carom_hybrid *it, carom_error *error) {
  const carom_scenario *s = it->model->scenario;
  carom_status status = carom_settings_read(&it->settings, s, error);
  if (status != CAROM_OK) return status;
  for (int i = 0; i < it->model->path.size; i++)
    it->y[i] = it->settings.values[carom_scenario_symbol_index(s, it->model->path.y[i])];
  const carom_run_settings *run = &s->run;
  carom_run_numbers *r = &it->run;
  carom_error missed = {0}; // a number that memory did not suffice for is none
  r->start = setting_value(it, run->start, 0.0, &missed);
  r->until = setting_value(it, run->until, 0.0, &missed);
  r->sample = setting_value(it, run->sample, (r->until - r->start) / 1000.0, &missed);
  r->follows = !run->sample;
  r->rtol = setting_value(it, run->rtol, DEFAULT_RTOL, &missed);
  r->atol = setting_value(it, run->atol, r->rtol * (DEFAULT_ATOL / DEFAULT_RTOL), &missed);
  r->h_max = setting_value(it, run->h_max, 0.0, &missed);
  r->period =
      run->period ? setting_value(it, run->period, 0.0, &missed) : carom_drive_period(it, &missed);
  r->event_tolerance = setting_value(it, run->event_tolerance, DEFAULT_EVENT_TOLERANCE, &missed);
  r->max_events = setting_value(it, run->max_events, DEFAULT_MAX_EVENTS, &missed);
  r->window_start = setting_value(it, s->measure.after.node, r->start, &missed);
  double over = setting_value(it, s->measure.over.node, INFINITY, &missed);
  r->window_end = r->window_start + over;
  bool wants = !run->hold || strcmp(run->hold, "energy") == 0;
  r->hold_energy = wants && it->model->dynamics->conservative;
  r->loose = run->detect && strcmp(run->detect, "step ends") == 0;
  r->piles = it->settings.start_given[carom_hybrid_start_count(it->model) - 1] == 1.0;
  if (r->piles) tighten_tolerances(r);
  r->chatter = r->piles ? CAROM_CHATTER_ACCUMULATION : chatter_rule(run->chatter);
  r->chatter_value = r->piles
                         ? DEFAULT_CHATTER_RATIO
                         : setting_value(it, run->chatter_value, DEFAULT_CHATTER_RATIO, &missed);
  return missed.status == CAROM_ERR_MEMORY ? carom_fail_memory(error) : CAROM_OK;
}

static double given_or(const double *values, int k, double otherwise) {
  return values ? values[k] : otherwise;
}

static void read_function_numbers(carom_hybrid *it) {
  const carom_functions *f = it->model->functions;
  int n = f->coordinates.count;
  for (int k = 0; k < f->parameters.count; k++)
    it->settings.parameters[k] = isnan(it->settings.given[k])
                                     ? given_or(f->parameter_values, k, 0.0)
                                     : it->settings.given[k];
  for (int i = 0; i < n; i++) {
    it->y[i] = given_or(f->start, i, 0.0);
    it->y[n + i] = given_or(f->start_rate, i, 0.0);
  }
  for (int k = 0; k < f->states.count; k++)
    it->y[2 * n + k] = given_or(f->state_start, k, 0.0);
  double rtol = f->run.rtol > 0.0 ? f->run.rtol : DEFAULT_RTOL;
  it->run = (carom_run_numbers){.until = f->run.until,
                                .sample = f->run.sample,
                                .rtol = rtol,
                                .atol = f->run.atol > 0.0 ? f->run.atol
                                                          : rtol * (DEFAULT_ATOL / DEFAULT_RTOL),
                                .window_end = INFINITY,
                                .max_events = DEFAULT_MAX_EVENTS,
                                .event_tolerance = DEFAULT_EVENT_TOLERANCE};
}

static carom_status start_ledger(carom_hybrid *it, carom_error *error) {
  carom_energy energy;
  carom_status status =
      carom_dynamics_energy(it->model->dynamics, &it->work, it->now.t, it->y, &energy);
  if (status != CAROM_OK) return carom_hybrid_explain(it, status, it->now.t, it->y, error);
  it->now.certificate.energy.kinetic_start = energy.kinetic;
  it->now.certificate.energy.potential_start = energy.potential;
  it->now.books.energy_reference = energy.kinetic + energy.potential;
  it->now.books.energy_scale = fabs(energy.kinetic);
  it->now.books.store_start = energy.drive_store;
  return CAROM_OK;
}

// start values given by name, and the time of a run that goes on from another
static void take_given_start(carom_hybrid *it) {
  int size = it->model->dynamics->size;
  for (int i = 0; i < size; i++)
    if (!isnan(it->settings.start_given[i])) it->y[i] = it->settings.start_given[i];
  carom_run_numbers *run = &it->run;
  double later = it->settings.start_given[size] - run->start;
  if (isnan(later)) return;
  run->until += later;
  run->window_start += later;
  run->window_end += later;
  run->start = it->settings.start_given[size];
}

double carom_hybrid_starts(const carom_hybrid *it, int k) {
  return it->settings.start_given[it->model->dynamics->size + 1 + k];
}

// What the loader refuses, parameters set afterwards may bring back: with a negative mass some
// motions never end.
static carom_status check_mass(carom_hybrid *it, carom_error *error) {
  const carom_scenario *s = it->model->scenario;
  int n = it->model->dynamics->n;
  double *M = it->work.mass;
  if (!s || carom_hybrid_mass(it, M) != CAROM_OK)
    return CAROM_OK; // why not is told where it matters
  double pivot = 0.0;
  int i = carom_find_not_positive(n, M, 0.0, &pivot);
  if (i == n) return CAROM_OK;
  return carom_fail_at(error, CAROM_ERR_INPUT, s->energies.kinetic.place,
                       "with these parameters the kinetic energy is not positive for some motions "
                       "of the coordinate '%s'",
                       s->coordinates[i].name);
}

void carom_hybrid_take_tolerances(carom_hybrid *it) {
  carom_stepper_options *options = &it->stepper.options;
  options->rtol = it->run.rtol;
  options->atol = it->run.atol;
  options->h_max = it->run.h_max;
  options->controlled = it->model->dynamics->size;
}

static carom_status start_motion(carom_hybrid *it, carom_error *error) {
  long evaluations = it->stepper.counts.evaluations; // of motions before
  it->now = (carom_moving){0};
  it->phases.surfaces.known = 0;
  it->phases.surfaces.not_unique = false;
  memset(it->y, 0, (size_t)it->size * sizeof *it->y);
  carom_status status = CAROM_OK;
  if (it->model->scenario)
    status = read_scenario_numbers(it, error);
  else
    read_function_numbers(it);
  if (status != CAROM_OK) return status;
  take_given_start(it);
  for (int k = 0; k < it->model->dynamics->modes; k++)
    it->modes[k] = 1.0;
  for (int k = 0; k < it->model->watched_count; k++) {
    it->watching.watch[k] = (carom_root_watch){.active = true};
    it->watching.memory[k] = (carom_watch_memory){0};
  }
  it->now.t = it->now.last_impact = it->run.start;
  carom_sampling_reset(it);
  carom_tally_start(it);
  carom_patch_start(it);
  carom_hybrid_configure(it);
  status = check_mass(it, error);
  if (status != CAROM_OK) return status;

  // first every contact is open; those that touch are found once the rest fits together
  for (int k = 0; k < it->model->contacts.count; k++)
    it->memory[k].mode = CAROM_CONTACT_OPEN;
  carom_hybrid_list_closed(it);
  status = carom_solids_start(it, error);
  if (status == CAROM_OK) status = carom_hybrid_choose_modes(it, error);
  it->fitting.misfit = (carom_error){0};
  // Told when the motion sets off: values may fit only once others have been set, and not every
  // analysis moves.
  if (status == CAROM_OK) (void)carom_hybrid_fit_start(it, &it->fitting.misfit);
  if (status == CAROM_OK) status = carom_hybrid_assemble(it, it->now.t, it->y, error);
  // a start that breaks a constraint and cannot be brought there, as onto hypot(x, y) = 0
  if (status == CAROM_ERR_NONFINITE && it->fitting.misfit.status != CAROM_OK) {
    if (error) *error = it->fitting.misfit;
    return it->fitting.misfit.status;
  }
  if (status == CAROM_OK) status = carom_solids_renew(it, error);
  if (status == CAROM_OK) carom_hybrid_arm(it);
  if (status == CAROM_OK) status = carom_hybrid_find_touching(it, error);
  if (status == CAROM_OK) carom_patch_begin(it);
  if (status == CAROM_OK) status = start_ledger(it, error);
  if (status != CAROM_OK) return status;
  carom_hybrid_take_tolerances(it);
  status = carom_hybrid_begin(it, error);
  it->now.certificate.counts.evaluations = it->stepper.counts.evaluations - evaluations;
  it->now.stage.untold = it->now.certificate.counts.events > 0;
  return status;
}

carom_status carom_hybrid_start(carom_hybrid *it, carom_error *error) {
  it->observing.muted = true;
  carom_status status = start_motion(it, error);
  it->observing.muted = false;
  return status;
}

// A motion is started before anybody observes it, perhaps several times. The start is gone through
// again for those who do: it has the same bits.
carom_status carom_hybrid_tell_start(carom_hybrid *it, carom_error *error) {
  carom_run_numbers run = it->run; // an analysis may have changed the window
  bool noting = it->clients.leg && it->clients.leg->log.on;
  if (noting) it->clients.leg->log.on = false;
  carom_status status = start_motion(it, error);
  if (noting) it->clients.leg->log.on = true;
  it->run = run;
  it->now.stage.untold = false;
  if (status == CAROM_OK) carom_hybrid_note_phase(it);
  return status;
}

// component of the state vector with this column name, or -1
static int find_component(const carom_hybrid *it, const char *name) {
  for (int i = 0; i < it->model->dynamics->size; i++)
    if (strcmp(it->model->columns[i], name) == 0) return i;
  return -1;
}

static const char *parameter_name(const carom_hybrid_model *model, int k) {
  return model->scenario ? model->scenario->parameters[k].value.name
                         : model->functions->parameters.names[k];
}

static int find_among(const carom_hybrid *it, int count, const char *name) {
  for (int k = 0; k < count; k++)
    if (strcmp(parameter_name(it->model, k), name) == 0) return k;
  return -1;
}

// one that somebody may set
static int find_parameter(const carom_hybrid *it, const char *name) {
  const carom_scenario *s = it->model->scenario;
  return find_among(it, s ? carom_scenario_settable(s) : parameter_count(it->model), name);
}

static carom_status hybrid_set(carom_simulation *simulation, const char *name, double value,
                               carom_error *error) {
  carom_hybrid *it = hybrid_of(simulation);
  if (!isfinite(value))
    return carom_fail(error, CAROM_ERR_ARGUMENT, "the value of '%s' is not finite", name);
  int component = find_component(it, name), parameter = find_parameter(it, name);
  if (component < 0 && parameter < 0) return carom_unknown_name(simulation, name, error);
  double *place =
      component >= 0 ? &it->settings.start_given[component] : &it->settings.given[parameter];
  *place = value;
  return CAROM_OK;
}

// The present time at a new value of a parameter: a drive of another frequency goes on with the
// phase it has, or it would jump, and surfaces that it moves would run into bodies.
static double time_of_phase(carom_hybrid *it, int parameter, double value) {
  const carom_scenario *s = it->model->scenario;
  double before = it->run.period, given = it->settings.given[parameter], t = it->now.t;
  if (!s || !(before > 0.0)) return t;
  it->settings.given[parameter] = value;
  if (carom_settings_read(&it->settings, s, NULL) == CAROM_OK) {
    double after =
        s->run.period ? setting_value(it, s->run.period, 0.0, NULL) : carom_drive_period(it, NULL);
    if (after > 0.0 && isfinite(after) && after != before) t *= after / before;
  }
  it->settings.given[parameter] = given;
  (void)carom_settings_read(&it->settings, s, NULL);
  return t;
}

static carom_status hybrid_change(carom_simulation *simulation, const char *name, double value,
                                  carom_error *error) {
  carom_hybrid *it = hybrid_of(simulation);
  int parameter = name ? find_parameter(it, name) : -1, size = it->model->dynamics->size;
  const carom_item parameters = CAROM_PARAMETERS;
  if (name && parameter < 0)
    return carom_unknown_item(carom_simulation_model(simulation), "parameter", name, 1, &parameters,
                              CAROM_ERR_ARGUMENT, error);
  if (name && !isfinite(value))
    return carom_fail(error, CAROM_ERR_ARGUMENT, "the value of '%s' is not finite", name);
  memcpy(it->settings.start_given, it->y, (size_t)size * sizeof *it->y);
  it->settings.start_given[size] = name ? time_of_phase(it, parameter, value) : it->now.t;
  for (int k = 0; k < it->model->contacts.count; k++)
    it->settings.start_given[size + 1 + k] =
        carom_contact_is_closed(it->memory[k].mode) ? CAROM_STARTS_CLOSED : 0.0;
  if (name) it->settings.given[parameter] = value;
  return carom_hybrid_start(it, error);
}

static carom_status hybrid_reset(carom_simulation *simulation, carom_error *error) {
  return carom_hybrid_start(hybrid_of(simulation), error);
}

static carom_status hybrid_get(carom_simulation *simulation, const char *name, double *value,
                               carom_error *error) {
  carom_hybrid *it = hybrid_of(simulation);
  const carom_hybrid_model *model = it->model;
  const carom_scenario *s = model->scenario;
  if (strcmp(name, "t") == 0) {
    *value = it->now.t;
    return CAROM_OK;
  }
  int parameter = find_among(it, parameter_count(model), name);
  if (parameter >= 0) {
    *value = it->settings.parameters[parameter];
    return CAROM_OK;
  }
  for (int k = 0; s && k < s->measure.observable_count; k++)
    if (strcmp(s->measure.observables[k].name, name) == 0)
      return carom_tally_observable(it, k, value, error);
  // what the state is made of needs no forces
  for (int k = 0; k < model->dynamics->size; k++)
    if (strcmp(model->columns[k], name) == 0) {
      *value = it->y[k];
      return CAROM_OK;
    }
  carom_status status = carom_hybrid_rhs(it, it->now.t, it->y, it->rate);
  if (status != CAROM_OK) return carom_hybrid_explain(it, status, it->now.t, it->y, error);
  size_t length = strlen(name);
  // the rate of a rate (x''), of a speed (w') or of a state (z')
  for (int i = model->dynamics->nq; i < model->dynamics->size; i++) {
    size_t stem = strlen(model->columns[i]);
    if (length == stem + 1 && strncmp(name, model->columns[i], stem) == 0 && name[stem] == '\'') {
      *value = it->rate[i];
      return CAROM_OK;
    }
  }
  for (int k = model->dynamics->size; k < model->column_count; k++) {
    if (strcmp(model->columns[k], name) != 0) continue;
    carom_hybrid_fill_sample(it, it->now.t, it->y);
    *value = it->observing.sample_values[k];
    return CAROM_OK;
  }
  return carom_unknown_name(simulation, name, error);
}

static carom_status hybrid_advance(carom_simulation *simulation, double t_end, bool to_event,
                                   carom_error *error) {
  carom_hybrid *it = hybrid_of(simulation);
  if (!isfinite(t_end) || t_end < it->now.t)
    return carom_fail(error, CAROM_ERR_ARGUMENT, "cannot advance from t = %.15g to %.15g",
                      it->now.t, t_end);
  if (it->fitting.misfit.status != CAROM_OK) {
    if (error) *error = it->fitting.misfit;
    return it->fitting.misfit.status;
  }
  return carom_hybrid_advance(it, t_end, to_event, error);
}

static double hybrid_time(const carom_simulation *simulation) {
  return hybrid_of(simulation)->now.t;
}
static double hybrid_until(const carom_simulation *simulation) {
  return hybrid_of(simulation)->run.until;
}

static double hybrid_measured_from(const carom_simulation *simulation) {
  return hybrid_of(simulation)->run.window_start;
}

static const double *hybrid_state(const carom_simulation *simulation, int *size) {
  if (size) *size = hybrid_of(simulation)->model->dynamics->size;
  return hybrid_of(simulation)->y;
}

static int hybrid_columns(const carom_simulation *simulation) {
  return hybrid_of(simulation)->model->column_count;
}

static const char *hybrid_column(const carom_simulation *simulation, int k) {
  const carom_hybrid_model *model = hybrid_of(simulation)->model;
  return k >= 0 && k < model->column_count ? model->columns[k] : NULL;
}

static carom_status hybrid_certificate(carom_simulation *simulation, carom_certificate *certificate,
                                       carom_error *error) {
  return carom_hybrid_certificate(hybrid_of(simulation), certificate, error);
}

static bool hybrid_cyclic(const carom_model *model, int k) {
  const carom_hybrid_model *prepared = model->prepared;
  return prepared->mechanics && k >= 0 && k < prepared->mechanics->nq &&
         prepared->mechanics->cyclic[k];
}

static bool hybrid_conservative(const carom_model *model) {
  const carom_hybrid_model *prepared = model->prepared;
  return prepared->dynamics->conservative;
}

const carom_engine carom_hybrid_engine = {.name = "hybrid",
                                          .prepare = carom_hybrid_prepare,
                                          .create = hybrid_create,
                                          .destroy = hybrid_destroy,
                                          .set = hybrid_set,
                                          .change = hybrid_change,
                                          .reset = hybrid_reset,
                                          .advance = hybrid_advance,
                                          .together.worth = carom_hybrid_lanes,
                                          .together.advance = carom_hybrid_advance_together,
                                          .read.time = hybrid_time,
                                          .read.until = hybrid_until,
                                          .read.measured_from = hybrid_measured_from,
                                          .read.state = hybrid_state,
                                          .read.value = hybrid_get,
                                          .read.columns = hybrid_columns,
                                          .read.column = hybrid_column,
                                          .tangent.begin = carom_hybrid_tangent_begin,
                                          .tangent.order = carom_hybrid_tangent_order,
                                          .tangent.end = carom_hybrid_tangent_end,
                                          .tangent.matrix = carom_hybrid_tangent_matrix,
                                          .tangent.settle = carom_hybrid_tangent_settle,
                                          .tangent.on_edge = carom_hybrid_tangent_on_edge,
                                          .tangent.met = carom_hybrid_tangent_met,
                                          .tangent.late = carom_hybrid_tangent_late,
                                          .tangent.rates_before = carom_hybrid_tangent_rates_before,
                                          .tangent.after = carom_hybrid_tangent_after,
                                          .tangent.meeting = carom_hybrid_tangent_meeting,
                                          .tangent.graze = carom_hybrid_tangent_graze,
                                          .tangent.kick = carom_hybrid_tangent_kick,
                                          .tangent.record = carom_hybrid_tangent_record,
                                          .tangent.pull = carom_hybrid_tangent_pull,
                                          .turns.place = carom_hybrid_place,
                                          .turns.unobserved = carom_hybrid_unobserved,
                                          .turns.closed = carom_hybrid_closed,
                                          .turns.rates = carom_hybrid_rates,
                                          .turns.held = carom_hybrid_held,
                                          .turns.energy = carom_hybrid_energy,
                                          .turns.word = carom_hybrid_turn,
                                          .turns.pile = carom_hybrid_pile,
                                          .turns.fixed_word = &carom_hybrid_fixed_word,
                                          .turns.period = carom_hybrid_period,
                                          .turns.repeats = carom_hybrid_repeats,
                                          .turns.autonomous = carom_hybrid_autonomous,
                                          .turns.mirrors = carom_hybrid_mirrors,
                                          .save = carom_hybrid_save,
                                          .restore = carom_hybrid_restore,
                                          .lent.make = carom_hybrid_make,
                                          .lent.ready = carom_hybrid_ready_to_lend,
                                          .lent.programs = carom_hybrid_programs,
                                          .lent.lend = carom_hybrid_lend,
                                          .lent.take = carom_hybrid_take,
                                          .read.certificate = hybrid_certificate,
                                          .read.word = carom_hybrid_word,
                                          .read.regime = carom_hybrid_regime,
                                          .facts.cyclic = hybrid_cyclic,
                                          .facts.shifts = carom_hybrid_shifts,
                                          .facts.angle = carom_hybrid_angle,
                                          .facts.conservative = hybrid_conservative,
                                          .facts.derive = carom_hybrid_derive,
                                          .scene = carom_hybrid_scene,
                                          .look = carom_hybrid_look};
