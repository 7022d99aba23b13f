// SPDX-License-Identifier: MIT
// Sweeps made faster. A sweep forth and back takes impulses x to g(x), and wanted is x = g(x).
// Anderson (1965), J. ACM 12, 547: of the last m differences of f = g(x) - x and of g, combine
// those that take most of f away,
//
//   least |f - F c|,   x' = g - G c,
//
// in the norm of the weights of contacts, whose squares are energies. Where contacts hold what they
// do it is a Krylov method with the sweep before it (Walker and Ni 2011, SIAM J. Numer. Anal. 49,
// 1715): a pile then needs about the root of the sweeps. Each round costs m products of vectors,
// linear in contacts; sums have a fixed order. Where |f| grows the differences are forgotten, and
// sweeps go on from where they were.
#include "base/linear.h"
#include "base/vector.h"
#include "stepping/world.h"

#include <string.h>

enum { HISTORY = 10 };

struct carom_acceleration {
  carom_arena *arena; // of the vectors; NULL: nothing yet
  int room, count;    // numbers there is room for, and there are
  int have, next;     // differences, and where the next one goes
  bool begun;         // x and the last f and g are known
  double best;        // the least |f| since differences were forgotten
  double *root;       // of the weights, by which f and its differences are multiplied
  double *x, *f, *g, *now, *df[HISTORY], *dg[HISTORY];
  double products[HISTORY][HISTORY]; // of df
};

static void give_back(void *room) {
  struct carom_acceleration *it = room;
  carom_arena_destroy(it->arena);
}

struct carom_acceleration *carom_accelerate_create(carom_arena *arena) {
  struct carom_acceleration *it = carom_arena_take(arena, sizeof *it);
  return it && carom_arena_on_destroy(arena, give_back, it) ? it : NULL;
}

static bool make_room(struct carom_acceleration *it, int count, const carom_allocator *allocator) {
  it->count = count;
  if (count <= it->room) return true;
  carom_arena_destroy(it->arena);
  it->room = 0;
  carom_arena *arena = it->arena = carom_arena_create(allocator);
  if (!arena) return false;
  size_t room = (size_t)count + (size_t)count / 4;
  double **const vectors[] = {&it->root, &it->x, &it->f, &it->g, &it->now};
  for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
    *vectors[k] = carom_arena_array(arena, room, sizeof(double));
  for (int k = 0; k < HISTORY; k++) {
    it->df[k] = carom_arena_array(arena, room, sizeof(double));
    it->dg[k] = carom_arena_array(arena, room, sizeof(double));
  }
  if (carom_arena_failures(arena) > 0) return false;
  it->room = (int)room;
  return true;
}

// impulses of all contacts, then of all rows of joints
static void read_impulses(const carom_world *world, double *p) {
  for (int k = 0; k < world->touch_count; k++, p += 3)
    memcpy(p, world->touches[k].p, sizeof world->touches[k].p);
  for (int k = 0; k < world->row_count; k++)
    p[k] = world->rows[k].p;
}

static void write_impulses(carom_world *world, double *p) {
  for (int k = 0; k < world->touch_count; k++, p += 3) {
    const carom_touch *t = &world->touches[k];
    double length = sqrt(p[1] * p[1] + p[2] * p[2]);
    p[0] = fmax(0.0, p[0]);
    double part = length > t->friction * p[0] ? t->friction * p[0] / length : 1.0;
    p[1] *= part, p[2] *= part;
    carom_touch_set(world, &world->touches[k], p, 3);
  }
  for (int k = 0; k < world->row_count; k++)
    carom_row_set(world, &world->rows[k], p[k]);
}

static void read_roots(const carom_world *world, double *root) {
  for (int k = 0; k < world->touch_count; k++, root += 3) {
    root[0] = sqrt(world->touches[k].weight);
    root[1] = root[2] = sqrt(world->touches[k].along);
  }
  for (int k = 0; k < world->row_count; k++)
    root[k] = sqrt(fmax(0.0, world->rows[k].weight));
}

// four sums side by side, in an order of their own
static double inner_product(const struct carom_acceleration *it, const double *a, const double *b) {
  double sums[4] = {0.0, 0.0, 0.0, 0.0};
  int k = 0;
  for (; k + 4 <= it->count; k += 4)
    for (int i = 0; i < 4; i++)
      sums[i] += a[k + i] * b[k + i];
  for (; k < it->count; k++)
    sums[0] += a[k] * b[k];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

// c of the least |f - F c|
static void combine_history(const struct carom_acceleration *it, double c[HISTORY]) {
  const double drop = 1e-14;
  double normal[HISTORY * HISTORY];
  int order[HISTORY], m = it->have;
  for (int i = 0; i < m; i++) {
    c[i] = inner_product(it, it->df[i], it->f);
    memcpy(normal + i * m, it->products[i], (size_t)m * sizeof *normal);
  }
  (void)carom_solve_semidefinite(m, normal, c, drop, order);
}

static void forget_history(struct carom_acceleration *it) {
  it->have = it->next = 0;
  it->best = HUGE_VAL;
}

bool carom_accelerate_begin(carom_world *world) {
  struct carom_acceleration *it = world->acceleration;
  if (!make_room(it, 3 * world->touch_count + world->row_count,
                 carom_arena_allocator(world->arena)))
    return carom_world_no_memory(world);
  read_roots(world, it->root);
  read_impulses(world, it->x);
  it->begun = false;
  forget_history(it);
  return true;
}

// The impulses of now are g(x): f and g become those of this round, differences those from the
// last one. Returns |f|.
static double take_round(const carom_world *world, struct carom_acceleration *it) {
  double *df = it->df[it->next], *dg = it->dg[it->next], *now = it->now;
  read_impulses(world, now);
  for (int k = 0; k < it->count; k++) {
    double f = it->root[k] * (now[k] - it->x[k]);
    df[k] = f - it->f[k];
    dg[k] = now[k] - it->g[k];
    it->f[k] = f;
    it->g[k] = now[k];
  }
  if (it->begun) {
    if (it->have < HISTORY) it->have++;
    for (int j = 0; j < it->have; j++)
      it->products[it->next][j] = it->products[j][it->next] = inner_product(it, df, it->df[j]);
    it->next = (it->next + 1) % HISTORY;
  }
  it->begun = true;
  return sqrt(inner_product(it, it->f, it->f));
}

void carom_accelerate(carom_world *world) {
  const double worse = 2.0;
  struct carom_acceleration *it = world->acceleration;
  double c[HISTORY], off = take_round(world, it);
  if (off > worse * it->best) forget_history(it);
  it->best = fmin(it->best, off);
  memcpy(it->x, it->g, (size_t)it->count * sizeof *it->x);
  if (it->have == 0) return;
  combine_history(it, c);
  for (int j = 0; j < it->have; j++)
    for (int k = 0; k < it->count; k++)
      it->x[k] -= c[j] * it->dg[j][k];
  write_impulses(world, it->x);
}
