// SPDX-License-Identifier: MIT
/// What the event-driven engine prepares of a scenario before it moves: constant, one for all
/// motions.
#ifndef CAROM_HYBRID_HYBRID_MODEL_H
#define CAROM_HYBRID_HYBRID_MODEL_H

#include "engine/engine.h"
#include "hybrid/compliant.h"
#include "hybrid/contacts.h"
#include "hybrid/lone_contact.h"
#include "hybrid/narrow.h"
#include "hybrid/patch.h"
#include "hybrid/solids.h"
#include "hybrid/watch.h"
#include "model/dynamics.h"
#include "ode/root.h"

typedef enum carom_watch_kind {
  CAROM_WATCH_SWITCH, // argument of abs, sign, min, max, if
  CAROM_WATCH_EVENT,
  CAROM_WATCH_SECTION,
  CAROM_WATCH_STOP,
  CAROM_WATCH_GAP, // of an open contact
  CAROM_WATCH_SLIP // of a sliding contact
} carom_watch_kind;

/// A function under watch and what it means.
typedef struct carom_watched {
  carom_watch_kind kind;
  int index; // of the mode, event, section, stop or contact
  const char *name;
  int slot;                  // of bodies with flat faces, from 1 on, that it belongs to; 0: none
  carom_compliant_role role; // of a switch: which branch of a compliant contact it is, if any
  bool observes;             // a section, or a branch that sections alone ask for: nothing moves
                             // otherwise for it
  bool beside;               // ... or that sections and stops do, or a stop: no step ends there
  bool *branches;            // of such a function: which modes it depends on
  carom_direction direction;
  const carom_event_rule *rule; // NULL for switches and functions
  carom_watch function;         // not compiled for models given by functions
} carom_watched;

/// An event, section or stop: a function that somebody wrote, with nothing known about it.
static inline bool carom_watched_is_rule(const carom_watched *watched) {
  carom_watch_kind kind = watched->kind;
  return kind == CAROM_WATCH_EVENT || kind == CAROM_WATCH_SECTION || kind == CAROM_WATCH_STOP;
}

/// A quantity followed over the measuring window, for reducers.
typedef struct carom_followed {
  const carom_reducer *reducer;
  int seen;    // with contact forces: its output of carom_seen, else -1
  int watched; // the gap or slip that is the same function (held at zero by contacts), or -1
  carom_watch function; // not compiled for count, nor with contact forces
  // Its kinks (abs, sign, min, max, if) are its own: steps do not end at them, so that the motion
  // is the same whether it is observed or not. An argument knows the branches before it.
  int kink_count;
  carom_watch *kinks;
  bool *counts; // per kink: of floor or mod
} carom_followed;

/// What is observed at points of the motion: observables that are no results of a run, and
/// followed quantities made of contact forces. One program over t, q, u, z, modes, parameters,
/// accelerations and the forces of every contact, normal and tangential.
typedef struct carom_seen {
  carom_program *program; // NULL: there is nothing of the kind
  int *observable;        // output of each observable, -1: a result of the run
  bool forces;            // some output needs them
} carom_seen;

/// How far bodies are apart, in one program over t, q, u, z, modes and parameters: see apart.c.
typedef struct carom_apart {
  carom_program *program; // NULL: nobody has said so
  int count, *contact;    // whose gap tolerance each is held against
} carom_apart;

/// What is computed at points: definitions, conditions, assigned values, in one program over
/// t, q, u, z, modes, parameters and accelerations.
typedef struct carom_probe {
  carom_program *program;
  int definitions, conditions, assignments; // first output of each group
  int count;
  carom_apart apart;
  carom_solid_set solids;
} carom_probe;

/// What depends on time, where all of it does so through angles that grow evenly: see drive.c.
enum { CAROM_MOST_FREQUENCIES = 16 };
typedef struct carom_drive {
  bool repeats;
  int count;
  carom_node frequencies[CAROM_MOST_FREQUENCIES]; // expressions of parameters
} carom_drive;

/// A scenario (or functions) prepared for running; constant.
typedef struct carom_hybrid_model {
  const carom_scenario *scenario;
  const carom_functions *functions;
  carom_mechanics *mechanics;
  carom_dynamics *dynamics;
  carom_path_symbols path;
  carom_watched *watched;
  int watched_count;
  bool has_rules, rough_rules; // some are rules; some of these ask for accelerations
  int beside_count, *beside;   // watched functions that are met beside the step
  carom_followed *followed;
  int followed_count;
  carom_seen seen;
  carom_probe probe;
  carom_contact_set contacts;
  carom_phase_series free_series;
  carom_narrow_set narrow;
  carom_lone_set lone;       // phases with one contact closed
  carom_compliant compliant; // contacts as springs and dashpots; count 0: contacts are rigid
  int constraints;           // rows that are bilateral
  bool comes_and_goes;       // some contact or constraint exists at times only
  int column_count;
  const char **columns;
  carom_drive drive;
} carom_hybrid_model;

#endif
