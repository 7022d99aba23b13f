// SPDX-License-Identifier: MIT
/// The branches of a saddle of a map P. The stable one is where the part of P^k(u) along the
/// unstable direction, left . (P^k(u) - saddle), is zero, with k turns after which u is near the
/// saddle, and some more for the last digits: what the straight direction leaves out there is by
/// the unstable multiplier to the k less at u. It is followed by Newton's method, so that no turn
/// is gone backwards. The unstable one is what turns make of a short piece that begins at the
/// saddle.
#include "analysis/manifold_parts.h"
#include "base/elementary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double NEAR = 1e-3;   // the saddle, where its directions are straight
static const double FAR = 5.0;     // times as far: no more
static const double SHORT = 1e-9;  // least step along the stable branch: folds are as sharp as that
static const double EXACT = 1e-11; // step of Newton's method
static const double TURNED = 0.25; // most that the direction changes from point to point
static const double STRAIGHT = 0.08; // what allows longer steps
static const double ALONG = 0.2;     // sine of the angle between two directions that are one
static const double MARGIN = 0.5;    // how far beyond the box branches are followed
static const double BEGINS = 1e-5;   // the unstable branch
enum { MOST_TURNS = 400, NEWTON = 8 };

static double distance(carom_place_in_box a, carom_place_in_box b) {
  return sqrt((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y));
}

static bool is_outside(carom_place_in_box u) {
  return !(fmax(fabs(u.x - 0.5), fabs(u.y - 0.5)) <= 0.5 + MARGIN);
}

static bool keep_point(carom_box_curve *it, carom_place_in_box u) {
  if (it->count == it->room) {
    long room = it->room > 0 ? 2 * it->room : 256;
    void *grown = realloc(it->points, (size_t)room * sizeof *it->points);
    if (!grown) return false;
    it->points = grown;
    it->room = room;
  }
  it->points[it->count++] = u;
  return true;
}

// ---- the stable branch

/// What has been found of it.
typedef struct stable_branch {
  carom_box_map *map;
  const carom_box_saddle *saddle;
  int turns, more;       // k, and how many more make the last digits exact
  carom_place_in_box at; // the last point
  carom_place_in_box along;
  double bend; // how much the direction turned, for the length of a step
} stable_branch;

// left . (P^k(u) - saddle) and its gradient; `left_over` is how far P^k(u) is from the saddle
static bool look_at(const stable_branch *it, carom_place_in_box u, double *value,
                    carom_place_in_box *gradient, double *left_over) {
  const carom_box_saddle *s = it->saddle;
  carom_place_in_box end;
  double J[4];
  if (!carom_box_turn(it->map, u, it->turns, &end, J)) return false;
  *value = s->left.x * (end.x - s->at.x) + s->left.y * (end.y - s->at.y);
  gradient->x = s->left.x * J[0] + s->left.y * J[2];
  gradient->y = s->left.x * J[1] + s->left.y * J[3];
  *left_over = distance(end, s->at);
  return isfinite(gradient->x) && isfinite(gradient->y) &&
         (gradient->x != 0.0 || gradient->y != 0.0);
}

// the point of the branch beside u, and its direction
static bool come_back(const stable_branch *it, carom_place_in_box *u, carom_place_in_box *along,
                      double reach, double *left_over) {
  carom_place_in_box from = *u, g;
  for (int round = 0; round < NEWTON; round++) {
    double value;
    if (!look_at(it, *u, &value, &g, left_over)) return false;
    double square = g.x * g.x + g.y * g.y;
    double x = value * g.x / square, y = value * g.y / square;
    u->x -= x;
    u->y -= y;
    if (distance(*u, from) > reach) return false;
    if (sqrt(x * x + y * y) > EXACT) continue;
    double length = sqrt(square);
    if (g.y * it->along.x - g.x * it->along.y < 0.0) length = -length;
    *along = (carom_place_in_box){g.y / length, -g.x / length};
    return true;
  }
  return false;
}

// by how much a direction has turned to the left
static double turned(carom_place_in_box from, carom_place_in_box to) {
  return carom_atan2(from.x * to.y - from.y * to.x, from.x * to.x + from.y * to.y);
}

