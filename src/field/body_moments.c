// SPDX-License-Identifier: MIT
// Moments of d^-nu over the whole surface of a body, piece by piece.
#include "field/body.h"

#include "base/elementary.h"
#include "base/vector.h"

#include <math.h>

static const int PAIR[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};

// how much area a direction of the surface gains: |F* m|
static double stretch_of_area(const carom_sight *sight, const double m[3]) {
  if (!sight->cofactor) return 1.0;
  double r[3];
  for (int i = 0; i < 3; i++)
    r[i] = carom_v3_dot(sight->cofactor + (size_t)3 * (size_t)i, m);
  return sqrt(carom_v3_dot(r, r));
}

static bool is_cylinder(const carom_body *body) { return body->shape == CAROM_BODY_CYLINDER; }

// least distance of a round body: that of its middle less what its radius reaches
static double round_least(const carom_body *body, const carom_sight *sight) {
  double middle = sight->offset + carom_v3_dot(sight->slope, body->middle);
  double across = body->shape == CAROM_BODY_SPHERE
                      ? sqrt(carom_v3_dot(sight->slope, sight->slope))
                      : sqrt(sight->slope[0] * sight->slope[0] + sight->slope[1] * sight->slope[1]);
  double along = is_cylinder(body) ? 0.5 * body->length * fabs(sight->slope[2]) : 0.0;
  return middle - body->radius * across - along;
}

bool carom_body_look(const carom_body *body, carom_sight *sight) {
  if (body->vertex_count == 0) {
    sight->least = round_least(body, sight);
    return sight->least > 0.0;
  }
  double least = HUGE_VAL;
  for (int v = 0; v < body->vertex_count; v++) {
    double d = sight->offset + carom_v3_dot(sight->slope, body->vertex[v]);
    sight->distance[v] = d;
    least = d < least ? d : least;
  }
  sight->least = least;
  return least > 0.0;
}

// ---- flat pieces

static void add_corners(int count, const double *const *x, double size, int order, double zero,
                        const double *one, const double *two, carom_moments *m) {
  m->zero += size * zero;
  if (order < 1) return;
  for (int i = 0; i < count; i++)
    for (int k = 0; k < 3; k++)
      m->one[k] += size * one[i] * x[i][k];
  if (order < 2) return;
  for (int k = 0; k < 6; k++) {
    int p = PAIR[k][0], q = PAIR[k][1];
    double sum = 0.0;
    for (int i = 0; i < count; i++)
      sum += two[i] * x[i][p] * x[i][q];
    if (count == 2) {
      sum += two[2] * (x[0][p] * x[1][q] + x[1][p] * x[0][q]);
    } else {
      sum += two[3] * (x[0][p] * x[1][q] + x[1][p] * x[0][q]);
      sum += two[4] * (x[0][p] * x[2][q] + x[2][p] * x[0][q]);
      sum += two[5] * (x[1][p] * x[2][q] + x[2][p] * x[1][q]);
    }
    m->two[k] += size * sum;
  }
}

static void add_edge(double nu, int order, const double *a, const double *b, const double d[2],
                     double size, carom_moments *m) {
  double zero = 0.0, one[2] = {0.0, 0.0}, two[3] = {0.0, 0.0, 0.0};
  const double *x[2] = {a, b};
  carom_edge_weights(nu, order, d, &zero, one, two);
  add_corners(2, x, size, order, zero, one, two, m);
}

static void add_piece(const carom_body *body, const carom_sight *sight, const carom_piece *piece,
                      double nu, int order, carom_moments *m) {
  const int *c = piece->corner;
  double size = piece->size * stretch_of_area(sight, piece->normal);
  if (body->dimension == 2) {
    double d[2] = {sight->distance[c[0]], sight->distance[c[1]]};
    add_edge(nu, order, body->vertex[c[0]], body->vertex[c[1]], d, size, m);
    return;
  }
  double d[3] = {sight->distance[c[0]], sight->distance[c[1]], sight->distance[c[2]]};
  double zero = 0.0, one[3] = {0.0}, two[6] = {0.0};
  const double *x[3] = {body->vertex[c[0]], body->vertex[c[1]], body->vertex[c[2]]};
  int whole;
  if (!carom_whole_exponent(nu, &whole) || whole < order + 3) {
    carom_triangle_spread(nu, order, d, x, size, m);
    return;
  }
  carom_triangle_weights(nu, order, d, &zero, one, two);
  add_corners(3, x, size, order, zero, one, two, m);
}

// ---- round bodies: e points to the plane, f across

typedef struct round_frame {
  double e[3], f[3], reach; // reach: how much nearer the rim is than the middle
} round_frame;

