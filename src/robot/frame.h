// SPDX-License-Identifier: MIT
/// Places and turns in space. A turn is a unit quaternion (w, x, y, z).
#ifndef CAROM_ROBOT_FRAME_H
#define CAROM_ROBOT_FRAME_H

typedef struct carom_frame {
  double at[3], turn[4];
} carom_frame;

static const carom_frame carom_frame_none = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}};

void carom_turn_product(const double a[4], const double b[4], double product[4]);
/// About an axis of any length but 0.
void carom_turn_about(const double axis[3], double angle, double turn[4]);
/// The shortest turn that takes the third axis to `direction`, of any length but 0.
void carom_turn_third_to(const double direction[3], double turn[4]);
/// The turn whose axes are the columns: x, y made square to it, and the cross product.
void carom_turn_of_axes(const double x[3], const double y[3], double turn[4]);
/// False: of length 0.
int carom_turn_normalise(double turn[4]);
void carom_turn_inverse(const double turn[4], double inverse[4]);
/// A vector of the turned frame, in the frame it is turned against.
void carom_turn_vector(const double turn[4], const double v[3], double turned[3]);
/// R A R^T of a symmetric tensor xx, yy, zz, xy, xz, yz.
void carom_turn_tensor(const double turn[4], const double tensor[6], double turned[6]);

/// First b, then a: what b says in the frame that a places.
carom_frame carom_frame_product(const carom_frame *a, const carom_frame *b);
/// A point of the frame that the frame places.
void carom_frame_point(const carom_frame *frame, const double point[3], double placed[3]);
/// The point in that frame.
void carom_frame_point_in(const carom_frame *frame, const double point[3], double local[3]);

#endif
