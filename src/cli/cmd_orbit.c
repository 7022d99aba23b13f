// SPDX-License-Identifier: MIT
/// carom orbit: periodic motions, their multipliers and their words.
#include "base/error.h"
#include "carom/survey.h"
#include "commands.h"
#include "many_runs.h"
#include "table_picture.h"
#include "table_plan.h"

#include <stdlib.h>
#include <string.h>

enum {
  MOST_ROWS = 2000,
  NAME_ROOM = 140,
  INSTANTS = 1001 // of the turn that is written and drawn
};

static const double SAME_SIDES = 1e-7; // derivatives that differ by less are one

/// What has been found, and the names of what it is about.
typedef struct findings {
  const carom_many_runs *it;
  carom_survey *survey;
  carom_simulation *simulation; // for names
  carom_orbit_options options;  // of the search
  carom_orbit *kept;            // whose word is held at all points; NULL: none
  int size;                     // of the state
  bool *drifts;                 // which of them may
} findings;

static const char *kind_text(carom_orbit_kind kind) {
  switch (kind) {
  case CAROM_ORBIT_STABLE: return "stable";
  case CAROM_ORBIT_UNSTABLE: return "unstable";
  case CAROM_ORBIT_MARGINAL: return "marginal";
  }
  return "";
}

// the same of a motion that may be virtual
static const char *orbit_text(const carom_orbit_view *orbit) {
  static const char *const texts[] = {"virtual stable", "virtual unstable", "virtual"};
  return orbit->fixed_word.virtual_motion ? texts[orbit->kind] : kind_text(orbit->kind);
}

// modulus of the largest multiplier
static double leading_modulus(const carom_orbit_view *orbit) {
  return orbit->floquet.count > 0 ? sqrt(orbit->floquet.re[0] * orbit->floquet.re[0] +
                                         orbit->floquet.im[0] * orbit->floquet.im[0])
                                  : 0.0;
}

// ---- tables ----

static void plan_columns(const findings *f, carom_table_plan *plan) {
  static const carom_column own[] = {
      {"stability", CAROM_COLUMN_TEXT},     {"word", CAROM_COLUMN_TEXT},
      {"period", CAROM_COLUMN_NUMBER},      {"turns", CAROM_COLUMN_COUNT},
      {"start", CAROM_COLUMN_NUMBER},       {"extinguished", CAROM_COLUMN_COUNT},
      {"residual", CAROM_COLUMN_NUMBER},    {"rounds", CAROM_COLUMN_COUNT},
      {"piecewise", CAROM_COLUMN_COUNT},    {"grazes", CAROM_COLUMN_COUNT},
      {"sides apart", CAROM_COLUMN_NUMBER}, {"other side", CAROM_COLUMN_TEXT},
      {"mirror", CAROM_COLUMN_TEXT},        {"word fixed", CAROM_COLUMN_COUNT},
      {"unknowns", CAROM_COLUMN_COUNT},     {"fault", CAROM_COLUMN_TEXT},
      {"failure", CAROM_COLUMN_TEXT}};
  carom_table_plan_add(plan, CAROM_COLUMN_COUNT, "index");
  for (int k = 0; k < f->it->axis_count; k++)
    carom_table_plan_add(plan, CAROM_COLUMN_NUMBER, "%s", f->it->axes[k].name);
  carom_table_plan_all(plan, CAROM_COUNT(own), own);
  for (int k = 0; k < 2 * f->size; k++)
    carom_table_plan_add(plan, CAROM_COLUMN_NUMBER, "%s %d", k % 2 ? "im" : "re", k / 2 + 1);
  for (int k = 0; k < f->size; k++)
    carom_table_plan_add(plan, CAROM_COLUMN_NUMBER, "start of %s",
                         carom_simulation_column(f->simulation, k));
  for (int k = 0; k < f->size; k++)
    if (f->drifts[k])
      carom_table_plan_add(plan, CAROM_COLUMN_NUMBER, "shift of %s",
                           carom_simulation_column(f->simulation, k));
}

