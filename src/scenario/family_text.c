// SPDX-License-Identifier: MIT
// Indices in the text of expressions: i becomes a number, x[i-1] a name, sum(i=1..n, ...) its
// terms, if(i == 1, a, b) one of its two. What comes out is what could have been written by hand; a
// table of spans leads from there to the place in the file.
#include "scenario/family.h"
#include "symbolic/lexer.h"
#include "symbolic/number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_NESTED = 40 };

// ---- integers

static const carom_index *find_index(const carom_families *it, const char *name, size_t length) {
  // the innermost of two indices of one name cannot occur: carom_family_push refuses it
  for (int k = 0; k < it->index_count; k++)
    if (strlen(it->indices[k].name) == length && memcmp(it->indices[k].name, name, length) == 0)
      return &it->indices[k];
  return NULL;
}

static const carom_yaml *find_parameter(const carom_families *it, const char *name) {
  const carom_yaml *map = carom_yaml_get(it->document->root, "parameters");
  const carom_yaml *value = carom_yaml_get(map, name);
  return value && value->kind == CAROM_YAML_SCALAR && value->text[0] ? value : NULL;
}

// a parameter that decides how many there are of something cannot change in a loaded model
static bool note_counting(carom_families *it, const char *name) {
  carom_document *document = it->document;
  for (int k = 0; k < document->counting_count; k++)
    if (strcmp(document->counting[k], name) == 0) return true;
  const char *kept = carom_arena_text(it->arena, name, strlen(name));
  if (!kept || !carom_arena_grow(it->arena, (void **)&document->counting, document->counting_count,
                                 &document->counting_capacity, sizeof *document->counting))
    return false;
  document->counting[document->counting_count++] = kept;
  return true;
}

static carom_parse_scope scope_of(carom_families *it);

static carom_node look_up_name(void *ctx, const char *name, carom_place place, carom_error *error) {
  carom_families *it = ctx;
  const carom_index *index = find_index(it, name, strlen(name));
  if (index) return carom_node_constant(it->graph, (double)index->value);
  const carom_yaml *parameter = find_parameter(it, name);
  if (!parameter) return 0;
  if (it->parameter_depth >= CAROM_FAMILY_DEEPEST_PARAMETER) {
    carom_fail_at(error, CAROM_ERR_INPUT, place, "'%s' is made of itself, or of too many others",
                  name);
    return 0;
  }
  if (!note_counting(it, name)) {
    carom_fail_memory(error);
    return 0;
  }
  // inside a parameter no index holds
  int indices = it->index_count;
  carom_parse_scope scope = scope_of(it);
  it->index_count = 0;
  it->parameter_depth++;
  carom_error own = {0};
  carom_node node = carom_parse(&scope, parameter->text, place, &own);
  it->parameter_depth--;
  it->index_count = indices;
  if (!node && own.status == CAROM_ERR_MEMORY) carom_fail_memory(error);
  // the innermost parameter says what is wrong, the outermost where
  else if (!node && it->parameter_depth > 0)
    carom_fail_at(error, CAROM_ERR_INPUT, place, "%s", own.text);
  else if (!node)
    carom_fail_at(error, CAROM_ERR_INPUT, place, "the parameter '%s' cannot be used here: %.600s",
                  name, own.text);
  return node;
}

static int list_names(void *ctx, const char **list, int room) {
  const carom_families *it = ctx;
  const carom_yaml *map = carom_yaml_get(it->document->root, "parameters");
  int count = 0;
  for (int k = 0; k < it->index_count && count < room; k++)
    list[count++] = it->indices[k].name;
  for (int k = 0; map && map->kind == CAROM_YAML_MAP && k < map->count && count < room; k++)
    list[count++] = map->keys[k];
  return count;
}

static carom_node no_prime(void *ctx, carom_node node, carom_place place, carom_error *error) {
  (void)ctx, (void)node;
  carom_fail_at(error, CAROM_ERR_INPUT, place, "an index has no rate");
  return 0;
}

