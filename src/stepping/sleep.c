// SPDX-License-Identifier: MIT
// Sleep, if a scenario asks for it (run.sleep, a speed). Bodies that touch each other or are joined
// are an island. Where none of an island's bodies has been faster for a while it sleeps: its bodies
// stand still like fixed ones, and their contacts with each other are not looked for. It wakes in
// the very step in which a body that moves touches one of them, or a force on one is another one
// than it was. What of motion is stopped so is booked as energy put right.
#include "base/vector.h"
#include "stepping/world.h"

#include <string.h>

// Steps that a body has been slow for, and at least twice as many as gravity needs to make it
// faster and to take that away: who turns round in flight does not sleep.
static double calm_steps(const carom_world *world) {
  const double least = 50.0;
  double fall = world->set.step * carom_v3_length(world->set.gravity);
  return fall > 0.0 ? fmax(least, 4.0 * world->set.sleep / fall) : least;
}

bool carom_solid_stirs(const carom_solid *s) {
  if (s->moves) return s->asleep == 0;
  for (int c = 0; c < 3; c++)
    if (s->v[c] != 0.0 || s->v0[c] != 0.0 || s->w[c] != 0.0 || s->w0[c] != 0.0) return true;
  return false;
}

// ---- falling asleep

// the first body of an island, with shorter ways for the next who asks
static int root_of(int *parent, int k) {
  while (parent[k] != k)
    k = parent[k] = parent[parent[k]];
  return k;
}

// Both ends of a contact or joint belong together; whoever is held by what time moves is not at
// rest.
static void link_ends(carom_world *world, int a, int b) {
  carom_solid *one = &world->solids[a], *two = &world->solids[b];
  int *parent = world->nap.parent;
  world->nap.held[a] = world->nap.held[b] = true;
  if (one->moves && two->moves) {
    int low = root_of(parent, a), high = root_of(parent, b);
    parent[low < high ? high : low] = low < high ? low : high;
    return;
  }
  if (one->moves && carom_solid_stirs(two)) one->calm = 0;
  if (two->moves && carom_solid_stirs(one)) two->calm = 0;
}

static void watch_solid(carom_world *world, carom_solid *s) {
  double spin = carom_v3_length(s->spin) * s->shape.reach;
  s->calm = carom_v3_length(s->v) + spin < world->set.sleep ? s->calm + 1 : 0;
}

static void lay_down(carom_world *world, carom_solid *s, int island) {
  double turning = 0.0;
  for (int c = 0; c < 3; c++)
    turning += s->inertia[c] * s->spin[c] * s->spin[c];
  double stopped = 0.5 * s->mass * carom_v3_dot(s->v, s->v) + 0.5 * turning;
  world->ledger.projected -= stopped;
  world->ledger.corrected += stopped;
  world->ledger.sleep.stopped += stopped;
  world->ledger.sleep.slept++;
  memset(s->v, 0, sizeof s->v);
  memset(s->spin, 0, sizeof s->spin);
  s->asleep = island + 1;
}

void carom_world_doze(carom_world *world) {
  carom_world_nap *nap = &world->nap;
  if (world->set.sleep <= 0.0) return;
  for (int k = 0; k < world->count; k++) {
    nap->parent[k] = k, nap->held[k] = false;
    if (world->solids[k].moves && !world->solids[k].asleep) watch_solid(world, &world->solids[k]);
  }
  for (int k = 0; k < world->touch_count; k++)
    link_ends(world, world->touches[k].a, world->touches[k].b);
  for (int k = 0; k < world->row_count; k++)
    link_ends(world, world->rows[k].a, world->rows[k].b);
  // the island is as calm as its least calm body; one that floats freely does not sleep
  double wanted = calm_steps(world);
  for (int k = 0; k < world->count; k++) {
    carom_solid *s = &world->solids[k], *root = &world->solids[root_of(nap->parent, k)];
    if (!s->moves || s->asleep) continue;
    if (!nap->held[k]) s->calm = 0;
    if (s->calm < root->calm) root->calm = s->calm;
  }
  for (int k = 0; k < world->count; k++) {
    carom_solid *s = &world->solids[k];
    int root = root_of(nap->parent, k);
    if (s->moves && !s->asleep && (double)world->solids[root].calm >= wanted)
      lay_down(world, s, root);
  }
}

// ---- waking

static void wake_island(carom_world *world, int island) {
  for (int k = 0; k < world->count; k++) {
    carom_solid *s = &world->solids[k];
    if (!s->moves || s->asleep != island) continue;
    s->asleep = 0, s->calm = 0;
    world->ledger.sleep.woken++;
    carom_solid_begin(world, s);
  }
}

bool carom_world_rouse(carom_world *world) {
  bool any = false;
  for (int k = 0; k < world->touch_count; k++) {
    const carom_touch *t = &world->touches[k];
    if (carom_touch_clings(world, t)) continue;
    for (int side = 0; side < 2; side++) {
      int island = world->solids[side ? t->b : t->a].asleep;
      if (island) wake_island(world, island);
      any = any || island;
    }
  }
  return any;
}

void carom_world_rouse_pushed(carom_world *world) {
  for (int k = 0; k < world->count && world->set.sleep > 0.0; k++) {
    const carom_solid *s = &world->solids[k];
    for (int c = 0; c < 6 && s->asleep; c++)
      if (world->set.step * world->outside.forces[k][c] != s->pushed[c])
        wake_island(world, s->asleep);
  }
}
