// SPDX-License-Identifier: MIT
// From a checked scenario to the settings of a bed.
#include "grains/grains.h"

#include <math.h>
#include <string.h>

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
  made->grains = model->scenario->grains;
  made->column_count = CAROM_SEEN_COUNT + 2;
  made->columns =
      carom_arena_array(model->arena, (size_t)made->column_count, sizeof *made->columns);
  if (!made->columns) return carom_fail_memory(error);
  for (int k = 0; k < CAROM_SEEN_COUNT; k++)
    made->columns[k] = model->scenario->states[k].name;
  made->columns[CAROM_SEEN_COUNT] = "kinetic";
  made->columns[CAROM_SEEN_COUNT + 1] = "potential";
  model->prepared = made;
  return compile_drive(model, made, error);
}

// ---- numbers

typedef struct reader {
  carom_grains *it;
  carom_error *error;
  carom_status status;
} reader;

// the value of a node, or `fallback` when it is not given; keeps the first failure
static double value_of(reader *r, carom_node node, double fallback) {
  carom_error failed = {0};
  if (!node || r->status) return fallback;
  double value = carom_node_evaluate(r->it->model->scenario->graph, node, r->it->values, &failed);
  if (failed.status == CAROM_ERR_MEMORY) r->status = carom_fail_memory(r->error);
  return value;
}

static void refuse(reader *r, carom_place place, const char *text, double value) {
  if (!r->status) r->status = carom_fail_at(r->error, CAROM_ERR_INPUT, place, text, value);
}

static void read_species(reader *r, const carom_grains_species *from, carom_bed_species *to) {
  double count = value_of(r, from->count, 0.0), diameter = value_of(r, from->diameter, 0.0);
  double length = value_of(r, from->length, diameter), density = value_of(r, from->density, 1000.0);
  // what an expression makes a whole number is one to rounding
  if (fabs(count - floor(count + 0.5)) < 1e-9) count = floor(count + 0.5);
  if (!(count >= 1.0 && count <= 1e8 && count == floor(count)))
    refuse(r, from->place, "rods.count is %g; it must be a whole number from 1 to 1e8", count);
  if (!r->status && !(diameter > 0.0 && isfinite(diameter)))
    r->status = length > 0.0 && isfinite(length)
                    ? carom_fail_at(r->error, CAROM_ERR_INPUT, from->place,
                                    "rods.diameter is %g; it must be positive, up to %g for rods "
                                    "of this length",
                                    diameter, length)
                    : carom_fail_at(r->error, CAROM_ERR_INPUT, from->place,
                                    "rods.diameter is %g; it must be positive", diameter);
  if (!r->status && !(length >= diameter && isfinite(length)))
    r->status = carom_fail_at(r->error, CAROM_ERR_INPUT, from->place,
                              "rods.length is %g; it counts the caps, so it is at least the "
                              "diameter, %g (a sphere)",
                              length, diameter);
  if (!(density > 0.0 && isfinite(density)))
    refuse(r, from->place, "rods.density is %g; it must be positive", density);
  if (r->status) return;
  *to = carom_bed_species_uniform((int)count, diameter, length, density);
  // a given mass spreads as uniformly as a density would
  double mass = value_of(r, from->mass, to->mass), scale = mass / to->mass;
  to->across = value_of(r, from->inertia, to->across * scale);
  to->along = value_of(r, from->spin_inertia, to->along * scale);
  to->mass = mass;
  if (!(mass > 0.0 && to->across > 0.0 && to->along > 0.0))
    refuse(r, from->place, "mass and moments of inertia of rods must be positive (mass %g)", mass);
}

static bool is_word(const char *word, const char *given, bool fallback) {
  return given ? strcmp(given, word) == 0 : fallback;
}

// what a check without a notion of places has found, at its place
static void place_finding(reader *r, carom_place place, const carom_error *found) {
  if (!r->status) r->status = carom_fail_at(r->error, CAROM_ERR_INPUT, place, "%s", found->text);
}