static carom_parse_scope scope_of(carom_families *it) {
  return (carom_parse_scope){.graph = it->graph,
                             .ctx = it,
                             .lookup = look_up_name,
                             .prime = no_prime,
                             .names = list_names};
}

static carom_status compute_value(carom_families *it, const char *text, size_t length,
                                  carom_place place, double *value) {
  const char *copy = carom_arena_text(it->arena, text, length);
  if (!copy) return carom_fail_memory(it->error);
  carom_parse_scope scope = scope_of(it);
  carom_node node = carom_parse(&scope, copy, place, it->error);
  if (!node) return it->error->status ? it->error->status : carom_fail_memory(it->error);
  if (!carom_node_is_constant(it->graph, node, value)) *value = NAN;
  return CAROM_OK;
}

carom_status carom_family_integer(carom_families *it, const char *text, size_t length,
                                  carom_place place, long *value) {
  double number = NAN;
  carom_status status = compute_value(it, text, length, place, &number);
  if (status) return status;
  *value = fabs(number) < 1e9 ? (long)number : 0;
  if (fabs(number) < 1e9 && (double)*value == number) return CAROM_OK;
  while (length > 0 && *text == ' ')
    text++, length--;
  return carom_fail_at(it->error, CAROM_ERR_INPUT, place,
                       "an index is a whole number, but %.*s is %g",
                       (int)(length < 60 ? length : 60), text, number);
}

carom_status carom_family_push(carom_families *it, const char *name, long value,
                               carom_place place) {
  static const char *const sections[] = {"parameters", "coordinates", "speeds", "states", "define"};
  bool word = carom_parse_reserved(name) || strcmp(name, "t") == 0 || strcmp(name, "slip") == 0 ||
              strcmp(name, "normal") == 0;
  if (word)
    return carom_fail_at(it->error, CAROM_ERR_INPUT, place,
                         "'%s' has a meaning of its own and cannot be an index", name);
  if (find_index(it, name, strlen(name)))
    return carom_fail_at(it->error, CAROM_ERR_INPUT, place,
                         "the index '%s' is in use here already; choose another letter", name);
  for (size_t k = 0; k < sizeof sections / sizeof *sections; k++)
    if (carom_yaml_get(carom_yaml_get(it->document->root, sections[k]), name))
      return carom_fail_at(it->error, CAROM_ERR_INPUT, place,
                           "'%s' stands in %s and cannot be an index too", name, sections[k]);
  if (it->index_count == CAROM_FAMILY_MAX_INDICES)
    return carom_fail_at(it->error, CAROM_ERR_LIMIT, place, "more than %d indices at one place",
                         CAROM_FAMILY_MAX_INDICES);
  it->indices[it->index_count++] = (carom_index){name, value};
  return CAROM_OK;
}

void carom_family_pop(carom_families *it) { it->index_count--; }

// ---- ranges

size_t carom_family_argument(const char *text, size_t length) {
  int depth = 0;
  bool quoted = false;
  size_t n = 0;
  for (; n < length; n++) {
    char c = text[n];
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (depth == 0 && (c == ',' || c == ')' || c == ']')) break;
    if (c == '(' || c == '[') depth++;
    if (c == ')' || c == ']') depth--;
  }
  return n;
}

static size_t count_blanks(const char *text, size_t length) {
  size_t n = 0;
  while (n < length && strchr(" \t\r\n", text[n]))
    n++;
  return n;
}

