// SPDX-License-Identifier: MIT
#include "contact/contact_internal.h"

#include <assert.h>
#include <math.h>

// ---- building

static void add_unknown(contact_system *s, int row, int coupled, double coupling) {
  s->unknown_row[s->unknowns] = row;
  s->coupled_row[s->unknowns] = coupled;
  s->coupling[s->unknowns++] = coupling;
}

static void add_equation(contact_system *s, int row) { s->equation_row[s->equations++] = row; }

void contact_system_add_form(contact_system *s, contact_form form) { s->form[s->forms++] = form; }

static double relative_scale(const scaled_problem *p, int row) { return p->metric[row]; }

// lambda_N >= floor
static contact_form normal_form(const scaled_problem *p, int i) {
  assert(i >= 0 && i < p->contacts);
  int row = p->normal[i];
  return (contact_form){.constant = -p->floor[i],
                        .factor = {1.0, 0.0},
                        .row = {row, row},
                        .weight = relative_scale(p, row),
                        .contact = i,
                        .condition = CAROM_CONDITION_NORMAL};
}

// mu N - sign T >= 0, with mu of stick unless T brakes; a turned tangent shows its other side to
// the caller
static contact_form cone_form(const scaled_problem *p, int i, double sign) {
  assert(p->tangent[i] >= 0 && p->tangent[i] < p->rows);
  bool plus = (sign > 0.0) != p->turned[i], brakes = sign * p->braking[i] < 0.0;
  return (contact_form){.factor = {brakes ? p->slide[i] : p->stick[i], -sign},
                        .row = {p->normal[i], p->tangent[i]},
                        .weight = relative_scale(p, p->tangent[i]),
                        .contact = i,
                        .condition = plus ? CAROM_CONDITION_CONE_PLUS : CAROM_CONDITION_CONE_MINUS};
}

// sign rate >= 0
static contact_form rate_form(const scaled_problem *p, int i, int row, double sign,
                              carom_contact_condition condition) {
  assert(row >= 0 && row < p->rows);
  double g = p->G[row * p->rows + row];
  return (contact_form){.rate_row = row,
                        .rate_factor = sign,
                        .weight = relative_scale(p, row) / (g > 0.0 ? g : 1.0),
                        .contact = i,
                        .condition = condition};
}

static void build_undecided(const scaled_problem *p, contact_system *s, int i) {
  add_unknown(s, p->normal[i], -1, 0.0);
  contact_system_add_form(s, normal_form(p, i));
  contact_system_add_form(s, rate_form(p, i, p->normal[i], 1.0, CAROM_CONDITION_OPENING));
  if (p->tangent[i] < 0) return;
  if (p->sliding[i]) {
    s->coupled_row[s->unknowns - 1] = p->tangent[i];
    s->coupling[s->unknowns - 1] = -p->sliding[i] * p->slide[i];
    return;
  }
  add_unknown(s, p->tangent[i], -1, 0.0);
  contact_system_add_form(s, cone_form(p, i, 1.0));
  contact_system_add_form(s, cone_form(p, i, -1.0));
  if (p->cross[i] >= 0) add_unknown(s, p->cross[i], -1, 0.0);
}

static void build_normal(const scaled_problem *p, contact_system *s, int i, bool closed) {
  if (closed) {
    add_unknown(s, p->normal[i], -1, 0.0);
    add_equation(s, p->normal[i]);
    contact_system_add_form(s, normal_form(p, i));
  } else {
    s->offset[p->normal[i]] = p->floor[i];
    contact_system_add_form(s, rate_form(p, i, p->normal[i], 1.0, CAROM_CONDITION_OPENING));
  }
}

