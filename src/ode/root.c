// SPDX-License-Identifier: MIT
#include "ode/root.h"
#include "base/elementary.h"

#include "ode/nearness.h"
#include "ode/root_hunt.h"
#include "ode/stepper.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

static const double NARROW = 0x1p-40; // where a missing value is pinned down well enough
static const double FLAT_WIDTH =
    0x1p-6; // of the step: |g| within the tolerance for so long is flat
static const double TINY_TOLERANCE = 1e-290;

typedef struct point {
  double theta, g, slope, curvature;
} point;

typedef enum verdict { CLEAR, FOUND, SPLIT } verdict;

static point evaluate_at(const carom_root_hunt *h, double theta) {
  double g[3] = {NAN, NAN, NAN};
  h->functions->value(h->functions->ctx, h->function, theta, g);
  return (point){theta, g[0] - h->offset, g[1], g[2]};
}

static point recall_point(carom_root_hunt *h, double theta) {
  int known = h->seen_count < CAROM_ROOT_SEEN ? h->seen_count : CAROM_ROOT_SEEN;
  for (int k = 0; k < known; k++) {
    const carom_root_seen *s = &h->seen[k];
    if (s->theta == theta) return (point){theta, s->g[0] - h->offset, s->g[1], s->g[2]};
  }
  carom_root_seen *s = &h->seen[h->seen_count++ % CAROM_ROOT_SEEN];
  *s = (carom_root_seen){theta, {NAN, NAN, NAN}};
  h->functions->value(h->functions->ctx, h->function, theta, s->g);
  return (point){theta, s->g[0] - h->offset, s->g[1], s->g[2]};
}

static bool point_crossed(const carom_root_hunt *h, const point *p) {
  return h->sign * p->g <= 0.0;
}

static verdict report_root(const carom_root_hunt *h, carom_root_kind kind, double theta,
                           carom_root *root) {
  bool directed = kind == CAROM_ROOT_CROSSING || kind == CAROM_ROOT_GRAZING;
  *root = (carom_root){.kind = kind,
                       .function = h->function,
                       .direction = directed ? (carom_direction)-h->sign : CAROM_ANY,
                       .theta = theta};
  return FOUND;
}

// --- sharper enclosures ---

// Narrows the range of a function on an interval of width w by the values at its ends and the range
// of its slope: it lies above the two falling lines from the ends and below the two rising ones.
static void narrow_by_slope(carom_interval *range, double left, double right, carom_interval slope,
                            double w, double pad) {
  double spread = slope.hi - slope.lo;
  if (!(spread > 0.0) || !(spread < INFINITY)) return;
  double mean = (right - left) / w;
  if (mean < slope.lo || mean > slope.hi) return; // rounding: the ends say more than the slopes
  double low = slope.lo < 0.0 ? left + slope.lo * w * ((slope.hi - mean) / spread) : left;
  double high = slope.hi > 0.0 ? left + slope.hi * w * ((mean - slope.lo) / spread) : left;
  if (slope.lo >= 0.0) high = right;
  if (slope.hi <= 0.0) low = right;
  if (low - pad > range->lo) range->lo = low - pad;
  if (high + pad < range->hi) range->hi = high + pad;
}

// Narrows the range by the curvature: g = line through the ends + g''(x)/2 (x-a)(x-b).
static void narrow_by_curvature(carom_interval *range, double left, double right,
                                carom_interval curvature, double w, double pad) {
  double sag = carom_larger(curvature.hi, 0.0) * w * w / 8.0,
         bulge = carom_larger(-curvature.lo, 0.0) * w * w / 8.0;
  double low = carom_smaller(left, right) - sag - pad,
         high = carom_larger(left, right) + bulge + pad;
  if (low > range->lo) range->lo = low;
  if (high < range->hi) range->hi = high;
}

static double largest_modulus(carom_interval x) { return carom_larger(fabs(x.lo), fabs(x.hi)); }

void carom_root_sharpen(const double left[2], const double right[2], double w,
                        carom_interval g[3]) {
  // the values at the ends carry rounding errors of the size of what went into them
  double rounding = 64.0 * DBL_EPSILON;
  double pad0 = rounding * largest_modulus(g[0]), pad1 = rounding * largest_modulus(g[1]);
  if (pad1 < INFINITY) narrow_by_slope(&g[1], left[1], right[1], g[2], w, pad1);
  if (!(pad0 < INFINITY)) return;
  narrow_by_slope(&g[0], left[0], right[0], g[1], w, pad0);
  narrow_by_curvature(&g[0], left[0], right[0], g[2], w, pad0);
}

