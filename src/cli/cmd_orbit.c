// SPDX-License-Identifier: MIT
/// carom orbit: a periodic motion, its multipliers and its word.
#include "carom/orbit.h"
#include "commands.h"
#include "many_runs.h"

static bool stopped(void *ctx) {
  (void)ctx;
  return carom_interrupted();
}

static const char *kind_text(carom_orbit_kind kind) {
  switch (kind) {
  case CAROM_ORBIT_STABLE: return "stable";
  case CAROM_ORBIT_UNSTABLE: return "unstable";
  case CAROM_ORBIT_MARGINAL: return "marginal";
  }
  return "";
}

static void json_state(carom_json *json, const char *key, const carom_simulation *simulation,
                       const carom_orbit *orbit, const double *values, bool cyclic_only) {
  const carom_model *model = carom_simulation_model(simulation);
  carom_json_object(json, key);
  for (int k = 0; k < orbit->size; k++)
    if (!cyclic_only || carom_model_cyclic(model, k))
      carom_json_number(json, carom_simulation_column(simulation, k), values[k]);
  carom_json_end(json);
}

static void json_image(carom_json *json, const carom_simulation *simulation,
                       const carom_orbit *orbit) {
  if (orbit->image == CAROM_IMAGE_NONE) return;
  carom_json_object(json, "mirror");
  carom_json_text(json, "reflection", orbit->mirror);
  carom_json_flag(json, "own", orbit->image == CAROM_IMAGE_SELF);
  carom_json_text(json, "word", orbit->image_word);
  carom_json_number(json, "start", orbit->image_start);
  json_state(json, "state", simulation, orbit, orbit->image_state, false);
  carom_json_end(json);
}

static void print_json(const carom_call *call, const carom_simulation *simulation,
                       const carom_orbit *orbit) {
  carom_json json = {.out = stdout};
  carom_json_object(&json, NULL);
  carom_json_text(&json, "command", call->command->name);
  carom_json_text(&json, "file", carom_call_file(call));
  carom_json_text(&json, "title", carom_model_title(carom_simulation_model(simulation)));
  carom_json_text(&json, "stability", kind_text(orbit->kind));
  carom_json_text(&json, "word", orbit->word);
  carom_json_flag(&json, "word_changed", orbit->word_changed);
  carom_json_number(&json, "start", orbit->start);
  carom_json_number(&json, "period", orbit->period);
  carom_json_count(&json, "turns", orbit->turns);
  json_state(&json, "state", simulation, orbit, orbit->state, false);
  json_state(&json, "shift", simulation, orbit, orbit->shift, true);
  carom_json_array(&json, "multipliers");
  for (int k = 0; k < orbit->multipliers; k++) {
    carom_json_object(&json, NULL);
    carom_json_number(&json, "re", orbit->re[k]);
    carom_json_number(&json, "im", orbit->im[k]);
    carom_json_end(&json);
  }
  carom_json_end(&json);
  carom_json_count(&json, "extinguished", orbit->extinguished);
  if (orbit->autonomous) carom_json_number(&json, "along", orbit->along);
  carom_json_number(&json, "residual", orbit->residual);
  carom_json_count(&json, "rounds", orbit->rounds);
  carom_json_flag(&json, "exact_derivatives", orbit->exact);
  carom_json_count(&json, "piecewise", orbit->notes.piecewise);
  carom_json_count(&json, "grazes", orbit->notes.grazes);
  json_image(&json, simulation, orbit);
  carom_json_end(&json);
}

static void print_text(const carom_simulation *simulation, const carom_orbit *orbit) {
  const carom_model *model = carom_simulation_model(simulation);
  printf("%s%s periodic motion%s of period %.15g", carom_style_text(stdout, CAROM_STYLE_BOLD),
         kind_text(orbit->kind), carom_style_text(stdout, CAROM_STYLE_PLAIN), orbit->period);
  if (orbit->turns > 0) printf(" (%d of the drive)", orbit->turns);
  printf("\n");
  if (orbit->word[0]) printf("  %-14s %s\n", "word", orbit->word);
  printf("  %-14s %20.15g\n", "at t", orbit->start);
  for (int k = 0; k < orbit->size; k++)
    printf("  %-14s %20.15g\n", carom_simulation_column(simulation, k), orbit->state[k]);
  for (int k = 0; k < orbit->size; k++)
    if (carom_model_cyclic(model, k))
      printf("  shift of %-5s %20.15g  per turn\n", carom_simulation_column(simulation, k),
             orbit->shift[k]);
  for (int k = 0; k < orbit->multipliers; k++) {
    printf("  %-14s %20.12g", k == 0 ? "multipliers" : "", orbit->re[k]);
    if (orbit->im[k] != 0.0) printf("  %+.12g i", orbit->im[k]);
    if (hypot(orbit->re[k], orbit->im[k]) == 0.0) printf("  (extinguished)");
    putchar('\n');
  }
  if (orbit->image == CAROM_IMAGE_SELF) printf("  its own mirror image under %s\n", orbit->mirror);
  if (orbit->image == CAROM_IMAGE_OTHER)
    printf("  has a mirror image under %s\n  %-14s %s\n", orbit->mirror, "image's word",
           orbit->image_word);
  printf("  closes to %.2g of its size after %d rounds\n", orbit->residual, orbit->rounds);
}

