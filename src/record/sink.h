// SPDX-License-Identifier: MIT
/// A place a run is recorded to. The recorder hands everything to each of its sinks.
#ifndef CAROM_RECORD_SINK_H
#define CAROM_RECORD_SINK_H

#include "carom/record.h"
#include "carom/scene.h"
#include "record/trouble.h"

/// What is known when a run has ended.
typedef struct carom_record_end {
  carom_simulation *simulation;
  carom_certificate certificate;
  const char *outcome;
  double wall_time; // from open to close [s]
  bool provenance;
} carom_record_end;

/// `close` writes the rest, closes and renames; `discard` removes what was written. Both free the
/// sink's own memory and are called once.
typedef struct carom_sink {
  void *state;
  carom_status (*sample)(void *state, double t, int count, const double *values,
                         carom_error *error);
  carom_status (*event)(void *state, const carom_event *event, carom_error *error);
  carom_status (*close)(void *state, const carom_record_end *end, carom_error *error);
  void (*discard)(void *state);
} carom_sink;

/// Sinks of a simulation; at every sample `scene` shows it already. It outlives the sinks.
carom_status carom_sink_hdf5(const carom_simulation *simulation, const carom_scene *scene,
                             const carom_record_options *options, carom_sink *sink,
                             carom_error *error);
carom_status carom_sink_tables(const carom_simulation *simulation, const carom_scene *scene,
                               const carom_record_options *options, carom_sink *sink,
                               carom_error *error);
carom_status carom_sink_vtk(const carom_simulation *simulation, const carom_scene *scene,
                            const carom_record_options *options, carom_sink *sink,
                            carom_error *error);

/// The numbers of an event that every record holds, and their names: t, value, tangential, then the
/// energies before and after.
enum { CAROM_EVENT_NUMBERS = 8 };
extern const char *const CAROM_EVENT_NAMES[CAROM_EVENT_NUMBERS];
void carom_event_numbers(const carom_event *event, double numbers[CAROM_EVENT_NUMBERS]);

/// By whom, where and when results were made; texts point into the struct or to static storage.
typedef struct carom_provenance {
  const char *version, *revision, *compiler, *flags;
  char host[256];
  char date[32]; // UTC, as 2024-01-31T12:00:00Z
} carom_provenance;
void carom_provenance_now(carom_provenance *provenance);

#endif
