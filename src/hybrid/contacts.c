// SPDX-License-Identifier: MIT
#include "hybrid/contacts.h"

#include "base/elementary.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

enum {
  PER_CONTACT = sizeof(carom_coefficients) / sizeof(double),
  STICK = offsetof(carom_coefficients, stick) / sizeof(double),
  SLIDE = offsetof(carom_coefficients, slide) / sizeof(double)
};

static const double ADMISSIBLE = 1e-3; // of the load: a margin that is not zero
static const double AT_REST = 1e-11;   // of its terms: a rate that is none

static const double KNOWN =
    0.01; // of the speed of slip that has set off: the direction of less is error

// A coefficient that is zero here and not elsewhere: nothing to feel, and yet the contact has a
// friction mode, which one that is smooth for good has not.
static const double HARDLY = 1e-30;

static carom_node or_zero(carom_node node, carom_node zero) { return node ? node : zero; }

carom_node carom_contact_written(const carom_contact *contact, carom_friction_part part) {
  return part == CAROM_FRICTION_STICK   ? contact->stick
         : part == CAROM_FRICTION_SLIDE ? contact->slide
                                        : contact->tangential.node;
}

// the user's law with its normal force replaced by a number
static carom_node law_at(carom_graph *graph, const carom_contact_set *set, int k,
                         double normal_force, carom_node zero) {
  carom_node law = carom_contact_friction(set, k, CAROM_FRICTION_LAW);
  if (!law) return zero;
  carom_node value = carom_node_constant(graph, normal_force);
  return carom_node_substitute(graph, law, 1, &set->contacts[k].normal_force, &value);
}

// do they depend on parameters alone?
static bool all_constant(const carom_graph *graph, int count, const carom_node *nodes) {
  const unsigned moving = ~(1u << CAROM_SYMBOL_PARAMETER);
  for (int k = 0; k < count; k++)
    if (carom_node_depends_kind(graph, nodes[k], moving)) return false;
  return true;
}

bool carom_contact_is_borne(const carom_contact_set *set, const carom_contact_memory *memory,
                            int k) {
  bool borne = false;
  for (int j = 0; j < set->count; j++)
    borne = borne || (set->presses[j * set->count + k] && carom_contact_is_closed(memory[j].mode));
  return borne;
}

// who presses whom, where loads are forces of other contacts
static bool find_pressing(carom_contact_set *set, carom_arena *arena, const carom_graph *graph) {
  int count = set->count;
  bool any = false;
  for (int k = 0; k < count; k++)
    any = any || set->contacts[k].carried;
  if (!any) return true;
  set->presses = carom_arena_array(arena, (size_t)count * (size_t)count, sizeof *set->presses);
  for (int k = 0; k < count && set->presses; k++)
    for (int j = 0; j < count && set->contacts[k].carried; j++)
      set->presses[j * count + k] =
          carom_node_depends(graph, set->contacts[k].load.node, set->contacts[j].normal_force);
  return set->presses != NULL;
}

