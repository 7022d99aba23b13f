// SPDX-License-Identifier: MIT
// Where sweeps come to no end: the contact problem of the step as a whole, as a sparse matrix, for
// the solver of src/friction (Newton's method on cones, pivoting; docs/theory-friction.md).
#include "base/vector.h"
#include "friction/friction.h"
#include "stepping/world.h"

#include <limits.h>
#include <string.h>

/// Room for the problem, taken when the world begins and again where there are more contacts than
/// ever before.
typedef struct carom_refining {
  carom_arena *arena;         // of what contacts need; NULL: nothing yet
  int contacts, blocks;       // that there is room for
  int n;                      // components of a contact
  long *degree;               // contacts of each body that moves
  int *first, *next;          // contacts of each body: 2 i for its first, 2 i + 1 for its second
  int *start, *column, *slot; // blocks, and of the row being made the block of each contact
  double *block, *q, *mu, *p;
  carom_friction_workspace *work;
} problem;

static void give_back(void *room) {
  problem *it = room;
  carom_arena_destroy(it->arena);
}

bool carom_refine_create(carom_world *world) {
  problem *it = carom_arena_take(world->arena, sizeof *it);
  if (!it || !carom_arena_on_destroy(world->arena, give_back, it)) return false;
  it->n = world->set.space ? 3 : 2;
  it->first = carom_arena_array(world->arena, (size_t)world->count, sizeof *it->first);
  it->degree = carom_arena_array(world->arena, (size_t)world->count, sizeof *it->degree);
  world->refining = it;
  return it->first && it->degree;
}

static bool take_room(problem *it, int contacts, int blocks, const carom_allocator *allocator) {
  size_t count = (size_t)contacts, n = (size_t)it->n;
  carom_arena_destroy(it->arena);
  it->contacts = it->blocks = 0;
  carom_arena *arena = it->arena = carom_arena_create(allocator);
  if (!arena) return false;
  it->next = carom_arena_array(arena, 2 * count, sizeof *it->next);
  it->start = carom_arena_array(arena, count + 1, sizeof *it->start);
  it->slot = carom_arena_array(arena, count, sizeof *it->slot);
  it->column = carom_arena_array(arena, (size_t)blocks, sizeof *it->column);
  it->block = carom_arena_array(arena, (size_t)blocks, n * n * sizeof *it->block);
  it->q = carom_arena_array(arena, count, n * sizeof *it->q);
  it->p = carom_arena_array(arena, count, n * sizeof *it->p);
  it->mu = carom_arena_array(arena, count, sizeof *it->mu);
  it->work = carom_friction_workspace_create(arena, it->n, contacts, blocks);
  if (carom_arena_failures(arena) > 0 || !it->work) return false;
  it->contacts = contacts;
  it->blocks = blocks;
  return true;
}

// how many blocks there are at most
static long count_blocks(const carom_world *world, problem *it) {
  long blocks = 0;
  memset(it->degree, 0, (size_t)world->count * sizeof *it->degree);
  for (int k = 0; k < world->touch_count; k++) {
    it->degree[world->touches[k].a]++;
    it->degree[world->touches[k].b]++;
  }
  for (int k = 0; k < world->count; k++)
    if (world->solids[k].moves) blocks += it->degree[k] * it->degree[k];
  return blocks;
}

// a quarter more than is needed, so that room is seldom taken
static bool make_room(const carom_world *world, problem *it) {
  long contacts = world->touch_count, blocks = count_blocks(world, it);
  if (contacts <= it->contacts && blocks <= it->blocks) return true;
  contacts += contacts / 4;
  blocks += blocks / 4;
  if (contacts < it->contacts) contacts = it->contacts;
  if (blocks < it->blocks) blocks = it->blocks;
  return blocks <= INT_MAX &&
         take_room(it, (int)contacts, (int)blocks, carom_arena_allocator(world->arena));
}

// who shares a body with whom
static void link_contacts(const carom_world *world, problem *it) {
  for (int k = 0; k < world->count; k++)
    it->first[k] = -1;
  for (int k = 2 * world->touch_count - 1; k >= 0; k--) {
    const carom_touch *t = &world->touches[k / 2];
    int body = k % 2 ? t->b : t->a;
    it->next[k] = it->first[body];
    it->first[body] = k;
  }
}

