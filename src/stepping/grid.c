// SPDX-License-Identifier: MIT
// Who may touch whom. Bodies lie in the cells of a grid, whose edge is the size of the largest one
// that moves: two of them can touch in neighbouring cells only. Planes, cups and fixed bodies that
// are larger are asked about every body.
#include "base/vector.h"
#include "stepping/world.h"

#include <stdlib.h>
#include <string.h>

static bool has_shape(const carom_solid *s) { return s->shape.kind != CAROM_SOLID_NONE; }

static bool is_large(const carom_world *world, const carom_solid *s) {
  return s->shape.kind == CAROM_SOLID_PLANE || s->shape.kind == CAROM_SOLID_CUP ||
         2.0 * s->shape.reach > world->grid.cell;
}

bool carom_grid_create(carom_world *world) {
  carom_grid *g = &world->grid;
  size_t count = (size_t)world->count;
  g->bucket_count = 2 * world->count + 1;
  g->heads = carom_arena_array(world->arena, (size_t)g->bucket_count, sizeof *g->heads);
  g->next = carom_arena_array(world->arena, count, sizeof *g->next);
  g->cells = carom_arena_array(world->arena, 3 * count, sizeof *g->cells);
  g->large = carom_arena_array(world->arena, count, sizeof *g->large);
  if (!g->heads || !g->next || !g->cells || !g->large) return false;
  for (int k = 0; k < world->count; k++)
    if (world->solids[k].moves) g->cell = fmax(g->cell, 2.000001 * world->solids[k].shape.reach);
  if (g->cell == 0.0) g->cell = 1.0;
  g->large_count = 0;
  for (int k = 0; k < world->count; k++)
    if (has_shape(&world->solids[k]) && is_large(world, &world->solids[k]))
      g->large[g->large_count++] = k;
  return true;
}

static int bucket_of(const carom_grid *g, int x, int y, int z) {
  uint32_t hash = (uint32_t)x * 73856093u ^ (uint32_t)y * 19349663u ^ (uint32_t)z * 83492791u;
  return (int)(hash % (uint32_t)g->bucket_count);
}

static void fill_grid(carom_world *world) {
  carom_grid *g = &world->grid;
  const double far = 1e9; // cells beyond are one: whoever flies away meets nobody there
  for (int k = 0; k < g->bucket_count; k++)
    g->heads[k] = -1;
  for (int k = world->count - 1; k >= 0; k--) {
    const carom_solid *s = &world->solids[k];
    if (!has_shape(s) || is_large(world, s)) continue;
    int *cell = &g->cells[3 * k];
    for (int c = 0; c < 3; c++)
      cell[c] = (int)fmax(-far, fmin(far, floor(s->place[c] / g->cell)));
    int at = bucket_of(g, cell[0], cell[1], cell[2]);
    g->next[k] = g->heads[at];
    g->heads[at] = k;
  }
}

static bool boxes_meet(const carom_solid *a, const carom_solid *b) {
  double slack = 1e-6 * (a->shape.reach + b->shape.reach);
  for (int c = 0; c < 3; c++)
    if (a->low[c] > b->high[c] + slack || b->low[c] > a->high[c] + slack) return false;
  return true;
}

static bool is_bounded(const carom_solid *s) {
  return s->shape.kind != CAROM_SOLID_PLANE && s->shape.kind != CAROM_SOLID_CUP;
}

static void consider_pair(carom_world *world, int a, int b) {
  const carom_solid *one = &world->solids[a], *two = &world->solids[b];
  if (!one->moves && !two->moves) return;
  if (!carom_solid_stirs(one) && !carom_solid_stirs(two)) return;
  if (is_bounded(one) && is_bounded(two) && !boxes_meet(one, two)) return;
  for (int k = 0; k < world->set.law_count; k++) {
    const carom_world_law *law = &world->set.laws[k];
    if ((law->first[a] && law->second[b]) || (law->first[b] && law->second[a])) {
      carom_touch_pair(world, k, a, b);
      return;
    }
  }
}

// pairs a < b in the cells around that of a
static void look_around(carom_world *world, int a) {
  const carom_grid *g = &world->grid;
  const int *cell = &g->cells[3 * a];
  int deep = world->set.space ? 1 : 0;
  for (int i = -1; i <= 1; i++)
    for (int j = -1; j <= 1; j++)
      for (int k = -deep; k <= deep; k++) {
        int x = cell[0] + i, y = cell[1] + j, z = cell[2] + k;
        for (int b = g->heads[bucket_of(g, x, y, z)]; b >= 0; b = g->next[b]) {
          const int *other = &g->cells[3 * b];
          if (b > a && other[0] == x && other[1] == y && other[2] == z) consider_pair(world, a, b);
        }
      }
}

