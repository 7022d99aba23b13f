// SPDX-License-Identifier: MIT
#include "options.h"

#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_WORD = 40, MOST_OPTIONS = 32, HELP_COLUMN = 24 };

static const carom_option HELP = {"help", NULL, "", "", "print this text", NULL};

static void put_wrong(carom_error *error, const char *format, va_list arguments) {
  *error = (carom_error){.status = CAROM_ERR_INPUT};
  (void)vsnprintf(error->text, sizeof error->text, format, arguments);
}

carom_status carom_wrong(carom_error *error, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  put_wrong(error, format, arguments);
  va_end(arguments);
  return CAROM_ERR_INPUT;
}

bool carom_refuse(carom_error *error, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  put_wrong(error, format, arguments);
  va_end(arguments);
  return false;
}

static carom_status no_memory(carom_error *error) {
  *error = (carom_error){.status = CAROM_ERR_MEMORY, .text = "out of memory"};
  return CAROM_ERR_MEMORY;
}

static int smaller_int(int a, int b) { return a < b ? a : b; }

// Levenshtein distance with a rolling row
static int edit_distance(const char *a, const char *b) {
  int row[LONGEST_WORD + 1];
  int n = (int)strlen(a), m = (int)strlen(b);
  if (n > LONGEST_WORD || m > LONGEST_WORD) return LONGEST_WORD;
  for (int j = 0; j <= m; j++)
    row[j] = j;
  for (int i = 1; i <= n; i++) {
    int diagonal = row[0];
    row[0] = i;
    for (int j = 1; j <= m; j++) {
      int above = row[j];
      row[j] = smaller_int(smaller_int(above, row[j - 1]) + 1, diagonal + (a[i - 1] != b[j - 1]));
      diagonal = above;
    }
  }
  return row[m];
}

const char *carom_nearest_word(const char *word, int count, const char *const *names) {
  const char *best = NULL;
  int limit = 1 + (int)strlen(word) / 3;
  for (int k = 0; k < count; k++) {
    int here = edit_distance(word, names[k]);
    if (here > limit) continue;
    best = names[k];
    limit = here - 1;
  }
  return best;
}

static const carom_option *find_option(const carom_command *command, const char *name,
                                       size_t length) {
  for (int k = 0; k < command->option_count; k++) {
    const carom_option *option = &command->options[k];
    if (strlen(option->name) == length && strncmp(option->name, name, length) == 0) return option;
  }
  return length == strlen(HELP.name) && strncmp(HELP.name, name, length) == 0 ? &HELP : NULL;
}

bool carom_command_has(const carom_command *command, const char *name) {
  return find_option(command, name, strlen(name)) != NULL;
}

bool carom_option_needs_value(const carom_option *option) {
  return option->value && option->value[0] != '[';
}

static carom_status unknown_option(const carom_command *command, const char *word, size_t length,
                                   carom_error *error) {
  const char *names[MOST_OPTIONS];
  int count = 0;
  for (int k = 0; k < command->option_count && count < MOST_OPTIONS; k++)
    names[count++] = command->options[k].name;
  char name[LONGEST_WORD + 1];
  (void)snprintf(name, sizeof name, "%.*s", (int)length, word);
  const char *nearest = carom_nearest_word(name, count, names);
  if (nearest)
    return carom_wrong(error, "'carom %s' has no option --%s; did you mean --%s?", command->name,
                       name, nearest);
  return carom_wrong(error, "'carom %s' has no option --%s; see 'carom %s --help'", command->name,
                     name, command->name);
}

// the text of the path is owned by the call
static carom_status add_setting(carom_call *call, const char *path, size_t length,
                                const char *value, carom_error *error) {
  char *copy = malloc(length + 1);
  if (!copy) return no_memory(error);
  memcpy(copy, path, length);
  copy[length] = '\0';
  carom_setting *fresh = &call->settings[call->setting_count++];
  fresh->path = copy;
  fresh->value = value;
  return CAROM_OK;
}

// "name=value" becomes a setting
static carom_status split_setting(carom_call *call, const char *text, carom_error *error) {
  const char *equals = strchr(text, '=');
  if (!equals || equals == text)
    return carom_wrong(error, "--set expects NAME=VALUE, such as --set g=1.62, not '%s'", text);
  return add_setting(call, text, (size_t)(equals - text), equals + 1, error);
}

// an axis of many runs, a further run, further data; of any other the second would replace the
// first unseen
static bool may_repeat(const carom_option *option) {
  bool axis = strcmp(option->name, "over") == 0 && strcmp(option->value, "NAME=RANGE") == 0;
  return axis || strcmp(option->name, "set") == 0 || strcmp(option->name, "with") == 0 ||
         strcmp(option->name, "data") == 0;
}

// the option at words[*at]; goes on to the word after it and its value
static carom_status read_option(carom_call *call, int count, char **words, int *at,
                                carom_error *error) {
  const char *word = words[(*at)++] + 2;
  const char *equals = strchr(word, '=');
  size_t length = equals ? (size_t)(equals - word) : strlen(word);
  const carom_option *option = find_option(call->command, word, length);
  if (!option) return unknown_option(call->command, word, length, error);
  const char *value = equals ? equals + 1 : NULL;
  if (!option->value && value) return carom_wrong(error, "--%s takes no value", option->name);
  if (carom_option_needs_value(option) && !value) {
    if (*at == count)
      return carom_wrong(error, "--%s needs a value: --%s %s", option->name, option->name,
                         option->value);
    value = words[(*at)++];
  }
  if (value && !may_repeat(option) && carom_call_has(call, option->name))
    return carom_wrong(error, "--%s is given twice", option->name);
  call->given[call->given_count++] = (carom_given){option, value};
  if (!value) return CAROM_OK;
  if (option->sets) return add_setting(call, option->sets, strlen(option->sets), value, error);
  return strcmp(option->name, "set") == 0 ? split_setting(call, value, error) : CAROM_OK;
}

