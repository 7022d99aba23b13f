// SPDX-License-Identifier: MIT
/// carom check: what was understood.
#include "carom/simulation.h"
#include "commands.h"
#include "report.h"

#include <string.h>

enum { DESCRIPTION = 2000, UNIT = 80 };

// items that are told by their names alone
typedef struct plain_item {
  carom_item item;
  const char *name;
} plain_item;
static const plain_item PLAIN_ITEMS[] = {
    {CAROM_DEFINITIONS, "definitions"}, {CAROM_CONSTRAINTS, "constraints"},
    {CAROM_CONTACTS, "contacts"},       {CAROM_EVENTS, "events"},
    {CAROM_SECTIONS, "sections"},       {CAROM_STOPS, "stops"},
    {CAROM_OBSERVABLES, "observables"}, {CAROM_REGIMES, "regimes"},
};

static double value_of(carom_simulation *simulation, const char *name) {
  double value;
  return carom_simulation_get(simulation, name, &value, NULL) == CAROM_OK ? value : (double)NAN;
}

static double rate_of(carom_simulation *simulation, const char *name) {
  char rate[256];
  (void)snprintf(rate, sizeof rate, "%s'", name);
  return value_of(simulation, rate);
}

static int count_freedoms(const carom_model *model) {
  int count = carom_model_count(model, CAROM_COORDINATES) + carom_model_count(model, CAROM_SPEEDS) -
              carom_model_count(model, CAROM_CONSTRAINTS);
  return count > 0 ? count : 0;
}

// ---- JSON ----

static void json_values(carom_json *json, const carom_model *model, carom_simulation *simulation,
                        carom_item item, const char *key) {
  carom_json_array(json, key);
  for (int k = 0; k < carom_model_count(model, item); k++) {
    const char *name = carom_model_name(model, item, k);
    carom_json_object(json, NULL);
    carom_json_text(json, "name", name);
    carom_json_number(json, "start", value_of(simulation, name));
    if (item == CAROM_COORDINATES) {
      carom_json_number(json, "rate", rate_of(simulation, name));
      carom_json_flag(json, "cyclic", carom_model_cyclic(model, k));
    }
    carom_json_end(json);
  }
  carom_json_end(json);
}

static const char *const LAW_NAMES[] = {[CAROM_CONTACT_GAP] = "gap",
                                        [CAROM_CONTACT_SLIP] = "slip",
                                        [CAROM_CONTACT_FRICTION] = "friction",
                                        [CAROM_CONTACT_IMPACT] = "impact"};

static void json_laws(carom_json *json, const carom_model *model) {
  carom_json_object(json, "laws");
  for (int k = 0; k < carom_model_count(model, CAROM_CONTACTS); k++) {
    carom_json_object(json, carom_model_name(model, CAROM_CONTACTS, k));
    for (int i = 0; i < CAROM_COUNT(LAW_NAMES); i++) {
      char *text = carom_model_contact_text(model, k, (carom_contact_item)i);
      carom_json_text(json, LAW_NAMES[i], text);
      carom_text_destroy(text);
    }
    carom_json_end(json);
  }
  carom_json_end(json);
}

static void print_json(const carom_call *call, const carom_model *model,
                       carom_simulation *simulation) {
  carom_json json = carom_json_answer(call);
  carom_json_text(&json, "title", carom_model_title(model));
  carom_json_text(&json, "engine", carom_model_engine(model));
  char description[DESCRIPTION];
  carom_simulation_describe(simulation, description, sizeof description);
  if (description[0]) carom_json_text(&json, "bodies", description);
  carom_json_count(&json, "freedoms", count_freedoms(model));
  carom_json_flag(&json, "conservative", carom_model_conservative(model));
  json_values(&json, model, simulation, CAROM_COORDINATES, "coordinates");
  if (carom_model_count(model, CAROM_SPEEDS) > 0)
    json_values(&json, model, simulation, CAROM_SPEEDS, "speeds");
  json_values(&json, model, simulation, CAROM_STATES, "states");
  carom_json_object(&json, "parameters");
  for (int k = 0; k < carom_model_count(model, CAROM_PARAMETERS); k++) {
    const char *name = carom_model_name(model, CAROM_PARAMETERS, k);
    carom_json_number(&json, name, value_of(simulation, name));
  }
  carom_json_end(&json);
  for (int i = 0; i < CAROM_COUNT(PLAIN_ITEMS); i++) {
    carom_json_array(&json, PLAIN_ITEMS[i].name);
    for (int k = 0; k < carom_model_count(model, PLAIN_ITEMS[i].item); k++)
      carom_json_text(&json, NULL, carom_model_name(model, PLAIN_ITEMS[i].item, k));
    carom_json_end(&json);
  }
  json_laws(&json, model);
  carom_json_count(&json, "shapes", carom_model_count(model, CAROM_SHAPES));
  carom_json_object(&json, "run");
  carom_json_number(&json, "start", carom_simulation_time(simulation));
  carom_json_number(&json, "until", carom_simulation_until(simulation));
  carom_json_end(&json);
  carom_json_end(&json);
}

