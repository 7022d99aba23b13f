// SPDX-License-Identifier: MIT
// From a checked scenario to the settings of a bed.
#include "grains/grains.h"

#include <math.h>
#include <string.h>

static const double MORE_SAMPLES = 4.0; // than a thousand a run, where a period is known

static const double ROUNDED = 1e-14; // of a unit vector: what rounding leaves of a zero

// ---- once for a model

static carom_status compile_drive(carom_model *model, carom_grains_model *made,
                                  carom_error *error) {
  const carom_scenario *s = made->scenario;
  if (!made->grains->drive) return CAROM_OK;
  int inputs = 1 + s->parameter_count;
  carom_node *symbols = carom_arena_array(model->arena, (size_t)inputs, sizeof *symbols);
  if (!symbols) return carom_fail_memory(error);
  symbols[0] = s->time;
  for (int k = 0; k < s->parameter_count; k++)
    symbols[1 + k] = s->parameters[k].symbol;
  const carom_node outputs[2] = {made->grains->drive, made->grains->drive_rate};
  return carom_program_compile(model->arena, s->graph, inputs, symbols, 2, outputs, &made->drive,
                               error);
}

carom_status carom_grains_prepare(carom_model *model, carom_error *error) {
  carom_grains_model *made = carom_arena_take(model->arena, sizeof *made);
  if (!made) return carom_fail_memory(error);
  made->scenario = model->scenario;
  made->grains = model->scenario->described.grains;
  int seen = model->scenario->state_count;
  made->column_count = seen + 2;
  made->columns =
      carom_arena_array(model->arena, (size_t)made->column_count, sizeof *made->columns);
  if (!made->columns) return carom_fail_memory(error);
  for (int k = 0; k < seen; k++)
    made->columns[k] = model->scenario->states[k].name;
  made->columns[seen] = "kinetic";
  made->columns[seen + 1] = "potential";
  model->prepared = made;
  return compile_drive(model, made, error);
}

// ---- numbers

typedef struct reader {
  carom_grains *it;
  carom_error *error;
  carom_status status;
  // the last law that was fitted to a restitution, and its damping in its own unit
  carom_grain_law fitted;
  double fitted_e, fitted_damping;
} reader;

// the value of a node, or `fallback` when it is not given; keeps the first failure
static double value_of(reader *r, carom_node node, double fallback) {
  carom_error failed = {0};
  if (!node || r->status) return fallback;
  double value =
      carom_node_evaluate(r->it->model->scenario->graph, node, r->it->settings.values, &failed);
  if (failed.status == CAROM_ERR_MEMORY) r->status = carom_fail_memory(r->error);
  return value;
}

// where the number of a field is written, or where it would belong
static carom_place place_of(const reader *r, const carom_node *field, carom_place otherwise) {
  const carom_grains_written *at = r->it->model->grains->written;
  while (at && at->field != field)
    at = at->next;
  return at ? at->place : otherwise;
}

static void refuse_value(reader *r, carom_place place, const char *text, double value) {
  if (!r->status) r->status = carom_fail_at(r->error, CAROM_ERR_INPUT, place, text, value);
}