carom_status carom_contact_set_compile(carom_contact_set *set, carom_arena *arena,
                                       const carom_scenario *scenario,
                                       const carom_dynamics *dynamics, carom_error *error) {
  size_t count = (size_t)scenario->contact_count;
  set->count = scenario->contact_count;
  set->contacts = scenario->contacts;
  long failures = carom_arena_failures(arena);
  set->normal = carom_arena_array(arena, count, sizeof *set->normal);
  set->gap = carom_arena_array(arena, count, sizeof *set->gap);
  set->tangent = carom_arena_array(arena, count, sizeof *set->tangent);
  set->cross = carom_arena_array(arena, count, sizeof *set->cross);
  set->user_law = carom_arena_array(arena, count, sizeof *set->user_law);
  set->fades = carom_arena_array(arena, count, sizeof *set->fades);
  int inputs_count = dynamics->input_count + set->count;
  carom_node *inputs = carom_arena_array(arena, (size_t)inputs_count, sizeof *inputs);
  carom_node *outputs = carom_arena_array(arena, count * PER_CONTACT, sizeof *outputs);
  if (carom_arena_failures(arena) != failures) return carom_fail_memory(error);
  memcpy(inputs, dynamics->inputs, (size_t)dynamics->input_count * sizeof *inputs);
  carom_graph *graph = dynamics->graph;
  carom_node zero = carom_node_constant(graph, 0.0), *at = outputs;
  if (!find_pressing(set, arena, graph)) return carom_fail_memory(error);
  int row = scenario->constraint_count;
  for (int k = 0; k < set->count; k++) {
    const carom_contact *c = &scenario->contacts[k];
    inputs[dynamics->input_count + k] = c->slip_speed;
    set->normal[k] = row++;
    set->tangent[k] = c->slip.node ? row++ : -1;
    set->cross[k] = c->space.slip.node ? row++ : -1;
    set->spatial += c->space.slip.node != 0;
    set->user_law[k] = c->tangential.node != 0;
    set->fades[k] = !all_constant(graph, 2, (carom_node[]){c->stick, c->slide});
    carom_node *numbers = at;
#define NUMBER(name) *at++ = or_zero(c->name, zero);
    CAROM_CONTACT_NUMBERS(NUMBER)
#undef NUMBER
    numbers[STICK] = or_zero(carom_contact_friction(set, k, CAROM_FRICTION_STICK), zero);
    numbers[SLIDE] = or_zero(carom_contact_friction(set, k, CAROM_FRICTION_SLIDE), zero);
    *at++ = law_at(graph, set, k, 0.0, zero);
    *at++ = law_at(graph, set, k, 1.0, zero);
  }
  set->constant = all_constant(graph, set->count * PER_CONTACT, outputs);
  return carom_program_compile(arena, graph, inputs_count, inputs, set->count * PER_CONTACT,
                               outputs, &set->coefficients, error);
}

carom_status carom_contact_evaluation_init(carom_contact_evaluation *contact, carom_arena *arena,
                                           const carom_contact_set *set,
                                           const carom_dynamics *dynamics, carom_error *error) {
  size_t count = (size_t)set->count, rows = (size_t)dynamics->rows;
  long failures = carom_arena_failures(arena);
  *contact = (carom_contact_evaluation){
      .registers = carom_arena_array(
          arena, set->coefficients ? (size_t)carom_program_registers(set->coefficients) : 0,
          sizeof(double)),
      .now = carom_arena_array(arena, count, sizeof *contact->now),
      .which = carom_arena_array(arena, count, sizeof(int)),
      .normal = carom_arena_array(arena, count, sizeof(int)),
      .tangent = carom_arena_array(arena, count, sizeof(int)),
      .cross = carom_arena_array(arena, count, sizeof(int)),
      .turned = carom_arena_array(arena, set->spatial > 0 ? rows * rows : 0, sizeof(double)),
      .direction = carom_arena_array(arena, 2 * count, sizeof(double)),
      .held = carom_arena_array(arena, set->spatial > 0 ? rows + 2 * count : 0, sizeof(double)),
      .held_modes = carom_arena_array(arena, count, sizeof(carom_contact_mode)),
      .sliding = carom_arena_array(arena, count, sizeof(int)),
      .stick = carom_arena_array(arena, count, sizeof(double)),
      .slide = carom_arena_array(arena, count, sizeof(double)),
      .shifted = carom_arena_array(arena, rows, sizeof(double)),
      .modes = carom_arena_array(arena, count, sizeof(carom_contact_mode)),
      .lambda = carom_arena_array(arena, rows, sizeof(double)),
      .held_position = carom_arena_array(arena, rows, sizeof(bool)),
      .held_velocity = carom_arena_array(arena, rows, sizeof(bool)),
      .work = carom_contact_workspace_create(arena, dynamics->rows, set->count)};
  if (carom_arena_failures(arena) != failures) return carom_fail_memory(error);
  if (set->spatial == 0 || set->count < 2) return CAROM_OK;
  // rows of constraints come first
  bool made = carom_space_make_room(contact->work, arena, set->normal[0]);
  return made ? CAROM_OK : carom_fail_memory(error);
}

