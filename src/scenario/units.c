// SPDX-License-Identifier: MIT
#include "scenario/units.h"
#include "base/error.h"
#include "symbolic/lexer.h"
#include "symbolic/number.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FACTORS = 12, LARGEST_EXPONENT = 9, NUMBER_ROOM = 64, PART_ROOM = 16 };

// a unit: its power of ten, what else it is multiplied by (as an expression), its dimension
typedef struct unit {
  const char *name;
  bool prefixes; // may k, m, M ... stand before it?
  int tens;
  const char *factor;
  short exponents[CAROM_DIMENSIONS]; // m, kg, s, K, A
} unit;

static const unit units[] = {
    {"m", true, 0, NULL, {1}},
    {"g", true, -3, NULL, {0, 1}},
    {"s", true, 0, NULL, {0, 0, 1}},
    {"K", true, 0, NULL, {0, 0, 0, 1}},
    {"A", true, 0, NULL, {0, 0, 0, 0, 1}},
    {"N", true, 0, NULL, {1, 1, -2}},
    {"J", true, 0, NULL, {2, 1, -2}},
    {"W", true, 0, NULL, {2, 1, -3}},
    {"Pa", true, 0, NULL, {-1, 1, -2}},
    {"V", true, 0, NULL, {2, 1, -3, 0, -1}},
    {"Hz", true, 0, NULL, {0, 0, -1}},
    {"bar", true, 5, NULL, {-1, 1, -2}},
    {"rad", true, 0, NULL, {0}},
    {"deg", false, 0, "deg", {0}},
    {"rev", false, 0, "2*pi", {0}},
    {"rpm", false, 0, "pi/30", {0, 0, -1}},
    {"min", false, 0, "60", {0, 0, 1}},
    {"h", false, 0, "3600", {0, 0, 1}},
    {"t", false, 3, NULL, {0, 1}},
    {"percent", false, -2, NULL, {0}},
};

static const struct prefix {
  char letter;
  int tens;
} prefixes[] = {{'n', -9}, {'u', -6}, {'m', -3}, {'c', -2}, {'d', -1},
                {'h', 2},  {'k', 3},  {'M', 6},  {'G', 9}};

enum {
  UNIT_COUNT = sizeof units / sizeof *units,
  PREFIX_COUNT = sizeof prefixes / sizeof *prefixes
};

static const unit *find_whole(const char *name, size_t length) {
  for (int k = 0; k < UNIT_COUNT; k++)
    if (strlen(units[k].name) == length && memcmp(units[k].name, name, length) == 0)
      return &units[k];
  return NULL;
}

static const unit *find_unit(const char *name, size_t length, int *tens) {
  const unit *found = find_whole(name, length);
  *tens = found ? found->tens : 0;
  if (found || length < 2) return found;
  found = find_whole(name + 1, length - 1);
  if (!found || !found->prefixes) return NULL;
  for (int k = 0; k < PREFIX_COUNT; k++) {
    if (prefixes[k].letter != name[0]) continue;
    *tens = found->tens + prefixes[k].tens;
    return found;
  }
  return NULL;
}

// what others write for a unit, or NULL
static const char *other_word(const char *word) {
  static const char *const words[][2] = {
      {"sec", "s"},      {"secs", "s"},      {"second", "s"},   {"seconds", "s"},   {"mins", "min"},
      {"minute", "min"}, {"minutes", "min"}, {"hr", "h"},       {"hour", "h"},      {"hours", "h"},
      {"meter", "m"},    {"meters", "m"},    {"metre", "m"},    {"metres", "m"},    {"Kg", "kg"},
      {"KG", "kg"},      {"kgs", "kg"},      {"gram", "g"},     {"grams", "g"},     {"newton", "N"},
      {"degree", "deg"}, {"degrees", "deg"}, {"radian", "rad"}, {"radians", "rad"}, {"hz", "Hz"}};
  for (size_t k = 0; k < sizeof words / sizeof *words; k++)
    if (strcmp(word, words[k][0]) == 0) return words[k][1];
  return NULL;
}

