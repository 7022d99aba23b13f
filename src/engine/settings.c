// SPDX-License-Identifier: MIT
#include "engine/settings.h"

#include "engine/names.h"
#include "engine/saved.h"

#include <math.h>
#include <string.h>

static double *take_unknown(carom_arena *arena, int count) {
  double *numbers = carom_arena_array(arena, (size_t)count, sizeof *numbers);
  for (int k = 0; numbers && k < count; k++)
    numbers[k] = NAN;
  return numbers;
}

bool carom_settings_room(carom_settings *it, carom_arena *arena, int parameters, int starts,
                         int symbols) {
  it->given = take_unknown(arena, parameters);
  it->start_given = take_unknown(arena, starts);
  it->values = carom_arena_array(arena, (size_t)symbols, sizeof *it->values);
  it->parameters = carom_arena_array(arena, (size_t)parameters, sizeof *it->parameters);
  return it->given && it->start_given && it->values && it->parameters;
}

carom_status carom_settings_read(carom_settings *it, const carom_scenario *scenario,
                                 carom_error *error) {
  carom_status status = carom_scenario_values(scenario, it->given, it->values, error);
  for (int k = 0; k < scenario->parameter_count && status == CAROM_OK; k++)
    it->parameters[k] =
        it->values[carom_scenario_symbol_index(scenario, scenario->parameters[k].symbol)];
  return status;
}

int carom_column_named(int count, const char *const *columns, const char *name) {
  for (int k = 0; k < count; k++)
    if (strcmp(columns[k], name) == 0) return k;
  return -1;
}

carom_status carom_settings_give(carom_settings *it, const carom_simulation *simulation,
                                 int components, const char *const *columns, const char *name,
                                 double value, carom_error *error) {
  if (!isfinite(value))
    return carom_fail(error, CAROM_ERR_ARGUMENT, "the value of '%s' is not finite", name);
  int parameter = carom_scenario_parameter(simulation->model->scenario, name);
  int component = carom_column_named(components, columns, name);
  if (parameter < 0 && component < 0) return carom_unknown_name(simulation, name, error);
  *(parameter >= 0 ? &it->given[parameter] : &it->start_given[component]) = value;
  return CAROM_OK;
}