static void build_contact(const scaled_problem *p, contact_system *s, int i,
                          carom_contact_mode mode) {
  assert(i >= 0 && i < p->contacts);
  bool closed = carom_contact_is_closed(mode);
  build_normal(p, s, i, closed);
  int tangent = p->tangent[i], sign = carom_contact_slip_sign(mode);
  if (tangent < 0 || mode == CAROM_CONTACT_OPEN) return;
  if (sign == 0 && p->cross[i] >= 0) { // the cone is round: asked for by whoever chooses
    add_unknown(s, tangent, -1, 0.0);
    add_equation(s, tangent);
    add_unknown(s, p->cross[i], -1, 0.0);
    add_equation(s, p->cross[i]);
    return;
  }
  if (sign == 0) {
    add_unknown(s, tangent, -1, 0.0);
    add_equation(s, tangent);
    contact_system_add_form(s, cone_form(p, i, 1.0));
    contact_system_add_form(s, cone_form(p, i, -1.0));
    return;
  }
  if (closed) {
    s->coupled_row[s->unknowns - 1] = tangent;
    s->coupling[s->unknowns - 1] = -sign * p->slide[i];
  } else {
    s->offset[tangent] = -sign * p->slide[i] * p->floor[i];
  }
  if (p->sliding[i] == 0)
    contact_system_add_form(s, rate_form(p, i, tangent, sign, CAROM_CONDITION_START));
}

void contact_system_build(const scaled_problem *p, const int *modes, contact_system *s) {
  s->unknowns = s->equations = s->forms = 0;
  for (int k = 0; k < p->rows; k++)
    s->offset[k] = 0.0;
  for (int k = 0; k < p->constraints; k++) {
    add_unknown(s, k, -1, 0.0);
    add_equation(s, k);
  }
  for (int i = 0; i < p->contacts; i++) {
    if (modes[i] == CONTACT_UNDECIDED)
      build_undecided(p, s, i);
    else
      build_contact(p, s, i, (carom_contact_mode)modes[i]);
  }
}

// ---- solving

static double matrix_entry(const scaled_problem *p, const contact_system *s, int equation,
                           int unknown) {
  assert(equation < s->equations && unknown < s->unknowns);
  const double *G = p->G + (size_t)s->equation_row[equation] * (size_t)p->rows;
  double a = G[s->unknown_row[unknown]];
  if (s->coupled_row[unknown] >= 0) a += s->coupling[unknown] * G[s->coupled_row[unknown]];
  return a;
}

static void swap_int(int *a, int *b) {
  int t = *a;
  *a = *b;
  *b = t;
}

// One contact alone has one unknown where it slips and two where it sticks: the same operations as
// below in straight code. False where a pivot counts as zero.
static bool decompose_one(contact_system *s, double zero) {
  double a = s->A[0], most = fabs(a), largest = most > 1.0 ? most : 1.0;
  if (!(most > zero * largest)) return false;
  s->order.rows[0] = s->order.columns[0] = 0;
  s->smallest = most / largest;
  s->determinant = a;
  s->rank = 1;
  return true;
}

static bool decompose_two(contact_system *s, double zero) {
  double *A = s->A, most = fabs(A[0]);
  int place = 0;
  for (int k = 1; k < 4; k++)
    if (fabs(A[k]) > most) most = fabs(A[k]), place = k;
  double largest = most > 1.0 ? most : 1.0;
  if (!(most > zero * largest)) return false;
  int row = place / 2, column = place % 2, other = 2 * (1 - row);
  double factor = A[other + column] / A[place];
  double left = A[other + 1 - column];
  if (factor != 0.0) left -= factor * A[2 * row + 1 - column];
  if (!(fabs(left) > zero * largest)) return false;
  A[other + column] = factor;
  A[other + 1 - column] = left;
  s->order.rows[0] = row, s->order.rows[1] = 1 - row;
  s->order.columns[0] = column, s->order.columns[1] = 1 - column;
  s->smallest = fabs(left) / largest;
  s->determinant = (row == column ? A[place] : -A[place]) * left;
  s->rank = 2;
  return true;
}

// the determinant in units of the responses of the rows to themselves
static void scale_determinant(const scaled_problem *p, contact_system *s) {
  for (int i = 0; i < s->equations && s->determinant != 0.0; i++) {
    double g = p->G[s->equation_row[i] * p->rows + s->equation_row[i]];
    if (g > 0.0) s->determinant /= g;
  }
}

// the largest entry of a row from place k on, of equals the first, and its place
static double largest_along(const contact_system *s, int row, int k, int *place) {
  const double *A = s->A + (size_t)row * (size_t)s->unknowns;
  double most = -1.0;
  for (int j = k; j < s->unknowns; j++) {
    double a = fabs(A[s->order.columns[j]]);
    if (!(a > most)) continue;
    most = a;
    *place = j;
  }
  return most;
}

