// SPDX-License-Identifier: MIT
// Its defaults (error reduction 0.2, no softness), its direct solver, friction cones as pyramids.
#define _POSIX_C_SOURCE 200809L
#include "ode_bodies.h"

#include <math.h>
#include <ode/ode.h>
#include <time.h>

enum { MOST_CONTACTS = 8, MOST_BODIES = 16 };

typedef struct scene {
  dWorldID world;
  dSpaceID space;
  dJointGroupID contacts;
  double friction, restitution;
  dBodyID bodies[MOST_BODIES];
  int count;
} scene;

static double cpu_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static scene begin(double gravity, double friction, double restitution) {
  dInitODE2(0);
  scene it = {
      dWorldCreate(), dSimpleSpaceCreate(0), dJointGroupCreate(0), friction, restitution, {0}, 0};
  dWorldSetGravity(it.world, 0.0, 0.0, -gravity);
  if (gravity > 0.0) (void)dCreatePlane(it.space, 0.0, 0.0, 1.0, 0.0);
  return it;
}

static dBodyID add(scene *it, dGeomID geom, const dMass *mass, double x, double z, double v) {
  dBodyID body = dBodyCreate(it->world);
  dBodySetMass(body, mass);
  dGeomSetBody(geom, body);
  dBodySetPosition(body, x, 0.0, z);
  dBodySetLinearVel(body, v, 0.0, 0.0);
  it->bodies[it->count++] = body;
  return body;
}

static dBodyID add_ball(scene *it, double x, double z, double v) {
  dMass mass;
  dMassSetSphereTotal(&mass, 1.0, 0.1);
  return add(it, dCreateSphere(it->space, 0.1), &mass, x, z, v);
}

static dBodyID add_box(scene *it, double z, double v) {
  dMass mass;
  dMassSetBoxTotal(&mass, 1.0, 0.2, 0.2, 0.1);
  return add(it, dCreateBox(it->space, 0.2, 0.2, 0.1), &mass, 0.0, z, v);
}

static void touch(void *ctx, dGeomID a, dGeomID b) {
  scene *it = ctx;
  dContact found[MOST_CONTACTS] = {0};
  int count = dCollide(a, b, MOST_CONTACTS, &found[0].geom, sizeof *found);
  for (int k = 0; k < count; k++) {
    found[k].surface.mode = dContactApprox1 | dContactBounce;
    found[k].surface.mu = it->friction;
    found[k].surface.bounce = it->restitution;
    dJointID joint = dJointCreateContact(it->world, it->contacts, &found[k]);
    dJointAttach(joint, dGeomGetBody(a), dGeomGetBody(b));
  }
}

static double run(scene *it, double until, double step) {
  double began = cpu_seconds();
  for (long k = 0; k < (long)(until / step + 0.5); k++) {
    dSpaceCollide(it->space, it, touch);
    dWorldStep(it->world, step);
    dJointGroupEmpty(it->contacts);
  }
  return cpu_seconds() - began;
}

static void end(scene *it) {
  dJointGroupDestroy(it->contacts);
  dSpaceDestroy(it->space);
  dWorldDestroy(it->world);
  dCloseODE();
}

double ode_ball_rolls(double until, double step, double *seconds) {
  scene it = begin(9.81, 0.3, 0.0);
  dBodyID ball = add_ball(&it, 0.0, 0.1, 2.0);
  *seconds = run(&it, until, step);
  double value = dBodyGetLinearVel(ball)[0];
  end(&it);
  return value;
}

double ode_block_slides(double until, double step, double *seconds) {
  scene it = begin(9.81, 0.4, 0.0);
  dBodyID block = add_box(&it, 0.05, 2.0);
  *seconds = run(&it, until, step);
  double value = dBodyGetPosition(block)[0];
  end(&it);
  return value;
}

double ode_stack_rests(double until, double step, double *seconds) {
  scene it = begin(9.81, 0.5, 0.0);
  for (int k = 0; k < 10; k++)
    (void)add_box(&it, 0.1 * k + 0.05, 0.0);
  *seconds = run(&it, until, step);
  double value = dBodyGetPosition(it.bodies[9])[2];
  end(&it);
  return value;
}

double ode_cradle(double until, double step, double *seconds) {
  scene it = begin(0.0, 0.0, 1.0);
  for (int k = 1; k <= 5; k++)
    (void)add_ball(&it, 0.2000001 * k, 0.0, k == 1 ? 1.0 : 0.0);
  *seconds = run(&it, until, step);
  double value = dBodyGetLinearVel(it.bodies[4])[0];
  end(&it);
  return value;
}

// a thin cylinder about the third axis, with the inertia of a disc
double ode_coin_turns(double until, double step, double *seconds) {
  const double radius = 0.1, tilt = 0.4;
  double rate = sqrt(4.0 * 9.81 / (radius * sin(tilt))) * sin(tilt);
  scene it = begin(9.81, 2.0, 0.0);
  dMass mass;
  dMassSetParameters(&mass, 1.0, 0.0, 0.0, 0.0, radius * radius / 4.0, radius * radius / 4.0,
                     radius * radius / 2.0, 0.0, 0.0, 0.0);
  dBodyID coin =
      add(&it, dCreateCylinder(it.space, radius, 2e-4), &mass, 0.0, radius * sin(tilt), 0.0);
  dMatrix3 turn;
  dRFromAxisAndAngle(turn, 1.0, 0.0, 0.0, tilt);
  dBodySetRotation(coin, turn);
  dBodySetAngularVel(coin, 0.0, -rate * cos(tilt), -rate * sin(tilt));
  *seconds = run(&it, until, step);
  double value = dBodyGetPosition(coin)[2];
  end(&it);
  return value;
}
