// SPDX-License-Identifier: MIT
// Integrals over a whole surface of functions that are no powers of the distance, in two variables
// one inside the other. Where the integrand says that it has a kink, parts begin and end there.
// Over every part three rules are compared, and where they differ the part is cut in two, so that
// other kinks are closed in on too. One of the rules knows the ends and the middle of the part,
// where the two of Gauss are blind, and three do not agree by chance. Flat faces: the logarithm of
// the distance inside, the place along a side at constant distance outside. Round surfaces: the
// angle from the nearest place outside; lines, chords and rings inside.
#include "field/body.h"

#include "base/elementary.h"
#include "base/vector.h"

#include <math.h>
#include <string.h>

enum { MOST = CAROM_INTEGRAND_MOST, MOST_KINKS = 8, DEEPEST = 44, MOST_POINTS = 5000000 };
static const double NOTHING = 1e-280; // less has no digits
static const double GRADED = 0.5; // logarithms of the distance beyond which they are the variable
// how well a rule must agree with one of more points, in the inner and in the outer variable; and
// the longest part, in logarithms of the distance, that nothing may hide in
static const double AGREED = 1e-12, AGREED_OUTER = 1e-11, LONGEST = 1.2;

typedef struct integral {
  const carom_integrand *of;
  double size[MOST]; // sums of absolute values so far
  long left;         // points that may still be spent on cutting
} integral;

static double stretch_of_area(const carom_sight *sight, const double m[3]) {
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
  double values[MOST + CAROM_INTEGRAND_KINKS];
  it->of->value(it->of->ctx, x, d, values);
  it->left--;
  for (int c = 0; c < it->of->count; c++)
    sums[c] += weight * values[c];
}

static void add_all(const integral *it, const double *from, double *to) {
  for (int c = 0; c < it->of->count; c++)
    to[c] += from[c];
}

// Do two results agree, in parts of the largest of their group? What nobody asked for is not looked
// at. Values that are not finite are as good as they will be.
static bool results_agree(const integral *it, const double *a, const double *b, double within) {
  for (int g = 0, c = 0; g < it->of->group_count; g++) {
    double worst = 0.0, size = 0.0;
    for (; c < it->of->group_end[g]; c++) {
      worst = fmax(worst, fabs(a[c] - b[c]));
      size = fmax(size, fmax(fabs(a[c]), it->size[c]));
    }
    if (worst > within * size && worst > NOTHING) return false;
  }
  return true;
}

/// A variable s that a surface is integrated over: the places along it, and the sum over a part of
/// it by a rule.
typedef struct course {
  const void *of;
  void (*place)(const void *of, double s, double x[3], double *d);
  void (*sum)(integral *it, const void *of, double s0, double s1, carom_gauss rule, double *sums);
  double within; // how well rules must agree
  int whole;     // parts cut less often than this count as whole
} course;

// the rule that counts comes last; `whole` parts take fewer points
enum { RULES = 3 };
static carom_gauss rule_of(int k, bool whole) {
  if (k == 0) return carom_gauss_rule(whole ? 6 : 10);
  return k == 1 ? carom_lobatto_rule(whole ? 9 : 13) : carom_gauss_rule(whole ? 10 : 16);
}

static bool all_agree(const integral *it, double sums[RULES][MOST], double within) {
  return results_agree(it, sums[2], sums[0], within) && results_agree(it, sums[2], sums[1], within);
}

static void note_size(integral *it, const double *sums) {
  for (int c = 0; c < it->of->count; c++)
    it->size[c] = fmax(it->size[c], fabs(sums[c]));
}

// in two until the rules agree
static void cut_until_agreed(integral *it, const course *along, double s0, double s1, int depth,
                             double *sums) {
  double by[RULES][MOST] = {{0.0}}, middle = 0.5 * (s0 + s1);
  for (int k = 0; k < RULES; k++)
    along->sum(it, along->of, s0, s1, rule_of(k, depth < along->whole), by[k]);
  if (depth < DEEPEST && it->left > 0 && !all_agree(it, by, along->within)) {
    cut_until_agreed(it, along, s0, middle, depth + 1, sums);
    cut_until_agreed(it, along, middle, s1, depth + 1, sums);
    return;
  }
  add_all(it, by[2], sums);
  note_size(it, sums);
}

// ---- kinks: zeros of the functions that come behind the values

static void kinks_at(integral *it, const course *along, double s, double *kinks) {
  double x[3], d, values[MOST + CAROM_INTEGRAND_KINKS];
  along->place(along->of, s, x, &d);
  it->of->value(it->of->ctx, x, d, values);
  memcpy(kinks, values + it->of->count, (size_t)it->of->kinks * sizeof *kinks);
}

