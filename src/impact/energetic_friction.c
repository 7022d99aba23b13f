// SPDX-License-Identifier: MIT
/// Friction during an impact whose normal forces are known from the compressions: which contacts
/// stick, which slip, and how all rows respond to the normal forces with friction folded in.
#include "base/linear.h"
#include "impact/energetic_internal.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static const double REST = 1e-13;      // of the largest velocity: counts as no slip
static const double PARALLEL = 1e-13;  // of 1 - cos^2 between tangents
static const double PIVOT = 1e-13;     // of the largest: depends on the others
static const double CANCELLED = 1e-13; // of its terms: a sum that is their rounding
static const double WEAK = 1e-13;      // of the largest force: cannot hold anything yet
static const double EXCESS = 1e-12;    // relative: beyond the cone

static double sign_of(double x) { return x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : 0.0; }

double energetic_row(const carom_energetic_workspace *w, int row, const double *channels,
                     double *terms) {
  const double *R = w->response.R + row * 2 * w->n;
  const int *entry = w->response.entries + row * 2 * w->n;
  double sum = 0.0, size = 0.0;
  for (int q = 0; q < w->response.entry_count[row]; q++) {
    double term = R[entry[q]] * channels[entry[q]];
    sum += term;
    size += fabs(term);
  }
  if (terms) *terms = size;
  return sum;
}

double energetic_normal(const carom_energetic_workspace *w, int i, const double *channels) {
  if (w->response.kept[i] < 0) return channels[i];
  return carom_dot(w->response.channels, w->response.B + w->response.kept[i] * 2 * w->n, channels);
}

// ---- the response to channels

// A X = B for all columns of B by elimination with complete pivoting; unknowns whose pivot vanishes
// are 0. A and B are destroyed, X comes in the place of B. Returns the rank.
static int solve_many(int n, double *A, int columns, double *B, int stride, int *row_of,
                      int *column_of) {
  double largest = 0.0;
  for (int i = 0; i < n; i++) {
    row_of[i] = column_of[i] = i;
    for (int j = 0; j < n; j++)
      largest = fmax(largest, fabs(A[i * n + j]));
  }
  int rank = 0;
  for (; rank < n; rank++) {
    int r = rank, c = rank;
    for (int i = rank; i < n; i++)
      for (int j = rank; j < n; j++)
        if (fabs(A[row_of[i] * n + column_of[j]]) > fabs(A[row_of[r] * n + column_of[c]])) {
          r = i;
          c = j;
        }
    int swap = row_of[r];
    row_of[r] = row_of[rank];
    row_of[rank] = swap;
    swap = column_of[c];
    column_of[c] = column_of[rank];
    column_of[rank] = swap;
    const double *top = A + row_of[rank] * n;
    double pivot = top[column_of[rank]];
    if (!(fabs(pivot) > PIVOT * largest)) break;
    for (int i = rank + 1; i < n; i++) {
      double *row = A + row_of[i] * n, factor = row[column_of[rank]] / pivot;
      if (factor == 0.0) continue;
      for (int j = rank + 1; j < n; j++)
        row[column_of[j]] -= factor * top[column_of[j]];
      for (int j = 0; j < columns; j++)
        B[row_of[i] * stride + j] -= factor * B[row_of[rank] * stride + j];
    }
  }
  // backward; the answers are written over A's rows of equations, then put in order
  for (int q = rank - 1; q >= 0; q--)
    for (int j = 0; j < columns; j++) {
      double sum = B[row_of[q] * stride + j];
      for (int s = q + 1; s < rank; s++)
        sum -= A[row_of[q] * n + column_of[s]] * B[row_of[s] * stride + j];
      B[row_of[q] * stride + j] = sum / A[row_of[q] * n + column_of[q]];
    }
  for (int j = 0; j < columns; j++) {
    double *x = A; // no longer needed: room for one column
    for (int q = 0; q < n; q++)
      x[column_of[q]] = q < rank ? B[row_of[q] * stride + j] : 0.0;
    for (int q = 0; q < n; q++)
      B[q * stride + j] = x[q];
  }
  return rank;
}

