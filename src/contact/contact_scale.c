// SPDX-License-Identifier: MIT
#include "contact/contact_internal.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

// The power of two next to 1/sqrt(g); 1 of rows that nothing moves, or as good as nothing. By bits,
// as frexp and ldexp would; floor division, so that a factor of four always is one step.
static double row_scale(double g) {
  if (!(g >= DBL_MIN) || !isfinite(g)) return 1.0;
  double scale;
  uint64_t bits;
  memcpy(&bits, &g, sizeof bits);
  int exponent = (int)(bits >> 52) - 1022;
  int shift = exponent >= 0 ? exponent / 2 : -((1 - exponent) / 2);
  bits = (uint64_t)(1023 - shift) << 52;
  memcpy(&scale, &bits, sizeof scale);
  return scale;
}

static bool has_friction(const carom_contact_problem *p, int contact) {
  return p->tangent[contact] >= 0 && (p->stick[contact] > 0.0 || p->slide[contact] > 0.0);
}

// which rows take part, in the order constraints, then N and the tangents of each contact
static void gather_rows(const carom_contact_problem *p, scaled_problem *s) {
  int n = 0;
  for (; n < p->constraints; n++)
    s->source[n] = n;
  for (int i = 0; i < p->contacts; i++) {
    s->normal[i] = n;
    s->source[n++] = p->normal[i];
    s->tangent[i] = s->cross[i] = -1;
    if (!has_friction(p, i)) continue;
    s->tangent[i] = n;
    s->source[n++] = p->tangent[i];
    if (!p->cross || p->cross[i] < 0) continue;
    s->cross[i] = n;
    s->source[n++] = p->cross[i];
  }
  assert(n <= p->rows);
  s->rows = n;
  s->constraints = p->constraints;
  s->contacts = p->contacts;
}

// Should the tangent be turned? The first thing that changes its sign in a mirror decides: the free
// rate, the slip, then the coupling with rows whose sign is settled.
static bool wants_turning(const carom_contact_problem *p, const scaled_problem *s, int contact) {
  assert(contact >= 0 && contact < p->contacts && s->tangent[contact] >= 0);
  int row = s->source[s->tangent[contact]];
  if (p->b[row] != 0.0) return p->b[row] < 0.0;
  if (p->sliding[contact]) return p->sliding[contact] < 0;
  for (int j = p->constraints; j < s->rows; j++) {
    double g = p->G[row * p->rows + s->source[j]];
    bool settled = j < s->tangent[contact];
    for (int i = 0; i < p->contacts && !settled; i++)
      settled = s->normal[i] == j;
    if (settled && g != 0.0) return (s->scale[j] < 0.0) != (g < 0.0);
  }
  return false;
}

static void scale_contact(const carom_contact_problem *p, scaled_problem *s, int i) {
  assert(i >= 0 && i < p->contacts);
  int normal = s->normal[i], tangent = s->tangent[i];
  s->turned[i] = false;
  s->sliding[i] = p->sliding[i];
  s->braking[i] = p->braking ? p->braking[i] : 0;
  s->stick[i] = s->slide[i] = 0.0;
  s->floor[i] = p->floor ? p->floor[i] / s->scale[normal] : 0.0;
  if (tangent < 0) return;
  double ratio = s->scale[normal] / s->scale[tangent];
  s->stick[i] = p->stick[i] * ratio;
  s->slide[i] = p->slide[i] * ratio;
  if (!wants_turning(p, s, i)) return;
  s->turned[i] = true;
  s->sliding[i] = -p->sliding[i];
  s->braking[i] = -s->braking[i];
  s->scale[tangent] = -s->scale[tangent];
}

static void list_entries(scaled_problem *s) {
  int count = 0;
  for (int k = 0; k < s->rows; k++) {
    const double *G = s->G + (size_t)k * (size_t)s->rows;
    s->start[k] = count;
    for (int j = 0; j < s->rows; j++)
      if (G[j] != 0.0) s->column[count++] = j;
  }
  s->start[s->rows] = count;
}

void contact_scale(const carom_contact_problem *p, scaled_problem *s) {
  gather_rows(p, s);
  s->unit = 0.0;
  for (int k = 0; k < s->rows; k++) {
    s->scale[k] = row_scale(p->G[s->source[k] * p->rows + s->source[k]]);
    s->unit = fmax(s->unit, s->scale[k]);
  }
  for (int i = 0; i < s->contacts; i++)
    scale_contact(p, s, i);
  s->size = 0.0;
  for (int k = 0; k < s->rows; k++) {
    const double *from = p->G + (size_t)s->source[k] * (size_t)p->rows;
    double *to = s->G + (size_t)k * (size_t)s->rows;
    for (int j = 0; j < s->rows; j++)
      to[j] = from[s->source[j]] * (s->scale[k] * s->scale[j]);
    s->b[k] = p->b[s->source[k]] * s->scale[k];
    s->metric[k] = fabs(s->scale[k]) / s->unit;
    s->size = fmax(s->size, fabs(s->b[k]));
  }
  for (int i = 0; i < s->contacts; i++)
    s->size = fmax(s->size, s->floor[i]);
  if (s->rows >= CONTACT_LONG_ROW) list_entries(s);
}

carom_contact_mode contact_turn_mode(const scaled_problem *s, int contact,
                                     carom_contact_mode mode) {
  assert(contact >= 0 && contact < s->contacts);
  if (!s->turned[contact]) return mode;
  switch (mode) {
  case CAROM_CONTACT_SLIP_PLUS: return CAROM_CONTACT_SLIP_MINUS;
  case CAROM_CONTACT_SLIP_MINUS: return CAROM_CONTACT_SLIP_PLUS;
  case CAROM_CONTACT_PUSHED_PLUS: return CAROM_CONTACT_PUSHED_MINUS;
  case CAROM_CONTACT_PUSHED_MINUS: return CAROM_CONTACT_PUSHED_PLUS;
  default: return mode;
  }
}

carom_contact_mode contact_normal_mode(const scaled_problem *s, int contact,
                                       carom_contact_mode mode) {
  assert(contact >= 0 && contact < s->contacts);
  bool friction = s->tangent[contact] >= 0, pushed = s->floor[contact] > 0.0;
  if (carom_contact_is_closed(mode)) {
    if (!friction) return CAROM_CONTACT_CLOSED;
    if (mode != CAROM_CONTACT_CLOSED) return mode;
    // a closed contact of which no more is known: slipping as it does, or at rest
    if (s->sliding[contact] == 0) return CAROM_CONTACT_STICK;
    return s->sliding[contact] > 0 ? CAROM_CONTACT_SLIP_PLUS : CAROM_CONTACT_SLIP_MINUS;
  }
  if (!pushed) return CAROM_CONTACT_OPEN;
  if (!friction) return CAROM_CONTACT_PUSHED;
  return mode == CAROM_CONTACT_OPEN || mode == CAROM_CONTACT_PUSHED ? CAROM_CONTACT_PUSHED_STICK
                                                                    : mode;
}

int carom_contact_slip_sign(carom_contact_mode mode) {
  switch (mode) {
  case CAROM_CONTACT_SLIP_PLUS:
  case CAROM_CONTACT_PUSHED_PLUS: return 1;
  case CAROM_CONTACT_SLIP_MINUS:
  case CAROM_CONTACT_PUSHED_MINUS: return -1;
  default: return 0;
  }
}

bool carom_contact_is_closed(carom_contact_mode mode) {
  return mode >= CAROM_CONTACT_STICK && mode <= CAROM_CONTACT_CLOSED;
}
