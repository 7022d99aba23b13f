// SPDX-License-Identifier: MIT
#include "engine/names.h"

#include "base/error.h"

#include <string.h>

enum { MOST_NAMES = 512, HINT = 600 };

/// Names that were gathered, each once.
typedef struct name_list {
  const char *names[MOST_NAMES];
  int count;
} name_list;

static void take_name(name_list *it, const char *name) {
  for (int k = 0; name && k < it->count; k++)
    if (strcmp(it->names[k], name) == 0) return;
  if (name && it->count < MOST_NAMES) it->names[it->count++] = name;
}

static void take_items(name_list *it, const carom_model *model, carom_item item) {
  for (int k = 0; k < carom_model_count(model, item); k++)
    take_name(it, carom_model_name(model, item, k));
}

carom_status carom_unknown_name(const carom_simulation *simulation, const char *name,
                                carom_error *error) {
  name_list known = {.count = 0};
  char hint[HINT];
  take_items(&known, carom_simulation_model(simulation), CAROM_OBSERVABLES);
  for (int k = 0; k < carom_simulation_columns(simulation); k++)
    take_name(&known, carom_simulation_column(simulation, k));
  take_items(&known, carom_simulation_model(simulation), CAROM_PARAMETERS);
  carom_name_hint(hint, sizeof hint, name, known.names, known.count);
  return carom_fail(error, CAROM_ERR_ARGUMENT, "unknown name '%s'%s", name, hint);
}

carom_status carom_unknown_item(const carom_model *model, const char *what, const char *name,
                                int count, const carom_item *items, carom_status status,
                                carom_error *error) {
  name_list known = {.count = 0};
  char hint[HINT];
  for (int k = 0; k < count; k++)
    take_items(&known, model, items[k]);
  carom_name_hint(hint, sizeof hint, name, known.names, known.count);
  return carom_fail(error, status, "there is no %s '%s'%s", what, name, hint);
}
