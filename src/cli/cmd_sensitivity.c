// SPDX-License-Identifier: MIT
/// carom sensitivity: how much what a run ends with depends on parameters, start values and laws.
#include "carom/sensitivity.h"
#include "commands.h"
#include "report.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_NAMES = 200 };

/// Names of one option: a copy of its text, cut at the commas.
typedef struct name_list {
  char *text;
  int count;
  const char *names[MOST_NAMES];
} name_list;

static carom_status read_names(const carom_call *call, const char *option, name_list *list,
                               carom_error *error) {
  const char *given = carom_call_value(call, option);
  list->count = 0;
  list->text = given ? malloc(strlen(given) + 1) : NULL;
  if (!given) return CAROM_OK;
  if (!list->text) {
    *error = (carom_error){.status = CAROM_ERR_MEMORY};
    return CAROM_ERR_MEMORY;
  }
  memcpy(list->text, given, strlen(given) + 1);
  for (char *at = list->text; at;) {
    char *comma = strchr(at, ',');
    if (comma) *comma = 0;
    if (!*at || list->count == MOST_NAMES)
      return carom_wrong(error, "--%s %s: names, separated by commas, are expected", option, given);
    list->names[list->count++] = at;
    at = comma ? comma + 1 : NULL;
  }
  return CAROM_OK;
}

// without --of: all that the state consists of
static void name_state(const carom_simulation *simulation, name_list *of) {
  int size = 0;
  (void)carom_simulation_state(simulation, &size);
  for (int k = 0; k < size && k < MOST_NAMES; k++)
    of->names[of->count++] = carom_simulation_column(simulation, k);
}

static void json_slopes(carom_json *json, int count, const char *const *by, const double *slopes) {
  carom_json_object(json, "by");
  for (int j = 0; j < count; j++)
    carom_json_number(json, by[j], slopes[j]);
  carom_json_end(json);
}

// of one output after the other
static void json_table(carom_json *json, const char *name, const carom_sensitivity_options *o,
                       const double *slopes) {
  carom_json_array(json, name);
  for (int k = 0; k < o->of_count; k++) {
    carom_json_object(json, NULL);
    carom_json_text(json, "of", o->of[k]);
    json_slopes(json, o->by_count, o->by, slopes + k * o->by_count);
    carom_json_end(json);
  }
  carom_json_end(json);
}

// one-sided derivatives, and coefficients of square roots
static void json_sides(carom_json *json, const carom_sensitivity_options *o,
                       const carom_sensitivity_view *v) {
  carom_json_array(json, "jumps");
  for (int j = 0; j < v->by_count; j++)
    if (v->sides[j] == CAROM_SENSITIVITY_JUMPS) carom_json_text(json, NULL, o->by[j]);
  carom_json_end(json);
  carom_json_array(json, "orders");
  for (int k = 0; k < v->order_count; k++) {
    carom_json_object(json, NULL);
    carom_json_text(json, "order", v->orders[k].names);
    json_table(json, "sensitivities", o, v->orders[k].slopes);
    carom_json_end(json);
  }
  carom_json_end(json);
  carom_json_array(json, "grazing");
  for (int g = 0; g < v->graze_count; g++) {
    carom_json_object(json, NULL);
    carom_json_text(json, "name", v->grazes[g].name);
    carom_json_number(json, "t", v->grazes[g].t);
    carom_json_number(json, "exponent", 0.5);
    carom_json_object(json, "strikes");
    for (int j = 0; j < v->by_count; j++)
      carom_json_number(json, o->by[j], v->grazes[g].strikes[j]);
    carom_json_end(json);
    json_table(json, "coefficients", o, v->grazes[g].coefficients);
    carom_json_end(json);
  }
  carom_json_end(json);
}

static void json_second(carom_json *json, const carom_sensitivity_options *o,
                        const carom_sensitivity_view *v) {
  carom_json_array(json, "second");
  for (int k = 0; k < o->of_count; k++)
    for (int i = 0; i < o->by_count; i++) {
      int row = (k * o->by_count + i) * o->by_count;
      carom_json_object(json, NULL);
      carom_json_text(json, "of", o->of[k]);
      carom_json_text(json, "and_by", o->by[i]);
      json_slopes(json, o->by_count, o->by, v->second + row);
      carom_json_object(json, "errors");
      for (int j = 0; j < o->by_count; j++)
        carom_json_number(json, o->by[j], v->second_errors[row + j]);
      carom_json_end(json);
      carom_json_end(json);
    }
  carom_json_end(json);
}