carom_status carom_family_read_range(carom_families *it, const char *text, size_t length,
                                     carom_place place, carom_family_range *range, bool *is_range) {
  size_t start = count_blanks(text, length), name = carom_name_length(text + start);
  size_t at = start + name;
  if (at > length) at = length;
  at += count_blanks(text + at, length - at);
  *is_range = name > 0 && at < length && text[at] == '=' && text[at + 1] != '=';
  if (!*is_range) return CAROM_OK;
  at++;
  size_t dots = at;
  while (dots + 1 < length && (text[dots] != '.' || text[dots + 1] != '.'))
    dots++;
  if (dots + 1 >= length)
    return carom_fail_at(it->error, CAROM_ERR_INPUT, place,
                         "a range is written %.*s=1..10, from the first to the last",
                         (int)(name < 40 ? name : 40), text + start);
  range->name = carom_arena_text(it->arena, text + start, name);
  if (!range->name) return carom_fail_memory(it->error);
  carom_status status = carom_family_integer(it, text + at, dots - at, place, &range->first);
  if (!status)
    status = carom_family_integer(it, text + dots + 2, length - dots - 2, place, &range->last);
  if (status) return status;
  // n..n-1 is a family without members: the contacts between one ball and the next
  if (range->last < range->first - 1)
    return carom_fail_at(it->error, CAROM_ERR_INPUT, place, "the range %ld..%ld runs backwards",
                         range->first, range->last);
  if (range->last - range->first >= CAROM_FAMILY_MAX_MEMBERS)
    return carom_fail_at(it->error, CAROM_ERR_LIMIT, place,
                         "the range %ld..%ld has %ld members; at most %d are possible",
                         range->first, range->last, range->last - range->first + 1,
                         CAROM_FAMILY_MAX_MEMBERS);
  return CAROM_OK;
}

// ---- writing

typedef struct writing {
  carom_families *it;
  const carom_yaml *scalar;
  const char *text;   // of the scalar
  const int *counted; // characters of the text before each byte
  char *out;
  int count, capacity, characters; // of `out`
  carom_yaml_span *spans;
  int span_count, span_capacity;
  int depth;
  bool changed;
} writing;

static size_t characters_in(const char *text, size_t length) {
  size_t count = 0;
  for (size_t k = 0; k < length; k++)
    count += ((unsigned char)text[k] & 0xC0) != 0x80;
  return count;
}

static carom_place place_at(const writing *w, const char *p) {
  return carom_yaml_place(w->scalar, (size_t)w->counted[p - w->text]);
}

// what is read and what is written counts, so that no document can make this long
static carom_status spend_bytes(writing *w, size_t bytes) {
  w->it->text_bytes += bytes;
  if (w->it->text_bytes <= CAROM_FAMILY_MAX_TEXT) return CAROM_OK;
  return carom_fail_at(w->it->error, CAROM_ERR_LIMIT, w->scalar->place,
                       "the members of families and the terms of sums are more than %d bytes of "
                       "text",
                       CAROM_FAMILY_MAX_TEXT);
}

static carom_status put_text(writing *w, const char *text, size_t length) {
  carom_families *it = w->it;
  for (size_t k = 0; k < length; k++) {
    if (!carom_arena_grow(it->arena, (void **)&w->out, w->count, &w->capacity, 1))
      return carom_fail_memory(it->error);
    w->out[w->count++] = text[k];
  }
  w->characters += (int)characters_in(text, length);
  return spend_bytes(w, length);
}

// what follows comes from `p`: letter by letter, or all of it from this one place
static carom_status mark_place(writing *w, const char *p, bool copied) {
  int from = w->counted[p - w->text];
  const carom_yaml_span *last = w->span_count ? &w->spans[w->span_count - 1] : NULL;
  if (copied && last && last->copied && last->from + w->characters - last->at == from)
    return CAROM_OK;
  if (!carom_arena_grow(w->it->arena, (void **)&w->spans, w->span_count, &w->span_capacity,
                        sizeof *w->spans))
    return carom_fail_memory(w->it->error);
  w->spans[w->span_count++] = (carom_yaml_span){w->characters, from, copied};
  return CAROM_OK;
}

static carom_status put_copied(writing *w, const char *p, size_t length) {
  carom_status status = mark_place(w, p, true);
  return status ? status : put_text(w, p, length);
}

static carom_status put_made(writing *w, const char *p, const char *text) {
  carom_status status = mark_place(w, p, false);
  w->changed = true;
  return status ? status : put_text(w, text, strlen(text));
}

