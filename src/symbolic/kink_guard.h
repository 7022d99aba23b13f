// SPDX-License-Identifier: MIT
/// Roots of what a branch holds above zero. In sqrt(abs(x)), and in the branch y < 0 of
/// if(y < 0, (-y)^1.5, 0), the root's base is not negative for as long as the branch lasts. But a
/// trial step goes beyond the end of its branch before the end is located, and the state of the
/// event is on its other side by a rounding. There the base counts as zero: the quantity u that is
/// known not to be negative is written ramp(u), which is u, with its slope and series, and 0 below.
/// Only u itself: a base that is negative for another reason stays one, and an error.
#ifndef CAROM_SYMBOLIC_KINK_GUARD_H
#define CAROM_SYMBOLIC_KINK_GUARD_H

#include "symbolic/graph.h"

/// Is it a root, or a power that may be one: not a number for a base below zero?
bool carom_is_root(const carom_graph *graph, carom_node node);

/// `base` with ramp(held) in place of held. Returns 0 when out of memory.
carom_node carom_guard_base(carom_graph *graph, carom_node base, carom_node held);

/// `branch`, which is followed where low <= high, with the ramp of high - low in all its roots.
/// Returns 0 when out of memory.
carom_node carom_guard_roots(carom_graph *graph, carom_node branch, carom_node low,
                             carom_node high);

/// `choice`, the branches of max(a, b) (above) or min(a, b), kept from going beyond the other one:
/// for what is taken of clamped numbers, acos(max(-1, min(1, x))). Returns 0 when out of memory.
carom_node carom_guard_clamp(carom_graph *graph, carom_node choice, bool above);

#endif
