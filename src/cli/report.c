// SPDX-License-Identifier: MIT
#define _POSIX_C_SOURCE 200809L
#include "report.h"

#include "outputs.h"

#include "carom/sweep.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LONGEST_LINE = 4096, SHOWN_COLUMNS = 110, CARET_COLUMN = 80 };

bool carom_is_terminal(FILE *stream) { return isatty(fileno(stream)) == 1; }

const char *carom_style_text(FILE *stream, carom_style style) {
  const char *forbidden = getenv("NO_COLOR");
  const char *terminal = getenv("TERM");
  if (forbidden && forbidden[0]) return "";
  if (terminal && strcmp(terminal, "dumb") == 0) return "";
  if (!carom_is_terminal(stream)) return "";
  switch (style) {
  case CAROM_STYLE_PLAIN: return "\x1b[0m";
  case CAROM_STYLE_BOLD: return "\x1b[1m";
  case CAROM_STYLE_DIM: return "\x1b[2m";
  case CAROM_STYLE_GOOD: return "\x1b[32m";
  case CAROM_STYLE_WARNING: return "\x1b[1;33m";
  case CAROM_STYLE_ERROR: return "\x1b[1;31m";
  }
  return "";
}

// length of the next character to print; *safe is false where it must be replaced
static int next_character(const char *text, bool *safe) {
  int length = carom_utf8_length(text);
  unsigned char first = (unsigned char)text[0];
  bool c1 = length == 2 && first == 0xC2 && (unsigned char)text[1] < 0xA0;
  *safe = length > 0 && (length > 1 || (first >= 0x20 && first != 0x7F)) && !c1;
  return length > 0 ? length : 1;
}

void carom_print_safely(FILE *out, const char *text) {
  while (*text) {
    bool safe;
    int length = next_character(text, &safe);
    if (safe || *text == '\n')
      fwrite(text, 1, (size_t)length, out);
    else
      fputc(*text == '\t' ? ' ' : '?', out);
    text += length;
  }
}

// line number `wanted` of a file without its end; false when there is none
static bool read_line(const char *file, int wanted, char line[LONGEST_LINE]) {
  FILE *in = fopen(file, "rb");
  if (!in) return false;
  int number = 1;
  size_t length = 0;
  int c;
  while ((c = getc(in)) != EOF && number <= wanted) {
    if (c == '\n')
      number++;
    else if (number == wanted && length < LONGEST_LINE - 1 && c != '\0' && c != '\r')
      line[length++] = (char)c;
  }
  line[length] = '\0';
  (void)fclose(in);
  return number >= wanted && length > 0;
}

// the line of the file with a caret under the column, long lines cut around it
static void show_place(const carom_error *error) {
  char line[LONGEST_LINE] = {0};
  if (!error->file[0] || error->line <= 0 || !read_line(error->file, error->line, line)) return;
  const char *start = line;
  int column = error->column > 0 ? error->column : 1, skipped = 0;
  for (; column - skipped > CARET_COLUMN && *start; skipped++) {
    bool safe;
    start += next_character(start, &safe);
  }
  fprintf(stderr, "%s%6d |%s ", carom_style_text(stderr, CAROM_STYLE_DIM), error->line,
          carom_style_text(stderr, CAROM_STYLE_PLAIN));
  int shown = 0;
  for (; *start && shown < SHOWN_COLUMNS; shown++) {
    bool safe;
    int length = next_character(start, &safe);
    if (safe)
      fwrite(start, 1, (size_t)length, stderr);
    else
      fputc(*start == '\t' ? ' ' : '?', stderr);
    start += length;
  }
  fputc('\n', stderr);
  if (error->column > 0 && column - skipped <= shown + 1)
    fprintf(stderr, "       | %*s%s^%s\n", column - skipped - 1, "",
            carom_style_text(stderr, CAROM_STYLE_ERROR),
            carom_style_text(stderr, CAROM_STYLE_PLAIN));
}

static void print_error(const carom_error *error) {
  char message[CAROM_ERROR_FILE + CAROM_ERROR_TEXT + 64];
  fprintf(stderr, "%scarom:%s ", carom_style_text(stderr, CAROM_STYLE_ERROR),
          carom_style_text(stderr, CAROM_STYLE_PLAIN));
  carom_print_safely(stderr, carom_error_format(error, message, sizeof message));
  fputc('\n', stderr);
  show_place(error);
}

