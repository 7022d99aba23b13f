// SPDX-License-Identifier: MIT
#include "robot/xml.h"

#include <stdint.h>
#include <string.h>

enum { DEEPEST = 200 };

typedef struct reader {
  carom_arena *arena;
  carom_error *error;
  const char *at, *end;
  carom_place place; // of `at`
} reader;

// ---- letters

// the length of the UTF-8 letter at `at`, 0 where there is none; controls are no letters of XML
static int letter_length(const reader *r) {
  const unsigned char *c = (const unsigned char *)r->at;
  if (c[0] < 0x80) return c[0] >= 0x20 || c[0] == '\t' || c[0] == '\n' || c[0] == '\r';
  int length = c[0] >= 0xc2 && c[0] < 0xe0   ? 2
               : c[0] >= 0xe0 && c[0] < 0xf0 ? 3
               : c[0] >= 0xf0 && c[0] < 0xf5 ? 4
                                             : 0;
  for (int k = 1; k < length; k++)
    if ((c[k] & 0xc0) != 0x80) return 0;
  bool overlong = (c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xf0 && c[1] < 0x90);
  bool surrogate = c[0] == 0xed && c[1] >= 0xa0, beyond = c[0] == 0xf4 && c[1] >= 0x90;
  return overlong || surrogate || beyond ? 0 : length;
}

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

static bool begins_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == ':' ||
         (unsigned char)c >= 0x80;
}

static bool in_name(char c) {
  return begins_name(c) || (c >= '0' && c <= '9') || c == '-' || c == '.';
}

static carom_status fail_here(const reader *r, const char *what) {
  return carom_fail_at(r->error, CAROM_ERR_INPUT, r->place, "%s", what);
}

// one letter on; columns count letters
static carom_status step_letter(reader *r) {
  int length = letter_length(r);
  if (r->at >= r->end) return fail_here(r, "the file ends here, inside of an element");
  if (length == 0) return fail_here(r, "this byte is no letter of UTF-8 text");
  r->place.column++;
  if (*r->at == '\n') {
    r->place.line++;
    r->place.column = 1;
  }
  r->at += length;
  return CAROM_OK;
}

static bool looks_at(const reader *r, const char *text) {
  size_t length = strlen(text);
  return (size_t)(r->end - r->at) >= length && memcmp(r->at, text, length) == 0;
}

static bool take_text(reader *r, const char *text) {
  if (!looks_at(r, text)) return false;
  for (const char *c = text; *c; c++)
    (void)step_letter(r);
  return true;
}

static void skip_blanks(reader *r) {
  while (r->at < r->end && is_blank(*r->at))
    (void)step_letter(r);
}

static carom_status skip_until(reader *r, const char *text, carom_place from, const char *what) {
  while (!take_text(r, text)) {
    if (r->at >= r->end) {
      r->place = from;
      return fail_here(r, what);
    }
    carom_status status = step_letter(r);
    if (status != CAROM_OK) return status;
  }
  return CAROM_OK;
}

static carom_status read_name(reader *r, const char **name) {
  const char *from = r->at;
  if (r->at >= r->end || !begins_name(*r->at)) return fail_here(r, "a name is expected here");
  while (r->at < r->end && in_name(*r->at)) {
    carom_status status = step_letter(r);
    if (status != CAROM_OK) return status;
  }
  *name = carom_arena_text(r->arena, from, (size_t)(r->at - from));
  return *name ? CAROM_OK : carom_fail_memory(r->error);
}

// ---- references

static char *put_letter(char *to, uint32_t code) {
  int more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  static const unsigned char heads[] = {0, 0xc0, 0xe0, 0xf0};
  *to++ = (char)(heads[more] | (code >> (6 * more)));
  while (more-- > 0)
    *to++ = (char)(0x80 | ((code >> (6 * more)) & 0x3f));
  return to;
}

// &#65; or &#x41;
static carom_status read_code(reader *r, char **to) {
  bool hex = take_text(r, "x");
  uint32_t code = 0;
  int digits = 0;
  for (; r->at < r->end && *r->at != ';' && digits < 8; digits++) {
    char c = *r->at;
    int digit = c >= '0' && c <= '9'          ? c - '0'
                : hex && c >= 'a' && c <= 'f' ? c - 'a' + 10
                : hex && c >= 'A' && c <= 'F' ? c - 'A' + 10
                                              : -1;
    if (digit < 0) return fail_here(r, "this is no digit of the number of a letter");
    code = code * (hex ? 16 : 10) + (uint32_t)digit;
    (void)step_letter(r);
  }
  bool control = code < 0x20 && code != '\t' && code != '\n' && code != '\r';
  if (digits == 0 || !take_text(r, ";") || control || code > 0x10ffff ||
      (code >= 0xd800 && code < 0xe000))
    return fail_here(r, "this number is no letter");
  *to = put_letter(*to, code);
  return CAROM_OK;
}