static carom_status put_integer(writing *w, const char *p, long value) {
  char text[32];
  (void)snprintf(text, sizeof text, value < 0 ? "(%ld)" : "%ld", value);
  return put_made(w, p, text);
}

static carom_status rewrite_text(writing *w, const char *p, const char *end);

// x[i-1, j]; `p` stands on the name, *behind is set behind the bracket
static carom_status put_member(writing *w, const char *p, size_t length, const char *end,
                               const char **behind) {
  carom_families *it = w->it;
  long values[CAROM_FAMILY_MAX_INDICES];
  int count = 0;
  const char *at = p + length + 1;
  for (;;) {
    size_t part = carom_family_argument(at, (size_t)(end - at));
    if (at + part >= end || at[part] == ')')
      return carom_fail_at(it->error, CAROM_ERR_INPUT, place_at(w, p + length),
                           "this bracket is not closed");
    if (count == CAROM_FAMILY_MAX_INDICES)
      return carom_fail_at(it->error, CAROM_ERR_LIMIT, place_at(w, p), "more than %d indices",
                           CAROM_FAMILY_MAX_INDICES);
    carom_status status = spend_bytes(w, part);
    if (!status) status = carom_family_integer(it, at, part, place_at(w, at), &values[count++]);
    if (status) return status;
    at += part + 1;
    if (at[-1] == ']') break;
  }
  char name[CAROM_NAME_ROOM];
  carom_status status =
      carom_family_name(it, p, length, count, values, place_at(w, p), name, sizeof name);
  if (!status) status = put_made(w, p, name);
  // hit[i].normal: what follows the dot is a name and no index
  size_t rest = *at == '.' ? 1 + carom_name_length(at + 1) : 0;
  if (!status && rest > 1) status = put_copied(w, at, rest);
  *behind = at + (rest > 1 ? rest : 0);
  return status;
}

static carom_status put_terms(writing *w, const char *name_at, const carom_family_range *range,
                              const char *body, const char *end, int *terms);

// the ranges of one sum nest: the ends of a later one may use the indices of those before
static carom_status sum_over(writing *w, const char *name_at, const char *at, const char *end,
                             int *terms) {
  carom_families *it = w->it;
  size_t length = carom_family_argument(at, (size_t)(end - at));
  carom_family_range range;
  bool is_range = false;
  carom_status status = carom_family_read_range(it, at, length, place_at(w, at), &range, &is_range);
  if (status) return status;
  if (is_range && at + length >= end)
    return carom_fail_at(it->error, CAROM_ERR_INPUT, place_at(w, name_at),
                         "sum(%s=%ld..%ld, ...) needs what is to be added", range.name, range.first,
                         range.last);
  if (is_range) return put_terms(w, name_at, &range, at + length + 1, end, terms);
  if (length < (size_t)(end - at))
    return carom_fail_at(it->error, CAROM_ERR_INPUT, place_at(w, at),
                         "a sum is written sum(i=1..10, m*v[i]^2), ranges first");
  if (++*terms > CAROM_FAMILY_MAX_MEMBERS)
    return carom_fail_at(it->error, CAROM_ERR_LIMIT, place_at(w, name_at),
                         "the sum has more than %d terms", CAROM_FAMILY_MAX_MEMBERS);
  status = put_made(w, at, *terms == 1 ? "(" : " + (");
  if (!status) status = rewrite_text(w, at + count_blanks(at, (size_t)(end - at)), end);
  return status ? status : put_made(w, end, ")");
}

static carom_status put_terms(writing *w, const char *name_at, const carom_family_range *range,
                              const char *body, const char *end, int *terms) {
  for (long k = range->first; k <= range->last; k++) {
    carom_status status = carom_family_push(w->it, range->name, k, place_at(w, name_at));
    if (status) return status;
    status = sum_over(w, name_at, body, end, terms);
    carom_family_pop(w->it);
    if (status) return status;
  }
  return CAROM_OK;
}

