// SPDX-License-Identifier: MIT
#include "friction/friction_enumerate.h"

#include "friction/linear_program.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define BAND 1e-9          // t above, of the largest velocity
#define SLACK 1e-12        // of the largest entry: rounding
#define EXACT 1e-12        // the same for sets without a band
#define SAME 1e-7          // relative: forces and velocities that count as equal
#define CONFIRMED 1e-10    // residual of a solution
#define MOST_SETS 20000000 // beyond which nothing is proved

enum mode { UNDECIDED, CLOSED_STICK, CLOSED_PLUS, CLOSED_MINUS, OPEN_STICK, OPEN_PLUS, OPEN_MINUS };
enum { CHOICES = 6, ROWS = 5, MOST = FRICTION_ENUMERATED };

struct friction_enumeration {
  linear_program program;
  double W[2 * MOST][2 * MOST];
  // column of each contact's unknowns: s with r_N = floor + s, w with r_T = -mu r_N + w; -1: none
  int s[MOST], w[MOST];
  int mode[MOST], choice[MOST]; // of the contacts decided so far
  double x[2 * MOST], factor[2 * MOST + 1];
};

struct friction_enumeration *friction_enumeration_create(carom_arena *arena, int most) {
  struct friction_enumeration *e = carom_arena_take(arena, sizeof *e);
  if (!e) return NULL;
  int n = most < MOST ? most : MOST;
  linear_program_init(&e->program, arena, ROWS * n, 2 * n);
  return e;
}

static int list_modes(const friction_problem *p, int i, int *list) {
  static const int all[CHOICES] = {CLOSED_STICK, OPEN_STICK, CLOSED_PLUS,
                                   CLOSED_MINUS, OPEN_PLUS,  OPEN_MINUS};
  int count = 0;
  for (int k = 0; k < CHOICES; k++) {
    bool slips = all[k] != CLOSED_STICK && all[k] != OPEN_STICK;
    if (slips && !(p->mu[i] > 0.0)) continue;
    if (all[k] > OPEN_STICK && !(p->floor[i] > 0.0)) continue;
    list[count++] = all[k];
  }
  assert(count > 0 && count <= CHOICES);
  return count;
}

static bool is_closed(int mode) { return mode <= CLOSED_MINUS; }

// +1, -1: slips that way; 0: sticks
static int slip_of(int mode) {
  if (mode == CLOSED_PLUS || mode == OPEN_PLUS) return 1;
  return mode == CLOSED_MINUS || mode == OPEN_MINUS ? -1 : 0;
}

// r_T = tilt r_N + w
static double tilt_of(const friction_problem *p, const struct friction_enumeration *e, int i) {
  return slip_of(e->mode[i]) < 0 ? p->mu[i] : -p->mu[i];
}

// ---- the inequalities of a set

static void name_unknowns(const friction_problem *p, struct friction_enumeration *e) {
  int next = 0;
  for (int i = 0; i < p->n; i++) {
    int mode = e->mode[i];
    bool carries = is_closed(mode) || p->floor[i] > 0.0;
    e->s[i] = is_closed(mode) ? next++ : -1;
    e->w[i] = carries && slip_of(mode) == 0 && p->mu[i] > 0.0 ? next++ : -1;
  }
  e->program.columns = next;
}

// sign v_row + constant >= 0 as a row of coefficients
static void velocity_row(const friction_problem *p, const struct friction_enumeration *e, int row,
                         double sign, double constant, double *to) {
  assert(row >= 0 && row < p->d * p->n);
  int columns = e->program.columns;
  double sum = p->q[row];
  for (int c = 0; c < columns; c++)
    to[c] = 0.0;
  for (int j = 0; j < p->n; j++) {
    double tilted = e->W[row][2 * j] + tilt_of(p, e, j) * e->W[row][2 * j + 1];
    sum += tilted * p->floor[j];
    if (e->s[j] >= 0) to[e->s[j]] = sign * tilted;
    if (e->w[j] >= 0) to[e->w[j]] = sign * e->W[row][2 * j + 1];
  }
  to[columns] = sign * sum + constant;
}

static void add_velocity(const friction_problem *p, struct friction_enumeration *e, int row,
                         double sign, double constant) {
  linear_program *g = &e->program;
  velocity_row(p, e, row, sign, constant, g->table + (size_t)g->rows * (size_t)(g->columns + 1));
  g->rows++;
}