static void sharpen_bounds(const point *l, const point *r, carom_interval g[3]) {
  carom_root_sharpen((double[]){l->g, l->slope}, (double[]){r->g, r->slope}, r->theta - l->theta,
                     g);
}

static void enclose_function(carom_root_hunt *h, double a, double b, carom_interval g[3]) {
  h->work--;
  h->functions->bound(h->functions->ctx, h->function, a, b, g);
  g[0].lo -= h->offset;
  g[0].hi -= h->offset;
}

// --- the decisive cases ---

// beyond the crossing by less than theta can tell
static bool just_crossed(const carom_root_hunt *h, const point *p) {
  return fabs(p->g) < h->watch.resolution * fabs(p->slope);
}

// The first double where g has the new sign, between one point before and one after the crossing.
// Newton's step from the nearer end, pushed a little too far so that both ends close in.
static double locate_crossing(const carom_root_hunt *h, point lo, point hi) {
  for (int i = 0; i < 200 && !just_crossed(h, &hi); i++) {
    double middle = 0.5 * (lo.theta + hi.theta);
    if (middle <= lo.theta || middle >= hi.theta) break;
    if (hi.theta - lo.theta <= h->watch.resolution) break;
    bool from_left = fabs(lo.g) < fabs(hi.g);
    const point *base = from_left ? &lo : &hi;
    double step = -base->g / base->slope;
    // twice the error that the curvature makes of the step, where that is known to be small
    double push = fabs(step) * 0x1p-10, bend = step * step * fabs(base->curvature / base->slope);
    push = carom_larger(bend < push ? bend : push, DBL_EPSILON * 0.5 * hi.theta);
    double theta = base->theta + step + (from_left ? push : -push);
    if (!(theta > lo.theta && theta < hi.theta) || i % 8 == 7) theta = middle;
    point p = evaluate_at(h, theta);
    if (!isfinite(p.g)) break;
    if (point_crossed(h, &p))
      hi = p;
    else
      lo = p;
  }
  return hi.theta;
}

// From the point `inside`, with |g| within the tolerance and a width to start with, to the right:
// how g leaves the tolerance decides what happened since l. Never or late: it is flat; on the other
// side: it crossed; on the same: it grazed.
static verdict judge_band(const carom_root_hunt *h, const point *l, point inside, double width,
                          double end, carom_root *root) {
  double entered = inside.theta;
  while (inside.theta < end && inside.theta - entered < FLAT_WIDTH) {
    point next = evaluate_at(h, carom_smaller(end, inside.theta + width));
    if (!isfinite(next.g)) return SPLIT;
    if (fabs(next.g) > h->watch.tolerance) {
      if (point_crossed(h, &next))
        return report_root(h, CAROM_ROOT_CROSSING, locate_crossing(h, *l, next), root);
      return report_root(h, CAROM_ROOT_GRAZING, 0.5 * (entered + inside.theta), root);
    }
    inside = next;
    width *= 2.0;
  }
  return report_root(h, CAROM_ROOT_FLAT, l->theta, root);
}

// g reaches zero once between l and r. Where it does so only just, what follows decides whether it
// goes through.
static verdict report_crossing(const carom_root_hunt *h, const point *l, const point *r, double end,
                               carom_root *root) {
  const double look_ahead = 1e-9;
  if (fabs(r->g) > h->watch.tolerance || r->theta == end)
    return report_root(h, CAROM_ROOT_CROSSING, locate_crossing(h, *l, *r), root);
  return judge_band(h, l, *r, look_ahead, end, root);
}

// The extremum between two points whose slopes differ in sign, g'' having one sign: Newton on g'.
static point locate_extremum(const carom_root_hunt *h, point lo, point hi) {
  bool rising_first = lo.slope > 0.0 || hi.slope < 0.0;
  point best = fabs(lo.slope) < fabs(hi.slope) ? lo : hi;
  for (int i = 0; i < 100 && best.slope != 0.0; i++) {
    double theta = best.theta - best.slope / best.curvature;
    if (!(theta > lo.theta && theta < hi.theta) || i % 8 == 7) theta = 0.5 * (lo.theta + hi.theta);
    double moved = fabs(theta - best.theta);
    if (moved == 0.0) break;
    best = evaluate_at(h, theta);
    if ((best.slope > 0.0) == rising_first)
      lo = best;
    else
      hi = best;
    // the value is settled long before: an error d of theta changes it by g'' d^2 / 2
    if (moved < 1e-13 || hi.theta - lo.theta < 1e-13) break;
  }
  return best;
}

