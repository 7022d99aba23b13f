// SPDX-License-Identifier: MIT
// Any text to the loader: a scenario or an error with a text, never a crash, a leak or a hang. The
// text has no folder, so it can read no file. What was accepted is written out, read again and must
// be accepted again.
#include "scenario/scenario.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static carom_scenario *read_scenario(const char *text) {
  carom_error error = {0};
  carom_scenario *s = NULL;
  carom_status status = carom_scenario_read(NULL, text, 0, NULL, NULL, &s, &error);
  if (status > 0 || (status < 0 && (s || !error.text[0])) || (!status && !s)) abort();
  return s;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *text = malloc(size + 1);
  if (!text) return 0;
  if (size) memcpy(text, data, size);
  text[size] = 0;
  carom_scenario *s = read_scenario(text);
  if (s) {
    char *resolved = carom_document_text(s->arena, s->document);
    carom_scenario *again = resolved ? read_scenario(resolved) : NULL;
    if (!again) abort();
    carom_scenario_free(again);
    carom_scenario_free(s);
  }
  free(text);
  return 0;
}