// rows answer to channels with sliding friction folded in
static void base_response(carom_energetic_workspace *w) {
  int n = w->n, size = 2 * n;
  assert(w->response.channels == n || w->response.channels == size);
  for (int row = 0; row < size; row++) {
    double *R = w->response.R + row * size;
    const double *H = w->problem.H + row * size;
    bool needed = row % 2 == 0 || w->problem.rough[row / 2] || w->problem.user[row / 2];
    for (int j = 0; j < n; j++) {
      R[j] = needed ? H[2 * j] : 0.0;
      if (needed && w->friction.slip[j])
        R[j] -= w->friction.slip[j] * w->problem.slide[j] * H[2 * j + 1];
    }
    for (int j = 0; n + j < w->response.channels; j++)
      R[n + j] = needed && w->problem.user[j] ? H[2 * j + 1] : 0.0;
  }
}

// the equations of reactions: sticking classes keep v_T, kept contacts v_N
static int list_reactions(carom_energetic_workspace *w, int *equation) {
  int count = 0;
  for (int c = 0; c < w->friction.classes; c++) {
    w->friction.list[c].unknown = -1;
    if (!w->friction.list[c].sticks) continue;
    w->friction.list[c].unknown = count;
    equation[count++] = 2 * w->friction.list[c].rep + 1;
  }
  for (int i = 0; i < w->n; i++) {
    w->response.kept[i] = -1;
    if (w->state.status[i] != ENERGETIC_KEPT) continue;
    w->response.kept[i] = count;
    equation[count++] = 2 * i;
  }
  return count;
}

// what row answers to a unit of the reaction of this equation
static double reaction_effect(const carom_energetic_workspace *w, int row, int equation) {
  int size = 2 * w->n, i = equation / 2;
  double effect = w->problem.H[row * size + equation];
  if (equation % 2 == 0 && w->friction.slip[i])
    effect -= w->friction.slip[i] * w->problem.slide[i] * w->problem.H[row * size + equation + 1];
  return effect;
}

static void add_reactions(carom_energetic_workspace *w) {
  int size = 2 * w->n, *equation = w->choice.class;
  int count = w->response.reactions = list_reactions(w, equation);
  assert(count <= size);
  w->response.shared = false;
  if (count == 0) return;
  for (int i = 0; i < count; i++) {
    for (int j = 0; j < count; j++)
      w->response.matrix[i * count + j] =
          reaction_effect(w, equation[i], equation[j]) /
          (w->problem.root[equation[i]] * w->problem.root[equation[j]]);
    for (int c = 0; c < w->response.channels; c++)
      w->response.B[i * size + c] =
          -w->response.R[equation[i] * size + c] / w->problem.root[equation[i]];
  }
  int rank = solve_many(count, w->response.matrix, w->response.channels, w->response.B, size,
                        w->response.pivot_row, w->response.pivot_column);
  w->response.shared = rank < count;
  for (int i = 0; i < count; i++)
    for (int c = 0; c < w->response.channels; c++)
      w->response.B[i * size + c] /= w->problem.root[equation[i]];
  for (int row = 0; row < size; row++) {
    if (row % 2 && !w->problem.rough[row / 2] && !w->problem.user[row / 2]) continue;
    for (int i = 0; i < count; i++)
      w->response.column[i] = reaction_effect(w, row, equation[i]);
    for (int c = 0; c < w->response.channels; c++) {
      double sum = w->response.R[row * size + c], terms = fabs(sum);
      for (int i = 0; i < count; i++) {
        double term = w->response.column[i] * w->response.B[i * size + c];
        sum += term;
        terms += fabs(term);
      }
      // what reactions hold altogether does not move by their rounding
      w->response.R[row * size + c] = fabs(sum) > CANCELLED * terms ? sum : 0.0;
    }
  }
}

// what is held does not move, to the last bit
static void still_rows(carom_energetic_workspace *w) {
  size_t bytes = 2 * (size_t)w->n * sizeof(double);
  for (int i = 0; i < w->n; i++) {
    if (w->response.kept[i] >= 0) memset(w->response.R + 2 * i * 2 * w->n, 0, bytes);
    if (w->friction.family[i] >= 0 && w->friction.list[w->friction.family[i]].sticks)
      memset(w->response.R + (2 * i + 1) * 2 * w->n, 0, bytes);
  }
}

static void set_limits(carom_energetic_workspace *w) {
  int size = 2 * w->n;
  memset(w->response.limit, 0, (size_t)(w->friction.classes * size) * sizeof(double));
  for (int i = 0; i < w->n; i++) {
    if (w->friction.family[i] < 0) continue;
    double *limit = w->response.limit + w->friction.family[i] * size,
           share = fabs(w->friction.coefficient[i]) * w->problem.stick[i];
    if (w->response.kept[i] < 0) {
      limit[i] += share;
      continue;
    }
    for (int c = 0; c < w->response.channels; c++)
      limit[c] += share * w->response.B[w->response.kept[i] * size + c];
  }
}

