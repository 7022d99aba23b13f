// SPDX-License-Identifier: MIT
/// Kinks become modes. Between events every abs, sign, min, max, if, floor and mod follows one
/// smooth branch, a rule of the table of operations; which one is a MODE symbol s = +1 or -1
/// decided by the sign of a switching function u:
///   abs(u) = s u,  sign(u) = s,  min(a,b) = s > 0 ? b : a with u = a - b,  if(a < b, c, d) by u =
///   b - a,  floor(a) by u = sin(pi a), whose sign tells whether the integer is even or odd.
/// The switching functions are watched as events; a mode changes there and nowhere else, so the
/// integrator only ever sees smooth functions.
#ifndef CAROM_SYMBOLIC_KINK_H
#define CAROM_SYMBOLIC_KINK_H

#include "symbolic/graph.h"

typedef struct carom_kink {
  carom_node mode;     // the MODE symbol
  carom_node argument; // u, itself free of kinks (inner kinks replaced first)
  carom_node origin;   // the node that was replaced, for messages
} carom_kink;

typedef struct carom_kink_list {
  carom_kink *items;
  int count, capacity;
  bool rests; // a mode may be 0 where its argument stays at zero: a == b holds there
} carom_kink_list;

/// Rewrites `node` without kinks, adding the modes it needs to `list` (arguments u and -u share
/// one). A comparison becomes s > 0 or s < 0 of its mode, so `and`, `or`, `not` and its use as a
/// number need nothing more; a == b of varying quantities is false (true at instants only; but see
/// `rests`), and a varying number as a condition is true. Arguments know only the modes before them
/// in the list: setting the modes in order needs one pass. Kinks of what is constant between events
/// (parameters, modes, integers that floor holds) stay as they are. Returns 0 when out of memory.
carom_node carom_kink_remove(carom_graph *graph, carom_arena *arena, carom_node node,
                             carom_kink_list *list);

/// The same of kinks that place, time and states decide; those of rates, or of symbols of the kind
/// OTHER, stay. In a coefficient of friction they are kinks of the slip, which is zero for as long
/// as a contact sticks.
carom_node carom_kink_remove_placed(carom_graph *graph, carom_arena *arena, carom_node node,
                                    carom_kink_list *list);

/// `node` as it is where `symbol` has the given sign (+1 or -1), without the kinks it has where the
/// symbol is zero: of abs(v) for v > 0 comes v, which has a derivative at v = 0 too. Other kinks
/// stay. Returns 0 when out of memory.
carom_node carom_kink_on_side(carom_graph *graph, carom_arena *arena, carom_node node,
                              carom_node symbol, int sign);

#endif
