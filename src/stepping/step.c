// SPDX-License-Identifier: MIT
// One step, and what it did with the energy. With theta = 1/2 the change of the kinetic energy is
// the work of the impulses with the mean of the velocities, and gravity's part of it is exactly
// what the potential energy loses: the ledger closes to rounding, whatever the step.
#include "base/vector.h"
#include "stepping/world.h"

#include <string.h>

double carom_world_time(const carom_world *world) {
  return world->start + (double)world->ledger.steps * world->set.step;
}

static void put_pose(carom_solid *s, const carom_pose *pose, bool space) {
  memcpy(s->place, pose->place, sizeof s->place);
  memcpy(s->turn, pose->turn, sizeof s->turn);
  carom_solid_pose(s, space, 0.0);
}

void carom_world_drive(carom_world *world, double t) {
  for (int k = 0; k < world->count; k++) {
    carom_pose pose;
    if (world->solids[k].moves) continue;
    world->outside.drive(world->outside.ctx, k, t, &pose);
    put_pose(&world->solids[k], &pose, world->set.space);
  }
}

// bodies that time moves: velocities at both ends, place in the middle
static void drive_step(carom_world *world) {
  double t = carom_world_time(world), h = world->set.step;
  if (!world->outside.driven) return;
  for (int k = 0; k < world->count; k++) {
    carom_solid *s = &world->solids[k];
    carom_pose pose;
    if (s->moves) continue;
    world->outside.drive(world->outside.ctx, k, t, &pose);
    memcpy(s->v0, pose.v, sizeof s->v0);
    memcpy(s->w0, pose.w, sizeof s->w0);
    world->outside.drive(world->outside.ctx, k, t + h, &pose);
    memcpy(s->v, pose.v, sizeof s->v);
    memcpy(s->w, pose.w, sizeof s->w);
    world->outside.drive(world->outside.ctx, k, t + 0.5 * h, &pose);
    put_pose(s, &pose, world->set.space);
  }
}

// Euler's equations without torque by the midpoint rule, which keeps the energy:
//   I (w' - w) + h m x I m = 0, m = (w + w')/2
static void turn_freely(carom_solid *s, double h) {
  double w[3], next[3], m[3], l[3], c[3];
  memcpy(w, s->spin, sizeof w);
  memcpy(next, w, sizeof next);
  const int most_rounds = 60;
  for (int round = 0; round < most_rounds; round++) {
    double change = 0.0, size = 0.0;
    for (int k = 0; k < 3; k++)
      m[k] = 0.5 * (w[k] + next[k]), l[k] = s->inertia[k] * m[k];
    carom_v3_cross(m, l, c);
    for (int k = 0; k < 3; k++) {
      double value = w[k] - h * c[k] / s->inertia[k];
      change = fmax(change, fabs(value - next[k]));
      size = fmax(size, fabs(value));
      next[k] = value;
    }
    if (change <= 1e-16 * size) break;
  }
  for (int k = 0; k < 3; k++)
    s->own[k] = next[k] - w[k];
  memcpy(s->w, next, sizeof next);
}

// the same where impulses p act: I (w' - w) + h m x I m = p. They were found with another m, of
// which this is the next one; the contributions are of the order of h |w|, so that a few rounds do
static double turn_again(carom_solid *s, double h) {
  double spin[3], m[3], l[3], c[3], change[3];
  carom_m3_transposed(s->turn, s->w, spin);
  for (int k = 0; k < 3; k++)
    m[k] = 0.5 * (s->spin[k] + spin[k]), l[k] = s->inertia[k] * m[k];
  carom_v3_cross(m, l, c);
  for (int k = 0; k < 3; k++) {
    double own = -h * c[k] / s->inertia[k];
    change[k] = own - s->own[k];
    s->own[k] = own;
  }
  carom_m3_times(s->turn, change, change);
  carom_v3_add(1.0, change, s->w);
  return carom_v3_length(change) * s->shape.reach;
}

// forces of the scenario instead of those that were there before
static double push_again(carom_solid *s, double h, const double force[6]) {
  double change[6], turned[3];
  for (int c = 0; c < 6; c++) {
    change[c] = h * force[c] - s->pushed[c];
    s->pushed[c] = h * force[c];
  }
  carom_v3_add(s->light, change, s->v);
  carom_m3_times(s->spread, change + 3, turned);
  carom_v3_add(1.0, turned, s->w);
  return s->light * carom_v3_length(change) + carom_v3_length(turned) * s->shape.reach;
}

// first: in this step, when forces may still wake whom they move
static double push_solids(carom_world *world, bool first) {
  double most = 0.0;
  world->outside.push(world->outside.ctx, world->outside.forces);
  if (first) carom_world_rouse_pushed(world);
  for (int k = 0; k < world->count; k++)
    if (world->solids[k].light > 0.0)
      most = fmax(most, push_again(&world->solids[k], world->set.step, world->outside.forces[k]));
  return most;
}