// the response for given modes
static void find_response(carom_energetic_workspace *w) {
  int size = 2 * w->n;
  w->response.made++;
  base_response(w);
  add_reactions(w);
  still_rows(w);
  set_limits(w);
  for (int row = 0; row < size; row++) {
    int count = 0;
    for (int c = 0; c < w->response.channels; c++)
      if (w->response.R[row * size + c] != 0.0) w->response.entries[row * size + count++] = c;
    w->response.entry_count[row] = count;
  }
}

// ---- contacts at rest

static bool is_resting(const carom_energetic_workspace *w, int i) {
  if (w->state.status[i] == ENERGETIC_APART || !w->problem.rough[i] || w->problem.user[i])
    return false;
  return fabs(w->state.v[2 * i + 1]) <= REST * w->state.slip_speed * w->problem.root[2 * i + 1];
}

// gathers contacts at rest with parallel tangents
static void form_classes(carom_energetic_workspace *w) {
  int size = 2 * w->n;
  w->friction.classes = 0;
  for (int i = 0; i < w->n; i++) {
    w->friction.family[i] = -1;
    w->friction.slip[i] = 0;
    if (!is_resting(w, i)) {
      bool slides =
          w->state.status[i] != ENERGETIC_APART && w->problem.rough[i] && !w->problem.user[i];
      if (slides) w->friction.slip[i] = w->state.v[2 * i + 1] > 0.0 ? 1 : -1;
      continue;
    }
    energetic_stop_slip(w, i);
    double own = w->problem.H[(2 * i + 1) * size + 2 * i + 1];
    for (int c = 0; c < w->friction.classes && w->friction.family[i] < 0; c++) {
      int rep = 2 * w->friction.list[c].rep + 1;
      double other = w->problem.H[rep * size + rep], mixed = w->problem.H[rep * size + 2 * i + 1];
      if (fabs(own * other - mixed * mixed) > PARALLEL * own * other) continue;
      w->friction.family[i] = c;
      w->friction.list[c].many = true;
      w->friction.coefficient[i] = mixed / other;
    }
    if (w->friction.family[i] >= 0) continue;
    w->friction.family[i] = w->friction.classes;
    w->friction.coefficient[i] = 1.0;
    w->friction.list[w->friction.classes++] = (energetic_class){.rep = i, .sticks = true};
  }
  // a stick that has just broken slips
  for (int i = 0; i < w->n; i++) {
    if (w->friction.family[i] < 0 || !w->friction.must_slip[i]) continue;
    energetic_class *class = &w->friction.list[w->friction.family[i]];
    class->sticks = false;
    class->slip = w->friction.must_sign[i] * (w->friction.coefficient[i] > 0.0 ? 1 : -1);
  }
}

// the signs of slip of contacts follow their classes
static void spread_slip(carom_energetic_workspace *w) {
  for (int i = 0; i < w->n; i++)
    if (w->friction.family[i] >= 0)
      w->friction.slip[i] = w->friction.list[w->friction.family[i]].slip *
                            (w->friction.coefficient[i] > 0.0 ? 1 : -1);
}

static void compute_answers(carom_energetic_workspace *w) {
  assert(w->friction.classes >= 0 && w->friction.classes <= w->n);
  spread_slip(w);
  find_response(w);
  memcpy(w->friction.answered_slip, w->friction.slip, (size_t)w->n * sizeof *w->friction.slip);
  memcpy(w->friction.answered_family, w->friction.family,
         (size_t)w->n * sizeof *w->friction.family);
  memcpy(w->friction.answered_list, w->friction.list,
         (size_t)w->friction.classes * sizeof *w->friction.list);
  w->friction.answered_classes = w->friction.classes;
  w->friction.answered = true;
}