static void warn_about(const carom_orbit *orbit) {
  if (orbit->word_changed) carom_warn("the word is not that of the motion the search began with");
  if (orbit->notes.piecewise > 0)
    carom_warn("several things happen at one instant: there the multipliers hold on one side only");
  if (orbit->notes.grazes > 0)
    carom_warn("the motion grazes: there it has no derivative, and the multipliers leave that out");
}

static bool read_options(const carom_call *call, carom_orbit_options *options, carom_error *error) {
  long turns;
  bool fits =
      carom_call_count(call, "turns", 1, 1000, 0, &turns, error) &&
      carom_call_positive(call, "after", -1.0, &options->after, error) &&
      carom_call_positive(call, "near", 0.0, &options->period, error) &&
      carom_call_positive(call, "tolerance", options->tolerance, &options->tolerance, error);
  options->turns = fits ? (int)turns : 0;
  return fits;
}

static int orbit(const carom_call *call) {
  int exit_code = CAROM_EXIT_DONE;
  carom_error error = {0};
  carom_orbit_options options = carom_orbit_options_default();
  if (!read_options(call, &options, &error))
    return carom_report(call, &error, NULL, CAROM_EXIT_WRONG_INPUT);
  carom_model *model = carom_load(call, &exit_code);
  if (!model) return exit_code;
  carom_simulation *simulation = NULL;
  carom_orbit found;
  carom_interrupt_catch();
  options.model = model;
  options.watcher = (carom_watcher){.stopped = stopped};
  carom_status status = carom_simulation_create(model, &simulation, &error);
  if (status == CAROM_OK) status = carom_orbit_find(&options, &found, &error);
  if (status == CAROM_STOP_USER) error = (carom_error){.status = status, .text = "interrupted"};
  if (status != CAROM_OK) {
    exit_code = carom_report(
        call, &error, NULL, status == CAROM_ERR_INPUT ? CAROM_EXIT_WRONG_INPUT : CAROM_EXIT_FAILED);
  } else {
    if (carom_call_has(call, "json"))
      print_json(call, simulation, &found);
    else
      print_text(simulation, &found);
    warn_about(&found);
  }
  carom_simulation_destroy(simulation);
  carom_model_destroy(model);
  return exit_code;
}

static const carom_option OPTIONS[] = {
    {"after", "TIME", "of the scenario", "the end of the run",
     "where the search begins: the state at this time", NULL},
    {"period", "EXPRESSION", "of the scenario", "found from the drive",
     "of the drive: after how long it repeats itself", "run.period"},
    {"turns", "N", "periods of the drive", "found from the motion", "how many make one turn", NULL},
    {"near", "TIME", "of the scenario", "found from the motion",
     "the period of a system without drive, roughly", NULL},
    {"tolerance", "X", "of the size of the motion", "1e-10", "of the last step of Newton's method",
     NULL},
    CAROM_OPTION_SET,
    CAROM_OPTION_JSON,
};

const carom_command carom_command_orbit = {
    .name = "orbit",
    .arguments = "FILE",
    .least = 1,
    .most = 1,
    .summary = "Finds a periodic motion, stable or not, with its multipliers",
    .details =
        "The motion settles as the scenario says; from there Newton's method closes one turn of "
        "it. The\nmultipliers say how neighbours come back: inside the unit circle they come "
        "nearer. Coordinates that\nnothing depends on may drift: their shift per turn is told. "
        "Where the system is the same in "
        "a mirror,\nthe motion is its own mirror image or has one, which is told too.\n",
    .examples = "  carom orbit ball_on_table.yaml\n"
                "  carom orbit van_der_pol.yaml --json\n",
    .options = OPTIONS,
    .option_count = CAROM_COUNT(OPTIONS),
    .run = orbit,
};
