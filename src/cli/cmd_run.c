// SPDX-License-Identifier: MIT
/// carom run: the motion of a scenario, recorded where that was asked for.
#include "carom/digest.h"
#include "carom/record.h"
#include "carom/trace.h"
#include "commands.h"
#include "outputs.h"
#include "progress.h"
#include "report.h"
#include "run_summary.h"

#include <string.h>

/// What watches over a run.
typedef struct run_watch {
  carom_run_tally events;
  carom_digest digest;
  carom_progress progress;
  carom_recorder *recorder; // NULL: nothing is recorded
  carom_observer record;
  carom_trace *log; // the events one by one; NULL: nobody wants them
  bool phases;      // those inside impacts, too
  const char *save; // where the state goes; NULL: nowhere
  bool digests;     // a digest is wanted
  bool goes_on;     // from a saved state, not from the start
  double saved_at;  // on the clock [s]
  bool to_save;     // the run pauses for it
  char stop_name[CAROM_TALLY_NAME];
} run_watch;

// ---- during the run ----

static const double SAVE_EVERY = 60.0; // [s] on the clock

static int wants_to_stop(void *ctx) {
  (void)ctx;
  return carom_interrupt_look();
}

static int go_on(run_watch *watch, double t) {
  carom_progress_update(&watch->progress, t);
  return carom_interrupt_look();
}

static int on_event(void *ctx, const carom_event *event) {
  run_watch *watch = ctx;
  carom_run_tally_add(&watch->events, event);
  if (watch->digests && event->kind < CAROM_EVENT_PHASE_COMPRESSION)
    carom_digest_event(&watch->digest, event);
  if (event->kind == CAROM_EVENT_STOP)
    (void)snprintf(watch->stop_name, sizeof watch->stop_name, "%s", event->name);
  if (watch->recorder && watch->record.event(watch->record.ctx, event)) return 1;
  if (watch->log) {
    carom_observer log = carom_trace_observer(watch->log);
    if (log.event(log.ctx, event)) return 1;
  }
  return go_on(watch, event->t);
}

static int on_sample(void *ctx, const carom_simulation *simulation, double t, int count,
                     const double *values) {
  run_watch *watch = ctx;
  if (watch->digests) carom_digest_sample(&watch->digest, t, count, values);
  if (watch->recorder && watch->record.sample(watch->record.ctx, simulation, t, count, values))
    return 1;
  watch->to_save = watch->save && carom_clock() - watch->saved_at > SAVE_EVERY;
  return go_on(watch, t) || watch->to_save;
}

// Goes on to the end. At samples, every minute, and where the run ends or is interrupted, the state
// is saved; what a run that goes wrong had saved stays.
static carom_status advance_saving(carom_simulation *simulation, run_watch *watch,
                                   carom_error *error) {
  carom_status status = watch->goes_on ? CAROM_OK : carom_simulation_reset(simulation, error);
  if (status != CAROM_OK) return status;
  do {
    watch->saved_at = carom_clock();
    watch->to_save = false;
    status = carom_simulation_advance(simulation, carom_simulation_until(simulation), error);
    if (status < 0 || !watch->save) return status;
    carom_status saved = carom_checkpoint_write(simulation, watch->save, error);
    if (saved != CAROM_OK) return saved;
  } while (status == CAROM_STOP_USER && watch->to_save && !carom_interrupted());
  return status;
}

static carom_status move_simulation(const carom_call *call, carom_simulation *simulation,
                                    run_watch *watch, carom_error *error) {
  carom_observer observer = {.ctx = watch,
                             .event = on_event,
                             .sample = on_sample,
                             .energies = watch->recorder || watch->log,
                             .phases = watch->phases};
  double until = carom_simulation_until(simulation);
  double from = carom_simulation_time(simulation);
  watch->progress = carom_progress_begin(!carom_call_has(call, "quiet"), from, until);
  carom_interrupt_catch();
  carom_simulation_observe(simulation, &observer);
  carom_simulation_heed(simulation, wants_to_stop, NULL);
  carom_status status = advance_saving(simulation, watch, error);
  carom_interrupt_heard();
  carom_simulation_observe(simulation, NULL);
  carom_progress_end(&watch->progress);
  return status;
}