// w <= 2 mu r_N
static void add_cone(const friction_problem *p, struct friction_enumeration *e, int i) {
  linear_program *g = &e->program;
  double *to = g->table + (size_t)g->rows++ * (size_t)(g->columns + 1);
  for (int c = 0; c <= g->columns; c++)
    to[c] = 0.0;
  if (e->s[i] >= 0) to[e->s[i]] = 2.0 * p->mu[i];
  to[e->w[i]] = -1.0;
  to[g->columns] = 2.0 * p->mu[i] * p->floor[i];
}

static void add_contact(const friction_problem *p, struct friction_enumeration *e, int i,
                        double band) {
  assert(i >= 0 && i < p->n);
  int mode = e->mode[i], slip = slip_of(mode), N = 2 * i, T = 2 * i + 1;
  if (e->w[i] >= 0) add_cone(p, e, i);
  add_velocity(p, e, N, 1.0, is_closed(mode) ? 0.0 : -band);
  if (mode == UNDECIDED) return;
  if (is_closed(mode)) add_velocity(p, e, N, -1.0, band);
  // friction that does nothing says nothing of v_T
  if (!(p->mu[i] > 0.0) || (!is_closed(mode) && !(p->floor[i] > 0.0))) return;
  if (slip != 0) {
    add_velocity(p, e, T, slip, -band);
    return;
  }
  add_velocity(p, e, T, 1.0, band);
  add_velocity(p, e, T, -1.0, band);
}

static linear_outcome look_for_force(const friction_problem *p, struct friction_enumeration *e,
                                     double band, double slack) {
  linear_program *g = &e->program;
  name_unknowns(p, e);
  g->rows = 0;
  for (int i = 0; i < p->n; i++)
    add_contact(p, e, i, band);
  return linear_program_find(g, slack);
}

// forces of unknowns x
static void take_forces(const friction_problem *p, const struct friction_enumeration *e,
                        double *r) {
  for (int i = 0; i < p->n; i++) {
    double normal = p->floor[i] + (e->s[i] >= 0 ? e->x[e->s[i]] : 0.0);
    r[2 * i] = normal;
    r[2 * i + 1] = tilt_of(p, e, i) * normal + (e->w[i] >= 0 ? e->x[e->w[i]] : 0.0);
    if (!is_closed(e->mode[i]) && !(p->floor[i] > 0.0)) r[2 * i] = r[2 * i + 1] = 0.0;
  }
}

// ---- comparing solutions

static bool solutions_differ(int count, const double *a, const double *b) {
  double size = 0.0, apart = 0.0;
  for (int k = 0; k < count; k++) {
    size = fmax(size, fmax(fabs(a[k]), fabs(b[k])));
    apart = fmax(apart, fabs(a[k] - b[k]));
  }
  return apart > SAME * size;
}

static bool differ_by(int count, const double *a, const double *b, double size) {
  double apart = 0.0;
  for (int k = 0; k < count; k++)
    apart = fmax(apart, fabs(a[k] - b[k]));
  return apart > size;
}

// velocities differ, measured by the larger of them and what q brings
static bool moves_otherwise(const friction_problem *p, const friction_iterate *a,
                            const friction_iterate *b) {
  double size = 0.0;
  for (int k = 0; k < 2 * p->n; k++)
    size = fmax(size, fmax(fabs(p->q[k]), fmax(fabs(a->v[k]), fabs(b->v[k]))));
  return differ_by(2 * p->n, a->v, b->v, SAME * size);
}

// `now` is a solution: the first, the same once more, or another
static void enter_solution(carom_friction_workspace *w, friction_count *count) {
  const friction_problem *p = &w->problem;
  if (count->solutions == 0) {
    friction_copy_iterate(p, &w->now, &w->best);
    count->solutions = 1;
    return;
  }
  bool otherwise = moves_otherwise(p, &w->now, &w->best);
  if (!otherwise && !solutions_differ(2 * p->n, w->now.r, w->best.r)) return;
  if (count->solutions == 1 || (otherwise && count->same_velocity))
    friction_copy_iterate(p, &w->now, &w->kept);
  count->solutions = 2;
  if (otherwise) count->same_velocity = false;
}

// A solution near the point of the table: the equations of the modes, once or twice.
static bool confirm_solution(carom_friction_workspace *w) {
  const friction_problem *p = &w->problem;
  friction_rate(p, &w->now);
  if (w->now.residual <= CONFIRMED) return true;
  // Newton's method keeps its best in `best`, which holds something else here
  friction_iterate first = w->best;
  w->best = w->spare;
  friction_copy_iterate(p, &w->now, &w->best);
  friction_newton_options o = {.most = 8, .goal = 1e-14, .regular = 1e-10, .steepness = 1.0};
  w->view.newton += friction_newton(w, &o);
  w->spare = w->best;
  w->best = first;
  friction_copy_iterate(p, &w->spare, &w->now);
  return w->now.residual <= CONFIRMED;
}

