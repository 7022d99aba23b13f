// SPDX-License-Identifier: MIT
/// What a scenario of the engine `field` describes: a body, supports, force fields, a start. All
/// numbers are expressions of parameters (nodes; 0: not given) unless said otherwise.
#ifndef CAROM_SCENARIO_FIELD_DESCRIPTION_H
#define CAROM_SCENARIO_FIELD_DESCRIPTION_H

#include "base/error.h"
#include "symbolic/graph.h"

enum { CAROM_BODY_MAX_CORNERS = 64, CAROM_FIELD_MAX_SUPPORTS = 16, CAROM_FIELD_MAX_LAWS = 32 };

typedef enum carom_body_shape {
  CAROM_BODY_POLYGON,    // plane
  CAROM_BODY_DISC,       // plane
  CAROM_BODY_POLYHEDRON, // space, the convex hull of its corners
  CAROM_BODY_CYLINDER,   // space, axis along its z
  CAROM_BODY_SPHERE      // space
} carom_body_shape;

/// A plane that the body cannot pass: the half space behind it is the support.
typedef struct carom_field_support {
  const char *name;
  carom_place place;
  carom_node normal[3];     // into the free space; any length
  carom_node point[3];      // a place on it
  carom_node shift[3];      // displacement, of parameters and time; 0: at rest
  carom_node shift_rate[3]; // its time derivative
} carom_field_support;

typedef enum carom_law_kind {
  CAROM_FIELD_REPULSION, // k a d^-nu n
  CAROM_FIELD_DAMPING,   // -k a d^-nu (n.v) n
  CAROM_FIELD_FRICTION,  // -k a d^-nu (v - (n.v) n)
  CAROM_FIELD_ADHESION,  // -k p [(d/l)^-attract - (d/l)^-repel] n
  CAROM_FIELD_OWN        // k (normal n + tangential v_t), expressions of distance and velocity
} carom_law_kind;

typedef enum carom_posture {
  CAROM_POSTURE_FLAT,
  CAROM_POSTURE_EDGE,
  CAROM_POSTURE_CORNER
} carom_posture;

typedef struct carom_field_law {
  const char *name;
  carom_place place;
  carom_law_kind kind;
  carom_node exponent, coefficient;
  carom_node rest;       // of a repulsion: the distance at which it bears the weight
  carom_posture posture; // in which
  carom_node strength, pressure, length, attract, repel; // of adhesion: strength times weight/area
  carom_node normal, tangential;                         // of a law of one's own
  bool conservative;                                     // of a repulsion on a soft body
  const char **faces;                                    // names; count 0: all
  int face_count;
  unsigned supports; // bit per support that it acts from
} carom_field_law;

typedef struct carom_field_point {
  const char *name;
  carom_place place;
  carom_node at[3]; // in the coordinates in which the body is given
} carom_field_point;

typedef struct carom_field_start {
  carom_place place, deformation_place, rate_place; // of the section and of two of its entries
  carom_node position[3];
  bool has_position;
  carom_node gap; // least distance to the first support; 0: as `position`, else as `balance`
  bool balance;   // so near that the repulsion bears the weight in this posture
  carom_node velocity[3], angular[3];
  carom_node angle, rate;      // plane
  carom_posture down;          // space: what points down
  carom_node down_at[3];       // or the place of the body that does; [0] 0: not given
  carom_node turn, tilt, spin; // space: about the vertical, about an axis, angular velocity
  carom_node tilt_axis[3];
  carom_node deformation[9], deformation_rate[9]; // soft; 0: none
} carom_field_start;

/// A length of the body as it was written: it must be positive.
typedef struct carom_field_size {
  const char *name;
  carom_place place;
  carom_node value;
} carom_field_size;

/// A soft body: Mooney and Rivlin, with viscosity.
typedef struct carom_field_material {
  carom_node c10, c01, viscosity;
} carom_field_material;

/// What laws of one's own may ask for: OTHER symbols.
typedef struct carom_field_own_symbols {
  carom_node distance, normal_speed, slip_speed;
} carom_field_own_symbols;

typedef struct carom_field_description {
  carom_body_shape shape;
  bool soft, space;
  carom_place body_place;
  int size_count; // edges or radius, and height
  carom_field_size sizes[4];
  int corner_count;
  carom_node (*corners)[3];
  carom_node radius, length, density, density_gradient[3];
  carom_node mass_factor; // of time: m(t) p'' = force
  carom_place mass_place;
  carom_field_material material;
  carom_node gravity[3];
  carom_node centre[3]; // PARAMETER symbols: the mass centre in the body's coordinates
  carom_field_own_symbols own;
  int support_count, law_count, point_count;
  carom_field_support *supports;
  carom_field_law *laws;
  carom_field_point *points;
  carom_field_start start;
} carom_field_description;

#endif
