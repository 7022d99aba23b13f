// SPDX-License-Identifier: MIT
#include "drawn.h"

#include "report.h"

#include <stdlib.h>
#include <string.h>

void carom_drawn_name(const carom_call *call, const char *ending, char name[CAROM_DRAWN_NAME]) {
  const char *file = carom_call_file(call);
  size_t length = strlen(file);
  if (length > 3 && strcmp(file + length - 3, ".h5") == 0) length -= 3;
  if (length > 5 && strcmp(file + length - 5, ".yaml") == 0) length -= 5;
  if (length > CAROM_DRAWN_NAME - 100) length = CAROM_DRAWN_NAME - 100;
  (void)snprintf(name, CAROM_DRAWN_NAME, "%.*s%.90s", (int)length, file, ending);
}

bool carom_drawn_number(const carom_call *call, const char *name, double *value,
                        carom_error *error) {
  const char *text = carom_call_value(call, name);
  char *end;
  if (!text) return true;
  *value = strtod(text, &end);
  if (end != text && *end == '\0') return true;
  return carom_refuse(error, "--%s expects a number, not '%.60s'", name, text);
}

int carom_drawn_answer(const carom_call *call, carom_status status, const carom_error *error,
                       const char *what, const char *made) {
  // an error about a file that was to be read names it
  bool wrong = status == CAROM_ERR_INPUT || (status == CAROM_ERR_IO && error->file[0]);
  if (status != CAROM_OK)
    return carom_report(call, error, NULL, wrong ? CAROM_EXIT_WRONG_INPUT : CAROM_EXIT_FAILED);
  if (carom_call_has(call, "json")) {
    carom_json json = carom_json_answer(call);
    carom_json_text(&json, what, made);
    carom_json_end(&json);
  } else if (!carom_call_has(call, "quiet")) {
    printf("%s\n", made);
  }
  return CAROM_EXIT_DONE;
}
