// SPDX-License-Identifier: MIT
/// The recorder: one observer, any number of sinks.
#define _POSIX_C_SOURCE 200809L
#include "base/error.h"
#include "base/platform.h"
#include "carom/version.h"
#include "record/sink.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_SINKS = 3 };

struct carom_recorder {
  carom_sink sinks[MOST_SINKS];
  carom_scene *scene;
  int sink_count;
  bool provenance;
  double opened;       // on the clock
  carom_error trouble; // the first; status CAROM_OK: none
};

carom_record_options carom_record_options_default(void) {
  return (carom_record_options){
      .provenance = true, .most_numbers = 60000000, .size = sizeof(carom_record_options)};
}

carom_status carom_recorder_open(const carom_simulation *simulation,
                                 const carom_record_options *options, carom_recorder **recorder,
                                 carom_error *error) {
  *recorder = NULL;
  carom_status status =
      carom_check_options(options->size, sizeof *options, "carom_record_options", error);
  if (status != CAROM_OK) return status;
  carom_recorder *made = calloc(1, sizeof *made);
  if (!made) return carom_record_no_memory(error);
  made->provenance = options->provenance;
  made->opened = carom_clock();

  status = carom_scene_create(simulation, &made->scene, error);
  const struct {
    const char *where;
    carom_status (*open)(const carom_simulation *simulation, const carom_scene *scene,
                         const carom_record_options *options, carom_sink *sink, carom_error *error);
  } wanted[MOST_SINKS] = {{options->file, carom_sink_hdf5},
                          {options->folder, carom_sink_tables},
                          {options->vtk, carom_sink_vtk}};
  for (int k = 0; k < MOST_SINKS && status == CAROM_OK; k++) {
    if (!wanted[k].where) continue;
    carom_sink *sink = &made->sinks[made->sink_count];
    status = wanted[k].open(simulation, made->scene, options, sink, error);
    if (status == CAROM_OK) made->sink_count++;
  }
  if (status != CAROM_OK) {
    carom_recorder_discard(made);
    return status;
  }
  *recorder = made;
  return CAROM_OK;
}

static int observe_event(void *ctx, const carom_event *event) {
  carom_recorder *it = ctx;
  for (int k = 0; k < it->sink_count && it->trouble.status == CAROM_OK; k++)
    (void)it->sinks[k].event(it->sinks[k].state, event, &it->trouble);
  return it->trouble.status != CAROM_OK;
}

static int observe_sample(void *ctx, const carom_simulation *simulation, double t, int count,
                          const double *values) {
  carom_recorder *it = ctx;
  (void)simulation;
  (void)carom_scene_look(it->scene, t, count, values, &it->trouble);
  for (int k = 0; k < it->sink_count && it->trouble.status == CAROM_OK; k++)
    (void)it->sinks[k].sample(it->sinks[k].state, t, count, values, &it->trouble);
  return it->trouble.status != CAROM_OK;
}

carom_observer carom_recorder_observer(carom_recorder *recorder) {
  return (carom_observer){
      .ctx = recorder, .event = observe_event, .sample = observe_sample, .energies = true};
}

carom_status carom_recorder_close(carom_recorder *recorder, carom_simulation *simulation,
                                  const char *outcome, carom_error *error) {
  carom_record_end end = {
      .simulation = simulation, .outcome = outcome, .provenance = recorder->provenance};
  end.wall_time = carom_clock() - recorder->opened;
  carom_error trouble = recorder->trouble;
  if (trouble.status == CAROM_OK)
    (void)carom_simulation_certificate(simulation, &end.certificate, &trouble);

  // every sink is closed even when another has failed: what was written stays readable
  for (int k = 0; k < recorder->sink_count; k++) {
    carom_error mine = {0};
    carom_status status = recorder->sinks[k].close(recorder->sinks[k].state, &end, &mine);
    if (status != CAROM_OK && trouble.status == CAROM_OK) trouble = mine;
  }
  carom_scene_destroy(recorder->scene);
  free(recorder);
  if (trouble.status != CAROM_OK && error) *error = trouble;
  return trouble.status;
}

void carom_recorder_discard(carom_recorder *recorder) {
  if (!recorder) return;
  for (int k = 0; k < recorder->sink_count; k++)
    recorder->sinks[k].discard(recorder->sinks[k].state);
  carom_scene_destroy(recorder->scene);
  free(recorder);
}

const char *const CAROM_EVENT_NAMES[CAROM_EVENT_NUMBERS] = {"t",
                                                            "value",
                                                            "tangential",
                                                            "rubbed",
                                                            "kinetic_before",
                                                            "potential_before",
                                                            "kinetic_after",
                                                            "potential_after"};

void carom_event_numbers(const carom_event *event, double numbers[CAROM_EVENT_NUMBERS]) {
  const double all[CAROM_EVENT_NUMBERS] = {event->t,
                                           event->value,
                                           event->tangential,
                                           event->rubbed,
                                           event->energy_before.kinetic,
                                           event->energy_before.potential,
                                           event->energy_after.kinetic,
                                           event->energy_after.potential};
  memcpy(numbers, all, sizeof all);
}

void carom_provenance_now(carom_provenance *provenance) {
  carom_build build = carom_build_info();
  *provenance = (carom_provenance){.version = build.version,
                                   .revision = build.revision,
                                   .compiler = build.compiler,
                                   .flags = build.flags};
  if (gethostname(provenance->host, sizeof provenance->host - 1) != 0)
    (void)snprintf(provenance->host, sizeof provenance->host, "unknown");
  if (!carom_date(provenance->date, sizeof provenance->date, "%Y-%m-%dT%H:%M:%SZ"))
    (void)snprintf(provenance->date, sizeof provenance->date, "unknown");
}