// what the program has left of contact k
static carom_coefficients coefficients_of(const carom_contact_set *set,
                                          const carom_contact_evaluation *contact, int k) {
  carom_coefficients now;
  double value[PER_CONTACT] = {0};
  for (int j = 0; j < PER_CONTACT; j++)
    value[j] = contact->registers[carom_program_output(set->coefficients, k * PER_CONTACT + j)];
  memcpy(&now, value, sizeof now);
  if (set->fades[k] && now.stick == 0.0) now.stick = HARDLY;
  if (set->fades[k] && now.slide == 0.0) now.slide = HARDLY;
  return now;
}

void carom_contact_configure(const carom_contact_set *set, carom_contact_evaluation *contact,
                             const carom_dynamics *dynamics, const double *parameters,
                             const double *modes) {
  if (set->count == 0) return;
  double *at = contact->registers + 1 + dynamics->size;
  memcpy(at, modes, (size_t)dynamics->modes * sizeof *at);
  memcpy(at + dynamics->modes, parameters, (size_t)dynamics->parameters * sizeof *at);
  carom_program_setup(set->coefficients, contact->registers);
  for (int k = 0; k < set->count && set->constant; k++)
    contact->now[k] = coefficients_of(set, contact, k);
}

double carom_contact_speed(const carom_contact_set *set, const carom_rows *rows, int k) {
  if (set->tangent[k] < 0) return 0.0;
  double slip = rows->velocity[set->tangent[k]];
  return set->cross[k] < 0 ? fabs(slip) : carom_hypot(slip, rows->velocity[set->cross[k]]);
}

// the direction in which a contact in space slides, by its slip or by what is remembered of it
static void find_slip_direction(const carom_contact_set *set, const carom_contact_memory *memory,
                                const carom_rows *rows, int k, double d[2]) {
  double speed = carom_contact_speed(set, rows, k);
  bool clear = speed > memory[k].slip.unclear;
  d[0] = clear ? rows->velocity[set->tangent[k]] / speed : memory[k].slip.direction[0];
  d[1] = clear ? rows->velocity[set->cross[k]] / speed : memory[k].slip.direction[1];
  if (d[0] == 0.0 && d[1] == 0.0) d[0] = 1.0;
}

void carom_contact_coefficients(const carom_contact_set *set, carom_contact_evaluation *contact,
                                const carom_dynamics *dynamics, const carom_rows *rows, double t,
                                const double *y) {
  if (set->constant || set->count == 0) return; // set when parameters were
  double *at = contact->registers;
  *at++ = t;
  memcpy(at, y, (size_t)dynamics->size * sizeof *y);
  at = contact->registers + dynamics->input_count;
  for (int k = 0; k < set->count; k++)
    *at++ = set->cross[k] >= 0     ? carom_contact_speed(set, rows, k)
            : set->tangent[k] >= 0 ? rows->velocity[set->tangent[k]]
                                   : 0.0;
  carom_program_run(set->coefficients, contact->registers);
  for (int k = 0; k < set->count; k++)
    contact->now[k] = coefficients_of(set, contact, k);
}

carom_coefficients carom_contact_law_at(const carom_contact_set *set,
                                        const carom_contact_evaluation *contact,
                                        const carom_dynamics *dynamics, int k, double slip) {
  contact->registers[dynamics->input_count + k] = slip;
  carom_program_run(set->coefficients, contact->registers);
  return coefficients_of(set, contact, k);
}

void carom_contact_list_closed(const carom_contact_set *set, carom_contact_evaluation *contact,
                               const carom_contact_memory *memory, int rows, int constraints) {
  for (int r = 0; r < rows; r++)
    contact->held_position[r] = contact->held_velocity[r] = r < constraints;
  contact->closed = 0;
  for (int k = 0; k < set->count; k++) {
    carom_contact_mode mode = memory[k].mode;
    if (!carom_contact_is_closed(mode)) continue;
    contact->which[contact->closed++] = k;
    // a given load holds nothing
    contact->held_position[set->normal[k]] = contact->held_velocity[set->normal[k]] =
        !carom_contact_is_loaded(set, k);
    if (mode == CAROM_CONTACT_STICK) contact->held_velocity[set->tangent[k]] = true;
    if (mode == CAROM_CONTACT_STICK && set->cross[k] >= 0)
      contact->held_velocity[set->cross[k]] = true;
  }
}

