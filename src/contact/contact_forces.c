// SPDX-License-Identifier: MIT
#include "contact/contact_internal.h"

#include <math.h>

static double *take_reals(carom_arena *arena, int count) {
  return carom_arena_array(arena, (size_t)count, sizeof(double));
}

static int *take_integers(carom_arena *arena, int count) {
  return carom_arena_array(arena, (size_t)count, sizeof(int));
}

static void scaled_init(scaled_problem *s, carom_arena *arena, int rows, int contacts) {
  s->source = take_integers(arena, rows);
  s->scale = take_reals(arena, rows);
  s->metric = take_reals(arena, rows);
  s->G = take_reals(arena, rows * rows);
  s->b = take_reals(arena, rows);
  s->start = take_integers(arena, rows + 1);
  s->column = take_integers(arena, rows < CONTACT_LONG_ROW ? 0 : rows * rows);
  s->normal = take_integers(arena, contacts);
  s->tangent = take_integers(arena, contacts);
  s->cross = take_integers(arena, contacts);
  s->stick = take_reals(arena, contacts);
  s->slide = take_reals(arena, contacts);
  s->sliding = take_integers(arena, contacts);
  s->braking = take_integers(arena, contacts);
  s->floor = take_reals(arena, contacts);
  s->turned = carom_arena_array(arena, (size_t)contacts, sizeof(bool));
}

// forms of one contact: normal, opening, two cones; and one of the search
static int form_room(int contacts) { return 4 * contacts + 2; }

static void system_init(contact_system *s, carom_arena *arena, int rows, int contacts) {
  s->unknown_row = take_integers(arena, rows);
  s->coupled_row = take_integers(arena, rows);
  s->coupling = take_reals(arena, rows);
  s->equation_row = take_integers(arena, rows);
  s->offset = take_reals(arena, rows);
  s->A = take_reals(arena, rows * rows);
  s->x = take_reals(arena, rows);
  s->right = take_reals(arena, rows);
  s->residual = take_reals(arena, rows);
  s->order.rows = take_integers(arena, rows);
  s->order.columns = take_integers(arena, rows);
  s->order.bound = take_reals(arena, rows);
  s->order.left = take_integers(arena, rows);
  s->order.first = take_integers(arena, rows + 1);
  s->order.beside = take_integers(arena, rows * rows);
  s->lambda = take_reals(arena, rows);
  s->rate = take_reals(arena, rows);
  s->null_lambda = take_reals(arena, rows * rows);
  s->null_rate = take_reals(arena, rows * rows);
  s->form = carom_arena_array(arena, (size_t)form_room(contacts), sizeof *s->form);
}

static void choice_init(carom_contact_workspace *w, carom_arena *arena, int rows, int contacts) {
  w->modes = take_integers(arena, contacts);
  w->trial = take_integers(arena, contacts);
  w->best = take_integers(arena, contacts);
  w->current = take_integers(arena, contacts);
  w->later_modes = take_integers(arena, contacts);
  w->turned.G = take_reals(arena, rows * rows);
  w->turned.b = take_reals(arena, rows);
  w->turned.direction = take_reals(arena, 2 * contacts);
  w->turned.sliding = take_integers(arena, contacts);
  w->found.chosen = carom_arena_array(arena, (size_t)contacts, sizeof *w->found.chosen);
  w->found.other = carom_arena_array(arena, (size_t)contacts, sizeof *w->found.other);
  w->found.lambda = take_reals(arena, rows);
  w->found.rate = take_reals(arena, rows);
  w->found.other_lambda = take_reals(arena, rows);
  w->found.other_rate = take_reals(arena, rows);
  w->probe_lambda = take_reals(arena, rows);
  w->probe_rate = take_reals(arena, rows);
  w->best_rate = take_reals(arena, rows);
  w->best_lambda = take_reals(arena, rows);
  w->swap = take_reals(arena, contacts);
  w->basis = take_reals(arena, rows * rows);
  w->order = take_integers(arena, rows);
  w->fixed = carom_arena_array(arena, (size_t)rows, sizeof(bool));
}

