// SPDX-License-Identifier: MIT
#include "basin_manifolds.h"

#include <math.h>

carom_status carom_manifolds_compute(const carom_many_runs *it, carom_manifold **manifold,
                                     carom_error *error) {
  carom_manifold_options options = carom_manifold_options_default();
  long turns;
  *manifold = NULL;
  if (!carom_call_count(it->call, "turns", 1, 1000, 1, &turns, error)) return CAROM_ERR_INPUT;
  if (!carom_call_has(it->call, "manifolds")) return CAROM_OK;
  if (it->axis_count != 2 || carom_call_has(it->call, "random"))
    return carom_wrong(error, "--manifolds are drawn on a grid of two axes");
  options.model = it->model;
  options.axes = it->axes;
  options.turns = (int)turns;
  options.threads = it->threads;
  options.watcher = it->watcher;
  options.watcher.progress = NULL; // that of the basin is told
  return carom_manifold_run(&options, manifold, error);
}

static carom_status write_saddles(carom_tables *tables, const carom_many_runs *it,
                                  const carom_manifold *manifold, carom_error *error) {
  const carom_column columns[] = {
      {"saddle", CAROM_COLUMN_COUNT},          {it->axes[0].name, CAROM_COLUMN_NUMBER},
      {it->axes[1].name, CAROM_COLUMN_NUMBER}, {"unstable", CAROM_COLUMN_NUMBER},
      {"stable", CAROM_COLUMN_NUMBER},         {"period", CAROM_COLUMN_NUMBER}};
  carom_cell cells[6] = {{0}};
  carom_table *table;
  carom_status status = carom_tables_add(tables, "saddles", 6, columns, &table, error);
  for (int k = 0; k < carom_manifold_saddles(manifold) && status == CAROM_OK; k++) {
    const carom_saddle *s = carom_manifold_saddle(manifold, k);
    cells[0].count = k + 1;
    cells[1].number = s->at[0];
    cells[2].number = s->at[1];
    cells[3].number = s->unstable;
    cells[4].number = s->stable;
    cells[5].number = s->period;
    status = carom_table_row(table, cells, error);
  }
  return status;
}

carom_status carom_manifolds_write(carom_tables *tables, const carom_many_runs *it,
                                   const carom_manifold *manifold, carom_error *error) {
  const carom_column columns[] = {
      {"saddle", CAROM_COLUMN_COUNT},          {"stable", CAROM_COLUMN_COUNT},
      {"side", CAROM_COLUMN_NUMBER},           {it->axes[0].name, CAROM_COLUMN_NUMBER},
      {it->axes[1].name, CAROM_COLUMN_NUMBER}, {"end", CAROM_COLUMN_TEXT}};
  carom_cell cells[6] = {{0}};
  carom_table *table;
  carom_status status = write_saddles(tables, it, manifold, error);
  if (status == CAROM_OK) status = carom_tables_add(tables, "manifolds", 6, columns, &table, error);
  for (int b = 0; b < carom_manifold_branches(manifold); b++) {
    const carom_manifold_branch *branch = carom_manifold_branch_at(manifold, b);
    cells[0].count = branch->saddle + 1;
    cells[1].count = branch->stable;
    cells[2].number = branch->side;
    cells[5].text = branch->end;
    for (long k = 0; k < branch->count && status == CAROM_OK; k++) {
      cells[3].number = branch->points[2 * k];
      cells[4].number = branch->points[2 * k + 1];
      status = carom_table_row(table, cells, error);
    }
  }
  return status;
}

static void branch_json(carom_json *json, const carom_manifold_branch *branch) {
  carom_json_object(json, NULL);
  carom_json_flag(json, "stable", branch->stable);
  carom_json_count(json, "side", branch->side);
  carom_json_text(json, "end", branch->end);
  carom_json_array(json, "points");
  for (long k = 0; k < branch->count; k++) {
    carom_json_array(json, NULL);
    carom_json_number(json, NULL, branch->points[2 * k]);
    carom_json_number(json, NULL, branch->points[2 * k + 1]);
    carom_json_end(json);
  }
  carom_json_end(json);
  carom_json_end(json);
}

void carom_manifolds_json(carom_json *json, const carom_many_runs *it,
                          const carom_manifold *manifold) {
  carom_json_array(json, "saddles");
  for (int k = 0; k < carom_manifold_saddles(manifold); k++) {
    const carom_saddle *s = carom_manifold_saddle(manifold, k);
    carom_json_object(json, NULL);
    carom_json_number(json, it->axes[0].name, s->at[0]);
    carom_json_number(json, it->axes[1].name, s->at[1]);
    carom_json_number(json, "unstable", s->unstable);
    carom_json_number(json, "stable", s->stable);
    carom_json_number(json, "period", s->period);
    carom_json_array(json, "branches");
    for (int b = 0; b < carom_manifold_branches(manifold); b++)
      if (carom_manifold_branch_at(manifold, b)->saddle == k)
        branch_json(json, carom_manifold_branch_at(manifold, b));
    carom_json_end(json);
    carom_json_end(json);
  }
  carom_json_end(json);
}

void carom_manifolds_text(const carom_many_runs *it, const carom_manifold *manifold) {
  if (carom_manifold_saddles(manifold) == 0) printf("no saddle was found in the box\n");
  for (int k = 0; k < carom_manifold_saddles(manifold); k++) {
    const carom_saddle *s = carom_manifold_saddle(manifold, k);
    printf("saddle at %s %.10g  %s %.10g  multipliers %.8g and %.8g of a turn of %.8g\n",
           it->axes[0].name, s->at[0], it->axes[1].name, s->at[1], s->unstable, s->stable,
           s->period);
    for (int b = 0; b < carom_manifold_branches(manifold); b++) {
      const carom_manifold_branch *branch = carom_manifold_branch_at(manifold, b);
      if (branch->saddle == k)
        printf("  %s branch %s, %ld points, %s\n", branch->stable ? "stable" : "unstable",
               branch->side > 0 ? "along its direction" : "against its direction", branch->count,
               branch->end);
    }
  }
}
