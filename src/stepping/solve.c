// SPDX-License-Identifier: MIT
// Impulses of a step by sweeps over contacts and joints (nonsmooth Gauss-Seidel, Jean 1999): each
// takes the impulse its own law asks for, given all others. The order is fixed: forth, then back.
#include "base/vector.h"
#include "stepping/world.h"

#include <limits.h>
#include <string.h>

// Sweeps before a step is solved as a whole: as many as cost what that does, by measurement of
// piles and walls (tuned on bench_bodies); beyond so many products of blocks there are only sweeps.
static const long LEAST_SWEEPS = 200;

static long patience_for(carom_world *world) {
  const double most = 3e6, in_sweeps = world->set.space ? 1.0 : 0.2;
  double cost = carom_whole_cost(world), contacts = (double)(world->touch_count + world->row_count);
  return cost > most ? LONG_MAX : LEAST_SWEEPS + (long)(in_sweeps * cost / contacts);
}

// ---- rows of contacts

static double speed_along(const carom_touch *t, int k, const carom_solid *a, const carom_solid *b) {
  const double *n = t->axes[k];
  return n[0] * (a->v[0] - b->v[0]) + n[1] * (a->v[1] - b->v[1]) + n[2] * (a->v[2] - b->v[2]) +
         carom_v3_dot(t->turn_a[k], a->w) - carom_v3_dot(t->turn_b[k], b->w);
}

static void push_solids(const carom_touch *t, int k, double p, carom_solid *a, carom_solid *b) {
  carom_v3_add(p * a->light, t->axes[k], a->v);
  carom_v3_add(-p * b->light, t->axes[k], b->v);
  carom_v3_add(p, t->spread_a[k], a->w);
  carom_v3_add(-p, t->spread_b[k], b->w);
}

// What gravity brings within two steps is no blow: contacts that last do not bounce, and a body
// that is held from all sides could not do what restitution asks for at each of them.
bool carom_touch_strikes(const carom_world *world, const carom_touch *touch) {
  double slow = 2.0 * world->set.step * carom_v3_length(world->set.gravity);
  return touch->before[0] < -slow;
}

static void prepare_touch(carom_world *world, carom_touch *t) {
  const carom_solid *a = &world->solids[t->a], *b = &world->solids[t->b];
  double weights[3] = {0.0, 0.0, 0.0}, cross = 0.0;
  for (int k = 0; k < (world->set.space ? 3 : 2); k++) {
    carom_v3_cross(t->arm_a, t->axes[k], t->turn_a[k]);
    carom_v3_cross(t->arm_b, t->axes[k], t->turn_b[k]);
    carom_m3_times(a->spread, t->turn_a[k], t->spread_a[k]);
    carom_m3_times(b->spread, t->turn_b[k], t->spread_b[k]);
    weights[k] = a->light + b->light + carom_v3_dot(t->turn_a[k], t->spread_a[k]) +
                 carom_v3_dot(t->turn_b[k], t->spread_b[k]);
    const double *n = t->axes[k];
    t->before[k] = carom_v3_dot(n, a->v0) - carom_v3_dot(n, b->v0) +
                   carom_v3_dot(t->turn_a[k], a->w0) - carom_v3_dot(t->turn_b[k], b->w0);
  }
  if (world->set.space)
    cross = fabs(carom_v3_dot(t->turn_a[1], t->spread_a[2]) +
                 carom_v3_dot(t->turn_b[1], t->spread_b[2]));
  t->weight = weights[0];
  t->along = fmax(weights[1], weights[2]) + cross; // no less than the largest eigenvalue
  const carom_world_law *law = &world->set.laws[t->law];
  t->friction = law->friction;
  t->rest = carom_touch_strikes(world, t) ? law->restitution * t->before[0] : 0.0;
}

// p_t of Coulomb's law where sticking would take (x, y)
static void hold_by_friction(const carom_touch *t, double *x, double *y) {
  double most = t->friction * t->p[0], length = sqrt(*x * *x + *y * *y);
  if (length <= most) return;
  *x *= most / length;
  *y *= most / length;
}

