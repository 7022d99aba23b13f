// SPDX-License-Identifier: MIT
/// carom basin: which motion from which start.
#include "basin_along.h"
#include "basin_manifolds.h"
#include "commands.h"
#include "table_picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_NAME = 400, MOST_SHOWN = 30 };

/// What was computed.
typedef struct basin_result {
  const carom_many_runs *of;
  carom_basin *basin;
  carom_manifold *manifold; // NULL: not asked for
} basin_result;

static void name_attractor(const carom_attractor *attractor, char name[LONGEST_NAME]) {
  (void)snprintf(name, LONGEST_NAME, "%s%s%s", attractor->regime,
                 attractor->regime[0] && attractor->word[0] ? ": " : "",
                 attractor->regime[0] || attractor->word[0] ? attractor->word : "(no word)");
}

static carom_status write_attractors(carom_tables *tables, const carom_basin *basin,
                                     carom_error *error) {
  carom_sweep *sweep = carom_basin_sweep(basin);
  enum { FIXED = 8 };
  int observables = carom_sweep_observables(sweep), count = FIXED + observables;
  carom_column *columns = calloc((size_t)count, sizeof *columns);
  carom_cell *cells = calloc((size_t)count, sizeof *cells);
  carom_status status = CAROM_ERR_MEMORY;
  if (columns && cells) {
    const carom_column fixed[FIXED] = {
        {"attractor", CAROM_COLUMN_COUNT}, {"regime", CAROM_COLUMN_TEXT},
        {"word", CAROM_COLUMN_TEXT},       {"points", CAROM_COLUMN_COUNT},
        {"fraction", CAROM_COLUMN_NUMBER}, {"low", CAROM_COLUMN_NUMBER},
        {"high", CAROM_COLUMN_NUMBER},     {"mirror", CAROM_COLUMN_COUNT}};
    memcpy(columns, fixed, sizeof fixed);
    for (int k = 0; k < observables; k++)
      columns[FIXED + k] = (carom_column){carom_sweep_observable(sweep, k), CAROM_COLUMN_NUMBER};
    carom_table *table;
    status = carom_tables_add(tables, "attractors", count, columns, &table, error);
    for (int a = 0; a < carom_basin_attractors(basin) && status == CAROM_OK; a++) {
      const carom_attractor *it = carom_basin_attractor(basin, a);
      cells[0].count = a + 1;
      cells[1].text = it->regime;
      cells[2].text = it->word;
      cells[3].count = it->count;
      cells[4].number = it->fraction;
      cells[5].number = it->low;
      cells[6].number = it->high;
      cells[7].count = it->mirror + 1; // 0: none
      for (int k = 0; k < observables; k++)
        cells[FIXED + k].number = it->values[k];
      status = carom_table_row(table, cells, error);
    }
  }
  free(columns);
  free(cells);
  return status;
}

// where point `index` of the finest grid, or of the listed points, lies
static carom_status place_of(const carom_basin *basin, long index, double *at, carom_error *error) {
  if (carom_basin_columns(basin) > 0) {
    at[0] = carom_basin_axis(basin, 0)[index / carom_basin_rows(basin)];
    at[1] = carom_basin_axis(basin, 1)[index % carom_basin_rows(basin)];
    return CAROM_OK;
  }
  carom_sweep_row row;
  carom_status status = carom_sweep_read(carom_basin_sweep(basin), index, &row, error);
  for (int k = 0; k < carom_sweep_axes(carom_basin_sweep(basin)) && status == CAROM_OK; k++)
    at[k] = row.at[k];
  return status;
}