// what is not given is as in `other`
static carom_grain_law read_law(reader *r, const carom_grains_contact *c,
                                const carom_grain_law *other, double mass) {
  carom_grain_law law = *other;
  bool linear = is_word("linear", c->law, !other->hertz);
  bool ratio = is_word("ratio", c->form, other->damping == CAROM_DAMPING_RATIO);
  law.hertz = !linear;
  law.damping = ratio ? CAROM_DAMPING_RATIO : CAROM_DAMPING_MASS;
  law.kn = value_of(r, c->stiffness, other->kn);
  law.kt = value_of(r, c->tangential_stiffness, c->stiffness ? law.kn : other->kt);
  law.gn = value_of(r, c->damping, other->gn);
  law.gt = value_of(r, c->tangential_damping, c->damping ? 0.5 * law.gn : other->gt);
  law.slip = value_of(r, c->slip, other->slip);
  law.stick = value_of(r, c->stick, c->slip ? law.slip : other->stick);
  law.centres = is_word("centres", c->at, other->centres);
  law.plain = is_word("plain", c->spring, other->plain);
  law.clip = is_word("no", c->pull, other->clip);
  carom_error found = {0};
  if (carom_grain_law_check(&law, &found)) place_finding(r, c->place, &found);
  if (r->status || !c->restitution) return law;
  double e = value_of(r, c->restitution, 1.0), speed = value_of(r, c->speed, 1.0);
  if (!(speed > 0.0 && isfinite(speed)))
    refuse(r, c->place, "the speed for restitution is %g; it must be positive", speed);
  law.gn = 2.0, law.gt = 1.0; // their ratio is kept
  if (!r->status && law.kn > 0.0) r->status = carom_grain_law_fit(&law, mass, speed, e, r->error);
  return law;
}

static void read_wall(reader *r, const carom_grains_wall *from, double mass, carom_bed_wall *to) {
  *to = (carom_bed_wall){.name = from->name, .driven = from->driven, .strikes = from->driven};
  to->at = value_of(r, from->at, 0.0);
  if (from->cylinder) {
    to->kind = is_word("outside", from->side, false) ? CAROM_WALL_OUTSIDE : CAROM_WALL_INSIDE;
    to->at = value_of(r, from->cylinder, 0.0);
    to->strikes = false; // only floors are struck
    if (!(to->at > 0.0))
      refuse(r, from->place, "the radius of a cylinder is %g; it must be positive", to->at);
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
      refuse(r, from->place, "the normal of a plane has length %g", size);
    for (int c = 0; c < 3; c++)
      to->normal[c] /= size;
  }
  to->law = read_law(r, &from->contact, &r->it->settings.law, mass);
}

// laws by kinds, where any pair differs from the others
static void read_pairs(reader *r) {
  carom_grains *it = r->it;
  const carom_grains_description *g = it->model->grains;
  carom_bed_settings *set = &it->settings;
  int kinds = set->species_count;
  for (int k = 0; k < g->pair_count; k++) {
    const carom_grains_pair *pair = &g->pairs[k];
    double ma = set->species[pair->a].mass;
    if (pair->b >= 0) {
      double mass = 1.0 / (1.0 / ma + 1.0 / set->species[pair->b].mass);
      for (int j = 0; j < kinds * kinds && !set->laws; j++)
        it->pair_laws[j] = set->law;
      set->laws = it->pair_laws;
      carom_grain_law law = read_law(r, &pair->contact, &set->law, mass);
      it->pair_laws[pair->a * kinds + pair->b] = it->pair_laws[pair->b * kinds + pair->a] = law;
    } else {
      carom_bed_wall *wall = &set->walls[-1 - pair->b];
      carom_grain_law *laws = it->wall_laws + (-1 - pair->b) * CAROM_BED_MAX_SPECIES;
      for (int j = 0; j < kinds && !wall->laws; j++)
        laws[j] = wall->law;
      wall->laws = laws;
      laws[pair->a] = read_law(r, &pair->contact, &wall->law, ma);
    }
  }
}