// Are the classes just formed those the response was made for, with all the rest sliding as then?
// Then the modes of the classes are taken over.
static bool same_as_answered(carom_energetic_workspace *w) {
  if (!w->friction.answered || w->friction.classes != w->friction.answered_classes) return false;
  for (int i = 0; i < w->n; i++) {
    if (w->state.status[i] == ENERGETIC_KEPT || w->response.kept[i] >= 0) return false;
    if (w->state.status[i] == ENERGETIC_APART) {
      if (w->friction.answered_family[i] >= 0) return false;
      continue;
    }
    if (w->friction.must_slip[i]) return false;
    if (w->friction.family[i] != w->friction.answered_family[i]) return false;
    if (w->friction.family[i] < 0 && w->friction.slip[i] != w->friction.answered_slip[i])
      return false;
  }
  // slips that have only begun are chosen anew
  for (int c = 0; c < w->friction.classes; c++)
    if (w->friction.list[c].rep != w->friction.answered_list[c].rep ||
        !w->friction.answered_list[c].sticks)
      return false;
  memcpy(w->friction.list, w->friction.answered_list,
         (size_t)w->friction.classes * sizeof *w->friction.list);
  return true;
}

// the most that members of class c can carry together, at rest or sliding
static double class_carries(const carom_energetic_workspace *w, int c, const double *mu,
                            const double *channels) {
  double sum = 0.0;
  for (int i = 0; i < w->n; i++) {
    if (w->friction.family[i] != c) continue;
    sum += fabs(w->friction.coefficient[i]) * mu[i] * fmax(0.0, energetic_normal(w, i, channels));
  }
  return sum;
}

// ---- classes as a problem of contacts with given normal forces

// Is a member of the class kept? Its normal force answers to friction, and is part of the choice.
static bool has_kept(const carom_energetic_workspace *w, int class) {
  for (int i = 0; i < w->n; i++)
    if (w->friction.family[i] == class && w->state.status[i] == ENERGETIC_KEPT) return true;
  return false;
}

void energetic_choice_pose(carom_energetic_workspace *w, int m) {
  const energetic_choice *c = &w->choice;
  int size = 2 * w->n;
  assert(m <= w->n);
  memset(c->G, 0, (size_t)(4 * m * m) * sizeof(double));
  for (int i = 0; i < m; i++) {
    const double *H = w->problem.H + (2 * c->single[i] + 1) * size;
    double own = H[2 * c->single[i] + 1];
    c->normal[i] = 2 * i;
    c->tangent[i] = 2 * i + 1;
    c->sliding[i] = 0;
    c->modes[i] = CAROM_CONTACT_PUSHED_STICK;
    c->G[2 * i * 2 * m + 2 * i] = own;
    c->b[2 * i] = own * c->floor[i];
    for (int j = 0; j < m; j++)
      c->G[(2 * i + 1) * 2 * m + 2 * j + 1] = H[2 * c->single[j] + 1];
  }
}

double energetic_reaction(const carom_energetic_workspace *w, int class, const double *channels) {
  assert(w->friction.list[class].sticks && w->friction.list[class].unknown >= 0);
  const double *B = w->response.B + w->friction.list[class].unknown * 2 * w->n;
  return carom_dot(w->response.channels, B, channels);
}

void energetic_choice_cancel(carom_energetic_workspace *w, int m, const double *channels) {
  for (int i = 0; i < m; i++) {
    const double *H = w->problem.H + (2 * w->choice.single[i] + 1) * 2 * w->n;
    double rate = 0.0;
    for (int c = 0; c < w->friction.classes; c++)
      if (w->friction.list[c].sticks)
        rate -= H[2 * w->friction.list[c].rep + 1] * energetic_reaction(w, c, channels);
    w->choice.b[2 * i + 1] = rate;
  }
}

// Each class becomes a contact pushed by exactly what it can carry at rest: its normal row stands
// alone and opens. Returns the number of classes; those in choice_class, weak ones are left out.
static int set_up_choice(carom_energetic_workspace *w, const double *channels, double weak,
                         bool all) {
  int m = 0;
  for (int c = 0; c < w->friction.classes; c++) {
    double most = class_carries(w, c, w->problem.stick, channels);
    if (!(most > weak) || (!all && !w->friction.list[c].sticks)) continue;
    if (all && has_kept(w, c)) continue;
    w->choice.floor[m] = most;
    w->choice.stick[m] = 1.0;
    w->choice.slide[m] = fmin(1.0, class_carries(w, c, w->problem.slide, channels) / most);
    w->choice.class[m++] = c;
  }
  for (int i = 0; i < m; i++)
    w->choice.single[i] = w->friction.list[w->choice.class[i]].rep;
  energetic_choice_pose(w, m);
  return m;
}

