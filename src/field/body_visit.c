// SPDX-License-Identifier: MIT
// Integrals over a whole surface of functions that are no powers of the distance: Gauss rules in
// the logarithm of the distance across it, plain ones along it, both cut in two until that changes
// nothing. Round surfaces take denser lines until nothing changes.
#include "field/body.h"

#include "base/elementary.h"

#include <math.h>
#include <string.h>

enum { MOST = CAROM_INTEGRAND_MOST, ACROSS_CUTS = 24, ALONG_CUTS = 8, FINEST = 8 };
// how well halves must agree with their whole, that ten digits are left at kinks too; points along
// a side are compared with fewer
static const double AGREED = 2e-13, AGREED_ALONG = 1e-11, LONGEST = 4.0;

typedef struct integral {
  const carom_integrand *of;
  double size[MOST]; // sums of absolute values so far
} integral;

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

static void add_point(integral *it, const double x[3], double d, double weight, double *sums) {
  double values[MOST];
  it->of->value(it->of->ctx, x, d, values);
  for (int c = 0; c < it->of->count; c++)
    sums[c] += weight * values[c];
}

static void add_all(const integral *it, const double *from, double *to) {
  for (int c = 0; c < it->of->count; c++)
    to[c] += from[c];
}

// Do two results agree, in parts of the largest of their group? What nobody asked for is not looked
// at. Values that are not finite are as good as they will be.
static bool agree(const integral *it, const double *a, const double *b, double within) {
  for (int g = 0, c = 0; g < it->of->group_count; g++) {
    double worst = 0.0, size = 0.0;
    for (; c < it->of->group_end[g]; c++) {
      worst = fmax(worst, fabs(a[c] - b[c]));
      size = fmax(size, fmax(fabs(a[c]), it->size[c]));
    }
    if (worst > within * size) return false;
  }
  return true;
}

/// The mixtures (1 - b) a + b c of two places by b in [0, 1], from the distance p to q; `taper`
/// multiplies by b.
typedef struct mixtures {
  const double *a, *c;
  double p, q, length, size;
  bool taper;
} mixtures;

// over the part from s0 to s1 of the logarithm of the distance, or of b where p and q are alike
static void sum_part(integral *it, const mixtures *m, double s0, double s1, double *sums) {
  carom_gauss rule = carom_gauss_rule(16);
  bool graded = fabs(m->length) > 0.5;
  for (int i = 0; i < rule.count; i++) {
    double s = s0 + rule.node[i] * (s1 - s0), b = s, d = m->p + b * (m->q - m->p), x[3];
    double weight = m->size * rule.weight[i] * (s1 - s0);
    if (graded) {
      d = m->p * carom_exp(s * m->length);
      b = (d - m->p) / (m->q - m->p);
      weight *= m->length * d / (m->q - m->p);
    }
    for (int k = 0; k < 3; k++)
      x[k] = m->a[k] + b * (m->c[k] - m->a[k]);
    add_point(it, x, d, weight * (m->taper ? b : 1.0), sums);
  }
}

static void cut_part(integral *it, const mixtures *m, double s0, double s1, const double *whole,
                     int cuts, double *sums) {
  double middle = 0.5 * (s0 + s1), left[MOST] = {0.0}, right[MOST] = {0.0}, both[MOST] = {0.0};
  sum_part(it, m, s0, middle, left);
  sum_part(it, m, middle, s1, right);
  add_all(it, left, both);
  add_all(it, right, both);
  if (cuts == 0 || agree(it, both, whole, AGREED)) {
    add_all(it, both, sums);
    for (int c = 0; c < it->of->count; c++)
      it->size[c] = fmax(it->size[c], fabs(sums[c]));
    return;
  }
  cut_part(it, m, s0, middle, left, cuts - 1, sums);
  cut_part(it, m, middle, s1, right, cuts - 1, sums);
}

static void add_mixtures(integral *it, const double a[3], const double c[3], double p, double q,
                         double size, bool taper, double *sums) {
  mixtures m = {a, c, p, q, carom_log(q / p), size, taper};
  int parts = (int)(fabs(m.length) / LONGEST) + 1;
  for (int j = 0; j < parts; j++) {
    double whole[MOST] = {0.0}, s0 = (double)j / parts, s1 = (double)(j + 1) / parts;
    sum_part(it, &m, s0, s1, whole);
    cut_part(it, &m, s0, s1, whole, ACROSS_CUTS, sums);
  }
}