// The largest entry from place k on, of equals the first, by its places in the orders. Rows are
// looked through where they may have it only: no entry of a row is above its bound.
static double find_pivot(contact_system *s, int k, int *row, int *column) {
  for (;;) {
    double bound = -1.0;
    *row = *column = k;
    for (int i = k; i < s->equations; i++)
      if (s->order.bound[s->order.rows[i]] > bound)
        bound = s->order.bound[s->order.rows[ *row = i]];
    double most = largest_along(s, s->order.rows[*row], k, column);
    if (!(most < bound)) return most;
    s->order.bound[s->order.rows[*row]] = most;
  }
}

// Rows below lose their entry in the pivot's column; others of the pivot's row that are zero, most
// of them where contacts are many, change nothing.
static void eliminate_below(contact_system *s, int k) {
  int n = s->unknowns, column = s->order.columns[k], count = 0;
  const double *pivot_row = s->A + (size_t)s->order.rows[k] * (size_t)n;
  for (int j = k + 1; j < n; j++)
    if (pivot_row[s->order.columns[j]] != 0.0) s->order.left[count++] = s->order.columns[j];
  for (int i = k + 1; i < s->equations; i++) {
    double *target = s->A + (size_t)s->order.rows[i] * (size_t)n,
           most = s->order.bound[s->order.rows[i]];
    if (target[column] == 0.0) continue;
    double factor = target[column] /= pivot_row[column];
    for (int l = 0; l < count; l++) {
      double a = target[s->order.left[l]] -= factor * pivot_row[s->order.left[l]];
      most = fabs(a) > most ? fabs(a) : most;
    }
    s->order.bound[s->order.rows[i]] = most;
  }
}

// LU decomposition with complete pivoting (it reveals the rank of such small matrices), entries
// stay at their place and are reached through the orders; pivots below `zero` of the largest count
// as zero
static void decompose_system(const scaled_problem *p, contact_system *s, double zero) {
  int e = s->equations, n = s->unknowns;
  for (int i = 0; i < e; i++) {
    s->order.rows[i] = i;
    for (int j = 0; j < n; j++)
      s->A[i * n + j] = matrix_entry(p, s, i, j);
  }
  if (e == n && ((n == 1 && decompose_one(s, zero)) || (n == 2 && decompose_two(s, zero)))) {
    scale_determinant(p, s);
    return;
  }
  for (int j = 0; j < n; j++)
    s->order.columns[j] = j;
  for (int i = 0; i < e; i++)
    s->order.bound[i] = INFINITY; // not looked through yet
  double largest = 0.0;
  s->determinant = 1.0;
  s->rank = 0;
  s->smallest = 1.0;
  for (int k = 0; k < (e < n ? e : n); k++) {
    int row, column;
    double most = find_pivot(s, k, &row, &column);
    if (k == 0) largest = fmax(most, 1.0);
    if (!(most > zero * largest)) break;
    if ((row != k) != (column != k)) s->determinant = -s->determinant;
    swap_int(&s->order.rows[k], &s->order.rows[row]);
    swap_int(&s->order.columns[k], &s->order.columns[column]);
    s->smallest = most / largest;
    s->determinant *= s->A[(size_t)s->order.rows[k] * (size_t)n + (size_t)s->order.columns[k]];
    eliminate_below(s, k);
    s->rank++;
  }
  if (s->rank < n || e != n) s->determinant = 0.0;
  scale_determinant(p, s);
}