// the pair of bodies, whichever of them comes first
static int compare_pairs(const carom_touch *a, const carom_touch *b) {
  int a_low = a->a < a->b ? a->a : a->b, a_high = a->a < a->b ? a->b : a->a;
  int b_low = b->a < b->b ? b->a : b->b, b_high = b->a < b->b ? b->b : b->a;
  if (a_low != b_low) return a_low < b_low ? -1 : 1;
  return (a_high > b_high) - (a_high < b_high);
}

static int by_pair(const void *first, const void *second) {
  const carom_touch *a = first, *b = second;
  int pairs = compare_pairs(a, b);
  if (pairs != 0) return pairs;
  if (a->feature != b->feature) return a->feature < b->feature ? -1 : 1;
  for (int c = 0; c < 3; c++)
    if (a->arm_a[c] != b->arm_a[c]) return a->arm_a[c] < b->arm_a[c] ? -1 : 1;
  return 0;
}

static double distance_of(const carom_touch *t, const carom_touch *old) {
  double way[3];
  carom_v3_difference(t->arm_a, old->a == t->a ? old->arm_a : old->arm_b, way);
  return carom_v3_length(way);
}

// Of `count` contacts of the same pair in the step before the impulse of the nearest that nobody
// has taken. Which corner or cut it was does not matter: where edges lie above each other rounding
// says now this and now that, and impulses that are given to nobody are a blow.
static void take_nearest(const carom_world *world, carom_touch *t, carom_touch *old, int count) {
  double one = world->solids[t->a].shape.reach, two = world->solids[t->b].shape.reach;
  double nearest = 0.1 * (two > 0.0 ? fmin(one, two) : one);
  carom_touch *best = NULL;
  for (int k = 0; k < count; k++) {
    double far = distance_of(t, &old[k]);
    if (old[k].law < 0 || far >= nearest) continue;
    nearest = far;
    best = &old[k];
  }
  if (!best) return;
  best->law = -1; // taken
  // friction keeps its direction in space, whatever tangents are chosen
  double along[3] = {0.0, 0.0, 0.0}, sign = best->a == t->a ? 1.0 : -1.0;
  for (int c = 1; c < 3; c++)
    carom_v3_add(sign * best->p[c], best->axes[c], along);
  t->p[0] = best->p[0];
  t->p[1] = carom_v3_dot(along, t->axes[1]);
  t->p[2] = carom_v3_dot(along, t->axes[2]);
}

// impulses of the step before, for contacts that last; those that cling to nothing go
static void take_over(carom_world *world) {
  carom_touch *old = world->old;
  int first = 0, kept = 0;
  for (int k = 0; k < world->touch_count; k++) {
    carom_touch *t = &world->touches[k];
    while (first < world->old_count && compare_pairs(&old[first], t) < 0)
      first++;
    int end = first;
    while (end < world->old_count && compare_pairs(&old[end], t) == 0)
      end++;
    take_nearest(world, t, old + first, end - first);
    if (t->p[0] > 0.0 || !carom_touch_clings(world, t)) world->touches[kept++] = *t;
  }
  world->touch_count = kept;
}

static void gather_touches(carom_world *world) {
  const carom_grid *g = &world->grid;
  world->touch_count = 0;
  fill_grid(world);
  for (int a = 0; a < world->count; a++) {
    const carom_solid *s = &world->solids[a];
    if (!has_shape(s)) continue;
    bool large = is_large(world, s);
    for (int k = 0; k < g->large_count; k++)
      if (!large || g->large[k] > a) consider_pair(world, a, g->large[k]);
    if (!large) look_around(world, a);
  }
}

void carom_world_find(carom_world *world) {
  carom_touch *kept = world->touches;
  int room = world->touch_room;
  world->touches = world->old, world->touch_room = world->old_room;
  world->old = kept, world->old_room = room, world->old_count = world->touch_count;
  do
    gather_touches(world);
  while (carom_world_rouse(world));
  qsort(world->touches, (size_t)world->touch_count, sizeof *world->touches, by_pair);
  take_over(world);
}
