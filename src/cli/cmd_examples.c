// SPDX-License-Identifier: MIT
/// carom examples: the scenarios that come with the program.
#include "commands.h"
#include "examples.h"
#include "report.h"

#include <stdlib.h>
#include <string.h>

static void print_head(const char *head) {
  for (const char *line = head; *line; line += strcspn(line, "\n") + 1)
    printf("  %.*s\n", (int)strcspn(line, "\n"), line);
}

static void print_one(const carom_example *example, carom_json *json, bool named) {
  if (!json) {
    printf("%-28s %s\n", example->name, example->title);
    if (named) print_head(example->head);
    return;
  }
  carom_json_object(json, NULL);
  carom_json_text(json, "name", example->name);
  carom_json_text(json, "title", example->title);
  carom_json_text(json, "file", example->path);
  carom_json_text(json, "head", example->head);
  carom_json_end(json);
}

// a scenario that is no example to start from is shown where it is called by its name, or with
// --all
static int show_examples(const carom_call *call, char *names[], int count, const char *word,
                         carom_json *json) {
  int shown = 0;
  for (int k = 0; k < count; k++) {
    char path[CAROM_EXAMPLE_PATH];
    if (!carom_example_path(names[k], path)) continue;
    carom_example example = carom_example_open(names[k], path);
    bool named = strcmp(names[k], word) == 0;
    if (named || ((carom_call_has(call, "all") || carom_example_whole(&example)) &&
                  carom_example_has(&example, word))) {
      print_one(&example, json, named);
      shown++;
    }
    carom_example_close(&example);
  }
  return shown;
}

static int run_examples(const carom_call *call) {
  char *names[CAROM_EXAMPLE_MOST];
  const char *word = carom_call_file(call) ? carom_call_file(call) : "";
  int count = carom_examples_list(names);
  const bool as_json = carom_call_has(call, "json");
  carom_json json = {.out = stdout};
  if (as_json) {
    carom_json_object(&json, NULL);
    carom_json_text(&json, "command", call->command->name);
    carom_json_array(&json, "examples");
  }
  int shown = show_examples(call, names, count, word, as_json ? &json : NULL);
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

static const carom_option OPTIONS[] = {
    {"all", NULL, "", "", "with the scenarios of studies and of the guide", NULL},
    CAROM_OPTION_JSON,
};

const carom_command carom_command_examples = {
    .name = "examples",
    .arguments = "[WORD]",
    .summary = "Lists the scenarios that come with the program",
    .details =
        "All of them, or those in whose name, title or description WORD stands. Of the one that "
        "is\n"
        "called WORD also what it shows, where it comes from, what is known of it and what to\n"
        "try.\n",
    .examples = "  carom examples\n"
                "  carom examples friction\n"
                "  carom examples den_hartog\n",
    .options = OPTIONS,
    .option_count = CAROM_COUNT(OPTIONS),
    .run = run_examples,
};