// adds to x the solution of A x = right with zero for the dependent unknowns; `right` is used up
static void substitute_right(contact_system *s, double *right) {
  int n = s->unknowns, r = s->rank;
  if (n == 1 && r == 1 && s->equations == 1) {
    s->x[0] += right[0] / s->A[0];
    return;
  }
  if (n == 2 && r == 2 && s->equations == 2) {
    int r0 = s->order.rows[0], r1 = 1 - r0, c0 = s->order.columns[0], c1 = 1 - c0;
    const double *first = s->A + 2 * r0, *second = s->A + 2 * r1;
    double y = (right[r1] - second[c0] * right[r0]) / second[c1];
    s->x[c0] += (right[r0] - first[c1] * y) / first[c0];
    s->x[c1] += y;
    return;
  }
  for (int k = 0; k < r; k++)
    for (int i = k + 1; i < s->equations; i++)
      right[s->order.rows[i]] -=
          s->A[s->order.rows[i] * n + s->order.columns[k]] * right[s->order.rows[k]];
  for (int k = r - 1; k >= 0; k--) {
    const double *row = s->A + (size_t)s->order.rows[k] * (size_t)n;
    double sum = right[s->order.rows[k]];
    for (int j = k + 1; j < r; j++)
      sum -= row[s->order.columns[j]] * s->residual[j];
    s->residual[k] = sum / row[s->order.columns[k]];
  }
  for (int k = 0; k < r; k++)
    s->x[s->order.columns[k]] += s->residual[k];
}