static carom_status write_starts(carom_tables *tables, const carom_basin *basin,
                                 carom_error *error) {
  int axes = carom_sweep_axes(carom_basin_sweep(basin));
  carom_column columns[CAROM_MOST_AXES + 2];
  carom_cell cells[CAROM_MOST_AXES + 2] = {{0}};
  for (int k = 0; k < axes; k++)
    columns[k] = (carom_column){carom_sweep_axis(carom_basin_sweep(basin), k), CAROM_COLUMN_NUMBER};
  columns[axes] = (carom_column){"attractor", CAROM_COLUMN_COUNT};
  columns[axes + 1] = (carom_column){"run", CAROM_COLUMN_COUNT};
  carom_table *table;
  carom_status status = carom_tables_add(tables, "starts", axes + 2, columns, &table, error);
  for (long index = 0; index < carom_basin_count(basin) && status == CAROM_OK; index++) {
    double at[CAROM_MOST_AXES] = {0};
    status = place_of(basin, index, at, error);
    for (int k = 0; k < axes; k++)
      cells[k].number = at[k];
    cells[axes].count = carom_basin_at(basin, index) + 1; // 0: the run failed
    cells[axes + 1].count = carom_basin_was_run(basin, index);
    if (status == CAROM_OK) status = carom_table_row(table, cells, error);
  }
  return status;
}

static carom_status fill_tables(const void *ctx, carom_tables *tables, carom_error *error) {
  const basin_result *it = ctx;
  carom_status status = write_starts(tables, it->basin, error);
  if (status == CAROM_OK) status = write_attractors(tables, it->basin, error);
  if (status == CAROM_OK && it->manifold)
    status = carom_manifolds_write(tables, it->of, it->manifold, error);
  return status;
}

static carom_status write_basin(const basin_result *it, carom_error *error) {
  const carom_sweep *sweep = carom_basin_sweep(it->basin);
  const carom_written results = {.kind = "basin",
                                 .outcome = "complete",
                                 .title = carom_sweep_title(sweep),
                                 .scenario = carom_sweep_scenario(sweep),
                                 .ctx = it,
                                 .fill = fill_tables};
  return carom_call_write(it->of->call, &results, error);
}

static void basin_json(const basin_result *result, const carom_basin_measures *m) {
  carom_json json = carom_json_answer(result->of->call);
  const carom_basin *basin = result->basin;
  carom_sweep *sweep = carom_basin_sweep(basin);
  carom_json_number(&json, "entropy", m->entropy);
  carom_json_number(&json, "boundary_entropy", m->boundary_entropy);
  carom_json_number(&json, "exponent", m->exponent);
  carom_json_number(&json, "exponent_error", m->exponent_error);
  carom_json_count(&json, "points", carom_basin_count(basin));
  carom_json_count(&json, "runs", carom_basin_runs(basin));
  carom_json_array(&json, "attractors");
  for (int k = 0; k < carom_basin_attractors(basin); k++) {
    const carom_attractor *it = carom_basin_attractor(basin, k);
    carom_json_object(&json, NULL);
    carom_json_count(&json, "attractor", k + 1);
    carom_json_text(&json, "regime", it->regime[0] ? it->regime : NULL);
    carom_json_text(&json, "word", it->word);
    carom_json_count(&json, "points", it->count);
    carom_json_number(&json, "fraction", it->fraction);
    carom_json_number(&json, "low", it->low);
    carom_json_number(&json, "high", it->high);
    if (it->mirror >= 0) carom_json_count(&json, "mirror", it->mirror + 1);
    carom_json_object(&json, "observables");
    for (int j = 0; j < carom_sweep_observables(sweep); j++)
      carom_json_number(&json, carom_sweep_observable(sweep, j), it->values[j]);
    carom_json_end(&json);
    carom_json_end(&json);
  }
  carom_json_end(&json);
  if (result->manifold) carom_manifolds_json(&json, result->of, result->manifold);
  carom_json_end(&json);
}

static void measures_text(const carom_basin_measures *m) {
  if (!isnan(m->entropy)) printf("basin entropy %.5g", m->entropy);
  if (!isnan(m->boundary_entropy)) printf(", at boundaries %.5g", m->boundary_entropy);
  if (!isnan(m->exponent))
    printf(", uncertainty exponent %.3f +- %.3f", m->exponent, m->exponent_error);
  if (!isnan(m->entropy)) printf("\n");
}