// how many arguments the usage line asks for and allows: "FILE [WHAT]" one or two, "PART..." any
static void count_arguments(const char *usage, int *least, int *most) {
  *least = *most = 0;
  for (const char *word = usage; *word; word += strcspn(word, " "), word += strspn(word, " ")) {
    *least += *word != '[';
    *most += 1;
  }
  if (strstr(usage, "...")) *most = INT_MAX;
}

static carom_status check_arguments(const carom_call *call, carom_error *error) {
  const carom_command *command = call->command;
  int least, most;
  count_arguments(command->arguments, &least, &most);
  if (call->argument_count < least)
    return carom_wrong(error, "'carom %s' needs %s; see 'carom %s --help'", command->name,
                       command->arguments, command->name);
  if (call->argument_count > most)
    return carom_wrong(
        error, "'carom %s' does not know what to do with '%s'%s%s", command->name,
        call->arguments[most],
        strchr(call->arguments[most], '=') ? "; a setting has --set before it: --set " : "",
        strchr(call->arguments[most], '=') ? call->arguments[most] : "");
  return CAROM_OK;
}

carom_status carom_call_parse(const carom_command *command, int count, char **words,
                              carom_call *call, carom_error *error) {
  size_t room = (size_t)count + 1;
  *call = (carom_call){.command = command};
  call->arguments = calloc(room, sizeof *call->arguments);
  call->given = calloc(room, sizeof *call->given);
  call->settings = calloc(room, sizeof *call->settings);
  if (!call->arguments || !call->given || !call->settings) return no_memory(error);

  carom_status status = CAROM_OK;
  bool only_arguments = false; // after --
  for (int at = 0; at < count && status == CAROM_OK;) {
    char *word = words[at];
    if (only_arguments || word[0] != '-' || word[1] == '\0') {
      call->arguments[call->argument_count++] = word;
      at++;
    } else if (strcmp(word, "--") == 0) {
      only_arguments = true;
      at++;
    } else if (strcmp(word, "-h") == 0) {
      call->given[call->given_count++] = (carom_given){&HELP, NULL};
      at++;
    } else if (word[1] == '-') {
      status = read_option(call, count, words, &at, error);
    } else if (strcmp(word, "-o") == 0 && find_option(command, "out", 3)) {
      char name[] = "--out";
      const int place = at;
      words[place] = name; // as long as this turn of the loop
      status = read_option(call, count, words, &at, error);
      words[place] = word;
    } else {
      status = carom_wrong(error, "options are written with two dashes, not '%s'", word);
    }
  }
  if (status != CAROM_OK || carom_call_has(call, "help")) return status;
  return check_arguments(call, error);
}

void carom_call_release(carom_call *call) {
  for (int k = 0; k < call->setting_count; k++)
    free((void *)call->settings[k].path);
  free(call->arguments);
  free(call->given);
  free(call->settings);
  *call = (carom_call){0};
}

static bool is_option(const carom_given *given, const char *name) {
  return given->option && strcmp(given->option->name, name) == 0;
}

bool carom_call_has(const carom_call *call, const char *name) {
  for (int k = 0; k < call->given_count; k++)
    if (is_option(&call->given[k], name)) return true;
  return false;
}

const char *carom_call_value(const carom_call *call, const char *name) {
  const char *value = NULL;
  for (int k = 0; k < call->given_count; k++)
    if (is_option(&call->given[k], name)) value = call->given[k].value;
  return value;
}

const char *carom_call_file(const carom_call *call) {
  return call->argument_count > 0 ? call->arguments[0] : NULL;
}

static void print_option(const carom_option *option, FILE *out) {
  char head[64];
  if (option->value && !carom_option_needs_value(option))
    (void)snprintf(head, sizeof head, "--%s[=%s", option->name, option->value + 1);
  else
    (void)snprintf(head, sizeof head, "--%s%s%s", option->name, option->value ? " " : "",
                   option->value ? option->value : "");
  fprintf(out, "  %-*s%s%s", HELP_COLUMN, head, (int)strlen(head) < HELP_COLUMN ? "" : " ",
          option->help);
  bool unit = option->unit[0] != '\0', fallback = option->fallback[0] != '\0';
  if (unit && fallback)
    fprintf(out, " [%s; default: %s]", option->unit, option->fallback);
  else if (unit)
    fprintf(out, " [%s]", option->unit);
  else if (fallback)
    fprintf(out, " [default: %s]", option->fallback);
  fputc('\n', out);
}

void carom_command_help(const carom_command *command, FILE *out) {
  fprintf(out, "usage: carom %s%s%s [OPTION]...\n\n%s.\n", command->name,
          command->arguments[0] ? " " : "", command->arguments, command->summary);
  if (command->details[0]) fprintf(out, "%s", command->details);
  fprintf(out, "\noptions:\n");
  for (int k = 0; k < command->option_count; k++)
    print_option(&command->options[k], out);
  print_option(&HELP, out);
  fprintf(out, "\nexamples:\n%s", command->examples);
  fprintf(out, "\nexit: 0 done, 1 the run failed, 2 the input is wrong\n");
}
