// SPDX-License-Identifier: MIT
// A bed: its memory, its first moment, its energies.
#include "base/error.h"
#include "base/pool.h"
#include "grains/bed_kernels.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

carom_bed_species carom_bed_species_uniform(int count, double diameter, double length,
                                            double density) {
  double r = 0.5 * diameter, h = length - diameter;
  double tube = density * PI * r * r * h, caps = density * 4.0 / 3.0 * PI * r * r * r;
  carom_bed_species s = {.count = count, .diameter = diameter, .length = length};
  s.mass = tube + caps;
  s.along = 0.5 * tube * r * r + 0.4 * caps * r * r;
  s.across =
      tube * (h * h / 12.0 + 0.25 * r * r) + caps * (0.4 * r * r + 0.25 * h * h + 0.375 * h * r);
  return s;
}

carom_bed_settings carom_bed_settings_default(void) {
  return (carom_bed_settings){.law = carom_grain_law_default(), .gravity = {0.0, 0.0, -9.81}};
}

double carom_bed_time(const carom_bed *bed) {
  return bed->settings->start + (double)bed->counts.steps * bed->settings->step;
}

double carom_bed_in_period(const carom_bed *bed, int c, double x) {
  double period = bed->settings->periodic[c];
  if (!(period > 0.0) || (x >= 0.0 && x < period)) return x;
  double rest = fmod(x, period);
  if (rest < 0.0) rest += period;
  return rest < period ? rest : 0.0;
}

// ---- memory

void *carom_bed_array(carom_bed *bed, int count, size_t size) {
  carom_pool_lock(bed->pool);
  void *taken = carom_arena_array(bed->arena, (size_t)count, size);
  carom_pool_unlock(bed->pool);
  return taken;
}

static int chunks_of(int n) { return (n + CAROM_BED_CHUNK - 1) / CAROM_BED_CHUNK; }

static bool take_chunks(carom_bed *bed) {
  bed->chunk_count = chunks_of(bed->n);
  bed->chunks = carom_arena_array(bed->arena, (size_t)bed->chunk_count, sizeof *bed->chunks);
  for (int k = 0; bed->chunks && k < bed->chunk_count; k++) {
    carom_bed_chunk *chunk = &bed->chunks[k];
    int end = (k + 1) * CAROM_BED_CHUNK;
    chunk->first = k * CAROM_BED_CHUNK;
    chunk->end = end < bed->n ? end : bed->n;
    chunk->push = bed->push + chunk->first;
    chunk->lists =
        carom_arena_array(bed->arena, 1 + (size_t)bed->settings->wall_count, sizeof *chunk->lists);
    if (!chunk->lists) return false;
  }
  return bed->chunks != NULL;
}

static size_t pads_of(const carom_bed *bed) {
  int threads = bed->settings->threads < 1 ? 1 : bed->settings->threads;
  threads = threads < bed->chunk_count ? threads : bed->chunk_count;
  return bed->chunk_count > 1 ? (size_t)threads : 0;
}

static bool take_pads(carom_bed *bed) {
  size_t pads = pads_of(bed);
  bed->pads = pads > 0 ? carom_arena_array(bed->arena, pads, sizeof *bed->pads) : NULL;
  return bed->pads || pads == 0;
}

static bool take_motion(carom_bed *bed, size_t stride) {
  double *all = carom_arena_array(bed->arena, 13 * stride, sizeof *all);
  double **groups[] = {bed->x, bed->u, bed->v, bed->w};
  for (size_t k = 0; all && k < 12; k++)
    groups[k / 3][k % 3] = all + k * stride;
  bed->reach.way = all ? all + 12 * stride : NULL;
  return all != NULL;
}

static bool take_numbers(carom_bed *bed, size_t n) {
  int *all = carom_arena_array(bed->arena, 5 * n, sizeof *all);
  if (!all) return false;
  for (size_t c = 0; c < 3; c++)
    bed->order.image[c] = all + c * n;
  bed->order.id = all + 3 * n;
  bed->order.place = all + 4 * n;
  return true;
}

static bool take_strikes(carom_bed *bed, size_t n) {
  bool counted = false;
  for (int k = 0; k < bed->settings->wall_count; k++)
    counted = counted || bed->settings->walls[k].strikes;
  if (!counted) return true;
  bed->striking.touching = carom_arena_array(bed->arena, n, sizeof *bed->striking.touching);
  bed->striking.released = carom_arena_array(bed->arena, n, sizeof *bed->striking.released);
  return bed->striking.touching && bed->striking.released;
}

