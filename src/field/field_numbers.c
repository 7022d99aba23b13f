// SPDX-License-Identifier: MIT
// What the parameters decide: run settings, the body, coefficients of the fields.
#include "field/field.h"

#include "field/matrix3.h"

#include <math.h>
#include <string.h>

static const double DEFAULT_RTOL = 1e-10;

// which of the scenario's laws this is
static int number_of(const carom_field *it, const carom_field_law *law) {
  return (int)(law - it->model->field->laws);
}

typedef struct reading {
  carom_field *it;
  const carom_scenario *scenario;
  carom_error *error;
} reading;

static double number_value(const reading *r, carom_node node, double otherwise) {
  return node ? carom_node_evaluate(r->scenario->graph, node, r->it->settings.values, r->error)
              : otherwise;
}

static void number_values(const reading *r, int count, const carom_node *nodes, double *out) {
  for (int k = 0; k < count; k++)
    out[k] = number_value(r, nodes[k], 0.0);
}

static carom_status read_run(const reading *r) {
  const carom_run_settings *run = &r->scenario->run;
  carom_field_numbers *p = &r->it->numbers;
  p->start = number_value(r, run->start, 0.0);
  p->until = number_value(r, run->until, 0.0);
  p->sample = number_value(r, run->sample, (p->until - p->start) / 1000.0);
  p->follows = !run->sample;
  p->rtol = number_value(r, run->rtol, DEFAULT_RTOL);
  p->atol = number_value(r, run->atol, 0.01 * p->rtol);
  p->h_max = number_value(r, run->h_max, 0.0);
  bool wants = !run->hold || strcmp(run->hold, "energy") == 0;
  p->hold = wants && carom_field_conservative(r->it->simulation->model);
  p->window_start = number_value(r, r->scenario->measure.after.node, p->start);
  p->window_end = p->window_start + number_value(r, r->scenario->measure.over.node, HUGE_VAL);
  // a run that begins elsewhere lasts as long, and is measured as long after its beginning
  double own = r->it->settings.start_given[r->it->model->size];
  double later = isnan(own) ? 0.0 : own - p->start;
  p->until += later;
  p->window_start += later;
  p->window_end += later;
  if (later != 0.0) p->start = own;
  return CAROM_OK;
}

// ---- the body

static void make_inertia(carom_field *it) {
  carom_field_numbers *p = &it->numbers;
  carom_symmetric3(it->body.euler, p->euler);
  double trace = p->euler[0] + p->euler[4] + p->euler[8];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      p->inertia[3 * i + j] = (i == j ? trace : 0.0) - p->euler[3 * i + j];
  if (it->model->dimension == 2) p->euler[8] = 1.0;
  (void)carom_invert3(p->inertia, p->inertia_inverse);
  (void)carom_invert3(p->euler, p->euler_inverse);
}

// where the body is lightest: at a corner, or at the rim of a round body
static double least_density(const carom_body *body, const carom_body_numbers *n) {
  const double *slope = n->density_gradient;
  double least = HUGE_VAL;
  for (int v = 0; v < body->vertex_count; v++)
    least = fmin(least, n->density + carom_v3_dot(slope, n->vertices[v]));
  if (body->vertex_count > 0) return least;
  bool sphere = body->shape == CAROM_BODY_SPHERE;
  double across = sqrt(slope[0] * slope[0] + slope[1] * slope[1]);
  double fall = body->radius * (sphere ? sqrt(carom_v3_dot(slope, slope)) : across);
  if (body->shape == CAROM_BODY_CYLINDER) fall += 0.5 * body->length * fabs(slope[2]);
  return n->density - fall;
}

// the volume alone does not tell: two negative edges make a positive one
static carom_status check_sizes(const reading *r) {
  const carom_field_description *f = r->it->model->field;
  for (int k = 0; k < f->size_count; k++) {
    double size = number_value(r, f->sizes[k].value, 0.0);
    if (!(size > 0.0 && isfinite(size)))
      return carom_fail_at(r->error, CAROM_ERR_INPUT, f->sizes[k].place,
                           "%s is %g; a length of a body is positive and finite", f->sizes[k].name,
                           size);
  }
  return CAROM_OK;
}

