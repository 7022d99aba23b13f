// SPDX-License-Identifier: MIT
/// carom examples: the scenarios that come with the program.
#include "commands.h"
#include "examples.h"
#include "report.h"

#include <stdlib.h>
#include <string.h>

// what the file says about itself: the comment at its head, with its source and what to try
static void print_head(const char *path) {
  char line[CAROM_EXAMPLE_LINE];
  FILE *file = fopen(path, "rb");
  while (file && fgets(line, sizeof line, file) && line[0] == '#')
    printf("  %s", line[1] == ' ' ? line + 2 : line + 1);
  if (file) (void)fclose(file);
}

static void print_one(const carom_call *call, carom_json *json, const char *name,
                      const char *path) {
  char title[CAROM_EXAMPLE_LINE];
  carom_example_title(path, title);
  if (!carom_call_has(call, "json")) {
    printf("%-28s %s\n", name, title);
    return;
  }
  carom_json_object(json, NULL);
  carom_json_text(json, "name", name);
  carom_json_text(json, "title", title);
  carom_json_text(json, "file", path);
  carom_json_end(json);
}

static int examples(const carom_call *call) {
  char *names[CAROM_EXAMPLE_MOST], path[CAROM_EXAMPLE_PATH];
  const char *word = carom_call_file(call) ? carom_call_file(call) : "";
  int count = carom_examples_list(names), shown = 0;
  const bool as_json = carom_call_has(call, "json");
  carom_json json = {.out = stdout};
  if (as_json) {
    carom_json_object(&json, NULL);
    carom_json_text(&json, "command", call->command->name);
    carom_json_array(&json, "examples");
  }
  for (int k = 0; k < count; k++) {
    if (!carom_example_path(names[k], path) || !carom_example_has(names[k], path, word)) continue;
    print_one(call, &json, names[k], path);
    if (!as_json && strcmp(names[k], word) == 0) print_head(path);
    shown++;
  }
  if (as_json) {
    carom_json_end(&json);
    carom_json_end(&json);
  } else if (shown > 0) {
    printf("\n%d example%s; carom examples NAME says more, carom new MINE --from NAME copies one\n",
           shown, shown == 1 ? "" : "s");
  }
  for (int k = 0; k < count; k++)
    free(names[k]);
  if (shown > 0) return CAROM_EXIT_DONE;
  fprintf(stderr, "carom: no example speaks of '%s'; 'carom examples' lists all\n", word);
  return CAROM_EXIT_WRONG_INPUT;
}

static const carom_option OPTIONS[] = {CAROM_OPTION_JSON};

const carom_command carom_command_examples = {
    .name = "examples",
    .arguments = "[WORD]",
    .summary = "Lists the scenarios that come with the program",
    .details =
        "All of them, or those in whose name or first lines WORD stands. Of the one that is\n"
        "called WORD also what it shows, where it comes from and what to try.\n",
    .examples = "  carom examples\n"
                "  carom examples friction\n"
                "  carom examples den_hartog\n",
    .options = OPTIONS,
    .option_count = CAROM_COUNT(OPTIONS),
    .run = examples,
};
