// SPDX-License-Identifier: MIT
/// Units of written numbers: `80 kg`, `2.5 mm`, `600 rpm`, `9.81 m/s^2`. A value that is one number
/// and a unit is converted to SI (metre, kilogram, second, radian; kelvin, ampere); everything else
/// stays as it is. Dimensions are kept to be checked and printed.
#ifndef CAROM_SCENARIO_UNITS_H
#define CAROM_SCENARIO_UNITS_H

#include <stdbool.h>
#include <stddef.h>

enum {
  CAROM_DIMENSIONS = 5,       // metre, kilogram, second, kelvin, ampere
  CAROM_DIMENSION_PARTS = 12, // exponents are counted in twelfths: roots have some
  CAROM_UNIT_ROOM = 80
};

/// What is known of the unit of a quantity. A NUMBER was written without one: in a product it is a
/// pure number, in a sum it has the unit of what stands beside it. ANY: nothing is known.
typedef enum carom_unit_kind {
  CAROM_UNIT_ANY,
  CAROM_UNIT_NUMBER,
  CAROM_UNIT_KNOWN
} carom_unit_kind;

typedef struct carom_dimension {
  carom_unit_kind kind;
  short exponents[CAROM_DIMENSIONS]; // in twelfths
} carom_dimension;

/// A name that is nearly a unit: where it stands, 0: there is none, and what is probably meant.
typedef struct carom_unit_doubt {
  size_t at;
  char meant[CAROM_UNIT_ROOM];
} carom_unit_doubt;

/// Reads `text` as a number and a unit. False: it is not one, and `doubt` says why that may be.
/// `converted` is the expression of the same value in SI.
bool carom_units_read(const char *text, carom_dimension *dimension, char *converted, size_t room,
                      carom_unit_doubt *doubt);

/// The number with a unit that `text` begins with, in an expression: 5 mm, 2.5 m/s, 3 N s. A factor
/// may follow behind a blank, * or / as long as it is a unit. Its end is at *length; `is_name` says
/// whether the scenario has a quantity of this name, and the unit is DOUBTFUL where that is so.
/// Degrees alone are none: they are an operator.
typedef enum carom_unit_found {
  CAROM_UNIT_NONE,
  CAROM_UNIT_FOUND,
  CAROM_UNIT_DOUBTFUL
} carom_unit_found;
typedef struct carom_unit_text {
  carom_dimension dimension;
  char converted[384]; // the same value in SI, as an expression
  size_t length;       // of the text; DOUBTFUL: up to and with the name
  size_t name;         // DOUBTFUL: where the name begins
} carom_unit_text;
carom_unit_found carom_units_find(const char *text, bool (*is_name)(void *ctx, const char *name),
                                  void *ctx, carom_unit_text *found);

/// A known dimension as one number and back; negative: its exponents are too large or no whole
/// ones.
int carom_dimension_code(carom_dimension dimension);
carom_dimension carom_dimension_of_code(int code);

/// A dimension in words: "N", "m/s", "kg m/s^3"; "" for a pure number or where nothing is known.
void carom_units_write(carom_dimension dimension, char *text, size_t room);

/// A known unit by its name in the table: carom_unit("J"); "" is a pure number.
carom_dimension carom_unit(const char *name);

carom_dimension carom_dimension_times(carom_dimension a, carom_dimension b, int sign);
bool carom_dimension_same(carom_dimension a, carom_dimension b);

#endif