// few large arrays rather than many; they end a little later than the rods, so that lanes can be
// read at once
static bool take_arrays(carom_bed *bed) {
  size_t n = (size_t)bed->n, padded = (n + 11) / 8 * 8;
  bed->push = carom_arena_array(bed->arena, padded, sizeof *bed->push);
  bed->seen = carom_arena_array(bed->arena, padded, sizeof *bed->seen);
  bed->kind = carom_arena_array(bed->arena, padded, sizeof *bed->kind);
  return bed->push && bed->seen && bed->kind && take_motion(bed, padded) && take_numbers(bed, n) &&
         take_strikes(bed, n) && take_chunks(bed) && take_pads(bed);
}

// half a piece is at most this many radii long
static const double PIECE = 2.2;

static int pieces_of(const carom_bed_species *s) {
  double count = ceil((s->length / s->diameter - 1.0) / PIECE - 1e-9);
  return count >= 1.0 && count < 1e6 ? (int)count : 1;
}

static void enter_species(carom_bed *bed) {
  const carom_bed_settings *set = bed->settings;
  int i = 0;
  for (int k = 0; k < set->species_count; k++) {
    const carom_bed_species *s = &set->species[k];
    bed->kinds[k] = (carom_bed_kind){.half = 0.5 * (s->length - s->diameter),
                                     .radius = 0.5 * s->diameter,
                                     .im = 1.0 / s->mass,
                                     .ii = 1.0 / s->across,
                                     .ia = set->no_spin ? 0.0 : 1.0 / s->along,
                                     .gyro = set->no_spin ? 0.0 : s->along / s->across,
                                     .pieces = pieces_of(s)};
    for (int j = 0; j < s->count; j++, i++) {
      bed->kind[i] = (unsigned char)k;
      bed->u[2][i] = 1.0;
      bed->order.id[i] = bed->order.place[i] = i;
    }
  }
}

carom_bed *carom_bed_create(carom_arena *arena, const carom_bed_settings *settings) {
  carom_bed *bed = carom_arena_take(arena, sizeof *bed);
  if (!bed) return NULL;
  bed->settings = settings;
  bed->arena = arena;
  bed->kernels = carom_bed_choose_kernels();
  double thinnest = HUGE_VAL;
  for (int k = 0; k < settings->species_count; k++) {
    bed->n += settings->species[k].count;
    thinnest = fmin(thinnest, settings->species[k].diameter);
  }
  bed->reach.skin = settings->skin > 0.0 ? settings->skin : 0.6 * thinnest;
  if (!take_arrays(bed)) return NULL;
  for (int k = 0; k < bed->chunk_count; k++)
    bed->chunks[k].thin = 0.5 * thinnest;
  enter_species(bed);
  return bed;
}

size_t carom_bed_rod_bytes(const carom_bed *bed) {
  // motion, way, push, seen; image, id, place; kind; strikes
  size_t own = (12 + 1 + 8 + 12) * sizeof(double) + 5 * sizeof(int) + 1;
  if (bed->striking.touching)
    own += sizeof *bed->striking.touching + sizeof *bed->striking.released;
  size_t chunk =
      sizeof(carom_bed_chunk) + (1 + (size_t)bed->settings->wall_count) * sizeof(carom_touch_list);
  size_t n = (size_t)bed->n, all = carom_bed_search_bytes(bed) + (size_t)bed->chunk_count * chunk;
  all += pads_of(bed) * sizeof *bed->pads;
  return own + (all + n - 1) / n;
}

// ---- the first moment

static carom_status check_species(const carom_bed_settings *set, carom_error *error) {
  for (int k = 0; k < set->species_count; k++) {
    const carom_bed_species *s = &set->species[k];
    if (!(s->diameter > 0.0 && isfinite(s->diameter)))
      return carom_fail(
          error, CAROM_ERR_INPUT,
          "the diameter of rods is %g; it must be positive, up to %g for rods of this length",
          s->diameter, carom_told_most(s->length));
    if (!(s->length >= s->diameter && isfinite(s->length)))
      return carom_fail(
          error, CAROM_ERR_INPUT,
          "rods of diameter %g and length %g: the length counts the caps, so it is at "
          "least %g (a sphere)",
          s->diameter, s->length, carom_told_least(s->diameter));
    if (!(s->mass > 0.0 && s->across > 0.0 && s->along > 0.0 && isfinite(s->mass)))
      return carom_fail(error, CAROM_ERR_INPUT,
                        "mass %g and inertia %g, %g of rods must be positive", s->mass, s->across,
                        s->along);
  }
  return CAROM_OK;
}

