// SPDX-License-Identifier: MIT
/// Contacts between convex bodies with flat faces: which features stand in their slots
/// (convex/slot.h).
#ifndef CAROM_HYBRID_SOLIDS_H
#define CAROM_HYBRID_SOLIDS_H

#include "base/interval.h"
#include "convex/meeting.h"
#include "model/dynamics.h"
#include "scenario/scenario.h"
#include "symbolic/kink.h"

/// Constant, for all motions.
typedef struct carom_solid_set {
  const carom_convex_list *list;
  carom_polytope *shapes; // which corners make which faces
  carom_program *poses;   // places and turns, over t, q, u, z, modes, parameters
  int slot_count;         // of all pairs, one behind the other
  int *first;             // [pairs + 1]
  int *contact;           // [slots]
  int *kink;              // [2 slots] the branches that tell where features are left
  int *slot_of;           // [contacts]: slot + 1, or 0
} carom_solid_set;

/// One motion's.
typedef struct carom_solids {
  carom_polytope *shapes; // with corners as parameters say
  carom_posed *posed;
  carom_feature *features; // [slots] saved with the motion
  bool *expired;           // [slots] left at this instant
  double *gap;             // [pairs] how far they were apart when they were looked at last
  double *speed;           // [shapes] room: how far each may move
  double *registers, *state;
  carom_interval *bounds;
} carom_solids;

typedef struct carom_hybrid carom_hybrid;
struct carom_hybrid_model;

/// Branches that tell where features are left join the others.
carom_status carom_solids_add_kinks(carom_solid_set *set, carom_arena *arena,
                                    const carom_scenario *scenario, carom_kink_list *kinks,
                                    carom_error *error);
carom_status carom_solids_compile(carom_solid_set *set, carom_arena *arena,
                                  const struct carom_hybrid_model *model, carom_error *error);
carom_status carom_solids_init(carom_solids *solids, carom_arena *arena,
                               const struct carom_hybrid_model *model, carom_error *error);
/// Is slot number k (from 1 on; 0: none) without features?
bool carom_solids_sleeps(const carom_hybrid *it, int slot);
/// At a start, whose parameters are known: sizes, and what touches.
carom_status carom_solids_start(carom_hybrid *it, carom_error *error);
/// After the state has been given or changed.
carom_status carom_solids_renew(carom_hybrid *it, carom_error *error);
/// Is contact number `slot` closed?
bool carom_solids_holds(const carom_hybrid *it, int slot);
/// Watched function k has come to zero; true: a contact leaves its features, which are to be
/// renewed.
bool carom_solids_expire(carom_hybrid *it, int k);
/// After a step: features for contacts that are open.
carom_status carom_solids_follow(carom_hybrid *it, carom_error *error);
/// After a change of parameters or modes.
void carom_solids_set_up(carom_hybrid *it);
/// After a motion was read: numbers by the features it had.
void carom_solids_recall(carom_hybrid *it);
/// Looks along the tried step, up to the roots that were found: where other features come near or
/// those of open contacts are left it ends, without an event.
carom_status carom_solids_along(carom_hybrid *it, int *found, carom_error *error);
/// How deep bodies overlap, for the certificate; see apart.c.
double carom_solids_depth(const carom_hybrid *it, int pair);

#endif