// The impulse of one contact; returns how far its velocities were from the law.
static double settle_touch(carom_world *world, carom_touch *t) {
  carom_solid *a = &world->solids[t->a], *b = &world->solids[t->b];
  double speed = speed_along(t, 0, a, b) + t->rest;
  double wanted = fmax(0.0, t->p[0] - speed / t->weight), change = wanted - t->p[0];
  double off = fabs(change) * t->weight;
  if (change != 0.0) push_solids(t, 0, change, a, b);
  t->p[0] = wanted;
  if (t->friction == 0.0) return off;
  double x = t->p[1] - speed_along(t, 1, a, b) / t->along, y = 0.0;
  if (world->set.space) y = t->p[2] - speed_along(t, 2, a, b) / t->along;
  hold_by_friction(t, &x, &y);
  double dx = x - t->p[1], dy = y - t->p[2];
  if (dx != 0.0) push_solids(t, 1, dx, a, b);
  if (dy != 0.0) push_solids(t, 2, dy, a, b);
  t->p[1] = x, t->p[2] = y;
  return fmax(off, sqrt(dx * dx + dy * dy) * t->along);
}

// the same, only looked at
static double touch_misfit(const carom_world *world, const carom_touch *t) {
  const carom_solid *a = &world->solids[t->a], *b = &world->solids[t->b];
  double speed = speed_along(t, 0, a, b) + t->rest;
  double off = fabs(fmax(0.0, t->p[0] - speed / t->weight) - t->p[0]) * t->weight;
  double x = t->p[1] - speed_along(t, 1, a, b) / t->along, y = 0.0;
  if (world->set.space) y = t->p[2] - speed_along(t, 2, a, b) / t->along;
  hold_by_friction(t, &x, &y);
  double dx = x - t->p[1], dy = y - t->p[2];
  return fmax(off, sqrt(dx * dx + dy * dy) * t->along);
}

double carom_touch_speed(const carom_world *world, const carom_touch *touch, int k) {
  return speed_along(touch, k, &world->solids[touch->a], &world->solids[touch->b]);
}

void carom_touch_set(carom_world *world, carom_touch *touch, const double *p, int count) {
  for (int k = 0; k < count; k++) {
    push_solids(touch, k, p[k] - touch->p[k], &world->solids[touch->a], &world->solids[touch->b]);
    touch->p[k] = p[k];
  }
}

// ---- rows of joints

static double row_speed(const carom_row *row, const carom_solid *a, const carom_solid *b) {
  return carom_v3_dot(row->lin, a->v) - carom_v3_dot(row->lin, b->v) +
         carom_v3_dot(row->turn_a, a->w) - carom_v3_dot(row->turn_b, b->w);
}

static double row_misfit(const carom_row *row, const carom_solid *a, const carom_solid *b) {
  return row_speed(row, a, b) + row->echo * row->before + row->aim + row->soft * row->p;
}

static void push_row(const carom_row *row, double p, carom_solid *a, carom_solid *b) {
  carom_v3_add(p * a->light, row->lin, a->v);
  carom_v3_add(-p * b->light, row->lin, b->v);
  carom_v3_add(p, row->spread_a, a->w);
  carom_v3_add(-p, row->spread_b, b->w);
}

double carom_row_speed(const carom_world *world, const carom_row *row) {
  return row_speed(row, &world->solids[row->a], &world->solids[row->b]);
}

void carom_row_set(carom_world *world, carom_row *row, double p) {
  push_row(row, p - row->p, &world->solids[row->a], &world->solids[row->b]);
  row->p = p;
}

static void prepare_row(carom_world *world, carom_row *row) {
  const carom_solid *a = &world->solids[row->a], *b = &world->solids[row->b];
  row->before = carom_v3_dot(row->lin, a->v0) - carom_v3_dot(row->lin, b->v0) +
                carom_v3_dot(row->turn_a, a->w0) - carom_v3_dot(row->turn_b, b->w0);
}

static double settle_row(carom_world *world, carom_row *row) {
  carom_solid *a = &world->solids[row->a], *b = &world->solids[row->b];
  if (row->weight <= 0.0) return 0.0;
  double p = -row_misfit(row, a, b) / (row->weight + row->soft);
  push_row(row, p, a, b);
  row->p += p;
  return fabs(p) * row->weight;
}

// ---- sweeps

static void begin_sweeps(carom_world *world) {
  for (int k = 0; k < world->touch_count; k++) {
    carom_touch *t = &world->touches[k];
    prepare_touch(world, t);
    hold_by_friction(t, &t->p[1], &t->p[2]);
    for (int c = 0; c < 3; c++)
      if (t->p[c] != 0.0) push_solids(t, c, t->p[c], &world->solids[t->a], &world->solids[t->b]);
  }
  for (int k = 0; k < world->row_count; k++) {
    carom_row *row = &world->rows[k];
    prepare_row(world, row);
    push_row(row, row->p, &world->solids[row->a], &world->solids[row->b]);
  }
}