static round_frame frame_of(const carom_body *body, const carom_sight *sight) {
  double across = sqrt(sight->slope[0] * sight->slope[0] + sight->slope[1] * sight->slope[1]);
  round_frame it = {.e = {1.0, 0.0, 0.0}, .f = {0.0, 1.0, 0.0}, .reach = body->radius * across};
  if (across > 0.0) {
    it.e[0] = -sight->slope[0] / across;
    it.e[1] = -sight->slope[1] / across;
    it.f[0] = -it.e[1];
    it.f[1] = it.e[0];
  }
  return it;
}

// |cos e* + sin f*|^2 as k0 + k1 cos 2 phi + k2 sin 2 phi
static void rim_stretch(const carom_sight *sight, const round_frame *frame, double k[3]) {
  k[0] = 1.0, k[1] = k[2] = 0.0;
  if (!sight->cofactor) return;
  double a[3], b[3];
  for (int i = 0; i < 3; i++) {
    a[i] = carom_v3_dot(sight->cofactor + (size_t)3 * (size_t)i, frame->e);
    b[i] = carom_v3_dot(sight->cofactor + (size_t)3 * (size_t)i, frame->f);
  }
  k[0] = 0.5 * (carom_v3_dot(a, a) + carom_v3_dot(b, b));
  k[1] = 0.5 * (carom_v3_dot(a, a) - carom_v3_dot(b, b));
  k[2] = carom_v3_dot(a, b);
}

// x = middle + r (cos e + sin f): moments of x from those of cos and sin
static void add_disc(const carom_body *body, const carom_sight *sight, double nu, int order,
                     carom_moments *m) {
  round_frame frame = frame_of(body, sight);
  double k[3], t[6], r = body->radius;
  rim_stretch(sight, &frame, k);
  carom_circle_moments(nu, order, sight->least, frame.reach, k, false, t);
  m->zero += r * t[0];
  if (order < 1) return;
  double mean[3];
  for (int i = 0; i < 3; i++) {
    mean[i] = r * (t[1] * frame.e[i] + t[2] * frame.f[i]);
    m->one[i] += r * (body->middle[i] * t[0] + mean[i]);
  }
  if (order < 2) return;
  for (int c = 0; c < 6; c++) {
    int p = PAIR[c][0], q = PAIR[c][1];
    double own = r * r *
                 (t[3] * frame.e[p] * frame.e[q] + t[5] * frame.f[p] * frame.f[q] +
                  t[4] * (frame.e[p] * frame.f[q] + frame.f[p] * frame.e[q]));
    m->two[c] += r * (body->middle[p] * body->middle[q] * t[0] + body->middle[p] * mean[q] +
                      mean[p] * body->middle[q] + own);
  }
}

// Archimedes: the area of a sphere is spread evenly over the distance
static void add_sphere(const carom_body *body, const carom_sight *sight, double nu, int order,
                       carom_moments *m) {
  double slope = sqrt(carom_v3_dot(sight->slope, sight->slope)), r = body->radius;
  double d[2] = {sight->least, sight->least + 2.0 * r * slope};
  double zero = 0.0, one[2] = {0.0, 0.0}, two[3] = {0.0, 0.0, 0.0}, axis[3], mean[3];
  carom_edge_weights(nu, order, d, &zero, one, two);
  double size = 4.0 * 3.14159265358979323846 * r * r;
  m->zero += size * zero;
  if (order < 1) return;
  for (int i = 0; i < 3; i++) {
    axis[i] = -sight->slope[i] / slope;
    mean[i] = r * (one[0] - one[1]) * axis[i];
    m->one[i] += size * (body->middle[i] * zero + mean[i]);
  }
  if (order < 2) return;
  double along = two[0] - 2.0 * two[2] + two[1], across = 2.0 * two[2];
  for (int c = 0; c < 6; c++) {
    int p = PAIR[c][0], q = PAIR[c][1];
    double own = r * r * ((along - across) * axis[p] * axis[q] + (p == q ? across : 0.0));
    m->two[c] += size * (body->middle[p] * body->middle[q] * zero + body->middle[p] * mean[q] +
                         mean[p] * body->middle[q] + own);
  }
}

// ---- how even the growth of area is: t of carom_smooth_within for |F* m|^2

