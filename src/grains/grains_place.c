// SPDX-License-Identifier: MIT
// Where rods are at the start: a tilted row, a ring, crossed layers, loose ones that will fall, or
// as a table says.
#include "base/elementary.h"
#include "base/random.h"
#include "base/whole.h"
#include "grains/grains.h"

#include <limits.h>
#include <math.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

static double draw_uniform(const carom_grains *it, uint64_t stream, int k) {
  return carom_random_uniform((uint64_t)it->numbers.seed, stream, (uint64_t)k);
}

// the height of the plane that faces upwards, or 0
static double floor_height(const carom_grains *it) {
  for (int k = 0; k < it->bed_settings.wall_count; k++) {
    const carom_bed_wall *w = &it->bed_settings.walls[k];
    if (w->kind == CAROM_WALL_PLANE && w->normal[2] > 0.99)
      return w->at + (w->driven ? it->bed->wall.z : 0.0);
  }
  return 0.0;
}

// the smallest gap between a rod and the next two, or the first one below `asked`
static double tightest_gap(const carom_bed *bed, double asked) {
  double least = HUGE_VAL;
  for (int i = 0; i < bed->n && least >= asked; i++)
    for (int next = 1; next <= 2 && next < bed->n; next++)
      least = fmin(least, carom_bed_gap(bed, i, (i + next) % bed->n));
  return least;
}

// ---- a row along x

static void place_row(carom_grains *it, double tilt) {
  carom_bed *bed = it->bed;
  double length = it->bed_settings.periodic[0], s = 0.0, c = 0.0, low = floor_height(it);
  carom_sincos(tilt, &s, &c);
  for (int i = 0; i < bed->n; i++) {
    const carom_bed_kind *rod = carom_bed_kind_of(bed, i);
    bed->x[0][i] = length * (i + 0.5) / bed->n;
    bed->x[1][i] = 0.0;
    bed->x[2][i] = low + rod->half * c + rod->radius + it->numbers.gap;
    bed->u[0][i] = s, bed->u[1][i] = 0.0, bed->u[2][i] = c;
  }
}

// ---- around an annulus

typedef struct ring {
  double inner, outer, x, y;
} ring;

static bool find_ring(const carom_grains *it, ring *found) {
  bool inner = false, outer = false;
  for (int k = 0; k < it->bed_settings.wall_count; k++) {
    const carom_bed_wall *w = &it->bed_settings.walls[k];
    if (w->kind == CAROM_WALL_OUTSIDE) found->inner = w->at, inner = true;
    if (w->kind != CAROM_WALL_INSIDE) continue;
    found->outer = w->at, outer = true;
    found->x = w->centre[0], found->y = w->centre[1];
  }
  return inner && outer;
}

// inner and outer rods in turn, each leaning the way round; the ends of outer ones stay inside
static void place_ring(carom_grains *it, const ring *r, double tilt) {
  carom_bed *bed = it->bed;
  double s = 0.0, c = 0.0, low = floor_height(it);
  carom_sincos(tilt, &s, &c);
  for (int i = 0; i < bed->n; i++) {
    const carom_bed_kind *rod = carom_bed_kind_of(bed, i);
    double out = r->outer - rod->radius - it->numbers.gap, lean = rod->half * s;
    double far = out > lean ? sqrt(out * out - lean * lean) : 0.0;
    double near = r->inner + rod->radius + it->numbers.gap, sine = 0.0, cosine = 0.0;
    double at = i % 2 ? far : fmin(near, far);
    // an odd number leaves two inner rods side by side
    double wide = bed->n % 2 && bed->n > 1 ? (2.0 * rod->radius + it->numbers.gap) / near : 0.0;
    double turn = bed->n % 2 && bed->n > 1 ? (2.0 * PI - wide) / (bed->n - 1) : 2.0 * PI / bed->n;
    carom_sincos(turn * i, &sine, &cosine);
    bed->x[0][i] = r->x + at * cosine;
    bed->x[1][i] = r->y + at * sine;
    bed->x[2][i] = low + rod->half * c + rod->radius + it->numbers.gap;
    bed->u[0][i] = -s * sine, bed->u[1][i] = s * cosine, bed->u[2][i] = c;
  }
}

