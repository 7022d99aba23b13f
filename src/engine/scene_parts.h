// SPDX-License-Identifier: MIT
/// A scene under construction: engines add their parts and fill the numbers of an instant.
#ifndef CAROM_ENGINE_SCENE_PARTS_H
#define CAROM_ENGINE_SCENE_PARTS_H

#include "carom/scene.h"
#include "engine/engine.h"
#include "symbolic/program.h"

struct carom_scene {
  carom_arena *arena;
  const carom_simulation *simulation;
  bool space;
  int part_count, part_room, fixed_count, fixed_room, size, contact_count;
  carom_part *parts;
  double *fixed, *numbers;
  carom_contact_view *contacts;
  carom_certificate ledger;
  carom_program *shapes; // over t, q, q', z and parameters; NULL: no shapes
  double *registers;
  int shape_numbers; // the first numbers, computed by the program
  int state_size;    // how many of a sample's values the program takes
  // for carom_scene_touch
  double *touch_slopes, *touch_values, touch_extent;
  void *own; // of the engine
};

/// Adds a part of `count` numbers and the given fixed ones.
carom_status carom_scene_add(carom_scene *scene, carom_part_kind kind, const char *label, int count,
                             int fixed_count, const double *fixed, carom_error *error);

/// Adds a ball, box or drum of half extents 1, with the triangles that an eye asks for.
carom_status carom_scene_add_solid(carom_scene *scene, const carom_shape *shape,
                                   carom_error *error);

/// The numbers of the shapes at a state (q, q', z).
void carom_scene_shapes_at(carom_scene *scene, double t, const double *state, double *numbers);

/// Where contacts touch: once for an instant, then for each contact that bears a force, with
/// dgap/dq and, of a contact with friction, dslip/dq'. Fills `at` and `force` of the view from its
/// normal and tangential force.
void carom_scene_touch_begin(carom_scene *scene, double t, const double *values);
void carom_scene_touch(const carom_scene *scene, const double *normal, const double *tangent,
                       carom_contact_view *view);

/// A contact in space that bears a force: its rows by speeds, and how the numbers of the shapes
/// change with each of these.
typedef struct carom_touching {
  int speeds;
  const double *normal_row; // dgap' / du
  const double *friction;   // what friction does, as a force on each speed
  const double *slopes;     // a row of shape_numbers for each speed
  double force;             // along the gap
  double coefficient;       // of friction
} carom_touching;
/// The numbers of a CAROM_PART_FORCE, NaN where no shapes are found that touch.
enum { CAROM_FORCE_NUMBERS = 10 };
void carom_scene_touch_space(const carom_scene *scene, const carom_touching *given,
                             double out[CAROM_FORCE_NUMBERS]);

#endif
