// SPDX-License-Identifier: MIT
/// A robot: links that joints hold to each other, with shapes, as URDF and MJCF describe it, and
/// the scenario of bodies that is made of it. One file reads each language (urdf.c, mjcf.c),
/// robot_tree.c places the links and puts those that are fixed to each other together,
/// robot_text.c and robot_contacts.c write the scenario.
#ifndef CAROM_ROBOT_ROBOT_H
#define CAROM_ROBOT_ROBOT_H

#include "base/arena.h"
#include "base/error.h"
#include "robot/frame.h"

#include <stddef.h>

typedef enum carom_robot_shape_kind {
  CAROM_ROBOT_SPHERE,
  CAROM_ROBOT_BOX,
  CAROM_ROBOT_CAPSULE,
  CAROM_ROBOT_CYLINDER,
  CAROM_ROBOT_ELLIPSOID,
  CAROM_ROBOT_PLANE,
  CAROM_ROBOT_HULL
} carom_robot_shape_kind;

typedef struct carom_robot_shape {
  const char *name; // NULL: none
  carom_place place;
  carom_robot_shape_kind kind;
  double size[3];          // as the scenario writes them
  carom_frame frame;       // in its link; of a hull its mass centre
  const char *file;        // of a hull
  double scale, spread[6]; // of a hull: the inertia for a density of one; size[0] is its volume
  double mass, density;    // below 0: not given
  double friction;
  int groups, meets; // what it belongs to and touches, as bits; both 0: it is only to be seen
} carom_robot_shape;

typedef enum carom_robot_joint_kind {
  CAROM_ROBOT_FIXED,
  CAROM_ROBOT_HINGE,
  CAROM_ROBOT_SLIDER,
  CAROM_ROBOT_BALL,
  CAROM_ROBOT_UNIVERSAL,
  CAROM_ROBOT_PLANAR,
  CAROM_ROBOT_FREE
} carom_robot_joint_kind;

/// What holds a link to its parent. Angles and ways are counted as the file counts them.
typedef struct carom_robot_joint {
  const char *name; // NULL: none
  carom_place place;
  carom_robot_joint_kind kind;
  double at[3], axis[3], across[3]; // in the link
  bool limited;
  double low, high, ref, start; // ref: where the frames of the file are
  double damping, friction, stiffness, rest, armature;
} carom_robot_joint;

typedef struct carom_robot_mass {
  double mass, centre[3], inertia[6]; // about the centre: xx, yy, zz, xy, xz, yz
} carom_robot_mass;

typedef struct carom_robot_point {
  const char *name;
  double at[3];
} carom_robot_point;

typedef struct carom_robot_link {
  const char *name;
  carom_place place;
  const char *parent_name;
  int parent;        // -1: none
  carom_frame frame; // in the parent, as the file has it; later in space, or in whom it joined
  carom_robot_joint joint;
  bool weighed;          // the mass is given; else it is that of the shapes
  carom_robot_mass mass; // in the link
  int shape_count, shape_room, point_count, point_room;
  carom_robot_shape *shapes;
  carom_robot_point *points;
  bool fixed; // to space
  int whole;  // the link that it became a part of; its own number: none
} carom_robot_link;

typedef enum carom_robot_tie_kind {
  CAROM_ROBOT_GEAR, // joint `first` = ratio * joint `second` + offset
  CAROM_ROBOT_CONNECT,
  CAROM_ROBOT_WELD,
  CAROM_ROBOT_EXCLUDE // no contact between two links
} carom_robot_tie_kind;

/// What is said of two joints, or of two links, beside the tree.
typedef struct carom_robot_tie {
  carom_robot_tie_kind kind;
  carom_place place;
  const char *name, *first, *second; // second "": the world
  double ratio, offset, at[3];       // `at`: in the first link
} carom_robot_tie;

typedef struct carom_robot_remark {
  carom_place place;
  const char *text;
  int count;
} carom_robot_remark;

/// How files beside the description are found.
typedef struct carom_robot_files {
  void *ctx;
  /// The bytes (followed by a zero) of a file that the description calls `name`, and its path as
  /// the scenario is to write it. False: it is not there.
  bool (*open)(void *ctx, carom_arena *arena, const char *name, const char **path,
               const char **bytes, size_t *length);
} carom_robot_files;

typedef struct carom_robot_options {
  int base; // 1: the base floats, -1: it is fixed, 0: fixed where it is called world or weighs
            // nothing
  bool floor;
  double floor_height;
  int start_count; // of joints that do not start at 0
  const char *const *start_names;
  const double *starts;
  const char *command; // for the head of the scenario
} carom_robot_options;

typedef struct carom_robot {
  carom_arena *arena;
  carom_error *error;
  const carom_robot_files *files;
  const char *name;
  double gravity[3];
  bool touching; // contacts are wanted
  bool selfish;  // links of the robot touch each other, too
  int link_count, link_room, tie_count, tie_room, note_count, note_room;
  carom_robot_link *links;
  carom_robot_tie *ties;
  carom_robot_remark *notes; // what is not taken over
} carom_robot;

/// Makes a scenario of a description in the `length` bytes of `text` (followed by a zero); `name`
/// is the file's, which is borrowed. *scenario lives in the arena. `robot` keeps the notes.
carom_status carom_robot_import(carom_robot *robot, const char *name, const char *text,
                                size_t length, const carom_robot_options *options,
                                const char **scenario);

#endif