static void place_tilted(carom_grains *it, const ring *r, double tilt) {
  if (r)
    place_ring(it, r, tilt);
  else
    place_row(it, tilt);
}

// how many upright rods as thick as the thickest fit; round a ring an even number, inner and outer
// ones in turn
static int most_rods(const carom_grains *it, const ring *r) {
  double thick = 0.0;
  for (int i = 0; i < it->bed->n; i++)
    thick = fmax(thick, 2.0 * carom_bed_kind_of(it->bed, i)->radius);
  double need = thick + 0.1 * it->numbers.gap;
  if (!r) return (int)carom_whole(it->bed_settings.periodic[0] / need, 0, INT_MAX);
  double near = r->inner + 0.5 * thick + it->numbers.gap,
         far = r->outer - 0.5 * thick - it->numbers.gap;
  for (int n = it->bed->n / 2 * 2; n > 0; n -= 2) {
    double s = 0.0, c = 0.0;
    carom_sincos(2.0 * PI / n, &s, &c);
    double next = sqrt(near * near + far * far - 2.0 * near * far * c);
    if (far >= near && next >= need && (n < 4 || 2.0 * near * s >= need)) return n;
  }
  return 0;
}

// whether rods as they are placed leave a gap between neighbours and do not reach the inner wall
static bool have_room(const carom_grains *it, const ring *r, double gap) {
  const carom_bed *bed = it->bed;
  bool fits = tightest_gap(bed, gap) >= gap;
  for (int w = 0; r && fits && w < it->bed_settings.wall_count; w++)
    if (it->bed_settings.walls[w].kind == CAROM_WALL_OUTSIDE)
      fits =
          carom_bed_wall_gap(bed, bed->n > 1, &it->bed_settings.walls[w], CAROM_END_NEAREST) >= 0.0;
  return fits;
}

// the largest of the tilts down from `most` that leaves the gap; false: none does
static bool place_largest(carom_grains *it, const ring *r, double most, double side,
                          double *found) {
  const double fine = 1e-3;
  if (!r) { // no row has more room than an upright one
    place_row(it, 0.0);
    if (!have_room(it, r, 0.1 * it->numbers.gap)) return false;
  }
  for (int k = 0; k * fine <= most; k++) {
    *found = side * (most - k * fine);
    place_tilted(it, r, *found);
    if (have_room(it, r, 0.1 * it->numbers.gap)) return true;
  }
  return false;
}

static carom_status fail_to_fit(const carom_grains *it, const ring *r, carom_error *error) {
  carom_place place = it->model->grains->start.place;
  int most = most_rods(it, r);
  double thick = 0.0, wide = r ? r->outer - r->inner : 0.0;
  for (int k = 0; k < it->bed_settings.species_count; k++)
    thick = fmax(thick, it->bed_settings.species[k].diameter);
  if (r && most == 0)
    return carom_fail_at(error, CAROM_ERR_INPUT, place,
                         "the ring is %g wide; for rods of this thickness it must be at least %g",
                         wide, 1.0001 * (thick + 2.0 * it->numbers.gap));
  return carom_fail_at(error, CAROM_ERR_INPUT, place, "%d rods do not fit side by side; %d do",
                       it->bed->n, most);
}

// the given tilt, or the largest
static carom_status place_at_tilt(carom_grains *it, const ring *r, carom_error *error) {
  const double most = 1.5, rounded = floor(1e3 * fmin(fabs(it->numbers.tilt), most)) / 1e3;
  double found = 0.0, side = it->numbers.tilt < 0.0 ? -1.0 : 1.0;
  if (isnan(it->numbers.tilt))
    return place_largest(it, r, most, 1.0, &found) ? CAROM_OK : fail_to_fit(it, r, error);
  place_tilted(it, r, it->numbers.tilt);
  double overlap = -tightest_gap(it->bed, -HUGE_VAL);
  if (overlap <= CAROM_BED_ALLOWED * it->bed->chunks[0].thin) return CAROM_OK;
  if (!place_largest(it, r, rounded, side, &found)) return fail_to_fit(it, r, error);
  return carom_fail_at(error, CAROM_ERR_INPUT, it->model->grains->start.place,
                       "at a tilt of %g neighbours overlap by %g; a tilt of %.3f works",
                       it->numbers.tilt, overlap, found);
}