static carom_status read_reference(reader *r, char **to) {
  static const struct {
    const char *name;
    char letter;
  } known[] = {{"lt;", '<'}, {"gt;", '>'}, {"amp;", '&'}, {"quot;", '"'}, {"apos;", '\''}};
  if (take_text(r, "#")) return read_code(r, to);
  for (size_t k = 0; k < sizeof known / sizeof *known; k++)
    if (take_text(r, known[k].name)) {
      *(*to)++ = known[k].letter;
      return CAROM_OK;
    }
  return fail_here(r, "only &lt; &gt; &amp; &quot; &apos; and numbers of letters are known here");
}

// letters up to `stop`, with references resolved: never longer than they are written
static carom_status read_letters(reader *r, char stop, const char **text) {
  const char *far = memchr(r->at, stop, (size_t)(r->end - r->at));
  char *to = carom_arena_take(r->arena, (size_t)((far ? far : r->end) - r->at) + 1);
  *text = to;
  if (!to) return carom_fail_memory(r->error);
  while (r->at < r->end && *r->at != stop) {
    const char *from = r->at;
    if (*from == '<') return fail_here(r, "a value has no '<'; &lt; stands for it");
    carom_status status = step_letter(r);
    if (status == CAROM_OK && *from == '&') status = read_reference(r, &to);
    if (status != CAROM_OK) return status;
    if (*from == '&') continue;
    memcpy(to, from, (size_t)(r->at - from));
    to += r->at - from;
  }
  *to = '\0';
  return CAROM_OK;
}

// ---- elements

static carom_status read_attribute(reader *r, carom_xml *element, int *room) {
  carom_xml_attribute attribute = {0};
  carom_place place = r->place;
  carom_status status = read_name(r, &attribute.name);
  if (status != CAROM_OK) return status;
  if (carom_xml_attribute_of(element, attribute.name))
    return carom_fail_at(r->error, CAROM_ERR_INPUT, place, "<%s> has %s twice", element->name,
                         attribute.name);
  skip_blanks(r);
  if (!take_text(r, "=")) return fail_here(r, "the name of an attribute is followed by =\"value\"");
  skip_blanks(r);
  char quote = '\0';
  if (r->at < r->end) quote = *r->at;
  if (quote != '"' && quote != '\'') return fail_here(r, "a value stands in quotes");
  (void)step_letter(r);
  attribute.place = r->place;
  status = read_letters(r, quote, &attribute.value);
  if (status != CAROM_OK) return status;
  if (r->at >= r->end) {
    r->place = attribute.place;
    return fail_here(r, "the quotes of this value are never closed");
  }
  (void)step_letter(r);
  if (!carom_arena_grow(r->arena, (void **)&element->attributes, element->attribute_count, room,
                        sizeof *element->attributes))
    return carom_fail_memory(r->error);
  element->attributes[element->attribute_count++] = attribute;
  return CAROM_OK;
}

// `<name a="b"`, up to its end; *whole: it has no content
static carom_status read_tag(reader *r, carom_xml *element, bool *whole) {
  int room = 0;
  carom_status status = read_name(r, &element->name);
  while (status == CAROM_OK) {
    bool apart = r->at < r->end && is_blank(*r->at);
    skip_blanks(r);
    *whole = take_text(r, "/>");
    if (*whole || take_text(r, ">")) return CAROM_OK;
    if (!apart) return fail_here(r, "a blank, '>' or '/>' is expected here");
    status = read_attribute(r, element, &room);
  }
  return status;
}

// comments, processing instructions and what is kept as it is
static carom_status skip_aside(reader *r, bool *skipped) {
  static const struct {
    const char *begin, *end, *open;
  } asides[] = {{"<!--", "-->", "this comment is never closed"},
                {"<?", "?>", "this instruction is never closed"},
                {"<![CDATA[", "]]>", "this section is never closed"}};
  carom_place from = r->place;
  *skipped = true;
  for (size_t k = 0; k < sizeof asides / sizeof *asides; k++)
    if (take_text(r, asides[k].begin)) return skip_until(r, asides[k].end, from, asides[k].open);
  *skipped = false;
  return looks_at(r, "<!") ? fail_here(r, "declarations are not read: take this one out")
                           : CAROM_OK;
}