// The sum of (m a)(m b): where rows are long four sums side by side, as one addition waits for the
// one before.
static double long_dot(int n, const double *m, const double *a, const double *b) {
  double sum[4] = {0.0, 0.0, 0.0, 0.0};
  int whole = n - n % 4;
  for (int k = 0; k < whole; k += 4)
    for (int e = k; e < k + 4; e++)
      sum[e - k] += (m[e] * a[e]) * (m[e] * b[e]);
  for (int k = whole; k < n; k++)
    sum[0] += (m[k] * a[k]) * (m[k] * b[k]);
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

// the same sum of a row of G, of entries that are not zero
static double sparse_dot(const scaled_problem *p, int row, const double *lambda) {
  const double *G = p->G + (size_t)row * (size_t)p->rows;
  double sum[4] = {0.0, 0.0, 0.0, 0.0};
  int whole = p->rows - p->rows % 4;
  for (int l = p->start[row]; l < p->start[row + 1]; l++) {
    int k = p->column[l];
    sum[k < whole ? k % 4 : 0] += G[k] * lambda[k];
  }
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

static void compute_rates(const scaled_problem *p, const double *lambda, const double *start,
                          double *rate) {
  if (p->rows == 2 && start) { // one contact with friction
    const double *G = p->G;
    rate[0] = start[0] + G[0] * lambda[0] + G[1] * lambda[1];
    rate[1] = start[1] + G[2] * lambda[0] + G[3] * lambda[1];
    return;
  }
  for (int i = 0; i < p->rows; i++) {
    const double *G = p->G + (size_t)i * (size_t)p->rows;
    double sum = start ? start[i] : 0.0;
    if (p->rows >= CONTACT_LONG_ROW) {
      rate[i] = sum + sparse_dot(p, i, lambda);
      continue;
    }
    for (int j = 0; j < p->rows; j++)
      sum += G[j] * lambda[j];
    rate[i] = sum;
  }
}

static void expand_forces(const contact_system *s, const double *x, double *lambda) {
  for (int j = 0; j < s->unknowns; j++) {
    lambda[s->unknown_row[j]] += x[j];
    if (s->coupled_row[j] >= 0) lambda[s->coupled_row[j]] += s->coupling[j] * x[j];
  }
}

static void find_particular(const scaled_problem *p, contact_system *s) {
  for (int j = 0; j < s->unknowns; j++)
    s->x[j] = 0.0;
  // solve, then once more for what rounding left
  for (int pass = 0; pass < 2; pass++) {
    for (int k = 0; k < p->rows; k++)
      s->lambda[k] = s->offset[k];
    expand_forces(s, s->x, s->lambda);
    compute_rates(p, s->lambda, p->b, s->rate);
    for (int i = 0; i < s->equations; i++)
      s->right[i] = -s->rate[s->equation_row[i]];
    substitute_right(s, s->right);
  }
  for (int k = 0; k < p->rows; k++)
    s->lambda[k] = s->offset[k];
  expand_forces(s, s->x, s->lambda);
  compute_rates(p, s->lambda, p->b, s->rate);
}

static double metric_dot(const scaled_problem *p, const double *a, const double *b) {
  double sum = 0.0;
  if (p->rows >= CONTACT_LONG_ROW) return long_dot(p->rows, p->metric, a, b);
  for (int k = 0; k < p->rows; k++)
    sum += (p->metric[k] * a[k]) * (p->metric[k] * b[k]);
  return sum;
}

static void subtract_multiple(int n, double factor, const double *from, double *vector) {
  for (int k = 0; k < n; k++)
    vector[k] -= factor * from[k];
}

// columns to the right of each pivot whose entries are not zero
static void list_factors(contact_system *s) {
  int count = 0;
  for (int k = 0; k < s->rank; k++) {
    const double *row = s->A + (size_t)s->order.rows[k] * (size_t)s->unknowns;
    s->order.first[k] = count;
    for (int j = k + 1; j < s->rank; j++)
      if (row[s->order.columns[j]] != 0.0) s->order.beside[count++] = s->order.columns[j];
  }
  s->order.first[s->rank] = count;
}

// one vector of the null space per dependent unknown, made orthonormal in the metric
static void null_space(const scaled_problem *p, contact_system *s) {
  int n = s->unknowns, r = s->rank;
  s->nullity = n - r;
  if (s->nullity > 0) list_factors(s);
  for (int d = 0; d < s->nullity; d++) {
    double *vector = s->null_lambda + (size_t)d * (size_t)p->rows, *x = s->right;
    for (int j = 0; j < n; j++)
      x[j] = 0.0;
    x[s->order.columns[r + d]] = 1.0;
    for (int k = r - 1; k >= 0; k--) {
      const double *row = s->A + (size_t)s->order.rows[k] * (size_t)n;
      double sum = row[s->order.columns[r + d]];
      for (int l = s->order.first[k]; l < s->order.first[k + 1]; l++)
        sum += row[s->order.beside[l]] * x[s->order.beside[l]];
      x[s->order.columns[k]] = -sum / row[s->order.columns[k]];
    }
    for (int k = 0; k < p->rows; k++)
      vector[k] = 0.0;
    expand_forces(s, x, vector);
    // Gram-Schmidt twice is enough (Kahan and Parlett)
    for (int pass = 0; pass < 2; pass++)
      for (int other = 0; other < d; other++) {
        const double *before = s->null_lambda + (size_t)other * (size_t)p->rows;
        subtract_multiple(p->rows, metric_dot(p, vector, before), before, vector);
      }
    double length = sqrt(metric_dot(p, vector, vector));
    for (int k = 0; k < p->rows; k++)
      vector[k] /= length;
    compute_rates(p, vector, NULL, s->null_rate + (size_t)d * (size_t)p->rows);
  }
  // the particular solution of least norm
  if (s->nullity == 0) return;
  for (int pass = 0; pass < 2; pass++)
    for (int d = 0; d < s->nullity; d++) {
      const double *vector = s->null_lambda + (size_t)d * (size_t)p->rows;
      subtract_multiple(p->rows, metric_dot(p, s->lambda, vector), vector, s->lambda);
    }
  compute_rates(p, s->lambda, p->b, s->rate);
}

static void solve_with(const scaled_problem *p, contact_system *s, double zero) {
  decompose_system(p, s, zero);
  find_particular(p, s);
  null_space(p, s);
  // rates that should be zero and are not: the equalities contradict each other
  double slack = contact_slack(p, s->lambda);
  s->misfit = 0.0;
  for (int i = 0; i < s->equations; i++)
    s->misfit = fmax(s->misfit, fabs(s->rate[s->equation_row[i]]));
  s->consistent = s->misfit <= slack;
}

// A contact whose force hardly moves anything (its line passes through a sticking corner) makes the
// system nearly singular: the exact solution then is large and arbitrary. Where it breaks the laws,
// forces that leave the rates zero within the tolerance serve.
void contact_system_solve(const scaled_problem *p, contact_system *s) {
  const double nearly = 1e-6;
  solve_with(p, s, CAROM_CONTACT_RANK);
  if (s->smallest > nearly || s->nullity > 0) return;
  if (s->consistent && contact_forms_hold(p, s, s->lambda, s->rate)) return;
  solve_with(p, s, nearly);
  if (!s->consistent) solve_with(p, s, CAROM_CONTACT_RANK);
}

// ---- conditions

double contact_form_value(const contact_form *f, const double *lambda, const double *rate,
                          bool with_constant) {
  double value = with_constant ? f->constant : 0.0;
  if (f->rate_factor != 0.0) value += f->rate_factor * rate[f->rate_row];
  value += f->factor[0] * lambda[f->row[0]];
  value += f->factor[1] * lambda[f->row[1]];
  return value;
}

double contact_slack(const scaled_problem *p, const double *lambda) {
  double largest = 0.0;
  for (int k = 0; k < p->rows; k++)
    largest = fmax(largest, fabs(lambda[k]));
  // forces so large that their rounding hides the rates prove nothing
  double slack = CAROM_CONTACT_TOLERANCE * (p->size + 1e-2 * largest);
  return fmin(slack, 1e3 * CAROM_CONTACT_TOLERANCE * p->size);
}

bool contact_forms_hold(const scaled_problem *p, const contact_system *s, const double *lambda,
                        const double *rate) {
  double slack = contact_slack(p, lambda);
  for (int i = 0; i < s->forms; i++)
    if (!(contact_form_value(&s->form[i], lambda, rate, true) >= -slack)) return false;
  return true;
}

// ---- optimising over the null space

static void copy_numbers(int n, const double *from, double *to) {
  for (int k = 0; k < n; k++)
    to[k] = from[k];
}

// forms as functions of z, in units of `size`; `weighted`: as forces of the caller
static void pose_program(const scaled_problem *p, const contact_system *s, small_program *g,
                         bool weighted, double size) {
  g->m = s->forms;
  g->k = s->nullity;
  for (int i = 0; i < s->forms; i++) {
    const contact_form *f = &s->form[i];
    double weight = weighted ? f->weight : 1.0;
    g->r[i] = weight * (contact_form_value(f, s->lambda, s->rate, true) / size);
    for (int d = 0; d < s->nullity; d++) {
      size_t at = (size_t)d * (size_t)p->rows;
      g->C[i * g->k + d] =
          weight * contact_form_value(f, s->null_lambda + at, s->null_rate + at, false);
    }
  }
}

// Forms that do not depend on z but for rounding are constant, and where they hold but for rounding
// they ask nothing; taken at their word they would forbid, or be bought by endless z, at random.
static void silence_rounding(const scaled_problem *p, const contact_system *s, small_program *g,
                             double size) {
  double largest = 0.0, slack = contact_slack(p, s->lambda) / size;
  for (int i = 0; i < g->m * g->k; i++)
    largest = fmax(largest, fabs(g->C[i]));
  for (int i = 0; i < g->m; i++) {
    double most = 0.0;
    for (int d = 0; d < g->k; d++)
      most = fmax(most, fabs(g->C[i * g->k + d]));
    if (most > 1e-12 * largest) continue;
    for (int d = 0; d < g->k; d++)
      g->C[i * g->k + d] = 0.0;
    if (g->r[i] >= -slack) g->r[i] = fmax(g->r[i], 0.0);
  }
}

// lambda, rate at z
static void place_solution(const scaled_problem *p, const contact_system *s, const double *z,
                           double size, double *lambda, double *rate) {
  copy_numbers(p->rows, s->lambda, lambda);
  copy_numbers(p->rows, s->rate, rate);
  for (int d = 0; d < s->nullity; d++) {
    subtract_multiple(p->rows, -z[d] * size, s->null_lambda + (size_t)d * (size_t)p->rows, lambda);
    subtract_multiple(p->rows, -z[d] * size, s->null_rate + (size_t)d * (size_t)p->rows, rate);
  }
}

static double unit_of(const scaled_problem *p, const contact_system *s) {
  double size = p->size;
  for (int k = 0; k < p->rows; k++)
    size = fmax(size, fabs(s->lambda[k]));
  return size > 0.0 ? size : 1.0;
}

bool contact_system_feasible(const scaled_problem *p, contact_system *s, small_program *g,
                             bool part, double *lambda, double *rate) {
  copy_numbers(p->rows, s->lambda, lambda);
  copy_numbers(p->rows, s->rate, rate);
  if (!s->consistent) return false;
  if (contact_forms_hold(p, s, lambda, rate)) return true;
  if (s->nullity == 0) return false;
  double size = unit_of(p, s);
  pose_program(p, s, g, false, size);
  silence_rounding(p, s, g, size);
  double best = small_program_max_min(g, 1e-3, 0.0);
  place_solution(p, s, g->z, size, lambda, rate);
  if (part && best * size >= -10.0 * contact_slack(p, lambda)) return true;
  return contact_forms_hold(p, s, lambda, rate);
}

bool contact_system_least(const scaled_problem *p, contact_system *s, small_program *g,
                          double *lambda, double *rate) {
  copy_numbers(p->rows, s->lambda, lambda);
  copy_numbers(p->rows, s->rate, rate);
  bool holds = contact_forms_hold(p, s, lambda, rate);
  if (holds || s->nullity == 0) return holds && s->consistent;
  // the point of least norm; where that fails there is none, or barely one
  double size = unit_of(p, s);
  pose_program(p, s, g, false, size);
  silence_rounding(p, s, g, size);
  if (small_program_least(g)) {
    place_solution(p, s, g->z, size, lambda, rate);
    if (contact_forms_hold(p, s, lambda, rate)) return s->consistent;
  }
  if (contact_system_feasible(p, s, g, false, lambda, rate)) return true;
  pose_program(p, s, g, true, size);
  small_program_max_min(g, 1.0, INFINITY);
  place_solution(p, s, g->z, size, lambda, rate);
  return contact_forms_hold(p, s, lambda, rate) && s->consistent;
}

// what unlimited inner forces are limited to: a continuous measure of the forces at hand
static double largest_margin(const scaled_problem *p) {
  double most = 0.0;
  for (int k = 0; k < p->rows; k++) {
    double g = p->G[k * p->rows + k];
    if (g > 0.0) most = fmax(most, p->metric[k] * fabs(p->b[k]) / g);
  }
  return 16.0 * most;
}

void contact_system_margin(const scaled_problem *p, contact_system *s, small_program *g,
                           carom_contact_margin *margin) {
  *margin = (carom_contact_margin){.contact = -1, .determinant = s->determinant};
  if (!s->consistent) {
    margin->value = -s->misfit * p->unit;
    margin->condition = CAROM_CONDITION_EQUALITY;
    return;
  }
  double cap = largest_margin(p), best = cap, size = 1.0;
  int binding = -1;
  if (s->nullity == 0) {
    for (int i = 0; i < s->forms; i++) {
      const contact_form *f = &s->form[i];
      double value = f->weight * contact_form_value(f, s->lambda, s->rate, true);
      if (binding >= 0 && !(value < best)) continue;
      best = value;
      binding = i;
    }
  } else {
    size = unit_of(p, s);
    pose_program(p, s, g, true, size);
    best = small_program_max_min(g, cap / size, INFINITY);
    for (int i = 0; i < s->forms && binding < 0; i++)
      if (g->weight[i] > 1e-9) binding = i;
  }
  margin->value = best * size * p->unit;
  if (binding < 0) return;
  margin->contact = s->form[binding].contact;
  margin->condition = s->form[binding].condition;
}

double contact_system_inverse(const scaled_problem *p, contact_system *s, int row, bool fresh) {
  assert(row >= 0 && row < p->rows);
  if (fresh) decompose_system(p, s, CAROM_CONTACT_RANK);
  if (s->rank < s->unknowns) return 0.0;
  int at = 0;
  for (int j = 0; j < s->unknowns; j++) {
    if (s->unknown_row[j] == row) at = j;
    s->x[j] = s->right[j] = 0.0;
  }
  // equation `at` is the one of unknown `at`: both are listed contact by contact
  s->right[at] = 1.0;
  substitute_right(s, s->right);
  return s->x[at];
}

// the Schur complement with respect to all others is 1 / (A^-1)_ii; where a singular A stands for a
// coefficient of zero or for redundant contacts, the contact's own must do
double contact_coefficient(const scaled_problem *p, const int *modes, int contact,
                           contact_system *s) {
  int normal = p->normal[contact], tangent = p->tangent[contact];
  double unit = p->scale[normal] * p->scale[normal];
  double sign = carom_contact_slip_sign((carom_contact_mode)modes[contact]);
  double own =
      p->G[normal * p->rows + normal] - sign * p->slide[contact] * p->G[normal * p->rows + tangent];
  contact_system_build(p, modes, s);
  double inverse = contact_system_inverse(p, s, normal, true);
  return (inverse != 0.0 ? 1.0 / inverse : own) / unit;
}