// ---- layers and loose rods

// how many whole parts a length has
static int how_many(double length, double part) {
  return (int)carom_whole(length / part, 0, 1000000000);
}

static double length_of(const carom_bed *bed, int i) {
  return 2.0 * (carom_bed_kind_of(bed, i)->half + carom_bed_kind_of(bed, i)->radius);
}

static carom_status check_floor(const carom_grains *it, carom_error *error) {
  double longest = 0.0;
  for (int i = 0; i < it->bed->n; i++)
    longest = fmax(longest, length_of(it->bed, i) + it->numbers.gap);
  const double *period = it->bed_settings.periodic;
  for (int c = 0; c < 2; c++)
    if (isinf(it->numbers.size[c]))
      return carom_fail_at(error, CAROM_ERR_INPUT, it->model->grains->start.place,
                           "start.size is [%g, %g]; it must be finite", it->numbers.size[0],
                           it->numbers.size[1]);
  for (int c = 0; c < 2; c++)
    if (period[c] > 0.0 && it->numbers.size[c] > period[c])
      return carom_fail_at(error, CAROM_ERR_INPUT, it->model->grains->start.place,
                           "start.size is [%g, %g]; along %s it must be at most the period, %g",
                           it->numbers.size[0], it->numbers.size[1], c ? "y" : "x",
                           carom_told_most(period[c]));
  if (it->numbers.size[0] >= longest && it->numbers.size[1] >= longest) return CAROM_OK;
  return carom_fail_at(error, CAROM_ERR_INPUT, it->model->grains->start.place,
                       "start.size is [%g, %g]; each must be at least %g for rods of this length",
                       it->numbers.size[0], it->numbers.size[1], carom_told_least(longest));
}

static void place_layers(carom_grains *it) {
  carom_bed *bed = it->bed;
  double thick = 0.0, longest = 0.0, low = floor_height(it);
  for (int i = 0; i < bed->n; i++) {
    thick = fmax(thick, 2.0 * carom_bed_kind_of(bed, i)->radius + it->numbers.gap);
    longest = fmax(longest, length_of(bed, i) + it->numbers.gap);
  }
  for (int i = 0, layer = 0; i < bed->n; layer++) {
    int c = layer % 2, across = how_many(it->numbers.size[1 - c], thick),
        along = how_many(it->numbers.size[c], longest);
    for (int a = 0; a < across && i < bed->n; a++)
      for (int b = 0; b < along && i < bed->n; b++, i++) {
        double room = it->numbers.size[c] / along - longest;
        double shift = (draw_uniform(it, 10, i) - 0.5) * room;
        bed->x[c][i] = (b + 0.5) * it->numbers.size[c] / along - 0.5 * it->numbers.size[c] + shift;
        bed->x[1 - c][i] =
            (a + 0.5) * it->numbers.size[1 - c] / across - 0.5 * it->numbers.size[1 - c];
        bed->x[2][i] = low + 0.5 * thick + it->numbers.gap + layer * thick;
        bed->u[c][i] = 1.0, bed->u[1 - c][i] = 0.0, bed->u[2][i] = 0.0;
      }
  }
}

static void place_loose(carom_grains *it, int i, const double at[3]) {
  carom_bed *bed = it->bed;
  for (int c = 0; c < 3; c++)
    bed->x[c][i] = at[c];
  // a direction uniform on the sphere
  double z = 2.0 * draw_uniform(it, 11, i) - 1.0, flat = sqrt(1.0 - z * z), s = 0.0, c = 0.0;
  carom_sincos(2.0 * PI * draw_uniform(it, 12, i), &s, &c);
  bed->u[0][i] = flat * c, bed->u[1][i] = flat * s, bed->u[2][i] = z;
}

