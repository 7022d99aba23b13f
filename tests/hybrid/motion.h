// SPDX-License-Identifier: MIT
/// What tests of whole motions share: a scenario made to run, values by name, a log of events.
#ifndef CAROM_TESTS_HYBRID_MOTION_H
#define CAROM_TESTS_HYBRID_MOTION_H

#include "check.h"

#include "carom/simulation.h"

#include <string.h>

#define PI 3.14159265358979323846

typedef struct motion {
  carom_model *model;
  carom_simulation *simulation;
} motion;

/// Fails the test with the library's own message.
#define MUST(call, error)                                                                          \
  do {                                                                                             \
    if ((call) < 0) {                                                                              \
      char must_text[1500];                                                                        \
      print_error("%s\n", carom_error_format(&(error), must_text, sizeof must_text));              \
      _fail(__FILE__, __LINE__);                                                                   \
    }                                                                                              \
  } while (0)

static inline motion motion_of(carom_model *model) {
  motion m = {.model = model};
  carom_error error = {0};
  MUST(carom_simulation_create(m.model, &m.simulation, &error), error);
  return m;
}

/// A scenario of the folder scenarios/, with settings up to a NULL path.
static inline motion motion_load(const char *name, const carom_setting *settings) {
  char path[400];
  int count = 0;
  while (settings && settings[count].path)
    count++;
  (void)snprintf(path, sizeof path, "%s/scenarios/%s.yaml", CAROM_SOURCE_DIR, name);
  carom_model *model = NULL;
  carom_error error = {0};
  MUST(carom_model_load(path, count, settings, &model, &error), error);
  return motion_of(model);
}

static inline motion motion_parse(const char *text) {
  carom_model *model = NULL;
  carom_error error = {0};
  MUST(carom_model_parse(text, NULL, 0, NULL, &model, &error), error);
  return motion_of(model);
}

static inline void motion_end(motion *m) {
  carom_simulation_destroy(m->simulation);
  carom_model_destroy(m->model);
  *m = (motion){0};
}

static inline carom_status motion_run(const motion *m) {
  carom_error error = {0};
  carom_status status = carom_simulation_run(m->simulation, &error);
  MUST(status, error);
  return status;
}

static inline carom_status motion_advance(const motion *m, double t) {
  carom_error error = {0};
  carom_status status = carom_simulation_advance(m->simulation, t, &error);
  MUST(status, error);
  return status;
}

static inline double value_of(const motion *m, const char *name) {
  double value = NAN;
  carom_error error = {0};
  MUST(carom_simulation_get(m->simulation, name, &value, &error), error);
  return value;
}

static inline void set_value(const motion *m, const char *name, double value) {
  carom_error error = {0};
  MUST(carom_simulation_set(m->simulation, name, value, &error), error);
}

static inline carom_certificate certificate_of(const motion *m) {
  carom_certificate certificate;
  carom_error error = {0};
  MUST(carom_simulation_certificate(m->simulation, &certificate, &error), error);
  return certificate;
}

/// The events of a motion in order.
enum { LOG_ROOM = 4096, LOG_NAME = 40 };
typedef struct logged {
  carom_event_kind kind;
  char name[LOG_NAME];
  double t;
  long instant;
  int direction;
  double value;
} logged;
typedef struct event_log {
  int count;
  logged list[LOG_ROOM];
} event_log;

static inline int log_event(void *ctx, const carom_event *event) {
  event_log *log = ctx;
  if (log->count == LOG_ROOM) return 1;
  logged *at = &log->list[log->count++];
  *at = (logged){.kind = event->kind,
                 .t = event->t,
                 .instant = event->instant,
                 .direction = event->direction,
                 .value = event->value};
  (void)snprintf(at->name, sizeof at->name, "%.*s", LOG_NAME - 1, event->name);
  return 0;
}

static inline void motion_log(const motion *m, event_log *log) {
  log->count = 0;
  carom_observer observer = {.ctx = log, .event = log_event};
  carom_simulation_observe(m->simulation, &observer);
}

/// How many events of this kind and name (NULL: any) were logged.
static inline int count_logged(const event_log *log, carom_event_kind kind, const char *name) {
  int count = 0;
  for (int k = 0; k < log->count; k++)
    count += log->list[k].kind == kind && (!name || strcmp(log->list[k].name, name) == 0);
  return count;
}

/// The k-th of them.
static inline const logged *find_logged(const event_log *log, carom_event_kind kind,
                                        const char *name, int k) {
  for (int j = 0; j < log->count; j++)
    if (log->list[j].kind == kind && (!name || strcmp(log->list[j].name, name) == 0) && k-- == 0)
      return &log->list[j];
  print_error("no event number %d of kind %s and name %s\n", k, carom_event_kind_text(kind),
              name ? name : "(any)");
  _fail(__FILE__, __LINE__);
  return NULL;
}

/// Complete elliptic integral of the first kind K(k) by the arithmetic-geometric mean.
static inline double elliptic_k(double k) {
  double a = 1.0, b = sqrt((1.0 - k) * (1.0 + k));
  for (int round = 0; round < 12; round++) {
    double mean = 0.5 * (a + b);
    b = sqrt(a * b);
    a = mean;
  }
  return 0.5 * PI / a;
}

#endif
