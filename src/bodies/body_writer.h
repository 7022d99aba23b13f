// SPDX-License-Identifier: MIT
/// What is known of a body while it is written out: where it is, how it moves and what it is
/// bounded by, all as texts.
#ifndef CAROM_BODIES_BODY_WRITER_H
#define CAROM_BODIES_BODY_WRITER_H

#include "bodies/text_algebra.h"
#include "document/document.h"

#include <stdint.h>

enum { CAROM_BODY_MOST_CORNERS = 64 };

typedef enum carom_shape_kind {
  CAROM_SHAPE_NONE,
  CAROM_SHAPE_ROUND,     // corners with a radius: disc, sphere, box, polygon, capsule ...
  CAROM_SHAPE_RIM,       // circles about the body's third axis: coin, cylinder
  CAROM_SHAPE_ELLIPSOID, // semi-axes along the body's axes
  CAROM_SHAPE_PLANE,     // a half-plane or half-space: everything behind its normal
  CAROM_SHAPE_CUP,       // the inside of a circle or sphere
  CAROM_SHAPE_TUBE       // the inside of a cylinder without ends, about the third axis
} carom_shape_kind;

/// A point of a body; with a radius it is the centre of a circle or sphere.
typedef struct carom_corner {
  carom_text_vector local;
  const char *radius; // "0": a sharp corner
  uint64_t joined;    // edges to draw: bit k, to corner k
} carom_corner;

typedef struct carom_body {
  const char *name;
  const char *label; // in the names of contacts
  const carom_yaml *map;
  carom_place place;
  bool moves; // has coordinates; else it is fixed, or moved as time says
  carom_text_vector at, velocity, spin;
  carom_text_turn turn;
  // at the start, of parameters alone
  carom_text_vector start;
  carom_text_turn start_turn;
  const char *mass;
  carom_text_vector inertia;  // about the body's axes; in the plane the third one counts
  carom_text_vector products; // of inertia, 23, 31 and 12: the other elements of the tensor
  carom_shape_kind shape;
  const char *shape_name; // as it is written; NULL: it has none
  int corner_count;
  carom_corner *corners;
  bool polygon;             // in the plane: the corners follow each other around
  bool hollow;              // and one of them points inwards: edges do not bound it alone
  carom_text_vector normal; // of a plane, in the body
  const char *size[3];      // radius of a cup or tube; radius and half height of a rim; semi-axes
  // shapes of a body that has several: bodies of their own that move with it
  const struct carom_body *owner;
  int part_count;
  struct carom_body *parts;
} carom_body;

/// One place where two bodies can touch: `normal` points from the second body to the first, arms go
/// from their centres to the place.
typedef struct carom_touching {
  const char *gap;
  carom_text_vector normal, arms[2];
  const char *when;       // a condition: only then it counts, else another place does; NULL: always
  carom_text_vector side; // a unit vector across the normal, in space; NULL: any
} carom_touching;

/// One document being written out.
typedef struct carom_body_writer {
  carom_document *document;
  carom_error *error;
  carom_texts texts;
  carom_yaml *root; // the tree that is made
  bool space;
  bool outlined;     // the bodies and forces on them: no energies, contacts, joints
  carom_place place; // of what is being written, for whatever is made of it
  int body_count;
  carom_body *bodies;
  int named; // long texts that have got names
} carom_body_writer;

// body_tree.c
/// The map of this name in the tree that is made, which is made too.
carom_yaml *carom_body_section(carom_body_writer *w, const char *name);
void carom_body_put(carom_body_writer *w, carom_yaml *map, const char *key, carom_yaml *value);
void carom_body_put_text(carom_body_writer *w, carom_yaml *map, const char *key, const char *text);
/// The name of something of a body: die.mass.
const char *carom_body_named(carom_body_writer *w, const carom_body *body, const char *what);
/// A parameter of this name, whose value somebody wrote, or which follows from others; returns the
/// name.
const char *carom_body_number(carom_body_writer *w, const char *name, const carom_yaml *value);
const char *carom_body_derived(carom_body_writer *w, const char *name, const char *text);
/// A long text that is used again gets a name, so that texts do not grow without bounds.
const char *carom_body_short(carom_body_writer *w, const char *text);
carom_text_vector carom_body_short_vector(carom_body_writer *w, carom_text_vector a);
/// Is it a number, without names or a unit? Others are known when the scenario is read.
bool carom_body_literal(const carom_yaml *value, double *number);
/// A list of zeros, which gives no direction?
bool carom_body_is_nothing(const carom_yaml *list);
/// Adds a term to an expression of the tree, in front of which stands what the user wrote.
void carom_body_add_term(carom_body_writer *w, const char *section, const char *key,
                         const char *term);