// what velocities are compared with: the fastest of the contacts and joints, and what gravity,
// springs and forces add
double carom_world_scale(const carom_world *world) {
  double most = world->set.step * carom_v3_length(world->set.gravity);
  for (int k = 0; k < world->touch_count; k++)
    for (int c = 0; c < 3; c++)
      most = fmax(most, fabs(world->touches[k].before[c]));
  for (int k = 0; k < world->count; k++)
    if ((world->row_count || world->outside.push) && world->solids[k].moves)
      most = fmax(most, carom_v3_length(world->solids[k].v0));
  for (int k = 0; k < world->row_count; k++) {
    const carom_row *row = &world->rows[k];
    most = fmax(most, fabs(row->aim) * row->weight / (row->weight + row->soft));
  }
  for (int k = 0; k < world->count; k++) {
    const carom_solid *s = &world->solids[k];
    if (!world->outside.push || !s->moves) continue;
    most = fmax(most, s->light * carom_v3_length(s->pushed));
    most = fmax(most, s->shape.reach * carom_v3_length(s->w));
  }
  return most;
}

static double sweep_touches(carom_world *world, bool back) {
  double off = 0.0;
  for (int k = 0; k < world->row_count; k++)
    off = fmax(off, settle_row(world, &world->rows[back ? world->row_count - 1 - k : k]));
  for (int k = 0; k < world->touch_count; k++)
    off = fmax(off, settle_touch(world, &world->touches[back ? world->touch_count - 1 - k : k]));
  return off;
}

double carom_world_misfit(const carom_world *world) {
  double off = 0.0;
  for (int k = 0; k < world->touch_count; k++)
    off = fmax(off, touch_misfit(world, &world->touches[k]));
  for (int k = 0; k < world->row_count; k++) {
    const carom_row *row = &world->rows[k];
    if (row->weight <= 0.0) continue;
    double misfit = row_misfit(row, &world->solids[row->a], &world->solids[row->b]);
    off = fmax(off, fabs(misfit) * row->weight / (row->weight + row->soft));
  }
  return off;
}

// Bodies that are held from several sides and struck there may find no velocities that part from
// each as fast as restitution asks for. Such a step is one without restitution, and counted.
static bool give_up_restitution(carom_world *world) {
  bool struck = false;
  for (int k = 0; k < world->touch_count; k++) {
    struck = struck || world->touches[k].rest != 0.0;
    world->touches[k].rest = 0.0;
  }
  world->ledger.ways.yielded += struck;
  return struck;
}

static void note_unsolved(carom_world *world) {
  carom_world_ledger *ledger = &world->ledger;
  double t = carom_world_time(world);
  if (ledger->unsolved++ == 0) ledger->ways.unsolved_from = t;
  ledger->ways.unsolved_until = t;
}

// Where nothing touches and no joint holds: Euler's equations and forces by themselves.
static void solve_free(carom_world *world) {
  const int most_rounds = 100;
  double scale = carom_world_scale(world), off = HUGE_VAL;
  for (int round = 0; round < most_rounds && off > 1e-15 * scale; round++)
    off = carom_world_push(world);
  if (off > world->set.residual * scale) note_unsolved(world);
}

void carom_world_solve(carom_world *world) {
  carom_world_ledger *ledger = &world->ledger;
  begin_sweeps(world);
  if (world->touch_count + world->row_count == 0) {
    if (world->outside.by_velocity) solve_free(world);
    return;
  }
  double scale = carom_world_scale(world), enough = world->set.residual * scale, off = HUGE_VAL;
  long done = 0, least = 0, patience = LEAST_SWEEPS;
  if (!carom_accelerate_begin(world)) return;
  while (off > enough && done < world->set.sweeps) {
    off = sweep_touches(world, done++ % 2 == 1);
    if (off <= enough) off = carom_world_misfit(world); // with the velocities that all of them left
    if (off <= enough) off = fmax(off, carom_world_push(world));
    if (off > enough && done % 2 == 0) carom_accelerate(world);
    if (off <= enough || done < patience) continue;
    if (least == 0) patience = least = patience_for(world);
    if (world->out_of_memory) return;
    if (done < patience) continue;
    patience = 2 * done;
    if (done > 4 * least) (void)give_up_restitution(world);
    off = carom_world_whole(world, 0.5 * enough);
    ledger->ways.refined++;
    if (off <= enough) off = fmax(off, carom_world_push(world));
    if (world->out_of_memory || !carom_accelerate_begin(world)) return;
  }
  if (off > enough) note_unsolved(world);
  if (scale > 0.0) ledger->residual = fmax(ledger->residual, off / scale);
  ledger->sweeps += done;
  ledger->contact_sweeps += done * (world->touch_count + world->row_count);
  if (done > ledger->most_sweeps) ledger->most_sweeps = done;
}