// ---- before and after ----

static carom_status open_record(const carom_call *call, const carom_simulation *simulation,
                                run_watch *watch, carom_error *error) {
  carom_record_options options = carom_record_options_default();
  options.file = carom_call_value(call, "out");
  options.folder = carom_call_value(call, "csv");
  options.vtk = carom_call_value(call, "vtk");
  if (!options.file && !options.folder && !options.vtk) return CAROM_OK;
  carom_status status = carom_recorder_open(simulation, &options, &watch->recorder, error);
  if (status == CAROM_OK) watch->record = carom_recorder_observer(watch->recorder);
  return status;
}

static carom_status close_record(carom_simulation *simulation, run_watch *watch, carom_status ended,
                                 carom_error *error) {
  if (!watch->recorder) return CAROM_OK;
  const char *outcome = ended < 0                  ? "failed"
                        : ended == CAROM_STOP_USER ? "interrupted"
                                                   : "complete";
  carom_recorder *recorder = watch->recorder;
  watch->recorder = NULL;
  return carom_recorder_close(recorder, simulation, outcome, error);
}

static const char *stopped_by(carom_status status) {
  switch (status) {
  case CAROM_STOP_EVENT: return "stop";
  case CAROM_STOP_USER: return "interrupt";
  case CAROM_STOP_ACCUMULATION: return "accumulation";
  default: return "until";
  }
}

static void print_summary(const carom_call *call, const carom_run_summary *summary,
                          const carom_error *remark) {
  if (carom_call_has(call, "json"))
    carom_run_summary_json(summary);
  else if (!carom_call_has(call, "quiet"))
    carom_run_summary_text(summary);
  if (strcmp(summary->stopped_by, "interrupt") == 0)
    carom_warn(carom_call_has(call, "save")
                   ? "interrupted: the same command goes on with --from and the saved state"
                   : "interrupted: results are those of the part that was run");
  if (strcmp(summary->stopped_by, "accumulation") == 0) carom_warn(remark->text);
  if (!summary->certificate.passed)
    carom_warn("the certificate did not pass: do not trust this run to its tolerances");
}

// moves a simulation with all that watches over it, and reports; returns the exit code
static int run_watched(const carom_call *call, carom_simulation *simulation, double load_time,
                       run_watch *watch) {
  carom_error error = {0}, trouble = {0};
  double began = carom_clock();
  carom_status status = move_simulation(call, simulation, watch, &error);
  double run_time = carom_clock() - began;
  carom_status recorded = close_record(simulation, watch, status, &trouble);
  if (status < 0) return carom_report(call, &error, simulation, CAROM_EXIT_FAILED);
  if (recorded != CAROM_OK) return carom_report(call, &trouble, simulation, CAROM_EXIT_FAILED);

  carom_run_summary summary = {.call = call,
                               .simulation = simulation,
                               .events = &watch->events,
                               .log = watch->log,
                               .digest = watch->digests ? &watch->digest : NULL,
                               .stopped_by = stopped_by(status),
                               .stop_name = status == CAROM_STOP_EVENT ? watch->stop_name : "",
                               .load_time = load_time,
                               .run_time = run_time};
  if (carom_simulation_certificate(simulation, &summary.certificate, &trouble) != CAROM_OK)
    return carom_report(call, &trouble, simulation, CAROM_EXIT_FAILED);
  print_summary(call, &summary, &error);
  if (status == CAROM_STOP_USER) return CAROM_EXIT_FAILED;
  return summary.certificate.passed ? CAROM_EXIT_DONE : CAROM_EXIT_NOT_PASSED;
}