static void read_species(reader *r, const carom_grains_species *from, carom_bed_species *to) {
  double count = value_of(r, from->count, from->in_table),
         diameter = value_of(r, from->diameter, 0.0);
  double length = value_of(r, from->length, diameter), density = value_of(r, from->density, 1000.0);
  carom_place thick = place_of(r, &from->diameter, from->place);
  // what an expression makes a whole number is one to rounding
  if (fabs(count - floor(count + 0.5)) < 1e-9) count = floor(count + 0.5);
  if (!(count >= 1.0 && count <= 1e8 && count == floor(count)))
    refuse_value(r, place_of(r, &from->count, from->place),
                 "rods.count is %g; it must be a whole number from 1 to 1e8", count);
  if (!r->status && r->it->model->grains->start.table && count != from->in_table)
    r->status = carom_fail_at(r->error, CAROM_ERR_INPUT, place_of(r, &from->count, from->place),
                              "rods.count is %g, but start.table has %d of them: give that, or "
                              "leave the count out",
                              count, from->in_table);
  if (!r->status && !(diameter > 0.0 && isfinite(diameter)))
    r->status = length > 0.0 && isfinite(length)
                    ? carom_fail_at(r->error, CAROM_ERR_INPUT, thick,
                                    "rods.diameter is %g; it must be positive, up to %g for rods "
                                    "of this length",
                                    diameter, carom_told_most(length))
                    : carom_fail_at(r->error, CAROM_ERR_INPUT, thick,
                                    "rods.diameter is %g; it must be positive", diameter);
  if (!r->status && !(length >= diameter && isfinite(length)))
    r->status = carom_fail_at(r->error, CAROM_ERR_INPUT, place_of(r, &from->length, from->place),
                              "rods.length is %g; it counts the caps, so it is at least the "
                              "diameter, %g (a sphere)",
                              length, carom_told_least(diameter));
  if (!(density > 0.0 && isfinite(density)))
    refuse_value(r, place_of(r, &from->density, from->place),
                 "rods.density is %g; it must be positive", density);
  if (r->status) return;
  *to = carom_bed_species_uniform((int)count, diameter, length, density);
  // a given mass spreads as uniformly as a density would
  double mass = value_of(r, from->mass, to->mass), scale = mass / to->mass;
  to->across = value_of(r, from->inertia, to->across * scale);
  to->along = value_of(r, from->spin_inertia, to->along * scale);
  to->mass = mass;
  const struct {
    const carom_node *field;
    double value;
    const char *text;
  } all[] = {
      {&from->mass, to->mass, "rods.mass is %g; it must be positive"},
      {&from->inertia, to->across, "rods.inertia is %g; it must be positive"},
      {&from->spin_inertia, to->along, "rods.spin_inertia is %g; it must be positive"},
  };
  for (size_t k = 0; k < sizeof all / sizeof *all; k++)
    if (!(all[k].value > 0.0 && isfinite(all[k].value)))
      refuse_value(r, place_of(r, all[k].field, from->place), all[k].text, all[k].value);
}

static bool is_word(const char *word, const char *given, bool fallback) {
  return given ? strcmp(given, word) == 0 : fallback;
}

// what a check without a notion of places has found, at its place
static void place_finding(reader *r, carom_place place, const carom_error *found) {
  if (!r->status) r->status = carom_fail_at(r->error, CAROM_ERR_INPUT, place, "%s", found->text);
}

// ---- contacts

/// A law as it is asked for. Where it is by restitution, the damping differs with the masses of the
/// two bodies and is found when they are known.
typedef struct wish {
  carom_grain_law law;
  double e, speed; // restitution and approach speed it is asked for at; e is NAN: damping is given
  bool drags;      // the tangential damping is given, not in proportion to the normal one
  carom_place place;
} wish;

static void read_damping(reader *r, const carom_grains_contact *c, wish *asked) {
  carom_grain_law *law = &asked->law;
  law->gn = value_of(r, c->damping, law->gn);
  law->gt = value_of(r, c->tangential_damping, c->damping ? 0.5 * law->gn : law->gt);
  if (c->damping) asked->e = NAN;
  if (c->damping || c->restitution) asked->drags = false;
  if (c->tangential_damping) asked->drags = true;
  asked->e = value_of(r, c->restitution, asked->e);
  asked->speed = value_of(r, c->speed, asked->speed);
  if (!(asked->speed > 0.0 && isfinite(asked->speed)))
    refuse_value(r, place_of(r, &c->speed, c->place),
                 "the speed for restitution is %g; it must be positive", asked->speed);
}

