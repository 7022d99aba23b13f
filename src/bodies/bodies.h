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

/// Lists of three say that bodies are in space, of two that they are in the plane.
bool carom_bodies_are_in_space(const carom_yaml *bodies);

#endif