static const char *mirror_text(const carom_orbit_view *orbit) {
  return orbit->mirrored.image == CAROM_IMAGE_NONE   ? ""
         : orbit->mirrored.image == CAROM_IMAGE_SELF ? "own"
                                                     : "other";
}

static void fill_cells(const findings *f, const carom_survey_row *row, carom_cell *cells) {
  static const carom_orbit_view nothing = {.word = "", .fixed_word.fault = ""};
  const carom_orbit_view *orbit = row->orbit ? row->orbit : &nothing;
  int c = 0;
  double none = row->orbit ? 0.0 : NAN;
  cells[c++].count = row->index;
  for (int k = 0; k < f->it->axis_count; k++)
    cells[c++].number = row->at[k];
  cells[c++].text = row->orbit ? orbit_text(orbit) : "";
  cells[c++].text = orbit->word;
  cells[c++].number = orbit->period + none;
  cells[c++].count = orbit->turns;
  cells[c++].number = orbit->start + none;
  cells[c++].count = orbit->floquet.extinguished;
  cells[c++].number = orbit->residual + none;
  cells[c++].count = orbit->rounds;
  cells[c++].count = orbit->notes.piecewise;
  cells[c++].count = orbit->notes.grazes;
  cells[c++].number = orbit->sides.differ ? orbit->sides.apart : NAN;
  cells[c++].text = orbit->sides.differ ? kind_text(orbit->sides.kind) : "";
  cells[c++].text = mirror_text(orbit);
  cells[c++].count = orbit->fixed_word.held;
  cells[c++].count = orbit->fixed_word.unknowns;
  cells[c++].text = orbit->fixed_word.fault;
  cells[c++].text = row->failure;
  for (int k = 0; k < f->size; k++) {
    cells[c++].number = k < orbit->floquet.count ? orbit->floquet.re[k] : NAN;
    cells[c++].number = k < orbit->floquet.count ? orbit->floquet.im[k] : NAN;
  }
  for (int k = 0; k < f->size; k++)
    cells[c++].number = (row->orbit ? orbit->state[k] : 0.0) + none;
  for (int k = 0; k < f->size; k++)
    if (f->drifts[k]) cells[c++].number = (row->orbit ? orbit->shift[k] : 0.0) + none;
}

static carom_status write_orbits(const findings *f, carom_tables *tables, carom_error *error) {
  carom_table_plan plan = {0};
  carom_table *table;
  plan_columns(f, &plan);
  carom_status status = carom_table_plan_open(&plan, tables, "orbits", &table, error);
  for (long index = 0; index < carom_survey_count(f->survey) && status == CAROM_OK; index++) {
    carom_survey_row row;
    status = carom_survey_read(f->survey, index, &row, error);
    if (status != CAROM_OK || !row.present) continue;
    fill_cells(f, &row, plan.cells);
    status = carom_table_row(table, plan.cells, error);
  }
  carom_table_plan_free(&plan);
  return status;
}

// one turn of a single motion: INSTANTS times, then as many states
static carom_status write_turn(const findings *f, const double *turn, carom_tables *tables,
                               carom_error *error) {
  carom_table_plan plan = {0};
  carom_table *table;
  carom_table_plan_add(&plan, CAROM_COLUMN_NUMBER, "t");
  for (int k = 0; k < f->size; k++)
    carom_table_plan_add(&plan, CAROM_COLUMN_NUMBER, "%s",
                         carom_simulation_column(f->simulation, k));
  carom_status status = carom_table_plan_open(&plan, tables, "turn", &table, error);
  for (int j = 0; j < INSTANTS && status == CAROM_OK; j++) {
    plan.cells[0].number = turn[j];
    for (int k = 0; k < f->size; k++)
      plan.cells[k + 1].number = turn[INSTANTS + j * f->size + k];
    status = carom_table_row(table, plan.cells, error);
  }
  carom_table_plan_free(&plan);
  return status;
}

/// What was found, and a turn of it; NULL: none.
typedef struct found_turn {
  const findings *f;
  const double *turn;
} found_turn;