// of the first number that carom_grain_law_check finds wrong
static carom_place place_of_fault(const reader *r, const carom_grains_contact *c,
                                  const carom_grain_law *law) {
  const carom_node *field = !(law->kn > 0.0)      ? &c->stiffness
                            : !(law->kt >= 0.0)   ? &c->tangential_stiffness
                            : !(law->gn >= 0.0)   ? &c->damping
                            : !(law->gt >= 0.0)   ? &c->tangential_damping
                            : !(law->slip >= 0.0) ? &c->slip
                                                  : &c->stick;
  return place_of(r, field, c->place);
}

// what is not given is as in `other`
static wish read_contact(reader *r, const carom_grains_contact *c, const wish *other) {
  wish asked = *other;
  carom_grain_law *law = &asked.law;
  bool linear = is_word("linear", c->law, !law->hertz);
  bool ratio = is_word("ratio", c->form, law->damping == CAROM_DAMPING_RATIO);
  law->hertz = !linear;
  law->damping = ratio ? CAROM_DAMPING_RATIO : CAROM_DAMPING_MASS;
  law->kn = value_of(r, c->stiffness, law->kn);
  law->kt = value_of(r, c->tangential_stiffness, c->stiffness ? law->kn : law->kt);
  law->slip = value_of(r, c->slip, law->slip);
  law->stick = value_of(r, c->stick, c->slip ? law->slip : law->stick);
  law->centres = is_word("centres", c->at, law->centres);
  law->plain = is_word("plain", c->spring, law->plain);
  law->clip = is_word("no", c->pull, law->clip);
  if (c->restitution) asked.place = place_of(r, &c->restitution, c->place);
  read_damping(r, c, &asked);
  carom_error found = {0};
  if (carom_grain_law_check(law, &found)) place_finding(r, place_of_fault(r, c, law), &found);
  return asked;
}

// Restitution depends on the damping in its own unit alone: laws that differ in masses, speeds or
// stiffness need one fit.
static carom_grain_law fit_law(reader *r, const wish *asked, double mass) {
  carom_grain_law law = asked->law, *last = &r->fitted;
  if (r->status || isnan(asked->e)) return law;
  bool known = r->fitted_e == asked->e && last->hertz == law.hertz &&
               last->damping == law.damping && last->clip == law.clip;
  carom_error found = {0};
  if (!known) {
    *last = law;
    r->fitted_e = asked->e;
    if (carom_grain_law_fit(last, mass, asked->speed, asked->e, &found)) {
      place_finding(r, asked->place, &found);
      return law;
    }
    r->fitted_damping = last->gn / carom_grain_law_damping_unit(last, mass, asked->speed);
  }
  law.gn = r->fitted_damping * carom_grain_law_damping_unit(&law, mass, asked->speed);
  if (!asked->drags) law.gt = 0.5 * law.gn;
  return law;
}

static bool are_same(const carom_grain_law *a, const carom_grain_law *b) {
  return a->kn == b->kn && a->kt == b->kt && a->gn == b->gn && a->gt == b->gt &&
         a->stick == b->stick && a->slip == b->slip;
}

// what `pairs` says of kind a and kind b or, below 0, wall -1 - b
static wish read_pair(reader *r, int a, int b, const wish *common) {
  const carom_grains_description *g = r->it->model->grains;
  wish asked = *common;
  for (int k = 0; k < g->pair_count; k++) {
    const carom_grains_pair *pair = &g->pairs[k];
    bool these = (pair->a == a && pair->b == b) || (pair->a == b && pair->b == a);
    if (these) asked = read_contact(r, &pair->contact, &asked);
  }
  return asked;
}

// of rods by their kinds; one for all where they are the same
static void read_laws(reader *r, const wish *common) {
  carom_bed_settings *set = &r->it->bed_settings;
  carom_grain_law *laws = r->it->pair_laws;
  int kinds = set->species_count;
  bool same = true;
  for (int a = 0; a < kinds; a++)
    for (int b = a; b < kinds; b++) {
      wish asked = read_pair(r, a, b, common);
      double ma = set->species[a].mass, mb = set->species[b].mass;
      laws[a * kinds + b] = laws[b * kinds + a] = fit_law(r, &asked, ma * mb / (ma + mb));
      same = same && are_same(&laws[a * kinds + b], laws);
    }
  set->law = laws[0];
  set->laws = same ? NULL : laws;
}