// Where the cubes of one level stand along x or y.
typedef struct level {
  int count;
  double size, edge;  // of the floor, of a cube
  double shift, each; // room beside the cubes: that of the level, and what each has of its own
} level;

// Turning means nothing to spheres, and one upon the other they would stand: their levels are
// shifted at random, and each of them a little more. Where the room is too narrow for that, a level
// has one sphere less a row; over a period it can be shifted at will.
static level lay_level(const carom_grains *it, int c, int i, double edge) {
  const double period = it->bed_settings.periodic[c], size = it->numbers.size[c];
  level l = {.count = how_many(size, edge), .size = size};
  l.edge = size / l.count;
  if (carom_bed_kind_of(it->bed, i)->half > 0.0) return l;
  bool round = period > 0.0 && size >= period * (1.0 - 1e-12);
  if (!round && l.count > 1 && size - l.count * edge < 0.5 * edge) l.count--;
  double room = fmax(size - l.count * edge, 0.0);
  l.edge = edge;
  l.shift = draw_uniform(it, 13 + (uint64_t)c, i) * (round ? size : 0.8 * room);
  l.each = 0.2 * room / l.count;
  return l;
}

// own room grows along the row, so that no two come nearer to each other than an edge
static double place_in_level(const carom_grains *it, const level *l, int c, int i, int k) {
  double own = l->each > 0.0 ? l->each * (k + draw_uniform(it, 15 + (uint64_t)c, i)) : 0.0;
  return (k + 0.5) * l->edge - 0.5 * l->size + l->shift + own;
}

// Every rod in a cube of its own, turned at random, cubes upon cubes. Each level has rods of one
// length, so that short ones do not start higher than they need.
static void place_poured(carom_grains *it) {
  double low = floor_height(it) + it->numbers.gap;
  for (int i = 0; i < it->bed->n;) {
    double edge = length_of(it->bed, i) + it->numbers.gap;
    const level x = lay_level(it, 0, i, edge), y = lay_level(it, 1, i, edge);
    for (int k = 0; k / x.count < y.count && i < it->bed->n; k++, i++) {
      if (length_of(it->bed, i) + it->numbers.gap != edge) break;
      const double at[3] = {place_in_level(it, &x, 0, i, k % x.count),
                            place_in_level(it, &y, 1, i, k / x.count), low + 0.5 * edge};
      place_loose(it, i, at);
    }
    low += edge;
  }
}

// the space inside the narrowest cylinder, and outside the one about the same axis if there is one
static bool find_well(const carom_grains *it, ring *found) {
  *found = (ring){.outer = HUGE_VAL};
  for (int k = 0; k < it->bed_settings.wall_count; k++) {
    const carom_bed_wall *w = &it->bed_settings.walls[k];
    if (w->kind == CAROM_WALL_INSIDE && w->at < found->outer)
      found->outer = w->at, found->x = w->centre[0], found->y = w->centre[1];
  }
  for (int k = 0; k < it->bed_settings.wall_count; k++) {
    const carom_bed_wall *w = &it->bed_settings.walls[k];
    if (w->kind == CAROM_WALL_OUTSIDE && w->centre[0] == found->x && w->centre[1] == found->y)
      found->inner = fmax(found->inner, w->at);
  }
  return isfinite(found->outer);
}