static void drive(void *ctx, double t, double *z, double *rate) {
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
  carom_bed_settings *set = &it->settings;
  *set = carom_bed_settings_default();
  set->species_count = g->species_count;
  double lightest = HUGE_VAL;
  for (int k = 0; k < g->species_count; k++) {
    read_species(r, &g->species[k], &set->species[k]);
    lightest = fmin(lightest, set->species[k].mass);
  }
  carom_grain_law base = {.hertz = true};
  set->law = read_law(r, &g->contact, &base, 0.5 * lightest);
  set->wall_count = g->wall_count;
  for (int k = 0; k < g->wall_count; k++)
    read_wall(r, &g->walls[k], lightest, &set->walls[k]);
  if (!r->status) read_pairs(r);
  for (int c = 0; c < 3; c++) {
    set->gravity[c] = value_of(r, g->gravity[c], c == 2 ? -9.81 : 0.0);
    set->periodic[c] = value_of(r, g->periodic[c], 0.0);
    if (!(set->periodic[c] >= 0.0))
      refuse(r, g->place, "a period is %g; it must be positive", set->periodic[c]);
  }
  set->step = value_of(r, g->step, 0.0);
  set->skin = value_of(r, g->skin, 0.0);
  if (!(set->step > 0.0 && isfinite(set->step)))
    refuse(r, g->run_place, "run.step is %g; it must be positive", set->step);
  double threads = value_of(r, g->threads, 1.0);
  if (!(threads >= 1.0 && threads <= 256.0 && threads == floor(threads)))
    refuse(r, g->run_place, "run.threads is %g; it must be a whole number from 1 to 256", threads);
  set->threads = (int)threads;
  set->period = value_of(r, g->period, 0.0);
  set->leapfrog = is_word("leapfrog", g->integrator, false);
  set->plane = is_word("plane", g->freedoms, false);
  set->no_spin = set->plane || is_word("no spin", g->freedoms, false);
  if (it->model->drive) set->drive = drive, set->drive_ctx = it;
}

static void read_run(reader *r) {
  carom_grains *it = r->it;
  const carom_scenario *s = it->model->scenario;
  const carom_grains_start *start = &it->model->grains->start;
  it->start = value_of(r, s->run.start, 0.0);
  it->until = value_of(r, s->run.until, 0.0);
  it->sample = value_of(r, s->run.sample, 1e-3 * (it->until - it->start));
  it->window_start = value_of(r, s->measure_after.node, it->start);
  double over = value_of(r, s->measure_over.node, HUGE_VAL);
  it->window_end = s->measure_over.node ? it->window_start + over : HUGE_VAL;
  it->seed = value_of(r, start->seed, 1.0);
  it->spread = value_of(r, start->spread, 0.0);
  it->gap = value_of(r, start->gap, 0.01 * it->settings.species[0].diameter);
  it->tilt = value_of(r, start->tilt, NAN);
  for (int c = 0; c < 2; c++)
    it->size[c] = value_of(r, start->size[c], 0.0);
  if (!(it->seed >= 0.0 && it->seed < 9e15 && it->seed == floor(it->seed)))
    refuse(r, start->place, "start.seed is %g; it must be a whole number from 0", it->seed);
  if (!(it->gap >= 0.0 && isfinite(it->gap)))
    refuse(r, start->place, "start.gap is %g; it must be 0 or more", it->gap);
  it->settings.start = it->start;

  // 24 looks a period, at least one a sample, none oftener than a step
  double apart = it->settings.period > 0.0 ? it->settings.period / 24.0 : it->sample;
  double steps = floor(fmin(apart, it->sample) / it->settings.step);
  it->look_every = steps >= 1.0 && steps < 1e9 ? (long)steps : 1;
}

carom_status carom_grains_configure(carom_grains *it, carom_error *error) {
  const carom_scenario *s = it->model->scenario;
  reader r = {it, error, CAROM_OK};
  r.status = carom_scenario_values(s, it->given, it->values, error);
  for (int k = 0; !r.status && k < s->parameter_count; k++)
    it->parameters[k] = it->values[carom_scenario_symbol_index(s, s->parameters[k].symbol)];
  if (!r.status && it->model->drive) {
    memcpy(it->drive_registers + 1, it->parameters,
           (size_t)s->parameter_count * sizeof *it->parameters);
    carom_program_setup(it->model->drive, it->drive_registers);
  }
  if (!r.status) read_bed(&r);
  if (!r.status) read_run(&r);
  carom_error found = {0};
  if (!r.status && carom_bed_check(&it->settings, &found))
    place_finding(&r, it->model->grains->run_place, &found);
  return r.status;
}