double carom_world_push(carom_world *world) {
  double most = 0.0;
  for (int k = 0; k < world->count && world->set.space; k++)
    if (world->solids[k].light > 0.0)
      most = fmax(most, turn_again(&world->solids[k], world->set.step));
  return world->outside.by_velocity ? fmax(most, push_solids(world, false)) : most;
}

// the middle of the step, and velocities that it would end with if nothing touched
void carom_solid_begin(const carom_world *world, carom_solid *s) {
  double h = world->set.step;
  carom_solid_pose(s, world->set.space, 0.5 * h);
  if (s->asleep) {
    memset(s->v0, 0, sizeof s->v0);
    memset(s->w0, 0, sizeof s->w0);
    memset(s->w, 0, sizeof s->w);
    return;
  }
  memcpy(s->v0, s->v, sizeof s->v0);
  memset(s->pushed, 0, sizeof s->pushed);
  if (s->drag > 0.0) {
    // m (v' - v) = h m g - h c (v + v')/2
    s->light = 1.0 / (s->mass + 0.5 * h * s->drag);
    carom_v3_add(-h * s->drag * s->light, s->v0, s->v);
    carom_v3_add(h * s->mass * s->light, world->set.gravity, s->v);
  } else {
    carom_v3_add(h, world->set.gravity, s->v);
  }
  memcpy(s->w, s->spin, sizeof s->w);
  if (world->set.space) turn_freely(s, h);
  carom_m3_times(s->turn, s->spin, s->w0);
  carom_m3_times(s->turn, s->w, s->w);
}

static void end_step(carom_world *world, carom_solid *s) {
  double spin[3], mean[3], velocity[3], turned[3], h = world->set.step;
  if (s->asleep) return;
  carom_m3_transposed(s->turn, s->w, spin);
  for (int c = 0; c < 3; c++) {
    mean[c] = 0.5 * (s->spin[c] + spin[c]);
    velocity[c] = 0.5 * (s->v0[c] + s->v[c]);
  }
  // what Euler's equations did of work, which they should not
  double work = 0.0;
  for (int c = 0; c < 3 && world->set.space; c++)
    work += s->inertia[c] * s->own[c] * mean[c];
  world->ledger.projected += work;
  world->ledger.corrected += fabs(work);
  world->ledger.lost_dampers += h * s->drag * carom_v3_dot(velocity, velocity);
  carom_m3_times(s->turn, mean, turned);
  world->ledger.work_forces +=
      carom_v3_dot(s->pushed, velocity) + carom_v3_dot(s->pushed + 3, turned);
  carom_solid_move(s, world->set.space, h, velocity, mean);
  memcpy(s->spin, spin, sizeof s->spin);
  double stride = h * carom_v3_length(velocity);
  if (s->shape.thin > 0.0 && world->set.law_count > 0)
    world->ledger.stride = fmax(world->ledger.stride, stride / s->shape.thin);
  // one step may end this deep in another body, and gravity may press as far once more
  double fall = h * h * carom_v3_length(world->set.gravity);
  double fast = carom_v3_length(s->v0) + s->shape.reach * carom_v3_length(s->spin);
  world->ledger.allowed = fmax(world->ledger.allowed, h * fast + fall);
}

// ---- the ledger

// the work on bodies that move, by one that time moves, with an impulse on the first of them
static double work_of_drive(const carom_solid *s, const double p[3], const double torque[3]) {
  double v[3], w[3];
  for (int c = 0; c < 3; c++)
    v[c] = 0.5 * (s->v0[c] + s->v[c]), w[c] = 0.5 * (s->w0[c] + s->w[c]);
  return s->moves ? 0.0 : carom_v3_dot(p, v) + carom_v3_dot(torque, w);
}

// most: the largest normal impulse of the step
static void book_touch(carom_world *world, const carom_touch *t, double most) {
  const carom_solid *a = &world->solids[t->a], *b = &world->solids[t->b];
  carom_world_ledger *ledger = &world->ledger;
  double work[3] = {0.0, 0.0, 0.0}, p[3] = {0.0, 0.0, 0.0}, ta[3], tb[3];
  for (int k = 0; k < 3; k++) {
    const double *n = t->axes[k];
    double after = carom_v3_dot(n, a->v) - carom_v3_dot(n, b->v) +
                   carom_v3_dot(t->turn_a[k], a->w) - carom_v3_dot(t->turn_b[k], b->w);
    work[k] = 0.5 * t->p[k] * (t->before[k] + after);
    carom_v3_add(t->p[k], n, p);
  }
  ledger->lost_impacts -= work[0];
  ledger->lost_friction -= work[1] + work[2];
  carom_v3_cross(t->arm_a, p, ta);
  carom_v3_cross(t->arm_b, p, tb);
  ledger->work_drives += work_of_drive(b, p, tb) - work_of_drive(a, p, ta);
  double length = sqrt(t->p[1] * t->p[1] + t->p[2] * t->p[2]);
  double mu = world->set.laws[t->law].friction;
  if (most > 0.0) ledger->cone = fmax(ledger->cone, (length - mu * t->p[0]) / most);
  if (-t->gap > ledger->deepest) ledger->deepest = -t->gap;
}

