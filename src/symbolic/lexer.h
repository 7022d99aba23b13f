// SPDX-License-Identifier: MIT
/// The words of an expression, with the place of each in the user's text.
#ifndef CAROM_SYMBOLIC_LEXER_H
#define CAROM_SYMBOLIC_LEXER_H

#include "symbolic/graph.h"

enum { CAROM_NAME_ROOM = 64 }; // a name is shorter than this

/// An OPERATOR is one of the operations that are written between or before their operands.
typedef enum carom_token_kind {
  CAROM_TOKEN_END,
  CAROM_TOKEN_NUMBER,
  CAROM_TOKEN_NAME,
  CAROM_TOKEN_OPERATOR,
  CAROM_TOKEN_PRIME,
  CAROM_TOKEN_OPEN,
  CAROM_TOKEN_CLOSE,
  CAROM_TOKEN_COMMA,
  CAROM_TOKEN_DEG
} carom_token_kind;

typedef struct carom_token {
  carom_token_kind kind;
  carom_place place;
  const char *text; // in the source, `length` bytes
  size_t length;
  double value; // of NUMBER
  carom_op op;  // of OPERATOR: + is ADD and - is SUB, also before an operand
} carom_token;

typedef struct carom_lexer {
  const char *at; // next character
  carom_place place;
} carom_lexer;

/// Reads the next token; false with `error` set when the text is no token.
bool carom_lexer_next(carom_lexer *lexer, carom_token *token, carom_error *error);

/// Steps over `length` bytes, counting lines and columns (a column is one character, not one byte).
void carom_lexer_skip(carom_lexer *lexer, size_t length);
void carom_lexer_skip_space(carom_lexer *lexer);

/// Bytes of the name at `text` (letters, digits, _ and Greek letters; a dot between parts), or 0.
size_t carom_name_length(const char *text);

#endif