// s2 is meant as s^2, Nm as N m; false: it is neither
static bool as_units(const char *word, char *hint, size_t room) {
  int tens = 0;
  size_t length = strlen(word), letters = strcspn(word, "0123456789");
  bool digits = letters < length && letters + strspn(word + letters, "0123456789") == length;
  if (digits && find_unit(word, letters, &tens))
    return snprintf(hint, room, "%.*s^%s", (int)letters, word, word + letters) < (int)room;
  for (size_t k = length - 1; k > 0 && length > 0; k--)
    if (find_unit(word, k, &tens) && find_unit(word + k, length - k, &tens))
      return snprintf(hint, room, "%.*s %s", (int)k, word, word + k) < (int)room;
  return false;
}

// what a name that is no unit was meant as; `alone`: nothing else stands behind the number
static bool nearest_unit(const char *name, size_t length, bool alone, char *hint, size_t room) {
  static const char *const common[] = {"kg", "mm",  "cm",  "km",  "ms",  "kN",  "kPa", "MPa",
                                       "Hz", "rad", "deg", "rpm", "min", "bar", "rev", "percent"};
  char word[NUMBER_ROOM];
  int tens = 0;
  if (length == 0 || length >= sizeof word || find_unit(name, length, &tens)) return false;
  memcpy(word, name, length);
  word[length] = 0;
  const char *meant = other_word(word);
  if (!meant && as_units(word, hint, room)) return true;
  if (!meant && alone) meant = carom_nearest_name(word, common, sizeof common / sizeof *common);
  return meant && snprintf(hint, room, "%s", meant) < (int)room;
}

// ---- reading

typedef struct reading {
  const char *at;
  int tens;
  carom_dimension dimension;
  char factors[256];
} reading;

static bool add_factor(reading *r, const unit *u, int tens, int power) {
  size_t used = strlen(r->factors);
  r->tens += tens * power;
  for (int k = 0; k < CAROM_DIMENSIONS; k++)
    r->dimension.exponents[k] =
        (short)(r->dimension.exponents[k] + u->exponents[k] * power * CAROM_DIMENSION_PARTS);
  for (int k = 0; u->factor && k < abs(power); k++)
    used += (size_t)snprintf(r->factors + used, sizeof r->factors - used, "%c(%s)",
                             power > 0 ? '*' : '/', u->factor);
  return used < sizeof r->factors;
}

// ^2 or ^-1; 0 when what follows ^ is no small number
static int read_power(const char **at) {
  if (**at != '^') return 1;
  char *end = NULL;
  long power = strtol(*at + 1, &end, 10);
  if (end == *at + 1 || power == 0 || labs(power) > LARGEST_EXPONENT) return 0;
  *at = end;
  return (int)power;
}

static bool read_factor(reading *r, int sign) {
  size_t length = carom_name_length(r->at);
  int tens = 0;
  const unit *u = length > 0 ? find_unit(r->at, length, &tens) : NULL;
  if (!u) return false;
  r->at += length;
  int power = read_power(&r->at);
  return power && add_factor(r, u, tens, sign * power);
}

// kg m^2/s^2, with * or a blank between factors; / is for the one factor behind it
static bool read_units(reading *r) {
  int sign = 1;
  if (strncmp(r->at, "1/", 2) == 0) r->at += 2, sign = -1;
  for (int k = 0; k < MOST_FACTORS; k++) {
    if (!read_factor(r, sign)) return false;
    r->at += strspn(r->at, " \t");
    if (!*r->at) return true;
    sign = *r->at == '/' ? -1 : 1;
    if (*r->at == '/' || *r->at == '*') r->at += 1 + strspn(r->at + 1, " \t");
  }
  return false;
}

// The number with its power of ten changed in its writing, not by a multiplication: 2.5 mm
// is 2.5e-3.
static bool write_number(const char *number, size_t length, int tens, char *text, size_t room) {
  size_t mantissa = 0;
  while (mantissa < length && number[mantissa] != 'e' && number[mantissa] != 'E')
    mantissa++;
  long exponent = mantissa < length ? strtol(number + mantissa + 1, NULL, 10) : 0;
  int written = tens ? snprintf(text, room, "%.*se%ld", (int)mantissa, number, exponent + tens)
                     : snprintf(text, room, "%.*s", (int)length, number);
  return written > 0 && (size_t)written < room;
}

