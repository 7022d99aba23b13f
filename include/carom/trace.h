// SPDX-License-Identifier: MIT
/// A motion kept in memory: every sample and every event of a run, as arrays that a caller can look
/// at without copying.
#ifndef CAROM_TRACE_H
#define CAROM_TRACE_H

#include "carom/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct carom_trace carom_trace;

/// One event that was seen. Pointers belong to the trace.
typedef struct carom_trace_event {
  carom_event_kind kind;
  const char *name;
  double t;
  long instant;
  int direction;
  double value, tangential, rubbed;
  carom_event_energy energy_before, energy_after;
  const double *before, *after; // the state vector (q, q', z), carom_trace_state_size numbers
} carom_trace_event;

/// An empty trace for motions of this simulation. The caller destroys it.
CAROM_API carom_status carom_trace_create(const carom_simulation *simulation, carom_trace **trace,
                                          carom_error *error);
CAROM_API void carom_trace_destroy(carom_trace *trace); // NULL is legal

/// The observer that fills the trace. When memory ends it stops the run (CAROM_STOP_USER), and
/// carom_trace_complete says false.
CAROM_API carom_observer carom_trace_observer(carom_trace *trace);
CAROM_API bool carom_trace_complete(const carom_trace *trace);

CAROM_API long carom_trace_samples(const carom_trace *trace);
/// The time and then the columns of the simulation: 1 + carom_simulation_columns numbers a row.
CAROM_API int carom_trace_width(const carom_trace *trace);
/// All samples, row after row; valid until the next sample or the trace's end.
CAROM_API const double *carom_trace_values(const carom_trace *trace);

/// What the contacts do at every sample, row after row, one entry for each contact of the model;
/// NULL where there is none. Forces are those behind the sample's instant. Valid as the samples
/// are.
CAROM_API const carom_contact_view *carom_trace_contacts(const carom_trace *trace, int *count);

CAROM_API long carom_trace_events(const carom_trace *trace);
CAROM_API int carom_trace_state_size(const carom_trace *trace);
/// NULL when `k` is out of range; valid until the next event or the trace's end.
CAROM_API const carom_trace_event *carom_trace_event_at(const carom_trace *trace, long k);

#ifdef __cplusplus
}
#endif
#endif
