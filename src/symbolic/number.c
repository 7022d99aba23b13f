// SPDX-License-Identifier: MIT
#include "symbolic/number.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 400, DIGITS = 17 };

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static size_t count_digits(const char *text) {
  size_t n = 0;
  while (is_digit(text[n]))
    n++;
  return n;
}

size_t carom_number_length(const char *text) {
  size_t whole = count_digits(text), n = whole, part = 0;
  if (text[n] == '.') {
    part = count_digits(text + n + 1);
    if (whole + part == 0) return 0;
    n += 1 + part;
  }
  if (n == 0) return 0;
  // an exponent counts only with its digits: 2e is 2 and then e
  if (text[n] == 'e' || text[n] == 'E') {
    size_t sign = text[n + 1] == '+' || text[n + 1] == '-' ? 1 : 0;
    size_t digits = count_digits(text + n + 1 + sign);
    if (digits > 0) n += 1 + sign + digits;
  }
  return n;
}

// the written exponent, kept within a range where every double is long decided
static int read_exponent(const char *text, size_t length) {
  bool minus = text[0] == '-';
  int value = 0;
  for (size_t k = text[0] == '-' || text[0] == '+' ? 1 : 0; k < length && value < 100000; k++)
    value = 10 * value + (text[k] - '0');
  return minus ? -value : value;
}

double carom_number_read(const char *text, size_t length) {
  if (length > LONGEST) return (double)NAN;
  // move the decimal point into the exponent: 1.5e-3 is 15e-4, which no locale reads differently
  char digits[LONGEST + 32];
  size_t count = 0;
  int exponent = 0;
  bool behind_point = false;
  for (size_t k = 0; k < length; k++) {
    if (text[k] == 'e' || text[k] == 'E') {
      exponent += read_exponent(text + k + 1, length - k - 1);
      break;
    }
    if (text[k] == '.')
      behind_point = true;
    else {
      digits[count++] = text[k];
      exponent -= behind_point ? 1 : 0;
    }
  }
  (void)snprintf(digits + count, sizeof digits - count, "e%d", exponent);
  return strtod(digits, NULL);
}

// the significant digits of |value| and the power of ten of the first one
static int split_digits(double value, int precision, char digits[DIGITS + 1]) {
  char text[64];
  (void)snprintf(text, sizeof text, "%.*e", precision - 1, fabs(value));
  int count = 0;
  const char *at = text;
  for (; *at && *at != 'e'; at++)
    if (is_digit(*at) && count < DIGITS) digits[count++] = *at;
  digits[count] = '\0';
  while (count > 1 && digits[count - 1] == '0')
    digits[--count] = '\0';
  return *at ? (int)strtol(at + 1, NULL, 10) : 0;
}

// d.ddde-9
static void lay_out_scientific(const char *digits, int power, char *buffer, size_t room) {
  const char *rest = digits + 1;
  (void)snprintf(buffer, room, "%c%s%se%d", digits[0], *rest ? "." : "", rest, power);
}

// 0.00ddd, dd.dd or ddd00
static void lay_out_plain(const char *digits, int power, char *buffer) {
  int count = (int)strlen(digits), first = power < 0 ? power : 0;
  int last = count - 1 > power ? count - 1 : power, n = 0;
  // place k holds the digit of 10^(power - k); the point stands behind the ones
  for (int k = first; k <= last; k++) {
    char digit = '0';
    if (k >= 0 && k < count) digit = digits[k];
    buffer[n++] = digit;
    bool ones = power < 0 ? k == first : k == power;
    if (ones && k < last) buffer[n++] = '.';
  }
  assert(n < CAROM_NUMBER_ROOM - 1);
  buffer[n] = '\0';
}

char *carom_number_write(double value, char buffer[CAROM_NUMBER_ROOM]) {
  char digits[DIGITS + 1] = "", *at = buffer;
  if (value < 0.0) *at++ = '-';
  for (int precision = 1; precision <= DIGITS; precision++) {
    int power = split_digits(value, precision, digits);
    // plain as long as it needs few zeros, else with an exponent
    if (power < -4 || power > 16 || power - (int)strlen(digits) > 4)
      lay_out_scientific(digits, power, at, CAROM_NUMBER_ROOM - 1);
    else
      lay_out_plain(digits, power, at);
    if (carom_number_read(at, strlen(at)) == fabs(value)) break;
  }
  return buffer;
}