static void print_json(const carom_call *call, const carom_sensitivity_options *o,
                       const carom_sensitivity_view *v) {
  carom_json json = carom_json_answer(call);
  carom_json_text(&json, "title", carom_model_title(o->model));
  carom_json_number(&json, "t", v->t_end);
  carom_json_array(&json, "sensitivities");
  for (int k = 0; k < v->of_count; k++) {
    carom_json_object(&json, NULL);
    carom_json_text(&json, "of", o->of[k]);
    carom_json_number(&json, "value", v->values[k]);
    json_slopes(&json, v->by_count, o->by, v->slopes + k * v->by_count);
    carom_json_end(&json);
  }
  carom_json_end(&json);
  carom_json_array(&json, "events");
  for (long k = 0; k < v->event_count && carom_call_has(call, "events"); k++) {
    carom_json_object(&json, NULL);
    carom_json_text(&json, "kind", carom_event_kind_text(v->events[k].kind));
    carom_json_text(&json, "name", v->events[k].name);
    carom_json_number(&json, "t", v->events[k].t);
    json_slopes(&json, v->by_count, o->by, v->events[k].slopes);
    carom_json_end(&json);
  }
  carom_json_end(&json);
  carom_json_count(&json, "piecewise", v->notes.piecewise);
  carom_json_count(&json, "grazes", v->notes.grazes);
  json_sides(&json, o, v);
  if (v->second) json_second(&json, o, v);
  carom_json_end(&json);
}

static void print_row(const char *name, double value, int count, const double *slopes) {
  printf("%-24s %20.12g", name, value);
  for (int j = 0; j < count; j++)
    printf(" %20.12g", slopes[j]);
  printf("\n");
}

static void print_sides(const carom_sensitivity_options *o, const carom_sensitivity_view *v) {
  for (int k = 0; k < v->order_count; k++) {
    printf("\nneighbours that meet %s in this order\n", v->orders[k].names);
    for (int n = 0; n < v->of_count; n++)
      print_row(o->of[n], v->values[n], v->by_count, v->orders[k].slopes + n * v->by_count);
  }
  for (int g = 0; g < v->graze_count; g++) {
    printf("\n'%s' is grazed at t = %.12g; it is struck if", v->grazes[g].name, v->grazes[g].t);
    for (int j = 0; j < v->by_count; j++)
      if (v->grazes[g].strikes[j] != 0.0)
        printf(" %s %s", o->by[j], v->grazes[g].strikes[j] > 0.0 ? "grows" : "shrinks");
    printf(",\nand outputs change by sqrt(|change|) times\n");
    for (int n = 0; n < v->of_count; n++)
      print_row(o->of[n], v->values[n], v->by_count, v->grazes[g].coefficients + n * v->by_count);
  }
}

static void print_second(const carom_sensitivity_options *o, const carom_sensitivity_view *v) {
  for (int k = 0; k < o->of_count; k++)
    for (int i = 0; i < o->by_count; i++)
      for (int j = 0; j <= i; j++) {
        int at = (k * o->by_count + i) * o->by_count + j;
        printf("%s by %s and %s  %.12g  +- %.2g\n", o->of[k], o->by[j], o->by[i], v->second[at],
               v->second_errors[at]);
      }
}

static void print_text(const carom_call *call, const carom_sensitivity_options *o,
                       const carom_sensitivity_view *v) {
  printf("%s%-24s %20s", carom_style_text(stdout, CAROM_STYLE_BOLD), "", "value");
  for (int j = 0; j < v->by_count; j++)
    printf(" %17s %-2s", "by", o->by[j]);
  printf("%s\n", carom_style_text(stdout, CAROM_STYLE_PLAIN));
  for (int k = 0; k < v->of_count; k++)
    print_row(o->of[k], v->values[k], v->by_count, v->slopes + k * v->by_count);
  for (long k = 0; k < v->event_count && carom_call_has(call, "events"); k++) {
    char name[80];
    (void)snprintf(name, sizeof name, "t of %s %s", carom_event_kind_text(v->events[k].kind),
                   v->events[k].name);
    print_row(name, v->events[k].t, v->by_count, v->events[k].slopes);
  }
  print_sides(o, v);
  if (v->second) print_second(o, v);
}

static void warn_of_jump(const char *input) {
  fprintf(
      stderr,
      "carom: warning: contacts strike at one instant. Another %s lets them strike one after the "
      "other, and\nhow that comes out depends on the order: the motion jumps there, and has no "
      "derivative.\n",
      input);
}

