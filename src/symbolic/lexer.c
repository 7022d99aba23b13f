// SPDX-License-Identifier: MIT
#include "symbolic/lexer.h"
#include "symbolic/number.h"
#include "symbolic/operation.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_continuation(char c) { return ((unsigned char)c & 0xC0u) == 0x80u; }

// bytes of the letter at `text`: ASCII, or the Greek block U+0370 to U+03FF (lead bytes CD to CF)
static size_t letter_length(const char *text) {
  if (is_letter(text[0])) return 1;
  unsigned char lead = (unsigned char)text[0];
  return lead >= 0xCDu && lead <= 0xCFu && is_continuation(text[1]) ? 2 : 0;
}

size_t carom_name_length(const char *text) {
  size_t n = letter_length(text);
  if (n == 0) return 0;
  for (;;) {
    size_t step = letter_length(text + n);
    if (step == 0 && text[n] >= '0' && text[n] <= '9') step = 1;
    // a dot joins the parts of a name: left.gap
    if (step == 0 && text[n] == '.' && letter_length(text + n + 1) > 0) step = 1;
    if (step == 0) return n;
    n += step;
  }
}

void carom_lexer_skip(carom_lexer *lexer, size_t length) {
  for (; length > 0; length--, lexer->at++) {
    if (*lexer->at == '\n') {
      lexer->place.line++;
      lexer->place.column = 1;
    } else if (!is_continuation(*lexer->at)) {
      lexer->place.column++;
    }
  }
}

void carom_lexer_skip_space(carom_lexer *lexer) {
  while (*lexer->at && strchr(" \t\r\n", *lexer->at))
    carom_lexer_skip(lexer, 1);
}

// longer operators first
static const char *const operators[] = {"<=", ">=", "==", "!=", "<", ">", "+", "-", "*", "/", "^"};
static const char *const words[] = {"and", "or", "not"};
static const struct spelling {
  char text;
  carom_token_kind kind;
} marks[] = {{'\'', CAROM_TOKEN_PRIME},
             {'(', CAROM_TOKEN_OPEN},
             {')', CAROM_TOKEN_CLOSE},
             {',', CAROM_TOKEN_COMMA}};

// what other languages write, and what is written here
static const char *const foreign[][2] = {{"**", "^"},
                                         {".^", "^"},
                                         {".*", "*"},
                                         {"./", "/"},
                                         {"&&", "and"},
                                         {"||", "or"},
                                         {"!", "not"},
                                         {"=", "=="},
                                         {"\xe2\x88\x92", "-"},
                                         {"\xc3\x97", "*"},
                                         {"\xc2\xb7", "*"},
                                         {"\xc2\xb0", "deg"},
                                         {"\xe2\x80\xb2", "'"},
                                         {"\xe2\x80\x99", "'"},
                                         {"\xe2\x80\x93", "-"},
                                         {"\xc2\xb2", "^2"},
                                         {"\xc2\xb3", "^3"},
                                         {"\xe2\x89\xa4", "<="},
                                         {"\xe2\x89\xa5", ">="},
                                         {"\xc2\xb5", "u"}};

enum {
  OPERATOR_COUNT = sizeof operators / sizeof *operators,
  MARK_COUNT = sizeof marks / sizeof *marks,
  WORD_COUNT = sizeof words / sizeof *words,
  FOREIGN_COUNT = sizeof foreign / sizeof *foreign
};

static void set_operator(carom_token *token, size_t length) {
  token->kind = CAROM_TOKEN_OPERATOR;
  token->length = length;
  token->op = carom_op_named(token->text, length);
  assert(token->op < CAROM_OP_COUNT);
}

static const char *own_spelling(const char *text, int *length) {
  for (int k = 0; k < FOREIGN_COUNT; k++) {
    size_t n = strlen(foreign[k][0]);
    if (strncmp(text, foreign[k][0], n) != 0) continue;
    *length = (int)n;
    return foreign[k][1];
  }
  return NULL;
}

static bool refuse_character(const carom_lexer *lexer, carom_error *error) {
  const char *at = lexer->at;
  int length = 1;
  const char *own = own_spelling(at, &length);
  if (own) {
    const char *quote = *own == '\'' ? "" : "'"; // a quote in quotes cannot be read
    carom_fail_at(error, CAROM_ERR_INPUT, lexer->place, "write %s%s%s instead of %s%.*s%s", quote,
                  own, quote, quote, length, at, quote);
    return false;
  }
  // show a whole character, or its number when it is none that can be shown
  while (length < 4 && is_continuation(at[length]))
    length++;
  unsigned char lead = (unsigned char)at[0];
  if (lead < 0x20u || lead == 0x7Fu || (lead >= 0x80u && (length == 1 || is_continuation(at[0]))))
    carom_fail_at(error, CAROM_ERR_INPUT, lexer->place, "unexpected character number %u", lead);
  else
    carom_fail_at(error, CAROM_ERR_INPUT, lexer->place, "unexpected character '%.*s'%s", length, at,
                  *at == '|'   ? "; the size of x is written abs(x)"
                  : *at == '?' ? "; a choice is written if(condition, a, b)"
                  : *at == '%' ? "; hundredths are written percent, a remainder mod(a, b)"
                               : "");
  return false;
}

static bool read_number(carom_token *token, carom_error *error) {
  token->kind = CAROM_TOKEN_NUMBER;
  token->value = carom_number_read(token->text, token->length);
  if (isfinite(token->value)) return true;
  carom_fail_at(error, CAROM_ERR_INPUT, token->place,
                isnan(token->value) ? "the number is too long" : "the number is too large");
  return false;
}

static bool read_name(carom_token *token, carom_error *error) {
  token->kind = CAROM_TOKEN_NAME;
  if (token->length == 3 && strncmp(token->text, "deg", 3) == 0) token->kind = CAROM_TOKEN_DEG;
  for (int k = 0; k < WORD_COUNT; k++)
    if (token->length == strlen(words[k]) && strncmp(token->text, words[k], token->length) == 0)
      set_operator(token, token->length);
  if (token->length < CAROM_NAME_ROOM) return true;
  carom_fail_at(error, CAROM_ERR_INPUT, token->place, "a name has at most %d letters",
                CAROM_NAME_ROOM - 1);
  return false;
}

static bool read_mark(const carom_lexer *lexer, carom_token *token, carom_error *error) {
  int length;
  if (strncmp(lexer->at, "==", 2) != 0 && strncmp(lexer->at, "!=", 2) != 0 &&
      own_spelling(lexer->at, &length))
    return refuse_character(lexer, error);
  for (int k = 0; k < MARK_COUNT; k++) {
    if (*lexer->at != marks[k].text) continue;
    token->kind = marks[k].kind;
    token->length = 1;
    return true;
  }
  for (int k = 0; k < OPERATOR_COUNT; k++) {
    size_t n = strlen(operators[k]);
    if (strncmp(lexer->at, operators[k], n) != 0) continue;
    set_operator(token, n);
    return true;
  }
  return refuse_character(lexer, error);
}

bool carom_lexer_next(carom_lexer *lexer, carom_token *token, carom_error *error) {
  carom_lexer_skip_space(lexer);
  *token = (carom_token){CAROM_TOKEN_END, .place = lexer->place, .text = lexer->at};
  if (!*lexer->at) return true;
  bool good;
  if ((token->length = carom_number_length(lexer->at)) > 0)
    good = read_number(token, error);
  else if ((token->length = carom_name_length(lexer->at)) > 0)
    good = read_name(token, error);
  else
    good = read_mark(lexer, token, error);
  if (good) carom_lexer_skip(lexer, token->length);
  return good;
}
