// SPDX-License-Identifier: MIT
/// The linear equations of multiple shooting. Unknowns are the state at the start of a turn, its
/// period where that is not given, and at each event its time and the state behind it; equations
/// link neighbours only, the last of them the start. So their matrix is a ring of blocks, which is
/// condensed block by block, by reflections (Wright 1992), which keep the solution exact however
/// fast neighbours part over a turn, at a cost proportional to the number of events.
#ifndef CAROM_ANALYSIS_RING_H
#define CAROM_ANALYSIS_RING_H

#include <stdbool.h>
#include <stddef.h>

typedef struct carom_ring {
  int events;  // between the start and the end of a turn
  int states;  // at the start and at each event
  bool period; // is an unknown
} carom_ring;

/// Unknowns and equations have the same order: the start and that the turn closes, the period and
/// the phase condition, then for each event its time and its function, the state behind it and that
/// the leg leads there.
int carom_ring_count(const carom_ring *ring);
int carom_ring_time(const carom_ring *ring, int event);  // place of its time among them
int carom_ring_state(const carom_ring *ring, int event); // and of its state; -1: the start

/// The matrix is one block for each leg, row-major: the event's function, then the states it leads
/// to, by the time and the state it starts from and by the time it ends at. (Of the first leg the
/// time of the start is not an unknown; the last leg has no event, and ends after the period.)
/// That each state is subtracted from where the leg before it leads goes without saying.
/// The phase condition, by the start, is behind the blocks.
size_t carom_ring_numbers(const carom_ring *ring);
double *carom_ring_leg(const carom_ring *ring, double *matrix, int leg);
int carom_ring_columns(const carom_ring *ring); // of a leg's block
double *carom_ring_phase(const carom_ring *ring, double *matrix);

/// Equations in scaled unknowns: scale and weight are those of unknowns and equations.
typedef struct carom_ring_system {
  carom_ring ring;
  const double *matrix, *by_parameter;
  const double *scale, *weight;
  double scale_parameter;
} carom_ring_system;

/// Solves for the scaled unknowns and the parameter: `direction` times them is the last of the
/// right-hand sides, which are overwritten (one more than unknowns). See carom_branch_solve for
/// `drop` and `left`. False: no memory.
bool carom_ring_solve(const carom_ring_system *system, const double *direction, double drop,
                      double *right, double *left);

/// The derivative of the end of a turn by its start, where every event comes at its own time:
/// states x states, a product over all legs. False: no memory, or there is none, where an event
/// does not come across.
bool carom_ring_turn(const carom_ring *ring, const double *matrix, double *derivative);

#endif
