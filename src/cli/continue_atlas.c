// SPDX-License-Identifier: MIT
#include "continue_atlas.h"

#include "many_runs.h"
#include "table_picture.h"
#include "table_plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// What was asked for and what was found.
typedef struct answered {
  const carom_atlas_options *options;
  const carom_atlas *atlas;
} answered;

static carom_status fill_curves(const void *ctx, carom_tables *tables, carom_error *error) {
  const answered *a = ctx;
  carom_table_plan plan = {0};
  carom_table *table;
  carom_table_plan_add(&plan, CAROM_COLUMN_COUNT, "curve");
  carom_table_plan_add(&plan, CAROM_COLUMN_TEXT, "kind");
  carom_table_plan_add(&plan, CAROM_COLUMN_TEXT, "label");
  carom_table_plan_add(&plan, CAROM_COLUMN_NUMBER, "%s", a->options->branch.parameter);
  carom_table_plan_add(&plan, CAROM_COLUMN_NUMBER, "%s", a->options->also);
  carom_table_plan_add(&plan, CAROM_COLUMN_NUMBER, "cycle period");
  carom_table_plan_add(&plan, CAROM_COLUMN_NUMBER, "re mu");
  carom_table_plan_add(&plan, CAROM_COLUMN_NUMBER, "im mu");
  carom_table_plan_add(&plan, CAROM_COLUMN_NUMBER, "coefficient");
  carom_table_plan_add(&plan, CAROM_COLUMN_NUMBER, "coefficient error");
  carom_table_plan_add(&plan, CAROM_COLUMN_COUNT, "virtual");
  carom_table_plan_add(&plan, CAROM_COLUMN_TEXT, "word");
  carom_table_plan_add(&plan, CAROM_COLUMN_TEXT, "why");
  carom_status status = carom_table_plan_open(&plan, tables, "curves", &table, error);
  for (long k = 0; k < carom_atlas_points(a->atlas) && status == CAROM_OK; k++) {
    const carom_atlas_point *p = carom_atlas_point_at(a->atlas, k);
    int at = 0;
    plan.cells[at++] = (carom_cell){.count = p->curve};
    plan.cells[at++] = (carom_cell){.text = p->name};
    plan.cells[at++] = (carom_cell){.text = carom_corner_text(p->corner)};
    plan.cells[at++] = (carom_cell){.number = p->value};
    plan.cells[at++] = (carom_cell){.number = p->also};
    plan.cells[at++] = (carom_cell){.number = p->period};
    plan.cells[at++] = (carom_cell){.number = p->re};
    plan.cells[at++] = (carom_cell){.number = p->im};
    plan.cells[at++] = (carom_cell){.number = p->coefficient};
    plan.cells[at++] = (carom_cell){.number = p->coefficient_error};
    plan.cells[at++] = (carom_cell){.count = p->virtual_motion};
    plan.cells[at++] = (carom_cell){.text = p->word};
    plan.cells[at++] = (carom_cell){.text = p->why};
    status = carom_table_row(table, plan.cells, error);
  }
  carom_table_plan_free(&plan);
  return status;
}

// the branches whose special points the curves go through: which motion is where
static carom_status fill_branches(const answered *a, carom_tables *tables, carom_error *error) {
  const carom_continuation *branches = carom_atlas_branches(a->atlas);
  carom_table_plan plan = {0};
  carom_table *table;
  carom_table_plan_add(&plan, CAROM_COLUMN_COUNT, "branch");
  carom_table_plan_add(&plan, CAROM_COLUMN_NUMBER, "%s", a->options->branch.parameter);
  carom_table_plan_add(&plan, CAROM_COLUMN_NUMBER, "%s", a->options->also);
  carom_table_plan_add(&plan, CAROM_COLUMN_COUNT, "stable");
  carom_table_plan_add(&plan, CAROM_COLUMN_TEXT, "label");
  carom_table_plan_add(&plan, CAROM_COLUMN_TEXT, "word");
  carom_status status = carom_table_plan_open(&plan, tables, "branches", &table, error);
  for (long k = 0; k < carom_continuation_points(branches) && status == CAROM_OK; k++) {
    const carom_continuation_point *p = carom_continuation_point_at(branches, k);
    int at = 0;
    plan.cells[at++] = (carom_cell){.count = p->branch};
    plan.cells[at++] = (carom_cell){.number = p->value};
    plan.cells[at++] = (carom_cell){.number = carom_atlas_began(a->atlas)};
    plan.cells[at++] = (carom_cell){.count = p->kind == CAROM_ORBIT_STABLE && !p->virtual_motion};
    plan.cells[at++] = (carom_cell){.text = carom_branch_label_text(p->label)};
    plan.cells[at++] = (carom_cell){.text = p->word};
    status = carom_table_row(table, plan.cells, error);
  }
  carom_table_plan_free(&plan);
  return status;
}

