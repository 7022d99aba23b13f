// SPDX-License-Identifier: MIT
/// carom equilibrium: where the system can rest, in each contact mode, and whether it stays there.
#include "carom/equilibrium.h"
#include "commands.h"
#include "report.h"

static const char *kind_text(carom_equilibrium_kind kind) {
  switch (kind) {
  case CAROM_EQUILIBRIUM_STABLE: return "stable";
  case CAROM_EQUILIBRIUM_UNSTABLE: return "unstable";
  case CAROM_EQUILIBRIUM_MARGINAL: return "marginal";
  case CAROM_EQUILIBRIUM_STUCK: return "held by stick";
  }
  return "";
}

// a virtual one solves the equations of its mode, but its forces or gaps have the wrong sign
static const char *reality_text(const carom_equilibrium *e) {
  if (e->paradox) return "virtual (beyond Painleve's paradox)";
  return e->admissible ? "admissible" : "virtual";
}

static void json_equilibrium(carom_json *json, const carom_simulation *simulation,
                             const carom_equilibrium *e) {
  const carom_model *model = carom_simulation_model(simulation);
  carom_json_object(json, NULL);
  carom_json_text(json, "mode", e->mode);
  carom_json_text(json, "stability", kind_text(e->kind));
  carom_json_flag(json, "admissible", e->admissible);
  if (e->paradox) carom_json_flag(json, "paradox", true);
  carom_json_number(json, "margin", e->margin);
  carom_json_object(json, "state");
  for (int k = 0; k < e->size; k++)
    if (!carom_model_is_rate(model, k)) // rates are zero and not told
      carom_json_number(json, carom_simulation_column(simulation, k), e->state[k]);
  carom_json_end(json);
  carom_json_array(json, "eigenvalues");
  for (int k = 0; k < e->eigenvalues; k++) {
    carom_json_object(json, NULL);
    carom_json_number(json, "re", e->re[k]);
    carom_json_number(json, "im", e->im[k]);
    carom_json_end(json);
  }
  carom_json_end(json);
  carom_json_array(json, "contacts");
  for (int k = 0; k < e->contacts; k++) {
    carom_json_object(json, NULL);
    carom_json_text(json, "name", carom_model_name(model, CAROM_CONTACTS, k));
    carom_json_number(json, "normal", e->normal[k]);
    carom_json_number(json, "tangential", e->tangential[k]);
    carom_json_end(json);
  }
  carom_json_end(json);
  carom_json_end(json);
}

static void print_json(const carom_call *call, const carom_simulation *simulation,
                       const carom_equilibria *list) {
  carom_json json = carom_json_answer(call);
  carom_json_text(&json, "title", carom_model_title(carom_simulation_model(simulation)));
  carom_json_array(&json, "equilibria");
  for (int k = 0; k < carom_equilibria_count(list); k++)
    json_equilibrium(&json, simulation, carom_equilibria_at(list, k));
  carom_json_end(&json);
  carom_json_end(&json);
}

static void print_equilibrium(const carom_simulation *simulation, const carom_equilibrium *e) {
  const carom_model *model = carom_simulation_model(simulation);
  printf("%smode %s%s  %s, %s", carom_style_text(stdout, CAROM_STYLE_BOLD),
         e->mode[0] ? e->mode : "(no contacts)", carom_style_text(stdout, CAROM_STYLE_PLAIN),
         kind_text(e->kind), reality_text(e));
  if (isfinite(e->margin)) printf(" (margin %.6g)", e->margin);
  putchar('\n');
  for (int k = 0; k < e->size; k++)
    if (!carom_model_is_rate(model, k))
      printf("  %-14s %20.12g\n", carom_simulation_column(simulation, k), e->state[k]);
  for (int k = 0; k < e->eigenvalues; k++) {
    printf("  %-14s %20.12g", k == 0 ? "eigenvalues" : "", e->re[k]);
    if (e->im[k] != 0.0) printf("  %+.12g i", e->im[k]);
    putchar('\n');
  }
  for (int k = 0; k < e->contacts; k++)
    if (e->normal[k] != 0.0 || e->tangential[k] != 0.0)
      printf("  %-14s normal %13.9g  tangential %13.9g\n",
             carom_model_name(model, CAROM_CONTACTS, k), e->normal[k], e->tangential[k]);
}

static void print_text(const carom_simulation *simulation, const carom_equilibria *list) {
  printf("%s", carom_style_text(stdout, CAROM_STYLE_BOLD));
  carom_print_safely(stdout, carom_model_title(carom_simulation_model(simulation)));
  printf("%s\n", carom_style_text(stdout, CAROM_STYLE_PLAIN));
  if (carom_equilibria_count(list) == 0)
    printf("no equilibrium was found from the scenario's start\n");
  for (int k = 0; k < carom_equilibria_count(list); k++)
    print_equilibrium(simulation, carom_equilibria_at(list, k));
}

static int run_equilibrium(const carom_call *call) {
  int exit_code = CAROM_EXIT_DONE;
  carom_model *model = carom_load(call, &exit_code);
  if (!model) return exit_code;
  carom_error error = {0};
  carom_simulation *simulation = NULL;
  carom_equilibria *list = NULL;
  carom_status status = carom_simulation_create(model, &simulation, &error);
  if (status == CAROM_OK) status = carom_equilibria_find(simulation, &list, &error);
  if (status != CAROM_OK)
    exit_code = carom_report(call, &error, NULL, CAROM_EXIT_FAILED);
  else if (carom_call_has(call, "json"))
    print_json(call, simulation, list);
  else
    print_text(simulation, list);
  carom_equilibria_destroy(list);
  carom_simulation_destroy(simulation);
  carom_model_destroy(model);
  return exit_code;
}

static const carom_option OPTIONS[] = {CAROM_OPTIONS_OF_A_SCENARIO};

const carom_command carom_command_equilibrium = {
    .name = "equilibrium",
    .arguments = "FILE",
    .summary = "Finds where the system can rest, in each contact mode",
    .details =
        "One equilibrium for each set of open and closed contacts that has one, sought from the "
        "scenario's\nstart. An admissible one exists in the real system; a virtual one solves the "
        "equations of its mode,\nbut a force pulls or a gap is negative. The margin is the "
        "smallest "
        "of normal forces, friction left\nin sticks and open gaps.\n",
    .examples = "  carom equilibrium frictional_impact_oscillator.yaml --set mu=0.3\n"
                "  carom equilibrium frictional_impact_oscillator.yaml --json\n",
    CAROM_TAKES(OPTIONS),
    .run = run_equilibrium,
};