static void read_wall_laws(reader *r, int which, const wish *common) {
  carom_bed_wall *wall = &r->it->bed_settings.walls[which];
  carom_grain_law *laws = r->it->wall_laws + which * CAROM_BED_MAX_SPECIES;
  wish own = read_contact(r, &r->it->model->grains->walls[which].contact, common);
  bool same = true;
  for (int k = 0; k < r->it->bed_settings.species_count; k++) {
    wish asked = read_pair(r, k, -1 - which, &own);
    laws[k] = fit_law(r, &asked, r->it->bed_settings.species[k].mass);
    same = same && are_same(&laws[k], laws);
  }
  wall->law = laws[0];
  wall->laws = same ? NULL : laws;
}

static void read_wall(reader *r, const carom_grains_wall *from, carom_bed_wall *to) {
  *to = (carom_bed_wall){.name = from->name, .driven = from->driven, .strikes = from->driven};
  to->at = value_of(r, from->at, 0.0);
  if (from->cylinder) {
    to->kind = is_word("outside", from->side, false) ? CAROM_WALL_OUTSIDE : CAROM_WALL_INSIDE;
    to->at = value_of(r, from->cylinder, 0.0);
    to->strikes = false; // only floors are struck
    if (!(to->at > 0.0))
      refuse_value(r, from->place, "the radius of a cylinder is %g; it must be positive", to->at);
    for (int c = 0; c < 2; c++)
      to->centre[c] = value_of(r, from->centre[c], 0.0);
  } else {
    double size = 0.0;
    for (int c = 0; c < 3; c++) {
      to->normal[c] = value_of(r, from->normal[c], 0.0);
      size += to->normal[c] * to->normal[c];
    }
    size = sqrt(size);
    if (!(size > 0.0 && isfinite(size)))
      refuse_value(r, from->place, "the normal of a plane has length %g", size);
    for (int c = 0; c < 3; c++) {
      to->normal[c] /= size;
      if (fabs(to->normal[c]) < ROUNDED) to->normal[c] = 0.0; // cos(pi/2) is 6e-17
    }
  }
}

static void drive_walls(void *ctx, double t, double *z, double *rate) {
  carom_grains *it = ctx;
  const carom_program *program = it->model->drive;
  it->drive_registers[0] = t;
  carom_program_run(program, it->drive_registers);
  *z = it->drive_registers[carom_program_output(program, 0)];
  *rate = it->drive_registers[carom_program_output(program, 1)];
}

