// SPDX-License-Identifier: MIT
/// Writes one JSON object. Keys are NULL for the outermost object and inside arrays.
#ifndef CAROM_CLI_JSON_H
#define CAROM_CLI_JSON_H

#include <stdbool.h>
#include <stdio.h>

enum { CAROM_JSON_DEPTH = 16, CAROM_NUMBER_TEXT = 40 };

/// Start with {.out = stdout}; open the outermost object with carom_json_object(json, NULL).
typedef struct carom_json {
  FILE *out;
  int depth;
  char closing[CAROM_JSON_DEPTH]; // the bracket that ends each open object or array
  bool filled[CAROM_JSON_DEPTH];  // has it an entry already?
} carom_json;

void carom_json_object(carom_json *json, const char *key);
void carom_json_array(carom_json *json, const char *key);
void carom_json_end(carom_json *json); // of the innermost; the last one ends the line
/// Invalid UTF-8 becomes U+FFFD; NULL is null.
void carom_json_text(carom_json *json, const char *key, const char *text);
/// The shortest number that reads back the same; NaN and infinity are null.
void carom_json_number(carom_json *json, const char *key, double value);
void carom_json_count(carom_json *json, const char *key, long value);
void carom_json_flag(carom_json *json, const char *key, bool value);

/// Length of the UTF-8 character at `text`, 0 when it is not a valid one.
int carom_utf8_length(const char *text);

#endif