static void warn_about(const carom_sensitivity_options *o, const carom_sensitivity_view *v) {
  const carom_tangent_notes *notes = &v->notes;
  if (notes->grazes > v->graze_count)
    carom_warn("the motion grazed: there it has no derivative, and what is told leaves that out");
  else if (notes->grazes > 0)
    carom_warn("the motion grazed: the derivatives are those of neighbours that do not strike");
  bool smooth = true;
  for (int j = 0; j < v->by_count; j++) {
    smooth = smooth && v->sides[j] == CAROM_SENSITIVITY_SMOOTH;
    if (v->sides[j] == CAROM_SENSITIVITY_JUMPS) warn_of_jump(o->by[j]);
  }
  if (!smooth && v->order_count > 0)
    carom_warn("contacts strike at one instant: the derivatives are those of one order");
  else if (notes->piecewise > 0 && smooth)
    carom_warn("several things happened at one instant, an impact is about to end otherwise, or "
               "an event lies at the very start or end of the run: the derivatives may hold on one "
               "side only");
}

static int compute_sensitivity(const carom_call *call, const carom_model *model, name_list *by,
                               name_list *of) {
  carom_error error = {0};
  carom_simulation *simulation = NULL;
  carom_sensitivity *result = NULL;
  carom_sensitivity_options options = carom_sensitivity_options_default();
  carom_status status = read_names(call, "by", by, &error);
  if (status == CAROM_OK) status = read_names(call, "of", of, &error);
  if (status == CAROM_OK && by->count == 0)
    status = carom_wrong(&error, "--by NAME,... is needed: parameters or start values");
  if (status != CAROM_OK) return carom_report(call, &error, NULL, CAROM_EXIT_WRONG_INPUT);
  status = carom_simulation_create(model, &simulation, &error);
  if (status == CAROM_OK && of->count == 0) name_state(simulation, of);
  options.model = model;
  options.by_count = by->count;
  options.by = by->names;
  options.of_count = of->count;
  options.of = of->names;
  options.adjoint = carom_call_has(call, "adjoint");
  options.sides = !options.adjoint;
  options.second = carom_call_has(call, "second");
  if (status == CAROM_OK) status = carom_sensitivity_run(&options, &result, &error);
  int exit_code = CAROM_EXIT_DONE;
  if (status != CAROM_OK) {
    bool named = status == CAROM_ERR_ARGUMENT;
    exit_code =
        carom_report(call, &error, NULL, named ? CAROM_EXIT_WRONG_INPUT : CAROM_EXIT_FAILED);
  } else {
    const carom_sensitivity_view *view = carom_sensitivity_look(result);
    if (carom_call_has(call, "json"))
      print_json(call, &options, view);
    else
      print_text(call, &options, view);
    warn_about(&options, view);
  }
  carom_sensitivity_destroy(result);
  carom_simulation_destroy(simulation);
  return exit_code;
}

static int run_sensitivity(const carom_call *call) {
  int exit_code = CAROM_EXIT_DONE;
  carom_model *model = carom_load(call, &exit_code);
  if (!model) return exit_code;
  name_list by = {0}, of = {0};
  exit_code = compute_sensitivity(call, model, &by, &of);
  free(by.text);
  free(of.text);
  carom_model_destroy(model);
  return exit_code;
}

static const carom_option OPTIONS[] = {
    {"by", "NAME,...", "", "",
     "needed: parameters, start values (x, x', ball.vx) and numbers that --set takes", NULL},
    {"of", "NAME,...", "", "the state at the end",
     "observables, definitions, coordinates, rates and states", NULL},
    {"adjoint", NULL, "", "",
     "bring slopes back from the end: for many inputs; of the state at the end alone", NULL},
    {"second", NULL, "", "",
     "second derivatives too, of few inputs: differences of exact first ones, with their errors",
     NULL},
    {"events", NULL, "", "", "also every event of the run and the derivatives of its time", NULL},
    CAROM_OPTIONS_OF_A_SCENARIO,
};

const carom_command carom_command_sensitivity = {
    .name = "sensitivity",
    .arguments = "FILE",
    .summary = "Differentiates what a run ends with by parameters, start values and laws",
    .details =
        "One run carries its exact derivatives along: through smooth phases by variational "
        "equations, through\nimpacts, stick, slip, rules and the end of chatter by saltation. "
        "Observables may use mean, mean_rate,\nlast and count. At a graze neighbours that strike "
        "differ by a coefficient times the square root of the\nchange, which is told. Where "
        "contacts meet at one instant there is a derivative for each order of\nstriking, or the "
        "outcome jumps: both are told.\n",
    .examples =
        "  carom sensitivity bouncing_ball.yaml --by e,h,g --set run.until=2\n"
        "  carom sensitivity bouncing_ball.yaml --by e --events\n"
        "  carom sensitivity bouncing_ball.yaml --by e,h --of y --second\n"
        "  carom sensitivity belt_block.yaml --of slips --by mu,mu_s,v0 --set v1=0 --json\n",
    CAROM_TAKES(OPTIONS),
    .run = run_sensitivity,
};