// g'' has one sign over [l, r]: at most one extremum, at most two roots.
static verdict judge_one_extremum(const carom_root_hunt *h, const point *l, const point *r,
                                  bool convex, double end, carom_root *root) {
  // monotone, or bulging away from zero: the ends decide
  bool towards_zero = convex == (h->sign > 0);
  if (!towards_zero || l->slope * r->slope > 0.0)
    return point_crossed(h, r) ? report_crossing(h, l, r, end, root) : CLEAR;

  // the tangents at the ends bound it from zero's side
  double w = r->theta - l->theta, tolerance = h->watch.tolerance;
  if (!point_crossed(h, r) && l->slope != r->slope) {
    double s = (r->g - l->g - r->slope * w) / (l->slope - r->slope);
    if (h->sign * (l->g + l->slope * s) > tolerance + 1e-12 * carom_larger(fabs(l->g), fabs(r->g)))
      return CLEAR;
  }
  point e = locate_extremum(h, *l, *r);
  double height = h->sign * e.g;
  if (height > tolerance) return point_crossed(h, r) ? report_crossing(h, &e, r, end, root) : CLEAR;
  if (height >= -tolerance) return report_root(h, CAROM_ROOT_GRAZING, e.theta, root);
  return report_crossing(h, l, &e, end, root);
}

// Does g go through zero to r the way that is not asked for? The slope has one sign, so there is
// nothing else between, and the crossing need not be located.
static bool passes_unasked(carom_root_hunt *h, const point *r) {
  bool unasked = h->watch.direction != CAROM_ANY && (int)h->watch.direction == h->sign;
  if (!unasked || !(fabs(r->g) > h->watch.tolerance)) return false;
  h->sign = -h->sign;
  return true;
}

static verdict judge_interval(carom_root_hunt *h, const point *l, const point *r, double end,
                              carom_root *root) {
  // no value at the right end: close in on it from the left
  if (!isfinite(r->g))
    return r->theta - l->theta > NARROW ? SPLIT
                                        : report_root(h, CAROM_ROOT_NONFINITE, r->theta, root);

  carom_interval g[3];
  enclose_function(h, l->theta, r->theta, g);
  bool across = point_crossed(h, r);
  if (carom_interval_has_zero(g[0])) sharpen_bounds(l, r, g);
  if (!carom_interval_has_zero(g[0])) return across ? SPLIT : CLEAR;
  if (!carom_interval_has_zero(g[1])) {
    if (!across || passes_unasked(h, r)) return CLEAR;
    return report_crossing(h, l, r, end, root);
  }
  if (!carom_interval_has_zero(g[2])) return judge_one_extremum(h, l, r, g[2].lo > 0.0, end, root);
  if (largest_modulus(g[0]) <= h->watch.tolerance)
    return judge_band(h, l, *l, r->theta - l->theta, end, root);
  return SPLIT;
}

// The interval is as narrow as doubles allow and still undecided.
static verdict judge_narrowest(carom_root_hunt *h, const point *l, const point *r,
                               carom_root *root) {
  if (point_crossed(h, r)) {
    carom_interval g[3];
    enclose_function(h, l->theta, r->theta, g);
    bool pole = !(largest_modulus(g[0]) < INFINITY);
    return report_root(h, pole ? CAROM_ROOT_NONFINITE : CAROM_ROOT_CROSSING, r->theta, root);
  }
  if (carom_smaller(fabs(l->g), fabs(r->g)) <= h->watch.tolerance)
    return report_root(h, CAROM_ROOT_GRAZING, r->theta, root);
  return CLEAR;
}