// sum(...); `at` stands behind the bracket, `end` on the closing one
static carom_status put_sum(writing *w, const char *name_at, const char *at, const char *end) {
  carom_family_range range;
  bool is_range = false;
  size_t length = carom_family_argument(at, (size_t)(end - at));
  carom_status status =
      carom_family_read_range(w->it, at, length, place_at(w, at), &range, &is_range);
  if (status) return status;
  if (!is_range)
    return carom_fail_at(w->it->error, CAROM_ERR_INPUT, place_at(w, name_at),
                         "a sum is written sum(i=1..10, m*v[i]^2), ranges first");
  int terms = 0;
  status = put_made(w, name_at, "(");
  if (!status) status = sum_over(w, name_at, at, end, &terms);
  if (!status && terms == 0) status = put_made(w, name_at, "0");
  return status ? status : put_made(w, end, ")");
}

// Can this condition be decided now? It is made of indices, one at least, and of parameters that
// are whole numbers.
static bool is_decidable(carom_families *it, const char *text, size_t length) {
  bool indexed = false;
  for (size_t k = 0; k < length;) {
    size_t number = carom_number_length(text + k), name = carom_name_length(text + k);
    if (text[k] == '"' || text[k] == '[' || text[k] == '\'') return false;
    size_t step = number > 0 ? number : name > 0 ? name : 1;
    size_t after = k + step;
    after += count_blanks(text + after, length > after ? length - after : 0);
    bool called = name > 0 && after < length && text[after] == '(';
    char word[CAROM_NAME_ROOM] = "";
    if (number == 0 && name > 0 && !called && name < sizeof word) {
      memcpy(word, text + k, name);
      bool reserved = carom_parse_reserved(word); // and, or, not, pi
      const carom_yaml *parameter = reserved ? NULL : find_parameter(it, word);
      bool index = find_index(it, word, name) != NULL;
      double value = NAN;
      size_t digits = parameter ? carom_number_length(parameter->text) : 0;
      if (digits > 0 && !parameter->text[digits])
        value = carom_number_read(parameter->text, digits);
      if (!reserved && !index && !(value == floor(value))) return false;
      indexed = indexed || index;
    }
    k += step;
  }
  return indexed;
}

// if(i == 1, a, b): only the part that holds is written, so that the other may name what is not
// there
static carom_status put_choice(writing *w, const char *name_at, const char *at, const char *end,
                               bool *done) {
  size_t parts[3];
  const char *p = at;
  for (int k = 0; k < 3; k++) {
    if (p > end) return CAROM_OK;
    parts[k] = carom_family_argument(p, (size_t)(end - p));
    p += parts[k] + 1;
  }
  if (p != end + 1 || !is_decidable(w->it, at, parts[0])) return CAROM_OK;
  double value = 0.0;
  carom_status status = spend_bytes(w, (size_t)(end - at));
  if (!status) status = compute_value(w->it, at, parts[0], place_at(w, at), &value);
  if (status) return status;
  *done = true;
  const char *yes = at + parts[0] + 1, *no = yes + parts[1] + 1;
  status = put_made(w, name_at, "(");
  if (!status) status = value != 0.0 ? rewrite_text(w, yes, no - 1) : rewrite_text(w, no, end);
  return status ? status : put_made(w, end, ")");
}

// the bracket that closes the one before `p`, or NULL
static const char *closing_bracket(const char *p, const char *end) {
  for (;;) {
    p += carom_family_argument(p, (size_t)(end - p));
    if (p >= end) return NULL;
    if (*p == ')') return p;
    p++;
  }
}

static carom_status put_call(writing *w, const char *p, size_t length, const char *end,
                             const char **behind, bool *done) {
  const char *open = p + length + count_blanks(p + length, (size_t)(end - p) - length);
  const char *close = open < end && *open == '(' ? closing_bracket(open + 1, end) : NULL;
  if (!close) return CAROM_OK;
  bool sum = length == 3 && memcmp(p, "sum", 3) == 0;
  bool choice = length == 2 && memcmp(p, "if", 2) == 0 && w->it->index_count > 0;
  *behind = close + 1;
  *done = sum;
  if (sum) return put_sum(w, p, open + 1, close);
  return choice ? put_choice(w, p, open + 1, close, done) : CAROM_OK;
}

