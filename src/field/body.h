// SPDX-License-Identifier: MIT
/// A convex body: its surface as pieces that the surface integrals know, its mass, mass centre and
/// Euler tensor. Bodies of the plane have thickness 1 and lie in the plane of x and y.
#ifndef CAROM_FIELD_BODY_H
#define CAROM_FIELD_BODY_H

#include "base/arena.h"
#include "base/error.h"
#include "engine/engine.h"
#include "field/surface.h"

#include <stdint.h>

/// A piece of the surface between corners: an edge (plane) or a triangle (space).
typedef struct carom_piece {
  int corner[3];
  int face;
  double size;      // length or area
  double normal[3]; // outward, length 1
} carom_piece;

/// Numbers that a body is made from, in the user's own coordinates.
typedef struct carom_body_numbers {
  carom_body_shape shape;
  int vertex_count;
  const double (*vertices)[3];
  double radius, length;      // of disc, cylinder, sphere
  double density;             // at the origin of the user's coordinates
  double density_gradient[3]; // its change along the axes
} carom_body_numbers;

typedef struct carom_body {
  carom_body_shape shape;
  int dimension;
  int vertex_count, vertex_room, piece_count, piece_room, face_count;
  double (*vertex)[3]; // from the mass centre
  carom_piece *piece;
  double middle[3];      // of a round body, from the mass centre
  double radius, length; // the axis of a cylinder is its z
  double centre[3];      // the mass centre in the user's coordinates
  double mass, volume, area;
  double euler[6]; // int rho x x^T dV about the mass centre: xx, yy, zz, xy, xz, yz
} carom_body;

/// Room for a body of at most `vertices` corners.
carom_status carom_body_init(carom_body *body, carom_arena *arena, carom_body_shape shape,
                             int vertices, carom_error *error);

/// Makes the body from its numbers. CAROM_ERR_INPUT when they make no convex body with mass.
carom_status carom_body_make(carom_body *body, const carom_body_numbers *numbers,
                             carom_error *error);

/// How a face is called: "bottom", "left", ... of boxes, "1", "2", ... otherwise; -1: no such face.
int carom_body_face(const carom_body *body, const char *name);

/// Makes the triangles of the convex hull of the corners; false when they have no volume or a
/// corner lies inside. Faces are numbered in the order in which they are found.
bool carom_body_hull(carom_body *body);

/// Volume, mass, centre and Euler tensor from pieces around the origin of the user's coordinates.
void carom_body_weigh(carom_body *body, const carom_body_numbers *numbers);

/// The body as a plane sees it: distances d(x) = offset + slope . x of the places x of the body.
typedef struct carom_sight {
  double offset, slope[3];
  double least;           // smallest distance
  double *distance;       // of every corner
  const double *cofactor; // of the deformation (3 x 3), or NULL: rigid, no change of area
} carom_sight;

/// Fills least and distance (room for the corners). False when something is not above the plane.
bool carom_body_look(const carom_body *body, carom_sight *sight);

/// Adds the moments of d^-nu over the faces in the mask (bit per face; all ones: everything).
void carom_body_moments(const carom_body *body, const carom_sight *sight, double nu, int order,
                        uint64_t faces, carom_moments *moments);

/// Adds int d^-nu m m^T / k dA, where m is the outward normal and k = |F* m|: xx, yy, zz, xy, xz,
/// yz.
void carom_body_directions(const carom_body *body, const carom_sight *sight, double nu,
                           uint64_t faces, double directions[6]);

/// How many times as much the surface grows where it grows most as where it grows least, from the
/// cofactor of the deformation. Of round bodies the integrals keep ten digits up to
/// CAROM_GROWTH_MOST; those of flat faces do not mind.
enum { CAROM_GROWTH_MOST = 25 };
double carom_body_growth(const double cofactor[9]);

/// A function of places x of the body and their distance, with several values. Those of a group are
/// integrated to ten digits of the largest of them; values behind the last group follow.
enum {
  CAROM_INTEGRAND_MOST = 16,
  CAROM_INTEGRAND_KINKS = 8,
  CAROM_BODY_MAX_PIECES = 2 * CAROM_BODY_MAX_CORNERS
};
typedef struct carom_integrand {
  int count, group_count;
  int group_end[3]; // one past the last value of each group
  int kinks;        // functions behind the values; at their zeros the values have kinks or jumps
  bool quadratic;   // among places at one distance the values are polynomials of degree 2 at most
  void (*value)(void *ctx, const double x[3], double distance, double *values);
  void *ctx;
} carom_integrand;

/// Adds the integrals over the surface (with the growth of area), for laws that are no powers.
/// Adaptive: kinks, jumps and narrow bands cost more points.
void carom_body_integrate(const carom_body *body, const carom_sight *sight, uint64_t faces,
                          const carom_integrand *integrand, double *sums);

#endif
