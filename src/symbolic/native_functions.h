// SPDX-License-Identifier: MIT
/// The functions that instructions of programs call, as numbers that machine code can hold.
#ifndef CAROM_SYMBOLIC_NATIVE_FUNCTIONS_H
#define CAROM_SYMBOLIC_NATIVE_FUNCTIONS_H

#include "symbolic/program_internal.h"

#define CAROM_ADDRESS(function) ((uint64_t)(uintptr_t)(function))
#define CAROM_LEAF_(NAME, name)
#define CAROM_NONE_(NAME, ...)
#define CAROM_CASE_(code, function)                                                                \
  case code:                                                                                       \
    return CAROM_ADDRESS(function);
#define CAROM_CALL_(NAME, stem, ...) CAROM_CASE_(CAROM_OP_##NAME, carom_##stem)
#define CAROM_PAIR_(NAME, name, stem, ...) CAROM_CASE_(CAROM_OP_##NAME, carom_##stem)
#define CAROM_SAMPLED_(NAME, name, stem, ...) CAROM_CASE_(CAROM_OP_##NAME, carom_table_##stem)

/// The function of one number that computes an instruction, or 0.
static inline uint64_t carom_function_of_one(int code) {
  switch (code) {
    CAROM_OPERATIONS(CAROM_LEAF_, CAROM_NONE_, CAROM_CALL_, CAROM_NONE_, CAROM_NONE_)
    CAROM_CASE_(CAROM_CODE_SIN_MUL, carom_sin)
    CAROM_CASE_(CAROM_CODE_COS_MUL, carom_cos)
  default: return 0;
  }
}

/// That of two numbers.
static inline uint64_t carom_function_of_two(int code) {
  switch (code) {
    CAROM_OPERATIONS(CAROM_LEAF_, CAROM_NONE_, CAROM_NONE_, CAROM_PAIR_, CAROM_NONE_)
    CAROM_CASE_(CAROM_CODE_POW_GENERAL, carom_pow)
  default: return 0;
  }
}

/// That of a table and a number.
static inline uint64_t carom_function_of_table(int code) {
  switch (code) {
    CAROM_OPERATIONS(CAROM_LEAF_, CAROM_NONE_, CAROM_NONE_, CAROM_NONE_, CAROM_SAMPLED_)
  default: return 0;
  }
}

#endif