// The first root of any kind in (a, b]: intervals from left to right, halved until decided. The
// right ends still to come are the stack, so each half shares its end with the next.
static carom_root scan_interval(carom_root_hunt *h, double a, double b) {
  carom_root root = {.kind = CAROM_ROOT_NONE};
  point left = recall_point(h, a), pending[64];
  int top = 0;
  pending[top++] = recall_point(h, b);
  while (top > 0) {
    const point *right = &pending[top - 1];
    if (h->work <= 0) {
      report_root(h, CAROM_ROOT_UNDECIDED, left.theta, &root);
      return root;
    }
    verdict v = judge_interval(h, &left, right, b, &root);
    double narrowest = 4.0 * DBL_EPSILON * carom_larger(right->theta, 0x1p-4);
    if (v == SPLIT && right->theta - left.theta <= narrowest)
      v = judge_narrowest(h, &left, right, &root);
    if (v == FOUND) return root;
    if (v == CLEAR)
      left = pending[--top];
    else
      pending[top] = evaluate_at(h, 0.5 * (left.theta + right->theta)), top++;
  }
  return root;
}

// --- leaving a root ---

// Does g leave from `start` to p, outside the tolerance, without coming back to zero on the way or
// leaving on the other side first? So it is where it can go back, its slope being bounded, by less
// than the tolerance: lift-off begins with a slope, and often a curvature, of zero.
static bool leaves_for_good(const carom_root_hunt *h, const point *start, const point *p,
                            carom_interval slope, double tolerance) {
  if (!carom_interval_has_zero(slope)) return true;
  if (h->sign * p->g < 0.0) return false;
  double back = p->g > 0.0 ? -slope.lo : slope.hi;
  return fabs(start->g) + back * (p->theta - start->theta) < tolerance;
}

// Where |g| first exceeds the tolerance after a: kind CROSSING, or NONE when it stays.
static carom_root find_leaving(carom_root_hunt *h, double a, double b) {
  double tolerance = carom_larger(h->band, TINY_TOLERANCE);
  carom_root exit = {.kind = CAROM_ROOT_CROSSING, .function = h->function, .theta = a};
  point start = recall_point(h, a);
  if (fabs(start.g) > tolerance) return exit;

  // as a rule g moves off in one direction: a monotone piece that ends outside holds no other root;
  // the whole step hardly ever is one, and where it will turn round can be guessed
  double w = b - a, turn = -start.slope / start.curvature;
  bool high = fabs(start.slope) * turn > 1e6 * tolerance;
  if (high && 2.0 * turn < w) w = 2.0 * turn;
  for (int i = 0; i < 10; i++) {
    w *= 0.25;
    point p = recall_point(h, a + w < b ? a + w : b);
    if (!(fabs(p.g) > tolerance) || !isfinite(p.g)) continue;
    carom_interval g[3];
    enclose_function(h, a, p.theta, g);
    sharpen_bounds(&start, &p, g);
    if (!leaves_for_good(h, &start, &p, g[1], tolerance)) continue;
    exit.theta = p.theta;
    return exit;
  }

  // otherwise the first of the two edges of the tolerance to be met: the likelier one is looked for
  // first, the other one no further than that
  double edge = tolerance * (1.0 + 1e-12);
  carom_root first = {.kind = CAROM_ROOT_NONE};
  for (int k = 0; k < 2; k++) {
    int side = (k == 0) == (h->sign < 0) ? -1 : 1;
    carom_root_hunt to_edge = *h;
    to_edge.offset = side * edge;
    to_edge.sign = -side;
    to_edge.watch.tolerance = 0.0;
    carom_root met = scan_interval(&to_edge, a, first.kind ? first.theta : b);
    h->work = to_edge.work;
    if (met.kind && (!first.kind || met.theta < first.theta)) first = met;
  }
  if (first.kind == CAROM_ROOT_GRAZING || first.kind == CAROM_ROOT_FLAT)
    first.kind = CAROM_ROOT_CROSSING;
  return first;
}

static bool is_watched(const carom_root_hunt *h, const carom_root *root) {
  bool right_way = h->watch.direction == CAROM_ANY || root->direction == h->watch.direction;
  if (root->kind == CAROM_ROOT_CROSSING) return right_way;
  if (root->kind == CAROM_ROOT_GRAZING) return right_way && !h->watch.skip_grazing;
  return true;
}

void carom_root_hunt_start(carom_root_hunt *h, double g) {
  double width = h->watch.served ? CAROM_SERVED_WIDTH : 1.0;
  h->on_root = fabs(g) <= width * h->watch.tolerance;
  h->band = fabs(g) <= h->watch.tolerance ? h->watch.tolerance : 2.0 * fabs(g);
  h->sign = h->on_root ? h->watch.side : g > 0.0 ? 1 : -1;
}

