// SPDX-License-Identifier: MIT
/// Bodies written out. `bodies`, `joints`, `gravity` and contacts `between` bodies become
/// parameters, coordinates, speeds, energies, gaps, slips and constraints of the same document,
/// before anything else reads it: every analysis, file and certificate then knows bodies without a
/// line of its own, and `carom derive` shows their equations.
#ifndef CAROM_BODIES_BODIES_H
#define CAROM_BODIES_BODIES_H

#include "document/document.h"

/// Writes the bodies of a document out, in the plane or in space; one without bodies stays as it
/// is. The tree as the user wrote it is kept in document->written. Names made here have a dot
/// (die.x), which nobody can write as a key.
carom_status carom_bodies_expand(carom_document *document, carom_error *error);

/// A body in texts: what an engine needs that moves bodies by itself. Vectors in the plane have a
/// third component "0".
typedef struct carom_body_outline {
  const char *name;
  carom_place place;
  bool moves;        // by forces; else it is fixed, or moved as time says
  const char *shape; // the key it is written with; NULL: it has none
  const char *at[3], *velocity[3], *spin[3];
  const char *turn[3][3]; // where its axes point
  const char *mass, *inertia[3], *drag;
  int corner_count;
  const char *(*corners)[3]; // in the body
  const char *radius;        // around the corners
  bool hollow;               // a polygon that is not convex
  const char *normal[3];     // of a plane, in the body
  const char *size, *half;   // the radius of a cup, coin or cylinder; of the latter half its height
} carom_body_outline;

typedef struct carom_body_outlines {
  bool space;
  int count;
  carom_body_outline *items;
} carom_body_outlines;

/// The same without energies, contacts and joints: coordinates, parameters, names, drawings and
/// forces of the bodies, and their outlines.
carom_status carom_bodies_outline(carom_document *document, carom_body_outlines *outlines,
                                  carom_error *error);

/// Lists of three say that bodies are in space, of two that they are in the plane.
bool carom_bodies_are_in_space(const carom_yaml *bodies);

#endif