static carom_status make_body(const reading *r) {
  carom_field *it = r->it;
  const carom_field_description *f = it->model->field;
  carom_status status = check_sizes(r);
  if (status) return status;
  carom_body_numbers n = {.shape = f->shape, .vertex_count = f->corner_count};
  for (int c = 0; c < f->corner_count; c++)
    number_values(r, 3, f->corners[c], it->corners[c]);
  n.vertices = (const double(*)[3])it->corners;
  n.radius = number_value(r, f->radius, 0.0);
  n.length = number_value(r, f->length, 1.0);
  n.density = number_value(r, f->density, 1000.0);
  number_values(r, 3, f->density_gradient, n.density_gradient);
  carom_error own = {0};
  status = carom_body_make(&it->body, &n, &own);
  if (status) return carom_fail_at(r->error, status, f->body_place, "body: %s", own.text);
  if (least_density(&it->body, &n) < -1e-12 * fabs(n.density))
    return carom_fail_at(r->error, CAROM_ERR_INPUT, f->body_place,
                         "body: the density falls to %g somewhere", least_density(&it->body, &n));
  make_inertia(it);
  it->numbers.c10 = number_value(r, f->material.c10, 0.0);
  it->numbers.c01 = number_value(r, f->material.c01, 0.0);
  it->numbers.viscosity = number_value(r, f->material.viscosity, 0.0);
  if (f->soft && !(it->numbers.c10 + it->numbers.c01 > 0.0 && it->numbers.viscosity >= 0.0))
    return carom_fail_at(
        r->error, CAROM_ERR_INPUT, f->body_place,
        "body.soft: c10 + c01 = %g and viscosity = %g; the first must be positive, "
        "the other not negative",
        it->numbers.c10 + it->numbers.c01, it->numbers.viscosity);
  number_values(r, 3, f->gravity, it->numbers.gravity);
  it->numbers.weight = it->body.mass * sqrt(carom_v3_dot(it->numbers.gravity, it->numbers.gravity));
  return CAROM_OK;
}

// ---- terms

// a force along the normal has a potential for exponents above 1
static carom_status exponent_of(const reading *r, const carom_field_law *law, carom_node node,
                                bool potential, double *nu) {
  double value = number_value(r, node, 0.0), least = potential ? 1.01 : 0.0;
  *nu = value;
  if (value >= least && value <= CAROM_EXPONENT_MAX) return CAROM_OK;
  return carom_fail_at(r->error, CAROM_ERR_INPUT, law->place,
                       "fields.%s: the exponent is %g; a number from %g to %d is needed", law->name,
                       value, least, CAROM_EXPONENT_MAX);
}

static carom_status face_mask(const reading *r, const carom_field_law *law, uint64_t *mask) {
  *mask = law->face_count > 0 ? 0 : ~(uint64_t)0;
  for (int k = 0; k < law->face_count; k++) {
    int face = carom_body_face(&r->it->body, law->faces[k]);
    if (face < 0 || face > 63)
      return carom_fail_at(r->error, CAROM_ERR_INPUT, law->place,
                           "fields.%s: the body has no face '%.40s'", law->name, law->faces[k]);
    *mask |= (uint64_t)1 << face;
  }
  return CAROM_OK;
}

// a direction of the body that points down in a posture
static void posture_direction(const carom_field *it, carom_posture posture, double down[3]) {
  const carom_body *body = &it->body;
  int axis = body->dimension - 1;
  down[0] = down[1] = down[2] = 0.0;
  down[axis] = -1.0;
  if (posture == CAROM_POSTURE_FLAT || body->vertex_count == 0) return;
  bool edge = posture == CAROM_POSTURE_EDGE && body->dimension == 3;
  for (int k = 0; k < 3; k++)
    down[k] = edge ? 0.5 * (body->vertex[0][k] + body->vertex[1][k]) : body->vertex[0][k];
  double length = sqrt(carom_v3_dot(down, down));
  for (int k = 0; k < 3; k++)
    down[k] /= length;
}