// The highest of some points of a hop that begins with a slope of zero but for rounding, and so may
// dip at first by less than it rises: lift-off begins so. `start` where it falls at once.
static point hop_inside(const carom_root_hunt *h, const point *start, const point *end) {
  enum { HALVINGS = 40 };
  point top = *start;
  double dip = carom_larger(0.0, -h->sign * start->g), dip_before = dip;
  for (int i = HALVINGS; i > 0; i--) {
    point p = evaluate_at(h, start->theta + ldexp(end->theta - start->theta, -i));
    dip = carom_larger(dip, -h->sign * p.g);
    if (!(h->sign * p.g > h->sign * top.g)) continue;
    top = p;
    dip_before = dip;
  }
  // what rises by rounding only is no hop
  return h->sign * top.g > 2.0 * carom_larger(dip_before, fabs(start->g)) ? top : *start;
}

// The crossing of a function that starts within the band on one side and leaves it on the other: a
// hop too low to be seen by the tolerance. It turns round at its extremum, or falls at once.
static carom_root crossing_inside(const carom_root_hunt *h, double a, double exit) {
  point start = evaluate_at(h, a), end = evaluate_at(h, exit);
  double theta = a + 0x1p-40 * (exit - a);
  if (!(h->sign * start.slope > 0.0)) start = hop_inside(h, &start, &end);
  if (h->sign * start.slope > 0.0) {
    point top = locate_extremum(h, start, end);
    theta = h->sign * top.g > 0.0 ? locate_crossing(h, top, end) : top.theta;
  } else if (h->sign * start.g > 0.0) {
    theta = locate_crossing(h, start, end);
  }
  carom_root root;
  report_root(h, CAROM_ROOT_CROSSING, theta, &root);
  return root;
}

carom_root carom_root_hunt_over(carom_root_hunt *h, double a, double b) {
  const carom_root none = {.kind = CAROM_ROOT_NONE};
  while (a < b) {
    if (h->on_root) {
      carom_root exit = find_leaving(h, a, b);
      if (exit.kind != CAROM_ROOT_CROSSING) return exit;
      int side = recall_point(h, exit.theta).g > 0.0 ? 1 : -1;
      if (h->sign == -side) {
        carom_root inside = crossing_inside(h, a, exit.theta);
        if (is_watched(h, &inside)) return inside;
      }
      a = exit.theta;
      h->sign = side;
      h->on_root = false;
      if (a >= b) break;
    }
    carom_root root = scan_interval(h, a, b);
    if (root.kind == CAROM_ROOT_NONE || is_watched(h, &root)) return root;
    // not asked for: go on behind it
    a = root.theta;
    h->on_root = true;
    if (root.kind == CAROM_ROOT_CROSSING) h->sign = -h->sign;
    h->band = h->watch.tolerance;
  }
  return none;
}

// A function that is near zero where the step ends need not ever get there: it is only taken for
// zero where, by its slope, it would be there before theta can tell.
carom_root carom_root_hunt_end(const carom_root_hunt *h, double g, double slope, double tie) {
  carom_root root = {.kind = CAROM_ROOT_NONE};
  bool there = g == 0.0 || (g * slope < 0.0 && fabs(g) <= tie * fabs(slope));
  if (h->on_root || !there || !(fabs(g) <= h->watch.tolerance)) return root;
  report_root(h, CAROM_ROOT_CROSSING, 1.0, &root);
  if (!is_watched(h, &root)) root.kind = CAROM_ROOT_NONE;
  return root;
}

// --- all functions ---

// With a value at both ends, away from all that its watch takes for zero, on the side it is known
// to be on: the search would find the same, with more work.
int carom_root_clear_side(const carom_root_functions *functions, int k,
                          const carom_root_watch *watch) {
  double zero = (watch->served ? CAROM_SERVED_WIDTH : 1.0) * watch->tolerance, start[3], end[3];
  carom_interval g;
  bool everywhere = functions->range(functions->ctx, k, &g);
  int side = g.lo > zero && watch->side >= 0 ? 1 : g.hi < -zero && watch->side <= 0 ? -1 : 0;
  if (side == 0 || everywhere) return side;
  functions->value(functions->ctx, k, 0.0, start);
  functions->value(functions->ctx, k, 1.0, end);
  return isfinite(start[0]) && isfinite(end[0]) ? side : 0;
}