static carom_status fill_tables(const void *ctx, carom_tables *tables, carom_error *error) {
  const found_turn *it = ctx;
  carom_status status = write_orbits(it->f, tables, error);
  return status == CAROM_OK && it->turn ? write_turn(it->f, it->turn, tables, error) : status;
}

static carom_status write_tables(const findings *f, const double *turn, carom_error *error) {
  const found_turn all = {f, turn};
  const carom_written results = {.kind = "orbits",
                                 .outcome = "complete",
                                 .model = f->it->model,
                                 .ctx = &all,
                                 .fill = fill_tables};
  return carom_call_write(f->it->call, &results, error);
}

// ---- pictures ----

// which two states are drawn: a coordinate and its rate, or a state and the next one
static carom_status draw_turn(const findings *f, carom_error *error) {
  int n = carom_model_count(f->it->model, CAROM_COORDINATES), found = 0;
  char both[2 * NAME_ROOM];
  carom_status status = carom_call_state(f->it->call, f->simulation, &found, error);
  if (status != CAROM_OK) return status;
  int other = found < n ? found + n : (found + 1) % f->size;
  (void)snprintf(both, sizeof both, "%.120s,%.120s", carom_simulation_column(f->simulation, found),
                 carom_simulation_column(f->simulation, other));
  return carom_table_picture(f->it->call, both, error);
}

// ---- what is told ----

static void json_state(carom_json *json, const char *key, const findings *f, const double *values,
                       bool drifting_only) {
  carom_json_object(json, key);
  for (int k = 0; k < f->size; k++)
    if (!drifting_only || f->drifts[k])
      carom_json_number(json, carom_simulation_column(f->simulation, k), values[k]);
  carom_json_end(json);
}

static void json_image(carom_json *json, const findings *f, const carom_orbit_view *orbit) {
  if (orbit->mirrored.image == CAROM_IMAGE_NONE) return;
  carom_json_object(json, "mirror");
  carom_json_text(json, "reflection", orbit->mirrored.mirror);
  carom_json_flag(json, "own", orbit->mirrored.image == CAROM_IMAGE_SELF);
  carom_json_text(json, "word", orbit->mirrored.word);
  carom_json_number(json, "start", orbit->mirrored.start);
  json_state(json, "state", f, orbit->mirrored.state, false);
  carom_json_end(json);
}

static void json_multipliers(carom_json *json, int count, const double *re, const double *im) {
  carom_json_array(json, "multipliers");
  for (int k = 0; k < count; k++) {
    carom_json_object(json, NULL);
    carom_json_number(json, "re", re[k]);
    carom_json_number(json, "im", im[k]);
    carom_json_end(json);
  }
  carom_json_end(json);
}

// contacts that are not linked strike at one instant: neighbours that meet them in another order
static void json_other_side(carom_json *json, const carom_orbit_view *orbit) {
  if (!orbit->sides.differ) return;
  carom_json_object(json, "other_side");
  carom_json_text(json, "stability", kind_text(orbit->sides.kind));
  carom_json_number(json, "apart", orbit->sides.apart);
  carom_json_array(json, "orders");
  for (int k = 0; k < orbit->sides.orders; k++)
    carom_json_number(json, NULL, orbit->sides.order_modulus[k]);
  carom_json_end(json);
  json_multipliers(json, orbit->sides.multipliers, orbit->sides.re, orbit->sides.im);
  carom_json_end(json);
}