carom_status carom_body_fail(const carom_body_writer *w, const carom_yaml *at, const char *format,
                             ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;
/// A list of numbers as a vector of parameters NAME.x, NAME.y, NAME.z; in the plane it has two.
carom_status carom_body_vector(carom_body_writer *w, const carom_yaml *list, const char *name,
                               carom_text_vector *vector);
/// Does any text that somebody wrote contain this name?
bool carom_body_is_mentioned(const carom_yaml *tree, const char *name);
const carom_body *carom_body_find(const carom_body_writer *w, const char *name);

// body_motion.c
/// Coordinates, energies and names of a body.
carom_status carom_body_write_motion(carom_body_writer *w, carom_body *body);
/// How a point fixed to the body moves that lies at `arm` from its centre.
carom_text_vector carom_body_speed_at(carom_body_writer *w, const carom_body *body,
                                      carom_text_vector arm);

/// Where it is given to be, and how turned, at the start: `start` and `start_turn`.
carom_status carom_body_read_start(carom_body_writer *w, carom_body *body);

// body_parts.c
/// The shapes of a body that has several: mass, mass centre and inertia of all together.
carom_status carom_body_read_parts(carom_body_writer *w, carom_body *body);
/// Puts them where the body is.
void carom_body_place_parts(carom_body_writer *w, carom_body *body);

// body_shape.c
/// What a shape says of mass: its size (area or volume) and, for a mass of one, its inertia.
typedef struct carom_body_filling {
  const char *size;
  carom_text_vector inertia, products; // products that are NULL are none
} carom_body_filling;

/// Room for sharp corners at the centre; false: out of memory.
bool carom_body_make_corners(carom_body_writer *w, carom_body *body, int count);
/// Its shape, mass and inertia.
carom_status carom_body_read_shape(carom_body_writer *w, carom_body *body);
/// Written as `box`?
bool carom_body_is_box(const carom_body *body);
/// What is to be drawn of it.
void carom_body_draw(carom_body_writer *w, const carom_body *body);
void carom_body_add_shape(carom_body_writer *w, carom_yaml *shape);

// body_solid.c
/// The same in space.
void carom_body_draw_solid(carom_body_writer *w, const carom_body *body);

// body_mesh.c
/// `hull: FILE`, the hull of the points of a mesh.
carom_status carom_body_read_hull(carom_body_writer *w, carom_body *body, const carom_yaml *value,
                                  carom_body_filling *filling);
/// What an even density says of a polyhedron whose corners are numbers: their hull. Corners are
/// then counted from its mass centre. Others stay as they are.
carom_status carom_body_fill_polyhedron(carom_body_writer *w, carom_body *body,
                                        const carom_yaml *value, carom_body_filling *filling);

// body_contact.c
/// The contacts that say `between`.
carom_status carom_body_write_contacts(carom_body_writer *w);
/// The one place where two bodies touch, and the slip there (in space a list of two); false: they
/// touch nowhere, or at several places.
bool carom_body_only_place(carom_body_writer *w, const carom_body *a, const carom_body *b,
                           const char **gap, carom_yaml **slip);

// body_near.c
/// A ball of one body near the line between the two ends of another one (a capsule, a segment).
carom_touching carom_near_segment(carom_body_writer *w, const carom_body *a,
                                  const carom_corner *ball, const carom_body *b);
/// The same for a corner or an end beside the line, which counts only there.
carom_touching carom_beside_segment(carom_body_writer *w, const carom_body *a,
                                    const carom_corner *end, const carom_body *b);
/// The ends of two lines at each other, each place once: those of `a` at `b`, which also count
/// where two ends meet, and those of `b` at `a` (seen from `b`), which count beside it.
void carom_ends_touch(carom_body_writer *w, const carom_body *a, const carom_body *b,
                      carom_touching places[4]);
/// A ball of one body near a box in space: its faces, edges and corners.
carom_touching carom_near_box(carom_body_writer *w, const carom_body *a, const carom_corner *ball,
                              const carom_body *b);
/// A ball of one body near a cylinder: its side, its ends and its rims.
carom_touching carom_near_cylinder(carom_body_writer *w, const carom_body *a,
                                   const carom_corner *ball, const carom_body *b);

// body_line.c
enum { CAROM_LINES_TOUCH = 5, CAROM_LINE_BOX_TOUCH = 22 };
/// Two lines in one frame.
typedef struct carom_lines {
  carom_text_vector from;     // q, from the middle of the second one to that of the first
  carom_text_vector along[2]; // u, v
  const char *half[2];
  const char *least; // sine^2 of the angle up to which they count as parallel; NULL: 1e-12
} carom_lines;
/// A line seen from a box; the second line is not set.
carom_lines carom_see_line(carom_body_writer *w, const carom_body *a, const carom_body *box);
/// The same, and an edge of twelve.
carom_lines carom_line_and_edge(carom_body_writer *w, const carom_lines *seen,
                                const carom_body *box, int k);
/// The side of a line with a radius at edge k of a box.
carom_touching carom_side_at_edge(carom_body_writer *w, const carom_body *a, const carom_body *box,
                                  const carom_lines *seen, int k);
/// Where two capsules in space can touch: their ends at each other, and their sides across each
/// other.
void carom_lines_touch(carom_body_writer *w, const carom_body *a, const carom_body *b,
                       carom_touching places[CAROM_LINES_TOUCH]);
/// Where a capsule and a box can touch: its ends at the box, its side at the corners and edges.
void carom_line_touches_box(carom_body_writer *w, const carom_body *a, const carom_body *b,
                            carom_touching places[CAROM_LINE_BOX_TOUCH]);
/// How far a capsule is from another one, or from a box; negative: they overlap.
const char *carom_lines_apart(carom_body_writer *w, const carom_body *a, const carom_body *b);
const char *carom_line_box_apart(carom_body_writer *w, const carom_body *a, const carom_body *b);

// body_rim.c
enum { CAROM_RIM_RESTS = 3 };
int carom_rim_count(const carom_body *body);
/// The lowest point of a rim of a coin or cylinder over a plane, while it is tilted.
carom_touching carom_rim_lowest(carom_body_writer *w, const carom_body *body, int rim,
                                const carom_body *plane);
/// The points of a rim on which it rests while it lies flat: those along NAME.way1, NAME.way2 (a
/// direction in the body), and 120 degrees away on either side. `way`: NAME.
void carom_rim_rests(carom_body_writer *w, const carom_body *body, int rim, const carom_body *plane,
                     const char *way, carom_touching places[CAROM_RIM_RESTS]);
/// Notes that these three contacts are such points; the first one gives its name to the direction.
void carom_rim_note(carom_body_writer *w, const char *const names[CAROM_RIM_RESTS]);
/// How far it is from the plane, but for what counts as flat; negative: they overlap.
const char *carom_rim_apart(carom_body_writer *w, const carom_body *body, const carom_body *plane);

// body_can.c
enum { CAROM_CAN_BOX_TOUCH = 36 };
/// Where a cylinder that does not lie flat can touch a box; returns the number of places.
int carom_can_on_box(carom_body_writer *w, const carom_body *can, const carom_body *box,
                     carom_touching places[CAROM_CAN_BOX_TOUCH]);
/// The points of a rim on which it rests flat on a face, as on a plane.
void carom_can_rests_on_box(carom_body_writer *w, const carom_body *can, int rim,
                            const carom_body *box, const char *way,
                            carom_touching places[CAROM_RIM_RESTS]);
/// How deep they overlap at edges of the box, as a negative number.
const char *carom_can_box_apart(carom_body_writer *w, const carom_body *can, const carom_body *box);

// body_polygon.c
/// Gap and slip of a corner of one body on the edges of another one, in the plane.
void carom_polygon_gap(carom_body_writer *w, const carom_body *a, const carom_corner *corner,
                       const carom_body *b, const char **gap, const char **slip);

// body_faces.c
/// The two places where convex polygons can touch, in the plane: the ends of where the faces that
/// look at each other overlap.
void carom_polygons_touch(carom_body_writer *w, const carom_body *a, const carom_body *b,
                          carom_touching places[2]);
/// How far two convex polygons are apart along the best of their normals; negative: they overlap.
const char *carom_polygons_apart(carom_body_writer *w, const carom_body *a, const carom_body *b);

// body_slots.c
/// Is it a box, a polyhedron or a hull?
bool carom_body_has_faces(const carom_body *body);
/// How many places of contact two of these have at most.
carom_status carom_slots_count(carom_body_writer *w, const carom_body *a, const carom_body *b,
                               int *count);
/// Notes that this pair touches; its contacts are to be put into the map.
carom_yaml *carom_slots_begin(carom_body_writer *w, const carom_body *a, const carom_body *b);
/// One of these contacts: see convex/slot.h.
typedef struct carom_slot {
  carom_touching touching;
  carom_text_vector tangents[2];
  const char *within[2]; // negative: the place has left its face or edge
} carom_slot;
carom_slot carom_slot_write(carom_body_writer *w, const char *name, const carom_body *a,
                            const carom_body *b);

// body_force.c
/// A force and a torque, of space, on a body that moves; others do not notice.
void carom_body_push(carom_body_writer *w, const carom_body *body, carom_text_vector force,
                     carom_text_vector torque);
/// Its `forces` and `drag`.
carom_status carom_body_write_forces(carom_body_writer *w, const carom_body *body);

// body_drive.c
/// What acts along the one direction that a hinge or slider leaves free.
typedef struct carom_joint_drive {
  const char *name;
  const carom_yaml *map;
  const char *gone; // the name of its angle or way
  bool turns;       // a hinge
  const carom_body *bodies[2];
  carom_text_vector axis;  // in space, now
  carom_text_vector place; // where a slider's force acts
} carom_joint_drive;

bool carom_joint_is_driven(const carom_yaml *map);
/// Limits, spring, damper, motor and dry friction of the joint.
carom_status carom_joint_write_drive(carom_body_writer *w, const carom_joint_drive *drive);

// body_joint.c
carom_status carom_body_write_joints(carom_body_writer *w);

#endif
