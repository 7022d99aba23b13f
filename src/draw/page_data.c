// SPDX-License-Identifier: MIT
#include "draw/page_data.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

void carom_page_text(FILE *out, const char *text) {
  (void)fputc('"', out);
  for (; text && *text; text++) {
    unsigned char c = (unsigned char)*text;
    if (c == '"' || c == '\\')
      (void)fprintf(out, "\\%c", c);
    else if (c < ' ' || c == '<' || c == '>' || c == '&')
      (void)fprintf(out, "\\u%04x", c);
    else
      (void)fputc(c, out);
  }
  (void)fputc('"', out);
}

void carom_page_number(FILE *out, double value) {
  if (isfinite(value))
    (void)fprintf(out, "%.17g", value);
  else
    (void)fputs("null", out);
}

/// Bytes on their way to letters.
typedef struct base64 {
  FILE *out;
  uint32_t held;
  int count;
} base64;

static void put_group(base64 *it) {
  static const char LETTERS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (int k = 0; k < 4; k++) {
    uint32_t six = (it->held >> (18 - 6 * k)) & 63;
    (void)fputc(k <= it->count ? LETTERS[six] : '=', it->out);
  }
  it->held = 0;
  it->count = 0;
}

static void put_byte(base64 *it, unsigned char byte) {
  it->held |= (uint32_t)byte << (16 - 8 * it->count);
  if (++it->count == 3) put_group(it);
}

// least byte first, whatever the machine
static void put_bits(base64 *it, uint64_t bits, int bytes) {
  for (int k = 0; k < bytes; k++)
    put_byte(it, (unsigned char)(bits >> (8 * k)));
}

void carom_page_singles(FILE *out, const double *values, long count, long stride) {
  base64 it = {.out = out};
  (void)fputc('"', out);
  for (long k = 0; k < count; k++) {
    float single = (float)values[k * stride];
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    put_bits(&it, bits, 4);
  }
  if (it.count > 0) put_group(&it);
  (void)fputc('"', out);
}

void carom_page_doubles(FILE *out, const double *values, long count, long stride) {
  base64 it = {.out = out};
  (void)fputc('"', out);
  for (long k = 0; k < count; k++) {
    uint64_t bits;
    memcpy(&bits, &values[k * stride], sizeof bits);
    put_bits(&it, bits, 8);
  }
  if (it.count > 0) put_group(&it);
  (void)fputc('"', out);
}
