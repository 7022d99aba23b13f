// SPDX-License-Identifier: MIT
/// Motions kept in memory: arrays that grow by doubling.
#include "carom/trace.h"
#include "engine/engine.h"

#include <assert.h>
#include <math.h>
#include <string.h>

struct carom_trace {
  carom_arena *arena; // names and states of events
  const carom_allocator *allocator;
  int width, state_size;
  long samples, sample_room;
  double *values;
  carom_scene *scene; // looks at the contacts; NULL: there are none
  int contacts;
  long view_room;
  carom_contact_view *views;
  long events, event_room;
  carom_trace_event *log;
  bool complete;
};

carom_status carom_trace_create(const carom_simulation *simulation, carom_trace **trace,
                                carom_error *error) {
  *trace = NULL;
  carom_arena *arena = carom_arena_create(carom_arena_allocator(simulation->arena));
  carom_trace *made = arena ? carom_arena_take(arena, sizeof *made) : NULL;
  if (!made) {
    carom_arena_destroy(arena);
    return carom_fail_memory(error);
  }
  made->arena = arena;
  made->allocator = carom_arena_allocator(arena);
  made->width = 1 + carom_simulation_columns(simulation);
  made->complete = true;
  (void)carom_simulation_state(simulation, &made->state_size);
  made->contacts = carom_model_count(carom_simulation_model(simulation), CAROM_CONTACTS);
  carom_status status =
      made->contacts > 0 ? carom_scene_create(simulation, &made->scene, error) : CAROM_OK;
  if (status == CAROM_OK)
    *trace = made;
  else
    carom_arena_destroy(arena);
  return status;
}

void carom_trace_destroy(carom_trace *trace) {
  if (!trace) return;
  if (trace->values) trace->allocator->release(trace->allocator->ctx, trace->values);
  if (trace->views) trace->allocator->release(trace->allocator->ctx, trace->views);
  if (trace->log) trace->allocator->release(trace->allocator->ctx, trace->log);
  carom_scene_destroy(trace->scene);
  carom_arena_destroy(trace->arena);
}

// room for one element more, or false
static bool grow_array(const carom_trace *trace, void **array, long count, long *room,
                       size_t size) {
  if (count < *room) return true;
  long wanted = *room ? 2 * *room : 256;
  void *grown = trace->allocator->resize(trace->allocator->ctx, *array, (size_t)wanted * size);
  if (!grown) return false;
  *array = grown;
  *room = wanted;
  return true;
}

// the contacts at the sample that was just handed over; what cannot be said of them is no number
static bool keep_contacts(carom_trace *trace, double t, int count, const double *values) {
  if (!trace->scene) return true;
  void *views = trace->views;
  size_t row_size = (size_t)trace->contacts * sizeof *trace->views;
  bool has_room = grow_array(trace, &views, trace->samples, &trace->view_room, row_size);
  trace->views = views;
  if (!has_room) return false;
  carom_contact_view *row = trace->views + trace->samples * trace->contacts;
  carom_error error;
  int seen = 0;
  bool looked = carom_scene_look(trace->scene, t, count, values, &error) == CAROM_OK;
  const carom_contact_view *contacts = carom_scene_contacts(trace->scene, &seen);
  const carom_contact_view unknown = {'?', NAN, NAN, NAN, NAN, {NAN, NAN}, {NAN, NAN}};
  for (int k = 0; k < trace->contacts; k++)
    row[k] = looked && k < seen ? contacts[k] : unknown;
  return true;
}

static int on_sample(void *ctx, const carom_simulation *simulation, double t, int count,
                     const double *values) {
  (void)simulation;
  carom_trace *trace = ctx;
  void *rows = trace->values;
  size_t row_size = (size_t)trace->width * sizeof(double);
  trace->complete = trace->complete && count == trace->width - 1 &&
                    grow_array(trace, &rows, trace->samples, &trace->sample_room, row_size) &&
                    keep_contacts(trace, t, count, values);
  trace->values = rows;
  if (!trace->complete) return 1;
  assert(trace->samples < trace->sample_room);
  double *row = trace->values + trace->samples++ * trace->width;
  row[0] = t;
  memcpy(row + 1, values, (size_t)count * sizeof *values);
  return 0;
}

static const double *keep_state(carom_trace *trace, const double *state) {
  double *kept = carom_arena_array(trace->arena, (size_t)trace->state_size, sizeof *kept);
  if (kept && state) memcpy(kept, state, (size_t)trace->state_size * sizeof *kept);
  return kept;
}

static int on_event(void *ctx, const carom_event *event) {
  carom_trace *trace = ctx;
  void *log = trace->log;
  trace->complete = trace->complete && grow_array(trace, &log, trace->events, &trace->event_room,
                                                  sizeof(carom_trace_event));
  trace->log = log;
  if (!trace->complete) return 1;
  carom_trace_event kept = {.kind = event->kind,
                            .name =
                                carom_arena_text(trace->arena, event->name, strlen(event->name)),
                            .t = event->t,
                            .instant = event->instant,
                            .direction = event->direction,
                            .value = event->value,
                            .tangential = event->tangential,
                            .rubbed = event->rubbed,
                            .energy_before = event->energy_before,
                            .energy_after = event->energy_after,
                            .before = keep_state(trace, event->before),
                            .after = keep_state(trace, event->after)};
  trace->complete = kept.name && kept.before && kept.after;
  if (!trace->complete) return 1;
  trace->log[trace->events++] = kept;
  return 0;
}

carom_observer carom_trace_observer(carom_trace *trace) {
  return (carom_observer){.ctx = trace, .event = on_event, .sample = on_sample, .energies = true};
}

bool carom_trace_complete(const carom_trace *trace) { return trace->complete; }
long carom_trace_samples(const carom_trace *trace) { return trace->samples; }
int carom_trace_width(const carom_trace *trace) { return trace->width; }
const double *carom_trace_values(const carom_trace *trace) { return trace->values; }

const carom_contact_view *carom_trace_contacts(const carom_trace *trace, int *count) {
  *count = trace->contacts;
  return trace->views;
}

long carom_trace_events(const carom_trace *trace) { return trace->events; }
int carom_trace_state_size(const carom_trace *trace) { return trace->state_size; }

const carom_trace_event *carom_trace_event_at(const carom_trace *trace, long k) {
  return k >= 0 && k < trace->events ? &trace->log[k] : NULL;
}