static carom_place_in_box turn_by(carom_place_in_box v, double angle) {
  double c = carom_cos(angle), s = carom_sin(angle);
  return (carom_place_in_box){c * v.x - s * v.y, s * v.x + c * v.y};
}

// Turns after which what is near the saddle is a hundred times nearer, or neighbours that are off
// by little are not farther than that.
static int count_more(const carom_box_saddle *s) {
  double nearer = ceil(carom_log(0.01) / carom_log(fmax(fabs(s->stable), 1e-12)));
  double apart = floor(carom_log(100.0) / carom_log(fabs(s->unstable)));
  return (int)fmin(nearer, apart);
}

// a step of this length; false: none. The next one may be as long as *next.
static bool step_along(stable_branch *it, double length, double *next) {
  double bend = it->bend * length, left_over;
  carom_place_in_box way = turn_by(it->along, bend / 2.0), along;
  carom_place_in_box u = {it->at.x + length * way.x, it->at.y + length * way.y}, guess = u;
  if (!come_back(it, &u, &along, 0.3 * length, &left_over)) return false;
  // where that comes to no end the place is exact enough
  stable_branch longer = *it;
  carom_place_in_box exact = u, way_there = along;
  double nearer;
  longer.turns += it->more;
  if (it->more > 0 && come_back(&longer, &exact, &way_there, 1e-3 * length, &nearer)) {
    u = exact;
    along = way_there;
  }
  double angle = turned(it->along, along);
  if (fabs(angle) > TURNED || left_over > FAR * NEAR) return false;
  *next = length;
  if (fabs(angle) < STRAIGHT && distance(u, guess) < 0.03 * length) *next = 1.5 * length;
  it->bend = angle / length;
  it->at = u;
  it->along = along;
  // beyond here it takes a turn more to come near the saddle
  double value;
  carom_place_in_box g;
  while (left_over > NEAR && it->turns < MOST_TURNS) {
    it->turns++;
    if (!look_at(it, u, &value, &g, &left_over)) return false;
  }
  return it->turns < MOST_TURNS;
}

// ---- through a wall

// At a wall the branch goes on where the motion was before it struck: another rate, the same place
// after a turn.
static const double SAME = 1e-4;  // place after a turn, of the box
static const double SEEK = 0.004; // steps of the rate
static const double WALL = 1e-7;  // how near a branch comes before it is sought behind the wall

static carom_place_in_box moved(const stable_branch *it, double by) {
  carom_place_in_box u = it->at;
  if (it->map->component[0] == 1)
    u.x += by;
  else
    u.y += by;
  return u;
}

static bool value_beside(const stable_branch *it, double by, double *value) {
  const carom_box_saddle *s = it->saddle;
  carom_place_in_box end;
  if (!carom_box_turn(it->map, moved(it, by), it->turns, &end, NULL)) return false;
  *value = s->left.x * (end.x - s->at.x) + s->left.y * (end.y - s->at.y);
  return true;
}

// the zero between two rates whose values differ in sign
static double bisect_rate(const stable_branch *it, double a, double b, double at_a) {
  for (int round = 0; round < 60; round++) {
    double middle = (a + b) / 2.0, value;
    if (!value_beside(it, middle, &value)) return (double)NAN;
    if ((value > 0.0) == (at_a > 0.0))
      a = middle;
    else
      b = middle;
  }
  return (a + b) / 2.0;
}

// is it the same motion after a turn?
static bool leads_alike(const stable_branch *it, carom_place_in_box u) {
  carom_place_in_box one, other;
  return carom_box_turn(it->map, it->at, 1, &one, NULL) &&
         carom_box_turn(it->map, u, 1, &other, NULL) && distance(one, other) < SAME;
}

