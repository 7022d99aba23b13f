// SPDX-License-Identifier: MIT
#include "table_plan.h"

#include "base/error.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static bool make_room(carom_table_plan *plan) {
  if (plan->count < plan->room) return true;
  int room = plan->room > 0 ? 2 * plan->room : 32;
  void *columns = realloc(plan->columns, (size_t)room * sizeof *plan->columns);
  if (columns) plan->columns = columns;
  void *names = realloc(plan->names, (size_t)room * sizeof *plan->names);
  if (names) plan->names = names;
  if (columns && names) plan->room = room;
  plan->broken = plan->broken || !columns || !names;
  return !plan->broken;
}

void carom_table_plan_add(carom_table_plan *plan, carom_column_kind kind, const char *format, ...) {
  if (!make_room(plan)) return;
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(plan->names[plan->count], CAROM_COLUMN_NAME, format, arguments);
  va_end(arguments);
  plan->columns[plan->count++].kind = kind;
}

void carom_table_plan_all(carom_table_plan *plan, int count, const carom_column *columns) {
  for (int k = 0; k < count; k++)
    carom_table_plan_add(plan, columns[k].kind, "%s", columns[k].name);
}

carom_status carom_table_plan_open(carom_table_plan *plan, carom_tables *tables, const char *name,
                                   carom_table **table, carom_error *error) {
  assert(plan->count > 0 || plan->broken);
  plan->cells = calloc((size_t)plan->count + 1, sizeof *plan->cells);
  if (plan->broken || !plan->cells) return carom_fail_memory(error);
  for (int k = 0; k < plan->count; k++)
    plan->columns[k].name = plan->names[k];
  return carom_tables_add(tables, name, plan->count, plan->columns, table, error);
}

void carom_table_plan_free(carom_table_plan *plan) {
  free(plan->columns);
  free(plan->names);
  free(plan->cells);
}