// int d^-nu over the faces, with the least distance `rest` below the body in this posture
static double rest_integral(carom_field *it, carom_posture posture, double rest, double nu,
                            uint64_t faces) {
  double down[3];
  posture_direction(it, posture, down);
  carom_sight sight = {.offset = 0.0, .distance = it->distances};
  for (int k = 0; k < 3; k++)
    sight.slope[k] = -down[k];
  (void)carom_body_look(&it->body, &sight);
  sight.offset = rest - sight.least;
  if (!carom_body_look(&it->body, &sight)) return 0.0;
  carom_moments m;
  memset(&m, 0, sizeof m);
  carom_body_moments(&it->body, &sight, nu, 0, faces, &m);
  return m.zero;
}

static carom_status add_term(const reading *r, carom_field_term term) {
  carom_field_numbers *p = &r->it->numbers;
  if (p->term_count >= CAROM_FIELD_MAX_TERMS)
    return carom_fail(r->error, CAROM_ERR_LIMIT, "too many fields");
  p->terms[p->term_count++] = term;
  return CAROM_OK;
}

static carom_status add_repulsion(const reading *r, const carom_field_law *law, uint64_t faces) {
  carom_field_term term = {.kind = CAROM_TERM_NORMAL,
                           .supports = law->supports,
                           .faces = faces,
                           .conservative = law->conservative,
                           .law = number_of(r->it, law)};
  carom_status status = exponent_of(r, law, law->exponent, true, &term.nu);
  if (status) return status;
  term.coefficient = number_value(r, law->coefficient, 0.0);
  if (law->rest) {
    double rest = number_value(r, law->rest, 0.0);
    double integral = rest > 0.0 ? rest_integral(r->it, law->posture, rest, term.nu, faces) : 0.0;
    if (!(integral > 0.0))
      return carom_fail_at(r->error, CAROM_ERR_INPUT, law->place,
                           "fields.%s: the distance of rest is %g; it must be positive, and a face "
                           "of the field must look down",
                           law->name, rest);
    term.coefficient = r->it->numbers.weight / integral;
  }
  return add_term(r, term);
}

static carom_status add_velocity_law(const reading *r, const carom_field_law *law, uint64_t faces,
                                     carom_term_kind kind) {
  carom_field_term term = {
      .kind = kind, .supports = law->supports, .faces = faces, .law = number_of(r->it, law)};
  carom_status status = exponent_of(r, law, law->exponent, false, &term.nu);
  term.coefficient = number_value(r, law->coefficient, 0.0);
  return status || term.coefficient == 0.0 ? status : add_term(r, term);
}

// the shadow of the body on the ground, as drawn
static double shadow_area(const carom_field *it) {
  const carom_body *body = &it->body;
  double sum = 0.0;
  int axis = body->dimension - 1;
  if (body->shape == CAROM_BODY_DISC) return 2.0 * body->radius;
  if (body->vertex_count == 0) return 3.14159265358979323846 * body->radius * body->radius;
  for (int p = 0; p < body->piece_count; p++)
    sum += 0.5 * body->piece[p].size * fabs(body->piece[p].normal[axis]);
  return sum;
}

static double rest_of_repulsion(const reading *r) {
  const carom_field_description *f = r->it->model->field;
  for (int k = 0; k < f->law_count; k++)
    if (f->laws[k].kind == CAROM_FIELD_REPULSION && f->laws[k].rest)
      return number_value(r, f->laws[k].rest, 0.0);
  return 0.0;
}

