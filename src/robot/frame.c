// SPDX-License-Identifier: MIT
#include "robot/frame.h"

#include "base/elementary.h"
#include "base/vector.h"

#include <math.h>

void carom_turn_product(const double a[4], const double b[4], double product[4]) {
  double c[4] = {a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
                 a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
                 a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
                 a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]};
  for (int k = 0; k < 4; k++)
    product[k] = c[k];
}

static double length_of(const double v[3]) { return carom_hypot(carom_hypot(v[0], v[1]), v[2]); }

void carom_turn_about(const double axis[3], double angle, double turn[4]) {
  double sine, cosine, length = length_of(axis);
  carom_sincos(angle / 2.0, &sine, &cosine);
  turn[0] = cosine;
  for (int k = 0; k < 3; k++)
    turn[1 + k] = axis[k] / length * sine;
}

void carom_turn_third_to(const double direction[3], double turn[4]) {
  static const double third[3] = {0.0, 0.0, 1.0};
  double axis[3], length = length_of(direction), across;
  carom_v3_cross(third, direction, axis);
  across = length_of(axis);
  if (across <= 1e-14 * length) { // along it, or quite the other way round
    double half[2][4] = {{1.0, 0.0, 0.0, 0.0}, {0.0, 1.0, 0.0, 0.0}};
    for (int k = 0; k < 4; k++)
      turn[k] = half[direction[2] < 0.0][k];
    return;
  }
  carom_turn_about(axis, carom_atan2(across, direction[2]), turn);
}

// Shepperd (1978): the largest of four squares is divided by
void carom_turn_of_axes(const double x[3], const double y[3], double turn[4]) {
  double a[3][3], along = 0.0; // columns of the matrix as rows
  for (int k = 0; k < 3; k++)
    a[0][k] = x[k] / length_of(x);
  for (int k = 0; k < 3; k++)
    along += a[0][k] * y[k];
  for (int k = 0; k < 3; k++)
    a[1][k] = y[k] - along * a[0][k];
  double length = length_of(a[1]);
  for (int k = 0; k < 3; k++)
    a[1][k] /= length;
  carom_v3_cross(a[0], a[1], a[2]);
  double trace = a[0][0] + a[1][1] + a[2][2];
  int i = a[0][0] > a[1][1] ? 0 : 1;
  if (a[2][2] > a[i][i]) i = 2;
  int j = (i + 1) % 3, k = (i + 2) % 3;
  if (trace > a[i][i]) {
    turn[0] = 1.0 + trace;
    for (int n = 0; n < 3; n++)
      turn[1 + n] = a[(n + 1) % 3][(n + 2) % 3] - a[(n + 2) % 3][(n + 1) % 3];
  } else {
    turn[0] = a[j][k] - a[k][j];
    turn[1 + i] = 1.0 + a[i][i] - a[j][j] - a[k][k];
    turn[1 + j] = a[i][j] + a[j][i];
    turn[1 + k] = a[i][k] + a[k][i];
  }
  (void)carom_turn_normalise(turn);
}

int carom_turn_normalise(double turn[4]) {
  double length = carom_hypot(carom_hypot(turn[0], turn[1]), carom_hypot(turn[2], turn[3]));
  for (int k = 0; k < 4; k++)
    turn[k] /= length;
  return length > 0.0;
}

void carom_turn_inverse(const double turn[4], double inverse[4]) {
  for (int k = 0; k < 4; k++)
    inverse[k] = k == 0 ? turn[k] : -turn[k];
}

// v + 2 w e x v + 2 e x (e x v)
void carom_turn_vector(const double turn[4], const double v[3], double turned[3]) {
  double once[3], twice[3];
  carom_v3_cross(turn + 1, v, once);
  carom_v3_cross(turn + 1, once, twice);
  for (int k = 0; k < 3; k++)
    turned[k] = v[k] + 2.0 * (turn[0] * once[k] + twice[k]);
}

void carom_turn_tensor(const double turn[4], const double tensor[6], double turned[6]) {
  static const int place[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
  double half[3][3] = {0}, whole[3][3] = {0}, row[3], out[3];
  for (int pass = 0; pass < 2; pass++) // R A, then R (R A)^T
    for (int j = 0; j < 3; j++) {
      for (int i = 0; i < 3; i++)
        row[i] = pass ? half[j][i] : tensor[place[i][j]];
      carom_turn_vector(turn, row, out);
      for (int i = 0; i < 3; i++)
        (pass ? whole : half)[i][j] = out[i];
    }
  for (int i = 0; i < 3; i++)
    for (int j = i; j < 3; j++)
      turned[place[i][j]] = (whole[i][j] + whole[j][i]) / 2.0;
}

carom_frame carom_frame_product(const carom_frame *a, const carom_frame *b) {
  carom_frame product = {0};
  carom_frame_point(a, b->at, product.at);
  carom_turn_product(a->turn, b->turn, product.turn);
  return product;
}

void carom_frame_point(const carom_frame *frame, const double point[3], double placed[3]) {
  double turned[3];
  carom_turn_vector(frame->turn, point, turned);
  for (int k = 0; k < 3; k++)
    placed[k] = frame->at[k] + turned[k];
}

void carom_frame_point_in(const carom_frame *frame, const double point[3], double local[3]) {
  double inverse[4], away[3];
  carom_turn_inverse(frame->turn, inverse);
  for (int k = 0; k < 3; k++)
    away[k] = point[k] - frame->at[k];
  carom_turn_vector(inverse, away, local);
}