// Within a set: how far do forces and velocities go, one component after the other? Points of the
// exact set (no band) are solutions.
static void look_along(carom_friction_workspace *w, friction_count *count) {
  const friction_problem *p = &w->problem;
  struct friction_enumeration *e = w->enumeration;
  linear_program *g = &e->program;
  // the point solves the equations to rounding: so much is allowed
  if (look_for_force(p, e, 0.0, EXACT) != LINEAR_POSSIBLE) return;
  for (int k = 0; k < g->columns + 2 * p->n; k++)
    for (int sign = 1; sign >= -1; sign -= 2) {
      if (count->solutions > 1 && !count->same_velocity) return;
      for (int c = 0; c < g->columns; c++)
        e->factor[c] = c == k ? sign : 0.0;
      if (k >= g->columns) velocity_row(p, e, k - g->columns, sign, 0.0, e->factor);
      if (!linear_program_raise(g, e->factor, e->x)) continue;
      take_forces(p, e, w->now.r);
      friction_rate(p, &w->now);
      if (w->now.residual <= CONFIRMED) enter_solution(w, count);
    }
}

// a whole set that is not empty
static void visit_set(carom_friction_workspace *w, linear_outcome outcome, friction_count *count) {
  const friction_problem *p = &w->problem;
  struct friction_enumeration *e = w->enumeration;
  linear_program_point(&e->program, e->x);
  take_forces(p, e, w->now.r);
  if (outcome == LINEAR_DOUBTFUL || !confirm_solution(w)) {
    // nearer to the set's own equations
    bool exact = look_for_force(p, e, 0.0, EXACT) == LINEAR_POSSIBLE;
    if (exact) {
      linear_program_point(&e->program, e->x);
      take_forces(p, e, w->now.r);
      friction_rate(p, &w->now);
    }
    if (!exact || !(w->now.residual <= CONFIRMED)) {
      count->doubtful = true;
      return;
    }
  }
  enter_solution(w, count);
  look_along(w, count);
}

// ---- the search

static bool go_on(const friction_count *count, long long sets) {
  return !(count->solutions > 1 && !count->same_velocity) && sets < MOST_SETS;
}

friction_count friction_enumerate(carom_friction_workspace *w, bool known) {
  const friction_problem *p = &w->problem;
  struct friction_enumeration *e = w->enumeration;
  friction_count count = {.solutions = known, .same_velocity = true};
  int list[CHOICES], depth = 0;
  memset(e->W, 0, sizeof e->W);
  double speed = 0.0;
  for (int i = 0; i < p->n; i++)
    for (int k = p->start[i]; k < p->start[i + 1]; k++)
      for (int a = 0; a < 4; a++)
        e->W[2 * i + a / 2][2 * p->column[k] + a % 2] = p->block[(size_t)k * 4 + (size_t)a];
  for (int k = 0; k < 2 * p->n; k++)
    speed = fmax(speed, fmax(fabs(p->q[k]), known ? fabs(w->best.v[k]) : 0.0));
  double band = BAND * speed, slack = SLACK * fmax(1.0, speed) * fmax(1.0, friction_largest(p));
  for (int i = 0; i < p->n; i++)
    e->mode[i] = UNDECIDED;
  w->view.sets++;
  linear_outcome root = look_for_force(p, e, band, slack);
  if (root == LINEAR_IMPOSSIBLE || p->n == 0) return count;
  for (int i = 0; i < p->n; i++)
    e->choice[i] = -1;
  while (depth >= 0 && go_on(&count, w->view.sets)) {
    int modes = list_modes(p, depth, list);
    if (++e->choice[depth] >= modes) {
      e->mode[depth] = UNDECIDED;
      e->choice[depth] = -1;
      depth--;
      continue;
    }
    e->mode[depth] = list[e->choice[depth]];
    w->view.sets++;
    linear_outcome outcome = look_for_force(p, e, band, slack);
    if (outcome == LINEAR_IMPOSSIBLE) continue;
    if (depth == p->n - 1)
      visit_set(w, outcome, &count);
    else
      depth++;
  }
  if (w->view.sets >= MOST_SETS) count.doubtful = true;
  return count;
}