int carom_bed_short_period(const carom_bed_settings *set, carom_error *error) {
  double longest = 0.0, reach = 0.0;
  for (int k = 0; k < set->species_count; k++) {
    longest = fmax(longest, set->species[k].length);
    reach = fmax(reach, set->species[k].length + set->species[k].diameter);
  }
  // who is not the nearest image at one search must not touch before the next
  const bool wide = longest + set->skin > reach;
  if (wide) reach = longest + set->skin;
  for (int c = 0; c < 3; c++)
    if (set->periodic[c] > 0.0 && set->periodic[c] < 2.0 * reach) {
      (void)carom_fail(error, CAROM_ERR_INPUT,
                       "a period of %g is too short for rods of length %g%s: a rod could touch two "
                       "images of another; at least %g works",
                       set->periodic[c], longest, wide ? " and so wide a skin" : "",
                       carom_told_least(2.0 * reach));
      return c;
    }
  return -1;
}

// walls hold rods between 0 and the period along c: none comes back at the other side
static bool is_closed(const carom_bed_settings *set, int c) {
  bool low = false, high = false;
  for (int k = 0; k < set->wall_count; k++) {
    const carom_bed_wall *wall = &set->walls[k];
    if (c == 2 && wall->driven) continue;
    if (wall->kind == CAROM_WALL_PLANE) {
      low = low || (wall->normal[c] == 1.0 && wall->at >= 0.0);
      high = high || (wall->normal[c] == -1.0 && -wall->at <= set->periodic[c]);
    } else if (wall->kind == CAROM_WALL_INSIDE && c < 2) {
      low = low || wall->centre[c] - wall->at >= 0.0;
      high = high || wall->centre[c] + wall->at <= set->periodic[c];
    }
  }
  return low && high;
}

// Walls do not repeat themselves: one across a period would be met from behind by rods that have
// passed its end. A post with room for rods around it is met from all sides.
static carom_status check_repeats(const carom_bed_settings *set, const carom_bed_wall *wall, int c,
                                  carom_error *error) {
  const char axis = (char)('x' + c);
  const double period = set->periodic[c];
  bool across = wall->kind == CAROM_WALL_PLANE ? wall->normal[c] != 0.0 : c < 2;
  if (!(period > 0.0) || !across || is_closed(set, c)) return CAROM_OK;
  if (wall->kind != CAROM_WALL_OUTSIDE)
    return carom_fail(error, CAROM_ERR_INPUT,
                      "the wall '%s' stands across %c, along which the bed repeats itself: rods "
                      "would come back behind it; leave out periodic.%c, or close the bed by two "
                      "walls between 0 and %g",
                      wall->name, axis, axis, period);
  double room = 0.0;
  for (int k = 0; k < set->species_count; k++)
    room = fmax(room, 0.5 * set->species[k].length + fmax(set->skin, set->species[k].diameter));
  room += wall->at;
  if (period < 2.0 * room)
    return carom_fail(error, CAROM_ERR_INPUT,
                      "a period of %g along %c leaves no room for rods about the cylinder '%s'; at "
                      "least %g works, with its centre in the middle",
                      period, axis, wall->name, carom_told_least(2.0 * room));
  if (wall->centre[c] >= room && wall->centre[c] <= period - room) return CAROM_OK;
  return carom_fail(error, CAROM_ERR_INPUT,
                    "the cylinder '%s' must stand within the period along %c, with room for rods: "
                    "its centre is at %g; the middle, %g, works",
                    wall->name, axis, wall->centre[c], 0.5 * period);
}

// in the plane nothing may push along y
static carom_status check_flat(const carom_bed_settings *set, const carom_bed_wall *wall,
                               carom_error *error) {
  bool plane = wall->kind == CAROM_WALL_PLANE;
  double out = plane ? wall->normal[1] : wall->centre[1];
  if (!set->plane || out == 0.0) return CAROM_OK;
  return carom_fail(error, CAROM_ERR_INPUT,
                    "the wall '%s' would push rods out of the plane y = 0: the y of its %s is %g; "
                    "0 works",
                    wall->name, plane ? "normal" : "centre", out);
}