// The zero of function k between a and b, of different signs there (false position, Illinois), as
// the last place before it and the first behind: a jump belongs to neither part.
static void zero_between(integral *it, const course *along, int k, double a, double fa, double b,
                         double fb, double cut[2]) {
  double kinks[CAROM_INTEGRAND_KINKS];
  for (int round = 0; round < 60 && fabs(b - a) > 2e-15; round++) {
    double s = round % 4 == 3 ? 0.5 * (a + b) : b - fb * (b - a) / (fb - fa);
    kinks_at(it, along, s, kinks);
    double f = kinks[k];
    if (f == 0.0) {
      a = s - 1e-15, b = s + 1e-15;
      break;
    }
    if ((f > 0.0) != (fb > 0.0))
      a = b, fa = fb;
    else
      fa *= 0.5;
    b = s, fb = f;
  }
  cut[0] = fmin(a, b);
  cut[1] = fmax(a, b);
}

// a kink inside (s0, s1), seen by a change of sign
static bool find_kink(integral *it, const course *along, double s0, double s1, double cut[2]) {
  enum { LOOKS = 8 };
  double before[CAROM_INTEGRAND_KINKS], now[CAROM_INTEGRAND_KINKS], length = s1 - s0;
  if (it->of->kinks == 0) return false;
  kinks_at(it, along, s0, before);
  for (int j = 1; j <= LOOKS; j++) {
    double a = s0 + length * (j - 1) / LOOKS, b = s0 + length * j / LOOKS;
    kinks_at(it, along, b, now);
    for (int k = 0; k < it->of->kinks; k++) {
      if (!(before[k] * now[k] < 0.0)) continue;
      zero_between(it, along, k, a, before[k], b, now[k], cut);
      // parts that begin or end at a kink have it there by rounding
      if (cut[0] - s0 > 1e-10 * length && s1 - cut[1] > 1e-10 * length) return true;
    }
    memcpy(before, now, sizeof before);
  }
  return false;
}

// from kink to kink
static void add_part(integral *it, const course *along, double s0, double s1, int kinks,
                     double *sums) {
  double ends[2];
  if (kinks < MOST_KINKS && find_kink(it, along, s0, s1, ends)) {
    add_part(it, along, s0, ends[0], kinks + 1, sums);
    add_part(it, along, ends[1], s1, kinks + 1, sums);
  } else {
    cut_until_agreed(it, along, s0, s1, 0, sums);
  }
}

// two points of Gauss, exact for polynomials of degree 3
static carom_gauss short_rule(void) {
  static const double node[] = {0.2113248654051871177454, 0.7886751345948128822546};
  static const double weight[] = {0.5, 0.5};
  return (carom_gauss){2, node, weight};
}

/// The mixtures (1 - b) a + b c of two places by b in [0, 1], from the distance p to q; `taper`
/// multiplies by b.
typedef struct mixtures {
  const double *a, *c;
  double p, q, length, size;
  bool taper;
} mixtures;

// over the part from s0 to s1 of the logarithm of the distance, or of b where p and q are alike
static void place_in_part(const void *of, double s, double x[3], double *d) {
  const mixtures *m = of;
  double b = s;
  *d = m->p + b * (m->q - m->p);
  if (fabs(m->length) > GRADED) {
    *d = m->p * carom_exp(s * m->length);
    b = (*d - m->p) / (m->q - m->p);
  }
  for (int k = 0; k < 3; k++)
    x[k] = m->a[k] + b * (m->c[k] - m->a[k]);
}

