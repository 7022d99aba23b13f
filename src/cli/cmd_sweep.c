// SPDX-License-Identifier: MIT
/// carom sweep: one run per point of a grid; carom merge: the parts of a sweep put together.
#include "commands.h"
#include "many_runs.h"

static void print_json(const carom_call *call, carom_sweep *sweep,
                       const carom_sweep_summary *summary) {
  carom_json json = carom_json_answer(call);
  carom_sweep_json(&json, sweep, summary);
  carom_json_end(&json);
}

// the rows, or where they are
static void print_text(const carom_call *call, carom_sweep *sweep,
                       const carom_sweep_summary *summary) {
  const char *out = carom_call_value(call, "out"), *csv = carom_call_value(call, "csv");
  if (!out && !csv) {
    carom_sweep_print(sweep);
    return;
  }
  printf("%ld point%s in %s%s%s\n", summary->points, summary->points == 1 ? "" : "s",
         out ? out : csv, out && csv ? " and " : "", out && csv ? csv : "");
}

static void warn_of(const carom_sweep_summary *summary) {
  char text[100];
  if (summary->failed == 0) return;
  (void)snprintf(text, sizeof text, "%ld runs failed", summary->failed);
  carom_warn(text);
}

// tables, picture and summary of what was done
static int hand_over(const carom_call *call, carom_sweep *sweep, carom_error *error) {
  carom_sweep_summary summary;
  carom_status status = carom_sweep_write(call, sweep, "sweep", error);
  if (status == CAROM_OK) status = carom_sweep_summarize(sweep, &summary, error);
  if (status != CAROM_OK) return carom_report(call, error, NULL, CAROM_EXIT_FAILED);
  if (carom_call_has(call, "json"))
    print_json(call, sweep, &summary);
  else if (!carom_call_has(call, "quiet"))
    print_text(call, sweep, &summary);
  warn_of(&summary);
  carom_card_tell(call, carom_sweep_card(sweep), carom_sweep_done(sweep));
  return carom_sweep_exit(&summary);
}

// what remains to be said about a sweep that was stopped
static int finish_partly(const carom_many_runs *it, carom_sweep *sweep) {
  if (carom_call_has(it->call, "json")) {
    carom_json json = carom_json_answer(it->call);
    carom_json_count(&json, "points", carom_sweep_count(sweep));
    carom_json_count(&json, "done", carom_sweep_done(sweep));
    carom_json_flag(&json, "interrupted", true);
    carom_json_end(&json);
  }
  return carom_many_runs_exit(it, true);
}

static carom_status compute_sweep(carom_many_runs *it, void **result, carom_error *error) {
  carom_sweep_options options = carom_many_runs_sweep(it);
  carom_sweep *made = NULL;
  carom_status status = carom_sweep_run(&options, &made, error);
  *result = made;
  return status;
}

static int hand_over_sweep(const carom_many_runs *it, void *result, carom_status ended,
                           carom_error *error) {
  if (ended == CAROM_STOP_USER) return finish_partly(it, result);
  return hand_over(it->call, result, error);
}

static void release_sweep(void *result) { carom_sweep_destroy(result); }

static int run_sweep(const carom_call *call) {
  const carom_many_work work = {.least_axes = carom_call_value(call, "seeds") ? 0 : 1,
                                .most_axes = CAROM_MOST_AXES,
                                .partly = true,
                                .compute = compute_sweep,
                                .hand_over = hand_over_sweep,
                                .release = release_sweep};
  return carom_many_runs_do(call, &work);
}

static int run_merge(const carom_call *call) {
  carom_error error = {0};
  carom_sweep *result = NULL;
  carom_status status = carom_sweep_merge(call->argument_count, call->arguments, &result, &error);
  if (status == CAROM_OK && carom_sweep_done(result) < carom_sweep_count(result)) {
    status = carom_wrong(&error, "%ld of %ld points are in none of the parts",
                         carom_sweep_count(result) - carom_sweep_done(result),
                         carom_sweep_count(result));
  }
  int exit_code = status == CAROM_OK ? hand_over(call, result, &error)
                                     : carom_report(call, &error, NULL, CAROM_EXIT_WRONG_INPUT);
  carom_sweep_destroy(result);
  return exit_code;
}

static const carom_option OPTIONS[] = {
    CAROM_OPTION_OVER,
    {"observe", "NAME,NAME...", "", "all observables of the scenario",
     "what to write down of each run: observables, final values, definitions", NULL},
    {"seeds", "N", "", "that of the scenario",
     "run every point N times, with seeds 1 to N of what is random in it", NULL},
    CAROM_OPTION_THREADS,
    CAROM_OPTION_GPU,
    {"part", "K/N", "", "all points",
     "do only the K-th of N parts; carom merge joins them, or the same command with --resume",
     NULL},
    CAROM_OPTIONS_OF_RESULTS,
};

const carom_command carom_command_sweep = {
    .name = "sweep",
    .arguments = "FILE",
    .summary = "Runs a scenario over grids of parameters, start values or settings",
    .details =
        "One row per point: observables, word, regime and whether the certificate passed. Each "
        "point\nequals its single run to the last bit, whatever the number of threads. Ctrl-C "
        "keeps what is\nfinished beside --out or --csv (FILE.journal); --resume goes on. Under "
        "mpirun (Open "
        "MPI) the\nprocesses share the points.\n",
    .examples = "  carom sweep wiper.yaml --over mu=0.3:0.7:401 --observe hop,top --out mu.h5\n"
                "  carom sweep wiper.yaml --over mu=0.3,0.5 --over e=0:1:11 --csv mu.csv\n"
                "  carom sweep wiper.yaml --over run.rtol=1e-4:1e-12:9:log\n"
                "  carom sweep wiper.yaml --over mu=0.3:0.7:401 --part 1/4 --out mu.h5\n"
                "  mpirun -n 8 carom sweep wiper.yaml --over mu=0.3:0.7:401 --out mu.h5\n",
    CAROM_TAKES(OPTIONS),
    .run = run_sweep,
};

static const carom_option MERGE_OPTIONS[] = {
    CAROM_OPTION_OUT,
    CAROM_OPTION_TABLE,
    CAROM_OPTION_PICTURE,
    CAROM_OPTIONS_OF_ANSWERS,
};

const carom_command carom_command_merge = {
    .name = "merge",
    .arguments = "PART...",
    .summary = "Puts the parts of a sweep together",
    .details =
        "The result is the one a sweep without parts gives, bit for bit. Parts of other commands "
        "are\njoined by the same command with --resume.\n",
    .examples = "  carom merge mu.h5.part-* --out mu.h5\n",
    CAROM_TAKES(MERGE_OPTIONS),
    .run = run_merge,
};