int carom_bed_wrong_wall(const carom_bed_settings *set, carom_error *error) {
  for (int k = 0; k < set->wall_count; k++) {
    carom_status status = check_flat(set, &set->walls[k], error);
    for (int c = 0; c < 3 && !status; c++)
      status = check_repeats(set, &set->walls[k], c, error);
    if (status) return k;
  }
  return -1;
}

static double lightest_mass(const carom_bed_settings *set) {
  double mass = HUGE_VAL;
  for (int k = 0; k < set->species_count; k++) {
    const carom_bed_species *s = &set->species[k];
    // a push at the cap turns the rod too: the mass felt there is smaller
    double half = 0.5 * s->length, felt = 1.0 / (1.0 / s->mass + half * half / s->across);
    mass = fmin(mass, felt);
  }
  return mass;
}

// it must resolve a contact pressed in by a thousandth of the thinnest diameter
static double most_step(const carom_bed_settings *set, const carom_grain_law *law, bool pair) {
  double thin = HUGE_VAL, mass = lightest_mass(set) * (pair ? 0.5 : 1.0);
  for (int k = 0; k < set->species_count; k++)
    thin = fmin(thin, set->species[k].diameter);
  return 2.0 * carom_grain_law_step(law, mass, 1e-3 * thin);
}

double carom_bed_largest_step(const carom_bed_settings *set) {
  int kinds = set->species_count;
  double most = most_step(set, &set->law, true);
  for (int k = 0; set->laws && k < kinds * kinds; k++)
    most = fmin(most, most_step(set, &set->laws[k], true));
  for (int w = 0; w < set->wall_count; w++) {
    const carom_bed_wall *wall = &set->walls[w];
    most = fmin(most, most_step(set, &wall->law, false));
    for (int k = 0; wall->laws && k < kinds; k++)
      most = fmin(most, most_step(set, &wall->laws[k], false));
  }
  return most;
}

// of rods with each other, or with a wall
static carom_status check_law(const carom_bed_settings *set, const carom_grain_law *law,
                              const carom_bed_wall *wall, carom_error *error) {
  char where[80] = "between rods";
  if (wall) (void)snprintf(where, sizeof where, "with the wall '%.60s'", wall->name);
  carom_error inner = {0};
  if (carom_grain_law_check(law, &inner))
    return carom_fail(error, CAROM_ERR_INPUT, "contacts %s: %s", where, inner.text);
  if (set->step <= most_step(set, law, !wall)) return CAROM_OK;
  return carom_fail(error, CAROM_ERR_INPUT,
                    "a step of %g is too large for the stiffness of contacts %s; %.2g works",
                    set->step, where, 0.5 * carom_bed_largest_step(set));
}

carom_status carom_bed_check(const carom_bed_settings *set, carom_error *error) {
  if (!(set->step > 0.0 && isfinite(set->step)))
    return carom_fail(error, CAROM_ERR_INPUT, "the step is %g; it must be positive", set->step);
  carom_status status = check_species(set, error);
  if (!status && carom_bed_short_period(set, error) >= 0) status = CAROM_ERR_INPUT;
  if (!status && carom_bed_wrong_wall(set, error) >= 0) status = CAROM_ERR_INPUT;
  if (!status) status = check_law(set, &set->law, NULL, error);
  for (int k = 0; !status && set->laws && k < set->species_count * set->species_count; k++)
    status = check_law(set, &set->laws[k], NULL, error);
  for (int k = 0; !status && k < set->wall_count; k++) {
    const carom_bed_wall *wall = &set->walls[k];
    status = check_law(set, &wall->law, wall, error);
    for (int j = 0; !status && wall->laws && j < set->species_count; j++)
      status = check_law(set, &wall->laws[j], wall, error);
  }
  return status;
}

// who stands in the way of a start; the second may be a wall
static void blame_pair(carom_bed *bed, int a, int b, double depth) {
  bed->condition.trouble = (carom_bed_trouble){.yes = true, .a = a, .b = b, .depth = depth};
}