static void sum_part(integral *it, const void *of, double s0, double s1, carom_gauss rule,
                     double *sums) {
  const mixtures *m = of;
  bool graded = fabs(m->length) > GRADED;
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

static course along_mixtures(const mixtures *m) {
  return (course){m, place_in_part, sum_part, AGREED, 1};
}

static void add_mixtures(integral *it, const double a[3], const double c[3], double p, double q,
                         double size, bool taper, double *sums) {
  mixtures m = {a, c, p, q, carom_log(q / p), size, taper};
  course along = along_mixtures(&m);
  int parts = (int)(fabs(m.length) / LONGEST) + 1;
  // the nearest part first: it tells how large the whole is
  for (int j = 0; j < parts; j++) {
    int k = p < q ? j : parts - 1 - j;
    add_part(it, &along, (double)k / parts, (double)(k + 1) / parts, 0, sums);
  }
}

/// From an apex to a side at constant distance.
typedef struct wedge {
  const double *apex, *left, *right;
  double p, q, area;
} wedge;

static void sum_wedge(integral *it, const void *of, double u0, double u1, carom_gauss rule,
                      double *sums) {
  const wedge *w = of;
  for (int i = 0; i < rule.count; i++) {
    double side[3], u = u0 + rule.node[i] * (u1 - u0);
    for (int k = 0; k < 3; k++)
      side[k] = w->left[k] + u * (w->right[k] - w->left[k]);
    add_mixtures(it, w->apex, side, w->p, w->q, 2.0 * w->area * rule.weight[i] * (u1 - u0), true,
                 sums);
  }
}

// a kink inside the wedge becomes one of u where it leaves through the side
static void place_on_side(const void *of, double u, double x[3], double *d) {
  const wedge *w = of;
  *d = w->q;
  for (int k = 0; k < 3; k++)
    x[k] = w->left[k] + u * (w->right[k] - w->left[k]);
}

static void add_wedge(integral *it, const wedge *w, double *sums) {
  const course across = {w, place_on_side, sum_wedge, AGREED_OUTER, DEEPEST + 1};
  if (it->of->quadratic)
    sum_wedge(it, w, 0.0, 1.0, short_rule(), sums);
  else
    add_part(it, &across, 0.0, 1.0, 0, sums);
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
  double area = piece->size * stretch_of_area(sight, piece->normal);
  for (int k = 0; k < 3; k++)
    cut[k] = low[k] + part * (high[k] - low[k]);
  wedge below = {low, middle, cut, d[0], d[1], part * area};
  wedge above = {high, middle, cut, d[2], d[1], (1.0 - part) * area};
  if (part > 0.0) add_wedge(it, &below, sums);
  if (part < 1.0) add_wedge(it, &above, sums);
}

static void add_edge(integral *it, const carom_body *body, const carom_sight *sight,
                     const carom_piece *piece, double *sums) {
  const int *c = piece->corner;
  add_mixtures(it, body->vertex[c[0]], body->vertex[c[1]], sight->distance[c[0]],
               sight->distance[c[1]], piece->size * stretch_of_area(sight, piece->normal), false,
               sums);
}

// ---- round surfaces: the angle phi from the nearest place outside

typedef enum round_kind { RIM, RINGS, SIDE, LOWER_END, UPPER_END } round_kind;

/// A round surface: e points to the plane, f and g across.
typedef struct round_part {
  const carom_body *body;
  const carom_sight *sight;
  round_kind kind;
  double e[3], f[3], g[3];
  double reach; // how much nearer the nearest place is than the middle
  double least;
} round_part;

static round_part round_of(const carom_body *body, const carom_sight *sight, round_kind kind) {
  round_part it = {.body = body, .sight = sight, .kind = kind, .least = sight->least};
  double down[3] = {-sight->slope[0], -sight->slope[1], kind == RINGS ? -sight->slope[2] : 0.0};
  double length = sqrt(carom_v3_dot(down, down));
  it.reach = body->radius * length;
  if (!(length > 0.0)) down[0] = length = 1.0;
  for (int k = 0; k < 3; k++)
    it.e[k] = down[k] / length;
  // across: in the plane of the circle, or away from an axis that e is not near
  int axis = fabs(it.e[0]) < 0.6 ? 0 : 1;
  for (int k = 0; k < 3; k++)
    it.f[k] = (k == axis ? 1.0 : 0.0) - it.e[axis] * it.e[k];
  length = sqrt(carom_v3_dot(it.f, it.f));
  for (int k = 0; k < 3; k++)
    it.f[k] /= length;
  if (kind != RINGS) it.f[0] = -it.e[1], it.f[1] = it.e[0], it.f[2] = 0.0;
  it.g[0] = it.e[1] * it.f[2] - it.e[2] * it.f[1];
  it.g[1] = it.e[2] * it.f[0] - it.e[0] * it.f[2];
  it.g[2] = it.e[0] * it.f[1] - it.e[1] * it.f[0];
  double tilt = 0.5 * body->length * sight->slope[2];
  if (kind == LOWER_END) it.least += fabs(tilt) - tilt;
  if (kind == UPPER_END) it.least += fabs(tilt) + tilt;
  return it;
}

static double distance_of(const round_part *r, double phi) {
  double half = carom_sin(0.5 * phi);
  return r->least + 2.0 * r->reach * half * half;
}

/// The places at an angle phi: m = cos e + sin (cos psi f + sin psi g), x = middle + r m.
typedef struct ring {
  const round_part *of;
  double cosine, sine, d;
  double weight;
} ring;

static void direction_on(const ring *r, double psi, double m[3]) {
  double s, c;
  carom_sincos(psi, &s, &c);
  for (int k = 0; k < 3; k++)
    m[k] = r->cosine * r->of->e[k] + r->sine * (c * r->of->f[k] + s * r->of->g[k]);
}

static void place_on_ring(const void *of, double psi, double x[3], double *d) {
  const ring *r = of;
  double m[3];
  direction_on(r, psi, m);
  *d = r->d;
  for (int k = 0; k < 3; k++)
    x[k] = r->of->body->middle[k] + r->of->body->radius * m[k];
}

static void add_on_ring(integral *it, const ring *r, double psi, double part, double *sums) {
  double m[3], x[3], d;
  direction_on(r, psi, m);
  place_on_ring(r, psi, x, &d);
  add_point(it, x, d, part * r->weight * stretch_of_area(r->of->sight, m), sums);
}

static void sum_ring(integral *it, const void *of, double psi0, double psi1, carom_gauss rule,
                     double *sums) {
  for (int i = 0; i < rule.count; i++)
    add_on_ring(it, of, psi0 + rule.node[i] * (psi1 - psi0), rule.weight[i] * (psi1 - psi0), sums);
}

// what is smooth around a ring takes a few equispaced points
static void add_ring(integral *it, const ring *r, double *sums) {
  const double turn = 6.28318530717958647693;
  double even[MOST] = {0.0}, all[MOST] = {0.0};
  bool few = it->of->quadratic && !r->of->sight->cofactor;
  int around = few ? 6 : 24;
  for (int j = 0; j < around; j++)
    add_on_ring(it, r, turn * j / around, turn / around * (j % 2 ? 1.0 : 2.0), j % 2 ? all : even);
  for (int c = 0; c < it->of->count; c++)
    all[c] += 0.5 * even[c];
  if (few || results_agree(it, all, even, AGREED)) {
    add_all(it, all, sums);
    note_size(it, sums);
    return;
  }
  const course around_it = {r, place_on_ring, sum_ring, AGREED, 0};
  for (int k = 0; k < 4; k++)
    add_part(it, &around_it, 0.25 * turn * k, 0.25 * turn * (k + 1), 0, sums);
}

// the lines of the side at +phi and -phi, from end to end
static void add_side(integral *it, const round_part *r, const double polar[2], double near,
                     double weight, double *sums) {
  double tilt = r->body->length * r->sight->slope[2], l = r->body->length;
  double d[2] = {tilt > 0.0 ? near : near - tilt, tilt > 0.0 ? near + tilt : near};
  for (int sign = -1; sign <= 1; sign += 2) {
    double m[3], a[3], b[3];
    for (int k = 0; k < 3; k++) {
      m[k] = polar[0] * r->e[k] + sign * polar[1] * r->f[k];
      a[k] = b[k] = r->body->middle[k] + r->body->radius * m[k];
    }
    a[2] -= 0.5 * l, b[2] += 0.5 * l;
    add_mixtures(it, a, b, d[0], d[1], r->body->radius * l * weight * stretch_of_area(r->sight, m),
                 false, sums);
  }
}

// the chord of an end, from -phi to +phi, at one distance
static void add_chord(integral *it, const round_part *r, const double polar[2], double d,
                      double weight, double *sums) {
  double a[3], b[3], normal[3] = {0.0, 0.0, 1.0}, radius = r->body->radius;
  double up = (r->kind == UPPER_END ? 0.5 : -0.5) * r->body->length;
  for (int k = 0; k < 3; k++) {
    double middle = r->body->middle[k] + radius * polar[0] * r->e[k];
    a[k] = middle - radius * polar[1] * r->f[k];
    b[k] = middle + radius * polar[1] * r->f[k];
  }
  a[2] += up, b[2] += up;
  double size =
      2.0 * radius * radius * polar[1] * polar[1] * weight * stretch_of_area(r->sight, normal);
  mixtures chord = {a, b, d, d, 0.0, size, false};
  course along = along_mixtures(&chord);
  if (it->of->quadratic)
    sum_part(it, &chord, 0.0, 1.0, short_rule(), sums);
  else
    add_part(it, &along, 0.0, 1.0, 0, sums);
}

static ring ring_at(const round_part *r, double phi) {
  ring it = {.of = r, .d = distance_of(r, phi), .weight = r->body->radius};
  carom_sincos(phi, &it.sine, &it.cosine);
  if (r->kind == RINGS) it.weight *= r->body->radius * it.sine;
  return it;
}

static void add_at(integral *it, const round_part *r, double phi, double weight, double *sums) {
  ring at = ring_at(r, phi);
  const double polar[2] = {at.cosine, at.sine};
  at.weight *= weight;
  switch (r->kind) {
  case RIM:
    add_on_ring(it, &at, 0.0, 1.0, sums);
    add_on_ring(it, &at, 3.14159265358979323846, 1.0, sums);
    return;
  case RINGS: add_ring(it, &at, sums); return;
  case SIDE: add_side(it, r, polar, at.d, weight, sums); return;
  case LOWER_END:
  case UPPER_END: add_chord(it, r, polar, at.d, weight, sums);
  }
}

static void sum_angles(integral *it, const void *of, double phi0, double phi1, carom_gauss rule,
                       double *sums) {
  for (int i = 0; i < rule.count; i++)
    add_at(it, of, phi0 + rule.node[i] * (phi1 - phi0), rule.weight[i] * (phi1 - phi0), sums);
}

// where phi passes a kink, on both sides of a rim: at least those of the distance are found
static void place_at_angle(const void *of, double phi, double x[3], double *d) {
  ring at = ring_at(of, fabs(phi));
  place_on_ring(&at, phi < 0.0 ? 3.14159265358979323846 : 0.0, x, d);
}

static void add_angles(integral *it, const round_part *r, double phi0, double phi1, int kinks,
                       double *sums) {
  const course along = {r, place_at_angle, sum_angles, AGREED_OUTER, 0};
  double ends[2];
  bool found = kinks < MOST_KINKS && r->kind != SIDE &&
               (find_kink(it, &along, phi0, phi1, ends) ||
                (r->kind == RIM && find_kink(it, &along, -phi1, -phi0, ends)));
  if (!found) {
    cut_until_agreed(it, &along, phi0, phi1, 0, sums);
    return;
  }
  add_angles(it, r, phi0, fmin(fabs(ends[0]), fabs(ends[1])), kinks + 1, sums);
  add_angles(it, r, fmax(fabs(ends[0]), fabs(ends[1])), phi1, kinks + 1, sums);
}

static void add_round(integral *it, const carom_body *body, const carom_sight *sight,
                      round_kind kind, double *sums) {
  round_part r = round_of(body, sight, kind);
  double edge[CAROM_GRADED_PANELS + 1];
  int panels = carom_graded_panels(sqrt(r.least / (r.least + 2.0 * r.reach)), HUGE_VAL, edge);
  for (int k = 0; k < panels; k++)
    add_angles(it, &r, edge[k], edge[k + 1], 0, sums);
}

static void add_round_body(integral *it, const carom_body *body, const carom_sight *sight,
                           uint64_t faces, double *sums) {
  bool cylinder = body->shape == CAROM_BODY_CYLINDER;
  round_kind first = body->shape == CAROM_BODY_DISC ? RIM : cylinder ? SIDE : RINGS;
  if (faces & 1u) add_round(it, body, sight, first, sums);
  if (cylinder && (faces & 2u)) add_round(it, body, sight, LOWER_END, sums);
  if (cylinder && (faces & 4u)) add_round(it, body, sight, UPPER_END, sums);
}

static double least_of(const carom_body *body, const carom_sight *sight, int p) {
  const int *corner = body->piece[p].corner;
  double least = fmin(sight->distance[corner[0]], sight->distance[corner[1]]);
  return body->dimension == 2 ? least : fmin(least, sight->distance[corner[2]]);
}

static void sort_pieces(const carom_body *body, const carom_sight *sight, int *order) {
  double least[CAROM_BODY_MAX_PIECES];
  for (int p = 0; p < body->piece_count; p++) {
    double d = least_of(body, sight, p);
    int at = p;
    for (; at > 0 && least[at - 1] > d; at--)
      least[at] = least[at - 1], order[at] = order[at - 1];
    least[at] = d, order[at] = p;
  }
}

void carom_body_integrate(const carom_body *body, const carom_sight *sight, uint64_t faces,
                          const carom_integrand *integrand, double *sums) {
  integral it = {.of = integrand, .left = MOST_POINTS};
  double own[MOST] = {0.0};
  if (body->piece_count == 0) add_round_body(&it, body, sight, faces, own);
  // the nearest first: what is far away need not be exact for its own sake
  int order[CAROM_BODY_MAX_PIECES];
  sort_pieces(body, sight, order);
  for (int p = 0; p < body->piece_count; p++) {
    const carom_piece *piece = &body->piece[order[p]];
    if (!(faces >> (piece->face & 63) & 1u)) continue;
    if (body->dimension == 2)
      add_edge(&it, body, sight, piece, own);
    else
      add_triangle(&it, body, sight, piece, own);
  }
  add_all(&it, own, sums);
}