// how the word was held, the phases and what they break
static void json_word(carom_json *json, const carom_orbit_view *orbit) {
  carom_json_text(json, "word", orbit->word);
  carom_json_flag(json, "word_fixed", orbit->fixed_word.held);
  if (!orbit->fixed_word.held) carom_json_text(json, "why_not_fixed", orbit->fixed_word.why_not);
  carom_json_flag(json, "word_changed", orbit->word_changed);
  carom_json_flag(json, "virtual", orbit->fixed_word.virtual_motion);
  if (orbit->fixed_word.virtual_motion) carom_json_text(json, "fault", orbit->fixed_word.fault);
  carom_json_count(json, "unknowns", orbit->fixed_word.unknowns);
  if (!orbit->fixed_word.held) return;
  carom_json_array(json, "event_times");
  for (int k = 0; k < orbit->fixed_word.events; k++)
    carom_json_number(json, NULL, orbit->start + orbit->fixed_word.time[k]);
  carom_json_end(json);
  carom_json_array(json, "event_states"); // behind them
  for (int k = 0; k < orbit->fixed_word.events; k++) {
    carom_json_array(json, NULL);
    for (int i = 0; i < orbit->size; i++)
      carom_json_number(json, NULL, orbit->fixed_word.state[k * orbit->size + i]);
    carom_json_end(json);
  }
  carom_json_end(json);
}

static void json_orbit(carom_json *json, const findings *f, const carom_orbit_view *orbit) {
  carom_json_text(json, "stability", orbit_text(orbit));
  json_word(json, orbit);
  carom_json_number(json, "start", orbit->start);
  carom_json_number(json, "period", orbit->period);
  carom_json_count(json, "turns", orbit->turns);
  json_state(json, "state", f, orbit->state, false);
  json_state(json, "shift", f, orbit->shift, true);
  json_multipliers(json, orbit->floquet.count, orbit->floquet.re, orbit->floquet.im);
  json_other_side(json, orbit);
  carom_json_count(json, "extinguished", orbit->floquet.extinguished);
  if (orbit->autonomous) carom_json_number(json, "along", orbit->floquet.along);
  carom_json_number(json, "residual", orbit->residual);
  carom_json_count(json, "rounds", orbit->rounds);
  carom_json_flag(json, "exact_derivatives", orbit->exact);
  carom_json_count(json, "piecewise", orbit->notes.piecewise);
  carom_json_count(json, "grazes", orbit->notes.grazes);
  json_image(json, f, orbit);
}

static void json_rows(carom_json *json, const findings *f) {
  carom_survey_row row;
  carom_json_array(json, "rows");
  for (long index = 0; index < carom_survey_count(f->survey) && index < MOST_ROWS; index++) {
    if (carom_survey_read(f->survey, index, &row, NULL) != CAROM_OK || !row.present) continue;
    carom_json_object(json, NULL);
    carom_json_count(json, "index", index);
    for (int k = 0; k < f->it->axis_count; k++)
      carom_json_number(json, f->it->axes[k].name, row.at[k]);
    if (row.orbit) json_orbit(json, f, row.orbit);
    if (row.status < 0) carom_json_text(json, "failure", row.failure);
    carom_json_end(json);
  }
  carom_json_end(json);
}

static void print_json(const findings *f, long done, long failed, bool interrupted) {
  carom_json json = carom_json_answer(f->it->call);
  carom_survey_row row;
  carom_json_text(&json, "title", carom_model_title(f->it->model));
  if (f->it->axis_count == 0) {
    if (carom_survey_read(f->survey, 0, &row, NULL) == CAROM_OK && row.orbit)
      json_orbit(&json, f, row.orbit);
  } else {
    carom_json_count(&json, "points", carom_survey_count(f->survey));
    carom_json_count(&json, "done", done);
    carom_json_count(&json, "failed", failed);
    carom_json_flag(&json, "interrupted", interrupted);
    json_rows(&json, f);
  }
  carom_json_end(&json);
}

static void print_multipliers(const char *name, int count, const double *re, const double *im) {
  for (int k = 0; k < count; k++) {
    printf("  %-14s %20.12g", k == 0 ? name : "", re[k]);
    if (im[k] != 0.0) printf("  %+.12g i", im[k]);
    if (re[k] == 0.0 && im[k] == 0.0) printf("  (extinguished)");
    putchar('\n');
  }
}