void carom_warn(const char *text) {
  fprintf(stderr, "%scarom: warning:%s ", carom_style_text(stderr, CAROM_STYLE_WARNING),
          carom_style_text(stderr, CAROM_STYLE_PLAIN));
  carom_print_safely(stderr, text);
  fputc('\n', stderr);
}

void carom_warn_of_remark(carom_status status, const carom_error *remark) {
  if (status >= 0 && remark->status == CAROM_OK && remark->text[0]) carom_warn(remark->text);
}

void carom_advise_search(carom_status status, carom_error *error) {
  size_t used = strlen(error->text);
  bool told = strchr(error->text, ';') != NULL; // what to do
  if (status != CAROM_ERR_NO_CONVERGENCE || told || used + 1 >= sizeof error->text) return;
  (void)snprintf(error->text + used, sizeof error->text - used,
                 "; a motion that has settled for longer (run.until) may be nearer to one that "
                 "repeats itself");
}

static const char *status_name(carom_status status) {
  switch (status) {
#define X(name, value, text)                                                                       \
  case name: return #name;
    CAROM_STATUS_LIST(X)
#undef X
  }
  return "unknown";
}

carom_json carom_json_answer(const carom_call *call) {
  carom_json json = {.out = stdout};
  carom_json_object(&json, NULL);
  carom_json_text(&json, "command", call->command->name);
  carom_json_text(&json, "file", carom_call_file(call));
  return json;
}

// when, in which state and by which expression a motion failed
static void json_motion(carom_json *json, const carom_error *error,
                        const carom_simulation *simulation) {
  carom_json_number(json, "t", error->t);
  if (simulation && error->state_count > 0) {
    carom_json_object(json, "state");
    for (int i = 0; i < error->state_count; i++)
      carom_json_number(json, carom_simulation_column(simulation, i), error->state[i]);
    carom_json_end(json);
  }
  if (error->expression[0]) carom_json_text(json, "expression", error->expression);
}

static void print_json(const char *command, const char *file, const carom_error *error,
                       const carom_simulation *simulation) {
  carom_json json = {.out = stdout};
  carom_json_object(&json, NULL);
  carom_json_text(&json, "command", command);
  if (file) carom_json_text(&json, "file", file);
  carom_json_object(&json, "error");
  carom_json_text(&json, "status", status_name(error->status));
  carom_json_text(&json, "meaning", carom_status_text(error->status));
  carom_json_text(&json, "text", error->text);
  if (error->file[0]) carom_json_text(&json, "file", error->file);
  if (error->line > 0) {
    carom_json_count(&json, "line", error->line);
    carom_json_count(&json, "column", error->column);
  }
  if (error->moving) json_motion(&json, error, simulation);
  carom_json_end(&json);
  carom_json_end(&json);
}

int carom_report(const carom_call *call, const carom_error *error,
                 const carom_simulation *simulation, int exit_code) {
  // of several processes the first says what is wrong with the input, and has the standard output
  bool first = carom_process_rank() == 0;
  if (first || exit_code != CAROM_EXIT_WRONG_INPUT) print_error(error);
  if (first && carom_call_has(call, "json"))
    print_json(call->command->name, carom_call_file(call), error, simulation);
  return exit_code;
}

int carom_report_usage(const char *command, bool json, const carom_error *error) {
  print_error(error);
  if (json) print_json(command, NULL, error, NULL);
  return error->status == CAROM_ERR_MEMORY ? CAROM_EXIT_FAILED : CAROM_EXIT_WRONG_INPUT;
}

int carom_load_exit(carom_status status) {
  return status == CAROM_ERR_MEMORY ? CAROM_EXIT_FAILED : CAROM_EXIT_WRONG_INPUT;
}

carom_model *carom_load(const carom_call *call, int *exit_code) {
  carom_error error = {0};
  carom_model *model = NULL;
  carom_status status =
      carom_model_load(carom_call_file(call), call->setting_count, call->settings, &model, &error);
  if (status == CAROM_OK) status = carom_outputs_check(call, model, &error);
  if (status == CAROM_OK) return model;
  carom_model_destroy(model);
  *exit_code = carom_report(call, &error, NULL, carom_load_exit(status));
  return NULL;
}

carom_status carom_set_off(const carom_model *model, carom_simulation **simulation,
                           carom_error *error) {
  carom_status status = carom_simulation_create(model, simulation, error);
  if (status != CAROM_OK) return status;
  return carom_simulation_advance(*simulation, carom_simulation_time(*simulation), error);
}