// ---- text ----

static const char *plural_ending(int count) { return count == 1 ? "" : "s"; }

static void print_values(const carom_model *model, carom_simulation *simulation, carom_item item,
                         const char *title) {
  int count = carom_model_count(model, item);
  if (count == 0) return;
  printf("%s\n", title);
  for (int k = 0; k < count; k++) {
    const char *name = carom_model_name(model, item, k);
    char unit[UNIT] = "";
    bool has_unit = carom_model_unit(model, item, k, unit, sizeof unit);
    printf("  %-14s %.12g%s%s", name, value_of(simulation, name), has_unit ? " " : "", unit);
    if (item == CAROM_COORDINATES) {
      printf("   rate %.12g", rate_of(simulation, name));
      if (carom_model_cyclic(model, k)) printf("   cyclic");
    }
    putchar('\n');
  }
}

// What an engine has to show, looked at once: a bed of many rods takes its time. What is 0 is a
// list of names.
static void print_seen(const carom_model *model, const carom_simulation *simulation) {
  const int widest = 100;
  int count = 0, column = widest;
  const double *seen = carom_simulation_state(simulation, &count);
  printf("seen at the start\n");
  for (int k = 0; k < count; k++)
    if (seen[k] != 0.0)
      printf("  %-14s %.12g\n", carom_model_name(model, CAROM_STATES, k), seen[k]);
  for (int k = 0; k < count; k++) {
    if (seen[k] != 0.0) continue;
    const char *name = carom_model_name(model, CAROM_STATES, k);
    int length = (int)strlen(name) + 1;
    if (column + length > widest)
      column = printf("%s  0 so far      ", column < widest ? "\n" : "");
    column += printf(" %s", name);
  }
  if (column < widest) putchar('\n');
}

static void print_names(const carom_model *model, const plain_item *item) {
  int count = carom_model_count(model, item->item);
  if (count == 0) return;
  printf("%-13s", item->name);
  for (int k = 0; k < count; k++)
    printf("%s %s", k > 0 ? "," : "", carom_model_name(model, item->item, k));
  putchar('\n');
}

static void print_contacts(const carom_model *model) {
  int count = carom_model_count(model, CAROM_CONTACTS);
  if (count > 0) printf("contacts\n");
  for (int k = 0; k < count; k++) {
    printf("  %s\n", carom_model_name(model, CAROM_CONTACTS, k));
    for (int i = 0; i < CAROM_COUNT(LAW_NAMES); i++) {
      char *text = carom_model_contact_text(model, k, (carom_contact_item)i);
      if (text)
        printf("    %-10s %s\n", LAW_NAMES[i], text);
      else if (i == CAROM_CONTACT_FRICTION)
        printf("    %-10s none\n", LAW_NAMES[i]);
      carom_text_destroy(text);
    }
  }
}

// what the engine says of its bodies, in two columns; false: nothing
static bool print_description(const carom_simulation *simulation) {
  char text[DESCRIPTION];
  carom_simulation_describe(simulation, text, sizeof text);
  for (const char *line = text; *line;) {
    size_t name = strcspn(line, ":"), length = strcspn(line, "\n");
    if (name < length)
      printf("%-13.*s%.*s\n", (int)name, line, (int)(length - name - 1), line + name + 1);
    line += length + (line[length] == '\n');
  }
  return text[0] != 0;
}

