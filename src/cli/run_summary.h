// SPDX-License-Identifier: MIT
/// What a run ends with: observables, events, certificate, as text or as JSON.
#ifndef CAROM_CLI_RUN_SUMMARY_H
#define CAROM_CLI_RUN_SUMMARY_H

#include "carom/digest.h"
#include "carom/trace.h"
#include "report.h"
#include "run_tally.h"

typedef struct carom_run_summary {
  const carom_call *call;
  carom_simulation *simulation;
  carom_certificate certificate;
  const carom_run_tally *events;
  const carom_trace *log;     // the events one by one; NULL: not asked for
  const carom_digest *digest; // NULL: not asked for
  const char *stopped_by;     // "until", "stop", "interrupt", "accumulation"
  const char *stop_name;      // of a stop; ""
  double load_time, run_time; // [s]
} carom_run_summary;

void carom_run_summary_json(const carom_run_summary *it);
void carom_run_summary_text(const carom_run_summary *it);

#endif
