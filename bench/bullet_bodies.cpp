// SPDX-License-Identifier: MIT
// Its defaults (sequential impulses, ten rounds), sleep off. Bodies are made ten times as long as
// they are (and gravity too), since its margins are meant for bodies of a metre.
#include "bullet_bodies.h"

#include <btBulletDynamicsCommon.h>

#include <cmath>
#include <ctime>
#include <memory>
#include <vector>

namespace {

const double SIZE = 10.0; // of its units, to one of ours

double cpu_seconds() {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

class scene {
public:
  scene(double gravity, double friction, double restitution)
      : dispatcher(&configuration), world(&dispatcher, &broadphase, &solver, &configuration),
        friction(friction), restitution(restitution) {
    world.setGravity(btVector3(0, 0, -(btScalar)(SIZE * gravity)));
    if (gravity > 0.0)
      add(new btStaticPlaneShape(btVector3(0, 0, 1), 0), 0.0, btTransform::getIdentity());
  }
  ~scene() {
    for (auto &body : bodies)
      world.removeRigidBody(body.get());
  }
  btRigidBody *add(btCollisionShape *shape, double mass, const btTransform &at) {
    shapes.emplace_back(shape);
    btVector3 inertia(0, 0, 0);
    if (mass > 0.0) shape->calculateLocalInertia((btScalar)mass, inertia);
    btRigidBody::btRigidBodyConstructionInfo info((btScalar)mass, nullptr, shape, inertia);
    info.m_startWorldTransform = at;
    info.m_friction = (btScalar)std::sqrt(friction); // of a pair: their product
    info.m_restitution = (btScalar)std::sqrt(restitution);
    info.m_linearDamping = info.m_angularDamping = 0;
    bodies.emplace_back(new btRigidBody(info));
    bodies.back()->setActivationState(DISABLE_DEACTIVATION);
    world.addRigidBody(bodies.back().get());
    return bodies.back().get();
  }
  btRigidBody *ball(double x, double z, double v) {
    btRigidBody *body = add(new btSphereShape((btScalar)(SIZE * 0.1)), 1.0, place(x, z));
    body->setLinearVelocity(btVector3((btScalar)(SIZE * v), 0, 0));
    return body;
  }
  btRigidBody *box(double z, double v) {
    btVector3 half((btScalar)(SIZE * 0.1), (btScalar)(SIZE * 0.1), (btScalar)(SIZE * 0.05));
    btRigidBody *body = add(new btBoxShape(half), 1.0, place(0.0, z));
    body->setLinearVelocity(btVector3((btScalar)(SIZE * v), 0, 0));
    return body;
  }
  static btTransform place(double x, double z) {
    btTransform at = btTransform::getIdentity();
    at.setOrigin(btVector3((btScalar)(SIZE * x), 0, (btScalar)(SIZE * z)));
    return at;
  }
  double run(double until, double step) {
    double began = cpu_seconds();
    for (long k = 0; k < (long)(until / step + 0.5); k++)
      world.stepSimulation((btScalar)step, 0);
    return cpu_seconds() - began;
  }

private:
  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher;
  btDbvtBroadphase broadphase;
  btSequentialImpulseConstraintSolver solver;
  btDiscreteDynamicsWorld world;
  std::vector<std::unique_ptr<btCollisionShape>> shapes;
  std::vector<std::unique_ptr<btRigidBody>> bodies;
  double friction, restitution;
};

} // namespace

double bullet_ball_rolls(double until, double step, double *seconds) {
  scene it(9.81, 0.3, 0.0);
  btRigidBody *ball = it.ball(0.0, 0.1, 2.0);
  *seconds = it.run(until, step);
  return ball->getLinearVelocity().x() / SIZE;
}

double bullet_block_slides(double until, double step, double *seconds) {
  scene it(9.81, 0.4, 0.0);
  btRigidBody *block = it.box(0.05, 2.0);
  *seconds = it.run(until, step);
  return block->getWorldTransform().getOrigin().x() / SIZE;
}

double bullet_stack_rests(double until, double step, double *seconds) {
  scene it(9.81, 0.5, 0.0);
  btRigidBody *top = nullptr;
  for (int k = 0; k < 10; k++)
    top = it.box(0.1 * k + 0.05, 0.0);
  *seconds = it.run(until, step);
  return top->getWorldTransform().getOrigin().z() / SIZE;
}

double bullet_cradle(double until, double step, double *seconds) {
  scene it(0.0, 0.0, 1.0);
  btRigidBody *last = nullptr;
  for (int k = 1; k <= 5; k++)
    last = it.ball(0.2000001 * k, 0.0, k == 1 ? 1.0 : 0.0);
  *seconds = it.run(until, step);
  return last->getLinearVelocity().x() / SIZE;
}

// a thin cylinder about the third axis, with the inertia of a disc
double bullet_coin_turns(double until, double step, double *seconds) {
  const double radius = 0.1, tilt = 0.4;
  double rate = std::sqrt(4.0 * 9.81 / (radius * std::sin(tilt))) * std::sin(tilt);
  scene it(9.81, 2.0, 0.0);
  btTransform at = scene::place(0.0, radius * std::sin(tilt));
  at.setRotation(btQuaternion(btVector3(1, 0, 0), (btScalar)tilt));
  btVector3 half((btScalar)(SIZE * radius), (btScalar)(SIZE * radius), (btScalar)(SIZE * 1e-3));
  auto *shape = new btCylinderShapeZ(half);
  shape->setMargin((btScalar)(SIZE * 1e-4));
  btRigidBody *coin = it.add(shape, 1.0, at);
  btScalar unit = (btScalar)(SIZE * SIZE * radius * radius);
  coin->setMassProps(1, btVector3(unit / 4, unit / 4, unit / 2));
  coin->updateInertiaTensor();
  coin->setAngularVelocity(
      btVector3(0, (btScalar)(-rate * std::cos(tilt)), (btScalar)(-rate * std::sin(tilt))));
  *seconds = it.run(until, step);
  return coin->getWorldTransform().getOrigin().z() / SIZE;
}