// adds what impulses of contact j do to velocities of contact i through a body of both
static void add_block(const carom_world *world, int n, int i, int j, double *block) {
  const carom_touch *t = &world->touches[i / 2], *u = &world->touches[j / 2];
  const carom_solid *s = &world->solids[i % 2 ? t->b : t->a];
  double sign = i % 2 == j % 2 ? 1.0 : -1.0;
  for (int k = 0; k < n; k++)
    for (int l = 0; l < n; l++) {
      const double *turn = i % 2 ? t->turn_b[k] : t->turn_a[k];
      const double *spread = j % 2 ? u->spread_b[l] : u->spread_a[l];
      block[k * n + l] +=
          sign * (s->light * carom_v3_dot(t->axes[k], u->axes[l]) + carom_v3_dot(turn, spread));
    }
}

static void fill_row(const carom_world *world, problem *it, int i, int *used) {
  size_t size = (size_t)(it->n * it->n);
  int begin = *used;
  it->start[i] = begin;
  for (int side = 2 * i; side < 2 * i + 2; side++) {
    int body = side % 2 ? world->touches[i].b : world->touches[i].a;
    if (!world->solids[body].moves) continue;
    for (int other = it->first[body]; other >= 0; other = it->next[other]) {
      int j = other / 2, at = it->slot[j];
      if (at < begin || at >= *used || it->column[at] != j) {
        at = it->slot[j] = (*used)++;
        it->column[at] = j;
        memset(it->block + (size_t)at * size, 0, size * sizeof *it->block);
      }
      add_block(world, it->n, side, other, it->block + (size_t)at * size);
    }
  }
}

static void fill_problem(const carom_world *world, problem *it) {
  int used = 0;
  for (int i = 0; i < world->touch_count; i++)
    it->slot[i] = -1;
  for (int i = 0; i < world->touch_count; i++) {
    const carom_touch *t = &world->touches[i];
    fill_row(world, it, i, &used);
    it->mu[i] = t->friction;
    for (int k = 0; k < it->n; k++)
      it->p[i * it->n + k] = t->p[k];
  }
  it->start[world->touch_count] = used;
  // velocities without any impulse: those of now, less what the impulses of now do
  for (int i = 0; i < world->touch_count; i++)
    for (int k = 0; k < it->n; k++) {
      double v = carom_touch_speed(world, &world->touches[i], k);
      if (k == 0) v += world->touches[i].rest;
      for (int b = it->start[i]; b < it->start[i + 1]; b++)
        for (int l = 0; l < it->n; l++)
          v -= it->block[(b * it->n + k) * it->n + l] * it->p[it->column[b] * it->n + l];
      it->q[i * it->n + k] = v;
    }
}

static bool solve_problem(carom_world *world, const problem *it) {
  carom_friction_options options = carom_friction_options_default();
  options.dimension = it->n;
  options.contacts = world->touch_count;
  options.block_start = it->start;
  options.block_column = it->column;
  options.block = it->block;
  options.q = it->q;
  options.mu = it->mu;
  options.start = it->p;
  options.tolerance = 0.01 * world->set.residual;
  options.sweeps = 20;
  const carom_friction_view *view = NULL;
  if (carom_friction_find(&options, it->work, &view, NULL) != CAROM_OK) return false;
  // what is no solution may be nearer to it than what sweeps have
  double before = carom_world_misfit(world);
  for (int i = 0; i < world->touch_count; i++)
    carom_touch_set(world, &world->touches[i], view->forces + i * it->n, it->n);
  if (view->found || carom_world_misfit(world) < before) return true;
  for (int i = 0; i < world->touch_count; i++)
    carom_touch_set(world, &world->touches[i], it->p + i * it->n, it->n);
  return false;
}

bool carom_world_refine(carom_world *world) {
  problem *it = world->refining;
  if (!make_room(world, it)) return carom_world_no_memory(world);
  link_contacts(world, it);
  fill_problem(world, it);
  return solve_problem(world, it);
}