// least and greatest eigenvalue of C^T C
static void growth_bounds(const double C[9], double *least, double *most) {
  double g[6] = {0.0}, off = 0.0;
  for (int c = 0; c < 6; c++)
    for (int i = 0; i < 3; i++)
      g[c] += C[3 * i + PAIR[c][0]] * C[3 * i + PAIR[c][1]];
  double mean = (g[0] + g[1] + g[2]) / 3.0;
  for (int c = 0; c < 6; c++) {
    g[c] -= c < 3 ? mean : 0.0;
    off += (c < 3 ? 1.0 : 2.0) * g[c] * g[c];
  }
  // eigenvalues of a symmetric matrix by angles (Smith 1961)
  double p = sqrt(off / 6.0), cube = p * p * p;
  *least = *most = mean;
  if (!(p > 1e-15 * mean)) return;
  double det = g[0] * (g[1] * g[2] - g[5] * g[5]) - g[3] * (g[3] * g[2] - g[5] * g[4]) +
               g[4] * (g[3] * g[5] - g[1] * g[4]);
  double angle = carom_acos(fmax(-1.0, fmin(1.0, 0.5 * det / cube))) / 3.0;
  *most += 2.0 * p * carom_cos(angle);
  *least += 2.0 * p * carom_cos(angle + 2.09439510239319549231);
}

double carom_body_growth(const double cofactor[9]) {
  double least, most;
  growth_bounds(cofactor, &least, &most);
  return least > 0.0 ? sqrt(most / least) : HUGE_VAL;
}

static double stretch_ratio(const carom_sight *sight) {
  double least, most;
  if (!sight->cofactor) return HUGE_VAL;
  growth_bounds(sight->cofactor, &least, &most);
  if (!(most > least)) return HUGE_VAL;
  // flatter bodies lose digits: what they need has an end
  return fmax(sqrt(fmax(least, 0.0) / (most - least)), 1.0 / CAROM_GROWTH_MOST);
}

// Round surfaces are visited as lines between two places with their distances, `size` the area
// (with its factor) that a line stands for. A sphere gives lines of no length.
typedef void (*line_visitor)(void *ctx, const double a[3], const double b[3], const double d[2],
                             double size);

// ---- cylinders: lines along the axis for the side, chords parallel to the plane for the ends

static void visit_side(const carom_body *body, const carom_sight *sight, const round_frame *frame,
                       line_visitor visit, void *ctx) {
  double node[CAROM_GRADED_MAX], weight[CAROM_GRADED_MAX], r = body->radius, l = body->length;
  int count = carom_graded_angles(sqrt(sight->least / (sight->least + 2.0 * frame->reach)),
                                  carom_smooth_within(stretch_ratio(sight), 1.0), node, weight);
  double tilt = 0.5 * l * sight->slope[2];
  for (int i = 0; i < 2 * count; i++) {
    double phi = i < count ? node[i] : -node[i - count], s, c, a[3], b[3], m[3];
    carom_sincos(phi, &s, &c);
    double half = carom_sin(0.5 * phi);
    double near = sight->least + 2.0 * frame->reach * half * half, far = near + 2.0 * fabs(tilt);
    for (int k = 0; k < 3; k++) {
      m[k] = c * frame->e[k] + s * frame->f[k];
      a[k] = b[k] = body->middle[k] + r * m[k];
    }
    a[2] -= 0.5 * l, b[2] += 0.5 * l;
    double d[2] = {tilt > 0.0 ? near : far, tilt > 0.0 ? far : near};
    visit(ctx, a, b, d, r * l * weight[i % count] * stretch_of_area(sight, m));
  }
}

static void visit_end(const carom_body *body, const carom_sight *sight, const round_frame *frame,
                      double side, line_visitor visit, void *ctx) {
  double node[CAROM_GRADED_MAX], weight[CAROM_GRADED_MAX], r = body->radius;
  double tilt = 0.5 * body->length * sight->slope[2], normal[3] = {0.0, 0.0, 1.0};
  double least = sight->least + (fabs(tilt) + side * tilt), factor = stretch_of_area(sight, normal);
  int count =
      carom_graded_angles(sqrt(least / (least + 2.0 * frame->reach)), HUGE_VAL, node, weight);
  for (int i = 0; i < count; i++) {
    double s, c, a[3], b[3], half = carom_sin(0.5 * node[i]);
    carom_sincos(node[i], &s, &c);
    for (int k = 0; k < 3; k++) {
      double on_axis = body->middle[k] + r * c * frame->e[k];
      a[k] = on_axis - r * s * frame->f[k];
      b[k] = on_axis + r * s * frame->f[k];
    }
    a[2] += side * 0.5 * body->length;
    b[2] += side * 0.5 * body->length;
    double d = least + 2.0 * frame->reach * half * half, both[2] = {d, d};
    visit(ctx, a, b, both, factor * 2.0 * r * s * r * s * weight[i]);
  }
}