static carom_status check_pairs(carom_bed *bed, const carom_touch_list *list, carom_error *error) {
  for (int k = 0; k < list->count; k++) {
    int a = list->each[k].a, b = list->each[k].b;
    double gap = carom_bed_gap(bed, a, b);
    double thin = fmin(carom_bed_kind_of(bed, a)->radius, carom_bed_kind_of(bed, b)->radius);
    if (gap >= -CAROM_BED_ALLOWED * thin) continue;
    blame_pair(bed, bed->order.id[a], bed->order.id[b], -gap);
    return carom_fail(error, CAROM_ERR_INPUT,
                      "rods %d and %d overlap by %g at the start (%.1f %% of the radius); place "
                      "them at least %g further apart",
                      bed->order.id[a], bed->order.id[b], -gap, -100.0 * gap / thin, -gap);
  }
  return CAROM_OK;
}

// the rod that is farthest beyond a wall, and how far the wall would have to be moved out for all
static carom_status check_wall(carom_bed *bed, int which, carom_error *error) {
  const carom_bed_wall *wall = &bed->settings->walls[which];
  double worst = 0.0;
  int who = -1;
  for (int i = 0; i < bed->n; i++)
    for (int end = 0; end < 3; end++) {
      if ((end == CAROM_END_NEAREST) != (wall->kind == CAROM_WALL_OUTSIDE)) continue;
      double gap = carom_bed_wall_gap(bed, i, wall, end);
      if (gap >= -CAROM_BED_ALLOWED * carom_bed_kind_of(bed, i)->radius || gap >= worst) continue;
      worst = gap, who = i;
    }
  if (who < 0) return CAROM_OK;
  blame_pair(bed, bed->order.id[who], -1 - which, -worst);
  bool plane = wall->kind == CAROM_WALL_PLANE;
  double works = wall->kind == CAROM_WALL_INSIDE ? wall->at - worst : wall->at + worst;
  if (!plane && works <= 0.0) // no radius would do
    return carom_fail(error, CAROM_ERR_INPUT,
                      "rod %d stands within the cylinder '%s' at the start; move it out by %g",
                      bed->order.id[who], wall->name, -worst);
  return carom_fail(error, CAROM_ERR_INPUT,
                    "rod %d is %g beyond the wall '%s' at the start; move it in by that much, or "
                    "the wall out: %s %g instead of %g holds all rods",
                    bed->order.id[who], -worst, wall->name, plane ? "at" : "a radius of", works,
                    wall->at);
}

static carom_status check_place(carom_bed *bed, carom_error *error) {
  carom_status status = CAROM_OK;
  for (int c = 0; c < bed->chunk_count && !status; c++)
    status = check_pairs(bed, &bed->chunks[c].lists[0], error);
  for (int w = 0; w < bed->settings->wall_count && !status; w++)
    status = check_wall(bed, w, error);
  return status;
}

bool carom_bed_is_finite(const carom_bed *bed, int i) {
  bool finite = true;
  for (int c = 0; c < 3; c++)
    finite = finite && isfinite(bed->x[c][i]) && isfinite(bed->u[c][i]) && isfinite(bed->v[c][i]) &&
             isfinite(bed->w[c][i]);
  return finite;
}

static carom_status check_motion(const carom_bed *bed, carom_error *error) {
  for (int i = 0; i < bed->n; i++) {
    if (!carom_bed_is_finite(bed, i))
      return carom_fail(error, CAROM_ERR_INPUT, "rod %d starts at a place that is not finite",
                        bed->order.id[i]);
    bool flat = bed->x[1][i] == 0.0 && bed->u[1][i] == 0.0 && bed->v[1][i] == 0.0 &&
                bed->w[0][i] == 0.0 && bed->w[2][i] == 0.0;
    if (bed->settings->plane && !flat)
      return carom_fail(error, CAROM_ERR_INPUT, "rod %d starts outside the plane y = 0",
                        bed->order.id[i]);
  }
  return CAROM_OK;
}

static void normalise_axes(carom_bed *bed) {
  const double rounding = bed->condition.exact ? 1e-14 : 0.0;
  for (int i = 0; i < bed->n; i++) {
    double u[3] = {bed->u[0][i], bed->u[1][i], bed->u[2][i]};
    double size = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
    double spin = 0.0;
    if (fabs(size - 1.0) < rounding) size = 1.0;
    for (int c = 0; c < 3; c++) {
      bed->u[c][i] = size > 0.0 ? u[c] / size : c == 2 ? 1.0 : 0.0;
      spin += bed->u[c][i] * bed->w[c][i];
    }
    if (fabs(spin) * bed->settings->step < rounding) continue;
    for (int c = 0; c < 3 && bed->settings->no_spin; c++)
      bed->w[c][i] -= spin * bed->u[c][i];
  }
}

