// SPDX-License-Identifier: MIT
/// The scenario while it is written.
#ifndef CAROM_ROBOT_ROBOT_SHEET_H
#define CAROM_ROBOT_ROBOT_SHEET_H

#include "robot/robot_read.h"

/// A body of the scenario: a link with its shapes, or one plane.
typedef struct carom_robot_body {
  const char *name;
  int link; // -1: the floor that was asked for
  bool moves;
  int shape_count; // those that are listed
  const carom_robot_shape **shapes;
} carom_robot_body;

typedef struct carom_robot_sheet {
  carom_robot *robot;
  char *text;
  size_t length, room;
  bool failed;  // out of memory
  double scale; // the largest length: what is 1e-15 of it is rounding
  int body_count, name_count, name_room;
  carom_robot_body *bodies;
  const char **names;       // that are taken
  const char **joint_names; // of the joint of each link
  const int *body_of;       // of each link; -1: none
} carom_robot_sheet;

CAROM_PRINTF(2, 3) void carom_robot_put(carom_robot_sheet *sheet, const char *format, ...);
/// A number as it was given, all of its digits.
const char *carom_robot_exact(carom_robot_sheet *sheet, double value);

/// Writes `contacts`.
void carom_robot_put_contacts(carom_robot_sheet *sheet);

#endif
