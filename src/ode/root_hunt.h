// SPDX-License-Identifier: MIT
/// The search for the first root of one function, shared by functions with bounds (root.c) and
/// functions known by samples alone (root_sampled.c). Private to this room.
#ifndef CAROM_ODE_ROOT_HUNT_H
#define CAROM_ODE_ROOT_HUNT_H

#include "ode/root.h"

/// Values where stages of the search meet: asked for again, they are not computed again.
enum { CAROM_ROOT_SEEN = 4 };
typedef struct carom_root_seen {
  double theta, g[3];
} carom_root_seen;

/// One function on its way along the step.
typedef struct carom_root_hunt {
  const carom_root_functions *functions; // with bounds
  int function;                          // which of them
  carom_root_watch watch;
  double offset; // the roots of g - offset are looked for
  int work;      // enclosures still allowed
  bool on_root;  // |g| has not left the band about zero since the start or the last root
  double band;   // its half-width: the tolerance, or more for a root just served
  int sign;      // of g since it left; on the root the side it is known to be on, 0: unknown
  carom_root_seen seen[CAROM_ROOT_SEEN];
  int seen_count; // ever noted; the oldest makes room
} carom_root_hunt;

enum { CAROM_ROOT_WORK = 20000 };

/// Sets the standing of a function that starts the step with value g.
void carom_root_hunt_start(carom_root_hunt *hunt, double g);

/// The first watched root in (a, b]. `hunt` carries the standing from one interval to the next.
carom_root carom_root_hunt_over(carom_root_hunt *hunt, double a, double b);

/// The root that a function ending the step at theta = 1 with value g reports, if any.
carom_root carom_root_hunt_end(const carom_root_hunt *hunt, double g, double slope, double tie);

/// The first watched root in (0, limit] of a function without bounds. Its standing at 0 is set
/// here.
carom_root carom_root_sampled(const carom_root_functions *functions, int k,
                              const carom_root_watch *watch, double tie, double limit);

#endif
