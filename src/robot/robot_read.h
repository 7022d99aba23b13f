// SPDX-License-Identifier: MIT
/// What both readers need: numbers in attributes, growing lists, notes of what is left out.
#ifndef CAROM_ROBOT_ROBOT_READ_H
#define CAROM_ROBOT_ROBOT_READ_H

#include "robot/robot.h"
#include "robot/xml.h"

/// Notes what is not taken over. The same text is noted once, and counted.
CAROM_PRINTF(3, 4)
void carom_robot_note(carom_robot *robot, carom_place place, const char *format, ...);
/// Notes all attributes and children of an element that neither list has (names between blanks).
void carom_robot_note_rest(carom_robot *robot, const carom_xml *element, const char *attributes,
                           const char *children);

/// Fails at a place of the file.
CAROM_PRINTF(3, 4)
carom_status carom_robot_fail(const carom_robot *robot, carom_place place, const char *format, ...);
/// A text in the robot's arena; NULL when out of memory, which later steps notice.
CAROM_PRINTF(2, 3) char *carom_robot_say(carom_robot *robot, const char *format, ...);
bool carom_robot_is_in(const char *list, const char *word);

/// `least` to `most` finite numbers of a value; *count of them (NULL: do not ask).
carom_status carom_robot_numbers(carom_robot *robot, const carom_xml_attribute *value, int least,
                                 int most, double *numbers, int *count);
/// Exactly `count` numbers of an attribute; where there is none they stay as they are.
carom_status carom_robot_vector(carom_robot *robot, const carom_xml *element, const char *name,
                                int count, double *numbers);
/// An attribute that has to be there.
carom_status carom_robot_need(carom_robot *robot, const carom_xml *element, const char *name,
                              const carom_xml_attribute **value);

/// A further entry with nothing in it; NULL when out of memory.
carom_robot_link *carom_robot_add_link(carom_robot *robot);
carom_robot_shape *carom_robot_add_shape(carom_robot *robot, carom_robot_link *link);
carom_status carom_robot_add_point(carom_robot *robot, carom_robot_link *link, const char *name,
                                   const double at[3]);
carom_robot_tie *carom_robot_add_tie(carom_robot *robot);

/// The hull of the mesh in a file: shape->frame becomes that of its mass centre. Where there is no
/// such file, or of another kind, it is noted and *found is false.
carom_status carom_robot_read_hull(carom_robot *robot, carom_robot_shape *shape, const char *name,
                                   double scale, bool *found);

/// The masses of the shapes of a link, into link->mass.
void carom_robot_weigh(carom_robot_link *link);
/// Adds b to a; both in one frame.
void carom_robot_add_mass(carom_robot_mass *a, const carom_robot_mass *b);
/// Places what is in a frame.
carom_robot_mass carom_robot_place_mass(const carom_frame *frame, const carom_robot_mass *mass);

/// The readers.
carom_status carom_robot_read_urdf(carom_robot *robot, const carom_xml *root,
                                   const carom_robot_options *options);
carom_status carom_robot_read_mjcf(carom_robot *robot, const carom_xml *root);
/// Places links in space and puts those together that are fixed to each other.
carom_status carom_robot_settle(carom_robot *robot, const carom_robot_options *options);
/// The scenario.
carom_status carom_robot_write(carom_robot *robot, const carom_robot_options *options,
                               const char **scenario);

#endif