carom_status carom_bed_begin(carom_bed *bed, carom_error *error) {
  bed->condition.trouble = (carom_bed_trouble){0};
  carom_status status = carom_bed_check(bed->settings, error);
  if (!status) status = check_motion(bed, error);
  if (status) return status;
  bed->condition.begun = bed->condition.no_memory = false;
  normalise_axes(bed);
  carom_bed_place_walls(bed);
  if (!carom_bed_search_neighbours(bed)) return carom_fail_memory(error);
  if ((status = check_place(bed, error))) return status;
  carom_bed_show_motion(bed);
  carom_bed_forces(bed);
  if (bed->condition.no_memory) return carom_fail_memory(error);
  bed->condition.begun = true;
  bed->ledger.lost_normal = bed->ledger.taken_tangent = bed->ledger.work_drive = 0.0;
  return CAROM_OK;
}

// ---- what it has

static void add_springs(const carom_bed *bed, const carom_touch_list *list, int wall,
                        carom_bed_energy *e) {
  const carom_bed_settings *set = bed->settings;
  for (int k = 0; k < list->hot_count; k++) {
    const carom_touch_hot *it = &list->hot[k];
    const double *s = it->past, root = fabs(s[3]), depth = root * root;
    if (root <= 0.0) continue;
    const carom_grain_law *law = wall < 0 ? &set->law : &set->walls[wall].law;
    if (wall < 0 && set->laws)
      law = &set->laws[bed->kind[it->a] * set->species_count + bed->kind[it->b]];
    if (wall >= 0 && set->walls[wall].laws) law = &set->walls[wall].laws[bed->kind[it->a]];
    double s2 = s[0] * s[0] + s[1] * s[1] + s[2] * s[2];
    e->normal += law->hertz ? 0.4 * law->kn * depth * depth * root : 0.5 * law->kn * depth * depth;
    e->tangent += 0.5 * law->kt * (law->hertz ? root : 1.0) * s2;
  }
}

carom_bed_energy carom_bed_rod_energies(const carom_bed *bed, int i) {
  const double *g = bed->settings->gravity;
  const carom_bed_kind *kind = carom_bed_kind_of(bed, i);
  carom_bed_energy e = {0};
  double v2 = 0.0, w2 = 0.0, spin = 0.0, height = 0.0, along = kind->gyro / kind->ii;
  for (int c = 0; c < 3; c++) {
    v2 += bed->v[c][i] * bed->v[c][i];
    w2 += bed->w[c][i] * bed->w[c][i];
    spin += bed->w[c][i] * bed->u[c][i];
    height -= g[c] * (bed->x[c][i] + bed->order.image[c][i] * bed->settings->periodic[c]);
    e.along[c] = 0.5 * bed->v[c][i] * bed->v[c][i] / kind->im;
  }
  e.translation = 0.5 * v2 / kind->im;
  e.spin = 0.5 * along * spin * spin;
  e.rotation = 0.5 * (w2 - spin * spin) / kind->ii + e.spin;
  e.gravity = height / kind->im;
  return e;
}

carom_bed_energy carom_bed_energies(const carom_bed *bed) {
  carom_bed_energy e = {0};
  for (int i = 0; i < bed->n; i++) {
    carom_bed_energy own = carom_bed_rod_energies(bed, i);
    e.translation += own.translation;
    for (int c = 0; c < 3; c++)
      e.along[c] += own.along[c];
    e.spin += own.spin;
    e.rotation += own.rotation;
    e.gravity += own.gravity;
  }
  for (int c = 0; c < bed->chunk_count; c++)
    for (int k = 0; k <= bed->settings->wall_count; k++)
      add_springs(bed, &bed->chunks[c].lists[k], k - 1, &e);
  return e;
}

static long count_contacts(const carom_touch_list *list) {
  long count = 0;
  for (int k = 0; k < list->hot_count; k++)
    count += list->hot[k].past[3] != 0.0;
  return count;
}

long carom_bed_count_pairs(const carom_bed *bed) {
  long count = 0;
  for (int c = 0; c < bed->chunk_count; c++)
    count += count_contacts(&bed->chunks[c].lists[0]);
  return count;
}

long carom_bed_count_walls(const carom_bed *bed) {
  long count = 0;
  for (int c = 0; c < bed->chunk_count; c++)
    for (int k = 0; k < bed->settings->wall_count; k++)
      count += count_contacts(&bed->chunks[c].lists[1 + k]);
  return count;
}
