// SPDX-License-Identifier: MIT
/// One contact by itself. Its few modes have forces in closed form, and as a rule exactly one of
/// them holds, and by far: then that is the answer, and nothing need be searched. Wherever a mode
/// holds or fails only just, or the coefficient of slip is small, the search is asked.
#include "contact/contact_internal.h"

#include <assert.h>
#include <math.h>

static const double CLEAR = 1e-8; // of forces and rates: many times what counts as zero
static const double WEAK = 1e-11; // of the same: surely counts as zero
static const double SOUND = 1e-3; // of G_NN, or of the determinant of stick: far from singular

/// The problem of the one contact: rows N and T.
typedef struct alone {
  bool friction;
  int sliding;
  double G_nn, G_nt, G_tt, b_n, b_t;
  double slide, least, most; // T lies between least N and most N while it sticks
  double unit_n, unit_t;     // make rates of one unit of them, and forces if divided by
  double size;               // the largest rate
} alone;

typedef struct outcome {
  double N, T;
  double margin; // how far the mode holds (positive) or fails, relative to forces and rates
} outcome;

static double larger(double a, double b) { return a > b ? a : b; }
static double smaller(double a, double b) { return a < b ? a : b; }

static alone describe_contact(const carom_contact_problem *p) {
  int n = p->normal[0], t = p->tangent[0], braking = p->braking ? p->braking[0] : 0;
  double stick = p->stick[0], slide = p->slide[0];
  alone a = {.G_nn = p->G[n * p->rows + n], .b_n = p->b[n]};
  a.friction = t >= 0 && (stick > 0.0 || slide > 0.0);
  a.unit_n = 1.0 / sqrt(a.G_nn);
  a.size = fabs(a.b_n) * a.unit_n;
  if (!a.friction) return a;
  a.sliding = p->sliding[0];
  a.G_nt = p->G[n * p->rows + t];
  a.G_tt = p->G[t * p->rows + t];
  a.b_t = p->b[t];
  a.slide = slide;
  a.least = braking > 0 ? -slide : -stick;
  a.most = braking < 0 ? slide : stick;
  a.unit_t = 1.0 / sqrt(a.G_tt);
  a.size = larger(a.size, fabs(a.b_t) * a.unit_t);
  return a;
}

// slip with any sign it may have must be an ordinary one, far from Painleve's paradox
static bool is_sound(const alone *a) {
  if (!(a->G_nn > 0.0) || !(a->size > 0.0) || !(a->size < INFINITY)) return false;
  if (!a->friction) return true;
  return a->G_tt > 0.0 && a->G_nn - a->slide * fabs(a->G_nt) > SOUND * a->G_nn &&
         a->G_nn * a->G_tt - a->G_nt * a->G_nt > SOUND * a->G_nn * a->G_tt;
}

// a condition that is `value` (scaled) from its end, relative to what it was made of
static double relative_margin(const alone *a, double N, double T, double value) {
  double force = fabs(N) / a->unit_n;
  if (a->friction) force = larger(force, fabs(T) / a->unit_t);
  return value / (a->size + force);
}

static outcome open_contact(const alone *a) {
  return (outcome){.margin = relative_margin(a, 0.0, 0.0, a->b_n * a->unit_n)};
}

// N with T = c N, solved and corrected once
static outcome try_slip(const alone *a, int sign) {
  double c = -sign * a->slide, k = a->G_nn + c * a->G_nt, N = -a->b_n / k;
  N -= (a->b_n + (a->G_nn * N + a->G_nt * (c * N))) / k;
  double T = c * N, holds = N / a->unit_n;
  if (sign != 0 && a->sliding == 0)
    holds = smaller(holds, sign * (a->b_t + (a->G_nt * N + a->G_tt * T)) * a->unit_t);
  return (outcome){N, T, relative_margin(a, N, T, holds)};
}