// A user's law f(N) = f0 + (f1 - f0) N is a force f0 given along the tangent plus sliding friction
// of coefficient |f1 - f0|.
static void apply_user_law(carom_contact_evaluation *contact, const carom_coefficients *c, int j,
                           const double *G, int row_count) {
  double slope = c->law_1 - c->law_0;
  int tangent = contact->tangent[j];
  contact->sliding[j] = slope > 0.0 ? -1 : 1;
  contact->stick[j] = contact->slide[j] = fabs(slope);
  contact->modes[j] = slope > 0.0 ? CAROM_CONTACT_SLIP_MINUS : CAROM_CONTACT_SLIP_PLUS;
  for (int r = 0; r < row_count; r++)
    contact->shifted[r] += G[r * row_count + tangent] * c->law_0;
}

// a contact in space that slips is one in the plane once its tangents are turned along the slip
void carom_contact_turn_along(const carom_contact_set *set, carom_contact_evaluation *contact,
                              const carom_contact_memory *memory, const carom_rows *rows,
                              int row_count) {
  memcpy(contact->turned, rows->delassus, (size_t)(row_count * row_count) * sizeof(double));
  for (int j = 0; j < contact->closed; j++) {
    int k = contact->which[j];
    if (contact->cross[j] < 0 || contact->modes[j] != CAROM_CONTACT_SLIP_PLUS) continue;
    double *d = contact->direction + 2 * (size_t)j;
    find_slip_direction(set, memory, rows, k, d);
    carom_space_turn(row_count, contact->turned, contact->shifted, set->tangent[k], set->cross[k],
                     d);
  }
}

// Forces of those contacts along their own tangents again; the cones of those that stick are round.
bool carom_contact_turn_back(const carom_contact_set *set, carom_contact_evaluation *contact,
                             bool margin) {
  bool inside = true;
  for (int j = 0; j < contact->closed; j++) {
    int k = contact->which[j], t = set->tangent[k], x = set->cross[k];
    const double *d = contact->direction + 2 * (size_t)j;
    double *lambda = contact->lambda;
    if (contact->cross[j] < 0) continue;
    if (contact->modes[j] == CAROM_CONTACT_SLIP_PLUS) {
      lambda[x] = d[1] * lambda[t];
      lambda[t] = d[0] * lambda[t];
    }
    if (contact->modes[j] != CAROM_CONTACT_STICK) continue;
    double T = carom_hypot(lambda[t], lambda[x]),
           limit = contact->stick[j] * lambda[set->normal[k]];
    inside = inside && T <= limit;
    if (!margin || !(limit - T < contact->margin.value)) continue;
    contact->margin.value = limit - T;
    contact->margin.contact = j;
    contact->margin.condition = CAROM_CONDITION_CONE_PLUS;
  }
  return inside;
}

carom_contact_problem carom_contact_problem_now(const carom_contact_set *set,
                                                carom_contact_evaluation *contact,
                                                const carom_contact_memory *memory,
                                                const carom_rows *rows, int row_count,
                                                int constraints) {
  memcpy(contact->shifted, rows->free_rate, (size_t)row_count * sizeof(double));
  for (int j = 0; j < contact->closed; j++) {
    int k = contact->which[j];
    const carom_coefficients *c = &contact->now[k];
    contact->normal[j] = set->normal[k];
    contact->tangent[j] = set->tangent[k];
    contact->cross[j] = set->cross[k];
    contact->modes[j] = memory[k].mode;
    contact->sliding[j] = carom_contact_slip_sign(memory[k].mode);
    contact->stick[j] = c->stick;
    contact->slide[j] = c->slide;
    if (set->user_law[k]) apply_user_law(contact, c, j, rows->delassus, row_count);
  }
  if (set->spatial > 0) carom_contact_turn_along(set, contact, memory, rows, row_count);
  return (carom_contact_problem){.rows = row_count,
                                 .constraints = constraints,
                                 .contacts = contact->closed,
                                 .normal = contact->normal,
                                 .tangent = contact->tangent,
                                 .cross = set->spatial > 0 ? contact->cross : NULL,
                                 .G = set->spatial > 0 ? contact->turned : rows->delassus,
                                 .b = contact->shifted,
                                 .stick = contact->stick,
                                 .slide = contact->slide,
                                 .sliding = contact->sliding};
}

