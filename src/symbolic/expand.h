// SPDX-License-Identifier: MIT
/// Multiplying out: an expression as a sum of products with like terms collected, so that what
/// cancels does cancel. Derived equations of motion become as short as a person would write them.
#ifndef CAROM_SYMBOLIC_EXPAND_H
#define CAROM_SYMBOLIC_EXPAND_H

#include "symbolic/graph.h"

/// The node multiplied out, c sin^2 + c cos^2 replaced by c, or the node itself where that would
/// make it longer or exceed the limits. Scratch memory from `scratch`; 0 when the graph is full.
carom_node carom_node_expand(carom_graph *graph, carom_arena *scratch, carom_node node);

#endif
