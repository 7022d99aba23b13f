// SPDX-License-Identifier: MIT
#include "fit_words.h"

#include "report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

carom_status carom_fit_entries_read(const carom_call *call, const char *option, bool two,
                                    carom_fit_entries *entries, carom_error *error) {
  const char *text = carom_call_value(call, option), *at = text;
  carom_fit_range *list = entries->list;
  char(*names)[CAROM_FIT_NAME] = entries->names;
  int *count = &entries->count;
  for (*count = 0; at && *at; (*count)++) {
    carom_fit_range *entry = &list[*count < CAROM_FIT_ENTRIES ? *count : 0];
    size_t length = strcspn(at, "=,");
    char *end;
    bool fine =
        *count < CAROM_FIT_ENTRIES && at[length] == '=' && length > 0 && length < CAROM_FIT_NAME;
    if (fine) {
      memcpy(names[*count], at, length);
      names[*count][length] = 0;
      entry->name = names[*count];
      at += length + 1;
      entry->low = entry->high = strtod(at, &end);
      fine = end != at;
      at = end;
      if (fine && two) {
        fine = *at == ':';
        entry->high = fine ? strtod(at + 1, &end) : 0.0;
        fine = fine && end != at + 1;
        at = end;
      }
      fine = fine && (*at == ',' || !*at) && isfinite(entry->low) && isfinite(entry->high);
    }
    if (!fine)
      return carom_wrong(error, "--%s %s: %s, separated by commas, is expected", option, text,
                         two ? "NAME=A:B" : "NAME=NUMBER");
    at += *at == ',';
  }
  return CAROM_OK;
}

carom_status carom_fit_number_read(const carom_call *call, const char *option, double least,
                                   double *value, carom_error *error) {
  const char *text = carom_call_value(call, option);
  char *end;
  if (!text) return CAROM_OK;
  *value = strtod(text, &end);
  if (end == text || *end || !(*value >= least) || *value > 1e9)
    return carom_wrong(error, "--%s %s: a number from %g on is expected", option, text, least);
  return CAROM_OK;
}