// -p [(d/l)^-attract - (d/l)^-repel]
static carom_status add_adhesion(const reading *r, const carom_field_law *law, uint64_t faces) {
  double attract = 0.0, repel = 0.0;
  double length = law->length ? number_value(r, law->length, 0.0) : rest_of_repulsion(r);
  double pressure = law->pressure ? number_value(r, law->pressure, 0.0)
                                  : number_value(r, law->strength, 0.0) * r->it->numbers.weight /
                                        shadow_area(r->it);
  carom_status status = exponent_of(r, law, law->attract, true, &attract);
  if (!status) status = exponent_of(r, law, law->repel, true, &repel);
  if (!status && !(length > 0.0))
    status = carom_fail_at(r->error, CAROM_ERR_INPUT, law->place,
                           "fields.%s needs a positive length", law->name);
  if (status) return status;
  carom_field_term term = {.kind = CAROM_TERM_NORMAL,
                           .nu = attract,
                           .coefficient = -pressure / carom_any_power(length, attract),
                           .supports = law->supports,
                           .faces = faces,
                           .conservative = law->conservative,
                           .law = number_of(r->it, law)};
  status = add_term(r, term);
  term.nu = repel;
  term.coefficient = pressure / carom_any_power(length, repel);
  return status ? status : add_term(r, term);
}

static bool looks_at_velocities(const reading *r, const carom_field_law *law) {
  const carom_field_description *f = r->it->model->field;
  const carom_graph *graph = r->scenario->graph;
  const carom_node of[2] = {law->normal, law->tangential};
  bool looks = false;
  for (int k = 0; k < 2; k++)
    looks = looks || (of[k] && (carom_node_depends(graph, of[k], f->own.normal_speed) ||
                                carom_node_depends(graph, of[k], f->own.slip_speed)));
  return looks;
}

static carom_status add_law(const reading *r, const carom_field_law *law) {
  carom_field_numbers *p = &r->it->numbers;
  uint64_t faces = 0;
  carom_status status = face_mask(r, law, &faces);
  if (status) return status;
  switch (law->kind) {
  case CAROM_FIELD_REPULSION: return add_repulsion(r, law, faces);
  case CAROM_FIELD_DAMPING: return add_velocity_law(r, law, faces, CAROM_TERM_DAMPING);
  case CAROM_FIELD_FRICTION: return add_velocity_law(r, law, faces, CAROM_TERM_FRICTION);
  case CAROM_FIELD_ADHESION: return add_adhesion(r, law, faces);
  case CAROM_FIELD_OWN:
    p->own[p->own_count] =
        (carom_field_own){.supports = law->supports,
                          .faces = faces,
                          .normal = law->normal ? 2 * p->own_count : -1,
                          .tangential = law->tangential ? 2 * p->own_count + 1 : -1,
                          .law = number_of(r->it, law),
                          .still = !looks_at_velocities(r, law),
                          .kinks = r->it->model->own_kinks[p->own_count]};
    p->own_count++;
  }
  return CAROM_OK;
}

// ---- groups: terms with the same exponent and faces share their moments

static bool terms_go_together(const carom_field_term *a, const carom_field_term *b) {
  return a->nu == b->nu && a->faces == b->faces && a->supports == b->supports;
}

static void make_groups(carom_field *it) {
  carom_field_numbers *p = &it->numbers;
  p->group_count = 0;
  for (int s = 0; s < it->model->field->support_count; s++)
    it->memory[s].valid = false;
  for (int k = 0; k < p->term_count;) {
    carom_field_group group = {.nu = p->terms[k].nu,
                               .faces = p->terms[k].faces,
                               .supports = p->terms[k].supports,
                               .first = k};
    // bring the others of the group next to it
    for (int j = k; j < p->term_count; j++) {
      if (!terms_go_together(&p->terms[k], &p->terms[j])) continue;
      int place = k + group.count++;
      carom_field_term kept = p->terms[j];
      for (int i = j; i > place; i--)
        p->terms[i] = p->terms[i - 1];
      p->terms[place] = kept;
      int order = kept.kind == CAROM_TERM_NORMAL ? 1 : 2;
      if (order > group.order) group.order = order;
    }
    k += group.count;
    group.fixed = group.nu == 0.0 && !it->model->field->soft;
    for (int j = group.first; j < k; j++)
      group.pressure =
          group.pressure || (it->model->field->soft && p->terms[j].kind == CAROM_TERM_NORMAL);
    if (group.fixed) {
      carom_sight sight = {.offset = 1e3 * (1.0 + it->body.area), .distance = it->distances};
      sight.slope[0] = 1.0;
      (void)carom_body_look(&it->body, &sight);
      carom_body_moments(&it->body, &sight, 0, 2, group.faces, &group.moments);
    }
    p->groups[p->group_count++] = group;
  }
}