static void print_text(const findings *f, const carom_orbit_view *orbit) {
  const carom_simulation *simulation = f->simulation;
  printf("%s%s periodic motion%s of period %.15g", carom_style_text(stdout, CAROM_STYLE_BOLD),
         orbit_text(orbit), carom_style_text(stdout, CAROM_STYLE_PLAIN), orbit->period);
  if (orbit->turns > 0) printf(" (%d of the drive)", orbit->turns);
  printf("\n");
  if (orbit->word[0]) printf("  %-14s %s\n", "word", orbit->word);
  if (orbit->fixed_word.why_not[0]) printf("  %-14s %s\n", "", orbit->fixed_word.why_not);
  if (orbit->fixed_word.virtual_motion) printf("  %-14s %s\n", "virtual", orbit->fixed_word.fault);
  printf("  %-14s %20.15g\n", "at t", orbit->start);
  for (int k = 0; k < orbit->size; k++)
    printf("  %-14s %20.15g\n", carom_simulation_column(simulation, k), orbit->state[k]);
  for (int k = 0; k < orbit->size; k++)
    if (f->drifts[k])
      printf("  shift of %-5s %20.15g  per turn\n", carom_simulation_column(simulation, k),
             orbit->shift[k]);
  print_multipliers("multipliers", orbit->floquet.count, orbit->floquet.re, orbit->floquet.im);
  if (orbit->sides.differ && orbit->sides.apart > SAME_SIDES)
    print_multipliers(orbit->sides.orders > 2 ? "worst order" : "other order",
                      orbit->sides.multipliers, orbit->sides.re, orbit->sides.im);
  if (orbit->mirrored.image == CAROM_IMAGE_SELF)
    printf("  its own mirror image under %s\n", orbit->mirrored.mirror);
  if (orbit->mirrored.image == CAROM_IMAGE_OTHER)
    printf("  has a mirror image under %s\n", orbit->mirrored.mirror);
  if (orbit->mirrored.image == CAROM_IMAGE_OTHER && orbit->mirrored.word[0])
    printf("  %-14s %s\n", "image's word", orbit->mirrored.word);
  printf("  closes to %.2g of its size after %d rounds, %d unknowns\n", orbit->residual,
         orbit->rounds, orbit->fixed_word.unknowns);
}

static void print_rows(const findings *f) {
  carom_survey_row row;
  for (long index = 0; index < carom_survey_count(f->survey); index++) {
    if (carom_survey_read(f->survey, index, &row, NULL) != CAROM_OK || !row.present) continue;
    for (int k = 0; k < f->it->axis_count; k++)
      printf("%s = %-12.9g  ", f->it->axes[k].name, row.at[k]);
    if (row.orbit)
      printf("%-8s  period %-12.9g  multiplier %-10.6g  %s = %-12.6g  %s\n", orbit_text(row.orbit),
             row.orbit->period, leading_modulus(row.orbit),
             carom_simulation_column(f->simulation, 0), row.orbit->state[0], row.orbit->word);
    else
      printf("%s\n", row.failure);
  }
}

static void warn_about(const findings *f, long failed) {
  carom_survey_row row;
  bool changed = false, piecewise = false, sides = false, grazes = false;
  for (long k = 0; k < carom_survey_count(f->survey); k++) {
    if (carom_survey_read(f->survey, k, &row, NULL) != CAROM_OK || !row.orbit) continue;
    changed = changed || row.orbit->word_changed;
    piecewise = piecewise || row.orbit->notes.piecewise > row.orbit->notes.sided;
    sides = sides || (row.orbit->sides.differ && row.orbit->sides.apart > SAME_SIDES);
    grazes = grazes || row.orbit->notes.grazes > 0;
  }
  if (changed) carom_warn("the word is not that of the motion the search began with");
  if (piecewise)
    carom_warn("several things happen at one instant: there the multipliers hold on one side only");
  if (sides)
    carom_warn(
        "contacts that are not linked strike at one instant: the motion is piecewise smooth, "
        "with multipliers for neighbours that meet them in the order of the scenario and in "
        "the other order (of more than two contacts, the order that is worst)");
  if (grazes)
    carom_warn("the motion grazes: there it has no derivative, and the multipliers leave that out");
  if (failed > 0) carom_warn("at some points no periodic motion was found; the table says why");
}