// the rate of a row's velocity under forces, beside the largest of its terms
static double rate_under(const carom_contact_problem *problem, const double *forces, int row,
                         double *terms) {
  const double *G = problem->G + (size_t)row * (size_t)problem->rows;
  double rate = problem->b[row];
  *terms = fabs(rate);
  for (int r = 0; r < problem->rows; r++) {
    rate += G[r] * forces[r];
    *terms = fmax(*terms, fabs(G[r] * forces[r]));
  }
  return rate;
}

// A contact that sticks does so under any force within its cone that leaves it at rest, whatever
// the mode that a solver gives to a force at its edge.
static bool stays_stuck(const carom_contact_problem *problem, const double *forces, int j) {
  const int rows[] = {problem->normal[j], problem->tangent[j], problem->cross[j]};
  for (int k = 0; k < 3; k++) {
    double terms, rate = rows[k] >= 0 ? rate_under(problem, forces, rows[k], &terms) : 0.0;
    if (rows[k] >= 0 && !(fabs(rate) <= AT_REST * terms)) return false;
  }
  return true;
}

// Redundant contacts that stick: forces of least norm have left their cones, others may not have.
static bool hold_together(const carom_contact_problem *problem, carom_contact_evaluation *contact) {
  carom_contact_mode *modes = contact->held_modes;
  double *direction = contact->held + problem->rows;
  bool unique;
  if (!carom_space_can_solve(problem) ||
      !carom_space_solve(problem, contact->work, contact->held, modes, direction, &unique))
    return false;
  for (int j = 0; j < problem->contacts; j++)
    if (modes[j] != contact->modes[j] &&
        (contact->modes[j] != CAROM_CONTACT_STICK || !stays_stuck(problem, contact->held, j)))
      return false;
  memcpy(contact->lambda, contact->held, (size_t)problem->rows * sizeof(double));
  // which of the admissible forces was found says nothing of how far the last one is
  contact->margin.value = 0.0;
  for (int j = 0; j < problem->contacts; j++)
    contact->margin.value += ADMISSIBLE * contact->lambda[contact->normal[j]];
  return true;
}

// ---- slip that has just set off

// the closed contact j slips, too slowly for its direction to be known
static bool is_setting_off(const carom_contact_set *set, const carom_contact_evaluation *contact,
                           const carom_contact_memory *memory, const carom_rows *rows, int j) {
  int k = contact->which[j];
  return contact->cross[j] >= 0 && contact->modes[j] == CAROM_CONTACT_SLIP_PLUS &&
         !memory[k].slip.ends && carom_contact_speed(set, rows, k) <= memory[k].slip.unclear;
}

// forces with contact j turned by a further angle; returns the rate of its slip across itself
static double rate_across(carom_contact_evaluation *contact, const carom_contact_problem *problem,
                          int j, double angle) {
  double d[2], *at = contact->direction + 2 * (size_t)j, before = at[0];
  const double *row = contact->turned + (size_t)problem->cross[j] * (size_t)problem->rows;
  carom_sincos(angle, &d[1], &d[0]);
  carom_space_turn(problem->rows, contact->turned, contact->shifted, problem->tangent[j],
                   problem->cross[j], d);
  at[0] = d[0] * before - d[1] * at[1];
  at[1] = d[0] * at[1] + d[1] * before;
  (void)carom_contact_forces(problem, contact->modes, contact->work, contact->lambda, NULL, NULL);
  double rate = contact->shifted[problem->cross[j]];
  for (int r = 0; r < problem->rows; r++)
    rate += row[r] * contact->lambda[r];
  return rate;
}