static carom_status set_up_programs(carom_field *it) {
  const carom_field_model *model = it->model;
  int count = model->scenario->parameter_count;
  const struct {
    const carom_program *program;
    double *registers;
    int at;
  } programs[] = {{model->drive, it->registers.drive, 1},
                  {model->own, it->registers.own, 4},
                  {model->seen, it->registers.seen, 1 + model->size}};
  for (size_t k = 0; k < sizeof programs / sizeof *programs; k++) {
    if (!programs[k].program) continue;
    double *at = programs[k].registers + programs[k].at;
    memcpy(at, it->settings.parameters, (size_t)count * sizeof *at);
    memcpy(at + count, it->body.centre, sizeof it->body.centre);
    carom_program_setup(programs[k].program, programs[k].registers);
  }
  return CAROM_OK;
}

static carom_status check_supports(const reading *r) {
  const carom_field_description *f = r->it->model->field;
  carom_support_now supports[CAROM_FIELD_MAX_SUPPORTS];
  double factor[2];
  carom_field_supports(r->it, r->it->numbers.start, supports, factor);
  for (int s = 0; s < f->support_count; s++)
    if (!isfinite(supports[s].height))
      return carom_fail_at(r->error, CAROM_ERR_INPUT, f->supports[s].place,
                           "supports.%s: its normal has no length, or it is nowhere",
                           f->supports[s].name);
  return CAROM_OK;
}

static double mass_factor(carom_field *it, double t) {
  carom_support_now supports[CAROM_FIELD_MAX_SUPPORTS];
  double factor[2];
  carom_field_supports(it, t, supports, factor);
  return factor[0];
}

// A factor of time alone can be looked at before anything moves; a dip below zero between these
// looks is met on the way, when a step comes there.
static carom_status check_mass(const reading *r) {
  enum { LOOKS = 1000 };
  carom_field *it = r->it;
  const carom_field_description *f = it->model->field;
  double good = it->numbers.start, bad = good, until = it->numbers.until;
  if (!f->mass_factor) return CAROM_OK;
  if (!(mass_factor(it, good) > 0.0))
    return carom_fail_at(r->error, CAROM_ERR_INPUT, f->mass_place,
                         "body.mass_factor is %g at the start; it must be positive",
                         mass_factor(it, good));
  for (int k = 1; k <= LOOKS && bad == good; k++) {
    double t = it->numbers.start + (until - it->numbers.start) * k / LOOKS;
    if (mass_factor(it, t) > 0.0)
      good = bad = t;
    else
      bad = t;
  }
  if (bad == good) return CAROM_OK;
  for (int round = 0; round < 60; round++) {
    double t = 0.5 * (good + bad);
    if (mass_factor(it, t) > 0.0)
      good = t;
    else
      bad = t;
  }
  return carom_fail_at(r->error, CAROM_ERR_INPUT, f->mass_place,
                       "body.mass_factor is no longer positive at t = %.6g: end the run before "
                       "that, with run.until: %.6g, or keep the factor up, as max(..., 0.01) does",
                       bad, it->numbers.start + 0.99 * (bad - it->numbers.start));
}

carom_status carom_field_configure(carom_field *it, carom_error *error) {
  const carom_scenario *s = it->model->scenario;
  carom_error own = {0};
  reading r = {it, s, error ? error : &own};
  carom_status status = carom_settings_read(&it->settings, s, error);
  if (status) return status;
  memset(&it->numbers, 0, sizeof it->numbers);
  status = read_run(&r);
  if (!status) status = make_body(&r);
  for (int k = 0; !status && k < it->model->field->law_count; k++)
    status = add_law(&r, &it->model->field->laws[k]);
  if (status) return status;
  make_groups(it);
  status = set_up_programs(it);
  if (!status) status = check_supports(&r);
  return status ? status : check_mass(&r);
}