static void print_text(const carom_model *model, carom_simulation *simulation) {
  int coordinates = carom_model_count(model, CAROM_COORDINATES);
  int constraints = carom_model_count(model, CAROM_CONSTRAINTS);
  int states = carom_model_count(model, CAROM_STATES);
  int speeds = carom_model_count(model, CAROM_SPEEDS);
  printf("%s", carom_style_text(stdout, CAROM_STYLE_BOLD));
  carom_print_safely(stdout, carom_model_title(model));
  printf("%s\n", carom_style_text(stdout, CAROM_STYLE_PLAIN));
  printf("engine        %s\n", carom_model_engine(model));
  bool described = print_description(simulation);
  if (!described && speeds == 0)
    printf("freedoms      %d (%d coordinate%s, %d constraint%s)\n", count_freedoms(model),
           coordinates, plural_ending(coordinates), constraints, plural_ending(constraints));
  else if (!described)
    printf(
        "freedoms      %d (%d coordinate%s with rates of their own, %d speed%s, %d constraint%s)\n",
        count_freedoms(model), coordinates, plural_ending(coordinates), speeds,
        plural_ending(speeds), constraints, plural_ending(constraints));
  if (states > 0 && !described)
    printf("states        %d first-order equation%s\n", states, plural_ending(states));
  if (coordinates + speeds > 0)
    printf("energy        %s\n", carom_model_conservative(model)
                                     ? "conserved by every smooth motion"
                                     : "not conserved (drives, forces, dampers or friction)");
  printf("run           from t = %.12g to %.12g\n", carom_simulation_time(simulation),
         carom_simulation_until(simulation));
  print_values(model, simulation, CAROM_COORDINATES, "coordinates at the start");
  print_values(model, simulation, CAROM_SPEEDS, "speeds at the start");
  int size = 0;
  (void)carom_simulation_state(simulation, &size);
  if (described && coordinates == 0 && size == states)
    print_seen(model, simulation);
  else
    print_values(model, simulation, CAROM_STATES,
                 described ? "seen at the start" : "states at the start");
  print_values(model, simulation, CAROM_PARAMETERS, "parameters");
  print_contacts(model);
  for (int i = 0; i < CAROM_COUNT(PLAIN_ITEMS); i++)
    if (PLAIN_ITEMS[i].item != CAROM_CONTACTS) print_names(model, &PLAIN_ITEMS[i]);
}

static int print_scenario(const carom_call *call, const carom_model *model) {
  char *text = carom_model_scenario_text(model);
  carom_error memory = {.status = CAROM_ERR_MEMORY, .text = "out of memory"};
  if (!text) return carom_report(call, &memory, NULL, CAROM_EXIT_FAILED);
  printf("%s", text);
  carom_text_destroy(text);
  return CAROM_EXIT_DONE;
}

static int run_check(const carom_call *call) {
  int exit_code = CAROM_EXIT_DONE;
  carom_model *model = carom_load(call, &exit_code);
  if (!model) return exit_code;
  if (carom_call_has(call, "scenario") && !carom_call_has(call, "json")) {
    exit_code = print_scenario(call, model);
    carom_model_destroy(model);
    return exit_code;
  }
  carom_error error = {0};
  carom_simulation *simulation = NULL;
  carom_status status = carom_set_off(model, &simulation, &error);
  if (status < 0)
    exit_code = carom_report(call, &error, NULL, carom_load_exit(status));
  else if (carom_call_has(call, "json"))
    print_json(call, model, simulation);
  else
    print_text(model, simulation);
  carom_simulation_destroy(simulation);
  carom_model_destroy(model);
  return exit_code;
}

static const carom_option OPTIONS[] = {
    CAROM_OPTION_SET,
    {"scenario", NULL, "", "",
     "print the scenario with includes, settings and families written out, and nothing else", NULL},
    CAROM_OPTION_JSON,
};

const carom_command carom_command_check = {
    .name = "check",
    .arguments = "FILE",
    .summary = "Says what was understood of a scenario, without running it",
    .details =
        "Freedoms, coordinates (cyclic ones marked), parameters with their values, contacts, "
        "events,\nobservables. Mistakes are shown with file, line and column.\n",
    .examples = "  carom check swing.yaml\n"
                "  carom check swing.yaml --set damping=0 --json\n"
                "  carom check scenarios/cradle_50.yaml --scenario\n",
    CAROM_TAKES(OPTIONS),
    .run = run_check,
};