// the rate before the impact, on one side of the rate behind it; NaN: none
static double seek_rate(const stable_branch *it, double way) {
  double last, value;
  if (!value_beside(it, way * SEEK, &last)) return (double)NAN;
  for (int k = 2; !is_outside(moved(it, way * k * SEEK)); k++) {
    double by = k * SEEK;
    if (!value_beside(it, way * by, &value)) return (double)NAN;
    if ((value > 0.0) != (last > 0.0)) {
      double found = bisect_rate(it, way * (by - SEEK), way * by, last);
      if (!isnan(found) && leads_alike(it, moved(it, found))) return found;
    }
    last = value;
  }
  return (double)NAN;
}

static bool cross_wall(stable_branch *it) {
  const carom_model *model = it->map->simulation->model;
  if (carom_model_count(model, CAROM_CONTACTS) == 0 ||
      carom_model_count(model, CAROM_COORDINATES) != 1)
    return false;
  double by = seek_rate(it, 1.0), value, left_over;
  if (isnan(by)) by = seek_rate(it, -1.0);
  carom_place_in_box g;
  if (isnan(by) || !look_at(it, moved(it, by), &value, &g, &left_over)) return false;
  bool upright = it->map->component[0] == 1; // the place of the coordinate is on the second axis
  carom_place_in_box t = {g.y, -g.x};
  double size = sqrt(g.x * g.x + g.y * g.y);
  // away from the wall again
  if (upright ? t.y * it->along.y > 0.0 : t.x * it->along.x > 0.0) size = -size;
  it->at = moved(it, by);
  it->along = (carom_place_in_box){t.x / size, t.y / size};
  it->bend = 0.0;
  return true;
}

static const char *why_stable_ends(const stable_branch *it, const carom_box_curve *curve,
                                   double length, double next, double gone) {
  if (carom_box_asked(it->map)) return "stopped";
  if (is_outside(it->at)) return "leaves the box";
  if (curve->count >= it->map->options->points) return "has as many points as allowed";
  if (length < SHORT) return "cannot be followed farther";
  // along the unstable direction; other sheets pass by across it
  const carom_place_in_box *out = &it->saddle->out;
  bool back = fabs(it->along.x * out->y - it->along.y * out->x) < ALONG;
  if (back && gone > 10.0 * NEAR && distance(it->at, it->saddle->at) < next)
    return "comes back to its saddle";
  return NULL;
}

static const carom_place_in_box GAP = {(double)NAN, (double)NAN};

bool carom_box_stable(carom_box_map *map, const carom_box_saddle *saddle, int side,
                      carom_box_curve *curve) {
  stable_branch it = {.map = map, .saddle = saddle, .turns = 1, .more = count_more(saddle)};
  it.along = (carom_place_in_box){side * saddle->in.x, side * saddle->in.y};
  it.at = saddle->at;
  double length = NEAR, next = NEAR, gone = 0.0;
  if (!keep_point(curve, saddle->at)) return false;
  while (!(curve->end = why_stable_ends(&it, curve, length, next, gone))) {
    stable_branch before = it;
    if (!step_along(&it, length, &next)) {
      it = before;
      length /= 2.0;
      if (length >= WALL || 2.0 * length < WALL || !cross_wall(&it)) continue;
      if (!keep_point(curve, GAP) || !keep_point(curve, it.at)) return false;
      length = NEAR;
      continue;
    }
    if (!keep_point(curve, it.at)) return false;
    gone += length;
    length = fmin(next, map->options->step);
  }
  return true;
}

// ---- the unstable branch

/// A point of the piece that turns have lengthened: where it came from, as a part of the piece.
typedef struct node {
  double from;
  carom_place_in_box at;
  bool there;
} node;

typedef struct unstable_branch {
  carom_box_map *map;
  const carom_box_saddle *saddle;
  int side, turns;
  node *nodes, *next;
  long count, room;
} unstable_branch;

static node make_node(const unstable_branch *it, double from) {
  const carom_box_saddle *s = it->saddle;
  double far = it->side * BEGINS * carom_exp(from * carom_log(s->unstable));
  node made = {.from = from};
  carom_place_in_box u = {s->at.x + far * s->out.x, s->at.y + far * s->out.y};
  made.there = carom_box_turn(it->map, u, it->turns, &made.at, NULL);
  return made;
}

