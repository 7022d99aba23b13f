// SPDX-License-Identifier: MIT
// Where links are, and which of them are one body.
#include "robot/robot_read.h"

#include <math.h>
#include <string.h>

static double length_of(const double v[3]) { return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

static carom_robot_joint *find_joint(const carom_robot *robot, const char *name) {
  for (int k = 0; k < robot->link_count; k++) {
    carom_robot_joint *joint = &robot->links[k].joint;
    if (joint->name && strcmp(joint->name, name) == 0) return joint;
  }
  return NULL;
}

static bool has_one_freedom(const carom_robot_joint *joint) {
  return joint && (joint->kind == CAROM_ROBOT_HINGE || joint->kind == CAROM_ROBOT_SLIDER);
}

// ---- starts

static carom_status set_starts(carom_robot *robot, const carom_robot_options *options) {
  for (int k = 0; k < options->start_count; k++) {
    carom_robot_joint *joint = find_joint(robot, options->start_names[k]);
    if (!has_one_freedom(joint))
      return carom_fail(robot->error, CAROM_ERR_INPUT,
                        "there is no joint '%s' that turns about or slides along one axis",
                        options->start_names[k]);
    joint->start = options->starts[k];
  }
  for (int k = 0; k < robot->tie_count; k++) {
    const carom_robot_tie *tie = &robot->ties[k];
    if (tie->kind != CAROM_ROBOT_GEAR) continue;
    carom_robot_joint *a = find_joint(robot, tie->first), *b = find_joint(robot, tie->second);
    if (!has_one_freedom(a) || !has_one_freedom(b))
      return carom_robot_fail(robot, tie->place,
                              "there is no joint '%s' that turns about or slides along one axis",
                              has_one_freedom(a) ? tie->second : tie->first);
    a->start = a->ref + tie->offset + tie->ratio * (b->start - b->ref);
  }
  return CAROM_OK;
}

static carom_status check_start(const carom_robot *robot, const carom_robot_joint *joint) {
  if (!joint->limited || !has_one_freedom(joint) ||
      (joint->low <= joint->start && joint->start <= joint->high))
    return CAROM_OK;
  return carom_robot_fail(robot, joint->place,
                          "joint '%s' starts at %g, beyond its limits %g and %g; "
                          "--joint %s=VALUE starts it elsewhere",
                          joint->name ? joint->name : "", joint->start, joint->low, joint->high,
                          joint->name ? joint->name : "NAME");
}

// ---- places

// the joint has gone from where the file has it to where it starts
static void move_frame(carom_frame *frame, const carom_robot_joint *joint) {
  double way = joint->start - joint->ref;
  carom_frame moved = carom_frame_none;
  if (!has_one_freedom(joint) || way == 0.0) return;
  if (joint->kind == CAROM_ROBOT_SLIDER) {
    for (int k = 0; k < 3; k++)
      moved.at[k] = joint->axis[k] / length_of(joint->axis) * way;
  } else { // what is on the axis stays
    double turned[3];
    carom_turn_about(joint->axis, way, moved.turn);
    carom_turn_vector(moved.turn, joint->at, turned);
    for (int k = 0; k < 3; k++)
      moved.at[k] = joint->at[k] - turned[k];
  }
  *frame = carom_frame_product(frame, &moved);
}

static void turn_axis(const carom_frame *frame, double axis[3]) {
  double unit[3], length = length_of(axis);
  for (int k = 0; k < 3; k++)
    unit[k] = length > 0.0 ? axis[k] / length : 0.0;
  carom_turn_vector(frame->turn, unit, axis);
}

// the link, its joint and its axes in space
static void place_link(carom_robot *robot, carom_robot_link *link) {
  carom_robot_joint *joint = &link->joint;
  double at[3];
  if (link->parent >= 0)
    link->frame = carom_frame_product(&robot->links[link->parent].frame, &link->frame);
  move_frame(&link->frame, joint);
  (void)carom_turn_normalise(link->frame.turn);
  carom_frame_point(&link->frame, joint->at, at);
  memcpy(joint->at, at, sizeof at);
  turn_axis(&link->frame, joint->axis);
  turn_axis(&link->frame, joint->across);
}

// ---- links that are fixed to each other

static carom_status take_over(carom_robot *robot, carom_robot_link *whole, carom_robot_link *part) {
  carom_frame away = carom_frame_none, back;
  carom_turn_inverse(whole->frame.turn, back.turn);
  memset(back.at, 0, sizeof back.at);
  carom_frame_point_in(&whole->frame, part->frame.at, away.at);
  carom_turn_product(back.turn, part->frame.turn, away.turn);
  if (whole->weighed || part->weighed) {
    if (!whole->weighed) carom_robot_weigh(whole);
    if (!part->weighed) carom_robot_weigh(part);
    carom_robot_mass mass = carom_robot_place_mass(&away, &part->mass);
    carom_robot_add_mass(&whole->mass, &mass);
    whole->weighed = true;
  }
  for (int k = 0; k < part->shape_count; k++) {
    carom_robot_shape *shape = carom_robot_add_shape(robot, whole);
    if (!shape) return carom_fail_memory(robot->error);
    *shape = part->shapes[k];
    shape->frame = carom_frame_product(&away, &part->shapes[k].frame);
  }
  carom_status status = carom_robot_add_point(robot, whole, part->name, away.at);
  for (int k = 0; k < part->point_count && status == CAROM_OK; k++) {
    double at[3];
    carom_frame_point(&away, part->points[k].at, at);
    status = carom_robot_add_point(robot, whole, part->points[k].name, at);
  }
  return status;
}

static carom_status put_together(carom_robot *robot) {
  for (int k = 0; k < robot->link_count; k++) {
    carom_robot_link *link = &robot->links[k];
    if (link->parent < 0) continue;
    link->parent = robot->links[link->parent].whole;
    if (link->joint.kind != CAROM_ROBOT_FIXED) continue;
    if (robot->links[link->parent].fixed) {
      link->fixed = true;
      continue;
    }
    link->whole = link->parent;
    carom_status status = take_over(robot, &robot->links[link->parent], link);
    if (status != CAROM_OK) return status;
  }
  return CAROM_OK;
}

// ---- masses

// is the tensor one of a mass, by the leading minors?
static bool is_positive(const double J[6]) {
  double minor = J[0] * J[1] - J[3] * J[3];
  double whole =
      J[2] * minor - J[5] * (J[0] * J[5] - J[3] * J[4]) + J[4] * (J[3] * J[5] - J[1] * J[4]);
  return J[0] > 0.0 && minor > 0.0 && whole > 0.0;
}

static carom_status check_masses(carom_robot *robot) {
  int moving = 0;
  for (int k = 0; k < robot->link_count; k++) {
    carom_robot_link *link = &robot->links[k];
    if (link->fixed || link->whole != k) continue;
    moving++;
    if (!link->weighed) carom_robot_weigh(link);
    if (!(link->mass.mass > 0.0))
      return carom_robot_fail(robot, link->place, "link '%s' moves and has no mass", link->name);
    if (!is_positive(link->mass.inertia))
      return carom_robot_fail(robot, link->place,
                              "the inertia of link '%s' is that of no body: its tensor has to be "
                              "positive definite",
                              link->name);
  }
  return moving ? CAROM_OK
                : carom_robot_fail(robot, robot->links[0].place, "nothing moves in this file");
}

carom_status carom_robot_settle(carom_robot *robot, const carom_robot_options *options) {
  carom_status status = set_starts(robot, options);
  for (int k = 0; status == CAROM_OK && k < robot->link_count; k++) {
    status = check_start(robot, &robot->links[k].joint);
    place_link(robot, &robot->links[k]);
  }
  if (status == CAROM_OK) status = put_together(robot);
  return status == CAROM_OK ? check_masses(robot) : status;
}