// one level of balls that hold a rod each, in circles about the axis; the first rod that has no
// place in it
static int fill_level(carom_grains *it, const ring *well, int i, double low) {
  double length = length_of(it->bed, i), edge = length + it->numbers.gap;
  double first = well->inner > 0.0 ? well->inner + 0.5 * edge : 0.0;
  double fit = (well->outer * (1.0 + 1e-12) - first) / edge + 0.5;
  int circles = (int)carom_whole(fit, 0, 1000000000);
  // spheres are not to stand one upon the other: circles as wide and turned as the seed says
  bool sphere = carom_bed_kind_of(it->bed, i)->half == 0.0;
  if (sphere && circles > 0) {
    double wider = draw_uniform(it, 13, i) * (well->inner > 0.0 ? fit - circles : 0.5) * edge;
    first += fmax(circles > 1 ? wider : fmin(wider, (fit - circles) * edge), 0.0);
    circles = (int)carom_whole((well->outer * (1.0 + 1e-12) - first) / edge + 0.5, 1, circles);
  }
  for (int circle = 0; circle < circles; circle++) {
    double r = first + circle * edge;
    int around = r > 0.5 * edge ? how_many(PI, carom_asin(0.5 * edge / r)) : 1;
    double turned = sphere && i < it->bed->n ? draw_uniform(it, 14, i) : 0.0;
    for (int k = 0; k < around; k++) {
      if (i == it->bed->n || length_of(it->bed, i) != length) return i;
      double s = 0.0, c = 0.0;
      carom_sincos(2.0 * PI * (k + turned) / around, &s, &c);
      const double at[3] = {well->x + r * c, well->y + r * s, low + 0.5 * edge};
      place_loose(it, i++, at);
    }
  }
  return i;
}

static carom_status pour_round(carom_grains *it, const ring *well, carom_error *error) {
  double low = floor_height(it) + it->numbers.gap;
  for (int i = 0; i < it->bed->n;) {
    double edge = length_of(it->bed, i) + it->numbers.gap;
    int next = fill_level(it, well, i, low);
    if (next == i && well->inner > 0.0)
      return carom_fail_at(error, CAROM_ERR_INPUT, it->model->grains->start.place,
                           "the ring is %g wide; to pour rods of this length it must be at least "
                           "%g, or let them start as a ring",
                           well->outer - well->inner, carom_told_least(edge));
    if (next == i)
      return carom_fail_at(error, CAROM_ERR_INPUT, it->model->grains->start.place,
                           "the cylinder has a radius of %g; to pour rods of this length it must "
                           "be at least %g",
                           well->outer, carom_told_least(0.5 * edge));
    i = next;
    low += edge;
  }
  return CAROM_OK;
}

// ---- a table

carom_place carom_grains_rod_place(const carom_grains *it, int id) {
  const carom_grains_start *start = &it->model->grains->start;
  return start->table ? (carom_place){start->table, start->rods[id].line, 1} : start->place;
}

// the components that rods in the plane have not
static carom_status check_flat(const carom_grains *it, int i, const double *numbers,
                               carom_error *error) {
  static const struct {
    int at;
    const char *name;
  } out[] = {{1, "y"}, {4, "uy"}, {7, "vy"}, {9, "wx"}, {11, "wz"}};
  for (size_t k = 0; it->bed_settings.plane && k < sizeof out / sizeof *out; k++)
    if (numbers[out[k].at] != 0.0)
      return carom_fail_at(error, CAROM_ERR_INPUT, carom_grains_rod_place(it, i),
                           "%s is %g; of rods that move in the plane (run.freedoms) it must be 0",
                           out[k].name, numbers[out[k].at]);
  return CAROM_OK;
}

// an axis of any length, which the bed will make a unit; spheres need none
static carom_status place_axis(carom_grains *it, int i, const double *axis, carom_error *error) {
  double most = fmax(fmax(fabs(axis[0]), fabs(axis[1])), fabs(axis[2]));
  bool tiny = most < 1e-100; // its square would be lost
  if (most == 0.0 && carom_bed_kind_of(it->bed, i)->half > 0.0)
    return carom_fail_at(error, CAROM_ERR_INPUT, carom_grains_rod_place(it, i),
                         "the axis ux, uy, uz has no length; only spheres need none");
  for (int c = 0; c < 3 && most > 0.0; c++)
    it->bed->u[c][i] = tiny ? axis[c] / most : axis[c];
  return CAROM_OK;
}

static carom_status place_given(carom_grains *it, int i, carom_error *error) {
  const carom_grains_rod *given = &it->model->grains->start.rods[i];
  carom_bed *bed = it->bed;
  bed->kind[i] = (unsigned char)given->kind;
  for (int c = 0; c < 3; c++) {
    bed->x[c][i] = carom_bed_in_period(bed, c, given->numbers[c]);
    bed->v[c][i] = given->numbers[6 + c];
    bed->w[c][i] = given->numbers[9 + c];
  }
  carom_status status = check_flat(it, i, given->numbers, error);
  return status ? status : place_axis(it, i, given->numbers + 3, error);
}

