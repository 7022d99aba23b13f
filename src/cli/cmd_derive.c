// SPDX-License-Identifier: MIT
/// carom derive: the equations of motion.
#include "commands.h"
#include "report.h"

static int run_derive(const carom_call *call) {
  int exit_code = CAROM_EXIT_DONE;
  carom_model *model = carom_load(call, &exit_code);
  if (!model) return exit_code;
  bool latex = carom_call_has(call, "latex");
  carom_error error = {0};
  char *text = NULL;
  carom_status status = carom_model_derive(model, latex ? CAROM_LATEX : CAROM_PLAIN, &text, &error);
  if (status != CAROM_OK) {
    exit_code = carom_report(call, &error, NULL, CAROM_EXIT_FAILED);
  } else if (carom_call_has(call, "json")) {
    carom_json json = carom_json_answer(call);
    carom_json_text(&json, "title", carom_model_title(model));
    carom_json_text(&json, "notation", latex ? "latex" : "plain");
    carom_json_text(&json, "equations", text);
    carom_json_end(&json);
  } else {
    carom_print_safely(stdout, text);
  }
  carom_text_destroy(text);
  carom_model_destroy(model);
  return exit_code;
}

static const carom_option OPTIONS[] = {
    {"latex", NULL, "", "plain text", "write the equations in LaTeX", NULL},
    CAROM_OPTIONS_OF_A_SCENARIO,
};

const carom_command carom_command_derive = {
    .name = "derive",
    .arguments = "FILE",
    .summary = "Prints the equations of motion that were derived",
    .details = "Mass matrix, bias forces, Jacobians and energies, one equation a line.\n",
    .examples = "  carom derive swing.yaml\n"
                "  carom derive swing.yaml --latex > equations.tex\n",
    CAROM_TAKES(OPTIONS),
    .run = run_derive,
};
