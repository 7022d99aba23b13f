// SPDX-License-Identifier: MIT
#include "robot/robot.h"

#include "robot/robot_read.h"

#include <string.h>

carom_status carom_robot_import(carom_robot *robot, const char *name, const char *text,
                                size_t length, const carom_robot_options *options,
                                const char **scenario) {
  carom_xml *root;
  long failures = carom_arena_failures(robot->arena);
  carom_status status = carom_xml_read(robot->arena, name, text, length, &root, robot->error);
  if (status != CAROM_OK) return status;
  if (strcmp(root->name, "robot") == 0)
    status = carom_robot_read_urdf(robot, root, options);
  else if (strcmp(root->name, "mujoco") == 0)
    status = carom_robot_read_mjcf(robot, root);
  else
    return carom_robot_fail(robot, root->place,
                            "<%s> is neither the <robot> of URDF nor the <mujoco> of MJCF",
                            root->name);
  if (status == CAROM_OK) status = carom_robot_settle(robot, options);
  if (status == CAROM_OK) status = carom_robot_write(robot, options, scenario);
  if (status == CAROM_OK && carom_arena_failures(robot->arena) != failures)
    return carom_fail_memory(robot->error);
  return status;
}