carom_contact_workspace *carom_contact_workspace_create(carom_arena *arena, int max_rows,
                                                        int max_contacts) {
  carom_contact_workspace *w = carom_arena_take(arena, sizeof *w);
  if (!w) return NULL;
  w->max_rows = max_rows;
  w->max_contacts = max_contacts;
  long failures = carom_arena_failures(arena);
  scaled_init(&w->now, arena, max_rows, max_contacts);
  scaled_init(&w->later, arena, max_rows, max_contacts);
  system_init(&w->system, arena, max_rows, max_contacts);
  small_program_init(&w->program, arena, form_room(max_contacts), max_rows);
  choice_init(w, arena, max_rows, max_contacts);
  contact_proposal_init(&w->proposal, arena, max_rows, max_contacts);
  return carom_arena_failures(arena) == failures ? w : NULL;
}

void contact_write_back(const carom_contact_problem *problem, const scaled_problem *p,
                        const double *scaled_lambda, double *lambda, double *rate) {
  for (int k = 0; k < problem->rows; k++)
    lambda[k] = 0.0;
  for (int k = 0; k < p->rows; k++)
    lambda[p->source[k]] = scaled_lambda[k] * p->scale[k];
  if (!rate) return;
  for (int i = 0; i < problem->rows; i++) {
    const double *G = problem->G + (size_t)i * (size_t)problem->rows;
    double sum = problem->b[i];
    for (int k = 0; k < p->rows; k++)
      sum += G[p->source[k]] * lambda[p->source[k]];
    rate[i] = sum;
  }
}

// One contact that slips, or has no friction: N from (G_NN + c G_NT) N = -b_N and T = c N, solved
// and corrected once, operation by operation as below (scaling by powers of two and turning round
// nothing off). False where more has to be asked: a force that pulls, a coefficient that is not
// clearly positive.
static bool single_force(const carom_contact_problem *p, carom_contact_mode mode, double *lambda,
                         carom_contact_margin *margin) {
  const double clear = 1e-5; // of G_NN: far from where pivots are taken for zero
  int normal = p->normal[0], tangent = p->tangent[0], sign = carom_contact_slip_sign(mode);
  bool friction = tangent >= 0 && (p->stick[0] > 0.0 || p->slide[0] > 0.0);
  if (friction && (sign == 0 || p->sliding[0] == 0)) return false;
  double couple = friction ? -sign * p->slide[0] : 0.0;
  double own = p->G[normal * p->rows + normal], b = p->b[normal];
  double cross = friction ? p->G[normal * p->rows + tangent] : 0.0;
  double a = friction ? own + couple * cross : own;
  if (!(own > 0.0) || !(a > clear * own)) return false;
  double force = -b / a;
  force += -(b + own * force + cross * (couple * force)) / a;
  double rub = couple * force, left = b + own * force + cross * rub;
  if (!(force >= 0.0) || !(fabs(left) <= CAROM_CONTACT_TOLERANCE * fabs(b))) return false;
  for (int k = 0; k < p->rows; k++)
    lambda[k] = 0.0;
  lambda[normal] = force;
  if (friction) lambda[tangent] = rub;
  if (margin)
    *margin = (carom_contact_margin){
        .value = force, .contact = 0, .condition = CAROM_CONDITION_NORMAL, .determinant = a / own};
  return true;
}

bool carom_contact_forces(const carom_contact_problem *problem, const carom_contact_mode *modes,
                          carom_contact_workspace *work, double *lambda, double *rate,
                          carom_contact_margin *margin) {
  scaled_problem *p = &work->now;
  contact_system *s = &work->system;
  if (problem->contacts == 1 && problem->constraints == 0 && !problem->floor && !rate &&
      carom_contact_is_closed(modes[0]) && single_force(problem, modes[0], lambda, margin))
    return true;
  contact_scale(problem, p);
  for (int i = 0; i < p->contacts; i++)
    work->modes[i] = (int)contact_normal_mode(p, i, contact_turn_mode(p, i, modes[i]));
  contact_system_build(p, work->modes, s);
  contact_system_solve(p, s);
  bool admissible =
      contact_system_least(p, s, &work->program, work->probe_lambda, work->probe_rate);
  contact_write_back(problem, p, work->probe_lambda, lambda, rate);
  if (margin) contact_system_margin(p, s, &work->program, margin);
  return admissible;
}