static carom_status fill_table(const void *ctx, carom_tables *tables, carom_error *error) {
  carom_status status = fill_curves(ctx, tables, error);
  return status == CAROM_OK ? fill_branches(ctx, tables, error) : status;
}

static void print_json(const carom_call *call, const answered *a) {
  carom_json json = carom_json_answer(call);
  carom_json_text(&json, "parameter", a->options->branch.parameter);
  carom_json_text(&json, "also", a->options->also);
  carom_json_count(&json, "points", carom_atlas_points(a->atlas));
  carom_json_count(&json, "turns", carom_atlas_turns(a->atlas));
  carom_json_array(&json, "curves");
  int open = -1;
  for (long k = 0; k < carom_atlas_points(a->atlas); k++) {
    const carom_atlas_point *p = carom_atlas_point_at(a->atlas, k);
    if (p->curve != open && open >= 0) {
      carom_json_end(&json);
      carom_json_end(&json);
    }
    if (p->curve != open) {
      carom_json_object(&json, NULL);
      carom_json_text(&json, "kind", p->name);
      carom_json_text(&json, "word", p->word);
      carom_json_array(&json, "points");
    }
    open = p->curve;
    carom_json_object(&json, NULL);
    carom_json_number(&json, "value", p->value);
    carom_json_number(&json, "also", p->also);
    carom_json_number(&json, "period", p->period);
    if (!isnan(p->coefficient)) {
      carom_json_number(&json, "coefficient", p->coefficient);
      carom_json_number(&json, "coefficient_error", p->coefficient_error);
    }
    if (p->corner != CAROM_CORNER_NONE)
      carom_json_text(&json, "label", carom_corner_text(p->corner));
    if (p->virtual_motion) carom_json_flag(&json, "virtual", true);
    if (p->why[0]) carom_json_text(&json, "why", p->why);
    carom_json_end(&json);
  }
  if (open >= 0) {
    carom_json_end(&json);
    carom_json_end(&json);
  }
  carom_json_end(&json);
  carom_json_end(&json);
}

static void print_text(const answered *a) {
  printf("%ld points\n", carom_atlas_points(a->atlas));
  for (long k = 0; k < carom_atlas_points(a->atlas); k++) {
    const carom_atlas_point *p = carom_atlas_point_at(a->atlas, k);
    if (p->corner == CAROM_CORNER_NONE) continue;
    printf("  curve %-2d %-6s %-15s %s = %-16.12g %s = %-16.12g %s%s\n", p->curve, p->name,
           carom_corner_text(p->corner), a->options->branch.parameter, p->value, a->options->also,
           p->also, p->virtual_motion ? "virtual " : "", p->word);
    if (p->why[0]) printf("            %s\n", p->why);
  }
}

int carom_atlas_hand_over(const carom_call *call, const carom_model *model,
                          const carom_atlas_options *options, const carom_atlas *atlas,
                          carom_error *error) {
  const answered all = {options, atlas};
  const carom_written results = {
      .kind = "atlas", .outcome = "done", .model = model, .ctx = &all, .fill = fill_table};
  carom_status status = carom_call_write(call, &results, error);
  if (status == CAROM_OK) status = carom_table_picture(call, NULL, error);
  if (status != CAROM_OK) return carom_report(call, error, NULL, CAROM_EXIT_FAILED);
  if (carom_call_has(call, "json"))
    print_json(call, &all);
  else if (!carom_call_has(call, "quiet"))
    print_text(&all);
  return CAROM_EXIT_DONE;
}