static outcome try_stick(const alone *a) {
  double determinant = a->G_nn * a->G_tt - a->G_nt * a->G_nt, N = 0.0, T = 0.0;
  for (int pass = 0; pass < 2; pass++) {
    double n = a->b_n + (a->G_nn * N + a->G_nt * T), t = a->b_t + (a->G_nt * N + a->G_tt * T);
    N += (t * a->G_nt - n * a->G_tt) / determinant;
    T += (n * a->G_nt - t * a->G_nn) / determinant;
  }
  double cone = smaller(a->most * N - T, T - a->least * N) / a->unit_t;
  return (outcome){N, T, relative_margin(a, N, T, smaller(N / a->unit_n, cone))};
}

static outcome outcome_of(const alone *a, carom_contact_mode mode) {
  if (mode == CAROM_CONTACT_OPEN) return open_contact(a);
  return mode == CAROM_CONTACT_STICK ? try_stick(a) : try_slip(a, carom_contact_slip_sign(mode));
}

static int list_modes(const alone *a, carom_contact_mode *list) {
  int n = 0;
  list[n++] = CAROM_CONTACT_OPEN;
  if (!a->friction) list[n++] = CAROM_CONTACT_CLOSED;
  if (a->friction && a->sliding == 0) list[n++] = CAROM_CONTACT_STICK;
  if (a->friction && a->sliding >= 0) list[n++] = CAROM_CONTACT_SLIP_PLUS;
  if (a->friction && a->sliding <= 0) list[n++] = CAROM_CONTACT_SLIP_MINUS;
  assert(n <= 4);
  return n;
}

// the only mode that holds, all others failing; false where that is not clear
static bool find_only(const alone *a, carom_contact_mode *mode) {
  carom_contact_mode list[4];
  int count = list_modes(a, list), holding = 0;
  for (int k = 0; k < count; k++) {
    double margin = outcome_of(a, list[k]).margin;
    if (!(fabs(margin) > CLEAR)) return false;
    if (!(margin > 0.0)) continue;
    *mode = list[k];
    holding++;
  }
  return holding == 1;
}

static void write_down(const carom_contact_problem *p, const alone *a, carom_contact_mode mode,
                       carom_contact_choice *choice) {
  outcome o = outcome_of(a, mode);
  int n = p->normal[0], t = p->tangent[0], sign = carom_contact_slip_sign(mode);
  choice->outcome = CAROM_CONTACT_CONSISTENT;
  choice->modes[0] = mode;
  choice->contact = sign != 0 ? 0 : -1;
  choice->coefficient = sign != 0 ? a->G_nn - sign * a->slide * a->G_nt : 0.0;
  for (int r = 0; r < p->rows; r++) {
    choice->lambda[r] = 0.0;
    choice->rate[r] = p->b[r] + p->G[r * p->rows + n] * o.N;
    if (a->friction)
      choice->rate[r] = p->b[r] + (p->G[r * p->rows + n] * o.N + p->G[r * p->rows + t] * o.T);
  }
  choice->lambda[n] = o.N;
  if (a->friction) choice->lambda[t] = o.T;
}

bool contact_choose_alone(const carom_contact_problem *problem, const carom_contact_query *query,
                          carom_contact_choice *choice) {
  if (problem->contacts != 1 || problem->constraints > 0 || problem->floor ||
      query->excluded_count > 0 || query->pushing >= 0)
    return false;
  if (problem->cross && problem->cross[0] >= 0 && problem->sliding[0] == 0) return false;
  alone now = describe_contact(problem),
        later = query->ahead ? describe_contact(query->ahead) : now;
  carom_contact_mode mode = CAROM_CONTACT_OPEN;
  // a moment later all is clear where modes have just ended; now the answer must hold too
  if (!is_sound(&now) || !is_sound(&later) || !find_only(&later, &mode)) return false;
  if (now.friction != later.friction || now.sliding != later.sliding) return false;
  if (query->ahead && !(outcome_of(&now, mode).margin >= -WEAK)) return false;
  write_down(problem, &now, mode, choice);
  choice->clear = true;
  choice->nodes = 1;
  return true;
}