/// From an apex to a side at constant distance.
typedef struct wedge {
  const double *apex, *left, *right;
  double p, q, area;
} wedge;

static void sum_wedge(integral *it, const wedge *w, double u0, double u1, int points,
                      double *sums) {
  carom_gauss rule = carom_gauss_rule(points);
  for (int i = 0; i < rule.count; i++) {
    double side[3], u = u0 + rule.node[i] * (u1 - u0);
    for (int k = 0; k < 3; k++)
      side[k] = w->left[k] + u * (w->right[k] - w->left[k]);
    add_mixtures(it, w->apex, side, w->p, w->q, 2.0 * w->area * rule.weight[i] * (u1 - u0), true,
                 sums);
  }
}

static void cut_wedge(integral *it, const wedge *w, double u0, double u1, int cuts, double *sums) {
  double many[MOST] = {0.0}, few[MOST] = {0.0}, middle = 0.5 * (u0 + u1);
  sum_wedge(it, w, u0, u1, 10, many);
  sum_wedge(it, w, u0, u1, 6, few);
  if (cuts == 0 || agree(it, many, few, AGREED_ALONG)) {
    add_all(it, many, sums);
    return;
  }
  cut_wedge(it, w, u0, middle, cuts - 1, sums);
  cut_wedge(it, w, middle, u1, cuts - 1, sums);
}

static void add_triangle(integral *it, const carom_body *body, const carom_sight *sight,
                         const carom_piece *piece, double *sums) {
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
  wedge below = {low, middle, cut, d[0], d[1], part * area};
  wedge above = {high, middle, cut, d[2], d[1], (1.0 - part) * area};
  if (part > 0.0) cut_wedge(it, &below, 0.0, 1.0, ALONG_CUTS, sums);
  if (part < 1.0) cut_wedge(it, &above, 0.0, 1.0, ALONG_CUTS, sums);
}

static void add_edge(integral *it, const carom_body *body, const carom_sight *sight,
                     const carom_piece *piece, double *sums) {
  const int *c = piece->corner;
  add_mixtures(it, body->vertex[c[0]], body->vertex[c[1]], sight->distance[c[0]],
               sight->distance[c[1]], piece->size * stretch(sight, piece->normal), false, sums);
}

typedef struct line_sums {
  integral *it;
  double *sums;
} line_sums;

static void add_line(void *ctx, const double a[3], const double b[3], const double d[2],
                     double size) {
  line_sums *line = ctx;
  if (a == b)
    add_point(line->it, a, d[0], size, line->sums);
  else
    add_mixtures(line->it, a, b, d[0], d[1], size, false, line->sums);
}

// lines twice as dense until nothing changes
static void add_round(integral *it, const carom_body *body, const carom_sight *sight,
                      uint64_t faces, double *sums) {
  double before[MOST] = {0.0}, now[MOST];
  carom_sight finer = *sight;
  for (finer.fine = 1; finer.fine <= FINEST; finer.fine *= 2) {
    memset(now, 0, sizeof now);
    memset(it->size, 0, sizeof it->size);
    line_sums line = {it, now};
    carom_body_lines(body, &finer, faces, add_line, &line);
    if (finer.fine > 1 && agree(it, now, before, AGREED)) break;
    memcpy(before, now, sizeof before);
  }
  add_all(it, now, sums);
}

void carom_body_integrate(const carom_body *body, const carom_sight *sight, uint64_t faces,
                          const carom_integrand *integrand, double *sums) {
  integral it = {.of = integrand};
  if (body->piece_count == 0) {
    add_round(&it, body, sight, faces, sums);
    return;
  }
  double own[MOST] = {0.0};
  for (int p = 0; p < body->piece_count; p++) {
    const carom_piece *piece = &body->piece[p];
    if (!(faces >> (piece->face & 63) & 1u)) continue;
    if (body->dimension == 2)
      add_edge(&it, body, sight, piece, own);
    else
      add_triangle(&it, body, sight, piece, own);
  }
  add_all(&it, own, sums);
}
