// SPDX-License-Identifier: MIT
// Quadrature points of a whole surface for integrands that are no powers of the distance: Gauss
// rules in the logarithm of the distance across it, plain ones along it.
#include "field/body.h"

#include "base/elementary.h"

#include <math.h>

typedef struct visit_call {
  carom_point_visitor visit;
  void *ctx;
} visit_call;

static double stretch(const carom_sight *sight, const double m[3]) {
  if (!sight->cofactor) return 1.0;
  double sum = 0.0;
  for (int i = 0; i < 3; i++) {
    const double *row = sight->cofactor + (size_t)3 * (size_t)i;
    double r = row[0] * m[0] + row[1] * m[1] + row[2] * m[2];
    sum += r * r;
  }
  return sqrt(sum);
}

/// The mixtures (1 - b) a + b c of two places by b in [0, 1], graded; `taper` multiplies by b.
static void visit_mixtures(const double a[3], const double c[3], double p, double q, double size,
                           bool taper, const visit_call *call) {
  carom_gauss rule = carom_gauss_rule(16);
  double length = carom_log(q / p);
  bool graded = fabs(length) > 0.5;
  int panels = graded ? (int)(fabs(length) / 2.5) + 1 : 1;
  for (int j = 0; j < panels; j++)
    for (int i = 0; i < rule.count; i++) {
      double b = rule.node[i], d = p + b * (q - p), weight = size * rule.weight[i], x[3];
      if (graded) {
        d = p * carom_exp((j + rule.node[i]) * length / panels);
        b = (d - p) / (q - p);
        weight *= length / panels * d / (q - p);
      }
      for (int k = 0; k < 3; k++)
        x[k] = a[k] + b * (c[k] - a[k]);
      call->visit(call->ctx, x, weight * (taper ? b : 1.0), d);
    }
}

// from an apex to a side at constant distance
static void visit_wedge(const double apex[3], const double left[3], const double right[3], double p,
                        double q, double area, const visit_call *call) {
  carom_gauss rule = carom_gauss_rule(10);
  for (int i = 0; i < rule.count; i++) {
    double side[3];
    for (int k = 0; k < 3; k++)
      side[k] = left[k] + rule.node[i] * (right[k] - left[k]);
    visit_mixtures(apex, side, p, q, 2.0 * area * rule.weight[i], true, call);
  }
}

static void visit_triangle(const carom_body *body, const carom_sight *sight,
                           const carom_piece *piece, const visit_call *call) {
  int order[3] = {piece->corner[0], piece->corner[1], piece->corner[2]};
  for (int i = 1; i < 3; i++)
    for (int j = i; j > 0 && sight->distance[order[j]] < sight->distance[order[j - 1]]; j--) {
      int kept = order[j];
      order[j] = order[j - 1];
      order[j - 1] = kept;
    }
  const double *low = body->vertex[order[0]], *middle = body->vertex[order[1]],
               *high = body->vertex[order[2]];
  double d[3] = {sight->distance[order[0]], sight->distance[order[1]], sight->distance[order[2]]};
  double part = d[2] > d[0] ? (d[1] - d[0]) / (d[2] - d[0]) : 1.0, cut[3];
  double area = piece->size * stretch(sight, piece->normal);
  for (int k = 0; k < 3; k++)
    cut[k] = low[k] + part * (high[k] - low[k]);
  if (part > 0.0) visit_wedge(low, middle, cut, d[0], d[1], part * area, call);
  if (part < 1.0) visit_wedge(high, middle, cut, d[2], d[1], (1.0 - part) * area, call);
}

static void visit_line(void *ctx, const double a[3], const double b[3], const double d[2],
                       double size) {
  const visit_call *call = ctx;
  if (a == b)
    call->visit(call->ctx, a, size, d[0]);
  else
    visit_mixtures(a, b, d[0], d[1], size, false, call);
}

static void visit_edge(const carom_body *body, const carom_sight *sight, const carom_piece *piece,
                       const visit_call *call) {
  const int *c = piece->corner;
  visit_mixtures(body->vertex[c[0]], body->vertex[c[1]], sight->distance[c[0]],
                 sight->distance[c[1]], piece->size * stretch(sight, piece->normal), false, call);
}

void carom_body_visit(const carom_body *body, const carom_sight *sight, uint64_t faces,
                      carom_point_visitor visit, void *ctx) {
  visit_call call = {visit, ctx};
  for (int p = 0; p < body->piece_count; p++) {
    const carom_piece *piece = &body->piece[p];
    if (!(faces >> (piece->face & 63) & 1u)) continue;
    if (body->dimension == 2)
      visit_edge(body, sight, piece, &call);
    else
      visit_triangle(body, sight, piece, &call);
  }
  if (body->piece_count == 0) carom_body_lines(body, sight, faces, visit_line, &call);
}
