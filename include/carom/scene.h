// SPDX-License-Identifier: MIT
/// What is to be seen of a motion: the bodies, the contacts with their modes and forces, and the
/// energy ledger, at the instants of samples. For recording and drawing.
#ifndef CAROM_SCENE_H
#define CAROM_SCENE_H

#include "carom/simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A part of a picture, the numbers it has at every instant and those that never change. Lengths
/// in the units of the scenario.
typedef enum carom_part_kind {
  CAROM_PART_CIRCLE,  // x, y, radius
  CAROM_PART_SEGMENT, // x, y of both ends
  CAROM_PART_POLYGON, // x, y of every corner
  CAROM_PART_LEVEL,   // the height of a horizontal line
  CAROM_PART_ROD,     // centre (3), axis (3); fixed: half length of the axis, radius
  CAROM_PART_BODY,    // place (3), deformation or rotation by rows (9); fixed: the number of
                      // corners, their places (3 each), then triangles: three corners and the
                      // number of the face (4 each)
  CAROM_PART_PLANE,   // a point (3), the normal into the free space (3)
  CAROM_PART_TUBE,    // fixed: x, y of an upright cylinder's axis, its radius
  CAROM_PART_SPRING,  // x, y of both ends
  CAROM_PART_DAMPER,  // x, y of both ends
  CAROM_PART_ANGLE,   // x, y of the apex, radius, where the arc begins and ends [rad]
  CAROM_PART_BEAD,    // a value on a row of its own; fixed: the row
  CAROM_PART_STOP,    // where a bead is stopped; fixed: the row, the side on which it is free (+-1)
  CAROM_PART_FORCE, // of a contact in space: where it acts (3), the force (3), the normal (3), the
                    // coefficient of friction; NaN where it bears none or no shape tells
  CAROM_PARTS
} carom_part_kind;
/// "circle", "segment", "polygon", "level", "rod", "body", "plane", "tube", "spring", "damper",
/// "angle", "bead", "stop", "force".
CAROM_API const char *carom_part_kind_text(carom_part_kind kind);

typedef struct carom_part {
  carom_part_kind kind;
  const char *label;             // ""
  int first, count;              // its numbers in carom_scene_numbers
  int fixed_first, fixed_length; // its numbers in carom_scene_fixed
  const char *color;             // "": by its order
  bool hollow;                   // only its outline is drawn
} carom_part;

/// A contact at an instant.
typedef struct carom_contact_view {
  char mode;                 // as in words: F flight, K stick, + and - slip, C closed, ? unknown
  double gap, slip;          // m, m/s (slip NaN: frictionless)
  double normal, tangential; // forces [N]
  double at[2], force[2];    // in the plane: where it touches and the force on the body there, NaN
                             // where no shape tells (see docs/recording.md)
} carom_contact_view;

typedef struct carom_scene carom_scene;

/// The scene of a simulation that stands at its start. The caller destroys it, before the
/// simulation.
CAROM_API carom_status carom_scene_create(const carom_simulation *simulation, carom_scene **scene,
                                          carom_error *error);
CAROM_API void carom_scene_destroy(carom_scene *scene); // NULL is legal

/// Is it a scene in space, with z up, rather than one of the plane, with y up?
CAROM_API bool carom_scene_in_space(const carom_scene *scene);
/// Has the scenario no shapes, so that points, lines and beads were made for it?
CAROM_API bool carom_scene_is_made(const carom_scene *scene);
CAROM_API int carom_scene_parts(const carom_scene *scene);
/// NULL when `k` is out of range.
CAROM_API const carom_part *carom_scene_part(const carom_scene *scene, int k);
CAROM_API const double *carom_scene_fixed(const carom_scene *scene, int *count);

/// Looks at the sample that an observer has just been handed (`values` are its columns); only
/// valid inside that call. The motion is not influenced.
CAROM_API carom_status carom_scene_look(carom_scene *scene, double t, int count,
                                        const double *values, carom_error *error);
/// What was seen last; valid until the next look.
CAROM_API const double *carom_scene_numbers(const carom_scene *scene, int *count);
/// One entry for each contact of the model.
CAROM_API const carom_contact_view *carom_scene_contacts(const carom_scene *scene, int *count);
/// The energy ledger up to that instant (energies, works, losses, residual); has_energy false:
/// none.
CAROM_API const carom_certificate *carom_scene_ledger(const carom_scene *scene);

#ifdef __cplusplus
}
#endif
#endif
