// SPDX-License-Identifier: MIT
/// What the two files that read MJCF share.
#ifndef CAROM_ROBOT_MJCF_H
#define CAROM_ROBOT_MJCF_H

#include "robot/robot_read.h"

typedef struct carom_mjcf {
  carom_robot *robot;
  const carom_xml *root;
  double angle; // the unit of angles, in rad
  const char *euler, *meshes;
  bool autolimits, by_shapes; // inertia of shapes even where it is given
} carom_mjcf;

/// An element with the class that gives what it leaves out.
typedef struct carom_mjcf_view {
  const carom_xml *element;
  const char *tag; // under which classes know it
  const carom_xml *class;
} carom_mjcf_view;

carom_status carom_mjcf_view_of(const carom_mjcf *m, const carom_xml *element, const char *tag,
                                const carom_xml *inherited, carom_mjcf_view *view);
/// NULL: neither the element nor a class has it.
const carom_xml_attribute *carom_mjcf_value(const carom_mjcf_view *view, const char *name);
/// `least` to `most` numbers, *count of them; where there are none they stay as they are.
carom_status carom_mjcf_numbers(const carom_mjcf *m, const carom_mjcf_view *view, const char *name,
                                int least, int most, double *numbers, int *count);
/// Its place, and its turn in one of the five ways.
carom_status carom_mjcf_frame(const carom_mjcf *m, const carom_mjcf_view *view, carom_frame *frame);

/// What holds a body to its parent: its joints together.
carom_status carom_mjcf_joints(const carom_mjcf *m, const carom_xml *body, const carom_xml *class,
                               carom_robot_joint *joint);
/// All bodies; `check` looks at each element that has some.
carom_status carom_mjcf_bodies(const carom_mjcf *m,
                               carom_status (*check)(const carom_mjcf *m, const carom_xml *at));

/// The class that children of a body inherit.
carom_status carom_mjcf_child_class(const carom_mjcf *m, const carom_xml *body,
                                    const carom_xml **class);

#endif