// what row answers to the channels alone, without any reaction
static double bare_rate(const carom_energetic_workspace *w, int row, const double *channels) {
  const double *H = w->problem.H + row * 2 * w->n;
  double sum = 0.0;
  for (int j = 0; j < w->n; j++) {
    sum += (H[2 * j] - w->friction.slip[j] * w->problem.slide[j] * H[2 * j + 1]) * channels[j];
    if (w->problem.user[j]) sum += H[2 * j + 1] * channels[w->n + j];
  }
  return sum;
}

// the row of this workspace behind a row of the choice, or -1: a normal that only pushes
static int row_behind(const carom_energetic_workspace *w, int pushed, int row) {
  int entry = row / 2;
  if (entry < pushed) return row % 2 ? 2 * w->friction.list[w->choice.class[entry]].rep + 1 : -1;
  int i = w->choice.single[entry - pushed];
  assert(i >= 0 && i < w->n);
  return row % 2 || w->state.status[i] == ENERGETIC_KEPT ? 2 * i + row % 2 : -1;
}

// Contact i on its own as number k of the choice: kept, with a normal force that is to be found, or
// pushed.
static void set_single(carom_energetic_workspace *w, const double *channels, int k, int i) {
  bool kept = w->state.status[i] == ENERGETIC_KEPT, rough = w->problem.rough[i];
  w->choice.class[k] = w->friction.family[i];
  w->choice.normal[k] = 2 * k;
  w->choice.tangent[k] = rough ? 2 * k + 1 : -1;
  w->choice.sliding[k] = w->friction.family[i] < 0 ? w->friction.slip[i] : 0;
  w->choice.floor[k] = kept ? 0.0 : w->problem.stick[i] * channels[i];
  w->choice.stick[k] = !rough ? 0.0 : kept ? w->problem.stick[i] : 1.0;
  w->choice.slide[k] = !rough ? 0.0
                       : kept ? w->problem.slide[i]
                              : w->problem.slide[i] / w->problem.stick[i];
  w->choice.modes[k] = kept ? CAROM_CONTACT_STICK : CAROM_CONTACT_PUSHED_STICK;
  if (!rough) w->choice.modes[k] = CAROM_CONTACT_CLOSED;
}

// Kept contacts, and those at rest with one of them, join the classes one by one. Returns the
// number of all.
static int add_kept(carom_energetic_workspace *w, const double *channels, double weak, int pushed) {
  int m = pushed, rows, size = 2 * w->n;
  for (int i = 0; i < w->n; i++) {
    bool beside = w->state.status[i] == ENERGETIC_PRESSED && w->friction.family[i] >= 0 &&
                  has_kept(w, w->friction.family[i]) && w->problem.stick[i] * channels[i] > weak;
    if (w->state.status[i] != ENERGETIC_KEPT && !beside) continue;
    w->choice.single[m - pushed] = i;
    set_single(w, channels, m++, i);
  }
  if (m == pushed) return m;
  rows = 2 * m;
  for (int r = 0; r < rows; r++) {
    int row = row_behind(w, pushed, r);
    for (int q = 0; q < rows; q++) {
      int column = row_behind(w, pushed, q);
      w->choice.G[r * rows + q] = row >= 0 && column >= 0 ? w->problem.H[row * size + column] : 0.0;
    }
    if (row >= 0) {
      w->choice.b[r] = bare_rate(w, row, channels);
      continue;
    }
    int tangent = row_behind(w, pushed, r + 1);
    double own = w->problem.H[tangent * size + tangent];
    w->choice.G[r * rows + r] = own;
    w->choice.b[r] = own * w->choice.floor[r / 2];
  }
  return m;
}

carom_contact_problem carom_energetic_choice_problem(const carom_energetic_workspace *w, int m) {
  return (carom_contact_problem){.rows = 2 * m,
                                 .contacts = m,
                                 .normal = w->choice.normal,
                                 .tangent = w->choice.tangent,
                                 .G = w->choice.G,
                                 .b = w->choice.b,
                                 .stick = w->choice.stick,
                                 .slide = w->choice.slide,
                                 .sliding = w->choice.sliding,
                                 .floor = w->choice.floor};
}

// sign of the tangent of number i of the choice along the row of its class
static int sign_in_class(const carom_energetic_workspace *w, int pushed, int i) {
  return i >= pushed && w->friction.coefficient[w->choice.single[i - pushed]] < 0.0 ? -1 : 1;
}

