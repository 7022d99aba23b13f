// SPDX-License-Identifier: MIT
/// carom keys: the scenario language, from the table that the loader checks against, and the
/// functions of expressions, from the table of operations.
#include "commands.h"
#include "report.h"

#include "carom/keys.h"

#include <string.h>

// contacts.floor.friction begins like contacts.*.friction.slip: a star is a name of the user's own
static bool begins_with(const char *path, const char *written) {
  for (;;) {
    size_t there = strcspn(path, "."), here = strcspn(written, ".");
    bool same = there == here && strncmp(path, written, here) == 0;
    if (here == 0 || !(same || *path == '*')) return false;
    if (!written[here]) return true;
    if (!path[there]) return false;
    path += there + 1;
    written += here + 1;
  }
}

static bool key_is_wanted(const carom_call *call, const carom_key *key) {
  const char *part = carom_call_file(call);
  bool place = part && strchr(part, '.');
  return !part || strstr(key->path, part) || (place && begins_with(key->path, part));
}

static void print_plain(const carom_key *key) {
  printf("%s  (%s", key->path, key->accepts);
  if (key->choices[0]) printf(": %s", key->choices);
  if (key->unit[0]) printf(", %s", key->unit);
  if (key->required)
    printf(", required");
  else if (key->fallback[0])
    printf(", default: %s", key->fallback);
  printf(")\n    %s\n", key->meaning);
}

static void print_markdown(const carom_key *key, const char *before) {
  if (strcmp(key->engine, before) != 0)
    printf("\n## Keys of the `%s` engine\n\n| key | value | unit | default | meaning |\n"
           "| --- | --- | --- | --- | --- |\n",
           key->engine);
  printf("| `%s` | %s%s", key->path, key->accepts, key->choices[0] ? ": " : "");
  for (const char *c = key->choices; *c; c++)
    *c == '|' ? printf(", ") : putchar(*c);
  printf(" | %s | %s | %s |\n", key->unit, key->required ? "required" : key->fallback,
         key->meaning);
}

static void print_json(carom_json *json, const carom_key *key) {
  carom_json_object(json, NULL);
  carom_json_text(json, "key", key->path);
  carom_json_text(json, "engine", key->engine);
  carom_json_text(json, "accepts", key->accepts);
  carom_json_text(json, "choices", key->choices);
  carom_json_text(json, "unit", key->unit);
  carom_json_text(json, "default", key->fallback);
  carom_json_text(json, "meaning", key->meaning);
  carom_json_end(json);
}

static const char MARKDOWN_HEAD[] =
    "# The scenario language: every key\n\n"
    "Printed by `carom keys --markdown` from the table that the loader checks against. A `*` "
    "stands "
    "for a name of your own, `[]` for an item of a list. Where a number is asked for, an "
    "expression "
    "of parameters will do.\n\n"
    "A name with an index stands for a whole family: `x[i=1..n]: 0.1*i` is `x1`, `x2` and so on "
    "([how families are written](guide.md#many-of-the-same)).\n\n"
    "## Keys of every engine\n\n| key | value | unit | default | meaning |\n"
    "| --- | --- | --- | --- | --- |\n";

// ---- functions of expressions

static void print_function(const carom_expression_function *f) {
  printf("%s%s\n    %s\n    example: %s\n", f->name, f->arguments, f->help, f->example);
}

static void print_functions_markdown(void) {
  carom_expression_function f;
  printf("\n## Functions and constants of expressions\n\n"
         "Operators, loosest first: `or`, `and`, `not`, comparisons, `+ -`, `* /`, `-x`, `^`; `x'` "
         "is a "
         "rate. Jumps and kinks of functions (of `floor`, `mod`, `step`, `abs`, `sign`, `min`, "
         "`max`, `if` "
         "and comparisons) are switches: steps end there, and no step passes over one. Where both "
         "sides of a jump lead back to it, as in relay control, the motion slides on it. The rate "
         "of what "
         "jumps is that between its jumps: to carry a body along with a jump, write a short ramp. "
         "`floor`, "
         "`mod` and `step` may also be names of your own: only with a bracket behind them are they "
         "functions.\n\n"
         "| function | meaning | example |\n| --- | --- | --- |\n");
  for (int k = 0; carom_expression_function_read(k, &f); k++)
    printf("| `%s%s` | %s | `%s` |\n", f.name, f.arguments, f.help, f.example);
}

