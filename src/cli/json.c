// SPDX-License-Identifier: MIT
#include "json.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// the well-formed sequences of The Unicode Standard, table 3-7: no overlong forms, no surrogates
int carom_utf8_length(const char *text) {
  const unsigned char *c = (const unsigned char *)text;
  if (c[0] < 0x80) return 1;
  if (c[0] < 0xC2 || c[0] > 0xF4) return 0;
  int length = c[0] < 0xE0 ? 2 : c[0] < 0xF0 ? 3 : 4;
  unsigned char low = c[0] == 0xE0 ? 0xA0 : c[0] == 0xF0 ? 0x90 : 0x80;
  unsigned char high = c[0] == 0xED ? 0x9F : c[0] == 0xF4 ? 0x8F : 0xBF;
  if (c[1] < low || c[1] > high) return 0;
  for (int k = 2; k < length; k++)
    if (c[k] < 0x80 || c[k] > 0xBF) return 0;
  return length;
}

// the shortest decimal form that reads back as `value`; returns `buffer`
static const char *write_shortest(double value, char buffer[CAROM_NUMBER_TEXT]) {
  for (int digits = 15; digits <= 17; digits++) {
    (void)snprintf(buffer, CAROM_NUMBER_TEXT, "%.*g", digits, value);
    if (strtod(buffer, NULL) == value) break;
  }
  return buffer;
}

static void put_escaped(FILE *out, unsigned char c) {
  switch (c) {
  case '"': fputs("\\\"", out); break;
  case '\\': fputs("\\\\", out); break;
  case '\n': fputs("\\n", out); break;
  case '\t': fputs("\\t", out); break;
  case '\r': fputs("\\r", out); break;
  default:
    if (c < 0x20 || c == 0x7F)
      fprintf(out, "\\u%04x", c);
    else
      fputc(c, out);
  }
}

static void put_string(FILE *out, const char *text) {
  fputc('"', out);
  while (*text) {
    int length = carom_utf8_length(text);
    if (length == 1)
      put_escaped(out, (unsigned char)*text);
    else if (length > 1)
      fwrite(text, 1, (size_t)length, out);
    else
      fputs("\\ufffd", out);
    text += length > 0 ? length : 1;
  }
  fputc('"', out);
}

static void indent_line(const carom_json *json) {
  fputc('\n', json->out);
  for (int k = 0; k < json->depth; k++)
    fputs("  ", json->out);
}

// comma, line and key before a value
static void begin_value(carom_json *json, const char *key) {
  if (json->depth > 0) {
    if (json->filled[json->depth - 1]) fputc(',', json->out);
    json->filled[json->depth - 1] = true;
    indent_line(json);
  }
  if (!key) return;
  put_string(json->out, key);
  fputs(": ", json->out);
}

static void open_bracket(carom_json *json, const char *key, char opening, char closing) {
  assert(json->depth < CAROM_JSON_DEPTH);
  begin_value(json, key);
  fputc(opening, json->out);
  json->closing[json->depth] = closing;
  json->filled[json->depth] = false;
  json->depth++;
}

void carom_json_object(carom_json *json, const char *key) { open_bracket(json, key, '{', '}'); }

void carom_json_array(carom_json *json, const char *key) { open_bracket(json, key, '[', ']'); }

void carom_json_end(carom_json *json) {
  assert(json->depth > 0);
  json->depth--;
  if (json->filled[json->depth]) indent_line(json);
  fputc(json->closing[json->depth], json->out);
  if (json->depth == 0) fputc('\n', json->out);
}

void carom_json_text(carom_json *json, const char *key, const char *text) {
  begin_value(json, key);
  if (text)
    put_string(json->out, text);
  else
    fputs("null", json->out);
}

void carom_json_number(carom_json *json, const char *key, double value) {
  char buffer[CAROM_NUMBER_TEXT];
  begin_value(json, key);
  fputs(isfinite(value) ? write_shortest(value, buffer) : "null", json->out);
}

void carom_json_count(carom_json *json, const char *key, long value) {
  begin_value(json, key);
  fprintf(json->out, "%ld", value);
}

void carom_json_flag(carom_json *json, const char *key, bool value) {
  begin_value(json, key);
  fputs(value ? "true" : "false", json->out);
}