static carom_status read_text(reader *r, carom_xml *element) {
  const char *text;
  carom_status status = read_letters(r, '<', &text);
  if (status != CAROM_OK) return status;
  while (is_blank(*text))
    text++;
  size_t length = strlen(text);
  while (length > 0 && is_blank(text[length - 1]))
    length--;
  if (length > 0 && !element->text[0]) element->text = carom_arena_text(r->arena, text, length);
  return element->text ? CAROM_OK : carom_fail_memory(r->error);
}

// `</name>` behind its two first letters
static carom_status close_element(reader *r, const carom_xml *element) {
  const char *name = "";
  carom_place place = r->place;
  carom_status status = read_name(r, &name);
  if (status != CAROM_OK) return status;
  if (strcmp(name, element->name) != 0)
    return carom_fail_at(r->error, CAROM_ERR_INPUT, place, "</%s> closes <%s> of line %d", name,
                         element->name, element->place.line);
  skip_blanks(r);
  return take_text(r, ">") ? CAROM_OK : fail_here(r, "'>' is expected here");
}

static carom_status open_element(reader *r, carom_xml *parent, carom_xml **element, bool *whole) {
  *element = carom_arena_take(r->arena, sizeof **element);
  if (!*element) return carom_fail_memory(r->error);
  **element = (carom_xml){.name = "", .place = r->place, .text = "", .parent = parent};
  (void)take_text(r, "<");
  return read_tag(r, *element, whole);
}

// all that is inside of the root
static carom_status read_content(reader *r, carom_xml *root) {
  carom_xml *open = root, *last[DEEPEST] = {NULL}; // the last child of each open element
  for (int depth = 0;;) {
    bool skipped = false, whole = false;
    if (r->at >= r->end)
      return carom_fail_at(r->error, CAROM_ERR_INPUT, open->place, "<%s> is never closed",
                           open->name);
    carom_status status = *r->at == '<' ? skip_aside(r, &skipped) : read_text(r, open);
    if (status != CAROM_OK) return status;
    if (skipped || r->at >= r->end || *r->at != '<') continue;
    if (take_text(r, "</")) {
      status = close_element(r, open);
      if (status != CAROM_OK || depth-- == 0) return status;
      open = (carom_xml *)open->parent;
      continue;
    }
    carom_xml *element;
    status = open_element(r, open, &element, &whole);
    if (status != CAROM_OK) return status;
    *(last[depth] ? &last[depth]->next : &open->first) = element;
    last[depth] = element;
    if (whole) continue;
    if (++depth >= DEEPEST) return fail_here(r, "elements are nested too deeply");
    open = element;
    last[depth] = NULL;
  }
}

static carom_status skip_asides(reader *r) {
  bool skipped = true;
  carom_status status = CAROM_OK;
  while (skipped && status == CAROM_OK) {
    skip_blanks(r);
    status = skip_aside(r, &skipped);
  }
  return status;
}

carom_status carom_xml_read(carom_arena *arena, const char *file, const char *text, size_t length,
                            carom_xml **root, carom_error *error) {
  reader r = {arena, error, text, text + length, {file, 1, 1}};
  bool whole = false;
  if (looks_at(&r, "\xef\xbb\xbf")) r.at += 3; // a mark of byte order
  carom_status status = skip_asides(&r);
  if (status != CAROM_OK) return status;
  if (!looks_at(&r, "<")) return fail_here(&r, "XML begins with an element, <name ...>");
  status = open_element(&r, NULL, root, &whole);
  if (status == CAROM_OK && !whole) status = read_content(&r, *root);
  if (status == CAROM_OK) status = skip_asides(&r);
  if (status == CAROM_OK && r.at < r.end)
    return fail_here(&r, "nothing may follow the one element that holds all others");
  return status;
}

// ---- looking up

const carom_xml_attribute *carom_xml_attribute_of(const carom_xml *element, const char *name) {
  for (int k = 0; k < element->attribute_count; k++)
    if (strcmp(element->attributes[k].name, name) == 0) return &element->attributes[k];
  return NULL;
}

static const carom_xml *find_element(const carom_xml *element, const char *name) {
  while (element && strcmp(element->name, name) != 0)
    element = element->next;
  return element;
}

const carom_xml *carom_xml_child(const carom_xml *element, const char *name) {
  return find_element(element->first, name);
}

const carom_xml *carom_xml_next(const carom_xml *element, const char *name) {
  return find_element(element->next, name);
}