static bool add_node(unstable_branch *it, node made) {
  if (it->count == it->room) {
    long room = it->room > 0 ? 2 * it->room : 256;
    void *grown = realloc(it->next, (size_t)room * sizeof *it->next);
    if (!grown) return false;
    it->next = grown;
    it->room = room;
  }
  it->next[it->count++] = made;
  return true;
}

static bool is_apart(const unstable_branch *it, const node *a, const node *b, double length) {
  if (!a->there || !b->there) return a->there != b->there && b->from - a->from > length;
  if (is_outside(a->at) && is_outside(b->at)) return false;
  return distance(a->at, b->at) > it->map->options->step && b->from - a->from > length;
}

// the way from `last` to `to`, with as many places between as it takes; false: out of memory
static bool fill_between(unstable_branch *it, node to, long most) {
  enum { DEEPEST = 40 };
  node waiting[DEEPEST + 1];
  int depth = 0;
  waiting[0] = to;
  while (depth >= 0) {
    node last = it->next[it->count - 1];
    if (depth < DEEPEST && it->count < most && is_apart(it, &last, &waiting[depth], 1e-12)) {
      waiting[depth + 1] = make_node(it, (last.from + waiting[depth].from) / 2.0);
      depth++;
    } else if (!add_node(it, waiting[depth--])) {
      return false;
    }
  }
  return true;
}

// one turn more of a place
static node go_on(const unstable_branch *it, node from) {
  from.there = from.there && carom_box_turn(it->map, from.at, 1, &from.at, NULL);
  return from;
}

// one turn more of all places, and new ones where they have come apart
static bool lengthen_branch(unstable_branch *it, long most) {
  node *old = it->nodes;
  long count = it->count;
  it->next = NULL;
  it->count = it->room = 0;
  bool good = add_node(it, go_on(it, old[0]));
  for (long k = 1; k < count && good; k++)
    good = fill_between(it, go_on(it, old[k]), most);
  free(old);
  it->nodes = it->next;
  return good;
}

static double length_of(const unstable_branch *it, bool *inside) {
  double length = 0.0;
  *inside = false;
  for (long k = 0; k < it->count; k++) {
    *inside = *inside || (it->nodes[k].there && !is_outside(it->nodes[k].at));
    if (k > 0 && it->nodes[k].there && it->nodes[k - 1].there)
      length += distance(it->nodes[k - 1].at, it->nodes[k].at);
  }
  return length;
}

// pieces that lie apart are parted
static bool keep_nodes(const unstable_branch *it, carom_box_curve *curve) {
  for (long k = 1; k < it->count && curve->count < it->map->options->points; k++) {
    const node *a = &it->nodes[k - 1], *b = &it->nodes[k];
    bool whole = a->there && b->there &&
                 (distance(a->at, b->at) <= 3.0 * it->map->options->step ||
                  (is_outside(a->at) && is_outside(b->at)));
    if (!whole && !keep_point(curve, GAP)) return false;
    if (b->there && !keep_point(curve, b->at)) return false;
  }
  return true;
}

bool carom_box_unstable(carom_box_map *map, const carom_box_saddle *saddle, int side,
                        carom_box_curve *curve) {
  unstable_branch it = {.map = map, .saddle = saddle, .side = side};
  bool good = keep_point(curve, saddle->at), inside = true;
  it.count = 0;
  good = good && add_node(&it, make_node(&it, 0.0)) && add_node(&it, make_node(&it, 1.0));
  it.nodes = it.next;
  while (good && !curve->end) {
    it.turns++;
    good = lengthen_branch(&it, map->options->points - curve->count + 2) && keep_nodes(&it, curve);
    double length = length_of(&it, &inside);
    if (carom_box_asked(map))
      curve->end = "stopped";
    else if (curve->count >= map->options->points)
      curve->end = "has as many points as allowed";
    else if (!inside)
      curve->end = "leaves the box";
    else if (it.turns > 10 && length < BEGINS)
      curve->end = "comes to an attractor";
    else if (it.turns >= MOST_TURNS)
      curve->end = "was followed long enough";
  }
  free(it.nodes);
  return good;
}