static void visit_cylinder(const carom_body *body, const carom_sight *sight, uint64_t faces,
                           line_visitor visit, void *ctx) {
  round_frame frame = frame_of(body, sight);
  if (faces & 1u) visit_side(body, sight, &frame, visit, ctx);
  if (faces & 2u) visit_end(body, sight, &frame, -1.0, visit, ctx);
  if (faces & 4u) visit_end(body, sight, &frame, 1.0, visit, ctx);
}

// ---- soft spheres: points, in rings around the axis to the plane

enum { FEWEST_AROUND = 6, MOST_AROUND = 768 };

// enough points on a ring of radius s for 12 digits and second moments
static double points_around(double even, double s) {
  return fmin(4.0 + 28.0 / carom_smooth_within(even, s), MOST_AROUND);
}

// Rings around the axis to the plane with equispaced points, on smaller rings half as many as often
// as they still do.
static void visit_sphere(const carom_body *body, const carom_sight *sight, line_visitor visit,
                         void *ctx) {
  double even = stretch_ratio(sight), needed = points_around(even, 1.0);
  int around = FEWEST_AROUND;
  while (around < needed)
    around *= 2;
  double cosine[MOST_AROUND], sine[MOST_AROUND];
  for (int j = 0; j < around; j++)
    carom_sincos(6.28318530717958647693 * j / around, &sine[j], &cosine[j]);
  double node[CAROM_GRADED_MAX], weight[CAROM_GRADED_MAX], r = body->radius;
  double slope = sqrt(carom_v3_dot(sight->slope, sight->slope)), e[3], f[3], g[3];
  int count = carom_graded_angles(sqrt(sight->least / (sight->least + 2.0 * r * slope)),
                                  carom_smooth_within(even, 1.0), node, weight);
  int thin = fabs(sight->slope[0]) < 0.6 * slope ? 0 : 1; // an axis that e is not near
  for (int k = 0; k < 3; k++) {
    e[k] = -sight->slope[k] / slope;
    f[k] = (k == thin ? 1.0 : 0.0) - e[k] * -sight->slope[thin] / slope;
  }
  double length = sqrt(carom_v3_dot(f, f));
  for (int k = 0; k < 3; k++)
    f[k] /= length;
  g[0] = e[1] * f[2] - e[2] * f[1], g[1] = e[2] * f[0] - e[0] * f[2],
  g[2] = e[0] * f[1] - e[1] * f[0];
  for (int i = 0; i < count; i++) {
    double s, c, half = carom_sin(0.5 * node[i]);
    carom_sincos(node[i], &s, &c);
    double d = sight->least + 2.0 * r * slope * half * half, both[2] = {d, d};
    int taken = around;
    needed = fmax(points_around(even, s), FEWEST_AROUND);
    while (taken >= 2.0 * needed)
      taken /= 2;
    double size = r * r * s * weight[i] * 6.28318530717958647693 / taken;
    for (int j = 0; j < around; j += around / taken) {
      double m[3], x[3];
      for (int k = 0; k < 3; k++) {
        m[k] = c * e[k] + s * (cosine[j] * f[k] + sine[j] * g[k]);
        x[k] = body->middle[k] + r * m[k];
      }
      visit(ctx, x, x, both, size * stretch_of_area(sight, m));
    }
  }
}

typedef struct line_sum {
  double nu;
  int order;
  carom_moments *moments;
} line_sum;

static void add_line(void *ctx, const double a[3], const double b[3], const double d[2],
                     double size) {
  line_sum *it = ctx;
  add_edge(it->nu, it->order, a, b, d, size, it->moments);
}

static void add_place(void *ctx, const double a[3], const double b[3], const double d[2],
                      double size) {
  line_sum *it = ctx;
  carom_moments *m = it->moments;
  double term = size * carom_any_power(d[0], it->nu);
  (void)b;
  m->zero += term;
  for (int k = 0; it->order >= 1 && k < 3; k++)
    m->one[k] += term * a[k];
  for (int k = 0; it->order >= 2 && k < 6; k++)
    m->two[k] += term * a[PAIR[k][0]] * a[PAIR[k][1]];
}

