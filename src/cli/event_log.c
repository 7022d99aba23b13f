// SPDX-License-Identifier: MIT
#include "event_log.h"

#include "report.h"

#include <string.h>

static void json_side(carom_json *json, const char *key, const carom_simulation *simulation,
                      int size, const double *state, const carom_event_energy *energy) {
  carom_json_object(json, key);
  for (int k = 0; k < size && k < carom_simulation_columns(simulation); k++)
    carom_json_number(json, carom_simulation_column(simulation, k), state[k]);
  carom_json_number(json, "kinetic", energy->kinetic);
  carom_json_number(json, "potential", energy->potential);
  carom_json_end(json);
}

void carom_event_log_json(carom_json *json, const carom_trace *log,
                          const carom_simulation *simulation) {
  int size = carom_trace_state_size(log);
  carom_json_array(json, "log");
  for (long k = 0; k < carom_trace_events(log); k++) {
    const carom_trace_event *event = carom_trace_event_at(log, k);
    carom_json_object(json, NULL);
    carom_json_number(json, "t", event->t);
    carom_json_count(json, "instant", event->instant);
    carom_json_text(json, "kind", carom_event_kind_text(event->kind));
    carom_json_text(json, "name", event->name);
    carom_json_count(json, "direction", event->direction);
    carom_json_number(json, "value", event->value);
    carom_json_number(json, "tangential", event->tangential);
    carom_json_number(json, "rubbed", event->rubbed);
    json_side(json, "before", simulation, size, event->before, &event->energy_before);
    json_side(json, "after", simulation, size, event->after, &event->energy_after);
    carom_json_end(json);
  }
  carom_json_end(json);
}

// which way the slip goes that begins
static const char *way_of(const carom_trace_event *event) {
  bool slips = event->kind == CAROM_EVENT_SLIP || event->kind == CAROM_EVENT_REVERSE ||
               event->kind == CAROM_EVENT_PHASE_SLIP;
  return !slips || event->direction == 0 ? "" : event->direction > 0 ? " +" : " -";
}

void carom_event_log_text(const carom_trace *log) {
  printf("%16s  %-17s %-19s %14s %14s %14s %14s %14s\n", "t", "event", "of", "value", "tangential",
         "rubbed", "energy before", "after");
  for (long k = 0; k < carom_trace_events(log); k++) {
    const carom_trace_event *event = carom_trace_event_at(log, k);
    const char *kind = carom_event_kind_text(event->kind), *way = way_of(event);
    int blank = 17 - (int)strlen(kind) - (int)strlen(way);
    printf("%16.9g  %s%s%*s ", event->t, kind, way, blank > 0 ? blank : 0, "");
    carom_print_safely(stdout, event->name);
    int rest = 19 - (int)strlen(event->name);
    printf("%*s %14.7g %14.7g %14.7g %14.7g %14.7g\n", rest > 0 ? rest : 0, "", event->value,
           event->tangential, event->rubbed,
           event->energy_before.kinetic + event->energy_before.potential,
           event->energy_after.kinetic + event->energy_after.potential);
  }
}