bool carom_units_read(const char *text, carom_dimension *dimension, char *converted, size_t room,
                      carom_unit_doubt *doubt) {
  const char *number = text + strspn(text, " \t\n\r");
  bool minus = *number == '-';
  number += *number == '-' || *number == '+';
  size_t length = carom_number_length(number);
  reading r = {.at = number + length, .dimension = {.kind = CAROM_UNIT_KNOWN}};
  r.at += strspn(r.at, " \t");
  doubt->at = 0;
  size_t name = carom_name_length(r.at);
  if (length == 0 || length >= NUMBER_ROOM || (name == 0 && strncmp(r.at, "1/", 2) != 0))
    return false;
  const char *first = r.at;
  if (!read_units(&r)) {
    bool alone = strlen(first) == name;
    if (nearest_unit(r.at, carom_name_length(r.at), alone, doubt->meant, sizeof doubt->meant))
      doubt->at = (size_t)(r.at - text);
    return false;
  }
  *dimension = r.dimension;
  // an angle is written as it always was
  if (strcmp(first, "deg") == 0) {
    (void)snprintf(converted, room, "%s", text);
    return strlen(text) < room;
  }
  char value[NUMBER_ROOM + PART_ROOM];
  if (!write_number(number, length, r.tens, value, sizeof value)) return false;
  int written = snprintf(converted, room, "%s%s%s", minus ? "-" : "", value, r.factors);
  return written > 0 && (size_t)written < room;
}

// ---- within an expression

// is a unit what `at` begins with? A name before a bracket is a function
static bool begins_unit(const char *at, bool *is_quantity, bool (*is_name)(void *, const char *),
                        void *ctx) {
  char name[NUMBER_ROOM];
  int tens = 0;
  size_t length = carom_name_length(at);
  const char *behind = at + length + strspn(at + length, " \t");
  if (length == 0 || length >= sizeof name || *behind == '(' || !find_unit(at, length, &tens))
    return false;
  memcpy(name, at, length);
  name[length] = 0;
  *is_quantity = is_name(ctx, name);
  return true;
}

// the sign of the factor behind, stepping to it: -1 after /, 0 where none can follow
static int next_factor(const char **at, bool only_per) {
  *at += strspn(*at, " \t");
  char c = **at;
  if (c == '/' || c == '*') *at += 1 + strspn(*at + 1, " \t");
  if (c == '/') return -1;
  return only_per ? 0 : 1;
}

// does * or / stand before it, and not only a blank?
static bool is_joined(const char *text, const char *at) {
  while (at > text && strchr(" \t", at[-1]))
    at--;
  return at > text && strchr("*/", at[-1]);
}

carom_unit_found carom_units_find(const char *text, bool (*is_name)(void *ctx, const char *name),
                                  void *ctx, carom_unit_text *found) {
  size_t length = carom_number_length(text);
  reading r = {.at = text + length, .dimension = {.kind = CAROM_UNIT_KNOWN}};
  r.at += strspn(r.at, " \t");
  bool degrees = carom_name_length(r.at) == 3 && strncmp(r.at, "deg", 3) == 0, doubt = false;
  bool all_doubtful = true; // 2 m/s where s is no quantity is a unit, whatever m is
  int sign = 1, factors = 0;
  for (reading next = r; sign && factors < MOST_FACTORS; factors++) {
    if (!begins_unit(next.at, &doubt, is_name, ctx) || (doubt && degrees)) break;
    bool joined = is_joined(text, next.at);
    if (doubt && (joined || factors == 0)) {
      found->name = (size_t)(next.at - text);
      found->length = found->name + carom_name_length(next.at);
      if (joined) return CAROM_UNIT_DOUBTFUL;
    }
    all_doubtful = all_doubtful && doubt;
    if (!read_factor(&next, sign)) break;
    r = next;
    sign = next_factor(&next.at, degrees);
  }
  if (factors > 0 && all_doubtful) return CAROM_UNIT_DOUBTFUL;
  char value[NUMBER_ROOM + PART_ROOM];
  if (factors == 0 || (degrees && factors == 1) || length >= NUMBER_ROOM ||
      !write_number(text, length, r.tens, value, sizeof value))
    return CAROM_UNIT_NONE;
  found->length = (size_t)(r.at - text);
  found->dimension = r.dimension;
  int written = snprintf(found->converted, sizeof found->converted, "%s%s", value, r.factors);
  return written > 0 && (size_t)written < sizeof found->converted ? CAROM_UNIT_FOUND
                                                                  : CAROM_UNIT_NONE;
}