// How far a contact is from its law, with the coefficients of the scenario, as a velocity:
//   v+ + e v- >= 0 where it strikes, v+ >= 0 elsewhere, with zero where there is an impulse;
//   |p_t| <= mu p_n, and p_t does not drive the slip.
static double misfit_by_law(const carom_world *world, const carom_touch *t, bool bounces) {
  const carom_world_law *law = &world->set.laws[t->law];
  double v[3] = {0.0, 0.0, 0.0};
  for (int k = 0; k < (world->set.space ? 3 : 2); k++)
    v[k] = carom_touch_speed(world, t, k);
  if (bounces && carom_touch_strikes(world, t)) v[0] += law->restitution * t->before[0];
  double off = fabs(fmax(0.0, t->p[0] - v[0] / t->weight) - t->p[0]) * t->weight;
  double rub = sqrt(t->p[1] * t->p[1] + t->p[2] * t->p[2]),
         driven = t->p[1] * v[1] + t->p[2] * v[2];
  off = fmax(off, (rub - law->friction * t->p[0]) * t->along);
  return rub > 0.0 ? fmax(off, driven / rub) : off;
}

static void audit_step(carom_world *world, long yielded) {
  double worst = 0.0, scale = carom_world_scale(world);
  for (int k = 0; k < world->touch_count; k++)
    worst = fmax(worst, misfit_by_law(world, &world->touches[k], yielded == 0));
  if (scale > 0.0) world->ledger.ways.misfit = fmax(world->ledger.ways.misfit, worst / scale);
}

// returns the work of a spring, without its damper
static double book_row(carom_world *world, const carom_row *row) {
  const carom_solid *a = &world->solids[row->a], *b = &world->solids[row->b];
  carom_world_ledger *ledger = &world->ledger;
  double p[3], ta[3], tb[3];
  double after = carom_v3_dot(row->lin, a->v) - carom_v3_dot(row->lin, b->v) +
                 carom_v3_dot(row->turn_a, a->w) - carom_v3_dot(row->turn_b, b->w);
  double mean = 0.5 * (row->before + after), lost = row->damping * mean * mean, spring = 0.0;
  ledger->lost_dampers += lost;
  if (row->soft > 0.0)
    spring = row->p * mean + lost;
  else
    ledger->worked_joints += row->p * mean;
  for (int c = 0; c < 3; c++) {
    p[c] = row->p * row->lin[c];
    ta[c] = row->p * row->turn_a[c], tb[c] = row->p * row->turn_b[c];
  }
  ledger->work_drives += work_of_drive(b, p, tb) - work_of_drive(a, p, ta);
  return spring;
}

// contacts that were not there, or opened, a step before and strike now
static void count_touches(carom_world *world) {
  carom_world_ledger *ledger = &world->ledger;
  ledger->contacts += world->touch_count;
  if (world->touch_count > ledger->most_contacts) ledger->most_contacts = world->touch_count;
  for (int k = 0; k < world->touch_count; k++)
    if (carom_touch_strikes(world, &world->touches[k]) && world->touches[k].p[0] > 0.0)
      ledger->impacts++;
}

void carom_world_step(carom_world *world) {
  carom_world_ledger *ledger = &world->ledger;
  drive_step(world);
  for (int k = 0; k < world->count; k++)
    if (world->solids[k].moves) carom_solid_begin(world, &world->solids[k]);
  if (world->outside.push) (void)push_solids(world, true);
  carom_world_find(world);
  if (world->out_of_memory) return;
  carom_bonds_rows(world);
  long yielded = ledger->ways.yielded, unsolved = ledger->unsolved;
  carom_world_solve(world);
  if (ledger->unsolved == unsolved) audit_step(world, ledger->ways.yielded - yielded);
  double lost = ledger->lost_impacts + ledger->lost_friction;
  double most = 0.0;
  for (int k = 0; k < world->touch_count; k++)
    most = fmax(most, world->touches[k].p[0]);
  for (int k = 0; k < world->touch_count; k++)
    book_touch(world, &world->touches[k], most);
  double springs = carom_bonds_potential(world), correction = 0.0;
  for (int k = 0; k < world->row_count; k++)
    correction += book_row(world, &world->rows[k]);
  count_touches(world);
  ledger->gain += fmax(0.0, lost - ledger->lost_impacts - ledger->lost_friction);
  for (int k = 0; k < world->count; k++)
    if (world->solids[k].moves) end_step(world, &world->solids[k]);
  ledger->steps++;
  carom_world_doze(world);
  if (world->bond_count == 0) return;
  double potential = carom_world_potential(world) - springs;
  if (world->outside.driven) carom_world_drive(world, carom_world_time(world));
  carom_bonds_project(world);
  // what was changed by that, and what springs keep beside the work that they have done
  double kept = carom_bonds_potential(world);
  double changed = carom_world_potential(world) - kept - potential;
  correction += kept - springs;
  ledger->projected += changed + correction;
  ledger->corrected += fabs(changed) + fabs(correction);
}
