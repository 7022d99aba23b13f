// SPDX-License-Identifier: MIT
/// A recorded run as arrays, read once for a picture.
#ifndef CAROM_DRAW_RUN_DATA_H
#define CAROM_DRAW_RUN_DATA_H

#include "carom/status.h"
#include "record/store.h"

enum { CAROM_RUN_MOST_CONTACTS = 16 };

/// A place on the curves of a run.
typedef struct carom_run_node {
  long sample;  // at it, or the last one before it
  long event;   // whose state it is; -1: none
  bool after;   // the state behind that event, not the one before it
  bool between; // neither sample nor event: on the curve from one to the next
} carom_run_node;

typedef struct carom_run_data {
  const carom_store *store;
  long samples;
  double *sample_t;
  // nodes: samples, events between them on both sides, and places where coordinates bend
  long count;
  double *t;
  carom_run_node *nodes;
  int name_count;
  char **names; // of the series without t
  int contact_count;
  char **contacts;                       // names
  char **modes[CAROM_RUN_MOST_CONTACTS]; // a letter per sample; at nodes: carom_run_data_mode
  // events
  long events;
  double *event_t;
  char **event_kind, **event_name;
  double *before, *after; // rows of `state` numbers
  long state;
} carom_run_data;

/// Reads times, names, contact modes and events; the caller frees it, also after an error.
carom_status carom_run_data_read(const carom_store *store, carom_run_data *data,
                                 carom_error *error);
void carom_run_data_free(carom_run_data *data);

/// Values of a series at the nodes (the caller frees them); CAROM_ERR_INPUT names the nearest there
/// is.
carom_status carom_run_data_series(const carom_run_data *data, const char *name, double **values,
                                   carom_error *error);
/// The same of any array with a number a sample, NULL: there is none. `column`: of a series, its
/// number, -1: of none.
double *carom_run_data_array(const carom_run_data *data, const char *path, int column);
/// What a contact does at node k.
char carom_run_data_mode(const carom_run_data *data, int contact, long k);
/// Is it one of the two sides of a jump?
bool carom_run_data_at_jump(const carom_run_data *data, long node);
/// Makes the nodes; false: no memory.
bool carom_run_data_place(carom_run_data *data);
/// The number of a series by name, -1: none. The first `state` of them are in before and after.
int carom_run_data_find(const carom_run_data *data, const char *name);
/// Nodes in a span of time: the first, and one past the last. NaN leaves an end open.
void carom_run_data_span(const carom_run_data *data, double from, double until, long *first,
                         long *end);
/// "flight", "stick", "slip +", "slip −", "closed".
const char *carom_mode_text(char mode);

#endif
