// SPDX-License-Identifier: MIT
/// What the engine `stepping` is told: bodies, what may touch, joints. Nodes are expressions of
/// parameters, of bodies that do not move by themselves also of time.
#ifndef CAROM_SCENARIO_STEPPING_DESCRIPTION_H
#define CAROM_SCENARIO_STEPPING_DESCRIPTION_H

#include "base/error.h"
#include "symbolic/graph.h"

typedef enum carom_solid_kind {
  CAROM_SOLID_NONE,  // it touches nothing
  CAROM_SOLID_ROUND, // one corner with a radius (disc, sphere) or two (capsule)
  CAROM_SOLID_HULL,  // sharp corners: a convex polygon, counter-clockwise; a box in space
  CAROM_SOLID_FEET,  // sharp corners that touch planes alone: a polyhedron, a hollow polygon
  CAROM_SOLID_RIM,   // corners are centres of rims about the third axis: a coin, a cylinder
  CAROM_SOLID_PLANE, // a half-plane or half-space
  CAROM_SOLID_CUP    // the inside of a circle or sphere
} carom_solid_kind;

typedef struct carom_stepping_body {
  const char *name, *shape; // shape: as it is written, for messages; NULL: none
  carom_place place;
  bool moves;
  int coordinate, speed, state; // of NAME.x; in space of NAME.w1 and NAME.e0
  carom_node mass, inertia[3], drag;
  carom_node at[3], velocity[3], spin[3], turn[9]; // of one that does not move by itself; turn: by
                                                   // rows, the axes of the body as columns
  carom_solid_kind kind;
  int corner_count;
  carom_node (*corners)[3];
  carom_node radius, normal[3];
} carom_stepping_body;

/// What may touch: a body of `first` and one of `second`.
typedef struct carom_stepping_contact {
  const char *name;
  carom_place place;
  bool *first, *second; // of every body
  carom_node friction, restitution;
} carom_stepping_contact;

typedef enum carom_stepping_joint_kind {
  CAROM_STEPPING_BALL,     // a point that both share; in the plane a hinge
  CAROM_STEPPING_HINGE,    // in space: and an axis
  CAROM_STEPPING_WELD,     // one body
  CAROM_STEPPING_SLIDER,   // along an axis, without turning
  CAROM_STEPPING_DISTANCE, // of a point of the first to one of the second
  CAROM_STEPPING_SPRING,   // between such points, with a damper
  CAROM_STEPPING_PLANAR,   // in space: a point in a plane, which turns about its normal alone
  CAROM_STEPPING_UNIVERSAL // in space: a point, and two arms that stay square to each other
} carom_stepping_joint_kind;

typedef struct carom_stepping_joint {
  const char *name;
  carom_place place;
  carom_stepping_joint_kind kind;
  int bodies[2];
  carom_node point[3], other[3]; // in space at the start; of a distance on the first, the second;
                                 // of a universal joint the arm in the second
  carom_node axis[3], length, stiffness, damping;
} carom_stepping_joint;

struct carom_body_outlines;

typedef struct carom_stepping_description {
  struct carom_body_outlines *outlines; // while it is read
  bool space;
  int body_count, contact_count, joint_count;
  carom_stepping_body *bodies;
  carom_stepping_contact *contacts;
  carom_stepping_joint *joints;
  carom_node gravity[3];                    // acceleration
  carom_node step, residual, sweeps, sleep; // 0: default
  carom_place step_place;
} carom_stepping_description;

#endif