static carom_status put_name(writing *w, const char *p, size_t length, const char *end,
                             const char **behind) {
  *behind = p + length;
  if (p[length] == '[' && p + length < end) return put_member(w, p, length, end, behind);
  bool done = false;
  const char *after = NULL;
  carom_status status = put_call(w, p, length, end, &after, &done);
  if (status) return status;
  if (done) {
    *behind = after;
    return CAROM_OK;
  }
  const carom_index *index = after ? NULL : find_index(w->it, p, length);
  return index ? put_integer(w, p, index->value) : put_copied(w, p, length);
}

static carom_status rewrite_text(writing *w, const char *p, const char *end) {
  if (++w->depth > MOST_NESTED)
    return carom_fail_at(w->it->error, CAROM_ERR_LIMIT, place_at(w, p),
                         "sums nested deeper than %d levels", MOST_NESTED);
  carom_status status = CAROM_OK;
  while (!status && p < end) {
    size_t name = carom_name_length(p), number = carom_number_length(p);
    if (number == 0 && name > 0) {
      status = put_name(w, p, name, end, &p);
      continue;
    }
    size_t length = number > 0 ? number : 1;
    if (*p == '"') {
      const char *quote = memchr(p + 1, '"', (size_t)(end - p) - 1);
      length = quote ? (size_t)(quote - p) + 1 : (size_t)(end - p);
    }
    status = put_copied(w, p, length);
    p += length;
  }
  w->depth--;
  return status;
}

bool carom_family_text_candidate(const char *text) {
  for (const char *p = text; *p;) {
    size_t number = carom_number_length(p), name = number ? 0 : carom_name_length(p);
    if (name > 0 && p[name] == '[') return true;
    if (name == 3 && memcmp(p, "sum", 3) == 0 && p[3 + strspn(p + 3, " \t")] == '(') return true;
    p += number > 0 ? number : name > 0 ? name : 1;
  }
  return false;
}

// "i = 3, j = 4"
static const char *note_of(const carom_families *it) {
  char text[256] = "";
  size_t used = 0;
  for (int k = 0; k < it->index_count && used < sizeof text; k++)
    used += (size_t)snprintf(text + used, sizeof text - used, "%s%.40s = %ld", k ? ", " : "",
                             it->indices[k].name, it->indices[k].value);
  return carom_arena_text(it->arena, text, strlen(text));
}

carom_status carom_family_rewrite(carom_families *it, carom_yaml *scalar, carom_yaml **rewritten) {
  *rewritten = scalar;
  if (!it->index_count && !carom_family_text_candidate(scalar->text)) return CAROM_OK;
  size_t length = strlen(scalar->text);
  int *counted = carom_arena_array(it->arena, length + 1, sizeof *counted);
  if (!counted) return carom_fail_memory(it->error);
  for (size_t k = 0; k < length; k++)
    counted[k + 1] = counted[k] + (((unsigned char)scalar->text[k] & 0xC0) != 0x80);
  writing w = {.it = it, .scalar = scalar, .text = scalar->text, .counted = counted};
  carom_status status = rewrite_text(&w, w.text, w.text + length);
  if (!status) status = mark_place(&w, w.text + length, true);
  if (!status) status = put_text(&w, "", 1);
  if (status || !w.changed) return status;
  carom_yaml *made = carom_arena_take(it->arena, sizeof *made);
  const char *note = note_of(it);
  if (!made || !note) return carom_fail_memory(it->error);
  *made = *scalar;
  made->text = w.out;
  made->written = scalar;
  made->spans = w.spans;
  made->span_count = w.span_count;
  made->note = note;
  *rewritten = made;
  return CAROM_OK;
}
