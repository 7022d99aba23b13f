// SPDX-License-Identifier: MIT
/// The keys of the scenario language: the table the loader checks against, for help and reference.
#ifndef CAROM_KEYS_H
#define CAROM_KEYS_H

#include "carom/status.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/// One key. In `path` a component * stands for any name the user chooses, [] for an item of a list.
/// All texts have static storage.
typedef struct carom_key {
  const char *path;     // contacts.*.friction.slip
  const char *engine;   // whose key it is; "" for all
  const char *accepts;  // "expression", "number", "choice: a|b", "map or expression" ...
  const char *choices;  // of a choice, separated by |; "" otherwise
  const char *unit;     // "" for a pure number or text
  const char *fallback; // what holds when it is not given
  const char *meaning;  // one sentence
  bool required;
} carom_key;

/// Key number k in the order of documentation; false beyond the last.
CAROM_API bool carom_key_read(int k, carom_key *key);

/// A function or constant that expressions may use. All texts have static storage.
typedef struct carom_expression_function {
  const char *name;
  const char *arguments; // "(a, b)"; "" for a constant
  const char *help;      // one line
  const char *example;
} carom_expression_function;

/// Number k of them: functions, constants, then what looks at a whole run; false beyond the last.
CAROM_API bool carom_expression_function_read(int k, carom_expression_function *read);

#ifdef __cplusplus
}
#endif
#endif