static void print_functions_json(carom_json *json) {
  carom_expression_function f;
  carom_json_array(json, "functions");
  for (int k = 0; carom_expression_function_read(k, &f); k++) {
    carom_json_object(json, NULL);
    carom_json_text(json, "name", f.name);
    carom_json_text(json, "arguments", f.arguments);
    carom_json_text(json, "meaning", f.help);
    carom_json_text(json, "example", f.example);
    carom_json_end(json);
  }
  carom_json_end(json);
}

static int list_functions(const carom_call *call) {
  carom_expression_function f;
  if (carom_call_has(call, "json")) {
    carom_json out = {.out = stdout};
    carom_json_object(&out, NULL);
    carom_json_text(&out, "command", call->command->name);
    print_functions_json(&out);
    carom_json_end(&out);
  } else if (carom_call_has(call, "markdown")) {
    print_functions_markdown();
  } else {
    for (int k = 0; carom_expression_function_read(k, &f); k++)
      print_function(&f);
  }
  return CAROM_EXIT_DONE;
}

// the function or constant of this very name; false: there is none
static bool tell_function(const char *name) {
  carom_expression_function f;
  for (int k = 0; carom_expression_function_read(k, &f); k++) {
    if (strcmp(f.name, name) != 0) continue;
    print_function(&f);
    return true;
  }
  return false;
}

// ---- keys

// the last part of a key that is nearest to a mistyped one: contacts.*.friction is "friction"
static const char *nearest_part(const char *word) {
  enum { MOST = 512 };
  const char *parts[MOST];
  int count = 0;
  carom_key key;
  for (int k = 0; count < MOST && carom_key_read(k, &key); k++) {
    const char *point = strrchr(key.path, '.');
    parts[count++] = point ? point + 1 : key.path;
  }
  return carom_nearest_word(word, count, parts);
}

static int run_keys(const carom_call *call) {
  if (carom_call_file(call) && strcmp(carom_call_file(call), "functions") == 0)
    return list_functions(call);
  bool json = carom_call_has(call, "json"), markdown = carom_call_has(call, "markdown");
  carom_json out = {.out = stdout};
  if (json) {
    carom_json_object(&out, NULL);
    carom_json_text(&out, "command", call->command->name);
    carom_json_array(&out, "keys");
  } else if (markdown) {
    printf("%s", MARKDOWN_HEAD);
  }
  carom_key key;
  const char *engine = "";
  int shown = 0;
  for (int k = 0; carom_key_read(k, &key); k++) {
    if (!key_is_wanted(call, &key)) continue;
    shown++;
    if (json)
      print_json(&out, &key);
    else if (markdown)
      print_markdown(&key, engine);
    else
      print_plain(&key);
    engine = key.engine;
  }
  if (markdown && !carom_call_file(call)) print_functions_markdown();
  if (json) {
    carom_json_end(&out);
    carom_json_end(&out);
  }
  bool told = !json && !markdown && carom_call_file(call) && tell_function(carom_call_file(call));
  if (shown > 0 || told) return CAROM_EXIT_DONE;
  const char *near = nearest_part(carom_call_file(call));
  fprintf(stderr, "carom: no key contains '%s', and no function is called so%s%s%s\n",
          carom_call_file(call), near ? "; did you mean '" : "; 'carom keys' lists all",
          near ? near : "", near ? "'?" : "");
  return CAROM_EXIT_WRONG_INPUT;
}

static const carom_option OPTIONS[] = {
    {"markdown", NULL, "", "plain text", "print the reference as Markdown tables", NULL},
    CAROM_OPTION_JSON,
};

const carom_command carom_command_keys = {
    .name = "keys",
    .arguments = "[PART]",
    .summary = "Lists the keys of scenario files: values, units, defaults",
    .details =
        "All keys, or those whose path contains PART (with names of your own for its stars), and\n"
        "the function of expressions of that name. With the word functions: all functions and\n"
        "constants of expressions.\n",
    .examples = "  carom keys friction\n"
                "  carom keys functions\n"
                "  carom keys mod\n"
                "  carom keys run.\n"
                "  carom keys --markdown > scenario.md\n",
    CAROM_TAKES(OPTIONS),
    .run = run_keys,
};