static void basin_text(const carom_basin *basin) {
  carom_sweep *sweep = carom_basin_sweep(basin);
  printf("%ld starts, %ld of them run\n", carom_basin_count(basin), carom_basin_runs(basin));
  int count = carom_basin_attractors(basin), shown = count < MOST_SHOWN ? count : MOST_SHOWN;
  for (int k = 0; k < shown; k++) {
    const carom_attractor *it = carom_basin_attractor(basin, k);
    char name[LONGEST_NAME];
    name_attractor(it, name);
    printf("%4d  %7.3f %%  (%.3f to %.3f)  ", k + 1, 100.0 * it->fraction, 100.0 * it->low,
           100.0 * it->high);
    carom_print_safely(stdout, name);
    if (it->mirror >= 0 && it->mirror != k) printf("  (mirror image of %d)", it->mirror + 1);
    if (it->mirror == k) printf("  (its own mirror image)");
    for (int j = 0; j < carom_sweep_observables(sweep); j++)
      printf("  %s %.6g", carom_sweep_observable(sweep, j), it->values[j]);
    printf("\n");
  }
  if (shown < count) printf("and %d more: --csv and --json list them all\n", count - shown);
  if (count > MOST_SHOWN && 2L * count > carom_basin_runs(basin))
    fprintf(stderr,
            "carom: nearly every start has an attractor of its own. Are the motions chaotic, or do "
            "observables\ndiffer along one attractor? --observe names those that tell "
            "attractors apart.\n");
}

// Motions of one word that only observables tell apart may be one motion, seen before it has
// settled
static void advise_settling(const carom_basin *basin) {
  int count = carom_basin_attractors(basin);
  for (int k = 0; k < count && count <= MOST_SHOWN; k++)
    for (int j = 0; j < k; j++) {
      const carom_attractor *a = carom_basin_attractor(basin, j),
                            *b = carom_basin_attractor(basin, k);
      if (b->mirror == j || a->regime[0] || b->regime[0] || strcmp(a->word, b->word) != 0) continue;
      fprintf(
          stderr,
          "carom: %d and %d differ in their observables only: should they be one motion, let it "
          "settle before it is\nmeasured (run.until, measure.after), or name with --observe what "
          "tells motions apart.\n",
          j + 1, k + 1);
      return;
    }
}

static int hand_over_basin(const carom_many_runs *it, void *result, carom_status ended,
                           carom_error *error) {
  (void)ended;
  basin_result *found = result;
  const carom_basin *basin = found->basin;
  found->of = it;
  carom_status status = write_basin(found, error);
  if (status == CAROM_OK) status = carom_table_picture(it->call, NULL, error);
  if (status != CAROM_OK) return carom_report(it->call, error, NULL, CAROM_EXIT_FAILED);
  carom_basin_measures measures;
  status = carom_basin_measure(basin, &measures, error);
  if (status != CAROM_OK) return carom_report(it->call, error, NULL, CAROM_EXIT_FAILED);
  if (carom_call_has(it->call, "json"))
    basin_json(found, &measures);
  else if (!carom_call_has(it->call, "quiet")) {
    basin_text(basin);
    advise_settling(basin);
    measures_text(&measures);
    if (found->manifold) carom_manifolds_text(it, found->manifold);
  }
  carom_sweep *runs = carom_basin_sweep(basin);
  carom_card_tell(it->call, carom_sweep_card(runs), carom_sweep_done(runs));
  carom_sweep_summary summary;
  status = carom_sweep_summarize(carom_basin_sweep(basin), &summary, error);
  if (status != CAROM_OK) return carom_report(it->call, error, NULL, CAROM_EXIT_FAILED);
  return carom_sweep_exit(&summary);
}

static bool read_basin_options(const carom_many_runs *it, carom_basin_options *options,
                               carom_error *error) {
  long random, seed, levels;
  options->sweep = carom_many_runs_sweep(it);
  if (!carom_call_count(it->call, "random", 1, 1000000000, 0, &random, error) ||
      !carom_call_count(it->call, "seed", 0, 2000000000, 1, &seed, error) ||
      !carom_call_count(it->call, "refine", 0, 10, 0, &levels, error) ||
      !carom_call_positive(it->call, "same", options->same, &options->same, error))
    return false;
  options->sweep.random = random;
  options->sweep.seed = (uint64_t)seed;
  options->refine = (int)levels;
  return true;
}