// rods are numbered as the lines are, whatever their kind
static carom_status place_table(carom_grains *it, carom_error *error) {
  const carom_grains_start *start = &it->model->grains->start;
  carom_status status = CAROM_OK;
  it->bed->condition.exact = true;
  for (int k = 0; k < it->bed_settings.species_count && !start->axes; k++)
    if (it->bed->kinds[k].half > 0.0)
      return carom_fail_at(error, CAROM_ERR_INPUT,
                           (carom_place){start->table, start->names_line, 1},
                           "the columns ux, uy, uz are missing; only spheres need no axis");
  for (int i = 0; i < it->bed->n && !status; i++)
    status = place_given(it, i, error);
  return status;
}

// ---- all

// what is poured or piled up must not meet itself over the period along z
static carom_status check_height(const carom_grains *it, carom_error *error) {
  const carom_bed *bed = it->bed;
  const double period = it->bed_settings.periodic[2];
  double low = HUGE_VAL, high = -HUGE_VAL;
  for (int i = 0; i < bed->n; i++) {
    const carom_bed_kind *rod = carom_bed_kind_of(bed, i);
    double out = rod->radius + rod->half * fabs(bed->u[2][i]);
    low = fmin(low, bed->x[2][i] - out);
    high = fmax(high, bed->x[2][i] + out);
  }
  double need = high - low + it->numbers.gap;
  if (!(period > 0.0) || need <= period) return CAROM_OK;
  return carom_fail_at(error, CAROM_ERR_INPUT, it->model->grains->start.place,
                       "rods stand %g high at the start and would meet themselves; periodic.z is "
                       "%g, at least %g works",
                       high - low, period, carom_told_least(need));
}

static void shake_bed(carom_grains *it) {
  carom_bed *bed = it->bed;
  for (int c = 0; c < 3; c++)
    for (int i = 0; i < bed->n; i++) {
      bool out = it->bed_settings.plane && c == 1;
      double speed = carom_random_normal((uint64_t)it->numbers.seed, 20 + (uint64_t)c, (uint64_t)i);
      bed->v[c][i] += it->numbers.velocity[c] + (out ? 0.0 : it->numbers.spread * speed);
      bed->w[c][i] += it->numbers.turn[c];
    }
}

carom_status carom_grains_place(carom_grains *it, carom_error *error) {
  const carom_grains_start *start = &it->model->grains->start;
  const char *as = start->as ? start->as : "row";
  carom_status status = CAROM_OK;
  ring around = {0};
  carom_bed_place_walls(it->bed);
  if (it->bed_settings.plane && strcmp(as, "row") != 0 && !start->table)
    return carom_fail_at(error, CAROM_ERR_INPUT, start->place,
                         "rods that move in the plane (run.freedoms) start as a row or from a "
                         "table, not as '%s'",
                         as);
  if (start->table) {
    status = place_table(it, error);
  } else if (strcmp(as, "row") == 0) {
    if (!(it->bed_settings.periodic[0] > 0.0))
      return carom_fail_at(error, CAROM_ERR_INPUT, start->place,
                           "a row fills one period along x: give periodic.x");
    status = place_at_tilt(it, NULL, error);
  } else if (strcmp(as, "ring") == 0) {
    if (!find_ring(it, &around))
      return carom_fail_at(error, CAROM_ERR_INPUT, start->place,
                           "a ring lies between a cylinder with the rods outside and one with the "
                           "rods inside: give both walls");
    status = place_at_tilt(it, &around, error);
  } else if (strcmp(as, "poured") == 0 && !start->size[0] && find_well(it, &around)) {
    status = pour_round(it, &around, error);
    if (!status) status = check_height(it, error);
  } else {
    status = check_floor(it, error);
    if (!status && strcmp(as, "layers") == 0) place_layers(it);
    if (!status && strcmp(as, "poured") == 0) place_poured(it);
    if (!status) status = check_height(it, error);
  }
  if (!status) shake_bed(it);
  return status;
}