// The dense output of the step before ended within the tolerance of zero, where nothing is decided,
// and the state it led to lies beyond it, on the other side: that crossing is still due.
static carom_root crossed_before(const carom_root_hunt *h) {
  carom_root root = {.kind = CAROM_ROOT_NONE};
  if (!h->watch.sided || h->on_root || h->watch.side != -h->sign) return root;
  carom_root_hunt before = *h;
  before.sign = h->watch.side;
  report_root(&before, CAROM_ROOT_CROSSING, DBL_MIN, &root);
  return is_watched(h, &root) ? root : (carom_root){.kind = CAROM_ROOT_NONE};
}

static carom_root first_of(const carom_root_functions *functions, int k,
                           const carom_root_watch *watch, double tie, double limit) {
  assert(k >= 0 && k < functions->count);
  if (!functions->bound) return carom_root_sampled(functions, k, watch, tie, limit);
  if (functions->range && carom_root_clear_side(functions, k, watch) != 0)
    return (carom_root){.kind = CAROM_ROOT_NONE};
  carom_root_hunt h = {.functions = functions, .function = k, .watch = *watch};
  h.work = CAROM_ROOT_WORK;
  point start = recall_point(&h, 0.0);
  if (!isfinite(start.g))
    return (carom_root){.kind = CAROM_ROOT_NONFINITE, .function = k, .theta = 0.0};
  carom_root_hunt_start(&h, start.g);
  carom_root root = crossed_before(&h);
  if (root.kind == CAROM_ROOT_NONE) root = carom_root_hunt_over(&h, 0.0, limit);
  if (root.kind != CAROM_ROOT_NONE || limit < 1.0) return root;
  point end = recall_point(&h, 1.0);
  return carom_root_hunt_end(&h, end.g, end.slope, tie);
}

// keeps roots[0 .. count-1] sorted by (theta, function) and within `tie` of the first
static int insert_root(carom_root *roots, int count, int room, carom_root root, double tie) {
  assert(count >= 0 && count <= room);
  int at = count;
  while (at > 0 && roots[at - 1].theta > root.theta)
    at--;
  if (at == 0 || root.theta <= roots[0].theta + tie) {
    if (count == room) count--;
    for (int i = count; i > at; i--)
      roots[i] = roots[i - 1];
    if (at < room) roots[at] = root, count++;
  }
  while (count > 1 && roots[count - 1].theta > roots[0].theta + tie)
    count--;
  return count;
}

int carom_root_first(const carom_root_functions *functions, const carom_root_watch *watch,
                     double tie, int room, carom_root *roots) {
  assert(functions && functions->value && room > 0 && tie >= 0.0);
  int count = 0;
  for (int k = 0; k < functions->count; k++) {
    if (!watch[k].active || watch[k].set_aside) continue;
    double limit = count ? carom_smaller(1.0, roots[0].theta + tie) : 1.0;
    if (limit <= 0.0) limit = DBL_MIN;
    carom_root root = first_of(functions, k, &watch[k], tie, limit);
    if (root.kind != CAROM_ROOT_NONE) count = insert_root(roots, count, room, root, tie);
  }
  return count;
}

// --- one polynomial ---

enum { LEAST_DEGREE = 4 };
typedef struct polynomial {
  int degree;
  double c[CAROM_ROOT_DEGREE + 1];
} polynomial;

static void polynomial_value(void *ctx, int k, double theta, double g[3]) {
  (void)k;
  const polynomial *p = ctx;
  carom_polynomial_value(p->degree, p->c, theta, g);
}

static void polynomial_bound(void *ctx, int k, double a, double b, carom_interval g[3]) {
  (void)k;
  const double exact[3] = {0.0, 0.0, 0.0};
  const polynomial *p = ctx;
  carom_polynomial_bound(p->degree, p->c, a, b, exact, g);
}

carom_root carom_root_polynomial(int degree, const double *c, const carom_root_watch *watch) {
  assert(0 < degree && degree <= CAROM_ROOT_DEGREE);
  polynomial p = {.degree = degree < LEAST_DEGREE ? LEAST_DEGREE : degree};
  memcpy(p.c, c, (size_t)(degree + 1) * sizeof *c);
  carom_root_functions functions = {
      .ctx = &p, .count = 1, .value = polynomial_value, .bound = polynomial_bound};
  carom_root root = {.kind = CAROM_ROOT_NONE};
  carom_root_first(&functions, watch, 0.0, 1, &root);
  return root;
}