// ---- dimensions

enum { LARGEST_CODED = 20, CODES = 2 * LARGEST_CODED + 1 };

int carom_dimension_code(carom_dimension dimension) {
  int code = 0;
  for (int k = 0; k < CAROM_DIMENSIONS; k++) {
    int exponent = dimension.exponents[k] / CAROM_DIMENSION_PARTS;
    if (dimension.exponents[k] % CAROM_DIMENSION_PARTS || abs(exponent) > LARGEST_CODED) return -1;
    code = code * CODES + exponent + LARGEST_CODED;
  }
  return code;
}

carom_dimension carom_dimension_of_code(int code) {
  carom_dimension d = {.kind = CAROM_UNIT_KNOWN};
  for (int k = CAROM_DIMENSIONS - 1; k >= 0; k--, code /= CODES)
    d.exponents[k] = (short)((code % CODES - LARGEST_CODED) * CAROM_DIMENSION_PARTS);
  return d;
}

carom_dimension carom_unit(const char *name) {
  reading r = {.at = name, .dimension = {.kind = CAROM_UNIT_KNOWN}};
  if (*name) (void)read_units(&r);
  return r.dimension;
}

carom_dimension carom_dimension_times(carom_dimension a, carom_dimension b, int sign) {
  if (a.kind == CAROM_UNIT_ANY || b.kind == CAROM_UNIT_ANY) return (carom_dimension){0};
  if (a.kind == CAROM_UNIT_NUMBER && b.kind == CAROM_UNIT_NUMBER) return a;
  carom_dimension product = {.kind = CAROM_UNIT_KNOWN};
  for (int k = 0; k < CAROM_DIMENSIONS; k++)
    product.exponents[k] = (short)(a.exponents[k] + sign * b.exponents[k]);
  return product;
}

bool carom_dimension_same(carom_dimension a, carom_dimension b) {
  return memcmp(a.exponents, b.exponents, sizeof a.exponents) == 0;
}

// ---- writing

static void put_power(char *text, size_t room, const char *name, int twelfths) {
  size_t used = strlen(text);
  char power[PART_ROOM] = "";
  if (twelfths % CAROM_DIMENSION_PARTS)
    (void)snprintf(power, sizeof power, "^%g", (double)twelfths / CAROM_DIMENSION_PARTS);
  else if (twelfths != CAROM_DIMENSION_PARTS)
    (void)snprintf(power, sizeof power, "^%d", twelfths / CAROM_DIMENSION_PARTS);
  if (used < room) (void)snprintf(text + used, room - used, "%s%s", name, power);
}

void carom_units_write(carom_dimension dimension, char *text, size_t room) {
  static const char *const names[CAROM_DIMENSIONS] = {"m", "kg", "s", "K", "A"};
  static const int order[CAROM_DIMENSIONS] = {1, 0, 2, 3, 4}; // kg first: kg m^2/s
  static const char *const usual[] = {"N", "J", "W", "Pa", "N/m", "N s/m", "N s", "N/m^2"};
  text[0] = 0;
  if (dimension.kind != CAROM_UNIT_KNOWN) return;
  for (size_t k = 0; k < sizeof usual / sizeof *usual; k++)
    if (carom_dimension_same(dimension, carom_unit(usual[k]))) {
      (void)snprintf(text, room, "%s", usual[k]);
      return;
    }
  bool above = false;
  for (int k = 0; k < CAROM_DIMENSIONS; k++) {
    int twelfths = dimension.exponents[order[k]];
    if (twelfths <= 0) continue;
    if (above) (void)strncat(text, " ", room - strlen(text) - 1);
    put_power(text, room, names[order[k]], twelfths);
    above = true;
  }
  for (int k = 0; k < CAROM_DIMENSIONS; k++) {
    int twelfths = dimension.exponents[order[k]];
    if (twelfths >= 0) continue;
    (void)strncat(text, above ? "/" : "1/", room - strlen(text) - 1);
    put_power(text, room, names[order[k]], -twelfths);
    above = true;
  }
}
