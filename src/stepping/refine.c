// SPDX-License-Identifier: MIT
// Where sweeps come to no end: the contact problem of the step as a whole, as a sparse matrix, for
// the solver of src/friction (Newton's method on cones, pivoting; docs/theory-friction.md).
#include "friction/friction.h"
#include "stepping/vector.h"
#include "stepping/world.h"

#include <stdlib.h>
#include <string.h>

typedef struct problem {
  int n;                      // components of a contact
  int *first, *next;          // contacts of each body: 2 i for its first, 2 i + 1 for its second
  int *start, *column, *slot; // blocks, and of the row being made the block of each contact
  double *block, *q, *mu, *p;
} problem;

static void destroy(problem *it) {
  free(it->first);
  free(it->next);
  free(it->start);
  free(it->column);
  free(it->slot);
  free(it->block);
  free(it->q);
  free(it->mu);
  free(it->p);
}

// who shares a body with whom; returns the number of blocks at most, or -1
static long link_contacts(const carom_world *world, problem *it) {
  size_t contacts = (size_t)world->touch_count, bodies = (size_t)world->count;
  it->n = world->set.space ? 3 : 2;
  it->first = malloc(bodies * sizeof *it->first);
  it->next = malloc(2 * contacts * sizeof *it->next);
  long *degree = calloc(bodies, sizeof *degree), blocks = 0;
  if (it->first && it->next && degree) {
    for (size_t k = 0; k < bodies; k++)
      it->first[k] = -1;
    for (int k = 2 * world->touch_count - 1; k >= 0; k--) {
      const carom_touch *t = &world->touches[k / 2];
      int body = k % 2 ? t->b : t->a;
      it->next[k] = it->first[body];
      it->first[body] = k;
      if (world->solids[body].moves) degree[body]++;
    }
    for (size_t k = 0; k < bodies; k++)
      blocks += degree[k] * degree[k];
  } else {
    blocks = -1;
  }
  free(degree);
  return blocks;
}

static bool make_room(const carom_world *world, problem *it) {
  long blocks = link_contacts(world, it);
  size_t contacts = (size_t)world->touch_count, n = (size_t)it->n;
  if (blocks < 0) return false;
  it->start = malloc((contacts + 1) * sizeof *it->start);
  it->slot = malloc(contacts * sizeof *it->slot);
  it->column = malloc((size_t)blocks * sizeof *it->column);
  it->block = malloc((size_t)blocks * n * n * sizeof *it->block);
  it->q = malloc(contacts * n * sizeof *it->q);
  it->p = malloc(contacts * n * sizeof *it->p);
  it->mu = malloc(contacts * sizeof *it->mu);
  return it->start && it->slot && it->column && it->block && it->q && it->p && it->mu;
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

static void fill(const carom_world *world, problem *it) {
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

static bool solve(carom_world *world, const problem *it) {
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
  options.sweeps = 100;
  carom_friction_solution *solution = NULL;
  if (carom_friction_solve(&options, &solution, NULL) != CAROM_OK) return false;
  const carom_friction_view *view = carom_friction_solution_look(solution);
  bool found = view->found;
  for (int i = 0; found && i < world->touch_count; i++)
    carom_touch_set(world, &world->touches[i], view->forces + i * it->n, it->n);
  carom_friction_solution_destroy(solution);
  return found;
}

bool carom_world_refine(carom_world *world) {
  problem it = {0};
  bool good = make_room(world, &it);
  if (good) fill(world, &it);
  good = good && solve(world, &it);
  destroy(&it);
  return good;
}
