// SPDX-License-Identifier: MIT
#include "friction/friction.h"

#include "base/error.h"

carom_friction_options carom_friction_options_default(void) {
  return (carom_friction_options){
      .dimension = 3, .tolerance = 1e-12, .sweeps = 100000, .size = sizeof(carom_friction_options)};
}

carom_friction_workspace *carom_friction_workspace_create(carom_arena *arena, int dimension,
                                                          int contacts, int blocks) {
  (void)dimension, (void)contacts, (void)blocks;
  return carom_arena_take(arena, 1);
}

carom_status carom_friction_find(const carom_friction_options *options,
                                 carom_friction_workspace *work, const carom_friction_view **view,
                                 carom_error *error) {
  (void)options, (void)work, (void)view;
  return carom_fail(error, CAROM_ERR_UNSUPPORTED, "the friction solver is not there yet");
}

carom_status carom_friction_solve(const carom_friction_options *options,
                                  carom_friction_solution **solution, carom_error *error) {
  *solution = NULL;
  return carom_friction_find(options, NULL, NULL, error);
}

void carom_friction_solution_destroy(carom_friction_solution *solution) { (void)solution; }

const carom_friction_view *carom_friction_solution_look(const carom_friction_solution *solution) {
  (void)solution;
  return NULL;
}