static void read_bed(reader *r) {
  carom_grains *it = r->it;
  const carom_grains_description *g = it->model->grains;
  carom_bed_settings *set = &it->bed_settings;
  *set = carom_bed_settings_default();
  set->species_count = g->species_count;
  for (int k = 0; k < g->species_count; k++)
    read_species(r, &g->species[k], &set->species[k]);
  wish nothing = {.law = {.hertz = true}, .e = NAN, .speed = 1.0};
  wish common = read_contact(r, &g->contact, &nothing);
  it->numbers.speed = common.speed;
  set->wall_count = g->wall_count;
  for (int k = 0; k < g->wall_count; k++)
    read_wall(r, &g->walls[k], &set->walls[k]);
  if (!r->status) read_laws(r, &common);
  for (int k = 0; k < g->wall_count && !r->status; k++)
    read_wall_laws(r, k, &common);
  for (int c = 0; c < 3; c++) {
    set->gravity[c] = value_of(r, g->gravity[c], c == 2 ? -9.81 : 0.0);
    set->periodic[c] = value_of(r, g->periodic[c], 0.0);
    if (!(set->periodic[c] >= 0.0 && isfinite(set->periodic[c])))
      refuse_value(r, place_of(r, &g->periodic[c], g->place), "a period is %g; it must be positive",
                   set->periodic[c]);
  }
  carom_error found = {0};
  int short_one = r->status ? -1 : carom_bed_short_period(set, &found);
  if (short_one >= 0) place_finding(r, place_of(r, &g->periodic[short_one], g->place), &found);
  set->step = value_of(r, g->step, 0.0);
  set->skin = value_of(r, g->skin, 0.0);
  if (!(set->step > 0.0 && isfinite(set->step)))
    refuse_value(r, place_of(r, &g->step, g->run_place), "run.step is %g; it must be positive",
                 set->step);
  if (!(set->skin >= 0.0 && isfinite(set->skin)))
    refuse_value(r, place_of(r, &g->skin, g->run_place), "run.skin is %g; it must be positive",
                 set->skin);
  double threads = value_of(r, g->threads, 1.0);
  if (!(threads >= 1.0 && threads <= 256.0 && threads == floor(threads)))
    refuse_value(r, place_of(r, &g->threads, g->run_place),
                 "run.threads is %g; it must be a whole number from 1 to 256", threads);
  set->threads = (int)threads;
  set->period = value_of(r, g->period, 0.0);
  if (!(set->period >= 0.0 && isfinite(set->period)))
    refuse_value(r, place_of(r, &g->period, g->place), "drive.period is %g; it must be positive",
                 set->period);
  set->leapfrog = is_word("leapfrog", g->integrator, false);
  set->plane = is_word("plane", g->freedoms, false);
  set->no_spin = set->plane || is_word("no spin", g->freedoms, false);
  if (it->model->drive) set->drive = drive_walls, set->drive_ctx = it;
}

// gravity is a number and, in the plane, pulls along it; walls fit to the periods
static void check_surroundings(reader *r) {
  const carom_grains_description *g = r->it->model->grains;
  const carom_bed_settings *set = &r->it->bed_settings;
  for (int c = 0; c < 3; c++)
    if (!isfinite(set->gravity[c]))
      refuse_value(r, place_of(r, &g->gravity[c], g->place), "gravity has %g; it must be finite",
                   set->gravity[c]);
  if (set->plane && set->gravity[1] != 0.0)
    refuse_value(r, place_of(r, &g->gravity[1], g->place),
                 "gravity would pull rods out of the plane y = 0: its y is %g; 0 works",
                 set->gravity[1]);
  carom_error found = {0};
  int wrong = r->status ? -1 : carom_bed_wrong_wall(set, &found);
  if (wrong >= 0) place_finding(r, g->walls[wrong].place, &found);
}

// the driven walls have a place and a speed when the run begins
static void check_drive(reader *r) {
  carom_grains *it = r->it;
  const carom_grains_description *g = it->model->grains;
  double z = 0.0, rate = 0.0;
  if (r->status || !it->model->drive) return;
  drive_walls(it, it->numbers.start, &z, &rate);
  if (!isfinite(z) || !isfinite(rate))
    r->status = carom_fail_at(r->error, CAROM_ERR_INPUT, place_of(r, &g->drive, g->place),
                              "drive.z is %g and its rate %g when the run begins, at t = %g", z,
                              rate, it->numbers.start);
}