static int run_simulation(const carom_call *call, carom_simulation *simulation, double load_time) {
  carom_error error = {0};
  run_watch watch = {.save = carom_call_value(call, "save"),
                     .digests = carom_call_has(call, "digest")};
  const char *from = carom_call_value(call, "from");
  watch.goes_on = from != NULL;
  if (from && carom_checkpoint_read(simulation, from, &error) != CAROM_OK)
    return carom_report(call, &error, NULL, CAROM_EXIT_WRONG_INPUT);
  const char *which = carom_call_value(call, "events");
  if (which && strcmp(which, "all") != 0) {
    (void)carom_wrong(&error,
                      "--events lists events, --events=all the phases of impacts as well; "
                      "'%s' is neither",
                      which);
    return carom_report(call, &error, NULL, CAROM_EXIT_WRONG_INPUT);
  }
  watch.phases = which != NULL;
  if (carom_call_has(call, "events") &&
      carom_trace_create(simulation, &watch.log, &error) != CAROM_OK)
    return carom_report(call, &error, NULL, CAROM_EXIT_FAILED);
  carom_status status = open_record(call, simulation, &watch, &error);
  bool machine =
      status == CAROM_ERR_MEMORY || (status == CAROM_ERR_IO && carom_outputs_have_folders(call));
  int exit_code =
      status == CAROM_OK
          ? run_watched(call, simulation, load_time, &watch)
          : carom_report(call, &error, NULL, machine ? CAROM_EXIT_FAILED : CAROM_EXIT_WRONG_INPUT);
  carom_trace_destroy(watch.log);
  carom_run_tally_clear(&watch.events);
  return exit_code;
}

static int run_scenario(const carom_call *call) {
  int exit_code = CAROM_EXIT_DONE;
  double began = carom_clock();
  carom_model *model = carom_load(call, &exit_code);
  if (!model) return exit_code;
  carom_error error = {0};
  carom_simulation *simulation = NULL;
  // a start that does not fit is wrong input
  carom_status status = carom_set_off(model, &simulation, &error);
  if (status < 0)
    exit_code = carom_report(
        call, &error, NULL, status == CAROM_ERR_INPUT ? CAROM_EXIT_WRONG_INPUT : CAROM_EXIT_FAILED);
  else
    exit_code = run_simulation(call, simulation, carom_clock() - began);
  carom_simulation_destroy(simulation);
  carom_model_destroy(model);
  return exit_code;
}

static const carom_option OPTIONS[] = {
    {"until", "T", "time of the scenario", "run.until of the scenario", "end the run at this time",
     "run.until"},
    {"compliant", "K", "N/m", "rigid contacts",
     "replace contacts by springs of stiffness K with dashpots: an independent check",
     "run.compliant"},
    {"out", "FILE", "", "not recorded", "record the run to an HDF5 file", NULL},
    {"csv", "DIR", "", "no tables", "write the run as tables to a folder", NULL},
    {"events", "[all]", "", "",
     "list the events one by one: impulses, and energies on both sides; all: the phases of "
     "impacts, "
     "too",
     NULL},
    {"digest", NULL, "", "",
     "end with a digest of all samples and events: equal digests, equal bits, here and in the lab",
     NULL},
    {"vtk", "DIR", "", "none", "write the bodies at every sample for ParaView: open DIR/motion.pvd",
     NULL},
    {"save", "STATE", "", "nowhere",
     "save the whole state to a file: at the end, at Ctrl-C, and every minute", NULL},
    {"from", "STATE", "", "the start of the scenario", "go on from a saved state, bit for bit",
     NULL},
    CAROM_OPTION_SET,
    CAROM_OPTIONS_OF_ANSWERS,
};

const carom_command carom_command_run = {
    .name = "run",
    .arguments = "FILE",
    .summary = "Runs a scenario and prints its results",
    .details =
        "Ends with the observables, the events by kind and the certificate: where the energy "
        "went and\nwhether the run kept its tolerances. Ctrl-C stops the run and keeps what "
        "it has (exit 1). Exit 3: the run is\ndone, but its certificate did not pass.\n",
    .examples = "  carom run swing.yaml\n"
                "  carom run swing.yaml --set drive=1.2 --set phi='5 deg' --until 200\n"
                "  carom run swing.yaml --out swing.h5 --csv tables\n"
                "  carom run swing.yaml --events --json > swing.json\n"
                "  carom run swing.yaml --events=all\n"
                "  carom run long.yaml --save long.state\n"
                "  carom run long.yaml --from long.state --save long.state --until 400\n",
    CAROM_TAKES(OPTIONS),
    .run = run_scenario,
};