// stick that has just broken does not come back
static void set_broken(carom_energetic_workspace *w, int pushed, int m) {
  for (int i = 0; i < m; i++) {
    for (int k = 0; k < w->n; k++)
      if (w->choice.class[i] >= 0 && w->friction.family[k] == w->choice.class[i] &&
          w->friction.must_slip[k])
        w->choice.sliding[i] = sign_in_class(w, pushed, i) * w->friction.must_sign[k] *
                               (w->friction.coefficient[k] > 0.0 ? 1 : -1);
    bool pushes = w->choice.floor[i] > 0.0;
    if (w->choice.sliding[i] > 0)
      w->choice.modes[i] = pushes ? CAROM_CONTACT_PUSHED_PLUS : CAROM_CONTACT_SLIP_PLUS;
    if (w->choice.sliding[i] < 0)
      w->choice.modes[i] = pushes ? CAROM_CONTACT_PUSHED_MINUS : CAROM_CONTACT_SLIP_MINUS;
  }
}

// What broke stick may have gone with the same event. Returns whether there was something to
// forget.
static bool forget_broken(carom_energetic_workspace *w) {
  bool any = false;
  for (int i = 0; i < w->n; i++) {
    any = any || (w->friction.must_slip[i] && w->friction.family[i] >= 0);
    w->friction.must_slip[i] = false;
  }
  return any;
}

// Forces that keep contacts may not exist, as those that keep a sliding one from sinking in: then
// they are compressed as any other. Returns whether there were some.
static bool let_all_go(carom_energetic_workspace *w) {
  bool any = false;
  for (int i = 0; i < w->n; i++) {
    if (w->state.status[i] != ENERGETIC_KEPT) continue;
    any = true;
    energetic_let_go(w, i);
  }
  return any;
}

// the fewest classes slip
static void choose_classes(carom_energetic_workspace *w, const double *channels, double weak) {
  // rates without any friction of classes
  for (int c = 0; c < w->friction.classes; c++) {
    w->friction.list[c].sticks = false;
    w->friction.list[c].slip = 0;
  }
  compute_answers(w);
  int pushed = set_up_choice(w, channels, weak, true);
  for (int i = 0; i < pushed; i++)
    w->choice.b[2 * i + 1] =
        energetic_row(w, 2 * w->friction.list[w->choice.class[i]].rep + 1, channels, NULL);
  int m = add_kept(w, channels, weak, pushed);
  assert(pushed <= m && m <= w->n);
  set_broken(w, pushed, m);
  if (m == 0) return;
  carom_contact_problem problem = carom_energetic_choice_problem(w, m);
  carom_contact_query query = carom_contact_query_default(w->choice.modes);
  query.find_other = false;
  query.flight = false;
  carom_contact_choice choice;
  carom_contact_choose(&problem, &query, w->choice.work, &choice);
  bool found = choice.outcome != CAROM_CONTACT_INCONSISTENT;
  if (!found && (forget_broken(w) || let_all_go(w))) {
    form_classes(w);
    choose_classes(w, channels, weak);
    return;
  }
  if (!found || choice.gave_up) w->outcome.result->gave_up = true;
  for (int i = 0; i < m; i++) {
    if (i >= pushed && found && choice.modes[i] == CAROM_CONTACT_OPEN)
      energetic_let_go(w, w->choice.single[i - pushed]);
    if (w->choice.class[i] < 0) continue;
    energetic_class *class = &w->friction.list[w->choice.class[i]];
    carom_contact_mode mode = found ? choice.modes[i] : CAROM_CONTACT_OPEN;
    int sign = sign_in_class(w, pushed, i);
    class->sticks = mode == CAROM_CONTACT_STICK || mode == CAROM_CONTACT_PUSHED_STICK;
    if (mode == CAROM_CONTACT_PUSHED_PLUS || mode == CAROM_CONTACT_SLIP_PLUS) class->slip = sign;
    if (mode == CAROM_CONTACT_PUSHED_MINUS || mode == CAROM_CONTACT_SLIP_MINUS) class->slip = -sign;
    // nothing fits: slip the way that is driven
    if (!found) class->slip = sign * (int)sign_of(w->choice.b[2 * i + 1]);
  }
  // where one of a class slips, all do
  for (int c = 0; c < w->friction.classes; c++)
    if (w->friction.list[c].slip) w->friction.list[c].sticks = false;
}