// A part is one of the first grid: boundaries are known when all parts have been joined.
static carom_status run_part(const carom_basin_options *options, carom_error *error) {
  carom_sweep *sweep = NULL;
  carom_status status = carom_sweep_run(&options->sweep, &sweep, error);
  carom_sweep_destroy(sweep);
  return status;
}

static carom_status compute_basin(carom_many_runs *it, void **result, carom_error *error) {
  carom_basin_options options = carom_basin_options_default();
  if (!read_basin_options(it, &options, error)) return CAROM_ERR_INPUT;
  if (it->parts > 0) return run_part(&options, error);
  basin_result *found = calloc(1, sizeof *found);
  if (!found) {
    *error = (carom_error){.status = CAROM_ERR_MEMORY};
    return CAROM_ERR_MEMORY;
  }
  // first what takes little time: what was asked for wrongly is told at once
  carom_status status = carom_manifolds_compute(it, &found->manifold, error);
  if (status == CAROM_OK) status = carom_basin_run(&options, &found->basin, error);
  *result = found;
  return status;
}

static void release_basin(void *result) {
  basin_result *found = result;
  if (!found) return;
  carom_manifold_destroy(found->manifold);
  carom_basin_destroy(found->basin);
  free(found);
}

static int run_basin(const carom_call *call) {
  static const carom_many_work WORK = {.least_axes = 1,
                                       .most_axes = CAROM_MOST_AXES,
                                       .compute = compute_basin,
                                       .hand_over = hand_over_basin,
                                       .release = release_basin};
  static const carom_many_work COURSE = {.least_axes = 1,
                                         .most_axes = CAROM_MOST_AXES - 1,
                                         .alone = carom_course_alone,
                                         .compute = carom_course_compute,
                                         .hand_over = carom_course_hand_over,
                                         .release = carom_course_release};
  return carom_many_runs_do(call, carom_call_has(call, "along") ? &COURSE : &WORK);
}

static const carom_option BASIN_OPTIONS[] = {
    {"over", "NAME=RANGE", "", "", "start values to vary: FROM:TO:COUNT; two or more times", NULL},
    {"along", "NAME=RANGE", "", "one value", "a parameter along which the basins are followed",
     NULL},
    {"observe", "NAME,NAME...", "", "all observables of the scenario",
     "what tells attractors apart besides word and regime", NULL},
    {"same", "X", "relative", "0.01", "observables that differ by less are the same", NULL},
    {"refine", "N", "", "0", "halve the grid so often; only points at boundaries are run", NULL},
    {"random", "N", "", "a grid", "random starts in the box of the ranges, of any dimension", NULL},
    {"seed", "N", "", "1", "of the random starts", NULL},
    {"manifolds", NULL, "", "", "also saddles in the box and their stable and unstable manifolds",
     NULL},
    {"turns", "N", "periods of the drive", "1", "after which those saddles come back", NULL},
    CAROM_OPTION_GPU,
    CAROM_OPTIONS_OF_MANY_RUNS,
};

const carom_command carom_command_basin = {
    .name = "basin",
    .arguments = "FILE",
    .summary = "Finds which start leads to which motion",
    .details =
        "Attractors are told apart by regime, word and observables and numbered in the order of "
        "the\ngrid; of each it is told which other one is its mirror image, where the system is "
        "the "
        "same in a\nmirror. Shares come with 95 % intervals. Give --observe only what is the same "
        "all over "
        "an\nattractor: counts that may differ by one are better left out.\n",
    .examples =
        "  carom basin duffing.yaml --over x=-2:2:65 --over \"x'=-2:2:65\" --set drive=0.2 "
        "--refine 2 --picture basin.png\n"
        "  carom basin duffing.yaml --over x=-2:2:41 --over \"x'=-2:2:41\" --along drive=0:0.3:31\n"
        "  carom basin duffing.yaml --over x=-2:2:65 --over \"x'=-2:2:65\" --set drive=0.2 "
        "--manifolds --picture edge.png\n"
        "  carom basin woodpecker.yaml --over phi_S=-0.5:0.5:2 --over y=0:1:2 --random 1000\n",
    CAROM_TAKES(BASIN_OPTIONS),
    .run = run_basin,
};
