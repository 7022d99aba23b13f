// SPDX-License-Identifier: MIT
/// The events of a run one by one: when, what, where, impulses, energies and states on both sides.
#ifndef CAROM_CLI_EVENT_LOG_H
#define CAROM_CLI_EVENT_LOG_H

#include "carom/trace.h"
#include "json.h"

/// As an array `log` of objects.
void carom_event_log_json(carom_json *json, const carom_trace *log,
                          const carom_simulation *simulation);
/// As a table, one line an event.
void carom_event_log_text(const carom_trace *log);

#endif