static void read_run(reader *r) {
  carom_grains *it = r->it;
  const carom_scenario *s = it->model->scenario;
  const carom_grains_start *start = &it->model->grains->start;
  it->numbers.start = value_of(r, s->run.start, 0.0);
  it->numbers.until = value_of(r, s->run.until, 0.0);
  it->numbers.sample = value_of(r, s->run.sample, 1e-3 * (it->numbers.until - it->numbers.start));
  it->numbers.window_start = value_of(r, s->measure.after.node, it->numbers.start);
  double over = value_of(r, s->measure.over.node, HUGE_VAL);
  it->numbers.window_end = s->measure.over.node ? it->numbers.window_start + over : HUGE_VAL;
  it->numbers.seed = value_of(r, start->seed, 1.0);
  it->numbers.spread = value_of(r, start->spread, 0.0);
  it->numbers.gap = value_of(r, start->gap, 0.01 * it->bed_settings.species[0].diameter);
  it->numbers.tilt = value_of(r, start->tilt, NAN);
  for (int c = 0; c < 2; c++)
    it->numbers.size[c] = value_of(r, start->size[c], 0.0);
  for (int c = 0; c < 3; c++) {
    it->numbers.velocity[c] = value_of(r, start->velocity[c], 0.0);
    it->numbers.turn[c] = value_of(r, start->turn[c], 0.0);
    if (!isfinite(it->numbers.velocity[c]))
      refuse_value(r, place_of(r, &start->velocity[c], start->place),
                   "start.velocity has %g; it must be finite", it->numbers.velocity[c]);
    if (!isfinite(it->numbers.turn[c]))
      refuse_value(r, place_of(r, &start->turn[c], start->place),
                   "start.turn has %g; it must be finite", it->numbers.turn[c]);
  }
  if (!(it->numbers.seed >= 0.0 && it->numbers.seed < 9e15 &&
        it->numbers.seed == floor(it->numbers.seed)))
    refuse_value(r, place_of(r, &start->seed, start->place),
                 "start.seed is %g; it must be a whole number from 0", it->numbers.seed);
  if (!(it->numbers.gap >= 0.0 && isfinite(it->numbers.gap)))
    refuse_value(r, place_of(r, &start->gap, start->place), "start.gap is %g; it must be 0 or more",
                 it->numbers.gap);
  if (!(it->numbers.spread >= 0.0 && isfinite(it->numbers.spread)))
    refuse_value(r, place_of(r, &start->spread, start->place),
                 "start.spread is %g; it must be 0 or more", it->numbers.spread);
  it->bed_settings.start = it->numbers.start;

  const double most_steps = 1e15; // shorter ones are lost in the rounding of time
  if (!r->status &&
      !((it->numbers.until - it->numbers.start) / it->bed_settings.step <= most_steps))
    refuse_value(r, place_of(r, &it->model->grains->step, it->model->grains->run_place),
                 "run.step is %g; it must be at least 1e-15 of the run", it->bed_settings.step);

  // 24 looks a period or more, a whole number of them a sample, none oftener than a step
  double apart =
      it->bed_settings.period > 0.0 ? it->bed_settings.period / 24.0 : it->numbers.sample;
  double looks = ceil(it->numbers.sample / fmin(apart, it->numbers.sample) - 1e-9);
  double steps = it->numbers.sample / looks / it->bed_settings.step;
  it->numbers.look_apart = steps >= 1.0 && steps < 1e9 ? steps : 1.0;
  // without run.sample those looks are shown, up to some thousands a run
  if (!s->run.sample) it->numbers.sample *= ceil(looks / MORE_SAMPLES) / looks;
}

carom_status carom_grains_configure(carom_grains *it, carom_error *error) {
  const carom_scenario *s = it->model->scenario;
  const carom_grains_description *g = it->model->grains;
  reader r = {.it = it, .error = error, .fitted_e = NAN};
  r.status = carom_settings_read(&it->settings, s, error);
  if (!r.status && it->model->drive) {
    memcpy(it->drive_registers + 1, it->settings.parameters,
           (size_t)s->parameter_count * sizeof *it->settings.parameters);
    carom_program_setup(it->model->drive, it->drive_registers);
  }
  if (!r.status) read_bed(&r);
  if (!r.status) read_run(&r);
  check_surroundings(&r);
  check_drive(&r);
  carom_error found = {0};
  if (!r.status && carom_bed_check(&it->bed_settings, &found))
    place_finding(&r, place_of(&r, &g->step, g->run_place), &found);
  return r.status;
}