// ---- the command ----

// the turn of a single motion, where it is written or drawn; the caller frees it
static carom_status trace_turn(const findings *f, double **turn, carom_error *error) {
  const carom_call *call = f->it->call;
  carom_survey_row row;
  bool wanted = carom_call_value(call, "out") || carom_call_value(call, "csv") ||
                carom_call_value(call, "picture");
  if (!wanted || f->it->axis_count > 0) return CAROM_OK;
  carom_status status = carom_survey_read(f->survey, 0, &row, error);
  if (status != CAROM_OK || !row.orbit) return status;
  *turn = malloc(INSTANTS * ((size_t)f->size + 1) * sizeof **turn);
  if (!*turn) return carom_fail_memory(error);
  return carom_orbit_trace(&f->options, row.motion, INSTANTS, *turn, *turn + INSTANTS, error);
}

static carom_status write_and_draw(findings *f, carom_error *error) {
  bool picture = carom_call_value(f->it->call, "picture");
  double *turn = NULL;
  carom_status status = trace_turn(f, &turn, error);
  if (status == CAROM_OK) status = write_tables(f, turn, error);
  if (status == CAROM_OK && picture)
    status = turn ? draw_turn(f, error) : carom_table_picture(f->it->call, NULL, error);
  free(turn);
  return status;
}

static carom_status find_drifts(findings *f, carom_error *error) {
  (void)carom_simulation_state(f->simulation, &f->size);
  f->drifts = carom_find_drifts(f->it->model, f->size);
  if (!f->drifts) return carom_fail_memory(error);
  int n = carom_model_count(f->it->model, CAROM_COORDINATES);
  carom_survey_row row; // and angles that go round
  for (long index = 0; index < carom_survey_count(f->survey); index++)
    if (carom_survey_read(f->survey, index, &row, NULL) == CAROM_OK && row.orbit)
      for (int k = 0; k < n; k++)
        f->drifts[k] = f->drifts[k] || row.orbit->shift[k] != 0.0;
  return CAROM_OK;
}

static int hand_over(const carom_many_runs *it, void *result, carom_status ended,
                     carom_error *error) {
  findings *f = result;
  bool interrupted = ended == CAROM_STOP_USER;
  carom_survey_row row;
  long done, failed;
  f->it = it;
  carom_many_runs_tally(f->survey, &done, &failed);
  carom_status status = find_drifts(f, error);
  if (status == CAROM_OK && !interrupted) status = write_and_draw(f, error);
  if (status != CAROM_OK)
    return carom_report(it->call, error, NULL,
                        status == CAROM_ERR_INPUT ? CAROM_EXIT_WRONG_INPUT : CAROM_EXIT_FAILED);
  if (carom_call_has(it->call, "json"))
    print_json(f, done, failed, interrupted);
  else if (!carom_call_has(it->call, "quiet") && it->axis_count > 0)
    print_rows(f);
  else if (!carom_call_has(it->call, "quiet") &&
           carom_survey_read(f->survey, 0, &row, NULL) == CAROM_OK && row.orbit)
    print_text(f, row.orbit);
  warn_about(f, failed);
  return carom_many_runs_exit(it, interrupted);
}

// the motion of the scenario as it is
static carom_status keep_word(findings *f, carom_error *error) {
  carom_status status = carom_orbit_find(&f->options, &f->kept, error);
  if (status != CAROM_OK || carom_orbit_look(f->kept)->fixed_word.held) return status;
  const char *why = carom_orbit_look(f->kept)->fixed_word.why_not;
  return carom_fail(error, CAROM_ERR_UNSUPPORTED, "%s",
                    why[0] ? why : "--keep and --free exclude each other");
}