void carom_body_moments(const carom_body *body, const carom_sight *sight, double nu, int order,
                        uint64_t faces, carom_moments *moments) {
  line_sum sum = {nu, order, moments};
  switch (body->shape) {
  case CAROM_BODY_DISC:
    if (faces & 1u) add_disc(body, sight, nu, order, moments);
    return;
  case CAROM_BODY_SPHERE:
    if (!(faces & 1u)) return;
    if (sight->cofactor)
      visit_sphere(body, sight, add_place, &sum);
    else
      add_sphere(body, sight, nu, order, moments);
    return;
  case CAROM_BODY_CYLINDER: visit_cylinder(body, sight, faces, add_line, &sum); return;
  case CAROM_BODY_POLYGON:
  case CAROM_BODY_POLYHEDRON:
    for (int p = 0; p < body->piece_count; p++)
      if (faces >> (body->piece[p].face & 63) & 1u)
        add_piece(body, sight, &body->piece[p], nu, order, moments);
  }
}

// ---- directions

static void add_direction(const double m[3], double weight, double directions[6]) {
  for (int c = 0; c < 6; c++)
    directions[c] += weight * m[PAIR[c][0]] * m[PAIR[c][1]];
}

// a line of the side of a cylinder: its direction is that from the axis
typedef struct direction_sum {
  const carom_body *body;
  const carom_sight *sight;
  double nu;
  double *directions;
} direction_sum;

static void add_line_direction(void *ctx, const double a[3], const double b[3], const double d[2],
                               double size) {
  direction_sum *it = ctx;
  double zero = 0.0, m[3] = {(a[0] - it->body->middle[0]) / it->body->radius,
                             (a[1] - it->body->middle[1]) / it->body->radius, 0.0};
  (void)b;
  carom_edge_weights(it->nu, 0, d, &zero, NULL, NULL);
  // `size` has the stretch as a factor; wanted is one over it
  double k = stretch_of_area(it->sight, m);
  add_direction(m, size * zero / (k * k), it->directions);
}

static void add_place_direction(void *ctx, const double a[3], const double b[3], const double d[2],
                                double size) {
  direction_sum *it = ctx;
  double m[3], k;
  (void)b;
  for (int i = 0; i < 3; i++)
    m[i] = (a[i] - it->body->middle[i]) / it->body->radius;
  k = stretch_of_area(it->sight, m);
  add_direction(m, size * carom_any_power(d[0], it->nu) / (k * k), it->directions);
}

static void add_end_direction(void *ctx, const double a[3], const double b[3], const double d[2],
                              double size) {
  direction_sum *it = ctx;
  double zero = 0.0, m[3] = {0.0, 0.0, 1.0};
  (void)a;
  (void)b;
  carom_edge_weights(it->nu, 0, d, &zero, NULL, NULL);
  double k = stretch_of_area(it->sight, m);
  add_direction(m, size * zero / (k * k), it->directions);
}

static void disc_directions(const carom_body *body, const carom_sight *sight, double nu,
                            double directions[6]) {
  round_frame frame = frame_of(body, sight);
  double k[3], t[6];
  rim_stretch(sight, &frame, k);
  carom_circle_moments(nu, 2, sight->least, frame.reach, k, true, t);
  for (int c = 0; c < 6; c++) {
    int p = PAIR[c][0], q = PAIR[c][1];
    directions[c] +=
        body->radius * (t[3] * frame.e[p] * frame.e[q] + t[5] * frame.f[p] * frame.f[q] +
                        t[4] * (frame.e[p] * frame.f[q] + frame.f[p] * frame.e[q]));
  }
}

static void piece_direction(const carom_body *body, const carom_sight *sight,
                            const carom_piece *piece, double nu, double directions[6]) {
  double zero = 0.0, d[3], k = stretch_of_area(sight, piece->normal);
  for (int i = 0; i < 3; i++)
    d[i] = sight->distance[piece->corner[i]];
  if (body->dimension == 2)
    carom_edge_weights(nu, 0, d, &zero, NULL, NULL);
  else
    carom_triangle_weights(nu, 0, d, &zero, NULL, NULL);
  add_direction(piece->normal, piece->size * zero / k, directions);
}

void carom_body_directions(const carom_body *body, const carom_sight *sight, double nu,
                           uint64_t faces, double directions[6]) {
  direction_sum sum = {body, sight, nu, directions};
  if (body->shape == CAROM_BODY_DISC) {
    if (faces & 1u) disc_directions(body, sight, nu, directions);
  } else if (body->shape == CAROM_BODY_SPHERE) {
    if (faces & 1u) visit_sphere(body, sight, add_place_direction, &sum);
  } else if (body->shape == CAROM_BODY_CYLINDER) {
    visit_cylinder(body, sight, faces & 1u, add_line_direction, &sum);
    visit_cylinder(body, sight, faces & 6u, add_end_direction, &sum);
  } else {
    for (int p = 0; p < body->piece_count; p++)
      if (faces >> (body->piece[p].face & 63) & 1u)
        piece_direction(body, sight, &body->piece[p], nu, directions);
  }
}