double energetic_shared_margin(carom_energetic_workspace *w, const double *channels) {
  int m = set_up_choice(w, channels, 0.0, false);
  if (m == 0) return INFINITY;
  energetic_choice_cancel(w, m, channels);
  double most = 0.0;
  for (int i = 0; i < m; i++)
    most = fmax(most, w->choice.floor[i]);
  carom_contact_problem problem = carom_energetic_choice_problem(w, m);
  carom_contact_margin margin;
  carom_contact_forces(&problem, w->choice.modes, w->choice.work, w->choice.lambda, w->choice.rate,
                       &margin);
  return margin.value / most;
}

// ---- settling

// does every sticking class stay within what it can carry?
static bool all_hold(carom_energetic_workspace *w, const double *channels, double weak) {
  int size = 2 * w->n;
  if (w->response.shared) return energetic_shared_margin(w, channels) >= -EXCESS;
  for (int c = 0; c < w->friction.classes; c++) {
    if (!w->friction.list[c].sticks) continue;
    double reaction = fabs(carom_dot(w->response.channels,
                                     w->response.B + w->friction.list[c].unknown * size, channels));
    if (reaction > class_carries(w, c, w->problem.stick, channels) * (1.0 + EXCESS) + weak)
      return false;
  }
  return true;
}

// slips that begin must go their way, or else the broken stick was none
static bool all_start(carom_energetic_workspace *w, const double *channels) {
  for (int c = 0; c < w->friction.classes; c++) {
    if (w->friction.list[c].sticks || w->friction.list[c].slip == 0) continue;
    if (w->friction.list[c].slip *
            energetic_row(w, 2 * w->friction.list[c].rep + 1, channels, NULL) <
        0.0)
      return false;
  }
  return true;
}

// one class of its own: it slips against the force that would hold it
static bool slip_alone(carom_energetic_workspace *w, const double *channels) {
  if (w->friction.classes != 1 || w->response.reactions != 1 || !w->friction.list[0].sticks)
    return false;
  double reaction = carom_dot(w->response.channels, w->response.B, channels);
  w->friction.list[0].sticks = false;
  w->friction.list[0].slip = reaction > 0.0 ? -1 : 1;
  return true;
}

// classes that cannot carry anything yet go where they are driven; undriven ones stick
static bool settle_weak(carom_energetic_workspace *w, const double *channels, double weak) {
  bool changed = false;
  for (int c = 0; c < w->friction.classes; c++) {
    energetic_class *class = &w->friction.list[c];
    if (class->sticks || class->slip || class_carries(w, c, w->problem.stick, channels) > weak)
      continue;
    int row = 2 * class->rep + 1;
    double terms, rate = energetic_row(w, row, channels, &terms);
    if (fabs(rate) > WEAK * terms)
      class->slip = rate > 0.0 ? 1 : -1;
    else
      class->sticks = true;
    changed = true;
  }
  return changed;
}

// a force that cannot hold anything
static double weak_force(const carom_energetic_workspace *w, const double *channels) {
  double largest = 0.0;
  for (int i = 0; i < w->n; i++)
    largest = fmax(largest, fabs(channels[i]));
  return WEAK * largest;
}

bool energetic_friction_holds(carom_energetic_workspace *w, const double *channels) {
  return all_hold(w, channels, weak_force(w, channels));
}

void energetic_friction_settle(carom_energetic_workspace *w, const double *channels) {
  form_classes(w);
  double weak = weak_force(w, channels);
  bool same = same_as_answered(w);
  if (same && all_hold(w, channels, weak)) {
    spread_slip(w);
    return;
  }
  if (w->friction.classes == 0) {
    compute_answers(w);
    return;
  }
  if (same) form_classes(w);
  for (int c = 0; c < w->friction.classes; c++)
    // what keeps a contact is not known yet
    if (!has_kept(w, c) && class_carries(w, c, w->problem.stick, channels) <= weak)
      w->friction.list[c].sticks = false;
  compute_answers(w);
  if (!all_hold(w, channels, weak) || !all_start(w, channels)) {
    if (!slip_alone(w, channels)) choose_classes(w, channels, weak);
    compute_answers(w);
    if (!all_start(w, channels) && forget_broken(w)) {
      form_classes(w);
      choose_classes(w, channels, weak);
      compute_answers(w);
    }
  }
  if (settle_weak(w, channels, weak)) compute_answers(w);
}