static carom_status compute_orbits(carom_many_runs *it, void **result, carom_error *error) {
  carom_survey_options options = carom_survey_options_default();
  carom_orbit_options *o = &options.orbit;
  long turns;
  if (!carom_call_count(it->call, "turns", 1, 1000, 0, &turns, error) ||
      !carom_call_positive(it->call, "after", -1.0, &o->after, error) ||
      !carom_call_positive(it->call, "near", 0.0, &o->period, error) ||
      !carom_call_positive(it->call, "tolerance", o->tolerance, &o->tolerance, error))
    return CAROM_ERR_INPUT;
  o->turns = (int)turns;
  o->free_word = carom_call_has(it->call, "free");
  carom_many_runs_survey(it, CAROM_SURVEY_ORBITS, &options);
  findings *f = calloc(1, sizeof *f);
  if (!f) return CAROM_ERR_MEMORY;
  *result = f;
  f->options = *o;
  f->options.model = it->model;
  carom_status status = carom_simulation_create(it->model, &f->simulation, error);
  if (status == CAROM_OK && carom_call_has(it->call, "keep")) status = keep_word(f, error);
  o->from = f->kept;
  if (status == CAROM_OK) status = carom_survey_run(&options, &f->survey, error);
  if (it->axis_count == 0) carom_advise_search(status, error);
  return status;
}

static void release_findings(void *result) {
  findings *f = result;
  if (!f) return;
  carom_survey_destroy(f->survey);
  carom_simulation_destroy(f->simulation);
  carom_orbit_destroy(f->kept);
  free(f->drifts);
  free(f);
}

static const char *one_search(const carom_many_runs *it) {
  return it->axis_count > 0 ? NULL : "there is one search; --over makes several";
}

static int run_orbit(const carom_call *call) {
  static const carom_many_work WORK = {.most_axes = CAROM_MOST_AXES,
                                       .partly = true,
                                       .alone = one_search,
                                       .compute = compute_orbits,
                                       .hand_over = hand_over,
                                       .release = release_findings};
  return carom_many_runs_do(call, &WORK);
}

static const carom_option OPTIONS[] = {
    CAROM_OPTION_OVER_OR_NOT,
    {"after", "TIME", "of the scenario", "the end of the run",
     "where the search begins: the state at this time", NULL},
    CAROM_OPTIONS_OF_TURNS,
    {"tolerance", "X", "of the size of the motion", "1e-10", "of the last step of Newton's method",
     NULL},
    {"keep", NULL, "", "",
     "at all points of --over the word of the motion of the scenario as it is, real or virtual",
     NULL},
    {"free", NULL, "", "",
     "let the word change in the search, which is of turns of the motion itself", NULL},
    {"observe", "NAME", "", "the first coordinate",
     "the coordinate, rate or state that is drawn, against its rate", NULL},
    CAROM_OPTIONS_OF_MANY_RUNS,
};

const carom_command carom_command_orbit = {
    .name = "orbit",
    .arguments = "FILE",
    .summary = "Finds a periodic motion, stable or not, with its multipliers",
    .details =
        "The motion settles as the scenario says; from there Newton's method closes one turn of "
        "it, "
        "with its\nword held fixed: times of impacts and of other events, and the states behind "
        "them, are unknowns as\nwell. A motion that breaks an inequality of its word (a phase that "
        "would last less than no time, a gap\nor a force below zero, friction outside its cone) is "
        "virtual: the one it breaks is told. "
        "The\nmultipliers say how neighbours come back: inside the unit circle they come "
        "nearer. Coordinates that\nnothing depends on may drift: their shift per turn is told. "
        "Where the system is the same in "
        "a mirror,\nthe motion is its own mirror image or has one, which is told too. With --over, "
        "one "
        "search per point:\nover parameters, or over starts for motions that coexist.\n",
    .examples = "  carom orbit ball_on_table.yaml\n"
                "  carom orbit van_der_pol.yaml --json\n"
                "  carom orbit duffing.yaml --over x=-1.5:1.5:31 --csv coexisting.csv\n"
                "  carom orbit ball_on_table.yaml --over Gamma=0.3:0.7:9 --keep\n",
    CAROM_TAKES(OPTIONS),
    .run = run_orbit,
};