// The direction in which contact j sets off at this state: the rate across it is zero. Secant steps
// from the direction at the instant itself.
static double find_onset(carom_contact_evaluation *contact, const carom_contact_problem *problem,
                         int j) {
  enum { STEPS = 8 };
  const double first = 1e-5, largest = 0.3, enough = 1e-15;
  double before = rate_across(contact, problem, j, 0.0), turn = first, all = 0.0;
  for (int step = 0; step < STEPS && turn != 0.0; step++) {
    double now = rate_across(contact, problem, j, turn);
    double next = now == before ? 0.0 : -now * turn / (now - before);
    all += turn;
    before = now;
    turn = fabs(next) <= enough ? 0.0 : fmax(-largest, fmin(largest, next));
  }
  return all;
}

// Slip that goes another way than its onset, being brought there by others, is left to itself.
static void leave_to_slip(const carom_contact_set *set, carom_contact_evaluation *contact,
                          const carom_rows *rows, const carom_contact_problem *problem, int j,
                          double known) {
  int k = contact->which[j];
  double speed = carom_contact_speed(set, rows, k), *d = contact->direction + 2 * (size_t)j;
  if (!(speed > known)) return;
  double s[2] = {rows->velocity[set->tangent[k]] / speed, rows->velocity[set->cross[k]] / speed};
  double turn[2] = {d[0] * s[0] + d[1] * s[1], d[0] * s[1] - d[1] * s[0]};
  if (turn[0] >= 0.5) return;
  carom_space_turn(problem->rows, contact->turned, contact->shifted, problem->tangent[j],
                   problem->cross[j], turn);
  d[0] = s[0], d[1] = s[1];
}

static void find_onsets(const carom_contact_set *set, carom_contact_evaluation *contact,
                        const carom_contact_memory *memory, const carom_rows *rows,
                        const carom_contact_problem *problem) {
  enum { SWEEPS = 12 };
  const double same = 1e-14;
  double turned = INFINITY;
  for (int sweep = 0; sweep < SWEEPS && turned > same; sweep++) {
    int count = 0;
    turned = 0.0;
    for (int j = 0; j < contact->closed; j++) {
      if (!is_setting_off(set, contact, memory, rows, j)) continue;
      turned = fmax(turned, fabs(find_onset(contact, problem, j)));
      count++;
    }
    if (count < 2) break;
  }
  for (int j = 0; j < contact->closed; j++)
    if (is_setting_off(set, contact, memory, rows, j))
      leave_to_slip(set, contact, rows, problem, j, KNOWN * memory[contact->which[j]].slip.unclear);
}

bool carom_contact_evaluate(const carom_contact_set *set, carom_contact_evaluation *contact,
                            const carom_contact_memory *memory, const carom_dynamics *dynamics,
                            const carom_rows *rows, int constraints, double t, const double *y,
                            bool margin) {
  carom_contact_coefficients(set, contact, dynamics, rows, t, y);
  carom_contact_problem problem =
      carom_contact_problem_now(set, contact, memory, rows, dynamics->rows, constraints);
  bool asks = margin || set->spatial > 0; // whether forces are unique
  if (set->spatial > 0) find_onsets(set, contact, memory, rows, &problem);
  bool admissible = carom_contact_forces(&problem, contact->modes, contact->work, contact->lambda,
                                         NULL, asks ? &contact->margin : NULL);
  for (int j = 0; j < contact->closed; j++) {
    int k = contact->which[j];
    if (set->user_law[k]) contact->lambda[set->tangent[k]] += contact->now[k].law_0;
  }
  if (set->spatial > 0) {
    bool redundant = contact->margin.determinant == 0.0 && admissible;
    admissible = carom_contact_turn_back(set, contact, true) && admissible;
    if (redundant && !admissible) admissible = hold_together(&problem, contact);
  }
  return admissible;
}
